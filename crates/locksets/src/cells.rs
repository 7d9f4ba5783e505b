//! What memory holds of addresses: for each object, by offset.

use std::collections::BTreeMap;

/// An object of the program's, for all that it stands for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct ObjectId(pub u32);

/// An offset that is not known.
pub(crate) const ANY: i64 = i64::MIN;

/// The largest offset that is told apart.
const FARTHEST: i64 = 1 << 20;

/// Offsets into one object that a set tells apart.
const MOST_OFFSETS: usize = 24;

/// Where a pointer may lead.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Target {
    pub object: ObjectId,
    /// In bytes, or [`ANY`].
    pub offset: i64,
}

impl Target {
    pub(crate) fn moved(self, by: i64) -> Target {
        if self.offset == ANY || by == ANY {
            return Target { offset: ANY, ..self };
        }
        let offset = self.offset.saturating_add(by);
        let is_near = (-FARTHEST..=FARTHEST).contains(&offset);
        Target { offset: if is_near { offset } else { ANY }, ..self }
    }
}

/// A set of targets, in order; of an object at any offset no other is kept.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct Targets(Vec<Target>);

impl Targets {
    pub(crate) fn one(target: Target) -> Targets {
        Targets(vec![target])
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Target> + '_ {
        self.0.iter().copied()
    }

    /// The target, if there is no other.
    pub(crate) fn only(&self) -> Option<Target> {
        match *self.0 {
            [only] => Some(only),
            _ => None,
        }
    }

    /// True if it was not there.
    pub(crate) fn insert(&mut self, target: Target) -> bool {
        let any = Target { offset: ANY, ..target };
        if self.0.binary_search(&any).is_ok() {
            return false;
        }
        let Err(at) = self.0.binary_search(&target) else { return false };
        let of_object = self.0.iter().filter(|known| known.object == target.object).count();
        if target.offset == ANY || of_object >= MOST_OFFSETS {
            self.0.retain(|known| known.object != target.object);
            let at = self.0.partition_point(|known| *known < any);
            self.0.insert(at, any);
            return true;
        }
        self.0.insert(at, target);
        true
    }

    /// True if something was not there.
    pub(crate) fn extend(&mut self, others: impl IntoIterator<Item = Target>) -> bool {
        others.into_iter().fold(false, |new, target| self.insert(target) | new)
    }

    pub(crate) fn moved(&self, by: i64) -> Targets {
        let mut moved = Targets::default();
        moved.extend(self.iter().map(|target| target.moved(by)));
        moved
    }
}

/// The addresses in one object.
#[derive(Clone, Default, Debug)]
pub(crate) struct Cells {
    at: BTreeMap<i64, Targets>,
    /// At offsets that are not known.
    anywhere: Targets,
}

impl Cells {
    /// What `size` bytes there become; an address of which a part is overwritten is another one of its object. True if something was not
    /// there.
    pub(crate) fn store(&mut self, offset: i64, values: &Targets, size: u64, pointer: u64) -> bool {
        let mut changed = false;
        if size != pointer {
            changed |= self.widen(offset, size, pointer);
        } else if offset != ANY {
            let near = offset.saturating_sub(pointer as i64 - 1)..offset.saturating_add(pointer as i64);
            for (_, cell) in self.at.range_mut(near).filter(|(at, _)| **at != offset) {
                changed |= cell.extend(cell.moved(ANY).iter().collect::<Vec<_>>());
            }
        }
        if values.is_empty() {
            return changed;
        }
        if size == pointer || offset == ANY {
            let cell = if offset == ANY { &mut self.anywhere } else { self.at.entry(offset).or_default() };
            let values = if size == pointer { values.clone() } else { values.moved(ANY) };
            return cell.extend(values.iter()) | changed;
        }
        // More than one address, or a part of one.
        let end = offset.saturating_add(i64::try_from(size.min(FARTHEST as u64)).unwrap_or(FARTHEST));
        for at in (offset..end.max(offset + 1)).step_by(pointer as usize) {
            changed |= self.at.entry(at).or_default().extend(values.moved(ANY).iter());
        }
        changed
    }

    /// Addresses of which some of these bytes are a part are others of their objects. True if they were not.
    pub(crate) fn widen(&mut self, offset: i64, size: u64, pointer: u64) -> bool {
        let size = i64::try_from(size).unwrap_or(FARTHEST);
        let (from, to) = match offset {
            ANY => (i64::MIN, i64::MAX),
            offset => (offset.saturating_sub(pointer as i64 - 1), offset.saturating_add(size.max(1))),
        };
        let mut changed = false;
        for (_, cell) in self.at.range_mut(from..to) {
            changed |= cell.extend(cell.moved(ANY).iter().collect::<Vec<_>>());
        }
        changed | self.anywhere.extend(self.anywhere.moved(ANY).iter().collect::<Vec<_>>())
    }

    /// What `size` bytes there may be of addresses of `pointer` bytes: parts of one are as good as all of it.
    pub(crate) fn load(&self, offset: i64, size: u64, pointer: u64) -> Targets {
        let as_read = |cell: &Targets| if size == pointer { cell.clone() } else { cell.moved(ANY) };
        let mut found = as_read(&self.anywhere);
        if offset == ANY {
            self.at.values().for_each(|cell| {
                found.extend(as_read(cell).iter());
            });
            return found;
        }
        let bytes = i64::try_from(size).unwrap_or(FARTHEST);
        let from = offset.saturating_sub(pointer as i64 - 1);
        for (&at, cell) in self.at.range(from..offset.saturating_add(bytes.max(1))) {
            let is_whole = at == offset && size == pointer;
            found.extend(cell.iter().map(|target| if is_whole { target } else { target.moved(ANY) }));
        }
        found
    }

    /// All addresses, with where they are.
    pub(crate) fn all(&self) -> impl Iterator<Item = (i64, &Targets)> {
        self.at.iter().map(|(at, cell)| (*at, cell)).chain(std::iter::once((ANY, &self.anywhere)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(object: u32, offset: i64) -> Target {
        Target { object: ObjectId(object), offset }
    }

    #[test]
    fn any_offset_stands_for_all() {
        let mut set = Targets::default();
        assert!(set.insert(target(1, 8)) && set.insert(target(2, 0)) && !set.insert(target(1, 8)));
        assert!(set.insert(target(1, ANY)) && !set.insert(target(1, 16)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [target(1, ANY), target(2, 0)]);
    }

    #[test]
    fn many_offsets_become_any() {
        let mut set = Targets::default();
        (0..100).for_each(|at| {
            set.insert(target(1, at));
        });
        assert_eq!(set.only(), Some(target(1, ANY)));
    }

    #[test]
    fn parts_of_addresses_are_found() {
        let mut cells = Cells::default();
        cells.store(8, &Targets::one(target(3, 4)), 8, 8);
        assert_eq!(cells.load(8, 8, 8).only(), Some(target(3, 4)));
        assert_eq!(cells.load(11, 1, 8).only(), Some(target(3, ANY)));
        assert_eq!(cells.load(4, 8, 8).only(), Some(target(3, ANY)));
        assert!(cells.load(16, 8, 8).is_empty() && cells.load(0, 8, 8).is_empty());
        assert_eq!(cells.load(ANY, 8, 8).only(), Some(target(3, 4)));
        cells.store(9, &Targets::default(), 1, 8);
        assert_eq!(cells.load(8, 8, 8).only(), Some(target(3, ANY)));
        cells.store(32, &Targets::one(target(5, 0)), 16, 8);
        assert_eq!(cells.load(40, 8, 8).only(), Some(target(5, ANY)));
    }
}
