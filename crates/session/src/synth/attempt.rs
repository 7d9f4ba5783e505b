//! Clients as programs: compiled, explored with all schedules, made small.

use super::batch::{self, Batch, Batched};
use super::race::Race;
use super::source::{self, Makes, Prelude};
use super::{IN_A_FILE, frameworks, in_parallel};
use crate::analysis::{self, Outcomes};
use crate::budget::Budget;
use crate::errors::StoppedEarly;
use crate::frontend;
use crate::options::{CheckOptions, NativeTests, SearchRequest, Summaries};
use crate::progress::{Asked, Silent};
use crate::run::Run;
use crate::runs::Folder;
use crate::solver::SolverOptions;
use explore::Enough;
use report::{Finding, FindingKind, LedgerLine, Report};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use synth::client::Client;
use synth::plan::{Planned, Planner};
use witness::format::SourceFlags;

/// The longest that one client is explored, whatever the machine does meanwhile.
const LONGEST: Duration = Duration::from_secs(60);

/// How far a client is explored, in steps of the search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Reach {
    /// Of calls whose numbers are inputs: what there is of ways that numbers can lead is many times what one call with numbers has, and what
    /// races for some does so soon.
    Numbers,
    /// Each client of each two functions: most races show in the first executions, and most clients have few.
    First,
    /// Where it is written, so that what showed shows again.
    Again,
    /// All outcomes of one that shows a race.
    Outcomes,
    /// Where no client of the two functions has shown a race, and one was not explored whole.
    Far,
}

impl Reach {
    /// Somewhat further, so that what showed shows again in another file.
    pub(super) fn again(self) -> Reach {
        match self {
            Reach::Numbers | Reach::First | Reach::Again => Reach::Again,
            Reach::Outcomes | Reach::Far => Reach::Far,
        }
    }

    fn steps(self) -> u64 {
        match self {
            Reach::Numbers => 1 << 9,
            Reach::First => 1 << 12,
            Reach::Again => 1 << 13,
            Reach::Outcomes => 1 << 14,
            Reach::Far => 1 << 15,
        }
    }
}

/// What is to be seen of a client; if it was, that is the end.
#[derive(Clone, Copy)]
pub(super) enum Wanted<'r> {
    /// All that there is.
    All,
    These(&'r BTreeSet<Race>),
    /// A race.
    One,
}

/// All that exploring clients takes, for whoever does it.
pub(super) struct Explorer {
    /// The library.
    sources: Vec<PathBuf>,
    clang_flags: Vec<String>,
    library_flags: Vec<SourceFlags>,
    directory: Option<PathBuf>,
    start: PathBuf,
    budget: Budget,
    solver: SolverOptions,
    check: CheckOptions,
    tests: Vec<TestSource>,
    /// What the library is compiled to.
    kept: tempfile::TempDir,
}

/// A test's file.
struct TestSource {
    path: PathBuf,
    /// Its lines that include headers.
    includes: Vec<String>,
    /// Flags that it is compiled with beside the library's.
    flags: Vec<String>,
}

/// Why a client was not explored.
pub(super) enum Untried {
    /// It does not compile; why.
    Refused(String),
    /// There was no time to compile it.
    Stopped,
}

/// What was seen of a client.
pub(super) struct Seen {
    pub races: BTreeSet<Race>,
    /// It has more schedules than were explored.
    pub is_cut: bool,
    pub ledger: Vec<LedgerLine>,
    /// What else goes wrong in it: behind that nothing is known.
    pub failure: Option<String>,
    pub executions: u64,
}

/// A client that was explored in its own file.
pub(super) struct Explored {
    /// Its races, replayed, each with its witness's text.
    pub races: Vec<(Finding, String)>,
    pub executions: u64,
    pub module: Box<ir::Module>,
}

impl Explorer {
    pub(super) fn new(run: &Run, check: CheckOptions, tests: &[&Path]) -> anyhow::Result<Self> {
        let start = run.start()?;
        let test = |test: &&Path| -> anyhow::Result<TestSource> {
            let path = std::path::absolute(start.join(test)).unwrap_or_else(|_| start.join(test));
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let is_ordinary = !frameworks::is_used_by(&text);
            let flags = if is_ordinary { Vec::new() } else { frameworks::flags(&path)? };
            Ok(TestSource { includes: source::includes(&path, &text), path, flags })
        };
        Ok(Explorer {
            sources: run.sources.clone(),
            clang_flags: run.clang_flags.clone(),
            library_flags: run.own_flags.clone(),
            directory: run.directory.clone(),
            start: start.clone(),
            budget: run.budget.clone(),
            solver: run.solver.clone(),
            check,
            tests: tests.iter().map(test).collect::<anyhow::Result<_>>()?,
            kept: tempfile::tempdir()?,
        })
    }

    /// Explores a client, whose program is written to a file.
    pub(super) fn explore(
        &self,
        client: &Client,
        title: &str,
        (file, reach): (&Path, Reach),
    ) -> anyhow::Result<Result<Explored, Untried>> {
        let mut refused = String::new();
        for prelude in self.preludes(client) {
            std::fs::write(file, source::source(client, &prelude, title))?;
            match self.compile(file, &prelude)? {
                Compiled::Module(module) => return Ok(Ok(self.search(module, (file, &prelude), reach)?)),
                Compiled::Refused(why) => refused = why,
                Compiled::Stopped => return Ok(Err(Untried::Stopped)),
            }
        }
        Ok(Err(Untried::Refused(refused)))
    }

    /// The program of several sequential clients, whose variables have different names, if it compiles; the main function of each.
    pub(super) fn compile_several(
        &self,
        clients: &[Client],
        file: &Path,
    ) -> anyhow::Result<Option<(ir::Module, Vec<ir::FuncId>)>> {
        let tests = clients.iter().flat_map(|client| client.tests.iter().copied()).collect();
        let Some(first) = clients.first() else { return Ok(None) };
        let Some(prelude) = self.preludes(&Client { tests, ..first.clone() }).into_iter().next() else {
            return Ok(None);
        };
        std::fs::write(file, source::several(clients, &prelude))?;
        let Compiled::Module(module) = self.compile(file, &prelude)? else { return Ok(None) };
        let main = |number| module.functions_named(&source::main_of(number)).next();
        let mains = (0..clients.len()).filter_map(main).collect();
        Ok(Some((*module, mains)))
    }

    /// Compiles clients, those together that need the same of the tests' sources.
    pub(super) fn planned(
        &self,
        planner: &Planner,
        chosen: &[&Planned],
        (scratch, workers): (&Path, usize),
    ) -> anyhow::Result<Vec<Result<Batched, Untried>>> {
        let mut alike: BTreeMap<&BTreeSet<usize>, Vec<usize>> = BTreeMap::new();
        for (number, planned) in chosen.iter().enumerate() {
            alike.entry(&planned.client.sources).or_default().push(number);
        }
        // As many in each file as in the others.
        let files: Vec<&[usize]> = alike
            .values()
            .flat_map(|numbers| numbers.chunks(numbers.len().div_ceil(numbers.len().div_ceil(IN_A_FILE))))
            .collect();
        let beside = |(suffix, &number): (usize, &usize)| {
            planner.beside(chosen[number], &format!("_{suffix}")).map_err(anyhow::Error::msg)
        };
        let clients = |numbers: &&[usize]| numbers.iter().enumerate().map(beside).collect::<anyhow::Result<Vec<_>>>();
        let texts: Vec<Vec<Client>> = files.iter().map(clients).collect::<anyhow::Result<_>>()?;
        let batches = in_parallel(workers, files.len(), |file| {
            self.batch(&texts[file], &scratch.join(format!("{}{file}.c", batch::FILE)))
        });
        let mut compiled: BTreeMap<usize, Result<Batched, Untried>> = BTreeMap::new();
        for (numbers, batch) in files.into_iter().zip(batches) {
            compiled.extend(numbers.iter().copied().zip(batch?));
        }
        Ok(compiled.into_values().collect())
    }

    /// Compiles clients, whose variables have different names, in one file. What becomes of each.
    pub(super) fn batch(&self, clients: &[Client], file: &Path) -> anyhow::Result<Vec<Result<Batched, Untried>>> {
        let Some(first) = clients.first() else { return Ok(Vec::new()) };
        let together = Client {
            sources: clients.iter().flat_map(|client| client.sources.iter().copied()).collect(),
            tests: clients.iter().flat_map(|client| client.tests.iter().copied()).collect(),
            ..first.clone()
        };
        let mut refused = String::new();
        for prelude in self.preludes(&together) {
            std::fs::write(file, source::together(clients, &prelude))?;
            match self.compile(file, &prelude)? {
                Compiled::Module(module) => {
                    let batch = Arc::new(Batch { module: *module, prelude, file: file.to_owned() });
                    let client = |number| Ok(Batched { batch: Arc::clone(&batch), number });
                    return Ok((0..clients.len()).map(client).collect());
                }
                Compiled::Refused(why) => refused = why,
                Compiled::Stopped => return Ok(clients.iter().map(|_| Err(Untried::Stopped)).collect()),
            }
        }
        if clients.len() == 1 {
            return Ok(vec![Err(Untried::Refused(refused))]);
        }
        // One of them is to blame.
        let mut all = Vec::new();
        for client in clients {
            all.extend(self.batch(std::slice::from_ref(client), file)?);
        }
        Ok(all)
    }

    /// Explores one of several clients, without some of its statements.
    pub(super) fn explore_in(
        &self,
        client: &Batched,
        left_out: &BTreeSet<usize>,
        (reach, wanted): (Reach, Wanted<'_>),
    ) -> anyhow::Result<Seen> {
        let Batch { file, prelude, .. } = &*client.batch;
        let scratch = tempfile::tempdir()?;
        let run = self.run_of((file, prelude), &scratch.path().join("out"), reach);
        let enough = match wanted {
            Wanted::All => None,
            Wanted::One => Some(Enough::new(|key| Race::found(key).is_some())),
            Wanted::These(wanted) => {
                let left = Mutex::new(wanted.clone());
                Some(Enough::new(move |key| {
                    let mut left = left.lock().unwrap_or_else(PoisonError::into_inner);
                    Race::found(key).is_some_and(|race| left.remove(&race)) && left.is_empty()
                }))
            }
        };
        let seen = analysis::look(client.module(Makes::Both, left_out), &self.check, enough, &run)?;
        Ok(Seen {
            races: seen.races.iter().filter_map(Race::found).filter(|race| !self.is_of_tests(race)).collect(),
            is_cut: seen.is_cut && self.budget.stopped().is_none(),
            ledger: seen.ledger,
            failure: seen.failures.into_iter().next(),
            executions: seen.executions,
        })
    }

    /// Whether both sides are the tests' own code: callbacks, which the library calls.
    fn is_of_tests(&self, race: &Race) -> bool {
        let start = self.directory.as_deref().unwrap_or(&self.start);
        let is_test = |file: &&str| {
            let path = start.join(file);
            let path = path.canonicalize().unwrap_or(path);
            self.tests.iter().any(|test| test.path == path || test.path.canonicalize().is_ok_and(|test| test == path))
        };
        race.files().iter().all(is_test)
    }

    /// How a client may come to what it names, the shortest first.
    fn preludes(&self, client: &Client) -> Vec<Prelude> {
        // What raddle's own tests call is what the others do.
        let known = |tests: &BTreeSet<usize>| -> Vec<&TestSource> {
            let is_known = tests.iter().all(|&test| test < self.tests.len());
            (0..self.tests.len())
                .filter(|test| !is_known || tests.contains(test))
                .map(|test| &self.tests[test])
                .collect()
        };
        // A file may have several tests.
        let paths = |tests: &BTreeSet<usize>| {
            let mut paths: Vec<PathBuf> = Vec::new();
            for test in known(tests) {
                if !paths.contains(&test.path) {
                    paths.push(test.path.clone());
                }
            }
            paths
        };
        if !client.sources.is_empty() {
            return vec![Prelude::Sources(paths(&client.sources))];
        }
        let mut lines: Vec<String> = Vec::new();
        for line in known(&client.tests).into_iter().flat_map(|test| &test.includes) {
            if !lines.contains(line) {
                lines.push(line.clone());
            }
        }
        vec![Prelude::Headers(lines), Prelude::Sources(paths(&client.tests))]
    }

    /// The flags of a client and of the library's sources, if they differ.
    fn own_flags(&self, prelude: &Prelude) -> Vec<SourceFlags> {
        let more: Vec<String> = match prelude {
            Prelude::Headers(_) => Vec::new(),
            Prelude::Sources(sources) => {
                let of = |path: &PathBuf| self.tests.iter().find(|test| test.path == *path).map(|test| &test.flags);
                let mut all: Vec<String> = sources.iter().filter_map(of).flatten().cloned().collect();
                // The second of two tests of one framework's needs no more than the first.
                let is_same = sources.iter().filter_map(of).all(|flags| Some(flags) == sources.first().and_then(of));
                if is_same {
                    all.truncate(sources.first().and_then(of).map_or(0, Vec::len));
                }
                all
            }
        };
        if more.is_empty() && self.library_flags.is_empty() {
            return Vec::new();
        }
        let directory = self.directory.as_deref().unwrap_or(&self.start).display().to_string();
        let plain = || SourceFlags { directory: directory.clone(), flags: self.clang_flags.clone() };
        // A client is compiled as the first of the library's sources is.
        let mut first = self.library_flags.first().cloned().unwrap_or_else(plain);
        first.flags.extend(more);
        let mut all = vec![first];
        all.extend(self.library_flags.iter().cloned());
        all.resize_with(self.sources.len() + 1, plain);
        all
    }

    /// What a client is compiled and explored as.
    fn run_of(&self, (file, prelude): (&Path, &Prelude), out: &Path, reach: Reach) -> Run {
        let deadline = [self.budget.deadline, Some(Instant::now() + LONGEST)].into_iter().flatten().min();
        Run {
            sources: std::iter::once(file.to_owned()).chain(self.sources.iter().cloned()).collect(),
            cuda: None,
            clang_flags: self.clang_flags.clone(),
            own_flags: self.own_flags(prelude),
            directory: Some(self.directory.clone().unwrap_or_else(|| self.start.clone())),
            folder: Rc::new(Folder::new(out, Vec::new())),
            budget: Budget { deadline, steps: Some(reach.steps()), ..self.budget.clone() },
            workers: NonZeroUsize::MIN,
            solver: self.solver.clone(),
            summaries: Summaries::default(),
            native_tests: NativeTests::Never,
            remedies: false,
            started: Instant::now(),
            progress: Box::new(Silent),
            asked: Asked::default(),
            suppressions: Vec::new(),
            baseline: None,
            quotes_tests: false,
            store: None,
            names_of: Some(file.to_owned()),
            apart: false,
            typed: Vec::new(),
        }
    }

    fn compile(&self, file: &Path, prelude: &Prelude) -> anyhow::Result<Compiled> {
        let run = self.run_of((file, prelude), Path::new(""), Reach::First);
        let strict = "-Werror=implicit-function-declaration".to_owned();
        let flags: Vec<String> = run.clang_flags.iter().cloned().chain([strict]).collect();
        let directory = run.directory.as_deref();
        match frontend::compile_beside(self.kept.path(), directory, &run.sources, &flags, &run.own_flags, &run.budget) {
            Ok(module) => Ok(Compiled::Module(Box::new(module))),
            Err(error) if error.is::<StoppedEarly>() => Ok(Compiled::Stopped),
            Err(error) => Ok(Compiled::Refused(super::compiler_says(&error.to_string()))),
        }
    }

    /// What all schedules of one of several clients come to.
    pub(super) fn outcomes(&self, module: ir::Module, batch: &Batch) -> anyhow::Result<Outcomes> {
        let scratch = tempfile::tempdir()?;
        let run = self.run_of((&batch.file, &batch.prelude), &scratch.path().join("out"), Reach::Outcomes);
        analysis::outcomes(module, &self.check, &run)
    }

    fn search(
        &self,
        module: Box<ir::Module>,
        (file, prelude): (&Path, &Prelude),
        reach: Reach,
    ) -> anyhow::Result<Explored> {
        let scratch = tempfile::tempdir()?;
        let run = self.run_of((file, prelude), &scratch.path().join("out"), reach);
        let request = SearchRequest::Check(self.check.clone());
        let Report { findings, stats, .. } = analysis::search((*module).clone(), &request, &run, None, None)?;
        let mut races = Vec::new();
        for finding in findings {
            if let (FindingKind::DataRace, Some(witness), None) = (finding.kind, &finding.witness, &finding.unconfirmed)
            {
                let text = std::fs::read_to_string(witness)?;
                races.push((finding, text));
            }
        }
        Ok(Explored { races, executions: stats.executions, module })
    }

    /// The client without the statements before the two calls that some races do not need, and which those are. `reach`: they show so.
    pub(super) fn smallest(
        &self,
        (client, batched, reach): (&Client, &Batched, Reach),
        wanted: &BTreeSet<Race>,
    ) -> anyhow::Result<(Client, BTreeSet<usize>)> {
        let shows = |left_out: &BTreeSet<usize>| -> anyhow::Result<bool> {
            Ok(self.explore_in(batched, left_out, (reach, Wanted::These(wanted)))?.races.is_superset(wanted))
        };
        // Most calls are not needed: all that makes nothing is left out at once first, if that is much.
        let all = 0..client.before.len();
        let mut left_out: BTreeSet<usize> = all.clone().filter(|&index| client.before[index].makes.is_none()).collect();
        if !left_out.is_empty() && !shows(&left_out)? {
            left_out.clear();
        }
        for index in all.rev() {
            let least = client.only(|other| !left_out.contains(&other));
            let place = index - left_out.range(..index).count();
            if left_out.contains(&index) || least.is_used(place) || self.budget.stopped().is_some() {
                continue;
            }
            left_out.insert(index);
            if !shows(&left_out)? {
                left_out.remove(&index);
            }
        }
        Ok((client.only(|index| !left_out.contains(&index)), left_out))
    }
}

/// What came of compiling.
enum Compiled {
    Module(Box<ir::Module>),
    Refused(String),
    Stopped,
}
