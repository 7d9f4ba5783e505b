//! Which threads have to be scheduled first (dynamic partial-order reduction: Flanagan and Godefroid, POPL 2005), on top of
//! sleep sets.
//!
//! Sleep sets alone execute each trace once, but begin many that they then cut: every thread is tried at every moment. Here
//! only one is, and another when what followed shows that it matters: when a thread comes to an action that depends on an
//! earlier one of another thread, and was not ordered behind it, it is tried there as well.
//!
//! - The last such action is not all: what a section accesses may depend on those of others before it, so that with the
//!   last one out of its way it depends on nothing any more. All that are not ordered behind each other count. (Of two
//!   threads that is the last.)
//! - Nor need the thread itself be who goes first instead: what it does may depend on what a third one did in between. Whoever
//!   can begin what is done without that action is tried too (source sets: Abdulla et al., POPL 2014), for the thread may be
//!   asleep.
//! - An action that could not be carried out at that moment for the same reason as later (its lock was held) is not what
//!   the two are unordered about: an earlier one is looked for, that which took the lock. But where a signal or a post was what was
//!   missing, that need not have to do with the earlier action: whoever can begin without this one is tried.
//! - What a critical section is that may be a single step ([`machine::State::fused`]) is known when it has been gone through:
//!   then it is looked for what it depends on. A thread that never comes to that is taken to depend on all that was done
//!   with its lock. A thread that was tried, and turns out to do what was explored before, leaves it to others to be tried; those that
//!   sleep then are taken to depend on as much.
//! - Where a run is cut (it repeats itself, the process exits, an assumption fails), what the others would have done is not
//!   known: everything is tried on the way there.
//!
//! Guarantee: each trace that sleep sets alone would complete is completed (and once). What is left of a search that is put
//! aside is all that was not tried yet.

use crate::joint::sleep::Event;
use concurrency::{Action, SyncOp, ThreadId};
use smallvec::SmallVec;
use std::rc::Rc;

/// How many actions of each thread come before, in the order of dependence.
type Clock = SmallVec<[u32; 4]>;

#[derive(Debug)]
struct Node {
    thread: ThreadId,
    event: Event,
    clock: Clock,
    before: Option<Rc<Node>>,
}

impl Drop for Node {
    /// Unlinks a long list step by step: the derived drop would recurse.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut node) = next.and_then(Rc::into_inner) {
            next = node.before.take();
        }
    }
}

/// The actions on the way to a state, shared between states with a common past.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    last: Option<Rc<Node>>,
    /// How many there are.
    length: usize,
    /// What comes before each thread's next action.
    clocks: SmallVec<[Clock; 2]>,
}

fn entry(clock: &Clock, thread: ThreadId) -> u32 {
    clock.get(thread.index()).copied().unwrap_or(0)
}

/// Whether what comes before some action, by its clock, includes another one.
fn follows(clock: &Clock, node: &Node) -> bool {
    entry(clock, node.thread) >= entry(&node.clock, node.thread)
}

/// Who can begin if all is done that was done after an action, except for what follows from it. The last of `later` came
/// first.
fn beginning_without(node: &Node, later: &[&Node]) -> SmallVec<[ThreadId; 4]> {
    let rest: SmallVec<[&Node; 8]> = later.iter().copied().filter(|other| !follows(&other.clock, node)).collect();
    let is_first = |at: &usize| !rest[at + 1..].iter().any(|earlier| follows(&rest[*at].clock, earlier));
    (0..rest.len()).filter(is_first).map(|at| rest[at].thread).collect()
}

/// Whether an action may be waiting for something that commutes with what it depends on: a signal with who takes the mutex, a
/// post with another post.
fn awaits_another(action: &Action) -> bool {
    matches!(action, Action::Wake { .. } | Action::Sync { op: SyncOp::SemWait, .. })
}

/// Adds what comes before another action.
fn join(clock: &mut Clock, other: &Clock) {
    if clock.len() < other.len() {
        clock.resize(other.len(), 0);
    }
    clock.iter_mut().zip(other).for_each(|(mine, its)| *mine = (*mine).max(*its));
}

impl Past {
    /// The last first.
    fn nodes(&self) -> impl Iterator<Item = &Node> {
        std::iter::successors(self.last.as_deref(), |node| node.before.as_deref())
    }

    /// How many there are.
    pub(crate) fn length(&self) -> usize {
        self.length
    }

    /// With a step that is taken next.
    pub(crate) fn then(&self, thread: ThreadId, event: Event) -> Past {
        let mut clock = self.clocks.get(thread.index()).cloned().unwrap_or_default();
        for node in self.nodes().filter(|node| node.thread != thread && node.event.dependent(&event)) {
            join(&mut clock, &node.clock);
        }
        if clock.len() <= thread.index() {
            clock.resize(thread.index() + 1, 0);
        }
        clock[thread.index()] += 1;
        let mut clocks = self.clocks.clone();
        if clocks.len() <= thread.index() {
            clocks.resize(thread.index() + 1, Clock::new());
        }
        clocks[thread.index()].clone_from(&clock);
        let before = self.last.clone();
        Past { last: Some(Rc::new(Node { thread, event, clock, before })), length: self.length + 1, clocks }
    }
}

/// A moment at which threads are scheduled.
#[derive(Debug)]
struct Moment {
    /// What each thread is about to do, and whether it can.
    pending: SmallVec<[(ThreadId, Action, bool); 4]>,
    /// Those that can and are not asleep, in the order in which they are tried.
    awake: SmallVec<[(ThreadId, Action, Tried); 4]>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tried {
    /// Nothing needs it so far.
    No,
    Wanted,
    Yes,
}

/// The moments on the way to where the search is, the first first: before the n-th action of a [`Past`] is the n-th.
#[derive(Debug, Default)]
pub(crate) struct Moments {
    moments: Vec<Moment>,
}

/// Threads that sleep while one goes first, with their actions.
pub(crate) type Before = SmallVec<[(ThreadId, Action); 4]>;

impl Moments {
    /// A thread is about to do something, or has come to know what it is about to do: notes where it has to be tried before
    /// others for that.
    pub(crate) fn note(&mut self, past: &Past, thread: ThreadId, event: &Event) {
        let mut known = past.clocks.get(thread.index()).cloned().unwrap_or_default();
        let mut later: Vec<&Node> = Vec::new();
        for (index, node) in past.nodes().enumerate() {
            if node.thread == thread || follows(&known, node) || !node.event.dependent(event) {
                later.push(node);
                continue;
            }
            let moment = &mut self.moments[past.length - 1 - index];
            match moment.pending.iter().find(|pending| pending.0 == thread) {
                Some((_, same, false)) if *same == event.action => {
                    if awaits_another(same) {
                        let without = beginning_without(node, &later);
                        moment.want(|other| without.contains(&other));
                    }
                }
                Some((.., true)) => {
                    let without = beginning_without(node, &later);
                    moment.want(|other| other == thread || without.contains(&other));
                    join(&mut known, &node.clock);
                }
                _ => {
                    moment.want(|_| true);
                    join(&mut known, &node.clock);
                }
            }
            later.push(node);
        }
    }

    /// What was tried at the moment behind these actions was explored before: all else there is to be tried. Who sleeps there
    /// is not: as where nobody can go on, it is taken to depend on all that was done with its lock.
    pub(crate) fn want_others(&mut self, past: &Past) {
        let Some(moment) = self.moments.get_mut(past.length()) else { return };
        moment.want(|_| true);
        let is_awake = |thread: ThreadId| moment.awake.iter().any(|awake| awake.0 == thread);
        let asleep: Before = moment
            .pending
            .iter()
            .filter(|pending| !is_awake(pending.0))
            .map(|pending| (pending.0, pending.1))
            .collect();
        for (thread, action) in asleep {
            self.note(past, thread, &Event::new(action));
        }
    }

    /// A run is cut here: everything is to be tried on the way.
    pub(crate) fn want_all(&mut self) {
        self.moments.iter_mut().for_each(|moment| moment.want(|_| true));
    }

    /// A moment, behind so many actions, at which somebody can go on; the first one does.
    pub(crate) fn begin(
        &mut self,
        length: usize,
        pending: impl Iterator<Item = (ThreadId, Action, bool)>,
        awake: &[(ThreadId, Action)],
    ) {
        self.moments.truncate(length);
        debug_assert_eq!(self.moments.len(), length);
        let tried = |index| if index == 0 { Tried::Wanted } else { Tried::No };
        let awake = awake.iter().enumerate().map(|(index, &(thread, action))| (thread, action, tried(index)));
        self.moments.push(Moment { pending: pending.collect(), awake: awake.collect() });
    }

    /// Who is tried next at the moment behind so many actions, and who was before; what came after it is over. None ends the
    /// moment.
    pub(crate) fn next(&mut self, length: usize) -> Option<((ThreadId, Action), Before)> {
        self.moments.truncate(length + 1);
        debug_assert_eq!(self.moments.len(), length + 1);
        let moment = self.moments.last_mut()?;
        let Some(next) = moment.awake.iter().position(|awake| awake.2 == Tried::Wanted) else {
            self.moments.pop();
            return None;
        };
        let before =
            moment.awake.iter().filter(|awake| awake.2 == Tried::Yes).map(|awake| (awake.0, awake.1)).collect();
        moment.awake[next].2 = Tried::Yes;
        Some(((moment.awake[next].0, moment.awake[next].1), before))
    }

    /// Ends that moment: all that was not tried, each with those that come before it.
    pub(crate) fn rest(&mut self, length: usize) -> Vec<((ThreadId, Action), Before)> {
        self.want_all();
        let mut all = Vec::new();
        while let Some(next) = self.next(length) {
            all.push(next);
        }
        all
    }
}

impl Moment {
    fn want(&mut self, which: impl Fn(ThreadId) -> bool) {
        for (thread, _, tried) in &mut self.awake {
            if *tried == Tried::No && which(*thread) {
                *tried = Tried::Wanted;
            }
        }
    }
}
