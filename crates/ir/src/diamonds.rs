//! Branches whose two ways meet again at once, and whether it pays to go both at the same time.
//!
//! Two states that differ in a few numbers can go on as one in which these depend on the condition. It saves exploring twice
//! what follows, and makes each later condition on these numbers harder to decide. Whether it pays is estimated as
//! Kuznetsov, Kinder, Bucur and Candea do (Efficient state merging in symbolic execution, PLDI 2012, section 3.2): from the queries that are
//! to come, and those among them that depend on what differs.
//!
//! Where one number will do and no other, at addresses, in floating-point arithmetic and in calls, all that a merged one may be would be told
//! apart again, as far as that is possible at all: what comes to such a place is not merged.

use crate::{BinaryOp, Block, BlockId, Edge, Function, Op, Operand, Reg, RegSet, Terminator, Ty};

/// A branch whose ways compute numbers, do nothing else, and meet.
#[derive(Clone, PartialEq, Debug)]
pub struct Diamond {
    /// Where they meet.
    pub join: BlockId,
    /// What is computed if the condition holds, and if it does not; none: nothing.
    pub arms: [Option<BlockId>; 2],
    /// By parameter of the join: whether it had better have one value, for much of what follows depends on it.
    pub hot: Vec<bool>,
}

/// Of a hundred queries to come, as many as may depend on a number that is merged.
const MOST_DEPENDENT: f64 = 50.0;

/// Rounds of the estimate; what is that far away counts for next to nothing.
const ROUNDS: usize = 40;

/// The diamonds of a function, by the block that branches.
pub fn diamonds(function: &Function, is_header: impl Fn(BlockId) -> bool) -> Vec<Option<Diamond>> {
    let blocks = (0..function.blocks.len()).map(BlockId::new);
    let shapes: Vec<_> = blocks.map(|block| shape(function, block, &is_header)).collect();
    if shapes.iter().all(Option::is_none) {
        return shapes.iter().map(|_| None).collect();
    }
    let all = estimate(function, total);
    let is_hot = |join: BlockId, param: Reg| {
        let depends = dependents(function, param);
        let dependent = || estimate(function, |block| dependent(block, &depends));
        function.register(param).ty == Ty::Ptr
            || function.blocks.iter().flat_map(|block| &block.insts).any(|inst| wants_one(&inst.op, &depends))
            || 100.0 * dependent()[join.index()] >= MOST_DEPENDENT * all[join.index()]
    };
    let found = shapes.into_iter().map(|shape| {
        let (join, arms) = shape?;
        let hot: Vec<bool> = function.block(join).params.iter().map(|&param| is_hot(join, param)).collect();
        // Where no number may differ, the ways are told apart.
        (hot.is_empty() || hot.contains(&false)).then_some(Diamond { join, arms, hot })
    });
    found.collect()
}

type Shape = (BlockId, [Option<BlockId>; 2]);

fn shape(function: &Function, block: BlockId, is_header: &impl Fn(BlockId) -> bool) -> Option<Shape> {
    let Terminator::Branch { if_true, if_false, .. } = &function.block(block).terminator else { return None };
    let next = |edge: &Edge| match &function.block(edge.target).terminator {
        Terminator::Jump(on) if edge.args.is_empty() && is_computing(function.block(edge.target)) => Some(on.target),
        _ => None,
    };
    let (x, y) = (if_true.target, if_false.target);
    let (join, arms) = match (next(if_true), next(if_false)) {
        _ if x == y => (x, [None, None]),
        (Some(join), _) if join == y => (y, [Some(x), None]),
        (_, Some(join)) if join == x => (x, [None, Some(y)]),
        (Some(join), Some(other)) if join == other => (join, [Some(x), Some(y)]),
        _ => return None,
    };
    let mut reached = arms.into_iter().flatten().chain([join]);
    (join != block && !reached.any(is_header)).then_some((join, arms))
}

/// Whether nothing happens in a block but that numbers are computed, which cannot fail.
fn is_computing(block: &Block) -> bool {
    block.params.is_empty()
        && block.insts.iter().all(|inst| match &inst.op {
            Op::Binary { op, .. } => !matches!(op, BinaryOp::UDiv | BinaryOp::SDiv | BinaryOp::URem | BinaryOp::SRem),
            op => computes(op),
        })
}

/// By block: the expected sum, over what is executed from there on, of what blocks count for, if each way of a branch is as likely
/// as the others.
fn estimate(function: &Function, count: impl Fn(&Block) -> f64) -> Vec<f64> {
    let own: Vec<f64> = function.blocks.iter().map(count).collect();
    let mut sums = own.clone();
    for _ in 0..ROUNDS {
        for (index, block) in function.blocks.iter().enumerate().rev() {
            let next = block.terminator.edges().map(|edge| sums[edge.target.index()]);
            let (ways, sum) = next.fold((0.0, 0.0), |(ways, sum), next| (ways + 1.0, sum + next));
            sums[index] = own[index] + if ways > 0.0 { sum / ways } else { 0.0 };
        }
    }
    sums
}

/// The queries at a block's end: a condition, and behind a return whatever the caller wants to know.
fn total(block: &Block) -> f64 {
    match &block.terminator {
        Terminator::Branch { condition: Operand::Reg(_), .. } | Terminator::Switch { value: Operand::Reg(_), .. } => {
            1.0
        }
        Terminator::Return { .. } => 1.0,
        _ => 0.0,
    }
}

/// Those that depend on one of these registers. What leaves the function counts for half.
fn dependent(block: &Block, registers: &RegSet) -> f64 {
    let depends = |operand: Operand| is_among(operand, registers);
    let stored = block.insts.iter().filter(|inst| matches!(inst.op, Op::Store { value, .. } if depends(value))).count();
    let at_end = match &block.terminator {
        Terminator::Branch { condition: asked, .. } | Terminator::Switch { value: asked, .. } if depends(*asked) => 1.0,
        Terminator::Return { values } if values.iter().any(|value| depends(*value)) => 0.5,
        _ => 0.0,
    };
    0.5 * stored as f64 + at_end
}

fn is_among(operand: Operand, registers: &RegSet) -> bool {
    matches!(operand, Operand::Reg(reg) if registers.contains(reg))
}

/// Whether an instruction computes integers from integers, and does nothing else.
fn computes(op: &Op) -> bool {
    matches!(
        op,
        Op::Binary { .. }
            | Op::Compare { .. }
            | Op::Cast { .. }
            | Op::Select { .. }
            | Op::Overflow { .. }
            | Op::Bits { .. }
    )
}

/// Whether an instruction has more use for one number than for a term, in one of these registers.
fn wants_one(op: &Op, registers: &RegSet) -> bool {
    let mut any = false;
    match op {
        op if computes(op) => {}
        Op::Store { address, order: None, .. } => any = is_among(*address, registers),
        op => op.for_each_operand(&mut |operand| any |= is_among(operand, registers)),
    }
    any
}

/// The registers whose values may depend on a register's, not by way of memory.
fn dependents(function: &Function, on: Reg) -> RegSet {
    let mut all = RegSet::new();
    all.insert(on);
    loop {
        let mut grown = false;
        for block in &function.blocks {
            for inst in block.insts.iter().filter(|inst| computes(&inst.op)) {
                let mut any = false;
                inst.op.for_each_operand(&mut |operand| any |= is_among(operand, &all));
                if any {
                    inst.op.dests().for_each(|dest| grown |= all.insert(dest));
                }
            }
            for edge in block.terminator.edges() {
                for (param, arg) in function.block(edge.target).params.iter().zip(&edge.args) {
                    if is_among(*arg, &all) {
                        grown |= all.insert(*param);
                    }
                }
            }
        }
        if !grown {
            return all;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cfg::Cfg;

    /// Where the diamonds of the first function stand, with what is hot at their joins.
    fn found(text: &str) -> Vec<(usize, usize, Vec<bool>)> {
        let module = crate::text::parse(text).expect("valid IR");
        let function = &module.functions[0];
        let cfg = Cfg::new(function);
        let all = diamonds(function, |block| cfg.is_header(block)).into_iter().enumerate();
        all.filter_map(|(block, diamond)| diamond.map(|d| (block, d.join.index(), d.hot))).collect()
    }

    /// A number is counted up in one of two ways; `rest` goes on with it, as `%2`.
    fn counting(arm: &str, rest: &str) -> String {
        format!(
            "fn f0 f(%0: i32, %1: i1) -> i32 external {{\nb0:\n  branch %1, b1, b2(%0)\nb1:\n  {arm}\n  jump b2(%3)\nb2(%2: i32):\n{rest}}}\n"
        )
    }

    #[test]
    fn ways_that_meet_at_once() {
        let plain = counting("%3 = add i32 %0, 1", "  return %2\n");
        assert_eq!(found(&plain), [], "a caller may ask nothing else");
        let both = "fn f0 f(%0: i32, %1: i1) -> i32 external {\nb0:\n  branch %1, b1, b2\nb1:\n  %2 = add i32 %0, 1\n  jump b3(%2)\n\
                    b2:\n  %3 = mul i32 %0, 3\n  jump b3(%3)\nb3(%4: i32):\n  return %0\n}\n";
        assert_eq!(found(both), [(0, 3, vec![false])], "nobody looks at it");
    }

    #[test]
    fn on_the_way_nothing_may_happen() {
        assert_eq!(found(&counting("%3 = udiv i32 %0, 2", "  return 0\n")), [], "it may fail");
        let load = counting("%3 = load i32 [null]", "  return 0\n");
        assert_eq!(found(&load), [], "others may notice");
    }

    #[test]
    fn conditions_that_depend_on_it_weigh_against_the_others() {
        let merges = |rest: &str| found(&counting("%3 = add i32 %0, 1", rest)).contains(&(0, 2, vec![false]));
        let own = "  %4 = cmp eq i32 %2, 3\n  branch %4, b3, b4\nb3:\n  return 1\nb4:\n  return 0\n";
        assert!(!merges(own));
        let others = "  branch %1, b3, b3\nb3:\n  branch %1, b4, b4\nb4:\n  %4 = cmp eq i32 %2, 3\n  branch %4, b5, b6\nb5:\n  return 1\nb6:\n  return 0\n";
        assert!(merges(others), "one of three, and of what the caller wants to know nothing");
    }

    /// Where others ask more: only what is done with the number is different.
    #[test]
    fn what_comes_to_where_one_number_is_wanted_is_not_merged() {
        let merges = |use_of_it: &str| {
            let rest = format!("{use_of_it}  branch %1, b3, b3\nb3:\n  branch %1, b4, b4\nb4:\n  return 0\n");
            found(&counting("%3 = add i32 %0, 1", &rest)).contains(&(0, 2, vec![false]))
        };
        assert!(merges("  %4 = mul i32 %2, 3\n"));
        assert!(!merges("  %4 = inttoptr i32 %2 to ptr\n  %5 = load i8 [%4]\n"), "an address");
        assert!(!merges("  %4 = float_from_signed i32 %2 to double\n"), "floating point");
    }
}
