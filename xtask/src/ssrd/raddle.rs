//! raddle on a structure: with the shape that a user builds, and with all shapes.

use super::pairs::{reached, reported};
use super::revisions::Revision;
use anyhow::bail;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use testkit::finding::Race;
use testkit::ui::{Case, Guided, Report, Runner};

/// What runs of raddle came to, added up.
#[derive(Default)]
pub(crate) struct Explored {
    pub(crate) races: BTreeSet<Race>,
    /// Those on shapes that a client builds.
    pub(crate) reached: BTreeSet<Race>,
    /// Wall time of the processes.
    pub(crate) seconds: f64,
    /// What raddle says of its own time, and of the solver's part in it.
    pub(crate) own_seconds: f64,
    pub(crate) solver_seconds: f64,
    pub(crate) paths: u64,
    pub(crate) executions: u64,
    pub(crate) shapes: u64,
    pub(crate) first_race_seconds: Option<f64>,
    pub(crate) guided: Option<Guided>,
    /// The time was over before the search was.
    pub(crate) cut: bool,
}

impl Explored {
    fn add(&mut self, (report, seconds): (Report, f64), file: &str) {
        self.seconds += seconds;
        self.races.extend(reported(&report, file));
        self.reached.extend(reached(&report, file));
        self.cut |= report.ledger.iter().any(|entry| entry.kind == "time");
        let Some(stats) = report.stats else { return };
        self.own_seconds += stats.wall_time_s;
        self.solver_seconds += stats.solver_time_s;
        self.paths += stats.paths;
        self.executions += stats.executions;
        self.shapes += stats.shapes;
        self.first_race_seconds = self.first_race_seconds.or(stats.first_race_time_s);
        self.guided = stats.guided.or(self.guided.take());
    }
}

/// `raddle races` as the structure's header says.
///
/// # Errors
/// When raddle does not run, or reports an error.
pub(crate) fn all_shapes(
    runner: &Runner,
    revision: &Revision,
    search: &str,
    time: Duration,
) -> anyhow::Result<Explored> {
    let mut case = revision.case.clone();
    case.arguments.extend(["--search".to_owned(), search.to_owned()]);
    let mut explored = Explored::default();
    explored.add(run(runner, case, time)?, &revision.file());
    Ok(explored)
}

/// `raddle check` of the client's program for each pair of operations; the time is for all of them.
///
/// # Errors
/// When raddle does not run, or reports an error.
pub(crate) fn fixed_shape(runner: &Runner, revision: &Revision, time: Duration) -> anyhow::Result<Explored> {
    let client = revision.companion("clients", "_client");
    let pairs = revision.operation_pairs();
    let started = Instant::now();
    let mut explored = Explored { shapes: 1, ..Explored::default() };
    for (done, [first, second]) in pairs.iter().enumerate() {
        let mut case = revision.case.clone();
        // Where the first programs need less than their share, the others have more.
        let rest = u32::try_from(pairs.len() - done)?;
        let share = time.saturating_sub(started.elapsed()) / rest;
        let name = client.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        case.path = client.clone();
        case.arguments = vec!["check".to_owned(), name];
        case.clang_flags.extend([format!("-DFIRST=client_{first}"), format!("-DSECOND=client_{second}")]);
        explored.add(run(runner, case, share)?, &revision.file());
    }
    Ok(explored)
}

/// One report, and the seconds that it took.
fn run(runner: &Runner, mut case: Case, time: Duration) -> anyhow::Result<(Report, f64)> {
    case.limit(time);
    let out = tempfile::tempdir()?;
    let started = Instant::now();
    let (report, exit) = runner.report(&case, out.path())?;
    let taken = started.elapsed().as_secs_f64();
    if let Some(error) = &report.error {
        bail!("{}: raddle ended with {exit}: {}", case.name, error.message);
    }
    Ok((report, taken))
}
