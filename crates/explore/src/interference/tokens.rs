//! Counting semaphores: where each wait has from what it takes.
//!
//! A semaphore is a number of tokens: some are there at first, each post adds one, each wait takes one. Orders in which it never counts below
//! zero are those in which each wait can be given a token of its own that is there by then. Which post a wait has its token from is part of a
//! [scenario](super::scenario), as what a read takes its value from; a wait of which it says nothing has one that is there in any case: from the
//! beginning, or by a post that program order, creation or waiting for ends put before it.

use super::forest::{Forest, Label, NodeId};
use super::scenario::Expanded;
use concurrency::{Action, Place, SyncOp};
use machine::Outcome;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a wait takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Token {
    /// It was there at first.
    First,
    Posted(NodeId),
}

/// Tokens by wait.
pub(super) type Tokens = FxHashMap<NodeId, Token>;

/// The semaphore from which an action takes a token, if it comes to that.
pub(super) fn taken(action: &Action) -> Option<Place> {
    match *action {
        Action::Sync { op: SyncOp::SemWait | SyncOp::SemTryWait | SyncOp::SemTimedWait, place } => Some(place),
        _ => None,
    }
}

/// The semaphore to which an action adds a token.
pub(super) fn posted(action: &Action) -> Option<Place> {
    match *action {
        Action::Sync { op: SyncOp::SemPost, place } => Some(place),
        _ => None,
    }
}

/// Gives each wait of a scenario a token. `first`: how many there are at first.
///
/// # Errors
/// Waits of one semaphore that have none between them; none of them where two waits are to have the same one.
pub(super) fn assign(
    forest: &Forest,
    expanded: &Expanded,
    first: &FxHashMap<Place, u32>,
) -> Result<Tokens, Vec<NodeId>> {
    let (mut waits, mut posts) = (Vec::new(), FxHashMap::<Place, Vec<NodeId>>::default());
    for &node in expanded.paths.iter().flat_map(|path| &path.nodes) {
        let action = match forest.label(node) {
            Label::Act { outcome: Outcome::Misses, .. } | Label::Pending { vain: true, .. } => continue,
            Label::Act { action, .. } | Label::Pending { action, .. } => action,
            _ => continue,
        };
        waits.extend(taken(action).map(|place| (node, place)));
        if let Some(place) = posted(action) {
            posts.entry(place).or_default().push(node);
        }
    }
    let mut tokens = Tokens::default();
    let mut used: FxHashSet<NodeId> = FxHashSet::default();
    for &(wait, _) in &waits {
        if let Some(post) = expanded.scenario.source(wait, 0) {
            if !used.insert(post) {
                return Err(Vec::new());
            }
            tokens.insert(wait, Token::Posted(post));
        }
    }
    waits.retain(|(wait, _)| !tokens.contains_key(wait));
    let mut places: Vec<Place> = waits.iter().map(|(_, place)| *place).collect();
    places.sort_unstable();
    places.dedup();
    for place in places {
        let of_place = posts.get(&place).into_iter().flatten().copied();
        let free: Vec<NodeId> = of_place.filter(|post| !used.contains(post)).collect();
        let here: Vec<NodeId> = waits.iter().filter(|(_, of)| *of == place).map(|(wait, _)| *wait).collect();
        let first = first.get(&place).map_or(0, |count| *count as usize);
        match (Matching { forest, expanded, free, first, by: FxHashMap::default() }).all(&here) {
            Some(found) => tokens.extend(found),
            None => return Err(here),
        }
    }
    Ok(tokens)
}

/// Waits of one semaphore, and tokens that are there in any case (Kuhn's augmenting paths).
struct Matching<'a> {
    forest: &'a Forest,
    expanded: &'a Expanded<'a>,
    free: Vec<NodeId>,
    first: usize,
    /// By token, posts before those that were there at first: the wait that has it.
    by: FxHashMap<usize, NodeId>,
}

impl Matching<'_> {
    fn all(mut self, waits: &[NodeId]) -> Option<Vec<(NodeId, Token)>> {
        for &wait in waits {
            if !self.serve(wait, &mut FxHashSet::default()) {
                return None;
            }
        }
        let token = |at: usize| self.free.get(at).map_or(Token::First, |post| Token::Posted(*post));
        Some(self.by.iter().map(|(&at, &wait)| (wait, token(at))).collect())
    }

    /// Finds a token for a wait, if need be by finding others for waits that have theirs.
    fn serve(&mut self, wait: NodeId, seen: &mut FxHashSet<usize>) -> bool {
        let past = self.expanded.past(self.forest, wait, false);
        let is_before = |post: &NodeId| {
            let (who, at) = self.expanded.place(self.forest, *post);
            at < past[who]
        };
        let posted = self.free.iter().enumerate().filter(|(_, post)| is_before(post)).map(|(at, _)| at);
        let fitting: Vec<usize> = posted.chain(self.free.len()..self.free.len() + self.first).collect();
        for at in fitting {
            if !seen.insert(at) {
                continue;
            }
            let other = self.by.get(&at).copied();
            if other.is_none_or(|other| self.serve(other, seen)) {
                self.by.insert(at, wait);
                return true;
            }
        }
        false
    }
}
