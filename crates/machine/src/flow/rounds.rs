//! Loops whose number of rounds hangs on symbols: one round stands for all.
//!
//! Before the header of such a loop each variable that the loop carries becomes what it is after any number of rounds: one that a round adds the
//! same to is what it was plus a multiple, with one number of rounds for all variables; any other is anything. One round is followed, and what
//! leaves the loop goes on. What a round adds is seen in the first ones, and that it always does is proved of the round that stands for all; else
//! the variable is anything. Memory of the thread's own must not be carried; what threads share is anything as it is.
//!
//! Assumes that what is counted so, in 32 bits by steps below 2^24, does not wrap around, and fewer than 2^40 rounds; what takes other steps in fewer
//! than 64 bits is anything.

use super::{LoopId, OWN};
use crate::step::StepCx;
use crate::{EndlessLoop, EngineError, PathEnd, Stop};
use ::memory::{ObjId, Part, Pointer, Value};
use ir::{BlockId, Edge, Ty};
use smt::{TermId, Tri};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Rounds of a loop that are thought of.
const MOST_ROUNDS: u128 = 1 << 40;
/// Where a launch's sizes are symbols, and steps products of such: fewer than two to the power of this.
const BITS_OF_ROUNDS: u32 = 34;
/// What a counter moves on by at the most, either way: what takes larger steps, or is narrower than [`LEAST_BITS`], may well wrap around.
const LARGEST_STEP: u64 = 1 << 24;
const LEAST_BITS: u32 = 32;

/// Rounds that are gone through before one stands for all.
const ROUNDS_ONE_BY_ONE: u32 = 3;

/// A round that stands for all.
#[derive(Clone, Debug)]
pub(super) struct Round {
    /// Frames below the loop's, and its header.
    depth: usize,
    of: LoopId,
    /// Objects there were before it.
    before: usize,
    /// Variables that the round has begun anew.
    begun: BTreeSet<ObjId>,
    /// What the loop's variables are at its header.
    carried: Rc<[Value]>,
}

impl Round {
    /// Whether what the object holds may be another round's.
    fn is_carried(&self, object: ObjId) -> bool {
        object.index() < self.before && !self.begun.contains(&object)
    }
}

impl StepCx<'_> {
    /// A jump to the header of a loop, with what its variables are to be; leaves there what they are instead.
    pub(crate) fn flow_header(&mut self, edge: &Edge, is_back: bool, values: &mut [Value]) -> Result<(), Stop> {
        let Some(flow) = self.state.flow.as_deref() else { return Ok(()) };
        let this = (self.thread.frame().function, edge.target);
        let depth = self.thread.frames.len();
        let open = flow.rounds.iter().find(|round| (round.depth, round.of) == (depth, this));
        if is_back && let Some(round) = open {
            let carried = Rc::clone(&round.carried);
            self.prove_steps(this, &carried, values)?;
            let (function, header) = this;
            return Err(Stop::End(PathEnd::Endless(EndlessLoop { function, header })));
        }
        let is_round = flow.loops.any_round.contains(&this);
        let before = flow.carried.get(&(depth, this)).filter(|_| is_back).cloned();
        if let Some(before) = before {
            self.see_steps(this, &before, values)?;
        }
        if let Some(flow) = self.flow() {
            flow.carried.insert((depth, this), values.into());
        }
        self.close_rounds(depth, this);
        if !is_round || is_back {
            return Ok(());
        }
        if self.program.cfgs[this.0.index()].is_irreducible() {
            return Err(self.leave_flow("a loop that is entered in several places"));
        }
        self.any_number_of_rounds(edge.target, values)?;
        let before = self.state.memory.object_count();
        if let Some(flow) = self.flow() {
            flow.known.clear();
            flow.rounds.push(Round { depth, of: this, before, begun: BTreeSet::new(), carried: (&*values).into() });
        }
        Ok(())
    }

    /// What a round has added to the variables.
    fn see_steps(&mut self, of: LoopId, before: &[Value], after: &[Value]) -> Result<(), Stop> {
        for (index, (&before, &after)) in before.iter().zip(after).enumerate() {
            let seen = self.step_between(of, index, before, after);
            let known = self.engine.loops.steps.get(&(of, index)).copied();
            let step = match known {
                None => seen,
                Some(Step::Adds(known)) => match seen {
                    Step::Adds(other) if other == known || !self.may_differ(known, other)? => Step::Adds(known),
                    _ => Step::Anything,
                },
                Some(known) if known == seen => known,
                Some(_) => Step::Anything,
            };
            self.engine.loops.steps.insert((of, index), step);
        }
        Ok(())
    }

    fn step_between(&mut self, of: LoopId, index: usize, before: Value, after: Value) -> Step {
        if before == after {
            return Step::Nothing;
        }
        let Some((before, after)) = self.comparable(of, index, before, after) else { return Step::Anything };
        let terms = &mut self.engine.terms;
        let added = terms.sub(after, before);
        let added = terms.sext(added, 64);
        let is_numbered =
            |name: &str| name.strip_prefix(OWN).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let is_same = !terms.vars(added).iter().any(|&variable| is_numbered(&terms.variable(variable).name));
        if is_same { Step::Adds(added) } else { Step::Anything }
    }

    /// Two values of a variable as numbers, or as offsets in one object.
    fn comparable(&mut self, of: LoopId, index: usize, before: Value, after: Value) -> Option<(TermId, TermId)> {
        let place = |cx: &mut Self, value: Value| match value {
            Value::Ptr(Pointer { object, offset, .. }) => {
                Some((object, cx.engine.terms.bv(64, u128::from(offset as u64))))
            }
            Value::Symbolic { object, offset, .. } => Some((object, offset)),
            _ => None,
        };
        match (place(self, before), place(self, after)) {
            (Some((one, before)), Some((other, after))) => return (one == other).then_some((before, after)),
            (None, None) => {}
            _ => return None,
        }
        let function = &self.module()[of.0];
        let ty = function.register(function.block(of.1).params[index]).ty;
        let bits = u32::from(self.bits(ty));
        if ty == Ty::Ptr || bits > 64 {
            return None;
        }
        let before = self.term_of(before, bits).ok()?;
        Some((before, self.term_of(after, bits).ok()?))
    }

    fn may_differ(&mut self, one: TermId, other: TermId) -> Result<bool, Stop> {
        let differs = self.engine.terms.ne(one, other);
        let path = self.state.path.terms().to_vec();
        let may = self.engine.solver.may_be_true(&mut self.engine.terms, &path, differs).map_err(EngineError::from)?;
        Ok(!matches!(may, Tri::No))
    }

    /// The round that stands for all has come to its end: it has done to its variables what was thought that each does.
    fn prove_steps(&mut self, of: LoopId, carried: &[Value], after: &[Value]) -> Result<(), Stop> {
        for (index, (&before, &after)) in carried.iter().zip(after).enumerate() {
            let is_so = match self.step_of(of, index) {
                Step::Anything => true,
                Step::Nothing => {
                    before == after
                        || match self.comparable(of, index, before, after) {
                            Some((before, after)) => !self.may_differ(before, after)?,
                            None => false,
                        }
                }
                Step::Adds(by) => match self.comparable(of, index, before, after) {
                    Some((before, after)) => {
                        let by = self.engine.terms.trunc(by, self.engine.terms.width(before));
                        let expected = self.engine.terms.add(before, by);
                        !self.may_differ(expected, after)?
                    }
                    None => false,
                },
            };
            if !is_so {
                self.engine.loops.steps.insert((of, index), Step::Anything);
                return Err(self.leave_flow("a loop"));
            }
        }
        Ok(())
    }

    fn step_of(&self, of: LoopId, index: usize) -> Step {
        let loops = self.state.flow.as_deref().map(|flow| &flow.loops);
        loops.and_then(|loops| loops.steps.get(&(of, index)).copied()).unwrap_or(Step::Anything)
    }

    /// A loop is entered anew: what was known of it, or of loops in functions that have been left, is over.
    fn close_rounds(&mut self, depth: usize, this: LoopId) {
        if let Some(flow) = self.flow() {
            flow.rounds.retain(|round| round.depth <= depth && (round.depth, round.of) != (depth, this));
        }
    }

    /// A variable's block is entered.
    pub(crate) fn flow_begins(&mut self, object: ObjId) {
        if let Some(flow) = self.flow() {
            flow.rounds.iter_mut().for_each(|round| {
                round.begun.insert(object);
            });
        }
    }

    /// A branch on symbols was decided: the way that is taken may stay in a loop which the other leaves. Few such rounds are gone through one
    /// by one.
    pub(crate) fn flow_decided(&mut self, taken: &Edge, other: &Edge) -> Result<(), Stop> {
        if !self.is_flow() {
            return Ok(());
        }
        let (function, block) = (self.thread.frame().function, self.thread.frame().block);
        let cfg = &self.program.cfgs[function.index()];
        let goes_on = |header: &BlockId| {
            let blocks = cfg.loop_blocks(*header);
            blocks.is_some_and(|all| all.contains(block) && all.contains(taken.target) && !all.contains(other.target))
        };
        for header in cfg.headers().filter(goes_on) {
            let this = (function, header);
            let Some(flow) = self.flow() else { return Ok(()) };
            if flow.loops.any_round.contains(&this) || flow.loops.meets.contains(&this) {
                continue;
            }
            let rounds = flow.rounds_by_symbols.entry(this).or_default();
            *rounds += 1;
            if *rounds > ROUNDS_ONE_BY_ONE && !self.engine.loops.meets.contains(&this) {
                self.engine.loops.any_round.insert(this);
                return Err(self.leave_flow("a loop"));
            }
        }
        Ok(())
    }

    /// Loops around a barrier are gone through round by round.
    pub(super) fn note_loops_that_meet(&mut self) {
        for frame in &self.thread.frames {
            let cfg = &self.program.cfgs[frame.function.index()];
            let around =
                cfg.headers().filter(|header| cfg.loop_blocks(*header).is_some_and(|all| all.contains(frame.block)));
            self.engine.loops.meets.extend(around.map(|header| (frame.function, header)));
        }
    }

    /// Whether a variable of the thread's own holds what another round may have written, in a loop that the thread is in.
    pub(super) fn is_of_another_round(&self, object: ObjId) -> bool {
        let is_in = |round: &Round| {
            let frame = self.thread.frames.get(round.depth - 1).filter(|frame| frame.function == round.of.0);
            let blocks = self.program.cfgs[round.of.0.index()].loop_blocks(round.of.1);
            frame.zip(blocks).is_some_and(|(frame, blocks)| blocks.contains(frame.block))
        };
        let rounds = self.state.flow.as_deref().map_or(&[][..], |flow| &flow.rounds);
        rounds.iter().any(|round| is_in(round) && round.is_carried(object))
    }

    fn any_number_of_rounds(&mut self, header: BlockId, values: &mut [Value]) -> Result<(), Stop> {
        let function = &self.module()[self.thread.frame().function];
        let params = &function.block(header).params;
        let rounds = self.number_of_rounds();
        let of = (self.thread.frame().function, header);
        for (index, &param) in params.iter().enumerate() {
            let ty = function.register(param).ty;
            values[index] = match (self.step_of(of, index), values[index]) {
                (Step::Nothing, value) => value,
                (Step::Adds(by), _) if !self.is_counter(ty, by) => self.anything_of(ty),
                (Step::Adds(by), value) => self.after(value, ty, by, rounds)?,
                (Step::Anything, _) if ty == Ty::Ptr => {
                    return Err(self.leave_flow("a pointer that a loop changes in another way than by a step"));
                }
                (Step::Anything, _) => self.anything_of(ty),
            };
        }
        Ok(())
    }

    fn number_of_rounds(&mut self) -> TermId {
        if self.state.flow.as_deref().is_some_and(|flow| flow.sizes.are_symbols()) {
            let rounds = self.anything(BITS_OF_ROUNDS);
            return self.engine.terms.zext(rounds, 64);
        }
        let rounds = self.anything(64);
        let most = self.engine.terms.bv(64, MOST_ROUNDS);
        let few = self.engine.terms.ult(rounds, most);
        self.state.path.assume(few);
        rounds
    }

    /// Whether a variable is one that does not wrap around, as is assumed of counters.
    fn is_counter(&self, ty: Ty, by: TermId) -> bool {
        let step = self.engine.terms.as_const(by).map(|step| (step as u64).cast_signed().unsigned_abs());
        ty == Ty::Ptr || u32::from(self.bits(ty)) >= LEAST_BITS && step.is_none_or(|step| step <= LARGEST_STEP)
    }

    /// What a variable is after some rounds that each add `by` (64 bits).
    fn after(&mut self, value: Value, ty: Ty, by: TermId, rounds: TermId) -> Result<Value, Stop> {
        let added = self.engine.terms.mul(rounds, by);
        match value {
            Value::Ptr(Pointer { object, offset, .. }) => {
                let offset = self.engine.terms.bv(64, u128::from(offset as u64));
                let offset = self.engine.terms.add(offset, added);
                Ok(Value::Symbolic { object, offset, part: Part::WHOLE })
            }
            Value::Symbolic { object, offset, .. } => {
                let offset = self.engine.terms.add(offset, added);
                Ok(Value::Symbolic { object, offset, part: Part::WHOLE })
            }
            _ if ty == Ty::Ptr => Err(self.leave_flow("an address that is not known")),
            _ => {
                let bits = u32::from(self.bits(ty));
                let first = self.term_of(value, bits)?;
                let terms = &mut self.engine.terms;
                let wide = terms.sext(first, 64);
                let wide = terms.add(wide, added);
                if bits < 64 {
                    // It stays within what the type holds, signed or not; the first value may be either.
                    let least = (-(1i128 << bits)) as u128 & u128::from(u64::MAX);
                    let (least, end) = (terms.bv(64, least), terms.bv(64, 1 << bits));
                    let (above, below) = (terms.sle(least, wide), terms.slt(wide, end));
                    self.state.path.assume(above);
                    self.state.path.assume(below);
                }
                let value = self.engine.terms.trunc(wide, bits);
                Ok(self.simplest(value))
            }
        }
    }
}

/// What each round of a loop does to a variable that it carries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Step {
    Nothing,
    /// It adds this (64 bits).
    Adds(TermId),
    Anything,
}
