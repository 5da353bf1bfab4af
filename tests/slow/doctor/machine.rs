//! A machine that is made up, with dotspot on it.
#![allow(
    dead_code,
    reason = "members of documents are read so that a missing one is an error"
)]

use crate::common::dtp_writer::{Container, Kind, Section, Snapshot, Thread, save};
use crate::common::machine::BUILDS;
pub use crate::common::machine::{Machine, Run};
use crate::common::schema;
use serde::Deserialize;
use std::fs;
use std::path::Path;

impl Run {
    #[track_caller]
    pub fn says(&self, words: &[&str]) {
        // what is broken to fit a line is one sentence again
        let text = self.out.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(text.contains(word), "{word:?} is not in {}", self.out);
        }
    }

    pub fn json(&self) -> Document {
        schema::check(&self.out, "what doctor prints");
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }
}

/// The documents, read with types of our own so that a missing or renamed member is an error.
#[derive(Debug, Deserialize)]
pub struct Document {
    pub schema: String,
    pub version: String,
    pub snapshot: Option<SnapshotDocument>,
    pub machine: MachineDocument,
    pub cross_check: Option<CrossCheck>,
    pub next: Vec<String>,
    pub exit_code: i32,
}

#[derive(Debug, Deserialize)]
pub struct SnapshotDocument {
    pub file: String,
    pub index: String,
    pub family: String,
    pub other_format: Option<String>,
    pub files: Vec<FileRow>,
    pub table_problem: Option<String>,
    pub sections: Vec<SectionRow>,
    pub missing: Vec<Missing>,
    pub attempts: Vec<Attempt>,
    pub kept_tree: Option<String>,
    pub warnings: Vec<String>,
    pub stored_sums: u64,
    pub stored_sums_agree: bool,
    pub beside: Option<Beside>,
}

#[derive(Debug, Deserialize)]
pub struct FileRow {
    pub name: String,
    pub what: String,
    pub need: String,
    pub expected_bytes: Option<u64>,
    pub found_bytes: Option<u64>,
    pub whole: bool,
}

#[derive(Debug, Deserialize)]
pub struct SectionRow {
    pub id: String,
    pub version: u16,
    pub what: Option<String>,
    pub need: String,
    pub file: String,
    pub start: u64,
    pub size_bytes: u64,
    pub state: String,
    pub detail: String,
    pub remarks: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Missing {
    pub id: String,
    pub what: String,
    pub need: String,
}

#[derive(Debug, Deserialize)]
pub struct Attempt {
    pub decoder: String,
    pub opened: bool,
    pub kind: Option<String>,
    pub nodes: Option<usize>,
    pub threads: Option<usize>,
    pub stage: Option<String>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    pub detail: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Beside {
    pub sums: usize,
    pub equal: usize,
    pub rounded: usize,
    pub differing: Vec<Sum>,
}

#[derive(Debug, Deserialize)]
pub struct Sum {
    pub name: String,
    pub stored_inclusive: f64,
    pub stored_exclusive: f64,
    pub inclusive: Option<f64>,
    pub exclusive: Option<f64>,
}

#[derive(Debug, Deserialize)]
pub struct MachineDocument {
    pub system: String,
    pub assemblies: Assemblies,
    pub reporter: Reporter,
    pub cache: Cache,
}

#[derive(Debug, Deserialize)]
pub struct Assemblies {
    pub at_hand: bool,
    pub toolchains: Vec<Toolchain>,
    pub helper: Option<Helper>,
    pub installs: Vec<Install>,
    pub looked_at: Vec<String>,
    pub unbound: Vec<String>,
    pub warnings: Vec<String>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    pub detail: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Toolchain {
    pub name: String,
    pub version: Option<String>,
    pub compiler: Option<String>,
    pub problem: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct Helper {
    pub program: String,
    pub built_now: bool,
}

#[derive(Debug, Deserialize)]
pub struct Install {
    pub root: String,
    pub version: String,
    pub used: bool,
}

#[derive(Debug, Deserialize)]
pub struct Reporter {
    pub at_hand: bool,
    pub path: Option<String>,
    pub version: Option<String>,
    pub places: Vec<Place>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    pub detail: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub struct Place {
    pub path: String,
    pub what: String,
    pub found: bool,
}

#[derive(Debug, Deserialize)]
pub struct Cache {
    pub folder: Option<String>,
    pub helpers: usize,
    pub trees: usize,
    pub size_bytes: u64,
    pub problem: Option<String>,
}

#[derive(Debug, Deserialize)]
pub struct CrossCheck {
    pub first: String,
    pub compared: Vec<Compared>,
    pub failed: Vec<String>,
    pub not_at_hand: Vec<NotAtHand>,
}

#[derive(Debug, Deserialize)]
pub struct NotAtHand {
    pub decoder: String,
    pub why: String,
}

#[derive(Debug, Deserialize)]
pub struct Compared {
    pub decoder: String,
    pub agrees: bool,
    pub nodes_of_first: usize,
    pub nodes: usize,
    pub equal: usize,
    pub changed: usize,
    pub only_in_first: usize,
    pub only_in_other: usize,
    pub largest_difference: f64,
    pub tolerance_per_node: f64,
    pub counts_compared: bool,
    pub differences: Vec<Difference>,
}

#[derive(Debug, Deserialize)]
pub struct Difference {
    pub what: String,
    pub path: Vec<String>,
    pub first: Option<f64>,
    pub other: Option<f64>,
}

/// A tracing snapshot of a thread in which A (own 4 ms, one call) calls B (3.5 ms, two calls) and C (2 ms, five calls).
pub fn small() -> Vec<Section> {
    let mut snapshot = Snapshot::new(Kind::Tracing);
    snapshot.ticks_per_second = 10_000_000;
    let [a, b, c] = ["A", "B", "C"].map(|name| snapshot.method(&format!("Acme!Acme.Book.{name}")));
    let mut thread = Thread::new(1, 3, "");
    let in_a = thread.add(Thread::ROOT, a, 40_000, 1);
    thread.add(in_a, b, 35_000, 2);
    thread.add(in_a, c, 20_000, 5);
    snapshot.threads.push(thread);
    snapshot.sections()
}

/// The first section with this id.
pub fn of(sections: &mut [Section], id: u16) -> &mut Section {
    sections
        .iter_mut()
        .find(|section| section.id == id)
        .unwrap()
}

impl Machine {
    /// A machine with no program but dotspot, whose text has 80 columns.
    pub fn new() -> Machine {
        Machine {
            columns: Some(80),
            ..Machine::empty()
        }
    }

    /// A machine with the small snapshot, changed, as `m.dtp`.
    pub fn with(change: impl Fn(&mut Vec<Section>)) -> Machine {
        let machine = Machine::new();
        machine.save(Container::ManyFiles, change);
        machine
    }

    pub fn save(&self, container: Container, change: impl Fn(&mut Vec<Section>)) {
        let mut sections = small();
        change(&mut sections);
        save(&sections, self.folder.path(), "m.dtp", container);
    }

    /// Changes the bytes of a file.
    pub fn edit(&self, name: &str, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(name)).unwrap();
        change(&mut bytes);
        fs::write(self.path(name), bytes).unwrap();
    }

    /// A Reporter that writes `report` whatever it is asked.
    pub fn with_reporter(&self, report: &str) {
        fs::write(self.path("report.xml"), report).unwrap();
        self.script(
            crate::common::machine::REPORTER,
            "for a; do case $a in --save-to=*) cat \"$HERE/report.xml\" > \"${a#--save-to=}\";; esac; done",
        );
    }

    /// Stand-ins for Mono's compiler and runtime, which take `tree` for what the helper wrote, and which find an install.
    pub fn with_helper(&self, tree: &str) {
        fs::write(self.path("tree.json"), tree).unwrap();
        let probe = r#"{"installs":[{"root":"/opt/rider","version":"2025.2.1","used":true}],"looked_at":["/opt/*rider*"],"assemblies":[],"members":[],"warnings":[],"error":null}"#;
        let run = format!(
            "test \"$2\" = --probe && echo '{probe}' && exit\ncat \"$HERE/tree.json\" > \"$4\""
        );
        self.add_mono(BUILDS, &run);
    }

    /// What doctor says of a file, as text, which has to fit 80 columns, and as a document.
    #[track_caller]
    pub fn doctor(&self, file: &Path, args: &[&str]) -> (Run, Document) {
        let file = file.to_str().unwrap();
        let text = self.dotspot(&[&["doctor", file], args].concat());
        let json = self.dotspot(&[&["doctor", file, "--json"], args].concat());
        assert_eq!((text.err.as_str(), json.err.as_str()), ("", ""));
        assert_eq!(text.code, json.code);
        let long: Vec<&str> = text
            .out
            .lines()
            .filter(|line| line.chars().count() > 80)
            .collect();
        assert_eq!(long, [""; 0], "lines fit");
        let document = json.json();
        assert_eq!(
            (document.schema.as_str(), document.exit_code),
            ("dotspot.doctor/1", json.code)
        );
        (text, document)
    }
}
