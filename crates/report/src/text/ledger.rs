//! What was not explored, in sentences.

use super::page::{Page, Role};
use crate::words::ledger_words;
use crate::{LedgerLine, Report};

/// Losses of one kind with one remedy that have a line each; of more, the first [`NAMED`] have.
const FEW: usize = 20;
const NAMED: usize = 5;

pub(super) fn render(page: &mut Page, report: &Report) {
    if report.ledger.is_empty() {
        return;
    }
    page.gap();
    page.line(page.paint(Role::Doubt, "Not explored:"));
    for sentence in sentences(&report.ledger) {
        page.paragraph("  - ", &sentence);
    }
}

/// The ledger, where what happened alike in many places has a line for all but a few of them. JSON has all.
fn sentences(ledger: &[LedgerLine]) -> Vec<String> {
    let alike = |a: &LedgerLine, b: &LedgerLine| a.kind == b.kind && a.remedy == b.remedy;
    let mut sentences = Vec::new();
    for lines in ledger.chunk_by(alike) {
        let named = if lines.len() <= FEW { lines.len() } else { NAMED };
        let (named, others) = lines.split_at(named);
        sentences.extend(named.iter().map(sentence));
        if let [first, .., last] = others {
            sentences.push(sentence(&LedgerLine {
                r#where: format!("{} more like this, from {} to {}", others.len(), first.r#where, last.r#where),
                count: others.iter().map(|line| line.count).sum(),
                ..first.clone()
            }));
        }
    }
    sentences
}

/// `PLACE: what happened (KIND, COUNT); what to do`. The kind is the one in JSON, for searching.
pub(crate) fn sentence(line: &LedgerLine) -> String {
    let times = if line.count == 1 { String::new() } else { format!(", {} times", line.count) };
    let place = if line.r#where.is_empty() { String::new() } else { format!("{}: ", line.r#where) };
    let remedy = match line.remedy.as_str() {
        "" => String::new(),
        flag if flag.starts_with("--") => format!("; try {flag}"),
        remedy => format!("; {remedy}"),
    };
    match ledger_words(&line.kind) {
        Some(words) => format!("{place}{words} ({}{times}){remedy}", line.kind),
        None => format!("{place}{}{times}{remedy}", line.kind),
    }
}

/// The cause of an inconclusive pair, `KIND at PLACE` in JSON, as a sentence.
pub(crate) fn cause(cause: &str) -> String {
    let known = cause.split_once(" at ").and_then(|(kind, place)| Some((kind, place, ledger_words(kind)?)));
    known.map_or_else(|| cause.to_owned(), |(kind, place, words)| format!("{place}: {words} ({kind})"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(kind: &str, place: &str, count: u64, remedy: &str) -> String {
        sentence(&LedgerLine { kind: kind.into(), r#where: place.into(), count, remedy: remedy.into() })
    }

    #[test]
    fn losses_are_sentences() {
        assert_eq!(
            line("time", "insert and insert", 205, "--max-time with a larger value"),
            "insert and insert: time ran out (time, 205 times); try --max-time with a larger value"
        );
        assert_eq!(
            line("external_call", "fork at fork.c:16", 1, "`fork` has no body and no model"),
            "fork at fork.c:16: its effect is not known (external_call); `fork` has no body and no model"
        );
        assert_eq!(line("new_kind", "a.c:1", 2, ""), "a.c:1: new_kind, 2 times");
        assert_eq!(cause("time at insert and insert"), "insert and insert: time ran out (time)");
        assert_eq!(cause("f is vacuous"), "f is vacuous");
    }

    #[test]
    fn losses_alike_in_many_places_are_counted() {
        let lost = |kind: &str, places: std::ops::Range<u64>| {
            let line = move |n| LedgerLine {
                kind: kind.into(),
                r#where: format!("f and g{n}"),
                count: n,
                remedy: "--x".into(),
            };
            places.map(line).collect::<Vec<_>>()
        };
        let few = lost("time", 0..20);
        assert_eq!(sentences(&few), few.iter().map(sentence).collect::<Vec<_>>());

        let many = [lost("memory", 1..3), lost("time", 0..21), lost("vacuous", 1..2)].concat();
        let shown = sentences(&many);
        assert_eq!(shown.len(), 2 + 6 + 1);
        assert_eq!(shown[6], "f and g4: time ran out (time, 4 times); try --x");
        assert_eq!(shown[7], "16 more like this, from f and g5 to f and g20: time ran out (time, 200 times); try --x");
        assert_eq!(shown[8], "f and g1: nothing was explored (vacuous); try --x");
    }
}
