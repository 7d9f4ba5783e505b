//! Keys of states in which no call is going on, up to the names of symbols and the numbers and addresses of objects.
//!
//! Guarantee: from two states of one engine with equal keys the same calls come to the same, whatever they are given, on objects at
//! whatever addresses. Compared are all objects that can be reached from given values, from globals and from threads' own
//! variables, synchronisation objects in them, and what is known of the symbols that stand there; not what nothing reaches, nor
//! how the state came about.
//! Not promised: that states that are the same have equal keys.

use crate::state::{State, Status};
use ir::{GlobalId, Module, TypeId};
use memory::{Byte, Fingerprint, Mixer, ObjId, ObjectKind, Pointer, TypeFacts, Value};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Sort, TermId, Terms};
use std::collections::VecDeque;
use std::hash::Hash;

/// The key of a state, walked from these values, in this order.
pub fn canonical_key(terms: &mut Terms, state: &State, from: &[Value]) -> Fingerprint {
    let mut walk = Walk::new(state);
    for value in from {
        walk.value(*value);
    }
    walk.globals();
    walk.threads();
    walk.objects();
    let Walk { terms: found, mut mixer, .. } = walk;
    (state.signalled, &state.havocked).hash(&mut mixer);
    symbols(terms, state.path.terms(), &found).hash(&mut mixer);
    mixer.fingerprint()
}

/// The key of what globals lead to where a program ends, for executions of other engines too: of programs that have the same globals.
/// None where what is known of symbols is too much to be compared.
pub fn end_key(terms: &mut Terms, state: &State) -> Option<Fingerprint> {
    let mut walk = Walk::new(state);
    walk.globals();
    walk.objects();
    let Walk { terms: found, mut mixer, .. } = walk;
    for term in symbols(terms, state.path.terms(), &found) {
        // Names of terms are an engine's own.
        let text = terms.display(term);
        if text.contains("...") {
            return None;
        }
        (terms.width(term), text).hash(&mut mixer);
    }
    Some(mixer.fingerprint())
}

/// The key of what calls that have ended came to: what they return, all of the initial heap and of globals, and what that leads to; with what was
/// printed; on which heaps, with which values, and whether something races. Of states of one engine.
pub fn result_id(state: &State) -> Fingerprint {
    let (found, mut mixer) = result(state, None);
    (found, state.path.fingerprint(), state.raced).hash(&mut mixer);
    for (_, pointer) in state.memory.shape().pointers() {
        pointer.decision.hash(&mut mixer);
    }
    mixer.fingerprint()
}

/// What there is, for executions of other engines too: of programs whose globals have the same names ([`compared_globals`]), on one initial
/// heap, decided in the same order. None where a term is too long to be compared.
pub fn result_key(terms: &Terms, module: &Module, state: &State) -> Option<Fingerprint> {
    let (found, mut mixer) = result(state, Some(module));
    for term in found {
        whole(terms, term)?.hash(&mut mixer);
    }
    Some(mixer.fingerprint())
}

/// A term as text, if it is not too long.
pub fn whole(terms: &Terms, term: TermId) -> Option<(u32, String)> {
    let text = terms.display(term);
    (!text.contains("...")).then(|| (terms.width(term), text))
}

/// A program's own variables by name, but for those that are no more than locks and the like: a program that takes one more has one more.
pub fn compared_globals(module: &Module) -> Vec<(&str, GlobalId)> {
    let is_lock = |ty: TypeId| {
        let size = module.size_of(ty).unwrap_or(0);
        size > 0 && TypeFacts::sync_ranges(module, ty).iter().map(|range| range.end - range.start).sum::<u64>() == size
    };
    let globals = module.globals().filter(|(_, global)| !global.constant && !global.library);
    let globals = globals.filter(|(_, global)| !global.ty.is_some_and(is_lock));
    let mut named: Vec<(&str, GlobalId)> = globals.map(|(id, global)| (global.name.as_str(), id)).collect();
    named.sort_unstable();
    named
}

/// `module`: by names that other programs have, too.
fn result(state: &State, module: Option<&Module>) -> (Vec<TermId>, Mixer) {
    let mut walk = Walk { module, ..Walk::new(state) };
    match module {
        Some(module) => {
            for (_, global) in compared_globals(module) {
                state.memory.global(global).map(|object| walk.number(object));
            }
        }
        None => walk.globals(),
    }
    // Which object of the initial heap is which is no matter of what leads there.
    for initial in state.memory.shape().objects().iter().filter(|initial| !initial.global) {
        walk.number(initial.object);
    }
    for thread in &state.threads {
        (thread.status == Status::Ended).hash(&mut walk.mixer);
        walk.value(thread.result);
    }
    walk.objects();
    state.output.hash(&mut walk.mixer);
    (walk.terms, walk.mixer)
}

/// By object, what stands at its offsets: a kind, and how it is.
pub type Synchronisation = FxHashMap<ObjId, Vec<(u64, u8, Vec<u64>)>>;

/// The synchronisation objects of a state. Without those that nobody holds or waits for, which are as
/// if they had never been used.
pub fn synchronisation(state: &State) -> Synchronisation {
    let mut found = Synchronisation::default();
    for (place, kind, words) in state.sync.describe() {
        // Mutexes, read-write locks and conditions.
        if kind <= 2 && words.iter().all(|&word| word == 0) {
            continue;
        }
        found.entry(place.object).or_default().push((place.offset, kind, words));
    }
    for objects in found.values_mut() {
        objects.sort_unstable();
    }
    found
}

struct Walk<'a> {
    state: &'a State,
    /// Where what the program has is to have its name.
    module: Option<&'a Module>,
    /// In the order in which they are come by.
    numbers: FxHashMap<ObjId, usize>,
    open: VecDeque<ObjId>,
    synchronisation: Synchronisation,
    /// That stand somewhere, in the order in which they are come by.
    terms: Vec<TermId>,
    mixer: Mixer,
}

impl<'a> Walk<'a> {
    fn new(state: &'a State) -> Self {
        Walk {
            state,
            module: None,
            numbers: FxHashMap::default(),
            open: VecDeque::new(),
            synchronisation: synchronisation(state),
            terms: Vec::new(),
            mixer: Mixer::default(),
        }
    }

    fn globals(&mut self) {
        for id in self.state.memory.ids() {
            let object = self.state.memory.object(id);
            if matches!(object.kind, ObjectKind::Global(_)) && !object.constant {
                self.number(id).hash(&mut self.mixer);
            }
        }
    }

    fn number(&mut self, object: ObjId) -> usize {
        let next = self.numbers.len();
        *self.numbers.entry(object).or_insert_with(|| {
            self.open.push_back(object);
            next
        })
    }

    fn objects(&mut self) {
        while let Some(object) = self.open.pop_front() {
            self.object(object);
        }
    }

    fn value(&mut self, value: Value) {
        match self.state.memory.settle(value) {
            Value::Ptr(Pointer { object, offset, part }) => {
                (1u8, self.number(object), offset).hash(&mut self.mixer);
                part.mix(&mut self.mixer);
            }
            Value::Term(term) => {
                (2u8, self.terms.len()).hash(&mut self.mixer);
                self.terms.push(term);
            }
            Value::Symbolic { object, offset, part } => {
                (3u8, self.number(object), self.terms.len()).hash(&mut self.mixer);
                part.mix(&mut self.mixer);
                self.terms.push(offset);
            }
            other @ (Value::Int(_) | Value::Lazy { .. }) => {
                9u8.hash(&mut self.mixer);
                self.state.memory.mix_value(other, &mut self.mixer);
            }
        }
    }

    /// What threads have of their own. A client's has no frames; others, which the library has made, stand somewhere.
    fn threads(&mut self) {
        for thread in &self.state.threads {
            (thread.status == Status::Ended, thread.frames.len()).hash(&mut self.mixer);
            for (global, &object) in &thread.thread_locals {
                (global, self.number(object)).hash(&mut self.mixer);
            }
            for frame in &thread.frames {
                (frame.function, frame.block, frame.inst).hash(&mut self.mixer);
                frame.registers.iter().for_each(|&value| self.value(value));
                for &local in &frame.locals {
                    self.number(local).hash(&mut self.mixer);
                }
            }
            for (key, &value) in &*thread.specific.values {
                key.hash(&mut self.mixer);
                self.value(value);
            }
        }
        format!("{:?}", self.state.keys).hash(&mut self.mixer);
    }

    fn object(&mut self, object: ObjId) {
        let known = self.state.memory.object(object);
        let what = match known.kind {
            ObjectKind::Global(global) => (1u8, global.index()),
            ObjectKind::Function(function) => (2u8, function.index()),
            _ => (0u8, 0),
        };
        let what = match (self.module, known.kind) {
            (Some(module), ObjectKind::Global(global)) => Err((1u8, &module[global].name)),
            (Some(module), ObjectKind::Function(function)) => Err((2u8, &module[function].name)),
            _ => Ok(what),
        };
        (what, known.size, known.is_live(), self.synchronisation.get(&object)).hash(&mut self.mixer);
        if matches!(known.kind, ObjectKind::Function(_)) || known.constant || !known.is_live() {
            return;
        }
        let (mut offset, told) = (0, known.contents.told());
        known.contents.tail().hash(&mut self.mixer);
        while offset < told {
            match known.contents.byte(offset) {
                Byte::OfCell { value: Value::Int(bits), size, index } if size <= 8 => {
                    (6u8, bits.to_le_bytes()[usize::from(index)]).hash(&mut self.mixer);
                }
                Byte::OfCell { value, size, index: 0 } => {
                    (4u8, size).hash(&mut self.mixer);
                    self.value(value);
                    offset += usize::from(size.max(1)) - 1;
                }
                // Part of a value that was overwritten in part.
                Byte::OfCell { value, size, index } => {
                    (5u8, size, index).hash(&mut self.mixer);
                    self.value(value);
                }
                Byte::Concrete(byte) => (6u8, byte).hash(&mut self.mixer),
                Byte::Undefined => 7u8.hash(&mut self.mixer),
                Byte::Initial => 8u8.hash(&mut self.mixer),
            }
            offset += 1;
        }
    }
}

/// Terms, and what is known of their symbols, with symbols named in the order in which they are come by.
fn symbols(terms: &mut Terms, path: &[TermId], found: &[TermId]) -> Vec<TermId> {
    let mut names: FxHashMap<TermId, TermId> = FxHashMap::default();
    let mut known: FxHashSet<u32> = FxHashSet::default();
    let mut name = |terms: &mut Terms, term: TermId, known: &mut FxHashSet<u32>| {
        for index in terms.vars(term).to_vec() {
            if known.insert(index) {
                let variable = terms.variable(index);
                let (term, uninit) = (variable.term, variable.uninit);
                // Others are not confused with those.
                if matches!(variable.sort, Sort::BitVec(_)) {
                    let (name, width) = (format!("~{}", names.len()), terms.width(term));
                    let canonical = if uninit { terms.uninit_var(&name, width) } else { terms.var(&name, width) };
                    names.insert(term, canonical);
                }
            }
        }
    };
    for &term in found {
        name(terms, term, &mut known);
    }
    // What is known of these symbols, of those that it is known together with, and so on: the rest can always be had.
    let mut conditions: Vec<TermId> = path.to_vec();
    let mut about = Vec::new();
    loop {
        let concerns = |terms: &Terms, term: TermId, known: &FxHashSet<u32>| {
            terms.vars(term).iter().any(|index| known.contains(index))
        };
        let (next, rest): (Vec<TermId>, Vec<TermId>) =
            conditions.into_iter().partition(|&condition| concerns(terms, condition, &known));
        if next.is_empty() {
            break;
        }
        for &condition in &next {
            name(terms, condition, &mut known);
        }
        about.extend(next);
        conditions = rest;
    }
    let mut all: Vec<TermId> = found.iter().map(|&term| terms.substitute(term, &names)).collect();
    let mut conditions: Vec<TermId> = about.into_iter().map(|term| terms.substitute(term, &names)).collect();
    conditions.sort_unstable();
    conditions.dedup();
    all.extend(conditions);
    all
}
