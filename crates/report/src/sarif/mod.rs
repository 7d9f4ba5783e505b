//! The report as SARIF 2.1.0 (OASIS Standard, section numbers below are its own), for code scanning and editors.
//!
//! One result for each finding, suppressed ones included and marked so; the schedule is one code flow with one thread flow
//! for each thread; the ledger is the invocation's notifications.
//!
//! Guarantee: the document is valid under the standard's schema; names and texts of the analysed program are data in it and
//! nothing else; equal reports and sources give equal bytes, and no path of this machine that the user did not type.

mod fingerprint;
mod flow;
mod place;
mod result;
mod rules;
#[cfg(test)]
mod tests;

use crate::{ErrorReport, LedgerLine, PairEntry, PairVerdict, Report, Sources, SuppressionUse, exit_code, text};
use place::Places;
use serde_json::json;
use serde_sarif::sarif::{
    ArtifactLocation, Invocation, Message, Notification, ReportingDescriptor, ReportingDescriptorReference, Run,
    SCHEMA_URL, Sarif, ToolComponent,
};
use std::collections::{BTreeMap, BTreeSet};

/// One document, indented, with a final line end. `sources` gives the lines that fingerprints and snippets quote.
pub fn render_sarif(report: &Report, sources: &dyn Sources) -> String {
    let places = Places { sources };
    let document = Sarif::builder().schema(SCHEMA_URL).version(json!("2.1.0")).runs(vec![run(report, &places)]).build();
    // As in the JSON report: all of it has a JSON form.
    let mut text = serde_json::to_string_pretty(&document).unwrap_or_default();
    text.push('\n');
    text
}

fn run(report: &Report, places: &Places) -> Run {
    let all = report.findings.iter().chain(&report.suppressed_findings);
    let prints = fingerprint::all(all.clone(), places.sources);
    let results = all.zip(prints).map(|(finding, print)| result::result(finding, print, places));
    // 3.14.14: a base without an address is one that the reader knows: the directory in which raddle ran.
    let base = ArtifactLocation::builder().description("the directory in which raddle ran").build();
    let driver = ToolComponent::builder()
        .name(report.tool.name)
        .version(report.tool.version)
        .semantic_version(report.tool.version)
        .rules(rules::all())
        .notifications(descriptors(report))
        .build();
    Run::builder()
        .tool(driver)
        .results(results.collect::<Vec<_>>())
        .invocations(vec![invocation(report, places)])
        .original_uri_base_ids(BTreeMap::from([(place::BASE.to_owned(), base)]))
        // 3.14.17: how columns count.
        .column_kind(json!("unicodeCodePoints"))
        .build()
}

fn invocation(report: &Report, places: &Places) -> Invocation {
    let losses = report.ledger.iter().map(|line| loss(line, places));
    let errors = report.error.iter().map(|error| failure(error, places));
    let unused = report.suppressions.iter().filter(|entry| entry.used == 0).map(|entry| unused(entry, places));
    let code = exit_code(report);
    Invocation::builder()
        .execution_successful(report.error.is_none())
        .exit_code(code)
        .exit_code_description(described(code))
        .tool_execution_notifications(losses.chain(errors).chain(open_pairs(report)).collect::<Vec<_>>())
        .tool_configuration_notifications(unused.collect::<Vec<_>>())
        .build()
}

fn described(code: u8) -> &'static str {
    match code {
        0 => "safe for the stated claim",
        10 => "at least one finding",
        5 => "inconclusive: no finding, and not all was explored",
        1 => "wrong command line",
        2 => "the input could not be read, compiled or lowered",
        _ => "a fault of raddle's own",
    }
}

/// What was lost, as in the ledger of the other forms.
fn loss(line: &LedgerLine, places: &Places) -> Notification {
    let message = place::message(&text::ledger_sentence(line));
    let builder = Notification::builder().level(json!("warning")).descriptor(descriptor(&line.kind)).message(message);
    match places.named(&line.r#where) {
        Some(location) => builder.locations(vec![location]).build(),
        None => builder.build(),
    }
}

const OPEN_PAIR: &str = "open_pair";

/// Pairs of functions of which it is not known whether they race, and why.
fn open_pairs(report: &Report) -> impl Iterator<Item = Notification> {
    let is_open = |pair: &&PairEntry| matches!(pair.verdict, PairVerdict::NotReached | PairVerdict::Unfinished);
    report.pairs.iter().flatten().filter(is_open).map(|pair| {
        let reason = pair.reason.as_deref().unwrap_or("nothing was tried");
        let verdict = pair.verdict.name();
        let message = place::message(&format!("{}: {verdict}: {reason}", pair.operations.join(" with ")));
        Notification::builder().level(json!("note")).descriptor(descriptor(OPEN_PAIR)).message(message).build()
    })
}

fn failure(error: &ErrorReport, places: &Places) -> Notification {
    let message = place::message(&error.message);
    let builder = Notification::builder().level(json!("error")).descriptor(descriptor(&error.kind)).message(message);
    match &error.file {
        Some(file) => builder.locations(vec![places.line(file, error.line.unwrap_or(0))]).build(),
        None => builder.build(),
    }
}

const UNUSED: &str = "unused_suppression";

fn unused(entry: &SuppressionUse, places: &Places) -> Notification {
    Notification::builder()
        .level(json!("note"))
        .descriptor(descriptor(UNUSED))
        .message(place::message(&format!("this suppression applies to no finding: {}", entry.entry)))
        .locations(vec![places.line(&entry.file, entry.line)])
        .build()
}

fn descriptor(kind: &str) -> ReportingDescriptorReference {
    // The schema wants one of several keys; the builder of this type takes any value.
    ReportingDescriptorReference::builder().id(kind).build()
}

/// The kinds of notifications that the run has, each described once.
fn descriptors(report: &Report) -> Vec<ReportingDescriptor> {
    let mut kinds: BTreeSet<&str> = report.ledger.iter().map(|line| line.kind.as_str()).collect();
    kinds.extend(report.error.iter().map(|error| error.kind.as_str()));
    kinds.extend(open_pairs(report).next().map(|_| OPEN_PAIR));
    kinds.extend(report.suppressions.iter().any(|entry| entry.used == 0).then_some(UNUSED));
    kinds
        .into_iter()
        .map(|kind| {
            let words = match kind {
                UNUSED => Some("a suppression applies to no finding"),
                OPEN_PAIR => Some("it is not known whether two functions race"),
                other => crate::words::ledger_words(other),
            };
            let words = words.map_or_else(|| kind.replace('_', " "), str::to_owned);
            ReportingDescriptor::builder().id(kind).short_description(&words).build()
        })
        .collect()
}

/// Text in a property that takes a message.
fn said(text: &str) -> Message {
    place::message(text)
}
