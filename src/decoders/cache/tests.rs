use super::layout::SCRATCH;
use super::*;
#[cfg(unix)]
use std::ffi::OsStr;
use std::time::Duration;

// its paths are Unix paths
#[cfg(unix)]
#[test]
fn the_folder_follows_system_conventions() {
    #[track_caller]
    fn check(system: System, variables: &[(&str, &str)], expect: Result<&str, &str>) {
        let variables: Vec<(&str, &OsStr)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_ref()))
            .collect();
        let environment = Environment::synthetic(system, Path::new("/"), &variables);
        assert_eq!(
            folder(&environment),
            expect.map(PathBuf::from).map_err(str::to_string)
        );
    }
    check(
        System::Linux,
        &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")],
        Ok("/x/dotspot"),
    );
    check(
        System::Linux,
        &[("HOME", "/h"), ("XDG_CACHE_HOME", "")],
        Ok("/h/.cache/dotspot"),
    );
    // the XDG specification: relative paths are invalid and must be ignored
    check(
        System::Linux,
        &[("HOME", "/h"), ("XDG_CACHE_HOME", "x")],
        Ok("/h/.cache/dotspot"),
    );
    check(
        System::Linux,
        &[],
        Err("neither XDG_CACHE_HOME nor HOME is set to an absolute path"),
    );
    check(
        System::MacOs,
        &[("HOME", "/h"), ("XDG_CACHE_HOME", "/x")],
        Ok("/h/Library/Caches/dotspot"),
    );
    check(System::MacOs, &[], Err("HOME is not set"));
    check(
        System::Windows,
        &[("LocalAppData", "/l"), ("HOME", "/h")],
        Ok("/l/dotspot"),
    );
    check(
        System::Windows,
        &[("HOME", "/h")],
        Err("LOCALAPPDATA is not set"),
    );
}

/// A cache in its own folder.
fn synthetic() -> (TempDir, Environment) {
    let home = tempfile::tempdir().unwrap();
    let variables = [("XDG_CACHE_HOME", home.path().as_os_str())];
    let environment = Environment::synthetic(System::Linux, Path::new("/"), &variables);
    (home, environment)
}

fn opened(environment: &Environment) -> Cache {
    Cache::open(environment).unwrap()
}

/// Stores an index of this size, last used this many seconds after 1970.
fn keep(cache: &Cache, bytes: usize, used_s: u64, max_bytes: u64) {
    let write = |file: &mut File| {
        io::Write::write_all(file, &vec![b' '; bytes])?;
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(used_s))
    };
    cache
        .keep_index(&name_of(used_s), max_bytes, write)
        .unwrap();
}

fn name_of(used_s: u64) -> String {
    format!("a.dtp-{}.index", fingerprint([&used_s.to_le_bytes()[..]]))
}

#[test]
fn least_recently_used_indexes_are_evicted_first() {
    let (_home, environment) = synthetic();
    let cache = opened(&environment);
    let sizes = || {
        let mut entries = contents(&folder(&environment).unwrap()).unwrap().entries;
        entries.retain(|entry| entry.kind == EntryKind::Index);
        entries.sort_by_key(|entry| entry.last_used);
        entries
            .into_iter()
            .map(|entry| entry.size_bytes)
            .collect::<Vec<_>>()
    };
    for (bytes, used_s) in [(400, 10), (300, 30), (200, 20)] {
        keep(&cache, bytes, used_s, 1000);
    }
    assert_eq!(sizes(), [400, 200, 300]);
    // 400 + 200 + 300 + 250 is more than 1,000; without the oldest, it is 750
    keep(&cache, 250, 5, 1000);
    assert_eq!(
        sizes(),
        [250, 200, 300],
        "the one that was just kept stays, whatever its time says"
    );
    keep(&cache, 1001, 40, 1000);
    assert_eq!(sizes(), [250, 200, 300], "too large");
    assert!(cache.index(&name_of(20)).is_some());
    assert_eq!(sizes(), [250, 300, 200], "used is used");
}

#[test]
fn foreign_files_are_left_alone() {
    let (home, environment) = synthetic();
    let folder = folder(&environment).unwrap();
    drop(opened(&environment));
    let hash = "0123456789abcdef0123456789abcdef";
    let ours = [
        format!("helper/{hash}-mono-6.8.log"),
        format!("helper/{hash}-mono-6.8/x.exe"),
        format!("indexes/a.dtp-{hash}.index"),
    ];
    let others = [
        "notes.txt",
        "helper/x.log",
        "helper/notes/y",
        "indexes/a.index",
        "indexes/b.dtp-0123.index",
    ];
    for file in ours.iter().map(String::as_str).chain(others) {
        fs::create_dir_all(folder.join(file).parent().unwrap()).unwrap();
        fs::write(folder.join(file), "1234").unwrap();
    }
    fs::create_dir(folder.join(format!("{SCRATCH}x"))).unwrap();
    #[cfg(unix)]
    {
        let outside = home.path().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::write(outside.join("precious"), "").unwrap();
        for link in [
            format!("helper/{hash}-mono-7"),
            format!("indexes/c.dtp-{hash}.index"),
            format!("{SCRATCH}y"),
        ] {
            std::os::unix::fs::symlink(&outside, folder.join(link)).unwrap();
        }
    }
    let found = contents(&folder).unwrap();
    assert_eq!((found.entries.len(), found.size_bytes()), (4, 12));
    let cleared = clear(&folder).unwrap();
    assert_eq!((cleared.removed.len(), cleared.failed.len()), (4, 0));
    assert!(ours.iter().all(|file| !folder.join(file).exists()));
    assert!(others.iter().all(|file| folder.join(file).exists()));
    #[cfg(unix)]
    assert!(home.path().join("outside/precious").exists() && cleared.foreign_files.len() == 8);
    assert_eq!(
        contents(&folder).unwrap(),
        CacheContents {
            entries: Vec::new(),
            foreign_files: cleared.foreign_files
        }
    );
    assert_eq!(
        clear(&home.path().join("none")).unwrap(),
        ClearedCache::default()
    );
}

#[test]
fn the_cache_is_not_cleared_while_decoding() {
    let (_home, environment) = synthetic();
    let folder = folder(&environment).unwrap();
    let cache = opened(&environment);
    let scratch = cache.scratch().unwrap();
    assert!(
        clear(&folder)
            .unwrap_err()
            .contains("another dotspot is decoding")
    );
    let second = opened(&environment);
    assert!(scratch.path().exists(), "a second one takes nothing away");
    drop((cache, second));
    assert_eq!(clear(&folder).unwrap().removed.len(), 1);
}

#[test]
fn leftovers_of_killed_processes_are_removed() {
    let (_home, environment) = synthetic();
    let left = opened(&environment).scratch().unwrap().keep();
    assert!(left.exists());
    drop(opened(&environment));
    assert!(!left.exists());
}

#[test]
fn a_temporary_folder_is_the_fallback() {
    let cache = opened(&Environment::synthetic(System::Linux, Path::new("/"), &[]));
    assert!(
        !cache.is_lasting()
            && cache
                .warning()
                .unwrap()
                .to_string()
                .contains("neither XDG_CACHE_HOME nor HOME")
    );
    let folder = cache.folder.clone();
    assert!(cache.scratch().unwrap().path().starts_with(&folder));
    drop(cache);
    assert!(!folder.exists());
    let room = tempfile::tempdir().unwrap();
    let variables = [("TMPDIR", room.path().as_os_str())];
    let cache = opened(&Environment::synthetic(
        System::Linux,
        Path::new("/"),
        &variables,
    ));
    assert_eq!(
        cache.folder.parent(),
        Some(room.path()),
        "the machine's folder for temporary files"
    );
    let file = tempfile::NamedTempFile::new().unwrap();
    let variables = [("XDG_CACHE_HOME", file.path().as_os_str())];
    let cache = opened(&Environment::synthetic(
        System::Linux,
        Path::new("/"),
        &variables,
    ));
    assert!(
        cache
            .warning()
            .unwrap()
            .to_string()
            .contains("can't be used"),
        "{:?}",
        cache.warning()
    );
}

#[test]
#[cfg(unix)]
fn a_folder_that_others_can_write_to_is_not_used() {
    use std::os::unix::fs::PermissionsExt;
    for (mode, is_used) in [
        (0o777, false),
        (0o770, false),
        (0o702, false),
        (0o755, true),
        (0o700, true),
    ] {
        let (_home, environment) = synthetic();
        let folder = folder(&environment).unwrap();
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
        let cache = opened(&environment);
        assert_eq!(cache.is_lasting(), is_used, "{mode:o}");
        let now = folder.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(now, if is_used { 0o700 } else { mode });
    }
    let (home, environment) = synthetic();
    let theirs = home.path().join("theirs");
    fs::create_dir(&theirs).unwrap();
    std::os::unix::fs::symlink(&theirs, folder(&environment).unwrap()).unwrap();
    assert!(!opened(&environment).is_lasting(), "a link");
    assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
}
