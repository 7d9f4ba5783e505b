//! The schedule: a lane for each thread, time downwards, source lines, bars while locks are held, the racing pair joined.

use super::canvas::{Canvas, LINE, Point, cut, text_width, thread_class, wrap};
use crate::text::{ScheduleRow, expanded, schedule_rows, schedule_threads};
use crate::{Finding, Sources};

/// Rows drawn of a long schedule: the last ones, where the failure is.
const SHOWN: usize = 60;
/// Columns of text in a lane.
const COLUMNS: usize = 44;
/// Between lanes, between rows, and above and below the text of a row.
const GUTTER: f64 = 54.0;
const BETWEEN: f64 = 10.0;
const PADDING: f64 = 8.0;
/// Of a lock's bar, and from one bar to the next.
const BAR: f64 = 14.0;
const BAR_STEP: f64 = 18.0;
/// Where the rows begin, under the names of the threads.
const TOP: f64 = 40.0;

/// A row as drawn.
struct Cell {
    lane: usize,
    /// Class and text of each line.
    lines: Vec<(&'static str, String)>,
    /// The access of a race, or where a thread of a deadlock waits.
    is_hot: bool,
    is_access: bool,
    top: f64,
    height: f64,
}

/// A lock that a thread holds, from row to row.
struct Hold {
    lane: usize,
    lock: String,
    from: usize,
    /// None: until the end.
    to: Option<usize>,
    depth: usize,
}

/// None without a schedule.
pub(super) fn draw(finding: &Finding, sources: &dyn Sources) -> Option<Canvas> {
    if finding.schedule.is_empty() && finding.blocked.is_empty() {
        return None;
    }
    let threads: Vec<(u32, String)> = schedule_threads(finding).into_iter().collect();
    let lane_of = |thread: u32| threads.iter().position(|(known, _)| *known == thread).unwrap_or(0);
    let rows = schedule_rows(&finding.schedule);
    let holds = holds(&rows, &lane_of);
    let skipped = rows.len().saturating_sub(SHOWN);
    let mut cells: Vec<Cell> = rows[skipped..].iter().map(|row| cell(row, lane_of(row.thread), sources)).collect();
    cells.extend(finding.blocked.iter().map(|blocked| waiting(blocked, lane_of(blocked.thread), sources)));
    let mut y = TOP + if skipped > 0 { LINE } else { 0.0 };
    for cell in &mut cells {
        cell.height = LINE * cell.lines.len() as f64 + 2.0 * PADDING;
        cell.top = y;
        y += cell.height + BETWEEN;
    }
    let lanes = Lanes::new(&threads, &cells, &holds);
    let mut canvas = Canvas::new();
    for (lane, (thread, name)) in threads.iter().enumerate() {
        let x = lanes.text[lane];
        canvas.rect(x, 0.0, lanes.width[lane], 26.0, thread_class(*thread));
        canvas.text(x + 10.0, 17.0, "pill", &cut(name, COLUMNS));
        canvas.line((x + 14.0, 26.0), (x + 14.0, y), "lane");
    }
    if skipped > 0 {
        canvas.text(lanes.text[0], TOP + 4.0, "faint", &format!("... {skipped} earlier steps are in the witness"));
    }
    for hold in &holds {
        draw_hold(&mut canvas, hold, &cells, &lanes, skipped, y);
    }
    for cell in &cells {
        draw_cell(&mut canvas, cell, &lanes);
    }
    join(&mut canvas, &cells, &lanes);
    Some(canvas)
}

/// Where the lanes stand.
struct Lanes {
    /// Left edge, where bars begin, and left edge of the rows.
    left: Vec<f64>,
    text: Vec<f64>,
    width: Vec<f64>,
}

impl Lanes {
    fn new(threads: &[(u32, String)], cells: &[Cell], holds: &[Hold]) -> Self {
        let (mut starts, mut text, mut width, mut x) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        for (lane, (_, name)) in threads.iter().enumerate() {
            let bars = holds.iter().filter(|h| h.lane == lane).map(|h| h.depth + 1).max().unwrap_or(0);
            let left = x + bars as f64 * BAR_STEP;
            let own = cells.iter().filter(|cell| cell.lane == lane).flat_map(|cell| &cell.lines);
            let widest = own.map(|(_, line)| text_width(line)).fold(text_width(&cut(name, COLUMNS)), f64::max);
            starts.push(x);
            text.push(left);
            width.push(widest + 24.0);
            x = left + widest + 24.0 + GUTTER;
        }
        Lanes { left: starts, text, width }
    }
}

fn cell(row: &ScheduleRow, lane: usize, sources: &dyn Sources) -> Cell {
    let mut lines = Vec::new();
    if let Some(first) = row.steps.first() {
        lines.extend(place(&first.file, first.line, sources));
    }
    for step in &row.steps {
        let note = step.note.as_ref().map_or_else(String::new, |note| format!(" ({note})"));
        let mark = step.access.map_or_else(String::new, |number| format!("[{number}] "));
        let class = if step.access.is_some() { "alarm" } else { "" };
        lines.extend(wrap(&format!("{mark}{}{note}", step.text), COLUMNS, 3).into_iter().map(|line| (class, line)));
    }
    let is_access = row.steps.iter().any(|step| step.access.is_some());
    Cell { lane, lines, is_hot: is_access, is_access, top: 0.0, height: 0.0 }
}

/// `file:line`, and the line.
fn place(file: &str, line: u32, sources: &dyn Sources) -> Vec<(&'static str, String)> {
    if line == 0 {
        return Vec::new();
    }
    let code = sources.line(file, line).map(|code| expanded(code.trim())).unwrap_or_default();
    // The end of a long name tells more than its beginning.
    let short = file.rsplit('/').next().unwrap_or(file);
    let mut lines = vec![("faint", cut(&format!("{short}:{line}"), COLUMNS))];
    lines.extend(wrap(&code, COLUMNS, 2).into_iter().map(|code| ("code", code)));
    lines
}

/// The end of a thread that waits for good.
fn waiting(blocked: &crate::Blocked, lane: usize, sources: &dyn Sources) -> Cell {
    let mut lines = place(&blocked.location.file, blocked.location.line, sources);
    let what = blocked.waits_for.as_deref().unwrap_or("another thread");
    lines.extend(wrap(&format!("waits for {what}"), COLUMNS, 3).into_iter().map(|line| ("alarm", line)));
    Cell { lane, lines, is_hot: true, is_access: false, top: 0.0, height: 0.0 }
}

/// The locks that steps take and give back, by what the steps say. What a condition wait gives back and takes again is
/// known where the thread holds one lock only; else its bars end there.
fn holds(rows: &[ScheduleRow], lane_of: &dyn Fn(u32) -> usize) -> Vec<Hold> {
    let mut holds: Vec<Hold> = Vec::new();
    // Of each thread that waits: what it takes again.
    let mut given_back: Vec<(u32, String)> = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        let lane = lane_of(row.thread);
        for step in &row.steps {
            let text = step.text.as_str();
            let begun = text
                .strip_prefix("locks for reading ")
                .or_else(|| text.strip_prefix("locks "))
                // Whether it got the lock shows in whether it gives it back.
                .or_else(|| {
                    text.strip_prefix("tries to lock ").filter(|lock| gives_back(rows, number, row.thread, lock))
                });
            if let Some(lock) = begun {
                open(&mut holds, lane, lock, number);
            } else if let Some(lock) = text.strip_prefix("unlocks ") {
                let last = holds.iter_mut().rev().find(|h| h.lane == lane && h.to.is_none() && h.lock == lock);
                if let Some(hold) = last {
                    hold.to = Some(number);
                }
            } else if text.starts_with("waits on ") {
                let mut own: Vec<&mut Hold> = holds.iter_mut().filter(|h| h.lane == lane && h.to.is_none()).collect();
                if let [only] = own.as_slice() {
                    given_back.push((row.thread, only.lock.clone()));
                }
                own.iter_mut().for_each(|hold| hold.to = Some(number));
            } else if text.starts_with("wakes from ")
                && let Some(at) = given_back.iter().position(|(thread, _)| *thread == row.thread)
            {
                let (_, lock) = given_back.remove(at);
                open(&mut holds, lane, &lock, number);
            }
        }
    }
    holds
}

/// For each row the locks that its thread holds throughout.
pub(crate) fn held_at(rows: &[ScheduleRow]) -> Vec<Vec<String>> {
    let holds = holds(rows, &|thread| thread as usize);
    let held = |(number, row): (usize, &ScheduleRow)| {
        let during = |hold: &&Hold| {
            hold.lane == row.thread as usize && hold.from < number && hold.to.is_none_or(|to| number < to)
        };
        holds.iter().filter(during).map(|hold| hold.lock.clone()).collect()
    };
    rows.iter().enumerate().map(held).collect()
}

fn open(holds: &mut Vec<Hold>, lane: usize, lock: &str, from: usize) {
    let taken = |depth: usize| holds.iter().any(|h| h.lane == lane && h.to.is_none() && h.depth == depth);
    let depth = (0..).find(|&depth| !taken(depth)).unwrap_or(0);
    holds.push(Hold { lane, lock: lock.to_owned(), from, to: None, depth });
}

/// Whether the thread unlocks the lock after a row, before it locks it again.
fn gives_back(rows: &[ScheduleRow], after: usize, thread: u32, lock: &str) -> bool {
    let later = rows.iter().enumerate().skip(after + 1).filter(|(_, row)| row.thread == thread);
    let texts = later.flat_map(|(_, row)| row.steps.iter().map(|step| step.text.as_str()));
    texts.filter(|text| text.ends_with(&format!(" {lock}"))).find_map(|text| {
        let is_lock = text.starts_with("locks ") || text.starts_with("tries to lock ");
        (is_lock || text.starts_with("unlocks ")).then_some(!is_lock)
    }) == Some(true)
}

fn draw_hold(canvas: &mut Canvas, hold: &Hold, cells: &[Cell], lanes: &Lanes, skipped: usize, bottom: f64) {
    let cell = |row: usize| row.checked_sub(skipped).and_then(|row| cells.get(row));
    if hold.to.is_some_and(|to| to < skipped) {
        return;
    }
    let from = cell(hold.from).map_or(TOP, |cell| cell.top);
    let to = hold.to.and_then(cell).map_or(bottom - BETWEEN, |cell| cell.top + cell.height);
    let x = lanes.text[hold.lane] - BAR_STEP * (hold.depth as f64 + 1.0) + 2.0;
    canvas.rect(x, from, BAR, to - from, "bar");
    let label = cut(&hold.lock, COLUMNS);
    // In small type, where there is room.
    if text_width(&label) * 0.8 + 10.0 < to - from {
        canvas.upright(x + BAR - 4.0, to - 6.0, "onbar", &label);
    }
}

fn draw_cell(canvas: &mut Canvas, cell: &Cell, lanes: &Lanes) {
    let (x, width) = (lanes.text[cell.lane], lanes.width[cell.lane]);
    canvas.rect(x, cell.top, width, cell.height, if cell.is_hot { "hot" } else { "box" });
    for (number, (class, line)) in (1..).zip(&cell.lines) {
        canvas.text(x + 12.0, cell.top + PADDING - 4.0 + LINE * f64::from(number), class, line);
    }
}

/// The racing pair.
fn join(canvas: &mut Canvas, cells: &[Cell], lanes: &Lanes) {
    let pair: Vec<&Cell> = cells.iter().filter(|cell| cell.is_access).collect();
    let &[one, other] = pair.as_slice() else { return };
    let (left, right) = if one.lane <= other.lane { (one, other) } else { (other, one) };
    let middle = |cell: &Cell| cell.top + cell.height / 2.0;
    let right_edge = |cell: &Cell| lanes.text[cell.lane] + lanes.width[cell.lane];
    let from: Point = (right_edge(left), middle(left));
    if left.lane == right.lane {
        canvas.hook(from, (right_edge(right), middle(right)), 30.0, "race");
        return;
    }
    let to: Point = (lanes.text[right.lane], middle(right));
    // Past the bars it goes straight, so that their names stay readable.
    canvas.curve(&[from, (lanes.left[right.lane] - 4.0, to.1), to], "race");
    canvas.dot(from.0, from.1, "racetip");
    canvas.dot(to.0, to.1, "racetip");
}
