//! The flags of a search, which all commands share that begin one.

use crate::config::Config;
use crate::numbers;
use clap::Args;
use session::errors::UsageError;
use session::options::{
    Bounds, ExternMode, MemoryModel, Merge, NativeTests, Roots, Sampler, Sampling, Summaries, Volatile,
};
use session::solver::SolverFlags;
use std::num::{NonZeroU32, NonZeroU64, NonZeroUsize};
use std::time::Duration;

/// How the search goes. Every command takes these flags; those that search show them. One field for each flag.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search")]
pub(crate) struct Search {
    /// Objects on a pointer chain, the root is 1; at the limit a pointer is null or leads to an existing object
    /// [default: 3]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) depth: Option<NonZeroU32>,
    /// Elements of an array whose length is not known [default: 2]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u64, allow_negative_numbers = true)]
    pub(super) array: Option<NonZeroU64>,
    /// Iterations of one loop, and depth of recursion [default: 64]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) unroll: Option<NonZeroU32>,
    /// Threads that a program may create: one more ends the path in the ledger [default: 250]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) max_threads: Option<NonZeroU32>,
    /// Executions at random (--search walk, pct, pos, surw) from each initial state [default: 1000]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) samples: Option<NonZeroU32>,
    /// Of the bugs that --search pct looks for: pairs of steps that have to come in one order [default: 3]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) bug_depth: Option<NonZeroU32>,
    /// Preemptions in one schedule [default: unbounded]
    #[arg(long, value_name = "N", value_parser = numbers::natural_u32, allow_negative_numbers = true)]
    pub(super) preemptions: Option<u32>,
    /// Threads that run operations together, in every combination [default: 2]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) threads: Option<NonZeroU32>,
    /// Calls that each thread makes at the most, one after the other: all sequences of operations up to that length
    /// [default: 1]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) calls: Option<NonZeroU32>,
    /// Whether parameters of one type denote one object in all threads, or also neighbours and unrelated ones
    /// [default: same]
    #[arg(long, value_enum, value_name = "OBJECTS")]
    pub(super) roots: Option<Roots>,
    /// A function `bool ok(const struct T *)` of the program, for kernels a `__device__` one: only data structures that it accepts are explored
    #[arg(long, value_name = "FUNCTION")]
    pub(super) valid: Option<String>,
    /// Accept a memory model: with `sc`, atomics weaker than `seq_cst` are sequentially consistent without a ledger line
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(super) memory: Option<MemoryModel>,
    /// What a call does of a function that has neither a body nor a model: `havoc`, it returns any value, and failures that
    /// depend on it are not confirmed; `fail`, the path ends there [default: havoc; operations of a library end where
    /// nothing is known of the function]
    #[arg(long = "extern", value_enum, value_name = "EFFECT")]
    pub(super) external: Option<ExternMode>,
    /// Spurious wake-ups of one wait [default: 1; 0 for programs of SV-COMP]
    #[arg(long, value_name = "N", value_parser = numbers::natural_u32, allow_negative_numbers = true)]
    pub(super) spurious: Option<u32>,
    /// Explore failing allocations too: each call of the malloc family, and each creation of a thread, may fail
    #[arg(long)]
    fail_alloc: bool,
    /// What volatile accesses are: `plain` ones, or `relaxed` atomic ones, as old code means them [default: plain]
    #[arg(long, value_enum, value_name = "MEANING")]
    pub(super) volatile: Option<Volatile>,
    /// Whether both ways of a branch are gone at once, with numbers that depend on its condition, where they meet again at
    /// once: never, or where it pays by an estimate [default: pays for a whole program, never for operations]
    #[arg(long, value_enum, value_name = "WHEN")]
    pub(super) merge: Option<Merge>,
    /// Whether what a call of a function does that only computes, reads and writes is kept, and applied when it is called in the
    /// same way again: never, where that is measured to pay, or always. The results are the same
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    pub(super) summaries: Summaries,
    /// Whether the tests of races are built and run that may depend on a function without a body and a model, with the
    /// real function: of a race that shows so, it counts. This runs the program
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    pub(super) native_tests: NativeTests,
    /// Do not try remedies for what is found: without this, locks held for longer are written into the program, and all
    /// that comes to them is explored again, in a quarter of --max-time at the most
    #[arg(long)]
    no_remedies: bool,
    /// Seconds after which the search ends and reports what it has
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    pub(super) max_time: Option<Duration>,
    /// Mebibytes of memory at which the search ends and reports what it has [default: four fifths of the machine's]
    #[arg(long, value_name = "MIB", value_parser = numbers::positive_u64, allow_negative_numbers = true)]
    pub(super) max_memory: Option<NonZeroU64>,
    /// Seed of executions at random, and of --search random; nothing else is random
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = numbers::natural_u64, allow_negative_numbers = true)]
    pub(super) seed: u64,
    /// Workers that search in parallel, with equal results whatever their number [default: one for each core]
    #[arg(long, value_name = "N", value_parser = numbers::positive_u32, allow_negative_numbers = true)]
    pub(super) workers: Option<NonZeroU32>,
    #[command(flatten)]
    pub(crate) solver: SolverFlags,
}

impl Search {
    pub(crate) fn max_time(&self) -> Option<Duration> {
        self.max_time
    }

    pub(crate) fn max_memory_mib(&self) -> Option<u64> {
        self.max_memory.map(NonZeroU64::get)
    }

    /// The flags given that a search from `main` has no use for.
    pub(crate) fn without_effect_under_check(&self) -> Vec<&'static str> {
        let given = [
            ("--threads", self.threads.is_some()),
            ("--calls", self.calls.is_some()),
            ("--roots", self.roots.is_some()),
            ("--valid", self.valid.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    /// The flags given that a launch has no use for.
    pub(crate) fn without_effect_under_gpu(&self) -> Vec<&'static str> {
        let given = [
            ("--threads", self.threads.is_some()),
            ("--calls", self.calls.is_some()),
            ("--roots", self.roots.is_some()),
            ("--spurious", self.spurious.is_some()),
            ("--volatile", self.volatile.is_some()),
            ("--merge", self.merge.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    /// The flags given that a search which goes on has no use for.
    pub(crate) fn without_effect_under_resume(&self) -> Vec<&'static str> {
        let given = [
            ("--depth", self.depth.is_some()),
            ("--array", self.array.is_some()),
            ("--unroll", self.unroll.is_some()),
            ("--preemptions", self.preemptions.is_some()),
            ("--samples", self.samples.is_some()),
            ("--bug-depth", self.bug_depth.is_some()),
            ("--threads", self.threads.is_some()),
            ("--calls", self.calls.is_some()),
            ("--roots", self.roots.is_some()),
            ("--valid", self.valid.is_some()),
            ("--memory", self.memory.is_some()),
            ("--extern", self.external.is_some()),
            ("--spurious", self.spurious.is_some()),
            ("--fail-alloc", self.fail_alloc),
            ("--volatile", self.volatile.is_some()),
            ("--merge", self.merge.is_some()),
        ];
        given.into_iter().filter(|(_, given)| *given).map(|(flag, _)| flag).collect()
    }

    pub(crate) fn workers(&self) -> NonZeroUsize {
        let asked = self.workers.and_then(|workers| NonZeroUsize::new(workers.get() as usize));
        asked.or_else(|| std::thread::available_parallelism().ok()).unwrap_or(NonZeroUsize::MIN)
    }

    pub(crate) fn native_tests(&self) -> NativeTests {
        self.native_tests
    }

    pub(crate) fn remedies(&self) -> bool {
        !self.no_remedies
    }

    pub(crate) fn summaries(&self) -> Summaries {
        self.summaries
    }

    pub(super) fn bounds(&self, config: &Config) -> Bounds {
        let (defaults, configured) = (Bounds::default(), &config.bounds);
        Bounds {
            depth: self.depth.or(configured.depth).map_or(defaults.depth, NonZeroU32::get),
            array: self.array.or(configured.array).map_or(defaults.array, NonZeroU64::get),
            unroll: self.unroll.or(configured.unroll).map_or(defaults.unroll, NonZeroU32::get),
            most_threads: self.max_threads.map_or(defaults.most_threads, NonZeroU32::get),
            preemptions: self.preemptions.or(configured.preemptions),
            sampling: None,
            order: Default::default(),
            threads: self.threads.or(configured.threads).map_or(defaults.threads, NonZeroU32::get),
            calls: self.calls.or(configured.calls).map_or(defaults.calls, NonZeroU32::get),
            accept_sc: self.memory == Some(MemoryModel::Sc),
            spurious: self.spurious,
            fail_alloc: self.fail_alloc,
            volatile: self.volatile.unwrap_or_default(),
            merge: self.merge,
        }
    }

    /// The executions at random that are asked for, by `sampler` of the depth of bugs; none where all are to be explored.
    ///
    /// # Errors
    /// When something else is asked for as well that goes with the other.
    pub(super) fn sampling(
        &self,
        sampler: impl Fn(u32) -> Option<Sampler>,
        bounds: &Bounds,
    ) -> Result<Option<Sampling>, UsageError> {
        let sampler = sampler(self.bug_depth.map_or(BUG_DEPTH, NonZeroU32::get));
        let conflict = match sampler {
            None if self.samples.is_some() => {
                "--samples is for executions at random: add --search walk, pct, pos or surw, or leave --samples out"
            }
            sampler if self.bug_depth.is_some() && !matches!(sampler, Some(Sampler::Pct { .. })) => {
                "--bug-depth is for --search pct: add that, or leave --bug-depth out"
            }
            None => return Ok(None),
            Some(_) if bounds.preemptions.is_some() => {
                "executions at random are scheduled without a bound on preemptions: leave out --search, or --preemptions \
                 (raddle.toml may set the bound)"
            }
            Some(sampler) => {
                let count = self.samples.map_or(SAMPLES, NonZeroU32::get);
                return Ok(Some(Sampling { sampler, count, seed: self.seed }));
            }
        };
        Err(UsageError::new("unsupported_search", conflict.to_owned()))
    }
}

/// Pairs of steps that have to come in one order for a bug to show, where `--bug-depth` does not say: most that are known take no more
/// (Burckhardt et al., ASPLOS 2010, section 2).
const BUG_DEPTH: u32 = 3;

/// Executions at random from each initial state, where `--samples` does not say.
const SAMPLES: u32 = 1000;

pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let number: f64 = text.parse().map_err(|_| "not a number of seconds".to_owned())?;
    if number < 0.0 {
        return Err("must not be negative".to_owned());
    }
    // Not a number, infinite, or beyond what a clock can hold.
    Duration::try_from_secs_f64(number).map_err(|_| "more seconds than a clock can count".to_owned())
}
