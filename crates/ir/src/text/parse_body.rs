//! Parsing of function bodies.

use super::keyword::Keyword;
use super::lex::Token;
use super::parse::{Parsed, Parser, fail_at};
use crate::{
    Argument, ArrayPart, BinaryOp, BitOp, Block, BlockId, Callee, CastKind, Edge, FloatCast, FloatOp, FuncId, Inst, Op,
    Operand, Reg, Register, ScaledIndex, Terminator, Ty, TypeId, WideId,
};
use std::collections::BTreeMap;

/// What is known of the function being read.
#[derive(Default)]
pub(super) struct Body {
    pub(super) returns: Vec<Ty>,
    registers: BTreeMap<usize, Register>,
    /// Negative constants on edges, whose width is known once all blocks are.
    negatives: Vec<Negative>,
}

struct Negative {
    at: usize,
    target: BlockId,
    index: usize,
    /// Where the constant stands: block, edge, argument.
    place: (usize, usize, usize),
    magnitude: u64,
}

/// A result as written: its type may be left to the instruction.
struct Dest {
    at: usize,
    reg: Reg,
    name: Option<String>,
    ty: Option<Ty>,
    points_to: Option<TypeId>,
}

impl Body {
    fn define(&mut self, at: usize, reg: Reg, register: Register) -> Parsed<()> {
        match self.registers.get(&reg.index()) {
            // Twice is the verifier's business, differently nobody could print.
            Some(known) if *known != register => fail_at(at, format!("{reg} as it is described before")),
            _ => {
                self.registers.insert(reg.index(), register);
                Ok(())
            }
        }
    }
}

impl Parser<'_> {
    /// `%3 name: ptr(T2)`, where the name and `(T2)` may be missing.
    fn dest(&mut self) -> Parsed<Dest> {
        let at = self.at;
        let reg = self.reg()?;
        let name = self.eat_name()?;
        let (mut ty, mut points_to) = (None, None);
        if self.eat(":")? {
            ty = Some(self.ty()?);
            if self.eat("(")? {
                points_to = Some(self.type_id()?);
                self.mark(")")?;
            }
        }
        Ok(Dest { at, reg, name, ty, points_to })
    }

    /// A definition outside of instructions, where the type is not optional.
    pub(super) fn definition(&mut self, body: &mut Body) -> Parsed<Reg> {
        let Dest { at, reg, name, ty, points_to } = self.dest()?;
        let Some(ty) = ty else { return self.fail(format!("`:` and the type of {reg}")) };
        body.define(at, reg, Register { ty, name, points_to })?;
        Ok(reg)
    }

    pub(super) fn eat_by_value(&mut self) -> Parsed<Option<u64>> {
        if !self.eat_word("byval")? {
            return Ok(None);
        }
        self.mark("(")?;
        let size = self.number("a size")?;
        self.mark(")")?;
        Ok(Some(size))
    }

    /// The blocks up to `}`.
    pub(super) fn blocks(&mut self, body: &mut Body) -> Parsed<Vec<Block>> {
        let mut blocks = Vec::new();
        while !self.eat("}")? {
            if self.eat_id("b")? != Some(blocks.len()) {
                return self.fail(format!("`b{}:`", blocks.len()));
            }
            let params = if self.eat("(")? { self.list_until(")", |p| p.definition(body))? } else { Vec::new() };
            self.mark(":")?;
            let mut insts = Vec::new();
            let terminator = loop {
                if let Some(terminator) = self.eat_terminator(body, blocks.len())? {
                    break terminator;
                }
                let op = self.inst(body)?;
                insts.push(Inst { op, location: self.eat_location()? });
            };
            blocks.push(Block { params, insts, terminator, terminator_location: self.eat_location()? });
        }
        Ok(blocks)
    }

    /// The register table, once the whole function is read. Settles the negative constants on edges in `blocks`, too.
    pub(super) fn registers(&mut self, body: &mut Body, blocks: &mut [Block]) -> Parsed<Vec<Register>> {
        for negative in std::mem::take(&mut body.negatives) {
            let Negative { at, target, index, place: (block, edge, arg), magnitude } = negative;
            let param = blocks.get(target.index()).and_then(|b| b.params.get(index));
            let Some(register) = param.and_then(|reg| body.registers.get(&reg.index())) else {
                return fail_at(at, "a constant that is not negative, as the parameter it becomes is unknown");
            };
            let value = negated(at, magnitude, register.ty)?;
            let edge = blocks.get_mut(block).and_then(|b| edge_mut(&mut b.terminator, edge));
            if let Some(slot) = edge.and_then(|e| e.args.get_mut(arg)) {
                *slot = Operand::Int(value);
            }
        }
        let registers = std::mem::take(&mut body.registers);
        match registers.keys().enumerate().find(|(i, number)| i != *number) {
            Some((missing, _)) => self.fail(format!("a definition of %{missing}, or `unset(%{missing}: ...)`")),
            None => Ok(registers.into_values().collect()),
        }
    }

    fn inst(&mut self, body: &mut Body) -> Parsed<Op> {
        let mut dests = Vec::new();
        if let Token::Reg(_) = self.token {
            dests.push(self.dest()?);
            while self.eat(",")? {
                dests.push(self.dest()?);
            }
            self.mark("=")?;
        }
        let at = self.at;
        let regs: Vec<Reg> = dests.iter().map(|d| d.reg).collect();
        let Token::Word(word) = self.token else { return self.fail("an instruction") };
        self.advance()?;
        let op = self.op(at, word, &regs)?;
        for (i, Dest { at, reg, name, ty, points_to }) in dests.into_iter().enumerate() {
            let Some(ty) = ty.or_else(|| op.dest_type(i)) else {
                return fail_at(at, format!("{reg} with its type, as in `{reg}: i32`"));
            };
            body.define(at, reg, Register { ty, name, points_to })?;
        }
        Ok(op)
    }

    /// An integer constant of type `ty`: `null` and negative numbers included.
    fn eat_int(&mut self, ty: Option<Ty>) -> Parsed<Option<u64>> {
        let at = self.at;
        if self.eat_word("null")? {
            return Ok(Some(0));
        }
        if self.eat("-")? {
            let magnitude = self.number("a number")?;
            let Some(ty) = ty else { return fail_at(at, "a constant that is not negative, as its width is unknown") };
            return negated(at, magnitude, ty).map(Some);
        }
        match self.token {
            Token::Number(_) => self.number("a number").map(Some),
            _ => Ok(None),
        }
    }

    fn operand(&mut self, ty: Option<Ty>) -> Parsed<Operand> {
        if let Token::Reg(_) = self.token {
            return self.reg().map(Operand::Reg);
        }
        if let Some(value) = self.eat_int(ty)? {
            return Ok(Operand::Int(value));
        }
        if let Some((global, plus)) = self.eat_global_address()? {
            return Ok(Operand::Global(global, plus));
        }
        if let Some(id) = self.eat_id("f")? {
            self.skip_label()?;
            return Ok(Operand::Func(FuncId::new(id)));
        }
        if let Some(id) = self.eat_id("w")? {
            return Ok(Operand::Wide(WideId::new(id)));
        }
        if self.eat_word("undef")? {
            return Ok(Operand::Undef);
        }
        self.fail("an operand")
    }

    /// `[operand]`
    fn address(&mut self) -> Parsed<Operand> {
        self.mark("[")?;
        let operand = self.operand(Some(Ty::Ptr))?;
        self.mark("]")?;
        Ok(operand)
    }

    /// `, operand`
    fn next_operand(&mut self, ty: Ty) -> Parsed<Operand> {
        self.mark(",")?;
        self.operand(Some(ty))
    }

    /// `ty first, second`
    fn typed_pair(&mut self) -> Parsed<(Ty, Operand, Operand)> {
        let ty = self.ty()?;
        Ok((ty, self.operand(Some(ty))?, self.next_operand(ty)?))
    }

    fn op(&mut self, at: usize, word: &str, dests: &[Reg]) -> Parsed<Op> {
        if let Some(op) = BinaryOp::from_word(word) {
            let [dest] = results(at, dests)?;
            let (ty, lhs, rhs) = self.typed_pair()?;
            return Ok(Op::Binary { dest, op, ty, lhs, rhs });
        }
        if let Some(op) = BitOp::from_word(word) {
            let [dest] = results(at, dests)?;
            let ty = self.ty()?;
            let lhs = self.operand(Some(ty))?;
            let absent = op.is_unary() && self.token != Token::Mark(",");
            let rhs = if absent { Operand::Undef } else { self.next_operand(ty)? };
            return Ok(Op::Bits { dest, op, ty, lhs, rhs });
        }
        if let Some(kind) = CastKind::from_word(word) {
            let [dest] = results(at, dests)?;
            let from = self.ty()?;
            let value = self.operand(Some(from))?;
            self.word("to")?;
            return Ok(Op::Cast { dest, kind, from, to: self.ty()?, value });
        }
        if let Some(op) = FloatOp::from_word(word) {
            let [dest] = results(at, dests)?;
            let ty = self.ty()?;
            let mut operands = vec![self.operand(Some(ty))?];
            while operands.len() < op.arity() {
                operands.push(self.next_operand(op.operand_type(operands.len(), ty))?);
            }
            return Ok(Op::Float { dest, op, ty, operands });
        }
        if let Some(kind) = FloatCast::from_word(word) {
            let [dest] = results(at, dests)?;
            let from = self.ty()?;
            let value = self.operand(Some(from))?;
            self.word("to")?;
            return Ok(Op::FloatCast { dest, kind, from, to: self.ty()?, value });
        }
        match word {
            "fcmp" => {
                let [dest] = results(at, dests)?;
                let predicate = self.keyword()?;
                let (ty, lhs, rhs) = self.typed_pair()?;
                Ok(Op::FloatCompare { dest, predicate, ty, lhs, rhs })
            }
            "float_class" => {
                let [dest] = results(at, dests)?;
                let classes = self.number("a set of classes")?;
                let ty = self.ty()?;
                Ok(Op::FloatClass { dest, ty, value: self.operand(Some(ty))?, classes })
            }
            "cmp" => {
                let [dest] = results(at, dests)?;
                let predicate = self.keyword()?;
                let (ty, lhs, rhs) = self.typed_pair()?;
                Ok(Op::Compare { dest, predicate, ty, lhs, rhs })
            }
            "select" => {
                let [dest] = results(at, dests)?;
                let condition = self.operand(Some(Ty::Int(1)))?;
                self.mark(",")?;
                let (ty, if_true, if_false) = self.typed_pair()?;
                Ok(Op::Select { dest, ty, condition, if_true, if_false })
            }
            "overflow" => {
                let [dest, overflow] = results(at, dests)?;
                let op = self.keyword()?;
                let (ty, lhs, rhs) = self.typed_pair()?;
                Ok(Op::Overflow { dest, overflow, op, ty, lhs, rhs })
            }
            "offset" => self.offset(at, dests),
            "call" => self.call(dests),
            "unsupported" => Ok(Op::Unsupported { what: self.string("a quoted text")?, dests: dests.to_vec() }),
            "uninit" => {
                let [dest] = results(at, dests)?;
                Ok(Op::Uninit { dest, ty: self.ty()? })
            }
            _ => self.memory_op(at, word, dests),
        }
    }

    fn offset(&mut self, at: usize, dests: &[Reg]) -> Parsed<Op> {
        let [dest] = results(at, dests)?;
        let base = self.operand(Some(Ty::Ptr))?;
        let mut constant = 0;
        let mut indices = Vec::new();
        if self.eat("-")? {
            constant = self.magnitude(true)?;
        }
        while self.eat("+")? {
            if indices.is_empty() && constant == 0 && matches!(self.token, Token::Number(_)) {
                constant = self.magnitude(false)?;
                continue;
            }
            let Some(Ty::Int(bits)) = self.eat_ty()? else {
                return self.fail("an index with its integer type, as in `i64 %3 * 8`");
            };
            let index = self.operand(Some(Ty::Int(bits)))?;
            self.mark("*")?;
            indices.push(ScaledIndex { index, bits, scale: self.signed()? });
        }
        let path = if let Token::Quoted(_) = self.token { self.string("a field path")? } else { String::new() };
        let within = if self.eat_word("within")? { Some(self.type_id()?) } else { None };
        let array = self.eat_word("array")?;
        let part = if self.eat_word("part")? {
            self.mark("-")?;
            let before = self.number("the bytes of the array in front of the address")?;
            Some(ArrayPart { before, bytes: self.number("the bytes of the array")? })
        } else {
            None
        };
        Ok(Op::Offset { dest, base, constant, indices, path, within, array, part })
    }

    fn call(&mut self, dests: &[Reg]) -> Parsed<Op> {
        let callee = if self.eat("*")? {
            Callee::Indirect(self.operand(Some(Ty::Ptr))?)
        } else {
            let id = self.id("f", "a function such as `f0`, or `*` and an address")?;
            self.skip_label()?;
            Callee::Direct(FuncId::new(id))
        };
        self.mark("(")?;
        let args = self.list_until(")", |p| {
            let ty = p.ty()?;
            Ok(Argument { value: p.operand(Some(ty))?, ty, by_value: p.eat_by_value()? })
        })?;
        Ok(Op::Call { dests: dests.to_vec(), callee, args })
    }

    fn memory_op(&mut self, at: usize, word: &str, dests: &[Reg]) -> Parsed<Op> {
        match word {
            "alloca" => {
                let [dest] = results(at, dests)?;
                let size = self.number("a size")?;
                let count = if self.eat("*")? { self.operand(None)? } else { Operand::Int(1) };
                self.word("align")?;
                let align = self.number("an alignment")?;
                let (mut name, mut ty) = (None, None);
                if self.eat_word("var")? {
                    name = self.eat_name()?;
                    if self.eat(":")? {
                        ty = Some(self.type_id()?);
                    } else if name.is_none() {
                        return self.fail("a variable's name, or `:` and its type");
                    }
                }
                Ok(Op::Alloca { dest, size, count, align, ty, name })
            }
            "load" => {
                let [dest] = results(at, dests)?;
                let (ty, address) = (self.ty()?, self.address()?);
                Ok(Op::Load { dest, ty, address, volatile: self.eat_word("volatile")?, order: self.eat_keyword()? })
            }
            "store" => {
                let [] = results(at, dests)?;
                let ty = self.ty()?;
                let value = self.operand(Some(ty))?;
                self.mark(",")?;
                let address = self.address()?;
                Ok(Op::Store { ty, address, value, volatile: self.eat_word("volatile")?, order: self.eat_keyword()? })
            }
            "rmw" => {
                let [dest] = results(at, dests)?;
                let (op, ty, address) = (self.keyword()?, self.ty()?, self.address()?);
                let value = self.next_operand(ty)?;
                Ok(Op::AtomicRmw { dest, op, ty, address, value, order: self.keyword()? })
            }
            "cmpxchg" => {
                let [old, success] = results(at, dests)?;
                let weak = self.eat_word("weak")?;
                let (ty, address) = (self.ty()?, self.address()?);
                let expected = self.next_operand(ty)?;
                self.mark("->")?;
                let new = self.operand(Some(ty))?;
                let (success_order, failure_order) = (self.keyword()?, self.keyword()?);
                Ok(Op::CompareExchange { old, success, ty, address, expected, new, weak, success_order, failure_order })
            }
            _ => self.other_op(at, word, dests),
        }
    }

    fn other_op(&mut self, at: usize, word: &str, dests: &[Reg]) -> Parsed<Op> {
        match word {
            "thread_local" => {
                let [dest] = results(at, dests)?;
                match self.eat_global_address()? {
                    Some((global, 0)) => Ok(Op::ThreadLocal { dest, global }),
                    _ => self.fail("a global such as `g0`"),
                }
            }
            "stack_save" => {
                let [dest] = results(at, dests)?;
                Ok(Op::StackSave { dest })
            }
            "fence" | "memcpy" | "memmove" | "memset" | "va_start" | "va_end" | "va_copy" | "stack_restore"
            | "aligned" | "local_begin" | "local_end" => {
                let [] = results(at, dests)?;
                self.op_without_result(word)
            }
            _ => fail_at(at, "an instruction"),
        }
    }

    fn op_without_result(&mut self, word: &str) -> Parsed<Op> {
        Ok(match word {
            "fence" => Op::Fence { order: self.keyword()?, single_thread: self.eat_word("single_thread")? },
            "memcpy" | "memmove" => {
                let to = self.address()?;
                self.mark(",")?;
                let from = self.address()?;
                Op::MemCopy { to, from, length: self.next_operand(Ty::Int(64))?, may_overlap: word == "memmove" }
            }
            "memset" => {
                let to = self.address()?;
                Op::MemSet { to, byte: self.next_operand(Ty::Int(8))?, length: self.next_operand(Ty::Int(64))? }
            }
            "va_start" => Op::VaStart { list: self.address()? },
            "va_end" => Op::VaEnd { list: self.address()? },
            "va_copy" => {
                let to = self.address()?;
                self.mark(",")?;
                Op::VaCopy { to, from: self.address()? }
            }
            "aligned" => {
                let address = self.address()?;
                self.mark(",")?;
                Op::Aligned { address, align: self.number("an alignment")? }
            }
            "local_begin" => Op::LocalBegin { variable: self.reg()? },
            "local_end" => Op::LocalEnd { variable: self.reg()? },
            _ => Op::StackRestore { saved: self.operand(Some(Ty::Ptr))? },
        })
    }

    /// An edge of block `block`, the `number`th of its terminator.
    fn edge(&mut self, body: &mut Body, block: usize, number: usize) -> Parsed<Edge> {
        let target = self.id("b", "a block such as `b1`").map(BlockId::new)?;
        if !self.eat("(")? {
            return Ok(Edge { target, args: Vec::new() });
        }
        let mut index = 0;
        let args = self.list_until(")", |p| {
            let at = p.at;
            let arg = if p.eat("-")? {
                let magnitude = p.number("a number")?;
                body.negatives.push(Negative { at, target, index, place: (block, number, index), magnitude });
                Operand::Int(0)
            } else {
                p.operand(None)?
            };
            index += 1;
            Ok(arg)
        })?;
        Ok(Edge { target, args })
    }

    /// The terminator of block `block`, if one follows.
    fn eat_terminator(&mut self, body: &mut Body, block: usize) -> Parsed<Option<Terminator>> {
        let Token::Word(word) = self.token else { return Ok(None) };
        if !matches!(word, "jump" | "branch" | "switch" | "return" | "unreachable" | "unsupported_end") {
            return Ok(None);
        }
        self.advance()?;
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.edge(body, block, 0)?),
            "branch" => {
                let condition = self.operand(Some(Ty::Int(1)))?;
                self.mark(",")?;
                let if_true = self.edge(body, block, 0)?;
                self.mark(",")?;
                Terminator::Branch { condition, if_true, if_false: self.edge(body, block, 1)? }
            }
            "switch" => self.switch(body, block)?,
            "return" => {
                let mut values = Vec::new();
                if self.begins_operand() {
                    values.push(self.operand(body.returns.first().copied())?);
                    while self.eat(",")? {
                        values.push(self.operand(body.returns.get(values.len()).copied())?);
                    }
                }
                Terminator::Return { values }
            }
            "unreachable" => Terminator::Unreachable,
            _ => Terminator::Unsupported { what: self.string("a quoted text")? },
        }))
    }

    fn switch(&mut self, body: &mut Body, block: usize) -> Parsed<Terminator> {
        let ty = self.ty()?;
        let value = self.operand(Some(ty))?;
        self.mark("{")?;
        let mut cases = Vec::new();
        while !self.eat_word("default")? {
            let Some(case) = self.eat_int(Some(ty))? else { return self.fail("a case's constant, or `default`") };
            self.mark(":")?;
            cases.push((case, self.edge(body, block, cases.len())?));
            self.mark(",")?;
        }
        self.mark(":")?;
        let default = self.edge(body, block, cases.len())?;
        self.mark("}")?;
        Ok(Terminator::Switch { value, ty, cases, default })
    }

    /// Whether an operand follows, rather than the next block, a position or the function's end.
    fn begins_operand(&self) -> bool {
        match self.token {
            Token::Reg(_) | Token::Number(_) | Token::Mark("-" | "(") => true,
            Token::Word(word) => super::numbered("b", word).is_none(),
            Token::Mark(_) | Token::Quoted(_) | Token::Loc(_) | Token::End => false,
        }
    }
}

/// The results of an instruction that has `N` of them.
fn results<const N: usize>(at: usize, dests: &[Reg]) -> Parsed<[Reg; N]> {
    dests.try_into().or_else(|_| match N {
        0 => fail_at(at, "no result before this instruction"),
        1 => fail_at(at, "one result before this instruction"),
        _ => fail_at(at, format!("{N} results before this instruction")),
    })
}

/// The bits of `-magnitude` in `ty`.
fn negated(at: usize, magnitude: u64, ty: Ty) -> Parsed<u64> {
    match ty {
        Ty::Int(bits @ 1..=64) if magnitude <= 1 << (bits - 1) => {
            Ok(magnitude.wrapping_neg() & (u64::MAX >> (64 - bits)))
        }
        _ => fail_at(at, format!("a constant that is no less than the least {ty}")),
    }
}

fn edge_mut(terminator: &mut Terminator, number: usize) -> Option<&mut Edge> {
    match terminator {
        Terminator::Jump(edge) => Some(edge),
        Terminator::Branch { if_true, if_false, .. } => Some(if number == 0 { if_true } else { if_false }),
        Terminator::Switch { cases, default, .. } => {
            if number < cases.len() {
                cases.get_mut(number).map(|(_, edge)| edge)
            } else {
                Some(default)
            }
        }
        Terminator::Return { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => None,
    }
}
