//! `--cluster hq`: a search that HyperQueue's workers carry out, and this process puts together.
//!
//! Guarantee: whatever ends it, the search is put aside with all that came back, or over; its report is that of one process.

use crate::cli::EngineName;
use crate::dispatch::{before, search_in};
use crate::outcome::Outcome;
use ::cluster::{Ended, EngineError, Failed, HyperQueue, Pace, Server, ship};
use session::analysis::{Kept, Owner};
use session::errors::InputError;
use session::notice::complain;
use session::options::SearchRequest;
use session::run::Run;
use session::shipping::Shipped;
use session::unfinished;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Names a file for what is shipped, for measurements.
const LOG_VARIABLE: &str = "RADDLE_SHIPPING_LOG";

/// A look at the engine costs a process at the most.
const LOOK: Duration = Duration::from_millis(100);
const TAKE_IN: Duration = Duration::from_secs(2);
/// How long a server may be away.
const PATIENCE: Duration = Duration::from_secs(120);
const AFTER_FAILURE: Duration = Duration::from_millis(250);

/// Searches, or goes on with a search, on an engine's workers.
pub(crate) fn search(
    EngineName::Hq: EngineName,
    request: &SearchRequest,
    run: &Run,
    kept: Option<Kept<'static>>,
) -> anyhow::Result<Outcome> {
    // What is wrong with it is said as without workers.
    let module = match run.module() {
        Ok(module) => module,
        error => return search_in(error, request, run, kept),
    };
    let owner = Owner::new(module.clone(), request, run, kept, before(request, run))?;
    let program = this_program()?;
    let server = Server::running().unwrap_or(Server::Own { workers: run.workers });
    let mut engine = HyperQueue::start(server).map_err(|error| unusable(&error, ""))?;
    let tell = |what: &str| complain(&format!("raddle: notice: {what}\n"));
    let mut shipped = Shipped::new(run, &module, owner, program, tell)?;
    if let Some(path) = std::env::var_os(LOG_VARIABLE).map(PathBuf::from) {
        let log = std::fs::File::create(&path);
        shipped.log_to(log.map_err(|e| InputError::new("output", format!("{LOG_VARIABLE}: {e}")).in_file(&path))?);
    }
    if shipped.is_hopeless()? {
        complain(
            "raddle: notice: executions come back to states in which they have been: each state is gone on from once, \
             by this process alone, which has to know of all\n",
        );
        drop(engine);
        let (_, parts) = shipped.into_kept()?;
        let outcome = search_in(Ok(module), request, run, None);
        parts.remove();
        return outcome;
    }
    let pace = Pace {
        look: LOOK,
        take_in: TAKE_IN,
        patience: PATIENCE,
        after_failure: AFTER_FAILURE,
        cores: run.workers.get(),
    };
    let ended = ship(&mut engine, &mut shipped, pace);
    drop(engine);
    let (kept, parts) = shipped.into_kept()?;
    let again = format!("; to go on: {} --cluster hq", unfinished::resume_command(run.folder.out()));
    let kept = match ended {
        Ok(Ended::Over | Ended::Stopped) => Some(kept),
        Err(Failed::Work(error)) => return Err(error),
        Err(Failed::Engine(error)) => return Err(unusable(&error, &again).into()),
        Err(Failed::Tasks(why)) => {
            let message = format!("all tasks fail on the workers, the last of them so: {why}{again}");
            return Err(InputError::new("cluster_tasks", message).into());
        }
    };
    let outcome = search_in(Ok(module), request, run, kept);
    parts.remove();
    outcome
}

/// Where workers find this program: what stands there, if another build has taken its place since it was started, refuses its parts in words.
fn this_program() -> io::Result<PathBuf> {
    let path = std::env::current_exe()?;
    // The kernel's words for a file that is not there any more.
    let replaced = path.to_str().and_then(|path| path.strip_suffix(" (deleted)")).map(PathBuf::from);
    Ok(replaced.filter(|_| !path.exists()).unwrap_or(path))
}

fn unusable(error: &EngineError, again: &str) -> InputError {
    let kind = match error {
        EngineError::Missing(_) => "no_engine",
        EngineError::Unreachable { .. } => "no_server",
        EngineError::Refused(_) | EngineError::Io(_) => "cluster",
    };
    InputError::new(kind, format!("{error}{again}"))
}
