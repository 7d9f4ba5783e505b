//! Kernels at random.

use super::{Array, Kernel, Step, Stmt, Sum, What};
use crate::rng::Rng;

/// A kernel of this name.
pub fn generate(seed: u64, name: &str) -> Kernel {
    let mut rng = Rng::new(seed);
    let blocks = rng.pick(&[1, 2, 2, 3]);
    let threads = rng.pick(&[2, 3, 4, 6]);
    let mut builder = Builder { rng, threads, blocks, depth: 0, accesses: 0 };
    let body = builder.body(3, true);
    let by_structure = builder.rng.chance(30);
    Kernel { name: name.to_owned(), blocks, threads, by_structure, body }
}

struct Builder {
    rng: Rng,
    threads: i64,
    blocks: i64,
    depth: usize,
    accesses: u32,
}

impl Builder {
    /// `is_uniform`: all threads of a block come here equally often.
    fn body(&mut self, most: usize, is_uniform: bool) -> Vec<Stmt> {
        let count = 1 + self.rng.below(most);
        (0..count).map(|_| Stmt { line: 0, what: self.what(is_uniform) }).collect()
    }

    fn what(&mut self, is_uniform: bool) -> What {
        let deep = self.depth >= 2 || self.accesses > 5;
        match self.rng.below(if deep { 6 } else { 12 }) {
            0 if is_uniform || self.rng.chance(10) => What::Barrier,
            0..=5 => self.access(),
            6..=9 => self.looping(is_uniform),
            10 => {
                let (left, right) = (self.sum(false), self.bound());
                What::If { left, right, body: self.body(2, false) }
            }
            _ => {
                let (left, right) = (self.sum(false), self.bound());
                What::Leave { left, right }
            }
        }
    }

    fn access(&mut self) -> What {
        self.accesses += 1;
        let array = self.rng.pick(&[Array::Shared, Array::Given(0), Array::Given(0), Array::Given(1)]);
        let write = self.rng.chance(55);
        let atomic = write && self.rng.chance(15);
        What::Access { array, index: self.sum(true), write, atomic }
    }

    fn looping(&mut self, is_uniform: bool) -> What {
        let from = match self.rng.below(4) {
            0 => Sum { tid: 1, bid: self.threads, ..Sum::default() },
            1 => Sum { tid: 1, ..Sum::default() },
            2 => Sum { constant: self.rng.below(3) as i64, ..Sum::default() },
            _ => self.sum(false),
        };
        let is_fixed = self.rng.chance(30);
        let to = if is_fixed { Sum { constant: self.rng.below(6) as i64, ..Sum::default() } } else { self.bound() };
        let step = match self.rng.below(5) {
            0 | 1 => Step::By(1 + self.rng.below(3) as i64),
            2 => Step::Block,
            _ => Step::Launch,
        };
        let same = from.tid == 0 && from.bid == 0 && to.tid == 0 && to.bid == 0;
        self.depth += 1;
        let body = self.body(2, is_uniform && same);
        self.depth -= 1;
        What::For { from, to, step, body }
    }

    /// Something that ends a loop.
    fn bound(&mut self) -> Sum {
        let n = Sum { n: 1, ..Sum::default() };
        match self.rng.below(4) {
            0 => Sum { constant: self.rng.below(4) as i64, ..n },
            1 => Sum { tid: 1, ..n },
            2 => Sum { constant: 1 + self.rng.below(5) as i64, ..Sum::default() },
            _ => n,
        }
    }

    fn sum(&mut self, in_loops: bool) -> Sum {
        let mut sum = Sum { constant: self.rng.pick(&[0, 0, 0, 1, 2]), ..Sum::default() };
        match self.rng.below(6) {
            0 => sum.tid = 1,
            1 => (sum.tid, sum.bid) = (1, self.threads),
            2 => sum.tid = self.rng.pick(&[1, 2, 3]),
            3 => sum.bid = 1,
            4 if self.rng.chance(30) => sum.n = 1,
            _ => {}
        }
        if in_loops {
            let launch = self.threads * self.blocks;
            sum.loops = (0..self.depth).map(|_| self.rng.pick(&[0, 1, 1, 1, 2, launch])).collect();
        }
        sum
    }
}
