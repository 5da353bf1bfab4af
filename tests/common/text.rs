//! Assertions about the content of texts. Failures include the text.

#[track_caller]
pub fn assert_contains(text: impl AsRef<str>, part: impl AsRef<str>) {
    assert_contains_all(text, &[part]);
}

#[track_caller]
pub fn assert_contains_all(text: impl AsRef<str>, parts: &[impl AsRef<str>]) {
    let text = text.as_ref();
    for part in parts.iter().map(AsRef::as_ref) {
        assert!(text.contains(part), "{part:?} is not in {text:?}");
    }
}

#[track_caller]
pub fn assert_lacks(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(!text.contains(part), "{part:?} is in {text:?}");
}

#[track_caller]
pub fn assert_starts_with(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(
        text.starts_with(part),
        "{part:?} is not the start of {text:?}"
    );
}

#[track_caller]
pub fn assert_ends_with(text: impl AsRef<str>, part: impl AsRef<str>) {
    let (text, part) = (text.as_ref(), part.as_ref());
    assert!(text.ends_with(part), "{part:?} is not the end of {text:?}");
}
