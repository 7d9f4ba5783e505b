//! The loop: tasks are given to an engine as long as something is left to do.
//!
//! Twice as many tasks are out as there are cores, so that a worker that is done finds the next at once. A task that ends gives
//! back what it did not do, which is dealt among those that wait; where some wait and nothing is left to deal, tasks are called back before their
//! time. Where tasks fail, the next are given later and later, and one to each core, the same if there are no others: engines give
//! the next task to whoever is free, and a worker that can do none is free at once. If none
//! succeeds, that is the end.

use crate::engine::{End, Engine, EngineError, Task, TaskNumber};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// What is to be done.
pub trait Work {
    type Error;

    /// Nobody wants it any more.
    fn is_stopped(&mut self) -> bool;

    /// Takes in what came back; how many things that was. A task that ended is still held: see [`Work::given_back`].
    ///
    /// # Errors
    /// When that cannot be done.
    fn take_in(&mut self) -> Result<usize, Self::Error>;

    /// Nothing is left, as far as was taken in.
    fn is_over(&self) -> bool;

    /// Makes at most so many tasks of what no task holds, if that is anything; and `least` at least, several of the same where it is too
    /// little.
    ///
    /// # Errors
    /// When that cannot be done.
    fn deal(&mut self, many: usize, least: usize) -> Result<Vec<Task>, Self::Error>;

    /// So many cores have nothing to do, and nothing that could be dealt is there: tasks that are out may give back what they have not begun.
    fn call_back(&mut self, many: usize);

    /// The task holds nothing any more: what it did not do can be dealt.
    fn given_back(&mut self, task: TaskNumber);

    /// Why a task failed, in words: `how` it ended by the engine's account.
    fn why(&self, task: TaskNumber, how: &str) -> String;

    /// Something that a user may want to know.
    fn tell(&mut self, situation: Situation<'_>);
}

/// How things stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Situation<'a> {
    /// Nobody is there to do it.
    NoWorkers,
    /// A task failed; it is given again.
    TaskFailed(&'a str),
    /// The engine does not answer; it is asked again.
    NoAnswer(&'a str),
    /// It answers again.
    Answers,
}

/// How it ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    Over,
    Stopped,
}

/// Why it did not.
#[derive(Debug)]
pub enum Failed<E> {
    Work(E),
    Engine(EngineError),
    /// All tasks fail, the last for this reason.
    Tasks(String),
}

/// How long is waited for what.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Between two looks at the engine.
    pub look: Duration,
    /// Until what tasks write meanwhile is looked at.
    pub take_in: Duration,
    /// For an engine that does not answer.
    pub patience: Duration,
    /// Until a task is given again that failed; twice as long each time.
    pub after_failure: Duration,
    /// Tasks at once where the engine does not say how many cores there are.
    pub cores: usize,
}

/// For each core so many tasks are out.
const TASKS_PER_CORE: usize = 2;

/// Taking in takes at most one part in so many of the time.
const THRIFT: u32 = 10;

/// So many times in a row may tasks fail where some succeeded before, and where none did.
const FAILURES: u32 = 10;
const FAILURES_AT_FIRST: u32 = 7;

/// So many times in a row an engine may have to be made to work again, with no task done since.
const INTERRUPTIONS: u32 = 10;

/// The longest pause after failures.
const LONGEST: Duration = Duration::from_secs(10);

/// Has work done until nothing is left of it.
///
/// # Errors
/// When it cannot be: the engine does not come back, all tasks fail, or the work itself fails.
pub fn ship<W: Work>(engine: &mut dyn Engine, work: &mut W, pace: Pace) -> Result<Ended, Failed<W::Error>> {
    let mut shipping = Shipping::new(engine, work, pace);
    let ended = shipping.until_over();
    // Whoever works on something yet need not.
    shipping.engine.cancel();
    ended
}

struct Shipping<'a, W: Work> {
    engine: &'a mut dyn Engine,
    work: &'a mut W,
    pace: Pace,
    /// Tasks that the engine has.
    out: BTreeSet<TaskNumber>,
    /// Tasks that ended, whose results were not looked for yet.
    ended: Vec<TaskNumber>,
    taken_in: Instant,
    /// What that took.
    took: Duration,
    has_succeeded: bool,
    /// Looks in a row at which tasks had failed, and none had succeeded since.
    failures: u32,
    /// Why the last did.
    last: Option<String>,
    /// Since a task was done.
    interruptions: u32,
    /// Nothing is given before.
    not_before: Instant,
    cores: Option<usize>,
}

impl<'a, W: Work> Shipping<'a, W> {
    fn new(engine: &'a mut dyn Engine, work: &'a mut W, pace: Pace) -> Self {
        let now = Instant::now();
        Shipping {
            engine,
            work,
            pace,
            out: BTreeSet::new(),
            ended: Vec::new(),
            taken_in: now,
            took: Duration::ZERO,
            has_succeeded: false,
            failures: 0,
            last: None,
            interruptions: 0,
            not_before: now,
            cores: None,
        }
    }

    fn until_over(&mut self) -> Result<Ended, Failed<W::Error>> {
        // What an earlier process left.
        self.take_in()?;
        loop {
            if self.work.is_over() {
                return Ok(Ended::Over);
            }
            if self.work.is_stopped() {
                self.take_in()?;
                return Ok(if self.work.is_over() { Ended::Over } else { Ended::Stopped });
            }
            if let Err(error) = self.look() {
                self.wait_for_answer(error)?;
            } else if let Err(error) = self.give()? {
                self.wait_for_answer(error)?;
            }
            std::thread::sleep(self.pace.look);
            let now = Instant::now();
            let is_time = !self.ended.is_empty() || now >= self.taken_in + self.pace.take_in;
            if is_time && (self.out.is_empty() || now >= self.taken_in + self.took * THRIFT) {
                self.take_in()?;
            }
            if let Some(why) = self.hopeless() {
                return Err(Failed::Tasks(why));
            }
        }
    }

    /// Sees which tasks ended.
    fn look(&mut self) -> Result<(), EngineError> {
        let status = self.engine.follow()?;
        if status.cores == Some(0) && self.cores != Some(0) {
            self.work.tell(Situation::NoWorkers);
        }
        self.cores = status.cores;
        let (mut done, mut failed) = (false, None);
        for (task, end) in status.ended {
            if !self.out.remove(&task) {
                continue;
            }
            self.ended.push(task);
            match end {
                End::Done => done = true,
                End::Failed(how) => failed = Some(self.work.why(task, &how)),
                End::Lost => {}
            }
        }
        if done {
            (self.failures, self.interruptions, self.has_succeeded) = (0, 0, true);
        }
        if let Some(why) = failed {
            self.work.tell(Situation::TaskFailed(&why));
            if !done {
                self.not_before =
                    Instant::now() + (self.pace.after_failure * (1 << self.failures.min(16))).min(LONGEST);
                self.failures += 1;
                self.last = Some(why);
            }
        }
        Ok(())
    }

    /// Why nothing more is tried.
    fn hopeless(&mut self) -> Option<String> {
        let most = if self.has_succeeded { FAILURES } else { FAILURES_AT_FIRST };
        // Somebody may still be at work.
        (self.failures >= most && self.out.is_empty()).then(|| self.last.take().unwrap_or_default())
    }

    /// Gives the engine what it has room for.
    fn give(&mut self) -> Result<Result<(), EngineError>, Failed<W::Error>> {
        let cores = self.cores.filter(|&cores| cores > 0).unwrap_or(self.pace.cores);
        let room = (cores * TASKS_PER_CORE).saturating_sub(self.out.len());
        if room == 0 || Instant::now() < self.not_before {
            return Ok(Ok(()));
        }
        let least = if self.failures > 0 && self.out.is_empty() { cores } else { 0 };
        let tasks = self.work.deal(room, least).map_err(Failed::Work)?;
        self.out.extend(tasks.iter().map(|task| task.number));
        // Those that ended have something for somebody, as soon as it is taken in.
        let idle = cores.saturating_sub(self.out.len() + self.ended.len());
        if idle > 0 && !self.out.is_empty() {
            self.work.call_back(idle);
        }
        Ok(if tasks.is_empty() { Ok(()) } else { self.engine.submit(&tasks) })
    }

    fn take_in(&mut self) -> Result<(), Failed<W::Error>> {
        let begun = Instant::now();
        // Tasks that ended before have written all that they will write.
        let ended = std::mem::take(&mut self.ended);
        self.work.take_in().map_err(Failed::Work)?;
        ended.into_iter().for_each(|task| self.work.given_back(task));
        self.taken_in = Instant::now();
        self.took = self.taken_in - begun;
        Ok(())
    }

    /// Asks an engine that did not answer until it does. What it had is given again: what it does all the same counts once.
    fn wait_for_answer(&mut self, error: EngineError) -> Result<(), Failed<W::Error>> {
        if matches!(error, EngineError::Refused(_)) {
            return Err(Failed::Engine(error));
        }
        self.work.tell(Situation::NoAnswer(&error.to_string()));
        let until = Instant::now() + self.pace.patience;
        self.interruptions += 1;
        let mut is_late = self.interruptions > INTERRUPTIONS;
        loop {
            match self.engine.again() {
                _ if self.work.is_stopped() => return Ok(()),
                Ok(()) if !is_late => break,
                Err(error) if is_late => {
                    self.take_in()?;
                    return Err(Failed::Engine(error));
                }
                Ok(()) => {
                    self.take_in()?;
                    return Err(Failed::Engine(error));
                }
                Err(_) => {}
            }
            std::thread::sleep(self.pace.look * 5);
            is_late = Instant::now() >= until;
        }
        self.ended.extend(std::mem::take(&mut self.out));
        self.work.tell(Situation::Answers);
        self.take_in()
    }
}
