//! What mends a cause, and was tried.

use super::page::Page;
use crate::{Cause, printable};

/// Each remedy, with its difference of the source; or that none was found.
pub(super) fn render(page: &mut Page, cause: &Cause) {
    for remedy in &cause.remedies {
        page.paragraph("  ", &format!("To mend it: {}.", printable(&remedy.text)));
        for line in remedy.patch.iter().flat_map(|patch| patch.lines()) {
            page.line(format!("    {}", printable(line)).trim_end());
        }
    }
    if let Some(refused) = &cause.refused {
        page.paragraph("  ", &printable(refused));
    }
}
