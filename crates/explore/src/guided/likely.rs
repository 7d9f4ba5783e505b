//! The guided search of many pairs of operations at once, before any of them is explored in full: the first races come
//! early, whichever pair they are of.

use super::guided;
use crate::library::joint_options;
use crate::origin::Origin;
use crate::tasks::paused::Earlier;
use crate::tasks::pool::{STACK, TICK};
use crate::{Budget, Paused, Progress, Status, Workers};
use machine::EngineError;
use std::borrow::Cow;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Mutex, PoisonError};

/// Looks for likely races of these searches, those that have not begun, each on one worker and in the part of the program that
/// it is about. One for which there is no time
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
        origin.is_guided(joint_options(origin)) && paused.earlier.guided.is_none() && paused.unfinished.is_whole()
    };
    let waiting: Vec<Work> = searches
        .iter()
        .enumerate()
        .filter(|(_, search)| wanted(search))
        .map(|(index, search)| Work { index, origin: search.0, earlier: search.1.earlier.clone().into_owned() })
        .collect();
    if waiting.is_empty() {
        return Ok(());
    }
    progress.begin("likely races");
    let all = waiting.len();
    let waiting = Mutex::new(waiting.into_iter());
    let (sender, results) = channel();
    let mut done: Vec<(usize, Earlier)> = Vec::new();
    std::thread::scope(|scope| -> Result<(), EngineError> {
        let results = results;
        let waiting = &waiting;
        for _ in 0..workers.count.get() {
            let sender = sender.clone();
            let worker = std::thread::Builder::new().stack_size(STACK);
            worker.spawn_scoped(scope, move || work(workers, waiting, budget, &sender)).map_err(EngineError::Worker)?;
        }
        // When the last worker has ended, nobody can send.
        drop(sender);
        loop {
            match results.recv_timeout(TICK) {
                // After an error nobody listens: the others end with what they have begun.
                Ok(result) => done.push(result?),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
            let findings = done.iter().map(|(_, earlier)| earlier.found.len()).sum();
            progress.tick(&Status { executions: 0, findings, done: done.len() as f64 / all as f64 });
        }
    })?;
    for (index, earlier) in done {
        searches[index].1.earlier = Cow::Owned(earlier);
    }
    Ok(())
}

struct Work<'a> {
    index: usize,
    origin: &'a Origin,
    earlier: Earlier,
}

type Waiting<'a> = Mutex<std::vec::IntoIter<Work<'a>>>;

/// Searches until nothing waits, the budget is used up, or nobody listens.
fn work(workers: Workers, waiting: &Waiting, budget: &Budget, done: &Sender<Result<(usize, Earlier), EngineError>>) {
    let next = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    while budget.exhausted().is_none() {
        let Some(Work { index, origin, earlier }) = next() else { return };
        let search = || {
            let origin = &origin.narrowed()?.origin;
            guided(&mut (workers.new_engine)(origin.program())?, origin, joint_options(origin), budget, earlier)
        };
        let searched = search();
        if done.send(searched.map(|earlier| (index, earlier))).is_err() {
            return;
        }
    }
}
