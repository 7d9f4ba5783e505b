//! Accesses that are made atomic.

use super::Candidate;
use super::spots::{Spot, field_of};
use concurrency::Site;
use ir::{Callee, FuncId, Op, Operand, Order, Ty};
use machine::{Change, Program};
use report::RemedyKind;

/// The weakest first: each is asked for what it allows that no interleaving shows, but the last, which allows nothing.
const ORDERS: [Order; 3] = [Order::Relaxed, Order::AcqRel, Order::SeqCst];

/// All accesses of a race as atomic ones, where each is a plain one of a number or a pointer, or atomic already.
pub(super) fn of(program: &Program, spots: &[Spot]) -> Vec<Candidate> {
    let mut sites: Vec<Site> = Vec::new();
    for spot in spots.iter().filter(|spot| !spot.frees) {
        match access(program, spot.site) {
            Some(Access::Plain) => sites.push(spot.site),
            Some(Access::Atomic) => {}
            None => return Vec::new(),
        }
    }
    sites.sort_unstable();
    sites.dedup();
    // What ends an object comes before or behind all else, or it does not.
    if sites.is_empty() || spots.iter().any(|spot| spot.frees) {
        return Vec::new();
    }
    let one =
        |order| Candidate { kind: RemedyKind::Atomic, changes: vec![Change::Atomic { sites: sites.clone(), order }] };
    ORDERS.into_iter().map(one).collect()
}

enum Access {
    Plain,
    Atomic,
}

fn access(program: &Program, site: Site) -> Option<Access> {
    let function = program.site_function(site)?;
    let (ty, is_plain) = match program.site_op(site)? {
        Op::Load { ty, order, volatile: false, .. } => (*ty, order.is_none()),
        Op::Store { ty, order, volatile: false, .. } => (*ty, order.is_none()),
        Op::AtomicRmw { .. } | Op::CompareExchange { .. } => return Some(Access::Atomic),
        _ => return None,
    };
    let is_scalar = matches!(ty, Ty::Int(8 | 16 | 32 | 64) | Ty::Ptr);
    (is_scalar && !program.module[function].library).then_some(match is_plain {
        true => Access::Plain,
        false => Access::Atomic,
    })
}

/// Calls between a function and one whose access it is taken for.
const DEEP: usize = 3;

/// An access, and the calls that come to it: where its function is called, where that is, and so on.
fn reaching(program: &Program, calls: &[(FuncId, Site)], site: Site) -> Vec<Site> {
    let mut all = vec![site];
    let mut last = vec![site];
    for _ in 0..DEEP {
        let functions: Vec<FuncId> = last.iter().filter_map(|&site| program.site_function(site)).collect();
        last = calls.iter().filter(|(callee, _)| functions.contains(callee)).map(|&(_, call)| call).collect();
        all.extend(&last);
    }
    all
}

/// What is read, and accessed again behind that in the same function or where it was called from: atomic accesses leave it to others in
/// between.
pub(super) fn read_before(program: &Program, sites: &[Site]) -> Option<[Site; 2]> {
    let called = |site: Site| match program.site_op(site) {
        Some(Op::Call { callee: Callee::Direct(callee), .. }) => Some((*callee, site)),
        _ => None,
    };
    let calls: Vec<(FuncId, Site)> = program.sites().filter_map(called).collect();
    let is_read = |site: &&Site| matches!(program.site_op(**site), Some(Op::Load { .. }));
    let is_alone = |site: &&Site| {
        // What reads and writes in one expression is one operation.
        let stands = |other: Site| program.site_location(other);
        !sites.iter().any(|&other| other != **site && stands(other) == stands(**site))
    };
    for &read in sites.iter().filter(is_read).filter(is_alone) {
        let is_same = |site: &&Site| {
            let address = |site: Site| match program.site_op(site) {
                Some(Op::Load { address, .. } | Op::Store { address, .. }) => Some(*address),
                _ => None,
            };
            let is_variable = matches!(address(read), Some(Operand::Global(..))) && address(read) == address(**site);
            let field = field_of(program, read);
            is_variable || field.is_some() && field == field_of(program, **site)
        };
        let before = reaching(program, &calls, read);
        let behind = |site: &&Site| {
            let then = reaching(program, &calls, **site);
            is_same(site) && before.iter().any(|&one| then.iter().any(|&other| program.is_only_behind(one, other)))
        };
        if let Some(&then) = sites.iter().find(behind) {
            return Some([read, then]);
        }
    }
    None
}
