//! Random kernels, small enough for all interleavings.

use super::ast::{Cell, Condition, Kernel, Scope, Space, Stmt, What, Which};
use crate::rng::Rng;

/// A kernel of this name.
pub fn generate(seed: u64, name: &str) -> Kernel {
    let mut rng = Rng::new(seed);
    let (blocks, threads) = rng.pick(&[(1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 2)]);
    let warp = rng.pick(&[2, 4]);
    // Fewer statements where more threads take turns.
    let most = if blocks * threads > 3 { 3 } else { 5 };
    let length = 2 + rng.below(most - 1);
    let body = statements(&mut rng, length, 2, blocks);
    let lockstep = rng.below(3) == 0;
    Kernel { name: name.to_owned(), body, blocks, threads, warp, lockstep }
}

fn statements(rng: &mut Rng, length: usize, depth: u32, blocks: u32) -> Vec<Stmt> {
    (0..length).map(|_| Stmt { line: 0, what: what(rng, depth, blocks) }).collect()
}

fn what(rng: &mut Rng, depth: u32, blocks: u32) -> What {
    match rng.below(if depth > 0 { 20 } else { 15 }) {
        0..=2 => What::Read(cell(rng)),
        3..=5 => What::Write(cell(rng), 1 + rng.below(2) as u32),
        6..=8 => What::Add(cell(rng), rng.below(2) as u32, scope(rng)),
        9..=10 => What::Fence(scope(rng)),
        11..=12 => What::Barrier,
        13 => What::SyncWarp,
        14 => What::Shuffle,
        _ => {
            let condition = match rng.below(4) {
                0 if blocks > 1 => Condition::Block(rng.below(2) as u32),
                1 => Condition::Read,
                _ => Condition::Thread(rng.below(2) as u32),
            };
            let (then, otherwise) = (1 + rng.below(2), rng.below(2));
            What::If(condition, statements(rng, then, depth - 1, blocks), statements(rng, otherwise, depth - 1, blocks))
        }
    }
}

fn cell(rng: &mut Rng) -> Cell {
    let space = if rng.below(2) == 0 { Space::Shared } else { Space::Global };
    let which = match rng.below(4) {
        0 => Which::Own,
        1 => Which::Next,
        _ => Which::Constant(0),
    };
    Cell { space, which }
}

fn scope(rng: &mut Rng) -> Scope {
    if rng.below(3) == 0 { Scope::Block } else { Scope::Device }
}
