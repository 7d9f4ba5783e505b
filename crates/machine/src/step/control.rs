//! Terminators.

use super::{Done, Flow, StepCx, memory::end_local};
use crate::state::{Frame, LoopCount, OnReturn, Status, Thread};
use crate::{EndlessLoop, FaultKind, LossKind, PathEnd, Remedy, Repeats, Stop};
use ::memory::{ObjId, Value};
use concurrency::{Action, OnceState, Place, Site, SyncOp};
use ir::{Edge, Op, Operand, Terminator, Ty};
use smt::TermId;
use std::rc::Rc;

pub(super) fn terminate(cx: &mut StepCx, terminator: &Terminator) -> Done {
    match terminator {
        Terminator::Jump(edge) => {
            cx.came_by(0);
            jump(cx, edge)
        }
        Terminator::Branch { condition, if_true, if_false } => branch(cx, *condition, if_true, if_false),
        Terminator::Switch { value, ty, cases, default } => switch(cx, *value, *ty, cases, default),
        Terminator::Return { values } => {
            cx.came_by(0);
            ret(cx, values)
        }
        Terminator::Unreachable => Err(cx.fault(FaultKind::UnreachableReached, "code that must not be reached")),
        Terminator::Unsupported { what } => {
            Err(cx.abandon(LossKind::Unsupported, format!("{what} is not supported yet")))
        }
    }
}

/// `br` on a condition.
fn branch(cx: &mut StepCx, condition: Operand, if_true: &Edge, if_false: &Edge) -> Done {
    let value = cx.operand(condition, Ty::Int(1));
    if let Value::Term(term) = value
        && cx.engine.config.merge
        && super::merge::both_ways(cx, term, [if_true, if_false])?
    {
        return Ok(Flow::Elsewhere);
    }
    let taken = cx.holds(value)?;
    cx.part(u64::from(taken))?;
    note_taken(cx, u64::from(taken));
    cx.came_by(usize::from(taken));
    if !matches!(value, Value::Int(_)) {
        let (way, other) = if taken { (if_true, if_false) } else { (if_false, if_true) };
        cx.flow_decided(way, other)?;
        let by_solver = matches!(value, Value::Term(term) if was_solved(cx, term));
        note_branch(cx, value, u64::from(taken), by_solver);
    }
    jump(cx, if taken { if_true } else { if_false })
}

/// Whether it took a solver to decide this condition.
fn was_solved(cx: &StepCx, condition: TermId) -> bool {
    cx.thread.solved == Some(condition)
}

/// Tells whoever asks for it of the way that is taken here.
fn note_taken(cx: &mut StepCx, way: u64) {
    if let Some(taken) = &mut cx.engine.taken {
        taken.push((cx.program.site(cx.thread.frame()), way));
    }
}

/// Notes a way taken at a branch on `value`.
fn note_branch(cx: &mut StepCx, value: Value, way: u64, by_solver: bool) {
    let timeless = !matches!(value, Value::Term(term) if cx.engine.is_of_clock(term));
    cx.take_way(Way { site: cx.exact_site(), way, timeless }, by_solver);
}

/// A way taken at a branch on a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Way {
    pub site: Site,
    pub way: u64,
    /// The term does not rest on what a clock showed.
    pub timeless: bool,
}

impl StepCx<'_> {
    /// Notes that the thread stands where it stands: before it stops, or goes on in another function. What is behind it in its block follows.
    pub(crate) fn came_here(&mut self) {
        if self.engine.config.repeats == Repeats::Control {
            return;
        }
        if let Some(frame) = self.thread.frames.last() {
            self.engine.came.at(self.program.firsts(frame.function)[frame.block.index()] as usize + frame.inst);
        }
    }

    /// Notes a way that is taken from the end of the block in which the thread stands.
    pub(crate) fn came_by(&mut self, way: usize) {
        let frame = self.thread.frame();
        let end = self.program.module[frame.function].block(frame.block).insts.len();
        let first = self.program.firsts(frame.function)[frame.block.index()] as usize;
        if self.engine.config.repeats != Repeats::Control {
            self.engine.came.by(first + end, way);
        }
    }

    pub(crate) fn take_way(&mut self, Way { site, way, timeless }: Way, by_solver: bool) {
        self.engine.statistics.branches += 1;
        self.engine.statistics.branches_solver += u64::from(by_solver);
        // The same condition, met again on this path, is known.
        if by_solver {
            self.thread.solved = None;
        }
        let then = |before| ::memory::Fingerprint::of((before, site, way));
        self.thread.branches = then(self.thread.branches);
        if timeless {
            self.thread.timeless = then(self.thread.timeless);
        }
    }
}

/// `switch`: the first case that matches.
fn switch(cx: &mut StepCx, value: Operand, ty: Ty, cases: &[(u64, Edge)], default: &Edge) -> Done {
    let value = cx.operand(value, ty);
    let term = match cx.integer(value, ty)? {
        Value::Int(word) => {
            let way = cases.iter().position(|(case, _)| *case == word);
            cx.part(way.unwrap_or(cases.len()) as u64)?;
            note_taken(cx, way.unwrap_or(cases.len()) as u64);
            cx.came_by(way.unwrap_or(cases.len()));
            return jump(cx, way.map_or(default, |way| &cases[way].1));
        }
        other => cx.term_of(other, u32::from(cx.bits(ty)))?,
    };
    let mut by_solver = false;
    for (index, (case, edge)) in cases.iter().enumerate() {
        let constant = cx.engine.terms.bv(u32::from(cx.bits(ty)), u128::from(*case));
        let equal = cx.engine.terms.eq(term, constant);
        let taken = cx.condition(equal)?;
        by_solver |= was_solved(cx, equal);
        if taken {
            cx.part(index as u64)?;
            note_taken(cx, index as u64);
            cx.came_by(index);
            note_branch(cx, Value::Term(term), index as u64, by_solver);
            return jump(cx, edge);
        }
    }
    cx.part(cases.len() as u64)?;
    note_taken(cx, cases.len() as u64);
    cx.came_by(cases.len());
    note_branch(cx, Value::Term(term), cases.len() as u64, by_solver);
    jump(cx, default)
}

/// `br`: sets the target's parameters all at once.
fn jump(cx: &mut StepCx, edge: &Edge) -> Done {
    let function = &cx.module()[cx.thread.frame().function];
    let params = &function.block(edge.target).params;
    let from = cx.thread.frame().block;
    let mut values: smallvec::SmallVec<[Value; 4]> =
        params.iter().zip(&edge.args).map(|(param, arg)| cx.operand(*arg, function.register(*param).ty)).collect();
    let cfg = &cx.program.cfgs[cx.thread.frame().function.index()];
    if cfg.is_header(edge.target) {
        let is_back = cfg.is_retreating_edge(from, edge.target);
        count_iteration(cx, edge, is_back)?;
        cx.flow_header(edge, is_back, &mut values)?;
    }
    let frame = cx.thread.frame_mut();
    for (param, value) in params.iter().zip(values) {
        frame.registers[param.index()] = value;
    }
    frame.block = edge.target;
    frame.inst = 0;
    if cfg.is_header(edge.target) {
        cx.look_for_repetition(edge.target)?;
    }
    Ok(Flow::Elsewhere)
}

/// Rounds that are explored of a loop that goes on for ever. As many as `--unroll` allows would take for ever as well, and
/// lead to no other verdict: that bound is reached, too.
const ENDLESS_ROUNDS: u32 = 2;

/// Bounds the iterations of a loop. Iterations in which nothing was chosen and nothing visible happened are the
/// program's own business: it has no other way to go.
fn count_iteration(cx: &mut StepCx, edge: &Edge, back: bool) -> Result<(), Stop> {
    let (choices, unroll) = (cx.thread.choices, cx.engine.config.unroll);
    let this = EndlessLoop { function: cx.thread.frame().function, header: edge.target };
    // What is true of a thread alone says nothing of how others end the loop's rounds for it; that no state comes back does.
    let endless = cx.engine.config.repeats != Repeats::Control && cx.state.endless.contains(&this);
    let known = cx.thread.frame().loops.iter().position(|l| l.header == edge.target);
    let Some(at) = known else {
        cx.thread.frame_mut().loops.push(LoopCount { header: edge.target, iterations: 0, visit: 0, choices });
        return Ok(());
    };
    let count = cx.thread.frame().loops[at];
    let iterations = match (back, count.choices == choices) {
        (false, _) => 0,
        (true, true) if !endless => count.iterations,
        (true, _) => count.iterations + 1,
    };
    if endless && iterations >= ENDLESS_ROUNDS.min(unroll) {
        let of = cx.module()[this.function].name.clone();
        return Err(cx.abandon(LossKind::EndlessLoop, Remedy::OneRound { of }));
    }
    if iterations > unroll {
        return Err(cx.abandon(LossKind::LoopBound, Remedy::Unroll(u64::from(unroll) * 2)));
    }
    let visit = count.visit + u32::from(!back);
    cx.thread.frame_mut().loops[at] = LoopCount { header: edge.target, iterations, visit, choices };
    Ok(())
}

/// `ret`: automatic objects end, the caller goes on behind its call.
fn ret(cx: &mut StepCx, values: &[Operand]) -> Done {
    if cx.thread.frame().on_return != OnReturn::EndThread || cx.thread.specific.winding.is_none() {
        before_leaving(cx)?;
    }
    let function = &cx.module()[cx.thread.frame().function];
    let values: Vec<Value> = values.iter().zip(&function.returns).map(|(value, ty)| cx.operand(*value, *ty)).collect();
    let first = values.first().copied();
    match cx.thread.frame().on_return {
        OnReturn::Normal => {
            let left = cx.thread.frame().function;
            pop_frame(cx);
            cx.cross_back(left, &values);
            finish_call(cx, &values);
            Ok(Flow::Elsewhere)
        }
        OnReturn::OnceDone(place) => {
            // Alone, a thread stops only where it has to wait.
            if cx.state.concurrent {
                cx.visible(Action::Sync { op: SyncOp::OnceDone, place })?;
            }
            finish_once(cx, place)?;
            pop_frame(cx);
            finish_call(cx, &[Value::Int(0)]);
            Ok(Flow::Elsewhere)
        }
        OnReturn::Destructor => {
            // The end of the thread goes on where it was called.
            pop_frame(cx);
            Ok(Flow::Elsewhere)
        }
        OnReturn::AtomicSectionDone => {
            super::end_atomic_section(cx);
            pop_frame(cx);
            finish_call(cx, &values);
            Ok(Flow::Elsewhere)
        }
        OnReturn::EndThread => {
            if !super::wind_up(cx, true)? {
                return Ok(Flow::Elsewhere);
            }
            cx.thread.result = first.unwrap_or(Value::NULL);
            Err(end_thread(cx))
        }
        // What a thread's end brings does not happen: it goes on with another call.
        OnReturn::ClientCall => {
            pop_frame(cx);
            cx.thread.result = first.unwrap_or(Value::NULL);
            Err(Stop::ThreadEnded)
        }
        // The next constructor or destructor, or `main`, is at its first instruction.
        OnReturn::Constructor => {
            pop_frame(cx);
            Ok(Flow::Elsewhere)
        }
        OnReturn::NextCall => {
            pop_frame(cx);
            cx.thread.granted = false;
            cx.thread.frame_mut().choices = cx.thread.choices;
            if cx.engine.config.calls_apart { Err(Stop::CallEnded) } else { Ok(Flow::Elsewhere) }
        }
        OnReturn::EndProcess => return_from_main(cx, first),
        OnReturn::Exit(code) => exit_and_end_locals(cx, code),
    }
}

/// The routine of a once flag is complete.
fn finish_once(cx: &mut StepCx, place: Place) -> Result<(), Stop> {
    let clock = cx.state.order.release(cx.thread.id);
    if let Ok((state, done)) = cx.state.sync.once(place) {
        *state = OnceState::Done;
        *done = clock;
    }
    Ok(())
}

/// C11 5.1.2.2.3: as if the value were passed to `exit`, which runs destructors and what `atexit` was given.
fn return_from_main(cx: &mut StepCx, value: Option<Value>) -> Done {
    if !cx.module().destructors().is_empty() {
        check_first_exit(cx)?;
        // `main` is over for destructors, its variables gone.
        pop_frame(cx);
        return leave_process(cx, value);
    }
    if let Some(exit) = cx.program.exit {
        let code = (value.unwrap_or(Value::Int(0)), Ty::Int(32), None);
        super::enter(cx, exit, &[code], OnReturn::Normal)?;
        return Ok(Flow::Elsewhere);
    }
    exit_and_end_locals(cx, value)
}

fn exit_and_end_locals(cx: &mut StepCx, code: Option<Value>) -> Done {
    let end = exit_process(cx, code)?;
    let frame = cx.thread.frames.last().map(Rc::clone);
    frame.iter().for_each(|frame| end_locals(cx, frame));
    Err(end)
}

/// Leaves the innermost function.
pub(crate) fn pop_frame(cx: &mut StepCx) {
    let Some(frame) = cx.thread.frames.last().map(Rc::clone) else { return };
    end_locals(cx, &frame);
    cx.thread.frames.pop();
    cx.state.memory.allocator_mut().reset_stack(cx.thread.arena, frame.stack_mark);
}

/// Ends the variables of the innermost function, which is left for good though its frame stays.
pub(crate) fn end_locals_of(cx: &mut StepCx) {
    let Some(frame) = cx.thread.frames.last().map(Rc::clone) else { return };
    end_locals(cx, &frame);
    let frame = cx.thread.frame_mut();
    frame.locals.clear();
    frame.extra_arguments = None;
}

fn end_locals(cx: &mut StepCx, frame: &Frame) {
    for &local in frame.locals.iter().chain(&frame.extra_arguments) {
        end_local(cx, local);
    }
}

/// Stops before automatic objects end, where another thread is known to race with that.
pub(crate) fn before_leaving(cx: &mut StepCx) -> Result<(), Stop> {
    // Nobody else knows the variables of a function of raddle's C library.
    if cx.is_visible() && !cx.module()[cx.thread.frame().function].library {
        cx.visible(Action::Leave)?;
    }
    Ok(())
}

/// Gives the results to the call that the innermost frame is at.
pub(crate) fn finish_call(cx: &mut StepCx, values: &[Value]) {
    let frame = cx.thread.frame();
    let block = cx.module()[frame.function].block(frame.block);
    let Some(Op::Call { dests, .. }) = block.insts.get(frame.inst).map(|i| &i.op) else { return };
    // A call through a wrong prototype may want more values than there are: they are indeterminate.
    let site = cx.exact_site();
    for (index, dest) in dests.iter().enumerate() {
        let value = values.get(index).copied().unwrap_or_else(|| {
            let function = &cx.module()[cx.thread.frame().function];
            let width = u32::from(cx.bits(function.register(*dest).ty));
            Value::Term(cx.engine.terms.uninit_var(&format!("result@{site}"), width))
        });
        cx.bind(*dest, value);
    }
    // The caller's `step` is not on the Rust stack any more: move behind the call here.
    cx.thread.frame_mut().inst += 1;
}

/// The thread is over; the process goes on unless it was the last one.
pub(crate) fn end_thread(cx: &mut StepCx) -> Stop {
    note_missed_destructors(cx);
    let mut locals: Vec<ObjId> = std::mem::take(&mut cx.thread.thread_locals).values().copied().collect();
    locals.sort_unstable();
    for local in locals {
        end_local(cx, local);
    }
    while !cx.thread.frames.is_empty() {
        pop_frame(cx);
    }
    while cx.state.sync.atomic_section() == Some(cx.thread.id) {
        super::end_atomic_section(cx);
    }
    cx.leave_launch();
    Stop::ThreadEnded
}

/// POSIX pthread_exit: after the last thread's end the process exits as by `exit(0)`.
fn note_missed_destructors(cx: &mut StepCx) {
    let me = cx.thread.id;
    let last = cx.state.threads.iter().all(|t| t.id == me || t.status == Status::Ended);
    // Operations of a library have no `main`, and no end of a process.
    let from_main = cx.state.threads.first().is_some_and(|t| &*t.name == "main");
    if last && from_main && !cx.module().destructors().is_empty() {
        cx.note(LossKind::Unsupported, "the last thread's end runs destructors; let main return, or call exit");
    }
}

/// C11 7.22.4.4p2: to call `exit` twice, or by two threads, is undefined.
fn check_first_exit(cx: &StepCx) -> Result<(), Stop> {
    let leaving = |thread: &Thread| thread.frames.iter().any(|f| matches!(f.on_return, OnReturn::Exit(_)));
    if leaving(cx.thread) || cx.state.threads.iter().any(|thread| leaving(thread)) {
        return Err(cx.abandon(LossKind::Unsupported, "the process is left while destructors run"));
    }
    Ok(())
}

/// `exit`, or the return from `main`: the calling thread runs the destructors, then the process is over. Others go on
/// meanwhile.
pub(crate) fn leave_process(cx: &mut StepCx, code: Option<Value>) -> Done {
    let destructors = cx.module().destructors();
    if destructors.is_empty() {
        return Err(exit_process(cx, code)?);
    }
    check_first_exit(cx)?;
    let stack_mark = cx.state.memory.allocator().stack_mark(cx.thread.arena);
    // The one that runs first lies on top.
    for (index, &destructor) in destructors.iter().rev().enumerate() {
        let on_return = if index == 0 { OnReturn::Exit(code) } else { OnReturn::Constructor };
        let frame = cx.engine.first_frame(destructor, &[], on_return, stack_mark);
        cx.thread.frames.push(Rc::new(frame));
    }
    Ok(Flow::Elsewhere)
}

/// Whether another thread lives, or might at another moment if all moments are to be the same.
pub(crate) fn others_live(cx: &StepCx) -> bool {
    let me = cx.thread.id;
    let unfolding = cx.engine.config.unfolding;
    cx.state.threads.iter().any(|thread| thread.id != me && (unfolding || thread.status != Status::Ended))
}

/// The process is over. Other threads may do more or less before that: it is a visible action while any lives.
pub(crate) fn exit_process(cx: &mut StepCx, code: Option<Value>) -> Result<Stop, Stop> {
    cx.end_beside_operations()?;
    if others_live(cx) {
        cx.visible(Action::Exit)?;
    }
    let code = match code {
        Some(value) => match cx.integer(value, Ty::Int(32))? {
            Value::Int(word) => Some(word & 0xff),
            Value::Term(term) => {
                cx.check_defined(term, "the exit status is uninitialised")?;
                None
            }
            _ => None,
        },
        None => Some(0),
    };
    Ok(Stop::End(PathEnd::Exited { code }))
}
