//! Walking debug types along an address computation: which member is addressed, and how the source would write it.

use super::address::{Index, Step};
use super::types::Types;
use ir::{ArrayPart, DebugType, Field, Module, Reg, TypeId};

/// What an address computation passes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Walk {
    /// `.next[0]`, empty when unknown.
    pub(super) path: String,
    /// The type whose member is addressed.
    pub(super) within: Option<TypeId>,
    /// Whole elements of `within` were stepped over.
    pub(super) array: bool,
    /// The type at the resulting address.
    pub(super) result: Option<TypeId>,
    /// The array among a record's members that it lies in.
    pub(super) part: Option<ArrayPart>,
}

/// Reads the types of a module.
#[derive(Clone, Copy)]
pub(super) struct Reader<'a, 'm> {
    pub(super) module: &'a Module,
    pub(super) types: &'a Types<'m>,
}

/// Types nest only so deep unless the debug information is cyclic.
const DEPTH: u32 = 32;

impl Reader<'_, '_> {
    /// Walks from an address of type `base` (what lies there), as far as it is known.
    pub(super) fn walk(self, base: Option<TypeId>, steps: &[Step], name: impl Fn(Reg) -> Option<String>) -> Walk {
        let mut walk = Walk::default();
        let mut current = base;
        let index_text = |index: &Index| match index {
            Index::Constant(n) => format!("[{n}]"),
            Index::Register(reg) => format!("[{}]", name(*reg).unwrap_or_else(|| "?".to_owned())),
            Index::Unknown => "[?]".to_owned(),
        };
        for (position, step) in steps.iter().enumerate() {
            current = match step {
                Step::Enter { byte: true, index, .. } if position == 0 => self.enter_bytes(current, index, &mut walk),
                Step::Enter { record, size, index, only, .. } => {
                    let entered = self.enter(current, record.as_deref(), *size, &mut walk.path);
                    if position == 0 {
                        walk.within = entered;
                        walk.array = *index != Index::Constant(0);
                        if walk.array || *only {
                            walk.path.push_str(&index_text(index));
                        }
                    }
                    entered
                }
                Step::Field(offset) => self.field(current, *offset, &mut walk.path),
                Step::Element(index) => {
                    walk.path.push_str(&index_text(index));
                    self.element(current)
                }
            };
            // A bit-field ends the walk with a path but without a type.
            let at_end = position + 1 == steps.len() && matches!(step, Step::Field(_));
            if current.is_none() && !at_end {
                walk.path.clear();
                return walk;
            }
            walk.part = self.array_part(walk.part, step, current);
        }
        walk.result = current;
        walk
    }

    /// Which array of scalars an address of type `current` lies in after a step. One of a single element, or of none, stands for as many
    /// as were allocated.
    fn array_part(self, before: Option<ArrayPart>, step: &Step, current: Option<TypeId>) -> Option<ArrayPart> {
        let current = current.filter(|&ty| !self.module.holds_records(ty))?;
        match step {
            // An array's address becomes that of its first element in a computation of its own, which is joined to this one.
            Step::Enter { index: Index::Constant(0), .. } => before,
            Step::Enter { .. } => None,
            Step::Field(_) => match self.module[self.module.strip(current)] {
                DebugType::Array { count: Some(2..), .. } => {
                    Some(ArrayPart { before: 0, bytes: self.module.size_of(current)? })
                }
                _ => None,
            },
            Step::Element(Index::Constant(index)) => {
                let part = before?;
                let skipped = u64::try_from(*index).ok()?.checked_mul(self.module.size_of(current)?)?;
                let before = part.before.checked_add(skipped).filter(|&at| at <= part.bytes)?;
                Some(ArrayPart { before, ..part })
            }
            Step::Element(_) => None,
        }
    }

    /// Byte arithmetic: over characters, or to a known offset in a record.
    fn enter_bytes(self, current: Option<TypeId>, index: &Index, walk: &mut Walk) -> Option<TypeId> {
        let current = current?;
        walk.array = *index != Index::Constant(0);
        match (&self.module[self.module.strip(current)], index) {
            (DebugType::Int { size: 1, .. }, Index::Constant(n)) => {
                walk.within = Some(current);
                walk.path = format!("[{n}]");
                Some(current)
            }
            (DebugType::Int { size: 1, .. }, _) => {
                walk.within = Some(current);
                walk.path = "[?]".to_owned();
                Some(current)
            }
            (DebugType::Record { size, .. }, Index::Constant(n)) => {
                let offset = u64::try_from(*n).ok().filter(|n| n < size)?;
                walk.array = false;
                walk.within = Some(current);
                walk.path = self.module.path_to(current, offset);
                self.module.scalar_at(current, offset).filter(|s| s.offset == offset).map(|s| s.ty)
            }
            _ => None,
        }
    }

    /// The debug type that LLVM's element type means where `current` is declared.
    fn enter(self, current: Option<TypeId>, record: Option<&str>, size: u64, path: &mut String) -> Option<TypeId> {
        if let Some(current) = current {
            if self.matches(current, record, size) {
                return Some(current);
            }
            match &self.module[self.module.strip(current)] {
                DebugType::Array { of, .. } if self.matches(*of, record, size) => return Some(*of),
                DebugType::Record { fields, union: true, .. } => {
                    let mut fitting = fields.iter().filter(|f| f.bits.is_none() && self.matches(f.ty, record, size));
                    if let (Some(field), None) = (fitting.next(), fitting.next()) {
                        push_member(path, &field.name);
                        return Some(field.ty);
                    }
                }
                _ => {}
            }
        }
        self.record(record?, size)
    }

    /// The record that an LLVM struct stands for, where its name and size say so.
    pub(super) fn record(self, llvm_name: &str, size: u64) -> Option<TypeId> {
        self.types.records_named(llvm_name).iter().copied().find(|id| self.module.size_of(*id) == Some(size))
    }

    fn matches(self, ty: TypeId, record: Option<&str>, size: u64) -> bool {
        let stripped = self.module.strip(ty);
        match (&self.module[stripped], record) {
            (DebugType::Record { size: own, .. }, Some(name)) => {
                let named = self.types.records_named(name);
                let same = |n: &TypeId| self.module.same_type(*n, stripped) || self.isomorphic(*n, stripped, DEPTH);
                *own == size && (named.is_empty() || named.iter().any(same))
            }
            // A record passed in registers is taken apart by another layout of the same size.
            (DebugType::Record { size: own, .. }, None) => *own == size,
            (_, Some(_)) => false,
            (DebugType::Array { count: None | Some(0), .. }, None) => size == 0,
            (_, None) => self.module.size_of(stripped) == Some(size),
        }
    }

    /// Whether two types come to one in LLVM: where sources are linked, of isomorphic structures one keeps its name. So what a
    /// pointer is declared to lead to counts, also where the source casts it to a structure that is laid out alike.
    fn isomorphic(self, a: TypeId, b: TypeId, fuel: u32) -> bool {
        let (a, b) = (self.module.strip(a), self.module.strip(b));
        if a == b || fuel == 0 {
            return a == b;
        }
        let is_number = |ty: &DebugType| matches!(ty, DebugType::Int { .. } | DebugType::Enum { .. });
        match (&self.module[a], &self.module[b]) {
            (DebugType::Record { fields: x, union: false, .. }, DebugType::Record { fields: y, union: false, .. }) => {
                let alike = |(x, y): (&Field, &Field)| {
                    (x.offset, x.bits) == (y.offset, y.bits) && self.isomorphic(x.ty, y.ty, fuel - 1)
                };
                x.len() == y.len() && x.iter().zip(y).all(alike)
            }
            (DebugType::Pointer { .. }, DebugType::Pointer { .. }) => true,
            (DebugType::Array { of: x, count: n }, DebugType::Array { of: y, count: m }) => {
                n == m && self.isomorphic(*x, *y, fuel - 1)
            }
            (DebugType::Float { .. }, DebugType::Float { .. }) => self.module.size_of(a) == self.module.size_of(b),
            (x, y) => is_number(x) && is_number(y) && self.module.size_of(a) == self.module.size_of(b),
        }
    }

    fn field(self, current: Option<TypeId>, offset: u64, path: &mut String) -> Option<TypeId> {
        let fields = self.module.fields(current?);
        let exact = fields.iter().filter(|f| f.bits.is_none() && f.offset == offset);
        // An empty member may share its offset with the next one.
        if let Some(field) = exact.max_by_key(|f| self.module.size_of(f.ty).is_some_and(|s| s > 0)) {
            push_member(path, &field.name);
            return Some(field.ty);
        }
        let in_unit = fields.iter().filter(|f| {
            f.bits.is_some_and(|(first, width)| {
                let start = f.offset + u64::from(first) / 8;
                let end = f.offset + u64::from(first + width).div_ceil(8);
                f.offset == offset || (start..end).contains(&offset)
            })
        });
        let names: Vec<&str> = in_unit.map(|f| f.name.as_str()).filter(|n| !n.is_empty()).collect();
        match names.as_slice() {
            [] => path.clear(),
            [one] => push_member(path, one),
            several => push_member(path, &format!("{{{}}}", several.join(","))),
        }
        None
    }

    fn element(self, current: Option<TypeId>) -> Option<TypeId> {
        match &self.module[self.module.strip(current?)] {
            DebugType::Array { of, .. } => Some(*of),
            _ => None,
        }
    }

    /// What the pointer at byte `offset` of `ty` points to. Unions answer only where their members agree.
    pub(super) fn pointee_at(self, ty: TypeId, offset: u64) -> Option<TypeId> {
        self.pointee_within(ty, offset, DEPTH)
    }

    fn pointee_within(self, ty: TypeId, offset: u64, fuel: u32) -> Option<TypeId> {
        if fuel == 0 {
            return None;
        }
        match &self.module[self.module.strip(ty)] {
            DebugType::Pointer { to } => (offset == 0).then_some(*to),
            DebugType::Array { of, .. } => {
                let size = self.module.size_of(*of).filter(|s| *s > 0)?;
                self.pointee_within(*of, offset % size, fuel - 1)
            }
            DebugType::Record { fields, .. } => {
                let inside = fields.iter().filter(|f| f.bits.is_none() && f.offset <= offset);
                let mut found = inside.filter_map(|f| {
                    let size = self.module.size_of(f.ty).unwrap_or(u64::MAX);
                    (offset - f.offset < size).then(|| self.pointee_within(f.ty, offset - f.offset, fuel - 1))?
                });
                let first = found.next()?;
                found.all(|other| self.module.same_type(first, other)).then_some(first)
            }
            _ => None,
        }
    }

    /// The part of `ty` at byte `offset` that an address computation starts from, and the path to it.
    pub(super) fn part(self, ty: TypeId, offset: i64, steps: &[Step]) -> Option<(TypeId, String)> {
        let Some(Step::Enter { record, size, .. }) = steps.first() else { return None };
        let mut path = String::new();
        let part = self.part_at(ty, u64::try_from(offset).ok()?, record.as_deref(), *size, &mut path, DEPTH)?;
        Some((part, path))
    }

    fn part_at(
        self,
        ty: TypeId,
        offset: u64,
        record: Option<&str>,
        size: u64,
        path: &mut String,
        fuel: u32,
    ) -> Option<TypeId> {
        if offset == 0 && self.matches(ty, record, size) {
            return Some(ty);
        }
        if fuel == 0 {
            return None;
        }
        let length = path.len();
        match &self.module[self.module.strip(ty)] {
            DebugType::Array { of, .. } => {
                let element = self.module.size_of(*of).filter(|s| *s > 0)?;
                path.push_str(&format!("[{}]", offset / element));
                self.part_at(*of, offset % element, record, size, path, fuel - 1)
            }
            DebugType::Record { fields, .. } => fields
                .iter()
                .filter(|f| f.bits.is_none() && f.offset <= offset)
                .filter(|f| offset - f.offset < self.module.size_of(f.ty).unwrap_or(u64::MAX))
                .find_map(|f| {
                    path.truncate(length);
                    push_member(path, &f.name);
                    self.part_at(f.ty, offset - f.offset, record, size, path, fuel - 1)
                }),
            _ => None,
        }
    }
}

/// Anonymous members do not show in C.
fn push_member(path: &mut String, name: &str) {
    if !name.is_empty() {
        path.push('.');
        path.push_str(name);
    }
}
