//! What a command ends with, and how it reaches the user.
//!
//! Guarantee: standard output gets the report and nothing else; with `--format json` that is exactly one document. A reader
//! that goes away early changes neither the exit code nor standard error.

use crate::terminal;
use report::{ErrorReport, FileSources, Report, TextOptions, Tool, Verdict};
use serde::Serialize;
use session::notice::complain;
use session::options::Format;
use std::io::{ErrorKind, Write};
use std::path::PathBuf;

/// The end of a command.
pub(crate) enum Outcome {
    Report {
        report: Box<Report>,
        /// Where the files that the report names start; empty: in the current directory.
        directory: PathBuf,
        /// What was analysed; empty where nothing was.
        sources: Vec<PathBuf>,
    },
    /// The result of a command that finds nothing, such as `ir`.
    Document(Document),
}

pub(crate) struct Document {
    pub(crate) text: String,
    /// With a final line end.
    pub(crate) json: String,
    pub(crate) exit_code: u8,
}

/// What all JSON documents begin and end with.
#[derive(Serialize)]
struct Envelope<'a, T> {
    schema: &'a str,
    tool: Tool,
    command: &'a str,
    /// Nothing was judged: always `null`.
    verdict: Option<Verdict>,
    #[serde(flatten)]
    body: T,
    error: Option<ErrorReport>,
}

impl Document {
    /// `body` gives the fields of the JSON document beside the common ones.
    ///
    /// # Errors
    /// When `body` has no JSON form.
    pub(crate) fn new(command: &str, text: String, body: impl Serialize, exit_code: u8) -> anyhow::Result<Self> {
        let schema = format!("raddle-{command}/1");
        let envelope = Envelope { schema: &schema, tool: Tool::default(), command, verdict: None, body, error: None };
        let json = serde_json::to_string_pretty(&envelope)? + "\n";
        Ok(Document { text, json, exit_code })
    }
}

/// Prints the outcome and returns the exit code.
/// `full`: all findings whole.
pub(crate) fn present(outcome: &Outcome, format: Format, full: bool) -> u8 {
    match (outcome, format) {
        (Outcome::Report { report, .. }, Format::Json) => {
            print(&report::render_json(report), report::exit_code(report))
        }
        (Outcome::Report { report, directory, .. }, Format::Text) => {
            let sources = FileSources::new(directory);
            let nothing_found = report.error.is_some() && report.findings.is_empty();
            let stream = if nothing_found { terminal::Stream::Stderr } else { terminal::Stream::Stdout };
            let (color, width) = (terminal::color(stream), terminal::width(stream));
            let text = report::render_text(report, &TextOptions { color, width, full, sources: &sources });
            let code = report::exit_code(report);
            match stream {
                terminal::Stream::Stdout => print(&text, code),
                terminal::Stream::Stderr => {
                    complain(&text);
                    code
                }
            }
        }
        (Outcome::Document(document), Format::Json) => print(&document.json, document.exit_code),
        (Outcome::Document(document), Format::Text) => print(&document.text, document.exit_code),
    }
}

/// Writes to standard output.
pub(crate) fn print(text: &str, exit_code: u8) -> u8 {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => exit_code,
        // The reader has read what it wanted (`raddle ir a.c | head`).
        Err(e) if e.kind() == ErrorKind::BrokenPipe => exit_code,
        Err(e) => {
            complain(&format!("raddle: error: the report could not be written: {e}\n"));
            // Nobody has the verdict, so its exit code would say too much; and a full disk is no fault of raddle's.
            2
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_one_object_with_the_common_fields() -> anyhow::Result<()> {
        #[derive(Serialize)]
        struct Body {
            text: String,
        }
        let document = Document::new("ir", "x".into(), Body { text: "x".into() }, 0)?;
        let value: serde_json::Value = serde_json::from_str(&document.json)?;
        assert_eq!(value["schema"], "raddle-ir/1");
        assert_eq!(
            (&value["tool"]["name"], &value["command"], &value["text"]),
            (&"raddle".into(), &"ir".into(), &"x".into())
        );
        assert!(value["error"].is_null());
        assert_eq!(value.get("verdict"), Some(&serde_json::Value::Null));
        Ok(())
    }
}
