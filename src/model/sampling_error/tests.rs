use super::*;

#[test]
fn few_samples_make_a_value_uncertain() {
    for (samples, error, thin) in [
        (0, None, false),
        (1, Some(100.0), true),
        (3, Some(57.7), true),
        (24, Some(20.4), true),
        (25, Some(20.0), false),
        (4088, Some(1.6), false),
    ] {
        assert_eq!(
            (standard_error_percent(samples), is_thin(samples)),
            (error, thin),
            "{samples}"
        );
    }
}
