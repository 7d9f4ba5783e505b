//! Where pointers lead, in all orders of execution at once (Andersen 1994), with offsets, and for each way to call a function by itself.

mod calls;
mod checks;

use crate::Open;
use crate::cells::{ANY, Cells, ObjectId, Target, Targets};
use crate::threads::{Instance, InstanceId, MAIN, Place, Repeated, Root, RootId};
use ir::cfg::Cfg;
use ir::{Address, BlockId, FuncId, Function, GlobalId, Init, LocId, Module, Op, Operand, Reg, Terminator};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::RefCell;
use std::rc::Rc;

/// Instances, and passes over all of them, after which it is given up.
const MOST_INSTANCES: usize = 3000;
const MOST_ROUNDS: usize = 60;
/// Elements of sets that are looked at, and places that create threads.
const MOST_STEPS: u64 = 2_000_000;
const MOST_ROOTS: usize = 200;

/// The number that an operand is.
pub(crate) fn constant(operand: Operand) -> Option<u64> {
    if let Operand::Int(number) = operand { Some(number) } else { None }
}

/// What an object stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Object {
    Global(GlobalId),
    /// Of one thread.
    ThreadLocal(GlobalId, RootId),
    /// What an instruction reserves: a variable, or memory of the heap.
    Made(Place),
    Function(FuncId),
    /// The thread that is created there.
    Thread(Place),
    /// The arguments of the command line, and where they are.
    Given,
    /// What a function with any number of arguments gets beside those that it names.
    Variadic(InstanceId),
    /// A copy of an argument that is passed by value.
    Copy(InstanceId, u32),
    /// What threads have kept under keys.
    Kept,
    /// Somewhere.
    Unknown,
}

/// All that is known of where pointers lead.
pub(crate) struct Program<'m> {
    pub module: &'m Module,
    pub instances: Vec<Instance>,
    pub roots: Vec<Root>,
    pub objects: Vec<Object>,
    ids: FxHashMap<Object, ObjectId>,
    pub cells: Vec<Cells>,
    /// Of all registers of all instances.
    registers: Vec<Targets>,
    /// What instances return, by number of the value.
    returned: FxHashMap<(InstanceId, usize), Targets>,
    /// What threads end with.
    pub ended: FxHashMap<RootId, Targets>,
    called: FxHashMap<(Place, FuncId), InstanceId>,
    created: FxHashMap<(Place, FuncId), RootId>,
    /// Objects that are the library's, under its own lock.
    pub guarded: FxHashSet<ObjectId>,
    /// Numbers that become addresses, though they never were any, by function.
    numbers: FxHashSet<(FuncId, BlockId, u32)>,
    cfgs: RefCell<FxHashMap<FuncId, Rc<Cfg>>>,
    changed: bool,
    /// What was added to sets, or might have been.
    steps: u64,
}

/// Follows all pointers.
///
/// # Errors
/// Where something cannot be followed.
pub(crate) fn solve(module: &Module, main: FuncId) -> Result<Program<'_>, Open> {
    let mut numbers = FxHashSet::default();
    loop {
        let program = followed(module, main, numbers)?;
        let found = program.made_of_numbers();
        if found.is_subset(&program.numbers) {
            program.check_calls()?;
            program.check_addresses()?;
            program.check_ends()?;
            return Ok(program);
        }
        numbers = program.numbers;
        numbers.extend(found);
    }
}

/// `numbers`: those that lead nobody knows where.
fn followed(module: &Module, main: FuncId, numbers: FxHashSet<(FuncId, BlockId, u32)>) -> Result<Program<'_>, Open> {
    let not_followed = |what: &str| Open::NotFollowed { what: what.to_owned(), at: None };
    if !module.constructors().is_empty() || !module.destructors().is_empty() {
        return Err(not_followed("functions that run before main, or at the end of the process"));
    }
    let mut program = Program {
        module,
        instances: Vec::new(),
        roots: Vec::new(),
        objects: Vec::new(),
        ids: FxHashMap::default(),
        cells: Vec::new(),
        registers: Vec::new(),
        returned: FxHashMap::default(),
        ended: FxHashMap::default(),
        called: FxHashMap::default(),
        created: FxHashMap::default(),
        guarded: FxHashSet::default(),
        numbers,
        cfgs: RefCell::default(),
        changed: false,
        steps: 0,
    };
    program.initial_values();
    let instance = program.new_instance(main, MAIN, None)?;
    program.roots.push(Root { function: main, instance, creators: Vec::new() });
    let given = program.object(Object::Given);
    let given = Targets::one(Target { object: given, offset: ANY });
    for param in module[main].params.clone() {
        program.set(instance, param.reg, &given);
    }
    if let Some(given_object) = given.only() {
        let word = module.pointer.bytes();
        program.cells[given_object.object.0 as usize].store(ANY, &given, word, word);
    }
    for _ in 0..MOST_ROUNDS {
        program.changed = false;
        let mut index = 0;
        while index < program.instances.len() {
            program.visit(InstanceId(index as u32))?;
            if program.steps > MOST_STEPS || program.roots.len() > MOST_ROOTS {
                return Err(not_followed("so many pointers and threads"));
            }
            index += 1;
        }
        if !program.changed {
            return Ok(program);
        }
    }
    Err(not_followed("pointers that lead to ever more places"))
}

impl<'m> Program<'m> {
    pub(crate) fn function(&self, instance: InstanceId) -> &'m Function {
        &self.module[self.instances[instance.index()].function]
    }

    pub(crate) fn cfg(&self, function: FuncId) -> Rc<Cfg> {
        let mut cfgs = self.cfgs.borrow_mut();
        Rc::clone(cfgs.entry(function).or_insert_with(|| Rc::new(Cfg::new(&self.module[function]))))
    }

    pub(crate) fn repeated(&self) -> Repeated {
        Repeated::of(&self.instances, &self.roots, |function| self.cfg(function))
    }

    pub(crate) fn location(&self, place: Place) -> Option<LocId> {
        let block = self.function(place.instance).block(place.block);
        block.insts.get(place.inst as usize).map_or(block.terminator_location, |inst| inst.location)
    }

    fn give_up<T>(&self, what: impl Into<String>, place: Place) -> Result<T, Open> {
        Err(Open::NotFollowed { what: what.into(), at: self.location(place) })
    }

    fn object(&mut self, object: Object) -> ObjectId {
        if let Some(&id) = self.ids.get(&object) {
            return id;
        }
        let id = ObjectId(self.objects.len() as u32);
        self.objects.push(object);
        self.cells.push(Cells::default());
        self.ids.insert(object, id);
        if let Object::Global(global) = object
            && self.module[global].guarded
        {
            self.guarded.insert(id);
        }
        id
    }

    fn fresh(&mut self, object: Object) -> Targets {
        let object = self.object(object);
        Targets::one(Target { object, offset: 0 })
    }

    /// The object of a place that creates threads, if it has been come to.
    pub(crate) fn known(&self, object: Object) -> Option<ObjectId> {
        self.ids.get(&object).copied()
    }

    fn initial_values(&mut self) {
        let word = self.module.pointer.bytes();
        for (id, global) in self.module.globals() {
            match &global.init {
                Init::Data { addresses, .. } => {
                    for (offset, address) in addresses {
                        let to = match address {
                            Address::Func(function) => self.fresh(Object::Function(*function)),
                            Address::Global(other, by) => self.fresh(Object::Global(*other)).moved(*by),
                        };
                        // Each thread has a copy of what is its own; what it begins with is looked up there.
                        let object = self.object(Object::Global(id));
                        self.cells[object.0 as usize].store(*offset as i64, &to, word, word);
                    }
                }
                Init::External => {
                    let unknown = self.fresh(Object::Unknown).moved(ANY);
                    let object = self.object(Object::Global(id));
                    self.cells[object.0 as usize].store(ANY, &unknown, word, word);
                }
                Init::Zero => {}
            }
        }
    }

    fn new_instance(&mut self, function: FuncId, root: RootId, caller: Option<Place>) -> Result<InstanceId, Open> {
        if self.instances.len() >= MOST_INSTANCES {
            let what = format!("more than {MOST_INSTANCES} ways to call functions");
            return Err(Open::NotFollowed { what, at: None });
        }
        let id = InstanceId(self.instances.len() as u32);
        let first = self.registers.len() as u32;
        let more = self.module[function].registers.len();
        self.registers.resize(self.registers.len() + more, Targets::default());
        self.instances.push(Instance {
            function,
            root,
            callers: caller.into_iter().collect(),
            calls_itself: false,
            first,
        });
        self.changed = true;
        Ok(id)
    }

    fn register(&self, instance: InstanceId, reg: Reg) -> usize {
        self.instances[instance.index()].first as usize + reg.index()
    }

    fn set(&mut self, instance: InstanceId, reg: Reg, values: &Targets) {
        self.steps += 1 + values.iter().count() as u64;
        let at = self.register(instance, reg);
        self.changed |= self.registers[at].extend(values.iter());
    }

    /// Where a value may lead.
    pub(crate) fn value(&self, instance: InstanceId, operand: Operand) -> Targets {
        let known = |object: Object, offset: i64| {
            let object = self.ids.get(&object).copied();
            object.map_or_else(Targets::default, |object| Targets::one(Target { object, offset }))
        };
        match operand {
            Operand::Reg(reg) => self.registers[self.register(instance, reg)].clone(),
            Operand::Global(global, offset) => known(Object::Global(global), offset),
            Operand::Func(function) => known(Object::Function(function), 0),
            Operand::Int(_) | Operand::Wide(_) | Operand::Undef => Targets::default(),
        }
    }

    fn eval(&mut self, instance: InstanceId, operand: Operand) -> Targets {
        match operand {
            Operand::Global(global, _) => {
                self.object(Object::Global(global));
            }
            Operand::Func(function) => {
                self.object(Object::Function(function));
            }
            _ => {}
        }
        self.value(instance, operand)
    }

    fn load(&self, from: &Targets, size: u64) -> Targets {
        let mut found = Targets::default();
        for target in from.iter() {
            let initial = match self.objects[target.object.0 as usize] {
                Object::ThreadLocal(global, _) => self.known(Object::Global(global)),
                _ => None,
            };
            for object in std::iter::once(target.object).chain(initial) {
                let cells = &self.cells[object.0 as usize];
                found.extend(cells.load(target.offset, size, self.module.pointer.bytes()).iter());
            }
        }
        found
    }

    /// An address.
    fn store(&mut self, to: &Targets, values: &Targets) {
        self.store_bytes(to, values, self.module.pointer.bytes());
    }

    fn store_bytes(&mut self, to: &Targets, values: &Targets, size: u64) {
        let pointer = self.module.pointer.bytes();
        for target in to.iter() {
            self.steps += 1 + values.iter().count() as u64;
            self.changed |= self.cells[target.object.0 as usize].store(target.offset, values, size, pointer);
        }
    }

    fn widen(&mut self, to: &Targets, size: u64) {
        let pointer = self.module.pointer.bytes();
        for target in to.iter() {
            self.changed |= self.cells[target.object.0 as usize].widen(target.offset, size, pointer);
        }
    }

    /// All addresses in an object. What each thread's own begins with is the variable's.
    fn held(&self, object: ObjectId) -> Vec<(i64, Targets)> {
        let initial = match self.objects[object.0 as usize] {
            Object::ThreadLocal(global, _) => self.known(Object::Global(global)),
            _ => None,
        };
        let all = std::iter::once(object).chain(initial).flat_map(|object| self.cells[object.0 as usize].all());
        all.map(|(at, cell)| (at, cell.clone())).collect()
    }

    /// The addresses in so many bytes of one object are in the other as well; in all of it, if it is not known how many.
    fn copy(&mut self, to: &Targets, from: &Targets, length: Option<u64>) {
        self.widen(to, length.unwrap_or(u64::MAX >> 1));
        for source in from.iter() {
            let held = self.held(source.object);
            for target in to.iter() {
                for (at, cell) in &held {
                    let Some((offset, is_whole)) = self.copied(*at, source.offset, target.offset, length) else {
                        continue;
                    };
                    let cell = if is_whole { cell.clone() } else { cell.moved(ANY) };
                    self.store(&Targets::one(Target { offset, ..target }), &cell);
                }
            }
        }
    }

    /// Where an address goes that stands `at` some offset, if bytes from `source` on are copied to `target`, and whether all of it does; none if
    /// nothing of it is copied.
    fn copied(&self, at: i64, source: i64, target: i64, length: Option<u64>) -> Option<(i64, bool)> {
        let Some(length) = length.filter(|_| ![at, source, target].contains(&ANY)) else { return Some((ANY, false)) };
        let word = self.module.pointer.bytes() as i64;
        let (by, length) = (at - source, i64::try_from(length).unwrap_or(i64::MAX));
        if by <= -word || by >= length {
            return None;
        }
        // Of the first and the last only a part may be.
        Some(if by < 0 { (ANY, false) } else { (target + by, length - by >= word) })
    }

    fn visit(&mut self, instance: InstanceId) -> Result<(), Open> {
        let id = self.instances[instance.index()].function;
        let function = &self.module[id];
        let cfg = self.cfg(id);
        for (index, block) in function.blocks.iter().enumerate() {
            let block_id = BlockId::new(index);
            if !cfg.is_reachable(block_id) {
                continue;
            }
            for (number, inst) in block.insts.iter().enumerate() {
                let place = Place { instance, block: block_id, inst: number as u32 };
                self.follow(place, &inst.op)?;
            }
            for edge in block.terminator.edges() {
                for (&param, &value) in function.block(edge.target).params.iter().zip(&edge.args) {
                    let values = self.eval(instance, value);
                    self.set(instance, param, &values);
                }
            }
            match &block.terminator {
                Terminator::Return { values } => {
                    for (number, &value) in values.iter().enumerate() {
                        let values = self.eval(instance, value);
                        self.changed |= self.returned.entry((instance, number)).or_default().extend(values.iter());
                        let root = self.instances[instance.index()].root;
                        if self.roots.get(root.index()).is_some_and(|root| root.instance == instance) {
                            self.changed |= self.ended.entry(root).or_default().extend(values.iter());
                        }
                    }
                }
                Terminator::Unsupported { what } => {
                    let place = Place { instance, block: block_id, inst: block.insts.len() as u32 };
                    return self.give_up(what.clone(), place);
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn follow(&mut self, place: Place, op: &Op) -> Result<(), Open> {
        let instance = place.instance;
        match op {
            Op::Binary { dest, lhs, rhs, .. }
            | Op::Overflow { dest, lhs, rhs, .. }
            | Op::Bits { dest, lhs, rhs, .. } => {
                let mut values = self.eval(instance, *lhs).moved(ANY);
                values.extend(self.eval(instance, *rhs).moved(ANY).iter());
                self.set(instance, *dest, &values);
            }
            Op::Cast { dest, value, .. } => {
                let mut values = self.eval(instance, *value);
                let function = self.instances[instance.index()].function;
                if self.numbers.contains(&(function, place.block, place.inst)) {
                    values.extend(self.fresh(Object::Unknown).moved(ANY).iter());
                }
                self.set(instance, *dest, &values);
            }
            Op::Select { dest, if_true, if_false, .. } => {
                let mut values = self.eval(instance, *if_true);
                values.extend(self.eval(instance, *if_false).iter());
                self.set(instance, *dest, &values);
            }
            Op::Compare { .. }
            | Op::FloatCompare { .. }
            | Op::FloatClass { .. }
            | Op::LocalBegin { .. }
            | Op::LocalEnd { .. }
            | Op::Aligned { .. }
            | Op::Fence { .. }
            | Op::Uninit { .. }
            | Op::VaEnd { .. }
            | Op::StackSave { .. }
            | Op::StackRestore { .. } => {}
            Op::FloatCast { dest, value, .. } => {
                let values = self.eval(instance, *value).moved(ANY);
                self.set(instance, *dest, &values);
            }
            Op::Float { dest, operands, .. } => {
                let mut values = Targets::default();
                for &operand in operands {
                    values.extend(self.eval(instance, operand).moved(ANY).iter());
                }
                self.set(instance, *dest, &values);
            }
            Op::MemSet { to, length, .. } => {
                let to = self.eval(instance, *to);
                self.check(&to, place)?;
                self.widen(&to, constant(*length).unwrap_or(u64::MAX >> 1));
            }
            Op::Offset { dest, base, constant, indices, .. } => {
                let by = if indices.is_empty() { *constant } else { ANY };
                let mut values = self.eval(instance, *base).moved(by);
                for index in indices {
                    values.extend(self.eval(instance, index.index).moved(ANY).iter());
                }
                self.set(instance, *dest, &values);
            }
            Op::Alloca { dest, .. } => {
                let values = self.fresh(Object::Made(place));
                self.set(instance, *dest, &values);
            }
            Op::Load { dest, ty, address, .. } => {
                let from = self.eval(instance, *address);
                self.check(&from, place)?;
                let values = self.load(&from, ty.store_size(self.module.pointer));
                self.set(instance, *dest, &values);
            }
            Op::Store { ty, address, value, .. } => {
                let to = self.eval(instance, *address);
                self.check(&to, place)?;
                let values = self.eval(instance, *value);
                self.store_bytes(&to, &values, ty.store_size(self.module.pointer));
            }
            Op::AtomicRmw { dest, ty, address, value, .. } => {
                let at = self.eval(instance, *address);
                self.check(&at, place)?;
                let before = self.load(&at, ty.store_size(self.module.pointer));
                self.set(instance, *dest, &before);
                let mut values = self.eval(instance, *value);
                values.extend(values.moved(ANY).iter().chain(before.moved(ANY).iter()).collect::<Vec<_>>());
                self.store_bytes(&at, &values, ty.store_size(self.module.pointer));
            }
            Op::CompareExchange { old, ty, address, new, .. } => {
                let at = self.eval(instance, *address);
                self.check(&at, place)?;
                let before = self.load(&at, ty.store_size(self.module.pointer));
                self.set(instance, *old, &before);
                let values = self.eval(instance, *new);
                self.store_bytes(&at, &values, ty.store_size(self.module.pointer));
            }
            Op::MemCopy { to, from, length, .. } => {
                let (to, from) = (self.eval(instance, *to), self.eval(instance, *from));
                self.check(&to, place)?;
                self.check(&from, place)?;
                self.copy(&to, &from, constant(*length));
            }
            Op::ThreadLocal { dest, global } => {
                let root = self.instances[instance.index()].root;
                self.object(Object::Global(*global));
                let values = self.fresh(Object::ThreadLocal(*global, root));
                self.set(instance, *dest, &values);
            }
            Op::VaStart { list } => {
                let more = self.fresh(Object::Variadic(instance)).moved(ANY);
                let list = self.eval(instance, *list).moved(ANY);
                self.store(&list, &more);
            }
            Op::VaCopy { to, from } => {
                let (to, from) = (self.eval(instance, *to).moved(ANY), self.eval(instance, *from).moved(ANY));
                self.copy(&to, &from, None);
            }
            Op::Unsupported { what, .. } => return self.give_up(what.clone(), place),
            Op::Call { dests, callee, args } => self.call(place, dests, *callee, args)?,
        }
        Ok(())
    }

    /// An address that comes from nowhere may lead anywhere.
    fn check(&self, at: &Targets, place: Place) -> Result<(), Open> {
        match self.known(Object::Unknown) {
            Some(unknown) if at.iter().any(|target| target.object == unknown) => {
                self.give_up("an address that comes from outside", place)
            }
            _ => Ok(()),
        }
    }
}
