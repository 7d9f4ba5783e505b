//! LLVM module to `ir` module.
//!
//! Guarantee: what the lowering does not know becomes `Op::Unsupported`, `Terminator::Unsupported` or an initialiser of
//! unknown contents; it never fails the module and never guesses a value. Registers are defined once and numbered densely
//! in order of definition; unreachable blocks are gone. Each access keeps its order, its atomicity and its position.
//! Not promised: field paths and pointee types, which are hints.
//! Expects: a linked module on which `mem2reg` ran, see `llvm::Module::promote`.

mod address;
mod aligned;
mod asm;
mod call;
mod constant;
mod debug;
mod float;
mod function;
mod globals;
mod hints;
mod inst;
mod intrinsic;
mod memory;
mod passing;
mod paths;
mod scalars;
mod types;
mod vector;

use crate::error::{Failure, Kind};
use crate::library;
use crate::llvm::{self, LOCAL_BEGIN, LOCAL_END, Layout, MetadataKind, UNINIT_PREFIX, Value};
use debug::{Debug, Variables};
use ir::{FuncId, Function, GlobalId, Module, Operand, Param, PointerSize, Register, SourceParam, Ty, TypeId, WideId};
use passing::Passed;
use scalars::Scalars;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use types::Types;

/// The state of one lowering.
pub(crate) struct Lowering<'m> {
    module: &'m llvm::Module<'m>,
    layout: Layout<'m>,
    out: Module,
    types: Types<'m>,
    debug: Debug<'m>,
    functions: HashMap<Value<'m>, FuncId>,
    globals: HashMap<Value<'m>, GlobalId>,
    variables: HashMap<Value<'m>, Variables<'m>>,
    wide: HashMap<u128, WideId>,
    trap: Option<FuncId>,
    /// The blocks whose addresses are taken, in the order in which they were met.
    labels: RefCell<HashMap<llvm::Block<'m>, u64>>,
    /// Some of the code is a GPU's: its address spaces are kinds of memory.
    is_gpu: bool,
}

/// Lowers a linked module. `has_device`: some of it is a GPU's code.
///
/// # Errors
/// Only for a fault of the lowering itself.
pub(crate) fn lower<'m>(module: &'m llvm::Module<'m>, has_device: bool) -> Result<Module, Failure> {
    let layout = module.layout();
    let mut out = Module { pointer: pointer_size(layout), ..Module::default() };
    let types = Types::new(&mut out);
    let mut lowering = Lowering {
        module,
        layout,
        out,
        types,
        debug: Debug::default(),
        functions: HashMap::new(),
        globals: HashMap::new(),
        variables: HashMap::new(),
        wide: HashMap::new(),
        trap: None,
        labels: RefCell::default(),
        is_gpu: has_device,
    };
    lowering.collect_types();
    lowering.declare_globals();
    lowering.declare_functions();
    lowering.join_counterparts();
    lowering.initialise_globals();
    fits(&lowering.out)?;
    for function in module.functions().filter(|f| !f.is_declaration()) {
        function::lower(&mut lowering, function).map_err(|what| {
            Failure::new(Kind::Lower, format!("function `{}` cannot be lowered: {what}", function.name()))
        })?;
    }
    Ok(lowering.out)
}

impl<'m> Lowering<'m> {
    /// Enters every type that the module's debug information reaches, so that forward declarations can be resolved.
    fn collect_types(&mut self) {
        for unit in self.module.named_metadata(c"llvm.dbg.cu") {
            // `DICompileUnit`: enumerations and retained types. `mem2reg` leaves types behind that only casts mention.
            for list in [4, 5] {
                for ty in unit.operand(list).map(llvm::Metadata::operands).unwrap_or_default() {
                    self.types.id(&mut self.out, ty);
                }
            }
        }
        for global in self.module.globals() {
            for variable in globals::debug_variable(global) {
                self.types.id(&mut self.out, variable.variable_type());
            }
        }
        for function in self.module.functions() {
            if let Some(subprogram) = function.subprogram() {
                self.types.id(&mut self.out, subprogram.subprogram_type());
            }
            if !function.is_declaration() {
                let variables = Variables::of(function, &mut self.debug);
                for variable in &variables.all {
                    self.types.id(&mut self.out, variable.variable_type());
                }
                self.variables.insert(function, variables);
            }
        }
        self.types.finish(&mut self.out);
    }

    /// Enters all functions without their bodies. Intrinsics are instructions, not functions.
    fn declare_functions(&mut self) {
        let module = self.module;
        let mut symbols: HashSet<String> =
            module.functions().filter(|f| f.is_external()).map(llvm::Value::name).collect();
        // Of C++ several functions have one name: overloads, members of different classes.
        let mut declared: HashSet<String> = HashSet::new();
        let names = module.functions().filter(|f| f.is_external()).filter_map(subprogram).map(llvm::Metadata::name);
        symbols.extend(names.filter(|name| !declared.insert(name.clone())).collect::<Vec<_>>());
        // A kernel is called by its name, which functions of the host may have as well.
        let mut kernels: HashMap<String, usize> = HashMap::new();
        for name in module.functions().filter(|f| f.is_kernel()).filter_map(subprogram).map(llvm::Metadata::name) {
            *kernels.entry(name).or_default() += 1;
        }
        let is_symbol = |name: &String| module.functions().any(|f| f.is_external() && f.name() == *name);
        kernels.retain(|name, count| *count == 1 && !is_symbol(name));
        for function in module.functions() {
            let name = function.name();
            if function.is_declaration() && is_instruction(&name) {
                continue;
            }
            self.functions.insert(function, FuncId::new(self.out.functions.len()));
            let own = subprogram(function).map(llvm::Metadata::name).filter(|_| function.is_kernel());
            let name = match own.filter(|own| kernels.contains_key(own)) {
                Some(own) => own,
                None => self.name_of(function, name, &symbols),
            };
            let declared = self.declare(function, name);
            self.out.functions.push(declared);
        }
    }

    /// The C name, unless an external function of another C name has it as its symbol.
    fn name_of(&self, function: Value<'m>, symbol: String, symbols: &HashSet<String>) -> String {
        let declared = subprogram(function).map(llvm::Metadata::name).filter(|n| !n.is_empty());
        match declared {
            Some(name) if name == symbol || !function.is_external() || !symbols.contains(&name) => name,
            _ => symbol,
        }
    }

    fn declare(&mut self, function: Value<'m>, name: String) -> Function {
        let subprogram = subprogram(function);
        let passed: Vec<Passed> = function
            .params()
            .into_iter()
            .enumerate()
            .map(|(index, param)| Passed {
                scalars: self.scalars(param.ty()),
                by_value: function.param_attribute(index, "byval").map(|ty| self.layout.size(ty)),
                returned_through: function.param_attribute(index, "sret").is_some(),
            })
            .collect();
        let mut registers = Vec::new();
        let mut params = Vec::new();
        for &Passed { ref scalars, by_value, returned_through } in &passed {
            for ty in scalars.types() {
                params.push(Param { reg: ir::Reg::new(registers.len()), by_value, returned_through });
                registers.push(Register { ty, name: None, points_to: None });
            }
        }
        let (return_type, source_params) = self.signature(function, subprogram);
        let pieces = passing::pieces(&self.out, &passed, &source_params);
        let out = &mut self.out;
        let file = subprogram.and_then(|s| s.file());
        let location = subprogram.and_then(|s| self.debug.position(out, file, s.subprogram_line(), name.clone()));
        let ty = function.value_type();
        Function {
            file: self.debug.file(out, file),
            external: function.is_external(),
            variadic: ty.is_variadic(),
            no_return: function.has_attribute("noreturn"),
            library: library::is_library(function),
            kernel: function.is_kernel(),
            most_threads: function.most_threads(),
            device: llvm::is_of_device(function),
            stands_for: None,
            excess_precision: self.out.pointer == PointerSize::Four && !has_sse2(function),
            params,
            returns: self.scalars(ty.return_type()).types().collect(),
            return_type,
            source_params,
            pieces,
            registers,
            address_taken: false,
            location,
            blocks: Vec::new(),
            name,
        }
    }

    /// Declared return type and parameters.
    fn signature(
        &mut self,
        function: Value<'m>,
        subprogram: Option<llvm::Metadata<'m>>,
    ) -> (Option<TypeId>, Vec<SourceParam>) {
        let Some(subprogram) = subprogram else { return (None, Vec::new()) };
        let out = &mut self.out;
        let id = self.types.id(out, subprogram.subprogram_type());
        let ir::DebugType::Function { ret, params, .. } = out[id].clone() else { return (None, Vec::new()) };
        let named = self.variables.get(&function).map(|v| v.params.clone()).unwrap_or_default();
        // An old-style definition has no types in its function type, but its parameters are variables all the same.
        let count = named.last().map_or(0, |(number, _)| *number as usize).max(params.len());
        let source_params = (0..count)
            .map(|i| {
                let variable = named.iter().find(|(number, _)| *number as usize == i + 1).map(|(_, v)| *v);
                let declared = params.get(i).copied();
                let ty = match (variable, declared) {
                    (Some(v), _) => self.types.id(out, v.variable_type()),
                    (None, Some(ty)) => ty,
                    (None, None) => Types::void(),
                };
                SourceParam { name: variable.map(llvm::Metadata::variable_name).unwrap_or_default(), ty }
            })
            .collect();
        (Some(ret), source_params)
    }

    fn scalars(&self, ty: llvm::Type<'m>) -> Scalars {
        Scalars::of(self.layout, ty)
    }

    /// Width of a scalar in bits.
    fn bits(&self, ty: Ty) -> u16 {
        ty.bits(self.out.pointer)
    }

    /// The integer type of an address.
    fn word(&self) -> Ty {
        Ty::Int(self.out.pointer.bits())
    }

    /// The number that stands for a label's address (GCC 'Labels as Values'): below all objects, and not null.
    fn label_address(&self, block: llvm::Block<'m>) -> u64 {
        let first: u64 = match self.out.pointer {
            PointerSize::Four => 1 << 16,
            PointerSize::Eight => 1 << 32,
        };
        let mut labels = self.labels.borrow_mut();
        let next = first + 16 * labels.len() as u64;
        *labels.entry(block).or_insert(next)
    }

    /// A constant of any width up to 128 bits.
    fn integer(&mut self, value: u128) -> Operand {
        if let Ok(small) = u64::try_from(value) {
            return Operand::Int(small);
        }
        let out = &mut self.out;
        Operand::Wide(*self.wide.entry(value).or_insert_with(|| {
            out.wide.push(value);
            WideId::new(out.wide.len() - 1)
        }))
    }

    /// A function that a model or the program itself provides under this name.
    fn library_function(&mut self, name: &str, returns: Ty, params: impl Iterator<Item = Ty>) -> FuncId {
        let known = self.out.functions_named(name).next();
        match known {
            Some(known) => known,
            None => self.declare_model(name, Some(returns), params, false),
        }
    }

    /// The declaration that stands for an intrinsic which has a model.
    fn intrinsic_function(&mut self, name: &str, returns: Option<Ty>, params: Vec<Ty>) -> FuncId {
        let known = self.out.functions_named(name).next();
        match known {
            Some(known) => known,
            None => self.declare_model(name, returns, params.into_iter(), false),
        }
    }

    /// The declaration that stands for `__builtin_trap` and its like.
    fn trap(&mut self) -> FuncId {
        match self.trap {
            Some(known) => known,
            None => {
                let made = self.declare_model("llvm.trap", None, std::iter::empty(), true);
                *self.trap.insert(made)
            }
        }
    }

    /// A declaration that no source has.
    fn declare_model(
        &mut self,
        name: &str,
        returns: Option<Ty>,
        params: impl Iterator<Item = Ty>,
        no_return: bool,
    ) -> FuncId {
        let registers: Vec<Register> = params.map(|ty| Register { ty, name: None, points_to: None }).collect();
        let param = |index| Param { reg: ir::Reg::new(index), by_value: None, returned_through: false };
        self.out.functions.push(Function {
            name: name.to_owned(),
            file: None,
            external: true,
            variadic: false,
            no_return,
            library: false,
            kernel: false,
            most_threads: None,
            device: false,
            stands_for: None,
            excess_precision: false,
            params: (0..registers.len()).map(param).collect(),
            returns: returns.into_iter().collect(),
            return_type: None,
            source_params: Vec::new(),
            pieces: Vec::new(),
            registers,
            address_taken: false,
            location: None,
            blocks: Vec::new(),
        });
        FuncId::new(self.out.functions.len() - 1)
    }
}

/// Whether a function is compiled for a processor with instructions of the precision of `float` and `double`.
fn has_sse2(function: Value<'_>) -> bool {
    function.features().split(',').any(|feature| feature == "+sse2")
}

/// Refuses variables that leave no room in a short address space.
fn fits(module: &Module) -> Result<(), Failure> {
    /// What the machine lays out for them, less what lies between them.
    const LARGEST: u64 = 192 << 20;
    let sizes = module.globals.iter().map(|global| global.size.saturating_add(global.align).saturating_add(32));
    if module.pointer == PointerSize::Eight || sizes.fold(0, u64::saturating_add) <= LARGEST {
        return Ok(());
    }
    let message =
        format!("the variables take more than {} MiB; raddle has no room for them below 4 GiB", LARGEST >> 20);
    Err(Failure::new(Kind::Lower, message))
}

/// What the data layout says of plain pointers; `link` lets no others pass.
fn pointer_size(layout: Layout<'_>) -> PointerSize {
    if layout.pointer_size() == 4 { PointerSize::Four } else { PointerSize::Eight }
}

fn subprogram<'m>(function: Value<'m>) -> Option<llvm::Metadata<'m>> {
    function.subprogram().filter(|s| matches!(s.kind(), MetadataKind::LLVMDISubprogramMetadataKind))
}

/// Whether calls of a function without a body stand for instructions: LLVM's intrinsics, and marks of our own.
fn is_instruction(name: &str) -> bool {
    name.starts_with("llvm.") || name.starts_with(UNINIT_PREFIX) || name == LOCAL_BEGIN || name == LOCAL_END
}
