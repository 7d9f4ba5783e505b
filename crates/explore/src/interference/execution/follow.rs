//! Executions by turns that are given: tests that were there before.

use super::{CoverTest, Execution, MOST_ACTIONS};
use crate::run::turns::takes_turn;
use concurrency::ThreadId;
use machine::{EngineError, Status};

impl Execution<'_> {
    /// Takes these turns, as long as they can be taken; else it is noted why not.
    ///
    /// # Errors
    /// When the engine fails.
    pub(super) fn follow(&mut self, test: &CoverTest) -> Result<(), EngineError> {
        for (number, turn) in (1..).zip(&test.turns) {
            self.let_pass()?;
            if self.done.interrupted {
                return Ok(());
            }
            let of = |name: &str| self.threads.iter().position(|thread| *self.state.thread(thread.id).name == *name);
            let next = of(&turn.thread).and_then(|at| Some((at, self.threads[at].pending.as_ref()?.0)));
            let why = match next {
                _ if self.process_ended => "the process has ended".to_owned(),
                None => format!("thread {} has nothing to do", turn.thread),
                Some((at, _)) if !self.is_enabled(at) => format!("thread {} waits", turn.thread),
                Some((at, action)) => {
                    self.given = turn.picks.iter().copied().collect();
                    self.perform(at, action)?;
                    continue;
                }
            };
            self.done.lost = Some(format!("{why} at step {number} of {}", test.turns.len()));
            return Ok(());
        }
        self.let_pass()
    }

    /// What takes no turn: who waits for a thread that has ended, who passes a barrier, and who is alone.
    fn let_pass(&mut self) -> Result<(), EngineError> {
        while !self.is_over() && self.done.actions.len() < MOST_ACTIONS {
            let next = (0..self.threads.len()).find_map(|at| {
                let id = self.threads[at].id;
                let (action, _) = self.threads[at].pending.as_ref()?;
                let passes = matches!(self.state.thread(id).status, Status::At(real) if !takes_turn(&real));
                ((passes || self.is_alone(id)) && self.is_enabled(at)).then_some((at, *action))
            });
            let Some((at, action)) = next else { break };
            self.perform(at, action)?;
        }
        Ok(())
    }

    /// Whether all that other threads ever did happens before what is to come ([`machine::Config::never_alone`] keeps that from the machine).
    fn is_alone(&self, me: ThreadId) -> bool {
        let order = &self.state.order;
        let is_past = |id: ThreadId| order.clock(me).get(id) >= order.clock(id).get(id);
        let mut others = self.state.thread_ids().filter(|&id| id != me);
        others.all(|id| self.state.thread(id).status == Status::Ended && is_past(id))
    }
}
