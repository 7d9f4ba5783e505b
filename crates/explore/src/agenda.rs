//! What is still to be explored, depth first.
//!
//! A lazy pointer can have thousands of targets: they share the state in which they are chosen, and each is decided only
//! when its turn comes.

use concurrency::ThreadId;
use machine::{Decision, Engine, State};

/// Something to be explored from a state.
pub(crate) trait Run: Clone {
    fn state_mut(&mut self) -> &mut State;
}

impl Run for State {
    fn state_mut(&mut self) -> &mut State {
        self
    }
}

/// The last in is the first out; of a choice, the first alternative comes first.
#[derive(Debug)]
pub(crate) struct Agenda<R> {
    entries: Vec<Entry<R>>,
}

#[derive(Debug)]
enum Entry<R> {
    Run(R),
    /// At least one decision is left.
    Choice {
        before: R,
        thread: ThreadId,
        decisions: std::vec::IntoIter<Decision>,
    },
}

impl<R: Run> Agenda<R> {
    pub(crate) fn new() -> Self {
        Agenda { entries: Vec::new() }
    }

    pub(crate) fn push(&mut self, run: R) {
        self.entries.push(Entry::Run(run));
    }

    /// All ways on from where a thread has to choose.
    pub(crate) fn push_choice(&mut self, before: R, thread: ThreadId, decisions: Vec<Decision>) {
        if !decisions.is_empty() {
            self.entries.push(Entry::Choice { before, thread, decisions: decisions.into_iter() });
        }
    }

    pub(crate) fn pop(&mut self, engine: &mut Engine) -> Option<R> {
        let (mut run, thread, decision) = match self.entries.pop()? {
            Entry::Run(run) => return Some(run),
            Entry::Choice { before, thread, mut decisions } => {
                let decision = decisions.next()?;
                if decisions.len() == 0 {
                    (before, thread, decision)
                } else {
                    let run = before.clone();
                    self.entries.push(Entry::Choice { before, thread, decisions });
                    (run, thread, decision)
                }
            }
        };
        engine.decide(run.state_mut(), thread, decision);
        Some(run)
    }

    pub(crate) fn clear(&mut self) {
        self.entries.clear();
    }
}
