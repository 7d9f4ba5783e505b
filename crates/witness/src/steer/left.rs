//! What the place of a race holds when its launch is over: what can be looked at behind a launch where no tool sees the race itself.
//!
//! Guarantee: each value is that of a run of the machine on the concrete heap in which all threads have ended.
//! Not promised: that others do not leave it. All that is known is what these orders leave.

use super::{Scheduled, Steer, initial, no_failure};
use crate::concrete::{Concrete, Setting, Threads};
use crate::format::Left;
use crate::minimise::Confirmed;
use concurrency::ThreadId;
use explore::{FindingKind, Policy, Turn, drive};
use machine::{Engine, EngineError, Launch, Status};
use memory::{Byte, Value};

/// Larger launches, and longer threads between two barriers, are not run to see what they leave.
const MOST_THREADS: u64 = 64;
const MOST_STEPS: usize = 64;

/// Bytes of an object of the concrete heap.
#[derive(Clone, Copy)]
struct Place {
    index: usize,
    offset: u64,
    size: u64,
}

/// What is left at the place of a race between threads of a launch, if it is one number for threads that run one after the other, from the first
/// on or from the last, and another where they are interleaved.
///
/// # Errors
/// When the engine fails.
pub(crate) fn left(engine: &mut Engine, setting: &Setting, confirmed: &Confirmed) -> Result<Option<Left>, EngineError> {
    let (Threads::Launch(kernel), Some(FindingKind::Race(race))) = (&setting.entry, &confirmed.ran.failure) else {
        return Ok(None);
    };
    let (range, launch) = (race.earlier_range, kernel.launch);
    let Some(index) = confirmed.ran.objects.iter().position(|object| *object == Some(range.object)) else {
        return Ok(None);
    };
    if launch.threads() > MOST_THREADS || !matches!(range.size, 1 | 2 | 4 | 8) {
        return Ok(None);
    }
    let place = Place { index, offset: range.offset, size: range.size };
    let mut after = |turns: Vec<Turn>, policy| {
        let concrete = Concrete { turns, ..confirmed.concrete.clone() };
        at_the_end(engine, setting, &concrete, policy, place)
    };
    let first = after(one_by_one(launch, false), Policy::Longest)?;
    let last = after(one_by_one(launch, true), Policy::Longest)?;
    let Some(one_by_one) = first.filter(|_| first == last) else { return Ok(None) };
    let mut interleaved = after(confirmed.concrete.turns.clone(), Policy::Longest)?;
    if interleaved.is_none_or(|value| value == one_by_one) {
        interleaved = after(Vec::new(), Policy::Turns)?;
    }
    let interleaved = interleaved.filter(|value| *value != one_by_one);
    Ok(interleaved.map(|interleaved| Left { size: place.size, one_by_one, interleaved }))
}

/// Each thread as far as it comes before the next begins.
fn one_by_one(launch: Launch, backwards: bool) -> Vec<Turn> {
    let mut threads: Vec<usize> = (0..launch.threads() as usize).collect();
    if backwards {
        threads.reverse();
    }
    let turn = |thread| Turn { thread: launch.name(ThreadId::new(thread)), picks: Vec::new() };
    threads.into_iter().flat_map(|thread| std::iter::repeat_n(turn(thread), MOST_STEPS)).collect()
}

/// What a place holds when all threads have ended; None where they do not, or where it is no number.
fn at_the_end(
    engine: &mut Engine,
    setting: &Setting,
    concrete: &Concrete,
    policy: Policy,
    place: Place,
) -> Result<Option<u64>, EngineError> {
    let (mut state, _) = initial(engine, setting, None);
    let (steer, goal) = (Steer::new(engine, concrete), no_failure());
    let turns = concrete.turns.iter();
    let mut run = Scheduled { steer, goal: &goal, turns, last: None, policy: Some(policy), step: 0 };
    let result = drive(engine, &mut state, &mut run);
    engine.log = None;
    result?;
    if !state.thread_ids().all(|thread| matches!(state.thread(thread).status, Status::Ended)) {
        return Ok(None);
    }
    let Some(object) = run.steer.object(&state, place.index) else { return Ok(None) };
    let model = run.steer.model(engine, &state);
    let mut bits = 0;
    for at in 0..place.size {
        let offset = place.offset + at;
        let contents = &state.memory.object(object).contents;
        if offset as usize >= contents.len() {
            return Ok(None);
        }
        let byte = match contents.byte(offset as usize) {
            Byte::Concrete(byte) => u128::from(byte),
            Byte::Initial => run.steer.integer_at(place.index, offset, 1),
            Byte::OfCell { value: Value::Int(bits), index, .. } => u128::from(bits >> (8 * u32::from(index))) & 0xff,
            Byte::OfCell { value: Value::Term(term), index, .. } => {
                engine.terms.eval(term, &model) >> (8 * u32::from(index)) & 0xff
            }
            Byte::OfCell { .. } | Byte::Undefined => return Ok(None),
        };
        bits |= (byte as u64) << (8 * at);
    }
    Ok(Some(bits))
}
