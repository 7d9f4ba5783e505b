//! Decision prefixes: what was decided on the way to a state, in a form that any worker can follow.
//!
//! A state is tied to the terms of its engine; a prefix is not. It is plain data: it can be stored and sent.

use concurrency::ThreadId;
use machine::{Choice, Decision, EngineError, State, Step};
use memory::Target;
use serde::{Deserialize, Serialize};

/// A [`Decision`] without the term or pointer that it is about: the choice that it answers says that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Condition { holds: bool, implied: bool },
    Null,
    NonNull,
    Target(Target),
    Value { value: u128, implied: bool },
    Pick(u32),
}

impl Answer {
    pub(crate) fn of(decision: &Decision) -> Self {
        match *decision {
            Decision::Condition { holds, implied, .. } => Answer::Condition { holds, implied },
            Decision::Null(_) => Answer::Null,
            Decision::NonNull(_) => Answer::NonNull,
            Decision::Target(_, target) => Answer::Target(target),
            Decision::Value { value, implied, .. } => Answer::Value { value, implied },
            Decision::Pick(index) => Answer::Pick(index),
        }
    }

    /// The decision that gives this answer to a choice.
    ///
    /// # Errors
    /// [`EngineError::Diverged`] when it is no answer to that kind of choice.
    pub(crate) fn to(self, choice: &Choice) -> Result<Decision, EngineError> {
        Ok(match (choice, self) {
            (&Choice::Condition(term), Answer::Condition { holds, implied }) => {
                // Whoever takes over a task asked nobody.
                Decision::Condition { term, holds, implied, solver: false }
            }
            (&(Choice::Nullness(pointer) | Choice::Target(pointer)), Answer::Null) => Decision::Null(pointer),
            (&Choice::Nullness(pointer), Answer::NonNull) => Decision::NonNull(pointer),
            (&Choice::Target(pointer), Answer::Target(target)) => Decision::Target(pointer, target),
            (&Choice::Value(term), Answer::Value { value, implied }) => Decision::Value { term, value, implied },
            (Choice::Pick { count }, Answer::Pick(index)) if index < *count => Decision::Pick(index),
            _ => return Err(EngineError::Diverged),
        })
    }
}

/// One step on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Turn {
    Grant(ThreadId),
    Decide(ThreadId, Answer),
    Schedule(ThreadId),
}

/// All steps on the way to a state, a few bytes each: where ways are long, many of them wait.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Prefix {
    /// As postcard writes them.
    turns: Box<[u8]>,
}

impl Prefix {
    fn new(turns: impl Iterator<Item = Turn>) -> Self {
        let mut bytes = Vec::new();
        for turn in turns {
            bytes = postcard::to_extend(&turn, bytes).expect("a vector grows, and no turn holds a sequence");
        }
        Prefix { turns: bytes.into_boxed_slice() }
    }

    /// # Errors
    /// [`EngineError::Diverged`] when it was read from something damaged.
    pub(crate) fn turns(&self) -> Result<Vec<Turn>, EngineError> {
        let (mut turns, mut rest) = (Vec::new(), &*self.turns);
        while !rest.is_empty() {
            let turn;
            (turn, rest) = postcard::take_from_bytes(rest).map_err(|_| EngineError::Diverged)?;
            turns.push(turn);
        }
        Ok(turns)
    }
}

/// What tells an initial state from others: the ways that the operations alone went on it, one after the other.
pub(crate) type Leaves = Vec<Prefix>;

/// The way to a state.
pub(crate) fn prefix_of(state: &State) -> Prefix {
    let turn = |step: &Step| match step {
        Step::Grant(thread, _) => Turn::Grant(*thread),
        Step::Decide(thread, decision) => Turn::Decide(*thread, Answer::of(decision)),
        Step::Schedule(thread) => Turn::Schedule(*thread),
    };
    Prefix::new(state.trace.steps().iter().map(turn))
}
