use super::*;

#[test]
fn names_are_cut_at_folders_and_extensions() {
    for (first, second, expect) in [
        ("a/old.nettrace", "a/new.nettrace", ["old", "new"]),
        (
            "orders.nettrace",
            "orders-regressed.nettrace",
            ["orders", "orders-regressed"],
        ),
        ("run1/app.nettrace", "run2/app.nettrace", ["run1", "run2"]),
        (
            "app.nettrace",
            "app.speedscope.json",
            ["app.nettrace", "app.speedscope.json"],
        ),
        ("/x/app.dtp", "/x/app.dtp", ["/x/app.dtp", "/x/app.dtp"]),
        ("/tmp/a.dtp", "/work/b.dtp", ["/tmp/a", "/work/b"]),
        ("a.dtp", "a/b.dtp", ["a", "a/b"]),
        ("ä/ü.pb", "ä/ö.pb", ["ü", "ö"]),
    ] {
        assert_eq!(differing(first, second), expect, "{first} {second}");
    }
}
