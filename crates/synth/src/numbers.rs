//! Numbers that no test passes: where what a test passes shows nothing, two calls are made with any numbers, and with those then on which they
//! race.

use crate::client::Number;
use crate::plan::{Planned, Planner};
use crate::script::value_of;
use ir::{DebugType, Module, TypeId};
use std::collections::BTreeMap;

/// By call of the two that are made at once, and parameter.
pub type Numbers = BTreeMap<(usize, usize), u64>;

/// What a number that a client leaves open is called where it is an input.
fn name_of((call, parameter): (usize, usize)) -> String {
    format!("number {parameter} of call {call}")
}

/// Which number an input is.
pub fn number_named(name: &str) -> Option<(usize, usize)> {
    let (parameter, call) = name.strip_prefix("number ")?.split_once(" of call ")?;
    Some((call.parse().ok()?, parameter.parse().ok()?))
}

impl Planner<'_> {
    /// A client that leaves open which numbers its two calls get. None where they get none.
    pub fn with_any_numbers(&self, planned: &Planned) -> Option<Planned> {
        self.numbered(planned, |at, named, _| Number::Open { named: named.to_owned(), input: name_of(at) })
    }

    /// A client whose two calls get these numbers.
    pub fn with_numbers(&self, planned: &Planned, numbers: &Numbers) -> Option<Planned> {
        self.numbered(planned, |at, _, (module, ty)| {
            Number::Is(value_of(module, ty, numbers.get(&at).copied().unwrap_or_default()))
        })
    }

    fn numbered(
        &self,
        planned: &Planned,
        number: impl Fn((usize, usize), &str, (&Module, TypeId)) -> Number,
    ) -> Option<Planned> {
        let mut draft = planned.draft.clone();
        draft.numbers.clear();
        for instance in 0..2 {
            let call = draft.instances[instance].call;
            let test = self.tests.get(call.test)?;
            let (module, step) = (&test.program.module, &self.scripts[call.test].steps[call.call]);
            for (parameter, declared) in module[step.function].source_params.iter().enumerate() {
                let named = ir::c_type(module, declared.ty);
                let is_number =
                    matches!(module[module.strip(declared.ty)], DebugType::Int { .. } | DebugType::Enum { .. });
                if is_number && !named.is_empty() {
                    let at = (instance, parameter);
                    draft.numbers.insert(at, number(at, &named, (module, declared.ty)));
                }
            }
        }
        if draft.numbers.is_empty() {
            return None;
        }
        let client = draft.client(&self.scripts, &self.taken).ok()?;
        Some(Planned { draft, client, ..planned.clone() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_input_is_known_by_its_name() {
        assert_eq!(number_named(&name_of((1, 2))), Some((1, 2)));
        assert_eq!(number_named("key"), None);
    }
}
