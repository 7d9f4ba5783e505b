//! What there is to cover.

use super::Way;
use concurrency::Site;
use ir::{BlockId, Callee, FuncId, Op, Terminator};
use machine::Program;
use rustc_hash::{FxHashMap, FxHashSet};

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

/// Where several branches of a function stand at one place, as those of `a && b` do: which of them each is, from 1, by their blocks.
pub fn branch_numbers(program: &Program) -> FxHashMap<Site, u32> {
    let mut numbers = FxHashMap::default();
    for (id, function) in program.module.functions() {
        let mut there: FxHashMap<(u32, u32), Vec<Site>> = FxHashMap::default();
        for (index, block) in function.blocks.iter().enumerate() {
            let is_branch = matches!(block.terminator, Terminator::Branch { .. } | Terminator::Switch { .. });
            let site = program.end_of_block(id, BlockId::new(index)).filter(|_| is_branch);
            let place = site.and_then(|site| program.site_location(site)).map(|at| &program.module[at]);
            if let (Some(site), Some(at)) = (site, place) {
                there.entry((at.line, at.column)).or_default().push(site);
            }
        }
        for sites in there.into_values().filter(|sites| sites.len() > 1) {
            numbers.extend(sites.into_iter().zip(1..));
        }
    }
    numbers
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
