//! Constants and constant expressions, evaluated.

use super::Lowering;
use super::scalars::single;
use crate::llvm::{Type, Value};
use ir::{FuncId, GlobalId, PointerSize};
use llvm_sys::{LLVMLinkage, LLVMOpcode, LLVMTypeKind, LLVMValueKind as Kind};

/// What a scalar constant is.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Constant {
    /// Zero-extended; floating-point constants as their bits.
    Int(u128),
    /// Address of a global and an offset.
    Global(GlobalId, i64),
    /// Thread-local variables have an address in each thread, shared ones of a kernel in each block: a constant in LLVM only.
    ThreadLocal(GlobalId, i64),
    Func(FuncId),
    Undef,
    /// Not known to the lowering.
    Unknown(String),
}

use Constant::{Func, Global, Int, ThreadLocal, Undef, Unknown};

fn truncate(value: u128, bits: u16) -> u128 {
    if bits >= 128 { value } else { value & ((1 << bits) - 1) }
}

impl<'m> Lowering<'m> {
    /// Evaluates a constant of scalar type.
    pub(crate) fn constant(&self, value: Value<'m>) -> Constant {
        match value.kind() {
            Kind::LLVMConstantIntValueKind => integer(value),
            Kind::LLVMConstantFPValueKind => floating(value),
            Kind::LLVMConstantPointerNullValueKind => Int(0),
            Kind::LLVMUndefValueValueKind | Kind::LLVMPoisonValueKind => Undef,
            Kind::LLVMFunctionValueKind | Kind::LLVMGlobalVariableValueKind if is_undefined_weak(value) => {
                Unknown(format!("address of the weak symbol `{}`, which nothing here defines", value.name()))
            }
            Kind::LLVMFunctionValueKind => match self.functions.get(&value) {
                Some(&id) => Func(id),
                None => Unknown(format!("address of `{}`", value.name())),
            },
            Kind::LLVMGlobalVariableValueKind => match self.globals.get(&value) {
                Some(&id) if self.out[id].has_instances() => ThreadLocal(id, 0),
                Some(&id) => Global(id, 0),
                None => Unknown(format!("address of `{}`", value.name())),
            },
            Kind::LLVMGlobalAliasValueKind => match value.aliasee() {
                Some(aliasee) => self.constant(aliasee),
                None => Unknown(format!("alias `{}`", value.name())),
            },
            Kind::LLVMGlobalIFuncValueKind => Unknown(format!("indirect function `{}`", value.name())),
            Kind::LLVMBlockAddressValueKind => match value.label() {
                Some(block) => Int(u128::from(self.label_address(block))),
                None => Unknown("address of a label".to_owned()),
            },
            Kind::LLVMConstantExprValueKind => self.expression(value),
            _ if value.is_null() => Int(0),
            _ => Unknown(format!("constant `{}`", shorten(&value.printed()))),
        }
    }

    fn expression(&self, value: Value<'m>) -> Constant {
        let unknown = || Unknown(format!("constant expression `{}`", shorten(&value.printed())));
        let pointer = self.out.pointer;
        let bits = single(value.ty()).map_or(0, |ty| self.bits(ty));
        match value.constant_opcode() {
            LLVMOpcode::LLVMGetElementPtr => match self.constant_address(value) {
                Some(offset) => {
                    shift(self.constant(value.operand(0)), offset, pointer.bits(), pointer).unwrap_or_else(unknown)
                }
                None => unknown(),
            },
            LLVMOpcode::LLVMBitCast
            | LLVMOpcode::LLVMAddrSpaceCast
            | LLVMOpcode::LLVMIntToPtr
            | LLVMOpcode::LLVMPtrToInt
            | LLVMOpcode::LLVMPtrToAddr
            | LLVMOpcode::LLVMTrunc => {
                let inner = value.operand(0);
                let same_width = single(inner.ty()).is_some_and(|t| self.bits(t) == bits);
                match self.constant(inner) {
                    Int(v) if single(inner.ty()).is_some() && bits > 0 => Int(truncate(v, bits)),
                    Undef => Undef,
                    other @ (Global(..) | ThreadLocal(..) | Func(_)) if same_width => other,
                    _ => unknown(),
                }
            }
            LLVMOpcode::LLVMAdd => match (self.constant(value.operand(0)), self.constant(value.operand(1))) {
                (symbol, Int(n)) | (Int(n), symbol) => {
                    signed(n, bits).and_then(|n| shift(symbol, n, bits, pointer)).unwrap_or_else(unknown)
                }
                _ => unknown(),
            },
            LLVMOpcode::LLVMSub => match (self.constant(value.operand(0)), self.constant(value.operand(1))) {
                (Global(a, x), Global(b, y)) if a == b && bits == pointer.bits() => {
                    Int(truncate(u128::from(x.wrapping_sub(y).cast_unsigned()), bits))
                }
                (symbol, Int(n)) => {
                    signed(n, bits).and_then(|n| shift(symbol, n.checked_neg()?, bits, pointer)).unwrap_or_else(unknown)
                }
                _ => unknown(),
            },
            LLVMOpcode::LLVMXor => match (self.constant(value.operand(0)), self.constant(value.operand(1))) {
                (Int(a), Int(b)) => Int(a ^ b),
                _ => unknown(),
            },
            _ => unknown(),
        }
    }

    /// The bytes that a constant `getelementptr` adds to its base.
    fn constant_address(&self, value: Value<'m>) -> Option<i64> {
        let mut total = 0i64;
        let mut ty: Type<'m> = value.source_element_type();
        for (position, index) in value.operands().enumerate().skip(1) {
            let Int(_) = self.constant(index) else { return None };
            if self.bits(single(index.ty())?) > 64 {
                return None;
            }
            let index_value = index.sign_extended();
            let step = match (position, ty.kind()) {
                (1, _) => index_value.checked_mul(i64::try_from(self.layout.size(ty)).ok()?)?,
                (_, LLVMTypeKind::LLVMStructTypeKind) => {
                    let field = u32::try_from(index_value).ok()?;
                    let offset = self.layout.field_offset(ty, field);
                    ty = *ty.fields().get(field as usize)?;
                    i64::try_from(offset).ok()?
                }
                (_, LLVMTypeKind::LLVMArrayTypeKind) => {
                    ty = ty.element();
                    index_value.checked_mul(i64::try_from(self.layout.size(ty)).ok()?)?
                }
                _ => return None,
            };
            total = total.wrapping_add(step);
        }
        Some(self.out.pointer.wrap(total))
    }
}

/// Null, unless a library that is not here defines it.
fn is_undefined_weak(value: Value<'_>) -> bool {
    value.is_declaration() && matches!(value.linkage(), LLVMLinkage::LLVMExternalWeakLinkage)
}

fn signed(value: u128, bits: u16) -> Option<i64> {
    if bits == 0 || bits > 64 {
        return None;
    }
    let unused = 64 - u32::from(bits);
    let low = u64::try_from(value).ok()?;
    Some((low << unused).cast_signed() >> unused)
}

fn shift(base: Constant, offset: i64, bits: u16, pointer: PointerSize) -> Option<Constant> {
    let address = bits == pointer.bits();
    Some(match base {
        Int(v) => Int(truncate(v.wrapping_add_signed(i128::from(offset)), bits)),
        Global(id, n) if address => Global(id, pointer.wrap(n.wrapping_add(offset))),
        ThreadLocal(id, n) if address => ThreadLocal(id, pointer.wrap(n.wrapping_add(offset))),
        Func(id) if offset == 0 => Func(id),
        Undef => Undef,
        _ => return None,
    })
}

fn integer(value: Value<'_>) -> Constant {
    let bits = value.ty().integer_bits();
    if bits <= 64 {
        return Int(u128::from(value.zero_extended()));
    }
    // The C interface only gives out 64 bits; the printed form is a signed decimal.
    let printed = value.printed();
    let digits = printed.rsplit(' ').next().unwrap_or_default();
    match (digits.parse::<i128>(), u16::try_from(bits)) {
        (Ok(wide), Ok(bits)) if bits <= 128 => Int(truncate(wide.cast_unsigned(), bits)),
        _ => Unknown(format!("{bits}-bit integer")),
    }
}

fn floating(value: Value<'_>) -> Constant {
    match value.ty().kind() {
        LLVMTypeKind::LLVMFloatTypeKind => {
            #[allow(clippy::cast_possible_truncation, reason = "a float constant is exact as a double")]
            let bits = (value.real() as f32).to_bits();
            Int(u128::from(bits))
        }
        LLVMTypeKind::LLVMDoubleTypeKind => Int(u128::from(value.real().to_bits())),
        LLVMTypeKind::LLVMX86_FP80TypeKind => {
            // Printed as 0xK, four digits of sign and exponent, sixteen of significand.
            let printed = value.printed();
            let digits = printed.rsplit("0xK").next().unwrap_or_default();
            match u128::from_str_radix(digits, 16) {
                Ok(bits) => Int(bits),
                Err(_) => Unknown("an 80-bit floating-point constant".to_owned()),
            }
        }
        _ => Unknown("a floating-point constant of unusual width".to_owned()),
    }
}

/// Enough of a printed constant to recognise it.
fn shorten(text: &str) -> String {
    if text.chars().count() <= 80 { text.to_owned() } else { text.chars().take(77).collect::<String>() + "..." }
}
