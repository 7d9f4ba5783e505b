//! Random libraries of two operations that race, and what patches of them come to, judged by all interleavings of every access.
//!
//! A library is C of a few forms, a statement a line ([`code`] reads it): so what a tool makes of it can be read as well. Two calls of
//! operations are given one structure, whose members begin with each of a few values; results are what they return and what the structure holds.
//!
//! Guarantee: all interleavings of single accesses are gone through, and calls are run one after the other in both orders; nothing is shared with
//! the engine, neither code nor keys.
//! Not judged: weak memory (one order of all accesses is assumed), nor what patches of other forms do ([`code::parse`] refuses them).

pub mod code;
mod enumerate;
mod generate;
#[cfg(test)]
mod tests;

pub use code::{Operation, parse};
pub use enumerate::{Outcome, at_once, in_orders, one_after_the_other};
pub use generate::{generate, without_a_statement};

use enumerate::VALUES;

/// What calls come to with a patch.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Judged {
    /// At once they may come to what no order of them comes to.
    pub is_new: bool,
    /// All of that they may come to without the patch as well, in executions without a race.
    pub is_as_before: bool,
    /// They may wait for each other, or for themselves.
    pub is_stuck: bool,
    /// One after the other, they come to something else than without the patch.
    pub is_changed: bool,
}

/// What two calls come to at once that no order of them comes to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// In executions without a race.
    pub is_new: bool,
    /// In executions with one.
    pub is_new_and_raced: bool,
}

impl Results {
    /// Of a pair of calls.
    pub fn of(calls: [&Operation; 2]) -> Results {
        let mut results = Results::default();
        for fields in fields() {
            let orders = one_after_the_other(calls, fields);
            for (_, how) in at_once(calls, fields).results.iter().filter(|(result, _)| !orders.contains(result)) {
                results.is_new |= how[0];
                results.is_new_and_raced |= how[1];
            }
        }
        results
    }
}

/// Whether other calls come to the same in each order.
pub fn are_in_turn(calls: [&Operation; 2], others: [&Operation; 2]) -> bool {
    fields().all(|fields| in_orders(calls, fields) == in_orders(others, fields))
}

fn fields() -> impl Iterator<Item = [u32; 2]> {
    VALUES.iter().flat_map(|&a| VALUES.iter().map(move |&b| [a, b]))
}

/// Judges all pairs of calls in which something was patched.
pub fn judge(original: &[Operation], patched: &[Operation]) -> Judged {
    let mut judged = Judged { is_as_before: true, ..Judged::default() };
    for one in 0..patched.len() {
        for two in one..patched.len() {
            if [one, two].iter().any(|&at| original[at] != patched[at]) {
                pair([&original[one], &original[two]], [&patched[one], &patched[two]], &mut judged);
            }
        }
    }
    judged.is_as_before &= judged.is_new;
    judged
}

/// Whether calls of a library race somewhere, or wait for each other or for themselves.
pub fn goes_wrong(operations: &[Operation]) -> bool {
    let mut pairs =
        operations.iter().enumerate().flat_map(|(at, one)| operations[at..].iter().map(move |two| [one, two]));
    let goes_wrong = |pair, fields| {
        let found = at_once(pair, fields);
        found.is_racy || found.is_stuck
    };
    pairs.any(|pair| fields().any(|fields| goes_wrong(pair, fields)))
}

fn pair(original: [&Operation; 2], patched: [&Operation; 2], judged: &mut Judged) {
    for fields in fields() {
        let orders = one_after_the_other(patched, fields);
        judged.is_changed |= in_orders(patched, fields) != in_orders(original, fields);
        let found = at_once(patched, fields);
        judged.is_stuck |= found.is_stuck;
        let before = at_once(original, fields);
        for result in found.results.keys().filter(|result| !orders.contains(result)) {
            judged.is_new = true;
            judged.is_as_before &= before.results.get(result).is_some_and(|how| how[0]);
        }
    }
}
