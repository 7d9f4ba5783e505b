//! How a kernel gets its arguments: one set for all threads of the launch.
//!
//! Pointers lead into the initial heap, as for operations of a library; to buffers of scalars that do not overlap. Numbers are symbols.

use crate::model::operation::{Call, Operation};
use crate::model::roots::kernel_arguments;
use machine::{Engine, Launch, State};
use memory::{Limits, Value};
use serde::Serialize;

/// A kernel, and how it is launched.
#[derive(Clone, Debug, Serialize)]
pub struct Kernel {
    pub operation: Operation,
    pub launch: Launch,
    /// Failures count, whatever the heap: there is none on which the launch goes well. Pointers are not null then.
    pub on_any_heap: bool,
    /// Variables of the device hold anything, not what the source gives them.
    pub globals_symbolic: bool,
    /// The predicate that the heap satisfies before the launch.
    pub valid: Option<Operation>,
    /// Numbers that it is given, if not any, by their places among its arguments: to look for what is known to be there with them.
    pub given: Box<[(usize, i128)]>,
}

/// A launch before it has threads, and what each of them will run.
pub fn launch_state(engine: &mut Engine, limits: Limits, kernel: &Kernel) -> (State, Vec<Vec<Call>>) {
    let mut state = engine.launch_state(limits, kernel.launch);
    if kernel.globals_symbolic {
        engine.make_globals_symbolic(&mut state);
    }
    let arguments = kernel_arguments(engine, &mut state, &kernel.operation);
    for &(index, number) in &*kernel.given {
        if let Some(&Value::Term(argument)) = arguments.get(index) {
            let width = engine.terms.width(argument);
            let number = engine.terms.bv(width, number as u128 & (u128::MAX >> (128 - width)));
            let is_given = engine.terms.eq(argument, number);
            state.path.assume(is_given);
        }
    }
    if kernel.on_any_heap {
        // That it fails without its buffers is not what is asked for.
        for argument in &arguments {
            if let Value::Lazy { pointer, .. } = argument {
                state.memory.decide_non_null(*pointer);
            }
        }
    }
    (state, vec![vec![Call { function: kernel.operation.function, arguments }]])
}

/// Adds the threads of a launch, each about to run this call.
pub fn launch(engine: &mut Engine, state: &mut State, calls: &[Vec<Call>]) {
    for call in calls.iter().flatten() {
        engine.launch(state, call.function, &call.arguments);
    }
}
