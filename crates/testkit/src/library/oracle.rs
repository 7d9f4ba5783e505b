//! Runs operations together on every heap, in every combination and every interleaving.
//!
//! Threads can make the same step in many orders, so states are remembered; a state carries everything that the
//! happens-before order can still decide (see [`Order`]), so nothing is lost, and loops that never end are met again.
//!
//! Preconditions, as raddle defines them: a heap with inputs on which an operation run alone faults, relocks a lock
//! or never returns is dropped, for that operation and wherever a thread calls it; so is one on which the calls of one
//! thread, made alone one after the other, do so, or on which no schedule completes: comes to where each thread has returned or
//! waits for a signal.

use std::collections::BTreeSet;
use std::fmt;

use rustc_hash::{FxHashMap, FxHashSet};

use super::ast::{Library, MAX_ROOTS, Own, Stmt};
use super::caller::{Caller, Next, steps};
use super::clients::Failure;
use super::code::Code;
use super::exec::{Call, MAX_NODES, Memory, Thread, ThreadId, initial_memory};
use super::expectation::{Counts, EntryResult, Expectation, Extent, OperationResult};
use super::heaps::{self, Heap, heaps, valuations};
use super::order::Order;
use super::render::translate;
use super::standstill::{Standstill, circles, standstill};
use crate::finding::{AccessKind, Race};

/// Beyond which the oracle gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Heaps with integers, for one entry.
    pub max_cases: usize,
    /// States, over all entries and heaps.
    pub max_states: usize,
}

impl Default for Bounds {
    fn default() -> Bounds {
        Bounds { max_cases: 60_000, max_states: 5_000_000 }
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

/// Every race of every combination of operations. The library must be well formed.
pub fn judge(library: &Library, extent: Extent, bounds: &Bounds) -> Result<Expectation, TooLarge> {
    let translation = translate(library);
    let heaps = heaps(library, extent, bounds.max_cases);
    let all_calls = extent.threads * extent.calls;
    let allocated = all_calls * allocations(library);
    let inputs = (0..library.operations.len()).map(|operation| inputs(library, operation)).max().unwrap_or(0);
    let sizes = (0..=MAX_NODES + MAX_ROOTS).map(|values| heaps.iter().filter(|heap| heap.values() == values).count());
    let cases: usize = sizes
        .enumerate()
        .filter(|&(_, n)| n > 0)
        .map(|(v, n)| n * valuations_bound(library, v + all_calls * inputs))
        .sum();
    if heaps.len().max(cases) > bounds.max_cases || heaps.iter().any(|heap| heap.nodes.len() + allocated > MAX_NODES) {
        return Err(TooLarge);
    }
    let operations = library.operations.len();
    let mut judge = Judge {
        library,
        codes: &translation.operations,
        extent,
        constants: library.constants(),
        states_left: bounds.max_states,
        result: Expectation {
            operations: vec![OperationResult::default(); operations],
            entries: combinations(operations, extent).into_iter().map(EntryResult::of).collect(),
            lock_lines: translation.lock_lines,
            ..Expectation::default()
        },
    };
    for heap in &heaps {
        judge.heap(heap)?;
    }
    Ok(judge.result)
}

/// The most nodes that one run of one operation allocates: allocations are not in loops.
pub(super) fn allocations(library: &Library) -> usize {
    let count = |body: &Vec<Stmt>| {
        let mut count = 0;
        body.iter().for_each(|stmt| stmt.walk(&mut |stmt| count += usize::from(matches!(stmt, Stmt::New { .. }))));
        count
    };
    library.operations.iter().map(count).max().unwrap_or(0)
}

/// How many integers a call of an operation gets: `k`, and what a client's function returns.
pub(super) fn inputs(library: &Library, operation: usize) -> usize {
    1 + usize::from(library.picks(operation))
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

/// Every multiset of sequences of calls, one for each thread, those with fewer calls first.
fn combinations(operations: usize, extent: Extent) -> Vec<Vec<Vec<usize>>> {
    let mut sequences: Vec<Vec<usize>> = Vec::new();
    let mut longest = vec![Vec::new()];
    for _ in 0..extent.calls {
        let longer = |calls: &Vec<usize>| {
            let calls = calls.clone();
            (0..operations).map(move |next| [calls.as_slice(), &[next]].concat())
        };
        longest = longest.iter().flat_map(longer).collect();
        sequences.extend(longest.iter().cloned());
    }
    let mut entries: Vec<Vec<usize>> = vec![Vec::new()];
    for _ in 0..extent.threads {
        let with_another = |entry: &Vec<usize>| {
            let entry = entry.clone();
            let least = entry.last().copied().unwrap_or(0);
            (least..sequences.len()).map(move |index| [entry.as_slice(), &[index]].concat())
        };
        entries = entries.iter().flat_map(with_another).collect();
    }
    let mut entries: Vec<Vec<Vec<usize>>> =
        entries.iter().map(|entry| entry.iter().map(|&index| sequences[index].clone()).collect()).collect();
    entries.sort_by_key(|entry| entry.iter().map(Vec::len).sum::<usize>());
    entries
}

/// How a thread does alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alone {
    Returns,
    /// It returns, but does something that may count as a fault.
    Doubtful,
    Violates,
}

/// How threads do alone on one shape: by the operations called, the thread, and the integers of the heap with those that each
/// call gets behind them. Threads differ only in what is private to them.
type Verdicts = FxHashMap<(Vec<usize>, ThreadId, Vec<heaps::Code>), Alone>;

struct Judge<'a> {
    library: &'a Library,
    codes: &'a [Code],
    extent: Extent,
    constants: Vec<i32>,
    states_left: usize,
    result: Expectation,
}

impl Judge<'_> {
    fn heap(&mut self, heap: &Heap) -> Result<(), TooLarge> {
        let values = heap.values();
        let mut verdicts = Verdicts::default();
        for operation in 0..self.codes.len() {
            let mut tally = [Counts::default(); 2];
            for valuation in valuations(self.library, values + inputs(self.library, operation)) {
                let alone = self.alone(heap, &valuation, &[operation], ThreadId(0), &mut verdicts)?;
                for (counts, kept) in tally.iter_mut().zip([alone == Alone::Returns, alone != Alone::Violates]) {
                    *(if kept { &mut counts.cases_kept } else { &mut counts.cases_dropped }) += 1;
                }
            }
            let result = &mut self.result.operations[operation];
            if heap.must {
                add(&mut result.must, tally[0]);
            }
            add(&mut result.may, tally[1]);
        }
        let all_inputs =
            |entry: &EntryResult| entry.threads.iter().flatten().map(|&call| inputs(self.library, call)).sum::<usize>();
        let all_inputs: Vec<usize> = self.result.entries.iter().map(all_inputs).collect();
        for count in all_inputs.iter().copied().collect::<BTreeSet<usize>>() {
            let entries: Vec<usize> = (0..all_inputs.len()).filter(|&index| all_inputs[index] == count).collect();
            for valuation in valuations(self.library, values + count) {
                for &entry in &entries {
                    self.case(heap, &valuation, entry, &mut verdicts)?;
                }
            }
        }
        Ok(())
    }

    /// A thread that calls these operations, with the integers that they get.
    fn caller(&self, heap: &Heap, operations: &[usize], thread: ThreadId, ints: &[heaps::Code]) -> Caller<'_> {
        let own = |call: usize| heap.own.get(thread.index() * self.extent.calls + call).copied().flatten();
        let mut ints = ints.iter().copied();
        let call = |(number, &operation): (usize, &usize)| {
            let mut got = ints.by_ref().take(inputs(self.library, operation));
            let k = got.next().unwrap_or(heaps::Code(0));
            Call {
                code: &self.codes[operation],
                constants: &self.constants,
                owner_null: heap.owner_null,
                owner: 0,
                param: heap.param,
                own: own(number),
                visitors: heap.visitors,
                k,
                picked: got.next().unwrap_or(k),
            }
        };
        Caller(operations.iter().enumerate().map(call).collect())
    }

    fn spend(&mut self, states: usize) -> Result<(), TooLarge> {
        self.states_left = self.states_left.checked_sub(states).ok_or(TooLarge)?;
        Ok(())
    }

    /// `valuation`: the integers of the heap, and those that each call gets.
    fn alone(
        &mut self,
        heap: &Heap,
        valuation: &[heaps::Code],
        operations: &[usize],
        thread: ThreadId,
        verdicts: &mut Verdicts,
    ) -> Result<Alone, TooLarge> {
        let (keys, ks) = valuation.split_at(heap.values());
        let ks = self.renamed(keys, ks);
        let thread = if self.library.own != Own::None { thread } else { ThreadId(0) };
        let key = (operations.to_vec(), thread, [keys, &ks].concat());
        if let Some(&known) = verdicts.get(&key) {
            return Ok(known);
        }
        let caller = self.caller(heap, operations, thread, &ks);
        let mut memory = initial_memory(heap, keys);
        let mut running = caller.start(&mut memory);
        let mut seen = FxHashSet::default();
        let mut doubtful = false;
        // It may wait for others by looking atomically, which is no endless walk through the heap.
        let looks_again = self.library.any(|stmt| matches!(stmt, Stmt::AtomicFollow { .. }));
        let verdict = loop {
            // Alone, nobody wakes it: what it would do then is not part of the precondition.
            if running.returned() || running.sleeps() {
                break if doubtful { Alone::Doubtful } else { Alone::Returns };
            }
            // A lock that it cannot take alone is its own.
            if !caller.enabled(&running, &memory) {
                self.result.may_keep_locks = true;
                break Alone::Violates;
            }
            if !seen.insert((running.clone(), memory.clone())) {
                break if looks_again { Alone::Doubtful } else { Alone::Violates };
            }
            let effect = caller.step(ThreadId(0), &mut running, &mut memory);
            doubtful |= effect.doubtful;
            if effect.fault {
                break Alone::Violates;
            }
        };
        self.spend(seen.len())?;
        verdicts.insert(key, verdict);
        Ok(verdict)
    }

    /// Alone, a thread cannot tell fresh values that no key has from others: they are numbered as they come.
    fn renamed(&self, keys: &[heaps::Code], ks: &[heaps::Code]) -> Vec<heaps::Code> {
        let first_fresh = keys.iter().map(|code| code.0 + 1).max().unwrap_or(0).max(self.constants.len() as u8);
        let mut fresh: Vec<heaps::Code> = Vec::new();
        let rename = |&k: &heaps::Code| {
            if k.0 < first_fresh {
                return k;
            }
            let known = fresh.iter().position(|&other| other == k).unwrap_or_else(|| {
                fresh.push(k);
                fresh.len() - 1
            });
            heaps::Code(first_fresh + known as u8)
        };
        ks.iter().map(rename).collect()
    }

    /// One entry on one heap with its integers: the integers of the heap, and those that each call gets, those of the first thread first.
    fn case(
        &mut self,
        heap: &Heap,
        valuation: &[heaps::Code],
        entry: usize,
        verdicts: &mut Verdicts,
    ) -> Result<(), TooLarge> {
        let (keys, mut ks) = valuation.split_at(heap.values());
        let threads = self.result.entries[entry].threads.clone();
        let (mut callers, mut doubtful) = (Vec::new(), false);
        for (number, operations) in threads.iter().enumerate() {
            let thread = ThreadId(number as u8);
            let (own, rest) = ks.split_at(operations.iter().map(|&call| inputs(self.library, call)).sum());
            ks = rest;
            match self.alone(heap, &[keys, own].concat(), operations, thread, verdicts)? {
                Alone::Violates => return Ok(()),
                Alone::Doubtful => doubtful = true,
                Alone::Returns => {}
            }
            callers.push((operations, thread, own));
        }
        let callers: Vec<Caller> =
            callers.into_iter().map(|(operations, thread, ks)| self.caller(heap, operations, thread, ks)).collect();
        let mut left = self.states_left;
        let mut run = |bound, forgets| {
            let how = How { bound, forgets, ..How::ALL };
            let joint = Joint::run(&callers, initial_memory(heap, keys), left, how);
            left = left.checked_sub(joint.states.len()).ok_or(TooLarge)?;
            Ok(joint.seen)
        };
        let bound = self.extent.preemptions;
        let all = run(None, true)?;
        let (completes, faults, may_keep_locks) = (all.completes, all.faults, all.waits.is_some());
        // Whether what a lock reads of its object comes before what it acquires is a matter of reading: another schedule
        // decides the same without it, but that one may need more preemptions.
        let of_locks: Vec<Race> = all.races.iter().copied().filter(about_locks).collect();
        let Seen { races, certain, waits, forgot, .. } = if bound.is_some() { run(bound, true)? } else { all };
        // That a plain store is read as if it were an atomic one is a race by itself.
        let certain = if forgot { run(bound, false)?.certain } else { certain };
        let orders = [[0, 1], [1, 0]].map(|order| order.map(ThreadId));
        let may_fail = |order| may_fail_in_order(&callers, initial_memory(heap, keys), order);
        let are_two = threads.len() == 2 && threads.iter().all(|calls| calls.len() == 1);
        let in_turn = are_two && !certain.is_empty() && !orders.into_iter().any(may_fail);
        self.states_left = left;
        self.result.may_keep_locks |= may_keep_locks;
        // Kept by a call that has returned, of an operation that gives locks back.
        let gives_back = |thread: ThreadId| {
            let mut found = false;
            for &operation in &threads[thread.index()] {
                let stmts = &self.library.operations[operation];
                stmts.iter().for_each(|stmt| stmt.walk(&mut |stmt| found |= matches!(stmt, Stmt::Unlock(_))));
            }
            found
        };
        self.result.must_keep_locks |= heap.must
            && !doubtful
            && waits == Some(Waits::Returned)
            && !self.library.waits()
            && (0..threads.len()).all(|t| gives_back(ThreadId(t as u8)));
        let entry = &mut self.result.entries[entry];
        if completes && heap.must && !doubtful {
            entry.must_cases += 1;
            let certain = certain.iter().filter(|race| !about_locks(race));
            entry.must.extend(certain.clone());
            if in_turn {
                entry.in_turn.extend(certain);
            }
        }
        if completes || faults {
            entry.may_cases += 1;
            entry.may.extend(races.into_iter().chain(of_locks));
        }
        Ok(())
    }
}

/// Whether something may go wrong where one thread makes its calls after the other. One that waits ends that.
fn may_fail_in_order(callers: &[Caller<'_>], mut memory: Memory, order: [ThreadId; 2]) -> bool {
    let mut threads: Vec<Thread> = callers.iter().map(|caller| caller.start(&mut memory)).collect();
    for id in order {
        let (caller, thread) = (&callers[id.index()], &mut threads[id.index()]);
        let mut seen = FxHashSet::default();
        while !thread.returned() && seen.insert((thread.clone(), memory.clone())) {
            if thread.sleeps() || !caller.enabled(thread, &memory) {
                return false;
            }
            let effect = caller.step(id, thread, &mut memory);
            if effect.fault || effect.doubtful {
                return true;
            }
        }
    }
    false
}

pub(super) fn about_locks(race: &Race) -> bool {
    [race.first(), race.second()].iter().any(|site| site.access == AccessKind::Sync)
}

/// Adds the cases of one shape.
fn add(counts: &mut Counts, of_shape: Counts) {
    counts.cases_kept += of_shape.cases_kept;
    counts.cases_dropped += of_shape.cases_dropped;
    *(if of_shape.cases_kept > 0 { &mut counts.shapes_kept } else { &mut counts.shapes_dropped }) += 1;
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct State {
    memory: Memory,
    threads: Vec<Thread>,
    order: Order,
    switches: Switches,
}

/// What counts against a bound on preemptions; nothing where there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Switches {
    /// Who took the last step.
    last: Option<ThreadId>,
    preemptions: u32,
}

/// Which interleavings are run, and what is looked for.
#[derive(Clone, Copy, Debug)]
pub(super) struct How {
    /// The most preemptions.
    pub(super) bound: Option<u32>,
    /// See [`Order::apply`].
    pub(super) forgets: bool,
    /// Where nobody can go on is noted.
    pub(super) standstills: bool,
}

impl How {
    pub(super) const ALL: How = How { bound: None, forgets: true, standstills: false };
}

/// All threads together, in all interleavings.
pub(super) struct Joint<'a> {
    callers: &'a [Caller<'a>],
    how: How,
    states: FxHashSet<State>,
    pub(super) seen: Seen,
}

/// What threads together come to.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// It made a difference that a plain store tells nothing.
    pub(super) forgot: bool,
    completes: bool,
    /// All return, and nobody has woken up for nothing.
    pub(super) ends: bool,
    faults: bool,
    pub(super) races: FxHashSet<Race>,
    /// Those of accesses that do not fail, and of what is freed.
    pub(super) certain: FxHashSet<Race>,
    pub(super) failures: FxHashSet<Failure>,
    /// What may count as a failure.
    pub(super) doubtful: FxHashSet<Failure>,
    /// Somewhere all threads that have not returned wait for locks that nobody gives back.
    waits: Option<Waits>,
    /// Lines of threads that wait for each other's locks in a circle.
    pub(super) circles: FxHashSet<Vec<u32>>,
    /// Where nobody can go on who has not returned.
    pub(super) standstills: FxHashSet<Standstill>,
}

/// Who has locks that others wait for, for good.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Waits {
    /// Those who wait, some of them.
    Themselves,
    /// Calls that have returned.
    Returned,
}

impl<'a> Joint<'a> {
    /// Stops early once there are more than `limit` states; the caller cannot afford those.
    pub(super) fn run(callers: &'a [Caller<'a>], mut memory: Memory, limit: usize, how: How) -> Joint<'a> {
        let threads = callers.iter().map(|caller| caller.start(&mut memory)).collect();
        let mut joint = Joint { callers, how, states: FxHashSet::default(), seen: Seen::default() };
        let mut left = vec![State { memory, threads, order: Order::default(), switches: Switches::default() }];
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

    pub(super) fn states(&self) -> usize {
        self.states.len()
    }

    fn waits_for_good(&self, state: &State) -> Option<Waits> {
        let all = self.callers.iter().zip(&state.threads).enumerate();
        let mut waits = None;
        for (index, (caller, thread)) in all.filter(|(_, (_, thread))| !thread.returned() && !thread.sleeps()) {
            let owner = caller.waits_for(thread, &state.memory)?;
            // What a client had before, nobody gives back either.
            let found = match state.threads.get(owner.index()).is_none_or(Thread::returned) {
                true => Waits::Returned,
                false if owner.index() == index => Waits::Themselves,
                false => return None,
            };
            waits = Some(waits.map_or(found, |known: Waits| known.min(found)));
        }
        waits
    }

    fn successors(&mut self, state: &State, left: &mut Vec<State>) {
        // To wait for what a third thread might do is an end as well.
        self.seen.completes |= state.threads.iter().all(|thread| thread.returned() || thread.sleeps());
        self.seen.ends |= state.threads.iter().all(|thread| thread.returned() && !thread.woke_up_spuriously());
        self.seen.waits = self.seen.waits.max(self.waits_for_good(state));
        if self.how.standstills {
            self.seen.circles.extend(circles(self.callers, &state.threads, &state.memory));
            self.seen.standstills.extend(standstill(self.callers, &state.threads, &state.memory));
        }
        let everybody = (0..self.callers.len()).fold(0, |all, thread| all | ThreadId(thread as u8).bit());
        for (index, caller) in self.callers.iter().enumerate() {
            if !caller.enabled(&state.threads[index], &state.memory) {
                continue;
            }
            let id = ThreadId(index as u8);
            let Some(switches) = self.switched(state, id) else { continue };
            for Next { memory, threads, effect, woken } in steps(self.callers, id, &state.memory, &state.threads) {
                let mut next = State { memory, threads, order: state.order.clone(), switches };
                let mut freed_beside = false;
                self.seen.forgot |= next.order.apply(id, &effect, (woken, everybody, self.how.forgets), |race| {
                    let frees = [race.first(), race.second()].iter().any(|site| site.access == AccessKind::Free);
                    freed_beside |= frees;
                    self.seen.races.insert(race);
                    // Whether what is no more is still read, and orders something, is open.
                    if frees || !effect.fault {
                        self.seen.certain.insert(race);
                    }
                });
                let line = caller.line(&state.threads[index]);
                if effect.doubtful {
                    self.seen.doubtful.insert(Failure::Memory(line));
                }
                if effect.fault {
                    // What nothing orders behind a `free` is a race.
                    self.seen.faults = true;
                    if !freed_beside {
                        self.seen.failures.insert(Failure::of(line, &effect));
                    }
                } else {
                    left.push(next);
                }
            }
        }
    }
}

impl Joint<'_> {
    /// What has counted once this thread has taken a step; none beyond the bound.
    fn switched(&self, state: &State, next: ThreadId) -> Option<Switches> {
        let Some(bound) = self.how.bound else { return Some(Switches::default()) };
        let Switches { last, preemptions } = state.switches;
        let leaves = last
            .filter(|&last| last != next)
            .is_some_and(|last| self.callers[last.index()].goes_on(last, &state.threads[last.index()], &state.memory));
        let preemptions = preemptions + u32::from(leaves);
        (preemptions <= bound).then_some(Switches { last: Some(next), preemptions })
    }
}

/// The races of threads on one heap, for the test that compares them with an explicit graph.
#[cfg(test)]
pub(super) fn joint_races(callers: &[Caller<'_>], memory: Memory) -> std::collections::BTreeSet<Race> {
    Joint::run(callers, memory, usize::MAX, How::ALL).seen.races.into_iter().collect()
}
