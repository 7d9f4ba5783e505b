//! Sleep sets (Godefroid 1996): threads that need not go first, because all that follows if they do has been explored.

use concurrency::{Action, Footprint, SyncOp, ThreadId};
use machine::State;
use memory::Fingerprint;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// What a thread did in one step.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub action: Action,
    /// Of a critical section that was a single step.
    pub section: Option<Arc<Footprint>>,
}

impl Event {
    pub(crate) fn new(action: Action) -> Self {
        Event { action, section: None }
    }

    /// With what was accessed in the section that the action begins, if that was a single step.
    pub(crate) fn with(action: Action, section: Option<&Rc<Footprint>>) -> Self {
        Event { action, section: section.map(|footprint| Arc::new((**footprint).clone())) }
    }

    /// Whether the order of two steps of different threads matters.
    pub(crate) fn dependent(&self, other: &Event) -> bool {
        self.action.dependent(&other.action)
            && match (&self.section, &other.section) {
                (Some(one), Some(two)) => one.conflicts(two),
                _ => true,
            }
    }
}

/// Whether an action begins a critical section, which may turn out to be a single step.
pub(crate) fn begins_section(action: &Action) -> bool {
    matches!(action, Action::Sync { op: SyncOp::Lock | SyncOp::ReadLock | SyncOp::WriteLock, .. })
}

/// A thread that sleeps.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Sleeper {
    pub thread: ThreadId,
    pub action: Action,
    /// What the action begins would have to be a section that conflicts with none of these, which others have gone through
    /// since then. Where there are any it has to be tried.
    dozes: Vec<Arc<Footprint>>,
}

impl Sleeper {
    /// What it sleeps on, by names that all executions share. What a part of the search need not try depends on all of it.
    pub(crate) fn identity(&self, state: &State) -> Fingerprint {
        let mut dozes = Fingerprint::default();
        self.dozes.iter().for_each(|section| dozes.add(state.footprint_identity(section)));
        Fingerprint::of((state.action_identity(self.thread, &self.action), dozes))
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
    pub(crate) fn holds(&self, thread: ThreadId) -> bool {
        self.0.iter().any(|sleeper| sleeper.thread == thread && sleeper.dozes.is_empty())
    }

    /// Whether it depends on what a thread is about to do whether that need be tried.
    pub(crate) fn dozes(&self, thread: ThreadId) -> bool {
        self.0.iter().any(|sleeper| sleeper.thread == thread && !sleeper.dozes.is_empty())
    }

    /// With threads that have been tried now.
    pub(crate) fn and(mut self, tried: &[(ThreadId, Action)]) -> Sleep {
        self.0.retain(|sleeper| tried.iter().all(|(thread, _)| *thread != sleeper.thread));
        self.0.extend(tried.iter().map(|&(thread, action)| Sleeper { thread, action, dozes: Vec::new() }));
        self
    }

    /// After a thread's step; none if what it did was explored before.
    pub(crate) fn after(mut self, thread: ThreadId, event: &Event) -> Option<Sleep> {
        if let Some(own) = self.0.iter().position(|sleeper| sleeper.thread == thread) {
            let own = self.0.remove(own);
            let slept_on = |section: &Arc<Footprint>| own.dozes.iter().all(|other| !other.conflicts(section));
            if event.section.as_ref().is_some_and(slept_on) {
                return None;
            }
        }
        self.0.retain(|sleeper| {
            if !sleeper.action.dependent(&event.action) {
                return true;
            }
            let Some(section) = event.section.as_ref().filter(|_| begins_section(&sleeper.action)) else {
                return false;
            };
            if !sleeper.dozes.contains(section) {
                sleeper.dozes.push(Arc::clone(section));
            }
            true
        });
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use concurrency::{AccessKind, Place, Range};
    use memory::ObjId;

    fn lock(object: usize) -> Action {
        Action::Sync { op: SyncOp::Lock, place: Place { object: ObjId::new(object), offset: 0 } }
    }

    fn section(object: usize, byte: u64, kind: AccessKind) -> Event {
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
        assert!(asleep.holds(a));
        let dozing = asleep.after(b, &section(0, 8, AccessKind::Write)).unwrap();
        assert!(!dozing.holds(a) && dozing.dozes(a), "what A does in its section is not known yet");
        assert!(dozing.clone().after(a, &section(0, 9, AccessKind::Write)).is_none(), "it commutes with what B did");
        assert!(dozing.clone().after(a, &section(0, 8, AccessKind::Read)).is_some(), "it reads what B wrote");
        assert!(dozing.after(a, &Event::new(lock(0))).is_some(), "it is no single step");
    }

    #[test]
    fn other_steps_wake_or_leave_alone() {
        let (a, b) = ids();
        let asleep = Sleep::default().and(&[(a, lock(0))]);
        assert!(asleep.clone().after(b, &section(1, 8, AccessKind::Write)).unwrap().holds(a), "another lock");
        let awake = asleep.clone().after(b, &Event::new(lock(0))).unwrap();
        assert!(!awake.holds(a) && !awake.dozes(a), "a section of the same lock that is no single step");
        let again = asleep.after(b, &section(0, 8, AccessKind::Write)).unwrap().and(&[(a, lock(0))]);
        assert!(again.holds(a), "tried since then");
    }
}
