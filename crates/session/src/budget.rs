//! How long a command may run and how much memory it may take.

use crate::errors::Stopped;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Limits of one run. Reaching one ends the search, not the report.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub deadline: Option<Instant>,
    /// Resident memory of this process.
    pub max_memory_bytes: Option<u64>,
    /// Steps of each search.
    pub steps: Option<u64>,
    /// Set when the user asks to stop.
    pub stop: Arc<AtomicBool>,
}

impl Budget {
    /// Time counts from `started`. Without a limit of the user's, memory is limited to what spares the machine.
    pub fn new(
        started: Instant,
        max_time: Option<Duration>,
        max_memory_mib: Option<u64>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        Budget {
            // A limit past the clock's range is none.
            deadline: max_time.and_then(|time| started.checked_add(time)),
            max_memory_bytes: max_memory_mib.map(|mib| mib.saturating_mul(1 << 20)).or_else(default_memory),
            steps: None,
            stop,
        }
    }

    /// Whether to stop, memory aside.
    pub fn stopped(&self) -> Option<Stopped> {
        if self.stop.load(Ordering::Relaxed) {
            return Some(Stopped::Interrupted);
        }
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline).then_some(Stopped::Time)
    }
}

/// Four fifths of the memory that the machine or the control group has: the report is printed rather than the process
/// killed.
fn default_memory() -> Option<u64> {
    let machine = std::fs::read_to_string("/proc/meminfo").ok().and_then(|text| total_memory(&text));
    let group = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .find_map(|path| std::fs::read_to_string(path).ok()?.trim().parse().ok());
    let least = machine.into_iter().chain(group).min()?;
    Some(least / 5 * 4)
}

/// Bytes, from the text of `/proc/meminfo`.
fn total_memory(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_kept() {
        let stop = Arc::new(AtomicBool::new(false));
        let now = Instant::now();
        let budget = Budget::new(now, Some(Duration::from_secs(3600)), Some(3), stop.clone());
        assert_eq!(budget.max_memory_bytes, Some(3 << 20));
        assert_eq!(budget.stopped(), None);
        assert_eq!(Budget::new(now, Some(Duration::ZERO), None, stop.clone()).stopped(), Some(Stopped::Time));
        assert_eq!(Budget::new(now, Some(Duration::MAX), None, stop.clone()).deadline, None);
        stop.store(true, Ordering::Relaxed);
        assert_eq!(budget.stopped(), Some(Stopped::Interrupted));
    }

    #[test]
    fn memory_of_the_machine_is_read() {
        assert_eq!(total_memory("MemTotal:       16 kB\nMemFree: 1 kB\n"), Some(16 * 1024));
        assert_eq!(total_memory("MemFree: 1 kB\n"), None);
    }
}
