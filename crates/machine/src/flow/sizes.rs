//! How large a launch is, as flows have it: numbers, or symbols that all threads share, for all launches up to a largest.

use super::OWN;
use crate::Launch;
use smt::{TermId, Terms};

/// What the dimensions are called in CUDA, blocks' first.
pub const SIZES: [&str; 6] = ["blockDim.x", "blockDim.y", "blockDim.z", "gridDim.x", "gridDim.y", "gridDim.z"];
const PLACES: [&str; 6] = ["threadIdx.x", "threadIdx.y", "threadIdx.z", "blockIdx.x", "blockIdx.y", "blockIdx.z"];

/// `blockDim` and `gridDim`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sizes {
    all: [TermId; 6],
    /// The largest.
    most: [u32; 6],
    /// Which launches they are the sizes of.
    within: Vec<TermId>,
    are_symbols: bool,
}

impl Sizes {
    /// Of one launch.
    pub fn of(terms: &mut Terms, launch: &Launch) -> Self {
        let most = most_of(launch);
        Sizes { all: most.map(|size| terms.bv(32, u128::from(size))), most, within: Vec::new(), are_symbols: false }
    }

    /// Of each launch that is in no dimension larger than `most`, and has no more threads in a block than `in_block`.
    pub fn up_to(terms: &mut Terms, launch: &Launch, in_block: u64) -> Self {
        let most = most_of(launch);
        let mut within = Vec::new();
        let mut all = most.map(|_| terms.bv(32, 1));
        for (index, &most) in most.iter().enumerate().filter(|(_, most)| **most > 1) {
            let size = small(terms, SIZES[index], most);
            let (least, most) = (terms.bv(32, 1), terms.bv(32, u128::from(most)));
            within.extend([terms.ule(least, size), terms.ule(size, most)]);
            all[index] = size;
        }
        let [x, y, z, ..] = all;
        let rows = terms.mul(y, z);
        let threads = terms.mul(x, rows);
        let in_block = terms.bv(32, u128::from(in_block));
        within.push(terms.ule(threads, in_block));
        Sizes { all, most, within, are_symbols: true }
    }

    /// 32 bits each, blocks' first.
    pub fn all(&self) -> &[TermId; 6] {
        &self.all
    }

    pub fn block(&self) -> [TermId; 3] {
        [self.all[0], self.all[1], self.all[2]]
    }

    pub fn most(&self) -> &[u32; 6] {
        &self.most
    }

    /// What holds of them.
    pub fn within(&self) -> &[TermId] {
        &self.within
    }

    pub fn are_symbols(&self) -> bool {
        self.are_symbols
    }

    /// Where a thread is (32 bits each), without what bounds that.
    pub(super) fn position(&self, terms: &mut Terms) -> [TermId; 6] {
        let mut position = [terms.bv(32, 0); 6];
        for (index, &size) in self.most.iter().enumerate().filter(|(_, size)| **size > 1) {
            let name = format!("{OWN}{}", PLACES[index]);
            position[index] = if self.are_symbols { small(terms, &name, size - 1) } else { terms.var(&name, 32) };
        }
        position
    }
}

fn most_of(launch: &Launch) -> [u32; 6] {
    let ([x, y, z], [i, j, k]) = (launch.block, launch.grid);
    [x, y, z, i, j, k]
}

/// A symbol (32 bits) of no more bits than `most` takes: that products of such do not wrap around shows in the terms.
fn small(terms: &mut Terms, name: &str, most: u32) -> TermId {
    let bits = (u32::BITS - most.leading_zeros()).max(1);
    let symbol = terms.var(name, bits);
    terms.zext(symbol, 32)
}
