//! What is explored: a program from `main`, or operations of a library together.

pub(crate) mod client;
pub(crate) mod launch;
pub(crate) mod operation;
pub(crate) mod options;
pub(crate) mod readers;
pub(crate) mod roots;

use crate::{JointOptions, Likely, RootRule, base_state};
use client::{ClientCall, Recipe};
use concurrency::ThreadId;
use ir::{FuncId, Module};
use launch::{Kernel, launch, launch_state};
use machine::{
    Config, EndlessLoop, Engine, Fault, FaultKind, LedgerEntry, LossKind, LossSite, Program, ProgramError, ProgramPart,
    State, Weak,
};
use memory::Limits;
use operation::{Call, Operation, Sequence};
use roots::break_symmetry;
use serde::Serialize;
use std::sync::Arc;

/// How operations run together, and on which heaps.
#[derive(Clone, Debug, Serialize)]
pub struct LibraryOptions {
    pub limits: Limits,
    pub globals_symbolic: bool,
    pub roots: RootRule,
    /// `bool ok(const struct T *)`
    pub valid: Option<Operation>,
    pub joint: JointOptions,
    /// For operations that run alone.
    pub alone: Config,
    /// For threads that run together.
    pub together: Config,
}

/// Where executions begin.
#[derive(Clone, Debug)]
pub enum Origin {
    Main {
        program: Arc<Program>,
        main: FuncId,
        limits: Limits,
        config: Config,
    },
    Library {
        program: Arc<Program>,
        threads: Vec<Sequence>,
        options: LibraryOptions,
    },
    /// All threads of a kernel's launch at once.
    Launch {
        program: Arc<Program>,
        kernel: Kernel,
        limits: Limits,
        config: Config,
        /// How the predicate is run.
        alone: Config,
        joint: JointOptions,
    },
    /// Where clients have come to: each of these, one after the other.
    Clients {
        program: Arc<Program>,
        threads: Vec<Sequence>,
        clients: Arc<[ClientStart]>,
        options: LibraryOptions,
    },
}

/// What a client has done, and what its threads call next, all at once.
#[derive(Clone, Debug)]
pub struct ClientStart {
    pub recipe: Arc<Recipe>,
    pub threads: Vec<ClientCall>,
    /// Loops in which a call goes on for ever by itself, each time in a new state.
    pub endless: Arc<[EndlessLoop]>,
}

impl Origin {
    /// Where executions of threads that call operations begin; none if they cannot be explored.
    ///
    /// # Errors
    /// The gap to be noted.
    pub fn library(
        program: &Arc<Program>,
        threads: &[Sequence],
        options: &LibraryOptions,
    ) -> Result<Self, LedgerEntry> {
        can_be_called(&program.module, threads)?;
        Ok(Origin::Library { program: Arc::clone(program), threads: threads.to_vec(), options: options.clone() })
    }

    /// The same with no more of the program than that it can come to. Nothing else has an influence on what follows from it.
    ///
    /// # Errors
    /// When that is no program, which is a fault of raddle's.
    pub fn narrowed(&self) -> Result<Narrowed, ProgramError> {
        let Origin::Library { program, threads, options } = self else {
            return Ok(Narrowed { origin: self.clone(), part: None });
        };
        let calls = threads.iter().flat_map(Sequence::calls).chain(&options.valid);
        let part = program.part(calls.map(|call| call.function), options.globals_symbolic)?;
        let called = |operation: &Operation| {
            let function = part.function(operation.function).expect("what was asked for is in the part");
            Operation { function, ..operation.clone() }
        };
        let sequence = |sequence: &Sequence| Sequence {
            first: called(&sequence.first),
            then: sequence.then.iter().map(called).collect(),
        };
        let origin = Origin::Library {
            program: Arc::clone(&part.program),
            threads: threads.iter().map(sequence).collect(),
            options: LibraryOptions { valid: options.valid.as_ref().map(called), ..options.clone() },
        };
        Ok(Narrowed { origin, part: Some(part) })
    }

    /// What is run.
    pub fn program(&self) -> &Arc<Program> {
        let (Origin::Main { program, .. }
        | Origin::Library { program, .. }
        | Origin::Launch { program, .. }
        | Origin::Clients { program, .. }) = self;
        program
    }

    /// The state before anything has run, and what each thread will call.
    pub(crate) fn base_state(&self, engine: &mut Engine) -> (State, Vec<Vec<Call>>) {
        match self {
            Origin::Main { main, limits, .. } => (engine.main_state(*limits, *main), Vec::new()),
            Origin::Launch { kernel, limits, .. } => {
                let (mut state, calls) = launch_state(engine, *limits, kernel);
                if kernel.valid.is_some() {
                    return (state, calls);
                }
                launch(engine, &mut state, &calls);
                // What each thread calls it has begun with.
                (state, Vec::new())
            }
            Origin::Library { threads, options, .. } => {
                let limits = options.limits;
                let (mut state, calls) = base_state(engine, limits, options.globals_symbolic, threads, options.roots);
                break_symmetry(engine, &mut state, threads, &calls);
                (state, calls)
            }
            Origin::Clients { options, .. } => (engine.client_state(options.limits), Vec::new()),
        }
    }

    /// The clients that executions begin with.
    pub(crate) fn clients(&self) -> &[ClientStart] {
        match self {
            Origin::Main { .. } | Origin::Library { .. } | Origin::Launch { .. } => &[],
            Origin::Clients { clients, .. } => clients,
        }
    }

    /// Whether failures count that the same calls one after another do not show.
    pub(crate) fn has_serial_orders(&self) -> bool {
        match self {
            Origin::Main { .. } | Origin::Launch { .. } => false,
            Origin::Library { options, .. } => options.joint.failures,
            Origin::Clients { .. } => true,
        }
    }

    /// What each thread calls.
    pub fn threads(&self) -> &[Sequence] {
        match self {
            Origin::Main { .. } | Origin::Launch { .. } => &[],
            Origin::Library { threads, .. } | Origin::Clients { threads, .. } => threads,
        }
    }

    /// Whether the calls of a thread may give a lock back. Such as cannot take locks for their callers, if they take any. `first`: the
    /// first of the threads that run together; before it, a client's thread has made the calls of `client`.
    pub(crate) fn gives_locks_back(&self, thread: ThreadId, first: usize, client: Option<&ClientStart>) -> bool {
        let module = &self.program().module;
        let Some(index) = thread.index().checked_sub(first) else {
            let mut before = client.iter().flat_map(|client| &client.recipe.calls);
            return !before.any(|(call, _)| takes_for_caller(module, call.function));
        };
        let Some(sequence) = self.threads().get(index) else { return true };
        ir::may_call(module, sequence.calls().map(|call| call.function), gives_back)
    }

    /// Whether a fault of a client's thread is the client's: it gives back a lock that it has not.
    pub(crate) fn is_callers_misuse(&self, fault: &Fault, first: usize) -> bool {
        let Origin::Clients { program, threads, .. } = self else { return false };
        let thread = fault.thread.index().checked_sub(first).and_then(|index| threads.get(index));
        let gives = |call: &Operation| gives_back_for_caller(&program.module, call.function);
        fault.kind == FaultKind::LockMisuse && thread.is_some_and(|calls| calls.calls().any(gives))
    }

    /// Two threads that make one call each.
    pub(crate) fn is_pair(&self) -> bool {
        matches!(self, Origin::Library { .. })
            && self.threads().len() == 2
            && self.threads().iter().all(|sequence| sequence.length() == 1)
    }

    /// Whether likely races are looked for before all is explored.
    pub(crate) fn is_guided(&self, options: JointOptions) -> bool {
        let is_program = matches!(self, Origin::Main { .. });
        options.likely != Likely::Never && options.schedules.are_divisible() && (is_program || self.is_pair())
    }

    /// Bounds of the heap.
    pub(crate) fn limits(&self) -> Limits {
        match self {
            Origin::Main { limits, .. } | Origin::Launch { limits, .. } => *limits,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.limits,
        }
    }

    pub(crate) fn valid(&self) -> Option<&Operation> {
        match self {
            Origin::Main { .. } | Origin::Clients { .. } => None,
            Origin::Launch { kernel, .. } => kernel.valid.as_ref(),
            Origin::Library { options, .. } => options.valid.as_ref(),
        }
    }

    /// How what runs alone is run, if anything is.
    pub(crate) fn alone(&self) -> Option<Config> {
        match self {
            Origin::Main { .. } => None,
            Origin::Launch { kernel, alone, .. } => kernel.valid.as_ref().map(|_| *alone),
            Origin::Library { options, .. } | Origin::Clients { options, .. } => Some(options.alone),
        }
    }

    /// What is looked for in operations that run together.
    pub(crate) fn joint(&self) -> JointOptions {
        match self {
            Origin::Main { .. } => JointOptions::default(),
            Origin::Launch { joint, .. } => *joint,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.joint,
        }
    }

    /// The same with fewer threads: those that a program creates at the most.
    pub fn within_threads(&self, most: u32) -> Origin {
        let mut origin = self.clone();
        match &mut origin {
            Origin::Main { config, .. } | Origin::Launch { config, .. } => config.most_threads = most,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.together.most_threads = most,
        }
        origin
    }

    /// The same, explored in another way; a program's own is not said here.
    #[must_use]
    pub fn with_joint(mut self, joint: JointOptions) -> Origin {
        match &mut self {
            Origin::Main { .. } => {}
            Origin::Launch { joint: own, .. } => *own = joint,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.joint = joint,
        }
        self
    }

    /// The same in another program that has the same functions.
    #[must_use]
    pub fn with_program(mut self, other: &Arc<Program>) -> Origin {
        let (Origin::Main { program, .. }
        | Origin::Library { program, .. }
        | Origin::Launch { program, .. }
        | Origin::Clients { program, .. }) = &mut self;
        *program = Arc::clone(other);
        self
    }

    /// The same, looked at for what weak atomics allow that no interleaving shows.
    #[must_use]
    pub fn asking_weak(&self) -> Origin {
        let mut origin = self.clone();
        match &mut origin {
            Origin::Main { config, .. } | Origin::Launch { config, .. } => config.weak = Weak::Ask,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.together.weak = Weak::Ask,
        }
        origin
    }

    /// How threads are run together.
    pub(crate) fn together(&self) -> Config {
        match self {
            Origin::Main { config, .. } | Origin::Launch { config, .. } => *config,
            Origin::Library { options, .. } | Origin::Clients { options, .. } => options.together,
        }
    }
}

/// Where executions begin, and the part of the program that they are in; none: all of it.
#[derive(Clone, Debug)]
pub struct Narrowed {
    pub origin: Origin,
    pub part: Option<ProgramPart>,
}

fn takes(name: &str) -> bool {
    name.ends_with("lock") && !gives_back(name)
}

fn gives_back(name: &str) -> bool {
    name.ends_with("unlock")
}

/// Whether a function takes locks, and gives none back: it takes them for its caller.
pub fn takes_for_caller(module: &Module, function: FuncId) -> bool {
    ir::may_call(module, [function], takes) && !ir::may_call(module, [function], gives_back)
}

/// Whether a function gives locks back, and takes none: those of its caller.
pub fn gives_back_for_caller(module: &Module, function: FuncId) -> bool {
    ir::may_call(module, [function], gives_back) && !ir::may_call(module, [function], takes)
}

/// Whether threads that make these calls can be explored.
///
/// # Errors
/// The gap to be noted.
pub fn can_be_called<'a>(module: &Module, threads: impl IntoIterator<Item = &'a Sequence>) -> Result<(), LedgerEntry> {
    let mut operations = threads.into_iter().flat_map(Sequence::calls);
    let Some(operation) = operations.find(|operation| module.takes_unknown(operation.function)) else { return Ok(()) };
    Err(LedgerEntry {
        kind: LossKind::Unsupported,
        site: LossSite::Search(operation.name.clone()),
        remedy: "an operation that takes a structure by value in an unknown way".into(),
    })
}
