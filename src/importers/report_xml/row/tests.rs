use super::*;
use crate::diagnostics::Diagnostic;

#[test]
fn times_are_milliseconds_and_counts_are_integers() {
    let mut rows = Rows::default();
    let row =
        rows.row(r#" Id="0x1" FQN="A.B" TotalTime="334" OwnTime="6.5" Calls="18" Instances="2""#);
    let expect = ReportRow {
        name: b"A.B",
        total: Some(334_000_000),
        own: Some(6_500_000),
        count: Some(18),
    };
    assert_eq!(row, expect);
    assert_eq!(
        (rows.counts, rows.step_ns()),
        (Some(CountKind::Calls), 100_000)
    );
    let row = rows.row(r#" TotalTime="0.000001" OwnTime="1E-05""#);
    assert_eq!((row.total, row.own), (Some(1), Some(10)));
    assert_eq!(rows.step_ns(), 1);
    assert_eq!(rows.anomalies.diagnostics().count(), 0);
}

#[test]
fn wrong_numbers_are_counted() {
    let mut rows = Rows::default();
    let row = rows.row(r#" TotalTime="2,000" OwnTime="" Samples="3""#);
    assert_eq!((row.total, row.own, row.count), (None, None, Some(3)));
    let row = rows.row(r#" TotalTime="-1" OwnTime="1e300" Calls="4""#);
    assert_eq!(
        (row.total, row.own, row.count),
        (Some(0), Some(u64::MAX), None)
    );
    let found: Vec<_> = rows.anomalies.diagnostics().collect();
    let clamped = Diagnostic::Counted {
        anomaly: Anomaly::ValuesClamped,
        count: 4,
    };
    let of_other_kind = partly::COUNTS_OF_OTHER_KIND.times(1).unwrap();
    assert_eq!(found, [clamped, of_other_kind]);
}
