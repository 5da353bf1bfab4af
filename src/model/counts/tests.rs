use super::*;

#[test]
fn the_largest_count_is_found_in_either_width() {
    let largest = |rows: &[u64]| Counts::from(rows.to_vec()).largest();
    assert_eq!(
        (largest(&[]), largest(&[3, 7, 5]), largest(&[3, 1 << 40, 5])),
        (0, 7, 1 << 40)
    );
}
