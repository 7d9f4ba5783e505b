//! Draws programs.

use super::ast::{CELLS, Condition, INPUTS, LOCALS, Looks, Operand, Program, Relation, Stmt, Value, VarKind};
use crate::rng::Rng;

/// The program of this seed.
pub fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let threads = rng.weighted(&[(5, 2), (3, 3)]);
    let vars = (0..rng.between(1, 3)).map(|_| if rng.chance(45) { VarKind::Atomic } else { VarKind::Plain }).collect();
    let (mutexes, inputs) = (rng.weighted(&[(3, 1), (2, 2)]), rng.weighted(&[(2, 0), (5, 1), (3, 2)]));
    let pointers = rng.chance(35);
    let semaphores = match rng.chance(40) {
        true => (0..rng.between(1, 2)).map(|_| rng.below(2) as u8).collect(),
        false => Vec::new(),
    };
    let barriers: Vec<u8> = match rng.chance(30) {
        true => vec![if threads == 3 && rng.chance(30) { 3 } else { 2 }],
        false => Vec::new(),
    };
    let called = usize::from(rng.chance(20));
    let meeting = barriers.len();
    let (count, conditions) = (semaphores.len(), usize::from(rng.chance(35)));
    let sections = rng.chance(25);
    let mut drawer = Drawer {
        rng,
        vars,
        mutexes,
        semaphores: count,
        barriers: meeting,
        once: called,
        conditions,
        inputs,
        pointers,
        held: Vec::new(),
        sections,
        in_section: false,
    };
    let size = if threads == 2 { 4 } else { 3 };
    let bodies = (0..threads).map(|_| drawer.body(size, 2)).collect();
    let first = drawer.short(35);
    let between = drawer.short(25);
    let last = if drawer.rng.chance(45) { drawer.body(2, 1) } else { Vec::new() };
    let joined: Vec<bool> = (0..threads).map(|_| drawer.rng.chance(60)).collect();
    let looks = joined.iter().map(|joined| drawer.looks(*joined)).collect();
    let nested = (threads == 2 && drawer.rng.chance(15)).then(|| drawer.body(2, 1));
    let once = (0..called).map(|_| drawer.routine()).collect();
    let Drawer { vars, .. } = drawer;
    let threads = bodies;
    Program {
        vars,
        mutexes,
        conditions,
        semaphores,
        barriers,
        once,
        inputs,
        threads,
        first,
        between,
        last,
        joined,
        looks,
        nested,
    }
}

struct Drawer {
    rng: Rng,
    vars: Vec<VarKind>,
    mutexes: usize,
    semaphores: usize,
    barriers: usize,
    once: usize,
    conditions: usize,
    inputs: usize,
    pointers: bool,
    held: Vec<usize>,
    /// There are atomic sections; it is one.
    sections: bool,
    in_section: bool,
}

impl Drawer {
    fn short(&mut self, percent: u32) -> Vec<Stmt> {
        if self.rng.chance(percent) { vec![self.access()] } else { Vec::new() }
    }

    /// A function of its own, which has none of its caller's locals.
    fn routine(&mut self) -> Vec<Stmt> {
        let write = |rng: &mut Rng, vars: usize| Stmt::Write {
            var: rng.below(vars),
            value: Value::Const(1 + rng.below(2) as u8),
        };
        (0..1 + self.rng.below(2)).map(|_| write(&mut self.rng, self.vars.len())).collect()
    }

    /// `main` looks whether a thread has ended that it does not wait for.
    fn looks(&mut self, joined: bool) -> Option<Looks> {
        if joined || self.rng.chance(60) {
            return None;
        }
        let timed = self.rng.chance(30);
        let (ended, otherwise) = (self.body(2, 1), self.short(40));
        Some(Looks { timed, ended, otherwise })
    }

    fn body(&mut self, size: usize, depth: usize) -> Vec<Stmt> {
        let mut body = Vec::new();
        for _ in 0..1 + self.rng.below(size) {
            self.statement(depth, &mut body);
        }
        body
    }

    fn statement(&mut self, depth: usize, body: &mut Vec<Stmt>) {
        let branches = depth > 0;
        if branches && self.rng.chance(30) {
            // What was read is looked at.
            let (dst, var) = (self.rng.below(LOCALS), self.rng.below(self.vars.len()));
            body.push(if self.pointers && self.rng.chance(35) {
                Stmt::ReadThrough { dst }
            } else {
                Stmt::Read { dst, var }
            });
            let mut branch = self.condition(depth);
            if let Stmt::If { condition, .. } = &mut branch {
                condition.operand = Operand::Local(dst);
            }
            body.push(branch);
            return;
        }
        if self.sections && !self.in_section && self.rng.chance(30) {
            self.in_section = true;
            let section = self.body(3, depth.min(1));
            self.in_section = false;
            body.push(Stmt::Section(section));
            return;
        }
        if self.semaphores > 0 && branches && self.rng.chance(20) {
            let (semaphore, timed) = (self.rng.below(self.semaphores), self.rng.chance(30));
            let (taken, busy) = (self.body(2, depth - 1), self.short(60));
            body.push(Stmt::TryDown { semaphore, timed, taken, busy });
            return;
        }
        match self.rng.below(10) {
            0..=3 if branches => body.push(self.condition(depth)),
            4 if !self.in_section && self.held.len() < self.mutexes => {
                let free: Vec<usize> = (0..self.mutexes).filter(|mutex| !self.held.contains(mutex)).collect();
                let mutex = free[self.rng.below(free.len())];
                self.held.push(mutex);
                if branches && self.rng.chance(25) {
                    let taken = self.body(2, depth - 1);
                    self.held.pop();
                    let busy = self.body(1, depth - 1);
                    body.push(Stmt::TryLock { mutex, taken, busy });
                    return;
                }
                body.push(Stmt::Lock(mutex));
                if self.conditions > 0 && self.rng.chance(45) {
                    self.wait(mutex, body);
                }
                if self.rng.chance(30) {
                    self.pass_on(body);
                }
                body.extend(self.body(2, depth));
                body.push(Stmt::Unlock(mutex));
                self.held.pop();
            }
            _ => body.push(self.access()),
        }
    }

    /// Waits, or looks whether it has to.
    fn wait(&mut self, mutex: usize, body: &mut Vec<Stmt>) {
        let limit = self.rng.chance(30).then(|| self.rng.below(LOCALS));
        let wait = Stmt::Wait { condition: self.rng.below(self.conditions), mutex, limit };
        if self.rng.chance(40) {
            body.push(wait);
            return;
        }
        let (dst, var) = (self.rng.below(LOCALS), self.rng.below(self.vars.len()));
        let condition = Condition { operand: Operand::Local(dst), relation: Relation::Equal, to: Ok(0) };
        body.push(Stmt::Read { dst, var });
        body.push(Stmt::If { condition, then: vec![wait], otherwise: Vec::new() });
    }

    /// What is written is what was read, as it is or more.
    fn pass_on(&mut self, body: &mut Vec<Stmt>) {
        let (dst, from, to) =
            (self.rng.below(LOCALS), self.rng.below(self.vars.len()), self.rng.below(self.vars.len()));
        body.push(Stmt::Read { dst, var: from });
        let value = if self.rng.chance(50) { Value::Local(dst) } else { Value::Sum(dst, 1) };
        body.push(Stmt::Write { var: to, value });
    }

    fn condition(&mut self, depth: usize) -> Stmt {
        let operand = match self.rng.below(4) {
            0 if self.inputs > 0 => Operand::Input(self.rng.below(self.inputs)),
            _ => Operand::Local(self.rng.below(LOCALS)),
        };
        let relation = if self.rng.chance(65) { Relation::Equal } else { Relation::Less };
        let constant = self.rng.below(usize::from(INPUTS) - 2) as u8;
        let to = match self.rng.below(5) {
            0 if self.inputs > 0 => Err(Operand::Input(self.rng.below(self.inputs))),
            _ => Ok(constant),
        };
        let then = self.body(2, depth - 1);
        let otherwise = if self.rng.chance(35) { self.body(1, depth - 1) } else { Vec::new() };
        Stmt::If { condition: Condition { operand, relation, to }, then, otherwise }
    }

    fn access(&mut self) -> Stmt {
        if self.conditions > 0 && self.rng.chance(25) {
            return Stmt::Signal { condition: self.rng.below(self.conditions), all: self.rng.chance(30) };
        }
        if self.semaphores > 0 && self.rng.chance(30) {
            let semaphore = self.rng.below(self.semaphores);
            return match self.rng.below(20) {
                0..=8 => Stmt::Post(semaphore),
                9..=15 if !self.in_section => Stmt::Down(semaphore),
                _ => Stmt::Count { dst: self.rng.below(LOCALS), semaphore },
            };
        }
        if self.once > 0 && !self.in_section && self.rng.chance(25) {
            return Stmt::Once(self.rng.below(self.once));
        }
        if self.barriers > 0 && !self.in_section && self.rng.chance(25) {
            let dst = self.rng.chance(40).then(|| self.rng.below(LOCALS));
            return Stmt::Barrier { barrier: self.rng.below(self.barriers), dst };
        }
        let (dst, var) = (self.rng.below(LOCALS), self.rng.below(self.vars.len()));
        if self.pointers && self.rng.chance(40) {
            return match self.rng.below(3) {
                0 => Stmt::Point { cell: self.rng.below(CELLS) },
                1 => Stmt::ReadThrough { dst },
                _ => Stmt::WriteThrough { value: self.value() },
            };
        }
        let is_atomic = self.vars[var] == VarKind::Atomic;
        match self.rng.below(10) {
            0..=3 => Stmt::Read { dst, var },
            4 if is_atomic => Stmt::FetchAdd { dst, var, by: 1 },
            5 if is_atomic => {
                Stmt::Exchange { dst, var, expected: self.rng.below(2) as u8, desired: 1 + self.rng.below(2) as u8 }
            }
            _ => Stmt::Write { var, value: self.value() },
        }
    }

    fn value(&mut self) -> Value {
        match self.rng.below(7) {
            0 => Value::Local(self.rng.below(LOCALS)),
            1 => Value::Sum(self.rng.below(LOCALS), 1),
            2 if self.inputs > 0 => Value::Input(self.rng.below(self.inputs)),
            _ => Value::Const(self.rng.below(3) as u8),
        }
    }
}
