//! The witness file: everything that is needed to run a failure again, in names and numbers that mean something outside
//! of raddle.
//!
//! Version 1. Readers accept only their own version; fields may be added without a new one.

use crate::damage::damage;
use explore::LockOwner;
use machine::{Device, GpuRace, GpuThread, Launch};
use memory::HeapRules;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The value of `schema` in files of this version.
pub const SCHEMA: &str = "raddle-witness/1";

/// A failure and how to make it happen. The file's form, field by field.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Witness {
    pub schema: String,
    /// Version of raddle that wrote it.
    pub raddle: String,
    pub command: Command,
    pub program: ProgramRef,
    pub failure: Failure,
    /// For `gpu`: how the kernel was launched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<Launch>,
    /// For `races`: the first call of each thread, in thread order. For `gpu`: the kernel, once.
    pub operations: Vec<OperationCall>,
    pub heap: Heap,
    /// Where the shared pointer parameters lead, by name.
    #[serde(default)]
    pub roots: Vec<(String, CellValue)>,
    /// Values of all other symbols: arguments (`1:key` is the first thread's `key`) and parts of inputs.
    #[serde(default)]
    pub symbols: Vec<SymbolValue>,
    /// What was made symbolic by the program itself.
    pub inputs: Vec<InputValue>,
    /// Threads that the program created, in the order of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub created: Vec<CreatedThread>,
    /// What the environment picked before the first step.
    #[serde(default)]
    pub first_picks: Vec<u32>,
    pub schedule: Vec<ScheduleStep>,
    /// Accesses that are steps of the schedule although they do not synchronise: instruction numbers.
    pub visible: Vec<u32>,
    /// Where these stand in the source, for matching in a native run. In order, each once.
    #[serde(default)]
    pub visible_sites: Vec<AccessSite>,
    /// Sizes of the program's atomic operations, in bytes: these are steps wherever they stand.
    #[serde(default)]
    pub atomic_sizes: Vec<u64>,
    /// For `cover`: what is taken once the schedule was followed. Nothing is expected to go wrong then.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub takes: Vec<TakenWay>,
    /// Functions of a client's that the program defines itself ([`machine::is_client_function`]): in a test its own stand in for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub client_functions: Vec<String>,
    pub settings: Settings,
}

/// A way at a branch.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TakenWay {
    /// The instruction's number.
    pub branch: u32,
    /// 1 or 0 for whether its condition holds; of a `switch` the number of the case, from 0, none of them last.
    pub way: u64,
    /// As in [`AccessSite`].
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// For reading: `true`, `case 3`.
    pub outcome: String,
    /// Interferences that it takes, at the least.
    pub degree: u32,
}

/// A place in the source where accesses are steps of the schedule.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct AccessSite {
    /// As in [`SourcePosition`].
    pub file: String,
    pub line: u32,
    pub column: u32,
    /// As in [`AccessInfo`]: `read`, `write`, `read_write`, `free`.
    pub access: String,
}

/// Which search found it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Command {
    Check,
    Cover,
    Races,
    Gpu,
}

/// Which program it is about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProgramRef {
    /// Absolute paths.
    pub sources: Vec<String>,
    /// As the user typed them, and the directory in which: debug information names files that way.
    #[serde(default)]
    pub typed: Vec<String>,
    #[serde(default)]
    pub directory: String,
    pub flags: Vec<String>,
    /// How each source is compiled, in their order, where that differs; `flags` are then those of the command line, which
    /// are among these as well.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub own: Vec<SourceFlags>,
    /// Of CUDA: the host's side belongs to it, where that has a `main`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub both_sides: bool,
    /// Hash of the lowered program; a witness of another program is refused.
    pub fingerprint: String,
}

/// How one source is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFlags {
    /// Where the compiler runs.
    pub directory: String,
    pub flags: Vec<String>,
}

impl ProgramRef {
    /// The sources as they are named to the compiler: as the user typed them, where that is known.
    pub fn names(&self) -> &[String] {
        if self.typed.len() == self.sources.len() { &self.typed } else { &self.sources }
    }

    /// The flags of a source and the directory that they are meant in. `source` is one of `sources`.
    pub fn flags_of(&self, source: &str) -> (&[String], &str) {
        let index = self.sources.iter().position(|known| known == source);
        match index.and_then(|index| self.own.get(index)) {
            Some(own) => (&own.flags, &own.directory),
            None => (&self.flags, &self.directory),
        }
    }
}

/// What the replay has to agree on with the run that found the failure.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Settings {
    pub depth: u32,
    pub array: u64,
    #[serde(flatten)]
    pub rules: HeapRules,
    pub globals_symbolic: bool,
    pub roots_any: bool,
    pub spurious: u32,
    #[serde(default)]
    pub fail_alloc: bool,
    #[serde(default)]
    pub relaxed_volatile: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub member_bounds: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub any_indeterminate: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub error_location: bool,
    /// What kernels run on that the program launches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<Device>,
}

/// A position in a source file, with the calls that lead there.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SourcePosition {
    /// As the user typed it, or as the debug information names a header.
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// The code is inline assembly: native runs do not see what it accesses.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub assembly: bool,
    /// Innermost frame first: `function file:line:column`.
    pub stack: Vec<String>,
}

/// What is expected to go wrong.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Failure {
    /// As in reports: `data_race`, `assertion`, ...
    pub kind: String,
    pub detail: String,
    pub location: SourcePosition,
    /// Who fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<u32>,
    /// For a race between threads of a launch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub race: Option<GpuRace>,
    /// For a data race: the two accesses, in the order of the schedule.
    pub accesses: Vec<AccessInfo>,
    /// For a deadlock.
    pub blocked: Vec<BlockedInfo>,
    /// Races earlier in the run by which threads may have come to it, in the order of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<EarlierRace>,
    /// The function without a body and a model that it may depend on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub depends_on: Option<String>,
    /// Of a race between threads of a kernel: what is in its place when the launch is over, if that tells something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<Left>,
}

/// What the first access of a race finds in its place behind the launch, as far as that hangs on how threads are interleaved.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Left {
    /// Bytes.
    pub size: u64,
    /// Bits, where each thread runs as far as it comes before the next begins: from the first on, and from the last.
    pub one_by_one: u64,
    /// Bits, where they are interleaved: as the schedule says, or an action each in turns.
    pub interleaved: u64,
}

/// One side of a race.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct AccessInfo {
    /// Index of the thread, from 0. Under `races` in the order of the operations; under `check` 0 is `main`.
    pub thread: u32,
    /// Which of the thread's calls it happens in, from 0.
    #[serde(default, skip_serializing_if = "is_first")]
    pub call: u32,
    pub thread_name: String,
    /// Of a launch: where the thread is, and the kind of memory that it accesses.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuAccess>,
    /// `read`, `write`, `read_write`, `free`.
    pub access: String,
    /// A variable of a function: `free` is its end.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub automatic: bool,
    /// What is accessed is a variable, not an object that pointers alone lead to.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub variable: bool,
    pub atomic: bool,
    /// Bytes.
    pub size: u64,
    /// `N1.next[0]`, a variable, or how a block came to be.
    pub place: String,
    /// Object of the heap below and byte offset, if it is one of those.
    pub object: Option<(u32, u64)>,
    pub locks: Vec<String>,
    /// The same locks, as seen from the object that is accessed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub held: Vec<HeldLock>,
    /// The accessed member without its object: `struct node.next[0]`; a variable by its name. `None` where no type is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touches: Option<Touched>,
    /// The step of the schedule during which it happens; `None` before the first.
    #[serde(default)]
    pub step: Option<u32>,
    pub position: SourcePosition,
}

/// Where an access of a launch is made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct GpuAccess {
    #[serde(flatten)]
    pub thread: GpuThread,
    /// `shared`, `global`, `constant`, `local`.
    pub space: String,
    /// Which launch it is one of, of a program that makes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub launch: Option<LaunchInfo>,
}

/// A launch that a host makes.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LaunchInfo {
    /// From 1, in the order of the launches.
    pub number: u32,
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    pub file: String,
    pub line: u32,
}

/// Bytes, where objects that the run makes have numbers as well: those of the machine, which mean nothing in another run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Touched {
    pub object: u32,
    pub offset: u64,
    pub size: u64,
}

/// A lock, by what it belongs to.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct HeldLock {
    pub owner: LockOwner,
    /// The type of the object that it is in, in C syntax; empty for a variable, or where no type is known.
    pub object: String,
    /// In that object: `mutex`; a variable by its name: `table.lock`.
    pub member: String,
    /// Held for reading, with others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shared: bool,
}

impl From<explore::HeldLock> for HeldLock {
    fn from(explore::HeldLock { owner, object, member, shared }: explore::HeldLock) -> Self {
        HeldLock { owner, object, member, shared }
    }
}

/// Two accesses without order, of which the second reads what the first wrote, and whose thread went on from there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EarlierRace {
    pub write: EarlierAccess,
    pub read: EarlierAccess,
}

/// One side of that.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EarlierAccess {
    /// As in [`AccessInfo`], all of it; the position has no stack.
    pub thread: u32,
    pub access: String,
    pub step: Option<u32>,
    pub position: SourcePosition,
}

/// A thread that waits for good.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct BlockedInfo {
    pub thread: u32,
    /// As in [`AccessInfo`].
    #[serde(default, skip_serializing_if = "is_first")]
    pub call: u32,
    pub thread_name: String,
    /// Of a launch: where the thread is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuThread>,
    pub holds: Vec<String>,
    pub waits_for: String,
    pub position: SourcePosition,
}

/// A number from 0 that is left out of files where it is the first.
fn is_first(index: &u32) -> bool {
    *index == 0
}

/// A call that a thread makes.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct OperationCall {
    /// As the user typed it.
    pub name: String,
    /// The C name.
    pub function: String,
    /// Defined in this file, as the debug information names it.
    pub file: String,
    pub is_static: bool,
    /// Declared return type in C syntax.
    pub return_type: String,
    pub args: Vec<ArgumentValue>,
    /// What the thread calls next, one after the other; of these, nothing further.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub then: Vec<OperationCall>,
}

/// What a call is given.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ArgumentValue {
    pub name: String,
    /// Declared type in C syntax: `struct node *`, `int`.
    pub c_type: String,
    /// What that is without typedefs and qualifiers; empty if it is no scalar.
    #[serde(default)]
    pub basic_type: String,
    /// A pointer to an object that only this call's thread has from its caller; the root is named after the thread.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// A pointer to an object to which this caller alone has a pointer; the root is named after the thread.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub alone: bool,
    /// A structure by value: `value` leads to the one that is passed.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_value: bool,
    pub value: CellValue,
}

/// The initial heap; also the globals that are not as their initialisers say.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Heap {
    pub objects: Vec<HeapObject>,
}

/// An object of the initial heap as the witness has it: numbered from the roots, with concrete cells.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeapObject {
    /// `N1`, or a global's C name.
    pub name: String,
    pub global: bool,
    /// A global with internal linkage, or a static local (`function.name`).
    pub is_static: bool,
    /// A structure that a call is passed by value.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_value: bool,
    /// Element type in C syntax, as declared (`struct node`, `int`, `struct list *`); empty if it has no name.
    pub c_type: String,
    /// Elements, one behind the other.
    pub count: u64,
    /// Bytes.
    pub size: u64,
    /// Scalars that matter, by offset; all others are 0 or null.
    pub cells: Vec<HeapCell>,
    /// Synchronisation objects inside, which start initialised and free: path (`.mutex`) and type (`pthread_mutex_t`).
    pub locks: Vec<(String, String)>,
}

/// A scalar of such an object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct HeapCell {
    /// Bytes from the start of the object.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Behind the object's name: `.next[0]`, `[1].key`.
    pub path: String,
    /// Of the scalar that begins here, without typedefs and qualifiers; empty if none does.
    #[serde(default)]
    pub basic_type: String,
    pub value: CellValue,
}

/// What a scalar holds at the beginning.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CellValue {
    /// Zero-extended bits.
    Integer(u64),
    Null,
    /// Object by index in [`Heap::objects`], byte offset in it, and the path there behind the object's name.
    Pointer {
        object: u32,
        offset: u64,
        path: String,
    },
    /// A function by C name.
    Function(String),
}

/// A number as its type means it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Number {
    Signed(i64),
    Unsigned(u64),
    /// A `float`, by its bits.
    Single(u32),
    /// A `double`, by its bits.
    Double(u64),
}

impl Number {
    /// `bits` of a scalar of `size` bytes. Where the type is not known, it is taken for signed.
    pub fn of(basic_type: &str, size: u64, bits: u64) -> Self {
        let shift = 64 - 8 * size.clamp(1, 8) as u32;
        match (basic_type, size) {
            ("float", 4) => return Number::Single(bits as u32),
            ("double", 8) => return Number::Double(bits),
            _ => {}
        }
        if basic_type.starts_with("unsigned") || matches!(basic_type, "_Bool" | "bool") {
            Number::Unsigned(bits << shift >> shift)
        } else {
            Number::Signed(((bits << shift) as i64) >> shift)
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Signed(value) => value.fmt(f),
            Number::Unsigned(value) => value.fmt(f),
            Number::Single(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Number::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
        }
    }
}

impl OperationCall {
    /// This call and those that the thread makes behind it.
    pub fn calls(&self) -> impl Iterator<Item = &OperationCall> {
        std::iter::once(self).chain(&self.then)
    }

    /// What the thread calls, in words: `insert`, or `insert; search`.
    pub fn sequence(&self) -> String {
        self.calls().map(|call| call.name.as_str()).collect::<Vec<_>>().join("; ")
    }
}

impl ArgumentValue {
    /// Its type without typedefs, as far as known.
    pub fn known_type(&self) -> &str {
        if self.basic_type.is_empty() { &self.c_type } else { &self.basic_type }
    }

    /// The argument as a number, if it is one.
    pub fn number(&self) -> Option<Number> {
        let CellValue::Integer(bits) = self.value else { return None };
        let size = match self.known_type() {
            "char" | "signed char" => 1,
            "short" => 2,
            "int" | "float" => 4,
            name if name.starts_with("enum ") => 4,
            _ => 8,
        };
        Some(Number::of(self.known_type(), size, bits))
    }
}

impl HeapCell {
    /// The cell's value as a number, if it is one.
    pub fn number(&self) -> Option<Number> {
        match self.value {
            CellValue::Integer(bits) => Some(Number::of(&self.basic_type, self.size, bits)),
            _ => None,
        }
    }
}

/// What the program asked to be symbolic.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct InputValue {
    /// The user's name, made unique; prefixed by the thread's name except in the first thread.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Little-endian.
    pub bytes: Vec<u8>,
    pub thread: u32,
    /// It is one floating-point number.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub floating: bool,
    /// When it was asked for, and by which call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Moment>,
}

/// A thread that the program created.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CreatedThread {
    pub thread: u32,
    pub thread_name: String,
    pub by: u32,
    pub at: Moment,
}

/// Where something happens in a run that is no step of the schedule.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Moment {
    /// So many steps of the schedule come before.
    pub step: u32,
    /// Of what comes between the same two steps, which it is.
    pub order: u32,
    /// Without a stack.
    pub position: SourcePosition,
}

impl InputValue {
    /// The input as a number, if it has a number's length. The least significant byte comes first.
    pub fn number(&self) -> Option<Number> {
        input_number(&self.bytes, self.floating)
    }
}

/// Bytes as a number, if they have a number's length.
pub fn input_number(bytes: &[u8], floating: bool) -> Option<Number> {
    let length = bytes.len();
    if !matches!(length, 1 | 2 | 4 | 8) {
        return None;
    }
    let mut word = [0; 8];
    word[..length].copy_from_slice(bytes);
    let basic_type = match (floating, length) {
        (true, 4) => "float",
        (true, 8) => "double",
        _ => "",
    };
    Some(Number::of(basic_type, length as u64, u64::from_le_bytes(word)))
}

/// The value of a symbol.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SymbolValue {
    pub name: String,
    pub bits: u32,
    /// Hexadecimal digits.
    pub hex: String,
}

/// A visible action of a thread, in order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ScheduleStep {
    pub thread: u32,
    pub thread_name: String,
    /// For reading: `locks N1.mutex`, `reads N1.next[0]`.
    pub action: String,
    /// What kind of action it is, for matching in a native run.
    pub kind: StepKind,
    /// Bytes, for accesses.
    pub size: u64,
    /// Object of the heap and offset, for accesses and synchronisation on one of its objects.
    pub object: Option<(u32, u64)>,
    /// For the same, whatever object it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub touches: Option<Touched>,
    pub position: SourcePosition,
    /// The call of the C library that it is part of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub library: Option<LibraryCall>,
    /// What the environment picked during the step (which waiter wakes, whether a weak exchange fails).
    pub picks: Vec<u32>,
}

/// A call of a function of raddle's C library, in which a thread may take several steps. Natively it is one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LibraryCall {
    pub function: String,
    /// The thread's step before this one is part of the same call.
    pub continues: bool,
}

/// What a step of the schedule does.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StepKind {
    /// A call that synchronises: lock, unlock, signal, ...
    Call,
    /// The second half of a condition wait.
    Wake,
    /// A load that is visible.
    Load,
    Store,
    /// An atomic read-modify-write.
    Update,
    Free,
    Join,
    /// A function is entered that is one atomic section.
    Enter,
    Exit,
    /// A function is left, and its variables end. Native runs do not see it.
    Leave,
}

/// Why text is no witness.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    #[error("not a raddle witness: {0}")]
    Json(#[from] serde_json::Error),
    #[error("a witness of format `{0}`; this raddle reads `{SCHEMA}`")]
    Schema(String),
    #[error("a damaged witness: {0}")]
    Damaged(String),
}

impl Witness {
    /// Reads a witness.
    ///
    /// # Errors
    /// See [`FormatError`].
    pub fn parse(text: &str) -> Result<Self, FormatError> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let head: Head = serde_json::from_str(text)?;
        if head.schema != SCHEMA {
            return Err(FormatError::Schema(head.schema));
        }
        let witness: Witness = serde_json::from_str(text)?;
        damage(&witness).map_or(Ok(witness), |why| Err(FormatError::Damaged(why)))
    }

    /// All calls that threads make.
    pub fn calls(&self) -> impl Iterator<Item = &OperationCall> {
        self.operations.iter().flat_map(OperationCall::calls)
    }

    /// The call of this thread with this number, both from 0.
    pub fn call(&self, thread: u32, call: u32) -> Option<&OperationCall> {
        self.operations.get(thread as usize)?.calls().nth(call as usize)
    }

    /// Why ThreadSanitizer may see nothing of the failure in a test that shows it, if so.
    pub fn out_of_sight(&self) -> Option<&'static str> {
        let ends = |access: &AccessInfo| access.automatic && access.access == "free";
        match self.failure.kind.as_str() {
            "data_race" if self.failure.accesses.iter().any(ends) => Some("the end of a variable is no access to it"),
            "data_race" if self.failure.accesses.iter().any(|access| access.position.assembly) => {
                Some("it does not see what inline assembly accesses")
            }
            _ if self.symbols.iter().any(|symbol| symbol.name.starts_with("uninit@")) => {
                Some("it rests on the values of uninitialised variables, which no test can choose")
            }
            "out_of_bounds" => Some("it does not check bounds"),
            "uninitialized_read" => Some("it does not know what is uninitialised"),
            _ => None,
        }
    }

    /// The file's text.
    ///
    /// # Errors
    /// Only if memory runs out.
    pub fn to_json(&self) -> Result<String, serde_json::Error> {
        let mut text = serde_json::to_string_pretty(self)?;
        text.push('\n');
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_types_sign() {
        assert_eq!(Number::of("short", 2, 0x8000), Number::Signed(-32768));
        assert_eq!(Number::of("unsigned char", 1, 0x1f9), Number::Unsigned(249));
        assert_eq!(Number::of("unsigned long", 8, u64::MAX), Number::Unsigned(u64::MAX));
        assert_eq!(Number::of("", 4, 0xffff_ffff), Number::Signed(-1));
        assert_eq!(Number::of("float", 4, 0xbfc0_0000).to_string(), "-1.5");
        assert_eq!(Number::of("double", 8, 0.1f64.to_bits()).to_string(), "0.1");
        assert_eq!(input_number(&[0, 0, 192, 63], true).map(|n| n.to_string()).as_deref(), Some("1.5"));
        let argument = |c_type: &str, basic_type: &str| ArgumentValue {
            name: "a".to_owned(),
            c_type: c_type.to_owned(),
            basic_type: basic_type.to_owned(),
            private: false,
            alone: false,
            by_value: false,
            value: CellValue::Integer(0xfff9),
        };
        assert_eq!(argument("level", "short").number(), Some(Number::Signed(-7)));
        assert_eq!(argument("short", "").number(), Some(Number::Signed(-7)), "from before basic types were written");
        assert_eq!(argument("size_t", "unsigned long").number(), Some(Number::Unsigned(0xfff9)));
    }
}
