//! What is kept, for how long it holds, and what happens where nothing can be kept.

use super::machine::{BUILDS, Machine, Run, WRITES_TREE, touch};
use crate::common::text::{has, has_all, lacks, starts};
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
    let machine = machine();
    assert_eq!(machine.decodes(&[]), "dotspot: warning: as told\n");
    assert_eq!(counts(&machine), (1, 1));
    // nothing of what decoded it is needed any more
    fs::remove_dir_all(machine.path("bin")).unwrap();
    assert_eq!(machine.decodes(&[]), "dotspot: warning: as told\n");
    assert_eq!(machine.trees().len(), 1);
    let run = machine.dotspot(&["info", "snap.dtp", "--decoder", "assemblies", "--json"]);
    for word in [
        "\"file\": \"snap.dtp\"",
        "\"format\": \"dtp\"",
        "\"kind\": \"unknown\"",
        "dotspot-dtp 9.9, Stand-in 1.2",
    ] {
        assert!(run.out.contains(word), "{word} is not in {}", run.out);
    }
    lacks(&run.out, "elsewhere");
    assert_eq!(
        machine
            .path("cache/dotspot")
            .metadata()
            .unwrap()
            .permissions()
            .mode()
            & 0o777,
        0o700
    );
}

#[test]
fn what_may_be_another_tree_is_decoded_anew() {
    let machine = machine();
    let mut runs = 0;
    let mut check = |what: &str, args: &[&str], is_anew: bool| {
        machine.decodes(args);
        runs += usize::from(is_anew);
        assert_eq!(counts(&machine), (1, runs), "{what}");
    };
    check("the first time", &[], true);
    check("the second time", &[], false);
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
    check("which kept nothing new", &[], false);
    fs::copy(machine.path("snap.dtp"), machine.path("home/snap.dtp")).unwrap();
    fs::copy(
        machine.path("snap.dtp.0000"),
        machine.path("home/snap.dtp.0000"),
    )
    .unwrap();
    let args = ["hotspots", "home/snap.dtp", "--decoder", "assemblies"];
    assert_eq!(machine.dotspot(&args).code, 0);
    assert_eq!(machine.decodings(), runs + 1, "another folder");
    // a link to a snapshot is that snapshot, as far as its index goes
    assert_eq!(machine.trees().len(), 5);
}

#[test]
fn without_the_cache_nothing_is_kept_but_the_helper() {
    let machine = machine();
    machine.decodes(&["--no-cache"]);
    machine.decodes(&["--no-cache"]);
    assert_eq!(
        (
            counts(&machine),
            machine.trees().len(),
            machine.left_over().len()
        ),
        ((1, 2), 0, 0)
    );
}

#[test]
fn a_damaged_tree_is_decoded_anew() {
    for damage in ["", "garbage", "\u{0}\u{0}\u{0}"] {
        let machine = machine();
        machine.decodes(&[]);
        let tree = machine.trees().remove(0);
        let whole = fs::read(&tree).unwrap();
        fs::write(&tree, damage).unwrap();
        machine.decodes(&[]);
        assert_eq!(counts(&machine), (1, 2), "{damage:?}");
        assert_eq!(fs::read(&tree).unwrap(), whole);
    }
}

#[test]
fn a_helper_that_someone_removed_is_built_anew() {
    let machine = machine();
    machine.decodes(&["--no-cache"]);
    let helpers = fs::read_dir(machine.path("cache/dotspot/helper"))
        .unwrap()
        .map(|item| item.unwrap().path());
    let built = helpers.into_iter().find(|path| path.is_dir()).unwrap();
    fs::remove_file(built.join("dotspot-dtp.exe")).unwrap();
    fs::write(built.join("rest"), "").unwrap();
    machine.decodes(&["--no-cache"]);
    assert_eq!(counts(&machine), (2, 2));
    assert!(!built.join("rest").exists());
}

/// A folder that can't be made serves for one that can't be written: to the superuser all can be written.
#[test]
fn without_a_cache_folder_it_works_and_says_so() {
    let machine = machine();
    fs::write(machine.path("cache"), "a file").unwrap();
    let said = machine.decodes(&[]);
    has_all(&said, &["the cache folder", "can't be used"]);
    machine.decodes(&[]);
    assert_eq!(counts(&machine), (2, 2));
    assert_eq!(
        fs::read_dir(machine.path("tmp")).unwrap().count(),
        0,
        "nothing is left behind"
    );
    let output = machine
        .command(&["hotspots", "snap.dtp", "--decoder", "assemblies"])
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .output();
    let run = Run::from(output.unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    has(&run.err, "neither XDG_CACHE_HOME nor HOME");
}

#[test]
fn the_cache_is_listed_and_cleared() {
    let machine = machine();
    let run = machine.dotspot(&["cache"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    starts(
        &run.out,
        format!("folder   {}\n", machine.path("cache/dotspot").display()),
    );
    machine.decodes(&[]);
    fs::write(machine.path("cache/dotspot/mine.txt"), "").unwrap();
    std::os::unix::fs::symlink(
        machine.path("home"),
        machine.path("cache/dotspot/indexes/home"),
    )
    .unwrap();
    fs::write(machine.path("home/precious"), "").unwrap();
    let run = machine.dotspot(&["cache"]);
    assert!(
        run.out
            .lines()
            .any(|line| line.starts_with("index    snap.dtp-") && line.contains("just now")),
        "{}",
        run.out
    );
    let json = machine.dotspot(&["cache", "--json"]).out;
    for word in ["\"schema\": \"dotspot.cache/1\"", "\"kind\": \"index\""] {
        assert!(json.contains(word), "{word} is not in {json}");
    }
    let run = machine.dotspot(&["cache", "--clear"]);
    // the helper with its log, and the index
    assert!(
        run.code == 0 && run.out.contains("removed 3 items"),
        "{run:?}"
    );
    has_all(&run.out, &["left alone", "mine.txt", "indexes/home"]);
    assert!(
        machine.path("home/precious").exists() && machine.path("cache/dotspot/mine.txt").exists()
    );
    assert!(!machine.path("cache/dotspot/helper").exists());
    machine.decodes(&[]);
    assert_eq!(counts(&machine), (2, 2));
}
