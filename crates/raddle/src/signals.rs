//! Ctrl-C and SIGTERM: the first asks the search to stop and report, the second ends the process at once.

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Starts watching; returns what the first signal sets.
///
/// # Errors
/// When the handlers cannot be installed.
pub(crate) fn watch() -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let flag = stop.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                // What a shell reports for a process that this signal killed.
                signal_hook::low_level::exit(128 + signal);
            }
            // Standard error may be gone; stopping is what counts.
            let _ = writeln!(std::io::stderr(), "\nraddle: stopping; once more ends it at once");
        }
    })?;
    Ok(stop)
}
