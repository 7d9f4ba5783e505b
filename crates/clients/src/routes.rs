//! What calls build, one after the other.

use super::ClientOptions;
use super::alike::look;
use super::example::{Example, Likeness};
use super::library::Library;
use concurrency::ThreadId;
use explore::{Budget, ClientCall, fresh, returns_alone, unwritten};
use ir::FuncId;
use machine::{Engine, EngineError, OnReturn, Program, State};
use memory::{Byte, Fingerprint, ObjectKind, Pointer, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// Heaps that are kept of those that differ in nothing but the values of symbols, and heaps in all.
const ALIKE: usize = 2;
const MOST: usize = 4_000;

/// Steps of one call on one heap.
const STEPS: u64 = 400;

/// A heap that calls have built.
#[derive(Clone, Debug)]
pub(super) struct Built {
    pub state: State,
    pub calls: Vec<(ClientCall, Vec<Value>)>,
    /// What operations are about, as far as it has been made.
    pub roots: Vec<Value>,
    is_extended: bool,
}

impl Built {
    /// How it is like an example, some of whose objects are its roots.
    pub(super) fn likeness(&self, example: &Example, program: &Program, roots: &[Option<usize>]) -> Likeness {
        let roots: Vec<(usize, Value)> =
            roots.iter().zip(&self.roots).filter_map(|(object, root)| Some(((*object)?, *root))).collect();
        example.likeness(program, &self.state, &roots)
    }

    /// Whether there is all that operations are about.
    pub(super) fn is_ready(&self, library: &Library) -> bool {
        self.roots.len() == library.roots().len()
    }
}

/// All heaps that have been built so far, those with fewer calls first.
#[derive(Debug)]
pub(super) struct Routes {
    all: Vec<Built>,
    seen: FxHashMap<Fingerprint, usize>,
    /// Heaps to which one more call was added, in that order.
    extended: Vec<usize>,
    /// Some of what could be built was left out.
    left_out: bool,
}

impl Routes {
    pub(super) fn new(engine: &mut Engine, library: &Library, options: ClientOptions) -> Self {
        let state = engine.initial_state(options.limits);
        let mut routes = Routes { all: Vec::new(), seen: FxHashMap::default(), extended: Vec::new(), left_out: false };
        let start = Built { state, calls: Vec::new(), roots: Vec::new(), is_extended: false };
        routes.add(engine, library, start);
        routes
    }

    pub(super) fn built(&self, index: usize) -> &Built {
        &self.all[index]
    }

    /// Heaps to which one more call was added: in that order it can be done again.
    pub(super) fn extended(&self) -> &[usize] {
        &self.extended
    }

    /// Whether all that can be built by so many calls has been.
    pub(super) fn is_complete(&self) -> bool {
        !self.left_out && self.all.iter().all(|built| built.is_extended)
    }

    /// Whether there is all that operations are about on some heap.
    pub(super) fn are_ready(&self, library: &Library) -> bool {
        self.all.iter().any(|built| built.is_ready(library))
    }

    /// Of those that were not tried, the one that takes few calls and differs little from what is wanted. `differences`: of
    /// those that were looked at before, in their order.
    pub(super) fn nearest(
        &self,
        tried: &FxHashSet<usize>,
        differences: &mut Vec<usize>,
        differs: impl Fn(&Built) -> usize,
    ) -> Option<usize> {
        differences.extend(self.all[differences.len()..].iter().map(differs));
        let open = (0..self.all.len()).filter(|index| !tried.contains(index));
        open.min_by_key(|&index| (self.all[index].calls.len() + differences[index], index))
    }

    /// Adds all that one more call makes of a heap.
    ///
    /// # Errors
    /// When the engine fails.
    pub(super) fn extend(
        &mut self,
        engine: &mut Engine,
        library: &Library,
        index: usize,
        options: ClientOptions,
        budget: &Budget,
    ) -> Result<(), EngineError> {
        // Where queries run out of time, there may be fewer than there were.
        let Some(built) = self.all.get_mut(index) else { return Ok(()) };
        if std::mem::replace(&mut built.is_extended, true) {
            return Ok(());
        }
        self.extended.push(index);
        // Two calls race at the end.
        if built.calls.len() as u32 + 2 >= options.calls {
            return Ok(());
        }
        let built = built.clone();
        let next = built.roots.len();
        if let Some(earlier) = library.earlier(next) {
            let mut roots = built.roots.clone();
            roots.push(built.roots[earlier]);
            self.add(engine, library, Built { roots, ..built.clone() });
        }
        let functions = if built.is_ready(library) { library.steps() } else { library.makers(next) };
        for &function in functions {
            if self.all.len() >= MOST || budget.exhausted().is_some() {
                self.left_out = true;
                return Ok(());
            }
            self.call(engine, library, &built, function, options, budget)?;
        }
        Ok(())
    }

    fn call(
        &mut self,
        engine: &mut Engine,
        library: &Library,
        built: &Built,
        function: FuncId,
        options: ClientOptions,
        budget: &Budget,
    ) -> Result<(), EngineError> {
        let mut state = built.state.clone();
        let mut roots = built.roots.clone();
        let is_making = !built.is_ready(library);
        let program = std::sync::Arc::clone(&engine.program);
        if let Some(root) = library.roots().get(roots.len()).filter(|root| is_making && root.is_object) {
            roots.push(Value::Ptr(Pointer::to(unwritten(&program.module, &mut state, root.named))));
        }
        let (mut call, values) = library.call(engine, &mut state, &roots, function, built.calls.len());
        let before = state.thread_ids().last();
        let thread = begin(engine, &mut state, before, function, &values);
        state.concurrent = false;
        let alone = |engine: &mut Engine| returns_alone(engine, state, (STEPS, budget));
        let (ends, all) = engine.with_config(options.alone, alone)?;
        self.left_out |= !all;
        for state in ends {
            let mut roots = roots.clone();
            if is_making && roots.len() == built.roots.len() {
                // What it returns must be an object, or nothing was made.
                let Some(made @ Value::Ptr(_)) = state.thread(thread).result() else { continue };
                call.makes = Some(roots.len());
                roots.push(made);
            } else if is_making && !is_written(&state, roots.last()) {
                continue;
            }
            let mut calls = built.calls.clone();
            calls.push((call.clone(), values.clone()));
            self.add(engine, library, Built { state, calls, roots, ..built.clone() });
        }
        Ok(())
    }

    /// Adds a heap, unless there are enough like it.
    fn add(&mut self, engine: &Engine, library: &Library, mut built: Built) {
        let module = &engine.program.module;
        // What nobody has to make is there.
        while built.roots.len() < library.roots().len() && !library.needs_maker(module, built.roots.len()) {
            let ty = library.roots()[built.roots.len()].named;
            built.roots.push(Value::Ptr(Pointer::to(fresh(module, &mut built.state, ty))));
        }
        let object = |value: &Value| match value {
            Value::Ptr(pointer) => Some(pointer.object),
            _ => None,
        };
        let memory = &built.state.memory;
        if !built.roots.iter().filter_map(object).all(|root| memory.object(root).is_live()) {
            return;
        }
        let globals = memory.ids().filter(|id| {
            let object = memory.object(*id);
            matches!(object.kind, ObjectKind::Global(_)) && !object.constant
        });
        let heap = look(&engine.terms, &built.state, built.roots.iter().filter_map(object).chain(globals));
        let alike = self.seen.entry(Fingerprint::of((heap.fingerprint, built.roots.len()))).or_default();
        if *alike >= ALIKE {
            // Others may be of values that these do not have.
            self.left_out |= heap.has_symbols;
            return;
        }
        *alike += 1;
        built.is_extended = false;
        self.all.push(built);
    }
}

/// Whether anything in an object has been written.
fn is_written(state: &State, root: Option<&Value>) -> bool {
    let Some(Value::Ptr(pointer)) = root else { return false };
    let contents = &state.memory.object(pointer.object).contents;
    contents.tail().is_some_and(|byte| byte != Byte::Undefined)
        || (0..contents.told()).any(|offset| contents.byte(offset) != Byte::Undefined)
}

/// Adds a thread that calls a function, after `before` has ended.
pub(super) fn begin(
    engine: &mut Engine,
    state: &mut State,
    before: Option<ThreadId>,
    function: FuncId,
    values: &[Value],
) -> ThreadId {
    let name = (state.threads.len() + 1).to_string();
    engine.add_thread(state, &name, before, function, values, OnReturn::EndThread)
}
