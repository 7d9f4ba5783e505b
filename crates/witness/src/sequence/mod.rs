//! A finding for other tools: the violation sequences of SV-COMP.
//!
//! What a witness says by steps and numbers is said by places in the source here: which threads are created where, what calls of
//! `__VERIFIER_nondet_...` return, and who comes when to each action that synchronises, up to the statement that violates the property; of a
//! race the two statements, without an order between them. Whoever follows it is led to the same violation; nothing promises that its
//! validator can follow.

mod document;
mod places;

use crate::format::{AccessInfo, CreatedThread, InputValue, Moment, ScheduleStep, SourcePosition, StepKind, Witness};
use document::{Constraint, Entry, Kind, Location, Metadata, Producer, Segment, Step, Task, Waypoint};
use places::{Place, Source};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write;

/// What a witness is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sources {
    /// By name, as the user typed it: the text.
    pub texts: Vec<(String, String)>,
    /// In SV-COMP's format: `CHECK( init(main()), LTL(G ! data-race) )`.
    pub specification: String,
    /// ISO 8601.
    pub creation_time: String,
}

/// Why there is none.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SequenceError {
    #[error("a violation sequence says nothing of a {0}")]
    Kind(String),
    #[error("the place of the failure, {0}, is in none of the sources")]
    Place(String),
    #[error("{0}")]
    Yaml(String),
}

/// The violation sequence of a witness of a whole program, as YAML.
///
/// # Errors
/// See [`SequenceError`].
pub fn violation_sequence(witness: &Witness, sources: &Sources) -> Result<String, SequenceError> {
    let parsed = sources.texts.iter().filter_map(|(name, text)| Source::of(name, text.clone())).collect();
    let content = Sequence::new(witness, parsed).content()?;
    let hash = |text: &String| {
        Sha256::digest(text).iter().fold(String::new(), |mut hex, byte| {
            // Writing to a string cannot fail.
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    };
    let task = Task {
        input_files: sources.texts.iter().map(|(name, _)| name.clone()).collect(),
        input_file_hashes: sources.texts.iter().map(|(name, text)| (name.clone(), hash(text))).collect(),
        specification: sources.specification.clone(),
        data_model: if witness.program.flags.iter().any(|flag| flag == "-m32") { "ILP32" } else { "LP64" },
        language: "C",
    };
    let producer = Producer { name: "raddle", version: env!("CARGO_PKG_VERSION") };
    let creation_time = sources.creation_time.clone();
    let named = format!("{creation_time} {content:?} {task:?}");
    let uuid = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, named.as_bytes()).to_string();
    let metadata = Metadata { format_version: "2.2", uuid, creation_time, producer, task };
    let entry = Entry { entry_type: "violation_sequence", metadata, content };
    serde_saphyr::to_string(&[entry]).map_err(|error| SequenceError::Yaml(error.to_string()))
}

/// The kinds of failures that are at one statement.
const AT_STATEMENTS: [&str; 8] = [
    "assertion",
    "unreachable_reached",
    "division_by_zero",
    "null_dereference",
    "out_of_bounds",
    "use_after_free",
    "double_free",
    "invalid_free",
];

/// Functions that create a thread.
const CREATING: [&str; 2] = ["pthread_create", "thrd_create"];

/// What a waypoint stands for, in the order of the run.
#[derive(Clone, Copy)]
enum Event<'w> {
    Created(&'w CreatedThread),
    Input(&'w InputValue),
    Step(&'w ScheduleStep),
}

struct Sequence<'w> {
    witness: &'w Witness,
    sources: Vec<Source>,
    /// The ids of threads that the waypoints so far create.
    ids: BTreeMap<u32, usize>,
}

impl<'w> Sequence<'w> {
    fn new(witness: &'w Witness, sources: Vec<Source>) -> Self {
        Sequence { witness, sources, ids: BTreeMap::from([(0, 0)]) }
    }

    fn content(mut self) -> Result<Vec<Segment>, SequenceError> {
        let failure = &self.witness.failure;
        let targets: Vec<(&SourcePosition, Option<u32>)> = match failure.accesses.as_slice() {
            [one, other] if failure.kind == "data_race" => {
                [one, other].map(|access| (&access.position, Some(access.thread))).to_vec()
            }
            _ if AT_STATEMENTS.contains(&failure.kind.as_str()) => vec![(&failure.location, failure.thread)],
            _ => return Err(SequenceError::Kind(failure.kind.replace('_', " "))),
        };
        let mut segments: Vec<Segment> = Vec::new();
        for event in self.events() {
            if let Some(waypoint) = self.waypoint(event) {
                let segment = Segment { segment: vec![Step { waypoint }] };
                // Several actions of one statement are one.
                if segments.last() != Some(&segment) {
                    segments.push(segment);
                }
            }
        }
        let mut target = |(at, thread): &(&SourcePosition, Option<u32>)| {
            let place = || format!("{}:{}", at.file, at.line);
            let location = self.statement(at).ok_or_else(|| SequenceError::Place(place()))?;
            let thread_id = thread.and_then(|thread| self.ids.get(&thread).copied());
            forget_last(&mut segments, &location, thread_id);
            let waypoint = Waypoint { kind: Kind::Target, action: "follow", constraint: None, location, thread_id };
            Ok(Step { waypoint })
        };
        let segment = targets.iter().map(&mut target).collect::<Result<_, _>>()?;
        segments.push(Segment { segment });
        Ok(segments)
    }

    /// What comes before the failure, in the order of the run.
    fn events(&self) -> Vec<Event<'w>> {
        let Witness { schedule, inputs, created, .. } = self.witness;
        let of_input = |input: &'w InputValue| Some((input.at.as_ref()?, Event::Input(input)));
        let mut all: Vec<(&Moment, Event)> = inputs.iter().filter_map(of_input).collect();
        all.extend(created.iter().map(|thread| (&thread.at, Event::Created(thread))));
        all.sort_by_key(|(at, _)| (at.step, at.order));
        // What comes behind the step with this number has the next number.
        let mut events = Vec::new();
        let mut arrived = all.into_iter().map(|(at, event)| (at.step as usize, event)).peekable();
        for (number, step) in schedule.iter().enumerate() {
            while let Some((_, event)) = arrived.next_if(|(at, _)| *at <= number) {
                events.push((number, event));
            }
            events.push((number + 1, Event::Step(step)));
        }
        events.extend(arrived);
        let last = self.last_that_can_be_told();
        events.retain(|&(at, event)| at <= last && self.precedes(at, event));
        events.into_iter().map(|(_, event)| event).collect()
    }

    /// Steps of which it can be said that they come before the accesses: once the thread that has made the first of them goes on, others may
    /// do what they do because of that, and for what comes behind one of two accesses and before the other there is no segment.
    fn last_that_can_be_told(&self) -> usize {
        let [first, second] = self.witness.failure.accesses.as_slice() else { return usize::MAX };
        let (begin, end) = (self.last_before(first), self.last_before(second));
        let goes_on = |at: usize| {
            self.witness.schedule.get(at).is_some_and(|step| step.thread == first.thread && !self.is_access(first, at))
        };
        (begin..end).find(|&at| goes_on(at)).unwrap_or(usize::MAX)
    }

    /// Whether an event behind so many steps, itself included, comes before the failure, and is no part of it.
    fn precedes(&self, at: usize, event: Event) -> bool {
        let thread = match event {
            Event::Created(created) => created.by,
            Event::Input(input) => input.thread,
            Event::Step(step) => step.thread,
        };
        self.witness.failure.accesses.iter().all(|access| {
            let is_before = self.last_before(access);
            access.thread != thread || at <= is_before
        })
    }

    /// So many steps are over when an access is due.
    fn last_before(&self, access: &AccessInfo) -> usize {
        let Some(number) = access.step.map(|step| step as usize) else { return 0 };
        if self.is_access(access, number) { number } else { number + 1 }
    }

    /// Whether the step with this number makes the access, rather than what comes before it.
    fn is_access(&self, access: &AccessInfo, number: usize) -> bool {
        self.witness.schedule.get(number).is_some_and(|step| {
            let (one, other) = (&step.position, &access.position);
            step.thread == access.thread && (&one.file, one.line, one.column) == (&other.file, other.line, other.column)
        })
    }

    fn waypoint(&mut self, event: Event) -> Option<Waypoint> {
        let (thread, kind, constraint, location) = match event {
            Event::Created(created) => {
                let by = *self.ids.get(&created.by)?;
                let location = self.call(&created.at.position, |name| CREATING.contains(&name))?.0;
                let next = self.ids.len();
                self.ids.insert(created.thread, next);
                let (kind, action, thread_id) = (Kind::FunctionEnter, "follow", Some(by));
                return Some(Waypoint { kind, action, constraint: None, location, thread_id });
            }
            Event::Input(input) => {
                let is_input = |name: &str| name.starts_with("__VERIFIER_nondet_");
                let (location, name) = self.call(&input.at.as_ref()?.position, is_input)?;
                let value = format!("\\result == {}", number(input, &name)?);
                let constraint = Constraint { format: "acsl_expression", value };
                (input.thread, Kind::FunctionReturn, Some(constraint), location)
            }
            Event::Step(step) => match step.kind {
                StepKind::Call | StepKind::Join | StepKind::Free => {
                    let location = self.call(&step.position, |name| !CREATING.contains(&name))?.0;
                    match is_done_later(step) {
                        true => {
                            let value = "\\result == 0".to_owned();
                            let constraint = Constraint { format: "acsl_expression", value };
                            (step.thread, Kind::FunctionReturn, Some(constraint), location)
                        }
                        false => (step.thread, Kind::FunctionEnter, None, location),
                    }
                }
                StepKind::Load | StepKind::Store | StepKind::Update => {
                    let constraint = Constraint { format: "c_expression", value: "1".to_owned() };
                    (step.thread, Kind::Assumption, Some(constraint), self.statement(&step.position)?)
                }
                StepKind::Wake | StepKind::Enter | StepKind::Exit | StepKind::Leave => return None,
            },
        };
        let thread_id = Some(*self.ids.get(&thread)?);
        Some(Waypoint { kind, action: "follow", constraint, location, thread_id })
    }

    fn statement(&self, at: &SourcePosition) -> Option<Location> {
        let found =
            self.sources.iter().find_map(|source| Some((source, source.statement(&at.file, at.line, at.column)?)));
        found.map(|(source, place)| location(source, place, at))
    }

    /// The closing parenthesis of a call, and what it calls.
    fn call(&self, at: &SourcePosition, is_wanted: impl Fn(&str) -> bool) -> Option<(Location, String)> {
        let position = (at.file.as_str(), at.line, at.column);
        let found = self.sources.iter().find_map(|source| Some((source, source.call(position, &is_wanted)?)));
        found.map(|(source, (place, name))| (location(source, place, at), name.to_owned()))
    }
}

/// The statement that violates the property begins with it: what it does first is no waypoint of its own.
fn forget_last(segments: &mut Vec<Segment>, location: &Location, thread: Option<usize>) {
    let is_own = |segment: &Segment| segment.segment.iter().any(|step| step.waypoint.thread_id == thread);
    while let Some(last) = segments.iter().rposition(is_own)
        && segments[last].segment.iter().any(|step| step.waypoint.location == *location)
    {
        segments.remove(last);
    }
}

fn location(source: &Source, (line, column): Place, at: &SourcePosition) -> Location {
    Location { file_name: source.name.clone(), line, column, function: at.function.clone() }
}

/// Whether a call waits for others, so that it has its turn not when it is made but when it returns, with success.
fn is_done_later(step: &ScheduleStep) -> bool {
    step.library.is_none()
        && (step.kind == StepKind::Join || step.action.starts_with("locks ") && !step.action.contains(','))
}

/// The number that a function of this name returned, as C writes it; none where that is not possible.
fn number(input: &InputValue, function: &str) -> Option<String> {
    let bits = (input.size * 8) as u32;
    if input.floating {
        let value = match *input.bytes.as_slice() {
            [a, b, c, d] => f64::from(f32::from_le_bytes([a, b, c, d])),
            [a, b, c, d, e, f, g, h] => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => return None,
        };
        return value.is_finite().then(|| format!("{value:?}"));
    }
    if !matches!(bits, 8 | 16 | 32 | 64) || function.ends_with("pointer") {
        return None;
    }
    let value = input.bytes.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
    let is_unsigned = ["_u", "_bool", "_size_t", "_unsigned"].iter().any(|part| function.contains(part));
    let shift = 64 - bits;
    Some(if is_unsigned { value.to_string() } else { (((value << shift) as i64) >> shift).to_string() })
}
