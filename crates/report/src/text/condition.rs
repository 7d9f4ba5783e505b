//! The launch condition that was inferred: an assertion to be pasted, and what happens without each of its comparisons.

use super::page::{Page, Role};
use crate::Report;

pub(super) fn render(page: &mut Page, report: &Report) {
    let Some(condition) = &report.condition else { return };
    page.gap();
    page.paragraph("", &format!("Launch condition of `{}` ({}):", condition.kernel, condition.within()));
    if let Some(assertion) = &condition.assertion {
        // To be pasted as it is.
        page.line(format!("  {}", page.paint(Role::Strong, &format!("assert({assertion});"))));
    }
    if let Some(answer) = condition.answer() {
        page.paragraph("  ", &answer);
    }
    for comparison in &condition.comparisons {
        page.paragraph("  - ", &comparison.in_words());
    }
    if !condition.assumed.is_empty() {
        page.paragraph("  - ", &format!("assumed: {}", condition.assumed));
    }
}
