//! Reports beside standard output, suppressions, and what an inconclusive run says.

mod support;

use scraper::{Html, Selector};
use serde_json::Value;
use support::{LIBRARY, Place, SAFE};

const RACES: [&str; 4] = ["races", "a.c", "--op", "add"];

fn library() -> Place {
    let place = Place::lowering(LIBRARY);
    place.write("lib.c", &source(0));
    place
}

/// What `lib.c` holds, `shift` lines further down.
fn source(shift: usize) -> String {
    format!("{}{}void add(struct list *l) {{ l->n++; }}\n", "// more\n".repeat(shift), "\n".repeat(9))
}

fn read(place: &Place, name: &str) -> String {
    std::fs::read_to_string(place.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// A SARIF document, valid under the official schema (`crates/report/tests/data/README.md`).
fn sarif(place: &Place, name: &str) -> Value {
    let schema = include_str!("../../report/tests/data/sarif-schema-2.1.0.json");
    // Two patterns of the schema have a bracket too many.
    let schema = serde_json::from_str(&schema.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}?$")).expect("JSON");
    let validator = jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema");
    let document = serde_json::from_str(&read(place, name)).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&document).map(|e| e.to_string()).collect();
    assert_eq!(errors, [""; 0]);
    document
}

fn fingerprints(document: &Value) -> Vec<String> {
    let results = document["runs"][0]["results"].as_array().expect("a list");
    let print = |r: &Value| r["partialFingerprints"]["raddleFinding/v1"].as_str().unwrap_or_default().to_owned();
    results.iter().map(print).collect()
}

#[test]
fn findings_are_written_in_every_form() {
    let place = library();
    let ran = place.run(&[&RACES[..], &["--sarif", "r.sarif", "--junit", "r.xml", "--svg", "pictures"]].concat());
    assert_eq!(ran.code, 10, "{}", ran.stderr);
    assert!(ran.stdout.contains("raddle: 2 data races"), "{}", ran.stdout);
    let document = sarif(&place, "r.sarif");
    let results = document["runs"][0]["results"].as_array().expect("a list");
    assert_eq!(results.len(), 2);
    let region = &results[0]["locations"][0]["physicalLocation"]["region"];
    assert_eq!((&region["startLine"], &region["startColumn"]), (&10.into(), &32.into()));
    let flows = results[0]["codeFlows"][0]["threadFlows"].as_array().expect("a list");
    assert_eq!(flows.len(), 2, "a flow for each thread");
    assert_eq!(document["runs"][0]["invocations"][0]["exitCode"], 10);
    let xml = read(&place, "r.xml");
    assert!(xml.contains("name=\"add with add\"") && xml.contains("failures=\"1\""), "{xml}");
    for name in ["pictures/R1.svg", "pictures/R2.svg"] {
        let picture = read(&place, name);
        assert!(picture.starts_with("<svg ") && picture.contains("N1: struct list"), "{picture}");
    }
    // A later run's are its own.
    place.write("pictures/R7.svg", "old");
    place.write("pictures/mine.svg", "mine");
    place.run(&[&RACES[..], &["--svg", "pictures"]].concat());
    assert!(!place.path("pictures/R7.svg").exists() && place.path("pictures/mine.svg").exists());
}

/// The texts of the elements that a selector finds in a page.
fn texts(place: &Place, name: &str, selector: &str) -> Vec<String> {
    let page = Html::parse_document(&read(place, name));
    assert_eq!(page.errors, [""; 0]);
    let selector = Selector::parse(selector).expect("a selector");
    page.select(&selector).map(|element| element.text().collect()).collect()
}

#[test]
fn a_page_has_what_the_report_has() {
    let place = library();
    let ran = place.run(&[&RACES[..], &["--html", "r.html"]].concat());
    assert_eq!(ran.code, 10, "{}", ran.stderr);
    place.run(&[&RACES[..], &["--html", "again.html"]].concat());
    assert!(read(&place, "r.html") == read(&place, "again.html"), "equal input, equal bytes");
    let all = |selector: &str| texts(&place, "r.html", selector);
    assert_eq!(all("h1"), ["✗ 2 data races"]);
    assert_eq!(all(".matrix a"), ["R1", "R2"]);
    assert_eq!(all("#R1 .here mark"), ["+", "+"]);
    assert!(all("#R1 .here")[0].contains("void add(struct list *l) { l->n++; }"), "{:?}", all("#R1 .here"));
    // What the page gives to copy is what `raddle test` writes and prints.
    let ran = place.run(&["test", "raddle-out/R2.witness.json", "-o", "raddle-out/R2.c"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let listed = all("#R2 .listing pre");
    assert_eq!(listed[0], ran.stdout.trim_end());
    // What all tests share stands in the page once.
    let shared = all("#machinery pre");
    assert!(
        [&*listed[1], &shared[0]].concat() == read(&place, "raddle-out/R2.c") && listed[1].starts_with("// build: ")
    );
    assert_eq!(shared.len(), 1);
    assert!(all("#R2 .command").contains(&"raddle test raddle-out/R2.witness.json -o raddle-out/R2.c".to_owned()));
}

#[test]
fn what_a_source_says_is_text_in_the_page() {
    let place = library();
    let hostile = "<script>alert(1)</script>\u{202e}]]>";
    place.write("lib.c", &source(0).replace("void add", &format!("/*{hostile}*/ void add")));
    place.run(&[&RACES[..], &["--html", "r.html"]].concat());
    let all = |selector: &str| texts(&place, "r.html", selector);
    assert_eq!(all("script"), [""; 0]);
    assert!(all("#R1 .here")[0].contains("/*<script>alert(1)</script>\\u{202e}]]>*/"), "{:?}", all("#R1 .here"));
}

#[test]
fn every_verdict_has_a_page() {
    let place = Place::lowering(SAFE);
    place.write("a.html", "an earlier one");
    assert_eq!(place.run(&["check", "a.c", "--html", "a.html"]).code, 0);
    assert_eq!(texts(&place, "a.html", "h1"), ["✓ safe"]);
    assert_eq!(texts(&place, "a.html", ".subject"), ["raddle check a.c"]);
    assert_eq!(place.run(&["check", "a.c", "--max-time", "0", "--html", "a.html"]).code, 5);
    assert_eq!(texts(&place, "a.html", "h1"), ["? inconclusive: nothing found, not all explored"]);
    assert!(texts(&place, "a.html", ".ledger td")[1].starts_with("time ran out"));
    place.front_end("echo '{\"kind\": \"compile\", \"message\": \"a.c:1: expected <;\"}' >&2; exit 2");
    place.write("a.c", "int main(void) { return 1; }\n");
    assert_eq!(place.run(&["check", "a.c", "--html", "a.html"]).code, 2);
    assert_eq!(texts(&place, "a.html", ".message"), ["a.c:1: expected <;"]);
}

#[test]
fn fingerprints_stay_when_code_moves_down() {
    let place = library();
    place.run(&[&RACES[..], &["--sarif", "before.sarif"]].concat());
    let moved = LIBRARY.replace("file0:10:", "file0:17:");
    assert_ne!(moved, LIBRARY);
    let other = Place::lowering(&moved);
    other.write("lib.c", &source(7));
    other.run(&[&RACES[..], &["--sarif", "after.sarif"]].concat());
    let (before, after) = (sarif(&place, "before.sarif"), sarif(&other, "after.sarif"));
    let line =
        |d: &Value| d["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"].clone();
    assert_eq!((line(&before), line(&after)), (10.into(), 17.into()));
    assert_eq!(fingerprints(&before), fingerprints(&after));
    let prints = fingerprints(&before);
    assert!(prints.len() == 2 && prints[0] != prints[1], "{prints:?}");
    // Another member in the text of the line is another finding.
    other.write("lib.c", &source(7).replace("l->n++", "l->m++"));
    other.run(&[&RACES[..], &["--sarif", "edited.sarif"]].concat());
    assert_ne!(fingerprints(&sarif(&other, "edited.sarif")), prints);
}

#[test]
fn an_error_has_its_documents_too() {
    let place = Place::new("echo '{\"kind\": \"compile\", \"message\": \"a.c:1: expected ;\"}' >&2; exit 2");
    let ran = place.run(&["check", "a.c", "--sarif", "r.sarif", "--junit", "r.xml"]);
    assert_eq!(ran.code, 2);
    let document = sarif(&place, "r.sarif");
    let invocation = &document["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));
    assert_eq!(invocation["toolExecutionNotifications"][0]["level"], "error");
    assert!(read(&place, "r.xml").contains("errors=\"1\""));
}

#[test]
fn what_cannot_be_written_is_said_and_the_report_is_not_lost() {
    let place = library();
    for (flag, path, why) in [
        ("--sarif", "no/r.sarif", "there is no directory no; make it first"),
        ("--junit", ".", "it is a directory; name a file"),
        ("--html", "no/r.html", "there is no directory no; make it first"),
        ("--svg", "lib.c", "it is not a directory"),
    ] {
        let ran = place.run(&[&RACES[..], &[flag, path]].concat());
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{flag}");
        assert!(ran.stderr.contains(&format!("{flag} {path}: {why}")), "{}", ran.stderr);
    }
    let ran = place.run(&[&RACES[..], &["--sarif", "a.c"]].concat());
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains("that is a source of the program; it stays"), "{}", ran.stderr);

    // What fails only at the end: with findings these count more, else the missing file is an error.
    let ran = place.run(&[&RACES[..], &["--sarif", "/dev/full"]].concat());
    assert_eq!(ran.code, 10);
    assert!(ran.stdout.contains("2 data races") && ran.stderr.contains("--sarif /dev/full"), "{}", ran.stderr);
    let place = Place::lowering(SAFE);
    for flag in ["--junit", "--html"] {
        let ran = place.run(&["check", "a.c", flag, "/dev/full"]);
        assert_eq!(ran.code, 2);
        let said = ran.stderr.contains(&format!("{flag} /dev/full: it cannot be written"));
        assert!(ran.stdout.contains("raddle: safe\n") && said, "{}", ran.stderr);
    }
}

#[test]
fn suppressed_findings_do_not_count_and_are_not_hidden() {
    let place = library();
    place.write(
        "raddle.toml",
        "[[suppress]]\nkind = \"data_race\"\nfield = \"list.n\"\nreason = \"a hint only\"\n\n\
         [[suppress]]\nplace = \"lib.c:99\"\nreason = \"gone\"\n",
    );
    let ran = place.run(&[&RACES[..], &["--sarif", "r.sarif", "--junit", "r.xml"]].concat());
    assert_eq!(ran.code, 0, "{}", ran.stdout);
    assert!(ran.stdout.contains("raddle: safe except for 2 suppressed findings\n"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("raddle: safe\n"));
    assert!(ran.stdout.contains("raddle.toml:1: kind = \"data_race\", field = \"list.n\": used 2 times; a hint only"));
    assert!(ran.stderr.contains("notice: raddle.toml:6: this suppression applies to no finding"), "{}", ran.stderr);
    let (code, document) = place.json(&RACES);
    assert_eq!((code, &document["verdict"]), (0, &"safe".into()));
    assert_eq!(document["findings"], Value::Array(Vec::new()));
    let suppressed = document["suppressed_findings"].as_array().expect("a list");
    assert_eq!(suppressed.len(), 2);
    assert_eq!(suppressed[0]["suppressed"]["reason"], "a hint only");
    assert!(place.path("raddle-out/R1.witness.json").exists(), "a suppressed finding can be replayed");
    let used: Vec<&Value> = document["suppressions"].as_array().expect("a list").iter().map(|s| &s["used"]).collect();
    assert_eq!(used, [&Value::from(2), &Value::from(0)]);
    let document = sarif(&place, "r.sarif");
    assert_eq!(document["runs"][0]["results"][1]["suppressions"][0]["kind"], "external");
    assert!(read(&place, "r.xml").contains("failures=\"0\""));

    // A silent twin: what does not agree in all that is given is not suppressed.
    place.write("raddle.toml", "[[suppress]]\nfield = \"list.n\"\nfunction = \"remove\"\nreason = \"other\"\n");
    assert_eq!(place.run(&RACES).code, 10);
    place.write("raddle.toml", "[[suppress]]\nfield = \"list.n\"\n");
    let (code, document) = place.json(&RACES);
    assert_eq!((code, &document["error"]["kind"], &document["error"]["line"]), (2, &"config".into(), &1.into()));
}

#[test]
fn an_inconclusive_run_says_what_would_change_it() {
    let calls = "file0 = \"a.c\" in \"/src\"\nfn f0 main() -> i32 external {\nb0:\n  call f1() !0\n  return 0\n}\n\
                 fn f1 no_model_of_this() external\nloc !0 = file0:4:9 in main\n";
    let place = Place::lowering(calls);
    let (code, document) = place.json(&["check", "a.c"]);
    assert_eq!(code, 5);
    let shortfalls = document["shortfalls"].as_array().expect("a list");
    assert_eq!(
        (shortfalls.len(), &shortfalls[0]["kind"], &shortfalls[0]["flag"]),
        (1, &"external_call".into(), &Value::Null)
    );
    let ran = place.run(&["check", "a.c"]);
    assert!(ran.stdout.contains("  largest shortfalls:\n    - no_model_of_this at a.c:4: "), "{}", ran.stdout);
    let (code, document) = Place::lowering(SAFE).json(&["check", "a.c", "--max-time", "0"]);
    assert_eq!((code, &document["shortfalls"][0]["flag"]), (5, &"--max-time".into()));
    let (_, document) = Place::lowering(SAFE).json(&["check", "a.c"]);
    assert_eq!(document["shortfalls"], Value::Array(Vec::new()));
}
