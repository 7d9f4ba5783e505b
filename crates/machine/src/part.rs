//! The part of a program that some functions can come to: enough to explore them, and all that what they do depends on.
//!
//! Guarantee: in the part, these functions do what they do in the whole, on the same initial heaps. What is found out about a part
//! holds in every program that has it.

use crate::program::{Program, ProgramError};
use crate::setup::{addressed_functions, may_change};
use concurrency::Site;
use ir::{Callee, DebugType, FuncId, Global, GlobalId, Init, Module, Op, Wanted};
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is in parts whatever functions are asked for: it is looked for once, for a large program has many parts.
#[derive(Debug)]
pub(crate) struct InAllParts {
    globals: Vec<GlobalId>,
    functions: Vec<FuncId>,
    /// Where code calls through pointers.
    addressed: BTreeSet<FuncId>,
}

impl InAllParts {
    fn of(module: &Module, globals_symbolic: bool) -> Self {
        // Pointers of the initial heap may lead to these, whoever names them.
        let in_heap = |global: &Global| {
            global.ty.is_some() && (global.init == Init::External || globals_symbolic && may_change(module, global))
        };
        // Where globals begin as they are initialised, constructors matter.
        let constructs = |global: &Global| !globals_symbolic && global.name.starts_with("llvm.global_");
        let mut globals: Vec<(GlobalId, &Global)> =
            module.globals().filter(|(_, global)| in_heap(global) || constructs(global)).collect();
        // In an order that does not depend on which function names them first.
        globals.sort_by_key(|(_, global)| &global.name);
        InAllParts {
            globals: globals.into_iter().map(|(id, _)| id).collect(),
            functions: module.functions().filter(|(_, f)| Program::matters_everywhere(f)).map(|(id, _)| id).collect(),
            addressed: addressed_functions(module),
        }
    }
}

/// A part of a program.
#[derive(Clone, Debug)]
pub struct ProgramPart {
    pub program: Arc<Program>,
    /// What its functions are in the whole.
    functions: Vec<FuncId>,
}

impl ProgramPart {
    /// A function of the whole in the part, if it is there.
    pub fn function(&self, whole: FuncId) -> Option<FuncId> {
        self.functions.iter().position(|&function| function == whole).map(FuncId::new)
    }

    /// A site of the part in the whole, if it has it.
    pub fn site_in(&self, whole: &Program, site: Site) -> Option<Site> {
        let (function, block, inst) = self.program.place_of(site)?;
        whole.site_at(*self.functions.get(function.index())?, block, inst)
    }
}

impl Program {
    /// The part that these functions can come to; `globals_symbolic`: from initial heaps in which globals have any values.
    ///
    /// # Errors
    /// As for [`Program::new`].
    pub fn part(
        &self,
        functions: impl Iterator<Item = FuncId>,
        globals_symbolic: bool,
    ) -> Result<ProgramPart, ProgramError> {
        let module = &self.module;
        let mut wanted = Wanted::of(module);
        functions.for_each(|function| wanted.function(function));
        let common =
            self.in_all_parts[usize::from(globals_symbolic)].get_or_init(|| InAllParts::of(module, globals_symbolic));
        common.globals.iter().for_each(|&id| wanted.global(id));
        let mut others = common.functions.clone();
        if follows_function_pointers(module, &wanted) {
            others.extend(&common.addressed);
        }
        others.sort_by_key(|&id| &module[id].name);
        others.into_iter().for_each(|id| wanted.function(id));
        if follows_function_pointers(module, &wanted) {
            // These may be what names the first pointer to a function.
            common.addressed.iter().for_each(|&id| wanted.function(id));
        }
        let part = wanted.into_part();
        let facts = self.facts.of_part(&self.module, &part);
        let program = Arc::new(Program::prepared(part.module, facts)?);
        Ok(ProgramPart { program, functions: part.functions })
    }
}

/// Whether code may come to any function whose address is taken somewhere: it calls one by a pointer, or a pointer to one may
/// be in the initial heap.
fn follows_function_pointers(module: &Module, wanted: &Wanted) -> bool {
    let mut types = wanted.types().iter();
    let insts = || wanted.functions().iter().flat_map(|&id| &module[id].blocks).flat_map(|block| &block.insts);
    types.any(|&ty| matches!(module[ty], DebugType::Function { .. }))
        || insts().any(|inst| matches!(inst.op, Op::Call { callee: Callee::Indirect(_), .. }))
}
