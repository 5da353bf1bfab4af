use super::*;

#[test]
fn the_largest_count_is_found_in_either_width() {
    assert_eq!(Counts::Narrow(Vec::new()).largest(), 0);
    assert_eq!(Counts::Narrow(vec![3, 7, 5]).largest(), 7);
    assert_eq!(Counts::Wide(vec![3, 1 << 40, 5]).largest(), 1 << 40);
}
