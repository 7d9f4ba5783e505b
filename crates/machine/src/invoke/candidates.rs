//! Which functions may have summaries.

use crate::program::Program;
use ir::{Callee, FuncId, Function, Op, Terminator};

/// What can be said of a function before it runs, as far as summaries are concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Candidate {
    /// It does more than computing, reading and writing, or it calls itself.
    No,
    /// It does not, but neither does it go round any loop: invoking a summary takes as long as carrying it out.
    Short,
    Loops,
}

/// By function. Calls are followed from the innermost on, so that nothing that calls itself is ever reached.
pub(crate) fn candidates(program: &Program) -> Vec<Candidate> {
    let mut found = vec![Candidate::No; program.module.functions.len()];
    loop {
        let mut grown = false;
        for (id, function) in program.module.functions() {
            if found[id.index()] == Candidate::No
                && let Some(candidate) = candidate(program, id, function, &found)
            {
                found[id.index()] = candidate;
                grown = true;
            }
        }
        if !grown {
            return found;
        }
    }
}

fn candidate(program: &Program, id: FuncId, function: &Function, known: &[Candidate]) -> Option<Candidate> {
    let plain = !function.is_declaration()
        && program.models[id.index()].is_none()
        && !function.variadic
        && function.params.iter().all(|param| param.by_value.is_none())
        && !crate::step::is_atomic_section(&function.name);
    if !plain {
        return None;
    }
    let cfg = &program.cfgs[id.index()];
    let mut loops = false;
    for header in cfg.headers() {
        // At others it is looked whether the state repeats itself.
        if !cfg.counts(header) {
            return None;
        }
        loops = true;
    }
    for block in &function.blocks {
        if matches!(block.terminator, Terminator::Unsupported { .. }) {
            return None;
        }
        for inst in &block.insts {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), args, .. }
                    if args.iter().all(|arg| arg.by_value.is_none()) =>
                {
                    match known[callee.index()] {
                        Candidate::No => return None,
                        Candidate::Short => {}
                        Candidate::Loops => loops = true,
                    }
                }
                op if computes(op) => {}
                _ => return None,
            }
        }
    }
    Some(if loops { Candidate::Loops } else { Candidate::Short })
}

fn computes(op: &Op) -> bool {
    match op {
        Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Overflow { .. }
        | Op::Bits { .. }
        | Op::Float { .. }
        | Op::FloatCompare { .. }
        | Op::FloatCast { .. }
        | Op::Offset { .. } => true,
        Op::Load { order, volatile, .. } => order.is_none() && !volatile,
        Op::Store { order, volatile, .. } => order.is_none() && !volatile,
        _ => false,
    }
}
