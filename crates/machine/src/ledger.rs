//! What the search lost: every bound reached, everything unmodelled, each with its place and remedy.

use serde::{Deserialize, Serialize};
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
    /// A finding did not show again when it was replayed, or no time was left for that, so it was not reported.
    NotReplayed,
    /// raddle itself failed.
    Fault,
    /// Of a large library, not all operations were taken.
    Operations,
    /// No shape survived an operation's own run.
    Vacuous,
    /// Only likely races were looked for.
    GuidedOnly,
    /// Only some executions were run, at random.
    Sampled,
    /// An operation run alone misused a lock: that is seldom a precondition, and often the mistake that is looked for.
    LockMisuse,
    /// A thread's way depends on a value that was never set, where only races are looked for: what it does then is not known.
    Uninitialized,
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
            LossKind::NotReplayed => "not_replayed",
            LossKind::Fault => "fault",
            LossKind::Operations => "operations",
            LossKind::Vacuous => "vacuous",
            LossKind::GuidedOnly => "guided_only",
            LossKind::Sampled => "sampled",
            LossKind::LockMisuse => "lock_misuse",
            LossKind::Uninitialized => "uninitialized_read",
        }
    }
}

impl fmt::Display for LossKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One kind of loss at one place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct LedgerEntry {
    pub kind: LossKind,
    /// `file:line`, or what it concerns; with the name of what was not modelled.
    pub place: String,
    /// The flag that would change it, or what to do.
    pub remedy: String,
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

    /// With other words for what stands in it; none where there are none for something.
    pub fn reworded(&self, mut other: impl FnMut(&str) -> Option<String>) -> Option<Ledger> {
        let mut entries: BTreeMap<LedgerEntry, u64> = BTreeMap::new();
        for (LedgerEntry { kind, place, remedy }, count) in self.entries() {
            let entry = LedgerEntry { kind: *kind, place: other(place)?, remedy: other(remedy)? };
            *entries.entry(entry).or_default() += count;
        }
        Some(Ledger { entries })
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

    pub fn merge(&mut self, other: &Ledger) {
        for (entry, count) in other.entries() {
            *self.entries.entry(entry.clone()).or_default() += count;
        }
    }
}
