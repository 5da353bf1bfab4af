use super::*;

#[test]
fn a_filter_is_typed_accepted_and_cleared() {
    let mut filter = Filter {
        is_typed: true,
        ..Filter::default()
    };
    assert!(
        filter.act(Action::Type('a'))
            && filter.act(Action::Type('b'))
            && !filter.act(Action::Cursor(-1))
    );
    assert!(!filter.act(Action::Accept) && !filter.is_typed && filter.is_shown());
    assert_eq!(filter.field.parts(), ("a", "b"));
    assert!(filter.act(Action::Back) && !filter.is_shown());
}
