//! What clocks showed, as long as something depends on it.
//!
//! A thread that waits with a time limit, and again until it has what it waits for, reads a clock in each round: each
//! reading is an input of its own, so no two rounds would start from the same state. But what was shown three rounds ago is
//! mostly of no interest any more. Where nothing holds a reading, it matters only by what the path condition says of
//! others: the condition is projected on these, and the reading's symbols may be used again.
//!
//! Guarantee: the path condition without the reading is satisfied by the same values of all other symbols as before. A
//! reading `t` is forgotten if each conjunct `C(t)` is implied to hold as well for another reading `u` of the same clock in
//! its place: then "some `t` satisfies `C`" and `C(u)` say the same. Where the solver cannot tell, the reading is kept.
//!
//! What was forgotten has been what the other reading was ([`State::forgotten`]): so a run that ends in a finding has a
//! value for each reading.

use crate::state::has_handlers;
use crate::state::numbered_name;
use crate::state::{OnReturn, Thread};
use crate::step::StepCx;
use crate::{Engine, EngineError, Input, State, Stop};
use concurrency::ThreadId;
use memory::{Pointer, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;
use smt::{TermId, Tri};
use std::rc::Rc;

/// Readings in which nothing is interested any more that are looked at again each time, the latest ones.
const MOST_TRIED: usize = 4;

/// Which readings are forgotten where nothing depends on them any more.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Forget {
    None,
    /// A few of them each time that a clock is read.
    Latest,
    /// All of them: for who goes on from where none was.
    All,
}

/// Readings before and after one that may stand for it.
const MOST_NEAR: usize = 2;

/// Which reading of a clock an input is part of.
#[derive(Clone, PartialEq, Debug)]
pub struct Reading {
    /// The clock, by what the C library keeps of it.
    pub clock: Pointer,
    /// Readings of this thread before.
    number: u32,
    /// Counts its thread's inputs of this name.
    nth: u32,
    /// The number of the symbol.
    slot: u32,
    /// The part of it, as inputs are called.
    pub what: Rc<str>,
}

/// A reading by its parts.
#[derive(Clone, Debug)]
struct Whole {
    thread: ThreadId,
    number: u32,
    clock: Pointer,
    parts: Vec<(Rc<str>, TermId)>,
}

impl Whole {
    /// The readings among these inputs, oldest first.
    fn all_in(inputs: &[Input]) -> Vec<Whole> {
        let mut all: Vec<Whole> = Vec::new();
        for input in inputs {
            let (Some(Reading { clock, number, what, .. }), &[symbol]) = (&input.reading, &*input.symbols) else {
                continue;
            };
            let part = (Rc::clone(what), symbol);
            match all.iter_mut().rev().find(|whole| (whole.thread, whole.number) == (input.thread, *number)) {
                Some(whole) => whole.parts.push(part),
                None => all.push(Whole { thread: input.thread, number: *number, clock: *clock, parts: vec![part] }),
            }
        }
        all
    }

    /// What to put in the place of each symbol, and of what was derived from it, if `other` may stand for this reading.
    fn replaced_by(&self, other: &Whole, engine: &mut Engine) -> Option<FxHashMap<TermId, TermId>> {
        let pairs = || self.parts.iter().zip(&other.parts);
        let fits = self.clock == other.clock && self.parts.len() == other.parts.len();
        if !fits || !pairs().all(|(mine, theirs)| mine.0 == theirs.0) {
            return None;
        }
        let mut by = FxHashMap::default();
        for ((_, mine), (_, theirs)) in pairs() {
            by.insert(*mine, *theirs);
            for Derived { name, symbol } in engine.derived.get(mine).cloned().unwrap_or_default() {
                by.insert(symbol, engine.function_of(&name, *theirs, engine.terms.width(symbol)));
            }
        }
        Some(by)
    }

    fn includes(&self, input: &Input) -> bool {
        input.thread == self.thread && input.reading.as_ref().is_some_and(|reading| reading.number == self.number)
    }
}

/// A symbol that stands for a function of a number, as the date that a clock's time makes.
#[derive(Clone, Debug)]
pub(crate) struct Derived {
    name: Rc<str>,
    symbol: TermId,
}

impl Engine {
    /// The symbol for a function of a term, which is the same wherever it is asked for. Its definition is not known here.
    pub(crate) fn function_of(&mut self, name: &str, of: TermId, bits: u32) -> TermId {
        if let Some(known) = self.derived.get(&of).into_iter().flatten().find(|known| *known.name == *name) {
            return known.symbol;
        }
        let symbol = self.terms.var(&format!("{name} of ~{}", of.index()), bits);
        let is_of_clock = self.is_of_clock(of);
        for &var in self.terms.vars(symbol) {
            self.derived_from.insert(var, of);
            if is_of_clock {
                self.shown_by_clocks.insert(var);
            }
        }
        self.derived.entry(of).or_default().push(Derived { name: name.into(), symbol });
        symbol
    }

    /// Variables in a term, and those that they are derived from.
    fn all_variables(&self, term: TermId) -> FxHashSet<u32> {
        let mut all: FxHashSet<u32> = self.terms.vars(term).iter().copied().collect();
        if !self.derived_from.is_empty() {
            let mut work: Vec<u32> = all.iter().copied().collect();
            while let Some(var) = work.pop() {
                if let Some(&of) = self.derived_from.get(&var) {
                    work.extend(self.terms.vars(of).iter().filter(|&&var| all.insert(var)));
                }
            }
        }
        all
    }

    /// Whether a term rests on what a clock showed.
    pub(crate) fn is_of_clock(&self, term: TermId) -> bool {
        !self.shown_by_clocks.is_empty() && self.terms.vars(term).iter().any(|var| self.shown_by_clocks.contains(var))
    }
}

impl StepCx<'_> {
    /// What a clock shows now is an input of its own. `more`: another part of the last reading.
    pub(crate) fn read_clock(&mut self, what: &str, size: u64, clock: Pointer, more: bool) -> TermId {
        let thread = self.thread.id;
        // No clock shows less than another has seen before.
        self.state.hearsay |= self.state.concurrent;
        let number = self.last_reading(|_| true, |last| last.number);
        let number = number.map_or(0, |last| last + u32::from(!more));
        let nth = 1 + self.last_reading(|reading| *reading.what == *what, |last| last.nth).unwrap_or(0);
        let name = numbered_name(self.state, (thread, &self.thread.name), what, nth - 1);
        let (symbol, slot) = match self.engine.config.forget {
            Forget::Latest | Forget::All => self.free_symbol(what, size as u32 * 8),
            Forget::None => (self.engine.terms.var(&name, size as u32 * 8), 0),
        };
        self.engine.shown_by_clocks.extend(self.engine.terms.vars(symbol));
        let reading = Some(Reading { clock, number, nth, slot, what: what.into() });
        self.state.take_in(Input {
            name,
            size,
            symbols: vec![symbol],
            floating: false,
            thread,
            site: Some(self.site()),
            reading,
            applied: None,
        });
        symbol
    }

    /// A number that grows with the readings of this thread, of the last of some of them.
    fn last_reading(&self, is_one: impl Fn(&Reading) -> bool, number: impl Fn(&Reading) -> u32) -> Option<u32> {
        let thread = self.thread.id;
        let of = |input: &Input| {
            let reading = input.reading.as_ref().filter(|reading| input.thread == thread && is_one(reading));
            reading.map(&number)
        };
        let forgotten = self.state.forgotten.iter().filter_map(of).max();
        self.state.inputs.iter().rev().find_map(of).max(forgotten)
    }

    /// The first symbol that is no input, and its number.
    fn free_symbol(&mut self, what: &str, bits: u32) -> (TermId, u32) {
        let thread = self.thread.id;
        let alike = |input: &&Input| input.thread == thread;
        let readings = self.state.inputs.iter().filter(alike).filter_map(|input| input.reading.as_ref());
        let used: FxHashSet<u32> = readings.filter(|reading| *reading.what == *what).map(|r| r.slot).collect();
        let mut free = (0..).filter(|slot| !used.contains(slot));
        loop {
            let slot = free.next().unwrap_or(u32::MAX);
            let symbol = self.engine.terms.var(&format!("{}:{what}~{slot}", self.thread.name), bits);
            if !self.state.inputs.iter().any(|input| input.symbols.contains(&symbol)) {
                return (symbol, slot);
            }
        }
    }

    /// Forgets readings that nothing holds any more.
    pub(crate) fn forget_readings(&mut self) -> Result<(), Stop> {
        for condition in self.state.memory.take_conditions() {
            self.state.path.add(condition);
        }
        let state = &*self.state;
        let others = state.threads.iter().map(|thread| &**thread).filter(|thread| thread.id != self.thread.id);
        let threads: Vec<&Thread> = others.chain([&*self.thread]).collect();
        let forget = self.engine.config.forget;
        if forget == Forget::None || state.library || threads.iter().any(|thread| has_handlers(thread)) {
            return Ok(());
        }
        let mut kept = Whole::all_in(&state.inputs);
        if kept.len() < 2 {
            return Ok(());
        }
        let held = self.held_variables(&threads);
        let terms = &self.engine.terms;
        let is_held = |whole: &Whole| {
            whole.parts.iter().any(|(_, symbol)| terms.vars(*symbol).iter().any(|var| held.contains(var)))
        };
        let mut dead: Vec<usize> = (0..kept.len()).filter(|&at| !is_held(&kept[at])).collect();
        // From the last on: positions before it stay.
        dead.reverse();
        if forget == Forget::Latest {
            dead.truncate(MOST_TRIED);
        }
        for at in dead {
            // To keep one is no mistake.
            if self.engine.is_interrupted() {
                break;
            }
            let after = kept[at + 1..].iter().take(MOST_NEAR);
            let near: Vec<Whole> = after.chain(kept[..at].iter().rev().take(MOST_NEAR)).cloned().collect();
            for other in near {
                let Some(by) = kept[at].replaced_by(&other, self.engine) else { continue };
                if let Some(path) = self.projected(&by)? {
                    self.forget(&kept[at], path, &by);
                    kept.remove(at);
                    break;
                }
            }
        }
        Ok(())
    }

    /// The path condition with symbols replaced, if that says the same of all other symbols.
    fn projected(&mut self, by: &FxHashMap<TermId, TermId>) -> Result<Option<Vec<TermId>>, Stop> {
        let engine = &mut *self.engine;
        let path = self.state.path.terms();
        // Comparisons by themselves take no solver.
        let parts: Vec<TermId> = path.iter().flat_map(|&conjunct| engine.terms.conjuncts(conjunct)).collect();
        let given: FxHashSet<TermId> = parts.iter().copied().collect();
        let mut known: FxHashSet<TermId> = FxHashSet::default();
        let mut projected = Vec::new();
        for part in parts {
            let replaced = engine.terms.substitute(part, by);
            for part in engine.terms.conjuncts(replaced) {
                if engine.terms.is_true(part) || !known.insert(part) {
                    continue;
                }
                projected.push(part);
                if !given.contains(&part) {
                    let answer = engine.solver.must_be_true(&mut engine.terms, path, part);
                    if answer.map_err(EngineError::from)? != Tri::Yes {
                        return Ok(None);
                    }
                }
            }
        }
        // A derived symbol has this name again once that of the reading is used again.
        let gone: FxHashSet<u32> = by.keys().flat_map(|&symbol| engine.terms.vars(symbol)).copied().collect();
        let stays = |&part: &TermId| engine.all_variables(part).iter().any(|var| gone.contains(var));
        Ok((!projected.iter().any(stays)).then_some(projected))
    }

    fn forget(&mut self, whole: &Whole, path: Vec<TermId>, by: &FxHashMap<TermId, TermId>) {
        let terms = &self.engine.terms;
        let gone: FxHashSet<u32> = by.keys().flat_map(|&symbol| terms.vars(symbol)).copied().collect();
        self.state.path.replace(path, |term| terms.vars(term).iter().any(|var| gone.contains(var)));
        let inputs = Rc::make_mut(&mut self.state.inputs);
        let forgotten = Rc::make_mut(&mut self.state.forgotten);
        forgotten.extend(inputs.extract_if(.., |input| whole.includes(input)));
        for symbol in forgotten.iter_mut().flat_map(|input| &mut input.symbols) {
            if let Some(&other) = by.get(symbol) {
                *symbol = other;
            }
        }
    }

    /// The variables in all that threads may still read.
    fn held_variables(&self, threads: &[&Thread]) -> FxHashSet<u32> {
        let mut held = FxHashSet::default();
        let mut hold = |value: Value| match self.state.memory.settle(value) {
            Value::Term(term) | Value::Symbolic { offset: term, .. } => held.extend(self.engine.all_variables(term)),
            Value::Int(_) | Value::Ptr(_) | Value::Lazy { .. } => {}
        };
        self.state.memory.cells().for_each(&mut hold);
        for thread in threads {
            hold(thread.result);
            hold(thread.signal_mask);
            thread.specific.values.values().copied().for_each(&mut hold);
            let innermost = thread.frames.len().saturating_sub(1);
            for (index, frame) in thread.frames.iter().enumerate() {
                let live = frame.live_registers(self.program, index == innermost);
                live.iter().map(|register| frame.registers[register.index()]).for_each(&mut hold);
                if let OnReturn::Exit(Some(status)) = frame.on_return {
                    hold(status);
                }
            }
        }
        held
    }
}

impl State {
    /// What the C library keeps of clocks that were read.
    pub fn clocks(&self) -> impl Iterator<Item = memory::ObjId> {
        let readings = self.inputs.iter().filter_map(|input| input.reading.as_ref());
        readings.map(|reading| reading.clock.object)
    }
}
