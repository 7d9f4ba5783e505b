//! Calls, and what variadic functions do.

use super::{Done, Flow, StepCx, external};
use crate::client_functions::{is_client_function, read_given};
use crate::models;
use crate::state::{EntryFingerprint, Frame, OnReturn};
use crate::{Called, FaultKind, LossKind, PathEnd, Remedy, Stop};
use ::memory::{Contents, Fingerprint, Object, ObjectKind, Pointer, Value};
use ir::{Argument, BlockId, Callee, FuncId, Module, Operand, PointerSize, Reg, Ty};
use std::rc::Rc;

/// A call as a model sees it.
pub(crate) struct Call<'a> {
    pub args: &'a [Argument],
    pub dests: &'a [Reg],
}

impl Call<'_> {
    /// The `index`-th argument's value.
    pub(crate) fn arg(&self, cx: &mut StepCx, index: usize) -> Result<Value, Stop> {
        match self.args.get(index) {
            Some(argument) => Ok(cx.operand(argument.value, argument.ty)),
            None => Err(cx.fault(FaultKind::UnreachableReached, "a library function is called with too few arguments")),
        }
    }

    /// An argument that must be an integer, stopping for its concrete value.
    pub(crate) fn concrete(&self, cx: &mut StepCx, index: usize) -> Result<u64, Stop> {
        let ty = self.ty(index);
        let value = self.arg(cx, index)?;
        cx.concrete(value, ty)
    }

    pub(crate) fn ty(&self, index: usize) -> Ty {
        self.args.get(index).map_or(Ty::Int(64), |a| a.ty)
    }

    /// Type hint of a pointer argument.
    pub(crate) fn hint(&self, cx: &StepCx, index: usize) -> Option<ir::TypeId> {
        self.args.get(index).and_then(|a| cx.hint(a.value))
    }
}

/// Ends a call with a result.
pub(crate) fn returns(cx: &mut StepCx, call: &Call, value: Value) -> Result<Flow, Stop> {
    if let Some(&dest) = call.dests.first() {
        let bits = cx.bits(cx.module()[cx.thread.frame().function].register(dest).ty);
        let value = match value {
            Value::Int(word) => Value::Int(super::truncate(word, bits)),
            other => other,
        };
        cx.bind(dest, value);
    }
    Ok(Flow::Next)
}

/// Ends a call that succeeded: 0.
pub(crate) fn succeeds(cx: &mut StepCx, call: &Call) -> Result<Flow, Stop> {
    returns(cx, call, Value::Int(0))
}

impl StepCx<'_> {
    /// Whether the program may look at what the call returns that is being executed. Functions of the C library are
    /// passed over: the call is that of the program's own.
    pub(crate) fn result_is_used(&self) -> bool {
        let mut own = self.thread.frames.iter().rev().filter(|frame| !self.program.module[frame.function].library);
        let Some(frame) = own.next() else { return true };
        let function = &self.program.module[frame.function];
        let Some(call) = function.block(frame.block).insts.get(frame.inst) else { return true };
        let live = self.program.cfgs[frame.function.index()].live_before(function, frame.block, frame.inst + 1);
        call.op.dests().any(|dest| live.contains(dest))
    }
}

/// `call`
pub(super) fn call(cx: &mut StepCx, dests: &[Reg], callee: &Callee, args: &[Argument]) -> Done {
    let function = match callee {
        Callee::Direct(function) => *function,
        Callee::Indirect(target) if cx.engine.config.opaque => {
            let pointer = cx.operand(*target, Ty::Ptr);
            match pointer {
                Value::Lazy { .. } | Value::Term(_) | Value::Symbolic { .. } => {
                    return super::opaque::call(cx, Called::Through(pointer), &Call { args, dests });
                }
                Value::Ptr(_) | Value::Int(_) => indirect_target(cx, *target)?,
            }
        }
        Callee::Indirect(target) => indirect_target(cx, *target)?,
    };
    let declared = &cx.module()[function];
    if cx.engine.config.error_location && cx.program.error_locations.contains(&function) {
        return models::reach_error(cx);
    }
    if let Some(model) = cx.program.models[function.index()] {
        let call = Call { args, dests };
        if is_client_function(declared) {
            read_given(cx, &declared.name, &call)?;
        }
        return model(cx, &call);
    }
    if cx.engine.config.opaque && !declared.library {
        return super::opaque::call(cx, Called::Function(function), &Call { args, dests });
    }
    if declared.is_declaration() {
        return external::call(cx, function, &Call { args, dests });
    }
    let mut values = Vec::with_capacity(args.len());
    for argument in args {
        let value = cx.operand(argument.value, argument.ty);
        values.push((value, argument.ty, argument.by_value));
    }
    if cx.invoke(function, &values) {
        return Ok(Flow::Elsewhere);
    }
    let on_return = super::enter_function(cx, &declared.name)?;
    cx.cross_into(function, values.iter().map(|(value, ..)| *value));
    enter(cx, function, &values, on_return)?;
    Ok(Flow::Elsewhere)
}

fn indirect_target(cx: &mut StepCx, target: Operand) -> Result<FuncId, Stop> {
    let hint = cx.hint(target);
    let value = cx.operand(target, Ty::Ptr);
    let pointer = cx.locate_exactly(value, 0, hint)?;
    match cx.state.memory.object(pointer.object).kind {
        ObjectKind::Function(function) if pointer.offset == 0 => match cx.not_ours_to_call(function) {
            Some(detail) => Err(cx.fault(FaultKind::ForeignAccess, detail)),
            None => Ok(function),
        },
        _ if cx.is_flow() => Err(cx.leave_flow("a call through a pointer that the kernel is given")),
        _ => Err(cx.fault(FaultKind::OutOfBounds, "something that is no function is called")),
    }
}

/// Enters a function on behalf of a call instruction or a model.
pub(crate) fn enter(
    cx: &mut StepCx,
    function: FuncId,
    args: &[(Value, Ty, Option<u64>)],
    on_return: OnReturn,
) -> Result<(), Stop> {
    let (recursion, entry) = recursion(cx, function, args)?;
    let stack_mark = cx.state.memory.allocator().stack_mark(cx.thread.arena);
    let declared = &cx.module()[function];
    let mut locals = Vec::new();
    let mut passed = Vec::with_capacity(args.len());
    for (index, &(value, ty, by_value)) in args.iter().enumerate() {
        let by_value = by_value.or_else(|| declared.params.get(index).and_then(|p| p.by_value));
        passed.push((
            match by_value {
                Some(size) => {
                    let copy = copy_argument(cx, value, size)?;
                    locals.push(copy);
                    Value::Ptr(Pointer::to(copy))
                }
                None => value,
            },
            ty,
        ));
    }
    let extra_arguments = if declared.variadic {
        let first = declared.params.len().min(passed.len());
        let sizes: Vec<Option<u64>> = args[first..].iter().map(|a| a.2).collect();
        let start = first_extra(cx.module(), function);
        Some(pass_extra(cx, start, &passed[first..], &sizes)?)
    } else {
        None
    };
    let mut frame = push_frame(cx, function, on_return, stack_mark);
    for (index, param) in declared.params.iter().enumerate() {
        frame.registers[param.reg.index()] = match passed.get(index) {
            Some((value, _)) => *value,
            None => {
                let width = u32::from(cx.bits(declared.register(param.reg).ty));
                Value::Term(
                    cx.engine.terms.uninit_var(&format!("missing argument {index} of {}", declared.name), width),
                )
            }
        };
    }
    frame.locals = locals;
    frame.extra_arguments = extra_arguments;
    frame.recursion = recursion;
    frame.entry = entry;
    cx.came_here();
    cx.thread.frames.push(Rc::new(frame));
    Ok(())
}

/// A frame at the beginning of a function.
fn push_frame(cx: &StepCx, function: FuncId, on_return: OnReturn, stack_mark: u64) -> Frame {
    Frame {
        function,
        block: BlockId::new(0),
        inst: 0,
        registers: vec![Value::NULL; cx.module()[function].registers.len()],
        locals: Vec::new(),
        stack_mark,
        loops: Default::default(),
        extra_arguments: None,
        on_return,
        entry: None,
        recursion: 0,
        choices: cx.thread.choices,
        mixed: Default::default(),
    }
}

/// Bounds recursion like loops, and sees when it repeats itself: function, arguments and memory are as they were.
fn recursion(
    cx: &mut StepCx,
    function: FuncId,
    args: &[(Value, Ty, Option<u64>)],
) -> Result<(u32, Option<EntryFingerprint>), Stop> {
    const DEEPEST: usize = 20_000;
    let unroll = cx.engine.config.unroll;
    let below = cx.thread.begun().find(|f| f.function == function);
    let depth = below.map_or(0, |f| f.recursion + u32::from(f.choices != cx.thread.choices));
    if depth > unroll {
        return Err(cx.abandon(LossKind::LoopBound, Remedy::Unroll(u64::from(unroll) * 2)));
    }
    if cx.thread.frames.len() >= DEEPEST {
        return Err(cx.abandon(LossKind::StepBound, "recursion is too deep; real stacks overflow before"));
    }
    let entry = cx.entry_fingerprint(args);
    if let Some(entry) = entry
        && cx.recursion_repeats(function, entry)
    {
        return Err(Stop::End(PathEnd::Repeats { since: None, traversal: true }));
    }
    Ok((depth, entry))
}

/// LangRef `byval`: the callee gets a hidden copy.
fn copy_argument(cx: &mut StepCx, value: Value, size: u64) -> Result<::memory::ObjId, Stop> {
    let from = cx.locate_exactly(value, size, None)?;
    let address = cx.stack_address(size, 16)?;
    let ty = cx.state.memory.object(from.object).ty;
    let contents = Contents::undefined(size as usize);
    let copy = cx.state.memory.insert(Object::new(ObjectKind::Stack, address, ty, "", contents));
    super::memory::copy_bytes(cx, (Value::Ptr(Pointer::to(copy)), None), (Value::Ptr(from), None), size)?;
    Ok(copy)
}

/// Where the System V ABI puts an argument on the stack that follows `end` bytes of others, and its size. x86-64 (3.5.7,
/// `overflow_arg_area`): eight bytes each, structures by value as long as they are, wide numbers at multiples of 16. i386
/// (2.2.3): whole words of four bytes.
fn extra_place(pointer: PointerSize, end: u64, ty: Ty, by_value: Option<u64>) -> (u64, u64) {
    let size = ty.store_size(pointer);
    match (pointer, by_value) {
        (PointerSize::Four, by_value) => (end, by_value.unwrap_or(size).next_multiple_of(4)),
        (PointerSize::Eight, Some(size)) => (end, size.next_multiple_of(8)),
        (PointerSize::Eight, None) if size > 8 => (end.next_multiple_of(16), 16),
        (PointerSize::Eight, None) => (end, 8),
    }
}

/// Where the first argument behind `...` lies: on i386 those before it are on the stack as well, on x86-64 in registers.
fn first_extra(module: &Module, function: FuncId) -> u64 {
    let function = &module[function];
    match module.pointer {
        PointerSize::Eight => 0,
        PointerSize::Four => function.params.iter().fold(0, |end, param| {
            let (start, size) = extra_place(PointerSize::Four, end, function.register(param.reg).ty, param.by_value);
            start + size
        }),
    }
}

/// The arguments behind `...` as they lie on the stack, which others fill as far as `start`. `by_value`: the sizes of
/// structures.
fn pass_extra(
    cx: &mut StepCx,
    start: u64,
    extra: &[(Value, Ty)],
    by_value: &[Option<u64>],
) -> Result<::memory::ObjId, Stop> {
    let mut end = start;
    let mut places = Vec::with_capacity(extra.len());
    for (&(_, ty), &by_value) in extra.iter().zip(by_value) {
        let (start, size) = extra_place(cx.pointer(), end, ty, by_value);
        places.push(start);
        end = start + size;
    }
    let address = cx.stack_address(end, 16)?;
    let contents = Contents::undefined(end as usize);
    let object = cx.state.memory.insert(Object::new(ObjectKind::Arguments, address, None, "", contents));
    for ((&(value, ty), size), start) in extra.iter().zip(by_value).zip(places) {
        let at = Pointer::new(object, start as i64);
        match *size {
            Some(size) => super::memory::copy_bytes(cx, (Value::Ptr(at), None), (value, None), size)?,
            None => cx.write(at, cx.size(ty), value)?,
        }
    }
    Ok(object)
}

/// `llvm.va_start`: fills the `va_list` so that every argument is found in memory: the System V `__va_list_tag` on x86-64,
/// a pointer on i386.
pub(super) fn va_start(cx: &mut StepCx, list: Operand) -> Done {
    let list = cx.operand(list, Ty::Ptr);
    let frame = cx.thread.frame();
    let Some(object) = frame.extra_arguments else {
        if cx.module()[frame.function].variadic {
            let remedy = "what its callers pass beside the parameters that it names is not known: write a program that calls it, and `raddle check` that";
            return Err(cx.abandon(LossKind::Unsupported, remedy));
        }
        return Err(cx.fault(FaultKind::UnreachableReached, "va_start in a function without variable arguments"));
    };
    let first = Pointer::new(object, first_extra(cx.module(), frame.function) as i64);
    let list = cx.locate_exactly(list, list_size(cx.pointer()), None)?;
    match cx.pointer() {
        PointerSize::Four => cx.write(list, 4, Value::Ptr(first))?,
        PointerSize::Eight => {
            // gp_offset and fp_offset say that the register area is used up.
            cx.write(list, 4, Value::Int(48))?;
            cx.write(list.plus(4), 4, Value::Int(176))?;
            cx.write(list.plus(8), 8, Value::Ptr(first))?;
            cx.write(list.plus(16), 8, Value::NULL)?;
        }
    }
    Ok(Flow::Next)
}

/// Size of a `va_list` in bytes.
fn list_size(pointer: PointerSize) -> u64 {
    match pointer {
        PointerSize::Four => 4,
        PointerSize::Eight => 24,
    }
}

/// Where the arguments lie that a `va_list` has not given out yet: the machine passes all of them in memory.
pub(crate) fn next_extra(cx: &mut StepCx, list: Value) -> Result<Value, Stop> {
    let pointer = cx.pointer();
    let list = cx.locate_exactly(list, list_size(pointer), None)?;
    match pointer {
        PointerSize::Four => cx.read(list, 4),
        // `overflow_arg_area`
        PointerSize::Eight => cx.read(list.plus(8), 8),
    }
}

/// `llvm.va_copy`
pub(super) fn va_copy(cx: &mut StepCx, to: Operand, from: Operand) -> Done {
    let (to, from) = (cx.operand(to, Ty::Ptr), cx.operand(from, Ty::Ptr));
    super::memory::copy_bytes(cx, (to, None), (from, None), list_size(cx.pointer()))?;
    Ok(Flow::Next)
}

/// Fingerprint of a list of values.
pub(crate) fn fingerprint_of(cx: &StepCx, values: impl Iterator<Item = Value>) -> Fingerprint {
    let mut mixer = ::memory::Mixer::default();
    values.for_each(|v| cx.state.memory.mix_value(v, &mut mixer));
    mixer.fingerprint()
}
