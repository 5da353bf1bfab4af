//! A cached index answers every question exactly as the profile itself does: the real program on all real files.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// Commands run on every file.
const BASIC_COMMANDS: &[&[&str]] = &[
    &["info", "--json"],
    &["hotspots", "--json"],
    &["tree", "--depth", "30"],
];
/// Further commands, run on one file of each format.
const FURTHER_COMMANDS: &[&[&str]] = &[
    &["info"],
    &["info", "--truncation"],
    &["hotspots"],
    &["hotspots", "--by", "inclusive"],
    &["methods", "--json"],
    &["tree", "--json", "--no-repair"],
    &["tree", "--step", "inverted"],
    &["tree", "--user-code", "System", "--merge-threads"],
    &["report", "--budget", "1500"],
    &["report", "--json"],
    &["export", "--to", "collapsed"],
    &["convert", "--to", "speedscope"],
    &["notes"],
];
/// Commands that need sample times, for which there is a separate index.
const TIMED_COMMANDS: &[&[&str]] = &[
    &["info", "--json", "--from", "10%"],
    &["tree", "--from", "10%", "--until", "60%"],
];

/// A profile with a cache of its own.
struct CachedProfile<'a> {
    file: &'a Path,
    cache: tempfile::TempDir,
}

impl CachedProfile<'_> {
    fn run(&self, policy: &str, question: &[&str]) -> Output {
        let (command, rest) = question.split_first().unwrap();
        let mut dotspot = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        dotspot.env("DOTSPOT_CONFIG", "");
        dotspot
            .arg(command)
            .arg(self.file)
            .args(rest)
            .stdin(Stdio::null())
            .env_remove("COLUMNS");
        dotspot
            .env("XDG_CACHE_HOME", self.cache.path())
            .env("LOCALAPPDATA", self.cache.path())
            .env("DOTSPOT_CACHE", policy)
            .output()
            .unwrap()
    }

    fn indexes(&self) -> Vec<PathBuf> {
        let list = fs::read_dir(self.cache.path().join("dotspot/indexes"));
        list.into_iter()
            .flatten()
            .map(|item| item.unwrap().path())
            .collect()
    }

    /// Runs a command once to create the index, then each command with and without it.
    fn check(&self, questions: &[&[&str]]) {
        let first = self.run("always", questions[0]);
        let is_cached = first.status.success();
        // a file with several readings has an index for each, an unreadable file has none
        assert_eq!(
            !self.indexes().is_empty(),
            is_cached,
            "{}",
            self.file.display()
        );
        for question in questions {
            let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
            for index in self.indexes() {
                File::options()
                    .write(true)
                    .open(index)
                    .unwrap()
                    .set_modified(long_ago)
                    .unwrap();
            }
            let (cached, read) = (self.run("always", question), self.run("off", question));
            assert!(
                cached == read,
                "{question:?} {}\nfrom index {cached:?}\nread {read:?}",
                self.file.display()
            );
            let is_used =
                |index: &PathBuf| index.metadata().unwrap().modified().unwrap() > long_ago;
            assert_eq!(
                self.indexes().iter().any(is_used),
                is_cached,
                "{question:?} {}",
                self.file.display()
            );
        }
    }
}

fn check(file: &Path, questions: &[&[&str]]) {
    CachedProfile {
        file,
        cache: tempfile::tempdir().unwrap(),
    }
    .check(questions);
}

#[test]
fn every_format_answers_the_same_from_its_index() {
    let files = [
        "net10/cpubound.nettrace",
        "net10/cpubound.speedscope.json",
        "nettrace/norundown31.nettrace",
        "nettrace/v6-onecollect.nettrace",
        "etl/gcevents.etl.zip",
        "dtp/profile.dtp",
        "collapsed/recursion.txt",
        "perf-script/dotnet31.perf-script.txt.gz",
        "perfview-xml/perf.strace.perfview.xml",
        "trace-event/multi-thread-with-samples.json",
        "chrome/simple.cpuprofile",
    ];
    for file in files.into_iter().filter_map(crate::common::shared) {
        check(&file, BASIC_COMMANDS);
    }
}

#[test]
fn every_command_answers_the_same_from_an_index() {
    let snapshots = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    for file in ["js-ordered-consume.dtp", "two-threads.pb"] {
        check(&snapshots.join(file), FURTHER_COMMANDS);
    }
    // truncated stacks and samples
    check(
        &present!(crate::common::shared("net10/deepstacks-mutual.nettrace")),
        FURTHER_COMMANDS,
    );
}

#[test]
fn time_ranges_answer_the_same_from_an_index() {
    for file in [
        "net10/orderedconsume.nettrace",
        "net10/deepstacks-mutual.nettrace",
        "net10/cpubound.speedscope.json",
    ] {
        if let Some(file) = crate::common::shared(file) {
            check(&file, TIMED_COMMANDS);
        }
    }
}

/// Indexes can be listed, bypassed and cleared.
#[test]
fn indexes_are_listed_and_cleared() {
    let (cache, file) = (
        tempfile::tempdir().unwrap(),
        crate::common::own_data("nettrace/short31.nettrace"),
    );
    let dotspot = |arguments: &[&str]| {
        let mut dotspot = Command::new(env!("CARGO_BIN_EXE_dotspot"));
        dotspot.env("DOTSPOT_CONFIG", "");
        dotspot
            .args(arguments)
            .env("XDG_CACHE_HOME", cache.path())
            .env("LOCALAPPDATA", cache.path())
            .env("DOTSPOT_CACHE", "always");
        let output = dotspot.output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let file = file.to_str().unwrap();
    let listed = || {
        dotspot(&["cache"])
            .lines()
            .filter(|line| line.starts_with("index "))
            .count()
    };
    dotspot(&["info", file, "--no-cache"]);
    assert_eq!(listed(), 0);
    dotspot(&["info", file]);
    dotspot(&["info", file]);
    assert_eq!(listed(), 1);
    assert!(dotspot(&["cache", "--clear"]).contains("removed 1 item"));
    assert_eq!(listed(), 0);
}
