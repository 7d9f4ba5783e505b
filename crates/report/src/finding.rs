//! Findings and their parts.
//!
//! Field names and their order are the contract's; what it does not name comes after what it names.

use crate::guard::Guard;
use crate::heap::Heap;
use crate::suppress::Suppressed;
use serde::{Deserialize, Serialize};

/// What is wrong. In alphabetical order, which is the order of findings in a report.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    Assertion,
    /// Threads of a block do not meet at a barrier.
    BarrierDivergence,
    DataRace,
    Deadlock,
    DivisionByZero,
    DoubleFree,
    /// A kernel accesses the host's memory, or the host a device's.
    ForeignAccess,
    InvalidFree,
    LockMisuse,
    MemoryLeak,
    /// A device accesses memory at an address that is not a multiple of what the access needs.
    MisalignedAccess,
    NullDereference,
    OutOfBounds,
    OverlappingCopy,
    /// A race that wider scopes would have excluded.
    ScopeError,
    UninitializedRead,
    UnreachableReached,
    UseAfterFree,
}

impl FindingKind {
    pub const ALL: [FindingKind; 18] = [
        FindingKind::Assertion,
        FindingKind::BarrierDivergence,
        FindingKind::DataRace,
        FindingKind::Deadlock,
        FindingKind::DivisionByZero,
        FindingKind::DoubleFree,
        FindingKind::ForeignAccess,
        FindingKind::InvalidFree,
        FindingKind::LockMisuse,
        FindingKind::MemoryLeak,
        FindingKind::MisalignedAccess,
        FindingKind::NullDereference,
        FindingKind::OutOfBounds,
        FindingKind::OverlappingCopy,
        FindingKind::ScopeError,
        FindingKind::UninitializedRead,
        FindingKind::UnreachableReached,
        FindingKind::UseAfterFree,
    ];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion",
            FindingKind::BarrierDivergence => "barrier_divergence",
            FindingKind::DataRace => "data_race",
            FindingKind::Deadlock => "deadlock",
            FindingKind::DivisionByZero => "division_by_zero",
            FindingKind::DoubleFree => "double_free",
            FindingKind::ForeignAccess => "foreign_access",
            FindingKind::InvalidFree => "invalid_free",
            FindingKind::LockMisuse => "lock_misuse",
            FindingKind::MemoryLeak => "memory_leak",
            FindingKind::MisalignedAccess => "misaligned_access",
            FindingKind::NullDereference => "null_dereference",
            FindingKind::OutOfBounds => "out_of_bounds",
            FindingKind::OverlappingCopy => "overlapping_copy",
            FindingKind::ScopeError => "scope_error",
            FindingKind::UninitializedRead => "uninitialized_read",
            FindingKind::UnreachableReached => "unreachable_reached",
            FindingKind::UseAfterFree => "use_after_free",
        }
    }

    /// The kind with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// As a heading, for one of its kind.
    pub(crate) fn title(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion failure",
            FindingKind::BarrierDivergence => "barrier divergence",
            FindingKind::DataRace => "data race",
            FindingKind::Deadlock => "deadlock",
            FindingKind::DivisionByZero => "division by zero",
            FindingKind::DoubleFree => "double free",
            FindingKind::ForeignAccess => "access to the other side's memory",
            FindingKind::InvalidFree => "invalid free",
            FindingKind::LockMisuse => "lock misuse",
            FindingKind::MemoryLeak => "memory leak",
            FindingKind::MisalignedAccess => "misaligned access",
            FindingKind::NullDereference => "null dereference",
            FindingKind::OutOfBounds => "out-of-bounds access",
            FindingKind::OverlappingCopy => "copy between overlapping objects",
            FindingKind::ScopeError => "scope error",
            FindingKind::UninitializedRead => "use of an uninitialised value",
            FindingKind::UnreachableReached => "unreachable code reached",
            FindingKind::UseAfterFree => "use after free",
        }
    }

    /// As a heading, for several.
    pub(crate) fn plural(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion failures",
            FindingKind::BarrierDivergence => "barrier divergences",
            FindingKind::DataRace => "data races",
            FindingKind::Deadlock => "deadlocks",
            FindingKind::DivisionByZero => "divisions by zero",
            FindingKind::DoubleFree => "double frees",
            FindingKind::ForeignAccess => "accesses to the other side's memory",
            FindingKind::InvalidFree => "invalid frees",
            FindingKind::LockMisuse => "lock misuses",
            FindingKind::MemoryLeak => "memory leaks",
            FindingKind::MisalignedAccess => "misaligned accesses",
            FindingKind::NullDereference => "null dereferences",
            FindingKind::OutOfBounds => "out-of-bounds accesses",
            FindingKind::OverlappingCopy => "copies between overlapping objects",
            FindingKind::ScopeError => "scope errors",
            FindingKind::UninitializedRead => "uses of uninitialised values",
            FindingKind::UnreachableReached => "places of unreachable code reached",
            FindingKind::UseAfterFree => "uses after free",
        }
    }
}

/// What the heap of a finding rests on. Better ones first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ShapeBasis {
    /// A client program builds it by public calls.
    Reachable,
    /// The user's predicate holds.
    Valid,
    /// The default assumptions only.
    Assumed,
}

impl ShapeBasis {
    pub(crate) const ALL: [ShapeBasis; 3] = [ShapeBasis::Reachable, ShapeBasis::Valid, ShapeBasis::Assumed];

    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            ShapeBasis::Reachable => "reachable",
            ShapeBasis::Valid => "valid",
            ShapeBasis::Assumed => "assumed",
        }
    }

    /// The basis with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|basis| basis.name() == name)
    }

    pub(crate) fn explanation(self) -> &'static str {
        match self {
            ShapeBasis::Reachable => "a client builds the shape",
            ShapeBasis::Valid => "the shape is valid by the given predicate",
            ShapeBasis::Assumed => "the shape is assumed",
        }
    }
}

/// A source position with the calls that led there.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct Location {
    /// As the user typed it; empty where nothing is known.
    pub file: String,
    /// Counted from 1; 0 where nothing is known.
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// `function file:line:column`, innermost first.
    pub stack: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessKind {
    Read,
    Write,
    /// Atomic read-modify-write.
    ReadWrite,
    Free,
}

/// One side of a data race.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Access {
    pub thread: u32,
    /// As the user typed it; `None` under `check`.
    pub operation: Option<String>,
    pub access: AccessKind,
    /// Of a variable of a function: free is its end.
    #[serde(skip)]
    pub automatic: bool,
    /// Of a variable, rather than of an object that pointers alone lead to.
    #[serde(skip)]
    pub variable: bool,
    pub atomic: bool,
    /// Bytes.
    pub size: u64,
    /// The bytes by name: `N1.next[0]`.
    pub place: String,
    pub locks: Vec<String>,
    #[serde(flatten)]
    pub location: Location,
    /// Of a launch.
    #[serde(flatten)]
    pub gpu: Option<GpuAccess>,
    /// The accessed member without its object, `struct node.next[0]`: findings are grouped by it.
    pub field: Option<String>,
    /// The locks again, as seen from the accessed object.
    #[serde(skip)]
    pub guards: Vec<Guard>,
}

impl Access {
    pub(crate) fn in_words(&self) -> &'static str {
        match self.access {
            AccessKind::Read => "read",
            AccessKind::Write => "write",
            AccessKind::ReadWrite => "read-modify-write",
            AccessKind::Free if self.automatic => "end",
            AccessKind::Free => "free",
        }
    }
}

/// Where a thread of a launch is. The JSON form's, field by field.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct GpuThread {
    pub block: [u32; 3],
    pub gpu_thread: [u32; 3],
    /// Of its block.
    pub warp: u32,
    pub lane: u32,
}

/// An access of a launch.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct GpuAccess {
    #[serde(flatten)]
    pub thread: GpuThread,
    /// The kind of memory: `shared`, `global`, `constant`, `local`.
    pub space: String,
    /// Of which launch, where a program makes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<HostLaunch>,
}

/// A launch that a program makes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct HostLaunch {
    /// From 1, in the order of the launches.
    pub number: u32,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub file: String,
    pub line: u32,
}

/// How a kernel is launched.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Launch {
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub warp: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    /// How threads of a warp are scheduled.
    pub sched: &'static str,
}

/// The object in a place: `N2` of `N2.next[0]`. What frees it frees it whole, whichever byte the other side uses.
pub fn object_of(place: &str) -> &str {
    let end = place.find(['.', '[']).or_else(|| place.find(" +")).unwrap_or(place.len());
    &place[..end]
}

/// A thread of a deadlock.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Blocked {
    pub thread: u32,
    /// Locks by name.
    pub holds: Vec<String>,
    /// A lock by name, or in words (`the end of thread 2`).
    pub waits_for: Option<String>,
    pub location: Location,
    /// Of a launch.
    #[serde(flatten)]
    pub gpu: Option<GpuThread>,
    pub operation: Option<String>,
    /// The threads that hold the lock; where it is empty, the text derives them from `holds`.
    pub waits_for_threads: Vec<u32>,
}

/// The value of an input.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(untagged)]
pub enum InputValue {
    Signed(i64),
    Unsigned(u64),
    Real(Real),
    /// A composite value, byte by byte.
    Bytes(Vec<u8>),
    Text(String),
}

/// A finite floating-point number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Real {
    bits: u64,
}

impl Real {
    /// `None` for infinities and for what is no number.
    pub fn finite(value: f64) -> Option<Real> {
        value.is_finite().then(|| Real { bits: value.to_bits() })
    }

    pub fn value(self) -> f64 {
        f64::from_bits(self.bits)
    }
}

impl Serialize for Real {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

/// Something symbolic with the value that shows the finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Input {
    pub name: String,
    pub value: InputValue,
}

/// Something else to know, such as where an object was freed.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct Note {
    /// Without a final colon or full stop.
    pub text: String,
    pub location: Option<Location>,
}

/// What a thread runs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
pub struct ThreadName {
    pub thread: u32,
    /// The operation or the start function.
    pub name: String,
}

/// One step of the schedule that shows a finding.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize)]
pub struct ScheduleStep {
    pub thread: u32,
    /// What happens, in words: `lock N1.mutex`, `write N1.next[0]`.
    pub text: String,
    /// Empty where nothing is known.
    pub file: String,
    pub line: u32,
    pub note: Option<String>,
    /// For a step that is one of the finding's two accesses: which, counted from 1.
    pub access: Option<u32>,
    #[serde(skip)]
    pub column: u32,
    /// What it accesses or synchronises on, if anything.
    #[serde(skip)]
    pub touches: Option<Touches>,
}

/// Bytes that a step depends on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Touches {
    /// Numbers mean something within one schedule only.
    pub object: u32,
    pub offset: u64,
    pub size: u64,
    pub writes: bool,
    /// It synchronises: as a lock does, or a signal.
    pub synchronises: bool,
}

impl Touches {
    /// Whether the outcome may depend on which of the two comes first.
    pub fn conflicts(&self, other: &Touches) -> bool {
        let overlap = self.offset < other.offset + other.size && other.offset < self.offset + self.size;
        self.object == other.object && overlap && (self.writes || other.writes)
    }
}

/// A race earlier in a finding's schedule: a thread of the finding read what another had written, and went on from there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierRace {
    /// The write, then the read.
    pub sides: [EarlierAccess; 2],
}

/// One side of that.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EarlierAccess {
    pub thread: u32,
    pub access: AccessKind,
    pub file: String,
    pub line: u32,
    pub column: u32,
}

/// A C program that goes with a finding, for the reader to build and run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Program {
    /// The whole file.
    pub source: String,
    /// Where it would stand: the command names it.
    pub file: String,
    /// The command that builds it.
    pub build: String,
    /// The byte at which what other programs have as well begins, if there is any.
    pub shared_from: Option<usize>,
}

impl Program {
    /// What is its own, and behind it what it shares with others.
    pub fn own_and_shared(&self) -> (&str, &str) {
        let whole = (self.source.as_str(), "");
        self.shared_from.and_then(|at| self.source.split_at_checked(at)).unwrap_or(whole)
    }
}

/// A client that leads to a finding by public calls.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Client {
    /// Its C program.
    pub file: String,
    /// The witness of the finding in that program.
    pub witness: String,
    /// Calls of the library.
    pub calls: u32,
    /// What it holds, the calls that it makes first, and those that it makes at once then, as C has them.
    pub holds: Vec<String>,
    pub before: Vec<String>,
    pub at_once: Vec<String>,
    #[serde(skip)]
    pub program: Program,
}

/// Something wrong with the program. The JSON form's `findings`, field by field.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Finding {
    /// `R1`, `R2`, ...: set by [`crate::Report::finish`].
    pub id: String,
    pub kind: FindingKind,
    pub confirmed: bool,
    pub tsan_confirmed: Option<bool>,
    /// `None` where the heap is the program's own.
    pub shape: Option<ShapeBasis>,
    pub location: Location,
    /// Two for a data race, the one at `location` first; else none.
    pub accesses: Vec<Access>,
    pub inputs: Vec<Input>,
    pub witness: Option<String>,
    /// For a deadlock.
    pub blocked: Vec<Blocked>,
    /// One sentence that says what happens.
    pub detail: String,
    pub notes: Vec<Note>,
    pub heap: Option<Heap>,
    pub threads: Vec<ThreadName>,
    pub schedule: Vec<ScheduleStep>,
    /// The cause that it belongs to, by [`crate::Report::finish`]; `None` for one that is suppressed.
    pub cause: Option<String>,
    /// Set for reachable ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<Client>,
    /// Why no client is known, and how far the search for one went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreached: Option<String>,
    /// Set for findings that the user has suppressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suppressed: Option<Suppressed>,
    /// What it says, by which it is known again in other versions of the program, by [`crate::Report::describe`].
    pub content: String,
    /// Why it is not certain; such a finding stands apart and does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unconfirmed: Option<String>,
    /// Races by which its threads may have come to it, in the order of its schedule.
    #[serde(skip)]
    pub earlier: Vec<EarlierRace>,
    /// The finding that comes first in its schedule and may have led to it, by [`crate::Report::finish`].
    #[serde(skip)]
    pub root: Option<String>,
    /// The test that shows it natively, or why there is none; `None` where nobody asked.
    #[serde(skip)]
    pub test: Option<Result<Program, String>>,
    /// The entries of the matrix that the finding belongs to, by their position.
    #[serde(skip)]
    pub entries: Vec<usize>,
    /// Where only parameters lead to what is accessed, beside the structure that threads share: which, `get.out`. Each caller may
    /// have an object of its own there.
    #[serde(skip)]
    pub passed: Vec<String>,
    /// Its calls are ones that callers have to order.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out_of_turn: Option<OutOfTurn>,
    /// Of a race between threads of a launch: how near to each other they are. `intra_warp`, `intra_warp_divergent`, `inter_warp`,
    /// `global`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
}

/// Of two calls, the one that fails wherever it is made after the other, on the heap and with the inputs of a finding.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct OutOfTurn {
    pub first: String,
    pub then: String,
    /// What is wrong with the second: `null dereference: queue.c:12`.
    pub fails: String,
    /// The first one ends what the second is passed.
    pub ends: bool,
}

impl Finding {
    /// A finding without the parts that only some have.
    pub fn new(kind: FindingKind, location: Location) -> Self {
        Finding {
            id: String::new(),
            kind,
            confirmed: false,
            tsan_confirmed: None,
            shape: None,
            location,
            accesses: Vec::new(),
            inputs: Vec::new(),
            witness: None,
            blocked: Vec::new(),
            detail: String::new(),
            notes: Vec::new(),
            heap: None,
            threads: Vec::new(),
            schedule: Vec::new(),
            cause: None,
            client: None,
            unreached: None,
            suppressed: None,
            content: String::new(),
            unconfirmed: None,
            earlier: Vec::new(),
            root: None,
            test: None,
            entries: Vec::new(),
            passed: Vec::new(),
            out_of_turn: None,
            class: None,
            launch: None,
        }
    }

    /// A data race between two accesses; the first gives the location.
    pub fn race(accesses: [Access; 2]) -> Self {
        let location = accesses[0].location.clone();
        Finding { accesses: accesses.into(), ..Finding::new(FindingKind::DataRace, location) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_objects() {
        for (place, object) in [
            ("N2.next[0]", "N2"),
            ("N1[1].key", "N1"),
            ("N3", "N3"),
            ("new struct node.key", "new struct node"),
            ("heap block of 8 bytes +4", "heap block of 8 bytes"),
            ("", ""),
        ] {
            assert_eq!(object_of(place), object);
        }
    }

    #[test]
    fn shapes_are_spelled_as_in_json() {
        for basis in ShapeBasis::ALL {
            assert_eq!(serde_json::to_value(basis).ok(), Some(basis.name().into()));
            assert_eq!(ShapeBasis::named(basis.name()), Some(basis));
        }
        assert_eq!(ShapeBasis::named("x"), None);
    }

    #[test]
    fn kinds_are_ordered_and_spelled_as_in_json() {
        assert!(FindingKind::ALL.is_sorted_by(|a, b| a < b && a.name() < b.name()));
        for kind in FindingKind::ALL {
            assert_eq!(serde_json::to_value(kind).ok(), Some(kind.name().into()));
            assert_eq!(FindingKind::named(kind.name()), Some(kind));
        }
        assert_eq!(FindingKind::named("data race"), None);
    }
}
