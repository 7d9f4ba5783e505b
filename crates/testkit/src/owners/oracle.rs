//! Which accesses race, by brute force: all heaps that setting calls build, any two calls on them, all interleavings.
//!
//! A client has two boxes and three holders. It makes up to so many setting calls, one after the other, each on any of its objects, and then
//! any two calls at once. Numbers are those that tests pass. Races are those of happens-before: all of an execution, not only the first.

use super::ast::{Function, Kind, Library, Link, Lock, Step};
use crate::finding::{AccessKind, Race, Site};
use std::collections::{BTreeMap, BTreeSet};

const BOXES: usize = 2;
const HOLDERS: usize = 3;

/// Heaps beyond which a library is too large.
const MOST_HEAPS: usize = 3_000;

/// What races.
#[derive(Clone, Debug, Default)]
pub struct Truth {
    /// By functions, in order: accesses that race, by their lines.
    pub races: BTreeMap<[usize; 2], BTreeSet<Race>>,
    /// Lines of accesses that tests run.
    pub run: BTreeSet<u32>,
    pub heaps: usize,
}

/// There are more heaps than can be gone through.
#[derive(Clone, Copy, Debug)]
pub struct TooLarge;

/// Objects by number: boxes, then holders, then the boxes that holders began with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Heap {
    /// By holder.
    inner: Vec<usize>,
    peer: Vec<usize>,
}

impl Heap {
    fn follow(&self, object: usize, link: Link) -> usize {
        let holder = object - BOXES;
        match link {
            Link::Inner => self.inner[holder],
            Link::Peer => self.peer[holder],
        }
    }

    fn set(&mut self, object: usize, link: Link, to: usize) {
        let holder = object - BOXES;
        match link {
            Link::Inner => self.inner[holder] = to,
            Link::Peer => self.peer[holder] = to,
        }
    }
}

/// A call with its objects and its number.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Made {
    function: usize,
    objects: Vec<usize>,
    number: i64,
}

/// Everything that races in clients of up to so many calls before the two. `lines`: where steps stand.
///
/// # Errors
/// When there are too many heaps.
pub fn oracle(library: &Library, lines: &BTreeMap<(usize, usize), u32>, calls: usize) -> Result<Truth, TooLarge> {
    let mut truth = Truth::default();
    let mut numbers: BTreeMap<usize, BTreeSet<i64>> = BTreeMap::new();
    for call in library.tests.iter().flat_map(|test| &test.calls) {
        numbers.entry(call.function).or_default().insert(call.number);
        let function = &library.functions[call.function];
        for (at, step) in function.steps.iter().enumerate() {
            if matches!(step, Step::ReturnIfLess(least) if call.number < *least) {
                break;
            }
            truth.run.extend(lines.get(&(call.function, at)));
        }
    }
    // What no test calls no client calls.
    let all: Vec<Made> =
        numbers.iter().flat_map(|(&function, numbers)| made(&library.functions[function], function, numbers)).collect();
    let setting: Vec<&Made> = all.iter().filter(|call| library.functions[call.function].sets()).collect();
    let heaps = heaps(library, &setting, calls)?;
    truth.heaps = heaps.len();
    for heap in &heaps {
        for (index, one) in all.iter().enumerate() {
            for other in &all[index..] {
                let key = [one.function.min(other.function), one.function.max(other.function)];
                let found = truth.races.entry(key).or_default();
                together(library, heap, [one, other], lines, found);
            }
        }
    }
    truth.races.retain(|_, races| !races.is_empty());
    Ok(truth)
}

/// All calls of a function on a client's objects.
fn made(function: &Function, number: usize, numbers: &BTreeSet<i64>) -> Vec<Made> {
    let mut all = vec![Vec::new()];
    for kind in &function.parameters {
        let objects = match kind {
            Kind::Box => 0..BOXES,
            Kind::Holder => BOXES..BOXES + HOLDERS,
        };
        let with =
            |so_far: Vec<usize>| objects.clone().map(move |object| so_far.iter().copied().chain([object]).collect());
        all = all.into_iter().flat_map(with).collect();
    }
    let numbers: Vec<i64> = if function.takes_number { numbers.iter().copied().collect() } else { vec![0] };
    let call = |objects: &Vec<usize>, value| Made { function: number, objects: objects.clone(), number: value };
    all.iter().flat_map(|objects| numbers.iter().map(|&value| call(objects, value)).collect::<Vec<_>>()).collect()
}

fn heaps(library: &Library, setting: &[&Made], calls: usize) -> Result<BTreeSet<Heap>, TooLarge> {
    let peer: Vec<usize> = (0..HOLDERS).map(|holder| BOXES + holder).collect();
    let own = |holder: usize| BOXES + HOLDERS + holder;
    let mut level: Vec<Heap> = match library.wraps {
        false => vec![Heap { inner: (0..HOLDERS).map(own).collect(), peer }],
        // Each is made of some box; those that others have none of are as good as a box of its own.
        true => (0..(BOXES + 1).pow(HOLDERS as u32))
            .map(|mut choice| {
                let mut inner = Vec::new();
                for holder in 0..HOLDERS {
                    let wrapped = choice % (BOXES + 1);
                    choice /= BOXES + 1;
                    inner.push(if wrapped == BOXES { own(holder) } else { wrapped });
                }
                Heap { inner, peer: peer.clone() }
            })
            .collect(),
    };
    let mut seen: BTreeSet<Heap> = level.iter().cloned().collect();
    for _ in 0..calls {
        let mut next = Vec::new();
        for heap in &level {
            for call in setting {
                let mut after = heap.clone();
                alone(library, &mut after, call);
                if seen.insert(after.clone()) {
                    next.push(after);
                }
            }
            if seen.len() > MOST_HEAPS {
                return Err(TooLarge);
            }
        }
        level = next;
    }
    Ok(seen)
}

/// One call by itself.
fn alone(library: &Library, heap: &mut Heap, call: &Made) {
    let mut variables = call.objects.clone();
    for step in &library.functions[call.function].steps {
        match *step {
            Step::Follow(from, link) => variables.push(heap.follow(variables[from], link)),
            Step::Set(target, link, source) => heap.set(variables[target], link, variables[source]),
            Step::ReturnIfLess(least) if call.number < least => return,
            Step::Acquire(_)
            | Step::AcquireShared(_)
            | Step::Release(_)
            | Step::Read(..)
            | Step::Write(..)
            | Step::ReadAt(_)
            | Step::WriteAt(_)
            | Step::ReturnIfLess(_) => {}
        }
    }
}

/// A place that can be accessed: a number or a link of an object.
type Place = (usize, usize);

/// Two threads, and what is known of what they did.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct State {
    heap: Heap,
    at: [usize; 2],
    variables: [Vec<usize>; 2],
    /// Who holds a lock, and whether alone: globals by number, then objects.
    held: BTreeMap<usize, (BTreeSet<usize>, bool)>,
    /// By thread, how far it knows each to have come; and of each lock, its last holder's.
    clocks: [[usize; 2]; 2],
    released: BTreeMap<usize, [usize; 2]>,
    /// Of each lock, those of all who have held it together.
    released_shared: BTreeMap<usize, [usize; 2]>,
    /// Accesses so far: thread, its clock, place, line, whether it writes.
    accesses: BTreeSet<(usize, usize, Place, u32, bool)>,
}

/// Which number a function's own one says.
fn chosen(number: i64) -> usize {
    usize::from(number % 2 != 0)
}

fn join(clock: &mut [usize; 2], other: &[usize; 2]) {
    for (own, other) in clock.iter_mut().zip(other) {
        *own = (*own).max(*other);
    }
}

fn together(
    library: &Library,
    heap: &Heap,
    calls: [&Made; 2],
    lines: &BTreeMap<(usize, usize), u32>,
    found: &mut BTreeSet<Race>,
) {
    let start = State {
        heap: heap.clone(),
        at: [0, 0],
        variables: [calls[0].objects.clone(), calls[1].objects.clone()],
        held: BTreeMap::new(),
        clocks: [[1, 0], [0, 1]],
        released: BTreeMap::new(),
        released_shared: BTreeMap::new(),
        accesses: BTreeSet::new(),
    };
    let mut seen = BTreeSet::new();
    let mut open = vec![start];
    while let Some(state) = open.pop() {
        for (thread, call) in calls.into_iter().enumerate() {
            let function = &library.functions[call.function];
            let Some(step) = function.steps.get(state.at[thread]) else { continue };
            let line = lines.get(&(call.function, state.at[thread])).copied().unwrap_or(0);
            let mut next = state.clone();
            next.at[thread] += 1;
            let lock_of = |lock: Lock| match lock {
                Lock::Global(lock) => lock,
                Lock::Of(variable) => library.global_locks + state.variables[thread][variable],
            };
            let variable = |variable: usize| state.variables[thread][variable];
            let mut access = None;
            match *step {
                Step::Acquire(lock) | Step::AcquireShared(lock) => {
                    let lock = lock_of(lock);
                    let alone = matches!(step, Step::Acquire(_));
                    let (holders, is_taken) = next.held.entry(lock).or_default();
                    if *is_taken || alone && !holders.is_empty() {
                        continue;
                    }
                    holders.insert(thread);
                    *is_taken = alone;
                    // Readers come after writers, and writers after all.
                    let earlier = next.released.get(&lock).into_iter();
                    let earlier: Vec<[usize; 2]> =
                        earlier.chain(next.released_shared.get(&lock).filter(|_| alone)).copied().collect();
                    earlier.iter().for_each(|clock| join(&mut next.clocks[thread], clock));
                }
                Step::Release(lock) => {
                    let lock = lock_of(lock);
                    let clock = next.clocks[thread];
                    let (mut holders, was_alone) = next.held.remove(&lock).unwrap_or_default();
                    holders.remove(&thread);
                    match was_alone {
                        true => drop(next.released.insert(lock, clock)),
                        false => join(next.released_shared.entry(lock).or_default(), &clock),
                    }
                    if !holders.is_empty() {
                        next.held.insert(lock, (holders, false));
                    }
                    next.clocks[thread][thread] += 1;
                }
                Step::Follow(from, link) => {
                    let object = variable(from);
                    next.variables[thread].push(state.heap.follow(object, link));
                    access = Some(((object, 2 + link as usize), false));
                }
                Step::Set(target, link, source) => {
                    next.heap.set(variable(target), link, variable(source));
                    access = Some(((variable(target), 2 + link as usize), true));
                }
                Step::Read(object, member) => access = Some(((variable(object), member), false)),
                Step::Write(object, member) => access = Some(((variable(object), member), true)),
                Step::ReadAt(object) => access = Some(((variable(object), chosen(call.number)), false)),
                Step::WriteAt(object) => access = Some(((variable(object), chosen(call.number)), true)),
                Step::ReturnIfLess(least) => {
                    if call.number < least {
                        next.at[thread] = function.steps.len();
                    }
                }
            }
            if let Some((place, writes)) = access {
                let other = 1 - thread;
                for &(by, when, there, earlier, wrote) in &state.accesses {
                    if by == other && there == place && (wrote || writes) && when > next.clocks[thread][other] {
                        let site = |line, writes| Site {
                            line,
                            access: if writes { AccessKind::Write } else { AccessKind::Read },
                        };
                        found.insert(Race::new(site(earlier, wrote), site(line, writes)));
                    }
                }
                next.accesses.insert((thread, next.clocks[thread][thread], place, line, writes));
            }
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
}
