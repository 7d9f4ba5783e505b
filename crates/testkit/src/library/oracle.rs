//! Runs every pair of operations on every heap, in every interleaving.
//!
//! Two threads can make the same step in many orders, so states are remembered; a state carries everything that the
//! happens-before order can still decide (see [`Order`]), so nothing is lost, and loops that never end are met again.
//!
//! Preconditions, as raddle defines them: a heap with inputs on which an operation run alone faults, relocks a lock
//! or never returns is dropped, for that operation and for every pair with it; so is one on which no schedule of the
//! pair completes.

use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Library, Stmt};
use super::code::Code;
use super::exec::{Access, Call, Effect, Field, MAX_NODES, Memory, Thread, ThreadId, initial_memory};
use super::expectation::{Counts, Expectation, OperationResult, PairResult};
use super::heaps::{self, Heap, heaps, valuations};
use super::render::translate;
use crate::finding::{AccessKind, Race, Site};

/// Beyond which the oracle gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Heaps with integers, for one pair.
    pub max_cases: usize,
    /// States, over all pairs and heaps.
    pub max_states: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_cases: 60_000, max_states: 20_000_000 }
    }
}

/// The library has more heaps or longer executions than the oracle takes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the library is too large for the brute-force oracle")
    }
}

impl std::error::Error for TooLarge {}

/// Every race of every pair of operations. The library must be well formed.
pub fn judge(library: &Library, bounds: &Bounds) -> Result<Expectation, TooLarge> {
    let translation = translate(library);
    let heaps = heaps(library, bounds.max_cases);
    let allocated = 2 * allocations(library);
    let sizes = (0..=MAX_NODES).map(|nodes| heaps.iter().filter(|heap| heap.nodes.len() == nodes).count());
    let cases: usize =
        sizes.enumerate().filter(|&(_, n)| n > 0).map(|(v, n)| n * valuations_bound(library, v + 2)).sum();
    if heaps.len().max(cases) > bounds.max_cases || heaps.iter().any(|heap| heap.nodes.len() + allocated > MAX_NODES) {
        return Err(TooLarge);
    }
    let operations = library.operations.len();
    let pairs = (0..operations).flat_map(|first| (first..operations).map(move |second| (first, second)));
    let mut judge = Judge {
        library,
        codes: &translation.operations,
        constants: library.constants(),
        states_left: bounds.max_states,
        result: Expectation {
            operations: vec![OperationResult::default(); operations],
            pairs: pairs.map(|(first, second)| PairResult { first, second, ..PairResult::default() }).collect(),
            lock_lines: translation.lock_lines,
        },
    };
    for heap in &heaps {
        judge.heap(heap)?;
    }
    Ok(judge.result)
}

/// The most nodes that one run of one operation allocates: allocations are not in loops.
fn allocations(library: &Library) -> usize {
    let count = |body: &Vec<Stmt>| {
        let mut count = 0;
        body.iter().for_each(|stmt| stmt.walk(&mut |stmt| count += usize::from(matches!(stmt, Stmt::New { .. }))));
        count
    };
    library.operations.iter().map(count).max().unwrap_or(0)
}

/// How many valuations there are, without making them.
fn valuations_bound(library: &Library, variables: usize) -> usize {
    if !library.compares_ints() {
        return 1;
    }
    // ways[f]: valuations so far that use f fresh values.
    let constants = library.constants().len();
    let mut ways = vec![1usize];
    for _ in 0..variables {
        let mut next = vec![0usize; ways.len() + 1];
        for (fresh, &count) in ways.iter().enumerate() {
            next[fresh] = next[fresh].saturating_add(count.saturating_mul(constants + fresh));
            next[fresh + 1] = next[fresh + 1].saturating_add(count);
        }
        ways = next;
    }
    ways.iter().fold(0, |sum, &count| sum.saturating_add(count))
}

/// How an operation does alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    Returns,
    /// It returns, but does something that may count as a fault.
    Doubtful,
    Violates,
}

/// How each operation does alone on one shape, by its number, the thread that it runs in, and the keys of the nodes with
/// `k` behind them.
type Verdicts = FxHashMap<(usize, ThreadId, Vec<heaps::Code>), Alone>;

struct Judge<'a> {
    library: &'a Library,
    codes: &'a [Code],
    constants: Vec<i32>,
    states_left: usize,
    result: Expectation,
}

impl Judge<'_> {
    fn heap(&mut self, heap: &Heap) -> Result<(), TooLarge> {
        let nodes = heap.nodes.len();
        let mut verdicts = Verdicts::default();
        for operation in 0..self.codes.len() {
            let mut tally = [Counts::default(); 2];
            for valuation in valuations(self.library, nodes + 1) {
                let [one, other] = self.alone_in_both(heap, &valuation, operation)?;
                for (counts, kept) in tally.iter_mut().zip([one == Alone::Returns, one != Alone::Violates]) {
                    *(if kept { &mut counts.cases_kept } else { &mut counts.cases_dropped }) += 1;
                }
                verdicts.insert((operation, ThreadId(0), valuation.clone()), one);
                verdicts.insert((operation, ThreadId(1), valuation), other);
            }
            let result = &mut self.result.operations[operation];
            if heap.must {
                add(&mut result.must, tally[0]);
            }
            add(&mut result.may, tally[1]);
        }
        for valuation in valuations(self.library, nodes + 2) {
            self.case(heap, &valuation[..nodes], [valuation[nodes], valuation[nodes + 1]], &verdicts)?;
        }
        Ok(())
    }

    fn call<'c>(&'c self, heap: &Heap, operation: usize, thread: ThreadId, k: heaps::Code) -> Call<'c> {
        let (code, constants) = (&self.codes[operation], self.constants.as_slice());
        let own = heap.own[thread.index()];
        Call { code, constants, owner_null: heap.owner_null, param: heap.param, own, k }
    }

    /// How the operation does alone in either thread, which differ in what is private to them.
    fn alone_in_both(
        &mut self,
        heap: &Heap,
        valuation: &[heaps::Code],
        operation: usize,
    ) -> Result<[Alone; 2], TooLarge> {
        let (keys, k) = valuation.split_at(heap.nodes.len());
        let one = self.alone(heap, keys, operation, ThreadId(0), k[0])?;
        let other = match self.library.private {
            true => self.alone(heap, keys, operation, ThreadId(1), k[0])?,
            false => one,
        };
        Ok([one, other])
    }

    fn spend(&mut self, states: usize) -> Result<(), TooLarge> {
        self.states_left = self.states_left.checked_sub(states).ok_or(TooLarge)?;
        Ok(())
    }

    fn alone(
        &mut self,
        heap: &Heap,
        keys: &[heaps::Code],
        operation: usize,
        thread: ThreadId,
        k: heaps::Code,
    ) -> Result<Alone, TooLarge> {
        let call = self.call(heap, operation, thread, k);
        let mut memory = initial_memory(heap, keys);
        let mut thread = call.start(&mut memory);
        let mut seen = FxHashSet::default();
        let mut doubtful = false;
        let verdict = loop {
            if thread.returned() {
                break if doubtful { Alone::Doubtful } else { Alone::Returns };
            }
            // A lock that it cannot take alone is its own.
            if !call.enabled(&thread, &memory) || !seen.insert((thread.clone(), memory.clone())) {
                break Alone::Violates;
            }
            let effect = call.step(ThreadId(0), &mut thread, &mut memory);
            doubtful |= effect.doubtful;
            if effect.fault {
                break Alone::Violates;
            }
        };
        self.spend(seen.len())?;
        Ok(verdict)
    }

    /// All pairs on one heap with its integers.
    fn case(
        &mut self,
        heap: &Heap,
        keys: &[heaps::Code],
        ks: [heaps::Code; 2],
        verdicts: &Verdicts,
    ) -> Result<(), TooLarge> {
        // Alone, an operation cannot tell one fresh value that no key has from another.
        let fresh = keys.iter().map(|code| code.0 + 1).max().unwrap_or(0).max(self.constants.len() as u8);
        let valuations = ks.map(|k| [keys, &[heaps::Code(k.0.min(fresh))]].concat());
        for index in 0..self.result.pairs.len() {
            let (first, second) = (self.result.pairs[index].first, self.result.pairs[index].second);
            let verdict = |operation, k: usize| verdicts[&(operation, ThreadId(k as u8), valuations[k].clone())];
            let each = [verdict(first, 0), verdict(second, 1)];
            if each.contains(&Alone::Violates) {
                continue;
            }
            let calls = [self.call(heap, first, ThreadId(0), ks[0]), self.call(heap, second, ThreadId(1), ks[1])];
            let joint = Joint::run(&calls, initial_memory(heap, keys), self.states_left);
            let Joint { states, completes, faults, races, .. } = joint;
            self.spend(states.len())?;
            let pair = &mut self.result.pairs[index];
            if completes && heap.must && !each.contains(&Alone::Doubtful) {
                pair.must_cases += 1;
                pair.must.extend(races.iter().filter(|race| !about_locks(race)));
            }
            if completes || faults {
                pair.may_cases += 1;
                pair.may.extend(races);
            }
        }
        Ok(())
    }
}

fn about_locks(race: &Race) -> bool {
    [race.first(), race.second()].iter().any(|site| site.access == AccessKind::Sync)
}

/// Adds the cases of one shape.
fn add(counts: &mut Counts, of_shape: Counts) {
    counts.cases_kept += of_shape.cases_kept;
    counts.cases_dropped += of_shape.cases_dropped;
    *(if of_shape.cases_kept > 0 { &mut counts.shapes_kept } else { &mut counts.shapes_dropped }) += 1;
}

/// What happens-before can still decide between two threads.
///
/// For each thread, its accesses that the other thread does not know of yet, with the locks whose next acquisition
/// would tell it: those released since the access. Two threads learn of each other's accesses in program order and
/// only through locks, so nothing else about the past matters. Of accesses that differ in nothing but time only the
/// last is kept: whatever knows of it knows of the earlier ones.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Order {
    /// Sorted, so that equal orders compare equal.
    unknown: [Vec<(Access, u16)>; 2],
}

impl Order {
    fn apply(&mut self, id: ThreadId, effect: &Effect, mut race: impl FnMut(Race)) {
        if let Some(lock) = effect.acquired {
            self.unknown[id.other().index()].retain(|(_, carriers)| carriers & lock.bit() == 0);
        }
        if let Some(access) = effect.access {
            for (other, _) in &self.unknown[id.other().index()] {
                if conflict(&access, other) {
                    let site = |access: &Access| Site { line: access.line, access: access.kind };
                    race(Race::new(site(&access), site(other)));
                }
            }
            let mine = &mut self.unknown[id.index()];
            match mine.binary_search_by_key(&access, |&(other, _)| other) {
                Ok(at) => mine[at].1 = 0,
                Err(at) => mine.insert(at, (access, 0)),
            }
        }
        if let Some(lock) = effect.released {
            for (_, carriers) in &mut self.unknown[id.index()] {
                *carriers |= lock.bit();
            }
        }
    }
}

fn conflict(one: &Access, other: &Access) -> bool {
    let same = one.object == other.object
        && (one.field == other.field || one.field == Field::All || other.field == Field::All);
    let writes = |access: &Access| access.kind.writes() || access.initialises;
    same && (writes(one) || writes(other))
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    threads: [Thread; 2],
    order: Order,
}

/// Both operations together, in all interleavings.
struct Joint<'a> {
    calls: &'a [Call<'a>; 2],
    states: FxHashSet<State>,
    completes: bool,
    faults: bool,
    races: FxHashSet<Race>,
}

impl<'a> Joint<'a> {
    /// Stops early once there are more than `limit` states; the caller cannot afford those.
    fn run(calls: &'a [Call<'a>; 2], mut memory: Memory, limit: usize) -> Joint<'a> {
        let threads = [calls[0].start(&mut memory), calls[1].start(&mut memory)];
        let mut joint =
            Joint { calls, states: FxHashSet::default(), completes: false, faults: false, races: FxHashSet::default() };
        let mut left = vec![State { memory, threads, order: Order::default() }];
        while let Some(state) = left.pop() {
            if joint.states.len() > limit {
                break;
            }
            if joint.states.insert(state.clone()) {
                joint.successors(&state, &mut left);
            }
        }
        joint
    }

    fn successors(&mut self, state: &State, left: &mut Vec<State>) {
        self.completes |= state.threads.iter().all(Thread::returned);
        for id in [ThreadId(0), ThreadId(1)] {
            let call = &self.calls[id.index()];
            if !call.enabled(&state.threads[id.index()], &state.memory) {
                continue;
            }
            let mut next = state.clone();
            let effect = call.step(id, &mut next.threads[id.index()], &mut next.memory);
            next.order.apply(id, &effect, |race| {
                self.races.insert(race);
            });
            if effect.fault {
                self.faults = true;
            } else {
                left.push(next);
            }
        }
    }
}

/// The races of two calls on one heap, for the test that compares them with an explicit graph.
#[cfg(test)]
pub(super) fn joint_races(calls: &[Call<'_>; 2], memory: Memory) -> std::collections::BTreeSet<Race> {
    Joint::run(calls, memory, usize::MAX).races.into_iter().collect()
}
