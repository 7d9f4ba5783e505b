//! The matrix of operations as a table, with the causes of what is inconclusive beneath. Pairs of operations make a square;
//! where more threads run, or threads make several calls, each entry is a line.

use super::ledger;
use super::page::{Page, Role};
use crate::words;
use crate::{EntryVerdict, MatrixEntry};
use comfy_table::{Cell, ContentArrangement, Table, presets};
use std::collections::{BTreeMap, BTreeSet};

/// Entries of which all get a line, whatever came of them.
const FEW: usize = 30;

/// Entries that get a line at the most; of more, those come first that have findings, and the others are counted.
const MANY: usize = 200;

/// Operations whose pairs make a square: a wider one is not read.
const WIDE: usize = 24;

/// Entries to be shown one by one, and in words how many others there are.
pub(crate) struct Lines<'m> {
    pub(crate) shown: Vec<&'m MatrixEntry>,
    pub(crate) others: Vec<String>,
}

pub(super) fn render(page: &mut Page, matrix: &[MatrixEntry]) {
    if matrix.is_empty() {
        return;
    }
    page.gap();
    if let ([only], false) = (matrix, page.options.full) {
        let line = format!("{}: {}: {}", words::entries(matrix), only.operations.join(" with "), verdict(page, only));
        page.paragraph("", &line);
        inconclusive(page, only);
        return;
    }
    page.line(format!("{}:", words::entries(matrix)));
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    let lines = match is_square(matrix) {
        true => {
            square(page, matrix, &mut table);
            Lines { shown: matrix.iter().collect(), others: Vec::new() }
        }
        false => list(page, matrix, &mut table),
    };
    for line in table.lines().filter(|_| table.row_count() > 0) {
        page.line(format!("  {line}"));
    }
    for others in &lines.others {
        page.line(format!("  {others}"));
    }
    for entry in lines.shown {
        inconclusive(page, entry);
    }
}

/// Why an entry is inconclusive.
fn inconclusive(page: &mut Page, entry: &MatrixEntry) {
    if let Some(cause) = &entry.cause {
        let what = entry.operations.join(" with ");
        page.paragraph("  ", &format!("{what} is inconclusive: {}", ledger::cause(cause)));
    }
}

/// Whether the matrix is shown as a square.
pub(crate) fn is_square(matrix: &[MatrixEntry]) -> bool {
    words::is_grid(matrix) && operations(matrix).len() <= WIDE
}

/// A line for each entry of which there is something to say.
fn list<'m>(page: &Page, matrix: &'m [MatrixEntry], table: &mut Table) -> Lines<'m> {
    let threads = matrix.iter().map(|entry| entry.operations.len()).max().unwrap_or(0);
    table.set_header((1..=threads).map(|thread| format!("thread {thread}")).chain(std::iter::once(String::new())));
    let lines = listed(matrix);
    for entry in &lines.shown {
        table.add_row(entry.operations.iter().map(Cell::new).chain(std::iter::once(Cell::new(verdict(page, entry)))));
    }
    lines
}

/// Of few entries all are shown; of more, those of which there is something to say; of many, those with findings.
pub(crate) fn listed(matrix: &[MatrixEntry]) -> Lines<'_> {
    let has_findings = |entry: &MatrixEntry| !entry.findings.is_empty() || !entry.suppressed_findings.is_empty();
    let is_fine = |entry: &MatrixEntry| matches!(entry.verdict, EntryVerdict::Safe | EntryVerdict::Exclusive);
    let unsafe_ones = matrix.iter().filter(|entry| !is_fine(entry) || has_findings(entry)).count();
    let is_shown =
        |entry: &MatrixEntry| matrix.len() <= FEW || has_findings(entry) || unsafe_ones <= MANY && !is_fine(entry);
    let (mut shown, mut counted) = (Vec::new(), BTreeMap::new());
    for entry in matrix {
        if shown.len() < MANY && is_shown(entry) {
            shown.push(entry);
        } else {
            *counted.entry(in_few_words(entry)).or_insert(0) += 1;
        }
    }
    let others =
        counted.into_iter().map(|(words, count)| format!("{}: {words}", words::counted(count, "other", "others")));
    Lines { shown, others: others.collect() }
}

/// The verdict on an entry, for those that are counted.
fn in_few_words(entry: &MatrixEntry) -> String {
    let kind = entry.cause.as_ref().and_then(|cause| cause.split_once(" at ")).map(|(kind, _)| kind);
    match (entry.verdict, kind.and_then(|kind| Some((kind, crate::words::ledger_words(kind)?)))) {
        (EntryVerdict::Safe, _) => "safe".to_owned(),
        (EntryVerdict::Inconclusive, Some((kind, words))) => format!("inconclusive, {words} ({kind})"),
        (EntryVerdict::Inconclusive, None) => "inconclusive".to_owned(),
        (EntryVerdict::Findings, _) => "with findings".to_owned(),
        (EntryVerdict::Exclusive, _) => "exclusive".to_owned(),
    }
}

fn square(page: &Page, matrix: &[MatrixEntry], table: &mut Table) {
    let operations = operations(matrix);
    table.set_header(std::iter::once("").chain(operations.iter().copied()));
    for (row, first) in operations.iter().enumerate() {
        let mut cells = vec![Cell::new(first)];
        for (column, second) in operations.iter().enumerate() {
            // Pairs are unordered: the lower half would repeat the upper one.
            let entry = find(matrix, first, second).filter(|_| column >= row);
            cells.push(Cell::new(entry.map_or_else(String::new, |entry| verdict(page, entry))));
        }
        table.add_row(cells);
    }
}

/// In the order of their first mention, which is that of the command line.
pub(crate) fn operations(matrix: &[MatrixEntry]) -> Vec<&str> {
    let mut seen = BTreeSet::new();
    let all = matrix.iter().flat_map(|entry| &entry.operations).map(String::as_str);
    all.filter(|operation| seen.insert(*operation)).collect()
}

/// The entry of an unordered pair.
pub(crate) fn find<'m>(matrix: &'m [MatrixEntry], first: &str, second: &str) -> Option<&'m MatrixEntry> {
    matrix.iter().find(|entry| entry.operations == [first, second] || entry.operations == [second, first])
}

fn verdict(page: &Page, entry: &MatrixEntry) -> String {
    match entry.verdict {
        EntryVerdict::Safe if !entry.suppressed_findings.is_empty() => {
            let why = if entry.are_known { "known" } else { "suppressed" };
            page.paint(Role::Doubt, &format!("safe except {} ({why})", ids(&entry.suppressed_findings)))
        }
        EntryVerdict::Safe => page.paint(Role::Fine, "safe"),
        EntryVerdict::Findings => page.paint(Role::Alarm, &ids(&entry.findings)),
        EntryVerdict::Inconclusive => page.paint(Role::Doubt, "inconclusive"),
        EntryVerdict::Exclusive => "exclusive".to_owned(),
    }
}

/// Runs of ids as ranges: `R1-R4, R9`. What would still be long ends with the count of the rest.
pub(super) fn ids(findings: &[String]) -> String {
    const SHOWN: usize = 3;
    let number = |id: &str| id.strip_prefix('R').and_then(|digits| digits.parse::<u64>().ok());
    let mut runs: Vec<(&str, &str, usize)> = Vec::new();
    for id in findings {
        match runs.last_mut() {
            Some((_, last, length)) if number(last).zip(number(id)).is_some_and(|(last, id)| last + 1 == id) => {
                *last = id;
                *length += 1;
            }
            _ => runs.push((id, id, 1)),
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for &(first, last, length) in runs.iter().take(SHOWN) {
        parts.push(match length {
            1 => first.to_owned(),
            2 => format!("{first}, {last}"),
            _ => format!("{first}-{last}"),
        });
    }
    let rest: usize = runs.iter().skip(SHOWN).map(|run| run.2).sum();
    if rest > 0 {
        parts.push(format!("{rest} more"));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_stand_in_ranges() {
        let listed = |text: &str| ids(&text.split_whitespace().map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(listed("R1"), "R1");
        assert_eq!(listed("R1 R2"), "R1, R2");
        assert_eq!(listed("R1 R2 R3 R4 R9"), "R1-R4, R9");
        assert_eq!(listed("R9 R10 R11"), "R9-R11");
        assert_eq!(listed("R1 R3 R5 R7 R8 R9 R11"), "R1, R3, R5, 4 more");
    }
}
