//! Reading and deciding the initial heap.

use crate::{
    Binding, Contents, Epoch, InitialCell, InitialContent, InitialObject, LazyId, LazyPointer, Memory, ObjId, Object,
    ObjectKind, Pointer, PointerPlace, Target, Territory, TypeFacts,
};
use ir::{DebugType, IntKind, Module, TypeId};
use smt::Terms;

impl Memory {
    /// Decides a lazy pointer. The target must be one of [`crate::Shape::targets`].
    pub fn decide(&mut self, module: &Module, facts: &TypeFacts, pointer: LazyId, target: Target) {
        let before = self.shape.pointer(pointer).decision;
        let decision = match target {
            Target::Null => match before {
                Binding::TaggedNull(tag) | Binding::Tagged { tag: tag @ 1.., .. } => Binding::TaggedNull(tag),
                _ => Binding::Null,
            },
            Target::Existing(to) => Binding::Target(to.within(self.shape.part_at(module, pointer, to))),
            Target::Function(function) => match self.function_object(function) {
                Some(object) => Binding::Target(Pointer::to(object)),
                None => return,
            },
            Target::New => {
                let Some(pointee) = self.shape.pointee(module, pointer) else { return };
                let path = self.shape.pointer(pointer).path.clone();
                Binding::Target(Pointer::to(self.create_initial(module, facts, pointer, pointee, &path)))
            }
            Target::Inside(record, at) => {
                let size = module.size_of(record).filter(|&size| size > 0).unwrap_or(1);
                let member = module.path_to(record, at % size);
                let path = format!("around({}, {})", self.shape.pointer(pointer).path, member.trim_start_matches('.'));
                let object = self.create_initial(module, facts, pointer, record, &path);
                let to = Pointer::new(object, at as i64);
                Binding::Target(to.within(self.shape.part_at(module, pointer, to)))
            }
        };
        let decision = match decision {
            Binding::Target(to) => Binding::Target(self.moved(to, i64::from(before.tag()))),
            other => other,
        };
        self.epoch = Epoch::new();
        self.shape_mut().set_decision(pointer, decision);
    }

    /// Decides only that a lazy pointer is not null, its tag apart.
    pub fn decide_non_null(&mut self, pointer: LazyId) {
        let decision = match self.shape.pointer(pointer).decision {
            Binding::Tagged { tag, .. } => Binding::Tagged { tag, non_null: true },
            _ => Binding::NonNull,
        };
        self.shape_mut().set_decision(pointer, decision);
    }

    /// Decides only the lowest bits of a lazy pointer's address. The bits are some of [`crate::Shape::open_tag`].
    pub fn decide_tag(&mut self, pointer: LazyId, tag: u8) {
        // That the whole is not null says nothing of the rest where the tag is not.
        let non_null = tag == 0 && self.shape.pointer(pointer).decision == Binding::NonNull;
        self.shape_mut().set_decision(pointer, Binding::Tagged { tag, non_null });
    }

    /// Adds a structure that a call is passed by value, and the parameter that leads to it. It is the call's own: no pointer of the
    /// heap leads there, but its members lead where others do.
    pub fn add_passed(&mut self, module: &Module, ty: TypeId, name: &str) -> LazyId {
        let root = self.shape_mut().add_root(name, Some(ty), Territory::Common);
        let size = module.size_of(ty).unwrap_or(0);
        let object = self.add_initial_object(size, ty, name);
        let (territory, path) = (Territory::Anyone, name.to_owned());
        let passed = InitialObject { object, ty, count: 1, size, territory, path, global: false, led_to: false };
        self.shape_mut().add_object(passed);
        self.shape_mut().set_decision(root, Binding::Target(Pointer::to(object)));
        self.epoch = Epoch::new();
        root
    }

    /// A pointer in a structure that a call is passed by value is this parameter.
    pub fn set_passed(&mut self, passed: LazyId, offset: u64, root: LazyId) {
        let Binding::Target(at) = self.shape.pointer(passed).decision else { return };
        let size = self.pointer_size().bytes() as u8;
        let cell = InitialCell { size, content: InitialContent::Pointer(root) };
        self.shape_mut().add_cell((at.object, offset), cell);
    }

    fn create_initial(
        &mut self,
        module: &Module,
        facts: &TypeFacts,
        pointer: LazyId,
        pointee: TypeId,
        path: &str,
    ) -> ObjId {
        let count = self.shape.new_count(module, facts, pointee);
        let size = module.size_of(pointee).unwrap_or(0) * count;
        let territory = self.shape.pointer(pointer).territory;
        let object = self.add_initial_object(size, pointee, path);
        let path = path.to_owned();
        let (global, led_to) = (false, true);
        self.shape_mut().add_object(InitialObject {
            object,
            ty: pointee,
            count,
            size,
            territory,
            path,
            global,
            led_to,
        });
        if TypeFacts::is_char(module, pointee) {
            let last = size.saturating_sub(1);
            self.shape_mut().add_cell((object, last), InitialCell { size: 1, content: InitialContent::Bytes(0) });
        }
        object
    }

    fn add_initial_object(&mut self, size: u64, ty: TypeId, path: &str) -> ObjId {
        let arena = self.initial_arena();
        let address = self.allocator_mut().heap(arena, size, 16, |_| false).expect("an initial heap is small");
        self.insert(Object::new(ObjectKind::Initial, address, Some(ty), path, Contents::initial(size as usize)))
    }

    /// Makes a global's contents unknown, as far as a caller may have changed them. Synchronisation objects stay as
    /// initialised: their bytes are the model's business. `led_to`: whether pointers may lead there.
    pub fn make_initial(&mut self, module: &Module, object: ObjId, ty: TypeId, name: &str, led_to: bool) {
        let size = self.object(object).size as usize;
        let count = module.size_of(ty).filter(|&s| s > 0).map_or(1, |s| (size as u64 / s).max(1));
        self.object_mut(object).contents.set_initial(0, size);
        self.shape_mut().add_object(InitialObject {
            object,
            ty,
            count,
            size: size as u64,
            territory: Territory::Common,
            path: name.to_owned(),
            global: true,
            led_to,
        });
    }

    /// Makes what an object of the initial heap holds unknown again.
    pub fn make_unknown(&mut self, object: ObjId) {
        let size = self.object(object).size as usize;
        self.object_mut(object).contents.set_initial(0, size);
        self.shape_mut().forget_cells(object);
    }

    /// The initial scalar that covers byte `offset`, with its start. Reads it for the first time if need be: a pointer
    /// becomes lazy, anything else a symbol named by its path.
    pub fn initial_cell(
        &mut self,
        terms: &mut Terms,
        module: &Module,
        facts: &TypeFacts,
        object: ObjId,
        offset: u64,
    ) -> (u64, InitialCell) {
        if let Some(found) = self.known_initial_cell(object, offset) {
            return found;
        }
        let Some(initial) = self.shape.object(object).cloned() else {
            // An object marked initial is always in the shape; a plain symbolic byte is the honest answer otherwise.
            let term = terms.var(&format!("{object}+{offset}"), 8);
            return (offset, InitialCell { size: 1, content: InitialContent::Symbol(term) });
        };
        let element = module.size_of(initial.ty).filter(|&s| s > 0).unwrap_or(1);
        let base = offset / element * element;
        let scalar = module.scalar_at(initial.ty, offset - base);
        let (start, size, ty) = match scalar {
            Some(s) if s.size <= 16 && !self.overlaps_cell(object, base + s.offset, s.size) => {
                (base + s.offset, s.size, Some(s.ty))
            }
            // Padding, bit-fields, and what another view of a union read in other pieces: byte by byte.
            _ => (offset, 1, None),
        };
        let path = format!("{}{}{}", initial.path, member_path(module, &initial, start), self.shape.primes());
        let content = match ty.map(|t| &module[module.strip(t)]) {
            Some(DebugType::Pointer { to }) => {
                let pointee = (!matches!(module[module.strip(*to)], DebugType::Void)).then_some(*to);
                let territory = self.shape.territory_at(module, facts, object, start);
                InitialContent::Pointer(self.shape_mut().add_pointer(LazyPointer {
                    place: PointerPlace::Cell { object, offset: start },
                    pointee,
                    decision: Binding::Open,
                    territory,
                    path,
                }))
            }
            other => {
                // A lock's bytes are its library's: who looks at them sees anything.
                let opaque = TypeFacts::sync_ranges(module, initial.ty).iter().any(|r| r.contains(&(start - base)));
                let bits = size as u32 * 8;
                let term = if opaque { terms.uninit_var(&path, bits) } else { terms.var(&path, bits) };
                if let Some(DebugType::Int { kind: IntKind::Bool, .. }) = other {
                    let one = terms.bv(size as u32 * 8, 1);
                    let condition = terms.ule(term, one);
                    self.shape_mut().conditions.push(condition);
                }
                InitialContent::Symbol(term)
            }
        };
        let cell = InitialCell { size: size as u8, content };
        self.shape_mut().add_cell((object, start), cell);
        (start, cell)
    }

    /// The initial scalar that covers byte `offset`, with its start, if it was read.
    pub fn known_initial_cell(&self, object: ObjId, offset: u64) -> Option<(u64, InitialCell)> {
        let (&(found, start), &cell) = self.shape.cells.range(..=(object, offset)).next_back()?;
        (found == object && offset < start + u64::from(cell.size)).then_some((start, cell))
    }

    fn overlaps_cell(&self, object: ObjId, start: u64, size: u64) -> bool {
        (start..start + size).any(|byte| self.known_initial_cell(object, byte).is_some())
    }
}

/// The path behind an initial object's own path: `->next[0]`, `[1].next`, `.field` for a global.
pub fn member_path(module: &Module, object: &InitialObject, offset: u64) -> String {
    let element = module.size_of(object.ty).filter(|&s| s > 0).unwrap_or(1);
    let inner = module.path_to(object.ty, offset % element);
    let index = offset / element;
    if object.global || object.is_passed() {
        return inner;
    }
    match inner.strip_prefix('.') {
        Some(field) if index == 0 && object.count == 1 => format!("->{field}"),
        _ if index == 0 && object.count == 1 && inner.is_empty() => "[0]".to_owned(),
        _ => format!("[{index}]{inner}"),
    }
}
