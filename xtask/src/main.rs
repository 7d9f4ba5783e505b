//! `cargo xtask`: campaigns that are too long for the ordinary tests. Each prints its figures.

#![expect(clippy::print_stdout, reason = "a campaign prints its figures")]

mod by_pointer;
mod cluster;
mod confirm;
mod cuda_tests;
mod dsgen;
mod edits;
mod fuzz;
mod library;
mod mutants;
mod narada;
mod remedies;
mod same;
mod sequences;
mod solver_bench;
mod ssrd;
mod suite;
mod svcomp;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;
use testkit::library::Extent;
use xtask::{
    arithmetic, clients, clocks, con2colic, conditions, endless, floating, flows, interference, kernels, libraries,
    merging, options, programs, rc11, remaining, results, sequential, summaries, synth, weak,
};

#[derive(Parser)]
#[command(about = "Long campaigns that check raddle against independent oracles")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Random multithreaded programs against all interleavings of every shared access
    Programs {
        /// How many programs to compare
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
        /// Only executions with at most so many preemptions
        #[arg(long)]
        preemptions: Option<u32>,
    },
    /// Random data-structure libraries against every concrete heap and interleaving
    Libraries {
        /// How many libraries to compare
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put libraries on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
        /// Threads that run together
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Calls that each makes at the most
        #[arg(long, default_value_t = 1)]
        calls: usize,
        /// Globals hold what they are initialised with
        #[arg(long)]
        globals_initial: bool,
        /// Races only with at most so many preemptions
        #[arg(long)]
        preemptions: Option<u32>,
        /// Only libraries with an action whose name contains this, such as `mark` or `string`
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Random libraries on the heaps that clients build by calls, against every sequence of calls and every interleaving
    Clients {
        /// How many libraries to compare
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put libraries on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
        /// Calls before those that are made at once, at most; fewer where that is too much for brute force
        #[arg(long, default_value_t = 3)]
        before: usize,
        /// Only libraries with an action whose name contains this
        #[arg(long, default_value = "")]
        only: String,
    },
    /// Random libraries: what two calls come to at once that no order of them comes to, against all interleavings of every access
    Results {
        /// How many libraries to compare
        #[arg(long, default_value_t = 500)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put libraries on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random libraries of which callers get the operations by pointer, against the same ones by name
    ByPointer(by_pointer::ByPointerOptions),
    /// Random programs and libraries under random options, each pair of which comes together, against brute force
    Options {
        /// How many programs to compare
        #[arg(long, default_value_t = 1000)]
        programs: u64,
        /// How many libraries to compare
        #[arg(long, default_value_t = 300)]
        libraries: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put those on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random CUDA kernels with a number: the launch condition that is inferred against all launches of few threads
    Conditions {
        /// How many kernels to compare
        #[arg(long, default_value_t = 500)]
        count: u64,
        /// The seed of the first
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Where to put kernels on which the two differ
        #[arg(long, default_value = "target/conditions")]
        keep: PathBuf,
    },
    /// Random CUDA kernels that walk through arrays: what flows say against what their threads access
    Flows {
        /// How many kernels to compare
        #[arg(long, default_value_t = 500)]
        count: u64,
        /// The seed of the first
        #[arg(long, default_value_t = 1)]
        seed: u64,
        /// Where to put kernels on which the two differ
        #[arg(long, default_value = "target/flows")]
        keep: PathBuf,
    },
    /// Random CUDA kernels against all interleavings of every access
    Kernels {
        /// How many kernels to compare
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put kernels on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random programs whose threads go round for ever, against all of their states
    Endless {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
        /// By the unfolding instead of by visited states
        #[arg(long)]
        unfolding: bool,
    },
    /// Searches that come to their ends, cut at several points: whether the executions that were left are within the interval that is told
    Remaining {
        /// How many random programs, besides those of `tests/ui` and `bench/engine`
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Print the ratio of true number and estimate at each cut
        #[arg(long)]
        ratios: bool,
    },
    /// Random programs with inputs: the least interferences that each branch takes, against all inputs and interleavings
    Interference {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
        /// Also without each optimisation, in random order, and within bounds
        #[arg(long)]
        variants: bool,
        /// Pairs of a write and a read of another thread, not branches
        #[arg(long, conflicts_with = "variants")]
        def_use: bool,
    },
    /// The programs of bench/rc11 against what is annotated there, and what it costs to ask of weak atomics
    Rc11 {
        /// Only these
        programs: Vec<String>,
        #[arg(long, default_value = "bench/rc11")]
        folder: PathBuf,
        /// Searches of each, of which the fastest counts
        #[arg(long, default_value_t = 3)]
        repeat: u32,
        /// For each search
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// The programs of bench/con2colic against what is annotated there, beside Table 1 of the paper
    Con2colic {
        /// Only these
        programs: Vec<String>,
        #[arg(long, default_value = "bench/con2colic")]
        folder: PathBuf,
        /// Without unsat-core guidance (U)
        #[arg(long)]
        no_guidance: bool,
        /// Without prioritised exploration (P)
        #[arg(long)]
        no_priorities: bool,
        /// Without duplication freedom (D)
        #[arg(long)]
        duplicates: bool,
        /// Without what subsumes scenarios, which the paper has not (S)
        #[arg(long)]
        no_subsumption: bool,
        /// For each program
        #[arg(long, default_value_t = 60)]
        seconds: u64,
    },
    /// Random programs that read clocks, against all readings that matter
    Clocks {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random programs of weak atomics, against all executions that RC11 allows
    Weak {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random programs with floating-point inputs, against native runs on the numbers that the inputs may be
    Floating {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random programs with inputs, with and without going both ways of branches at once, against their native build
    Merging {
        /// How many programs to compare
        #[arg(long, default_value_t = 300)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which they differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random programs and libraries with and without summaries of what they call
    Summaries {
        /// How many programs to compare
        #[arg(long, default_value_t = 200)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which the runs differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random sequential programs against their native build
    Sequential {
        /// How many programs to compare
        #[arg(long, default_value_t = 1000)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// The programs in tests/corpus-libc, and random calls with numbers: raddle's C library against the system's
    Library {
        /// How many random programs to compare
        #[arg(long, default_value_t = 100)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put programs on which the two differ
        #[arg(long, default_value = "target/oracle")]
        keep: PathBuf,
    },
    /// Random formulas of quotients, remainders and products against trying all values, of 4 to 8 bits
    Arithmetic {
        /// How many formulas to compare
        #[arg(long, default_value_t = 100_000)]
        count: u64,
        /// The first seed
        #[arg(long, default_value_t = 0)]
        seed: u64,
    },
    /// Builds and runs the generated test of every race in tests/ui, and of every client, under ThreadSanitizer
    Confirm(confirm::ConfirmOptions),
    /// The generated CUDA test of every finding of a kernel in tests/ui/gpu: raddle finds the same in it, and not in its twin. Needs no GPU
    CudaTests(cuda_tests::CudaTestsOptions),
    /// Follows the violation witness of the first race of every program in tests/ui natively, under ThreadSanitizer
    Sequences(sequences::SequencesOptions),
    /// Builds and runs the suites of `raddle cover`: by clang's own coverage each test takes what it is for
    Suite(suite::SuiteOptions),
    /// Replays recorded queries against every backend; they must agree. Prints seconds per file, and their geometric mean
    SolverBench {
        /// Files that `--solver-log` wrote, or these compressed with gzip. Default: the stored ones
        files: Vec<PathBuf>,
        /// How often each file is replayed; the fastest counts
        #[arg(long, default_value_t = 3)]
        runs: u32,
    },
    /// Damaged input for everything that reads files: witness, toml, rir, ir-text, cache, ll, bc, or all
    Fuzz {
        /// The reader
        target: String,
        /// How long, for each reader
        #[arg(long, default_value_t = 120)]
        seconds: u64,
        /// Names the inputs
        #[arg(long, default_value_t = 0)]
        seed: u64,
        /// Where to put inputs that were neither accepted nor refused
        #[arg(long, default_value = "target/fuzz")]
        keep: PathBuf,
    },
    /// The annotated races of bench/ssrd by ThreadSanitizer on random calls, by raddle with one shape, and with all shapes
    Tables(ssrd::TablesOptions),
    /// The annotated races of bench/ssrd against every concrete heap and schedule, by a runtime that shares no code with raddle
    Oracle(ssrd::OracleOptions),
    /// What mends the causes of bench/ssrd and of the demo, each patch looked at by itself; and mutants of these patches
    Remedies(remedies::RemediesOptions),
    /// Edits of bench/ssrd, generated ones and those of the project's history: what raddle says with the results of earlier runs
    /// must be what it says without
    Edits(edits::EditsOptions),
    /// A folder of SV-COMP's tasks: verdicts against the expected ones, by group
    Svcomp(svcomp::SvcompOptions),
    /// Random libraries with sequential tests: what `raddle synth` exposes against every client of few calls
    Synth(synth::SynthOptions),
    /// `raddle synth` on the nine libraries of bench/narada: the table of what races, and what races do
    Narada(narada::NaradaOptions),
    /// `raddle gpu` on the four data structures of bench/dsgen, their 25 races and their mutants, beside the paper's tables
    Dsgen(dsgen::DsgenOptions),
    /// Two builds of raddle on all of tests/ui: what they print and write must be the same, but for times and memory
    Same(same::SameOptions),
    /// `--cluster hq`: equal reports, faults, and what sharing costs
    Cluster(cluster::ClusterOptions),
    /// Plants bugs in a copy of the tree; the oracles or the tests must notice every one
    Mutants {
        /// Only bugs whose names contain one of these
        filters: Vec<String>,
        #[command(flatten)]
        looking: mutants::Looking,
    },
}

fn main() -> ExitCode {
    let result = match Args::parse().command {
        Command::Programs { count, seed, keep, preemptions } => programs::run(count, seed, &keep, preemptions),
        Command::Libraries { count, seed, keep, threads, calls, globals_initial, preemptions, only } => {
            let extent = Extent { threads, calls, globals_initial, preemptions };
            libraries::run(count, seed, &keep, (extent, &only))
        }
        Command::Clients { count, seed, keep, before, only } => clients::run(count, seed, &keep, (before, &only)),
        Command::Results { count, seed, keep } => results::run(count, seed, &keep),
        Command::ByPointer(options) => by_pointer::run(&options),
        Command::Options { programs, libraries, seed, keep } => options::run([programs, libraries], seed, &keep),
        Command::Weak { count, seed, keep } => weak::run(count, seed, &keep),
        Command::Floating { count, seed, keep } => floating::run(count, seed, &keep),
        Command::Merging { count, seed, keep } => merging::run(count, seed, &keep),
        Command::Conditions { count, seed, keep } => conditions::run(count, seed, &keep),
        Command::Flows { count, seed, keep } => flows::run(count, seed, &keep),
        Command::Kernels { count, seed, keep } => kernels::run(count, seed, &keep),
        Command::Endless { count, seed, keep, unfolding } => {
            endless::run(count, seed, &keep, endless::strategies()[usize::from(unfolding)])
        }
        Command::Remaining { count, seed, ratios } => remaining::run(count, seed, ratios),
        Command::Interference { count, seed, keep, variants, def_use } => {
            let how = match (variants, def_use) {
                (true, _) => interference::How::Variants,
                (false, true) => interference::How::DefUse,
                (false, false) => interference::How::Plain,
            };
            interference::run(count, seed, &keep, how)
        }
        Command::Rc11 { programs, folder, repeat, seconds } => rc11::run(&folder, &programs, repeat, seconds),
        Command::Con2colic { programs, folder, no_guidance, no_priorities, duplicates, no_subsumption, seconds } => {
            let options = explore::CoverOptions {
                guidance: !no_guidance,
                priorities: !no_priorities,
                no_duplicates: !duplicates,
                subsumption: !no_subsumption,
                ..explore::CoverOptions::default()
            };
            con2colic::run(&folder, &programs, options, seconds)
        }
        Command::Clocks { count, seed, keep } => clocks::run(count, seed, &keep),
        Command::Summaries { count, seed, keep } => summaries::run(count, seed, &keep),
        Command::Sequential { count, seed, keep } => sequential::run(count, seed, &keep),
        Command::Library { count, seed, keep } => library::run(count, seed, &keep),
        Command::Arithmetic { count, seed } => arithmetic::run(count, seed),
        Command::Confirm(options) => confirm::run(&options),
        Command::CudaTests(options) => cuda_tests::run(&options),
        Command::Sequences(options) => sequences::run(&options),
        Command::Suite(options) => suite::run(&options),
        Command::SolverBench { files, runs } => solver_bench::run(files, runs),
        Command::Fuzz { target, seconds, seed, keep } => fuzz::run(&target, Duration::from_secs(seconds), seed, &keep),
        Command::Tables(options) => ssrd::run_tables(&options),
        Command::Oracle(options) => ssrd::run_oracle(&options),
        Command::Remedies(options) => remedies::run(&options),
        Command::Edits(options) => edits::run(&options),
        Command::Svcomp(options) => svcomp::run(&options),
        Command::Synth(options) => synth::run(&options),
        Command::Narada(options) => narada::run(&options),
        Command::Dsgen(options) => dsgen::run(&options),
        Command::Same(options) => same::run(&options),
        Command::Cluster(options) => cluster::run(&options),
        Command::Mutants { filters, looking } => mutants::run(&filters, &looking),
    };
    match result {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
