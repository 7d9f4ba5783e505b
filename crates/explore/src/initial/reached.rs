//! The states that a client's calls build, one after the other, on any engine.
//!
//! A client's thread makes one call, alone, and stands still until it makes the next; threads that the library has made do not
//! run meanwhile. Then a thread for each of several calls begins.
//!
//! Guarantee: a [`Recipe`] leads every engine to the same state.

use crate::budget::meter::{Live, Meter};
use crate::initial::{AloneEnd, AloneRuns};
use crate::model::client::{CallWay, ClientArgument, ClientCall, Makes, Recipe, Root, TEXT};
use crate::run::follow::{follow_alone, quietly};
use crate::run::prefix::{Prefix, prefix_of};
use crate::{Budget, Position};
use concurrency::ThreadId;
use ir::{DebugType, Given, IntKind, Module, Ty, TypeId};
use machine::{Backtrace, Config, EndlessLoop, Engine, EngineError, Fault, Input, OnReturn, State, Status};
use memory::{Contents, Limits, ObjId, Object, ObjectKind, Pointer, Value};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// The thread that makes calls one after the other.
fn client() -> ThreadId {
    ThreadId::new(0)
}

/// A state that calls have built.
#[derive(Clone, Debug)]
pub struct Reached {
    pub state: State,
    pub recipe: Recipe,
    /// Of each root.
    pub values: Vec<Value>,
    /// Of each call.
    pub arguments: Vec<Vec<Value>>,
    /// The last call gave an address that is computed from what is not known: no one holds that.
    pub unheld: bool,
}

/// How a call ends.
#[derive(Clone, Debug)]
pub enum CallEnd {
    Returns(Box<Reached>),
    /// It fails, or waits for a lock that the client has, whatever others do.
    Fails(Box<FailedCall>),
    /// It goes round loops that have no way out, each time in a new state.
    GoesOn(Vec<EndlessLoop>),
}

/// A call that goes wrong with nobody beside it.
#[derive(Clone, Debug)]
pub struct FailedCall {
    pub state: State,
    pub what: AloneFailure,
    pub position: Position,
    pub recipe: Recipe,
    pub call: ClientCall,
    /// Of each call, this one included.
    pub arguments: Vec<Vec<Value>>,
}

impl FailedCall {
    /// All calls, this one included, with what they get.
    pub fn calls(&self) -> impl Iterator<Item = (&ClientCall, &Vec<Value>)> {
        self.recipe.calls.iter().map(|(call, _)| call).chain([&self.call]).zip(&self.arguments)
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum AloneFailure {
    Fault(Fault),
    /// It waits for a lock that the client has.
    Relocks,
    /// It goes round for ever, by pointers that lead in a circle.
    NeverReturns,
}

impl Reached {
    /// Before any call: the client has these objects of its own.
    pub fn start(engine: &mut Engine, limits: Limits, own: &[Root]) -> Self {
        let mut reached = Reached {
            state: engine.client_state(limits),
            recipe: Recipe::default(),
            values: Vec::new(),
            arguments: Vec::new(),
            unheld: false,
        };
        let program = Arc::clone(&engine.program);
        for root in own {
            let object = fresh(&program.module, &mut reached.state, root.named);
            reached.hold(*root, Value::Ptr(Pointer::to(object)));
        }
        reached
    }

    fn hold(&mut self, root: Root, value: Value) {
        self.recipe.roots.push(root);
        self.values.push(value);
    }

    /// All ends of one more call, and whether these are all. `makes`: what it gives is held as that.
    ///
    /// # Errors
    /// When the engine fails.
    pub fn call(
        &self,
        engine: &mut Engine,
        (call, makes): (&ClientCall, &Makes),
        alone: Config,
        (steps, budget): (u64, &Budget),
    ) -> Result<(Vec<CallEnd>, bool), EngineError> {
        let (state, values) = self.about_to_call(engine, call);
        let mut ends = Vec::new();
        let live = Live::default();
        let mut meter = Meter::new(budget, &live, Some(steps));
        let config = Config { calls_apart: true, ..alone };
        engine.with_visible(FxHashSet::default(), |engine| {
            engine.with_config(config, |engine| {
                let mut runs = AloneRuns::of(state, client());
                while let Some(leaf) = runs.next(engine, &mut meter)? {
                    let mut arguments = self.arguments.clone();
                    arguments.push(values.clone());
                    let what = match leaf.end {
                        AloneEnd::Returned(result) if leaf.state.thread(client()).status == Status::Ended => {
                            ends.push(CallEnd::Returns(Box::new(self.after(
                                engine,
                                leaf.state,
                                (call, makes),
                                result,
                                arguments,
                            ))));
                            continue;
                        }
                        AloneEnd::Faulted(fault) => AloneFailure::Fault(fault),
                        AloneEnd::Relocks { .. } => AloneFailure::Relocks,
                        AloneEnd::NeverReturns => AloneFailure::NeverReturns,
                        // Of what waits, others have to do something first.
                        AloneEnd::Returned(_) | AloneEnd::Waits | AloneEnd::Outlived(_) => {
                            if !leaf.state.endless.is_empty() {
                                ends.push(CallEnd::GoesOn(leaf.state.endless.to_vec()));
                            }
                            continue;
                        }
                    };
                    let location = match &what {
                        AloneFailure::Fault(fault) => fault.backtrace.position(),
                        AloneFailure::Relocks | AloneFailure::NeverReturns => {
                            Backtrace::of(&engine.program, leaf.state.thread(client())).position()
                        }
                    };
                    ends.push(CallEnd::Fails(Box::new(FailedCall {
                        what,
                        position: Position::of(&engine.program, location),
                        state: leaf.state,
                        recipe: self.recipe.clone(),
                        call: call.clone(),
                        arguments,
                    })));
                }
                Ok::<(), EngineError>(())
            })
        })?;
        Ok((ends, meter.stopped().is_none()))
    }

    /// What there is after a call.
    fn after(
        &self,
        engine: &mut Engine,
        mut state: State,
        (call, makes): (&ClientCall, &Makes),
        result: Option<Value>,
        arguments: Vec<Vec<Value>>,
    ) -> Reached {
        let way = CallWay(postcard::to_allocvec(&prefix_of(&state)).expect("a prefix is plain data").into());
        state.forget_way();
        let mut call = ClientCall::new(call.function, call.arguments.clone());
        let (recipe, values) = (self.recipe.clone(), self.values.clone());
        let mut next = Reached { state, recipe, values, arguments, unheld: false };
        // A pointer may as well be a number that says which one it is.
        let is_new = |next: &Reached, made: &Value| {
            let leads = match made {
                Value::Ptr(_) | Value::Symbolic { .. } => true,
                Value::Int(number) => *number != 0,
                Value::Term(_) | Value::Lazy { .. } => false,
            };
            leads && !next.values.contains(made)
        };
        let is_unknown = |made: Option<Value>| matches!(made, Some(Value::Term(_) | Value::Lazy { .. }));
        next.unheld = makes.result.is_some() && is_unknown(result);
        if let (Some(root), Some(made)) = (makes.result, result)
            && is_new(&next, &made)
        {
            call.makes = Some(next.values.len());
            next.hold(root, made);
        }
        let own = |&&(argument, _): &&(usize, Root)| {
            // What the client's own variable gets; of another it knows what stands there as well as the library does.
            matches!(call.arguments.get(argument), Some(ClientArgument::Fresh(_)))
        };
        for &(argument, root) in makes.sets.iter().filter(own) {
            let made = next.set_by(engine, argument);
            next.unheld |= is_unknown(made);
            if let Some(made) = made
                && is_new(&next, &made)
            {
                call.sets.push((argument, next.values.len()));
                next.hold(root, made);
            }
        }
        next.recipe.calls.push((call, way));
        next
    }

    /// What stands in the variable that an argument of the last call leads to.
    fn set_by(&mut self, engine: &mut Engine, argument: usize) -> Option<Value> {
        let Some(Value::Ptr(variable)) = self.arguments.last()?.get(argument).copied() else { return None };
        let program = Arc::clone(&engine.program);
        let size = u64::from(program.module.pointer.bits() / 8);
        let object = self.state.memory.object(variable.object);
        // The call may have freed it.
        if !object.is_live() || !object.contains(variable.offset, size) {
            return None;
        }
        self.state.memory.read(&mut engine.terms, &program.module, &program.facts, variable, size).ok()
    }

    /// The client's thread, about to make a call, and what that gets.
    fn about_to_call(&self, engine: &mut Engine, call: &ClientCall) -> (State, Vec<Value>) {
        let mut state = self.state.clone();
        let values = self.values_of(engine, &mut state, call, self.recipe.calls.len());
        let given = given(engine, &mut state, call, &values);
        engine.call_next(&mut state, client(), call.function, &given);
        state.concurrent = false;
        (state, values)
    }

    /// A thread for each of these calls, about to make it, and what they get.
    pub fn together(&self, engine: &mut Engine, threads: &[ClientCall]) -> (State, Vec<Vec<Value>>) {
        let mut state = self.state.clone();
        let mut all = Vec::new();
        for (index, call) in threads.iter().enumerate() {
            let values = self.values_of(engine, &mut state, call, self.recipe.calls.len() + index);
            all.push(values);
        }
        for (index, (call, values)) in threads.iter().zip(&all).enumerate() {
            let name = (index + 1).to_string();
            let on_return = OnReturn::EndThread;
            let given = given(engine, &mut state, call, values);
            engine.add_thread(&mut state, &name, Some(client()), call.function, &given, on_return);
        }
        state.concurrent = true;
        (state, all)
    }

    /// What the arguments of a call are: numbers are symbols, told apart by the call's number.
    fn values_of(&self, engine: &mut Engine, state: &mut State, call: &ClientCall, number: usize) -> Vec<Value> {
        let program = Arc::clone(&engine.program);
        let module = &program.module;
        let given = module.given(call.function);
        let leaves = module.leaves(call.function).unwrap_or_default();
        let mut values = Vec::new();
        for (index, (leaf, argument)) in leaves.iter().zip(&call.arguments).enumerate() {
            values.push(match *argument {
                ClientArgument::Root(root) => self.values.get(root).copied().unwrap_or(Value::NULL),
                ClientArgument::Null => Value::NULL,
                ClientArgument::Opaque => Value::Ptr(Pointer::to(bytes(state, 1))),
                ClientArgument::Bytes(many) => Value::Ptr(Pointer::to(bytes(state, many))),
                ClientArgument::Several(ty, many) | ClientArgument::Text(ty, many) => {
                    let size = module.size_of(ty).unwrap_or(1).max(1).saturating_mul(many);
                    let mut bytes = vec![0; size as usize];
                    if let (ClientArgument::Text(..), Some(first)) = (argument, bytes.first_mut()) {
                        *first = TEXT;
                    }
                    Value::Ptr(Pointer::to(own_object(state, Some(ty), Contents::concrete(bytes))))
                }
                ClientArgument::Function(function) => {
                    state.memory.function_object(function).map_or(Value::NULL, |code| Value::Ptr(Pointer::to(code)))
                }
                ClientArgument::Fresh(ty) => Value::Ptr(Pointer::to(fresh(module, state, ty))),
                ClientArgument::Number(_) => {
                    let Given { ty, source } = given[leaf.param];
                    let bits = u32::from(match ty {
                        None => module.size_of(leaf.ty).map_or(8, |size| 8 * size as u16),
                        Some(Ty::Ptr) => 64,
                        Some(ty) => ty.bits(module.pointer),
                    });
                    let path =
                        source.map_or_else(String::new, |of| of.name.clone() + &module.path_to(of.ty, leaf.offset));
                    let name = format!("call {number}:{index}:{path}");
                    let symbol = engine.terms.var(&name, bits);
                    let (size, symbols, thread) = (u64::from(bits.div_ceil(8)), vec![symbol], client());
                    state.take_in(Input {
                        name,
                        size,
                        symbols,
                        floating: false,
                        thread,
                        site: None,
                        reading: None,
                        applied: None,
                    });
                    if is_bool(module, leaf.ty) {
                        let one = engine.terms.bv(bits, 1);
                        let small = engine.terms.ule(symbol, one);
                        state.path.assume(small);
                    }
                    Value::Term(symbol)
                }
            });
        }
        values
    }

    /// The state that a recipe leads to, on this engine.
    ///
    /// # Errors
    /// When the engine fails, or the recipe does not fit the program.
    pub fn by(engine: &mut Engine, recipe: &Recipe, limits: Limits, alone: Config) -> Result<Self, EngineError> {
        let own: Vec<Root> = recipe.roots.iter().copied().filter(|root| root.is_object).collect();
        let mut reached = Reached::start(engine, limits, &own);
        let config = Config { calls_apart: true, ..alone };
        for (call, CallWay(way)) in &recipe.calls {
            let (mut state, values) = reached.about_to_call(engine, call);
            let prefix: Prefix = postcard::from_bytes(way).map_err(|_| EngineError::Diverged)?;
            let turns = prefix.turns()?;
            let result = engine.with_visible(FxHashSet::default(), |engine| {
                engine.with_config(config, |engine| {
                    quietly(engine, |engine| {
                        follow_alone(engine, &mut state, &turns, |_| Some(client()))?;
                        let (live, budget) = (Live::default(), Budget::default());
                        let mut meter = Meter::new(&budget, &live, None);
                        let leaf =
                            AloneRuns::of(state, client()).next(engine, &mut meter)?.ok_or(EngineError::Diverged)?;
                        match leaf.end {
                            AloneEnd::Returned(result) => Ok((leaf.state, result)),
                            _ => Err(EngineError::Diverged),
                        }
                    })
                })
            });
            let (state, result) = result?;
            let root = |root: usize| recipe.roots.get(root).copied();
            let sets = call.sets.iter().filter_map(|&(argument, set)| Some((argument, root(set)?)));
            let makes = Makes { result: call.makes.and_then(root), sets: sets.collect() };
            let mut arguments = reached.arguments.clone();
            arguments.push(values);
            reached = reached.after(engine, state, (call, &makes), result, arguments);
        }
        Ok(reached)
    }
}

/// These calls with numbers that lead to a state; none if there are none. With each: what it gets.
///
/// # Errors
/// When the solver fails.
pub fn with_numbers<'c>(
    engine: &mut Engine,
    state: &State,
    calls: impl IntoIterator<Item = (&'c ClientCall, &'c Vec<Value>)>,
) -> Result<Option<Vec<ClientCall>>, EngineError> {
    let solved = engine.solver.model(&mut engine.terms, state.path.terms())?;
    let Some(model) = solved.model() else { return Ok(None) };
    let number = |value: &Value| match *value {
        Value::Int(word) => Some(u128::from(word)),
        Value::Term(term) => Some(engine.terms.eval(term, &model)),
        Value::Ptr(_) | Value::Lazy { .. } | Value::Symbolic { .. } => None,
    };
    Ok(Some(calls.into_iter().map(|(call, values)| call.with_numbers(values.iter().map(number))).collect()))
}

/// What a call's parameters get, of which these are the scalars: a structure is a client's own object.
fn given(engine: &mut Engine, state: &mut State, call: &ClientCall, values: &[Value]) -> Vec<Value> {
    let program = Arc::clone(&engine.program);
    let module = &program.module;
    let leaves = module.leaves(call.function).unwrap_or_default();
    let scalars = |param: usize| leaves.iter().zip(values).filter(move |(leaf, _)| leaf.param == param);
    let mut given = Vec::new();
    for (param, Given { ty, source }) in module.given(call.function).into_iter().enumerate() {
        given.push(match (ty, source) {
            (None, Some(source)) => {
                let structure = Pointer::to(fresh(module, state, source.ty));
                for (leaf, &value) in scalars(param) {
                    let size = module.size_of(leaf.ty).unwrap_or(0);
                    // A fresh object of concrete bytes has no cell to cut.
                    let _ = state.memory.write(&mut engine.terms, structure.plus(leaf.offset as i64), size, value);
                }
                Value::Ptr(structure)
            }
            _ => scalars(param).next().map_or(Value::NULL, |(_, &value)| value),
        });
    }
    given
}

/// An object of a client's own, all zero.
pub fn fresh(module: &Module, state: &mut State, ty: TypeId) -> ObjId {
    let size = module.size_of(ty).unwrap_or(1).max(1);
    own_object(state, Some(ty), Contents::zero(size as usize))
}

/// An object of a client's own that nobody has written yet.
pub fn unwritten(module: &Module, state: &mut State, ty: TypeId) -> ObjId {
    let size = module.size_of(ty).unwrap_or(1).max(1);
    own_object(state, Some(ty), Contents::undefined(size as usize))
}

/// Bytes of a client's own.
fn bytes(state: &mut State, many: u64) -> ObjId {
    own_object(state, None, Contents::zero(many as usize))
}

fn own_object(state: &mut State, ty: Option<TypeId>, contents: Contents) -> ObjId {
    let arena = state.memory.allocator_mut().open("client's");
    let size = contents.len() as u64;
    let address = state.memory.allocator_mut().heap(arena, size, 16, |_| false).unwrap_or(1 << 40);
    state.memory.insert(Object::new(ObjectKind::Heap, address, ty, "client", contents))
}

fn is_bool(module: &Module, ty: TypeId) -> bool {
    matches!(module[module.strip(ty)], DebugType::Int { kind: IntKind::Bool, .. })
}
