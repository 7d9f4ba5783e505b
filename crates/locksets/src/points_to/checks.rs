//! What has to hold of the solution, else what was followed is not all there is.

use super::Program;
use crate::Open;
use crate::effects;
use crate::threads::{Instance, InstanceId, Place};
use ir::{BlockId, Callee, CastKind, FuncId, Op, Operand, Ty};
use rustc_hash::FxHashSet;

impl Program<'_> {
    /// What runs at the end of the process is called by nobody.
    pub(super) fn check_ends(&self) -> Result<(), Open> {
        let names = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit", "__cxa_thread_atexit"];
        let function = |instance: &Instance| &self.module[instance.function];
        match self.instances.iter().map(function).find(|function| names.contains(&&*function.name)) {
            Some(function) => Err(Open::NotFollowed { what: format!("what {} calls", function.name), at: None }),
            None => Ok(()),
        }
    }

    /// All instructions that can be come to.
    fn for_each_inst(&self, mut visit: impl FnMut(Place, &Op) -> Result<(), Open>) -> Result<(), Open> {
        for index in 0..self.instances.len() {
            let instance = InstanceId(index as u32);
            let id = self.instances[index].function;
            let cfg = self.cfg(id);
            for (number, block) in self.module[id].blocks.iter().enumerate() {
                let block_id = BlockId::new(number);
                if !cfg.is_reachable(block_id) {
                    continue;
                }
                for (at, inst) in block.insts.iter().enumerate() {
                    visit(Place { instance, block: block_id, inst: at as u32 }, &inst.op)?;
                }
            }
        }
        Ok(())
    }

    /// Where numbers become addresses that never were any, in some way to call the function.
    pub(super) fn made_of_numbers(&self) -> FxHashSet<(FuncId, BlockId, u32)> {
        let mut found = FxHashSet::default();
        let _ = self.for_each_inst(|place, op| {
            let Op::Cast { kind: CastKind::IntToPtr, value, .. } = op else { return Ok(()) };
            let is_number = match value {
                Operand::Int(number) => *number != 0,
                value => self.value(place.instance, *value).is_empty(),
            };
            if is_number {
                found.insert((self.instances[place.instance.index()].function, place.block, place.inst));
            }
            Ok(())
        });
        found
    }

    /// What is accessed has to be somewhere: an address that was not followed may lead anywhere.
    pub(super) fn check_addresses(&self) -> Result<(), Open> {
        self.for_each_inst(|place, op| {
            let accessed = match op {
                Op::Load { address, .. }
                | Op::Store { address, .. }
                | Op::AtomicRmw { address, .. }
                | Op::CompareExchange { address, .. } => vec![*address],
                Op::MemCopy { to, from, .. } => vec![*to, *from],
                Op::MemSet { to, .. } => vec![*to],
                Op::Call { callee: Callee::Direct(function), args, .. } => {
                    let effect = effects::of(&self.module[*function].name);
                    let is_declared = self.module[*function].is_declaration();
                    let used = effect.filter(|_| is_declared).map_or(0, |effect| effect.addresses());
                    let is_used = |number: usize| effects::is_among(number, used);
                    let pointers = args.iter().enumerate().filter(|(_, given)| given.ty == Ty::Ptr);
                    pointers.filter(|(number, _)| is_used(*number)).map(|(_, given)| given.value).collect()
                }
                _ => Vec::new(),
            };
            let is_nowhere =
                |operand: Operand| matches!(operand, Operand::Reg(_)) && self.value(place.instance, operand).is_empty();
            if accessed.into_iter().any(is_nowhere) {
                return self.give_up("an address that leads nowhere", place);
            }
            Ok(())
        })
    }

    /// What is called has to be a function that was followed.
    pub(super) fn check_calls(&self) -> Result<(), Open> {
        self.for_each_inst(|place, op| {
            let Op::Call { callee: Callee::Indirect(pointer), .. } = op else { return Ok(()) };
            let targets = self.value(place.instance, *pointer);
            if targets.is_empty() || targets.iter().any(|target| self.function_of(target).is_none()) {
                return self.give_up("a call of which it is not known what it calls", place);
            }
            Ok(())
        })
    }
}
