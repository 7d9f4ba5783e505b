//! Happens-before race check on one executed trace.
//!
//! After FastTrack (Flanagan & Freund, PLDI 2009), with three departures:
//! - shadow state is per accessed range, and overlapping ranges are compared: C accesses may overlap at different sizes;
//! - for each range the last access of every (thread, site, kind) is kept, not only the last write: what is asked for is
//!   all pairs of sites. An earlier access of the same thread, site and kind is unordered with something only if the
//!   last one is, so nothing is lost;
//! - `free` writes every byte, so a use that is not ordered with it is a race.
//!
//! Knows nothing of the solver, the scheduling policy, or rendering.

use crate::{HappensBefore, Range, Scope, SyncTable, ThreadId};
use memory::{Fingerprint, ObjId};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

ir::entity_id!(
    /// The instruction that makes an access, as its owner numbers them.
    Site, "@"
);

/// What an access does to its range.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum AccessKind {
    Read,
    Write,
    /// An atomic read-modify-write.
    ReadWrite,
    /// Ends the object's lifetime; a write to every byte.
    Free,
}

impl AccessKind {
    pub fn writes(self) -> bool {
        self != AccessKind::Read
    }
}

/// An access that happened.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Record {
    pub thread: ThreadId,
    pub site: Site,
    pub kind: AccessKind,
    pub atomic: bool,
    /// No access of the code's: the object begins.
    pub begins: bool,
    /// Of an atomic access: which threads it is atomic for.
    pub scope: Scope,
    /// Where it was called from, as the caller numbers that; carried along, not interpreted.
    pub context: u32,
    /// The thread's own clock entry at that time.
    pub epoch: u32,
    /// What the caller counts steps by; carried along, not interpreted.
    pub time: u64,
}

/// What tells an access apart in a report.
pub type Side = (Site, AccessKind, bool);

impl Record {
    pub fn side(&self) -> Side {
        (self.site, self.kind, self.atomic)
    }
}

#[derive(Clone, Debug, Default)]
struct ObjectShadow {
    /// By (offset, size).
    ranges: BTreeMap<(u64, u64), Vec<Record>>,
    /// Largest size among them: how far back an overlapping range may begin.
    largest: u64,
    /// [`ObjectShadow::alike`], once it is known.
    alike: OnceCell<Vec<Alike>>,
}

/// Records of an object that differ in nothing but the range and the time.
#[derive(Clone, Copy, Debug)]
struct Alike {
    thread: ThreadId,
    side: Side,
    epoch: u32,
    /// The sum of their ranges.
    ranges: Fingerprint,
}

impl ObjectShadow {
    /// The records, by what they have in common: a thread that works through an array makes thousands of one kind.
    fn alike(&self) -> &[Alike] {
        self.alike.get_or_init(|| {
            let mut found: BTreeMap<(ThreadId, Side, u32), Fingerprint> = BTreeMap::new();
            for (range, records) in &self.ranges {
                let range = Fingerprint::of(range);
                for r in records {
                    found.entry((r.thread, r.side(), r.epoch)).or_default().add(range);
                }
            }
            let group = |((thread, side, epoch), ranges)| Alike { thread, side, epoch, ranges };
            found.into_iter().map(group).collect()
        })
    }
}

/// Who accessed what.
#[derive(Clone, Debug, Default)]
pub struct RaceShadow {
    objects: BTreeMap<ObjId, Rc<ObjectShadow>>,
}

impl RaceShadow {
    /// Notes an access and appends to `races` the earlier ones that conflict with it and are not ordered before it.
    pub fn access(&mut self, order: &HappensBefore, range: Range, record: Record, races: &mut Vec<(Range, Record)>) {
        self.conflicts(order, range, record, races);
        let shadow = Rc::make_mut(self.objects.entry(range.object).or_default());
        shadow.largest = shadow.largest.max(range.size);
        shadow.alike.take();
        let records = shadow.ranges.entry((range.offset, range.size)).or_default();
        let same = |r: &&mut Record| {
            (r.thread, r.side(), r.scope, r.context) == (record.thread, record.side(), record.scope, record.context)
        };
        match records.iter_mut().find(same) {
            Some(last) => *last = record,
            None => records.push(record),
        }
    }

    /// An object is no more that one thread alone knew: nothing will race with what was done to it.
    pub fn forget(&mut self, object: ObjId) {
        self.objects.remove(&object);
    }

    /// Appends to `races` the earlier accesses that one would race with if it happened now.
    pub fn conflicts(&self, order: &HappensBefore, range: Range, record: Record, races: &mut Vec<(Range, Record)>) {
        let Some(shadow) = self.objects.get(&range.object) else { return };
        let from = range.offset.saturating_sub(shadow.largest);
        for (&(offset, size), records) in shadow.ranges.range((from, 0)..(range.offset + range.size, 0)) {
            let other = Range { object: range.object, offset, size };
            if other.overlaps(&range) {
                races.extend(records.iter().filter(|r| is_race(r, &record, order)).map(|r| (other, *r)));
            }
        }
    }

    /// Objects to which something was done that may race.
    pub fn objects(&self) -> impl Iterator<Item = ObjId> + '_ {
        self.objects.keys().copied()
    }

    /// Fingerprint of everything that decides which races are still to come: of each access that somebody does not come after yet, who
    /// does, and through which objects others will. When it was does not count, so that states which repeat but for ever-growing
    /// clocks have equal fingerprints.
    pub fn fingerprint(&self, order: &HappensBefore, sync: &SyncTable) -> Fingerprint {
        self.fingerprint_by(order, sync, (|object: ObjId| Some(object.index()), |_| true))
    }

    /// [`RaceShadow::fingerprint`] with other names for objects than their numbers, which depend on the order in which
    /// they were made; what was done to those without a name does not count. `goes_on`: whether a thread may still do something.
    pub fn fingerprint_by<N: Hash>(
        &self,
        order: &HappensBefore,
        sync: &SyncTable,
        (name, goes_on): (impl Fn(ObjId) -> Option<N>, impl Fn(ThreadId) -> bool),
    ) -> Fingerprint {
        let mut total = Fingerprint::default();
        // By time of access: none if all come after it.
        let mut knowers: FxHashMap<(ThreadId, u32), Option<Fingerprint>> = FxHashMap::default();
        let mut known_to = |at: (ThreadId, u32)| {
            *knowers.entry(at).or_insert_with(|| {
                let is_known = order.threads().filter(|&id| goes_on(id)).all(|id| order.clock(id).get(at.0) >= at.1);
                (!is_known).then(|| order.knowers(sync, at, &name))
            })
        };
        // Objects are in the order in which they were made, which another run may permute.
        for (&object, shadow) in &self.objects {
            let Some(name) = name(object) else { continue };
            for Alike { thread, side, epoch, ranges } in shadow.alike() {
                if let Some(knowers) = known_to((*thread, *epoch)) {
                    total.add(Fingerprint::of((&name, thread, side, ranges, knowers)));
                }
            }
        }
        total
    }
}

/// C11 5.1.2.4p25: different threads, one modifies, one is not atomic, neither happens before the other. Of atomic accesses with scopes:
/// one is not atomic for the other's thread (PTX ISA, 'Memory Consistency Model', 'Data-race').
fn is_race(earlier: &Record, later: &Record, order: &HappensBefore) -> bool {
    earlier.thread != later.thread
        && (earlier.kind.writes() || later.kind.writes())
        && !(earlier.atomic && later.atomic && are_atomic_together(earlier, later, order))
        && earlier.epoch > order.clock(later.thread).get(earlier.thread)
}

fn are_atomic_together(earlier: &Record, later: &Record, order: &HappensBefore) -> bool {
    order.blocks().include((earlier.thread, earlier.scope), (later.thread, later.scope))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A thread writes before or after it hands over to another, some time later than the other was created; the shadow's fingerprint
    /// then, and whether the other races with the write.
    fn handed_over(first_written: bool, later: u32) -> (Fingerprint, bool) {
        let mut order = HappensBefore::default();
        let writer = order.add_thread(None);
        let reader = order.add_thread(Some(writer));
        (0..later).for_each(|_| drop(order.release(writer)));
        let range = Range { object: ObjId::new(0), offset: 0, size: 4 };
        let (mut shadow, mut races) = (RaceShadow::default(), Vec::new());
        let access = |order: &HappensBefore, thread, kind| {
            let epoch = order.clock(thread).get(thread);
            Record {
                thread,
                site: Site::new(0),
                kind,
                atomic: false,
                begins: false,
                scope: Scope::Device,
                context: 0,
                epoch,
                time: 0,
            }
        };
        if first_written {
            shadow.access(&order, range, access(&order, writer, AccessKind::Write), &mut races);
        }
        let clock = order.release(writer);
        if !first_written {
            shadow.access(&order, range, access(&order, writer, AccessKind::Write), &mut races);
        }
        order.acquire(reader, &clock);
        let fingerprint = shadow.fingerprint(&order, &SyncTable::default());
        shadow.conflicts(&order, range, access(&order, reader, AccessKind::Read), &mut races);
        (fingerprint, !races.is_empty())
    }

    /// The clocks are the same in both, and so are the accesses but for when they were made.
    #[test]
    fn what_is_ordered_is_told_from_what_races() {
        let ((ordered, before), (racing, after)) = (handed_over(true, 1), handed_over(false, 1));
        assert_eq!((before, after), (false, true));
        assert_ne!(ordered, racing);
    }

    #[test]
    fn how_long_it_took_does_not_count() {
        assert_eq!(handed_over(true, 1), handed_over(true, 7));
        assert_eq!(handed_over(false, 1), handed_over(false, 7));
    }
}
