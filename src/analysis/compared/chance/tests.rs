use super::*;

#[test]
fn tail_probabilities_match_published_tables() {
    for (z, p) in [
        (0.0, 1.0),
        (1.0, 0.317_310_5),
        (1.959_964, 0.05),
        (3.290_527, 0.001),
        (4.891_638, 1e-6),
    ] {
        assert!((p_of_z(z) / p - 1.0).abs() < 1e-5, "{z}: {}", p_of_z(z));
        assert_eq!(p_of_z(z), p_of_z(-z));
    }
    // the 97.5 % points of Student's t with 10 and with 60 degrees of freedom
    for (t, degrees_of_freedom) in [(2.228, 10.0), (2.000, 60.0)] {
        assert!(
            (z_of_t(t, degrees_of_freedom) - 1.96).abs() < 0.005,
            "{degrees_of_freedom}: {}",
            z_of_t(t, degrees_of_freedom)
        );
        assert_eq!(
            z_of_t(-t, degrees_of_freedom),
            -z_of_t(t, degrees_of_freedom)
        );
        let back = t_of_z(1.959_964, degrees_of_freedom);
        assert!((back - t).abs() < 0.01, "{degrees_of_freedom}: {back}");
        assert_eq!(t_of_z(-1.959_964, degrees_of_freedom), -back);
    }
}

#[test]
fn many_differences_are_judged_together() {
    #[track_caller]
    fn check(p: &[f64], expect: &[bool]) {
        assert_eq!(beyond_chance(p), expect, "{p:?}");
    }
    check(&[], &[]);
    check(&[0.05], &[true]);
    check(&[0.04, 0.026], &[false, false]);
    // 0.01 ≤ 0.05 / 4, 0.016 ≤ 0.05 / 3, 0.03 > 0.05 / 2
    check(&[0.03, 0.016, 0.9, 0.01], &[false, true, false, true]);
    assert!(is_slower(1.65) && !is_slower(1.64) && !is_slower(-5.0));
}
