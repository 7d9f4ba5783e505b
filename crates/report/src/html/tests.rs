use super::render_html;
use crate::text::tests::{SKIPLIST, heap, location, races_report};
use crate::*;
use proptest::prelude::*;
use scraper::{ElementRef, Html, Selector};
use std::collections::BTreeSet;

/// The page as a browser takes it. It must be sound, and the same twice.
fn page(report: &Report, subject: &str, sources: &dyn Sources) -> Html {
    let text = render_html(report, subject, sources);
    assert_eq!(text, render_html(report, subject, sources));
    let hidden =
        text.chars().find(|c| c.is_control() && *c != '\n' || matches!(c, '\u{202a}'..='\u{202e}' | '\u{feff}'));
    assert_eq!(hidden, None);
    let page = Html::parse_document(&text);
    assert_eq!(page.errors, [""; 0]);
    assert!(format!("{:?}", page.quirks_mode) == "NoQuirks");
    sound(&page);
    page
}

/// Nothing runs, nothing is loaded, every link leads somewhere in the page.
fn sound(page: &Html) {
    let mut ids = BTreeSet::new();
    for element in all(page, "*") {
        let value = element.value();
        let name = value.name();
        let active = ["script", "iframe", "object", "embed", "img", "link", "base", "form", "input", "button", "a:svg"];
        assert!(!active.contains(&name), "an element {name}");
        for (attribute, text) in value.attrs() {
            assert!(!attribute.starts_with("on") && attribute != "src", "{name} {attribute}={text}");
        }
        assert!(value.id().is_none_or(|id| ids.insert(id.to_owned())), "{:?} twice", value.id());
    }
    for link in all(page, "[href]") {
        let target = link.value().attr("href").and_then(|href| href.strip_prefix('#'));
        assert!(target.is_some_and(|id| ids.contains(id)), "{}", link.html());
    }
    let policy = all(page, "head > meta[http-equiv=Content-Security-Policy]");
    let policy = policy.first().and_then(|meta| meta.value().attr("content")).unwrap_or_default();
    assert!(policy.starts_with("default-src 'none'; style-src 'unsafe-inline';"), "{policy}");
}

fn all<'p>(page: &'p Html, selector: &str) -> Vec<ElementRef<'p>> {
    page.select(&Selector::parse(selector).expect("a selector")).collect()
}

/// The text of each element that a selector finds.
fn texts(page: &Html, selector: &str) -> Vec<String> {
    all(page, selector).iter().map(|element| words(*element)).collect()
}

/// With single blanks.
fn words(element: ElementRef) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Elements with the names of their attributes, in their order.
fn skeleton(page: &Html) -> Vec<String> {
    let one = |element: ElementRef| {
        let mut attributes: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
        attributes.sort_unstable();
        format!("{} {}", element.value().name(), attributes.join(" "))
    };
    all(page, "*").into_iter().map(one).collect()
}

fn program(source: &str) -> Program {
    Program { source: source.into(), file: "out/R1.c".into(), build: "clang-22 out/R1.c".into(), shared_from: None }
}

#[test]
fn a_race_is_told_whole() {
    let mut report = races_report();
    report.findings[0].test = Some(Ok(program("// build: clang-22 out/R1.c\nint main(void) { return 1 < 2; }\n")));
    let page = page(&report, "skiplist.c", &SKIPLIST);
    assert_eq!(texts(&page, "h1"), ["✗ 1 data race"]);
    assert!(texts(&page, ".claim li").contains(&"pointer chains of 3 objects".to_owned()));
    assert_eq!(texts(&page, "header a[href='#lost']")[0], "not all was explored");
    assert_eq!(
        texts(&page, ".side > h4, .side > p"),
        [
            "[1] Thread 1 (insert)",
            "Write of size 8 at N1.next[0], holding N1.mutex",
            "skiplist.c:26:19 in insert",
            "[2] Thread 2 (insert)",
            "Read of size 8 at N1.next[0], holding no lock",
            "skiplist.c:18:9 in insert",
        ]
    );
    assert_eq!(texts(&page, ".here"), ["▶ 26 prev[0]->next[0] = node;", "▶ 18 while (prev[1]->next[0] != NULL)"]);
    assert_eq!(texts(&page, "mark"), ["=", "prev"]);
    assert_eq!(texts(&page, ".inputs div"), ["k7", "bufbytes 00 ff"]);
    assert_eq!(texts(&page, ".label"), ["assumed"]);
    let heap = texts(&page, ".drawing svg").join("");
    assert!(heap.contains("N1: struct node") && heap.contains("T1 write") && heap.contains("T2 read"), "{heap}");
    assert_eq!(texts(&page, "pre.copy")[0], "raddle replay raddle-out/R1.witness.json");
    assert_eq!(texts(&page, "pre.copy")[1], "raddle test raddle-out/R1.witness.json -o out/R1.c");
    assert_eq!(texts(&page, ".listing pre")[0], "clang-22 out/R1.c");
    let listed: String = all(&page, ".listing pre")[1].text().collect();
    assert_eq!(listed, "// build: clang-22 out/R1.c\nint main(void) { return 1 < 2; }\n", "to copy as it is");
}

/// Tests of one program differ in what is their own: the rest stands in the page once.
#[test]
fn what_tests_share_stands_in_the_page_once() {
    let mut report = races_report();
    let shared = "/* machinery */\n".repeat(900);
    let test = |own: &str| {
        let source = format!("{own}{shared}");
        Some(Ok(Program { shared_from: Some(own.len()), ..program(&source) }))
    };
    let mut second = report.findings[0].clone();
    second.id = "R2".to_owned();
    (report.findings[0].test, second.test) = (test("// one\n"), test("// other\n"));
    report.findings.push(second);
    let page = page(&report, "skiplist.c", &SKIPLIST);
    assert_eq!(texts(&page, "#machinery details").len(), 1);
    let own = texts(&page, ".again .listing");
    assert!(own[0].contains("// one") && !own[0].contains("machinery */") && own[1].contains("// other"), "{own:?}");
    assert_eq!(all(&page, ".listing a[href='#machinery-1']").len(), 2);
    assert!(render_html(&report, "", &NoSources).matches("/* machinery */").count() == 900);
    // Where the byte is none of the text, the text is whole.
    let odd = Program { shared_from: Some(1), ..program("äb") };
    assert_eq!(odd.own_and_shared(), ("äb", ""));
}

#[test]
fn causes_come_with_their_findings_and_differences() {
    let mut report = races_report();
    report.findings =
        (1..=60).map(|number| Finding { id: format!("R{number}"), ..report.findings[0].clone() }).collect();
    report.finish();
    let count = report.causes.len();
    report.causes[0].remedies = vec![Remedy {
        text: "hold the lock".to_owned(),
        patch: Some("--- a.c\n+++ a.c\n@@ -1 +1 @@\n-x++;\n+lock(); x++;\n y;\n".to_owned()),
        tried: true,
        kind: RemedyKind::Section,
        together: RemedyResults::Ordered,
    }];
    let page = page(&report, "skiplist.c", &SKIPLIST);
    assert_eq!(all(&page, "section.cause").len(), count);
    assert_eq!(
        (texts(&page, ".diff .removed"), texts(&page, ".diff .added")),
        (vec!["-x++;".to_owned()], vec!["+lock(); x++;".to_owned()])
    );
    // All are there, most of them folded.
    assert_eq!((all(&page, ".finding").len(), all(&page, ".more .finding").len()), (60, 40));
    assert_eq!(all(&page, ".body > h3").len(), 60);
}

/// For who does not see the page, or has no mouse: landmarks, headings without gaps, names for what scrolls.
#[test]
fn the_page_can_be_heard_and_used_by_keys() {
    let page = page(&races_report(), "skiplist.c", &SKIPLIST);
    assert_eq!(["header", "main", "footer", "nav"].map(|landmark| all(&page, landmark).len()), [1, 1, 1, 1]);
    assert_eq!(texts(&page, "body > a.skip[href='#main']"), ["To the report"]);
    let mut last = 0;
    for heading in all(&page, "h1, h2, h3, h4") {
        let level: usize = heading.value().name()[1..].parse().expect("a level");
        assert!(level <= last + 1, "{} behind h{last}", heading.html());
        last = level;
    }
    for region in all(&page, ".scroll, pre.copy") {
        let value = region.value();
        assert!(
            value.attr("tabindex") == Some("0") && value.attr("aria-label").is_some_and(|label| !label.is_empty()),
            "{}",
            region.html()
        );
    }
    assert!(
        all(&page, "table")
            .iter()
            .all(|table| table.select(&Selector::parse("th[scope]").expect("a selector")).next().is_some())
    );
}

/// Of a large library the matrix is a list of what there is to say, and every finding can be gone to.
#[test]
fn the_matrix_of_a_thousand_operations_names_every_finding() {
    let mut report = races_report();
    let first = report.findings[0].clone();
    let ids: Vec<String> = (1..=400).map(|number| format!("R{number}")).collect();
    report.findings = ids.iter().map(|id| Finding { id: id.clone(), ..first.clone() }).collect();
    report.matrix = (0..1000)
        .map(|number| {
            let name = format!("operation_{number}");
            let findings: Vec<String> = ids.get(number).cloned().into_iter().collect();
            let verdict = if findings.is_empty() { EntryVerdict::Safe } else { EntryVerdict::Findings };
            MatrixEntry { findings, verdict, ..MatrixEntry::new([name.clone(), name], None) }
        })
        .collect();
    let page = page(&report, "lib.c", &NoSources);
    let linked: BTreeSet<String> =
        all(&page, "#pairs a").iter().filter_map(|a| a.value().attr("href")).map(str::to_owned).collect();
    assert!(ids.iter().all(|id| linked.contains(&format!("#{id}"))), "{}", linked.len());
    assert!(render_html(&report, "lib.c", &NoSources).len() < 8 << 20);
}

#[test]
fn schedules_have_a_column_for_each_thread() {
    let page = page(&races_report(), "skiplist.c", &SKIPLIST);
    assert_eq!(texts(&page, ".lane"), ["thread 1 (insert)", "thread 2 (insert)"]);
    assert_eq!(
        texts(&page, ".moment"),
        [
            "thread 1 (insert)24 pthread_mutex_lock(&prev[0]->mutex);lock N1.mutex",
            "thread 1 (insert)26 prev[0]->next[0] = node;▶ [1] write N1.next[0] = N3",
            "thread 2 (insert)18 while (prev[1]->next[0] != NULL)▶ [2] read N1.next[0] (finds N3)",
        ]
    );
    let places: Vec<&str> = all(&page, ".moment").iter().filter_map(|moment| moment.value().attr("style")).collect();
    assert_eq!(places, ["--row:2;--lane:1", "--row:3;--lane:1", "--row:4;--lane:2"]);
    assert_eq!(texts(&page, ".moment.hot").len(), 2);
}

#[test]
fn the_matrix_says_each_verdict_in_words() {
    let page = page(&races_report(), "", &NoSources);
    assert_eq!(texts(&page, ".matrix thead th"), ["insert", "search"]);
    assert_eq!(
        texts(&page, ".matrix tbody td"),
        ["✗ 1 R1", "✓ safe", "", "? inconclusivevacuous: no shape survives search alone"]
    );
    assert_eq!(texts(&page, ".matrix a[href='#R1']"), ["R1"]);
    assert_eq!(texts(&page, ".ledger tbody td")[0], "skiplist.c:5");
    assert_eq!(texts(&page, ".ledger tbody td").last().map(String::as_str), Some("try --unroll 128"));
}

#[test]
fn every_verdict_has_a_page() {
    let mut safe = Report::new("check", Claim::default());
    safe.finish();
    let shown = page(&safe, "a.c", &NoSources);
    assert_eq!((texts(&shown, "h1"), all(&shown, ".finding").len()), (vec!["✓ safe".to_owned()], 0));
    assert_eq!(texts(&shown, "#lost p"), ["Nothing was left out within the bounds."]);
    assert_eq!(texts(&shown, "title"), ["safe - raddle check a.c"]);

    let mut lost = safe.clone();
    lost.ledger = races_report().ledger;
    lost.finish();
    let shown = page(&lost, "a.c", &NoSources);
    assert_eq!(texts(&shown, "h1"), ["? inconclusive: nothing found, not all explored"]);
    assert!(texts(&shown, ".shortfalls li")[0].ends_with("change it with --unroll 128"));

    let error = ErrorReport { kind: "compile".into(), message: "a.c:3: expected `;`".into(), ..ErrorReport::default() };
    let shown = page(&Report::failed("races", error), "a.c", &NoSources);
    assert_eq!(
        (texts(&shown, "h1"), texts(&shown, ".message")),
        (vec!["! error".into()], vec!["a.c:3: expected `;`".into()])
    );
    assert!(all(&shown, "section").is_empty(), "an error claims nothing");

    let mut suppressed = races_report();
    suppressed.suppress(&[Suppression {
        kind: Some(FindingKind::DataRace),
        reason: "a hint".into(),
        ..Suppression::default()
    }]);
    suppressed.finish();
    let shown = page(&suppressed, "a.c", &NoSources);
    assert_eq!((all(&shown, "#findings").len(), all(&shown, "#suppressed .finding").len()), (0, 1));
    assert_eq!(texts(&shown, ".matrix tbody td")[0], "✓ safe except R1 (suppressed)");
}

#[test]
fn deadlocks_and_failures_are_told_too() {
    let mut report = Report::new("check", Claim::default());
    let blocked = |thread, holds: &str, waits: &str| Blocked {
        thread,
        holds: vec![holds.into()],
        waits_for: Some(waits.into()),
        location: location("skiplist.c", 24, 9, "philosopher"),
        gpu: None,
        operation: None,
        waits_for_threads: Vec::new(),
    };
    report.findings = vec![
        Finding {
            blocked: vec![blocked(1, "a", "b"), blocked(2, "b", "a")],
            ..Finding::new(FindingKind::Deadlock, Location::default())
        },
        Finding {
            detail: "null is dereferenced".into(),
            notes: vec![Note { text: "Freed here".into(), location: Some(location("skiplist.c", 26, 9, "g")) }],
            ..Finding::new(FindingKind::NullDereference, location("skiplist.c", 18, 9, "f"))
        },
    ];
    report.finish();
    let page = page(&report, "a.c", &SKIPLIST);
    assert_eq!(texts(&page, "h1"), ["✗ 1 deadlock, 1 null dereference"]);
    assert_eq!(texts(&page, "#R1")[0].matches("Who waits for whom").count(), 2, "a heading, and the drawing's title");
    assert_eq!(texts(&page, ".side > p")[0], "Holds a and waits for b, held by thread 2");
    assert_eq!(texts(&page, ".moment strong"), ["■ waits for b", "■ waits for a"]);
    assert_eq!(texts(&page, ".detail"), ["null is dereferenced"]);
    assert_eq!(texts(&page, ".note .here"), ["▶ 26 prev[0]->next[0] = node;"]);
}

#[test]
fn hundreds_of_findings_are_folded_and_their_tests_bounded() {
    let mut report = races_report();
    let mut finding = report.findings[0].clone();
    finding.test = Some(Ok(program(&"int x;\n".repeat(12_000))));
    report.findings = vec![finding; 300];
    report.findings[299].test = Some(Err("it has two sources".into()));
    report.finish();
    let text = render_html(&report, "a.c", &SKIPLIST);
    assert!(text.len() < 12_000_000, "{}", text.len());
    let page = page(&report, "a.c", &SKIPLIST);
    assert_eq!((all(&page, ".finding").len(), all(&page, ".finding[open]").len()), (300, 0));
    assert_eq!(all(&page, ".listing").len(), 49, "four mebibytes");
    assert!(texts(&page, "#R50 pre.copy").contains(&"raddle test raddle-out/R1.witness.json -o out/R1.c".to_owned()));
    assert!(texts(&page, ".again").iter().any(|again| again.contains("No C test: it has two sources.")));
    assert_eq!(texts(&page, ".matrix details summary"), ["294 more"]);
    assert_eq!(all(&page, ".matrix a[href^='#R']").len(), 300);
}

#[test]
fn commands_are_words_for_a_shell() {
    let mut report = races_report();
    report.findings[0].witness = Some("my out/$(reboot).json".into());
    let page = page(&report, "", &NoSources);
    assert_eq!(texts(&page, "pre.copy")[0], "raddle replay 'my out/$(reboot).json'");
}

/// One text for all that comes from outside.
fn everywhere(text: &str) -> Report {
    let name = || text.to_owned();
    let mut report = races_report();
    let finding = &mut report.findings[0];
    let place = Location { file: name(), line: 26, column: 3, function: name(), stack: vec![name(), name()] };
    for access in &mut finding.accesses {
        access.operation = Some(name());
        access.place = name();
        access.locks = vec![name()];
        access.location = place.clone();
        access.field = Some(name());
    }
    finding.location = place.clone();
    finding.inputs = vec![Input { name: name(), value: InputValue::Text(name()) }];
    finding.witness = Some(name());
    finding.detail = name();
    finding.notes = vec![Note { text: name(), location: Some(place.clone()) }, Note { text: name(), location: None }];
    finding.blocked = vec![Blocked {
        thread: 1,
        holds: vec![name()],
        waits_for: Some(name()),
        location: place,
        gpu: None,
        operation: Some(name()),
        waits_for_threads: Vec::new(),
    }];
    finding.heap = Some(Heap {
        roots: vec![HeapRoot { name: name(), content: Content::Value(name()) }],
        objects: vec![HeapObject {
            name: format!("N{text}"),
            r#type: name(),
            note: Some(name()),
            fields: vec![HeapField { name: name(), content: Content::Value(name()) }],
        }],
    });
    finding.threads = vec![ThreadName { thread: 1, name: name() }];
    for step in &mut finding.schedule {
        (step.text, step.note, step.file) = (name(), Some(name()), name());
    }
    finding.test = Some(Ok(Program { source: name(), file: name(), build: name(), shared_from: None }));
    report
        .findings
        .push(Finding { test: Some(Err(name())), ..Finding::new(FindingKind::Assertion, Location::default()) });
    report.matrix[0].operations = vec![name(), name()];
    report.matrix[2].cause = Some(name());
    for line in &mut report.ledger {
        // What begins with `--` is a flag.
        (line.kind, line.r#where, line.remedy) = (name(), name(), format!("see {text}"));
    }
    for assumption in &mut report.assumptions {
        (assumption.kind, assumption.detail, assumption.example) = (name(), name(), Some(name()));
    }
    report.suppressions = vec![SuppressionUse { file: name(), line: 1, entry: name(), reason: name(), used: 0 }];
    report.error = None;
    report.finish();
    report
}

/// Each line of each file is this.
struct Every(String);

impl Sources for Every {
    fn line(&self, _file: &str, _line: u32) -> Option<String> {
        Some(self.0.clone())
    }
}

/// What must be text in the page and nothing else.
fn check_inert(text: &str) {
    let hostile = page(&everywhere(text), text, &Every(text.to_owned()));
    // A program with characters that are written out has a remark.
    let harmless = if visible(text) == text { "plain" } else { "pl\u{1}in" };
    let plain = page(&everywhere(harmless), harmless, &Every(harmless.to_owned()));
    // How many lines a text takes in a drawing depends on its length.
    let outside = |page: &Html| -> Vec<String> {
        skeleton(page).into_iter().filter(|element| !element.starts_with("text ")).collect()
    };
    assert_eq!(outside(&hostile), outside(&plain), "{text:?}");
    let error = ErrorReport { message: text.to_owned(), file: Some(text.to_owned()), ..ErrorReport::default() };
    let failed = page(&Report::failed("check", error), text, &NoSources);
    assert_eq!((texts(&failed, ".message").len(), all(&failed, "body *").len()), (1, 11), "{text:?}");
    let shown: String = all(&hostile, "pre.copy").iter().flat_map(|pre| pre.text()).collect();
    assert!(shown.contains(&visible(text)), "{text:?}");
}

const HOSTILE: [&str; 16] = [
    "<script>alert(1)</script>",
    "</script></style></title></pre></svg></textarea><img/src=x/onerror=alert(1)>",
    "\"onmouseover=\"alert(1)\"x=\"",
    "'onmouseover='alert(1)'x='",
    "]]><![CDATA[<b>",
    "--><!--><b>",
    "&lt;b&gt;&#60;script&#62;&NotEqualTilde;&amp",
    "javascript:alert(1)//",
    "a\u{202e}b\u{2066}c\u{200b}d\u{feff}e",
    "a\u{0}b\u{1b}[31mc\u{7f}d\u{85}e\u{9b}f",
    "a\u{fffe}b\u{ffff}c\u{1ffff}d\u{fdd0}e",
    "<plaintext><noscript><template><math><mi><annotation-xml>",
    "{{constructor}}${x}<%=x%>",
    "}body{display:none}/*</style>",
    "`<a`href=#R1>\\x3cb\\u003e",
    "é▶漢字😀\u{fffd}",
];

#[test]
fn hostile_text_is_text() {
    for text in HOSTILE {
        check_inert(text);
    }
}

#[test]
fn what_is_not_utf8_is_read_all_the_same() -> std::io::Result<()> {
    let directory = tempfile::tempdir()?;
    std::fs::write(directory.path().join("skiplist.c"), b"\n<b>\xff\xc3(\x00</b>\n".repeat(20))?;
    let page = page(&races_report(), "skiplist.c", &FileSources::new(directory.path()));
    assert!(texts(&page, ".here")[0].contains("<b>\u{fffd}\u{fffd}(\\x00</b>"), "{:?}", texts(&page, ".here"));
    Ok(())
}

#[test]
fn links_of_a_heap_are_text_as_well() {
    let mut report = races_report();
    let mut drawn = heap();
    drawn.objects[0].name = HOSTILE[1].into();
    drawn.roots[0].content = Content::Link { object: HOSTILE[1].into(), inside: Some(HOSTILE[0].into()) };
    report.findings[0].heap = Some(drawn);
    let page = page(&report, "", &NoSources);
    assert!(texts(&page, ".astext pre")[0].contains("</script></style>"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the analysed code calls its things, it is text.
    #[test]
    fn any_text_is_data(text in "[^ \\s.\\[][^\\s.\\[]{0,12}[<>&\"'a-z]") {
        check_inert(&text);
    }
}
