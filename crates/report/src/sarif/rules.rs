//! The kinds of findings as rules (SARIF 3.49), with help.

use crate::FindingKind;
use serde_json::{Value, json};
use serde_sarif::sarif::{MultiformatMessageString, PropertyBag, ReportingConfiguration, ReportingDescriptor};
use std::collections::BTreeMap;

/// All kinds, whether found or not, so that the position of a rule is the same in all documents.
pub(super) fn all() -> Vec<ReportingDescriptor> {
    FindingKind::ALL.into_iter().map(rule).collect()
}

/// The rule's position in [`all`].
pub(super) fn index(kind: FindingKind) -> i64 {
    FindingKind::ALL.into_iter().position(|other| other == kind).unwrap_or_default() as i64
}

fn rule(kind: FindingKind) -> ReportingDescriptor {
    let Help { weakness, what, mend } = help(kind);
    let level = if kind == FindingKind::MemoryLeak { "warning" } else { "error" };
    let mut tags = vec!["concurrency".to_owned(), "correctness".to_owned()];
    tags.extend(weakness.map(|number| format!("external/cwe/cwe-{number}")));
    let properties: BTreeMap<String, Value> = BTreeMap::from([
        ("tags".to_owned(), json!(tags)),
        ("precision".to_owned(), json!("high")),
        ("problem.severity".to_owned(), json!(level)),
    ]);
    let text = format!("{what}\n\n{mend}\n\n{REPLAY}");
    let markdown = format!("{what}\n\n**What to do:** {mend}\n\n{REPLAY}");
    ReportingDescriptor::builder()
        .id(kind.name())
        .name(pascal(kind.name()))
        .short_description(&kind.title().to_owned())
        .full_description(&what.to_owned())
        .help(MultiformatMessageString::builder().text(text).markdown(markdown).build())
        .default_configuration(ReportingConfiguration::builder().level(json!(level)).build())
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build()
}

const REPLAY: &str = "Every finding was replayed before it was reported. `raddle replay WITNESS` shows it step by step, and \
                      `raddle test WITNESS -o FILE.c` writes a C program that shows it natively.";

struct Help {
    /// Number in the Common Weakness Enumeration.
    weakness: Option<u32>,
    what: &'static str,
    mend: &'static str,
}

/// `data_race` as `DataRace`.
fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut characters = word.chars();
        characters.next().map_or_else(String::new, |first| first.to_uppercase().chain(characters).collect())
    };
    name.split('_').map(capital).collect()
}

fn help(kind: FindingKind) -> Help {
    let entry = |weakness, what, mend| Help { weakness, what, mend };
    match kind {
        FindingKind::Assertion => entry(
            Some(617),
            "An assertion does not hold, or the program aborts, for some input and schedule.",
            "The schedule shows which step of another thread came in between; protect what has to happen at once by one lock.",
        ),
        FindingKind::BarrierDivergence => entry(
            None,
            "Threads of a block do not come to the same barrier: some wait where others do not, or have ended, or a mask of \
             lanes lacks the caller's own. In CUDA that is undefined.",
            "Call the barrier where all threads of the block do, or synchronise only those that come.",
        ),
        FindingKind::DataRace => entry(
            Some(362),
            "Two threads access the same bytes, at least one writes, at least one access is not atomic, and nothing orders \
             the two. In C11 (5.1.2.4) that is undefined behaviour.",
            "Hold one and the same lock at both accesses, exclusively where one writes, or make the object atomic.",
        ),
        FindingKind::Deadlock => entry(
            Some(833),
            "Threads wait for each other and none of them can go on.",
            "Take locks in one order in all threads, and let no thread wait while it holds what the others need.",
        ),
        FindingKind::DivisionByZero => entry(
            Some(369),
            "A divisor is zero, or a quotient is not representable.",
            "Check the divisor, and see that no other thread changes it after the check.",
        ),
        FindingKind::DoubleFree => entry(
            Some(415),
            "A block is freed that was freed before.",
            "Let one owner free it; where several may, decide under a lock who does.",
        ),
        FindingKind::ForeignAccess => entry(
            Some(119),
            "A kernel accesses memory of the host, or the host accesses memory of the device. What cudaMalloc gives is for kernels, and for \
             the host to copy from and to; what malloc gives, and variables of the host, no kernel reaches.",
            "Copy what the other side needs by cudaMemcpy, or allocate it by cudaMallocManaged.",
        ),
        FindingKind::MisalignedAccess => entry(
            Some(188),
            "A kernel accesses memory at an address that is not a multiple of the size of what it accesses. GPUs fault there \
             (cudaErrorMisalignedAddress).",
            "Access it by bytes, or copy it into a variable of its type.",
        ),
        FindingKind::InvalidFree => entry(
            Some(763),
            "Something is freed that no allocation returned.",
            "Free what `malloc` and its like returned, at its first byte.",
        ),
        FindingKind::LockMisuse => entry(
            Some(667),
            "A lock is used as POSIX or C11 does not allow: unlocked by a thread that does not hold it, destroyed while it \
             is held, used before it is initialised.",
            "Unlock in the thread that locked; destroy a lock when no thread can use it any more.",
        ),
        FindingKind::MemoryLeak => entry(
            Some(401),
            "A block is still allocated when the program ends, and nothing leads to it.",
            "Free it before the last pointer to it is lost.",
        ),
        FindingKind::NullDereference => entry(
            Some(476),
            "A null pointer is used for an access.",
            "Check the pointer, and see that no other thread clears it after the check.",
        ),
        FindingKind::OutOfBounds => entry(
            Some(119),
            "An access lies outside of its object.",
            "Check index and size, and see that no other thread changes them after the check.",
        ),
        FindingKind::OverlappingCopy => entry(
            Some(475),
            "`memcpy` or `strcpy` copies between objects that overlap (C11 7.24.2.1, 7.24.2.3).",
            "Use `memmove`.",
        ),
        FindingKind::ScopeError => entry(
            Some(820),
            "Two threads access the same bytes, and the fences between them, or the atomic operations, are for threads of one \
             block only, which these are not.",
            "Use `__threadfence()` instead of `__threadfence_block()`, and atomic functions without `_block`.",
        ),
        FindingKind::UninitializedRead => entry(
            Some(457),
            "A value that was never written decides a branch, an address or what is printed.",
            "Write it first; where another thread does, wait until it has.",
        ),
        FindingKind::UnreachableReached => entry(
            None,
            "A place is reached that is marked as never to be reached.",
            "The inputs and the schedule show the way there.",
        ),
        FindingKind::UseAfterFree => entry(
            Some(416),
            "An access goes to a block that was freed, or to a variable that has ended.",
            "Free when no thread can use the block any more: after a join, or when a count of its users reaches zero.",
        ),
    }
}
