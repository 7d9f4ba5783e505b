//! What came of the functions that tests call, two at a time: as a table, with the tests that were written and what is open beneath.

use super::page::{Page, Role, width};
use crate::{PairEntry, PairVerdict};
use comfy_table::{Cell, ContentArrangement, Table, presets};
use std::collections::BTreeMap;

pub(super) fn render(page: &mut Page, pairs: &[PairEntry]) {
    if pairs.is_empty() {
        return;
    }
    page.gap();
    page.line("Functions, two at a time:");
    let mut names: Vec<&str> = Vec::new();
    for name in pairs.iter().flat_map(|pair| &pair.operations) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names.sort_unstable();
    let square = square(page, pairs, &names);
    // A wide one is not read.
    let lines = match square.iter().all(|line| width(line) + 2 <= page.options.width) {
        true => square,
        false => list(page, pairs),
    };
    for line in lines {
        page.line(format!("  {line}"));
    }
    for pair in pairs {
        let what = pair.operations.join(" with ");
        if let Some(test) = &pair.test {
            let effect = pair.effect.as_ref().map_or_else(String::new, |effect| format!(": {}", effect.in_words()));
            page.paragraph("  ", &format!("{what}: {test}{effect}"));
        }
    }
    // What is open for one reason is said once.
    let mut open: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    let is_open = |pair: &&PairEntry| match pair.verdict {
        PairVerdict::Exposed => false,
        PairVerdict::Refuted => page.options.full,
        PairVerdict::NotReached | PairVerdict::Unfinished => true,
    };
    for pair in pairs.iter().filter(is_open) {
        if let Some(reason) = &pair.reason {
            open.entry((pair.verdict.name(), reason)).or_default().push(pair.operations.join(" with "));
        }
    }
    for ((verdict, reason), pairs) in open {
        page.paragraph("  ", &format!("{verdict}: {}: {reason}", pairs.join(", ")));
    }
}

fn empty() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    table
}

fn square(page: &Page, pairs: &[PairEntry], names: &[&str]) -> Vec<String> {
    let mut table = empty();
    table.set_header(std::iter::once("").chain(names.iter().copied()));
    let entry = |a: &str, b: &str| pairs.iter().find(|pair| pair.operations == [a, b] || pair.operations == [b, a]);
    for (row, one) in names.iter().enumerate() {
        let cell = |(column, other): (usize, &&str)| match entry(one, other).filter(|_| column >= row) {
            Some(pair) => Cell::new(verdict(page, pair)),
            None => Cell::new(""),
        };
        table.add_row(std::iter::once(Cell::new(one)).chain(names.iter().enumerate().map(cell)));
    }
    table.lines().collect()
}

/// A line for each two functions but those that are refuted, which are counted.
fn list(page: &Page, pairs: &[PairEntry]) -> Vec<String> {
    let mut table = empty();
    for pair in pairs.iter().filter(|pair| pair.verdict != PairVerdict::Refuted) {
        let [one, other] = &pair.operations;
        table.add_row([Cell::new(one), Cell::new(other), Cell::new(verdict(page, pair))]);
    }
    let refuted = pairs.iter().filter(|pair| pair.verdict == PairVerdict::Refuted).count();
    let rest = (refuted > 0).then(|| format!("{refuted} more: refuted"));
    table.lines().filter(|_| table.row_count() > 0).chain(rest).collect()
}

fn verdict(page: &Page, pair: &PairEntry) -> String {
    match pair.verdict {
        PairVerdict::Exposed => page.paint(Role::Alarm, &pair.findings.join(", ")),
        PairVerdict::Refuted => page.paint(Role::Fine, pair.verdict.name()),
        PairVerdict::NotReached | PairVerdict::Unfinished => page.paint(Role::Doubt, pair.verdict.name()),
    }
}
