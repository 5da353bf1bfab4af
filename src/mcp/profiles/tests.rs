use super::*;
use crate::input::{Failure, Stage};
use std::fs;

/// A folder with profiles whose names are their numbers of nodes.
fn folder(nodes: &[usize]) -> (tempfile::TempDir, Folders) {
    let folder = tempfile::tempdir().unwrap();
    for &nodes in nodes {
        let stacks: String = (0..nodes).map(|at| format!("main;m{at} 1\n")).collect();
        fs::write(folder.path().join(format!("{nodes}.folded")), stacks).unwrap();
    }
    let folders = Folders::new(&[folder.path().to_path_buf()]).unwrap();
    (folder, folders)
}

fn names(profiles: &OpenProfiles) -> Vec<String> {
    profiles
        .open
        .lock()
        .iter()
        .map(|open| open.name.clone())
        .collect()
}

#[test]
fn the_least_recently_used_profile_is_closed() {
    let (_folder, folders) = folder(&[1_000, 1_001, 1_002, 9_000]);
    // three of a thousand methods, with 400 bytes plus a node of 36 each
    let profiles = OpenProfiles::new(folders, 1_400_000);
    let open = |name: &str| {
        profiles
            .open(name, Vec::new(), &Progress::default())
            .map(|open| open.view.method_count())
    };
    for name in ["1000.folded", "1001.folded", "1002.folded", "1000.folded"] {
        assert!(open(name).is_ok(), "{name}");
    }
    assert_eq!(
        names(&profiles),
        ["1001.folded", "1002.folded", "1000.folded"]
    );
    let refused = open("9000.folded").unwrap_err();
    assert!(
        refused.starts_with("9000.folded: this profile takes more memory than the 1.4 MB"),
        "{refused}"
    );
    assert_eq!(names(&profiles).len(), 3, "one that is refused closes none");
    let small = OpenProfiles::new(profiles.folders.clone(), 900_000);
    for name in ["1000.folded", "1001.folded", "1002.folded"] {
        assert!(small.open(name, Vec::new(), &Progress::default()).is_ok());
    }
    assert_eq!(names(&small), ["1001.folded", "1002.folded"]);
}

#[test]
fn a_rewritten_file_is_read_again() {
    let (folder, folders) = folder(&[10]);
    let profiles = OpenProfiles::new(folders, 1_000_000);
    let nodes = || {
        profiles
            .open("10.folded", Vec::new(), &Progress::default())
            .unwrap()
            .view
            .node_count()
    };
    let before = nodes();
    let file = folder.path().join("10.folded");
    let known = file.metadata().unwrap();
    fs::write(&file, "main;m 1\n").unwrap();
    assert!(nodes() < before);
    if cfg!(unix) {
        // another file of the same size and time
        let other = folder.path().join("other");
        fs::write(&other, "a;b;cd 1\n").unwrap();
        let time = known.modified().unwrap();
        for path in [&file, &other] {
            let opened = fs::File::options().write(true).open(path).unwrap();
            opened.set_modified(time).unwrap();
        }
        let before = nodes();
        fs::rename(other, file).unwrap();
        assert_ne!(nodes(), before);
    }
}

/// If the program writes `perf-PID.map` after a recording was opened, its frames get names.
#[test]
fn a_profile_is_read_again_when_a_file_next_to_it_changes() {
    let folder = tempfile::tempdir().unwrap();
    let stack = "a 7/8 1.5: 1 cycles:\n\t7f10 [unknown] (/tmp/perf-7.map)\n\n";
    fs::write(folder.path().join("app.perf"), stack).unwrap();
    let profiles = OpenProfiles::new(
        Folders::new(&[folder.path().to_path_buf()]).unwrap(),
        1_000_000,
    );
    let has_name = || {
        let profile = profiles
            .open("app.perf", Vec::new(), &Progress::default())
            .unwrap();
        let mut frames = profile.view.frames.iter();
        frames.any(|(frame, _)| profile.view.frames.name(frame).contains("seven"))
    };
    assert!(!has_name());
    fs::write(folder.path().join("perf-7.map"), "7f10 8 seven").unwrap();
    assert!(has_name());
}

#[test]
fn a_profile_waits_until_another_one_is_read() {
    let (_folder, folders) = folder(&[10]);
    let profiles = OpenProfiles::new(folders, 1_000_000);
    let (progress, cancelled) = (Progress::default(), Progress::default());
    let turn = profiles.wait_for_turn(&progress);
    std::thread::scope(|scope| {
        let next = scope.spawn(|| profiles.wait_for_turn(&progress).is_some());
        let given_up = scope.spawn(|| profiles.wait_for_turn(&cancelled).is_some());
        cancelled.cancel();
        assert!(!given_up.join().unwrap());
        assert!(!next.is_finished());
        drop(turn);
        assert!(next.join().unwrap());
    });
}

#[test]
fn unreadable_snapshots_name_what_would_read_them() {
    #[track_caller]
    fn check(failure: Failure, expect: &str) {
        assert_eq!(sentence("shop/a.dtp", &failure.into()), expect);
    }
    let failure = || {
        Failure::new(
            "/home/me/shop/a.dtp",
            "dotTrace snapshot",
            "is of version 9",
        )
    };
    check(
        failure().stage(Stage::Layout).suggest_doctor(),
        "shop/a.dtp: stage layout: dotTrace snapshot: is of version 9; dotTrace's own software may read it, but this server \
             does not start it: `dotspot doctor` says more",
    );
    check(
        failure().advice("copy it again"),
        "shop/a.dtp: dotTrace snapshot: is of version 9; copy it again",
    );
    check(failure(), "shop/a.dtp: dotTrace snapshot: is of version 9");
    check(
        failure().option_advice("choose one with --member NAME: a, b"),
        "shop/a.dtp: dotTrace snapshot: is of version 9; choose one with `profile` as ARCHIVE.zip/NAME: a, b",
    );
}

#[test]
fn a_cancelled_request_opens_no_profile() {
    let (_folder, folders) = folder(&[10]);
    let profiles = OpenProfiles::new(folders, 1_000_000);
    let progress = Progress::default();
    progress.cancel();
    assert_eq!(
        profiles.open("10.folded", Vec::new(), &progress).err(),
        Some("cancelled".into())
    );
    assert!(names(&profiles).is_empty());
}
