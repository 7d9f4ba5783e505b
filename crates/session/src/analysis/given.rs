//! Functions that callers get by pointer: methods in objects, tables of them, what a look-up returns. They need not be visible by name to be called.

use super::select::{CREATES_THREADS, MAIN};
use ir::{Address, Callee, DebugType, FuncId, Function, Init, Module, Op, Operand, Ty};
use memory::functions_of_type;
use rustc_hash::{FxHashMap, FxHashSet};

/// By function: whether its address stands in a variable, or is stored, or returned. What is only passed on to the system (a thread's
/// function, a comparison) is the system's to call. In time that grows with the program.
pub(super) fn given_out(module: &Module) -> Vec<bool> {
    let mut kept = Kept { given: vec![false; module.functions.len()], params: Vec::new() };
    // By function and parameter: what callers pass there.
    let mut passed: FxHashMap<(FuncId, usize), Vec<(FuncId, Operand)>> = FxHashMap::default();
    for (id, function) in module.functions().filter(|(_, function)| !function.library) {
        for block in &function.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::Call { callee: Callee::Direct(callee), args, .. } => {
                        let to = |(at, argument): (usize, &ir::Argument)| ((*callee, at), (id, argument.value));
                        args.iter().enumerate().map(to).for_each(|(at, what)| passed.entry(at).or_default().push(what));
                    }
                    Op::Call { args, .. } => args.iter().for_each(|argument| kept.keep(module, id, argument.value)),
                    // What is only compared goes nowhere.
                    Op::Compare { .. } => {}
                    op => op.for_each_operand(|operand| kept.keep(module, id, operand)),
                }
            }
            block.terminator.for_each_operand(|operand| kept.keep(module, id, operand));
        }
    }
    // What a function keeps of what it is passed, those keep that pass it. Those without a body are the system's.
    while let Some(param) = kept.params.pop() {
        for (caller, operand) in passed.remove(&param).unwrap_or_default() {
            kept.keep(module, caller, operand);
        }
    }
    for global in module.globals.iter().filter(|global| !global.library) {
        let Init::Data { addresses, .. } = &global.init else { continue };
        for (_, address) in addresses {
            if let Address::Func(function) = address {
                kept.given[function.index()] = true;
            }
        }
    }
    kept.given
}

/// What is stored or returned.
struct Kept {
    /// By function: it is.
    given: Vec<bool>,
    /// Parameters that are, to be looked at.
    params: Vec<(FuncId, usize)>,
}

impl Kept {
    fn keep(&mut self, module: &Module, by: FuncId, operand: Operand) {
        match operand {
            Operand::Func(function) => self.given[function.index()] = true,
            Operand::Reg(reg) => {
                let param = module[by].params.iter().position(|param| param.reg == reg);
                self.params.extend(param.map(|index| (by, index)));
            }
            _ => {}
        }
    }
}

/// Whether a function of the program's own starts a thread and leaves that to others to end: it joins none itself.
pub(super) fn leaves_threads(module: &Module) -> bool {
    let calls = |function: &Function, names: [&str; 2]| {
        function.blocks.iter().flat_map(|block| &block.insts).any(|inst| match &inst.op {
            Op::Call { callee: Callee::Direct(callee), .. } => names.contains(&&*module[*callee].name),
            _ => false,
        })
    };
    let own = module.functions.iter().filter(|function| !function.library && function.name != MAIN);
    own.into_iter().any(|function| calls(function, CREATES_THREADS) && !calls(function, ["pthread_join", "thrd_join"]))
}

/// What is called through pointers.
pub(super) struct CalledByPointer {
    /// Of the types that these pointers are declared with.
    functions: FxHashSet<FuncId>,
    /// Where that is not known: types of parameters and of results.
    signatures: FxHashSet<(Vec<Ty>, Vec<Ty>)>,
}

impl CalledByPointer {
    /// By functions of the program's own.
    pub(super) fn of(module: &Module) -> Self {
        let (mut types, mut signatures) = (FxHashSet::default(), FxHashSet::default());
        for caller in module.functions.iter().filter(|function| !function.library) {
            for inst in caller.blocks.iter().flat_map(|block| &block.insts) {
                let Op::Call { callee: Callee::Indirect(callee), args, dests } = &inst.op else { continue };
                let declared = match *callee {
                    Operand::Reg(reg) => caller.register(reg).points_to,
                    _ => None,
                };
                match declared.filter(|&ty| matches!(module[module.strip(ty)], DebugType::Function { .. })) {
                    Some(ty) => drop(types.insert(ty)),
                    None => {
                        let results = dests.iter().map(|&dest| caller.register(dest).ty).collect();
                        signatures.insert((args.iter().map(|argument| argument.ty).collect(), results));
                    }
                }
            }
        }
        let functions = types.into_iter().flat_map(|ty| functions_of_type(module, ty)).collect();
        CalledByPointer { functions, signatures }
    }

    /// Whether it may be this one.
    pub(super) fn may_be(&self, module: &Module, id: FuncId) -> bool {
        let function = &module[id];
        let params: Vec<Ty> = function.params.iter().map(|param| function.register(param.reg).ty).collect();
        // What a call returns need not be used.
        self.functions.contains(&id)
            || self.signatures.contains(&(params.clone(), function.returns.clone()))
            || self.signatures.contains(&(params, Vec::new()))
    }
}
