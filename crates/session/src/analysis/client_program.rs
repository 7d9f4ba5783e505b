//! A client as a C program: written, compiled, and run by an engine of its own.

use super::clients::UNSEEN;
use super::confirming::UNBOUNDED;
use super::racing::{absolute, is_at, key_of, position};
use super::reached::of_operations;
use super::session::Session;
use crate::errors::{InputError, first_line};
use crate::frontend::{self, Include, cache_directory};
use crate::out;
use ::clients::{Client, ClientCall};
use explore::{FindingKey, Origin, Position, RootRule, WantedSites, seek};
use ir::{FuncId, GlobalId, LocId, Module};
use machine::{Config, Engine, Forget, Program};
use report::Finding;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use witness::emit::ClientPlan;
use witness::format::SourceFlags;
use witness::{Modes, ProgramRef, Setting, Threads, Witness, concretise, confirm};

/// What came of looking for a client.
pub(super) enum Outcome {
    /// The witness of the race in the client's program.
    Reached { client: report::Client, witness: Box<Witness> },
    /// Why it is not known to be reachable.
    Not(String),
}

/// What came of a client's program.
enum Ran {
    /// The finding's witness in it.
    Shown(Box<Witness>, Rc<ClientProgram>),
    NotShown,
    /// It does not compile; why, in a line.
    Refused(String),
}

/// Programs that are kept for further findings.
const KEPT: usize = 6;

/// Clients' programs that have shown findings: others may show in them as well, and compiling takes longer than all else.
#[derive(Default)]
pub(super) struct ClientPrograms {
    /// How many there have been.
    pub(super) written: usize,
    kept: VecDeque<Rc<ClientProgram>>,
    /// The way to come to the library's functions that has compiled last.
    plan: Option<ClientPlan>,
}

/// A client, and its program as it was compiled.
struct ClientProgram {
    client: Client,
    /// As it is reported; its witness is not known yet.
    reported: report::Client,
    program: Arc<Program>,
    program_ref: ProgramRef,
    main: FuncId,
    /// By site.
    positions: Vec<Position>,
    /// As its own files are called.
    files: BTreeMap<Option<PathBuf>, String>,
}

impl Session {
    /// Writes a client, compiles it, and sees whether the race of a witness shows in it.
    pub(super) fn show_client(
        &mut self,
        finding: &Finding,
        witness: &Witness,
        client: &Client,
    ) -> anyhow::Result<Outcome> {
        let module = &self.engine.program.module;
        let Some(key) = key_of(witness, |access| position(module, access)) else {
            return Ok(Outcome::Not("its positions are not known".to_owned()));
        };
        let visible: Vec<Position> = witness
            .visible_sites
            .iter()
            .map(|site| Position { file: site.file.clone(), line: site.line, column: site.column })
            .collect();
        let [a, b] = [&finding.accesses[0], &finding.accesses[1]]
            .map(|access| format!("{}:{} ({})", access.location.file, access.location.line, access.location.function));
        let title = format!("Builds a heap on which {a} races with {b}.");
        Ok(self.write_and_run(&finding.id, client, (&key, &visible), &title)?.0)
    }

    /// Sees whether a finding shows in a client's program: in one that is there and differs by numbers at most, or in one that is
    /// written.
    pub(super) fn in_client_program(
        &mut self,
        client: &Client,
        shown: (&FindingKey, &[Position]),
    ) -> anyhow::Result<Outcome> {
        let alike = |known: &&Rc<ClientProgram>| known.client.is_alike(client);
        let known: Vec<Rc<ClientProgram>> = self.client_programs.kept.iter().filter(alike).cloned().collect();
        for program in known {
            if let Some(witness) = self.seek_in(&program, shown)? {
                return Ok(Outcome::Reached { client: program.reported.clone(), witness });
            }
        }
        let name = format!("client{}", self.client_programs.written + 1);
        let title = in_words(&self.engine.program.module, client);
        let (outcome, program) = self.write_and_run(&name, client, shown, &title)?;
        if let Some(program) = program {
            let programs = &mut self.client_programs;
            programs.written += 1;
            programs.kept.push_front(program);
            programs.kept.truncate(KEPT);
        }
        Ok(outcome)
    }

    /// Writes a client, compiles it, and sees whether a finding shows in it; its program, if it does. `name`: of its files; `visible`:
    /// where threads are interleaved.
    fn write_and_run(
        &mut self,
        name: &str,
        client: &Client,
        shown: (&FindingKey, &[Position]),
        title: &str,
    ) -> anyhow::Result<(Outcome, Option<Rc<ClientProgram>>)> {
        let (name, witness_name) = (out::client_name(name), out::client_witness_name(name));
        let place = self.files.folder.shown(&name);
        let file = match self.files.folder.path() {
            Ok(folder) => absolute_path(&folder.join(&name)),
            Err(error) => return Ok((self.client_lost(&place, &error), None)),
        };
        let includes = match Include::create(cache_directory().as_deref())? {
            Include::Kept(path) => vec![path],
            Include::Temporary(_) => Vec::new(),
        };
        let mut refused = None;
        for plan in self.plans(client) {
            let (module, of) = (&self.engine.program.module, (&self.files.program_ref, &plan));
            let emit = |file: &Path| witness::emit::emit_client(module, client, of, (file, &includes), title);
            // The file names itself where it stays; the report names it where scripts look, as every equal run does.
            let (Some(emitted), Some(reported)) = (emit(&file), emit(&absolute_path(&place))) else {
                refused.get_or_insert("a type that it has to name has no name".to_owned());
                continue;
            };
            if let Err(error) = self.files.folder.write(&name, &emitted.source) {
                return Ok((self.client_lost(&place, &error), None));
            }
            let story = witness::emit::client_story(module, client).unwrap_or_default();
            let reported = report::Client {
                holds: story.holds,
                before: story.before,
                at_once: story.at_once,
                file: place.display().to_string(),
                witness: self.files.folder.shown(&witness_name).display().to_string(),
                calls: (client.calls.len() + client.threads.len()) as u32,
                program: report::Program {
                    source: reported.source,
                    file: place.display().to_string(),
                    build: reported.build,
                    shared_from: None,
                },
            };
            match self.run_client((client, reported), &file, &plan.included, shown)? {
                Ran::Shown(witness, program) => {
                    self.client_programs.plan = Some(plan);
                    return Ok((Outcome::Reached { client: program.reported.clone(), witness }, Some(program)));
                }
                Ran::NotShown => refused = None,
                // Perhaps in another way.
                Ran::Refused(why) => {
                    refused.get_or_insert(why);
                    continue;
                }
            }
            break;
        }
        let _ = std::fs::remove_file(&file);
        let why = match (refused, self.time.budget.exhausted()) {
            (Some(why), None) => format!("a client is known, but its program does not compile: {why}"),
            (_, Some(_)) => UNSEEN.to_owned(),
            (None, None) => "a client is known, but the race did not show in its program".to_owned(),
        };
        Ok((Outcome::Not(why), None))
    }

    /// A finding that an earlier run has shown in a client's program: its file stays, and no other takes its name.
    pub(super) fn on_client_again(&mut self, client: report::Client, finding: &mut Finding, witness: &Witness) {
        let name = client.file.rsplit('/').next().unwrap_or_default();
        if let Some(number) = out::client_number(name) {
            self.client_programs.written = self.client_programs.written.max(number);
        }
        let source = self.files.folder.path().and_then(|folder| std::fs::read_to_string(folder.join(name)));
        // A client without its text is still one.
        let source = source.unwrap_or_default();
        let build = source.lines().next().and_then(|line| line.strip_prefix("// build: ")).unwrap_or_default();
        let program = report::Program { build: build.to_owned(), source, file: client.file.clone(), shared_from: None };
        let module = &self.engine.program.module;
        if let Some(key) = key_of(witness, |access| position(module, access)) {
            self.found.on_clients.insert(key, self.found.confirmed.len());
        }
        let called =
            |call: &String| call.split('(').next().and_then(|text| text.split(' ').next_back()).map(str::to_owned);
        let names: Vec<String> = client.at_once.iter().filter_map(called).collect();
        finding.client = Some(report::Client { program, ..client });
        of_operations(finding, &names);
    }

    /// The ways in which a client's program may come to the library's functions; the one that compiled last comes first.
    fn plans(&self, client: &Client) -> Vec<ClientPlan> {
        let mut plans = witness::emit::client_plans(&self.engine.program.module, client, &self.files.program_ref);
        plans.sort_by_key(|plan| self.client_programs.plan.as_ref() != Some(plan));
        plans
    }

    /// A client whose program cannot be written.
    fn client_lost(&self, file: &Path, error: &std::io::Error) -> Outcome {
        self.lose(file, &error.to_string());
        Outcome::Not(format!("a client is known, but {} cannot be written: {error}", file.display()))
    }

    /// Compiles a client's program, of which these sources are a part, and looks for a finding in it.
    fn run_client(
        &mut self,
        (client, reported): (&Client, report::Client),
        file: &Path,
        included: &[String],
        shown: (&FindingKey, &[Position]),
    ) -> anyhow::Result<Ran> {
        let program_ref = self.program_of_client(file, included);
        // As a replay compiles it: what a source is called may stand in the program (`__FILE__`).
        let sources: Vec<PathBuf> = program_ref.names().iter().map(PathBuf::from).collect();
        let directory = PathBuf::from(&program_ref.directory);
        let compiled = frontend::compile_again(
            Some(&directory),
            &sources,
            &program_ref.flags,
            &program_ref.own,
            &self.time.limits,
        );
        let module = match compiled {
            Ok(module) => module,
            Err(error) => return Ok(Ran::Refused(first_line(&error.to_string()))),
        };
        let fingerprint = witness::program_fingerprint(&module)?;
        let mut program =
            Program::new(module, self.parameters.bounds.array).map_err(|e| InputError::new("lower", e.to_string()))?;
        let own = objects_of(&program.module, file);
        program.facts.name_objects(own);
        let module = &program.module;
        let Some(main) = module.functions_named("main").find(|id| !module[*id].is_declaration()) else {
            return Ok(Ran::NotShown);
        };
        let client = ClientProgram {
            client: client.clone(),
            reported,
            main,
            positions: program.sites().map(|site| Position::of_site(&program, site)).collect(),
            files: module.files.iter().map(|file| (absolute(module, &file.path), file.path.clone())).collect(),
            program: Arc::new(program),
            program_ref: ProgramRef { fingerprint, ..program_ref },
        };
        Ok(match self.seek_in(&client, shown)? {
            Some(witness) => Ran::Shown(witness, Rc::new(client)),
            None => Ran::NotShown,
        })
    }

    /// Looks for a finding in a client's program.
    fn seek_in(
        &mut self,
        client: &ClientProgram,
        (key, visible): (&FindingKey, &[Position]),
    ) -> anyhow::Result<Option<Box<Witness>>> {
        let library = Arc::clone(&self.engine.program);
        let there = |position: &Position| client.there(&library, position);
        let Some(key) = key.moved(there) else { return Ok(None) };
        let visible: BTreeSet<Position> = visible.iter().filter_map(there).collect();
        let at = |is_there: &dyn Fn(&Position) -> bool| {
            let sites = client.program.sites().zip(&client.positions);
            sites.filter(|(_, position)| is_there(position)).map(|(site, _)| site).collect()
        };
        let racing = at(&|position| is_at(&key, position));
        let sites = WantedSites { racing, other: at(&|position| visible.contains(position)) };
        let together = Config { unroll: UNBOUNDED, ..self.parameters.together() };
        let solver = smt::Solving::set_up(self.solving.setup.clone())?;
        let mut engine = Engine::new(Arc::clone(&client.program), solver, together);
        engine.interrupted = Some(Box::new(self.time.patience.clone().over()));
        let (limits, main) = (self.parameters.limits(), client.main);
        let origin = Origin::Main { program: Arc::clone(&client.program), main, limits, config: together };
        let Some(finding) = seek(&mut engine, &origin, &key, &sites, &self.time.budget)? else { return Ok(None) };
        engine.visible = (*finding.visible).clone();
        let setting =
            Setting { entry: Threads::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
        let modes = Modes {
            together: Config { forget: Forget::None, dates: false, ..together },
            alone: Config { dates: false, ..self.parameters.alone() },
        };
        let Some(concrete) = concretise(&mut engine, &finding)? else { return Ok(None) };
        let Some(confirmed) = confirm(&mut engine, &setting, &modes, concrete, &key)? else { return Ok(None) };
        let (program_ref, spurious) = (client.program_ref.clone(), self.parameters.spurious);
        Ok(Some(Box::new(witness::witness(&mut engine, &setting, &confirmed, program_ref, spurious))))
    }

    /// The program of a client: its file, and the sources that it does not include.
    pub(super) fn program_of_client(&self, file: &Path, included: &[String]) -> ProgramRef {
        let program = &self.files.program_ref;
        let kept: Vec<usize> =
            (0..program.sources.len()).filter(|at| !included.contains(&program.sources[*at])).collect();
        let name = file.display().to_string();
        let own: Vec<SourceFlags> =
            match included.first().and_then(|first| program.sources.iter().position(|s| s == first)) {
                Some(at) if !program.own.is_empty() => std::iter::once(at)
                    .chain(kept.iter().copied())
                    .filter_map(|at| program.own.get(at).cloned())
                    .collect(),
                _ => Vec::new(),
            };
        ProgramRef {
            sources: std::iter::once(name.clone()).chain(kept.iter().map(|at| program.sources[*at].clone())).collect(),
            typed: std::iter::once(name).chain(kept.iter().filter_map(|at| program.typed.get(*at).cloned())).collect(),
            own,
            ..program.clone()
        }
    }
}

impl ClientProgram {
    /// A place of the library, as this program's files are called.
    fn there(&self, library: &Program, position: &Position) -> Option<Position> {
        let file = absolute(&library.module, &position.file).and_then(|file| self.files.get(&Some(file)))?;
        Some(Position { file: file.clone(), ..position.clone() })
    }
}

/// The variables of a client's own file: objects that it has as any caller does.
pub(super) fn objects_of(module: &Module, file: &Path) -> Vec<GlobalId> {
    let file = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    let is_there = |at: LocId| absolute(module, &module[module[at].file].path).is_some_and(|path| path == file);
    let own = module.globals().filter(|(_, global)| global.location.is_some_and(is_there));
    own.map(|(id, _)| id).collect()
}

/// Such as `Calls init, then put and get at once.`
fn in_words(module: &Module, client: &Client) -> String {
    let names = |calls: &[ClientCall], between: &str| {
        let names: Vec<&str> = calls.iter().map(|call| module[call.function].name.as_str()).collect();
        names.join(between)
    };
    let (before, at_once) = (names(&client.calls, ", "), names(&client.threads, " and "));
    match (before.is_empty(), at_once.is_empty()) {
        (_, true) => format!("Calls {before}, one after the other."),
        (true, false) => format!("Calls {at_once} at once."),
        (false, false) => format!("Calls {before}, then {at_once} at once."),
    }
}

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}
