//! The table of objects, reading and writing it.

use crate::contents::Whole;
use crate::{
    Allocator, ArenaId, Binding, Byte, Contents, Fingerprint, Home, LazyId, Life, Limits, Mixer, ObjId, Object,
    ObjectKind, Pointer, Shape, TypeFacts, Value,
};
use imbl::shared_ptr::RcK;
use ir::{FuncId, GlobalId, Module, PointerSize};
use smt::{TermId, Terms};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::hash::Hash;
use std::rc::Rc;

const PAGE: usize = 32;

/// Something must be decided before the operation can be done. Nothing has changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// The target of this pointer, because its address is asked for.
    Target(LazyId),
}

type Page = Vec<Rc<Object>>;

/// All objects of one state. Cloning shares everything until it is written.
#[derive(Clone, Debug)]
pub struct Memory {
    pages: Vec<Rc<Page>>,
    count: usize,
    by_address: imbl::GenericOrdMap<u64, ObjId, RcK>,
    allocator: Rc<Allocator>,
    pub(crate) shape: Rc<Shape>,
    globals: Rc<Vec<Option<ObjId>>>,
    functions: Rc<BTreeMap<FuncId, ObjId>>,
    fingerprint: Fingerprint,
    dirty: Vec<ObjId>,
    initial_arena: ArenaId,
    pointer: PointerSize,
    pub(crate) epoch: Epoch,
    /// What is indeterminate in one object is another value than in the next at its address.
    tells_lives: bool,
    /// Where objects are that are made now. The engine says it of the thread that it runs.
    home: Home,
}

/// A time in which values go on to mean the same: no object has ended, and no pointer of the initial heap was decided. Two
/// memories have the same only if they were one when it began.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Epoch(u64);

thread_local! {
    static EPOCHS: Cell<u64> = const { Cell::new(0) };
}

impl Epoch {
    pub(crate) fn new() -> Self {
        Epoch(EPOCHS.replace(EPOCHS.get() + 1))
    }
}

impl Memory {
    /// No objects yet, with addresses of this size.
    pub fn new(limits: Limits, pointer: PointerSize) -> Self {
        let mut allocator = Allocator::new(pointer);
        let initial_arena = allocator.open_large("initial heap");
        Memory {
            pages: Vec::new(),
            count: 0,
            by_address: Default::default(),
            allocator: Rc::new(allocator),
            shape: Rc::new(Shape::new(limits)),
            globals: Rc::default(),
            functions: Rc::default(),
            fingerprint: Fingerprint::default(),
            dirty: Vec::new(),
            initial_arena,
            pointer,
            epoch: Epoch::new(),
            tells_lives: false,
            home: Home::Host,
        }
    }

    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    pub fn shape_mut(&mut self) -> &mut Shape {
        Rc::make_mut(&mut self.shape)
    }

    /// Conditions on fresh symbols since the last call; they belong to the path condition.
    pub fn take_conditions(&mut self) -> Vec<TermId> {
        if self.shape.conditions.is_empty() { Vec::new() } else { std::mem::take(&mut self.shape_mut().conditions) }
    }

    pub(crate) fn initial_arena(&self) -> ArenaId {
        self.initial_arena
    }

    pub fn allocator(&self) -> &Allocator {
        &self.allocator
    }

    pub fn allocator_mut(&mut self) -> &mut Allocator {
        Rc::make_mut(&mut self.allocator)
    }

    /// From now on: who decides something by an indeterminate value decides nothing about that of a later object at its address.
    pub fn tell_lives(&mut self) {
        self.tells_lives = true;
    }

    /// Objects so far, those that have ended among them.
    pub fn object_count(&self) -> usize {
        self.count
    }

    /// From now on objects are made there.
    pub fn settle_in(&mut self, home: Home) {
        self.home = home;
    }

    /// Adds an object whose address is chosen already.
    pub fn insert(&mut self, mut object: Object) -> ObjId {
        object.home = self.home;
        let id = ObjId::new(self.count);
        self.count += 1;
        if let Some(before) = self.by_address.insert(object.address, id) {
            object.lives_before = self.object(before).lives_before + 1;
        }
        if self.pages.last().is_none_or(|p| p.len() == PAGE) {
            self.pages.push(Rc::new(Vec::with_capacity(PAGE)));
        }
        let page = self.pages.last_mut().expect("just pushed");
        Rc::make_mut(page).push(Rc::new(object));
        self.touch(id);
        id
    }

    #[inline]
    pub fn object(&self, id: ObjId) -> &Object {
        &self.pages[id.index() / PAGE][id.index() % PAGE]
    }

    /// The object, to be changed: unshares it and marks its fingerprint stale.
    pub fn object_mut(&mut self, id: ObjId) -> &mut Object {
        self.touch(id);
        let page = Rc::make_mut(&mut self.pages[id.index() / PAGE]);
        Rc::make_mut(&mut page[id.index() % PAGE])
    }

    fn touch(&mut self, id: ObjId) {
        let object = self.object(id);
        if object.dirty {
            return;
        }
        self.fingerprint.remove(object.fingerprint);
        self.dirty.push(id);
        let page = Rc::make_mut(&mut self.pages[id.index() / PAGE]);
        Rc::make_mut(&mut page[id.index() % PAGE]).dirty = true;
    }

    /// Objects ever allocated.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    pub fn ids(&self) -> impl Iterator<Item = ObjId> {
        (0..self.count).map(ObjId::new)
    }

    pub fn set_global(&mut self, global: GlobalId, object: ObjId) {
        let globals = Rc::make_mut(&mut self.globals);
        if globals.len() <= global.index() {
            globals.resize(global.index() + 1, None);
        }
        globals[global.index()] = Some(object);
    }

    pub fn global(&self, global: GlobalId) -> Option<ObjId> {
        self.globals.get(global.index()).copied().flatten()
    }

    pub fn set_function(&mut self, function: FuncId, object: ObjId) {
        Rc::make_mut(&mut self.functions).insert(function, object);
    }

    pub fn function_object(&self, function: FuncId) -> Option<ObjId> {
        self.functions.get(&function).copied()
    }

    /// The object whose bytes, or whose end, an address names.
    pub fn at_address(&self, address: u64) -> Option<Pointer> {
        let (&start, &object) = self.by_address.range(..=address).next_back()?;
        let offset = address - start;
        (offset <= self.object(object).size).then_some(Pointer::new(object, offset as i64))
    }

    /// Address of a pointer, bounds not considered.
    pub fn address(&self, pointer: Pointer) -> u64 {
        self.object(pointer.object).address.wrapping_add(pointer.offset as u64) & self.pointer.mask()
    }

    /// A value as a number: itself, or the address where it leads; none if it is not known.
    pub fn number(&self, value: Value) -> Option<u64> {
        match value {
            Value::Int(number) => Some(number),
            Value::Ptr(pointer) => Some(self.address(pointer)),
            Value::Term(_) | Value::Symbolic { .. } | Value::Lazy { .. } => None,
        }
    }

    /// Size of the target's pointers.
    #[inline]
    pub fn pointer_size(&self) -> PointerSize {
        self.pointer
    }

    /// Moves a pointer by `bytes`, as address arithmetic does it on the target.
    #[inline]
    #[must_use]
    pub fn moved(&self, from: Pointer, bytes: i64) -> Pointer {
        Pointer { offset: self.pointer.wrap(from.offset.wrapping_add(bytes)), ..from }
    }

    /// Replaces a decided lazy pointer by what it points to.
    pub fn settle(&self, value: Value) -> Value {
        let Value::Lazy { pointer, offset, part } = value else { return value };
        match self.shape.pointer(pointer).decision {
            Binding::Null => Value::Int(offset as u64 & self.pointer.mask()),
            Binding::TaggedNull(tag) => Value::Int(offset.wrapping_add(tag.into()) as u64 & self.pointer.mask()),
            Binding::Target(target) => {
                let part = if part.is_whole() { target.part } else { part.shifted(target.offset) };
                Value::Ptr(self.moved(target, offset).within(part))
            }
            Binding::Open | Binding::NonNull | Binding::Tagged { .. } => value,
        }
    }

    /// A value as a term of `width` bits. Pointers become addresses and lose their provenance.
    ///
    /// # Errors
    /// A lazy pointer has no address before its target is decided.
    pub fn term_of(&self, terms: &mut Terms, value: Value, width: u32) -> Result<TermId, Need> {
        Ok(match self.settle(value) {
            Value::Int(bits) => terms.bv(width, u128::from(bits)),
            Value::Term(term) => match terms.width(term) {
                w if w == width => term,
                w if w < width => terms.zext(term, width),
                _ => terms.extract(term, width - 1, 0),
            },
            Value::Ptr(pointer) => terms.bv(width, u128::from(self.address(pointer))),
            Value::Symbolic { object, offset, .. } => {
                let base = terms.bv(64, u128::from(self.object(object).address));
                let address = terms.add(base, offset);
                let bits = u32::from(self.pointer.bits());
                let address = if bits < 64 { terms.trunc(address, bits) } else { address };
                match bits {
                    _ if width < bits => terms.trunc(address, width),
                    _ if width > bits => terms.zext(address, width),
                    _ => address,
                }
            }
            Value::Lazy { pointer, .. } => return Err(Need::Target(pointer)),
        })
    }

    fn byte_term(
        &mut self,
        terms: &mut Terms,
        module: &Module,
        facts: &TypeFacts,
        object: ObjId,
        offset: usize,
    ) -> Result<TermId, Need> {
        let (value, size, index) = match self.object(object).contents.byte(offset) {
            Byte::Undefined => return Ok(self.undefined(terms, object, offset, 1)),
            Byte::Concrete(byte) => return Ok(terms.bv(8, u128::from(byte))),
            Byte::OfCell { value, size, index } => (value, size, index),
            Byte::Initial => {
                let (start, cell) = self.initial_cell(terms, module, facts, object, offset as u64);
                (cell.value(), cell.size, (offset as u64 - start) as u8)
            }
        };
        let whole = self.term_of(terms, value, u32::from(size) * 8)?;
        Ok(terms.extract(whole, u32::from(index) * 8 + 7, u32::from(index) * 8))
    }

    /// An indeterminate value, named by its place: reading it twice gives the same. Where it may decide something, it stands there from then
    /// on: what was decided by it is part of what the memory holds.
    fn undefined(&mut self, terms: &mut Terms, object: ObjId, offset: usize, size: usize) -> TermId {
        let Object { address, lives_before, .. } = *self.object(object);
        let address = address + offset as u64;
        let name = match lives_before {
            lives @ 1.. if self.tells_lives => format!("uninit@{address:x}#{}", lives + 1),
            _ => format!("uninit@{address:x}"),
        };
        let term = terms.uninit_var(&name, size as u32 * 8);
        if self.tells_lives {
            self.object_mut(object).contents.set_cell(offset, size as u8, Value::Term(term));
        }
        term
    }

    /// Reads `size` bytes (1 to 16), least significant first. The range must be in bounds.
    ///
    /// # Errors
    /// When part of a lazy pointer is read as bytes.
    pub fn read(
        &mut self,
        terms: &mut Terms,
        module: &Module,
        facts: &TypeFacts,
        at: Pointer,
        size: u64,
    ) -> Result<Value, Need> {
        let (offset, length) = (at.offset as usize, size as usize);
        match self.object(at.object).contents.whole(offset, length) {
            Whole::Concrete(bits) => return Ok(Value::Int(bits)),
            Whole::Cell(value) => return Ok(value),
            Whole::Undefined => return Ok(Value::Term(self.undefined(terms, at.object, offset, length))),
            Whole::Pieces => {}
        }
        if (offset..offset + length).all(|o| self.object(at.object).contents.byte(o) == Byte::Initial) {
            let (start, cell) = self.initial_cell(terms, module, facts, at.object, offset as u64);
            if start == offset as u64 && u64::from(cell.size) == size {
                return Ok(cell.value());
            }
        }
        let mut whole = self.byte_term(terms, module, facts, at.object, offset)?;
        for o in offset + 1..offset + length {
            let byte = self.byte_term(terms, module, facts, at.object, o)?;
            whole = terms.concat(byte, whole);
        }
        Ok(match terms.as_const(whole) {
            Some(bits) if size <= 8 => Value::Int(bits as u64),
            _ => Value::Term(whole),
        })
    }

    /// What a range holds that is in bounds, where it holds one value as it stands: bytes, or a cell of that size.
    #[inline]
    pub fn peek(&self, at: Pointer, size: u64) -> Option<Value> {
        match self.object(at.object).contents.whole(at.offset as usize, size as usize) {
            Whole::Concrete(bits) => Some(Value::Int(bits)),
            Whole::Cell(value) => Some(value),
            Whole::Undefined | Whole::Pieces => None,
        }
    }

    /// What a range holds that is in bounds, as [`Memory::peek`] has it, or what the initial heap is known to hold there.
    pub fn known(&self, at: Pointer, size: u64) -> Option<Value> {
        let object = self.object(at.object);
        // What is no more, or out of bounds, holds nothing.
        if !object.is_live() || !object.contains(at.offset, size) {
            return None;
        }
        let contents = &object.contents;
        let initial = || (at.offset..at.offset + size as i64).all(|o| contents.byte(o as usize) == Byte::Initial);
        let cell = || {
            let (start, cell) = self.known_initial_cell(at.object, at.offset as u64)?;
            (start == at.offset as u64 && u64::from(cell.size) == size).then(|| cell.value())
        };
        self.peek(at, size).or_else(|| initial().then(cell).flatten())
    }

    /// Writes the low `size` bytes (1 to 8) of a word to a range in bounds; `None`, and nothing has changed, where cells
    /// or initial bytes are in the way.
    #[inline]
    pub fn poke(&mut self, at: Pointer, size: u64, word: u64) -> Option<()> {
        let page = Rc::make_mut(&mut self.pages[at.object.index() / PAGE]);
        let object = Rc::make_mut(&mut page[at.object.index() % PAGE]);
        object.contents.poke(at.offset as usize, size as usize, word)?;
        if !object.dirty {
            object.dirty = true;
            self.fingerprint.remove(object.fingerprint);
            self.dirty.push(at.object);
        }
        Some(())
    }

    /// Whether a write to a range in bounds would leave part of a cell.
    pub fn would_cut(&self, at: Pointer, size: u64) -> bool {
        !self.object(at.object).contents.cut_by(at.offset as usize, size as usize).is_empty()
    }

    /// Splits the cells that a write to the range would cut, so that their other bytes survive.
    fn split(&mut self, terms: &mut Terms, at: Pointer, size: usize) -> Result<(), Need> {
        let offset = at.offset as usize;
        let cuts = self.object(at.object).contents.cut_by(offset, size);
        for (start, cell, value) in cuts {
            let whole = self.term_of(terms, value, u32::from(cell) * 8)?;
            for index in 0..u32::from(cell) {
                let byte = terms.extract(whole, index * 8 + 7, index * 8);
                let contents = &mut self.object_mut(at.object).contents;
                match terms.as_const(byte) {
                    Some(bits) => contents.set_bytes(start + index as usize, &[bits as u8]),
                    None => contents.set_cell(start + index as usize, 1, Value::Term(byte)),
                }
            }
        }
        Ok(())
    }

    /// Writes a value of `size` bytes. The range must be in bounds.
    ///
    /// # Errors
    /// When part of a lazy pointer would survive. Nothing has changed then.
    pub fn write(&mut self, terms: &mut Terms, at: Pointer, size: u64, value: Value) -> Result<(), Need> {
        self.split(terms, at, size as usize)?;
        let contents = &mut self.object_mut(at.object).contents;
        let offset = at.offset as usize;
        match value {
            Value::Int(bits) if size <= 8 => contents.set_bytes(offset, &bits.to_le_bytes()[..size as usize]),
            other => contents.set_cell(offset, size as u8, other),
        }
        if let Value::Ptr(Pointer { object, .. }) | Value::Symbolic { object, .. } = value {
            self.let_escape(object);
        }
        Ok(())
    }

    /// Whether an object came from an allocation, rather than being a variable.
    pub fn is_allocated(&self, id: ObjId) -> bool {
        matches!(self.object(id).kind, ObjectKind::Heap | ObjectKind::Initial)
    }

    /// Notes that a pointer to an object leaves the registers of its thread.
    pub fn let_escape(&mut self, id: ObjId) {
        let object = self.object(id);
        if !object.escaped && matches!(object.kind, ObjectKind::Stack | ObjectKind::Global(_)) {
            self.object_mut(id).escaped = true;
        }
    }

    /// Writes concrete bytes.
    ///
    /// # Errors
    /// As for [`Memory::write`].
    pub fn write_bytes(&mut self, terms: &mut Terms, at: Pointer, bytes: &[u8]) -> Result<(), Need> {
        self.split(terms, at, bytes.len())?;
        self.object_mut(at.object).contents.set_bytes(at.offset as usize, bytes);
        Ok(())
    }

    /// Copies `size` bytes, cells and indeterminate bytes as they are; the ranges may overlap.
    ///
    /// # Errors
    /// When part of a lazy pointer is copied. Nothing has changed then.
    pub fn copy(
        &mut self,
        terms: &mut Terms,
        module: &Module,
        facts: &TypeFacts,
        to: Pointer,
        from: Pointer,
        size: u64,
    ) -> Result<(), Need> {
        enum Piece {
            Undefined,
            Byte(u8),
            Cell(u8, Value),
        }
        let size = size as usize;
        let mut pieces: Vec<(usize, Piece)> = Vec::new();
        let mut at = 0;
        while at < size {
            let offset = from.offset as usize + at;
            let (start, cell, value) = match self.object(from.object).contents.byte(offset) {
                Byte::Undefined => {
                    pieces.push((at, Piece::Undefined));
                    at += 1;
                    continue;
                }
                Byte::Concrete(byte) => {
                    pieces.push((at, Piece::Byte(byte)));
                    at += 1;
                    continue;
                }
                Byte::OfCell { value, size, index } => (offset - index as usize, size, value),
                Byte::Initial => {
                    let (start, cell) = self.initial_cell(terms, module, facts, from.object, offset as u64);
                    let end = (start as usize + cell.size as usize).min(from.offset as usize + size);
                    let untouched =
                        (start as usize..end).all(|o| self.object(from.object).contents.byte(o) == Byte::Initial);
                    if untouched { (start as usize, cell.size, cell.value()) } else { (offset, 0, Value::NULL) }
                }
            };
            if cell > 0 && start == offset && at + cell as usize <= size {
                pieces.push((at, Piece::Cell(cell, value)));
                at += cell as usize;
            } else {
                let byte = self.byte_term(terms, module, facts, from.object, offset)?;
                pieces.push((at, Piece::Cell(1, Value::Term(byte))));
                at += 1;
            }
        }
        self.split(terms, to, size)?;
        let contents = &mut self.object_mut(to.object).contents;
        for (at, piece) in pieces {
            let offset = to.offset as usize + at;
            match piece {
                Piece::Undefined => contents.set_undefined(offset, 1),
                Piece::Byte(byte) => contents.set_bytes(offset, &[byte]),
                Piece::Cell(1, Value::Term(term)) if terms.as_const(term).is_some() => {
                    contents.set_bytes(offset, &[terms.as_const(term).unwrap_or_default() as u8]);
                }
                Piece::Cell(cell, Value::Int(bits)) if cell <= 8 => {
                    contents.set_bytes(offset, &bits.to_le_bytes()[..cell as usize]);
                }
                Piece::Cell(cell, value) => contents.set_cell(offset, cell, value),
            }
        }
        Ok(())
    }

    /// Ends an object's lifetime. Its contents are gone; pointers to it stay, dangling.
    pub fn end(&mut self, id: ObjId, life: Life) {
        self.epoch = Epoch::new();
        let object = self.object_mut(id);
        object.life = life;
        object.contents = Contents::undefined(0);
    }

    /// Lets an object that has ended live again at its address, with indeterminate contents.
    pub fn revive(&mut self, id: ObjId) {
        self.epoch = Epoch::new();
        let object = self.object_mut(id);
        object.life = Life::Live;
        object.contents = Contents::undefined(object.size as usize);
    }

    /// Fingerprint of all objects and of the decisions about the initial heap.
    pub fn fingerprint(&mut self) -> Fingerprint {
        for id in std::mem::take(&mut self.dirty) {
            let fingerprint = self.object_fingerprint(id);
            self.fingerprint.add(fingerprint);
            let page = Rc::make_mut(&mut self.pages[id.index() / PAGE]);
            let object = Rc::make_mut(&mut page[id.index() % PAGE]);
            object.fingerprint = fingerprint;
            object.dirty = false;
        }
        let mut total = self.fingerprint;
        total.add(Fingerprint::of((0x5ea1u64, self.shape.version())));
        total
    }

    /// What is held as values, not as bytes, by objects that live.
    pub fn cells(&self) -> impl Iterator<Item = Value> {
        let live =
            (0..self.count).map(|index| self.object(ObjId::new(index))).filter(|object| object.life == Life::Live);
        live.flat_map(|object| object.contents.cells())
    }

    /// What is held as values, not as bytes, by one of them.
    pub fn cells_of(&self, id: ObjId) -> impl Iterator<Item = Value> {
        self.object(id).contents.cells()
    }

    /// What an object's share of the fingerprint would be with other values in its cells.
    pub fn fingerprint_with(&self, id: ObjId, other: impl Fn(Value) -> Value) -> Fingerprint {
        let object = self.object(id);
        let contents = object.contents.fingerprint(object.address, |value, mixer| self.mix_value(other(value), mixer));
        Self::with_home(contents, object)
    }

    /// An object's share of the fingerprint, as of the last call of [`Memory::fingerprint`].
    pub fn fingerprint_of(&self, id: ObjId) -> Fingerprint {
        self.object(id).fingerprint
    }

    fn object_fingerprint(&self, id: ObjId) -> Fingerprint {
        let object = self.object(id);
        // Dead objects count by their slot only where the slot matters: a pointer to one says so itself.
        if object.life != Life::Live {
            return Fingerprint::default();
        }
        let contents = object.contents.fingerprint(object.address, |value, mixer| self.mix_value(value, mixer));
        Self::with_home(contents, object)
    }

    /// An object's share of the fingerprint says where it is, too.
    fn with_home(mut contents: Fingerprint, object: &Object) -> Fingerprint {
        if object.home != Home::Host {
            contents.add(Fingerprint::of((0x40e_u64, object.home, object.address)));
        }
        contents
    }

    /// As long as it lasts, [`Memory::mix_value`] mixes a value as it did.
    pub fn epoch(&self) -> Epoch {
        self.epoch
    }

    /// Mixes a value so that equal states mix equally whatever the numbering of objects: pointers by slot, offset and
    /// whether they dangle.
    pub fn mix_value(&self, value: Value, mixer: &mut Mixer) {
        match self.settle(value) {
            Value::Int(bits) => (0u8, bits).hash(mixer),
            Value::Term(term) => (1u8, term).hash(mixer),
            Value::Ptr(p) => {
                let object = self.object(p.object);
                (2u8, object.address, p.offset, object.life).hash(mixer);
                p.part.mix(mixer);
            }
            Value::Symbolic { object, offset, part } => {
                let object = self.object(object);
                (3u8, object.address, offset, object.life).hash(mixer);
                part.mix(mixer);
            }
            Value::Lazy { pointer, offset, part } => {
                (4u8, pointer, offset).hash(mixer);
                part.mix(mixer);
            }
        }
    }

    /// The same with what another memory has decided of the same initial heap, which is what is decided here, or more.
    #[must_use]
    pub fn decided_as(&self, other: &Memory) -> Memory {
        Memory { shape: Rc::clone(&other.shape), epoch: Epoch::new(), ..self.clone() }
    }

    /// A memory with the same initial heap, decided as far as here, in which nothing has happened yet: what an operation
    /// starts from when another has explored the heap. `base` is the memory before anything ran.
    #[must_use]
    pub fn rewound(&self, base: &Memory) -> Memory {
        let mut memory = base.clone();
        memory.epoch = Epoch::new();
        memory.shape = Rc::clone(&self.shape);
        // Initial objects were numbered among run-time ones; the rewound memory keeps those numbers.
        let end = self.shape.objects().iter().map(|o| o.object.index() + 1).max().unwrap_or(0).max(base.count);
        for index in base.count..end {
            let id = ObjId::new(index);
            let mut object = self.object(id).clone();
            object.dirty = false;
            object.fingerprint = Fingerprint::default();
            if let Some(initial) = self.shape.object(id) {
                object.life = Life::Live;
                object.contents = Contents::initial(object.size as usize);
                object.name = initial.path.as_str().into();
            } else {
                // A placeholder that nothing points to.
                object.life = Life::Ended;
                object.kind = ObjectKind::Stack;
                object.contents = Contents::undefined(0);
                object.address = 0;
            }
            memory.insert(object);
        }
        memory.by_address.remove(&0);
        memory.allocator = Rc::clone(&base.allocator);
        let arena = memory.initial_arena;
        let initial_end = self
            .shape
            .objects()
            .iter()
            .filter(|o| !o.global)
            .map(|o| self.object(o.object).address + Allocator::size_class(self.object(o.object).size))
            .max();
        if let Some(end) = initial_end {
            memory.allocator_mut().reserve_heap(arena, end);
        }
        memory
    }
}
