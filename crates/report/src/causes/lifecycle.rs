//! Operations that make or end an object that others take: what these race with on it has one cause.

use super::code;
use super::subject::{self, field, object_type};
use super::title::functions;
use crate::words::list;
use crate::{Finding, FindingKind, OutOfTurn, Report};
use std::collections::{BTreeMap, BTreeSet};

/// What an operation is for an object that it is passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Lifecycle {
    /// As findings call it.
    pub operation: String,
    /// `struct queue`, or a variable.
    pub object: String,
    pub stage: Stage,
    /// What it does that makes it one: `frees it`.
    pub evidence: &'static str,
    /// `a.c:40`; empty where it is unknown.
    pub at: String,
    /// Operations that take such an object as well.
    pub others: BTreeSet<String>,
    /// Types of which it is passed other objects, on which it may race for other reasons.
    pub apart: BTreeSet<String>,
}

/// Of an object's life.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Begins,
    Ends,
}

impl Lifecycle {
    /// Whether one of two operations is this one, and the other takes the object.
    fn is_of(&self, [one, other]: [&str; 2]) -> bool {
        let both = |own: &str, beside: &str| own == self.operation && self.others.contains(beside);
        both(one, other) || both(other, one)
    }

    /// Whether a finding is a race of this operation with one that takes the object, other than on a variable; or that one's failure.
    fn is_broken_by(&self, finding: &Finding) -> bool {
        let [one, other] = finding.accesses.as_slice() else { return self.is_untimely(finding) };
        let (Some(first), Some(second)) = (&one.operation, &other.operation) else { return false };
        let is_apart = field(finding).is_some_and(|field| self.apart.contains(object_type(&field)));
        one.thread != other.thread && self.is_of([first, second]) && !(one.variable || other.variable) && !is_apart
    }

    /// Whether an operation fails beside this one by using what that has ended, or not set up yet. Whatever fails in this one is a
    /// matter of its own, and so are threads that wait.
    fn is_untimely(&self, finding: &Finding) -> bool {
        let is_fault = !matches!(finding.kind, FindingKind::DataRace | FindingKind::Deadlock | FindingKind::MemoryLeak);
        let name =
            |thread: u32| finding.threads.iter().find(|named| named.thread == thread).map(|named| named.name.as_str());
        let failing = finding.schedule.last().and_then(|step| name(step.thread));
        // Beside threads of the library's own.
        let is_one = |name: &&str| *name == self.operation || self.others.contains(*name);
        let operations: Vec<&str> = finding.threads.iter().map(|thread| thread.name.as_str()).filter(is_one).collect();
        let [one, other] = operations[..] else { return false };
        // One that is called twice at once is no matter of its own either.
        let is_user = failing.is_some_and(|name| name != self.operation) || one == other;
        is_fault && is_user && self.is_of([one, other])
    }
}

/// The operation whose contract a finding breaks, if it does so wherever it shows: of two, the one that ends the object, and the one
/// that frees it.
pub(super) fn broken<'r>(finding: &Finding, report: &'r Report) -> Option<&'r Lifecycle> {
    let all = &report.lifecycles;
    let is_of_callers = |&entry: &usize| match report.matrix.get(entry).map(|entry| entry.operations.as_slice()) {
        Some([one, other]) => all.iter().any(|lifecycle| lifecycle.is_of([one, other])),
        _ => false,
    };
    if !finding.entries.iter().all(is_of_callers) {
        return None;
    }
    let frees = |lifecycle: &Lifecycle| match finding.accesses.as_slice() {
        [one, other] => {
            subject::ending(one, other).is_some_and(|(end, _)| end.operation.as_ref() == Some(&lifecycle.operation))
        }
        _ => false,
    };
    let broken = all.iter().filter(|lifecycle| lifecycle.is_broken_by(finding));
    broken.max_by_key(|lifecycle| (lifecycle.stage, frees(lifecycle)))
}

/// The operation that is called first, if it ends what the other one takes.
pub(super) fn ending<'r>(order: &OutOfTurn, report: &'r Report) -> Option<&'r Lifecycle> {
    let ends = |lifecycle: &&Lifecycle| lifecycle.stage == Stage::Ends && lifecycle.operation == order.first;
    report.lifecycles.iter().find(|lifecycle| ends(lifecycle) && lifecycle.others.contains(&order.then))
}

/// Whether a finding is shown by what makes or ends an object beside another operation that takes it, wherever else it shows.
pub(super) fn is_careless(finding: &Finding, report: &Report) -> bool {
    report.lifecycles.iter().any(|lifecycle| lifecycle.is_broken_by(finding))
}

/// Findings with the operations whose contracts they break.
fn breaking<'r>(findings: &'r [&'r Finding], report: &'r Report) -> impl Iterator<Item = (&'r Finding, &'r Lifecycle)> {
    let out_of_turn = |finding: &Finding| finding.out_of_turn.as_ref().and_then(|order| ending(order, report));
    findings
        .iter()
        .filter_map(move |&finding| Some((finding, broken(finding, report).or_else(|| out_of_turn(finding))?)))
}

/// `` `queue_free` ends a `struct queue` while `push` uses it``.
pub(super) fn title(object: &str, stage: Stage, findings: &[&Finding], report: &Report) -> String {
    let (mut own, mut users) = (BTreeSet::new(), BTreeSet::new());
    for (finding, lifecycle) in breaking(findings, report) {
        own.insert(lifecycle.operation.as_str());
        let racing = finding.accesses.iter().filter_map(|access| access.operation.as_deref());
        let operations = racing.chain(finding.threads.iter().map(|thread| thread.name.as_str()));
        let mut others = operations.filter(|name| *name != lifecycle.operation).peekable();
        // Beside itself.
        users.extend(others.peek().copied().or(Some(lifecycle.operation.as_str())));
    }
    let does = match (stage, own.len()) {
        (Stage::Begins, 1) => "sets up",
        (Stage::Begins, _) => "set up",
        (Stage::Ends, 1) => "ends",
        (Stage::Ends, _) => "end",
    };
    let uses = if users.len() == 1 { "uses" } else { "use" };
    format!("{} {does} a {} while {} {uses} it", functions(&own), code(object), functions(&users))
}

/// What callers have to keep to.
pub(super) fn contract(stage: Stage, findings: &[&Finding], report: &Report) -> String {
    let own: BTreeMap<&str, &Lifecycle> =
        breaking(findings, report).map(|(_, own)| (own.operation.as_str(), own)).collect();
    let does = own.values().map(|Lifecycle { operation, evidence, at, .. }| {
        let at = if at.is_empty() { String::new() } else { format!(" at {at}") };
        format!("{} {evidence}{at}", code(operation))
    });
    let when = match stage {
        Stage::Begins => "nobody may use it before",
        Stage::Ends => "nobody may use it after",
    };
    let flags: Vec<String> = own.keys().map(|name| format!("--exclusive {name}")).collect();
    format!("{}, so {when}. If callers see to that, say so: {}.", list(&does.collect::<Vec<_>>()), flags.join(" "))
}
