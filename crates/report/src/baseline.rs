//! An earlier report: what was found then is known, and only what is new counts.
//!
//! Findings are compared by what they say ([`crate::content`]). Of several that say the same as many are known as there were; so one that comes
//! back in another place of the same function is known only if another one has gone.

use crate::content;
use crate::document::SCHEMA;
use crate::{Claim, Finding, FindingKind, Report, Sources, Suppressed};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::path::Path;

/// What is read of an earlier report.
#[derive(Clone, Debug, Deserialize)]
struct Document {
    schema: String,
    command: String,
    #[serde(default)]
    sources: Vec<String>,
    claim: serde_json::Value,
    #[serde(default)]
    assumptions: Vec<Assumed>,
    #[serde(default)]
    matrix: Vec<Operations>,
    findings: Vec<Known>,
    #[serde(default)]
    suppressed_findings: Vec<Known>,
    error: Option<serde_json::Value>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct Assumed {
    kind: String,
    r#where: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
struct Operations {
    operations: Vec<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Known {
    id: String,
    kind: String,
    content: Option<String>,
    location: Place,
    suppressed: Option<Entry>,
}

#[derive(Clone, Debug, Deserialize)]
struct Entry {
    known: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
struct Place {
    file: String,
    line: u32,
    function: String,
}

/// An earlier report, as far as it is compared with.
#[derive(Clone, Debug)]
pub struct Baseline {
    /// As the user typed it.
    file: String,
    document: Document,
}

/// What came of comparing with an earlier report. The JSON form's `baseline`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct BaselineUse {
    pub file: String,
    /// Findings that were there.
    pub known: usize,
    /// Findings that were not.
    pub new: usize,
    /// What was found then and not this time.
    pub gone: Vec<Gone>,
    /// Why what is gone need not be mended; none where this run looked at the same, and at all of it.
    pub open: Option<&'static str>,
}

/// A finding of the earlier report that this one does not have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Gone {
    /// In the earlier report.
    pub id: String,
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub function: String,
}

impl Baseline {
    /// Reads a report in its JSON form.
    ///
    /// # Errors
    /// Why it is none that findings can be compared with.
    pub fn parse(file: &str, text: &str) -> Result<Self, String> {
        let document: Document =
            serde_json::from_str(text).map_err(|e| format!("it is no report of raddle's (--format json): {e}"))?;
        if document.schema != SCHEMA {
            return Err(format!("it is a report of the form `{}`, this raddle has `{SCHEMA}`", document.schema));
        }
        if document.error.is_some() {
            return Err("it is a report of an error: there is nothing to compare with".to_owned());
        }
        let is_comparable = |known: &Known| known.content.as_deref().is_some_and(content::is_of_this_version);
        if document.sources.is_empty() || !document.findings.iter().all(is_comparable) {
            return Err(
                "another version of raddle wrote it, which knows findings by something else: write it anew".to_owned()
            );
        }
        Ok(Baseline { file: file.to_owned(), document })
    }

    /// Whether it is about these sources, by the command.
    ///
    /// # Errors
    /// What it is about.
    pub fn is_of(&self, command: &str, sources: &[&Path]) -> Result<(), String> {
        if self.document.command != command {
            return Err(format!("it is a report of `raddle {}`, not of `raddle {command}`", self.document.command));
        }
        let names = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let of_these: BTreeSet<String> = sources.iter().filter_map(|path| names(path)).collect();
        let then: BTreeSet<String> = self.document.sources.iter().filter_map(|path| names(Path::new(path))).collect();
        if of_these.is_disjoint(&then) {
            let then: Vec<String> = then.into_iter().collect();
            return Err(format!("it is a report of another program: of {}", then.join(", ")));
        }
        Ok(())
    }

    /// Findings that count, or were known already.
    fn known(&self) -> impl Iterator<Item = &Known> {
        let was_known = |known: &&Known| known.suppressed.as_ref().is_some_and(|entry| entry.known.is_some());
        self.document.findings.iter().chain(self.document.suppressed_findings.iter().filter(was_known))
    }
}

impl Report {
    /// Says of each finding what it says, to be known by.
    pub fn describe(&mut self, sources: &dyn Sources) {
        for finding in self.findings.iter_mut().chain(&mut self.suppressed_findings) {
            finding.content = content::of(finding, sources);
        }
    }

    /// Marks findings that an earlier report has, as far as they are not suppressed; [`Report::finish`] sets them apart.
    pub fn compare(&mut self, baseline: &Baseline) {
        let mut left: Vec<&Known> = baseline.known().collect();
        let mut known = 0;
        for finding in self.findings.iter_mut().filter(|finding| finding.suppressed.is_none()) {
            let is_it = |known: &&Known| known.content.as_deref() == Some(finding.content.as_str());
            let Some(at) = left.iter().position(is_it) else { continue };
            let earlier = left.remove(at);
            known += 1;
            finding.suppressed = Some(Suppressed {
                reason: format!("known: {} of {}", earlier.id, baseline.file),
                file: baseline.file.clone(),
                line: 0,
                known: Some(earlier.id.clone()),
            });
        }
        let suppressed: Vec<&Finding> =
            self.findings.iter().filter(|f| f.suppressed.as_ref().is_some_and(|s| s.known.is_none())).collect();
        // What is suppressed now is there still.
        left.retain(|known| {
            !suppressed.iter().any(|finding| known.content.as_deref() == Some(finding.content.as_str()))
        });
        let gone = |known: &&Known| Gone {
            id: known.id.clone(),
            kind: known.kind.clone(),
            file: known.location.file.clone(),
            line: known.location.line,
            function: known.location.function.clone(),
        };
        self.baseline = Some(BaselineUse {
            file: baseline.file.clone(),
            known,
            new: self.findings.iter().filter(|finding| finding.suppressed.is_none()).count(),
            gone: left.iter().map(gone).collect(),
            open: self.looks_at_less(&baseline.document),
        });
    }

    fn looks_at_less(&self, then: &Document) -> Option<&'static str> {
        let bounds = |claim: &serde_json::Value| {
            let mut claim = claim.clone();
            // What orders may do is no bound, and what has changed is said below.
            claim.as_object_mut().into_iter().for_each(|claim| {
                claim.remove("memory");
                claim.remove("changed_since");
            });
            claim
        };
        let now = |claim: &Claim| serde_json::to_value(claim).unwrap_or_default();
        let operations = self.matrix.iter().map(|entry| &entry.operations);
        if self.claim.changed_since.is_some() {
            return Some("only what has changed was explored");
        }
        if bounds(&now(&self.claim)) != bounds(&then.claim) {
            return Some("the bounds are others now");
        }
        if !operations.eq(then.matrix.iter().map(|entry| &entry.operations)) {
            return Some("the operations are others now");
        }
        let was_assumed = |now: &crate::Assumption| {
            then.assumptions.iter().any(|then| (&then.kind, &then.r#where) == (&now.kind, &now.r#where))
        };
        // Calls that are kept apart now, say.
        if !self.assumptions.iter().all(was_assumed) {
            return Some("more is assumed now");
        }
        (!self.ledger.is_empty()).then_some("not all was explored")
    }
}

impl Gone {
    /// `data race in insert, list.c:12 (R3)`.
    pub(crate) fn in_words(&self) -> String {
        let kind = FindingKind::named(&self.kind).map_or(self.kind.as_str(), |kind| kind.title());
        format!("{kind} in {}, {}:{} ({})", self.function, self.file, self.line, self.id)
    }
}

impl BaselineUse {
    /// `base.json: 3 known, 1 new`.
    pub(crate) fn in_words(&self) -> String {
        format!("{}: {} known, {} new", self.file, self.known, self.new)
    }

    /// What may be said of what is gone.
    pub(crate) fn gone_in_words(&self) -> String {
        self.open.map_or_else(|| "mended".to_owned(), |why| format!("not found this time, but {why}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Location, NoSources, render_json};

    fn report(failures: usize) -> Report {
        let mut report = Report::new("check", Claim::default());
        report.sources = vec!["a.c".to_owned()];
        let at = |line| Location { file: "a.c".to_owned(), line, function: "f".to_owned(), ..Location::default() };
        let lines = 1..=failures as u32;
        report.findings = lines.map(|line| Finding::new(FindingKind::Assertion, at(line))).collect();
        report.describe(&NoSources);
        report
    }

    fn baseline(failures: usize) -> Baseline {
        Baseline::parse("base.json", &render_json(&report(failures))).expect("a report of this version")
    }

    #[test]
    fn as_many_that_say_the_same_are_known_as_there_were() {
        for (before, now, expected) in [(1, 1, (1, 0, 0)), (1, 2, (1, 1, 0)), (2, 1, (1, 0, 1)), (0, 1, (0, 1, 0))] {
            let mut report = report(now);
            report.compare(&baseline(before));
            let compared = report.baseline.expect("it was compared");
            assert_eq!((compared.known, compared.new, compared.gone.len()), expected, "{before} {now}");
        }
    }

    #[test]
    fn what_is_gone_is_mended_only_if_no_more_is_assumed() {
        let gone = |kind: Option<&str>| {
            let mut report = report(0);
            let assumed = |kind: &str| crate::Assumption { kind: kind.to_owned(), ..crate::Assumption::default() };
            report.assumptions.extend(kind.map(assumed));
            report.compare(&baseline(1));
            report.baseline.and_then(|compared| compared.open)
        };
        assert_eq!((gone(None), gone(Some("exclusive"))), (None, Some("more is assumed now")));
    }
}
