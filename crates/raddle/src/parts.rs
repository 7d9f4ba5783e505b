//! `raddle split`, `work` and `gather`: a search that several processes work on, by files alone.
//!
//! Guarantee: the search itself is put aside with all that came back before anything that came back is removed, so whatever is killed
//! when, nothing that was done is lost but what a part had begun.

use crate::cli::{self, Common, Search, With};
use crate::dispatch::{before, run_again, run_of, search_for, sources_of};
use crate::files;
use crate::outcome::{Document, Outcome};
use serde::Serialize;
use session::analysis::{self, Kept, Owner, PartBatch, PartDone, SetUp, Until, deal};
use session::budget::Budget;
use session::errors::InputError;
use session::notice::complain;
use session::out;
use session::parts::{About, PartsFolder, Taken, is_called_back};
use session::run::Run;
use session::runs::{self, Folder, Resumed};
use session::unfinished::{self, Keeper};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// Between two looks whether a part is called back.
const LISTEN: Duration = Duration::from_millis(100);

/// A search that is divided.
struct Divided {
    run: Run,
    /// The folder of its run.
    path: PathBuf,
    kept: Kept<'static>,
}

/// Says which flags change nothing.
fn say_without_effect(search: &Search, command: &str) {
    for flag in search.without_effect_under_resume() {
        complain(&format!("raddle: notice: {flag} has no effect under {command}: the search keeps its bounds\n"));
    }
}

/// Finds the search to divide, or to put together.
fn open(
    directory: &Path,
    (common, search): (&Common, &Search),
    budget: Budget,
    started: Instant,
) -> anyhow::Result<Divided> {
    let Resumed { out, folder, path, others } = runs::to_resume(directory)?;
    let (kept, typed) = unfinished::read::<Kept<'static>>(&path)?;
    if !others.is_empty() {
        let others: Vec<String> = others.iter().map(|other| other.display().to_string()).collect();
        let (here, others) = (path.display(), others.join(", "));
        complain(&format!("raddle: notice: that is {here}; other searches are unfinished as well: {others}\n"));
    }
    out::check(&out)?;
    let run = run_again((&kept, typed), folder, (common, search), budget, started)?;
    Ok(Divided { run, path, kept })
}

/// What of a search is with others.
struct Left {
    kept: Kept<'static>,
    parts: Vec<PathBuf>,
    /// Things to do in them.
    things: usize,
}

/// Takes in what came back, puts the search aside, and makes parts of all that is left. `module`: the program.
fn divide(divided: Divided, parts: &mut PartsFolder, module: &ir::Module) -> anyhow::Result<(Run, Left)> {
    let Divided { run, kept, .. } = divided;
    let request = kept.search.clone().into_owned();
    let program = kept.program.clone().into_owned();
    let about = About { request: Cow::Borrowed(&request), program: Cow::Borrowed(&program) };
    let (done, read) = parts.came_back(&about)?.into_parts();
    let has_done = !done.is_empty();
    let mut owner = Owner::new(module.clone(), &request, &run, Some(kept), before(&request, &run))?;
    owner.take_in(done);
    let has_begun = owner.begin(&run, parts.many(), &mut |_| {})?;
    let open: Vec<PartBatch> = owner.open().cloned().collect();
    let things = open.iter().map(PartBatch::many).sum();
    let kept = owner.into_kept();
    if has_done || has_begun {
        let keeper = Keeper::new(run.typed.clone());
        keeper.keep(&run.folder, &kept, kept.in_words().into_iter()).map_err(|e| {
            let place = run.folder.shown(unfinished::NAMES[0]);
            InputError::new("output", format!("{} cannot be written: {e}; nothing is lost", place.display()))
                .in_file(&place)
        })?;
    }
    let left = parts.replace(&about, module, &deal(open, parts.many()))?;
    parts.forget(read);
    show(&run.folder);
    Ok((run, Left { kept, parts: left, things }))
}

/// Makes the parts' names for scripts lead to them.
fn show(folder: &Folder) {
    if let Err(e) = folder.show_parts() {
        let out = folder.out().display();
        complain(&format!("raddle: notice: {out} has no name for the folder of the parts: {e}\n"));
    }
}

/// The names by which scripts know parts.
fn shown(run: &Run, parts: &[PathBuf]) -> Vec<String> {
    let name = |path: &PathBuf| path.file_name().map(|name| run.folder.shown(session::parts::NAME).join(name));
    let place = |path: &PathBuf| name(path).filter(|name| name.exists()).unwrap_or_else(|| path.clone());
    parts.iter().map(|path| place(path).display().to_string()).collect()
}

/// Divides a search.
pub(crate) fn split(arguments: &With<cli::Split>, budget: Budget, started: Instant) -> anyhow::Result<Outcome> {
    #[derive(Serialize)]
    struct Body<'a> {
        parts: &'a [String],
        things: usize,
    }
    let With { own, common, search } = arguments;
    say_without_effect(search, "split");
    let divided = open(&own.directory, (common, search), budget, started)?;
    let module = divided.run.module()?;
    let many = usize::try_from(own.many.get()).unwrap_or(usize::MAX);
    let mut parts = PartsFolder::new(&divided.path, divided.run.typed.clone(), many);
    let (run, Left { parts, things, .. }) = divide(divided, &mut parts, &module)?;
    let parts = shown(&run, &parts);
    if parts.is_empty() {
        complain("raddle: notice: nothing is left to do: `raddle gather` has the report\n");
    }
    let text: String = parts.iter().map(|part| format!("{part}\n")).collect();
    Ok(Outcome::Document(Document::new("split", text, Body { parts: &parts, things }, 0)?))
}

/// Works on a part.
pub(crate) fn work(arguments: &With<cli::Work>, budget: Budget, started: Instant) -> anyhow::Result<Outcome> {
    #[derive(Serialize)]
    struct Body<'a> {
        done: usize,
        left: usize,
        results: &'a [String],
        ended: Option<&'static str>,
    }
    let With { own, common, search } = arguments;
    say_without_effect(search, "work");
    let mut taken = Taken::read(&own.part)?;
    let until = own.time.and_then(|time| started.checked_add(time));
    let (mut many, mut left, mut results) = (0, taken.many(), Vec::new());
    let mut ended = None;
    if left > 0 {
        let module = taken.program()?;
        let request = taken.part.about.request.clone().into_owned();
        let run = Run {
            workers: search.workers(),
            solver: search.solver.options(),
            summaries: search.summaries(),
            // Nothing is put aside but the part.
            typed: Vec::new(),
            ..run_of(&taken.part.about.program, common, budget, started)
        };
        let mut set_up = SetUp::new(module, &request, &run)?;
        if set_up.fingerprint() != taken.part.about.program.fingerprint {
            let message = format!("{}: the program beside it is not the one that it is about", own.part.display());
            return Err(InputError::new("part_program", message).in_file(&own.part).into());
        }
        let batches = taken.part.batches.clone().into_owned();
        let until = Until { time: until, called_back: Arc::default() };
        let mut put_back = |done: &[PartDone], rest: Vec<PartBatch>| {
            many += done.len();
            left = rest.iter().map(PartBatch::many).sum();
            results.extend(taken.put_back(done, rest)?.map(|path| path.display().to_string()));
            Ok(())
        };
        ended = listening(&own.part, &until.called_back, || {
            analysis::work(&mut set_up, &run, batches, &until, &mut put_back)
        })?;
    }
    let part = own.part.display();
    let text = match left {
        0 => format!("{part}: {many} done, nothing is left of it\n"),
        left => format!("{part}: {many} done, {left} left\n"),
    };
    let code = if ended.is_some() { 5 } else { 0 };
    Ok(Outcome::Document(Document::new("work", text, Body { done: many, left, results: &results, ended }, code)?))
}

/// Works on a part, and sets a flag if what is left of it is called back meanwhile.
fn listening<T>(part: &Path, called_back: &AtomicBool, work: impl FnOnce() -> T) -> T {
    called_back.store(is_called_back(part), Ordering::Relaxed);
    std::thread::scope(|scope| {
        let (working, over) = channel::<()>();
        let listen = move || {
            while over.recv_timeout(LISTEN) == Err(RecvTimeoutError::Timeout) {
                if is_called_back(part) {
                    called_back.store(true, Ordering::Relaxed);
                    return;
                }
            }
        };
        // Without, it ends with its time.
        let _ = std::thread::Builder::new().spawn_scoped(scope, listen);
        let came = work();
        drop(working);
        came
    })
}

/// Puts together what was done.
pub(crate) fn gather(arguments: &With<cli::Gather>, budget: Budget, started: Instant) -> anyhow::Result<Outcome> {
    let With { own, common, search } = arguments;
    say_without_effect(search, "gather");
    let divided = open(&own.directory, (common, search), budget, started)?;
    let path = divided.path.clone();
    let mut parts = PartsFolder::open(&path, &own.directory, divided.run.typed.clone())?;
    let sources = sources_of(&divided.kept);
    files::check(&own.files, &sources)?;
    let baseline = files::baseline(&own.files, divided.kept.search.command(), &sources)?;
    let module = divided.run.module()?;
    let (run, Left { kept, parts: left, things }) = divide(divided, &mut parts, &module)?;
    let run = Run { baseline, quotes_tests: own.files.html.is_some(), ..run };
    let request = kept.search.clone().into_owned();
    if left.is_empty() {
        let outcome = search_for(&request, &run, Some(kept))?;
        if !unfinished::is_in(&path) {
            parts.remove();
            show(&run.folder);
        }
        return Ok(outcome);
    }
    // The search stays as it was put aside, whatever is seen of it now.
    let run = Run { apart: true, typed: Vec::new(), ..run };
    let outcome = search_for(&request, &run, Some(kept))?;
    let names = shown(&run, &left);
    let (first, many) = (names.first().cloned().unwrap_or_default(), names.len());
    let all = if many == 1 { first } else { format!("{many} parts, {first} the first of them") };
    complain(&format!(
        "raddle: notice: not finished, {things} left to do: `raddle work` on {all}, then `raddle gather {}`\n",
        own.directory.display()
    ));
    Ok(outcome)
}
