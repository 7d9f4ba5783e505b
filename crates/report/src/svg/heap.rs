//! The initial heap: objects as boxes with their fields, pointers as arrows, accesses marked.

use super::canvas::{Canvas, Point, cut, pill_width, text_width};
use super::layout::place;
use crate::{Access, AccessKind, Content, Finding, Heap, object_of};

/// Height of a line in a box.
const ROW: f64 = 24.0;
/// Objects and fields drawn; what is beyond is counted.
const MOST_OBJECTS: usize = 40;
const MOST_ROWS: usize = 24;
/// Columns of a name, and of a value.
const NAME: usize = 30;
const VALUE: usize = 24;

/// A box: an object, or what leads to one from outside.
struct Drawn {
    name: String,
    title: String,
    /// Marks on the whole object.
    marks: Vec<Mark>,
    rows: Vec<Row>,
    root: bool,
}

struct Row {
    /// Path in the object.
    name: String,
    value: String,
    target: Option<Target>,
    marks: Vec<Mark>,
}

struct Target {
    object: String,
    inside: Option<String>,
}

/// `T1 write`.
struct Mark {
    thread: u32,
    text: String,
}

pub(super) fn draw(finding: &Finding) -> Option<Canvas> {
    let nothing = Heap::default();
    let heap = finding.heap.as_ref().unwrap_or(&nothing);
    let mut boxes = boxes(heap);
    for access in &finding.accesses {
        mark(&mut boxes, access);
    }
    for access in &finding.accesses {
        access.locks.iter().for_each(|lock| held(&mut boxes, access.thread, lock));
    }
    if boxes.is_empty() {
        return None;
    }
    let left_out = shorten(&mut boxes);
    let sizes: Vec<Point> = boxes.iter().map(size).collect();
    let arrows = arrows(&boxes);
    let between: Vec<(usize, usize)> = arrows.iter().map(|a| (a.from.0, a.to.0)).filter(|(a, b)| a != b).collect();
    let placed = place(&sizes, &between);
    let mut canvas = Canvas::new();
    let mut routes = placed.routes.iter();
    // Arrows first, so that boxes cover what goes behind them.
    for arrow in &arrows {
        let own = arrow.from.0 == arrow.to.0;
        let route = if own { None } else { routes.next() };
        let at = |index: usize| (placed.boxes[index], sizes[index]);
        draw_arrow(&mut canvas, arrow, (at(arrow.from.0), at(arrow.to.0)), &boxes, route.map_or(&[], Vec::as_slice));
    }
    for ((drawn, &corner), &size) in boxes.iter().zip(&placed.boxes).zip(&sizes) {
        draw_box(&mut canvas, drawn, corner, size);
    }
    if left_out > 0 {
        let y = canvas.height() + 20.0;
        canvas.text(0.0, y, "faint", &format!("... {left_out} more objects are in the report"));
    }
    Some(canvas)
}

fn boxes(heap: &Heap) -> Vec<Drawn> {
    let mut boxes: Vec<Drawn> = Vec::new();
    for root in &heap.roots {
        let row = row(String::new(), &root.content);
        let same = |b: &&mut Drawn| b.rows.iter().any(|r| r.target.is_some() && same_target(&r.target, &row.target));
        match boxes.iter_mut().find(same) {
            // Roots that hold the same stand together: that they are aliases is the point of many shapes.
            Some(known) => known.title = format!("{}, {}", known.title, root.name),
            None => {
                boxes.push(Drawn {
                    name: String::new(),
                    title: root.name.clone(),
                    marks: Vec::new(),
                    rows: vec![row],
                    root: true,
                });
            }
        }
    }
    boxes.extend(heap.objects.iter().map(|object| {
        let kind = if object.r#type.is_empty() { String::new() } else { format!(": {}", object.r#type) };
        let note = object.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        Drawn {
            name: object.name.clone(),
            title: format!("{}{kind}{note}", object.name),
            marks: Vec::new(),
            rows: object.fields.iter().map(|field| row(field.name.clone(), &field.content)).collect(),
            root: false,
        }
    }));
    boxes
}

fn same_target(one: &Option<Target>, other: &Option<Target>) -> bool {
    let key = |target: &Option<Target>| target.as_ref().map(|t| (t.object.clone(), t.inside.clone()));
    key(one) == key(other)
}

fn row(name: String, content: &Content) -> Row {
    let (value, target) = match content {
        Content::Link { object, inside } => {
            let member = inside.as_ref().map(|member| member.trim_start_matches('.').to_owned());
            let value = member.as_ref().map_or_else(|| object.clone(), |member| format!("{object}.{member}"));
            (value, Some(Target { object: object.clone(), inside: member }))
        }
        Content::Null => ("null".to_owned(), None),
        Content::Value(value) => (value.clone(), None),
        Content::Any => ("any".to_owned(), None),
    };
    Row { name, value, target, marks: Vec::new() }
}

/// Marks what an access touches; what the heap does not show gets a place of its own.
fn mark(boxes: &mut Vec<Drawn>, access: &Access) {
    let mark = Mark { thread: access.thread, text: format!("T{} {}", access.thread, access.in_words()) };
    let object = object_of(&access.place);
    let path = access.place[object.len()..].trim_start_matches('.');
    let known = boxes.iter().position(|b| !b.root && b.name == object);
    let index = known.unwrap_or_else(|| {
        let (name, title) = (object.to_owned(), object.to_owned());
        boxes.push(Drawn { name, title, marks: Vec::new(), rows: Vec::new(), root: false });
        boxes.len() - 1
    });
    let drawn = &mut boxes[index];
    if access.access == AccessKind::Free {
        drawn.marks.push(mark);
        return;
    }
    let touched = drawn.rows.iter().position(|row| row.name == path);
    let row = touched.unwrap_or_else(|| {
        drawn.rows.push(Row { name: path.to_owned(), value: String::new(), target: None, marks: Vec::new() });
        drawn.rows.len() - 1
    });
    drawn.rows[row].marks.push(mark);
}

/// Marks a lock that a thread holds, which is nothing that the heap shows as a value.
fn held(boxes: &mut Vec<Drawn>, thread: u32, lock: &str) {
    let object = object_of(lock);
    let path = lock[object.len()..].trim_start_matches('.');
    let known = boxes.iter().position(|drawn| !drawn.root && drawn.name == object);
    let index = known.unwrap_or_else(|| {
        let (name, title) = (object.to_owned(), object.to_owned());
        boxes.push(Drawn { name, title, marks: Vec::new(), rows: Vec::new(), root: false });
        boxes.len() - 1
    });
    let mark = Mark { thread, text: format!("T{thread} holds") };
    let drawn = &mut boxes[index];
    match drawn.rows.iter_mut().find(|row| row.name == path) {
        Some(row) => row.marks.push(mark),
        None if path.is_empty() => drawn.marks.push(mark),
        None => {
            drawn.rows.push(Row { name: path.to_owned(), value: "lock".to_owned(), target: None, marks: vec![mark] });
        }
    }
}

/// Leaves out what would not fit on a page; returns the number of objects left out.
fn shorten(boxes: &mut Vec<Drawn>) -> usize {
    for drawn in boxes.iter_mut().filter(|drawn| drawn.rows.len() > MOST_ROWS) {
        let all = drawn.rows.len();
        let mut number = 0;
        drawn.rows.retain(|row| {
            number += 1;
            number < MOST_ROWS || !row.marks.is_empty()
        });
        let value = format!("... {} more", all - drawn.rows.len());
        drawn.rows.push(Row { name: String::new(), value, target: None, marks: Vec::new() });
    }
    let is_marked = |drawn: &Drawn| !drawn.marks.is_empty() || drawn.rows.iter().any(|row| !row.marks.is_empty());
    let all = boxes.len();
    let mut number = 0;
    boxes.retain(|drawn| {
        number += 1;
        number <= MOST_OBJECTS || is_marked(drawn)
    });
    all - boxes.len()
}

fn marks_width(marks: &[Mark]) -> f64 {
    marks.iter().map(|mark| pill_width(&mark.text) + 6.0).sum()
}

fn name_width(drawn: &Drawn) -> f64 {
    let widths = drawn.rows.iter().map(|row| text_width(&cut(&row.name, NAME)));
    let widest = widths.fold(0.0, f64::max);
    if widest > 0.0 { widest + 14.0 } else { 0.0 }
}

fn size(drawn: &Drawn) -> Point {
    let title = text_width(&cut(&drawn.title, NAME + VALUE)) + marks_width(&drawn.marks) + 20.0;
    if drawn.root {
        let value = drawn.rows.first().filter(|row| row.target.is_none());
        let value = value.map_or(0.0, |row| text_width(&cut(&row.value, VALUE)) + 24.0);
        return (title + value, ROW);
    }
    let names = name_width(drawn);
    let row = |row: &Row| names + text_width(&cut(&row.value, VALUE)) + marks_width(&row.marks) + 34.0;
    let width = drawn.rows.iter().map(row).fold(title, f64::max);
    (width, ROW * (drawn.rows.len() + 1) as f64)
}

/// A pointer: box and line of its source, box and line of its target. Line 0 is the title.
struct HeapArrow {
    from: (usize, usize),
    to: (usize, usize),
}

fn arrows(boxes: &[Drawn]) -> Vec<HeapArrow> {
    let mut arrows = Vec::new();
    for (index, drawn) in boxes.iter().enumerate() {
        for (number, row) in drawn.rows.iter().enumerate() {
            let Some(target) = &row.target else { continue };
            let Some(to) = boxes.iter().position(|b| !b.root && b.name == target.object) else { continue };
            let line = boxes[to].rows.iter().position(|r| target.inside.as_ref() == Some(&r.name));
            let source = if drawn.root { 0 } else { number + 1 };
            arrows.push(HeapArrow { from: (index, source), to: (to, line.map_or(0, |line| line + 1)) });
        }
    }
    arrows
}

/// Corner and size.
type Area = (Point, Point);

fn draw_arrow(canvas: &mut Canvas, arrow: &HeapArrow, areas: (Area, Area), boxes: &[Drawn], route: &[Point]) {
    let height = |(corner, _): Area, line: usize| corner.1 + ROW * line as f64 + ROW / 2.0;
    let (source, target) = areas;
    let (from_y, to_y) = (height(source, arrow.from.1), height(target, arrow.to.1));
    if arrow.from.0 == arrow.to.0 {
        let right = source.0.0 + source.1.0;
        canvas.hook((right, from_y), (right + 7.0, to_y), 26.0, "link");
        canvas.tip((right, to_y), true, "tip");
        return;
    }
    // Against the direction of the drawing, from the left side to the right side.
    let backwards = target.0.0 < source.0.0;
    let side = |(corner, size): Area, right: bool| corner.0 + if right { size.0 } else { 0.0 };
    let from = (side(source, !backwards), from_y);
    let to = (side(target, backwards), to_y);
    let before = (to.0 + if backwards { 7.0 } else { -7.0 }, to.1);
    let points: Vec<Point> = [from].into_iter().chain(route.iter().copied()).chain([before]).collect();
    canvas.curve(&points, "link");
    canvas.tip(to, backwards, "tip");
    if !boxes[arrow.from.0].root {
        canvas.dot(from.0, from.1, "tip");
    }
}

fn draw_box(canvas: &mut Canvas, drawn: &Drawn, (x, y): Point, (width, height): Point) {
    let title = cut(&drawn.title, NAME + VALUE);
    if drawn.root {
        canvas.text(x + 10.0, y + 16.0, "strong", &title);
        if let Some(row) = drawn.rows.first().filter(|row| row.target.is_none()) {
            let value = format!("= {}", cut(&row.value, VALUE));
            canvas.text(x + 18.0 + text_width(&title), y + 16.0, "", &value);
        }
        return;
    }
    canvas.rect(x, y, width, height, "box");
    canvas.rect(x, y, width, ROW, if drawn.marks.is_empty() { "head" } else { "hot" });
    canvas.text(x + 10.0, y + 16.0, "strong", &title);
    pills(canvas, &drawn.marks, x + width, y);
    let names = name_width(drawn);
    for (number, row) in (1..).zip(&drawn.rows) {
        let top = y + ROW * f64::from(number);
        if !row.marks.is_empty() {
            canvas.rect(x + 0.5, top, width - 1.0, ROW, "hot");
        } else if number > 1 {
            canvas.line((x, top), (x + width, top), "rule");
        }
        canvas.text(x + 10.0, top + 16.0, "", &cut(&row.name, NAME));
        let class = if row.target.is_some() { "faint" } else { "" };
        canvas.text(x + 10.0 + names, top + 16.0, class, &cut(&row.value, VALUE));
        pills(canvas, &row.marks, x + width, top);
    }
}

/// At the right end of a line of a box.
fn pills(canvas: &mut Canvas, marks: &[Mark], right: f64, top: f64) {
    let mut x = right - marks_width(marks) - 4.0;
    for mark in marks {
        canvas.pill(x, top + 4.0, mark.thread, &mark.text);
        x += pill_width(&mark.text) + 6.0;
    }
}
