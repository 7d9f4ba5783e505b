//! The function that `--valid` names: a predicate on a structure that the operations take, or, without a parameter, on variables.
//!
//! Guarantee: what is accepted can be called with what an operation is called with, and answers yes or no. Anything else
//! would be called with arbitrary values, and a report on it would mean nothing.

use super::select;
use crate::errors::UsageError;
use explore::Operation;
use ir::c_type;
use ir::{DebugType, FuncId, Function, Module, TypeId};

/// The predicate with this name. `configured`: `raddle.toml` names it, not the command line.
///
/// # Errors
/// When there is no such function, or it has another signature than a predicate on what `operations` take.
pub(super) fn predicate(
    module: &Module,
    name: &str,
    configured: bool,
    operations: &[Operation],
) -> Result<Operation, UsageError> {
    let named = if configured { format!("`valid = \"{name}\"` in raddle.toml") } else { format!("--valid {name}") };
    let function = select::named(module, name, "function").map_err(|error| error.within(&named))?;
    let taken = taken(module, operations);
    judge(module, function, &taken).map_err(|why| {
        let mut types = taken.iter().map(|&ty| unqualified(module, ty));
        let first = types.next().unwrap_or_else(|| "struct T".to_owned());
        let others: Vec<String> = types.map(|ty| format!("`{ty}`")).collect();
        let others =
            if others.is_empty() { String::new() } else { format!(" (or the same on {})", others.join(" or ")) };
        let message = format!(
            "{named}: `{}` is no predicate on what an operation takes: {why}; wanted is `bool {}(const {first} *)`{others}, or \
             without a parameter, about variables",
            declaration(module, &module[function]),
            module[function].name,
        );
        UsageError::new("valid_signature", message)
    })?;
    Ok(Operation::new(function, name))
}

/// Whether the operation takes what the predicate is about. Variables are there for all.
pub(super) fn concerns(module: &Module, predicate: &Operation, operation: &Operation) -> bool {
    if module[predicate.function].source_params.is_empty() {
        return true;
    }
    let about = pointee_of_first(module, predicate.function);
    about.is_some_and(|about| {
        taken(module, std::slice::from_ref(operation)).iter().any(|&ty| module.same_type(ty, about))
    })
}

/// What the operations' shared parameters point to, each type once.
fn taken(module: &Module, operations: &[Operation]) -> Vec<TypeId> {
    let mut all: Vec<TypeId> = Vec::new();
    for operation in operations {
        for (index, param) in module[operation.function].source_params.iter().enumerate() {
            if operation.private.contains(&index) {
                continue;
            }
            if let Some(to) = module.pointee(param.ty)
                && !matches!(module[module.strip(to)], DebugType::Function { .. })
                && !all.iter().any(|&known| module.same_type(known, to))
            {
                all.push(to);
            }
        }
    }
    all
}

fn pointee_of_first(module: &Module, function: FuncId) -> Option<TypeId> {
    module[function].source_params.first().and_then(|param| module.pointee(param.ty))
}

/// What is wrong with the function as a predicate.
fn judge(module: &Module, function: FuncId, taken: &[TypeId]) -> Result<(), String> {
    let declared = &module[function];
    let returns_number = declared
        .return_type
        .is_some_and(|ty| matches!(module[module.strip(ty)], DebugType::Int { .. } | DebugType::Enum { .. }));
    if declared.source_params.len() != declared.params.len() && declared.source_params.is_empty() {
        return Err(format!("there is no debug information for `{}`", declared.name));
    }
    match declared.source_params.len() {
        0 | 1 if declared.variadic => return Err("it takes any number of arguments".to_owned()),
        // About variables.
        0 => {}
        1 => {
            let Some(about) = pointee_of_first(module, function) else {
                return Err("its parameter is no pointer".to_owned());
            };
            if !taken.iter().any(|&ty| module.same_type(ty, about)) {
                return Err(format!("no operation takes a pointer to `{}`", unqualified(module, about)));
            }
        }
        several => return Err(format!("it has {several} parameters")),
    }
    if declared.returns.len() != 1 || !returns_number {
        return Err("it does not return a truth value".to_owned());
    }
    Ok(())
}

/// The type without its outermost qualifiers, as C writes it.
fn unqualified(module: &Module, mut ty: TypeId) -> String {
    while let DebugType::Qualified { to, .. } = &module[ty] {
        ty = *to;
    }
    written(module, Some(ty))
}

fn written(module: &Module, ty: Option<TypeId>) -> String {
    match ty.map(|ty| c_type(module, ty)) {
        None => "void".to_owned(),
        Some(name) if name.is_empty() => "(a type without a name)".to_owned(),
        Some(name) => name,
    }
}

/// `int ok(struct list *, int)`.
fn declaration(module: &Module, function: &Function) -> String {
    let mut params: Vec<String> = function.source_params.iter().map(|p| written(module, Some(p.ty))).collect();
    if function.variadic {
        params.push("...".to_owned());
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    let returned = written(module, function.return_type);
    let space = if returned.ends_with('*') { "" } else { " " };
    format!("{returned}{space}{}({params})", function.name)
}
