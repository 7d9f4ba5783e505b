//! The text of a test file: directives (`//@`) and annotations (`//~`), without their meaning for a report.
//!
//! Guarantee: what is not understood is an error with its line, never skipped: a misspelt expectation would pass.
//! A `.ll` file uses `;@` and `;~`, which LLVM takes for comments.

use std::collections::{BTreeMap, BTreeSet};

use super::expect::{Expectations, Expected, RaceEnd, RaceExpectation};
use super::observed::Access;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct DirectiveError {
    pub file: String,
    pub line: u32,
    pub message: String,
}

/// What one file says.
#[derive(Debug, Clone, Default)]
pub struct TestFile {
    /// The words of `run:`, command first; empty in files that only accompany another.
    pub run: Vec<String>,
    pub revisions: Vec<String>,
    pub also: Vec<String>,
    pub timeout_seconds: Option<u64>,
    pub known_gap: Option<String>,
    tsan_silent: Vec<ForRevisions<String>>,
    flags: Vec<ForRevisions<Vec<String>>>,
    clang: Vec<ForRevisions<Vec<String>>>,
    annotations: Vec<ForRevisions<Annotation>>,
}

#[derive(Debug, Clone)]
struct ForRevisions<T> {
    /// Empty: for all.
    revisions: Vec<String>,
    line: u32,
    value: T,
}

impl<T> ForRevisions<T> {
    fn concerns(&self, revision: Option<&str>) -> bool {
        self.revisions.is_empty() || revision.is_some_and(|name| self.revisions.iter().any(|own| own == name))
    }
}

#[derive(Debug, Clone)]
enum Annotation {
    /// A race whose other end is named by a label or stands on the same line or on a given one.
    Race {
        labels: Vec<String>,
        kinds: Vec<Access>,
        with: Option<(Option<String>, u32)>,
    },
    Other(Expected),
    Executions(u64),
    Paths(u64),
    Shapes(u64),
    Entries(u64),
    Unconfirmed(u64),
    Ledger(BTreeSet<String>),
    ShapeKind(String),
}

/// Reads the directives and annotations of `text`; `file` is only for messages.
pub fn parse(file: &str, text: &str) -> Result<TestFile, DirectiveError> {
    let comment = if file.ends_with(".ll") { ";" } else { "//" };
    let (directive, annotation) = (format!("{comment}@"), format!("{comment}~"));
    let mut parsed = TestFile::default();
    for (line, content) in (1u32..).zip(text.lines()) {
        let fail = |message: String| DirectiveError { file: file.to_owned(), line, message };
        if let Some(rest) = content.trim_start().strip_prefix(&directive) {
            parsed.directive(line, rest).map_err(fail)?;
            continue;
        }
        let mut parts = content.split(annotation.as_str());
        parts.next();
        for part in parts {
            parsed.annotation(file, line, part).map_err(fail)?;
        }
    }
    parsed.check_revisions(file)?;
    Ok(parsed)
}

impl TestFile {
    /// Flags for raddle under `revision`, those of `run:` not included.
    pub fn flags(&self, revision: Option<&str>) -> Vec<String> {
        words_for(&self.flags, revision)
    }

    /// Flags for the compiler under `revision`, its own -D not included.
    pub fn clang_flags(&self, revision: Option<&str>) -> Vec<String> {
        words_for(&self.clang, revision)
    }

    /// Why ThreadSanitizer cannot show the races of `revision`, if it cannot.
    pub fn tsan_silent(&self, revision: Option<&str>) -> Option<&str> {
        self.tsan_silent.iter().find(|entry| entry.concerns(revision)).map(|entry| entry.value.as_str())
    }

    /// What this file (named `file` in reports) expects under `revision`, added to `into`.
    pub fn expect_into(
        &self,
        file: &str,
        revision: Option<&str>,
        into: &mut Expectations,
    ) -> Result<(), DirectiveError> {
        let mut ends: BTreeMap<&str, Vec<RaceEnd>> = BTreeMap::new();
        for note in self.annotations.iter().filter(|note| note.concerns(revision)) {
            let fail = |message: String| DirectiveError { file: file.to_owned(), line: note.line, message };
            let here = |kind: Option<Access>| RaceEnd { file: file.to_owned(), line: note.line, kind };
            match &note.value {
                Annotation::Race { labels, kinds, with } if labels.is_empty() => {
                    into.races.push(unlabelled_race(kinds, with.as_ref(), &here).map_err(fail)?);
                }
                Annotation::Race { labels, kinds, .. } => {
                    for label in labels {
                        ends.entry(label).or_default().push(here(kinds.first().copied()));
                    }
                }
                Annotation::Other(expected) => into.others.push(expected.clone()),
                Annotation::Executions(count) => into.executions = Some(*count),
                Annotation::Paths(count) => into.paths = Some(*count),
                Annotation::Shapes(count) => into.shapes = Some(*count),
                Annotation::Entries(count) => into.entries = Some(*count),
                Annotation::Unconfirmed(count) => into.unconfirmed = *count,
                Annotation::Ledger(kinds) => into.ledger = Some(kinds.clone()),
                Annotation::ShapeKind(kind) => into.shape_kind = Some(kind.clone()),
            }
        }
        for (label, found) in ends {
            let [one, other] = found.as_slice() else {
                let line = found.first().map_or(0, |end| end.line);
                let message = format!("the pair `{label}` has {} end(s) here; it needs two", found.len());
                return Err(DirectiveError { file: file.to_owned(), line, message });
            };
            into.races.push(RaceExpectation::Pair(one.clone(), other.clone()));
        }
        Ok(())
    }

    fn directive(&mut self, line: u32, rest: &str) -> Result<(), String> {
        let (revisions, rest) = split_revisions(rest)?;
        let (key, value) = rest.split_once(':').ok_or_else(|| format!("expected `key: value` in `{}`", rest.trim()))?;
        let (key, value) = (key.trim(), value.trim());
        let words = || value.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match key {
            "flags" => self.flags.push(ForRevisions { revisions, line, value: words() }),
            "clang" => self.clang.push(ForRevisions { revisions, line, value: words() }),
            "tsan-silent" => self.tsan_silent.push(ForRevisions { revisions, line, value: value.to_owned() }),
            _ if !revisions.is_empty() => return Err(format!("`{key}` cannot depend on the revision")),
            "run" if !self.run.is_empty() => return Err("a second `run`".to_owned()),
            "run" if value.is_empty() => return Err("`run` names no command".to_owned()),
            "run" => self.run = words(),
            "revisions" => self.revisions = words(),
            "also" => self.also.extend(words()),
            "timeout" => {
                let seconds = value.parse().map_err(|_| format!("`{value}` is no number of seconds"))?;
                self.timeout_seconds = Some(seconds);
            }
            "known-gap" => self.known_gap = Some(value.to_owned()),
            other => return Err(format!("unknown directive `{other}`")),
        }
        Ok(())
    }

    fn annotation(&mut self, file: &str, line: u32, text: &str) -> Result<(), String> {
        let rest = text.trim_start_matches('^');
        let up = u32::try_from(text.len() - rest.len()).map_err(|_| "too many `^`".to_owned())?;
        let concerned = line.checked_sub(up).filter(|line| *line > 0).ok_or("`^` points above the file")?;
        let (revisions, rest) = split_revisions(rest)?;
        for value in parse_annotation(file, concerned, rest.trim())? {
            self.annotations.push(ForRevisions { revisions: revisions.clone(), line: concerned, value });
        }
        Ok(())
    }

    fn check_revisions(&self, file: &str) -> Result<(), DirectiveError> {
        // A file without `run:` takes the revisions of the one that it accompanies.
        if self.run.is_empty() {
            return Ok(());
        }
        let flags = self.flags.iter().chain(&self.clang).map(|entry| (&entry.revisions, entry.line));
        let notes = self.annotations.iter().map(|entry| (&entry.revisions, entry.line));
        let silent = self.tsan_silent.iter().map(|entry| (&entry.revisions, entry.line));
        for (revisions, line) in flags.chain(notes).chain(silent) {
            if let Some(unknown) = revisions.iter().find(|name| !self.revisions.contains(name)) {
                let message = format!("unknown revision `{unknown}`");
                return Err(DirectiveError { file: file.to_owned(), line, message });
            }
        }
        Ok(())
    }
}

fn words_for(entries: &[ForRevisions<Vec<String>>], revision: Option<&str>) -> Vec<String> {
    entries.iter().filter(|entry| entry.concerns(revision)).flat_map(|entry| entry.value.iter().cloned()).collect()
}

fn unlabelled_race(
    kinds: &[Access],
    with: Option<&(Option<String>, u32)>,
    here: &dyn Fn(Option<Access>) -> RaceEnd,
) -> Result<RaceExpectation, String> {
    let mine = here(kinds.first().copied());
    let other_kind = kinds.get(1).copied();
    match (with, other_kind) {
        (Some((file, line)), _) => {
            let file = file.clone().unwrap_or_else(|| mine.file.clone());
            Ok(RaceExpectation::Pair(mine, RaceEnd { file, line: *line, kind: other_kind }))
        }
        (None, Some(_)) => {
            let other = here(other_kind);
            Ok(RaceExpectation::Pair(mine, other))
        }
        (None, None) => Ok(RaceExpectation::Line(mine)),
    }
}

/// `[a,b]` at the start of `text`, and the rest.
fn split_revisions(text: &str) -> Result<(Vec<String>, &str), String> {
    let Some(inner) = text.strip_prefix('[') else { return Ok((Vec::new(), text)) };
    let (names, rest) = inner.split_once(']').ok_or("`[` without `]`")?;
    let names: Vec<String> = names.split([',', ' ']).filter(|name| !name.is_empty()).map(str::to_owned).collect();
    if names.is_empty() { Err("`[]` names no revision".to_owned()) } else { Ok((names, rest)) }
}

fn parse_annotation(file: &str, line: u32, text: &str) -> Result<Vec<Annotation>, String> {
    let (word, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let rest = rest.trim();
    let (word, labels) = match word.split_once('@') {
        Some((word, labels)) => (word, labels.split(',').map(str::to_owned).collect()),
        None => (word, Vec::new()),
    };
    if !labels.is_empty() && word != "RACE" {
        return Err(format!("`{word}` takes no label"));
    }
    let one = |expected| Ok(vec![Annotation::Other(expected)]);
    match word {
        "RACE" => parse_race(labels, rest).map(|race| vec![race]),
        "SAFE" | "FINDINGS" | "INCONCLUSIVE" => parse_verdict(word, rest),
        "EXIT" => one(Expected::Exit(rest.parse().map_err(|_| format!("`{rest}` is no exit code"))?)),
        "ERROR" if rest.is_empty() => Err("`ERROR` needs a part of the message".to_owned()),
        "ERROR" => one(Expected::Error { file: file.to_owned(), line, message: rest.to_owned() }),
        "VACUOUS" => one(Expected::Vacuous(calls(rest)?)),
        "DROPPED" => {
            let (operation, at_bound) = match rest.strip_suffix(" for want of depth") {
                Some(operation) => (operation, true),
                None => (rest, false),
            };
            one(Expected::Dropped { operation: calls(operation)?, at_bound })
        }
        "CLASSES" => one(Expected::Classes(rest.split(',').map(|class| class.trim().to_owned()).collect())),
        "FAILS_SERIALLY" => one(Expected::FailsSerially(rest.to_owned())),
        "SEQUENTIAL" if rest.is_empty() => Err("`SEQUENTIAL` needs a kind".to_owned()),
        "SEQUENTIAL" => one(Expected::Sequential { kind: rest.to_owned(), file: file.to_owned(), line }),
        "CAUSE" | "CONTRACT" if rest.is_empty() => Err(format!("`{word}` needs a title")),
        "CAUSE" | "CONTRACT" => one(Expected::Cause { title: rest.to_owned(), of_callers: word == "CONTRACT" }),
        "REMEDY" if rest.is_empty() => Err("`REMEDY` needs a part of what is said".to_owned()),
        "REMEDY" => one(Expected::Remedy { part: rest.to_owned(), file: file.to_owned(), line }),
        "REFUSED" if rest.is_empty() => Err("`REFUSED` needs a part of what is said".to_owned()),
        "REFUSED" => one(Expected::Refused { part: rest.to_owned(), file: file.to_owned(), line }),
        "CONDITION" if rest.is_empty() => Err("`CONDITION` needs what is inferred".to_owned()),
        "CONDITION" => one(Expected::Condition(rest.to_owned())),
        "ASSUMED" if rest.is_empty() => Err("`ASSUMED` needs a kind".to_owned()),
        "ASSUMED" => one(Expected::Assumed(rest.to_owned())),
        "PAIR" => match rest.split_whitespace().collect::<Vec<_>>().as_slice() {
            [one_op, other, verdict] => one(Expected::Pair {
                operations: vec![(*one_op).to_owned(), (*other).to_owned()],
                verdict: (*verdict).to_owned(),
            }),
            _ => Err("expected `PAIR operation operation verdict`".to_owned()),
        },
        "TOGETHER" => {
            let (threads, verdict) =
                rest.rsplit_once(": ").ok_or("expected `TOGETHER calls, calls, ...: verdict`".to_owned())?;
            let operations: Result<Vec<String>, String> = threads.split(", ").map(calls).collect();
            one(Expected::Pair { operations: operations?, verdict: verdict.to_owned() })
        }
        _ => parse_finding(file, line, word, rest).map(|expected| vec![Annotation::Other(expected)]),
    }
}

/// `insert`, or `insert; search`.
fn calls(text: &str) -> Result<String, String> {
    let is_name = |name: &str| !name.is_empty() && !name.contains(char::is_whitespace);
    match text.split("; ").all(is_name) {
        true => Ok(text.to_owned()),
        false => Err(format!("expected an operation, or several with `; ` between them, found `{text}`")),
    }
}

fn parse_race(labels: Vec<String>, rest: &str) -> Result<Annotation, String> {
    let mut words = rest.split_whitespace();
    let mut word = words.next();
    let mut kinds = Vec::new();
    if let Some(first) = word.filter(|word| *word != "with") {
        for name in first.split('/') {
            let kind = Access::ALL.into_iter().find(|kind| kind.name() == name);
            kinds.push(kind.ok_or_else(|| format!("unknown access `{name}`"))?);
        }
        word = words.next();
    }
    let mut with = None;
    if let Some(found) = word {
        let place = words.next().filter(|_| found == "with").ok_or_else(|| format!("cannot read `RACE {rest}`"))?;
        let (file, number) = match place.split_once(':') {
            Some((file, number)) => (Some(file.to_owned()), number),
            None => (None, place),
        };
        with = Some((file, number.parse().map_err(|_| format!("`{place}` is no line"))?));
    }
    if words.next().is_some() || kinds.len() > 2 {
        return Err(format!("cannot read `RACE {rest}`"));
    }
    if !labels.is_empty() && (kinds.len() > 1 || with.is_some()) {
        return Err("an end with a label has one access of its own; the other end says the other".to_owned());
    }
    Ok(Annotation::Race { labels, kinds, with })
}

fn parse_verdict(word: &str, rest: &str) -> Result<Vec<Annotation>, String> {
    let mut notes = vec![Annotation::Other(match word {
        "SAFE" => Expected::Safe,
        "FINDINGS" => Expected::Findings,
        _ => Expected::Inconclusive,
    })];
    for item in rest.split_whitespace() {
        let (key, value) = item.split_once('=').ok_or_else(|| format!("expected `key=value`, found `{item}`"))?;
        let count = || value.parse::<u64>().map_err(|_| format!("`{value}` is no count"));
        notes.push(match key {
            "executions" => Annotation::Executions(count()?),
            "paths" => Annotation::Paths(count()?),
            "shapes" => Annotation::Shapes(count()?),
            "entries" => Annotation::Entries(count()?),
            "unconfirmed" if word != "SAFE" => Annotation::Unconfirmed(count()?),
            "ledger" if word != "SAFE" => {
                Annotation::Ledger(value.split(',').filter(|kind| !kind.is_empty()).map(str::to_owned).collect())
            }
            "shape" if word == "FINDINGS" => Annotation::ShapeKind(value.to_owned()),
            _ => return Err(format!("`{word}` has no `{key}`")),
        });
    }
    Ok(notes)
}

/// The kinds of findings that stand at one line; a data race has two and is an annotation of its own.
const LOCATED_KINDS: [&str; 17] = [
    "assertion",
    "barrier_divergence",
    "foreign_access",
    "misaligned_access",
    "scope_error",
    "deadlock",
    "null_dereference",
    "out_of_bounds",
    "use_after_free",
    "double_free",
    "invalid_free",
    "division_by_zero",
    "lock_misuse",
    "overlapping_copy",
    "uninitialized_read",
    "unreachable_reached",
    "memory_leak",
];

fn parse_finding(file: &str, line: u32, word: &str, rest: &str) -> Result<Expected, String> {
    let kind = word.to_ascii_lowercase();
    if word.is_empty() || word != kind.to_ascii_uppercase() || !LOCATED_KINDS.contains(&kind.as_str()) {
        return Err(format!("unknown annotation `{word}`"));
    }
    let mut inputs = Vec::new();
    for item in rest.split_whitespace() {
        let names = item.strip_prefix("inputs=").ok_or_else(|| format!("`{word}` has no `{item}`"))?;
        inputs.extend(names.split(',').map(str::to_owned));
    }
    Ok(Expected::Finding { kind, file: file.to_owned(), line, inputs })
}
