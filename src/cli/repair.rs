//! `dotspot convert --repair`: a trace of spans, written again with the callers that its truncated stacks lack.

use super::args::Convert;
use super::files::{self, Destination};
use super::open::Target;
use super::say::{Usage, say};
use super::signals::Watch;
use super::steps;
use crate::cli::messages;
use crate::exporters::{EXPORTERS, exporter_for};
use crate::importers::{Format, ReadOptions, format_of, unpack};
use crate::input::{Failure, ImportError, Input, Progress, plain};
use crate::repair::{self, Examined, RewriteError, Rewritten};
use crate::units::{counted, size};
use anyhow::{Result, anyhow};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// How many nanoseconds a microsecond has.
const NANOSECONDS: u64 = 1_000;

/// Writes the repaired trace, and says what was done.
///
/// # Errors
/// The file is no trace of dotnet-trace's, or can't be read; the output can't be written.
pub(super) fn repair(out: &mut dyn Write, args: &Convert) -> Result<()> {
    let target = Target::new(Some(&args.source.file));
    let progress = Progress::default();
    let steps = steps::Watch::on_terminal(&progress);
    let mut watch = target
        .is_file_on_disk()
        .then(|| Watch::start(&progress))
        .transpose()?;
    let outcome = repair_watched(out, args, &target, &progress, &mut watch);
    drop(steps);
    if let Some(watch) = watch {
        watch.end();
    }
    outcome
}

/// A file is written under the same `watch`, which then is over.
fn repair_watched(
    out: &mut dyn Write,
    args: &Convert,
    target: &Target,
    progress: &Progress,
    watch: &mut Option<Watch>,
) -> Result<()> {
    let mut wanted = args.source.reading.options().reading;
    let trace = Trace::new(target, progress)?;
    let input = trace.open(&wanted, progress)?;
    let format = match wanted.format {
        Some(format) => format,
        None => format_of(&input)?,
    };
    check_formats(args, format)?;
    // a zip archive is searched for the same member again
    wanted.format = Some(format);
    progress.begin(messages::PHASE_FIND_TRUNCATED);
    let examined = repair::examine(input, format)?;
    say_odd(&examined.counts().odd);
    progress.begin(messages::PHASE_WRITE_REPAIRED);
    let mut job = Job {
        trace,
        wanted,
        progress,
        examined,
        join_gap: args.join_gap.saturating_mul(NANOSECONDS),
    };
    let Some(path) = args.out.path() else {
        let done = job.write(out)??;
        out.flush()?;
        say(&job.examined.counts().sentence(done));
        return Ok(());
    };
    // a trace may be repaired in place by its own name, since nothing of it is lost; by another name that is a mistake
    let input = target.file().filter(|read| *read != path);
    let (done, bytes) = job.write_file(
        Destination {
            path,
            input,
            overwrite: args.out.force,
            only_file: false,
        },
        watch.take(),
    )?;
    say(&job.examined.counts().sentence(done));
    say(&format!(
        "wrote {} ({}): {}",
        path.display(),
        format.name,
        size(bytes)
    ));
    Ok(())
}

/// Says which threads are left as they are, once for each reason.
fn say_odd(reasons: &[&str]) {
    for (row, reason) in reasons
        .iter()
        .enumerate()
        .filter(|(row, reason)| !reasons[..*row].contains(reason))
    {
        let threads = counted(
            reasons[row..]
                .iter()
                .filter(|other| other == &reason)
                .count() as u64,
            "thread",
        );
        say(&messages::threads_left_alone(&threads, &reason));
    }
}

/// Makes sure that the file is of a format that can be repaired, and that no other is wanted.
fn check_formats(args: &Convert, format: &Format) -> Result<()> {
    if !repair::FORMATS.contains(&format.name) {
        let sentence =
            messages::repair_needs_converted_trace(&args.source.file.display(), &format.name);
        return Err(Usage::new(sentence).into());
    }
    let name = args
        .out
        .path()
        .and_then(Path::file_name)
        .unwrap_or_default()
        .to_string_lossy();
    // a name that says nothing is that of a call tree
    let named = exporter_for(&name).filter(|named| named.name != EXPORTERS[0].name);
    match args.out.to.or(named) {
        Some(other) if other.name != format.name => {
            let sentence = messages::repair_keeps_format(&format.name, &other.name);
            Err(Usage::new(sentence).into())
        }
        _ => Ok(()),
    }
}

/// A trace that can be opened several times.
enum Trace<'a> {
    OnDisk(&'a Target),
    /// What came from a stream, and its name.
    Kept(NamedTempFile, String),
}

impl<'a> Trace<'a> {
    /// The trace; a stream is read to its end into a temporary file, because it is needed three times.
    fn new(target: &'a Target, progress: &Progress) -> Result<Trace<'a>> {
        if target.is_file_on_disk() {
            return Ok(Trace::OnDisk(target));
        }
        let mut input = target.input(progress.clone())?;
        let unwritten = |error: io::Error| {
            anyhow!(messages::cant_write_temporary(
                &target.name(),
                &plain(&error)
            ))
        };
        let mut file = NamedTempFile::new().map_err(unwritten)?;
        io::copy(&mut input, file.as_file_mut()).map_err(unwritten)?;
        Ok(Trace::Kept(file, input.name))
    }

    /// Opens it at its start, out of its containers.
    fn open(&self, wanted: &ReadOptions, progress: &Progress) -> Result<Input, ImportError> {
        let input = match self {
            Trace::OnDisk(target) => target.input(progress.clone())?,
            Trace::Kept(file, name) => {
                // a handle of its own, which starts at the start
                let file = File::open(file.path()).map_err(|error| {
                    Failure::new(name, "", messages::cant_open_temporary(&plain(&error)))
                })?;
                Input::stream(name, Box::new(file), progress.clone())?
            }
        };
        unpack(input, wanted)
    }
}

/// All that is needed to write the repaired trace.
struct Job<'a> {
    trace: Trace<'a>,
    wanted: ReadOptions,
    progress: &'a Progress,
    examined: Examined,
    join_gap: u64,
}

impl Job<'_> {
    /// Writes it: what was done.
    fn write(&mut self, out: &mut dyn Write) -> Result<io::Result<Rewritten>, ImportError> {
        let structure = self.trace.open(&self.wanted, self.progress)?;
        let text = self.trace.open(&self.wanted, self.progress)?;
        match self.examined.rewrite(structure, text, self.join_gap, out) {
            Ok(done) => Ok(Ok(done)),
            Err(RewriteError::Write(error)) => Ok(Err(error)),
            Err(RewriteError::Read(error)) => Err(error),
        }
    }

    /// Writes it to a file: what was done, and the file's size.
    fn write_file(
        &mut self,
        to: Destination<'_>,
        watch: Option<Watch>,
    ) -> Result<(Rewritten, u64)> {
        let mut outcome = Ok(Rewritten::default());
        let written = files::write_new(to, watch, |out| {
            files::write_packed(out, files::is_gzip(to.path), |out| match self.write(out) {
                Ok(done) => {
                    outcome = Ok(done?);
                    Ok(())
                }
                Err(error) => {
                    outcome = Err(error);
                    Err(io::ErrorKind::Other.into())
                }
            })
        });
        // what was read badly is the reason for what was not written
        Ok((outcome?, written?))
    }
}
