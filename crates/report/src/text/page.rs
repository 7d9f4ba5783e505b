//! The text under construction: lines, indentation, colours.

use super::TextOptions;
use anstyle::{AnsiColor, Style};
use unicode_width::UnicodeWidthStr;

/// What a piece of text is, which decides its colour.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// What is wrong.
    Alarm,
    /// What is fine.
    Fine,
    /// What is open.
    Doubt,
    Strong,
    /// What may be skipped.
    Faint,
    /// Source code.
    Code,
}

impl Role {
    fn style(self) -> Style {
        match self {
            Role::Alarm => AnsiColor::Red.on_default().bold(),
            Role::Fine => AnsiColor::Green.on_default().bold(),
            Role::Doubt => AnsiColor::Yellow.on_default().bold(),
            Role::Strong => Style::new().bold(),
            Role::Faint => Style::new().dimmed(),
            Role::Code => AnsiColor::Cyan.on_default(),
        }
    }
}

pub(super) struct Page<'a> {
    pub(super) options: &'a TextOptions<'a>,
    text: String,
}

impl<'a> Page<'a> {
    pub(super) fn new(options: &'a TextOptions<'a>) -> Self {
        Page { options, text: String::new() }
    }

    /// `text` in the colour of its role.
    pub(super) fn paint(&self, role: Role, text: &str) -> String {
        if !self.options.color || text.is_empty() {
            return text.to_owned();
        }
        let style = role.style();
        format!("{}{text}{}", style.render(), style.render_reset())
    }

    /// Adds a line, without blanks at its end.
    pub(super) fn line(&mut self, text: impl AsRef<str>) {
        self.text.push_str(text.as_ref().trim_end());
        self.text.push('\n');
    }

    /// An empty line, except at the beginning and after another.
    pub(super) fn gap(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with("\n\n") {
            self.text.push('\n');
        }
    }

    /// A paragraph, wrapped to the page; `first` precedes its first line, blanks of the same width the others.
    pub(super) fn paragraph(&mut self, first: &str, text: &str) {
        let rest = " ".repeat(width(first));
        for (number, line) in wrap(text, self.options.width.saturating_sub(rest.len())).iter().enumerate() {
            let lead = if number == 0 { first } else { &rest };
            self.line(format!("{lead}{line}"));
        }
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

/// Columns on a terminal.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// `text` with blanks up to `columns`.
pub(super) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(width(text))))
}

/// `text` in lines of at most `columns`, which is taken to be at least 20. Lines end between words; a word that is longer than
/// a line is broken between the tokens of C, never inside one: one that is longer still stands out.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(20);
    let options = textwrap::Options::new(columns)
        .word_separator(textwrap::WordSeparator::AsciiSpace)
        .word_splitter(textwrap::WordSplitter::NoHyphenation)
        .break_words(false);
    let lines = textwrap::wrap(text, options);
    lines.iter().flat_map(|line| between_tokens(line, columns)).collect()
}

/// A line, broken between tokens if it is too long.
fn between_tokens(line: &str, columns: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for token in tokens(line) {
        let last = lines.last_mut().filter(|last| last.is_empty() || width(last) + width(token) <= columns);
        match last {
            Some(last) => last.push_str(token),
            None => lines.push(token.trim_start().to_owned()),
        }
    }
    lines
}

/// Names and numbers, each with the signs behind it: `prev[`, `0]->`, `next`.
fn tokens(line: &str) -> Vec<&str> {
    let is_name = |character: char| character.is_alphanumeric() || character == '_';
    let mut tokens = Vec::new();
    let mut from = 0;
    let mut before = None;
    for (at, character) in line.char_indices() {
        if before.is_some_and(|before| !is_name(before)) && is_name(character) && at > from {
            tokens.push(&line[from..at]);
            from = at;
        }
        before = Some(character);
    }
    tokens.push(&line[from..]);
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_between_words_or_tokens() {
        assert_eq!(wrap("try --max-time with a larger value", 20), ["try --max-time with", "a larger value"]);
        let code = "while (previous[level]->next[level]->key < key)";
        assert_eq!(wrap(code, 20), ["while", "(previous[level]->", "next[level]->key", "< key)"]);
        assert_eq!(wrap("a_name_that_is_longer_than_a_line", 20), ["a_name_that_is_longer_than_a_line"]);
    }
}
