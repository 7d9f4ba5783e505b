//! What every analysis of a program needs beside the program.

use crate::budget::Budget;
use crate::clang_flags;
use crate::frontend;
use crate::options::{NativeTests, Summaries};
use crate::progress::{Asked, Progress};
use crate::runs::Folder;
use crate::solver::SolverOptions;
use crate::sources;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Instant;
use witness::format::SourceFlags;

/// Which sides of a CUDA program are looked at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CudaSides {
    /// The device's alone: kernels.
    Device,
    /// The host's as well, where it has a `main`.
    Both,
}

/// One run on one program. What the command line says beside what is searched for, one field for each thing that it says.
pub struct Run {
    /// As typed.
    pub sources: Vec<PathBuf>,
    /// What is looked at of them, if they are CUDA.
    pub cuda: Option<CudaSides>,
    pub clang_flags: Vec<String>,
    /// Of each source, where they differ; else empty. `clang_flags` are among them.
    pub own_flags: Vec<SourceFlags>,
    /// Where relative sources start; `None`: in the current directory. Names in reports are relative to it.
    pub directory: Option<PathBuf>,
    /// Where witnesses go.
    pub folder: Rc<Folder>,
    pub budget: Budget,
    pub workers: NonZeroUsize,
    pub solver: SolverOptions,
    pub summaries: Summaries,
    pub native_tests: NativeTests,
    /// Remedies are tried for what is found.
    pub remedies: bool,
    /// When raddle was started: what a run takes includes compiling.
    pub started: Instant,
    pub progress: Box<dyn Progress>,
    /// What the progress line says of questions to the solver.
    pub asked: Asked,
    /// From `raddle.toml`.
    pub suppressions: Vec<report::Suppression>,
    /// An earlier report to compare with.
    pub baseline: Option<Rc<report::Baseline>>,
    /// Findings come with the text of their tests, for a report that quotes it.
    pub quotes_tests: bool,
    /// Where results are kept from one run to the next, if they are.
    pub store: Option<PathBuf>,
    /// Reports call the variables of this file's objects by their names: those of a client, which holds what a library makes.
    pub names_of: Option<PathBuf>,
    /// What was typed to begin this search.
    pub typed: Vec<String>,
    /// What is left of the search is for others: only what is known of it is reported.
    pub apart: bool,
}

impl Run {
    /// Where relative sources start.
    ///
    /// # Errors
    /// When there is no current directory.
    pub fn start(&self) -> std::io::Result<PathBuf> {
        self.directory.clone().map_or_else(std::env::current_dir, Ok)
    }

    /// Compiles and lowers the sources.
    ///
    /// # Errors
    /// [`crate::errors::UsageError`] for flags that clang is not to get, [`crate::errors::InputError`] for what the
    /// sources or the compiler are to blame for, and [`crate::errors::StoppedEarly`].
    pub fn module(&self) -> anyhow::Result<ir::Module> {
        let directory = self.directory.as_deref();
        clang_flags::check(&self.clang_flags)?;
        self.own_flags.iter().try_for_each(|own| clang_flags::check(&own.flags))?;
        sources::check(directory, &self.sources, self.cuda.is_some())?;
        let (sources, flags, own) = (&self.sources, &self.clang_flags, &self.own_flags);
        match self.cuda {
            Some(sides) => frontend::compile_cuda(sides, directory, sources, flags, own, &self.budget),
            None => frontend::compile(directory, sources, flags, own, &self.budget),
        }
    }
}
