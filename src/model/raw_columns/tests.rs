use super::*;

#[test]
fn counts_take_as_many_bits_as_they_need() {
    let most = u64::from(u32::MAX);
    let (mut counts, node) = (RawCounts::default(), RawNode(2));
    counts.set(node, most, 8);
    assert_eq!((counts.get(node), counts.bytes()), (most, 8 * 4));
    counts.add(node, 1, 8);
    counts.add(RawNode(5), 7, 8);
    counts.set(RawNode(1), u64::MAX, 8);
    counts.add(RawNode(1), 1, 8);
    let rows = |counts: &RawCounts| {
        (0..7)
            .map(|row| counts.get(RawNode(row)))
            .collect::<Vec<_>>()
    };
    assert_eq!(rows(&counts), [0, u64::MAX, most + 1, 0, 0, 7, 0]);
    let position: Vec<u32> = (0..6).rev().collect();
    let placed = counts.placed(&position);
    let expect = vec![7, 0, 0, most + 1, u64::MAX, 0];
    assert_eq!(placed, Counts::Wide(expect));
    // sums of small ones may be large
    let mut counts = RawCounts::default();
    (1..4).for_each(|row| counts.set(RawNode(row), 2_000_000_000, 4));
    counts.add_to_parents(&[RawNode(0); 4]);
    assert_eq!(counts.get(RawNode(0)), 6_000_000_000);
    // a separately built part may be wider or narrower
    for (own, rest) in [(1, most + 1), (most + 1, 1), (1, 1)] {
        let [mut counts, mut more] = [RawCounts::default(), RawCounts::default()];
        counts.set(RawNode(1), own, 2);
        more.set(RawNode(1), rest, 2);
        counts.append(2, more);
        assert_eq!([1, 2].map(|row| counts.get(RawNode(row))), [own, rest]);
    }
}
