//! How much of the code executions came to: the same whatever is left out because something else stands for it.

use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn raddle(folder: &Path, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_raddle"));
    let output = command.args(arguments).args(["--format", "json"]).current_dir(folder).output().expect("raddle runs");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)))
}

/// `LINE` or `LINE OUTCOME`, with the reason.
fn unreached(report: &Value) -> Vec<String> {
    let all = report["coverage"]["unreached"].as_array().unwrap_or_else(|| panic!("{report}"));
    let words = |place: &Value| {
        let outcome = if place["outcome"].is_null() { String::new() } else { format!(" {}", place["outcome"]) };
        format!("{}{outcome}: {}", place["line"], place["reason"].as_str().unwrap_or_default())
    };
    all.iter().map(words).collect()
}

const PROGRAM: &str = "#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int never(int a)
{
    return a + 1;
}
static int greatest(int a, int b)
{
    int i, n = a > b ? a : b;
    for (i = 0; i < 3; i++)
        n += i;
    return n;
}
static void *work(void *v)
{
    pthread_mutex_lock(&m);
    if (x > 5)
        x = 0;
    else
        x++;
    switch (x) {
    case 1: y = greatest(x, y); break;
    case 9: x = 1; break;
    default: y = greatest(y, x);
    }
    pthread_mutex_unlock(&m);
    return v;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    pthread_join(t, 0);
    if (x == 77)
        x = never(x);
    return x;
}
";

#[test]
fn what_is_reached_is_the_same_in_all_ways_of_searching() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    std::fs::write(folder.path().join("a.c"), PROGRAM).expect("writable");
    let expected = ["6", "10 false", "18 true", "19", "22 9", "24", "36 true", "37"]
        .map(|place| format!("{place}: within_bounds"));
    let ways: [&[&str]; 8] = [
        &[],
        &[],
        &["--strategy", "dpor", "--workers", "3"],
        &["--strategy", "unfolding"],
        &["--strategy", "unfolding", "--no-cutoffs"],
        &["--strategy", "states"],
        &["--summaries", "always"],
        &["--summaries", "never"],
    ];
    for way in ways {
        let report = raddle(folder.path(), &[&["check", "a.c"], way].concat());
        assert_eq!(report["verdict"], "safe");
        // The second run takes over what the first has found out.
        assert_eq!(unreached(&report), expected, "{way:?}");
        assert_eq!(report["coverage"]["lines"]["all"].as_u64(), Some(22), "{way:?}: {}", report["coverage"]);
        assert_eq!(report["coverage"]["lines"]["reached"].as_u64(), Some(18), "{way:?}");
    }
    // Its twin goes there.
    std::fs::write(folder.path().join("a.c"), PROGRAM.replace("== 77", "== 2")).expect("writable");
    let report = raddle(folder.path(), &["check", "a.c", "--lcov", "a.info"]);
    assert_eq!(
        unreached(&report),
        ["10 false", "18 true", "19", "22 9", "24", "36 false"].map(|place| format!("{place}: within_bounds"))
    );
    let info = std::fs::read_to_string(folder.path().join("a.info")).expect("it is written");
    assert!(info.contains("DA:19,0\n") && info.contains("DA:37,1\n") && info.contains("BRDA:36,"), "{info}");
}

#[test]
fn both_ways_at_once_are_both_taken() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let program = "#include <raddle.h>
int main(void)
{
    unsigned char n, most = 0;
    raddle_symbolic(&n, 1, \"n\");
    for (int i = 0; i < 4; i++)
        if (n >> i & 1)
            most += 3;
        else
            most += 1;
    return most > 200;
}
";
    std::fs::write(folder.path().join("a.c"), program).expect("writable");
    let report = raddle(folder.path(), &["check", "a.c"]);
    assert_eq!((unreached(&report), report["coverage"]["branches"]["all"].as_u64()), (vec![], Some(4)), "{report}");
    // A number of which one bit is known.
    std::fs::write(folder.path().join("a.c"), program.replace("n >> i & 1", "n & 0")).expect("writable");
    assert_eq!(unreached(&raddle(folder.path(), &["check", "a.c"])), ["7 true: within_bounds", "8: within_bounds"]);
}

#[test]
fn reasons_are_a_bound_a_missing_model_a_contract_or_none() {
    let folder = tempfile::tempdir().expect("a temporary directory");
    let at = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("writable");
    at(
        "bound.c",
        "#include <raddle.h>\nint main(void)\n{\n    unsigned n, i = 0;\n    raddle_symbolic(&n, 4, \"n\");\n    while (i < n)\n        i++;\n    if (i == 9)\n        return 1;\n    return 0;\n}\n",
    );
    let report = raddle(folder.path(), &["check", "bound.c", "--unroll", "5"]);
    assert_eq!(unreached(&report), ["8 true: loop_bound", "9: loop_bound"], "{report}");
    let library = "#include <stdlib.h>
int ask(int);
struct box { int n; };
struct box *make(void)
{
    struct box *b = malloc(sizeof *b);
    b->n = 0;
    return b;
}
void drop(struct box *b)
{
    free(b);
}
void put(struct box *b, int n)
{
    if (n == 3) {
        b->n = ask(n);
        b->n++;
    }
    b->n = n;
}
";
    at("box.c", library);
    let report = raddle(folder.path(), &["races", "box.c"]);
    let reasons = unreached(&report);
    // Alone, an operation does not come back from the call, so that no others meet it there.
    assert!(["16 true", "17", "18"].iter().all(|at| reasons.contains(&format!("{at}: external_call"))), "{reasons:?}");
    assert!(!reasons.iter().any(|at| at.starts_with("20")), "{reasons:?}");
    at("own.c", "static int g;\nvoid put(int n)\n{\n    g = n;\n}\nvoid init(void)\n{\n    g = 0;\n}\n");
    let kept_apart = raddle(folder.path(), &["races", "own.c", "--exclusive", "init"]);
    assert_eq!(unreached(&kept_apart), ["8: exclusive", "9: exclusive"]);
    assert_eq!(unreached(&raddle(folder.path(), &["races", "own.c"])), Vec::<String>::new());
}
