//! Random kernels, small enough for all interleavings.

use super::ast::{Cell, Condition, Heap, Kernel, Scope, Space, Stmt, What, Which};
use crate::rng::Rng;

/// A kernel of this name.
pub fn generate(seed: u64, name: &str) -> Kernel {
    let mut rng = Rng::new(seed);
    let (blocks, threads) = rng.pick(&[(1, 2), (1, 3), (1, 4), (2, 1), (2, 2), (2, 2)]);
    let warp = rng.pick(&[2, 4]);
    // Fewer statements where more threads take turns.
    let most = if blocks * threads > 3 { 3 } else { 5 };
    let length = 2 + rng.below(most - 1);
    let heap = (rng.below(3) == 0).then(|| rng.pick(&[Heap::Any, Heap::Zero, Heap::Apart, Heap::Same]));
    let body = statements(&mut rng, length, 2, (blocks, heap));
    let lockstep = rng.below(3) == 0;
    Kernel { name: name.to_owned(), body, blocks, threads, warp, lockstep, heap }
}

/// How many blocks there are, and what the parameter leads to.
type Given = (u32, Option<Heap>);

fn statements(rng: &mut Rng, length: usize, depth: u32, given: Given) -> Vec<Stmt> {
    (0..length).map(|_| Stmt { line: 0, what: what(rng, depth, given) }).collect()
}

fn what(rng: &mut Rng, depth: u32, given: Given) -> What {
    let (blocks, heap) = given;
    match rng.below(if depth > 0 { 20 } else { 15 }) {
        0..=2 => What::Read(cell(rng, heap)),
        3..=5 => What::Write(cell(rng, heap), 1 + rng.below(2) as u32),
        6..=8 => What::Add(cell(rng, heap), rng.below(2) as u32, scope(rng)),
        9..=10 => What::Fence(scope(rng)),
        11..=12 => What::Barrier,
        13 => What::SyncWarp,
        14 => What::Shuffle,
        _ => {
            let condition = match rng.below(4) {
                0 if blocks > 1 => Condition::Block(rng.below(2) as u32),
                // What a cell of any heap holds is not known.
                1 if heap != Some(Heap::Any) => Condition::Read,
                _ => Condition::Thread(rng.below(2) as u32),
            };
            let (then, otherwise) = (1 + rng.below(2), rng.below(2));
            What::If(condition, statements(rng, then, depth - 1, given), statements(rng, otherwise, depth - 1, given))
        }
    }
}

fn cell(rng: &mut Rng, heap: Option<Heap>) -> Cell {
    let space = match heap {
        Some(_) if rng.below(3) > 0 => rng.pick(&[Space::First, Space::Last]),
        _ => rng.pick(&[Space::Shared, Space::Global]),
    };
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
