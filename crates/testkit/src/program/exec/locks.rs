//! What locks and semaphores do to who calls them.

use super::*;

impl Step<'_, '_> {
    pub(super) fn mutex(&mut self, op: Op, line: u32, found: &mut Expectation) -> Result<(), Outcome> {
        let (Op::Lock(id) | Op::Unlock(id) | Op::TryLock { mutex: id, .. } | Op::Wait { mutex: id, .. }) = op else {
            unreachable!("{op:?} is about no mutex")
        };
        let kind = self.machine.program.mutexes[usize::from(id.0)];
        let owner = self.state.mutexes[usize::from(id.0)].owner;
        match op {
            Op::Lock(_) | Op::TryLock { .. } if owner.is_none() => self.take(id, line, None),
            Op::Lock(_) | Op::TryLock { .. } if owner == Some(self.thread) && kind == MutexKind::Recursive => {
                self.state.mutexes[usize::from(id.0)].depth += 1;
            }
            // Only an error-checking mutex of one's own gets here: the call fails with EDEADLK.
            Op::Lock(_) => {}
            Op::TryLock { busy, .. } => self.jump(busy),
            // An error-checking mutex is there to say so: the call fails with EPERM, which POSIX defines.
            Op::Unlock(_) if owner != Some(self.thread) && kind == MutexKind::ErrorCheck => {}
            // The call goes on, and a lock that is not recursive is free then, whoever holds it.
            Op::Unlock(_) if owner != Some(self.thread) => {
                found.misuse.insert(line);
                if kind == MutexKind::Normal {
                    self.state.mutexes[usize::from(id.0)] = Mutex { owner: None, depth: 0 };
                }
            }
            _ if owner != Some(self.thread) => {
                found.misuse.insert(line);
                return Err(Outcome::Ended);
            }
            Op::Unlock(_) => {
                let depth = &mut self.state.mutexes[usize::from(id.0)].depth;
                *depth -= 1;
                if *depth == 0 {
                    self.give(id, line);
                }
            }
            // The wait gives the mutex up as a whole; programs wait only on mutexes locked once.
            _ => {
                self.give(id, line);
                self.me().phase = Phase::Asleep;
            }
        }
        Ok(())
    }

    pub(super) fn take(&mut self, id: MutexId, line: u32, woken_by: Option<EventIx>) {
        self.state.mutexes[usize::from(id.0)] = Mutex { owner: Some(self.thread), depth: 1 };
        self.event(Action::Acquire { lock: Lock::Mutex(id), mode: Mode::Exclusive, woken_by }, line);
    }

    pub(super) fn give(&mut self, id: MutexId, line: u32) {
        self.state.mutexes[usize::from(id.0)] = Mutex { owner: None, depth: 0 };
        self.event(Action::Release { lock: Lock::Mutex(id), mode: Mode::Exclusive }, line);
    }

    pub(super) fn spin(&mut self, op: Op, line: u32, found: &mut Expectation) -> Result<(), Outcome> {
        let owner = self.state.spin;
        match op {
            Op::SpinUnlock if owner == Some(self.thread) => {
                self.state.spin = None;
                self.event(Action::Release { lock: Lock::Spin, mode: Mode::Exclusive }, line);
            }
            Op::SpinUnlock => {
                found.misuse.insert(line);
                self.state.spin = None;
            }
            Op::TrySpin { busy } if owner.is_some() => self.jump(busy),
            _ => {
                self.state.spin = Some(self.thread);
                self.event(Action::Acquire { lock: Lock::Spin, mode: Mode::Exclusive, woken_by: None }, line);
            }
        }
        Ok(())
    }

    pub(super) fn semaphore(&mut self, op: Op, line: u32) {
        match op {
            Op::SemPost => {
                self.state.semaphore += 1;
                self.event(Action::SemPost, line);
            }
            Op::TrySem { busy, .. } if self.state.semaphore == 0 => self.jump(busy),
            _ => {
                self.state.semaphore -= 1;
                self.event(Action::SemTaken, line);
            }
        }
    }

    pub(super) fn rwlock(&mut self, op: Op, line: u32, found: &mut Expectation) -> Result<(), Outcome> {
        let (Op::ReadLock(id) | Op::WriteLock(id) | Op::RwUnlock(id)) = op else {
            unreachable!("{op:?} is about no read-write lock")
        };
        let me = self.thread;
        let lock = &mut self.state.rwlocks[usize::from(id.0)];
        let acquire = |mode| Action::Acquire { lock: Lock::ReadWrite(id), mode, woken_by: None };
        let release = |mode| Action::Release { lock: Lock::ReadWrite(id), mode };
        let action = match op {
            Op::ReadLock(_) => {
                lock.readers[me.index()] += 1;
                acquire(Mode::Shared)
            }
            Op::WriteLock(_) => {
                lock.writer = Some(me);
                acquire(Mode::Exclusive)
            }
            _ if lock.writer == Some(me) => {
                lock.writer = None;
                release(Mode::Exclusive)
            }
            _ if lock.readers[me.index()] > 0 => {
                lock.readers[me.index()] -= 1;
                release(Mode::Shared)
            }
            _ => {
                found.misuse.insert(line);
                self.state.rwlocks[usize::from(id.0)].writer = None;
                return Ok(());
            }
        };
        self.event(action, line);
        Ok(())
    }
}
