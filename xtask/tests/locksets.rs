//! What `locksets` proves, and what it must not: asked without running the programs, where a wrong proof could hide behind a race that is found.

use std::path::Path;
use xtask::engine::{lower, lower_file};

/// Whether it is shown that a program has no race.
fn is_proved(module: &ir::Module) -> bool {
    let main = module.functions_named("main").next().expect("a program has main");
    locksets::prove(module, main).is_ok()
}

#[test]
fn what_is_proved_of_the_ui_test() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/ui/property/locksets.c");
    let text = std::fs::read_to_string(&source).expect("the test is there");
    let list = |line: &str, end: &str| -> Vec<String> {
        let names = line.split_once('[').and_then(|(_, rest)| rest.split_once(end)).expect("a list").0;
        names.split(',').map(str::to_owned).collect()
    };
    let assumed = text.lines().find(|line| line.ends_with("] ASSUMED locksets")).expect("what is proved is listed");
    let proved = list(assumed, "]");
    let revisions = text.lines().find_map(|line| line.strip_prefix("//@ revisions: ")).expect("revisions");
    assert!(proved.len() > 10 && revisions.split(' ').count() > proved.len() + 8);
    for revision in revisions.split(' ').filter(|revision| *revision != "run") {
        let module = lower_file(&source, &["-w", &format!("-D{revision}")]).expect("it compiles");
        assert_eq!(is_proved(&module), proved.iter().any(|name| name == revision), "{revision}");
    }
}

/// Programs of two threads: what stands outside of functions, what the other thread does, what `main` does before it creates that one, and
/// while it is there.
const RACY: [(&str, [&str; 4]); 20] = [
    (
        "a lock is overwritten",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER; int x;",
            "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&n); x = 1; pthread_mutex_lock(&n); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
            "",
            "pthread_mutex_lock(&n); memset(&m, 0, sizeof m); pthread_mutex_lock(&m); pthread_mutex_unlock(&n); x = 2; pthread_mutex_lock(&n); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);",
        ],
    ),
    (
        "a byte of an address is another",
        ["_Alignas(256) int a[64]; int *p = a;", "*p = 1;", "*(char *)&p = 4;", "a[1] = 2;"],
    ),
    (
        "one of several readers has ended",
        [
            "int x;",
            "int y = x; (void)y;",
            "pthread_t u; for (int i = 0; i < 3; i++) pthread_create(&u, 0, other, 0); pthread_join(u, 0); x = 2;",
            "",
        ],
    ),
    (
        "one of several has ended",
        [
            "int x;",
            "x = 1;",
            "pthread_t u; for (int i = 0; i < 3; i++) pthread_create(&u, 0, other, 0); pthread_join(u, 0); x = 2;",
            "",
        ],
    ),
    (
        "given back through a pointer that may lead to it",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, *p = &m; int x;",
            "pthread_mutex_lock(&m); pthread_mutex_unlock(p); x = 1;",
            "if (x) p = &n;",
            "pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
        ],
    ),
    ("a block is filled", ["int a[4];", "memset(a, 1, sizeof a);", "", "memset(a, 2, sizeof a);"]),
    ("of a member", ["struct { int a, b; } s;", "memset(&s.b, 1, 4);", "", "s.b = 2;"]),
    (
        "a structure is passed beside named arguments",
        [
            "struct s { int *p; long more[4]; } s; int x; void f(int n, ...) { va_list l; va_start(l, n); struct s c = va_arg(l, struct s); *c.p = n; va_end(l); }",
            "x = 1;",
            "s.p = &x;",
            "f(1, s);",
        ],
    ),
    (
        "a mark in an address is changed",
        ["long x[2]; long *p = x;", "x[1] = 1;", "*(char *)&p = (char)((long)x + 8);", "*p = 2;"],
    ),
    (
        "two addresses are copied as one number",
        [
            "int x; struct two { int *a, *b; } from, to; typedef unsigned __int128 wide;",
            "x = 1;",
            "from.b = &x; *(wide *)&to = *(wide *)&from;",
            "*to.b = 2;",
        ],
    ),
    (
        "a thread that asks for itself",
        ["int x;", "x = 1;", "", "pthread_t me = t; if (x) me = pthread_self(); pthread_join(me, 0); x = 2;"],
    ),
    ("an address among indices", ["char x;", "x = 1;", "", "char *none = 0; none[(unsigned long)&x] = 2;"]),
    (
        "an address by way of a double",
        ["long x;", "x = 1;", "", "double d = (double)(unsigned long)&x; *(long *)(unsigned long)d = 2;"],
    ),
    (
        "a time that is left",
        ["struct timespec left;", "left.tv_sec = 1;", "", "struct timespec s = {0, 1}; nanosleep(&s, &left);"],
    ),
    (
        "attributes are read",
        [
            "pthread_attr_t a;",
            "pthread_attr_setstacksize(&a, 1 << 20);",
            "pthread_attr_init(&a);",
            "pthread_t u; pthread_create(&u, &a, other, 0);",
        ],
    ),
    (
        "the id is stored late",
        ["pthread_t id;", "pthread_t seen = id; (void)seen;", "pthread_create(&id, 0, other, 0);", ""],
    ),
    (
        "read and then write, of one lock",
        [
            "pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER; int x;",
            "pthread_rwlock_rdlock(&l); x = 1; pthread_rwlock_unlock(&l);",
            "",
            "pthread_rwlock_rdlock(&l); pthread_rwlock_wrlock(&l); x = 2;",
        ],
    ),
    (
        "the lock is another one by then",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER, *p = &m; int x;",
            "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
            "",
            "p = &n; pthread_mutex_lock(p); x = 2; pthread_mutex_unlock(p);",
        ],
    ),
    (
        "the lock is made anew",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x;",
            "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
            "",
            "pthread_mutex_init(&m, 0); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
        ],
    ),
    (
        "a child outlives who made it",
        [
            "int x; void *child(void *a) { x = 1; return a; }",
            "pthread_t u; pthread_create(&u, 0, child, 0);",
            "",
            "pthread_join(t, 0); x = 2;",
        ],
    ),
];

/// The same without a race: each is proved.
const FREE: [(&str, [&str; 4]); 6] = [
    ("a block is filled before", ["int a[4];", "a[1] = 1;", "memset(a, 2, sizeof a);", ""]),
    ("other members", ["struct { int a, b; } s;", "memset(&s.b, 1, 4);", "", "s.a = 2;"]),
    ("the thread has ended", ["int x;", "x = 1;", "", "pthread_join(t, 0); x = 2;"]),
    (
        "one lock through a pointer",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, *p = &m; int x;",
            "pthread_mutex_lock(p); x = 1; pthread_mutex_unlock(p);",
            "",
            "pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
        ],
    ),
    (
        "an address is copied whole",
        [
            "int x; struct two { int *a, *b; } from, to; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;",
            "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
            "from.b = &x; to = from;",
            "pthread_mutex_lock(&m); *to.b = 2; pthread_mutex_unlock(&m);",
        ],
    ),
    (
        "a child of who has ended, beside its lock",
        [
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; int x; void *child(void *a) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return a; }",
            "pthread_t u; pthread_create(&u, 0, child, 0);",
            "",
            "pthread_join(t, 0); pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m);",
        ],
    ),
];

fn program([outside, thread, before, beside]: [&str; 4]) -> ir::Module {
    let source = format!(
        "#include <pthread.h>\n#include <stdarg.h>\n#include <string.h>\n#include <time.h>\nstatic void *other(void *arg);\n{outside}\n\
         static void *other(void *arg) {{ {thread} return arg; }}\n\
         int main(void) {{ pthread_t t; {before} pthread_create(&t, 0, other, 0); {beside} return 0; }}\n"
    );
    lower(&source, tempfile::tempdir().expect("a directory").path()).expect("it compiles")
}

#[test]
fn what_races_is_not_proved() {
    for (name, parts) in RACY {
        assert!(!is_proved(&program(parts)), "{name}");
    }
}

#[test]
fn what_does_not_race_is_proved() {
    for (name, parts) in FREE {
        assert!(is_proved(&program(parts)), "{name}");
    }
}
