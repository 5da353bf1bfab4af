use super::*;

#[test]
fn only_kinds_with_calls_mention_calls() {
    for kind in ProfileKind::ALL {
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
