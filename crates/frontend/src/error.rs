//! How a run fails: one JSON object on the last line of standard error.

use serde::Serialize;

/// What kind of input was at fault. Part of the protocol with `raddle`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Kind {
    /// A wrong command line.
    Usage,
    MissingFile,
    /// A source that the compiler or the assembly reader rejects.
    Compile,
    /// A language that raddle does not take yet.
    UnsupportedSource,
    /// Bitcode of another LLVM version.
    BitcodeVersion,
    BitcodeDamaged,
    ClangMissing,
    /// The lowering could not proceed.
    Lower,
    /// The sources do not fit together.
    Link,
    /// The result could not be written.
    Output,
}

/// A failure, as printed.
#[derive(Clone, Debug, Serialize, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Failure {
    pub(crate) kind: Kind,
    pub(crate) message: String,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
}

impl Failure {
    pub(crate) fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), file: None, line: None }
    }

    pub(crate) fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }

    /// Takes file and line from the first `FILE:LINE:COLUMN: error:` of the message.
    pub(crate) fn with_first_position(mut self) -> Self {
        if let Some((file, line)) = self.message.lines().find_map(error_position) {
            self.file = Some(file);
            self.line = Some(line);
        }
        self
    }

    /// The object on one line.
    pub(crate) fn json(&self) -> String {
        // A struct of strings and numbers always has a JSON form.
        serde_json::to_string(self).unwrap_or_default()
    }
}

/// `FILE:LINE:COLUMN: error: ...`, also `fatal error:`.
fn error_position(line: &str) -> Option<(String, u32)> {
    let end = line.find(": error: ").or_else(|| line.find(": fatal error: "))?;
    let mut parts = line[..end].rsplitn(3, ':');
    let (_column, row, file) = (parts.next()?, parts.next()?, parts.next()?);
    Some((file.to_owned(), row.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_gives_the_position() {
        let message =
            "In file included from a.c:1:\n./b:c.h:3:7: warning: x\n./b:c.h:4:9: fatal error: y\na.c:5:1: error: z";
        let failure = Failure::new(Kind::Compile, message).with_first_position();
        assert_eq!((failure.file.as_deref(), failure.line), (Some("./b:c.h"), Some(4)));
        let failure = Failure::new(Kind::Compile, "clang: error: no such thing").with_first_position();
        assert_eq!((failure.file, failure.line), (None, None));
    }
}
