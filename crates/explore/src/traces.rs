//! Mazurkiewicz traces: when two executions are the same up to the order of independent actions.

use concurrency::{Action, Place, Range, ThreadId};
use machine::{State, Step};
use memory::{Fingerprint, ObjId};
use std::collections::BTreeMap;

/// A fingerprint that equal traces share: each event is hashed with the events that it depends on.
pub(crate) fn fingerprint(state: &State) -> Fingerprint {
    let mut events: Vec<(ThreadId, Action, Fingerprint)> = Vec::new();
    let mut counts: BTreeMap<ThreadId, u64> = BTreeMap::new();
    let mut total = Fingerprint::default();
    for step in state.trace.steps() {
        let (thread, action) = match step {
            Step::Grant(thread, action) => (thread, action),
            Step::Decide(thread, decision) => {
                // What a thread decides belongs to the event before it.
                total.add(Fingerprint::of((&*state.thread(thread).name, counts.get(&thread), format!("{decision:?}"))));
                continue;
            }
        };
        if let Action::Join(_) = action {
            continue;
        }
        let count = counts.entry(thread).or_default();
        *count += 1;
        let mut past = Fingerprint::default();
        for (other, earlier, hash) in &events {
            if *other != thread && earlier.dependent(&action) {
                past.add(*hash);
            }
        }
        let hash = Fingerprint::of((&*state.thread(thread).name, *count, canonical(state, &action), past));
        total.add(hash);
        events.push((thread, action, hash));
    }
    total
}

/// The action with addresses in place of object numbers, which depend on the order of allocations.
fn canonical(state: &State, action: &Action) -> (u8, u64, u64, u64) {
    let address = |object: ObjId| state.memory.object(object).address;
    let at = |p: &Place| address(p.object).wrapping_add(p.offset);
    match action {
        Action::Sync { op, place } => (1, at(place), *op as u64, 0),
        Action::Wait { condition, mutex } => (2, at(condition), at(mutex), 0),
        Action::Wake { condition, mutex, .. } => (3, at(condition), at(mutex), 0),
        Action::Access { range: Range { object, offset, size }, write } => {
            (4, address(*object).wrapping_add(*offset), *size, u64::from(*write))
        }
        Action::Join(thread) => (5, thread.index() as u64, 0, 0),
        Action::Exit => (6, 0, 0, 0),
    }
}
