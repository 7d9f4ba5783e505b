//! Making a concrete run smaller: no object, link or context switch stays that the failure does not need.
//!
//! Greedy deletion (after Zeller's delta debugging, at granularity one): each candidate is run, and kept if the same
//! failure shows and every operation alone is still within its precondition. Repeated until nothing can be dropped.

use crate::concrete::{Cell, Concrete, Entry, Setting, Turn};
use crate::steer::{Alone, Ran, run, run_alone};
use explore::{AloneEnd, FindingKey};
use machine::{Config, Engine, EngineError};
use memory::Value;

/// How the engine is configured for threads together and alone.
#[derive(Clone, Copy, Debug)]
pub struct Modes {
    pub together: Config,
    pub alone: Config,
}

/// A run that shows the failure, and the concrete start that leads there.
#[derive(Debug)]
pub struct Confirmed {
    pub concrete: Concrete,
    pub ran: Ran,
}

/// Runs a candidate; `Some` if it is within all preconditions and shows the failure.
///
/// # Errors
/// When the engine fails.
pub fn confirm(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    mut concrete: Concrete,
    goal: &FindingKey,
) -> Result<Option<Confirmed>, EngineError> {
    if !within_preconditions(engine, setting, modes, &concrete)? {
        return Ok(None);
    }
    engine.config = modes.together;
    let ran = run(engine, setting, &concrete, goal)?;
    if ran.failure.is_none() {
        return Ok(None);
    }
    concrete.turns = ran.turns();
    concrete.first_picks.clone_from(&ran.first_picks);
    Ok(Some(Confirmed { concrete, ran }))
}

fn within_preconditions(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    concrete: &Concrete,
) -> Result<bool, EngineError> {
    let Entry::Operations(operations) = &setting.entry else { return Ok(true) };
    engine.config = modes.alone;
    for index in 0..operations.len() {
        match run_alone(engine, setting, concrete, Alone::Operation(index))? {
            Some(AloneEnd::Returned(_) | AloneEnd::Waits) => {}
            _ => return Ok(false),
        }
    }
    if setting.valid.is_some() {
        let end = run_alone(engine, setting, concrete, Alone::Valid)?;
        return Ok(matches!(end, Some(AloneEnd::Returned(Some(Value::Int(word)))) if word & 0xff != 0));
    }
    Ok(true)
}

/// Makes a confirmed run as small as greedy deletion gets it. Values are tried at 0 once.
///
/// # Errors
/// When the engine fails.
pub fn minimise(
    engine: &mut Engine,
    setting: &Setting,
    modes: &Modes,
    confirmed: Confirmed,
    goal: &FindingKey,
) -> Result<Confirmed, EngineError> {
    let mut best = confirmed;
    loop {
        let before = size(&best.concrete);
        let mut next = 0;
        // Candidates are made anew after each success, and taken up where the last one was.
        loop {
            let candidate = candidates(&best.concrete).nth(next);
            let Some(candidate) = candidate else { break };
            match confirm(engine, setting, modes, candidate, goal)? {
                // A run in which a thread fails or spins may not be followed natively.
                Some(smaller)
                    if size(&smaller.concrete) < size(&best.concrete)
                        && (best.ran.state.is_stuck() || !smaller.ran.state.is_stuck()) =>
                {
                    best = smaller;
                }
                _ => next += 1,
            }
        }
        if size(&best.concrete) >= before {
            break;
        }
    }
    Ok(best)
}

/// What is made smaller, in order of importance: switches, links and objects, nonzero values, their size, turns.
fn size(concrete: &Concrete) -> (usize, usize, usize, u128, usize) {
    let cells = || concrete.heap.objects.iter().flat_map(|o| o.cells.values()).chain(concrete.heap.roots.values());
    let links = cells().filter(|c| matches!(c, Cell::Pointer(..) | Cell::Function(_))).count();
    let values = cells().filter(|c| matches!(c, Cell::Integer(_, bits) if *bits != 0)).count()
        + concrete.symbols.values().filter(|(_, value)| *value != 0).count();
    let magnitude = cells().map(|c| if let Cell::Integer(_, bits) = c { u128::from(*bits) } else { 0 }).sum::<u128>()
        + concrete.symbols.values().map(|(_, value)| value & u128::from(u64::MAX)).sum::<u128>();
    (switches(&concrete.turns), links + reachable(concrete), values, magnitude, concrete.turns.len())
}

fn switches(turns: &[Turn]) -> usize {
    turns.windows(2).filter(|pair| pair[0].thread != pair[1].thread).count()
}

/// Objects that the roots reach.
pub(crate) fn reachable(concrete: &Concrete) -> usize {
    reached(concrete).iter().filter(|&&r| r).count()
}

/// Which objects the roots and globals reach.
pub(crate) fn reached(concrete: &Concrete) -> Vec<bool> {
    let heap = &concrete.heap;
    let mut reached: Vec<bool> = heap.objects.iter().map(|o| o.global.is_some()).collect();
    let mut open: Vec<usize> = (0..reached.len()).filter(|&i| reached[i]).collect();
    let follow = |cell: &Cell, open: &mut Vec<usize>, reached: &mut Vec<bool>| {
        if let Cell::Pointer(to, _) = *cell
            && !reached[to]
        {
            reached[to] = true;
            open.push(to);
        }
    };
    heap.roots.values().for_each(|cell| follow(cell, &mut open, &mut reached));
    while let Some(at) = open.pop() {
        heap.objects[at].cells.values().for_each(|cell| follow(cell, &mut open, &mut reached));
    }
    reached
}

fn candidates(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    merged_blocks(concrete).chain(cut_links(concrete)).chain(ranked(concrete)).chain(zeroed(concrete))
}

/// The schedule with two neighbouring blocks of turns exchanged, so that blocks of one thread meet; or with the first
/// turns of a block moved behind the next block.
fn merged_blocks(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let starts: Vec<usize> = std::iter::once(0)
        .chain((1..concrete.turns.len()).filter(|&i| concrete.turns[i].thread != concrete.turns[i - 1].thread))
        .chain(std::iter::once(concrete.turns.len()))
        .collect();
    (0..starts.len().saturating_sub(2)).map(move |block| {
        let mut other = concrete.clone();
        let (a, b, c) = (starts[block], starts[block + 1], starts[block + 2]);
        other.turns[a..c].rotate_left(b - a);
        other
    })
}

fn cut_links(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let roots = concrete.heap.roots.iter().filter(|(_, cell)| matches!(cell, Cell::Pointer(..))).map(|(path, _)| {
        let mut other = concrete.clone();
        other.heap.roots.insert(path.clone(), Cell::Null);
        other
    });
    let links = concrete.heap.objects.iter().enumerate().flat_map(move |(index, object)| {
        object.cells.iter().filter(|(_, cell)| matches!(cell, Cell::Pointer(..))).map(move |(&offset, _)| {
            let mut other = concrete.clone();
            other.heap.objects[index].cells.insert(offset, Cell::Null);
            other
        })
    });
    roots.chain(links)
}

/// All values replaced by their ranks: comparisons among them stay as they are, and the numbers become readable.
fn ranked(concrete: &Concrete) -> Option<Concrete> {
    let signed = |size: u8, bits: u64| {
        let shift = 64 - u32::from(size.clamp(1, 8)) * 8;
        ((bits << shift) as i64) >> shift
    };
    let mut other = concrete.clone();
    let cells = concrete.heap.objects.iter().flat_map(|o| o.cells.values()).filter_map(|cell| match *cell {
        Cell::Integer(size, bits) => Some(signed(size, bits)),
        _ => None,
    });
    let symbols = concrete.symbols.values().map(|&(width, value)| signed(width.div_ceil(8) as u8, value as u64));
    let mut values: Vec<i64> = cells.chain(symbols).collect();
    values.sort_unstable();
    values.dedup();
    let rank = |value: i64| values.partition_point(|&v| v < value) as u64;
    for object in &mut other.heap.objects {
        for cell in object.cells.values_mut() {
            if let Cell::Integer(size, bits) = *cell {
                *cell = Cell::Integer(size, rank(signed(size, bits)));
            }
        }
    }
    for (width, value) in other.symbols.values_mut() {
        *value = u128::from(rank(signed(width.div_ceil(8) as u8, *value as u64)));
    }
    (other != *concrete).then_some(other)
}

fn zeroed(concrete: &Concrete) -> impl Iterator<Item = Concrete> + '_ {
    let cells = concrete.heap.objects.iter().enumerate().flat_map(move |(index, object)| {
        object.cells.iter().filter_map(move |(&offset, cell)| match *cell {
            Cell::Integer(size, bits) if bits != 0 => {
                let mut other = concrete.clone();
                other.heap.objects[index].cells.insert(offset, Cell::Integer(size, 0));
                Some(other)
            }
            _ => None,
        })
    });
    let symbols = concrete.symbols.iter().filter(|(_, (_, value))| *value != 0).map(move |(name, &(width, _))| {
        let mut other = concrete.clone();
        other.symbols.insert(name.clone(), (width, 0));
        other
    });
    cells.chain(symbols)
}
