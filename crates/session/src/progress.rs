//! How far a search is, for whoever shows it.

use machine::{Asking, Program};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A question to the solver that lasts longer is shown, until it has not been seen for as long.
const LONG: Duration = Duration::from_secs(1);

/// Where the program is that a question to the solver is about which lasts.
#[derive(Clone, Debug, Default)]
pub struct Asked(Arc<Mutex<Option<(Instant, String)>>>);

impl Asked {
    /// What solvers ask now and then whether they should stop: `over`, and on the way how long this engine's question lasts.
    pub fn watch(
        &self,
        asking: Asking,
        program: Arc<Program>,
        over: impl Fn() -> bool + Send + Sync + 'static,
    ) -> smt::Stop {
        let (asked, since) = (self.clone(), Mutex::new((asking.question().0, Instant::now())));
        Arc::new(move || {
            let (number, site) = asking.question();
            let mut since = since.lock().unwrap_or_else(PoisonError::into_inner);
            if since.0 != number {
                *since = (number, Instant::now());
            } else if since.1.elapsed() >= LONG {
                asked.see(program.place(site));
            }
            over()
        })
    }

    fn see(&self, place: String) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), place));
    }

    pub fn place(&self) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(seen, _)| seen.elapsed() < LONG).map(|(_, place)| place.clone())
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counters<'a> {
    pub executions: u64,
    pub findings: usize,
    /// Such as the pair of operations; empty: nothing to say.
    pub exploring: &'a str,
    /// What there is to explore one by one.
    pub parts: Option<Parts>,
    /// How long what is being explored will take yet; an estimate. Another round may follow.
    pub remaining: Option<Duration>,
    /// Where the program is that the solver has been asked about for long.
    pub asking: Option<&'a str>,
}

/// Entries of the matrix, or the like.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// Never gets smaller.
    pub done: usize,
    pub all: usize,
    /// Such as `pairs`.
    pub name: &'static str,
}

/// Is told from time to time how far a search is.
pub trait Progress {
    fn update(&self, counters: &Counters);
}

/// Where nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Progress for Silent {
    fn update(&self, _counters: &Counters) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    /// It is shown while it lasts.
    #[test]
    fn a_long_question_is_named() {
        let asked = Asked::default();
        assert_eq!(asked.place(), None);
        asked.see("ring.c:9".to_owned());
        assert_eq!(asked.clone().place().as_deref(), Some("ring.c:9"));
        std::thread::sleep(LONG + Duration::from_millis(50));
        assert_eq!(asked.place(), None);
    }
}
