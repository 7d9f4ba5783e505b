//! From witnesses to findings of a report.

use explore::{GuardedAccess, LockOwner};
use machine::RaceClass;
use report::{
    Access, AccessKind, Blocked, Content, EarlierAccess, EarlierRace, Finding, FindingKind, GpuAccess, GpuThread,
    Guard, GuardOwner, Guarded, Heap, HeapField, HeapObject, HeapRoot, Input, InputValue, Launch, Location, Real,
    ScheduleStep, ShapeBasis, ThreadName, Touches,
};
use witness::format::{
    AccessInfo, BlockedInfo, CellValue, Command, HeldLock, Number, SourcePosition, StepKind, Touched, Witness,
};

/// The finding that a witness shows.
pub(super) fn finding(witness: &Witness, shape: Option<ShapeBasis>) -> Option<Finding> {
    let failure = &witness.failure;
    let kind = FindingKind::named(&failure.kind)?;
    let mut finding = match failure.accesses.as_slice() {
        [first, second] => {
            let mut sides = [access(witness, first), access(witness, second)];
            // The order of the two says nothing: the write first, then by position.
            sides.sort_by_key(|a| (a.access == AccessKind::Read, a.location.clone(), a.thread));
            Finding { kind, ..Finding::race(sides) }
        }
        _ => Finding::new(kind, location(&failure.location)),
    };
    finding.class = failure.race.map(|race| class(race.class));
    finding.launch = witness.launch.map(|launch| Launch {
        grid: launch.grid,
        block: launch.block,
        warp: launch.warp,
        shared: launch.shared,
        sched: launch.sched.name(),
    });
    finding.unconfirmed = failure
        .depends_on
        .as_ref()
        .map(|function| format!("it may depend on what `{function}` does, which has no body and no model"));
    finding.confirmed = finding.unconfirmed.is_none();
    finding.shape = shape;
    finding.detail.clone_from(&failure.detail);
    finding.blocked = failure.blocked.iter().map(|b| blocked(witness, b)).collect();
    finding.inputs = inputs(witness);
    finding.heap = (!witness.heap.objects.is_empty() || !witness.roots.is_empty()).then(|| heap(witness));
    finding.threads = threads(witness);
    finding.schedule = schedule(witness, &finding.accesses);
    finding.earlier = failure.earlier.iter().map(|race| earlier(witness, race)).collect();
    Some(finding)
}

/// As reports spell it.
fn class(class: RaceClass) -> &'static str {
    match class {
        RaceClass::IntraWarp => "intra_warp",
        RaceClass::IntraWarpDivergent => "intra_warp_divergent",
        RaceClass::InterWarp => "inter_warp",
        RaceClass::Global => "global",
    }
}

fn gpu_thread(thread: machine::GpuThread) -> GpuThread {
    GpuThread { block: thread.block, gpu_thread: thread.thread, warp: thread.warp, lane: thread.lane }
}

fn launch(launch: &witness::format::LaunchInfo) -> report::HostLaunch {
    let witness::format::LaunchInfo { number, kernel, grid, block, file, line } = launch.clone();
    report::HostLaunch { number, kernel, grid, block, file, line }
}

fn location(position: &SourcePosition) -> Location {
    Location {
        file: position.file.clone(),
        line: position.line,
        column: position.column,
        function: position.function.clone(),
        stack: position.stack.clone(),
    }
}

/// Threads are numbered from 1 under `races`, where each runs an operation; under `check` `main` is 0.
fn number(witness: &Witness, thread: u32) -> u32 {
    match witness.command {
        Command::Races => thread + 1,
        Command::Check | Command::Cover | Command::Gpu => thread,
    }
}

/// What the thread has called there.
fn operation(witness: &Witness, thread: u32, call: u32) -> Option<String> {
    // Of a launch all threads run one kernel.
    witness.call(thread, call).filter(|_| witness.command != Command::Gpu).map(|call| call.name.clone())
}

fn access(witness: &Witness, info: &AccessInfo) -> Access {
    Access {
        thread: number(witness, info.thread),
        operation: operation(witness, info.thread, info.call),
        access: access_kind(&info.access),
        automatic: info.automatic,
        variable: info.variable,
        atomic: info.atomic,
        size: info.size,
        place: info.place.clone(),
        locks: info.locks.clone(),
        location: location(&info.position),
        gpu: info.gpu.as_ref().map(|gpu| GpuAccess {
            thread: gpu_thread(gpu.thread),
            space: gpu.space.clone(),
            launch: gpu.launch.as_ref().map(launch),
        }),
        field: info.field.clone(),
        guards: info.held.iter().map(guard).collect(),
    }
}

fn access_kind(name: &str) -> AccessKind {
    match name {
        "write" => AccessKind::Write,
        "read_write" => AccessKind::ReadWrite,
        "free" => AccessKind::Free,
        _ => AccessKind::Read,
    }
}

fn guard(held: &HeldLock) -> Guard {
    Guard {
        owner: match held.owner {
            LockOwner::Accessed => GuardOwner::Accessed,
            LockOwner::Variable => GuardOwner::Variable,
            LockOwner::Other => GuardOwner::Other,
        },
        object: held.object.clone(),
        member: held.member.clone(),
        shared: held.shared,
    }
}

/// An access that the search has listed.
pub(super) fn guarded(listed: GuardedAccess) -> Guarded {
    let GuardedAccess { field, position, function, access, atomic, held } = listed;
    Guarded {
        field,
        location: Location {
            file: position.file,
            line: position.line,
            column: position.column,
            function,
            stack: Vec::new(),
        },
        access: match access {
            concurrency::AccessKind::Read => AccessKind::Read,
            concurrency::AccessKind::Write => AccessKind::Write,
            concurrency::AccessKind::ReadWrite => AccessKind::ReadWrite,
            concurrency::AccessKind::Free => AccessKind::Free,
        },
        atomic,
        held: held.into_iter().map(|lock| guard(&lock.into())).collect(),
    }
}

fn earlier(witness: &Witness, race: &witness::format::EarlierRace) -> EarlierRace {
    let side = |side: &witness::format::EarlierAccess| EarlierAccess {
        thread: number(witness, side.thread),
        access: access_kind(&side.access),
        file: side.position.file.clone(),
        line: side.position.line,
        column: side.position.column,
    };
    EarlierRace { sides: [side(&race.write), side(&race.read)] }
}

/// What a step depends on. All that synchronises may change what it synchronises by.
fn touches(touched: Option<Touched>, writes: bool, synchronises: bool) -> Option<Touches> {
    let Touched { object, offset, size } = touched?;
    Some(Touches { object, offset, size, writes: writes || synchronises, synchronises })
}

fn blocked(witness: &Witness, info: &BlockedInfo) -> Blocked {
    Blocked {
        thread: number(witness, info.thread),
        holds: info.holds.clone(),
        waits_for: Some(info.waits_for.clone()),
        location: location(&info.position),
        gpu: info.gpu.map(gpu_thread),
        operation: operation(witness, info.thread, info.call),
        waits_for_threads: Vec::new(),
    }
}

fn inputs(witness: &Witness) -> Vec<Input> {
    let mut all = Vec::new();
    for (thread, first) in witness.operations.iter().enumerate() {
        for (call, operation) in first.calls().enumerate() {
            let who = match first.then.len() {
                _ if witness.command == Command::Gpu => String::new(),
                0 => format!(" (thread {})", thread + 1),
                _ => format!(" (thread {}, call {})", thread + 1, call + 1),
            };
            let numbers = operation.args.iter().filter_map(|arg| Some((arg, arg.number()?)));
            all.extend(numbers.map(|(arg, number)| Input { name: format!("{}{who}", arg.name), value: value(number) }));
        }
    }
    let of_program = witness.inputs.iter();
    all.extend(
        of_program.map(|input| Input { name: input.name.clone(), value: input_value(&input.bytes, input.floating) }),
    );
    all
}

/// An input of the program: a number where it has a number's length. The least significant byte comes first.
pub(super) fn input_value(bytes: &[u8], floating: bool) -> InputValue {
    witness::input_number(bytes, floating).map_or_else(|| InputValue::Bytes(bytes.to_vec()), value)
}

fn value(number: Number) -> InputValue {
    match number {
        Number::Signed(value) => InputValue::Signed(value),
        Number::Unsigned(value) => InputValue::Unsigned(value),
        // As it is written: a `float` has fewer digits than the `double` of the same value.
        number @ (Number::Single(_) | Number::Double(_)) => {
            let text = number.to_string();
            text.parse().ok().and_then(Real::finite).map_or(InputValue::Text(text), InputValue::Real)
        }
    }
}

fn heap(witness: &Witness) -> Heap {
    let content = |value: &CellValue| match value {
        CellValue::Integer(bits) => Content::Value((*bits as i64).to_string()),
        CellValue::Null => Content::Null,
        CellValue::Function(name) => Content::Value(name.clone()),
        CellValue::Pointer { object, path, .. } => {
            let name = witness.heap.objects.get(*object as usize).map(|o| o.name.clone()).unwrap_or_default();
            Content::Link { object: name, inside: (!path.is_empty()).then(|| path.clone()) }
        }
    };
    Heap {
        roots: witness
            .roots
            .iter()
            .map(|(name, value)| HeapRoot { name: name.clone(), content: content(value) })
            .collect(),
        objects: witness
            .heap
            .objects
            .iter()
            .map(|object| HeapObject {
                name: object.name.clone(),
                r#type: object.c_type.clone(),
                note: None,
                fields: object
                    .cells
                    .iter()
                    .map(|cell| HeapField {
                        name: cell.path.strip_prefix('.').unwrap_or(&cell.path).to_owned(),
                        content: match (cell.number(), &cell.value) {
                            (Some(number), _) => Content::Value(number.to_string()),
                            // A mark in a null pointer.
                            (None, CellValue::Integer(bits)) if cell.basic_type.ends_with('*') => {
                                Content::Value(format!("NULL | {bits}"))
                            }
                            (None, value) => content(value),
                        },
                    })
                    .collect(),
            })
            .collect(),
    }
}

fn threads(witness: &Witness) -> Vec<ThreadName> {
    match witness.command {
        Command::Races => witness
            .operations
            .iter()
            .enumerate()
            .map(|(index, calls)| ThreadName { thread: index as u32 + 1, name: calls.sequence() })
            .collect(),
        Command::Check | Command::Cover | Command::Gpu => {
            let mut known: Vec<ThreadName> = Vec::new();
            let steps = witness.schedule.iter().map(|s| (s.thread, &s.thread_name));
            let accesses = witness.failure.accesses.iter().map(|a| (a.thread, &a.thread_name));
            for (thread, name) in steps.chain(accesses) {
                if known.iter().all(|k| k.thread != thread) {
                    known.push(ThreadName { thread, name: name.clone() });
                }
            }
            known.sort();
            known
        }
    }
}

fn schedule(witness: &Witness, sides: &[Access]) -> Vec<ScheduleStep> {
    let same = |a: &AccessInfo, step: &witness::format::ScheduleStep| {
        a.thread == step.thread && a.position.line == step.position.line && a.position.column == step.position.column
    };
    let mut steps: Vec<ScheduleStep> = witness
        .schedule
        .iter()
        .map(|step| ScheduleStep {
            thread: number(witness, step.thread),
            text: step.action.clone(),
            file: step.position.file.clone(),
            line: step.position.line,
            note: None,
            access: None,
            column: step.position.column,
            touches: touches(
                step.touches,
                step.kind != StepKind::Load,
                !matches!(step.kind, StepKind::Load | StepKind::Store | StepKind::Update | StepKind::Free),
            ),
        })
        .collect();
    // Later ones first, so that the places of earlier ones stay right; the witness has them in the order of the run.
    let mut accesses: Vec<&AccessInfo> = witness.failure.accesses.iter().rev().collect();
    accesses.sort_by_key(|a| std::cmp::Reverse(a.step));
    for access in accesses {
        let thread = number(witness, access.thread);
        let side = sides.iter().position(|s| s.thread == thread).map(|at| at as u32 + 1);
        let at = access.step.map_or(0, |step| step as usize + 1).min(steps.len());
        // An access that is a step of its own is marked there; others happen during their thread's last step.
        match witness.schedule.get(at.wrapping_sub(1)) {
            Some(step) if same(access, step) => steps[at - 1].access = side,
            _ => steps.insert(
                at,
                ScheduleStep {
                    thread,
                    text: match access.access.as_str() {
                        "free" => format!("frees {}", report::object_of(&access.place)),
                        other => format!("{}s {}", other.replace('_', "/"), access.place),
                    },
                    file: access.position.file.clone(),
                    line: access.position.line,
                    note: None,
                    access: side,
                    column: access.position.column,
                    touches: touches(access.touches, access.access != "read", false),
                },
            ),
        }
    }
    steps
}

/// The unfolding as reports have it, with numbers from 1 on.
pub(super) fn unfolding(events: &[explore::KnownEvent]) -> Vec<report::UnfoldingEvent> {
    let numbers = |others: &[u32]| others.iter().map(|other| other + 1).collect();
    let one = |(index, event): (u32, &explore::KnownEvent)| report::UnfoldingEvent {
        event: index + 1,
        thread: event.thread.clone(),
        what: event.what.clone(),
        after: numbers(&event.after),
        conflicts: numbers(&event.conflicts),
        cutoff: event.is_cutoff,
    };
    (0..).zip(events).map(one).collect()
}
