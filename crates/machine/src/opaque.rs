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
use ir::{DebugType, Op, Operand, Ty, TypeId};
use memory::{Life, ObjId, ObjectKind, Pointer, Value};
use std::rc::Rc;

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
                Value::Lazy { pointer: cx.state.memory.shape_mut().add_root(&name, pointee, None), offset: 0 }
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
    cx.state.memory.shape_mut().grow_older();
    for id in cx.state.memory.ids().collect::<Vec<_>>() {
        let object = cx.state.memory.object(id);
        let known = cx.state.memory.shape().object(id).is_some();
        if object.life != Life::Live || object.constant || object.guarded {
            continue;
        }
        match object.kind {
            _ if known => cx.state.memory.make_unknown(id),
            ObjectKind::Stack | ObjectKind::Heap | ObjectKind::Arguments if object.escaped || passed(id) => {
                let (ty, name) = (type_of(cx, id)?, Rc::clone(&object.name));
                let name = if name.is_empty() { format!("{id}") } else { name.to_string() };
                cx.state.memory.make_initial(&cx.program.module, id, ty, &name);
            }
            _ => {}
        }
    }
    Ok(())
}

fn type_of(cx: &StepCx, id: ObjId) -> Result<TypeId, Stop> {
    let unknown = "what a called function leaves in a block whose type is not declared";
    cx.state.memory.object(id).ty.ok_or_else(|| cx.abandon(LossKind::Unsupported, unknown))
}

impl Engine {
    /// Passes over the call that a thread stands before, as if it had returned 0, or anything.
    pub fn pass_over(&mut self, state: &mut State, id: ThreadId, anything: Option<&str>) {
        let program = std::sync::Arc::clone(&self.program);
        let thread = state.thread_mut(id);
        thread.status = Status::Running;
        thread.choices += 1;
        let frame = thread.frame_mut();
        let function = &program.module[frame.function];
        if let Some(Op::Call { dests, .. }) = function.block(frame.block).insts.get(frame.inst).map(|inst| &inst.op) {
            for dest in dests {
                let width = u32::from(function.register(*dest).ty.bits(program.module.pointer));
                frame.registers[dest.index()] = match anything {
                    Some(name) => Value::Term(self.terms.var(name, width)),
                    None => Value::Int(0),
                };
            }
        }
        frame.inst += 1;
    }
}

/// What a thread is about to do, in the words of the program.
impl Engine {
    /// The instruction that a thread stands before, if it is not the end of a block.
    pub fn instruction<'p>(program: &'p Program, state: &State, id: ThreadId) -> Option<&'p Op> {
        let frame = state.thread(id).frame();
        let function = &program.module[frame.function];
        function.block(frame.block).insts.get(frame.inst).map(|inst| &inst.op)
    }

    /// What a register of the innermost function holds, or a constant, where that is as simple.
    pub fn held(state: &State, id: ThreadId, operand: Operand) -> Option<Value> {
        match operand {
            Operand::Reg(reg) => Some(state.memory.settle(state.thread(id).frame().registers[reg.index()])),
            Operand::Int(bits) => Some(Value::Int(bits)),
            Operand::Global(global, offset) => {
                let object = state.memory.global(global)?;
                Some(Value::Ptr(Pointer { object, offset }))
            }
            Operand::Func(function) => {
                state.memory.function_object(function).map(|object| Value::Ptr(Pointer::to(object)))
            }
            Operand::Wide(_) | Operand::Undef => None,
        }
    }
}
