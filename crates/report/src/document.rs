//! The report as a whole: what was claimed, found, lost and assumed.
//!
//! Field names and their order are the contract's; what it does not name comes after what it names.

use crate::baseline::BaselineUse;
use crate::causes::{Cause, Lifecycle};
use crate::guard::Guards;
use crate::shortfalls::Shortfall;
use crate::suppress::SuppressionUse;
use crate::{BaselineTest, BranchEntry, CodeCoverage, CoverEntry, DefUseEntry, DegreeEntry, Finding};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// The version of the JSON form.
pub const SCHEMA: &str = "raddle-report/1";

/// The command that executes one schedule and claims nothing beyond it.
pub(crate) const REPLAY: &str = "replay";

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Tool {
    pub name: &'static str,
    pub version: &'static str,
}

impl Default for Tool {
    fn default() -> Self {
        // All crates of the workspace carry one version.
        Tool { name: "raddle", version: env!("CARGO_PKG_VERSION") }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Safe,
    Findings,
    Inconclusive,
    Error,
}

impl Verdict {
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Safe => "safe",
            Verdict::Findings => "findings",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Error => "error",
        }
    }
}

/// The bounds within which a verdict holds. The default is the command line's. The JSON form's `claim`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Claim {
    pub depth: u32,
    pub array: u64,
    pub threads: u32,
    /// The most that one thread makes, one after the other; 1 where threads are the program's own.
    pub calls: u32,
    /// `None`: unbounded.
    pub preemptions: Option<u32>,
    pub memory: &'static str,
    pub roots: &'static str,
    pub unroll: u32,
    /// `None` where globals have their initial values by the nature of the command.
    pub globals: Option<&'static str>,
    /// Spurious wake-ups of one wait. `None`: any number.
    pub spurious: Option<u32>,
    /// Allocations and creations of threads may fail.
    pub fail_alloc: bool,
    /// What volatile accesses are: `plain`, or `relaxed` atomic ones.
    pub volatile: &'static str,
    /// On which heaps operations run, where that are not all within the bounds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heaps: Option<&'static str>,
    /// Of a client, those at once included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_calls: Option<u32>,
    /// Only of what has changed since this version of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed_since: Option<String>,
    /// Interferences on the way to a branch, where they are bounded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_k: Option<u32>,
    /// What counts, where that is not everything ([`crate::Property`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub property: Option<String>,
    /// The kernel, and the only launch of it that is looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<crate::Launch>,
    /// What shows it without running the program: there are no other bounds then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<&'static str>,
}

impl Default for Claim {
    fn default() -> Self {
        Claim {
            depth: 3,
            array: 2,
            threads: 2,
            calls: 1,
            preemptions: None,
            memory: "sc",
            roots: "same",
            unroll: 64,
            globals: None,
            spurious: Some(1),
            fail_alloc: false,
            volatile: "plain",
            heaps: None,
            client_calls: None,
            changed_since: None,
            max_k: None,
            property: None,
            kernel: None,
            launch: None,
            proof: None,
        }
    }
}

/// What came of what threads call together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryVerdict {
    Safe,
    Findings,
    Inconclusive,
    /// Callers do not call these at once, so it was not explored.
    Exclusive,
}

impl EntryVerdict {
    pub fn name(self) -> &'static str {
        match self {
            EntryVerdict::Safe => "safe",
            EntryVerdict::Findings => "findings",
            EntryVerdict::Inconclusive => "inconclusive",
            EntryVerdict::Exclusive => "exclusive",
        }
    }
}

/// What threads call together: one for each, in no order.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct MatrixEntry {
    /// For each thread, as the user typed it; of several calls, one after the other: `insert; search`.
    pub operations: Vec<String>,
    /// Derived by [`Report::finish`].
    pub verdict: EntryVerdict,
    /// Ids, filled in by [`Report::finish`] from [`Finding::entries`].
    pub findings: Vec<String>,
    /// Why the entry is inconclusive; [`Report::finish`] drops it from one that has findings.
    pub cause: Option<String>,
    /// Ids of suppressed findings, filled in by [`Report::finish`]: they do not count for the verdict.
    pub suppressed_findings: Vec<String>,
    /// An earlier report has all of these.
    #[serde(skip)]
    pub are_known: bool,
    /// All of it was found out in an earlier run, about the same code; what was found has shown again.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub reused: bool,
    /// Callers do not call these at once.
    #[serde(skip)]
    pub exclusive: bool,
}

impl MatrixEntry {
    /// `cause`: why it could not be decided, if it could not.
    pub fn new(operations: impl IntoIterator<Item = impl Into<String>>, cause: Option<String>) -> Self {
        MatrixEntry {
            operations: operations.into_iter().map(Into::into).collect(),
            verdict: EntryVerdict::Safe,
            findings: Vec::new(),
            cause,
            suppressed_findings: Vec::new(),
            are_known: true,
            reused: false,
            exclusive: false,
        }
    }
}

/// What came of two functions that tests call.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PairVerdict {
    /// A client of the tests' calls shows a race.
    Exposed,
    /// No client that was planned does, with all schedules.
    Refuted,
    /// No calls of the tests make what they access one object.
    NotReached,
    /// Some client was not explored whole.
    Unfinished,
}

impl PairVerdict {
    pub fn name(self) -> &'static str {
        match self {
            PairVerdict::Exposed => "exposed",
            PairVerdict::Refuted => "refuted",
            PairVerdict::NotReached => "not reached",
            PairVerdict::Unfinished => "unfinished",
        }
    }
}

/// What a race does to what calls come to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EffectKind {
    /// A failure, or a deadlock, that no order of the calls has.
    Crash,
    /// Results, output, or a heap that neither an order of the calls has, nor a schedule without the race.
    Unserialisable,
    /// Nothing else than what orders come to. It is undefined all the same.
    Same,
    /// An order fails, or not all schedules were explored.
    NotComparable,
}

/// What came of comparing all schedules of a client with all orders of its calls. The JSON form's `effect`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct RaceEffect {
    pub kind: EffectKind,
    /// What happens, or what the calls return, with the race; why it cannot be compared.
    pub with_race: String,
    /// What the calls return in some order.
    pub in_order: Vec<String>,
}

impl RaceEffect {
    pub fn crash(what: &str) -> Self {
        RaceEffect { kind: EffectKind::Crash, with_race: what.to_owned(), in_order: Vec::new() }
    }

    pub fn unserialisable(with_race: &str, in_order: &[String]) -> Self {
        RaceEffect { kind: EffectKind::Unserialisable, with_race: with_race.to_owned(), in_order: in_order.to_vec() }
    }

    pub fn same() -> Self {
        RaceEffect { kind: EffectKind::Same, with_race: String::new(), in_order: Vec::new() }
    }

    pub fn not_comparable(why: &str) -> Self {
        RaceEffect { kind: EffectKind::NotComparable, with_race: why.to_owned(), in_order: Vec::new() }
    }

    /// Whether calls come to what they should not; none: not known.
    pub fn is_harmful(&self) -> Option<bool> {
        match self.kind {
            EffectKind::Crash | EffectKind::Unserialisable => Some(true),
            EffectKind::Same => Some(false),
            EffectKind::NotComparable => None,
        }
    }

    /// In words.
    pub fn in_words(&self) -> String {
        let orders = self.in_order.join(", or ");
        match self.kind {
            EffectKind::Crash => format!("fails as no order of the two calls does: {}", self.with_race),
            EffectKind::Unserialisable if self.in_order.iter().all(|order| *order == self.with_race) => {
                "leaves behind what no order of the two calls does".to_owned()
            }
            EffectKind::Unserialisable => {
                format!(
                    "the calls come to what no order of them does: {}; one after the other: {orders}",
                    self.with_race
                )
            }
            EffectKind::Same => {
                "comes to what some order of the two calls does (it is undefined all the same)".to_owned()
            }
            EffectKind::NotComparable => format!("not compared with the calls one after the other: {}", self.with_race),
        }
    }
}

/// Two functions that tests call, and that access something in common. The JSON form's `pairs`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PairEntry {
    pub operations: [String; 2],
    pub verdict: PairVerdict,
    /// Ids, filled in by [`Report::finish`] from [`Finding::entries`].
    pub findings: Vec<String>,
    /// The first test that shows one of them.
    pub test: Option<String>,
    /// Whether a race changes what the calls do; none: not compared.
    pub harmful: Option<bool>,
    /// What the races of each test do, the worst.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effect: Option<RaceEffect>,
    /// Why nothing is exposed.
    pub reason: Option<String>,
    /// Clients that were explored.
    pub contexts: u64,
}

/// What goes wrong where a client calls one function after another. The JSON form's `sequential`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Sequential {
    pub kind: String,
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// One sentence that says what happens.
    pub detail: String,
    /// The functions that are called, in order.
    pub calls: Vec<String>,
}

/// Something that kept the search from its claim.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct LedgerLine {
    pub kind: String,
    pub r#where: String,
    pub count: u64,
    /// The flag to change, or what to do.
    pub remedy: String,
}

/// Something taken for granted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Assumption {
    pub kind: String,
    /// The operation or place concerned; `None`: everywhere.
    pub r#where: Option<String>,
    /// How often it decided something, such as dropped shapes.
    pub count: Option<u64>,
    pub kept: Option<u64>,
    pub example: Option<String>,
    /// The assumption as a sentence without a full stop; empty: said by the other fields.
    pub detail: String,
}

/// What the run took and counted. The JSON form's `stats`, field by field.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Stats {
    /// Distinct completed sequences of branch decisions.
    pub paths: u64,
    /// Complete executions, one for each class of equivalent schedules and input path.
    pub executions: u64,
    /// Blocked or repeated executions.
    pub redundant: u64,
    /// Distinct initial heaps up to isomorphism.
    pub shapes: u64,
    /// IR instructions executed.
    pub instructions: u64,
    /// Executed branches whose condition is not constant.
    pub branches: u64,
    /// Those of them that went to a solver.
    pub branches_solver: u64,
    /// Reads and writes of memory, as many as instructions make.
    pub memory_reads: u64,
    pub memory_writes: u64,
    /// Branches of which both ways were gone at once; they count for no path.
    pub merged: u64,
    /// Calls that were not computed again.
    pub summaries: SummaryStats,
    pub solver_queries: u64,
    pub solver_time_s: f64,
    /// How the questions that path conditions were asked were answered.
    pub solver_stages: SolverStages,
    /// What earlier runs had found out, where that is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub store: Option<StoreStats>,
    /// Which executions were left out because others stand for them; of several searches, all that differ.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reductions: Vec<String>,
    /// What is known of the unfolding, where that was explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfolding: Option<UnfoldingStats>,
    /// Between how many executions are left, where the search was put aside: an estimate, which holds in nine of ten cases.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub executions_left: Option<ExecutionsLeft>,
    /// What is known of executions at random, where that is what they were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingStats>,
    /// What the guided search of `races` did before all executions were explored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guided: Option<GuidedStats>,
    /// From the start to the first race, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_race_time_s: Option<f64>,
    pub wall_time_s: f64,
    /// Of all processors together: several workers take more of it than time passes.
    pub cpu_time_s: f64,
    pub peak_memory_bytes: u64,
}

/// What earlier runs had found out. Figures of work are of this run, those of what was covered of all.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct StoreStats {
    pub directory: String,
    /// Entries of the matrix that were not explored anew, of all.
    pub reused: u64,
    pub entries: u64,
}

/// What is known of executions at random.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SamplingStats {
    /// `walk`, `pct`, `pos`, `surw`.
    pub sampler: String,
    pub runs: u64,
    /// The most of an execution: threads, and points at which one of them was chosen.
    pub threads: u32,
    pub steps: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<SamplingBound>,
}

/// Complete executions that were not explored, one for each class of equivalent schedules and input path.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct ExecutionsLeft {
    pub least: u64,
    pub most: u64,
}

/// What is known of how likely a bug shows in an execution, on the input path that this takes (Burckhardt et al., ASPLOS 2010, Theorem 9).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct SamplingBound {
    /// Pairs of steps that have to come in one order.
    pub depth: u32,
    /// At least; `1 / (threads * steps^(depth-1))`.
    pub probability: f64,
    /// Executions for which it holds.
    pub runs: u64,
}

/// An event of the unfolding. Others are named by their numbers, from 1 on.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct UnfoldingEvent {
    pub event: u32,
    pub thread: String,
    pub what: String,
    /// What comes right before it.
    pub after: Vec<u32>,
    /// Earlier ones in immediate conflict with it.
    pub conflicts: Vec<u32>,
    /// Nothing was explored behind it.
    pub cutoff: bool,
}

/// What there is of the unfolding (SPOE, table 2).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct UnfoldingStats {
    pub events: u64,
    /// Of mutexes, of condition variables, choices, and those behind which nothing was explored.
    pub mutexes: u64,
    pub conditions: u64,
    pub choices: u64,
    pub cutoffs: u64,
    /// Maximal configurations by how they end: the program ended or waits for good, a thread failed, cut off.
    pub ended: u64,
    pub failed: u64,
    pub cut: u64,
}

/// What the guided search did: ways of two operations, each found alone, made to meet on one heap.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct GuidedStats {
    /// Ways of the operations by themselves, for each pair.
    pub paths: u64,
    /// Executions of a whole program in which candidates were looked for.
    pub watched: u64,
    /// Pairs of accesses that may meet.
    pub candidates: u64,
    /// Heaps that are the union of two ways' own, and those for which a relation was moved.
    pub unions: u64,
    pub adjusted: u64,
    /// Relations moved.
    pub adjustments: u64,
    /// Two ways without a heap in common, by the reason.
    pub infeasible: BTreeMap<String, u64>,
    /// Heaps on which operations were run together, and candidates that were confirmed.
    pub tried: u64,
    pub confirmed: u64,
    /// Ways and executions with so many accesses that only the first were looked at.
    #[serde(skip_serializing_if = "is_none_at_all")]
    pub overfull: u64,
}

fn is_none_at_all(count: &u64) -> bool {
    *count == 0
}

/// Calls whose effects were known (`--summaries`).
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize)]
pub struct SummaryStats {
    pub built: u64,
    /// What it took to carry these calls out and write them down.
    pub building_time_s: f64,
    pub invoked: u64,
    /// Instructions that were not executed for that.
    pub instructions: u64,
}

/// By what questions about path conditions were answered, in the order in which it is tried.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct SolverStages {
    /// The condition, or the whole question, was constant.
    pub constants: u64,
    /// Asked before, or holding a part that is known to be contradictory.
    pub cores: u64,
    /// By a known assignment, as it was or with a variable or two changed.
    pub model: u64,
    /// By the order between variables.
    pub order: u64,
    /// By the bounds of variables.
    pub intervals: u64,
    /// By the solver.
    pub backend: u64,
    /// The text report has a line of them.
    #[serde(skip)]
    pub shown: bool,
}

/// Whose fault an error is; decides the exit code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum ErrorClass {
    /// The command line.
    Usage,
    /// What is read: sources, witnesses, configuration, and the tools that read them.
    #[default]
    Input,
    /// raddle.
    Internal,
}

/// Why there is no verdict.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct ErrorReport {
    pub kind: String,
    pub message: String,
    pub file: Option<String>,
    pub line: Option<u32>,
    #[serde(skip)]
    pub class: ErrorClass,
}

/// The outcome of one command. The JSON form, field by field.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    pub schema: &'static str,
    pub tool: Tool,
    pub command: String,
    /// Derived by [`Report::finish`].
    pub verdict: Verdict,
    pub claim: Claim,
    pub findings: Vec<Finding>,
    /// In the order of the operations; empty for commands without operations.
    pub matrix: Vec<MatrixEntry>,
    pub ledger: Vec<LedgerLine>,
    pub assumptions: Vec<Assumption>,
    pub stats: Stats,
    pub error: Option<ErrorReport>,
    /// What the user has suppressed, set apart by [`Report::finish`]; numbered after the findings.
    pub suppressed_findings: Vec<Finding>,
    /// The user's entries, in their order.
    pub suppressions: Vec<SuppressionUse>,
    /// Of an inconclusive report: what kept it from its claim, the largest first, by [`Report::finish`].
    pub shortfalls: Vec<Shortfall>,
    /// What the findings come from, by [`Report::finish`]: each finding has one.
    pub causes: Vec<Cause>,
    /// What accesses to fields hold, as far as the search has listed them; for the causes.
    #[serde(skip)]
    pub guards: Guards,
    /// Operations that make or end what others take; for the causes.
    #[serde(skip)]
    pub lifecycles: Vec<Lifecycle>,
    /// Nothing in the library keeps threads apart; for the causes.
    #[serde(skip)]
    pub is_unsynchronised: bool,
    /// Operations that take no lock, do not wait and make no atomic access, nor does what they call; for the causes.
    #[serde(skip)]
    pub unsynchronised: BTreeSet<String>,
    /// What calls that clients make one after another show already; it does not count.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sequential: Vec<Sequential>,
    /// What was found first, on the heaps that clients build, where others came after them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<Reached>,
    /// What came of the functions that tests call, two at a time, where racy tests were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs: Option<Vec<PairEntry>>,
    /// Ways at branches, and how many interferences they take; of `cover` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branches: Option<Vec<BranchEntry>>,
    /// What became of the tests of the suite that was the baseline.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline_tests: Option<Vec<BaselineTest>>,
    /// Pairs of a write and a read, if those were to be covered; then there are no branches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pairs_def_use: Option<Vec<DefUseEntry>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub degrees: Option<Vec<DegreeEntry>>,
    /// Inputs and schedules that cover them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tests: Option<Vec<CoverEntry>>,
    /// All events of the unfolding, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unfolding: Option<Vec<UnfoldingEvent>>,
    /// Findings that do not count; see [`Report::require`].
    pub uncounted: usize,
    /// As the user typed them.
    pub sources: Vec<String>,
    /// What came of comparing with an earlier report.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<BaselineUse>,
    /// What the verdict rests on, of the code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<CodeCoverage>,
    /// Under which launches a kernel is free of races, where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub condition: Option<crate::LaunchCondition>,
}

/// The search on the heaps that clients build, before that on all others. The JSON form's `reached`, field by field.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Reached {
    /// Of a client, those at once included.
    pub calls: u32,
    /// At once.
    pub threads: u32,
    /// By the number of calls that build them.
    pub heaps: Vec<u64>,
    /// How many there were by then.
    pub findings: u64,
    pub executions: u64,
    /// What keeps it from being about every client.
    pub ledger: Vec<LedgerLine>,
    /// Public functions that no client calls.
    pub uncalled: Vec<String>,
}

impl Reached {
    /// No client fails.
    pub fn is_safe(&self) -> bool {
        self.findings == 0 && self.ledger.is_empty()
    }
}

impl Report {
    /// A report without findings; call [`Report::finish`] when all is in.
    pub fn new(command: impl Into<String>, claim: Claim) -> Self {
        Report {
            schema: SCHEMA,
            tool: Tool::default(),
            command: command.into(),
            verdict: Verdict::Inconclusive,
            claim,
            findings: Vec::new(),
            matrix: Vec::new(),
            ledger: Vec::new(),
            assumptions: Vec::new(),
            stats: Stats::default(),
            error: None,
            sequential: Vec::new(),
            reached: None,
            pairs: None,
            branches: None,
            degrees: None,
            unfolding: None,
            tests: None,
            pairs_def_use: None,
            baseline_tests: None,
            uncounted: 0,
            sources: Vec::new(),
            baseline: None,
            coverage: None,
            condition: None,
            suppressed_findings: Vec::new(),
            suppressions: Vec::new(),
            shortfalls: Vec::new(),
            causes: Vec::new(),
            guards: Guards::default(),
            lifecycles: Vec::new(),
            is_unsynchronised: false,
            unsynchronised: BTreeSet::new(),
        }
    }

    /// The report of a command that came to no verdict.
    pub fn failed(command: impl Into<String>, error: ErrorReport) -> Self {
        Report { verdict: Verdict::Error, error: Some(error), ..Report::new(command, Claim::default()) }
    }
}
