//! Random kernels that race in some launches, and not in others.

use super::{Array, Divisor, Index, Kernel, Stmt, Sum};
use crate::rng::Rng;

/// A kernel of this name.
pub fn generate(seed: u64, name: &str) -> Kernel {
    let mut rng = Rng::new(seed);
    let body = body(&mut rng, 3, true);
    Kernel { name: name.to_owned(), body }
}

fn body(rng: &mut Rng, most: usize, is_outermost: bool) -> Vec<Stmt> {
    let count = 1 + rng.below(most);
    (0..count).map(|_| stmt(rng, is_outermost)).collect()
}

fn stmt(rng: &mut Rng, is_outermost: bool) -> Stmt {
    match rng.below(10) {
        0 if is_outermost || rng.chance(15) => Stmt::Barrier,
        // Lanes that have ended are not waited for: only where all come.
        1 if is_outermost => Stmt::Warp,
        2 | 3 if is_outermost => {
            let (left, right) = (sum(rng), bound(rng));
            Stmt::If { left, right, body: body(rng, 2, false) }
        }
        _ => access(rng),
    }
}

fn access(rng: &mut Rng) -> Stmt {
    let array = rng.pick(&[Array::Shared, Array::Given, Array::Given]);
    let write = rng.chance(70);
    let atomic = write && rng.chance(15);
    let rest_by = match rng.below(8) {
        0 | 1 => Some(Divisor::N),
        2 => Some(Divisor::BlockDim),
        3 => Some(Divisor::Constant(rng.pick(&[2, 3, 4]))),
        _ => None,
    };
    Stmt::Access { array, index: Index { sum: sum(rng), rest_by }, write, atomic }
}

fn sum(rng: &mut Rng) -> Sum {
    let mut sum = Sum { constant: rng.pick(&[0, 0, 0, 0, 1, 2]), ..Sum::default() };
    match rng.below(8) {
        0..=2 => sum.all = 1,
        3 | 4 => sum.tid = 1,
        5 => sum.bid = 1,
        6 => (sum.tid, sum.bid) = (1, rng.pick(&[1, 2, 3, 4])),
        _ => sum.all = 2,
    }
    if rng.chance(12) {
        sum.n = 1;
    }
    sum
}

fn bound(rng: &mut Rng) -> Sum {
    match rng.below(4) {
        0 => Sum { constant: rng.pick(&[1, 2, 3, 4]), ..Sum::default() },
        1 => Sum { constant: 1, n: 1, ..Sum::default() },
        _ => Sum { n: 1, ..Sum::default() },
    }
}
