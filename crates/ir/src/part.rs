//! A part of a module: some of its functions, with all that these name.
//!
//! Guarantee: the part names nothing that is not in it, instructions keep their places in their functions, and all else its
//! content. Tables are in the order in which things are named, from what is wanted on: the part is the same whatever else is in the
//! whole.
//! Knows nothing of which functions are wanted.

use crate::{
    Address, Callee, DebugType, Edge, FileId, FuncId, Function, Global, GlobalId, Init, LocId, Location, Module, Op,
    Operand, Terminator, TypeId, WideId,
};
use std::collections::HashMap;
use std::hash::Hash;

/// A part of a module, and what each of its functions, globals and types is in the whole.
#[derive(Clone, Debug)]
pub struct Part {
    pub module: Module,
    pub functions: Vec<FuncId>,
    pub globals: Vec<GlobalId>,
    pub types: Vec<TypeId>,
}

/// What a part is to have: what was asked for, and what that names.
#[derive(Debug)]
pub struct Wanted<'m> {
    module: &'m Module,
    functions: Places<FuncId>,
    globals: Places<GlobalId>,
    types: Places<TypeId>,
    locations: Places<LocId>,
    files: Places<FileId>,
    wide: Places<WideId>,
    /// Functions, globals and types before these have been looked at.
    seen: [usize; 3],
}

/// Ids of one table in the order in which they came, and where each stands.
#[derive(Debug)]
struct Places<T> {
    order: Vec<T>,
    place: HashMap<T, usize>,
}

impl<T: Copy + Eq + Hash> Places<T> {
    fn new() -> Self {
        Places { order: Vec::new(), place: HashMap::new() }
    }

    /// Where it stands; it comes last if it is new.
    fn of(&mut self, id: T) -> usize {
        let order = &mut self.order;
        *self.place.entry(id).or_insert_with(|| {
            order.push(id);
            order.len() - 1
        })
    }
}

impl<'m> Wanted<'m> {
    pub fn of(module: &'m Module) -> Self {
        Wanted {
            module,
            functions: Places::new(),
            globals: Places::new(),
            types: Places::new(),
            locations: Places::new(),
            files: Places::new(),
            wide: Places::new(),
            seen: [0; 3],
        }
    }

    /// Adds a function and all that it names.
    pub fn function(&mut self, id: FuncId) {
        self.functions.of(id);
        self.close();
    }

    /// Adds a global and all that it names.
    pub fn global(&mut self, id: GlobalId) {
        self.globals.of(id);
        self.close();
    }

    pub fn functions(&self) -> &[FuncId] {
        &self.functions.order
    }

    pub fn types(&self) -> &[TypeId] {
        &self.types.order
    }

    fn close(&mut self) {
        let module = self.module;
        loop {
            let [functions, globals, types] = self.seen;
            if let Some(&id) = self.functions.order.get(functions) {
                self.seen[0] += 1;
                module[id].clone().renumber(self);
            } else if let Some(&id) = self.globals.order.get(globals) {
                self.seen[1] += 1;
                module[id].clone().renumber(self);
            } else if let Some(&id) = self.types.order.get(types) {
                self.seen[2] += 1;
                module[id].clone().renumber(self);
            } else {
                return;
            }
        }
    }

    /// The part that consists of it.
    pub fn into_part(mut self) -> Part {
        let whole = self.module;
        let mut module = Module { pointer: whole.pointer, ..Module::default() };
        // What these name is among what is wanted, so tables do not grow any more.
        let mut functions: Vec<Function> = self.functions.order.iter().map(|&id| whole[id].clone()).collect();
        let mut globals: Vec<Global> = self.globals.order.iter().map(|&id| whole[id].clone()).collect();
        let mut types: Vec<DebugType> = self.types.order.iter().map(|&id| whole[id].clone()).collect();
        functions.iter_mut().for_each(|function| function.renumber(&mut self));
        globals.iter_mut().for_each(|global| global.renumber(&mut self));
        types.iter_mut().for_each(|ty| ty.renumber(&mut self));
        (module.functions, module.globals, module.types) = (functions, globals, types);
        // Locations name locations.
        let mut next = 0;
        while let Some(&id) = self.locations.order.get(next) {
            let mut location = whole[id].clone();
            location.renumber(&mut self);
            module.locations.push(location);
            next += 1;
        }
        module.files.extend(self.files.order.iter().map(|&id| whole[id].clone()));
        module.wide.extend(self.wide.order.iter().map(|&id| whole[id]));
        Part { module, functions: self.functions.order, globals: self.globals.order, types: self.types.order }
    }
}

/// Each id becomes its place among those that are wanted; one that is new is wanted too.
impl Wanted<'_> {
    fn place_of_function(&mut self, id: FuncId) -> FuncId {
        FuncId::new(self.functions.of(id))
    }

    fn place_of_global(&mut self, id: GlobalId) -> GlobalId {
        GlobalId::new(self.globals.of(id))
    }

    fn ty(&mut self, id: TypeId) -> TypeId {
        TypeId::new(self.types.of(id))
    }

    fn location(&mut self, id: LocId) -> LocId {
        LocId::new(self.locations.of(id))
    }

    fn file(&mut self, id: FileId) -> FileId {
        FileId::new(self.files.of(id))
    }

    fn wide(&mut self, id: WideId) -> WideId {
        WideId::new(self.wide.of(id))
    }
}

/// Has ids, each of which becomes another.
trait Renumber {
    fn renumber(&mut self, ids: &mut Wanted);
}

impl Renumber for Function {
    fn renumber(&mut self, ids: &mut Wanted) {
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
    fn renumber(&mut self, ids: &mut Wanted) {
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
                    Callee::Direct(function) => *function = ids.place_of_function(*function),
                    Callee::Indirect(target) => target.renumber(ids),
                }
            }
            Op::MemCopy { to, from, length, .. } => [to, from, length].into_iter().for_each(operand),
            Op::MemSet { to, byte, length } => [to, byte, length].into_iter().for_each(operand),
            Op::VaStart { list } | Op::VaEnd { list } => operand(list),
            Op::VaCopy { to, from } => [to, from].into_iter().for_each(operand),
            Op::StackRestore { saved } => operand(saved),
            Op::ThreadLocal { global, .. } => *global = ids.place_of_global(*global),
            Op::Aligned { address, .. } => operand(address),
            Op::LocalBegin { .. }
            | Op::LocalEnd { .. }
            | Op::Fence { .. }
            | Op::Uninit { .. }
            | Op::StackSave { .. }
            | Op::Unsupported { .. } => {}
        }
    }
}

impl Renumber for Terminator {
    fn renumber(&mut self, ids: &mut Wanted) {
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
    fn renumber(&mut self, ids: &mut Wanted) {
        match self {
            Operand::Wide(wide) => *wide = ids.wide(*wide),
            Operand::Global(global, _) => *global = ids.place_of_global(*global),
            Operand::Func(function) => *function = ids.place_of_function(*function),
            Operand::Reg(_) | Operand::Int(_) | Operand::Undef => {}
        }
    }
}

impl Renumber for Global {
    fn renumber(&mut self, ids: &mut Wanted) {
        each(&mut self.ty, |ty| ids.ty(ty));
        each(&mut self.location, |location| ids.location(location));
        let Init::Data { addresses, .. } = &mut self.init else { return };
        for (_, address) in addresses {
            match address {
                Address::Global(global, _) => *global = ids.place_of_global(*global),
                Address::Func(function) => *function = ids.place_of_function(*function),
            }
        }
    }
}

impl Renumber for DebugType {
    fn renumber(&mut self, ids: &mut Wanted) {
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
    fn renumber(&mut self, ids: &mut Wanted) {
        self.file = ids.file(self.file);
        each(&mut self.inlined_at, |location| ids.location(location));
    }
}

/// An id that may be there.
fn each<T: Copy>(id: &mut Option<T>, becomes: impl FnOnce(T) -> T) {
    *id = id.map(becomes);
}
