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

/// Objects of more bytes are not kept whole until they are used: programs reserve buffers of megabytes and use the beginning.
const LARGE: usize = 4096;

/// Concrete bytes, plus cells for what no byte can hold (terms and pointers).
///
/// Of a large object what lies behind the last byte that was used is not kept: there all is as it was at first, `rest`, and zero
/// where that is concrete.
#[derive(Clone, Debug)]
pub struct Contents {
    size: usize,
    rest: Kind,
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
    fn all(size: usize, rest: Kind) -> Self {
        let kept = if size > LARGE { 0 } else { size };
        Contents { size, rest, bytes: vec![0; kept], kinds: vec![rest; kept], cells: BTreeMap::new() }
    }

    pub fn undefined(size: usize) -> Self {
        Contents::all(size, Kind::Undefined)
    }

    pub fn initial(size: usize) -> Self {
        Contents::all(size, Kind::Initial)
    }

    pub fn zero(size: usize) -> Self {
        Contents::all(size, Kind::Concrete)
    }

    pub fn concrete(bytes: Vec<u8>) -> Self {
        let kinds = vec![Kind::Concrete; bytes.len()];
        Contents { size: bytes.len(), rest: Kind::Undefined, bytes, kinds, cells: BTreeMap::new() }
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.size
    }

    pub fn is_empty(&self) -> bool {
        self.size == 0
    }

    /// So many bytes from the beginning tell all: those behind are alike, as [`Contents::tail`] is.
    pub fn told(&self) -> usize {
        if self.size <= LARGE {
            return self.size;
        }
        let is_told = |(&kind, &byte): (&Kind, &u8)| kind != self.rest || kind == Kind::Concrete && byte != 0;
        self.kinds.iter().zip(&self.bytes).rposition(is_told).map_or(0, |last| last + 1)
    }

    /// What each byte is that is not [told](Contents::told), if there are any.
    pub fn tail(&self) -> Option<Byte> {
        (self.told() < self.size).then(|| self.rest())
    }

    fn rest(&self) -> Byte {
        match self.rest {
            Kind::Concrete => Byte::Concrete(0),
            Kind::Initial => Byte::Initial,
            Kind::Undefined | Kind::Cell => Byte::Undefined,
        }
    }

    /// Keeps at least so many bytes.
    fn keep(&mut self, many: usize) {
        if many > self.kinds.len() {
            self.kinds.resize(many, self.rest);
            self.bytes.resize(many, 0);
        }
    }

    /// The byte at `offset`, which must be in bounds.
    pub fn byte(&self, offset: usize) -> Byte {
        assert!(offset < self.size, "byte {offset} of {}", self.size);
        let Some(&kind) = self.kinds.get(offset) else { return self.rest() };
        match kind {
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
        assert!(offset + size <= self.size, "{size} bytes at {offset} of {}", self.size);
        if offset + size > self.kinds.len() {
            return match self.rest {
                _ if offset < self.kinds.len() => Whole::Pieces,
                Kind::Concrete if size <= 8 => Whole::Concrete(0),
                Kind::Undefined => Whole::Undefined,
                _ => Whole::Pieces,
            };
        }
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
        if (offset, size) == (0, self.size) && size > LARGE && kind != Kind::Concrete {
            *self = Contents::all(size, kind);
            return;
        }
        self.keep(offset + size);
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
        let is_kept_so = self.rest == Kind::Initial || self.kinds.len() == self.size;
        is_kept_so && self.kinds.iter().all(|&k| k == Kind::Initial)
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
        let told = self.told();
        if told < self.size {
            mixer.word(self.rest as u64 | (self.size as u64) << 8);
        }
        for (&kind, &byte) in self.kinds.iter().zip(&self.bytes).take(told) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn print(contents: &Contents) -> Fingerprint {
        contents.fingerprint(7, |_, _| {})
    }

    #[test]
    fn what_is_not_kept_of_a_large_object_is_as_if_it_were() {
        for make in [Contents::undefined, Contents::initial, Contents::zero] {
            let mut large = make(LARGE * 4);
            let first = print(&large);
            assert_eq!((large.len(), large.told(), large.kinds.len()), (LARGE * 4, 0, 0));
            assert_eq!(large.byte(LARGE), large.rest());
            large.set_bytes(8, &[1, 2]);
            assert_eq!((large.told(), large.byte(9), large.byte(10)), (10, Byte::Concrete(2), large.rest()));
            assert_ne!(print(&large), first);
            // At the end of what is kept and behind it.
            assert_eq!(large.whole(8, 4), Whole::Pieces);
            assert_eq!(large.poke(LARGE * 4 - 1, 1, 5), None, "nobody has used that yet");
            large.set_bytes(LARGE * 4 - 1, &[5]);
            assert_eq!((large.told(), large.byte(LARGE * 4 - 1)), (LARGE * 4, Byte::Concrete(5)));
            assert_eq!(large.poke(LARGE * 4 - 1, 1, 6), Some(()));
        }
        assert_eq!(Contents::zero(LARGE * 2).whole(LARGE, 8), Whole::Concrete(0));
        assert_eq!(Contents::undefined(LARGE * 2).whole(LARGE, 8), Whole::Undefined);
        assert!(Contents::initial(LARGE * 2).untouched() && !Contents::zero(LARGE * 2).untouched());
    }

    #[test]
    fn equal_contents_have_one_fingerprint_whatever_was_used_before() {
        let (mut used, unused) = (Contents::zero(LARGE * 2), Contents::zero(LARGE * 2));
        used.set_bytes(LARGE, &[3]);
        assert_ne!(print(&used), print(&unused));
        used.set_bytes(LARGE, &[0]);
        assert_eq!(print(&used), print(&unused));
        assert_ne!(print(&unused), print(&Contents::undefined(LARGE * 2)));
        assert_ne!(print(&unused), print(&Contents::zero(LARGE * 3)));
    }
}
