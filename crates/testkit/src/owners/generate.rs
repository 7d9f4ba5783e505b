//! Draws a library and its tests.

use super::ast::{Call, Function, Kind, Library, Link, Lock, Step, Test, Variable};
use crate::rng::Rng;

const FUNCTIONS: usize = 5;

/// The library of a seed.
pub fn generate(seed: u64) -> Library {
    let mut rng = Rng::new(seed ^ 0x0b0e_5000_0000);
    let global_locks = rng.below(3);
    let shared_locks = rng.chance(40);
    let mut functions = Vec::new();
    for number in 0..FUNCTIONS {
        // Something can be set in most libraries.
        let sets = number < 2 && rng.chance(70) || rng.chance(15);
        functions.push(function(&mut rng, number, (global_locks, shared_locks), sets));
    }
    let wraps = rng.chance(40);
    let tests = (0..1 + rng.below(2)).map(|_| test(&mut rng, &functions)).collect::<Vec<_>>();
    let mut library = Library { global_locks, shared_locks, wraps, functions, tests };
    // Most functions are called by some test.
    for number in 0..FUNCTIONS {
        let is_called = library.tests.iter().any(|test| test.calls.iter().any(|call| call.function == number));
        if !is_called && rng.chance(85) {
            let at = rng.below(library.tests.len());
            let call = call(&mut rng, number, &library.functions[number], &library.tests[at].objects);
            library.tests[at].calls.push(call);
        }
    }
    library
}

struct Body<'r> {
    rng: &'r mut Rng,
    kinds: Vec<Kind>,
    steps: Vec<Step>,
}

impl Body<'_> {
    /// A variable, perhaps one that is reached from another only now.
    fn reach(&mut self, wanted: Option<Kind>) -> Variable {
        for _ in 0..8 {
            let from = self.rng.below(self.kinds.len());
            if self.kinds[from] == Kind::Holder && self.rng.chance(55) {
                let link = self.rng.pick(&[Link::Inner, Link::Inner, Link::Peer]);
                self.steps.push(Step::Follow(from, link));
                self.kinds.push(link.leads_to());
                let last = self.kinds.len() - 1;
                if wanted.is_none_or(|kind| self.kinds[last] == kind) {
                    return last;
                }
            } else if wanted.is_none_or(|kind| self.kinds[from] == kind) {
                return from;
            }
        }
        let of_kind = self.kinds.iter().position(|kind| wanted.is_none_or(|wanted| *kind == wanted));
        of_kind.unwrap_or(0)
    }
}

fn function(rng: &mut Rng, number: usize, (global_locks, shared_locks): (usize, bool), sets: bool) -> Function {
    let parameters: Vec<Kind> = match rng.below(6) {
        _ if sets => vec![Kind::Holder, rng.pick(&[Kind::Box, Kind::Box, Kind::Holder])],
        0 => vec![Kind::Box],
        1 => vec![Kind::Holder, Kind::Holder],
        2 => vec![Kind::Holder, Kind::Box],
        _ => vec![Kind::Holder],
    };
    let takes_number = rng.chance(25);
    let mut body = Body { kinds: parameters.clone(), steps: Vec::new(), rng };
    if takes_number && body.rng.chance(60) {
        body.steps.push(Step::ReturnIfLess(1));
    }
    let mut lock = None;
    let mut locked = |body: &mut Body| {
        let chosen = match body.rng.below(10) {
            0..=2 => None,
            3 | 4 if global_locks > 0 => Some(Lock::Global(body.rng.below(global_locks))),
            3..=7 => Some(Lock::Of(body.rng.below(body.kinds.len().min(2)))),
            _ => Some(Lock::Of(body.reach(None))),
        };
        if let Some(chosen) = chosen {
            let is_shared = shared_locks && body.rng.chance(50);
            body.steps.push(if is_shared { Step::AcquireShared(chosen) } else { Step::Acquire(chosen) });
        }
        lock = chosen;
        chosen
    };
    let held = locked(&mut body);
    if sets {
        let target = match body.rng.chance(75) {
            true => 0,
            false => body.reach(Some(Kind::Holder)),
        };
        let source = match body.rng.chance(75) {
            true => 1,
            false => body.reach(None),
        };
        let link = if body.kinds[source] == Kind::Box { Link::Inner } else { Link::Peer };
        if body.kinds[target] == Kind::Holder {
            body.steps.push(Step::Set(target, link, source));
        }
    }
    let accesses = if sets { body.rng.below(2) } else { 1 + body.rng.below(2) };
    for _ in 0..accesses {
        if takes_number && body.rng.chance(30) && held.is_none() {
            body.steps.push(Step::ReturnIfLess(2));
        }
        let object = body.reach(None);
        let member = body.rng.below(2);
        let (writes, is_chosen) = (body.rng.chance(60), takes_number && body.rng.chance(40));
        body.steps.push(match (writes, is_chosen) {
            (true, false) => Step::Write(object, member),
            (false, false) => Step::Read(object, member),
            (true, true) => Step::WriteAt(object),
            (false, true) => Step::ReadAt(object),
        });
    }
    if let Some(held) = held {
        body.steps.push(Step::Release(held));
    }
    let Body { steps, .. } = body;
    Function { name: format!("op{number}"), parameters, takes_number, steps }
}

fn test(rng: &mut Rng, functions: &[Function]) -> Test {
    let mut objects = vec![Kind::Box; 1 + rng.below(2)];
    objects.extend(vec![Kind::Holder; 1 + rng.below(2)]);
    let calls = (0..1 + rng.below(5))
        .map(|_| {
            let number = rng.below(functions.len());
            call(rng, number, &functions[number], &objects)
        })
        .collect();
    Test { objects, calls }
}

fn call(rng: &mut Rng, function: usize, called: &Function, objects: &[Kind]) -> Call {
    let of_kind = |kind: Kind| -> Vec<usize> { (0..objects.len()).filter(|&object| objects[object] == kind).collect() };
    let objects = called.parameters.iter().map(|&kind| rng.pick(&of_kind(kind))).collect();
    Call { function, objects, number: rng.between(0, 3) }
}
