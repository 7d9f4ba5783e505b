//! What a test has on its standard input: the characters and numbers that the witness has there, written down.
//!
//! The names are those of raddle's C library (`libc/input.c`): an input says which character comes, that none does, or that a number of
//! some kind does, which is the next input. Blanks that `scanf` may skip are written only where a number would not end otherwise.

use super::plan::Plan;
use crate::format::InputValue;

const END: u64 = 256;
const DECIMAL: u64 = 257;
const UNSIGNED: u64 = 258;
const OCTAL: u64 = 259;
const HEXADECIMAL: u64 = 260;

/// The text; none if nobody looks at it.
pub(super) fn text(plan: &Plan) -> Option<Vec<u8>> {
    written(plan.witness.inputs.iter())
}

/// `stdin`, `main.1:stdin#2`
fn is_standard(name: &str) -> bool {
    let name = name.split_once(':').map_or(name, |(_, name)| name);
    name.split('#').next() == Some("stdin")
}

fn written<'a>(inputs: impl Iterator<Item = &'a InputValue>) -> Option<Vec<u8>> {
    let mut inputs = inputs.filter(|input| is_standard(&input.name)).peekable();
    inputs.peek()?;
    let (mut text, mut behind_number) = (Vec::new(), false);
    while let Some(input) = inputs.next() {
        match value(input) {
            END => break,
            what @ 0..END => {
                let byte = what as u8;
                if behind_number && (byte.is_ascii_alphanumeric() || byte == b'.') {
                    text.push(b'\n');
                }
                text.push(byte);
                behind_number = false;
            }
            kind => {
                let Some(number) = inputs.next() else { break };
                if behind_number {
                    text.push(b'\n');
                }
                text.extend(number_text(kind, value(number)).into_bytes());
                behind_number = true;
            }
        }
    }
    if behind_number {
        text.push(b'\n');
    }
    Some(text)
}

fn value(input: &InputValue) -> u64 {
    let bytes = input.bytes.iter().take(8).rev();
    bytes.fold(0, |value, &byte| value << 8 | u64::from(byte))
}

fn number_text(kind: u64, value: u64) -> String {
    match kind {
        DECIMAL => value.cast_signed().to_string(),
        UNSIGNED => value.to_string(),
        OCTAL => format!("{value:o}"),
        HEXADECIMAL => format!("{value:x}"),
        _ => {
            let number = f64::from_bits(value);
            // Shortest digits that are read as the same number; `inf` and `NaN` are words of scanf's too.
            format!("{number:e}")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, bytes: &[u8]) -> InputValue {
        InputValue {
            name: name.into(),
            size: bytes.len() as u64,
            bytes: bytes.to_vec(),
            thread: 0,
            floating: false,
            at: None,
        }
    }

    fn of(codes: &[(u64, Option<i64>)]) -> String {
        let mut inputs = Vec::new();
        for &(code, number) in codes {
            inputs.push(input("stdin", &code.to_le_bytes()[..2]));
            inputs.extend(number.map(|number| input("main.1:stdin#2", &number.to_le_bytes())));
        }
        String::from_utf8(written(inputs.iter()).unwrap()).unwrap()
    }

    #[test]
    fn characters_and_numbers_are_written() {
        assert_eq!(of(&[(u64::from(b'a'), None), (u64::from(b'1'), None)]), "a1");
        assert_eq!(of(&[(DECIMAL, Some(-12)), (u64::from(b','), None), (DECIMAL, Some(7))]), "-12,7\n");
        assert_eq!(of(&[(DECIMAL, Some(1)), (DECIMAL, Some(2)), (END, None)]), "1\n2\n");
        assert_eq!(of(&[(HEXADECIMAL, Some(255)), (u64::from(b'f'), None)]), "ff\nf");
        assert_eq!(of(&[(261, Some(1.5f64.to_bits().cast_signed()))]), "1.5e0\n");
        assert_eq!(of(&[(END, None)]), "");
    }

    #[test]
    fn other_inputs_are_none_of_it() {
        assert_eq!(written([input("rand", &[1]), input("stdin_size", &[1])].iter()), None);
    }
}
