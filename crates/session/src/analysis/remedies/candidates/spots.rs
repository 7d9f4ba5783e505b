//! The instructions that a cause is about.

use super::locks::{Lock, called, made_by};
use concurrency::Site;
use explore::Position;
use ir::{Op, Operand, TypeId, c_type};
use machine::Program;
use report::{Access, AccessKind, Cause, Finding, GuardOwner, Location};
use std::collections::BTreeMap;

/// Callers of an instruction that are told apart.
const MOST_CALLERS: usize = 2;

/// An instruction of the program that takes part in a race, and the locks without which it was seen.
#[derive(Debug)]
pub(super) struct Spot {
    pub site: Site,
    /// Where its function is called, and where the one that calls it is.
    pub callers: Vec<Site>,
    pub writes: bool,
    /// It ends the object.
    pub frees: bool,
    /// With the accesses that hold each lock, and whether shared.
    pub held: Vec<BTreeMap<Lock, bool>>,
}

impl Spot {
    /// Whether it holds a lock each time, so that no other thread can hold it where that matters.
    pub(super) fn is_under(&self, lock: &Lock) -> bool {
        self.held.iter().all(|held| held.get(lock).is_some_and(|shared| !shared || !self.writes))
    }

    /// From the inside.
    pub(super) fn frames(&self) -> impl Iterator<Item = Site> {
        std::iter::once(self.site).chain(self.callers.iter().copied())
    }
}

/// Where instructions stand.
pub(in super::super) struct Places {
    accesses: BTreeMap<Position, Vec<Site>>,
    calls: BTreeMap<Position, Vec<Site>>,
}

impl Places {
    pub(in super::super) fn of(program: &Program) -> Self {
        let mut places = Places { accesses: BTreeMap::new(), calls: BTreeMap::new() };
        for site in program.sites() {
            let Some(op) = program.site_op(site) else { continue };
            let of_its_kind = match (address(op), called(op)) {
                (Some(_), _) => &mut places.accesses,
                (None, Some(_)) => &mut places.calls,
                (None, None) => continue,
            };
            of_its_kind.entry(Position::of_site(program, site)).or_default().push(site);
        }
        places
    }

    /// What a location may be: accesses, or else calls that access something.
    fn at(&self, location: &Location) -> Vec<Site> {
        let position = position(location);
        let found = self.accesses.get(&position).or_else(|| self.calls.get(&position));
        found.cloned().unwrap_or_default()
    }

    /// The call at a line of a stack: `function file:line:column`.
    fn call(&self, frame: &str) -> Option<Site> {
        let (_, at) = frame.split_once(' ')?;
        let (rest, column) = at.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        let position = Position { file: file.to_owned(), line: line.parse().ok()?, column: column.parse().ok()? };
        match self.calls.get(&position)?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }

    /// The call that a location is of.
    pub(super) fn call_at(&self, location: &Location) -> Option<Site> {
        match self.calls.get(&position(location))?.as_slice() {
            [only] => Some(*only),
            _ => None,
        }
    }
}

fn position(at: &Location) -> Position {
    Position { file: at.file.clone(), line: at.line, column: at.column }
}

/// The instructions that race on a cause's field, or that come first where others follow. None where one cannot be told.
pub(super) fn spots(program: &Program, places: &Places, cause: &Cause, findings: &[&Finding]) -> Option<Vec<Spot>> {
    let mut spots: BTreeMap<(Site, Vec<Site>), Spot> = BTreeMap::new();
    let is_about = |access: &Access| {
        access.field.as_ref().is_some_and(|field| cause.field.as_ref() == Some(&report::field_class(field)))
    };
    for finding in findings {
        for access in &finding.accesses {
            if finding.root.is_some() && !is_about(access) {
                continue;
            }
            if access.guards.len() < access.locks.len() {
                return None;
            }
            let sites = of_field(program, places.at(&access.location), access.field.as_deref());
            if sites.is_empty() {
                return None;
            }
            let calls = access.location.stack.iter().skip(1).take(MOST_CALLERS);
            let callers: Vec<Site> = calls.map_while(|frame| places.call(frame)).collect();
            let held: BTreeMap<Lock, bool> =
                access.guards.iter().map(|guard| (Lock::of(guard), guard.shared)).collect();
            for site in sites {
                let spot = spots.entry((site, callers.clone())).or_insert(Spot {
                    site,
                    callers: callers.clone(),
                    writes: false,
                    frees: false,
                    held: Vec::new(),
                });
                spot.writes |= access.access != AccessKind::Read;
                spot.frees |= access.access == AccessKind::Free;
                spot.held.push(held.clone());
            }
        }
    }
    (!spots.is_empty()).then(|| spots.into_values().collect())
}

/// Those without the lock that most hold; all where none holds one.
pub(super) fn without_what_others_hold(spots: &[Spot]) -> Vec<&Spot> {
    let mut counts: BTreeMap<&Lock, usize> = BTreeMap::new();
    let is_of_all = |lock: &&Lock| lock.owner != GuardOwner::Other;
    for lock in spots.iter().flat_map(|spot| &spot.held).flat_map(BTreeMap::keys).filter(is_of_all) {
        *counts.entry(lock).or_default() += 1;
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count).map(|(lock, _)| lock);
    let open: Vec<&Spot> = spots.iter().filter(|spot| most.is_none_or(|lock| !spot.is_under(lock))).collect();
    if open.is_empty() { spots.iter().collect() } else { open }
}

/// Of several accesses at one place, those of a field: `a[i]->b` reads `a[i]` there as well.
fn of_field(program: &Program, sites: Vec<Site>, field: Option<&str>) -> Vec<Site> {
    let object = report::object_of(field.unwrap_or_default());
    let is_of = |site: &&Site| {
        let is_it = |(_, within): &(Operand, TypeId)| c_type(&program.module, *within) == object;
        steps(program, **site).iter().any(is_it)
    };
    let some: Vec<Site> = sites.iter().filter(is_of).copied().collect();
    if some.is_empty() { sites } else { some }
}

fn address(op: &Op) -> Option<Operand> {
    match op {
        Op::Load { address, .. }
        | Op::Store { address, .. }
        | Op::AtomicRmw { address, .. }
        | Op::CompareExchange { address, .. } => Some(*address),
        _ => None,
    }
}

/// The object and the member that an access is to, where both are plain.
pub(super) fn field_of(program: &Program, site: Site) -> Option<(Operand, i64)> {
    let (op, function) = (program.site_op(site)?, program.site_function(site)?);
    let Operand::Reg(register) = address(op)? else { return None };
    match made_by(program, function, register)? {
        Op::Offset { base, constant, indices, within: Some(_), .. } if indices.is_empty() => Some((*base, *constant)),
        _ => None,
    }
}

/// The records that an access comes through, from the inside: where each begins, and its type.
pub(super) fn steps(program: &Program, site: Site) -> Vec<(Operand, TypeId)> {
    let mut found = Vec::new();
    let (Some(op), Some(function)) = (program.site_op(site), program.site_function(site)) else { return found };
    let mut at = address(op);
    while let Some(Operand::Reg(register)) = at {
        let made = made_by(program, function, register);
        let Some(Op::Offset { base, within, array, .. }) = made else { break };
        // A step over whole elements begins elsewhere than its base.
        if *array {
            break;
        }
        found.extend(within.map(|within| (*base, within)));
        at = Some(*base);
    }
    found
}
