//! Atomic operations in the graph of their execution, where it is asked what weak orders allow ([`crate::rc11`]).

use super::atomic::place;
use super::{StepCx, run};
use crate::rc11::{Asked, Atomic, Outcome, Said, Unordered};
use crate::state::has_handlers;
use crate::{Disorder, LossKind, Remedy, Stop, Weak};
use ::memory::{Pointer, Value};
use ir::{Reg, Ty};
use smallvec::{SmallVec, smallvec};
use std::sync::atomic::Ordering;

/// What an atomic operation did.
#[derive(Clone, Copy)]
pub(super) struct Operation {
    pub at: Pointer,
    pub ty: Ty,
    pub reads: bool,
    pub writes: Option<Value>,
    pub is_seq_cst: bool,
    /// What the place held before.
    pub held: Option<Value>,
    /// Where what is read goes, if nothing else is done with it.
    pub dest: Option<Reg>,
}

/// Whether it is asked what weaker orders allow.
pub(super) fn is_asked(cx: &StepCx) -> bool {
    cx.engine.config.weak == Weak::Ask && cx.state.concurrent
}

/// An operation has been carried out: what else could have come of it, and its place in the graph of the execution.
pub(super) fn note_in_graph(cx: &mut StepCx, done: Operation, other: Option<&Exchanged>) {
    if !is_asked(cx) {
        return;
    }
    let size = cx.size(done.ty);
    let atomic =
        Atomic { place: place(done.at), size, reads: done.reads, writes: done.writes, is_seq_cst: done.is_seq_cst };
    let memory = &cx.state.memory;
    let number = |value: Value| memory.number(value);
    let known = other.map(|other| (other.expected, number(other.expected), other.may_fail));
    // Only an exchange that compares wants to know what stood there.
    let written = if other.is_some() { cx.state.values_written(atomic.place, done.held) } else { Vec::new() };
    let held_numbers: Vec<(Value, Option<u64>)> = written.into_iter().map(|value| (value, number(value))).collect();
    let outcomes = |value: Option<Value>| -> SmallVec<[Outcome; 2]> {
        let Some((expected, expected_number, may_fail)) = known else {
            return smallvec![match (done.reads, done.writes) {
                (true, Some(_)) => Outcome::Updates,
                (true, None) => Outcome::Reads,
                _ => Outcome::Writes,
            }];
        };
        let number = value.and_then(|value| held_numbers.iter().find(|held| held.0 == value)?.1);
        let is_equal = match (value == Some(expected), number.zip(expected_number)) {
            (true, _) => Some(true),
            (false, Some((a, b))) => Some(a == b),
            (false, None) => None,
        };
        match is_equal {
            Some(true) if !may_fail => smallvec![Outcome::Updates],
            Some(false) => smallvec![Outcome::Reads],
            _ => smallvec![Outcome::Updates, Outcome::Reads],
        }
    };
    // An exchange that failed might have come out as one that does not.
    let asked = Atomic {
        writes: other.map(|other| other.new).or(atomic.writes),
        is_seq_cst: other.map_or(atomic.is_seq_cst, |other| other.success_seq_cst),
        ..atomic
    };
    let reads_seq_cst = other.map_or(atomic.is_seq_cst, |other| other.failure_seq_cst);
    let asked = Asked { atomic: asked, reads_seq_cst, held: done.held, outcomes: &outcomes };
    let (thread, site) = (cx.thread.id, cx.exact_site());
    let said = cx.state.ask_of_atomic(thread, site, &asked);
    cx.state.note_atomic(thread, atomic);
    match said {
        Said::Nothing => {}
        Said::Unseen => cx.note(
            LossKind::WeakMemory,
            "something else than an atomic operation beside other threads has written what stands here: what weak orders allow of that was not looked for",
        ),
        Said::Mixed => cx.note(
            LossKind::WeakMemory,
            "atomic accesses of other sizes share bytes with this one: what its order allows was not looked for",
        ),
        // To look again adds nothing (docs/soundness.md, 11c).
        Said::Unordered(Unordered { seen, .. }) if seen.iter().all(|&value| only_looks_again(cx, done.dest, value)) => {}
        Said::Unordered(Unordered { missed, circle, .. }) => {
            let location = missed.and_then(|site| cx.program.site_location(site));
            let missed = location.map(|at| cx.program.module[at].line);
            cx.note(LossKind::WeakMemory, Remedy::Orders(Disorder { sees: done.reads, missed, circle }));
            if let Some(disordered) = &cx.engine.disordered {
                disordered.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// What the place holds, where that is asked for and can be said.
pub(super) fn held(cx: &mut StepCx, at: Pointer, ty: Ty) -> Option<Value> {
    if !is_asked(cx) {
        return None;
    }
    let size = cx.size(ty);
    cx.read(at, size).ok()
}

/// What else might come of a compare-and-exchange.
pub(super) struct Exchanged {
    pub expected: Value,
    pub new: Value,
    /// It may fail though it finds what is expected.
    pub may_fail: bool,
    pub success_seq_cst: bool,
    pub failure_seq_cst: bool,
}

/// Whether a thread that reads this comes back to where it is, with nothing changed, by no other visible action.
fn only_looks_again(cx: &mut StepCx, dest: Option<Reg>, value: Option<Value>) -> bool {
    let Some((dest, value)) = dest.zip(value) else { return false };
    // What a handler is given may be in a register that nothing else reads.
    if has_handlers(cx.thread) {
        return false;
    }
    let (site, depth) = (cx.exact_site(), cx.thread.frames.len());
    let before = cx.own_fingerprint();
    let (mut state, mut thread) = (cx.state.clone(), cx.thread.clone());
    // What was come to before is no reason to stop; and nothing of this has happened.
    state.seen = Default::default();
    thread.passed = Default::default();
    let (ledger, statistics, sighted) = (cx.engine.ledger.clone(), cx.engine.statistics, cx.engine.sightings.len());
    let comes_back = {
        let mut round = StepCx { engine: &mut *cx.engine, state: &mut state, thread: &mut thread, program: cx.program };
        round.bind(dest, value);
        round.thread.granted = false;
        round.thread.settled.clear();
        round.thread.frame_mut().inst += 1;
        let is_visible = matches!(run(&mut round), Stop::Visible(_));
        let is_there = is_visible && round.thread.frames.len() == depth && round.exact_site() == site;
        is_there && round.own_fingerprint() == before
    };
    cx.engine.ledger = ledger;
    cx.engine.statistics = statistics;
    cx.engine.sightings.truncate(sighted);
    comes_back
}
