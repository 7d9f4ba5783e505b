//! The corpus: every program in `tests/corpus`, and every single-threaded one without input in `tests/ui`, prints the same and ends with the same exit status under raddle as built
//! natively by clang, raddle exploring one path without a finding and without a loss.
//!
//! Each is compared twice: for 64 bits and, unless it says `// needs: 64 bits` or has 128-bit integers, for 32. There both
//! builds have SSE2: without it, what floating-point arithmetic gives depends on the compiler.
//!
//! A file is a complete, single-threaded program without input. `// flags:` on its first line gives flags for both builds.
//! `cargo test -p testkit --test corpus -- NAME` runs some of them.

use anyhow::{Context, bail, ensure};
use libtest_mimic::{Arguments, Failed, Trial};
use machine::{Config, Engine, PathEnd, Program, Stop};
use memory::Limits;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let trials = programs(&workspace).map(|files| {
        let named = |file: &Path| file.strip_prefix(workspace.join("tests")).unwrap_or(file).display().to_string();
        files.into_iter().flat_map(move |file| {
            let name = named(&file);
            let targets = [Some(Target::Wide), fits_narrow(&file).then_some(Target::Narrow)];
            targets.into_iter().flatten().map(move |target| {
                let file = file.clone();
                let run = move || compare(&file, target).map_err(|e| Failed::from(format!("{e:#}")));
                Trial::test(format!("{name}{}", target.suffix()), run)
            })
        })
    });
    let trials = match trials {
        Ok(trials) => trials,
        Err(error) => {
            eprintln!("error: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    libtest_mimic::run(&arguments, trials.collect()).exit_code()
}

/// The files of the corpus, and those of the file-based tests that fit it, by name.
fn programs(workspace: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut directories = vec![workspace.join("tests/corpus"), workspace.join("tests/ui")];
    while let Some(directory) = directories.pop() {
        for entry in std::fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                directories.push(path);
            } else if path.extension().is_some_and(|e| e == "c")
                && (directory.ends_with("tests/corpus") || is_sequential(&std::fs::read_to_string(&path)?))
            {
                files.push(path);
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether a file-based test is one program with one execution, without input, flags and further sources.
fn is_sequential(source: &str) -> bool {
    let foreign =
        ["revisions:", "clang:", "also:", "raddle.h", "klee", "__VERIFIER", "pthread.h", "threads.h", "extern int"];
    source.contains("SAFE executions=1") && !foreign.iter().any(|word| source.contains(word))
}

/// What programs are built for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Wide,
    Narrow,
}

impl Target {
    fn suffix(self) -> &'static str {
        match self {
            Target::Wide => "",
            Target::Narrow => " (-m32)",
        }
    }

    fn flags(self) -> &'static [&'static str] {
        match self {
            Target::Wide => &[],
            Target::Narrow => &["-m32", "-msse2"],
        }
    }

    /// Of 32-bit libraries the C library alone is installed, without the kernel's headers; the rest is clang's.
    fn linking(self) -> &'static [&'static str] {
        match self {
            Target::Wide => &["-lm", "-latomic"],
            Target::Narrow => {
                &["--rtlib=compiler-rt", "--unwindlib=none", "-idirafter", "/usr/include/x86_64-linux-gnu", "-lm"]
            }
        }
    }
}

/// Whether a program can be built for 32 bits.
fn fits_narrow(file: &Path) -> bool {
    let source = std::fs::read_to_string(file).unwrap_or_default();
    !source.contains("__int128") && !source.contains("// needs: 64 bits")
}

/// What a program printed, and its exit status.
type Behaviour = (Vec<u8>, u64);

fn compare(file: &Path, target: Target) -> anyhow::Result<()> {
    let source = std::fs::read_to_string(file)?;
    let flags = source.lines().next().and_then(|line| line.strip_prefix("// flags:")).unwrap_or_default();
    let flags: Vec<&str> = flags.split_whitespace().chain(target.flags().iter().copied()).collect();
    let scratch = tempfile::tempdir()?;
    let (native, here) = (native(file, target, &flags, scratch.path())?, executed(file, &flags, scratch.path())?);
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

fn native(file: &Path, target: Target, flags: &[&str], scratch: &Path) -> anyhow::Result<Behaviour> {
    let program = scratch.join("native");
    let mut clang = Command::new("clang-22");
    clang.args(["-O0", "-w"]).args(flags).arg("-o").arg(&program).arg(file).args(target.linking());
    let built = clang.output().context("clang-22")?;
    ensure!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let run = Command::new(&program).output()?;
    let code = run.status.code().with_context(|| format!("the native program ended with {}", run.status))?;
    Ok((run.stdout, u64::try_from(code)?))
}

/// Runs the program in raddle's machine.
fn executed(file: &Path, flags: &[&str], scratch: &Path) -> anyhow::Result<Behaviour> {
    // target/release/deps/corpus-...: the lowering program is one up.
    let deps = std::env::current_exe()?;
    let frontend = deps.parent().and_then(Path::parent).context("no build directory")?.join("raddle-frontend");
    ensure!(frontend.is_file(), "{} is missing: run `make build`", frontend.display());
    let lowered = scratch.join("program.rir");
    let mut compile = Command::new(frontend);
    compile.args(["compile", "--output"]).arg(&lowered).arg(file).args(["--", "-w"]).args(flags);
    let output = compile.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let module = ir::binary::read(&std::fs::read(&lowered)?)?;
    let config = Config { spurious: 0, ..Config::default() };
    let mut engine = Engine::new(Arc::new(Program::new(module, 2)?), smt::Solving::z3()?, config);
    let behaviour = run(&mut engine)?;
    let losses: Vec<String> =
        engine.ledger.entries().map(|(e, _)| format!("{} at {}: {}", e.kind, e.place, e.remedy)).collect();
    ensure!(losses.is_empty(), "{losses:?}");
    Ok(behaviour)
}

/// Follows the one thread to the end of the process. Without input there is one way to go.
fn run(engine: &mut Engine) -> anyhow::Result<Behaviour> {
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let mut state = engine.main_state(Limits { depth: 3, array: 2, share_owners: false }, main);
    let thread = state.thread_ids().next().context("no thread")?;
    loop {
        match engine.run(&mut state, thread) {
            Stop::Visible(_) => engine.grant(&mut state, thread),
            Stop::Choice(choice) => match engine.alternatives(&state, &choice, thread)?.as_slice() {
                &[only] => engine.decide(&mut state, thread, only),
                several => bail!("{} ways to go on at {choice:?}", several.len()),
            },
            Stop::End(PathEnd::Exited { code: Some(code) }) => return Ok((state.output.to_vec(), code)),
            Stop::End(PathEnd::Fault(fault)) => {
                let place = fault.backtrace.place(&engine.program.module);
                bail!("{} at {place}: {}", fault.kind.name(), fault.detail)
            }
            Stop::End(PathEnd::Abandoned(lost)) => bail!("{} at {}: {}", lost.kind, lost.place, lost.remedy),
            other => bail!("{other:?}"),
        }
    }
}
