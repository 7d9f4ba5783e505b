//! A search that was interrupted, in a form that another process can go on with.
//!
//! Guarantee: what follows from going on is what would have followed without the interruption, and is counted once.
//! Not so within a bound on preemptions, where the round begins anew.
//! Knows nothing of files.

use crate::FindingKey;
use crate::parallel::earlier::Earlier;
use crate::parallel::gathered::Gathered;
use crate::parallel::task::{Path, Task, TaskPart};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// What a search has done and has yet to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Paused<'a> {
    pub(crate) earlier: Cow<'a, Earlier>,
    pub(crate) unfinished: Unfinished<'a>,
}

impl Paused<'_> {
    pub fn into_owned(self) -> Paused<'static> {
        Paused { earlier: Cow::Owned(self.earlier.into_owned()), unfinished: self.unfinished.into_owned() }
    }

    /// What was seen so far. It counts when it has been replayed.
    pub fn found(&self) -> impl Iterator<Item = &FindingKey> {
        self.earlier.found.keys().chain(self.unfinished.gathered.found())
    }
}

impl Default for Paused<'_> {
    /// Before the first round.
    fn default() -> Self {
        Paused { earlier: Cow::Owned(Earlier::default()), unfinished: Unfinished::default() }
    }
}

/// A round that is not over.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Unfinished<'a> {
    #[serde(with = "crate::run::shared::together")]
    pub tasks: BTreeMap<Path, Cow<'a, Task>>,
    pub gathered: Cow<'a, Gathered>,
}

impl Unfinished<'_> {
    /// What the tasks that are left are taken for, from 0 to 1.
    pub(crate) fn weight(&self) -> f64 {
        self.tasks.values().map(|task| task.weight).sum()
    }

    /// Nothing of it is done: which sites are visible may still change.
    pub(crate) fn is_whole(&self) -> bool {
        self.tasks.contains_key(&Path::new())
    }

    pub(crate) fn into_owned(self) -> Unfinished<'static> {
        let tasks = self.tasks.into_iter().map(|(path, task)| (path, Cow::Owned(task.into_owned()))).collect();
        Unfinished { tasks, gathered: Cow::Owned(self.gathered.into_owned()) }
    }
}

impl Default for Unfinished<'_> {
    /// All is left to be done.
    fn default() -> Self {
        let all = Task { parts: vec![TaskPart::All], weight: 1.0 };
        Unfinished {
            tasks: BTreeMap::from([(Path::new(), Cow::Owned(all))]),
            gathered: Cow::Owned(Gathered::default()),
        }
    }
}
