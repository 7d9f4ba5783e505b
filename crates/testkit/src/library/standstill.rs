//! Threads that can never go on.

use std::collections::BTreeSet;

use super::caller::Caller;
use super::exec::{Memory, Thread, ThreadId};

/// Threads of which none can ever return, unless one wakes up for nothing.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Standstill {
    /// Of each thread that has not returned, the line where it waits, or those that it comes by again and again. Sorted.
    pub lines: Vec<BTreeSet<u32>>,
    /// One of them sleeps, or goes round: it waits for what another might do.
    pub waits: bool,
    /// Nobody who goes round writes anything that others might see.
    pub certain: bool,
    /// Those who have not returned, a bit for each, if all of them wait for what another might do, and whoever sleeps would come back to the
    /// same wait if it were woken; else none.
    pub again: u8,
}

/// Lines of threads that wait for each other's locks in a circle.
pub(super) fn circles(callers: &[Caller<'_>], threads: &[Thread], memory: &Memory) -> BTreeSet<Vec<u32>> {
    let owner = |index: usize| callers[index].waits_for(&threads[index], memory).map(ThreadId::index);
    // The client itself waits for nobody's lock.
    let next = |index: usize| owner(index).filter(|&next| next < callers.len());
    let mut found = BTreeSet::new();
    for first in 0..callers.len() {
        let mut circle = vec![first];
        while let Some(next) = circle.last().and_then(|&last| next(last)) {
            if next == first {
                let mut lines: Vec<u32> = circle.iter().map(|&index| callers[index].line(&threads[index])).collect();
                lines.sort_unstable();
                found.insert(lines);
            }
            if circle.contains(&next) {
                break;
            }
            circle.push(next);
        }
    }
    found
}

/// The standstill that all who have not returned are in; none if one of them can go on.
pub(super) fn standstill(callers: &[Caller<'_>], threads: &[Thread], memory: &Memory) -> Option<Standstill> {
    let mut standstill = Standstill { lines: Vec::new(), waits: false, certain: true, again: 0 };
    let mut again = true;
    for (index, (caller, thread)) in callers.iter().zip(threads).enumerate() {
        if thread.returned() {
            continue;
        }
        let id = ThreadId(index as u8);
        standstill.again |= id.bit();
        if thread.sleeps() || !thread.spins() && !caller.enabled(thread, memory) {
            again &= thread.sleeps() && caller.sleeps_again(id, thread, memory);
            standstill.lines.push(BTreeSet::from([caller.line(thread)]));
            standstill.waits |= thread.sleeps();
            continue;
        }
        // On the way to where it goes round it may let others go on.
        let round = caller.goes_round(id, thread, memory).filter(|round| round.is_in)?;
        standstill.lines.push(round.lines);
        standstill.waits = true;
        standstill.certain &= !round.writes;
    }
    standstill.again *= u8::from(again);
    standstill.lines.sort_unstable();
    (!standstill.lines.is_empty()).then_some(standstill)
}
