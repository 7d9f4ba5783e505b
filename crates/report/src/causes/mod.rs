//! One cause for all findings that one missing order explains.
//!
//! A race that comes first in a finding's schedule may have led to it ([`roots`]); findings that go back to races on the
//! same field, to the end of the same type of object, or to the same circle of locks have one cause ([`subject`]). What
//! accesses to the field hold is said beside it ([`protection`]).
//!
//! Guarantee: each finding of a report belongs to exactly one cause; causes are numbered in the order of their first
//! finding, and the findings themselves stay as they are.
//! Not promised: that mending a cause mends all of its findings.

mod guard;
mod protection;
mod roots;
mod subject;
#[cfg(test)]
mod tests;
mod title;

pub use guard::{Guard, GuardOwner, Guarded, Guards};

use crate::{Finding, FindingKind, Report, ShapeBasis};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use subject::Subject;

/// What is wrong with the program, once for all findings that it explains.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cause {
    /// `C1`, `C2`, ...
    pub id: String,
    pub kind: CauseKind,
    /// A clause, without a full stop.
    pub title: String,
    /// Of races: the field that both accesses touch, without indices; what is freed while it is used, by its type.
    pub field: Option<String>,
    /// Ids, in the order of the report.
    pub findings: Vec<String>,
    /// What accesses to the field hold, in a sentence.
    pub protection: Option<String>,
    /// What would mend it.
    pub remedies: Vec<Remedy>,
    /// The finding that shows it best.
    pub representative: String,
}

/// A change of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Remedy {
    pub text: String,
    /// A unified difference.
    pub patch: Option<String>,
    /// The findings are gone with it.
    pub tried: bool,
}

/// What kind of mistake it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CauseKind {
    /// As its findings are.
    Of(FindingKind),
    /// Races of the end of an object with its uses.
    Lifetime,
    /// Deadlocks in which somebody waits for what nobody does any more.
    LostWakeup,
}

impl CauseKind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            CauseKind::Of(kind) => kind.name(),
            CauseKind::Lifetime => "lifetime",
            CauseKind::LostWakeup => "lost_wakeup",
        }
    }
}

impl Serialize for CauseKind {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// Finds the causes of a report's findings, which are in order and have their ids, and notes in each finding to which it
/// belongs.
pub(crate) fn assign(report: &mut Report) {
    let roots = roots::roots(&report.findings);
    let subjects = by_subject(&report.findings, &roots.first);
    let ids: Vec<String> = report.findings.iter().map(|finding| finding.id.clone()).collect();
    for (finding, before) in report.findings.iter_mut().zip(&roots.before) {
        finding.root = before.map(|root| ids[root].clone());
    }
    let mut causes = Vec::new();
    for (number, (subject, members)) in (1..).zip(subjects) {
        let id = format!("C{number}");
        for &member in &members {
            report.findings[member].cause = Some(id.clone());
        }
        let findings: Vec<&Finding> = members.iter().map(|&member| &report.findings[member]).collect();
        causes.push(cause(id, &subject, &findings, &report.guards));
    }
    for finding in &mut report.suppressed_findings {
        (finding.cause, finding.root) = (None, None);
    }
    report.causes = causes;
}

/// What findings are about, each by its root, in the order of the first finding.
fn by_subject(findings: &[Finding], roots: &[usize]) -> Vec<(Subject, Vec<usize>)> {
    let mut subjects: Vec<(Subject, Vec<usize>)> = Vec::new();
    let mut known: BTreeMap<Subject, usize> = BTreeMap::new();
    for (at, &root) in roots.iter().enumerate() {
        let subject = Subject::of(&findings[root]);
        let number = *known.entry(subject.clone()).or_insert(subjects.len());
        if number == subjects.len() {
            subjects.push((subject, Vec::new()));
        }
        subjects[number].1.push(at);
    }
    subjects
}

fn cause(id: String, subject: &Subject, findings: &[&Finding], guards: &Guards) -> Cause {
    let about: Vec<&Finding> = findings.iter().copied().filter(|finding| Subject::of(finding) == *subject).collect();
    let shown = findings.iter().min_by_key(|finding| worth(finding, subject));
    let kind = match subject {
        Subject::Field(_) => CauseKind::Of(FindingKind::DataRace),
        Subject::Lifetime(_) => CauseKind::Lifetime,
        Subject::Locks(_) => CauseKind::Of(FindingKind::Deadlock),
        Subject::Waits(_) => CauseKind::LostWakeup,
        Subject::Failure { kind, .. } => CauseKind::Of(*kind),
    };
    let field = match subject {
        Subject::Field(field) if !field.is_empty() => Some(field.clone()),
        Subject::Lifetime(object) => Some(object.clone()),
        _ => None,
    };
    let protected = field.as_ref().filter(|_| matches!(subject, Subject::Field(_)));
    Cause {
        id,
        kind,
        title: title::title(subject, &about),
        protection: protected.and_then(|field| protection::protection(field, &about, guards)),
        field,
        findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        remedies: Vec::new(),
        representative: shown.map(|finding| finding.id.clone()).unwrap_or_default(),
    }
}

/// Of findings with one cause, the least is shown: what can be reached, is confirmed, is about the cause itself, comes first
/// in its schedule, and takes the fewest steps.
fn worth(finding: &Finding, subject: &Subject) -> (bool, Option<ShapeBasis>, bool, bool, usize) {
    (
        finding.unconfirmed.is_some(),
        finding.shape,
        Subject::of(finding) != *subject,
        finding.root.is_some(),
        finding.schedule.len(),
    )
}

/// `` `name` ``.
fn code(name: &str) -> String {
    format!("`{name}`")
}

/// `a`, `a and b`, `a, b and c`.
fn list(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [only] => only.clone(),
        [all @ .., last] => format!("{} and {last}", all.join(", ")),
    }
}
