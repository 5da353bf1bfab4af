use super::trace::{EtlTrace, StackRow};
use crate::importers::filetime::iso;
use crate::units::thousands;
use std::collections::HashSet;

pub(super) fn facts(trace: &EtlTrace) -> Vec<(&'static str, String)> {
    let (file, idle) = (&trace.file, trace.idle_samples);
    let (major, minor) = file.version;
    let process = |sample: &StackRow| trace.machine.threads[sample.thread.0 as usize].process;
    let count = trace.samples().map(process).collect::<HashSet<_>>().len() as u64;
    let ticks = file.ended.saturating_sub(file.started);
    let (whole, ms) = (ticks / 10_000_000, ticks / 10_000 % 1000);
    let interval_us = trace.intervals.first_ns() / 1000;
    let system = format!("Windows {major}.{minor}, build {}", file.build);
    let pointers = format!("{} bytes", file.pointer_bytes);
    let duration = (ticks > 0).then(|| format!("{whole}.{ms:03} s"));
    let processes = (count > 1).then(|| thousands(count));
    let processors = (file.processors > 0).then(|| file.processors.to_string());
    let interval = trace
        .samples()
        .next()
        .is_some()
        .then(|| format!("{interval_us} µs"));
    let idle = (idle > 0).then(|| format!("{} left out", thousands(idle)));
    vec![
        ("recorded", iso(file.started).unwrap_or_default()),
        ("duration", duration.unwrap_or_default()),
        ("processes", processes.unwrap_or_default()),
        ("operating system", system),
        ("pointer size", pointers),
        ("processors", processors.unwrap_or_default()),
        ("sampling interval", interval.unwrap_or_default()),
        ("idle samples", idle.unwrap_or_default()),
    ]
}
