//! What a command reads, and which files it writes its report to.

use crate::violation::Violation;
use clap::Args;
use std::path::PathBuf;
use witness::format::SourceFlags;

/// The program.
#[derive(Debug, Args)]
pub(crate) struct Input {
    /// C sources, LLVM assembly or bitcode (.c, .i, .ll, .bc)
    #[arg(required_unless_present = "database", value_name = "SOURCE")]
    pub(crate) sources: Vec<PathBuf>,
    /// A compilation database (compile_commands.json), or its directory: sources get their flags from it; without sources,
    /// all that it has
    #[arg(short = 'p', long = "compile-commands", value_name = "PATH")]
    pub(crate) database: Option<PathBuf>,
    /// The sizes of types: ilp32, with 32-bit longs and pointers, or lp64 [default: the machine's]
    #[arg(long, value_enum, value_name = "MODEL")]
    pub(crate) data_model: Option<DataModel>,
    /// Flags for clang
    #[arg(last = true, value_name = "CLANG_FLAGS")]
    pub(crate) clang_flags: Vec<String>,
    /// Of each source, where its database's flags differ
    #[arg(skip)]
    pub(crate) own_flags: Vec<SourceFlags>,
}

/// The sizes of types.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub(crate) enum DataModel {
    /// `int`, `long` and pointers of 32 bits.
    Ilp32,
    /// `long` and pointers of 64 bits.
    Lp64,
}

impl DataModel {
    /// The flag that makes clang compile for it.
    pub(crate) fn flag(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "-m32",
            DataModel::Lp64 => "-m64",
        }
    }
}

/// Files that the report is written to as well, or compared with.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Files")]
pub(crate) struct Files {
    /// Write the findings as SARIF 2.1.0, for code scanning
    #[arg(long, value_name = "FILE")]
    pub(crate) sarif: Option<PathBuf>,
    /// Write the results as JUnit XML: a test case for each combination of operations, or for the program
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,
    /// Write the report as one HTML page: the combinations of operations, and each finding with its heap, its schedule against the
    /// source, and its C test
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Draw each finding's heap and schedule: R1.svg, R2.svg, ... in this directory
    #[arg(long, value_name = "DIR")]
    pub(crate) svg: Option<PathBuf>,
    /// An earlier report of this program's (--format json): what it has is known, and only what is new counts for verdict and exit code.
    /// Of cover also the folder of a suite of an earlier version: its tests are run again, and only what they miss is looked for
    #[arg(long, value_name = "REPORT.json")]
    pub(crate) baseline: Option<PathBuf>,
    /// Which ways at branches are covered.
    #[arg(skip)]
    pub(crate) lcov: Option<PathBuf>,
    /// The unfolding, as a picture or as JSON.
    #[arg(skip)]
    pub(crate) unfolding: Option<PathBuf>,
    /// The first finding for the tools of SV-COMP.
    #[arg(skip)]
    pub(crate) violation: Option<Violation>,
}
