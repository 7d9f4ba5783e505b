//! The words for the closed sets of the instruction set.

use crate::{
    BinaryOp, BitOp, CastKind, FloatCast, FloatOp, FloatPredicate, IntKind, LoadOrder, Order, OverflowOp, Predicate,
    Qualifier, RmwOp, StoreOrder,
};

/// A closed set, each member of which has a word.
pub(super) trait Keyword: Copy + 'static {
    /// What a member is called in error messages.
    const WHAT: &'static str;

    fn word(self) -> &'static str;
    fn from_word(word: &str) -> Option<Self>;
}

macro_rules! keywords {
    ($($ty:ident ($what:literal): $($variant:ident $word:literal),+;)*) => {
        $(impl Keyword for $ty {
            const WHAT: &'static str = $what;

            fn word(self) -> &'static str {
                match self {
                    $($ty::$variant => $word),+
                }
            }

            fn from_word(word: &str) -> Option<Self> {
                match word {
                    $($word => Some($ty::$variant),)+
                    _ => None,
                }
            }
        })*
    };
}

keywords! {
    BinaryOp("an arithmetic operation"):
        Add "add", Sub "sub", Mul "mul", UDiv "udiv", SDiv "sdiv", URem "urem", SRem "srem",
        Shl "shl", LShr "lshr", AShr "ashr", And "and", Or "or", Xor "xor";
    Predicate("a comparison"):
        Eq "eq", Ne "ne", Ugt "ugt", Uge "uge", Ult "ult", Ule "ule", Sgt "sgt", Sge "sge", Slt "slt", Sle "sle";
    CastKind("a conversion"):
        ZeroExtend "zext", SignExtend "sext", Truncate "trunc", PtrToInt "ptrtoint", IntToPtr "inttoptr", Copy "copy";
    LoadOrder("a memory order of a load"):
        Relaxed "relaxed", Acquire "acquire", SeqCst "seq_cst";
    StoreOrder("a memory order of a store"):
        Relaxed "relaxed", Release "release", SeqCst "seq_cst";
    Order("a memory order"):
        Relaxed "relaxed", Acquire "acquire", Release "release", AcqRel "acq_rel", SeqCst "seq_cst";
    RmwOp("a read-modify-write operation"):
        Exchange "exchange", Add "add", Sub "sub", And "and", Nand "nand", Or "or", Xor "xor",
        Max "max", Min "min", UMax "umax", UMin "umin", FAdd "fadd", FSub "fsub", FMax "fmax", FMin "fmin";
    FloatOp("a floating-point operation"):
        Neg "fneg", Abs "fabs", Sqrt "fsqrt", Floor "ffloor", Ceil "fceil", Trunc "ftrunc", Round "fround",
        RoundEven "fround_even", FrexpFraction "frexp_fraction", ModfFraction "modf_fraction", Add "fadd", Sub "fsub",
        Mul "fmul", Div "fdiv", Rem "frem", MinNum "fminnum", MaxNum "fmaxnum", Minimum "fminimum",
        Maximum "fmaximum", CopySign "fcopysign", Scale "fscale", IntPower "fint_power", MulAdd "fmul_add";
    FloatPredicate("a floating-point comparison"):
        False "false", Oeq "oeq", Ogt "ogt", Oge "oge", Olt "olt", Ole "ole", One "one", Ord "ord", Ueq "ueq",
        Ugt "ugt", Uge "uge", Ult "ult", Ule "ule", Une "une", Uno "uno", True "true";
    FloatCast("a floating-point conversion"):
        FromSigned "float_from_signed", FromUnsigned "float_from_unsigned", ToSigned "float_to_signed",
        ToUnsigned "float_to_unsigned", ToSignedSaturating "float_to_signed_saturating",
        ToUnsignedSaturating "float_to_unsigned_saturating", Resize "float_resize", FrexpExponent "frexp_exponent";
    OverflowOp("an overflow operation"):
        SAdd "sadd", UAdd "uadd", SSub "ssub", USub "usub", SMul "smul", UMul "umul";
    BitOp("a bit operation"):
        PopCount "popcount", LeadingZeros "leading_zeros", TrailingZeros "trailing_zeros", ByteSwap "byte_swap",
        BitReverse "bit_reverse", Abs "abs", SMax "smax", SMin "smin", UMax "umax", UMin "umin";
    IntKind("a kind of integer"):
        Bool "bool", Char "char", Signed "signed", Unsigned "unsigned";
    Qualifier("a qualifier"):
        Const "const", Volatile "volatile", Atomic "atomic", Restrict "restrict";
}
