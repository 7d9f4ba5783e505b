//! Dense sets of ids, one bit an id.

use crate::{BlockId, Reg};
use std::fmt;
use std::marker::PhantomData;

/// An id that indexes a dense table.
pub trait Entity: Copy {
    fn from_index(index: usize) -> Self;
    fn to_index(self) -> usize;
}

macro_rules! entity {
    ($($id:ty),*) => {
        $(impl Entity for $id {
            fn from_index(index: usize) -> Self {
                Self::new(index)
            }

            fn to_index(self) -> usize {
                self.index()
            }
        })*
    };
}
entity!(Reg, BlockId);

/// Registers of one function.
pub type RegSet = DenseSet<Reg>;
/// Blocks of one function.
pub type BlockSet = DenseSet<BlockId>;

/// A set of ids, as bits. Iterates in ascending order.
///
/// Invariant: the last word is not zero, so that equal sets have equal words.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct DenseSet<E> {
    words: Vec<u64>,
    of: PhantomData<E>,
}

impl<E> Default for DenseSet<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> DenseSet<E> {
    /// The empty set.
    pub const fn new() -> Self {
        Self { words: Vec::new(), of: PhantomData }
    }
}

impl<E: Entity> DenseSet<E> {
    /// Adds `id`; false if it was there.
    pub fn insert(&mut self, id: E) -> bool {
        let (word, bit) = (id.to_index() / 64, 1 << (id.to_index() % 64));
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        let new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        new
    }

    /// Takes `id` out; false if it was not there.
    pub fn remove(&mut self, id: E) -> bool {
        let (word, bit) = (id.to_index() / 64, 1 << (id.to_index() % 64));
        let Some(found) = self.words.get_mut(word).filter(|w| **w & bit != 0) else { return false };
        *found &= !bit;
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
        true
    }

    pub fn contains(&self, id: E) -> bool {
        self.words.get(id.to_index() / 64).is_some_and(|w| w & (1 << (id.to_index() % 64)) != 0)
    }

    /// Adds all of `other`; true if that changed anything.
    pub fn union_with(&mut self, other: &Self) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            changed |= *theirs & !*mine != 0;
            *mine |= *theirs;
        }
        changed
    }

    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = E> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            std::iter::successors((word != 0).then_some(word), |w| Some(w & (w - 1)).filter(|w| *w != 0))
                .map(move |w| E::from_index(i * 64 + w.trailing_zeros() as usize))
        })
    }
}

impl<E: Entity> Extend<E> for DenseSet<E> {
    fn extend<I: IntoIterator<Item = E>>(&mut self, ids: I) {
        for id in ids {
            self.insert(id);
        }
    }
}

impl<E: Entity> FromIterator<E> for DenseSet<E> {
    fn from_iter<I: IntoIterator<Item = E>>(ids: I) -> Self {
        let mut set = Self::default();
        set.extend(ids);
        set
    }
}

impl<E: Entity + fmt::Debug> fmt::Debug for DenseSet<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn behaves_like_an_ordered_set() {
        let mut set = RegSet::default();
        for i in [130, 0, 63, 64, 0] {
            set.insert(Reg::new(i));
        }
        assert_eq!(format!("{set:?}"), "{%0, %63, %64, %130}");
        assert_eq!(set.len(), 4);
        assert!(!set.insert(Reg::new(64)));
        assert!(set.remove(Reg::new(130)) && !set.remove(Reg::new(130)));
        assert_eq!(set, [0, 63, 64].into_iter().map(Reg::new).collect());
        assert!(!set.contains(Reg::new(1000)) && !set.contains(Reg::new(1)) && set.contains(Reg::new(63)));
    }

    #[test]
    fn union_tells_of_change() {
        let mut set: RegSet = [1].into_iter().map(Reg::new).collect();
        let other: RegSet = [1, 70].into_iter().map(Reg::new).collect();
        assert!(set.union_with(&other));
        assert!(!set.union_with(&other));
        assert_eq!(set, other);
    }
}
