//! Each rule of the verifier: a module that breaks it, beside what may look like a breach and is none.

use expect_test::{Expect, expect};
use ir::text::parse;
use ir::verify::verify;
use ir::{LocId, Module, Operand, Reg, Ty};

fn check(module: &Module, expect: Expect) {
    let errors = verify(module).expect_err("the module is wrong");
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    expect.assert_eq(&lines.join("\n"));
}

fn check_text(text: &str, expect: Expect) {
    check(&parse(text).unwrap(), expect);
}

/// A function with this body.
fn check_body(body: &str, expect: Expect) {
    check_text(&function(body), expect);
}

fn function(body: &str) -> String {
    format!(
        "T0 = signed int 4
         w0 = 0x2_0
         global g0 shared: 8 align 8 = zero
         global g1 own: 4 align 4 thread_local = zero
         fn f0 main(%0: i32, %1: ptr, %2: i64) -> i32 {{ b0: {body} }}
         fn f1 other(%0: i32, ...) -> i32"
    )
    .replace("0x2_0", "0x20000000000000000")
}

fn accept_body(body: &str) {
    if let Err(errors) = verify(&parse(&function(body)).unwrap()) {
        panic!("{errors:?}");
    }
}

#[test]
fn ids_of_tables() {
    check_text(
        "T0 = ptr T1
         T1 = struct s 8 { 0 a: T9 }
         T2 = fn(T7) -> T8
         global g0 g: 8 align 8 T9 = hex \"0000000000000000\" { 0: g5 } !4
         global g1 h: 8 align 8 = hex \"0000000000000000\" { 0: f5 }
         loc !0 = file3:1:1 in f at !9",
        expect![[r#"
            T1: id in range: there is no T9
            T2: id in range: there is no T8
            T2: id in range: there is no T7
            g0 g: id in range: there is no T9
            g0 g: id in range: there is no !4
            g0 g: id in range: there is no g5
            g1 h: id in range: there is no f5
            !0: id in range: there is no file3
            !0: id in range: there is no !9"#]],
    );
}

#[test]
fn ids_of_functions() {
    check_text(
        "fn f0 f(%0: ptr(T1)) file2 !3 returns T4 source(a: T5) {
         b0:
           %1 = offset %0 within T6 !7
           %2 = add i128 w8, %19
           %3: i32 = call f10(ptr g11, ptr f12)
           %4 = thread_local g13
           %5 = alloca 4 align 4 var x: T14
           branch 0, b15, b16 !17
         }",
        expect![[r#"
            f0 f: id in range: there is no file2
            f0 f: id in range: there is no !3
            f0 f: id in range: there is no T4
            f0 f: id in range: there is no T5
            f0 f: id in range: there is no T1
            f0 f, b0, instruction 0: id in range: there is no !7
            f0 f, b0, instruction 0: id in range: there is no T6
            f0 f, b0, instruction 1: id in range: there is no w8
            f0 f, b0, instruction 1: id in range: there is no %19
            f0 f, b0, instruction 2: id in range: there is no g11
            f0 f, b0, instruction 2: id in range: there is no f12
            f0 f, b0, instruction 2: id in range: there is no f10
            f0 f, b0, instruction 3: id in range: there is no g13
            f0 f, b0, instruction 4: id in range: there is no T14
            f0 f, b0, terminator: id in range: there is no !17
            f0 f, b0, terminator: id in range: there is no b15
            f0 f, b0, terminator: id in range: there is no b16"#]],
    );
}

#[test]
fn registers_without_a_description() {
    let mut module = parse("fn f0 f(%0: i32) {\nb0:\n return\n}").unwrap();
    module.functions[0].params[0].reg = Reg::new(7);
    module.functions[0].blocks[0].params.push(Reg::new(8));
    check(
        &module,
        expect![[r#"
            f0 f: id in range: there is no %7
            f0 f, b0: entry block: the entry has parameters
            f0 f, b0: id in range: there is no %8"#]],
    );
}

#[test]
fn types_that_contain_themselves() {
    check_text("T0 = typedef a T1\nT1 = const T0", expect!["T0: finite type: the type contains itself"]);
    check_text("T0 = struct s 8 { 0 a: T1 }\nT1 = T0[2]", expect!["T0: finite type: the type contains itself"]);
    // Behind a pointer, a record may contain itself.
    verify(&parse("T0 = struct s 8 { 0 next: T1 }\nT1 = ptr T2\nT2 = typedef s T0").unwrap()).unwrap();
}

#[test]
fn layouts() {
    check_text(
        "T0 = signed int 4
         T1 = struct s 8 { 0 a: T0, 6 late: T0, 0 bit: T0 bits 63 + 2, 8 flexible: T2 }
         T2 = T0[]
         T3 = T0[9223372036854775807]
         T4 = struct far 8 { 18446744073709551615 a: T0 }",
        expect![[r#"
            T1: type layout: member `late` does not lie in the record
            T1: type layout: member `bit` does not lie in the record
            T3: type layout: the type is too large
            T4: type layout: member `a` does not lie in the record"#]],
    );
}

#[test]
fn inlining_without_end() {
    let mut module = parse("file0 = \"a\" in \"\"\nloc !0 = file0:1:1 in f at !1\nloc !1 = file0:1:1 in g").unwrap();
    verify(&module).unwrap();
    module.locations[1].inlined_at = Some(LocId::new(0));
    check(&module, expect!["!0: finite location: the calls it was inlined at form a cycle"]);
}

#[test]
fn names() {
    check_text("fn f0 f() external\nfn f1 f() external", expect!["f1 f: unique name: f0 has the name as well"]);
    verify(&parse("fn f0 f() external\nfn f1 f()\nfn f2 f()").unwrap()).unwrap();
}

#[test]
fn globals() {
    check_text(
        "global g0 a: 8 align 3 = zero
         global g1 b: 8 align 8 = hex \"00\"
         global g2 c: 8 align 8 = hex \"0000000000000000\" { 1: g0 }
         global g3 d: 16 align 8 = hex \"00000000000000000000000000000000\" { 4: g0, 0: g0 }
         global g4 e: 8 align 8 = hex \"0000000000000000\" { 0: g5 }
         global g5 f: 4 align 4 thread_local = zero
         global g6 h: 4611686018427387904 align 0 = elsewhere",
        expect![[r#"
            g0 a: alignment: 3 is no power of two
            g1 b: initialiser size: 1 bytes for a size of 8
            g2 c: relocation: the one at 1 leaves the initialiser
            g3 d: relocation: those at 0 and 4 overlap
            g4 e: thread-local: g5 has no address before a thread runs
            g6 h: alignment: 0 is no power of two
            g6 h: type layout: the global is too large"#]],
    );
}

#[test]
fn widths() {
    check_text(
        "fn f0 f(%0: i0) -> i129",
        expect![[r#"
            f0 f: width: i129 has no or too many bits
            f0 f: width: i0 has no or too many bits"#]],
    );
    check_body(
        "%3: i32 = call f1(i200 0) return 0",
        expect!["f0 main, b0, instruction 0: width: i200 has no or too many bits"],
    );
}

#[test]
fn entry_and_params() {
    check_text("fn f0 f() { b0(%0: i32): return }", expect!["f0 f, b0: entry block: the entry has parameters"]);
    check_text(
        "fn f0 f(%0: i32 byval(8), %1: i64 sret)",
        expect![[r#"
            f0 f: passed by pointer: %0 is no pointer
            f0 f: passed by pointer: %1 is no pointer"#]],
    );
}

#[test]
fn what_is_passed() {
    let declared =
        |pieces: &str| format!("T0 = void\nfn f0 f(%0: ptr byval(8), %1: i64) source(a: T0) passes({pieces})");
    verify(&parse(&declared("0 from 0, 0 from 8")).unwrap()).expect("a pointer and a number of one structure");
    let why = || expect!["f0 f: pieces: what the parameters pass is no list of the source's parameters"];
    check_text(&declared("0 from 0"), why());
    check_text(&declared("0 from 0, 1 from 0"), why());
}

#[test]
fn single_assignment() {
    check_body(
        "%0 = add i32 1, 2 return 0",
        expect!["f0 main, b0, instruction 0: single assignment: %0 is set elsewhere as well"],
    );
    check_body(
        "jump b1 b1: %3 = uninit i32 jump b2 b2: %3 = uninit i32 return %3",
        expect!["f0 main, b2, instruction 0: single assignment: %3 is set elsewhere as well"],
    );
    check_text("fn f0 f(%0: i32, %0: i32)", expect!["f0 f: single assignment: %0 is set elsewhere as well"]);
    check_body(
        "%3, %3 = overflow sadd i1 0, 0 return 0",
        expect!["f0 main, b0, instruction 0: single assignment: %3 is set elsewhere as well"],
    );
}

#[test]
fn dominance() {
    check_body(
        "%3 = add i32 %4, 1 %4 = add i32 %3, 1 return 0",
        expect!["f0 main, b0, instruction 0: dominance: %4 is read where it may not be set"],
    );
    check_body(
        "branch 1, b1, b2 b1: %3 = uninit i32 jump b2 b2: return %3",
        expect!["f0 main, b2, terminator: dominance: %3 is read where it may not be set"],
    );
    // Around a loop is not before.
    check_body(
        "jump b1 b1: %3 = add i32 %4, 1 jump b2 b2: %4 = uninit i32 jump b1",
        expect!["f0 main, b1, instruction 0: dominance: %4 is read where it may not be set"],
    );
    check_body(
        "jump b1(%3) b1(%3: i32): return %3",
        expect!["f0 main, b0, terminator: dominance: %3 is read where it may not be set"],
    );
    accept_body("jump b1(%0) b1(%3: i32): %4 = add i32 %3, 1 branch 1, b1(%4), b2 b2: return %4");
    // What is never reached needs no definition.
    accept_body("return 0 b1: %3 = add i32 %4, 1 return %3 b2: %4 = uninit i32 return %4");
}

#[test]
fn a_register_that_nothing_sets_may_not_be_read() {
    let text = function("return %3").replace("-> i32 {", "-> i32 unset(%3: i32) {");
    check_text(&text, expect!["f0 main, b0, terminator: dominance: %3 is read where it may not be set"]);
}

#[test]
fn types_of_instructions() {
    for (inst, expect) in [
        ("%3 = add ptr %1, %1", expect!["f0 main, b0, instruction 0: instruction type: ptr is no integer"]),
        ("%3 = cmp eq double 0, 0", expect!["f0 main, b0, instruction 0: instruction type: double has no such order"]),
        ("%3 = byte_swap i8 0", expect!["f0 main, b0, instruction 0: instruction type: i8 is no even number of bytes"]),
        (
            "%3 = zext i32 %0 to i32",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i32 to i32"],
        ),
        (
            "%3 = trunc i32 %0 to i64",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i32 to i64"],
        ),
        (
            "%3 = sext i32 %0 to ptr",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i32 to ptr"],
        ),
        (
            "%3 = ptrtoint i64 %2 to i64",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i64 to i64"],
        ),
        (
            "%3 = inttoptr ptr %1 to ptr",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from ptr to ptr"],
        ),
        (
            "%3 = copy i64 %2 to ptr",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i64 to ptr"],
        ),
        (
            "%3 = copy i64 %2 to float",
            expect!["f0 main, b0, instruction 0: instruction type: no such conversion from i64 to float"],
        ),
        (
            "%3, %4 = overflow sadd double 0, 0",
            expect!["f0 main, b0, instruction 0: instruction type: double is no integer"],
        ),
        (
            "%3 = rmw add ptr [%1], null relaxed",
            expect!["f0 main, b0, instruction 0: instruction type: ptr is no integer"],
        ),
        (
            "%3, %4 = cmpxchg double [%1], 0 -> 0 relaxed relaxed",
            expect!["f0 main, b0, instruction 0: instruction type: double is no integer or pointer"],
        ),
        ("%3 = alloca 4 align 0", expect!["f0 main, b0, instruction 0: alignment: 0 is no power of two"]),
        (
            "%3 = alloca 4 * %1 align 4",
            expect!["f0 main, b0, instruction 0: operand type: %1 is ptr, expected an integer"],
        ),
        ("%3 = thread_local g0", expect!["f0 main, b0, instruction 0: thread-local: g0 is not thread-local"]),
    ] {
        check_body(&format!("{inst} return 0"), expect);
    }
    accept_body(
        "%3 = rmw exchange ptr [%1], null relaxed %4 = trunc i64 %2 to i1 %5 = inttoptr i32 %0 to ptr return 0",
    );
    accept_body("%3 = alloca 4 * %0 align 4 %4 = alloca 4 * %2 align 4 %5 = popcount i32 %0, %1 return 0");
    accept_body("%3, %4 = cmpxchg i32 [%1], 0 -> 0 acq_rel acquire return 0");
}

#[test]
fn types_of_operands() {
    for (inst, expect) in [
        ("%3 = add i32 %2, 1", expect!["f0 main, b0, instruction 0: operand type: %2 is i64, expected i32"]),
        ("%3 = add i64 %1, 1", expect!["f0 main, b0, instruction 0: operand type: %1 is ptr, expected i64"]),
        ("%3 = load i32 [%2]", expect!["f0 main, b0, instruction 0: operand type: %2 is i64, expected ptr"]),
        ("store i64 %1, [%1]", expect!["f0 main, b0, instruction 0: operand type: %1 is ptr, expected i64"]),
        ("store i64 g0, [%1]", expect!["f0 main, b0, instruction 0: operand type: g0 is an address, expected i64"]),
        ("store i64 f1, [%1]", expect!["f0 main, b0, instruction 0: operand type: f1 is an address, expected i64"]),
        (
            "store i32 w0, [%1]",
            expect!["f0 main, b0, instruction 0: operand type: w0 stands for a wide constant, expected i32"],
        ),
        (
            "store i65 w0, [%1]",
            expect!["f0 main, b0, instruction 0: constant range: 0x20000000000000000 does not fit i65"],
        ),
        ("store i8 256, [%1]", expect!["f0 main, b0, instruction 0: constant range: 256 does not fit i8"]),
        (
            "store float 0x100000000, [%1]",
            expect!["f0 main, b0, instruction 0: constant range: 4294967296 does not fit float"],
        ),
        (
            "store i32 0, [g1]",
            expect!["f0 main, b0, instruction 0: thread-local: g1 has one address a thread, or a block"],
        ),
        ("%3 = select %0, i32 %0, %0", expect!["f0 main, b0, instruction 0: operand type: %0 is i32, expected i1"]),
        (
            "%3 = offset %2 + i32 %2 * 4",
            expect![[r#"
            f0 main, b0, instruction 0: operand type: %2 is i64, expected ptr
            f0 main, b0, instruction 0: operand type: %2 is i64, expected i32"#]],
        ),
        ("memcpy [%1], [%1], %0", expect!["f0 main, b0, instruction 0: operand type: %0 is i32, expected i64"]),
        ("memset [%1], %0, 1", expect!["f0 main, b0, instruction 0: operand type: %0 is i32, expected i8"]),
        (
            "%3: i64 = add i32 %0, 1",
            expect!["f0 main, b0, instruction 0: result type: %3 is i64, the instruction gives i32"],
        ),
        (
            "%3: i32 = cmp eq i32 %0, 1",
            expect!["f0 main, b0, instruction 0: result type: %3 is i32, the instruction gives i1"],
        ),
        ("%3: i32 = call f1(i64 %0)", expect!["f0 main, b0, instruction 0: operand type: %0 is i32, expected i64"]),
        ("%3: i32 = call f1(i64 %2 byval(8))", expect!["f0 main, b0, instruction 0: passed by pointer: a copy of i64"]),
        ("%3: i32 = call *%2()", expect!["f0 main, b0, instruction 0: operand type: %2 is i64, expected ptr"]),
        (
            "%3: i64 = call f1()",
            expect!["f0 main, b0, instruction 0: call results: f1 gives (i32), the call takes (i64)"],
        ),
        ("call f1()", expect!["f0 main, b0, instruction 0: call results: f1 gives (i32), the call takes ()"]),
    ] {
        check_body(&format!("{inst} return 0"), expect);
    }
    // Addresses made from numbers, wide constants, and calls that fit no prototype.
    accept_body("store i32 0, [4096] store ptr null, [undef] store i66 w0, [g0] return undef");
    accept_body("%3: i32 = call f1() %4: i32 = call f1(i32 1, double 0, ptr f0) %5: double = call *%1(i64 1) return 0");
}

#[test]
fn edges_and_ends() {
    check_body(
        "jump b1 b1: jump b2(1) b2: return 0",
        expect!["f0 main, b1, terminator: edge arguments: 1 for the 0 parameters of b2"],
    );
    check_body(
        "jump b1(1) b1: return 0",
        expect!["f0 main, b0, terminator: edge arguments: 1 for the 0 parameters of b1"],
    );
    check_body(
        "jump b1(%2, 256) b1(%3: i32, %4: i8): return 0",
        expect![[r#"
            f0 main, b0, terminator: edge arguments: %2 is i64, expected i32
            f0 main, b0, terminator: constant range: 256 does not fit i8"#]],
    );
    check_body(
        "branch %0, b1, b1 b1: return 0",
        expect!["f0 main, b0, terminator: operand type: %0 is i32, expected i1"],
    );
    check_body("return", expect!["f0 main, b0, terminator: return values: 0 for (i32)"]);
    check_body("return 0, 1", expect!["f0 main, b0, terminator: return values: 2 for (i32)"]);
    check_body("return %1", expect!["f0 main, b0, terminator: return values: %1 is ptr, expected i32"]);
    check_body(
        "switch i8 %0 { 1: b1, 300: b1, 1: b1, default: b1 } b1: return 0",
        expect![[r#"
            f0 main, b0, terminator: operand type: %0 is i32, expected i8
            f0 main, b0, terminator: switch cases: 300 does not fit i8
            f0 main, b0, terminator: switch cases: 1 has two cases"#]],
    );
    check_body(
        "switch ptr %1 { default: b1 } b1: return 0",
        expect!["f0 main, b0, terminator: instruction type: ptr is no integer"],
    );
}

#[test]
fn errors_come_in_the_order_of_the_text() {
    check_body(
        "%3 = add i32 %2, 1 jump b1(1) b1: %4 = add i32 %5, 1 %5 = add i64 %0, 1 return",
        expect![[r#"
            f0 main, b0, instruction 0: operand type: %2 is i64, expected i32
            f0 main, b0, terminator: edge arguments: 1 for the 0 parameters of b1
            f0 main, b1, instruction 0: operand type: %5 is i64, expected i32
            f0 main, b1, instruction 0: dominance: %5 is read where it may not be set
            f0 main, b1, instruction 1: operand type: %0 is i32, expected i64
            f0 main, b1, terminator: return values: 0 for (i32)"#]],
    );
}

/// Random damage to a good module must not panic, whatever the rules say of it.
#[test]
fn verdicts_on_mutated_modules() {
    let sample = parse(include_str!("data/every_op.ir")).unwrap();
    let mut rejected = 0;
    let count = sample.functions[0].registers.len();
    for i in 0..count {
        let mut module = sample.clone();
        module.functions[0].registers[i].ty = Ty::Int(13);
        rejected += usize::from(verify(&module).is_err());
        let mut module = sample.clone();
        module.functions[0].registers.truncate(i);
        assert!(verify(&module).is_err(), "{i} registers are too few");
    }
    // Those that nothing reads may have any type, if no instruction gives them one.
    assert!(rejected + 8 > count, "{rejected} of {count}");
    let blocks = sample.functions[0].blocks.len();
    for b in 0..blocks {
        for i in 0..sample.functions[0].blocks[b].insts.len() {
            let mut module = sample.clone();
            let inst = module.functions[0].blocks[b].insts.remove(i);
            let removed: Vec<Reg> = inst.op.dests().collect();
            let mut used = false;
            for block in &module.functions[0].blocks {
                let mut note = |o| used |= matches!(o, Operand::Reg(r) if removed.contains(&r));
                block.insts.iter().for_each(|i| i.op.for_each_operand(&mut note));
                block.terminator.for_each_operand(&mut note);
            }
            assert_eq!(verify(&module).is_err(), used, "without {inst:?}");
        }
    }
}

#[test]
fn what_begins_and_ends_with_a_block_is_a_variable() {
    accept_body("%3 = alloca 4 align 4\n local_end %3\n local_begin %3\n return %0");
    check_body(
        "%3 = alloca 4 * %0 align 4\n local_end %3\n local_begin %1\n return %0",
        expect![[r#"
            f0 main, b0, instruction 1: variable: %3 is no variable's
            f0 main, b0, instruction 2: variable: %1 is no variable's"#]],
    );
}
