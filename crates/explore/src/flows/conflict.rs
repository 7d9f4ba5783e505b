//! Two copies of a flow, or of two: whether the solver finds threads for them.

use super::{Flows, Pair, PairKind, Pairs};
use concurrency::{Scope, Site};
use ir::Space;
use machine::{Engine, EngineError, FlowAccess, FlowMeeting, FlowObject, Launch, LossKind, LossSite, of_another};
use rustc_hash::FxHashSet;
use smt::{Answer, TermId};

/// How two threads are to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Beside {
    OneWarp,
    OneBlock,
    TwoBlocks,
}

struct Conflicts<'a> {
    engine: &'a mut Engine,
    flows: &'a Flows,
    position: [TermId; 6],
    /// That of the other.
    other: [TermId; 6],
    launch: Launch,
    found: Pairs,
    /// Pairs of places that are told already.
    told: FxHashSet<(PairKindNumber, Site, Site)>,
}

type PairKindNumber = u8;

/// What of all that flows do may race.
pub(super) fn between(engine: &mut Engine, flows: &Flows, launch: Launch) -> Result<Pairs, EngineError> {
    let found = Pairs { flows: flows.count, accesses: flows.accesses.len(), ..Pairs::default() };
    let Some(position) = flows.position else { return Ok(found) };
    let other = position.map(|term| of_another(&mut engine.terms, term));
    let mut conflicts = Conflicts { engine, flows, position, other, launch, found, told: FxHashSet::default() };
    conflicts.divergence()?;
    conflicts.accesses()?;
    Ok(conflicts.found)
}

impl Conflicts<'_> {
    /// Threads of a block come to the same barriers, and lanes of a warp to the same places where they meet.
    fn divergence(&mut self) -> Result<(), EngineError> {
        let complete: Vec<_> = self.flows.complete.iter().collect();
        for (index, (meetings, path)) in complete.iter().enumerate() {
            for (others, other_path) in &complete[index + 1..] {
                let of_block = |all: &[FlowMeeting]| -> Vec<FlowMeeting> {
                    all.iter().filter(|meeting| meeting.of_lanes.is_none()).copied().collect()
                };
                let apart = apart(&of_block(meetings), &of_block(others)).map(|sites| (sites, Beside::OneBlock));
                let in_warp = || apart_in_warp(meetings, others);
                let Some((sites, beside)) = apart.or_else(in_warp) else { continue };
                self.ask(PairKind::Divergence, sites, (path, other_path), beside, None)?;
                if beside == Beside::OneBlock
                    && let Some((sites, beside)) = in_warp()
                {
                    self.ask(PairKind::Divergence, sites, (path, other_path), beside, None)?;
                }
                if self.found.interrupted {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn accesses(&mut self) -> Result<(), EngineError> {
        let all = &self.flows.accesses;
        for (index, first) in all.iter().enumerate() {
            for second in &all[index..] {
                if first.object != second.object || !(first.kind.writes() || second.kind.writes()) {
                    continue;
                }
                // Of different sizes they are not one after the other (PTX, 'Morally strong operations': they overlap completely).
                let both_atomic = first.atomic && second.atomic && first.size == second.size;
                let for_block = first.scope == Scope::Block || second.scope == Scope::Block;
                if !both_atomic && first.interval == second.interval {
                    self.compare(PairKind::Race, first, second, Beside::OneBlock)?;
                }
                if !self.is_of_block(first) && (!both_atomic || for_block) {
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

    fn compare(
        &mut self,
        kind: PairKind,
        first: &FlowAccess,
        second: &FlowAccess,
        beside: Beside,
    ) -> Result<(), EngineError> {
        let in_bounds = [first, second].map(|access| self.within(access));
        let second_offset = of_another(&mut self.engine.terms, second.offset);
        let terms = &mut self.engine.terms;
        let end = |terms: &mut smt::Terms, offset: TermId, size: u64| {
            let size = terms.bv(64, u128::from(size));
            terms.add(offset, size)
        };
        let (first_end, second_end) = (end(terms, first.offset, first.size), end(terms, second_offset, second.size));
        let (before, after) = (terms.ult(first.offset, second_end), terms.ult(second_offset, first_end));
        let other_in_bounds = of_another(terms, in_bounds[1]);
        let overlap = terms.and_all([before, after, in_bounds[0], other_in_bounds]);
        self.ask(kind, [first.site, second.site], (&first.guard, &second.guard), beside, Some(overlap))
    }

    /// An access stays within its object: others are failures.
    fn within(&mut self, access: &FlowAccess) -> TermId {
        let Some(last) = access.bytes.checked_sub(access.size) else { return self.engine.terms.bv(1, 0) };
        let last = self.engine.terms.bv(64, u128::from(last));
        self.engine.terms.ule(access.offset, last)
    }

    /// Whether each block has an object of its own.
    fn is_of_block(&self, access: &FlowAccess) -> bool {
        let module = &self.engine.program.module;
        matches!(access.object, FlowObject::Global(id) if module[id].space == Space::Shared)
    }

    /// The rank of the first thread of a thread's warp.
    fn first_of_warp(&mut self, [x, y, z, ..]: [TermId; 6]) -> TermId {
        let terms = &mut self.engine.terms;
        let [width, height, _] = self.launch.block.map(|size| terms.bv(32, u128::from(size)));
        let rows = terms.mul(z, height);
        let rows = terms.add(rows, y);
        let before = terms.mul(rows, width);
        let rank = terms.add(before, x);
        let warps = terms.bv(32, u128::from(!(self.launch.warp - 1)));
        terms.and(rank, warps)
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
        let (low, high) = (sites[0].min(sites[1]), sites[0].max(sites[1]));
        let key = (kind as PairKindNumber, low, high);
        let product = |sizes: [u32; 3]| sizes.iter().map(|&size| u64::from(size)).product::<u64>();
        let is_possible = match beside {
            Beside::OneBlock | Beside::OneWarp => product(self.launch.block) > 1,
            Beside::TwoBlocks => product(self.launch.grid) > 1,
        };
        if !is_possible || self.told.contains(&key) {
            return Ok(());
        }
        if self.engine.is_interrupted() {
            self.found.interrupted = true;
            return Ok(());
        }
        let mut all: Vec<TermId> = path.to_vec();
        for &term in other_path {
            all.push(of_another(&mut self.engine.terms, term));
        }
        all.extend(more);
        let differ = |conflicts: &mut Self, from: usize| {
            let terms = &mut conflicts.engine.terms;
            (from..from + 3).fold(terms.bv(1, 0), |any, index| {
                let differs = terms.ne(conflicts.position[index], conflicts.other[index]);
                terms.or(any, differs)
            })
        };
        let block_differs = differ(self, 3);
        match beside {
            Beside::OneBlock | Beside::OneWarp => {
                let same = self.engine.terms.not(block_differs);
                let differs = differ(self, 0);
                all.extend([same, differs]);
                if beside == Beside::OneWarp {
                    let warps = [self.position, self.other].map(|at| self.first_of_warp(at));
                    all.push(self.engine.terms.eq(warps[0], warps[1]));
                }
            }
            Beside::TwoBlocks => all.push(block_differs),
        }
        let zero = self.engine.terms.bv(1, 0);
        if all.contains(&zero) {
            return Ok(());
        }
        self.found.queries += 1;
        match self.engine.solver.model(&mut self.engine.terms, &all)? {
            Answer::Unsat => {}
            Answer::Sat(model) => {
                let value = |terms: &smt::Terms, term: TermId| terms.eval(term, &model) as u32;
                let threads = [self.position, self.other].map(|at| at.map(|term| value(&self.engine.terms, term)));
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

fn apart_in_warp(meetings: &[FlowMeeting], others: &[FlowMeeting]) -> Option<([Site; 2], Beside)> {
    let meets = |all: &[FlowMeeting]| all.iter().any(|meeting| meeting.of_lanes.is_some());
    let apart = (meets(meetings) || meets(others)).then(|| apart(meetings, others))?;
    apart.map(|sites| (sites, Beside::OneWarp))
}
