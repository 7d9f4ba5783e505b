//! What is to be explored: operations, predicates, combinations, from the command line and from `raddle.toml`.
//!
//! The front end is a shell script here; what it would have lowered is written as IR text.

mod support;

use serde_json::Value;
use support::{LIBRARY, Place, SAFE};

#[test]
fn the_configuration_is_read_from_beside_the_source() {
    let place = Place::lowering(SAFE);
    place.write("raddle.toml", "[bounds]\ndepth = 5\n");
    let (_, document) = place.json(&["check", "a.c"]);
    assert_eq!(document["claim"]["depth"], 5);
    let (_, document) = place.json(&["check", "a.c", "--depth", "4"]);
    assert_eq!(document["claim"]["depth"], 4);
    place.write("raddle.toml", "[bounds]\ndpeth = 5\n");
    let (code, document) = place.json(&["check", "a.c"]);
    let error = &document["error"];
    assert_eq!((code, &error["kind"], &error["line"]), (2, &"config".into(), &2.into()));
    assert!(error["file"].as_str().is_some_and(|f| f.ends_with("raddle.toml")));
}

#[test]
fn contracts_name_operations_and_say_one_thing_of_each() {
    let place = Place::lowering(LIBRARY);
    let refused = |flags: &[&str], kind: &str, why: &str| {
        let (code, document) = place.json(&[&["races", "a.c", "--op", "add"], flags].concat());
        let message = document["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((code, &document["error"]["kind"]), (1, &kind.into()), "{message}");
        assert!(message.contains(why), "{message}");
    };
    refused(&["--exclusive", "ad"], "unknown_operation", "--exclusive: there is no operation `ad`; did you mean add?");
    let none = "--serial: `two` is none of the operations that are explored: add";
    refused(&["--serial", "add,two"], "no_operation", none);
    refused(&["--exclusive", "add", "--concurrent", "add"], "contradiction", "`add` cannot be both");
    place.write("raddle.toml", "[contracts]\nserial = [\"ad\"]\n");
    refused(&[], "unknown_operation", "`serial` under [contracts] in raddle.toml: there is no operation `ad`");
}

#[test]
fn a_predicate_takes_what_an_operation_takes_and_answers() {
    let place = Place::lowering(LIBRARY);
    let valid = |name: &str| place.json(&["races", "a.c", "--op", "add", "--valid", name]);
    for (name, why) in [
        ("wrong", "no operation takes a pointer to `struct other`"),
        ("byvalue", "its parameter is no pointer"),
        ("number", "its parameter is no pointer"),
        (
            "two",
            "`_Bool two(const struct list *, int)` is no predicate on what an operation takes: it has 2 parameters",
        ),
        ("nothing", "it does not return a truth value"),
    ] {
        let (code, document) = valid(name);
        let message = document["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((code, &document["error"]["kind"]), (1, &"valid_signature".into()), "{name}");
        assert!(message.starts_with(&format!("--valid {name}: ")) && message.contains(why), "{message}");
        let wanted = format!("wanted is `bool {name}(const struct list *)`, or without a parameter, about variables");
        assert!(message.ends_with(&wanted), "{message}");
    }
    let only_races = |document: &Value| {
        let assumptions = document["assumptions"].as_array().expect("a list");
        assumptions.iter().any(|assumption| assumption["kind"] == "only_races")
    };
    assert!(only_races(&place.json(&["races", "a.c", "--op", "add"]).1));
    let (code, document) = valid("ok");
    assert_eq!((code, &document["findings"][0]["shape"]), (10, &"valid".into()));
    assert!(!only_races(&document));
    // One that takes nothing is about variables.
    let (code, document) = valid("none");
    assert!(code != 1 && document["error"].is_null() && !only_races(&document), "{document}");
    let (code, document) = valid("okay");
    assert_eq!((code, &document["error"]["kind"]), (1, &"unknown_operation".into()));

    place.write("raddle.toml", "valid = \"number\"\n");
    let (code, document) = place.json(&["races", "a.c", "--op", "add"]);
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert!(code == 1 && message.starts_with("`valid = \"number\"` in raddle.toml: `"), "{message}");
}

#[test]
fn a_configuration_that_contradicts_itself_or_the_command_line_is_refused() {
    let place = Place::lowering(LIBRARY);
    for (text, flags, kind, what) in [
        (
            "[bounds]\nthreads = 1\n",
            &[][..],
            "unsupported_threads",
            "`threads = 1` in raddle.toml: operations run in at",
        ),
        ("[bounds]\nthreads = 33\n", &[], "unsupported_threads", "`threads = 33` in raddle.toml: operations run in at"),
        ("[bounds]\nthreads = 2\n", &["--threads", "1"], "unsupported_threads", "--threads 1: operations run in at"),
        ("[bounds]\ncalls = 2\n", &["--search", "guided"], "unsupported_search", "raddle.toml may set them"),
        (
            "valid = \"okay\"\n",
            &[],
            "unknown_operation",
            "`valid = \"okay\"` in raddle.toml: there is no function `okay`",
        ),
        ("valid = \"\"\n", &[], "unknown_operation", "`valid = \"\"` in raddle.toml: there is no function ``"),
        ("valid = \"two\"\n", &[], "valid_signature", "`valid = \"two\"` in raddle.toml: `_Bool two("),
        (
            "[parameters]\nprivate = [\"add.l\"]\n[bounds]\nthreads = 2\n",
            &["--valid", "ok"],
            "valid_signature",
            "no operation takes a pointer to `struct list`",
        ),
        (
            "[parameters]\nprivate = [\"add.l\",\n\"add.l\"]\n",
            &[],
            "repeated_parameter",
            "raddle.toml:3: private `add.l` is given twice: see line 2; leave one out",
        ),
        (
            "",
            &["--private", "add.l", "--private", "add.l"],
            "repeated_parameter",
            "--private add.l is given twice; leave one out",
        ),
        (
            "client_calls = 0\n",
            &["--require", "reachable"],
            "unmeetable_requirement",
            "--require reachable and `client_calls = 0` in raddle.toml: without clients no finding could meet that",
        ),
        (
            "",
            &["--require", "valid", "--client-calls", "0"],
            "unmeetable_requirement",
            "--require valid and --client-calls 0: without clients",
        ),
    ] {
        place.write("raddle.toml", text);
        let (code, document) = place.json(&[&["races", "a.c", "--op", "add"], flags].concat());
        let message = document["error"]["message"].as_str().unwrap_or_default();
        assert_eq!((code, &document["error"]["kind"]), (1, &kind.into()), "{text}{flags:?}: {message}");
        assert!(message.contains(what), "{text}{flags:?}: {message}");
    }
    place.write("raddle.toml", "operations = [\"ad\"]\n");
    let (code, document) = place.json(&["races", "a.c"]);
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert_eq!((code, &document["error"]["kind"]), (1, &"unknown_operation".into()));
    assert!(
        message.starts_with("`operations` in raddle.toml: there is no operation `ad`; did you mean add?"),
        "{message}"
    );
}

#[test]
fn what_is_no_configuration_is_refused_with_its_line() {
    let place = Place::lowering(LIBRARY);
    for (text, line, what) in [
        ("valid = \"ok\"\nvalid = \"ok\"\n", 2, "duplicate key"),
        ("[bounds]\ndepth = 3\n[bounds]\narray = 3\n", 3, "duplicate key"),
        ("[bounds]\n\ncalls = 0\n", 3, "must be at least 1"),
        ("[bounds]\npreemptions = -1\n", 2, "-1"),
        ("[bounds]\ndepth = \"3\"\n", 2, "expected"),
    ] {
        place.write("raddle.toml", text);
        let (code, document) = place.json(&["races", "a.c", "--op", "add"]);
        let error = &document["error"];
        assert_eq!((code, &error["kind"], &error["line"]), (2, &"config".into(), &line.into()), "{text}: {error}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(what)), "{text}: {error}");
    }
}

#[test]
fn the_command_line_wins_over_the_configuration() {
    let place = Place::lowering(LIBRARY);
    let operations = |document: &Value| document["matrix"][0]["operations"].clone();
    for (text, flags) in [
        ("operations = [\"wrong\"]\nvalid = \"wrong\"\n", &["--valid", "ok"][..]),
        ("[bounds]\nthreads = 1\n", &["--threads", "2"]),
        ("[bounds]\nthreads = 3\ncalls = 2\n", &["--threads", "2", "--calls", "1", "--search", "guided"]),
        ("client_calls = 0\n", &["--client-calls", "1"]),
        ("client_calls = 0\nvalid = \"ok\"\n", &["--require", "valid"]),
        ("[parameters]\nprivate = [\"add.l\"]\n", &["--private", "*.o"]),
    ] {
        place.write("raddle.toml", text);
        let (code, document) = place.json(&[&["races", "a.c", "--op", "add"], flags].concat());
        assert_eq!(code, 10, "{text}{flags:?}: {}", document["error"]);
        assert_eq!(operations(&document), serde_json::json!(["add", "add"]), "{text}");
    }
    // What is named is an operation, be it the predicate as well; named twice it is one.
    place.write("raddle.toml", "operations = [\"ok\", \"add\", \"add\"]\nvalid = \"ok\"\n");
    let (code, document) = place.json(&["races", "a.c"]);
    assert_eq!((code, document["matrix"].as_array().map(Vec::len)), (10, Some(3)), "{document:#}");
    assert_eq!(operations(&document), serde_json::json!(["ok", "ok"]));
}

#[test]
fn parameters_are_private_where_the_user_says_so() {
    let place = Place::lowering(LIBRARY);
    let kinds = |document: &Value| -> Vec<String> {
        let assumptions = document["assumptions"].as_array().expect("a list");
        assumptions.iter().map(|a| a["kind"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let races = ["races", "a.c", "--op", "add"];
    let (code, document) = place.json(&races);
    assert!(code == 10 && !kinds(&document).contains(&"private_parameter".to_owned()), "{document:#}");
    place.write("raddle.toml", "[parameters]\nprivate = [\"add.l\", \"ok.l\"]\n");
    let (code, document) = place.json(&races);
    assert_eq!((code, &document["verdict"]), (0, &"safe".into()), "{document:#}");
    assert_eq!(kinds(&document)[0], "private_parameter");
    let detail = document["assumptions"][0]["detail"].as_str().unwrap_or_default();
    assert!(detail.starts_with("parameter `l` of `add` is private to each call"), "{detail}");
    let ran = place.run(&races);
    let notice = "raddle.toml:2: private `ok.l`: none of the operations has this parameter";
    assert!(ran.stderr.contains(notice) && !ran.stderr.contains("add.l"), "{}", ran.stderr);
    // The command line wins.
    let (code, document) = place.json(&["races", "a.c", "--op", "add", "--private", "ok.l"]);
    assert_eq!((code, &document["verdict"]), (10, &"findings".into()));
    place.write("raddle.toml", "\n[parameters]\nprivate = [\"add.k\"]\n");
    let (code, document) = place.json(&races);
    let message = document["error"]["message"].as_str().unwrap_or_default();
    assert_eq!((code, &document["error"]["kind"]), (1, &"unknown_parameter".into()));
    assert!(message.contains("raddle.toml:3: private `add.k`: `add` has no parameter `k`; "), "{message}");
}

#[test]
fn a_predicate_counts_where_it_applies() {
    // `wrong` takes what the predicate is not about: its own pair is assumed, not valid.
    let text = LIBRARY
        .replace("  return 1                                              !14", "  store i32 7, [%0] !14\n  return 1");
    assert_ne!(text, LIBRARY);
    let place = Place::lowering(&text);
    let (code, document) = place.json(&["races", "a.c", "--op", "add", "--op", "wrong", "--valid", "ok"]);
    let findings = document["findings"].as_array().expect("a list");
    let shape = |operation: &str| {
        findings.iter().find(|f| f["location"]["function"] == operation).map(|finding| finding["shape"].clone())
    };
    assert_eq!(
        (code, shape("add"), shape("wrong")),
        (10, Some("valid".into()), Some("assumed".into())),
        "{document:#}"
    );
}

#[test]
fn operations_that_are_not_there_lead_to_those_that_are() {
    let place = Place::lowering(LIBRARY);
    let message = |name: &str| {
        let (code, document) = place.json(&["races", "a.c", "--op", name]);
        assert_eq!(code, 1, "{name}");
        document["error"]["message"].as_str().unwrap_or_default().to_owned()
    };
    let all = "there is no operation `zzzzzz`; there are ok, wrong, two, nothing, add";
    assert_eq!(message("zzzzzz"), all);
    assert!(message("ad").ends_with("did you mean add?"));
    assert!(message("add,ok").ends_with("give the flag once for each: --op add --op ok"));
    assert!(message("other.c:add").ends_with("write `lib.c:add`"));
    for name in ["lib.c:add", "./lib.c:add", "/src/lib.c:add"] {
        assert_eq!(place.json(&["races", "a.c", "--op", name]).0, 10, "{name}");
    }
}

#[test]
fn threads_and_calls_make_the_combinations() {
    let place = Place::lowering(LIBRARY);
    let races = |flags: &[&str]| place.json(&[&["races", "a.c", "--op", "add"][..], flags].concat()).1;
    let entries = |report: &Value| -> Vec<String> {
        let matrix = report["matrix"].as_array().expect("a matrix");
        matrix.iter().map(|entry| entry["operations"].to_string()).collect()
    };
    let three = races(&["--threads", "3"]);
    assert_eq!(entries(&three), [r#"["add","add","add"]"#]);
    assert_eq!((&three["claim"]["threads"], &three["claim"]["calls"]), (&3.into(), &1.into()));
    let twice = races(&["--calls", "2"]);
    assert_eq!(entries(&twice), [r#"["add","add"]"#, r#"["add","add; add"]"#, r#"["add; add","add; add"]"#]);
    assert_eq!((&twice["claim"]["threads"], &twice["claim"]["calls"]), (&2.into(), &2.into()));
    let ran = place.run(&["races", "a.c", "--op", "add", "--calls", "2"]);
    assert!(ran.stdout.contains("Combinations of operations:") && ran.stdout.contains("add; add"), "{}", ran.stdout);
    let claim = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(claim.contains("2 threads with up to 2 calls each"), "{claim}");

    for (flags, kind, says) in [
        (&["--threads", "1"][..], "unsupported_threads", "at least 2 threads"),
        (&["--calls", "2", "--search", "guided"], "unsupported_search", "--search guided"),
        (&["--threads", "9", "--calls", "9"], "too_many_combinations", "have 24310 combinations"),
        (&["--calls", "0"], "usage", "must be at least 1"),
    ] {
        let error = &races(flags)["error"];
        assert_eq!(error["kind"], kind, "{flags:?}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(says)), "{error}");
    }
}

#[test]
fn main_is_the_whole_program_and_no_operation_beside_others() {
    let place = Place::lowering(SAFE);
    for (flags, kind, says) in [
        (&["--op", "main", "--op", "add"][..], "main_and_operations", "cannot be called beside `add`"),
        (&["--op", "main", "--valid", "ok"], "main_and_valid", "`--valid ok` says nothing"),
        (&["--op", "add", "--extern", "havoc"], "unsupported_extern", "for whole programs"),
    ] {
        let (code, document) = place.json(&[&["races", "a.c"], flags].concat());
        let error = &document["error"];
        assert_eq!((code, &error["kind"]), (1, &kind.into()), "{flags:?}");
        assert!(error["message"].as_str().is_some_and(|message| message.contains(says)), "{error}");
    }
    let (code, document) = place.json(&["races", "a.c", "--op", "main", "--extern", "havoc"]);
    assert_eq!((code, &document["command"], &document["verdict"]), (0, &"races".into(), &"safe".into()));
    assert_eq!(document["matrix"][0]["operations"], serde_json::json!(["main"]));
}

#[test]
fn where_callers_call_nothing_at_once_nothing_is_safe() {
    let place = Place::lowering(LIBRARY);
    let (code, document) =
        place.json(&["races", "a.c", "--op", "nothing", "--op", "ok", "--exclusive", "nothing", "--exclusive", "ok"]);
    assert_eq!((code, &document["verdict"]), (5, &"inconclusive".into()), "{document:#}");
    let kinds: Vec<&Value> = document["ledger"].as_array().into_iter().flatten().map(|line| &line["kind"]).collect();
    assert_eq!(kinds, ["vacuous"]);
}

#[test]
fn what_flags_put_aside_or_do_not_go_with_is_said() {
    let place = Place::lowering(LIBRARY);
    let races = ["races", "a.c", "--op", "add", "--op", "ok"];
    place.write("raddle.toml", "[contracts]\nexclusive = [\"ok\"]\n");
    let flags = place.run(&[&races[..], &["--exclusive", "add"]].concat());
    assert!(flags.stderr.contains("[contracts] in raddle.toml are left aside"), "{}", flags.stderr);
    assert!(!place.run(&races).stderr.contains("left aside"));
    let clients = place.run(&[&races[..], &["--heaps", "reached", "--valid", "ok"]].concat());
    assert!(clients.code == 1 && clients.stderr.contains("leave --valid out"), "{}", clients.stderr);
    let commas = place.run(&["races", "a.c", "--op", "add", "--exclusive", "add,ok"]);
    assert!(commas.stderr.contains("--exclusive add --exclusive ok"), "{}", commas.stderr);
}
