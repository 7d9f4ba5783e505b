//! Small functions whose analyses can be read off, and random graphs against the definitions.

use super::{Cfg, WayOut};
use crate::{BlockId, Function, text, verify};
use expect_test::{Expect, expect};
use std::fmt::Write;

/// The first function of a module that verifies.
fn function(text: &str) -> Function {
    let module = text::parse(text).unwrap_or_else(|e| panic!("{e}"));
    verify::verify(&module).unwrap_or_else(|e| panic!("{e:#?}"));
    module.functions.into_iter().next().unwrap()
}

fn block(index: usize) -> BlockId {
    BlockId::new(index)
}

/// Everything about order, dominance and loops.
fn check_flow(text: &str, expect: Expect) {
    let function = function(text);
    let cfg = Cfg::new(&function);
    let mut out = format!("order {:?}, irreducible {}\n", cfg.reverse_postorder(), cfg.is_irreducible());
    for id in (0..function.blocks.len()).map(block) {
        let _ = write!(out, "{id}: from {:?}", cfg.predecessors(id));
        match cfg.immediate_dominator(id) {
            Some(dominator) => out += &format!(", below {dominator}"),
            None if cfg.is_reachable(id) => out += ", top",
            None => out += ", unreachable",
        }
        if let Some(header) = cfg.innermost_loop(id) {
            let _ = write!(out, ", in the loop of {header}, depth {}", cfg.loop_depth(id));
        }
        if let Some(blocks) = cfg.loop_blocks(id) {
            let _ = write!(out, ", header of {blocks:?}");
        }
        for &from in cfg.predecessors(id) {
            if cfg.is_retreating_edge(from, id) {
                let kind = if cfg.is_back_edge(from, id) { "back" } else { "retreating" };
                let _ = write!(out, ", {kind} edge from {from}");
            }
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

/// What is live in each block, and what decides each loop.
fn check_data(text: &str, expect: Expect) {
    let function = function(text);
    let cfg = Cfg::new(&function);
    let mut out = String::new();
    for id in (0..function.blocks.len()).map(block) {
        let _ = write!(out, "{id}: live {:?}", cfg.live_in(id));
        if cfg.is_header(id) {
            let _ = write!(out, ", relevant {:?}", cfg.control_relevant(id));
            out += if cfg.carried_pointer_exit(id) { ", follows links" } else { "" };
            out += if cfg.endless_around(id) == Some(id) { ", endless" } else { "" };
            out += match (cfg.counts(id), cfg.counts_rounds(id)) {
                (true, true) => ", counts",
                (true, false) => ", counts what it has done",
                (false, _) => "",
            };
        }
        out.push('\n');
    }
    expect.assert_eq(&out);
}

#[test]
fn diamond() {
    check_flow(
        "fn f0 f(%0: i1) {
         b0: branch %0, b1, b2
         b1: jump b3
         b2: jump b3
         b3: return
         }",
        expect![[r#"
            order [b0, b1, b2, b3], irreducible false
            b0: from [], top
            b1: from [b0], below b0
            b2: from [b0], below b0
            b3: from [b1, b2], below b0
        "#]],
    );
}

#[test]
fn nested_loops() {
    check_flow(
        "fn f0 f(%0: i1) {
         b0: jump b1
         b1: branch %0, b2, b6
         b2: branch %0, b3, b5
         b3: branch %0, b2, b4
         b4: jump b2
         b5: jump b1
         b6: return
         }",
        expect![[r#"
            order [b0, b1, b2, b3, b4, b5, b6], irreducible false
            b0: from [], top
            b1: from [b0, b5], below b0, in the loop of b1, depth 1, header of {b1, b2, b3, b4, b5}, back edge from b5
            b2: from [b1, b3, b4], below b1, in the loop of b2, depth 2, header of {b2, b3, b4}, back edge from b3, back edge from b4
            b3: from [b2], below b2, in the loop of b2, depth 2
            b4: from [b3], below b3, in the loop of b2, depth 2
            b5: from [b2], below b2, in the loop of b1, depth 1
            b6: from [b1], below b1
        "#]],
    );
}

#[test]
fn edges_that_leave_the_innermost_loop() {
    let function = function(
        "fn f0 f(%0: i1) {
         b0: branch %0, b1, b4
         b1: branch %0, b2, b4
         b2: branch %0, b3, b1
         b3: branch %0, b2, b1
         b4: return
         }",
    );
    let cfg = Cfg::new(&function);
    let leaves = |from: usize, to: usize| cfg.leaves_loop(block(from), block(to));
    assert!(!leaves(0, 1) && !leaves(0, 4), "there is no loop to leave");
    assert!(!leaves(1, 2) && leaves(1, 4));
    assert!(!leaves(2, 3) && leaves(2, 1) && !leaves(3, 2) && leaves(3, 1), "the outer loop goes on");
}

#[test]
fn loops_in_a_row_and_a_loop_of_one_block() {
    check_flow(
        "fn f0 f(%0: i1) {
         b0: branch %0, b0, b1
         b1: branch %0, b1, b2
         b2: return
         b3: jump b2
         }",
        expect![[r#"
            order [b0, b1, b2], irreducible false
            b0: from [b0], top, in the loop of b0, depth 1, header of {b0}, back edge from b0
            b1: from [b0, b1], below b0, in the loop of b1, depth 1, header of {b1}, back edge from b1
            b2: from [b1, b3], below b1
            b3: from [], unreachable
        "#]],
    );
}

#[test]
fn a_loop_with_two_entries_is_irreducible() {
    check_flow(
        "fn f0 f(%0: i1) {
         b0: branch %0, b1, b2
         b1: jump b2
         b2: branch %0, b1, b3
         b3: return
         }",
        expect![[r#"
            order [b0, b2, b1, b3], irreducible true
            b0: from [], top
            b1: from [b0, b2], below b0, in the loop of b2, depth 1
            b2: from [b0, b1], below b0, in the loop of b2, depth 1, header of {b1, b2}, retreating edge from b1
            b3: from [b2], below b2
        "#]],
    );
}

#[test]
fn a_switch_leads_to_one_block_twice() {
    check_flow(
        "fn f0 f(%0: i32) {
         b0: switch i32 %0 { 1: b1, 2: b1, default: b2 }
         b1: jump b2
         b2: return
         }",
        expect![[r#"
            order [b0, b1, b2], irreducible false
            b0: from [], top
            b1: from [b0], below b0
            b2: from [b0, b1], below b0
        "#]],
    );
}

#[test]
fn a_declaration_has_no_blocks() {
    let cfg = Cfg::new(&function("fn f0 f(%0: i32)"));
    assert!(cfg.reverse_postorder().is_empty() && cfg.headers().next().is_none());
}

/// `while (p) p = p->next, n++; return n;`: the length does not decide how the loop runs.
#[test]
fn counting_a_list() {
    check_data(
        "fn f0 length(%0 p: ptr) -> i32 {
         b0: jump b1(%0, 0)
         b1(%1 p: ptr, %2 n: i32):
           %3 = cmp ne ptr %1, null
           branch %3, b2, b3
         b2:
           %4 = offset %1 + 8
           %5 = load ptr [%4]
           %6 = add i32 %2, 1
           jump b1(%5, %6)
         b3: return %2
         }",
        expect![[r#"
            b0: live {%0}
            b1: live {%1, %2}, relevant {%1}, follows links, counts what it has done
            b2: live {%1, %2}
            b3: live {%2}
        "#]],
    );
}

/// `while (p) p = plain(p->next);`
#[test]
fn following_links_with_marks_in_them() {
    let follows = |next: &str| {
        let function = function(&format!(
            "fn f0 f(%0 p: ptr) {{
             b0: jump b1(%0)
             b1(%1 p: ptr):
               %2 = cmp ne ptr %1, null
               branch %2, b2, b3
             b2:
               %3 = offset %1 + 8
               %4 = load ptr [%3]
               %5: ptr = call f1:plain(ptr {next})
               jump b1(%5)
             b3: return
             }}
             fn f1 plain(%0 p: ptr) -> ptr"
        ));
        Cfg::new(&function).carried_pointer_exit(block(1))
    };
    assert!(follows("%4"));
    assert!(!follows("%0"), "what a function makes of something else is no link");
}

/// Two ways back that take the counter up and down, one that leaves it, and counters that are soon where they were.
#[test]
fn what_does_not_count() {
    let step = |ty: &str, one: &str, other: &str| {
        let function = function(&format!(
            "fn f0 f(%0: {ty}, %1: i1, %2: {ty}) -> {ty} {{
             b0: jump b1(%0)
             b1(%3: {ty}): branch %1, b2, b3
             b2: {one}
               jump b1(%4)
             b3: {other}
               branch %1, b1(%5), b4
             b4: return %3
             }}"
        ));
        Cfg::new(&function).counts(block(1))
    };
    assert!(step("i32", "%4 = add i32 %3, 1", "%5: i32 = add i32 %3, 1"));
    assert!(step("i64", "%4 = sub i64 %3, 6", "%5: i64 = sub i64 %3, 6"));
    assert!(!step("i32", "%4 = add i32 %3, 1", "%5: i32 = sub i32 %3, 1"), "up and down");
    assert!(!step("i32", "%4 = add i32 %3, 1", "%5: i32 = add i32 %3, 2"), "twice up may be as good as once");
    assert!(!step("i32", "%4 = add i32 %3, 0", "%5: i32 = add i32 %3, 0"));
    assert!(!step("i32", "%4 = add i32 %3, %2", "%5: i32 = add i32 %3, %2"), "by what is not known");
    assert!(!step("i32", "%4 = mul i32 %3, 3", "%5: i32 = mul i32 %3, 3"));
    assert!(!step("i32", "%4 = add i32 %2, 1", "%5: i32 = add i32 %2, 1"), "always the same");
    assert!(!step("i16", "%4 = add i16 %3, 1", "%5: i16 = add i16 %3, 1"), "back after 65,536 rounds");
    assert!(!step("i32", "%4 = add i32 %3, 1048576", "%5: i32 = add i32 %3, 1048576"), "back after 4,096 rounds");
}

/// What nobody looks at is not live, and its loop comes back to where it was.
#[test]
fn what_only_counts_itself_is_faint() {
    let counts = |looked_at: &str| {
        let function = function(&format!(
            "fn f0 f(%0: i1) -> i32 {{
             b0: jump b1(0)
             b1(%1: i32):
               %2 = add i32 %1, 1
               branch %0, b1(%2), b2
             b2: return {looked_at}
             }}"
        ));
        let cfg = Cfg::new(&function);
        (cfg.counts(block(1)), cfg.live_in(block(1)).len())
    };
    assert_eq!(counts("0"), (false, 1));
    assert_eq!(counts("%1"), (true, 2));
}

/// `for (i = 0; i < n; i++) { sum += a[i]; p = p->next; }`: the exit knows nothing of `p`, but `p` is accessed.
#[test]
fn counted_walk() {
    check_data(
        "fn f0 f(%0 a: ptr, %1 p: ptr, %2 n: i32) -> i32 {
         b0: jump b1(0, 0, %1)
         b1(%3 i: i32, %4 sum: i32, %5 p: ptr):
           %6 = cmp slt i32 %3, %2
           branch %6, b2, b3
         b2:
           %7 = offset %0 + i32 %3 * 4
           %8 = load i32 [%7]
           %9 = add i32 %4, %8
           %10 = load ptr [%5]
           %11 = add i32 %3, 1
           jump b1(%11, %9, %10)
         b3: return %4
         }",
        expect![[r#"
            b0: live {%0, %1, %2}
            b1: live {%0, %2, %3, %4, %5}, relevant {%0, %2, %3, %5}, counts
            b2: live {%0, %2, %3, %4, %5}
            b3: live {%4}
        "#]],
    );
}

/// `do { prev = cur; cur = cur->next; } while (prev->key < k)`: the link comes round by another variable.
#[test]
fn trailing_pointer() {
    check_data(
        "fn f0 f(%0 list: ptr, %1 k: i32) -> ptr {
         b0: jump b1(%0, %0)
         b1(%2 prev: ptr, %3 cur: ptr):
           %4 = load i32 [%2]
           %5 = cmp slt i32 %4, %1
           branch %5, b2, b3
         b2:
           %6 = offset %3 + 8
           %7 = load ptr [%6]
           jump b1(%3, %7)
         b3: return %3
         }",
        expect![[r#"
            b0: live {%0, %1}
            b1: live {%1, %2, %3}, relevant {%1, %2, %3}, follows links
            b2: live {%1, %3}
            b3: live {%3}
        "#]],
    );
}

/// `for (p = a; p != end; p++) *p = v;` steps through an array: no links.
#[test]
fn stepping_through_an_array() {
    check_data(
        "fn f0 fill(%0 a: ptr, %1 end: ptr, %2 v: i32) {
         b0: jump b1(%0)
         b1(%3 p: ptr):
           %4 = cmp ne ptr %3, %1
           branch %4, b2, b3
         b2:
           store i32 %2, [%3]
           %5 = offset %3 + 4
           jump b1(%5)
         b3: return
         }",
        expect![[r#"
            b0: live {%0, %1, %2}
            b1: live {%1, %2, %3}, relevant {%1, %2, %3}, counts
            b2: live {%1, %2, %3}
            b3: live {}
        "#]],
    );
}

/// `while (i < n) { acc += step; i += step; q = acc / d; }`: the divisor may fault, `acc` and `q` may not.
#[test]
fn accumulators_are_not_relevant_but_divisors_are() {
    check_data(
        "fn f0 f(%0 n: i32, %1 step: i32, %2 d: i32) -> i32, i32 {
         b0: jump b1(0, 0, 0)
         b1(%3 i: i32, %4 acc: i32, %5 q: i32):
           %6 = cmp slt i32 %3, %0
           branch %6, b2, b3
         b2:
           %7 = add i32 %4, %1
           %8 = udiv i32 %7, %2
           %9 = add i32 %3, %1
           jump b1(%9, %7, %8)
         b3: return %4, %5
         }",
        expect![[r#"
            b0: live {%0, %1, %2}
            b1: live {%0, %1, %2, %3, %4, %5}, relevant {%0, %1, %2, %3}
            b2: live {%0, %1, %2, %3, %4}
            b3: live {%4, %5}
        "#]],
    );
}

/// The least integer divided by -1 faults: there the dividend counts as well.
#[test]
fn dividends_of_signed_divisions_are_relevant() {
    check_data(
        "fn f0 f(%0 n: i32, %1 d: i32) -> i32, i32 {
         b0: jump b1(0, 0, 0)
         b1(%2 i: i32, %3 half: i32, %4 q: i32):
           %5 = cmp slt i32 %2, %0
           branch %5, b2, b3
         b2:
           %6 = sdiv i32 %3, 2
           %7 = sdiv i32 %4, %1
           %8 = add i32 %2, 1
           jump b1(%8, %6, %7)
         b3: return %3, %4
         }",
        expect![[r#"
            b0: live {%0, %1}
            b1: live {%0, %1, %2, %3, %4}, relevant {%0, %1, %2, %4}, counts
            b2: live {%0, %1, %2, %3, %4}
            b3: live {%3, %4}
        "#]],
    );
}

/// An inner loop decides by what the outer one carries; a pointer chosen by `select` still comes from memory.
#[test]
fn nested_dependence() {
    check_data(
        "fn f0 f(%0 tree: ptr, %1 k: i32) -> i32 {
         b0: jump b1(%0, 0)
         b1(%2 t: ptr, %3 depth: i32):
           %4 = cmp ne ptr %2, null
           branch %4, b2, b5
         b2: jump b3(0)
         b3(%5 i: i32):
           %6 = cmp ult i32 %5, %3
           %7 = add i32 %5, 1
           branch %6, b3(%7), b4
         b4:
           %8 = offset %2 + 8
           %9 = load ptr [%8]
           %10 = offset %2 + 16
           %11 = load ptr [%10]
           %12 = load i32 [%2]
           %13 = cmp slt i32 %12, %1
           %14 = select %13, ptr %9, %11
           %15 = add i32 %3, 1
           jump b1(%14, %15)
         b5: return %3
         }",
        expect![[r#"
            b0: live {%0, %1}
            b1: live {%1, %2, %3}, relevant {%1, %2, %3}, follows links, counts
            b2: live {%1, %2, %3}
            b3: live {%1, %2, %3, %5}, relevant {%3, %5}, counts
            b4: live {%1, %2, %3}
            b5: live {%3}
        "#]],
    );
}

#[test]
fn calls_and_atomics_make_their_operands_relevant() {
    check_data(
        "fn f0 f(%0 flag: ptr, %1 a: i32, %2 b: i32, %3 c: i64, %4 unused: i32) {
         b0: jump b1(0)
         b1(%5 sum: i32):
           %6: i32 = call *g0(i32 %1)
           %7 = rmw add i32 [%0], %2 seq_cst
           %8 = alloca 4 * %3 align 4
           %9 = add i32 %5, %4
           jump b1(%9)
         }
         global g0 callback: 8 align 8 = zero",
        expect![[r#"
            b0: live {%0, %1, %2, %3}
            b1: live {%0, %1, %2, %3}, relevant {%0, %1, %2, %3}, endless
        "#]],
    );
}

/// An edge that a constant rules out leads out of no loop.
#[test]
fn loops_without_a_way_out_are_endless() {
    check_data(
        "fn f0 f(%0: i1) {
         b0: branch %0, b1, b4
         b1: branch 1, b2, b3
         b2: branch 0, b3, b1
         b3: return
         b4: branch %0, b4, b5
         b5: branch %0, b4, b3
        }",
        expect![[r#"
            b0: live {%0}
            b1: live {}, relevant {}, endless
            b2: live {}
            b3: live {}
            b4: live {%0}, relevant {%0}
            b5: live {%0}
        "#]],
    );
}

#[test]
fn a_loop_that_is_left_only_where_the_program_fails_has_no_end() {
    let has_one = |left: &str, to: &str| {
        let text = format!(
            "fn f0 f(%0: i1) {{
             b0: jump b1
             b1: branch %0, b2, {left}
             b2: jump b1
             b3: {to}
            }}"
        );
        Cfg::new(&function(&text)).has_endless_loop()
    };
    assert!(has_one("b3", "unreachable"), "a failed assertion");
    assert!(!has_one("b3", "return"));
    assert!(has_one("b2", "return"), "never");
}

#[test]
fn a_loop_may_be_left_by_a_call_that_does_not_return() {
    let is_endless = |call: &str, way_out: WayOut| {
        let text = format!(
            "fn f0 f(%0: i1) {{
             b0: jump b1
             b1: branch %0, b1, b2
             b2: branch %0, b3, b4
             b3: {call}
             unreachable
             b4: unreachable
            }}
            fn f1 leave(%0: i32) external noreturn"
        );
        Cfg::with_ways_out(&function(&text), &|_| way_out).has_endless_loop()
    };
    assert!(is_endless("call f1:leave(i32 0)", WayOut::None), "all ways lead to a failure");
    assert!(!is_endless("call f1:leave(i32 0)", WayOut::Status));
    assert!(is_endless("call f1:leave(i32 1)", WayOut::Status));
    assert!(!is_endless("call f1:leave(i32 1)", WayOut::Thread));
}

/// `p = next(p)` is not seen to load.
#[test]
fn a_call_is_not_a_load() {
    check_data(
        "fn f0 f(%0: ptr) {
         b0: jump b1(%0)
         b1(%1 p: ptr):
           %2: ptr = call f1(ptr %1)
           %3 = cmp eq ptr %2, null
           branch %3, b2, b1(%2)
         b2: return
         }
         fn f1 next(%0: ptr) -> ptr",
        expect![[r#"
            b0: live {%0}
            b1: live {%1}, relevant {%1}
            b2: live {}
        "#]],
    );
}

/// Dominators, loops and liveness against their definitions, by walking, on random graphs.
#[test]
fn agrees_with_the_definitions() {
    let mut seed: u64 = 42;
    let mut below = |limit: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % limit
    };
    let (mut irreducible, mut nested) = (0, 0);
    for _ in 0..600 {
        let count = 2 + below(8);
        let mut text = "fn f0 f(%0: i1) {\n".to_owned();
        for i in 0..count {
            let _ = match below(5) {
                0 => writeln!(text, "b{i}: return"),
                1 => writeln!(text, "b{i}: jump b{}", below(count)),
                _ => writeln!(text, "b{i}: branch %0, b{}, b{}", below(count), below(count)),
            };
        }
        let function = function(&(text.clone() + "}"));
        let cfg = Cfg::new(&function);
        irreducible += usize::from(cfg.is_irreducible());
        let blocks: Vec<BlockId> = (0..function.blocks.len()).map(block).collect();
        nested += usize::from(blocks.iter().any(|b| cfg.loop_depth(*b) > 1));
        let entry = block(0);
        for &b in &blocks {
            assert_eq!(cfg.is_reachable(b), b == entry || walk(&function, entry, None).contains(&b), "{text}");
            for &d in blocks.iter().filter(|_| cfg.is_reachable(b)) {
                let avoided = d != entry && (b == entry || walk(&function, entry, Some(d)).contains(&b));
                assert_eq!(cfg.dominates(d, b), b == d || !avoided, "{d} over {b} in\n{text}");
            }
            let live = cfg.live_in(b).contains(crate::Reg::new(0));
            let branches = |id: &BlockId| function.block(*id).terminator.edges().count() == 2;
            assert_eq!(live, branches(&b) || walk(&function, b, None).iter().any(branches), "{text}");
            // Without the retreating edges nothing comes round, and every cycle has a header.
            if cfg.is_reachable(b) && walk(&function, b, None).contains(&b) {
                assert!(cfg.innermost_loop(b).is_some(), "{b} is in a cycle of\n{text}");
            }
        }
        for header in cfg.headers() {
            let members = cfg.loop_blocks(header).unwrap();
            for member in members.iter() {
                let round = member == header && walk(&function, header, None).contains(&header)
                    || walk(&function, header, None).contains(&member)
                        && walk(&function, member, None).contains(&header);
                assert!(round, "{member} does not go round {header} in\n{text}");
            }
        }
    }
    assert!(irreducible > 30 && nested > 30, "{irreducible} irreducible, {nested} nested");
}

/// The blocks after `from` on ways of at least one edge that avoid `hole`.
fn walk(function: &Function, from: BlockId, hole: Option<BlockId>) -> Vec<BlockId> {
    let mut found = Vec::new();
    let mut pending = if Some(from) == hole { Vec::new() } else { vec![from] };
    while let Some(block) = pending.pop() {
        for edge in function.block(block).terminator.edges() {
            if Some(edge.target) != hole && !found.contains(&edge.target) {
                found.push(edge.target);
                pending.push(edge.target);
            }
        }
    }
    found
}
