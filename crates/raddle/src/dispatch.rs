//! From a parsed command line to the outcome of the command.

use crate::cli::{self, Cli, Command, Common, Input, Search, With};
use crate::cluster;
use crate::config;
use crate::database;
use crate::doctor;
use crate::files;
use crate::generated;
use crate::outcome::{Document, Outcome};
use crate::parts;
use crate::progress::Line;
use crate::terminal::{self, Stream};
use report::{Claim, FileSources, LedgerLine, NoSources, Report, TextOptions};
use serde::Serialize;
use session::analysis::{self, Before, Explained, Kept, Trees};
use session::budget::Budget;
use session::errors::{InputError, StoppedEarly, UsageError};
use session::notice::complain;
use session::options::{
    EmittedTest, Format, NativeTests, ReplayOptions, Runs, SearchRequest, Since, Summaries, TestOptions, WitnessFile,
};
use session::out;
use session::progress::{Asked, Progress, Silent};
use session::revision::Revision;
use session::run::{CudaSides, Run};
use session::runs::{self, Folder, Resumed};
use session::solver::SolverOptions;
use session::synth;
use session::unfinished;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use witness::ProgramRef;

/// Runs a command. `stop` is set when the user asks to end it.
///
/// # Errors
/// [`InputError`], [`session::errors::UsageError`]; anything else is a fault of raddle's own.
pub(crate) fn run(cli: &Cli, started: Instant, stop: Arc<AtomicBool>) -> anyhow::Result<Outcome> {
    let budget = budget(cli.command.search(), started, stop);
    let new_run = |input: &Input, common: &Common, budget| Run {
        sources: input.sources.clone(),
        cuda: None,
        clang_flags: input.clang_flags.clone(),
        own_flags: input.own_flags.clone(),
        directory: None,
        folder: Rc::new(Folder::new(&common.out, unfinished::typed())),
        budget,
        workers: cli.command.search().workers(),
        solver: cli.command.search().solver.options(),
        summaries: cli.command.search().summaries(),
        native_tests: cli.command.search().native_tests(),
        remedies: cli.command.search().remedies(),
        started,
        progress: progress(common.format),
        asked: Asked::default(),
        suppressions: Vec::new(),
        baseline: None,
        quotes_tests: cli.command.files().is_some_and(|(files, _)| files.html.is_some()),
        store: None,
        names_of: None,
        typed: unfinished::typed(),
        apart: false,
    };
    match &cli.command {
        Command::Check(arguments @ With { own: own @ cli::Check { input, kept, cluster, .. }, common, search }) => {
            let files = &own.files();
            for flag in search.without_effect_under_check() {
                complain(&format!("raddle: notice: {flag} has no effect under check\n"));
            }
            let input = &database::input(input)?;
            let config = config::beside(&input.sources)?;
            let request = SearchRequest::Check(arguments.options(&config)?);
            check_out(&common.out)?;
            files::check(files, &input.sources)?;
            let baseline = files::baseline(files, "check", &input.sources)?;
            let known = Run { suppressions: config.suppressions, baseline, ..new_run(input, common, budget) };
            let run = Run { store: kept.store(), ..known };
            search_by(*cluster, &request, &run, None)
        }
        Command::Races(arguments @ With { own: races, common, .. }) => {
            let input = &database::input(&races.input)?;
            let config = config::beside(&input.sources)?;
            let mut options = arguments.options(&config)?;
            options.changed_since.iter_mut().for_each(resolve);
            let request = SearchRequest::Races(Box::new(options));
            check_out(&common.out)?;
            files::check(&races.files(), &input.sources)?;
            if arguments.overridden_contracts(&config) {
                complain(
                    "raddle: notice: --exclusive, --serial or --concurrent were given, so [contracts] in raddle.toml are left aside\n",
                );
            }
            let baseline = files::baseline(&races.files(), "races", &input.sources)?;
            let known = Run { suppressions: config.suppressions, baseline, ..new_run(input, common, budget) };
            let run = Run { store: races.kept.store(), ..known };
            search_by(races.cluster, &request, &run, None)
        }
        Command::Gpu(arguments @ With { own, common, search }) => {
            for flag in search.without_effect_under_gpu() {
                complain(&format!("raddle: notice: {flag} has no effect under gpu\n"));
            }
            let config = config::beside(&own.sources)?;
            let request = SearchRequest::Gpu(arguments.options(&config)?);
            check_out(&common.out)?;
            files::check(&own.files, &own.sources)?;
            let (sources, clang_flags) = (own.sources.clone(), own.clang_flags.clone());
            let input = Input { sources, clang_flags, database: None, data_model: None, own_flags: Vec::new() };
            let baseline = files::baseline(&own.files, "gpu", &input.sources)?;
            let known = Run { suppressions: config.suppressions, baseline, ..new_run(&input, common, budget) };
            let sides = if own.is_of_kernels() { CudaSides::Device } else { CudaSides::Both };
            let run = Run { cuda: Some(sides), ..known };
            search_by(own.cluster, &request, &run, None)
        }
        Command::Synth(arguments @ With { own, common, .. }) => {
            let input = &database::input(&own.input)?;
            let config = config::beside(&input.sources)?;
            files::check(&own.files, &input.sources)?;
            let options = arguments.options(&config);
            let baseline = files::baseline(&own.files, "synth", &input.sources)?;
            let run = Run { suppressions: config.suppressions, baseline, ..new_run(input, common, budget) };
            Ok(Outcome::Report {
                report: Box::new(synth::synthesise(&run, &options)?),
                directory: PathBuf::new(),
                sources: run.sources.clone(),
            })
        }
        Command::Cover(arguments @ With { own, common, .. }) => {
            let input = &database::input(&own.input)?;
            let config = config::beside(&input.sources)?;
            let options = arguments.options(&config)?;
            check_out(&common.out)?;
            files::check(&own.files(), &input.sources)?;
            let baseline = files::baseline(&own.files(), "cover", &input.sources)?;
            let run = Run { suppressions: config.suppressions, baseline, ..new_run(input, common, budget) };
            searched(&run, "cover", options.check.claim(), |module| analysis::covered(module, &options, &run))
        }
        Command::Resume(arguments) => resume(arguments, budget, started),
        Command::Split(arguments) => parts::split(arguments, budget, started),
        Command::Work(arguments) => parts::work(arguments, budget, started),
        Command::Gather(arguments) => parts::gather(arguments, budget, started),
        Command::Replay(With { own, common, search }) => {
            let witness = witness_of(&own.witness, &common.out)?;
            replay(&witness, common, search.solver.options(), budget, started)
        }
        Command::Explain(With { own, common, .. }) => explain(&own.what, &common.out),
        Command::Test(With { own, common, .. }) => test(own, common, budget, started),
        Command::Summarize(arguments @ With { own, common, .. }) => {
            let input = &database::input(&own.input)?;
            let run = Run { store: own.kept.store(), ..new_run(input, common, budget) };
            summarize(arguments, &run)
        }
        Command::Ir(With { own: input, common, .. }) => {
            let input = &database::input(input)?;
            let text = ir::text::print(&new_run(input, common, budget).module()?);
            #[derive(Serialize)]
            struct Body<'a> {
                text: &'a str,
            }
            let document = Document::new("ir", text.clone(), Body { text: &text }, 0)?;
            Ok(Outcome::Document(document))
        }
        Command::Doctor(arguments) => doctor::run(&arguments.own, &budget).map(Outcome::Document),
    }
}

/// Prints what functions do by themselves, and draws it where that is asked for.
fn summarize(arguments: &With<cli::Summarize>, run: &Run) -> anyhow::Result<Outcome> {
    #[derive(Serialize)]
    struct Body<'a> {
        functions: &'a [report::FunctionTree],
        #[serde(skip_serializing_if = "Option::is_none")]
        store: Option<report::StoreStats>,
    }
    let config = config::beside(&run.sources)?;
    let Trees { trees, store } = analysis::trees(run.module()?, &arguments.options(&config), run)?;
    if let Some(directory) = &arguments.own.svg {
        files::write_trees(directory, &trees)?;
    }
    let (color, width) = (terminal::color(Stream::Stdout), terminal::width(Stream::Stdout));
    let text = report::render_tree_text(
        &trees,
        store.as_ref(),
        &TextOptions { color, width, full: false, sources: &NoSources },
    );
    Ok(Outcome::Document(Document::new("summarize", text, Body { functions: &trees, store }, 0)?))
}

fn budget(search: &Search, started: Instant, stop: Arc<AtomicBool>) -> Budget {
    Budget::new(started, search.max_time(), search.max_memory_mib(), stop)
}

/// Searches, or goes on with a search: in this process, or on the workers of an engine.
fn search_by(
    cluster: cli::Cluster,
    request: &SearchRequest,
    run: &Run,
    kept: Option<Kept<'static>>,
) -> anyhow::Result<Outcome> {
    match cluster.engine {
        Some(engine) => cluster::search(engine, request, run, kept),
        None => search_for(request, run, kept),
    }
}

/// Searches, or goes on with a search.
pub(crate) fn search_for(request: &SearchRequest, run: &Run, kept: Option<Kept<'static>>) -> anyhow::Result<Outcome> {
    search_in(run.module(), request, run, kept)
}

/// As [`search_for`], with the program that came of the sources.
pub(crate) fn search_in(
    module: anyhow::Result<ir::Module>,
    request: &SearchRequest,
    run: &Run,
    kept: Option<Kept<'static>>,
) -> anyhow::Result<Outcome> {
    let command = match request {
        SearchRequest::Check(_) => "check",
        SearchRequest::Races(_) => "races",
        SearchRequest::Gpu(_) => "gpu",
    };
    let analyse = |module| analysis::search(module, request, run, kept, before(request, run));
    analysed(run, command, request.claim(), module.and_then(analyse))
}

/// The commit of the revision that is asked for: names of revisions mean others later. Where git knows none, all counts as
/// changed.
fn resolve(since: &mut Since) {
    let found =
        std::env::current_dir().map_err(|e| e.to_string()).and_then(|start| Revision::find(&since.name, &start));
    match found {
        Ok(revision) => since.commit = Some(revision.commit),
        Err(why) => all_changed(&since.name, &why),
    }
}

fn all_changed(name: &str, why: &str) {
    complain(&format!("raddle: notice: --changed-since {name}: {why}; all counts as changed\n"));
}

/// The program as it was in the revision that is asked for.
pub(crate) fn before(request: &SearchRequest, run: &Run) -> Option<Before> {
    let SearchRequest::Races(options) = request else { return None };
    let since = options.changed_since.as_ref()?;
    let (name, commit) = (&since.name, since.commit.as_ref()?);
    let start = run.start().map_err(|e| e.to_string());
    match start.and_then(|start| Revision::find(commit, &start)?.module(run)) {
        Ok(module) => Some(Before { name: name.clone(), module }),
        Err(why) => {
            all_changed(name, &why);
            None
        }
    }
}

/// Sees whether the files of a run can be written, before it begins.
fn check_out(out: &Path) -> Result<(), InputError> {
    out::check(out)?;
    runs::check_layout(out)
}

/// Goes on with a search that was cut short.
fn resume(arguments: &With<cli::Resume>, budget: Budget, started: Instant) -> anyhow::Result<Outcome> {
    let With { own, common, search } = arguments;
    for flag in search.without_effect_under_resume() {
        complain(&format!("raddle: notice: {flag} has no effect under resume: the search keeps its bounds\n"));
    }
    let Resumed { out, folder, path, others } = runs::to_resume(&own.directory)?;
    let (kept, typed) = unfinished::read::<Kept<'static>>(&path).map_err(|error| match others.last() {
        Some(other) => error.and(&format!("others are unfinished as well: {}", unfinished::resume_command(other))),
        None => error,
    })?;
    complain(&format!("raddle: notice: going on with: {}\n", typed.join(" ")));
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|other| unfinished::resume_command(other)).collect();
        let (here, others) = (path.display(), others.join(", "));
        complain(&format!("raddle: notice: that is {here}; other searches are unfinished as well: {others}\n"));
    }
    out::check(&out)?;
    let run = run_again((&kept, typed), folder, (common, search), budget, started)?;
    let sources = sources_of(&kept);
    files::check(&own.files, &sources)?;
    let baseline = files::baseline(&own.files, kept.search.command(), &sources)?;
    let run = Run { baseline, quotes_tests: own.files.html.is_some(), ..run };
    let request = kept.search.clone();
    search_by(own.cluster, &request, &run, Some(kept))
}

/// Where the sources of a search that was put aside stand.
pub(crate) fn sources_of(kept: &Kept) -> Vec<PathBuf> {
    kept.program.sources.iter().map(PathBuf::from).collect()
}

/// A run that goes on with a search that was put aside, as the command line says now. `typed`: to begin it.
pub(crate) fn run_again(
    (kept, typed): (&Kept, Vec<String>),
    folder: Folder,
    (common, search): (&Common, &Search),
    budget: Budget,
    started: Instant,
) -> anyhow::Result<Run> {
    Ok(Run {
        folder: Rc::new(folder),
        workers: search.workers(),
        solver: search.solver.options(),
        summaries: search.summaries(),
        native_tests: search.native_tests(),
        remedies: search.remedies(),
        suppressions: config::beside(&sources_of(kept))?.suppressions,
        typed,
        ..run_of(&kept.program, common, budget, started)
    })
}

/// A line on a terminal. JSON is for programs, which do not watch.
fn progress(format: Format) -> Box<dyn Progress> {
    match format {
        Format::Text if Stream::Stderr.is_terminal() => Box::new(Line::new()),
        Format::Text | Format::Json => Box::new(Silent),
    }
}

/// Compiles and analyses. What was stopped before the analysis began is inconclusive, like what is stopped during it.
fn searched(
    run: &Run,
    command: &str,
    claim: Claim,
    analyse: impl FnOnce(ir::Module) -> anyhow::Result<Report>,
) -> anyhow::Result<Outcome> {
    analysed(run, command, claim, run.module().and_then(analyse))
}

/// What came of that.
fn analysed(run: &Run, command: &str, claim: Claim, report: anyhow::Result<Report>) -> anyhow::Result<Outcome> {
    let report = report.or_else(|error| match error.downcast_ref::<StoppedEarly>() {
        Some(&StoppedEarly(stopped)) => {
            let mut report = Report::new(command, claim);
            report.sources = run.sources.iter().map(|source| source.display().to_string()).collect();
            report.ledger.push(LedgerLine {
                kind: stopped.name().to_owned(),
                r#where: "compiling".to_owned(),
                count: 1,
                remedy: stopped.remedy().to_owned(),
            });
            report.stats.wall_time_s = run.started.elapsed().as_secs_f64();
            report.finish();
            Ok(report)
        }
        None => Err(error),
    })?;
    for entry in report.suppressions.iter().filter(|entry| entry.used == 0) {
        let place = format!("{}:{}", entry.file, entry.line);
        complain(&format!("raddle: notice: {place}: this suppression applies to no finding: {}\n", entry.entry));
    }
    Ok(Outcome::Report {
        report: Box::new(report),
        directory: run.directory.clone().unwrap_or_default(),
        sources: run.sources.clone(),
    })
}

fn replay(
    path: &Path,
    common: &Common,
    solver: SolverOptions,
    budget: Budget,
    started: Instant,
) -> anyhow::Result<Outcome> {
    let options = ReplayOptions { witness: read_witness(path)? };
    let program = analysis::witness_of(&options.witness)?.program;
    let run = Run { solver, ..run_of(&program, common, budget, started) };
    searched(&run, "replay", Claim::default(), |module| analysis::replay(module, &options, &run))
}

/// Prints one finding of an earlier run: by its id or its cause's, or by its witness.
fn explain(what: &Path, out: &Path) -> anyhow::Result<Outcome> {
    #[derive(Serialize)]
    struct Body<'a> {
        finding: &'a report::Finding,
    }
    let path = witness_of(what, out)?;
    let Explained { finding, program } = analysis::explain(&read_witness(&path)?)?;
    if let Some(source) = edited_since(&program, &path) {
        complain(&format!(
            "raddle: notice: {source} was changed after this was found: the lines that are shown may be others\n"
        ));
    }
    let sources = FileSources::new(&program.directory);
    let (color, width) = (terminal::color(Stream::Stdout), terminal::width(Stream::Stdout));
    let options = TextOptions { color, width, full: true, sources: &sources };
    let text = report::render_finding(&finding, &options) + &report::render_legend(&finding, &options);
    Ok(Outcome::Document(Document::new("explain", text, Body { finding: &finding }, 0)?))
}

/// The witness that is meant: a file, or that of a finding of the last run.
fn witness_of(what: &Path, out: &Path) -> anyhow::Result<PathBuf> {
    match what.to_str().filter(|text| analysis::is_id(text) && !what.exists()) {
        Some(id) => {
            runs::check_layout(out)?;
            Ok(analysis::witness_named(out, id)?)
        }
        None => Ok(what.to_owned()),
    }
}

/// A source of the program that was written after this file.
fn edited_since(program: &ProgramRef, file: &Path) -> Option<String> {
    let written = |path: &Path| path.metadata().and_then(|data| data.modified()).ok();
    let then = written(file)?;
    let edited = program.sources.iter().position(|source| written(Path::new(source)).is_some_and(|now| now > then))?;
    program.typed.get(edited).cloned()
}

/// A run on a program that was looked at before, as it was given then.
pub(crate) fn run_of(program: &ProgramRef, common: &Common, budget: Budget, started: Instant) -> Run {
    Run {
        sources: program.typed.iter().map(PathBuf::from).collect(),
        cuda: match program.both_sides {
            true => Some(CudaSides::Both),
            false => program.sources.iter().any(|source| source.ends_with(".cu")).then_some(CudaSides::Device),
        },
        clang_flags: program.flags.clone(),
        own_flags: program.own.clone(),
        directory: Some(PathBuf::from(&program.directory)),
        folder: Rc::new(Folder::new(&common.out, unfinished::typed())),
        budget,
        // A replay has nothing to divide.
        workers: NonZeroUsize::MIN,
        solver: SolverOptions::default(),
        summaries: Summaries::default(),
        native_tests: NativeTests::Never,
        remedies: false,
        started,
        progress: progress(common.format),
        asked: Asked::default(),
        suppressions: Vec::new(),
        baseline: None,
        quotes_tests: false,
        store: None,
        names_of: None,
        typed: unfinished::typed(),
        apart: false,
    }
}

fn test(own: &cli::Test, common: &Common, budget: Budget, started: Instant) -> anyhow::Result<Outcome> {
    let output = &own.output;
    generated::check(output)?;
    let witness = witness_of(&own.witness, &common.out)?;
    let options = TestOptions { witness: read_witness(&witness)?, output: output.clone() };
    let program = analysis::witness_of(&options.witness)?.program;
    let limits = budget.clone();
    let run = run_of(&program, common, budget.clone(), started);
    let mut emitted = analysis::emit_test(&options, &run)?;
    if output.extension().is_some_and(|extension| extension == "cu") {
        if own.run {
            let message = "--run: tests of kernels are not run by raddle: build it by its first line where there is a GPU, and run it as \
                           it says";
            return Err(UsageError::new("cuda_run", message.to_owned()).into());
        }
        compiles(&emitted, &program, output, |program| run_of(program, common, budget, started))?;
    }
    take_clients_along(&mut emitted, &program, output);
    std::fs::write(output, &emitted.text).map_err(|e| {
        InputError::new("output", format!("{} cannot be written: {e}", output.display())).in_file(output)
    })?;
    if let Some(why) = emitted.out_of_sight {
        complain(&format!("raddle: notice: ThreadSanitizer may report nothing (exit code 0): {why}\n"));
    }
    #[derive(Serialize)]
    struct Body<'a> {
        file: String,
        build: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        runs: Option<Runs>,
    }
    let mut text = format!("{}\n", emitted.build);
    let runs = if own.run {
        Some(analysis::try_out(output, &emitted.build, NATIVE_RUNS, || limits.stopped().is_some())?)
    } else {
        None
    };
    if let Some(runs) = &runs {
        text += &in_words(runs, &witness::emit::program_of(output));
    }
    let body = Body { file: output.display().to_string(), build: &emitted.build, runs };
    Ok(Outcome::Document(Document::new("test", text, body, 0)?))
}

/// Compiles a kernel's test for both sides, as raddle does: where the kernel, or what it is given, cannot be named from outside there is no test.
fn compiles(
    emitted: &EmittedTest,
    program: &ProgramRef,
    output: &Path,
    run: impl FnOnce(&ProgramRef) -> Run,
) -> anyhow::Result<()> {
    let unwritable = |e: std::io::Error| {
        InputError::new("output", format!("{} cannot be written: {e}", output.display())).in_file(output)
    };
    // It stands where the test will, and includes the source from there.
    let folder = output.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let copy = tempfile::Builder::new().prefix(".raddle-").suffix(".cu").tempfile_in(folder).map_err(unwritable)?;
    std::fs::write(copy.path(), &emitted.text).map_err(unwritable)?;
    let copy_path = std::path::absolute(copy.path())?.display().to_string();
    let other_sources = program.sources.iter().filter(|source| emitted.build.contains(source.as_str())).cloned();
    let sources: Vec<String> = std::iter::once(copy_path.clone()).chain(other_sources).collect();
    let program = ProgramRef { typed: sources.clone(), sources, both_sides: true, ..program.clone() };
    let Err(error) = run(&program).module() else { return Ok(()) };
    match error.downcast_ref::<InputError>() {
        Some(why) => {
            let why = why.to_string().replace(&copy_path, "the test");
            let message = format!(
                "a test of this kernel does not compile, so none is written: {why}; a test calls the kernel and sets variables by the names \
                 that debug information has, behind the end of the source, and compiles its host side; `raddle replay` shows the failure"
            );
            Err(InputError::new("no_cuda_test", message).into())
        }
        None => Err(error),
    }
}

/// How the runs of a test ended, for people; `program`: what it was built into.
fn in_words(Runs { reported, not_reached, nothing, other, said }: &Runs, program: &Path) -> String {
    let all = reported + not_reached + nothing + other;
    let ends = [
        (reported, "the failure showed", "exit code 66"),
        (
            not_reached,
            "the schedule was not reached: the program did something else, as where it depends on time or input",
            "3",
        ),
        (
            nothing,
            "the schedule was followed, and nothing happened: neither ThreadSanitizer nor the hardware notices it",
            "0",
        ),
        (other, "it ended otherwise, as by a signal", "another code"),
    ];
    let mut text = String::new();
    for (count, what, code) in ends.into_iter().filter(|(count, ..)| **count > 0) {
        let runs = if *count == all { format!("all {all} runs") } else { format!("{count} of {all} runs") };
        text += &format!("{runs}: {what} ({code})\n");
    }
    if all == 0 {
        text += "built, but there was no time to run it\n";
    }
    if let Some(said) = said {
        text += &format!("it says: {}\n", said.replace('\n', "\n       "));
    }
    text + &format!("once more: {}\n", program.display())
}

/// Puts a client that is part of the program beside the test: the folder of the run that wrote it goes with the tenth run behind it.
fn take_clients_along(emitted: &mut EmittedTest, program: &ProgramRef, output: &Path) {
    let Some(folder) = std::path::absolute(output).ok().and_then(|output| output.parent().map(Path::to_owned)) else {
        return;
    };
    for source in &program.sources {
        let path = Path::new(source);
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        let here = folder.join(name);
        let is_client = out::is_of_finding(name) && name.ends_with(out::CLIENT_SUFFIXES[0]);
        let Ok(text) = std::fs::read(path) else { continue };
        // One of another run keeps its name.
        let is_free = std::fs::read(&here).map_or(true, |known| known == text);
        if is_client && is_free && std::fs::write(&here, &text).is_ok() {
            let here = here.display().to_string();
            emitted.text = emitted.text.replace(source, &here);
            emitted.build = emitted.build.replace(source, &here);
        }
    }
}

/// How often `raddle test --run` runs a test.
const NATIVE_RUNS: u32 = 20;

fn read_witness(path: &Path) -> Result<WitnessFile, InputError> {
    let failed = |kind: &str, why: String| InputError::new(kind, format!("{}{why}", path.display())).in_file(path);
    let bytes = std::fs::read(path).map_err(|e| match e.kind() {
        std::io::ErrorKind::NotFound => failed("missing_file", ": no such file".to_owned()),
        std::io::ErrorKind::IsADirectory => failed("directory", " is a directory, not a witness".to_owned()),
        _ => failed("unreadable_file", format!(" cannot be read: {e}")),
    })?;
    let text = String::from_utf8(bytes).map_err(|_| failed("witness", " is no witness: it is not text".to_owned()))?;
    Ok(WitnessFile { path: path.to_owned(), text })
}
