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

/// `text` in lines of at most `columns`, which is taken to be at least 20.
pub(super) fn wrap(text: &str, columns: usize) -> Vec<String> {
    textwrap::wrap(text, columns.max(20)).into_iter().map(|line| line.into_owned()).collect()
}
