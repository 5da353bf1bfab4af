use super::*;
use std::fs::File;
use std::time::Duration;

/// The values are from `sha256sum` over the lengths and the texts.
#[test]
fn texts_are_kept_apart() {
    for (parts, expect) in [
        (&[][..], "e3b0c44298fc1c149afbf4c8996fb924"),
        (&["ab", "c"], "43ee655579de01ca739b3f95c1c2d3f4"),
        (&["a", "bc"], "9a8acca1b6c6c0befd3fbc756aed625d"),
        (&["abc"], "ce91dc5eec0139adf091900d225971d6"),
    ] {
        assert_eq!(
            fingerprint(parts.iter().map(|part| part.as_bytes())),
            expect,
            "{parts:?}"
        );
    }
}

#[test]
fn a_tree_is_another_when_anything_it_depends_on_is() {
    let folder = tempfile::tempdir().unwrap();
    let index = folder.path().join("my snap.dtp");
    let section = folder.path().join("my snap.dtp.0000");
    fs::write(&index, "MFDTPF").unwrap();
    fs::write(&section, "1234").unwrap();
    let key = |decoder: &[u8]| TreeKey::of(&index, &[decoder]).unwrap();
    let first = key(b"1");
    assert!(first.file_name().starts_with("my_snap.dtp-") && first.file_name().ends_with(".json"));
    assert_eq!(first, key(b"1"), "the same on every look");
    assert_ne!(first, key(b"2"), "another decoder");
    let time = section.metadata().unwrap().modified().unwrap();
    File::options()
        .write(true)
        .open(&section)
        .unwrap()
        .set_modified(time + Duration::from_secs(1))
        .unwrap();
    let touched = key(b"1");
    assert_ne!(first, touched, "touched");
    fs::write(&section, "12345").unwrap();
    File::options()
        .write(true)
        .open(&section)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_ne!(first, key(b"1"), "another size");
    fs::write(&section, "1234").unwrap();
    File::options()
        .write(true)
        .open(&section)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert_eq!(first, key(b"1"), "as it was");
    fs::write(folder.path().join("my snap.dtp.State"), "").unwrap();
    assert_eq!(first, key(b"1"), "the state of a window is no matter");
    fs::write(folder.path().join("my snap.dtp.0001"), "").unwrap();
    assert_ne!(first, key(b"1"), "one more section");
    assert_eq!(TreeKey::of(&folder.path().join("none.dtp"), &[]), None);
}
