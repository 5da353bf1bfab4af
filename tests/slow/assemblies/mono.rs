//! The real helper, built by dotspot with Mono's real compiler, on stand-ins for dotTrace's libraries. Nothing of JetBrains
//! takes part.

use super::machine::{Machine, Run};
use crate::common::dottrace::{ALL, Mono, Script, lay_out, mono};
use crate::common::text::has;
use dotspot::testing::decoders::assemblies::probe;
use dotspot::testing::decoders::toolchain::CompilerKind;
use dotspot::testing::decoders::{
    Decoder, DecoderChoice, DecoderSettings, Environment, System, decode, helper,
};
use dotspot::testing::input::{ImportError, Input, Progress, Stage};
use dotspot::testing::model::Recording;
use serde::Deserialize;
use std::ffi::OsStr;
use std::fs;
use std::path::Path;

/// A machine with Mono and with an install `rider` in which everything is as it should be; `None` where Mono isn't installed.
fn machine() -> Option<(Machine, &'static Mono)> {
    let mono = mono()?;
    let machine = Machine::bare();
    machine.link_mono();
    lay_out(
        &mono.libraries(),
        &machine.path("rider"),
        &[("lib/ReSharperHost", ALL)],
    );
    Some((machine, mono))
}

const INSTALL: &[&str] = &["--dottrace-dir", "rider"];

/// With 2,000 ticks in a second, so that half of a number is its milliseconds.
fn orders() -> Script {
    Script::new(2000)
        .thread("Main", [2001, 1, 1])
        .method(2, [2000, 500, 2], "Acme.Orders.Book", "Match")
        .method(3, [1100, 700, 40], "Acme.Orders.Price", "Of")
        .method(4, [400, 400, 3], "Acme.Orders.Book", "Match")
        .special(3, [400, 400, 1], "[Waiting]")
        .thread("Worker", [9, 0, 1])
        .method(2, [9, 9, 9], "Acme.Orders.Price", "Of")
}

#[track_caller]
fn fine(run: Run) -> String {
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    run.out
}

/// What `tree --json` prints.
#[derive(Deserialize)]
struct Tree {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    depth: usize,
    name: String,
    inclusive: f64,
    exclusive: f64,
    counts: u64,
}

#[test]
fn a_snapshot_becomes_a_profile_with_exact_numbers() {
    let Some((machine, _)) = machine() else {
        return;
    };
    orders().save(machine.folder.path(), "snap.dtp");
    let tree = [
        &[
            "tree",
            "snap.dtp",
            "--decoder",
            "assemblies",
            "--min-percent",
            "0",
            "--json",
        ],
        INSTALL,
    ]
    .concat();
    let first = fine(machine.dotspot(&tree));
    let document: Tree = serde_json::from_str(&first).unwrap();
    let rows: Vec<_> = document
        .rows
        .iter()
        .map(|row| {
            (
                row.depth,
                row.name.as_str(),
                row.inclusive,
                row.exclusive,
                row.counts,
            )
        })
        .collect();
    // by hand: half of the ticks; the root is the sum of the threads, 2,010 ticks
    let expect = [
        (0, "All threads", 1005.0, 0.0, 0),
        (1, "Main", 1000.5, 0.5, 1),
        (2, "Acme.Orders.Book.Match", 1000.0, 250.0, 2),
        (3, "Acme.Orders.Price.Of", 550.0, 350.0, 40),
        (4, "Acme.Orders.Book.Match", 200.0, 200.0, 3),
        (3, "[Waiting]", 200.0, 200.0, 1),
        (1, "Worker", 4.5, 0.0, 1),
        (2, "Acme.Orders.Price.Of", 4.5, 4.5, 9),
    ];
    assert_eq!(rows, expect);
    // recursion counts once: 1,000 ms and not 1,200
    let hotspots = [
        &[
            "hotspots",
            "snap.dtp",
            "--decoder",
            "assemblies",
            "--by",
            "inclusive",
        ],
        INSTALL,
    ]
    .concat();
    fs::rename(machine.path("rider"), machine.path("gone")).unwrap();
    let second = fine(machine.dotspot(&hotspots));
    let book = second
        .lines()
        .find(|line| line.contains("Book.Match"))
        .unwrap();
    assert!(
        book.contains("1,000.0") && book.contains("450.0"),
        "{second}"
    );
    assert_eq!(
        fine(machine.dotspot(&tree)),
        first,
        "without the install, from the cache"
    );
    let run = machine.dotspot(&[&tree[..], &["--no-cache"]].concat());
    assert_eq!(run.code, 12, "{}", run.err);
}

#[test]
fn what_goes_wrong_in_the_helper_is_told() {
    let Some((machine, _)) = machine() else {
        return;
    };
    let at = |event: &str| orders().at("GetChildren", 3, event, "the cause");
    #[track_caller]
    fn check(machine: &Machine, script: &Script, args: &[&str], code: i32, words: &[&str]) {
        script.save(machine.folder.path(), "snap.dtp");
        machine.fails(&[INSTALL, args].concat(), code, words);
        assert!(machine.trees().is_empty());
    }
    check(
        &machine,
        &at("throw"),
        &[],
        17,
        &["stage walk", "the cause"],
    );
    check(
        &machine,
        &at("kill"),
        &[],
        14,
        &["stage launch", "killed by signal 9"],
    );
    check(
        &machine,
        &at("hang"),
        &["--decoder-timeout", "2"],
        14,
        &["stage launch", "took longer than 2 s"],
    );
    fs::remove_file(machine.path("rider/lib/ReSharperHost/JetBrains.Profiler.Windows.dll"))
        .unwrap();
    check(
        &machine,
        &orders(),
        &[],
        15,
        &["stage bind", "JetBrains.Profiler.Windows"],
    );
    fs::remove_dir_all(machine.path("rider/lib")).unwrap();
    check(&machine, &orders(), &[], 12, &["stage decoder", "rider"]);
    machine.fails(
        &[],
        12,
        &[" was found in 5 places; install Rider or dotTrace"],
    );
    machine.fails(
        &["--verbose"],
        12,
        &[
            "/opt/jetbrains/*",
            "/usr/share/jetbrains/*",
            ".local/share/JetBrains/Toolbox/apps",
            "--dottrace-dir",
        ],
    );
    fs::remove_file(machine.path("snap.dtp.0000")).unwrap();
    machine.fails(&[], 10, &["stage input", "snap.dtp.0000"]);
}

/// A machine as the library sees it.
fn environment(machine: &Machine) -> Environment {
    let variables = machine.variables();
    let variables: Vec<(&str, &OsStr)> = variables
        .iter()
        .map(|(name, path)| (*name, path.as_os_str()))
        .collect();
    Environment::synthetic(System::Linux, Path::new("/"), &variables)
}

/// The number of nodes that dotspot allows would take minutes to read, so it is a smaller one here.
#[test]
fn a_tree_without_end_is_given_up() {
    let Some((machine, _)) = machine() else {
        return;
    };
    let index = Script::new(1000)
        .thread("T", [1, 1, 1])
        .endless(2, [1, 1, 1], "X", "Again");
    let index = index.save(machine.folder.path(), "snap.dtp");
    let settings = DecoderSettings {
        choice: DecoderChoice::Only(Decoder::Assemblies),
        dottrace_dir: Some(machine.path("rider")),
        max_nodes: 1000,
        ..DecoderSettings::new(environment(&machine))
    };
    let error = decode(Input::open(&index, Progress::default()).unwrap(), &settings)
        .map(Recording::into_view)
        .unwrap_err();
    let ImportError::Failed(failure) = error else {
        panic!("{error:?}")
    };
    assert_eq!(failure.stage, Some(Stage::Walk), "{failure}");
    has(&failure.problem, "more than 1000 nodes");
    assert!(
        !failure.to_string().contains("--max-nodes"),
        "no option of dotspot's: {failure}"
    );
    assert_eq!((machine.left_over().len(), machine.trees().len()), (0, 0));
}

#[test]
fn a_probe_says_what_the_helper_finds() {
    let Some((machine, _)) = machine() else {
        return;
    };
    let settings = DecoderSettings {
        dottrace_dir: Some(machine.path("rider")),
        ..DecoderSettings::new(environment(&machine))
    };
    let report = probe(&settings, &Progress::default()).unwrap();
    assert_eq!(report.failure, None);
    assert!(
        report.json.starts_with('{') && report.json.contains("\"JetBrains.dotTrace.SnapShotApi\""),
        "{}",
        report.json
    );
    assert_eq!(report.helper.toolchain.kind, CompilerKind::Mono);
    assert_eq!(
        helper::built(&settings.environment, &report.helper.toolchain),
        Some(report.helper)
    );

    let settings = DecoderSettings {
        dottrace_dir: Some(machine.path("home")),
        ..settings
    };
    let report = probe(&settings, &Progress::default()).unwrap();
    assert_eq!(report.failure.unwrap().stage, Some(Stage::Decoder));
    assert!(report.json.contains("\"looked_at\""), "{}", report.json);

    let bare = Machine::bare();
    let error = probe(
        &DecoderSettings::new(environment(&bare)),
        &Progress::default(),
    )
    .unwrap_err();
    assert!(matches!(error, ImportError::Failed(failure) if failure.stage == Some(Stage::Build)));
}
