//! An earlier report: what it has is known, and only what is new counts.

mod support;

use serde_json::Value;
use support::{LIBRARY, Place, SAFE};

/// Of the library: `add` against itself.
const RACES: [&str; 4] = ["races", "a.c", "--op", "add"];

fn place() -> (Place, Value) {
    let place = Place::lowering(LIBRARY);
    let (code, report) = place.json(&RACES);
    assert_eq!(code, 10);
    place.write("base.json", &report.to_string());
    (place, report)
}

fn compared(place: &Place, baseline: &str) -> (i32, Value) {
    place.json(&[&RACES[..], &["--baseline", baseline]].concat())
}

fn lines(text: &str) -> String {
    // The same code elsewhere: `add` is moved down, as a comment above it would.
    text.replace("file0:10:", "file0:20:")
}

#[test]
fn what_is_known_does_not_count() {
    let (place, before) = place();
    let (code, now) = compared(&place, "base.json");
    let all = before["findings"].as_array().map(Vec::len);
    assert_eq!((code, now["verdict"].as_str()), (0, Some("safe")));
    assert_eq!(now["suppressed_findings"].as_array().map(Vec::len), all);
    assert_eq!(now["baseline"]["known"].as_u64().map(|known| known as usize), all);
    assert_eq!((&now["baseline"]["new"], &now["baseline"]["gone"]), (&0.into(), &Value::Array(Vec::new())));
    // A report with known findings is a baseline, too.
    place.write("next.json", &now.to_string());
    assert_eq!(compared(&place, "next.json").0, 0);
    let text = place.run(&[&RACES[..], &["--baseline", "base.json"]].concat()).stdout;
    assert!(text.contains("Known:") && text.contains("base.json: 2 known, 0 new"), "{text}");
}

#[test]
fn what_is_new_counts() {
    let (place, mut before) = place();
    let findings = before["findings"].as_array_mut().expect("a list");
    findings.truncate(1);
    place.write("base.json", &before.to_string());
    let (code, now) = compared(&place, "base.json");
    assert_eq!((code, &now["baseline"]["known"], &now["baseline"]["new"]), (10, &1.into(), &1.into()));
    // As many are known as there were: one more that says the same is new.
    let contents: Vec<&Value> =
        now["findings"].as_array().into_iter().flatten().map(|finding| &finding["content"]).collect();
    assert!(contents.iter().all(|content| content.as_str().is_some_and(|text| text.starts_with("1:"))));
}

#[test]
fn what_is_gone_is_mended_if_the_same_was_explored() {
    let (place, mut before) = place();
    let other = &mut before["findings"][0];
    other["content"] = "1:0123".into();
    place.write("base.json", &before.to_string());
    let (_, now) = compared(&place, "base.json");
    assert_eq!((&now["baseline"]["gone"][0]["id"], &now["baseline"]["open"]), (&"R1".into(), &Value::Null));
    let flags = [&RACES[..], &["--depth", "2", "--baseline", "base.json"]].concat();
    let (_, now) = place.json(&flags);
    assert_eq!(now["baseline"]["open"], "the bounds are others now");
}

#[test]
fn findings_are_known_where_their_code_has_moved() {
    let (place, before) = place();
    let moved = Place::lowering(&lines(LIBRARY));
    moved.write("base.json", &before.to_string());
    let (code, now) = compared(&moved, "base.json");
    assert_eq!((code, &now["baseline"]["new"]), (0, &0.into()), "{now:#}");
    drop(place);
}

#[test]
fn what_is_no_baseline_is_refused() {
    let (place, before) = place();
    let refused = |text: &str, why: &str| {
        place.write("other.json", text);
        let (code, document) = compared(&place, "other.json");
        let message = document["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((code, &document["error"]["kind"]), (2, &"baseline".into()), "{message}");
        assert!(message.contains("--baseline other.json: ") && message.contains(why), "{message}");
    };
    refused("", "no report of raddle's");
    refused("{}", "no report of raddle's");
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut other = before.clone();
        change(&mut other);
        other.to_string()
    };
    refused(&changed(&|report| report["schema"] = "raddle-report/9".into()), "raddle-report/9");
    refused(&changed(&|report| report["command"] = "check".into()), "it is a report of `raddle check`");
    refused(&changed(&|report| report["sources"] = vec!["b.c"].into()), "of another program: of b.c");
    refused(&changed(&|report| report["findings"][0]["content"] = "9:0".into()), "another version of raddle");
    refused(&changed(&|report| report["error"] = "none".into()), "of an error");
    let (code, document) = compared(&place, "none.json");
    assert_eq!((code, &document["error"]["kind"]), (2, &"baseline".into()));
    let safe = Place::lowering(SAFE);
    let (_, report) = safe.json(&["check", "a.c"]);
    safe.write("base.json", &report.to_string());
    assert_eq!(safe.json(&["check", "a.c", "--baseline", "base.json"]).0, 0);
}
