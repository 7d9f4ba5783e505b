//! Threads and vector clocks (Lamport 1978; Mattern 1989).

use smallvec::SmallVec;

ir::entity_id!(
    /// A thread of one execution, numbered in creation order.
    ///
    /// Stable across replays of the same schedule; meaningless across executions.
    ThreadId, "t"
);

/// How much of each thread's past is known. Missing entries are 0.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct VectorClock(SmallVec<[u32; 4]>);

impl VectorClock {
    pub fn get(&self, thread: ThreadId) -> u32 {
        self.0.get(thread.index()).copied().unwrap_or(0)
    }

    /// Starts the thread's next epoch.
    pub fn tick(&mut self, thread: ThreadId) {
        self.grow(thread.index() + 1);
        self.0[thread.index()] += 1;
    }

    /// Pointwise maximum.
    pub fn join(&mut self, other: &VectorClock) {
        self.grow(other.0.len());
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    fn grow(&mut self, len: usize) {
        if self.0.len() < len {
            self.0.resize(len, 0);
        }
    }

    /// The entries, by thread.
    pub fn entries(&self) -> impl Iterator<Item = (ThreadId, u32)> + '_ {
        self.0.iter().enumerate().map(|(i, &e)| (ThreadId::new(i), e))
    }
}
