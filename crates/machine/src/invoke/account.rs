//! Whether summaries of a function pay.

/// What it is worth to keep summaries of a function, in instructions: what invoking them saved, less what looking for them
/// and building them cost. The paper's priority queue loses 59.5 % by summaries that are always built (SSRD, table 4).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Account {
    balance: i64,
}

/// What looking for a summary costs.
const LOOKING: i64 = 20;

/// What it costs to ask one question again, or to apply one effect, and to write one down.
const APPLYING: i64 = 6;
const WRITING: i64 = 24;

/// What may be lost before a function has shown that it does not pay: some milliseconds, and 3 % of all that is done.
const CREDIT: i64 = 200_000;
const SHARE: u64 = 32;

/// What has been saved is no reason to lose it all again.
const MOST_SAVED: i64 = 1_000_000;

impl Account {
    /// Instructions' worth that may be spent. `done`: instructions that were carried out so far.
    pub(super) fn left(self, done: u64) -> i64 {
        self.balance + CREDIT + i64::try_from(done / SHARE).unwrap_or(i64::MAX / 2)
    }

    pub(super) fn looked(&mut self) {
        self.balance -= LOOKING;
    }

    /// A summary of so many questions and effects was invoked, and so many instructions were not carried out.
    pub(super) fn invoked(&mut self, instructions: u64, size: usize) {
        self.balance = MOST_SAVED.min(self.balance + instructions as i64 - LOOKING - APPLYING * size as i64);
    }

    pub(super) fn wrote(&mut self, instructions: u64, size: usize) {
        self.balance -= Account::writing(instructions, size);
    }

    /// What it costs to write a summary.
    pub(super) fn writing(instructions: u64, size: usize) -> i64 {
        instructions as i64 / 16 + WRITING * size as i64
    }
}
