//! What came of the functions that tests call, two at a time: as a table, with the tests that were written and what is open beneath.

use super::page::{Page, Role};
use crate::{PairEntry, PairVerdict};
use comfy_table::{Cell, ContentArrangement, Table, presets};
use std::collections::BTreeMap;

/// Functions whose pairs make a square: a wider one is not read.
const WIDE: usize = 12;

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
    let mut table = Table::new();
    table.load_preset(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Disabled);
    if names.len() <= WIDE {
        names.sort_unstable();
        table.set_header(std::iter::once("").chain(names.iter().copied()));
        let entry = |a: &str, b: &str| pairs.iter().find(|pair| pair.operations == [a, b] || pair.operations == [b, a]);
        for (row, one) in names.iter().enumerate() {
            let cell = |(column, other): (usize, &&str)| match entry(one, other).filter(|_| column >= row) {
                Some(pair) => Cell::new(verdict(page, pair)),
                None => Cell::new(""),
            };
            table.add_row(std::iter::once(Cell::new(one)).chain(names.iter().enumerate().map(cell)));
        }
    } else {
        for pair in pairs.iter().filter(|pair| pair.verdict != PairVerdict::Refuted) {
            let [one, other] = &pair.operations;
            table.add_row([Cell::new(one), Cell::new(other), Cell::new(verdict(page, pair))]);
        }
    }
    for line in table.lines().filter(|_| table.row_count() > 0) {
        page.line(format!("  {line}"));
    }
    if names.len() > WIDE {
        let refuted = pairs.iter().filter(|pair| pair.verdict == PairVerdict::Refuted).count();
        page.line(format!("  {refuted} more: refuted"));
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
    for pair in pairs.iter().filter(|pair| pair.verdict != PairVerdict::Exposed) {
        if let Some(reason) = &pair.reason {
            open.entry((pair.verdict.name(), reason)).or_default().push(pair.operations.join(" with "));
        }
    }
    for ((verdict, reason), pairs) in open {
        page.paragraph("  ", &format!("{verdict}: {}: {reason}", pairs.join(", ")));
    }
}

fn verdict(page: &Page, pair: &PairEntry) -> String {
    match pair.verdict {
        PairVerdict::Exposed => page.paint(Role::Alarm, &pair.findings.join(", ")),
        PairVerdict::Refuted => page.paint(Role::Fine, pair.verdict.name()),
        PairVerdict::NotReached | PairVerdict::Unfinished => page.paint(Role::Doubt, pair.verdict.name()),
    }
}
