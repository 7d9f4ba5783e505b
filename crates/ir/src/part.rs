//! A part of a module: some of its functions, with all that these name.
//!
//! Guarantee: the part names nothing that is not in it; tables keep their order; instructions keep their places in their
//! functions, and functions theirs in the source.
//! Knows nothing of which functions are wanted.

use crate::{
    Address, Callee, DebugType, Edge, FileId, FuncId, Function, Global, GlobalId, Init, LocId, Location, Module, Op,
    Operand, Terminator, TypeId, WideId,
};
use std::collections::BTreeSet;

/// Of each table of a module, some of the ids.
#[derive(Clone, Default, Debug)]
pub struct Wanted {
    pub functions: BTreeSet<FuncId>,
    pub globals: BTreeSet<GlobalId>,
    pub types: BTreeSet<TypeId>,
    locations: BTreeSet<LocId>,
    files: BTreeSet<FileId>,
    wide: BTreeSet<WideId>,
}

/// A part of a module, and what each of its functions, globals and types is in the whole.
#[derive(Clone, Debug)]
pub struct Part {
    pub module: Module,
    pub functions: Vec<FuncId>,
    pub globals: Vec<GlobalId>,
    pub types: Vec<TypeId>,
}

impl Part {
    /// A function of the whole in the part, if it is there.
    pub fn function(&self, whole: FuncId) -> Option<FuncId> {
        self.functions.binary_search(&whole).ok().map(FuncId::new)
    }
}

impl Wanted {
    /// Adds all that is named by what is wanted.
    pub fn close(&mut self, module: &Module) {
        let mut open = Open { known: Wanted::default(), functions: Vec::new(), globals: Vec::new(), types: Vec::new() };
        for &function in &self.functions {
            open.function(function);
        }
        for &global in &self.globals {
            open.global(global);
        }
        for &ty in &self.types {
            open.ty(ty);
        }
        loop {
            if let Some(id) = open.functions.pop() {
                module[id].clone().renumber(&mut open);
            } else if let Some(id) = open.globals.pop() {
                module[id].clone().renumber(&mut open);
            } else if let Some(id) = open.types.pop() {
                module[id].clone().renumber(&mut open);
            } else {
                break;
            }
        }
        let mut locations: Vec<LocId> = open.known.locations.iter().copied().collect();
        while let Some(id) = locations.pop() {
            let location = &module[id];
            open.known.files.insert(location.file);
            locations.extend(location.inlined_at.filter(|&at| open.known.locations.insert(at)));
        }
        *self = open.known;
    }
}

impl Module {
    /// The part that consists of what is wanted, which has to be [closed](Wanted::close).
    pub fn part(&self, wanted: &Wanted) -> Part {
        let Wanted { functions, globals, types, locations, files, wide } = wanted;
        let mut ids = Places::of(wanted);
        let mut module = Module { pointer: self.pointer, ..Module::default() };
        module.files.extend(files.iter().map(|&id| self[id].clone()));
        module.wide.extend(wide.iter().map(|&id| self[id]));
        module.types.extend(types.iter().map(|&id| self[id].clone()));
        module.globals.extend(globals.iter().map(|&id| self[id].clone()));
        module.functions.extend(functions.iter().map(|&id| self[id].clone()));
        module.locations.extend(locations.iter().map(|&id| self[id].clone()));
        module.types.iter_mut().for_each(|ty| ty.renumber(&mut ids));
        module.globals.iter_mut().for_each(|global| global.renumber(&mut ids));
        module.functions.iter_mut().for_each(|function| function.renumber(&mut ids));
        module.locations.iter_mut().for_each(|location| location.renumber(&mut ids));
        Part {
            module,
            functions: functions.iter().copied().collect(),
            globals: globals.iter().copied().collect(),
            types: types.iter().copied().collect(),
        }
    }
}

/// What each id becomes.
trait Renumbering {
    fn function(&mut self, id: FuncId) -> FuncId;
    fn global(&mut self, id: GlobalId) -> GlobalId;
    fn ty(&mut self, id: TypeId) -> TypeId;
    fn location(&mut self, id: LocId) -> LocId;
    fn file(&mut self, id: FileId) -> FileId;
    fn wide(&mut self, id: WideId) -> WideId;
}

/// Notes what is named; nothing becomes anything else.
struct Open {
    known: Wanted,
    /// Whose own names are to be looked at.
    functions: Vec<FuncId>,
    globals: Vec<GlobalId>,
    types: Vec<TypeId>,
}

impl Renumbering for Open {
    fn function(&mut self, id: FuncId) -> FuncId {
        self.functions.extend(self.known.functions.insert(id).then_some(id));
        id
    }

    fn global(&mut self, id: GlobalId) -> GlobalId {
        self.globals.extend(self.known.globals.insert(id).then_some(id));
        id
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        self.types.extend(self.known.types.insert(id).then_some(id));
        id
    }

    fn location(&mut self, id: LocId) -> LocId {
        self.known.locations.insert(id);
        id
    }

    fn file(&mut self, id: FileId) -> FileId {
        self.known.files.insert(id);
        id
    }

    fn wide(&mut self, id: WideId) -> WideId {
        self.known.wide.insert(id);
        id
    }
}

/// Each id becomes its place among those that are wanted.
struct Places {
    functions: Vec<FuncId>,
    globals: Vec<GlobalId>,
    types: Vec<TypeId>,
    locations: Vec<LocId>,
    files: Vec<FileId>,
    wide: Vec<WideId>,
}

impl Places {
    fn of(wanted: &Wanted) -> Self {
        let Wanted { functions, globals, types, locations, files, wide } = wanted.clone();
        Places {
            functions: functions.into_iter().collect(),
            globals: globals.into_iter().collect(),
            types: types.into_iter().collect(),
            locations: locations.into_iter().collect(),
            files: files.into_iter().collect(),
            wide: wide.into_iter().collect(),
        }
    }
}

/// # Panics
/// When it is not among them: what is wanted was not closed.
fn place<T: Ord + std::fmt::Debug>(all: &[T], id: T) -> usize {
    all.binary_search(&id).unwrap_or_else(|_| panic!("{id:?} is named and not wanted"))
}

impl Renumbering for Places {
    fn function(&mut self, id: FuncId) -> FuncId {
        FuncId::new(place(&self.functions, id))
    }

    fn global(&mut self, id: GlobalId) -> GlobalId {
        GlobalId::new(place(&self.globals, id))
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        TypeId::new(place(&self.types, id))
    }

    fn location(&mut self, id: LocId) -> LocId {
        LocId::new(place(&self.locations, id))
    }

    fn file(&mut self, id: FileId) -> FileId {
        FileId::new(place(&self.files, id))
    }

    fn wide(&mut self, id: WideId) -> WideId {
        WideId::new(place(&self.wide, id))
    }
}

/// Has ids, each of which becomes another.
trait Renumber {
    fn renumber(&mut self, ids: &mut impl Renumbering);
}

impl Renumber for Function {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        each(&mut self.file, |file| ids.file(file));
        each(&mut self.return_type, |ty| ids.ty(ty));
        each(&mut self.location, |location| ids.location(location));
        for param in &mut self.source_params {
            param.ty = ids.ty(param.ty);
        }
        for register in &mut self.registers {
            each(&mut register.points_to, |ty| ids.ty(ty));
        }
        for block in &mut self.blocks {
            for inst in &mut block.insts {
                each(&mut inst.location, |location| ids.location(location));
                inst.op.renumber(ids);
            }
            each(&mut block.terminator_location, |location| ids.location(location));
            block.terminator.renumber(ids);
        }
    }
}

impl Renumber for Op {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        let mut operand = |operand: &mut Operand| operand.renumber(ids);
        match self {
            Op::Binary { lhs, rhs, .. }
            | Op::Compare { lhs, rhs, .. }
            | Op::Overflow { lhs, rhs, .. }
            | Op::Bits { lhs, rhs, .. }
            | Op::FloatCompare { lhs, rhs, .. } => [lhs, rhs].into_iter().for_each(operand),
            Op::Cast { value, .. } | Op::FloatCast { value, .. } | Op::FloatClass { value, .. } => operand(value),
            Op::Float { operands, .. } => operands.iter_mut().for_each(operand),
            Op::Select { condition, if_true, if_false, .. } => {
                [condition, if_true, if_false].into_iter().for_each(operand);
            }
            Op::Offset { base, indices, within, .. } => {
                operand(base);
                indices.iter_mut().for_each(|scaled| operand(&mut scaled.index));
                each(within, |ty| ids.ty(ty));
            }
            Op::Alloca { count, ty, .. } => {
                operand(count);
                each(ty, |ty| ids.ty(ty));
            }
            Op::Load { address, .. } => operand(address),
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                [address, value].into_iter().for_each(operand);
            }
            Op::CompareExchange { address, expected, new, .. } => {
                [address, expected, new].into_iter().for_each(operand);
            }
            Op::Call { callee, args, .. } => {
                args.iter_mut().for_each(|argument| operand(&mut argument.value));
                match callee {
                    Callee::Direct(function) => *function = ids.function(*function),
                    Callee::Indirect(target) => target.renumber(ids),
                }
            }
            Op::MemCopy { to, from, length, .. } => [to, from, length].into_iter().for_each(operand),
            Op::MemSet { to, byte, length } => [to, byte, length].into_iter().for_each(operand),
            Op::VaStart { list } | Op::VaEnd { list } => operand(list),
            Op::VaCopy { to, from } => [to, from].into_iter().for_each(operand),
            Op::StackRestore { saved } => operand(saved),
            Op::ThreadLocal { global, .. } => *global = ids.global(*global),
            Op::Fence { .. } | Op::Uninit { .. } | Op::StackSave { .. } | Op::Unsupported { .. } => {}
        }
    }
}

impl Renumber for Terminator {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        let mut edge = |edge: &mut Edge| edge.args.iter_mut().for_each(|argument| argument.renumber(ids));
        match self {
            Terminator::Jump(to) => edge(to),
            Terminator::Branch { condition, if_true, if_false } => {
                edge(if_true);
                edge(if_false);
                condition.renumber(ids);
            }
            Terminator::Switch { value, cases, default, .. } => {
                cases.iter_mut().for_each(|(_, to)| edge(to));
                edge(default);
                value.renumber(ids);
            }
            Terminator::Return { values } => values.iter_mut().for_each(|value| value.renumber(ids)),
            Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
    }
}

impl Renumber for Operand {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        match self {
            Operand::Wide(wide) => *wide = ids.wide(*wide),
            Operand::Global(global, _) => *global = ids.global(*global),
            Operand::Func(function) => *function = ids.function(*function),
            Operand::Reg(_) | Operand::Int(_) | Operand::Undef => {}
        }
    }
}

impl Renumber for Global {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        each(&mut self.ty, |ty| ids.ty(ty));
        each(&mut self.location, |location| ids.location(location));
        let Init::Data { addresses, .. } = &mut self.init else { return };
        for (_, address) in addresses {
            match address {
                Address::Global(global, _) => *global = ids.global(*global),
                Address::Func(function) => *function = ids.function(*function),
            }
        }
    }
}

impl Renumber for DebugType {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        match self {
            DebugType::Pointer { to } | DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => {
                *to = ids.ty(*to);
            }
            DebugType::Array { of, .. } => *of = ids.ty(*of),
            DebugType::Record { fields, .. } => fields.iter_mut().for_each(|field| field.ty = ids.ty(field.ty)),
            DebugType::Function { ret, params, .. } => {
                *ret = ids.ty(*ret);
                params.iter_mut().for_each(|ty| *ty = ids.ty(*ty));
            }
            DebugType::Void
            | DebugType::Int { .. }
            | DebugType::Float { .. }
            | DebugType::Enum { .. }
            | DebugType::Opaque { .. } => {}
        }
    }
}

impl Renumber for Location {
    fn renumber(&mut self, ids: &mut impl Renumbering) {
        self.file = ids.file(self.file);
        each(&mut self.inlined_at, |location| ids.location(location));
    }
}

/// An id that may be there.
fn each<T: Copy>(id: &mut Option<T>, becomes: impl FnOnce(T) -> T) {
    *id = id.map(becomes);
}
