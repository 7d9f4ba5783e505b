//! The command line: commands, flags, their help.
//!
//! Knows the syntax only. Which flag wins over which setting is decided in [`Search::races`] and its like.

mod cover;
mod gpu;
mod input;
mod parts;
mod property;
mod races;
mod search;

pub(crate) use cover::Cover;
pub(crate) use gpu::Gpu;
pub(crate) use input::{Files, Input};
pub(crate) use parts::{Cluster, EngineName, Gather, Split, Work};
pub(crate) use races::Races;
pub(crate) use search::Search;

use crate::config::Config;
use crate::refusal;
use crate::violation::Violation;
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use session::errors::UsageError;
use session::frontend;
use session::options::{Bounds, CheckOptions, Executions, Format, Strategy, SummarizeOptions, SynthOptions};
use std::ffi::OsString;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

/// Finds data races, deadlocks, assertion failures and memory errors in multithreaded C.
///
/// Exit codes: 0 safe for the stated claim, 10 findings, 5 inconclusive, 1 wrong command line, 2 the input could not be
/// read, compiled or lowered, 6 a fault of raddle's own.
#[derive(Debug, Parser)]
#[command(name = "raddle", version, infer_subcommands = false, arg_required_else_help = false)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check a whole program from `main`: all inputs, all schedules
    Check(With<Check>),
    /// Find races between the operations of a library: every two of them, or more, on every data structure within the bounds
    Races(With<Races>),
    /// Find races and barrier divergence in a CUDA kernel: one launch, on every data structure within the bounds; no GPU is needed
    Gpu(With<Gpu>),
    /// Write racy tests of a library from the sequential ones that it has: their calls, put together anew
    Synth(With<Synth>),
    /// Cover every branch of a program by inputs and interferences: which take how many, and which cannot be taken
    Cover(With<Cover>),
    /// Go on with a search that was cut short by a limit, a signal or a crash, within the bounds that it had
    Resume(With<Resume>),
    /// Divide a search that was cut short into parts, files that any batch system can have worked on
    Split(With<Split>),
    /// Work on a part of a search, in any process on any machine of this build, several at once, in any order
    Work(With<Work>),
    /// Put together what was done of the parts of a search: the report, or what is left
    Gather(With<Gather>),
    /// Re-execute a witness, step by step (exit code: 10 reproduced, 5 not, 2 the program changed)
    Replay(With<Replay>),
    /// Print one finding whole: of the last run by its id, or of a witness
    Explain(With<Explain>),
    /// Write a test, in C or CUDA, that shows the failure of a witness natively, and print the command that builds it
    Test(With<Test>),
    /// Print what functions do by themselves, as trees of decisions: conditions, calls, synchronisation, accesses
    Summarize(With<Summarize>),
    /// Print the program as raddle sees it
    Ir(With<Input>),
    /// Say what is installed, and what a program calls that raddle has no model for (exit code: 0 complete, 2 not)
    Doctor(With<Doctor>),
}

/// A command's own arguments, and those that every command takes.
#[derive(Debug, Args)]
#[command(args_override_self = true)]
pub(crate) struct With<T: Args> {
    #[command(flatten)]
    pub(crate) own: T,
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(flatten)]
    pub(crate) search: Search,
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: Input,
    /// Which executions are run: all, or some at random, which never says `safe` [default: dfs]
    #[arg(long, value_enum, value_name = "ORDER", hide_possible_values = false)]
    pub(crate) search: Option<Executions>,
    /// How all orders of what threads do are covered: `visited`, what follows from each state is explored once; `states`, the same without
    /// counting executions, which takes fewer steps, and where programs never end, or --property or --stop-on-finding is given, is what
    /// `visited` does too; `dpor`, each execution is run that is not equivalent to another; `unfolding`, the same by events that
    /// executions share, with cutoffs. They differ in no finding, but one may come to no end where another does
    #[arg(long, value_enum, value_name = "STRATEGY", default_value_t)]
    pub(crate) strategy: Strategy,
    /// What counts: data-race, assertion, deadlock, memory, all, or a property file of SV-COMP (.prp). All is looked for; what was not asked for
    /// is said, and changes neither verdict nor exit code [default: all]
    #[arg(long, value_name = "PROPERTY")]
    pub(crate) property: Option<String>,
    /// End with the first finding that counts. Which one that is may depend on the number of workers
    #[arg(long)]
    pub(crate) stop_on_finding: bool,
    /// Run the program also where nothing but races is asked for, and locks and the creation of threads show without that that there are none
    #[arg(long)]
    pub(crate) no_locksets: bool,
    /// Go on from states that come up again as well, to count executions, or to compare
    #[arg(long)]
    pub(crate) no_cutoffs: bool,
    /// With --strategy unfolding: of the events that were explored, to how many something else has to be an alternative. 0: to all, so
    /// that nothing is begun that was explored; few take less time to look for
    #[arg(long, value_name = "K", default_value_t = 0)]
    pub(crate) alternatives: u32,
    /// With --strategy unfolding: write all events, what comes before each and which exclude each other, as a picture (FILE.svg) or as JSON
    /// (FILE.json)
    #[arg(long, value_name = "FILE")]
    pub(crate) dump_unfolding: Option<PathBuf>,
    /// Write which lines and which ways at branches were reached, as LCOV has it
    #[arg(long, value_name = "FILE")]
    lcov: Option<PathBuf>,
    /// Write the first finding as a violation witness of SV-COMP (format 2.2, YAML)
    #[arg(long, value_name = "FILE")]
    violation_witness: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) cluster: Cluster,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    pub(crate) files: Files,
    #[command(flatten)]
    pub(crate) kept: Kept,
}

#[derive(Debug, Args)]
pub(crate) struct Synth {
    /// The library
    #[command(flatten)]
    pub(crate) input: Input,
    /// The sequential tests, each a C program that calls the library
    #[arg(long, value_name = "TEST", num_args = 1.., required = true)]
    pub(crate) tests: Vec<PathBuf>,
    /// A function that tests call, by its C name or as `file.c:name`; once for each: what concerns others alone is left out. Default: all that they
    /// call but those that make or end an object
    #[arg(long = "op", value_name = "FUNCTION")]
    pub(crate) operations: Vec<String>,
    /// The folder for the racy tests; raddle's own of an earlier run are replaced
    #[arg(short, long, value_name = "DIR")]
    pub(crate) output: PathBuf,
    /// Do not build the racy tests and run each once under ThreadSanitizer
    #[arg(long)]
    pub(crate) no_native: bool,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    pub(crate) files: Files,
}

#[derive(Debug, Args)]
pub(crate) struct Summarize {
    #[command(flatten)]
    pub(crate) input: Input,
    /// A function by its C name, or `file.c:name` where several files have it; once for each. Default: all that the
    /// sources and their own headers define
    #[arg(long = "op", value_name = "FUNCTION")]
    pub(crate) functions: Vec<String>,
    /// Draw each function's tree: insert.svg, ... in this directory
    #[arg(long, value_name = "DIR", help_heading = "Files")]
    pub(crate) svg: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kept: Kept,
}

#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The directory for witnesses of that search (its --out), which gets those of this one
    #[arg(value_name = "DIR", default_value = "raddle-out")]
    pub(crate) directory: PathBuf,
    #[command(flatten)]
    pub(crate) cluster: Cluster,
    #[command(flatten)]
    pub(crate) extension: Extension,
    #[command(flatten)]
    pub(crate) files: Files,
}

#[derive(Debug, Args)]
pub(crate) struct Replay {
    /// A witness that raddle wrote, or the id of a finding of the last run (R7)
    #[arg(value_name = "WITNESS|ID")]
    pub(crate) witness: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct Explain {
    /// The id of a finding of the last run (R7), or of a cause (C2), for the finding that shows it best; or a witness that
    /// raddle wrote
    #[arg(value_name = "ID|WITNESS")]
    pub(crate) what: PathBuf,
}

/// How much of the report is printed.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct Extension {
    /// Print every finding whole, with its whole schedule, instead of one finding for each cause
    #[arg(long)]
    pub(crate) full: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Test {
    /// A witness that raddle wrote, or the id of a finding of the last run (R7)
    #[arg(value_name = "WITNESS|ID")]
    pub(crate) witness: PathBuf,
    /// The file to write: C (.c), or CUDA (.cu) where the finding is a kernel's
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Build it, and run it 20 times: this runs the program itself. Not of kernels
    #[arg(long)]
    pub(crate) run: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    /// C sources, LLVM assembly or bitcode (.c, .i, .ll, .bc)
    #[arg(value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// A compilation database (compile_commands.json), or its directory: sources get their flags from it
    #[arg(short = 'p', long = "compile-commands", value_name = "PATH")]
    pub(crate) database: Option<PathBuf>,
    /// Write stubs in C for all that the sources call and nothing models, to fill in
    #[arg(long, value_name = "FILE.c", requires = "sources")]
    pub(crate) stubs: Option<PathBuf>,
    /// Flags for clang
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub(crate) clang_flags: Vec<String>,
}

/// What is kept from one run to the next.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct Kept {
    /// Where what is found out about unchanged code is kept from one run to the next [default: RADDLE_STORE, else in raddle's
    /// cache]
    #[arg(long, value_name = "DIR", conflicts_with = "no_store")]
    pub(crate) store: Option<PathBuf>,
    /// Explore all anew, and keep nothing; RADDLE_STORE=off does so too
    #[arg(long)]
    pub(crate) no_store: bool,
}

impl Kept {
    /// Where results are kept, if they are.
    pub(crate) fn store(&self) -> Option<PathBuf> {
        if self.no_store {
            return None;
        }
        let named = || std::env::var_os("RADDLE_STORE").filter(|value| !value.is_empty()).map(PathBuf::from);
        let directory = self.store.clone().or_else(named);
        directory.or_else(|| Some(frontend::cache_directory()?.join("results"))).filter(|path| path != Path::new("off"))
    }
}

/// Flags of every command.
#[derive(Debug, Args)]
pub(crate) struct Common {
    /// How the report is printed on standard output
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: Format,
    /// The directory for witnesses
    #[arg(long, value_name = "DIR", default_value = "raddle-out")]
    pub(crate) out: PathBuf,
}

/// Commands that do not begin a search: there the search's flags are taken, for scripts that give them everywhere, and not
/// shown where they have no effect.
const WITHOUT_SEARCH: [&str; 9] = ["resume", "split", "work", "gather", "replay", "explain", "test", "ir", "doctor"];
const COMMANDS: [&str; 15] = [
    "check",
    "races",
    "gpu",
    "synth",
    "cover",
    "resume",
    "split",
    "work",
    "gather",
    "replay",
    "explain",
    "test",
    "summarize",
    "ir",
    "doctor",
];

fn command() -> clap::Command {
    let mut command = Cli::command();
    for name in WITHOUT_SEARCH {
        let kept = |arg: &clap::Arg| match (arg.get_id().as_str(), arg.get_help_heading()) {
            ("max_time" | "max_memory", _) => matches!(name, "replay" | "resume" | "work" | "gather"),
            ("workers", _) | (_, Some("Solver")) => matches!(name, "resume" | "work" | "gather"),
            ("out", _) => !matches!(name, "resume" | "split" | "work" | "gather"),
            (_, heading) => heading != Some("Search"),
        };
        command = command.mut_subcommand(name, |sub| sub.mut_args(|arg| if kept(&arg) { arg } else { arg.hide(true) }));
    }
    command
}

/// Parses the command line, the program's name first.
///
/// # Errors
/// clap's, which also stand for `--help` and `--version`.
pub(crate) fn parse(arguments: &[OsString]) -> Result<Cli, clap::Error> {
    let mut command = command();
    if let Some(error) = refusal::attached_to_p(&mut command, arguments) {
        return Err(refusal::adjusted(error, arguments));
    }
    let matches = command.try_get_matches_from(arguments).map_err(|error| refusal::adjusted(error, arguments))?;
    Cli::from_arg_matches(&matches)
}

/// The format asked for by a command line that may not parse.
pub(crate) fn format_of(arguments: &[OsString]) -> Format {
    let words = arguments.iter().map(|a| a.to_str().unwrap_or_default()).take_while(|a| *a != "--");
    let words: Vec<&str> = words.collect();
    let json = words.windows(2).any(|pair| pair == ["--format", "json"]) || words.contains(&"--format=json");
    if json { Format::Json } else { Format::Text }
}

/// The command of a command line that may not parse; empty where there is none.
pub(crate) fn command_of(arguments: &[OsString]) -> &str {
    let first = arguments.get(1).and_then(|a| a.to_str()).unwrap_or_default();
    if COMMANDS.contains(&first) { first } else { "" }
}

impl Command {
    pub(crate) fn name(&self) -> &'static str {
        match self {
            Command::Check(_) => "check",
            Command::Races(_) => "races",
            Command::Gpu(_) => "gpu",
            Command::Synth(_) => "synth",
            Command::Cover(_) => "cover",
            Command::Resume(_) => "resume",
            Command::Split(_) => "split",
            Command::Work(_) => "work",
            Command::Gather(_) => "gather",
            Command::Replay(_) => "replay",
            Command::Explain(_) => "explain",
            Command::Test(_) => "test",
            Command::Summarize(_) => "summarize",
            Command::Ir(_) => "ir",
            Command::Doctor(_) => "doctor",
        }
    }

    /// The files to write, and the sources that they are about.
    pub(crate) fn files(&self) -> Option<(Files, &[PathBuf])> {
        Some(match self {
            Command::Check(With { own, .. }) => (own.files(), &own.input.sources),
            Command::Races(With { own, .. }) => (own.files(), &own.input.sources),
            Command::Gpu(With { own, .. }) => (own.files.clone(), &own.sources),
            Command::Synth(With { own, .. }) => (own.files.clone(), &own.input.sources),
            Command::Cover(With { own, .. }) => (own.files(), &own.input.sources),
            // Which sources those are is not known yet; see `dispatch`.
            Command::Resume(With { own, .. }) => (own.files.clone(), &[]),
            Command::Gather(With { own, .. }) => (own.files.clone(), &[]),
            Command::Split(_)
            | Command::Work(_)
            | Command::Replay(_)
            | Command::Explain(_)
            | Command::Test(_)
            | Command::Summarize(_)
            | Command::Ir(_)
            | Command::Doctor(_) => return None,
        })
    }

    /// Whether all findings are printed whole.
    pub(crate) fn is_full(&self) -> bool {
        matches!(
            self,
            Command::Check(With { own: Check { extension: Extension { full: true }, .. }, .. })
                | Command::Races(With { own: Races { extension: Extension { full: true }, .. }, .. })
                | Command::Cover(With { own: Cover { extension: Extension { full: true }, .. }, .. })
                | Command::Gpu(With { own: Gpu { extension: Extension { full: true }, .. }, .. })
                | Command::Synth(With { own: Synth { extension: Extension { full: true }, .. }, .. })
                | Command::Resume(With { own: Resume { extension: Extension { full: true }, .. }, .. })
                | Command::Gather(With { own: Gather { extension: Extension { full: true }, .. }, .. })
        )
    }

    pub(crate) fn common(&self) -> &Common {
        match self {
            Command::Check(With { common, .. }) => common,
            Command::Summarize(With { common, .. }) => common,
            Command::Ir(With { common, .. }) => common,
            Command::Races(With { common, .. }) => common,
            Command::Gpu(With { common, .. }) => common,
            Command::Synth(With { common, .. }) => common,
            Command::Cover(With { common, .. }) => common,
            Command::Replay(With { common, .. }) => common,
            Command::Resume(With { common, .. }) => common,
            Command::Split(With { common, .. }) => common,
            Command::Work(With { common, .. }) => common,
            Command::Gather(With { common, .. }) => common,
            Command::Explain(With { common, .. }) => common,
            Command::Test(With { common, .. }) => common,
            Command::Doctor(With { common, .. }) => common,
        }
    }

    pub(crate) fn search(&self) -> &Search {
        match self {
            Command::Check(With { search, .. }) => search,
            Command::Summarize(With { search, .. }) => search,
            Command::Ir(With { search, .. }) => search,
            Command::Races(With { search, .. }) => search,
            Command::Gpu(With { search, .. }) => search,
            Command::Synth(With { search, .. }) => search,
            Command::Cover(With { search, .. }) => search,
            Command::Replay(With { search, .. }) => search,
            Command::Resume(With { search, .. }) => search,
            Command::Split(With { search, .. }) => search,
            Command::Work(With { search, .. }) => search,
            Command::Gather(With { search, .. }) => search,
            Command::Explain(With { search, .. }) => search,
            Command::Test(With { search, .. }) => search,
            Command::Doctor(With { search, .. }) => search,
        }
    }
}

impl Check {
    /// What is written beside the report.
    pub(crate) fn files(&self) -> Files {
        // A property that cannot be read is refused before anything is written.
        let property = || self.property.as_deref().and_then(|property| property::read(property).ok());
        let violation = self.violation_witness.clone().map(|path| Violation { path, property: property() });
        Files { unfolding: self.dump_unfolding.clone(), lcov: self.lcov.clone(), violation, ..self.files.clone() }
    }
}

/// By its name.
pub(crate) fn is_picture(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("svg"))
}

fn is_json(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

impl With<Check> {
    /// # Errors
    /// When the claim asked for is one that raddle cannot check.
    pub(crate) fn options(&self, config: &Config) -> Result<CheckOptions, UsageError> {
        let bounds = self.search.bounds(config);
        let order = self.own.search.unwrap_or_default();
        let sampling = self.search.sampling(|depth| order.sampler(depth), &bounds)?;
        let bounds = Bounds { sampling, order: order.order(self.search.seed), ..bounds };
        let Check { strategy, no_cutoffs, alternatives, stop_on_finding, no_locksets, .. } = self.own;
        let property = self.own.property.as_deref().map(property::read).transpose()?;
        let dumped = self.own.dump_unfolding.as_deref();
        let partial = strategy != Strategy::Visited || no_cutoffs || alternatives != 0;
        let conflict = match (bounds.sampling, bounds.preemptions) {
            _ if no_cutoffs && strategy == Strategy::States => {
                "--strategy states is about states that come up again: leave out that, or --no-cutoffs"
            }
            _ if dumped.is_some() && strategy != Strategy::Unfolding => "--dump-unfolding is for --strategy unfolding",
            _ if dumped.is_some_and(|file| !is_picture(file) && !is_json(file)) => {
                "--dump-unfolding writes a picture or JSON: name a file that ends in .svg or .json"
            }
            _ if alternatives != 0 && strategy != Strategy::Unfolding => "--alternatives is for --strategy unfolding",
            (Some(_), _) if partial => {
                "executions at random cover no order whole: leave --strategy and --no-cutoffs out, or --search"
            }
            (_, Some(_)) if partial => {
                "within a bound on preemptions every order is run: leave --strategy and --no-cutoffs out, or --preemptions \
                 (raddle.toml may set the bound)"
            }
            _ => {
                let external = self.search.external.unwrap_or_default();
                return Ok(CheckOptions {
                    bounds,
                    external,
                    strategy,
                    no_cutoffs,
                    alternatives,
                    keeps_events: dumped.is_some(),
                    property: property.filter(|property| property.name != "all"),
                    stop_on_finding,
                    no_locksets,
                });
            }
        };
        Err(UsageError::new("unsupported_search", conflict.to_owned()))
    }
}

impl With<Synth> {
    /// What is asked for; `input`: as the compilation database has it.
    pub(crate) fn options(&self, config: &Config) -> SynthOptions {
        let check = CheckOptions {
            bounds: self.search.bounds(config),
            external: self.search.external.unwrap_or_default(),
            ..CheckOptions::default()
        };
        let Synth { tests, operations, output, no_native, .. } = &self.own;
        SynthOptions {
            tests: tests.clone(),
            operations: operations.clone(),
            output: output.clone(),
            runs_natively: !no_native,
            check,
        }
    }
}

/// Iterations of a loop in a function's summary, where `--unroll` does not say: each makes the tree as large again.
const UNROLLED: u32 = 2;

impl With<Summarize> {
    pub(crate) fn options(&self, config: &Config) -> SummarizeOptions {
        let unroll = self.search.unroll.map_or(UNROLLED, NonZeroU32::get);
        let bounds = Bounds { unroll, ..self.search.bounds(config) };
        SummarizeOptions { functions: self.own.functions.clone(), bounds }
    }
}

#[cfg(test)]
mod tests {
    use super::races::{CLIENT_CALLS, REACHING_CALLS};
    use super::*;
    use session::options::{Globals, Heaps, PrivateParameter, RacesOptions};
    use std::time::Duration;

    fn line(words: &str) -> Vec<OsString> {
        std::iter::once("raddle").chain(words.split_whitespace()).map(OsString::from).collect()
    }

    fn races(words: &str) -> With<Races> {
        match parse(&line(words)).map(|cli| cli.command) {
            Ok(Command::Races(races)) => races,
            other => panic!("{words}: {other:?}"),
        }
    }

    #[test]
    fn the_grammar_is_consistent() {
        command().debug_assert();
    }

    #[test]
    fn flags_stand_anywhere_before_the_dashes() {
        let races = races("races --op f a.c --depth 4 b.c --op file.c:g --memory=sc -- -DX --depth 9");
        assert_eq!(races.own.input.sources, [PathBuf::from("a.c"), "b.c".into()]);
        assert_eq!(races.own.input.clang_flags, ["-DX", "--depth", "9"]);
        let options = races.options(&Config::default()).expect("two threads");
        assert_eq!(options.operations, ["f", "file.c:g"]);
        assert_eq!((options.bounds.depth, options.bounds.accept_sc), (4, true));
        let operations = options.operations.clone();
        let defaults = RacesOptions {
            operations,
            client_calls: CLIENT_CALLS,
            reaching_calls: REACHING_CALLS,
            heaps: Heaps::Both,
            ..RacesOptions::default()
        };
        let bounds = Bounds { depth: 4, accept_sc: true, ..Bounds::default() };
        assert_eq!(options, RacesOptions { bounds, ..defaults });
    }

    #[test]
    fn the_last_of_two_equal_flags_counts_and_operations_add_up() {
        let races = races("races a.c --depth 2 --op f --depth 5 --op f --format json --format text");
        assert_eq!(races.options(&Config::default()).map(|o| (o.bounds.depth, o.operations.len())), Ok((5, 2)));
        assert_eq!(races.common.format, Format::Text);
    }

    #[test]
    fn every_command_takes_the_common_flags() {
        let flags = "--format json --out d --depth 3 --array 2 --unroll 64 --preemptions 2 --threads 2 --calls 1 --roots any \
                     --valid ok --memory sc --max-time 1.5 --max-memory 64 --seed 7 --workers 4 --spurious 0 \
                     --fail-alloc --volatile relaxed --merge never --summaries always --native-tests never --no-remedies";
        for command in [
            "check a.c",
            "races a.c",
            "resume d",
            "split d -n 2",
            "work p --for 1",
            "gather d",
            "replay w",
            "explain R1",
            "test w -o t.c",
            "ir a.c",
            "doctor",
            "doctor a.c",
        ] {
            let parsed = parse(&line(&format!("{command} {flags}")));
            let parsed = parsed.unwrap_or_else(|e| panic!("{command}: {e}")).command;
            assert!(command.starts_with(parsed.name()));
            assert_eq!(parsed.common().format, Format::Json);
            assert_eq!(parsed.search().workers().get(), 4);
            assert_eq!(parsed.search().max_time(), Some(Duration::from_millis(1500)));
        }
    }

    #[test]
    fn wrong_lines_are_refused() {
        for words in [
            "",
            "check",
            "races --op",
            "chekc a.c",
            "check a.c --depth 0",
            "check a.c --depth x",
            "races a.c --threads 0",
            "races a.c --calls 0",
            "races a.c --calls two",
            "check a.c --memory tso",
            "check a.c --volatile atomic",
            "check a.c --max-time -1",
            "check a.c --max-time nan",
            "check a.c --workers 0",
            "check a.c --op f",
            "races a.c --private out",
            "races a.c --private get.",
            "check a.c --private get.out",
            "check a.c --no-such-flag",
            "split d",
            "split d -n 0",
            "work",
            "work p q",
            "work p --for soon",
            "gather d e",
            "test w",
            "replay",
            "replay a b",
            "explain",
            "explain R1 R2",
            "explain R1 --full",
        ] {
            assert!(parse(&line(words)).is_err_and(|e| e.use_stderr()), "{words}");
        }
        for words in ["--help", "help", "check --help", "--version"] {
            assert!(parse(&line(words)).is_err_and(|e| !e.use_stderr()), "{words}");
        }
    }

    #[test]
    fn flags_win_over_the_file_and_the_file_over_defaults() {
        let config = Config {
            operations: vec!["g".into()],
            valid: Some("ok".into()),
            globals: Some(Globals::Initial),
            private: PrivateParameter::parse("g.out").into_iter().collect(),
            bounds: crate::config::ConfigBounds { depth: NonZeroU32::new(7), ..Default::default() },
            ..Config::default()
        };
        let options = races("races a.c --private f.p --private *.q").options(&config).expect("two threads");
        assert_eq!(options.private.iter().map(|p| p.text.as_str()).collect::<Vec<_>>(), ["f.p", "*.q"]);
        let options = races("races a.c").options(&config).expect("two threads");
        assert_eq!(options.operations, ["g"]);
        assert_eq!(options.private, config.private);
        assert_eq!(
            (options.valid.as_deref(), options.globals, options.bounds.depth),
            (Some("ok"), Globals::Initial, 7)
        );
        let words = "races a.c --op f --valid v --globals=symbolic --depth 2";
        let options = races(words).options(&config).expect("two threads");
        assert_eq!(options.operations, ["f"]);
        assert_eq!(
            (options.valid.as_deref(), options.globals, options.bounds.depth),
            (Some("v"), Globals::Symbolic, 2)
        );
    }

    #[test]
    fn threads_and_calls_make_the_claim() {
        let options = |words: &str| races(words).options(&Config::default());
        let more = options("races a.c --threads 3 --calls 2").expect("a claim");
        assert_eq!((more.bounds.threads, more.bounds.calls), (3, 2));
        for words in ["races a.c --threads 1", "races a.c --threads 33"] {
            assert!(options(words).is_err_and(|e| e.kind == "unsupported_threads"), "{words}");
        }
        assert!(options("races a.c --search walk --samples 3 --seed 7").is_ok());
        for words in
            ["races a.c --samples 3", "races a.c --search walk --preemptions 1", "races a.c --search pos --bug-depth 2"]
        {
            assert!(options(words).is_err_and(|e| e.kind == "unsupported_search"), "{words}");
        }
        assert!(options("races a.c --search guided").is_ok());
        for words in ["races a.c --search guided --threads 3", "races a.c --search guided --calls 2"] {
            assert!(options(words).is_err_and(|e| e.kind == "unsupported_search"), "{words}");
        }
    }

    #[test]
    fn flags_that_shortfalls_name_exist() {
        let command = command();
        for (flag, commands) in report::FLAGS {
            for name in *commands {
                let sub = command.find_subcommand(name).unwrap_or_else(|| panic!("no command {name}"));
                let known = sub.get_arguments().any(|arg| arg.get_long() == flag.strip_prefix("--"));
                assert!(known, "{name} has no {flag}");
            }
        }
    }

    #[test]
    fn the_format_is_known_even_where_nothing_else_is() {
        assert_eq!(format_of(&line("chekc --format json")), Format::Json);
        assert_eq!(format_of(&line("--format=json")), Format::Json);
        assert_eq!(format_of(&line("check a.c -- --format json")), Format::Text);
        assert_eq!(command_of(&line("races --op")), "races");
        assert_eq!(command_of(&line("chekc")), "");
    }
}
