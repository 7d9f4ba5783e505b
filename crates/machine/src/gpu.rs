//! Launches of CUDA kernels: which threads there are, where each is, and how they meet.
//!
//! Each thread of a launch is a thread of the machine. Threads of a block meet at barriers, threads of a warp where they
//! converge: [`Meeting`] says who has to come. Arriving is no action, for nobody can tell how many have come before all have;
//! going on is [`concurrency::Action::Pass`], which like a join commutes with everything.
//!
//! Guarantee: which threads meet does not depend on the order in which they come.
//! Knows nothing of the search, nor of what a finding is called.

use crate::host::Side;
use crate::lockstep::is_implicit;
use crate::step::StepCx;
use crate::{LossKind, Program, State, Status, Stop};
use concurrency::{Place, Record, ThreadId};
use ir::{BlockId, FuncId, Global, GlobalId, Init, Module, RmwOp, Space};
use memory::{Contents, ObjId, Object, ObjectKind, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How threads of a warp that are converged are ordered, instruction by instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sched {
    /// Not at all: each goes on by itself (from Volta on).
    #[default]
    Independent,
    /// Each finishes an instruction before the next begins (before Volta; [`crate::lockstep`]).
    Lockstep,
}

impl Sched {
    /// As reports have it.
    pub fn name(self) -> &'static str {
        match self {
            Sched::Independent => "independent",
            Sched::Lockstep => "lockstep",
        }
    }
}

/// How many threads run a kernel, and what they have.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Launch {
    /// Blocks, by dimension.
    pub grid: [u32; 3],
    /// Threads of a block, by dimension.
    pub block: [u32; 3],
    /// Threads of a warp.
    pub warp: u32,
    /// Bytes of dynamic shared memory.
    pub shared: u64,
    pub sched: Sched,
}

/// Where a thread of a launch is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct GpuThread {
    pub block: [u32; 3],
    pub thread: [u32; 3],
    /// Of its block.
    pub warp: u32,
    pub lane: u32,
}

/// How near to each other two threads of a launch are that race.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RaceClass {
    /// In one warp, at one instruction or on one way.
    IntraWarp,
    /// In one warp, on different sides of a branch.
    IntraWarpDivergent,
    /// In two warps of one block.
    InterWarp,
    /// In two blocks.
    Global,
}

/// What there is to say of a race between threads of a launch.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub struct GpuRace {
    pub class: RaceClass,
    /// Wider scopes would have ordered the accesses, or made them atomic for each other.
    pub scope_error: bool,
}

fn product(dimensions: [u32; 3]) -> u64 {
    dimensions.iter().map(|&size| u64::from(size)).product()
}

fn coordinates(number: u32, dimensions: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = dimensions.map(|size| size.max(1));
    [number % x, number / x % y, number / x / y]
}

impl Launch {
    pub fn blocks(&self) -> u64 {
        product(self.grid)
    }

    /// Threads of one block.
    pub fn block_size(&self) -> u64 {
        product(self.block)
    }

    pub fn threads(&self) -> u64 {
        self.blocks().saturating_mul(self.block_size())
    }

    /// The number of a thread's block, and its own in that.
    fn place_of(&self, thread: ThreadId) -> (u32, u32) {
        let size = (self.block_size() as usize).max(1);
        ((thread.index() / size) as u32, (thread.index() % size) as u32)
    }

    /// Threads of a warp, by lane.
    fn lanes(&self, block: u32, warp: u32) -> impl Iterator<Item = (u32, ThreadId)> + use<> {
        let (size, width) = (self.block_size() as u32, self.warp);
        let first = block * size;
        (0..width)
            .map(move |lane| (lane, warp * width + lane))
            .filter(move |(_, rank)| *rank < size)
            .map(move |(lane, rank)| (lane, ThreadId::new((first + rank) as usize)))
    }

    /// The lanes of a thread's warp, itself among them.
    pub(crate) fn lanes_beside(&self, thread: ThreadId) -> u32 {
        let block = self.place_of(thread).0;
        self.lanes(block, self.position(thread).warp).fold(0, |mask, (lane, _)| mask | 1 << lane)
    }

    pub fn position(&self, thread: ThreadId) -> GpuThread {
        let (block, rank) = self.place_of(thread);
        GpuThread {
            block: coordinates(block, self.grid),
            thread: coordinates(rank, self.block),
            warp: rank / self.warp,
            lane: rank % self.warp,
        }
    }

    /// By thread, the number of its block.
    pub fn blocks_of_threads(&self) -> Vec<u32> {
        (0..self.threads() as usize).map(|thread| self.place_of(ThreadId::new(thread)).0).collect()
    }

    /// What a thread is called. Does not depend on the schedule.
    pub fn name(&self, thread: ThreadId) -> String {
        let GpuThread { block, thread, .. } = self.position(thread);
        format!("block {} thread {}", short(block), short(thread))
    }
}

/// `3`, or `3,1,0` where there is more than one dimension to it.
fn short([x, y, z]: [u32; 3]) -> String {
    if (y, z) == (0, 0) { x.to_string() } else { format!("{x},{y},{z}") }
}

/// Who meets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meeting {
    /// All threads of a block, at a call of a barrier: the programming guide has conditions around it evaluate identically across the
    /// block, so whoever ends without coming keeps the others waiting.
    Barrier(u32),
    /// All threads of the launch, likewise.
    Grid(u32),
    /// The lanes of a mask, but for those that have ended ("all non-exited threads named in mask"), at an instruction of this kind.
    Lanes { kind: u32, mask: u32 },
}

/// What threads do at a place of atomic operations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Told {
    size: u64,
    /// Who came first.
    by: ThreadId,
    /// Others came as well.
    several: bool,
    written: bool,
    /// An operation there can tell what was done before.
    tells: bool,
}

impl Told {
    /// Whether threads can tell there what others did.
    fn of_others(&self) -> bool {
        self.several && self.written && self.tells
    }

    /// Whether such an operation of this thread adds nothing.
    fn has(&self, size: u64, by: ThreadId, (writes, tells): (bool, bool)) -> bool {
        let is_known = self.several || self.by == by;
        self.size >= size && is_known && (self.written || !writes) && (self.tells || !tells)
    }
}

/// Something by thread, and by whether it is for meetings that are instructions of the program's.
type Brought<T> = BTreeMap<(bool, ThreadId), T>;

fn is_implicit_at(place: Place) -> bool {
    place.offset & LANES != 0 && is_implicit((place.offset >> 32 & 0xff) as u32)
}

/// Whether lanes that meet so by the program's own word are ordered: by `__syncwarp()`; a shuffle or a vote brings values, and no more.
pub(crate) fn orders_lanes(kind: u32) -> bool {
    kind == 0
}

/// What threads of a launch share besides memory.
#[derive(Clone, Debug)]
pub(crate) struct Gpu {
    pub launch: Launch,
    /// The number of its first thread: those of a launch are numbered one after the other.
    first: usize,
    /// The instances of shared variables, by block.
    shared: Rc<BTreeMap<(u32, GlobalId), ObjId>>,
    /// By block, what stands for its barriers; and for those of the grid.
    places: Rc<Vec<ObjId>>,
    /// Who has come, by what they meet at.
    waiting: BTreeMap<Place, BTreeSet<ThreadId>>,
    /// Whom the others have come for, until they go on.
    through: BTreeSet<ThreadId>,
    /// What threads bring.
    given: Brought<Value>,
    /// What all brought that a thread met last.
    gathered: Brought<Rc<Vec<(ThreadId, Value)>>>,
    /// Places of atomic operations.
    atomics: BTreeMap<Place, Told>,
    /// By place, the updates done there whose results nobody used, with their size in bytes.
    updated: BTreeMap<Place, (RmwOp, u64)>,
}

/// Call stacks, numbered.
#[derive(Debug, Default)]
pub(crate) struct Contexts {
    numbers: FxHashMap<Rc<[Call]>, u32>,
    /// Outermost first.
    stacks: Vec<Rc<[Call]>>,
    /// By branch, where its ways meet.
    meeting: FxHashMap<(FuncId, BlockId), Option<BlockId>>,
}

/// Where a frame is.
type Call = (FuncId, BlockId, usize);

impl Contexts {
    fn number(&mut self, stack: Vec<Call>) -> u32 {
        let stack: Rc<[Call]> = stack.into();
        let next = self.stacks.len() as u32;
        *self.numbers.entry(Rc::clone(&stack)).or_insert_with(|| {
            self.stacks.push(stack);
            next
        })
    }

    /// Where all ways from a branch meet again.
    pub(crate) fn meeting_block(&mut self, program: &Program, function: FuncId, branch: BlockId) -> Option<BlockId> {
        let found = || ir::meeting_block(&program.module[function], branch);
        *self.meeting.entry((function, branch)).or_insert_with(found)
    }

    /// Whether two accesses are on different sides of a branch: where their stacks part.
    fn are_divergent(&self, module: &Module, x: u32, y: u32) -> bool {
        let (Some(x), Some(y)) = (self.stacks.get(x as usize), self.stacks.get(y as usize)) else { return false };
        let apart = x.iter().zip(&**y).find(|(x, y)| x != y);
        let Some((x, y)) = apart else { return false };
        x.0 == y.0 && ir::on_different_sides(&module[x.0], x.1, y.1)
    }
}

/// The low bits of a place tell a barrier's call, or lanes and what they do.
const LANES: u64 = 1 << 62;

impl Gpu {
    /// Makes the launch's own objects.
    pub(crate) fn new(state: &mut State, module: &Module, launch: Launch, first: usize) -> Self {
        let arena = match first {
            0 => state.memory.allocator_mut().open_large("shared"),
            _ => state.memory.allocator_mut().open_large(&format!("shared {first}")),
        };
        let mut shared = BTreeMap::new();
        let mut places = Vec::new();
        // All that is `extern` is one piece of memory, of the size that the launch gives or the source says.
        let is_dynamic = |global: &&Global| global.space == Space::Shared && global.init == Init::External;
        let declared = module.globals().map(|(_, global)| global).filter(is_dynamic).map(|global| global.size).max();
        let dynamic_size = match state.host {
            Some(_) => launch.shared,
            None => launch.shared.max(declared.unwrap_or(0)),
        };
        for block in 0..launch.blocks() as u32 {
            let mut place = |size: u64, align: u64, object: &dyn Fn(u64) -> Object| {
                let found = state.memory.allocator_mut().heap(arena, size.max(1), align, |_| true);
                found.map(|address| state.memory.insert(object(address)))
            };
            let of_block = short(coordinates(block, launch.grid));
            let mut dynamic = None;
            for (id, global) in module.globals().filter(|(_, global)| global.space == Space::Shared) {
                let of_launch = global.init == Init::External;
                if of_launch && let Some(known) = dynamic {
                    // All of them are one piece of memory.
                    shared.insert((block, id), known);
                    continue;
                }
                let size = if of_launch { dynamic_size } else { global.size };
                let object = place(size, global.align.max(16), &|address| {
                    let contents = Contents::undefined(size as usize);
                    Object::new(ObjectKind::Global(id), address, global.ty, &global.name, contents)
                });
                if let Some(object) = object {
                    shared.insert((block, id), object);
                    dynamic = dynamic.or(of_launch.then_some(object));
                }
            }
            let barriers = place(1, 1, &|address| {
                let name = format!("the barrier of block {of_block}");
                Object::new(ObjectKind::Arguments, address, None, &name, Contents::undefined(0))
            });
            places.extend(barriers);
        }
        let found = state.memory.allocator_mut().heap(arena, 1, 1, |_| true);
        places.extend(found.map(|address| {
            let name = "the barrier of the grid";
            state.memory.insert(Object::new(ObjectKind::Arguments, address, None, name, Contents::undefined(0)))
        }));
        Gpu {
            launch,
            first,
            shared: Rc::new(shared),
            places: Rc::new(places),
            waiting: BTreeMap::new(),
            through: BTreeSet::new(),
            given: Brought::new(),
            gathered: Brought::new(),
            atomics: BTreeMap::new(),
            updated: BTreeMap::new(),
        }
    }

    /// The instance of a shared variable that a thread sees.
    pub(crate) fn shared(&self, thread: ThreadId, global: GlobalId) -> Option<ObjId> {
        self.shared.get(&(self.block_of(thread), global)).copied()
    }

    /// All instances of shared variables.
    pub(crate) fn shared_objects(&self) -> BTreeSet<ObjId> {
        self.shared.values().copied().collect()
    }

    /// A thread's number in the launch.
    fn own(&self, thread: ThreadId) -> ThreadId {
        ThreadId::new(thread.index().saturating_sub(self.first))
    }

    fn block_of(&self, thread: ThreadId) -> u32 {
        self.launch.place_of(self.own(thread)).0
    }

    pub(crate) fn position(&self, thread: ThreadId) -> GpuThread {
        self.launch.position(self.own(thread))
    }

    /// Whether a thread is one of the launch.
    pub(crate) fn has(&self, thread: ThreadId) -> bool {
        (self.first..self.first + self.launch.threads() as usize).contains(&thread.index())
    }

    /// Whether threads of it have done atomic operations.
    pub(crate) fn has_atomics(&self) -> bool {
        !self.atomics.is_empty() || !self.updated.is_empty()
    }

    pub(crate) fn may_pass(&self, thread: ThreadId) -> bool {
        self.through.contains(&thread)
    }

    /// Where the threads of a meeting wait.
    fn place(&self, thread: ThreadId, meeting: Meeting) -> Option<Place> {
        let number = match meeting {
            Meeting::Grid(_) => self.launch.blocks() as usize,
            Meeting::Barrier(_) | Meeting::Lanes { .. } => self.block_of(thread) as usize,
        };
        let object = *self.places.get(number)?;
        let offset = match meeting {
            Meeting::Barrier(site) | Meeting::Grid(site) => u64::from(site),
            Meeting::Lanes { kind, mask } => {
                let warp = u64::from(self.position(thread).warp);
                LANES | warp << 40 | u64::from(kind & 0xff) << 32 | u64::from(mask)
            }
        };
        Some(Place { object, offset })
    }

    /// The threads that have to come to a place, of those that have not ended.
    fn expected(&self, place: Place, has_ended: impl Fn(ThreadId) -> bool) -> Vec<ThreadId> {
        let Some(block) = self.places.iter().position(|&object| object == place.object) else { return Vec::new() };
        let block = block as u32;
        let thread = |own: usize| ThreadId::new(self.first + own);
        if u64::from(block) == self.launch.blocks() {
            return (0..self.launch.threads() as usize).map(thread).collect();
        }
        if place.offset & LANES == 0 {
            let size = self.launch.block_size() as usize;
            return (0..size).map(|rank| thread(block as usize * size + rank)).collect();
        }
        let (warp, mask) = ((place.offset >> 40 & 0x3f_ffff) as u32, place.offset as u32);
        let lanes = self.launch.lanes(block, warp).filter(|(lane, _)| mask >> lane & 1 == 1);
        lanes.map(|(_, own)| thread(own.index())).filter(|&thread| !has_ended(thread)).collect()
    }

    /// Lets those through for whom all others have come.
    fn let_through(&mut self, place: Place, has_ended: impl Fn(ThreadId) -> bool) -> Option<Vec<ThreadId>> {
        let expected = self.expected(place, has_ended);
        let here = self.waiting.get(&place)?;
        if !expected.iter().all(|thread| here.contains(thread)) {
            return None;
        }
        let members: Vec<ThreadId> = self.waiting.remove(&place)?.into_iter().collect();
        // Those that no instruction asks for come between what others bring and take.
        let asked_for = !is_implicit_at(place);
        let brought: Vec<(ThreadId, Value)> = members
            .iter()
            .map(|&member| (member, self.given.remove(&(asked_for, member)).unwrap_or(Value::Int(0))))
            .collect();
        let brought = Rc::new(brought);
        for &member in &members {
            self.through.insert(member);
            self.gathered.insert((asked_for, member), Rc::clone(&brought));
        }
        Some(members)
    }

    fn tells_of_several(&self) -> bool {
        self.atomics.values().filter(|told| told.of_others()).nth(1).is_some()
    }

    /// An atomic operation of a thread at a place.
    fn note_atomic(&mut self, place: Place, size: u64, by: ThreadId, (writes, tells): (bool, bool)) {
        let new = Told { size, by, several: false, written: false, tells: false };
        let told = self.atomics.entry(place).or_insert(new);
        told.several |= told.by != by;
        told.written |= writes;
        told.tells |= tells;
        told.size = told.size.max(size);
        let (end, told) = (place.offset + told.size, *told);
        let overlapping = self.atomics.iter_mut().filter(|(other, known)| {
            **other != place
                && other.object == place.object
                && other.offset < end
                && place.offset < other.offset + known.size
        });
        // Operations on a part of a place are for both.
        let mut both = told;
        for (_, known) in overlapping {
            both.several |= known.several || known.by != both.by;
            both.written |= known.written;
            both.tells |= known.tells;
            (known.several, known.written, known.tells) = (both.several, both.written, both.tells);
        }
        self.atomics.insert(place, both);
    }

    /// Whether what happens at a place orders memory: barriers do, and `__syncwarp`; shuffles and votes do not.
    fn orders(place: Place) -> bool {
        let kind = (place.offset >> 32 & 0xff) as u32;
        place.offset & LANES == 0 || orders_lanes(kind) || is_implicit(kind)
    }

    /// What a state's key compares, with values given to `value`.
    pub(crate) fn describe(&self, mut value: impl FnMut(Value)) -> String {
        for &given in self.given.values() {
            value(given);
        }
        // It is used up as soon as a thread is through, unless lanes meet once more before.
        let is_left = |asked_for: bool, thread: &ThreadId| {
            self.through.contains(thread) || asked_for && self.launch.sched == Sched::Lockstep
        };
        let mut left = Vec::new();
        for (&(asked_for, thread), brought) in self.gathered.iter().filter(|((asked, id), _)| is_left(*asked, id)) {
            brought.iter().for_each(|&(_, brought)| value(brought));
            left.push((asked_for, thread, brought.iter().map(|&(from, _)| from).collect::<Vec<_>>()));
        }
        let (waiting, through, given) = (&self.waiting, &self.through, self.given.keys());
        // Which places tell decides what later operations are taken for; from the second on, all is said.
        let atomics = (!self.tells_of_several()).then_some((&self.atomics, &self.updated));
        format!("{waiting:?} {through:?} {given:?} {left:?} {atomics:?}")
    }
}

impl State {
    /// How the kernel that is run was launched.
    pub fn launch(&self) -> Option<&Launch> {
        self.gpu.as_ref().map(|gpu| &gpu.launch)
    }

    /// Whether threads meet at this place by themselves, for they are in lockstep.
    pub fn is_implicit_meeting(&self, place: Place) -> bool {
        self.gpu.is_some() && is_implicit_at(place)
    }

    /// Where a thread of a launch is.
    pub fn gpu_thread(&self, thread: ThreadId) -> Option<GpuThread> {
        match &self.host {
            Some(host) => host.position(thread),
            None => self.gpu.as_ref().map(|gpu| gpu.position(thread)),
        }
    }

    /// The kind of memory that an object is of, as CUDA calls it.
    pub fn space(&self, module: &Module, object: ObjId) -> &'static str {
        match self.memory.object(object).kind {
            ObjectKind::Global(global) => match module[global].space {
                Space::Shared => "shared",
                Space::Constant => "constant",
                Space::Device | Space::Ordinary | Space::Managed => "global",
            },
            ObjectKind::Stack => "local",
            ObjectKind::Heap | ObjectKind::Initial | ObjectKind::Function(_) | ObjectKind::Arguments => "global",
        }
    }
}

impl StepCx<'_> {
    /// Whether the thread is one of a launch.
    pub(crate) fn is_on_device(&self) -> bool {
        self.state.gpu.is_some() && (self.state.host.is_none() || self.thread.side == Side::Device)
    }

    pub(crate) fn gpu(&mut self) -> Result<&mut Gpu, Stop> {
        if !self.is_on_device() {
            let remedy = "a kernel's function outside of a launch; `raddle gpu` launches kernels";
            return Err(self.abandon(LossKind::Unsupported, remedy));
        }
        match self.state.gpu.as_mut() {
            Some(gpu) => Ok(Rc::make_mut(gpu)),
            None => unreachable!("it was there"),
        }
    }

    /// Waits for the other threads of a meeting, in two halves: coming, and going on once all have come.
    pub(crate) fn meet(&mut self, meeting: Meeting) -> Result<(), Stop> {
        if self.is_flow() {
            return self.flow_meet(meeting);
        }
        let me = self.thread.id;
        let Some(place) = self.gpu()?.place(me, meeting) else {
            return Err(self.abandon(LossKind::Unsupported, "a launch with more blocks than there is room for"));
        };
        if !self.thread.waiting {
            self.thread.waiting = true;
            self.thread.granted = false;
            self.gpu()?.waiting.entry(place).or_default().insert(me);
            self.let_through(place);
        }
        if !self.gpu()?.through.remove(&me) {
            return Err(Stop::Visible(concurrency::Action::Pass(place)));
        }
        self.thread.waiting = false;
        // What it was granted is this, and not what the instruction does behind it.
        self.thread.granted = false;
        Ok(())
    }

    fn let_through(&mut self, place: Place) {
        let me = self.thread.id;
        let ended: Vec<bool> = self.state.threads.iter().map(|thread| thread.status == Status::Ended).collect();
        let has_ended = |thread: ThreadId| thread != me && ended.get(thread.index()).copied().unwrap_or(true);
        let Some(gpu) = self.state.gpu.as_mut() else { return };
        if let Some(members) = Rc::make_mut(gpu).let_through(place, has_ended)
            && Gpu::orders(place)
        {
            self.state.order.meet(&members);
        }
    }

    /// The thread ends: those that wait for lanes need not wait for it.
    pub(crate) fn leave_launch(&mut self) {
        let me = self.thread.id;
        let Some(gpu) = self.state.gpu.as_ref().filter(|_| self.is_on_device()) else { return };
        let places: Vec<Place> = gpu.waiting.keys().copied().filter(|place| place.offset & LANES != 0).collect();
        let mut ended: Vec<bool> = self.state.threads.iter().map(|thread| thread.status == Status::Ended).collect();
        ended[me.index()] = true;
        for place in places {
            let Some(gpu) = self.state.gpu.as_mut() else { return };
            let members = Rc::make_mut(gpu).let_through(place, |thread| ended[thread.index()]);
            if let Some(members) = members
                && Gpu::orders(place)
            {
                self.state.order.meet(&members);
            }
        }
    }

    /// What the threads brought that this one met last, by lane if they are of a warp; `asked_for`: at a meeting that is an instruction
    /// of the program's.
    pub(crate) fn gathered(&mut self, asked_for: bool) -> Result<Vec<(u32, Value)>, Stop> {
        let me = self.thread.id;
        let gpu = self.gpu()?;
        let brought = gpu.gathered.get(&(asked_for, me)).cloned().unwrap_or_default();
        Ok(brought.iter().map(|&(thread, value)| (gpu.position(thread).lane, value)).collect())
    }

    /// The number of the call stack that the thread is at, without the library's functions.
    pub(crate) fn context(&mut self) -> u32 {
        let own = self.thread.frames.iter().filter(|frame| !self.program.module[frame.function].library);
        let stack = own.map(|frame| (frame.function, frame.block, frame.inst)).collect();
        self.engine.contexts.number(stack)
    }

    /// What there is to say of a race, if it is one between threads of a launch.
    pub(crate) fn gpu_race(&self, earlier: &Record, later: &Record) -> Option<GpuRace> {
        let (x, y) = (self.state.gpu_thread(earlier.thread)?, self.state.gpu_thread(later.thread)?);
        if !self.state.are_of_one_launch(earlier.thread, later.thread) {
            return Some(GpuRace { class: RaceClass::Global, scope_error: false });
        }
        let is_divergent = || self.engine.contexts.are_divergent(&self.program.module, earlier.context, later.context);
        let class = match (x.block == y.block, x.warp == y.warp) {
            (false, _) => RaceClass::Global,
            (true, false) => RaceClass::InterWarp,
            (true, true) if is_divergent() => RaceClass::IntraWarpDivergent,
            (true, true) => RaceClass::IntraWarp,
        };
        // Atomic for each other they would be with wider scopes, or ordered.
        let are_atomic = earlier.atomic && later.atomic;
        let scope_error = are_atomic || self.state.order.would_precede((earlier.thread, earlier.epoch), later.thread);
        Some(GpuRace { class, scope_error })
    }

    /// Notes an atomic operation, which may write, and may tell what was done there before. Whether threads can tell by several places what
    /// others did, and this is one of those by which they do, or makes it so.
    pub(crate) fn tells_of_several(&mut self, place: Place, size: u64, (writes, tells): (bool, bool)) -> bool {
        let me = self.thread.id;
        if !self.is_on_device() {
            return true;
        }
        let Some(gpu) = self.state.gpu.as_mut() else { return true };
        if gpu.tells_of_several() {
            return tells;
        }
        // Then it makes no difference, and nothing is copied.
        if gpu.atomics.get(&place).is_some_and(|told| told.has(size, me, (writes, tells))) {
            return false;
        }
        Rc::make_mut(gpu).note_atomic(place, size, me, (writes, tells));
        gpu.tells_of_several()
    }

    /// Notes an update whose result nobody uses; whether its order among those of its place can be told later, from what they come to.
    pub(crate) fn tells_with_others(&mut self, place: Place, op: RmwOp, size: u64) -> bool {
        let Some(gpu) = self.state.gpu.as_mut() else { return true };
        // Subtraction is addition of the complement.
        let op = if op == RmwOp::Sub { RmwOp::Add } else { op };
        match gpu.updated.get(&place) {
            Some(&known) => known != (op, size),
            None => {
                let overlaps = |(&other, &(_, width)): (&Place, &(RmwOp, u64))| {
                    other.object == place.object
                        && other.offset < place.offset + size
                        && place.offset < other.offset + width
                };
                let tells = gpu.updated.iter().any(overlaps);
                Rc::make_mut(gpu).updated.insert(place, (op, size));
                tells
            }
        }
    }

    /// Brings a value to the next meeting.
    pub(crate) fn give(&mut self, asked_for: bool, value: Value) -> Result<(), Stop> {
        let me = self.thread.id;
        self.gpu()?.given.insert((asked_for, me), value);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(grid: [u32; 3], block: [u32; 3], warp: u32) -> Launch {
        Launch { grid, block, warp, shared: 0, sched: Sched::Independent }
    }

    #[test]
    fn positions_count_x_first() {
        let launch = launch([2, 2, 1], [2, 3, 1], 4);
        let at = |thread: usize| launch.position(ThreadId::new(thread));
        assert_eq!(launch.threads(), 24);
        assert_eq!(at(0), GpuThread { block: [0; 3], thread: [0; 3], warp: 0, lane: 0 });
        assert_eq!(at(5), GpuThread { block: [0; 3], thread: [1, 2, 0], warp: 1, lane: 1 });
        assert_eq!(at(6 + 3), GpuThread { block: [1, 0, 0], thread: [1, 1, 0], warp: 0, lane: 3 });
        assert_eq!(at(23).block, [1, 1, 0]);
    }

    #[test]
    fn the_last_warp_has_the_lanes_that_are_left() {
        let launch = launch([1, 1, 1], [6, 1, 1], 4);
        let lanes: Vec<(u32, usize)> = launch.lanes(0, 1).map(|(lane, thread)| (lane, thread.index())).collect();
        assert_eq!(lanes, [(0, 4), (1, 5)]);
    }
}
