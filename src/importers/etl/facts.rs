//! Facts about a trace.

use super::trace::{EtlTrace, StackRow};
use crate::importers::filetime::iso;
use crate::units::thousands;
use std::collections::HashSet;

/// Facts about a trace, in order.
pub(super) fn facts(trace: &EtlTrace, samples: &[StackRow]) -> Vec<(&'static str, String)> {
    let file = &trace.file;
    let (major, minor) = file.version;
    let processes: HashSet<_> = samples
        .iter()
        .map(|sample| trace.machine.threads[sample.thread.index()].process)
        .collect();
    let (count, idle) = (processes.len() as u64, trace.idle_samples);
    let ticks = file.ended.saturating_sub(file.started);
    let (whole, ms) = (ticks / 10_000_000, ticks / 10_000 % 1000);
    let interval_us = trace.intervals.first_ns() / 1000;
    let mut facts = Vec::new();
    let mut fact = |is_known: bool, what, text: String| {
        facts.extend(is_known.then_some((what, text)));
    };
    let recorded = iso(file.started);
    fact(recorded.is_some(), "recorded", recorded.unwrap_or_default());
    fact(ticks > 0, "duration", format!("{whole}.{ms:03} s"));
    fact(count > 1, "processes", thousands(count));
    let system = format!("Windows {major}.{minor}, build {}", file.build);
    fact(true, "operating system", system);
    let pointers = format!("{} bytes", file.pointer_bytes);
    fact(true, "pointer size", pointers);
    let processors = file.processors;
    fact(processors > 0, "processors", processors.to_string());
    let interval = format!("{interval_us} µs");
    fact(!samples.is_empty(), "sampling interval", interval);
    let left_out = format!("{} left out", thousands(idle));
    fact(idle > 0, "idle samples", left_out);
    facts
}
