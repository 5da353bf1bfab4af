use super::super::anchors::Anchors;
use super::*;
use crate::model::FrameId;
use proptest::prelude::*;

proptest! {
    /// Earlier placements change neither the end of a stack nor its certainty.
    #[test]
    fn stacks_end_where_their_frames_lead(
        stacks in prop::collection::vec(prop::collection::vec(1u32..4, 5), 1..30),
        puts in prop::collection::vec((0usize..30, 0usize..3, any::<bool>()), 1..100),
    ) {
        let mut raw = TreeBuilder::new(FrameId(0), &[]);
        let mut push = |stack: &Vec<u32>| {
            raw.push_stack(TreeBuilder::ROOT, stack.iter().map(|&frame| FrameId(frame))).unwrap()
        };
        let leaves: Vec<RawNode> = stacks.iter().map(&mut push).collect();
        let trie = || {
            let mut trie = Trie::new(TreeBuilder::new(FrameId(0), &[]), Anchors::new(3, 1));
            let track = trie.add_above(TreeBuilder::ROOT, FrameId(9)).unwrap();
            let prefixes: Vec<RawNode> =
                (10..13).map(|frame| trie.merge(0, track, FrameId(frame), true).unwrap()).collect();
            (trie, prefixes)
        };
        let ((mut repaired, prefixes), (mut plain, _)) = (trie(), trie());
        let mut placements = Placements::new(raw.len());
        for (stack, prefix, is_sure) in puts {
            let (stack, prefix) = (stack % stacks.len(), prefixes[prefix]);
            let place =
                placements.put(&mut repaired, &raw, (0, is_sure), (leaves[stack], 5), (prefix, prefix)).unwrap();
            let expect =
                stacks[stack].iter().fold(prefix, |at, &frame| plain.merge(0, at, FrameId(frame), is_sure).unwrap());
            prop_assert_eq!((place, repaired.is_sure(place)), (expect, plain.is_sure(expect)));
            prop_assert!(placements.has(leaves[stack], prefix));
        }
    }
}
