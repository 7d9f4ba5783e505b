//! Variables that are accessed by atomic operations alone.

use crate::{Address, GlobalId, Init, Module, Op, Operand};
use std::collections::BTreeSet;

/// The globals of which each use is the address of an atomic operation: two accesses to one of them never race (C11 5.1.2.4p25).
pub fn only_atomic(module: &Module) -> BTreeSet<GlobalId> {
    let mut others: BTreeSet<GlobalId> = BTreeSet::new();
    let mut used = |operand: Operand| {
        if let Operand::Global(global, _) = operand {
            others.insert(global);
        }
    };
    for block in module.functions.iter().flat_map(|function| &function.blocks) {
        for inst in &block.insts {
            match &inst.op {
                Op::Load { order: Some(_), .. } => {}
                Op::Store { value, order: Some(_), .. } | Op::AtomicRmw { value, .. } => used(*value),
                Op::CompareExchange { expected, new, .. } => [*expected, *new].into_iter().for_each(&mut used),
                other => other.for_each_operand(&mut used),
            }
        }
        block.terminator.for_each_operand(&mut used);
    }
    for global in &module.globals {
        let Init::Data { addresses, .. } = &global.init else { continue };
        for (_, address) in addresses {
            if let Address::Global(target, offset) = address {
                used(Operand::Global(*target, *offset));
            }
        }
    }
    (0..module.globals.len()).map(GlobalId::new).filter(|global| !others.contains(global)).collect()
}

#[cfg(test)]
mod tests {
    use super::only_atomic;
    use crate::text;

    #[test]
    fn a_plain_access_or_a_taken_address_is_enough() {
        let count = |body: &str| {
            let text = format!(
                "T0 = void\nT1 = signed int 4\nglobal g0 flag: 4 align 4 T1 = zero\n\
                 fn f0 f(%0 p: ptr) external {{\nb0:\n  {body}\n  return\n}}\n"
            );
            only_atomic(&text::parse(&text).unwrap_or_else(|e| panic!("{e}"))).len()
        };
        let atomic = ["%1: i32 = load i32 [g0:flag] relaxed", "store i32 1, [g0:flag] release"];
        let others = ["%1: i32 = load i32 [g0:flag]", "store i32 1, [g0:flag]", "store ptr g0:flag, [%0] seq_cst"];
        assert_eq!(atomic.map(count), [1, 1]);
        assert_eq!(others.map(count), [0, 0, 0]);
        let add = "%1: i32 = rmw add i32 [g0:flag], 1 relaxed";
        assert_eq!(count(add), 1);
        assert_eq!(count(&format!("{add}\n  {}", others[0].replace("%1", "%2"))), 0);
    }
}
