//! What a command was asked for, as plain data: the command line, completed by `raddle.toml` and the defaults.
//!
//! Knows nothing of how it is written on a command line.

use explore::{Por, SearchOrder, UnfoldingOptions};
pub use explore::{Sampler, Sampling};
use machine::External;
pub use machine::Sched;
pub use memory::HeapRules;
use report::Claim;
pub use report::Property;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// How the report is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Format {
    #[default]
    Text,
    Json,
}

/// What parameters of one pointer type denote in different threads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
pub enum Roots {
    /// One object.
    #[default]
    Same,
    /// Also neighbours and unrelated objects.
    Any,
}

/// What global variables hold at the start of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Globals {
    /// Any value; constants, function tables and sync objects keep theirs.
    #[default]
    Symbolic,
    /// What the source gives them.
    Initial,
}

/// On which heaps operations run together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Heaps {
    /// On every heap within the bounds on which each by itself goes well.
    #[default]
    Any,
    /// On those that clients build by public calls from the program's own initial state.
    Reached,
    /// On those that clients build first, in a third of the time, then on any.
    Both,
}

/// How far `races` searches.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Extent {
    /// Only the guided search, for likely races.
    Guided,
    /// All executions within the bounds.
    #[default]
    Complete,
    /// Some at random: who goes on is one of those that can.
    Walk,
    /// Some at random, by probabilistic concurrency testing.
    Pct,
    /// Some at random, by partial order sampling.
    Pos,
    /// Some at random, by selectively uniform random walks.
    Surw,
}

impl Extent {
    /// Who goes on in executions at random, if that is what is asked for. `depth`: of bugs, for [`Sampler::Pct`].
    pub fn sampler(self, depth: u32) -> Option<Sampler> {
        match self {
            Extent::Guided | Extent::Complete => None,
            Extent::Walk => Some(Sampler::Walk),
            Extent::Pct => Some(Sampler::Pct { depth }),
            Extent::Pos => Some(Sampler::Pos),
            Extent::Surw => Some(Sampler::Surw),
        }
    }
}

/// Which executions of a program `check` runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Executions {
    /// All within the bounds, depth first.
    #[default]
    Dfs,
    /// All within the bounds, depth first, where who goes on first is drawn (--seed).
    Random,
    /// All within the bounds, depth first, and where there is a choice, first to code that was not reached yet.
    Coverage,
    /// All within the bounds, depth first, and where there is a choice, first what has not followed before what it depends on.
    NewEvents,
    /// Some at random: who goes on is one of those that can.
    Walk,
    /// Some at random, by probabilistic concurrency testing: what takes few ordered steps (--bug-depth) is found with a probability that
    /// the report gives.
    Pct,
    /// Some at random, by partial order sampling: who goes on is drawn for the next action of each, anew for those that depend on what
    /// was done.
    Pos,
    /// Some at random, by selectively uniform random walks: the orders of what is done to one place, each as likely as the others.
    Surw,
}

impl Executions {
    /// As [`Extent::sampler`].
    pub fn sampler(self, depth: u32) -> Option<Sampler> {
        match self {
            Executions::Dfs | Executions::Random | Executions::Coverage | Executions::NewEvents => None,
            Executions::Walk => Some(Sampler::Walk),
            Executions::Pct => Some(Sampler::Pct { depth }),
            Executions::Pos => Some(Sampler::Pos),
            Executions::Surw => Some(Sampler::Surw),
        }
    }

    /// What comes first, where all are run.
    pub fn order(self, seed: u64) -> SearchOrder {
        match self {
            Executions::Random => SearchOrder::Random(seed),
            Executions::Coverage => SearchOrder::Coverage,
            Executions::NewEvents => SearchOrder::NewEvents,
            _ => SearchOrder::Given,
        }
    }
}

/// How all orders of what threads do are covered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Strategy {
    /// What follows from each state is explored once, and executions are counted; by states where a program never ends, or where one thing
    /// is asked about.
    #[default]
    Visited,
    /// Each state is gone on from once, the shortest runs first, and executions are not counted.
    States,
    /// Each execution is run that is not equivalent to another: dynamic partial-order reduction.
    Dpor,
    /// The unfolding: each event once, and nothing behind those that lead to a state that fewer lead to.
    Unfolding,
}

/// A memory model that the user accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum MemoryModel {
    /// Sequential consistency, also for weaker atomics.
    Sc,
}

/// What a call does of a function that has neither a body nor a model. In each case the ledger has it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
pub enum ExternMode {
    /// It returns any value and leaves any contents in what its arguments lead to; failures that depend on it are not
    /// confirmed.
    #[default]
    Havoc,
    /// The path ends there.
    Fail,
}

impl ExternMode {
    /// In a whole program.
    pub fn in_program(self) -> External {
        match self {
            ExternMode::Havoc => External::Havoc,
            ExternMode::Fail => External::Stop,
        }
    }
}

/// What a volatile access is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
pub enum Volatile {
    /// An access like any other (C11 5.1.2.3): it can race.
    #[default]
    Plain,
    /// A relaxed atomic access, as code from before C11 means it.
    Relaxed,
}

/// Whether both ways of a branch are gone at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
pub enum Merge {
    /// Where they meet again at once, and an estimate says that it pays.
    Pays,
    Never,
}

/// When a call is not computed again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum Summaries {
    Never,
    /// Where that is measured to pay.
    #[default]
    Pays,
    /// Wherever it is possible.
    Always,
}

/// Which races are tried natively, by their tests.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum NativeTests {
    /// Whose program it is runs it.
    #[default]
    Never,
    /// Those that may depend on a function without a body and a model: the real one decides.
    Unconfirmed,
}

/// How far the search goes. One field for each bound; written into unfinished searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Bounds {
    /// Objects on a pointer chain; the root is 1.
    pub depth: u32,
    /// Elements of an array of unknown length.
    pub array: u64,
    /// Iterations of one loop, recursion depth.
    pub unroll: u32,
    /// Threads that a program creates.
    #[serde(default = "most_threads")]
    pub most_threads: u32,
    /// `None`: unbounded.
    pub preemptions: Option<u32>,
    /// `None`: all executions are explored.
    #[serde(default)]
    pub sampling: Option<Sampling>,
    /// What comes first of all that is run.
    #[serde(default)]
    pub order: SearchOrder,
    pub threads: u32,
    /// The most that one thread makes, one after the other.
    pub calls: u32,
    /// Weaker atomics are taken for sequentially consistent without a ledger line: `--memory sc` was given.
    pub accept_sc: bool,
    /// Spurious wake-ups of one wait. `None`: not given, which is 1, and 0 under SV-COMP's rules.
    pub spurious: Option<u32>,
    pub fail_alloc: bool,
    pub volatile: Volatile,
    /// `None`: not given, which is [`Merge::Pays`] for a whole program.
    #[serde(default)]
    pub merge: Option<Merge>,
}

fn most_threads() -> u32 {
    machine::MOST_THREADS
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            depth: 3,
            array: 2,
            unroll: 64,
            most_threads: most_threads(),
            preemptions: None,
            sampling: None,
            order: SearchOrder::Given,
            threads: 2,
            calls: 1,
            accept_sc: false,
            spurious: None,
            fail_alloc: false,
            volatile: Volatile::Plain,
            merge: None,
        }
    }
}

/// `raddle check`
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct CheckOptions {
    pub bounds: Bounds,
    pub external: ExternMode,
    pub strategy: Strategy,
    /// States that come up again are gone on from again.
    pub no_cutoffs: bool,
    /// [`explore::UnfoldingOptions::alternatives`]
    pub alternatives: u32,
    /// All events of the unfolding go into the report.
    #[serde(default)]
    pub keeps_events: bool,
    /// What counts; `None`: everything.
    #[serde(default)]
    pub property: Option<Property>,
    /// The first finding is enough.
    #[serde(default)]
    pub stop_on_finding: bool,
    /// The program is run also where locksets show that it has no race, and nothing else is asked for.
    #[serde(default)]
    pub no_locksets: bool,
}

impl CheckOptions {
    /// How all orders are covered; none: as is best for the program.
    pub(crate) fn por(&self) -> Option<Por> {
        let unfolding =
            UnfoldingOptions { cutoffs: !self.no_cutoffs, alternatives: self.alternatives, kept: self.keeps_events };
        match (self.strategy, self.no_cutoffs) {
            (Strategy::Visited, false) => None,
            (Strategy::States, _) => Some(Por::ShortestFirst),
            (Strategy::Visited, true) | (Strategy::Dpor, _) => Some(Por::SourceSets),
            (Strategy::Unfolding, _) => Some(Por::Unfolding(unfolding)),
        }
    }
}

/// `raddle cover`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CoverOptions {
    /// Bounds, and how the program is run.
    pub check: CheckOptions,
    /// Where the suite is written to, as C tests.
    pub tests: Option<PathBuf>,
    /// Of a library, what is to be called at once, as typed; empty: the program has a `main`.
    pub operations: Vec<String>,
    /// Of a client that calls them, those at once included.
    pub client_calls: u32,
    /// The most interferences; none: as many as it takes.
    pub max_degree: Option<u32>,
    /// Pairs of a write and a read of another thread are covered, not branches.
    pub def_use: bool,
    /// The suite of an earlier version of the program.
    pub baseline: Option<PathBuf>,
    /// Without the optimisations of Con2colic, section 7.5: unsat-core guidance, duplication freedom, prioritised exploration.
    pub no_guidance: bool,
    pub duplicates: bool,
    pub no_priorities: bool,
    /// Without what leaves out scenarios for which others stand, which the paper has not.
    pub no_subsumption: bool,
}

/// `raddle synth`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SynthOptions {
    /// As typed.
    pub tests: Vec<PathBuf>,
    /// As typed; empty: all that tests call.
    pub operations: Vec<String>,
    /// The folder of the tests that are written.
    pub output: PathBuf,
    /// Each test is built and run once.
    pub runs_natively: bool,
    /// How clients are explored.
    pub check: CheckOptions,
}

/// `raddle gpu`
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GpuOptions {
    /// But for the length of arrays.
    pub bounds: Bounds,
    /// Elements of an array of unknown length; none: as many as the launch has threads, twice.
    pub array: Option<u64>,
    pub external: ExternMode,
    /// As typed; none: the only one.
    pub kernel: Option<String>,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The user says how large the launch is.
    #[serde(default)]
    pub sized: bool,
    /// Threads of a warp.
    pub warp: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    pub sched: Sched,
    /// Whether all threads are looked at at once, by flows.
    #[serde(default)]
    pub flows: Flows,
    /// What variables of the device hold; none: what the source gives them.
    pub globals: Option<Globals>,
    /// The function that says whether a heap is valid.
    pub valid: Option<String>,
    pub stop_on_finding: bool,
    /// Whether it is asked under which launches nothing races.
    #[serde(default)]
    pub infer: Option<InferOptions>,
}

/// Which launches are looked at where conditions on them are inferred: the largest, by dimension.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct InferOptions {
    pub most_grid: Option<[u32; 3]>,
    pub most_block: Option<[u32; 3]>,
}

/// When all threads of a launch are looked at at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Flows {
    /// Where the launch has too many of them to explore what they do in all orders.
    #[default]
    Auto,
    /// First; thread by thread only where that is not enough.
    Always,
    Never,
}

impl GpuOptions {
    /// The claim of a complete search from `main`: launches are the program's own.
    pub fn claim_of_program(&self) -> Claim {
        self.bounds().claim()
    }

    /// The claim that a complete search within these options makes. The kernel may not be known yet.
    pub fn claim(&self) -> Claim {
        let threads = self.grid.iter().chain(&self.block).fold(1u32, |all, &size| all.saturating_mul(size));
        Claim {
            threads,
            globals: Some(self.globals.unwrap_or(Globals::Initial).name()),
            kernel: self.kernel.clone(),
            launch: Some(report::Launch {
                grid: self.grid,
                block: self.block,
                warp: self.warp,
                shared: self.shared,
                sched: self.sched.name(),
            }),
            ..self.bounds().claim()
        }
    }
}

/// `raddle summarize`
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SummarizeOptions {
    /// As typed; empty: all.
    pub functions: Vec<String>,
    pub bounds: Bounds,
}

/// `raddle races`: one field for each thing that can be asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RacesOptions {
    pub bounds: Bounds,
    /// As typed: a C name or `file.c:name`; empty: the default set.
    pub operations: Vec<String>,
    /// `raddle.toml` names them, not the command line.
    pub operations_configured: bool,
    /// The function that says whether a shape is valid.
    pub valid: Option<String>,
    /// `raddle.toml` names that function, not the command line.
    pub valid_configured: bool,
    pub roots: Roots,
    pub globals: Globals,
    #[serde(default)]
    pub heaps: Heaps,
    /// Calls of the clients that build heaps, those at once included.
    #[serde(default)]
    pub reaching_calls: u32,
    pub extent: Extent,
    #[serde(default)]
    pub rules: HeapRules,
    /// Parameters that do not denote one object in both threads.
    pub private: Vec<PrivateParameter>,
    #[serde(default)]
    pub contracts: Contracts,
    /// Calls of a client that leads to a race; 0: none is looked for.
    #[serde(default)]
    pub client_calls: u32,
    /// What findings have to rest on to count.
    #[serde(default)]
    pub require: Option<Required>,
    /// As typed.
    #[serde(default)]
    pub external: Option<ExternMode>,
    /// Only what has changed since then.
    #[serde(default)]
    pub changed_since: Option<Since>,
    /// Sequential tests of the library, as typed, which are clients of it.
    #[serde(default)]
    pub tests: Vec<PathBuf>,
}

/// A revision of the repository.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Since {
    /// As typed.
    pub name: String,
    /// What that was when the search began; none if git did not know it.
    pub commit: Option<String>,
}

/// What the heap of a finding rests on, or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum, Serialize, Deserialize)]
pub enum Required {
    /// A client that builds it by public calls
    Reachable,
    /// The predicate of --valid, or a client
    Valid,
    /// Nothing but the default assumptions
    Assumed,
}

impl Required {
    pub fn basis(self) -> report::ShapeBasis {
        match self {
            Required::Reachable => report::ShapeBasis::Reachable,
            Required::Valid => report::ShapeBasis::Valid,
            Required::Assumed => report::ShapeBasis::Assumed,
        }
    }
}

/// A parameter of which each call has an object of its own, as the user names it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrivateParameter {
    /// As typed: `get.out`, `file.c:get.out`, `*.out`.
    pub text: String,
    /// A C name or `file.c:name`; `None`: every operation that has such a parameter.
    pub function: Option<String>,
    pub parameter: String,
    /// The line of the `raddle.toml` that has it, by file and number; `None`: the command line.
    pub place: Option<(String, u32)>,
}

impl PrivateParameter {
    /// Splits `FUNCTION.PARAMETER`.
    ///
    /// # Errors
    /// When it is not of that form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let is_name =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '$');
        match text.rsplit_once('.') {
            Some((function, parameter)) if !function.trim().is_empty() && is_name(parameter) => Ok(PrivateParameter {
                text: text.to_owned(),
                function: (function != "*").then(|| function.to_owned()),
                parameter: parameter.to_owned(),
                place: None,
            }),
            _ => Err(format!("`{text}` is not of the form `FUNCTION.PARAMETER` or `*.PARAMETER`")),
        }
    }

    /// Where it comes from, for messages.
    pub fn origin(&self) -> String {
        match &self.place {
            Some((file, line)) => format!("{file}:{line}: private `{}`", self.text),
            None => format!("--private {}", self.text),
        }
    }
}

/// What callers keep to: which operations are never called at once. Functions by C name or `file.c:name`, as typed.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Contracts {
    /// Never while another operation runs.
    pub exclusive: Vec<String>,
    /// Groups of operations of which never two run at once, nor one of them twice.
    pub serial: Vec<Vec<String>>,
    /// At once with all others, whatever the code looks like.
    pub concurrent: Vec<String>,
    /// `raddle.toml` says so, not the command line.
    pub configured: bool,
}

impl Contracts {
    pub fn is_empty(&self) -> bool {
        self.exclusive.is_empty() && self.serial.is_empty() && self.concurrent.is_empty()
    }
}

/// A command that searches.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum SearchRequest {
    Check(CheckOptions),
    Races(Box<RacesOptions>),
    Gpu(GpuOptions),
}

impl SearchRequest {
    /// The command that asks for it.
    pub fn command(&self) -> &'static str {
        match self {
            SearchRequest::Check(_) => "check",
            SearchRequest::Races(_) => "races",
            SearchRequest::Gpu(_) => "gpu",
        }
    }
}

/// A witness that was read, not yet understood.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WitnessFile {
    /// As typed.
    pub path: PathBuf,
    pub text: String,
}

/// `raddle replay`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReplayOptions {
    pub witness: WitnessFile,
}

/// `raddle test`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TestOptions {
    pub witness: WitnessFile,
    /// As typed: the build command in the test names it.
    pub output: PathBuf,
}

/// How a test ended natively, by number of runs.
#[derive(Clone, PartialEq, Eq, Default, Debug, serde::Serialize)]
pub struct Runs {
    /// ThreadSanitizer reported (exit code 66).
    pub reported: u32,
    /// The schedule was not reached (3).
    pub not_reached: u32,
    /// Nothing happened (0).
    pub nothing: u32,
    /// Anything else, such as a crash or an assertion that fails.
    pub other: u32,
    /// What the first run printed that did not report, or else the first of all: the lines that say what happened.
    pub said: Option<String>,
}

impl Runs {
    pub fn all(&self) -> u32 {
        self.reported + self.not_reached + self.nothing + self.other
    }
}

/// What `raddle test` writes and prints.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EmittedTest {
    /// See [`witness::Witness::out_of_sight`].
    pub out_of_sight: Option<&'static str>,
    /// The whole C file; its first line is `// build: ` and `build`.
    pub text: String,
    pub build: String,
}

impl Roots {
    pub fn name(self) -> &'static str {
        match self {
            Roots::Same => "same",
            Roots::Any => "any",
        }
    }
}

impl Globals {
    pub fn name(self) -> &'static str {
        match self {
            Globals::Symbolic => "symbolic",
            Globals::Initial => "initial",
        }
    }
}

impl Bounds {
    /// Two threads that make one call each.
    pub fn is_pair(&self) -> bool {
        (self.threads, self.calls) == (2, 1)
    }

    fn claim(&self) -> Claim {
        Claim {
            depth: self.depth,
            array: self.array,
            threads: self.threads,
            calls: self.calls,
            preemptions: self.preemptions,
            unroll: self.unroll,
            spurious: Some(self.spurious.unwrap_or(1)),
            fail_alloc: self.fail_alloc,
            volatile: match self.volatile {
                Volatile::Plain => "plain",
                Volatile::Relaxed => "relaxed",
            },
            ..Claim::default()
        }
    }
}

impl SearchRequest {
    pub fn claim(&self) -> Claim {
        match self {
            SearchRequest::Check(options) => options.claim(),
            SearchRequest::Races(options) => options.claim(),
            SearchRequest::Gpu(options) => options.claim(),
        }
    }
}

impl CheckOptions {
    /// The claim that a complete search within these options makes.
    pub fn claim(&self) -> Claim {
        let property = self.property.as_ref().map(|property| property.name.clone());
        Claim { property, ..self.bounds.claim() }
    }
}

impl RacesOptions {
    /// The claim that a complete search within these options makes.
    pub fn claim(&self) -> Claim {
        match self.heaps {
            Heaps::Any | Heaps::Both => Claim {
                heaps: (self.heaps == Heaps::Both).then_some("both"),
                roots: self.roots.name(),
                globals: Some(self.globals.name()),
                ..self.bounds.claim()
            },
            Heaps::Reached => Claim {
                heaps: Some("reached"),
                client_calls: Some(self.reaching_calls),
                globals: Some(Globals::Initial.name()),
                ..self.bounds.claim()
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_claim_is_the_contracts() {
        assert_eq!(CheckOptions::default().claim(), Claim::default());
        let races = RacesOptions::default().claim();
        assert_eq!(races, Claim { globals: Some("symbolic"), ..Claim::default() });
    }
}
