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

#[cfg(test)]
mod tests {
    use super::*;

    /// `f` reads its object's second word on one way and in a loop on the other; what it does not do is left out.
    const TEXT: &str = "T0 = void\nT1 = signed int 4\nT2 = struct s 8 { 0 lock: T1, 4 n: T1 }\nT3 = ptr T2\n\
        fn f0 take(%0 l: ptr) -> i32 external\n  returns T1 source(l: T3)\n\
        fn f1 give(%0 l: ptr) -> i32 external\n  returns T1 source(l: T3)\n\
        fn f2 f(%0 s: ptr, %1 a: i1) -> i32 external\n  returns T1 source(s: T3, a: T1) {\n\
        b0:\n  branch %1, b1, b4\n\
        b1:\n  %2: ptr = offset %0 + 4 \"->n\"\n  %3 = load i32 [%2]\n  %4 = cmp eq i32 %3, 0\n  branch %4, b2, b3\n\
        b2:\n  return 0\n\
        b3:\n  %5: ptr = offset %0 + 4 \"->n\"\n  store i32 1, [%5]\n  return 1\n\
        b4:\n  return 2\n}\n";

    fn program() -> Program {
        Program::new(ir::text::parse(TEXT).expect("valid IR"), 2).expect("a program")
    }

    fn section(program: &Program, extent: Extent) -> Section {
        let named = |name: &str| program.module.functions_named(name).next().expect("it is there");
        let base = Operand::Reg(program.module[named("f")].params[0].reg);
        let lock = LockPlace::Member { base, offset: 0, within: None, path: "->lock".to_owned() };
        Section { function: named("f"), lock, take: named("take"), give: named("give"), extent }
    }

    fn accesses(program: &Program) -> Vec<Site> {
        let is_access = |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. });
        program.sites().filter(|&site| program.site_op(site).is_some_and(is_access)).collect()
    }

    /// On every way from the entry to a return, which calls there are and whether an access stands between them: `<` takes, `>` gives, `.`
    /// accesses.
    fn ways(program: &Program, section: &Section) -> Vec<String> {
        let function = &program.module[section.function];
        let mut found = Vec::new();
        let mut left = vec![(0, String::new())];
        while let Some((block, mut way)) = left.pop() {
            for inst in &function.blocks[block].insts {
                match &inst.op {
                    Op::Call { callee: Callee::Direct(callee), .. } if *callee == section.take => way.push('<'),
                    Op::Call { callee: Callee::Direct(callee), .. } if *callee == section.give => way.push('>'),
                    Op::Load { .. } | Op::Store { .. } => way.push('.'),
                    _ => {}
                }
            }
            let to: Vec<usize> = function.blocks[block].terminator.edges().map(|edge| edge.target.index()).collect();
            if to.is_empty() {
                found.push(way.clone());
            }
            left.extend(to.into_iter().map(|to| (to, way.clone())));
        }
        found.sort();
        found
    }

    fn changed(extent: impl Fn(&[Site]) -> Extent) -> Vec<String> {
        let program = program();
        let section = section(&program, extent(&accesses(&program)));
        let changed = program.with_sections(std::slice::from_ref(&section)).expect("a program").expect("it can be had");
        ways(&changed, &section)
    }

    #[test]
    fn a_section_is_as_short_as_its_accesses_and_left_on_every_way() {
        assert_eq!(ways(&program(), &section(&program(), Extent::Whole)), ["", ".", ".."]);
        assert_eq!(changed(|sites| Extent::Around(sites.to_vec())), ["", "<..>", "<.>"]);
        assert_eq!(changed(|sites| Extent::Around(sites[..1].to_vec())), ["", "<.>", "<.>."]);
        assert_eq!(changed(|sites| Extent::Around(sites[1..].to_vec())), ["", ".", ".<.>"]);
    }

    #[test]
    fn a_whole_function_is_left_at_each_return() {
        assert_eq!(changed(|_| Extent::Whole), ["<..>", "<.>", "<>"]);
    }

    #[test]
    fn what_holds_the_lock_there_becomes_a_part_of_one_section() {
        let program = program();
        let sites = accesses(&program);
        let narrow = section(&program, Extent::Around(sites[1..].to_vec()));
        let part = program.with_sections(std::slice::from_ref(&narrow)).expect("a program").expect("it can be had");
        assert_eq!(part.calls_on_lock(&narrow).len(), 2);
        let joined = section(&part, Extent::Extended(accesses(&part)[..1].to_vec()));
        let whole = part.with_sections(std::slice::from_ref(&joined)).expect("a program").expect("it can be had");
        assert_eq!(ways(&whole, &joined), ["", "<..>", "<.>"]);
        assert_eq!(whole.calls_on_lock(&joined).len(), 3);
    }

    #[test]
    fn what_nothing_leads_to_has_no_section() {
        let program = program();
        let mut elsewhere = section(&program, Extent::Around(accesses(&program)));
        elsewhere.function = program.module.functions_named("take").next().expect("it is there");
        assert!(program.with_sections(&[elsewhere]).expect("a program").is_none());
    }
}
