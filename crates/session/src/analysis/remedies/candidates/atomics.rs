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

/// An instruction by which a field of an object, or a variable, is come to: by its own access, or by a call.
#[derive(Clone, Copy)]
struct Way {
    site: Site,
    /// What leads to the object there, and where the field is in it.
    field: (Operand, i64),
}

/// An access, and the calls that come to it with the object: where its function is called with that as an argument, where that is, and so on.
fn reaching(program: &Program, calls: &[(FuncId, Site)], site: Site) -> Vec<Way> {
    let variable = match program.site_op(site) {
        Some(Op::Load { address, .. } | Op::Store { address, .. }) => Some((*address, 0)),
        _ => None,
    };
    let variable = variable.filter(|(address, _)| matches!(address, Operand::Global(..)));
    let Some(field) = variable.or_else(|| field_of(program, site)) else { return Vec::new() };
    let mut all = vec![Way { site, field }];
    let mut last = all.clone();
    for _ in 0..DEEP {
        let mut next = Vec::new();
        for way in &last {
            let Some(function) = program.site_function(way.site) else { continue };
            for &(_, call) in calls.iter().filter(|(callee, _)| *callee == function) {
                next.extend(passed(program, function, call, way.field).map(|field| Way { site: call, field }));
            }
        }
        all.extend(&next);
        last = next;
    }
    all
}

/// The field as the caller knows it: of a variable, or of what it passes.
fn passed(program: &Program, callee: FuncId, call: Site, (base, at): (Operand, i64)) -> Option<(Operand, i64)> {
    let Operand::Reg(register) = base else { return Some((base, at)) };
    let index = program.module[callee].params.iter().position(|param| param.reg == register)?;
    match program.site_op(call)? {
        Op::Call { args, .. } => Some((args.get(index)?.value, at)),
        _ => None,
    }
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
        let before = reaching(program, &calls, read);
        let behind = |site: &&Site| {
            let then = reaching(program, &calls, **site);
            let is_behind =
                |one: &Way, other: &Way| one.field == other.field && program.is_only_behind(one.site, other.site);
            before.iter().any(|one| then.iter().any(|other| is_behind(one, other)))
        };
        if let Some(&then) = sites.iter().find(behind) {
            return Some([read, then]);
        }
    }
    None
}
