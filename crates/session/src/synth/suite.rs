//! The tests that a library has: compiled with it, and run once each.

use crate::errors::{InputError, StoppedEarly};
use crate::frontend;
use crate::run::Run;
use ir::{FuncId, Module};
use machine::{Boundary, Config, Engine, External, Program, Weak};
use memory::{HeapRules, Limits};
use report::LedgerLine;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use synth::Test;
use synth::script::Script;
use synth::trace::{Trace, TraceEnd};

/// A test, and where it comes from.
pub(super) struct Ran {
    pub test: Test,
    /// As typed.
    pub source: PathBuf,
    /// Functions of the library that it calls.
    pub calls: BTreeSet<String>,
}

/// What came of the tests.
#[derive(Default)]
pub(super) struct Suite {
    pub ran: Vec<Ran>,
    /// Tests that tell nothing, or not all that they might.
    pub lost: Vec<LedgerLine>,
}

/// Runs tests, each with the library.
///
/// # Errors
/// When none of them can be compiled, for the first one's reason; when there is no time; and when the engine fails.
pub(super) fn run(run: &Run, tests: &[PathBuf]) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    let mut refused = None;
    for source in tests {
        let module = match compile(run, source) {
            Ok(module) => module,
            Err(error) if error.is::<StoppedEarly>() => return Err(error),
            Err(error) => {
                let line = super::first_line(&error.to_string());
                suite.lose("test_not_compiled", source, format!("it does not compile: {line}"));
                refused.get_or_insert(error);
                continue;
            }
        };
        match trace(run, source, module)? {
            Ok(ran) => {
                suite.say_of(&ran);
                suite.ran.push(ran);
            }
            Err(why) => suite.lose("test_not_run", source, why),
        }
    }
    match refused {
        Some(error) if suite.ran.is_empty() && suite.lost.len() == 1 => Err(error),
        _ => Ok(suite),
    }
}

fn compile(run: &Run, test: &Path) -> anyhow::Result<Module> {
    let sources: Vec<PathBuf> = run.sources.iter().cloned().chain([test.to_owned()]).collect();
    frontend::compile(run.directory.as_deref(), &sources, &run.clang_flags, &own_flags(run), &run.budget)
}

/// Those of the library's sources, and for what comes beside them the first one's.
fn own_flags(run: &Run) -> Vec<witness::format::SourceFlags> {
    run.own_flags.iter().chain(run.own_flags.first()).cloned().collect()
}

/// Runs one test; or why it cannot be.
fn trace(run: &Run, source: &Path, module: Module) -> anyhow::Result<Result<Ran, String>> {
    let program =
        Program::new(module, report::Claim::default().array).map_err(|e| InputError::new("lower", e.to_string()))?;
    let program = Arc::new(program);
    let module = &program.module;
    let Some(main) = module.functions_named("main").find(|&id| !module[id].is_declaration()) else {
        return Ok(Err("it has no `main`".to_owned()));
    };
    let start = run.start()?;
    let clients: BTreeSet<FuncId> = client_functions(module, &start.join(source));
    let is_client = |id: FuncId| clients.contains(&id);
    let boundary = Boundary::new(module, is_client);
    let solver = smt::Solving::set_up(run.solver.setup(run.folder.out())?)?;
    let config = Config { external: External::Havoc, weak: Weak::Accept, ..Config::default() };
    let mut engine = Engine::new(Arc::clone(&program), solver, config);
    let budget = run.budget.clone();
    engine.interrupted = Some(Box::new(move || budget.stopped().is_some()));
    let claim = report::Claim::default();
    let limits = Limits { depth: claim.depth, array: claim.array, rules: HeapRules::default() };
    let trace = Trace::of(&mut engine, main, boundary, limits)?;
    let script = Script::of(module, &trace, is_client);
    let calls = trace.calls.iter().map(|call| module[call.function].name.clone()).collect();
    Ok(Ok(Ran { test: Test { program, trace, script }, source: source.to_owned(), calls }))
}

/// The functions that a test's file defines.
fn client_functions(module: &Module, test: &Path) -> BTreeSet<FuncId> {
    let test = test.canonicalize().unwrap_or_else(|_| test.to_owned());
    let is_there = |id: &FuncId| {
        let function = &module[*id];
        let Some(file) = function.file.map(|file| &module[file]) else { return false };
        let path = Path::new(&file.directory).join(&file.path);
        path.canonicalize().unwrap_or(path) == test
    };
    module.functions().map(|(id, _)| id).filter(is_there).collect()
}

impl Suite {
    fn lose(&mut self, kind: &str, test: &Path, why: String) {
        let place = test.display().to_string();
        self.lost.push(LedgerLine { kind: kind.to_owned(), r#where: place, count: 1, remedy: why });
    }

    /// What keeps a test from telling all that it might.
    fn say_of(&mut self, ran: &Ran) {
        let Trace { end, is_cut, calls, .. } = &ran.test.trace;
        let module = &ran.test.program.module;
        let reached = match calls.last() {
            Some(call) => format!("only its calls up to `{}` count", module[call.function].name),
            None => "it has called nothing of the library by then".to_owned(),
        };
        let said = match end {
            TraceEnd::Exited(Some(0) | None) => None,
            TraceEnd::Exited(Some(status)) => {
                Some(format!("it ends with status {status}, so it may have failed; {reached}"))
            }
            TraceEnd::Failed(fault) => {
                let place = fault.backtrace.place(module);
                Some(format!("it fails at {place}: {}; {reached}", fault.detail))
            }
            TraceEnd::Beyond(entry) => Some(format!("raddle cannot follow it at {}; {reached}", entry.site)),
            TraceEnd::Hangs => Some(format!("it waits for ever; {reached}")),
            TraceEnd::Unfinished => Some(format!("there was no time to run it to its end; {reached}")),
        };
        if let Some(said) = said {
            self.lose("test_fails", &ran.source, said);
        } else if calls.is_empty() {
            self.lose("test_calls_nothing", &ran.source, "it calls no function of the library".to_owned());
        }
        if *is_cut {
            self.lose("test_too_long", &ran.source, format!("it does more than is kept of one test; {reached}"));
        }
    }
}
