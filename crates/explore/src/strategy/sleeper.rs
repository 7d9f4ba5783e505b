//! Threads that need not go first, and what wakes them.

use crate::trace::event::{Event, begins_block};
use concurrency::{Action, Footprint, ThreadId};
use machine::State;
use memory::Fingerprint;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// A thread that sleeps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Sleeper {
    pub thread: ThreadId,
    pub action: Action,
    /// Atomic blocks that others have gone through since then. The thread sleeps on if its own step turns out to be a block
    /// that conflicts with none of them, which is not known before it has run: so where there are any, it has to be tried.
    passed: Vec<Arc<Footprint>>,
}

impl Sleeper {
    /// What it sleeps on, by names that all executions share. What a part of the search need not try depends on all of it.
    pub(crate) fn identity(&self, state: &State) -> Fingerprint {
        let mut passed = Fingerprint::default();
        self.passed.iter().for_each(|block| passed.add(state.footprint_identity(block)));
        Fingerprint::of((state.action_identity(self.thread, &self.action), passed))
    }
}

/// Those that sleep at some moment.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Sleep(SmallVec<[Sleeper; 4]>);

impl Sleep {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Sleeper> {
        self.0.iter()
    }

    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut Sleeper> {
        self.0.iter_mut()
    }

    /// Whether a thread need not be tried.
    pub(crate) fn is_asleep(&self, thread: ThreadId) -> bool {
        self.0.iter().any(|sleeper| sleeper.thread == thread && sleeper.passed.is_empty())
    }

    /// Whether a thread sleeps on a condition, which shows only when it is tried.
    pub(crate) fn may_be_asleep(&self, thread: ThreadId) -> bool {
        self.0.iter().any(|sleeper| sleeper.thread == thread && !sleeper.passed.is_empty())
    }

    /// With threads that have been tried now.
    pub(crate) fn and(mut self, tried: &[(ThreadId, Action)]) -> Sleep {
        self.0.retain(|sleeper| tried.iter().all(|(thread, _)| *thread != sleeper.thread));
        self.0.extend(tried.iter().map(|&(thread, action)| Sleeper { thread, action, passed: Vec::new() }));
        self
    }

    /// After a thread's step; none if what it did was explored before.
    pub(crate) fn after(mut self, thread: ThreadId, event: &Event) -> Option<Sleep> {
        if let Some(own) = self.0.iter().position(|sleeper| sleeper.thread == thread) {
            let own = self.0.remove(own);
            let slept_on = |block: &Arc<Footprint>| own.passed.iter().all(|other| !other.conflicts(block));
            if event.block.as_ref().is_some_and(slept_on) {
                return None;
            }
        }
        self.0.retain(|sleeper| {
            if !sleeper.action.dependent(&event.action) {
                return true;
            }
            let Some(block) = event.block.as_ref().filter(|_| begins_block(&sleeper.action)) else {
                return false;
            };
            if !sleeper.passed.contains(block) {
                sleeper.passed.push(Arc::clone(block));
            }
            true
        });
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use concurrency::{AccessKind, Place, Range, SyncOp};
    use memory::ObjId;
    use std::rc::Rc;

    fn lock(object: usize) -> Action {
        Action::Sync { op: SyncOp::Lock, place: Place { object: ObjId::new(object), offset: 0 } }
    }

    fn block(object: usize, byte: u64, kind: AccessKind) -> Event {
        let range = Range { object: ObjId::new(object), offset: byte, size: 1 };
        Event::with(lock(object), Some(&Rc::new(Footprint::new([(range, kind)]))))
    }

    fn ids() -> (ThreadId, ThreadId) {
        (ThreadId::new(1), ThreadId::new(2))
    }

    #[test]
    fn who_does_what_commutes_with_all_since_was_explored() {
        let (a, b) = ids();
        let asleep = Sleep::default().and(&[(a, lock(0))]);
        assert!(asleep.is_asleep(a));
        let in_doubt = asleep.after(b, &block(0, 8, AccessKind::Write)).unwrap();
        assert!(!in_doubt.is_asleep(a) && in_doubt.may_be_asleep(a), "what A does in its section is not known yet");
        assert!(in_doubt.clone().after(a, &block(0, 9, AccessKind::Write)).is_none(), "it commutes with what B did");
        assert!(in_doubt.clone().after(a, &block(0, 8, AccessKind::Read)).is_some(), "it reads what B wrote");
        assert!(in_doubt.after(a, &Event::new(lock(0))).is_some(), "it is no single step");
    }

    #[test]
    fn other_steps_wake_or_leave_alone() {
        let (a, b) = ids();
        let asleep = Sleep::default().and(&[(a, lock(0))]);
        assert!(asleep.clone().after(b, &block(1, 8, AccessKind::Write)).unwrap().is_asleep(a), "another lock");
        let awake = asleep.clone().after(b, &Event::new(lock(0))).unwrap();
        assert!(!awake.is_asleep(a) && !awake.may_be_asleep(a), "a section of the same lock that is no single step");
        let again = asleep.after(b, &block(0, 8, AccessKind::Write)).unwrap().and(&[(a, lock(0))]);
        assert!(again.is_asleep(a), "tried since then");
    }
}
