//! Ways through the tree.

use crate::model::{CallTree, FrameId, MetricId, NodeId, Profile};

/// The share of its caller's inclusive value that a callee must have to be on the hot path.
pub const HOT_PATH_SHARE: f64 = 0.5;

/// The hot path below a node: its largest callee while that has at least half of its caller's inclusive value, and so on.
/// Empty where time spreads. O(callees of the nodes on the path).
pub fn hot_path(tree: &CallTree, metric: MetricId, from: NodeId) -> Vec<NodeId> {
    let next = |node: NodeId| {
        let whole = tree.inclusive(metric, node);
        // the first of equals, which `max_by_key` would not give
        let largest = tree.children(node).reduce(|best, child| {
            if tree.inclusive(metric, child) > tree.inclusive(metric, best) { child } else { best }
        })?;
        let share = tree.inclusive(metric, largest) as f64;
        (share > 0.0 && share >= whole as f64 * HOT_PATH_SHARE).then_some(largest)
    };
    std::iter::successors(next(from), |&node| next(node)).collect()
}

/// The nodes of a method within the subtree of `root`, heaviest first; equals in preorder. O(k log k) for k nodes.
pub fn places_by_weight(profile: &Profile, root: NodeId, frame: FrameId, metric: MetricId) -> Vec<NodeId> {
    let all = profile.occurrences.of(frame);
    let from = all.partition_point(|&node| node < root);
    let to = all.partition_point(|&node| node < profile.tree.end(root));
    let mut places = all[from..to].to_vec();
    places.sort_by_key(|&node| std::cmp::Reverse(profile.tree.inclusive(metric, node)));
    places
}

/// The nodes of methods within the subtree of `root` that do not lie below another of them, ascending: what a sum over
/// these methods goes over. O(k log k) for k nodes.
pub fn outermost_places(profile: &Profile, root: NodeId, frames: &[FrameId]) -> Vec<NodeId> {
    let mut places: Vec<NodeId> = frames
        .iter()
        .flat_map(|&frame| profile.occurrences.of(frame))
        .copied()
        .filter(|&node| profile.tree.contains(root, node))
        .collect();
    places.sort_unstable();
    let mut end = NodeId::ROOT;
    places.retain(|&node| {
        let is_outermost = node >= end;
        if is_outermost {
            end = profile.tree.end(node);
        }
        is_outermost
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::profile_of;

    const TIME: MetricId = MetricId(0);

    #[test]
    fn the_hot_path_ends_where_no_callee_has_half() {
        // n1 T 100 ▸ n2 a 60 ▸ n3 b 30 ▸ (n4 c 14, n5 d 13)
        let profile = profile_of("T;a;b;c 14|T;a;b;d 13|T;a;b 3|T;a 30|T 40");
        assert_eq!(hot_path(&profile.tree, TIME, NodeId(1)), [NodeId(2), NodeId(3)]);
        assert_eq!(hot_path(&profile.tree, TIME, NodeId(3)), []);
        assert_eq!(hot_path(&profile.tree, TIME, NodeId(4)), []);
    }

    #[test]
    fn places_come_heaviest_first_and_stay_below_the_root() {
        // n1 T ▸ n2 y 7 ▸ n3 a 7; n4 x 5 ▸ n5 a 5; n6 a 1
        let profile = profile_of("T;x;a 5|T;y;a 7|T;a 1");
        let a = profile.frames.find("a")[0];
        assert_eq!(places_by_weight(&profile, NodeId::ROOT, a, TIME), [NodeId(3), NodeId(5), NodeId(6)]);
        assert_eq!(places_by_weight(&profile, NodeId(4), a, TIME), [NodeId(5)]);
        assert_eq!(outermost_places(&profile, NodeId::ROOT, &[a]), [NodeId(3), NodeId(5), NodeId(6)]);
        let all: Vec<FrameId> = ["a", "x"].iter().flat_map(|name| profile.frames.find(name)).collect();
        assert_eq!(outermost_places(&profile, NodeId::ROOT, &all), [NodeId(3), NodeId(4), NodeId(6)]);
    }
}
