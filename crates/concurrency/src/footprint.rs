//! What a critical section accesses.

use crate::{AccessKind, Range};
use serde::{Deserialize, Serialize};

/// The bytes that were read and written, each once, in the order of [`Range`].
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Footprint {
    reads: Vec<Range>,
    writes: Vec<Range>,
}

impl Footprint {
    pub fn new(accesses: impl IntoIterator<Item = (Range, AccessKind)>) -> Self {
        let mut footprint = Footprint::default();
        for (range, kind) in accesses {
            let ranges = if kind.writes() { &mut footprint.writes } else { &mut footprint.reads };
            ranges.push(range);
        }
        for ranges in [&mut footprint.reads, &mut footprint.writes] {
            ranges.sort_unstable();
            ranges.dedup();
        }
        footprint
    }

    /// What was accessed, and whether it was written.
    pub fn ranges(&self) -> impl Iterator<Item = (&Range, bool)> {
        self.reads.iter().map(|range| (range, false)).chain(self.writes.iter().map(|range| (range, true)))
    }

    /// Whether one writes what the other accesses.
    pub fn conflicts(&self, other: &Footprint) -> bool {
        overlap(&self.writes, &other.writes)
            || overlap(&self.writes, &other.reads)
            || overlap(&self.reads, &other.writes)
    }
}

fn overlap(ones: &[Range], others: &[Range]) -> bool {
    ones.iter().any(|one| others.iter().any(|other| one.overlaps(other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use memory::ObjId;

    fn footprint(accesses: &[(usize, u64, u64, AccessKind)]) -> Footprint {
        let range = |&(object, offset, size, kind)| (Range { object: ObjId::new(object), offset, size }, kind);
        Footprint::new(accesses.iter().map(range))
    }

    #[test]
    fn one_must_write_what_the_other_accesses() {
        let reads = footprint(&[(0, 0, 8, AccessKind::Read), (1, 0, 4, AccessKind::Read)]);
        let writes = footprint(&[(0, 4, 1, AccessKind::Write)]);
        assert!(!reads.conflicts(&reads), "two that read");
        assert!(reads.conflicts(&writes) && writes.conflicts(&reads), "a byte in the middle");
        assert!(writes.conflicts(&writes));
        assert!(!writes.conflicts(&footprint(&[(0, 5, 3, AccessKind::Write), (1, 4, 1, AccessKind::Write)])));
        assert!(footprint(&[(1, 0, 8, AccessKind::Free)]).conflicts(&reads), "freeing writes everything");
        assert!(!Footprint::default().conflicts(&writes));
    }

    #[test]
    fn order_and_repetition_do_not_matter() {
        let (a, b) = ((0, 0, 8, AccessKind::Read), (1, 0, 4, AccessKind::Write));
        assert_eq!(footprint(&[a, b, a]), footprint(&[b, a]));
    }
}
