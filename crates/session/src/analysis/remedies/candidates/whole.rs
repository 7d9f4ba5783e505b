//! One lock around whole operations: what is left where nothing narrower mends a cause.

use super::Candidate;
use super::locks::{family, giver, gives, place_of, takes};
use super::sections::first_record;
use super::spots::Spot;
use concurrency::Site;
use ir::{Callee, FuncId, Op, TypeId, c_type};
use machine::{Change, Extent, LockPlace, Program, Section};
use report::{Finding, RemedyKind};
use std::collections::BTreeSet;

/// The lock of what operations are passed first, around all of them, in place of all locks of that kind that they take: around those that race,
/// and those that share their functions; or around all operations.
pub(super) fn of(
    program: &Program,
    spots: &[Spot],
    findings: &[&Finding],
    operations: &BTreeSet<FuncId>,
) -> Vec<Candidate> {
    let names: BTreeSet<&str> = findings
        .iter()
        .flat_map(|finding| &finding.accesses)
        .filter_map(|access| access.operation.as_deref())
        .collect();
    let racing: BTreeSet<FuncId> =
        operations.iter().copied().filter(|&id| names.contains(program.module[id].name.as_str())).collect();
    let accesses: BTreeSet<FuncId> = spots.iter().filter_map(|spot| program.site_function(spot.site)).collect();
    let mut found = Vec::new();
    for (within, member) in locks_of(program, &racing) {
        for chosen in [&racing, operations] {
            let chosen = with_those_that_share(program, chosen, operations, (within, &member));
            let is_enough = accesses.is_subset(&reached(program, &chosen));
            found.extend(is_enough.then(|| around(program, &chosen, (within, &member))).flatten());
        }
    }
    found
}

/// Members that are locks, by the record that operations are passed first.
fn locks_of(program: &Program, operations: &BTreeSet<FuncId>) -> Vec<(TypeId, String)> {
    let module = &program.module;
    let mut found: Vec<(TypeId, String)> = Vec::new();
    for (_, within) in operations.iter().filter_map(|&operation| first_record(program, operation)) {
        for field in module.fields(within).iter().filter(|field| family(module, field.ty).is_some()) {
            let is_known = |(known, name): &(TypeId, String)| {
                *name == field.name && c_type(module, *known) == c_type(module, within)
            };
            if !found.iter().any(is_known) {
                found.push((within, field.name.clone()));
            }
        }
    }
    found
}

/// Operations with those that come to functions in which they take such locks.
fn with_those_that_share(
    program: &Program,
    chosen: &BTreeSet<FuncId>,
    operations: &BTreeSet<FuncId>,
    lock: (TypeId, &str),
) -> BTreeSet<FuncId> {
    let mut chosen = chosen.clone();
    loop {
        let calls = calls_in(program, &reached(program, &chosen), lock);
        let inside: BTreeSet<FuncId> = calls.iter().filter_map(|&site| program.site_function(site)).collect();
        let shares = |id: &FuncId| !inside.is_disjoint(&reached(program, &BTreeSet::from([*id])));
        let more: Vec<FuncId> = operations.iter().copied().filter(|id| !chosen.contains(id) && shares(id)).collect();
        if more.is_empty() {
            return chosen;
        }
        chosen.extend(more);
    }
}

fn around(program: &Program, operations: &BTreeSet<FuncId>, lock: (TypeId, &str)) -> Option<Candidate> {
    let module = &program.module;
    let calls = calls_in(program, &reached(program, operations), lock);
    let take = calls
        .iter()
        .find_map(|&site| program.site_op(site).filter(|op| takes(module, op)).and_then(super::locks::called));
    let (_, ty) = super::locks::member(module, lock.0, lock.1)?;
    let take = take.or_else(|| module.functions_named(family(module, ty)?[0]).next())?;
    let give = giver(module, take)?;
    let mut changes = Vec::new();
    for &function in operations {
        let (base, within) =
            first_record(program, function).filter(|(_, within)| c_type(module, *within) == c_type(module, lock.0))?;
        let (offset, _) = super::locks::member(module, within, lock.1)?;
        let place = LockPlace::Member {
            base,
            offset: i64::try_from(offset).ok()?,
            within: Some(within),
            path: format!("->{}", lock.1),
        };
        changes.push(Change::Hold(Section { function, lock: place, take, give, extent: Extent::Whole, unless: None }));
    }
    if !calls.is_empty() {
        changes.push(Change::Without { calls });
    }
    Some(Candidate { kind: RemedyKind::Operations, changes })
}

/// The functions that these come to by their names.
fn reached(program: &Program, from: &BTreeSet<FuncId>) -> BTreeSet<FuncId> {
    let mut seen = from.clone();
    let mut left: Vec<FuncId> = from.iter().copied().collect();
    while let Some(function) = left.pop() {
        for inst in program.module[function].blocks.iter().flat_map(|block| &block.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = &inst.op
                && seen.insert(*callee)
            {
                left.push(*callee);
            }
        }
    }
    seen
}

/// The calls in functions that take a member of a record as a lock, or give it back.
fn calls_in(program: &Program, functions: &BTreeSet<FuncId>, (within, name): (TypeId, &str)) -> Vec<Site> {
    let module = &program.module;
    let offset = super::locks::member(module, within, name).and_then(|(offset, _)| i64::try_from(offset).ok());
    let is_it = |site: &Site| {
        let (Some(op), Some(function)) = (program.site_op(*site), program.site_function(*site)) else { return false };
        let of_record = || match place_of(program, function, op) {
            Some(LockPlace::Member { offset: at, within: Some(of), .. }) => {
                Some(at) == offset && c_type(module, of) == c_type(module, within)
            }
            Some(LockPlace::Member { offset: 0, within: None, .. }) => offset == Some(0),
            _ => false,
        };
        functions.contains(&function) && (takes(module, op) || gives(module, op)) && of_record()
    };
    program.sites().filter(is_it).collect()
}
