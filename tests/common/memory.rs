//! Measures the memory of this process. Since that includes all threads, such tests run alone.

use super::skipped;
use std::process::Command;

/// Runs a test in its own process. Returns `false` within that process, where the caller must continue.
///
/// # Panics
/// If the test fails.
#[track_caller]
pub fn ran_alone(module: &str, test: &str) -> bool {
    const IS_ALONE: &str = "DOTSPOT_TEST_IS_ALONE";
    if std::env::var_os(IS_ALONE).is_some() {
        return false;
    }
    let (_program, module) = module.split_once("::").unwrap();
    let output = Command::new(std::env::current_exe().unwrap())
        .args([&format!("{module}::{test}"), "--exact", "--nocapture"])
        .env(IS_ALONE, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}"
    );
    true
}

/// Runs `work`, and asserts that the memory of the process never grows by more than `max_kb` meanwhile. If the system
/// does not report that, just runs it.
#[track_caller]
pub fn within_kb<T>(max_kb: u64, work: impl FnOnce() -> T) -> T {
    // 5 resets the peak to the current value
    let is_reset = std::fs::write("/proc/self/clear_refs", "5").is_ok();
    let before = peak_memory_kb().filter(|_| is_reset);
    let result = work();
    match (before, peak_memory_kb()) {
        (Some(before), Some(peak)) => {
            let grown = peak.saturating_sub(before);
            assert!(grown <= max_kb, "memory grew by {grown} kB");
        }
        _ => skipped("this system does not report memory use"),
    }
    result
}

/// The peak memory of this process, if the system reports it.
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
