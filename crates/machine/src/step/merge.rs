//! Both ways of a branch at once, where they meet again (Kuznetsov et al., PLDI 2012).
//!
//! What they compute differently depends on the condition then, and the states that they would lead to are one. Done where
//! both ways can be gone and nothing on them but numbers differs; [`ir::Diamond`] says whether it pays.

use super::{StepCx, execute};
use crate::Stop;
use ::memory::Value;
use ir::{BlockId, Diamond, Edge, Op, Operand, Terminator};
use smallvec::SmallVec;
use smt::{TermId, Tri};

type Values = SmallVec<[Value; 4]>;

/// Goes both ways of the branch that the thread stands before; false, and nothing has happened, where that is not to be.
pub(super) fn both_ways(cx: &mut StepCx, condition: TermId, edges: [&Edge; 2]) -> Result<bool, Stop> {
    let program = cx.program;
    let frame = cx.thread.frame();
    let Some(diamond) = program.diamond(frame.function, frame.block) else { return Ok(false) };
    if cx.engine.terms.as_const(condition).is_some() || cx.state.path.decided(condition).is_some() {
        return Ok(false);
    }
    let before = cx.engine.statistics.instructions;
    let [holds, fails] = [0, 1].map(|way| way_to_join(cx, diamond.arms[way], edges[way]));
    let merged = holds.zip(fails).and_then(|(holds, fails)| meet(cx, condition, diamond, &holds, &fails));
    let Some(merged) = merged.filter(|_| may_go_both(cx, condition)) else {
        cx.engine.statistics.instructions = before;
        return Ok(false);
    };
    cx.check_defined(condition, "a branch depends on an uninitialised value")?;
    [0, 1].into_iter().for_each(|way| cx.came_by(way));
    let function = cx.thread.frame().function;
    for arm in diamond.arms.into_iter().flatten() {
        let end = program.module[function].block(arm).insts.len();
        cx.engine.came.by(program.firsts(function)[arm.index()] as usize + end, 0);
    }
    let params = &program.module[function].block(diamond.join).params;
    let frame = cx.thread.frame_mut();
    for (param, value) in params.iter().zip(merged) {
        frame.registers[param.index()] = value;
    }
    (frame.block, frame.inst) = (diamond.join, 0);
    cx.engine.statistics.merged += 1;
    Ok(true)
}

/// What the join gets on one way. The registers are as before then.
fn way_to_join(cx: &mut StepCx, arm: Option<BlockId>, edge: &Edge) -> Option<Values> {
    let program = cx.program;
    let function = &program.module[cx.thread.frame().function];
    let Some(arm) = arm else { return arguments(cx, edge) };
    let block = function.block(arm);
    let registers = cx.thread.frame().registers.clone();
    let computed = block.insts.iter().all(|inst| {
        let plain = has_numbers(cx, &inst.op);
        plain && execute(cx, &inst.op).is_ok()
    });
    cx.engine.statistics.instructions += block.insts.len() as u64;
    let values = match &block.terminator {
        Terminator::Jump(edge) if computed => arguments(cx, edge),
        _ => None,
    };
    cx.thread.frame_mut().registers = registers;
    values
}

fn arguments(cx: &mut StepCx, edge: &Edge) -> Option<Values> {
    let function = &cx.program.module[cx.thread.frame().function];
    let params = &function.block(edge.target).params;
    Some(params.iter().zip(&edge.args).map(|(param, arg)| cx.operand(*arg, function.register(*param).ty)).collect())
}

/// Computing with addresses may need to know where pointers lead.
fn has_numbers(cx: &mut StepCx, op: &Op) -> bool {
    let mut plain = true;
    op.for_each_operand(&mut |operand| {
        plain &= match operand {
            Operand::Reg(reg) => {
                let value = cx.state.memory.settle(cx.thread.frame().registers[reg.index()]);
                matches!(value, Value::Int(_) | Value::Term(_))
            }
            Operand::Int(_) | Operand::Wide(_) => true,
            Operand::Global(..) | Operand::Func(_) | Operand::Undef => false,
        }
    });
    plain
}

/// The join's parameters, where what differs are numbers on which not too much depends.
fn meet(cx: &mut StepCx, condition: TermId, diamond: &Diamond, holds: &Values, fails: &Values) -> Option<Values> {
    let function = &cx.program.module[cx.thread.frame().function];
    let params = &function.block(diamond.join).params;
    let mut merged = Values::new();
    for (index, (&a, &b)) in holds.iter().zip(fails).enumerate() {
        let numbers = matches!((a, b), (Value::Int(_) | Value::Term(_), Value::Int(_) | Value::Term(_)));
        merged.push(if a == b {
            a
        } else if numbers && !diamond.hot[index] {
            let width = u32::from(cx.bits(function.register(params[index]).ty));
            let (a, b) = (cx.term_of(a, width).ok()?, cx.term_of(b, width).ok()?);
            let either = cx.engine.terms.ite(condition, a, b);
            cx.simplest(either)
        } else {
            return None;
        });
    }
    Some(merged)
}

fn may_go_both(cx: &mut StepCx, condition: TermId) -> bool {
    let negated = cx.engine.terms.not(condition);
    let path = cx.state.path.terms();
    let mut may = |term| matches!(cx.engine.solver.may_be_true(&mut cx.engine.terms, path, term), Ok(Tri::Yes));
    may(condition) && may(negated)
}
