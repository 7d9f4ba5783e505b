//! Names for what a function does, in expressions of C over its parameters, globals and the heap.

use concurrency::Place;
use ir::{DebugType, IntKind, LocId, Module, TypeId};
use machine::{Engine, Program, State};
use memory::{ObjId, ObjectKind, Pointer, Value, member_path};
use report::TreeLocation;

/// Names things of one state.
pub(super) struct Words<'a> {
    pub program: &'a Program,
    pub engine: &'a Engine,
    pub state: &'a State,
}

impl Words<'_> {
    fn module(&self) -> &Module {
        &self.program.module
    }

    /// The scalar that begins at a byte of an object: `h->next[0]`, `table[1].lock`, `new1->key`.
    pub(super) fn place(&self, object: ObjId, offset: u64) -> String {
        let memory = &self.state.memory;
        if let Some(initial) = memory.shape().object(object) {
            return format!("{}{}", initial.path, member_path(self.module(), initial, offset));
        }
        let known = memory.object(object);
        let path = known.ty.map(|ty| self.element_path(ty, offset)).unwrap_or_default();
        match known.kind {
            ObjectKind::Heap => match path.strip_prefix('.') {
                Some(field) => format!("{}->{field}", self.block(object)),
                None if path.is_empty() => format!("{}[{offset}]", self.block(object)),
                None => format!("{}{path}", self.block(object)),
            },
            _ if known.name.is_empty() => format!("local{}+{offset}", object.index()),
            _ => format!("{}{path}", known.name),
        }
    }

    fn element_path(&self, ty: TypeId, offset: u64) -> String {
        let size = self.module().size_of(ty).filter(|&size| size > 0).unwrap_or(1);
        let path = self.module().path_to(ty, offset % size);
        match offset / size {
            0 => path,
            index => format!("[{index}]{path}"),
        }
    }

    /// A block that the function has allocated.
    fn block(&self, object: ObjId) -> String {
        let memory = &self.state.memory;
        let is_block = |id: &ObjId| memory.object(*id).kind == ObjectKind::Heap;
        let earlier = memory.ids().take_while(|&id| id != object).filter(is_block).count();
        format!("new{}", earlier + 1)
    }

    /// A synchronisation object, without glibc's own fields.
    pub(super) fn lock(&self, place: Place) -> String {
        let name = self.place(place.object, place.offset);
        let cut = [".__data", ".__size", ".__align", "->__data", "->__size", "->__align"];
        let at = cut.iter().filter_map(|inner| name.find(inner)).min();
        at.map_or(name.clone(), |at| name[..at].to_owned())
    }

    /// The beginning of an object, as a pointer.
    fn pointer(&self, at: Pointer) -> String {
        let memory = &self.state.memory;
        let known = memory.object(at.object);
        match (known.kind, memory.shape().object(at.object), at.offset) {
            (ObjectKind::Function(_), ..) => known.name.to_string(),
            (_, Some(initial), 0) if !initial.global => initial.path.clone(),
            (ObjectKind::Heap, None, 0) => self.block(at.object),
            (_, _, 0) if !known.name.is_empty() => format!("&{}", known.name),
            (_, _, offset) if u64::try_from(offset).is_ok_and(|offset| offset < known.size) => {
                format!("&{}", self.place(at.object, offset as u64))
            }
            (_, _, offset) => format!("{}{offset:+}", self.pointer(Pointer::to(at.object))),
        }
    }

    pub(super) fn value(&self, value: Value) -> String {
        match self.state.memory.settle(value) {
            Value::Int(bits) => bits.to_string(),
            Value::Term(term) => self.engine.terms.display(term),
            Value::Ptr(pointer) => self.pointer(pointer),
            Value::Symbolic { object, offset, .. } => {
                format!("({} + {})", self.pointer(Pointer::to(object)), self.engine.terms.display(offset))
            }
            Value::Lazy { pointer, offset: 0, .. } => self.state.memory.shape().pointer(pointer).path.clone(),
            Value::Lazy { pointer, offset, .. } => {
                format!("({}{offset:+})", self.state.memory.shape().pointer(pointer).path)
            }
        }
    }

    /// A value of this type.
    pub(super) fn typed(&self, value: Value, ty: Option<TypeId>) -> String {
        let module = self.module();
        let signed = |ty: TypeId| matches!(module[module.strip(ty)], DebugType::Int { kind: IntKind::Signed, .. });
        let size = ty.filter(|&ty| signed(ty)).and_then(|ty| module.size_of(ty)).filter(|size| (1..=8).contains(size));
        match (self.state.memory.settle(value), size) {
            (Value::Int(bits), Some(size)) => {
                let shift = 64 - 8 * size;
                (((bits << shift) as i64) >> shift).to_string()
            }
            (value, _) => self.value(value),
        }
    }

    /// A type as C names it.
    pub(super) fn type_name(&self, ty: TypeId) -> String {
        let module = self.module();
        match &module[ty] {
            DebugType::Int { name, .. } | DebugType::Float { name, .. } | DebugType::Typedef { name, .. } => {
                name.clone()
            }
            DebugType::Record { name, union: true, .. } => format!("union {name}"),
            DebugType::Record { name, .. } | DebugType::Opaque { name } => format!("struct {name}"),
            DebugType::Enum { name, .. } => format!("enum {name}"),
            DebugType::Pointer { to } => format!("{} *", self.type_name(*to)),
            DebugType::Qualified { to, .. } => self.type_name(*to),
            DebugType::Array { of, .. } => format!("{}[]", self.type_name(*of)),
            DebugType::Function { .. } => "function".to_owned(),
            DebugType::Void => "void".to_owned(),
        }
    }
}

/// A position in the source.
pub(super) fn location(module: &Module, at: Option<LocId>) -> TreeLocation {
    let Some(at) = at.map(|at| &module[at]) else { return TreeLocation::default() };
    TreeLocation { file: module[at.file].path.clone(), line: at.line, column: at.column }
}
