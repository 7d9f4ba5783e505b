//! The C library against the system's: programs that print what each function returns, run by raddle and natively. Those of
//! `tests/corpus-libc`, for 64 bits and for 32, and random ones.

use anyhow::{Context, bail, ensure};
use concurrency::ThreadId;
use machine::{LossKind, PathEnd, State, Status, Stop};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use testkit::calls::generate;
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

/// Calls are to be calls, in both builds.
const TARGETS: [Target; 2] = [
    (&["-w", "-fno-builtin"], &["-lm"]),
    (
        &["-w", "-fno-builtin", "-m32"],
        &["--rtlib=compiler-rt", "--unwindlib=none", "-idirafter", "/usr/include/x86_64-linux-gnu"],
    ),
];

/// In a program that is not to be run for 32 bits.
const NEEDS_64_BITS: &str = "// needs: 64 bits";

/// Standard output and exit status.
type Outcome = (Vec<u8>, Option<u64>);

fn native(program: &Path, (flags, linking): Target, scratch: &Path) -> anyhow::Result<Outcome> {
    let binary = scratch.join("native");
    let built =
        Command::new("clang-22").arg("-O0").args(flags).arg(program).arg("-o").arg(&binary).args(linking).status()?;
    ensure!(built.success(), "{} does not compile", program.display());
    let ran = Command::new(&binary).current_dir(scratch).env("TZ", "UTC0").stdin(Stdio::null()).output()?;
    Ok((ran.stdout, ran.status.code().and_then(|code| u64::try_from(code).ok())))
}

/// The run of a program: there is one, since whatever it looks at has one answer. The first thread that can go on does.
fn by_raddle(program: &Path, (flags, _): Target) -> anyhow::Result<Outcome> {
    let module = lower_file(program, flags)?;
    let mut engine = engine(module, 2)?;
    let main = engine.program.module.functions_named("main").next().context("no main")?;
    let mut state = engine.main_state(LIMITS, main);
    loop {
        let thread = first_to_go_on(&state).with_context(|| format!("all threads wait{}", printed(&state)))?;
        if matches!(state.thread(thread).status, Status::At(_)) {
            engine.grant(&mut state, thread);
        }
        match engine.run(&mut state, thread) {
            Stop::Visible(_) | Stop::ThreadEnded => {}
            Stop::Choice(choice) => match engine.alternatives(&state, &choice, thread)?[..] {
                [only] => engine.decide(&mut state, thread, only),
                ref several => bail!("{choice:?} has {} answers{}", several.len(), printed(&state)),
            },
            Stop::End(PathEnd::Exited { code }) => {
                let mut unmodelled = engine.ledger.entries().filter(|(entry, _)| entry.kind == LossKind::ExternalCall);
                return match unmodelled.next() {
                    Some((entry, _)) => bail!("{}: {:?}", entry.site, entry.remedy),
                    None => Ok((state.output.to_vec(), code)),
                };
            }
            other => bail!("it ends with {other:?}{}", printed(&state)),
        }
    }
}

fn first_to_go_on(state: &State) -> Option<ThreadId> {
    state.thread_ids().find(|&thread| match &state.thread(thread).status {
        Status::Running => true,
        Status::At(action) => state.enabled(thread, action),
        Status::Stuck(_) | Status::Ended => false,
    })
}

fn printed(state: &State) -> String {
    format!(" after it has printed\n{}", String::from_utf8_lossy(&state.output))
}

/// Two lines from shortly before they differ.
fn from_difference<'a>(a: &'a str, b: &'a str) -> [&'a str; 2] {
    const CONTEXT: usize = 200;
    let common = a.bytes().zip(b.bytes()).take_while(|(x, y)| x == y).count();
    let begin = a.floor_char_boundary(common.saturating_sub(CONTEXT));
    [a, b].map(|line| &line[begin..line.ceil_char_boundary((common + CONTEXT).min(line.len()))])
}

/// How the two differ; none where they agree.
fn difference(program: &Path, target: Target) -> anyhow::Result<Option<String>> {
    let scratch = tempfile::tempdir()?;
    let (wanted, code) = native(program, target, scratch.path())?;
    let (have, own_code) = by_raddle(program, target)?;
    let (wanted, have) = (String::from_utf8_lossy(&wanted), String::from_utf8_lossy(&have));
    for (line, pair) in wanted.lines().zip(have.lines()).enumerate() {
        if pair.0 != pair.1 {
            let [wanted, have] = from_difference(pair.0, pair.1);
            return Ok(Some(format!("line {}: the C library prints\n{wanted}\nraddle prints\n{have}", line + 1)));
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
        if target != TARGETS[0] && std::fs::read_to_string(program)?.contains(NEEDS_64_BITS) {
            continue;
        }
        let name = format!("{} {}", program.display(), target.0.join(" "));
        match difference(program, target) {
            Ok(None) => {}
            Ok(Some(text)) => wrong.push(format!("{name}: {text}")),
            Err(error) => wrong.push(format!("{name}: {error:#}")),
        }
    }
    Ok(wrong)
}

/// Random programs that differ, with what differs.
fn random_differences(count: u64, first: u64, keep: &Path) -> anyhow::Result<Vec<String>> {
    let mut wrong = Vec::new();
    let scratch = tempfile::tempdir()?;
    for seed in first..first + count {
        let program = scratch.path().join(format!("calls{seed}.c"));
        std::fs::write(&program, generate(seed))?;
        let text = match difference(&program, TARGETS[0]) {
            Ok(None) => continue,
            Ok(Some(text)) => text,
            Err(error) => format!("{error:#}"),
        };
        std::fs::create_dir_all(keep)?;
        std::fs::copy(&program, keep.join(format!("calls{seed}.c")))?;
        wrong.push(format!("seed {seed}: {text}"));
    }
    Ok(wrong)
}

/// Compares all of the corpus, and `count` random programs.
pub(crate) fn run(count: u64, seed: u64, keep: &Path) -> anyhow::Result<bool> {
    let wrong = differences()?;
    wrong.iter().for_each(|text| println!("{text}"));
    println!("{} programs, {} differ", corpus()?.len(), wrong.len());
    let random = random_differences(count, seed, keep)?;
    random.iter().for_each(|text| println!("{text}"));
    println!("{count} random programs from seed {seed}, {} differ", random.len());
    Ok(wrong.is_empty() && random.is_empty())
}

#[cfg(test)]
mod tests {
    #[test]
    fn raddles_library_prints_what_the_systems_prints() -> anyhow::Result<()> {
        let wrong = super::differences()?;
        anyhow::ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }

    #[test]
    fn random_calls_with_numbers_give_what_the_systems_give() -> anyhow::Result<()> {
        let kept = tempfile::tempdir()?;
        let wrong = super::random_differences(6, 0, kept.path())?;
        anyhow::ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
        Ok(())
    }
}
