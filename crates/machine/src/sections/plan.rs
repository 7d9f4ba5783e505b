//! Which calls are made where when sections change.

use super::{Change, Extent, LockPlace, Section};
use crate::program::Program;
use concurrency::Site;
use ir::cfg::Cfg;
use ir::{BlockId, FuncId, Function, Inst, LocId, Op, Operand, Terminator};
use std::collections::{BTreeMap, BTreeSet};

/// By block and instruction.
type Place = (usize, usize);

/// A call that is to be made.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// With the address of a lock, which is computed there; where that is not `unless`.
    OnLock { lock: LockPlace, callee: FuncId, unless: Option<Operand>, location: Option<LocId> },
    /// As it is made elsewhere, with what computes its argument there.
    Moved { computed: Option<Inst>, call: Inst },
}

/// What is to be done where in a function; on edges by block and edge.
#[derive(Default)]
pub(super) struct Plan {
    pub takes: BTreeMap<Place, Vec<Call>>,
    pub gives: BTreeMap<Place, Vec<Call>>,
    pub on_edges: BTreeMap<Place, Vec<Call>>,
    pub gone: BTreeSet<Place>,
}

/// Where a lock is held from, in front of an instruction, and up to which points.
struct Held<'p> {
    from: Place,
    points: &'p BTreeSet<Place>,
    /// What is made behind the last point of a way.
    at_end: Option<Call>,
    /// What is made where a way leaves that leads to no point.
    on_leaving: Call,
}

impl Program {
    pub(super) fn plan(&self, change: &Change, plans: &mut BTreeMap<FuncId, Plan>) -> Option<()> {
        match change {
            Change::Hold(section) => self.plan_section(section, plans.entry(section.function).or_default()),
            Change::Later { give, behind } => self.plan_later(*give, behind, plans),
            Change::Sooner { take, before, lock, give } => self.plan_sooner(*take, (before, lock, *give), plans),
            Change::Earlier { give, before } => self.plan_earlier(*give, before, plans),
            Change::Atomic { .. } => None,
            Change::Without { calls } => {
                for call in calls {
                    let (function, block, inst) = self.place_of(*call)?;
                    plans.entry(function).or_default().gone.insert((block.index(), inst as usize));
                }
                Some(())
            }
        }
    }

    fn plan_section(&self, section: &Section, plan: &mut Plan) -> Option<()> {
        let function = &self.module[section.function];
        let mut points = BTreeSet::new();
        match &section.extent {
            Extent::Whole => {
                plan_whole(function, section, plan);
                return Some(());
            }
            Extent::Around(sites) => self.add_points(section.function, sites, &mut points)?,
            Extent::Extended(sites) => {
                self.add_points(section.function, sites, &mut points)?;
                let calls = self.calls_on_lock(section);
                let mut known = BTreeSet::new();
                self.add_points(section.function, &calls, &mut known)?;
                plan.gone.extend(&known);
                points.extend(known);
            }
        }
        let cfg = &self.cfgs[section.function.index()];
        let from = first_place(function, cfg, &points)?;
        plan.takes.entry(from).or_default().push(section.call(section.take));
        let give = section.call(section.give);
        hold(function, &Held { from, points: &points, at_end: Some(give.clone()), on_leaving: give }, plan)
    }

    fn plan_later(&self, give: Site, behind: &[Site], plans: &mut BTreeMap<FuncId, Plan>) -> Option<()> {
        let (id, block, inst) = self.place_of(give)?;
        if !behind.iter().all(|&point| self.is_only_behind(give, point)) {
            return None;
        }
        let mut points = BTreeSet::new();
        self.add_points(id, behind, &mut points)?;
        let (function, plan) = (&self.module[id], plans.entry(id).or_default());
        let at = (block.index(), inst as usize);
        let moved = as_made_at(function, at)?;
        plan.gone.insert(at);
        let from = (at.0, at.1 + 1);
        hold(function, &Held { from, points: &points, at_end: Some(moved.clone()), on_leaving: moved }, plan)
    }

    fn plan_sooner(
        &self,
        take: Site,
        (before, lock, give): (&[Site], &LockPlace, FuncId),
        plans: &mut BTreeMap<FuncId, Plan>,
    ) -> Option<()> {
        let (id, block, inst) = self.place_of(take)?;
        let at = (block.index(), inst as usize);
        let mut points = BTreeSet::from([at]);
        self.add_points(id, before, &mut points)?;
        let (function, plan) = (&self.module[id], plans.entry(id).or_default());
        let from = first_place(function, &self.cfgs[id.index()], &points)?;
        let moved = function.blocks[at.0].insts.get(at.1)?;
        let Op::Call { callee: ir::Callee::Direct(callee), .. } = &moved.op else { return None };
        let call = |callee| Call::OnLock { lock: lock.clone(), callee, unless: None, location: moved.location };
        plan.gone.insert(at);
        plan.takes.entry(from).or_default().push(call(*callee));
        // What it holds from there on it held before.
        let points = BTreeSet::from([at]);
        hold(function, &Held { from, points: &points, at_end: None, on_leaving: call(give) }, plan)
    }

    fn plan_earlier(&self, give: Site, before: &[Site], plans: &mut BTreeMap<FuncId, Plan>) -> Option<()> {
        let (id, block, inst) = self.place_of(give)?;
        let at = (block.index(), inst as usize);
        let mut points = BTreeSet::new();
        self.add_points(id, before, &mut points)?;
        let (function, cfg) = (&self.module[id], &self.cfgs[id.index()]);
        let from = first_place(function, cfg, &points)?;
        if !all_come_to(function, cfg, from, at) {
            return None;
        }
        let plan = plans.entry(id).or_default();
        let moved = as_made_at(function, at)?;
        plan.gone.insert(at);
        plan.gives.entry(from).or_default().push(moved);
        Some(())
    }

    fn add_points(&self, of: FuncId, sites: &[Site], points: &mut BTreeSet<Place>) -> Option<()> {
        for site in sites {
            let (function, block, inst) = self.place_of(*site)?;
            if function != of {
                return None;
            }
            points.insert((block.index(), inst as usize));
        }
        Some(())
    }
}

impl Section {
    fn call(&self, callee: FuncId) -> Call {
        Call::OnLock { lock: self.lock.clone(), callee, unless: self.unless, location: None }
    }
}

/// The call at a place, to be made at another one.
fn as_made_at(function: &Function, (block, inst): Place) -> Option<Call> {
    let call = function.blocks[block].insts.get(inst)?.clone();
    let Op::Call { args, .. } = &call.op else { return None };
    let is_offset = |inst: &&Inst| match (&inst.op, args.first()) {
        (Op::Offset { dest, .. }, Some(arg)) => Operand::Reg(*dest) == arg.value,
        _ => false,
    };
    let computed = function.blocks.iter().flat_map(|block| &block.insts).find(is_offset).cloned();
    Some(Call::Moved { computed, call })
}

fn plan_whole(function: &Function, section: &Section, plan: &mut Plan) {
    plan.takes.entry((0, 0)).or_default().push(section.call(section.take));
    for (index, block) in function.blocks.iter().enumerate() {
        if matches!(block.terminator, Terminator::Return { .. }) {
            plan.gives.entry((index, block.insts.len())).or_default().push(section.call(section.give));
        }
    }
}

/// The last place that every way to these passes.
fn first_place(function: &Function, cfg: &Cfg, points: &BTreeSet<Place>) -> Option<Place> {
    let first = common_dominator(cfg, points.iter().map(|(block, _)| *block))?.index();
    let begin = points.iter().filter(|(at, _)| *at == first).map(|(_, inst)| *inst).min();
    Some((first, begin.unwrap_or(function.blocks[first].insts.len())))
}

/// The closest block through which all ways to these lead.
fn common_dominator(cfg: &Cfg, blocks: impl Iterator<Item = usize>) -> Option<BlockId> {
    let mut common: Option<BlockId> = None;
    for block in blocks.map(BlockId::new) {
        if !cfg.is_reachable(block) {
            return None;
        }
        let mut candidate = common.unwrap_or(block);
        while !cfg.dominates(candidate, block) {
            candidate = cfg.immediate_dominator(candidate)?;
        }
        common = Some(candidate);
    }
    common
}

/// Plans what is made when a lock is held no longer. Each point can be come to only through where it is held from.
fn hold(function: &Function, held: &Held, plan: &mut Plan) -> Option<()> {
    let (first, begin) = held.from;
    let points: BTreeSet<Place> =
        held.points.iter().copied().filter(|(block, inst)| *block != first || *inst >= begin).collect();
    let last_in = |block: usize| points.iter().filter(|(at, _)| *at == block).map(|(_, inst)| *inst).max();
    let needed = needed(function, first, &points);
    let successors = |block: usize| function.blocks[block].terminator.edges().map(|edge| edge.target.index());
    let mut left = vec![first];
    let mut seen = BTreeSet::from([first]);
    while let Some(block) = left.pop() {
        if !successors(block).any(|to| needed.contains(&to)) {
            // It is held here, so something follows that needs it.
            let place = (block, last_in(block)? + 1);
            plan.gives.entry(place).or_default().extend(held.at_end.clone());
            continue;
        }
        for (edge, to) in successors(block).enumerate() {
            if !needed.contains(&to) {
                plan.on_edges.entry((block, edge)).or_default().push(held.on_leaving.clone());
            } else if seen.insert(to) {
                left.push(to);
            }
        }
    }
    Some(())
}

/// The blocks from whose beginning a point can be come to without passing the beginning of the section, which is in `first`.
fn needed(function: &Function, first: usize, points: &BTreeSet<Place>) -> BTreeSet<usize> {
    let mut needed: BTreeSet<usize> = points.iter().map(|(block, _)| *block).filter(|&block| block != first).collect();
    loop {
        let leads = |block: &ir::Block| block.terminator.edges().any(|edge| needed.contains(&edge.target.index()));
        let more: Vec<usize> = (0..function.blocks.len())
            .filter(|block| *block != first && !needed.contains(block) && leads(&function.blocks[*block]))
            .collect();
        if more.is_empty() {
            return needed;
        }
        needed.extend(more);
    }
}

/// Whether every way from a place comes to another before it ends or comes to the first again, and none comes there from elsewhere.
fn all_come_to(function: &Function, cfg: &Cfg, from: Place, to: Place) -> bool {
    if from.0 == to.0 {
        return from.1 <= to.1;
    }
    let mut seen = BTreeSet::new();
    let mut left = vec![from.0];
    while let Some(block) = left.pop() {
        let edges: Vec<usize> = function.blocks[block].terminator.edges().map(|edge| edge.target.index()).collect();
        if edges.is_empty() && !matches!(function.blocks[block].terminator, Terminator::Unreachable) {
            return false;
        }
        for next in edges {
            if next == from.0 || !cfg.dominates(BlockId::new(from.0), BlockId::new(next)) {
                return false;
            }
            if next != to.0 && seen.insert(next) {
                left.push(next);
            }
        }
    }
    true
}
