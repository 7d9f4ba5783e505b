//! A skip list after SSRD's Listing 2: every access has a type and a path.

mod support;

use ir::{DebugType, Op, Operand};
use support::{accesses, compile, function, ops, paths, type_name};

const SKIP_LIST: &str = r#"
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#define LEVELS 2
typedef struct node {
    int key, value;
    struct node *next[LEVELS];
    pthread_mutex_t mutex;
} node_t;

int rand_level(void);

static node_t *create(int k, int v)
{
    node_t *n = malloc(sizeof *n);
    n->key = k;
    n->value = v;
    n->next[0] = n->next[1] = NULL;
    pthread_mutex_init(&n->mutex, NULL);
    return n;
}

node_t *search_node(node_t *h, int k, int i, node_t **pre)
{
    node_t *next = NULL;
    if (h->next[i] != NULL && h->next[i]->key < k)
        next = h->next[i];
    if (next != NULL)
        return search_node(next, k, i, pre);
    pre[i] = h;
    if (i == 0)
        return h->next[i];
    return search_node(h, k, i - 1, pre);
}

bool insert(node_t *h, int k, int v)
{
    node_t *prev[LEVELS];
    node_t *curr = search_node(h, k, 1, prev);
    if (curr != NULL && curr->key == k) {
        if (curr == prev[1]->next[0])
            curr->value = v;
        return false;
    }
    node_t *node = create(k, v);
    int level = rand_level();
    pthread_mutex_lock(&prev[0]->mutex);
    node->next[0] = prev[0]->next[0];
    prev[0]->next[0] = node;
    if (level == 1) {
        node->next[1] = prev[1]->next[1];
        prev[1]->next[1] = node;
    }
    pthread_mutex_unlock(&prev[0]->mutex);
    return true;
}
"#;

#[test]
fn every_access_is_typed() {
    let module = compile(SKIP_LIST);
    let mut count = 0;
    for name in ["create", "search_node", "insert"] {
        let function = function(&module, name);
        for address in accesses(function) {
            let Operand::Reg(reg) = address else { panic!("{name}: {address:?}") };
            assert!(function.register(reg).points_to.is_some(), "{name}: {reg}");
            count += 1;
        }
    }
    assert_eq!(count, 26);
}

#[test]
fn every_address_has_a_path_within_its_record() {
    let module = compile(SKIP_LIST);
    let insert = function(&module, "insert");
    let expected = [
        "[0]",
        "->key",
        "[1]",
        "->next[0]",
        "->value",
        "[0]",
        "->mutex",
        "[0]",
        "->next[0]",
        "->next[0]",
        "[0]",
        "->next[0]",
        "[1]",
        "->next[1]",
        "->next[1]",
        "[1]",
        "->next[1]",
        "[0]",
        "->mutex",
    ];
    assert_eq!(paths(insert), expected);
    for op in ops(insert) {
        if let Op::Offset { path, within: Some(within), array, .. } = op {
            let record = type_name(&module, *within);
            assert!(matches!(record.as_str(), "struct node" | "node_t" | "node_t * [2]"), "{path} in {record}");
            assert!(!array, "{path}");
        }
    }
    let search = function(&module, "search_node");
    assert_eq!(paths(search), ["->next[i]", "->next[i]", "->key", "->next[i]", "[i]", "->next[i]"]);
    let steps_over = |op: &Op| matches!(op, Op::Offset { path, array: true, .. } if path == "[i]");
    assert_eq!(ops(search).filter(|op| steps_over(op)).count(), 1);
}

#[test]
fn positions_are_those_of_the_accesses() {
    let module = compile(SKIP_LIST);
    let insert = function(&module, "insert");
    let lines: Vec<&str> = SKIP_LIST.lines().collect();
    let found: Vec<(&str, u32)> = support::insts(insert)
        .filter(|i| matches!(i.op, Op::Store { .. }))
        .map(|i| {
            let location = &module[i.location.expect("a position")];
            assert_eq!((location.function.as_str(), &module[location.file].path[..]), ("insert", "t.c"));
            (lines[location.line as usize - 1].trim(), location.column)
        })
        .collect();
    let expected = [
        ("curr->value = v;", 25),
        ("node->next[0] = prev[0]->next[0];", 19),
        ("prev[0]->next[0] = node;", 22),
        ("node->next[1] = prev[1]->next[1];", 23),
        ("prev[1]->next[1] = node;", 26),
    ];
    assert_eq!(found, expected);
}

#[test]
fn parameters_and_variables_are_named() {
    let module = compile(SKIP_LIST);
    let search = function(&module, "search_node");
    let declared: Vec<(&str, String)> =
        search.source_params.iter().map(|p| (p.name.as_str(), type_name(&module, p.ty))).collect();
    let expected = [("h", "node_t *"), ("k", "int"), ("i", "int"), ("pre", "node_t * *")];
    assert_eq!(declared, expected.map(|(n, t)| (n, t.to_owned())));
    assert_eq!(search.return_type.map(|t| type_name(&module, t)).as_deref(), Some("node_t *"));
    let names: Vec<&str> = search.params.iter().filter_map(|p| search.register(p.reg).name.as_deref()).collect();
    assert_eq!(names, ["h", "k", "i", "pre"]);
    let insert = function(&module, "insert");
    for name in ["curr", "node", "level"] {
        assert!(insert.registers.iter().any(|r| r.name.as_deref() == Some(name)), "{name}");
    }
    let prev = ops(insert).find_map(|op| match op {
        Op::Alloca { name: Some(name), ty: Some(ty), size: 16, .. } if name == "prev" => Some(*ty),
        _ => None,
    });
    assert!(matches!(&module[module.strip(prev.expect("prev"))], DebugType::Array { count: Some(2), .. }));
}

#[test]
fn operations_are_visible_and_helpers_are_not() {
    let module = compile(SKIP_LIST);
    let external: Vec<&str> =
        module.functions.iter().filter(|f| f.external && !f.is_declaration()).map(|f| f.name.as_str()).collect();
    assert_eq!(external, ["search_node", "insert"]);
    let mut declared: Vec<&str> =
        module.functions.iter().filter(|f| f.is_declaration()).map(|f| f.name.as_str()).collect();
    declared.sort_unstable();
    assert_eq!(declared, ["malloc", "pthread_mutex_init", "pthread_mutex_lock", "pthread_mutex_unlock", "rand_level"]);
    assert!(module.functions.iter().all(|f| !f.address_taken));
}
