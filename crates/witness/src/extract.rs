//! From a confirmed run to a witness.

use crate::concrete::{Cell, Concrete, ConcreteObject, Setting, Threads};
use crate::describe::{Describe, locks_in};
use crate::format::{
    AccessInfo, AccessSite, ArgumentValue, BlockedInfo, CellValue, Command, EarlierAccess, EarlierRace, Failure,
    GpuAccess, Heap, HeapCell, HeapObject, LibraryCall, OperationCall, ProgramRef, SCHEMA, ScheduleStep, Settings,
    SourcePosition, StepKind, SymbolValue, Touched, Witness,
};
use crate::minimise::Confirmed;
use crate::minimise::reached;
use crate::steer::Performed;
use concurrency::{AccessKind, Action, Held, Place, Range, Record, Site, SyncOp, ThreadId};
use explore::{FindingKind, Operation, RootRule, Sequence, argument_symbol, is_divergence};
use ir::{Callee, DebugType, IntKind, Module, Op, PointerSize, TypeId, basic_type, c_type};
use machine::{Backtrace, Engine, LoggedAccess, Outcome, Program};
use memory::{ObjId, ObjectKind, Value};
use std::collections::BTreeSet;

/// Identifies a program: a hash of its lowered form.
///
/// # Errors
/// Only if memory runs out.
pub fn program_fingerprint(module: &Module) -> Result<String, ir::binary::WriteError> {
    Ok(blake3::hash(&ir::binary::write(module)?).to_hex().to_string())
}

/// Those of a client's that the program has bodies of.
fn client_functions(module: &Module) -> Vec<String> {
    let own = |function: &&ir::Function| machine::is_client_function(function) && !function.is_declaration();
    module.functions.iter().filter(own).map(|function| function.name.clone()).collect()
}

/// Writes a confirmed run down.
pub fn witness(
    engine: &mut Engine,
    setting: &Setting,
    confirmed: &Confirmed,
    program: ProgramRef,
    spurious: u32,
) -> Witness {
    let shared = std::sync::Arc::clone(&engine.program);
    // A test that looks at less is a test all the same.
    let left = crate::steer::left(engine, setting, confirmed).unwrap_or_default();
    let writer = Writer::new(&shared, setting, confirmed);
    let mut visible: Vec<u32> = engine.visible.iter().map(|site| site.index() as u32).collect();
    visible.sort_unstable();
    Witness {
        schema: SCHEMA.to_owned(),
        raddle: env!("CARGO_PKG_VERSION").to_owned(),
        command: match setting.entry {
            Threads::Main(_) if engine.config.device.is_some() => Command::Gpu,
            Threads::Main(_) => Command::Check,
            Threads::Library(_) => Command::Races,
            Threads::Launch(_) => Command::Gpu,
        },
        launch: match &setting.entry {
            Threads::Launch(kernel) => Some(kernel.launch),
            Threads::Main(_) | Threads::Library(_) => None,
        },
        program,
        failure: Failure {
            depends_on: writer.concrete.depends_on.clone(),
            earlier: writer.earlier(),
            left,
            ..writer.failure()
        },
        operations: writer.operations(),
        heap: writer.heap(),
        roots: writer.concrete.heap.roots.iter().map(|(path, cell)| (path.clone(), writer.value(*cell))).collect(),
        symbols: writer
            .concrete
            .symbols
            .iter()
            .map(|(name, (bits, value))| SymbolValue { name: name.clone(), bits: *bits, hex: format!("{value:x}") })
            .collect(),
        first_picks: writer.concrete.first_picks.clone(),
        inputs: writer.inputs(engine),
        created: writer.created(),
        schedule: writer.schedule(),
        visible,
        visible_sites: {
            let volatile = volatile_sites(&shared).filter(|_| engine.config.relaxed_volatile);
            visible_sites(&shared, &engine.visible.iter().copied().chain(volatile).collect::<Vec<Site>>())
        },
        atomic_sizes: atomic_sizes(&shared.module),
        takes: Vec::new(),
        client_functions: client_functions(&shared.module),
        settings: Settings {
            depth: setting.limits.depth,
            array: setting.limits.array,
            rules: setting.limits.rules,
            globals_symbolic: setting.globals_symbolic,
            roots_any: setting.roots == RootRule::Any,
            spurious,
            fail_alloc: engine.config.fail_alloc,
            relaxed_volatile: engine.config.relaxed_volatile,
            any_indeterminate: engine.config.any_indeterminate,
            error_location: engine.config.error_location,
            member_bounds: engine.config.member_bounds,
            device: engine.config.device,
        },
    }
}

/// Plain accesses that are volatile.
fn volatile_sites(program: &Program) -> impl Iterator<Item = Site> {
    (0..program.site_count()).map(Site::new).filter(|&site| {
        matches!(
            program.site_op(site),
            Some(Op::Load { volatile: true, order: None, .. } | Op::Store { volatile: true, order: None, .. })
        )
    })
}

/// Where the visible accesses stand, and what each does. One without a line is never recognised natively.
fn visible_sites<'a>(program: &Program, visible: impl IntoIterator<Item = &'a Site>) -> Vec<AccessSite> {
    let module = &program.module;
    let site = |&site: &Site| {
        let access = accesses(module, program.site_op(site)?)?.to_owned();
        let place = &module[program.site_location(site)?];
        let file = module[place.file].path.clone();
        Some(AccessSite { file, line: place.line, column: place.column, access })
    };
    let sites: BTreeSet<AccessSite> = visible.into_iter().filter_map(site).filter(|site| site.line != 0).collect();
    sites.into_iter().collect()
}

/// What an instruction does to memory. Library functions other than `free` may do anything.
fn accesses(module: &Module, op: &Op) -> Option<&'static str> {
    match op {
        Op::Load { .. } => Some("read"),
        Op::Store { .. } | Op::MemSet { .. } => Some("write"),
        Op::AtomicRmw { .. } | Op::CompareExchange { .. } | Op::MemCopy { .. } => Some("read_write"),
        Op::Call { callee: Callee::Direct(function), .. } if module[*function].name == "free" => Some("free"),
        Op::Call { .. } => Some("read_write"),
        Op::Binary { .. }
        | Op::Compare { .. }
        | Op::Cast { .. }
        | Op::Select { .. }
        | Op::Overflow { .. }
        | Op::Bits { .. }
        | Op::Float { .. }
        | Op::FloatCompare { .. }
        | Op::FloatCast { .. }
        | Op::FloatClass { .. }
        | Op::Offset { .. }
        | Op::Alloca { .. }
        | Op::Aligned { .. }
        | Op::LocalBegin { .. }
        | Op::LocalEnd { .. }
        | Op::Fence { .. }
        | Op::Uninit { .. }
        | Op::ThreadLocal { .. }
        | Op::VaStart { .. }
        | Op::VaEnd { .. }
        | Op::VaCopy { .. }
        | Op::StackSave { .. }
        | Op::StackRestore { .. }
        | Op::Unsupported { .. } => None,
    }
}

fn atomic_sizes(module: &Module) -> Vec<u64> {
    let size = |op: &Op| match op {
        Op::Load { ty, order: Some(_), .. }
        | Op::Store { ty, order: Some(_), .. }
        | Op::AtomicRmw { ty, .. }
        | Op::CompareExchange { ty, .. } => Some(ty.store_size(module.pointer)),
        _ => None,
    };
    let insts = module.functions.iter().flat_map(|f| &f.blocks).flat_map(|b| &b.insts);
    let sizes: BTreeSet<u64> = insts.filter_map(|inst| size(&inst.op)).collect();
    sizes.into_iter().collect()
}

pub(crate) struct Writer<'a> {
    program: &'a Program,
    setting: &'a Setting,
    pub(crate) concrete: &'a Concrete,
    pub(crate) confirmed: &'a Confirmed,
    pub(crate) describe: Describe<'a>,
    /// Number in the witness of each concrete object that is kept.
    numbers: Vec<Option<u32>>,
    names: Vec<String>,
}

impl<'a> Writer<'a> {
    fn new(program: &'a Program, setting: &'a Setting, confirmed: &'a Confirmed) -> Self {
        let concrete = &confirmed.concrete;
        let mut next = 0;
        let heap = &concrete.heap;
        let cells = heap.objects.iter().flat_map(|object| object.cells.values()).chain(heap.roots.values());
        let targets: BTreeSet<usize> =
            cells.filter_map(|cell| if let Cell::Pointer(to, _) = cell { Some(*to) } else { None }).collect();
        let numbers: Vec<Option<u32>> = reached(concrete)
            .into_iter()
            .zip(heap.objects.iter().enumerate())
            // A global that nothing is known of, and nothing leads to, is as good as untouched.
            .map(|(reached, (index, object))| {
                reached && (object.global.is_none() || !object.cells.is_empty() || targets.contains(&index))
            })
            .map(|kept| {
                kept.then(|| {
                    next += 1;
                    next - 1
                })
            })
            .collect();
        let mut count = 0;
        let names = concrete
            .heap
            .objects
            .iter()
            .zip(&numbers)
            .map(|(object, number)| match (&object.global, number) {
                (Some(name), _) => name.clone(),
                (None, Some(_)) => {
                    count += 1;
                    format!("N{count}")
                }
                (None, None) => String::new(),
            })
            .collect();
        let mut describe = Describe::new(program, &confirmed.ran.state);
        let mut order = Vec::new();
        for (index, name) in confirmed.ran.objects.iter().zip(&names) {
            if let Some(object) = index {
                order.push((*object, String::clone(name)));
            }
        }
        describe.names.rename(order);
        Writer { program, setting, concrete, confirmed, describe, numbers, names }
    }

    fn module(&self) -> &'a Module {
        &self.program.module
    }

    fn value(&self, cell: Cell) -> CellValue {
        match cell {
            Cell::Integer(_, bits) => CellValue::Integer(bits),
            Cell::Null => CellValue::Null,
            Cell::Function(function) => CellValue::Function(self.module()[function].name.clone()),
            Cell::Pointer(index, offset) => match self.numbers[index] {
                Some(object) => {
                    let target = &self.concrete.heap.objects[index];
                    let path = if offset == 0 { String::new() } else { self.marked_path(target, offset) };
                    CellValue::Pointer { object, offset, path }
                }
                None => CellValue::Null,
            },
        }
    }

    /// A path with the mark that may be in the lowest bits of the address.
    fn marked_path(&self, object: &ConcreteObject, offset: u64) -> String {
        let size = self.module().size_of(object.ty).filter(|&s| s > 0).unwrap_or(1);
        let begins = self.module().scalar_at(object.ty, offset % size).is_some_and(|s| s.offset == offset % size);
        let mark = if begins { 0 } else { offset & u64::from(self.program.facts.tags()) };
        match (mark, offset - mark) {
            (0, _) => self.path(object, offset),
            (_, 0) => format!(" | {mark}"),
            (_, rest) => format!("{} | {mark}", self.path(object, rest)),
        }
    }

    fn path(&self, object: &ConcreteObject, offset: u64) -> String {
        let size = self.module().size_of(object.ty).filter(|&s| s > 0).unwrap_or(1);
        let inner = self.module().path_to(object.ty, offset % size);
        if object.count > 1 { format!("[{}]{inner}", offset / size) } else { inner }
    }

    fn basic_type(&self, object: &ConcreteObject, offset: u64) -> String {
        let module = self.module();
        let size = module.size_of(object.ty).filter(|&s| s > 0).unwrap_or(1);
        let scalar = module.scalar_at(object.ty, offset % size).filter(|scalar| scalar.offset == offset % size);
        scalar.map(|scalar| basic_type(module, scalar.ty)).unwrap_or_default()
    }

    fn heap(&self) -> Heap {
        let objects = self
            .concrete
            .heap
            .objects
            .iter()
            .enumerate()
            .filter(|(index, _)| self.numbers[*index].is_some())
            .map(|(index, object)| {
                let global =
                    object.global.as_ref().and_then(|name| self.module().globals.iter().find(|g| g.name == *name));
                HeapObject {
                    name: self.names[index].clone(),
                    global: object.global.is_some(),
                    is_static: global.is_some_and(|g| !g.external),
                    by_value: object.passed,
                    c_type: c_type(self.module(), object.ty),
                    count: object.count,
                    size: self.module().size_of(object.ty).unwrap_or(0) * object.count,
                    cells: object
                        .cells
                        .iter()
                        .map(|(&offset, &cell)| HeapCell {
                            offset,
                            size: match cell {
                                Cell::Integer(size, _) => u64::from(size),
                                Cell::Null | Cell::Pointer(..) | Cell::Function(_) => self.module().pointer.bytes(),
                            },
                            path: self.path(object, offset),
                            basic_type: self.basic_type(object, offset),
                            value: self.value(cell),
                        })
                        .collect(),
                    locks: locks_in(self.module(), object.ty, object.count),
                }
            })
            .collect();
        Heap { objects }
    }

    /// Object of the written heap and offset.
    fn in_heap(&self, object: ObjId, offset: u64) -> Option<(u32, u64)> {
        let known = self.confirmed.ran.objects.iter().position(|o| *o == Some(object)).or_else(|| {
            let shape = self.confirmed.ran.state.memory.shape();
            let initial = shape.object(object).filter(|o| o.global)?;
            self.concrete.heap.objects.iter().position(|o| o.global.as_ref() == Some(&initial.path))
        })?;
        Some((self.numbers[known]?, offset))
    }

    fn operations(&self) -> Vec<OperationCall> {
        let threads = match &self.setting.entry {
            Threads::Main(_) => return Vec::new(),
            Threads::Launch(kernel) => return vec![self.call(0, 0, &kernel.operation)],
            Threads::Library(threads) => threads,
        };
        let sequence = |(thread, sequence): (usize, &Sequence)| {
            let then =
                sequence.then.iter().enumerate().map(|(index, next)| self.call(thread, index + 1, next)).collect();
            OperationCall { then, ..self.call(thread, 0, &sequence.first) }
        };
        threads.iter().enumerate().map(sequence).collect()
    }

    /// Which of its calls, from 0, a thread is in that has so many to come.
    fn call_number(&self, thread: ThreadId, to_come: usize) -> u32 {
        let Threads::Library(threads) = &self.setting.entry else { return 0 };
        threads.get(thread.index()).map_or(0, |sequence| (sequence.length() - 1).saturating_sub(to_come) as u32)
    }

    fn call(&self, thread: usize, call: usize, operation: &Operation) -> OperationCall {
        let module = self.module();
        let function = &module[operation.function];
        let ran = &self.confirmed.ran;
        let args = function
            .source_params
            .iter()
            .enumerate()
            .map(|(index, param)| {
                let by_value = module.is_record(param.ty);
                let value = match module[module.strip(param.ty)] {
                    DebugType::Pointer { .. } | DebugType::Record { .. } => {
                        let given = ran.calls.get(thread).and_then(|calls| calls.get(call));
                        let root = match given.and_then(|given| given.arguments.get(index)) {
                            Some(Value::Lazy { pointer, .. }) => Some(ran.state.memory.shape().pointer(*pointer)),
                            _ => None,
                        };
                        let cell = root.and_then(|root| self.concrete.heap.roots.get(&root.path));
                        cell.map_or(CellValue::Null, |cell| self.value(*cell))
                    }
                    _ => {
                        let name = argument_symbol(thread, call, &param.name);
                        let (width, value) = self.concrete.symbols.get(&name).copied().unwrap_or_default();
                        CellValue::Integer(as_long(module, param.ty, width, value as u64))
                    }
                };
                ArgumentValue {
                    name: param.name.clone(),
                    c_type: c_type(module, param.ty),
                    basic_type: basic_type(module, param.ty),
                    private: operation.private.contains(&index),
                    alone: operation.alone.contains(&index),
                    by_value,
                    value,
                }
            })
            .collect();
        OperationCall {
            name: operation.name.clone(),
            function: function.name.clone(),
            file: function.file.map(|f| module[f].path.clone()).unwrap_or_default(),
            is_static: !function.external,
            return_type: function.return_type.map_or_else(|| "void".to_owned(), |ty| c_type(module, ty)),
            args,
            then: Vec::new(),
        }
    }

    fn failure(&self) -> Failure {
        let ran = &self.confirmed.ran;
        match &ran.failure {
            Some(FindingKind::Race(sighting)) => {
                let stacks = ran.stacks.clone().unwrap_or_default();
                let access = |record: &Record, range: Range, stack: &Backtrace, held: &[Held]| {
                    self.access(record, range, stack, held)
                };
                let accesses = vec![
                    access(&sighting.earlier, sighting.earlier_range, &stacks[0], &ran.held[0]),
                    access(&sighting.later, sighting.later_range, &stacks[1], &ran.held[1]),
                ];
                let detail = format!("data race on {}", accesses[0].place);
                let location = accesses[0].position.clone();
                let race = sighting.gpu;
                let kind = if race.is_some_and(|race| race.scope_error) { "scope_error" } else { "data_race" };
                Failure { kind: kind.to_owned(), detail, location, race, accesses, ..Failure::default() }
            }
            Some(FindingKind::Fault(fault)) => Failure {
                kind: fault.kind.name().to_owned(),
                detail: fault.detail.clone(),
                location: self.describe.position(&fault.backtrace),
                thread: ran.last.map(|thread| thread.index() as u32),
                ..Failure::default()
            },
            Some(FindingKind::Deadlock(blocked)) => {
                let diverged = is_divergence(&ran.state, blocked);
                let blocked: Vec<BlockedInfo> = blocked
                    .iter()
                    .map(|b| BlockedInfo {
                        gpu: ran.state.gpu_thread(b.thread),
                        thread: b.thread.index() as u32,
                        call: self.call_number(b.thread, b.backtrace.calls_to_come),
                        thread_name: self.describe.thread(b.thread),
                        holds: b.holds.iter().map(|h| self.describe.lock(h)).collect(),
                        waits_for: self.describe.waiting(&b.waits_for),
                        position: self.describe.position(&b.backtrace),
                    })
                    .collect();
                let location = blocked.first().map(|b| b.position.clone()).unwrap_or_default();
                if diverged {
                    let (kind, detail) = ("barrier_divergence".to_owned(), self.divergence(&blocked));
                    return Failure { kind, detail, location, blocked, ..Failure::default() };
                }
                let detail = match blocked.len() {
                    1 => "one thread waits for ever".to_owned(),
                    count => format!("{count} threads wait for ever"),
                };
                Failure { kind: "deadlock".to_owned(), detail, location, blocked, ..Failure::default() }
            }
            None => Failure::default(),
        }
    }

    /// Who waits at a barrier, and for whom.
    fn divergence(&self, blocked: &[BlockedInfo]) -> String {
        let state = &self.confirmed.ran.state;
        let Some(block) = blocked.first().and_then(|first| first.gpu).map(|gpu| gpu.block) else {
            return String::new();
        };
        let is_here = |&thread: &ThreadId| state.gpu_thread(thread).is_some_and(|gpu| gpu.block == block);
        let ended =
            state.thread_ids().filter(is_here).filter(|thread| state.thread(*thread).result().is_some()).count();
        let places: BTreeSet<String> =
            blocked.iter().map(|b| format!("{}:{}", b.position.file, b.position.line)).collect();
        let places: Vec<String> = places.into_iter().collect();
        let waits = if blocked.len() == 1 { "1 thread of the block waits" } else { "threads of the block wait" };
        let count = if blocked.len() == 1 { String::new() } else { format!("{} ", blocked.len()) };
        let others = match ended {
            0 => String::new(),
            1 => ", and 1 thread has ended without coming there".to_owned(),
            ended => format!(", and {ended} threads have ended without coming there"),
        };
        format!("{count}{waits} at {}{others}", places.join(" and at "))
    }

    /// The races by which threads came to the failure.
    fn earlier(&self) -> Vec<EarlierRace> {
        let side = |logged: &LoggedAccess| EarlierAccess {
            thread: logged.record.thread.index() as u32,
            access: access_name(logged.record.kind).to_owned(),
            step: self.step_of(&logged.record),
            position: SourcePosition { stack: Vec::new(), ..self.describe.position(&logged.backtrace) },
        };
        let races = self.confirmed.ran.earlier.iter();
        races.map(|[write, read]| EarlierRace { write: side(write), read: side(read) }).collect()
    }

    /// The step during which an access happens.
    fn step_of(&self, record: &Record) -> Option<u32> {
        self.confirmed.ran.performed.iter().rposition(|p| p.time <= record.time).map(|at| at as u32)
    }

    fn access(&self, record: &Record, range: Range, stack: &Backtrace, held: &[Held]) -> AccessInfo {
        let place = Place { object: range.object, offset: range.offset };
        AccessInfo {
            thread: record.thread.index() as u32,
            call: self.call_number(record.thread, stack.calls_to_come),
            thread_name: self.describe.thread(record.thread),
            gpu: self.describe.state.gpu_thread(record.thread).map(|thread| GpuAccess {
                thread,
                space: self.describe.state.space(self.module(), range.object).to_owned(),
                launch: self.describe.launch(record.thread),
            }),
            access: access_name(record.kind).to_owned(),
            automatic: self.describe.state.memory.object(range.object).kind == ObjectKind::Stack,
            variable: explore::is_variable(self.describe.program, &self.describe.state.memory, range.object),
            atomic: record.atomic,
            size: range.size,
            place: self.describe.place_of(place),
            object: self.in_heap(range.object, range.offset),
            locks: held.iter().map(|h| self.describe.lock(h)).collect(),
            held: held.iter().map(|h| self.describe.held_lock(range.object, h)).collect(),
            field: self.describe.field(place),
            touches: Some(touched(range.object, range.offset, range.size)),
            step: self.step_of(record),
            position: self.describe.position(stack),
        }
    }

    fn schedule(&self) -> Vec<ScheduleStep> {
        self.confirmed
            .ran
            .performed
            .iter()
            .map(|performed| {
                let (kind, place, mut action) = self.action(&performed.action, &performed.backtrace);
                action += match performed.outcome {
                    Outcome::Plain => "",
                    Outcome::Gets => ", and gets it",
                    Outcome::Misses => ", in vain",
                };
                if ends_unasked(performed) {
                    action += UNASKED;
                }
                let size = match performed.action {
                    Action::Access { range, .. } => range.size,
                    _ => 0,
                };
                ScheduleStep {
                    thread: performed.thread.index() as u32,
                    thread_name: self.describe.thread(performed.thread),
                    action,
                    kind,
                    size,
                    object: place.and_then(|(object, offset)| self.in_heap(object, offset)),
                    touches: place.map(|(object, offset)| touched(object, offset, size)),
                    position: self.describe.position(&performed.backtrace),
                    library: performed.library.clone().map(|(function, continues)| LibraryCall { function, continues }),
                    picks: performed.picks.clone(),
                }
            })
            .collect()
    }

    /// Whether a call that begins an atomic section enters a function of the program's.
    fn enters_function(&self, backtrace: &Backtrace) -> bool {
        let program = self.describe.program;
        self.is_at(backtrace, |op| match op {
            Op::Call { callee: Callee::Direct(callee), .. } => {
                let callee = &program.module[*callee];
                !callee.is_declaration() && callee.name.starts_with("__VERIFIER_atomic_")
            }
            _ => false,
        })
    }

    /// Whether such an instruction stands at a position.
    fn is_at(&self, backtrace: &Backtrace, is_such: impl Fn(&Op) -> bool) -> bool {
        let Some(frame) = backtrace.frames.first() else { return false };
        let mut insts = self.describe.program.module[frame.function].blocks.iter().flat_map(|block| &block.insts);
        insts.any(|inst| inst.location == frame.location && is_such(&inst.op))
    }

    fn action(&self, action: &Action, backtrace: &Backtrace) -> (StepKind, Option<(ObjId, u64)>, String) {
        match action {
            Action::Sync { op, place } => {
                let verb = match op {
                    SyncOp::Init => "initialises",
                    SyncOp::Destroy => "destroys",
                    SyncOp::Lock | SyncOp::WriteLock => "locks",
                    SyncOp::TryLock | SyncOp::TryReadLock | SyncOp::TryWriteLock => "tries to lock",
                    SyncOp::TimedLock | SyncOp::TimedReadLock | SyncOp::TimedWriteLock => "tries for a time to lock",
                    SyncOp::SemWait => "waits for",
                    SyncOp::SemTryWait => "tries to take from",
                    SyncOp::SemTimedWait => "tries for a time to take from",
                    SyncOp::SemPost => "posts",
                    SyncOp::SemValue => "reads the value of",
                    SyncOp::OwnerDies => "ends as the owner of",
                    SyncOp::KeyEnd => "looks up the destructor of",
                    SyncOp::ReadLock => "locks for reading",
                    SyncOp::Unlock | SyncOp::ReadUnlock | SyncOp::WriteUnlock => "unlocks",
                    SyncOp::Signal => "signals",
                    SyncOp::Broadcast => "broadcasts",
                    SyncOp::Once => "enters once",
                    SyncOp::OnceDone => "completes once",
                };
                let text = format!("{verb} {}", self.describe.place_of(*place));
                // The end of a thread makes no call.
                let native = !matches!(op, SyncOp::OwnerDies | SyncOp::KeyEnd);
                (if native { StepKind::Call } else { StepKind::Leave }, Some((place.object, place.offset)), text)
            }
            Action::Wait { condition, .. } => {
                let text = format!("waits on {}", self.describe.place_of(*condition));
                (StepKind::Call, Some((condition.object, condition.offset)), text)
            }
            Action::Wake { condition, .. } => {
                let text = format!("wakes from {}", self.describe.place_of(*condition));
                (StepKind::Wake, Some((condition.object, condition.offset)), text)
            }
            Action::GiveUp { condition } => {
                let text = format!("stops waiting on {}", self.describe.place_of(*condition));
                (StepKind::Wake, Some((condition.object, condition.offset)), text)
            }
            Action::Arrive { barrier, .. } => {
                let text = format!("arrives at {}", self.describe.place_of(*barrier));
                (StepKind::Call, Some((barrier.object, barrier.offset)), text)
            }
            Action::Pass(barrier) => {
                let text = format!("goes on behind {}", self.describe.place_of(*barrier));
                (StepKind::Leave, Some((barrier.object, barrier.offset)), text)
            }
            Action::AtomicBegin => {
                let kind = if self.enters_function(backtrace) { StepKind::Enter } else { StepKind::Call };
                (kind, None, "begins an atomic section".to_owned())
            }
            Action::TryJoin { thread, .. } => {
                (StepKind::Call, None, format!("tries to join thread {}", self.describe.thread(*thread)))
            }
            Action::Leave => {
                let block = self.is_at(backtrace, |op| matches!(op, Op::LocalEnd { .. } | Op::StackRestore { .. }));
                let what = if block { "block" } else { "function" };
                (StepKind::Leave, None, format!("leaves the {what}: its variables end"))
            }
            Action::Access { range, write, .. } => {
                let verb = if *write { "writes" } else { "reads" };
                let kind = if *write { StepKind::Store } else { StepKind::Load };
                let text =
                    format!("{verb} {}", self.describe.place_of(Place { object: range.object, offset: range.offset }));
                (kind, Some((range.object, range.offset)), text)
            }
            Action::Join(thread) => (StepKind::Join, None, format!("joins thread {}", self.describe.thread(*thread))),
            Action::Exit => (StepKind::Exit, None, "ends the process".to_owned()),
        }
    }
}

/// As witnesses and reports spell it.
fn access_name(kind: AccessKind) -> &'static str {
    match kind {
        AccessKind::Read => "read",
        AccessKind::Write => "write",
        AccessKind::ReadWrite => "read_write",
        AccessKind::Free => "free",
    }
}

/// Synchronisation objects have no size that matters: a byte stands for them.
fn touched(object: ObjId, offset: u64, size: u64) -> Touched {
    Touched { object: object.index() as u32, offset, size: size.max(1) }
}

/// What a wait that ends without a signal, and not because its time is over, has behind it.
const UNASKED: &str = " (wakes spuriously)";

/// Whether a wait ends spuriously by this action: a wait without a time limit decides it as it begins.
fn ends_unasked(performed: &Performed) -> bool {
    let may = matches!(performed.action, Action::Wait { .. } | Action::GiveUp { .. });
    may && performed.picks.contains(&1)
}

impl Witness {
    /// Some wait ends in it without a signal (a spurious wake-up: POSIX `pthread_cond_wait`, C11 7.26.3.6).
    pub fn wakes_spuriously(&self) -> bool {
        self.schedule.iter().any(|step| step.action.ends_with(UNASKED))
    }
}

/// An argument of a type that is shorter where pointers are, such as `long`: as it would be where they are not, as which
/// readers of a witness take it.
fn as_long(module: &Module, ty: TypeId, width: u32, bits: u64) -> u64 {
    match module[module.strip(ty)] {
        DebugType::Int { kind: IntKind::Signed, .. } if module.pointer == PointerSize::Four && width < 64 => {
            let unused = 64 - width.max(1);
            ((bits << unused).cast_signed() >> unused).cast_unsigned()
        }
        _ => bits,
    }
}
