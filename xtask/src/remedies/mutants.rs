//! Mutants of patches that mend: what leaves a race must not be called safe by raddle. Whether it does is asked of the enumeration of all heaps and
//! schedules, which shares no code with raddle.

use super::{Patched, is_cut, report};
use crate::ssrd::{Limits, Oracle, Revision};
use anyhow::Context;
use std::collections::BTreeSet;
use std::time::Duration;
use testkit::ui::Runner;

/// How the enumeration is bounded.
const LIMITS: Limits = Limits { depth: None, executions: 200, preemptions: 2, seconds: 60.0 };

/// What mutants came to.
#[derive(Default)]
pub(super) struct Tally {
    all: usize,
    /// They are no programs, or raddle had no time.
    left_out: usize,
    refused: usize,
    /// raddle finds nothing, and so does the enumeration.
    harmless: usize,
    /// raddle finds nothing, and it cannot be told otherwise whether there is something.
    unjudged: usize,
    wrong: Vec<String>,
    seen: BTreeSet<String>,
}

impl Tally {
    pub(super) fn is_fine(&self) -> bool {
        self.wrong.is_empty()
    }

    pub(super) fn print(&self) {
        println!(
            "\n{} mutants: {} refused, {} harmless to the enumeration as well, {} not judged, {} left out, {} wrongly accepted",
            self.all,
            self.refused,
            self.harmless,
            self.unjudged,
            self.left_out,
            self.wrong.len()
        );
        for wrong in &self.wrong {
            println!("  {wrong}");
        }
    }
}

/// Mutants of one patch of a revision.
pub(super) fn of(
    runner: &Runner,
    (patched, patch, revision): (&Patched, &str, Option<&Revision>),
    limit: Duration,
    tally: &mut Tally,
) -> anyhow::Result<()> {
    for (what, text) in mutants(&patched.text, patch) {
        if !tally.seen.insert(format!("{:?}{text}", patched.case.revision)) {
            continue;
        }
        tally.all += 1;
        let mutant = patched.with(&text)?;
        let Ok(report) = report(runner, &mutant.case, limit, &["--no-remedies"]) else {
            tally.left_out += 1;
            continue;
        };
        // What is not safe for another reason, as where a lock is kept, is no remedy either.
        if !report.findings.is_empty() || report.verdict != "safe" && !is_cut(&report) {
            tally.refused += 1;
        } else if is_cut(&report) {
            tally.left_out += 1;
        } else {
            match revision.map(|revision| is_faulted(&mutant, revision)).transpose()?.flatten() {
                Some(false) => tally.harmless += 1,
                Some(true) => tally.wrong.push(format!("{}: {what}", patched.case.name)),
                None => tally.unjudged += 1,
            }
        }
    }
    Ok(())
}

/// Whether the enumeration finds a race; none where it cannot say.
fn is_faulted(mutant: &Patched, revision: &Revision) -> anyhow::Result<Option<bool>> {
    let folder = mutant.case.directory();
    let beside = revision.case.directory().join("oracle");
    std::fs::create_dir_all(folder.join("oracle"))?;
    for entry in std::fs::read_dir(&beside).with_context(|| beside.display().to_string())? {
        let path = entry?.path();
        std::fs::copy(&path, folder.join("oracle").join(path.file_name().unwrap_or_default()))?;
    }
    let here = Revision {
        case: mutant.case.clone(),
        structure: revision.structure.clone(),
        revision: revision.revision.clone(),
        annotated: BTreeSet::new(),
        operations: revision.operations.clone(),
        depth: revision.depth,
    };
    let found = Oracle::new()?.explore(&here, LIMITS);
    Ok(found.ok().map(|found| !found.races.is_empty()))
}

/// The changed texts, each with what was done.
pub(super) fn mutants(text: &str, patch: &str) -> Vec<(String, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let added = added(patch);
    let is_call =
        |at: usize, name: &str| lines.get(at).is_some_and(|line| line.contains(name) && line.trim().ends_with(';'));
    let gives: Vec<usize> = added.iter().copied().filter(|&at| is_call(at, "unlock(")).collect();
    let takes: Vec<usize> = added.iter().copied().filter(|&at| is_call(at, "lock(") && !gives.contains(&at)).collect();
    let mut found = Vec::new();
    let mut add = |what: &str, at: usize, lines: Vec<String>| {
        found.push((format!("{what} at line {}", at + 1), lines.join("\n") + "\n"));
    };
    let own = || lines.iter().map(|&line| line.to_owned()).collect::<Vec<String>>();
    for &at in gives.iter().chain(&takes) {
        let what = if gives.contains(&at) { "not given back" } else { "not taken" };
        let mut without = own();
        without[at].clear();
        add(what, at, without);
    }
    for (&at, step) in gives.iter().map(|at| (at, -1_isize)).chain(takes.iter().map(|at| (at, 1))) {
        let Some(other) = neighbour(&lines, at, step) else { continue };
        let mut swapped = own();
        let line = swapped.remove(at);
        swapped.insert(other, line);
        add(if step < 0 { "given back a statement early" } else { "taken a statement late" }, at, swapped);
    }
    for &at in gives.iter().chain(&takes) {
        for other in other_objects(&lines, at) {
            let Some(object) = object_of(lines[at]) else { continue };
            let with = |at: usize| lines[at].replace(&format!("&{object}->"), &format!("&{other}->"));
            let mut one = own();
            one[at] = with(at);
            add(&format!("of {other} rather than {object}"), at, one);
            let mut all = own();
            for &each in gives.iter().chain(&takes) {
                all[each] = with(each);
            }
            add(&format!("all of {other} rather than {object}"), at, all);
        }
    }
    found
}

/// The lines of the new text that a difference adds, from 0.
pub(super) fn added(patch: &str) -> Vec<usize> {
    let (mut at, mut found) = (0, Vec::new());
    for line in patch.lines() {
        if let Some(hunk) = line.strip_prefix("@@ -") {
            let begins = hunk.split(" +").nth(1).and_then(|new| new.split([',', ' ']).next());
            at = begins.and_then(|line| line.parse::<usize>().ok()).map_or(at, |line| line.saturating_sub(1));
        } else if line.starts_with("+++") || line.starts_with("---") || line.starts_with('-') {
        } else {
            if line.starts_with('+') {
                found.push(at);
            }
            at += 1;
        }
    }
    found
}

/// The next statement of the same block on that side.
fn neighbour(lines: &[&str], at: usize, step: isize) -> Option<usize> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let mut other = at;
    loop {
        other = other.checked_add_signed(step)?;
        let line = lines.get(other)?;
        let code = line.split("//").next().unwrap_or_default().trim();
        if code.is_empty() {
            continue;
        }
        return (code.ends_with(';') && indent(line) == indent(lines[at])).then_some(other);
    }
}

/// `q` of `pthread_mutex_lock(&q->lock);`
fn object_of(line: &str) -> Option<&str> {
    let rest = line.split_once("(&")?.1;
    rest.rsplit_once("->").map(|(object, _)| object)
}

/// Other objects whose locks are named near a line.
fn other_objects<'t>(lines: &[&'t str], at: usize) -> BTreeSet<&'t str> {
    let near = &lines[at.saturating_sub(NEAR)..lines.len().min(at + NEAR)];
    let own = object_of(lines[at]);
    let locks = near.iter().filter(|line| line.contains("lock(&"));
    locks.filter_map(|line| object_of(line)).filter(|object| Some(*object) != own).collect()
}

const NEAR: usize = 30;

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "void f(struct s *a, struct s *b)\n{\n    pthread_mutex_lock(&b->lock);\n    b->n++;\n    a->n++;\n    \
                        pthread_mutex_unlock(&b->lock);\n}\n";
    const PATCH: &str = "--- a.c\n+++ a.c\n@@ -3,4 +3,4 @@\n     pthread_mutex_lock(&b->lock);\n     b->n++;\n-    \
                         pthread_mutex_unlock(&b->lock);\n     a->n++;\n+    pthread_mutex_unlock(&b->lock);\n }\n";

    #[test]
    fn a_mutant_is_a_patch_with_one_mistake() {
        assert_eq!(added(PATCH), [5]);
        let found = mutants(TEXT, PATCH);
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["not given back at line 6", "given back a statement early at line 6"]);
        assert!(found[1].1.contains("unlock(&b->lock);\n    a->n++;"));
    }

    #[test]
    fn another_object_is_one_whose_lock_is_named_nearby() {
        let text = TEXT.replace("    a->n++;", "    pthread_mutex_lock(&a->lock);");
        let names: Vec<String> = mutants(&text, PATCH).into_iter().map(|(name, _)| name).collect();
        assert!(names.contains(&"of a rather than b at line 6".to_owned()), "{names:?}");
    }
}
