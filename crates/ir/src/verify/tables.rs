//! Rules for the tables of a module.

use super::{Place, Rule, VerifyError};
use crate::{Address, DebugType, Field, Global, GlobalId, Init, LocId, Module, TypeId};
use std::collections::HashMap;
use std::fmt::Display;

/// Sizes and offsets stay below this, so that sums of two never overflow.
const SIZE_LIMIT: u64 = 1 << 62;

pub(super) fn check(module: &Module) -> Vec<VerifyError> {
    let mut tables = Tables { module, errors: Vec::new() };
    tables.types();
    for (id, global) in module.globals() {
        tables.global(id, global);
    }
    tables.names();
    tables.locations();
    tables.errors
}

struct Tables<'m> {
    module: &'m Module,
    errors: Vec<VerifyError>,
}

impl Tables<'_> {
    fn report(&mut self, entry: impl Display, rule: Rule, detail: impl Into<String>) {
        self.errors.push(VerifyError { place: Place::Entry(entry.to_string()), rule, detail: detail.into() });
    }

    fn in_range(&mut self, entry: impl Display, what: impl Display, index: usize, count: usize) -> bool {
        if index >= count {
            self.report(entry, Rule::IdInRange, format!("there is no {what}"));
        }
        index < count
    }

    fn types(&mut self) {
        let count = self.module.types.len();
        let mut sound = true;
        for (i, ty) in self.module.types.iter().enumerate() {
            for other in mentioned(ty) {
                sound &= self.in_range(TypeId::new(i), other, other.index(), count);
            }
        }
        if sound && let Some(order) = self.contained_first() {
            self.layouts(&order);
        }
    }

    /// The types, each after those that it contains; `None`, with errors, where one contains itself.
    fn contained_first(&mut self) -> Option<Vec<TypeId>> {
        #[derive(Clone, Copy, PartialEq)]
        enum Visit {
            No,
            Open,
            Done,
        }
        let types = &self.module.types;
        let mut state = vec![Visit::No; types.len()];
        let mut order = Vec::with_capacity(types.len());
        let mut cyclic = Vec::new();
        for start in 0..types.len() {
            if state[start] != Visit::No {
                continue;
            }
            state[start] = Visit::Open;
            // An explicit stack: chains of types may be long.
            let mut path = vec![(TypeId::new(start), contained(&types[start]))];
            while let Some((ty, rest)) = path.last_mut() {
                match rest.pop() {
                    Some(inner) => match state[inner.index()] {
                        Visit::No => {
                            state[inner.index()] = Visit::Open;
                            path.push((inner, contained(&types[inner.index()])));
                        }
                        Visit::Open => cyclic.push(inner),
                        Visit::Done => {}
                    },
                    None => {
                        state[ty.index()] = Visit::Done;
                        order.push(*ty);
                        path.pop();
                    }
                }
            }
        }
        for ty in &cyclic {
            self.report(ty, Rule::FiniteType, "the type contains itself");
        }
        cyclic.is_empty().then_some(order)
    }

    fn layouts(&mut self, order: &[TypeId]) {
        let module = self.module;
        let mut sizes: Vec<Option<u64>> = vec![None; module.types.len()];
        for &ty in order {
            let size = match &module[ty] {
                DebugType::Int { size, .. } | DebugType::Float { size, .. } | DebugType::Enum { size, .. } => {
                    Some(*size)
                }
                DebugType::Pointer { .. } => Some(self.module.pointer.bytes()),
                DebugType::Record { size, fields, .. } => {
                    for field in fields {
                        if !inside(field, sizes[field.ty.index()], *size) {
                            self.report(
                                ty,
                                Rule::TypeLayout,
                                format!("member `{}` does not lie in the record", field.name),
                            );
                        }
                    }
                    Some(*size)
                }
                DebugType::Array { of, count: Some(count) } => {
                    sizes[of.index()].map(|size| size.saturating_mul(*count))
                }
                DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => sizes[to.index()],
                DebugType::Void
                | DebugType::Array { count: None, .. }
                | DebugType::Function { .. }
                | DebugType::Opaque { .. } => None,
            };
            if size.is_some_and(|size| size >= SIZE_LIMIT) {
                self.report(ty, Rule::TypeLayout, "the type is too large");
            }
            sizes[ty.index()] = size;
        }
    }

    fn global(&mut self, id: GlobalId, global: &Global) {
        let entry = format!("{id} {}", global.name);
        if let Some(ty) = global.ty {
            self.in_range(&entry, ty, ty.index(), self.module.types.len());
        }
        if let Some(location) = global.location {
            self.in_range(&entry, location, location.index(), self.module.locations.len());
        }
        if let Some(own) = global.stands_for {
            self.in_range(&entry, own, own.index(), self.module.globals.len());
        }
        if !global.align.is_power_of_two() {
            self.report(&entry, Rule::Alignment, format!("{} is no power of two", global.align));
        }
        if global.size >= SIZE_LIMIT {
            self.report(&entry, Rule::TypeLayout, "the global is too large");
        }
        let Init::Data { bytes, addresses } = &global.init else { return };
        if bytes.len() as u64 != global.size {
            self.report(&entry, Rule::InitSize, format!("{} bytes for a size of {}", bytes.len(), global.size));
        }
        let pointer = self.module.pointer.bytes();
        let mut offsets: Vec<u64> = addresses.iter().map(|(offset, _)| *offset).collect();
        offsets.sort_unstable();
        if let Some(last) = offsets.last().filter(|o| o.checked_add(pointer).is_none_or(|end| end > global.size)) {
            self.report(&entry, Rule::Relocation, format!("the one at {last} leaves the initialiser"));
        }
        if let Some([first, second]) = offsets.array_windows().find(|[first, second]| second - first < pointer) {
            self.report(&entry, Rule::Relocation, format!("those at {first} and {second} overlap"));
        }
        for (_, address) in addresses {
            match address {
                Address::Func(function) => {
                    self.in_range(&entry, function, function.index(), self.module.functions.len());
                }
                Address::Global(target, _) => {
                    let sound = self.in_range(&entry, target, target.index(), self.module.globals.len());
                    if sound && self.module[*target].has_instances() {
                        self.report(&entry, Rule::ThreadLocal, format!("{target} has no address before a thread runs"));
                    }
                }
            }
        }
    }

    fn names(&mut self) {
        let mut first = HashMap::new();
        for (id, function) in self.module.functions().filter(|(_, f)| f.external) {
            if let Some(known) = first.insert(&function.name, id) {
                self.report(
                    format!("{id} {}", function.name),
                    Rule::UniqueName,
                    format!("{known} has the name as well"),
                );
            }
        }
    }

    fn locations(&mut self) {
        let count = self.module.locations.len();
        let mut sound = true;
        for (i, location) in self.module.locations.iter().enumerate() {
            let id = LocId::new(i);
            self.in_range(id, location.file, location.file.index(), self.module.files.len());
            if let Some(outer) = location.inlined_at {
                sound &= self.in_range(id, outer, outer.index(), count);
            }
        }
        if !sound {
            return;
        }
        // Known to end: those whose chain was walked before.
        let mut ends = vec![false; count];
        for start in 0..count {
            let mut chain = Vec::new();
            let mut next = Some(LocId::new(start));
            while let Some(id) = next.filter(|id| !ends[id.index()]) {
                if chain.len() > count {
                    self.report(LocId::new(start), Rule::FiniteLocation, "the calls it was inlined at form a cycle");
                    break;
                }
                chain.push(id);
                next = self.module[id].inlined_at;
            }
            // One report a cycle is enough.
            chain.iter().for_each(|id| ends[id.index()] = true);
        }
    }
}

/// All types that a type mentions.
fn mentioned(ty: &DebugType) -> Vec<TypeId> {
    match ty {
        DebugType::Pointer { to } => vec![*to],
        DebugType::Function { ret, params, .. } => std::iter::once(*ret).chain(params.iter().copied()).collect(),
        _ => contained(ty),
    }
}

/// The types that a type's layout rests on.
fn contained(ty: &DebugType) -> Vec<TypeId> {
    match ty {
        DebugType::Record { fields, .. } => fields.iter().map(|f| f.ty).collect(),
        DebugType::Array { of, .. } => vec![*of],
        DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => vec![*to],
        DebugType::Void
        | DebugType::Int { .. }
        | DebugType::Float { .. }
        | DebugType::Enum { .. }
        | DebugType::Pointer { .. }
        | DebugType::Function { .. }
        | DebugType::Opaque { .. } => Vec::new(),
    }
}

/// Whether a member lies in a record of `size` bytes. A flexible array has no size and may begin at the end.
fn inside(field: &Field, field_size: Option<u64>, size: u64) -> bool {
    let bytes = match field.bits {
        Some((first, width)) => (u64::from(first) + u64::from(width)).div_ceil(8),
        None => field_size.unwrap_or(0),
    };
    field.offset.checked_add(bytes).is_some_and(|end| end <= size)
}
