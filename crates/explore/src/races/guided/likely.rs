//! The guided search of many pairs of operations at once, before any of them is explored in full: the first races come
//! early, whichever pair they are of.

use super::guided;
use crate::budget::fault::caught;
use crate::model::Origin;
use crate::parallel::pool::{STACK, TICK};
use crate::races::library::joint_options;
use crate::{Budget, Pace, Paused, Progress, Workers};
use machine::EngineError;
use std::borrow::Cow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};

/// Looks for likely races of `many` searches, those that have not begun, each on one worker and in the part of the program
/// that it is about. `search`: one of them, if there is anything to look for in it. `found`: is given each as it is then. One
/// for which there is no time left makes up for it when it begins.
///
/// # Errors
/// When an engine fails; what was found before that has been given.
pub fn likely_races(
    workers: Workers,
    many: usize,
    search: &LikelySearch,
    budget: &Budget,
    progress: &mut dyn Progress,
    found: &mut dyn FnMut(usize, Paused<'static>),
) -> Result<(), EngineError> {
    progress.begin("likely races");
    let shared = Shared { workers, many, next: AtomicUsize::new(0), search, budget, failed: AtomicBool::new(false) };
    let (sender, results) = channel();
    std::thread::scope(|scope| -> Result<(), EngineError> {
        let mut fault = None;
        for _ in 0..workers.count.get() {
            let (shared, sender) = (&shared, sender.clone());
            let worker = std::thread::Builder::new().stack_size(STACK);
            if let Err(error) = worker.spawn_scoped(scope, move || shared.work(&sender)) {
                shared.failed.store(true, Ordering::Relaxed);
                fault.get_or_insert(EngineError::Worker(error));
            }
        }
        // When the last worker has ended, nobody can send.
        drop(sender);
        let (mut done, mut findings) = (0usize, 0);
        loop {
            match results.recv_timeout(TICK) {
                Ok((index, Ok(paused))) => {
                    done += 1;
                    findings += paused.earlier.found.len();
                    found(index, paused);
                }
                Ok((_, Err(error))) => drop(fault.get_or_insert(error)),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return fault.map_or(Ok(()), Err),
            }
            progress.tick(&Pace { executions: 0, findings, done: done as f64 / many.max(1) as f64 });
        }
    })
}

/// Gives a search by its number.
pub(super) type LikelySearch<'a> = dyn Fn(usize) -> Option<(Origin, Paused<'static>)> + Sync + 'a;

struct Shared<'a> {
    workers: Workers<'a>,
    many: usize,
    next: AtomicUsize,
    search: &'a LikelySearch<'a>,
    budget: &'a Budget,
    failed: AtomicBool,
}

type Done = Sender<(usize, Result<Paused<'static>, EngineError>)>;

impl Shared<'_> {
    /// Searches until nothing is left, the budget is used up, or a worker fails.
    fn work(&self, done: &Done) {
        while self.budget.exhausted().is_none() && !self.failed.load(Ordering::Relaxed) {
            let index = self.next.fetch_add(1, Ordering::Relaxed);
            if index >= self.many {
                return;
            }
            let Some((origin, paused)) = (self.search)(index) else { continue };
            let options = joint_options(&origin);
            let is_wanted =
                origin.is_guided(options) && paused.earlier.guided.is_none() && paused.unfinished.is_whole();
            if !is_wanted {
                continue;
            }
            let searched = caught(|| {
                let origin = &origin.narrowed()?.origin;
                let earlier = paused.earlier.into_owned();
                guided(&mut (self.workers.new_engine)(origin.program())?, origin, options, self.budget, earlier)
            });
            self.failed.fetch_or(searched.is_err(), Ordering::Relaxed);
            let paused = searched.map(|earlier| Paused { earlier: Cow::Owned(earlier), unfinished: paused.unfinished });
            if done.send((index, paused)).is_err() {
                return;
            }
        }
    }
}
