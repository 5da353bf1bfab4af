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
//! | `threadCPUDelta` in nanoseconds or microseconds | `CPU`. So much of the sample's time ran, and the rest waited: all of it where the difference is 0 |
//! | the same in cycles | the metric `CPU cycles`, as they have no duration |
//! | a sample without a stack | the thread's own time |
//! | `funcTable.resource` of a library | the library is the module |
//! | a name that is only an address | a method of that library without a name |
//! | frames of the same name | one frame; the first place of its source counts |
//! | markers `GCMajor`, `GCMinor`, and those that dotspot wrote | markers; others are counted by their names |
//!
//! In memory are the columns of all threads until the tree is built: 28 bytes for a sample, 8 for a stack.

mod columns;
mod markers;
mod notes;
mod thread;
mod tree;

use super::tracks::Quantity;
use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::json::{JsonError, JsonReader, in_member};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{Recording, TooLarge};
use columns::Tables;
use markers::Markers;
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
    let broken_off = match file.read_members(&mut reader) {
        Ok(()) => None,
        Err(error) if error.is_truncated() && file.has_samples() => {
            file.threads
                .iter_mut()
                .for_each(|thread| thread.samples.cut());
            Some(error.offset())
        }
        Err(error) => return Err(error.into_import_error(&name, FORMAT.title)),
    };
    let refuse = |problem, advice| {
        Err(Failure::new(&name, FORMAT.title, problem)
            .advice(advice)
            .into())
    };
    if file.threads.iter().any(|thread| thread.is_raw) {
        return refuse(messages::RAW_FIREFOX, messages::SAVE_IN_FIREFOX_PROFILER);
    }
    if !file.has_threads {
        return refuse(messages::NO_THREADS, messages::SEE_FORMATS);
    }
    tree::recording(file, name.clone(), broken_off)
        .map_err(|TooLarge| too_large(&name, FORMAT.title).into())
}

/// In what the processor's time of samples is measured.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum CpuUnit {
    /// So many nanoseconds make 1000.
    Time(u64),
    #[default]
    Cycles,
}

/// What is said of the whole recording.
#[derive(Default)]
struct Meta {
    /// Nanoseconds from one sample to the next, as was asked for.
    interval_ns: Option<u64>,
    cpu_unit: Option<CpuUnit>,
    /// When the recording started, as a [`ZERO_INSTANT`](crate::input::json::ZERO_INSTANT) instant.
    start: Option<u64>,
    facts: Vec<(&'static str, String)>,
}

/// What was read so far.
#[derive(Default)]
struct File {
    meta: Meta,
    libs: Vec<Box<str>>,
    shared: Tables,
    threads: Vec<FileThread>,
    has_threads: bool,
    markers: Markers,
    odd: notes::Oddities,
}

impl File {
    fn has_samples(&self) -> bool {
        self.threads.iter().any(|thread| thread.samples.len() > 0)
    }

    fn read_members<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            match key {
                "meta" => self.meta.read(reader).map_err(in_member("meta"))?,
                "libs" => columns::read_libs(reader, &mut self.libs)?,
                "shared" => self.shared.read_all(reader).map_err(in_member("shared"))?,
                "threads" => {
                    self.has_threads = true;
                    let read = |reader: &mut JsonReader<R>| self.read_thread(reader);
                    reader.each(read).map_err(in_member("threads"))?;
                }
                _ => reader.skip()?,
            }
        }
        reader.end()
    }

    fn read_thread<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        // in its place before it is read, so that what was read counts where the file breaks off
        self.threads.push(FileThread::default());
        let Some(thread) = self.threads.last_mut() else {
            return Ok(());
        };
        thread.read(reader, &mut self.markers, &mut self.odd)
    }
}

impl Meta {
    fn read<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        const FACTS: [(&str, &str); 5] = [
            ("product", "program"),
            ("oscpu", "operating system"),
            ("CPUName", "processor"),
            ("arguments", "command line"),
            ("importedFrom", "imported from"),
        ];
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            if let Some(&(_, what)) = FACTS.iter().find(|(name, _)| *name == key) {
                let text = reader.text()?;
                if !text.is_empty() {
                    self.facts.push((what, text));
                }
                continue;
            }
            match key {
                "interval" => {
                    let interval = Quantity::read(reader)?.scaled(columns::NS_PER_MS);
                    let interval = interval.map(|scaled| scaled.value).filter(|&ns| ns > 0);
                    self.interval_ns = interval;
                }
                "profilingStartTime" => {
                    let start = Quantity::read(reader)?.instant(columns::NS_PER_MS);
                    self.start = start.map(|start| start.value);
                }
                "sampleUnits" => self.read_units(reader)?,
                _ => reader.skip()?,
            }
        }
        Ok(())
    }

    fn read_units<R: Read>(&mut self, reader: &mut JsonReader<R>) -> Result<(), JsonError> {
        if !columns::is_object(reader)? {
            return reader.skip();
        }
        reader.enter_object()?;
        while let Some(key) = reader.next_key()? {
            if key != "threadCPUDelta" {
                reader.skip()?;
                continue;
            }
            self.cpu_unit = Some(match reader.text()?.as_str() {
                "ns" => CpuUnit::Time(1),
                "µs" | "us" => CpuUnit::Time(1_000),
                _ => CpuUnit::Cycles,
            });
        }
        Ok(())
    }
}
