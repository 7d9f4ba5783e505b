//! The tables of a program.

use crate::{
    Address, Block, BlockId, DebugType, FileId, FuncId, GlobalId, LocId, PointerSize, Reg, Ty, TypeId, WideId,
};
use serde::{Deserialize, Serialize};

/// A whole program or library, linked.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Module {
    /// Of the target that it was compiled for.
    pub pointer: PointerSize,
    pub files: Vec<SourceFile>,
    pub types: Vec<DebugType>,
    pub globals: Vec<Global>,
    pub functions: Vec<Function>,
    pub locations: Vec<Location>,
    /// Constants wider than 64 bits.
    pub wide: Vec<u128>,
}

/// A source file as the compiler was given it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceFile {
    /// As named in the debug information: what the user typed, for the file given to the compiler.
    pub path: String,
    /// The directory in which `path` is meant.
    pub directory: String,
}

/// A source position.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Location {
    pub file: FileId,
    /// Counted from 1; 0 where the compiler gave none.
    pub line: u32,
    pub column: u32,
    /// C name of the function that the position lies in, which differs from the enclosing one where code was inlined.
    pub function: String,
    /// The call that this code was inlined at.
    pub inlined_at: Option<LocId>,
    /// The code is inline assembly, which nothing outside of raddle can be told to watch.
    pub assembly: bool,
}

/// A variable with static storage.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Global {
    /// C name; a static local is `function.name`.
    pub name: String,
    pub size: u64,
    pub align: u64,
    pub constant: bool,
    pub thread_local: bool,
    /// The kind of memory of a GPU that it stands in.
    pub space: Space,
    /// Visible to other translation units.
    pub external: bool,
    /// Of raddle's C library, not of the program.
    pub library: bool,
    /// The library uses it under a lock of its own, as POSIX asks of functions that are thread-safe: its accesses race
    /// with nothing.
    pub guarded: bool,
    /// The host's name of a variable of the device, which it stands for in calls of CUDA's runtime (CUDA C++ Programming Guide, 'Device
    /// Memory'). What is stored here is nobody's.
    pub stands_for: Option<GlobalId>,
    pub ty: Option<TypeId>,
    pub init: Init,
    pub location: Option<LocId>,
}

/// Kinds of memory that variables of CUDA stand in (NVVM IR, 'Address Spaces'). A pointer is what it is whatever it leads into.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum Space {
    /// Not a variable of a GPU's.
    #[default]
    Ordinary,
    /// `__device__`: one for the whole device.
    Device,
    /// `__shared__`: one for each block of a launch.
    Shared,
    /// `__constant__`: one for the whole device, which the host writes and no kernel does.
    Constant,
    /// `__managed__`: one that both the host and its devices access.
    Managed,
}

impl Space {
    /// The word that the text form has for it; none for ordinary memory.
    pub fn word(self) -> Option<&'static str> {
        match self {
            Space::Ordinary => None,
            Space::Device => Some("device"),
            Space::Shared => Some("shared"),
            Space::Constant => Some("constant"),
            Space::Managed => Some("managed"),
        }
    }

    /// All kinds that have a word.
    pub const NAMED: [Space; 4] = [Space::Device, Space::Shared, Space::Constant, Space::Managed];
}

/// The initial value of a global.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Init {
    /// Defined elsewhere: the contents are unknown.
    External,
    /// `bytes` has the global's size; a relocation overrides the bytes of one pointer at its offset.
    Data {
        bytes: Vec<u8>,
        addresses: Vec<(u64, Address)>,
    },
    Zero,
}

/// A function, with a body or without. What the text and binary forms write of one, field by field.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Function {
    /// C name. Unique among external functions; static ones of several files may share it.
    pub name: String,
    /// File that defines it.
    pub file: Option<FileId>,
    /// Visible to other translation units.
    pub external: bool,
    pub variadic: bool,
    /// LLVM's `noreturn`.
    pub no_return: bool,
    /// Of raddle's C library: what happens in it is the calling program's doing.
    pub library: bool,
    /// A CUDA kernel: called by launches only, with one set of arguments for all threads.
    pub kernel: bool,
    /// The most threads that a kernel's block has, if it says so (`__launch_bounds__`).
    pub most_threads: Option<u64>,
    /// Compiled for the device of a program with two sides: none of the other side's calls it.
    pub device: bool,
    /// The host's stub of a kernel, which stands for it in calls of CUDA's runtime.
    pub stands_for: Option<FuncId>,
    /// Compiled for a processor that computes with more precision than `float` and `double` have (`FLT_EVAL_METHOD` 2):
    /// where that shows depends on which values the compiler keeps in registers.
    pub excess_precision: bool,
    pub params: Vec<Param>,
    /// The return value, split into scalars; empty for `void`.
    pub returns: Vec<Ty>,
    /// Declared return type.
    pub return_type: Option<TypeId>,
    /// The parameters as the source declares them; their count may differ from `params`, which follow the ABI.
    pub source_params: Vec<SourceParam>,
    /// Where a structure is passed or returned by value: what each of `params` passes. Empty elsewhere, where each passes the
    /// source's parameter of its place, and where it is not known.
    pub pieces: Vec<Piece>,
    pub registers: Vec<Register>,
    pub address_taken: bool,
    /// Where the definition begins.
    pub location: Option<LocId>,
    /// `b0` is the entry and takes no parameters; empty for a declaration.
    pub blocks: Vec<Block>,
}

/// An ABI parameter.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Param {
    pub reg: Reg,
    /// LLVM's `byval`: the callee gets a copy of this many bytes of the object pointed to.
    pub by_value: Option<u64>,
    /// LLVM's `sret`: the caller's buffer for the returned record.
    pub returned_through: bool,
}

/// What an ABI parameter passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Piece {
    /// The source's parameter of this number, from this byte on; all of it where that is no structure, or where the ABI parameter is a
    /// copy's address ([`Param::by_value`]).
    Of(u32, u64),
    /// Where the result is to be stored ([`Param::returned_through`]).
    Result,
}

/// A parameter as the source declares it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SourceParam {
    pub name: String,
    pub ty: TypeId,
}

/// A slot of a frame.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Register {
    pub ty: Ty,
    /// The source variable that this register holds, where debug records say so; for reading only.
    pub name: Option<String>,
    /// For a pointer: the type that it points to, as far as declarations tell (a debug record's variable, a typed load,
    /// the record of a member access). A hint for pointers whose place is untyped, such as a `void *` field.
    pub points_to: Option<TypeId>,
}

macro_rules! table {
    ($name:ident, $id:ty, $item:ty, $field:ident) => {
        impl std::ops::Index<$id> for Module {
            type Output = $item;
            fn index(&self, id: $id) -> &$item {
                &self.$field[id.index()]
            }
        }
    };
}
table!(function, FuncId, Function, functions);
table!(global, GlobalId, Global, globals);
table!(ty, TypeId, DebugType, types);
table!(location, LocId, Location, locations);
table!(file, FileId, SourceFile, files);
table!(wide, WideId, u128, wide);

impl Global {
    /// Whether it has no address of its own: one in each thread, or in each block of a launch.
    pub fn has_instances(&self) -> bool {
        self.thread_local || self.space == Space::Shared
    }
}

impl Function {
    pub fn is_declaration(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Whether each of [`Function::params`] passes the parameter of its place in the source.
    pub fn has_plain_params(&self) -> bool {
        self.pieces.is_empty() && self.params.len() == self.source_params.len()
    }

    pub fn block(&self, id: BlockId) -> &Block {
        &self.blocks[id.index()]
    }

    pub fn register(&self, reg: Reg) -> &Register {
        &self.registers[reg.index()]
    }
}

impl Module {
    /// What runs before `main`, in this order: by ascending priority (LangRef 'The llvm.global_ctors Global Variable').
    pub fn constructors(&self) -> Vec<FuncId> {
        self.by_priority("llvm.global_ctors")
    }

    /// What runs at the end of the process, in this order: by descending priority (LangRef 'The llvm.global_dtors Global
    /// Variable'), of one priority the last one first, as in ELF's `.fini_array`.
    pub fn destructors(&self) -> Vec<FuncId> {
        let mut found = self.by_priority("llvm.global_dtors");
        found.reverse();
        found
    }

    /// The defined functions of one of LLVM's lists, by ascending priority.
    fn by_priority(&self, list: &str) -> Vec<FuncId> {
        // `{ i32 priority, ptr function, ptr data }`
        let pointer = self.pointer.bytes();
        let entry = 3 * pointer;
        let list = self.globals().find(|(_, global)| global.name == list);
        let Some(Init::Data { bytes, addresses }) = list.map(|(_, global)| &global.init) else { return Vec::new() };
        let mut found: Vec<(u32, FuncId)> = addresses
            .iter()
            .filter_map(|(offset, address)| match address {
                Address::Func(function) if offset % entry == pointer => {
                    let start = usize::try_from(offset - pointer).ok()?;
                    let priority = bytes.get(start..start + 4)?.try_into().ok()?;
                    Some((u32::from_le_bytes(priority), *function))
                }
                Address::Func(_) | Address::Global(..) => None,
            })
            .collect();
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, function)| function).filter(|&f| !self[f].is_declaration()).collect()
    }

    /// Functions with their ids, in table order.
    pub fn functions(&self) -> impl Iterator<Item = (FuncId, &Function)> {
        self.functions.iter().enumerate().map(|(i, f)| (FuncId::new(i), f))
    }

    /// Globals with their ids, in table order.
    pub fn globals(&self) -> impl Iterator<Item = (GlobalId, &Global)> {
        self.globals.iter().enumerate().map(|(i, g)| (GlobalId::new(i), g))
    }

    /// The functions with this C name: several when static functions of different files share it. What only the C
    /// library's own functions can call has no name here.
    pub fn functions_named<'m>(&'m self, name: &'m str) -> impl Iterator<Item = FuncId> + 'm {
        self.functions().filter(move |(_, f)| f.name == name && (f.external || !f.library)).map(|(id, _)| id)
    }
}
