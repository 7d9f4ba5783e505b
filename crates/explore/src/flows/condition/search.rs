//! The weakest candidate that suffices: weaker ones first, and none of which a known answer says that it does not.

use super::super::Flows;
use super::super::conflict::Question;
use super::super::products;
use super::quantity::{Comparison, Quantities, Values};
use super::samples::{Set, samples};
use super::{Inferred, MayRace, Needed, Outcome};
use machine::{Engine, EngineError, Launch, Sizes};
use smt::{Answer, Model, TermId};
use std::cmp::Reverse;

/// Launches that are named for a comparison which is left out.
const MOST_WITHOUT: usize = 6;
/// How many threads they have at the most, and how far from 0 their numbers are: the smallest first.
const SMALL: [(u32, u32); 5] = [(2, 4), (4, 4), (8, 16), (64, 128), (1024, 4096)];

/// The same of answers that are tried first.
const LIKELY: (u32, u32) = (16, 64);

/// Candidates that are too hard, before it is left at that.
const MOST_TOO_HARD: u64 = 30;

/// A conjunction.
struct Candidate {
    /// By number.
    of: Vec<usize>,
    /// A hash of the samples in which it holds: sets of many candidates take too much room.
    holds_in: u64,
    count: u32,
    weight: usize,
}

/// What the solver said.
enum Said {
    No,
    Yes(Model),
    TooHard,
    Interrupted,
}

enum Suffices {
    Yes,
    No,
    TooHard,
    Interrupted,
}

pub(super) struct Search<'a> {
    engine: &'a mut Engine,
    most: Launch,
    sizes: Sizes,
    quantities: Quantities,
    comparisons: Vec<Comparison>,
    /// Those that some launch may answer; the last to be answered first.
    questions: Vec<Question>,
    /// Launches in which threads may race.
    known: Vec<Values>,
    /// That a thread takes none of the ways on which it fails.
    well: Vec<TermId>,
    inferred: Inferred,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        engine: &'a mut Engine,
        most: Launch,
        sizes: Sizes,
        quantities: Quantities,
        flows: &Flows,
    ) -> Self {
        let comparisons = quantities.comparisons(&mut engine.terms);
        let flows_count = flows.count;
        let inferred =
            Inferred { outcome: Outcome::Nothing, flows: flows_count, queries: 0, candidates: 0, too_hard: 0 };
        let mut goes_well = |way: &Vec<TermId>| {
            let fails = engine.terms.and_all(way.iter().copied());
            engine.terms.not(fails)
        };
        let mut well: Vec<TermId> = flows.failing.iter().map(&mut goes_well).collect();
        if !well.is_empty() {
            well.extend(&flows.given);
        }
        let (questions, known) = (Vec::new(), Vec::new());
        Search { engine, most, sizes, quantities, comparisons, questions, known, well, inferred }
    }

    pub(super) fn run(mut self, questions: Vec<Question>) -> Result<Inferred, EngineError> {
        for question in questions {
            match self.ask(&question.all, &[])? {
                Said::No => continue,
                Said::Yes(model) => self.note(&model),
                Said::TooHard => {}
                Said::Interrupted => return Ok(self.over(Outcome::Interrupted)),
            }
            self.questions.push(question);
        }
        if self.questions.is_empty() {
            return Ok(self.over(Outcome::NotNeeded));
        }
        let samples = samples(&self.quantities, &self.most);
        let candidates = self.candidates(&samples);
        self.inferred.candidates = candidates.len() as u64;
        let outcome = match self.weakest(&candidates)? {
            Ok(Some(found)) => match self.without(&candidates[found].of)? {
                Some(needed) => Outcome::Sufficient(needed),
                None => Outcome::Interrupted,
            },
            Ok(None) => Outcome::Nothing,
            Err(outcome) => outcome,
        };
        Ok(self.over(outcome))
    }

    fn over(self, outcome: Outcome) -> Inferred {
        Inferred { outcome, ..self.inferred }
    }

    /// Conjunctions of one or two that leave launches of several threads, the weakest first; of those that hold in equally many samples, the
    /// simplest.
    fn candidates(&self, samples: &[Values]) -> Vec<Candidate> {
        let several = Set::of(samples, |sample| sample.threads() > 1);
        let each: Vec<Set> =
            self.comparisons.iter().map(|comparison| Set::of(samples, |sample| comparison.holds(sample))).collect();
        let weight = |of: &[usize]| of.iter().map(|&index| self.comparisons[index].weight()).sum();
        let mut all: Vec<Candidate> = Vec::new();
        let mut add = |of: Vec<usize>, holds_in: Set| {
            if holds_in.has_common(&several) {
                let (count, weight) = (holds_in.count(), weight(&of));
                all.push(Candidate { count, weight, of, holds_in: holds_in.hash() });
            }
        };
        // What holds everywhere is none.
        let is_some = |set: &Set| set.count() < samples.len() as u32;
        for (index, one) in each.iter().enumerate().filter(|(_, one)| is_some(one)) {
            add(vec![index], one.clone());
            for (place, other) in each.iter().enumerate().skip(index + 1) {
                let both = one.and(other);
                // Both are needed to say it.
                if both != *one && both != *other {
                    add(vec![index, place], both);
                }
            }
        }
        all.sort_by_key(|candidate| (Reverse(candidate.count), candidate.of.len(), candidate.weight));
        all
    }

    /// The number of the first that suffices, or of one that it implies and that holds in no other sample. `Err`: it did not come to its end.
    fn weakest(&mut self, candidates: &[Candidate]) -> Result<Result<Option<usize>, Outcome>, EngineError> {
        let mut best: Option<usize> = None;
        for (index, candidate) in candidates.iter().enumerate() {
            if let Some(best) = best {
                if candidate.count < candidates[best].count {
                    break;
                }
                let is_alike = candidate.holds_in == candidates[best].holds_in;
                if !is_alike || !self.is_weaker(&candidate.of, &candidates[best].of)? {
                    continue;
                }
            }
            match self.suffices(&candidate.of)? {
                Suffices::Yes if !self.may_go_well(&candidate.of)? => {}
                Suffices::Yes => best = Some(index),
                Suffices::No => {}
                Suffices::TooHard if self.inferred.too_hard == MOST_TOO_HARD => return Ok(Err(Outcome::TooHard)),
                Suffices::TooHard => self.inferred.too_hard += 1,
                Suffices::Interrupted => return Ok(Err(Outcome::Interrupted)),
            }
        }
        Ok(Ok(best))
    }

    /// Whether `one` holds wherever `other` does, and somewhere else as well.
    fn is_weaker(&mut self, one: &[usize], other: &[usize]) -> Result<bool, EngineError> {
        let (one, other) = (self.terms(one), self.terms(other));
        let within = self.sizes.within().to_vec();
        let not = |this: &mut Self, all: &[TermId]| {
            let both = this.engine.terms.and_all(all.iter().copied());
            this.engine.terms.not(both)
        };
        let (not_one, not_other) = (not(self, &one), not(self, &other));
        let goes_beyond = self.ask(&within, &[other.as_slice(), &[not_one]].concat())?;
        Ok(matches!(goes_beyond, Said::No)
            && matches!(self.ask(&within, &[one.as_slice(), &[not_other]].concat())?, Said::Yes(_)))
    }

    fn suffices(&mut self, candidate: &[usize]) -> Result<Suffices, EngineError> {
        let holds = |known: &Values| candidate.iter().all(|&index| self.comparisons[index].holds(known));
        if self.known.iter().rev().any(holds) {
            return Ok(Suffices::No);
        }
        let condition = self.terms(candidate);
        // What is quickly answered comes first: one answer is enough.
        let mut open = Vec::new();
        for index in 0..self.questions.len() {
            let all = [self.questions[index].all.as_slice(), &condition].concat();
            match self.ask_quickly(&all)? {
                Said::No => {}
                Said::TooHard => open.push((index, all)),
                answer => return Ok(self.refuted_by(index, answer)),
            }
        }
        for (index, all) in open {
            match self.ask_solver(&all)? {
                Said::No => {}
                answer => return Ok(self.refuted_by(index, answer)),
            }
        }
        Ok(Suffices::Yes)
    }

    /// Whether it leaves a launch in which some thread does not fail: where all do, nothing races, and nobody wants to be there.
    fn may_go_well(&mut self, candidate: &[usize]) -> Result<bool, EngineError> {
        if self.well.is_empty() {
            return Ok(true);
        }
        let all = [self.sizes.within(), &self.well, &self.terms(candidate)].concat();
        Ok(matches!(self.ask(&all, &[])?, Said::Yes(_)))
    }

    /// What a question's answer says of a candidate.
    fn refuted_by(&mut self, index: usize, answer: Said) -> Suffices {
        match answer {
            Said::No => Suffices::Yes,
            Said::Yes(model) => {
                self.note(&model);
                // It is likely to have an answer next time as well.
                self.questions[..=index].rotate_right(1);
                Suffices::No
            }
            Said::TooHard => Suffices::TooHard,
            Said::Interrupted => Suffices::Interrupted,
        }
    }

    /// For each comparison, small launches without it in which threads may race. None: interrupted.
    fn without(&mut self, found: &[usize]) -> Result<Option<Vec<Needed>>, EngineError> {
        let mut all = Vec::new();
        for &left_out in found {
            let mut conditions =
                self.terms(&found.iter().copied().filter(|&index| index != left_out).collect::<Vec<_>>());
            let term = self.comparisons[left_out].term;
            conditions.push(self.engine.terms.not(term));
            let mut without = Vec::new();
            for (threads, number) in SMALL {
                let small = self.quantities.small(&mut self.engine.terms, threads, number);
                let conditions = [conditions.as_slice(), &small].concat();
                if !self.launches(&conditions, &mut without)? {
                    return Ok(None);
                }
            }
            all.push(Needed { text: self.comparisons[left_out].text(), without });
        }
        Ok(Some(all))
    }

    /// Adds a launch for each question that one answers. Whether it came to the end.
    fn launches(&mut self, conditions: &[TermId], found: &mut Vec<MayRace>) -> Result<bool, EngineError> {
        for index in 0..self.questions.len() {
            if found.len() >= MOST_WITHOUT {
                break;
            }
            let Question { kind, sites, all } = self.questions[index].clone();
            match self.ask(&all, conditions)? {
                Said::No | Said::TooHard => {}
                Said::Interrupted => return Ok(false),
                Said::Yes(model) => {
                    let values = self.quantities.values(&self.engine.terms, &model);
                    let [x, y, z, i, j, k] = values.sizes.map(|size| size as u32);
                    let launch = Launch { block: [x, y, z], grid: [i, j, k], ..self.most };
                    let one = MayRace { kind, sites, launch, numbers: self.quantities.named(&values) };
                    if !found.iter().any(|known| (known.launch, &known.numbers) == (one.launch, &one.numbers)) {
                        found.push(one);
                    }
                }
            }
        }
        Ok(true)
    }

    fn terms(&self, of: &[usize]) -> Vec<TermId> {
        of.iter().map(|&index| self.comparisons[index].term).collect()
    }

    fn note(&mut self, model: &Model) {
        let values = self.quantities.values(&self.engine.terms, model);
        if !self.known.contains(&values) {
            self.known.push(values);
        }
    }

    fn ask(&mut self, all: &[TermId], more: &[TermId]) -> Result<Said, EngineError> {
        let all = [all, more].concat();
        match self.ask_quickly(&all)? {
            Said::TooHard => self.ask_solver(&all),
            answer => Ok(answer),
        }
    }

    /// Whether there is no answer even if nothing but the order of products is known, or whether there is a small one.
    fn ask_quickly(&mut self, all: &[TermId]) -> Result<Said, EngineError> {
        let terms = &mut self.engine.terms;
        if all.iter().any(|&term| terms.is_false(term)) {
            return Ok(Said::No);
        }
        let Some(simpler) = products::without(terms, all) else { return self.ask_solver(all) };
        let (threads, number) = LIKELY;
        let small = self.quantities.small(terms, threads, number);
        match self.ask_solver(&simpler)? {
            Said::Yes(_) | Said::TooHard => {}
            answer => return Ok(answer),
        }
        Ok(match self.ask_solver(&[all, &small].concat())? {
            Said::No => Said::TooHard,
            answer => answer,
        })
    }

    fn ask_solver(&mut self, all: &[TermId]) -> Result<Said, EngineError> {
        if self.engine.is_interrupted() {
            return Ok(Said::Interrupted);
        }
        self.inferred.queries += 1;
        Ok(match self.engine.solver.model(&mut self.engine.terms, all)? {
            Answer::Unsat => Said::No,
            Answer::Sat(model) => Said::Yes(model),
            Answer::Unknown(_) => Said::TooHard,
        })
    }
}
