//! Clients of races that were found on heaps that nobody has built yet: programs that reach them by public calls.
//!
//! What a search finds is written as a C program, compiled, and run by an engine of its own: only if the race shows in that
//! program too is the finding called reachable.

use super::client_program::Outcome;
use super::racing::{key_of, position, positions};
use super::select;
use super::session::Session;
use super::stored;
use crate::out;
use ::clients::{ClientOptions, Example, ExampleObject, ExampleValue, Reached, Wanted, find_clients};
use concurrency::Site;
use explore::{Operation, Position, SHARES, WantedSites, Workers};
use machine::{Config, Program};
use report::{Finding, ShapeBasis};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use witness::Witness;
use witness::format::{CellValue, HeapObject, OperationCall};

/// Of a client whose program was not run to its end.
pub(super) const UNSEEN: &str = "a client is known, but no time was left to see the race in its program";
const NO_TIME: &str = "no time was left to look for a client";

/// The instructions at each place: asking each where it is takes too long to do it for each finding.
fn sites_by_place(program: &Program) -> BTreeMap<Position, Vec<Site>> {
    let mut places: BTreeMap<Position, Vec<Site>> = BTreeMap::new();
    for site in program.sites() {
        places.entry(Position::of_site(program, site)).or_default().push(site);
    }
    places
}

impl Session {
    /// Looks for clients of the findings of a report that are named and in order; `order`: which confirmed finding each is.
    pub(super) fn look_for_clients(&mut self, findings: &mut [Finding], order: &[usize]) -> anyhow::Result<()> {
        self.look_at_heaps_of_tests(findings, order)?;
        let calls = self.parameters.library.client_calls;
        if calls == 0 {
            return Ok(());
        }
        let module = &self.engine.program.module;
        let mut public = select::public(module);
        for name in &self.parameters.library.operations {
            let function = select::named(module, name, "operation")?;
            if !public.contains(&function) {
                public.push(function);
            }
        }
        let options = ClientOptions {
            calls,
            limits: self.parameters.limits(),
            alone: Config { bounded_sizes: true, ..self.parameters.alone() },
            together: Config { bounded_sizes: true, ..self.parameters.together() },
        };
        let (mut searched, mut wanted) = (Vec::new(), Vec::new());
        let mut places = None;
        for (index, (finding, &from)) in findings.iter_mut().zip(order).enumerate() {
            let races = finding.accesses.len() == 2 && finding.shape.is_some() && finding.client.is_none();
            if !races {
                continue;
            }
            if self.exhausted().is_some() {
                finding.unreached = Some(NO_TIME.to_owned());
                continue;
            }
            let witness = self.found.confirmed[from].1.clone();
            let places = places.get_or_insert_with(|| sites_by_place(&self.engine.program));
            match self.wanted(&witness, places) {
                Ok(race) => {
                    searched.push((index, witness));
                    wanted.push(race);
                }
                Err(why) => finding.unreached = Some(why),
            }
        }
        let program = Arc::clone(&self.engine.program);
        let keys = match self.store {
            Some(_) => stored::of_clients(&program, &public, options, &wanted),
            None => Vec::new(),
        };
        // Those of which an earlier run knows nothing, or nothing that shows again.
        let (mut left, mut indices) = (Vec::new(), Vec::new());
        for (at, race) in wanted.into_iter().enumerate() {
            let known = self.store.as_mut().zip(keys.get(at)).and_then(|(store, key)| stored::client(store, key));
            let (index, witness) = &searched[at];
            let shown = match known {
                Some(reached) => self.tell(&mut findings[*index], witness, reached)?,
                None => false,
            };
            if !shown {
                left.push(race);
                indices.push(at);
            }
        }
        let new_engine = self.new_engine();
        let workers = Workers { count: self.parameters.workers, new_engine: &new_engine, shares: SHARES };
        let budget = self.time.budget.clone();
        find_clients(workers, (&program, &public), options, &left, &budget, |at, reached| -> anyhow::Result<()> {
            let at = indices[at];
            let (index, witness) = &searched[at];
            let is_over = self.time.budget.exhausted().is_none();
            if let (Some(store), Some(key), true) = (&mut self.store, keys.get(at), is_over) {
                stored::keep_client(store, key, &reached);
            }
            self.tell(&mut findings[*index], witness, reached)?;
            Ok(())
        })?;
        self.close_store();
        Ok(())
    }

    /// Where the library's tests are known, what they build comes before what calls are searched for.
    fn look_at_heaps_of_tests(&mut self, findings: &mut [Finding], order: &[usize]) -> anyhow::Result<()> {
        if self.tests.is_none() || self.exhausted().is_some() {
            return Ok(());
        }
        let is_open =
            |finding: &Finding| finding.accesses.len() == 2 && finding.shape.is_some() && finding.client.is_none();
        let open: Vec<(usize, Witness)> = findings
            .iter()
            .zip(order)
            .enumerate()
            .filter(|(_, (finding, _))| is_open(finding))
            .map(|(index, (_, &from))| (index, self.found.confirmed[from].1.clone()))
            .collect();
        for (index, outcome) in self.on_heaps_of_tests(&open)? {
            self.complete(&mut findings[index], outcome);
        }
        Ok(())
    }

    /// Completes a finding with what came of looking for its client. Whether a client that was found shows the race.
    fn tell(&mut self, finding: &mut Finding, witness: &Witness, reached: Reached) -> anyhow::Result<bool> {
        let is_client = matches!(reached, Reached::By(_));
        let outcome = self.outcome(finding, witness, reached)?;
        Ok(self.complete(finding, outcome) || !is_client)
    }

    /// Whether a client shows the race.
    fn complete(&self, finding: &mut Finding, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Reached { client, witness } => {
                finding.shape = Some(ShapeBasis::Reachable);
                finding.client = Some(client);
                let written = self.write_witness(&out::client_witness_name(&finding.id), finding, &witness);
                if let (Some(client), Some(path)) = (&mut finding.client, written) {
                    client.witness = path;
                }
                finding.unreached = None;
                true
            }
            Outcome::Not(why) => {
                finding.unreached = Some(why);
                false
            }
        }
    }

    /// The race of a witness, as a client is looked for. Otherwise why none is.
    fn wanted(&self, witness: &Witness, places: &BTreeMap<Position, Vec<Site>>) -> Result<Wanted, String> {
        let program = &self.engine.program;
        let Some(key) = key_of(witness, |access| position(&program.module, access)) else {
            return Err("its positions are not known".to_owned());
        };
        if witness.calls().flat_map(|call| &call.args).any(|argument| argument.alone) {
            return Err("clients are not looked for where callers have objects to themselves".to_owned());
        }
        let single = |called: &OperationCall| called.then.is_empty().then(|| operation(self, &called.name)).flatten();
        let operations: Option<Vec<Operation>> = witness.operations.iter().map(single).collect();
        let Some(operations) = operations.and_then(|operations| <[Operation; 2]>::try_from(operations).ok()) else {
            return Err("clients are looked for where two threads make one call each".to_owned());
        };
        let is_there = |site: &Site| site.index() < program.site_count();
        let in_order = |sites: BTreeSet<Site>| sites.into_iter().collect();
        let racing = positions(&key).filter_map(|position| places.get(position)).flatten().copied().collect();
        let other = witness.visible.iter().map(|&site| Site::new(site as usize)).filter(is_there).collect();
        let sites = WantedSites { racing: in_order(racing), other: in_order(other) };
        Ok(Wanted { operations, key, sites, example: example(witness) })
    }

    fn outcome(&mut self, finding: &Finding, witness: &Witness, reached: Reached) -> anyhow::Result<Outcome> {
        Ok(match reached {
            Reached::By(_) if self.exhausted().is_some() => Outcome::Not(UNSEEN.to_owned()),
            Reached::By(client) => self.show_client(finding, witness, &client)?,
            Reached::NotOn { heaps: 0, .. } if self.time.budget.exhausted().is_some() => {
                Outcome::Not(NO_TIME.to_owned())
            }
            Reached::NotOn { heaps, all } => Outcome::Not(not_on(heaps, all, self.parameters.library.client_calls)),
            Reached::Impossible(why) => Outcome::Not(why),
        })
    }
}

fn not_on(heaps: usize, all: bool, calls: u32) -> String {
    match all {
        true => format!("no client of up to {calls} calls leads to it: on none of the {heaps} heaps that these build"),
        false => format!("no client of up to {calls} calls is known: tried {heaps} heaps that these build, not all"),
    }
}

fn operation(session: &Session, name: &str) -> Option<Operation> {
    let function = select::named(&session.engine.program.module, name, "operation").ok()?;
    Some(Operation::new(function, name))
}

/// What a race shows on.
fn example(witness: &Witness) -> Example {
    let value = |value: &CellValue| match *value {
        CellValue::Integer(bits) => ExampleValue::Number(bits),
        CellValue::Null => ExampleValue::Null,
        CellValue::Pointer { object, offset, .. } => ExampleValue::Object(object as usize, offset),
        CellValue::Function(_) => ExampleValue::Other,
    };
    let object = |object: &HeapObject| ExampleObject {
        global: object.global.then(|| object.name.clone()),
        cells: object.cells.iter().map(|cell| (cell.offset, cell.size, value(&cell.value))).collect(),
    };
    let arguments = |index: usize| {
        let call = witness.operations.get(index);
        call.map(|call| call.args.iter().map(|argument| value(&argument.value)).collect()).unwrap_or_default()
    };
    Example { objects: witness.heap.objects.iter().map(object).collect(), arguments: [0, 1].map(arguments) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_far_the_search_went_is_said() {
        assert!(not_on(3, true, 8).contains("none of the 3 heaps"));
        assert!(not_on(3, false, 8).contains("not all"));
    }
}
