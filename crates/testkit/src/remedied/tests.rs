use super::*;

const HEAD: &str = "struct pair {\n    pthread_mutex_t lock, other;\n    unsigned a, b;\n};\n";

fn operation(name: &str, body: &[&str]) -> String {
    format!("unsigned {name}(struct pair *q)\n{{\n    unsigned t0 = 0, t1 = 0;\n    {}\n}}\n", body.join("\n    "))
}

fn library(bodies: [&[&str]; 2]) -> Vec<Operation> {
    let source = format!("{HEAD}{}{}", operation("one", bodies[0]), operation("two", bodies[1]));
    parse(&source).unwrap_or_else(|line| panic!("{line}"))
}

const LOCK: &str = "pthread_mutex_lock(&q->lock);";
const UNLOCK: &str = "pthread_mutex_unlock(&q->lock);";

#[test]
fn whatever_is_generated_can_be_read() {
    for seed in 0..300 {
        let source = generate(seed);
        let operations = parse(&source).unwrap_or_else(|line| panic!("seed {seed}: {line}"));
        assert_eq!(operations.len(), 2);
        assert_eq!(generate(seed), source);
    }
}

#[test]
fn what_is_of_no_known_form_is_refused() {
    assert_eq!(parse(&operation("one", &["q->c++;"])), Err("q->c++;".to_owned()));
    assert_eq!(parse(&operation("one", &["q->a *= 2;"])), Err("q->a *= 2;".to_owned()));
}

#[test]
fn an_update_in_two_sections_may_be_lost_and_one_in_one_section_is_not() {
    let [whole, parts]: [&[&str]; 2] = [
        &[LOCK, "t0 = q->a;", "q->a = t0 + 1;", UNLOCK, "return t0;"],
        &[LOCK, "t0 = q->a;", UNLOCK, LOCK, "q->a = t0 + 1;", UNLOCK, "return t0;"],
    ];
    let bare: &[&str] = &["t0 = q->a;", "q->a = t0 + 1;", "return t0;"];
    let original = library([bare, whole]);
    let fine = judge(&original, &library([whole, whole]));
    assert_eq!(fine, Judged::default());
    let lost = judge(&original, &library([parts, whole]));
    assert!(lost.is_new && !lost.is_as_before && !lost.is_stuck && !lost.is_changed);
    // What may be lost without a race was lost before.
    let counts = |counting: &[&'static str]| {
        let mut body = vec![LOCK, "t0 = q->a;", "q->a = t0 + 1;", UNLOCK];
        body.extend_from_slice(counting);
        body.push("return t0;");
        body
    };
    let (bare, kept) = (counts(&["q->b++;"]), counts(&[LOCK, "q->b++;", UNLOCK]));
    let before = judge(&library([parts, &bare]), &library([parts, &kept]));
    assert!(before.is_new && before.is_as_before, "{before:?}");
}

#[test]
fn an_atomic_update_is_one_step() {
    let original = library([&["q->a++;", "return 1;"], &["q->b++;", "return 1;"]]);
    let patched =
        library([&["__atomic_fetch_add(&q->a, 1, __ATOMIC_RELAXED);", "return 1;"], &["q->b++;", "return 1;"]]);
    assert!(!judge(&original, &patched).is_new);
    let halves = library([
        &["__atomic_store_n(&q->a, __atomic_load_n(&q->a, __ATOMIC_RELAXED) + 1, __ATOMIC_RELAXED);", "return 1;"],
        &["q->b++;", "return 1;"],
    ]);
    assert!(judge(&original, &halves).is_new);
}

#[test]
fn a_lock_that_is_kept_is_seen() {
    let original = library([&["q->a++;", "return 1;"], &["q->b++;", "return 1;"]]);
    let kept = judge(&original, &library([&[LOCK, "q->a++;", "return 1;"], &["q->b++;", "return 1;"]]));
    assert!(kept.is_stuck && kept.is_changed);
    assert!(goes_wrong(&library([&[LOCK, "q->a++;", "return 1;"], &["return 1;"]])));
    assert!(goes_wrong(&original), "it races");
    assert!(!goes_wrong(&library([&[LOCK, "q->a++;", UNLOCK, "return 1;"], &["return 1;"]])));
    let other = judge(&original, &library([&["q->a++;", "q->b = 0;", "return 1;"], &["q->b++;", "return 1;"]]));
    assert!(other.is_changed);
}
