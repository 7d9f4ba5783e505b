//! `cargo xtask tables`: the annotated races of `bench/ssrd`, by ThreadSanitizer, by raddle with one shape, by raddle with
//! all shapes, in one run.

use super::heaps::{Confirmed, Oracle};
use super::oracle::OracleEffort;
use super::pairs::{Comparison, compare};
use super::raddle::{Explored, all_shapes, fixed_shape};
use super::reuse::{self, reuse};
use super::revisions::{Revision, revisions};
use super::stress::{Stressed, stress};
use super::table;
use clap::{Args, ValueEnum};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;
use testkit::finding::Race;
use testkit::ui::Runner;

#[derive(Args)]
pub(crate) struct TablesOptions {
    /// Only this structure, or this revision of it: NAME or NAME:REVISION
    #[arg(long)]
    only: Option<String>,
    /// Seconds for raddle on each revision, with one shape and with all; what is cut short is marked
    #[arg(long, default_value_t = 60.0)]
    max_time: f64,
    /// Seconds that ThreadSanitizer has for each revision at least; else as long as raddle took with all shapes
    #[arg(long, default_value_t = 5.0)]
    floor: f64,
    /// As raddle's own option
    #[arg(long, value_enum, default_value = "complete")]
    search: Search,
    /// A first look: 5 seconds for raddle, 1 for ThreadSanitizer at least
    #[arg(long)]
    quick: bool,
    /// Compare with the enumeration of all heaps and schedules as well, as `cargo xtask oracle` does
    #[arg(long)]
    oracle: bool,
    #[command(flatten)]
    effort: OracleEffort,
    /// Only what a second run costs
    #[arg(long)]
    reuse: bool,
    /// Print JSON instead of tables
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, ValueEnum)]
enum Search {
    Guided,
    Complete,
}

/// One revision, by everything that looked for its races.
pub(crate) struct Row {
    pub(crate) structure: String,
    pub(crate) revision: String,
    pub(crate) annotated: usize,
    pub(crate) stress: (Stressed, Comparison),
    pub(crate) one_shape: (Explored, Comparison),
    pub(crate) all_shapes: (Explored, Comparison),
    pub(crate) oracle: Option<(Confirmed, Comparison)>,
}

impl Row {
    /// What must not be: raddle reports a pair that is not annotated, or misses one that the oracle confirms.
    fn wrong(&self) -> Vec<String> {
        let place = format!("{}:{}", self.structure, self.revision);
        let (explored, compared) = &self.all_shapes;
        let cut = if explored.cut { " (its time was over)" } else { "" };
        let invented =
            compared.others.iter().map(|race| format!("{place}: raddle reports {race}, which is not annotated"));
        let confirmed = self.oracle.iter().flat_map(|(confirmed, _)| &confirmed.races);
        let missed = confirmed
            .filter(|race| !explored.races.contains(race))
            .map(|race| format!("{place}: raddle misses {race}, which the oracle confirms{cut}"));
        invented.chain(missed).collect()
    }
}

/// Runs everything and prints the tables. False where raddle is shown to be wrong.
pub(crate) fn run(options: &TablesOptions) -> anyhow::Result<bool> {
    let runner = Runner::from_environment(Path::new("."), None)?;
    let oracle = options.oracle.then(Oracle::new).transpose()?;
    let (max_time, floor) = if options.quick { (5.0, 1.0) } else { (options.max_time, options.floor) };
    let times = [Duration::try_from_secs_f64(max_time)?, Duration::try_from_secs_f64(floor)?];
    let (mut rows, mut second) = (Vec::new(), Vec::new());
    for revision in revisions(options.only.as_deref())? {
        eprintln!("{}:{}", revision.structure, revision.revision);
        if revision.is_clean() {
            second.push(reuse(&revision)?);
        }
        if !options.reuse {
            rows.push(row(&runner, &revision, options, times, oracle.as_ref())?);
        }
    }
    if options.json {
        println!("{:#}", table::json(&rows, &second));
    } else {
        let texts =
            [(!rows.is_empty()).then(|| table::text(&rows)), (!second.is_empty()).then(|| reuse::text(&second))];
        println!("{}", texts.into_iter().flatten().collect::<Vec<_>>().join("\n\n"));
    }
    let wrong: Vec<String> = rows.iter().flat_map(Row::wrong).collect();
    for line in &wrong {
        eprintln!("{line}");
    }
    Ok(wrong.is_empty())
}

fn row(
    runner: &Runner,
    revision: &Revision,
    options: &TablesOptions,
    [max_time, floor]: [Duration; 2],
    oracle: Option<&Oracle>,
) -> anyhow::Result<Row> {
    let compared = |races: &BTreeSet<Race>| compare(&revision.annotated, races);
    let search = match options.search {
        Search::Guided => "guided",
        Search::Complete => "complete",
    };
    let all = all_shapes(runner, revision, search, max_time)?;
    let stressed = stress(revision, floor.max(Duration::try_from_secs_f64(all.seconds)?))?;
    let one = fixed_shape(runner, revision, max_time)?;
    let confirmed = oracle.map(|oracle| oracle.explore(revision, options.effort.limits(None))).transpose()?;
    let (by_stress, by_one, by_all) = (compared(&stressed.races), compared(&one.races), compared(&all.races));
    let by_oracle = confirmed.as_ref().map(|confirmed| compared(&confirmed.races));
    Ok(Row {
        structure: revision.structure.clone(),
        revision: revision.revision.clone(),
        annotated: revision.annotated.len(),
        stress: (stressed, by_stress),
        one_shape: (one, by_one),
        all_shapes: (all, by_all),
        oracle: confirmed.zip(by_oracle),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::finding::{AccessKind, Site};

    fn race(line: u32) -> Race {
        let site = |access| Site { line, access };
        Race::new(site(AccessKind::Read), site(AccessKind::Write))
    }

    /// A row in which raddle reports these lines, and the oracle those, of which the first two are annotated.
    fn row(raddle: &[u32], oracle: Option<&[u32]>) -> Row {
        let races = |lines: &[u32]| lines.iter().copied().map(race).collect::<BTreeSet<_>>();
        let annotated = races(&[1, 2]);
        let all = Explored { races: races(raddle), ..Explored::default() };
        let compared = compare(&annotated, &all.races);
        Row {
            structure: "list".to_owned(),
            revision: "late".to_owned(),
            annotated: annotated.len(),
            stress: (Stressed { races: races(&[3]), seconds: 1.0 }, compare(&annotated, &races(&[3]))),
            one_shape: (Explored::default(), compare(&annotated, &races(&[]))),
            all_shapes: (all, compared),
            oracle: oracle.map(|lines| {
                let found = Confirmed { races: races(lines), totals: [].into() };
                (found, compare(&annotated, &races(lines)))
            }),
        }
    }

    #[test]
    fn a_pair_that_is_not_annotated_is_wrong() {
        assert_eq!(row(&[1, 3], None).wrong().len(), 1);
        assert!(row(&[1], None).wrong().is_empty());
    }

    #[test]
    fn a_pair_that_the_oracle_confirms_must_be_found() {
        assert_eq!(row(&[1], Some(&[1, 2])).wrong().len(), 1);
        assert!(row(&[1], Some(&[1])).wrong().is_empty());
    }

    #[test]
    fn totals_add_up() {
        let rows = [row(&[1], Some(&[1, 2])), row(&[1, 2], Some(&[1]))];
        let json = table::json(&rows, &[]);
        assert_eq!(json["revisions"][0]["all_shapes"]["found"], 1);
        assert_eq!(json["total"]["annotated"], 4);
        assert_eq!(json["total"]["all_shapes"]["found"], 3);
        assert_eq!(json["total"]["stress"]["not_annotated"], 2);
        assert_eq!(json["total"]["oracle"]["confirmed"], 3);
        assert_eq!(json["structures"][0]["one_shape"]["found"], 0);
    }
}
