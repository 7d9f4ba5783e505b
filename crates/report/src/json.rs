//! The report as JSON.

use crate::Report;

/// One document, indented, with a final line end.
pub fn render_json(report: &Report) -> String {
    // Strings, numbers and lists always have a JSON form: no map keys, no `Serialize` of others. (Non-finite
    // numbers become `null`.)
    let mut text = serde_json::to_string_pretty(report).unwrap_or_default();
    text.push('\n');
    text
}
