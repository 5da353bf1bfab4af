//! `perf.data`: recordings of Linux perf, read without perf.
//!
//! Samples are converted to what `perf script` prints of them, and then processed as such ([`PerfSamples`]), so that
//! metrics, threads and names are the same. The crate linux-perf-data (0.13) is not used: it allocates according to
//! lengths in the file, loses what was read of truncated files, and depends on the Zstandard library in C;
//! linux-perf-event-reader (0.10) misreads counters in groups as single ones. Stacks that perf copied instead of
//! walking (`--call-graph dwarf`) have only their innermost frame. Big-endian files are refused.

mod file;
mod machine;
mod records;

use super::perf_script::header::SampleHeader;
use super::perf_script::samples::PerfSamples;
use super::symbols::{Names, demangled};
use super::{Format, ReadOptions};
use crate::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use crate::importers::messages;
use crate::importers::native::{file_name, is_not_module};
use crate::input::error::TreeBuildError;
use crate::input::{Confidence, Head, ImportError, Input, Progress};
use crate::model::Recording;
use file::{FACTS, HOST_NAME, MAGIC, PerfFile, RELEASE};
use indexmap::IndexSet;
use machine::Machine;
use records::{STACK_USER, Stack, kind};
use std::collections::HashMap;

pub(super) const FORMAT: Format = Format {
    name: "perfdata",
    title: "perf.data",
    extensions: &[".data"],
    metrics: messages::METRICS_OF_PERF_DATA,
    limitations: messages::LIMITS_OF_PERF_DATA,
    sniff,
    read,
};

const MAX_LISTED: usize = 5;

fn sniff(head: &Head) -> Option<Confidence> {
    // samples as text next to it are better: they have the names from the recording machine
    head.bytes.starts_with(MAGIC).then_some(Confidence::Name)
}

fn read(mut input: Input, options: &ReadOptions) -> Result<Recording, ImportError> {
    let name = input.name.clone();
    let mut file = PerfFile::read(input.read_all()?, &input)?;
    let build_ids = std::mem::take(&mut file.build_ids);
    let machine = (file.text(HOST_NAME), file.text(RELEASE));
    let names = Names::new(&input, machine, build_ids, options.siblings_only);
    let mut reader = Reader {
        samples: PerfSamples::new(),
        machine: Machine::default(),
        names,
        nameless: HashMap::default(),
        unreadable: 0,
    };
    let read = reader.records(&file, &input.progress);
    read.map_err(|error| error.for_file(&name, FORMAT.title))?;
    let diagnostics = reader.diagnostics(&file);
    let facts = FACTS.map(|(number, what)| (what, file.text(number).to_string()));
    let file = (&*name, &FORMAT, &reader.names.maps);
    let failure = (messages::NO_SAMPLE_IN_PERF_DATA, messages::RECORD_WITH_PERF);
    let samples = reader.samples;
    samples.finish(file, facts.into(), diagnostics, failure)
}

struct Reader {
    samples: PerfSamples,
    machine: Machine,
    names: Names,
    nameless: HashMap<usize, u64, foldhash::fast::RandomState>,
    unreadable: u64,
}

impl Reader {
    fn records(&mut self, file: &PerfFile, progress: &Progress) -> Result<(), TreeBuildError> {
        let mut stack = Stack::new();
        for (event, record) in file.records() {
            progress.at(self.samples.len())?;
            if record.kind != kind::SAMPLE {
                // a truncated record is ignored
                self.machine.read(&record, &mut self.names);
            } else if let Some(header) = event.sample(&record, &mut stack) {
                self.sample(header, &stack)?;
            } else {
                self.unreadable += 1;
            }
        }
        Ok(())
    }

    fn sample(&mut self, header: SampleHeader, stack: &Stack) -> Result<(), TreeBuildError> {
        let pid = header.pid.unwrap_or_default();
        let comm = &*self.machine.name(pid, header.tid);
        let mut sample = self.samples.begin(&SampleHeader { comm, ..header })?;
        for &(owner, address) in stack {
            let found = self.machine.file(owner, address);
            let name = self.names.name((owner, address), found)?;
            let path = found.map_or("", |(_, file, _)| &file.path);
            let frame = self.samples.frame(name.unwrap_or(""), path, demangled);
            if !self.samples.push(&mut sample, frame)
                && let Some((file, ..)) = found
            {
                *self.nameless.entry(file).or_default() += 1;
            }
        }
        Ok(self.samples.add(sample)?)
    }

    fn diagnostics(&self, file: &PerfFile) -> Vec<Diagnostic> {
        let has_copies = file.events.iter().any(|event| event.has(STACK_USER));
        let first = [
            file.incomplete_at.map(Diagnostic::file_ends_at),
            Anomaly::PerfEventsLost.times(self.machine.lost),
            partly::EVENTS_TOO_SHORT.times(self.unreadable),
            partly::MAPPINGS_TOO_MANY.times(self.machine.left_out),
            has_copies.then_some(Diagnostic::StacksNotWalked {}),
            self.nameless(),
        ];
        let first = first.into_iter().flatten();
        first.chain(self.samples.diagnostics()).collect()
    }

    fn nameless(&self) -> Option<Diagnostic> {
        let counts = self.samples.frame_counts;
        let permille = counts.permille()?;
        // addresses in no file usually come from stacks that could not be walked
        let path = |file: usize| &*self.machine.files[file].path;
        let nameless = self.nameless.iter();
        let mut by_path: Vec<_> = nameless.map(|(&file, count)| (path(file), count)).collect();
        by_path.sort_by(|(a, most), (b, more)| more.cmp(most).then(a.cmp(b)));
        if is_not_module(by_path.first()?.0) && self.names.maps.is_missing {
            return counts.diagnostic(NamelessCause::NoPerfMap);
        }
        let modules = by_path.iter().filter(|(path, _)| !is_not_module(path));
        let modules: IndexSet<&str> = modules.map(|(path, _)| file_name(path)).collect();
        let listed = modules.iter().take(MAX_LISTED);
        Some(Diagnostic::NamelessModules {
            permille,
            modules: listed.map(|&module| module.into()).collect(),
            more_modules: modules.len().saturating_sub(MAX_LISTED),
        })
    }
}
