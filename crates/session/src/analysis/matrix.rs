//! What is explored together: the entries of the matrix, in their order.

use crate::errors::UsageError;
use explore::{Operation, Sequence};
use std::sync::Arc;

/// More entries than these are refused where more is asked for than pairs of operations, whose number nobody can help.
const MOST_ENTRIES: u64 = 10_000;

/// Pairs of operations from which on even their table takes gigabytes.
const MOST_PAIRS: u64 = 2_000_000;

/// Operations that are explored where none is named: of a larger library, the first of them. All their pairs have a table
/// that fits in memory and in a report.
const MOST_OPERATIONS: usize = 1_000;

/// Bytes that an entry takes while it is searched, and then in the report.
const ENTRY: u64 = 220;
const REPORTED: u64 = 280;

/// How many operations are explored where none is named, with so much memory: the table of their pairs gets half of it.
pub(super) fn most_operations(max_memory: Option<u64>) -> usize {
    let pairs = max_memory.map_or(u64::MAX, |bytes| bytes / 2 / (ENTRY + REPORTED));
    MOST_OPERATIONS.min((pairs.saturating_mul(2)).isqrt() as usize).max(1)
}

/// What the report on so many entries will take.
pub(super) fn reported(entries: usize) -> u64 {
    entries as u64 * REPORTED
}

/// Combinations of sequences of calls, which they share.
pub(super) struct Combinations {
    pub sequences: Arc<[Sequence]>,
    /// What each thread calls, by index, ascending.
    pub chosen: Vec<Box<[u32]>>,
}

/// Every combination of what so many threads may call, each making up to `calls` calls: multisets of sequences. Those with
/// fewer calls come first, so that a search that is cut short has done those; otherwise they are in the order of the
/// operations. Shorter sequences are not covered by longer ones: a heap on which the further calls fail is left out there.
///
/// # Errors
/// When there are too many.
pub(super) fn combinations(operations: &[Operation], threads: u32, calls: u32) -> Result<Combinations, UsageError> {
    let count = count(operations.len() as u64, threads, calls);
    let most = if (threads, calls) == (2, 1) { MOST_PAIRS } else { MOST_ENTRIES };
    if count.is_none_or(|count| count > most) {
        return Err(too_many(operations.len(), threads, calls, count));
    }
    let sequences: Vec<Sequence> = (1..=calls as usize).flat_map(|length| Sequence::all(operations, length)).collect();
    let mut chosen = Vec::new();
    choose(sequences.len(), threads as usize, 0, &mut Vec::new(), &mut chosen);
    chosen.sort_by_key(|indices| indices.iter().map(|&index| sequences[index].length()).sum::<usize>());
    let narrow = |indices: Vec<usize>| indices.into_iter().map(|index| index as u32).collect();
    Ok(Combinations { sequences: sequences.into(), chosen: chosen.into_iter().map(narrow).collect() })
}

/// All ascending lists of so many indices below `all`, none of them below `least`, behind those that are `taken`.
fn choose(all: usize, many: usize, least: usize, taken: &mut Vec<usize>, chosen: &mut Vec<Vec<usize>>) {
    if taken.len() == many {
        chosen.push(taken.clone());
        return;
    }
    for index in least..all {
        taken.push(index);
        choose(all, many, index, taken, chosen);
        taken.pop();
    }
}

/// Sequences from which on nobody needs to know the number of combinations.
const UNCOUNTED: u64 = 10_000_000;

/// How many combinations there are; `None`: more than a million million.
fn count(operations: u64, threads: u32, calls: u32) -> Option<u64> {
    let mut sequences: u64 = 0;
    let mut of_length: u64 = 1;
    for _ in 0..calls {
        of_length = of_length.checked_mul(operations)?;
        sequences = sequences.checked_add(of_length).filter(|&sequences| sequences < UNCOUNTED)?;
    }
    // Multisets: (s + t - 1 over t).
    let mut count: u64 = 1;
    for k in 1..=u64::from(threads) {
        count = count.checked_mul(sequences.checked_add(k - 1)?)? / k;
    }
    Some(count)
}

fn too_many(operations: usize, threads: u32, calls: u32, count: Option<u64>) -> UsageError {
    let count = count.map_or_else(|| "more than a million million".to_owned(), |count| count.to_string());
    let each = if calls == 1 { String::new() } else { format!(" with up to {calls} calls each") };
    let most = if (threads, calls) == (2, 1) { MOST_PAIRS } else { MOST_ENTRIES };
    let message = format!(
        "{operations} operations in {threads} threads{each} have {count} combinations, and no more than {most} are \
         explored; name fewer operations with --op, or lower --threads or --calls"
    );
    UsageError::new("too_many_combinations", message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::FuncId;

    fn names(operations: &str, threads: u32, calls: u32) -> Result<Vec<String>, UsageError> {
        let operation = |name: &str| Operation::new(FuncId::new(0), name);
        let operations: Vec<Operation> = operations.split_whitespace().map(operation).collect();
        let Combinations { sequences, chosen } = combinations(&operations, threads, calls)?;
        assert_eq!(count(operations.len() as u64, threads, calls), Some(chosen.len() as u64));
        let entry = |indices: &[u32]| -> Vec<Sequence> {
            indices.iter().map(|&index| sequences[index as usize].clone()).collect()
        };
        Ok(chosen.iter().map(|indices| explore::in_words(&entry(indices))).collect())
    }

    #[test]
    fn each_multiset_comes_once_and_short_ones_first() {
        let of = |operations, threads, calls| names(operations, threads, calls).expect("few enough");
        assert_eq!(of("a b", 2, 1), ["a and a", "a and b", "b and b"]);
        assert_eq!(of("a b", 3, 1), ["a and a and a", "a and a and b", "a and b and b", "b and b and b"]);
        assert_eq!(of("a", 2, 2), ["a and a", "a and (a; a)", "(a; a) and (a; a)"]);
        let both = of("a b", 2, 2);
        assert_eq!(both.len(), 21, "6 sequences: 6 * 7 / 2");
        assert_eq!(both[2..4], ["b and b", "a and (a; a)"]);
        assert_eq!(both[20], "(b; b) and (b; b)");
    }

    #[test]
    fn the_table_of_a_large_library_fits_in_memory() {
        assert_eq!((most_operations(None), most_operations(Some(16 << 30))), (1_000, 1_000));
        let few = most_operations(Some(100 << 20));
        assert!((300..600).contains(&few), "{few}");
        assert_eq!(most_operations(Some(0)), 1);
    }

    #[test]
    fn too_many_are_counted_and_refused() {
        let many: Vec<String> = (0..40).map(|n| format!("f{n}")).collect();
        let many = many.join(" ");
        assert_eq!(names(&many, 2, 1).map(|entries| entries.len()), Ok(820));
        let refused = |threads, calls| names(&many, threads, calls).expect_err("too many").to_string();
        assert!(
            refused(3, 1).starts_with("40 operations in 3 threads have 11480 combinations, and no more than 10000")
        );
        let most: Vec<String> = (0..2_000).map(|n| format!("f{n}")).collect();
        assert!(names(&most.join(" "), 2, 1).is_err_and(|e| e.to_string().contains("no more than 2000000")));
        assert!(refused(2, 2).contains("in 2 threads with up to 2 calls each have 1345620 combinations"));
        assert!(refused(32, 64).contains("have more than a million million combinations"));
    }
}
