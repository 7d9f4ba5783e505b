//! Findings that the user does not want to hear of again.
//!
//! Suppression happens when a report is closed, never while searching: what a suppressed race makes visible to the search
//! it makes visible all the same, so no other finding is lost by it.
//!
//! Guarantee: a finding is suppressed only if everything that an entry gives agrees with it, for a race with one and the
//! same of its two accesses; a suppressed finding stays in the report, with the reason.

use crate::{Access, Blocked, Finding, FindingKind, Heap, Location, Report, object_of};
use serde::Serialize;

/// A source position that is suppressed: a file by its last components, a line, a column if given.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuppressedPlace {
    pub file: String,
    /// Counted from 1.
    pub line: u32,
    pub column: Option<u32>,
}

impl SuppressedPlace {
    /// `FILE:LINE` or `FILE:LINE:COLUMN`.
    pub fn parse(text: &str) -> Option<Self> {
        let (before, last) = text.rsplit_once(':')?;
        let last = number(last)?;
        let (file, line, column) = match before.rsplit_once(':').and_then(|(file, n)| Some((file, number(n)?))) {
            Some((file, line)) => (file, line, Some(last)),
            None => (before, last, None),
        };
        let plain = file.strip_prefix("./").unwrap_or(file);
        (!plain.is_empty()).then(|| SuppressedPlace { file: plain.to_owned(), line, column })
    }

    fn matches(&self, location: &Location) -> bool {
        let file = location.file.as_str();
        let ends = file.strip_suffix(self.file.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'));
        ends && self.line == location.line && self.column.is_none_or(|column| column == location.column)
    }
}

fn number(digits: &str) -> Option<u32> {
    // `parse` would take a sign.
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten().filter(|&n| n > 0)
}

/// One entry of the user's; at least one of the optional parts is given.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppression {
    pub kind: Option<FindingKind>,
    pub place: Option<SuppressedPlace>,
    /// A global, or the tag of a structure and a member: `counter`, `node.next`.
    pub field: Option<String>,
    /// The function in which the access, call or failing instruction stands, inlined ones included.
    pub function: Option<String>,
    pub reason: String,
    /// Where the entry stands.
    pub file: String,
    pub line: u32,
    /// The entry's keys as written, for reports: `kind = "data_race", field = "node.next"`.
    pub text: String,
}

impl Suppression {
    /// Whether it applies to the finding.
    pub fn matches(&self, finding: &Finding) -> bool {
        if self.kind.is_some_and(|kind| kind != finding.kind) {
            return false;
        }
        let heap = finding.heap.as_ref();
        match (finding.accesses.as_slice(), finding.blocked.as_slice()) {
            ([], []) => self.matches_side(&finding.location, &[]),
            ([], blocked) => blocked.iter().any(|b| self.matches_side(&b.location, &locks(b, heap))),
            (accesses, _) => accesses.iter().any(|a| self.matches_side(&a.location, &[path_of(a)])),
        }
    }

    fn matches_side(&self, location: &Location, paths: &[String]) -> bool {
        self.place.as_ref().is_none_or(|place| place.matches(location))
            && self.function.as_ref().is_none_or(|function| *function == location.function)
            && self.field.as_ref().is_none_or(|field| paths.iter().any(|path| covers(field, path)))
    }
}

/// The accessed member without its object.
fn path_of(access: &Access) -> String {
    access.field.clone().unwrap_or_else(|| access.place.clone())
}

/// What a thread of a deadlock waits for and holds, with the types of the objects.
fn locks(blocked: &Blocked, heap: Option<&Heap>) -> Vec<String> {
    let typed = |place: &String| {
        let object = object_of(place);
        let drawn = heap.and_then(|heap| heap.objects.iter().find(|o| o.name == object && !o.r#type.is_empty()));
        match drawn {
            // A global goes by its own name.
            Some(drawn) if is_initial_name(object) => {
                format!("{}{}", drawn.r#type, &place[object.len()..])
            }
            _ => place.clone(),
        }
    };
    blocked.waits_for.iter().chain(&blocked.holds).map(typed).collect()
}

/// `N1`, `N2`, ...: the names that reports give to objects without one.
fn is_initial_name(name: &str) -> bool {
    name.strip_prefix('N').is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()))
}

/// Whether `path` is the member `field` or lies in it. Indices count only where `field` has some.
fn covers(field: &str, path: &str) -> bool {
    let bare = |text: &str| {
        let text = text.strip_prefix("new ").unwrap_or(text);
        let text = ["struct ", "union "].iter().find_map(|tag| text.strip_prefix(tag)).unwrap_or(text);
        // A lock that is held shared is marked so.
        text.strip_suffix(" (shared)").unwrap_or(text).to_owned()
    };
    let (field, path) = (bare(field), bare(path));
    let path = if field.contains('[') { path } else { without_indices(&path) };
    path.strip_prefix(field.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn without_indices(path: &str) -> String {
    let mut depth = 0usize;
    let mut kept = String::new();
    for character in path.chars() {
        match character {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            other if depth == 0 => kept.push(other),
            _ => {}
        }
    }
    kept
}

/// Why a finding does not count.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Suppressed {
    pub reason: String,
    pub file: String,
    /// 0 for an earlier report.
    pub line: u32,
    /// Its id in the earlier report that has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
}

impl Suppressed {
    /// `suppressed`, or `known`.
    pub(crate) fn in_words(&self) -> &'static str {
        if self.known.is_some() { "known" } else { "suppressed" }
    }

    /// By what: `raddle.toml:3`, or `R3 of base.json`.
    pub(crate) fn by(&self) -> String {
        match &self.known {
            Some(id) => format!("{id} of {}", self.file),
            None => format!("{}:{}", self.file, self.line),
        }
    }
}

/// An entry of the user's, and how many findings it suppressed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct SuppressionUse {
    pub file: String,
    pub line: u32,
    /// The entry's keys as written.
    pub entry: String,
    pub reason: String,
    pub used: usize,
}

impl Report {
    /// Marks the findings that entries apply to; [`Report::finish`] sets them apart. Where several entries apply, the
    /// first counts as the reason, and all as used.
    pub fn suppress(&mut self, entries: &[Suppression]) {
        self.suppressions = entries
            .iter()
            .map(|entry| SuppressionUse {
                file: entry.file.clone(),
                line: entry.line,
                entry: entry.text.clone(),
                reason: entry.reason.clone(),
                used: self.findings.iter().filter(|finding| entry.matches(finding)).count(),
            })
            .collect();
        for finding in &mut self.findings {
            let entry = entries.iter().find(|entry| entry.matches(finding));
            finding.suppressed = entry.map(|entry| Suppressed {
                reason: entry.reason.clone(),
                file: entry.file.clone(),
                line: entry.line,
                known: None,
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{AccessKind, Claim, HeapObject, Verdict, exit_code};

    fn access(function: &str, line: u32, field: Option<&str>, place: &str) -> Access {
        Access {
            thread: 1,
            operation: None,
            access: AccessKind::Write,
            automatic: false,
            variable: false,
            atomic: false,
            size: 8,
            place: place.to_owned(),
            locks: Vec::new(),
            location: Location {
                file: "lib/list.c".to_owned(),
                line,
                column: 5,
                function: function.to_owned(),
                stack: Vec::new(),
            },
            gpu: None,
            field: field.map(str::to_owned),
            guards: Vec::new(),
        }
    }

    fn race() -> Finding {
        Finding::race([
            access("insert", 26, Some("struct node.next[0]"), "N1.next[0]"),
            access("search", 18, Some("struct node.next[1]"), "N1.next[1]"),
        ])
    }

    fn by(change: impl FnOnce(&mut Suppression)) -> Suppression {
        let mut entry = Suppression { reason: "known".to_owned(), ..Suppression::default() };
        change(&mut entry);
        entry
    }

    #[test]
    fn places_are_parsed() {
        let place = |file: &str, line, column| Some(SuppressedPlace { file: file.to_owned(), line, column });
        assert_eq!(SuppressedPlace::parse("a.c:26"), place("a.c", 26, None));
        assert_eq!(SuppressedPlace::parse("./d/a.c:26:7"), place("d/a.c", 26, Some(7)));
        for wrong in ["", "a.c", "a.c:", ":3", "a.c:0", "a.c:x", "a.c:-1", "a.c:+1", "a.c:99999999999"] {
            assert_eq!(SuppressedPlace::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_access_must_agree_with_all_that_is_given() {
        let place = |text: &str| SuppressedPlace::parse(text);
        let cases = [
            (by(|e| e.place = place("list.c:26")), true),
            (by(|e| e.place = place("lib/list.c:18:5")), true),
            (by(|e| e.place = place("list.c:26:6")), false),
            (by(|e| e.place = place("ist.c:26")), false),
            (by(|e| e.place = place("list.c:2")), false),
            (by(|e| e.function = Some("search".to_owned())), true),
            (by(|e| e.function = Some("sear".to_owned())), false),
            (by(|e| e.kind = Some(FindingKind::DataRace)), true),
            (by(|e| e.kind = Some(FindingKind::Deadlock)), false),
        ];
        for (entry, expected) in cases {
            assert_eq!(entry.matches(&race()), expected, "{entry:?}");
        }
        let both = by(|e| {
            e.place = SuppressedPlace::parse("list.c:26");
            e.function = Some("search".to_owned());
        });
        assert!(!both.matches(&race()), "each agrees with another access");
    }

    #[test]
    fn fields_are_members_of_a_type_or_globals() {
        for (field, path, expected) in [
            ("node.next", "struct node.next[0]", true),
            ("struct node.next", "struct node.next[0]", true),
            ("node", "struct node.next[0]", true),
            ("node.next[0]", "struct node.next[0]", true),
            ("node.next[1]", "struct node.next[0]", false),
            ("node.nex", "struct node.next[0]", false),
            ("node.next", "new struct node[3].next", true),
            ("next", "struct node.next[0]", false),
            ("counter", "counter", true),
            ("count", "counter", false),
            ("table.lock", "table[2].lock (shared)", true),
            ("table[1].lock", "table[2].lock", false),
        ] {
            assert_eq!(covers(field, path), expected, "{field} {path}");
        }
    }

    #[test]
    fn locks_of_a_deadlock_have_the_types_of_their_objects() {
        let blocked = Blocked {
            thread: 1,
            holds: vec!["N1.lock".to_owned()],
            waits_for: Some("N2.lock".to_owned()),
            location: Location::default(),
            gpu: None,
            operation: None,
            waits_for_threads: Vec::new(),
        };
        let object = HeapObject { name: "N2".into(), r#type: "struct box".into(), note: None, fields: Vec::new() };
        let heap = Heap { roots: Vec::new(), objects: vec![object] };
        let deadlock = Finding {
            blocked: vec![blocked],
            heap: Some(heap),
            ..Finding::new(FindingKind::Deadlock, Location::default())
        };
        assert!(by(|e| e.field = Some("box.lock".to_owned())).matches(&deadlock));
        assert!(!by(|e| e.field = Some("node.lock".to_owned())).matches(&deadlock));
    }

    #[test]
    fn suppressed_findings_are_set_apart_and_do_not_count() {
        let mut report = Report::new("check", Claim::default());
        report.findings = vec![race(), Finding::new(FindingKind::Assertion, Location::default())];
        let race = by(|e| e.kind = Some(FindingKind::DataRace));
        let unused = by(|e| e.function = Some("nowhere".to_owned()));
        report.suppress(&[race.clone(), unused]);
        assert_eq!(report.finish(), [1, 0]);
        let used: Vec<usize> = report.suppressions.iter().map(|s| s.used).collect();
        assert_eq!((used, report.verdict), (vec![1, 0], Verdict::Findings));
        assert_eq!((report.findings[0].id.as_str(), report.suppressed_findings[0].id.as_str()), ("R1", "R2"));
        let once = report.clone();
        report.finish();
        assert_eq!(report, once, "finishing twice changes nothing");

        report.findings.clear();
        report.finish();
        assert_eq!((report.verdict, exit_code(&report)), (Verdict::Safe, 0));
    }
}
