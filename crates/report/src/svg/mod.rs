//! A finding as a picture: who waits for whom, the heap with its racing accesses, and the schedule.
//!
//! One SVG document for each finding, without scripts, links, fonts or anything else from outside. It has its own
//! background, light or dark as the reader prefers, so that it can stand on any page.
//!
//! Guarantee: names and texts of the analysed program are text in the picture and nothing else; equal findings and sources
//! give equal bytes; boxes do not overlap, and no text is wider than its box by the metrics of [`canvas`].

mod canvas;
mod heap;
mod layout;
mod schedule;
#[cfg(test)]
mod tests;
mod tree;
mod unfolding;
mod waits;

use crate::text::finding_line;
use crate::{Finding, ShapeBasis, Sources};
pub(crate) use canvas::style;
use canvas::{Canvas, LINE, cut, wrap};
pub(crate) use schedule::held_at;
use svg::Document;
use svg::node::element::{Style, Title};
pub use tree::render_tree_svg;
pub use unfolding::render_unfolding_svg;

/// Around everything.
const MARGIN: f64 = 20.0;
/// Between the parts of the picture.
const GAP: f64 = 26.0;
/// Columns of the lines on top.
const COLUMNS: usize = 110;

/// The picture of one finding, ending in a line end. `sources` gives the lines that the schedule quotes.
pub fn render_svg(finding: &Finding, sources: &dyn Sources) -> String {
    let mut page = Canvas::new();
    let mut bottom = MARGIN + heading(&mut page, finding);
    let marked = if finding.accesses.is_empty() { "" } else { ", racing accesses marked" };
    let heap_title = format!("Heap before the first step{marked}");
    let parts = [
        ("Who waits for whom", waits::draw(finding)),
        (heap_title.as_str(), heap::draw(finding)),
        ("Schedule, time downwards", schedule::draw(finding, sources)),
    ];
    for (title, part) in parts.into_iter().filter_map(|(title, part)| Some((title, part?))) {
        page.text(MARGIN, bottom + GAP, "strong", title);
        bottom += GAP + LINE;
        bottom = page.place(MARGIN, bottom, part);
    }
    finished(page, bottom, &finding_line(finding))
}

/// A page as a document of its own, ending in a line end; at least as high as `bottom`.
fn finished(page: Canvas, bottom: f64, title: &str) -> String {
    let (width, height) = (page.width() + MARGIN, bottom.max(page.height()) + MARGIN);
    let document = Document::new()
        .set("viewBox", format!("0 0 {width:.0} {height:.0}"))
        .set("width", format!("{width:.0}"))
        .set("height", format!("{height:.0}"))
        .set("role", "img")
        .add(Title::new(canvas::clean(title)))
        .add(Style::new(style("")))
        .add(canvas::background(width, height))
        .add(page.into_group());
    format!("{document}\n")
}

/// The heap of a finding with its accesses, for a page that has [`style`] for it.
pub(crate) fn heap_drawing(finding: &Finding) -> Option<String> {
    heap::draw(finding).map(|part| drawing(part, "The heap before the first step"))
}

/// Who waits for whom in a deadlock, as [`heap_drawing`].
pub(crate) fn waits_drawing(finding: &Finding) -> Option<String> {
    waits::draw(finding).map(|part| drawing(part, "Who waits for whom"))
}

/// A part as an element of its own, with nothing around it.
fn drawing(part: Canvas, title: &str) -> String {
    // Lines on the edge are half outside.
    let (width, height) = (part.width() + 2.0, part.height() + 2.0);
    let document = Document::new()
        .set("viewBox", format!("-1 -1 {width:.0} {height:.0}"))
        .set("width", format!("{width:.0}"))
        .set("height", format!("{height:.0}"))
        .set("role", "img")
        .add(Title::new(title))
        .add(part.into_group());
    document.to_string()
}

/// What it is about, in a few lines; returns their height.
fn heading(page: &mut Canvas, finding: &Finding) -> f64 {
    let mut y = MARGIN + LINE;
    page.text(MARGIN, y, "title", &cut(&format!("{} {}", finding.id, finding.kind.title()), COLUMNS));
    y += 4.0;
    let line = finding_line(finding);
    let places = line.split_once(": ").map_or("", |(_, places)| places);
    let mut lines = wrap(places, COLUMNS, 3);
    if finding.accesses.is_empty() && !finding.detail.is_empty() {
        lines.extend(wrap(&finding.detail, COLUMNS, 3));
    }
    let inputs: Vec<String> = finding.inputs.iter().map(crate::text::input_in_words).collect();
    if !inputs.is_empty() {
        lines.extend(wrap(&format!("inputs: {}", inputs.join(", ")), COLUMNS, 3));
    }
    if finding.shape == Some(ShapeBasis::Assumed) {
        lines.push("the heap is assumed to be possible".to_owned());
    }
    for line in lines {
        y += LINE;
        page.text(MARGIN, y, "faint", &line);
    }
    y - MARGIN
}
