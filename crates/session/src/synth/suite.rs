//! The tests that a library has: compiled with it, and run once each.

use super::frameworks;
use crate::errors::{InputError, StoppedEarly};
use crate::frontend;
use crate::run::Run;
use ir::{FuncId, GlobalId, Module};
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
    /// What it is called, of several in a file.
    pub case: Option<String>,
}

impl Ran {
    /// Functions of the library that it calls.
    pub(super) fn calls(&self) -> impl Iterator<Item = &String> {
        let module = &self.test.program.module;
        self.test.trace.calls.iter().map(|call| &module[call.function].name)
    }

    fn name(&self) -> String {
        let source = self.source.display();
        self.case.as_ref().map_or_else(|| source.to_string(), |case| format!("{source} ({case})"))
    }
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
                let line = super::compiler_says(&error.to_string());
                suite.lose("test_not_compiled", source.display().to_string(), format!("it does not compile: {line}"));
                refused.get_or_insert(error);
                continue;
            }
        };
        let ran = cases(run, source, module)?;
        if ran.is_empty() {
            let why = "it has neither `main` nor functions that are called `test_...`".to_owned();
            suite.lose("test_not_run", source.display().to_string(), why);
        }
        for ran in ran {
            suite.say_of(&ran);
            suite.ran.push(ran);
        }
    }
    match refused {
        Some(error) if suite.lost.iter().filter(|loss| loss.kind == "test_not_compiled").count() == tests.len() => {
            Err(error)
        }
        _ => Ok(suite),
    }
}

fn compile(run: &Run, test: &Path) -> anyhow::Result<Module> {
    // Static functions that nothing calls stay in the first file only.
    let sources: Vec<PathBuf> = std::iter::once(test.to_owned()).chain(run.sources.iter().cloned()).collect();
    let own = frameworks::own_flags(run, &frameworks::flags(&run.start()?.join(test))?)?;
    frontend::compile(run.directory.as_deref(), &sources, &run.clang_flags, &own, &run.budget)
}

/// Runs all tests of a file.
fn cases(run: &Run, source: &Path, module: Module) -> anyhow::Result<Vec<Ran>> {
    let defined = |name: &str| module.functions_named(name).find(|&id| !module[id].is_declaration());
    let one = |test: Test, case: Option<String>| Ran { test, source: source.to_owned(), case };
    if let Some(main) = defined("main") {
        let Some(number) = frameworks::case_number(&module) else {
            let program = program_of(module)?;
            return Ok(vec![one(run_one(run, (source, false), &program, (None, main))?, None)]);
        };
        // A framework's: each of its tests from the program's initial state.
        let mut all = Vec::new();
        for case in 0.. {
            let mut module = module.clone();
            frameworks::choose(&mut module, number, case);
            let program = program_of(module)?;
            let test = run_one(run, (source, false), &program, (None, main))?;
            let count = frameworks::cases_run(&test);
            if case > 0 && count <= case || run.budget.stopped().is_some() {
                break;
            }
            all.push(one(test, Some(format!("test {}", case + 1))));
            if count <= case {
                break;
            }
        }
        return Ok(all);
    }
    let file = run.start()?.join(source);
    let own = client_functions(&module, &file);
    let first = ["setUp", "set_up", "setup"].into_iter().find_map(defined).filter(|id| own.contains(id));
    let is_test = |id: &FuncId| {
        let function = &module[*id];
        let is_called_so = function.name.starts_with("test") || function.name.ends_with("_test");
        is_called_so && (function.params.is_empty() || function.params.len() == 2)
    };
    let tests: Vec<FuncId> = own.iter().copied().filter(is_test).collect();
    let program = program_of(module)?;
    let mut all = Vec::new();
    for test in tests {
        let name = program.module[test].name.clone();
        all.push(one(run_one(run, (source, false), &program, (first, test))?, Some(name)));
    }
    Ok(all)
}

pub(super) fn program_of(module: Module) -> anyhow::Result<Arc<Program>> {
    let array = report::Claim::default().array;
    Ok(Arc::new(Program::new(module, array).map_err(|e| InputError::new("lower", e.to_string()))?))
}

/// Runs a program whose file this is from a function on, which is called after another one. `is_probe`: it is one of raddle's own, whose
/// variables are its objects.
pub(super) fn run_one(
    run: &Run,
    (source, is_probe): (&Path, bool),
    program: &Arc<Program>,
    main: (Option<FuncId>, FuncId),
) -> anyhow::Result<Test> {
    let module = &program.module;
    let path = run.start()?.join(source);
    let clients: BTreeSet<FuncId> = client_functions(module, &path);
    let is_client = |id: FuncId| clients.contains(&id);
    let boundary = Boundary::new(module, is_client);
    let solver = smt::Solving::set_up(run.solver.setup(run.folder.out())?)?;
    let config = Config { external: External::Havoc, weak: Weak::Accept, ..Config::default() };
    let mut engine = Engine::new(Arc::clone(program), solver, config);
    let budget = run.budget.clone();
    engine.interrupted = Some(Box::new(move || budget.stopped().is_some()));
    let claim = report::Claim::default();
    let limits = Limits { depth: claim.depth, array: claim.array, rules: HeapRules::default() };
    let trace = Trace::of(&mut engine, main, boundary, limits)?;
    let is_there = |id: GlobalId| {
        let file = module[id].location.map(|at| &module[module[at].file]);
        is_probe && file.is_some_and(|file| lies_at(file, &path))
    };
    let script = Script::of(module, &trace, is_client, is_there);
    Ok(Test { program: Arc::clone(program), trace, script })
}

/// The functions that a test's file defines, or raddle's headers in it.
fn client_functions(module: &Module, test: &Path) -> BTreeSet<FuncId> {
    let is_there = |id: &FuncId| {
        let file = module[*id].file.map(|file| &module[file]);
        file.is_some_and(|file| lies_at(file, test) || frameworks::is_own(&Path::new(&file.directory).join(&file.path)))
    };
    module.functions().map(|(id, _)| id).filter(is_there).collect()
}

/// Whether that is the file.
fn lies_at(file: &ir::SourceFile, path: &Path) -> bool {
    let found = Path::new(&file.directory).join(&file.path);
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    whole(&found) == whole(path)
}

impl Suite {
    fn lose(&mut self, kind: &str, place: String, why: String) {
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
            self.lose("test_fails", ran.name(), said);
        } else if calls.is_empty() {
            self.lose("test_calls_nothing", ran.name(), "it calls no function of the library".to_owned());
        }
        if *is_cut {
            self.lose("test_too_long", ran.name(), format!("it does more than is kept of one test; {reached}"));
        }
    }
}
