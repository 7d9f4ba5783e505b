//! One line on a terminal that says how far the search is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use machine::{Asking, Program};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A question to the solver that lasts longer is shown, until it has not been seen for as long.
const LONG: Duration = Duration::from_secs(1);

/// Where the program is that a question to the solver is about which lasts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked(Arc<Mutex<Option<(Instant, String)>>>);

impl Asked {
    /// What solvers ask now and then whether they should stop: `over`, and on the way how long this engine's question lasts.
    pub(crate) fn watch(
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

    pub(crate) fn place(&self) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|(seen, _)| seen.elapsed() < LONG).map(|(_, place)| place.clone())
    }
}

/// How far a search is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters<'a> {
    pub(crate) executions: u64,
    pub(crate) findings: usize,
    /// Such as the pair of operations; empty: nothing to say.
    pub(crate) exploring: &'a str,
    /// What there is to explore one by one.
    pub(crate) parts: Option<Parts>,
    /// How long what is being explored will take yet; an estimate. Another round may follow.
    pub(crate) remaining: Option<Duration>,
    /// Where the program is that the solver has been asked about for long.
    pub(crate) asking: Option<&'a str>,
}

/// Entries of the matrix, or the like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    /// Never gets smaller.
    pub(crate) done: usize,
    pub(crate) all: usize,
    /// Such as `pairs`.
    pub(crate) name: &'static str,
}

/// Is told from time to time how far a search is.
pub(crate) trait Progress {
    fn update(&self, counters: &Counters);
}

/// Where nobody watches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Silent;

impl Progress for Silent {
    fn update(&self, _counters: &Counters) {}
}

/// A line on standard error, gone when the value is dropped.
pub(crate) struct Line(ProgressBar);

impl Line {
    pub(crate) fn new() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(10));
        if let Ok(style) = ProgressStyle::with_template("{spinner} {elapsed} {msg}") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Line(bar)
    }
}

impl Progress for Line {
    fn update(&self, counters: &Counters) {
        self.0.set_message(message(counters));
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn message(counters: &Counters) -> String {
    let Counters { executions, findings, exploring, parts, remaining, asking } = counters;
    let what = if exploring.is_empty() { String::new() } else { format!("{exploring}: ") };
    let done = parts.map_or_else(String::new, |Parts { done, all, name }| format!(", {done} of {all} {name} done"));
    let left = remaining.map_or_else(String::new, |remaining| format!(", about {} left", rough(remaining)));
    let asking = asking.map_or_else(String::new, |place| format!(", at {place} for the solver"));
    format!("{what}{executions} executions, {findings} findings{done}{left}{asking}")
}

/// As exact as an estimate is.
fn rough(time: Duration) -> String {
    match time.as_secs() {
        seconds @ 0..10 => format!("{} s", seconds + 1),
        seconds @ 10..100 => format!("{} s", seconds / 10 * 10),
        seconds @ 100..6000 => format!("{} min", (seconds + 30) / 60),
        seconds @ 6000..360_000 => format!("{} h", (seconds + 1800) / 3600),
        _ => "days".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_explored() {
        let counters = Counters { executions: 3, findings: 1, exploring: "insert with search", ..Counters::default() };
        assert_eq!(message(&counters), "insert with search: 3 executions, 1 findings");
        let pairs = Counters { parts: Some(Parts { done: 2, all: 6, name: "pairs" }), ..counters };
        assert!(message(&pairs).ends_with("1 findings, 2 of 6 pairs done"));
        let left = Counters { remaining: Some(Duration::from_secs(95)), ..counters };
        assert!(message(&left).ends_with("1 findings, about 90 s left"));
        let asking = Counters { asking: Some("ring.c:9"), ..counters };
        assert!(message(&asking).ends_with("1 findings, at ring.c:9 for the solver"));
    }

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

    #[test]
    fn estimates_are_rough() {
        let times = [0, 9, 10, 99, 100, 5999, 6000, 359_999, 360_000];
        let texts = times.map(|seconds| rough(Duration::from_secs(seconds)));
        assert_eq!(texts, ["1 s", "10 s", "10 s", "90 s", "2 min", "100 min", "2 h", "100 h", "days"]);
    }
}
