//! The matrix of operations as a table, with the causes of what is inconclusive beneath.

use super::page::{Page, Role, counted};
use crate::{MatrixEntry, Verdict};
use comfy_table::{Cell, ContentArrangement, Table, presets};

pub(super) fn render(page: &mut Page, matrix: &[MatrixEntry]) {
    let operations = operations(matrix);
    if operations.is_empty() {
        return;
    }
    page.gap();
    page.line("Pairs of operations:");
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
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
    for line in table.lines() {
        page.line(format!("  {line}"));
    }
    for entry in matrix {
        let [first, second] = &entry.operations;
        if let Some(cause) = &entry.cause {
            page.paragraph("  ", &format!("{first} with {second} is inconclusive: {cause}"));
        }
    }
}

/// In the order of their first mention, which is that of the command line.
fn operations(matrix: &[MatrixEntry]) -> Vec<&str> {
    let mut operations: Vec<&str> = Vec::new();
    for operation in matrix.iter().flat_map(|entry| &entry.operations) {
        if !operations.contains(&operation.as_str()) {
            operations.push(operation);
        }
    }
    operations
}

fn find<'m>(matrix: &'m [MatrixEntry], first: &str, second: &str) -> Option<&'m MatrixEntry> {
    matrix.iter().find(|entry| {
        let [a, b] = &entry.operations;
        (a == first && b == second) || (a == second && b == first)
    })
}

fn verdict(page: &Page, entry: &MatrixEntry) -> String {
    match entry.verdict {
        Verdict::Safe => page.paint(Role::Fine, "safe"),
        Verdict::Findings if entry.findings.len() <= 3 => page.paint(Role::Alarm, &entry.findings.join(", ")),
        Verdict::Findings => page.paint(Role::Alarm, &counted(entry.findings.len() as u64, "finding", "findings")),
        Verdict::Inconclusive => page.paint(Role::Doubt, "inconclusive"),
        Verdict::Error => page.paint(Role::Alarm, "error"),
    }
}
