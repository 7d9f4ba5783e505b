//! What a run has taken in so far.

use crate::State;
use crate::clocks::Reading;
use concurrency::{Site, ThreadId};
use memory::Value;
use smt::TermId;
use std::rc::Rc;

/// Something that the user made symbolic, or a symbolic argument.
#[derive(Clone, PartialEq, Debug)]
pub struct Input {
    /// The user's name for it, made unique by a number where it repeats.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// One symbol of `size * 8` bits, or one per byte for more than 8 bytes.
    pub symbols: Vec<TermId>,
    /// It is one floating-point number.
    pub floating: bool,
    /// The thread that asked for it, and where: a call of the program's own.
    pub thread: ThreadId,
    pub site: Option<Site>,
    /// It is what a clock showed.
    pub reading: Option<Reading>,
    /// It is what a function gave that is known to so many places only.
    pub applied: Option<Applied>,
}

/// A mathematical function of a device's, and what it was given. Equal calls give equal results.
#[derive(Clone, PartialEq, Debug)]
pub struct Applied {
    pub function: String,
    pub args: [Value; 2],
}

impl State {
    /// Notes what a thread takes in.
    pub fn take_in(&mut self, input: Input) {
        if input.reading.is_none() {
            let asked = Rc::make_mut(&mut self.asked);
            let names = [Some(input.name.as_str()), without_number(&input.name)];
            names.into_iter().flatten().for_each(|name| match asked.get_mut(name) {
                Some(count) => *count += 1,
                None => _ = asked.insert(name.into(), 1),
            });
        }
        Rc::make_mut(&mut self.inputs).push(input);
    }
}

/// A name that no input of this path has yet, where so many readings of clocks have such a one. Threads number their own inputs, so that
/// names do not depend on the schedule; those of the first thread are the user's words.
pub(crate) fn numbered_name(
    state: &State,
    (thread, thread_name): (ThreadId, &str),
    name: &str,
    readings: u32,
) -> String {
    let name = if thread.index() == 0 { name.to_owned() } else { format!("{thread_name}:{name}") };
    match readings + state.asked.get(name.as_str()).copied().unwrap_or(0) {
        0 => name,
        count => format!("{name}#{}", count + 1),
    }
}

/// The name without the number that [`numbered_name`] puts behind it.
fn without_number(name: &str) -> Option<&str> {
    let (name, number) = name.rsplit_once('#')?;
    number.parse::<u32>().is_ok().then_some(name)
}
