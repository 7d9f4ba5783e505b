//! Keys of states: whether two states of different executions have the same future.
//!
//! Guarantee: from two states of one engine whose keys are equal the same can follow, up to the numbers of objects: what threads
//! do, what races with what came before, what is printed from there on.
//!
//! | compared | not compared |
//! |---|---|
//! | memory and allocator, objects by address, which does not depend on what other threads did in between | numbers of objects |
//! | frames, with registers that may still be read | registers that may not |
//! | synchronisation objects, and what threads wait for | |
//! | the path condition, all of it; symbols by name, inputs and readings of clocks so far; or [`live`] symbols by number, and what ties them | what decided nothing; or what is known of other symbols |
//! | | how often loops have gone round |
//! | who comes after what every access may still race with, or what was accessed since a thread's last action; of objects that are [`gone`] as long as pointers to them are left | what was printed before; when something was accessed |

mod gone;
mod live;

use self::gone::Gone;
use self::live::Live;
use crate::program::Program;
use crate::state::{Frame, OnReturn, Status, Thread};
use crate::{Engine, State};
use concurrency::{Action, Footprint, Place, ThreadId};
use ir::RegSet;
use memory::{Fingerprint, Life, Mixer, ObjId, Stamp, Value};
use std::hash::Hash;

/// A state's key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct StateKey(Fingerprint);

/// What of the accesses so far is compared, which decides which races are to come.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Races {
    /// All, with the clocks by rank.
    All,
    /// What threads have accessed since their last visible actions; all, once something is known by hearsay
    /// ([`State::hearsay`]). Enough where each state is gone on from that can be reached (`docs/soundness.md`).
    Open,
}

/// What an object is called in all executions: address, and a number of its own if it is no more.
type Name = (u64, Option<ObjId>);

impl State {
    /// Whether there are objects that nobody has made.
    pub fn has_initial_heap(&self) -> bool {
        let shape = self.memory.shape();
        !shape.objects().is_empty() || !shape.roots().is_empty()
    }

    /// The key of a state in which every thread stands before a visible action or has none to come, or where one has come to the end of a
    /// block meanwhile. What was done to objects that are no more, and to which nothing leads, is forgotten. None where the state has
    /// parts that are not compared: an initial heap, keys of thread-specific data, cleanup handlers.
    pub fn key(&mut self, program: &Program) -> Option<StateKey> {
        self.key_by(program, Races::All, None)
    }

    /// `live`: what of the input is compared; none: all.
    fn key_by(&mut self, program: &Program, races: Races, live: Option<&Live>) -> Option<StateKey> {
        let other = |thread: &Thread| crate::state::has_handlers(thread);
        if self.has_initial_heap() || !self.keys.is_empty() || self.threads.iter().any(|t| other(t)) {
            return None;
        }
        let gone = Gone::of(self, program);
        let mut mixer = Mixer::default();
        let mut memory = self.memory.fingerprint();
        let named = |value: Value| live.map_or(value, |live| live.value(self, value));
        for &object in live.iter().flat_map(|live| &live.objects) {
            memory.remove(self.memory.fingerprint_of(object));
            memory.add(self.memory.fingerprint_with(object, named));
        }
        memory.hash(&mut mixer);
        let knowers = |freed: Stamp| {
            let thread = ThreadId::new(freed.who);
            self.order.knowers(&self.sync, (thread, freed.when), |object| self.name_of(object))
        };
        self.memory.allocator().fingerprint(knowers).hash(&mut mixer);
        for thread in &self.threads {
            self.mix_thread_identity(program, thread, &named, &mut mixer);
        }
        self.mix_sync(&mut mixer);
        if let Some(gpu) = &self.gpu {
            // Its objects were made first, so that their numbers are the same in all executions.
            let text = gpu.describe(|value| self.memory.mix_value(named(value), &mut mixer));
            text.hash(&mut mixer);
        }
        if let Some(host) = &self.host {
            host.running().hash(&mut mixer);
        }
        let races = match races {
            Races::Open if !self.hearsay => (false, self.open_accesses(), gone.accesses(self, None)),
            Races::Open | Races::All => (true, Fingerprint::default(), gone.accesses(self, Some(program))),
        };
        (races, gone.pattern, self.concurrent, self.signalled, &self.havocked).hash(&mut mixer);
        match live {
            Some(live) => live.conditions.hash(&mut mixer),
            None => {
                let mut ways = Fingerprint::default();
                self.threads.iter().for_each(|thread| ways.add(Fingerprint::of((&*thread.name, thread.timeless))));
                (ways, self.path.fingerprint()).hash(&mut mixer);
                self.mix_inputs(&mut mixer);
            }
        }
        Some(StateKey(mixer.fingerprint()))
    }

    fn open_accesses(&self) -> Fingerprint {
        let mut all = Fingerprint::default();
        for thread in &self.threads {
            let now = self.order.clock(thread.id).get(thread.id);
            for (range, side, epoch) in &*thread.open {
                // Pointers to what is no more are told apart by no more than that either.
                let known = self.memory.object(range.object);
                let at = (known.address, known.life, range.offset, range.size);
                // A thread that was created since then comes after it.
                all.add(Fingerprint::of((&*thread.name, at, side, now - epoch)));
            }
        }
        all
    }

    fn mix_inputs(&self, mixer: &mut Mixer) {
        let mut readings = Fingerprint::default();
        for input in &*self.inputs {
            match &input.reading {
                Some(reading) => {
                    let clock = (self.name_of(reading.clock.object), reading.clock.offset);
                    readings.add(Fingerprint::of((clock, &reading.what, &input.symbols, input.thread)));
                }
                None => {
                    (&input.name, input.size, &input.symbols, input.thread).hash(mixer);
                    let applied = input.applied.as_ref();
                    applied.map(|applied| (&applied.function, &applied.args)).hash(mixer);
                }
            }
        }
        readings.hash(mixer);
    }

    /// A thread's action, by names that all executions share.
    pub fn action_identity(&self, thread: ThreadId, action: &Action) -> Fingerprint {
        let at = |p: &Place| (self.name_of(p.object), p.offset);
        match action {
            Action::Sync { op, place } => Fingerprint::of((thread, 1u8, *op as u8, at(place))),
            Action::Wait { condition, mutex } => Fingerprint::of((thread, 2u8, at(condition), at(mutex))),
            Action::Wake { condition, mutex, timed } => Fingerprint::of((thread, 3u8, at(condition), at(mutex), timed)),
            Action::Access { range, write, also, expects } => {
                let place = |r: &concurrency::Range| (self.name_of(r.object), r.offset, r.size);
                Fingerprint::of((thread, 4u8, place(range), write, also.as_ref().map(place), expects))
            }
            Action::Join(other) => Fingerprint::of((thread, 5u8, other)),
            Action::TryJoin { thread: other, timed } => Fingerprint::of((thread, 6u8, other, timed)),
            Action::Arrive { barrier, round, last } => Fingerprint::of((thread, 7u8, at(barrier), round, last)),
            Action::Pass(barrier) => Fingerprint::of((thread, 8u8, at(barrier))),
            Action::AtomicBegin => Fingerprint::of((thread, 9u8)),
            Action::Exit => Fingerprint::of((thread, 10u8)),
            Action::Leave => Fingerprint::of((thread, 11u8)),
            Action::GiveUp { condition } => Fingerprint::of((thread, 12u8, at(condition))),
        }
    }

    /// What a section accessed, by names that all executions share.
    pub fn footprint_identity(&self, footprint: &Footprint) -> Fingerprint {
        let mut all = Fingerprint::default();
        for (range, written) in footprint.ranges() {
            all.add(Fingerprint::of((self.name_of(range.object), range.offset, range.size, written)));
        }
        all
    }

    fn name_of(&self, object: ObjId) -> Name {
        let known = self.memory.object(object);
        (known.address, (known.life != Life::Live).then_some(object))
    }

    fn mix_thread_identity(
        &self,
        program: &Program,
        thread: &Thread,
        named: &dyn Fn(Value) -> Value,
        mixer: &mut Mixer,
    ) {
        thread.name.hash(mixer);
        (thread.joinable as u8, thread.waiting, thread.joined, thread.children, thread.found).hash(mixer);
        (thread.scope, thread.side, &thread.lane).hash(mixer);
        crate::state::mix_specific(self, thread, named, mixer);
        match &thread.status {
            Status::Ended => {
                1u8.hash(mixer);
                self.memory.mix_value(named(thread.result), mixer);
            }
            Status::Running | Status::At(_) => 2u8.hash(mixer),
            Status::Stuck(why) => (3u8, why).hash(mixer),
        }
        let mut unordered = Fingerprint::default();
        for (key, count) in &thread.spurious {
            unordered.add(Fingerprint::of((0u8, key, count)));
        }
        for (global, &object) in &thread.thread_locals {
            unordered.add(Fingerprint::of((1u8, global, self.name_of(object))));
        }
        unordered.hash(mixer);
        let innermost = thread.frames.len().saturating_sub(1);
        for (index, frame) in thread.frames.iter().enumerate() {
            self.mix_frame_identity(program, (frame, index == innermost), named, mixer);
        }
    }

    fn mix_frame_identity(
        &self,
        program: &Program,
        (frame, innermost): (&Frame, bool),
        named: &dyn Fn(Value) -> Value,
        mixer: &mut Mixer,
    ) {
        (frame.function, frame.block, frame.inst, frame.stack_mark).hash(mixer);
        frame.extra_arguments.map(|object| self.name_of(object)).hash(mixer);
        // Those that have ended are still there for their places.
        frame.locals.iter().map(|&local| self.memory.object(local)).for_each(|l| (l.address, l.life).hash(mixer));
        match frame.on_return {
            OnReturn::Normal => 0u8.hash(mixer),
            OnReturn::EndThread => 1u8.hash(mixer),
            OnReturn::Constructor => 2u8.hash(mixer),
            OnReturn::EndProcess => 3u8.hash(mixer),
            OnReturn::Exit(status) => {
                4u8.hash(mixer);
                status.into_iter().for_each(|status| self.memory.mix_value(named(status), mixer));
            }
            OnReturn::OnceDone(place) => (5u8, self.name_of(place.object), place.offset).hash(mixer),
            OnReturn::Destructor => 6u8.hash(mixer),
            OnReturn::AtomicSectionDone => 7u8.hash(mixer),
            OnReturn::NextCall => 8u8.hash(mixer),
            OnReturn::ClientCall => 9u8.hash(mixer),
        }
        for register in frame.live_registers(program, innermost).iter() {
            register.hash(mixer);
            self.memory.mix_value(named(frame.registers[register.index()]), mixer);
        }
    }

    fn mix_sync(&self, mixer: &mut Mixer) {
        self.sync.atomic_section().hash(mixer);
        self.sync.passing().for_each(|passing| passing.hash(mixer));
        let mut unordered = Fingerprint::default();
        for (place, tag, words) in self.sync.describe() {
            unordered.add(Fingerprint::of((self.name_of(place.object), place.offset, tag, words)));
        }
        unordered.hash(mixer);
    }
}

impl Engine {
    /// The key of a state by what of the input, and of the accesses so far, can still matter; by all of the input where that cannot be
    /// told. See [`State::key`].
    pub fn live_key(&mut self, state: &mut State) -> Option<StateKey> {
        let live = Live::of(self, state);
        state.key_by(&self.program, Races::Open, live.as_ref())
    }

    /// The same, with all that accesses may still race with.
    pub(crate) fn live_key_of_all(&mut self, state: &mut State) -> Option<StateKey> {
        let live = Live::of(self, state);
        state.key_by(&self.program, Races::All, live.as_ref())
    }
}

/// The values of a thread that a key compares.
fn values_of_thread(program: &Program, thread: &Thread) -> impl Iterator<Item = Value> {
    let innermost = thread.frames.len().saturating_sub(1);
    let frames = thread.frames.iter().enumerate();
    let own = [thread.result, thread.signal_mask].into_iter().chain(thread.specific.values.values().copied());
    own.chain(frames.flat_map(move |(index, frame)| values_of_frame(program, frame, index == innermost)))
}

/// The values in a frame that a key compares.
fn values_of_frame(program: &Program, frame: &Frame, innermost: bool) -> impl Iterator<Item = Value> {
    let status = match frame.on_return {
        OnReturn::Exit(status) => status,
        _ => None,
    };
    let live = frame.live_registers(program, innermost);
    let registers: Vec<Value> = live.iter().map(|register| frame.registers[register.index()]).collect();
    status.into_iter().chain(registers)
}

impl Frame {
    /// Registers that may still be read.
    pub(crate) fn live_registers(&self, program: &Program, innermost: bool) -> RegSet {
        let function = &program.module[self.function];
        let cfg = &program.cfgs[self.function.index()];
        // An outer frame stands at its call, whose results are still to come.
        let mut live = cfg.live_before(function, self.block, self.inst + usize::from(!innermost));
        if !innermost && let Some(call) = function.block(self.block).insts.get(self.inst) {
            call.op.dests().for_each(|dest| {
                live.remove(dest);
            });
        }
        live
    }
}
