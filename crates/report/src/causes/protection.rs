//! What accesses to a field hold, as a sentence.
//!
//! Guarantee: it says no more than what it is given: of all accesses only where the search has listed them, otherwise of the
//! findings.

use super::code;
use super::subject::{class_of, field_of, object_type};
use super::title::{brief, object_of_access};
use crate::guard::{Guard, Guarded, Guards, held};
use crate::words::list;
use crate::{Access, AccessKind, Finding, Location};
use std::collections::{BTreeMap, BTreeSet};

/// Places that a sentence names.
const NAMED: usize = 4;

/// A place in the source that accesses the field: a line, or one of its accesses.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Site {
    file: String,
    line: u32,
    function: String,
    access: Option<OneAccess>,
}

/// One of a line's accesses.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct OneAccess {
    column: u32,
    kind: AccessKind,
    atomic: bool,
}

impl Site {
    fn of_access(location: &Location, kind: AccessKind, atomic: bool) -> Self {
        Site { access: Some(OneAccess { column: location.column, kind, atomic }), ..Site::of_line(location) }
    }

    fn is_atomic(&self) -> bool {
        self.access.as_ref().is_some_and(|access| access.atomic)
    }

    fn of_line(location: &Location) -> Self {
        let Location { file, line, function, .. } = location.clone();
        Site { file, line, function, access: None }
    }
}

/// What was held at a place: one set of locks, or several where that differs from time to time.
type Holdings = BTreeSet<Vec<Guard>>;

type Sites = BTreeMap<Site, Holdings>;

/// The sentence about a field, from what the search has seen of it, or from the findings about it.
pub(super) fn protection(field: &str, findings: &[&Finding], guards: &Guards) -> Option<String> {
    let mut sites = Sites::new();
    for Guarded { field: guarded, location, access, atomic, held } in &guards.accesses {
        if class_of(guarded) == field {
            note(&mut sites, Site::of_access(location, *access, *atomic), held);
        }
    }
    if sites.is_empty() {
        return of_findings(field, findings);
    }
    // Those of objects that an operation has made, and others can come to by then, were not listed.
    for (_, access) in accesses(field, findings) {
        // Without its words, a lock is not nothing.
        if access.guards.len() < access.locks.len() {
            return None;
        }
        note(&mut sites, Site::of_access(&access.location, access.access, access.atomic), &access.guards);
    }
    Some(of_all(field, &sites, guards.more))
}

/// The accesses to a field in findings.
fn accesses<'a>(field: &str, findings: &[&'a Finding]) -> impl Iterator<Item = (&'a Finding, &'a Access)> {
    let all = findings.iter().flat_map(|&finding| finding.accesses.iter().map(move |access| (finding, access)));
    all.filter(move |(finding, access)| field_of(finding, access) == field)
}

fn note(sites: &mut Sites, site: Site, held: &[Guard]) {
    let mut held = held.to_vec();
    held.sort();
    sites.entry(site).or_default().insert(held);
}

/// Whether a lock is held each time.
fn always(holdings: &Holdings, guard: &Guard) -> bool {
    holdings.iter().all(|held| held.contains(guard))
}

/// `12 of 14 accesses to `node.next[]` hold that node's `mutex`; 2 hold nothing: a.c:40 (search_node), ...`. `more`: there may be
/// others than these.
fn of_all(field: &str, sites: &Sites, more: bool) -> String {
    let object = object_type(field);
    let all = sites.len();
    let name = code(brief(field)) + if more { " that were looked at" } else { "" };
    let atomic = sites.keys().filter(|site| site.is_atomic()).count();
    let most = most_held(sites).filter(|(_, count)| *count >= atomic);
    let Some((guard, count)) = most else {
        return match (atomic, all) {
            (0, 1) => format!("{} accesses {name} without a lock.", places(&sites.keys().collect::<Vec<_>>())),
            (0, _) => format!("None of the {all} accesses to {name} holds a lock every time."),
            _ => format!("{atomic} of {all} accesses to {name} {} atomic{}.", are(atomic), not_atomic(sites, object)),
        };
    };
    let lock = guard.in_words(object);
    let without: Vec<(&Site, &Holdings)> = sites.iter().filter(|(_, held)| !always(held, &guard)).collect();
    if without.is_empty() {
        return match all {
            1 => format!("The access to {name} holds {lock}, and yet it is not ordered with itself in another thread."),
            _ => format!("All {all} accesses to {name} hold {lock}, and yet two of them are not ordered."),
        };
    }
    let verb = if count == 1 { "holds" } else { "hold" };
    format!("{count} of {all} accesses to {name} {verb} {lock}; {}.", others(&without, object))
}

fn are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

/// `; 1 is not: a.c:40 (f); 2 are not and hold that node's `mutex`: a.c:61 (g), a.c:64 (g)`.
fn not_atomic(sites: &Sites, object: &str) -> String {
    let plain = alike(sites.iter().filter(|(site, _)| !site.is_atomic()));
    let parts = plain.into_iter().map(|(holdings, sites)| {
        let held = match (holdings.iter().all(Vec::is_empty), sites.len()) {
            (true, _) => String::new(),
            (false, 1) => format!(" and holds {}", in_words(holdings, object)),
            (false, _) => format!(" and hold {}", in_words(holdings, object)),
        };
        format!("; {} {} not{held}: {}", sites.len(), are(sites.len()), places(&sites))
    });
    parts.collect()
}

/// The lock that most places hold each time, and how many do.
fn most_held(sites: &Sites) -> Option<(Guard, usize)> {
    let all: BTreeSet<&Guard> = sites.values().flatten().flatten().collect();
    let counts = all.into_iter().map(|guard| (guard, sites.values().filter(|held| always(held, guard)).count()));
    // Of equal ones the first, which is one of the object's own.
    let most = counts.filter(|(_, count)| *count > 0).min_by_key(|(_, count)| std::cmp::Reverse(*count))?;
    Some((most.0.clone(), most.1))
}

/// `2 hold nothing: a.c:40 (f), a.c:61 (g)`, for each set of locks.
fn others(sites: &[(&Site, &Holdings)], object: &str) -> String {
    let parts = alike(sites.iter().copied()).into_iter().map(|(holdings, sites)| {
        let verb = if sites.len() == 1 { "holds" } else { "hold" };
        format!("{} {verb} {}: {}", sites.len(), in_words(holdings, object), places(&sites))
    });
    parts.collect::<Vec<_>>().join("; ")
}

/// Places by what they hold, those with nothing first.
fn alike<'a>(sites: impl Iterator<Item = (&'a Site, &'a Holdings)>) -> BTreeMap<&'a Holdings, Vec<&'a Site>> {
    let mut groups: BTreeMap<&Holdings, Vec<&Site>> = BTreeMap::new();
    for (site, held) in sites {
        groups.entry(held).or_default().push(site);
    }
    groups
}

/// `nothing`, `that node's `mutex``, `nothing or that node's `mutex``.
fn in_words(holdings: &Holdings, object: &str) -> String {
    holdings.iter().map(|guards| held(guards, object)).collect::<Vec<_>>().join(" or ")
}

/// `a.c:40 (search_node), :61 (insert) and 3 more`: each line once, and a file at its first line.
fn places(sites: &[&Site]) -> String {
    let mut words: Vec<String> = Vec::new();
    let mut before: Option<&Site> = None;
    for &site in sites {
        let is_same = |before: &Site| before.file == site.file;
        if before.is_some_and(|before| is_same(before) && before.line == site.line) {
            continue;
        }
        let file = if before.is_some_and(is_same) { "" } else { &site.file };
        words.push(format!("{file}:{} ({})", site.line, site.function));
        before = Some(site);
    }
    if words.len() > NAMED {
        let more = words.len() - NAMED + 1;
        words.truncate(NAMED - 1);
        words.push(format!("{more} more"));
    }
    list(&words)
}

/// What is known where only findings are: `In these findings, a.c:40 (f) holds nothing; a.c:70 (g) holds that node's `mutex``.
fn of_findings(field: &str, findings: &[&Finding]) -> Option<String> {
    let mut sites = Sites::new();
    let mut object = object_type(field).to_owned();
    for (finding, access) in accesses(field, findings) {
        // Without its words, a lock is not nothing.
        if access.guards.len() < access.locks.len() {
            return None;
        }
        object = object_of_access(finding, access);
        note(&mut sites, Site::of_line(&access.location), &access.guards);
    }
    let groups = alike(sites.iter());
    if groups.len() == 1 && groups.keys().all(|held| held.iter().all(Vec::is_empty)) {
        return Some(format!("In these findings no access to {} holds a lock.", code(brief(field))));
    }
    let parts: Vec<String> = groups
        .iter()
        .map(|(holdings, sites)| {
            let lines: BTreeSet<(&str, u32)> = sites.iter().map(|site| (site.file.as_str(), site.line)).collect();
            let verb = if lines.len() == 1 { "holds" } else { "hold" };
            format!("{} {verb} {}", places(sites), in_words(holdings, &object))
        })
        .collect();
    (!parts.is_empty()).then(|| format!("In these findings, {}.", parts.join("; ")))
}
