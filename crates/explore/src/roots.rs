//! How operations get their parameters: the roots of the initial heap.
//!
//! Pointer parameters are lazy pointers. By default the k-th parameter of a pointer type denotes one object in both
//! threads; with [`RootRule::Any`] each thread has its own, which may alias the others'. One that the user calls private
//! leads each thread to a heap of its own. Other parameters are symbols of their thread.

use concurrency::ThreadId;
use ir::{DebugType, FuncId, Module, Ty, TypeId};
use machine::{Engine, LossKind, OnReturn, Program, State};
use memory::{LazyId, Limits, Value};
use std::sync::Arc;

/// A function that a thread calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operation {
    pub function: FuncId,
    /// As the user typed it.
    pub name: String,
    /// Pointer parameters, by index, of which each call has an object of its own.
    pub private: Vec<usize>,
}

/// Which pointer parameters denote the same object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RootRule {
    Same,
    Any,
}

/// The arguments of one thread.
pub(crate) type Arguments = Vec<Value>;

/// The state before any operation: globals made symbolic, parameters of all operations added as roots. Returns each
/// operation's arguments.
pub fn base_state(
    engine: &mut Engine,
    limits: Limits,
    globals_symbolic: bool,
    operations: &[&Operation],
    rule: RootRule,
) -> (State, Vec<Vec<Value>>) {
    let mut state = engine.initial_state(limits);
    if globals_symbolic {
        engine.make_globals_symbolic(&mut state);
    } else if !engine.program.module.constructors().is_empty() {
        engine.note(LossKind::Unsupported, "constructors".to_owned(), "--globals=symbolic covers what constructors do");
    }
    let mut roots: Vec<(TypeId, usize, usize, LazyId)> = Vec::new();
    let mut all = Vec::new();
    for (thread, operation) in operations.iter().enumerate() {
        all.push(arguments(engine, &mut state, operation, thread, rule, &mut roots));
    }
    (state, all)
}

fn arguments(
    engine: &mut Engine,
    state: &mut State,
    operation: &Operation,
    thread: usize,
    rule: RootRule,
    roots: &mut Vec<(TypeId, usize, usize, LazyId)>,
) -> Arguments {
    let program = Arc::clone(&engine.program);
    let module = &program.module;
    let function = &module[operation.function];
    let by_source = function.params.len() == function.source_params.len();
    let mut values = Vec::new();
    for (index, param) in function.params.iter().enumerate() {
        let source = function.source_params.get(index).filter(|_| by_source);
        let name = source.map_or_else(|| format!("arg{index}"), |s| s.name.clone());
        let ty = function.register(param.reg).ty;
        let value = match ty {
            Ty::Ptr => {
                let pointee = source.and_then(|s| module.pointee(s.ty)).filter(|&t| !is_void(module, t));
                let lazy = if operation.private.contains(&index) {
                    let path = unique(state, &format!("{name}{}", thread + 1));
                    state.memory.shape_mut().add_root(&path, pointee, Some(thread))
                } else {
                    root(&program, state, thread, rule, roots, pointee, &name, &values)
                };
                Value::Lazy { pointer: lazy, offset: 0 }
            }
            _ => {
                let symbol = engine.terms.var(&format!("{}:{name}", thread + 1), u32::from(ty.bits(module.pointer)));
                if let Some(source) = source
                    && let DebugType::Int { kind: ir::IntKind::Bool, .. } = module[module.strip(source.ty)]
                {
                    let one = engine.terms.bv(u32::from(ty.bits(module.pointer)), 1);
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

fn is_void(module: &Module, ty: TypeId) -> bool {
    matches!(module[module.strip(ty)], DebugType::Void)
}

#[expect(clippy::too_many_arguments, reason = "the rule needs to see the parameter, its thread, and all roots so far")]
fn root(
    program: &Program,
    state: &mut State,
    thread: usize,
    rule: RootRule,
    roots: &mut Vec<(TypeId, usize, usize, LazyId)>,
    pointee: Option<TypeId>,
    name: &str,
    earlier: &[Value],
) -> LazyId {
    // Untyped pointers share a class of their own.
    let class = pointee.map_or(TypeId::new(0), |ty| program.facts.canonical(&program.module, ty));
    let typed = usize::from(pointee.is_some());
    // How many shared parameters of this class the operation has had already.
    let ordinal = earlier
        .iter()
        .filter(|value| match value {
            Value::Lazy { pointer, .. } => roots.iter().any(|r| r.3 == *pointer && r.0 == class && r.1 % 2 == typed),
            _ => false,
        })
        .count();
    let known = roots.iter().find(|r| r.0 == class && r.1 % 2 == typed && r.1 / 2 == ordinal);
    if let (RootRule::Same, Some(known)) = (rule, known) {
        return known.3;
    }
    let path = match rule {
        RootRule::Same => unique(state, name),
        RootRule::Any => format!("{name}{}", thread + 1),
    };
    let lazy = state.memory.shape_mut().add_root(&path, pointee, None);
    roots.push((class, ordinal * 2 + typed, thread, lazy));
    lazy
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

/// Adds a thread that runs the operation. `number` counts from 1 and names the thread, so that what it allocates and
/// reads has the same names alone and together with others.
pub fn start(engine: &mut Engine, state: &mut State, operation: &Operation, number: usize, args: &[Value]) -> ThreadId {
    engine.add_thread(state, &number.to_string(), None, operation.function, args, OnReturn::EndThread)
}
