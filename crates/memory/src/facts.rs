//! What the rules for heap shapes need to know of types, computed once per module.

use crate::own_locks::with_own_locks;
use ir::{DebugType, Escapes, GlobalId, IntKind, Module, Op, Part, SemaphorePlace, Semaphores, TypeId};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

/// Properties of the debug types of one module: one set of types or places for each question that a rule asks.
#[derive(Clone, Debug)]
pub struct TypeFacts {
    /// Of several copies of one type (each translation unit brings its own), the first.
    canonical: Vec<TypeId>,
    owner: Vec<bool>,
    recursive: Vec<bool>,
    array_like: BTreeSet<TypeId>,
    tails: BTreeSet<TypeId>,
    /// Members whose address the program gives away ([`Escapes`]), by canonical record.
    given: BTreeSet<(TypeId, u64)>,
    /// The program gives members away as bytes that are none.
    gives_bytes: bool,
    /// Variables that keep their initial values.
    kept: BTreeSet<GlobalId>,
    /// Variables that no pointer in memory or from outside leads to.
    hidden: BTreeSet<GlobalId>,
    /// The lowest bits of addresses that the program keeps marks in.
    tags: u8,
    /// Where pointers with marks may stand, by canonical record and by the names of variables.
    marked: MarkedPlaces,
    /// How many semaphores count at most, by canonical record; none where nothing bounds it.
    semaphores: BTreeMap<SemaphorePlace, Option<u32>>,
    /// Records of which code addresses members, or copies the whole; one of all copies of a type.
    looked_into: BTreeSet<TypeId>,
    /// Records that lead to a lock of their own ([`with_own_locks`]), of which others hold theirs.
    own_locks: BTreeSet<TypeId>,
    /// Variables of a client that stand for objects as callers have them.
    objects: BTreeSet<GlobalId>,
}

/// [`TypeFacts::of_whole`].
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FactsOfWhole<'f> {
    array_like: &'f BTreeSet<TypeId>,
    tails: &'f BTreeSet<TypeId>,
    given: &'f BTreeSet<(TypeId, u64)>,
    kept: &'f BTreeSet<GlobalId>,
    hidden: &'f BTreeSet<GlobalId>,
    tags: u8,
    marked: &'f MarkedPlaces,
    semaphores: &'f BTreeMap<SemaphorePlace, Option<u32>>,
    own_locks: &'f BTreeSet<TypeId>,
}

/// [`ir::Marked`], whatever part of a program it is about.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
struct MarkedPlaces {
    members: BTreeSet<(TypeId, u64)>,
    globals: BTreeSet<String>,
    anywhere: bool,
}

/// Types of POSIX and C11 objects that threads synchronise by.
const SYNC_TYPES: [&str; 12] = [
    "pthread_mutex_t",
    "pthread_rwlock_t",
    "pthread_spinlock_t",
    "pthread_cond_t",
    "pthread_once_t",
    "pthread_barrier_t",
    "sem_t",
    "mtx_t",
    "cnd_t",
    "once_flag",
    "pthread_attr_t",
    "pthread_mutexattr_t",
];

/// Those of them that are locks.
const LOCK_TYPES: [&str; 4] = ["pthread_mutex_t", "pthread_rwlock_t", "pthread_spinlock_t", "mtx_t"];

impl TypeFacts {
    /// `tails`: the records whose last array [`ir::give_elements`] gave elements.
    pub fn new(module: &Module, tails: BTreeSet<TypeId>) -> Self {
        let mut facts = TypeFacts::of_types(module, tails);
        let escapes = Escapes::of(module);
        let of_sync = records_of_sync(module);
        let members = escapes.members().filter(|(record, _)| !of_sync.contains(&module.strip(*record)));
        facts.given = members.map(|(record, offset)| (facts.canonical(module, record), offset)).collect();
        facts.gives_bytes = escapes.bytes();
        facts.kept = escapes.keeps().collect();
        facts.hidden = escapes.hidden().collect();
        facts.tags = escapes.tags();
        let marked = escapes.marked();
        facts.marked = MarkedPlaces {
            members: marked.members.iter().map(|&(ty, offset)| (facts.canonical(module, ty), offset)).collect(),
            globals: marked.globals.iter().map(|&id| module[id].name.clone()).collect(),
            anywhere: marked.anywhere,
        };
        for (place, most) in Semaphores::of(module).bounds() {
            let place = match place {
                SemaphorePlace::Member(record, at) => SemaphorePlace::Member(facts.canonical(module, record), at),
                global => global,
            };
            let known = facts.semaphores.entry(place).or_insert(most);
            *known = known.zip(most).map(|(one, other)| one.max(other));
        }
        let leads = facts.leads_to_locks(module);
        facts.own_locks = with_own_locks(module, &leads, |ty| facts.canonical(module, ty));
        facts
    }

    /// The members that lead to a lock, of records that lead to none of their own type, and whose address the program does not give away.
    fn leads_to_locks(&self, module: &Module) -> BTreeSet<(TypeId, u64)> {
        let mut found = BTreeSet::new();
        for record in (0..module.types.len()).map(TypeId::new).filter(|&ty| !self.is_recursive(module, ty)) {
            let DebugType::Record { fields, union: false, .. } = &module[record] else { continue };
            let canonical = self.canonical(module, record);
            let leads = fields.iter().filter(|field| {
                let is_lock = |to| TypeFacts::is_sync(module, to) && contains(module, to, &LOCK_TYPES);
                module.pointee(field.ty).is_some_and(is_lock) && !self.given.contains(&(canonical, field.offset))
            });
            found.extend(leads.map(|field| (canonical, field.offset)));
        }
        found
    }

    /// Without what addresses the program gives away.
    fn of_types(module: &Module, tails: BTreeSet<TypeId>) -> Self {
        let count = module.types.len();
        let mut facts = TypeFacts {
            canonical: canonical_types(module),
            owner: vec![false; count],
            recursive: vec![false; count],
            array_like: BTreeSet::new(),
            tails,
            given: BTreeSet::new(),
            gives_bytes: false,
            kept: BTreeSet::new(),
            hidden: BTreeSet::new(),
            tags: 0,
            marked: MarkedPlaces::default(),
            semaphores: BTreeMap::new(),
            own_locks: BTreeSet::new(),
            looked_into: BTreeSet::new(),
            objects: BTreeSet::new(),
        };
        for index in 0..count {
            let ty = TypeId::new(index);
            if matches!(module[ty], DebugType::Record { .. }) {
                facts.recursive[index] = facts.reaches(module, ty, ty);
            }
        }
        for index in 0..count {
            let ty = TypeId::new(index);
            facts.owner[index] = matches!(module[ty], DebugType::Record { .. })
                && !facts.recursive[index]
                && (contains(module, ty, &LOCK_TYPES) || facts.holds_root(module, ty));
        }
        let of_sync = records_of_sync(module);
        for function in module.functions.iter().filter(|function| !function.library) {
            let pointees = function.registers.iter().filter_map(|register| register.points_to);
            let records = pointees.filter(|&ty| module.is_record(ty));
            let records = records.filter(|&ty| module.size_of(ty).is_some_and(|size| size > 0));
            let records = records.filter(|&ty| !of_sync.contains(&module.strip(ty)));
            let records: Vec<TypeId> = records.map(|ty| facts.canonical(module, ty)).collect();
            facts.looked_into.extend(records);
        }
        for function in &module.functions {
            for inst in function.blocks.iter().flat_map(|b| &b.insts) {
                if let Op::Offset { array: true, within: Some(ty), .. } = inst.op {
                    let ty = facts.canonical(module, ty);
                    facts.array_like.insert(ty);
                }
            }
        }
        facts
    }

    /// What is known of the types of a part of the module: what the whole does with them counts.
    pub fn of_part(&self, whole: &Module, part: &Part) -> Self {
        let is_tail = |&(_, ty): &(usize, &TypeId)| self.tails.contains(ty);
        let tails = part.types.iter().enumerate().filter(is_tail).map(|(index, _)| TypeId::new(index)).collect();
        let mut facts = TypeFacts::of_types(&part.module, tails);
        facts.gives_bytes = self.gives_bytes;
        for (index, &ty) in part.types.iter().enumerate() {
            let in_part = facts.canonical(&part.module, TypeId::new(index));
            if self.is_array_like(whole, ty) {
                facts.array_like.insert(in_part);
            }
            let record = self.canonical(whole, ty);
            if self.own_locks.contains(&record) {
                facts.own_locks.insert(in_part);
            }
            let given = self.given.range((record, 0)..=(record, u64::MAX));
            facts.given.extend(given.map(|&(_, offset)| (in_part, offset)));
            let marked = self.marked.members.range((record, 0)..=(record, u64::MAX));
            facts.marked.members.extend(marked.map(|&(_, offset)| (in_part, offset)));
            let of_record = SemaphorePlace::Member(record, 0)..=SemaphorePlace::Member(record, u64::MAX);
            for (place, &most) in self.semaphores.range(of_record) {
                if let SemaphorePlace::Member(_, at) = *place {
                    facts.semaphores.insert(SemaphorePlace::Member(in_part, at), most);
                }
            }
        }
        for (index, &global) in part.globals.iter().enumerate() {
            let of_global = SemaphorePlace::Global(global, 0)..=SemaphorePlace::Global(global, u64::MAX);
            for (place, &most) in self.semaphores.range(of_global) {
                if let SemaphorePlace::Global(_, at) = *place {
                    facts.semaphores.insert(SemaphorePlace::Global(GlobalId::new(index), at), most);
                }
            }
        }
        let in_part = |of: &BTreeSet<GlobalId>| {
            let those = part.globals.iter().enumerate().filter(|(_, id)| of.contains(id));
            those.map(|(index, _)| GlobalId::new(index)).collect()
        };
        (facts.kept, facts.hidden) = (in_part(&self.kept), in_part(&self.hidden));
        facts.tags = self.tags;
        facts.marked.globals.clone_from(&self.marked.globals);
        facts.marked.anywhere = self.marked.anywhere;
        facts
    }

    /// What a part of a program does not say of itself, but the whole: what the results for a part depend on beside its code.
    pub fn of_whole(&self) -> FactsOfWhole<'_> {
        FactsOfWhole {
            array_like: &self.array_like,
            tails: &self.tails,
            given: &self.given,
            kept: &self.kept,
            hidden: &self.hidden,
            tags: self.tags,
            marked: &self.marked,
            semaphores: &self.semaphores,
            own_locks: &self.own_locks,
        }
    }

    /// Whether the pointer at byte `offset` of an object of type `ty`, a variable of this name if it is one, may have a mark in it.
    pub fn may_be_marked(&self, module: &Module, ty: TypeId, global: Option<&str>, offset: u64) -> bool {
        let size = module.size_of(ty).filter(|&size| size > 0).unwrap_or(1);
        let member = module.member_at(ty, offset % size);
        let member = member.map(|(record, offset)| (self.canonical(module, record), offset));
        self.marked.anywhere
            || global.is_some_and(|name| self.marked.globals.contains(name))
            || member.is_some_and(|member| self.marked.members.contains(&member))
    }

    /// How many the semaphore counts at most that stands at byte `offset` of an object of this type, or of a variable. `None` where
    /// nothing bounds it ([`Semaphores`]).
    pub fn semaphore_bound(
        &self,
        module: &Module,
        ty: Option<TypeId>,
        global: Option<GlobalId>,
        offset: u64,
    ) -> Option<u32> {
        let mut found = global.and_then(|id| self.semaphores.get(&SemaphorePlace::Global(id, offset))).copied();
        let mut inside = ty.map(|ty| (ty, offset));
        while let Some((ty, offset)) = inside {
            let size = module.size_of(ty).filter(|&size| size > 0);
            // One of several that stand in a row.
            let offset = size.map_or(offset, |size| offset % size);
            let place = SemaphorePlace::Member(self.canonical(module, ty), offset);
            if let Some(&most) = self.semaphores.get(&place) {
                found = Some(found.map_or(most, |known| known.zip(most).map(|(one, other)| one.max(other))));
            }
            inside = match &module[module.strip(ty)] {
                DebugType::Record { fields, .. } => {
                    let ends = |field: &ir::Field| field.offset + module.size_of(field.ty).unwrap_or(0);
                    let around = fields.iter().find(|field| field.offset <= offset && offset < ends(field));
                    around.map(|field| (field.ty, offset - field.offset))
                }
                DebugType::Array { of, .. } => Some((*of, offset)),
                _ => None,
            };
        }
        found.flatten()
    }

    /// The lowest bits of addresses that the program both sets and looks at ([`Escapes::tags`]).
    pub fn tags(&self) -> u8 {
        self.tags
    }

    /// One representative for all copies of a type, typedefs and qualifiers removed.
    pub fn canonical(&self, module: &Module, ty: TypeId) -> TypeId {
        self.canonical[module.strip(ty).index()]
    }

    /// Whether the record owns what hangs on it: it holds a lock or the root of a structure, or leads to a lock of its own, and does not reach
    /// itself.
    pub fn is_owner(&self, module: &Module, ty: TypeId) -> bool {
        self.owner[module.strip(ty).index()] || self.own_locks.contains(&self.canonical(module, ty))
    }

    /// Whether pointers lead from an object of the type to others of it.
    pub fn is_recursive(&self, module: &Module, ty: TypeId) -> bool {
        self.recursive[module.strip(ty).index()]
    }

    /// Whether the program steps from one object of this type to the next in memory.
    pub fn is_array_like(&self, module: &Module, ty: TypeId) -> bool {
        self.array_like.contains(&self.canonical(module, ty))
    }

    /// Whether the program gives away the address of what stands at byte `offset` of an object of type `ty`.
    pub fn gives_address_of(&self, module: &Module, ty: TypeId, offset: u64) -> bool {
        let member = module.member_at(ty, offset);
        member.is_some_and(|(record, offset)| self.given.contains(&(self.canonical(module, record), offset)))
    }

    /// Whether pointers to bytes may lead to members that are none, since the program gives such away.
    pub fn gives_bytes(&self) -> bool {
        self.gives_bytes
    }

    /// The members whose address the program gives away, by record and offset in it.
    pub fn given_away(&self) -> impl Iterator<Item = (TypeId, u64)> + '_ {
        self.given.iter().copied()
    }

    /// The records that pointers in the code lead to.
    pub fn looked_into(&self) -> impl Iterator<Item = TypeId> + '_ {
        self.looked_into.iter().copied()
    }

    /// These variables stand for objects as callers have them, which go by their types.
    pub fn name_objects(&mut self, variables: impl IntoIterator<Item = GlobalId>) {
        self.objects.extend(variables);
    }

    /// Those variables.
    pub fn objects(&self) -> impl Iterator<Item = GlobalId> + '_ {
        self.objects.iter().copied()
    }

    /// Whether a variable goes by its type, as an object.
    pub fn is_object(&self, global: GlobalId) -> bool {
        self.objects.contains(&global)
    }

    /// Whether no code writes the variable or can come to know its address.
    pub fn keeps_initial(&self, global: GlobalId) -> bool {
        self.kept.contains(&global)
    }

    /// Whether no pointer leads to the variable but those that the code makes for an access ([`Escapes::hidden`]).
    pub fn is_hidden(&self, global: GlobalId) -> bool {
        self.hidden.contains(&global)
    }

    /// Whether the record ends in an array of as many elements as were allocated with it.
    pub fn has_tail(&self, module: &Module, ty: TypeId) -> bool {
        self.tails.contains(&module.strip(ty))
    }

    /// Whether this is one of the types that threads synchronise by, named so by a typedef.
    pub fn is_sync(module: &Module, ty: TypeId) -> bool {
        let mut ty = ty;
        for _ in 0..64 {
            match &module[ty] {
                DebugType::Typedef { name, .. } if SYNC_TYPES.contains(&name.as_str()) => return true,
                DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => ty = *to,
                DebugType::Array { of, .. } => ty = *of,
                _ => return false,
            }
        }
        false
    }

    /// Whether an object of the type consists of synchronisation objects or contains one.
    pub fn contains_sync(module: &Module, ty: TypeId) -> bool {
        contains(module, ty, &SYNC_TYPES)
    }

    /// The bytes of an object that its synchronisation objects take up.
    pub fn sync_ranges(module: &Module, ty: TypeId) -> Vec<Range<u64>> {
        let mut found = Vec::new();
        let mut open = vec![(ty, 0, 0)];
        while let Some((ty, base, depth)) = open.pop() {
            let size = module.size_of(ty).unwrap_or(0);
            match &module[module.strip(ty)] {
                _ if depth > 32 => {}
                _ if TypeFacts::is_sync(module, ty) => found.push(base..base + size),
                DebugType::Array { of, count } => {
                    let step = module.size_of(*of).unwrap_or(0);
                    open.extend((0..count.unwrap_or(0)).map(|index| (*of, base + index * step, depth + 1)));
                }
                DebugType::Record { fields, .. } => {
                    open.extend(fields.iter().map(|f| (f.ty, base + f.offset, depth + 1)));
                }
                _ => {}
            }
        }
        found
    }

    /// Whether a pointer to this type may be a string.
    pub fn is_char(module: &Module, ty: TypeId) -> bool {
        matches!(module[module.strip(ty)], DebugType::Int { kind: IntKind::Char, .. })
    }

    /// Whether pointers lead from an object of `from` to one of `to`.
    fn reaches(&self, module: &Module, from: TypeId, to: TypeId) -> bool {
        self.led_to(module, pointees(module, from)).contains(&self.canonical(module, to))
    }

    /// What pointers to `first` lead to, and those that are found there: one of all copies of each type.
    pub(crate) fn led_to(&self, module: &Module, first: Vec<TypeId>) -> BTreeSet<TypeId> {
        let mut seen = BTreeSet::new();
        let mut open = first;
        while let Some(ty) = open.pop() {
            let ty = self.canonical(module, ty);
            if seen.insert(ty) {
                // A pointer to a member reaches the record only by the program's own arithmetic, which types do not show.
                open.extend(pointees(module, ty));
            }
        }
        seen
    }

    /// Whether the record points to a type that reaches itself.
    fn holds_root(&self, module: &Module, ty: TypeId) -> bool {
        pointees(module, ty).into_iter().any(|to| self.recursive[module.strip(to).index()])
    }
}

/// The records that synchronisation objects consist of.
fn records_of_sync(module: &Module) -> BTreeSet<TypeId> {
    let all = (0..module.types.len()).map(TypeId::new);
    let mut open: Vec<TypeId> = all.filter(|&ty| TypeFacts::is_sync(module, ty)).collect();
    let mut found = BTreeSet::new();
    while let Some(ty) = open.pop() {
        match &module[module.strip(ty)] {
            DebugType::Array { of, .. } => open.push(*of),
            DebugType::Record { fields, .. } if found.insert(module.strip(ty)) => {
                open.extend(fields.iter().map(|f| f.ty))
            }
            _ => {}
        }
    }
    found
}

fn canonical_types(module: &Module) -> Vec<TypeId> {
    let mut by_name: HashMap<(&str, u64), TypeId> = HashMap::new();
    (0..module.types.len())
        .map(|index| {
            let ty = TypeId::new(index);
            match &module[ty] {
                DebugType::Record { name, size, .. } if !name.is_empty() => *by_name.entry((name, *size)).or_insert(ty),
                _ => (0..index).map(TypeId::new).find(|&other| module[other] == module[ty]).unwrap_or(ty),
            }
        })
        .collect()
}

/// The types that pointers in an object of type `ty` point to, through nested records, arrays and pointers to pointers.
pub(crate) fn pointees(module: &Module, ty: TypeId) -> Vec<TypeId> {
    let mut found = Vec::new();
    let mut open = vec![(ty, 0)];
    while let Some((ty, depth)) = open.pop() {
        if depth > 16 {
            continue;
        }
        match &module[module.strip(ty)] {
            DebugType::Pointer { to } => found.push(*to),
            DebugType::Array { of, .. } => open.push((*of, depth + 1)),
            DebugType::Record { fields, .. } => open.extend(fields.iter().map(|f| (f.ty, depth + 1))),
            _ => {}
        }
    }
    found
}

fn contains(module: &Module, ty: TypeId, names: &[&str]) -> bool {
    let mut open = vec![(ty, 0)];
    while let Some((ty, depth)) = open.pop() {
        if depth > 32 {
            continue;
        }
        match &module[ty] {
            DebugType::Typedef { name, .. } if names.contains(&name.as_str()) => return true,
            DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => open.push((*to, depth + 1)),
            DebugType::Array { of, .. } => open.push((*of, depth + 1)),
            DebugType::Record { fields, .. } => open.extend(fields.iter().map(|f| (f.ty, depth + 1))),
            _ => {}
        }
    }
    false
}
