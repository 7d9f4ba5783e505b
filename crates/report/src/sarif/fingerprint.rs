//! What identifies a finding from one version of a program to the next (SARIF 3.27.17).
//!
//! It depends on what is wrong: the kind of finding, and for each of its places the function, the text of the line without
//! its spacing, what is done there and to which member. It does not depend on line numbers, columns, names of directories,
//! inputs, heaps or schedules: those change with every edit above, with every machine, or with raddle itself.
//!
//! Findings that agree in all of it (two races between copies of one line in one function) are told apart by their
//! number, in the order of the report.

use crate::{Access, Finding, Location, Sources};
use std::collections::BTreeMap;

/// The name of this way to compute it; a change of what goes in makes a new one.
pub(super) const NAME: &str = "raddleFinding/v1";

/// One fingerprint for each finding: hexadecimal digits, a colon, a number from 1.
pub(super) fn all<'f>(findings: impl Iterator<Item = &'f Finding>, sources: &dyn Sources) -> Vec<String> {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    findings
        .map(|finding| {
            let print = of(finding, sources);
            let number = seen.entry(print.clone()).and_modify(|count| *count += 1).or_insert(1);
            format!("{print}:{number}")
        })
        .collect()
}

fn of(finding: &Finding, sources: &dyn Sources) -> String {
    let place = |at: &Location| vec![at.function.clone(), normalised(sources, at)];
    let side = |access: &Access| {
        // What a thread makes has gone in by its place since the first version, which findings that are known depend on.
        let member = access.field.clone().filter(|_| !access.place.starts_with("new "));
        let member = member.unwrap_or_else(|| access.place.clone());
        [place(&access.location), vec![access.in_words().to_owned(), member]].concat()
    };
    let mut places: Vec<Vec<String>> = match (finding.accesses.as_slice(), finding.blocked.as_slice()) {
        ([], []) => vec![place(&finding.location)],
        ([], blocked) => blocked.iter().map(|b| place(&b.location)).collect(),
        (accesses, _) => accesses.iter().map(side).collect(),
    };
    // Which thread is the first says nothing.
    places.sort();
    let mut hasher = blake3::Hasher::new();
    for part in std::iter::once(finding.kind.name()).chain(places.iter().flatten().map(String::as_str)) {
        // Delimited, so that no two lists of parts are one text.
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.finalize().to_hex()[..32].to_owned()
}

/// The line without its spacing, and so without its indentation.
fn normalised(sources: &dyn Sources, at: &Location) -> String {
    let line = sources.line(&at.file, at.line).unwrap_or_default();
    line.split_whitespace().collect()
}
