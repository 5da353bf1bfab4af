use super::*;
use std::fs;

#[test]
fn files_are_found_below_the_folders_alone() {
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
    fn check(folders: &Folders, asked: &str, expect: Result<&str, &str>) {
        let found = folders.file(asked).map(|file| folders.name_of(&file));
        assert_eq!(
            found
                .as_deref()
                .map_err(|error| error.split(": ").nth(1).unwrap())
                .map_err(|error| error.split("; `list").next().unwrap()),
            expect,
            "{asked}"
        );
    }
    let nowhere = Err("there is no such file below the folders of this server");
    let all_of = |path: PathBuf| path.canonicalize().unwrap().display().to_string();
    check(&folders, "a", Ok("a"));
    check(&folders, "deep/b", Ok("deep/b"));
    check(&folders, "./deep//b", Ok("deep/b"));
    check(&folders, "c", Ok("c"));
    check(&folders, &all_of(inner.join("a")), Ok("a"));
    // another folder has a file of this name that is found first
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
        Err("`..` is refused; name a file below the folders of this server"),
    );
    check(&folders, "deep", Err("a regular file is expected"));
    check(&folders, "", Err("a regular file is expected"));
    assert!(Folders::new(&[inner.join("a")]).is_err());
}

#[cfg(unix)]
#[test]
fn links_are_followed_as_far_as_the_folders_go() {
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
fn globs_match_all_of_a_text() {
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
        assert_eq!(is_like(glob, text), expect, "{glob} {text}");
    }
}
