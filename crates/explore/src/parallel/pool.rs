//! Workers that explore the tasks of one round, and what they come to together.
//!
//! A task that takes too long gives back what is left of it, and that becomes new tasks. When it does is counted in steps,
//! so that the tasks are the same whoever carries them out; only where memory is short does it depend on the machine,
//! and then nothing but the figures of the solver and the number of redundant runs can differ.
//!
//! Workers share nothing but this queue. Each task gets an engine of its own: terms and solver begin anew, which also
//! bounds what they can grow to.

use crate::budget::fault::caught;
use crate::budget::meter::{Live, Meter, Stopped};
use crate::model::Origin;
use crate::parallel::checkpoint::{Paused, Unfinished};
use crate::parallel::earlier::Earlier;
use crate::parallel::gathered::{Gathered, Round};
use crate::parallel::run::run;
use crate::parallel::task::{Path, Task, TaskOutcome};
use crate::{Budget, Exhausted, JointOptions, Pace, Progress, SearchOrder};
use concurrency::Site;
use machine::{Engine, EngineError, Program};
use rustc_hash::{FxBuildHasher, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::hash::BuildHasher;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Steps of the first task, of those that it leaves, and so on; the last for all others. Small searches are one task;
/// large ones soon give every worker something to do.
pub const SHARES: [u64; 3] = [1 << 9, 1 << 12, 1 << 17];

/// Steps of a task at the most where the next one is drawn: it is explored depth first, and what is far from it waits meanwhile.
const RANDOM_SHARE: u64 = 1 << 13;

/// The stack of a worker, in bytes. Terms are walked recursively in places.
pub const STACK: usize = 256 << 20;

/// Between two looks of the progress line.
pub(crate) const TICK: Duration = Duration::from_millis(100);

/// Makes engines that run a program.
pub type NewEngine<'a> = dyn Fn(&Arc<Program>) -> Result<Engine, EngineError> + Sync + 'a;

/// Who explores.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    pub count: NonZeroUsize,
    pub new_engine: &'a NewEngine<'a>,
    /// [`SHARES`], or others for tests; none is 0.
    pub shares: [u64; 3],
}

/// What a round came to; what is left then, if anything is, with what ended it; and what failed, if that did.
pub(crate) type Ended = (Round, Option<(Exhausted, Unfinished<'static>)>, Option<EngineError>);

/// Explores what is left with these visible sites.
pub(crate) fn round(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    earlier: &Earlier,
    left: Unfinished<'static>,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Ended {
    let mut shared = Pool::new(workers, origin, options, earlier, Shared::new(left), budget).run(progress);
    let fault = shared.error.take();
    let left = shared.exhausted.map(|exhausted| (exhausted, shared.unfinished(options).into_owned()));
    let mut round = shared.gathered.into_round(options);
    round.first_alone.cut_short = left.is_some();
    (round, left, fault)
}

/// A task that was carried out to its end, with what is left of it.
pub(crate) struct Whole {
    pub path: Path,
    pub task: Arc<Task>,
    pub outcome: TaskOutcome,
}

/// What came of some tasks of a round: those that were carried out, and all that is left then.
pub(crate) struct Slice {
    pub done: Vec<Whole>,
    pub rest: BTreeMap<Path, Task>,
    pub ended: Option<Exhausted>,
    pub fault: Option<EngineError>,
}

/// Carries out some tasks of a round, and what is left of them, without knowing of the others. One that is cut off counts as
/// not begun, so that tasks are the same wherever a slice ends.
pub(crate) fn slice(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    earlier: &Earlier,
    tasks: BTreeMap<Path, Task>,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Slice {
    let tasks = tasks.into_iter().map(|(path, task)| (path, Cow::Owned(task))).collect();
    let unfinished = Unfinished { tasks, gathered: Cow::Owned(Gathered::default()) };
    let shared = Shared { whole: Some(Vec::new()), ..Shared::new(unfinished) };
    let shared = Pool::new(workers, origin, options, earlier, shared, budget).run(progress);
    let Shared { waiting, running, whole, exhausted, error, .. } = shared;
    let rest = waiting.into_iter().chain(running).map(|(path, task)| (path, Arc::unwrap_or_clone(task))).collect();
    Slice { done: whole.unwrap_or_default(), rest, ended: exhausted, fault: error }
}

struct Pool<'a> {
    workers: Workers<'a>,
    origin: &'a Origin,
    options: JointOptions,
    earlier: &'a Earlier,
    visible: FxHashSet<Site>,
    budget: &'a Budget,
    live: Live,
    shared: Mutex<Shared>,
    /// A task came or went.
    changed: Condvar,
}

struct Shared {
    waiting: BTreeMap<Path, Arc<Task>>,
    running: BTreeMap<Path, Arc<Task>>,
    /// Tasks that somebody began.
    begun: u64,
    gathered: Gathered,
    /// In place of that, what each task came to, those that were cut off excepted.
    whole: Option<Vec<Whole>>,
    exhausted: Option<Exhausted>,
    error: Option<EngineError>,
}

impl Shared {
    fn new(left: Unfinished<'static>) -> Self {
        let waiting = left.tasks.into_iter().map(|(path, task)| (path, Arc::new(task.into_owned()))).collect();
        let gathered = left.gathered.into_owned();
        Shared { waiting, running: BTreeMap::new(), begun: 0, gathered, whole: None, exhausted: None, error: None }
    }

    fn is_over(&self) -> bool {
        self.error.is_some() || self.exhausted.is_some() || self.running.is_empty() && self.waiting.is_empty()
    }

    /// What is left to be done, as if what is running had not begun.
    fn unfinished(&self, options: JointOptions) -> Unfinished<'_> {
        if !options.schedules.are_divisible() {
            // One task, whose parts know of each other: see `share`.
            return Unfinished::default();
        }
        let tasks = self.waiting.iter().chain(&self.running);
        Unfinished {
            tasks: tasks.map(|(path, task)| (path.clone(), Cow::Borrowed(&**task))).collect(),
            gathered: Cow::Borrowed(&self.gathered),
        }
    }
}

/// The steps of a task at this depth of the tree of tasks. Runs that are told apart by what others there were have to
/// stay together.
fn share(workers: Workers, options: JointOptions, depth: usize) -> Option<u64> {
    let share = workers.shares[depth.min(workers.shares.len() - 1)];
    let most = if matches!(options.order, SearchOrder::Random(_)) { RANDOM_SHARE } else { u64::MAX };
    options.schedules.are_divisible().then(|| share.min(most))
}

impl<'a> Pool<'a> {
    fn new(
        workers: Workers<'a>,
        origin: &'a Origin,
        options: JointOptions,
        earlier: &'a Earlier,
        shared: Shared,
        budget: &'a Budget,
    ) -> Self {
        let live = Live { executions: shared.gathered.so_far().counts.executions.into() };
        let (visible, shared, changed) = (earlier.visible(), Mutex::new(shared), Condvar::new());
        Pool { workers, origin, options, earlier, visible, budget, live, shared, changed }
    }

    /// Carries out all tasks, as far as that can be.
    fn run(self, progress: &mut dyn Progress) -> Shared {
        std::thread::scope(|scope| {
            for _ in 0..self.workers.count.get() {
                let worker = std::thread::Builder::new().stack_size(STACK);
                if let Err(error) = worker.spawn_scoped(scope, || self.work()) {
                    self.lock().error.get_or_insert(EngineError::Worker(error));
                }
            }
            self.watch(progress);
        });
        let mut shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        if shared.error.is_some() {
            shared.exhausted = Some(Exhausted::Fault);
        }
        shared
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the progress line going until all is done.
    fn watch(&self, progress: &mut dyn Progress) {
        let mut shared = self.lock();
        while !shared.is_over() {
            shared = self.changed.wait_timeout(shared, TICK).unwrap_or_else(PoisonError::into_inner).0;
            let left = shared.waiting.values().chain(shared.running.values()).map(|task| task.weight);
            let status = Pace {
                executions: self.live.executions.load(Ordering::Relaxed),
                findings: shared.gathered.so_far().findings.len(),
                done: 1.0 - left.sum::<f64>(),
            };
            progress.tick(&status);
            if progress.wants_to_keep() {
                let unfinished = shared.unfinished(self.options);
                progress.keep(&Paused { earlier: Cow::Borrowed(self.earlier), unfinished });
            }
        }
    }

    /// Carries out tasks until there are none.
    fn work(&self) {
        while let Some((path, task)) = self.next_task() {
            let outcome = caught(|| self.carry_out(&path, &task));
            let mut shared = self.lock();
            match outcome {
                Ok(outcome) => {
                    shared.running.remove(&path);
                    self.gather(&mut shared, path, task, outcome);
                }
                // The task counts as not begun.
                Err(error) => {
                    shared.error.get_or_insert(error);
                }
            }
            drop(shared);
            self.changed.notify_all();
        }
    }

    fn next_task(&self) -> Option<(Path, Arc<Task>)> {
        let mut shared = self.lock();
        loop {
            if self.budget.tasks.is_some_and(|tasks| shared.begun >= tasks) && !shared.waiting.is_empty() {
                shared.exhausted.get_or_insert(Exhausted::Interrupted);
            }
            let is_late = self.budget.begin_until.is_some_and(|until| Instant::now() >= until)
                || self.budget.called_back.load(Ordering::Relaxed);
            if is_late && shared.begun > 0 && !shared.waiting.is_empty() {
                shared.exhausted.get_or_insert(Exhausted::Time);
            }
            if shared.is_over() {
                drop(shared);
                self.changed.notify_all();
                return None;
            }
            if let Some((path, task)) = self.take_next(&mut shared.waiting) {
                shared.running.insert(path.clone(), Arc::clone(&task));
                shared.begun += 1;
                return Some((path, task));
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The first of the tasks that wait, or any.
    fn take_next(&self, waiting: &mut BTreeMap<Path, Arc<Task>>) -> Option<(Path, Arc<Task>)> {
        let SearchOrder::Random(seed) = self.options.order else { return waiting.pop_first() };
        let drawn = waiting.keys().min_by_key(|path| FxBuildHasher.hash_one((seed, path)))?.clone();
        waiting.remove_entry(&drawn)
    }

    fn carry_out(&self, path: &Path, task: &Task) -> Result<TaskOutcome, EngineError> {
        let mut engine = (self.workers.new_engine)(self.origin.program())?;
        engine.visible.clone_from(&self.visible);
        let share = share(self.workers, self.options, path.len());
        let mut meter = Meter::new(self.budget, &self.live, share);
        run(&mut engine, self.origin, self.options, task, &mut meter)
    }

    fn gather(&self, shared: &mut Shared, path: Path, task: Arc<Task>, mut outcome: TaskOutcome) {
        if let Some(Stopped::Exhausted(exhausted)) = outcome.stopped {
            shared.exhausted.get_or_insert(exhausted);
            if shared.whole.is_some() {
                shared.waiting.insert(path, task);
                return;
            }
        }
        self.budget.note_found(outcome.seen.iter().flat_map(|seen| seen.found.keys().map(|(key, _)| key)));
        let left = match &shared.whole {
            Some(_) => outcome.left.clone(),
            None => std::mem::take(&mut outcome.left),
        };
        let children = task.children(&path, left, &outcome.racy, &self.visible);
        shared.waiting.extend(children.into_iter().map(|(path, task)| (path, Arc::new(task))));
        match &mut shared.whole {
            Some(whole) => whole.push(Whole { path, task, outcome }),
            None => shared.gathered.add(&path, outcome, self.options),
        }
    }
}
