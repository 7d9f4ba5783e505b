//! Clients of races that were found on heaps that nobody has built yet: programs that reach them by public calls.
//!
//! What a search finds is written as a C program, compiled, and run by an engine of its own: only if the race shows in that
//! program too is the finding called reachable.

use super::select;
use super::session::{Session, UNBOUNDED};
use crate::errors::InputError;
use crate::frontend::{self, Include, cache_directory};
use crate::out;
use crate::outcome::complain;
use explore::{
    Client, ClientOptions, Clients, FindingKey, Operation, Origin, Position, Reached, RootRule, Size, Wanted,
    WantedSites, seek,
};
use ir::{Module, SourceFile};
use machine::{Config, Engine, Program};
use report::{Finding, ShapeBasis};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use witness::format::{AccessInfo, CellValue, OperationCall, SourceFlags};
use witness::{Entry, Modes, ProgramRef, Setting, Witness, concretise, confirm};

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
    /// Looks for clients of the findings of a report that are named and in order; `order`: which confirmed finding each is.
    pub(super) fn look_for_clients(&mut self, findings: &mut [Finding], order: &[usize]) -> anyhow::Result<()> {
        for suffix in out::CLIENT_SUFFIXES {
            // What cannot be removed is written over, or belongs to no finding of this run.
            let _ = out::remove_named(&self.out, suffix);
        }
        let calls = self.parameters.client_calls;
        if calls == 0 {
            return Ok(());
        }
        let module = &self.engine.program.module;
        let mut public: Vec<ir::FuncId> = module.functions().filter(|(_, f)| f.external).map(|(id, _)| id).collect();
        for name in &self.parameters.operations {
            let function = select::named(module, name, "operation")?;
            if !public.contains(&function) {
                public.push(function);
            }
        }
        let options = ClientOptions {
            calls,
            limits: self.parameters.limits(),
            alone: self.parameters.alone(),
            together: self.parameters.together(),
        };
        let mut clients = Clients::new(public, options);
        for (finding, &from) in findings.iter_mut().zip(order) {
            let races = finding.accesses.len() == 2 && finding.shape.is_some();
            if !races {
                continue;
            }
            if self.budget.exhausted().is_some() {
                finding.unreached = Some("no time was left to look for a client".to_owned());
                continue;
            }
            let witness = self.confirmed[from].1.clone();
            match self.reach(&mut clients, finding, &witness)? {
                Outcome::Reached { client, witness } => {
                    finding.shape = Some(ShapeBasis::Reachable);
                    finding.client = Some(client);
                    if let Err(why) = self.write_witness(&out::client_witness_name(&finding.id), finding, &witness) {
                        complain(&format!("raddle: notice: {why}\n"));
                    }
                }
                Outcome::Not(why) => finding.unreached = Some(why),
            }
        }
        Ok(())
    }

    fn reach(&mut self, clients: &mut Clients, finding: &Finding, witness: &Witness) -> anyhow::Result<Outcome> {
        let program = Arc::clone(&self.engine.program);
        let Some(key) = key_of(witness, |access| position(&program.module, access)) else {
            return Ok(Outcome::Not("its positions are not known".to_owned()));
        };
        let single = |called: &OperationCall| called.then.is_empty().then(|| operation(self, &called.name)).flatten();
        let operations: Option<Vec<Operation>> = witness.operations.iter().map(single).collect();
        let Some([first, second]) = operations.as_deref() else {
            return Ok(Outcome::Not("clients are looked for where two threads make one call each".to_owned()));
        };
        let racing = program.sites().filter(|site| is_at(&key, &Position::of_site(&program, *site))).collect();
        let other = program.sites().filter(|site| witness.visible.contains(&(site.index() as u32))).collect();
        let sites = WantedSites { racing, other };
        let wanted = Wanted { operations: [first, second], key, sites, size: size(witness) };
        let budget = self.budget.clone();
        let client = match clients.find(&mut self.engine, &wanted, &budget)? {
            Reached::By(client) => client,
            Reached::NotOn { heaps, all } => return Ok(Outcome::Not(not_on(heaps, all, self.parameters.client_calls))),
            Reached::Impossible(why) => return Ok(Outcome::Not(why)),
        };
        self.show_client(finding, witness, &client)
    }

    /// Writes a client, compiles it, and sees whether the race shows in it.
    fn show_client(&mut self, finding: &Finding, witness: &Witness, client: &Client) -> anyhow::Result<Outcome> {
        let path = self.out.join(out::client_name(&finding.id));
        let file = std::path::absolute(&path).unwrap_or_else(|_| path.clone());
        let includes = match Include::create(cache_directory().as_deref())? {
            Include::Kept(path) => vec![path],
            Include::Temporary(_) => Vec::new(),
        };
        let [a, b] = [&finding.accesses[0], &finding.accesses[1]]
            .map(|access| format!("{}:{} ({})", access.location.file, access.location.line, access.location.function));
        let title = format!("Builds a heap on which {a} races with {b}.");
        let mut refused = None;
        for plan in witness::emit::client_plans(&self.engine.program.module, client, &self.program_ref) {
            let (module, of) = (&self.engine.program.module, (&self.program_ref, &plan));
            let emitted = witness::emit::emit_client(module, client, of, (&file, &includes), &title);
            let Some(emitted) = emitted else {
                refused.get_or_insert("a type that it has to name has no name".to_owned());
                continue;
            };
            let written = std::fs::create_dir_all(&self.out).and_then(|()| std::fs::write(&path, &emitted.source));
            if let Err(error) = written {
                return Ok(Outcome::Not(format!(
                    "a client is known, but {} cannot be written: {error}",
                    path.display()
                )));
            }
            match self.run_client(&file, witness, &plan.included)? {
                Ran::Shown(shown) => return Ok(self.reached(finding, client, (&path, emitted), shown)),
                Ran::NotShown => refused = None,
                // Perhaps in another way.
                Ran::Refused(why) => {
                    refused.get_or_insert(why);
                    continue;
                }
            }
            break;
        }
        let _ = std::fs::remove_file(&path);
        Ok(Outcome::Not(match (refused, self.budget.exhausted()) {
            (Some(why), _) => format!("a client is known, but its program does not compile: {why}"),
            (None, Some(_)) => "a client is known, but no time was left to see the race in its program".to_owned(),
            (None, None) => "a client is known, but the race did not show in its program".to_owned(),
        }))
    }

    /// A client's program in which the race shows.
    fn reached(
        &self,
        finding: &Finding,
        client: &Client,
        (path, emitted): (&Path, witness::emit::EmittedTest),
        shown: Box<Witness>,
    ) -> Outcome {
        let calls = (client.calls.len() + client.threads.len()) as u32;
        let client = report::Client {
            file: path.display().to_string(),
            witness: self.out.join(out::client_witness_name(&finding.id)).display().to_string(),
            calls,
            program: report::Program { source: emitted.source, file: path.display().to_string(), build: emitted.build },
        };
        Outcome::Reached { client, witness: shown }
    }

    /// Compiles a client's program, of which these sources are a part, and looks for the race in it.
    fn run_client(&mut self, file: &Path, witness: &Witness, included: &[String]) -> anyhow::Result<Ran> {
        let program_ref = self.program_of_client(file, included);
        let sources: Vec<PathBuf> = program_ref.sources.iter().map(PathBuf::from).collect();
        let directory = PathBuf::from(&program_ref.directory);
        let compiled =
            frontend::compile(Some(&directory), &sources, &program_ref.flags, &program_ref.own, &self.limits);
        let module = match compiled {
            Ok(module) => module,
            Err(error) => return Ok(Ran::Refused(first_line(&error.to_string()))),
        };
        let fingerprint = witness::program_fingerprint(&module)?;
        let program =
            Program::new(module, self.parameters.array).map_err(|e| InputError::new("lower", e.to_string()))?;
        let together = Config { unroll: UNBOUNDED, ..self.parameters.together() };
        let mut engine = Engine::new(Arc::new(program), smt::Solving::set_up(self.setup.clone())?, together);
        let program = Arc::clone(&engine.program);
        let library = Arc::clone(&self.engine.program);
        let Some(main) = program.module.functions_named("main").find(|id| !program.module[*id].is_declaration()) else {
            return Ok(Ran::NotShown);
        };
        let positions: Vec<Position> = program.sites().map(|site| Position::of_site(&program, site)).collect();
        let same = |position: &Position, file: &str, line: u32, column: u32| {
            (position.line, position.column) == (line, column)
                && absolute(&program.module, &position.file) == absolute(&library.module, file)
        };
        let found = |access: &AccessInfo| {
            let Position { file, line, column } = position(&library.module, access)?;
            positions.iter().find(|position| same(position, &file, line, column)).cloned()
        };
        let Some(key) = key_of(witness, found) else { return Ok(Ran::NotShown) };
        let racing =
            program.sites().zip(&positions).filter(|(_, position)| is_at(&key, position)).map(|(site, _)| site);
        let interleaved = |position: &Position| {
            witness.visible_sites.iter().any(|site| same(position, &site.file, site.line, site.column))
        };
        let other = program.sites().zip(&positions).filter(|(_, position)| interleaved(position)).map(|(site, _)| site);
        let sites = WantedSites { racing: racing.collect(), other: other.collect() };
        let limits = self.parameters.limits();
        let origin = Origin::Main { main, limits, config: together };
        let Some(finding) = seek(&mut engine, &origin, &key, &sites, &self.budget)? else { return Ok(Ran::NotShown) };
        engine.visible = (*finding.visible).clone();
        let setting =
            Setting { entry: Entry::Main(main), limits, globals_symbolic: false, roots: RootRule::Same, valid: None };
        let modes = Modes { together, alone: self.parameters.alone() };
        let Some(concrete) = concretise(&mut engine, &finding)? else { return Ok(Ran::NotShown) };
        let Some(confirmed) = confirm(&mut engine, &setting, &modes, concrete, &key)? else { return Ok(Ran::NotShown) };
        let program_ref = ProgramRef { fingerprint, ..program_ref };
        let spurious = self.parameters.spurious;
        Ok(Ran::Shown(Box::new(witness::witness(&mut engine, &setting, &confirmed, program_ref, spurious))))
    }

    /// The program of a client: its file, and the sources that it does not include.
    fn program_of_client(&self, file: &Path, included: &[String]) -> ProgramRef {
        let program = &self.program_ref;
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

/// Of several lines, the one that says what is wrong.
fn first_line(error: &str) -> String {
    let says = |line: &&str| line.contains("error: ");
    error.lines().find(says).or_else(|| error.lines().next()).unwrap_or_default().trim().to_owned()
}

fn not_on(heaps: usize, all: bool, calls: u32) -> String {
    match all {
        true => format!("no client of up to {calls} calls leads to it: on none of the {heaps} heaps that these build"),
        false => format!("no client of up to {calls} calls is known: tried {heaps} heaps that these build, not all"),
    }
}

fn operation(session: &Session, name: &str) -> Option<Operation> {
    let function = select::named(&session.engine.program.module, name, "operation").ok()?;
    Some(Operation { function, name: name.to_owned(), private: Vec::new() })
}

/// Where an access is, as findings are told apart by.
fn position(module: &Module, access: &AccessInfo) -> Option<Position> {
    let SourceFile { path, .. } = module.files.iter().find(|file| file.path == access.position.file)?;
    Some(Position { file: path.clone(), line: access.position.line, column: access.position.column })
}

fn absolute(module: &Module, file: &str) -> Option<PathBuf> {
    let SourceFile { path, directory } = module.files.iter().find(|known| known.path == file)?;
    let path = Path::new(directory).join(path);
    Some(path.canonicalize().unwrap_or(path))
}

/// The race of a witness with its two positions found somewhere.
fn key_of(witness: &Witness, find: impl Fn(&AccessInfo) -> Option<Position>) -> Option<FindingKey> {
    let mut sides = Vec::new();
    for access in &witness.failure.accesses {
        let kind = match access.access.as_str() {
            "read" => concurrency::AccessKind::Read,
            "write" => concurrency::AccessKind::Write,
            "read_write" => concurrency::AccessKind::ReadWrite,
            "free" => concurrency::AccessKind::Free,
            _ => return None,
        };
        sides.push((find(access)?, kind, access.atomic));
    }
    sides.sort();
    Some(FindingKey::Race(sides.try_into().ok()?))
}

fn is_at(key: &FindingKey, position: &Position) -> bool {
    matches!(key, FindingKey::Race(sides) if sides.iter().any(|side| side.0 == *position))
}

/// Of the heap that a race shows on.
fn size(witness: &Witness) -> Size {
    let leads = |value: &CellValue| matches!(value, CellValue::Pointer { .. });
    let objects = &witness.heap.objects;
    Size {
        objects: objects.len(),
        links: objects.iter().flat_map(|object| &object.cells).filter(|cell| leads(&cell.value)).count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_the_search_went_is_said() {
        assert!(not_on(3, true, 8).contains("none of the 3 heaps"));
        assert!(not_on(3, false, 8).contains("not all"));
    }
}
