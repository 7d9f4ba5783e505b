//! The corpus: programs print the same and end with the same exit status under raddle as built natively by clang.
//!
//! - A file of `tests/corpus` is a complete, single-threaded program without input; raddle has one path, without a finding
//!   and without a loss. `// flags:` on its first line gives flags for both builds. Each is compared twice: for 64 bits and,
//!   unless it says `// needs: 64 bits` or has 128-bit integers, for 32. There both builds have SSE2: without it, what
//!   floating-point arithmetic gives depends on the compiler.
//! - A file-based test of `raddle check` that is safe, in each of its revisions, and the programs of `examples` and
//!   `bench/engine`, if they turn out to have no input: threads run in several orders, and where all of these print the
//!   same, the native program does too. Others are passed over; how many were compared is printed at the end, and too few
//!   are a failure.
//!
//! `cargo test -p testkit --test corpus -- NAME` runs some of them.

use anyhow::{Context, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use machine::{Choice, Config, Decision, Engine, PathEnd, Program, Repeats, Status, Stop};
use memory::{HeapRules, Limits};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use testkit::rng::Rng;
use testkit::ui::{Case, Expected, discover};

/// Programs beside the corpus that were compared, and that were not.
static COMPARED: AtomicUsize = AtomicUsize::new(0);
static PASSED_OVER: AtomicUsize = AtomicUsize::new(0);
/// There are more; a run of all tests that compares fewer has lost its object.
const LEAST: usize = 140;
/// Orders in which the threads of a program are run; where the native program does something else, more of them, for it may
/// have found another that makes a difference.
const ORDERS: u64 = 6;
const MORE_ORDERS: u64 = 300;
/// Steps of one execution after which threads take turns at random, for one may wait for another in a loop, and after
/// which it is given up.
const FAIR: usize = 500;
const MOST: usize = 100_000;
/// A native program of these takes no time at all.
const NATIVE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let programs = match programs(&workspace) {
        Ok(programs) => programs,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let trials = programs.into_iter().map(|program| {
        Trial::test(program.name.clone(), move || compare(&program).map_err(|e| Failed::from(format!("{e:#}"))))
    });
    let conclusion = libtest_mimic::run(&arguments, trials.collect());
    let (compared, passed_over) = (COMPARED.load(Ordering::Relaxed), PASSED_OVER.load(Ordering::Relaxed));
    if compared + passed_over > 0 {
        eprintln!("beside the corpus: {compared} programs compared, {passed_over} with input or with several outputs");
    }
    let all = arguments.filter.is_none() && arguments.skip.is_empty() && !arguments.list && !arguments.ignored;
    if all && compared < LEAST {
        eprintln!("error: {LEAST} programs beside the corpus should have been compared");
        return ExitCode::FAILURE;
    }
    conclusion.exit_code()
}

/// Something to run in both ways.
struct Sources {
    name: String,
    /// What the files are relative to.
    directory: PathBuf,
    files: Vec<PathBuf>,
    flags: Vec<String>,
    /// The program is one of `tests/corpus`: there is one way to go.
    is_corpus: bool,
}

impl Sources {
    /// The same for 32 bits.
    fn narrow(&self) -> Self {
        let flags = self.flags.iter().cloned().chain([NARROW.to_owned(), "-msse2".to_owned()]).collect();
        Sources {
            name: format!("{} ({NARROW})", self.name),
            flags,
            files: self.files.clone(),
            directory: self.directory.clone(),
            ..*self
        }
    }

    /// What the native build needs behind its sources. Of 32-bit libraries the C library alone is installed, without the
    /// kernel's headers; the rest is clang's.
    fn linking(&self) -> &'static [&'static str] {
        if self.flags.iter().any(|flag| flag == NARROW) {
            return &["--rtlib=compiler-rt", "--unwindlib=none", "-idirafter", "/usr/include/x86_64-linux-gnu", "-lm"];
        }
        &["-lm", "-latomic", "-pthread"]
    }
}

const NARROW: &str = "-m32";

/// Whether a program can be built for 32 bits.
fn fits_narrow(source: &str) -> bool {
    !source.contains("__int128") && !source.contains("// needs: 64 bits")
}

/// All programs, by name.
fn programs(workspace: &Path) -> anyhow::Result<Vec<Sources>> {
    let mut programs = Vec::new();
    for (directory, is_corpus) in [("tests/corpus", true), ("examples", false), ("bench/engine", false)] {
        let directory = workspace.join(directory);
        for entry in std::fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let file = entry?.path();
            let source =
                if file.extension().is_some_and(|e| e == "c") { std::fs::read_to_string(&file)? } else { continue };
            // Of a library there is nothing to run.
            if is_corpus || source.contains("main(") {
                let first = source.lines().next().and_then(|line| line.strip_prefix("// flags:")).unwrap_or_default();
                let flags = first.split_whitespace().map(str::to_owned).collect();
                let name = file.strip_prefix(workspace).unwrap_or(&file).display().to_string();
                let name = name.strip_prefix("tests/").unwrap_or(&name).to_owned();
                let wide = Sources { name, directory: directory.clone(), files: vec![file], flags, is_corpus };
                let narrow = (is_corpus && fits_narrow(&source)).then(|| wide.narrow());
                programs.extend(std::iter::once(wide).chain(narrow));
            }
        }
    }
    programs.extend(discover(&workspace.join("tests/ui"))?.iter().filter_map(|case| of_case(workspace, case)));
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(programs)
}

/// The program of a file-based test, if it is a whole one in C that is safe by what the test expects.
fn of_case(workspace: &Path, case: &Case) -> Option<Sources> {
    let is_source = |argument: &&String| Path::new(argument).extension().is_some_and(|e| e == "c" || e == "ll");
    let files: Vec<PathBuf> = case.arguments.iter().filter(is_source).map(PathBuf::from).collect();
    let whole = case.arguments.first().is_some_and(|command| command == "check");
    // Within a bound on preemptions other orders may well fail.
    let bounded = case.arguments.iter().any(|argument| argument.starts_with("--preemptions"));
    // Flags of a database are for its sources alone.
    let database = case.arguments.iter().any(|argument| argument == "-p");
    // What was not asked about may be wrong with it, and another data model is another program.
    let asks = ["--property", "--data-model"].iter().any(|flag| case.arguments.iter().any(|given| given == flag));
    let safe = case.expectations.others.contains(&Expected::Safe) && !bounded && !database && !asks;
    let mut flags = case.clang_flags.clone();
    flags.push(format!("-I{}", workspace.join("crates/raddle/include").display()));
    let in_c = !files.is_empty() && files.iter().all(|file| file.extension().is_some_and(|e| e == "c"));
    (whole && safe && in_c).then(|| Sources {
        name: format!("ui/{}", case.name),
        directory: case.directory().to_owned(),
        files,
        flags,
        is_corpus: false,
    })
}

/// What a program printed, and its exit status.
type Behaviour = (Vec<u8>, u64);

fn compare(program: &Sources) -> anyhow::Result<()> {
    let scratch = tempfile::tempdir()?;
    let pass_over = || {
        PASSED_OVER.fetch_add(1, Ordering::Relaxed);
        Ok(())
    };
    let lowered = lowered(program, scratch.path())?;
    let Some(here) = executed(program, &lowered)? else { return pass_over() };
    // An inline function may have no definition that the linker sees (C11 6.7.4p7).
    let native = match native(program, scratch.path()) {
        Err(e) if !program.is_corpus && e.to_string().contains("undefined reference") => return pass_over(),
        native => native?,
    };
    if native != here && !program.is_corpus {
        for order in ORDERS..MORE_ORDERS {
            if behaviour(program, &lowered, order)?.as_ref() == Some(&native) {
                return pass_over();
            }
        }
    }
    if !program.is_corpus {
        COMPARED.fetch_add(1, Ordering::Relaxed);
    }
    if native == here {
        return Ok(());
    }
    let (want, got) = (String::from_utf8_lossy(&native.0), String::from_utf8_lossy(&here.0));
    let differing = want.lines().zip(got.lines()).enumerate().find(|(_, (want, got))| want != got);
    match differing {
        Some((line, (want, got))) => bail!("line {}: `{got}` instead of `{want}`", line + 1),
        None => bail!("{} bytes and exit status {}, instead of {} and {}", got.len(), here.1, want.len(), native.1),
    }
}

fn native(program: &Sources, scratch: &Path) -> anyhow::Result<Behaviour> {
    let binary = scratch.join("native");
    let mut clang = Command::new("clang-22");
    clang.current_dir(&program.directory).args(["-O0", "-w"]).args(&program.flags).arg("-o").arg(&binary);
    let built = clang.args(&program.files).args(program.linking()).output().context("clang-22")?;
    ensure!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let output = scratch.join("output");
    let (file, begun) = (std::fs::File::create(&output)?, Instant::now());
    // Where files that it makes are nobody's business.
    let mut child = Command::new(&binary).current_dir(scratch).stdin(Stdio::null()).stdout(file).spawn()?;
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begun.elapsed() > NATIVE {
            child.kill()?;
            child.wait()?;
            bail!("the native program does not end");
        }
        std::thread::sleep(Duration::from_millis(1));
    };
    let code = status.code().with_context(|| format!("the native program ended with {status}"))?;
    Ok((std::fs::read(&output)?, u64::try_from(code)?))
}

/// The program as raddle's machine takes it.
fn lowered(program: &Sources, scratch: &Path) -> anyhow::Result<Arc<Program>> {
    // target/release/deps/corpus-...: the lowering program is one up.
    let deps = std::env::current_exe()?;
    let frontend = deps.parent().and_then(Path::parent).context("no build directory")?.join("raddle-frontend");
    ensure!(frontend.is_file(), "{} is missing: run `make build`", frontend.display());
    let lowered = scratch.join("program.rir");
    let mut compile = Command::new(frontend);
    compile.current_dir(&program.directory).args(["compile", "--output"]).arg(&lowered);
    let output = compile.args(&program.files).args(["--", "-w"]).args(&program.flags).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(Arc::new(Program::new(ir::binary::read(&std::fs::read(&lowered)?)?, 2)?))
}

/// Runs the program in raddle's machine; `None` where it has input, or prints one thing or the other.
fn executed(program: &Sources, lowered: &Arc<Program>) -> anyhow::Result<Option<Behaviour>> {
    // What only exists under raddle has input, or says what a native program could not.
    let foreign =
        |name: &str| ["raddle_", "klee_", "__VERIFIER_", "reach_error"].iter().any(|start| name.starts_with(start));
    // Nor does one end that goes round for ever.
    let is_endless = !program.is_corpus && lowered.has_endless_loop();
    if is_endless || lowered.module.functions.iter().any(|f| foreign(&f.name)) {
        return Ok(None);
    }
    let Some(first) = behaviour(program, lowered, 0)? else { return Ok(None) };
    for order in 1..if program.is_corpus { 1 } else { ORDERS } {
        if behaviour(program, lowered, order)?.as_ref() != Some(&first) {
            return Ok(None);
        }
    }
    Ok(Some(first))
}

/// What comes of one order of the threads; `None` where it depends on input.
fn behaviour(program: &Sources, lowered: &Arc<Program>, order: u64) -> anyhow::Result<Option<Behaviour>> {
    // A thread that waits in a loop may come back to where it was; it is the others' turn some time.
    let repeats = if program.is_corpus { Config::default().repeats } else { Repeats::Ignore };
    let config = Config { spurious: 0, repeats, unroll: 1_000_000, ..Config::default() };
    let mut engine = Engine::new(Arc::clone(lowered), smt::Solving::z3()?, config);
    let behaviour = Run { engine: &mut engine, order, rng: Rng::new(order) }.run()?;
    let losses: Vec<String> =
        engine.ledger.entries().map(|(e, _)| format!("{} at {}: {:?}", e.kind, e.site, e.remedy)).collect();
    // Weaker orders are what the test accepts with a flag; one thread at a time, they are sequentially consistent.
    let harmless = losses.is_empty() || (!program.is_corpus && losses.iter().all(|l| l.starts_with("weak_memory")));
    ensure!(!program.is_corpus || (harmless && behaviour.is_some()), "not one way to go: {losses:?}");
    Ok(behaviour.filter(|_| harmless))
}

/// One execution.
struct Run<'e> {
    engine: &'e mut Engine,
    /// 0: the oldest thread that can goes on; 1: the youngest; others are drawn.
    order: u64,
    rng: Rng,
}

impl Run<'_> {
    /// To the end of the process. `None` where something depends on input.
    fn run(&mut self) -> anyhow::Result<Option<Behaviour>> {
        let main = self.engine.program.module.functions_named("main").next().context("no main")?;
        let mut state = self.engine.main_state(Limits { depth: 3, array: 2, rules: HeapRules::default() }, main);
        for step in 0..MOST {
            // What becomes of input is not asked: a loop that reads clocks asks ever more of the solver.
            if !state.inputs.is_empty() {
                return Ok(None);
            }
            while let Some(thread) = explore::runnable(self.engine, &mut state) {
                match self.engine.run(&mut state, thread) {
                    Stop::Visible(_) | Stop::ThreadEnded | Stop::CallEnded => {}
                    Stop::Choice(Choice::Pick { count }) => {
                        let pick = if self.order < 2 { 0 } else { self.rng.below(count as usize) as u32 };
                        self.engine.decide(&mut state, thread, Decision::Pick(pick));
                    }
                    Stop::Choice(choice) => match self.engine.alternatives(&state, &choice, thread)?.as_slice() {
                        &[only] => self.engine.decide(&mut state, thread, only),
                        _ => return Ok(None),
                    },
                    Stop::End(PathEnd::Exited { code: Some(code) }) => {
                        return Ok(state.inputs.is_empty().then(|| (state.output.to_vec(), code)));
                    }
                    Stop::End(PathEnd::Fault(fault)) | Stop::Wrong(fault) => {
                        let place = fault.backtrace.place(&self.engine.program.module);
                        bail!("{} at {place}: {}", fault.kind.name(), fault.detail)
                    }
                    Stop::End(PathEnd::Abandoned(lost)) => bail!("{} at {}: {:?}", lost.kind, lost.site, lost.remedy),
                    // It waits in a loop: its turn comes when the others have gone on.
                    Stop::End(PathEnd::Spins { .. }) => {}
                    other => bail!("{other:?}"),
                }
            }
            let enabled: Vec<_> = state
                .thread_ids()
                .filter(|&thread| match state.thread(thread).status {
                    Status::At(action) => state.enabled(thread, &action),
                    _ => false,
                })
                .collect();
            let thread = match (self.order, enabled.as_slice()) {
                // The last thread has ended, which ends the process; or one goes in circles for ever.
                (_, []) => {
                    let ended = state.thread_ids().all(|thread| state.thread(thread).status == Status::Ended);
                    return Ok(ended.then(|| (state.output.to_vec(), 0)));
                }
                (0, [first, ..]) if step < FAIR => *first,
                (1, [.., last]) if step < FAIR => *last,
                (_, several) => several[self.rng.below(several.len())],
            };
            self.engine.grant(&mut state, thread);
        }
        bail!("no end after {MOST} steps")
    }
}
