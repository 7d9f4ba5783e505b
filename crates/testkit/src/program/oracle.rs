//! Runs a program over all interleavings: depth-first, no reduction, no memory of states.
//!
//! Every shared access and every synchronisation operation is a step of its own, so the number of executions is
//! that of the interleavings, and two that differ in nothing that matters are both run.
//! With a bound on preemptions those are left out that have more, counted between any two steps.

use super::ast::{Cell, Program, ThreadId};
use super::code::{Instr, Op};
use super::exec::{Machine, Outcome, State};
use super::expectation::{Deadlock, Expectation, Semantics, TooLarge};
use super::order::Execution;
use super::render::translate;
use crate::finding::AccessKind;
use std::collections::BTreeSet;

/// Everything that `program` can do. It must be well formed.
pub fn explore(program: &Program, semantics: &Semantics) -> Result<Expectation, TooLarge> {
    let translation = translate(program);
    let reached = Default::default();
    let machine = Machine { program, threads: &translation.threads, semantics, reached };
    let mut search = Search { machine, execution: Execution::default(), found: Expectation::default() };
    let start = search.machine.start();
    search.visit(&start, Turn { thread: ThreadId::MAIN, preemptions: 0 })?;
    if program.cell == Cell::OfBlock {
        leave_out_ends(&mut search.found);
    }
    // What ends a thread, and a jump, need not be an instruction of the program's.
    let is_code = |instr: &&Instr| !matches!(instr.op, Op::End | Op::Jump(_));
    let all: BTreeSet<u32> = translation.threads.iter().flatten().filter(is_code).map(|instr| instr.line).collect();
    let came = search.machine.reached.take();
    (search.found.reached, search.found.unreached) = all.into_iter().partition(|line| came.contains(line));
    Ok(search.found)
}

/// A race with the end of a variable is not told beside an access on the same line after the end.
fn leave_out_ends(found: &mut Expectation) {
    let after_end: BTreeSet<u32> = found.memory.iter().map(|(line, _)| *line).collect();
    found.races.retain(|race| {
        let sides = [race.first(), race.second()];
        let ends = sides.iter().any(|side| side.access == AccessKind::Free);
        !ends || sides.iter().all(|side| side.access == AccessKind::Free || !after_end.contains(&side.line))
    });
}

/// Who took the last step, and the preemptions up to it. `main` runs when the program begins.
#[derive(Clone, Copy)]
struct Turn {
    thread: ThreadId,
    preemptions: u32,
}

struct Search<'a> {
    machine: Machine<'a>,
    execution: Execution,
    found: Expectation,
}

impl Search<'_> {
    /// Runs every continuation of `state`. As deep as the execution is long.
    fn visit(&mut self, state: &State, last: Turn) -> Result<(), TooLarge> {
        for lines in self.machine.owner_cycles(state) {
            self.found.deadlocks.insert(Deadlock { total: false, lines });
        }
        let mut moves = Vec::new();
        self.machine.moves(state, &mut moves);
        if moves.is_empty() {
            self.found.deadlocks.insert(Deadlock { total: true, lines: self.machine.standing(state) });
            return self.count();
        }
        let could_go_on = self.machine.could_go_on(state, last.thread);
        let bound = self.machine.semantics.preemptions.unwrap_or(u32::MAX);
        for chosen in moves {
            let thread = chosen.thread();
            let preempts = could_go_on && thread != last.thread;
            let turn = Turn { thread, preemptions: last.preemptions + u32::from(preempts) };
            if turn.preemptions > bound {
                continue;
            }
            let mark = self.execution.len();
            let mut next = state.clone();
            match self.machine.step(&mut next, &mut self.execution, chosen, &mut self.found) {
                Outcome::Continues => self.visit(&next, turn)?,
                Outcome::Ended => self.count()?,
                Outcome::Returned(output) => {
                    self.found.outputs.insert(output);
                    self.count()?;
                }
                Outcome::TooLong => return Err(TooLarge),
            }
            self.execution.truncate(mark);
        }
        Ok(())
    }

    fn count(&mut self) -> Result<(), TooLarge> {
        self.found.interleavings += 1;
        if self.found.interleavings > self.machine.semantics.max_interleavings { Err(TooLarge) } else { Ok(()) }
    }
}
