//! A program that holds locks for longer, or for less: what might keep accesses apart that race.
//!
//! A section takes its lock in the closest block through which every way to its accesses leads, before the first of them, and gives it back
//! on each way as soon as no access can follow without taking the lock again; or it holds it from a function's entry to each of its returns.
//! A call that takes or gives back a lock can be made earlier, or later, than it is ([`plan`]); what is to be changed is then written ([`write`]).
//!
//! Guarantee: nothing else of the program changes, and a section is left on every way on which it was entered, but where the program ends in
//! between. Not promised: that the lock can be taken there; that is for a search to see.

mod plan;
#[cfg(test)]
mod tests;
mod write;

use crate::program::{Program, ProgramError};
use concurrency::Site;
use ir::{BlockId, Callee, FuncId, Function, GlobalId, Op, Operand, Order, TypeId};
use plan::Plan;
use std::collections::BTreeMap;

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
    /// It is left out where the lock is this one, which is held there already.
    pub unless: Option<Operand>,
}

/// What is changed about locks.
#[derive(Clone, PartialEq, Debug)]
pub enum Change {
    Hold(Section),
    /// What is given back by a call is given back no earlier than these are done that may follow it, and then at once.
    Later {
        give: Site,
        behind: Vec<Site>,
    },
    /// What a call takes is taken before these, which may come before it, and given back on ways that do not lead to the call.
    Sooner {
        take: Site,
        before: Vec<Site>,
        lock: LockPlace,
        give: FuncId,
    },
    /// What is given back by a call is given back before these, all of which come before it.
    Earlier {
        give: Site,
        before: Vec<Site>,
    },
    /// These calls that take locks and give them back are not made.
    Without {
        calls: Vec<Site>,
    },
    /// These loads and stores are atomic, with what this order is for each of them. It is a change of the source alone, where what reads and
    /// writes in one expression becomes one operation: [`Program::with_changes`] cannot have it.
    Atomic {
        sites: Vec<Site>,
        order: Order,
    },
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

    /// The functions that changes are made in.
    pub fn changed_by(&self, change: &Change) -> Vec<FuncId> {
        match change {
            Change::Hold(section) => vec![section.function],
            Change::Later { give: site, .. }
            | Change::Earlier { give: site, .. }
            | Change::Sooner { take: site, .. } => self.site_function(*site).into_iter().collect(),
            Change::Without { calls: sites } | Change::Atomic { sites, .. } => {
                sites.iter().filter_map(|&site| self.site_function(site)).collect()
            }
        }
    }

    /// The same with these changes, if each can be had. Its functions are numbered as they were, its instructions are not.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn with_changes(&self, changes: &[Change]) -> Result<Option<Program>, ProgramError> {
        let mut plans: BTreeMap<FuncId, Plan> = BTreeMap::new();
        for change in changes {
            if self.plan(change, &mut plans).is_none() {
                return Ok(None);
            }
        }
        let mut module = self.module.clone();
        for (function, plan) in &plans {
            write::carry_out(&mut module, *function, plan);
        }
        Program::prepared(module, self.facts.clone()).map(Some)
    }

    /// Whether a way leads from behind one instruction of a function to another of it, and no way leads there but through the first.
    pub fn is_only_behind(&self, first: Site, then: Site) -> bool {
        let (Some(one), Some(other)) = (self.place_of(first), self.place_of(then)) else { return false };
        let cfg = &self.cfgs[one.0.index()];
        one.0 == other.0
            && cfg.is_reachable(other.1)
            && if one.1 == other.1 { one.2 < other.2 } else { cfg.dominates(one.1, other.1) }
    }

    /// The first instructions of a kind that ways from behind one lead to.
    pub fn next_behind(&self, site: Site, is_it: impl Fn(&Op) -> bool) -> Vec<Site> {
        let Some((function, block, inst)) = self.place_of(site) else { return Vec::new() };
        let blocks = &self.module[function].blocks;
        let (mut found, mut seen, mut left) =
            (Vec::new(), std::collections::BTreeSet::new(), vec![(block, inst as usize + 1)]);
        while let Some((block, from)) = left.pop() {
            let insts = blocks[block.index()].insts.iter().enumerate().skip(from);
            if let Some((at, _)) = insts.clone().find(|(_, inst)| is_it(&inst.op)) {
                found.extend(self.site_at(function, block, at as u32));
                continue;
            }
            for edge in blocks[block.index()].terminator.edges() {
                if seen.insert(edge.target) {
                    left.push((edge.target, 0));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
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
