//! A panic is a fault of raddle's own: it is reported like any other error, not printed by the run-time library.

use std::sync::Mutex;

/// What the last panic said.
static MESSAGE: Mutex<Option<String>> = Mutex::new(None);

/// Keeps messages instead of printing them.
pub fn install() {
    std::panic::set_hook(Box::new(|panic| {
        let backtrace = std::backtrace::Backtrace::capture();
        let mut text = panic.to_string();
        if backtrace.status() == std::backtrace::BacktraceStatus::Captured {
            text.push_str(&format!("\n{backtrace}"));
        }
        let mut message = MESSAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // The first one is the cause of those that follow.
        message.get_or_insert(text);
    }));
}

/// Takes what was kept, if anything panicked.
pub fn take_or(otherwise: impl FnOnce() -> String) -> String {
    let mut message = MESSAGE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    message.take().unwrap_or_else(otherwise)
}

/// Takes what was kept.
pub fn take() -> String {
    take_or(|| "panicked".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_message_is_kept() {
        let previous = std::panic::take_hook();
        install();
        for text in ["first", "second"] {
            let panicked = std::thread::spawn(move || panic!("{text} failure")).join();
            assert!(panicked.is_err());
        }
        std::panic::set_hook(previous);
        let message = take();
        assert!(message.contains("first failure") && message.contains("panics.rs"), "{message}");
        assert_eq!(take(), "panicked");
    }
}
