//! Small launches by which candidates are told apart before anybody asks a solver: which of two may be the weaker.

use super::quantity::{Quantities, Values};
use machine::Launch;
use rustc_hash::FxBuildHasher;
use std::collections::BTreeSet;
use std::hash::BuildHasher;

const MOST_SAMPLES: usize = 40_000;
const LEAST_NUMBERS: usize = 6;

/// Which samples something holds in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Set(Vec<u64>);

impl Set {
    pub(super) fn of(samples: &[Values], holds: impl Fn(&Values) -> bool) -> Self {
        let word = |chunk: &[Values]| {
            chunk.iter().enumerate().fold(0, |word, (bit, sample)| word | u64::from(holds(sample)) << bit)
        };
        Set(samples.chunks(64).map(word).collect())
    }

    pub(super) fn and(&self, other: &Set) -> Set {
        Set(self.0.iter().zip(&other.0).map(|(x, y)| x & y).collect())
    }

    pub(super) fn hash(&self) -> u64 {
        FxBuildHasher.hash_one(&self.0)
    }

    pub(super) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(super) fn has_common(&self, other: &Set) -> bool {
        self.0.iter().zip(&other.0).any(|(x, y)| x & y != 0)
    }
}

/// Launches up to the largest, with numbers near 0 and near constants of the code.
pub(super) fn samples(quantities: &Quantities, most: &Launch) -> Vec<Values> {
    let near: BTreeSet<i128> =
        quantities.constants.iter().flat_map(|&of| [i128::from(of) - 1, i128::from(of), i128::from(of) + 1]).collect();
    let within = |some: &[i128], more: &BTreeSet<i128>, least: i128, most: i128| -> Vec<i128> {
        let all: Vec<i128> = some.iter().chain(more).copied().filter(|value| (least..=most).contains(value)).collect();
        let mut seen = BTreeSet::new();
        all.into_iter().filter(|value| seen.insert(*value)).collect()
    };
    let axis = |most: u32, some: &[i128]| within(some, &near, 1, i128::from(most));
    let sizes: Vec<Vec<i128>> = (0..6)
        .map(|index| match index {
            0 => axis(most.block[0], &[1, 2, 3, 4, 5, 8, 64]),
            1 | 2 => within(&[1, 2, 3], &BTreeSet::new(), 1, i128::from(most.block[index])),
            _ => within(&[1, 2, 3, 4], &BTreeSet::new(), 1, i128::from(most.grid[index - 3])),
        })
        .collect();
    let launches: usize = sizes.iter().map(Vec::len).product();
    let ranges = quantities.ranges();
    let mut each = 64;
    while each > LEAST_NUMBERS && launches.saturating_mul(usize::pow(each, ranges.len() as u32)) > MOST_SAMPLES {
        each -= 1;
    }
    let small = [0, 1, 2, 3, 4, 6, 5, 7, 8, 9, -1, 12, 10, 16, 15, 20, 24, 33, 64, -2, 100];
    let numbers = ranges.iter().map(|&(least, most)| {
        let mut all = within(&small, &near, least, most);
        all.truncate(each);
        all
    });
    let mut all: Vec<Vec<i128>> = vec![Vec::new()];
    for axis in sizes.into_iter().chain(numbers) {
        let longer = |known: &Vec<i128>| {
            let known = known.clone();
            axis.iter().map(move |&value| [known.as_slice(), &[value]].concat()).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(longer).collect();
        all.truncate(MOST_SAMPLES);
    }
    let values = |all: Vec<i128>| {
        let mut sizes = [1; 6];
        sizes.copy_from_slice(&all[..6]);
        Values { sizes, numbers: all[6..].to_vec() }
    };
    all.into_iter().map(values).collect()
}
