//! Checks the hotspots stored in a file against those computed by dotspot.

use super::{Hotspot, hotspots};
use crate::diagnostics::{AnalysisDiagnostic, Diagnostic, StoredDifference};
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
        let computed = ComputedHotspots::new(view, group);
        for stored in group {
            let Some(found) = computed.find(view, &stored.method) else {
                continue;
            };
            if found.is_some_and(|hotspot| agree(stored, hotspot)) {
                continue;
            }
            differing += 1;
            let difference =
                found.map_or(f64::INFINITY, |hotspot| largest_difference(stored, hotspot));
            if worst.is_none_or(|(largest, ..)| difference > largest) {
                worst = Some((difference, stored, found.copied()));
            }
        }
    }
    let (_, stored, computed) = worst?;
    let method = match &stored.method {
        StoredMethod::Frame(frame) => view.frames.name(*frame),
        StoredMethod::Named { name, .. } => name,
    };
    let differ = AnalysisDiagnostic::StoredHotspotsDiffer {
        differing,
        stored_hotspots: all.len(),
        method: method.into(),
        difference: worst_difference(view, stored, computed),
    };
    Some(Diagnostic::Analysis(differ))
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
        let mut computed = ComputedHotspots {
            by_frame: HashMap::default(),
            by_name: HashMap::new(),
        };
        let scope = [scope.unwrap_or(NodeId::ROOT)];
        for hotspot in hotspots(view, &scope, view.recording.default_metric) {
            computed.by_frame.insert(hotspot.frame, hotspot);
            if has_names {
                let overloads = computed.by_name.entry(view.frames.name(hotspot.frame));
                overloads.or_default().push(hotspot);
            }
        }
        computed
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
                    Some(signature) => {
                        Some(overloads.find(|row| view.frames.signature(row.frame) == signature))
                    }
                    None => (overloads.len() < 2).then(|| overloads.next()),
                }
            }
        }
    }
}

/// Pairs the values of a stored hotspot with dotspot's.
fn pairs(stored: &StoredHotspot, computed: &Hotspot) -> impl Iterator<Item = ValuePair> {
    let count = computed.count.map(|_| computed.count_of_nodes);
    let node_count = Some(computed.node_count.into());
    let pairs = [
        (
            "inclusive",
            Some(stored.inclusive),
            Some(computed.inclusive),
        ),
        (
            "exclusive",
            Some(stored.exclusive),
            Some(computed.exclusive),
        ),
        ("count", stored.count, count),
        ("node count", stored.node_count, node_count),
    ];
    let pairs = pairs.into_iter();
    pairs.filter_map(|(what, stored, computed)| {
        Some(ValuePair {
            what,
            stored: stored?,
            computed: computed?,
        })
    })
}

struct ValuePair {
    what: &'static str,
    stored: u64,
    computed: u64,
}

impl ValuePair {
    fn is_count(&self) -> bool {
        self.what.ends_with("count")
    }

    fn difference(&self) -> u64 {
        self.stored.abs_diff(self.computed)
    }

    fn relative_difference(&self) -> f64 {
        self.difference() as f64 / self.stored.max(self.computed).max(1) as f64
    }
}

fn agree(stored: &StoredHotspot, computed: &Hotspot) -> bool {
    if let StoredMethod::Named { .. } = stored.method {
        return largest_difference(stored, computed) <= TOLERANCE;
    }
    let rounding = u64::from(computed.node_count);
    pairs(stored, computed).all(|pair| match pair.is_count() {
        true => pair.difference() == 0,
        false => pair.difference() <= rounding,
    })
}

fn largest_difference(stored: &StoredHotspot, computed: &Hotspot) -> f64 {
    let differences = pairs(stored, computed).map(|pair| pair.relative_difference());
    differences.fold(0.0, f64::max)
}

fn worst_difference(
    view: &View,
    stored: &StoredHotspot,
    computed: Option<Hotspot>,
) -> StoredDifference {
    let Some(computed) = computed else {
        return StoredDifference::Missing {};
    };
    let pairs = pairs(stored, &computed);
    let worst = pairs.max_by(|a, b| a.relative_difference().total_cmp(&b.relative_difference()));
    let Some(worst) = worst else {
        return StoredDifference::Other {};
    };
    let unit = view.recording.metric(view.recording.default_metric).unit;
    let shown = |value| match worst.is_count() {
        true => value as f64,
        false => unit.to_unit(value),
    };
    StoredDifference::Value {
        what: worst.what.into(),
        stored: shown(worst.stored),
        computed: shown(worst.computed),
    }
}

#[cfg(test)]
mod tests;
