//! What becomes of a function whose sections change.

use super::*;
use ir::{Callee, Op};

/// `f` reads its object's second word on one way and in a loop on the other; what it does not do is left out.
const TEXT: &str = "T0 = void\nT1 = signed int 4\nT2 = struct s 8 { 0 lock: T1, 4 n: T1 }\nT3 = ptr T2\n\
    fn f0 take(%0 l: ptr) -> i32 external\n  returns T1 source(l: T3)\n\
    fn f1 give(%0 l: ptr) -> i32 external\n  returns T1 source(l: T3)\n\
    fn f2 f(%0 s: ptr, %1 a: i1) -> i32 external\n  returns T1 source(s: T3, a: T1) {\n\
    b0:\n  branch %1, b1, b4\n\
    b1:\n  %2: ptr = offset %0 + 4 \"->n\"\n  %3 = load i32 [%2]\n  %4 = cmp eq i32 %3, 0\n  branch %4, b2, b3\n\
    b2:\n  return 0\n\
    b3:\n  %5: ptr = offset %0 + 4 \"->n\"\n  store i32 1, [%5]\n  return 1\n\
    b4:\n  return 2\n}\n";

fn program() -> Program {
    Program::new(ir::text::parse(TEXT).expect("valid IR"), 2).expect("a program")
}

fn section(program: &Program, extent: Extent) -> Section {
    let named = |name: &str| program.module.functions_named(name).next().expect("it is there");
    let base = Operand::Reg(program.module[named("f")].params[0].reg);
    let lock = LockPlace::Member { base, offset: 0, within: None, path: "->lock".to_owned() };
    Section { function: named("f"), lock, take: named("take"), give: named("give"), extent, unless: None }
}

fn accesses(program: &Program) -> Vec<Site> {
    let is_access = |op: &Op| matches!(op, Op::Load { .. } | Op::Store { .. });
    program.sites().filter(|&site| program.site_op(site).is_some_and(is_access)).collect()
}

/// On every way from the entry to a return, which calls there are and whether an access stands between them: `<` takes, `>` gives, `.`
/// accesses.
fn ways(program: &Program, section: &Section) -> Vec<String> {
    let function = &program.module[section.function];
    let mut found = Vec::new();
    let mut left = vec![(0, String::new())];
    while let Some((block, mut way)) = left.pop() {
        for inst in &function.blocks[block].insts {
            match &inst.op {
                Op::Call { callee: Callee::Direct(callee), .. } if *callee == section.take => way.push('<'),
                Op::Call { callee: Callee::Direct(callee), .. } if *callee == section.give => way.push('>'),
                Op::Load { .. } | Op::Store { .. } => way.push('.'),
                _ => {}
            }
        }
        let to: Vec<usize> = function.blocks[block].terminator.edges().map(|edge| edge.target.index()).collect();
        if to.is_empty() {
            found.push(way.clone());
        }
        left.extend(to.into_iter().map(|to| (to, way.clone())));
    }
    found.sort();
    found
}

fn changed(extent: impl Fn(&[Site]) -> Extent) -> Vec<String> {
    let program = program();
    let section = section(&program, extent(&accesses(&program)));
    let changed = program.with_changes(&[Change::Hold(section.clone())]).expect("a program").expect("it can be had");
    ways(&changed, &section)
}

#[test]
fn a_section_is_as_short_as_its_accesses_and_left_on_every_way() {
    assert_eq!(ways(&program(), &section(&program(), Extent::Whole)), ["", ".", ".."]);
    assert_eq!(changed(|sites| Extent::Around(sites.to_vec())), ["", "<..>", "<.>"]);
    assert_eq!(changed(|sites| Extent::Around(sites[..1].to_vec())), ["", "<.>", "<.>."]);
    assert_eq!(changed(|sites| Extent::Around(sites[1..].to_vec())), ["", ".", ".<.>"]);
}

#[test]
fn a_whole_function_is_left_at_each_return() {
    assert_eq!(changed(|_| Extent::Whole), ["<..>", "<.>", "<>"]);
}

#[test]
fn what_holds_the_lock_there_becomes_a_part_of_one_section() {
    let program = program();
    let sites = accesses(&program);
    let narrow = section(&program, Extent::Around(sites[1..].to_vec()));
    let part = program.with_changes(&[Change::Hold(narrow.clone())]).expect("a program").expect("it can be had");
    assert_eq!(part.calls_on_lock(&narrow).len(), 2);
    let joined = section(&part, Extent::Extended(accesses(&part)[..1].to_vec()));
    let whole = part.with_changes(&[Change::Hold(joined.clone())]).expect("a program").expect("it can be had");
    assert_eq!(ways(&whole, &joined), ["", "<..>", "<.>"]);
    assert_eq!(whole.calls_on_lock(&joined).len(), 3);
}

#[test]
fn what_nothing_leads_to_has_no_section() {
    let program = program();
    let mut elsewhere = section(&program, Extent::Around(accesses(&program)));
    elsewhere.function = program.module.functions_named("take").next().expect("it is there");
    assert!(program.with_changes(&[Change::Hold(elsewhere)]).expect("a program").is_none());
}

/// The program with a section around some accesses, and the calls of its section: what takes the lock, and what gives it back.
fn with_section(around: impl Fn(&[Site]) -> Vec<Site>) -> (Program, Section, Vec<Site>, Vec<Site>) {
    let program = program();
    let section = section(&program, Extent::Around(around(&accesses(&program))));
    let held = program.with_changes(&[Change::Hold(section.clone())]).expect("a program").expect("it can be had");
    let calls = held.calls_on_lock(&section);
    let is_take = |site: &Site| matches!(held.site_op(*site), Some(Op::Call { callee: Callee::Direct(callee), .. }) if *callee == section.take);
    let (takes, gives) = calls.into_iter().partition(is_take);
    (held, section, takes, gives)
}

fn ways_with(program: &Program, section: &Section, change: Change) -> Option<Vec<String>> {
    program.with_changes(&[change]).expect("a program").map(|changed| ways(&changed, section))
}

#[test]
fn what_is_given_back_later_is_given_back_on_every_way() {
    let (held, section, _, gives) = with_section(|sites| sites[..1].to_vec());
    let behind = accesses(&held)[1..].to_vec();
    let changed = ways_with(&held, &section, Change::Later { give: gives[0], behind });
    assert_eq!(changed.expect("it can be had"), ["", "<..>", "<.>"]);
    // No way leads from behind the call to what is before it.
    let before = accesses(&held)[..1].to_vec();
    assert_eq!(ways_with(&held, &section, Change::Later { give: gives[0], behind: before }), None);
}

#[test]
fn what_is_taken_sooner_is_given_back_where_it_was_not_taken() {
    let (held, section, takes, _) = with_section(|sites| sites[1..].to_vec());
    let (lock, give, before) = (section.lock.clone(), section.give, accesses(&held)[..1].to_vec());
    let changed = ways_with(&held, &section, Change::Sooner { take: takes[0], before, lock, give });
    assert_eq!(changed.expect("it can be had"), ["", "<..>", "<.>"]);
}

#[test]
fn what_is_given_back_before_comes_first_on_every_way() {
    let (held, section, _, gives) = with_section(|sites| sites[1..].to_vec());
    let before = accesses(&held)[1..].to_vec();
    let changed = ways_with(&held, &section, Change::Earlier { give: gives[0], before });
    assert_eq!(changed.expect("it can be had"), ["", ".", ".<>."]);
    // Not every way from the first access comes to the call.
    let before = accesses(&held)[..1].to_vec();
    assert_eq!(ways_with(&held, &section, Change::Earlier { give: gives[0], before }), None);
}

#[test]
fn a_lock_that_may_be_held_already_is_taken_on_one_of_two_ways() {
    let program = program();
    let mut section = section(&program, Extent::Around(accesses(&program)[1..].to_vec()));
    section.unless = Some(Operand::Reg(program.module[section.function].params[0].reg));
    let changed = ways_with(&program, &section, Change::Hold(section.clone())).expect("it can be had");
    // Both calls ask by themselves, and what they ask is the same.
    assert_eq!(changed, ["", ".", "..", "..>", ".<.", ".<.>"]);
}

#[test]
fn calls_are_left_out() {
    let (held, section, takes, gives) = with_section(<[Site]>::to_vec);
    let calls = [takes, gives].concat();
    let changed = ways_with(&held, &section, Change::Without { calls });
    assert_eq!(changed.expect("it can be had"), ["", ".", ".."]);
}
