//! Records whose last member is an array of as many elements as were allocated with them: C11's flexible array member
//! (6.7.2.1p18), GNU's `[0]`, and the older `[1]` that is indexed beyond its end.
//!
//! [`give_elements`] writes a number of elements into their debug types, so that whatever reads those (which objects there
//! are, which scalars and pointers they have, what members are called) sees objects with that many. Debug types never
//! decide what an instruction does, so neither does this.
//!
//! Left as they are: records inside of other types, of which the elements would overlap what follows, and records that
//! the program steps over in an array, of which they would overlap the next.

use crate::{DebugType, Field, Module, Op, TypeId};
use std::collections::BTreeSet;

/// Gives the last array of each such record `elements` elements, characters one more for a terminator. Which records have
/// one, copies in other translation units included.
pub fn give_elements(module: &mut Module, elements: u64) -> BTreeSet<TypeId> {
    let found: Vec<(TypeId, Tail)> = tails(module);
    for (record, tail) in &found {
        let count = elements + u64::from(tail.of_characters);
        let array = TypeId::new(module.types.len());
        module.types.push(DebugType::Array { of: tail.of, count: Some(count) });
        if let DebugType::Record { size, fields, .. } = &mut module.types[record.index()]
            && let Some(last) = fields.last_mut()
        {
            last.ty = array;
            *size = (*size).max(tail.offset + count * tail.element);
        }
    }
    found.into_iter().map(|(record, _)| record).collect()
}

/// The array at the end of a record.
struct Tail {
    offset: u64,
    of: TypeId,
    /// Bytes of one element.
    element: u64,
    of_characters: bool,
    /// Declared elements: none or one.
    declared: u64,
}

impl Tail {
    fn of(module: &Module, record: TypeId) -> Option<Tail> {
        let DebugType::Record { union: false, fields, size, .. } = &module[record] else { return None };
        let (last, others) = fields.split_last()?;
        let Field { ty, offset, bits: None, .. } = *last else { return None };
        let DebugType::Array { of, count } = module[module.strip(ty)] else { return None };
        let declared = count.unwrap_or(0);
        let element = module.size_of(of).filter(|&size| size > 0)?;
        let of_characters = matches!(module[module.strip(of)], DebugType::Int { kind: crate::IntKind::Char, .. });
        let is_last = others.iter().all(|f| f.offset <= offset) && offset <= *size;
        (declared <= 1 && is_last).then_some(Tail { offset, of, element, of_characters, declared })
    }

    /// Whether an address in the record lies in elements that are not declared, or may.
    fn is_reached(&self, constant: i64, scales: &[i64]) -> bool {
        let Ok(offset) = u64::try_from(constant) else { return false };
        let indexed = offset >= self.offset && scales.iter().any(|&scale| scale.unsigned_abs() == self.element);
        indexed || offset >= self.offset + self.declared * self.element
    }
}

/// The records whose last array the program uses as one of unknown length.
fn tails(module: &Module) -> Vec<(TypeId, Tail)> {
    let candidates = (0..module.types.len()).map(TypeId::new);
    let mut found: Vec<(TypeId, Tail)> = candidates.filter_map(|ty| Some((ty, Tail::of(module, ty)?))).collect();
    if found.is_empty() {
        return found;
    }
    let whole = embedded(module);
    let (mut used, mut stepped) = (BTreeSet::new(), BTreeSet::new());
    for op in module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts).map(|inst| &inst.op) {
        let Op::Offset { constant, indices, within: Some(within), array, .. } = op else { continue };
        let within = module.strip(*within);
        if *array {
            stepped.insert(within);
            continue;
        }
        let scales: Vec<i64> = indices.iter().map(|index| index.scale).collect();
        let same = |(ty, tail): &&(TypeId, Tail)| *ty == within && tail.is_reached(*constant, &scales);
        used.extend(found.iter().find(same).map(|(ty, _)| *ty));
    }
    let among = |set: &BTreeSet<TypeId>, ty: TypeId| set.iter().any(|&other| module.same_type(other, ty));
    found.retain(|(ty, _)| among(&used, *ty) && !among(&stepped, *ty) && !among(&whole, *ty));
    found
}

/// The records that stand inside of other types.
fn embedded(module: &Module) -> BTreeSet<TypeId> {
    let mut found = BTreeSet::new();
    for ty in &module.types {
        match ty {
            DebugType::Record { fields, .. } => found.extend(fields.iter().map(|f| module.strip(f.ty))),
            DebugType::Array { of, .. } => {
                found.insert(module.strip(*of));
            }
            _ => {}
        }
    }
    found.retain(|&ty| matches!(module[ty], DebugType::Record { .. }));
    found
}
