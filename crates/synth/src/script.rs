//! A test's calls as statements of C that other programs can make: with variables for what calls return and for what the test itself
//! has, whatever the test did in between (Narada, section 3.4: the objects that are collected at a point of capture).
//!
//! The test's own code is not run again. What it wrote to its objects before a call is written by statements, loops of it are
//! unrolled as they were run, and the way to a pointer is how the test could know it: a call returned it, it was stored in an object
//! of the test's, or it is read from what one of these leads to.

mod locks;
mod text;
mod unseen;
mod writer;

use crate::trace::Trace;
use ir::{FuncId, GlobalId, Module, TypeId};
use memory::ObjId;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use writer::Writer;

ir::entity_id!(
    /// A variable of one test's script.
    VariableId, "v"
);

/// Text with variables in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Template(pub Vec<Part>);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Part {
    Text(String),
    Variable(VariableId),
}

impl Template {
    fn text(text: impl Into<String>) -> Self {
        Template(vec![Part::Text(text.into())])
    }

    fn variable(id: VariableId) -> Self {
        Template(vec![Part::Variable(id)])
    }

    fn around(self, before: &str, after: &str) -> Self {
        let parts = std::iter::once(Part::Text(before.to_owned())).chain(self.0);
        Template(parts.chain([Part::Text(after.to_owned())]).collect())
    }

    /// The variables in it.
    pub fn variables(&self) -> impl Iterator<Item = VariableId> {
        self.0.iter().filter_map(|part| match part {
            Part::Variable(id) => Some(*id),
            Part::Text(_) => None,
        })
    }

    /// The variable that this is, and nothing else.
    pub fn only(&self) -> Option<VariableId> {
        match self.0.as_slice() {
            [Part::Variable(id)] => Some(*id),
            _ => None,
        }
    }

    /// The text, where variables have these names.
    pub fn with(&self, name: impl Fn(VariableId) -> String) -> String {
        let part = |part: &Part| match part {
            Part::Text(text) => text.clone(),
            Part::Variable(id) => name(*id),
        };
        self.0.iter().map(part).collect()
    }
}

/// A variable of the client.
#[derive(Clone, Debug)]
pub struct Variable {
    /// What it is called after.
    pub name: String,
    /// Its declaration, before and behind the name.
    pub declared: (String, String),
    /// What is assigned to it before it is used: memory that the test allocates.
    pub allocated: Option<String>,
    /// Whether it is a call's result.
    pub is_result: bool,
    /// It holds numbers of the client's own: what a caller gives a call to write to, or to read from, it gives no other call.
    pub is_plain: bool,
}

/// A call, and what has to be done before it.
#[derive(Clone, Debug)]
pub struct Step {
    pub function: FuncId,
    /// Statements, each with the variable that it writes to.
    pub before: Vec<(VariableId, Template)>,
    /// Of the function, and what each parameter gets.
    pub name: String,
    pub arguments: Vec<Template>,
    /// The type of what it returns, if that has a name.
    pub returns: Option<String>,
    pub defines: Option<VariableId>,
    /// By scalar that the ABI passes: the variable that holds it, or leads to it.
    pub holders: Vec<Option<VariableId>>,
    /// The objects that the client knows before it, and the variables that hold or lead to them.
    pub known: FxHashMap<ObjId, VariableId>,
    /// All that it is about.
    pub mentions: BTreeSet<VariableId>,
    /// It uses something of the test's source: a function, a variable.
    pub needs_source: bool,
    /// Why no other program can make it.
    pub unknown: Option<String>,
}

/// A number of a type as C writes it.
pub fn value_of(module: &Module, ty: TypeId, bits: u64) -> String {
    text::number(module, Some(ty), bits)
}

/// A test's calls.
#[derive(Clone, Debug, Default)]
pub struct Script {
    pub variables: Vec<Variable>,
    /// As in the trace.
    pub steps: Vec<Step>,
}

impl Script {
    /// [`Script::slice`] for all that a step is about.
    pub fn whole_slice(&self, last: usize) -> Vec<usize> {
        self.slice(last, self.steps[last].mentions.clone())
    }

    /// `is_own`: which variables are objects of the test's own, rather than ones that its source has names for.
    pub fn of(
        module: &Module,
        trace: &Trace,
        is_client: impl Fn(FuncId) -> bool,
        is_own: impl Fn(GlobalId) -> bool,
    ) -> Self {
        let mut writer = Writer::new(module, &is_client, &is_own);
        for call in &trace.calls {
            writer.step(call);
            // Objects are numbered as they are made.
            let end = call.after.as_ref().map_or(call.before.len(), |after| after.len());
            writer.made_by_library.push(call.before.len()..end.max(call.before.len()));
        }
        writer.script
    }

    /// The steps before one that it rests on, oldest first, and itself: those that are about the same objects as it is for, and those that
    /// are about none.
    pub fn slice(&self, last: usize, mut about: BTreeSet<VariableId>) -> Vec<usize> {
        let mut steps = vec![last];
        // What comes before may bring in more objects, which then matter from the beginning on.
        loop {
            let known = about.len();
            steps.truncate(1);
            for index in (0..last).rev() {
                let step = &self.steps[index];
                let has_any = step.mentions.is_empty();
                if has_any || step.mentions.iter().any(|variable| about.contains(variable)) {
                    steps.push(index);
                    about.extend(&step.mentions);
                }
            }
            if about.len() == known {
                break;
            }
        }
        steps.reverse();
        steps
    }
}
