//! What is still to be explored, depth first or in the order in which it was found.
//!
//! A lazy pointer can have thousands of targets: they share the state in which they are chosen, and each is decided only
//! when its turn comes.

use crate::run::prefix::Answer;
use concurrency::ThreadId;
use machine::{Choice, Decision, Engine, EngineError, State};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Something to be explored from a state.
pub(crate) trait Run: Clone {
    fn state_mut(&mut self) -> &mut State;
}

impl Run for State {
    fn state_mut(&mut self) -> &mut State {
        self
    }
}

/// The last in is the first out, or the last; of a choice, the first alternative comes first.
#[derive(Debug)]
pub(crate) struct Frontier<R> {
    /// The next at the back.
    entries: VecDeque<Branch<R>>,
    depth_first: bool,
}

#[derive(Debug)]
enum Branch<R> {
    Run(R),
    /// At least one decision is left.
    Choice {
        before: R,
        thread: ThreadId,
        decisions: std::vec::IntoIter<Decision>,
    },
}

impl<R: Run> Frontier<R> {
    pub(crate) fn new() -> Self {
        Frontier { entries: VecDeque::new(), depth_first: true }
    }

    /// The first in is the first out.
    pub(crate) fn breadth_first() -> Self {
        Frontier { depth_first: false, ..Frontier::new() }
    }

    pub(crate) fn push(&mut self, run: R) {
        self.add(Branch::Run(run));
    }

    /// It is next, whatever else there is.
    pub(crate) fn push_next(&mut self, run: R) {
        self.entries.push_back(Branch::Run(run));
    }

    fn add(&mut self, branch: Branch<R>) {
        match self.depth_first {
            true => self.entries.push_back(branch),
            false => self.entries.push_front(branch),
        }
    }

    /// All ways on from where a thread has to choose.
    pub(crate) fn push_choice(&mut self, before: R, thread: ThreadId, decisions: Vec<Decision>) {
        if !decisions.is_empty() {
            self.add(Branch::Choice { before, thread, decisions: decisions.into_iter() });
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn pop(&mut self, engine: &mut Engine) -> Option<R> {
        let (mut run, thread, decision) = match self.entries.pop_back()? {
            Branch::Run(run) => return Some(run),
            Branch::Choice { before, thread, mut decisions } => {
                let decision = decisions.next()?;
                if decisions.len() == 0 {
                    (before, thread, decision)
                } else {
                    let run = before.clone();
                    self.entries.push_back(Branch::Choice { before, thread, decisions });
                    (run, thread, decision)
                }
            }
        };
        engine.decide(run.state_mut(), thread, decision);
        Some(run)
    }

    /// Goes on with what another engine had left over. `to_choice` runs on to the choice that a thread is about to come to.
    ///
    /// # Errors
    /// When that fails, or the choice does not have these answers.
    pub(crate) fn push_rest(
        &mut self,
        run: R,
        rest: Option<&Rest>,
        to_choice: impl FnOnce(&mut State, ThreadId) -> Result<Choice, EngineError>,
    ) -> Result<(), EngineError> {
        let Some(rest) = rest else {
            self.push(run);
            return Ok(());
        };
        let mut before = run;
        let choice = to_choice(before.state_mut(), rest.thread)?;
        self.push_choice(before, rest.thread, rest.decisions(&choice)?);
        Ok(())
    }

    /// All that is left, the next first: the run, and which answers if it is at a choice.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = (R, Option<Rest>)> + '_ {
        self.entries.drain(..).rev().map(|entry| match entry {
            Branch::Run(run) => (run, None),
            Branch::Choice { before, thread, decisions } => {
                let answers = decisions.map(|decision| Answer::of(&decision)).collect();
                (before, Some(Rest { thread, answers }))
            }
        })
    }
}

/// The answers that are left at a choice.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(crate) struct Rest {
    pub thread: ThreadId,
    pub answers: Vec<Answer>,
}

impl Rest {
    /// The decisions that give these answers to a choice.
    ///
    /// # Errors
    /// [`EngineError::Diverged`] if it does not have them.
    pub(crate) fn decisions(&self, choice: &Choice) -> Result<Vec<Decision>, EngineError> {
        self.answers.iter().map(|answer| answer.to(choice)).collect()
    }
}
