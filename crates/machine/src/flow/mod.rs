//! Flows: one thread of a launch that stands for all (Li et al., *Parametric flows*, SC 2012; the two threads of GPUVerify, Betts et al.,
//! OOPSLA 2012).
//!
//! A thread whose position is a symbol runs by itself. What it reads where others may write is a new symbol each time: whatever they may have
//! written, and more. What it accesses is listed with the path condition under which it does. Two copies of a flow, with symbols of their own
//! but for what all threads are given, are any two threads of the launch; whether they race is asked of the lists.
//!
//! Guarantee: each access that a thread of a launch makes in an execution without failures and without a divergent barrier is in the list of
//! some flow, for the thread's position and what all were given, in the interval between barriers in which it makes it; or the flow was given
//! up, with a reason.
//! Owes, and says so: that variables which loops count by small steps do not wrap around, that accesses stay within their buffers, and that no
//! pointer which the kernel is given is null.
//! Not promised: that what is listed can happen. What others write is not known.
//! Ignores: alignment, lockstep, what lanes of a warp bring each other.

mod calls;
mod memory;
mod rounds;
mod sizes;

pub(crate) use rounds::Step;
pub use sizes::{SIZES, Sizes};

use crate::step::StepCx;
use crate::{Engine, Launch, LossKind, State, Stop};
use ::memory::{Contents, ObjId, Object, ObjectKind, Pointer, Value};
use concurrency::{AccessKind, Scope, Site, ThreadId};
use ir::{BlockId, FuncId, GlobalId, Init, Space, Ty};
use smt::{TermId, Terms};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Begins the names of symbols that each thread has for itself.
const OWN: &str = "flow:";
/// Bytes that a buffer of a kernel is taken to have at the most. No sum of two offsets wraps around.
const BUFFER: u64 = 1 << 40;
/// Where buffers begin, apart from each other and from all else.
const FIRST_BUFFER: u64 = 1 << 56;

/// A loop, by its header.
pub(crate) type LoopId = (FuncId, BlockId);

/// Which loops are gone through how. What is found out while flows are followed makes it necessary to follow them again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loops {
    /// One round stands for all: how often they go round hangs on symbols.
    pub(crate) any_round: BTreeSet<LoopId>,
    /// Threads meet in them, so their rounds are gone through one by one.
    pub(crate) meets: BTreeSet<LoopId>,
    /// What rounds do to the variables that loops carry, by their place among the header's.
    pub(crate) steps: BTreeMap<(LoopId, usize), Step>,
}

/// An access of a flow.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct FlowAccess {
    /// Barriers of its block that come before it.
    pub interval: u32,
    /// Likewise `__syncwarp()` and what else orders the lanes of a warp.
    pub lanes_interval: u32,
    pub object: FlowObject,
    /// Bytes that the object has.
    pub bytes: u64,
    /// Bytes from the beginning of the object (64 bits).
    pub offset: TermId,
    pub size: u64,
    pub kind: AccessKind,
    pub atomic: bool,
    pub scope: Scope,
    pub site: Site,
    /// The conjuncts of the path condition.
    pub guard: Rc<Vec<TermId>>,
}

/// An object that threads share, by what it is called: flows come to objects in different orders, and number them differently.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlowObject {
    Global(GlobalId),
    /// What a pointer leads to that the kernel was given: its path.
    Buffer(Rc<str>),
}

/// Where a flow meets others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FlowMeeting {
    pub site: Site,
    /// Of its warp, which of what lanes meet for, and with which mask: lanes that meet with others do not meet; else of its block.
    pub of_lanes: Option<(u32, u32)>,
}

/// What a flow has come to.
#[derive(Clone, Debug)]
pub struct Flow {
    launch: Launch,
    sizes: Sizes,
    /// `threadIdx` and `blockIdx` (32 bits each).
    position: [TermId; 6],
    loops: Rc<Loops>,
    interval: u32,
    lanes_interval: u32,
    /// Where it met others.
    meetings: Rc<Vec<FlowMeeting>>,
    accesses: Rc<Vec<FlowAccess>>,
    /// What it has written, or read, since it last met others.
    known: Vec<Known>,
    /// By the path of the pointer that leads there.
    buffers: BTreeMap<Rc<str>, ObjId>,
    /// Symbols so far.
    symbols: u32,
    rounds: Vec<rounds::Round>,
    /// What loops carried when their headers were last come to, by the frames below.
    carried: BTreeMap<(usize, LoopId), Rc<[Value]>>,
    /// How often it has stayed in a loop because of symbols.
    rounds_by_symbols: BTreeMap<LoopId, u32>,
}

/// What is in shared memory, as far as the flow knows.
#[derive(Clone, Debug)]
struct Known {
    object: ObjId,
    offset: TermId,
    size: u64,
    value: Value,
}

impl Flow {
    pub fn accesses(&self) -> &[FlowAccess] {
        &self.accesses
    }

    pub fn meetings(&self) -> &[FlowMeeting] {
        &self.meetings
    }

    /// `threadIdx` and `blockIdx`.
    pub fn position(&self) -> &[TermId; 6] {
        &self.position
    }

    /// `blockDim` and `gridDim`.
    pub fn sizes(&self) -> &Sizes {
        &self.sizes
    }
}

impl Loops {
    /// As flows are followed next, if a loop was found meanwhile that has to be gone through in another way than in these.
    pub fn after(found: &Loops, followed: &Loops) -> Option<Loops> {
        let any_round: BTreeSet<LoopId> = found.any_round.difference(&found.meets).copied().collect();
        let is_known = |(key, step): (&(LoopId, usize), &Step)| {
            !any_round.contains(&key.0) || followed.steps.get(key) == Some(step)
        };
        let is_same = any_round == followed.any_round && found.steps.iter().all(is_known);
        (!is_same).then(|| Loops { any_round, ..found.clone() })
    }
}

/// The second of two threads: `term` with the symbols that each thread has for itself replaced by others.
pub fn of_another(terms: &mut Terms, term: TermId) -> TermId {
    let own = terms.vars(term).iter().map(|&index| terms.variable(index).clone());
    let own: Vec<_> = own.filter(|variable| variable.uninit || variable.name.starts_with(OWN)).collect();
    let mut others = rustc_hash::FxHashMap::default();
    for variable in own {
        let width = terms.width(variable.term);
        let other = terms.var(&format!("{}'", variable.name), width);
        others.insert(variable.term, other);
    }
    terms.substitute(term, &others)
}

/// A thread's number in its block (32 bits), x first.
pub fn rank_in_block(terms: &mut Terms, sizes: &Sizes, [x, y, z, ..]: &[TermId; 6]) -> TermId {
    let [width, height, _] = sizes.block();
    let rows = terms.mul(*z, height);
    let rows = terms.add(rows, *y);
    let before = terms.mul(rows, width);
    terms.add(before, *x)
}

impl State {
    pub fn flow(&self) -> Option<&Flow> {
        self.flow.as_deref()
    }
}

impl Engine {
    /// Begins a flow of a launch, or of all launches that have these sizes: its one thread, about to run the kernel. `state` is that of a launch
    /// of one thread.
    pub fn begin_flow(
        &mut self,
        state: &mut State,
        (launch, sizes, kernel): (Launch, &Sizes, FuncId),
        args: &[Value],
        loops: &Rc<Loops>,
    ) {
        for &within in sizes.within() {
            state.path.assume(within);
        }
        let position = sizes.position(&mut self.terms);
        for (&at, &size) in position.iter().zip(sizes.all()) {
            let within = self.terms.ult(at, size);
            if !self.terms.is_true(within) {
                state.path.assume(within);
            }
        }
        let mut flow = Flow {
            launch,
            sizes: sizes.clone(),
            position,
            loops: Rc::clone(loops),
            interval: 0,
            lanes_interval: 0,
            meetings: Rc::default(),
            accesses: Rc::default(),
            known: Vec::new(),
            buffers: BTreeMap::new(),
            symbols: 0,
            rounds: Vec::new(),
            carried: BTreeMap::new(),
            rounds_by_symbols: BTreeMap::new(),
        };
        let args: Vec<Value> = args.iter().map(|&value| flow.buffer_for(state, value)).collect();
        self.launch(state, kernel, &args);
        // Members of structures by value are parameters as well.
        let mut registers = std::mem::take(&mut state.thread_mut(ThreadId::new(0)).frame_mut().registers);
        registers.iter_mut().for_each(|value| *value = flow.buffer_for(state, *value));
        state.thread_mut(ThreadId::new(0)).frame_mut().registers = registers;
        state.flow = Some(Rc::new(flow));
    }
}

impl Flow {
    /// A pointer that the kernel was given leads to a buffer of its own.
    fn buffer_for(&mut self, state: &mut State, value: Value) -> Value {
        let Value::Lazy { pointer, offset, part } = state.memory.settle(value) else { return value };
        let name: Rc<str> = state.memory.shape().pointer(pointer).path.to_string().into();
        let address = FIRST_BUFFER + self.buffers.len() as u64 * 2 * BUFFER;
        let object = *self.buffers.entry(Rc::clone(&name)).or_insert_with(|| {
            let mut object = Object::new(ObjectKind::Heap, address, None, &name, Contents::undefined(0));
            object.size = BUFFER;
            state.memory.insert(object)
        });
        Value::Ptr(Pointer { object, offset, part })
    }
}

impl StepCx<'_> {
    pub(crate) fn is_flow(&self) -> bool {
        self.state.flow.is_some()
    }

    fn flow(&mut self) -> Option<&mut Flow> {
        self.state.flow.as_mut().map(Rc::make_mut)
    }

    /// A value that nothing is known of: what others may have done.
    fn anything(&mut self, bits: u32) -> TermId {
        let number = self.flow().map_or(0, |flow| {
            flow.symbols += 1;
            flow.symbols
        });
        self.engine.terms.var(&format!("{OWN}{number}"), bits)
    }

    fn anything_of(&mut self, ty: Ty) -> Value {
        let bits = u32::from(self.bits(ty));
        Value::Term(self.anything(bits))
    }

    /// A flow goes no further.
    pub(crate) fn leave_flow(&self, why: impl Into<String>) -> Stop {
        self.abandon(LossKind::Unsupported, format!("all threads at once: {}", why.into()))
    }

    /// Whether threads of a launch may share an object: not their own variables, nor what none of them writes.
    pub(crate) fn is_of_several(&self, object: ObjId) -> bool {
        let Some(flow) = self.state.flow.as_deref() else { return false };
        match self.state.memory.object(object).kind {
            ObjectKind::Global(id) => self.is_written_global(id),
            ObjectKind::Heap => flow.buffers.values().any(|&buffer| buffer == object),
            ObjectKind::Initial => true,
            _ => false,
        }
    }

    /// What an object that threads share is called, and its size. That of what is declared without one is a matter of the launch.
    fn shared_object(&self, object: ObjId) -> Option<(FlowObject, u64)> {
        let flow = self.state.flow.as_deref()?;
        let known = self.state.memory.object(object);
        if let ObjectKind::Global(id) = known.kind {
            let is_open = self.module()[id].init == Init::External;
            return Some((FlowObject::Global(id), if is_open { BUFFER } else { known.size }));
        }
        let name = flow.buffers.iter().find(|(_, buffer)| **buffer == object).map(|(name, _)| Rc::clone(name));
        name.map(|name| (FlowObject::Buffer(name), known.size))
    }

    fn is_written_global(&self, id: GlobalId) -> bool {
        let global = &self.module()[id];
        !global.constant && global.space != Space::Constant
    }
}
