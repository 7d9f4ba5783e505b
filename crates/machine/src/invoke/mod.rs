//! What a function has done before is not computed again: summaries of calls, and their invocation.
//!
//! A call of a function that only computes, reads and writes is carried out step by step when it is first met, and what it asks of the
//! state is written down: what the places hold that it reads before it writes them, what is known of pointers and
//! conditions. Whenever the function is called again with the same arguments and all of this has the same answers, its net
//! effects are applied at once: what it returns, the last write to each place, the accesses for the race check, the ways
//! taken at branches. That is a path of SSRD's decision tree and its invocation (section 3.1, algorithm 1); there a
//! summary speaks of a function in names of its own, which are converted, here of a call with all that is known there,
//! so that nothing has to be. A thread that computes something lengthy between two synchronisations does it once, however many
//! schedules there are.
//!
//! Guarantee: the state afterwards, and all counts but those of work done, are those of carrying it out. A question that has no
//! answer, or one that is new, makes the machine carry it out.

mod account;
mod candidates;
mod question;
mod record;

use crate::host::Side;
use crate::step::{StepCx, Way};
use account::Account;
use concurrency::{AccessKind, Range, Site};
use ir::FuncId;
use memory::{Pointer, Value};
use question::{Question, Reply};
use record::Recording;
use rustc_hash::FxHashMap;
use serde::Serialize;
use smallvec::SmallVec;
use std::rc::Rc;

pub(crate) use candidates::{Candidate, candidates};

/// Whether calls are summarised.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Summaries {
    Never,
    /// Where that is measured to pay.
    Pays,
    /// Wherever it is possible.
    Always,
}

/// What is called, with what.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Head {
    function: FuncId,
    /// The call in the program's own code, where the function is one of raddle's C library: its accesses are the call's.
    site: Option<Site>,
    concurrent: bool,
    /// Who reaches what.
    side: Side,
    arguments: SmallVec<[Value; 4]>,
}

/// An access that the race check is told of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Touched {
    range: Range,
    kind: AccessKind,
    site: Site,
}

/// What a call asks, and what it comes to.
#[derive(Debug, Default)]
struct Summary {
    asked: Vec<(Question, Reply)>,
    accesses: Vec<Touched>,
    writes: Vec<(Pointer, u64, Value)>,
    ways: Vec<Way>,
    results: SmallVec<[Value; 2]>,
    /// Where it would stop if these were visible.
    sites: SmallVec<[Site; 4]>,
    instructions: u64,
}

impl Summary {
    /// Questions and effects.
    fn size(&self) -> usize {
        self.asked.len() + self.accesses.len() + self.writes.len()
    }

    /// The same, with what each summary takes besides.
    fn kept(&self) -> usize {
        self.size() + 8
    }
}

/// The summaries of an engine.
#[derive(Debug, Default)]
pub(crate) struct Known {
    calls: FxHashMap<Head, Vec<Rc<Summary>>>,
    accounts: FxHashMap<FuncId, Account>,
    recording: Option<Box<Recording>>,
    /// Questions and effects that are kept.
    kept: usize,
}

/// As many are kept, some eighty bytes each: an engine's summaries take no more than 20 MiB.
const MOST_KEPT: usize = 1 << 18;

/// Summaries of one call with the same arguments.
const MOST_ALIKE: usize = 8;

/// Frames below a call that is summarised; what is deeper is near the bound for recursion.
const DEEPEST: usize = 1_000;

impl Known {
    fn keep(&mut self, head: Head, summary: Summary) {
        if self.kept + summary.kept() > MOST_KEPT {
            self.calls.clear();
            self.kept = 0;
        }
        self.kept += summary.kept();
        let alike = self.calls.entry(head).or_default();
        if alike.len() == MOST_ALIKE {
            self.kept -= alike.pop().map_or(0, |oldest| oldest.kept());
        }
        alike.insert(0, Rc::new(summary));
    }

    fn account(&mut self, function: FuncId) -> &mut Account {
        self.accounts.entry(function).or_default()
    }
}

impl StepCx<'_> {
    /// Invokes a summary of a call, if there is one; else begins to write it down, if that may pay.
    pub(crate) fn invoke(&mut self, function: FuncId, args: &[(Value, ir::Ty, Option<u64>)]) -> bool {
        if self.engine.config.summaries == Summaries::Never || !self.may_summarise(function) {
            return false;
        }
        let declared = &self.program.module[function];
        if args.len() != declared.params.len() || args.iter().any(|(_, _, by_value)| by_value.is_some()) {
            return false;
        }
        let left = self.left(function);
        if left <= 0 {
            return false;
        }
        let head = Head {
            function,
            site: declared.library.then(|| self.site()),
            concurrent: self.state.concurrent,
            side: self.thread.side,
            arguments: args.iter().map(|(value, ..)| self.state.memory.settle(*value)).collect(),
        };
        if let Some(summary) = self.matching(&head) {
            self.engine.known.account(function).invoked(summary.instructions, summary.size());
            self.apply(&summary);
            return true;
        }
        self.engine.known.account(function).looked();
        self.engine.known.recording = Some(Box::new(Recording::new(head, self.thread, left)));
        false
    }

    /// What summaries of a function may still cost.
    fn left(&mut self, function: FuncId) -> i64 {
        match self.engine.config.summaries {
            Summaries::Always => i64::MAX,
            _ => self.engine.known.account(function).left(self.engine.statistics.instructions),
        }
    }

    /// Where somebody wants to know of each access, or whether a thread alone repeats itself, every step is carried out.
    fn may_summarise(&self, function: FuncId) -> bool {
        let config = &self.engine.config;
        let candidate = match self.program.candidate(function) {
            Candidate::No => false,
            Candidate::Short => config.summaries == Summaries::Always,
            Candidate::Loops => true,
        };
        candidate
            && self.engine.known.recording.is_none()
            && config.repeats != crate::Repeats::Control
            && !config.observe
            && self.engine.log.is_none()
            && self.state.endless.is_empty()
            && self.thread.solved.is_none()
            && self.thread.frames.len() < DEEPEST
    }

    /// The summary of a call in which all questions have the answers that they have here.
    fn matching(&self, head: &Head) -> Option<Rc<Summary>> {
        let alike = self.engine.known.calls.get(head)?;
        let fits = |summary: &&Rc<Summary>| {
            summary.asked.iter().all(|&(question, answer)| self.answer(question) == Some(answer))
                && self.may_apply(summary)
        };
        alike.iter().find(fits).map(Rc::clone)
    }

    /// Nothing would stop the thread on its way.
    fn may_apply(&self, summary: &Summary) -> bool {
        let is_visible = |site| self.engine.visible.contains(site);
        let steps = self.engine.config.quiet_steps.saturating_sub(self.thread.quiet_steps);
        summary.instructions < steps && !(self.state.concurrent && summary.sites.iter().any(is_visible))
    }

    fn apply(&mut self, summary: &Summary) {
        for touched in &summary.accesses {
            self.record_from(touched.site, touched.range, touched.kind);
        }
        for &(at, size, value) in &summary.writes {
            let written = self.state.memory.write(&mut self.engine.terms, at, size, value);
            debug_assert!(written.is_ok(), "nothing is cut");
        }
        for way in &summary.ways {
            self.take_way(*way, false);
        }
        self.thread.quiet_steps += summary.instructions;
        let statistics = &mut self.engine.statistics;
        statistics.invoked += 1;
        statistics.invoked_instructions += summary.instructions;
        statistics.writes += summary.writes.len() as u64;
        statistics.reads +=
            summary.asked.iter().filter(|(question, _)| matches!(question, Question::Held(..))).count() as u64;
        crate::step::finish_call(self, &summary.results);
    }
}
