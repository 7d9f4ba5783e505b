//! Ctrl-C, SIGTERM and a terminal that goes away: the first asks the search to stop and report, the second ends the
//! process at once. Compilers that still run are ended with it.

use session::frontend;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
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
    // `nohup` has SIGHUP ignored, and means it.
    let hang_up = (!ignored(SIGHUP)).then_some(SIGHUP);
    let mut signals = Signals::new([SIGINT, SIGTERM].into_iter().chain(hang_up))?;
    let flag = stop.clone();
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        for signal in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                frontend::kill_running();
                // What a shell reports for a process that this signal killed.
                signal_hook::low_level::exit(128 + signal);
            }
            // Standard error may be gone; stopping is what counts.
            let _ = writeln!(std::io::stderr(), "\nraddle: stopping; once more ends it at once");
        }
    })?;
    Ok(stop)
}

/// Whether this process was started with the signal ignored.
fn ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
