//! Locks that are there, given back later or taken earlier than they are.

use super::Candidate;
use super::locks::{called, giver, gives, place_of, takes};
use super::spots::{Places, Spot};
use concurrency::Site;
use ir::Op;
use machine::{Change, Program};
use report::{Finding, RemedyKind};
use std::collections::{BTreeMap, BTreeSet};

/// What is given back before accesses is given back behind them: by the closest calls before them, or by those before these.
pub(super) fn later(program: &Program, spots: &[&Spot], nth: usize) -> Vec<Candidate> {
    let is_give = |op: &Op| gives(&program.module, op);
    let behind = by_call(spots, |point| before(program, point, is_give).into_iter().nth(nth).into_iter().collect());
    let mut found = Vec::new();
    for (give, points) in behind {
        // Hand over hand: no longer than until the next one is held.
        let next = program.next_behind(give, |op| takes(&program.module, op));
        if let [take] = next[..]
            && program.is_only_behind(give, take)
            && points.iter().all(|&point| point == take || program.is_only_behind(take, point))
        {
            found.push(candidate(Change::Later { give, behind: vec![take] }));
        }
        found.push(candidate(Change::Later { give, behind: points }));
    }
    found
}

/// What is taken behind an access is taken before it.
pub(super) fn sooner(program: &Program, spots: &[&Spot]) -> Vec<Candidate> {
    let before = by_call(spots, |point| program.next_behind(point, |op| takes(&program.module, op)));
    before.into_iter().filter_map(|(take, points)| sooner_than(program, take, points)).collect()
}

/// Calls near the instructions of a cause, or near where their functions are called, with those that each is near to: that of most comes first.
fn by_call(spots: &[&Spot], near: impl Fn(Site) -> Vec<Site>) -> Vec<(Site, Vec<Site>)> {
    let mut found: BTreeMap<Site, BTreeSet<Site>> = BTreeMap::new();
    for point in spots.iter().flat_map(|spot| spot.frames()).collect::<BTreeSet<Site>>() {
        for call in near(point) {
            found.entry(call).or_default().insert(point);
        }
    }
    let mut found: Vec<(Site, Vec<Site>)> =
        found.into_iter().map(|(call, points)| (call, points.into_iter().collect())).collect();
    found.sort_by_key(|(_, points)| std::cmp::Reverse(points.len()));
    found
}

/// Of two locks that are taken one behind the other by a thread of a deadlock, the second is taken first.
pub(super) fn in_order(program: &Program, places: &Places, findings: &[&Finding]) -> Vec<Candidate> {
    let mut found = Vec::new();
    for blocked in findings.iter().flat_map(|finding| &finding.blocked) {
        let Some(take) = places.call_at(&blocked.location) else { continue };
        let first = before(program, take, |op| takes(&program.module, op));
        found.extend(first.into_iter().take(1).filter_map(|first| sooner_than(program, take, vec![first])));
    }
    found
}

fn candidate(change: Change) -> Candidate {
    Candidate { kind: RemedyKind::Moved, changes: vec![change] }
}

fn sooner_than(program: &Program, take: Site, before: Vec<Site>) -> Option<Candidate> {
    let (op, function) = (program.site_op(take)?, program.site_function(take)?);
    let give = giver(&program.module, called(op)?)?;
    let lock = place_of(program, function, op)?;
    Some(candidate(Change::Sooner { take, before, lock, give }))
}

/// The instructions of a kind that every way to one passes, the closest first.
fn before(program: &Program, point: Site, is_it: impl Fn(&Op) -> bool) -> Vec<Site> {
    let Some(function) = program.site_function(point) else { return Vec::new() };
    let is_before = |site: &Site| {
        program.site_function(*site) == Some(function)
            && program.site_op(*site).is_some_and(&is_it)
            && program.is_only_behind(*site, point)
    };
    let mut found: Vec<Site> = program.sites().filter(is_before).collect();
    // They follow each other: each has more of the others before it than those before it.
    let rank = |site: Site| found.iter().filter(|&&other| other != site && program.is_only_behind(other, site)).count();
    let mut ranked: Vec<(usize, Site)> = found.iter().map(|&site| (rank(site), site)).collect();
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    found = ranked.into_iter().map(|(_, site)| site).collect();
    found
}
