//! Functions that callers get by pointer: methods in objects, tables of them, what a look-up returns. They need not be visible by name to be called.

use super::select::{CREATES_THREADS, MAIN};
use ir::{Address, Callee, DebugType, FuncId, Function, Init, Module, Op, Operand, Ty};
use memory::functions_of_type;
use rustc_hash::{FxHashMap, FxHashSet};

/// By function: whether its address stands in a variable, or is stored, or returned. What is only passed on to the system (a thread's
/// function, a comparison) is the system's to call. In time that grows with the program.
pub(super) fn given_out(module: &Module) -> Vec<bool> {
    let mut kept = Kept { given: vec![false; module.functions.len()], params: Vec::new() };
    for (id, function) in module.functions().filter(|(_, function)| !function.library) {
        for block in &function.blocks {
            for inst in &block.insts {
                match &inst.op {
                    Op::Call { callee: Callee::Direct(_), .. } => {}
                    Op::Call { args, .. } => args.iter().for_each(|argument| kept.keep(module, id, argument.value)),
                    // What is only compared goes nowhere.
                    Op::Compare { .. } => {}
                    op => op.for_each_operand(|operand| kept.keep(module, id, operand)),
                }
            }
            block.terminator.for_each_operand(|operand| kept.keep(module, id, operand));
        }
    }
    let mut passed = passed(module);
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

/// By function and parameter: what calls of its name pass there, and in which function they stand.
fn passed(module: &Module) -> FxHashMap<(FuncId, usize), Vec<(FuncId, Operand)>> {
    let mut passed: FxHashMap<(FuncId, usize), Vec<(FuncId, Operand)>> = FxHashMap::default();
    for (id, function) in module.functions().filter(|(_, function)| !function.library) {
        for inst in function.blocks.iter().flat_map(|block| &block.insts) {
            let Op::Call { callee: Callee::Direct(callee), args, .. } = &inst.op else { continue };
            for (at, argument) in args.iter().enumerate() {
                passed.entry((*callee, at)).or_default().push((id, argument.value));
            }
        }
    }
    passed
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
#[derive(Default)]
pub(super) struct CalledByPointer {
    /// That a function is passed and calls, or of the types that pointers are declared with.
    functions: FxHashSet<FuncId>,
    /// Where neither is known: types of parameters and of results.
    signatures: FxHashSet<(Vec<Ty>, Vec<Ty>)>,
}

impl CalledByPointer {
    /// By functions of the program's own. `is_known`: whether callers outside of the program may call one, and pass it what they like.
    pub(super) fn of(module: &Module, is_known: impl Fn(FuncId) -> bool) -> Self {
        let (mut called, mut types) = (CalledByPointer::default(), FxHashSet::default());
        let passed = passed(module);
        for (id, caller) in module.functions().filter(|(_, function)| !function.library) {
            for inst in caller.blocks.iter().flat_map(|block| &block.insts) {
                let Op::Call { callee: Callee::Indirect(callee), args, dests } = &inst.op else { continue };
                let mut found = FxHashSet::default();
                if all_passed(module, (id, *callee), &passed, &is_known, &mut found) {
                    called.functions.extend(found.into_iter().filter_map(|(_, operand)| match operand {
                        Operand::Func(function) => Some(function),
                        _ => None,
                    }));
                    continue;
                }
                let declared = match *callee {
                    Operand::Reg(reg) => caller.register(reg).points_to,
                    _ => None,
                };
                match declared.filter(|&ty| matches!(module[module.strip(ty)], DebugType::Function { .. })) {
                    Some(ty) => drop(types.insert(ty)),
                    None => {
                        let results = dests.iter().map(|&dest| caller.register(dest).ty).collect();
                        called.signatures.insert((args.iter().map(|argument| argument.ty).collect(), results));
                    }
                }
            }
        }
        called.functions.extend(types.into_iter().flat_map(|ty| functions_of_type(module, ty)));
        called
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

/// Whether all that an operand may be is a function that is named, perhaps further up, or null. `found`: those, and what they come through.
fn all_passed(
    module: &Module,
    (id, operand): (FuncId, Operand),
    passed: &FxHashMap<(FuncId, usize), Vec<(FuncId, Operand)>>,
    is_known: &impl Fn(FuncId) -> bool,
    found: &mut FxHashSet<(FuncId, Operand)>,
) -> bool {
    if !found.insert((id, operand)) {
        return true;
    }
    match operand {
        Operand::Func(_) | Operand::Int(0) => true,
        Operand::Reg(reg) => {
            let Some(index) = module[id].params.iter().position(|param| param.reg == reg) else { return false };
            let calls = passed.get(&(id, index)).map_or(&[][..], Vec::as_slice);
            !is_known(id) && calls.iter().all(|&call| all_passed(module, call, passed, is_known, found))
        }
        _ => false,
    }
}
