//! Programs of which it is known without a search that their weak atomics allow nothing besides what interleaving shows: there is one place
//! of atomic operations, and all else that threads tell each other is told by what orders them (docs/soundness.md, 11c).

use crate::program::Program;
use ir::{Callee, FuncId, GlobalId, Op, Operand, Ty};

/// Calls by which a thread either learns nothing of another, or comes behind what it learns of.
const ORDERING: [&str; 21] = [
    "pthread_create",
    "pthread_join",
    "pthread_exit",
    "pthread_self",
    "pthread_mutex_init",
    "pthread_mutex_lock",
    "pthread_mutex_unlock",
    "pthread_mutex_destroy",
    "malloc",
    "calloc",
    "free",
    "abort",
    "exit",
    "__assert_fail",
    "sched_yield",
    "printf",
    "puts",
    "putchar",
    "reach_error",
    "__VERIFIER_assume",
    "__VERIFIER_error",
];

/// Inputs of SV-COMP's programs.
const INPUT: &str = "__VERIFIER_nondet_";

impl Program {
    /// Whether all atomic operations are of one global variable, and threads tell each other nothing else but by locks, creation and join.
    pub fn has_one_atomic_place(&self) -> bool {
        let mut only: Option<(GlobalId, i64, Ty)> = None;
        let ops = || self.module.functions.iter().flat_map(|function| &function.blocks).flat_map(|block| &block.insts);
        let mut is_it = |address: &Operand, ty: &Ty| match address {
            Operand::Global(global, offset) => *only.get_or_insert((*global, *offset, *ty)) == (*global, *offset, *ty),
            _ => false,
        };
        ops().all(|inst| match &inst.op {
            Op::Load { ty, address, order: Some(_), .. }
            | Op::Store { ty, address, order: Some(_), .. }
            | Op::AtomicRmw { ty, address, .. }
            | Op::CompareExchange { ty, address, .. } => is_it(address, ty),
            Op::Load { volatile, .. } | Op::Store { volatile, .. } => !volatile,
            Op::Call { callee: Callee::Direct(callee), .. } => self.orders(*callee),
            Op::Call { .. } => false,
            _ => true,
        })
    }

    fn orders(&self, callee: FuncId) -> bool {
        let callee = &self.module[callee];
        let name = callee.name.as_str();
        !callee.is_declaration() || ORDERING.contains(&name) || name.starts_with("llvm.") || name.starts_with(INPUT)
    }
}
