//! Writing and reading many prefixes.
//!
//! A search that is not over has as many as there are ways left, and most of each is that of others too: a chunk that was
//! written before is a number. Who writes prefixes outside of [`together`] writes each whole; both read alike.

use crate::run::prefix::{Chunk, Prefix};
use rustc_hash::FxHashMap;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::RefCell;
use std::sync::Arc;

/// A chunk, or the number of one that came before.
#[derive(Serialize, Deserialize)]
enum Piece {
    New(Chunk),
    Known(u32),
}

#[derive(Default)]
struct Table {
    /// By address. The chunks live as long as what is being written.
    numbers: FxHashMap<usize, u32>,
    chunks: Vec<Chunk>,
}

thread_local! {
    static TABLE: RefCell<Option<Table>> = const { RefCell::new(None) };
}

/// Does something with a table of its own.
fn with_table<T>(what: impl FnOnce() -> T) -> T {
    /// Brings back the table from before, come what may.
    struct Before(Option<Table>);
    impl Drop for Before {
        fn drop(&mut self) {
            TABLE.set(self.0.take());
        }
    }
    let _before = Before(TABLE.replace(Some(Table::default())));
    what()
}

/// A field whose prefixes are written together.
pub(crate) mod together {
    use super::{Deserialize, Deserializer, Serialize, Serializer, with_table};

    pub(crate) fn serialize<S: Serializer>(field: &impl Serialize, to: S) -> Result<S::Ok, S::Error> {
        with_table(|| field.serialize(to))
    }

    pub(crate) fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        with_table(|| T::deserialize(from))
    }
}

impl Serialize for Prefix {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let piece = |chunk: &Chunk| {
            TABLE.with_borrow_mut(|table| {
                let Some(table) = table else { return Piece::New(Arc::clone(chunk)) };
                let next = u32::try_from(table.numbers.len()).unwrap_or(u32::MAX);
                let number = *table.numbers.entry(chunk.as_ptr().addr()).or_insert(next);
                if number == next { Piece::New(Arc::clone(chunk)) } else { Piece::Known(number) }
            })
        };
        let whole: Vec<Piece> = self.whole.iter().map(piece).collect();
        (whole, &self.rest).serialize(to)
    }
}

impl<'de> Deserialize<'de> for Prefix {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let (pieces, rest): (Vec<Piece>, Box<[u8]>) = Deserialize::deserialize(from)?;
        let chunk = |piece: Piece| {
            TABLE.with_borrow_mut(|table| match (piece, table) {
                (Piece::New(chunk), None) => Some(chunk),
                (Piece::New(chunk), Some(table)) => {
                    table.chunks.push(Arc::clone(&chunk));
                    Some(chunk)
                }
                (Piece::Known(number), Some(table)) => table.chunks.get(number as usize).cloned(),
                (Piece::Known(_), None) => None,
            })
        };
        let whole: Option<Arc<[Chunk]>> = pieces.into_iter().map(chunk).collect();
        Ok(Prefix { whole: whole.ok_or_else(|| D::Error::custom("a chunk that did not come before"))?, rest })
    }
}

#[cfg(test)]
mod tests {
    use super::together;
    use crate::run::prefix::{Prefix, PrefixStep, Prefixes};
    use concurrency::ThreadId;
    use machine::{History, Step};
    use serde::{Deserialize, Serialize};

    #[derive(Serialize, Deserialize)]
    struct Together(#[serde(with = "together")] Vec<Prefix>);

    /// At each of many steps, the ways that `threads` threads go from there.
    fn ways(depth: usize, threads: usize) -> (Vec<Vec<usize>>, Vec<History>) {
        let (mut turns, mut traces) = (Vec::new(), Vec::new());
        let (mut way, mut trace) = (Vec::new(), History::default());
        for step in 0..depth {
            for thread in 0..threads {
                turns.push([&way[..], &[thread]].concat());
                traces.push(trace.then(Step::Schedule(ThreadId::new(thread))));
            }
            way.push(step % threads);
            trace = trace.then(Step::Schedule(ThreadId::new(step % threads)));
        }
        (turns, traces)
    }

    #[test]
    fn what_is_shared_reads_like_what_is_not() {
        let (turns, traces) = ways(1100, 3);
        let mut prefixes = Prefixes::default();
        let shared: Vec<Prefix> = traces.iter().map(|trace| prefixes.of_history(trace)).collect();
        let alone: Vec<Prefix> = traces.iter().map(|trace| Prefixes::default().of_history(trace)).collect();
        assert_eq!(shared, alone);
        for (prefix, turns) in shared.iter().zip(&turns) {
            let wanted: Vec<PrefixStep> =
                turns.iter().map(|&thread| PrefixStep::Schedule(ThreadId::new(thread))).collect();
            assert_eq!(prefix.turns().expect("whole turns"), wanted);
        }
    }

    #[test]
    fn what_was_written_together_comes_back_and_takes_little_room() {
        let (_, traces) = ways(1100, 3);
        let mut prefixes = Prefixes::default();
        let all: Vec<Prefix> = traces.iter().map(|trace| prefixes.of_history(trace)).collect();
        let apart = postcard::to_allocvec(&all).expect("written");
        let together = postcard::to_allocvec(&Together(all.clone())).expect("written");
        assert!(together.len() * 3 < apart.len(), "{} of {}", together.len(), apart.len());
        assert_eq!(postcard::from_bytes::<Vec<Prefix>>(&apart).expect("read"), all);
        assert_eq!(postcard::from_bytes::<Together>(&together).expect("read").0, all);
        // Numbers without a table are damage, no panic.
        assert!(postcard::from_bytes::<Vec<Prefix>>(&together).is_err());
    }
}
