//! A search on an engine's workers: what is left of it is dealt into parts, each a task, and what comes back is taken in.
//!
//! A part that is out holds the things that it was made of, and what these leave, of which something may come back before its task ends: nobody
//! else gets them. When its task has ended it holds nothing, and what
//! did not come back is dealt anew. So a task may be lost, end early or come back late, as in [`crate::parts`].
//!
//! Guarantee: the search is put aside with all that came back before anything that came back is removed; whatever is killed when, nothing
//! is lost but what tasks had begun.
//! Knows nothing of the engine.

use crate::analysis::{Kept, Owner, PartBatch, PartDone, Thing, deal};
use crate::errors::InputError;
use crate::parts::{self, About, PartsFolder};
use crate::progress::Counters;
use crate::run::Run;
use crate::unfinished::Keeper;
use cluster::{Situation, Task, TaskNumber, Work};
use rustc_hash::{FxHashMap, FxHashSet};
use serde_json::{Value, json};
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a task goes on before it gives back what is left: longer the longer the search goes on, since each task costs a process and a look
/// at the program. At first as long as it takes for all to have something to do, which calling back sees to.
const FIRST: Duration = Duration::from_secs(3);
/// Where tasks are lost.
const LEAST: Duration = Duration::from_secs(1);
const LONGEST: Duration = Duration::from_secs(20);
/// The part of the time since the search began. What is left plays no part: whoever has nothing to do calls tasks back, and estimates say for long
/// that little is left.
const SLICES: u32 = 6;

/// How long tasks are given.
struct Slices {
    /// None is given longer: where workers are killed, what they had begun is lost, and less is lost of less.
    longest: Duration,
}

impl Slices {
    fn next(&self, begun: Duration) -> Duration {
        (begun / SLICES).max(FIRST).min(self.longest)
    }

    /// A task brought nothing back of the time that it was given.
    fn lost(&mut self, given: Duration) {
        self.longest = (self.longest.min(given) / 2).max(LEAST);
    }

    /// A task brought something back.
    fn came_back(&mut self) {
        self.longest = (self.longest * 2).min(LONGEST);
    }
}

/// What has begun is left alone for so long: starting it took a part of that.
const LEFT_ALONE: Duration = Duration::from_millis(500);

/// Less tells nothing of how long the rest will take.
const LEAST_DONE: f64 = 0.01;
const LEAST_TIME: Duration = Duration::from_secs(2);

/// So many parts have names of one length.
const EXPECTED: usize = 100_000;

/// How much of what a task complained about is passed on.
const MOST_WORDS: usize = 600;

/// A time limit leaves a part of the time for confirming what was found, and so much at the most.
const FOR_CONFIRMING: u32 = 8;
const FOR_CONFIRMING_AT_MOST: Duration = Duration::from_secs(10);

/// A search that others work on.
pub struct Shipped<'r> {
    run: &'r Run,
    about: About<'static>,
    owner: Owner,
    parts: PartsFolder,
    keeper: Keeper,
    /// This program, as workers find it.
    program: PathBuf,
    begun: Instant,
    /// Of a limited time, all but what confirming takes.
    until: Option<Instant>,
    last: u64,
    slices: Slices,
    out: FxHashMap<TaskNumber, Out>,
    /// By so many tasks each.
    held: FxHashMap<Thing, usize>,
    /// Files with results that are not put aside yet.
    taken: Vec<PathBuf>,
    told: FxHashSet<String>,
    tell: Box<dyn FnMut(&str) + 'r>,
    log: Option<File>,
}

/// A part that is out.
struct Out {
    things: Vec<Thing>,
    part: PathBuf,
    errors: PathBuf,
    slice: Duration,
    given: Instant,
    /// It was asked to give back what it has not begun.
    called_back: bool,
    /// Something of it came back.
    came_back: bool,
}

impl<'r> Shipped<'r> {
    /// `program`: the one that workers run; `tell`: for what a user may want to know.
    ///
    /// # Errors
    /// When the folder for parts cannot be made, or the search not be put aside.
    pub fn new(
        run: &'r Run,
        module: &ir::Module,
        owner: Owner,
        program: PathBuf,
        tell: impl FnMut(&str) + 'r,
    ) -> Result<Self, InputError> {
        let folder = run.folder.path().and_then(std::path::absolute);
        let folder = folder.map_err(|e| unwritten(run.folder.out(), &e))?;
        let mut parts = PartsFolder::new(&folder, run.typed.clone(), 1);
        parts.remove_parts()?;
        parts.begin(module, EXPECTED)?;
        let kept = owner.kept();
        let about = About { request: kept.search.clone(), program: kept.program.clone() };
        let begun = Instant::now();
        let spared = |end: Instant| {
            let left = end.saturating_duration_since(begun);
            end.checked_sub((left / FOR_CONFIRMING).min(FOR_CONFIRMING_AT_MOST)).unwrap_or(end)
        };
        let shipped = Shipped {
            run,
            about,
            owner,
            parts,
            keeper: Keeper::new(run.typed.clone()),
            program,
            begun,
            until: run.budget.deadline.map(spared),
            last: 0,
            slices: Slices { longest: LONGEST },
            out: FxHashMap::default(),
            held: FxHashMap::default(),
            taken: Vec::new(),
            told: FxHashSet::default(),
            tell: Box::new(tell),
            log: None,
        };
        shipped.put_aside()?;
        Ok(shipped)
    }

    /// What is known of the search, to go on with or to report. Nobody works on it any more.
    ///
    /// # Errors
    /// When it cannot be put aside.
    pub fn into_kept(mut self) -> Result<(Kept<'static>, PartsFolder), InputError> {
        self.put_aside()?;
        self.parts.forget(std::mem::take(&mut self.taken));
        self.parts.remove_parts()?;
        Ok((self.owner.into_kept(), self.parts))
    }

    /// Notes in this file what is shipped, a line of JSON each: for measurements.
    pub fn log_to(&mut self, file: File) {
        self.log = Some(file);
    }

    fn log(&mut self, what: impl FnOnce() -> Value) {
        note(&mut self.log, || Some(what()));
    }

    /// Of a search that begins: whether executions come back to known states so often that they are better not counted. Then one process, which has
    /// to know of all, does better alone.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn is_hopeless(&mut self) -> anyhow::Result<bool> {
        let log = &mut self.log;
        self.owner.is_hopeless(self.run, &mut |done| note_done(log, done))
    }

    fn put_aside(&self) -> Result<(), InputError> {
        let kept = self.owner.kept();
        let written = self.keeper.keep(&self.run.folder, kept, kept.in_words().into_iter());
        written.map_err(|e| unwritten(&self.run.folder.shown(crate::unfinished::NAMES[0]), &e))
    }

    /// How long all that is begun takes yet, if it goes on as it did.
    fn remaining(&self) -> Option<Duration> {
        let (done, taken) = (self.owner.pace().done, self.begun.elapsed());
        if done < LEAST_DONE || taken < LEAST_TIME {
            return None;
        }
        Duration::try_from_secs_f64(taken.as_secs_f64() / done * (1.0 - done)).ok()
    }

    /// Things that nobody has.
    fn free(&self) -> Vec<PartBatch> {
        let things = self.owner.open().cloned().flat_map(PartBatch::apart);
        let is_held = |thing: &Thing| thing.and_above().any(|thing| self.held.contains_key(&thing));
        things.filter(|thing| !thing.standings().iter().any(is_held)).collect()
    }

    fn show(&self) {
        let pace = self.owner.pace();
        self.run.progress.update(&Counters {
            executions: pace.executions,
            findings: pace.findings,
            remaining: self.remaining(),
            ..Counters::default()
        });
    }

    /// Tells once what may come often.
    fn tell_once(&mut self, what: String) {
        if self.told.insert(what.clone()) {
            (self.tell)(&what);
        }
    }
}

impl Work for Shipped<'_> {
    type Error = anyhow::Error;

    fn is_stopped(&mut self) -> bool {
        self.run.budget.stopped().is_some() || self.until.is_some_and(|until| Instant::now() >= until)
    }

    fn take_in(&mut self) -> anyhow::Result<usize> {
        let begun = Instant::now();
        let (done, read) = self.parts.came_back(&self.about)?.into_parts();
        let many = done.len();
        done.iter().for_each(|done| note_done(&mut self.log, done));
        let bytes = |path: &PathBuf| path.metadata().map_or(0, |data| data.len());
        self.log(|| json!({ "came_back": read.iter().map(bytes).collect::<Vec<_>>(), "things": many }));
        if many > 0 {
            self.owner.take_in(done);
        }
        for out in self.out.values_mut() {
            out.came_back |= read.iter().any(|path| parts::is_of(path, &out.part));
        }
        self.taken.extend(read);
        if self.keeper.is_due() && !self.taken.is_empty() {
            self.put_aside()?;
            self.parts.forget(std::mem::take(&mut self.taken));
        }
        self.show();
        self.log(|| json!({ "took_in_s": begun.elapsed().as_secs_f64() }));
        Ok(many)
    }

    fn is_over(&self) -> bool {
        self.owner.open().next().is_none()
    }

    fn deal(&mut self, many: usize, least: usize) -> anyhow::Result<Vec<Task>> {
        let mut free = self.free();
        if self.out.is_empty() && free.len() < many {
            // The first tasks of a round are short: what they leave is for all.
            self.owner.forget_unreached();
            let log = &mut self.log;
            let mut note = |done: &PartDone| note_done(log, done);
            if self.owner.begin(self.run, many, &mut note)? {
                free = self.free();
            }
        }
        let slice = self.slices.next(self.begun.elapsed());
        let seconds = format!("{:.1}", slice.as_secs_f64());
        let mut tasks = Vec::new();
        let dealt = deal(free, many);
        let least = if dealt.is_empty() { 0 } else { least };
        for batches in dealt.iter().cycle().take(dealt.len().max(least)) {
            let things: Vec<Thing> = batches.iter().flat_map(PartBatch::standings).collect();
            let part = self.parts.add(&self.about, batches)?;
            let bytes = || part.metadata().map_or(0, |data| data.len());
            self.log(|| json!({ "part": bytes(), "things": things.len(), "slice_s": seconds }));
            let errors = part.with_extension(parts::ERRORS);
            self.last += 1;
            let number = TaskNumber(self.last);
            let words = [&*self.program.to_string_lossy(), "work", &part.to_string_lossy(), "--for", &seconds];
            let command = words.into_iter().chain(["--workers", "1"]).map(str::to_owned).collect();
            tasks.push(Task { number, command, errors: errors.clone() });
            for thing in &things {
                *self.held.entry(thing.clone()).or_default() += 1;
            }
            self.out.insert(
                number,
                Out { things, part, errors, slice, given: Instant::now(), called_back: false, came_back: false },
            );
        }
        Ok(tasks)
    }

    fn call_back(&mut self, many: usize) {
        let may_be = |out: &&mut Out| !out.called_back && out.given.elapsed() >= LEFT_ALONE;
        let mut some: Vec<&mut Out> = self.out.values_mut().filter(may_be).collect();
        some.sort_by_key(|out| out.given);
        for out in some.into_iter().take(many) {
            out.called_back = true;
            // Who does not hear of it ends with its slice.
            let _ = parts::call_back(&out.part);
        }
    }

    fn given_back(&mut self, task: TaskNumber) {
        let Some(Out { things, part, errors, slice, came_back, .. }) = self.out.remove(&task) else { return };
        match came_back {
            true => self.slices.came_back(),
            false => self.slices.lost(slice),
        }
        for thing in things {
            if let Entry::Occupied(mut held) = self.held.entry(thing) {
                *held.get_mut() -= 1;
                if *held.get() == 0 {
                    held.remove();
                }
            }
        }
        // Whoever works on it all the same does no harm.
        parts::forget_call(&part);
        let _ = std::fs::remove_file(part);
        let _ = std::fs::remove_file(errors);
    }

    fn why(&self, task: TaskNumber, how: &str) -> String {
        let Some(out) = self.out.get(&task) else { return how.to_owned() };
        let said = std::fs::read(&out.errors).unwrap_or_default();
        let said = String::from_utf8_lossy(&said[..said.len().min(MOST_WORDS)]).trim().to_owned();
        let place = out.errors.parent().unwrap_or(Path::new("")).display().to_string();
        match (said.is_empty(), out.errors.exists()) {
            (false, _) => said.trim_start_matches("raddle: error: ").to_owned(),
            (true, true) => how.to_owned(),
            (true, false) => format!(
                "{how} It left nothing in {place}: workers have to see that folder and {}; --out names another",
                self.program.display()
            ),
        }
    }

    fn tell(&mut self, situation: Situation<'_>) {
        match situation {
            Situation::NoWorkers => self.tell_once(
                "the server has no workers yet: `hq worker start` on any machine that sees this folder adds one"
                    .to_owned(),
            ),
            Situation::TaskFailed(why) => self.tell_once(format!("a worker's task failed, and is given again: {why}")),
            Situation::NoAnswer(why) => self.tell_once(format!("{why}; it is asked again")),
            Situation::Answers => self.tell_once("the server answers again; nothing is lost".to_owned()),
        }
    }
}

fn note(log: &mut Option<File>, what: impl FnOnce() -> Option<Value>) {
    if let Some(log) = log
        && let Some(what) = what()
    {
        // Nobody waits for it.
        let _ = writeln!(log, "{what}");
    }
}

fn note_done(log: &mut Option<File>, done: &PartDone) {
    note(log, || Some(json!({ "task": done.account()? })));
}

fn unwritten(place: &Path, e: &std::io::Error) -> InputError {
    InputError::new("output", format!("{} cannot be written: {e}", place.display())).in_file(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_grow_with_the_search_and_shrink_where_they_are_lost() {
        let mut slices = Slices { longest: LONGEST };
        let seconds = Duration::from_secs;
        assert_eq!(slices.next(seconds(0)), FIRST);
        assert_eq!(slices.next(seconds(60)), seconds(10));
        assert_eq!(slices.next(seconds(6000)), LONGEST);
        // Who is killed every three seconds has brought something back before long.
        (0..3).for_each(|_| slices.lost(slices.next(seconds(6000))));
        assert_eq!(slices.next(seconds(6000)), Duration::from_millis(2500));
        (0..5).for_each(|_| slices.lost(LEAST));
        assert_eq!([0, 6000].map(|begun| slices.next(seconds(begun))), [LEAST; 2]);
        (0..5).for_each(|_| slices.came_back());
        assert_eq!(slices.next(seconds(6000)), LONGEST);
    }
}
