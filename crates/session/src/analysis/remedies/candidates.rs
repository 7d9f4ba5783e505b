//! What might mend races: locks that other accesses hold, held around those that do not.
//!
//! Of several, first what joins the accesses to a section that the function has already, then what is held no longer than the accesses take,
//! then what is held for a whole function.

use concurrency::Site;
use explore::Position;
use ir::{DebugType, FuncId, GlobalId, Module, Op, Operand, Reg, TypeId, c_type};
use machine::{Extent, LockPlace, Program, Section};
use report::{Access, AccessKind, Cause, Finding, Guard, GuardOwner};
use std::collections::{BTreeMap, BTreeSet};

/// Sections that mend a cause if anything of the kind does.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Candidate {
    pub sections: Vec<Section>,
}

impl Candidate {
    /// The functions that it changes.
    pub(super) fn functions(&self) -> BTreeSet<FuncId> {
        self.sections.iter().map(|section| section.function).collect()
    }
}

/// A lock, whoever holds it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Lock {
    owner: GuardOwner,
    object: String,
    member: String,
}

impl Lock {
    fn of(guard: &Guard) -> Self {
        Lock { owner: guard.owner, object: guard.object.clone(), member: guard.member.clone() }
    }
}

/// An instruction of the program that takes part in a race, and the locks without which it was seen.
struct Spot {
    site: Site,
    writes: bool,
    /// With the accesses that hold each lock, and whether shared.
    held: Vec<BTreeMap<Lock, bool>>,
}

impl Spot {
    /// Whether it holds a lock each time, so that no other thread can hold it where that matters.
    fn is_under(&self, lock: &Lock) -> bool {
        self.held.iter().all(|held| held.get(lock).is_some_and(|shared| !shared || !self.writes))
    }
}

/// What may mend a cause, in the order in which it is tried.
pub(super) fn of(program: &Program, cause: &Cause, findings: &[&Finding]) -> Vec<Candidate> {
    let Some(spots) = spots(program, cause, findings) else { return Vec::new() };
    let mut counts: BTreeMap<&Lock, usize> = BTreeMap::new();
    let held = spots.iter().flat_map(|spot| &spot.held).flat_map(BTreeMap::keys);
    for lock in held.filter(|lock| lock.owner != GuardOwner::Other) {
        *counts.entry(lock).or_default() += 1;
    }
    let mut locks: Vec<(&Lock, usize)> = counts.into_iter().collect();
    locks.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut locks: Vec<Lock> = locks.into_iter().map(|(lock, _)| lock.clone()).collect();
    if locks.is_empty() {
        locks = unheld(program, &spots);
    }
    let mut candidates: Vec<Candidate> = Vec::new();
    for lock in &locks {
        for candidate in with_lock(program, &spots, lock).into_iter().flatten() {
            if !candidates.contains(&candidate) {
                candidates.push(candidate);
            }
        }
    }
    candidates
}

/// The instructions that race on a cause's field, or that come first where others follow. None where one cannot be told.
fn spots(program: &Program, cause: &Cause, findings: &[&Finding]) -> Option<Vec<Spot>> {
    let places = places(program);
    let mut spots: BTreeMap<Site, Spot> = BTreeMap::new();
    let is_about = |access: &Access| {
        access.field.as_ref().is_some_and(|field| cause.field.as_ref() == Some(&report::field_class(field)))
    };
    for finding in findings {
        for access in &finding.accesses {
            if finding.root.is_some() && !is_about(access) {
                continue;
            }
            if access.access == AccessKind::Free || access.guards.len() < access.locks.len() {
                return None;
            }
            let at = &access.location;
            let position = Position { file: at.file.clone(), line: at.line, column: at.column };
            let sites = of_field(program, places.get(&position)?, access.field.as_deref());
            let held: BTreeMap<Lock, bool> =
                access.guards.iter().map(|guard| (Lock::of(guard), guard.shared)).collect();
            for site in sites {
                let spot = spots.entry(site).or_insert(Spot { site, writes: false, held: Vec::new() });
                spot.writes |= access.access != AccessKind::Read;
                spot.held.push(held.clone());
            }
        }
    }
    (!spots.is_empty()).then(|| spots.into_values().collect())
}

/// The instructions that access memory, by their positions.
fn places(program: &Program) -> BTreeMap<Position, Vec<Site>> {
    let mut places: BTreeMap<Position, Vec<Site>> = BTreeMap::new();
    for site in program.sites().filter(|&site| program.site_op(site).is_some_and(|op| address(op).is_some())) {
        places.entry(Position::of_site(program, site)).or_default().push(site);
    }
    places
}

/// Of several accesses at one place, those of a field: `a[i]->b` reads `a[i]` there as well.
fn of_field(program: &Program, sites: &[Site], field: Option<&str>) -> Vec<Site> {
    let object = report::object_of(field.unwrap_or_default());
    let is_of = |site: &&Site| {
        let is_it = |(_, within): &(Operand, TypeId)| c_type(&program.module, *within) == object;
        steps(program, **site).iter().any(is_it)
    };
    let some: Vec<Site> = sites.iter().filter(is_of).copied().collect();
    if some.is_empty() { sites.to_vec() } else { some }
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

/// Whether the program takes a lock somewhere.
fn is_taken(program: &Program, lock: &Lock) -> bool {
    let module = &program.module;
    let is_it = |function: FuncId, address: Operand| match address {
        Operand::Global(global, at) => {
            let place = (lock.owner == GuardOwner::Variable).then(|| variable(module, &lock.member)).flatten();
            place.is_some_and(|(place, _)| place == LockPlace::Variable { global, offset: at })
        }
        Operand::Reg(register) => match made_by(program, function, register) {
            Some(Op::Offset { within: Some(within), constant, .. }) => {
                let at = member(module, *within, &lock.member).and_then(|(offset, _)| i64::try_from(offset).ok());
                c_type(module, *within) == lock.object && at == Some(*constant)
            }
            _ => false,
        },
        _ => false,
    };
    let takes = |callee: FuncId| TAKING.contains(&module[callee].name.as_str());
    module.functions().filter(|(_, function)| !function.library).any(|(id, function)| {
        function.blocks.iter().flat_map(|block| &block.insts).any(|inst| match &inst.op {
            Op::Call { callee: ir::Callee::Direct(callee), args, .. } if takes(*callee) => {
                args.first().is_some_and(|arg| is_it(id, arg.value))
            }
            _ => false,
        })
    })
}

/// The same lock around all that does not hold it, in each of the ways that there are.
fn with_lock(program: &Program, spots: &[Spot], lock: &Lock) -> Option<Vec<Candidate>> {
    let mut around: Vec<(Section, Vec<Site>)> = Vec::new();
    for spot in spots.iter().filter(|spot| !spot.is_under(lock)) {
        let section = section(program, spot, lock)?;
        let alike = around.iter_mut().find(|(known, _)| *known == section);
        match alike {
            Some((_, sites)) => sites.push(spot.site),
            None => around.push((section, vec![spot.site])),
        }
    }
    if around.is_empty() {
        return None;
    }
    let has_section = |section: &Section| !program.calls_on_lock(section).is_empty();
    let all = |extent: &dyn Fn(&Section, &[Site]) -> Extent| Candidate {
        sections: around
            .iter()
            .map(|(section, sites)| Section { extent: extent(section, sites), ..section.clone() })
            .collect(),
    };
    let joined = all(&|section, sites| match has_section(section) {
        true => Extent::Extended(sites.to_vec()),
        false => Extent::Around(sites.to_vec()),
    });
    let narrow = all(&|_, sites| Extent::Around(sites.to_vec()));
    let whole = all(&|section, sites| match is_known_at_entry(program, section) {
        true => Extent::Whole,
        false => Extent::Around(sites.to_vec()),
    });
    Some(vec![joined, narrow, whole])
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

/// A section around nothing yet, of a lock as it is named where an access stands.
fn section(program: &Program, spot: &Spot, lock: &Lock) -> Option<Section> {
    let module = &program.module;
    let function = program.site_function(spot.site)?;
    if module[function].library {
        return None;
    }
    let (place, ty) = match lock.owner {
        GuardOwner::Variable => variable(module, &lock.member)?,
        GuardOwner::Accessed => {
            let is_it = |(_, within): &(Operand, TypeId)| c_type(module, *within) == lock.object;
            let (base, within) = steps(program, spot.site).into_iter().find(is_it)?;
            let (offset, ty) = member(module, within, &lock.member)?;
            let offset = i64::try_from(offset).ok()?;
            (LockPlace::Member { base, offset, within: Some(within), path: format!("->{}", lock.member) }, ty)
        }
        GuardOwner::Other => return None,
    };
    let [take, give] = family(module, ty)?;
    let named = |name: &str| module.functions_named(name).next();
    Some(Section { function, lock: place, take: named(take)?, give: named(give)?, extent: Extent::Around(Vec::new()) })
}

/// The records that an access comes through, from the inside: where each begins, and its type.
fn steps(program: &Program, site: Site) -> Vec<(Operand, TypeId)> {
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

fn made_by(program: &Program, function: FuncId, register: Reg) -> Option<&Op> {
    let blocks = &program.module[function].blocks;
    let mut insts = blocks.iter().flat_map(|block| &block.insts);
    insts.find(|inst| inst.op.dests().any(|dest| dest == register)).map(|inst| &inst.op)
}

/// A lock in a variable, by the variable's name and the path in it.
fn variable(module: &Module, name: &str) -> Option<(LockPlace, TypeId)> {
    let whole = |global: &str| name.strip_prefix(global).filter(|rest| rest.is_empty() || rest.starts_with(['.', '[']));
    let (id, global) = module
        .globals()
        .filter(|(_, global)| !global.library && whole(&global.name).is_some())
        .max_by_key(|(_, global)| global.name.len())?;
    let mut alike = module.globals().filter(|(_, other)| other.name == global.name);
    // Of two static variables with one name it is not known which is meant.
    if alike.next().map(|(id, _)| id) != Some(id) || alike.next().is_some() {
        return None;
    }
    let path = whole(&global.name)?;
    let (offset, ty) = member(module, global.ty?, path)?;
    Some((LockPlace::Variable { global: GlobalId::new(id.index()), offset: i64::try_from(offset).ok()? }, ty))
}

/// A member by its path, `lock`, `.part.lock`, `[1].lock`: where it is, and its type as it is declared.
fn member(module: &Module, of: TypeId, path: &str) -> Option<(u64, TypeId)> {
    let rest = path.strip_prefix('.').unwrap_or(path);
    if rest.is_empty() {
        return Some((0, of));
    }
    if let Some(indexed) = rest.strip_prefix('[') {
        let (index, rest) = indexed.split_once(']')?;
        let DebugType::Array { of: element, .. } = &module[module.strip(of)] else { return None };
        let (offset, ty) = member(module, *element, rest)?;
        return Some((module.size_of(*element)?.checked_mul(index.parse().ok()?)?.checked_add(offset)?, ty));
    }
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    let field = module.fields(of).iter().find(|field| field.name == rest[..end] && field.bits.is_none())?;
    let (offset, ty) = member(module, field.ty, &rest[end..])?;
    Some((field.offset.checked_add(offset)?, ty))
}

/// What takes a lock for itself.
const TAKING: [&str; 4] = ["pthread_mutex_lock", "pthread_rwlock_wrlock", "pthread_spin_lock", "mtx_lock"];

/// What takes a lock of a type for itself, and what gives it back.
fn family(module: &Module, mut ty: TypeId) -> Option<[&'static str; 2]> {
    loop {
        match &module[ty] {
            DebugType::Typedef { name, to } => match name.as_str() {
                "pthread_mutex_t" => return Some(["pthread_mutex_lock", "pthread_mutex_unlock"]),
                "pthread_rwlock_t" => return Some(["pthread_rwlock_wrlock", "pthread_rwlock_unlock"]),
                "pthread_spinlock_t" => return Some(["pthread_spin_lock", "pthread_spin_unlock"]),
                "mtx_t" => return Some(["mtx_lock", "mtx_unlock"]),
                _ => ty = *to,
            },
            DebugType::Qualified { to, .. } => ty = *to,
            _ => return None,
        }
    }
}
