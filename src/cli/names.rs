//! The names in a profile that shells complete.

use crate::analysis::{ChargedValue, own_and_system};
use crate::model::{FrameId, NodeId, Recording, TreeForm, View};
use crate::names::FrameKind;
use crate::profile_cache::CompletionNames;
use crate::text::visible;
use std::cmp::Reverse;
use std::sync::Arc;

const MAX_METHODS: usize = 5_000;
const NODES_AT_ONCE: usize = 1 << 18;

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
    let processes = recording
        .processes
        .iter()
        .map(|process| process.name.to_string());
    Some(CompletionNames {
        metrics: metrics.collect(),
        threads: threads.collect(),
        processes: processes.collect(),
        methods: methods(&view, may_continue)?,
    })
}

/// The hottest methods by their list names: user code with the system code it calls, then all others.
fn methods(view: &View, may_continue: &dyn Fn() -> bool) -> Option<Vec<(String, String)>> {
    let frames = &view.frames;
    let measure = view.measure(view.recording.default_metric);
    let charged = own_and_system(view, &[NodeId::ROOT], measure);
    let mut exclusive = vec![0u64; frames.len()];
    for index in 0..view.tree.len() {
        if index % NODES_AT_ONCE == 0 && !may_continue() {
            return None;
        }
        let node = NodeId::at(index);
        let sum = &mut exclusive[view.tree.frame(node).index()];
        *sum = sum.saturating_add(measure.exclusive(view, node));
    }
    let rank = |frame: FrameId| {
        let first = view.occurrences.of(frame).first()?;
        let charged = charged.of(view, frame).map_or(0, ChargedValue::weight);
        Some((Reverse((charged, exclusive[frame.index()])), *first, frame))
    };
    let methods = frames
        .iter()
        .filter(|(_, frame)| frame.kind == FrameKind::Method);
    let mut ranked: Vec<_> = methods.filter_map(|(frame, _)| rank(frame)).collect();
    ranked.sort_unstable();
    ranked.truncate(MAX_METHODS);
    let names = |frame| {
        let full_name = visible(frames.name(frame)).into_owned();
        (frames.plain_display_name(frame).to_string(), full_name)
    };
    let methods = ranked.iter().map(|&(.., frame)| names(frame));
    may_continue().then(|| methods.collect())
}

#[cfg(test)]
mod tests;
