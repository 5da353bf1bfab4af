use super::*;

#[test]
fn folders_are_searched_by_pattern() {
    let base = tempfile::tempdir().unwrap();
    for path in [
        "x2/tools/a.exe",
        "x1/tools/a.exe",
        "x3/a.exe",
        "y/tools/a.exe",
    ] {
        let path = base.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "").unwrap();
    }
    let found = |pattern| -> Vec<String> {
        let relative = |path: PathBuf| {
            path.strip_prefix(base.path())
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/")
        };
        matching(base.path(), pattern)
            .into_iter()
            .map(relative)
            .collect()
    };
    assert_eq!(
        found("x*/tools/a.exe"),
        ["x1/tools/a.exe", "x2/tools/a.exe"]
    );
    assert_eq!(found("*/a.exe"), ["x3/a.exe"]);
    assert_eq!(found("x1/tools/a.exe/*"), [""; 0]);
    assert_eq!(found("z/*"), [""; 0]);
}

// its paths are Unix paths
#[cfg(unix)]
#[test]
fn variable_names_ignore_case_on_windows() {
    let path = OsStr::new("/bin");
    let on = |system| Environment::synthetic(system, Path::new("/"), &[("Path", path)]);
    assert_eq!(on(System::Windows).variable("PATH"), Some(path));
    assert_eq!(on(System::Linux).variable("PATH"), None);
    assert_eq!(on(System::Windows).program_folders(), [Path::new("/bin")]);
}

/// A folder with a snapshot in it may have a program, too.
#[test]
#[cfg(unix)]
fn relative_folders_are_ignored() {
    #[track_caller]
    fn check(path: &str, expect: &[&str]) {
        let environment =
            Environment::synthetic(System::Linux, Path::new("/"), &[("PATH", path.as_ref())]);
        assert_eq!(
            environment.program_folders(),
            expect.iter().map(PathBuf::from).collect::<Vec<_>>()
        );
    }
    check("/a:.:b:/c/d:", &["/a", "/c/d"]);
    check(".", &[]);
    check("", &[]);
}
