//! What has changed since another version of the program.
//!
//! What threads do together has not changed if the part of the program that they can come to has not, wherever it stands in its
//! files, and the bounds are the same.

use super::entries::Entry;
use super::select::named;
use super::stored::Named;
use explore::{LibraryOptions, Operation, Origin, Sequence};
use machine::Program;
use report::Assumption;
use std::sync::Arc;

/// Another version of the program.
pub struct Before {
    /// What the user calls it.
    pub name: String,
    pub module: ir::Module,
}

/// How many combinations are named.
const NAMED: usize = 10;

/// Takes out what has not changed since then, and says so. Of operations that take part in what has changed, what several
/// threads do that all call the same stays: it shows whether they can be called at all.
///
/// # Errors
/// When a part of a program is none.
pub(super) fn only_changed(
    entries: &mut Vec<Entry>,
    before: &Arc<Program>,
    name: &str,
) -> Result<Assumption, machine::ProgramError> {
    let mut stays = Vec::new();
    for entry in &*entries {
        stays.push(!is_unchanged(entry, before)?);
    }
    let changed: Vec<Sequence> =
        entries.iter().zip(&stays).filter(|(_, stays)| **stays).flat_map(|(entry, _)| entry.threads()).collect();
    for (entry, stays) in entries.iter().zip(&mut stays) {
        *stays |= entry.alike().is_some_and(|calls| changed.contains(calls));
    }
    let mut left: Vec<String> = Vec::new();
    let mut each = stays.into_iter();
    entries.retain(|entry| {
        let stays = each.next().unwrap_or(true);
        if !stays {
            left.push(entry.in_words());
        }
        stays
    });
    let more = left.len().saturating_sub(NAMED);
    let mut names = left.iter().take(NAMED).cloned().collect::<Vec<_>>().join(", ");
    if more > 0 {
        names.push_str(&format!(", and {more} more"));
    }
    let detail = match left.is_empty() {
        true => format!("everything has changed since {name}, or depends on what has"),
        false => format!("what is as it was in {name} is not explored: {names}"),
    };
    Ok(Assumption { kind: "unchanged".to_owned(), detail, ..Assumption::default() })
}

/// Whether the threads of an entry do what they did.
fn is_unchanged(entry: &Entry, before: &Arc<Program>) -> Result<bool, machine::ProgramError> {
    let Some(now) = entry.narrowed()? else { return Ok(false) };
    let then = |operation: &Operation| {
        let function = named(&before.module, &operation.name, "operation").ok()?;
        Some(Operation { function, ..operation.clone() })
    };
    let sequence = |calls: &Sequence| {
        Some(Sequence { first: then(&calls.first)?, then: calls.then.iter().map(then).collect::<Option<_>>()? })
    };
    let Some(threads) = entry.calls().map(sequence).collect::<Option<Vec<Sequence>>>() else {
        return Ok(false);
    };
    let valid = match &entry.options().valid {
        Some(valid) => match then(valid) {
            Some(valid) => Some(valid),
            None => return Ok(false),
        },
        None => None,
    };
    let options = LibraryOptions { valid, ..entry.options().clone() };
    let Ok(origin) = Origin::library(before, &threads, &options) else { return Ok(false) };
    let same = Named::of(&now).zip(Named::of(&origin.narrowed()?)).is_some_and(|(now, then)| now.is(&then));
    Ok(same)
}
