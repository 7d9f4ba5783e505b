//! A state to go on from, and what strategies know of the way to it.

use crate::run::frontier::{Rest, Run};
use crate::run::prefix::{Prefix, Prefixes};
use crate::strategy::Threads;
use crate::strategy::past::Past;
use crate::strategy::sleeper::Sleep;
use concurrency::{Action, ThreadId};
use machine::State;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::cell::Cell;
use std::rc::Rc;

/// Where a run goes on.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub state: State,
    pub mark: Mark,
    /// The state is a scheduling point, and these threads are left to be scheduled there.
    pub turns: Turns,
}

/// What strategies know of the way to a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mark {
    /// Threads that need not go first.
    pub sleep: Sleep,
    /// Since the part of the search began.
    pub past: Past,
    /// How often a thread was scheduled since then.
    pub granted: u32,
    /// The thread that was scheduled, while it is not known whether its step is an atomic block: `sleep` and `past` are those
    /// of before.
    pub entered: Option<Entered>,
    /// Within a bound on preemptions.
    pub switches: Switches,
    /// The number of the state that was met last on the way, where they have numbers.
    pub from: Option<usize>,
}

/// Preemptions on the way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Switches {
    /// The thread that ran last.
    pub last: Option<ThreadId>,
    pub preemptions: u32,
    /// Where it could have been left since it was scheduled first, the latest.
    pub stay: Option<Rc<Stay>>,
    /// A thread was left because it goes round.
    pub after_round: bool,
    /// Only to see what races when delayed threads run ahead ([`super::bounded`]).
    pub ahead: bool,
}

/// A scheduling point at which a thread went on that had been running. Until it turns out to go round, leaving it is a preemption.
#[derive(Debug)]
pub(crate) struct Stay {
    pub state: State,
    /// Who could have gone on instead.
    pub others: SmallVec<[ThreadId; 4]>,
    /// They have gone on from here, without a preemption.
    pub left: Cell<bool>,
    pub before: Option<Rc<Stay>>,
}

/// Who is left to be scheduled at a scheduling point.
#[derive(Clone, Debug, Default)]
pub(crate) enum Turns {
    /// The state is none, or it is not known yet.
    #[default]
    Unknown,
    /// These, one after the other.
    These(TurnsLeft),
    /// Whoever it turns out to matter for ([`super::dpor`]).
    Backtracking,
}

/// Threads that are scheduled one after the other, each from the same state: those that had their turns sleep then.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct TurnsLeft {
    threads: Vec<(ThreadId, Action)>,
    /// So many have had their turn; at least one has not.
    gone: usize,
}

/// What a thread has begun.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entered {
    pub thread: ThreadId,
    pub action: Action,
    /// In this part of the search.
    pub here: bool,
}

impl Run for Node {
    fn state_mut(&mut self) -> &mut State {
        &mut self.state
    }
}

impl Node {
    pub(crate) fn on(state: State, mark: Mark) -> Self {
        Node { state, mark, turns: Turns::Unknown }
    }
}

impl TurnsLeft {
    /// At least one.
    pub(crate) fn new(threads: Threads) -> Self {
        TurnsLeft { threads: threads.into_vec(), gone: 0 }
    }

    /// Whose turn it is, who had it before, and who is left then.
    pub(crate) fn take(self) -> ((ThreadId, Action), Threads, Option<TurnsLeft>) {
        let TurnsLeft { threads, gone } = self;
        let (next, before) = (threads[gone], Threads::from_slice(&threads[..gone]));
        let left = (gone + 1 < threads.len()).then(|| TurnsLeft { threads, gone: gone + 1 });
        (next, before, left)
    }
}

/// A node that is left, for whatever engine goes on from it.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Left {
    pub prefix: Prefix,
    pub sleep: Sleep,
    pub entered: Option<(ThreadId, Action)>,
    pub rest: Option<Rest>,
    pub turns: Option<TurnsLeft>,
}

impl Left {
    /// Everything that can follow from an initial state.
    pub(crate) fn all() -> Self {
        Left { prefix: Prefix::default(), sleep: Sleep::default(), entered: None, rest: None, turns: None }
    }

    /// `rest`: of the answers where a thread has to choose.
    pub(crate) fn of(node: Node, rest: Option<Rest>, prefixes: &mut Prefixes) -> Self {
        let Node { state, mark: Mark { sleep, entered, .. }, turns } = node;
        let entered = entered.map(|entered| (entered.thread, entered.action));
        let turns = match turns {
            Turns::These(turns) => Some(turns),
            Turns::Unknown | Turns::Backtracking => None,
        };
        Left { prefix: prefixes.of(&state), sleep, entered, rest, turns }
    }

    /// Whether it has somebody whose turn it is, where it has turns: what others have written need not.
    pub(crate) fn holds_together(&self) -> bool {
        self.turns.as_ref().is_none_or(|turns| turns.gone < turns.threads.len())
    }

    /// The node, with the state that the prefix leads to.
    pub(crate) fn node(&self, state: State) -> Node {
        let entered = self.entered.map(|(thread, action)| Entered { thread, action, here: false });
        let mark = Mark { sleep: self.sleep.clone(), entered, ..Mark::default() };
        let turns = self.turns.clone().map_or(Turns::Unknown, Turns::These);
        Node { state, mark, turns }
    }
}
