//! One finding of each cause in the report, all with `--full`, and any of them later with `raddle explain`.

mod support;

use support::{LIBRARY, Place, SAFE};

const RACES: [&str; 4] = ["races", "a.c", "--op", "add"];

fn library() -> Place {
    let place = Place::lowering(LIBRARY);
    place.write("lib.c", &format!("{}void add(struct list *l) {{ l->n++; }}\n", "\n".repeat(9)));
    place
}

#[test]
fn one_finding_of_each_cause_is_shown() {
    let place = library();
    let ran = place.run(&RACES);
    assert_eq!(ran.code, 10, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("raddle: 2 data races, from 1 cause (2 assumed)\n"), "{}", ran.stdout);
    assert_eq!(ran.stdout.matches("WARNING").count(), 1, "{}", ran.stdout);
    let full = place.run(&[&RACES[..], &["--full"]].concat());
    assert_eq!((full.code, full.stdout.matches("WARNING").count()), (10, 2), "{}", full.stdout);
    let (_, document) = place.json(&RACES);
    let cause = &document["causes"][0];
    assert_eq!((&cause["id"], &cause["field"]), (&"C1".into(), &"struct list.n".into()));
    assert_eq!(cause["findings"], serde_json::json!(["R1", "R2"]));
    for finding in document["findings"].as_array().expect("a list") {
        assert_eq!(finding["cause"], "C1");
    }
}

#[test]
fn findings_of_the_last_run_are_explained() {
    let place = library();
    assert_eq!(place.run(&RACES).code, 10);
    let (_, document) = place.json(&RACES);
    let shown = document["causes"][0]["representative"].as_str().expect("an id").to_owned();
    for (what, id) in [("R1", "R1"), ("R2", "R2"), ("C1", &shown), ("raddle-out/R2.witness.json", "R2")] {
        let ran = place.run(&["explain", what]);
        assert_eq!((ran.code, ran.stderr.as_str()), (0, ""), "{what}");
        let line = ran.stdout.lines().find(|line| line.starts_with("WARNING")).unwrap_or_default();
        assert!(line.contains(&format!("({id}, ")), "{what}: {}", ran.stdout);
        assert!(ran.stdout.contains("l->n++") && ran.stdout.contains("Schedule ("), "{}", ran.stdout);
        let (code, document) = place.json(&["explain", what]);
        assert_eq!((code, &document["finding"]["id"]), (0, &id.into()));
    }
}

#[test]
fn what_is_not_there_is_not_explained() {
    let place = library();
    let refused = |arguments: &[&str]| {
        let ran = place.run(&[&["explain"], arguments].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{arguments:?}");
        ran.stderr
    };
    assert!(refused(&["R1"]).contains("raddle-out: no such directory"));
    assert_eq!(place.run(&RACES).code, 10);
    assert!(refused(&["R3"]).contains("no `R3`; there are findings R1 to R2, and causes C1"));
    assert!(refused(&["C2"]).contains("no `C2`"));
    assert!(refused(&["R1", "--out", "elsewhere"]).contains("elsewhere: no such directory"));
    assert!(refused(&["lib.c"]).contains("not a raddle witness"));
    assert!(refused(&["nothing.json"]).contains("no such file"));
    assert_eq!(place.run(&["explain"]).code, 1);
    // A later run without findings takes the place of the last one.
    let safe = Place::lowering(SAFE);
    assert_eq!(safe.run(&["check", "a.c"]).code, 0);
    assert_eq!(safe.run(&["explain", "R1"]).code, 2);
}

#[test]
fn findings_of_the_last_run_go_by_their_ids_and_edits_are_said() {
    let place = library();
    assert_eq!(place.run(&RACES).code, 10);
    assert_eq!(place.run(&["replay", "R1"]).code, 10);
    assert_eq!(place.run(&["replay", "R9"]).code, 2);
    let written = place.run(&["test", "R1", "-o", "r1_test.c"]);
    assert_eq!((written.code, place.path("r1_test.c").exists()), (0, true), "{}", written.stderr);
    assert_eq!(place.run(&["explain", "R1"]).stderr, "");
    place.write("a.c", "int main(void) { return 1; }\n");
    let edited = place.run(&["explain", "R1"]);
    assert!(edited.code == 0 && edited.stderr.contains("a.c was changed after this was found"), "{}", edited.stderr);
}
