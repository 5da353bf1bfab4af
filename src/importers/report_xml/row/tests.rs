use super::*;

#[test]
fn times_are_milliseconds_and_counts_are_integers() {
    let mut numbers = Numbers::default();
    let row = numbers
        .row(r#" Id="0x1" FQN="A.B" TotalTime="334" OwnTime="6.5" Calls="18" Instances="2""#);
    let expect = ReportRow {
        name: b"A.B",
        total: Some(334_000_000),
        own: Some(6_500_000),
        count: Some(18),
        ..ReportRow::default()
    };
    assert_eq!(row, expect);
    assert_eq!(
        (numbers.decimals, numbers.counts, numbers.step_ns()),
        (1, Some(CountKind::Calls), 100_000)
    );
    let row = numbers.row(r#" TotalTime="0.000001" OwnTime="1E-05""#);
    assert_eq!((row.total, row.own), (Some(1), Some(10)));
    assert_eq!(numbers.step_ns(), 1);
    assert_eq!(numbers.anomalies(), []);
}

#[test]
fn wrong_numbers_are_counted() {
    let mut numbers = Numbers::default();
    let row = numbers.row(r#" TotalTime="2,000" OwnTime="" Samples="3""#);
    assert_eq!((row.total, row.own, row.count), (None, None, Some(3)));
    let row = numbers.row(r#" TotalTime="-1" OwnTime="1e300" Calls="4""#);
    assert_eq!(
        (row.total, row.own, row.count),
        (Some(0), Some(u64::MAX), None)
    );
    assert_eq!(
        numbers.anomalies(),
        [
            Diagnostic::NotNumbers {
                values: 2,
                first: "2,000".into()
            },
            Diagnostic::Counted {
                anomaly: Anomaly::ValuesClamped,
                count: 2
            },
            Diagnostic::OtherCounts {
                left_out: "Calls".into(),
                elements: 1,
                kept: "Samples".into()
            },
        ]
    );
    let row = numbers.row(r#" TotalTimeDiff="3" Own="2""#);
    assert_eq!(row.suffixed, Some(&b"TotalTimeDiff"[..]));
}
