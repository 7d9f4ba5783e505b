//! Which functions of a library are its operations.

use ir::{Callee, DebugType, FuncId, Module, Op, Operand, TypeId};
use std::collections::{BTreeMap, BTreeSet};

/// A function that the user named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Named {
    Found(FuncId),
    /// Several static functions share the name: the files that define them.
    Ambiguous(Vec<String>),
    Unknown,
}

/// The function that `name` means: a C name, or `file.c:name`.
pub(super) fn find(module: &Module, name: &str) -> Named {
    let (file, function) = match name.rsplit_once(':') {
        Some((file, function)) => (Some(file), function),
        None => (None, name),
    };
    let in_file = |id: FuncId| match (file, module[id].file) {
        (None, _) => true,
        (Some(wanted), Some(have)) => {
            let have = &module[have].path;
            have == wanted || have.rsplit('/').next() == Some(wanted) || have.ends_with(&format!("/{wanted}"))
        }
        (Some(_), None) => false,
    };
    let found: Vec<FuncId> =
        module.functions_named(function).filter(|&id| !module[id].is_declaration() && in_file(id)).collect();
    match found.as_slice() {
        [] => Named::Unknown,
        [one] => Named::Found(*one),
        several => {
            Named::Ambiguous(several.iter().filter_map(|&id| module[id].file.map(|f| module[f].path.clone())).collect())
        }
    }
}

/// Every externally visible function, `main` excluded, that reaches shared memory through a parameter or a global and is
/// not only called by other operations.
pub(super) fn default_operations(module: &Module) -> Vec<FuncId> {
    let candidates: Vec<FuncId> = module
        .functions()
        .filter(|(_, f)| f.external && !f.is_declaration() && f.name != "main")
        .map(|(id, _)| id)
        .filter(|&id| touches_shared(module, id))
        .collect();
    let called = called_by(module);
    candidates
        .iter()
        .copied()
        .filter(|id| {
            let callers = called.get(id);
            // Somebody outside of the library calls it, or nobody at all in it does.
            callers.is_none_or(|callers| callers.iter().all(|c| c == id || !candidates.contains(c)))
        })
        .collect()
}

fn called_by(module: &Module) -> BTreeMap<FuncId, BTreeSet<FuncId>> {
    let mut callers: BTreeMap<FuncId, BTreeSet<FuncId>> = BTreeMap::new();
    for (id, function) in module.functions() {
        for inst in function.blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                callers.entry(callee).or_default().insert(id);
            }
        }
    }
    callers
}

/// Whether a function, or one that it calls, can reach memory that other threads can reach too: it has a pointer
/// parameter, or names a global variable that is not constant.
pub(super) fn touches_shared(module: &Module, function: FuncId) -> bool {
    let params = &module[function].source_params;
    if params.iter().any(|p| points_to_data(module, p.ty)) {
        return true;
    }
    let mut seen = BTreeSet::new();
    let mut open = vec![function];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let mut shared = false;
        let mut note = |operand: Operand| match operand {
            Operand::Global(global, _) => shared |= !module[global].constant && !module[global].thread_local,
            Operand::Func(callee) => open.push(callee),
            _ => {}
        };
        for block in &module[id].blocks {
            for inst in &block.insts {
                inst.op.for_each_operand(&mut note);
            }
            block.terminator.for_each_operand(&mut note);
        }
        for inst in module[id].blocks.iter().flat_map(|b| &b.insts) {
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                open.push(callee);
            }
        }
        if shared {
            return true;
        }
    }
    false
}

fn points_to_data(module: &Module, ty: TypeId) -> bool {
    module.pointee(ty).is_some_and(|to| !matches!(module[module.strip(to)], DebugType::Function { .. }))
}
