//! What comes into a run beside its visible actions: inputs, and threads that are created.

use crate::extract::Writer;
use crate::format::{CreatedThread, InputValue, Moment};
use crate::steer::Steer;
use concurrency::{Site, ThreadId};
use machine::{Engine, State};

/// One of them, in the order of the run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Arrival {
    /// So many visible actions were carried out before.
    pub after: usize,
    pub what: Arrived,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Arrived {
    /// By its name.
    Input(String),
    Thread(ThreadId),
}

/// What was there when a thread had run last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    inputs: usize,
    threads: usize,
}

impl Default for Known {
    /// Only the thread that nobody creates.
    fn default() -> Self {
        Known { inputs: 0, threads: 1 }
    }
}

impl Steer<'_> {
    /// Notes what has come since a thread ran last.
    pub(crate) fn note_arrivals(&mut self, state: &State) {
        let Known { inputs, threads } = self.known;
        self.known = Known { inputs: state.inputs.len(), threads: state.threads.len() };
        let input = |at: usize| Some((at, Arrived::Input(state.inputs.get(at)?.name.clone())));
        let created = |at: usize| {
            let thread = ThreadId::new(at);
            Some((state.thread(thread).created?.1, Arrived::Thread(thread)))
        };
        // A thread that is created behind the first input comes before the second.
        let mut all: Vec<(usize, Arrived)> = (threads..state.threads.len()).filter_map(created).collect();
        all.extend((inputs..state.inputs.len()).filter_map(input));
        all.sort_by_key(|(inputs, what)| (*inputs, matches!(what, Arrived::Input(_))));
        let after = self.performed.len();
        self.arrivals.extend(all.into_iter().map(|(_, what)| Arrival { after, what }));
    }
}

impl Writer<'_> {
    pub(crate) fn inputs(&self, engine: &mut Engine) -> Vec<InputValue> {
        let value = |input: &machine::Input| {
            let mut bytes = Vec::new();
            for symbol in &input.symbols {
                let width = engine.terms.width(*symbol);
                let name = engine.terms.as_variable(*symbol).map(|v| v.name.to_string()).unwrap_or_default();
                let value = self.concrete.symbols.get(&name).map_or(0, |(_, value)| *value);
                bytes.extend_from_slice(&value.to_le_bytes()[..width.div_ceil(8).min(16) as usize]);
            }
            let thread = input.thread.index() as u32;
            let arrived = Arrived::Input(input.name.clone());
            let at = input.site.and_then(|site| self.moment(&arrived, site));
            InputValue { name: input.name.clone(), size: input.size, bytes, thread, floating: input.floating, at }
        };
        self.confirmed.ran.state.inputs.iter().map(value).collect()
    }

    pub(crate) fn created(&self) -> Vec<CreatedThread> {
        let ran = &self.confirmed.ran;
        let created = |arrival: &Arrival| {
            let Arrived::Thread(id) = arrival.what else { return None };
            let at = self.moment(&arrival.what, ran.state.thread(id).created?.0)?;
            let by = ran.state.thread_ids().find(|&by| self.is_child(id, by))?;
            let thread_name = self.describe.thread(id);
            Some(CreatedThread { thread: id.index() as u32, thread_name, by: by.index() as u32, at })
        };
        ran.arrivals.iter().filter_map(created).collect()
    }

    /// By their names: `main.1.2` is a child of `main.1`.
    fn is_child(&self, child: ThreadId, parent: ThreadId) -> bool {
        let child = self.describe.thread(child);
        child.rsplit_once('.').is_some_and(|(name, _)| name == self.describe.thread(parent))
    }

    fn moment(&self, what: &Arrived, site: Site) -> Option<Moment> {
        let arrivals = &self.confirmed.ran.arrivals;
        let order = arrivals.iter().position(|arrival| arrival.what == *what)?;
        let step = arrivals[order].after as u32;
        Some(Moment { step, order: order as u32, position: self.describe.position_of(site)? })
    }
}
