//! Records that lead to a lock of their own: by a member in which nothing is ever stored but new memory, which goes nowhere else.
//!
//! A look at all code of a module, from registers to registers. Where it is not seen where something goes, the record has no such lock.

use ir::{Callee, CastKind, FuncId, Function, Init, Module, Op, Operand, Reg, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// What is seen of a record's members that may lead to locks.
#[derive(Default)]
struct Seen {
    /// New memory is stored there.
    made: BTreeSet<TypeId>,
    /// Something else is, or what stands there goes elsewhere.
    shared: BTreeSet<TypeId>,
}

/// Those records, of these members: by record and offset. `canonical`: one for all copies of a type.
pub(crate) fn with_own_locks(
    module: &Module,
    members: &BTreeSet<(TypeId, u64)>,
    canonical: impl Fn(TypeId) -> TypeId,
) -> BTreeSet<TypeId> {
    if members.is_empty() {
        return BTreeSet::new();
    }
    let mut seen = Seen::default();
    for (id, function) in module.functions().filter(|(_, function)| !function.library) {
        let defined = definitions(function);
        let member = |address: Operand| {
            let Operand::Reg(reg) = address else { return None };
            let Some(Op::Offset { constant, indices, within: Some(record), .. }) = defined.get(&reg) else {
                return None;
            };
            let offset = u64::try_from(*constant).ok().filter(|_| indices.is_empty())?;
            let (record, offset) = module.member_at(*record, offset)?;
            Some(canonical(record)).filter(|&record| members.contains(&(record, offset)))
        };
        let points_to = |operand: Operand| match operand {
            Operand::Reg(reg) => function.register(reg).points_to.map(&canonical),
            _ => None,
        };
        for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
            match op {
                Op::Store { address, value, .. } => {
                    let Some(record) = member(*address) else { continue };
                    match made(module, *value, &defined) {
                        Some(reg) if goes_to(module, id, reg, &mut Vec::new()) == Some(1) => {
                            seen.made.insert(record);
                        }
                        _ if *value == Operand::Int(0) => {}
                        _ => {
                            seen.shared.insert(record);
                        }
                    }
                }
                Op::Load { address, dest, .. } => {
                    let Some(record) = member(*address) else { continue };
                    if goes_to(module, id, *dest, &mut Vec::new()) != Some(0) {
                        seen.shared.insert(record);
                    }
                }
                Op::AtomicRmw { address, .. } | Op::CompareExchange { address, .. } => {
                    seen.shared.extend(member(*address));
                }
                // A copy has what the other one has.
                Op::MemCopy { to, from, .. } => seen.shared.extend(points_to(*to).into_iter().chain(points_to(*from))),
                _ => {}
            }
        }
    }
    for global in module.globals.iter().filter(|global| !global.library) {
        let (Init::Data { addresses, .. }, Some(ty)) = (&global.init, global.ty) else { continue };
        for &(offset, _) in addresses {
            let at = module.member_at(ty, offset).map(|(record, offset)| (canonical(record), offset));
            seen.shared.extend(at.filter(|at| members.contains(at)).map(|(record, _)| record));
        }
    }
    seen.made.difference(&seen.shared).copied().collect()
}

fn definitions(function: &Function) -> BTreeMap<Reg, &Op> {
    let insts = function.blocks.iter().flat_map(|block| &block.insts);
    insts.flat_map(|inst| inst.op.dests().map(move |dest| (dest, &inst.op))).collect()
}

/// The register that has memory which was just allocated, if that is what an operand is.
fn made(module: &Module, operand: Operand, defined: &BTreeMap<Reg, &Op>) -> Option<Reg> {
    let Operand::Reg(reg) = operand else { return None };
    match defined.get(&reg)? {
        Op::Call { callee: Callee::Direct(callee), .. } => allocates(module, *callee).then_some(reg),
        _ => None,
    }
}

fn allocates(module: &Module, callee: FuncId) -> bool {
    let names = ["malloc", "calloc", "aligned_alloc", "memalign", "valloc"];
    module[callee].is_declaration() && names.contains(&&*module[callee].name)
}

/// In how many places what is in a register is stored; none where it is not seen where it goes. What functions without a body are passed they
/// use, as `pthread_mutex_init` does. `open`: parameters that are looked at.
fn goes_to(module: &Module, id: FuncId, reg: Reg, open: &mut Vec<(FuncId, Reg)>) -> Option<u32> {
    if open.contains(&(id, reg)) {
        return Some(0);
    }
    open.push((id, reg));
    let function = &module[id];
    let is_it = |operand: Operand| operand == Operand::Reg(reg);
    let mut stored = 0;
    for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
        match op {
            Op::Store { value, .. } => stored += u32::from(is_it(*value)),
            Op::Compare { .. } | Op::Load { .. } => {}
            Op::Cast { kind: CastKind::Copy, value, dest, .. } if is_it(*value) => {
                stored += goes_to(module, id, *dest, open)?;
            }
            Op::Call { callee: Callee::Direct(callee), args, .. } if args.iter().any(|arg| is_it(arg.value)) => {
                let callee_id = *callee;
                let callee = &module[callee_id];
                // Of a structure that is passed by value parameters keep no places.
                if !callee.is_declaration() {
                    for at in (0..args.len()).filter(|&at| is_it(args[at].value)) {
                        stored += goes_to(module, callee_id, callee.params.get(at)?.reg, open)?;
                    }
                }
            }
            op => {
                let mut is_used = false;
                op.for_each_operand(|operand| is_used |= is_it(operand));
                if is_used {
                    return None;
                }
            }
        }
    }
    for block in &function.blocks {
        let mut is_used = false;
        block.terminator.for_each_operand(|operand| is_used |= is_it(operand));
        if is_used {
            return None;
        }
    }
    Some(stored)
}
