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

/// As [`printable`], with what a page would obey or hide written out too (`\u{202e}`): marks that change the direction of
/// text, characters that nobody sees, and those that no document may have.
pub(crate) fn visible(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    for character in printable(text).chars() {
        match character {
            hidden if is_hidden(hidden) => result.push_str(&format!("\\u{{{:04x}}}", u32::from(hidden))),
            other => result.push(other),
        }
    }
    result
}

/// Unicode's format characters and fillers (general category Cf, `Default_Ignorable_Code_Point`), its line and paragraph
/// separators, and its noncharacters. Variation selectors change how a character looks, and stay.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{ad}' | '\u{34f}' | '\u{600}'..='\u{605}' | '\u{61c}' | '\u{6dd}' | '\u{70f}' | '\u{890}' | '\u{891}' | '\u{8e2}'
        | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fdd0}'..='\u{fdef}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{110bd}' | '\u{110cd}' | '\u{13430}'..='\u{1343f}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || u32::from(character) & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_written_out() {
        assert_eq!(printable("a\tb\nc é ▶"), "a\tb\nc é ▶");
        assert_eq!(printable("\x1b[31mred\x07\0\r\u{9b}"), "\\x1b[31mred\\x07\\x00\\x0d\\x9b");
    }

    #[test]
    fn hidden_characters_are_written_out() {
        assert_eq!(visible("a\tb\nc é ▶ \u{fffd}"), "a\tb\nc é ▶ \u{fffd}");
        assert_eq!(
            visible("x\u{202e}y\u{200b}\u{feff}\u{ffff}\u{1fffe}"),
            "x\\u{202e}y\\u{200b}\\u{feff}\\u{ffff}\\u{1fffe}"
        );
    }
}
