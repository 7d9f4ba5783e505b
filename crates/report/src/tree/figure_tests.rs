//! The tree of SSRD's figure 5 as text and as a picture, and trees that are harder to draw.

use super::*;
use crate::svg::tests::well_formed;
use crate::text::tests::without_escapes;
use crate::{NoSources, TextOptions, render_tree_svg, render_tree_text};
use expect_test::expect;

fn at(line: u32) -> TreeLocation {
    TreeLocation { file: "skiplist.c".to_owned(), line, column: 1 }
}

fn node(kind: TreeNodeKind, on: Option<&str>, text: &str, line: u32, children: &[usize]) -> TreeNode {
    TreeNode {
        kind,
        text: text.to_owned(),
        location: at(line),
        on: on.map(str::to_owned),
        shape: Vec::new(),
        reads: Vec::new(),
        writes: Vec::new(),
        accesses: Vec::new(),
        locks: Vec::new(),
        children: children.to_vec(),
    }
}

fn effect(place: &str, value: &str) -> Effect {
    Effect { place: place.to_owned(), value: value.to_owned() }
}

fn relation(pointer: &str, pointee: &str) -> Relation {
    Relation { pointer: pointer.to_owned(), pointee: pointee.to_owned() }
}

fn access(access: &'static str, place: &str, locks: &[&str], line: u32) -> TreeAccess {
    TreeAccess {
        access,
        place: place.to_owned(),
        size: 8,
        atomic: false,
        order: None,
        locks: locks.iter().map(|&lock| lock.to_owned()).collect(),
        location: at(line),
    }
}

/// Figure 5 with tables 1 and 2, without the second level of the list.
fn insert() -> FunctionTree {
    use TreeNodeKind::{Branch, Call, Return, Sync};
    let mut nodes = vec![
        node(Call, None, "search_node(h, k, 1, &prev) = curr", 16, &[1]),
        node(Branch, None, "curr != NULL", 17, &[2, 4]),
        node(Branch, Some("true"), "curr->key == k", 17, &[3, 5]),
        node(Return, Some("true"), "0", 21, &[]),
        node(Return, Some("false"), "-1", 31, &[]),
        node(Call, Some("false"), "create(k, v) = node", 23, &[6]),
        node(Sync, None, "pthread_mutex_lock(&prev[0]->mutex)", 24, &[7]),
        node(Sync, None, "pthread_mutex_unlock(&prev[0]->mutex)", 30, &[8]),
        node(Return, None, "1", 31, &[]),
    ];
    nodes[2].shape.push(relation("curr", "new struct node"));
    nodes[2].reads.push(effect("curr->key", "curr->key"));
    nodes[2].accesses.push(access("read", "curr->key", &[], 17));
    nodes[4].shape.push(relation("curr", "null"));
    nodes[7].writes.push(effect("node->next[0]", "prev[0]->next[0]"));
    nodes[7].writes.push(effect("prev[0]->next[0]", "node"));
    let locks = ["prev[0]->mutex"];
    nodes[7].accesses.push(access("read", "prev[0]->next[0]", &locks, 25));
    nodes[7].accesses.push(access("write", "node->next[0]", &locks, 25));
    nodes[7].accesses.push(access("write", "prev[0]->next[0]", &locks, 26));
    // The same once more, as on another way.
    nodes[8].accesses.push(access("write", "prev[0]->next[0]", &locks, 26));
    FunctionTree {
        function: "insert".to_owned(),
        parameters: ["h", "k", "v"].map(str::to_owned).to_vec(),
        location: at(14),
        nodes,
        paths: 3,
        left_out: Vec::new(),
    }
}

fn text(tree: &FunctionTree, color: bool) -> String {
    render_tree_text(std::slice::from_ref(tree), &TextOptions { color, width: 80, sources: &NoSources })
}

/// The picture of a tree; it must be well-formed, and the same twice.
fn picture(tree: &FunctionTree) -> String {
    let picture = render_tree_svg(tree);
    assert_eq!(picture, render_tree_svg(tree));
    well_formed(&picture);
    assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    picture
}

/// Whether a whole line of text is this.
fn says(picture: &str, line: &str) -> bool {
    picture.contains(&format!("\n{line}\n"))
}

/// The values of an attribute of elements that begin so.
fn attributes<'p>(picture: &'p str, element: &str, name: &str) -> Vec<&'p str> {
    let elements = picture.split(element).skip(1).filter_map(|rest| rest.split('>').next());
    let value = |element: &'p str| element.split_once(&format!("{name}=\""))?.1.split('"').next();
    elements.filter_map(value).collect()
}

#[test]
fn the_papers_insert_as_text() {
    let tree = insert();
    let plain = text(&tree, false);
    expect![[r#""#]].assert_eq(&plain);
    assert_eq!(without_escapes(&text(&tree, true)), plain, "colour changes more than colour");
}

#[test]
fn the_papers_insert_as_a_picture() {
    let picture = picture(&insert());
    for shown in [
        "insert(h, k, v)",
        "skiplist.c:14: 3 paths",
        "curr -&gt; new struct node",
        "prev[0]-&gt;next[0] = node",
        "curr-&gt;key == k :17",
        "true",
        "return 1 :31",
    ] {
        assert!(says(&picture, shown), "{shown}\n{picture}");
    }
    let classes = attributes(&picture, "<rect", "class");
    assert_eq!(classes[1..], ["call", "branch", "branch", "return", "call", "sync", "sync", "return", "return"]);
}

#[test]
fn one_path_is_one_path() {
    let tree = FunctionTree { paths: 1, ..insert() };
    assert!(says(&picture(&tree), "skiplist.c:14: 1 path"));
}

/// A line of a header is none of the tree's own file.
#[test]
fn positions_name_other_files_and_are_never_cut_off() {
    let mut tree = insert();
    tree.nodes[0].location.file = "/usr/include/list.h".to_owned();
    tree.nodes[3].text = "a + ".repeat(200);
    tree.nodes[4].location.file = format!("{}/list.h", "/deep".repeat(40));
    let picture = picture(&tree);
    assert!(picture.contains("/usr/include/list.h:16\n"), "{picture}");
    assert!(says(&picture, ":21"), "{picture}");
    assert!(picture.contains("/deep/list.h:31\n"), "{picture}");
}

#[test]
fn no_way_runs_through_the_name_of_an_outcome() {
    let mut tree = insert();
    tree.nodes = vec![node(TreeNodeKind::Branch, None, "where p leads", 3, &[1, 2, 3])];
    for on in ["h->mutex.__data.__list.__next", "NULL", "h"] {
        tree.nodes.push(node(TreeNodeKind::Return, Some(on), "0", 4, &[]));
    }
    let picture = picture(&tree);
    // Where a way has left its curve, and where the names begin.
    let number = |text: &str| text.parse::<f64>().expect("a number");
    let curves = attributes(&picture, "<path", " d").into_iter().filter_map(|path| path.split_once('C'));
    let bends: Vec<f64> = curves.map(|(_, curve)| number(curve.split([',', ' ', 'L']).nth(4).expect("x"))).collect();
    let names = ["h-&gt;mutex", "NULL", "h\n"].map(|name| {
        let at = picture.find(&format!(">\n{name}")).expect("a name");
        number(attributes(&picture[picture[..at].rfind("<text").expect("text")..], "<text", " x")[0])
    });
    assert!(bends.len() >= 2, "{bends:?}\n{picture}");
    assert!(bends.iter().all(|bend| names.iter().all(|name| bend <= name)), "{bends:?} {names:?}");
}

#[test]
fn a_node_is_one_line_whatever_its_text() {
    let mut tree = insert();
    let lines = text(&tree, false).lines().count();
    for node in &mut tree.nodes {
        node.text.push_str("\n  return 0\t");
        node.on = node.on.take().map(|on| on + "\n");
    }
    tree.function.push('\n');
    tree.nodes[7].writes[0].value.push('\n');
    tree.nodes[7].accesses[1].place.push('\n');
    assert_eq!(text(&tree, false).lines().count(), lines);
    picture(&tree);
}

#[test]
fn a_tree_without_nodes_is_a_heading() {
    let tree = FunctionTree { nodes: Vec::new(), paths: 0, left_out: vec!["time ran out".to_owned()], ..insert() };
    expect![[r#""#]].assert_eq(&text(&tree, false));
    let picture = picture(&tree);
    assert!(says(&picture, "left out: time ran out"), "{picture}");
    assert_eq!(attributes(&picture, "<rect", "class"), ["page"]);
}

/// As many nodes as `raddle summarize` keeps, in the widest and in the deepest tree.
#[test]
fn large_trees_are_drawn() {
    let count = 2_000;
    for children in
        [|index: usize| [2 * index + 1, 2 * index + 2], |index| [index + 1 + index % 2, index + 2 + index % 2]]
    {
        let mut tree = insert();
        let below =
            |index: usize| -> Vec<usize> { children(index).into_iter().filter(|&child| child < count).collect() };
        tree.nodes =
            (0..count).map(|n| node(TreeNodeKind::Branch, Some("true"), &format!("n == {n}"), 1, &below(n))).collect();
        let _ = (picture(&tree), text(&tree, false));
    }
}
