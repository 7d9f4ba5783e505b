//! Checks that a module is well formed, so that the engine need not.
//!
//! Guarantee: in a module without errors every id names an entry of its table, every use of a register lies behind its
//! one definition, and every operand has the type that its instruction works on.
//! Not promised: that the program is right. Whatever C lets a program get wrong at run time (a call with too few
//! arguments, a misaligned access) is the machine's to report.
//! A function whose ids are out of range is not checked further; the other tables and functions still are.

mod body;
mod dominance;
mod tables;

use crate::{BlockId, FuncId, Module};
use std::fmt;

/// What a module must keep to.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// Every id names an entry of its table: files, types, globals, functions, locations and wide constants of the
    /// module, registers and blocks of the function.
    IdInRange,
    /// A type contains itself only behind a pointer or a function type: the chain through typedefs, qualifiers, array
    /// elements and members ends.
    FiniteType,
    /// Types and members fit 63-bit sizes, and a member lies inside its record.
    TypeLayout,
    /// The chain of calls that a location was inlined at ends.
    FiniteLocation,
    /// External functions have distinct names.
    UniqueName,
    /// An alignment is a power of two.
    Alignment,
    /// The bytes of an initialiser are as many as its global has.
    InitSize,
    /// A relocation covers 8 bytes of its initialiser, and no two overlap.
    Relocation,
    /// Integers have 1 to 128 bits.
    Width,
    /// `b0` has no parameters.
    EntryBlock,
    /// What is passed is said of each ABI parameter, or of none, and is a parameter of the source or the result.
    Pieces,
    /// A register is set in at most one place: by the function's or a block's parameters or by one instruction.
    SingleAssignment,
    /// The definition of a register dominates its uses: a use in a reachable block comes after it on every way from the
    /// entry. An argument of an edge counts as used at the end of the block that it leaves.
    Dominance,
    /// An instruction works on a type that it is defined for, and a conversion on a pair of types.
    InstructionType,
    /// A register has the type that its defining instruction gives it.
    ResultType,
    /// An operand has the type that it is used at: a register exactly, addresses of globals and functions at pointers.
    /// `undef` fits anything. A constant may stand for a pointer (null, and addresses made from numbers).
    OperandType,
    /// A constant fits the width that it is used at; more than 64 bits need a wide one.
    ConstantRange,
    /// An edge passes as many arguments as its target has parameters, of their types.
    EdgeArguments,
    /// The cases of a switch differ from each other and fit its type.
    SwitchCases,
    /// A function returns as many values as it declares, of these types.
    ReturnValues,
    /// The results of a direct call are those that the callee declares.
    CallResults,
    /// What is passed or received by copy, or returned through, is a pointer.
    PassedByPointer,
    /// The address of a thread-local global is taken by `thread_local`, that of others is not.
    ThreadLocal,
    /// What begins and ends with a block is one variable that an `alloca` has reserved.
    Variable,
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Rule::IdInRange => "id in range",
            Rule::FiniteType => "finite type",
            Rule::TypeLayout => "type layout",
            Rule::FiniteLocation => "finite location",
            Rule::UniqueName => "unique name",
            Rule::Alignment => "alignment",
            Rule::InitSize => "initialiser size",
            Rule::Relocation => "relocation",
            Rule::Width => "width",
            Rule::EntryBlock => "entry block",
            Rule::Pieces => "pieces",
            Rule::SingleAssignment => "single assignment",
            Rule::Dominance => "dominance",
            Rule::InstructionType => "instruction type",
            Rule::ResultType => "result type",
            Rule::OperandType => "operand type",
            Rule::ConstantRange => "constant range",
            Rule::EdgeArguments => "edge arguments",
            Rule::SwitchCases => "switch cases",
            Rule::ReturnValues => "return values",
            Rule::CallResults => "call results",
            Rule::PassedByPointer => "passed by pointer",
            Rule::ThreadLocal => "thread-local",
            Rule::Variable => "variable",
        })
    }
}

/// Where a rule is broken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// An entry of a table of the module, as the text format names it.
    Entry(String),
    Function {
        id: FuncId,
        name: String,
        point: Point,
    },
}

/// A place in a function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Point {
    /// Parameters, registers and the like.
    Header,
    Block(BlockId),
    /// The instruction with this index, counted from 0.
    Instruction(BlockId, usize),
    Terminator(BlockId),
}

impl Point {
    /// Orders points as the text format prints them.
    fn key(self) -> (Option<BlockId>, usize) {
        match self {
            Point::Header => (None, 0),
            Point::Block(block) => (Some(block), 0),
            Point::Instruction(block, index) => (Some(block), index + 1),
            Point::Terminator(block) => (Some(block), usize::MAX),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Entry(entry) => f.write_str(entry),
            Place::Function { id, name, point } => {
                write!(f, "{id} {name}")?;
                match point {
                    Point::Header => Ok(()),
                    Point::Block(block) => write!(f, ", {block}"),
                    Point::Instruction(block, index) => write!(f, ", {block}, instruction {index}"),
                    Point::Terminator(block) => write!(f, ", {block}, terminator"),
                }
            }
        }
    }
}

/// A broken rule.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{place}: {rule}: {detail}")]
pub struct VerifyError {
    pub place: Place,
    pub rule: Rule,
    pub detail: String,
}

/// Checks every [`Rule`].
///
/// # Errors
/// All broken rules, in the order of the tables, functions last; within a function by block.
pub fn verify(module: &Module) -> Result<(), Vec<VerifyError>> {
    let mut errors = tables::check(module);
    for (id, function) in module.functions() {
        let mut found = body::check(module, function);
        found.sort_by_key(|(point, _, _)| point.key());
        errors.extend(found.into_iter().map(|(point, rule, detail)| VerifyError {
            place: Place::Function { id, name: function.name.clone(), point },
            rule,
            detail,
        }));
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

/// A broken rule within one function.
type Found = (Point, Rule, String);
