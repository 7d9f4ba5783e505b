//! Pairs of accesses that may meet (SSRD 3.2, first phase).
//!
//! Two ways name locks differently: `N1.mutex` of the one and `N3.mutex` of the other may be one. Locks in the accessed
//! object, and in what was there before either way, are known to be; for others the integrated heap says it.

use super::MOST_INTEGRATED;
use super::paths::{OperationPath, PathAccess};
use crate::FindingKey;
use crate::search::toward::Goal;
use concurrency::{Held, LockMode, Place, Range, Side, excluded};
use ir::TypeId;
use machine::Program;
use memory::ObjId;
use shapes::{Integrated, Part};
use std::collections::BTreeMap;
use std::rc::Rc;

/// Ways that are looked at for one kind of access.
const MOST_OCCURRENCES: usize = 64;

/// Two accesses that may race, and ways to have them meet.
#[derive(Debug)]
pub(crate) struct Candidate {
    pub goal: Goal,
    /// The lightest first.
    pub attempts: std::vec::IntoIter<Attempt>,
}

/// A way of each operation, by index, and how their accesses meet.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub paths: [usize; 2],
    pub meeting: Meeting,
    /// What the ways hold when they access.
    held: [Rc<[Held]>; 2],
    weight: usize,
}

impl Attempt {
    /// Whether on the integrated heap both hold one lock, which one of them has to itself (SSRD 3.2, the locksets of a
    /// candidate): wherever these ways are taken they are not at their accesses at one time.
    pub(super) fn is_excluded(&self, heap: &Integrated) -> bool {
        let place = |side: usize, place: Place| {
            let object = place.object;
            let in_heap = || heap.node_of.get(&(side, object)).or_else(|| heap.node_of.get(&(0, object))).copied();
            match self.meeting {
                Meeting::Made { by, made, .. } if by == side && made == object => Some((None, place.offset)),
                Meeting::Made { by, instead_of, .. } if by != side && instead_of == object => {
                    Some((None, place.offset))
                }
                Meeting::Made { .. } | Meeting::One(_) => in_heap().map(|node| (Some(node), place.offset)),
            }
        };
        let held = [0, 1].map(|side| -> Vec<_> {
            self.held[side].iter().filter_map(|held| Some((place(side, held.place)?, held.mode))).collect()
        });
        excluded(&held[0], &held[1])
    }
}

/// How two accesses come to the same object.
#[derive(Clone, Debug)]
pub(crate) enum Meeting {
    /// Objects of the two ways are one.
    One(Vec<(Part, Part)>),
    /// One way makes the object, and the other finds it where it would have found one of the initial heap.
    Made { by: usize, made: ObjId, instead_of: ObjId },
}

/// An access of a way, by index.
#[derive(Clone, Copy, Debug)]
struct Occurrence<'a> {
    unit: usize,
    access: &'a PathAccess,
}

/// What decides, whatever the heap, whether two accesses may meet.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Signature {
    ty: Option<TypeId>,
    offset: u64,
    size: u64,
    /// The way has made the object itself.
    own: bool,
    /// Locks in the accessed object, by offset, and those in objects that were there before.
    inside: Vec<(u64, LockMode)>,
    given: Vec<(Place, LockMode)>,
}

/// Where accesses occur, by what they do: the lightest ways, once for each object.
fn occurrences<'a>(
    program: &Program,
    paths: &'a [OperationPath],
) -> BTreeMap<Side, BTreeMap<Signature, Vec<Occurrence<'a>>>> {
    let mut all: BTreeMap<Side, BTreeMap<Signature, Vec<Occurrence>>> = BTreeMap::new();
    for (unit, way) in paths.iter().enumerate() {
        for access in &way.accesses {
            let side = access.record.side();
            let known = all.entry(side).or_default().entry(signature(program, way, access)).or_default();
            let is_new = |last: &Occurrence| last.unit != unit || last.access.range != access.range;
            if known.len() < MOST_OCCURRENCES && known.last().is_none_or(is_new) {
                known.push(Occurrence { unit, access });
            }
        }
    }
    all
}

fn signature(program: &Program, way: &OperationPath, access: &PathAccess) -> Signature {
    let Range { object, offset, size } = access.range;
    let inside = |held: &&Held| held.place.object == object;
    let given = |held: &&Held| !way.is_own(held.place.object) && way.is_given(held.place.object);
    Signature {
        ty: access.ty.map(|ty| program.facts.canonical(&program.module, ty)),
        offset,
        size,
        own: way.is_own(object),
        inside: access.held.iter().filter(inside).map(|held| (held.place.offset, held.mode)).collect(),
        given: access.held.iter().filter(given).map(|held| (held.place, held.mode)).collect(),
    }
}

impl Signature {
    /// Whether an access of the one kind and one of the other may be to the same bytes, without a lock that both hold then.
    fn may_meet(&self, other: &Signature) -> bool {
        let overlap = self.offset < other.offset + other.size && other.offset < self.offset + self.size;
        let same_type = match (self.ty, other.ty) {
            (Some(one), Some(other)) => one == other,
            // An allocation of which nobody says what it is for.
            (None, Some(_)) => self.own,
            (Some(_), None) => other.own,
            (None, None) => false,
        };
        // What the one has made the other may come to only by way of what is written.
        if !overlap || self.own && other.own || !same_type {
            return false;
        }
        !excluded(&self.given, &other.given) && (self.own || other.own || !excluded(&self.inside, &other.inside))
    }
}

/// All candidates, those first that take the least of a heap. The ways are sorted by weight.
pub(crate) fn candidates(program: &Program, ways: [&[OperationPath]; 2]) -> Vec<Candidate> {
    let sides = ways.map(|paths| occurrences(program, paths));
    let mut found: BTreeMap<FindingKey, (usize, Candidate)> = BTreeMap::new();
    for (&a, at_a) in &sides[0] {
        for (&b, at_b) in &sides[1] {
            if !(a.1.writes() || b.1.writes()) || a.2 && b.2 {
                continue;
            }
            let meeting = at_a.iter().flat_map(|x| at_b.iter().filter(|y| x.0.may_meet(y.0)).map(move |y| (x.1, y.1)));
            let mut attempts: Vec<Attempt> = meeting.flat_map(|(x, y)| lightest(ways, x, y)).collect();
            attempts.sort_by_key(|attempt| attempt.weight);
            attempts.truncate(MOST_INTEGRATED);
            let Some(first) = attempts.first() else { continue };
            let (weight, key) = (first.weight, FindingKey::race(program, a, b));
            if found.get(&key).is_none_or(|known| weight < known.0) {
                let goal = Goal { key: key.clone(), sites: vec![a.0, b.0] };
                let candidate = Candidate { goal, attempts: attempts.into_iter() };
                found.insert(key, (weight, candidate));
            }
        }
    }
    let mut all: Vec<(usize, Candidate)> = found.into_values().collect();
    all.sort_by_key(|candidate| candidate.0);
    all.into_iter().map(|candidate| candidate.1).collect()
}

/// Pairs of accesses, those of the lightest ways first.
fn lightest(ways: [&[OperationPath]; 2], at_a: &[Occurrence], at_b: &[Occurrence]) -> Vec<Attempt> {
    let mut all = Vec::new();
    for sum in 0..at_a.len() + at_b.len() - 1 {
        for i in (sum + 1).saturating_sub(at_b.len())..=sum.min(at_a.len() - 1) {
            let (a, b) = (at_a[i], at_b[sum - i]);
            let two = [&ways[0][a.unit], &ways[1][b.unit]];
            let objects = [a.access.range.object, b.access.range.object];
            let own = [0, 1].map(|side| two[side].is_own(objects[side]));
            let meeting = match own.iter().position(|&own| own) {
                Some(maker) => Meeting::Made { by: maker, made: objects[maker], instead_of: objects[1 - maker] },
                None => Meeting::One(vec![((0, objects[0]), (1, objects[1]))]),
            };
            let (held, weight) = ([a, b].map(|o| Rc::clone(&o.access.held)), two[0].weight() + two[1].weight());
            all.push(Attempt { paths: [a.unit, b.unit], meeting, held, weight });
            if all.len() == MOST_INTEGRATED {
                return all;
            }
        }
    }
    all
}
