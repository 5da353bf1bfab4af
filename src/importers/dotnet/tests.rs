use super::*;

#[test]
fn module_names_are_limited_to_file_name_length() {
    assert_eq!(short_module(""), "");
    assert_eq!(short_module(&"x".repeat(1024)).len(), 1024);
    assert_eq!(short_module(&"x".repeat(1025)).len(), 1024);
    assert_eq!(
        short_module(&format!("a{}", "ä".repeat(600))).len(),
        1023,
        "no half of a character"
    );
}

#[test]
fn titles_identify_threads() {
    for (title, expect) in [
        ("Thread (9)", Some(("9", ""))),
        ("Thread (9) main", Some(("9", "main"))),
        ("Thread (9) .NET pool (2)", Some(("9", ".NET pool (2)"))),
        ("Thread () main", None),
        ("Thread (9)main", None),
        ("Thread (9) ", None),
        ("Thread (9", None),
        ("Thread 9", None),
        ("main", None),
    ] {
        assert_eq!(parse_thread_title(title), expect, "{title}");
    }
}
