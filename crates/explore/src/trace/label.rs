//! What threads did, by words that all executions and processes share.
//!
//! A thread is called by its name, which says who created it; an object of the initial heap by the path to it, and any other by its
//! address, which does not depend on what other threads did in between.

use concurrency::{Action, Place, Range, ThreadId};
use machine::{Decision, Outcome, State, Step};
use memory::{Fingerprint, Names, ObjId};
use std::collections::BTreeMap;

/// What tells an event from others.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Label {
    /// The thread's name.
    thread: Fingerprint,
    /// Events of the thread up to this one.
    number: u64,
    pub action: Canonical,
    outcome: Outcome,
}

/// A visible action that was carried out.
#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub thread: ThreadId,
    pub action: Action,
    pub label: Label,
}

/// What threads did and what was decided in between, in the order of an execution.
#[derive(Clone, Debug)]
pub(crate) enum Happened {
    Event(Labelled),
    /// In the course of a thread's event with this number; 0: before its first.
    Decision(ThreadId, u64, Decision),
    /// The thread ended the process.
    Exit(ThreadId),
}

/// All of an execution.
pub(crate) fn happened(state: &State, names: &Names) -> Vec<Happened> {
    let mut counts: BTreeMap<ThreadId, u64> = BTreeMap::new();
    let steps = state.history.steps().into_iter();
    let happened = |step: Step| match step {
        Step::Decide(thread, decision) => {
            Some(Happened::Decision(thread, counts.get(&thread).copied().unwrap_or(0), decision))
        }
        // These commute with everything.
        Step::Grant(_, Action::Join(_) | Action::Pass(_), _) | Step::Schedule(_) => None,
        Step::Grant(thread, Action::Exit, _) => Some(Happened::Exit(thread)),
        Step::Grant(thread, action, outcome) => {
            let number = counts.entry(thread).or_default();
            *number += 1;
            let (thread_name, number) = (Fingerprint::of(name(state, thread)), *number);
            let label = Label { thread: thread_name, number, action: canonical(state, names, &action), outcome };
            Some(Happened::Event(Labelled { thread, action, label }))
        }
    };
    steps.filter_map(happened).collect()
}

/// What all executions call a thread.
pub(crate) fn name(state: &State, thread: ThreadId) -> &str {
    &state.thread(thread).name
}

/// What is done, to what.
pub(crate) type Canonical = (u8, u64, u64, u64);

/// The action with names or addresses in place of object numbers, which depend on the order of allocations.
pub(crate) fn canonical(state: &State, names: &Names, action: &Action) -> Canonical {
    let base = |object: ObjId| match names.get(object) {
        // What an initial object's address is depends on when it was reached.
        Some(name) => Fingerprint::of(name).0 as u64,
        None => state.memory.object(object).address,
    };
    let at = |p: &Place| base(p.object).wrapping_add(p.offset);
    let named = |thread: &ThreadId| Fingerprint::of(name(state, *thread)).0 as u64;
    match action {
        Action::Sync { op, place } => (1, at(place), *op as u64, 0),
        Action::Wait { condition, mutex } => (2, at(condition), at(mutex), 0),
        Action::Wake { condition, mutex, .. } => (3, at(condition), at(mutex), 0),
        // What a copy reads besides is told by the instruction.
        Action::Access { range: Range { object, offset, size }, write, .. } => {
            (4, base(*object).wrapping_add(*offset), *size, u64::from(*write))
        }
        Action::Join(thread) => (5, named(thread), 0, 0),
        Action::TryJoin { thread, .. } => (8, named(thread), 0, 0),
        // Who comes last is a matter of the order.
        Action::Arrive { barrier, round, .. } => (9, at(barrier), u64::from(*round), 0),
        Action::Pass(barrier) => (10, at(barrier), 0, 0),
        Action::AtomicBegin => (11, 0, 0, 0),
        Action::Exit => (6, 0, 0, 0),
        Action::Leave => (7, 0, 0, 0),
        Action::GiveUp { condition } => (12, at(condition), 0, 0),
    }
}
