use super::super::anchors::Anchors;
use super::*;
use crate::model::TreeBuilder;
use proptest::prelude::*;

proptest! {
    /// Whatever the previous stack was, nodes and frames equal those found by walking from the leaf to the track.
    #[test]
    fn routes_agree_with_parents(
        callers in prop::collection::vec((0usize..1000, 1u32..4), 1..200),
        leaves in prop::collection::vec(0usize..1000, 1..50),
    ) {
        let mut trie = Trie::new(TreeBuilder::new(FrameId(0), &[]), Anchors::new(3, 2));
        let mut nodes = Vec::new();
        for track in 0..2 {
            nodes.push((trie.add_above(TreeBuilder::ROOT, FrameId(9)).unwrap(), track));
        }
        for (caller, frame) in callers {
            let (caller, track) = nodes[caller % nodes.len()];
            nodes.push((trie.merge(track, caller, FrameId(frame), true).unwrap(), track));
        }
        let mut route = Route::default();
        for leaf in leaves {
            let mut at = nodes[leaf % nodes.len()].0;
            route.go(&trie, at);
            prop_assert_eq!(route.depth(), trie.depth(at));
            for depth in (0..=route.depth()).rev() {
                prop_assert_eq!(route.node(depth), at);
                prop_assert!(depth == 0 || route.below(depth - 1)[0] == trie.builder.frame(at));
                at = trie.builder.parent(at);
            }
        }
    }
}
