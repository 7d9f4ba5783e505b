//! What raddle's CUDA runtime is built on (`frontend/libc/cuda.c`): whose memory it is, launches, and what comes after what.

use super::{Model, returns, succeeds, threads};
use crate::host::{Side, Waiter};
use crate::step::{Call, Flow, StepCx};
use crate::{FailedCall, FaultKind, Launch, LossKind, Stop};
use ir::{FuncId, Space, Ty};
use memory::{Home, ObjectKind, Pointer, Value};

type Done = Result<Flow, Stop>;

/// `cudaErrorInvalidValue`, `cudaErrorInvalidDeviceFunction`, `cudaErrorLaunchOutOfResources`
const INVALID_VALUE: u64 = 1;
const INVALID_FUNCTION: u64 = 98;
const OUT_OF_RESOURCES: u64 = 701;
/// The calling thread, where streams and events have numbers.
const CALLER: u64 = u64::MAX;
/// For whom the caller waits for what runs, where it is no stream.
const EVERYTHING: u64 = u64::MAX;
const NEXT: u64 = u64::MAX - 1;
const NEXT_OF_ONE: u64 = u64::MAX - 2;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__raddle_cuda_home" => home,
        "__raddle_cuda_own" => own,
        "__raddle_cuda_place" => place,
        "__raddle_cuda_reach" => reach,
        "__raddle_cuda_launch" => launch,
        "__raddle_cuda_perform" => perform,
        "__raddle_cuda_failed" => failed,
        "__raddle_cuda_finish" => finish,
        "__raddle_cuda_order" => order,
        "__raddle_cuda_forget" => forget,
        "__raddle_cuda_is_past" => is_past,
        _ => return None,
    })
}

fn number_of(home: Home) -> u64 {
    match home {
        // What the host has in place of a variable of the device is a variable of the host's.
        Home::Host | Home::Shadow => 0,
        Home::Device => 1,
        Home::Managed => 2,
        Home::Pinned => 3,
        Home::DeviceHeap => 4,
    }
}

/// `__raddle_cuda_own(symbol)`: the device's variable that one of the host's names stands for, or null.
fn own(cx: &mut StepCx, call: &Call) -> Done {
    let symbol = call.arg(cx, 0)?;
    if symbol == Value::NULL {
        return returns(cx, call, Value::NULL);
    }
    let at = cx.locate_exactly(symbol, 0, None)?;
    let ObjectKind::Global(id) = cx.state.memory.object(at.object).kind else {
        return returns(cx, call, Value::NULL);
    };
    let (space, stands_for) = (cx.module()[id].space, cx.module()[id].stands_for);
    // A managed variable is the same for both.
    let own = stands_for.or((space == Space::Managed).then_some(id));
    let object = own.filter(|_| at.offset == 0).and_then(|own| cx.state.memory.global(own));
    returns(cx, call, object.map_or(Value::NULL, |object| Value::Ptr(Pointer::to(object))))
}

/// `__raddle_cuda_home(at)`
fn home(cx: &mut StepCx, call: &Call) -> Done {
    let at = call.arg(cx, 0)?;
    let at = cx.locate_exactly(at, 0, None)?;
    let home = cx.state.memory.object(at.object).home;
    returns(cx, call, Value::Int(number_of(home)))
}

/// `__raddle_cuda_place(block, home)`: a block is there from now on.
fn place(cx: &mut StepCx, call: &Call) -> Done {
    let block = call.arg(cx, 0)?;
    let at = cx.locate_exactly(block, 0, None)?;
    let home = match call.concrete(cx, 1)? {
        1 => Home::Device,
        2 => Home::Managed,
        3 => Home::Pinned,
        _ => Home::Host,
    };
    cx.state.memory.object_mut(at.object).home = home;
    succeeds(cx, call)
}

/// `__raddle_cuda_reach(everything)`: the runtime reaches the memory of both sides, until it says that it is done.
fn reach(cx: &mut StepCx, call: &Call) -> Done {
    cx.thread.side = if call.concrete(cx, 0)? == 0 { Side::Host } else { Side::Runtime };
    succeeds(cx, call)
}

/// The function that a pointer leads to, if it has a body.
fn function(cx: &mut StepCx, pointer: Value) -> Result<Option<FuncId>, Stop> {
    let at = cx.locate_exactly(pointer, 0, None)?;
    Ok(match cx.state.memory.object(at.object).kind {
        ObjectKind::Function(function) if !cx.module()[function].is_declaration() => Some(function),
        _ => None,
    })
}

/// `__raddle_cuda_launch(kernel, grid, block, arguments, shared, stream, is_cooperative, most_shared)`: 0, or the error number.
fn launch(cx: &mut StepCx, call: &Call) -> Done {
    let device = cx.device()?;
    let kernel = call.arg(cx, 0)?;
    // The host knows it by its stub.
    let kernel = function(cx, kernel)?.and_then(|stub| cx.module()[stub].stands_for);
    let Some(kernel) = kernel.filter(|&kernel| cx.module()[kernel].kernel) else {
        return returns(cx, call, Value::Int(INVALID_FUNCTION));
    };
    let (grid, block) = (dimensions(cx, call, 1)?, dimensions(cx, call, 2)?);
    let (shared, stream) = (call.concrete(cx, 4)?, call.concrete(cx, 5)?);
    let is_cooperative = call.concrete(cx, 6)? != 0;
    let launch = Launch { grid, block, warp: device.warp, shared, sched: device.sched };
    if cx.module()[kernel].most_threads.is_some_and(|most| launch.block_size() > most) {
        return returns(cx, call, Value::Int(OUT_OF_RESOURCES));
    }
    let most_shared = call.concrete(cx, 7)?;
    if ir::shared_bytes(cx.module(), kernel).saturating_add(shared) > most_shared {
        return returns(cx, call, Value::Int(INVALID_VALUE));
    }
    cx.make_room(launch.threads(), u64::from(cx.engine.config.most_threads))?;
    let given = arguments(cx, call, kernel)?;
    cx.begin_launch((kernel, is_cooperative), launch, &given, stream)?;
    returns(cx, call, Value::Int(0))
}

/// `__raddle_cuda_failed(error)`: a call of the runtime fails, whether or not the program looks.
fn failed(cx: &mut StepCx, call: &Call) -> Done {
    let error = call.concrete(cx, 0)? as u32;
    if let Some(place) = cx.program.site_location(cx.site()) {
        let failed = FailedCall { place: place.index() as u32, error };
        let assumed = &mut cx.engine.assumed;
        assumed.failed = Some(assumed.failed.map_or(failed, |known| known.min(failed)));
    }
    succeeds(cx, call)
}

fn dimensions(cx: &mut StepCx, call: &Call, index: usize) -> Result<[u32; 3], Stop> {
    let at = call.arg(cx, index)?;
    let at = cx.locate_exactly(at, 12, None)?;
    let mut sizes = [0; 3];
    for (dimension, size) in sizes.iter_mut().enumerate() {
        let value = cx.read(at.plus(4 * dimension as i64), 4)?;
        *size = cx.concrete(value, Ty::Int(32))? as u32;
    }
    Ok(sizes)
}

/// What the kernel is given: the host has stored it, and pointers to all of it in an array.
fn arguments(cx: &mut StepCx, call: &Call, kernel: FuncId) -> Result<Vec<Value>, Stop> {
    let module = cx.module();
    let given = module.given(kernel);
    if given.is_empty() {
        return Ok(Vec::new());
    }
    let word = cx.pointer().bytes();
    let array = call.arg(cx, 3)?;
    let array = cx.locate_exactly(array, word * given.len() as u64, None)?;
    let mut values = Vec::new();
    for (index, given) in given.iter().enumerate() {
        let at = cx.read(array.plus((word * index as u64) as i64), word)?;
        let size = given.ty.map_or(0, |ty| cx.size(ty));
        let at = cx.locate_exactly(at, size, None)?;
        values.push(match given.ty {
            Some(ty) => argument(cx, at, ty)?,
            // A structure by value is copied from there for each thread.
            None => Value::Ptr(at),
        });
    }
    for value in &values {
        if let Value::Ptr(passed) = value {
            cx.state.memory.let_escape(passed.object);
        }
    }
    Ok(values)
}

fn argument(cx: &mut StepCx, at: Pointer, ty: Ty) -> Result<Value, Stop> {
    let (size, bits) = (cx.size(ty), u32::from(cx.bits(ty)));
    let value = cx.read(at, size)?;
    Ok(match value {
        Value::Int(word) if bits < 64 => Value::Int(word & ((1 << bits) - 1)),
        Value::Term(term) if u64::from(bits) < size * 8 => Value::Term(cx.engine.terms.extract(term, bits - 1, 0)),
        other => other,
    })
}

/// `__raddle_cuda_perform(operation, argument, stream)`
fn perform(cx: &mut StepCx, call: &Call) -> Done {
    let operation = call.arg(cx, 0)?;
    let Some(operation) = function(cx, operation)? else {
        return Err(cx.fault(FaultKind::OutOfBounds, "an operation of a stream that is no function"));
    };
    let (given, stream) = (call.arg(cx, 1)?, call.concrete(cx, 2)?);
    cx.make_room(1, 1)?;
    cx.begin_operation(operation, given, stream)?;
    succeeds(cx, call)
}

/// `__raddle_cuda_finish(for_whom)`: what runs on the device is over before it returns.
fn finish(cx: &mut StepCx, call: &Call) -> Done {
    let for_whom = match call.concrete(cx, 0)? {
        EVERYTHING => Waiter::Everything,
        NEXT => Waiter::Next { is_one: false },
        NEXT_OF_ONE => Waiter::Next { is_one: true },
        stream => Waiter::Stream(stream),
    };
    cx.finish_operation(for_whom)?;
    succeeds(cx, call)
}

/// `__raddle_cuda_order(later, earlier)`
fn order(cx: &mut StepCx, call: &Call) -> Done {
    let (later, earlier) = (call.concrete(cx, 0)?, call.concrete(cx, 1)?);
    let me = cx.thread.id;
    match (later, earlier) {
        (CALLER, CALLER) => return Err(cx.abandon(LossKind::Unsupported, "a host that waits for itself")),
        (CALLER, stream) => {
            cx.state.order.thread_after_stream(me, stream);
            threads::be_alone_again(cx);
        }
        (stream, CALLER) => {
            cx.state.order.stream_after_thread(stream, me);
            cx.state.order.release(me);
        }
        (later, earlier) => cx.state.order.stream_after_stream(later, earlier),
    }
    succeeds(cx, call)
}

/// `__raddle_cuda_is_past(number)`: whether the caller comes after all that a stream was given, or an event stands for.
fn is_past(cx: &mut StepCx, call: &Call) -> Done {
    let number = call.concrete(cx, 0)?;
    let is_past = cx.state.order.is_past(number, cx.thread.id);
    returns(cx, call, Value::Int(u64::from(is_past)))
}

/// `__raddle_cuda_forget(number)`
fn forget(cx: &mut StepCx, call: &Call) -> Done {
    let number = call.concrete(cx, 0)?;
    cx.state.order.forget_stream(number);
    succeeds(cx, call)
}
