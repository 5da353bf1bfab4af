use super::*;

#[test]
fn edits_at_the_cursor() {
    let mut field = Field::new("größe");
    field.backspace();
    field.move_cursor(-2);
    field.insert('X');
    assert_eq!(field.parts(), ("grX", "öß"));
    field.move_cursor(9);
    field.insert('\u{1b}');
    assert_eq!(field.parts(), ("grXöß", ""));
    field.delete_line();
    assert_eq!(field.text(), "");
    field.backspace();
    field.delete_word();
    field.move_cursor(-3);
    assert_eq!(field.text(), "");
}

#[test]
fn words_end_at_spaces_dots_and_slashes() {
    for (text, expect) in [
        ("one two", "one "),
        ("one two  ", "one "),
        ("dir/evaluate", "dir/"),
        ("dir/", "dir"),
        ("wide\u{3000}space", "wide\u{3000}"),
        ("x", ""),
    ] {
        let mut field = Field::new(text);
        field.delete_word();
        assert_eq!(field.text(), expect, "{text:?}");
    }
}
