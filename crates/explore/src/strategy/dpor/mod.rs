//! Which threads have to be scheduled first (dynamic partial-order reduction: Flanagan and Godefroid, POPL 2005), on top of
//! sleep sets.
//!
//! Sleep sets alone execute each trace once, but begin many that they then cut: every thread is tried at every scheduling point. Here
//! only one is, and another when what followed shows that it matters: when a thread comes to an action that depends on an
//! earlier one of another thread, and was not ordered behind it, it is tried there as well.
//!
//! - The last such action is not all: what a section accesses may depend on those of others before it, so that with the
//!   last one out of its way it depends on nothing any more. All that are not ordered behind each other count. (Of two
//!   threads that is the last.)
//! - Nor need the thread itself be who goes first instead: what it does may depend on what a third one did in between. Whoever
//!   can begin what is done without that action is tried too (source sets: Abdulla et al., POPL 2014), for the thread may be
//!   asleep.
//! - An action that could not be carried out at that point for the same reason as later (its lock was held) is not what
//!   the two are unordered about: an earlier one is looked for, that which took the lock. But where a signal or a post was what was
//!   missing, that need not have to do with the earlier action: whoever can begin without this one is tried.
//! - What a critical section is that may be a single step ([`machine::State::closed_block`]) is known when it has been gone through:
//!   then it is looked for what it depends on. A thread that never comes to that is taken to depend on all that was done
//!   with its lock. A thread that was tried, and turns out to do what was explored before, leaves it to others to be tried; those that
//!   sleep then are taken to depend on as much.
//! - Where a run is cut (it repeats itself, the process exits while others live or nobody waited for their ends, an assumption fails), what the others would have done is not
//!   known: everything is tried on the way there.
//!
//! Guarantee: each trace that sleep sets alone would complete is completed (and once). What is left of a search that is put
//! aside is all that was not tried yet.

mod points;

use crate::run::prefix::Prefixes;
use crate::strategy::node::{Left, Mark, Node, Turns};
use crate::strategy::sleep::SleepSets;
use crate::strategy::{Scheduled, SchedulingPoint, Strategy, Threads};
use crate::trace::event::{Event, begins_block};
use concurrency::{Action, ThreadId};
use machine::{Decision, Engine, State};
use points::Points;

/// Only threads of which what follows shows that it matters are tried at a scheduling point.
#[derive(Debug)]
pub(crate) struct SourceSets {
    sleep: SleepSets,
    points: Points,
}

impl SourceSets {
    pub(crate) fn new(sleep: SleepSets) -> Self {
        SourceSets { sleep, points: Points::default() }
    }

    /// Schedules a thread; those `before` have been tried. An atomic block joins the past when it has been gone through.
    fn successor(&self, engine: &mut Engine, node: Node, next: (ThreadId, Action), before: &Threads) -> Node {
        let mut node = self.sleep.successor(engine, node, next, before);
        if node.mark.entered.is_none() {
            node.mark.past = node.mark.past.then(next.0, Event::new(next.1));
        }
        node
    }
}

impl Strategy for SourceSets {
    fn is_over(&self) -> bool {
        self.sleep.is_over()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        let mut node = self.sleep.frontier.pop(engine)?;
        match std::mem::take(&mut node.turns) {
            Turns::Unknown => Some(node),
            // What an earlier part of the search left: its past is not known here.
            Turns::These(turns) => Some(self.sleep.take_turn(engine, node, turns)),
            Turns::Backtracking => {
                let (next, before) = self.points.next(node.mark.past.length())?;
                let successor = self.successor(engine, node.clone(), next, &before);
                self.sleep.frontier.push(Node { turns: Turns::Backtracking, ..node });
                Some(successor)
            }
        }
    }

    fn push(&mut self, node: Node) {
        self.sleep.push(node);
    }

    fn choice(&mut self, engine: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        if decisions.is_empty() {
            self.cut();
        }
        self.sleep.choice(engine, node, thread, decisions);
    }

    fn schedule(&mut self, engine: &mut Engine, mut node: Node, point: &SchedulingPoint) -> Scheduled {
        let awake = SleepSets::awake(engine, &mut node, point);
        let past = &node.mark.past;
        let pending = || point.pending.iter().filter_map(|&(thread, action, enabled)| Some((thread, action?, enabled)));
        for (thread, action, enabled) in pending() {
            // What an atomic block is will be seen, if it comes to that.
            let will_be_seen = enabled || !awake.is_empty();
            if !(self.sleep.atomic_blocks && begins_block(&action) && will_be_seen) {
                self.points.note(past, thread, &Event::new(action));
            }
        }
        if !awake.is_empty() {
            self.points.begin(past.length(), pending(), &awake);
        }
        match &*awake {
            [] if SleepSets::all_asleep(point, &awake) => return Scheduled::AllAsleep(Box::new(node.state)),
            [] => {}
            // Nobody else can be tried here, whatever follows.
            &[only] => {
                let successor = self.successor(engine, node, only, &Threads::new());
                self.sleep.push(successor);
            }
            _ => self.sleep.push(Node { turns: Turns::Backtracking, ..node }),
        }
        Scheduled::Somebody
    }

    fn stepped(&mut self, engine: &mut Engine, state: &mut State, mark: &mut Mark, thread: ThreadId) -> bool {
        let Some(entered) = mark.entered.take_if(|entered| entered.thread == thread) else { return true };
        let event = Event::with(entered.action, state.closed_block());
        self.points.note(&mark.past, thread, &event);
        if !SleepSets::end_block(engine, state, mark, entered, &event) {
            if entered.here {
                self.points.want_others(&mark.past);
            }
            return false;
        }
        if entered.here {
            mark.past = mark.past.then(thread, event);
        }
        true
    }

    fn cut(&mut self) {
        self.points.want_all();
    }

    fn left(&mut self, engine: &mut Engine) -> Vec<Left> {
        let (mut all, mut prefixes) = (Vec::new(), Prefixes::default());
        for (node, rest) in self.sleep.frontier.drain().collect::<Vec<_>>() {
            if !matches!(node.turns, Turns::Backtracking) {
                all.push(Left::of(node, rest, &mut prefixes));
                continue;
            }
            // Whoever goes on from there has a past of its own.
            for (next, before) in self.points.rest(node.mark.past.length()) {
                let successor = self.sleep.successor(engine, node.clone(), next, &before);
                all.push(Left::of(successor, None, &mut prefixes));
            }
        }
        all
    }
}
