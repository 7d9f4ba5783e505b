//! Locks that other accesses hold, held around those that do not.
//!
//! Of several, first what joins the accesses to a section that the function has already, then what is held no longer than the accesses take,
//! then what leaves a lock out where it is held by another name, then what is held by callers, then what is held for a whole function.

use super::Candidate;
use super::locks::{Lock, family, is_taken, named, only_gives, place_of, takes};
use super::spots::{Spot, steps};
use concurrency::Site;
use ir::{Op, Operand, TypeId, c_type};
use machine::{Change, Extent, LockPlace, Program, Section};
use report::{GuardOwner, RemedyKind};
use std::collections::{BTreeMap, BTreeSet};

/// A section around nothing yet, and what is to be in it.
type Around = (Section, Vec<Site>);

/// What can be done with locks around accesses.
#[derive(Default)]
pub(super) struct Sections {
    /// In one with what the functions of the accesses do under the lock already.
    pub joined: Vec<Candidate>,
    /// In the functions of the accesses.
    pub narrow: Vec<Candidate>,
    /// Where something stands in the way of that.
    pub elsewhere: Vec<Candidate>,
    /// In all of a function.
    pub whole: Vec<Candidate>,
}

pub(super) fn of(program: &Program, spots: &[Spot]) -> Sections {
    let mut found = Sections::default();
    for lock in locks(program, spots) {
        found.add(program, spots, &lock);
    }
    found
}

/// Those that accesses hold, from the most frequent on; if there are none, those that nobody holds.
fn locks(program: &Program, spots: &[Spot]) -> Vec<Lock> {
    let mut counts: BTreeMap<&Lock, usize> = BTreeMap::new();
    let held = spots.iter().flat_map(|spot| &spot.held).flat_map(BTreeMap::keys);
    for lock in held.filter(|lock| lock.owner != GuardOwner::Other) {
        *counts.entry(lock).or_default() += 1;
    }
    let mut locks: Vec<(&Lock, usize)> = counts.into_iter().collect();
    locks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    if locks.is_empty() {
        return unheld(program, spots);
    }
    locks.into_iter().map(|(lock, _)| lock.clone()).collect()
}

/// Locks that nobody holds: members of the accessed objects, and variables.
fn unheld(program: &Program, spots: &[Spot]) -> Vec<Lock> {
    let module = &program.module;
    let mut found = BTreeSet::new();
    for spot in spots {
        for (_, within) in steps(program, spot.site) {
            for field in module.fields(within).iter().filter(|field| family(module, field.ty).is_some()) {
                let (object, member) = (c_type(module, within), field.name.clone());
                found.insert(Lock { owner: GuardOwner::Accessed, object, member });
            }
        }
    }
    let variables = module.globals.iter().filter(|global| !global.library && !global.thread_local);
    for global in variables.filter(|global| global.ty.is_some_and(|ty| family(module, ty).is_some())) {
        found.insert(Lock { owner: GuardOwner::Variable, object: String::new(), member: global.name.clone() });
    }
    // One that nobody takes may be one that nobody has made.
    found.into_iter().filter(|lock| is_taken(program, lock)).collect()
}

impl Sections {
    /// The same lock around all that does not hold it, in each of the ways that there are.
    fn add(&mut self, program: &Program, spots: &[Spot], lock: &Lock) {
        let Some(around) = around(program, spots, lock, |spot| here(program, spot, lock)) else { return };
        let narrow = all(&around, |_, sites| Extent::Around(sites.to_vec()));
        let joined = all(&around, joined(program));
        self.joined.extend((joined != narrow).then_some(joined));
        self.narrow.push(narrow);
        self.elsewhere.extend(unless_held(program, &around));
        self.elsewhere.extend(behind_what_is_given_back(program, &around));
        self.elsewhere.extend(in_callers(program, spots, lock));
        self.whole.push(all(&around, |section, sites| match is_known_at_entry(program, section) {
            true => Extent::Whole,
            false => Extent::Around(sites.to_vec()),
        }));
    }
}

fn all(around: &[Around], extent: impl Fn(&Section, &[Site]) -> Extent) -> Candidate {
    let one = |(section, sites): &Around| Change::Hold(Section { extent: extent(section, sites), ..section.clone() });
    let is_conditional = around.iter().any(|(section, _)| section.unless.is_some());
    let kind = if is_conditional { RemedyKind::Conditional } else { RemedyKind::Section };
    Candidate { kind, changes: around.iter().map(one).collect() }
}

/// What a function does with the lock already and the accesses are one section.
fn joined(program: &Program) -> impl Fn(&Section, &[Site]) -> Extent {
    |section, sites| match program.calls_on_lock(section).is_empty() {
        false => Extent::Extended(sites.to_vec()),
        true => Extent::Around(sites.to_vec()),
    }
}

/// A section for each lock by its name in a function, with all that is to be in it. None where one cannot be named, or nothing is to be done.
fn around(
    program: &Program,
    spots: &[Spot],
    lock: &Lock,
    place: impl Fn(&Spot) -> Option<(Section, Site)>,
) -> Option<Vec<Around>> {
    let mut around: Vec<Around> = Vec::new();
    for spot in spots.iter().filter(|spot| !spot.is_under(lock)) {
        let (section, site) = place(spot)?;
        if program.module[section.function].library {
            return None;
        }
        match around.iter_mut().find(|(known, _)| *known == section) {
            Some((_, sites)) if sites.contains(&site) => {}
            Some((_, sites)) => sites.push(site),
            None => around.push((section, vec![site])),
        }
    }
    (!around.is_empty()).then_some(around)
}

/// A section of a lock as it is named where an access stands.
fn here(program: &Program, spot: &Spot, lock: &Lock) -> Option<(Section, Site)> {
    let function = program.site_function(spot.site)?;
    let lock = named(program, spot.site, lock)?;
    let extent = Extent::Around(Vec::new());
    let section = Section { function, lock: lock.place, take: lock.take, give: lock.give, extent, unless: None };
    Some((section, spot.site))
}

/// A section where the function of an access is called, if it is passed what the lock is in.
fn at_caller(program: &Program, spot: &Spot, lock: &Lock) -> Option<(Section, Site)> {
    let (mut section, _) = here(program, spot, lock)?;
    let &call = spot.callers.first()?;
    if let LockPlace::Member { base, .. } = &mut section.lock {
        let Operand::Reg(register) = *base else { return None };
        let params = &program.module[section.function].params;
        let index = params.iter().position(|param| param.reg == register)?;
        let Op::Call { args, .. } = program.site_op(call)? else { return None };
        *base = args.get(index)?.value;
    }
    section.function = program.site_function(call)?;
    Some((section, call))
}

/// Sections in callers, where accesses are of functions that are passed what the lock is in.
fn in_callers(program: &Program, spots: &[Spot], lock: &Lock) -> Option<Candidate> {
    let outside = |spot: &Spot| at_caller(program, spot, lock);
    if !spots.iter().any(|spot| !spot.is_under(lock) && outside(spot).is_some()) {
        return None;
    }
    let around = around(program, spots, lock, |spot| outside(spot).or_else(|| here(program, spot, lock)))?;
    Some(all(&around, joined(program)))
}

/// Where a function holds a lock like this one already, it may be this one: then it is not taken again.
fn unless_held(program: &Program, around: &[Around]) -> Option<Candidate> {
    let mut around = around.to_vec();
    let mut is_one = false;
    for (section, sites) in &mut around {
        let module = &program.module;
        let is_alike = |site: &Site| {
            let Some(op) = program.site_op(*site).filter(|op| takes(module, op)) else { return false };
            let is_same_kind = match (place_of(program, section.function, op), &section.lock) {
                (
                    Some(LockPlace::Member { offset, path, .. }),
                    LockPlace::Member { offset: own, path: own_path, .. },
                ) => offset == *own && (path == *own_path || path.is_empty()),
                _ => false,
            };
            is_same_kind && sites.iter().all(|&point| program.is_only_behind(*site, point))
        };
        let held: Vec<Site> = sites_of(program, section).into_iter().filter(is_alike).collect();
        // The last that was taken.
        let last = held.iter().find(|one| !held.iter().any(|other| program.is_only_behind(**one, *other)));
        if let Some(Op::Call { args, .. }) = last.and_then(|&last| program.site_op(last)) {
            section.unless = args.first().map(|arg| arg.value);
            is_one = true;
        }
    }
    is_one.then(|| all(&around, |_, sites| Extent::Around(sites.to_vec())))
}

/// Where a function gives another lock back behind the accesses, it does so before them.
fn behind_what_is_given_back(program: &Program, around: &[Around]) -> Option<Candidate> {
    let gives = |op: &Op| only_gives(&program.module, op);
    let mut earlier = Vec::new();
    for (section, sites) in around {
        let mut next: Vec<Site> = sites.iter().flat_map(|&site| program.next_behind(site, gives)).collect();
        next.sort_unstable();
        next.dedup();
        if let [give] = next[..]
            && !program.calls_on_lock(section).contains(&give)
        {
            earlier.push(Change::Earlier { give, before: sites.clone() });
        }
    }
    if earlier.is_empty() {
        return None;
    }
    let mut candidate = all(around, |_, sites| Extent::Around(sites.to_vec()));
    candidate.kind = RemedyKind::Moved;
    earlier.append(&mut candidate.changes);
    candidate.changes = earlier;
    Some(candidate)
}

fn sites_of(program: &Program, section: &Section) -> Vec<Site> {
    program.sites().filter(|&site| program.site_function(site) == Some(section.function)).collect()
}

/// Whether a lock's address can be computed as soon as the function is entered.
fn is_known_at_entry(program: &Program, section: &Section) -> bool {
    match &section.lock {
        LockPlace::Variable { .. } => true,
        LockPlace::Member { base, .. } => match base {
            Operand::Reg(register) => {
                program.module[section.function].params.iter().any(|param| param.reg == *register)
            }
            _ => true,
        },
    }
}

/// The record that an operation is passed first, by its debug type.
pub(super) fn first_record(program: &Program, function: ir::FuncId) -> Option<(Operand, TypeId)> {
    let function = &program.module[function];
    let register = function.params.first()?.reg;
    let pointed = function.register(register).points_to;
    let used = function.blocks.iter().flat_map(|block| &block.insts).find_map(|inst| match &inst.op {
        Op::Offset { base: Operand::Reg(base), within, .. } if *base == register => *within,
        _ => None,
    });
    Some((Operand::Reg(register), used.or(pointed)?))
}
