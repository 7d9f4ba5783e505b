//! The initial heap: which objects there are, and which pointers lead where, as far as decided.
//!
//! Each decision is a pointer-pointee relation (SSRD, section 2; DSGEN, section 4.1). A pointer is decided once, among
//! disjoint and exhaustive targets, so that each concrete heap within the limits is a refinement of exactly one sequence
//! of decisions.
//!
//! Guarantee: every heap in which no chain of distinct objects is longer than `Limits::depth`, and in which no two owners
//! share what they own (unless `HeapRules::share_owners` is set), can be reached, whatever the order of decisions; deeper ones may
//! be, where a shortcut brings them within reach.

use crate::facts::pointees;
use crate::{LazyId, ObjId, Part, Pointer, TypeFacts, Value};
use ir::{DebugType, FuncId, Module, TypeId};
use serde::{Deserialize, Serialize};
use smt::TermId;
use std::collections::{BTreeMap, BTreeSet};

/// Bounds and rules of initial heaps.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Limits {
    /// Objects on a pointer chain; what a parameter points to is 1.
    pub depth: u32,
    /// Elements of an array of unknown length.
    pub array: u64,
    pub rules: HeapRules,
}

/// What initial heaps may be like beside what types say. Each rule is narrow unless it is set.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct HeapRules {
    /// Owners may share what hangs on them.
    pub share_owners: bool,
    /// Pointers to scalars lead to all members of their type, not only to those whose address the program gives away.
    pub any_member: bool,
    /// Static variables that no code writes may hold anything.
    pub any_static: bool,
}

impl HeapRules {
    /// Those that hold unless somebody says otherwise.
    pub const NARROW: HeapRules = HeapRules { share_owners: false, any_member: false, any_static: false };
    /// Every heap there is.
    pub const WIDE: HeapRules = HeapRules { share_owners: true, any_member: true, any_static: true };
}

/// Where a lazy pointer was first read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PointerPlace {
    /// A parameter.
    Root,
    Cell {
        object: ObjId,
        offset: u64,
    },
}

/// What is known of a lazy pointer. Only ever refined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binding {
    Open,
    NonNull,
    /// The lowest bits of its address, which a program may keep a mark in; nothing is known of the rest but perhaps that it is not null.
    Tagged {
        tag: u8,
        non_null: bool,
    },
    Null,
    /// Null with these lowest bits.
    TaggedNull(u8),
    /// Where its address is, the tag included.
    Target(Pointer),
}

impl Binding {
    /// Whether it is still to be decided where the pointer leads.
    pub fn is_open(self) -> bool {
        matches!(self, Binding::Open | Binding::NonNull | Binding::Tagged { .. })
    }

    /// The tag of a pointer whose target is open; 0 where nobody has asked.
    pub fn tag(self) -> u8 {
        match self {
            Binding::Tagged { tag, .. } => tag,
            _ => 0,
        }
    }
}

/// A choice of target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Target {
    Null,
    /// An object that no other decided pointer reaches yet.
    New,
    /// A part, at this byte, of an object of this type that no other decided pointer reaches yet: one may lead to the whole later.
    Inside(TypeId, u64),
    Existing(Pointer),
    Function(FuncId),
}

/// Whose heap something belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Territory {
    /// What hangs on the private parameters of one thread, by number: no other thread's parameter leads there, and
    /// nothing of the heap that threads share.
    Private(usize),
    /// What one parameter of this thread leads to, and nothing else does: its caller has that object to itself, but not what hangs
    /// on it. Where the parameter leads to a pointer, what that leads to as well.
    Alone(usize),
    /// What hangs on parameters and globals that are no owners.
    Common,
    /// What hangs on structures that calls are passed by value, which look into whatever there is: an owner's, or nobody's.
    Anyone,
    /// What hangs on the owner that stands at this byte of this object.
    Owner(ObjId, u64),
}

/// A pointer of the initial heap: open, or decided as far as an execution has asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LazyPointer {
    pub place: PointerPlace,
    /// The declared type of what it points to; `None` for `void *` until its first use tells.
    pub pointee: Option<TypeId>,
    pub decision: Binding,
    pub territory: Territory,
    /// C expression over the roots, as of its first reading.
    pub path: String,
}

/// An object of the initial heap, made when a pointer was decided to lead to a new one. Of the four forms of a heap the
/// first; then come `witness::concrete` (values), `witness::format` (the file) and `report` (the text).
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InitialObject {
    pub object: ObjId,
    /// Element type.
    pub ty: TypeId,
    pub count: u64,
    /// Bytes.
    pub size: u64,
    pub territory: Territory,
    /// C expression for a pointer to it (`h->next[0]`), or a global's name.
    pub path: String,
    /// A global variable rather than something that a pointer reaches.
    pub global: bool,
    /// Whether pointers of the heap may lead there: not to a structure that a call is passed by value, nor to a variable that nobody
    /// else knows the address of.
    pub led_to: bool,
}

impl InitialObject {
    /// Whether it is a structure that a call is passed by value.
    pub fn is_passed(&self) -> bool {
        !self.global && !self.led_to
    }
}

/// A scalar of the initial heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InitialCell {
    pub size: u8,
    pub content: InitialContent,
}

/// What a scalar of the initial heap holds when it is first read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InitialContent {
    Symbol(TermId),
    Pointer(LazyId),
    Bytes(u64),
}

impl InitialCell {
    /// What is read there first.
    pub fn value(self) -> Value {
        match self.content {
            InitialContent::Symbol(term) => Value::Term(term),
            InitialContent::Pointer(pointer) => Value::lazy(pointer),
            InitialContent::Bytes(bits) => Value::Int(bits),
        }
    }
}

/// The decided part of the initial heap.
#[derive(Clone, Debug)]
pub struct Shape {
    pub limits: Limits,
    objects: Vec<InitialObject>,
    pointers: Vec<LazyPointer>,
    pub(crate) cells: BTreeMap<(ObjId, u64), InitialCell>,
    roots: Vec<LazyId>,
    /// Counts up with every change, and shapes only grow, so that equal versions on one path mean equal shapes.
    version: u64,
    /// How often others may have written to it ([`Shape::grow_older`]).
    age: usize,
    /// Conditions on fresh symbols (a `_Bool` is 0 or 1) that the path condition does not hold yet.
    pub(crate) conditions: Vec<TermId>,
}

impl Shape {
    pub fn new(limits: Limits) -> Self {
        Shape {
            limits,
            objects: Vec::new(),
            pointers: Vec::new(),
            cells: BTreeMap::new(),
            roots: Vec::new(),
            version: 0,
            age: 0,
            conditions: Vec::new(),
        }
    }

    pub fn version(&self) -> u64 {
        self.version
    }

    pub fn objects(&self) -> &[InitialObject] {
        &self.objects
    }

    pub fn pointers(&self) -> impl Iterator<Item = (LazyId, &LazyPointer)> {
        self.pointers.iter().enumerate().map(|(i, p)| (LazyId::new(i), p))
    }

    /// Others may have written to the heap: what is read for the first time from now on is not what it held initially, and
    /// gets a prime after its name.
    pub fn grow_older(&mut self) {
        self.version += 1;
        self.age += 1;
    }

    /// The primes after the names of what is read for the first time now.
    pub(crate) fn primes(&self) -> String {
        "'".repeat(self.age)
    }

    /// Whatever an object holds has not been read yet.
    pub(crate) fn forget_cells(&mut self, object: ObjId) {
        self.version += 1;
        let is_end = |cell: &InitialCell| matches!(cell.content, InitialContent::Bytes(_));
        self.cells.retain(|place, cell| place.0 != object || is_end(cell));
    }

    /// The parameters, in the order in which they were added.
    pub fn roots(&self) -> &[LazyId] {
        &self.roots
    }

    /// The scalars that were read, by object and offset.
    pub fn cells(&self) -> impl Iterator<Item = ((ObjId, u64), InitialCell)> {
        self.cells.iter().map(|(&place, &cell)| (place, cell))
    }

    /// What is known of a pointer, if there is one of this number.
    pub fn decision(&self, id: LazyId) -> Option<Binding> {
        self.pointers.get(id.index()).map(|pointer| pointer.decision)
    }

    pub fn pointer(&self, id: LazyId) -> &LazyPointer {
        &self.pointers[id.index()]
    }

    pub fn object(&self, id: ObjId) -> Option<&InitialObject> {
        self.objects.iter().find(|o| o.object == id)
    }

    /// Adds a parameter that points to `pointee`, and where it leads.
    pub fn add_root(&mut self, name: &str, pointee: Option<TypeId>, territory: Territory) -> LazyId {
        let id = self.add_pointer(LazyPointer {
            place: PointerPlace::Root,
            pointee,
            decision: Binding::Open,
            territory,
            path: name.to_owned(),
        });
        self.roots.push(id);
        id
    }

    pub(crate) fn add_pointer(&mut self, pointer: LazyPointer) -> LazyId {
        self.version += 1;
        self.pointers.push(pointer);
        LazyId::new(self.pointers.len() - 1)
    }

    pub(crate) fn add_object(&mut self, object: InitialObject) {
        self.version += 1;
        self.objects.push(object);
    }

    pub(crate) fn add_cell(&mut self, place: (ObjId, u64), cell: InitialCell) {
        self.version += 1;
        self.cells.insert(place, cell);
    }

    pub(crate) fn set_decision(&mut self, id: LazyId, decision: Binding) {
        self.version += 1;
        self.pointers[id.index()].decision = decision;
    }

    /// What a pointer that leads to this place may be moved within: if it is one to scalars and leads into a record, only the array
    /// there, or the member, that it leads to.
    pub(crate) fn part_at(&self, module: &Module, pointer: LazyId, to: Pointer) -> Part {
        let is_link = |ty| matches!(module[module.strip(ty)], DebugType::Pointer { .. });
        let scalar = self.pointee(module, pointer).filter(|&ty| is_scalar(module, ty) || is_link(ty));
        let (Some(object), Some(_), Ok(at)) = (self.object(to.object), scalar, u64::try_from(to.offset)) else {
            return Part::WHOLE;
        };
        if !module.is_record(object.ty) {
            return Part::WHOLE;
        }
        let Some(size) = module.size_of(object.ty).filter(|&size| size > 0) else { return Part::WHOLE };
        let Some(around) = module.scalars_around(object.ty, at % size) else { return Part::WHOLE };
        let element = at / size * size;
        Part::new(element + around.start..element + around.end)
    }

    /// Says what a `void *` points to, from its first use.
    pub fn set_pointee(&mut self, id: LazyId, ty: TypeId) {
        self.version += 1;
        self.pointers[id.index()].pointee = Some(ty);
    }

    /// The type that `id` points to, if it is more than `void`.
    pub fn pointee(&self, module: &Module, id: LazyId) -> Option<TypeId> {
        let ty = self.pointer(id).pointee?;
        (!matches!(module[module.strip(ty)], DebugType::Void)).then_some(ty)
    }

    /// The territory of what pointers at `offset` of the object lead to.
    pub fn territory_at(&self, module: &Module, facts: &TypeFacts, object: ObjId, offset: u64) -> Territory {
        let Some(initial) = self.object(object) else { return Territory::Common };
        if initial.is_passed() {
            return Territory::Anyone;
        }
        // A variable that a caller has to itself is nothing but what leads to the object.
        if let alone @ Territory::Alone(_) = initial.territory
            && matches!(module[module.strip(initial.ty)], DebugType::Pointer { .. })
        {
            return alone;
        }
        if self.limits.rules.share_owners {
            return self.part_of(initial.territory);
        }
        let size = module.size_of(initial.ty).filter(|&s| s > 0).unwrap_or(1);
        let base = offset / size * size;
        match innermost_owner(module, facts, initial.ty, offset - base) {
            Some(start) => Territory::Owner(object, base + start),
            None if matches!(initial.territory, Territory::Alone(_)) => Territory::Common,
            None => initial.territory,
        }
    }

    /// The targets that a pointer may still have, in a fixed order: null, a new object, a part of a new one, then existing ones.
    /// Together they are all targets within the limits, and disjoint but for parts of objects that no pointer leads to as a whole.
    /// Empty when `id` points to an unknown type.
    pub fn targets(&self, module: &Module, facts: &TypeFacts, id: LazyId) -> Vec<Target> {
        self.targets_noting(module, facts, id, &mut false)
    }

    /// The same. `kept_out` is set if there is a member that the pointer might lead to if the program gave its address away.
    pub fn targets_noting(&self, module: &Module, facts: &TypeFacts, id: LazyId, kept_out: &mut bool) -> Vec<Target> {
        let pointer = self.pointer(id);
        match pointer.decision {
            Binding::Null | Binding::TaggedNull(_) => return vec![Target::Null],
            Binding::Target(target) => return vec![Target::Existing(target)],
            Binding::Open | Binding::NonNull | Binding::Tagged { .. } => {}
        }
        let Some(pointee) = self.pointee(module, id) else { return Vec::new() };
        let mut targets = Vec::new();
        if matches!(pointer.decision, Binding::Open | Binding::Tagged { non_null: false, .. }) {
            targets.push(Target::Null);
        }
        if let DebugType::Function { .. } = module[module.strip(pointee)] {
            targets.extend(functions_of_type(module, pointee).map(Target::Function));
            return targets;
        }
        let is_kept = self.is_kept_to_what_is_given(module, facts, id, pointee);
        let mut may_lead = |ty: TypeId, at: u64| {
            let may = !is_kept || is_given(module, facts, ty, at);
            *kept_out |= !may;
            may
        };
        if self.may_create(module, pointer) && module.size_of(pointee).is_some_and(|s| s > 0) {
            targets.push(Target::New);
            let parts = self.parts_of_new(module, facts, pointee);
            let led_to = parts.filter(|&(record, at)| may_lead(record, at));
            targets.extend(led_to.map(|(record, at)| Target::Inside(record, at)));
        }
        let fitting = self.fitting(module, pointee).filter(|&(object, at)| may_lead(object.ty, at));
        let reached = fitting.filter(|&(object, at)| self.in_territory(module, facts, pointer, pointee, object, at));
        targets.extend(reached.map(|(object, at)| Target::Existing(Pointer::new(object.object, at as i64))));
        targets
    }

    /// Parts of new objects of types that code looks into: the type, and where in it.
    fn parts_of_new(&self, module: &Module, facts: &TypeFacts, pointee: TypeId) -> impl Iterator<Item = (TypeId, u64)> {
        let all = facts.looked_into().filter(move |&record| !module.same_type(record, pointee));
        let fitting: Vec<TypeId> = all.filter(|&record| !sub_objects(module, record, pointee).is_empty()).collect();
        let led_to = if fitting.is_empty() { BTreeSet::new() } else { self.led_to(module, facts) };
        // What a pointer to `void` leads to, its use says.
        let has_untyped = self.roots.iter().any(|&root| self.pointer(root).pointee.is_none())
            || led_to.iter().any(|&ty| matches!(module[module.strip(ty)], DebugType::Void));
        let others = fitting.into_iter().filter(move |record| has_untyped || led_to.contains(record));
        others.flat_map(move |record| {
            let size = module.size_of(record).unwrap_or(0);
            (0..self.new_count(module, facts, record)).flat_map(move |element| {
                sub_objects(module, record, pointee).into_iter().map(move |at| (record, element * size + at))
            })
        })
    }

    /// The types that pointers of the initial heap may lead to: parameters and globals, and what is found from there on.
    fn led_to(&self, module: &Module, facts: &TypeFacts) -> BTreeSet<TypeId> {
        let roots = self.roots.iter().filter_map(|&root| self.pointer(root).pointee);
        let globals = self.objects.iter().filter(|object| object.global);
        facts.led_to(module, roots.chain(globals.flat_map(|object| pointees(module, object.ty))).collect())
    }

    /// The objects and offsets in them at which there is something of a type.
    fn fitting(&self, module: &Module, ty: TypeId) -> impl Iterator<Item = (&InitialObject, u64)> {
        let length = module.size_of(ty).unwrap_or(0);
        self.objects.iter().filter(|object| object.led_to).flat_map(move |object| {
            let size = module.size_of(object.ty).unwrap_or(0);
            let places = (0..object.count).flat_map(move |element| {
                sub_objects(module, object.ty, ty).into_iter().map(move |at| element * size + at)
            });
            // A global has the elements that its definition gives it, which may be fewer than its type says.
            places.filter(move |at| at + length <= object.size).map(move |at| (object, at))
        })
    }

    /// Whether a pointer leads to no members of records but those whose address the program gives away: one to scalars, and one that the
    /// heap has to links of which the program has arrays. Where callers pass the place of a link, it may be any of theirs; where nobody steps
    /// from one link to the next, a pointer to one leads back to what leads here.
    fn is_kept_to_what_is_given(&self, module: &Module, facts: &TypeFacts, id: LazyId, pointee: TypeId) -> bool {
        let is_link = matches!(module[module.strip(pointee)], DebugType::Pointer { .. });
        let is_in_array = || is_link && facts.is_array_like(module, pointee) && !self.roots.contains(&id);
        !self.limits.rules.any_member && (is_scalar(module, pointee) || is_in_array())
    }

    /// Whether a pointer to bytes might lead to members of other types, as which the program gives some away.
    pub fn is_kept_out_of_bytes(&self, module: &Module, facts: &TypeFacts, id: LazyId) -> bool {
        let leads_to_bytes = |ty: TypeId| matches!(module[module.strip(ty)], DebugType::Int { size: 1, .. });
        facts.gives_bytes()
            && self.pointer(id).decision.is_open()
            && self.pointee(module, id).is_some_and(leads_to_bytes)
    }

    /// Whether there is something that a pointer might lead to if it were not another owner's.
    pub fn is_kept_to_its_owner(&self, module: &Module, facts: &TypeFacts, id: LazyId) -> bool {
        let pointer = self.pointer(id);
        if self.limits.rules.share_owners || !pointer.decision.is_open() {
            return false;
        }
        let Some(pointee) = self.pointee(module, id) else { return false };
        self.fitting(module, pointee).any(|(object, at)| {
            !self.is_kept_from(pointer.territory, object)
                && !self.in_territory(module, facts, pointer, pointee, object, at)
        })
    }

    /// The lowest bits of its address in which a pointer may hold a mark, as far as nobody has looked at them: those that the program
    /// looks at and sets, below what the objects that it leads to are aligned to; none where the program stores none with a mark, nor in
    /// a parameter.
    pub fn open_tag(&self, module: &Module, facts: &TypeFacts, id: LazyId) -> u8 {
        let pointer = self.pointer(id);
        let PointerPlace::Cell { object, offset } = pointer.place else { return 0 };
        if facts.tags() == 0 || !matches!(pointer.decision, Binding::Open | Binding::NonNull) {
            return 0;
        }
        let is_marked = self.object(object).is_some_and(|object| {
            let global = object.global.then_some(object.path.as_str());
            facts.may_be_marked(module, object.ty, global, offset)
        });
        if is_marked { facts.tags() & self.bits_below(module, id) } else { 0 }
    }

    /// The lowest bits of an address that are zero wherever a pointer of this type leads, the tag apart.
    pub fn bits_below(&self, module: &Module, id: LazyId) -> u8 {
        let pointee = self.pointee(module, id).filter(|_| !self.leads_to_function(module, id));
        pointee.and_then(|ty| module.align_of(ty)).map_or(0, |align| align.min(16) as u8 - 1)
    }

    /// Whether a pointer leads to functions.
    pub fn leads_to_function(&self, module: &Module, id: LazyId) -> bool {
        self.pointee(module, id).is_some_and(|ty| matches!(module[module.strip(ty)], DebugType::Function { .. }))
    }

    /// The heap that what hangs on something of this territory is part of: one that is private to a thread, or the common one.
    fn part_of(&self, territory: Territory) -> Territory {
        match territory {
            Territory::Private(_) => territory,
            Territory::Common | Territory::Anyone | Territory::Alone(_) => Territory::Common,
            // An owner is part of the heap that leads to it.
            Territory::Owner(object, _) => {
                self.object(object).map_or(Territory::Common, |owner| self.part_of(owner.territory))
            }
        }
    }

    /// Whether no heap lets this pointer lead to that object: one of them is private to a thread, the other is not or is
    /// another's; or a caller has it to itself. What is no object of the initial heap is kept apart from none of it.
    pub fn keeps_apart(&self, pointer: LazyId, object: ObjId) -> bool {
        self.object(object).is_some_and(|object| self.is_kept_from(self.pointer(pointer).territory, object))
    }

    fn is_kept_from(&self, from: Territory, object: &InitialObject) -> bool {
        match (from, object.territory) {
            (_, alone @ Territory::Alone(_)) => from != alone && !self.is_within(from, object.object),
            (Territory::Alone(_), _) => true,
            (_, other) => self.part_of(from) != self.part_of(other),
        }
    }

    /// Whether an object owns what is of this territory.
    fn is_within(&self, territory: Territory, owner: ObjId) -> bool {
        let Territory::Owner(object, _) = territory else { return false };
        object == owner || self.object(object).is_some_and(|object| self.is_within(object.territory, owner))
    }

    fn in_territory(
        &self,
        module: &Module,
        facts: &TypeFacts,
        pointer: &LazyPointer,
        pointee: TypeId,
        object: &InitialObject,
        offset: u64,
    ) -> bool {
        if self.is_kept_from(pointer.territory, object) {
            return false;
        }
        self.limits.rules.share_owners
            // Any number of pointers may lead to an owner; what it owns is what must not be shared.
            || facts.is_owner(module, pointee)
            || object.territory == pointer.territory
            || [object.territory, pointer.territory].contains(&Territory::Anyone)
            || self.territory_at(module, facts, object.object, offset) == pointer.territory
    }

    fn may_create(&self, module: &Module, pointer: &LazyPointer) -> bool {
        match pointer.place {
            PointerPlace::Root => true,
            PointerPlace::Cell { object, .. } => self.depth(module, object) < self.limits.depth,
        }
    }

    /// Whether a pointer is null where the bound on pointer chains leaves no new object for it to lead to.
    pub fn is_null_at_bound(&self, module: &Module, id: LazyId) -> bool {
        let pointer = self.pointer(id);
        pointer.decision == Binding::Null && !self.may_create(module, pointer)
    }

    /// Distance of an object from the roots along decided pointers; a root's object is 1. A global that is a bare
    /// pointer or array of pointers counts like a parameter: 0.
    pub fn depth(&self, module: &Module, object: ObjId) -> u32 {
        let mut depths: BTreeMap<ObjId, u32> = BTreeMap::new();
        let mut frontier: Vec<ObjId> = Vec::new();
        for o in self.objects.iter().filter(|o| o.global) {
            let record = module.is_record(element_type(module, o.ty));
            depths.insert(o.object, u32::from(record));
            frontier.push(o.object);
        }
        for &root in &self.roots {
            if let Binding::Target(target) = self.pointer(root).decision {
                // What a structure by value leads to is 1.
                let passed = self.object(target.object).is_some_and(InitialObject::is_passed);
                depths.entry(target.object).or_insert(u32::from(!passed));
                frontier.push(target.object);
            }
        }
        // Bellman-Ford on a graph of a few objects.
        while let Some(from) = frontier.pop() {
            let next = depths[&from] + 1;
            for pointer in &self.pointers {
                let (PointerPlace::Cell { object, .. }, Binding::Target(target)) = (&pointer.place, pointer.decision)
                else {
                    continue;
                };
                if *object == from && depths.get(&target.object).is_none_or(|&d| d > next) {
                    depths.insert(target.object, next);
                    frontier.push(target.object);
                }
            }
        }
        depths.get(&object).copied().unwrap_or(self.limits.depth)
    }

    /// How many elements a new object behind a pointer to `pointee` has.
    pub fn new_count(&self, module: &Module, facts: &TypeFacts, pointee: TypeId) -> u64 {
        match module[module.strip(pointee)] {
            // One more for the terminator: a string has up to `array` characters.
            _ if TypeFacts::is_char(module, pointee) => self.limits.array + 1,
            DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } => self.limits.array.max(1),
            _ if facts.is_array_like(module, pointee) => self.limits.array.max(1),
            _ => 1,
        }
    }
}

/// Where in `outer` an object of type `inner` stands. Characters are found at the start of arrays only: a pointer into
/// the middle of a name is no shape of a data structure.
fn sub_objects(module: &Module, outer: TypeId, inner: TypeId) -> Vec<u64> {
    let mut offsets = module.offsets_of(outer, inner);
    // Nobody has pointers to what the threads library keeps in its objects.
    if !offsets.is_empty() && !module.same_type(outer, inner) && !TypeFacts::contains_sync(module, inner) {
        let size = module.size_of(inner).unwrap_or(0);
        let private = TypeFacts::sync_ranges(module, outer);
        offsets.retain(|&offset| !private.iter().any(|r| r.start <= offset && offset + size <= r.end));
    }
    if TypeFacts::is_char(module, inner) {
        return offsets.into_iter().take(1).collect();
    }
    offsets
}

/// Whether what stands there is no member of a record, or one whose address the program gives away.
fn is_given(module: &Module, facts: &TypeFacts, ty: TypeId, at: u64) -> bool {
    let element = module.size_of(ty).filter(|&size| size > 0).unwrap_or(1);
    !module.is_record(ty) || !is_member(module, ty, at % element) || facts.gives_address_of(module, ty, at % element)
}

/// A number (C11 6.2.5p18), or an untyped pointer: what callers take results in. Typed pointers are links.
fn is_scalar(module: &Module, ty: TypeId) -> bool {
    match module[module.strip(ty)] {
        DebugType::Int { .. } | DebugType::Float { .. } | DebugType::Enum { .. } => true,
        DebugType::Pointer { to } => matches!(module[module.strip(to)], DebugType::Void),
        _ => false,
    }
}

/// Whether the scalar at this byte of `ty` is a member of a record, not an element of an array.
fn is_member(module: &Module, ty: TypeId, offset: u64) -> bool {
    match &module[module.strip(ty)] {
        DebugType::Array { of, .. } => {
            let Some(size) = module.size_of(*of).filter(|&size| size > 0) else { return false };
            let of_records = matches!(module[module.strip(*of)], DebugType::Record { .. } | DebugType::Array { .. });
            of_records && is_member(module, *of, offset % size)
        }
        // Of the members of a union, one that is an array is enough.
        DebugType::Record { fields, .. } => fields
            .iter()
            .filter(|f| f.bits.is_none() && f.offset <= offset)
            .filter(|f| module.size_of(f.ty).is_some_and(|size| offset < f.offset + size))
            .all(|f| is_member(module, f.ty, offset - f.offset)),
        DebugType::Void | DebugType::Function { .. } | DebugType::Opaque { .. } => false,
        _ => true,
    }
}

fn element_type(module: &Module, mut ty: TypeId) -> TypeId {
    while let DebugType::Array { of, .. } = module[module.strip(ty)] {
        ty = of;
    }
    ty
}

/// Start of the innermost owner in `ty` that covers byte `offset`.
fn innermost_owner(module: &Module, facts: &TypeFacts, ty: TypeId, offset: u64) -> Option<u64> {
    match &module[module.strip(ty)] {
        DebugType::Array { of, .. } => {
            let size = module.size_of(*of).filter(|&s| s > 0)?;
            let base = offset / size * size;
            innermost_owner(module, facts, *of, offset - base).map(|start| base + start)
        }
        DebugType::Record { fields, .. } => fields
            .iter()
            .filter(|f| f.bits.is_none() && f.offset <= offset)
            .find(|f| module.size_of(f.ty).is_some_and(|size| offset < f.offset + size))
            .and_then(|f| innermost_owner(module, facts, f.ty, offset - f.offset).map(|start| f.offset + start))
            .or_else(|| facts.is_owner(module, ty).then_some(0)),
        _ => None,
    }
}

/// The functions whose address is taken and whose declared type is `ty`.
pub fn functions_of_type(module: &Module, ty: TypeId) -> impl Iterator<Item = FuncId> + '_ {
    let wanted = &module[module.strip(ty)];
    module.functions().filter_map(move |(id, function)| {
        let DebugType::Function { ret, params, .. } = wanted else { return None };
        // A declaration whose address is taken and whose parameters are known is one of a client's.
        let fits = function.address_taken
            && (!function.is_declaration() || !function.external && function.file.is_none())
            && function.source_params.len() == params.len()
            && function.source_params.iter().zip(params).all(|(have, want)| module.same_type(have.ty, *want))
            && match function.return_type {
                Some(have) => module.same_type(have, *ret),
                None => matches!(module[module.strip(*ret)], DebugType::Void),
            };
        fits.then_some(id)
    })
}
