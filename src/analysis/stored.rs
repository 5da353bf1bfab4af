//! Checks the hotspots stored in a file against those computed by dotspot.

use super::{Hotspot, hotspots};
use crate::diagnostics::Diagnostic;
use crate::diagnostics::{AnalysisDiagnostic, StoredDifference};
use crate::model::{FrameId, NodeId, StoredHotspot, StoredMethod, View};
use std::collections::HashMap;

/// Relative differences up to this are considered rounding if the file has rounded decimals.
const TOLERANCE: f64 = 0.001;

/// A diagnostic with the worst difference, or `None` if all agree. Sums of numbered frames come from the same ticks as
/// the tree and must be equal, except for a nanosecond per node if ticks are not whole nanoseconds. Sums of named
/// methods may be rounded.
pub fn check_stored_hotspots(view: &View) -> Option<Diagnostic> {
    let mut worst: Option<(f64, String, StoredDifference)> = None;
    let mut differing = 0;
    for group in view
        .recording
        .stored_hotspots
        .chunk_by(|a, b| a.scope == b.scope)
    {
        let ours = OwnHotspots::new(view, group);
        for stored in group {
            let difference = match ours.find(&stored.method) {
                StoredMatch::Ambiguous => continue,
                StoredMatch::Nothing => f64::INFINITY,
                StoredMatch::One(hotspot) if agree(stored, hotspot) => continue,
                StoredMatch::One(hotspot) => difference(stored, hotspot),
            };
            differing += 1;
            if worst.as_ref().is_none_or(|(most, ..)| difference > *most) {
                let how = how_it_differs(view, stored, ours.find(&stored.method));
                worst = Some((difference, name_of(view, stored).to_string(), how));
            }
        }
    }
    let (_, method, difference) = worst?;
    let stored_hotspots = view.recording.stored_hotspots.len();
    let differ = AnalysisDiagnostic::StoredHotspotsDiffer {
        differing,
        stored_hotspots,
        method,
        difference,
    };
    Some(Diagnostic::Analysis(differ))
}

struct OwnHotspots<'a> {
    rows: Vec<Hotspot>,
    row_of_frame: HashMap<FrameId, u32, foldhash::fast::RandomState>,
    by_name: HashMap<(&'a str, &'a str), u32>,
    /// the rows of each name's overloads: a source that doesn't distinguish them has their sum, which can't be computed
    /// for inclusive times if overloads call each other
    overloads: HashMap<&'a str, Vec<u32>>,
}

enum StoredMatch<'a> {
    Nothing,
    Ambiguous,
    One(&'a Hotspot),
}

impl<'a> OwnHotspots<'a> {
    fn new(view: &'a View, group: &[StoredHotspot]) -> OwnHotspots<'a> {
        let scope = group
            .first()
            .and_then(|stored| view.from_recorded(stored.scope));
        let scope = scope.unwrap_or(NodeId::ROOT);
        let rows = hotspots(view, &[scope], view.recording.default_metric);
        let mut ours = OwnHotspots {
            row_of_frame: HashMap::default(),
            by_name: HashMap::new(),
            overloads: HashMap::new(),
            rows,
        };
        let has_names = group
            .iter()
            .any(|stored| matches!(stored.method, StoredMethod::Named { .. }));
        for (row, hotspot) in (0u32..).zip(&ours.rows) {
            ours.row_of_frame.insert(hotspot.frame, row);
            if has_names {
                let (name, signature) = (
                    view.frames.name(hotspot.frame),
                    view.frames.signature(hotspot.frame),
                );
                ours.by_name.insert((name, signature), row);
                ours.overloads.entry(name).or_default().push(row);
            }
        }
        ours
    }

    fn find(&self, method: &StoredMethod) -> StoredMatch<'_> {
        let row = match method {
            StoredMethod::Frame(frame) => self.row_of_frame.get(frame).copied(),
            StoredMethod::Named {
                name,
                signature: Some(signature),
            } => self
                .by_name
                .get(&(name.as_str(), signature.as_str()))
                .copied(),
            StoredMethod::Named {
                name,
                signature: None,
            } => match self.overloads.get(name.as_str()).map(Vec::as_slice) {
                Some([row]) => Some(*row),
                Some(_) => return StoredMatch::Ambiguous,
                None => None,
            },
        };
        row.map_or(StoredMatch::Nothing, |row| {
            StoredMatch::One(&self.rows[row as usize])
        })
    }
}

fn pairs(stored: &StoredHotspot, ours: &Hotspot) -> [(&'static str, Option<u64>, Option<u64>); 4] {
    [
        ("inclusive", Some(stored.inclusive), Some(ours.inclusive)),
        ("exclusive", Some(stored.exclusive), Some(ours.exclusive)),
        (
            "count",
            stored.count,
            ours.count.map(|_| ours.count_of_nodes),
        ),
        (
            "node count",
            stored.node_count,
            Some(u64::from(ours.node_count)),
        ),
    ]
}

/// 0 if either is missing.
fn relative((_, theirs, ours): (&str, Option<u64>, Option<u64>)) -> f64 {
    match (theirs, ours) {
        (Some(theirs), Some(ours)) => theirs.abs_diff(ours) as f64 / theirs.max(ours).max(1) as f64,
        _ => 0.0,
    }
}

fn agree(stored: &StoredHotspot, ours: &Hotspot) -> bool {
    match stored.method {
        StoredMethod::Frame(_) => {
            let rounding = u64::from(ours.node_count);
            pairs(stored, ours)
                .into_iter()
                .all(|(what, theirs, ours)| match (theirs, ours) {
                    (Some(theirs), Some(ours)) if what.ends_with("count") => theirs == ours,
                    (Some(theirs), Some(ours)) => theirs.abs_diff(ours) <= rounding,
                    _ => true,
                })
        }
        StoredMethod::Named { .. } => difference(stored, ours) <= TOLERANCE,
    }
}

fn difference(stored: &StoredHotspot, ours: &Hotspot) -> f64 {
    pairs(stored, ours)
        .into_iter()
        .map(relative)
        .fold(0.0, f64::max)
}

fn name_of<'a>(view: &'a View, stored: &'a StoredHotspot) -> &'a str {
    match &stored.method {
        StoredMethod::Frame(frame) => view.frames.name(*frame),
        StoredMethod::Named { name, .. } => name,
    }
}

fn how_it_differs(view: &View, stored: &StoredHotspot, found: StoredMatch) -> StoredDifference {
    let StoredMatch::One(ours) = found else {
        return StoredDifference::Missing {};
    };
    let worst = pairs(stored, ours)
        .into_iter()
        .max_by(|a, b| relative(*a).total_cmp(&relative(*b)));
    let Some((what, Some(theirs), Some(ours))) = worst else {
        return StoredDifference::Other {};
    };
    let unit = view.recording.metric(view.recording.default_metric).unit;
    let shown = |value| {
        if what.ends_with("count") {
            value as f64
        } else {
            unit.to_unit(value)
        }
    };
    StoredDifference::Value {
        what: what.into(),
        stored: shown(theirs),
        computed: shown(ours),
    }
}

#[cfg(test)]
mod tests;
