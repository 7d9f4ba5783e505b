//! Programs with two sides: a host, which runs from `main`, and a device, on which it launches kernels.
//!
//! The runtime is in C (`frontend/libc/cuda.c`); here is what it stands on: whose memory an object is, threads of a launch that are
//! started and waited for, and what comes after what by way of streams. One operation of a device runs at a time: the next is begun when
//! the last is over. That is an order in time, and none for the race check, which goes by the clocks of streams: what these leave
//! unordered races, whenever it runs. Only atomic operations of launches that might overlap could tell the difference, which the
//! ledger then says.
//!
//! Guarantee: what the host or a stream does not wait for does not come before what it does next.

use crate::gpu::Gpu;
use crate::lockstep::Lane;
use crate::state::{Frame, OnReturn};
use crate::step::StepCx;
use crate::{GpuThread, Launch, LossKind, Sched, State, Status, Stop};
use ::memory::{Home, Life, ObjId, Object, ObjectKind, Value};
use concurrency::{Action, Blocks, ThreadId};
use ir::{FuncId, Global, GlobalId, LocId, Module, Space};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// What kernels run on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Device {
    /// Threads of a warp.
    pub warp: u32,
    pub sched: Sched,
}

/// Where a thread runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Side {
    Host,
    /// It is one of a launch.
    Device,
    /// The runtime is at work for it, which reaches everything.
    Runtime,
}

impl Side {
    /// Where objects are that it makes.
    pub(crate) fn home(self) -> Home {
        if self == Side::Device { Home::Device } else { Home::Host }
    }
}

/// A launch that was made.
#[derive(Clone, Copy, Debug)]
pub struct Launched {
    pub launch: Launch,
    pub kernel: FuncId,
    /// Where the host makes it.
    pub place: Option<LocId>,
    /// The number of its first thread.
    first: usize,
    has_atomics: bool,
    /// `cudaLaunchCooperativeKernel`
    is_cooperative: bool,
}

impl Launched {
    fn has(&self, thread: ThreadId) -> bool {
        (self.first..self.first + self.launch.threads() as usize).contains(&thread.index())
    }
}

/// What a device does: threads that are numbered one after the other, in a stream.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Running {
    stream: u64,
    first: usize,
    count: usize,
    /// For whom the host waits for its end, if it does.
    waiter: Option<Waiter>,
}

/// For whom the host waits for the end of what runs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Waiter {
    /// For itself: for all that it has asked for, or all of one stream.
    Everything,
    Stream(u64),
    /// For the next operation, as only one is carried out at a time. `is_one`: there is one stream, so that none could begin before.
    Next {
        is_one: bool,
    },
}

/// What a host knows of its device.
#[derive(Clone, Debug)]
pub(crate) struct Host {
    device: Device,
    launches: Vec<Launched>,
    running: Option<Running>,
    operations: u32,
}

/// Threads that a program may have had in the end. Each costs a place in all clocks.
const MOST_THREADS: usize = 4000;

impl Host {
    fn launch_of(&self, thread: ThreadId) -> Option<usize> {
        self.launches.iter().position(|launched| launched.has(thread))
    }

    pub(crate) fn position(&self, thread: ThreadId) -> Option<GpuThread> {
        let launched = self.launches[self.launch_of(thread)?];
        Some(launched.launch.position(ThreadId::new(thread.index() - launched.first)))
    }

    pub(crate) fn running(&self) -> Option<Running> {
        self.running
    }
}

impl State {
    /// Begins as a host's, with variables where they belong.
    pub(crate) fn be_host(&mut self, module: &Module, device: Device) {
        self.host = Some(Rc::new(Host { device, launches: Vec::new(), running: None, operations: 0 }));
        let globals: Vec<(GlobalId, Home)> = module.globals().map(|(id, global)| (id, home_of(global))).collect();
        for (id, home) in globals.into_iter().filter(|(_, home)| *home != Home::Host) {
            if let Some(object) = self.memory.global(id) {
                self.memory.object_mut(object).home = home;
            }
        }
    }

    /// Launches so far, of a host.
    pub fn launched(&self, thread: ThreadId) -> Option<(usize, &Launched)> {
        let host = self.host.as_ref()?;
        let number = host.launch_of(thread)?;
        Some((number, &host.launches[number]))
    }

    pub(crate) fn are_of_one_launch(&self, x: ThreadId, y: ThreadId) -> bool {
        self.host.as_ref().is_none_or(|host| host.launch_of(x) == host.launch_of(y))
    }

    /// Whether threads of the device that wait for a change of this memory may yet be given it by a host that waits for them here only because
    /// operations are carried out one by one: it could ask for the next, or go on by itself.
    pub fn may_be_given(&self, changes: impl Iterator<Item = ObjId>) -> bool {
        let Some(running) = self.host.as_ref().and_then(|host| host.running) else { return false };
        match running.waiter {
            Some(Waiter::Everything) => false,
            Some(Waiter::Stream(stream)) => stream != running.stream,
            Some(Waiter::Next { is_one: false }) => true,
            // The host itself does not reach the device's own memory.
            Some(Waiter::Next { is_one: true }) => changes
                .into_iter()
                .any(|object| matches!(self.memory.object(object).home, Home::Managed | Home::Pinned)),
            None => false,
        }
    }

    /// Whether a thread is one of the launch that runs.
    pub fn is_of_running_launch(&self, thread: ThreadId) -> bool {
        self.gpu.as_ref().is_some_and(|gpu| gpu.has(thread))
    }
}

/// The bit that stands for a kernel in [`crate::Assumed::launched`].
pub fn launched_bit(module: &Module, kernel: FuncId) -> u64 {
    let mut kernels = module.functions().filter(|(_, function)| function.kernel).map(|(id, _)| id);
    1 << kernels.position(|id| id == kernel).unwrap_or(0).min(63)
}

fn home_of(global: &Global) -> Home {
    match global.space {
        Space::Ordinary if global.stands_for.is_some() => Home::Shadow,
        Space::Ordinary => Home::Host,
        Space::Device | Space::Shared | Space::Constant => Home::Device,
        Space::Managed => Home::Managed,
    }
}

impl StepCx<'_> {
    /// Why the thread does not reach memory that is there.
    pub(crate) fn out_of_reach(&self, home: Home) -> Option<&'static str> {
        self.state.host.as_ref()?;
        match (self.thread.side, home) {
            (Side::Device, Home::Host) => Some("a kernel accesses memory of the host, which no device reaches"),
            (Side::Host, Home::Device | Home::DeviceHeap) => {
                Some("the host accesses memory of the device, which it can only copy from and to")
            }
            (Side::Device, Home::Shadow) => Some(
                "a kernel accesses what the host has in place of a variable of the device: `cudaGetSymbolAddress` tells the host the variable's address",
            ),
            (Side::Host, Home::Shadow) => Some(
                "the host accesses a variable of the device by its name, which is none of the device's memory: `cudaMemcpyToSymbol` and `cudaMemcpyFromSymbol` copy to it and from it",
            ),
            _ => None,
        }
    }

    /// Why memory is not freed by `free` here.
    pub(crate) fn not_ours_to_free(&self, home: Home) -> Option<&'static str> {
        self.state.host.as_ref()?;
        match (self.thread.side, home) {
            (Side::Host, Home::DeviceHeap) => Some("the host frees memory that a kernel has allocated"),
            (Side::Host, Home::Device | Home::Managed | Home::Pinned) => {
                Some("memory that the CUDA runtime gave is freed as if malloc had")
            }
            (Side::Device, Home::Device) => Some("a kernel frees memory that the host has allocated"),
            (Side::Device, Home::Host | Home::Managed | Home::Pinned) => Some("a kernel frees memory of the host"),
            _ => None,
        }
    }

    /// Why the thread does not call a function by its address.
    pub(crate) fn not_ours_to_call(&self, function: FuncId) -> Option<&'static str> {
        self.state.host.as_ref()?;
        let called = &self.module()[function];
        // Models are of both sides.
        if called.is_declaration() {
            return None;
        }
        match (self.thread.side, called.device) {
            (Side::Device, false) => Some("a kernel calls a function of the host, which no device has"),
            (Side::Host, true) => Some("the host calls a function of the device"),
            _ => None,
        }
    }

    /// Atomic operations of the host are none for a kernel's that are for the device only, which is not told apart.
    pub(crate) fn note_atomic_of_host(&mut self, home: Home) {
        let is_shared = matches!(home, Home::Managed | Home::Pinned);
        if self.state.host.is_some() && self.thread.side == Side::Host && self.state.concurrent && is_shared {
            let remedy =
                "atomic operations of the host beside a kernel: which scope the kernel's have is not looked at";
            self.note(LossKind::Unsupported, remedy);
        }
    }

    /// Whether the runtime writes a `__constant__` variable for the host.
    pub(crate) fn sets_constants(&self, object: &Object) -> bool {
        self.thread.side == Side::Runtime && self.may_be_set(object)
    }

    /// Whether the runtime may write to an object that is constant for both sides.
    pub(crate) fn may_be_set(&self, object: &Object) -> bool {
        let is_constant = |id: GlobalId| self.module()[id].space == Space::Constant;
        self.state.host.is_some() && matches!(object.kind, ObjectKind::Global(id) if is_constant(id))
    }

    fn host_mut(&mut self) -> Result<&mut Host, Stop> {
        if self.state.host.is_none() {
            return Err(self.abandon(LossKind::Unsupported, "the CUDA runtime outside of `raddle gpu` from `main`"));
        }
        if self.thread.id.index() != 0 {
            return Err(
                self.abandon(LossKind::Unsupported, "calls of the CUDA runtime by other threads than the first")
            );
        }
        match self.state.host.as_mut() {
            Some(host) => Ok(Rc::make_mut(host)),
            None => unreachable!("it was there"),
        }
    }

    /// What the host launches runs as the device has it.
    pub(crate) fn device(&mut self) -> Result<Device, Stop> {
        Ok(self.host_mut()?.device)
    }

    /// Whether there is room for more threads.
    pub(crate) fn make_room(&self, threads: u64, at_once: u64) -> Result<(), Stop> {
        if threads > at_once {
            let remedy = format!(
                "a launch of {threads} threads; {at_once} are explored together at the most: give the program a smaller one"
            );
            return Err(self.abandon(LossKind::Unsupported, remedy));
        }
        if self.state.threads.len() + threads as usize > MOST_THREADS {
            let remedy = format!(
                "launches of more than {MOST_THREADS} threads, all together: give the program fewer or smaller ones"
            );
            return Err(self.abandon(LossKind::Unsupported, remedy));
        }
        Ok(())
    }

    /// Begins a launch, whose threads come after what the host and the stream have done. No other operation runs.
    pub(crate) fn begin_launch(
        &mut self,
        (kernel, is_cooperative): (FuncId, bool),
        launch: Launch,
        given: &[Value],
        stream: u64,
    ) -> Result<(), Stop> {
        let (first, count) = (self.state.threads.len(), launch.threads() as usize);
        self.engine.assumed.launched |= launched_bit(self.module(), kernel);
        let place = self.program.site_location(self.site());
        let host = self.host_mut()?;
        let name = format!("launch {}", host.launches.len() + 1);
        host.launches.push(Launched { launch, kernel, place, first, has_atomics: false, is_cooperative });
        host.running = Some(Running { stream, first, count, waiter: None });
        let module = self.module();
        self.state.memory.settle_in(Home::Device);
        self.state.gpu = Some(Rc::new(Gpu::new(self.state, module, launch, first)));
        for own in (0..count).map(ThreadId::new) {
            let id = self.start(&format!("{name} {}", launch.name(own)), kernel, given, stream);
            let thread = self.state.thread_mut(id);
            (thread.side, thread.lane) = (Side::Device, Lane::of(launch.lanes_beside(own)));
        }
        self.state.memory.settle_in(Home::Host);
        // Threads that are none of the launch are each by themselves.
        let mut blocks: Vec<u32> = (0..first).map(|other| u32::MAX - other as u32).collect();
        blocks.extend(launch.blocks_of_threads());
        self.state.order.in_blocks(Blocks::new(blocks));
        Ok(())
    }

    /// Begins an operation of the runtime's in a stream.
    pub(crate) fn begin_operation(&mut self, function: FuncId, given: Value, stream: u64) -> Result<(), Stop> {
        let first = self.state.threads.len();
        let host = self.host_mut()?;
        host.operations += 1;
        host.running = Some(Running { stream, first, count: 1, waiter: None });
        let name = format!("copy {}", host.operations);
        let id = self.start(&name, function, &[given], stream);
        // What it does is the doing of the call that asks for it, whose place stands below in the stack.
        let asked = self.program.own_frame(self.thread);
        let registers = vec![Value::NULL; asked.registers.len()];
        let below = Frame {
            registers,
            locals: Vec::new(),
            extra_arguments: None,
            entry: None,
            mixed: Default::default(),
            ..asked.clone()
        };
        let thread = self.state.thread_mut(id);
        let stack_mark = thread.frame().stack_mark;
        thread.frames.insert(0, Rc::new(Frame { stack_mark, on_return: OnReturn::EndThread, ..below }));
        Ok(())
    }

    fn start(&mut self, name: &str, function: FuncId, given: &[Value], stream: u64) -> ThreadId {
        self.give_up_block();
        self.thread.quiet_steps = 0;
        let me = self.thread.id;
        let id = self.engine.add_thread(self.state, name, Some(me), function, given, OnReturn::EndThread);
        self.state.order.thread_after_stream(id, stream);
        if self.engine.config.observe || self.engine.config.unfolding {
            self.state.observed.push(crate::Observed::Created { by: me, thread: id });
        }
        id
    }

    /// Waits until the operation is over that runs. What comes after it by way of its stream then does; the host does not.
    pub(crate) fn finish_operation(&mut self, waiter: Waiter) -> Result<(), Stop> {
        let Some(running) = self.host_mut()?.running.as_mut() else { return Ok(()) };
        running.waiter = Some(waiter);
        let Running { stream, first, count, .. } = *running;
        // Whose end it was granted to wait for, if any, has ended: each of the others is an action of its own.
        self.thread.granted = false;
        let mut threads = (first..first + count).map(ThreadId::new);
        if let Some(id) = threads.find(|&id| self.state.thread(id).status != Status::Ended) {
            self.visible(Action::Join(id))?;
        }
        for id in (first..first + count).map(ThreadId::new) {
            self.state.order.stream_after_thread(stream, id);
        }
        let gpu = self.state.gpu.take();
        // Shared memory lasts as long as its block.
        gpu.iter().flat_map(|gpu| gpu.shared_objects()).for_each(|object| self.state.memory.end(object, Life::Ended));
        let host = self.host_mut()?;
        host.running = None;
        if let (Some(gpu), Some(last)) = (gpu, host.launches.last_mut()) {
            last.has_atomics = gpu.has_atomics();
        }
        self.note_overlap()
    }

    /// Whether the launch that runs may have its blocks wait for each other.
    pub(crate) fn is_cooperative(&self) -> bool {
        self.state.host.as_ref().is_none_or(|host| host.launches.last().is_none_or(|launched| launched.is_cooperative))
    }

    /// The process ends while an operation may run, which then is cut short.
    pub(crate) fn end_beside_operations(&mut self) -> Result<(), Stop> {
        let Some(Running { first, .. }) = self.state.host.as_ref().and_then(|host| host.running()) else {
            return Ok(());
        };
        match self.host_mut()?.launches.last_mut().filter(|last| last.first == first) {
            Some(last) => {
                // It may come to some yet.
                last.has_atomics = true;
                self.note_overlap()
            }
            None => Ok(()),
        }
    }

    /// Launches that might overlap are run one after the other: what atomic operations of both come to otherwise is not explored.
    fn note_overlap(&mut self) -> Result<(), Stop> {
        let launches = self.host_mut()?.launches.clone();
        let Some((last, earlier)) = launches.split_last() else { return Ok(()) };
        let start = |launched: &Launched| ThreadId::new(launched.first);
        let clock = self.state.order.clock(start(last));
        let is_past =
            |other: &Launched| clock.get(start(other)) >= self.state.order.clock(start(other)).get(start(other));
        if last.has_atomics && earlier.iter().any(|other| other.has_atomics && !is_past(other)) {
            let remedy = "launches that may overlap, with atomic operations in each, are run one after the other";
            self.note(LossKind::Unsupported, remedy);
        }
        Ok(())
    }
}
