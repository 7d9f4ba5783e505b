//! Choices: where one state becomes several.

use memory::{LazyId, Target};
use smt::TermId;

/// A matter to be decided before an instruction can be executed.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// Whether a one-bit term holds.
    Condition(TermId),
    /// Whether a pointer of the initial heap is null.
    Nullness(LazyId),
    /// What the lowest bits of the address of a pointer of the initial heap are, of those that are set here.
    Tag(LazyId, u8),
    /// Where a pointer of the initial heap leads.
    Target(LazyId),
    /// Which value a term has, where only a concrete one will do.
    Value(TermId),
    /// One of `count` things that the environment may do.
    Pick { count: u32 },
}

/// An answer to a [`Choice`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Decision {
    /// The term is `holds`. `implied`: the path condition leaves no other way, and the decision adds nothing to it. `solver`:
    /// it took a solver to tell.
    Condition {
        term: TermId,
        holds: bool,
        implied: bool,
        solver: bool,
    },
    Null(LazyId),
    NonNull(LazyId),
    Tag(LazyId, u8),
    Target(LazyId, Target),
    Value {
        term: TermId,
        value: u128,
        implied: bool,
    },
    Pick(u32),
}
