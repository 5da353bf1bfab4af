//! Checks the hotspots that dotTrace stored in a snapshot against those computed by dotspot.

use super::{Hotspot, hotspots};
use crate::diagnostics::{Diagnostic, StoredDifference};
use crate::model::{FrameId, NodeId, StoredHotspot, View};
use std::collections::HashMap;

/// A diagnostic with the worst difference, or `None` if all agree. Both sums come from the same ticks, so they must be
/// equal, give or take a nanosecond per node if ticks are not whole nanoseconds.
pub fn check_stored_hotspots(view: &View) -> Option<Diagnostic> {
    let stored_hotspots = &view.recording.stored_hotspots;
    let metric = view.recording.default_metric;
    let mut worst: Option<(f64, FrameId, StoredDifference)> = None;
    let mut differing = 0;
    for group in stored_hotspots.chunk_by(|a, b| a.scope == b.scope) {
        let scope = view.from_recorded(group[0].scope).unwrap_or(NodeId::ROOT);
        let computed = hotspots(view, &[scope], metric).into_iter();
        let computed: HashMap<FrameId, Hotspot, foldhash::fast::RandomState> =
            computed.map(|hotspot| (hotspot.frame, hotspot)).collect();
        for stored in group {
            let difference = match computed.get(&stored.frame) {
                Some(hotspot) => largest_difference(view, stored, hotspot),
                None => Some((f64::INFINITY, StoredDifference::Missing {})),
            };
            let Some((size, difference)) = difference else {
                continue;
            };
            differing += 1;
            if worst.as_ref().is_none_or(|(largest, ..)| size > *largest) {
                worst = Some((size, stored.frame, difference));
            }
        }
    }
    let (_, frame, difference) = worst?;
    Some(Diagnostic::StoredHotspotsDiffer {
        differing,
        stored_hotspots: stored_hotspots.len(),
        method: view.frames.name(frame).into(),
        difference,
    })
}

/// The value that differs most, relative to its size. `None` if all agree.
fn largest_difference(
    view: &View,
    stored: &StoredHotspot,
    computed: &Hotspot,
) -> Option<(f64, StoredDifference)> {
    let nodes = u64::from(computed.node_count);
    let values = [
        ("inclusive", stored.inclusive, computed.inclusive, nodes),
        ("exclusive", stored.exclusive, computed.exclusive, nodes),
        ("count", stored.count, computed.count_of_nodes, 0),
        ("node count", stored.node_count, nodes, 0),
    ];
    let relative = |stored: u64, computed: u64| {
        stored.abs_diff(computed) as f64 / stored.max(computed).max(1) as f64
    };
    let (what, stored, computed, _) = values
        .into_iter()
        .filter(|(_, stored, computed, rounding)| stored.abs_diff(*computed) > *rounding)
        .max_by(|a, b| relative(a.1, a.2).total_cmp(&relative(b.1, b.2)))?;
    let unit = view.recording.metric(view.recording.default_metric).unit;
    let shown = |value| match what {
        "inclusive" | "exclusive" => unit.to_unit(value),
        _ => value as f64,
    };
    let difference = StoredDifference::Value {
        what: what.into(),
        stored: shown(stored),
        computed: shown(computed),
    };
    Some((relative(stored, computed), difference))
}

#[cfg(test)]
mod tests;
