//! What might mend a cause, of what the program has.
//!
//! First what is given back too early, or taken too late, at another place ([`moved`]); then locks that other accesses hold around those that do
//! not ([`sections`]); then the accesses as atomic ones ([`atomics`]); what is left comes to one lock around whole operations ([`whole`]).

mod atomics;
mod locks;
mod moved;
mod sections;
mod spots;
mod whole;

use concurrency::Site;
use ir::{FuncId, Op, Order};
use machine::{Change, Extent, Program, Section};
use report::{Cause, CauseKind, Finding, FindingKind, RemedyKind};
use sections::Sections;
pub(super) use spots::Places;
use spots::Spot;
use std::collections::BTreeSet;

/// Changes that mend a cause if anything of the kind does.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    pub kind: RemedyKind,
    pub changes: Vec<Change>,
}

impl Candidate {
    /// Whether what weak orders allow is to be looked for.
    pub(super) fn is_weak(&self) -> bool {
        let is_weak = |change: &Change| matches!(change, Change::Atomic { order, .. } if *order != Order::SeqCst);
        self.changes.iter().any(is_weak)
    }

    /// The functions that it changes.
    pub(super) fn functions(&self, program: &Program) -> BTreeSet<FuncId> {
        self.changes.iter().flat_map(|change| program.changed_by(change)).collect()
    }
}

/// What may mend a cause, in the order in which it is tried; `accepted`: what mends others.
pub(super) fn of(
    program: &Program,
    places: &Places,
    (cause, findings): (&Cause, &[&Finding]),
    accepted: &[&Candidate],
) -> Vec<Candidate> {
    let mut all = match cause.kind {
        CauseKind::Of(FindingKind::Deadlock) => moved::in_order(program, places, findings),
        CauseKind::Of(FindingKind::DataRace) | CauseKind::Lifetime => {
            let Some(spots) = spots::spots(program, places, cause, findings) else { return Vec::new() };
            let mut all: Vec<Candidate> =
                accepted.iter().filter_map(|other| extended(program, other, &spots)).collect();
            // What ends an object would have to come before or behind all else, which no section sees to.
            let sections = match spots.iter().any(|spot| spot.frees) {
                true => Sections::default(),
                false => sections::of(program, &spots),
            };
            let open = spots::without_what_others_hold(&spots);
            all.extend(moved::later(program, &open, 0));
            all.extend(sections.joined);
            all.extend(moved::sooner(program, &open));
            all.extend(sections.narrow);
            all.extend(sections.elsewhere);
            all.extend(moved::later(program, &open, 1));
            all.extend(sections.whole);
            if cause.kind != CauseKind::Lifetime {
                all.extend(atomics::of(program, &spots));
            }
            all
        }
        _ => Vec::new(),
    };
    let mut known: Vec<Candidate> = Vec::new();
    all.retain(|candidate| {
        let is_new = !known.contains(candidate);
        known.push(candidate.clone());
        is_new
    });
    all
}

/// One lock around whole operations.
pub(super) fn around_operations(
    program: &Program,
    places: &Places,
    (cause, findings): (&Cause, &[&Finding]),
    operations: &BTreeSet<FuncId>,
) -> Vec<Candidate> {
    match spots::spots(program, places, cause, findings) {
        Some(spots) => whole::of(program, &spots, findings, operations),
        None => Vec::new(),
    }
}

/// What is read of a field in front of a section that accesses it again: it may be out of date by then.
pub(super) fn read_before(program: &Program, candidate: &Candidate) -> Option<[Site; 2]> {
    let atomic = candidate.changes.iter().find_map(|change| match change {
        Change::Atomic { sites, .. } => Some(sites),
        _ => None,
    });
    if let Some(sites) = atomic {
        return atomics::read_before(program, sites);
    }
    let sections = candidate.changes.iter().filter_map(|change| match change {
        Change::Hold(Section { extent: Extent::Around(sites), function, .. }) => Some((*function, sites)),
        _ => None,
    });
    for (function, sites) in sections {
        let is_read = |site: &Site| {
            program.site_function(*site) == Some(function) && matches!(program.site_op(*site), Some(Op::Load { .. }))
        };
        let reads: Vec<Site> = program.sites().filter(is_read).filter(|site| !sites.contains(site)).collect();
        for &site in sites {
            let field = spots::field_of(program, site);
            let is_before =
                |read: &&Site| spots::field_of(program, **read) == field && program.is_only_behind(**read, site);
            if let Some(&read) = reads.iter().find(is_before).filter(|_| field.is_some()) {
                return Some([read, site]);
            }
        }
    }
    None
}

/// Whether an instruction is a call that takes a lock for itself.
pub(super) fn is_take(program: &Program, site: Site) -> bool {
    program.site_op(site).is_some_and(|op| locks::takes(&program.module, op))
}

/// What mends another cause, with its sections around what this one is about in the same functions.
fn extended(program: &Program, other: &Candidate, spots: &[Spot]) -> Option<Candidate> {
    let mut is_changed = false;
    let with = |section: &Section, sites: &[Site]| {
        let here =
            spots.iter().map(|spot| spot.site).filter(|&site| program.site_function(site) == Some(section.function));
        let mut all: Vec<Site> = sites.iter().copied().chain(here).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    let mut changes = other.changes.clone();
    for change in &mut changes {
        let Change::Hold(section) = change else { continue };
        let extent = match &section.extent {
            Extent::Around(sites) => Extent::Around(with(section, sites)),
            Extent::Extended(sites) => Extent::Extended(with(section, sites)),
            Extent::Whole => Extent::Whole,
        };
        is_changed |= extent != section.extent;
        section.extent = extent;
    }
    is_changed.then_some(Candidate { kind: other.kind, changes })
}
