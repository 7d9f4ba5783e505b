//! Names that all executions share, as numbers: of threads and objects, whose own numbers depend on the order in which they came to be.

use super::label::name;
use concurrency::{Action, Place, Range, SyncOp, ThreadId};
use machine::{State, Step};
use memory::ObjId;
use rustc_hash::FxHashMap;

/// A thread, by the order in which their names became known.
pub(crate) type Who = usize;

/// Numbers in the order in which names become known.
#[derive(Debug, Default)]
pub(crate) struct Canon {
    threads: FxHashMap<Box<str>, Who>,
    /// By address, which does not depend on what other threads did in between.
    objects: FxHashMap<u64, ObjId>,
    /// Of objects, by number.
    addresses: Vec<u64>,
}

impl Canon {
    pub(crate) fn who(&mut self, state: &State, thread: ThreadId) -> Who {
        let name = name(state, thread);
        if let Some(&known) = self.threads.get(name) {
            return known;
        }
        let next = self.threads.len();
        self.threads.insert(name.into(), next);
        next
    }

    /// What a thread is called.
    pub(crate) fn name(&self, who: Who) -> &str {
        self.threads.iter().find(|(_, known)| **known == who).map_or("", |(name, _)| name)
    }

    /// The number that this thread has in a state, if it exists there.
    pub(crate) fn thread(&self, state: &State, who: Who) -> Option<ThreadId> {
        state.thread_ids().find(|&thread| self.threads.get(name(state, thread)) == Some(&who))
    }

    /// The object's number here.
    pub(crate) fn object(&mut self, state: &State, object: ObjId) -> ObjId {
        self.object_at(state.memory.object(object).address)
    }

    /// The number of the object at an address.
    pub(crate) fn object_at(&mut self, address: u64) -> ObjId {
        let next = ObjId::new(self.addresses.len());
        let number = *self.objects.entry(address).or_insert(next);
        if number == next {
            self.addresses.push(address);
        }
        number
    }

    /// Where the object of a number stands.
    pub(crate) fn address(&self, object: ObjId) -> u64 {
        self.addresses[object.index()]
    }

    /// The action without the numbers of one execution, and without what others do about it: how many have arrived at a barrier.
    pub(crate) fn action(&mut self, state: &State, action: &Action) -> Action {
        let mut object = |object: ObjId| self.object(state, object);
        let mut place = |place: Place| Place { object: object(place.object), offset: place.offset };
        match *action {
            Action::Sync { op, place: at } => Action::Sync { op, place: place(at) },
            Action::Wait { condition, mutex } => Action::Wait { condition: place(condition), mutex: place(mutex) },
            Action::Wake { condition, mutex, timed } => {
                Action::Wake { condition: place(condition), mutex: place(mutex), timed }
            }
            Action::GiveUp { condition } => Action::GiveUp { condition: place(condition) },
            Action::Arrive { barrier, round, .. } => Action::Arrive { barrier: place(barrier), round, last: false },
            Action::Pass(barrier) => Action::Pass(place(barrier)),
            Action::Access { range, write, also, expects } => {
                let mut bytes = |range: Range| Range { object: object(range.object), ..range };
                Action::Access { range: bytes(range), write, also: also.map(bytes), expects }
            }
            Action::Join(thread) => Action::Join(ThreadId::new(self.who(state, thread))),
            Action::TryJoin { thread, timed } => {
                Action::TryJoin { thread: ThreadId::new(self.who(state, thread)), timed }
            }
            Action::AtomicBegin | Action::Leave | Action::Exit => *action,
        }
    }

    /// The barrier at which a thread has just arrived, and in which round.
    pub(crate) fn round_completed(&self, state: &State, thread: ThreadId) -> Option<(Place, u32)> {
        let steps = state.history.backwards();
        let mut own =
            steps.filter(|step| matches!(step, Step::Grant(who, ..) | Step::Decide(who, _) if *who == thread));
        match own.next()? {
            Step::Grant(_, Action::Arrive { barrier, round, .. }, _) => {
                let object = *self.objects.get(&state.memory.object(barrier.object).address)?;
                Some((Place { object, offset: barrier.offset }, *round))
            }
            _ => None,
        }
    }
}

/// An action that depends on all that this one depends on at some moment: what it is exactly is a matter of the moment.
pub(crate) fn at_any_moment(action: Action) -> Action {
    match action {
        Action::Access { range, also, expects: Some(_), .. } => {
            Action::Access { range, write: true, also, expects: None }
        }
        Action::Arrive { barrier, .. } => Action::Sync { op: SyncOp::Destroy, place: barrier },
        other => other,
    }
}
