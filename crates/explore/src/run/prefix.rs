//! Decision prefixes: what was decided on the way to a state, in a form that any worker can follow.
//!
//! A state is tied to the terms of its engine; a prefix is not. It is plain data: it can be stored and sent.

use concurrency::ThreadId;
use machine::{Choice, Decision, EngineError, History, State, Step};
use memory::Target;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A [`Decision`] without the term or pointer that it is about: the choice that it answers says that.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum Answer {
    Condition { holds: bool, implied: bool },
    Null,
    NonNull,
    Tag(u8),
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
            Decision::Tag(_, tag) => Answer::Tag(tag),
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
            (&Choice::Tag(pointer, mask), Answer::Tag(tag)) if tag & !mask == 0 => Decision::Tag(pointer, tag),
            (&Choice::Target(pointer), Answer::Target(target)) => Decision::Target(pointer, target),
            (&Choice::Value(term), Answer::Value { value, implied }) => Decision::Value { term, value, implied },
            (Choice::Pick { count }, Answer::Pick(index)) if index < *count => Decision::Pick(index),
            _ => return Err(EngineError::Diverged),
        })
    }
}

/// One step on the way.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub(crate) enum PrefixStep {
    Grant(ThreadId),
    Decide(ThreadId, Answer),
    Schedule(ThreadId),
    /// Where clients begin: with the one of this number.
    Client(u32),
}

/// Turns that are kept together.
const CHUNK: usize = 256;

/// So many turns, as postcard writes them.
pub(super) type Chunk = Arc<[u8]>;

/// All steps on the way to a state, a few bytes each: where ways are long, many of them wait, and most of a way is that of
/// others too ([`Prefixes`]).
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Prefix {
    /// Of [`CHUNK`] turns each.
    pub(super) whole: Arc<[Chunk]>,
    /// The turns behind those, fewer.
    pub(super) rest: Box<[u8]>,
}

impl Prefix {
    /// # Errors
    /// [`EngineError::Diverged`] when it was read from something damaged.
    pub(crate) fn turns(&self) -> Result<Vec<PrefixStep>, EngineError> {
        let mut turns = Vec::new();
        for mut bytes in self.whole.iter().map(|chunk| &**chunk).chain([&*self.rest]) {
            while !bytes.is_empty() {
                let turn;
                (turn, bytes) = postcard::take_from_bytes(bytes).map_err(|_| EngineError::Diverged)?;
                turns.push(turn);
            }
        }
        Ok(turns)
    }
}

/// Prefixes of many states, each of which shares with the others what they have in common.
#[derive(Default)]
pub(crate) struct Prefixes {
    /// By the identity of a trace of a multiple of [`CHUNK`] steps: the trace, which must live, and its chunks.
    known: FxHashMap<usize, (History, Arc<[Chunk]>)>,
}

impl Prefixes {
    /// The way to a state.
    pub(crate) fn of(&mut self, state: &State) -> Prefix {
        self.of_history(&state.history)
    }

    pub(super) fn of_history(&mut self, trace: &History) -> Prefix {
        let (last, before) = trace.split_last(trace.length() % CHUNK);
        Prefix { whole: self.whole(before), rest: written(&last).into() }
    }

    fn whole(&mut self, trace: History) -> Arc<[Chunk]> {
        let (mut at, mut open) = (trace, Vec::new());
        while at.length() > 0 && !self.known.contains_key(&at.identity()) {
            let (steps, before) = at.split_last(CHUNK);
            open.push((std::mem::replace(&mut at, before), steps));
        }
        let mut whole = self.known.get(&at.identity()).map(|(_, whole)| Arc::clone(whole)).unwrap_or_default();
        while let Some((trace, steps)) = open.pop() {
            let chunk: Chunk = written(&steps).into();
            whole = whole.iter().cloned().chain([chunk]).collect();
            self.known.insert(trace.identity(), (trace, Arc::clone(&whole)));
        }
        whole
    }
}

fn written(steps: &[Step]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for step in steps {
        let turn = match step {
            Step::Grant(thread, ..) => PrefixStep::Grant(*thread),
            Step::Decide(thread, decision) => PrefixStep::Decide(*thread, Answer::of(decision)),
            Step::Schedule(thread) => PrefixStep::Schedule(*thread),
        };
        bytes = postcard::to_extend(&turn, bytes).expect("a vector grows, and no turn holds a sequence");
    }
    bytes
}

/// The way to a state. [`Prefixes`] is for many.
pub(crate) fn prefix_of(state: &State) -> Prefix {
    Prefixes::default().of(state)
}

impl Prefix {
    /// To the state that a client has built.
    pub(crate) fn client(number: usize) -> Prefix {
        let turn = PrefixStep::Client(number as u32);
        let rest = postcard::to_extend(&turn, Vec::new()).expect("a vector grows, and no turn holds a sequence");
        Prefix { rest: rest.into(), ..Prefix::default() }
    }

    /// The client that this leads to.
    ///
    /// # Errors
    /// [`EngineError::Diverged`] when it leads elsewhere.
    pub(crate) fn to_client(&self) -> Result<usize, EngineError> {
        match self.turns()?.as_slice() {
            &[PrefixStep::Client(number)] => Ok(number as usize),
            _ => Err(EngineError::Diverged),
        }
    }
}

/// What tells an initial state from others: the ways that the operations alone went on it, one after the other.
pub(crate) type InitialPrefixes = Vec<Prefix>;
