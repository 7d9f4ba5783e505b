//! Races and failures of calls that fail one after the other as well: what the second asks of its callers is broken by those who make
//! them at once.

use super::code;
use super::title::functions;
use crate::words::list;
use crate::{Finding, OutOfTurn, ShapeBasis};
use std::collections::BTreeSet;

/// The order that callers have to keep, if there is one. On a heap that perhaps nobody builds, a failure says something of callers only if
/// it is that of using what they have given away.
pub(super) fn of_callers(finding: &Finding) -> Option<&OutOfTurn> {
    let is_built = finding.shape.is_some_and(|shape| shape != ShapeBasis::Assumed);
    finding.out_of_turn.as_ref().filter(|order| is_built || order.ends)
}

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
         do, say so: --exclusive {first}, and nothing beside it is looked at. Where users of the object are counted, rather say with --valid \
         FUNCTION that each caller is one of them.",
        code(first),
        list(&fails)
    )
}
