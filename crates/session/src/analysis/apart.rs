//! A part of a run with an account of its own.

use super::session::Session;
use crate::options::Heaps;
use machine::Ledger;
use std::sync::Arc;
use std::time::Instant;

impl Session {
    /// Runs something on these heaps, within one of so many parts of the time, with an engine and figures of its own; what it has
    /// lost comes with its result. What it finds stays with the session.
    ///
    /// # Errors
    /// When it, or an engine, fails.
    pub(super) fn apart<T>(
        &mut self,
        parts: u32,
        heaps: Heaps,
        run: impl FnOnce(&mut Session) -> anyhow::Result<T>,
    ) -> anyhow::Result<(T, Ledger)> {
        let of_all = std::mem::replace(&mut self.parameters.library.heaps, heaps);
        let (deadline, hurried) = (self.time.budget.deadline, self.time.hurried);
        let now = Instant::now();
        self.time.budget.deadline = deadline.map(|end| now + end.saturating_duration_since(now) / parts);
        let engine = (self.new_engine())(&Arc::clone(&self.engine.program))?;
        let whole = std::mem::replace(&mut self.engine, engine);
        let seen = self.seen.begin_anew();
        let result = run(self);
        let engine = std::mem::replace(&mut self.engine, whole);
        self.seen = seen.after(&self.seen);
        self.parameters.library.heaps = of_all;
        (self.time.budget.deadline, self.time.hurried) = (deadline, hurried);
        self.leave_time_to_write();
        self.limited(None);
        Ok((result?, engine.ledger))
    }
}
