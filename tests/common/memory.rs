//! How much memory this process takes. What is measured is the memory of all its threads: files with such tests have no others.

use super::skipped;

/// Runs `work` and asserts that the memory of the process grows by at most `most_kb` at any moment of it; where the system
/// does not say, only runs it.
#[track_caller]
pub fn within_kb<T>(most_kb: u64, work: impl FnOnce() -> T) -> T {
    // 5 makes the most memory so far that of now
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak_memory_kb().filter(|_| is_reset);
    let result = work();
    match (before, peak_memory_kb()) {
        (Some(before), Some(peak)) => {
            let grown = peak.saturating_sub(before);
            assert!(grown <= most_kb, "{grown} kB more than before");
        }
        _ => skipped("this system does not say how much memory was used"),
    }
    result
}

/// The most memory that this process had so far, where the system says it.
pub fn peak_memory_kb() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find_map(|line| {
        line.strip_prefix("VmHWM:")?
            .trim()
            .strip_suffix(" kB")?
            .parse()
            .ok()
    })
}
