//! Pairs of accesses that may meet (SSRD 3.2, first phase).
//!
//! Locks are compared on the integrated heap: `N1.mutex` of the one way and `N3.mutex` of the other may be one.

use super::integrate::Part;
use super::unit::{Unit, UnitAccess};
use crate::findings::Position;
use crate::{FindingKey, guided::MOST_INTEGRATED};
use concurrency::{AccessKind, Record, Site};
use machine::Program;
use std::collections::BTreeMap;

/// Two accesses that may race, and ways to have them meet.
#[derive(Debug)]
pub(crate) struct Candidate {
    /// What it would be reported as.
    pub key: FindingKey,
    pub sites: [Site; 2],
    /// The lightest first.
    pub attempts: std::vec::IntoIter<Attempt>,
}

/// A way of each operation, by index, and what has to be one object.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    pub units: [usize; 2],
    pub meet: Vec<(Part, Part)>,
    weight: usize,
}

type Side = (Site, AccessKind, bool);

fn side(access: &UnitAccess) -> Side {
    (access.record.site, access.record.kind, access.record.atomic)
}

/// Where accesses of one kind at one site occur: the first of each way, for each object.
fn by_side(units: &[Unit]) -> BTreeMap<Side, Vec<(usize, &UnitAccess)>> {
    let mut all: BTreeMap<Side, Vec<(usize, &UnitAccess)>> = BTreeMap::new();
    for (index, unit) in units.iter().enumerate() {
        for access in &unit.accesses {
            let known = all.entry(side(access)).or_default();
            let same = |&&(other, before): &&(usize, &UnitAccess)| other == index && before.range == access.range;
            if known.iter().rev().take_while(|k| k.0 == index).find(same).is_none() {
                known.push((index, access));
            }
        }
    }
    all
}

/// All candidates, those first that take the least of a heap.
pub(crate) fn candidates(program: &Program, ways: [&[Unit]; 2]) -> Vec<Candidate> {
    let sides = ways.map(by_side);
    let mut found: BTreeMap<FindingKey, Candidate> = BTreeMap::new();
    let mut weights: BTreeMap<FindingKey, usize> = BTreeMap::new();
    for (&a, at_a) in &sides[0] {
        for (&b, at_b) in &sides[1] {
            if !(a.1.writes() || b.1.writes()) || a.2 && b.2 {
                continue;
            }
            let attempts = attempts(program, ways, at_a, at_b);
            let Some(first) = attempts.first() else { continue };
            let key = key(program, &at_a[0].1.record, &at_b[0].1.record);
            let weight = first.weight;
            if weights.get(&key).is_none_or(|&known| weight < known) {
                weights.insert(key.clone(), weight);
                found.insert(key.clone(), Candidate { key, sites: [a.0, b.0], attempts: attempts.into_iter() });
            }
        }
    }
    let mut all: Vec<Candidate> = found.into_values().collect();
    all.sort_by_key(|candidate| weights.get(&candidate.key).copied());
    all
}

fn key(program: &Program, x: &Record, y: &Record) -> FindingKey {
    let side = |record: &Record| (Position::of_site(program, record.site), record.kind, record.atomic);
    let mut sides = [side(x), side(y)];
    sides.sort();
    FindingKey::Race(sides)
}

fn attempts(
    program: &Program,
    ways: [&[Unit]; 2],
    at_a: &[(usize, &UnitAccess)],
    at_b: &[(usize, &UnitAccess)],
) -> Vec<Attempt> {
    let mut all = Vec::new();
    // Both are sorted by weight: pairs of the lightest come first.
    'pairs: for sum in 0..at_a.len() + at_b.len() {
        for i in sum.saturating_sub(at_b.len().saturating_sub(1))..=sum.min(at_a.len().saturating_sub(1)) {
            let (a, b) = (at_a[i], at_b[sum - i]);
            if let Some(meet) = meet(program, [&ways[0][a.0], &ways[1][b.0]], [a.1, b.1]) {
                let weight = ways[0][a.0].weight() + ways[1][b.0].weight();
                all.push(Attempt { units: [a.0, b.0], meet, weight });
                if all.len() == MOST_INTEGRATED {
                    break 'pairs;
                }
            }
        }
    }
    all.sort_by_key(|attempt| attempt.weight);
    all
}

/// What has to be one object for two accesses to meet; none if they cannot, or hold one lock then.
fn meet(program: &Program, units: [&Unit; 2], accesses: [&UnitAccess; 2]) -> Option<Vec<(Part, Part)>> {
    let ranges = [accesses[0].range, accesses[1].range];
    let overlap =
        ranges[0].offset < ranges[1].offset + ranges[1].size && ranges[1].offset < ranges[0].offset + ranges[0].size;
    let own = [units[0].is_own(ranges[0].object), units[1].is_own(ranges[1].object)];
    // What the one has made the other may come to only by way of what is written: types are compared, no more.
    if !overlap || own == [true, true] {
        return None;
    }
    let ty = |side: usize| accesses[side].ty.map(|ty| program.facts.canonical(&program.module, ty));
    if ty(0).is_none() || ty(0) != ty(1) {
        return None;
    }
    if own != [false, false] {
        return Some(Vec::new());
    }
    let shared = |x: &concurrency::Held, y: &concurrency::Held| {
        let of_accessed = x.place.object == ranges[0].object && y.place.object == ranges[1].object;
        let given = x.place == y.place && !units[0].is_own(x.place.object) && units[0].is_given(x.place.object);
        let exclusive = [x.mode, y.mode].contains(&concurrency::LockMode::Exclusive);
        (of_accessed && x.place.offset == y.place.offset || given) && exclusive
    };
    if accesses[0].held.iter().any(|x| accesses[1].held.iter().any(|y| shared(x, y))) {
        return None;
    }
    Some(vec![((0, ranges[0].object), (1, ranges[1].object))])
}
