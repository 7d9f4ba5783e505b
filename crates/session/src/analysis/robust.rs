//! What weak atomics allow, where that is all that is left open.
//!
//! A search under sequential consistency comes first: it finds what there is to find soonest. Where it is whole, finds nothing, and nothing but
//! weak orders keeps its result open, all classes of executions are explored once more, each by itself, and every atomic event is asked what
//! else it could see ([`machine::Weak::Ask`]). What they allow is not left at that: stronger orders are tried ([`explore::stronger_orders`]).

use super::Ticker;
use super::select::MAIN;
use super::session::Session;
use super::stronger;
use super::watch::{Parts, Watch};
use explore::{
    Enough, Exploration, JointOptions, Origin, Paused, SHARES, Workers, explore_until_fault, library_until_fault,
    stronger_orders,
};
use machine::{Ledger, LedgerEntry, LossKind, Program, Remedy};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

/// The part of the time that is left in which that is asked, and the time where there is no limit.
const PART: u32 = 2;
const AT_MOST: Duration = Duration::from_secs(60);

/// The part of the time that is left in which stronger orders are tried, and the time for all of a run where there is no limit.
const PART_FOR_ORDERS: u32 = 4;
const AT_MOST_FOR_ORDERS: Duration = Duration::from_secs(30);

/// What is asked of a part of the search: where its executions begin, and how it was explored.
pub(super) struct Question<'q> {
    pub(super) origin: &'q Origin,
    pub(super) options: JointOptions,
    pub(super) others: [&'q dyn Parts; 2],
}

fn is_about_more(ledger: &Ledger) -> bool {
    ledger.entries().any(|(entry, _)| entry.kind != LossKind::WeakMemory)
}

/// Whether some weak order keeps a result open.
pub(super) fn is_open(ledger: &Ledger) -> bool {
    ledger.entries().any(|(entry, _)| entry.kind == LossKind::WeakMemory)
}

/// Whether weak orders are all that keeps a result open.
fn may_be_asked(explored: &Exploration, options: &JointOptions) -> bool {
    explored.exhausted.is_none()
        && explored.findings.is_empty()
        && is_open(&explored.ledger)
        && !is_about_more(&explored.ledger)
        && options.schedules.are_divisible()
}

/// Whether an answer is whole, and about nothing else.
fn is_answer(asked: &Exploration) -> bool {
    asked.exhausted.is_none() && asked.findings.is_empty() && !is_about_more(&asked.ledger)
}

/// Whether an answer that is not whole has something that no interleaving shows: that is so whatever else there is.
fn is_enough(asked: &Exploration) -> bool {
    let is_disorder = |entry: &LedgerEntry| matches!(entry.remedy, Remedy::Orders(_));
    asked.findings.is_empty() && asked.ledger.entries().any(|(entry, _)| is_disorder(entry))
}

/// The ledger of a search under sequential consistency, with why it is not known what weak orders allow.
fn unanswered(ledger: &Ledger, why: &'static str) -> Ledger {
    ledger.with_remedies(|remedy| match remedy {
        Remedy::SequentialConsistency => why.into(),
        other => other.clone(),
    })
}

const NO_TIME: &str = "what its order allows was not found out in time; --max-time with a larger value, or --memory=sc, if sequential consistency may be assumed";
const NO_END: &str = "what its order allows is not looked for in programs that do not end by themselves; --memory=sc, if sequential consistency may be assumed";

impl Session {
    /// Where all that is left open is what weak atomics allow, that is asked, within `time`; whether nothing is open any more.
    pub(super) fn ask_of_weak(
        &mut self,
        question: &Question,
        explored: &mut Exploration,
        time: Option<Duration>,
        ticker: &mut Ticker,
    ) -> bool {
        if self.time.budget.apart || !may_be_asked(explored, &question.options) {
            return false;
        }
        let program = question.origin.program();
        if program.has_one_atomic_place() {
            explored.ledger = Ledger::default();
            self.seen.robust = true;
            return true;
        }
        // From `main`, or from nowhere: what a library's calls do that never end is cut, and left open.
        if matches!(question.origin, Origin::Main { .. }) && program.has_endless_loop() {
            explored.ledger = unanswered(&explored.ledger, NO_END);
            return false;
        }
        let part = time.map_or(AT_MOST, |time| time / PART);
        let Some(asked) = self.asked(question, program, None, part, ticker) else { return false };
        if !is_answer(&asked) {
            explored.ledger = match is_enough(&asked) {
                true => stronger::in_words(program, &asked.ledger, &[]),
                false => unanswered(&explored.ledger, NO_TIME),
            };
            return false;
        }
        let is_robust = asked.ledger.is_empty();
        explored.ledger = match is_robust {
            true => asked.ledger,
            false => self.with_stronger_orders(question, asked.ledger, time, ticker),
        };
        self.seen.robust |= is_robust;
        is_robust
    }

    /// Explores all classes of executions, each by itself: states that are alike have different pasts, so that none stands for another. Ends
    /// early where `until` is set: by the first event that could see something else. None where raddle failed.
    fn asked(
        &mut self,
        question: &Question,
        program: &Arc<Program>,
        until: Option<&Arc<AtomicBool>>,
        time: Duration,
        ticker: &mut Ticker,
    ) -> Option<Exploration> {
        let options = question.options.by_class();
        let origin = question.origin.asking_weak().with_joint(options).with_program(program);
        let engines = self.new_engine();
        let new_engine = |program: &Arc<Program>| {
            let mut engine = engines(program)?;
            engine.disordered = until.map(Arc::clone);
            Ok(engine)
        };
        let mut budget = self.limited_search(Some(time));
        budget.enough = until.map(|until| Enough::once(Arc::clone(until)));
        let workers = Workers { count: self.parameters.workers, new_engine: &new_engine, shares: SHARES };
        let mut watch = Watch { ticker, session: self, others: question.others, is_stage: true };
        let paused = Paused::default();
        let (asked, fault) = match origin {
            Origin::Main { .. } => explore_until_fault(workers, &origin, options, &budget, &mut watch, MAIN, paused),
            _ => library_until_fault(workers, &origin, &budget, &mut watch, paused),
        };
        self.limited(None);
        let is_whole = fault.is_none();
        self.failed(fault);
        self.add_explored(&Ledger::default(), asked.spent.clone());
        is_whole.then_some(asked)
    }

    /// The ledger, with what would keep weak orders from what they allow: what was tried.
    fn with_stronger_orders(
        &mut self,
        question: &Question,
        ledger: Ledger,
        time: Option<Duration>,
        ticker: &mut Ticker,
    ) -> Ledger {
        let begun = Instant::now();
        let part = match time {
            Some(time) => time / PART_FOR_ORDERS,
            None => AT_MOST_FOR_ORDERS.saturating_sub(self.seen.orders_tried),
        };
        let program = Arc::clone(question.origin.program());
        let mut ask = |program: &Arc<Program>, ends_early: bool| -> Option<Ledger> {
            let left = part.checked_sub(begun.elapsed()).filter(|left| !left.is_zero())?;
            let until = ends_early.then(Arc::default);
            self.asked(question, program, until.as_ref(), left, ticker).filter(is_answer).map(|asked| asked.ledger)
        };
        let tried = stronger_orders(&program, &ledger, &mut ask);
        self.seen.orders_tried += begun.elapsed();
        stronger::in_words(&program, &ledger, &tried)
    }
}
