//! What kept an inconclusive run from its claim, largest first, and the flag that would change it.

use crate::{LedgerLine, Report, Verdict};
use serde::Serialize;
use std::collections::BTreeMap;

/// Shortfalls that a report names.
const MOST: usize = 3;

/// The flags that remedies may name: those that commands take, and which command takes each. A remedy that names anything
/// else is advice, not a flag.
pub const FLAGS: &[(&str, &[&str])] = &[
    ("--array", &["check", "races", "gpu", "cover", "synth"]),
    ("--client-calls", &["races"]),
    ("--depth", &["check", "races", "gpu"]),
    ("--globals", &["races", "gpu"]),
    ("--max-memory", &["check", "races", "gpu", "cover", "synth"]),
    ("--max-threads", &["check", "races", "cover", "synth"]),
    ("--max-time", &["check", "races", "gpu", "cover", "synth"]),
    ("--memory", &["check", "races", "gpu", "cover", "synth"]),
    ("--preemptions", &["check", "races", "gpu"]),
    ("--require", &["races"]),
    ("--roots", &["races"]),
    ("--search", &["races"]),
    ("--shared", &["gpu"]),
    ("--unroll", &["check", "races", "gpu", "cover", "synth"]),
    ("--valid", &["races", "gpu"]),
];

/// One kind of loss.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Shortfall {
    /// As in the ledger.
    pub kind: String,
    /// How often, everywhere.
    pub count: u64,
    /// In how many places.
    pub places: usize,
    /// Where most often.
    pub r#where: String,
    /// The flag that would change it, with its value where one is known: `--unroll 128`.
    pub flag: Option<String>,
    /// What the ledger says there.
    pub remedy: String,
}

/// The largest shortfalls of an inconclusive report, most frequent first; none of others.
pub(crate) fn of(report: &Report) -> Vec<Shortfall> {
    if report.verdict != Verdict::Inconclusive {
        return Vec::new();
    }
    let mut kinds: BTreeMap<&str, Vec<&LedgerLine>> = BTreeMap::new();
    for line in &report.ledger {
        kinds.entry(&line.kind).or_default().push(line);
    }
    let mut shortfalls: Vec<Shortfall> = kinds.values().filter_map(|lines| shortfall(&report.command, lines)).collect();
    // Stable: equal counts stay in alphabetical order.
    shortfalls.sort_by_key(|shortfall| std::cmp::Reverse(shortfall.count));
    shortfalls.truncate(MOST);
    shortfalls
}

/// Of one kind.
fn shortfall(command: &str, lines: &[&LedgerLine]) -> Option<Shortfall> {
    let mut most = *lines.first()?;
    for line in lines {
        if line.count > most.count {
            most = line;
        }
    }
    let mut wheres: Vec<&str> = lines.iter().map(|line| line.r#where.as_str()).collect();
    wheres.sort_unstable();
    wheres.dedup();
    let flags = lines.iter().filter_map(|line| flag(command, &line.remedy));
    Some(Shortfall {
        kind: most.kind.clone(),
        count: lines.iter().map(|line| line.count).sum(),
        places: wheres.len(),
        r#where: most.r#where.clone(),
        // The largest value is the one that changes all of them.
        flag: flags.max().map(|Named { name, value }| match value {
            Value::None => name,
            Value::Number(number) => format!("{name} {number}"),
            Value::Word(word) => format!("{name}={word}"),
        }),
        remedy: most.remedy.clone(),
    })
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Named {
    name: String,
    value: Value,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    None,
    Number(u64),
    Word(String),
}

/// The first flag in a remedy that the command takes.
fn flag(command: &str, remedy: &str) -> Option<Named> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '=';
    let mut words = remedy.split_whitespace().map(|word| word.trim_matches(|c| !is_part(c))).peekable();
    while let Some(word) = words.next() {
        let (name, given) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let taken = FLAGS.iter().any(|(flag, commands)| *flag == name && commands.contains(&command));
        if taken {
            let next = words.peek().and_then(|next| next.parse().ok());
            let value = given.map(|word| Value::Word(word.to_owned())).or(next.map(Value::Number));
            return Some(Named { name: name.to_owned(), value: value.unwrap_or(Value::None) });
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Claim, Finding, FindingKind, Location};

    fn line(kind: &str, place: &str, count: u64, remedy: &str) -> LedgerLine {
        LedgerLine { kind: kind.into(), r#where: place.into(), count, remedy: remedy.into() }
    }

    fn report(command: &str, ledger: Vec<LedgerLine>) -> Report {
        let mut report = Report { ledger, ..Report::new(command, Claim::default()) };
        report.finish();
        report
    }

    #[test]
    fn the_three_most_frequent_kinds_are_named() {
        let report = report(
            "races",
            vec![
                line("time", "f and g", 1, "--max-time with a larger value"),
                line("loop_bound", "a.c:3", 2, "--unroll 128"),
                line("loop_bound", "a.c:9", 5, "--unroll 64"),
                line("external_call", "a.c:4", 9, "`fork` has no body and no model"),
                line("weak_memory", "a.c:7", 2, "--memory=sc, if sequential consistency may be assumed"),
            ],
        );
        let shown: Vec<_> = report
            .shortfalls
            .iter()
            .map(|c| (c.kind.as_str(), c.count, c.places, c.r#where.as_str(), c.flag.as_deref()))
            .collect();
        assert_eq!(
            shown,
            [
                ("external_call", 9, 1, "a.c:4", None),
                ("loop_bound", 7, 2, "a.c:9", Some("--unroll 128")),
                ("weak_memory", 2, 1, "a.c:7", Some("--memory=sc")),
            ]
        );
    }

    #[test]
    fn flags_of_other_commands_and_of_nobody_are_no_flags() {
        let named = |command: &str, remedy: &str| {
            report(command, vec![line("vacuous", "f", 1, remedy)]).shortfalls[0].flag.clone()
        };
        assert_eq!(named("races", "larger ones may: --depth or --array"), Some("--depth".to_owned()));
        assert_eq!(named("races", "--globals=symbolic covers it"), Some("--globals=symbolic".to_owned()));
        assert_eq!(named("check", "--globals=symbolic covers it"), None);
        assert_eq!(named("check", "--frobnicate 3"), None);
        assert_eq!(named("check", "please report this program"), None);
    }

    #[test]
    fn only_inconclusive_reports_have_shortfalls() {
        let mut report = Report::new("check", Claim::default());
        report.ledger.push(line("time", "main", 1, "--max-time with a larger value"));
        report.findings.push(Finding::new(FindingKind::Assertion, Location::default()));
        report.finish();
        assert!(report.shortfalls.is_empty());
    }
}
