//! The processed format of the Firefox Profiler: what it saves, and what samply and other tools write for it.
//!
//! An object with `meta` and `threads`. A thread has tables of columns: `samples` name stacks, the `stackTable` frames and the stack
//! of the caller (`prefix`), the `frameTable` functions, the `funcTable` names in the `stringArray`. From version 56 on tables move
//! one after the other into `shared`, which all threads have; each is looked for in the thread and then there. Read are all
//! versions that have such tables, from that of 2016 on without a number (`meta.preprocessedProfileVersion`) to 60, with members in
//! any order. Descriptions: `src/types/profile.ts` and `docs-developer/CHANGELOG-formats.md` in firefox-devtools/profiler.
//!
//! | written | read |
//! |---|---|
//! | a sample | its weight (1 if it has none) times `meta.interval`, at its instant: the running time of the Firefox Profiler's call tree |
//! | `weightType` `tracing-ms`, `bytes` | the weight itself, as time or as bytes |
//! | `threadCPUDelta` in nanoseconds or microseconds | `CPU`, of the sample before: so much of its time ran, and the rest waited. All of it where the difference is 0, and for the last sample |
//! | the same in cycles, or without a unit in `meta.sampleUnits` | left out, as nobody knows how long they last |
//! | a sample without a stack | the thread's own time; nothing if its weight is 0 |
//! | `funcTable.resource` of a library | the library is the module |
//! | a name that is only an address | a method of that library without a name |
//! | frames of the same name | one frame; the first place of its source counts |
//! | markers `GCMajor`, `GCMinor`, and those that dotspot wrote | markers; others are counted by their names |
//!
//! A sample lasts until the next one, as in the profiler's stack chart and traced times (`computeTracedTiming` in
//! `src/profile-logic/call-tree.ts`). `threadCPUDelta` is what ran from the sample before to this one, and nothing for the first
//! (`computeThreadCPURatio` in `src/profile-logic/cpu.ts`; `RawSamplesTable` in `src/types/profile.ts`). So what ran of a
//! sample stands with the next one. The activity graph, which draws each sample from the middle between it and the one before to
//! the middle between it and the next, also draws the half after a sample as high as the next one's ratio.
//!
//! In memory are the columns of all threads until the tree is built: 36 bytes for a sample, 8 for a stack.

mod columns;
mod markers;
mod notes;
mod thread;
mod tree;

use super::embedded_notes::AboutDocument;
use super::tracks::Quantity;
use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{MarkerLog, Recording, TooLarge};
use columns::{NS_PER_MS, Tables, members};
use notes::Oddities;
use std::io::Read;
use thread::FileThread;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "firefox",
    title: "Firefox Profiler JSON",
    extensions: &[".profile.json"],
    metrics: messages::METRICS_OF_FIREFOX,
    limitations: messages::LIMITS_OF_FIREFOX,
    sniff,
    read,
};

/// The members of files of this format; one that starts with another is of another format.
const MEMBERS: [&str; 11] = [
    "meta",
    "libs",
    "threads",
    "shared",
    "pages",
    "counters",
    "processes",
    "pausedRanges",
    "profilerOverhead",
    "profilingLog",
    "profileGatheringLog",
];

/// Whether a file starts like one of this format, or of Firefox's raw one, which is refused with a word on what to do.
fn sniff(head: &Head) -> Option<Confidence> {
    head.sniff_json(FORMAT.extensions, |member, _, found| match member {
        "meta.preprocessedProfileVersion" => {
            *found = Some(Confidence::Certain);
            false
        }
        "meta.stackwalk"
        | "meta.markerSchema"
        | "libs[].breakpadId"
        | "threads[].stackTable"
        | "threads[].frameTable"
        | "shared.stringArray" => {
            *found = Some(Confidence::Likely);
            true
        }
        member => member.contains(['.', '[']) || MEMBERS.contains(&member),
    })
}

/// Reads a file of this format.
///
/// # Errors
/// Cancelled; the file can't be read; it is no JSON, one without threads, or one of Firefox's raw format. A file that breaks
/// off is read as far as it goes, and a warning says so.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut file = File::default();
    let broken_off = match file.read(&mut reader) {
        Ok(()) => None,
        Err(error) if error.is_truncated() && file.has_samples() => {
            if let Some((last, others)) = file.threads.split_last_mut() {
                last.samples.cut(others);
            }
            Some(error.offset())
        }
        Err(error) => return Err(error.into_import_error(&name, FORMAT.title)),
    };
    let refuse = |problem, advice| {
        Err(Failure::new(&name, FORMAT.title, problem)
            .advice(advice)
            .into())
    };
    if file.is_raw {
        return refuse(messages::RAW_FIREFOX, messages::SAVE_IN_FIREFOX_PROFILER);
    }
    if !file.has_threads {
        return refuse(messages::NO_THREADS, messages::SEE_FORMATS);
    }
    tree::recording(file, name.clone(), broken_off)
        .map_err(|TooLarge| too_large(&name, FORMAT.title).into())
}

/// What is said of the whole recording.
#[derive(Default)]
struct Meta {
    /// Nanoseconds from one sample to the next, as was asked for; 0 if it is not known.
    interval_ns: u64,
    /// The nanoseconds in one unit of CPU time, if it is a time.
    cpu_unit_ns: Option<u64>,
    /// When the recording started, on the file's clock.
    start: Option<u64>,
    facts: Vec<(&'static str, String)>,
}

/// What was read so far.
#[derive(Default)]
struct File {
    meta: Meta,
    /// Tables of all threads.
    shared: Tables,
    threads: Vec<FileThread>,
    has_threads: bool,
    is_raw: bool,
    markers: MarkerLog,
    about: AboutDocument,
    odd: Oddities,
}

impl File {
    fn has_samples(&self) -> bool {
        let mut threads = self.threads.iter();
        threads.any(|thread| !thread.samples.stacks.is_empty())
    }

    fn read<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "meta" => members(reader, |key, reader| self.meta.read(key, reader))
                    .map_err(in_member("meta"))?,
                "libs" => self.shared.read("libs", reader)?,
                "shared" => members(reader, |table, reader| self.shared.read(table, reader))
                    .map_err(in_member("shared"))?,
                "threads" => {
                    self.has_threads = true;
                    let read = |reader: &mut JsonReader<R>| self.read_thread(reader);
                    reader.each(read).map_err(in_member("threads"))?;
                }
                key => {
                    let member = AboutDocument::member(key);
                    self.about.read(member, reader)?;
                }
            }
        }
        reader.end()
    }

    fn read_thread<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        let mut thread = FileThread::default();
        let read = thread.read(reader, &mut self.markers, &mut self.odd);
        self.is_raw |= thread.is_raw;
        // what was read counts where the file breaks off
        if thread.has_any() || read.is_err() {
            self.threads.push(thread);
        }
        read
    }
}

impl Meta {
    fn read<R: Read>(&mut self, key: &str, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        const FACTS: [(&str, &str); 3] = [
            ("product", "program"),
            ("oscpu", "operating system"),
            ("CPUName", "processor"),
        ];
        match key {
            "interval" => {
                let interval = Quantity::read(reader)?.scaled(NS_PER_MS);
                self.interval_ns = interval.map_or(0, |interval| interval.value);
            }
            "profilingStartTime" => {
                let start = Quantity::read(reader)?.instant(NS_PER_MS);
                self.start = start.map(|start| start.value);
            }
            "sampleUnits" => members(reader, |key, reader| {
                let unit = reader.text()?;
                match (key, &*unit) {
                    ("threadCPUDelta", "ns") => self.cpu_unit_ns = Some(1),
                    ("threadCPUDelta", "µs") => self.cpu_unit_ns = Some(1_000),
                    _ => {}
                }
                Ok(())
            })?,
            _ => {
                let text = reader.text()?;
                let fact = FACTS
                    .iter()
                    .find(|(name, _)| *name == key && !text.is_empty());
                self.facts.extend(fact.map(|&(_, what)| (what, text)));
            }
        }
        Ok(())
    }
}
