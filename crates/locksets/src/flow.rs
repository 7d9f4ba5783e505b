//! What threads hold, and who else may be there, before each instruction: locks that are held whatever the way there, and threads that may
//! have been created and were not joined.
//!
//! A lock counts if it is one: of a variable, or of memory that is reserved once. What is locked through a pointer that may lead elsewhere is
//! not known to be held; what is unlocked through it is not held any more.

use crate::cells::{ANY, ObjectId, Targets};
use crate::effects::{self, Effect};
use crate::points_to::{Object, Program};
use crate::threads::{InstanceId, Place, Repeated, RootId};
use ir::{Argument, BlockId, FuncId, Op, Terminator};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Lock {
    At(ObjectId, i64),
    /// SV-COMP's atomic sections.
    Atomic,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct State {
    /// Whether it is held exclusively.
    pub locks: BTreeMap<Lock, bool>,
    pub live: BTreeSet<RootId>,
}

impl State {
    /// What is known where two ways meet. True if that is less than before.
    fn meet(&mut self, other: &State) -> bool {
        let before = (self.locks.len(), self.live.len(), self.exclusive());
        self.locks.retain(|lock, _| other.locks.contains_key(lock));
        for (lock, exclusive) in &mut self.locks {
            *exclusive &= other.locks.get(lock).copied().unwrap_or(false);
        }
        self.live.extend(&other.live);
        before != (self.locks.len(), self.live.len(), self.exclusive())
    }

    fn exclusive(&self) -> usize {
        self.locks.values().filter(|exclusive| **exclusive).count()
    }
}

fn meet(known: &mut Option<State>, new: &State) -> bool {
    match known {
        Some(known) => known.meet(new),
        none => {
            *none = Some(new.clone());
            true
        }
    }
}

/// The states of all instances.
pub(crate) struct States {
    pub repeated: Repeated,
    /// All threads that those of a root create, and those create.
    pub descendants: Vec<BTreeSet<RootId>>,
    /// Where blocks begin.
    blocks: Vec<Vec<Option<State>>>,
    entries: Vec<Option<State>>,
    exits: Vec<Option<State>>,
}

/// Computes the greatest fixpoint.
pub(crate) fn states(program: &Program) -> States {
    let count = program.instances.len();
    let mut states = States {
        repeated: program.repeated(),
        descendants: descendants(program),
        blocks: (0..count).map(|index| vec![None; program.function(InstanceId(index as u32)).blocks.len()]).collect(),
        entries: vec![None; count],
        exits: vec![None; count],
    };
    let mut work: BTreeSet<InstanceId> = BTreeSet::new();
    for root in &program.roots {
        meet(&mut states.entries[root.instance.index()], &State::default());
        work.insert(root.instance);
    }
    while let Some(instance) = work.pop_first() {
        let mut entered = Vec::new();
        if states.pass(program, instance, &mut entered) {
            work.extend(program.instances[instance.index()].callers.iter().map(|caller| caller.instance));
        }
        for (callee, state) in entered {
            if meet(&mut states.entries[callee.index()], &state) {
                work.insert(callee);
            }
        }
    }
    states
}

fn descendants(program: &Program) -> Vec<BTreeSet<RootId>> {
    let mut all: Vec<BTreeSet<RootId>> = vec![BTreeSet::new(); program.roots.len()];
    loop {
        let before = all.clone();
        for (index, root) in program.roots.iter().enumerate() {
            for creator in &root.creators {
                let by = program.instances[creator.instance.index()].root;
                let more = before[index].iter().copied().chain([RootId(index as u32)]);
                all[by.index()].extend(more);
            }
        }
        if all == before {
            return all;
        }
    }
}

impl States {
    /// Goes through an instance until nothing changes. True if what holds at its end has changed.
    fn pass(&mut self, program: &Program, instance: InstanceId, entered: &mut Vec<(InstanceId, State)>) -> bool {
        let function = program.function(instance);
        let Some(mut entry) = self.entries[instance.index()].clone() else { return false };
        let is_atomic = effects::is_atomic_section(&function.name);
        let was_atomic = entry.locks.contains_key(&Lock::Atomic);
        if is_atomic {
            entry.locks.insert(Lock::Atomic, true);
        }
        let mut blocks = std::mem::take(&mut self.blocks[instance.index()]);
        let mut exit = self.exits[instance.index()].clone();
        let mut is_changed = false;
        let mut work = BTreeSet::new();
        if let Some(first) = blocks.first_mut() {
            meet(first, &entry);
        }
        // What callees come to may have changed anywhere.
        work.extend(blocks.iter().enumerate().filter(|(_, state)| state.is_some()).map(|(index, _)| index));
        while let Some(index) = work.pop_first() {
            let block_id = BlockId::new(index);
            let block = function.block(block_id);
            let mut state = blocks[index].clone();
            for (number, inst) in block.insts.iter().enumerate() {
                let Some(before) = state else { break };
                let place = Place { instance, block: block_id, inst: number as u32 };
                state = self.after(program, place, &inst.op, before, entered);
            }
            let Some(state) = state else { continue };
            for edge in block.terminator.edges() {
                if meet(&mut blocks[edge.target.index()], &state) {
                    work.insert(edge.target.index());
                }
            }
            if let Terminator::Return { .. } = block.terminator {
                let mut state = state;
                if is_atomic && !was_atomic {
                    state.locks.remove(&Lock::Atomic);
                }
                is_changed |= meet(&mut exit, &state);
            }
        }
        self.blocks[instance.index()] = blocks;
        self.exits[instance.index()] = exit;
        is_changed
    }

    /// What holds behind an instruction; none if nothing follows it. `entered`: what holds where functions are called.
    fn after(
        &self,
        program: &Program,
        place: Place,
        op: &Op,
        state: State,
        entered: &mut Vec<(InstanceId, State)>,
    ) -> Option<State> {
        let Op::Call { callee, args, .. } = op else { return Some(state) };
        let mut result: Option<State> = None;
        for function in program.callees(place.instance, *callee) {
            let after = if program.module[function].is_declaration() {
                let effect = effects::of(&program.module[function].name)?;
                self.modelled(program, place, effect, args, state.clone(), entered)
            } else {
                self.called(program, place, function, &state, entered)
            };
            if let Some(after) = after {
                meet(&mut result, &after);
            }
        }
        result
    }

    fn called(
        &self,
        program: &Program,
        place: Place,
        function: FuncId,
        state: &State,
        entered: &mut Vec<(InstanceId, State)>,
    ) -> Option<State> {
        let callee = program.callee(place, function)?;
        entered.push((callee, state.clone()));
        let mut after = self.exits[callee.index()].clone()?;
        // A section within a section ends with the outer one.
        if effects::is_atomic_section(&program.module[function].name) && !state.locks.contains_key(&Lock::Atomic) {
            after.locks.remove(&Lock::Atomic);
        }
        Some(after)
    }

    fn modelled(
        &self,
        program: &Program,
        place: Place,
        effect: Effect,
        args: &[Argument],
        mut state: State,
        entered: &mut Vec<(InstanceId, State)>,
    ) -> Option<State> {
        let argument = |number: usize| -> Targets {
            args.get(number).map_or_else(Targets::default, |given| program.value(place.instance, given.value))
        };
        match effect {
            Effect::Locks { shared } => {
                let one = argument(0).only().filter(|target| target.offset != ANY);
                if let Some(target) = one.filter(|target| self.is_one(program, target.object)) {
                    // Who reads and asks to write may get an error.
                    state.locks.entry(Lock::At(target.object, target.offset)).or_insert(!shared);
                }
            }
            Effect::Unlocks => {
                let targets = argument(0);
                let is_it = |object: ObjectId, offset: i64| {
                    let same = |at: i64| at == ANY || at == offset;
                    targets.is_empty() || targets.iter().any(|target| target.object == object && same(target.offset))
                };
                state.locks.retain(|lock, _| match *lock {
                    Lock::At(object, offset) => !is_it(object, offset),
                    Lock::Atomic => true,
                });
            }
            Effect::AtomicBegin => {
                state.locks.insert(Lock::Atomic, true);
            }
            Effect::AtomicEnd => {
                state.locks.remove(&Lock::Atomic);
            }
            Effect::Creates { .. } => {
                for root in program.created_at(place) {
                    state.live.insert(root);
                    state.live.extend(&self.descendants[root.index()]);
                }
            }
            Effect::Joins => {
                let one = argument(0).only().map(|target| program.objects[target.object.0 as usize]);
                if let Some(Object::Thread(created)) = one {
                    let roots: Vec<RootId> = program.created_at(created).collect();
                    // Of several, only one has ended.
                    if roots.iter().all(|root| !self.repeated.root(*root)) {
                        roots.iter().for_each(|root| {
                            state.live.remove(root);
                        });
                    }
                }
            }
            Effect::CallsOnce { function } => {
                let before = state.clone();
                for target in argument(function).iter() {
                    if let Some(after) = program
                        .function_of(target)
                        .and_then(|function| self.called(program, place, function, &before, entered))
                    {
                        state.meet(&after);
                    }
                }
            }
            Effect::Ends | Effect::EndsThread => return None,
            _ => {}
        }
        Some(state)
    }

    /// Whether an object stands for one alone.
    pub(crate) fn is_one(&self, program: &Program, object: ObjectId) -> bool {
        match program.objects[object.0 as usize] {
            Object::Global(global) => !program.module[global].has_instances(),
            Object::Made(place) => {
                let cfg = program.cfg(program.instances[place.instance.index()].function);
                let in_loop = cfg.is_irreducible() || cfg.innermost_loop(place.block).is_some();
                !in_loop && !self.repeated.instance(place.instance)
            }
            _ => false,
        }
    }

    /// Calls `visit` with what holds before each instruction that can be come to, and before each terminator.
    pub(crate) fn visit(&self, program: &Program, mut visit: impl FnMut(Place, Option<&Op>, &Terminator, &State)) {
        for index in 0..program.instances.len() {
            let instance = InstanceId(index as u32);
            let function = program.function(instance);
            for (number, block) in function.blocks.iter().enumerate() {
                let mut state = self.blocks[index][number].clone();
                let at = |inst: usize| Place { instance, block: BlockId::new(number), inst: inst as u32 };
                for (inst, instruction) in block.insts.iter().enumerate() {
                    let Some(before) = state else { break };
                    visit(at(inst), Some(&instruction.op), &block.terminator, &before);
                    state = self.after(program, at(inst), &instruction.op, before, &mut Vec::new());
                }
                if let Some(state) = state {
                    visit(at(block.insts.len()), None, &block.terminator, &state);
                }
            }
        }
    }
}
