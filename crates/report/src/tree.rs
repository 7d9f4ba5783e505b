//! What a function does, as a tree of decisions (SSRD, section 2, figure 5).
//!
//! Everything is in words of the program: expressions of C over the parameters, globals and objects of the heap as they
//! were when the function was entered. A place that may have been changed by others since (by a function that was called) has
//! a prime for each time that it may have been.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The summary of one function.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FunctionTree {
    /// The function's C name.
    pub function: String,
    /// Its parameters, in order; unnamed ones as `arg0`.
    pub parameters: Vec<String>,
    /// Where it is defined.
    pub location: TreeLocation,
    /// Of every node the children come after it; the first is where all ways begin. Empty only if no way was explored.
    pub nodes: Vec<TreeNode>,
    /// Ways from the function's beginning to a return.
    pub paths: u64,
    /// What was left out, in one line for each reason.
    pub left_out: Vec<String>,
}

impl FunctionTree {
    /// The tree where the code stands elsewhere; none where a position is nowhere.
    pub fn moved(mut self, place: impl Fn(&TreeLocation) -> Option<TreeLocation>) -> Option<Self> {
        self.location = place(&self.location)?;
        for node in &mut self.nodes {
            node.location = place(&node.location)?;
            for access in &mut node.accesses {
                access.location = place(&access.location)?;
            }
        }
        Some(self)
    }
}

/// A place in the source.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct TreeLocation {
    pub file: String,
    /// From 1; 0 where the compiler does not say.
    pub line: u32,
    pub column: u32,
}

/// Something that decides how the function goes on, or that others may notice.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TreeNode {
    pub kind: TreeNodeKind,
    /// B(n), C(n), L(n) or V(n) of the paper: the condition of a branch, the call with its arguments and what it returns,
    /// what is done to which synchronisation object, the value returned.
    pub text: String,
    pub location: TreeLocation,
    /// On which outcome of the parent the way leads here (`true`, `false`, `= 3`); none behind what has one outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// S(n): which pointers lead where, as far as the way here needs it, since the parent.
    pub shape: Vec<Relation>,
    /// What places held when they were first read, since the parent.
    pub reads: Vec<Effect>,
    /// What places hold that were written since the parent: the last value of each.
    pub writes: Vec<Effect>,
    /// Every access since the parent, once for each position.
    pub accesses: Vec<TreeAccess>,
    /// Locks that the function holds here, itself taking them.
    pub locks: Vec<String>,
    /// Positions in [`FunctionTree::nodes`], in the order of exploration.
    pub children: Vec<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TreeNodeKind {
    /// A condition that the function's own conditions so far leave open.
    Branch,
    /// A call, which is not followed.
    Call,
    /// A call of the threads library, an atomic access or a fence.
    Sync,
    Return,
    /// The way ends otherwise: it fails, or it is not explored any further; the text says why.
    End,
}

/// A pointer-pointee relation (table 1 of the paper).
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Relation {
    /// `h->next[0]`
    pub pointer: String,
    /// `null`, an object that only this pointer leads to so far (`new struct node`), or another expression (`h`).
    pub pointee: String,
}

/// A place, and what it holds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Effect {
    pub place: String,
    pub value: String,
}

/// An access (table 2 of the paper).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct TreeAccess {
    /// `read`, `write`, `read_write` (atomic), `free`
    pub access: Cow<'static, str>,
    pub place: String,
    /// Bytes.
    pub size: u64,
    pub atomic: bool,
    /// Memory order of an atomic one (`seq_cst`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub order: Option<Cow<'static, str>>,
    /// Locks that the function has taken and holds.
    pub locks: Vec<String>,
    pub location: TreeLocation,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NoSources, TextOptions, render_tree_svg, render_tree_text};
    use expect_test::expect;

    fn at(line: u32) -> TreeLocation {
        TreeLocation { file: "list.c".to_owned(), line, column: 1 }
    }

    fn node(kind: TreeNodeKind, text: &str, line: u32, children: &[usize]) -> TreeNode {
        TreeNode {
            kind,
            text: text.to_owned(),
            location: at(line),
            on: None,
            shape: Vec::new(),
            reads: Vec::new(),
            writes: Vec::new(),
            accesses: Vec::new(),
            locks: Vec::new(),
            children: children.to_vec(),
        }
    }

    /// Puts a value behind a key, under its node's lock.
    fn tree() -> FunctionTree {
        let mut tree = FunctionTree {
            function: "put".to_owned(),
            parameters: vec!["l".to_owned(), "key".to_owned()],
            location: at(3),
            nodes: vec![
                node(TreeNodeKind::Call, "find(l, key) = find()", 4, &[1]),
                node(TreeNodeKind::Branch, "find() != NULL", 5, &[2, 4]),
                node(TreeNodeKind::Sync, "pthread_mutex_lock(&find()->lock)", 6, &[3]),
                node(TreeNodeKind::Return, "1", 8, &[]),
                node(TreeNodeKind::End, "fails: abort", 9, &[]),
            ],
            paths: 1,
            left_out: vec!["list.c:4: further rounds: --unroll 4".to_owned()],
        };
        tree.nodes[2].on = Some("true".to_owned());
        tree.nodes[2].shape.push(Relation { pointer: "find()".to_owned(), pointee: "new struct node".to_owned() });
        tree.nodes[3].writes.push(Effect { place: "find()->value".to_owned(), value: "key".to_owned() });
        tree.nodes[3].reads.push(Effect { place: "l->count".to_owned(), value: "l->count'".to_owned() });
        tree.nodes[3].accesses.push(TreeAccess {
            access: "write".into(),
            place: "find()->value".to_owned(),
            size: 4,
            atomic: false,
            order: None,
            locks: vec!["find()->lock".to_owned()],
            location: at(7),
        });
        tree.nodes[3].accesses.push(TreeAccess {
            access: "read_write".into(),
            place: "l->count".to_owned(),
            size: 8,
            atomic: true,
            order: Some("relaxed".into()),
            locks: Vec::new(),
            location: TreeLocation { file: "count.h".to_owned(), line: 2, column: 1 },
        });
        tree.nodes[4].on = Some("false".to_owned());
        tree
    }

    fn text(trees: &[FunctionTree]) -> String {
        render_tree_text(trees, None, &TextOptions { color: false, width: 80, full: false, sources: &NoSources })
    }

    #[test]
    fn a_tree_is_read_from_top_to_bottom() {
        let expected = expect![[r#"
            put(l, key), list.c:3: 1 path
              call find(l, key) = find()                                :4
              if find() != NULL                                         :5
              ├─ true
              │      find() -> new struct node
              │    pthread_mutex_lock(&find()->lock)                    :6
              │      reads l->count == l->count'
              │      find()->value = key
              │    return 1                                             :8
              └─ false
                   fails: abort                                         :9
              accesses:
                atomic read-write (relaxed)  l->count       8 bytes  count.h:2
                write                        find()->value  4 bytes  :7         holding find()->lock
              left out: list.c:4: further rounds: --unroll 4
        "#]];
        expected.assert_eq(&text(&[tree()]));
        assert_eq!(text(&[]), "");
        assert_eq!(text(&[tree(), tree()]).matches("\n\nput(").count(), 1);
    }

    #[test]
    fn a_function_without_ways_has_a_heading() {
        let empty = FunctionTree { nodes: Vec::new(), paths: 0, left_out: Vec::new(), ..tree() };
        assert_eq!(text(std::slice::from_ref(&empty)), "put(l, key), list.c:3: 0 paths\n");
        assert!(render_tree_svg(&empty).contains("0 paths"));
    }

    /// Corners of the rectangles behind the page's own.
    fn boxes(picture: &str) -> Vec<[f64; 4]> {
        let attribute = |rect: &str, name: &str| -> f64 {
            let value = rect.split(&format!(" {name}=\"")).nth(1).and_then(|rest| rest.split('"').next());
            value.and_then(|value| value.parse().ok()).expect("a number")
        };
        let rects = picture.split("<rect").skip(2).map(|rest| rest.split('>').next().expect("an end"));
        rects
            .map(|rect| {
                let [x, y] = ["x", "y"].map(|name| attribute(rect, name));
                [x, y, x + attribute(rect, "width"), y + attribute(rect, "height")]
            })
            .collect()
    }

    #[test]
    fn boxes_do_not_overlap() {
        let mut wide = tree();
        // Ten outcomes, each as long as the whole.
        let rest = wide.nodes.clone();
        wide.nodes[1].children.clear();
        for copy in 0..10 {
            let first = wide.nodes.len();
            wide.nodes[1].children.push(first);
            for mut node in rest.clone() {
                node.on = node.on.or_else(|| Some(format!("outcome {copy}")));
                node.children.iter_mut().for_each(|child| *child += first);
                wide.nodes.push(node);
            }
        }
        let all = boxes(&render_tree_svg(&wide));
        assert_eq!(all.len(), 52);
        for (index, a) in all.iter().enumerate() {
            let apart = |b: &[f64; 4]| a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1];
            assert!(all[index + 1..].iter().all(apart), "{a:?}");
        }
    }

    #[test]
    fn names_are_text_and_nothing_else() {
        let mut hostile = tree();
        let name = "<script>&\"\u{1b}[31m\u{202e}";
        hostile.function = name.to_owned();
        hostile.nodes[1].text = name.repeat(200);
        hostile.nodes[2].on = Some(name.to_owned());
        hostile.nodes[2].shape[0].pointer = name.to_owned();
        hostile.left_out.push(name.to_owned());
        let (picture, text) = (render_tree_svg(&hostile), text(&[hostile]));
        assert!(!picture.contains("<script>") && !picture.contains('\u{1b}'));
        assert!([&text, &picture].iter().all(|page| !page.contains(['\u{1b}', '\u{202e}'])));
        assert_eq!(boxes(&picture).len(), 5);
    }

    /// Whether a whole line of a picture's text is this.
    fn says(picture: &str, line: &str) -> bool {
        picture.contains(&format!("\n{line}\n"))
    }

    #[test]
    fn kinds_differ_in_a_picture() {
        let picture = render_tree_svg(&tree());
        let classes = picture.split("<rect class=\"").skip(2).filter_map(|rest| rest.split('"').next());
        assert_eq!(classes.collect::<Vec<_>>(), ["head", "branch", "sync", "return", "hot"]);
        assert!(says(&picture, "list.c:3: 1 path"), "{picture}");
    }

    /// A line of a header is none of the tree's own file.
    #[test]
    fn positions_in_a_picture_name_other_files_and_are_never_cut_off() {
        let mut tree = tree();
        tree.nodes[0].location.file = "sys/hash.h".to_owned();
        tree.nodes[1].text = "key + ".repeat(200);
        tree.nodes[4].location.file = format!("{}/list.h", "/deep".repeat(40));
        let picture = render_tree_svg(&tree);
        assert!(says(&picture, "call find(l, key) = find() sys/hash.h:4"), "{picture}");
        assert!(picture.contains(" :5\n") || says(&picture, ":5"), "{picture}");
        assert!(picture.contains("/deep/list.h:9\n"), "{picture}");
    }

    #[test]
    fn no_way_runs_through_the_name_of_an_outcome() {
        let mut tree = tree();
        tree.nodes[1].children.push(5);
        tree.nodes.push(node(TreeNodeKind::Return, "0", 9, &[]));
        for (index, on) in [(2, "l->mutex.__data.__list"), (4, "NULL"), (5, "l")] {
            tree.nodes[index].on = Some(on.to_owned());
        }
        let picture = render_tree_svg(&tree);
        // Curves end where names have not yet begun.
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let curves = picture.split('C').filter_map(|curve| curve.split([' ', '"']).next());
        let ends: Vec<f64> = curves.filter_map(|c| c.split(',').nth(4)).map(number).collect();
        assert_eq!(ends.len(), 3, "{picture}");
        for on in ["l-&gt;mutex.__data.__list", "NULL", "l"] {
            let before = picture.split(&format!(">\n{on}\n")).next().and_then(|text| text.rsplit(" x=\"").next());
            let x = before.and_then(|text| text.split('"').next()).map(number).expect("a name");
            assert!(ends.iter().all(|end| *end < x), "{on}: {ends:?} {x}");
        }
    }

    #[test]
    fn a_node_is_one_line_whatever_its_text() {
        let mut tree = tree();
        let lines = text(std::slice::from_ref(&tree)).lines().count();
        tree.function.push('\n');
        tree.nodes[0].text.push_str("\n  return 0");
        tree.nodes[2].on = Some("true\n".to_owned());
        tree.nodes[3].writes[0].value.push('\n');
        tree.nodes[3].accesses[0].place.push('\n');
        assert_eq!(text(&[tree]).lines().count(), lines);
    }

    /// As many nodes as `raddle summarize` keeps, in a wide tree and in a deep one.
    #[test]
    fn large_trees_are_drawn() {
        const COUNT: usize = 2_000;
        let wide = |index: usize| vec![2 * index + 1, 2 * index + 2];
        let deep = |index: usize| if index.is_multiple_of(2) { vec![index + 1, index + 2] } else { Vec::new() };
        for children in [&wide as &dyn Fn(usize) -> Vec<usize>, &deep] {
            let branch = |index: usize| {
                let below: Vec<usize> = children(index).into_iter().filter(|&child| child < COUNT).collect();
                node(TreeNodeKind::Branch, &format!("n == {index}"), 1, &below)
            };
            let tree = FunctionTree { nodes: (0..COUNT).map(branch).collect(), ..tree() };
            let picture = render_tree_svg(&tree);
            let shown = text(&[tree]);
            assert_eq!(boxes(&picture).len(), COUNT);
            assert_eq!(shown.matches("if n == ").count(), COUNT);
        }
    }
}
