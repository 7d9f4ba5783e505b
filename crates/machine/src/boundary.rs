//! The boundary between a library and its client: what crosses it, for whoever wants to know how a library is used (Narada,
//! section 3.1: calls that a client makes).

use crate::Observed;
use crate::step::StepCx;
use ::memory::Value;
use ir::{FuncId, Module};
use std::rc::Rc;

/// Which functions are the client's; those of raddle's C library do their caller's work, and all others are the library's.
#[derive(Clone, Debug)]
pub struct Boundary {
    is_client: Vec<bool>,
}

impl Boundary {
    pub fn new(module: &Module, is_client: impl Fn(FuncId) -> bool) -> Self {
        Boundary { is_client: module.functions().map(|(id, function)| function.library || is_client(id)).collect() }
    }

    /// Whether a function is of the library.
    pub fn is_within(&self, function: FuncId) -> bool {
        !self.is_client[function.index()]
    }
}

impl StepCx<'_> {
    /// Whether the thread is in a call of the library.
    fn is_within_library(&self, boundary: &Boundary) -> bool {
        self.thread.frames.iter().any(|frame| boundary.is_within(frame.function))
    }

    /// Whether what the thread accesses is kept, as far as a boundary says.
    pub(crate) fn is_observed(&self) -> bool {
        self.engine.boundary.as_ref().is_none_or(|boundary| self.is_within_library(boundary))
    }

    /// A function is about to be entered: notes if the client calls the library.
    pub(crate) fn cross_into(&mut self, function: FuncId, arguments: impl Iterator<Item = Value>) {
        let Some(boundary) = &self.engine.boundary else { return };
        if !boundary.is_within(function) || self.is_within_library(boundary) || self.state.observed.is_full() {
            return;
        }
        let thread = self.thread.id;
        let entered = Observed::Entered {
            thread,
            function,
            site: self.site(),
            arguments: arguments.collect(),
            held: self.state.sync.held(thread).into(),
            before: Rc::new(self.state.memory.clone()),
        };
        self.state.observed.push(entered);
    }

    /// A function has been left: notes if that was the client's call.
    pub(crate) fn cross_back(&mut self, function: FuncId, results: &[Value]) {
        let Some(boundary) = &self.engine.boundary else { return };
        if !boundary.is_within(function) || self.is_within_library(boundary) || self.state.observed.is_full() {
            return;
        }
        let after = Rc::new(self.state.memory.clone());
        let left = Observed::Left { thread: self.thread.id, results: results.into(), after };
        self.state.observed.push(left);
    }
}
