//! All interleavings of the accesses of two calls.

use super::code::{FIELDS, LOCKS, Operation, Step};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What members begin with; what counts past the greatest number begins again.
pub(super) const VALUES: [u32; 5] = [0, 1, 2, 3, u32::MAX];

/// What two calls return, and what the members hold then.
pub type Outcome = ([u32; 2], [u32; FIELDS.len()]);

/// What two calls at once come to.
#[derive(Debug, Default)]
pub struct AtOnce {
    /// And whether it is so without a race, and with one.
    pub results: BTreeMap<Outcome, [bool; 2]>,
    /// They wait for each other or for themselves, end with a lock, or give back one that they have not.
    pub is_stuck: bool,
    /// Somewhere two accesses are not ordered; atomic ones do not count.
    pub is_racy: bool,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Thread {
    at: usize,
    locals: Vec<u32>,
    returned: Option<u32>,
    /// What it comes after, of each thread.
    clock: [u32; 2],
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct State {
    threads: [Thread; 2],
    fields: [u32; FIELDS.len()],
    owners: [Option<usize>; LOCKS.len()],
    /// What the one who takes a lock comes after.
    given: [[u32; 2]; LOCKS.len()],
    /// When each thread last read each member, and wrote it; 0: never.
    reads: [[u32; 2]; FIELDS.len()],
    writes: [[u32; 2]; FIELDS.len()],
    raced: bool,
}

impl State {
    fn new(calls: [&Operation; 2], fields: [u32; FIELDS.len()]) -> Self {
        let thread = |number: usize| {
            let mut clock = [0; 2];
            clock[number] = 1;
            Thread { at: 0, locals: vec![0; calls[number].locals], returned: None, clock }
        };
        let never = [[0; 2]; FIELDS.len()];
        let threads = [thread(0), thread(1)];
        let (owners, given) = ([None; LOCKS.len()], [[0; 2]; LOCKS.len()]);
        State { threads, fields, owners, given, reads: never, writes: never, raced: false }
    }

    fn can_go(&self, calls: [&Operation; 2], who: usize) -> bool {
        let thread = &self.threads[who];
        let waits = match calls[who].steps.get(thread.at) {
            Some(Step::Lock(lock)) => self.owners[*lock].is_some(),
            // What it does without having taken it nobody knows.
            Some(Step::Unlock(lock)) => self.owners[*lock] != Some(who),
            _ => false,
        };
        thread.returned.is_none() && !waits
    }

    fn access(&mut self, who: usize, field: usize, writes: bool) {
        let (other, clock) = (1 - who, self.threads[who].clock);
        let is_unordered = |when: u32| when > clock[other];
        self.raced |= is_unordered(self.writes[field][other]) || writes && is_unordered(self.reads[field][other]);
        let last = if writes { &mut self.writes } else { &mut self.reads };
        last[field][who] = clock[who];
    }

    fn step(&mut self, calls: [&Operation; 2], who: usize) {
        let Some(step) = calls[who].steps.get(self.threads[who].at) else {
            self.threads[who].returned = Some(0);
            return;
        };
        self.threads[who].at += 1;
        match step {
            Step::Load { to, field } => {
                self.access(who, *field, false);
                self.threads[who].locals[*to] = self.fields[*field];
            }
            Step::Store { field, from } => {
                self.access(who, *field, true);
                self.fields[*field] = self.threads[who].locals[*from];
            }
            Step::Increment { field } => self.fields[*field] = self.fields[*field].wrapping_add(1),
            Step::Compute { to, of, plus } => {
                let locals = &mut self.threads[who].locals;
                locals[*to] = of.iter().fold(*plus, |sum, &local| sum.wrapping_add(locals[local]));
            }
            Step::Unless { local, is, to } => {
                let thread = &mut self.threads[who];
                if thread.locals[*local] != *is {
                    thread.at = *to;
                }
            }
            Step::Lock(lock) => {
                self.owners[*lock] = Some(who);
                for (known, given) in self.threads[who].clock.iter_mut().zip(self.given[*lock]) {
                    *known = (*known).max(given);
                }
            }
            Step::Unlock(lock) => {
                self.owners[*lock] = None;
                self.given[*lock] = self.threads[who].clock;
                self.threads[who].clock[who] += 1;
            }
            Step::Return { from } => {
                let thread = &mut self.threads[who];
                thread.returned = Some(thread.locals[*from]);
            }
        }
    }

    fn outcome(&self) -> Option<Outcome> {
        Some(([self.threads[0].returned?, self.threads[1].returned?], self.fields))
    }
}

/// What two calls come to, whoever goes on before each step.
pub fn at_once(calls: [&Operation; 2], fields: [u32; FIELDS.len()]) -> AtOnce {
    let (mut found, mut seen) = (AtOnce::default(), HashSet::new());
    let mut open = vec![State::new(calls, fields)];
    while let Some(state) = open.pop() {
        found.is_racy |= state.raced;
        if let Some(outcome) = state.outcome() {
            found.results.entry(outcome).or_default()[usize::from(state.raced)] = true;
            found.is_stuck |= state.owners.iter().any(Option::is_some);
            continue;
        }
        let able: Vec<usize> = (0..2).filter(|&who| state.can_go(calls, who)).collect();
        found.is_stuck |= able.is_empty();
        for who in able {
            let mut next = state.clone();
            next.step(calls, who);
            if seen.insert(next.clone()) {
                open.push(next);
            }
        }
    }
    found
}

/// What two calls come to in both orders; an order in which one waits comes to nothing.
pub fn one_after_the_other(calls: [&Operation; 2], fields: [u32; FIELDS.len()]) -> BTreeSet<Outcome> {
    in_orders(calls, fields).into_iter().flatten().collect()
}

/// The same for each order: the first call first, the second first.
pub fn in_orders(calls: [&Operation; 2], fields: [u32; FIELDS.len()]) -> [Option<Outcome>; 2] {
    [0, 1].map(|first: usize| {
        let mut state = State::new(calls, fields);
        for who in [first, 1 - first] {
            while state.threads[who].returned.is_none() {
                if !state.can_go(calls, who) {
                    return None;
                }
                state.step(calls, who);
            }
        }
        state.outcome()
    })
}
