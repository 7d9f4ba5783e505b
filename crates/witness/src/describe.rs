//! Names for things of a state, as reports and witnesses print them.

use crate::format::{HeldLock, LaunchInfo, SourcePosition};
use concurrency::{Held, LockMode, Place, Range, Site, ThreadId};
use explore::Waiting;
use ir::{DebugType, LocId, Module, TypeId, c_type};
use machine::{Backtrace, Program, State};
use memory::{Names, ObjId, ObjectKind, Pointer, TypeFacts, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Places that are named of all that a thread looks at which goes in circles.
const MOST_LOOKED_AT: usize = 3;

/// Names things of one state.
#[derive(Debug)]
pub struct Describe<'a> {
    pub program: &'a Program,
    pub state: &'a State,
    pub names: Names,
    /// Blocks that variables of a client lead to, by which it knows them.
    held: BTreeMap<ObjId, String>,
}

fn held(program: &Program, state: &State) -> BTreeMap<ObjId, String> {
    let memory = &state.memory;
    let of = |global| {
        let at = Pointer::to(memory.global(global)?);
        let size = program.module.pointer.bytes();
        let is_pointer = program.module[global].ty.is_some_and(|ty| program.module.pointee(ty).is_some());
        match is_pointer.then(|| memory.peek(at, size)).flatten()? {
            Value::Ptr(to) if to.offset == 0 => Some((to.object, program.module[global].name.clone())),
            _ => None,
        }
    };
    program.facts.objects().filter_map(of).collect()
}

impl<'a> Describe<'a> {
    pub fn new(program: &'a Program, state: &'a State) -> Self {
        Describe { program, state, names: Names::new(state.memory.shape()), held: held(program, state) }
    }

    fn module(&self) -> &'a Module {
        &self.program.module
    }

    /// A byte of an object: `N1.next[0]`, `counter`, `table[2].lock`, `new struct node.key`.
    pub fn place(&self, object: ObjId, offset: u64) -> String {
        if let Some(place) = self.names.place(self.module(), self.state.memory.shape(), object, offset) {
            return place;
        }
        let known = self.state.memory.object(object);
        match known.kind {
            ObjectKind::Global(_) | ObjectKind::Stack if !known.name.is_empty() => {
                let path = known.ty.map(|ty| self.module().path_to(ty, offset)).unwrap_or_default();
                format!("{}{path}", known.name)
            }
            ObjectKind::Arguments if !known.name.is_empty() => known.name.to_string(),
            ObjectKind::Function(_) => known.name.to_string(),
            kind => match memory::typed_block((self.module(), &self.program.facts), known, offset) {
                Some(member) => match (self.held.get(&object), known.ty.map(|ty| c_type(self.module(), ty))) {
                    (Some(name), Some(ty)) => format!("{name}{}", member.strip_prefix(&ty).unwrap_or_default()),
                    _ => format!("new {member}"),
                },
                None => {
                    let what = if kind == ObjectKind::Stack { "stack" } else { "heap" };
                    match offset {
                        0 => format!("{what} block of {} bytes", known.size),
                        _ => format!("{what} block of {} bytes +{offset}", known.size),
                    }
                }
            },
        }
    }

    /// The accessed member without its object; see [`memory::field`].
    pub fn field(&self, place: Place) -> Option<String> {
        let Program { module, facts, .. } = self.program;
        memory::field((module, facts), &self.state.memory, place.object, place.offset)
    }

    /// A lock that is held while an object is accessed.
    pub fn held_lock(&self, accessed: ObjId, held: &Held) -> HeldLock {
        explore::held_lock(self.program, &self.state.memory, accessed, held).into()
    }

    pub fn lock(&self, held: &Held) -> String {
        let place = self.place_of(held.place);
        match held.mode {
            LockMode::Exclusive => place,
            LockMode::Shared => format!("{place} (shared)"),
        }
    }

    pub fn place_of(&self, place: Place) -> String {
        memory::outside_of_lock(self.place(place.object, place.offset))
    }

    pub fn waiting(&self, waiting: &Waiting) -> String {
        match waiting {
            Waiting::Lock(place, _) => self.place_of(*place),
            Waiting::Signal(place) => format!("a signal on {}", self.place_of(*place)),
            Waiting::Post(place) => format!("a post of {}", self.place_of(*place)),
            Waiting::Others(place) => format!("other threads at {}", self.place_of(*place)),
            Waiting::Thread(thread) => format!("the end of thread {}", self.thread(*thread)),
            Waiting::Change(ranges) => {
                let name = |range: &Range| self.place_of(Place { object: range.object, offset: range.offset });
                let names: BTreeSet<String> = ranges.iter().map(name).collect();
                let shown: Vec<&str> = names.iter().take(MOST_LOOKED_AT).map(String::as_str).collect();
                match shown.is_empty() {
                    true => "a change that nobody makes".to_owned(),
                    false => format!("a change of {}", shown.join(" or ")),
                }
            }
        }
    }

    pub fn thread(&self, thread: ThreadId) -> String {
        self.state.thread(thread).name.to_string()
    }

    /// The launch that a thread is one of, of a program that makes them.
    pub(crate) fn launch(&self, thread: ThreadId) -> Option<LaunchInfo> {
        let (number, launched) = self.state.launched(thread)?;
        let place = launched.place.map(|place| &self.module()[place]);
        Some(LaunchInfo {
            number: number as u32 + 1,
            kernel: self.module()[launched.kernel].name.clone(),
            grid: launched.launch.grid,
            block: launched.launch.block,
            file: place.map(|place| self.module()[place.file].path.clone()).unwrap_or_default(),
            line: place.map_or(0, |place| place.line),
        })
    }

    pub fn position(&self, backtrace: &Backtrace) -> SourcePosition {
        let mut position = backtrace.position().map_or_else(SourcePosition::default, |at| self.position_at(at));
        for frame in &backtrace.frames {
            match frame.location {
                Some(location) => self.push_inlined(location, &mut position.stack),
                None => position.stack.push(self.module()[frame.function].name.clone()),
            }
        }
        position
    }

    /// Where an instruction of the program's stands, without a stack.
    pub fn position_of(&self, site: Site) -> Option<SourcePosition> {
        self.program.site_location(site).map(|location| self.position_at(location))
    }

    fn position_at(&self, location: LocId) -> SourcePosition {
        let place = &self.module()[location];
        SourcePosition {
            file: self.module()[place.file].path.clone(),
            line: place.line,
            column: place.column,
            function: place.function.clone(),
            assembly: place.assembly,
            stack: Vec::new(),
        }
    }

    fn push_inlined(&self, location: LocId, stack: &mut Vec<String>) {
        let mut at = Some(location);
        while let Some(id) = at {
            let place = &self.module()[id];
            let file = &self.module()[place.file].path;
            stack.push(format!("{} {file}:{}:{}", place.function, place.line, place.column));
            at = place.inlined_at;
        }
    }
}

/// The synchronisation objects inside an object of `count` elements: path behind its name, and type.
pub fn locks_in(module: &Module, ty: TypeId, count: u64) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for index in 0..count {
        let prefix = if count > 1 { format!("[{index}]") } else { String::new() };
        collect_locks(module, ty, &prefix, &mut found, 16);
    }
    found
}

fn collect_locks(module: &Module, ty: TypeId, path: &str, found: &mut Vec<(String, String)>, fuel: u32) {
    if fuel == 0 {
        return;
    }
    match &module[ty] {
        DebugType::Typedef { name, .. } if TypeFacts::is_sync(module, ty) => {
            found.push((path.to_owned(), name.clone()));
        }
        DebugType::Typedef { to, .. } | DebugType::Qualified { to, .. } => {
            collect_locks(module, *to, path, found, fuel - 1);
        }
        DebugType::Record { fields, .. } => {
            for field in fields.iter().filter(|f| f.bits.is_none()) {
                let inner = if field.name.is_empty() { path.to_owned() } else { format!("{path}.{}", field.name) };
                collect_locks(module, field.ty, &inner, found, fuel - 1);
            }
        }
        DebugType::Array { of, count } => {
            for index in 0..count.unwrap_or(0).min(64) {
                collect_locks(module, *of, &format!("{path}[{index}]"), found, fuel - 1);
            }
        }
        _ => {}
    }
}
