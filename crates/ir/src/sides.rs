//! Sides of branches: whether two blocks are on different ones.
//!
//! A side of a branch is what lies between one of its edges and the place where all its ways meet again, its immediate
//! post-dominator: there the threads of a warp that went different ways go on together (Fung et al., MICRO 2007).

use crate::{BlockId, Function};
use std::collections::BTreeSet;

/// Whether some branch has one of two blocks on one side and the other on another, and neither on both.
pub fn on_different_sides(function: &Function, x: BlockId, y: BlockId) -> bool {
    if x == y {
        return false;
    }
    let successors: Vec<Vec<usize>> = function.blocks.iter().map(successors).collect();
    let post_dominators = post_dominators(&successors);
    (0..successors.len()).filter(|&branch| successors[branch].len() > 1).any(|branch| {
        let meets = immediate(&post_dominators, branch);
        let sides: Vec<BTreeSet<usize>> =
            successors[branch].iter().map(|&first| side(&successors, first, branch, meets)).collect();
        let has = |block: BlockId| move |side: &&BTreeSet<usize>| side.contains(&block.index());
        let of = |block: BlockId| sides.iter().position(|side| has(block)(&side));
        let is_on_one = |block: BlockId| sides.iter().filter(has(block)).count() == 1;
        is_on_one(x) && is_on_one(y) && of(x) != of(y)
    })
}

/// Where all ways from a branch meet again: its immediate post-dominator. None where that is behind the function's end, or nowhere.
pub fn meeting_block(function: &Function, branch: BlockId) -> Option<BlockId> {
    let successors: Vec<Vec<usize>> = function.blocks.iter().map(successors).collect();
    immediate(&post_dominators(&successors), branch.index()).map(BlockId::new)
}

/// Blocks that a block may go on to, each once.
fn successors(block: &crate::Block) -> Vec<usize> {
    let mut all = Vec::new();
    for edge in block.terminator.edges() {
        if !all.contains(&edge.target.index()) {
            all.push(edge.target.index());
        }
    }
    all
}

/// For each block those that every way from it to an end goes through, itself among them. Of a block from which no way leads to an end, all.
fn post_dominators(successors: &[Vec<usize>]) -> Vec<BTreeSet<usize>> {
    let all: BTreeSet<usize> = (0..successors.len()).collect();
    let mut found: Vec<BTreeSet<usize>> = vec![all; successors.len()];
    loop {
        let mut changed = false;
        for block in (0..successors.len()).rev() {
            let mut next = successors[block].iter().map(|&next| &found[next]);
            let mut common = next.next().cloned().unwrap_or_default();
            next.for_each(|other| common.retain(|block| other.contains(block)));
            common.insert(block);
            if common != found[block] {
                found[block] = common;
                changed = true;
            }
        }
        if !changed {
            return found;
        }
    }
}

/// The first block that every way from a block goes through; none if there is none.
fn immediate(post_dominators: &[BTreeSet<usize>], block: usize) -> Option<usize> {
    // Each post-dominator is post-dominated by those behind it: the first has the most.
    let others = post_dominators[block].iter().copied().filter(|&other| other != block);
    others.max_by_key(|&other| post_dominators[other].len())
}

/// What lies behind an edge to `first`, up to where the branch is met again or its ways meet.
fn side(successors: &[Vec<usize>], first: usize, branch: usize, meets: Option<usize>) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    let mut pending = vec![first];
    while let Some(block) = pending.pop() {
        if block != branch && Some(block) != meets && found.insert(block) {
            pending.extend(&successors[block]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::parse;

    /// Two blocks of a function.
    fn check(body: &str, x: usize, y: usize, expected: bool) {
        let text = format!("fn f0 f(%0: i1) {{\n{body}\n}}\n");
        let module = parse(&text).unwrap_or_else(|e| panic!("{e}"));
        let (x, y) = (BlockId::new(x), BlockId::new(y));
        assert_eq!(on_different_sides(&module.functions[0], x, y), expected, "{x} and {y}");
        assert_eq!(on_different_sides(&module.functions[0], y, x), expected, "{y} and {x}");
    }

    const BRANCH: &str = "b0: branch %0, b1, b2\nb1: jump b3\nb2: jump b3\nb3: return";
    /// `if (c) b1; b2`
    const IF: &str = "b0: branch %0, b1, b2\nb1: jump b2\nb2: return";
    /// `while (c) b2; b3`, with a branch in it.
    const LOOP: &str =
        "b0: jump b1\nb1: branch %0, b2, b3\nb2: branch %0, b4, b5\nb3: return\nb4: jump b1\nb5: jump b1";
    /// `if (c) return; b2`
    const RETURN: &str = "b0: branch %0, b1, b2\nb1: return\nb2: return";

    #[test]
    fn sides_end_where_ways_meet() {
        check(BRANCH, 1, 2, true);
        check(BRANCH, 1, 3, false);
        check(BRANCH, 0, 1, false);
        check(IF, 1, 2, false);
        check(RETURN, 1, 2, true);
    }

    #[test]
    fn ways_meet_at_the_first_block_that_all_go_through() {
        let meets = |body: &str, branch: usize| {
            let module = parse(&format!("fn f0 f(%0: i1) {{\n{body}\n}}\n")).unwrap_or_else(|e| panic!("{e}"));
            meeting_block(&module.functions[0], BlockId::new(branch)).map(|block| block.index())
        };
        assert_eq!(meets(BRANCH, 0), Some(3));
        assert_eq!(meets(LOOP, 1), Some(3));
        assert_eq!(meets(LOOP, 2), Some(1));
        assert_eq!(meets(RETURN, 0), None);
    }

    #[test]
    fn a_loop_and_what_comes_behind_it_are_no_sides() {
        check(LOOP, 2, 3, false);
        check(LOOP, 4, 5, true);
        check(LOOP, 2, 4, false);
    }
}
