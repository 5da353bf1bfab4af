//! The pprof labels that identify the thread of a sample.

use super::part::Part;
use super::tracks::{ExportTrack, title_of};

/// The name and the number that a track's samples bear as labels; empty ones are left out.
pub(super) fn labels<'a>(
    part: &Part<'a>,
    track: &ExportTrack<'a>,
    has_processes: bool,
) -> (&'a str, String) {
    let Some((_, thread)) = track.thread else {
        let name = if has_processes {
            title_of(part, track, true).into_owned()
        } else {
            String::new()
        };
        return ("", name);
    };
    let name = match track.process.filter(|_| has_processes) {
        Some(process) if thread.name.is_empty() => part.view.name(process).to_string(),
        Some(process) => format!("{} / {}", part.view.name(process), thread.name),
        None if thread.name.is_empty() && thread.id.is_empty() => track.title.to_string(),
        None => thread.name.clone(),
    };
    (&thread.id, name)
}
