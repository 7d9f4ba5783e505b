use super::render_svg;
use crate::text::tests::{SKIPLIST, heap, races_report};
use crate::*;
use proptest::prelude::*;

/// The picture of a finding; it must be well-formed, and the same twice.
fn picture(finding: &Finding) -> String {
    let text = render_svg(finding, &SKIPLIST);
    assert_eq!(text, render_svg(finding, &SKIPLIST));
    well_formed(&text);
    text
}

/// Reads the elements; every text must stand in the drawn page.
fn well_formed(text: &str) {
    let mut open = 0i32;
    for event in ::svg::read(text).expect("SVG") {
        match event {
            ::svg::parser::Event::Tag(name, kind, _) => {
                let known = ["svg", "title", "style", "rect", "g", "text", "path", "circle"].contains(&name);
                assert!(known, "an element {name}");
                open += match kind {
                    ::svg::node::element::tag::Type::Start => 1,
                    ::svg::node::element::tag::Type::End => -1,
                    ::svg::node::element::tag::Type::Empty => 0,
                };
            }
            ::svg::parser::Event::Error(error) => panic!("{error}\n{text}"),
            _ => {}
        }
    }
    assert_eq!(open, 0, "{text}");
}

/// Whether a whole line of text is this.
fn says(text: &str, line: &str) -> bool {
    text.contains(&format!("\n{line}\n"))
}

fn race() -> Finding {
    let mut report = races_report();
    report.finish();
    report.findings[0].clone()
}

#[test]
fn a_race_shows_heap_and_schedule() {
    let text = picture(&race());
    for shown in [
        "R1 data race",
        "N1: struct node",
        "N2: struct node (freed)",
        "prev[0], prev[1]",
        "T1 write",
        "T2 read",
        "thread 1 (insert)",
        "skiplist.c:26",
        "prev[0]-&gt;next[0] = node;",
        "[1] write N1.next[0] = N3",
    ] {
        assert!(says(&text, shown), "{shown}\n{text}");
    }
    // The lock that thread 1 holds, and thread 2 does not.
    assert!(says(&text, "T1 holds") && says(&text, "mutex") && !says(&text, "T2 holds"), "{text}");
    assert!(text.contains("class=\"race\"") && text.contains("prefers-color-scheme: dark"), "the pair is joined");
    assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
}

#[test]
fn a_deadlock_shows_who_waits_for_whom() {
    let blocked = |thread, holds: &str, waits: &str| Blocked {
        thread,
        holds: vec![holds.into()],
        waits_for: Some(waits.into()),
        location: Location { file: "p.c".into(), line: 9, ..Location::default() },
        gpu: None,
        operation: None,
        waits_for_threads: Vec::new(),
    };
    let finding = Finding {
        id: "R1".into(),
        blocked: vec![blocked(1, "forks[0]", "forks[1]"), blocked(2, "forks[1]", "forks[0]")],
        ..Finding::new(FindingKind::Deadlock, Location::default())
    };
    let text = picture(&finding);
    assert_eq!(text.matches("\nforks[0]\n").count(), 1, "a lock is drawn once");
    assert!(says(&text, "waits for forks[0]") && says(&text, "T2"), "{text}");
}

#[test]
fn what_is_not_in_the_heap_is_drawn_all_the_same() {
    let mut finding = race();
    finding.heap = None;
    for access in &mut finding.accesses {
        access.place = "counter".into();
    }
    let text = picture(&finding);
    assert!(says(&text, "counter") && says(&text, "T1 write"), "{text}");
}

#[test]
fn huge_findings_are_cut_to_a_page() {
    let mut finding = race();
    let node = |number: usize| HeapObject {
        name: format!("M{number}"),
        r#type: "struct t".into(),
        note: None,
        fields: (0..200).map(|n| HeapField { name: format!("a[{n}]"), content: Content::Value("0".into()) }).collect(),
    };
    finding.heap = Some(Heap { roots: Vec::new(), objects: (0..300).map(node).collect() });
    finding.accesses[0].place = "M299.a[199]".into();
    finding.schedule = (0..500)
        .map(|n| ScheduleStep {
            thread: 1 + n % 2,
            text: format!("step {n}"),
            file: "a.c".into(),
            line: n,
            ..ScheduleStep::default()
        })
        .collect();
    let text = picture(&finding);
    assert!(text.contains("more objects are in the report") && text.contains("earlier steps"));
    assert!(says(&text, "M299: struct t") && says(&text, "a[199]"), "what is accessed is drawn");
    assert!(text.len() < 400_000, "{}", text.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the analysed code calls its things, it is text.
    #[test]
    fn any_text_is_data(text in any::<String>(), line in any::<u32>()) {
        let mut finding = race();
        finding.id.clone_from(&text);
        finding.heap = Some(Heap {
            roots: vec![HeapRoot { name: text.clone(), content: Content::Link { object: text.clone(), inside: Some(text.clone()) } }],
            objects: vec![HeapObject {
                name: text.clone(),
                r#type: text.clone(),
                note: Some(text.clone()),
                fields: vec![HeapField { name: text.clone(), content: Content::link(text.clone()) }],
            }],
        });
        for access in &mut finding.accesses {
            access.place.clone_from(&text);
        }
        for step in &mut finding.schedule {
            step.text.clone_from(&text);
            step.line = line;
        }
        finding.threads = vec![ThreadName { thread: line, name: text.clone() }];
        picture(&finding);
    }

    /// Any graph of pointers can be drawn.
    #[test]
    fn any_shape_is_drawn(links in proptest::collection::vec((0usize..6, 0usize..6), 0..20)) {
        let mut finding = race();
        let object = |number: usize| HeapObject {
            name: format!("N{number}"),
            r#type: "struct node".into(),
            note: None,
            fields: links
                .iter()
                .filter(|(from, _)| *from == number)
                .enumerate()
                .map(|(index, (_, to))| HeapField { name: format!("p[{index}]"), content: Content::link(format!("N{to}")) })
                .collect(),
        };
        finding.heap = Some(Heap { objects: (0..6).map(object).collect(), ..heap() });
        picture(&finding);
    }
}
