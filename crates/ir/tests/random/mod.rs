//! Random modules: any contents of any table, mostly not verifiable, all printable.

use ir::*;

/// xorshift64*: the same numbers everywhere.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Rng(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() >> 33) as usize % limit
    }

    pub(crate) fn pick<'t, T>(&mut self, from: &'t [T]) -> &'t T {
        let at = self.below(from.len());
        &from[at]
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 1
    }

    fn number(&mut self) -> u64 {
        let shift = self.below(64);
        match self.below(4) {
            0 => self.below(3) as u64,
            1 => u64::MAX - self.below(3) as u64,
            _ => self.next() >> shift,
        }
    }

    fn name(&mut self) -> String {
        let words = ["x", "", "node", "a b", ".str", "q\"\\", "tab\t", "é", "fn", "i32", "byval", "f0", "..."];
        (*self.pick(&words)).to_owned()
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| make(self))
    }

    fn few<T>(&mut self, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = self.below(4);
        (0..count).map(|_| make(self)).collect()
    }
}

macro_rules! ids {
    ($($name:ident $ty:ident),*) => {
        $(fn $name(rng: &mut Rng) -> $ty {
            $ty::new(rng.below(6))
        })*
    };
}
ids!(ty_id TypeId, loc_id LocId, file_id FileId, func_id FuncId, global_id GlobalId, block_id BlockId, wide_id WideId);

pub(crate) fn module(rng: &mut Rng) -> Module {
    Module {
        pointer: if rng.flag() { ir::PointerSize::Four } else { ir::PointerSize::Eight },
        files: rng.few(|r| SourceFile { path: r.name(), directory: r.name() }),
        types: (0..12).map(|_| debug_type(rng)).collect(),
        globals: rng.few(global),
        functions: rng.few(function),
        locations: rng.few(|r| Location {
            file: file_id(r),
            line: r.number() as u32,
            column: r.below(200) as u32,
            function: r.name(),
            inlined_at: r.maybe(loc_id),
            assembly: r.flag(),
        }),
        wide: rng.few(|r| u128::from(r.number()) << 64 | u128::from(r.number())),
    }
}

fn debug_type(rng: &mut Rng) -> DebugType {
    let (name, size) = (rng.name(), rng.number());
    match rng.below(11) {
        0 => DebugType::Void,
        1 => {
            let kind = *rng.pick(&[IntKind::Bool, IntKind::Char, IntKind::Signed, IntKind::Unsigned]);
            DebugType::Int { name, size, kind }
        }
        2 => DebugType::Float { name, size },
        3 => DebugType::Enum { name, size, values: rng.few(|r| (r.name(), r.number() as i64)) },
        4 => DebugType::Pointer { to: ty_id(rng) },
        5 => {
            let fields = rng.few(|r| Field {
                name: r.name(),
                ty: ty_id(r),
                offset: r.number(),
                bits: r.maybe(|r| (r.number() as u32, r.number() as u32)),
            });
            DebugType::Record { name, size, union: rng.flag(), fields }
        }
        6 => DebugType::Array { of: ty_id(rng), count: rng.maybe(Rng::number) },
        7 => DebugType::Function { ret: ty_id(rng), params: rng.few(ty_id), variadic: rng.flag() },
        8 => DebugType::Typedef { name, to: ty_id(rng) },
        9 => {
            let all = [Qualifier::Const, Qualifier::Volatile, Qualifier::Atomic, Qualifier::Restrict];
            DebugType::Qualified { qualifier: *rng.pick(&all), to: ty_id(rng) }
        }
        _ => DebugType::Opaque { name },
    }
}

fn global(rng: &mut Rng) -> Global {
    let init = match rng.below(4) {
        0 => Init::External,
        1 => Init::Zero,
        2 => Init::Data { bytes: b"text \"\\\n\0\0".to_vec(), addresses: Vec::new() },
        _ => Init::Data {
            bytes: rng.few(|r| r.number() as u8),
            addresses: rng.few(|r| {
                let address = match r.flag() {
                    true => Address::Func(func_id(r)),
                    false => Address::Global(global_id(r), signed(r)),
                };
                (r.number(), address)
            }),
        },
    };
    Global {
        name: rng.name(),
        size: rng.number(),
        align: rng.number(),
        constant: rng.flag(),
        thread_local: rng.flag(),
        space: *rng.pick(&[Space::Ordinary, Space::Device, Space::Shared, Space::Constant, Space::Managed]),
        external: rng.flag(),
        library: rng.flag(),
        guarded: rng.flag(),
        stands_for: rng.maybe(global_id),
        ty: rng.maybe(ty_id),
        init,
        location: rng.maybe(loc_id),
    }
}

fn signed(rng: &mut Rng) -> i64 {
    match rng.below(4) {
        0 => 0,
        1 => i64::MIN,
        _ => rng.number() as i64,
    }
}

fn ty(rng: &mut Rng) -> Ty {
    match rng.below(6) {
        0 => Ty::Ptr,
        1 => Ty::F32,
        2 => Ty::F64,
        3 => Ty::F80,
        _ => Ty::Int(*rng.pick(&[0, 1, 7, 8, 16, 32, 33, 64, 65, 128, u16::MAX])),
    }
}

/// A function whose registers are known, though not set once or where they are used.
fn function(rng: &mut Rng) -> Function {
    let registers: Vec<Register> =
        (0..8).map(|_| Register { ty: ty(rng), name: rng.maybe(Rng::name), points_to: rng.maybe(ty_id) }).collect();
    let blocks = rng.few(|r| Block {
        params: r.few(reg),
        insts: (0..r.below(12)).map(|_| Inst { op: op(r), location: r.maybe(loc_id) }).collect(),
        terminator: terminator(r),
        terminator_location: r.maybe(loc_id),
    });
    Function {
        name: rng.name(),
        file: rng.maybe(file_id),
        external: rng.flag(),
        variadic: rng.flag(),
        no_return: rng.flag(),
        excess_precision: rng.flag(),
        library: rng.flag(),
        kernel: rng.flag(),
        most_threads: rng.maybe(Rng::number),
        device: rng.flag(),
        stands_for: rng.maybe(func_id),
        params: rng.few(|r| Param { reg: reg(r), by_value: r.maybe(Rng::number), returned_through: r.flag() }),
        returns: rng.few(ty),
        return_type: rng.maybe(ty_id),
        source_params: rng.few(|r| SourceParam { name: r.name(), ty: ty_id(r) }),
        pieces: rng.few(|r| if r.flag() { Piece::Of(r.below(9) as u32, r.number()) } else { Piece::Result }),
        registers,
        address_taken: rng.flag(),
        location: rng.maybe(loc_id),
        blocks,
    }
}

fn reg(rng: &mut Rng) -> Reg {
    Reg::new(rng.below(8))
}

fn operand(rng: &mut Rng) -> Operand {
    match rng.below(9) {
        0..=2 => Operand::Reg(reg(rng)),
        3..=4 => Operand::Int(rng.number()),
        5 => Operand::Wide(wide_id(rng)),
        6 => Operand::Global(global_id(rng), signed(rng)),
        7 => Operand::Func(func_id(rng)),
        _ => Operand::Undef,
    }
}

fn edge(rng: &mut Rng) -> Edge {
    Edge { target: block_id(rng), args: rng.few(operand) }
}

fn terminator(rng: &mut Rng) -> Terminator {
    match rng.below(6) {
        0 => Terminator::Jump(edge(rng)),
        1 => Terminator::Branch { condition: operand(rng), if_true: edge(rng), if_false: edge(rng) },
        2 => Terminator::Switch {
            value: operand(rng),
            ty: ty(rng),
            cases: rng.few(|r| (r.number(), edge(r))),
            default: edge(rng),
        },
        3 => Terminator::Return { values: rng.few(operand) },
        4 => Terminator::Unreachable,
        _ => Terminator::Unsupported { what: rng.name() },
    }
}

fn order(rng: &mut Rng) -> Order {
    *rng.pick(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel, Order::SeqCst])
}

fn load_order(rng: &mut Rng) -> LoadOrder {
    *rng.pick(&[LoadOrder::Relaxed, LoadOrder::Acquire, LoadOrder::SeqCst])
}

fn op(rng: &mut Rng) -> Op {
    use {BinaryOp as B, BitOp as I, FloatOp as F, FloatPredicate as C, OverflowOp as O, Predicate as P, RmwOp as R};
    let (dest, ty) = (reg(rng), ty(rng));
    let (lhs, rhs) = (operand(rng), operand(rng));
    match rng.below(17) {
        0 => {
            let all = [B::Add, B::Sub, B::Mul, B::UDiv, B::SDiv, B::URem, B::SRem, B::Shl, B::LShr, B::AShr];
            let op = *rng.pick(&[&all[..], &[B::And, B::Or, B::Xor]].concat());
            Op::Binary { dest, op, ty, lhs, rhs }
        }
        1 => {
            let all = [P::Eq, P::Ne, P::Ugt, P::Uge, P::Ult, P::Ule, P::Sgt, P::Sge, P::Slt, P::Sle];
            Op::Compare { dest, predicate: *rng.pick(&all), ty, lhs, rhs }
        }
        2 => {
            use CastKind::{Copy, IntToPtr, PtrToInt, SignExtend, Truncate, ZeroExtend};
            let kind = *rng.pick(&[ZeroExtend, SignExtend, Truncate, PtrToInt, IntToPtr, Copy]);
            Op::Cast { dest, kind, from: ty, to: self::ty(rng), value: lhs }
        }
        3 => Op::Select { dest, ty, condition: operand(rng), if_true: lhs, if_false: rhs },
        4 => {
            let op = *rng.pick(&[O::SAdd, O::UAdd, O::SSub, O::USub, O::SMul, O::UMul]);
            Op::Overflow { dest, overflow: reg(rng), op, ty, lhs, rhs }
        }
        5 => {
            let all = [I::PopCount, I::LeadingZeros, I::TrailingZeros, I::ByteSwap, I::BitReverse, I::Abs];
            let op = *rng.pick(&[&all[..], &[I::SMax, I::SMin, I::UMax, I::UMin]].concat());
            Op::Bits { dest, op, ty, lhs, rhs }
        }
        6 => Op::Offset {
            dest,
            base: lhs,
            constant: signed(rng),
            indices: rng.few(|r| ScaledIndex { index: operand(r), bits: r.number() as u16, scale: signed(r) }),
            path: rng.name(),
            within: rng.maybe(ty_id),
            array: rng.flag(),
            part: rng.maybe(|r| ArrayPart { before: r.number(), bytes: r.number() }),
        },
        7 => {
            let callee = if rng.flag() { Callee::Direct(func_id(rng)) } else { Callee::Indirect(lhs) };
            let args = rng.few(|r| Argument { value: operand(r), ty: self::ty(r), by_value: r.maybe(Rng::number) });
            Op::Call { dests: rng.few(reg), callee, args }
        }
        8 => Op::Unsupported { what: rng.name(), dests: rng.few(reg) },
        9 => {
            let all = [R::Exchange, R::Add, R::Sub, R::And, R::Nand, R::Or, R::Xor, R::Max, R::Min, R::UMax, R::FSub];
            Op::AtomicRmw { dest, op: *rng.pick(&all), ty, address: lhs, value: rhs, order: order(rng) }
        }
        10 => {
            let all = [F::Neg, F::Sqrt, F::Trunc, F::ModfFraction, F::Add, F::Rem, F::MinNum, F::Scale, F::MulAdd];
            let op = *rng.pick(&all);
            Op::Float { dest, op, ty, operands: (0..op.arity()).map(|_| operand(rng)).collect() }
        }
        11 => {
            let all = [C::False, C::Oeq, C::One, C::Ord, C::Ueq, C::Une, C::Uno, C::True];
            Op::FloatCompare { dest, predicate: *rng.pick(&all), ty, lhs, rhs }
        }
        12 => {
            use FloatCast::{FrexpExponent, FromSigned, FromUnsigned, Resize, ToSigned, ToUnsignedSaturating};
            let kind = *rng.pick(&[FrexpExponent, FromSigned, FromUnsigned, Resize, ToSigned, ToUnsignedSaturating]);
            Op::FloatCast { dest, kind, from: ty, to: self::ty(rng), value: lhs }
        }
        13 => Op::FloatClass { dest, ty, value: lhs, classes: rng.number() as u16 },
        _ => memory_op(rng, dest, ty, lhs, rhs),
    }
}

fn memory_op(rng: &mut Rng, dest: Reg, ty: Ty, lhs: Operand, rhs: Operand) -> Op {
    match rng.below(18) {
        0 => Op::Alloca {
            dest,
            size: rng.number(),
            count: lhs,
            align: rng.number(),
            ty: rng.maybe(ty_id),
            name: rng.maybe(Rng::name),
        },
        1 => Op::Load { dest, ty, address: lhs, volatile: rng.flag(), order: rng.maybe(load_order) },
        2 => {
            let order = rng.maybe(|r| *r.pick(&[StoreOrder::Relaxed, StoreOrder::Release, StoreOrder::SeqCst]));
            Op::Store { ty, address: lhs, value: rhs, volatile: rng.flag(), order }
        }
        3 => Op::CompareExchange {
            old: dest,
            success: reg(rng),
            ty,
            address: lhs,
            expected: rhs,
            new: operand(rng),
            weak: rng.flag(),
            success_order: order(rng),
            failure_order: load_order(rng),
        },
        4 => Op::Fence { order: order(rng), single_thread: rng.flag() },
        5 => Op::MemCopy { to: lhs, from: rhs, length: operand(rng), may_overlap: rng.flag() },
        6 => Op::MemSet { to: lhs, byte: rhs, length: operand(rng) },
        7 => Op::Uninit { dest, ty },
        8 => Op::ThreadLocal { dest, global: global_id(rng) },
        9 => Op::VaStart { list: lhs },
        10 => Op::VaEnd { list: lhs },
        11 => Op::VaCopy { to: lhs, from: rhs },
        12 => Op::StackSave { dest },
        13 => Op::LocalBegin { variable: reg(rng) },
        14 => Op::LocalEnd { variable: reg(rng) },
        15 => Op::Aligned { address: lhs, align: rng.number() },
        _ => Op::StackRestore { saved: lhs },
    }
}
