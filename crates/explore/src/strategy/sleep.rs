//! Sleep sets (Godefroid 1996): threads that need not go first, because all that follows if they do has been explored.
//!
//! After the executions that begin with one thread's action have been explored, that action sleeps in the branches of the
//! others until a dependent action wakes it, so that each Mazurkiewicz trace is completed once. Runs that end with every
//! enabled action asleep are redundant. Choices (branches on terms, targets of lazy pointers) happen between visible actions;
//! they commute with other threads' actions as everything invisible does, so the sleep sets are simply inherited.
//!
//! With atomic blocks ([`machine::State::fused`]) it shows only at the end of a critical section what it depends on: what
//! sleeps then is a section on condition that it conflicts with none that others have gone through since.

use crate::run::frontier::Frontier;
use crate::run::prefix::Prefixes;
use crate::strategy::node::{Entered, Left, Mark, Node, Turns, TurnsLeft};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy, Threads};
use crate::trace::event::{Event, begins_block};
use concurrency::{Action, Footprint, ThreadId};
use machine::{Decision, Engine, State};
use memory::Fingerprint;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

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
            let Some(section) = event.section.as_ref().filter(|_| begins_block(&sleeper.action)) else {
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

/// Every thread that does not sleep is tried at every scheduling point.
#[derive(Debug)]
pub(crate) struct SleepSets {
    pub frontier: Frontier<Node>,
    /// Critical sections may be single steps.
    pub atomic_blocks: bool,
}

impl SleepSets {
    pub(crate) fn new(atomic_blocks: bool) -> Self {
        SleepSets { frontier: Frontier::new(), atomic_blocks }
    }

    /// What an action comes to may have changed since it was put to sleep.
    pub(crate) fn bring_up_to_date(node: &mut Node) {
        let Node { state, mark, .. } = node;
        mark.sleep.iter_mut().for_each(|sleeper| sleeper.action = state.at_this_moment(sleeper.thread, sleeper.action));
    }

    /// Threads that can go on and are to be tried, in the order in which they are.
    pub(crate) fn awake(engine: &Engine, node: &mut Node, point: &SchedulingPoint) -> Threads {
        Self::bring_up_to_date(node);
        let Node { state, mark, .. } = node;
        let enabled = point.pending.iter().filter(|pending| pending.2);
        let mut awake: Threads = enabled.filter_map(|&(thread, action, _)| Some((thread, action?))).collect();
        awake.retain(|&mut (thread, _)| !mark.sleep.holds(thread));
        awake.sort_by_key(|&(thread, _)| mark.sleep.dozes(thread));
        if let Some(preference) = point.preference {
            let program = &engine.program;
            let site = |thread: ThreadId| program.site(program.own_frame(state.thread(thread)));
            preference.sort(&mut awake, mark.granted, &site);
        }
        awake
    }

    /// Whether somebody can go on, but none of those that can is to be tried.
    pub(crate) fn all_asleep(point: &SchedulingPoint, awake: &Threads) -> bool {
        awake.is_empty() && point.pending.iter().any(|pending| pending.2)
    }

    /// Schedules a thread that stands before an action; those `before` have been tried.
    pub(crate) fn successor(
        &self,
        engine: &mut Engine,
        node: Node,
        (thread, action): (ThreadId, Action),
        before: &[(ThreadId, Action)],
    ) -> Node {
        let Node { mut state, mark: Mark { sleep, past, granted, .. }, .. } = node;
        let sleep = sleep.and(before);
        engine.grant(&mut state, thread);
        let mark = Mark { past, granted: granted + 1, ..Mark::default() };
        let mark = if self.atomic_blocks && begins_block(&action) {
            Mark { sleep, entered: Some(Entered { thread, action, here: true }), ..mark }
        } else {
            Mark { sleep: sleep.after(thread, &Event::new(action)).unwrap_or_default(), ..mark }
        };
        Node::on(state, mark)
    }

    /// The next of the threads that are left at a scheduling point.
    pub(crate) fn take_turn(&mut self, engine: &mut Engine, mut node: Node, turns: TurnsLeft) -> Node {
        let (next, before, left) = turns.take();
        node.turns = Turns::Unknown;
        if let Some(left) = left {
            self.frontier.push(Node { turns: Turns::These(left), ..node.clone() });
        }
        self.successor(engine, node, next, &before)
    }

    /// A thread has come to the end of its step: what sleeps after it, and whether it was no atomic block that was explored
    /// before. Where the step is one, the thread gives its lock back next.
    pub(crate) fn enter(
        engine: &mut Engine,
        state: &mut State,
        mark: &mut Mark,
        entered: Entered,
        event: &Event,
    ) -> bool {
        let Some(sleep) = std::mem::take(&mut mark.sleep).after(entered.thread, event) else { return false };
        if event.section.is_some() {
            engine.grant(state, entered.thread);
        }
        mark.sleep = sleep;
        true
    }
}

impl Strategy for SleepSets {
    fn is_over(&self) -> bool {
        self.frontier.is_empty()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        let mut node = self.frontier.pop(engine)?;
        match std::mem::take(&mut node.turns) {
            Turns::These(turns) => Some(self.take_turn(engine, node, turns)),
            Turns::Unknown | Turns::Backtracking => Some(node),
        }
    }

    fn push(&mut self, node: Node) {
        self.frontier.push(node);
    }

    fn choice(&mut self, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        self.frontier.push_choice(node, thread, decisions);
    }

    fn schedule(&mut self, engine: &mut Engine, mut node: Node, point: &SchedulingPoint) -> Scheduled {
        let awake = Self::awake(engine, &mut node, point);
        if Self::all_asleep(point, &awake) {
            return Scheduled::AllAsleep(Box::new(node.state));
        }
        if !awake.is_empty() {
            self.frontier.push(Node { turns: Turns::These(TurnsLeft::new(awake)), ..node });
        }
        Scheduled::Somebody
    }

    fn stepped(&mut self, engine: &mut Engine, state: &mut State, mark: &mut Mark, thread: ThreadId) -> bool {
        let Some(entered) = mark.entered.take_if(|entered| entered.thread == thread) else { return true };
        let event = Event::with(entered.action, state.fused());
        Self::enter(engine, state, mark, entered, &event)
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        let mut prefixes = Prefixes::default();
        self.frontier.drain().map(|(node, rest)| Left::of(node, rest, &mut prefixes)).collect()
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
