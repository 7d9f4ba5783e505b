//! A client as a C program: written, compiled, and run by an engine of its own.

use super::clients::UNSEEN;
use super::confirming::UNBOUNDED;
use super::racing::{absolute, is_at, key_of, position};
use super::session::Session;
use crate::errors::InputError;
use crate::frontend::{self, Include, cache_directory};
use crate::out;
use ::clients::Client;
use explore::{FindingKey, Origin, Position, RootRule, WantedSites, seek};
use machine::{Config, Engine, Forget, Program};
use report::Finding;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
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
    /// The race's witness in it.
    Shown(Box<Witness>),
    NotShown,
    /// It does not compile; why, in a line.
    Refused(String),
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
        self.write_and_run(&finding.id, client, (&key, &visible), &title)
    }

    /// Writes a client, compiles it, and sees whether a finding shows in it. `name`: of its files; `visible`: where threads
    /// are interleaved.
    pub(super) fn write_and_run(
        &mut self,
        name: &str,
        client: &Client,
        (key, visible): (&FindingKey, &[Position]),
        title: &str,
    ) -> anyhow::Result<Outcome> {
        let (name, witness_name) = (out::client_name(name), out::client_witness_name(name));
        let shown = self.files.folder.shown(&name);
        let file = match self.files.folder.path() {
            Ok(folder) => absolute_path(&folder.join(&name)),
            Err(error) => return Ok(self.client_lost(&shown, &error)),
        };
        let includes = match Include::create(cache_directory().as_deref())? {
            Include::Kept(path) => vec![path],
            Include::Temporary(_) => Vec::new(),
        };
        let mut refused = None;
        for plan in witness::emit::client_plans(&self.engine.program.module, client, &self.files.program_ref) {
            let (module, of) = (&self.engine.program.module, (&self.files.program_ref, &plan));
            let emit = |file: &Path| witness::emit::emit_client(module, client, of, (file, &includes), title);
            // The file names itself where it stays; the report names it where scripts look, as every equal run does.
            let (Some(emitted), Some(reported)) = (emit(&file), emit(&absolute_path(&shown))) else {
                refused.get_or_insert("a type that it has to name has no name".to_owned());
                continue;
            };
            if let Err(error) = self.files.folder.write(&name, &emitted.source) {
                return Ok(self.client_lost(&shown, &error));
            }
            match self.run_client(&file, (key, visible), &plan.included)? {
                Ran::Shown(witness) => {
                    let calls = (client.calls.len() + client.threads.len()) as u32;
                    let client = report::Client {
                        file: shown.display().to_string(),
                        witness: self.files.folder.shown(&witness_name).display().to_string(),
                        calls,
                        program: report::Program {
                            source: reported.source,
                            file: shown.display().to_string(),
                            build: reported.build,
                        },
                    };
                    return Ok(Outcome::Reached { client, witness });
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
        Ok(Outcome::Not(match (refused, self.time.budget.exhausted()) {
            (Some(why), None) => format!("a client is known, but its program does not compile: {why}"),
            (_, Some(_)) => UNSEEN.to_owned(),
            (None, None) => "a client is known, but the race did not show in its program".to_owned(),
        }))
    }

    /// A client whose program cannot be written.
    fn client_lost(&self, file: &Path, error: &std::io::Error) -> Outcome {
        self.lose(file, &error.to_string());
        Outcome::Not(format!("a client is known, but {} cannot be written: {error}", file.display()))
    }

    /// Compiles a client's program, of which these sources are a part, and looks for the race in it.
    fn run_client(
        &mut self,
        file: &Path,
        (key, visible): (&FindingKey, &[Position]),
        included: &[String],
    ) -> anyhow::Result<Ran> {
        let program_ref = self.program_of_client(file, included);
        let sources: Vec<PathBuf> = program_ref.sources.iter().map(PathBuf::from).collect();
        let directory = PathBuf::from(&program_ref.directory);
        let compiled =
            frontend::compile(Some(&directory), &sources, &program_ref.flags, &program_ref.own, &self.time.limits);
        let module = match compiled {
            Ok(module) => module,
            Err(error) => return Ok(Ran::Refused(first_line(&error.to_string()))),
        };
        let fingerprint = witness::program_fingerprint(&module)?;
        let program =
            Program::new(module, self.parameters.bounds.array).map_err(|e| InputError::new("lower", e.to_string()))?;
        let together = Config { unroll: UNBOUNDED, ..self.parameters.together() };
        let mut engine = Engine::new(Arc::new(program), smt::Solving::set_up(self.solving.setup.clone())?, together);
        engine.interrupted = Some(Box::new(self.time.patience.clone().over()));
        let program = Arc::clone(&engine.program);
        let library = Arc::clone(&self.engine.program);
        let Some(main) = program.module.functions_named("main").find(|id| !program.module[*id].is_declaration()) else {
            return Ok(Ran::NotShown);
        };
        let positions: Vec<Position> = program.sites().map(|site| Position::of_site(&program, site)).collect();
        let files: BTreeMap<Option<PathBuf>, &str> =
            program.module.files.iter().map(|file| (absolute(&program.module, &file.path), &*file.path)).collect();
        // The same place, as that program's files are called.
        let there = |position: &Position| {
            let file = absolute(&library.module, &position.file).and_then(|file| files.get(&Some(file)).copied())?;
            Some(Position { file: file.to_owned(), ..position.clone() })
        };
        let Some(key) = key.moved(there) else { return Ok(Ran::NotShown) };
        let racing =
            program.sites().zip(&positions).filter(|(_, position)| is_at(&key, position)).map(|(site, _)| site);
        let visible: BTreeSet<Position> = visible.iter().filter_map(there).collect();
        let interleaved = |position: &Position| visible.contains(position);
        let other = program.sites().zip(&positions).filter(|(_, position)| interleaved(position)).map(|(site, _)| site);
        let sites = WantedSites { racing: racing.collect(), other: other.collect() };
        let limits = self.parameters.limits();
        let origin = Origin::Main { program: Arc::clone(&engine.program), main, limits, config: together };
        let Some(finding) = seek(&mut engine, &origin, &key, &sites, &self.time.budget)? else {
            return Ok(Ran::NotShown);
        };
        engine.visible = (*finding.visible).clone();
        let setting =
            Setting { entry: Threads::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
        let modes = Modes {
            together: Config { forget: Forget::None, dates: false, ..together },
            alone: Config { dates: false, ..self.parameters.alone() },
        };
        let Some(concrete) = concretise(&mut engine, &finding)? else { return Ok(Ran::NotShown) };
        let Some(confirmed) = confirm(&mut engine, &setting, &modes, concrete, &key)? else { return Ok(Ran::NotShown) };
        let program_ref = ProgramRef { fingerprint, ..program_ref };
        let spurious = self.parameters.spurious;
        Ok(Ran::Shown(Box::new(witness::witness(&mut engine, &setting, &confirmed, program_ref, spurious))))
    }

    /// The program of a client: its file, and the sources that it does not include.
    fn program_of_client(&self, file: &Path, included: &[String]) -> ProgramRef {
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

fn absolute_path(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Of several lines, the one that says what is wrong.
fn first_line(error: &str) -> String {
    let says = |line: &&str| line.contains("error: ");
    error.lines().find(says).or_else(|| error.lines().next()).unwrap_or_default().trim().to_owned()
}
