//! What of the code no execution came to, and why: with a verdict it says how much of the program that rests on.
//!
//! Lines and ways at branches are those of the source, by their places, and of several branches at one place by their order: of a function that is
//! compiled twice both copies count as one. Of operations, they are those of the functions that the explored combinations can call.
//!
//! Guarantee: what counts as reached was carried out by a thread together with all others, in one of the searches of this run, or in one of an
//! earlier run whose result is reused. Not promised: that a reason is the only one.

use crate::losses;
use explore::{branch_numbers, called_by, ways};
use ir::{BlockId, FuncId};
use machine::{Came, CodePlace, Ledger, LossSite, Program};
use report::{BranchOutcome, CodeCoverage, CoveredPlace, Unreached};
use std::collections::{BTreeMap, BTreeSet};

/// Where something stands: file, line, column or 0.
type At = (String, u32, u32);

#[derive(Default)]
pub(super) struct Reach {
    lines: BTreeMap<At, Seen>,
    /// By the number of the branch among those that stand there.
    ways: BTreeMap<(At, u32, BranchOutcome), Seen>,
    /// Whether any search has said where it came.
    is_noted: bool,
}

#[derive(Clone, Debug)]
struct Seen {
    function: String,
    reached: bool,
    /// Something that was explored can call the function; elsewhere a contract keeps callers apart.
    explored: bool,
}

impl Reach {
    /// Adds what a search came to of a program, of which these functions count.
    pub(super) fn add(&mut self, program: &Program, came: &Came, counts: impl Fn(FuncId, &ir::Function) -> bool) {
        if !came.is_noted() {
            return;
        }
        self.is_noted = true;
        let own = program.module.functions().filter(|(_, function)| !function.library);
        let functions: Vec<FuncId> = own.filter(|(id, function)| counts(*id, function)).map(|(id, _)| id).collect();
        self.note(program, &functions, Some(came));
    }

    /// Adds what an operation can call that was not explored, as a contract says.
    pub(super) fn add_kept_apart(&mut self, program: &Program, operation: FuncId) {
        let functions: BTreeSet<FuncId> = called_by(program, operation).into_iter().collect();
        let own: Vec<FuncId> = functions.into_iter().filter(|id| !program.module[*id].library).collect();
        self.note(program, &own, None);
    }

    fn note(&mut self, program: &Program, functions: &[FuncId], came: Option<&Came>) {
        let module = &program.module;
        let place = |location: Option<ir::LocId>| {
            let location = &module[location?];
            let at = (module[location.file].path.clone(), location.line, location.column);
            (location.line > 0).then_some((at, location.function.clone()))
        };
        let mut see = |at: At, way: Option<(u32, BranchOutcome)>, function: String, reached: bool| {
            let fresh = Seen { function, reached: false, explored: false };
            let seen = match way {
                Some((number, outcome)) => self.ways.entry((at, number, outcome)).or_insert(fresh),
                None => self.lines.entry((at.0, at.1, 0)).or_insert(fresh),
            };
            seen.reached |= reached;
            seen.explored |= came.is_some();
        };
        for &id in functions {
            for (index, block) in module[id].blocks.iter().enumerate() {
                let reach = came.map_or(0, |came| came.reach(program, id, BlockId::new(index)));
                let insts = block.insts.iter().map(|inst| inst.location).chain([block.terminator_location]);
                for (number, location) in insts.enumerate() {
                    if let Some((at, function)) = place(location) {
                        see(at, None, function, number < reach);
                    }
                }
            }
        }
        let wanted: BTreeSet<FuncId> = functions.iter().copied().collect();
        let numbers = branch_numbers(program);
        for (site, way) in ways(program) {
            if program.site_function(site).is_none_or(|function| !wanted.contains(&function)) {
                continue;
            }
            let outcome = super::cover::outcome(program, site, way);
            if let (Some((at, function)), Some(outcome)) = (place(program.site_location(site)), outcome) {
                let number = numbers.get(&site).copied().unwrap_or(1);
                see(at, Some((number, outcome)), function, came.is_some_and(|came| came.took(site, way)));
            }
        }
    }

    /// The figures, with what was not reached and the likeliest reason; none where no search has said where it came.
    pub(super) fn told(&self, ledger: &Ledger) -> Option<CodeCoverage> {
        let losses = Losses::new(self, ledger);
        let mut told = CodeCoverage::default();
        for (at, seen) in &self.lines {
            told.lines.count(seen.reached);
            told.places.push(CoveredPlace {
                file: at.0.clone(),
                line: at.1,
                column: 0,
                number: 0,
                outcome: None,
                reached: seen.reached,
            });
            if !seen.reached {
                told.unreached.push(losses.unreached(at, seen, None));
            }
        }
        let several: BTreeSet<&At> = self.ways.keys().filter(|way| way.1 > 1).map(|way| &way.0).collect();
        for ((at, number, outcome), seen) in &self.ways {
            told.branches.count(seen.reached);
            let ((file, line, column), number) = (at.clone(), *number);
            told.places.push(CoveredPlace {
                file,
                line,
                column,
                number,
                outcome: Some(*outcome),
                reached: seen.reached,
            });
            // Where nobody came at all, the line says so.
            let is_line_reached = self.lines.get(&(at.0.clone(), at.1, 0)).is_some_and(|line| line.reached);
            if !seen.reached && is_line_reached {
                let number = several.contains(at).then_some(number);
                told.unreached.push(Unreached { number, ..losses.unreached(at, seen, Some(*outcome)) });
            }
        }
        told.unreached.sort_by(|a, b| (&a.file, a.line, a.column).cmp(&(&b.file, b.line, b.column)));
        self.is_noted.then_some(told)
    }
}

/// A contract keeps the operation's callers apart.
const EXCLUSIVE: &str = "exclusive";
/// Nothing was lost: no execution within the bounds gets there.
const NONE_WITHIN_BOUNDS: &str = "within_bounds";

/// Why something may not have been reached.
struct Losses {
    /// By function, the kind of the first loss in it.
    within: BTreeMap<String, String>,
    /// Elsewhere, or of the search.
    other: Option<String>,
}

impl Losses {
    fn new(reach: &Reach, ledger: &Ledger) -> Self {
        let mut within = BTreeMap::new();
        let mut kinds: Vec<(&str, Option<String>)> = Vec::new();
        for (entry, _) in ledger.entries() {
            let function = match &entry.site {
                LossSite::Code(CodePlace::Line(at)) | LossSite::Call { at: CodePlace::Line(at), .. } => {
                    reach.lines.get(&(at.file.clone(), at.line, 0)).map(|seen| seen.function.clone())
                }
                LossSite::Code(CodePlace::Function(name)) | LossSite::Call { at: CodePlace::Function(name), .. } => {
                    Some(name.clone())
                }
                LossSite::Search(_) => None,
            };
            kinds.push((entry.kind.name(), function));
        }
        kinds.sort();
        for (kind, function) in &kinds {
            if let Some(function) = function {
                within.entry(function.clone()).or_insert_with(|| (*kind).to_owned());
            }
        }
        // What ended the search is about all of it.
        let other = losses::first_kind(ledger);
        Losses { within, other }
    }

    fn unreached(&self, at: &At, seen: &Seen, outcome: Option<BranchOutcome>) -> Unreached {
        let lost = || self.within.get(&seen.function).or(self.other.as_ref()).cloned();
        let reason = match seen.explored {
            false => EXCLUSIVE.to_owned(),
            true => lost().unwrap_or_else(|| NONE_WITHIN_BOUNDS.to_owned()),
        };
        let (file, line, column) = at.clone();
        let column = outcome.map(|_| column);
        Unreached { file, line, column, number: None, outcome, function: seen.function.clone(), reason }
    }
}
