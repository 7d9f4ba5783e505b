//! The happens-before order, as far as it can still matter.

use super::exec::{Access, Effect, Field, Telling, ThreadId};
use crate::finding::{Race, Site};

/// An access that some thread does not know of yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Unknown {
    thread: ThreadId,
    access: Access,
    /// The threads that know of it, and the channels that tell whoever takes from them.
    known_to: u8,
    carriers: u64,
}

/// What happens-before can still decide.
///
/// Of each thread's accesses those that some thread does not know of yet, with the threads that do, and the channels (locks,
/// places of atomic values) that tell whoever takes from them: those given to by one that knew. Threads learn of each
/// other's accesses only through those and by being woken, so nothing else about the past matters. Of accesses that differ in nothing but time only the last is kept:
/// whatever knows of it knows of the earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Order {
    /// Sorted, so that equal orders compare equal.
    unknown: Vec<Unknown>,
}

impl Order {
    /// `woken`: the threads that the step wakes. `everybody`: all threads. `forgets`: a place tells nobody what was before a
    /// plain store to it. Whether something was forgotten so.
    pub(super) fn apply(
        &mut self,
        id: ThreadId,
        effect: &Effect,
        (woken, everybody, forgets): (u8, u8, bool),
        mut race: impl FnMut(Race),
    ) -> bool {
        let mut forgot = false;
        if let Some(channel) = effect.acquired {
            for unknown in self.unknown.iter_mut().filter(|unknown| unknown.carriers & channel.bit() != 0) {
                unknown.known_to |= id.bit();
            }
            self.unknown.retain(|unknown| unknown.known_to != everybody);
        }
        for access in effect.accesses.into_iter().flatten() {
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
        if let Some((channel, telling)) = effect.released {
            let ends = telling == Telling::Replaces || telling == Telling::Forgets && forgets;
            for unknown in &mut self.unknown {
                if ends {
                    forgot |= telling == Telling::Forgets && unknown.carriers & channel.bit() != 0;
                    unknown.carriers &= !channel.bit();
                }
                if telling != Telling::Forgets && unknown.known_to & id.bit() != 0 {
                    unknown.carriers |= channel.bit();
                }
            }
        }
        if woken != 0 {
            for unknown in self.unknown.iter_mut().filter(|unknown| unknown.known_to & id.bit() != 0) {
                unknown.known_to |= woken;
            }
            self.unknown.retain(|unknown| unknown.known_to != everybody);
        }
        forgot
    }
}

/// Whether two accesses of different threads that nothing orders are a race.
pub(super) fn conflict(one: &Access, other: &Access) -> bool {
    let same = one.object == other.object
        && (one.field == other.field || one.field == Field::All || other.field == Field::All);
    let writes = |access: &Access| access.kind.writes() || access.initialises;
    same && !(one.atomic && other.atomic) && (writes(one) || writes(other))
}
