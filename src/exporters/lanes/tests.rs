use super::*;

#[test]
fn every_lane_gets_a_unique_id() {
    let check = |wanted: &[(char, Option<u64>)], expect: &[u64]| {
        assert_eq!(distribute(wanted.iter().copied()), expect, "{wanted:?}");
    };
    check(&[], &[]);
    check(&[('a', Some(7)), ('a', Some(9))], &[7, 9]);
    check(&[('a', None), ('a', Some(1)), ('a', None)], &[2, 1, 3]);
    check(
        &[('a', Some(7)), ('a', Some(7)), ('b', Some(7))],
        &[7, 1, 7],
    );
    check(&[('a', None), ('b', None)], &[1, 1]);
}

#[test]
fn ids_may_be_numeric_or_not() {
    for (id, expect) in [
        ("7", Some(7)),
        ("0", Some(0)),
        ("", None),
        ("07", None),
        ("+7", None),
        ("x", None),
        ("9223372036854775807", Some(i64::MAX as u64)),
        ("9223372036854775808", None),
    ] {
        assert_eq!(number_of(id), expect, "{id}");
    }
}
