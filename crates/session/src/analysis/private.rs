//! Parameters of which each call has an object of its own: which ones the user names, and where naming one may help.

use super::select;
use crate::errors::{UsageError, suggest};
use crate::options::PrivateParameter;
use clients::{Client, only_sets};
use explore::{ClientArgument, Operation};
use ir::{DebugType, FuncId, Module, TypeId};
use memory::TypeFacts;
use report::{Assumption, Finding, Note, object_of};
use witness::format::{CellValue, Command, Witness};

/// An error about a parameter that there is, but cannot be private.
const UNSUPPORTED: &str = "unsupported_parameter";

/// Marks the operations' parameters that the entries name. Returns the entries that name none of an operation.
///
/// # Errors
/// When the program has no such function or parameter, or it is no pointer.
pub(super) fn mark<'e>(
    module: &Module,
    operations: &mut [Operation],
    entries: &'e [PrivateParameter],
) -> Result<Vec<&'e PrivateParameter>, UsageError> {
    let mut unused = Vec::new();
    for entry in entries {
        let named = match &entry.function {
            Some(name) => Some(select::named(module, name, "function").map_err(|e| e.within(&entry.origin()))?),
            None => None,
        };
        match named {
            Some(function) => drop(parameter(module, function, entry)?),
            None => known_somewhere(module, entry)?,
        }
        let mut used = false;
        for operation in operations.iter_mut().filter(|o| named.is_none_or(|function| o.function == function)) {
            let index = match parameter(module, operation.function, entry) {
                Ok(index) => index,
                Err(error) if error.kind == UNSUPPORTED => return Err(error),
                // What a pattern means in one function it need not mean in another.
                Err(_) => continue,
            };
            used = true;
            if !operation.private.contains(&index) {
                operation.private.push(index);
            }
        }
        if !used {
            unused.push(entry);
        }
    }
    Ok(unused)
}

/// The parameter's index.
fn parameter(module: &Module, id: FuncId, entry: &PrivateParameter) -> Result<usize, UsageError> {
    let function = &module[id];
    let failed = |kind: &'static str, why: String| Err(UsageError::new(kind, format!("{}: {why}", entry.origin())));
    let known: Vec<&str> = function.source_params.iter().map(|p| p.name.as_str()).collect();
    let Some(index) = known.iter().position(|&name| name == entry.parameter) else {
        let alternatives = match suggest(&entry.parameter, known.iter().copied()).as_slice() {
            [] if known.is_empty() => "it has none".to_owned(),
            [] => format!("it has {}", quoted(&known)),
            near => format!("did you mean {}?", quoted(near)),
        };
        return failed(
            "unknown_parameter",
            format!("`{}` has no parameter `{}`; {alternatives}", function.name, entry.parameter),
        );
    };
    if module.given(id).iter().any(|given| given.source.is_none()) {
        let why = format!("how `{}` gets a structure by value is not known", function.name);
        return failed(UNSUPPORTED, why);
    }
    match module[module.strip(function.source_params[index].ty)] {
        DebugType::Pointer { .. } => Ok(index),
        _ => failed("no_pointer", format!("`{}` of `{}` is no pointer", entry.parameter, function.name)),
    }
}

/// That a pattern for all functions means something in one of them.
fn known_somewhere(module: &Module, entry: &PrivateParameter) -> Result<(), UsageError> {
    let own = || module.functions().filter(|(_, f)| !f.is_declaration() && !f.library);
    if own().any(|(id, _)| parameter(module, id, entry).is_ok()) {
        return Ok(());
    }
    let pointers = own().flat_map(|(_, f)| &f.source_params).filter(|p| module.pointee(p.ty).is_some());
    let mut names: Vec<&str> = pointers.map(|p| p.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let alternatives = match suggest(&entry.parameter, names.iter().copied()).as_slice() {
        [] if names.is_empty() => "no function has one".to_owned(),
        [] => format!("there are {}", quoted(&names)),
        near => format!("did you mean {}?", quoted(near)),
    };
    let why = format!("no function has a pointer parameter `{}`; {alternatives}", entry.parameter);
    Err(UsageError::new("unknown_parameter", format!("{}: {why}", entry.origin())))
}

fn quoted<S: AsRef<str>>(names: &[S]) -> String {
    names.iter().map(|name| format!("`{}`", name.as_ref())).collect::<Vec<_>>().join(", ")
}

/// What is taken for granted of the operations' parameters.
pub(super) fn assumptions(module: &Module, operations: &[Operation]) -> Vec<Assumption> {
    let one = |operation: &Operation, index: usize| Assumption {
        kind: "private_parameter".to_owned(),
        detail: format!(
            "parameter `{}` of `{}` is private to each call: what it leads to, no other thread reaches at first",
            module[operation.function].source_params[index].name, operation.name
        ),
        ..Assumption::default()
    };
    operations.iter().flat_map(|o| o.private.iter().map(move |&index| one(o, index))).collect()
}

/// For a race on what only parameters lead to, beside the structure that threads share: which parameters, `get.out`, and their
/// names.
pub(super) fn passed(module: &Module, facts: &TypeFacts, witness: &Witness) -> Option<Vec<(String, String)>> {
    let [first, second] = witness.failure.accesses.as_slice() else { return None };
    let (object, _) = first.object?;
    let cells = || witness.heap.objects.iter().flat_map(|o| &o.cells);
    let leads_there = |value: &CellValue| matches!(value, CellValue::Pointer { object: to, .. } if *to == object);
    let global = witness.heap.objects.get(object as usize)?.global;
    if witness.command != Command::Races || global || cells().any(|cell| leads_there(&cell.value)) {
        return None;
    }
    let mut named: Vec<(String, String)> = Vec::new();
    for access in [first, second] {
        let operation = witness.call(access.thread, access.call)?;
        let leading: Vec<usize> =
            (0..operation.args.len()).filter(|&i| leads_there(&operation.args[i].value)).collect();
        let [index] = leading[..] else { return None };
        let function = module.functions_named(&operation.function).next()?;
        if !may_be_callers_own(module, facts, function, index) {
            return None;
        }
        let parameter = &operation.args[index].name;
        let entry = (format!("{}.{parameter}", operation.name), parameter.clone());
        if !named.contains(&entry) {
            named.push(entry);
        }
    }
    Some(named)
}

/// The same for a race that shows in a client's program: both threads are passed the object that they race on.
pub(super) fn passed_by((module, facts): (&Module, &TypeFacts), client: &Client, finding: &Finding) -> Vec<String> {
    let (root, threads): (Vec<String>, _) =
        ((0..client.roots.len()).map(|n| format!("root{n}")).collect(), &client.threads);
    let mut named = Vec::new();
    for access in &finding.accesses {
        let passed = root.iter().position(|name| name == object_of(&access.place));
        let call = (access.thread as usize).checked_sub(1).and_then(|thread| threads.get(thread));
        let (Some(passed), Some(call), Some(operation)) = (passed, call, &access.operation) else { return Vec::new() };
        let mut leading = (0..call.arguments.len()).filter(|&i| call.arguments[i] == ClientArgument::Root(passed));
        let leaf = leading.next().and_then(|index| module.leaves(call.function)?.get(index).map(|leaf| leaf.param));
        let Some(index) = leaf.filter(|&index| may_be_callers_own(module, facts, call.function, index)) else {
            return Vec::new();
        };
        let entry = format!("{operation}.{}", module[call.function].source_params[index].name);
        if !named.contains(&entry) {
            named.push(entry);
        }
    }
    named
}

/// How to say that callers pass objects of their own there.
pub(super) fn hint(passed: &[(String, String)]) -> Note {
    let mut parameters: Vec<&str> = passed.iter().map(|(_, parameter)| parameter.as_str()).collect();
    parameters.dedup();
    let entries: Vec<String> = passed.iter().map(|(entry, _)| format!("\"{entry}\"")).collect();
    let text = format!(
        "If each caller passes its own {}, say so in raddle.toml: [parameters] private = [{}]",
        quoted(&parameters).replace(", ", " and "),
        entries.join(", ")
    );
    Note { text, location: None }
}

/// Whether a parameter may well be for the caller's own data: it is not the only way to what threads share, and neither
/// a lock, nor something that holds one, nor a node or an owner of nodes.
fn may_be_callers_own(module: &Module, facts: &TypeFacts, function: FuncId, index: usize) -> bool {
    let params = &module[function].source_params;
    let Some(pointee) = params.get(index).and_then(|param| module.pointee(param.ty)) else { return false };
    let structural = |ty: TypeId| {
        facts.is_owner(module, ty) || facts.is_recursive(module, ty) || TypeFacts::contains_sync(module, ty)
    };
    let others = params.iter().enumerate().filter(|&(other, _)| other != index);
    let elsewhere = others.filter_map(|(_, param)| module.pointee(param.ty)).any(|ty| !TypeFacts::is_char(module, ty));
    !structural(pointee)
        && !is_shared_by_nature(module, facts, pointee)
        && (elsewhere || select::uses_globals(module, function) || is_for_result(module, function, index))
}

/// Whether a parameter leads to a pointer of the caller's that the function only sets: `make(struct thing **out)`.
fn is_for_result(module: &Module, function: FuncId, index: usize) -> bool {
    let pointee = module[function].source_params.get(index).and_then(|param| module.pointee(param.ty));
    pointee.is_some_and(|ty| module.pointee(ty).is_some()) && only_sets(module, function, index)
}

/// Whether records of a type are what the library is about: a public function returns one, or takes one and nothing else that holds
/// data.
fn is_shared_by_nature(module: &Module, facts: &TypeFacts, ty: TypeId) -> bool {
    let class = facts.canonical(module, ty);
    let is_it = |of: TypeId| module.pointee(of).is_some_and(|to| facts.canonical(module, to) == class);
    let is_other = |of: TypeId| module.pointee(of).is_some_and(|to| !is_it(of) && module.is_record(module.strip(to)));
    module.is_record(module.strip(ty))
        && select::public(module).into_iter().map(|id| &module[id]).any(|function| {
            let takes = || function.source_params.iter().map(|param| param.ty);
            function.return_type.is_some_and(is_it) || takes().any(is_it) && !takes().any(is_other)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program() -> Module {
        let text = "T0 = void\nT1 = signed int 4\nT2 = struct list 8 { 0 n: T1 }\nT3 = ptr T2\nT4 = ptr T1\n\
                    fn f0 get(%0 l: ptr, %1 k: i32, %2 out: ptr) external\n  returns T0 source(l: T3, k: T1, out: T4) {\n\
                    b0:\n  return\n}\n\
                    fn f1 put(%0 l: ptr, %1 in: ptr) external\n  returns T0 source(l: T3, in: T4) {\nb0:\n  return\n}\n";
        ir::text::parse(text).expect("valid IR")
    }

    fn marked(operations: &[&str], entries: &[&str]) -> Result<(Vec<Vec<usize>>, Vec<String>), String> {
        let module = program();
        let operation = |name: &&str| Operation::new(module.functions_named(name).next().expect("it is there"), *name);
        let mut operations: Vec<Operation> = operations.iter().map(operation).collect();
        let entries: Vec<PrivateParameter> =
            entries.iter().map(|text| PrivateParameter::parse(text).expect("well formed")).collect();
        let unused = mark(&module, &mut operations, &entries).map_err(|e| e.to_string())?;
        let unused = unused.iter().map(|entry| entry.text.clone()).collect();
        Ok((operations.into_iter().map(|o| o.private).collect(), unused))
    }

    #[test]
    fn entries_name_parameters_of_operations() {
        let none: Vec<String> = Vec::new();
        assert_eq!(marked(&["get", "put"], &["get.out"]), Ok((vec![vec![2], vec![]], none.clone())));
        assert_eq!(marked(&["get", "put"], &["*.l", "put.in", "put.l"]), Ok((vec![vec![0], vec![0, 1]], none)));
        assert_eq!(marked(&["put"], &["get.out", "*.in"]), Ok((vec![vec![1]], vec!["get.out".to_owned()])));
    }

    #[test]
    fn what_is_not_there_is_refused_with_what_is() {
        for (entry, why) in [
            ("get.oot", "`get` has no parameter `oot`; did you mean `out`?"),
            ("get.zzzz", "`get` has no parameter `zzzz`; it has `l`, `k`, `out`"),
            ("get.k", "`k` of `get` is no pointer"),
            ("gett.out", "there is no function `gett`; did you mean get?"),
            ("*.oot", "no function has a pointer parameter `oot`; did you mean `out`?"),
            ("*.k", "no function has a pointer parameter `k`; did you mean `l`?"),
            ("*.zzzz", "no function has a pointer parameter `zzzz`; there are `in`, `l`, `out`"),
        ] {
            let refused = marked(&["get"], &[entry]).expect_err(entry);
            assert!(refused.contains(why) && refused.contains(&format!("--private {entry}")), "{refused}");
        }
    }
}
