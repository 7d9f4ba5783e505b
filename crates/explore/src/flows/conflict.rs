//! Two copies of a flow, or of two: whether the solver finds threads for them.

use super::{Flows, Pair, PairKind, Pairs};
use concurrency::{Scope, Site};
use ir::Space;
use machine::{
    Engine, EngineError, FlowAccess, FlowMeeting, FlowObject, Launch, LossKind, LossSite, Sizes, of_another,
    rank_in_block,
};
use rustc_hash::FxHashSet;
use smt::{Answer, TermId, Terms};

/// How two threads are to each other.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beside {
    OneWarp,
    /// In one block, and in different warps.
    TwoWarps,
    OneBlock,
    TwoBlocks,
}

/// What one of two threads does, as the first of them and as the second, whose symbols are others.
struct Copies<'a, T> {
    of: &'a T,
    /// The path condition, and that an access stays within its object: others are failures.
    guards: [Vec<TermId>; 2],
}

/// An access: where it begins, and behind what it ends.
type Spans = [(TermId, TermId); 2];

struct Conflicts<'a> {
    engine: &'a mut Engine,
    /// Of the first, and of the second.
    positions: [[TermId; 6]; 2],
    sizes: Sizes,
    launch: Launch,
    found: Pairs,
    /// Where questions are put instead of being asked.
    questions: Option<Vec<Question>>,
    /// Pairs of places that are told already.
    told: FxHashSet<(PairKind, Site, Site)>,
}

/// Whether two threads may be found that race: if and only if all of this holds together.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub kind: PairKind,
    pub sites: [Site; 2],
    pub all: Vec<TermId>,
}

/// What of all that flows do may race.
pub(super) fn between(engine: &mut Engine, flows: &Flows, launch: Launch) -> Result<Pairs, EngineError> {
    let Some(mut conflicts) = Conflicts::new(engine, flows, launch) else {
        return Ok(Pairs { flows: flows.count, ..Pairs::default() });
    };
    conflicts.divergence(flows)?;
    conflicts.accesses(flows)?;
    Ok(conflicts.found)
}

/// All that would have to be asked.
pub(super) fn questions(engine: &mut Engine, flows: &Flows, most: Launch) -> Result<Vec<Question>, EngineError> {
    let Some(mut conflicts) = Conflicts::new(engine, flows, most) else { return Ok(Vec::new()) };
    conflicts.questions = Some(Vec::new());
    conflicts.divergence(flows)?;
    conflicts.accesses(flows)?;
    Ok(conflicts.questions.unwrap_or_default())
}

impl<'a> Conflicts<'a> {
    fn new(engine: &'a mut Engine, flows: &Flows, launch: Launch) -> Option<Self> {
        let position = flows.position?;
        let other = position.map(|term| of_another(&mut engine.terms, term));
        let found = Pairs { flows: flows.count, ..Pairs::default() };
        let (positions, told) = ([position, other], FxHashSet::default());
        let sizes = flows.sizes.clone()?;
        Some(Conflicts { engine, positions, sizes, launch, found, questions: None, told })
    }
}

impl Conflicts<'_> {
    /// Threads of a block come to the same barriers, and lanes of a warp to the same places where they meet.
    fn divergence(&mut self, flows: &Flows) -> Result<(), EngineError> {
        let complete: Vec<Copies<Vec<FlowMeeting>>> =
            flows.complete.iter().map(|(meetings, path)| self.copies(meetings, path.clone())).collect();
        for (index, one) in complete.iter().enumerate() {
            for other in &complete[index + 1..] {
                let of_block = |all: &[FlowMeeting]| -> Vec<FlowMeeting> {
                    all.iter().filter(|meeting| meeting.of_lanes.is_none()).copied().collect()
                };
                let in_block = apart(&of_block(one.of), &of_block(other.of)).map(|sites| (sites, Beside::OneBlock));
                let has_lanes = |all: &[FlowMeeting]| all.iter().any(|meeting| meeting.of_lanes.is_some());
                let is_of_lanes = has_lanes(one.of) || has_lanes(other.of);
                let in_warp = || apart(one.of, other.of).map(|sites| (sites, Beside::OneWarp));
                for (sites, beside) in in_block.into_iter().chain(is_of_lanes.then(in_warp).flatten()) {
                    let paths = (&one.guards[0][..], &other.guards[1][..]);
                    self.ask(PairKind::Divergence, sites, paths, beside, None)?;
                }
                if self.found.interrupted {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn accesses(&mut self, flows: &Flows) -> Result<(), EngineError> {
        let all: Vec<(Copies<FlowAccess>, Spans)> = flows.accesses.iter().map(|access| self.access(access)).collect();
        for (index, first) in all.iter().enumerate() {
            for second in &all[index..] {
                let (x, y) = (first.0.of, second.0.of);
                if x.object != y.object || !(x.kind.writes() || y.kind.writes()) {
                    continue;
                }
                // Of different sizes they are not one after the other (PTX, 'Morally strong operations': they overlap completely).
                let both_atomic = x.atomic && y.atomic && x.size == y.size;
                let for_block = x.scope == Scope::Block || y.scope == Scope::Block;
                if !both_atomic && x.interval == y.interval {
                    // Lanes of a warp that have passed different numbers of `__syncwarp()` are ordered.
                    let in_order = x.lanes_interval != y.lanes_interval;
                    let beside = if in_order { Beside::TwoWarps } else { Beside::OneBlock };
                    self.compare(PairKind::Race, first, second, beside)?;
                }
                if !self.is_of_block(x) && (!both_atomic || for_block) {
                    let kind = if both_atomic { PairKind::Scope } else { PairKind::Race };
                    self.compare(kind, first, second, Beside::TwoBlocks)?;
                }
                if self.found.interrupted {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Both copies of what is done on a path.
    fn copies<'t, T>(&mut self, of: &'t T, guard: Vec<TermId>) -> Copies<'t, T> {
        let others = guard.iter().map(|&term| of_another(&mut self.engine.terms, term)).collect();
        Copies { of, guards: [guard, others] }
    }

    fn access<'t>(&mut self, access: &'t FlowAccess) -> (Copies<'t, FlowAccess>, Spans) {
        let terms = &mut self.engine.terms;
        let within = match access.bytes.checked_sub(access.size) {
            Some(last) => {
                let last = terms.bv(64, u128::from(last));
                terms.ule(access.offset, last)
            }
            None => terms.bv(1, 0),
        };
        let offsets = [access.offset, of_another(terms, access.offset)];
        let size = terms.bv(64, u128::from(access.size));
        let spans = offsets.map(|offset| (offset, terms.add(offset, size)));
        let guard = access.guard.iter().copied().chain([within]).collect();
        (self.copies(access, guard), spans)
    }

    fn compare(
        &mut self,
        kind: PairKind,
        (first, first_spans): &(Copies<FlowAccess>, Spans),
        (second, second_spans): &(Copies<FlowAccess>, Spans),
        beside: Beside,
    ) -> Result<(), EngineError> {
        let ((begin, end), (other_begin, other_end)) = (first_spans[0], second_spans[1]);
        let terms = &mut self.engine.terms;
        let (before, after) = (terms.ult(begin, other_end), terms.ult(other_begin, end));
        let overlap = terms.and(before, after);
        let sites = [first.of.site, second.of.site];
        self.ask(kind, sites, (&first.guards[0], &second.guards[1]), beside, Some(overlap))
    }

    /// Whether each block has an object of its own.
    fn is_of_block(&self, access: &FlowAccess) -> bool {
        let module = &self.engine.program.module;
        matches!(access.object, FlowObject::Global(id) if module[id].space == Space::Shared)
    }

    /// How two threads are to each other, of which neither is the other.
    fn beside(&mut self, beside: Beside) -> Vec<TermId> {
        let [at, other] = self.positions;
        let differ = |terms: &mut Terms, from: usize| {
            (from..from + 3).fold(terms.bv(1, 0), |any, index| {
                let differs = terms.ne(at[index], other[index]);
                terms.or(any, differs)
            })
        };
        let terms = &mut self.engine.terms;
        let block_differs = differ(terms, 3);
        if beside == Beside::TwoBlocks {
            return vec![block_differs];
        }
        let mut all = vec![terms.not(block_differs), differ(terms, 0)];
        if matches!(beside, Beside::OneWarp | Beside::TwoWarps) {
            let warps = terms.bv(32, u128::from(!(self.launch.warp - 1)));
            let [one, two] = self.positions.map(|at| {
                let rank = rank_in_block(terms, &self.sizes, &at);
                terms.and(rank, warps)
            });
            let is_one = terms.eq(one, two);
            all.push(if beside == Beside::OneWarp { is_one } else { terms.not(is_one) });
        }
        all
    }

    /// Asks for two threads.
    fn ask(
        &mut self,
        kind: PairKind,
        sites: [Site; 2],
        (path, other_path): (&[TermId], &[TermId]),
        beside: Beside,
        more: Option<TermId>,
    ) -> Result<(), EngineError> {
        let key = (kind, sites[0].min(sites[1]), sites[0].max(sites[1]));
        let is_possible = match beside {
            Beside::OneBlock | Beside::OneWarp => self.launch.block_size() > 1,
            Beside::TwoWarps => self.launch.block_size() > u64::from(self.launch.warp),
            Beside::TwoBlocks => self.launch.blocks() > 1,
        };
        if !is_possible || self.told.contains(&key) {
            return Ok(());
        }
        if self.engine.is_interrupted() {
            self.found.interrupted = true;
            return Ok(());
        }
        let beside = self.beside(beside);
        let all: Vec<TermId> = path.iter().chain(other_path).copied().chain(more).chain(beside).collect();
        let zero = self.engine.terms.bv(1, 0);
        if all.contains(&zero) {
            return Ok(());
        }
        if let Some(questions) = &mut self.questions {
            questions.push(Question { kind, sites, all });
            return Ok(());
        }
        self.found.queries += 1;
        match self.engine.solver.model(&mut self.engine.terms, &all)? {
            Answer::Unsat => {}
            Answer::Sat(model) => {
                let terms = &self.engine.terms;
                let threads = self.positions.map(|at| at.map(|term| terms.eval(term, &model) as u32));
                self.told.insert(key);
                self.found.pairs.push(Pair { kind, sites, threads });
            }
            Answer::Unknown(_) => {
                let module = &self.engine.program.module;
                let place = self.engine.program.site_location(sites[0]).map(|at| module[at].line).unwrap_or_default();
                let why = format!(
                    "all threads at once: whether two threads race at line {place} was too hard for the solver"
                );
                self.engine.note(LossKind::SolverUnknown, LossSite::Search("the launch".to_owned()), why);
            }
        }
        Ok(())
    }
}

/// Where two first come apart; the last place of one that comes to no other.
fn apart(meetings: &[FlowMeeting], others: &[FlowMeeting]) -> Option<[Site; 2]> {
    let same = meetings.iter().zip(others).take_while(|(x, y)| x == y).count();
    let next = meetings.get(same).or(others.get(same))?;
    let site = |of: &[FlowMeeting]| of.get(same).unwrap_or(next).site;
    Some([site(meetings), site(others)])
}
