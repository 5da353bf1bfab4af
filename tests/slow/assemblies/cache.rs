//! The cache of decoded trees and of the built helper.

use super::machine::{BUILDS, Machine, Run, WRITES_TREE, touch};
use crate::common::text::{assert_contains, assert_contains_all, assert_lacks, assert_starts_with};
use std::fs;
use std::os::unix::fs::PermissionsExt;

fn machine() -> Machine {
    Machine::with_mono(BUILDS, WRITES_TREE)
}

/// How often the helper was built and run.
fn counts(machine: &Machine) -> (usize, usize) {
    (machine.calls("mcs").len(), machine.decodings())
}

#[test]
fn a_snapshot_is_decoded_once() {
    let machine = Machine::with_mono(
        &format!("ls -A > \"$HERE/build.files\"; {BUILDS}"),
        WRITES_TREE,
    );
    assert_eq!(machine.assert_decodes(&[]), "dotspot: warning: as told\n");
    assert_eq!(counts(&machine), (1, 1));
    // mcs was given every source file
    let call = machine.calls("mcs").remove(0);
    assert_starts_with(&call, "-langversion:7 ");
    let files = fs::read_to_string(machine.path("build.files")).unwrap();
    let sources = |words: &str| {
        words
            .split_whitespace()
            .filter(|it| it.ends_with(".cs"))
            .count()
    };
    assert!(
        sources(&call) > 20 && sources(&call) == sources(&files),
        "{call}"
    );
    // nothing needed for decoding is required any more
    fs::remove_dir_all(machine.path("bin")).unwrap();
    assert_eq!(machine.assert_decodes(&[]), "dotspot: warning: as told\n");
    assert_eq!(machine.trees().len(), 1);
    let run = machine.dotspot(&["info", "snap.dtp", "--decoder", "assemblies", "--json"]);
    let words = [
        "\"file\": \"snap.dtp\"",
        "\"format\": \"dtp\"",
        "\"kind\": \"unknown\"",
        "dotspot-dtp 9.9, Stand-in 1.2",
    ];
    assert_contains_all(&run.out, &words);
    assert_lacks(&run.out, "elsewhere");
    let cache = machine.path("cache/dotspot").metadata().unwrap();
    assert_eq!(cache.permissions().mode() & 0o777, 0o700);
}

#[test]
fn anything_that_may_change_the_tree_causes_another_decoding() {
    let machine = machine();
    let mut runs = 0;
    let mut check = |what: &str, args: &[&str], is_new: bool| {
        machine.assert_decodes(args);
        runs += usize::from(is_new);
        assert_eq!(counts(&machine), (1, runs), "{what}");
    };
    check("the first time", &[], true);
    touch(&machine.path("snap.dtp.0000"), 5);
    check("a section was touched", &[], true);
    check("and read again", &[], false);
    fs::write(machine.path("snap.dtp.0001"), "").unwrap();
    check("a section came", &[], true);
    fs::write(machine.path("snap.dtp.State"), "").unwrap();
    check("dotTrace's window was closed", &[], false);
    check("another install", &["--dottrace-dir", "home"], true);
    check("the same install", &["--dottrace-dir", "home"], false);
    check("as the user wants", &["--no-cache"], true);
    assert_eq!(machine.trees().len(), 4);
    for damage in ["", "{}", "\u{0}\u{0}\u{0}"] {
        let machine = self::machine();
        machine.assert_decodes(&[]);
        let tree = machine.trees().remove(0);
        let complete = fs::read(&tree).unwrap();
        fs::write(&tree, damage).unwrap();
        machine.assert_decodes(&[]);
        assert_eq!(counts(&machine), (1, 2), "{damage:?}");
        assert_eq!(fs::read(&tree).unwrap(), complete);
    }
}

#[test]
fn several_processes_may_build_at_once() {
    let machine = Machine::with_mono("sleep 1\n: > out/dotspot-dtp.exe", WRITES_TREE);
    let args = ["hotspots", "snap.dtp", "--decoder", "assemblies"];
    let children = [(); 3].map(|()| machine.start(&args));
    for child in children {
        let run = Run::from(child.wait_with_output().unwrap());
        assert_eq!(run.code, 0, "{}", run.err);
    }
    assert_eq!((machine.trees().len(), machine.leftovers().len()), (1, 0));
    // the last helper built is in the cache
    let builds = machine.calls("mcs").len();
    machine.assert_decodes(&["--no-cache"]);
    assert_eq!(machine.calls("mcs").len(), builds);
}

/// A folder that can't be created stands in for one that can't be written, because root can write anywhere.
#[test]
fn decoding_works_without_a_cache_folder_and_warns() {
    let machine = machine();
    fs::write(machine.path("cache"), "a file").unwrap();
    let error = machine.assert_decodes(&[]);
    assert_contains_all(&error, &["the cache folder", "can't be used"]);
    machine.assert_decodes(&[]);
    assert_eq!(counts(&machine), (2, 2));
    let left = fs::read_dir(machine.path("tmp")).unwrap().count();
    assert_eq!(left, 0, "temporary files are left over");
    let output = machine
        .command(&["hotspots", "snap.dtp", "--decoder", "assemblies"])
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .output();
    let run = Run::from(output.unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert_contains(&run.err, "neither XDG_CACHE_HOME nor HOME");
}

#[test]
fn the_cache_is_listed_and_cleared() {
    let machine = machine();
    machine.assert_decodes(&[]);
    fs::write(machine.path("cache/dotspot/mine.txt"), "").unwrap();
    let link = machine.path("cache/dotspot/indexes/home");
    std::os::unix::fs::symlink(machine.path("home"), link).unwrap();
    fs::write(machine.path("home/precious"), "").unwrap();
    let run = machine.dotspot(&["cache"]);
    let folder = machine.path("cache/dotspot").display().to_string();
    assert_starts_with(&run.out, format!("folder   {folder}\n"));
    let mut indexes = run
        .out
        .lines()
        .filter(|line| line.starts_with("index    snap.dtp-"));
    assert_contains(indexes.next().unwrap(), "just now");
    let json = machine.dotspot(&["cache", "--json"]).out;
    assert_contains_all(
        json,
        &["\"schema\": \"dotspot.cache/1\"", "\"kind\": \"index\""],
    );
    let run = machine.dotspot(&["cache", "--clear"]);
    // the helper with its log, and the index
    assert_contains_all(
        &run.out,
        &["removed 3 items", "left alone", "mine.txt", "indexes/home"],
    );
    assert!(
        machine.path("home/precious").exists() && machine.path("cache/dotspot/mine.txt").exists()
    );
    assert!(run.code == 0 && !machine.path("cache/dotspot/helper").exists());
    machine.assert_decodes(&[]);
    assert_eq!(counts(&machine), (2, 2));
}
