use super::*;

#[test]
fn kinds_stand_in_the_table_in_their_order() {
    for row in &KINDS {
        assert_eq!(row.kind.row().name, row.name);
        assert_eq!(ProfileKind::from_name(row.name), row.kind);
    }
    assert_eq!(ProfileKind::from_name("smapling"), ProfileKind::Unknown);
}

#[test]
fn only_kinds_with_calls_speak_of_them_as_theirs() {
    for kind in ProfileKind::all() {
        let has_samples = kind.counts() == CountKind::Samples;
        assert_eq!(
            kind.about().contains("sample"),
            has_samples,
            "{}",
            kind.about()
        );
        assert_eq!(
            kind.about().contains("inflated in proportion"),
            kind.counts() == CountKind::Calls
        );
        assert_eq!(
            !kind.inflation().is_empty(),
            kind.counts() == CountKind::Calls
        );
    }
}
