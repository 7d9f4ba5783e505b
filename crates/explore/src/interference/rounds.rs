//! Threads that look again and again.
//!
//! A thread that goes on by itself, and comes round to where it was with all as it was but the names of what it has read since, will go on so
//! for ever. It need not be followed further: an execution with one round less, in which nothing is written, is one in which every other read
//! finds what it found, with the same interferences.

use concurrency::{Action, Site, ThreadId};
use machine::{Engine, Frame, State};
use memory::{Fingerprint, Value};
use rustc_hash::FxHashMap;
use smt::TermId;
use std::rc::Rc;

/// A thread before a visible action.
#[derive(Debug)]
struct Visit {
    site: Site,
    /// A wait stands before several, one after the other, at one site.
    action: Action,
    registers: Vec<Value>,
    memory: Fingerprint,
    /// Its reads so far.
    reads: usize,
    /// What it has done that others may notice, reads and locks aside.
    effects: usize,
}

/// Where a thread was since it goes on by itself.
#[derive(Debug, Default)]
pub(super) struct Rounds(Vec<Visit>);

impl Rounds {
    /// Whether the thread goes round: it stands where it stood twice, and was the last time as it is. `reads`: the variables of its reads;
    /// `effects`: what it has done that others may notice.
    pub(super) fn come_round(
        &mut self,
        engine: &mut Engine,
        state: &mut State,
        (thread, action): (ThreadId, Action),
        effects: usize,
        reads: &[Option<TermId>],
    ) -> bool {
        let site = engine.program.site(state.thread(thread).frame());
        let registers = registers(engine, state, thread);
        let memory = state.memory.fingerprint();
        let visit = Visit { site, action, registers, memory, reads: reads.len(), effects };
        let before: Vec<&Visit> =
            self.0.iter().rev().filter(|visit| (visit.site, visit.action) == (site, action)).take(2).collect();
        let goes_round = match before[..] {
            [last, first] => {
                let round = visit.reads - last.reads;
                round == last.reads - first.reads
                    && first.effects == visit.effects
                    && last.memory == visit.memory
                    && is_same(engine, last, &visit, (round, reads))
            }
            _ => false,
        };
        self.0.push(visit);
        goes_round
    }
}

/// All registers of all frames of a thread.
fn registers(engine: &Engine, state: &State, thread: ThreadId) -> Vec<Value> {
    let module = &engine.program.module;
    let frames = &state.thread(thread).frames;
    let of_frame = |frame: &Rc<Frame>| -> Vec<Value> {
        let count = module[frame.function].registers.len();
        let at = [Value::Int(frame.block.index() as u64), Value::Int(frame.inst as u64)];
        let registers = (0..count).map(|index| frame.register(ir::Reg::new(index)));
        at.into_iter().chain(registers).collect()
    };
    frames.iter().flat_map(of_frame).collect()
}

/// Whether two visits differ only in the names of what was read in the last round and the one before.
fn is_same(engine: &mut Engine, last: &Visit, this: &Visit, (round, reads): (usize, &[Option<TermId>])) -> bool {
    if last.registers.len() != this.registers.len() {
        return false;
    }
    let terms = &mut engine.terms;
    let mut by = FxHashMap::default();
    for number in last.reads..this.reads {
        if let (Some(new), Some(old)) = (reads[number], reads[number - round])
            && terms.width(new) == terms.width(old)
        {
            by.insert(new, old);
        }
    }
    last.registers.iter().zip(&this.registers).all(|(last, this)| match (*last, *this) {
        (Value::Term(last), Value::Term(this)) => terms.substitute(this, &by) == last,
        (last, this) => last == this,
    })
}
