//! Facts about a recording.

use super::recording::NettraceRecording;
use crate::units::thousands;

/// Facts about a recording, in order.
pub(super) fn facts(recording: &NettraceRecording) -> Vec<(&'static str, String)> {
    let header = &recording.header;
    let process = &recording.process;
    let duration = recording.last_ticks().map(|ticks| {
        let ticks = u128::from(ticks.saturating_sub(header.start_ticks));
        let milliseconds = ticks * 1000 / u128::from(header.ticks_per_second);
        format!("{}.{:03} s", milliseconds / 1000, milliseconds % 1000)
    });
    let facts = [
        ("recorded", header.started.clone()),
        ("duration", duration.unwrap_or_default()),
        ("process", process_text(recording)),
        ("processes", processes_text(recording)),
        ("command line", process.command_line.clone()),
        ("runtime", process.runtime.clone()),
        ("operating system", process.operating_system.clone()),
        ("architecture", process.architecture.clone()),
        ("pointer size", format!("{} bytes", header.pointer_bytes)),
        (
            "processors",
            header
                .processors
                .map_or_else(String::new, |number| number.to_string()),
        ),
    ];
    facts
        .into_iter()
        .filter(|(_, text)| !text.is_empty())
        .collect()
}

/// The only process, and its name if known.
fn process_text(recording: &NettraceRecording) -> String {
    let mut spaces = recording.spaces.iter();
    match (spaces.next(), spaces.next(), recording.header.process_id) {
        (Some(only), None, _) => format!("{} {}", only.id, only.name).trim_end().into(),
        (_, _, Some(id)) => id.to_string(),
        _ => String::new(),
    }
}

/// The number of processes, if there are several.
fn processes_text(recording: &NettraceRecording) -> String {
    let count = recording.spaces.iter().count();
    if count > 1 {
        thousands(count as u64)
    } else {
        String::new()
    }
}
