//! Members without their objects: what reports call a field, whatever the object is called that it is in.

use crate::initial::member_path;
use crate::{Memory, ObjId, Object, ObjectKind, TypeFacts};
use ir::{Module, c_type};

/// A member, `struct node.next[0]`, or a variable by its name, `table.bucket[1]`; a lock as a whole. `None` where no type is known.
pub fn field((module, facts): (&Module, &TypeFacts), memory: &Memory, object: ObjId, offset: u64) -> Option<String> {
    let known = memory.object(object);
    let path = || known.ty.map(|ty| module.path_to(ty, offset)).unwrap_or_default();
    let name = match (known.kind, memory.shape().object(object)) {
        (ObjectKind::Function(_) | ObjectKind::Arguments, _) => None,
        (_, Some(initial)) => {
            let name = if initial.global { initial.path.clone() } else { c_type(module, initial.ty) };
            let path = member_path(module, initial, offset);
            let path = path.strip_prefix("->").map_or(path.clone(), |member| format!(".{member}"));
            (!name.is_empty()).then(|| format!("{name}{path}"))
        }
        (ObjectKind::Global(global), None) if facts.is_object(global) => typed_block((module, facts), known, offset),
        (ObjectKind::Global(_), None) => Some(format!("{}{}", known.name, path())),
        (ObjectKind::Stack, None) if !known.name.is_empty() => Some(format!("{}{}", known.name, path())),
        (ObjectKind::Initial | ObjectKind::Heap | ObjectKind::Stack, None) => {
            typed_block((module, facts), known, offset)
        }
    };
    name.map(unqualified).map(outside_of_lock)
}

/// What a pointer may not do with an object is no part of that object's name.
fn unqualified(name: String) -> String {
    let mut rest = name.as_str();
    while let Some(of) = ["const ", "volatile "].iter().find_map(|qualifier| rest.strip_prefix(qualifier)) {
        rest = of;
    }
    rest.to_owned()
}

/// A byte of a block whose pointer is declared: `struct node.next[0]`, `int[3]`.
pub fn typed_block((module, facts): (&Module, &TypeFacts), block: &Object, offset: u64) -> Option<String> {
    let ty = block.ty?;
    let element = module.size_of(ty).filter(|&size| size > 0)?;
    let name = c_type(module, ty);
    if facts.has_tail(module, ty) && offset >= element {
        return None;
    }
    let index = if block.size > element { format!("[{}]", offset / element) } else { String::new() };
    let path = module.path_to(ty, offset % element);
    (!name.is_empty()).then(|| format!("{name}{index}{path}"))
}

/// The path to a lock's first byte goes on into glibc's own fields.
pub fn outside_of_lock(name: String) -> String {
    let cut = [".__data", ".__size", ".__align"].iter().filter_map(|inner| name.find(inner)).min();
    cut.map_or(name.clone(), |at| name[..at].to_owned())
}
