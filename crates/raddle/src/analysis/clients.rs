//! Clients of races that were found on heaps that nobody has built yet: programs that reach them by public calls.
//!
//! What a search finds is written as a C program, compiled, and run by an engine of its own: only if the race shows in that
//! program too is the finding called reachable.

use super::client_program::Outcome;
use super::racing::{is_at, key_of, position};
use super::select;
use super::session::Session;
use super::stored;
use crate::out;
use crate::outcome::complain;
use explore::{
    ClientOptions, Example, ExampleObject, ExampleValue, Operation, Position, Reached, SHARES, Wanted, WantedSites,
    Workers, find_clients,
};
use machine::Config;
use report::{Finding, ShapeBasis};
use std::sync::Arc;
use witness::Witness;
use witness::format::{CellValue, HeapObject, OperationCall};

impl Session {
    /// Looks for clients of the findings of a report that are named and in order; `order`: which confirmed finding each is.
    pub(super) fn look_for_clients(&mut self, findings: &mut [Finding], order: &[usize]) -> anyhow::Result<()> {
        for suffix in out::CLIENT_SUFFIXES {
            // What cannot be removed is written over, or belongs to no finding of this run.
            let _ = out::remove_named(&self.out, suffix);
        }
        let calls = self.parameters.client_calls;
        if calls == 0 {
            return Ok(());
        }
        let module = &self.engine.program.module;
        let mut public: Vec<ir::FuncId> = module.functions().filter(|(_, f)| f.external).map(|(id, _)| id).collect();
        for name in &self.parameters.operations {
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
        for (index, (finding, &from)) in findings.iter_mut().zip(order).enumerate() {
            let races = finding.accesses.len() == 2 && finding.shape.is_some();
            if !races {
                continue;
            }
            let witness = self.confirmed[from].1.clone();
            match self.wanted(&witness) {
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
        let budget = self.budget.clone();
        find_clients(workers, (&program, &public), options, &left, &budget, |at, reached| -> anyhow::Result<()> {
            let at = indices[at];
            let (index, witness) = &searched[at];
            let is_over = self.budget.exhausted().is_none();
            if let (Some(store), Some(key), true) = (&mut self.store, keys.get(at), is_over) {
                stored::keep_client(store, key, &reached);
            }
            self.tell(&mut findings[*index], witness, reached)?;
            Ok(())
        })?;
        self.close_store();
        Ok(())
    }

    /// Completes a finding with what came of looking for its client. Whether a client that was found shows the race.
    fn tell(&mut self, finding: &mut Finding, witness: &Witness, reached: Reached) -> anyhow::Result<bool> {
        let is_client = matches!(reached, Reached::By(_));
        Ok(match self.outcome(finding, witness, reached)? {
            Outcome::Reached { client, witness } => {
                finding.shape = Some(ShapeBasis::Reachable);
                finding.client = Some(client);
                if let Err(why) = self.write_witness(&out::client_witness_name(&finding.id), finding, &witness) {
                    complain(&format!("raddle: notice: {why}\n"));
                }
                finding.unreached = None;
                true
            }
            Outcome::Not(why) => {
                finding.unreached = Some(why);
                !is_client
            }
        })
    }

    /// The race of a witness, as a client is looked for. Otherwise why none is.
    fn wanted(&self, witness: &Witness) -> Result<Wanted, String> {
        let program = &self.engine.program;
        let Some(key) = key_of(witness, |access| position(&program.module, access)) else {
            return Err("its positions are not known".to_owned());
        };
        let single = |called: &OperationCall| called.then.is_empty().then(|| operation(self, &called.name)).flatten();
        let operations: Option<Vec<Operation>> = witness.operations.iter().map(single).collect();
        let Some(operations) = operations.and_then(|operations| <[Operation; 2]>::try_from(operations).ok()) else {
            return Err("clients are looked for where two threads make one call each".to_owned());
        };
        let racing = program.sites().filter(|site| is_at(&key, &Position::of_site(program, *site))).collect();
        let other = program.sites().filter(|site| witness.visible.contains(&(site.index() as u32))).collect();
        Ok(Wanted { operations, key, sites: WantedSites { racing, other }, example: example(witness) })
    }

    fn outcome(&mut self, finding: &Finding, witness: &Witness, reached: Reached) -> anyhow::Result<Outcome> {
        Ok(match reached {
            Reached::By(client) => self.show_client(finding, witness, &client)?,
            Reached::NotOn { heaps: 0, .. } if self.budget.exhausted().is_some() => {
                Outcome::Not("no time was left to look for a client".to_owned())
            }
            Reached::NotOn { heaps, all } => Outcome::Not(not_on(heaps, all, self.parameters.client_calls)),
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
    Some(Operation { function, name: name.to_owned(), private: Vec::new() })
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
