use super::*;
use std::fs;

#[test]
fn files_are_found_only_below_the_folders() {
    let place = tempfile::tempdir().unwrap();
    let [inner, other] = ["inner", "other"].map(|name| place.path().join(name));
    fs::create_dir_all(inner.join("deep")).unwrap();
    fs::create_dir(&other).unwrap();
    for file in [
        inner.join("a"),
        inner.join("deep/b"),
        other.join("a"),
        other.join("c"),
        place.path().join("secret"),
    ] {
        fs::write(file, "").unwrap();
    }
    let folders = Folders::new(&[inner.clone(), other.clone()]).unwrap();
    #[track_caller]
    fn check(folders: &Folders, requested: &str, expect: Result<&str, &str>) {
        let found = folders.file(requested).map(|file| folders.name_of(&file));
        assert_eq!(
            found
                .as_deref()
                .map_err(|error| error.split(": ").nth(1).unwrap())
                .map_err(|error| error.split("; `list").next().unwrap()),
            expect,
            "{requested}"
        );
    }
    let nowhere = Err("there is no such file in this server's folders");
    let all_of = |path: PathBuf| path.canonicalize().unwrap().display().to_string();
    check(&folders, "a", Ok("a"));
    check(&folders, "deep/b", Ok("deep/b"));
    check(&folders, "./deep//b", Ok("deep/b"));
    check(&folders, "c", Ok("c"));
    check(&folders, &all_of(inner.join("a")), Ok("a"));
    // another folder has a file with this name that is found first
    check(
        &folders,
        &all_of(other.join("a")),
        Ok(&all_of(other.join("a"))),
    );
    check(&folders, &all_of(place.path().join("secret")), nowhere);
    check(&folders, "/etc/passwd", nowhere);
    check(&folders, "no-such-file", nowhere);
    check(
        &folders,
        "deep/../a",
        Err("`..` is refused; name a file in this server's folders"),
    );
    check(&folders, "deep", Err("a regular file is expected"));
    check(&folders, "", Err("a regular file is expected"));
    assert!(Folders::new(&[inner.join("a")]).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_followed_within_the_folders() {
    let place = tempfile::tempdir().unwrap();
    let inner = place.path().join("inner");
    fs::create_dir_all(inner.join("deep")).unwrap();
    fs::write(inner.join("deep/b"), "").unwrap();
    fs::write(place.path().join("secret"), "").unwrap();
    let folder = inner.clone();
    let link = |to: &str, from: &str| std::os::unix::fs::symlink(to, folder.join(from)).unwrap();
    link("deep/b", "good");
    link("../secret", "bad");
    link("..", "up");
    let folders = Folders::new(&[inner]).unwrap();
    assert_eq!(folders.name_of(&folders.file("good").unwrap()), "deep/b");
    for escape in ["bad", "up/secret", "up/inner/../secret"] {
        assert!(folders.file(escape).is_err(), "{escape}");
    }
    assert!(
        folders.file("up/inner/deep/b").is_ok(),
        "it is below the folder, wherever the way goes"
    );
    for part in ["shop.dtp", "shop.dtp.0000"] {
        fs::write(folders.0[0].join(part), "").unwrap();
    }
    let snapshot = folders.file("shop.dtp").unwrap();
    assert_eq!(folders.check_parts(&snapshot), Ok(()));
    link("../secret", "shop.dtp.0001");
    assert!(
        folders
            .check_parts(&snapshot)
            .unwrap_err()
            .contains("shop.dtp.0001")
    );
}

#[test]
fn globs_match_whole_texts() {
    for (glob, text, expect) in [
        ("*.nettrace", "a/b.nettrace", true),
        ("*.nettrace", "b.nettrace.gz", false),
        ("a?c", "abc", true),
        ("a?c", "ac", false),
        ("*a*b", "xaybzb", true),
        ("*a*b", "xayc", false),
        ("", "", true),
        ("**", "x", true),
    ] {
        let pattern = pattern(glob).unwrap();
        assert_eq!(pattern.is_match(text), expect, "{glob} {text}");
    }
}

#[test]
fn a_glob_that_is_too_long_matches_nothing() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.nettrace"), "").unwrap();
    let folders = Folders::new(&[folder.path().into()]).unwrap();
    assert_eq!(folders.matching("*").len(), 1);
    assert!(folders.matching(&"*?".repeat(100_000)).is_empty());
}

#[test]
fn drives_and_machines_have_one_spelling() {
    let name = |text: &'static str| OsStr::new(text);
    for (prefix, expect) in [
        (Prefix::Disk(b'C'), "c:"),
        (Prefix::VerbatimDisk(b'c'), "c:"),
        (Prefix::UNC(name("Evil"), name("Share")), r"\\evil\share"),
        (
            Prefix::VerbatimUNC(name("evil"), name("share")),
            r"\\evil\share",
        ),
        (Prefix::DeviceNS(name("pipe")), r"\\.\pipe"),
        (Prefix::Verbatim(name("Volume{1}")), r"\\?\volume{1}"),
    ] {
        assert_eq!(drive_name(prefix), expect, "{prefix:?}");
    }
}

#[cfg(windows)]
#[test]
fn other_machines_devices_and_drives_are_never_accessed() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("a.json"), "").unwrap();
    let folders = Folders::new(&[place.path().into()]).unwrap();
    for requested in [
        r"\\evil\share\x.dtp",
        "//evil/share/x.dtp",
        r"\\?\UNC\evil\share\x.dtp",
        r"\\.\pipe\x",
        r"\\.\UNC\evil\share\x",
        r"\\?\GLOBALROOT\Device\Mup\evil\share\x",
        "Q:/x.dtp",
    ] {
        assert!(folders.is_elsewhere(Path::new(requested)), "{requested}");
        for spelling in [
            requested.to_string(),
            format!("file:///{requested}"),
            format!("file://{requested}"),
        ] {
            let refused = folders.file(&spelling).unwrap_err();
            assert!(refused.contains("there is no such file"), "{refused}");
        }
    }
    let path = std::path::absolute(place.path().join("a.json")).unwrap();
    let path = path.display().to_string();
    let uri = format!("file:///{}", path.replace('\\', "/"));
    for requested in [
        path.as_str(),
        &path.replace('\\', "/"),
        &path.to_uppercase(),
        &uri,
        "a.json",
    ] {
        assert!(folders.file(requested).is_ok(), "{requested}");
    }
}
