use super::*;

#[test]
fn paths_are_quoted_if_necessary() {
    #[track_caller]
    fn check(path: &str, system: System, expect: &str) {
        assert_eq!(quoted(Path::new(path), system), expect);
    }
    check("a/b-1.dtp", System::Linux, "a/b-1.dtp");
    check("my snap.dtp", System::Linux, "'my snap.dtp'");
    check("it's.dtp", System::MacOs, r"'it'\''s.dtp'");
    check(r"C:\a\b.dtp", System::Windows, r"C:\a\b.dtp");
    check(
        r"C:\my snaps\b.dtp",
        System::Windows,
        r#""C:\my snaps\b.dtp""#,
    );
    check(r"a\b", System::Linux, r"'a\b'");
    check("", System::Linux, "''");
    check("-x.dtp", System::Linux, "./-x.dtp");
    check("- x.dtp", System::MacOs, "'./- x.dtp'");
    check("-x.dtp", System::Windows, r".\-x.dtp");
}
