//! What pictures are made of: text of known width, boxes, lines and arrows in a few classes.
//!
//! Text is set in a monospaced font, so its width is known without measuring: [`COLUMN`] is a little more than what the
//! usual ones take, characters of double width count twice.

use crate::visible;
use svg::node::element::path::Data;
use svg::node::element::{Circle, Group, Path, Rectangle, Text};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Pixels of one column of text at the size of [`style`].
pub(super) const COLUMN: f64 = 8.0;
/// From one line of text to the next.
pub(super) const LINE: f64 = 18.0;

/// Selectors with what they set, on light pages. No `<`, `>` or `&` in it.
const LIGHT: &[(&str, &str)] = &[
    ("text", "font: 13px 'DejaVu Sans Mono', Menlo, Consolas, 'Liberation Mono', monospace; fill: #1f2328"),
    (".title", "font-size: 17px; font-weight: bold; fill: #cf222e"),
    (".strong", "font-weight: bold"),
    (".faint", "fill: #59636e"),
    (".code", "fill: #0550ae"),
    (".alarm", "fill: #cf222e; font-weight: bold"),
    (".onbar", "font-size: 10px; fill: #1f2328"),
    (".pill", "font-size: 11px; font-weight: bold; fill: #ffffff"),
    (".page", "fill: #ffffff; stroke: #d1d9e0"),
    (".box", "fill: #f6f8fa; stroke: #818b98"),
    (".head", "fill: #e6eaef; stroke: #818b98"),
    (".hot", "fill: #ffebe9; stroke: #cf222e"),
    (".branch", "fill: #fff8c5; stroke: #9a6700"),
    (".sync", "fill: #ddf4ff; stroke: #0969da"),
    (".return", "fill: #dafbe1; stroke: #1a7f37"),
    (".rule", "fill: none; stroke: #d1d9e0"),
    (".lane", "fill: none; stroke: #b7bfc8; stroke-dasharray: 2 4"),
    (".link", "fill: none; stroke: #59636e; stroke-width: 1.4"),
    (".tip", "fill: #59636e"),
    (".race", "fill: none; stroke: #cf222e; stroke-width: 2; stroke-dasharray: 6 4"),
    (".racetip", "fill: #cf222e"),
    (".t1", "fill: #0969da"),
    (".t2", "fill: #8250df"),
    (".t3", "fill: #1a7f37"),
    (".t0", "fill: #9a6700"),
    (".bar", "fill: #d4a72c"),
];

/// What is different where the reader prefers dark pages; paper is light.
const DARK: &[(&str, &str)] = &[
    ("text", "fill: #f0f6fc"),
    (".title", "fill: #ff7b72"),
    (".alarm", "fill: #ff7b72"),
    (".faint", "fill: #9198a1"),
    (".code", "fill: #79c0ff"),
    (".page", "fill: #0d1117; stroke: #3d444d"),
    (".box", "fill: #151b23; stroke: #656c76"),
    (".head", "fill: #262c36; stroke: #656c76"),
    (".hot", "fill: #3c1618; stroke: #ff7b72"),
    (".branch", "fill: #272115; stroke: #bb8009"),
    (".sync", "fill: #121d2f; stroke: #388bfd"),
    (".return", "fill: #12261e; stroke: #2ea043"),
    (".rule", "stroke: #3d444d"),
    (".lane", "stroke: #3d444d"),
    (".link", "stroke: #9198a1"),
    (".tip", "fill: #9198a1"),
    (".race", "stroke: #ff7b72"),
    (".racetip", "fill: #ff7b72"),
    (".pill", "fill: #ffffff"),
    (".t1", "fill: #1f6feb"),
    (".t2", "fill: #8957e5"),
    (".t3", "fill: #238636"),
    (".t0", "fill: #9e6a03"),
    (".bar", "fill: #bb8009"),
    (".onbar", "fill: #0d1117"),
];

/// The style sheet of what stands in `scope`, a selector; empty: of the whole document.
pub(crate) fn style(scope: &str) -> String {
    let scope = if scope.is_empty() { String::new() } else { format!("{scope} ") };
    let written = |rules: &[(&str, &str)]| -> String {
        rules.iter().map(|(selector, set)| format!("{scope}{selector} {{ {set} }}\n")).collect()
    };
    format!("\n{}@media screen and (prefers-color-scheme: dark) {{\n{}}}\n", written(LIGHT), written(DARK))
}

/// The whole page.
pub(super) fn background(width: f64, height: f64) -> Rectangle {
    rectangle(0.5, 0.5, width - 1.0, height - 1.0, "page", 8.0)
}

/// The colour of a thread. There are four; further threads share them.
pub(super) fn thread_class(thread: u32) -> &'static str {
    ["t0", "t1", "t2", "t3"][thread as usize % 4]
}

/// A picture, or a part of one, that begins at (0, 0).
pub(super) struct Canvas {
    group: Group,
    width: f64,
    height: f64,
}

impl Canvas {
    pub(super) fn new() -> Self {
        Canvas { group: Group::new(), width: 0.0, height: 0.0 }
    }

    pub(super) fn width(&self) -> f64 {
        self.width
    }

    pub(super) fn height(&self) -> f64 {
        self.height
    }

    pub(super) fn into_group(self) -> Group {
        self.group
    }

    fn add(&mut self, node: impl Into<Box<dyn svg::Node>>, right: f64, bottom: f64) {
        self.width = self.width.max(right);
        self.height = self.height.max(bottom);
        self.group = std::mem::take(&mut self.group).add(node);
    }

    /// Puts a part at a position; returns where it ends downwards.
    pub(super) fn place(&mut self, x: f64, y: f64, part: Canvas) -> f64 {
        let (right, bottom) = (x + part.width, y + part.height);
        self.add(part.group.set("transform", format!("translate({x:.1} {y:.1})")), right, bottom);
        bottom
    }

    /// `y`: of the base line.
    pub(super) fn text(&mut self, x: f64, y: f64, class: &str, text: &str) {
        if text.is_empty() {
            return;
        }
        let right = x + text_width(text) * if class == "title" { 1.35 } else { 1.0 };
        self.add(Text::new(clean(text)).set("x", number(x)).set("y", number(y)).set("class", class), right, y + 5.0);
    }

    /// Text that runs upwards from (x, y).
    pub(super) fn upright(&mut self, x: f64, y: f64, class: &str, text: &str) {
        let turn = format!("rotate(-90 {x:.1} {y:.1})");
        let node =
            Text::new(clean(text)).set("x", number(x)).set("y", number(y)).set("class", class).set("transform", turn);
        self.add(node, x, y);
    }

    pub(super) fn rect(&mut self, x: f64, y: f64, width: f64, height: f64, class: &str) {
        self.add(rectangle(x, y, width, height, class, 4.0), x + width, y + height);
    }

    /// A short label on the colour of a thread, as wide as [`pill_width`] says.
    pub(super) fn pill(&mut self, x: f64, y: f64, thread: u32, text: &str) {
        self.add(rectangle(x, y, pill_width(text), 16.0, thread_class(thread), 8.0), x + pill_width(text), y + 16.0);
        self.text(x + 7.0, y + 12.0, "pill", text);
    }

    pub(super) fn dot(&mut self, x: f64, y: f64, class: &str) {
        let node = Circle::new().set("cx", number(x)).set("cy", number(y)).set("r", 3).set("class", class);
        self.add(node, x + 3.0, y + 3.0);
    }

    pub(super) fn line(&mut self, from: Point, to: Point, class: &str) {
        self.curve(&[from, to], class);
    }

    /// A curve through the points that leaves and enters each horizontally; straight where two are on one height.
    pub(super) fn curve(&mut self, points: &[Point], class: &str) {
        let Some((&first, rest)) = points.split_first() else { return };
        let mut data = Data::new().move_to(rounded(first));
        let mut last = first;
        for &point in rest {
            if (point.1 - last.1).abs() < 0.5 || (point.0 - last.0).abs() < 0.5 {
                data = data.line_to(rounded(point));
            } else {
                let bend = (point.0 - last.0) / 2.0;
                let (one, two) = (rounded((last.0 + bend, last.1)), rounded((point.0 - bend, point.1)));
                let to = rounded(point);
                data = data.cubic_curve_to((one.0, one.1, two.0, two.1, to.0, to.1));
            }
            last = point;
        }
        self.path(data, points, class);
    }

    /// From one point to another on the same side of a box, by way of `reach` beside it.
    pub(super) fn hook(&mut self, from: Point, to: Point, reach: f64, class: &str) {
        let out = from.0.max(to.0) + reach;
        let (a, b, c) = (rounded((out, from.1)), rounded((out, to.1)), rounded(to));
        let data = Data::new().move_to(rounded(from)).cubic_curve_to((a.0, a.1, b.0, b.1, c.0, c.1));
        self.path(data, &[from, to, (out, to.1)], class);
    }

    fn path(&mut self, data: Data, points: &[Point], class: &str) {
        let right = points.iter().map(|p| p.0).fold(0.0, f64::max);
        let bottom = points.iter().map(|p| p.1).fold(0.0, f64::max);
        self.add(Path::new().set("d", data).set("class", class), right, bottom);
    }

    /// The tip of an arrow that ends here, pointing right or left.
    pub(super) fn tip(&mut self, at: Point, leftwards: bool, class: &str) {
        let back = if leftwards { 8.0 } else { -8.0 };
        let data = Data::new()
            .move_to(rounded(at))
            .line_to(rounded((at.0 + back, at.1 - 4.0)))
            .line_to(rounded((at.0 + back, at.1 + 4.0)))
            .close();
        self.path(data, &[at], class);
    }
}

pub(super) type Point = (f64, f64);

/// To tenths: what is beyond cannot be seen and makes long files.
fn rounded(point: Point) -> (f64, f64) {
    let round = |value: f64| (value * 10.0).round() / 10.0;
    (round(point.0), round(point.1))
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn rectangle(x: f64, y: f64, width: f64, height: f64, class: &str, radius: f64) -> Rectangle {
    Rectangle::new()
        .set("x", number(x))
        .set("y", number(y))
        .set("width", number(width))
        .set("height", number(height))
        .set("rx", number(radius))
        .set("class", class)
}

pub(super) fn text_width(text: &str) -> f64 {
    columns(&clean(text)) as f64 * COLUMN
}

pub(super) fn pill_width(text: &str) -> f64 {
    columns(&clean(text)) as f64 * 6.8 + 14.0
}

fn columns(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// One line of characters that XML can hold; control characters are written out.
pub(super) fn clean(text: &str) -> String {
    let line: String = text.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { c }).collect();
    visible(&line)
}

/// At most so many columns; what is cut off is an ellipsis.
pub(super) fn cut(text: &str, most: usize) -> String {
    let text = clean(text);
    if columns(&text) <= most {
        return text;
    }
    let mut kept = String::new();
    let mut used = 0;
    for character in text.chars() {
        used += character.width().unwrap_or(0);
        if used >= most {
            break;
        }
        kept.push(character);
    }
    kept.push('…');
    kept
}

/// Lines of at most so many columns; beyond `lines` the last ends in an ellipsis.
pub(super) fn wrap(text: &str, most: usize, lines: usize) -> Vec<String> {
    let text = clean(text.trim());
    let mut wrapped: Vec<String> = textwrap::wrap(&text, most).into_iter().map(|line| line.into_owned()).collect();
    if wrapped.len() > lines {
        wrapped.truncate(lines);
        if let Some(last) = wrapped.last_mut() {
            *last = cut(&format!("{last} …"), most);
            if !last.ends_with('…') {
                last.push('…');
            }
        }
    }
    // A word may be wider than the line.
    wrapped.iter().map(|line| cut(line, most)).filter(|line| !line.trim().is_empty()).collect()
}
