//! What two executions from one initial heap came to, side by side.
//!
//! Compared is what callers see: what calls return, what the initial heap and globals hold and what of it is no more, whose locks are held, what
//! was printed, and all that this leads to, up to the numbers and addresses of what was allocated since. Not compared: what nothing leads to,
//! what raddle's C library keeps to itself, how an execution came about.
//!
//! Guarantee: where nothing is unknown, the two came to the same exactly for those values for which they do not differ surely, and each pair of
//! terms is equal.
//! It owes: the other execution began on the heap that the first one had decided, and may have decided more of it.

use crate::canonical::{Synchronisation, synchronisation};
use crate::{Engine, Program, State};
use concurrency::ThreadId;
use memory::{Binding, Byte, InitialContent, Memory, ObjId, ObjectKind, Pointer, Value, member_path};
use rustc_hash::FxHashMap;
use smt::{TermId, Terms};
use std::collections::VecDeque;

/// How two ends differ.
#[derive(Clone, Debug, Default)]
pub struct Unlike {
    /// In this, whatever values there were.
    pub surely: Vec<Differing>,
    /// In these, where the terms are not equal.
    pub values: Vec<Differing>,
    /// It could not be told of something whether it differs.
    pub unknown: bool,
    /// What holds of values that the heap began with, and that neither execution has read.
    pub holds: Vec<TermId>,
}

/// Where something is to be seen.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ResultPlace {
    /// What this thread's call returns.
    Returned(ThreadId),
    /// `` `q->count` ``
    Named(String),
}

/// What is another thing there than here.
#[derive(Clone, Debug)]
pub struct Differing {
    pub place: ResultPlace,
    pub here: Seen,
    pub there: Seen,
}

/// What is to be seen at some place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Seen {
    Number(TermId),
    Words(&'static str),
}

/// How `end` differs from `other`; of so many threads, that is: others were made by them.
pub fn unlike(engine: &mut Engine, end: &State, other: &State, threads: usize) -> Unlike {
    let program = std::sync::Arc::clone(&engine.program);
    let mut pairing = Pairing {
        terms: &mut engine.terms,
        program: &program,
        here: end.memory.decided_as(&other.memory),
        end,
        other,
        known: other.memory.clone(),
        partners: FxHashMap::default(),
        taken: FxHashMap::default(),
        open: VecDeque::new(),
        locks: [synchronisation(end), synchronisation(other)],
        found: Unlike::default(),
    };
    pairing.begin(threads);
    while let Some((thing, object)) = pairing.open.pop_front() {
        pairing.objects(thing, object);
    }
    let Pairing { mut known, mut found, .. } = pairing;
    found.holds = known.take_conditions();
    found
}

/// An object of the first execution.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Thing {
    Own(ObjId),
    /// Of the initial heap, which only the other execution has asked for.
    Later(ObjId),
}

/// A value of the first execution.
#[derive(Clone, Copy)]
struct Here {
    value: Value,
    /// It leads to what only the other one's decisions say.
    decided_later: bool,
}

struct Pairing<'a> {
    terms: &'a mut Terms,
    program: &'a Program,
    /// The first execution's memory, with what the other one has decided of the heap.
    here: Memory,
    end: &'a State,
    other: &'a State,
    /// What is known of the initial heap: what the other one knows, and what only one of the two has written over.
    known: Memory,
    partners: FxHashMap<Thing, ObjId>,
    taken: FxHashMap<ObjId, Thing>,
    open: VecDeque<(Thing, ObjId)>,
    locks: [Synchronisation; 2],
    found: Unlike,
}

impl Pairing<'_> {
    fn begin(&mut self, threads: usize) {
        let (end, other) = (self.end, self.other);
        for initial in other.memory.shape().objects() {
            let thing = self.initial(initial.object);
            // What a call was passed by value is its own.
            self.pair(thing, initial.object, !initial.is_passed());
        }
        for id in end.memory.ids() {
            let known = end.memory.object(id);
            if let ObjectKind::Global(_) = known.kind
                && id.index() < other.memory.len()
                && other.memory.object(id).kind == known.kind
            {
                self.pair(Thing::Own(id), id, !known.constant && !known.guarded);
            }
        }
        for (one, two) in end.threads.iter().zip(&other.threads).take(threads) {
            let (here, there) = (self.own(one.result), other.memory.settle(two.result));
            self.values(here, there, 8, &|_| ResultPlace::Returned(one.id));
        }
        if end.output != other.output {
            let words = (Seen::Words("something"), Seen::Words("something else"));
            self.surely(&|_| ResultPlace::Named("what is printed".to_owned()), words);
        }
    }

    /// What this is of the initial heap.
    fn initial(&self, object: ObjId) -> Thing {
        match self.end.memory.shape().object(object) {
            Some(_) => Thing::Own(object),
            None => Thing::Later(object),
        }
    }

    /// Says which is which, unless that was said before.
    fn pair(&mut self, thing: Thing, object: ObjId, is_compared: bool) {
        if !self.partners.contains_key(&thing) && !self.taken.contains_key(&object) {
            self.partners.insert(thing, object);
            self.taken.insert(object, thing);
            if is_compared {
                self.open.push_back((thing, object));
            }
        }
    }

    /// Whether these may be one object.
    fn are_one(&mut self, thing: Thing, object: ObjId) -> bool {
        match (self.partners.get(&thing), self.taken.get(&object)) {
            (Some(partner), _) => return *partner == object,
            (None, Some(_)) => return false,
            (None, None) => {}
        }
        if let Thing::Own(own) = thing {
            let kinds = (self.end.memory.object(own).kind, self.other.memory.object(object).kind);
            match kinds {
                (ObjectKind::Function(one), ObjectKind::Function(two)) => return one == two,
                (one, two) if one != two => return false,
                _ => {}
            }
        }
        self.pair(thing, object, true);
        true
    }

    fn own(&self, value: Value) -> Here {
        let is_open = |binding: Option<Binding>| binding.is_none_or(Binding::is_open);
        let decided_later = match value {
            Value::Lazy { pointer, .. } => is_open(self.end.memory.shape().decision(pointer)),
            _ => false,
        };
        Here { value: self.here.settle(value), decided_later }
    }

    fn thing(&self, here: Here, object: ObjId) -> Thing {
        let is_function =
            || matches!(self.other.memory.object(object).kind, ObjectKind::Function(_) | ObjectKind::Global(_));
        if here.decided_later && !is_function() { self.initial(object) } else { Thing::Own(object) }
    }

    fn surely(&mut self, place: &dyn Fn(&Self) -> ResultPlace, (here, there): (Seen, Seen)) {
        let place = place(self);
        self.found.surely.push(Differing { place, here, there });
    }

    /// Compares two values of so many bytes.
    fn values(&mut self, here: Here, there: Value, size: u64, place: &dyn Fn(&Self) -> ResultPlace) {
        let words = |value: Value, other: Value| match value {
            Value::Int(0) => Seen::Words("null"),
            _ if matches!(other, Value::Int(0)) => Seen::Words("not null"),
            _ => Seen::Words("a pointer"),
        };
        let is_same = match (here.value, there) {
            (Value::Ptr(one), Value::Ptr(two)) => {
                let thing = self.thing(here, one.object);
                one.offset == two.offset && self.are_one(thing, two.object)
            }
            (Value::Symbolic { object: one, offset: a, .. }, Value::Symbolic { object: two, offset: b, .. }) => {
                let thing = self.thing(here, one);
                if self.are_one(thing, two) {
                    self.terms_differ(a, b, place);
                    return;
                }
                false
            }
            (Value::Int(_) | Value::Term(_), Value::Int(_) | Value::Term(_)) => {
                let width = |terms: &Terms, value: Value| match value {
                    Value::Term(term) => terms.width(term),
                    _ => size as u32 * 8,
                };
                let width = width(self.terms, here.value).max(width(self.terms, there));
                let one = self.here.term_of(self.terms, here.value, width);
                let two = self.other.memory.term_of(self.terms, there, width);
                match (one, two) {
                    (Ok(one), Ok(two)) => self.terms_differ(one, two, place),
                    _ => self.found.unknown = true,
                }
                return;
            }
            (Value::Lazy { pointer: one, offset: a, .. }, Value::Lazy { pointer: two, offset: b, .. })
                if one == two && a == b =>
            {
                true
            }
            // What is allocated by now was nowhere when the heap began.
            (Value::Ptr(new), Value::Lazy { .. }) if self.is_new(&self.end.memory, new, here.decided_later) => false,
            (Value::Lazy { .. }, Value::Ptr(new)) if self.is_new(&self.other.memory, new, false) => false,
            (Value::Ptr(_), Value::Int(0)) | (Value::Int(0), Value::Ptr(_)) => false,
            _ => {
                self.found.unknown = true;
                return;
            }
        };
        if !is_same {
            let (one, two) = match (words(here.value, there), words(there, here.value)) {
                (one, two) if one == two => (Seen::Words("one object"), Seen::Words("another")),
                words => words,
            };
            self.surely(place, (one, two));
        }
    }

    fn is_new(&self, memory: &Memory, pointer: Pointer, decided_later: bool) -> bool {
        !decided_later && memory.object(pointer.object).kind == ObjectKind::Heap
    }

    fn terms_differ(&mut self, one: TermId, two: TermId, place: &dyn Fn(&Self) -> ResultPlace) {
        if one == two {
            return;
        }
        // What is indeterminate has names that say where it is.
        if self.terms.has_uninit(one) || self.terms.has_uninit(two) {
            self.found.unknown = true;
            return;
        }
        let place = place(self);
        let differing = Differing { place, here: Seen::Number(one), there: Seen::Number(two) };
        match (self.terms.as_const(one), self.terms.as_const(two)) {
            (Some(_), Some(_)) => self.found.surely.push(differing),
            _ => self.found.values.push(differing),
        }
    }

    fn objects(&mut self, thing: Thing, object: ObjId) {
        let there = self.other.memory.object(object);
        let (is_live, size, kind) = match thing {
            Thing::Own(own) => {
                let own = self.end.memory.object(own);
                (own.is_live(), own.size, own.kind)
            }
            Thing::Later(_) => (true, there.size, there.kind),
        };
        let place = |pairing: &Self| ResultPlace::Named(pairing.named(object, None));
        if is_live != there.is_live() {
            let words = |lives: bool| Seen::Words(if lives { "there" } else { "no more" });
            self.surely(&place, (words(is_live), words(there.is_live())));
            return;
        }
        if size != there.size {
            self.surely(&place, (Seen::Words("of one size"), Seen::Words("of another")));
            return;
        }
        self.synchronisation(thing, object);
        if !is_live || there.constant || matches!(kind, ObjectKind::Function(_)) {
            return;
        }
        let mut offset = 0;
        let told = self.told(thing).max(there.contents.told() as u64);
        let tails = (self.tail(thing), there.contents.tail());
        if tails.0 != tails.1 && told < size {
            self.found.unknown = true;
        }
        while offset < told {
            offset += self.scalars(thing, object, offset);
        }
    }

    fn told(&self, thing: Thing) -> u64 {
        match thing {
            Thing::Own(own) => self.end.memory.object(own).contents.told() as u64,
            Thing::Later(_) => 0,
        }
    }

    fn tail(&self, thing: Thing) -> Option<Byte> {
        match thing {
            Thing::Own(own) => self.end.memory.object(own).contents.tail(),
            Thing::Later(_) => Some(Byte::Initial),
        }
    }

    fn synchronisation(&mut self, thing: Thing, object: ObjId) {
        let own = match thing {
            Thing::Own(own) => self.locks[0].get(&own),
            Thing::Later(_) => None,
        };
        let there = self.locks[1].get(&object);
        if own == there {
            return;
        }
        // One that nobody holds may have been used by one of the two only.
        let held = |all: Option<&Vec<(u64, u8, Vec<u64>)>>| {
            all.is_some_and(|all| all.iter().any(|(_, kind, words)| *kind == 0 && words.first() != Some(&0)))
        };
        match (held(own), held(there)) {
            (one, two) if one != two => {
                let words = |held: bool| Seen::Words(if held { "held" } else { "free" });
                self.surely(
                    &|pairing: &Self| ResultPlace::Named(format!("a lock of {}", pairing.named(object, None))),
                    (words(one), words(two)),
                );
            }
            _ => self.found.unknown = true,
        }
    }

    /// Compares what stands at an offset. How many bytes that were.
    fn scalars(&mut self, thing: Thing, object: ObjId, offset: u64) -> u64 {
        let mut bytes = (self.byte(thing, object, offset), self.other_byte(object, offset));
        if (bytes.0 == Byte::Initial) != (bytes.1 == Byte::Initial) {
            // What there was before one has written counts.
            let Program { module, facts, .. } = self.program;
            let (start, cell) = self.known.initial_cell(self.terms, module, facts, object, offset);
            if matches!(cell.content, InitialContent::Pointer(_)) {
                self.found.unknown = true;
                return start + u64::from(cell.size) - offset;
            }
            bytes = (self.byte(thing, object, offset), self.other_byte(object, offset));
        }
        let cell = |byte: Byte| match byte {
            Byte::OfCell { size, index: 0, .. } => Some(u64::from(size)),
            _ => None,
        };
        // What neither has read or written is as it was.
        if bytes == (Byte::Initial, Byte::Initial) || bytes == (Byte::Undefined, Byte::Undefined) {
            return 1;
        }
        let size = cell(bytes.0).or(cell(bytes.1)).or_else(|| self.scalar_at(object, offset)).unwrap_or(1);
        let place = |pairing: &Self| ResultPlace::Named(pairing.named(object, Some(offset)));
        if let (Some(here), Some(there)) =
            (self.whole(thing, object, offset, size), self.other_whole(object, offset, size))
        {
            self.values(here, there, size, &place);
            return size;
        }
        let is_later = |value: Value| matches!(value, Value::Lazy { .. });
        match bytes {
            (Byte::Concrete(one), Byte::Concrete(two)) if one == two => {}
            (Byte::OfCell { value: one, size: a, index: i }, Byte::OfCell { value: two, size: b, index: j })
                if (a, i) == (b, j)
                    && one == two
                    && !is_later(one)
                    && matches!(one, Value::Int(_) | Value::Term(_)) => {}
            (one, two) => match (self.byte_term(one, true), self.byte_term(two, false)) {
                (Some(one), Some(two)) => self.terms_differ(one, two, &place),
                _ => self.found.unknown = true,
            },
        }
        1
    }

    /// A byte of the first execution; what the other one knows of the initial heap is known of it as well.
    fn byte(&self, thing: Thing, object: ObjId, offset: u64) -> Byte {
        let own = match thing {
            Thing::Own(own) => self.end.memory.object(own).contents.byte(offset as usize),
            Thing::Later(_) => Byte::Initial,
        };
        if own == Byte::Initial { self.initial_byte(object, offset) } else { own }
    }

    fn other_byte(&self, object: ObjId, offset: u64) -> Byte {
        let there = self.other.memory.object(object).contents.byte(offset as usize);
        if there == Byte::Initial { self.initial_byte(object, offset) } else { there }
    }

    fn initial_byte(&self, object: ObjId, offset: u64) -> Byte {
        match self.known.known_initial_cell(object, offset) {
            Some((start, cell)) => Byte::OfCell { value: cell.value(), size: cell.size, index: (offset - start) as u8 },
            None => Byte::Initial,
        }
    }

    /// The scalar that the first execution has at an offset, as one piece.
    fn whole(&self, thing: Thing, object: ObjId, offset: u64, size: u64) -> Option<Here> {
        let Thing::Own(own) = thing else { return self.initial_whole(object, offset, size) };
        let known = self.end.memory.object(own);
        if !known.contains(offset as i64, size) {
            return None;
        }
        if known.contents.byte(offset as usize) == Byte::Initial {
            return self
                .is_initial(&self.end.memory, own, offset, size)
                .then(|| self.initial_whole(object, offset, size))?;
        }
        self.end.memory.peek(Pointer::new(own, offset as i64), size).map(|value| self.own(value))
    }

    fn initial_whole(&self, object: ObjId, offset: u64, size: u64) -> Option<Here> {
        let (start, cell) = self.known.known_initial_cell(object, offset)?;
        let value = (start == offset && u64::from(cell.size) == size).then(|| cell.value())?;
        // That is a pointer that this execution has not asked for, or has.
        Some(self.own(value))
    }

    fn other_whole(&self, object: ObjId, offset: u64, size: u64) -> Option<Value> {
        let memory = &self.other.memory;
        if !memory.object(object).contains(offset as i64, size) {
            return None;
        }
        let value = if memory.object(object).contents.byte(offset as usize) == Byte::Initial {
            let (start, cell) = self.known.known_initial_cell(object, offset)?;
            let is_all =
                start == offset && u64::from(cell.size) == size && self.is_initial(memory, object, offset, size);
            is_all.then(|| cell.value())?
        } else {
            memory.peek(Pointer::new(object, offset as i64), size)?
        };
        Some(memory.settle(value))
    }

    fn is_initial(&self, memory: &Memory, object: ObjId, offset: u64, size: u64) -> bool {
        let contents = &memory.object(object).contents;
        (offset..offset + size).all(|at| contents.byte(at as usize) == Byte::Initial)
    }

    fn byte_term(&mut self, byte: Byte, is_here: bool) -> Option<TermId> {
        match byte {
            Byte::Concrete(byte) => Some(self.terms.bv(8, u128::from(byte))),
            Byte::OfCell { value, size, index } => {
                let memory = if is_here { &self.here } else { &self.other.memory };
                let value = memory.settle(value);
                if !matches!(value, Value::Int(_) | Value::Term(_)) {
                    return None;
                }
                let whole = memory.term_of(self.terms, value, u32::from(size) * 8).ok()?;
                Some(self.terms.extract(whole, u32::from(index) * 8 + 7, u32::from(index) * 8))
            }
            // Nobody has asked what there was: it may be anything.
            Byte::Undefined | Byte::Initial => None,
        }
    }

    fn scalar_at(&self, object: ObjId, offset: u64) -> Option<u64> {
        let module = &self.program.module;
        let ty = self.other.memory.object(object).ty?;
        let element = module.size_of(ty).filter(|&size| size > 0)?;
        let scalar = module.scalar_at(ty, offset % element)?;
        (scalar.offset == offset % element && scalar.size <= 8).then_some(scalar.size)
    }

    /// An object, or what it has at an offset, as C names it.
    fn named(&self, object: ObjId, offset: Option<u64>) -> String {
        let module = &self.program.module;
        let known = self.other.memory.object(object);
        if let Some(initial) = self.other.memory.shape().object(object) {
            let member = offset.map(|offset| member_path(module, initial, offset)).unwrap_or_default();
            return match member.strip_prefix("[0]") {
                // One that a pointer leads to.
                Some("") => format!("`*{}`", initial.path),
                _ => format!("`{}{member}`", initial.path),
            };
        }
        let path = known
            .ty
            .zip(offset)
            .map(|(ty, offset)| module.path_to(ty, offset % module.size_of(ty).filter(|&size| size > 0).unwrap_or(1)));
        match known.kind {
            ObjectKind::Global(global) => format!("`{}{}`", module[global].name, path.unwrap_or_default()),
            _ => match path.filter(|path| !path.is_empty()) {
                Some(path) => format!("`{}` of what was allocated", path.trim_start_matches('.')),
                None => "what was allocated".to_owned(),
            },
        }
    }
}
