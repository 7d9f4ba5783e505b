//! A program with stronger orders: what might keep a weak atomic operation from what no interleaving shows.

use crate::program::{Program, ProgramError};
use concurrency::Site;
use ir::{Inst, LoadOrder, Op, Order, StoreOrder};
use std::collections::BTreeMap;

/// Orders of operations that are there, and fences that are not.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Stronger {
    /// By operation or fence: no weaker than it is.
    pub orders: BTreeMap<Site, Order>,
    /// By the operation that it stands before.
    pub fences: BTreeMap<Site, Order>,
}

/// The orders that an operation or a fence could have and has not, the weakest first; none of what is not atomic. A compare-and-exchange
/// has two: `seq_cst` is for both.
pub fn stronger_than(op: &Op) -> Vec<Order> {
    use Order::{AcqRel, Acquire, Release, SeqCst};
    let (all, own): (&[Order], Order) = match op {
        Op::Load { order: Some(order), .. } => (&[Acquire, SeqCst], (*order).into()),
        Op::Store { order: Some(order), .. } => (&[Release, SeqCst], (*order).into()),
        Op::CompareExchange { success_order: SeqCst, failure_order, .. } => (&[SeqCst], (*failure_order).into()),
        Op::AtomicRmw { order, .. } | Op::CompareExchange { success_order: order, .. } => {
            (&[Acquire, Release, AcqRel, SeqCst], *order)
        }
        Op::Fence { order, single_thread: false } => (&[Acquire, Release, AcqRel, SeqCst], *order),
        _ => return Vec::new(),
    };
    let is_stronger = |order: Order| match own {
        Order::Relaxed => true,
        Order::Acquire | Order::Release => matches!(order, AcqRel | SeqCst),
        Order::AcqRel => order == SeqCst,
        Order::SeqCst => false,
    };
    all.iter().copied().filter(|&order| is_stronger(order)).collect()
}

fn with_order(op: &mut Op, to: Order) {
    match op {
        Op::Load { order: Some(order), .. } => *order = read_half(to),
        Op::Store { order: Some(order), .. } => {
            *order = match to {
                Order::SeqCst => StoreOrder::SeqCst,
                Order::Release | Order::AcqRel => StoreOrder::Release,
                Order::Relaxed | Order::Acquire => StoreOrder::Relaxed,
            };
        }
        Op::AtomicRmw { order, .. } | Op::Fence { order, .. } => *order = to,
        Op::CompareExchange { success_order, failure_order, .. } => {
            *success_order = to;
            *failure_order = (*failure_order).max(read_half(to));
        }
        _ => {}
    }
}

fn read_half(order: Order) -> LoadOrder {
    match order {
        Order::SeqCst => LoadOrder::SeqCst,
        other => other.of_read(),
    }
}

impl Program {
    /// The same with these orders and fences. Its functions are numbered as they were, its instructions are not.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn strengthened(&self, by: &Stronger) -> Result<Program, ProgramError> {
        let mut module = self.module.clone();
        for (&site, &order) in &by.orders {
            if let Some((function, block, inst)) = self.place_of(site)
                && let Some(inst) =
                    module.functions[function.index()].blocks[block.index()].insts.get_mut(inst as usize)
            {
                with_order(&mut inst.op, order);
            }
        }
        // Later ones first, so that earlier ones stand where they stood.
        for (&site, &order) in by.fences.iter().rev() {
            let Some((function, block, inst)) = self.place_of(site) else { continue };
            let insts = &mut module.functions[function.index()].blocks[block.index()].insts;
            let Some(location) = insts.get(inst as usize).map(|inst| inst.location) else { continue };
            let op = Op::Fence { order, single_thread: false };
            insts.insert(inst as usize, Inst { op, location });
        }
        Program::prepared(module, self.facts.clone())
    }
}
