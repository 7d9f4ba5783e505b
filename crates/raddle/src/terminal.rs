//! What the user's terminal can show.

use std::io::IsTerminal;

/// Columns where there is no terminal to ask, so that redirected reports do not depend on one.
const WIDTH: usize = 100;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    pub(crate) fn is_terminal(self) -> bool {
        match self {
            Stream::Stdout => std::io::stdout().is_terminal(),
            Stream::Stderr => std::io::stderr().is_terminal(),
        }
    }
}

/// Whether to use colour: on a terminal, unless the user's environment says otherwise (`NO_COLOR`, `CLICOLOR_FORCE`).
pub(crate) fn color(stream: Stream) -> bool {
    let set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    if set("NO_COLOR") {
        return false;
    }
    let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    set("CLICOLOR_FORCE") || (stream.is_terminal() && !dumb)
}

pub(crate) fn width(stream: Stream) -> usize {
    if !stream.is_terminal() {
        return WIDTH;
    }
    let size = match stream {
        Stream::Stdout => terminal_size::terminal_size_of(std::io::stdout()),
        Stream::Stderr => terminal_size::terminal_size_of(std::io::stderr()),
    };
    size.map_or(WIDTH, |(width, _)| usize::from(width.0).max(40))
}
