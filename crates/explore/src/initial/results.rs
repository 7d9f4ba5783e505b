//! What calls at once come to, against what the same calls come to one after the other.
//!
//! An execution has a *result of an order* if on each heap on which it can be, some order of the calls, one after the other, comes to the same:
//! what they return, what there is, what was printed ([`machine::unlike`]). Orders are run on the heap as the execution decided it; where they
//! ask for more of it, each answer is compared by itself, and of values the solver is asked.
//!
//! Guarantee: what is called new is the result of no order, on a heap and with values that exist; where nothing is new or open, every compared
//! execution has a result of some order.
//! Not compared: heaps on which calls fail in some order, for whoever calls them then has to order them; what the environment answers; threads
//! that make several calls, of which all but the last one's return values are gone.

use super::states::InitialStates;
use super::{AloneEnd, AloneRuns};
use crate::Budget;
use crate::budget::meter::{Live, Meter};
use crate::initial::predicate::rewound;
use crate::model::Origin;
use crate::model::operation::in_words;
use concurrency::ThreadId;
use machine::{
    Decision, Differing, Engine, EngineError, ResultPlace, Seen, State, Status, Step, Unlike, compared_globals,
    result_id, result_key, unlike, whole,
};
use memory::{Fingerprint, Names};
use rustc_hash::FxHashSet;
use smt::{Answer, Model, TermId, Terms};
use std::collections::BTreeSet;
use std::rc::Rc;

/// Ends of one start that are told apart; of more, nothing is said.
const MOST_ENDS: usize = 1024;

/// Ways of calls one after the other that one end is compared with.
const MOST_WAYS: usize = 256;

/// Places that are told of one result.
const MOST_TOLD: usize = 3;

/// What calls at once come to, against what they come to one after the other.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Results {
    /// Ends that are as after some order.
    pub same: u64,
    /// Ends of which it was not found out.
    pub open: u64,
    /// Results of no order, of executions without a race: in words, and by what tells them apart in other programs too, if that is short.
    pub new: BTreeSet<(String, Option<Fingerprint>)>,
    /// Ends of no order of executions that have a race, or that stand for one that has: with the same critical sections in another order.
    pub raced: u64,
}

impl Results {
    pub(crate) fn merge(&mut self, other: Results) {
        self.same += other.same;
        self.open += other.open;
        self.new.extend(other.new);
        self.raced += other.raced;
    }
}

/// Ends of executions from one start, each once.
#[derive(Debug, Default)]
pub(crate) struct Ends {
    seen: FxHashSet<Fingerprint>,
    all: Vec<State>,
    more: bool,
}

impl Ends {
    pub(crate) fn note(&mut self, end: &State) {
        if self.seen.len() >= MOST_ENDS {
            self.more |= !self.seen.contains(&result_id(end));
        } else if self.seen.insert(result_id(end)) {
            self.all.push(end.clone());
        }
    }
}

/// What came of comparing; the greater one tells more.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Verdict {
    /// There is no order to compare it with.
    Outside,
    Same,
    Open,
    New(String),
}

impl InitialStates<'_> {
    /// Compares what executions came to from a start, the last that was given out.
    ///
    /// # Errors
    /// When the engine fails.
    pub(crate) fn results(
        &mut self,
        engine: &mut Engine,
        (start, ends): (&State, Ends),
        meter: &mut Meter,
    ) -> Result<Results, EngineError> {
        let mut results = Results { open: u64::from(ends.more), ..Results::default() };
        let noted = (std::mem::take(&mut engine.ledger), engine.statistics);
        let compared = self.alone(engine, |starts, engine| {
            for end in &ends.all {
                let verdict = starts.verdict(engine, start, end, meter)?;
                let lost = std::mem::take(&mut engine.ledger);
                match verdict {
                    Verdict::New(_) if end.raced => results.raced += 1,
                    Verdict::New(text) => drop(results.new.insert((text, key(engine, end)))),
                    Verdict::Open => results.open += 1,
                    Verdict::Same | Verdict::Outside if lost.total() > 0 => results.open += 1,
                    Verdict::Same => results.same += 1,
                    Verdict::Outside => {}
                }
            }
            Ok(())
        });
        (engine.ledger, engine.statistics) = noted;
        engine.sightings.clear();
        compared.map(|()| results)
    }

    fn verdict(
        &self,
        engine: &mut Engine,
        start: &State,
        end: &State,
        meter: &mut Meter,
    ) -> Result<Verdict, EngineError> {
        let is_plain = self.threads().iter().all(|calls| calls.length() == 1) && have_ended(end);
        if !is_plain || asks(start, end) || end.havocked.is_some() {
            return Ok(Verdict::Open);
        }
        let first = start.threads.len().saturating_sub(self.threads().len());
        let name = |thread: ThreadId| {
            let calls = thread.index().checked_sub(first).and_then(|index| self.threads().get(index));
            calls.map(|calls| calls.name()).unwrap_or_default()
        };
        let words = in_words(self.threads());
        let mut against = Against { start, end, name: &name, words, unlike: Vec::new(), ways: 0 };
        against.orders(engine, rewound(end, start), self.all_orders(), meter)
    }
}

/// One end against the orders of the calls.
struct Against<'a> {
    start: &'a State,
    end: &'a State,
    name: &'a dyn Fn(ThreadId) -> String,
    words: String,
    /// How it differs from what the orders so far come to.
    unlike: Vec<Unlike>,
    ways: usize,
}

impl Against<'_> {
    /// Compares it with what these orders come to on a heap.
    fn orders(
        &mut self,
        engine: &mut Engine,
        heap: State,
        orders: &[Rc<[ThreadId]>],
        meter: &mut Meter,
    ) -> Result<Verdict, EngineError> {
        let Some((order, rest)) = orders.split_first() else { return self.differs(engine, &heap) };
        let mut runs = AloneRuns::serial(heap, Rc::clone(order));
        let mut verdict = Verdict::Outside;
        while let Some(leaf) = runs.next(engine, meter)? {
            self.ways += 1;
            if self.ways > MOST_WAYS {
                return Ok(verdict.max(Verdict::Open));
            }
            let after = rewound(&leaf.state, self.start);
            let came = match leaf.end {
                AloneEnd::Returned(_) if have_ended(&leaf.state) => {
                    let mut unlike = unlike(engine, self.end, &leaf.state, self.start.threads.len());
                    if unlike.surely.is_empty() && unlike.values.is_empty() && !unlike.unknown {
                        Verdict::Same
                    } else {
                        if asks(self.start, &leaf.state) {
                            // It may be the same where the environment answers otherwise.
                            unlike = Unlike { unknown: true, ..Unlike::default() };
                        }
                        self.unlike.push(unlike);
                        let came = self.orders(engine, after, rest, meter)?;
                        self.unlike.pop();
                        came
                    }
                }
                AloneEnd::Returned(_) => Verdict::Open,
                AloneEnd::Waits => self.orders(engine, after, rest, meter)?,
                AloneEnd::Faulted(_) | AloneEnd::Outlived(_) | AloneEnd::Relocks { .. } | AloneEnd::NeverReturns => {
                    Verdict::Outside
                }
            };
            verdict = verdict.max(came);
        }
        Ok(if meter.stopped().is_some() { verdict.max(Verdict::Open) } else { verdict })
    }

    /// Whether there are values on a heap for which it differs from all orders.
    fn differs(&self, engine: &mut Engine, heap: &State) -> Result<Verdict, EngineError> {
        let is_unknown = |unlike: &Unlike| unlike.surely.is_empty() && unlike.unknown;
        if self.unlike.is_empty() || self.unlike.iter().any(is_unknown) {
            return Ok(Verdict::Open);
        }
        let mut holds = heap.path.terms().to_vec();
        for unlike in self.unlike.iter().filter(|unlike| unlike.surely.is_empty()) {
            holds.extend(&unlike.holds);
            let pairs = unlike.values.iter().filter_map(terms_of);
            let differ: Vec<TermId> = pairs.map(|(here, there)| engine.terms.ne(here, there)).collect();
            holds.push(engine.terms.or_all(differ));
        }
        Ok(match engine.solver.model(&mut engine.terms, &holds)? {
            Answer::Sat(model) => Verdict::New(self.in_words(&engine.terms, &model)),
            Answer::Unsat => Verdict::Same,
            Answer::Unknown(_) => Verdict::Open,
        })
    }

    /// How it differs from the order that is most like it.
    fn in_words(&self, terms: &Terms, model: &Model) -> String {
        let told = |unlike: &Unlike| -> Vec<String> {
            unlike
                .surely
                .iter()
                .chain(&unlike.values)
                .filter_map(|differing| self.told(terms, model, differing))
                .collect()
        };
        let all: Vec<Vec<String>> = self.unlike.iter().map(told).collect();
        let mut least = all.into_iter().min_by_key(Vec::len).unwrap_or_default();
        let more = least.len().saturating_sub(MOST_TOLD);
        least.truncate(MOST_TOLD);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        format!("{} at once can come to what no order of them comes to: {}{more}", self.words, least.join(", "))
    }

    fn told(&self, terms: &Terms, model: &Model, differing: &Differing) -> Option<String> {
        let words = |seen: &Seen| match seen {
            Seen::Number(term) => number(terms.width(*term), terms.eval(*term, model)),
            Seen::Words(words) => (*words).to_owned(),
        };
        let (here, there) = (words(&differing.here), words(&differing.there));
        if here == there {
            return None;
        }
        Some(match &differing.place {
            ResultPlace::Returned(thread) => format!("{} returns {here} rather than {there}", (self.name)(*thread)),
            ResultPlace::Named(name) => format!("{name} is {here} rather than {there}"),
        })
    }
}

fn terms_of(differing: &Differing) -> Option<(TermId, TermId)> {
    match (&differing.here, &differing.there) {
        (Seen::Number(here), Seen::Number(there)) => Some((*here, *there)),
        _ => None,
    }
}

/// Numbers that are large without a sign have one, for readers.
fn number(width: u32, value: u128) -> String {
    let is_negative = width > 8 && width < 128 && value >> (width - 1) & 1 == 1;
    if is_negative { (value as i128 - (1i128 << width)).to_string() } else { value.to_string() }
}

fn have_ended(state: &State) -> bool {
    state.threads.iter().all(|thread| thread.status == Status::Ended)
}

/// Whether an execution hangs on what the environment answered since its start.
fn asks(start: &State, state: &State) -> bool {
    let since = state.history.length().saturating_sub(start.history.length());
    let picks = |step: &Step| matches!(step, Step::Decide(_, Decision::Pick(_)));
    state.inputs.len() > start.inputs.len() || state.history.backwards().take(since).any(picks)
}

/// What tells an execution's end apart in other programs, too.
fn key(engine: &Engine, end: &State) -> Option<Fingerprint> {
    Some(Fingerprint::of((class(engine, end)?, result_key(&engine.terms, &engine.program.module, end)?)))
}

/// On which heaps an execution is, with which values.
fn class(engine: &Engine, state: &State) -> Option<Fingerprint> {
    let (module, shape) = (&engine.program.module, state.memory.shape());
    let mut holds: Vec<(u32, String)> =
        state.path.terms().iter().map(|&term| whole(&engine.terms, term)).collect::<Option<_>>()?;
    holds.sort();
    let globals: Vec<&str> = compared_globals(module).into_iter().map(|(name, _)| name).collect();
    Some(Fingerprint::of((Names::new(shape).canonical(module, shape), holds, globals)))
}

/// What calls come to one after the other, for programs that have the same functions.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InTurn {
    /// The heaps that are told apart, for each order.
    pub heaps: BTreeSet<Fingerprint>,
    /// The same, with how the calls end there.
    pub ends: BTreeSet<Fingerprint>,
}

/// What calls come to in each order on each heap within their preconditions. None where that is not known of all, or too much.
///
/// # Errors
/// When the engine fails.
pub fn in_turn(engine: &mut Engine, origin: &Origin, budget: &Budget) -> Result<Option<InTurn>, EngineError> {
    engine.config = origin.together();
    let live = Live::default();
    let mut meter = Meter::new(budget, &live, None);
    let mut starts = InitialStates::new(engine, origin);
    let mut found = InTurn::default();
    while let Some(start) = starts.next(engine, &mut meter)? {
        let lost = engine.ledger.total();
        let is_known = starts.alone(engine, |starts, engine| {
            for (number, order) in starts.all_orders().iter().enumerate() {
                let mut runs = AloneRuns::serial(start.state.clone(), Rc::clone(order));
                while let Some(leaf) = runs.next(engine, &mut meter)? {
                    let Some(class) = class(engine, &leaf.state) else { return Ok(false) };
                    let end = match &leaf.end {
                        AloneEnd::Returned(_) => result_key(&engine.terms, &engine.program.module, &leaf.state),
                        AloneEnd::Waits => Some(Fingerprint::of("waits")),
                        AloneEnd::Faulted(fault) => Some(Fingerprint::of(fault.kind.name())),
                        AloneEnd::Outlived(_) => Some(Fingerprint::of("outlived")),
                        AloneEnd::Relocks { .. } => Some(Fingerprint::of("relocks")),
                        AloneEnd::NeverReturns => Some(Fingerprint::of("never returns")),
                    };
                    let Some(end) = end else { return Ok(false) };
                    found.heaps.insert(Fingerprint::of((number, class)));
                    found.ends.insert(Fingerprint::of((number, class, end)));
                }
            }
            Ok::<bool, EngineError>(true)
        })?;
        if !is_known || meter.stopped().is_some() || engine.ledger.total() > lost {
            return Ok(None);
        }
    }
    Ok(meter.stopped().is_none().then_some(found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_sign_that_they_were_meant_to_have() {
        assert_eq!(number(32, 0xffff_ffff), "-1");
        assert_eq!((number(32, 7), number(8, 255), number(1, 1)), ("7".to_owned(), "255".to_owned(), "1".to_owned()));
        assert_eq!(number(64, 1 << 63), i64::MIN.to_string());
    }

    #[test]
    fn what_tells_more_counts() {
        let new = Verdict::New(String::new());
        assert_eq!(Verdict::Same.max(Verdict::Outside), Verdict::Same);
        assert_eq!(Verdict::Same.max(Verdict::Open), Verdict::Open);
        assert_eq!(new.clone().max(Verdict::Open), new);
    }
}
