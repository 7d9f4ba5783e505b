//! What a read takes its value from where no other thread interferes (Con2colic, section 6: `LocW`).

use super::forest::{Content, Forest, Label};
use super::scenario::Expanded;
use crate::trace::canon::Who;
use concurrency::Range;

/// Bytes of a read, and the write that they are from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Piece {
    pub range: Range,
    /// None: they stood there before anything was written.
    pub from: Option<Written>,
}

/// A write in a scenario.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written {
    pub who: Who,
    pub at: usize,
    pub range: Range,
    pub content: Content,
}

/// Where the bytes come from that node `at` of a thread reads, if they are not another thread's: the last writes before, of the thread's
/// own and of those who created it, before they did.
pub(super) fn local(forest: &Forest, expanded: &Expanded, (who, at): (Who, usize), range: Range) -> Vec<Piece> {
    let mut open = vec![range];
    let mut pieces = Vec::new();
    let mut next = Some((who, at));
    while let Some((who, end)) = next {
        for at in (0..end).rev() {
            let Label::Wrote(writes) = forest.label(expanded.paths[who].nodes[at]) else { continue };
            for &(range, content) in writes.iter().filter(|(written, _)| written.object == range.object) {
                let from = Written { who, at, range, content };
                open = open.into_iter().flat_map(|rest| taken(rest, range, from, &mut pieces)).collect();
            }
            if open.is_empty() {
                return sorted(pieces);
            }
        }
        next = expanded.created[who];
    }
    pieces.extend(open.into_iter().map(|range| Piece { range, from: None }));
    sorted(pieces)
}

fn sorted(mut pieces: Vec<Piece>) -> Vec<Piece> {
    pieces.sort_by_key(|piece| piece.range.offset);
    pieces
}

/// Takes the bytes that were written out of a range; what is left of it.
fn taken(rest: Range, written: Range, from: Written, pieces: &mut Vec<Piece>) -> Vec<Range> {
    if !rest.overlaps(&written) {
        return vec![rest];
    }
    let (begin, end) = (rest.offset.max(written.offset), (rest.offset + rest.size).min(written.offset + written.size));
    pieces.push(Piece { range: Range { offset: begin, size: end - begin, ..rest }, from: Some(from) });
    let before = Range { size: begin - rest.offset, ..rest };
    let behind = Range { offset: end, size: rest.offset + rest.size - end, ..rest };
    [before, behind].into_iter().filter(|range| range.size > 0).collect()
}

/// The part of a content that stands at these bytes of what was written.
pub(super) fn part_of(terms: &mut smt::Terms, written: Range, content: Content, range: Range) -> Content {
    if (written.offset, written.size) == (range.offset, range.size) {
        return content;
    }
    let whole = match content {
        Content::Term(term) => term,
        Content::Fixed(number) => terms.bv(written.size as u32 * 8, u128::from(number)),
        Content::Undefined => return Content::Undefined,
    };
    let low = (range.offset - written.offset) as u32 * 8;
    Content::Term(terms.extract(whole, low + range.size as u32 * 8 - 1, low))
}

/// Contents of neighbouring bytes as one, the first the least significant.
pub(super) fn joined(terms: &mut smt::Terms, parts: &[(Range, Content)]) -> Content {
    if let [(_, content)] = parts {
        return *content;
    }
    let mut whole = None;
    for &(range, content) in parts {
        let part = match content {
            Content::Term(term) => term,
            Content::Fixed(number) => terms.bv(range.size as u32 * 8, u128::from(number)),
            Content::Undefined => return Content::Undefined,
        };
        whole = Some(whole.map_or(part, |low| terms.concat(part, low)));
    }
    whole.map_or(Content::Undefined, Content::Term)
}
