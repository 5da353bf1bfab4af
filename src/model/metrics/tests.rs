use super::*;

#[test]
fn an_all_zero_metric_is_never_shown_first() {
    #[track_caller]
    fn check(units: &str, with_values: &[usize], preferred: usize, expect: usize) {
        let unit = |letter| {
            if letter == 't' {
                Unit::Milliseconds
            } else {
                Unit::Count
            }
        };
        let metric = |letter| Metric::new("", unit(letter), None);
        let metrics: Vec<Metric> = units.chars().map(metric).collect();
        let has_values = |metric: MetricId| with_values.contains(&metric.index());
        assert_eq!(
            Metric::shown_first(&metrics, MetricId::at(preferred), has_values).index(),
            expect
        );
    }
    check("tc", &[0, 1], 1, 1);
    check("tctt", &[0, 1, 2], 3, 0);
    check("ccct", &[0, 1], 3, 1);
    check("ccc", &[1, 2], 0, 1);
    check("tcc", &[], 2, 2);
}
