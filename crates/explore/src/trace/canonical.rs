//! Mazurkiewicz traces: when two executions are the same up to the order of independent actions.

use crate::trace::label::{Canonical, Happened, Labelled, happened, name};
use concurrency::{Action, ThreadId};
use machine::{Backtrace, Decision, Engine, State, Status};
use memory::{Fingerprint, Names, ObjectKind};
use smt::TermId;
use std::collections::{BTreeMap, BTreeSet};

/// A fingerprint that equal traces share: each event is hashed with the events that it depends on, and with them goes
/// what was decided about the input. Nothing in it may depend on the order of independent actions.
pub(crate) fn fingerprint(engine: &mut Engine, state: &State) -> Fingerprint {
    let names = Names::new(state.memory.shape());
    let mut events: Vec<(ThreadId, Action, Fingerprint)> = Vec::new();
    let mut exits = None;
    let mut last: BTreeMap<ThreadId, (Action, Canonical)> = BTreeMap::new();
    let mut facts: BTreeSet<(TermId, u128)> = BTreeSet::new();
    let mut total = input(engine, state, &names);
    for happened in happened(state, &names) {
        match happened {
            Happened::Exit(thread) => exits = Some(thread),
            Happened::Decision(thread, number, decision) => match decision {
                // Which thread is a barrier's serial one is no matter of who came last.
                Decision::Pick(pick) if let Some((Action::Arrive { .. }, round)) = last.get(&thread) => {
                    total.add(Fingerprint::of((round, pick)));
                }
                // The environment's, in the course of the thread's last action.
                Decision::Pick(pick) => total.add(Fingerprint::of((name(state, thread), number, pick))),
                Decision::Condition { term, holds, .. } => {
                    facts.insert(positive(engine, term, holds));
                }
                Decision::Value { term, value, .. } => {
                    facts.insert((term, value));
                }
                Decision::Null(_) | Decision::NonNull(_) | Decision::Tag(..) | Decision::Target(..) => {}
            },
            Happened::Event(Labelled { thread, action, label }) => {
                let mut past = Fingerprint::default();
                for (other, earlier, hash) in &events {
                    if *other != thread && earlier.dependent(&action) {
                        past.add(*hash);
                    }
                }
                let hash = Fingerprint::of((label, past));
                total.add(hash);
                last.insert(thread, (action, label.action));
                events.push((thread, action, hash));
            }
        }
    }
    if state.memory.shape().pointers().next().is_none() {
        facts.into_iter().for_each(|fact| total.add(Fingerprint::of(fact)));
    } else {
        // Symbols of the initial heap are named by the path on which it was reached first.
        total.add(state.branches());
    }
    if let Some(thread) = exits.or_else(|| survivor(state)) {
        total.add(Fingerprint::of((name(state, thread), "exit")));
    }
    total
}

/// The thread that ended the process, where it was the last one: then that was no action of its own.
fn survivor(state: &State) -> Option<ThreadId> {
    let mut alive = state.thread_ids().filter(|&t| state.thread(t).status != Status::Ended);
    let last = alive.next().filter(|&t| state.thread(t).status == Status::Running);
    last.filter(|_| alive.next().is_none())
}

/// A condition or its negation, the same one whichever was decided.
fn positive(engine: &mut Engine, term: TermId, holds: bool) -> (TermId, u128) {
    let negated = engine.terms.not(term);
    if negated < term { (negated, u128::from(!holds)) } else { (term, u128::from(holds)) }
}

/// What was decided about the initial heap, and which thread failed where.
fn input(engine: &Engine, state: &State, names: &Names) -> Fingerprint {
    let (shape, module) = (state.memory.shape(), &engine.program.module);
    let mut total = Fingerprint::of(names.canonical(module, shape));
    for (_, pointer) in shape.pointers() {
        // The canonical text does not tell functions apart.
        if let memory::Binding::Target(target) = pointer.decision
            && let ObjectKind::Function(function) = state.memory.object(target.object).kind
        {
            let holder = match pointer.place {
                memory::PointerPlace::Root => Some(pointer.path.clone()),
                memory::PointerPlace::Cell { object, offset } => names.place(module, shape, object, offset),
            };
            total.add(Fingerprint::of((holder, function)));
        }
    }
    for thread in state.thread_ids().filter(|&t| matches!(state.thread(t).status, Status::Stuck(_))) {
        let place = Backtrace::of(&engine.program, state.thread(thread)).place(module);
        total.add(Fingerprint::of((name(state, thread), place)));
    }
    total
}
