//! The bytes of one object.

use crate::{Fingerprint, Mixer, Pointer, Value};
use std::collections::BTreeMap;
use std::hash::Hash;

/// What is known of one byte.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Byte {
    /// Indeterminate (C11 3.19.2).
    Undefined,
    Concrete(u8),
    /// Byte `index` of a cell of `size` bytes, counted from the least significant one.
    OfCell {
        value: Value,
        size: u8,
        index: u8,
    },
    /// Never written: what the initial heap holds there.
    Initial,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
enum Kind {
    Undefined,
    Concrete,
    Cell,
    Initial,
}

/// Concrete bytes, plus cells for what no byte can hold (terms and pointers).
#[derive(Clone, Debug)]
pub struct Contents {
    bytes: Vec<u8>,
    kinds: Vec<Kind>,
    /// By offset; cells never overlap and cover exactly the bytes of kind `Cell`.
    cells: BTreeMap<u32, (u8, Value)>,
}

/// A value that a range holds as one piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Whole {
    Concrete(u64),
    Cell(Value),
    Undefined,
    /// In several pieces, or touching initial bytes.
    Pieces,
}

impl Contents {
    pub fn undefined(size: usize) -> Self {
        Contents { bytes: vec![0; size], kinds: vec![Kind::Undefined; size], cells: BTreeMap::new() }
    }

    pub fn initial(size: usize) -> Self {
        Contents { bytes: vec![0; size], kinds: vec![Kind::Initial; size], cells: BTreeMap::new() }
    }

    pub fn concrete(bytes: Vec<u8>) -> Self {
        let kinds = vec![Kind::Concrete; bytes.len()];
        Contents { bytes, kinds, cells: BTreeMap::new() }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The byte at `offset`, which must be in bounds.
    pub fn byte(&self, offset: usize) -> Byte {
        match self.kinds[offset] {
            Kind::Undefined => Byte::Undefined,
            Kind::Concrete => Byte::Concrete(self.bytes[offset]),
            Kind::Initial => Byte::Initial,
            Kind::Cell => {
                let (start, (size, value)) = self.cell_covering(offset).expect("cells cover the bytes marked so");
                Byte::OfCell { value, size, index: (offset - start) as u8 }
            }
        }
    }

    fn cell_covering(&self, offset: usize) -> Option<(usize, (u8, Value))> {
        let (&start, &cell) = self.cells.range(..=offset as u32).next_back()?;
        (offset < start as usize + cell.0 as usize).then_some((start as usize, cell))
    }

    #[inline]
    pub(crate) fn whole(&self, offset: usize, size: usize) -> Whole {
        match size {
            1 => self.word::<1>(offset),
            2 => self.word::<2>(offset),
            4 => self.word::<4>(offset),
            8 => self.word::<8>(offset),
            _ => None,
        }
        .unwrap_or_else(|| self.whole_of(offset, size))
    }

    /// The usual case: a concrete integer of a machine's size.
    #[inline]
    fn word<const SIZE: usize>(&self, offset: usize) -> Option<Whole> {
        let kinds: &[Kind; SIZE] = self.kinds.get(offset..)?.first_chunk()?;
        let bytes: &[u8; SIZE] = self.bytes.get(offset..)?.first_chunk()?;
        if *kinds != [Kind::Concrete; SIZE] {
            return None;
        }
        let mut word = [0; 8];
        word[..SIZE].copy_from_slice(bytes);
        Some(Whole::Concrete(u64::from_le_bytes(word)))
    }

    /// Writes a word where only concrete and indeterminate bytes are; `None`, and nothing has changed, elsewhere.
    #[inline]
    pub(crate) fn poke(&mut self, offset: usize, size: usize, word: u64) -> Option<()> {
        match size {
            1 => self.set_word::<1>(offset, word),
            2 => self.set_word::<2>(offset, word),
            4 => self.set_word::<4>(offset, word),
            8 => self.set_word::<8>(offset, word),
            _ => None,
        }
    }

    #[inline]
    fn set_word<const SIZE: usize>(&mut self, offset: usize, word: u64) -> Option<()> {
        let kinds: &mut [Kind; SIZE] = self.kinds.get_mut(offset..)?.first_chunk_mut()?;
        if *kinds != [Kind::Concrete; SIZE] {
            if kinds.iter().any(|kind| matches!(kind, Kind::Cell | Kind::Initial)) {
                return None;
            }
            *kinds = [Kind::Concrete; SIZE];
        }
        let bytes: &mut [u8; SIZE] = self.bytes.get_mut(offset..)?.first_chunk_mut()?;
        bytes.copy_from_slice(&word.to_le_bytes()[..SIZE]);
        Some(())
    }

    fn whole_of(&self, offset: usize, size: usize) -> Whole {
        let kinds = &self.kinds[offset..offset + size];
        let first = kinds[0];
        if kinds.iter().any(|&k| k != first) {
            return Whole::Pieces;
        }
        match first {
            Kind::Concrete if size <= 8 => {
                let mut word = [0; 8];
                word[..size].copy_from_slice(&self.bytes[offset..offset + size]);
                Whole::Concrete(u64::from_le_bytes(word))
            }
            Kind::Cell => match self.cells.get(&(offset as u32)) {
                Some(&(cell_size, value)) if cell_size as usize == size => Whole::Cell(value),
                _ => Whole::Pieces,
            },
            Kind::Undefined => Whole::Undefined,
            Kind::Concrete | Kind::Initial => Whole::Pieces,
        }
    }

    /// The cells that a write to the range would cut: (offset, size, value), wholly covered ones excluded.
    pub(crate) fn cut_by(&self, offset: usize, size: usize) -> Vec<(usize, u8, Value)> {
        let end = offset + size;
        let cuts = |start: usize, cell: u8| start < end && start + cell as usize > offset;
        let inside = |start: usize, cell: u8| start >= offset && start + cell as usize <= end;
        let from = offset.saturating_sub(16) as u32;
        self.cells
            .range(from..end as u32)
            .map(|(&start, &(cell, value))| (start as usize, cell, value))
            .filter(|&(start, cell, _)| cuts(start, cell) && !inside(start, cell))
            .collect()
    }

    /// Overwrites the range; cells that reach into it must have been split before.
    fn clear(&mut self, offset: usize, size: usize, kind: Kind) {
        if self.kinds[offset..offset + size].contains(&Kind::Cell) {
            let inside: Vec<u32> =
                self.cells.range(offset as u32..(offset + size) as u32).map(|(&start, _)| start).collect();
            for start in inside {
                self.cells.remove(&start);
            }
        }
        self.kinds[offset..offset + size].fill(kind);
    }

    pub(crate) fn set_bytes(&mut self, offset: usize, bytes: &[u8]) {
        self.clear(offset, bytes.len(), Kind::Concrete);
        self.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
    }

    pub(crate) fn set_cell(&mut self, offset: usize, size: u8, value: Value) {
        self.clear(offset, size as usize, Kind::Cell);
        self.cells.insert(offset as u32, (size, value));
    }

    pub(crate) fn set_undefined(&mut self, offset: usize, size: usize) {
        self.clear(offset, size, Kind::Undefined);
    }

    pub(crate) fn set_initial(&mut self, offset: usize, size: usize) {
        self.clear(offset, size, Kind::Initial);
    }

    /// Whether every byte is still what the initial heap holds.
    pub fn untouched(&self) -> bool {
        self.kinds.iter().all(|&k| k == Kind::Initial)
    }

    /// Where pointers are held, in this order.
    pub fn pointers(&self) -> impl Iterator<Item = (u64, Pointer)> {
        self.cells.iter().filter_map(|(&offset, &(_, value))| match value {
            Value::Ptr(pointer) => Some((u64::from(offset), pointer)),
            _ => None,
        })
    }

    /// What is held as values.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Value> {
        self.cells.values().map(|&(_, value)| value)
    }

    /// Fingerprint of what the bytes hold; `identify` names values in a way that does not depend on numbering.
    pub(crate) fn fingerprint(&self, seed: u64, mut identify: impl FnMut(Value, &mut Mixer)) -> Fingerprint {
        let mut mixer = Mixer::default();
        mixer.word(seed);
        let mut run = (Kind::Undefined, 0u64);
        for (&kind, &byte) in self.kinds.iter().zip(&self.bytes) {
            if kind == Kind::Concrete {
                mixer.word(0x100 | u64::from(byte));
            }
            if kind == run.0 {
                run.1 += 1;
            } else {
                mixer.word(run.0 as u64 | run.1 << 8);
                run = (kind, 1);
            }
        }
        mixer.word(run.0 as u64 | run.1 << 8);
        for (&start, &(size, value)) in &self.cells {
            (start, size).hash(&mut mixer);
            identify(value, &mut mixer);
        }
        mixer.fingerprint()
    }
}
