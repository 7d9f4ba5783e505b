//! Scheduling within a bound on preemptions.
//!
//! Sleep sets would lose executions whose equivalents exceed the bound. So all linearisations within the bound are
//! executed, and equal ones counted once. A preemption is a switch away from a thread that could go on by itself: one
//! that waits for a lock, a thread or a signal could not, even if it might time out or wake up spuriously; one whose next
//! instruction fails could. One that goes round could not either, since it comes to nothing new: where a thread has come back to
//! a state, others go on from each scheduling point of that round as if it had been blocked there ([`Stay`]), which is known
//! only when the round is closed; after that, what follows from one state is run once (a thread that yields, in CHESS's fair scheduler: Musuvathi & Qadeer, PLDI 2008). So that every run is one of the program with as many preemptions, a thread runs only when it
//! is scheduled: when a thread begins and when a join returns are scheduled too. Only *between* its visible actions is a
//! thread not preempted, which loses nothing: what is left up to the next visible action can be done before the switch,
//! at no cost.
//!
//! A finding has to be replayed, where every thread runs up to its next visible action at once. If a thread that is delayed
//! here makes a difference then, running it ahead ([`Switches::ahead`]) makes its sites visible, and the next round, which
//! finds everything again, stops before them. (And if threads go in circles until a delayed one begins, the replay is cut:
//! hence the shortest run is kept, which has no circles.)

use crate::run::frontier::Frontier;
use crate::run::next::runnable;
use crate::run::prefix::Prefixes;
use crate::strategy::node::{Left, Mark, Node, Stay, Switches};
use crate::strategy::{Scheduled, SchedulingPoint, Strategy};
use crate::trace::canonical::fingerprint;
use concurrency::ThreadId;
use machine::{Decision, Engine, State, StateKey, Status, Step, Stuck};
use memory::Fingerprint;
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// All linearisations with at most so many preemptions.
#[derive(Debug)]
pub(crate) struct Bounded {
    bound: u32,
    frontier: Frontier<Node>,
    /// Of the executions so far.
    traces: FxHashSet<Fingerprint>,
    /// Where runs have come on which a thread was left that goes round, and with how few preemptions: threads that go round could be left
    /// for each other without end.
    rounds: FxHashMap<RoundKey, u32>,
}

/// A state, who runs, and where it could have been left since it was scheduled.
type RoundKey = (StateKey, Option<ThreadId>, Vec<Option<StateKey>>);

impl Bounded {
    pub(crate) fn new(bound: u32) -> Self {
        Bounded { bound, frontier: Frontier::new(), traces: FxHashSet::default(), rounds: FxHashMap::default() }
    }

    /// Whether all that can follow has been explored already, from an equal state with no more preemptions.
    fn was_here(&mut self, engine: &Engine, state: &State, switches: &Switches) -> bool {
        let key = |state: &State| state.clone().key(&engine.program);
        let Some(here) = key(state) else { return false };
        let stays = std::iter::successors(switches.stay.as_deref(), |stay| stay.before.as_deref());
        let stays = stays.map(|stay| key(&stay.state)).collect();
        let least = self.rounds.entry((here, switches.last, stays)).or_insert(u32::MAX);
        let known = *least <= switches.preemptions;
        *least = switches.preemptions.min(*least);
        known
    }

    /// To be explored: from a scheduling point on, with this thread first.
    fn goes_on(&mut self, engine: &mut Engine, state: &State, thread: ThreadId, switches: Switches) {
        let mut state = state.clone();
        match state.thread(thread).status {
            Status::At(_) => engine.grant(&mut state, thread),
            _ => state.history = state.history.then(Step::Schedule(thread)),
        }
        let switches = Switches { last: Some(thread), ..switches };
        self.frontier.push(Node::on(state, Mark { switches, ..Mark::default() }));
    }
}

impl Strategy for Bounded {
    fn is_over(&self) -> bool {
        self.frontier.is_empty()
    }

    fn next(&mut self, engine: &mut Engine) -> Option<Node> {
        self.frontier.pop(engine)
    }

    fn push(&mut self, node: Node) {
        self.frontier.push(node);
    }

    fn choice(&mut self, _: &mut Engine, node: Node, thread: ThreadId, decisions: Vec<Decision>) {
        self.frontier.push_choice(node, thread, decisions);
    }

    /// Lets each thread go next that can within the bound.
    fn schedule(&mut self, engine: &mut Engine, node: Node, point: &SchedulingPoint) -> Scheduled {
        let Node { state, mark: Mark { switches, .. }, .. } = node;
        if switches.after_round && self.was_here(engine, &state, &switches) {
            return Scheduled::AllAsleep(Box::new(state));
        }
        let Switches { last, preemptions, stay: before, after_round, .. } = switches;
        let left = last.filter(|&last| could_go_on(&state, last));
        let spent = |thread| preemptions + u32::from(left.is_some_and(|left| left != thread));
        let enabled = || point.pending.iter().filter(|pending| pending.2).map(|pending| pending.0);
        let next: SmallVec<[ThreadId; 4]> = enabled().filter(|&thread| spent(thread) <= self.bound).collect();
        let stay = left.map(|left| {
            let others = enabled().filter(|&thread| thread != left).collect();
            Rc::new(Stay { state: state.clone(), others, left: Cell::new(false), before })
        });
        for &thread in next.iter().rev() {
            let stay = stay.clone().filter(|_| left == Some(thread));
            let switches = Switches { preemptions: spent(thread), stay, after_round, ..Switches::default() };
            self.goes_on(engine, &state, thread, switches);
        }
        // The last thread fails, and there is no preemption left to run others.
        match next.is_empty() && enabled().next().is_some() {
            true => Scheduled::BoundReached(Box::new(state)),
            false => Scheduled::Somebody,
        }
    }

    fn runs(&self, engine: &mut Engine, state: &mut State, mark: &Mark) -> Option<ThreadId> {
        let &Switches { last, ahead, .. } = &mark.switches;
        match ahead {
            true => runnable(engine, state),
            false => last.filter(|&last| state.thread(last).status == Status::Running),
        }
    }

    fn is_for_races_only(&self, mark: &Mark) -> bool {
        mark.switches.ahead
    }

    fn came_round(&mut self, engine: &mut Engine, mark: &Mark, since: u64) {
        let mut stay = mark.switches.stay.as_ref().filter(|_| !mark.switches.ahead);
        while let Some(Stay { state, others, left, before }) = stay.map(|stay| &**stay)
            && state.time >= since
        {
            if !left.replace(true) {
                for &thread in others.iter().rev() {
                    let preemptions = mark.switches.preemptions;
                    let switches = Switches { preemptions, after_round: true, ..Switches::default() };
                    self.goes_on(engine, state, thread, switches);
                }
            }
            stay = before.as_ref();
        }
    }

    fn is_new(&mut self, engine: &mut Engine, state: &State) -> bool {
        self.traces.insert(fingerprint(engine, state))
    }

    fn found(&mut self, state: &State) {
        let switches = Switches { ahead: true, ..Switches::default() };
        self.frontier.push(Node::on(state.clone(), Mark { switches, ..Mark::default() }));
    }

    fn difficulty(&self, state: &State) -> (bool, u64) {
        (false, state.time)
    }

    fn left(&mut self, _: &mut Engine) -> Vec<Left> {
        let mut prefixes = Prefixes::default();
        self.frontier.drain().map(|(node, rest)| Left::of(node, rest, &mut prefixes)).collect()
    }
}

/// Whether a thread could go on by itself, without a time-out or a spurious wake-up.
fn could_go_on(state: &State, thread: ThreadId) -> bool {
    match state.thread(thread).status {
        // One that fails could do so.
        Status::Running | Status::Stuck(Stuck::Fails) => true,
        Status::Stuck(Stuck::Circles { .. } | Stuck::Endless) => false,
        Status::At(action) => state.enabled_by_itself(thread, &action),
        Status::Ended => false,
    }
}
