//! Races and failures of calls that fail one after the other as well: what the second asks of its callers is broken by those who make
//! them at once.

use super::code;
use super::title::functions;
use crate::words::list;
use crate::{Finding, OutOfTurn};
use std::collections::BTreeSet;

fn orders<'f>(findings: &[&'f Finding]) -> impl Iterator<Item = &'f OutOfTurn> {
    findings.iter().filter_map(|finding| finding.out_of_turn.as_ref())
}

/// `` `get` and `put` run beside `clear`, after which they always fail``.
pub(super) fn title(first: &str, findings: &[&Finding]) -> String {
    let then: BTreeSet<&str> = orders(findings).map(|order| order.then.as_str()).collect();
    match (then.len(), then.contains(first)) {
        (1, true) => format!("{} runs beside itself, and always fails when it is called twice", functions(&then)),
        (1, false) => format!("{} runs beside {}, after which it always fails", functions(&then), code(first)),
        _ => format!("{} run beside {}, after which they always fail", functions(&then), code(first)),
    }
}

/// What callers have to keep to.
pub(super) fn contract(first: &str, findings: &[&Finding]) -> String {
    let mut known = BTreeSet::new();
    let fails: Vec<String> = orders(findings)
        .filter(|order| known.insert(order.then.as_str()))
        .map(|order| format!("{} ({})", code(&order.then), order.fails))
        .collect();
    format!(
        "On these heaps each of them fails after {} without any threads: {}. So callers have to know which call comes first; if they \
         do, say so: --exclusive {first}.",
        code(first),
        list(&fails)
    )
}
