//! Clients as programs: compiled, explored with all schedules, made small.

use super::source::{self, Prelude};
use crate::analysis;
use crate::budget::Budget;
use crate::errors::StoppedEarly;
use crate::frontend;
use crate::options::{CheckOptions, NativeTests, SearchRequest, Summaries};
use crate::progress::{Asked, Silent};
use crate::run::Run;
use crate::runs::Folder;
use crate::solver::SolverOptions;
use report::{Finding, FindingKind, LedgerLine, Report};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};
use synth::client::Client;
use witness::format::SourceFlags;

/// The longest that one client is explored.
const LONGEST: Duration = Duration::from_secs(20);

/// All that exploring clients takes, for whoever does it.
pub(super) struct Explorer {
    /// The library.
    sources: Vec<PathBuf>,
    clang_flags: Vec<String>,
    own_flags: Vec<SourceFlags>,
    directory: Option<PathBuf>,
    start: PathBuf,
    budget: Budget,
    solver: SolverOptions,
    check: CheckOptions,
    tests: Vec<TestSource>,
}

/// A test's file.
struct TestSource {
    path: PathBuf,
    /// Its lines that include headers.
    includes: Vec<String>,
}

/// What came of a client.
pub(super) enum Tried {
    /// It was explored.
    Ran(Explored),
    /// It does not compile; why.
    Refused(String),
    /// There was no time to compile it.
    Stopped,
}

/// A client that was explored.
pub(super) struct Explored {
    /// Its races, each with its witness's text.
    pub races: Vec<(Finding, String)>,
    pub ledger: Vec<LedgerLine>,
    pub executions: u64,
    /// How it came to what it names.
    pub prelude: Prelude,
}

impl Explorer {
    pub(super) fn new(run: &Run, check: CheckOptions, tests: &[&Path]) -> anyhow::Result<Self> {
        let start = run.start()?;
        let test = |test: &&Path| {
            let path = std::path::absolute(start.join(test)).unwrap_or_else(|_| start.join(test));
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            TestSource { includes: source::includes(&path, &text), path }
        };
        Ok(Explorer {
            sources: run.sources.clone(),
            clang_flags: run.clang_flags.clone(),
            // A client is compiled as the first of the library's sources is.
            own_flags: run.own_flags.first().into_iter().chain(&run.own_flags).cloned().collect(),
            directory: run.directory.clone(),
            start: start.clone(),
            budget: run.budget.clone(),
            solver: run.solver.clone(),
            check,
            tests: tests.iter().map(test).collect(),
        })
    }

    /// Explores a client, whose program is written to a file. `known`: how a client like it comes to what it names.
    pub(super) fn explore(
        &self,
        client: &Client,
        title: &str,
        file: &Path,
        known: Option<&Prelude>,
    ) -> anyhow::Result<Tried> {
        let mut refused = String::new();
        let preludes = known.map_or_else(|| self.preludes(client), |known| vec![known.clone()]);
        for prelude in preludes {
            std::fs::write(file, source::source(client, &prelude, title))?;
            match self.run_client(file, prelude)? {
                Tried::Refused(why) => refused = why,
                other => return Ok(other),
            }
        }
        Ok(Tried::Refused(refused))
    }

    /// Whether both sides are the tests' own code: callbacks, which the library calls.
    pub(super) fn is_of_tests(&self, finding: &Finding) -> bool {
        let start = self.directory.as_deref().unwrap_or(&self.start);
        let is_test = |file: &str| {
            let path = start.join(file);
            let path = path.canonicalize().unwrap_or(path);
            self.tests.iter().any(|test| test.path == path || test.path.canonicalize().is_ok_and(|test| test == path))
        };
        finding.accesses.iter().all(|access| is_test(&access.location.file))
    }

    /// How a client may come to what it names, the shortest first.
    fn preludes(&self, client: &Client) -> Vec<Prelude> {
        let paths = |tests: &std::collections::BTreeSet<usize>| -> Vec<PathBuf> {
            tests.iter().map(|&test| self.tests[test].path.clone()).collect()
        };
        if !client.sources.is_empty() {
            return vec![Prelude::Sources(paths(&client.sources))];
        }
        let mut lines: Vec<String> = Vec::new();
        for line in client.tests.iter().flat_map(|&test| &self.tests[test].includes) {
            if !lines.contains(line) {
                lines.push(line.clone());
            }
        }
        vec![Prelude::Headers(lines), Prelude::Sources(paths(&client.tests))]
    }

    /// What a client is compiled and explored as.
    pub(super) fn run_of(&self, file: &Path, out: &Path) -> Run {
        let deadline = [self.budget.deadline, Some(Instant::now() + LONGEST)].into_iter().flatten().min();
        Run {
            sources: std::iter::once(file.to_owned()).chain(self.sources.iter().cloned()).collect(),
            clang_flags: self.clang_flags.clone(),
            own_flags: self.own_flags.clone(),
            directory: Some(self.directory.clone().unwrap_or_else(|| self.start.clone())),
            folder: Rc::new(Folder::new(out, Vec::new())),
            budget: Budget { deadline, ..self.budget.clone() },
            workers: NonZeroUsize::MIN,
            solver: self.solver.clone(),
            summaries: Summaries::default(),
            native_tests: NativeTests::Never,
            started: Instant::now(),
            progress: Box::new(Silent),
            asked: Asked::default(),
            suppressions: Vec::new(),
            quotes_tests: false,
            store: None,
            names_of: Some(file.to_owned()),
            typed: Vec::new(),
        }
    }

    fn run_client(&self, file: &Path, prelude: Prelude) -> anyhow::Result<Tried> {
        let scratch = tempfile::tempdir()?;
        let run = self.run_of(file, &scratch.path().join("out"));
        let strict = "-Werror=implicit-function-declaration".to_owned();
        let flags: Vec<String> = run.clang_flags.iter().cloned().chain([strict]).collect();
        let module =
            match frontend::compile(run.directory.as_deref(), &run.sources, &flags, &run.own_flags, &run.budget) {
                Ok(module) => module,
                Err(error) if error.is::<StoppedEarly>() => return Ok(Tried::Stopped),
                Err(error) => return Ok(Tried::Refused(super::first_line(&error.to_string()))),
            };
        let request = SearchRequest::Check(self.check.clone());
        let Report { findings, ledger, stats, .. } = analysis::search(module, &request, &run, None, None)?;
        let mut races = Vec::new();
        for finding in findings {
            if let (FindingKind::DataRace, Some(witness), None) = (finding.kind, &finding.witness, &finding.unconfirmed)
            {
                let text = std::fs::read_to_string(witness)?;
                races.push((finding, text));
            }
        }
        Ok(Tried::Ran(Explored { races, ledger, executions: stats.executions, prelude }))
    }

    /// The client without the calls before the two that some races do not need.
    pub(super) fn minimise(
        &self,
        client: &Client,
        wanted: &dyn Fn(&Explored) -> bool,
        file: &Path,
        prelude: &Prelude,
    ) -> anyhow::Result<Client> {
        let mut least = client.clone();
        let shows = |client: &Client| -> anyhow::Result<bool> {
            if self.budget.stopped().is_some() {
                return Ok(false);
            }
            match self.explore(client, "", file, Some(prelude))? {
                Tried::Ran(explored) => Ok(wanted(&explored)),
                Tried::Refused(_) | Tried::Stopped => Ok(false),
            }
        };
        // Most calls are not needed: all that makes nothing is left out at once first.
        let bare = least.only(|statement| statement.makes.is_some());
        if bare.before.len() < least.before.len() && shows(&bare)? {
            least = bare;
        }
        for index in (0..least.before.len()).rev() {
            if least.is_used(index) {
                continue;
            }
            let less = least.without(index);
            if shows(&less)? {
                least = less;
            }
        }
        Ok(least)
    }
}
