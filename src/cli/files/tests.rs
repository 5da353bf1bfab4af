use super::*;

fn write(
    path: &Path,
    overwrite: bool,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<u64> {
    write_whole(
        Destination {
            path,
            input: None,
            overwrite,
            only_file: false,
        },
        write,
    )
}

#[test]
fn files_are_complete_or_missing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.json");
    let failed = write(&path, false, |out| {
        out.write_all(b"half")?;
        Err(io::Error::other("disk full"))
    });
    assert_eq!(failed.unwrap_err().to_string(), "disk full");
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing is left behind"
    );
    assert_eq!(write(&path, false, |out| out.write_all(b"one")).unwrap(), 3);
    let refused = write(&path, false, |out| out.write_all(b"two"));
    assert_eq!(refused.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read(&path).unwrap(), b"one");
    write(&path, true, |out| out.write_all(b"three")).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"three");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg(unix)]
fn links_and_permissions_are_preserved() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (link, target) = (folder.path().join("link"), folder.path().join("target"));
    std::os::unix::fs::symlink("target", &link).unwrap();
    write(&link, false, |out| out.write_all(b"one")).unwrap();
    assert!(
        link.symlink_metadata().unwrap().is_symlink(),
        "a link to nothing yet"
    );
    assert_eq!(fs::read(&target).unwrap(), b"one");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
    write(&link, true, |out| out.write_all(b"two")).unwrap();
    assert_eq!(
        target.metadata().unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_eq!(
        write(Path::new("/dev/null"), false, |out| out.write_all(b"gone")).unwrap(),
        4
    );
    let error = write(folder.path(), true, |_| Ok(())).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::IsADirectory);
    std::os::unix::fs::symlink("loop", folder.path().join("loop")).unwrap();
    assert!(write(&folder.path().join("loop"), true, |_| Ok(())).is_err());
}

/// A test can't create a block device, and must not write to an existing one.
#[test]
#[cfg(unix)]
fn only_pipes_and_the_null_device_need_no_consent() {
    let is_written = |path: &Path| may_be_written(path, &path.metadata().unwrap());
    let folder = tempfile::tempdir().unwrap();
    let (pipe, socket) = (folder.path().join("pipe"), folder.path().join("socket"));
    std::process::Command::new("mkfifo")
        .arg(&pipe)
        .status()
        .unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    assert!(is_written(&pipe) && is_written(Path::new("/dev/null")));
    assert!(!is_written(Path::new("/dev/zero")) && !is_written(&socket));
    // disks, if the machine has any
    let devices = fs::read_dir("/dev").unwrap().flatten();
    let mut disks =
        devices.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_block_device()));
    assert!(!disks.any(|disk| is_written(&disk.path())));
}

#[test]
fn windows_reserves_some_names_for_devices() {
    for name in [
        "NUL",
        "con",
        "Aux.txt",
        "out/COM1",
        "LPT9.json",
        "nul ",
        "CONOUT$",
        "prn:x",
    ] {
        assert!(is_device_of_windows(Path::new(name)), "{name}");
    }
    for name in [
        "null",
        "console.txt",
        "COM",
        "COM0",
        "COM10",
        "a.con",
        "nul/a",
    ] {
        assert!(!is_device_of_windows(Path::new(name)), "{name}");
    }
}

#[cfg(windows)]
mod of_windows {
    use super::*;

    #[test]
    fn nul_discards_and_other_devices_are_refused() {
        assert_eq!(
            write(Path::new("NUL"), false, |out| out.write_all(b"three")).unwrap(),
            5
        );
        for name in ["CON", "nul.json", "com1"] {
            let refused = write(Path::new(name), false, |_| unreachable!());
            assert_eq!(
                refused.unwrap_err().kind(),
                io::ErrorKind::InvalidInput,
                "{name}"
            );
        }
    }

    #[test]
    fn files_open_in_another_program_are_left_alone() {
        use std::os::windows::fs::OpenOptionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("Läger 漢字.json");
        fs::write(&path, "theirs").unwrap();
        let theirs = File::options()
            .read(true)
            .share_mode(1)
            .open(&path)
            .unwrap();
        let error = write(&path, true, |out| out.write_all(b"ours")).unwrap_err();
        let sentence = why_not_written(&path, &error);
        assert!(
            sentence.ends_with("another program has it open")
                || sentence.contains("permission denied"),
            "{sentence}"
        );
        drop(theirs);
        assert_eq!(fs::read(&path).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
