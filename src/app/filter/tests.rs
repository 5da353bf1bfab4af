use super::*;

#[test]
fn a_filter_is_typed_accepted_and_cleared() {
    let mut filter = Filter::default();
    filter.start();
    assert!(
        filter.act(Action::Type('a'))
            && filter.act(Action::Type('b'))
            && !filter.act(Action::Cursor(-1))
    );
    assert!(!filter.act(Action::Accept) && !filter.is_typed() && filter.is_shown());
    assert_eq!(filter.parts(), ("a", "b"));
    assert!(filter.act(Action::Back) && !filter.is_shown());
}
