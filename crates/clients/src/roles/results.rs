//! Parameters for results: `make(struct thing **out)`.

use ir::{Callee, FuncId, Module, Op, Operand};

/// Whether a function sets what a parameter leads to, and does nothing else with it but look whether it is null; nor do functions that it
/// passes it on to.
pub fn only_sets(module: &Module, function: FuncId, index: usize) -> bool {
    Uses { module, open: Vec::new() }.only_sets(function, index)
}

struct Uses<'m> {
    module: &'m Module,
    /// What is looked at: a function that passes it to itself does no more with it than it does elsewhere.
    open: Vec<(FuncId, usize)>,
}

impl Uses<'_> {
    fn only_sets(&mut self, id: FuncId, index: usize) -> bool {
        if self.open.contains(&(id, index)) {
            return true;
        }
        let function = &self.module[id];
        // Of a structure that is passed by value parameters keep no names.
        let is_plain = !function.is_declaration() && function.params.len() == function.source_params.len();
        let Some(param) = function.params.get(index).filter(|_| is_plain) else { return false };
        let is_it = |operand: Operand| operand == Operand::Reg(param.reg);
        self.open.push((id, index));
        let (mut sets, mut others) = (false, false);
        for op in function.blocks.iter().flat_map(|block| &block.insts).map(|inst| &inst.op) {
            match op {
                Op::Store { address, value, .. } => {
                    sets |= is_it(*address);
                    others |= is_it(*value);
                }
                Op::Call { callee: Callee::Direct(callee), args, .. } => {
                    for at in (0..args.len()).filter(|&at| is_it(args[at].value)) {
                        let does = self.only_sets(*callee, at);
                        sets |= does;
                        others |= !does;
                    }
                }
                Op::Compare { .. } => {}
                op => op.for_each_operand(|operand| others |= is_it(operand)),
            }
        }
        let terminators = function.blocks.iter().map(|block| &block.terminator);
        terminators.for_each(|terminator| terminator.for_each_operand(|operand| others |= is_it(operand)));
        self.open.pop();
        sets && !others
    }
}
