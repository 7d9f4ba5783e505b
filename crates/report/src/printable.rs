//! Text of others on a terminal.

/// The text with control characters other than line ends and tabs written out (`\x1b`): input that is garbage, or worse,
/// does not get to steer the terminal.
pub fn printable(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => result.push(character),
            control if control.is_control() => result.push_str(&format!("\\x{:02x}", u32::from(control))),
            other => result.push(other),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("a\tb\nc é ▶"), "a\tb\nc é ▶");
        assert_eq!(printable("\x1b[31mred\x07\0\r\u{9b}"), "\\x1b[31mred\\x07\\x00\\x0d\\x9b");
    }
}
