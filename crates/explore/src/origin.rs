//! What is explored: a program from `main`, or operations of a library together.

use crate::{JointOptions, Operation, RootRule, base_state};
use ir::FuncId;
use machine::{Config, Engine, State};
use memory::{Limits, Value};

/// Operations that run together, and on which heaps.
#[derive(Clone, Debug)]
pub struct PairsOptions {
    pub limits: Limits,
    pub globals_symbolic: bool,
    pub roots: RootRule,
    /// `bool ok(const struct T *)`
    pub valid: Option<Operation>,
    pub joint: JointOptions,
    /// For operations that run alone.
    pub alone: Config,
    /// For threads that run together.
    pub together: Config,
}

/// Where executions begin.
#[derive(Clone, Debug)]
pub enum Origin {
    Main { main: FuncId, limits: Limits, config: Config },
    Operations { operations: Vec<Operation>, options: PairsOptions },
}

impl Origin {
    /// The state before anything has run, and each operation's arguments.
    pub(crate) fn base_state(&self, engine: &mut Engine) -> (State, Vec<Vec<Value>>) {
        match self {
            Origin::Main { main, limits, .. } => (engine.main_state(*limits, *main), Vec::new()),
            Origin::Operations { operations, options } => {
                let operations: Vec<&Operation> = operations.iter().collect();
                base_state(engine, options.limits, options.globals_symbolic, &operations, options.roots)
            }
        }
    }

    pub(crate) fn operations(&self) -> &[Operation] {
        match self {
            Origin::Main { .. } => &[],
            Origin::Operations { operations, .. } => operations,
        }
    }

    pub(crate) fn valid(&self) -> Option<&Operation> {
        match self {
            Origin::Main { .. } => None,
            Origin::Operations { options, .. } => options.valid.as_ref(),
        }
    }

    /// How what runs alone is run, if anything is.
    pub(crate) fn alone(&self) -> Option<Config> {
        match self {
            Origin::Main { .. } => None,
            Origin::Operations { options, .. } => Some(options.alone),
        }
    }

    /// What is looked for in operations that run together.
    pub(crate) fn joint(&self) -> JointOptions {
        match self {
            Origin::Main { .. } => JointOptions::default(),
            Origin::Operations { options, .. } => options.joint,
        }
    }

    /// How threads are run together.
    pub(crate) fn together(&self) -> Config {
        match self {
            Origin::Main { config, .. } => *config,
            Origin::Operations { options, .. } => options.together,
        }
    }
}
