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
use crate::parallel::gathered::{Gathered, Path, Round};
use crate::parallel::run::run;
use crate::parallel::task::{Task, TaskOutcome, TaskPart};
use crate::{Budget, Exhausted, JointOptions, Pace, Progress};
use concurrency::Site;
use machine::{Engine, EngineError, Program};
use rustc_hash::FxHashSet;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Steps of the first task, of those that it leaves, and so on; the last for all others. Small searches are one task;
/// large ones soon give every worker something to do.
pub const SHARES: [u64; 3] = [1 << 9, 1 << 12, 1 << 17];

/// Tasks that the rest of one becomes, at most.
const MOST_CHILDREN: usize = 8;

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
    let live = Live { executions: left.gathered.so_far().counts.executions.into() };
    let shared = Mutex::new(Shared::new(left));
    let visible = earlier.visible();
    let pool = Pool { workers, origin, options, earlier, visible, budget, live, shared, changed: Condvar::new() };
    std::thread::scope(|scope| {
        for _ in 0..workers.count.get() {
            let worker = std::thread::Builder::new().stack_size(STACK);
            if let Err(error) = worker.spawn_scoped(scope, || pool.work()) {
                pool.lock().error.get_or_insert(EngineError::Worker(error));
            }
        }
        pool.watch(progress);
    });
    let mut shared = pool.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
    let fault = shared.error.take();
    if fault.is_some() {
        shared.exhausted = Some(Exhausted::Fault);
    }
    let left = shared.exhausted.map(|exhausted| (exhausted, shared.unfinished(options).into_owned()));
    let mut round = shared.gathered.into_round(options);
    round.first_alone.cut_short = left.is_some();
    (round, left, fault)
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
    exhausted: Option<Exhausted>,
    error: Option<EngineError>,
}

impl Shared {
    fn new(left: Unfinished<'static>) -> Self {
        let waiting = left.tasks.into_iter().map(|(path, task)| (path, Arc::new(task.into_owned()))).collect();
        let gathered = left.gathered.into_owned();
        Shared { waiting, running: BTreeMap::new(), begun: 0, gathered, exhausted: None, error: None }
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
    options.schedules.are_divisible().then(|| workers.shares[depth.min(workers.shares.len() - 1)])
}

impl Pool<'_> {
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
                    self.gather(&mut shared, &path, task.weight, outcome);
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
            if shared.is_over() {
                drop(shared);
                self.changed.notify_all();
                return None;
            }
            if let Some((path, task)) = shared.waiting.pop_first() {
                shared.running.insert(path.clone(), Arc::clone(&task));
                shared.begun += 1;
                return Some((path, task));
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn carry_out(&self, path: &Path, task: &Task) -> Result<TaskOutcome, EngineError> {
        let mut engine = (self.workers.new_engine)(self.origin.program())?;
        engine.visible.clone_from(&self.visible);
        let share = share(self.workers, self.options, path.len());
        let mut meter = Meter::new(self.budget, &self.live, share);
        run(&mut engine, self.origin, self.options, task, &mut meter)
    }

    fn gather(&self, shared: &mut Shared, path: &Path, weight: f64, mut outcome: TaskOutcome) {
        let left = std::mem::take(&mut outcome.left);
        if let Some(Stopped::Exhausted(exhausted)) = outcome.stopped {
            shared.exhausted.get_or_insert(exhausted);
        }
        self.budget.note_found(outcome.seen.iter().flat_map(|seen| seen.found.keys().map(|(key, _)| key)));
        let needs_another = outcome.racy.iter().any(|site| !self.visible.contains(site));
        // Where the first task shows that another round is needed, the rest of this one is left out.
        if !path.is_empty() || !needs_another {
            let mut weight = weight;
            for (index, parts) in grouped(left).into_iter().enumerate().rev() {
                weight /= 2.0;
                let child: Path = path.iter().copied().chain([index as u32]).collect();
                shared.waiting.insert(child, Arc::new(Task { parts, weight }));
            }
        }
        shared.gathered.add(path, outcome, self.options);
    }
}

/// What a task left becomes tasks: the last parts, which are the largest as a rule, one each.
fn grouped(mut left: Vec<TaskPart>) -> Vec<Vec<TaskPart>> {
    let alone = left.split_off(left.len().saturating_sub(MOST_CHILDREN - 1));
    let first = (!left.is_empty()).then_some(left);
    first.into_iter().chain(alone.into_iter().map(|part| vec![part])).collect()
}
