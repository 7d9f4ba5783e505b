//! No silent death: whatever ends the process early is still reported as JSON, with exit code 2. Nor does it take the
//! machine with it.

use crate::error::{Failure, Kind};
use crate::llvm;

/// Written by a signal handler, so it is complete in advance. What LLVM said before may not have ended its line.
const CRASHED: &[u8] = b"\n{\"kind\":\"lower\",\"message\":\"LLVM crashed while it read or linked the input\",\
\"file\":null,\"line\":null}\n";

/// As [`CRASHED`], for who has run for longer than [`bound`] allows.
const ENDLESS: &[u8] = b"\n{\"kind\":\"lower\",\"message\":\"LLVM comes to no end with the input: it is damaged\",\
\"file\":null,\"line\":null}\n";

/// Installs LLVM's fatal error handler, handlers for the signals of a crash, and a panic hook.
pub(crate) fn install() {
    llvm::install_fatal_handler(on_fatal);
    // A place that LLVM takes to be unreachable is a trap, or runs into one.
    let crashes = [libc::SIGSEGV, libc::SIGBUS, libc::SIGILL, libc::SIGTRAP, libc::SIGFPE, libc::SIGABRT, libc::SIGSYS];
    for signal in crashes.into_iter().chain([libc::SIGXCPU]) {
        // SAFETY: the action is fully initialised, and the handler only calls async-signal-safe functions. `SA_ONSTACK`
        // uses the alternate stack that Rust's runtime set up, so a stack overflow is reported as well.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_signal as extern "C" fn(libc::c_int) as libc::sighandler_t;
            action.sa_flags = libc::SA_ONSTACK;
            libc::sigaction(signal, &raw const action, std::ptr::null_mut());
        }
    }
    std::panic::set_hook(Box::new(|panic| {
        let failure = Failure::new(Kind::Lower, format!("raddle-frontend failed: {panic}"));
        eprintln!("{}", failure.json());
        std::process::exit(2);
    }));
}

/// What any input gets, in bytes.
const MEMORY: u64 = 4 << 30;

/// What each byte of the inputs adds. Modules that clang wrote were seen to take less than a fifth of it.
const MEMORY_PER_BYTE: u64 = 256;

/// What any input gets, in seconds of processor time, and for each mebibyte. Modules that clang wrote were seen to take a fiftieth
/// of it at the most.
const TIME: u64 = 10;
const TIME_PER_MEBIBYTE: u64 = 60;

/// Bounds this process's memory and processor time by the size of its inputs: one damaged number in bitcode makes LLVM fill all
/// there is, or count up to it. Where a lower limit is set already, it stays.
pub(crate) fn bound(input_bytes: u64) {
    let memory = MEMORY.saturating_add(input_bytes.saturating_mul(MEMORY_PER_BYTE));
    let time = TIME.saturating_add(input_bytes.saturating_mul(TIME_PER_MEBIBYTE) >> 20);
    for (resource, bound) in [(libc::RLIMIT_AS, memory), (libc::RLIMIT_CPU, time)] {
        let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        // SAFETY: both calls only touch `limit`, which is initialised.
        unsafe {
            if libc::getrlimit(resource, &raw mut limit) == 0 && limit.rlim_cur > bound {
                limit.rlim_cur = bound;
                libc::setrlimit(resource, &raw const limit);
            }
        }
    }
}

extern "C" fn on_fatal(reason: *const libc::c_char) {
    let message = format!("LLVM gave up: {}", llvm::fatal_reason(reason));
    eprintln!("\n{}", Failure::new(Kind::Lower, message).json());
    std::process::exit(2);
}

extern "C" fn on_signal(signal: libc::c_int) {
    let text = if signal == libc::SIGXCPU { ENDLESS } else { CRASHED };
    // SAFETY: `write` and `_exit` are async-signal-safe; the buffer is static.
    unsafe {
        libc::write(2, text.as_ptr().cast(), text.len());
        libc::_exit(2);
    }
}
