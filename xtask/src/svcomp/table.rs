//! Right, wrong and unknown, by group of tasks.

use super::{Answer, Outcome};
use comfy_table::{ContentArrangement, Table, presets};
use std::collections::BTreeMap;

/// Groups with fewer tasks are put together.
const LEAST: usize = 8;

#[derive(Default)]
struct Group<'a> {
    of_true: usize,
    of_false: usize,
    right_true: usize,
    right_false: usize,
    wrong: usize,
    reasons: BTreeMap<&'a str, usize>,
}

/// What tasks are named after: the first word of the name.
fn group(name: &str) -> &str {
    let end = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
    if end == 0 { "numbered" } else { &name[..end] }
}

/// Why a task is unknown, in a word.
fn reason(outcome: &Outcome) -> &str {
    outcome.reason.as_deref().and_then(|reason| reason.split([' ', ':']).next()).unwrap_or("?")
}

/// The table, with a row for each group, and the wrong ones one by one.
pub(super) fn render(outcomes: &[&Outcome]) -> String {
    let mut sizes: BTreeMap<&str, usize> = BTreeMap::new();
    for outcome in outcomes {
        *sizes.entry(group(&outcome.task)).or_default() += 1;
    }
    let named = |outcome: &Outcome| -> String {
        let name = group(&outcome.task);
        if sizes[name] < LEAST { "others".to_owned() } else { name.to_owned() }
    };
    let mut groups: BTreeMap<String, Group<'_>> = BTreeMap::new();
    let mut all = Group::default();
    for outcome in outcomes {
        groups.entry(named(outcome)).or_default().add(outcome);
        all.add(outcome);
    }
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(["group", "false: right", "of", "true: right", "of", "wrong", "unknown because of"]);
    for (name, group) in groups.iter().map(|(name, group)| (name.as_str(), group)).chain([("all", &all)]) {
        table.add_row(group.row(name));
    }
    let wrong = outcomes.iter().filter(|outcome| outcome.is_wrong());
    let wrong = wrong.map(|outcome| format!("\nwrong: {} {}", outcome.task, outcome.reason.as_deref().unwrap_or("")));
    format!("{table}{}", wrong.collect::<String>())
}

impl<'a> Group<'a> {
    fn add(&mut self, outcome: &'a Outcome) {
        *if outcome.expected { &mut self.of_true } else { &mut self.of_false } += 1;
        match outcome.answer {
            _ if outcome.is_wrong() => self.wrong += 1,
            Answer::True => self.right_true += 1,
            Answer::False => self.right_false += 1,
            Answer::Unknown => *self.reasons.entry(reason(outcome)).or_default() += 1,
        }
    }

    fn row(&self, name: &str) -> [String; 7] {
        let mut reasons: Vec<(&&str, &usize)> = self.reasons.iter().collect();
        reasons.sort_by_key(|(reason, count)| (std::cmp::Reverse(**count), **reason));
        let reasons: Vec<String> = reasons.iter().map(|(reason, count)| format!("{reason} {count}")).collect();
        let counts = [self.right_false, self.of_false, self.right_true, self.of_true, self.wrong];
        let [a, b, c, d, e] = counts.map(|count| count.to_string());
        [name.to_owned(), a, b, c, d, e, reasons.join(", ")]
    }
}
