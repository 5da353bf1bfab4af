use super::*;

#[test]
fn medians() {
    for (values, expect) in [
        (&[][..], 0),
        (&[7], 7),
        (&[9, 1, 5], 5),
        (&[9, 1, 5, 6], 5),
        (&[u64::MAX; 2], u64::MAX),
    ] {
        assert_eq!(median(values), expect);
    }
}

#[test]
fn rank_sums_match_published_tables() {
    #[track_caller]
    fn check(before: &[u64], after: &[u64], expect: Option<f64>) {
        let p = rank_sum_p(before, after);
        assert!(
            p.zip(expect)
                .map_or(p == expect, |(p, expect)| (p - expect).abs() < 1e-12),
            "{p:?}"
        );
    }
    // one of the 70 ways to choose four of eight has the highest sum, one the lowest
    check(&[1, 2, 3, 4], &[5, 6, 7, 8], Some(2.0 / 70.0));
    check(&[5, 6, 7, 8], &[1, 2, 3, 4], Some(2.0 / 70.0));
    // sums 26 (once), 25 (once) and their mirrors
    check(&[1, 2, 3, 5], &[4, 6, 7, 8], Some(4.0 / 70.0));
    check(&[1, 2, 3, 4, 5], &[6, 7, 8, 9, 10], Some(2.0 / 252.0));
    check(&[3; 4], &[3; 4], Some(1.0));
    check(&[1, 2, 3], &[4, 5, 6, 7], None);
    check(&[3; 40], &[3; 40], Some(1.0));
    // far too many to count: all of 30 above all of 30, one order out of 60 choose 30
    let (low, high): (Vec<u64>, Vec<u64>) = ((0..30).collect(), (30..60).collect());
    assert!(rank_sum_p(&low, &high).is_some_and(|p| p < 1e-9));
    // the even ranks of 26 sum to 182, and 175.5 is the middle; the variance is 13 · 13 · 27 / 12
    let (odd, even): (Vec<u64>, Vec<u64>) = (
        (0..13).map(|at| 2 * at).collect(),
        (0..13).map(|at| 2 * at + 1).collect(),
    );
    let z: f64 = 6.5 / (13.0f64 * 13.0 * 27.0 / 12.0).sqrt();
    assert!(rank_sum_p(&odd, &even).is_some_and(|p| (p - p_of_z(z)).abs() < 1e-9));
    // two ties have rank 4.5 each: 4.5 + 6 + 7 + 8 is the largest sum, with either tie
    check(&[1, 2, 3, 4], &[4, 6, 7, 8], Some(4.0 / 70.0));
}
