//! One line on a terminal that says how far the search is.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use session::progress::{Counters, Parts, Progress};
use std::time::Duration;

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

    #[test]
    fn estimates_are_rough() {
        let times = [0, 9, 10, 99, 100, 5999, 6000, 359_999, 360_000];
        let texts = times.map(|seconds| rough(Duration::from_secs(seconds)));
        assert_eq!(texts, ["1 s", "10 s", "10 s", "90 s", "2 min", "100 min", "2 h", "100 h", "days"]);
    }
}
