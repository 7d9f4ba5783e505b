//! `raddle summarize`: the trees of functions by themselves.

use serde_json::{Value, json};
use std::path::Path;
use std::process::{Command, Output};

fn run(directory: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    command.env("RADDLE_STORE", "off").current_dir(directory);
    command.arg("summarize").args(arguments).output().expect("raddle runs")
}

/// The tree of a function of this source.
fn tree(source: &str, function: &str) -> Value {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("f.c"), source).expect("a file");
    let output = run(directory.path(), &["f.c", "--op", function, "--format", "json"]);
    let document: Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(output.status.code(), Some(0), "{document:#}");
    document["functions"][0].clone()
}

/// The nodes, depth first, one line each: outcome of the one before, kind, text.
fn lines(tree: &Value) -> Vec<String> {
    let mut lines = Vec::new();
    line_of(tree, 0, &mut lines);
    lines
}

fn line_of(tree: &Value, index: usize, lines: &mut Vec<String>) {
    let node = &tree["nodes"][index];
    let word = |field: &str| node[field].as_str().unwrap_or_default().to_owned();
    let on = if node["on"].is_null() { String::new() } else { word("on") + ": " };
    lines.push(format!("{on}{} {}", word("kind"), word("text")).trim_end().to_owned());
    for child in node["children"].as_array().expect("a list") {
        line_of(tree, child.as_u64().expect("a position") as usize, lines);
    }
}

/// What stands in this list of all nodes, `place = value` for effects, in the order of the nodes.
fn effects(tree: &Value, list: &str) -> Vec<String> {
    let nodes = tree["nodes"].as_array().expect("a list").iter();
    let all = nodes.flat_map(|node| node[list].as_array().expect("a list"));
    let text = |effect: &Value, field: &str| effect[field].as_str().unwrap_or_default().to_owned();
    all.map(|effect| format!("{} = {}", text(effect, "place"), text(effect, "value"))).collect()
}

fn example(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    std::fs::read_to_string(path).expect("the example")
}

/// Figure 5 of SSRD: the insertion of listing 2.
#[test]
fn the_tree_of_the_papers_example() {
    let tree = tree(&example("skiplist.c"), "insert");
    let lock_to_return = [
        "sync pthread_mutex_lock(&prev[0]''->mutex)",
        "branch rand_level() == 1",
        "true: sync pthread_mutex_unlock(&prev[0]''->mutex)",
        "return 1",
        "false: sync pthread_mutex_unlock(&prev[0]''->mutex)",
        "return 1",
    ];
    let mut want = vec!["call search_node(h, key, 1, &prev) = search_node()", "branch search_node() != NULL"];
    want.extend(["false: call create(key, value) = create()", "call rand_level(key) = rand_level()"]);
    want.extend(lock_to_return);
    want.extend(["true: branch key == search_node()->key'", "true: branch where prev[1]'->next[0]' leads"]);
    want.extend(["NULL: return 0", "new struct node: return 0", "search_node(): return 0", "prev[1]': return 0"]);
    want.extend(["false: call create(key, value) = create()", "call rand_level(key) = rand_level()"]);
    want.extend(lock_to_return);
    assert_eq!(lines(&tree), want, "one prime for search_node, which writes prev, another for create");
    assert_eq!((&tree["paths"], &tree["left_out"]), (&json!(8), &json!([])));
    // Table 2: what is written on the way T F T, all under the lock of prev[0] alone.
    let unlock =
        &tree["nodes"].as_array().expect("a list").iter().find(|node| node["on"] == "true" && node["kind"] == "sync");
    let unlock = unlock.expect("a node");
    assert_eq!(
        unlock["writes"],
        json!([
            { "place": "create()->next[1]", "value": "prev[1]''->next[1]''" },
            { "place": "prev[1]''->next[1]", "value": "create()" },
        ])
    );
    assert_eq!(unlock["locks"], json!(["prev[0]''->mutex"]));
    assert_eq!(unlock["shape"], json!([{ "pointer": "prev[1]''", "pointee": "new struct node" }]));
}

/// The repaired twin looks at `prev[1]->next[0]` only behind a lock.
#[test]
fn the_repaired_example_locks_before_it_looks() {
    let found = |name: &str| {
        let tree = tree(&example(name), "insert");
        let nodes = tree["nodes"].as_array().expect("a list").clone();
        let accesses: Vec<Value> =
            nodes.iter().flat_map(|n| n["accesses"].as_array().cloned().unwrap_or_default()).collect();
        let of_lists = |access: &&Value| access["place"].as_str().is_some_and(|place| place.contains("->next["));
        accesses.iter().filter(of_lists).filter(|access| access["locks"] == json!([])).count()
    };
    assert!(found("skiplist.c") > 0);
    assert_eq!(found("skiplist_fixed.c"), 0);
}

const CALLS: &str = "#include <stdlib.h>
struct box { int full; int *at; };
static int reads(const struct box *b) { return b->full; }
static void writes(struct box *b) { b->full++; }
void unknown(struct box *b);
int after_reading(struct box *b) { int x = b->full; reads(b); return x + b->full; }
int after_writing(struct box *b) { int x = b->full; writes(b); return x + b->full; }
int after_unknown(struct box *b) { int x = b->full; unknown(b); return x + b->full; }
int of_a_local(void) { int x = 1, y = 2; struct box b = { 3, &x }; writes(&b); return b.full + *b.at + x + y; }
";

#[test]
fn what_a_call_may_have_written_is_unknown() {
    let last = |function: &str| lines(&tree(CALLS, function)).pop().unwrap_or_default();
    assert_eq!(last("after_reading"), "return b->full * 2");
    assert_eq!(last("after_writing"), "return b->full + b->full'");
    assert_eq!(last("after_unknown"), "return b->full + b->full'");
    assert_eq!(last("of_a_local"), "return b.full' + b.at'[0]' + x' + 2", "y is known to nobody else");
}

/// The routine of a once, and who signals or is joined, may write as well.
#[test]
fn what_others_may_have_written_is_unknown() {
    let source = "#include <pthread.h>
static int ready; static pthread_once_t once; static pthread_mutex_t m; static pthread_cond_t c;
static void init(void) { ready = 7; }
int first(void) { int x = ready; pthread_once(&once, init); return x == ready; }
int waits(void) { int x = ready; pthread_cond_wait(&c, &m); return x == ready; }
int joins(pthread_t t) { int x = ready; pthread_join(t, 0); return x == ready; }
int locks(void) { int x = ready; pthread_mutex_lock(&m); return x == ready; }";
    let last = |function: &str| lines(&tree(source, function)).pop().unwrap_or_default();
    for function in ["first", "waits"] {
        assert!(last(function).contains("ready'"), "{function}: {}", last(function));
    }
    assert_eq!(last("locks"), "return 1", "by itself");
}

/// A parameter that hides a global is another variable.
#[test]
fn a_parameter_is_not_the_global_of_its_name() {
    let source = "int key; int same(int *p, int key) { return *p == key; }";
    let lines = lines(&tree(source, "same"));
    assert!(lines.iter().all(|line| line != "return 1"), "{lines:#?}");
}

#[test]
fn a_function_that_calls_itself_is_summarised_once() {
    let source = "struct node { struct node *next; int n; };
int sum(struct node *l) { return l ? l->n + sum(l->next) : 0; }";
    let tree = tree(source, "sum");
    assert_eq!(
        lines(&tree),
        ["branch l != NULL", "false: return 0", "true: call sum(l->next) = sum()", "return l->n + sum()"]
    );
    assert_eq!(effects(&tree, "reads"), ["l->n = l->n", "l->next = l->next"]);
}

#[test]
fn loops_are_bounded_and_that_is_said() {
    let source = "int count(int n) { int c = 0; while (n > c) c++; return c; }";
    let tree = tree(source, "count");
    let ends = lines(&tree).into_iter().filter(|line| line.contains("return")).count();
    assert_eq!((ends, &tree["paths"]), (3, &json!(3)), "no round, one, two");
    assert_eq!(tree["left_out"], json!(["f.c:1: further rounds: --unroll 4"]));
    assert!(lines(&tree).iter().any(|line| line == "true: end not explored any further: further rounds: --unroll 4"));
}

#[test]
fn atomics_and_fences_are_nodes() {
    let source = "#include <stdatomic.h>
atomic_int flag; int data;
int take(void) {
    if (!atomic_load_explicit(&flag, memory_order_acquire)) return -1;
    atomic_thread_fence(memory_order_seq_cst);
    atomic_fetch_add_explicit(&flag, 1, memory_order_relaxed);
    return data;
}";
    let tree = tree(source, "take");
    assert_eq!(
        lines(&tree),
        [
            "sync atomic load of flag (acquire)",
            "branch flag != 0",
            "true: sync fence (seq_cst)",
            "sync atomic read-modify-write of flag (relaxed)",
            "return data",
            "false: return -1",
        ]
    );
    let accesses: Vec<&Value> = tree["nodes"]
        .as_array()
        .expect("a list")
        .iter()
        .flat_map(|node| node["accesses"].as_array().expect("a list"))
        .collect();
    let kinds: Vec<&str> = accesses.iter().filter_map(|access| access["access"].as_str()).collect();
    assert_eq!(kinds, ["read", "read_write", "read"]);
    assert_eq!(accesses[1]["order"], "relaxed");
    assert_eq!(accesses[2]["atomic"], false);
}

#[test]
fn ways_that_fail_end_in_the_tree() {
    let tree = tree("int div(int a, int b) { return a / b; }", "div");
    let lines = lines(&tree);
    assert!(lines.contains(&"true: end fails: division by zero".to_owned()), "{lines:#?}");
    assert_eq!(tree["paths"], json!(1));
}

#[test]
fn structures_by_value_have_their_members() {
    let source = "struct pair { short low; int high; int *at; };\n\
                  int pick(int k, struct pair p, int m) { return m == 3 && p.at && *p.at == k + p.high; }\n";
    let tree = tree(source, "pick");
    assert_eq!(tree["parameters"], json!(["k", "p", "m"]));
    let want = [
        "branch m == 3",
        "true: branch p.at != NULL",
        "false: return 0",
        "true: return (u32)(p.at[0] == k + p.high)",
        "false: return 0",
    ];
    assert_eq!(lines(&tree), want);
}

#[test]
fn what_is_not_known_is_said() {
    let source = "struct ops { int (*get)(void *); void *data; int n; };
int through(struct ops *o) { return o->get(o->data) + o->n; }
struct opaque; int look(struct opaque *o) { return o ? *(int *)o : 0; }
int untyped(void **p) { return *(int *)*p; }";
    let through = tree(source, "through");
    assert_eq!(lines(&through), ["call o->get(o->data) = o->get()", "return o->get() + o->n'"]);
    let look = lines(&tree(source, "look"));
    assert_eq!(look[..2], ["branch o != NULL", "false: return 0"]);
    assert!(look[2].starts_with("true: end not explored any further: "), "{look:#?}");
    let untyped = lines(&tree(source, "untyped"));
    assert!(
        untyped[0].starts_with("end not explored any further: what `p[0]` points to cannot be told"),
        "{untyped:#?}"
    );
}

#[test]
fn every_function_is_summarised_and_drawn() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("f.c"), CALLS).expect("a file");
    let first = run(directory.path(), &["f.c", "--svg", "trees"]);
    assert_eq!(first.status.code(), Some(0), "{}", String::from_utf8_lossy(&first.stderr));
    let text = String::from_utf8_lossy(&first.stdout).into_owned();
    for name in ["reads", "writes", "after_reading", "of_a_local"] {
        assert!(text.contains(&format!("{name}(")), "{text}");
        let picture = std::fs::read_to_string(directory.path().join(format!("trees/{name}.svg"))).expect("a picture");
        assert!(picture.starts_with("<svg") && picture.contains("return"), "{picture}");
    }
    assert!(!text.contains("bswap"), "inline functions of the system are left out");
    let second = run(directory.path(), &["f.c", "--svg", "trees"]);
    assert_eq!(first.stdout, second.stdout);
}

#[test]
fn a_function_that_there_is_not() {
    let directory = tempfile::tempdir().expect("a directory");
    std::fs::write(directory.path().join("f.c"), CALLS).expect("a file");
    let output = run(directory.path(), &["f.c", "--op", "read"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("there is no function `read`; did you mean reads, after_reading?"), "{said}");
    let output = run(directory.path(), &["f.c", "--op", "reads", "--svg", "f.c"]);
    assert_eq!(output.status.code(), Some(2), "a file is no directory");
}

/// A function is summarised again only if it, or what it can come to, has changed; wherever it stands.
#[test]
fn unchanged_functions_are_reused() {
    let directory = tempfile::tempdir().expect("a directory");
    let summaries = |source: &str, store: &[&str]| {
        std::fs::write(directory.path().join("f.c"), source).expect("a file");
        let output = run(directory.path(), &[&["f.c", "--format", "json"], store].concat());
        let mut document: Value = serde_json::from_slice(&output.stdout).expect("a document");
        let reused = document["store"].take();
        let text = run(directory.path(), &[&["f.c"], store].concat()).stdout;
        (document["functions"].take(), reused["reused"].as_u64(), String::from_utf8(text).expect("text"))
    };
    let source = "int x;\nstatic int f(int *p) { return *p + x; }\nint g(int *p) { *p = 1; return f(p); }\nint h(void) { return x; }\n";
    let (anew, nothing, _) = summaries(source, &["--no-store"]);
    assert_eq!(nothing, None);
    let store: &[&str] = &["--store", "kept"];
    let (first, reused, text) = summaries(source, store);
    assert_eq!((&first, reused), (&anew, Some(0)));
    assert!(text.contains("Reused: 3 of 3 functions"), "{text}");
    let moved = format!("// Two lines more.\n\n{source}");
    let (again, reused, _) = summaries(&moved, store);
    assert_eq!((&again, reused), (&summaries(&moved, &["--no-store"]).0, Some(3)), "two lines below");
    let changed = source.replace("*p + x", "x = *p");
    let (again, reused, _) = summaries(&changed, store);
    assert_eq!(
        (&again, reused),
        (&summaries(&changed, &["--no-store"]).0, Some(1)),
        "f writes, so g is another as well"
    );
    let (again, reused, _) = summaries(source, &["--store", "kept", "--unroll", "3"]);
    assert_eq!((&again, reused), (&anew, Some(0)), "within other bounds");
}
