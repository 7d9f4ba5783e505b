//! One finding in ThreadSanitizer's layout.

use super::page::{Page, Role, pad, width};
use super::{heap, schedule, story};
use crate::words::capitalised;
use crate::{
    Access, AccessKind, Blocked, Client, Content, Finding, FindingKind, GpuThread, HostLaunch, Input, InputValue,
    Location, Note,
};
use crate::{object_of, printable, words};

const RULE: &str = "==================";

/// How much of a schedule is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    /// What the finding depends on.
    Short,
    /// All, in columns.
    Full,
    /// All, a step a line.
    Steps,
}

pub(super) fn render(page: &mut Page, finding: &Finding, detail: Detail) {
    // In a short report headings of causes stand between findings.
    let rule = |page: &mut Page| {
        if detail != Detail::Short {
            page.line(page.paint(Role::Faint, RULE));
        }
    };
    rule(page);
    heading(page, finding);
    if let Some(client) = &finding.client {
        render_client(page, client);
    }
    for (number, access) in (1..).zip(&finding.accesses) {
        render_access(page, access, number);
    }
    if finding.accesses.is_empty() && finding.blocked.is_empty() {
        render_stack(page, &finding.location);
    }
    for blocked in &finding.blocked {
        render_blocked(page, blocked, &finding.blocked);
    }
    for note in &finding.notes {
        render_note(page, note);
    }
    if let Some(root) = &finding.root {
        page.line(format!("  {root} comes first in this schedule, and may have led to it."));
    }
    inputs(page, finding);
    if let Some(drawn) = &finding.heap {
        heap::render(page, drawn, detail == Detail::Short && !finding.inputs.is_empty());
    }
    match detail {
        Detail::Short => {
            let shown = story::essential(finding);
            let left_out = finding.schedule.len() - shown.len();
            schedule::render_columns(page, finding, &shown);
            if left_out > 0 {
                let steps = words::counted(left_out as u64, "step", "steps");
                let all = explain(&finding.id, finding);
                let left = format!("(left out: {steps} independent of the other threads; {all} shows all)");
                page.paragraph("    ", &left);
            }
        }
        Detail::Full => schedule::render_columns(page, finding, &finding.schedule),
        Detail::Steps => schedule::render_steps(page, finding),
    }
    if let Some(witness) = &finding.witness {
        if detail != Detail::Short {
            page.gap();
        }
        page.line(format!("  Witness: {witness}"));
    }
    if detail != Detail::Short {
        page.gap();
    }
    summary(page, finding);
    rule(page);
    page.gap();
}

/// The command that prints a finding of a run whole. `shown`: one of that run whose witness has been written.
pub(super) fn explain(id: &str, shown: &Finding) -> String {
    format!("`raddle explain {id}{}`", folder_flag(shown))
}

/// The flag that names the folder where a finding's witness was written, if one is needed.
pub(super) fn folder_flag(shown: &Finding) -> String {
    let folder = shown.witness.as_ref().map(|witness| witness.rsplit_once('/').map_or(".", |(folder, _)| folder));
    match folder {
        None | Some(OUT) => String::new(),
        Some(folder) => format!(" --out {folder}"),
    }
}

/// Where witnesses go if nobody says.
const OUT: &str = "raddle-out";

fn heading(page: &mut Page, finding: &Finding) {
    let (role, doubt) = if finding.unconfirmed.is_some() { (Role::Doubt, "possible ") } else { (Role::Alarm, "") };
    let title = page.paint(role, &format!("WARNING: raddle: {doubt}{}", finding.kind.title()));
    let mut all = vec![finding.id.clone()];
    all.retain(|id| !id.is_empty());
    all.extend(remarks(finding));
    page.line(format!("{title} ({})", all.join(", ")));
    // A race is said by its two accesses.
    if !finding.detail.is_empty() && finding.accesses.is_empty() {
        page.paragraph("  ", &finding.detail);
    }
}

/// What the finding rests on.
pub(crate) fn remarks(finding: &Finding) -> Vec<String> {
    let mut remarks = Vec::new();
    if finding.confirmed {
        remarks.push("confirmed by replay".to_owned());
    }
    if finding.tsan_confirmed == Some(true) {
        remarks.push("confirmed by ThreadSanitizer".to_owned());
    }
    if let Some(why) = &finding.unconfirmed {
        remarks.push(format!("not confirmed: {why}"));
    }
    if let Some(shape) = finding.shape {
        remarks.push(shape.explanation().to_owned());
    }
    if let Some(class) = finding.class {
        remarks.insert(0, class_in_words(class).to_owned());
    }
    if let Some(client) = &finding.client {
        remarks.push(format!("in {}", client.file));
    }
    if let Some(why) = &finding.unreached {
        remarks.push(why.clone());
    }
    remarks
}

/// What a client holds and calls.
fn render_client(page: &mut Page, client: &Client) {
    if client.at_once.is_empty() {
        return;
    }
    page.line("  The client:");
    for line in client.holds.iter().chain(&client.before) {
        page.paragraph("      ", line);
    }
    for (number, call) in (1..).zip(&client.at_once) {
        let when = if number == 1 { "at once" } else { "    and" };
        page.paragraph("    ", &format!("{when}, thread {number}: {call}"));
    }
}

fn render_access(page: &mut Page, access: &Access, number: u32) {
    let what = access_in_words(access);
    let place = page.paint(Role::Strong, accessed(access));
    match &access.gpu {
        Some(gpu) => {
            let by = gpu_thread(&gpu.thread);
            let of = gpu.launch.as_ref().map(|launch| format!(" of {}", host_launch(launch))).unwrap_or_default();
            page.line(format!("  [{number}] {what} {place} in {} memory by {by}{of}:", gpu.space));
        }
        None => {
            let by = thread_name(access.thread, access.operation.as_deref());
            page.line(format!("  [{number}] {what} {place} by {by}, {}:", holding(&access.locks)));
        }
    }
    render_stack(page, &access.location);
}

/// What happens, up to the place: `Atomic write of size 8 at`.
pub(crate) fn access_in_words(access: &Access) -> String {
    let atomic = if access.atomic && access.access != AccessKind::ReadWrite { "atomic " } else { "" };
    let phrase = capitalised(&format!("{atomic}{}", access.in_words()));
    match access.access {
        AccessKind::Free => format!("{phrase} of"),
        _ => format!("{phrase} of size {} at", access.size),
    }
}

/// What frees an object frees it whole.
pub(crate) fn accessed(access: &Access) -> &str {
    if access.access == AccessKind::Free { object_of(&access.place) } else { &access.place }
}

pub(crate) fn holding(locks: &[String]) -> String {
    match locks {
        [] => "holding no lock".to_owned(),
        locks => format!("holding {}", locks.join(", ")),
    }
}

pub(crate) fn thread_name(thread: u32, operation: Option<&str>) -> String {
    match operation {
        Some(operation) => format!("thread {thread} ({operation})"),
        None => format!("thread {thread}"),
    }
}

/// `block (0,0,0), thread (3,0,0) (warp 0, lane 3)`
pub(crate) fn gpu_thread(at: &GpuThread) -> String {
    let place = |[x, y, z]: [u32; 3]| format!("({x},{y},{z})");
    format!("block {}, thread {} (warp {}, lane {})", place(at.block), place(at.gpu_thread), at.warp, at.lane)
}

/// `launch 2, scale<<<(2,1,1), (4,1,1)>>> at scale.cu:31`
fn host_launch(launch: &HostLaunch) -> String {
    let HostLaunch { number, kernel, grid, block, file, line } = launch;
    let size = |[x, y, z]: &[u32; 3]| format!("({x},{y},{z})");
    format!("launch {number}, {kernel}<<<{}, {}>>> at {file}:{line}", size(grid), size(block))
}

/// How near to each other the threads of a race are, in words.
pub(crate) fn class_in_words(class: &str) -> &'static str {
    match class {
        "intra_warp" => "within a warp",
        "intra_warp_divergent" => "within a warp that diverges",
        "inter_warp" => "between warps of a block",
        _ => "between blocks",
    }
}

/// Frames, and the source line of the position beneath the innermost one.
fn render_stack(page: &mut Page, location: &Location) {
    if location.stack.is_empty() && (!location.function.is_empty() || !location.file.is_empty()) {
        page.line(format!("    #0 {} {}", location.function, position(location)));
        quote(page, location);
    }
    for (number, frame) in location.stack.iter().enumerate() {
        page.line(format!("    #{number} {frame}"));
        if number == 0 {
            quote(page, location);
        }
    }
}

pub(crate) fn position(location: &Location) -> String {
    format!("{}:{}:{}", location.file, location.line, location.column)
}

fn quote(page: &mut Page, location: &Location) {
    let Some(source) = page.options.sources.line(&location.file, location.line) else { return };
    let column = usize::try_from(location.column).unwrap_or(0).saturating_sub(1);
    // Columns count bytes (clang), and a tab is as wide as we print it.
    let before = source.get(..column).map(|text| width(&expanded(text)));
    let number = location.line.to_string();
    let code = expanded(&source);
    page.line(format!("       {number} | {}", page.paint(Role::Code, code.trim_end())));
    if let Some(before) = before.filter(|_| location.column > 0) {
        let caret = page.paint(Role::Alarm, "^");
        page.line(format!("       {} | {}{caret}", " ".repeat(number.len()), " ".repeat(before)));
    }
}

/// Tabs as blanks to the next multiple of four columns, other control characters written out.
pub(crate) fn expanded(text: &str) -> String {
    let text = printable(text);
    let mut result = String::new();
    for piece in text.split_inclusive('\t') {
        match piece.strip_suffix('\t') {
            Some(plain) => {
                result.push_str(plain);
                let columns = width(&result);
                result = pad(&result, columns + 4 - columns % 4);
            }
            None => result.push_str(piece),
        }
    }
    result
}

fn render_blocked(page: &mut Page, blocked: &Blocked, all: &[Blocked]) {
    if let (Some(gpu), Some(what)) = (&blocked.gpu, &blocked.waits_for) {
        let who = capitalised(&gpu_thread(gpu));
        page.line(format!("  {who} waits for {}:", page.paint(Role::Strong, what)));
        return render_stack(page, &blocked.location);
    }
    let who = capitalised(&thread_name(blocked.thread, blocked.operation.as_deref()));
    let holds = match blocked.holds.as_slice() {
        [] => "holds no lock".to_owned(),
        locks => format!("holds {}", locks.join(", ")),
    };
    let waits = match &blocked.waits_for {
        Some(what) => format!(" and waits for {}", page.paint(Role::Strong, what)),
        None => " and waits".to_owned(),
    };
    let holders: Vec<String> = holders(blocked, all).iter().map(|t| format!("thread {t}")).collect();
    let held = if holders.is_empty() { String::new() } else { format!(", held by {}", holders.join(", ")) };
    page.line(format!("  {who} {holds}{waits}{held}:"));
    render_stack(page, &blocked.location);
}

/// The threads that hold what `blocked` waits for.
pub(crate) fn holders(blocked: &Blocked, all: &[Blocked]) -> Vec<u32> {
    if !blocked.waits_for_threads.is_empty() {
        return blocked.waits_for_threads.clone();
    }
    let holds = |b: &&Blocked| blocked.waits_for.as_ref().is_some_and(|lock| b.holds.contains(lock));
    all.iter().filter(holds).map(|b| b.thread).collect()
}

fn render_note(page: &mut Page, note: &Note) {
    match &note.location {
        Some(location) => {
            page.line(format!("  {}:", note.text));
            render_stack(page, location);
        }
        None => page.paragraph("  ", &format!("{}.", note.text)),
    }
}

fn inputs(page: &mut Page, finding: &Finding) {
    if finding.inputs.is_empty() {
        return;
    }
    let values: Vec<String> = finding.inputs.iter().map(input_in_words).collect();
    page.gap();
    page.paragraph("  Inputs: ", &values.join(", "));
}

/// `k = 7`
pub(crate) fn input_in_words(input: &Input) -> String {
    format!("{} = {}", input.name, value(&input.value))
}

pub(crate) fn value(value: &InputValue) -> String {
    match value {
        InputValue::Signed(number) => number.to_string(),
        InputValue::Unsigned(number) => number.to_string(),
        InputValue::Real(number) => format!("{:?}", number.value()),
        InputValue::Bytes(bytes) => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("bytes {}", bytes.join(" "))
        }
        InputValue::Text(text) => text.clone(),
    }
}

pub(super) fn content(content: &Content) -> String {
    match content {
        Content::Link { object, inside: None } => format!("──▶ {object}"),
        Content::Link { object, inside: Some(member) } if member.starts_with(['.', '[']) => {
            format!("──▶ {object}{member}")
        }
        Content::Link { object, inside: Some(member) } => format!("──▶ {object}.{member}"),
        Content::Null => "null".to_owned(),
        Content::Value(value) => value.clone(),
        Content::Any => "any".to_owned(),
    }
}

/// One line that scripts and editors can pick up.
fn summary(page: &mut Page, finding: &Finding) {
    let at = |location: &Location| match location.function.as_str() {
        "" => position(location),
        function => format!("{} in {function}", position(location)),
    };
    let places = match (finding.kind, finding.accesses.as_slice(), finding.blocked.as_slice()) {
        (FindingKind::DataRace | FindingKind::ScopeError, [one, other], _) => {
            format!("{} against {}", at(&one.location), at(&other.location))
        }
        (FindingKind::Deadlock | FindingKind::BarrierDivergence, _, blocked @ [_, ..]) => {
            blocked.iter().map(|b| at(&b.location)).collect::<Vec<_>>().join(", ")
        }
        _ => at(&finding.location),
    };
    page.line(format!("SUMMARY: raddle: {} {places}", finding.kind.title()));
}
