use super::render_sarif;
use crate::text::tests::{SKIPLIST, location, races_report};
use crate::*;
use proptest::prelude::*;
use serde_json::Value;
use std::sync::OnceLock;

/// The official schema of SARIF 2.1.0; see `tests/data/README.md`.
fn schema() -> &'static jsonschema::Validator {
    static SCHEMA: OnceLock<jsonschema::Validator> = OnceLock::new();
    SCHEMA.get_or_init(|| {
        let text = include_str!("../../tests/data/sarif-schema-2.1.0.json");
        // Two patterns of the schema have a bracket too many, which is an error in regular expressions with Unicode.
        let text = text.replace("-[a-zA-Z]{2}]?$", "-[a-zA-Z]{2}?$");
        let schema: Value = serde_json::from_str(&text).expect("the schema is JSON");
        jsonschema::options().should_validate_formats(true).build(&schema).expect("the schema is one")
    })
}

/// The document, which must be valid.
fn sarif(report: &Report, sources: &dyn Sources) -> Value {
    let text = render_sarif(report, sources);
    assert_eq!(text, render_sarif(report, sources));
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let errors: Vec<String> =
        schema().iter_errors(&document).map(|e| format!("{} at {}", e, e.instance_path())).collect();
    assert_eq!(errors, [""; 0], "{text}");
    document
}

fn finished(mut report: Report) -> Report {
    report.finish();
    report
}

fn deadlock() -> Finding {
    let blocked = |thread, line, holds: &str, waits: &str| Blocked {
        thread,
        holds: vec![holds.into()],
        waits_for: Some(waits.into()),
        location: location("philosophers.c", line, 5, "eat"),
        gpu: None,
        operation: None,
        waits_for_threads: Vec::new(),
    };
    Finding {
        blocked: vec![blocked(1, 9, "forks[0]", "forks[1]"), blocked(2, 9, "forks[1]", "forks[0]")],
        ..Finding::new(FindingKind::Deadlock, location("philosophers.c", 9, 5, "eat"))
    }
}

#[test]
fn pairs_of_which_nothing_is_known_are_notifications() {
    let pair = |verdict, reason: Option<&str>| PairEntry {
        operations: ["pop".to_owned(), "push".to_owned()],
        verdict,
        findings: Vec::new(),
        test: None,
        harmful: None,
        effect: None,
        reason: reason.map(str::to_owned),
        contexts: 1,
    };
    let notifications = |pairs| {
        let report = Report { pairs: Some(pairs), ..Report::new("synth", Claim::default()) };
        let document = sarif(&finished(report), &NoSources);
        let all = document["runs"][0]["invocations"][0]["toolExecutionNotifications"].clone();
        all.as_array().cloned().unwrap_or_default()
    };
    let open = notifications(vec![
        pair(PairVerdict::Refuted, Some("no race in one context, with all schedules")),
        pair(PairVerdict::NotReached, Some("no call sets `q->inner`")),
    ]);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0]["message"]["text"], "pop with push: not reached: no call sets `q->inner`");
    assert_eq!(notifications(vec![pair(PairVerdict::Exposed, None)]), Vec::<Value>::new());
}

#[test]
fn the_schema_refuses_what_is_none() {
    assert!(!schema().is_valid(&serde_json::json!({ "version": "2.1.0" })));
    assert!(!schema().is_valid(&serde_json::json!({ "version": "2.1.0", "runs": [{ "tool": {} }] })));
}

#[test]
fn a_race_is_a_result_with_both_accesses_and_the_schedule() {
    let report = finished(races_report());
    let document = sarif(&report, &SKIPLIST);
    let run = &document["runs"][0];
    let result = &run["results"][0];
    assert_eq!((&result["ruleId"], &result["level"]), (&"data_race".into(), &"warning".into()));
    let index = result["ruleIndex"].as_u64().expect("a number") as usize;
    assert_eq!(run["tool"]["driver"]["rules"][index]["id"], "data_race");
    assert_eq!(
        result["message"]["text"],
        "data race on N1.next[0]: the write at skiplist.c:26:19 in insert (thread 1, holding N1.mutex) and the read at \
         skiplist.c:18:9 in insert (thread 2, holding no lock) are not ordered (on a data structure that is assumed to be \
         possible)."
    );
    let place = &result["locations"][0]["physicalLocation"];
    assert_eq!((&place["artifactLocation"]["uri"], &place["region"]["startLine"]), (&"skiplist.c".into(), &26.into()));
    let other = &result["relatedLocations"][0];
    assert_eq!(
        (&other["physicalLocation"]["region"]["startLine"], &other["message"]["text"]),
        (&18.into(), &"read of N1.next[0] by thread 2".into())
    );
    let flows = result["codeFlows"].as_array().expect("a list");
    assert_eq!(flows.len(), 1);
    let steps = |thread: usize| -> Vec<(u64, String)> {
        let locations = flows[0]["threadFlows"][thread]["locations"].as_array().expect("a list");
        let text = |l: &Value| l["location"]["message"]["text"].as_str().unwrap_or_default().to_owned();
        locations.iter().map(|l| (l["executionOrder"].as_u64().unwrap_or_default(), text(l))).collect()
    };
    assert_eq!(
        steps(0),
        [(1, "lock N1.mutex".to_owned()), (2, "[1] write N1.next[0] = N3".to_owned())],
        "the first thread"
    );
    assert_eq!(steps(1), [(3, "[2] read N1.next[0] (finds N3)".to_owned())], "the second thread");
    assert_eq!(run["invocations"][0]["exitCode"], 10);
    let loss = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(
        (&loss["descriptor"]["id"], &loss["locations"][0]["physicalLocation"]["region"]["startLine"]),
        (&"loop_bound".into(), &5.into())
    );
}

#[test]
fn every_kind_and_verdict_is_valid() {
    let safe = finished(Report::new("check", Claim::default()));
    assert_eq!(sarif(&safe, &NoSources)["runs"][0]["results"], Value::Array(Vec::new()));
    let error = ErrorReport {
        kind: "compile".into(),
        message: "a.c:3: expected `;`".into(),
        file: Some("a.c".into()),
        line: Some(3),
        class: ErrorClass::Input,
    };
    let failed = sarif(&Report::failed("check", error), &NoSources);
    let invocation = &failed["runs"][0]["invocations"][0];
    assert_eq!((&invocation["executionSuccessful"], &invocation["exitCode"]), (&false.into(), &2.into()));

    let mut report = Report::new("check", Claim::default());
    report.findings = FindingKind::ALL
        .into_iter()
        .map(|kind| Finding { detail: "x {0} [y](1)".into(), ..Finding::new(kind, Location::default()) })
        .collect();
    report.findings.push(deadlock());
    let document = sarif(&finished(report), &NoSources);
    let results = document["runs"][0]["results"].as_array().expect("a list").clone();
    assert_eq!(results.len(), FindingKind::ALL.len() + 1);
    let related: Vec<usize> =
        results.iter().map(|r| r["relatedLocations"].as_array().map_or(0, Vec::len)).filter(|n| *n > 0).collect();
    assert_eq!(related, [2], "both threads of the deadlock");
    assert!(results.iter().filter(|r| r["level"] == "warning").count() == 1, "only the leak");
}

#[test]
fn suppressed_findings_say_so() {
    let mut report = races_report();
    report.suppress(&[
        Suppression {
            kind: Some(FindingKind::DataRace),
            reason: "benign: a hint only".into(),
            file: "raddle.toml".into(),
            line: 3,
            ..Suppression::default()
        },
        Suppression { line: 8, file: "raddle.toml".into(), function: Some("f".into()), ..Suppression::default() },
    ]);
    let document = sarif(&finished(report), &SKIPLIST);
    let run = &document["runs"][0];
    let suppressions = &run["results"][0]["suppressions"];
    assert_eq!(
        (&suppressions[0]["kind"], &suppressions[0]["justification"]),
        (&"external".into(), &"benign: a hint only".into())
    );
    let unused = &run["invocations"][0]["toolConfigurationNotifications"];
    assert_eq!(unused.as_array().map(Vec::len), Some(1));
    assert_eq!(unused[0]["descriptor"]["id"], "unused_suppression");
}

/// Lines of one file, `shift` lines further down.
struct Shifted(u32);

impl Sources for Shifted {
    fn line(&self, file: &str, line: u32) -> Option<String> {
        SKIPLIST.line(file, line.checked_sub(self.0)?)
    }
}

fn prints(report: &Report, sources: &dyn Sources) -> Vec<String> {
    let document = sarif(report, sources);
    let results = document["runs"][0]["results"].as_array().expect("a list").clone();
    results
        .iter()
        .map(|r| r["partialFingerprints"]["raddleFinding/v1"].as_str().unwrap_or_default().to_owned())
        .collect()
}

#[test]
fn fingerprints_do_not_depend_on_where_the_code_stands() {
    let before = prints(&finished(races_report()), &SKIPLIST);
    let mut moved = races_report();
    for access in &mut moved.findings[0].accesses {
        access.location.line += 40;
        access.location.column += 3;
        access.location.file = "elsewhere/skiplist.c".to_owned();
    }
    moved.findings[0].inputs.clear();
    moved.findings[0].schedule.clear();
    // Indented anew, in another directory, forty lines further down.
    struct Indented;
    impl Sources for Indented {
        fn line(&self, _file: &str, line: u32) -> Option<String> {
            Shifted(40).line("skiplist.c", line).map(|text| format!("        {}", text.trim()))
        }
    }
    assert_eq!(prints(&finished(moved), &Indented), before);
}

#[test]
fn fingerprints_tell_findings_apart() {
    let first = races_report().findings[0].clone();
    let mut all = vec![first.clone()];
    let mut change = |by: &dyn Fn(&mut Finding)| {
        let mut other = first.clone();
        by(&mut other);
        all.push(other);
    };
    change(&|f| f.accesses[0].location.function = "remove".into());
    change(&|f| f.accesses[0].location.line = 24);
    change(&|f| f.accesses[1].access = AccessKind::Write);
    change(&|f| f.accesses[1].field = Some("struct node.key".into()));
    change(&|f| f.kind = FindingKind::Assertion);
    change(&|f| f.accesses[0].location.column += 9);
    let report = finished(Report { findings: all, ..races_report() });
    let mut prints = prints(&report, &SKIPLIST);
    prints.sort();
    let numbers: Vec<&str> = prints.iter().filter_map(|p| p.split_once(':')).map(|(_, number)| number).collect();
    assert_eq!(numbers.iter().filter(|n| **n == "2").count(), 1, "one differs in its column only: {prints:?}");
    prints.dedup();
    assert_eq!(prints.len(), report.findings.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the analysed code calls its things, the document is valid.
    #[test]
    fn any_text_is_data(text in any::<String>(), file in any::<String>(), line in any::<u32>(), column in any::<u32>()) {
        let mut report = races_report();
        let finding = &mut report.findings[0];
        for access in &mut finding.accesses {
            access.place.clone_from(&text);
            access.locks = vec![text.clone()];
            access.location = Location {
                file: file.clone(),
                line,
                column,
                function: text.clone(),
                stack: vec![text.clone(), format!("{text} {file}:{line}:{column}")],
            };
        }
        finding.location = finding.accesses[0].location.clone();
        for step in &mut finding.schedule {
            step.text.clone_from(&text);
            step.file.clone_from(&file);
            step.line = line;
        }
        finding.threads = vec![ThreadName { thread: 1, name: text.clone() }];
        report.ledger[0].r#where.clone_from(&text);
        report.suppress(&[Suppression { reason: text.clone(), file, line, kind: Some(FindingKind::DataRace), ..Suppression::default() }]);
        sarif(&finished(report), &NoSources);
    }
}
