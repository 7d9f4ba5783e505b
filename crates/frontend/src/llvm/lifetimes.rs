//! Where variables and compound literals of inner blocks begin and end (C11 6.2.4p6, 6.5.2.5p5).
//!
//! At `-O0` clang says where the lifetime of a variable ends at best by code that it adds. But every instruction names the
//! block of the source that it belongs to, and so does every variable: it ends where control passes from an instruction of
//! its block to one that is outside, and begins again where control comes back. Calls of two declarations that nobody defines
//! stand for that. A compound literal is no variable; its block is the innermost around all that names it.
//!
//! Guarantee: nothing but these calls is added. A variable that is named by an instruction outside of its block, as by the
//! call of an `__attribute__((cleanup))`, ends with its function; so does one whose block cannot be told.

use super::module::Module;
use super::value::{Block, Value};
use super::{Metadata, MetadataKind as Kind, VariableRecord};
use llvm_sys::core as c;
use llvm_sys::prelude::LLVMBuilderRef;
use llvm_sys::{LLVMOpcode, debuginfo as di};
use std::collections::HashMap;
use std::ffi::CStr;

const BEGIN: &CStr = c"raddle.local.begin";
const END: &CStr = c"raddle.local.end";
/// What a call of the first means is [`ir::Op::LocalBegin`].
pub(crate) const LOCAL_BEGIN: &str = "raddle.local.begin";
/// What a call of the second means is [`ir::Op::LocalEnd`].
pub(crate) const LOCAL_END: &str = "raddle.local.end";

/// What clang calls the storage of compound literals.
const LITERAL: &str = ".compoundliteral";

/// Scopes nest only so deep unless the debug information is cyclic.
const DEPTH: u32 = 256;

/// Ways in which control may have come to a point.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
struct Before {
    /// Through the block of the variable, which has not been left.
    lives: bool,
    /// Out of that block.
    ended: bool,
}

/// A call to be added in front of an instruction.
struct Mark<'m> {
    before: Value<'m>,
    variable: Value<'m>,
    begins: bool,
}

impl Module<'_> {
    /// Marks where variables of inner blocks begin and end, of functions that clang made from C at `-O0`. Before that, what
    /// `mem2reg` promotes has been told: it is not marked.
    pub(crate) fn mark_lifetimes(&mut self) {
        let builder = ffi!(c::LLVMCreateBuilderInContext, self.context.raw);
        let functions: Vec<Value> = self.functions().filter(|f| !f.is_declaration()).collect();
        for function in functions {
            for mark in marks(function) {
                add(self, builder, &mark);
            }
        }
        ffi!(c::LLVMDisposeBuilder, builder);
    }
}

fn add(module: &Module<'_>, builder: LLVMBuilderRef, mark: &Mark<'_>) {
    let context = module.context.raw;
    let mut pointer = ffi!(c::LLVMPointerTypeInContext, context, 0);
    let nothing = ffi!(c::LLVMVoidTypeInContext, context);
    let ty = ffi!(c::LLVMFunctionType, nothing, &raw mut pointer, 1, 0);
    let name = if mark.begins { BEGIN } else { END };
    let known = ffi!(c::LLVMGetNamedFunction, module.raw, name.as_ptr());
    let function = if known.is_null() { ffi!(c::LLVMAddFunction, module.raw, name.as_ptr(), ty) } else { known };
    ffi!(c::LLVMPositionBuilderBeforeInstrAndDbgRecords, builder, mark.before.raw());
    let mut argument = mark.variable.raw();
    let call = ffi!(c::LLVMBuildCall2, builder, ty, function, &raw mut argument, 1, c"".as_ptr());
    if let Some(location) = mark.before.debug_location() {
        ffi!(di::LLVMInstructionSetDebugLoc, call, location.raw());
    }
}

/// The calls that a function lacks.
fn marks(function: Value<'_>) -> Vec<Mark<'_>> {
    let (Some(own), Some(&entry)) = (function.subprogram(), function.blocks().first()) else { return Vec::new() };
    let is_variable = |inst: &Value<'_>| {
        inst.opcode() == LLVMOpcode::LLVMAlloca
            && inst.operand(0).is_constant()
            && inst.operand(0).zero_extended() == 1
            && !super::promote::is_promotable(*inst)
    };
    let variables: Vec<Value<'_>> = entry.instructions().filter(is_variable).collect();
    if variables.is_empty() {
        return Vec::new();
    }
    let code = Code::of(function);
    let mut marks = Vec::new();
    for variable in variables {
        if let Some(block) = code.block_of(variable)
            && let Some(Kind::LLVMDISubprogramMetadataKind) = enclosing(block).last().map(Metadata::kind)
            && enclosing(block).last() == Some(own)
            && block != own
        {
            code.mark(variable, block, &mut marks);
        }
    }
    marks
}

/// A scope and those around it, from the inside.
fn enclosing<'m>(scope: Metadata<'m>) -> impl Iterator<Item = Metadata<'m>> {
    let is_block = |s: &Metadata<'_>| {
        matches!(s.kind(), Kind::LLVMDILexicalBlockMetadataKind | Kind::LLVMDILexicalBlockFileMetadataKind)
    };
    let outwards = move |s: &Metadata<'m>| if is_block(s) { s.parent_scope() } else { None };
    std::iter::successors(Some(scope), outwards).take(DEPTH as usize)
}

/// An instruction and the scope that it belongs to, if it says so: where it was inlined, that of the call.
struct Placed<'m> {
    inst: Value<'m>,
    scope: Option<Metadata<'m>>,
}

/// A function's instructions, and the scopes of the variables that it declares.
struct Code<'m> {
    blocks: Vec<Vec<Placed<'m>>>,
    successors: Vec<Vec<usize>>,
    /// By storage; none where several variables share it.
    blocks_of: HashMap<Value<'m>, Option<Metadata<'m>>>,
}

impl<'m> Code<'m> {
    fn of(function: Value<'m>) -> Self {
        let blocks = function.blocks();
        let numbers: HashMap<Block<'_>, usize> = blocks.iter().enumerate().map(|(i, block)| (*block, i)).collect();
        let to = |block: &Block<'m>| {
            let to = block.terminator().map(Value::successors).unwrap_or_default();
            to.iter().filter_map(|block| numbers.get(block).copied()).collect()
        };
        let mut blocks_of = HashMap::new();
        for record in blocks.iter().flat_map(|b| b.instructions()).flat_map(VariableRecord::before) {
            if let (true, Some(storage), Some(variable)) = (record.is_declare(), record.value(), record.variable()) {
                let scope = variable.variable_scope();
                let known = blocks_of.entry(storage).or_insert(scope);
                if *known != scope {
                    *known = None;
                }
            }
        }
        let placed = |inst| Placed { inst, scope: scope_of(inst) };
        Code {
            successors: blocks.iter().map(to).collect(),
            blocks: blocks.iter().map(|block| block.instructions().map(placed).collect()).collect(),
            blocks_of,
        }
    }

    /// The block of the source that a variable or a compound literal belongs to.
    fn block_of(&self, variable: Value<'m>) -> Option<Metadata<'m>> {
        if let Some(known) = self.blocks_of.get(&variable) {
            return *known;
        }
        if !variable.name().starts_with(LITERAL) {
            return None;
        }
        let names = |placed: &&Placed<'m>| {
            placed.inst.opcode() != LLVMOpcode::LLVMAlloca && placed.inst.operands().any(|operand| operand == variable)
        };
        let mut scopes = self.blocks.iter().flatten().filter(names).map(|placed| placed.scope);
        let mut around: Vec<Metadata<'m>> = enclosing(scopes.next()??).collect();
        for scope in scopes {
            let others: Vec<Metadata<'m>> = enclosing(scope?).collect();
            around.retain(|block| others.contains(block));
        }
        around.first().copied()
    }

    /// Adds the marks of a variable that belongs to a block of the source.
    fn mark(&self, variable: Value<'m>, block: Metadata<'m>, marks: &mut Vec<Mark<'m>>) {
        let mut inside: HashMap<Metadata<'m>, bool> = HashMap::new();
        let mut is_inside = |scope: Metadata<'m>| {
            *inside.entry(scope).or_insert_with(|| enclosing(scope).any(|around| around == block))
        };
        // Whether an instruction belongs to the block, where that is known.
        let mut places = Vec::new();
        for code in &self.blocks {
            let mut here = Vec::new();
            for (index, Placed { inst, scope }) in code.iter().enumerate() {
                let named = inst.opcode() != LLVMOpcode::LLVMAlloca && inst.operands().any(|o| o == variable);
                let within = scope.map(&mut is_inside);
                if named && within == Some(false) {
                    return;
                }
                if inst.opcode() != LLVMOpcode::LLVMPHI
                    && let Some(within) = within.or(named.then_some(true))
                {
                    here.push((index, within));
                }
            }
            places.push(here);
        }
        let mut before = vec![Before::default(); self.blocks.len()];
        let mut open = vec![0];
        let mut seen = vec![false; self.blocks.len()];
        while let Some(number) = open.pop() {
            seen[number] = true;
            let after = places[number].iter().fold(before[number], |before, (_, within)| before.then(*within));
            for &next in &self.successors[number] {
                let joined = before[next].or(after);
                if joined != before[next] || !seen[next] {
                    before[next] = joined;
                    open.push(next);
                }
            }
        }
        for (number, here) in places.iter().enumerate() {
            let mut now = before[number];
            for &(index, within) in here {
                let needed = if within { now.ended } else { now.lives };
                if needed && !self.returns_from(number, index) {
                    let before = self.blocks[number][index].inst;
                    marks.push(Mark { before, variable, begins: within });
                }
                now = now.then(within);
            }
        }
    }

    /// Whether all that is left to do is to return: the function's variables end all the same.
    fn returns_from(&self, block: usize, index: usize) -> bool {
        let returns = |inst: Value<'_>| matches!(inst.opcode(), LLVMOpcode::LLVMLoad | LLVMOpcode::LLVMRet);
        self.blocks[block][index..].iter().all(|placed| returns(placed.inst))
    }
}

fn scope_of(inst: Value<'_>) -> Option<Metadata<'_>> {
    let outermost = std::iter::successors(inst.debug_location(), |at| at.inlined_at()).take(DEPTH as usize).last();
    outermost.and_then(Metadata::location_scope)
}

impl Before {
    /// Behind an instruction that is within the block, or outside of it.
    fn then(self, within: bool) -> Self {
        match (within, self.lives) {
            (true, _) => Before { lives: true, ended: false },
            (false, true) => Before { lives: false, ended: true },
            (false, false) => self,
        }
    }

    fn or(self, other: Self) -> Self {
        Before { lives: self.lives || other.lives, ended: self.ended || other.ended }
    }
}
