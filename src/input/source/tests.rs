use super::*;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use std::fs;
use std::os::unix::fs::symlink;

#[test]
fn replaced_files_are_neither_followed_nor_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().canonicalize().unwrap();
    let path = |name: &str| place.join(name);
    fs::create_dir(path("inner")).unwrap();
    fs::write(path("inner/a"), "1").unwrap();
    symlink(path("inner/a"), path("link")).unwrap();
    symlink(path("inner"), path("way")).unwrap();
    mknodat(CWD, path("pipe"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    for (name, is_read) in [
        ("inner/a", true),
        ("link", false),
        ("way/a", false),
        ("pipe", false),
        ("inner", false),
        ("none", false),
    ] {
        assert_eq!(open_without_links(&path(name)).is_ok(), is_read, "{name}");
    }
}
