use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn behaves_like_a_vector_of_bools(ops in prop::collection::vec((0usize..200, 0usize..200, any::<bool>()), 0..20)) {
        let (mut bits, mut plain) = (BitSet::new(200), vec![false; 200]);
        for (a, b, value) in ops {
            bits.set_range(a, b, value);
            plain.get_mut(a..b.max(a)).unwrap().fill(value);
            bits.set(b, !value);
            plain[b] = !value;
            let expect = plain.get(a..b).map_or(0, |range| range.iter().filter(|&&bit| bit).count());
            prop_assert_eq!(bits.count(a, b), expect);
            prop_assert_eq!(bits.is_full(a, b), plain.get(a..b).is_none_or(|range| range.iter().all(|&bit| bit)));
            prop_assert_eq!(bits.next(a), (a..200).find(|&i| plain[i]));
            prop_assert_eq!(bits.previous(a), (0..a).rev().find(|&i| plain[i]));
            prop_assert_eq!(bits.contains(a), plain[a]);
            prop_assert!(bits.differences(&BitSet::new(200)).eq((0..200).filter(|&i| plain[i])));
            prop_assert_eq!(bits.differences(&bits).next(), None);
        }
    }
}
