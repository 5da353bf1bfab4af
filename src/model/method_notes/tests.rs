use super::*;

#[test]
fn notes_are_set_replaced_and_removed() {
    let key = |signature: &str| MethodKey {
        name: "Shop.Price".into(),
        signature: signature.into(),
    };
    let mut notes = MethodNotes::default();
    notes.set(key(""), "  slow since May ");
    notes.set(key("(int)"), "an overload");
    assert_eq!(notes.get(&key("")), Some("slow since May"));
    notes.set(key(""), "fixed");
    notes.set(key("(int)"), " ");
    assert_eq!(notes.iter().collect::<Vec<_>>(), [(&key(""), "fixed")]);
    notes.set(key(""), &"ö".repeat(MethodNotes::MAX_BYTES));
    assert_eq!(
        notes.get(&key("")).map(str::len),
        Some(MethodNotes::MAX_BYTES)
    );
    let mut newer = MethodNotes::default();
    newer.hide(key(""));
    assert_eq!(
        (
            newer.get(&key("")),
            newer.iter().count(),
            newer.entries().count()
        ),
        (None, 0, 1)
    );
    notes.extend(&newer);
    assert_eq!(notes.get(&key("")), None);
}
