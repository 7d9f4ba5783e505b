//! `raddle cover LIB --op F --op G`: a program that calls them, since a library has none.
//!
//! It is one program of all clients that build heaps by public calls and then call two of the operations at once ([`clients::Reach`]): which
//! client it is, is an input, and so is each number that it passes. So what there is of programs holds of it: inputs, interferences, tests.

use super::matrix::combinations;
use super::parameters::Parameters;
use super::reached;
use super::select;
use super::session::Session;
use super::suite;
use crate::errors::{InputError, UsageError, first_line};
use crate::folder::TestFolder;
use crate::frontend;
use crate::options::{CoverOptions, Heaps, SearchRequest};
use crate::out;
use crate::run::Run;
use ::clients::{Client, Reach, SequentialKind};
use explore::{ClientStart, Coverage, FindingKey, Operation, Position, Spent};
use ir::FuncId;
use machine::{External, Ledger, LedgerEntry, LossKind, LossSite};
use report::Assumption;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use witness::ProgramRef;

/// Clients that one program calls for; of more, those with the fewest calls.
const MOST: usize = 256;

/// Clients that are told apart.
const MOST_LOOKED_AT: usize = 1_024;

/// States that are built after one call, two, and more.
const ENOUGH: [usize; 3] = [2_000, 400, 100];

/// The callers' program.
pub(super) struct Callers {
    pub module: ir::Module,
    pub program_ref: ProgramRef,
    /// Of the operations.
    pub names: Vec<String>,
    /// What keeps them from being all clients.
    pub ledger: Ledger,
    pub spent: Spent,
    pub assumption: Assumption,
    /// What goes wrong in a call with nobody beside it, and is its caller's to avoid.
    failures: Vec<(SequentialKind, Position)>,
    pub sequential: Vec<report::Sequential>,
}

impl Callers {
    /// Takes what shows with one caller alone out of what was found: the memory that clients pass is of one element, all zero, and whether a
    /// call may have it is not known. What it would come to behind that is not covered.
    pub(super) fn take_failures_alone(&self, coverage: &mut Coverage) {
        let name = |file: &str| Path::new(file).file_name().map(OsStr::to_owned);
        let is_same = |one: &Position, other: &Position| {
            (one.line, one.column) == (other.line, other.column) && name(&one.file) == name(&other.file)
        };
        let is_alone = |key: &FindingKey| {
            self.failures.iter().any(|(kind, at)| match (key, kind) {
                (FindingKey::Fault(found, place), SequentialKind::Fault(kind)) => found == kind && is_same(place, at),
                (FindingKey::Deadlock(places), SequentialKind::Relocks) => {
                    places.iter().all(|place| is_same(place, at))
                }
                _ => false,
            })
        };
        let alone: Vec<FindingKey> = coverage.findings.keys().filter(|key| is_alone(key)).cloned().collect();
        for key in alone {
            coverage.findings.remove(&key);
            let remedy = "a call fails there with nobody beside it, for what clients pass: what is behind that is not covered, \
                          and what goes wrong there with others beside it is not told from that; give cover a program with `main`";
            let entry = LedgerEntry {
                kind: LossKind::CutByFailure,
                site: LossSite::Search(key.place()),
                remedy: remedy.into(),
            };
            coverage.ledger.note(entry);
            coverage.for_all = false;
            coverage.is_full = false;
        }
    }
}

/// Writes the callers of the operations that are named, and compiles them.
///
/// # Errors
/// When an operation does not exist or nobody can call any, or the program cannot be written or compiled.
pub(super) fn callers(
    module: ir::Module,
    options: &CoverOptions,
    (run, folder): (&Run, Option<&TestFolder>),
) -> anyhow::Result<Callers> {
    let mut parameters = Parameters::of_check(&options.check, run);
    parameters.external = External::Harmless;
    parameters.library.heaps = Heaps::Reached;
    parameters.library.reaching_calls = options.client_calls;
    let mut session = Session::new(module, parameters, &SearchRequest::Check(options.check.clone()), run)?;
    let operations = named(&session, &options.operations)?;
    let names: Vec<String> =
        operations.iter().map(|operation| session.engine.program.module[operation.function].name.clone()).collect();
    let (clients, reach) = clients(&mut session, &operations)?;
    let callers = reach.failures.iter().filter(|(_, failure)| failure.is_callers);
    let failures = callers.map(|(key, _)| key.clone()).collect();
    let sequential = reached::sequential(&session, &reach.failures);
    let title = format!("Calls {} at once, two of them, behind what clients call before.", names.join(", "));
    let (module, program_ref) = compiled(&session, &clients, folder, &title)?;
    let before = clients.iter().map(|client| client.calls.len()).max().unwrap_or(0);
    let assumption = Assumption {
        kind: "callers".to_owned(),
        count: Some(clients.len() as u64),
        detail: format!(
            "operations are called two at once, by {} clients that build heaps by up to {before} calls; clients pass what they hold, \
             any numbers, and memory of one element or as many as it takes, all zero; never null",
            clients.len()
        ),
        ..Assumption::default()
    };
    let spent = session.spent();
    let ledger = std::mem::take(&mut session.engine.ledger);
    Ok(Callers { module, program_ref, names, ledger, spent, assumption, failures, sequential })
}

fn named(session: &Session, names: &[String]) -> Result<Vec<Operation>, UsageError> {
    let module = &session.engine.program.module;
    let mut operations: Vec<Operation> = Vec::new();
    for name in names {
        let function = select::named(module, name, "operation")?;
        if operations.iter().all(|known| known.function != function) {
            operations.push(Operation::new(function, name.clone()));
        }
    }
    Ok(operations)
}

/// All clients that call two of the operations at once, those with few calls first.
fn clients(session: &mut Session, operations: &[Operation]) -> anyhow::Result<(Vec<Client>, Reach)> {
    let program = Arc::clone(&session.engine.program);
    let interface = reached::interface(session, operations);
    let reach = reached::build(session, &interface, &reached::options(session), Some(ENOUGH))?;
    reached::note_other_clients(session, &interface, &reach);
    let combined = combinations(operations, session.parameters.bounds.threads, 1)?;
    let mut clients: Vec<Client> = Vec::new();
    let mut callable: Vec<FuncId> = Vec::new();
    let mut is_cut = false;
    for chosen in &combined.chosen {
        is_cut |= session.exhausted().is_some() || clients.len() > MOST_LOOKED_AT;
        if is_cut {
            break;
        }
        let called: Vec<&Operation> = chosen.iter().map(|&index| &combined.sequences[index as usize].first).collect();
        for ClientStart { recipe, threads, .. } in reach.starts(&program, &interface, &called) {
            callable.extend(threads.iter().map(|call| call.function));
            let calls = recipe.calls.iter().map(|(call, _)| call.clone()).collect();
            let client = Client { roots: recipe.roots.clone(), calls, threads };
            if clients.len() > MOST_LOOKED_AT {
                break;
            }
            if !clients.iter().any(|known| known.is_alike(&client)) {
                clients.push(client);
            }
        }
    }
    for operation in operations.iter().filter(|operation| !callable.contains(&operation.function)) {
        let why =
            interface.left_out.iter().chain(&interface.unmade).find(|(function, _)| *function == operation.function);
        let never = || reach.never_made(&program.module, &interface, operation.function);
        let why = why.map(|(_, why)| why.clone()).or_else(never);
        let why =
            why.unwrap_or_else(|| "more calls before might come to it: --client-calls with a larger number".to_owned());
        if callable.is_empty() {
            let message = format!("no client can call `{}`: {why}", operation.name);
            return Err(InputError::new("no_caller", message).into());
        }
        let site = LossSite::Search(operation.name.clone());
        session.engine.note(LossKind::Vacuous, site, format!("no client can call it: {why}"));
    }
    clients.sort_by_key(|client| client.calls.len());
    if is_cut {
        let site = LossSite::Search("clients beyond the first".to_owned());
        session.engine.note(LossKind::Operations, site, "fewer --op, or fewer --client-calls");
    }
    if clients.len() > MOST {
        let site = LossSite::Search(format!("{} of {} clients", clients.len() - MOST, clients.len()));
        session.engine.note(LossKind::Operations, site, "fewer --op, or fewer --client-calls");
        clients.truncate(MOST);
    }
    Ok((clients, reach))
}

/// The program of these clients, written and compiled.
fn compiled(
    session: &Session,
    clients: &[Client],
    folder: Option<&TestFolder>,
    title: &str,
) -> anyhow::Result<(ir::Module, ProgramRef)> {
    let module = &session.engine.program.module;
    let all = witness::emit::all_calls(clients);
    let mut refused = None;
    for plan in witness::emit::client_plans(module, &all, &session.files.program_ref) {
        let Some(text) = witness::emit::emit_callers(module, clients, &plan, title) else {
            refused.get_or_insert("a type that it has to name has no name".to_owned());
            continue;
        };
        let file = write(session, folder, &text)?;
        let program_ref = session.program_of_client(&file, &plan.included);
        let sources: Vec<PathBuf> = program_ref.sources.iter().map(PathBuf::from).collect();
        let directory = PathBuf::from(&program_ref.directory);
        let limits = &session.time.limits;
        match frontend::compile_again(Some(&directory), &sources, &program_ref.flags, &program_ref.own, limits) {
            Ok(module) => return Ok((module, program_ref)),
            Err(error) => _ = refused.get_or_insert(first_line(&error.to_string())),
        }
    }
    let why = refused.unwrap_or_else(|| "nothing says where its functions are".to_owned());
    let message =
        format!("a program that calls the operations does not compile: {why}; give cover a program with `main`");
    Err(InputError::new("no_caller", message).into())
}

/// Beside the tests, which need it, or else among the files of the run.
fn write(session: &Session, folder: Option<&TestFolder>, text: &str) -> anyhow::Result<PathBuf> {
    let failed = |name: &str, e: std::io::Error| InputError::new("output", format!("{name}: {e}"));
    if let Some(folder) = folder {
        folder.write(suite::CALLERS, text).map_err(|e| failed(suite::CALLERS, e))?;
        return Ok(folder.path.join(suite::CALLERS));
    }
    let name = out::client_name("client1");
    session.files.folder.write(&name, text).map_err(|e| failed(&name, e))?;
    let path = session.files.folder.path().map_err(|e| failed(&name, e))?.join(&name);
    Ok(std::path::absolute(&path).unwrap_or(path))
}
