//! A machine that is made up, with a snapshot, and stand-ins for what reads it.

pub use crate::common::machine::{BUILDS, Machine, Run};
use crate::common::text::has_all;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// A tree as the helper writes it. The root has 30 ms in one thread, of which `Acme.Work` has 20 itself and `Acme.TailResult` 10.
pub const TREE: &str = r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"elsewhere.dtp","thread_count":1,"node_count":null,
"payload_type":"unknown","time_unit":"ms","decoder":"assemblies","decoder_version":"dotspot-dtp 9.9, Stand-in 1.2","warnings":["as told"]},
"thread_roots":[{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1}],
"call_tree":{"id":"root","name":"All threads","kind":"root","inclusive_time":30,"exclusive_time":0,"call_count":0,"children":[
{"id":"t1","name":"Main","kind":"thread","thread_name":"Main","inclusive_time":30,"exclusive_time":0,"call_count":1,"children":[
{"id":"t1:n1","name":"Acme.Work","kind":"method","inclusive_time":30,"exclusive_time":20,"call_count":2,"children":[
{"id":"t1:n2","name":"Acme.Rest","kind":"method","inclusive_time":10,"exclusive_time":10,"call_count":7,"children":[]}]}]}]},
"hotspots":{"inclusive":[],"exclusive":[]}}
"#;

/// A `mono` that writes [`TREE`] to the file that it is told.
pub const WRITES_TREE: &str = "cat \"$HERE/tree.json\" > \"$4\"";

impl Machine {
    /// A machine with nothing but a snapshot, `snap.dtp`, and what the stand-ins tell.
    pub fn bare() -> Machine {
        let machine = Machine::empty();
        fs::write(machine.path("snap.dtp"), "MFDTPF and more").unwrap();
        fs::write(machine.path("snap.dtp.0000"), "sections").unwrap();
        fs::write(machine.path("tree.json"), TREE).unwrap();
        machine
    }

    /// A machine with stand-ins for Mono's compiler and runtime, which do as the scripts say.
    pub fn with_mono(compile: &str, run: &str) -> Machine {
        let machine = Machine::bare();
        machine.add_mono(compile, run);
        machine
    }

    /// The lines of `mcs.calls` or `mono.calls`: how often something was run, with which arguments.
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

    /// Decodes the snapshot, with further arguments.
    pub fn decode(&self, args: &[&str]) -> Run {
        self.dotspot(&[&["hotspots", "snap.dtp", "--decoder", "assemblies"], args].concat())
    }

    /// Decodes the snapshot, which must give [`TREE`], and gives what was said besides.
    #[track_caller]
    pub fn decodes(&self, args: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!(run.code, 0, "{}", run.err);
        has_all(&run.out, &["Acme.Work", "20.0"]);
        run.err
    }

    /// Decodes the snapshot, which must fail with this exit code and all of these words in what it says.
    #[track_caller]
    pub fn fails(&self, args: &[&str], code: i32, words: &[&str]) -> String {
        let run = self.decode(args);
        assert_eq!((run.code, run.out.as_str()), (code, ""), "{}", run.err);
        for word in words {
            assert!(run.err.contains(word), "{word:?} is not in {:?}", run.err);
        }
        assert_eq!(
            self.left_over(),
            Vec::<PathBuf>::new(),
            "nothing half-done is left behind"
        );
        // the sentence alone, where the user is told how to see more
        let is_verbose = args.contains(&"--verbose");
        let hint = "\n  --verbose shows more\n";
        assert!(!is_verbose || !run.err.contains(hint), "{}", run.err);
        run.err.replace(hint, "\n")
    }

    /// The folders of work under way, in the cache and in the folder for temporary files.
    pub fn left_over(&self) -> Vec<PathBuf> {
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

    /// The trees that are kept.
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

/// Sets a file's time of change to so many seconds from now.
pub fn touch(path: &Path, seconds: u64) {
    let time = SystemTime::now() + Duration::from_secs(seconds);
    File::options()
        .write(true)
        .open(path)
        .unwrap()
        .set_modified(time)
        .unwrap();
}
