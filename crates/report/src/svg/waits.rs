//! A deadlock: who waits for what, and who holds that.

use super::canvas::{Canvas, Point, cut, text_width, thread_class};
use super::layout::place;
use crate::Finding;

const HEIGHT: f64 = 30.0;
const COLUMNS: usize = 40;

/// None for findings in which nobody waits.
pub(super) fn draw(finding: &Finding) -> Option<Canvas> {
    if finding.blocked.is_empty() {
        return None;
    }
    let named = |thread: u32| finding.threads.iter().find(|t| t.thread == thread).map(|t| t.name.clone());
    let threads = finding.blocked.iter().map(|blocked| {
        let name = blocked.operation.clone().or_else(|| named(blocked.thread)).filter(|name| !name.is_empty());
        (
            Some(blocked.thread),
            name.map_or_else(|| format!("T{}", blocked.thread), |n| format!("T{} {n}", blocked.thread)),
        )
    });
    let mut nodes: Vec<(Option<u32>, String)> = threads.collect();
    // A lock that is held shared is one lock.
    let bare = |lock: &str| lock.strip_suffix(" (shared)").unwrap_or(lock).to_owned();
    let mut arrows: Vec<(usize, usize)> = Vec::new();
    for (thread, blocked) in finding.blocked.iter().enumerate() {
        let node = |name: &str, nodes: &mut Vec<(Option<u32>, String)>| {
            let name = bare(name);
            let known = nodes.iter().position(|(thread, text)| thread.is_none() && *text == name);
            known.unwrap_or_else(|| {
                nodes.push((None, name));
                nodes.len() - 1
            })
        };
        if let Some(lock) = &blocked.waits_for {
            let lock = node(lock, &mut nodes);
            arrows.push((thread, lock));
        }
        for lock in &blocked.holds {
            let lock = node(lock, &mut nodes);
            arrows.push((lock, thread));
        }
    }
    let sizes: Vec<Point> = nodes.iter().map(|(_, text)| (text_width(&cut(text, COLUMNS)) + 24.0, HEIGHT)).collect();
    let placed = place(&sizes, &arrows);
    let mut canvas = Canvas::new();
    for (&(from, to), route) in arrows.iter().zip(&placed.routes) {
        let is_wait = nodes[from].0.is_some();
        draw_arrow(&mut canvas, (placed.boxes[from], sizes[from]), (placed.boxes[to], sizes[to]), route, is_wait);
    }
    for (((thread, text), &(x, y)), &(width, height)) in nodes.iter().zip(&placed.boxes).zip(&sizes) {
        let text = cut(text, COLUMNS);
        match thread {
            Some(thread) => {
                canvas.rect(x, y, width, height, thread_class(*thread));
                canvas.text(x + 12.0, y + 20.0, "pill", &text);
            }
            None => {
                canvas.rect(x, y, width, height, "box");
                canvas.text(x + 12.0, y + 20.0, "strong", &text);
            }
        }
    }
    let y = canvas.height() + 22.0;
    canvas.line((0.0, y - 4.0), (34.0, y - 4.0), "race");
    canvas.text(42.0, y, "faint", "waits for");
    canvas.line((134.0, y - 4.0), (168.0, y - 4.0), "link");
    canvas.text(176.0, y, "faint", "is held by");
    Some(canvas)
}

fn draw_arrow(canvas: &mut Canvas, source: (Point, Point), target: (Point, Point), route: &[Point], is_wait: bool) {
    let ((x, y), (width, height)) = source;
    let ((to_x, to_y), (to_width, to_height)) = target;
    let backwards = to_x < x;
    // Apart, for a thread that waits for what it holds.
    let level = if is_wait { 0.35 } else { 0.65 };
    let from = (if backwards { x } else { x + width }, y + height * level);
    let to = (if backwards { to_x + to_width } else { to_x }, to_y + to_height * level);
    let before = (to.0 + if backwards { 7.0 } else { -7.0 }, to.1);
    let points: Vec<Point> = [from].into_iter().chain(route.iter().copied()).chain([before]).collect();
    canvas.curve(&points, if is_wait { "race" } else { "link" });
    canvas.tip(to, backwards, if is_wait { "racetip" } else { "tip" });
}
