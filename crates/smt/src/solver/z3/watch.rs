//! Ending a query from outside.
//!
//! Guarantee: a query that runs when `stop` becomes true is interrupted within a tenth of a second, and the context is
//! not touched once the query is over.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use z3_sys::{Z3_context, Z3_interrupt};

/// Between two looks.
const PERIOD: Duration = Duration::from_millis(50);

/// The query that is running.
struct Running {
    context: Option<Z3_context>,
    interrupted: bool,
}

// SAFETY: `Z3_interrupt` is made for being called from another thread, and nothing else is done with the context there.
unsafe impl Send for Running {}

/// A thread that looks at the clock while Z3 works.
pub(super) struct Watch {
    running: Arc<Mutex<Running>>,
}

impl Watch {
    /// The thread ends with the watch. If none can be started, nothing is interrupted.
    pub(super) fn new(stop: impl Fn() -> bool + Send + Sync + 'static) -> Watch {
        let running = Arc::new(Mutex::new(Running { context: None, interrupted: false }));
        let weak = Arc::downgrade(&running);
        let look = move || {
            while let Some(running) = weak.upgrade() {
                if stop() {
                    let mut query = lock(&running);
                    if let Some(context) = query.context {
                        query.interrupted = true;
                        // SAFETY: the lock is held, so the query, and with it the context, has not ended.
                        unsafe { Z3_interrupt(context) };
                    }
                }
                drop(running);
                thread::sleep(PERIOD);
            }
        };
        let started = thread::Builder::new().name("watch".to_owned()).spawn(look);
        if let Err(error) = started {
            tracing::warn!(%error, "queries cannot be interrupted");
        }
        Watch { running }
    }

    /// From now on the query may be interrupted.
    pub(super) fn begin(&self, context: Z3_context) {
        *lock(&self.running) = Running { context: Some(context), interrupted: false };
    }

    /// The query is over. Whether it was interrupted, which the context may remember at its next query.
    pub(super) fn end(&self) -> bool {
        let mut query = lock(&self.running);
        query.context = None;
        query.interrupted
    }
}

fn lock(running: &Mutex<Running>) -> MutexGuard<'_, Running> {
    running.lock().unwrap_or_else(PoisonError::into_inner)
}
