//! What a test needs, read off the witness.

use crate::format::{CellValue, Command, OperationCall, StepKind, Witness};
use std::collections::{BTreeMap, BTreeSet};

/// Decisions that several parts of the test share.
#[derive(Debug)]
pub(super) struct Plan<'a> {
    pub(super) witness: &'a Witness,
    /// Names of the threads that the witness knows, by number.
    pub(super) threads: BTreeMap<u32, String>,
    /// Sources that become part of the test.
    pub(super) included: Vec<&'a str>,
    /// Sources on the command line.
    pub(super) separate: Vec<&'a str>,
    /// Sizes of the atomic operations that may occur, in bytes.
    pub(super) atomic_sizes: BTreeSet<u64>,
    /// Whether something is looked up in the symbol table.
    pub(super) needs_symbols: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(witness: &'a Witness) -> Self {
        let mut included = Vec::new();
        for operation in witness.calls() {
            if let Some(source) = source_of(witness, operation).filter(|_| needs_inclusion(operation))
                && !included.contains(&source)
            {
                included.push(source);
            }
        }
        let separate = witness.program.sources.iter().map(String::as_str).filter(|s| !included.contains(s)).collect();
        Plan {
            witness,
            threads: threads(witness),
            included,
            separate,
            atomic_sizes: atomic_sizes(witness),
            needs_symbols: needs_symbols(witness),
        }
    }

    /// The program runs from its own `main`.
    pub(super) fn is_check(&self) -> bool {
        matches!(self.witness.command, Command::Check | Command::Cover)
    }

    /// It is for branches: nothing need go wrong.
    pub(super) fn is_coverage(&self) -> bool {
        self.witness.command == Command::Cover
    }

    pub(super) fn is_race(&self) -> bool {
        self.witness.failure.kind == "data_race"
    }

    /// Functions that the test defines, if they are a client's: those that the heap and arguments lead to, and those that the program defines and
    /// that can be put in their place.
    pub(super) fn functions(&self) -> BTreeSet<&'a str> {
        let own = self.witness.client_functions.iter().map(String::as_str).filter(|_| self.included.is_empty());
        functions(self.witness).into_iter().chain(own).collect()
    }

    /// Whether the operation can be called by its own name, with its own prototype.
    pub(super) fn sees(&self, operation: &OperationCall) -> bool {
        source_of(self.witness, operation).is_some_and(|source| self.included.contains(&source))
    }

    /// A thread as it is called in comments and messages.
    pub(super) fn thread(&self, number: u32) -> String {
        let name = self.threads.get(&number).map_or("?", String::as_str);
        match self.witness.operations.get(number as usize).filter(|_| !self.is_check()) {
            Some(operation) => format!("thread {name} ({})", operation.sequence()),
            None => format!("thread {name}"),
        }
    }
}

fn threads(witness: &Witness) -> BTreeMap<u32, String> {
    let mut threads: BTreeMap<u32, String> = match witness.command {
        // Of kernels no C test is made.
        Command::Check | Command::Cover | Command::Gpu => [(0, "main".to_owned())].into(),
        Command::Races => (0..witness.operations.len() as u32).map(|i| (i, (i + 1).to_string())).collect(),
    };
    let failure = &witness.failure;
    let accesses = failure.accesses.iter().map(|a| (a.thread, &a.thread_name));
    let blocked = failure.blocked.iter().map(|b| (b.thread, &b.thread_name));
    let steps = witness.schedule.iter().map(|s| (s.thread, &s.thread_name));
    for (number, name) in accesses.chain(blocked).chain(steps).filter(|(_, name)| !name.is_empty()) {
        threads.insert(number, name.clone());
    }
    threads
}

/// The source that defines an operation. Debug information may name it relative to a directory that nobody knows.
fn source_of<'a>(witness: &'a Witness, operation: &OperationCall) -> Option<&'a str> {
    let sources = || witness.program.sources.iter().map(String::as_str).filter(|s| s.ends_with(".c"));
    let file = operation.file.trim_start_matches("./");
    let same = |s: &&str| *s == file || s.strip_suffix(file).is_some_and(|head| head.ends_with('/'));
    let named = |s: &&str| base(s) == base(file);
    let found = sources().find(same).or_else(|| sources().find(named));
    found.or_else(|| sources().next().filter(|_| file.is_empty()))
}

/// Whether a call needs names that only the operation's source has.
fn needs_inclusion(operation: &OperationCall) -> bool {
    operation.is_static
        || plain_type(&operation.return_type).is_none() && operation.return_type != "void"
        || operation.args.iter().any(|arg| plain_type(&arg.c_type).is_none())
}

/// A type that can be named without the program's declarations and is passed alike.
pub(super) fn plain_type(c_type: &str) -> Option<String> {
    const STANDARD: [&str; 13] = [
        "size_t",
        "ptrdiff_t",
        "intptr_t",
        "uintptr_t",
        "int8_t",
        "int16_t",
        "int32_t",
        "int64_t",
        "uint8_t",
        "uint16_t",
        "uint32_t",
        "uint64_t",
        "float",
    ];
    const WORDS: [&str; 8] = ["char", "short", "int", "long", "unsigned", "signed", "_Bool", "double"];
    let unqualified = unqualified(c_type);
    match unqualified.as_str() {
        name if name.is_empty() || name.ends_with('*') => Some("void *".to_owned()),
        "bool" => Some("_Bool".to_owned()),
        name if name.starts_with("enum ") => Some("int".to_owned()),
        name if STANDARD.contains(&name) || name.split(' ').all(|word| WORDS.contains(&word)) => Some(name.to_owned()),
        _ => None,
    }
}

/// The type of a variable that can be assigned.
pub(super) fn unqualified(c_type: &str) -> String {
    let end = c_type.trim().trim_end_matches("const").trim_end();
    if end.ends_with('*') {
        return end.to_owned();
    }
    let words: Vec<&str> = end.split_whitespace().filter(|w| !matches!(*w, "const" | "volatile")).collect();
    words.join(" ")
}

/// The last part of a path.
pub(super) fn base(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Those of the program; where the witness does not say, those that occur as steps. Accesses at the places of the race
/// are steps as well, and may be the only ones.
fn atomic_sizes(witness: &Witness) -> BTreeSet<u64> {
    let racing = |line: u32, column: u32| {
        witness.failure.accesses.iter().any(|a| !a.atomic && (a.position.line, a.position.column) == (line, column))
    };
    let steps = witness.schedule.iter().filter(|step| {
        matches!(step.kind, StepKind::Load | StepKind::Store | StepKind::Update)
            && !racing(step.position.line, step.position.column)
    });
    let accesses = witness.failure.accesses.iter().filter(|a| a.atomic).map(|a| a.size);
    let known = witness.atomic_sizes.iter().copied();
    steps.map(|step| step.size).chain(accesses).chain(known).filter(|size| [1, 2, 4, 8, 16].contains(size)).collect()
}

fn needs_symbols(witness: &Witness) -> bool {
    let globals = witness.command == Command::Races && witness.heap.objects.iter().any(|o| o.global);
    globals || !functions(witness).is_empty()
}

/// The functions that pointers of the heap, and arguments, lead to.
fn functions(witness: &Witness) -> BTreeSet<&str> {
    let cells = witness.heap.objects.iter().flat_map(|object| &object.cells).map(|cell| &cell.value);
    let arguments = witness.calls().flat_map(|call| &call.args).map(|argument| &argument.value);
    let all = cells.chain(arguments).filter_map(|value| match value {
        CellValue::Function(name) => Some(name.as_str()),
        _ => None,
    });
    all.collect()
}
