//! Words to the user beside the report.

use std::io::Write;

/// Writes to standard error.
pub fn complain(text: &str) {
    // Without a standard error there is nobody to tell; the exit code says the rest.
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
