//! What CUDA's kernels call besides memory and arithmetic: where a thread is, barriers, votes, shuffles, fences (CUDA C++
//! Programming Guide, 'C++ Language Extensions'). raddle's headers for CUDA call these.

use super::{Model, returns, succeeds};
use crate::gpu::Meeting;
use crate::step::{Call, Flow, StepCx};
use crate::{FaultKind, LossKind, Stop};
use concurrency::Scope;
use ir::Order;
use memory::Value;

type Done = Result<Flow, Stop>;

pub(super) fn find(name: &str) -> Option<Model> {
    Some(match name {
        "__raddle_gpu_position" => position,
        "__raddle_gpu_barrier" => barrier,
        "__raddle_gpu_grid_barrier" => grid_barrier,
        "llvm.nvvm.barrier0" | "llvm.nvvm.barrier.cta.sync.aligned.all" => numbered_barrier,
        "__raddle_gpu_converge" => converge,
        "__raddle_gpu_give" => give,
        "__raddle_gpu_take" => take,
        "__raddle_gpu_ballot" => ballot,
        "__raddle_gpu_members" => members,
        "__raddle_gpu_fence" => fence,
        "llvm.nvvm.membar.cta" => |cx, call| fenced(cx, call, Order::SeqCst, Scope::Block),
        "llvm.nvvm.membar.gl" | "llvm.nvvm.membar.sys" => |cx, call| fenced(cx, call, Order::SeqCst, Scope::Device),
        "__raddle_gpu_scope" => scope,
        "__raddle_gpu_thread_fence" => thread_fence,
        "__raddle_gpu_active" => active,
        "__raddle_gpu_trap" => trap,
        "__raddle_gpu_float" => |cx, call| roughly(cx, call, 32),
        "__raddle_gpu_double" => |cx, call| roughly(cx, call, 64),
        "__raddle_gpu_clock" => clock,
        "vprintf" => print,
        "llvm.nvvm.read.ptx.sreg.tid.x" => |cx, call| special(cx, call, 0),
        "llvm.nvvm.read.ptx.sreg.tid.y" => |cx, call| special(cx, call, 1),
        "llvm.nvvm.read.ptx.sreg.tid.z" => |cx, call| special(cx, call, 2),
        "llvm.nvvm.read.ptx.sreg.ctaid.x" => |cx, call| special(cx, call, 3),
        "llvm.nvvm.read.ptx.sreg.ctaid.y" => |cx, call| special(cx, call, 4),
        "llvm.nvvm.read.ptx.sreg.ctaid.z" => |cx, call| special(cx, call, 5),
        "llvm.nvvm.read.ptx.sreg.ntid.x" => |cx, call| special(cx, call, 6),
        "llvm.nvvm.read.ptx.sreg.ntid.y" => |cx, call| special(cx, call, 7),
        "llvm.nvvm.read.ptx.sreg.ntid.z" => |cx, call| special(cx, call, 8),
        "llvm.nvvm.read.ptx.sreg.nctaid.x" => |cx, call| special(cx, call, 9),
        "llvm.nvvm.read.ptx.sreg.nctaid.y" => |cx, call| special(cx, call, 10),
        "llvm.nvvm.read.ptx.sreg.nctaid.z" => |cx, call| special(cx, call, 11),
        "llvm.nvvm.read.ptx.sreg.warpsize" => |cx, call| special(cx, call, 12),
        "llvm.nvvm.read.ptx.sreg.laneid" => |cx, call| special(cx, call, 13),
        _ => return None,
    })
}

/// `__raddle_gpu_position(which)`
fn position(cx: &mut StepCx, call: &Call) -> Done {
    let which = call.concrete(cx, 0)?;
    match which {
        14 => count(cx, call),
        _ => special(cx, call, which),
    }
}

/// A special register: 0 to 2 `threadIdx`, 3 to 5 `blockIdx`, 6 to 8 `blockDim`, 9 to 11 `gridDim`, 12 `warpSize`, 13 the lane.
fn special(cx: &mut StepCx, call: &Call, which: u64) -> Done {
    if let Some(value) = cx.flow_position(which) {
        return returns(cx, call, value);
    }
    let me = cx.thread.id;
    let gpu = cx.gpu()?;
    let (launch, at) = (gpu.launch, gpu.position(me));
    let value = match which {
        0..=2 => at.thread[which as usize],
        3..=5 => at.block[which as usize - 3],
        6..=8 => launch.block[which as usize - 6],
        9..=11 => launch.grid[which as usize - 9],
        12 => launch.warp,
        _ => at.lane,
    };
    returns(cx, call, Value::Int(u64::from(value)))
}

/// `__syncthreads()`: each call of it is a barrier of its own.
fn barrier(cx: &mut StepCx, call: &Call) -> Done {
    let site = cx.site().index() as u32;
    cx.meet(Meeting::Barrier(site))?;
    succeeds(cx, call)
}

/// `grid.sync()`: likewise, of all threads of the launch.
fn grid_barrier(cx: &mut StepCx, call: &Call) -> Done {
    if !cx.is_cooperative() {
        let remedy =
            "grid.sync() in a launch by <<<>>>, which is undefined: cudaLaunchCooperativeKernel launches what has it";
        return Err(cx.abandon(LossKind::Unsupported, remedy));
    }
    let site = cx.site().index() as u32;
    cx.meet(Meeting::Grid(site))?;
    succeeds(cx, call)
}

/// The same as an instruction; of the numbered ones, number 0 is `__syncthreads()`.
fn numbered_barrier(cx: &mut StepCx, call: &Call) -> Done {
    if !call.args.is_empty() && call.concrete(cx, 0)? != 0 {
        return Err(cx.abandon(LossKind::Unsupported, "barriers with numbers are not supported yet"));
    }
    barrier(cx, call)
}

/// `__raddle_gpu_converge(kind, mask)`: lanes meet.
fn converge(cx: &mut StepCx, call: &Call) -> Done {
    let kind = call.concrete(cx, 0)? as u32;
    let mask = call.concrete(cx, 1)? as u32;
    let me = cx.thread.id;
    let lane = cx.gpu()?.position(me).lane;
    if !cx.is_flow() && mask >> lane & 1 == 0 {
        let detail = format!("the mask {mask:#x} lacks the calling thread's own lane {lane}");
        return Err(cx.fault(FaultKind::BarrierDivergence, detail));
    }
    cx.meet(Meeting::Lanes { kind, mask })?;
    succeeds(cx, call)
}

/// `__raddle_gpu_give(bits)`: what the thread brings where it meets others next.
fn give(cx: &mut StepCx, call: &Call) -> Done {
    let value = call.arg(cx, 0)?;
    cx.give(true, value)?;
    succeeds(cx, call)
}

/// `__raddle_gpu_take(lane, own)`: what the lane has brought. Of one that did not take part the value is undefined.
fn take(cx: &mut StepCx, call: &Call) -> Done {
    if let Some(value) = cx.flow_told(64) {
        return returns(cx, call, value);
    }
    let lane = call.concrete(cx, 0)? as u32;
    cx.state.hearsay |= cx.state.concurrent;
    let brought = cx.gathered(true)?;
    let value = match brought.iter().find(|(known, _)| *known == lane) {
        Some((_, value)) => *value,
        None => {
            let name = format!("inactive lane@{}.{}", cx.thread.name, cx.exact_site());
            Value::Term(cx.engine.terms.uninit_var(&name, 64))
        }
    };
    returns(cx, call, value)
}

/// `__raddle_gpu_ballot()`: the lanes that have brought something other than 0.
fn ballot(cx: &mut StepCx, call: &Call) -> Done {
    if let Some(value) = cx.flow_told(32) {
        return returns(cx, call, value);
    }
    cx.state.hearsay |= cx.state.concurrent;
    let brought = cx.gathered(true)?;
    if let Some(bits) = brought.iter().try_fold(0u64, |bits, (lane, value)| match value {
        Value::Int(0) => Some(bits),
        Value::Int(_) => Some(bits | 1 << lane),
        _ => None,
    }) {
        return returns(cx, call, Value::Int(bits));
    }
    let mut all = cx.engine.terms.bv(32, 0);
    for (lane, value) in brought {
        let value = cx.term_of(value, 64)?;
        let zero = cx.engine.terms.is_zero(value);
        let (none, one) = (cx.engine.terms.bv(32, 0), cx.engine.terms.bv(32, 1 << lane));
        let bit = cx.engine.terms.ite(zero, none, one);
        all = cx.engine.terms.or(all, bit);
    }
    let all = cx.simplest(all);
    returns(cx, call, all)
}

/// How many have brought something other than 0, of a block.
fn count(cx: &mut StepCx, call: &Call) -> Done {
    if let Some(value) = cx.flow_told(32) {
        return returns(cx, call, value);
    }
    cx.state.hearsay |= cx.state.concurrent;
    let mut all = cx.engine.terms.bv(32, 0);
    for (_, value) in cx.gathered(true)? {
        let value = cx.term_of(value, 64)?;
        let zero = cx.engine.terms.is_zero(value);
        let (none, one) = (cx.engine.terms.bv(32, 0), cx.engine.terms.bv(32, 1));
        let one = cx.engine.terms.ite(zero, none, one);
        all = cx.engine.terms.add(all, one);
    }
    let all = cx.simplest(all);
    returns(cx, call, all)
}

/// `__raddle_gpu_members()`: the lanes that took part.
fn members(cx: &mut StepCx, call: &Call) -> Done {
    if let Some(value) = cx.flow_told(32) {
        return returns(cx, call, value);
    }
    let mask = cx.gathered(true)?.iter().fold(0u64, |mask, (lane, _)| mask | 1 << lane);
    returns(cx, call, Value::Int(mask))
}

/// `__raddle_gpu_fence(scope)`: 0 a block's, 1 the device's, 2 the system's. Each is a fence of `seq_cst` (PTX ISA, `membar`).
fn fence(cx: &mut StepCx, call: &Call) -> Done {
    let scope = scope_of(call.concrete(cx, 0)?);
    fenced(cx, call, Order::SeqCst, scope)
}

fn scope_of(number: u64) -> Scope {
    if number == 0 { Scope::Block } else { Scope::Device }
}

fn fenced(cx: &mut StepCx, call: &Call, order: Order, scope: Scope) -> Done {
    cx.meet_group()?;
    cx.give_up_block();
    cx.state.order.fence_for(cx.thread.id, order, scope);
    succeeds(cx, call)
}

/// `__raddle_gpu_thread_fence(order, scope)`: `cuda::atomic_thread_fence`, with C's numbers of orders.
fn thread_fence(cx: &mut StepCx, call: &Call) -> Done {
    let (number, scope) = (call.concrete(cx, 0)?, scope_of(call.concrete(cx, 1)?));
    let order = match number {
        // `memory_order_relaxed`: it does nothing (C++ [atomics.fences]).
        0 => return succeeds(cx, call),
        1 | 2 => Order::Acquire,
        3 => Order::Release,
        4 => Order::AcqRel,
        _ => Order::SeqCst,
    };
    fenced(cx, call, order, scope)
}

/// `__raddle_gpu_scope(scope)`: of the atomic operations of this thread from here on.
fn scope(cx: &mut StepCx, call: &Call) -> Done {
    cx.thread.scope = scope_of(call.concrete(cx, 0)?);
    succeeds(cx, call)
}

/// `__activemask()`: which lanes happen to be together is not determined where threads go on by themselves.
fn active(cx: &mut StepCx, call: &Call) -> Done {
    if let Some(value) = cx.flow_told(32) {
        return returns(cx, call, value);
    }
    if cx.is_in_lockstep() {
        let group = cx.thread.lane.group();
        return returns(cx, call, Value::Int(u64::from(group)));
    }
    let remedy = "__activemask() may be any set of lanes with the caller's; give the mask that is meant";
    Err(cx.abandon(LossKind::Unsupported, remedy))
}

/// `__raddle_gpu_float(function, x, y)` and its like: a value that is only known roughly.
fn roughly(cx: &mut StepCx, call: &Call, bits: u32) -> Done {
    match cx.flow_told(bits) {
        Some(value) => returns(cx, call, value),
        None => super::symbolic::approximate(cx, call),
    }
}

/// `clock64()`
fn clock(cx: &mut StepCx, call: &Call) -> Done {
    match cx.flow_told(64) {
        Some(value) => returns(cx, call, value),
        None => super::symbolic::clock(cx, call),
    }
}

/// `__raddle_gpu_trap()`
fn trap(cx: &mut StepCx, _call: &Call) -> Done {
    Err(cx.fault(FaultKind::UnreachableReached, "the kernel traps"))
}

/// Formatted output of a kernel, with its arguments in memory. What it prints is nobody's business here; that it reads no value that
/// is not there is not looked at.
fn print(cx: &mut StepCx, call: &Call) -> Done {
    returns(cx, call, Value::Int(0))
}
