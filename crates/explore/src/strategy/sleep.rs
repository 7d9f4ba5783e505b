//! Sleep sets (Godefroid 1996): threads that need not go first, because all that follows if they do has been explored.
//!
//! After the executions that begin with one thread's action have been explored, that action sleeps in the branches of the
//! others until a dependent action wakes it, so that each Mazurkiewicz trace is completed once. Runs that end with every
//! enabled action asleep are redundant. Choices (branches on terms, targets of lazy pointers) happen between visible actions;
//! they commute with other threads' actions as everything invisible does, so the sleep sets are simply inherited.
//!
//! With atomic blocks ([`machine::State::closed_block`]) it shows only at the end of a critical section what it depends on: until
//! then its thread sleeps on the condition that the block conflicts with none that others have gone through since.

use crate::run::frontier::Frontier;
use crate::run::prefix::Prefixes;
use crate::strategy::node::{Entered, Left, Mark, Node, Turns, TurnsLeft};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy, Threads};
use crate::trace::event::{Event, begins_block};
use concurrency::{Action, ThreadId};
use machine::{Decision, Engine, State};

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

    /// The shortest runs first.
    pub(crate) fn breadth_first(self) -> Self {
        SleepSets { frontier: Frontier::breadth_first(), ..self }
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
        awake.retain(|&mut (thread, _)| !mark.sleep.is_asleep(thread));
        awake.sort_by_key(|&(thread, _)| mark.sleep.may_be_asleep(thread));
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
            self.frontier.push_next(Node { turns: Turns::These(left), ..node.clone() });
        }
        self.successor(engine, node, next, &before)
    }

    /// A thread has come to the end of a step that may have been an atomic block: it is known now what sleeps behind it. False if
    /// the block was explored before. A block is over when the lock is given back, which happens next.
    pub(crate) fn end_block(
        engine: &mut Engine,
        state: &mut State,
        mark: &mut Mark,
        entered: Entered,
        event: &Event,
    ) -> bool {
        let Some(sleep) = std::mem::take(&mut mark.sleep).after(entered.thread, event) else { return false };
        if event.block.is_some() {
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

    fn choice(&mut self, _: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
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
        let event = Event::with(entered.action, state.closed_block());
        Self::end_block(engine, state, mark, entered, &event)
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        let mut prefixes = Prefixes::default();
        self.frontier.drain().map(|(node, rest)| Left::of(node, rest, &mut prefixes)).collect()
    }
}
