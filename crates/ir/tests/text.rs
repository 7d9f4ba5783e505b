//! The text format: exact round trips, and an answer to any text.

mod random;

use expect_test::{Expect, expect};
use ir::text::{parse, print};
use random::{Rng, module};

const SAMPLE: &str = include_str!("data/every_op.ir");

fn check_error(text: &str, expect: Expect) {
    expect.assert_eq(&parse(text).expect_err("the text is wrong").to_string());
}

#[test]
fn sample_verifies() {
    let sample = parse(SAMPLE).unwrap();
    ir::verify::verify(&sample).unwrap();
}

#[test]
fn sample_prints_and_reads_back() {
    let sample = parse(SAMPLE).unwrap();
    let printed = print(&sample);
    expect_test::expect_file!["data/every_op.printed.ir"].assert_eq(&printed);
    assert_eq!(parse(&printed).unwrap(), sample);
}

#[test]
fn binary_and_text_agree() {
    let sample = parse(SAMPLE).unwrap();
    assert_eq!(ir::binary::read(&ir::binary::write(&sample).unwrap()).unwrap(), sample);
}

#[test]
fn random_modules_read_back() {
    let mut rng = Rng::new(7);
    for round in 0..400 {
        let module = module(&mut rng);
        let printed = print(&module);
        let read = parse(&printed).unwrap_or_else(|e| panic!("round {round}: {e}\n{printed}"));
        assert!(read == module, "round {round} differs:\n{printed}");
        // The verifier and the encoder must stand whatever a module holds.
        let _ = ir::verify::verify(&module);
        assert!(ir::binary::read(&ir::binary::write(&module).unwrap()).unwrap() == module);
    }
}

/// Damages texts in every way that editing does, and expects an answer: a module that prints and reads back, or an
/// error whose place lies in the text.
#[test]
fn damaged_texts_get_an_answer() {
    let mut rng = Rng::new(3);
    let sample = print(&parse(SAMPLE).unwrap());
    let (mut modules, mut errors) = (0, 0);
    for round in 0..6000 {
        let mut chars: Vec<char> =
            if round % 4 == 0 { print(&module(&mut rng)) } else { sample.clone() }.chars().collect();
        for _ in 0..=rng.below(3) {
            damage(&mut rng, &mut chars);
        }
        let text: String = chars.into_iter().collect();
        match parse(&text) {
            Ok(module) => {
                modules += 1;
                if ir::verify::verify(&module).is_ok() {
                    module.functions.iter().for_each(|f| drop(ir::cfg::Cfg::new(f)));
                }
                let printed = print(&module);
                // Registers that no table knows print, but not with a type to read back.
                if let Ok(again) = parse(&printed) {
                    assert!(again == module, "round {round}:\n{printed}");
                }
            }
            Err(e) => {
                errors += 1;
                let lines: Vec<&str> = text.split('\n').collect();
                assert!((1..=lines.len()).contains(&e.line), "round {round}: {e}");
                assert!((1..=lines[e.line - 1].chars().count() + 1).contains(&e.column), "round {round}: {e}");
                assert!(!e.expected.is_empty() && !e.found.is_empty());
            }
        }
    }
    assert!(modules > 300 && errors > 1500, "{modules} modules, {errors} errors: the damage is lopsided");
}

fn damage(rng: &mut Rng, text: &mut Vec<char>) {
    if text.is_empty() {
        return;
    }
    let at = rng.below(text.len());
    let until = (at + 1 + rng.below(6)).min(text.len());
    match rng.below(7) {
        0 => drop(text.drain(at..until)),
        1 => {
            text[at] =
                *rng.pick(&['%', '!', '"', '\\', '(', '}', ',', '-', '0', '9', 'x', 'b', 'é', '\0', '\n', ';', ':'])
        }
        2 => {
            let copy: Vec<char> = text[at..until].to_vec();
            let to = rng.below(text.len());
            text.splice(to..to, copy);
        }
        3 => text.truncate(at),
        4 => {
            let word =
                *rng.pick(&["99999999999999999999", "4294967295", "-1", "undef", "null", " i0 ", "i200", "0x", "..."]);
            text.splice(at..at, word.chars());
        }
        5 => {
            let digits = text[at..].iter().position(char::is_ascii_digit);
            if let Some(digit) = digits {
                text[at + digit] = char::from(b'0' + rng.below(10) as u8);
            }
        }
        _ => {
            let other = rng.below(text.len());
            text.swap(at, other);
        }
    }
}

#[test]
fn errors_name_place_and_expectation() {
    check_error(
        "fn f0 main() {\nb0:\n  %1 = frob i32 3\n}",
        expect!["3:8: expected an instruction, found `frob i32 3`"],
    );
    check_error("fn f0 main() {\nb0:\n  jump 3\n}", expect![[r#"3:8: expected a block such as `b1`, found `3`"#]]);
    check_error("fn f0 main() {\nb0:\n  return", expect!["3:9: expected `b1:`, found the end"]);
    check_error("fn f1 main()", expect![[r#"1:4: expected `f0`, the next of its table, found `f1 main()`"#]]);
    check_error("T0 = struct s 8 { 0 a T0 }", expect![[r#"1:23: expected `:`, found `T0 }`"#]]);
    check_error(
        "file0 = \"a\nb\" in \"\"",
        expect![[r#"1:11: expected the closing quotation mark, found the end of the line"#]],
    );
    check_error("é", expect![[r#"1:1: expected a word, a number or a mark, found `é`"#]]);
}

#[test]
fn errors_of_registers() {
    let body = |text: &str| format!("fn f0 f(%0: i32) {{\nb0:\n  {text}\n  return\n}}");
    check_error(
        &body("%1 = call *%0()"),
        expect!["3:3: expected %1 with its type, as in `%1: i32`, found `%1 = call *%0()`"],
    );
    check_error(
        &body("%2 = add i32 %0, 1"),
        expect!["5:2: expected a definition of %1, or `unset(%1: ...)`, found the end"],
    );
    check_error(
        &body("%0: i64 = add i32 %0, 1"),
        expect!["3:3: expected %0 as it is described before, found `%0: i64 = add i32 %0, 1`"],
    );
    check_error(
        &body("add i32 %0, 1"),
        expect!["3:3: expected one result before this instruction, found `add i32 %0, 1`"],
    );
    check_error(
        &body("%1, %2 = add i32 %0, 1"),
        expect!["3:12: expected one result before this instruction, found `add i32 %0, 1`"],
    );
    check_error(
        &body("%4294967296 = add i32 %0, 1"),
        expect!["3:14: expected a number of at most 32 bits, found ` = add i32 %0, 1`"],
    );
    check_error(
        &body("%1 = add i8 -129, 1"),
        expect!["3:15: expected a constant that is no less than the least i8, found `-129, 1`"],
    );
    check_error(
        &body("%1 = add i64 18446744073709551616, 1"),
        expect!["3:16: expected a number of at most 64 bits, found `18446744073709551616, 1`"],
    );
}

#[test]
fn negative_constants_take_the_width_of_their_place() {
    let text = "fn f0 f(%0: i32) -> i16 {
b0:
  jump b1(-1, -128)
b1(%1: i64, %2: i8):
  switch i32 %0 { -1: b1(-2, %2), default: b2 }
b2:
  return -1
}";
    let printed = print(&parse(text).unwrap());
    expect![[r#"

        fn f0 f(%0: i32) -> i16 {
        b0:
          jump b1(-1, -128)
        b1(%1: i64, %2: i8):
          switch i32 %0 { -1: b1(-2, %2), default: b2 }
        b2:
          return -1
        }
    "#]]
    .assert_eq(&printed);
}

#[test]
fn names_that_look_like_the_language_survive() {
    for name in ["", "...", "..", ".str.1", "a b", "%1", "9", "fn", "null", "undef", "\"\\\n\u{7f}é", "$x", "f0", "!"]
    {
        let mut module = parse("fn f0 f(%0: i32) {\nb0:\n  return %0\n}").unwrap();
        module.functions[0].name = name.to_owned();
        module.functions[0].registers[0].name = Some(name.to_owned());
        assert_eq!(parse(&print(&module)).unwrap(), module, "{name:?}");
    }
}
