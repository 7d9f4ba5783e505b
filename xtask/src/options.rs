//! Random programs and libraries under random options, against brute force: every pair of options comes together.
//!
//! Each option is other than it is by itself in most of the cases, so that each pair of options comes together in many of
//! them. In how many stands in the table.

use crate::engine::{LIMITS, OPTIONS, STRATEGIES, engine, in_pieces, lower, new_engine, patience, take_over};
use crate::libraries::Comparison;
use crate::programs;
use anyhow::Context;
use explore::{Budget, Exploration, JointOptions, Likely, Origin, Paused, Por, Schedules, Workers, explore};
use machine::{Config, Engine, EngineError, Summaries, Weak};
use std::fmt::Write;
use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use testkit::library::Extent;
use testkit::program::Semantics;
use testkit::rng::Rng;

/// What of a run is chosen.
const NAMES: [&str; COUNT] = [
    "strategy",
    "shortest first",
    "preemptions",
    "likely first",
    "divided",
    "in pieces",
    "merge",
    "summaries",
    "atomic blocks",
    "three threads",
    "two calls",
    "globals initial",
];
const COUNT: usize = 12;

/// Options that only libraries have begin here.
const OF_LIBRARIES: usize = 8;

/// Positions in [`NAMES`].
const STRATEGY: usize = 0;
const SHORTEST: usize = 1;
const PREEMPTIONS: usize = 2;
const LIKELY: usize = 3;
const DIVIDED: usize = 4;
const PIECES: usize = 5;
const MERGE: usize = 6;
const SUMMARIES: usize = 7;
const BLOCKS: usize = 8;
const THREADS: usize = 9;
const CALLS: usize = 10;
const GLOBALS: usize = 11;

/// What a run is asked for; each is a number, 0 for what it is by itself.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Drawn([u8; COUNT]);

impl Drawn {
    /// Of each option, how many values there are besides its default.
    const OTHERS: [u8; COUNT] = [3, 1, 3, 1, 1, 1, 1, 2, 1, 1, 1, 1];

    fn new(rng: &mut Rng, options: usize) -> Self {
        let mut drawn = Drawn::default();
        for (value, others) in drawn.0.iter_mut().zip(Drawn::OTHERS).take(options) {
            if rng.chance(70) {
                *value = 1 + rng.below(usize::from(others)) as u8;
            }
        }
        // Where each state is gone on from once, that is the strategy, and what was met cannot be divided, nor is it written down. It
        // is for whole programs.
        if options == COUNT || rng.chance(60) {
            drawn.0[SHORTEST] = 0;
        }
        if drawn.0[SHORTEST] != 0 {
            [STRATEGY, PREEMPTIONS, DIVIDED, PIECES].into_iter().for_each(|option| drawn.0[option] = 0);
        }
        // Within a bound on preemptions there is one strategy.
        if drawn.0[STRATEGY] != 0 && drawn.0[PREEMPTIONS] != 0 {
            drawn.0[if rng.chance(50) { PREEMPTIONS } else { STRATEGY }] = 0;
        }
        // Three threads with two calls each are too large for brute force.
        if drawn.0[THREADS] != 0 && drawn.0[CALLS] != 0 {
            drawn.0[if rng.chance(50) { CALLS } else { THREADS }] = 0;
        }
        drawn
    }

    fn por(self) -> Option<Por> {
        let other = || usize::from(self.0[STRATEGY]).checked_sub(1).map(|index| STRATEGIES[index]);
        if self.0[SHORTEST] != 0 { Some(Por::ShortestFirst) } else { other() }
    }

    fn preemptions(self) -> Option<u32> {
        u32::from(self.0[PREEMPTIONS]).checked_sub(1)
    }

    fn extent(self) -> Extent {
        Extent {
            threads: if self.0[THREADS] == 0 { 2 } else { 3 },
            calls: if self.0[CALLS] == 0 { 1 } else { 2 },
            globals_initial: self.0[GLOBALS] != 0,
            preemptions: self.preemptions(),
        }
    }

    /// Of a program, or of operations.
    fn joint(self, base: JointOptions) -> JointOptions {
        let likely = if self.0[LIKELY] == 0 { Likely::Never } else { Likely::First };
        let (schedules, por) = (Schedules::within(self.preemptions()), self.por());
        JointOptions { schedules, likely, por, atomic_blocks: self.0[BLOCKS] != 0, ..base }
    }

    fn config(self) -> Config {
        let summaries = [Summaries::Pays, Summaries::Never, Summaries::Always][usize::from(self.0[SUMMARIES])];
        Config { weak: Weak::Accept, merge: self.0[MERGE] != 0, summaries, ..Config::default() }
    }

    /// Explores as it is drawn, whatever is explored.
    pub(crate) fn explore(
        self,
        explore: impl Fn(NonZeroUsize, [u64; 3], &Budget, Paused<'static>) -> Result<Exploration, EngineError>,
    ) -> anyhow::Result<Exploration> {
        let (workers, shares) = match self.0[DIVIDED] {
            0 => (NonZeroUsize::MIN, explore::SHARES),
            _ => (NonZeroUsize::MIN.saturating_add(1), crate::engine::TINY_SHARES),
        };
        if self.0[PIECES] == 0 {
            return Ok(explore(workers, shares, &patience(self.preemptions().is_some()), Paused::default())?);
        }
        in_pieces(patience(self.preemptions().is_some()), |budget, paused| explore(workers, shares, budget, paused))
    }

    /// What is other than by itself.
    fn names(self) -> String {
        let others = self.0.iter().zip(NAMES).filter(|(value, _)| **value != 0);
        others.map(|(value, name)| format!("{name}={value}")).collect::<Vec<_>>().join(", ")
    }
}

/// Compares so many programs, and so many libraries. False when any differed.
pub fn run([programs, libraries]: [u64; 2], first: u64, keep: &Path) -> anyhow::Result<bool> {
    let scratch = tempfile::tempdir()?;
    let begun = Instant::now();
    let mut table = [[0u64; COUNT]; COUNT];
    let (mut different, mut too_large) = (0, 0);
    for (library, count) in [(false, programs), (true, libraries)] {
        let (mut compared, mut seed) = (0, first);
        while compared < count {
            let mut rng = Rng::new(seed ^ 0x6f70_7469_6f6e_7300);
            let drawn = Drawn::new(&mut rng, if library { COUNT } else { OF_LIBRARIES });
            let this = seed;
            seed += 1;
            let outcome = if library {
                of_library(this, drawn, scratch.path())?
            } else {
                of_program(this, drawn, scratch.path())?
            };
            let Some((source, difference)) = outcome else {
                too_large += 1;
                continue;
            };
            compared += 1;
            drawn.count(&mut table);
            if !difference.is_empty() {
                different += 1;
                std::fs::create_dir_all(keep)?;
                let name = format!("{}{this}", if library { "library" } else { "program" });
                std::fs::write(keep.join(format!("{name}.c")), &source)?;
                std::fs::write(keep.join(format!("{name}.txt")), format!("{}\n{difference}", drawn.names()))?;
                eprintln!("{name} with {}: {difference}", drawn.names());
            }
        }
    }
    println!(
        "{programs} programs and {libraries} libraries compared ({too_large} too large), seeds from {first}: {different} differ; {:.1} s",
        begun.elapsed().as_secs_f64()
    );
    print!("{}", in_words(&table));
    Ok(different == 0)
}

impl Drawn {
    fn count(self, table: &mut [[u64; COUNT]; COUNT]) {
        let others = |index: usize| self.0[index] != 0;
        for one in (0..COUNT).filter(|&one| others(one)) {
            for other in (one..COUNT).filter(|&other| others(other)) {
                table[one][other] += 1;
            }
        }
    }
}

/// In how many cases both options of a pair were other than by themselves; of one option, in the diagonal.
fn in_words(table: &[[u64; COUNT]; COUNT]) -> String {
    let mut text = String::new();
    for (one, name) in NAMES.iter().enumerate() {
        let _ = write!(text, "{name:>16}");
        for row in table.iter().take(one + 1) {
            let _ = write!(text, " {:>6}", row[one]);
        }
        text.push('\n');
    }
    text
}

/// A program, and what is different about it. `None`: it is too large.
fn of_program(seed: u64, drawn: Drawn, scratch: &Path) -> anyhow::Result<Option<(String, String)>> {
    let program = testkit::program::generate(seed, &testkit::program::Config::default());
    let semantics = Semantics { preemptions: drawn.preemptions(), ..Semantics::default() };
    let Ok(expected) = testkit::program::explore(&program, &semantics) else { return Ok(None) };
    let source = testkit::program::render(&program);
    let mut engine = engine(lower(&source, scratch)?, 2)?;
    engine.config = Config { weak: engine.config.weak, ..drawn.config() };
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let origin = Origin::Main { program: Arc::clone(&engine.program), main, limits: LIMITS, config: engine.config };
    let options = drawn.joint(OPTIONS);
    let explored = from(&mut engine, drawn, |workers, budget, paused| {
        explore(workers, &origin, options, budget, &mut (), "main", paused)
    })?;
    if explored.exhausted.is_some() {
        return Ok(None);
    }
    let reached = programs::lines_reached(&engine.program.module, &explored)?;
    let difference = programs::compare(&source, &expected, (&explored, &reached));
    Ok(Some((source, difference)))
}

/// Explores as it is drawn, with engines like this one, which takes over what is lost.
pub(crate) fn from(
    engine: &mut Engine,
    drawn: Drawn,
    explore: impl Fn(Workers, &Budget, Paused<'static>) -> Result<Exploration, EngineError>,
) -> anyhow::Result<Exploration> {
    let new_engine = new_engine(engine);
    let explored = drawn.explore(|count, shares, budget, paused| {
        explore(Workers { count, new_engine: &new_engine, shares }, budget, paused)
    })?;
    take_over(engine, &explored);
    Ok(explored)
}

/// A library, and what is different about it. `None`: it is too large.
fn of_library(seed: u64, drawn: Drawn, scratch: &Path) -> anyhow::Result<Option<(String, String)>> {
    let library = testkit::library::generate(seed);
    let extent = drawn.extent();
    let Ok(expected) = testkit::library::judge(&library, extent, &crate::libraries::bounds(extent)) else {
        return Ok(None);
    };
    let source = testkit::library::render(&library);
    let joint = drawn.joint(JointOptions::default());
    let mut comparison = Comparison::new(&library, (&source, extent), &expected, scratch, (drawn.config(), joint))?;
    for entry in &expected.entries {
        if !comparison.drawn(entry, drawn)? {
            return Ok(None);
        }
    }
    comparison.losses();
    let whole = !crate::libraries::counts_for_ever(&library, &comparison.engine);
    Ok(whole.then_some((source, comparison.text)))
}
