//! How operations get their parameters: the roots of the initial heap.
//!
//! Pointer parameters are lazy pointers. By default the k-th parameter of a pointer type denotes one object in all calls of
//! all threads; with [`RootRule::Any`] each call has its own, which may alias the others'. One that the user calls private
//! leads each thread to a heap of its own; there, those of several calls may be one object. A structure by value is an object of its
//! call's: its pointers to owners are like parameters, its others lead to whatever there is. Other parameters are symbols of their call. Of threads that make the same calls, one order is explored.

use crate::model::client::ClientCall;
use crate::model::operation::{Call, Operation, Sequence};
use ir::{DebugType, FuncId, Given, IntKind, Module, Ty, TypeId};
use machine::{Engine, LossKind, LossSite, Program, Remedy, State};
use memory::{LazyId, Limits, Territory, Value};
use serde::Serialize;
use smt::TermId;
use std::sync::Arc;

/// Which pointer parameters denote the same object.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum RootRule {
    Same,
    Any,
}

/// A shared root: the class of its pointee, whether that has a type, which of its call's it is, and the pointer.
struct Root {
    class: TypeId,
    typed: bool,
    ordinal: usize,
    pointer: LazyId,
}

/// Who makes a call: thread and call, from 0.
#[derive(Clone, Copy)]
struct Caller {
    thread: usize,
    call: usize,
}

/// The symbol that stands for a number which a call is given: `1:key` in a thread's first call, `1.2:key` in its second.
pub fn argument_symbol(thread: usize, call: usize, parameter: &str) -> String {
    match call {
        0 => format!("{}:{parameter}", thread + 1),
        _ => format!("{}.{}:{parameter}", thread + 1, call + 1),
    }
}

/// The state before any thread: globals made symbolic, parameters of all calls added as roots. Returns each thread's calls.
pub fn base_state(
    engine: &mut Engine,
    limits: Limits,
    globals_symbolic: bool,
    threads: &[Sequence],
    rule: RootRule,
) -> (State, Vec<Vec<Call>>) {
    let mut state = engine.library_state(limits);
    if globals_symbolic {
        engine.make_globals_symbolic(&mut state);
    } else if !engine.program.module.constructors().is_empty() {
        let what = LossSite::Search("constructors".to_owned());
        engine.note(LossKind::Unsupported, what, Remedy::SymbolicGlobals);
    }
    let mut roots: Vec<Root> = Vec::new();
    let mut all = Vec::new();
    for (thread, sequence) in threads.iter().enumerate() {
        let calls = sequence.calls().enumerate();
        let call_of = |(call, operation): (usize, &Operation)| Call {
            function: operation.function,
            arguments: arguments(engine, &mut state, operation, Caller { thread, call }, rule, &mut roots),
        };
        all.push(calls.map(call_of).collect());
    }
    (state, all)
}

/// Of threads that do the same it does not matter which is the first: what two do with 1 and 2, they do with 2 and 1 the other
/// way round. So the first number that each is given does not fall from one to the next.
pub(crate) fn break_symmetry(engine: &mut Engine, state: &mut State, threads: &[Sequence], calls: &[Vec<Call>]) {
    for (index, sequence) in threads.iter().enumerate() {
        let next = threads.iter().skip(index + 1).position(|other| other == sequence);
        let Some(next) = next.map(|further| index + 1 + further) else { continue };
        let Some((kind, number)) = first_number(&engine.program.module, sequence.first.function) else { continue };
        let given = |thread: usize| calls[thread].first().and_then(|call| call.arguments.get(number));
        let (Some(&Value::Term(x)), Some(&Value::Term(y))) = (given(index), given(next)) else { continue };
        in_order(engine, state, kind, (x, y));
    }
}

/// The same of calls that a client makes at once: of equal calls that get the same objects.
pub(crate) fn break_symmetry_of(
    engine: &mut Engine,
    state: &mut State,
    calls: &[ClientCall],
    arguments: &[Vec<Value>],
) {
    for (index, call) in calls.iter().enumerate() {
        let Some(next) = calls.iter().skip(index + 1).position(|other| other == call) else { continue };
        let next = index + 1 + next;
        let Some((kind, number)) = first_number(&engine.program.module, call.function) else { continue };
        let given = |thread: usize| arguments[thread].get(number);
        let (Some(&Value::Term(x)), Some(&Value::Term(y))) = (given(index), given(next)) else { continue };
        in_order(engine, state, kind, (x, y));
    }
}

fn in_order(engine: &mut Engine, state: &mut State, kind: IntKind, (x, y): (TermId, TermId)) {
    let in_order = match kind {
        IntKind::Signed => engine.terms.sle(x, y),
        IntKind::Bool | IntKind::Char | IntKind::Unsigned => engine.terms.ule(x, y),
    };
    state.path.assume(in_order);
}

/// The first parameter of an operation that is a number.
fn first_number(module: &Module, function: FuncId) -> Option<(IntKind, usize)> {
    let given = module.given(function).into_iter().enumerate();
    let mut numbers = given.filter_map(|(index, given)| match module[module.strip(given.source?.ty)] {
        DebugType::Int { kind, .. } => Some((kind, index)),
        _ => None,
    });
    numbers.next()
}

fn arguments(
    engine: &mut Engine,
    state: &mut State,
    operation: &Operation,
    caller: Caller,
    rule: RootRule,
    roots: &mut Vec<Root>,
) -> Vec<Value> {
    let program = Arc::clone(&engine.program);
    let module = &program.module;
    let leaves = module.leaves(operation.function).unwrap_or_default();
    let mut values = Vec::new();
    // Pointers that it has had already.
    let mut shared: Vec<LazyId> = Vec::new();
    for (index, Given { ty, source }) in module.given(operation.function).into_iter().enumerate() {
        let name = source.map_or_else(|| format!("arg{index}"), |s| s.name.clone());
        let value = match (ty, source) {
            (None, source) => {
                let path = unique(state, &format!("{name}{}", caller.thread + 1));
                let ty = source.map_or(TypeId::new(0), |source| source.ty);
                let passed = state.memory.add_passed(module, ty, &path);
                for leaf in leaves.iter().filter(|leaf| leaf.param == index) {
                    let name = format!("{name}{}", module.path_to(ty, leaf.offset));
                    let is_launch = state.launch().is_some();
                    if let Some(pointee) = module.pointee(leaf.ty).filter(|&to| is_launch && is_buffer(module, to)) {
                        // Apart from all parameters, and from the others of this one.
                        let whose = (index + 1) * APART + leaf.offset as usize;
                        let lazy = state.memory.shape_mut().add_root(&name, Some(pointee), Territory::Alone(whose));
                        shared.push(lazy);
                        state.memory.set_passed(passed, leaf.offset, lazy);
                        continue;
                    }
                    let owner = module.pointee(leaf.ty).filter(|&to| program.facts.is_owner(module, to));
                    let Some(pointee) = owner else { continue };
                    let lazy = root(&program, state, caller.thread, rule, roots, Some(pointee), &name, &shared);
                    shared.push(lazy);
                    state.memory.set_passed(passed, leaf.offset, lazy);
                }
                Value::lazy(passed)
            }
            (Some(Ty::Ptr), source) => {
                let pointee = source.and_then(|s| module.pointee(s.ty)).filter(|&t| !is_void(module, t));
                let lazy = if operation.private.contains(&index) {
                    let path = unique(state, &format!("{name}{}", caller.thread + 1));
                    state.memory.shape_mut().add_root(&path, pointee, Territory::Private(caller.thread))
                } else if operation.alone.contains(&index) {
                    let path = match state.launch() {
                        Some(_) => unique(state, &name),
                        None => unique(state, &format!("{name}{}", caller.thread + 1)),
                    };
                    // Each of a kernel's is apart from its others.
                    let whose = if state.launch().is_some() { index } else { caller.thread };
                    state.memory.shape_mut().add_root(&path, pointee, Territory::Alone(whose))
                } else {
                    root(&program, state, caller.thread, rule, roots, pointee, &name, &shared)
                };
                shared.push(lazy);
                Value::lazy(lazy)
            }
            (Some(ty), source) => {
                let bits = u32::from(ty.bits(module.pointer));
                let symbol = engine.terms.var(&argument_symbol(caller.thread, caller.call, &name), bits);
                if let Some(source) = source
                    && let DebugType::Int { kind: ir::IntKind::Bool, .. } = module[module.strip(source.ty)]
                {
                    let one = engine.terms.bv(bits, 1);
                    let small = engine.terms.ule(symbol, one);
                    state.path.assume(small);
                }
                Value::Term(symbol)
            }
        };
        values.push(value);
    }
    values
}

/// More than a launch has parameters, and a parameter bytes (4 KiB in CUDA).
const APART: usize = 1 << 16;

/// Whether a pointer to this leads to a buffer: to numbers, or to records that lead nowhere.
fn is_buffer(module: &Module, ty: TypeId) -> bool {
    fn leads_somewhere(module: &Module, ty: TypeId) -> bool {
        match &module[module.strip(ty)] {
            DebugType::Pointer { .. } | DebugType::Opaque { .. } | DebugType::Function { .. } => true,
            DebugType::Record { fields, .. } => fields.iter().any(|field| leads_somewhere(module, field.ty)),
            DebugType::Array { of, .. } => leads_somewhere(module, *of),
            _ => false,
        }
    }
    !leads_somewhere(module, ty)
}

/// What a kernel is given. Each pointer to numbers leads to a buffer of its own: `kernel(in, out)` is not called with one for both.
pub(crate) fn kernel_arguments(engine: &mut Engine, state: &mut State, kernel: &Operation) -> Vec<Value> {
    let module = &engine.program.module;
    let leads_to_buffer = |given: &Given| {
        let pointee = given.source.and_then(|source| module.pointee(source.ty));
        pointee.is_some_and(|to| is_buffer(module, to))
    };
    let given = module.given(kernel.function);
    let alone = given.iter().enumerate().filter(|(_, given)| leads_to_buffer(given)).map(|(index, _)| index).collect();
    let operation = Operation { alone, ..kernel.clone() };
    arguments(engine, state, &operation, Caller { thread: 0, call: 0 }, RootRule::Same, &mut Vec::new())
}

fn is_void(module: &Module, ty: TypeId) -> bool {
    matches!(module[module.strip(ty)], DebugType::Void)
}

#[expect(clippy::too_many_arguments, reason = "the rule needs to see the parameter, its thread, and all roots so far")]
fn root(
    program: &Program,
    state: &mut State,
    thread: usize,
    rule: RootRule,
    roots: &mut Vec<Root>,
    pointee: Option<TypeId>,
    name: &str,
    earlier: &[LazyId],
) -> LazyId {
    // Untyped pointers share a class of their own.
    let class = pointee.map_or(TypeId::new(0), |ty| program.facts.canonical(&program.module, ty));
    let typed = pointee.is_some();
    let alike = |root: &&Root| root.class == class && root.typed == typed;
    // How many shared parameters of this class the call has had already.
    let ordinal =
        earlier.iter().filter(|&&pointer| roots.iter().filter(alike).any(|root| root.pointer == pointer)).count();
    let known = roots.iter().filter(alike).find(|root| root.ordinal == ordinal);
    if let (RootRule::Same, Some(known)) = (rule, known) {
        return known.pointer;
    }
    let path = match rule {
        RootRule::Same => unique(state, name),
        RootRule::Any => unique(state, &format!("{name}{}", thread + 1)),
    };
    let pointer = state.memory.shape_mut().add_root(&path, pointee, Territory::Common);
    roots.push(Root { class, typed, ordinal, pointer });
    pointer
}

/// A name that no root has yet.
fn unique(state: &State, name: &str) -> String {
    let shape = state.memory.shape();
    let taken = |name: &str| shape.pointers().any(|(_, p)| p.path == name);
    if !taken(name) {
        return name.to_owned();
    }
    (2..).map(|n| format!("{name}_{n}")).find(|name| !taken(name)).unwrap_or_else(|| name.to_owned())
}
