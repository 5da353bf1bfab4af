//! `perf.data`: what Linux perf records, read without perf.
//!
//! - [`file`]: the head, piped and compressed files, events, and what the file says of the machine.
//! - [`records`]: samples, and what processes do.
//! - [`processes`]: names of threads, and which file was where in memory when a sample was taken.
//! - [`names`]: names of functions: from maps, dumps and files that are there, if they are those that were recorded.
//! - [`elf`], [`demangle`]: symbols.
//!
//! Samples become what `perf script` prints of them, and are read on as such ([`SamplesRead`]): metrics, threads and names are
//! the same. The crate linux-perf-data (0.13) is not used: it allocates what lengths in the file say, loses what was read of files
//! that break off, and takes Zstandard's library in C; linux-perf-event-reader (0.10), below it, takes counters that are read in
//! groups for single ones. Stacks that perf copied in place of walking them (`--call-graph dwarf`) have their
//! innermost frame only.

mod demangle;
mod elf;
mod fields;
mod file;
mod names;
mod processes;
mod records;

use super::perf_script::header::SampleHeader;
use super::perf_script::samples::SamplesRead;
use super::{Format, ReadOptions};
use crate::diagnostics::{
    Anomaly, BrokenOff, Diagnostic, Ending, NamelessCause, Remark, TraceDiagnostic, partly,
};
use crate::importers::messages;
use crate::importers::native::{file_name, is_no_module};
use crate::input::error::too_large;
use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress};
use crate::model::{FrameId, Recording, TooLarge};
use fields::Fields;
use file::{MAGIC, PerfFile, Record, kind};
use names::Names;
use processes::Processes;
use records::{MappingRecord, Mode, SampleRecord};
use std::collections::HashMap;

/// The format's row in the table.
pub(super) const FORMAT: Format = Format {
    name: "perfdata",
    title: "perf.data",
    extensions: &[".data"],
    metrics: messages::METRICS_OF_PERF_DATA,
    limitations: messages::LIMITS_OF_PERF_DATA,
    sniff,
    read,
};

/// How many modules without names are listed.
const MAX_LISTED: usize = 5;

fn sniff(head: &Head) -> Option<Confidence> {
    let is_one = MAGIC.iter().any(|magic| head.bytes.starts_with(magic));
    // where the samples are packed as text, too, those have the names of the machine that recorded
    is_one.then_some(Confidence::Name)
}

/// Reads a file of this format.
///
/// # Errors
/// Cancelled; the file can't be read; it has no sample. One that breaks off is read as far as it goes.
fn read(mut input: Input, options: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let bytes = input.read_all()?;
    let mut file = PerfFile::read(bytes, &input)?;
    let build_ids = std::mem::take(&mut file.build_ids);
    let mut reader = Reader {
        samples: SamplesRead::new(),
        processes: Processes::default(),
        names: Names::new(
            &input,
            (&file.host_name, file.release()),
            build_ids,
            options.siblings_only,
        ),
        frames: HashMap::default(),
        nameless: HashMap::default(),
        stack: Vec::new(),
        lost: 0,
        unreadable: file.empty_samples,
        name: &name,
    };
    reader.records(&file, &progress)?;
    if reader.samples.count() == 0 {
        let failure = Failure::new(&name, FORMAT.title, messages::NO_SAMPLE_IN_PERF_DATA);
        return Err(failure.advice(messages::RECORD_WITH_PERF).into());
    }
    let diagnostics = reader.diagnostics(&file);
    let mut facts = file.facts;
    facts.extend(reader.samples.meaning().map(|text| ("metrics", text)));
    facts.extend(reader.names.maps_used().map(|text| ("perf map", text)));
    let recording = reader
        .samples
        .profile((name.clone(), FORMAT.name), facts, diagnostics);
    recording.map_err(|TooLarge| too_large(&name, FORMAT.title).into())
}

type FramesByName = HashMap<Box<str>, FrameId, foldhash::fast::RandomState>;

/// What was read so far.
struct Reader<'a> {
    samples: SamplesRead,
    processes: Processes,
    names: Names,
    /// By the number of the module and the name as it is.
    frames: HashMap<Option<usize>, FramesByName, foldhash::fast::RandomState>,
    /// How many frames have no name, by the number of the module.
    nameless: HashMap<Option<usize>, u64, foldhash::fast::RandomState>,
    stack: Vec<(Mode, u64)>,
    lost: u64,
    /// How many samples are shorter than they should be.
    unreadable: u64,
    name: &'a str,
}

impl Reader<'_> {
    fn records(&mut self, file: &PerfFile, progress: &Progress) -> Result<(), ImportError> {
        for (number, record) in file.records().enumerate() {
            // a sample has up to 8,000 frames
            if number % 16 == 0 {
                progress.at(self.samples.len())?;
            }
            let fields = Fields::new(record.body, file.is_big_endian);
            if record.kind == kind::SAMPLE {
                self.sample(file, &record, fields)?;
            } else {
                // one that is too short says nothing
                let _ = self.other(&record, fields);
            }
        }
        Ok(())
    }

    /// Takes in what a process does.
    fn other(&mut self, record: &Record, mut fields: Fields) -> Option<()> {
        match record.kind {
            kind::COMM => self.processes.named(fields, record.body),
            kind::FORK => {
                let (pid, time_ns) = self.processes.forked(fields)?;
                self.names.add_start(pid, time_ns);
                Some(())
            }
            kind::EXIT => self.processes.ended(fields),
            kind::MMAP | kind::MMAP_2 => {
                let mapping = MappingRecord::read(fields, record)?;
                self.names.add_dump(mapping.pid, &mapping.path);
                self.processes.mapped(mapping);
                Some(())
            }
            kind::LOST => {
                fields.skip(8)?;
                self.lost = self.lost.saturating_add(fields.u64()?);
                Some(())
            }
            kind::LOST_SAMPLES => {
                self.lost = self.lost.saturating_add(fields.u64()?);
                Some(())
            }
            _ => None,
        }
    }

    fn sample(
        &mut self,
        file: &PerfFile,
        record: &Record,
        fields: Fields,
    ) -> Result<(), ImportError> {
        let mut stack = std::mem::take(&mut self.stack);
        let event = file.events.get(record.event);
        let read = event.and_then(|event| {
            let sample = SampleRecord::read(fields, event, record.misc, &mut stack)?;
            Some((event, sample))
        });
        let Some((event, sample)) = read else {
            self.unreadable += 1;
            return Ok(());
        };
        let comm = self.processes.name(sample.pid, sample.tid);
        let header = SampleHeader {
            comm: &comm,
            pid: Some(sample.pid),
            tid: sample.tid,
            time_ns: sample.time_ns,
            period: Some(sample.period),
            event: &event.name,
            rest: "",
        };
        let too_large = |TooLarge| too_large(self.name, FORMAT.title);
        let mut begun = self.samples.begin(&header).map_err(too_large)?;
        for &(mode, address) in &stack {
            let code = self
                .names
                .code(&self.processes, (sample.pid, mode, address))?;
            let name = code.name.unwrap_or("");
            let frames = self.frames.entry(code.module).or_default();
            let frame = match frames.get(name) {
                Some(&known) => known,
                None => {
                    let frame = self.samples.frame(&demangle::demangled(name), code.file);
                    frames.insert(name.into(), frame);
                    frame
                }
            };
            if !self.samples.push(&mut begun, frame) {
                *self.nameless.entry(code.module).or_default() += 1;
            }
        }
        self.stack = stack;
        Ok(self.samples.add(begun).map_err(too_large)?)
    }

    fn diagnostics(&mut self, file: &PerfFile) -> Vec<Diagnostic> {
        let copies = file::field::STACK_USER;
        let has_copies = file.events.iter().any(|event| event.fields & copies != 0);
        let first = [
            file.broken_off
                .map(|at| BrokenOff::at(at, Ending::Plain {})),
            Anomaly::PerfEventsLost.times(self.lost),
            partly::EVENTS_TOO_SHORT.times(self.unreadable),
            partly::MAPPINGS_TOO_MANY.times(self.processes.left_out),
            has_copies.then_some(Diagnostic::plain(Remark::StacksNotWalked)),
            self.nameless(),
        ];
        let first = first.into_iter().flatten();
        first.chain(self.samples.diagnostics()).collect()
    }

    fn nameless(&mut self) -> Option<Diagnostic> {
        let counts = self.samples.frame_counts;
        let permille = counts.permille()?;
        let mut by_file: HashMap<&str, u64> = HashMap::new();
        for (&module, count) in &self.nameless {
            // addresses in no file are mostly of stacks that could not be walked
            let Some(module) = module else { continue };
            let file = self.processes.modules[module].path.as_str();
            *by_file.entry(file).or_default() += count;
        }
        let mut by_file: Vec<(&str, u64)> = by_file.into_iter().collect();
        by_file.sort_by(|(a, most), (b, more)| more.cmp(most).then(a.cmp(b)));
        if is_no_module(by_file.first()?.0) && self.names.lacks_map() {
            return counts.diagnostic(NamelessCause::NoPerfMap);
        }
        let modules = by_file.iter().filter(|(file, _)| !is_no_module(file));
        let mut modules: Vec<String> = modules.map(|(file, _)| file_name(file).into()).collect();
        let more_modules = modules.len().saturating_sub(MAX_LISTED);
        modules.truncate(MAX_LISTED);
        Some(Diagnostic::Trace(TraceDiagnostic::NamelessModules {
            permille,
            modules,
            more_modules,
        }))
    }
}
