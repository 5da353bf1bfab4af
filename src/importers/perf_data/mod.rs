//! `perf.data`: what Linux perf records, read without perf.
//!
//! - [`file`]: the head, piped and compressed files, events, and what the file says of the machine.
//! - [`records`]: samples, and what processes do.
//! - [`processes`]: names of threads, and which file was where in memory when a sample was taken.
//!
//! Samples become what `perf script` prints of them, and are read on as such ([`SamplesRead`]): metrics, threads and names are
//! the same. The crate linux-perf-data (0.13) is not used: it allocates what lengths in the file say, loses what was read of files
//! that break off, and takes Zstandard's library in C; linux-perf-event-reader (0.10), below it, takes counters that are read in
//! groups for single ones. Stacks that perf copied in place of walking them (`--call-graph dwarf`) have their
//! innermost frame only. Files of machines whose numbers begin with the highest byte are refused.

mod file;
mod processes;
mod records;

use super::perf_script::header::SampleHeader;
use super::perf_script::samples::SamplesRead;
use super::symbols::{Names, demangled};
use super::{Format, ReadOptions};
use crate::diagnostics::{
    Anomaly, BrokenOff, Diagnostic, Ending, NamelessCause, Remark, TraceDiagnostic, partly,
};
use crate::importers::messages;
use crate::importers::native::{file_name, is_no_module};
use crate::input::cursor::Cursor;
use crate::input::error::{GrowError, too_large};
use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress};
use crate::model::{Recording, TooLarge};
use file::{MAGIC, PerfFile};
use processes::Processes;
use records::{Event, Mode, Record, field, kind};
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
    // where the samples are packed as text, too, those have the names of the machine that recorded
    let is_one = head.bytes.starts_with(MAGIC);
    is_one.then_some(Confidence::Name)
}

/// Reads a file of this format.
///
/// # Errors
/// Cancelled; the file can't be read; it has no sample. One that breaks off is read as far as it goes.
fn read(mut input: Input, options: &ReadOptions) -> Result<Recording, ImportError> {
    let name = input.name.clone();
    let mut file = PerfFile::read(input.read_all()?, &input)?;
    let build_ids = std::mem::take(&mut file.build_ids);
    let machine = (&*file.host_name, file.release());
    let mut reader = Reader {
        samples: SamplesRead::new(),
        processes: Processes::default(),
        names: Names::new(&input, machine, build_ids, options.beside_only),
        nameless: HashMap::default(),
        stack: Vec::new(),
        lost: 0,
        unreadable: file.empty_samples,
    };
    let read = reader.records(&file, &input.progress);
    read.map_err(|error| error.of_file(&name, FORMAT.title))?;
    if reader.samples.count() == 0 {
        let failure = Failure::new(&name, FORMAT.title, messages::NO_SAMPLE_IN_PERF_DATA);
        return Err(failure.advice(messages::RECORD_WITH_PERF).into());
    }
    let diagnostics = reader.diagnostics(&file);
    let mut facts = file.facts;
    facts.extend(reader.samples.meaning().map(|text| ("metrics", text)));
    facts.extend(reader.names.maps.used().map(|text| ("perf map", text)));
    let samples = reader.samples;
    let recording = samples.profile((name.clone(), FORMAT.name), facts, diagnostics);
    recording.map_err(|TooLarge| too_large(&name, FORMAT.title).into())
}

/// What was read so far.
struct Reader {
    samples: SamplesRead,
    processes: Processes,
    names: Names,
    /// How many frames have no name, by the number of the file.
    nameless: HashMap<usize, u64, foldhash::fast::RandomState>,
    stack: Vec<(Mode, u64)>,
    lost: u64,
    /// How many samples are shorter than they should be.
    unreadable: u64,
}

impl Reader {
    fn records(&mut self, file: &PerfFile, progress: &Progress) -> Result<(), GrowError> {
        for (number, (event, record)) in file.records().enumerate() {
            // a sample has up to 8,000 frames
            if number % 16 == 0 {
                progress.at(self.samples.len())?;
            }
            match (record.kind, event) {
                (kind::SAMPLE, Some(event)) => self.sample(event, &record)?,
                (kind::SAMPLE, None) => self.unreadable += 1,
                // one that is too short says nothing
                _ => drop(self.other(&record)),
            }
        }
        Ok(())
    }

    /// Takes in what a process does.
    fn other(&mut self, record: &Record) -> Option<()> {
        match record.kind {
            kind::COMM => self.processes.named(record.body)?,
            kind::FORK => {
                let (pid, time_ns) = self.processes.forked(record.body)?;
                self.names.add_start(pid, time_ns);
            }
            kind::EXIT => self.processes.ended(record.body)?,
            kind::MMAP | kind::MMAP_2 => {
                let (pid, file) = self.processes.mapped(record)?;
                self.names.add_dump(pid, &file.path);
            }
            kind => {
                let mut fields = Cursor::new(record.body);
                // the number of the event
                fields.skip(if kind == kind::LOST { 8 } else { 0 })?;
                self.lost = self.lost.saturating_add(fields.u64()?);
            }
        }
        Some(())
    }

    fn sample(&mut self, event: &Event, record: &Record) -> Result<(), GrowError> {
        let mut stack = std::mem::take(&mut self.stack);
        if event.stack(record, &mut stack).is_none() {
            self.unreadable += 1;
            return Ok(());
        }
        let ids = event.field(field::TID, record).unwrap_or(u64::MAX);
        let (pid, tid) = (ids as u32, (ids >> 32) as u32);
        let period = event.field(field::PERIOD, record);
        let comm = self.processes.name(pid, tid);
        let header = SampleHeader {
            comm: &comm,
            pid: Some(pid),
            tid,
            time_ns: event.field(field::TIME, record),
            period: period.or(Some(event.period)),
            event: &event.name,
            rest: "",
        };
        let mut begun = self.samples.begin(&header)?;
        for &(mode, address) in &stack {
            let place = self.processes.file(pid, mode, address);
            let found = place.map(|(number, place)| (number, &self.processes.files[number], place));
            let path = found.map_or("", |(_, file, _)| &file.path);
            let name = match mode {
                Mode::User => self.names.user_code((pid, address), found)?,
                Mode::Kernel => {
                    let start = self.processes.kernel_start;
                    self.names.kernel_code(path, address, start)
                }
                Mode::Other => None,
            };
            let frame = self.samples.frame(name.unwrap_or(""), path, demangled);
            if !self.samples.push(&mut begun, frame)
                && let Some((number, ..)) = found
            {
                *self.nameless.entry(number).or_default() += 1;
            }
        }
        self.stack = stack;
        Ok(self.samples.add(begun)?)
    }

    fn diagnostics(&self, file: &PerfFile) -> Vec<Diagnostic> {
        let copies = field::STACK_USER;
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

    fn nameless(&self) -> Option<Diagnostic> {
        let counts = self.samples.frame_counts;
        let permille = counts.permille()?;
        // addresses in no file are mostly of stacks that could not be walked
        let mut by_path: HashMap<&str, u64> = HashMap::new();
        for (&file, count) in &self.nameless {
            *by_path.entry(&self.processes.files[file].path).or_default() += count;
        }
        let mut by_path: Vec<(&str, u64)> = by_path.into_iter().collect();
        by_path.sort_by(|(a, most), (b, more)| more.cmp(most).then(a.cmp(b)));
        if is_no_module(by_path.first()?.0) && self.names.maps.is_missing {
            return counts.diagnostic(NamelessCause::NoPerfMap);
        }
        let modules = by_path.iter().filter(|(path, _)| !is_no_module(path));
        let mut modules: Vec<String> = modules.map(|(path, _)| file_name(path).into()).collect();
        let more_modules = modules.len().saturating_sub(MAX_LISTED);
        modules.truncate(MAX_LISTED);
        Some(Diagnostic::Trace(TraceDiagnostic::NamelessModules {
            permille,
            modules,
            more_modules,
        }))
    }
}
