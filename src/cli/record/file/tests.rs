use super::*;

fn content(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

#[test]
fn a_file_being_written_by_another_recording_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.nettrace");
    let mut first = PartFile::create(&path, false).unwrap();
    first.file.write_all(b"first").unwrap();
    for overwrites in [false, true] {
        let refused = PartFile::create(&path, overwrites).err().unwrap();
        let refused = refused.to_string();
        assert!(
            refused.starts_with("another recording is writing ")
                && refused.ends_with("a.nettrace.part"),
            "{refused}"
        );
    }
    let part = first.part.clone();
    assert_eq!(content(&part), "first");
    // one that was killed
    drop(first);
    let refused = PartFile::create(&path, false).err().unwrap().to_string();
    assert!(
        refused.contains("a.nettrace.part already exists"),
        "{refused}"
    );
    assert_eq!(content(&part), "first");
    drop(PartFile::create(&path, true).unwrap());
    assert_eq!(content(&part), "");
}

#[test]
fn a_file_that_appeared_meanwhile_is_not_overwritten() {
    #[track_caller]
    fn check(overwrites: bool, appears: bool, expect: &[(&str, &str)]) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let mut out = PartFile::create(&path, overwrites).unwrap();
        out.file.write_all(b"ours").unwrap();
        if appears {
            fs::write(&path, "theirs").unwrap();
        }
        let kept = out.keep(&RecordReporter::new(false)).unwrap();
        assert_eq!(content(&kept), "ours");
        let mut found: Vec<(String, String)> = fs::read_dir(folder.path())
            .unwrap()
            .map(|item| item.unwrap())
            .map(|item| {
                (
                    item.file_name().into_string().unwrap(),
                    content(&item.path()),
                )
            })
            .collect();
        found.sort();
        let found: Vec<(&str, &str)> = found
            .iter()
            .map(|(name, text)| (&**name, &**text))
            .collect();
        assert_eq!(found, expect);
    }
    check(false, false, &[("a", "ours")]);
    check(false, true, &[("a", "theirs"), ("a.part", "ours")]);
    check(true, true, &[("a", "ours")]);
}

#[cfg(unix)]
#[test]
fn a_moved_file_is_found_and_a_replaced_one_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let [before, after] = ["before", "after"].map(|name| folder.path().join(name));
    fs::create_dir(&before).unwrap();
    let out = PartFile::create(&before.join("a"), false).unwrap();
    fs::rename(&before, &after).unwrap();
    assert_eq!(
        out.keep(&RecordReporter::new(false)),
        Some(after.join("a.part"))
    );
    let out = PartFile::create(&after.join("b"), false).unwrap();
    fs::remove_file(&out.part).unwrap();
    fs::write(&out.part, "theirs").unwrap();
    assert_eq!(out.keep(&RecordReporter::new(false)), None);
    assert!(!after.join("b").exists());
}

#[cfg(unix)]
#[test]
fn overwritten_files_keep_their_readers() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a");
    fs::write(&path, "").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let out = PartFile::create(&path, true).unwrap();
    out.keep(&RecordReporter::new(false)).unwrap();
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn an_incomplete_file_ends_after_its_last_block() {
    #[track_caller]
    fn check(whole: u64, expect: &str) {
        let folder = tempfile::tempdir().unwrap();
        let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
        out.file.write_all(b"blocks and a ha").unwrap();
        assert_eq!(out.keep_part(whole, &[]).unwrap(), (whole, 0));
        assert_eq!(content(&out.part), expect);
    }
    check(6, "blocks");
    // a file without a complete block may still be useful to somebody
    check(0, "blocks and a ha");
}

/// The last blocks were received, but not written.
#[test]
fn a_partly_written_file_ends_after_its_last_written_block() {
    const RECORDED: &[u8] = include_bytes!("../../../../snapshots/js-ordered-consume.nettrace");
    let folder = tempfile::tempdir().unwrap();
    let mut out = PartFile::create(&folder.path().join("a"), false).unwrap();
    out.file.write_all(&RECORDED[..400_001]).unwrap();
    let mut tally = Tally::default();
    tally.push(&RECORDED[..400_001]);
    let (whole, names) = out.keep_part(500_000, RECORDED).unwrap();
    assert_eq!(whole, tally.blocks.complete_bytes);
    let kept = fs::read(&out.part).unwrap();
    assert_eq!(kept.len() as u64, whole + names as u64);
    assert!(names > 100_000 && kept.starts_with(&RECORDED[..whole as usize]));
}

/// Values from `date -u -d @SECONDS`.
#[test]
fn names_contain_process_and_time() {
    #[track_caller]
    fn check(name: &str, seconds: u64, expect: &str) {
        let now = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
        assert_eq!(default_name(name, 47, now), PathBuf::from(expect));
    }
    check("App", 0, "App-47-19700101T000000Z.nettrace");
    check("App", 951_782_400, "App-47-20000229T000000Z.nettrace");
    check("App", 1_795_388_374, "App-47-20261122T225934Z.nettrace");
    check("App", 4_102_444_799, "App-47-20991231T235959Z.nettrace");
    check("../a b", 0, "_a_b-47-19700101T000000Z.nettrace");
    check("", 0, "process-47-19700101T000000Z.nettrace");
}
