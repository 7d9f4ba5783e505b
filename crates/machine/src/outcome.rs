//! Why a thread stopped running: the program's failure, our limit, and our failure are three types.

use crate::{Backtrace, Choice, EngineError, LedgerEntry};
use concurrency::{Action, Misuse, ThreadId};
use ir::{BlockId, FuncId};
use memory::ObjId;
use serde::{Deserialize, Serialize};

/// Why [`crate::Engine::run`] came back.
#[derive(Debug)]
pub enum Stop {
    /// The thread is about to do something that others may notice; nothing of it is done.
    Visible(Action),
    /// A decision is needed; nothing of the instruction is done.
    Choice(Choice),
    /// The program is wrong here, and goes on all the same: the thread can be run on.
    Wrong(Fault),
    /// The thread ended; the process goes on.
    ThreadEnded,
    /// The thread is done with a call and about to begin the next, where one wants to know ([`crate::Config::calls_apart`]).
    CallEnded,
    /// The path ends here; or, for failures and limits, this thread goes no further.
    End(PathEnd),
    /// Time or memory ran out, or the user wants to stop ([`crate::Engine::interrupted`]); the thread can be run on.
    Interrupted,
    /// raddle itself could not proceed.
    Failed(EngineError),
}

impl From<EngineError> for Stop {
    fn from(error: EngineError) -> Self {
        Stop::Failed(error)
    }
}

/// How a path finished. Expected outcomes, never an engine error.
#[derive(Clone, PartialEq, Debug)]
pub enum PathEnd {
    /// The process ended, with the exit status if it is concrete.
    Exited { code: Option<u64> },
    /// An assumption of the user's does not hold.
    Infeasible,
    /// The state is one that this path has been in before.
    Repeats {
        /// [`crate::State::time`] when it was, where that is known.
        since: Option<u64>,
        /// Whether the thread walked a structure in circles, rather than waiting for another thread's change.
        traversal: bool,
    },
    /// Run alone, the thread has gone round a loop that has no way out as often as [`crate::Config::endless_rounds`] says.
    Endless(EndlessLoop),
    /// The thread goes in circles without a visible action, and will until another thread changes something.
    Spins {
        /// As above.
        traversal: bool,
    },
    /// An access to freed memory, unordered with the `free`: the race is the finding.
    Raced,
    /// The program under test is wrong: becomes a finding.
    Fault(Fault),
    /// We stopped before the program did: the run is reported incomplete.
    Abandoned(Box<LedgerEntry>),
}

/// A loop that has no way out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EndlessLoop {
    pub function: FuncId,
    pub header: BlockId,
}

/// What the program did wrong. `LockMisuse` is misuse of any synchronisation object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FaultKind {
    Assertion,
    NullDereference,
    OutOfBounds,
    UseAfterFree,
    DoubleFree,
    InvalidFree,
    DivisionByZero,
    LockMisuse,
    OverlappingCopy,
    UninitializedRead,
    UnreachableReached,
    /// A mask of lanes without the caller's own.
    BarrierDivergence,
    /// A kernel accesses the host's memory, or the host a device's.
    ForeignAccess,
    /// A device accesses memory at an address that is not a multiple of what the access needs.
    MisalignedAccess,
}

impl FaultKind {
    const ALL: [FaultKind; 14] = [
        FaultKind::Assertion,
        FaultKind::NullDereference,
        FaultKind::OutOfBounds,
        FaultKind::UseAfterFree,
        FaultKind::DoubleFree,
        FaultKind::InvalidFree,
        FaultKind::DivisionByZero,
        FaultKind::LockMisuse,
        FaultKind::OverlappingCopy,
        FaultKind::UninitializedRead,
        FaultKind::UnreachableReached,
        FaultKind::BarrierDivergence,
        FaultKind::ForeignAccess,
        FaultKind::MisalignedAccess,
    ];

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            FaultKind::Assertion => "assertion",
            FaultKind::NullDereference => "null_dereference",
            FaultKind::OutOfBounds => "out_of_bounds",
            FaultKind::UseAfterFree => "use_after_free",
            FaultKind::DoubleFree => "double_free",
            FaultKind::InvalidFree => "invalid_free",
            FaultKind::DivisionByZero => "division_by_zero",
            FaultKind::LockMisuse => "lock_misuse",
            FaultKind::OverlappingCopy => "overlapping_copy",
            FaultKind::UninitializedRead => "uninitialized_read",
            FaultKind::UnreachableReached => "unreachable_reached",
            FaultKind::BarrierDivergence => "barrier_divergence",
            FaultKind::ForeignAccess => "foreign_access",
            FaultKind::MisalignedAccess => "misaligned_access",
        }
    }
}

/// A failure of the program.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    pub kind: FaultKind,
    /// One sentence without the place.
    pub detail: String,
    pub thread: ThreadId,
    pub backtrace: Backtrace,
    /// What is wrong with a synchronisation object.
    pub misuse: Option<Misuse>,
    /// Memory that is no more, and is used or freed all the same.
    pub gone: Option<ObjId>,
}

impl Fault {
    /// Whether it is a library's own failure, whatever its callers do: an assertion, or what is wrong with locks. That a lock is used
    /// which is no more is about its lifetime, as is a use of freed memory.
    pub fn is_own(&self) -> bool {
        let is_of_lifetime =
            matches!(self.misuse, Some(Misuse::UseDestroyed | Misuse::UseUninitialised | Misuse::WrongKind));
        let is_own = matches!(self.kind, FaultKind::Assertion | FaultKind::UnreachableReached | FaultKind::LockMisuse);
        is_own && !is_of_lifetime
    }
}

impl From<Misuse> for FaultKind {
    fn from(_: Misuse) -> Self {
        FaultKind::LockMisuse
    }
}
