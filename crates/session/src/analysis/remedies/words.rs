//! Candidates in words.

use super::super::racing::absolute;
use super::super::session::Session;
use super::candidates::Candidate;
use super::source::Source;
use concurrency::Site;
use ir::{Location, Op, Operand};
use machine::{Extent, LockPlace, Program, Section};

/// `` hold `q->lock` at queue.c:19 (q_size) ``, for each section.
pub(super) fn said(session: &Session, candidate: &Candidate) -> String {
    let program = &session.engine.program;
    let mut all: Vec<String> = candidate.sections.iter().map(|section| one(program, section)).collect();
    all.dedup();
    all.join("; ")
}

/// The first of a candidate's sections, and how many more there are.
pub(super) fn brief(session: &Session, candidate: &Candidate) -> String {
    let first = candidate.sections.first().map(|section| one(&session.engine.program, section)).unwrap_or_default();
    match candidate.sections.len() {
        0 | 1 => first,
        2 => format!("{first}, and the like in another place"),
        more => format!("{first}, and the like in {} more places", more - 1),
    }
}

/// A candidate that holds.
pub(super) fn tried(said: &str) -> String {
    format!(
        "{said}; tried: with that these races are gone, nothing else goes wrong (no deadlock either), and each call by itself \
         goes as before; what calls come to together was not compared"
    )
}

/// Those that do not.
pub(super) fn refused(said: &[String]) -> String {
    let ways: Vec<String> = said.iter().take(MOST_TOLD).map(|way| format!("to {way}")).collect();
    let more = match said.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        more => format!(", and {more} more that were tried"),
    };
    format!("No remedy of these kinds was found to work: {}{more}.", ways.join("; or "))
}

/// One that was not tried to its end.
pub(super) fn untried(said: &str) -> String {
    format!("Whether it helps to {said} was not found out in time; --max-time with a larger value may.")
}

/// Ways that are told of those that do not work.
const MOST_TOLD: usize = 3;

fn one(program: &Program, section: &Section) -> String {
    let name = &program.module[section.function].name;
    let lock = lock(program, section).unwrap_or_else(|| "the lock".to_owned());
    let lines = lines(program, section);
    let within = match (lines.first(), lines.last()) {
        (Some((file, first)), Some((_, last))) if first == last => format!("at {file}:{first} ({name})"),
        (Some((file, first)), Some((_, last))) => format!("from {file}:{first} to :{last} ({name})"),
        _ => format!("in `{name}`"),
    };
    match &section.extent {
        Extent::Around(_) => format!("hold `{lock}` {within}"),
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
    match &section.lock {
        LockPlace::Variable { global, offset } => {
            let global = &program.module[*global];
            let path = global.ty.map(|ty| program.module.path_to(ty, u64::try_from(*offset).unwrap_or(0)));
            Some(memory::outside_of_lock(format!("{}{}", global.name, path.unwrap_or_default())))
        }
        LockPlace::Member { base, path, .. } => Some(format!("{}{path}", base_text(program, section, *base)?)),
    }
}

/// What leads to the lock's object: a variable, or what stands before a member in the source.
fn base_text(program: &Program, section: &Section, base: Operand) -> Option<String> {
    let function = &program.module[section.function];
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
