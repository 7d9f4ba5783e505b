//! The part of a program that some functions can come to: enough to explore them, and all that what they do depends on.
//!
//! Guarantee: in the part, these functions do what they do in the whole, on the same initial heaps, and addresses,
//! candidates and names keep their order. So what is found out about a part holds in every program that has it.

use crate::program::{Program, ProgramError};
use crate::setup::{addressed_functions, becomes_symbolic};
use concurrency::Site;
use ir::{Callee, DebugType, FuncId, Init, Module, Op, TypeId, Wanted};
use std::sync::Arc;

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
        self.functions.binary_search(&whole).ok().map(FuncId::new)
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
        let mut wanted = Wanted::default();
        wanted.functions.extend(functions);
        wanted.functions.extend(module.functions().filter(|(_, f)| Program::matters_everywhere(f)).map(|(id, _)| id));
        // Pointers of the initial heap may lead to these, whoever names them.
        let in_heap = |global: &ir::Global| {
            global.ty.is_some()
                && (global.init == Init::External || globals_symbolic && becomes_symbolic(module, global))
        };
        // Where globals begin as they are initialised, constructors matter.
        let constructs = |global: &ir::Global| !globals_symbolic && global.name.starts_with("llvm.global_");
        let globals = module.globals().filter(|(_, global)| in_heap(global) || constructs(global));
        wanted.globals.extend(globals.map(|(id, _)| id));
        self.close(&mut wanted);
        if follows_function_pointers(module, &wanted) {
            wanted.functions.extend(addressed_functions(module));
            self.close(&mut wanted);
        }
        let part = module.part(&wanted);
        let facts = self.facts.of_part(&self.module, &part);
        let program = Arc::new(Program::prepared(part.module, facts)?);
        Ok(ProgramPart { program, functions: part.functions })
    }
}

impl Program {
    /// Adds all that is named by what is wanted, and of the copies of each type the one that stands for all.
    fn close(&self, wanted: &mut Wanted) {
        loop {
            wanted.close(&self.module);
            let all: Vec<TypeId> = wanted.types.iter().map(|&ty| self.facts.canonical(&self.module, ty)).collect();
            let before = wanted.types.len();
            wanted.types.extend(all);
            if wanted.types.len() == before {
                return;
            }
        }
    }
}

/// Whether code may come to any function whose address is taken somewhere: it calls one by a pointer, or a pointer to one may
/// be in the initial heap.
fn follows_function_pointers(module: &Module, wanted: &Wanted) -> bool {
    let mut types = wanted.types.iter();
    let insts = || wanted.functions.iter().flat_map(|&id| &module[id].blocks).flat_map(|block| &block.insts);
    types.any(|&ty| matches!(module[ty], DebugType::Function { .. }))
        || insts().any(|inst| matches!(inst.op, Op::Call { callee: Callee::Indirect(_), .. }))
}
