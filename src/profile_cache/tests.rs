use super::*;
use crate::decoders::System;
use crate::importers::import_with;
use crate::input::Input;
use crate::model::testing::recording_of;
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

const BUNDLED: &str = "snapshots/js-ordered-consume.nettrace";

/// The key of any file.
fn key_of(file: &Path) -> IndexKey {
    let decoding = DecoderSettings::new(Environment::synthetic(System::Linux, Path::new("/"), &[]));
    IndexKey::of(file, &ReadOptions::default(), &decoding).unwrap()
}

fn some_named() -> CompletionNames {
    CompletionNames {
        methods: vec![("Load".into(), "main.Load".into())],
        ..CompletionNames::default()
    }
}

fn bytes_of(recording: &Recording) -> Vec<u8> {
    bytes_with(recording, FileStates::default())
}

fn bytes_with(recording: &Recording, neighbors: FileStates) -> Vec<u8> {
    let mut bytes = Vec::new();
    let key = key_of(Path::new(BUNDLED));
    let header = IndexHeader { key, neighbors };
    write_to(
        &mut bytes,
        &|| true,
        &header,
        Some(&some_named()),
        recording,
    )
    .unwrap();
    bytes
}

fn read_with(options: &ReadOptions, file: &Path) -> Recording {
    let input = Input::open(file, Progress::default()).unwrap();
    import_with(input, options, |format, input| {
        (format.read)(input, options)
    })
    .unwrap()
}

/// Files of all kinds: recordings with samples and repaired stacks, snapshots with offsets and stored hotspots,
/// reports.
#[test]
fn recordings_round_trip() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = fs::read_dir(folder.join("snapshots"))
        .unwrap()
        .map(|item| item.unwrap().path());
    let files: Vec<PathBuf> = files
        .filter(|path| {
            let kind = path.extension().and_then(|kind| kind.to_str());
            !["md", "toml", "rs"].map(Some).contains(&kind)
        })
        .collect();
    assert!(!files.is_empty());
    for file in &files {
        let recording = read_with(&ReadOptions::default(), file);
        let bytes = bytes_of(&recording);
        let again = read_index(&bytes[..], &|| true, &key_of(Path::new(BUNDLED)));
        let again = again.unwrap().unwrap();
        assert!(bytes_of(&again) == bytes, "{}", file.display());
        let find = |recording: &Recording| {
            recording
                .frames
                .iter()
                .map(|(id, _)| recording.frames.key(id))
                .collect::<Vec<_>>()
        };
        for (index, key) in find(&recording).iter().enumerate() {
            let id = crate::model::FrameId::at(index);
            assert_eq!(
                again.frames.with_key(key),
                recording.frames.with_key(key),
                "{}",
                again.frames.name(id)
            );
        }
    }
}

#[test]
fn names_are_read_without_reading_the_recording() {
    let bytes = bytes_of(&recording_of("main;Load;Parse 3"));
    let key = key_of(Path::new(BUNDLED));
    assert_eq!(read_names(&bytes[..], &key), Some(some_named()));
    let other = key_of(Path::new("Cargo.toml"));
    assert_eq!(read_names(&bytes[..], &other), None);
    let mut damaged = bytes;
    damaged[20] ^= 1;
    assert_eq!(read_names(&damaged[..], &key), None);
}

#[test]
fn damaged_indexes_are_never_read() {
    let bytes = bytes_of(&recording_of("main;Load;Parse 3|main;Run 5"));
    let key = key_of(Path::new(BUNDLED));
    let read = |bytes: &[u8]| read_index(bytes, &|| true, &key);
    assert!(read(&bytes).unwrap().is_some());
    for bit in 0..bytes.len() * 8 {
        let mut damaged = bytes.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        assert!(read(&damaged).is_err(), "bit {bit}");
    }
    for end in 0..bytes.len() {
        assert!(read(&bytes[..end]).is_err(), "end {end}");
    }
    assert!(
        read(&[&bytes[..], &[0; 8]].concat()).is_ok_and(|read| read.is_some()),
        "what follows the end is not read"
    );
}

/// A cache in its own folder, and a profile.
struct Room {
    home: TempDir,
    file: PathBuf,
    index_cache: ProfileCache,
}

impl Room {
    fn new(variable: &str) -> Room {
        Room::with(variable, |_, _| Some(some_named()))
    }

    fn with(variable: &str, named: FindNames) -> Room {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a.nettrace");
        fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(BUNDLED), &file).unwrap();
        let variables = [
            ("XDG_CACHE_HOME", home.path().as_os_str()),
            (VARIABLE, variable.as_ref()),
        ];
        let environment = Environment::synthetic(System::Linux, Path::new("/"), &variables);
        let index_cache = ProfileCache::new(&environment, named);
        Room {
            home,
            file,
            index_cache,
        }
    }

    /// Looks up the profile, and stores it if it is missing. Returns whether it was found.
    fn ask(&self, reading: &ReadOptions) -> bool {
        let decoding =
            DecoderSettings::new(Environment::synthetic(System::Linux, Path::new("/"), &[]));
        let lookup = CacheLookup {
            file: &self.file,
            reading,
            decoding: &decoding,
        };
        match self.index_cache.find(&lookup, &Progress::default()) {
            Ok(found) => {
                assert!(bytes_of(&found) == bytes_of(&read_with(reading, &self.file)));
                true
            }
            Err(unread) => {
                let recording = read_with(reading, &self.file);
                unread.into_iter().for_each(|unread| {
                    self.index_cache
                        .keep(&lookup, unread, &recording, FileStates::default())
                });
                let index_writer = self.index_cache.0.as_ref();
                let writers = index_writer
                    .map(|index_writer| std::mem::take(&mut *index_writer.writers.lock()));
                writers
                    .into_iter()
                    .flatten()
                    .for_each(|writer| writer.join().unwrap());
                false
            }
        }
    }

    fn indexes(&self) -> Vec<PathBuf> {
        let list = fs::read_dir(self.home.path().join("dotspot/indexes"));
        list.into_iter()
            .flatten()
            .map(|item| item.unwrap().path())
            .collect()
    }
}

#[test]
fn an_index_is_specific_to_file_and_options() {
    let room = Room::new("always");
    let plain = ReadOptions::default();
    assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
    let other = ReadOptions {
        format: crate::importers::FORMATS
            .iter()
            .find(|format| format.name == "nettrace"),
        ..ReadOptions::default()
    };
    assert_eq!([room.ask(&other), room.ask(&other)], [false, true]);
    assert_eq!(room.indexes().len(), 2);
    let time = room.file.metadata().unwrap().modified().unwrap();
    let touch = |time| {
        File::options()
            .write(true)
            .open(&room.file)
            .unwrap()
            .set_modified(time)
            .unwrap()
    };
    touch(time + Duration::from_secs(1));
    assert!(!room.ask(&plain), "touched");
    // the change time, which programs can't set, reveals on Unix that it was touched; on other systems, its bytes could
    // be the same
    touch(time);
    assert_eq!(room.ask(&plain), cfg!(not(unix)), "its original time");
    assert!(room.ask(&plain));
    let mut bytes = fs::read(&room.file).unwrap();
    bytes.pop();
    fs::write(&room.file, bytes).unwrap();
    touch(time);
    assert!(!room.ask(&plain), "another size");
}

#[cfg(unix)]
#[test]
fn a_change_in_the_middle_is_detected_despite_an_old_timestamp() {
    let room = Room::new("always");
    let plain = ReadOptions::default();
    assert!(!room.ask(&plain));
    let time = room.file.metadata().unwrap().modified().unwrap();
    let mut bytes = fs::read(&room.file).unwrap();
    let middle = bytes.len() / 2;
    assert!(middle > 70_000, "neither head nor tail");
    bytes[middle] ^= 1;
    fs::write(&room.file, bytes).unwrap();
    File::options()
        .write(true)
        .open(&room.file)
        .unwrap()
        .set_modified(time)
        .unwrap();
    assert!(!room.ask(&plain));
}

#[cfg(unix)]
#[test]
fn only_regular_files_are_indexes() {
    let room = Room::new("always");
    let plain = ReadOptions::default();
    assert!(!room.ask(&plain));
    let index = room.indexes().remove(0);
    fs::remove_file(&index).unwrap();
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&index)
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(
        [room.ask(&plain), room.ask(&plain)],
        [false, true],
        "the pipe gives way"
    );
}

#[test]
fn no_index_is_written_if_neighboring_files_changed() {
    let room = Room::new("always");
    let reading = ReadOptions::default();
    let decoding = DecoderSettings::new(Environment::synthetic(System::Linux, Path::new("/"), &[]));
    let lookup = CacheLookup {
        file: &room.file,
        reading: &reading,
        decoding: &decoding,
    };
    let unread = room
        .index_cache
        .find(&lookup, &Progress::default())
        .unwrap_err()
        .unwrap();
    let recording = read_with(&reading, &room.file);
    let map = room.home.path().join("perf-1.map");
    let neighbors = FileStates::of([map.clone()]);
    fs::write(map, "1 1 x").unwrap();
    room.index_cache
        .keep(&lookup, unread, &recording, neighbors);
    assert!(
        room.index_cache
            .0
            .as_ref()
            .unwrap()
            .writers
            .lock()
            .is_empty()
    );
    assert_eq!(room.indexes().len(), 0);
}

/// An index is useful without names, and quitting waits for neither.
#[test]
fn slow_names_are_left_out() {
    let reading = ReadOptions::default();
    let decoding = DecoderSettings::new(Environment::synthetic(System::Linux, Path::new("/"), &[]));
    let named_in = |room: &Room| {
        room.index_cache.named(&CacheLookup {
            file: &room.file,
            reading: &reading,
            decoding: &decoding,
        })
    };
    let room = Room::new("always");
    assert!(!room.ask(&reading));
    assert_eq!(named_in(&room), Some(some_named()));
    let endless: FindNames = |_, may_continue| {
        while may_continue() {
            std::thread::sleep(Duration::from_millis(1));
        }
        None
    };
    let mut room = Room::with("always", endless);
    let index_writer = room.index_cache.0.as_mut().and_then(Arc::get_mut);
    index_writer.unwrap().min_write_time = Duration::from_secs(3);
    assert_eq!([room.ask(&reading), room.ask(&reading)], [false, true]);
    assert_eq!(named_in(&room), None);
    let room = Room::with("always", endless);
    room.index_cache.abandon();
    assert_eq!([room.ask(&reading), room.ask(&reading)], [false, false]);
}

/// Sample times are left out on reading, so that the explorer's index serves every command.
#[test]
fn an_index_with_samples_serves_requests_without_them() {
    let room = Room::new("always");
    assert!(!room.ask(&ReadOptions::default()));
    assert!(room.ask(&ReadOptions::default()));
    assert_eq!(room.indexes().len(), 1);
}

#[test]
fn damaged_indexes_are_ignored_and_rebuilt() {
    let room = Room::new("always");
    let plain = ReadOptions::default();
    assert!(!room.ask(&plain));
    let index = room.indexes().remove(0);
    let mut bytes = fs::read(&index).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&index, bytes).unwrap();
    assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
}

#[test]
fn changed_neighboring_files_invalidate_the_index() {
    let room = Room::new("always");
    let map = room.home.path().join("perf-1.map");
    let index = bytes_with(&recording_of("main 1"), FileStates::of([map.clone()]));
    let is_taken = || {
        let read = read_index(&index[..], &|| true, &key_of(Path::new(BUNDLED)));
        read.unwrap().is_some()
    };
    assert!(is_taken());
    fs::write(map, "").unwrap();
    assert!(!is_taken());
}

/// An index copied to another file's name, or with another one's hash, is not used.
#[test]
fn an_index_of_another_file_is_not_used() {
    let room = Room::new("always");
    let plain = ReadOptions::default();
    assert!(!room.ask(&plain));
    let of_first = room.indexes().remove(0);
    let bytes = fs::read(&of_first).unwrap();
    // another file in its place: the same profile minus one byte
    let mut profile = fs::read(&room.file).unwrap();
    profile.pop();
    fs::write(&room.file, profile).unwrap();
    assert!(!room.ask(&plain));
    let mut others = room.indexes();
    others.retain(|index| *index != of_first);
    fs::write(&others[0], bytes).unwrap();
    assert_eq!([room.ask(&plain), room.ask(&plain)], [false, true]);
}

#[test]
fn small_or_quickly_read_files_get_no_index() {
    let plain = ReadOptions::default();
    for variable in ["off", "on", ""] {
        // 2.3 MB are read in less than 0.1 s, unless a machine is very busy; then they may be kept
        let room = Room::new(variable);
        let before = Instant::now();
        let found = [room.ask(&plain), room.ask(&plain)];
        let is_slow = before.elapsed() >= SLOW && variable != "off";
        assert!(
            is_slow || (found, room.indexes().len()) == ([false, false], 0),
            "{variable:?}"
        );
    }
    let room = Room::new("on");
    let profile = fs::File::options().append(true).open(&room.file).unwrap();
    profile.set_len(LARGE_BYTES + 1).unwrap();
    assert_eq!(
        [room.ask(&plain), room.ask(&plain)],
        [false, true],
        "large, however quick"
    );
    fs::write(&room.file, "main;Run 1\n").unwrap();
    let decoding = DecoderSettings::new(Environment::here());
    let lookup = CacheLookup {
        file: &room.file,
        reading: &plain,
        decoding: &decoding,
    };
    assert!(
        room.index_cache
            .find(&lookup, &Progress::default())
            .is_err_and(|unread| unread.is_none())
    );
}
