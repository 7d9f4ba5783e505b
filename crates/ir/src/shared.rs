//! How much shared memory a kernel's blocks have before a launch gives them more (CUDA C++ Programming Guide, 'Shared Memory').

use crate::{Callee, FuncId, GlobalId, Init, Module, Op, Space};
use std::collections::BTreeSet;

/// Bytes of the `__shared__` variables with a size of their own that a kernel uses, or what it calls; each is placed where its alignment
/// allows it.
pub fn shared_bytes(module: &Module, kernel: FuncId) -> u64 {
    let mut seen = BTreeSet::from([kernel]);
    let mut open = vec![kernel];
    let mut used: BTreeSet<GlobalId> = BTreeSet::new();
    while let Some(function) = open.pop() {
        for op in module[function].blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
            match op {
                Op::ThreadLocal { global, .. } => used.extend([*global]),
                Op::Call { callee: Callee::Direct(callee), .. } => open.extend(seen.insert(*callee).then_some(*callee)),
                Op::Call { callee: Callee::Indirect(_), .. } => {
                    let taken = module.functions().filter(|(_, f)| f.address_taken && f.device).map(|(id, _)| id);
                    open.extend(taken.filter(|id| seen.insert(*id)));
                }
                _ => {}
            }
        }
    }
    let shared = used.iter().map(|id| &module[*id]).filter(|g| g.space == Space::Shared && g.init != Init::External);
    shared.fold(0, |end: u64, global| end.next_multiple_of(global.align.max(1)).saturating_add(global.size))
}
