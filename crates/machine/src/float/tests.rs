//! Against the host, whose compiler and C library are the reference.

use super::*;

fn bits(value: f64) -> u128 {
    u128::from(value.to_bits())
}

fn extended(value: f64) -> u128 {
    convert(FloatCast::Resize, Ty::F64, Ty::F80, bits(value))
}

fn back(value: u128) -> f64 {
    f64::from_bits(convert(FloatCast::Resize, Ty::F80, Ty::F64, value) as u64)
}

fn written(ty: Ty, value: u128, conversion: u8, precision: Option<usize>) -> String {
    format(ty, value, &Shape { conversion, precision, ..Shape::default() })
}

#[test]
fn roots_of_extended_numbers_are_exact_where_they_are_squares() {
    for value in [0.0, 1.0, 2.25, 1e300, 4.0, 1e-300, 12345678.0] {
        let root = compute(FloatOp::Sqrt, Ty::F80, &[extended(value)]);
        let square = compute(FloatOp::Mul, Ty::F80, &[root, root]);
        assert!((back(square) - value).abs() <= value * 1e-15, "{value}");
        assert_eq!(back(root), value.sqrt(), "rounded to double it is the root of doubles: {value}");
    }
    let negative = compute(FloatOp::Sqrt, Ty::F80, &[extended(-1.0)]);
    assert_eq!(negative, 0xffff_c000_0000_0000_0000, "the x87's own NaN");
}

#[test]
fn invalid_operations_give_the_processors_nan() {
    assert_eq!(compute(FloatOp::Div, Ty::F64, &[0, 0]), 0xfff8 << 48);
    assert_eq!(compute(FloatOp::Sub, Ty::F32, &[0x7f80_0000, 0x7f80_0000]), 0xffc0_0000);
    let signalling = 0x7ff0_0000_0000_0001;
    assert_eq!(compute(FloatOp::Add, Ty::F64, &[signalling, 0]), 0x7ff8_0000_0000_0001);
}

#[test]
fn conversions_to_integers_beyond_their_range() {
    let to = |kind, ty, value: f64| convert(kind, Ty::F64, Ty::Int(ty), bits(value));
    assert_eq!(to(FloatCast::ToSigned, 32, 3e9), 1 << 31);
    assert_eq!(to(FloatCast::ToSigned, 8, 300.5), 300 & 0xff);
    assert_eq!(to(FloatCast::ToUnsigned, 32, 3e9), 3_000_000_000);
    assert_eq!(to(FloatCast::ToUnsigned, 64, 1e19), 10_000_000_000_000_000_000);
    assert_eq!(to(FloatCast::ToUnsigned, 64, -1.0), u128::from(u64::MAX));
    assert_eq!(to(FloatCast::ToSignedSaturating, 32, 3e9), 0x7fff_ffff);
    assert_eq!(to(FloatCast::ToSignedSaturating, 128, f64::NEG_INFINITY), 1 << 127);
    assert_eq!(to(FloatCast::ToUnsignedSaturating, 8, -1.0), 0);
    assert_eq!(to(FloatCast::ToUnsignedSaturating, 8, 1e9), 255);
    assert_eq!(to(FloatCast::ToUnsigned, 128, 2f64.powi(127)), 1 << 127);
}

#[test]
fn classes() {
    let class = |value: f64| class_of::<f64>(bits(value));
    assert_eq!(class(-0.0), 1 << 5);
    assert_eq!(class(f64::INFINITY), 1 << 9);
    assert_eq!(class(-f64::MIN_POSITIVE / 2.0), 1 << 4);
    assert_eq!(class(1.5), 1 << 8);
    assert_eq!(class_of::<f64>(0x7ff8 << 48), 2);
    assert_eq!(class_of::<f64>((0x7ff0 << 48) | 1), 1);
    assert_eq!(class_of::<Extended>((0x7fff << 64) | (3 << 62)), 2);
    assert_eq!(class_of::<Extended>((0x7fff << 64) | (2 << 62) | 1), 1);
}

#[test]
fn numbers_are_written_as_glibc_writes_them() {
    let f = |value: f64, conversion, precision| written(Ty::F64, bits(value), conversion, precision);
    assert_eq!(f(2.5, b'f', Some(0)), "2");
    assert_eq!(f(0.125, b'f', Some(2)), "0.12");
    assert_eq!(f(-0.0, b'f', None), "-0.000000");
    assert_eq!(f(1e22, b'f', Some(1)), "10000000000000000000000.0");
    assert_eq!(f(9.9999995, b'e', Some(6)), "9.999999e+00");
    assert_eq!(f(9.99999951, b'e', Some(6)), "1.000000e+01");
    assert_eq!(f(0.0001, b'g', None), "0.0001");
    assert_eq!(f(0.00001234, b'g', None), "1.234e-05");
    assert_eq!(f(100000.0, b'g', None), "100000");
    assert_eq!(f(1e6, b'G', None), "1E+06");
    assert_eq!(f(5e-324, b'e', Some(3)), "4.941e-324");
    assert_eq!(f(1.0, b'a', None), "0x1p+0");
    assert_eq!(f(-3.25, b'a', Some(3)), "-0x1.a00p+1");
    assert_eq!(f(f64::INFINITY, b'F', None), "INF");
    assert_eq!(f(0.1, b'f', Some(30)), "0.100000000000000005551115123126");
    assert_eq!(written(Ty::F80, extended(1.0), b'a', None), "0x8p-3");
    assert_eq!(written(Ty::F80, extended(1.999), b'a', Some(1)), "0x1.0p+1");
    assert_eq!(written(Ty::F80, extended(1.5), b'f', Some(3)), "1.500");
}

#[test]
fn exponents_and_fractions() {
    assert_eq!(compute(FloatOp::FrexpFraction, Ty::F64, &[bits(12.0)]), bits(0.75));
    assert_eq!(convert(FloatCast::FrexpExponent, Ty::F64, Ty::Int(32), bits(0.1)), 0xffff_fffd);
    assert_eq!(compute(FloatOp::ModfFraction, Ty::F64, &[bits(-2.5)]), bits(-0.5));
    assert_eq!(compute(FloatOp::Scale, Ty::F64, &[bits(1.5), 0xffff_ffff]), bits(0.75));
    assert_eq!(compute(FloatOp::IntPower, Ty::F64, &[bits(2.0), 0xffff_fffe]), bits(0.25));
    assert_eq!(compute(FloatOp::MinNum, Ty::F64, &[0x7ff8 << 48, bits(1.0)]), bits(1.0));
    assert_eq!(compute(FloatOp::Minimum, Ty::F64, &[bits(0.0), bits(-0.0)]), bits(-0.0));
}
