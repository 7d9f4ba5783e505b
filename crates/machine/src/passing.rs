//! Calls from outside of the program, by its clients: what the ABI makes of their arguments.
//!
//! Who calls gives what the source's parameters are: for a structure by value a pointer to one, of which the callee gets a copy, in
//! registers or on the stack, and which it does not get to see itself.

use crate::state::Frame;
use crate::{Engine, LossKind, LossSite, OnReturn, State};
use ir::{FuncId, Function, Param, Piece, Ty, TypeId};
use memory::{ArenaId, Contents, ObjId, Object, ObjectKind, Pointer, Value};
use std::sync::Arc;

impl Engine {
    /// The frame of such a call, at its beginning, on the stack of `arena`.
    pub(crate) fn frame_of_call(
        &mut self,
        state: &mut State,
        arena: ArenaId,
        (function, given): (FuncId, &[Value]),
        on_return: OnReturn,
    ) -> Frame {
        let stack_mark = state.memory.allocator().stack_mark(arena);
        let program = Arc::clone(&self.program);
        let declared = &program.module[function];
        if declared.pieces.is_empty() {
            return self.first_frame(function, given, on_return, stack_mark);
        }
        let mut locals = Vec::new();
        let mut args = Vec::new();
        for (param, piece) in declared.params.iter().zip(&declared.pieces) {
            args.push(match *piece {
                Piece::Result => {
                    let buffer = stack_object(state, arena, declared.return_type, &program.module);
                    locals.extend(buffer);
                    buffer.map_or(Value::NULL, |buffer| Value::Ptr(Pointer::to(buffer)))
                }
                Piece::Of(source, byte) => {
                    let ty = declared.source_params[source as usize].ty;
                    let given = given.get(source as usize).map_or(Value::NULL, |&value| state.memory.settle(value));
                    match given {
                        Value::Ptr(from) if program.module.is_record(ty) => {
                            let copy =
                                param.by_value.and_then(|_| stack_object(state, arena, Some(ty), &program.module));
                            locals.extend(copy);
                            self.piece(state, (declared, param), from.plus(byte as i64), copy)
                        }
                        other => other,
                    }
                }
            });
        }
        // What is known of members from the start on.
        for condition in state.memory.take_conditions() {
            state.path.assume(condition);
        }
        Frame { locals, ..self.first_frame(function, &args, on_return, stack_mark) }
    }

    /// What a parameter holds of a structure, from where it begins: the address of a copy, or the bytes there.
    fn piece(
        &mut self,
        state: &mut State,
        (declared, param): (&Function, &Param),
        from: Pointer,
        copy: Option<ObjId>,
    ) -> Value {
        let program = Arc::clone(&self.program);
        let (module, facts) = (&program.module, &program.facts);
        let ty = declared.register(param.reg).ty;
        let passed = match (copy, param.by_value) {
            (Some(copy), Some(size)) => state
                .memory
                .copy(&mut self.terms, module, facts, Pointer::to(copy), from, size)
                .map(|()| Value::Ptr(Pointer::to(copy))),
            _ => {
                let size = match ty {
                    Ty::Ptr => module.pointer.bytes(),
                    ty => u64::from(ty.bits(module.pointer)).div_ceil(8),
                };
                state.memory.read(&mut self.terms, module, facts, from, size)
            }
        };
        passed.unwrap_or_else(|_| {
            let what = "an operation that takes a part of a pointer in a structure by value";
            self.note(LossKind::Unsupported, LossSite::Search(declared.name.clone()), what);
            Value::NULL
        })
    }
}

fn stack_object(state: &mut State, arena: ArenaId, ty: Option<TypeId>, module: &ir::Module) -> Option<ObjId> {
    let size = module.size_of(ty?)?;
    let address = state.memory.allocator_mut().stack(arena, size, 16)?;
    let contents = Contents::undefined(size as usize);
    Some(state.memory.insert(Object::new(ObjectKind::Stack, address, ty, "", contents)))
}
