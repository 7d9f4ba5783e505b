//! All accesses, two by two.

use crate::Open;
use crate::cells::{ANY, ObjectId, Targets};
use crate::effects::{self, ALL, Effect};
use crate::flow::{Lock, State, States};
use crate::parallel::Parallel;
use crate::points_to::{Object, Program, constant};
use crate::threads::{MAIN, Place, RootId};
use ir::{Argument, Callee, Op, Operand, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Pairs that are compared, after which it is given up.
const MOST_PAIRS: u64 = 20_000_000;

/// Bytes of the largest lock (`pthread_rwlock_t`).
const LOCK_BYTES: i64 = 56;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Access {
    /// Bytes from and to; all of the object if that is not known.
    range: (i64, i64),
    writes: bool,
    /// An atomic operation, or one that synchronises.
    is_atomic: bool,
    root: RootId,
    /// Among all that occur.
    state: u32,
}

struct Looking<'p, 'm> {
    program: &'p Program<'m>,
    parallel: Parallel,
    /// Each state once.
    held: Vec<State>,
    numbers: BTreeMap<State, u32>,
    /// By object, each once, with a place where it is.
    accesses: FxHashMap<ObjectId, FxHashMap<Access, Place>>,
}

/// Whether any two accesses may race.
///
/// # Errors
/// If so.
pub(crate) fn look(program: &Program, states: &States) -> Result<(), Open> {
    let parallel = Parallel::of(program, states);
    let mut looking =
        Looking { program, parallel, held: Vec::new(), numbers: Default::default(), accesses: FxHashMap::default() };
    states.visit(program, |place, op, terminator, state| looking.note(place, op, terminator, state));
    looking.compare()
}

impl Looking<'_, '_> {
    fn note(&mut self, place: Place, op: Option<&Op>, terminator: &Terminator, state: &State) {
        let instance = place.instance;
        let pointer = self.program.module.pointer;
        let value = |operand: &Operand| self.program.value(instance, *operand);
        match op {
            Some(Op::Load { ty, address, order, .. }) => {
                let (at, size) = (value(address), ty.store_size(pointer));
                self.add(place, &at, Some(size), (false, order.is_some()), state);
            }
            Some(Op::Store { ty, address, order, .. }) => {
                let (at, size) = (value(address), ty.store_size(pointer));
                self.add(place, &at, Some(size), (true, order.is_some()), state);
            }
            Some(Op::AtomicRmw { ty, address, .. } | Op::CompareExchange { ty, address, .. }) => {
                let (at, size) = (value(address), ty.store_size(pointer));
                self.add(place, &at, Some(size), (true, true), state);
            }
            Some(Op::MemCopy { to, from, length, .. }) => {
                let length = constant(*length);
                let (to, from) = (value(to), value(from));
                self.add(place, &from, length, (false, false), state);
                self.add(place, &to, length, (true, false), state);
            }
            Some(Op::MemSet { to, length, .. }) => {
                let length = constant(*length);
                let to = value(to);
                self.add(place, &to, length, (true, false), state);
            }
            Some(Op::VaStart { list } | Op::VaEnd { list }) => {
                let list = value(list);
                self.add(place, &list, None, (true, false), state);
            }
            Some(Op::VaCopy { to, from }) => {
                let (to, from) = (value(to), value(from));
                self.add(place, &from, None, (false, false), state);
                self.add(place, &to, None, (true, false), state);
            }
            // A variable that begins or ends is not there for others.
            Some(Op::LocalBegin { variable } | Op::LocalEnd { variable }) => {
                let at = value(&Operand::Reg(*variable));
                self.add(place, &at, None, (true, false), state);
            }
            Some(Op::Call { callee, args, .. }) => self.note_call(place, *callee, args, state),
            Some(_) => {}
            None => self.note_end(place, terminator, state),
        }
    }

    /// All variables of a function end with it.
    fn note_end(&mut self, place: Place, terminator: &Terminator, state: &State) {
        if !matches!(terminator, Terminator::Return { .. }) {
            return;
        }
        let is_its = |object: &Object| match object {
            Object::Made(made) => {
                let function = self.program.function(made.instance);
                let inst = function.block(made.block).insts.get(made.inst as usize);
                made.instance == place.instance && inst.is_some_and(|inst| matches!(inst.op, Op::Alloca { .. }))
            }
            Object::Copy(instance, _) | Object::Variadic(instance) => *instance == place.instance,
            _ => false,
        };
        let all: Vec<ObjectId> = (0..self.program.objects.len())
            .filter(|index| is_its(&self.program.objects[*index]))
            .map(|index| ObjectId(index as u32))
            .collect();
        for object in all {
            self.add_range(place, object, (i64::MIN, i64::MAX), (true, false), state);
        }
    }

    fn note_call(&mut self, place: Place, callee: Callee, args: &[Argument], state: &State) {
        let program = self.program;
        let given: Vec<Targets> = args.iter().map(|given| program.value(place.instance, given.value)).collect();
        // A copy is read from what is passed.
        for (argument, targets) in args.iter().zip(&given) {
            if argument.by_value.is_some() {
                self.add(place, targets, argument.by_value, (false, false), state);
            }
        }
        let declared = |function: &ir::FuncId| program.module[*function].is_declaration();
        for function in program.callees(place.instance, callee).into_iter().filter(declared) {
            let Some(effect) = effects::of(&program.module[function].name) else { continue };
            let (reads, writes, is_atomic) = match effect {
                Effect::Touches { reads, writes } => (reads, writes, false),
                // What else is passed is a time.
                Effect::Synchronises(which) => (ALL ^ which, which, true),
                Effect::Locks { .. } | Effect::Unlocks => (0, 1, true),
                Effect::AllocatesInto | Effect::Frees | Effect::Fills | Effect::Reallocates => (0, 1, false),
                Effect::Copies => (2, 1, false),
                Effect::Prints(_) => (ALL, 0, false),
                // The attributes, of POSIX's function.
                Effect::Creates { function, .. } => (if function == 2 { 2 } else { 0 }, 1, false),
                Effect::Joins => (0, 2, false),
                Effect::CallsOnce { .. } => (0, 1, true),
                Effect::Allocates
                | Effect::AtomicBegin
                | Effect::AtomicEnd
                | Effect::Itself
                | Effect::Keeps
                | Effect::Kept
                | Effect::EndsThread
                | Effect::Ends
                | Effect::Guards => (0, 0, false),
            };
            // The id may be stored when the thread is there.
            let mut state = Cow::Borrowed(state);
            if let Effect::Creates { .. } = effect {
                state.to_mut().live.extend(program.created_at(place));
            }
            for (number, targets) in given.iter().enumerate() {
                let is_in = |which| effects::is_among(number, which);
                let size =
                    matches!(effect, Effect::Creates { .. } | Effect::Joins | Effect::AllocatesInto).then_some(8);
                let anywhere: Targets = if size.is_some() { targets.clone() } else { targets.moved(ANY) };
                let exact = matches!(effect, Effect::Locks { .. } | Effect::Unlocks | Effect::Synchronises(_))
                    || matches!(effect, Effect::Touches { .. }) && is_of_lock(&program.module[function].name);
                let (targets, size) = if exact { (targets, Some(LOCK_BYTES as u64)) } else { (&anywhere, size) };
                if is_in(reads) && !is_in(writes) {
                    self.add(place, targets, size, (false, false), &state);
                }
                if is_in(writes) {
                    self.add(place, targets, size, (true, is_atomic), &state);
                }
            }
        }
    }

    fn add(&mut self, place: Place, at: &Targets, size: Option<u64>, kind: (bool, bool), state: &State) {
        for target in at.iter() {
            let range = match (target.offset, size.and_then(|size| i64::try_from(size).ok())) {
                (ANY, _) => (i64::MIN, i64::MAX),
                (offset, Some(size)) => (offset, offset.saturating_add(size)),
                (offset, None) => (offset, i64::MAX),
            };
            self.add_range(place, target.object, range, kind, state);
        }
    }

    fn add_range(
        &mut self,
        place: Place,
        object: ObjectId,
        range: (i64, i64),
        (writes, is_atomic): (bool, bool),
        state: &State,
    ) {
        let number = match self.numbers.get(state) {
            Some(&number) => number,
            None => {
                let number = self.held.len() as u32;
                self.held.push(state.clone());
                self.numbers.insert(state.clone(), number);
                number
            }
        };
        let root = self.program.instances[place.instance.index()].root;
        let access = Access { range, writes, is_atomic, root, state: number };
        self.accesses.entry(object).or_default().entry(access).or_insert(place);
    }

    /// Objects that threads can have in common.
    fn shared(&self) -> FxHashSet<ObjectId> {
        let program = self.program;
        let mut shared = FxHashSet::default();
        let mut work: Vec<ObjectId> = Vec::new();
        for (index, object) in program.objects.iter().enumerate() {
            if matches!(object, Object::Global(_) | Object::Given | Object::Kept | Object::Unknown) {
                work.push(ObjectId(index as u32));
            }
        }
        // What a thread is given, and what it leaves.
        for root in &program.roots {
            let function = &program.module[root.function];
            for param in &function.params {
                work.extend(program.value(root.instance, Operand::Reg(param.reg)).iter().map(|target| target.object));
            }
        }
        work.extend(program.ended.values().flat_map(|ended| ended.iter()).map(|target| target.object));
        while let Some(object) = work.pop() {
            if !shared.insert(object) {
                continue;
            }
            let cells = &program.cells[object.0 as usize];
            work.extend(cells.all().flat_map(|(_, cell)| cell.iter()).map(|target| target.object));
        }
        shared
    }

    /// Whether the threads of two accesses may be there at the same time.
    fn are_parallel(&self, one: &Access, other: &Access) -> bool {
        let live = |access: &Access, root: RootId| self.held[access.state as usize].live.contains(&root);
        match (one.root, other.root) {
            (MAIN, MAIN) => false,
            (MAIN, root) => live(one, root),
            (root, MAIN) => live(other, root),
            (one, other) => self.parallel.may_be(one, other),
        }
    }

    /// Whether an access does not race with others of its kind: an atomic operation, or one in an atomic section.
    fn is_whole(&self, access: &Access) -> bool {
        access.is_atomic || self.held[access.state as usize].locks.contains_key(&Lock::Atomic)
    }

    /// Whether one lock is held by both, and by one of them exclusively.
    fn is_locked(&self, one: &Access, other: &Access, broken: &FxHashSet<Lock>) -> bool {
        let (one, other) = (&self.held[one.state as usize].locks, &self.held[other.state as usize].locks);
        one.iter().any(|(lock, exclusive)| {
            !broken.contains(lock) && other.get(lock).is_some_and(|others| *exclusive || *others)
        })
    }

    /// Locks that somebody writes, or makes anew, where other threads may be there.
    fn broken(&self) -> FxHashSet<Lock> {
        let locks: FxHashSet<Lock> = self.held.iter().flat_map(|state| state.locks.keys().copied()).collect();
        let is_broken = |lock: &Lock| {
            let Lock::At(object, offset) = *lock else { return false };
            self.accesses.get(&object).into_iter().flatten().any(|(access, _)| {
                let alone = access.root == MAIN && self.held[access.state as usize].live.is_empty();
                let hits = access.range.0 < offset + LOCK_BYTES && offset < access.range.1;
                access.writes && !access.is_atomic && !alone && hits
            })
        };
        locks.into_iter().filter(is_broken).collect()
    }

    fn compare(&self) -> Result<(), Open> {
        let (shared, broken) = (self.shared(), self.broken());
        let program = self.program;
        let mut pairs = 0;
        for (object, accesses) in &self.accesses {
            let is_constant = match program.objects[object.0 as usize] {
                Object::Function(_) | Object::Thread(_) => true,
                Object::Global(global) => program.module[global].constant,
                // Which thread's it is that others have a pointer to is not known.
                Object::ThreadLocal(..) if shared.contains(object) => {
                    let what = "a variable of one thread's of which others have the address".to_owned();
                    return Err(Open::NotFollowed { what, at: None });
                }
                _ => false,
            };
            if is_constant || !shared.contains(object) || program.guarded.contains(object) {
                continue;
            }
            let all: Vec<(&Access, &Place)> = accesses.iter().collect();
            for (index, (one, place)) in all.iter().enumerate() {
                for (other, other_place) in &all[index..] {
                    pairs += 1;
                    if pairs > MOST_PAIRS {
                        let what = format!("more than {MOST_PAIRS} pairs of accesses");
                        return Err(Open::NotFollowed { what, at: None });
                    }
                    let apart = one.range.1 <= other.range.0 || other.range.1 <= one.range.0;
                    let harmless = !(one.writes || other.writes) || self.is_whole(one) && self.is_whole(other);
                    if apart || harmless || !self.are_parallel(one, other) || self.is_locked(one, other, &broken) {
                        continue;
                    }
                    return Err(Open::MayRace([program.location(**place), program.location(**other_place)]));
                }
            }
        }
        Ok(())
    }
}

/// Functions that begin and end locks touch no more than that.
fn is_of_lock(name: &str) -> bool {
    let begins = ["pthread_", "sem_", "mtx_", "cnd_"].iter().any(|prefix| name.starts_with(prefix));
    begins && (name.ends_with("_init") || name.ends_with("_destroy"))
}
