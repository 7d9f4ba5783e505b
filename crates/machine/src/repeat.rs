//! Seeing that a run repeats itself.
//!
//! Looked for at loop headers and at function entries: any infinite run passes one of them infinitely often. Beside other threads
//! not at those of loops that count ([`ir::cfg::Cfg::counts`]): as long as it is in one, no state comes back.
//! A thread that comes back to a state without any visible action since spins: it goes no further, but the others do, for
//! what they write may end its loop. That write races with the loop's read, which thus becomes visible. What a loop only adds up
//! does not count there, as long as the thread has not left the loop meanwhile.
//! In [`Repeats::Exact`] mode the whole state is compared, together with everything that the race check knows, so that
//! whatever could follow from the repetition could follow from the first time as well. In [`Repeats::Control`] mode a
//! thread runs alone, and only what decides where its loop goes is compared: the loop never ends.

use crate::engine::Repeats;
use crate::state::{EntryFingerprint, Followed, Frame, LoopCount, Status, Stuck, Thread};
use crate::step::StepCx;
use crate::{EndlessLoop, PathEnd, Program, State, Stop};
use concurrency::ThreadId;
use ir::{BlockId, FuncId, Ty};
use memory::{Fingerprint, Mixer, ObjId, ObjectKind, Value};
use std::collections::BTreeSet;
use std::hash::Hash;
use std::rc::Rc;

/// Instructions since the last choice or visible action up to which repetition is looked for beside other threads.
const LONGEST_ROUND: u64 = 100_000;

/// Instructions after which a program of one thread is taken to go in circles perhaps. Then it is looked at for as long as a
/// round may be, and again whenever it has done twice as much (Brent, BIT 1980).
const LONG_ALONE: u64 = 1 << 20;

impl StepCx<'_> {
    /// Called at each arrival at a loop header.
    pub(crate) fn look_for_repetition(&mut self, header: BlockId) -> Result<(), Stop> {
        match self.engine.config.repeats {
            Repeats::Ignore | Repeats::Exact if self.rounds_unseen_after() == 0 => Ok(()),
            Repeats::Ignore | Repeats::Exact => self.look_beside_others(header),
            Repeats::Control => self.look_alone(header),
        }
    }

    fn look_beside_others(&mut self, header: BlockId) -> Result<(), Stop> {
        let function = self.thread.frame().function;
        let cfg = &self.program.cfgs[function.index()];
        if cfg.counts_rounds(header)
            || self.engine.config.repeats == Repeats::Ignore && self.is_first_pass(function, header)
        {
            return Ok(());
        }
        if cfg.accumulates(header) && !cfg.is_irreducible() {
            self.look_for_spinning(header)?;
        }
        if cfg.counts(header) {
            return Ok(());
        }
        if cfg.is_endless(header) {
            self.look_for_requests(header)?;
        }
        let cheap = self.fingerprint(cfg.live_in(header).iter());
        if self.state.seen.insert(cheap, self.state.time).is_none() {
            return Ok(());
        }
        let order = self.state.shadow.fingerprint(&self.state.order, &self.state.sync);
        match self.state.seen.insert(Fingerprint::of((cheap, order)), self.state.time) {
            None => Ok(()),
            Some(time) if time == self.state.time => {
                Err(Stop::End(PathEnd::Spins { traversal: cfg.carried_pointer_exit(header) }))
            }
            Some(_) if self.engine.config.repeats == Repeats::Ignore => Ok(()),
            Some(time) => Err(self.repeats(header, Some(time))),
        }
    }

    /// Whether a thread that asks for ever, and forgets what it was answered, has come round without a visible action: inputs have new
    /// names each time.
    fn look_for_requests(&mut self, header: BlockId) -> Result<(), Stop> {
        if self.state.inputs.is_empty() {
            return Ok(());
        }
        let id = self.thread.id;
        let elsewhere = std::mem::replace(&mut self.state.threads[id.index()], Rc::new(self.thread.clone()));
        let key = self.engine.live_key_of_all(self.state);
        self.state.threads[id.index()] = elsewhere;
        let Some(key) = key else { return Ok(()) };
        if self.state.seen.insert(Fingerprint::of((key, header, "asked")), self.state.time) == Some(self.state.time) {
            return Err(Stop::End(PathEnd::Spins { traversal: false }));
        }
        Ok(())
    }

    /// Whether a thread comes here for the first time since its last visible action.
    fn is_first_pass(&mut self, function: FuncId, header: BlockId) -> bool {
        let is_first = !self.thread.passed.contains(&(function, header));
        if is_first {
            self.thread.passed.push((function, header));
        }
        is_first
    }

    fn look_alone(&mut self, header: BlockId) -> Result<(), Stop> {
        let cfg = &self.program.cfgs[self.thread.frame().function.index()];
        let (now, depth) = (self.state.accesses.length(), self.thread.frames.len());
        // Where a loop can be entered beside its header, nobody sees that it was left meanwhile.
        if cfg.is_irreducible() {
            let whole = self.fingerprint(cfg.live_in(header).iter());
            let is_new = self.state.seen.insert(whole, now).is_none();
            return if is_new { Ok(()) } else { Err(self.repeats(header, None)) };
        }
        // What steers the loop is all that counts, as long as it is not left: around it, others may count rounds.
        let visit = self.visit(header);
        let fingerprint = Fingerprint::of((self.fingerprint(cfg.control_relevant(header).iter()), visit));
        if self.state.seen.insert(fingerprint, now).is_some() {
            return Err(self.repeats(header, None));
        }
        let steering = Fingerprint::of((self.without_memory(cfg.steering(header).iter()), visit));
        match self.state.seen.insert(steering, now) {
            Some(since) if self.state.accesses.spares_what_steers(since, depth) => self.goes_round(header, depth),
            _ => Ok(()),
        }
    }

    /// Whether a loop that adds up what it finds goes round without end: what steers it comes back without a visible
    /// action, though the state as a whole does not.
    fn look_for_spinning(&mut self, header: BlockId) -> Result<(), Stop> {
        let cfg = &self.program.cfgs[self.thread.frame().function.index()];
        let steered = self.fingerprint(cfg.control_relevant(header).iter());
        let steered = Fingerprint::of((steered, self.visit(header), "steered"));
        if self.state.seen.insert(steered, self.state.time) == Some(self.state.time) {
            return Err(Stop::End(PathEnd::Spins { traversal: cfg.carried_pointer_exit(header) }));
        }
        Ok(())
    }

    /// The thread will go on as it did, but in a state that is new: for ever so, or until a state comes back?
    fn goes_round(&mut self, header: BlockId, depth: usize) -> Result<(), Stop> {
        let most = self.engine.config.endless_rounds;
        match &mut self.state.followed {
            Some(followed) if (followed.header, followed.depth) == (header, depth) => {
                followed.rounds += 1;
                if followed.rounds > most {
                    return Err(Stop::End(PathEnd::Endless(followed.within)));
                }
                Ok(())
            }
            // A loop within its rounds.
            Some(_) => Ok(()),
            None => {
                let within =
                    self.endless_loop(header).filter(|_| most > 0).ok_or_else(|| self.repeats(header, None))?;
                self.state.followed = Some(Followed { header, depth, within, rounds: 1 });
                Ok(())
            }
        }
    }

    /// The innermost loop without a way out that the thread is in.
    fn endless_loop(&self, header: BlockId) -> Option<EndlessLoop> {
        let top = self.thread.frames.len() - 1;
        self.thread.frames.iter().enumerate().rev().find_map(|(index, frame)| {
            let block = if index == top { header } else { frame.block };
            let header = self.program.cfgs[frame.function.index()].endless_around(block)?;
            Some(EndlessLoop { function: frame.function, header })
        })
    }

    /// Quiet instructions from now on after which nobody looks for repetition any more.
    pub(crate) fn rounds_unseen_after(&self) -> u64 {
        match self.engine.config.repeats {
            Repeats::Control => u64::MAX,
            // A program of one thread repeats itself only in an infinite loop of its own.
            Repeats::Ignore | Repeats::Exact if self.state.threads.len() == 1 => {
                let steps = self.thread.quiet_steps;
                if steps < LONG_ALONE {
                    return 0;
                }
                LONGEST_ROUND.saturating_sub(steps - (1 << steps.ilog2()))
            }
            // What has not come round by then is a long computation, or goes on for ever in ever new states.
            Repeats::Ignore | Repeats::Exact => LONGEST_ROUND.saturating_sub(self.thread.quiet_steps),
        }
    }

    /// How often the loop with this header was entered before, in this activation of its function.
    fn visit(&self, header: BlockId) -> u32 {
        self.thread.frame().loops.iter().find(|count| count.header == header).map_or(0, |count| count.visit)
    }

    fn repeats(&self, header: BlockId, since: Option<u64>) -> Stop {
        let cfg = &self.program.cfgs[self.thread.frame().function.index()];
        Stop::End(PathEnd::Repeats { since, traversal: cfg.carried_pointer_exit(header) })
    }

    /// The state, of the innermost frame only the given registers.
    fn fingerprint(&mut self, registers: impl Iterator<Item = ir::Reg>) -> Fingerprint {
        let memory = self.state.memory.fingerprint();
        Fingerprint::of((memory, self.without_memory(registers)))
    }

    /// Fingerprint of all that what the thread does next depends on, and of what it can change by itself.
    pub(crate) fn own_fingerprint(&mut self) -> Fingerprint {
        let mut mixer = Mixer::default();
        mix_control(self.state, self.thread, &mut mixer);
        for other in self.state.threads.iter().filter(|other| other.id != self.thread.id) {
            mix_control(self.state, other, &mut mixer);
        }
        let innermost = self.thread.frames.len().saturating_sub(1);
        for (index, frame) in self.thread.frames.iter().enumerate() {
            (frame.function, frame.block, frame.inst).hash(&mut mixer);
            for register in frame.live_registers(self.program, index == innermost).iter() {
                register.hash(&mut mixer);
                self.state.memory.mix_value(frame.registers[register.index()], &mut mixer);
            }
        }
        mix_rest(self.state, &mut mixer);
        Fingerprint::of((self.state.memory.fingerprint(), mixer.fingerprint()))
    }

    /// Fingerprint of all but memory.
    fn without_memory(&mut self, registers: impl Iterator<Item = ir::Reg>) -> Fingerprint {
        let mut mixer = Mixer::default();
        for thread in &self.state.threads {
            let thread = if thread.id == self.thread.id { &*self.thread } else { &**thread };
            mix_thread(self.state, thread, thread.id == self.thread.id, &mut mixer);
        }
        let top = self.thread.frame();
        for register in registers {
            register.hash(&mut mixer);
            self.state.memory.mix_value(top.registers[register.index()], &mut mixer);
        }
        mix_rest(self.state, &mut mixer);
        mixer.fingerprint()
    }

    /// Arguments and memory at a call, where recursion that repeats itself is looked for.
    pub(crate) fn entry_fingerprint(&mut self, args: &[(Value, Ty, Option<u64>)]) -> Option<EntryFingerprint> {
        if self.engine.config.repeats != Repeats::Control {
            return None;
        }
        let arguments = crate::step::fingerprint_of(self, args.iter().map(|a| a.0));
        Some(EntryFingerprint { arguments, memory: self.state.memory.fingerprint() })
    }

    /// Whether an activation of `function` on the stack was entered with the same arguments and the same memory, not
    /// counting what the activations since have on their stack.
    pub(crate) fn recursion_repeats(&self, function: FuncId, entry: EntryFingerprint) -> bool {
        let mut memory = entry.memory;
        for frame in self.thread.frames.iter().rev() {
            for &local in frame.locals.iter().chain(&frame.extra_arguments) {
                memory.remove(self.state.memory.fingerprint_of(local));
            }
            if frame.function == function
                && frame.entry == Some(EntryFingerprint { arguments: entry.arguments, memory })
            {
                return true;
            }
        }
        false
    }
}

impl State {
    /// Whether a thread stands at the end of a block.
    pub fn is_at_branch(&self, program: &Program, id: ThreadId) -> bool {
        // Of a switch some cases may have been decided, which no key tells from the beginning.
        if !self.thread(id).settled.is_empty() {
            return false;
        }
        let at_end = |frame: &Rc<Frame>| frame.inst == program.module[frame.function].block(frame.block).insts.len();
        self.thread(id).frames.last().is_some_and(at_end)
    }

    /// Whether a thread stands in a loop in which a state may come back, but for what the loop only adds up.
    pub fn may_come_back(&self, program: &Program, id: ThreadId) -> bool {
        self.thread(id).begun().any(|frame| program.cfgs[frame.function.index()].is_uncounted(frame.block))
    }

    /// To see whether a thread goes in circles from here on: what was before does not count, and one that was left in circles
    /// goes on.
    pub fn begin_rounds(&mut self, id: ThreadId) {
        self.seen = Default::default();
        self.observed = Default::default();
        let thread = self.thread_mut(id);
        thread.quiet_steps = 0;
        if let Status::Stuck(Stuck::Circles { .. }) = thread.status {
            thread.status = Status::Running;
        }
    }

    /// Whether a thread has done something that others may notice, or chosen, since it was `before`.
    pub fn has_moved(&self, before: &State, id: ThreadId) -> bool {
        self.thread(id).choices != before.thread(id).choices
    }

    /// Whether a thread that has come back to where it was `before` has gone round a loop without a way out, of the program's own: it is
    /// made to do so for ever, and waits for nothing.
    pub fn is_made_to_go_round(&self, program: &Program, before: &State, id: ThreadId) -> bool {
        let (now, then) = (self.thread(id), before.thread(id));
        let is_quiet = now.choices == then.choices;
        now.frames.iter().zip(&then.frames).any(|(frame, earlier)| {
            let cfg = &program.cfgs[frame.function.index()];
            let is_endless = |count: &&LoopCount| {
                cfg.is_endless(count.header)
                    && cfg.loop_blocks(count.header).is_some_and(|blocks| blocks.contains(frame.block))
            };
            // Where it did nothing that others notice, that is not counted.
            let has_gone = |count: &LoopCount| {
                is_quiet
                    || earlier.loops.iter().all(|known| known.header != count.header || known.choices != count.choices)
            };
            !program.module[frame.function].library && frame.loops.iter().filter(is_endless).any(has_gone)
        })
    }

    /// Whether an object is one of a thread's automatic ones that nobody else knows.
    pub fn is_private(&self, id: ThreadId, object: ObjId) -> bool {
        let own = |frame: &Frame| frame.locals.iter().chain(&frame.extra_arguments).any(|&local| local == object);
        !self.memory.object(object).escaped && self.thread(id).frames.iter().any(|frame| own(frame))
    }

    /// Fingerprint of all memory but what is private to a thread, and these clocks.
    pub fn shown_to_others(&mut self, id: ThreadId, clocks: &BTreeSet<ObjId>) -> Fingerprint {
        let mut memory = self.memory.fingerprint();
        for &clock in clocks {
            memory.remove(self.memory.fingerprint_of(clock));
        }
        for frame in &self.thread(id).frames {
            for &local in frame.locals.iter().chain(&frame.extra_arguments) {
                if !self.memory.object(local).escaped {
                    memory.remove(self.memory.fingerprint_of(local));
                }
            }
        }
        memory
    }
}

fn mix_thread(state: &State, thread: &Thread, running: bool, mixer: &mut Mixer) {
    mix_control(state, thread, mixer);
    let outer = if running { thread.frames.len().saturating_sub(1) } else { thread.frames.len() };
    for (index, frame) in thread.frames.iter().enumerate() {
        (frame.function, frame.block, frame.inst).hash(mixer);
        if index < outer {
            registers_of(state, frame).hash(mixer);
        }
    }
}

/// All of a thread but where it is, and what its registers hold.
fn mix_control(state: &State, thread: &Thread, mixer: &mut Mixer) {
    thread.name.hash(mixer);
    (thread.joinable as u8, thread.waiting, thread.joined, thread.children, thread.found).hash(mixer);
    crate::state::mix_specific(state, thread, &|value| value, mixer);
    match &thread.status {
        Status::Ended => {
            1u8.hash(mixer);
            state.memory.mix_value(thread.result, mixer);
        }
        Status::Running | Status::At(_) => 2u8.hash(mixer),
        Status::Stuck(_) => 3u8.hash(mixer),
    }
    let mut spurious = Fingerprint::default();
    for (key, count) in &thread.spurious {
        spurious.add(Fingerprint::of((key, count)));
    }
    spurious.hash(mixer);
}

/// Fingerprint of a frame's registers, computed once while the frame stands still.
fn registers_of(state: &State, frame: &Frame) -> Fingerprint {
    let now = state.memory.epoch();
    if let Some((_, known)) = frame.mixed.get().filter(|&(epoch, _)| epoch == now) {
        return known;
    }
    let mut mixer = Mixer::default();
    frame.registers.iter().for_each(|&value| state.memory.mix_value(value, &mut mixer));
    let fingerprint = mixer.fingerprint();
    frame.mixed.set(Some((now, fingerprint)));
    fingerprint
}

fn mix_rest(state: &State, mixer: &mut Mixer) {
    (state.path.fingerprint(), state.inputs.len(), state.signalled).hash(mixer);
    state.sync.atomic_section().hash(mixer);
    state.sync.passing().for_each(|passing| passing.hash(mixer));
    for (place, tag, words) in state.sync.describe() {
        let object = state.memory.object(place.object);
        // Automatic objects get new ids each time; their addresses repeat.
        let id = if object.kind == ObjectKind::Stack { 0 } else { place.object.index() };
        (id, object.address, place.offset, tag, words).hash(mixer);
    }
}
