//! The guided search of many pairs of operations at once, before any of them is explored in full: the first races come
//! early, whichever pair they are of.

use super::guided;
use crate::library::joint_options;
use crate::origin::Origin;
use crate::paused::Earlier;
use crate::pool::STACK;
use crate::{Budget, Paused, Progress, Status, Workers};
use machine::EngineError;
use std::borrow::Cow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Between two looks of the progress line.
const TICK: Duration = Duration::from_millis(100);

/// Looks for likely races of these searches, those that have not begun, each on one worker. One for which there is no time
/// left makes up for it when it begins.
///
/// # Errors
/// When an engine fails.
pub fn likely_races(
    workers: Workers,
    searches: &mut [(&Origin, &mut Paused<'static>)],
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Result<(), EngineError> {
    let wanted = |(origin, paused): &(&Origin, &mut Paused)| {
        paused.earlier.guided.is_none() && origin.is_guided(joint_options(origin))
    };
    let mut waiting: Vec<Work> = Vec::new();
    for (index, search) in searches.iter().enumerate().rev() {
        if wanted(search) {
            waiting.push(Work { index, origin: search.0, earlier: search.1.earlier.clone().into_owned() });
        }
    }
    if waiting.is_empty() {
        return Ok(());
    }
    progress.begin("likely races");
    let (all, running) = (waiting.len(), workers.count.get());
    let shared = Mutex::new(Shared { waiting, done: Vec::new(), running, error: None });
    let pool = Pool { workers, budget, shared, changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..running {
            let worker = std::thread::Builder::new().stack_size(STACK);
            if let Err(error) = worker.spawn_scoped(scope, || pool.work()) {
                let mut shared = pool.lock();
                shared.error.get_or_insert(EngineError::Worker(error));
                shared.running -= 1;
            }
        }
        pool.watch(all, progress);
    });
    let shared = pool.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(error) = shared.error {
        return Err(error);
    }
    for (index, earlier) in shared.done {
        searches[index].1.earlier = Cow::Owned(earlier);
    }
    Ok(())
}

struct Work<'a> {
    index: usize,
    origin: &'a Origin,
    earlier: Earlier,
}

struct Pool<'a> {
    workers: Workers<'a>,
    budget: &'a Budget,
    shared: Mutex<Shared<'a>>,
    /// Something is done.
    changed: Condvar,
}

struct Shared<'a> {
    /// The next comes last.
    waiting: Vec<Work<'a>>,
    done: Vec<(usize, Earlier)>,
    /// Workers.
    running: usize,
    error: Option<EngineError>,
}

impl<'a> Pool<'a> {
    fn lock(&self) -> MutexGuard<'_, Shared<'a>> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the progress line going until all is done.
    fn watch(&self, all: usize, progress: &mut dyn Progress) {
        let mut shared = self.lock();
        while shared.running > 0 {
            shared = self.changed.wait_timeout(shared, TICK).unwrap_or_else(PoisonError::into_inner).0;
            let findings = shared.done.iter().map(|(_, earlier)| earlier.found.len()).sum();
            let status = Status { executions: 0, findings, done: shared.done.len() as f64 / all as f64 };
            progress.tick(&status);
        }
    }

    /// Searches until nothing waits, or the budget is used up.
    fn work(&self) {
        let leaving = Leaving(self);
        while let Some(Work { index, origin, earlier }) = self.next() {
            let searched = (self.workers.new_engine)()
                .and_then(|mut engine| guided(&mut engine, origin, joint_options(origin), self.budget, earlier));
            let mut shared = self.lock();
            match searched {
                Ok(earlier) => shared.done.push((index, earlier)),
                Err(error) => drop(shared.error.get_or_insert(error)),
            }
            drop(shared);
            self.changed.notify_all();
        }
        drop(leaving);
    }

    fn next(&self) -> Option<Work<'a>> {
        if self.budget.exhausted().is_some() {
            return None;
        }
        let mut shared = self.lock();
        if shared.error.is_some() { None } else { shared.waiting.pop() }
    }
}

/// Counts a worker out, also one that panics; the scope passes the panic on.
struct Leaving<'p, 'a>(&'p Pool<'a>);

impl Drop for Leaving<'_, '_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
        self.0.changed.notify_all();
    }
}
