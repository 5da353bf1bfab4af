//! A synthetic machine with a snapshot and stand-ins for the programs that decode it.

pub use crate::common::machine::{BUILDS, Machine, Run};
use crate::common::text::assert_contains_all;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A tree as written by the helper. The root has 30 ms in one thread: 20 exclusive in `Acme.Work` and 10 in `Acme.TailResult`.
pub const TREE: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"elsewhere.dtp","thread_count":1,"node_count":null,
"payload_type":"unknown","time_unit":"ms","decoder":"assemblies","decoder_version":"dotspot-dtp 9.9, Stand-in 1.2","warnings":["as told"]},
"thread_roots":[{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1}],
"call_tree":{"id":"root","name":"All threads","kind":"root","inclusive_time":30,"exclusive_time":0,"call_count":0,"children":[
{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1,"children":[
{"id":"t1:n1","name":"Acme.Work","kind":"method","inclusive_time":30,"exclusive_time":20,"call_count":2,"children":[
{"id":"t1:n2","name":"Acme.Rest","kind":"method","inclusive_time":10,"exclusive_time":10,"call_count":7,"children":[]}]}]}]},
"hotspots":{"inclusive":[],"exclusive":[]}}
"#;

/// A `mono` that writes [`TREE`] to the requested file.
pub const WRITES_TREE: &str = "cat \"$HERE/tree.json\" > \"$4\"";

impl Machine {
    /// A machine with nothing but a snapshot, `snap.dtp`, and the files that the stand-ins use.
    pub fn bare() -> Machine {
        let machine = Machine::empty();
        fs::write(machine.path("snap.dtp"), "MFDTPF and more").unwrap();
        fs::write(machine.path("snap.dtp.0000"), "sections").unwrap();
        fs::write(machine.path("tree.json"), TREE).unwrap();
        machine
    }

    /// A machine with scripts as stand-ins for Mono's compiler and runtime.
    pub fn with_mono(compile: &str, run: &str) -> Machine {
        let machine = Machine::bare();
        machine.add_mono(compile, run);
        machine
    }

    /// The lines of `mcs.calls` or `mono.calls`: one per call, with its arguments.
    pub fn calls(&self, program: &str) -> Vec<String> {
        let text = fs::read_to_string(self.path(&format!("{program}.calls"))).unwrap_or_default();
        text.lines().map(str::to_string).collect()
    }

    /// How often the helper was asked for a tree.
    pub fn decodings(&self) -> usize {
        self.calls("mono")
            .iter()
            .filter(|call| call.contains(" --output "))
            .count()
    }

    /// Decodes the snapshot with additional arguments.
    pub fn decode(&self, args: &[&str]) -> Run {
        self.dotspot(&[&["hotspots", "snap.dtp", "--decoder", "assemblies"], args].concat())
    }

    /// Asserts that decoding gives [`TREE`]; returns the standard error.
    #[track_caller]
    pub fn assert_decodes(&self, args: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!(run.code, 0, "{}", run.err);
        assert_contains_all(&run.out, &["Acme.Work", "20.0"]);
        run.err
    }

    /// Asserts that decoding fails with this exit code and a message with all of these words; returns the message.
    #[track_caller]
    pub fn assert_fails(&self, args: &[&str], code: i32, words: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{word:?} is not in {:?}", run.err);
        }
        assert_eq!(
            self.leftovers(),
            Vec::<PathBuf>::new(),
            "work folders are left over"
        );
        // without the hint about --verbose
        let is_verbose = args.contains(&"--verbose");
        let hint = "\n  --verbose shows more\n";
        assert!(!is_verbose || !run.err.contains(hint), "{}", run.err);
        run.err.replace(hint, "\n")
    }

    /// Work folders left in the cache and in the folder for temporary files.
    pub fn leftovers(&self) -> Vec<PathBuf> {
        let folders = [self.path("cache/dotspot"), self.path("tmp")];
        let items = folders
            .iter()
            .filter_map(|folder| fs::read_dir(folder).ok())
            .flatten();
        let paths = items.map(|item| item.unwrap().path());
        paths
            .filter(|path| path.is_dir() && !path.ends_with("helper") && !path.ends_with("indexes"))
            .collect()
    }

    /// The cached trees.
    pub fn trees(&self) -> Vec<PathBuf> {
        let items = fs::read_dir(self.path("cache/dotspot/indexes"))
            .into_iter()
            .flatten();
        let paths = items.map(|item| item.unwrap().path());
        paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "index")
            })
            .collect()
    }
}

/// Sets a file's modification time to this many seconds from now.
pub fn touch(path: &Path, seconds: u64) {
    let time = SystemTime::now() + Duration::from_secs(seconds);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}
