//! Draws programs.
//!
//! Guarantee: the same seed gives the same program; a lock is not taken by who has it, waits have their lock, and one lock goes with
//! each condition.

use super::ast::{LOCALS, Program, Stmt, VALUES, Value};
use crate::rng::Rng;

/// The program of this seed.
pub fn generate(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let threads = rng.weighted(&[(3, 2), (1, 3)]);
    // Few kinds in one program, so that threads meet; plain numbers mostly under locks, so that not all race.
    // Under SV-COMP's rules nobody wakes up for nothing.
    let sections = rng.chance(25);
    let kinds = Kinds {
        careful: rng.chance(60),
        sections,
        waits: rng.chance(45) && !sections,
        tries: rng.chance(25),
        counts: rng.chance(25),
        atomics: rng.chance(50),
        asks: rng.chance(30),
        blocks: rng.chance(20),
        turns: rng.chance(60),
        looks: rng.chance(30),
    };
    let semaphore = rng.below(2) as u8;
    let alike = rng.chance(25);
    let mut generator = Generator { rng, kinds, left: 0, in_section: false };
    let mut bodies: Vec<Vec<Stmt>> = Vec::new();
    for _ in 0..threads {
        generator.left = 5 - threads.min(3) / 3;
        let is_copy = alike && !bodies.is_empty();
        let mut body = if is_copy { bodies[0].clone() } else { generator.body(&[], 4) };
        // What the thread does may depend on the number of its rounds.
        if generator.kinds.turns && !is_copy {
            body.insert(0, Stmt::Turn { local: 0 });
        }
        bodies.push(body);
    }
    Program { threads: bodies, semaphore }
}

struct Kinds {
    careful: bool,
    sections: bool,
    waits: bool,
    tries: bool,
    counts: bool,
    atomics: bool,
    asks: bool,
    blocks: bool,
    turns: bool,
    looks: bool,
}

struct Generator {
    rng: Rng,
    kinds: Kinds,
    /// Statements that this thread may still get.
    left: usize,
    /// Nobody waits there.
    in_section: bool,
}

impl Generator {
    /// At least one statement, `most` at most. `held`: locks.
    fn body(&mut self, held: &[u8], most: usize) -> Vec<Stmt> {
        let count = 1 + self.rng.below(most);
        let mut body = Vec::new();
        for _ in 0..count {
            if self.left == 0 && !body.is_empty() {
                break;
            }
            self.left = self.left.saturating_sub(1);
            body.push(self.stmt(held));
        }
        body
    }

    fn stmt(&mut self, held: &[u8]) -> Stmt {
        let Kinds { careful, sections, waits, tries, counts, atomics, asks, blocks, turns, looks } = self.kinds;
        let waits_here = !self.in_section;
        let inside = !held.is_empty() || self.in_section;
        let plain = if careful && !inside { 1 } else { 8 };
        let on = |is: bool, weight: usize| if is { weight } else { 0 };
        let kind = self.rng.weighted(&[
            (plain, 0),
            (plain, 1),
            (plain / 2, 2),
            (on(atomics, 6), 3),
            (on(atomics, 5), 4),
            (on(atomics, 2), 5),
            (on(atomics, 3), 6),
            (on(waits_here && held.len() < 2, if inside { 2 } else { 12 }), 7),
            (on(waits_here && tries && held.len() < 2, 6), 8),
            (on(waits_here && waits && !held.is_empty(), 8), 9),
            (on(waits, 6), 10),
            (on(waits_here && counts, 5), 11),
            (on(counts && tries, 4), 12),
            (on(counts, 6), 13),
            (on(asks, 5), 14),
            (if turns { 9 } else { 4 }, 15),
            (2, 16),
            (on(blocks, 8), 17),
            (on(blocks, 6), 18),
            (on(blocks, 3), 19),
            (on(sections && waits_here, 14), 20),
            (on(looks && waits_here, 5), 21),
        ]);
        let (place, to) = (self.object(), self.local());
        match kind {
            0 => Stmt::Read { to, from: place },
            1 => Stmt::Write { to: place, value: self.value() },
            2 => Stmt::Step { place },
            3 => Stmt::Load { to, from: place, relaxed: self.rng.chance(25) },
            4 => Stmt::Store { to: place, value: self.value() },
            5 => Stmt::Flip { to, place },
            6 => Stmt::Exchange { to, place, expected: self.number(), new: self.number() },
            7 | 8 => {
                let mutex = if held.contains(&0) || !held.contains(&1) && self.rng.chance(25) { 1 } else { 0 };
                let body = self.body(&[held, &[mutex]].concat(), 3);
                if kind == 7 { Stmt::Section { mutex, body } } else { Stmt::Try { mutex, body } }
            }
            9 => {
                // A condition and its lock have one number.
                let mutex = held[self.rng.below(held.len())];
                Stmt::Wait { condition: mutex, mutex, place, until: self.number(), again: self.rng.chance(80) }
            }
            10 => Stmt::Wake { condition: place, all: self.rng.chance(40) },
            11 => Stmt::Down,
            12 => Stmt::TryDown { body: self.body(held, 2) },
            13 => Stmt::Up,
            14 => Stmt::Ask { to },
            15 => {
                let (then, otherwise) =
                    (self.body(held, 2), if self.rng.chance(40) { self.body(held, 1) } else { Vec::new() });
                let to = if turns && self.rng.chance(70) { 0 } else { to };
                Stmt::If { local: to, equals: self.number(), then, otherwise }
            }
            16 => Stmt::Assert { local: to, differs: self.number() },
            17 => Stmt::Give { value: self.value() },
            18 => Stmt::Take { to },
            21 => Stmt::Await { place, until: self.number() },
            20 => {
                self.in_section = true;
                let body = self.body(held, 3);
                self.in_section = false;
                Stmt::Atomic { body }
            }
            _ => Stmt::Peek { to, behind: self.rng.chance(50).then(|| self.object()) },
        }
    }

    /// Mostly the first.
    fn object(&mut self) -> u8 {
        u8::from(self.rng.chance(30))
    }

    fn local(&mut self) -> u8 {
        self.rng.below(LOCALS) as u8
    }

    fn number(&mut self) -> u8 {
        self.rng.below(usize::from(VALUES)) as u8
    }

    fn value(&mut self) -> Value {
        if self.rng.chance(30) { Value::Local(self.local()) } else { Value::Constant(self.number()) }
    }
}
