//! What a search depends on, from the command line and `raddle.toml`.

use crate::options::{
    Bounds, CheckOptions, Contracts, Extent, ExternMode, Globals, GpuOptions, Heaps, Merge, NativeTests,
    PrivateParameter, Property, RacesOptions, Required, Roots, Summaries, Volatile,
};
use crate::run::Run;
use explore::{Likely, Por, RootRule, Schedules};
use machine::{Config, External, Forget, Repeats, Weak};
use memory::{HeapRules, Limits};
use report::FindingKind;
use std::num::NonZeroUsize;

/// Instructions that an operation alone may take between two choices.
const QUIET_STEPS: u64 = 200_000;

/// What a search depends on.
#[derive(Clone, Debug)]
pub(super) struct Parameters {
    pub bounds: Bounds,
    pub schedules: Schedules,
    /// How all orders are covered; none: as is best for the program.
    pub por: Option<Por>,
    pub spurious: u32,
    /// How calls without body and model are taken.
    pub external: External,
    /// What the user says about that.
    pub external_given: Option<ExternMode>,
    pub likely: Likely,
    /// What counts; none: everything.
    pub property: Option<Property>,
    /// The first finding is enough.
    pub stop_on_finding: bool,
    /// Races are looked for without running the program first, where that is all that is asked for.
    pub locksets: bool,
    /// What kernels run on, where a program launches them.
    pub device: Option<machine::Device>,
    /// That a buffer of a kernel's ends is no failure.
    pub open_ended: bool,
    pub library: LibraryParameters,
    pub workers: NonZeroUsize,
    pub summaries: Summaries,
    pub native_tests: NativeTests,
    /// Remedies are tried for what is found.
    pub remedies: bool,
}

/// What a search through the operations of a library depends on besides, one field for each thing.
#[derive(Clone, Debug)]
pub(super) struct LibraryParameters {
    pub roots: Roots,
    pub heaps: Heaps,
    pub globals_initial: bool,
    pub rules: HeapRules,
    pub private: Vec<PrivateParameter>,
    pub contracts: Contracts,
    pub valid: Option<String>,
    /// `raddle.toml` names the predicate.
    pub valid_configured: bool,
    pub operations: Vec<String>,
    pub operations_configured: bool,
    /// Of a client that leads to a race; 0: none is looked for.
    pub client_calls: u32,
    /// Of clients that build heaps, those at once included.
    pub reaching_calls: u32,
    /// What counts.
    pub require: Option<report::ShapeBasis>,
}

impl Parameters {
    fn new(bounds: &Bounds, run: &Run) -> Self {
        Parameters {
            bounds: bounds.clone(),
            schedules: match bounds.sampling {
                Some(sampling) => Schedules::Random(sampling),
                None => Schedules::within(bounds.preemptions),
            },
            por: None,
            spurious: bounds.spurious.unwrap_or(1),
            external: External::Harmless,
            external_given: None,
            // Not within a bound on preemptions, nor where executions are random ([`explore::Origin`]).
            likely: Likely::First,
            property: None,
            stop_on_finding: false,
            locksets: false,
            device: None,
            open_ended: false,
            library: LibraryParameters {
                roots: Roots::Same,
                heaps: Heaps::Any,
                globals_initial: false,
                rules: HeapRules::default(),
                private: Vec::new(),
                contracts: Contracts::default(),
                valid: None,
                valid_configured: false,
                operations: Vec::new(),
                operations_configured: false,
                client_calls: 0,
                reaching_calls: 0,
                require: None,
            },
            workers: run.workers,
            summaries: run.summaries,
            native_tests: run.native_tests,
            remedies: run.remedies,
        }
    }

    pub(super) fn of_check(options: &CheckOptions, run: &Run) -> Self {
        let external = options.external.in_program();
        Parameters {
            external,
            por: options.por(),
            property: options.property.clone(),
            stop_on_finding: options.stop_on_finding,
            locksets: !options.no_locksets,
            ..Parameters::new(&options.bounds, run)
        }
    }

    pub(super) fn of_gpu(options: &GpuOptions, run: &Run) -> Self {
        Parameters {
            external: if options.external == ExternMode::Fail { External::Stop } else { External::Harmless },
            external_given: Some(options.external),
            likely: Likely::Never,
            stop_on_finding: options.stop_on_finding,
            // What a thread computes depends on where it is.
            summaries: Summaries::Never,
            ..Parameters::new(&options.bounds(), run)
        }
    }

    pub(super) fn of_races(options: &RacesOptions, run: &Run) -> Self {
        Parameters {
            external: if options.external == Some(ExternMode::Fail) { External::Stop } else { External::Harmless },
            external_given: options.external,
            likely: match options.extent {
                Extent::Guided => Likely::Only,
                Extent::Complete | Extent::Walk | Extent::Pct | Extent::Pos | Extent::Surw => Likely::First,
            },
            library: LibraryParameters {
                roots: options.roots,
                heaps: options.heaps,
                globals_initial: options.globals == Globals::Initial,
                rules: options.rules,
                private: options.private.clone(),
                contracts: options.contracts.clone(),
                valid: options.valid.clone(),
                valid_configured: options.valid_configured,
                operations: options.operations.clone(),
                operations_configured: options.operations_configured,
                client_calls: options.client_calls,
                reaching_calls: options.reaching_calls,
                require: options.require.map(Required::basis),
            },
            ..Parameters::new(&options.bounds, run)
        }
    }

    pub(super) fn limits(&self) -> Limits {
        Limits { depth: self.bounds.depth, array: self.bounds.array, rules: self.library.rules }
    }

    /// Whether it is to be known how many executions there are: not where one thing is asked about.
    pub(super) fn counts_executions(&self) -> bool {
        self.property.is_none() && !self.stop_on_finding
    }

    /// Whether nobody asks about uses of uninitialised values: those are no failures then, and what follows is explored for any value.
    fn ignores_indeterminate(&self) -> bool {
        self.property.as_ref().is_some_and(|property| !property.asks_for(FindingKind::UninitializedRead))
    }

    pub(super) fn roots(&self) -> RootRule {
        if self.library.roots == Roots::Any { RootRule::Any } else { RootRule::Same }
    }

    /// For threads that run together.
    pub(super) fn together(&self) -> Config {
        let together = Config {
            unroll: self.bounds.unroll,
            most_threads: self.bounds.most_threads,
            spurious: self.spurious,
            fail_alloc: self.bounds.fail_alloc,
            relaxed_volatile: self.bounds.volatile == Volatile::Relaxed,
            any_indeterminate: self.ignores_indeterminate(),
            error_location: self.property.as_ref().is_some_and(Property::is_error_location),
            member_bounds: self.library.heaps == Heaps::Reached,
            open_ended: self.open_ended,
            device: self.device,
            weak: if self.bounds.accept_sc { Weak::Accept } else { Weak::Note },
            external: self.external,
            // In an execution at random who has looked in vain looks again, and others come then.
            repeats: if self.bounds.sampling.is_some() { Repeats::Ignore } else { Repeats::Exact },
            forget: Forget::Latest,
            dates: true,
            merge: self.bounds.merge == Some(Merge::Pays),
            // A summary has names for what is indeterminate, and each call has values of its own.
            summaries: match self.summaries {
                _ if self.ignores_indeterminate() => machine::Summaries::Never,
                Summaries::Never => machine::Summaries::Never,
                Summaries::Pays => machine::Summaries::Pays,
                Summaries::Always => machine::Summaries::Always,
            },
            ..Config::default()
        };
        self.por.map_or(together, |por| por.config(together))
    }

    /// For operations that run alone.
    pub(super) fn alone(&self) -> Config {
        Config {
            repeats: Repeats::Control,
            endless_rounds: self.bounds.unroll,
            quiet_steps: QUIET_STEPS,
            wakes: false,
            ..self.together()
        }
    }
}
