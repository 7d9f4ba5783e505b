//! One finding as a result (SARIF 3.27).

use super::place::Places;
use super::{fingerprint, flow, rules, said};
use crate::{Access, AccessKind, Blocked, Finding, FindingKind, Location, ShapeBasis, object_of};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    Location as SarifLocation, PropertyBag, Result as SarifResult, ResultLevel, Stack, StackFrame, Suppression,
};
use std::collections::BTreeMap;

pub(super) fn result(finding: &Finding, print: String, places: &Places) -> SarifResult {
    let related = related(finding, places);
    let mut result = SarifResult::builder()
        .rule_id(finding.kind.name())
        .rule_index(rules::index(finding.kind))
        .level(level(finding))
        .message(said(&sentence(finding)))
        .locations(vec![places.location(&finding.location)])
        .partial_fingerprints(BTreeMap::from([(fingerprint::NAME.to_owned(), print)]))
        .properties(properties(finding))
        .build();
    result.related_locations = (!related.is_empty()).then_some(related);
    result.code_flows = flow::code_flow(finding, places).map(|flow| vec![flow]);
    let stacks = stacks(finding, places);
    result.stacks = (!stacks.is_empty()).then_some(stacks);
    // What an earlier report has is not new, which is no suppression.
    let suppressed = finding.suppressed.as_ref().filter(|suppressed| suppressed.known.is_none());
    result.suppressions = suppressed.map(|suppressed| {
        let at = places.line(&suppressed.file, suppressed.line);
        let external = Suppression::builder().kind(json!("external")).status(json!("accepted"));
        vec![external.justification(&suppressed.reason).location(at).build()]
    });
    result
}

/// What rests on assumptions about the data structure is a warning; what a program, or a valid structure, shows an error;
/// what is not confirmed a note.
fn level(finding: &Finding) -> ResultLevel {
    if finding.unconfirmed.is_some() {
        return ResultLevel::Note;
    }
    match (finding.kind, finding.shape) {
        (FindingKind::MemoryLeak, _) | (_, Some(ShapeBasis::Assumed)) => ResultLevel::Warning,
        (_, Some(ShapeBasis::Reachable | ShapeBasis::Valid) | None) => ResultLevel::Error,
    }
}

fn at(location: &Location) -> String {
    let place = format!("{}:{}:{}", location.file, location.line, location.column);
    if location.function.is_empty() { place } else { format!("{place} in {}", location.function) }
}

fn sentence(finding: &Finding) -> String {
    let title = finding.kind.title();
    let mut text = match (finding.accesses.as_slice(), finding.blocked.as_slice()) {
        ([one, other], _) => {
            // What is freed is a whole object; the other side says which part of it was used.
            let place = if one.access == AccessKind::Free { &other.place } else { &one.place };
            format!("{title} on {place}: {} and {} are not ordered", side(one), side(other))
        }
        (_, blocked @ [_, ..]) => {
            let waits: Vec<String> = blocked.iter().map(waiting).collect();
            format!("{title}: {}", waits.join("; "))
        }
        _ if finding.detail.is_empty() => format!("{title} at {}", at(&finding.location)),
        _ => format!("{title}: {}", finding.detail),
    };
    if finding.shape == Some(ShapeBasis::Assumed) {
        text.push_str(" (on a data structure that is assumed to be possible)");
    }
    text.push('.');
    if let Some(why) = &finding.unconfirmed {
        text.push_str(&format!(" Not confirmed: {why}."));
    }
    text
}

fn side(access: &Access) -> String {
    let atomic = if access.atomic && access.access != AccessKind::ReadWrite { "atomic " } else { "" };
    let locks = match access.locks.as_slice() {
        [] => "no lock".to_owned(),
        locks => locks.join(", "),
    };
    format!("the {atomic}{} at {} (thread {}, holding {locks})", access.in_words(), at(&access.location), access.thread)
}

fn waiting(blocked: &Blocked) -> String {
    let waits = blocked.waits_for.as_deref().unwrap_or("another thread");
    let holds = match blocked.holds.as_slice() {
        [] => String::new(),
        locks => format!(", holding {}", locks.join(", ")),
    };
    format!("thread {} waits for {waits} at {}{holds}", blocked.thread, at(&blocked.location))
}

/// Both accesses of a race, all threads of a deadlock, and what notes point to.
fn related(finding: &Finding, places: &Places) -> Vec<SarifLocation> {
    let mut all: Vec<(&Location, String)> = Vec::new();
    // The first access is the result's own location.
    for access in finding.accesses.iter().skip(1) {
        let place = if access.access == AccessKind::Free { object_of(&access.place) } else { &access.place };
        all.push((&access.location, format!("{} of {place} by thread {}", access.in_words(), access.thread)));
    }
    all.extend(finding.blocked.iter().map(|blocked| (&blocked.location, waiting(blocked))));
    all.extend(finding.notes.iter().filter_map(|note| Some((note.location.as_ref()?, note.text.clone()))));
    (1..)
        .zip(all)
        .map(|(id, (location, text))| {
            let mut related = places.location(location);
            related.id = Some(id);
            related.message = Some(said(&text));
            related
        })
        .collect()
}

/// The calls that lead to each place.
fn stacks(finding: &Finding, places: &Places) -> Vec<Stack> {
    let mut of: Vec<(String, &Location)> = Vec::new();
    of.extend(finding.accesses.iter().map(|a| (format!("{} by thread {}", a.in_words(), a.thread), &a.location)));
    of.extend(finding.blocked.iter().map(|b| (format!("thread {}", b.thread), &b.location)));
    if of.is_empty() {
        of.push((finding.kind.title().to_owned(), &finding.location));
    }
    of.retain(|(_, location)| !location.stack.is_empty());
    of.into_iter()
        .map(|(text, location)| {
            let frames =
                location.stack.iter().map(|frame| StackFrame::builder().location(called(frame, places)).build());
            Stack::builder().message(said(&text)).frames(frames.collect::<Vec<_>>()).build()
        })
        .collect()
}

/// A frame, `function file:line:column`, as a location.
fn called(frame: &str, places: &Places) -> SarifLocation {
    let parsed = frame.split_once(' ').and_then(|(function, place)| {
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        Some(Location {
            file: file.to_owned(),
            line: line.parse().ok()?,
            column: column.parse().ok()?,
            function: function.to_owned(),
            stack: Vec::new(),
        })
    });
    places.location(&parsed.unwrap_or_else(|| Location { function: frame.to_owned(), ..Location::default() }))
}

fn properties(finding: &Finding) -> PropertyBag {
    let mut properties: BTreeMap<String, Value> = BTreeMap::new();
    let mut put = |key: &str, value: Value| properties.insert(key.to_owned(), value);
    put("id", json!(finding.id));
    if let Some(cause) = &finding.cause {
        put("cause", json!(cause));
    }
    put("confirmed", json!(finding.confirmed));
    put("shape", json!(finding.shape.map(ShapeBasis::name)));
    put("inputs", json!(finding.inputs));
    put("accesses", json!(finding.accesses));
    put("heap", json!(finding.heap));
    put("witness", json!(finding.witness));
    PropertyBag::builder().additional_properties(properties).build()
}
