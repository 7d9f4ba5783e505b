//! What waits of semaphores take in an execution ([`crate::interference::tokens`]).

use super::Execution;
use crate::interference::tokens::{Token, posted, taken};
use crate::interference::trace::At;
use concurrency::{Action, Place, SyncOp};

const CHANGING: &str = "a semaphore that begins with different numbers";

/// What there is to take.
#[derive(Debug, Default)]
pub(super) struct Semaphore {
    /// What is left of what was there at first.
    pub first: u32,
    /// Posts of which nobody has taken what they added, in order.
    pub posts: Vec<At>,
}

impl Execution<'_> {
    /// Where a thread stands before the first action on a semaphore, that counts what it counts at first. `real`: as the machine has it.
    pub(super) fn note_semaphore(&mut self, real: &Action, action: &Action) {
        let (Action::Sync { op, place: there }, Action::Sync { place, .. }) = (real, action) else { return };
        if *op == SyncOp::Init && self.semaphores.contains_key(place) {
            self.note_unfollowed(CHANGING);
        }
        if taken(action).or(posted(action)).is_none() || self.semaphores.contains_key(place) {
            return;
        }
        let Ok((first, _)) = self.state.sync.semaphore_value(*there) else { return };
        self.semaphores.insert(*place, Semaphore { first, posts: Vec::new() });
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
}
