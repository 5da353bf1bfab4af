//! A synthetic machine with dotspot on it.

use crate::common::dtp_writer::{Container, Kind, Section, Snapshot, Thread, save};
use crate::common::machine::REPORTER;
pub use crate::common::machine::{BUILDS, Machine, Run};
use crate::common::schema;
use crate::common::text::assert_contains_all;
use serde_json::Value;
use std::fs;
use std::path::Path;

impl Run {
    #[track_caller]
    pub fn assert_output(&self, words: &[&str]) {
        // rejoin sentences that were wrapped to the line width
        assert_contains_all(
            self.out.split_whitespace().collect::<Vec<_>>().join(" "),
            words,
        );
    }

    pub fn json(&self) -> Value {
        schema::check(&self.out, "what doctor prints").1
    }
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
pub fn section_mut(sections: &mut [Section], id: u16) -> &mut Section {
    sections
        .iter_mut()
        .find(|section| section.id == id)
        .unwrap()
}

impl Machine {
    /// A machine with no program but dotspot, in a terminal of 80 columns.
    pub fn new() -> Machine {
        Machine {
            columns: Some(80),
            ..Machine::empty()
        }
    }

    /// A machine with a changed small snapshot, `m.dtp`.
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

    /// Changes a file's bytes.
    pub fn edit(&self, name: &str, change: impl Fn(&mut Vec<u8>)) {
        let mut bytes = fs::read(self.path(name)).unwrap();
        change(&mut bytes);
        fs::write(self.path(name), bytes).unwrap();
    }

    /// Adds a Reporter that always writes `report`.
    pub fn add_reporter(&self, report: &str) {
        fs::write(self.path("report.xml"), report).unwrap();
        let copies = "for a; do case $a in --save-to=*) cat \"$HERE/report.xml\" > \"${a#--save-to=}\";; esac; done";
        self.script(REPORTER, copies);
    }

    /// Adds stand-ins for Mono's compiler and runtime, whose helper writes `tree` and finds an install.
    pub fn add_helper(&self, tree: &str) {
        fs::write(self.path("tree.json"), tree).unwrap();
        let probe = r#"{"installs":[{"root":"/opt/rider","version":"2025.2.1","used":true}],"looked_at":["/opt/*rider*"],"assemblies":[],"members":[],"warnings":[],"error":null}"#;
        let run = format!(
            "test \"$2\" = --probe && echo '{probe}' && exit\ncat \"$HERE/tree.json\" > \"$4\""
        );
        self.add_mono(BUILDS, &run);
    }

    /// Runs doctor on a file; returns the text, which must fit 80 columns, and the JSON document.
    #[track_caller]
    pub fn doctor(&self, file: &Path, args: &[&str]) -> (Run, Value) {
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
        assert_eq!(long, [""; 0], "lines that are too long");
        let document = json.json();
        assert_eq!(document["schema"], "dotspot.doctor/1");
        assert_eq!(document["exit_code"], json.code);
        (text, document)
    }
}
