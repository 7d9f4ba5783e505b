//! The happens-before order, as far as it can still matter.

use super::exec::{Access, Effect, Field, ThreadId};
use crate::finding::{Race, Site};

/// An access that some thread does not know of yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unknown {
    thread: ThreadId,
    access: Access,
    /// The threads that know of it, and the locks that tell whoever acquires them.
    known_to: u8,
    carriers: u16,
}

/// What happens-before can still decide.
///
/// Of each thread's accesses those that some thread does not know of yet, with the threads that do, and the locks whose next
/// acquisition tells another: those released by one that knew. Threads learn of each other's accesses only through
/// locks, so nothing else about the past matters. Of accesses that differ in nothing but time only the last is kept:
/// whatever knows of it knows of the earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Order {
    /// Sorted, so that equal orders compare equal.
    unknown: Vec<Unknown>,
}

impl Order {
    /// `everybody`: all threads.
    pub(super) fn apply(&mut self, id: ThreadId, effect: &Effect, everybody: u8, mut race: impl FnMut(Race)) {
        if let Some(lock) = effect.acquired {
            for unknown in self.unknown.iter_mut().filter(|unknown| unknown.carriers & lock.bit() != 0) {
                unknown.known_to |= id.bit();
            }
            self.unknown.retain(|unknown| unknown.known_to != everybody);
        }
        if let Some(access) = effect.access {
            for other in self.unknown.iter().filter(|other| other.known_to & id.bit() == 0) {
                if conflict(&access, &other.access) {
                    let site = |access: &Access| Site { line: access.line, access: access.kind };
                    race(Race::new(site(&access), site(&other.access)));
                }
            }
            let mine = Unknown { thread: id, access, known_to: id.bit(), carriers: 0 };
            match self.unknown.binary_search_by_key(&(id, access), |other| (other.thread, other.access)) {
                Ok(at) => self.unknown[at] = mine,
                Err(at) => self.unknown.insert(at, mine),
            }
        }
        if let Some(lock) = effect.released {
            for unknown in self.unknown.iter_mut().filter(|unknown| unknown.known_to & id.bit() != 0) {
                unknown.carriers |= lock.bit();
            }
        }
    }
}

fn conflict(one: &Access, other: &Access) -> bool {
    let same = one.object == other.object
        && (one.field == other.field || one.field == Field::All || other.field == Field::All);
    let writes = |access: &Access| access.kind.writes() || access.initialises;
    same && (writes(one) || writes(other))
}
