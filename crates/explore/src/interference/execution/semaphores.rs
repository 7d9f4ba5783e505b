//! What waits of semaphores take in an execution ([`crate::interference::tokens`]).

use super::Execution;
use crate::interference::looks::{asked, changed};
use crate::interference::tokens::{Token, posted, taken};
use crate::interference::trace::At;
use crate::trace::canon::Who;
use concurrency::{Action, Place, SyncOp};
use machine::Outcome;
use std::collections::BTreeMap;

const CHANGING: &str = "a semaphore that begins with different numbers";

/// What there is to take.
#[derive(Debug, Default)]
pub(super) struct Semaphore {
    /// What is left of what was there at first.
    pub first: u32,
    /// Posts of which nobody has taken what they added, in order.
    pub posts: Vec<At>,
    /// By thread, its last post or wait.
    pub changed: BTreeMap<Who, usize>,
}

impl Execution<'_> {
    /// Where a thread stands before the first action on a semaphore, that counts what it counts at first. `real`: as the machine has it.
    pub(super) fn note_semaphore(&mut self, real: &Action, action: &Action) {
        let (Action::Sync { op, place: there }, Action::Sync { place, .. }) = (real, action) else { return };
        if *op == SyncOp::Init && self.semaphores.contains_key(place) {
            self.note_unfollowed(CHANGING);
        }
        if taken(action).or(posted(action)).or(asked(action)).is_none() || self.semaphores.contains_key(place) {
            return;
        }
        let Ok((first, _)) = self.state.sync.semaphore_value(*there) else { return };
        self.semaphores.insert(*place, Semaphore { first, ..Semaphore::default() });
        if *self.known.tokens.entry(*place).or_insert(first) != first {
            self.note_unfollowed(CHANGING);
        }
    }

    /// A thread takes what is foreseen; or else what is there in any case before what was posted meanwhile. The post, if it is another
    /// thread's.
    pub(super) fn take_token(&mut self, at: usize, place: Place) -> Option<At> {
        let who = self.threads[at].who;
        let node = self.expected.get(who).and_then(|path| path.nodes.get(self.done.trace.threads[who].len()));
        let foreseen = node.and_then(|node| self.tokens.get(node)).copied();
        let semaphore = self.semaphores.get(&place)?;
        let threads = &self.done.trace.threads;
        let is = |node| move |&(who, at): &At| threads[who][at].node == node;
        let of_post = match foreseen {
            Some(Token::Posted(node)) => semaphore.posts.iter().position(is(node)),
            Some(Token::First) if semaphore.first > 0 => None,
            _ => match self.own_post(at, semaphore) {
                None if semaphore.first == 0 && !semaphore.posts.is_empty() => Some(0),
                own => own,
            },
        };
        let semaphore = self.semaphores.get_mut(&place)?;
        match of_post {
            Some(post) => Some(semaphore.posts.remove(post)).filter(|(by, _)| *by != who),
            None => {
                semaphore.first = semaphore.first.saturating_sub(1);
                None
            }
        }
    }

    /// A post that comes before the thread's next action in any case.
    pub(super) fn own_post(&self, at: usize, semaphore: &Semaphore) -> Option<usize> {
        let who = self.threads[at].who;
        semaphore.posts.iter().position(|post| post.0 == who || self.is_ordered(who, *post))
    }
    /// A thread has posted, or taken something.
    pub(super) fn note_semaphore_changed(&mut self, action: &Action, outcome: Outcome, by: At) {
        let Some((place, more)) = changed(action, outcome) else { return };
        let Some(semaphore) = self.semaphores.get_mut(&place) else { return };
        semaphore.changed.insert(by.0, by.1);
        if more {
            semaphore.posts.push(by);
        }
    }

    /// Of each other thread the last change of a semaphore, of those that nothing but the schedule orders before what a thread stands before.
    pub(super) fn changed_by_others(&self, at: usize, place: Place) -> Vec<At> {
        let who = self.threads[at].who;
        let changed = self.semaphores.get(&place).into_iter().flat_map(|semaphore| &semaphore.changed);
        let others = changed.map(|(&who, &at)| (who, at)).filter(|&(other, _)| other != who);
        others.filter(|&by| !self.is_ordered(who, by)).collect()
    }

    /// What a thread that looks at a semaphore takes that from: all together count as one read.
    pub(super) fn looked_at(&self, at: usize, place: Place) -> Vec<(u32, At, bool)> {
        let others = self.changed_by_others(at, place).into_iter().enumerate();
        others.map(|(number, by)| (by.0 as u32, by, number == 0)).collect()
    }

    /// What the semaphore of an action counts; 0 for others. `real`: as the machine has it.
    pub(super) fn counted_now(&mut self, real: &Action) -> u32 {
        let place = asked(real).or(taken(real));
        place.and_then(|place| self.state.sync.semaphore_value(place).ok()).map_or(0, |(count, _)| count)
    }
}
