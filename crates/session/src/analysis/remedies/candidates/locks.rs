//! Locks: where a program has them, and what takes them and gives them back.

use super::spots::steps;
use ir::{Callee, DebugType, FuncId, GlobalId, Module, Op, Operand, Reg, TypeId, c_type};
use machine::{LockPlace, Program};
use report::{Guard, GuardOwner};

/// A lock, whoever holds it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Lock {
    pub owner: GuardOwner,
    pub object: String,
    pub member: String,
}

impl Lock {
    pub(super) fn of(guard: &Guard) -> Self {
        Lock { owner: guard.owner, object: guard.object.clone(), member: guard.member.clone() }
    }
}

/// A lock as it is named in a function, with what takes it and what gives it back.
pub(super) struct Named {
    pub place: LockPlace,
    pub take: FuncId,
    pub give: FuncId,
}

/// What takes a lock for itself, and what gives it back, by the type of the lock.
const FAMILIES: [(&str, [&str; 2]); 4] = [
    ("pthread_mutex_t", ["pthread_mutex_lock", "pthread_mutex_unlock"]),
    ("pthread_rwlock_t", ["pthread_rwlock_wrlock", "pthread_rwlock_unlock"]),
    ("pthread_spinlock_t", ["pthread_spin_lock", "pthread_spin_unlock"]),
    ("mtx_t", ["mtx_lock", "mtx_unlock"]),
];

/// What takes a lock of a type for itself, and what gives it back.
pub(super) fn family(module: &Module, mut ty: TypeId) -> Option<[&'static str; 2]> {
    loop {
        match &module[ty] {
            DebugType::Typedef { name, to } => match FAMILIES.iter().find(|(known, _)| known == name) {
                Some((_, calls)) => return Some(*calls),
                None => ty = *to,
            },
            DebugType::Qualified { to, .. } => ty = *to,
            _ => return None,
        }
    }
}

/// The function that an instruction calls by its name.
pub(super) fn called(op: &Op) -> Option<FuncId> {
    match op {
        Op::Call { callee: Callee::Direct(callee), .. } => Some(*callee),
        _ => None,
    }
}

/// Whether an instruction takes a lock for itself.
pub(super) fn takes(module: &Module, op: &Op) -> bool {
    called(op).is_some_and(|callee| FAMILIES.iter().any(|(_, [take, _])| module[callee].name == *take))
}

/// Whether an instruction gives a lock back.
pub(super) fn gives(module: &Module, op: &Op) -> bool {
    called(op).is_some_and(|callee| FAMILIES.iter().any(|(_, [_, give])| module[callee].name == *give))
}

/// Whether an instruction gives locks back, or calls a function that does nothing else.
pub(super) fn only_gives(module: &Module, op: &Op) -> bool {
    let Some(callee) = called(op) else { return false };
    let insts = || module[callee].blocks.iter().flat_map(|block| &block.insts);
    let is_harmless = |op: &Op| match op {
        Op::Call { .. } => gives(module, op),
        Op::Store { .. }
        | Op::AtomicRmw { .. }
        | Op::CompareExchange { .. }
        | Op::MemCopy { .. }
        | Op::MemSet { .. } => false,
        _ => true,
    };
    gives(module, op) || insts().any(|inst| gives(module, &inst.op)) && insts().all(|inst| is_harmless(&inst.op))
}

/// What gives back what a function takes.
pub(super) fn giver(module: &Module, take: FuncId) -> Option<FuncId> {
    let (_, [_, give]) = FAMILIES.iter().find(|(_, [name, _])| module[take].name == *name)?;
    module.functions_named(give).next()
}

/// The lock that a call is passed first, as its function names it.
pub(super) fn place_of(program: &Program, function: FuncId, op: &Op) -> Option<LockPlace> {
    let Op::Call { args, .. } = op else { return None };
    Some(match args.first()?.value {
        Operand::Global(global, offset) => LockPlace::Variable { global, offset },
        Operand::Reg(register) => match made_by(program, function, register) {
            Some(Op::Offset { base, constant, indices, within, array: false, path, .. }) if indices.is_empty() => {
                LockPlace::Member { base: *base, offset: *constant, within: *within, path: path.clone() }
            }
            _ => {
                let (base, path) = (Operand::Reg(register), String::new());
                LockPlace::Member { base, offset: 0, within: None, path }
            }
        },
        _ => return None,
    })
}

/// A lock of an object that an access comes through, or in a variable, as it is named where the access stands.
pub(super) fn named(program: &Program, site: concurrency::Site, lock: &Lock) -> Option<Named> {
    let module = &program.module;
    let (place, ty) = match lock.owner {
        GuardOwner::Variable => variable(module, &lock.member)?,
        GuardOwner::Accessed => {
            let is_it = |(_, within): &(Operand, TypeId)| c_type(module, *within) == lock.object;
            let (base, within) = steps(program, site).into_iter().find(is_it)?;
            of_object(module, (base, within), &lock.member)?
        }
        GuardOwner::Other => return None,
    };
    let [take, give] = family(module, ty)?;
    let function = |name: &str| module.functions_named(name).next();
    Some(Named { place, take: function(take)?, give: function(give)? })
}

/// A member of an object as a lock, and its type.
fn of_object(module: &Module, (base, within): (Operand, TypeId), name: &str) -> Option<(LockPlace, TypeId)> {
    let (offset, ty) = member(module, within, name)?;
    let offset = i64::try_from(offset).ok()?;
    Some((LockPlace::Member { base, offset, within: Some(within), path: format!("->{name}") }, ty))
}

/// Whether the program takes a lock somewhere.
pub(super) fn is_taken(program: &Program, lock: &Lock) -> bool {
    let module = &program.module;
    let is_it = |function: FuncId, op: &Op| match place_of(program, function, op) {
        Some(place @ LockPlace::Variable { .. }) => {
            lock.owner == GuardOwner::Variable
                && variable(module, &lock.member).is_some_and(|(known, _)| known == place)
        }
        Some(LockPlace::Member { offset, within: Some(within), .. }) => {
            let at = member(module, within, &lock.member).and_then(|(offset, _)| i64::try_from(offset).ok());
            c_type(module, within) == lock.object && at == Some(offset)
        }
        _ => false,
    };
    module.functions().filter(|(_, function)| !function.library).any(|(id, function)| {
        function.blocks.iter().flat_map(|block| &block.insts).any(|inst| takes(module, &inst.op) && is_it(id, &inst.op))
    })
}

pub(super) fn made_by(program: &Program, function: FuncId, register: Reg) -> Option<&Op> {
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
pub(super) fn member(module: &Module, of: TypeId, path: &str) -> Option<(u64, TypeId)> {
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
