//! Checks the hotspots stored in a file against those computed by dotspot.

use super::{Hotspot, hotspots};
use crate::diagnostics::{Diagnostic, StoredDifference};
use crate::model::{FrameId, NodeId, StoredHotspot, StoredMethod, View};
use std::collections::HashMap;

/// Relative differences up to this are considered rounding if the file has rounded decimals.
const TOLERANCE: f64 = 0.001;

/// A diagnostic with the worst difference, or `None` if all agree. Sums of numbered frames come from the same ticks as
/// the tree and must be equal, give or take a nanosecond per node if ticks are not whole nanoseconds. Sums of named
/// methods may be rounded.
pub fn check_stored_hotspots(view: &View) -> Option<Diagnostic> {
    let all = &view.recording.stored_hotspots;
    let mut worst: Option<(f64, &StoredHotspot, Option<Hotspot>)> = None;
    let mut differing = 0;
    for group in all.chunk_by(|a, b| a.scope == b.scope) {
        let ours = ComputedHotspots::new(view, group);
        for stored in group {
            let Some(found) = ours.find(view, &stored.method) else {
                continue;
            };
            if found.is_some_and(|hotspot| agree(stored, hotspot)) {
                continue;
            }
            differing += 1;
            let difference =
                found.map_or(f64::INFINITY, |hotspot| largest_difference(stored, hotspot));
            if worst.is_none_or(|(most, ..)| difference > most) {
                worst = Some((difference, stored, found.copied()));
            }
        }
    }
    let (_, stored, ours) = worst?;
    let method = match &stored.method {
        StoredMethod::Frame(frame) => view.frames.name(*frame),
        StoredMethod::Named { name, .. } => name,
    };
    let differ = Diagnostic::StoredHotspotsDiffer {
        differing,
        stored_hotspots: all.len(),
        method: method.into(),
        difference: how_it_differs(view, stored, ours),
    };
    Some(differ)
}

struct ComputedHotspots<'a> {
    by_frame: HashMap<FrameId, Hotspot, foldhash::fast::RandomState>,
    /// A method with its overloads.
    by_name: HashMap<&'a str, Vec<Hotspot>>,
}

impl<'a> ComputedHotspots<'a> {
    fn new(view: &'a View, group: &[StoredHotspot]) -> ComputedHotspots<'a> {
        let first = group.first();
        let scope = first.and_then(|stored| view.from_recorded(stored.scope));
        let is_named = |stored: &StoredHotspot| matches!(stored.method, StoredMethod::Named { .. });
        let has_names = group.iter().any(is_named);
        let mut ours = ComputedHotspots {
            by_frame: HashMap::default(),
            by_name: HashMap::new(),
        };
        let scope = [scope.unwrap_or(NodeId::ROOT)];
        for hotspot in hotspots(view, &scope, view.recording.default_metric) {
            ours.by_frame.insert(hotspot.frame, hotspot);
            if has_names {
                let overloads = ours.by_name.entry(view.frames.name(hotspot.frame));
                overloads.or_default().push(hotspot);
            }
        }
        ours
    }

    /// `None` if it is ambiguous: a source that doesn't distinguish overloads stores their sum, and that of inclusive
    /// times can't be computed if they call each other.
    fn find(&self, view: &View, method: &StoredMethod) -> Option<Option<&Hotspot>> {
        match method {
            StoredMethod::Frame(frame) => Some(self.by_frame.get(frame)),
            StoredMethod::Named { name, signature } => {
                let overloads = self.by_name.get(name.as_str());
                let mut overloads = overloads.map_or(&[][..], Vec::as_slice).iter();
                match signature {
                    Some(wanted) => {
                        Some(overloads.find(|row| view.frames.signature(row.frame) == wanted))
                    }
                    None => (overloads.len() < 2).then(|| overloads.next()),
                }
            }
        }
    }
}

/// Pairs the values of a stored hotspot with dotspot's.
fn pairs(stored: &StoredHotspot, ours: &Hotspot) -> [(&'static str, Option<u64>, Option<u64>); 4] {
    let count = ours.count.map(|_| ours.count_of_nodes);
    [
        ("inclusive", Some(stored.inclusive), Some(ours.inclusive)),
        ("exclusive", Some(stored.exclusive), Some(ours.exclusive)),
        ("count", stored.count, count),
        (
            "node count",
            stored.node_count,
            Some(ours.node_count.into()),
        ),
    ]
}

/// 0 if either is missing.
fn relative_difference((_, theirs, ours): (&str, Option<u64>, Option<u64>)) -> f64 {
    match (theirs, ours) {
        (Some(theirs), Some(ours)) => theirs.abs_diff(ours) as f64 / theirs.max(ours).max(1) as f64,
        _ => 0.0,
    }
}

fn agree(stored: &StoredHotspot, ours: &Hotspot) -> bool {
    if let StoredMethod::Named { .. } = stored.method {
        return largest_difference(stored, ours) <= TOLERANCE;
    }
    let rounding = u64::from(ours.node_count);
    let mut pairs = pairs(stored, ours).into_iter();
    pairs.all(|(what, theirs, ours)| match (theirs, ours) {
        (Some(theirs), Some(ours)) if what.ends_with("count") => theirs == ours,
        (Some(theirs), Some(ours)) => theirs.abs_diff(ours) <= rounding,
        _ => true,
    })
}

/// The largest relative difference of any value.
fn largest_difference(stored: &StoredHotspot, ours: &Hotspot) -> f64 {
    pairs(stored, ours)
        .map(relative_difference)
        .into_iter()
        .fold(0.0, f64::max)
}

fn how_it_differs(view: &View, stored: &StoredHotspot, ours: Option<Hotspot>) -> StoredDifference {
    let Some(ours) = ours else {
        return StoredDifference::Missing {};
    };
    let pairs = pairs(stored, &ours).into_iter();
    let worst = pairs.max_by(|a, b| relative_difference(*a).total_cmp(&relative_difference(*b)));
    let Some((what, Some(theirs), Some(ours))) = worst else {
        return StoredDifference::Other {};
    };
    let unit = view.recording.metric(view.recording.default_metric).unit;
    let shown = |value| match what.ends_with("count") {
        true => value as f64,
        false => unit.to_unit(value),
    };
    StoredDifference::Value {
        what: what.into(),
        stored: shown(theirs),
        computed: shown(ours),
    }
}

#[cfg(test)]
mod tests;
