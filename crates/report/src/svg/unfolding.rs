//! The unfolding as a picture (SPOE, figures 1 to 3): an arrow from each event to what comes right behind it, a broken line between two that
//! exclude each other.

use super::canvas::{Canvas, LINE, Point, cut, text_width, thread_class};
use super::layout::place;
use super::{COLUMNS, MARGIN, finished};
use crate::UnfoldingEvent;
use crate::words::counted;

/// Events that a picture shows; of more nobody sees anything.
const MOST: usize = 300;
/// Columns of what an event is.
const WIDEST: usize = 40;
const PAD: f64 = 8.0;

/// The picture, ending in a line end.
pub fn render_unfolding_svg(events: &[UnfoldingEvent]) -> String {
    let shown = &events[..events.len().min(MOST)];
    let mut page = Canvas::new();
    let title = format!("The unfolding: {}", counted(events.len() as u64, "event", "events"));
    page.text(MARGIN, MARGIN + LINE, "strong", &title);
    let left_out = events.len() - shown.len();
    let legend = match left_out {
        0 => "arrows: comes before; broken lines: exclude each other; red: nothing was explored behind it".to_owned(),
        some => format!("the first {MOST} of them; {some} more are in the JSON form (a file named .json)"),
    };
    page.text(MARGIN, MARGIN + 2.0 * LINE, "faint", &cut(&legend, COLUMNS));
    let top = MARGIN + 3.5 * LINE;
    let words: Vec<[String; 2]> =
        shown.iter().map(|event| [format!("{} {}", event.event, event.thread), cut(&event.what, WIDEST)]).collect();
    let size = |lines: &[String; 2]| -> Point {
        let width = lines.iter().map(|line| text_width(line)).fold(0.0, f64::max);
        (width + 2.0 * PAD, 2.0 * LINE + PAD)
    };
    let sizes: Vec<Point> = words.iter().map(size).collect();
    let arrows: Vec<(usize, usize)> = pairs(shown, |event| &event.after);
    let placed = place(&sizes, &arrows);
    let corner = |index: usize| (placed.boxes[index].0 + MARGIN, placed.boxes[index].1 + top);
    for (&(from, to), route) in arrows.iter().zip(&placed.routes) {
        let ((x, y), (a, b)) = (corner(from), corner(to));
        let (begin, end) = ((x + sizes[from].0, y + sizes[from].1 / 2.0), (a, b + sizes[to].1 / 2.0));
        let between = route.iter().map(|point| (point.0 + MARGIN, point.1 + top));
        let points: Vec<Point> = std::iter::once(begin).chain(between).chain([end]).collect();
        page.curve(&points, "link");
        page.tip(end, false, "tip");
    }
    for (one, other) in pairs(shown, |event| &event.conflicts) {
        let middle = |index: usize| {
            let (x, y) = corner(index);
            (x + sizes[index].0 / 2.0, y + sizes[index].1 / 2.0)
        };
        page.line(middle(one), middle(other), "race");
    }
    let mut threads: Vec<&str> = shown.iter().map(|event| event.thread.as_str()).collect();
    threads.sort_unstable();
    threads.dedup();
    for (index, (event, lines)) in shown.iter().zip(&words).enumerate() {
        let ((x, y), (width, height)) = (corner(index), sizes[index]);
        let thread = threads.iter().position(|thread| *thread == event.thread).unwrap_or(0) as u32;
        page.rect(x, y, width, height, if event.cutoff { "hot" } else { "box" });
        page.rect(x, y, 4.0, height, thread_class(thread));
        page.text(x + PAD, y + LINE - 2.0, "strong", &lines[0]);
        page.text(x + PAD, y + 2.0 * LINE - 2.0, "code", &lines[1]);
    }
    finished(page, 0.0, &title)
}

/// Of what events name, those that are shown: by position.
fn pairs(shown: &[UnfoldingEvent], of: impl Fn(&UnfoldingEvent) -> &Vec<u32>) -> Vec<(usize, usize)> {
    let place = |number: u32| (number as usize).checked_sub(1).filter(|&index| index < shown.len());
    let named = shown.iter().enumerate().flat_map(|(index, event)| of(event).iter().map(move |&other| (other, index)));
    named.filter_map(|(other, index)| Some((place(other)?, index))).collect()
}
