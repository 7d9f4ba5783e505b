//! What one thread does by itself, and what is said of heaps that are outside of its precondition.

use super::{AloneEnd, Leaf};
use crate::findings::deadlock::has_one_way;
use crate::model::operation::Sequence;
use concurrency::Place;
use machine::{Backtrace, CodePlace, Decision, Engine, Fault, FaultKind, LossKind, Step};
use memory::{Names, ObjId, Target};
use serde::{Deserialize, Serialize};
use std::fmt;

/// What goes wrong on a heap, and where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reason {
    pub what: String,
    pub at: Option<CodePlace>,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.at.as_ref().map_or(Ok(()), |at| write!(f, " at {at}"))
    }
}

/// A heap that a thread's own run excluded.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Dropped {
    /// In one line.
    pub shape: String,
    pub reason: Reason,
    /// A null pointer is all that is wrong.
    pub is_null: bool,
}

/// What a thread does by itself.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AloneSummary {
    pub kept: u64,
    pub dropped: u64,
    /// Of these, those for following a pointer that is null because the bound on pointer chains leaves nothing for it to
    /// lead to.
    pub at_bound: u64,
    /// Heaps of which the predicate says that they are valid, if there is one, before anything else runs on them.
    pub accepted: u64,
    /// What goes wrong in the predicate, the first time that something does.
    pub predicate_fails: Option<Reason>,
    /// The first for each reason.
    pub examples: Vec<Dropped>,
    /// Not all of its ways were explored.
    pub cut_short: bool,
}

/// Reasons for which an example is kept.
const MOST_EXAMPLES: usize = 8;

impl AloneSummary {
    /// The same where the code stands elsewhere; none where a line is nowhere.
    pub fn moved(&self, to: impl Fn(&CodePlace) -> Option<CodePlace>) -> Option<AloneSummary> {
        let reason = |Reason { what, at }: &Reason| {
            let at = at.as_ref().map(|at| to(at).ok_or(())).transpose().ok()?;
            Some(Reason { what: what.clone(), at })
        };
        let example = |dropped: &Dropped| Some(Dropped { reason: reason(&dropped.reason)?, ..dropped.clone() });
        let examples = self.examples.iter().map(example).collect::<Option<_>>()?;
        let predicate_fails = self.predicate_fails.as_ref().map(|why| reason(why).ok_or(())).transpose().ok()?;
        Some(AloneSummary { examples, predicate_fails, ..self.clone() })
    }

    /// Adds what comes after this.
    pub(crate) fn merge(&mut self, other: &AloneSummary) {
        self.kept += other.kept;
        self.dropped += other.dropped;
        self.at_bound += other.at_bound;
        self.accepted += other.accepted;
        if self.predicate_fails.is_none() {
            self.predicate_fails.clone_from(&other.predicate_fails);
        }
        self.cut_short |= other.cut_short;
        for example in &other.examples {
            self.keep(example.clone());
        }
    }

    fn keep(&mut self, example: Dropped) {
        if self.examples.len() < MOST_EXAMPLES && self.examples.iter().all(|known| known.reason != example.reason) {
            self.examples.push(example);
        }
    }

    pub(super) fn note(&mut self, engine: &Engine, leaf: &Leaf) {
        if leaf.is_valid() {
            self.kept += 1;
            return;
        }
        self.dropped += 1;
        self.at_bound += u64::from(is_at_bound(engine, leaf));
        let Some(reason) = reason(engine, leaf) else { return };
        if self.examples.len() < MOST_EXAMPLES && self.examples.iter().all(|known| known.reason != reason) {
            let (module, shape) = (&engine.program.module, leaf.state.memory.shape());
            let heap: Vec<String> = Names::new(shape).canonical(module, shape).lines().map(str::to_owned).collect();
            let is_null = matches!(&leaf.end, AloneEnd::Faulted(fault) if fault.kind == FaultKind::NullDereference);
            self.examples.push(Dropped { shape: heap.join(", "), reason, is_null });
        }
    }
}

/// Whether the thread followed a pointer that is null only for the bound's sake.
fn is_at_bound(engine: &Engine, leaf: &Leaf) -> bool {
    let AloneEnd::Faulted(Fault { kind: FaultKind::NullDereference, .. }) = &leaf.end else { return false };
    match leaf.state.history.last() {
        Some(&Step::Decide(_, Decision::Null(pointer) | Decision::Target(pointer, Target::Null))) => {
            leaf.state.memory.shape().is_null_at_bound(&engine.program.module, pointer)
        }
        _ => false,
    }
}

/// A heap that is dropped for a thread's misuse of a lock, or because it waits for itself, or for its use of a value that was
/// never set, or of memory that it has freed in the same call, enters the ledger. What
/// heaps look like is the caller's affair, but a lock that a path forgets to take, a variable that it forgets to set, or a
/// thread that the initial heap has no place for, is not.
pub(super) fn note_misuse(engine: &mut Engine, calls: &Sequence, leaf: &Leaf) {
    // Where two pointers lead to what was freed, that is a matter of the heap.
    let is_own = |gone: ObjId| calls.length() == 1 && has_one_way(&leaf.state, Place { object: gone, offset: 0 });
    let (kind, backtrace, what) = match &leaf.end {
        AloneEnd::Faulted(fault) if fault.gone.is_some_and(is_own) => {
            (LossKind::CutByFailure, fault.backtrace.clone(), fault.detail.as_str())
        }
        AloneEnd::Faulted(fault) => match fault.kind {
            FaultKind::LockMisuse => (LossKind::LockMisuse, fault.backtrace.clone(), fault.detail.as_str()),
            FaultKind::UninitializedRead => (LossKind::Uninitialized, fault.backtrace.clone(), fault.detail.as_str()),
            _ => return,
        },
        AloneEnd::Relocks { anyway: true } => {
            let Some(thread) = leaf.state.thread_ids().next() else { return };
            let backtrace = Backtrace::of(&engine.program, leaf.state.thread(thread));
            (LossKind::LockMisuse, backtrace, "it waits for a lock that it holds, for ever")
        }
        _ => return,
    };
    let place = backtrace.place(&engine.program.module);
    let remedy = format!("{} by itself: {what}; heaps on which it does that were not explored", calls.name());
    engine.note(kind, place, remedy);
}

/// Why a leaf is outside of the precondition; none where it is not.
pub(super) fn reason(engine: &Engine, leaf: &Leaf) -> Option<Reason> {
    let module = &engine.program.module;
    let (what, at) = match &leaf.end {
        AloneEnd::Faulted(fault) => (fault.detail.clone(), Some(fault.backtrace.place(module))),
        AloneEnd::Relocks { .. } => {
            let place = |thread| Backtrace::of(&engine.program, leaf.state.thread(thread)).place(module);
            ("takes a lock that it holds".to_owned(), leaf.state.thread_ids().next().map(place))
        }
        AloneEnd::NeverReturns => ("never returns".to_owned(), None),
        AloneEnd::Returned(_) | AloneEnd::Waits | AloneEnd::Outlived(_) => return None,
    };
    Some(Reason { what, at })
}
