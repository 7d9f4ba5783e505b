//! The tree of a function as a picture (SSRD, figure 5). What follows each other stands in one column; where a way splits, its
//! outcomes stand to the right, one under the other.

use super::canvas::{COLUMN, Canvas, LINE, Point, cut, text_width, wrap};
use super::{COLUMNS, MARGIN, finished};
use crate::text::tree_position;
use crate::tree::{FunctionTree, TreeNode, TreeNodeKind};
use crate::words;

/// Columns of text in a box.
const WIDEST: usize = 56;
/// Around the text of a box.
const PAD: f64 = 10.0;
/// Between two boxes of a column, and what hangs on two outcomes.
const BELOW: f64 = 12.0;
const BETWEEN: f64 = 22.0;
/// What the ways to all outcomes take to get to their heights; their names stand behind that.
const BEND: f64 = 50.0;
/// Between the names and the boxes.
const ARROW: f64 = 20.0;
/// Lines of what a node says, and of what came before it.
const TEXT_LINES: usize = 3;
const DETAILS: usize = 12;

/// The picture of one tree, ending in a line end.
pub fn render_tree_svg(tree: &FunctionTree) -> String {
    let mut page = Canvas::new();
    let title = format!("{}({})", tree.function, tree.parameters.join(", "));
    let mut y = MARGIN + LINE;
    page.text(MARGIN, y, "strong", &cut(&title, COLUMNS));
    let place = match tree.location.line {
        0 => String::new(),
        line => format!("{}:{line}: ", tree.location.file),
    };
    let paths = words::counted(tree.paths, "path", "paths");
    y += LINE;
    page.text(MARGIN, y, "faint", &cut(&format!("{place}{paths}"), COLUMNS));
    for reason in tree.left_out.iter().flat_map(|reason| wrap(&format!("left out: {reason}"), COLUMNS, 2)) {
        y += LINE;
        page.text(MARGIN, y, "faint", &reason);
    }
    y += LINE;
    if !tree.nodes.is_empty() {
        let column = Column::new(tree, 0);
        column.draw(&mut page, (MARGIN, y));
    }
    finished(page, y, &title)
}

/// A node as a box.
struct Drawn {
    kind: TreeNodeKind,
    text: Vec<String>,
    details: Vec<String>,
    height: f64,
}

impl Drawn {
    fn new(node: &TreeNode, file: &str) -> Self {
        let word = match node.kind {
            TreeNodeKind::Return => "return ",
            TreeNodeKind::Call => "call ",
            TreeNodeKind::Branch | TreeNodeKind::Sync | TreeNodeKind::End => "",
        };
        let mut text = wrap(&format!("{word}{}", node.text), WIDEST, TEXT_LINES);
        add_position(&mut text, &tree_position(&node.location, file));
        let shape = node.shape.iter().map(|s| format!("{} -> {}", s.pointer, s.pointee));
        let reads = node.reads.iter().map(|read| format!("reads {}", read.place));
        let writes = node.writes.iter().map(|write| format!("{} = {}", write.place, write.value));
        let mut details: Vec<String> = shape.chain(reads).chain(writes).map(|line| cut(&line, WIDEST)).collect();
        if details.len() > DETAILS {
            let more = details.len() - (DETAILS - 1);
            details.truncate(DETAILS - 1);
            details.push(format!("and {more} more"));
        }
        let height = (text.len() + details.len()) as f64 * LINE + PAD;
        Drawn { kind: node.kind, text, details, height }
    }

    fn width(&self) -> f64 {
        self.text.iter().chain(&self.details).map(|line| text_width(line)).fold(0.0, f64::max) + 2.0 * PAD
    }

    fn class(&self) -> &'static str {
        match self.kind {
            TreeNodeKind::Branch => "branch",
            TreeNodeKind::Call => "head",
            TreeNodeKind::Sync => "sync",
            TreeNodeKind::Return => "return",
            TreeNodeKind::End => "hot",
        }
    }

    /// What came before the node stands above what it is.
    fn draw(&self, page: &mut Canvas, (x, y): Point, width: f64) {
        page.rect(x, y, width, self.height, self.class());
        let mut line = y;
        for detail in &self.details {
            line += LINE;
            page.text(x + PAD, line, "faint", detail);
        }
        for text in &self.text {
            line += LINE;
            page.text(x + PAD, line, if self.kind == TreeNodeKind::Sync { "code" } else { "strong" }, text);
        }
    }
}

/// Behind the text where there is room, else in a line of its own: what is cut off the text is never the position.
fn add_position(text: &mut Vec<String>, position: &str) {
    let room = WIDEST as f64 * COLUMN;
    match text.last_mut() {
        _ if position.is_empty() => {}
        Some(last) if text_width(last) + text_width(position) + COLUMN <= room => *last = format!("{last} {position}"),
        _ if text_width(position) <= room => text.push(position.to_owned()),
        _ => {
            // Of a long path the end says more, and the line stands there.
            let shown: String = position.chars().rev().take(WIDEST / 2 - 1).collect();
            text.push(format!("…{}", shown.chars().rev().collect::<String>()));
        }
    }
}

/// Nodes with one way on each, and what hangs on the last.
struct Column {
    boxes: Vec<Drawn>,
    /// Outcome and what follows.
    outcomes: Vec<(String, Column)>,
    width: f64,
    /// Of the boxes, and with all that hangs on them.
    own: f64,
    height: f64,
}

impl Column {
    fn new(tree: &FunctionTree, first: usize) -> Self {
        let (mut boxes, mut outcomes, mut at) = (Vec::new(), Vec::new(), Some(first));
        while let Some(node) = at.and_then(|at| tree.nodes.get(at)) {
            boxes.push(Drawn::new(node, &tree.location.file));
            at = match node.children.as_slice() {
                [only] if node.kind != TreeNodeKind::Branch => Some(*only),
                several => {
                    let on = |child: usize| tree.nodes.get(child).and_then(|node| node.on.clone()).unwrap_or_default();
                    outcomes.extend(several.iter().map(|&child| (cut(&on(child), 40), Column::new(tree, child))));
                    None
                }
            };
        }
        let width = boxes.iter().map(Drawn::width).fold(0.0, f64::max);
        let own = boxes.iter().map(|drawn| drawn.height + BELOW).sum::<f64>() - BELOW;
        let beside = outcomes.iter().map(|(_, column)| column.height + BETWEEN).sum::<f64>() - BETWEEN;
        Column { boxes, outcomes, width, own, height: own.max(beside) }
    }

    /// How far the outcomes stand to the right: their names stand on the way there.
    fn reach(&self) -> f64 {
        BEND + self.outcomes.iter().map(|(on, _)| text_width(on)).fold(0.0, f64::max) + ARROW
    }

    fn draw(&self, page: &mut Canvas, (x, y): Point) {
        let mut below = y;
        for (index, drawn) in self.boxes.iter().enumerate() {
            if index > 0 {
                page.line((x + 24.0, below - BELOW), (x + 24.0, below), "link");
            }
            drawn.draw(page, (x, below), self.width);
            below += drawn.height + BELOW;
        }
        let last = self.boxes.last().map_or(0.0, |drawn| drawn.height);
        let from = (x + self.width, y + self.own - last / 2.0);
        let beside = x + self.width + self.reach();
        let mut top = y;
        for (on, column) in &self.outcomes {
            let first = column.boxes.first().map_or(0.0, |drawn| drawn.height);
            let to = (beside, top + first / 2.0);
            // All bend before the first name begins, or those to what stands below would cross it.
            let bend = (from.0 + BEND, to.1);
            page.curve(&[from, bend, to], "link");
            page.tip(to, false, "tip");
            page.text(bend.0 + 4.0, to.1 - 5.0, "faint", on);
            column.draw(page, (beside, top));
            top += column.height + BETWEEN;
        }
    }
}
