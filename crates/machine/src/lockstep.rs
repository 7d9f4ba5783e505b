//! Warps in lockstep, as before Volta: converged lanes go on together, instruction by instruction.
//!
//! Before each access, and at each branch, the lanes of a thread's *group* meet: those that have gone the same ways since their warp
//! diverged last. So what one did at an instruction happens before what another does at the next one; at one instruction lanes are not
//! ordered. At a branch a group parts into those that go the same way, and where all its ways meet again, at the branch's immediate
//! post-dominator or where the function is left, it is one again (Fung et al., MICRO 2007). Sides of a branch are not ordered, which is
//! more than any device does: those that take one first run it to its end.
//!
//! Guarantee: which lanes meet does not depend on who comes first.

use crate::gpu::Meeting;
use crate::step::StepCx;
use crate::{LossKind, Sched, Stop};
use ::memory::{ObjectKind, Value};
use ir::{BlockId, Callee, Op, Operand, Ty};
use std::rc::Rc;

/// Kinds of meetings that no instruction of the program's asks for.
const STEP: u32 = 0xf0;
const BRANCH: u32 = 0xf1;
const REUNION: u32 = 0xf2;

/// Whether lanes meet there by themselves.
pub(crate) fn is_implicit(kind: u32) -> bool {
    kind >= STEP
}

/// Where a group of lanes that has parted is one again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Reunion {
    /// Frames on the stack.
    depth: usize,
    /// None: where the function is left.
    block: Option<BlockId>,
    group: u32,
}

/// A lane's place in its warp.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Lane {
    /// The lanes that it goes on with.
    group: u32,
    reunions: Rc<Vec<Reunion>>,
    /// It has met its group for the instruction that it stands before.
    has_met: bool,
}

impl Lane {
    /// One of these, before anything has run.
    pub(crate) fn of(group: u32) -> Self {
        Lane { group, ..Lane::default() }
    }

    pub(crate) fn group(&self) -> u32 {
        self.group
    }
}

impl StepCx<'_> {
    pub(crate) fn is_in_lockstep(&self) -> bool {
        self.state.launch().is_some_and(|launch| launch.sched == Sched::Lockstep) && self.is_on_device()
    }

    /// What comes before an instruction.
    pub(crate) fn keep_in_step(&mut self, op: Option<&Op>) -> Result<(), Stop> {
        self.reunite()?;
        match op {
            Some(Op::Call { callee: Callee::Indirect(_), .. }) => {
                Err(self
                    .abandon(LossKind::Unsupported, "a call through a pointer, by which a warp in lockstep may part"))
            }
            Some(op) if self.may_be_seen(op) => self.meet_group(),
            _ => Ok(()),
        }
    }

    /// The instruction is over.
    pub(crate) fn end_step(&mut self) {
        self.thread.lane.has_met = false;
    }

    /// Meets the lanes that go the same way, once for each instruction.
    pub(crate) fn meet_group(&mut self) -> Result<(), Stop> {
        if self.is_in_lockstep() && !self.thread.lane.has_met {
            self.meet(Meeting::Lanes { kind: STEP, mask: self.thread.lane.group })?;
            self.thread.lane.has_met = true;
        }
        Ok(())
    }

    /// A branch is about to go this way: the lanes that go another one are another group from here on.
    pub(crate) fn part(&mut self, way: u64) -> Result<(), Stop> {
        if !self.is_in_lockstep() {
            return Ok(());
        }
        let group = self.thread.lane.group;
        if !self.thread.waiting {
            self.give(false, Value::Int(way))?;
        }
        self.meet(Meeting::Lanes { kind: BRANCH, mask: group })?;
        let brought = self.gathered(false)?;
        let same = brought.iter().filter(|(_, other)| *other == Value::Int(way));
        let same = same.fold(0u32, |mask, (lane, _)| mask | 1 << lane);
        if same.count_ones() as usize != brought.len() {
            let frame = self.thread.frame();
            let block = self.engine.contexts.meeting_block(self.program, frame.function, frame.block);
            let reunion = Reunion { depth: self.thread.frames.len(), block, group };
            Rc::make_mut(&mut self.thread.lane.reunions).push(reunion);
            self.thread.lane.group = same;
        }
        Ok(())
    }

    /// Where ways meet again, the lanes that have parted there are one group again.
    fn reunite(&mut self) -> Result<(), Stop> {
        loop {
            let Some(&Reunion { depth, block, group }) = self.thread.lane.reunions.last() else { return Ok(()) };
            let now = self.thread.frames.len();
            let frame = self.thread.frame();
            let is_here = now < depth || now == depth && block == Some(frame.block) && frame.inst == 0;
            if !is_here {
                return Ok(());
            }
            self.meet(Meeting::Lanes { kind: REUNION, mask: group })?;
            Rc::make_mut(&mut self.thread.lane.reunions).pop();
            self.thread.lane.group = group;
        }
    }

    /// Whether other threads may notice an instruction: it accesses memory that is not a variable of the thread's own.
    fn may_be_seen(&mut self, op: &Op) -> bool {
        let is_own = |cx: &mut Self, address: Operand| match cx.operand(address, Ty::Ptr) {
            Value::Ptr(at) => {
                let object = cx.state.memory.object(at.object);
                object.kind == ObjectKind::Stack && !object.escaped
            }
            _ => false,
        };
        match op {
            Op::Load { address, .. }
            | Op::Store { address, .. }
            | Op::AtomicRmw { address, .. }
            | Op::CompareExchange { address, .. } => !is_own(self, *address),
            Op::MemSet { to, .. } => !is_own(self, *to),
            Op::MemCopy { to, from, .. } => !is_own(self, *to) || !is_own(self, *from),
            Op::Fence { .. } => true,
            _ => false,
        }
    }
}
