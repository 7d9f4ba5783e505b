//! Clients that are compiled together, since compiling takes longer than all else: which statements are left out of one, and in which order
//! its two calls are made, is decided in the IR, where each statement is a function of its own.
//!
//! What shows here shows in the client's own file, or it is not reported: that is compiled and explored once more.

use super::source::{self, Makes, Prelude};
use ir::{Block, Module, Terminator};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// What the files of such clients are called.
pub(super) const FILE: &str = "raddle_clients";

/// The program of several clients.
pub(super) struct Batch {
    pub module: Module,
    pub prelude: Prelude,
    pub file: PathBuf,
}

/// A client in such a program.
#[derive(Clone)]
pub(super) struct Batched {
    pub batch: Arc<Batch>,
    pub number: usize,
}

impl Batched {
    /// Its own program: `main` does this, and some statements are left out.
    pub(super) fn module(&self, makes: Makes, left_out: &BTreeSet<usize>) -> Module {
        let mut module = self.batch.module.clone();
        let (own, main) = (source::prefix_of(self.number), makes.name(self.number));
        let left_out: BTreeSet<String> =
            left_out.iter().map(|&statement| source::step_of(self.number, statement)).collect();
        for function in &mut module.functions {
            if function.name == main {
                "main".clone_into(&mut function.name);
            } else if left_out.contains(&function.name) {
                let returns = Terminator::Return { values: Vec::new() };
                let terminator_location = function.location;
                function.blocks =
                    vec![Block { params: Vec::new(), insts: Vec::new(), terminator: returns, terminator_location }];
            } else if is_of_a_client(&function.name)
                && (!function.name.starts_with(&own)
                    || Makes::ALL.iter().any(|makes| makes.name(self.number) == function.name))
            {
                // Nobody calls it.
                function.blocks.clear();
            }
        }
        module
    }
}

fn is_of_a_client(name: &str) -> bool {
    let rest = name.strip_prefix("raddle_client");
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}
