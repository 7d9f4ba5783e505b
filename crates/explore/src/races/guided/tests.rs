//! The worked examples of the papers, as C for two threads.

use super::guarded::Listing;
use super::paths::{OperationPath, operation_paths};
use crate::budget::meter::{Live, Meter};
use crate::{Budget, JointOptions, LibraryOptions, Operation, Origin, RootRule, Sequence};
use ir::FuncId;
use machine::{Config, Engine, Program, Repeats, State};
use memory::{Binding, HeapRules, Limits, PointerPlace};
use shapes::{Infeasible, Integrated, Link, combine};
use std::collections::BTreeSet;
use std::process::Command;
use std::sync::Arc;

/// Operations of a source.
struct Several {
    source: String,
    engine: Engine,
    given: State,
    /// Of each operation.
    ways: Vec<Vec<OperationPath>>,
}

/// Compiles C as raddle does.
fn compiled(source: &str) -> Program {
    let scratch = tempfile::tempdir().expect("a directory");
    let (c, rir) = (scratch.path().join("example.c"), scratch.path().join("example.rir"));
    std::fs::write(&c, source).expect("writable");
    // target/release/deps/explore-...: the lowering program is one up.
    let deps = std::env::current_exe().expect("a path");
    let frontend = deps.parent().and_then(|deps| deps.parent()).expect("a build directory").join("raddle-frontend");
    let done = Command::new(&frontend).args(["compile", "--output"]).arg(&rir).arg(&c).args(["--", "-w"]).output();
    let done = done.unwrap_or_else(|e| panic!("{}: {e}; run `make build`", frontend.display()));
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    let module = ir::binary::read(&std::fs::read(&rir).expect("readable")).expect("raddle's own format");
    Program::new(module, 2).expect("a program")
}

fn two(source: &str) -> Several {
    several(source, &["a", "b"])
}

fn several(source: &str, names: &[&str]) -> Several {
    let program = Arc::new(compiled(source));
    let function = |name: &str| -> FuncId { program.module.functions_named(name).next().expect("defined") };
    let operation = |name: &str| Operation::new(function(name), name);
    let config = Config { repeats: Repeats::Control, observe: true, ..Config::default() };
    let options = LibraryOptions {
        limits: Limits { depth: 4, array: 2, rules: HeapRules::default() },
        globals_symbolic: true,
        roots: RootRule::Same,
        valid: None,
        joint: JointOptions::default(),
        alone: config,
        together: Config::default(),
    };
    let origin = Origin::Library {
        program: Arc::clone(&program),
        threads: names.iter().map(|name| Sequence::from(operation(name))).collect(),
        options,
    };
    let solver = smt::Solving::z3().expect("a solver");
    let mut engine = Engine::new(program, solver, config);
    let (given, calls) = origin.base_state(&mut engine);
    let (budget, live) = (Budget::default(), Live::default());
    let all = |index| {
        let mut meter = Meter::new(&budget, &live, Some(10_000));
        let noted = (&mut meter, &mut Listing::default());
        operation_paths(&mut engine, &origin, (&given, &calls), index, 1_000, noted).expect("no failure")
    };
    let ways = (0..names.len()).map(all).collect();
    Several { source: source.to_owned(), engine, given, ways }
}

impl Several {
    /// The lightest way of `a` or `b` that makes an access in the line with this text.
    fn way(&self, side: usize, text: &str) -> &OperationPath {
        let program = &self.engine.program;
        let line = 1 + self.source.lines().position(|line| line.contains(text)).expect("a line") as u32;
        let at = |unit: &&OperationPath| {
            let line_of = |site| program.site_location(site).map(|at| program.module[at].line);
            unit.accesses.iter().any(|access| line_of(access.record.site) == Some(line))
        };
        self.ways[side].iter().filter(at).min_by_key(|unit| unit.weight()).expect("a way that comes to the line")
    }

    fn integrated(&self, a: &OperationPath, b: &OperationPath) -> Result<Integrated, Infeasible> {
        self.all_integrated(&[a, b])
    }

    fn all_integrated(&self, operation_paths: &[&OperationPath]) -> Result<Integrated, Infeasible> {
        let (program, demands) =
            (&self.engine.program, operation_paths.iter().map(|unit| &unit.demand).collect::<Vec<_>>());
        combine((&program.module, &program.facts), self.given.memory.shape(), &demands, &[])
    }

    /// Whether one value each satisfies both ways' conditions.
    fn values_agree(&mut self, a: &OperationPath, b: &OperationPath, heap: &Integrated) -> bool {
        let mut all: Vec<_> = a.demand.conditions.iter().chain(&b.demand.conditions).copied().collect();
        all.extend(heap.equal.iter().map(|&(x, y)| self.engine.terms.eq(x, y)));
        matches!(self.engine.solver.model(&mut self.engine.terms, &all), Ok(smt::Answer::Sat(_)))
    }
}

/// The object that a parameter leads to, and from there each pointer at an offset.
fn follow(heap: &Integrated, root: usize, offsets: &[u64]) -> Option<usize> {
    let object = |link: &Link<usize>| match *link {
        Link::To(node, 0) => Some(node),
        _ => None,
    };
    let start = object(heap.roots[root].as_ref()?)?;
    offsets.iter().try_fold(start, |node, offset| object(heap.nodes[node].links.get(offset)?))
}

const SKIP_LIST: &str = "
#include <pthread.h>
#include <stdlib.h>
struct node { struct node *next[2]; int key, value; pthread_mutex_t mutex; };

/* Thread a of SSRD's Figure 6, the path T F T: `curr` is what the search has returned, `prev` what it has filled in. */
int a(struct node *curr, struct node **prev, int k, int v, int level)
{
    if (curr != NULL && curr->key == k)
        return 0;
    if (curr == NULL)
        return 0;
    struct node *node = malloc(sizeof *node);
    pthread_mutex_lock(&prev[0]->mutex);
    node->next[0] = prev[0]->next[0];
    prev[0]->next[0] = node;
    if (level == 1) {
        node->next[1] = prev[1]->next[1];
        prev[1]->next[1] = node;
    }
    pthread_mutex_unlock(&prev[0]->mutex);
    return 1;
}

/* Thread b, the path T T T. Its `curr` is its own: parameters of one type are one object by their number. */
int b(struct node *other, struct node *curr, struct node **prev, int k, int v)
{
    if (curr != NULL && curr->key == k)
        if (curr == prev[1]->next[0] && prev[0] == curr)
            curr->value = v;
    return 0;
}
";

const NEXT: [u64; 2] = [0, 8];

/// SSRD, Figure 6. a: curr -> N0, prev[0] -> N1, prev[1] -> N3 (N2 is what it makes); b: curr -> N4, prev[1] -> N5,
/// N5.next[0] -> N4, prev[0] -> N4. Integrated: prev[0] -> N1 in both, curr of b -> N1, prev[1] -> N3 in both,
/// N3.next[0] -> N1.
#[test]
fn ssrd_figure_6_moves_what_b_needs_to_where_a_has_it() {
    let mut two = two(SKIP_LIST);
    let (a, b) = (two.way(0, "prev[1]->next[1] = node").clone(), two.way(1, "curr->value = v").clone());
    let heap = two.integrated(&a, &b).expect("they have a heap in common");
    let roots: Vec<&str> = {
        let shape = two.given.memory.shape();
        shape.roots().iter().map(|&root| shape.pointer(root).path.as_str()).collect()
    };
    assert_eq!(roots, ["curr", "prev", "curr_2"]);
    let n0 = follow(&heap, 0, &[]).expect("curr of a");
    let n1 = follow(&heap, 1, &[0]).expect("prev[0]");
    let n3 = follow(&heap, 1, &[8]).expect("prev[1]");
    assert_eq!(follow(&heap, 2, &[]), Some(n1), "curr of b");
    assert_eq!(follow(&heap, 1, &[8, NEXT[0]]), Some(n1), "N3.next[0]");
    let array = follow(&heap, 1, &[]).expect("prev");
    assert_eq!(BTreeSet::from([n0, n1, n3, array]).len(), heap.nodes.len(), "no object besides these");
    assert!(!heap.is_union(), "b's are forced by its comparisons, a's are not");
    assert!(two.values_agree(&a, &b, &heap));
}

const TREE: &str = "
#include <stddef.h>
struct node { struct node *child[1]; struct node *next; int key[2]; };

void a(struct node *p)
{
    int far = p->child[0]->next->key[0];
    p->next->child[0] = NULL;
    if (p->next->child[0] == NULL)
        p->child[0]->key[0] = far;
}

void b(struct node *p)
{
    if (p->next->child[0]->next->key[0] > 0)
        p->key[1] = 0;
}
";

/// DSGEN, Figure 6. a: N0.child[0] -> N1, N1.next -> N2, N0.next -> N3; b: N4.next -> N5, N5.child[0] -> N6, N6.next ->
/// N7. Integrated, with N4 = N0 and N5 = N3: N3.child[0] -> N6, N6.next -> N7.
#[test]
fn dsgen_figure_6_is_a_union() {
    let mut two = two(TREE);
    let (a, b) = (two.way(0, "= far").clone(), two.way(1, "key[1] = 0").clone());
    let heap = two.integrated(&a, &b).expect("they have a heap in common");
    let (child, next) = (0, 8);
    let all = [&[][..], &[child], &[child, next], &[next], &[next, child], &[next, child, next]];
    let nodes: BTreeSet<usize> = all.iter().filter_map(|path| follow(&heap, 0, path)).collect();
    assert_eq!((nodes.len(), heap.nodes.len()), (6, 6), "N0, N1, N2, N3, N6, N7, all different");
    assert_eq!((heap.is_union(), heap.adjustments), (true, 0));
    assert!(two.values_agree(&a, &b, &heap));
}

/// DSGEN, Figure 7. As before, but a forces N3.child[0] = N1.next: N5.child[0] moves from N6 to N2, so that N2.next -> N7.
#[test]
fn dsgen_figure_7_moves_a_relation() {
    let forced = "p->next->child[0] = NULL;\n    if (p->next->child[0] == NULL)";
    let mut two = two(&TREE.replace(forced, "\n    if (p->next->child[0] == p->child[0]->next)"));
    let (a, b) = (two.way(0, "= far").clone(), two.way(1, "key[1] = 0").clone());
    let heap = two.integrated(&a, &b).expect("they have a heap in common");
    let (child, next) = (0, 8);
    let n2 = follow(&heap, 0, &[child, next]).expect("N2");
    assert_eq!(follow(&heap, 0, &[next, child]), Some(n2), "N3.child[0]");
    assert!(follow(&heap, 0, &[child, next, next]).is_some(), "N2.next -> N7");
    assert_eq!(heap.nodes.len(), 5, "N0, N1, N2, N3, N7");
    assert_eq!(heap.adjustments, 1);
    assert!(two.values_agree(&a, &b, &heap));
}

const CONFLICTS: &str = "
#include <stddef.h>
struct node { struct node *left, *right; int key; };
int a(struct node *p)
{
    if (p->left == NULL)
        return 1;
    if (p->left != p->right && p->right != NULL)
        p->key = 1;
    return p->right->key;
}
int b(struct node *p)
{
    if (p->left == p->right)
        return p->left->key;
    if (p->left == NULL)
        p->key = 2;
    return 0;
}
";

/// What one path follows and the other finds to be null, or what both follow and one tells apart, has no heap.
#[test]
fn conflicts_are_told_by_their_reason() {
    let two = two(CONFLICTS);
    let (differ, same, none) = (two.way(0, "p->key = 1"), two.way(1, "return p->left->key"), two.way(1, "p->key = 2"));
    assert_eq!(two.integrated(differ, same).expect_err("left and right"), Infeasible::Distinct);
    assert_eq!(two.integrated(differ, none).expect_err("left is null"), Infeasible::Null);
}

/// Whether some identification of objects suits both ways, as a solver sees it: a number for each object, equal where they
/// are one. No code in common with [`combine`].
fn solver_finds_a_heap(two: &mut Several, ways: [&OperationPath; 2]) -> bool {
    let shapes = ways.map(|way| &way.demand.shape);
    let given = two.given.memory.shape();
    let Engine { terms, program, solver, .. } = &mut two.engine;
    let mut class = |side: usize, object: memory::ObjId| terms.var(&format!("class of {side}:{object}"), 8);
    let mut objects = Vec::new();
    for (side, shape) in shapes.iter().enumerate() {
        for object in shape.objects() {
            objects.push((side, object, class(side, object.object)));
        }
    }
    let target = |side: usize, decision: Binding| match decision {
        Binding::Target(to) => objects
            .iter()
            .find(|(at, object, _)| (*at, object.object) == (side, to.object))
            .map(|found| (found.2, to.offset)),
        _ => None,
    };
    // What two pointers have to satisfy to be one.
    let same = |terms: &mut smt::Terms, x: (usize, Binding), y: (usize, Binding)| match (x.1, y.1) {
        (Binding::Open, _) | (_, Binding::Open) => terms.tru(),
        (Binding::Null, Binding::Null) => terms.tru(),
        (Binding::Null, _) | (_, Binding::Null) => terms.fls(),
        (Binding::NonNull, _) | (_, Binding::NonNull) => terms.tru(),
        (Binding::Target(p), Binding::Target(q)) => match (target(x.0, x.1), target(y.0, y.1)) {
            (Some(x), Some(y)) if x.1 == y.1 => terms.eq(x.0, y.0),
            (None, None) if p == q => terms.tru(),
            _ => terms.fls(),
        },
        (Binding::Tagged { .. } | Binding::TaggedNull(_), _) | (_, Binding::Tagged { .. } | Binding::TaggedNull(_)) => {
            panic!("nothing here looks at the lowest bits of an address")
        }
    };
    let mut all = Vec::new();
    for (&x, &y) in shapes[0].roots().iter().zip(shapes[1].roots()) {
        all.push(same(terms, (0, shapes[0].pointer(x).decision), (1, shapes[1].pointer(y).decision)));
    }
    let module = &program.module;
    for (i, &(a, x, of_x)) in objects.iter().enumerate() {
        for &(b, y, of_y) in &objects[..i] {
            let one = terms.eq(of_x, of_y);
            if a != b && x.object == y.object && given.object(x.object).is_some() {
                all.push(one);
            }
            let typed = module.same_type(x.ty, y.ty) && x.size == y.size;
            let mut follows = if typed { terms.tru() } else { terms.fls() };
            for (_, p) in shapes[a]
                .pointers()
                .filter(|(_, p)| matches!(p.place, PointerPlace::Cell { object, .. } if object == x.object))
            {
                for (_, q) in shapes[b]
                    .pointers()
                    .filter(|(_, q)| matches!(q.place, PointerPlace::Cell { object, .. } if object == y.object))
                {
                    let offset = |place: &PointerPlace| match place {
                        PointerPlace::Cell { offset, .. } => Some(*offset),
                        PointerPlace::Root => None,
                    };
                    if offset(&p.place) == offset(&q.place) {
                        let equal = same(terms, (a, p.decision), (b, q.decision));
                        follows = terms.and(follows, equal);
                    }
                }
            }
            let different = terms.not(one);
            all.push(terms.or(different, follows));
        }
    }
    for (side, way) in ways.iter().enumerate() {
        for &(x, y) in &way.demand.distinct {
            let of =
                |object| objects.iter().find(|found| (found.0, found.1.object) == (side, object)).map(|found| found.2);
            if let (Some(x), Some(y)) = (of(x), of(y)) {
                all.push(terms.ne(x, y));
            }
        }
    }
    matches!(solver.model(terms, &all), Ok(smt::Answer::Sat(_)))
}

#[test]
fn the_solver_agrees_on_which_ways_have_a_heap_in_common() {
    let skip_list = include_str!("../../../../../examples/skiplist.c");
    let sources = [
        (SKIP_LIST, ["a", "b"]),
        (TREE, ["a", "b"]),
        (CONFLICTS, ["a", "b"]),
        (CONFLICTS, ["b", "b"]),
        (skip_list, ["insert", "search"]),
    ];
    let (mut feasible, mut not) = (0, 0);
    for (source, names) in sources {
        let mut two = several(source, &names);
        let (all_a, all_b) = (two.ways[0].clone(), two.ways[1].clone());
        for (a, b) in all_a.iter().flat_map(|a| all_b.iter().map(move |b| (a, b))).step_by(all_a.len().div_ceil(20)) {
            let combined = two.integrated(a, b);
            assert_eq!(solver_finds_a_heap(&mut two, [a, b]), combined.is_ok(), "{names:?}: {combined:?}");
            *(if combined.is_ok() { &mut feasible } else { &mut not }) += 1;
        }
    }
    assert!(feasible > 100 && not > 100, "{feasible} and {not}");
}

// Each of three follows the list one step further, and says where it ends or meets itself: the heap is the least that has all.
#[test]
fn three_paths_share_the_least_heap() {
    let source = "
struct node { struct node *next; int key; };
void a(struct node *p) { p->next->key = 1; }
void b(struct node *p) { if (p->next->next == p) p->next->key = 2; /* ring */ }
void c(struct node *p) { if (p->next->next == 0) p->next->key = 3; /* end */ }
";
    let three = several(source, &["a", "b", "c"]);
    let writes = |unit: &&OperationPath| unit.accesses.iter().any(|access| access.record.kind.writes());
    let path = |side: usize| three.ways[side].iter().filter(writes).min_by_key(|unit| unit.weight()).expect("a path");
    let [any, ring, end] = [0, 1, 2].map(path);
    let heap = three.all_integrated(&[any, ring, any]).expect("a ring of two");
    assert_eq!(heap.nodes.len(), 2);
    assert_eq!(follow(&heap, 0, &[0, 0]), follow(&heap, 0, &[]), "it leads back");
    assert_eq!(three.all_integrated(&[any, end, any]).expect("two in a row").nodes.len(), 2);
    assert_eq!(three.all_integrated(&[any, ring, end]).err(), Some(Infeasible::Null), "no end in a ring");
}
