//! The names in a profile that shells complete.

use crate::model::{Recording, TreeForm, View};
use crate::profile_cache::CompletionNames;
use crate::query::{ListRequest, MethodOrder, list_methods};
use crate::text::visible;
use std::sync::Arc;

const MAX_METHODS: usize = 5_000;

/// The names in a recording; `None` if it may not continue.
pub(super) fn names_of_recording(
    recording: &Arc<Recording>,
    may_continue: &dyn Fn() -> bool,
) -> Option<CompletionNames> {
    if !may_continue() {
        return None;
    }
    // without cautions, which nobody reads here
    let view = View::whole(recording, TreeForm::Repaired);
    let metrics = recording.metrics.iter().map(|metric| metric.name.clone());
    let threads = recording.threads.iter();
    let threads = threads.flat_map(|thread| [thread.name.to_string(), thread.id.to_string()]);
    let processes = recording.processes.iter();
    let processes = processes.map(|process| process.name.to_string());
    Some(CompletionNames {
        metrics: metrics.collect(),
        threads: threads.collect(),
        processes: processes.collect(),
        methods: methods(&view, may_continue)?,
    })
}

/// The hottest methods by their list names: user code with the system code it calls, then all others.
fn methods(view: &View, may_continue: &dyn Fn() -> bool) -> Option<Vec<(String, String)>> {
    let request = ListRequest {
        order: MethodOrder::OwnAndSystem,
        has_own_and_system: true,
        max_rows: MAX_METHODS,
        ..ListRequest::default()
    };
    let list = list_methods(view, &request).ok()?;
    let frames = list.rows.iter().map(|row| row.sums.frame);
    let names = frames.map(|frame| {
        let full_name = visible(view.frames.name(frame)).into_owned();
        (view.frames.plain_display_name(frame).to_string(), full_name)
    });
    may_continue().then(|| names.collect())
}

#[cfg(test)]
mod tests;
