//! The matrix of operations as a table, with the causes of what is inconclusive beneath. Pairs of operations make a square;
//! where more threads run, or threads make several calls, each entry is a line.

use super::ledger;
use super::page::{Page, Role};
use crate::words;
use crate::{MatrixEntry, Verdict};
use comfy_table::{Cell, ContentArrangement, Table, presets};

/// Entries of which all get a line, whatever came of them.
const FEW: usize = 30;

pub(super) fn render(page: &mut Page, matrix: &[MatrixEntry]) {
    if matrix.is_empty() {
        return;
    }
    page.gap();
    page.line(format!("{}:", words::entries(matrix)));
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    let unlisted =
        if words::is_grid(matrix) { square(page, matrix, &mut table) } else { list(page, matrix, &mut table) };
    for line in table.lines().filter(|_| table.row_count() > 0) {
        page.line(format!("  {line}"));
    }
    if unlisted > 0 {
        page.line(format!("  {}: safe", words::counted(unlisted as u64, "other", "others")));
    }
    for entry in matrix {
        if let Some(cause) = &entry.cause {
            let what = entry.operations.join(" with ");
            page.paragraph("  ", &format!("{what} is inconclusive: {}", ledger::cause(cause)));
        }
    }
}

/// A line for each entry. Returns how many have none: of many, those that are safe.
fn list(page: &Page, matrix: &[MatrixEntry], table: &mut Table) -> usize {
    let threads = matrix.iter().map(|entry| entry.operations.len()).max().unwrap_or(0);
    table.set_header((1..=threads).map(|thread| format!("thread {thread}")).chain(std::iter::once(String::new())));
    let listed = listed(matrix);
    for entry in &listed {
        table.add_row(entry.operations.iter().map(Cell::new).chain(std::iter::once(Cell::new(verdict(page, entry)))));
    }
    matrix.len() - listed.len()
}

/// Entries to be shown one by one: all, or of many those of which there is something to say.
pub(crate) fn listed(matrix: &[MatrixEntry]) -> Vec<&MatrixEntry> {
    let says_something = |entry: &&MatrixEntry| entry.verdict != Verdict::Safe || !entry.suppressed_findings.is_empty();
    matrix.iter().filter(|entry| matrix.len() <= FEW || says_something(entry)).collect()
}

fn square(page: &Page, matrix: &[MatrixEntry], table: &mut Table) -> usize {
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
    0
}

/// In the order of their first mention, which is that of the command line.
pub(crate) fn operations(matrix: &[MatrixEntry]) -> Vec<&str> {
    let mut operations: Vec<&str> = Vec::new();
    for operation in matrix.iter().flat_map(|entry| &entry.operations) {
        if !operations.contains(&operation.as_str()) {
            operations.push(operation);
        }
    }
    operations
}

/// The entry of an unordered pair.
pub(crate) fn find<'m>(matrix: &'m [MatrixEntry], first: &str, second: &str) -> Option<&'m MatrixEntry> {
    matrix.iter().find(|entry| entry.operations == [first, second] || entry.operations == [second, first])
}

fn verdict(page: &Page, entry: &MatrixEntry) -> String {
    match entry.verdict {
        Verdict::Safe if !entry.suppressed_findings.is_empty() => {
            page.paint(Role::Doubt, &format!("safe except {} (suppressed)", ids(&entry.suppressed_findings)))
        }
        Verdict::Safe => page.paint(Role::Fine, "safe"),
        Verdict::Findings => page.paint(Role::Alarm, &ids(&entry.findings)),
        Verdict::Inconclusive => page.paint(Role::Doubt, "inconclusive"),
        Verdict::Error => page.paint(Role::Alarm, "error"),
    }
}

/// Runs of ids as ranges: `R1-R4, R9`. What would still be long ends with the count of the rest.
fn ids(findings: &[String]) -> String {
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
