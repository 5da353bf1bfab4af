use super::*;

#[test]
fn numbered_files_lead_to_the_index() {
    #[track_caller]
    fn check(name: &str, expect: Option<&str>) {
        assert_eq!(index_named_by(Path::new(name)), expect.map(PathBuf::from));
    }
    check("a/x.dtp.0000", Some("a/x.dtp"));
    check("x.DTP.0017", Some("x.DTP"));
    check("x.dtp.State", Some("x.dtp"));
    check("x.dtp.STATES", Some("x.dtp"));
    check("x.dtp.DotSettings", Some("x.dtp"));
    check("x.dtt.0003", Some("x.dtt"));
    check("x.dtp", None);
    check("x.dtp.000", None);
    check("x.dtp.00a0", None);
    check("x.json.0000", None);
    check("solution.DotSettings", None);
    check(".0000", None);
    check("", None);
}

#[test]
fn the_files_of_a_snapshot_are_found_from_any_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let names = [
        "x.dtp.0001",
        "X.DTP.0000",
        "x.dtp.10000",
        "x.dtp.State",
        "x.dtp.001",
        "y.dtp.0000",
        "x.dtp",
    ];
    for name in names {
        std::fs::write(folder.path().join(name), "").unwrap();
    }
    #[track_caller]
    fn check(folder: &Path, name: &str, expect: &[&str]) {
        let expect: Vec<PathBuf> = expect.iter().map(|name| folder.join(name)).collect();
        assert_eq!(files_of(&folder.join(name)), expect, "{name}");
    }
    let all = ["x.dtp", "X.DTP.0000", "x.dtp.0001", "x.dtp.10000"];
    check(folder.path(), "x.dtp", &all);
    check(folder.path(), "x.dtp.0001", &all);
    check(folder.path(), "x.dtp.State", &all);
    check(folder.path(), "y.dtp", &["y.dtp", "y.dtp.0000"]);
    check(folder.path(), "z.dtp", &["z.dtp"]);
}

#[test]
fn data_files_have_four_digits() {
    assert_eq!(
        data_file(Path::new("a/x.dtp"), 0),
        Path::new("a/x.dtp.0000")
    );
    assert_eq!(
        data_file(Path::new("x.dtp"), 12345),
        Path::new("x.dtp.12345")
    );
}
