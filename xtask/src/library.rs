//! The C library against the system's: programs that print what each function returns, run by raddle and natively,
//! for 64 bits and for 32.

use anyhow::{Context, bail, ensure};
use machine::{PathEnd, Stop};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use xtask::engine::{LIMITS, engine, lower_file};

/// The programs.
fn corpus() -> anyhow::Result<Vec<PathBuf>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/corpus-libc");
    let mut all = Vec::new();
    for entry in std::fs::read_dir(&directory).with_context(|| directory.display().to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            all.push(path);
        }
    }
    all.sort();
    ensure!(!all.is_empty(), "{} is empty", directory.display());
    Ok(all)
}

/// Flags of a target, and what its native build needs besides: of 32-bit libraries the C library alone is installed, without
/// the kernel's headers.
type Target = (&'static [&'static str], &'static [&'static str]);

const TARGETS: [Target; 2] = [
    (&["-w"], &[]),
    (&["-w", "-m32"], &["--rtlib=compiler-rt", "--unwindlib=none", "-idirafter", "/usr/include/x86_64-linux-gnu"]),
];

/// Standard output and exit status.
type Outcome = (Vec<u8>, Option<u64>);

fn native(program: &Path, (flags, linking): Target, scratch: &Path) -> anyhow::Result<Outcome> {
    let binary = scratch.join("native");
    let built =
        Command::new("clang-22").arg("-O0").args(flags).args(linking).arg(program).arg("-o").arg(&binary).status()?;
    ensure!(built.success(), "{} does not compile", program.display());
    let ran = Command::new(&binary).current_dir(scratch).stdin(Stdio::null()).output()?;
    Ok((ran.stdout, ran.status.code().and_then(|code| u64::try_from(code).ok())))
}

/// Everything in these programs is concrete: there is one run, without a choice.
fn by_raddle(program: &Path, (flags, _): Target) -> anyhow::Result<Outcome> {
    let module = lower_file(program, flags)?;
    let mut engine = engine(module)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let mut state = engine.main_state(LIMITS, main);
    let thread = state.thread_ids().next().context("no thread")?;
    match engine.run(&mut state, thread) {
        Stop::End(PathEnd::Exited { code }) => Ok((state.output.to_vec(), code)),
        other => {
            let shown = String::from_utf8_lossy(&state.output).into_owned();
            bail!("it ends with {other:?} after it has printed\n{shown}")
        }
    }
}

/// How the two differ; none where they agree.
fn difference(program: &Path, target: Target) -> anyhow::Result<Option<String>> {
    let scratch = tempfile::tempdir()?;
    let (wanted, code) = native(program, target, scratch.path())?;
    let (have, own_code) = by_raddle(program, target)?;
    let (wanted, have) = (String::from_utf8_lossy(&wanted), String::from_utf8_lossy(&have));
    for (line, pair) in wanted.lines().zip(have.lines()).enumerate() {
        if pair.0 != pair.1 {
            return Ok(Some(format!("line {}: the C library prints\n{}\nraddle prints\n{}", line + 1, pair.0, pair.1)));
        }
    }
    if wanted != have {
        return Ok(Some(format!("the C library prints {} bytes, raddle {}", wanted.len(), have.len())));
    }
    Ok((code != own_code).then(|| format!("the exit status is {code:?}, raddle's {own_code:?}")))
}

/// What is wrong, program by program.
pub(crate) fn differences() -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    for (program, target) in corpus()?.iter().flat_map(|program| TARGETS.map(|target| (program, target))) {
        let name = format!("{} {}", program.display(), target.0.join(" "));
        match difference(program, target) {
            Ok(None) => {}
            Ok(Some(text)) => wrong.push(format!("{name}: {text}")),
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    Ok(wrong)
}

/// Compares all of them.
pub(crate) fn run() -> anyhow::Result<bool> {
    let wrong = differences()?;
    wrong.iter().for_each(|text| println!("{text}"));
    println!("{} programs, {} differ", corpus()?.len(), wrong.len());
    Ok(wrong.is_empty())
}

#[cfg(test)]
mod tests {
    #[test]
    fn raddles_library_prints_what_the_systems_prints() -> anyhow::Result<()> {
        let wrong = super::differences()?;
        anyhow::ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}
