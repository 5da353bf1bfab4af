//! The cache in the user's cache folder: the built helper, decoded trees, and indexes of large profiles.
//!
//! | path | content |
//! |---|---|
//! | `lock` | empty; locked shared while decoding, exclusively while clearing |
//! | `helper/HASH-TOOLCHAIN/` | a helper built from the sources with this hash |
//! | `helper/HASH-TOOLCHAIN.log` | the compiler's output |
//! | `helper/HASH-TOOLCHAIN.lock` | empty; locked while building |
//! | `trees/NAME-HASH.json` | the call tree of the snapshot with this name and file identity |
//! | `trees/NAME-HASH.library` | the library that read it: its path, size and time |
//! | `indexes/NAME-HASH.index` | the stored result of reading the profile with this name, see `kept` |
//! | `scratch-…/` | entries under construction |
//!
//! Files with other names are not ours and left alone. Entries get their final name once they are complete. Trees and
//! indexes are evicted when the cache grows too large, helpers after 30 days without use.
//!
//! The content is trusted and executed, so the folder is private. A folder that other users can write to is not used.

mod contents;
mod key;
mod layout;
mod library;
mod private;

pub(super) use contents::touch;
pub use contents::{CacheContents, CacheEntry, Cleared, EntryKind, clear, contents};
pub(super) use key::TreeKey;
pub(crate) use key::{fingerprint, plain_char};
pub(super) use layout::open_lock;
pub(super) use library::Library;

use super::{Environment, System};
use crate::decoders::messages;
use crate::diagnostics::DecodingDiagnostic;
use crate::input::{Failure, ImportError, Progress, Stage, plain};
use layout::{HELPER, INDEXES, LOCK, TREES, scratch_in};
use private::{make_folder, make_private};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// How many bytes of decoded trees and indexes are kept; those that were not used for longest go first.
pub const MAX_KEPT_BYTES: u64 = 2_000_000_000;

/// How long a built helper is kept that nobody uses. A new version of dotspot, or of the toolchain, has one of its own.
const HELPER_LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
/// How long another process may clear the cache.
const CLEARING_LIMIT: Duration = Duration::from_secs(10);
/// How often a lock is asked for that someone else holds.
const ASK_AGAIN: Duration = Duration::from_millis(20);

/// Where this machine's user has dotspot's cache; it need not exist.
///
/// # Errors
/// A sentence that says which environment variables are missing.
pub fn folder(environment: &Environment) -> Result<PathBuf, String> {
    let (folder, missing) = match environment.system {
        System::Windows => (
            environment.folder("LOCALAPPDATA"),
            messages::LOCALAPPDATA_NOT_SET,
        ),
        System::MacOs => (
            environment.home().map(|home| home.join("Library/Caches")),
            messages::HOME_NOT_SET,
        ),
        System::Linux => {
            let named = environment.folder("XDG_CACHE_HOME");
            let folder = named.or_else(|| environment.home().map(|home| home.join(".cache")));
            (folder, messages::NO_CACHE_VARIABLE)
        }
    };
    folder
        .map(|folder| folder.join("dotspot"))
        .ok_or_else(|| missing.to_string())
}

/// Why nothing can be kept in the cache folder, which need not exist; nothing is made there.
pub fn why_not_writable(folder: &Path) -> Option<String> {
    let there = folder.ancestors().find(|folder| folder.exists())?;
    let error = tempfile::tempfile_in(there).err()?;
    Some(messages::cache_unusable(&plain(&error)))
}

/// Where this machine's user has built helpers, if there is a cache.
pub(super) fn helper_folder(environment: &Environment) -> Option<PathBuf> {
    folder(environment).ok().map(|folder| folder.join(HELPER))
}

/// The cache while something is decoded. Nobody clears it meanwhile.
pub struct Cache {
    folder: PathBuf,
    /// Held until the cache is dropped.
    _lock: Option<File>,
    /// The folder itself where the user's can't be used.
    temporary: Option<TempDir>,
    complaint: Option<DecodingDiagnostic>,
}

impl Cache {
    /// Opens the user's cache and makes it if need be. Where that can't be, a temporary folder serves, which is removed in
    /// the end.
    ///
    /// # Errors
    /// Stage output, if there is no temporary folder either; a wish to stop.
    pub fn open(environment: &Environment, progress: &Progress) -> Result<Cache, ImportError> {
        let reason = match folder(environment) {
            Ok(folder) => match prepare(&folder, progress)? {
                Ok(lock) => {
                    return Ok(Cache {
                        folder,
                        _lock: lock,
                        temporary: None,
                        complaint: None,
                    });
                }
                Err(problem) => messages::cant_use_cache_folder(&folder.display(), &problem),
            },
            Err(missing) => messages::no_cache_folder(&missing),
        };
        let temporary = tempfile::Builder::new()
            .prefix("dotspot-")
            .tempdir_in(environment.temporary_folder());
        let temporary = temporary.map_err(|error| {
            let problem = messages::no_temporary_folder_either(&reason, &plain(&error));
            Failure::new("decoder assemblies", "", problem)
                .advice(messages::SET_TMPDIR)
                .stage(Stage::Output)
        })?;
        let folder = temporary.path().to_path_buf();
        let complaint = DecodingDiagnostic::CacheUnusable { reason };
        Ok(Cache {
            folder,
            _lock: None,
            temporary: Some(temporary),
            complaint: Some(complaint),
        })
    }

    /// Why nothing is kept, if that is so.
    pub fn complaint(&self) -> Option<&DecodingDiagnostic> {
        self.complaint.as_ref()
    }

    /// Whether what is put here stays.
    pub fn is_lasting(&self) -> bool {
        self.temporary.is_none()
    }

    /// A folder for what is not whole yet. It goes when it is dropped or, if the process is killed, the next time.
    pub(super) fn scratch(&self) -> io::Result<TempDir> {
        scratch_in(&self.folder)
    }

    /// The folder of built helpers, which is made if need be.
    pub(super) fn helpers(&self) -> io::Result<PathBuf> {
        make_folder(self.folder.join(HELPER))
    }

    /// The decoded tree with this key, if it was kept, and if the library that read it has not changed since. It counts as
    /// used now.
    pub(super) fn tree(&self, key: &TreeKey) -> Option<PathBuf> {
        let path = self.folder.join(TREES).join(key.file_name());
        if Library::noted(&path).is_some_and(|library| library.has_changed()) {
            return None;
        }
        if let Ok(file) = File::options().write(true).open(&path) {
            touch(&file);
        }
        path.is_file().then_some(path)
    }

    pub(super) fn forget(tree: &Path) {
        // one that can't be removed is read again next time, with the same result
        let _ = contents::remove(tree);
    }

    /// Keeps a decoded tree that lies in a scratch folder, with what is known of the library that read it, and forgets others so
    /// that all take no more than `max_bytes`.
    pub(super) fn keep_tree(
        &self,
        key: &TreeKey,
        tree: &Path,
        library: Option<&Library>,
        max_bytes: u64,
    ) -> io::Result<CacheOutcome> {
        if tree.metadata()?.len() > max_bytes {
            return Ok(CacheOutcome::TooLarge);
        }
        let trees = make_folder(self.folder.join(TREES))?;
        let path = trees.join(key.file_name());
        if path.symlink_metadata().is_ok() {
            // an old tree must not pass for one of the new library
            contents::remove(&path)?;
        }
        if let Some(library) = library {
            let note = tree.with_extension(library::EXTENSION);
            library.write(&note)?;
            fs::rename(note, path.with_extension(library::EXTENSION))?;
        }
        fs::rename(tree, &path)?;
        contents::forget_oldest(&self.folder, &path, max_bytes);
        Ok(CacheOutcome::Yes)
    }

    /// The index of this name, if it was kept. It counts as used now.
    pub(crate) fn index(&self, name: &str) -> Option<File> {
        let path = self.folder.join(INDEXES).join(name);
        // another thing of this name, such as a pipe, could be waited for without end
        let is_file = path.metadata().is_ok_and(|known| known.is_file());
        let file = is_file.then(|| File::options().read(true).write(true).open(path).ok())??;
        touch(&file);
        Some(file)
    }

    pub(crate) fn forget_index(&self, name: &str) {
        // one that can't be removed is found damaged again next time
        let _ = contents::remove(&self.folder.join(INDEXES).join(name));
    }

    /// Keeps an index under a name, in place of the one that was there, once `write` has written it; forgets trees and others so
    /// that all take no more than `max_bytes`.
    ///
    /// # Errors
    /// Those of `write`, and of the file system; nothing is kept then.
    pub(crate) fn keep_index(
        &self,
        name: &str,
        max_bytes: u64,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let scratch = self.scratch()?;
        let whole = scratch.path().join(name);
        write(&mut File::options().write(true).create_new(true).open(&whole)?)?;
        if whole.metadata()?.len() > max_bytes {
            return Ok(());
        }
        let path = make_folder(self.folder.join(INDEXES))?.join(name);
        fs::rename(whole, &path)?;
        contents::forget_oldest(&self.folder, &path, max_bytes);
        Ok(())
    }
}

/// What became of a tree that was to be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CacheOutcome {
    Yes,
    /// It takes more bytes than all trees may.
    TooLarge,
}

/// Makes the folder and checks that it is the user's alone; gives the lock, or why the folder can't be used. File systems that have
/// no locks do without.
fn prepare(
    folder: &Path,
    progress: &Progress,
) -> Result<Result<Option<File>, String>, ImportError> {
    let lock = match make_private(folder).and_then(|()| open_lock(&folder.join(LOCK))) {
        Ok(lock) => lock,
        Err(error) => return Ok(Err(plain(&error))),
    };
    if lock.try_lock().is_ok() {
        // nobody else decodes, so what is left over is of processes that were killed
        contents::remove_scratch(folder);
        contents::forget_helpers(folder, SystemTime::now(), HELPER_LIFE);
        let _ = lock.unlock();
    }
    Ok(
        match hold(|| lock.try_lock_shared(), CLEARING_LIMIT, progress)? {
            Held::Yes => Ok(Some(lock)),
            Held::No => Ok(None),
            Held::BySomeoneElse => Err(messages::ANOTHER_DOTSPOT_CLEARING.into()),
        },
    )
}

/// What came of asking for a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Held {
    Yes,
    /// The file system has no locks.
    No,
    /// Someone else has held it all the time.
    BySomeoneElse,
}

/// Asks for a lock until it is there, for as long as `limit`.
pub(super) fn hold(
    ask: impl Fn() -> Result<(), TryLockError>,
    limit: Duration,
    progress: &Progress,
) -> Result<Held, ImportError> {
    let start = Instant::now();
    loop {
        match ask() {
            Ok(()) => return Ok(Held::Yes),
            Err(TryLockError::Error(_)) => return Ok(Held::No),
            Err(TryLockError::WouldBlock) if start.elapsed() >= limit => {
                return Ok(Held::BySomeoneElse);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(ASK_AGAIN),
        }
        progress.go_on()?;
    }
}

#[cfg(test)]
mod tests {
    use super::layout::SCRATCH;
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn the_folder_is_where_the_system_keeps_caches() {
        #[track_caller]
        fn check(system: System, variables: &[(&str, &str)], expect: Result<&str, &str>) {
            let variables: Vec<(&str, &OsStr)> = variables
                .iter()
                .map(|(name, value)| (*name, value.as_ref()))
                .collect();
            let environment = Environment::made_up(system, Path::new("/"), &variables);
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
        // the XDG specification: relative paths are invalid and are passed over
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

    /// A cache in a folder of its own.
    fn made_up() -> (TempDir, Environment) {
        let home = tempfile::tempdir().unwrap();
        let variables = [("XDG_CACHE_HOME", home.path().as_os_str())];
        let environment = Environment::made_up(System::Linux, Path::new("/"), &variables);
        (home, environment)
    }

    fn opened(environment: &Environment) -> Cache {
        Cache::open(environment, &Progress::default()).unwrap()
    }

    /// Keeps a tree of so many bytes, last used so many seconds after 1970.
    fn keep(
        cache: &Cache,
        snapshot: &Path,
        bytes: usize,
        used_s: u64,
        max_bytes: u64,
    ) -> CacheOutcome {
        let key = TreeKey::of(snapshot, &[&used_s.to_le_bytes()]).unwrap();
        let scratch = cache.scratch().unwrap();
        let tree = scratch.path().join("tree.json");
        fs::write(&tree, vec![b' '; bytes]).unwrap();
        let used = SystemTime::UNIX_EPOCH + Duration::from_secs(used_s);
        File::options()
            .write(true)
            .open(&tree)
            .unwrap()
            .set_modified(used)
            .unwrap();
        cache.keep_tree(&key, &tree, None, max_bytes).unwrap()
    }

    #[test]
    fn trees_that_were_not_used_for_longest_go_first() {
        let (home, environment) = made_up();
        let snapshot = home.path().join("a.dtp");
        fs::write(&snapshot, "MFDTPF").unwrap();
        let cache = opened(&environment);
        let sizes = || {
            let mut entries = contents(&folder(&environment).unwrap()).unwrap().entries;
            entries.retain(|entry| entry.kind == EntryKind::Tree);
            entries.sort_by_key(|entry| entry.used);
            entries
                .into_iter()
                .map(|entry| entry.size_bytes)
                .collect::<Vec<_>>()
        };
        for (bytes, used_s) in [(400, 10), (300, 30), (200, 20)] {
            assert_eq!(
                keep(&cache, &snapshot, bytes, used_s, 1000),
                CacheOutcome::Yes
            );
        }
        assert_eq!(sizes(), [400, 200, 300]);
        // 400 + 200 + 300 + 250 is more than 1,000; without the oldest it is 750
        assert_eq!(keep(&cache, &snapshot, 250, 5, 1000), CacheOutcome::Yes);
        assert_eq!(
            sizes(),
            [250, 200, 300],
            "the one that was just kept stays, whatever its time says"
        );
        assert_eq!(
            keep(&cache, &snapshot, 1001, 40, 1000),
            CacheOutcome::TooLarge
        );
        assert_eq!(sizes(), [250, 200, 300]);
        let key = TreeKey::of(&snapshot, &[&20u64.to_le_bytes()]).unwrap();
        assert!(cache.tree(&key).is_some());
        assert_eq!(sizes(), [250, 300, 200], "used is used");
    }

    #[test]
    fn what_is_not_ours_is_left_alone() {
        let (home, environment) = made_up();
        let folder = folder(&environment).unwrap();
        drop(opened(&environment));
        let hash = "0123456789abcdef0123456789abcdef";
        let ours = [
            format!("helper/{hash}-mono-6.8.log"),
            format!("helper/{hash}-mono-6.8/x.exe"),
            format!("trees/a.dtp-{hash}.json"),
        ];
        let others = [
            "notes.txt",
            "helper/x.log",
            "helper/notes/y",
            "trees/a.json",
            "trees/b.dtp-0123.json",
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
                format!("trees/c.dtp-{hash}.json"),
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
        assert!(home.path().join("outside/precious").exists() && cleared.strangers.len() == 8);
        assert_eq!(
            contents(&folder).unwrap(),
            CacheContents {
                entries: Vec::new(),
                strangers: cleared.strangers
            }
        );
        assert_eq!(
            clear(&home.path().join("none")).unwrap(),
            Cleared::default()
        );
    }

    #[test]
    fn nobody_clears_while_someone_decodes() {
        let (_home, environment) = made_up();
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
    fn what_a_killed_process_left_goes_the_next_time() {
        let (_home, environment) = made_up();
        let left = opened(&environment).scratch().unwrap().keep();
        assert!(left.exists());
        drop(opened(&environment));
        assert!(!left.exists());
    }

    #[test]
    fn waiting_for_a_lock_has_an_end() {
        let busy = || Err(TryLockError::WouldBlock);
        let progress = Progress::default();
        assert_eq!(
            hold(busy, Duration::from_millis(50), &progress).unwrap(),
            Held::BySomeoneElse
        );
        assert_eq!(
            hold(|| Ok(()), Duration::ZERO, &progress).unwrap(),
            Held::Yes
        );
        let none = || {
            Err(TryLockError::Error(io::Error::from(
                io::ErrorKind::Unsupported,
            )))
        };
        assert_eq!(hold(none, Duration::ZERO, &progress).unwrap(), Held::No);
        progress.cancel();
        assert_eq!(
            hold(busy, Duration::from_secs(600), &progress).unwrap_err(),
            ImportError::Cancelled
        );
    }

    #[test]
    fn without_a_folder_a_temporary_one_serves() {
        let cache = opened(&Environment::made_up(System::Linux, Path::new("/"), &[]));
        assert!(
            !cache.is_lasting()
                && cache
                    .complaint()
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
        let cache = opened(&Environment::made_up(
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
        let cache = opened(&Environment::made_up(
            System::Linux,
            Path::new("/"),
            &variables,
        ));
        assert!(
            cache
                .complaint()
                .unwrap()
                .to_string()
                .contains("can't be used"),
            "{:?}",
            cache.complaint()
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
            let (_home, environment) = made_up();
            let folder = folder(&environment).unwrap();
            fs::create_dir_all(&folder).unwrap();
            fs::set_permissions(&folder, fs::Permissions::from_mode(mode)).unwrap();
            let cache = opened(&environment);
            assert_eq!(cache.is_lasting(), is_used, "{mode:o}");
            let now = folder.metadata().unwrap().permissions().mode() & 0o777;
            assert_eq!(now, if is_used { 0o700 } else { mode });
        }
        let (home, environment) = made_up();
        let theirs = home.path().join("theirs");
        fs::create_dir(&theirs).unwrap();
        std::os::unix::fs::symlink(&theirs, folder(&environment).unwrap()).unwrap();
        assert!(!opened(&environment).is_lasting(), "a link");
        assert_eq!(fs::read_dir(&theirs).unwrap().count(), 0);
    }

    #[test]
    #[cfg(unix)]
    fn helpers_that_nobody_uses_are_forgotten() {
        let (_home, environment) = made_up();
        let folder = folder(&environment).unwrap();
        let helpers = opened(&environment).helpers().unwrap();
        let now = SystemTime::now();
        let day = Duration::from_secs(24 * 3600);
        let name = |which: u8| format!("{which:032x}-mono-6.8.0");
        // built 40 days ago, and used so many days ago
        for (which, used_days) in [(1, 40), (2, 31), (3, 29), (4, 0)] {
            fs::create_dir(helpers.join(name(which))).unwrap();
            for (extension, days) in [("log", 40), ("lock", used_days)] {
                let file =
                    File::create(helpers.join(format!("{}.{extension}", name(which)))).unwrap();
                file.set_modified(now - day * days).unwrap();
            }
            let time = now - day * 40;
            File::open(helpers.join(name(which)))
                .unwrap()
                .set_modified(time)
                .unwrap();
        }
        fs::write(helpers.join("notes"), "").unwrap();
        contents::forget_helpers(&folder, now, HELPER_LIFE);
        let left = |which: u8| {
            ["", ".log", ".lock"]
                .map(|end| helpers.join(format!("{}{end}", name(which))).exists())
                .iter()
                .all(|is| *is)
        };
        let gone = |which: u8| {
            ["", ".log", ".lock"]
                .map(|end| helpers.join(format!("{}{end}", name(which))).exists())
                .iter()
                .all(|is| !*is)
        };
        assert!(gone(1) && gone(2));
        assert!(left(3) && left(4) && helpers.join("notes").exists());
        contents::forget_helpers(&folder, now + day * 30, HELPER_LIFE);
        assert!(left(4) && gone(3));
    }

    #[test]
    fn a_tree_stands_as_long_as_its_library() {
        let (home, environment) = made_up();
        let cache = opened(&environment);
        let (snapshot, dll) = (home.path().join("a.dtp"), home.path().join("a.dll"));
        fs::write(&snapshot, "MFDTPF").unwrap();
        fs::write(&dll, "1").unwrap();
        let key = TreeKey::of(&snapshot, &[]).unwrap();
        let keep = |library: Option<&Library>| {
            let scratch = cache.scratch().unwrap();
            fs::write(scratch.path().join("tree.json"), "{}").unwrap();
            cache
                .keep_tree(&key, &scratch.path().join("tree.json"), library, 100)
                .unwrap();
        };
        keep(Library::of(&dll).as_ref());
        assert!(cache.tree(&key).is_some(), "as it was");
        fs::write(&dll, "12").unwrap();
        assert!(cache.tree(&key).is_none(), "an update");
        keep(Library::of(&dll).as_ref());
        assert!(cache.tree(&key).is_some(), "read anew");
        fs::remove_file(&dll).unwrap();
        assert!(cache.tree(&key).is_some(), "no install is needed");
        assert_eq!(Library::of(&dll), None);
        fs::write(&dll, "123").unwrap();
        keep(None);
        assert!(
            cache.tree(&key).is_some(),
            "an older note says nothing of a newer tree"
        );
        let found = contents(&folder(&environment).unwrap()).unwrap();
        assert_eq!((found.entries.len(), found.strangers.len()), (1, 0));
        keep(Library::of(&dll).as_ref());
        let found = contents(&folder(&environment).unwrap()).unwrap();
        assert_eq!(
            (found.entries.len(), found.strangers.len()),
            (1, 0),
            "a tree and its note are one entry"
        );
        drop(cache);
        assert_eq!(
            clear(&folder(&environment).unwrap()).unwrap().removed.len(),
            1
        );
        assert!(
            !folder(&environment).unwrap().join(TREES).exists(),
            "the note is gone too"
        );
    }
}
