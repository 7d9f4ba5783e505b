//! Which functions of a library are its operations.

use super::given::{CalledByPointer, given_out};
use crate::errors::{UsageError, suggest};
use ir::{Callee, CastKind, DebugType, FuncId, Module, Op, Operand, SourceFile, TypeId};
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// Where a program begins.
pub(super) const MAIN: &str = "main";

pub(super) const CREATES_THREADS: [&str; 2] = ["pthread_create", "thrd_create"];

/// Operations listed where a name means none of them.
const LISTED: usize = 10;

/// A function that the user named.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Named {
    Found(FuncId),
    /// Several static functions share the name: the files that define them.
    Ambiguous(Vec<String>),
    Unknown,
}

/// The function that `name` means: a C name, or `file.c:name`.
fn find(module: &Module, name: &str) -> Named {
    let (file, function) = match name.rsplit_once(':') {
        Some((file, function)) => (Some(file), function),
        None => (None, name),
    };
    let in_file = |id: FuncId| match (file, module[id].file) {
        (None, _) => true,
        (Some(wanted), Some(have)) => is_file(&module[have], wanted),
        (Some(_), None) => false,
    };
    let found: Vec<FuncId> = module.functions_named(function).filter(|&id| is_own(module, id) && in_file(id)).collect();
    match found.as_slice() {
        [] => Named::Unknown,
        [one] => Named::Found(*one),
        several => {
            Named::Ambiguous(several.iter().filter_map(|&id| module[id].file.map(|f| module[f].path.clone())).collect())
        }
    }
}

/// Whether a name, as typed, may mean a function of the program's: a C name, or `file.c:name`.
pub(crate) fn may_mean(module: &Module, name: &str, id: FuncId) -> bool {
    let (file, function) = name.rsplit_once(':').map_or((None, name), |(file, function)| (Some(file), function));
    let is_there = |wanted| module[id].file.is_some_and(|have| is_file(&module[have], wanted));
    module[id].name == function && is_own(module, id) && file.is_none_or(is_there)
}

/// Whether a function has a body that the program has written.
fn is_own(module: &Module, id: FuncId) -> bool {
    !module[id].is_declaration() && !module[id].library
}

/// Whether `wanted` means this file: its name, the last parts of its path, or another way to write the path.
fn is_file(file: &SourceFile, wanted: &str) -> bool {
    let wanted = Path::new(wanted);
    let whole = tidy(&Path::new(&file.directory).join(&file.path));
    let short = tidy(wanted);
    let parent = short.components().next() == Some(Component::ParentDir);
    (whole.ends_with(&short) && !parent && !short.as_os_str().is_empty())
        || std::path::absolute(wanted).is_ok_and(|path| tidy(&path) == whole)
}

/// The path without `.` and without `..` where it can be taken back. Files are not looked at.
fn tidy(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match (component, result.components().next_back()) {
            (Component::CurDir, _) => {}
            (Component::ParentDir, Some(Component::Normal(_))) => {
                result.pop();
            }
            (other, _) => result.push(other),
        }
    }
    result
}

/// The function that the user named as a `what`.
///
/// # Errors
/// When there is none or more than one; the message says which names there are.
pub(super) fn named(module: &Module, name: &str, what: &str) -> Result<FuncId, UsageError> {
    named_by(module, name, what, "--op")
}

/// [`named`], by another flag than `--op`.
///
/// # Errors
/// As there.
pub(super) fn named_by(module: &Module, name: &str, what: &str, flag: &str) -> Result<FuncId, UsageError> {
    match find(module, name) {
        Named::Found(function) => Ok(function),
        Named::Ambiguous(files) => Err(UsageError::new(
            "ambiguous_operation",
            format!("several files define `{name}`: write {}", forms(&files, name).join(" or ")),
        )),
        Named::Unknown => {
            let hint = hint(module, name, flag);
            Err(UsageError::new("unknown_operation", format!("there is no {what} `{name}`; {hint}")))
        }
    }
}

/// What the user may have meant of these names.
pub(super) fn suggestion<'n>(name: &str, known: impl Iterator<Item = &'n str> + Clone) -> String {
    let near = suggest(name, known.clone());
    match (near.is_empty(), known.clone().next()) {
        (false, _) => format!("did you mean {}?", near.join(", ")),
        (true, None) => "there is none".to_owned(),
        (true, Some(_)) => format!("there are {}", listed(known)),
    }
}

/// What the user may have meant.
fn hint(module: &Module, name: &str, flag: &str) -> String {
    if name.contains(',') {
        let each: Vec<String> = name.split(',').map(|one| format!("{flag} {}", one.trim())).collect();
        return format!("give the flag once for each: {}", each.join(" "));
    }
    let function = name.rsplit_once(':').map_or(name, |(_, function)| function);
    let elsewhere: Vec<String> = module
        .functions_named(function)
        .filter(|&id| is_own(module, id))
        .filter_map(|id| module[id].file.map(|file| module[file].path.clone()))
        .collect();
    if !elsewhere.is_empty() {
        return format!("write {}", forms(&elsewhere, function).join(" or "));
    }
    let defined = module.functions.iter().filter(|f| !f.is_declaration() && !f.library).map(|f| f.name.as_str());
    let near = suggest(function, defined);
    if !near.is_empty() {
        return format!("did you mean {}?", near.join(", "));
    }
    let known = default_operations(module);
    match known.as_slice() {
        [] => "the program has no function that could be one".to_owned(),
        known => format!("there are {}", listed(known.iter().map(|&id| module[id].name.as_str()))),
    }
}

/// Some names; of many, the first.
pub(super) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names: Vec<&str> = names.take(LISTED + 1).collect();
    if names.len() > LISTED {
        names[LISTED] = "...";
    }
    names.join(", ")
}

/// `file.c:name` for each file; with its whole path where another file has the same name.
fn forms(files: &[String], name: &str) -> Vec<String> {
    let short = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
    let one = |file: &String| match files.iter().filter(|other| short(other) == short(file)).count() {
        1 => format!("`{}:{name}`", short(file)),
        _ => format!("`{file}:{name}`"),
    };
    files.iter().map(one).collect()
}

/// Every externally visible function, and every one that callers get by pointer, `main` excluded, that reaches shared memory through a parameter or a global and is
/// not only called by other operations. In time that grows with the program, however large that is.
pub(super) fn default_operations(module: &Module) -> Vec<FuncId> {
    candidates(module).0
}

/// The functions that callers outside of the sources can call.
pub(super) fn public(module: &Module) -> Vec<FuncId> {
    let own = |id: FuncId| is_public(module, id) && is_own(module, id) && module[id].name != MAIN;
    module.functions().map(|(id, _)| id).filter(|&id| own(id)).collect()
}

/// Whether callers outside of the sources can call a function: it is visible there, or static in a header, which they include. Of the
/// copies that several sources have of that, the first.
fn is_public(module: &Module, id: FuncId) -> bool {
    let function = &module[id];
    if function.external || !is_in_header(module, id) {
        return function.external;
    }
    let is_copy = |other: FuncId| {
        let place = |id: FuncId| {
            let at = &module[module[id].location?];
            Some((&module[at.file].path, at.line))
        };
        !module[other].external && place(other) == place(id)
    };
    module.functions_named(&function.name).find(|&other| is_copy(other)) == Some(id)
}

/// Whether a header of the program's own defines a function.
fn is_in_header(module: &Module, id: FuncId) -> bool {
    let file = module[id].location.map(|at| Path::new(&module[module[at].file].path));
    let is_header = |file: &Path| {
        let kind = file.extension().and_then(|kind| kind.to_str()).unwrap_or_default();
        !file.starts_with("/usr") && (kind.starts_with('h') || kind.starts_with("in"))
    };
    is_own(module, id) && file.is_some_and(is_header)
}

/// Static functions of the sources that nothing in them calls or names, though they reach shared memory: callers have them only if they
/// include these.
pub(super) fn unused_statics(module: &Module) -> Vec<FuncId> {
    let graph = Graph::of(module);
    let uses_globals =
        graph.all_that_reach(module.functions().map(|(id, _)| id).filter(|&id| names_shared(module, id)));
    let takes_data = |id: FuncId| module[id].source_params.iter().any(|p| points_to_data(module, p.ty));
    let is_of_system =
        |id: FuncId| module[id].location.is_some_and(|at| module[module[at].file].path.starts_with("/usr"));
    let is_unused = |id: FuncId| {
        let f = &module[id];
        let hidden = !f.external && is_own(module, id) && !f.address_taken && !is_in_header(module, id);
        hidden
            && !is_of_system(id)
            && graph.names[id.index()].is_empty()
            && (takes_data(id) || takes_address(module, id) || uses_globals[id.index()])
    };
    module.functions().map(|(id, _)| id).filter(|&id| is_unused(id)).collect()
}

/// [The operations](default_operations), and those that are left out because others of them call them. What callers get by pointer is one
/// like those that they know by name.
pub(super) fn candidates(module: &Module) -> (Vec<FuncId>, Vec<FuncId>) {
    let graph = Graph::of(module);
    let uses_globals =
        graph.all_that_reach(module.functions().map(|(id, _)| id).filter(|&id| names_shared(module, id)));
    let takes_data = |id: FuncId| module[id].source_params.iter().any(|p| points_to_data(module, p.ty));
    let given = given_out(module);
    let by_pointer = CalledByPointer::of(module, |id| is_public(module, id) || given[id.index()]);
    let is_candidate = |id: FuncId| {
        let is_known = is_public(module, id) || given[id.index()];
        let own = is_known && is_own(module, id) && module[id].name != MAIN;
        own && (takes_data(id) || takes_address(module, id) || uses_globals[id.index()])
    };
    let is_candidate: Vec<bool> = module.functions().map(|(id, _)| is_candidate(id)).collect();
    // Somebody outside of the library calls it, or nobody at all in it does.
    let is_operation = |&id: &FuncId| {
        let mut callers = graph.callers[id.index()].iter();
        let is_called = || !is_public(module, id) && by_pointer.may_be(module, id);
        is_candidate[id.index()] && callers.all(|&caller| caller == id || !is_candidate[caller.index()]) && !is_called()
    };
    let candidates = module.functions().map(|(id, _)| id).filter(|id| is_candidate[id.index()]);
    candidates.partition(is_operation)
}

/// Whether a function can reach what others reach too: by a parameter, or a variable that it uses, or somebody whom it calls.
pub(super) fn reaches_shared(module: &Module, function: FuncId) -> bool {
    let uses_globals =
        Graph::of(module).all_that_reach(module.functions().map(|(id, _)| id).filter(|&id| names_shared(module, id)));
    uses_globals[function.index()]
        || takes_address(module, function)
        || module[function].source_params.iter().any(|p| points_to_data(module, p.ty))
}

/// Whether a function makes an address of a number that it is passed: a handle of its callers'.
fn takes_address(module: &Module, function: FuncId) -> bool {
    let function = &module[function];
    let is_passed = |operand: &Operand| function.params.iter().any(|param| *operand == Operand::Reg(param.reg));
    function.blocks.iter().flat_map(|block| &block.insts).any(|inst| match &inst.op {
        Op::Cast { kind: CastKind::IntToPtr, value, .. } => is_passed(value),
        _ => false,
    })
}

/// Who calls or names which function.
struct Graph {
    /// By function: those that call it.
    callers: Vec<Vec<FuncId>>,
    /// By function: those that call or name it.
    names: Vec<Vec<FuncId>>,
}

impl Graph {
    fn of(module: &Module) -> Self {
        let many = module.functions.len();
        let mut graph = Graph { callers: vec![Vec::new(); many], names: vec![Vec::new(); many] };
        for (id, _) in module.functions() {
            let (operands, called) = named_in(module, id);
            for callee in called {
                graph.callers[callee.index()].push(id);
                graph.names[callee.index()].push(id);
            }
            for operand in operands {
                if let Operand::Func(function) = operand {
                    graph.names[function.index()].push(id);
                }
            }
        }
        graph
    }

    /// By function: whether it is one of these, or comes to one by what functions call or name.
    fn all_that_reach(&self, these: impl Iterator<Item = FuncId>) -> Vec<bool> {
        let mut reaches = vec![false; self.names.len()];
        let mut open: Vec<FuncId> = these.collect();
        while let Some(id) = open.pop() {
            if !std::mem::replace(&mut reaches[id.index()], true) {
                open.extend(&self.names[id.index()]);
            }
        }
        reaches
    }
}

/// What a function names, and what it calls by name.
fn named_in(module: &Module, id: FuncId) -> (Vec<Operand>, Vec<FuncId>) {
    let (mut operands, mut called) = (Vec::new(), Vec::new());
    let mut note = |operand: Operand| operands.push(operand);
    for block in &module[id].blocks {
        for inst in &block.insts {
            inst.op.for_each_operand(&mut note);
            if let Op::Call { callee: Callee::Direct(callee), .. } = inst.op {
                called.push(callee);
            }
        }
        block.terminator.for_each_operand(&mut note);
    }
    (operands, called)
}

/// Whether a function itself names a global variable that is not constant.
fn names_shared(module: &Module, id: FuncId) -> bool {
    named_in(module, id).0.iter().any(|operand| is_shared(module, operand))
}

fn is_shared(module: &Module, operand: &Operand) -> bool {
    match operand {
        Operand::Global(global, _) => {
            let global = &module[*global];
            !global.constant && !global.thread_local && !global.guarded
        }
        _ => false,
    }
}

/// Whether a function, or one that it calls or names, starts threads.
pub(super) fn starts_threads(module: &Module, function: FuncId) -> bool {
    let mut starts = false;
    walk(module, function, |id, _| {
        starts |= module[id].is_declaration() && CREATES_THREADS.contains(&&*module[id].name);
        starts
    });
    starts
}

/// Whether a function, or one that it calls, can reach memory that other threads can reach too: it has a pointer
/// parameter, or names a global variable that is not constant.
pub(super) fn touches_shared(module: &Module, function: FuncId) -> bool {
    let params = &module[function].source_params;
    params.iter().any(|p| points_to_data(module, p.ty)) || uses_globals(module, function)
}

/// Whether a function, or one that it calls, names a global variable that is not constant.
pub(super) fn uses_globals(module: &Module, function: FuncId) -> bool {
    let mut uses = false;
    walk(module, function, |_, operands| {
        uses |= operands.iter().any(|operand| is_shared(module, operand));
        uses
    });
    uses
}

/// Visits a function and all that it calls or names, each with its operands, until a visit says that it is enough.
fn walk(module: &Module, function: FuncId, mut visit: impl FnMut(FuncId, &[Operand]) -> bool) {
    let mut seen = BTreeSet::new();
    let mut open = vec![function];
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let (operands, called) = named_in(module, id);
        if visit(id, &operands) {
            return;
        }
        let named = |operand: &Operand| match operand {
            Operand::Func(callee) => Some(*callee),
            _ => None,
        };
        open.extend(operands.iter().filter_map(named));
        open.extend(called);
    }
}

/// Whether a type is a pointer to data, or holds one.
fn points_to_data(module: &Module, ty: TypeId) -> bool {
    match &module[module.strip(ty)] {
        DebugType::Pointer { to } => !matches!(module[module.strip(*to)], DebugType::Function { .. }),
        DebugType::Record { fields, .. } => fields.iter().any(|field| points_to_data(module, field.ty)),
        DebugType::Array { of, .. } => points_to_data(module, *of),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_many_names() {
        let here = std::env::current_dir().unwrap_or_default().display().to_string();
        let file = SourceFile { path: "./src/a.c".to_owned(), directory: here.clone() };
        for name in ["a.c", "./a.c", "src/a.c", "./src/a.c", "src/../src/a.c", &format!("{here}/src/a.c")] {
            assert!(is_file(&file, name), "{name}");
        }
        for name in ["b.c", "c", "/a.c", "rc/a.c", "../a.c", "src", ""] {
            assert!(!is_file(&file, name), "{name}");
        }
        let above = SourceFile { path: "../x/a.c".to_owned(), directory: here };
        assert!(is_file(&above, "../x/a.c") && is_file(&above, "a.c") && !is_file(&above, "../a.c"));
    }

    #[test]
    fn equal_names_are_told_apart_by_their_paths() {
        let files = |names: [&str; 2]| forms(&names.map(str::to_owned), "f");
        assert_eq!(files(["a/x.c", "b/y.c"]), ["`x.c:f`", "`y.c:f`"]);
        assert_eq!(files(["a/x.c", "b/x.c"]), ["`a/x.c:f`", "`b/x.c:f`"]);
    }
}
