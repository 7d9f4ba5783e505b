//! A search in several processes' hands: what can be done of it now by whoever has the program, and what came of that.
//!
//! A [`Batch`] is either the search for likely races, which comes before the first round, or tasks of one round. [`work`]
//! carries it out; each thing that is [`Done`] says what it is: in which round, where in the tree, of which task. [`Paused::take_in`]
//! is the whole search's owner, who has what came back: from the tasks that are open it goes to those that they left, for as
//! long as these are done as well, and to the next round when the last one is.
//!
//! Guarantee: tasks are those that one process carries out, so what comes of them all does not depend on who had which. What
//! comes back twice counts once, what does not come back stays open, and what nobody waits for is left aside.
//! Not promised: that what comes back is true. Whoever can write it is believed.
//! Knows nothing of files.

use crate::budget::fault::caught;
use crate::model::Origin;
use crate::parallel::checkpoint::{Paused, Unfinished};
use crate::parallel::earlier::Earlier;
use crate::parallel::gathered::Gathered;
use crate::parallel::pool::{SHARES, Slice, Whole, Workers, slice};
use crate::parallel::task::{Path, Task, TaskOutcome};
use crate::races::guided::guided;
use crate::{Budget, Exhausted, FindingKey, JointOptions, Likely, Pace, Progress};
use concurrency::Site;
use machine::EngineError;
use memory::Fingerprint;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What comes next in a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Next {
    /// The search for likely races.
    Likely,
    /// Tasks of a round.
    Tasks,
    /// It is over, or a round is, and the next can begin.
    Nothing,
}

/// What can be done of a search now, without knowing the rest of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch(Stage);

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Stage {
    Likely(Box<Earlier>),
    Round {
        /// Those that are visible.
        sites: Vec<Site>,
        #[serde(with = "crate::run::shared::together")]
        tasks: BTreeMap<Path, Task>,
    },
}

/// What tells things to be done apart within one search.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
struct Which {
    /// Of what is known before: the visible sites, and of the search for likely races what was found.
    before: Fingerprint,
    /// A task's place and content; none: the search for likely races.
    task: Option<(Path, Fingerprint)>,
}

/// Where something to do stands. What a task leaves stands below it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Standing {
    before: Fingerprint,
    /// None: the search for likely races.
    path: Option<Path>,
}

/// Something that was done, and what came of it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Done {
    which: Which,
    came: Came,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
enum Came {
    Likely(Box<Earlier>),
    Task(Box<TaskOutcome>),
}

/// What is known to be done; of what was done twice, what was added first.
#[derive(Default)]
pub struct DoneSet(FxHashMap<Which, Came>);

impl Done {
    /// Its place in the tree of tasks, and how many instructions it took; none: it was no task of a round.
    pub fn place(&self) -> Option<(&[u32], u64)> {
        let (path, _) = self.which.task.as_ref()?;
        let Came::Task(outcome) = &self.came else { return None };
        Some((path, outcome.spent.statistics.instructions))
    }

    /// What is known before it: tasks of one round have the same.
    pub fn round(&self) -> String {
        format!("{:?}", self.which.before)
    }
}

impl DoneSet {
    pub fn add(&mut self, done: Done) {
        self.0.entry(done.which).or_insert(done.came);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What came of working on a batch.
pub struct Worked {
    pub done: Vec<Done>,
    /// What is left, if anything is.
    pub rest: Option<Batch>,
    /// What ended the work before all was done.
    pub ended: Option<Exhausted>,
    /// What failed, if something did. It counts as not begun.
    pub fault: Option<EngineError>,
}

impl Batch {
    /// Things to do, each with how much of its round it is taken for.
    pub fn apart(self) -> Vec<(f64, Batch)> {
        match self.0 {
            Stage::Likely(earlier) => vec![(1.0, Batch(Stage::Likely(earlier)))],
            Stage::Round { sites, tasks } => {
                let alone = |(path, task): (Path, Task)| {
                    let (weight, tasks) = (task.weight, BTreeMap::from([(path, task)]));
                    (weight, Batch(Stage::Round { sites: sites.clone(), tasks }))
                };
                tasks.into_iter().map(alone).collect()
            }
        }
    }

    /// Whether all of it is a task that takes a few thousand steps at the most, and may leave several.
    pub fn is_first(&self) -> bool {
        matches!(&self.0, Stage::Round { tasks, .. } if tasks.len() == 1 && tasks.keys().all(|path| path.len() + 1 < SHARES.len()))
    }

    /// How many things there are to do.
    pub fn many(&self) -> usize {
        match &self.0 {
            Stage::Likely(_) => 1,
            Stage::Round { tasks, .. } => tasks.len(),
        }
    }

    /// Where each of the things to do stands.
    pub fn standings(&self) -> Vec<Standing> {
        match &self.0 {
            Stage::Likely(earlier) => vec![Standing { before: Which::likely(earlier).before, path: None }],
            Stage::Round { sites, tasks } => {
                let before = Fingerprint::of(sites);
                tasks.keys().map(|path| Standing { before, path: Some(path.clone()) }).collect()
            }
        }
    }

    /// Adds another batch of the same round, if it is one.
    ///
    /// # Errors
    /// With that, if it is not.
    pub fn join(&mut self, other: Batch) -> Result<(), Batch> {
        match (&mut self.0, other.0) {
            (Stage::Round { sites, tasks }, Stage::Round { sites: same, tasks: more }) if *sites == same => {
                tasks.extend(more);
                Ok(())
            }
            (_, other) => Err(Batch(other)),
        }
    }
}

impl Standing {
    /// Itself, and all that it stands below.
    pub fn and_above(&self) -> impl Iterator<Item = Standing> {
        let lengths = 0..self.path.as_ref().map_or(0, Vec::len);
        let above = lengths.rev().map(|length| {
            let path = self.path.as_ref().map(|path| path[..length].to_vec());
            Standing { before: self.before, path }
        });
        std::iter::once(self.clone()).chain(above)
    }
}

impl Which {
    /// The search for likely races.
    fn likely(earlier: &Earlier) -> Which {
        let mut found: Vec<&FindingKey> = earlier.found.keys().collect();
        found.sort();
        Which { before: Fingerprint::of((&earlier.sites, found)), task: None }
    }

    fn task(sites: &[Site], path: &Path, task: &Task) -> Which {
        Which { before: Fingerprint::of(sites), task: Some((path.clone(), Fingerprint::of(&task.parts))) }
    }
}

/// Carries out what a batch asks for, as far as the budget goes. Each thing is done as a whole or not at all.
pub fn work(
    workers: Workers,
    origin: &Origin,
    options: JointOptions,
    batch: Batch,
    budget: &Budget,
    progress: &mut dyn Progress,
) -> Worked {
    let (sites, tasks) = match batch.0 {
        Stage::Likely(earlier) => return likely(workers, origin, options, *earlier, budget),
        Stage::Round { sites, tasks } => (sites, tasks),
    };
    let earlier = Earlier { sites, ..Earlier::default() };
    let Slice { done, rest, ended, fault } = slice(workers, origin, options, &earlier, tasks, budget, progress);
    let sites = earlier.sites;
    let whole = |Whole { path, task, outcome }: Whole| Done {
        which: Which::task(&sites, &path, &task),
        came: Came::Task(Box::new(outcome)),
    };
    let done = done.into_iter().map(whole).collect();
    let rest = (!rest.is_empty()).then(|| Batch(Stage::Round { sites: sites.clone(), tasks: rest }));
    Worked { done, rest, ended, fault }
}

/// Searches for likely races.
fn likely(workers: Workers, origin: &Origin, options: JointOptions, earlier: Earlier, budget: &Budget) -> Worked {
    let search = || guided(&mut (workers.new_engine)(origin.program())?, origin, options, budget, earlier.clone());
    let (after, ended, fault) = match caught(search) {
        Ok(after) => (after.guided.is_some().then_some(after), budget.exhausted(), None),
        Err(fault) => (None, Some(Exhausted::Fault), Some(fault)),
    };
    let which = Which::likely(&earlier);
    match after {
        Some(after) => {
            Worked { done: vec![Done { which, came: Came::Likely(Box::new(after)) }], rest: None, ended: None, fault }
        }
        None => Worked { done: Vec::new(), rest: Some(Batch(Stage::Likely(Box::new(earlier)))), ended, fault },
    }
}

impl Paused<'_> {
    pub(crate) fn next(&self, origin: &Origin, options: JointOptions) -> Next {
        let is_guided = origin.is_guided(options);
        match &self.earlier.guided {
            None if is_guided && self.unfinished.is_whole() => Next::Likely,
            Some(_) if options.likely == Likely::Only => Next::Nothing,
            _ if self.unfinished.tasks.is_empty() => Next::Nothing,
            _ => Next::Tasks,
        }
    }
}

impl Paused<'_> {
    /// How far it is: what this round came to, and how much of it is done.
    pub fn pace(&self) -> Pace {
        let so_far = self.unfinished.gathered.so_far();
        let left: f64 = self.unfinished.tasks.values().map(|task| task.weight).sum();
        Pace {
            executions: so_far.counts.executions,
            findings: self.found().count(),
            done: (1.0 - left).clamp(0.0, 1.0),
        }
    }

    /// Executions of this round that came back to a state in which they had been.
    pub fn repeated(&self) -> u64 {
        self.unfinished.gathered.so_far().counts.repeated
    }
}

impl Paused<'static> {
    /// What can be done of it now; none: nothing is left.
    pub fn open(&self, origin: &Origin, options: JointOptions) -> Option<Batch> {
        match self.next(origin, options) {
            Next::Nothing => None,
            Next::Likely => Some(Batch(Stage::Likely(Box::new(self.earlier.clone().into_owned())))),
            Next::Tasks => {
                let tasks = self.unfinished.tasks.iter();
                let tasks = tasks.map(|(path, task)| (path.clone(), task.clone().into_owned())).collect();
                Some(Batch(Stage::Round { sites: self.earlier.sites.clone(), tasks }))
            }
        }
    }

    /// Takes in what was done of it, and goes on to the next round where one is over.
    pub fn take_in(&mut self, origin: &Origin, options: JointOptions, done: &mut DoneSet) {
        loop {
            match self.next(origin, options) {
                Next::Likely => {
                    let Some(Came::Likely(after)) = done.0.remove(&Which::likely(&self.earlier)) else { return };
                    self.earlier = Cow::Owned(*after);
                }
                Next::Tasks => {
                    self.take_in_tasks(options, done);
                    if !self.unfinished.tasks.is_empty() {
                        return;
                    }
                }
                Next::Nothing => {
                    let is_likely_only = options.likely == Likely::Only && self.earlier.guided.is_some();
                    if is_likely_only || self.earlier.sees_all(self.unfinished.gathered.so_far()) {
                        return;
                    }
                    let Unfinished { gathered, .. } = std::mem::take(&mut self.unfinished);
                    self.earlier.to_mut().before_next(gathered.into_owned().into_round(options));
                }
            }
        }
    }

    /// Takes in tasks that are open, and those that they left, in the order of the tree.
    fn take_in_tasks(&mut self, options: JointOptions, done: &mut DoneSet) {
        let Paused { earlier, unfinished } = self;
        let visible = earlier.visible();
        let gathered: &mut Gathered = unfinished.gathered.to_mut();
        let mut waiting = std::mem::take(&mut unfinished.tasks);
        while let Some((path, task)) = waiting.pop_first() {
            match done.0.remove(&Which::task(&earlier.sites, &path, &task)) {
                Some(Came::Task(mut outcome)) => {
                    let left = std::mem::take(&mut outcome.left);
                    let children = task.children(&path, left, &outcome.racy, &visible);
                    waiting.extend(children.into_iter().map(|(path, task)| (path, Cow::Owned(task))));
                    gathered.add(&path, *outcome, options);
                }
                Some(Came::Likely(_)) | None => drop(unfinished.tasks.insert(path, task)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_task_leaves_stands_below_it_in_its_round() {
        let at = |round: u128, path: &[u32]| Standing { before: Fingerprint(round), path: Some(path.to_vec()) };
        let above: Vec<Standing> = at(1, &[3, 0, 2]).and_above().collect();
        assert_eq!(above, [at(1, &[3, 0, 2]), at(1, &[3, 0]), at(1, &[3]), at(1, &[])]);
        let likely = Standing { before: Fingerprint(1), path: None };
        assert_eq!(likely.and_above().collect::<Vec<_>>(), [likely]);
    }
}
