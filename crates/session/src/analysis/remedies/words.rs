//! Candidates in words.

use super::super::racing::absolute;
use super::super::session::Session;
use super::candidates::{self, Candidate};
use super::source::Source;
use super::trial::Together;
use concurrency::Site;
use ir::{FuncId, Location, Op, Operand, Order};
use machine::{Change, Extent, LockPlace, Program, Section};
use report::RemedyKind;
use std::collections::BTreeSet;

/// `` hold `q->lock` at queue.c:19 (q_size) ``, for each change.
pub(super) fn said(session: &Session, candidate: &Candidate) -> String {
    let program = &session.engine.program;
    let mut all: Vec<String> = candidate.changes.iter().map(|change| one(program, change)).collect();
    all.dedup();
    all.join("; ")
}

/// The first of a candidate's changes, and how many more there are.
pub(super) fn brief(session: &Session, candidate: &Candidate) -> String {
    let first = candidate.changes.first().map(|change| one(&session.engine.program, change)).unwrap_or_default();
    match candidate.changes.len() {
        0 | 1 => first,
        2 => format!("{first}, and the like in another place"),
        more => format!("{first}, and the like in {} more places", more - 1),
    }
}

/// A candidate that holds.
pub(super) fn tried(session: &Session, candidate: &Candidate, results: &Together) -> String {
    let program = &session.engine.program;
    let said = said(session, candidate);
    let mut last = String::new();
    if candidate.kind == RemedyKind::Operations {
        last.push_str(". It orders calls that are passed the same object; nothing narrower was found");
    }
    if let Some([read, then]) = candidates::read_before(program, candidate) {
        last.push_str(&format!(
            ". This orders the accesses and no more: what is read at {} may be out of date at {}",
            at(program, &[read]),
            at(program, &[then])
        ));
    }
    format!(
        "{said}; tried: with that these races are gone, nothing else goes wrong (no deadlock either), and {}{last}",
        together(results)
    )
}

/// What calls come to with a change.
fn together(results: &Together) -> String {
    let alone = "each call by itself goes as before";
    match results {
        Together::Ordered => {
            "calls at once come to what they come to one after the other, all of it and nothing else".to_owned()
        }
        Together::AsBefore => {
            "calls at once come to what they come to one after the other, and to nothing else that they did not come to before"
                .to_owned()
        }
        Together::Possible(what) => format!("{alone}; what stays possible: {what}"),
        Together::Open => format!("{alone}; not all of what calls come to together was compared"),
        Together::Nothing => format!("{alone}; what calls come to together was not compared"),
    }
}

/// A candidate that holds for another cause as well.
pub(super) fn shared(cause: &str, said: &str) -> String {
    format!("what mends {cause} mends this as well: {said}; tried as there")
}

/// Behind what a remedy is: that it does not go with those of other causes; or that it was not found out.
pub(super) fn not_together(others: &[&str], is_known: bool) -> String {
    let others = others.join(", ");
    match is_known {
        true => format!("; not together with what mends {others}: something goes wrong then"),
        false => format!("; whether it goes with what mends {others} was not found out in the time"),
    }
}

/// Those that do not, and those that were not tried to their ends.
pub(super) fn not_found(refused: &[String], untried: &[String]) -> Option<String> {
    let ways = |said: &[String]| -> String {
        let ways: Vec<String> = said.iter().take(MOST_TOLD).map(|way| format!("to {way}")).collect();
        let more = match said.len().saturating_sub(MOST_TOLD) {
            0 => String::new(),
            more => format!(", and {more} more that were tried"),
        };
        format!("{}{more}", ways.join("; or "))
    };
    let no = (!refused.is_empty()).then(|| format!("No remedy of these kinds was found to work: {}.", ways(refused)));
    let open = untried.first().map(|first| {
        format!("Whether it helps to {first} was not found out in time; --max-time with a larger value may.")
    });
    let parts: Vec<String> = no.into_iter().chain(open).collect();
    (!parts.is_empty()).then(|| parts.join(" "))
}

/// Ways that are told of those that do not work.
const MOST_TOLD: usize = 3;

fn one(program: &Program, change: &Change) -> String {
    let there = |sites: &[Site]| at(program, sites);
    match change {
        Change::Hold(held) => section(program, held),
        Change::Later { give, behind } => {
            format!("{} behind {} rather than {}", giving(program, *give), there(behind), there(&[*give]))
        }
        Change::Earlier { give, before } => {
            format!("{} before {} rather than {}", giving(program, *give), there(before), there(&[*give]))
        }
        Change::Sooner { take, before, lock, .. } => {
            let lock = taken(program, *take, lock).unwrap_or_else(|| "the lock".to_owned());
            format!("take `{lock}` before {} rather than {}", there(before), there(&[*take]))
        }
        Change::Atomic { sites, order } => atomic(program, sites, *order),
        Change::Without { calls } => {
            let takes: Vec<Site> = calls.iter().copied().filter(|&call| candidates::is_take(program, call)).collect();
            let locks: BTreeSet<String> = takes.iter().filter_map(|&take| argument(program, take)).collect();
            let locks: Vec<String> = locks.into_iter().map(|lock| format!("`{lock}`")).collect();
            match locks.len() {
                0 => "take no other lock there".to_owned(),
                1 | 2 => format!("and take {} no more", locks.join(" and ")),
                more => format!("and take {} and {} more no more", locks[0], more - 1),
            }
        }
    }
}

/// `make q->c at queue.c:19 (q_size) and queue.c:25 (q_put) atomic, relaxed`
fn atomic(program: &Program, sites: &[Site], order: Order) -> String {
    let mut functions: Vec<FuncId> = sites.iter().filter_map(|&site| program.site_function(site)).collect();
    functions.sort_unstable();
    functions.dedup();
    let of = |id: FuncId| {
        let here: Vec<Site> = sites.iter().copied().filter(|&site| program.site_function(site) == Some(id)).collect();
        at(program, &here)
    };
    let places: Vec<String> = functions.into_iter().map(of).collect();
    let order = match order {
        Order::Relaxed => "relaxed",
        Order::SeqCst => "sequentially consistent",
        _ => "reads as acquire and writes as release",
    };
    format!("make the accesses at {} atomic, {order}", places.join(" and "))
}

/// `` give `p->lock` back ``, or `` call `release` `` where a function does it.
fn giving(program: &Program, give: Site) -> String {
    let callee = program.site_op(give).and_then(|op| match op {
        Op::Call { callee: ir::Callee::Direct(callee), .. } => Some(&program.module[*callee]),
        _ => None,
    });
    match callee {
        Some(callee) if !callee.blocks.is_empty() && !callee.library => format!("call `{}`", callee.name),
        _ => format!("give `{}` back", argument(program, give).unwrap_or_else(|| "the lock".to_owned())),
    }
}

/// `queue.c:19 (q_size)`, `queue.c:19 to :21 (q_size)`.
fn at(program: &Program, sites: &[Site]) -> String {
    let places = sites.iter().filter_map(|&site| program.site_location(site)).map(|at| &program.module[at]);
    let mut lines: Vec<(String, u32)> = places.map(|at| (program.module[at.file].path.clone(), at.line)).collect();
    lines.sort();
    let name = sites.first().and_then(|&site| program.site_function(site)).map(|id| program.module[id].name.as_str());
    let name = name.unwrap_or_default();
    match (lines.first(), lines.last()) {
        (Some((file, first)), Some((_, last))) if first == last => format!("{file}:{first} ({name})"),
        (Some((file, first)), Some((_, last))) => format!("{file}:{first} to :{last} ({name})"),
        _ => format!("`{name}`"),
    }
}

/// The lock that a call takes, by a name that it may have before the call.
pub(super) fn taken(program: &Program, call: Site, lock: &LockPlace) -> Option<String> {
    let has_path = matches!(lock, LockPlace::Variable { .. })
        || matches!(lock, LockPlace::Member { path, .. } if !path.is_empty());
    let named = program.site_function(call).filter(|_| has_path).and_then(|id| lock_in(program, id, lock));
    named.or_else(|| argument(program, call))
}

/// What a call is passed, without the `&`, as it stands in the source.
fn argument(program: &Program, call: Site) -> Option<String> {
    let at = &program.module[program.site_location(call)?];
    let file = &program.module[at.file].path;
    let source = Source::read(file, absolute(&program.module, file)?)?;
    let text = source.argument_of(offset_of(program, &source, call)?)?;
    Some(text.strip_prefix('&').unwrap_or(text).to_owned())
}

/// Where an instruction stands in a file, if it stands there itself.
pub(super) fn offset_of(program: &Program, source: &Source, site: Site) -> Option<usize> {
    let at = &program.module[program.site_location(site)?];
    let is_here = program.module[at.file].path == source.file && at.inlined_at.is_none();
    is_here.then(|| source.offset(at.line, at.column)).flatten()
}

/// The condition under which a section's lock is not the one that is held already: `p != q`.
pub(super) fn differs(program: &Program, section: &Section) -> Option<String> {
    let own = lock(program, section)?;
    let other = held_already(program, section)?;
    let object = |text: &str| text.rsplit_once("->").map(|(object, member)| (object.to_owned(), member.to_owned()));
    match (object(&own), object(&other)) {
        (Some((one, member)), Some((two, same))) if member == same => Some(format!("{one} != {two}")),
        _ => Some(format!("&{own} != &{other}")),
    }
}

/// The lock that a section leaves out, as the call names it that took it.
fn held_already(program: &Program, section: &Section) -> Option<String> {
    let is_it = |site: &Site| {
        program.site_function(*site) == Some(section.function)
            && candidates::is_take(program, *site)
            && matches!(program.site_op(*site), Some(Op::Call { args, .. }) if args.first().map(|arg| arg.value) == section.unless)
    };
    argument(program, program.sites().find(is_it)?)
}

fn section(program: &Program, section: &Section) -> String {
    let name = &program.module[section.function].name;
    let lock = lock(program, section).unwrap_or_else(|| "the lock".to_owned());
    let lines = lines(program, section);
    let within = match (lines.first(), lines.last()) {
        (Some((file, first)), Some((_, last))) if first == last => format!("at {file}:{first} ({name})"),
        (Some((file, first)), Some((_, last))) => format!("from {file}:{first} to :{last} ({name})"),
        _ => format!("in `{name}`"),
    };
    let unless = match section.unless {
        Some(_) => match held_already(program, section) {
            Some(other) => format!(" unless it is `{other}`"),
            None => " unless it is held already".to_owned(),
        },
        None => String::new(),
    };
    match &section.extent {
        Extent::Around(_) => format!("hold `{lock}` {within}{unless}"),
        Extent::Extended(_) => format!("hold `{lock}` {within}, in one section with what holds it there"),
        Extent::Whole => format!("hold `{lock}` in all of `{name}`"),
    }
}

/// The lines between which a section is.
fn lines(program: &Program, section: &Section) -> Vec<(String, u32)> {
    let mut lines: Vec<(String, u32)> =
        points(program, section).into_iter().map(|at| (program.module[at.file].path.clone(), at.line)).collect();
    lines.sort();
    lines
}

/// Where a section's accesses are, and the calls that it takes the place of.
pub(super) fn points<'p>(program: &'p Program, section: &Section) -> Vec<&'p Location> {
    let calls = || program.calls_on_lock(section);
    let sites: Vec<Site> = match &section.extent {
        Extent::Around(sites) => sites.clone(),
        Extent::Extended(sites) => sites.iter().copied().chain(calls()).collect(),
        Extent::Whole => calls(),
    };
    sites.into_iter().filter_map(|site| program.site_location(site)).map(|at| &program.module[at]).collect()
}

/// A section's lock, as C writes it in its function.
pub(super) fn lock(program: &Program, section: &Section) -> Option<String> {
    lock_in(program, section.function, &section.lock)
}

/// A lock, as C writes it in a function.
pub(super) fn lock_in(program: &Program, function: FuncId, lock: &LockPlace) -> Option<String> {
    match lock {
        LockPlace::Variable { global, offset } => {
            let global = &program.module[*global];
            let path = global.ty.map(|ty| program.module.path_to(ty, u64::try_from(*offset).unwrap_or(0)));
            Some(memory::outside_of_lock(format!("{}{}", global.name, path.unwrap_or_default())))
        }
        LockPlace::Member { base, path, .. } => Some(format!("{}{path}", base_text(program, function, *base)?)),
    }
}

/// What leads to the lock's object: a variable, or what stands before a member in the source.
fn base_text(program: &Program, function: FuncId, base: Operand) -> Option<String> {
    let function = &program.module[function];
    if let Operand::Reg(register) = base
        && let Some(name) = &function.register(register).name
    {
        return Some(name.clone());
    }
    if let Operand::Global(global, 0) = base {
        return Some(format!("(&{})", program.module[global].name));
    }
    let mut found = None;
    for inst in function.blocks.iter().flat_map(|block| &block.insts) {
        let Op::Offset { base: other, path, .. } = &inst.op else { continue };
        let (true, Some(at)) = (*other == base, inst.location) else { continue };
        let member = path.strip_prefix("->").unwrap_or(path);
        let member = &member[..member.find(['.', '[', '-']).unwrap_or(member.len())];
        let at = &program.module[at];
        let file = &program.module[at.file].path;
        let source = Source::read(file, absolute(&program.module, file)?)?;
        let text = source.offset(at.line, at.column).and_then(|offset| source.owner_of(offset, member));
        // Two ways to name it are two values at different times, for all that is known.
        match (&found, text) {
            (_, None) => {}
            (None, some) => found = some,
            (Some(known), Some(text)) if *known == text => {}
            (Some(_), Some(_)) => return None,
        }
    }
    found
}
