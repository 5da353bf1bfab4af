use super::place;

#[test]
fn locations_have_files_and_lines() {
    for (location, expect) in [
        ("", ("", 0)),
        ("/src/shop.cs:12", ("/src/shop.cs", 12)),
        ("C:\\src\\shop.cs:12", ("C:\\src\\shop.cs", 12)),
        ("C:\\src\\shop.cs", ("C:\\src\\shop.cs", 0)),
        // only if it round-trips
        ("a:0", ("a:0", 0)),
        ("a:012", ("a:012", 0)),
        ("a:4294967295", ("a", u32::MAX)),
        ("a:4294967296", ("a:4294967296", 0)),
        ("a:+1", ("a:+1", 0)),
        (":12", (":12", 0)),
    ] {
        assert_eq!(place(location), expect, "{location}");
    }
}
