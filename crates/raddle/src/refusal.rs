//! Command lines that do not parse, in raddle's own words where clap's mislead.

use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::ffi::OsString;

/// What a flag of clang's that people type before the `--` begins with.
const CLANG_FLAGS: [&str; 12] = ["-D", "-I", "-U", "-O", "-W", "-f", "-g", "-i", "-m", "-pthread", "-std=", "-l"];

/// clap suggests to pass any unknown flag behind `--`, as a value; there stand flags for clang, and nothing else.
pub(crate) fn adjusted(mut error: clap::Error, arguments: &[OsString]) -> clap::Error {
    if error.kind() != ErrorKind::UnknownArgument {
        return error;
    }
    error.remove(ContextKind::Suggested);
    let unknown = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(unknown)) => unknown.clone(),
        _ => return error,
    };
    // clap takes `-DX` apart into letters.
    let words = arguments.iter().filter_map(|a| a.to_str()).take_while(|word| *word != "--");
    let whole = words.skip(1).find(|word| word.starts_with(&unknown)).unwrap_or(&unknown);
    if CLANG_FLAGS.iter().any(|flag| whole.starts_with(flag)) {
        let tip = format!("flags for clang stand at the end, behind `--`: -- {whole}");
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    error
}

/// `-pthread` is a flag for clang, and no path behind `-p`: paths stand apart from it.
pub(crate) fn attached_to_p(command: &mut clap::Command, arguments: &[OsString]) -> Option<clap::Error> {
    let words = arguments.iter().filter_map(|a| a.to_str()).take_while(|word| *word != "--");
    let word = words.skip(1).find(|word| word.starts_with("-p") && word.len() > 2 && !word.starts_with("-p="))?;
    let mut error = clap::Error::new(ErrorKind::UnknownArgument).with_cmd(command);
    error.insert(ContextKind::InvalidArg, ContextValue::String(word.to_owned()));
    Some(error)
}

/// The message as one text: without clap's label and without the usage line.
pub(crate) fn message(error: &clap::Error) -> String {
    let plain = error.render().to_string();
    let message = plain.split("\n\nUsage:").next().unwrap_or(&plain);
    message.strip_prefix(LABEL).unwrap_or(message).trim().to_owned()
}

const LABEL: &str = "error: ";

/// The message with its usage line, labelled as all errors of raddle's are.
pub(crate) fn text(error: &clap::Error, color: bool) -> String {
    let rendered = error.render();
    let name = if rendered.to_string().starts_with(LABEL) { "raddle: " } else { "" };
    if color { format!("{name}{}", rendered.ansi()) } else { format!("{name}{rendered}") }
}

#[cfg(test)]
mod tests {
    use crate::cli;
    use std::ffi::OsString;

    fn refusal(words: &str) -> String {
        let line: Vec<OsString> = words.split_whitespace().map(OsString::from).collect();
        cli::parse(&line).map_or_else(|e| super::text(&e, false), |cli| format!("{cli:?}"))
    }

    #[test]
    fn unknown_flags_are_not_values() {
        for words in ["raddle check a.c --bogus", "raddle check --bogus=1 a.c", "raddle races a.c -q"] {
            let refusal = refusal(words);
            assert!(refusal.starts_with("raddle: error: unexpected argument"), "{refusal}");
            assert!(!refusal.contains("-- -") && !refusal.contains("as a value"), "{refusal}");
        }
        assert!(refusal("raddle check a.c --dept 3").contains("'--depth'"));
    }

    #[test]
    fn flags_of_clang_are_shown_their_place() {
        for flag in ["-DX=1", "-Iinclude", "-std=c11", "-pthread", "-Wall"] {
            let refusal = refusal(&format!("raddle check a.c {flag} -- -DY"));
            assert!(refusal.contains(&format!("behind `--`: -- {flag}\n")), "{flag}: {refusal}");
        }
    }

    #[test]
    fn numbers_are_refused_as_numbers() {
        for flag in ["--depth", "--array", "--unroll", "--threads", "--workers", "--max-memory"] {
            for value in ["0", "-1"] {
                let refusal = refusal(&format!("raddle check a.c {flag} {value}"));
                assert!(
                    refusal.starts_with(&format!("raddle: error: invalid value '{value}' for '{flag} ")),
                    "{refusal}"
                );
                assert!(refusal.contains("must be at least 1"), "{refusal}");
            }
        }
        for flag in ["--preemptions", "--spurious", "--seed"] {
            assert!(refusal(&format!("raddle check a.c {flag} -1")).contains("must be at least 0"), "{flag}");
        }
        assert!(refusal("raddle check a.c --max-time -1").contains("must not be negative"));
        assert!(refusal("raddle check a.c --depth x").contains("not a whole number"));
    }
}
