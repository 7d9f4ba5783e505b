//! What the search lost: every bound reached, everything unmodelled, each with its place and remedy.

use concurrency::Site;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// Why something was not explored, or not exactly.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LossKind {
    /// A loop or recursion was cut by `--unroll`.
    LoopBound,
    /// A loop from which no way leads out was cut after a few rounds.
    EndlessLoop,
    /// More threads were created than `--max-threads`.
    ThreadBound,
    /// An operation run alone took too many steps to see whether it ends.
    StepBound,
    /// A function without body or model was called.
    ExternalCall,
    /// An instruction or construct that raddle does not know was reached.
    Unsupported,
    /// An atomic weaker than `seq_cst` was executed under sequential consistency.
    WeakMemory,
    /// Only some values of a term were explored.
    Concretized,
    /// A symbolic integer was used as an address.
    SymbolicAddress,
    /// A pointer of unknown type was used.
    UntypedPointer,
    /// A dangling pointer was compared with a live one that may have got its address.
    DanglingComparison,
    /// The solver gave up.
    SolverUnknown,
    /// The time of `--max-time` ran out.
    Time,
    /// The memory of `--max-memory` ran out.
    Memory,
    /// The user stopped the run.
    Interrupted,
    /// Parts of the search are with others who have not brought them back.
    Apart,
    /// A finding did not show again when it was replayed, or no time was left for that, so it was not reported.
    NotReplayed,
    /// raddle itself failed.
    Fault,
    /// Of a large library, not all operations were taken.
    Operations,
    /// A public function that operations call is none itself, and races if clients call it as well.
    CalledByOthers,
    /// No shape survived an operation's own run.
    Vacuous,
    /// Only likely races were looked for.
    GuidedOnly,
    /// Executions end at a failure that nobody asked about, and go on where it is not noticed.
    CutByFailure,
    /// Something was found, and that was enough.
    Enough,
    /// Threads of a launch may race, as far as flows tell, and nothing shows it.
    MayRace,
    /// Only some executions were run, at random.
    Sampled,
    /// An operation run alone misused a lock: that is seldom a precondition, and often the mistake that is looked for.
    LockMisuse,
    /// A thread's way depends on a value that was never set, where only races are looked for: what it does then is not known.
    Uninitialized,
    /// A thread passes the end of an array, whose length is a bound.
    ArrayBound,
}

impl LossKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            LossKind::LoopBound => "loop_bound",
            LossKind::EndlessLoop => "endless_loop",
            LossKind::ThreadBound => "thread_bound",
            LossKind::StepBound => "step_bound",
            LossKind::ExternalCall => "external_call",
            LossKind::Unsupported => "unsupported",
            LossKind::WeakMemory => "weak_memory",
            LossKind::Concretized => "concretized",
            LossKind::SymbolicAddress => "symbolic_address",
            LossKind::UntypedPointer => "untyped_pointer",
            LossKind::DanglingComparison => "dangling_comparison",
            LossKind::SolverUnknown => "solver_unknown",
            LossKind::Time => "time",
            LossKind::Memory => "memory",
            LossKind::Interrupted => "interrupted",
            LossKind::Apart => "parts_missing",
            LossKind::NotReplayed => "not_replayed",
            LossKind::Fault => "fault",
            LossKind::Operations => "operations",
            LossKind::CalledByOthers => "called_by_others",
            LossKind::Vacuous => "vacuous",
            LossKind::GuidedOnly => "guided_only",
            LossKind::CutByFailure => "cut_by_failure",
            LossKind::Enough => "stopped_on_finding",
            LossKind::MayRace => "may_race",
            LossKind::Sampled => "sampled",
            LossKind::LockMisuse => "lock_misuse",
            LossKind::Uninitialized => "uninitialized_read",
            LossKind::ArrayBound => "array_bound",
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A line of the sources: of one program, whatever part of it an engine runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct SourceLine {
    pub file: String,
    /// From 1.
    pub line: u32,
}

impl fmt::Display for SourceLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Where something happens in the code.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum CodePlace {
    Line(SourceLine),
    /// The function, where the compiler does not say which line.
    Function(String),
}

impl fmt::Display for CodePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CodePlace::Line(line) => line.fmt(f),
            CodePlace::Function(name) => f.write_str(name),
        }
    }
}

/// What a loss concerns.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LossSite {
    Code(CodePlace),
    /// A call of a function that raddle does not know.
    Call {
        callee: String,
        at: CodePlace,
    },
    /// What is explored there: an operation, operations together, the program, by its name in the report.
    Search(String),
}

impl LossSite {
    /// The same where the code stands elsewhere; none where a line is nowhere.
    pub fn moved(&self, to: impl Fn(&CodePlace) -> Option<CodePlace>) -> Option<LossSite> {
        Some(match self {
            LossSite::Code(place) => LossSite::Code(to(place)?),
            LossSite::Call { callee, at } => LossSite::Call { callee: callee.clone(), at: to(at)? },
            LossSite::Search(name) => LossSite::Search(name.clone()),
        })
    }
}

impl fmt::Display for LossSite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LossSite::Code(place) => place.fmt(f),
            LossSite::Call { callee, at } => write!(f, "{callee} at {at}"),
            LossSite::Search(name) => f.write_str(name),
        }
    }
}

impl From<CodePlace> for LossSite {
    fn from(place: CodePlace) -> Self {
        LossSite::Code(place)
    }
}

/// What would change a loss. Which option that is, and what the reader is told, is the session's affair.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Remedy {
    /// More rounds of each loop: so many are worth a try.
    Unroll(u64),
    /// More threads: so many are worth a try.
    Threads(u64),
    /// Longer arrays, for objects of more than so many bytes.
    Array { beyond: u64 },
    /// Arrays of so many elements.
    Elements(u64),
    /// More time, for all.
    Time,
    /// More memory, for all.
    Memory,
    /// More time, or more of the solver's own steps; or bounds on what the solver is slow at.
    Solver { steps: bool, slow: Option<String> },
    /// Nothing: so many values of an expression are all that is tried. Merging paths keeps them together longer.
    Values { most: usize, merges: bool },
    /// That atomics are sequentially consistent would have to be assumed.
    SequentialConsistency,
    /// Stronger orders of atomic operations, or fences.
    Orders(Disorder),
    /// A function that does one round of what this one does for ever.
    OneRound { of: String },
    /// Globals that hold anything, not what they begin with.
    SymbolicGlobals,
    /// A predicate on heaps: with one, it is looked for whether this operation keeps the lock.
    Predicate { keeper: String },
    /// The complete search.
    CompleteSearch,
    /// A search that is not at random.
    NoSampling,
    /// A search that does not end with what it finds.
    OnFinding,
    /// That the run may come to its end.
    NoInterrupt,
    /// That the parts which others have are worked on.
    Parts,
    /// A mistake in raddle mended: a report of it.
    BugReport,
    /// Something in the program, in words: those who wrote it have them, such as a model of the C library.
    Program(Cow<'static, str>),
}

/// What the order of an atomic operation allows that no interleaving shows.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct Disorder {
    /// It sees a value from before a write; else it comes before the write itself.
    pub sees: bool,
    /// The line of that write.
    pub missed: Option<u32>,
    /// Atomic operations and fences on a circle through both, itself first: of the program that was run.
    pub circle: Vec<Site>,
}

impl From<&'static str> for Remedy {
    fn from(words: &'static str) -> Self {
        Remedy::Program(Cow::Borrowed(words))
    }
}

impl From<String> for Remedy {
    fn from(words: String) -> Self {
        Remedy::Program(Cow::Owned(words))
    }
}

/// One kind of loss at one place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub kind: LossKind,
    pub site: LossSite,
    pub remedy: Remedy,
}

/// All losses of a run, with their counts.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Ledger {
    entries: BTreeMap<LedgerEntry, u64>,
}

impl Ledger {
    pub fn note(&mut self, entry: LedgerEntry) {
        *self.entries.entry(entry).or_default() += 1;
    }

    /// The same losses where the code stands elsewhere; none where a line is nowhere.
    pub fn moved(&self, to: impl Fn(&CodePlace) -> Option<CodePlace>) -> Option<Ledger> {
        let mut entries: BTreeMap<LedgerEntry, u64> = BTreeMap::new();
        for (LedgerEntry { kind, site, remedy }, count) in self.entries() {
            let entry = LedgerEntry { kind: *kind, site: site.moved(&to)?, remedy: remedy.clone() };
            *entries.entry(entry).or_default() += count;
        }
        Some(Ledger { entries })
    }

    /// The same losses with other remedies.
    pub fn with_remedies(&self, other: impl Fn(&Remedy) -> Remedy) -> Ledger {
        let mut entries: BTreeMap<LedgerEntry, u64> = BTreeMap::new();
        for (entry, count) in self.entries() {
            *entries.entry(LedgerEntry { remedy: other(&entry.remedy), ..entry.clone() }).or_default() += count;
        }
        Ledger { entries }
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn entries(&self) -> impl Iterator<Item = (&LedgerEntry, u64)> {
        self.entries.iter().map(|(entry, &count)| (entry, count))
    }

    /// How many losses there are.
    pub fn total(&self) -> u64 {
        self.entries.values().sum()
    }

    /// How often something was left out. What weak atomics allow is no part of an interleaving that is left out: each is run as it is.
    pub fn left_out(&self) -> u64 {
        self.entries.iter().filter(|(entry, _)| entry.kind != LossKind::WeakMemory).map(|(_, count)| count).sum()
    }

    pub fn merge(&mut self, other: &Ledger) {
        for (entry, count) in other.entries() {
            *self.entries.entry(entry.clone()).or_default() += count;
        }
    }
}
