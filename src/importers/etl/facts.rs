//! Facts about a trace.

use super::trace::{EtlTrace, SampleRow};
use crate::importers::filetime::iso;
use crate::units::thousands;
use std::collections::HashSet;

/// Facts about a trace, in order.
pub(super) fn facts(trace: &EtlTrace, samples: &[SampleRow]) -> Vec<(&'static str, String)> {
    let file = &trace.file;
    let (major, minor) = file.version;
    let processes: HashSet<_> = samples
        .iter()
        .map(|sample| trace.machine.threads[sample.thread.index()].process)
        .collect();
    let some = |is_some: bool, text: String| if is_some { text } else { String::new() };
    let facts = [
        ("recorded", iso(file.started).unwrap_or_default()),
        (
            "duration",
            some(
                file.ended > file.started,
                seconds(file.ended.saturating_sub(file.started)),
            ),
        ),
        (
            "processes",
            some(processes.len() > 1, thousands(processes.len() as u64)),
        ),
        (
            "operating system",
            format!("Windows {major}.{minor}, build {}", file.build),
        ),
        ("pointer size", format!("{} bytes", file.pointer_bytes)),
        (
            "processors",
            some(file.processors > 0, file.processors.to_string()),
        ),
        (
            "sampling interval",
            some(
                !samples.is_empty(),
                microseconds(trace.intervals.first_ns()),
            ),
        ),
        (
            "idle samples",
            some(
                trace.idle_samples > 0,
                format!("{} left out", thousands(trace.idle_samples)),
            ),
        ),
    ];
    facts
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// A duration in units of 100 ns.
fn seconds(duration: u64) -> String {
    format!(
        "{}.{:03} s",
        duration / 10_000_000,
        duration / 10_000 % 1000
    )
}

fn microseconds(interval_ns: u64) -> String {
    format!("{} µs", interval_ns / 1000)
}
