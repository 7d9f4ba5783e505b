//! What there is to cover.

use super::Way;
use ir::{BlockId, Callee, FuncId, Op, Terminator};
use machine::Program;
use rustc_hash::FxHashSet;

/// The ways at the branches of a program's own functions.
pub fn ways(program: &Program) -> Vec<Way> {
    let mut all = Vec::new();
    for (id, function) in program.module.functions().filter(|(_, function)| !function.library) {
        for (index, block) in function.blocks.iter().enumerate() {
            let Some(site) = program.end_of_block(id, BlockId::new(index)) else { continue };
            match &block.terminator {
                Terminator::Branch { .. } => all.extend([(site, 1), (site, 0)]),
                Terminator::Switch { cases, .. } => all.extend((0..=cases.len() as u64).map(|way| (site, way))),
                _ => {}
            }
        }
    }
    all
}

/// Functions that may be called where a program begins with this one: besides those that are called by name, all whose address is taken.
pub fn called_from(program: &Program, main: FuncId) -> FxHashSet<FuncId> {
    let module = &program.module;
    let taken = module.functions().filter(|(_, function)| function.address_taken).map(|(id, _)| id);
    closure(program, taken.chain(module.constructors()).chain([main]).collect())
}

/// Functions that may be called where this one is: by name, or, where something is called by address, all whose address is taken.
pub fn called_by(program: &Program, function: FuncId) -> FxHashSet<FuncId> {
    closure(program, vec![function])
}

fn closure(program: &Program, mut open: Vec<FuncId>) -> FxHashSet<FuncId> {
    let module = &program.module;
    let mut called = FxHashSet::default();
    while let Some(id) = open.pop() {
        if !called.insert(id) {
            continue;
        }
        for inst in module[id].blocks.iter().flat_map(|block| &block.insts) {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } => open.push(*callee),
                Op::Call { .. } => {
                    open.extend(module.functions().filter(|(_, function)| function.address_taken).map(|(id, _)| id));
                }
                _ => {}
            }
        }
    }
    called
}
