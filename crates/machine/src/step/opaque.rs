//! Calls that are not followed: what a function does by itself, whatever those do that it calls (SSRD, section 2: unit
//! testing).
//!
//! Such a call returns anything of its type: a number is a fresh symbol, a pointer a fresh root of the initial heap. What it
//! may have written is unknown from then on: all of the initial heap, globals, and the caller's variables and blocks whose
//! addresses others know. Only a function that [reads](ir::only_read) leaves everything as it was.
//! Sync objects keep their state; who summarises a function passes over what is done with them ([`Engine::pass_over`]).

use crate::step::{Call, Flow, StepCx};
use crate::{Called, Engine, LossKind, Observed, Program, State, Status, Stop};
use concurrency::ThreadId;
use ir::{DebugType, Reg, Ty};
use memory::{Life, Memory, ObjId, ObjectKind, Territory, Value};
use std::rc::Rc;
use std::sync::Arc;

/// Calls somebody without following it.
pub(crate) fn call(cx: &mut StepCx, callee: Called, call: &Call) -> Result<Flow, Stop> {
    let module = &cx.program.module;
    let declared = match callee {
        Called::Function(function) => Some((function, &module[function])),
        Called::Through(_) => None,
    };
    let mut arguments = Vec::with_capacity(call.args.len());
    for index in 0..call.args.len() {
        arguments.push(call.arg(cx, index)?);
    }
    if declared.is_some_and(|(_, function)| function.no_return) {
        return Err(Stop::End(crate::PathEnd::Exited { code: None }));
    }
    if declared.is_none_or(|(function, _)| !ir::only_read(module, [function])) {
        forget(cx, &arguments)?;
    }
    let name = match callee {
        Called::Function(function) => module[function].name.clone(),
        Called::Through(Value::Lazy { pointer, .. }) => cx.state.memory.shape().pointer(pointer).path.clone(),
        Called::Through(_) => "call".to_owned(),
    };
    let same = |what: &&Observed| matches!(what, Observed::Called { callee: other, .. } if *other == callee);
    let name = match cx.state.observed.iter().filter(same).count() {
        0 => format!("{name}()"),
        earlier => format!("{name}()#{}", earlier + 1),
    };
    let mut result = None;
    for (index, &dest) in call.dests.iter().enumerate() {
        let ty = module[cx.thread.frame().function].register(dest).ty;
        let name = if index == 0 { name.clone() } else { format!("{name}.{index}") };
        let value = match ty {
            Ty::Ptr => {
                let pointee = declared.and_then(|(_, function)| module.pointee(function.return_type?));
                let pointee = pointee.filter(|&ty| !matches!(module[module.strip(ty)], DebugType::Void));
                Value::lazy(cx.state.memory.shape_mut().add_root(&name, pointee, Territory::Common))
            }
            _ => Value::Term(cx.engine.terms.var(&name, u32::from(cx.bits(ty)))),
        };
        cx.bind(dest, value);
        result = result.or(Some(value));
    }
    let site = cx.exact_site();
    cx.state.observed.push(Observed::Called { site, callee, arguments: arguments.into(), result });
    Ok(Flow::Next)
}

/// All that others know of may be something else now.
fn forget(cx: &mut StepCx, arguments: &[Value]) -> Result<(), Stop> {
    let passed = |id: ObjId| arguments.iter().any(|value| matches!(value, Value::Ptr(at) if at.object == id));
    let untyped = forget_all(cx.program, &mut cx.state.memory, passed);
    if untyped {
        return Err(cx.abandon(LossKind::Unsupported, UNTYPED));
    }
    Ok(())
}

const UNTYPED: &str = "what others leave in a block whose type is not declared";

/// Makes unknown what others may have written to. Whether there is something of which not even the type is known.
fn forget_all(program: &Program, memory: &mut Memory, passed: impl Fn(ObjId) -> bool) -> bool {
    memory.shape_mut().grow_older();
    let mut untyped = false;
    for id in memory.ids().collect::<Vec<_>>() {
        let object = memory.object(id);
        if object.life != Life::Live || object.constant || object.guarded {
            continue;
        }
        if memory.shape().object(id).is_some() {
            memory.make_unknown(id);
            continue;
        }
        let own = matches!(object.kind, ObjectKind::Stack | ObjectKind::Heap | ObjectKind::Arguments);
        if own && (object.escaped || passed(id)) {
            let name = if object.name.is_empty() { format!("{id}").into() } else { Rc::clone(&object.name) };
            match object.ty {
                Some(ty) => memory.make_initial(&program.module, id, ty, &name, true),
                None => untyped = true,
            }
        }
    }
    untyped
}

impl Engine {
    /// Passes over the call that a thread stands before, as if it had returned 0, or anything.
    pub fn pass_over(&mut self, state: &mut State, id: ThreadId, anything: Option<&str>) {
        let program = Arc::clone(&self.program);
        let dests: Vec<Reg> = program.instruction(state.thread(id)).map(|op| op.dests().collect()).unwrap_or_default();
        let thread = state.thread_mut(id);
        thread.status = Status::Running;
        thread.choices += 1;
        let frame = thread.frame_mut();
        for dest in dests {
            let width = u32::from(program.module[frame.function].register(dest).ty.bits(program.module.pointer));
            frame.registers[dest.index()] = match anything {
                Some(name) => Value::Term(self.terms.var(name, width)),
                None => Value::Int(0),
            };
        }
        frame.inst += 1;
    }

    /// Others have been at work: makes unknown what they may have written to.
    ///
    /// # Errors
    /// What cannot be made unknown, in words.
    pub fn let_others_work(&self, state: &mut State) -> Result<(), &'static str> {
        if forget_all(&self.program, &mut state.memory, |_| false) { Err(UNTYPED) } else { Ok(()) }
    }
}
