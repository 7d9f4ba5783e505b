//! A program that holds locks for longer: what might keep accesses apart that race.
//!
//! A section takes its lock in the closest block through which every way to its accesses leads, before the first of them, and gives it back
//! on each way as soon as no access can follow without taking the lock again; or it holds it from a function's entry to each of its returns.
//!
//! Guarantee: nothing else of the program changes, and a section is left on every way on which it was entered, but where the program ends in
//! between. Not promised: that the lock can be taken there; that is for a search to see.

use crate::program::{Program, ProgramError};
use concurrency::Site;
use ir::cfg::Cfg;
use ir::{
    Argument, Block, BlockId, Callee, CastKind, Edge, FuncId, Function, GlobalId, Inst, LocId, Module, Op, Operand,
    Order, Reg, Register, Terminator, Ty, TypeId,
};
use std::collections::{BTreeMap, BTreeSet};

/// Where a lock is.
#[derive(Clone, PartialEq, Debug)]
pub enum LockPlace {
    /// So many bytes behind where a register or a global's address leads: a member of `within`, by its path (`->mutex`).
    Member {
        base: Operand,
        offset: i64,
        within: Option<TypeId>,
        path: String,
    },
    Variable {
        global: GlobalId,
        offset: i64,
    },
}

/// How far a section goes.
#[derive(Clone, PartialEq, Debug)]
pub enum Extent {
    /// No farther than these accesses.
    Around(Vec<Site>),
    /// Around these as well as what the function does already with this lock: it is one section then.
    Extended(Vec<Site>),
    /// The whole function.
    Whole,
}

/// A lock that is held for a part of a function, by the functions that take it and give it back.
#[derive(Clone, PartialEq, Debug)]
pub struct Section {
    pub function: FuncId,
    pub lock: LockPlace,
    pub take: FuncId,
    pub give: FuncId,
    pub extent: Extent,
}

/// What is to be done where: by block and instruction, by block and edge.
#[derive(Default)]
struct Plan<'s> {
    takes: BTreeMap<(usize, usize), Vec<&'s Section>>,
    gives: BTreeMap<(usize, usize), Vec<&'s Section>>,
    on_edges: BTreeMap<(usize, usize), Vec<&'s Section>>,
    gone: BTreeSet<(usize, usize)>,
}

impl Program {
    /// The calls in a section's function that take its lock or give it back: those that name it as the section does.
    pub fn calls_on_lock(&self, section: &Section) -> Vec<Site> {
        let function = &self.module[section.function];
        let mut sites = Vec::new();
        for (index, block) in function.blocks.iter().enumerate() {
            for (at, inst) in block.insts.iter().enumerate() {
                let Op::Call { callee: Callee::Direct(callee), args, .. } = &inst.op else { continue };
                let is_on_it = args.first().is_some_and(|arg| is_lock(function, arg.value, &section.lock));
                if (*callee == section.take || *callee == section.give) && is_on_it {
                    sites.extend(self.site_at(section.function, BlockId::new(index), at as u32));
                }
            }
        }
        sites
    }

    /// The same with these sections, if each can be had. Its functions are numbered as they were, its instructions are not.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn with_sections(&self, sections: &[Section]) -> Result<Option<Program>, ProgramError> {
        let mut plans: BTreeMap<FuncId, Plan> = BTreeMap::new();
        for section in sections {
            let plan = plans.entry(section.function).or_default();
            if self.plan(section, plan).is_none() {
                return Ok(None);
            }
        }
        let mut module = self.module.clone();
        for (function, plan) in &plans {
            carry_out(&mut module, *function, plan);
        }
        Program::prepared(module, self.facts.clone()).map(Some)
    }

    fn plan<'s>(&self, section: &'s Section, plan: &mut Plan<'s>) -> Option<()> {
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
        plan_around(function, &self.cfgs[section.function.index()], (section, &points), plan)
    }

    fn add_points(&self, of: FuncId, sites: &[Site], points: &mut BTreeSet<(usize, usize)>) -> Option<()> {
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

/// Whether an operand is the address of a lock, computed as the section does.
fn is_lock(function: &Function, address: Operand, lock: &LockPlace) -> bool {
    match lock {
        LockPlace::Variable { global, offset } => address == Operand::Global(*global, *offset),
        LockPlace::Member { base, offset, .. } => {
            if *offset == 0 && address == *base {
                return true;
            }
            let Operand::Reg(register) = address else { return false };
            let made = function.blocks.iter().flat_map(|block| &block.insts).find_map(|inst| match &inst.op {
                Op::Offset { dest, base, constant, indices, .. } if *dest == register && indices.is_empty() => {
                    Some((*base, *constant))
                }
                _ => None,
            });
            made == Some((*base, *offset))
        }
    }
}

fn plan_whole<'s>(function: &Function, section: &'s Section, plan: &mut Plan<'s>) {
    plan.takes.entry((0, 0)).or_default().push(section);
    for (index, block) in function.blocks.iter().enumerate() {
        if matches!(block.terminator, Terminator::Return { .. }) {
            plan.gives.entry((index, block.insts.len())).or_default().push(section);
        }
    }
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

fn plan_around<'s>(
    function: &Function,
    cfg: &Cfg,
    (section, points): (&'s Section, &BTreeSet<(usize, usize)>),
    plan: &mut Plan<'s>,
) -> Option<()> {
    let first = common_dominator(cfg, points.iter().map(|(block, _)| *block))?.index();
    let last_in = |block: usize| points.iter().filter(|(at, _)| *at == block).map(|(_, inst)| *inst).max();
    let begin = points.iter().filter(|(at, _)| *at == first).map(|(_, inst)| *inst).min();
    let begin = begin.unwrap_or(function.blocks[first].insts.len());
    plan.takes.entry((first, begin)).or_default().push(section);
    let needed = needed(function, first, points);
    let successors = |block: usize| function.blocks[block].terminator.edges().map(|edge| edge.target.index());
    let mut held = vec![first];
    let mut seen = BTreeSet::from([first]);
    while let Some(block) = held.pop() {
        if !successors(block).any(|to| needed.contains(&to)) {
            // It is held here, so something follows that needs it.
            plan.gives.entry((block, last_in(block)? + 1)).or_default().push(section);
            continue;
        }
        for (edge, to) in successors(block).enumerate() {
            if !needed.contains(&to) {
                plan.on_edges.entry((block, edge)).or_default().push(section);
            } else if seen.insert(to) {
                held.push(to);
            }
        }
    }
    Some(())
}

/// The blocks from whose beginning a point can be come to without passing the beginning of the section, which is in `first`.
fn needed(function: &Function, first: usize, points: &BTreeSet<(usize, usize)>) -> BTreeSet<usize> {
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

/// Writes what is planned into a function.
fn carry_out(module: &mut Module, id: FuncId, plan: &Plan) {
    let function = &mut module.functions[id.index()];
    for &(block, inst) in &plan.gone {
        let Op::Call { dests, .. } = &function.blocks[block].insts[inst].op else { continue };
        // What it returned is that it went well.
        let op = dests.first().map(|&dest| {
            let ty = function.register(dest).ty;
            Op::Cast { dest, kind: CastKind::Copy, from: ty, to: ty, value: Operand::Int(0) }
        });
        let nothing = Op::Fence { order: Order::Relaxed, single_thread: true };
        function.blocks[block].insts[inst].op = op.unwrap_or(nothing);
    }
    let mut at: BTreeSet<(usize, usize)> = plan.takes.keys().copied().collect();
    at.extend(plan.gives.keys());
    // Later ones first, so that earlier ones stand where they stood.
    for place in at.iter().rev() {
        let (block, inst) = *place;
        let location = location_at(&module.functions[id.index()].blocks[block], inst);
        let mut new = Vec::new();
        for section in plan.gives.get(place).into_iter().flatten() {
            new.extend(call(module, id, (section, section.give), location));
        }
        for section in plan.takes.get(place).into_iter().flatten() {
            new.extend(call(module, id, (section, section.take), location));
        }
        module.functions[id.index()].blocks[block].insts.splice(inst..inst, new);
    }
    for (&(block, edge), sections) in &plan.on_edges {
        let location = module.functions[id.index()].blocks[block].terminator_location;
        let mut insts = Vec::new();
        for section in sections {
            insts.extend(call(module, id, (section, section.give), location));
        }
        let function = &mut module.functions[id.index()];
        let between = BlockId::new(function.blocks.len());
        let Some(leads) = edge_mut(&mut function.blocks[block].terminator, edge) else { continue };
        let on = std::mem::replace(leads, Edge { target: between, args: Vec::new() });
        function.blocks.push(Block {
            params: Vec::new(),
            insts,
            terminator: Terminator::Jump(on),
            terminator_location: location,
        });
    }
}

/// Where an instruction stands, or the end of the block.
fn location_at(block: &Block, inst: usize) -> Option<LocId> {
    block.insts.get(inst).map_or(block.terminator_location, |inst| inst.location)
}

/// An edge by its place among [`Terminator::edges`].
fn edge_mut(terminator: &mut Terminator, index: usize) -> Option<&mut Edge> {
    match terminator {
        Terminator::Jump(edge) => (index == 0).then_some(edge),
        Terminator::Branch { if_true, if_false, .. } => [if_true, if_false].into_iter().nth(index),
        Terminator::Switch { cases, default, .. } => {
            cases.iter_mut().map(|(_, edge)| edge).chain(std::iter::once(default)).nth(index)
        }
        Terminator::Return { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}

/// A call with the address of a section's lock.
fn call(module: &mut Module, id: FuncId, (section, callee): (&Section, FuncId), location: Option<LocId>) -> Vec<Inst> {
    let returns = module[callee].returns.clone();
    let registers = &mut module.functions[id.index()].registers;
    let mut new = |ty| {
        registers.push(Register { ty, name: None, points_to: None });
        Reg::new(registers.len() - 1)
    };
    let mut insts = Vec::new();
    let address = match &section.lock {
        LockPlace::Variable { global, offset } => Operand::Global(*global, *offset),
        LockPlace::Member { base, offset, within, path } => {
            let dest = new(Ty::Ptr);
            let op = Op::Offset {
                dest,
                base: *base,
                constant: *offset,
                indices: Vec::new(),
                path: path.clone(),
                within: *within,
                array: false,
                part: None,
            };
            insts.push(Inst { op, location });
            Operand::Reg(dest)
        }
    };
    let dests = returns.into_iter().map(new).collect();
    let args = vec![Argument { value: address, ty: Ty::Ptr, by_value: None }];
    insts.push(Inst { op: Op::Call { dests, callee: Callee::Direct(callee), args }, location });
    insts
}
