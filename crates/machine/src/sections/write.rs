//! Writes what is planned into a function.

use super::LockPlace;
use super::plan::{Call, Plan};
use ir::{
    Argument, Block, BlockId, Callee, CastKind, Edge, FuncId, Function, Inst, LocId, Module, Op, Operand, Order,
    Predicate, Reg, Register, Terminator, Ty,
};
use std::collections::BTreeSet;

pub(super) fn carry_out(module: &mut Module, id: FuncId, plan: &Plan) {
    leave_out(&mut module.functions[id.index()], plan);
    // What is on edges comes first: blocks that are divided keep their edges no longer.
    for (&(block, edge), calls) in &plan.on_edges {
        let function = &mut module.functions[id.index()];
        let location = function.blocks[block].terminator_location;
        let between = function.blocks.len();
        let Some(leads) = edge_mut(&mut function.blocks[block].terminator, edge) else { continue };
        let on = std::mem::replace(leads, Edge { target: BlockId::new(between), args: Vec::new() });
        function.blocks.push(Block {
            params: Vec::new(),
            insts: Vec::new(),
            terminator: Terminator::Jump(on),
            terminator_location: location,
        });
        insert(module, (id, between, 0), calls.iter());
    }
    let mut at: BTreeSet<(usize, usize)> = plan.takes.keys().copied().collect();
    at.extend(plan.gives.keys());
    // Later ones first, so that earlier ones stand where they stood.
    for place in at.iter().rev() {
        let calls =
            |of: &'_ std::collections::BTreeMap<(usize, usize), Vec<Call>>| of.get(place).cloned().unwrap_or_default();
        let all: Vec<Call> = calls(&plan.gives).into_iter().chain(calls(&plan.takes)).collect();
        insert(module, (id, place.0, place.1), all.iter());
    }
}

/// Takes calls away; what they returned is that it went well.
fn leave_out(function: &mut Function, plan: &Plan) {
    for &(block, inst) in &plan.gone {
        let Op::Call { dests, .. } = &function.blocks[block].insts[inst].op else { continue };
        let op = dests.first().map(|&dest| {
            let ty = function.register(dest).ty;
            Op::Cast { dest, kind: CastKind::Copy, from: ty, to: ty, value: Operand::Int(0) }
        });
        let nothing = Op::Fence { order: Order::Relaxed, single_thread: true };
        function.blocks[block].insts[inst].op = op.unwrap_or(nothing);
    }
}

/// Writes calls in front of an instruction, in their order.
fn insert<'c>(
    module: &mut Module,
    (id, block, at): (FuncId, usize, usize),
    calls: impl DoubleEndedIterator<Item = &'c Call>,
) {
    for call in calls.rev() {
        let here = location_at(&module.functions[id.index()].blocks[block], at);
        match call {
            Call::Moved { computed, call } => {
                let insts = moved(&mut module.functions[id.index()], computed.as_ref(), call);
                module.functions[id.index()].blocks[block].insts.splice(at..at, insts);
            }
            Call::OnLock { lock, callee, unless, location } => {
                let location = location.or(here);
                let (address, computed) = address(&mut module.functions[id.index()], lock, location);
                let made = on(module, (id, *callee), address, location);
                let function = &mut module.functions[id.index()];
                match unless {
                    None => drop(function.blocks[block].insts.splice(at..at, computed.into_iter().chain([made]))),
                    Some(other) => {
                        function.blocks[block].insts.splice(at..at, computed.clone());
                        divide(function, (block, at + usize::from(computed.is_some())), [address, *other], made);
                    }
                }
            }
        }
    }
}

/// Writes an instruction in front of another that is left out where two addresses are one.
fn divide(function: &mut Function, (block, at): (usize, usize), [address, other]: [Operand; 2], made: Inst) {
    let same = new_register(function, Ty::Int(1));
    let (within, behind) = (function.blocks.len(), function.blocks.len() + 1);
    let location = made.location;
    let head = &mut function.blocks[block];
    let rest: Vec<Inst> = head.insts.drain(at..).collect();
    let op = Op::Compare { dest: same, predicate: Predicate::Eq, ty: Ty::Ptr, lhs: address, rhs: other };
    head.insts.push(Inst { op, location });
    let to = |block: usize| Edge { target: BlockId::new(block), args: Vec::new() };
    let branch = Terminator::Branch { condition: Operand::Reg(same), if_true: to(behind), if_false: to(within) };
    let terminator = std::mem::replace(&mut head.terminator, branch);
    let terminator_location = std::mem::replace(&mut head.terminator_location, location);
    let jump = Terminator::Jump(to(behind));
    let inside = Block { params: Vec::new(), insts: vec![made], terminator: jump, terminator_location: location };
    let tail = Block { params: Vec::new(), insts: rest, terminator, terminator_location };
    function.blocks.extend([inside, tail]);
}

/// Where an instruction stands, or the end of the block.
fn location_at(block: &Block, inst: usize) -> Option<LocId> {
    block.insts.get(inst).map_or(block.terminator_location, |inst| inst.location)
}

/// An edge by its place among [`Terminator::edges`].
fn edge_mut(terminator: &mut Terminator, index: usize) -> Option<&mut Edge> {
    match terminator {
        Terminator::Jump(edge) => (index == 0).then_some(edge),
        Terminator::Branch { if_true, if_false, .. } => [if_true, if_false].into_iter().nth(index),
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().map(|(_, edge)| edge).chain(std::iter::once(default)).nth(index)
        }
        Terminator::Return { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}

fn new_register(function: &mut Function, ty: Ty) -> Reg {
    function.registers.push(Register { ty, name: None, points_to: None });
    Reg::new(function.registers.len() - 1)
}

/// A call once more, with registers of its own for what it is passed and for what it returns.
fn moved(function: &mut Function, computed: Option<&Inst>, call: &Inst) -> Vec<Inst> {
    let (mut insts, mut call) = (Vec::new(), call.clone());
    if let Op::Call { dests, args, .. } = &mut call.op {
        for dest in dests {
            *dest = new_register(function, function.register(*dest).ty);
        }
        if let (Some(mut offset), Some(arg)) = (computed.cloned(), args.first_mut())
            && let Op::Offset { dest, .. } = &mut offset.op
        {
            *dest = new_register(function, Ty::Ptr);
            arg.value = Operand::Reg(*dest);
            insts.push(offset);
        }
    }
    insts.push(call);
    insts
}

/// The address of a lock, and the instruction that computes it.
fn address(function: &mut Function, lock: &LockPlace, location: Option<LocId>) -> (Operand, Option<Inst>) {
    match lock {
        LockPlace::Variable { global, offset } => (Operand::Global(*global, *offset), None),
        LockPlace::Member { base, offset, within, path } => {
            let dest = new_register(function, Ty::Ptr);
            let op = Op::Offset {
                dest,
                base: *base,
                constant: *offset,
                indices: Vec::new(),
                path: path.clone(),
                within: *within,
                array: false,
                part: None,
            };
            (Operand::Reg(dest), Some(Inst { op, location }))
        }
    }
}

/// A call with the address of a lock.
fn on(module: &mut Module, (id, callee): (FuncId, FuncId), address: Operand, location: Option<LocId>) -> Inst {
    let returns = module[callee].returns.clone();
    let function = &mut module.functions[id.index()];
    let dests = returns.into_iter().map(|ty| new_register(function, ty)).collect();
    let args = vec![Argument { value: address, ty: Ty::Ptr, by_value: None }];
    Inst { op: Op::Call { dests, callee: Callee::Direct(callee), args }, location }
}
