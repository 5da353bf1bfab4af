//! The sums that a file has stored, held against ours.

use super::{Hotspot, hotspots};
use crate::model::{FrameKind, NodeId, Profile, StoredHotspot};
use std::collections::HashMap;

/// The relative difference above which a stored value is said to differ.
const TOLERANCE: f64 = 0.001;

/// Compares the hotspots that the source has stored with ours, over the same subtrees and for the default metric.
/// One warning sentence if any differs by more than 0.1 %, with the worst; nothing where all agree.
/// O(nodes of the subtrees + stored hotspots).
pub fn check_stored_hotspots(profile: &Profile) -> Option<String> {
    let mut worst: Option<(f64, String)> = None;
    let mut differing = 0;
    let mut by_scope: Vec<(NodeId, Vec<&StoredHotspot>)> = Vec::new();
    for stored in &profile.stored_hotspots {
        match by_scope.last_mut() {
            Some((scope, group)) if *scope == stored.scope => group.push(stored),
            _ => by_scope.push((stored.scope, vec![stored])),
        }
    }
    for (scope, group) in by_scope {
        let ours = ours_by_name(profile, scope);
        for stored in group {
            let found = ours.get(&(stored.name.as_str(), stored.signature.as_deref()));
            let (difference, sentence) = compare(profile, stored, found);
            if difference > TOLERANCE {
                differing += 1;
                if worst.as_ref().is_none_or(|(most, _)| difference > *most) {
                    worst = Some((difference, sentence));
                }
            }
        }
    }
    let (_, sentence) = worst?;
    let total = profile.stored_hotspots.len();
    Some(format!(
        "{differing} of the {total} hotspots stored in the file differ from the tree by over 0.1 %: {sentence}"
    ))
}

/// Our hotspots of a subtree by name, and by name and signature.
fn ours_by_name(profile: &Profile, scope: NodeId) -> HashMap<(&str, Option<&str>), Hotspot> {
    let mut ours: HashMap<(&str, Option<&str>), Hotspot> = HashMap::new();
    let mut has_overloads = false;
    for hotspot in hotspots(profile, &[scope], profile.default_metric) {
        let (name, signature) = (profile.frames.name(hotspot.frame), profile.frames.signature(hotspot.frame));
        ours.insert((name, Some(signature)), hotspot);
        has_overloads |= ours.insert((name, None), hotspot).is_some();
    }
    if has_overloads {
        // a source that does not tell overloads apart sums them; inclusive times of overloads that call each other can't be
        // had from sums, so such names are left out of the comparison by name alone
        let mut seen: HashMap<&str, u32> = HashMap::new();
        for (name, signature) in ours.keys() {
            if signature.is_some() {
                *seen.entry(name).or_default() += 1;
            }
        }
        ours.retain(|(name, signature), _| signature.is_some() || seen.get(name) == Some(&1));
    }
    ours
}

/// The largest relative difference of a stored hotspot to ours, with a sentence about it.
fn compare(profile: &Profile, stored: &StoredHotspot, ours: Option<&Hotspot>) -> (f64, String) {
    let Some(ours) = ours else {
        let known = profile.frames.iter().any(|(id, frame)| {
            matches!(frame.kind, FrameKind::Method | FrameKind::Special) && profile.frames.name(id) == stored.name
        });
        // known but ambiguous: overloads, see above
        let difference = if known && stored.signature.is_none() { 0.0 } else { f64::INFINITY };
        return (difference, format!("{} is not in the tree", stored.name));
    };
    let unit = profile.metric(profile.default_metric).unit;
    let pairs = [
        ("inclusive", Some(stored.inclusive), Some(ours.inclusive), unit.stored_per_unit()),
        ("exclusive", Some(stored.exclusive), Some(ours.exclusive), unit.stored_per_unit()),
        ("count", stored.count, ours.count, 1),
        ("node count", stored.node_count, Some(u64::from(ours.node_count)), 1),
    ];
    pairs
        .into_iter()
        .filter_map(|(what, stored_value, our_value, per_unit)| {
            let (theirs, ours) = (stored_value?, our_value?);
            let difference = theirs.abs_diff(ours) as f64 / theirs.max(ours).max(1) as f64;
            let shown = |value: u64| value as f64 / per_unit as f64;
            let sentence =
                format!("{} has {what} {} in the file and {} in the tree", stored.name, shown(theirs), shown(ours));
            Some((difference, sentence))
        })
        .fold((0.0, String::new()), |most, next| if next.0 > most.0 { next } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    fn stored(name: &str, inclusive_ms: u64, exclusive_ms: u64, count: Option<u64>) -> StoredHotspot {
        StoredHotspot {
            scope: NodeId::ROOT,
            name: name.into(),
            signature: None,
            inclusive: inclusive_ms * 1_000_000,
            exclusive: exclusive_ms * 1_000_000,
            count,
            node_count: None,
        }
    }

    #[track_caller]
    fn check(hotspots: &[StoredHotspot], expect: Option<&str>) {
        let mut profile = profile_of("T;a;b 3000|T;a 1000");
        profile.stored_hotspots = hotspots.to_vec();
        assert_eq!(check_stored_hotspots(&profile).as_deref(), expect);
    }

    #[test]
    fn what_agrees_is_silent() {
        check(&[stored("a", 4000, 1000, Some(2)), stored("b", 3000, 3000, None)], None);
        check(&[stored("a", 4004, 1000, None)], None);
    }

    #[test]
    fn what_differs_is_said_with_the_worst() {
        check(
            &[stored("a", 4000, 1010, None), stored("b", 2000, 3000, None)],
            Some(
                "2 of the 2 hotspots stored in the file differ from the tree by over 0.1 %: b has inclusive 2000 in the file and 3000 in the tree",
            ),
        );
        check(
            &[stored("c", 1, 1, None)],
            Some("1 of the 1 hotspots stored in the file differ from the tree by over 0.1 %: c is not in the tree"),
        );
    }
}
