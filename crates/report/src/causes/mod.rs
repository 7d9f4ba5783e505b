//! One cause for all findings that one missing order explains.
//!
//! A race that comes first in a finding's schedule may have led to it ([`roots`]); findings that go back to races on the
//! same field, to the end of the same type of object, or to the same circle of locks have one cause ([`subject`]). What
//! accesses to the field hold is said beside it ([`protection`]). So have the races of what makes or ends an object with
//! others that take it ([`lifecycle`]), and those on what only callers pass to several calls ([`passed`]), those of calls
//! that fail one after the other as well ([`out_of_turn`]): these are matters of callers, and come last.
//! Where nothing keeps threads apart that uses objects of a type, races on several of its fields have one cause ([`unprotected`]).
//!
//! Guarantee: each finding of a report belongs to exactly one cause; causes are numbered in the order of their first
//! finding, and the findings themselves stay as they are.
//! Not promised: that mending a cause mends all of its findings.

mod lifecycle;
mod names;
mod out_of_turn;
mod passed;
mod protection;
mod roots;
mod subject;
#[cfg(test)]
mod tests;
mod title;
mod unprotected;

pub use lifecycle::{Lifecycle, Stage};
pub use subject::class_of as field_class;

use crate::{Finding, FindingKind, Report};
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
    /// Remedies that were tried and do not work, or for which there was no time, in a sentence, where none was found that does; beside one that is a last
    /// resort, those for which there was no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// The finding that shows it best.
    pub representative: String,
    /// Callers may well see to it that it does not happen.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub of_callers: bool,
}

/// A change of the program.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Remedy {
    pub text: String,
    /// A unified difference.
    pub patch: Option<String>,
    /// The findings are gone with it.
    pub tried: bool,
    pub kind: RemedyKind,
    pub together: RemedyResults,
}

/// What calls come to at once with a change, against what they come to one after the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemedyResults {
    /// What some order comes to, and all of that.
    Ordered,
    /// Besides, what they come to without the change where nothing races.
    AsBefore,
    /// Something else, which the text tells.
    Possible,
    /// Not all of it was compared.
    NotCompared,
}

/// What kind of change it is; those that come last change most.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemedyKind {
    /// A lock is taken or given back at another place.
    Moved,
    /// A lock that is there is held around accesses.
    Section,
    /// The same, but where it is held already by another name.
    Conditional,
    /// Accesses are made atomic.
    Atomic,
    /// One lock is held around whole operations.
    Operations,
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
    names::unify(report);
    let roots = roots::roots(&report.findings);
    let subjects = by_subject(report, &roots.first);
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
        causes.push(cause(id, &subject, &findings, report));
    }
    for finding in &mut report.suppressed_findings {
        (finding.cause, finding.root) = (None, None);
    }
    report.causes = causes;
}

/// What findings are about, each by its root, what callers have to keep to last; of these, what shows on heaps that are known to be built
/// comes first, and in the order of the first finding.
fn by_subject(report: &Report, roots: &[usize]) -> Vec<(Subject, Vec<usize>)> {
    let mut subjects: Vec<(Subject, Vec<usize>)> = Vec::new();
    let mut known: BTreeMap<Subject, usize> = BTreeMap::new();
    let unprotected = unprotected::types(report);
    for (at, &root) in roots.iter().enumerate() {
        let subject = match subject(report, at, root) {
            Subject::Field(field) => unprotected.of(&report.findings[root], &field),
            other => other,
        };
        let number = *known.entry(subject.clone()).or_insert(subjects.len());
        if number == subjects.len() {
            subjects.push((subject, Vec::new()));
        }
        subjects[number].1.push(at);
    }
    let basis = |members: &[usize]| members.iter().map(|&member| report.findings[member].shape).min();
    subjects.sort_by_key(|(subject, members)| (subject.is_of_callers(), basis(members)));
    subjects
}

/// What a finding is about that goes back to another one. Callers of other operations do not break what those of its root break.
fn subject(report: &Report, finding: usize, root: usize) -> Subject {
    let of = |finding: usize| {
        let finding = &report.findings[finding];
        match lifecycle::broken(finding, report) {
            Some(Lifecycle { object, stage, .. }) => Subject::Lifecycle { object: object.clone(), stage: *stage },
            None => match (passed::object(finding, report), out_of_turn::of_callers(finding)) {
                (Some(object), _) => Subject::Passed(object),
                (None, Some(order)) => match lifecycle::ending(order, report) {
                    Some(Lifecycle { object, stage, .. }) => {
                        Subject::Lifecycle { object: object.clone(), stage: *stage }
                    }
                    None => Subject::OutOfTurn(order.first.clone()),
                },
                (None, None) => Subject::of(finding),
            },
        }
    };
    let (own, root) = (of(finding), of(root));
    if own.is_of_callers() || root.is_of_callers() { own } else { root }
}

fn cause(id: String, subject: &Subject, findings: &[&Finding], report: &Report) -> Cause {
    let of_callers = subject.is_of_callers();
    let of_type = matches!(subject, Subject::Unprotected(_));
    let is_about = |finding: &Finding| of_callers || of_type || Subject::of(finding) == *subject;
    let about: Vec<&Finding> = findings.iter().copied().filter(|finding| is_about(finding)).collect();
    let shown = findings.iter().min_by_key(|finding| worth(finding, is_about(finding), report));
    let kind = match subject {
        Subject::Field(_) | Subject::Passed(_) | Subject::Unprotected(_) => CauseKind::Of(FindingKind::DataRace),
        Subject::Lifetime(_) | Subject::Lifecycle { .. } | Subject::OutOfTurn(_) => CauseKind::Lifetime,
        Subject::Locks(_) => CauseKind::Of(FindingKind::Deadlock),
        Subject::Waits(_) => CauseKind::LostWakeup,
        Subject::Failure { kind, .. } => CauseKind::Of(*kind),
    };
    let field = match subject {
        Subject::Field(field) if !field.is_empty() => Some(field.clone()),
        Subject::Lifetime(object)
        | Subject::Lifecycle { object, .. }
        | Subject::Passed(object)
        | Subject::Unprotected(object) => Some(object.clone()),
        _ => None,
    };
    Cause {
        id,
        kind,
        title: title::title(subject, &about, report),
        protection: match subject {
            Subject::Field(name) if !name.is_empty() => protection::protection(name, &about, &report.guards),
            Subject::Lifecycle { stage, .. } => Some(lifecycle::contract(*stage, &about, report)),
            Subject::Passed(_) => Some(passed::contract(&about)),
            Subject::Unprotected(object) => Some(unprotected::advice(report, object)),
            Subject::OutOfTurn(first) => Some(out_of_turn::contract(first, &about)),
            _ => None,
        },
        field,
        findings: findings.iter().map(|finding| finding.id.clone()).collect(),
        remedies: Vec::new(),
        refused: None,
        representative: shown.map(|finding| finding.id.clone()).unwrap_or_default(),
        of_callers,
    }
}

/// Of findings with one cause, the least is shown: what is confirmed, can be reached, is no careless caller's, is about the cause
/// itself, comes first in its schedule, and takes the fewest steps.
fn worth(finding: &Finding, is_about: bool, report: &Report) -> impl Ord + use<> {
    let is_careless =
        lifecycle::is_careless(finding, report) || !finding.passed.is_empty() || finding.out_of_turn.is_some();
    let (open, root) = (finding.unconfirmed.is_some(), finding.root.is_some());
    (open, finding.shape, is_careless, !is_about, root, finding.schedule.len())
}

/// `` `name` ``.
fn code(name: &str) -> String {
    format!("`{name}`")
}
