//! Puts the missing callers of truncated stacks back into traces of spans: what dotnet-trace writes as speedscope or Chromium
//! trace-event JSON.
//!
//! In these files a thread is a row of spans, one inside the other. Where the recorder cut stacks at 100 frames, the outer
//! spans end and others begin, all at one time, and the frames of the middle of the program stand directly below their
//! thread. [`examine`] reads a file once, finds the truncated stacks and the callers they lack, as importers do
//! (`crate::truncation`). [`Examined::rewrite`] reads it again and copies it, with other events in threads where
//! something was found:
//!
//! - Between the thread and a stack that was repaired stand its callers, spelled as they are elsewhere in the file.
//! - A span that ends and begins again, in the same callers and after a gap that is small enough, goes on: it is joined. So
//!   that the sums of times stay, `CPU_TIME` and `UNMANAGED_CODE_TIME` are joined only where there is no gap.
//! - All else is copied as it is spelled, in the same order: other threads, stacks for which no callers were found.
//! - In trace events an end and a begin of one thread never share a time, see [`turns`].
//!
//! Only what is like TraceEvent's own is rewritten: the events of a thread stand in one place, in order of time, each end
//! belongs to the innermost span, and no event has members of other kinds. Threads that are not like that are left as they
//! are, and [`Counts::odd`] says why.
//!
//! In memory are the tree of the different stacks, as they were and repaired, 13 bytes for each time that a stack lasted
//! (what it was and what became of it), and the open spans of one thread with the events between
//! two states. The file is not: its text is read beside its structure, in a second stream.

mod chromium;
mod copy;
mod counts;
mod events;
pub(crate) mod messages;
mod replay;
mod spans;
mod speedscope;
mod survey;
mod turns;

pub use counts::{Counts, Rewritten};

use crate::importers::Format;
use crate::input::json::JsonReader;
use crate::input::{Failure, ImportError, Input};
use crate::model::TooLarge;
use copy::Text;
use events::{Failed, Odd, Part, Phases, Rows, SpanEvent, Visitor};
use spans::{Elements, Rewriter};
use std::io::{self, Read, Write};
use std::ops::Range;
use survey::{Plan, Survey};
use turns::Turns;

/// The names of the formats whose files can be repaired, as [`Format::name`].
pub const FORMATS: [&str; 2] = ["trace-event", "speedscope"];

enum Kind {
    Chromium(Box<chromium::Known>),
    Speedscope(speedscope::Known),
}

/// A file of which the truncated stacks are known.
pub struct Examined {
    file: String,
    format: &'static Format,
    plan: Plan,
    kind: Kind,
}

/// Why a repaired file was not written.
#[derive(Debug)]
pub enum RewriteError {
    /// It can't be read again.
    Read(ImportError),
    /// It can't be written.
    Write(io::Error),
}

/// Reads a file and finds out which of its stacks are truncated and what they lack. `format` is one of [`FORMATS`].
///
/// # Errors
/// Those of a reader of the format; a file that breaks off, or that is not like those of dotnet-trace.
pub fn examine(input: Input, format: &'static Format) -> Result<Examined, ImportError> {
    let file = input.name.clone();
    let mut kind = match format.name {
        "speedscope" => Kind::Speedscope(speedscope::Known::default()),
        _ => Kind::Chromium(Box::default()),
    };
    let progress = input.progress.clone();
    let mut reader = JsonReader::new(input).watched_by(progress);
    let mut survey = Survey::new();
    let walked = kind.walk(&mut reader, &mut survey);
    walked.map_err(|failed| failed.into_import_error(&file, format))?;
    let offset = reader.offset();
    if !kind.rows().are_of_traceevent() {
        let problem = messages::NO_SPANS;
        let advice = messages::ONLY_FOR_CONVERTED;
        return Err(Failure::new(file, format.title, problem)
            .advice(advice)
            .into());
    }
    let plan = survey.finish(kind.rows());
    let plan = plan.map_err(|TooLarge| Failed::full(offset).into_import_error(&file, format))?;
    Ok(Examined {
        file,
        format,
        plan,
        kind,
    })
}

impl Kind {
    fn walk<R: Read>(
        &mut self,
        reader: &mut JsonReader<R>,
        visitor: &mut impl Visitor,
    ) -> Result<(), Failed> {
        match self {
            Kind::Chromium(known) => chromium::walk(reader, known, visitor),
            Kind::Speedscope(known) => speedscope::walk(reader, known, visitor),
        }
    }

    fn rows(&self) -> &Rows {
        match self {
            Kind::Chromium(known) => &known.rows,
            Kind::Speedscope(known) => &known.rows,
        }
    }

    fn phases(&self) -> Phases {
        match self {
            Kind::Chromium(_) => chromium::PHASES,
            Kind::Speedscope(_) => speedscope::PHASES,
        }
    }
}

impl Failed {
    fn into_import_error(self, file: &str, format: &Format) -> ImportError {
        match self {
            Failed::Json(error) => error.into_import_error(file, format.title),
            Failed::Changed | Failed::Write(_) => {
                let problem = messages::FILE_CHANGED;
                Failure::new(file, format.title, problem)
                    .advice(messages::WAIT_FOR_WRITER)
                    .into()
            }
        }
    }
}

impl Examined {
    /// What was found.
    pub fn counts(&self) -> &Counts {
        &self.plan.counts
    }

    /// Writes the repaired file. `structure` and `text` are the examined file, opened anew. Spans are joined where the gap is at
    /// most `join_gap` nanoseconds.
    ///
    /// # Errors
    /// The output can't be written; the file has changed since.
    pub fn rewrite(
        &mut self,
        structure: Input,
        text: Input,
        join_gap: u64,
        out: &mut dyn Write,
    ) -> Result<Rewritten, RewriteError> {
        let progress = structure.progress.clone();
        let mut text = Text::new(text, progress.clone());
        let failed = |failed: Failed| match failed {
            Failed::Write(error) => RewriteError::Write(error),
            failed => RewriteError::Read(failed.into_import_error(&self.file, self.format)),
        };
        let has_turns = matches!(self.kind, Kind::Chromium(_));
        if self.plan.counts.repaired == 0 && !has_turns {
            return text
                .copy_rest(out)
                .map(|()| Rewritten::default())
                .map_err(failed);
        }
        let mut reader = JsonReader::new(structure).watched_by(progress);
        let mut writer = Writer {
            plan: &self.plan,
            phases: self.kind.phases(),
            join_gap,
            text,
            out: Elements::new(out),
            current: None,
            copied: None,
            has_turns,
            done: Rewritten::default(),
        };
        let walked = self.kind.walk(&mut reader, &mut writer);
        walked
            .and_then(|()| writer.text.copy_rest(writer.out.out))
            .map_err(failed)?;
        writer.end_copied();
        Ok(writer.done)
    }
}

/// The second pass.
struct Writer<'a, R> {
    plan: &'a Plan,
    phases: Phases,
    join_gap: u64,
    text: Text<R>,
    out: Elements<'a>,
    current: Option<Rewriter<'a>>,
    /// The thread that is copied, if its times are looked at.
    copied: Option<(u32, Turns)>,
    has_turns: bool,
    done: Rewritten,
}

impl<R: Read> Writer<'_, R> {
    fn end_track(&mut self, rows: &Rows) -> Result<(), Failed> {
        let Some(mut current) = self.current.take() else {
            return Ok(());
        };
        current.finish(rows, &mut self.out)?;
        self.done.joined += current.joined;
        self.done.moved += current.turns.map_or(0, |turns| turns.moved);
        Ok(())
    }

    fn end_copied(&mut self) {
        self.done.moved += self.copied.take().map_or(0, |(_, turns)| turns.moved);
    }

    /// Copies an event, whose time is another if it would share that of the event before it.
    fn copy_event(&mut self, track: u32, event: &SpanEvent, rows: &Rows) -> Result<(), Failed> {
        if self
            .copied
            .as_ref()
            .is_none_or(|(copied, _)| *copied != track)
        {
            self.end_copied();
            self.copied =
                (self.has_turns && !self.plan.is_odd(track)).then(|| (track, Turns::default()));
        }
        let at = self
            .copied
            .as_mut()
            .map(|(_, turns)| turns.place(event.does, event.at.exact));
        let place = event
            .parts
            .iter()
            .find(|(part, _)| *part == Part::At)
            .map(|(_, place)| place);
        if let (Some(at), Some(place)) = (at.filter(|at| *at != event.at.exact), place) {
            self.copy(event.text.start..place.start, rows)?;
            write!(self.out.out, "{at}")?;
            self.text.read_to(place.end, &mut Vec::new())?;
        }
        self.copy(event.text.clone(), rows)
    }

    fn copy(&mut self, text: Range<u64>, rows: &Rows) -> Result<(), Failed> {
        self.end_track(rows)?;
        self.out.pass();
        self.text.copy_to(text.end, self.out.out)
    }
}

impl<R: Read> Visitor for Writer<'_, R> {
    fn array_begins(&mut self, offset: u64, rows: &Rows) -> Result<(), Failed> {
        self.end_track(rows)?;
        self.text.copy_to(offset, self.out.out)?;
        self.out.begin();
        Ok(())
    }

    fn array_ends(&mut self, offset: u64, rows: &Rows) -> Result<(), Failed> {
        self.end_track(rows)?;
        self.text.copy_to(offset, self.out.out)
    }

    fn event(&mut self, track: u32, event: &SpanEvent, rows: &Rows) -> Result<(), Failed> {
        let Some(samples) = self.plan.to_be_rewritten(track) else {
            return self.copy_event(track, event, rows);
        };
        if self
            .current
            .as_ref()
            .is_none_or(|current| current.replay.track() != track)
        {
            self.end_track(rows)?;
            self.current = Some(Rewriter::new(
                self.plan,
                track,
                samples,
                (self.phases, self.has_turns),
                self.join_gap,
            ));
        }
        match &mut self.current {
            Some(current) => current.event(event, rows, &mut self.text, &mut self.out),
            None => Ok(()),
        }
    }

    fn other(
        &mut self,
        text: Range<u64>,
        _: Option<(u32, Odd)>,
        rows: &Rows,
    ) -> Result<(), Failed> {
        self.copy(text, rows)
    }
}
