//! Instructions, in LangRef's order of chapters.
//!
//! Departures from LLVM: phi is block parameters; `getelementptr` is [`Op::Offset`]; aggregates in registers are split
//! into scalars; what the lowering does not know is [`Op::Unsupported`], which only matters when it is reached.

use crate::{BlockId, FuncId, GlobalId, LocId, Reg, Ty, TypeId, WideId};
use serde::{Deserialize, Serialize};

/// A straight line of instructions.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Block {
    /// Set by the edge that enters, all at once.
    pub params: Vec<Reg>,
    pub insts: Vec<Inst>,
    pub terminator: Terminator,
    pub terminator_location: Option<LocId>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Inst {
    pub op: Op,
    pub location: Option<LocId>,
}

/// What an instruction reads.
#[derive(Clone, Copy, PartialEq, Hash, Eq, Debug, Serialize, Deserialize)]
pub enum Operand {
    Reg(Reg),
    /// A constant of at most 64 bits, zero-extended; also null (0) and floating-point bits.
    Int(u64),
    Wide(WideId),
    /// Address of a global plus a byte offset.
    Global(GlobalId, i64),
    Func(FuncId),
    /// LLVM's `undef` and `poison`: any value.
    Undef,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BinaryOp {
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    URem,
    SRem,
    Shl,
    LShr,
    AShr,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Predicate {
    Eq,
    Ne,
    Ugt,
    Uge,
    Ult,
    Ule,
    Sgt,
    Sge,
    Slt,
    Sle,
}

/// A word of `bits` bits as a signed number.
#[inline]
pub fn sign_extend(word: u64, bits: u16) -> i64 {
    if bits >= 64 {
        return word as i64;
    }
    let shift = 64 - u32::from(bits);
    ((word << shift) as i64) >> shift
}

impl Predicate {
    /// Whether it holds of two words of `bits` bits, 64 at most (LangRef, `icmp`).
    #[inline]
    pub fn holds(self, bits: u16, one: u64, other: u64) -> bool {
        let (signed, other_signed) = (sign_extend(one, bits), sign_extend(other, bits));
        match self {
            Predicate::Eq => one == other,
            Predicate::Ne => one != other,
            Predicate::Ugt => one > other,
            Predicate::Uge => one >= other,
            Predicate::Ult => one < other,
            Predicate::Ule => one <= other,
            Predicate::Sgt => signed > other_signed,
            Predicate::Sge => signed >= other_signed,
            Predicate::Slt => signed < other_signed,
            Predicate::Sle => signed <= other_signed,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum CastKind {
    ZeroExtend,
    SignExtend,
    Truncate,
    PtrToInt,
    IntToPtr,
    /// `bitcast` and `freeze` between types of one width.
    Copy,
}

/// Order of an atomic load (C11 7.17.3: no release).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum LoadOrder {
    Relaxed,
    Acquire,
    SeqCst,
}

/// Order of an atomic store (no acquire).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum StoreOrder {
    Relaxed,
    Release,
    SeqCst,
}

impl From<LoadOrder> for Order {
    fn from(order: LoadOrder) -> Self {
        match order {
            LoadOrder::Relaxed => Order::Relaxed,
            LoadOrder::Acquire => Order::Acquire,
            LoadOrder::SeqCst => Order::SeqCst,
        }
    }
}

impl From<StoreOrder> for Order {
    fn from(order: StoreOrder) -> Self {
        match order {
            StoreOrder::Relaxed => Order::Relaxed,
            StoreOrder::Release => Order::Release,
            StoreOrder::SeqCst => Order::SeqCst,
        }
    }
}

/// Order of a read-modify-write or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    /// What it is for the reading half of a read-modify-write.
    pub fn of_read(self) -> LoadOrder {
        match self {
            Order::Relaxed | Order::Release => LoadOrder::Relaxed,
            Order::Acquire | Order::AcqRel | Order::SeqCst => LoadOrder::Acquire,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum RmwOp {
    Exchange,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    UMax,
    UMin,
    /// On floating-point values, as are the next three (LangRef `atomicrmw`).
    FAdd,
    FSub,
    /// `fmax` as in `llvm.maxnum`.
    FMax,
    FMin,
}

impl RmwOp {
    /// Whether the operation computes on floating-point values.
    pub fn is_float(self) -> bool {
        matches!(self, RmwOp::FAdd | RmwOp::FSub | RmwOp::FMax | RmwOp::FMin)
    }
}

/// Arithmetic that also says whether it overflowed (`llvm.*.with.overflow`).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum OverflowOp {
    SAdd,
    UAdd,
    SSub,
    USub,
    SMul,
    UMul,
}

/// Integer intrinsics with one result of their operands' type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum BitOp {
    /// `llvm.ctpop`
    PopCount,
    /// `llvm.ctlz`
    LeadingZeros,
    /// `llvm.cttz`
    TrailingZeros,
    /// `llvm.bswap`
    ByteSwap,
    /// `llvm.bitreverse`
    BitReverse,
    /// `llvm.abs`
    Abs,
    SMax,
    SMin,
    UMax,
    UMin,
}

/// Floating-point operations: LangRef 'Unary Operations', 'Binary Operations', 'Standard C/C++ Library Intrinsics'.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    /// Towards zero.
    Trunc,
    /// To the nearest integer, halves away from zero (C11 7.12.9.6).
    Round,
    /// To the nearest integer, halves to the even one: also `rint` and `nearbyint` in the default rounding direction.
    RoundEven,
    /// The fraction of `llvm.frexp`, in [1/2, 1).
    FrexpFraction,
    /// The fraction of `llvm.modf`, with its operand's sign.
    ModfFraction,
    Add,
    Sub,
    Mul,
    Div,
    /// The remainder of a quotient that is truncated, as in C's `fmod`.
    Rem,
    /// `llvm.minnum`: a number rather than a NaN, either zero of two.
    MinNum,
    MaxNum,
    /// `llvm.minimum`: a NaN rather than a number, -0 below +0.
    Minimum,
    Maximum,
    CopySign,
    /// `x * 2^n` (`llvm.ldexp`), the exponent an integer of 32 bits.
    Scale,
    /// `llvm.powi`, the exponent an integer of 32 bits.
    IntPower,
    /// `a * b + c`, rounded once (`llvm.fma`).
    MulAdd,
}

impl FloatOp {
    /// How many operands there are.
    pub fn arity(self) -> usize {
        match self {
            FloatOp::Neg
            | FloatOp::Abs
            | FloatOp::Sqrt
            | FloatOp::Floor
            | FloatOp::Ceil
            | FloatOp::Trunc
            | FloatOp::Round
            | FloatOp::RoundEven
            | FloatOp::FrexpFraction
            | FloatOp::ModfFraction => 1,
            FloatOp::Add
            | FloatOp::Sub
            | FloatOp::Mul
            | FloatOp::Div
            | FloatOp::Rem
            | FloatOp::MinNum
            | FloatOp::MaxNum
            | FloatOp::Minimum
            | FloatOp::Maximum
            | FloatOp::CopySign
            | FloatOp::Scale
            | FloatOp::IntPower => 2,
            FloatOp::MulAdd => 3,
        }
    }

    /// The type of the `index`th operand of an operation on `ty`.
    pub fn operand_type(self, index: usize, ty: Ty) -> Ty {
        match (self, index) {
            (FloatOp::Scale | FloatOp::IntPower, 1) => Ty::Int(32),
            _ => ty,
        }
    }
}

/// `fcmp`. Ordered ones (`O...`) are false, unordered ones (`U...`) true if an operand is a NaN.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatPredicate {
    False,
    Oeq,
    Ogt,
    Oge,
    Olt,
    Ole,
    One,
    /// Neither is a NaN.
    Ord,
    Ueq,
    Ugt,
    Uge,
    Ult,
    Ule,
    Une,
    /// One is a NaN.
    Uno,
    True,
}

/// Conversions from, to and between floating-point types.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum FloatCast {
    /// `sitofp`
    FromSigned,
    /// `uitofp`
    FromUnsigned,
    /// `fptosi`. What does not fit is undefined (C11 6.3.1.4p1) and becomes what x86-64 makes of it.
    ToSigned,
    /// `fptoui`
    ToUnsigned,
    /// `llvm.fptosi.sat`
    ToSignedSaturating,
    /// `llvm.fptoui.sat`
    ToUnsignedSaturating,
    /// `fpext`, `fptrunc`: to the nearest value.
    Resize,
    /// The exponent of `llvm.frexp`.
    FrexpExponent,
}

/// A scaled index of an address computation: `index * scale` bytes, the index sign-extended from `bits`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScaledIndex {
    pub index: Operand,
    pub bits: u16,
    pub scale: i64,
}

/// An array that an address leads into: it begins `before` bytes in front of it and has `bytes` bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ArrayPart {
    pub before: u64,
    pub bytes: u64,
}

/// Who is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Callee {
    Direct(FuncId),
    Indirect(Operand),
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Argument {
    pub value: Operand,
    pub ty: Ty,
    /// LLVM's `byval`: pass a copy of this many bytes.
    pub by_value: Option<u64>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Op {
    /// LangRef 'Binary Operations' and 'Bitwise Binary Operations'. Overflow wraps: `nsw` and `nuw` are not kept.
    Binary {
        dest: Reg,
        op: BinaryOp,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    /// `icmp`; `ty` is that of the operands, `dest` has one bit.
    Compare {
        dest: Reg,
        predicate: Predicate,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    Cast {
        dest: Reg,
        kind: CastKind,
        from: Ty,
        to: Ty,
        value: Operand,
    },
    Select {
        dest: Reg,
        ty: Ty,
        condition: Operand,
        if_true: Operand,
        if_false: Operand,
    },
    /// `*.with.overflow`: `dest` gets the wrapped result, `overflow` one bit.
    Overflow {
        dest: Reg,
        overflow: Reg,
        op: OverflowOp,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    /// One-operand operations use `lhs` and ignore `rhs`.
    Bits {
        dest: Reg,
        op: BitOp,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    /// As many operands as the operation takes.
    Float {
        dest: Reg,
        op: FloatOp,
        ty: Ty,
        operands: Vec<Operand>,
    },
    /// `fcmp`; `ty` is that of the operands, `dest` has one bit.
    FloatCompare {
        dest: Reg,
        predicate: FloatPredicate,
        ty: Ty,
        lhs: Operand,
        rhs: Operand,
    },
    FloatCast {
        dest: Reg,
        kind: FloatCast,
        from: Ty,
        to: Ty,
        value: Operand,
    },
    /// `llvm.is.fpclass`: whether the value is of one of the classes whose bits are set; `dest` has one bit.
    FloatClass {
        dest: Reg,
        ty: Ty,
        value: Operand,
        classes: u16,
    },
    /// `getelementptr`, folded: `base + constant + sum(indices)` bytes.
    ///
    /// `path` is the field path as the source would write it (`->next[0]`), empty when unknown. `within` is the type
    /// whose member is addressed; `array` that a whole element of `within` was stepped over (`p[i]`, `p + 1`). `part`: the array of
    /// scalars among a record's members that the result leads into.
    Offset {
        dest: Reg,
        base: Operand,
        constant: i64,
        indices: Vec<ScaledIndex>,
        path: String,
        within: Option<TypeId>,
        array: bool,
        part: Option<ArrayPart>,
    },
    /// Reserves `size * count` bytes until the function returns. `ty` is the declared type of the variable.
    Alloca {
        dest: Reg,
        size: u64,
        count: Operand,
        align: u64,
        ty: Option<TypeId>,
        name: Option<String>,
    },
    /// The block of a variable is entered that [`Op::Alloca`] made (C11 6.2.4p5): it lives from here, if it has ended, with an
    /// indeterminate value.
    LocalBegin {
        variable: Reg,
    },
    /// The block of a variable is left: it ends, if it lives.
    LocalEnd {
        variable: Reg,
    },
    /// What follows accesses memory there, which a device does only where the address is a multiple of `align` bytes, a power of two.
    Aligned {
        address: Operand,
        align: u64,
    },
    /// `order` is `None` for a plain load.
    Load {
        dest: Reg,
        ty: Ty,
        address: Operand,
        volatile: bool,
        order: Option<LoadOrder>,
    },
    Store {
        ty: Ty,
        address: Operand,
        value: Operand,
        volatile: bool,
        order: Option<StoreOrder>,
    },
    AtomicRmw {
        dest: Reg,
        op: RmwOp,
        ty: Ty,
        address: Operand,
        value: Operand,
        order: Order,
    },
    /// `old` gets the value found, `success` one bit. `failure` never exceeds `success_order`.
    CompareExchange {
        old: Reg,
        success: Reg,
        ty: Ty,
        address: Operand,
        expected: Operand,
        new: Operand,
        weak: bool,
        success_order: Order,
        failure_order: LoadOrder,
    },
    /// `single_thread`: `atomic_signal_fence`, which orders nothing between threads.
    Fence {
        order: Order,
        single_thread: bool,
    },
    /// `dests` are the scalars of the returned value.
    Call {
        dests: Vec<Reg>,
        callee: Callee,
        args: Vec<Argument>,
    },
    /// `llvm.memcpy`, and `llvm.memmove` when `may_overlap`. `length` has 64 bits.
    MemCopy {
        to: Operand,
        from: Operand,
        length: Operand,
        may_overlap: bool,
    },
    /// `llvm.memset`
    MemSet {
        to: Operand,
        byte: Operand,
        length: Operand,
    },
    /// The indeterminate value of a local variable (C11 6.7.9p10).
    Uninit {
        dest: Reg,
        ty: Ty,
    },
    /// Address of this thread's instance of a thread-local variable.
    ThreadLocal {
        dest: Reg,
        global: GlobalId,
    },
    VaStart {
        list: Operand,
    },
    VaEnd {
        list: Operand,
    },
    VaCopy {
        to: Operand,
        from: Operand,
    },
    /// `llvm.stacksave`, around variable-length arrays.
    StackSave {
        dest: Reg,
    },
    /// `llvm.stackrestore`: what was reserved since dies.
    StackRestore {
        saved: Operand,
    },
    /// Something that the lowering does not know, by name. Reaching it ends the path as abandoned.
    Unsupported {
        what: String,
        dests: Vec<Reg>,
    },
}

/// A jump with the values of the target's parameters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Edge {
    pub target: BlockId,
    pub args: Vec<Operand>,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Terminator {
    Jump(Edge),
    /// `condition` has one bit.
    Branch {
        condition: Operand,
        if_true: Edge,
        if_false: Edge,
    },
    Switch {
        value: Operand,
        ty: Ty,
        cases: Vec<(u64, Edge)>,
        default: Edge,
    },
    Return {
        values: Vec<Operand>,
    },
    /// LangRef: undefined behaviour when reached.
    Unreachable,
    Unsupported {
        what: String,
    },
}

impl Op {
    /// The registers that the instruction sets.
    pub fn dests(&self) -> impl Iterator<Item = Reg> + '_ {
        let (one, two, many): (Option<Reg>, Option<Reg>, &[Reg]) = match self {
            Op::Binary { dest, .. }
            | Op::Compare { dest, .. }
            | Op::Cast { dest, .. }
            | Op::Select { dest, .. }
            | Op::Bits { dest, .. }
            | Op::Float { dest, .. }
            | Op::FloatCompare { dest, .. }
            | Op::FloatCast { dest, .. }
            | Op::FloatClass { dest, .. }
            | Op::Offset { dest, .. }
            | Op::Alloca { dest, .. }
            | Op::Load { dest, .. }
            | Op::AtomicRmw { dest, .. }
            | Op::Uninit { dest, .. }
            | Op::ThreadLocal { dest, .. }
            | Op::StackSave { dest } => (Some(*dest), None, &[]),
            Op::Overflow { dest, overflow, .. } => (Some(*dest), Some(*overflow), &[]),
            Op::CompareExchange { old, success, .. } => (Some(*old), Some(*success), &[]),
            Op::Call { dests, .. } | Op::Unsupported { dests, .. } => (None, None, dests),
            Op::Store { .. }
            | Op::Aligned { .. }
            | Op::LocalBegin { .. }
            | Op::LocalEnd { .. }
            | Op::Fence { .. }
            | Op::MemCopy { .. }
            | Op::MemSet { .. }
            | Op::VaStart { .. }
            | Op::VaEnd { .. }
            | Op::VaCopy { .. }
            | Op::StackRestore { .. } => (None, None, &[]),
        };
        one.into_iter().chain(two).chain(many.iter().copied())
    }

    /// Calls `visit` on each operand.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Op::Binary { lhs, rhs, .. }
            | Op::Compare { lhs, rhs, .. }
            | Op::Overflow { lhs, rhs, .. }
            | Op::Bits { lhs, rhs, .. }
            | Op::FloatCompare { lhs, rhs, .. } => [*lhs, *rhs].into_iter().for_each(visit),
            Op::Cast { value, .. } | Op::FloatCast { value, .. } | Op::FloatClass { value, .. } => visit(*value),
            Op::Float { operands, .. } => operands.iter().for_each(|o| visit(*o)),
            Op::Select { condition, if_true, if_false, .. } => {
                [*condition, *if_true, *if_false].into_iter().for_each(visit);
            }
            Op::Offset { base, indices, .. } => {
                visit(*base);
                indices.iter().for_each(|i| visit(i.index));
            }
            Op::Alloca { count, .. } => visit(*count),
            Op::Load { address, .. } | Op::Aligned { address, .. } => visit(*address),
            Op::Store { address, value, .. } | Op::AtomicRmw { address, value, .. } => {
                [*address, *value].into_iter().for_each(visit);
            }
            Op::CompareExchange { address, expected, new, .. } => {
                [*address, *expected, *new].into_iter().for_each(visit);
            }
            Op::Call { callee, args, .. } => {
                if let Callee::Indirect(target) = callee {
                    visit(*target);
                }
                args.iter().for_each(|a| visit(a.value));
            }
            Op::MemCopy { to, from, length, .. } => [*to, *from, *length].into_iter().for_each(visit),
            Op::MemSet { to, byte, length } => [*to, *byte, *length].into_iter().for_each(visit),
            Op::VaStart { list } | Op::VaEnd { list } => visit(*list),
            Op::VaCopy { to, from } => [*to, *from].into_iter().for_each(visit),
            Op::StackRestore { saved } => visit(*saved),
            Op::LocalBegin { variable } | Op::LocalEnd { variable } => visit(Operand::Reg(*variable)),
            Op::Fence { .. }
            | Op::Uninit { .. }
            | Op::ThreadLocal { .. }
            | Op::StackSave { .. }
            | Op::Unsupported { .. } => {}
        }
    }
}

impl Terminator {
    /// The edges that leave the block, in order.
    pub fn edges(&self) -> impl Iterator<Item = &Edge> {
        let (one, two, many): (Option<&Edge>, Option<&Edge>, &[(u64, Edge)]) = match self {
            Terminator::Jump(edge) => (Some(edge), None, &[]),
            Terminator::Branch { if_true, if_false, .. } => (Some(if_true), Some(if_false), &[]),
            Terminator::Switch { cases, default, .. } => (None, Some(default), cases),
            Terminator::Return { .. } | Terminator::Unreachable | Terminator::Unsupported { .. } => (None, None, &[]),
        };
        one.into_iter().chain(many.iter().map(|(_, e)| e)).chain(two)
    }

    /// Calls `visit` on each operand, those of the edges included.
    pub fn for_each_operand(&self, mut visit: impl FnMut(Operand)) {
        match self {
            Terminator::Branch { condition, .. } => visit(*condition),
            Terminator::Switch { value, .. } => visit(*value),
            Terminator::Return { values } => values.iter().for_each(|v| visit(*v)),
            Terminator::Jump(_) | Terminator::Unreachable | Terminator::Unsupported { .. } => {}
        }
        self.edges().for_each(|e| e.args.iter().for_each(|a| visit(*a)));
    }
}
