//! Initial states.

use crate::access_log::AccessLog;
use crate::gpu::Gpu;
use crate::lockstep::Lane;
use crate::state::{Frame, OnReturn, PathCondition, Thread};
use crate::{Engine, Launch, Observations, Program, State, Status};
use concurrency::{Blocks, HappensBefore, RaceShadow, SyncTable, ThreadId};
use ir::{Address, BlockId, FuncId, Global, GlobalId, Init, Module, Operand, Space, Terminator};
use memory::{Contents, Limits, Memory, Object, ObjectKind, Pointer, TypeFacts, Value};
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

/// The front end refuses programs whose variables are too large for the address space.
const FITS: &str = "what a program begins with fits its address space";

impl Engine {
    /// A state with all globals initialised and no thread.
    pub fn initial_state(&mut self, limits: Limits) -> State {
        let program = Arc::clone(&self.program);
        let module = &program.module;
        let mut memory = Memory::new(limits, module.pointer);
        if self.config.any_indeterminate {
            memory.tell_lives();
        }
        let code = memory.allocator_mut().open("code");
        for function in addressed_functions(module) {
            let address = memory.allocator_mut().heap(code, 1, 16, |_| true).expect(FITS);
            let name = &module[function].name;
            let kind = ObjectKind::Function(function);
            let object = memory.insert(Object::new(kind, address, None, name, Contents::undefined(0)));
            memory.set_function(function, object);
        }
        let data = memory.allocator_mut().open_large("data");
        for (id, global) in module.globals() {
            let address = memory.allocator_mut().heap(data, global.size, global.align, |_| true).expect(FITS);
            let contents = match &global.init {
                Init::Data { bytes, .. } => Contents::concrete(bytes.clone()),
                Init::Zero => Contents::zero(global.size as usize),
                // Another translation unit's: anything.
                Init::External => Contents::initial(global.size as usize),
            };
            let mut object = Object::new(ObjectKind::Global(id), address, global.ty, &global.name, contents);
            object.constant = global.constant;
            object.guarded = global.guarded;
            let object = memory.insert(object);
            memory.set_global(id, object);
        }
        for (id, global) in module.globals() {
            let Some(object) = memory.global(id) else { continue };
            relocate(self, &mut memory, global, object);
            if let (Init::External, Some(ty)) = (&global.init, global.ty) {
                memory.make_initial(module, object, ty, &global.name, true);
            }
        }
        State {
            memory,
            threads: Vec::new(),
            sync: SyncTable::default(),
            order: HappensBefore::default(),
            shadow: RaceShadow::default(),
            keys: Default::default(),
            gpu: None,
            host: None,
            flow: None,
            path: PathCondition::default(),
            inputs: Rc::default(),
            asked: Rc::default(),
            forgotten: Rc::default(),
            output: Rc::default(),
            history: Default::default(),
            time: 0,
            concurrent: false,
            hearsay: false,
            havocked: None,
            signalled: false,
            library: false,
            globals_set_up: false,
            pick: None,
            accesses: AccessLog::default(),
            observed: Observations::default(),
            graph: Default::default(),
            raced: false,
            block: None,
            endless: Default::default(),
            followed: None,
            seen: Default::default(),
        }
    }

    /// Adds a thread that will run `function`. What it and other calls from outside get is as the source's parameters are: for a
    /// structure by value, a pointer to one.
    pub fn add_thread(
        &mut self,
        state: &mut State,
        name: &str,
        creator: Option<ThreadId>,
        function: FuncId,
        args: &[Value],
        on_return: OnReturn,
    ) -> ThreadId {
        let id = state.order.add_thread(creator);
        let allocator = state.memory.allocator_mut();
        let arena = if creator.is_none() { allocator.open_large(name) } else { allocator.open(name) };
        let mut thread = Thread::new(id, name.into(), arena);
        thread.status = Status::Running;
        let frame = self.frame_of_call(state, arena, (function, args), on_return);
        thread.frames.push(Rc::new(frame));
        state.threads.push(Rc::new(thread));
        state.concurrent |= state.threads.len() > 1;
        id
    }

    /// Makes a thread that has not begun call `function` before anything else.
    pub fn call_first(&mut self, state: &mut State, id: ThreadId, function: FuncId, args: &[Value]) {
        let arena = state.thread(id).arena;
        let frame = self.frame_of_call(state, arena, (function, args), OnReturn::NextCall);
        state.thread_mut(id).frames.push(Rc::new(frame));
    }

    /// A state in which a client has made no call: its thread stands still ([`Engine::call_next`]).
    pub fn client_state(&mut self, limits: Limits) -> State {
        let mut state = self.initial_state(limits);
        let id = state.order.add_thread(None);
        let arena = state.memory.allocator_mut().open_large("client");
        let mut thread = Thread::new(id, "client".into(), arena);
        thread.status = Status::Ended;
        state.threads.push(Rc::new(thread));
        state
    }

    /// Makes a client's thread that stands still call `function`, and then stand still again.
    pub fn call_next(&mut self, state: &mut State, id: ThreadId, function: FuncId, args: &[Value]) {
        let arena = state.thread(id).arena;
        let frame = self.frame_of_call(state, arena, (function, args), OnReturn::ClientCall);
        let thread = state.thread_mut(id);
        thread.frames.push(Rc::new(frame));
        thread.status = Status::Running;
        thread.quiet_steps = 0;
    }

    pub(crate) fn first_frame(&self, function: FuncId, args: &[Value], on_return: OnReturn, stack_mark: u64) -> Frame {
        let declared = &self.program.module[function];
        let mut registers = vec![Value::NULL; declared.registers.len()];
        for (param, value) in declared.params.iter().zip(args) {
            registers[param.reg.index()] = *value;
        }
        Frame {
            function,
            block: BlockId::new(0),
            inst: 0,
            registers,
            locals: Vec::new(),
            stack_mark,
            loops: Default::default(),
            extra_arguments: None,
            on_return,
            entry: None,
            recursion: 0,
            choices: 0,
            mixed: Default::default(),
        }
    }

    /// A state about to run the constructors and then `main`, with the program's name as its only argument.
    pub fn main_state(&mut self, limits: Limits, main: FuncId) -> State {
        let program = Arc::clone(&self.program);
        let mut state = self.initial_state(limits);
        if let Some(device) = self.config.device {
            state.be_host(&program.module, device);
        }
        let args = {
            let arena = state.memory.allocator_mut().open("arguments");
            let mut place = |bytes: Vec<u8>| {
                let address = state.memory.allocator_mut().heap(arena, bytes.len() as u64, 16, |_| true).expect(FITS);
                let contents = Contents::concrete(bytes);
                state.memory.insert(Object::new(ObjectKind::Stack, address, None, "argv", contents))
            };
            let name = place(b"program\0".to_vec());
            let word = self.program.module.pointer.bytes();
            let argv = place(vec![0; 2 * word as usize]);
            let pointer = Value::Ptr(Pointer::to(name));
            // A fresh object of concrete bytes has no cell to cut.
            let _ = state.memory.write(&mut self.terms, Pointer::to(argv), word, pointer);
            vec![Value::Int(1), Value::Ptr(Pointer::to(argv)), Value::NULL]
        };
        let count = self.program.module[main].params.len();
        let id = self.add_thread(&mut state, "main", None, main, &args[..count.min(3)], OnReturn::EndProcess);
        let stack_mark = state.thread(id).frame().stack_mark;
        // The one that runs first lies on top.
        for constructor in self.program.module.constructors().into_iter().rev() {
            // glibc passes them what `main` gets.
            let frame = self.first_frame(constructor, &args, OnReturn::Constructor, stack_mark);
            state.thread_mut(id).frames.push(Rc::new(frame));
        }
        state
    }

    /// The state before operations of a library, with globals as the source has them.
    pub fn library_state(&mut self, limits: Limits) -> State {
        State { library: true, ..self.initial_state(limits) }
    }

    /// The state of a launch before it has threads: `__constant__` variables are what the host has made of them, others what the source
    /// gives them.
    pub fn launch_state(&mut self, limits: Limits, launch: Launch) -> State {
        let program = Arc::clone(&self.program);
        let module = &program.module;
        let mut state = self.library_state(limits);
        for (id, global) in module.globals().filter(|(_, global)| global.space == Space::Constant) {
            let (Some(object), Some(ty)) = (state.memory.global(id), global.ty) else { continue };
            state.memory.make_initial(module, object, ty, &global.name, true);
        }
        let gpu = Gpu::new(&mut state, module, launch, 0);
        state.gpu = Some(Rc::new(gpu));
        state
    }

    /// Adds all threads of a launch, each about to run the kernel with these arguments.
    pub fn launch(&mut self, state: &mut State, kernel: FuncId, args: &[Value]) {
        let Some(launch) = state.launch().copied() else { return };
        for number in 0..launch.threads() as usize {
            let name = launch.name(ThreadId::new(number));
            let id = self.add_thread(state, &name, None, kernel, args, OnReturn::EndThread);
            state.thread_mut(id).lane = Lane::of(launch.lanes_beside(id));
        }
        state.order.in_blocks(Blocks::new(launch.blocks_of_threads()));
    }

    /// Makes the globals unknown that any earlier call may have changed: all but constants, tables of functions,
    /// synchronisation objects, and static ones that no code writes ([`memory::HeapRules::any_static`]).
    pub fn make_globals_symbolic(&mut self, state: &mut State) {
        let program = Arc::clone(&self.program);
        let module = &program.module;
        (state.library, state.globals_set_up) = (true, true);
        for (id, global) in module.globals() {
            let (Some(object), Some(ty)) = (state.memory.global(id), global.ty) else { continue };
            if !may_change(module, global) {
                continue;
            }
            if keeps_initial(&program, id) && !state.memory.shape().limits.rules.any_static {
                self.assumed.statics = true;
                continue;
            }
            state.memory.make_initial(module, object, ty, &global.name, !program.facts.is_hidden(id));
        }
    }
}

/// Whether a global that may change as far as its declaration tells is one that no code writes, and has an initialiser: of one that is
/// all zero, somebody else may be meant to set it.
pub fn keeps_initial(program: &Program, id: GlobalId) -> bool {
    let global = &program.module[id];
    program.facts.keeps_initial(id) && matches!(global.init, Init::Data { .. }) && may_change(&program.module, global)
}

/// Whether any earlier call may have changed a global, as far as its declaration tells.
pub(crate) fn may_change(module: &Module, global: &Global) -> bool {
    let table = matches!(&global.init, Init::Data { addresses, .. }
        if addresses.iter().any(|(_, a)| matches!(a, Address::Func(_))));
    let is_sync = global.ty.is_some_and(|ty| TypeFacts::is_sync(module, ty));
    // The library begins as it does in every program.
    !(global.constant || global.library || global.has_instances() || table || is_sync)
}

/// Writes the addresses of an initialiser.
pub(crate) fn relocate(engine: &mut Engine, memory: &mut Memory, global: &Global, object: memory::ObjId) {
    let Init::Data { addresses, .. } = &global.init else { return };
    for &(offset, address) in addresses {
        let value = match address {
            Address::Global(target, addend) => {
                memory.global(target).map(|object| Value::Ptr(Pointer::new(object, addend)))
            }
            Address::Func(function) => memory.function_object(function).map(|o| Value::Ptr(Pointer::to(o))),
        };
        if let Some(value) = value {
            // Concrete bytes have no cell to cut, so this cannot fail.
            let size = memory.pointer_size().bytes();
            let _ = memory.write(&mut engine.terms, Pointer::new(object, offset as i64), size, value);
        }
    }
}

/// The functions that need an address: those that appear as a value somewhere.
pub(crate) fn addressed_functions(module: &Module) -> BTreeSet<FuncId> {
    let mut found: BTreeSet<FuncId> = module.functions().filter(|(_, f)| f.address_taken).map(|(id, _)| id).collect();
    let mut note = |operand: Operand| {
        if let Operand::Func(function) = operand {
            found.insert(function);
        }
    };
    for block in module.functions.iter().flat_map(|f| &f.blocks) {
        block.insts.iter().for_each(|inst| inst.op.for_each_operand(&mut note));
        let terminator: &Terminator = &block.terminator;
        terminator.for_each_operand(&mut note);
    }
    for global in &module.globals {
        if let Init::Data { addresses, .. } = &global.init {
            found.extend(addresses.iter().filter_map(|(_, a)| match a {
                Address::Func(function) => Some(*function),
                Address::Global(..) => None,
            }));
        }
    }
    found
}
