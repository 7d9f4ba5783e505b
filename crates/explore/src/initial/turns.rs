//! Whether two calls are ones that callers have to order.

use super::states::InitialStates;
use super::{AloneEnd, AloneRuns};
use crate::FindingKind;
use crate::budget::meter::Meter;
use crate::findings::OutOfTurn;
use crate::model::operation::serial_orders;
use concurrency::ThreadId;
use machine::{Engine, EngineError, LossKind, State, Status};
use memory::{Life, Value};
use std::rc::Rc;

/// Ways in which two calls may go one after the other; where there are more, nothing is claimed.
const MOST_WAYS: usize = 64;

impl InitialStates<'_> {
    /// Whether of two calls that a finding shows together one fails whenever it is made after the other, on the heap and with the
    /// inputs that led to `seen`. Calls at once may take effect in that order too, so whoever makes them at once breaks what the
    /// second asks of its callers. `start`: the start that was given out last. None where it need not fail, where that cannot be told,
    /// for threads that make several calls, and where the end of a thread may call destructors of what it has of its own.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn out_of_turn(
        &mut self,
        engine: &mut Engine,
        start: &State,
        seen: &State,
        meter: &mut Meter,
    ) -> Result<Option<OutOfTurn>, EngineError> {
        let threads = self.threads();
        // A thread that has made its call goes on otherwise, and keeps what it has of its own.
        if threads.len() != 2 || threads.iter().any(|calls| calls.length() != 1) || engine.program.makes_keys() {
            return Ok(None);
        }
        // Those that a client's calls have made come first.
        let before = start.threads.len().saturating_sub(threads.len());
        let shifted = |id: &ThreadId| ThreadId::new(id.index() + before);
        let orders: Vec<Vec<ThreadId>> =
            serial_orders(threads).iter().map(|order| order.iter().map(shifted).collect()).collect();
        let mut state = start.clone();
        for &term in seen.path.terms() {
            if state.path.decided(term).is_none() {
                state.path.assume(term);
            }
        }
        let noted = (std::mem::take(&mut engine.ledger), engine.statistics);
        let found = self.alone(engine, |_, engine| {
            for order in &orders {
                let Some(found) = always_fails(engine, state.clone(), order, before, meter)? else { continue };
                // What fails with nobody before it is no matter of order.
                if always_fails_alone(engine, state.clone(), order[1], meter)? {
                    continue;
                }
                return Ok(Some(found));
            }
            Ok(None)
        });
        (engine.ledger, engine.statistics) = noted;
        engine.sightings.clear();
        found
    }
}

/// What is wrong with the second call of an order on each way that the two can go.
fn always_fails(
    engine: &mut Engine,
    start: State,
    order: &[ThreadId],
    before: usize,
    meter: &mut Meter,
) -> Result<Option<OutOfTurn>, EngineError> {
    let &[first, then] = order else { return Ok(None) };
    let passed = passed(engine, &start, then);
    let mut runs = AloneRuns::serial(start, Rc::from(order));
    let (mut found, mut ways) = (None, 0);
    while let Some(leaf) = runs.next(engine, meter)? {
        ways += 1;
        match leaf.end {
            AloneEnd::Faulted(fault) | AloneEnd::Outlived(fault) if fault.thread == then && ways <= MOST_WAYS => {
                let index = |thread: ThreadId| thread.index() - before;
                let fails = FindingKind::Fault(fault).key(&engine.program);
                let ends = passed.iter().any(|&argument| is_over(&leaf.state, argument));
                let known = found.get_or_insert(OutOfTurn { first: index(first), then: index(then), fails, ends });
                known.ends &= ends;
            }
            // It does not come to its end there.
            AloneEnd::Waits if matches!(leaf.state.thread(then).status, Status::At(_)) => {}
            _ => return Ok(None),
        }
    }
    // One after the other, how weak an atomic is makes no difference.
    let is_lost = engine.ledger.entries().any(|(entry, _)| entry.kind != LossKind::WeakMemory);
    let is_all = meter.stopped().is_none() && !is_lost;
    Ok(found.filter(|_| is_all))
}

/// Whether a call fails on each way that it can go by itself, or that cannot be told.
fn always_fails_alone(
    engine: &mut Engine,
    mut start: State,
    thread: ThreadId,
    meter: &mut Meter,
) -> Result<bool, EngineError> {
    start.concurrent = false;
    let mut runs = AloneRuns::of(start, thread);
    let mut ways = 0;
    while let Some(leaf) = runs.next(engine, meter)? {
        ways += 1;
        if !matches!(leaf.end, AloneEnd::Faulted(_)) || ways > MOST_WAYS {
            return Ok(false);
        }
    }
    Ok(meter.stopped().is_none())
}

/// What a thread is about to pass to its call.
fn passed(engine: &Engine, state: &State, thread: ThreadId) -> Vec<Value> {
    let frame = state.thread(thread).frame();
    let params = &engine.program.module[frame.function].params;
    params.iter().map(|param| frame.register(param.reg)).collect()
}

/// Whether what a pointer leads to is no more.
fn is_over(state: &State, pointer: Value) -> bool {
    match state.memory.settle(pointer) {
        Value::Ptr(pointer) => state.memory.object(pointer.object).life != Life::Live,
        _ => false,
    }
}
