//! Functions that callers get by pointer: methods in objects, tables of them, what a look-up returns. They need not be visible by name to be called.

use super::select::MAIN;
use ir::{Address, Callee, FuncId, Function, Init, Module, Op, Operand};
use std::collections::BTreeSet;

/// By function: whether its address stands in a variable, or is stored, or returned. What is only passed on to the system (a thread's
/// function, a comparison) is the system's to call.
pub(super) fn given_out(module: &Module) -> Vec<bool> {
    let mut given = vec![false; module.functions.len()];
    let mut give = |operand: &Operand| {
        if let Operand::Func(function) = operand {
            given[function.index()] = true;
        }
    };
    for function in module.functions.iter().filter(|function| !function.library) {
        each_kept(module, function, &mut BTreeSet::new(), &mut give);
    }
    for global in module.globals.iter().filter(|global| !global.library) {
        let Init::Data { addresses, .. } = &global.init else { continue };
        for (_, address) in addresses {
            if let Address::Func(function) = address {
                given[function.index()] = true;
            }
        }
    }
    given
}

/// What a function stores, returns, or passes to one that does. `open`: parameters of functions that are looked at already.
fn each_kept(
    module: &Module,
    function: &Function,
    open: &mut BTreeSet<(FuncId, usize)>,
    keep: &mut impl FnMut(&Operand),
) {
    for block in &function.blocks {
        for inst in &block.insts {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), args, .. } => {
                    let kept = (0..args.len()).filter(|&at| keeps(module, *callee, at, open));
                    kept.for_each(|at| keep(&args[at].value));
                }
                Op::Call { args, .. } => args.iter().for_each(|argument| keep(&argument.value)),
                // What is only compared goes nowhere.
                Op::Compare { .. } => {}
                op => op.for_each_operand(|operand| keep(&operand)),
            }
        }
        block.terminator.for_each_operand(|operand| keep(&operand));
    }
}

/// Whether a function keeps what it is passed.
fn keeps(module: &Module, callee: FuncId, index: usize, open: &mut BTreeSet<(FuncId, usize)>) -> bool {
    let function = &module[callee];
    let Some(param) = function.params.get(index).filter(|_| !function.is_declaration() && !function.library) else {
        return false;
    };
    if !open.insert((callee, index)) {
        return false;
    }
    let mut is_kept = false;
    each_kept(module, function, open, &mut |operand| is_kept |= *operand == Operand::Reg(param.reg));
    is_kept
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
    own.into_iter().any(|function| {
        calls(function, ["pthread_create", "thrd_create"]) && !calls(function, ["pthread_join", "thrd_join"])
    })
}

/// Whether a function of the program's own calls through a pointer what may be this one: something of its parameters and its results.
pub(super) fn is_called_by_pointer(module: &Module, id: FuncId) -> bool {
    let function = &module[id];
    let params = || function.params.iter().map(|param| function.register(param.reg).ty);
    let fits = |op: &Op, caller: &ir::Function| match op {
        Op::Call { callee: Callee::Indirect(_), args, dests } => {
            let results = dests.iter().map(|&dest| caller.register(dest).ty);
            params().eq(args.iter().map(|argument| argument.ty))
                && (dests.is_empty() || results.eq(function.returns.iter().copied()))
        }
        _ => false,
    };
    let own = module.functions.iter().filter(|function| !function.library);
    own.into_iter().any(|caller| caller.blocks.iter().flat_map(|block| &block.insts).any(|inst| fits(&inst.op, caller)))
}
