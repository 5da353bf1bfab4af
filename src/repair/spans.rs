//! The spans of a thread as they are written: with the callers that were missing, and joined.

use super::copy::Text;
use super::events::{At, Does, Failed, Part, Phases, Role, Rows, SpanEvent, Spelling};
use super::replay::{Replay, State};
use super::survey::Plan;
use super::turns::Turns;
use crate::model::RawNode;
use std::io::{Read, Write};
use std::ops::Range;

/// Writes the elements of an array with what stands between them.
pub(super) struct Elements<'o> {
    pub out: &'o mut dyn Write,
    /// What stood in front of the last element that was read.
    lead: Vec<u8>,
    /// Whether no element of the array was read.
    is_fresh: bool,
    /// Whether none was written.
    is_first: bool,
}

impl<'o> Elements<'o> {
    pub(super) fn new(out: &'o mut dyn Write) -> Elements<'o> {
        Elements {
            out,
            lead: b", ".to_vec(),
            is_fresh: true,
            is_first: true,
        }
    }

    /// An array begins.
    pub(super) fn begin(&mut self) {
        (self.is_fresh, self.is_first) = (true, true);
    }

    /// An element is copied with what stands in front of it.
    pub(super) fn pass(&mut self) {
        (self.is_fresh, self.is_first) = (false, false);
    }

    /// Takes what stands in front of an element: white space, and a comma unless it is the first.
    ///
    /// # Errors
    /// It can't be written.
    pub(super) fn take_lead<R: Read>(
        &mut self,
        text: &mut Text<R>,
        element: u64,
    ) -> Result<(), Failed> {
        if std::mem::take(&mut self.is_fresh) {
            return text.copy_to(element, self.out);
        }
        self.lead.clear();
        text.read_to(element, &mut self.lead)
    }

    fn write(&mut self, element: &[u8]) -> Result<(), Failed> {
        if !std::mem::take(&mut self.is_first) {
            self.out.write_all(&self.lead)?;
        }
        Ok(self.out.write_all(element)?)
    }
}

/// An open span, or one that is closed unless it is joined to the next.
struct Span {
    row: u32,
    closed: Option<Closed>,
}

struct Closed {
    nanoseconds: u64,
    /// The event that closes it.
    event: Spelled,
}

/// The text of an event.
struct Spelled {
    text: Box<[u8]>,
    /// Its time, and where that stands in the text.
    at: f64,
    at_place: Range<usize>,
}

/// An event, by which others are spelled.
struct Template {
    text: Vec<u8>,
    parts: Vec<(Part, Range<usize>)>,
}

impl Template {
    fn new(text: &[u8], event: &SpanEvent) -> Template {
        let within = |range: Range<u64>| {
            let place = |offset: u64| {
                usize::try_from(offset.saturating_sub(event.text.start)).unwrap_or(usize::MAX)
            };
            place(range.start)..place(range.end)
        };
        let parts = event
            .parts
            .iter()
            .map(|(part, range)| (part, within(range)));
        Template {
            text: text.to_vec(),
            parts: parts.collect(),
        }
    }

    /// An event spelled like this one, and where its time stands in it.
    fn spell(&self, phase: &[u8], at: &[u8], spelling: &Spelling) -> (Box<[u8]>, Range<usize>) {
        let (mut text, mut done, mut at_place) = (Vec::new(), 0, 0..0);
        for (part, range) in &self.parts {
            let new = match part {
                Part::Phase => phase,
                Part::At => at,
                Part::Name => &spelling.name,
                Part::Category => &spelling.category,
                Part::Frame => &spelling.frame,
            };
            text.extend_from_slice(self.text.get(done..range.start).unwrap_or_default());
            if *part == Part::At {
                at_place = text.len()..text.len() + new.len();
            }
            text.extend_from_slice(new);
            done = range.end;
        }
        text.extend_from_slice(self.text.get(done..).unwrap_or_default());
        (text.into_boxed_slice(), at_place)
    }
}

/// The events between two states: closes, then opens, all at one time.
#[derive(Default)]
struct Batch {
    texts: Vec<u8>,
    events: Vec<BatchEvent>,
    at: Vec<u8>,
}

/// An event of a batch, with the places of its text and of the time in that.
struct BatchEvent {
    does: Does,
    row: u32,
    text: Range<usize>,
    at_place: Range<usize>,
}

impl Batch {
    fn clear(&mut self) {
        self.texts.clear();
        self.events.clear();
        self.at.clear();
    }

    /// The text of an event of the file, if it is this one, and where its time stands in that.
    fn find(&self, place: Option<usize>, does: Does, row: u32) -> Option<(&[u8], Range<usize>)> {
        let known = self.events.get(place?)?;
        let is_it = (known.does, known.row) == (does, row);
        is_it.then(|| (&self.texts[known.text.clone()], known.at_place.clone()))
    }
}

/// Rewrites a thread.
pub(super) struct Rewriter<'p> {
    plan: &'p Plan,
    phases: Phases,
    join_gap: u64,
    pub replay: Replay,
    samples: Range<usize>,
    batch: Batch,
    template: Option<Template>,
    /// What is open in the file that is written, then what is closed but may be joined. The former is the last state.
    spans: Vec<Span>,
    /// The callers that the last state lacks in the file that is read.
    prefix: Option<RawNode>,
    prefix_rows: Vec<u32>,
    /// How many spans were joined to the one before them.
    pub joined: u64,
    /// The times of what was written, if ends and begins are to be told apart.
    pub turns: Option<Turns>,
}

impl<'p> Rewriter<'p> {
    pub(super) fn new(
        plan: &'p Plan,
        track: u32,
        samples: Range<usize>,
        (phases, has_turns): (Phases, bool),
        join_gap: u64,
    ) -> Rewriter<'p> {
        Rewriter {
            plan,
            phases,
            join_gap,
            replay: Replay::new(track),
            samples,
            batch: Batch::default(),
            template: None,
            spans: Vec::new(),
            prefix: None,
            prefix_rows: Vec::new(),
            joined: 0,
            turns: has_turns.then(Turns::default),
        }
    }

    /// Takes the next event, in front of which the text stands.
    pub(super) fn event<R: Read>(
        &mut self,
        event: &SpanEvent,
        rows: &Rows,
        text: &mut Text<R>,
        out: &mut Elements<'_>,
    ) -> Result<(), Failed> {
        if self.replay.is_state_before(event) {
            self.settle(rows, out)?;
        }
        out.take_lead(text, event.text.start)?;
        let start = self.batch.texts.len();
        text.read_to(event.text.end, &mut self.batch.texts)?;
        self.template
            .get_or_insert_with(|| Template::new(&self.batch.texts[start..], event));
        let at = event
            .parts
            .iter()
            .find(|(part, _)| *part == Part::At)
            .map(|(_, range)| range);
        let place =
            |offset: u64| usize::try_from(offset.saturating_sub(event.text.start)).unwrap_or(0);
        let at_place = at
            .map(|at| place(at.start)..place(at.end))
            .ok_or(Failed::Changed)?;
        if self.batch.at.is_empty() {
            let at = self
                .batch
                .texts
                .get(start + at_place.start..start + at_place.end);
            self.batch.at.extend_from_slice(at.ok_or(Failed::Changed)?);
        }
        let text = start..self.batch.texts.len();
        self.batch.events.push(BatchEvent {
            does: event.does,
            row: event.row,
            text,
            at_place,
        });
        let played = self.replay.play(event, rows, &mut &self.plan.stacks);
        if !matches!(played, Ok(None)) {
            return Err(Failed::Changed);
        }
        Ok(())
    }

    /// Writes what is left when the thread's last event was read.
    pub(super) fn finish(&mut self, rows: &Rows, out: &mut Elements<'_>) -> Result<(), Failed> {
        self.settle(rows, out)?;
        while let Some(Span {
            closed: Some(closed),
            ..
        }) = self.spans.pop_if(|span| span.closed.is_some())
        {
            self.write(Does::Close, closed.event, out)?;
        }
        Ok(())
    }

    /// Writes an event, whose time is another if it would share that of the event before it.
    fn write(&mut self, does: Does, event: Spelled, out: &mut Elements<'_>) -> Result<(), Failed> {
        let Spelled { text, at, at_place } = event;
        match self
            .turns
            .as_mut()
            .map(|turns| turns.place(does, at))
            .filter(|placed| *placed != at)
        {
            None => out.write(&text),
            Some(placed) => {
                let parts = (text.get(..at_place.start), text.get(at_place.end..));
                let (Some(before), Some(behind)) = parts else {
                    return Err(Failed::Changed);
                };
                out.write(&[before, placed.to_string().as_bytes(), behind].concat())
            }
        }
    }

    /// Changes what is open into the stack of now.
    fn settle(&mut self, rows: &Rows, out: &mut Elements<'_>) -> Result<(), Failed> {
        let Some(at) = self.replay.at() else {
            return Ok(());
        };
        let least = self.replay.take_least();
        let prefix = match self.replay.state(rows) {
            Some(state) => self.next_prefix(state)?,
            None => None,
        };
        let mut from = least;
        if prefix != self.prefix {
            from = from.min(self.replay.header());
            self.prefix = prefix;
            match prefix {
                Some(prefix) => self.plan.callers(prefix, &mut self.prefix_rows),
                None => self.prefix_rows.clear(),
            }
        } else if from >= self.replay.header() {
            from += self.prefix_rows.len();
        }
        self.change(from, at, rows, out)?;
        self.batch.clear();
        Ok(())
    }

    fn next_prefix(&mut self, state: State) -> Result<Option<RawNode>, Failed> {
        self.plan
            .prefix(self.samples.next().ok_or(Failed::Changed)?, state)
    }

    /// The frame at a level of the stack of now, in the file that is written.
    fn row(&self, level: usize) -> Option<u32> {
        let (header, missing) = (self.replay.header(), self.prefix_rows.len());
        match level.checked_sub(header) {
            Some(below) if below < missing => Some(self.prefix_rows[below]),
            Some(_) => self.replay.row(level - missing),
            None => self.replay.row(level),
        }
    }

    /// Changes what is open, which is right up to the level `from`, into the stack of now.
    fn change(
        &mut self,
        from: usize,
        at: At,
        rows: &Rows,
        out: &mut Elements<'_>,
    ) -> Result<(), Failed> {
        let end = self.replay.len() + self.prefix_rows.len();
        let same = self.keep_open(from, end, at, rows);
        self.close(same, at, rows)?;
        let opened = self
            .batch
            .events
            .iter()
            .filter(|event| event.does == Does::Open)
            .count();
        // the level of the first span that the file opens now
        let first = self.replay.len() - opened.min(self.replay.len());
        let level_of = |level: usize| {
            if level < self.replay.header() {
                level
            } else {
                level + self.prefix_rows.len()
            }
        };
        self.joined += (first..self.replay.len())
            .take_while(|level| level_of(*level) < same)
            .count() as u64;
        if same == end {
            return Ok(());
        }
        for closed in self
            .spans
            .split_off(same)
            .into_iter()
            .rev()
            .filter_map(|span| span.closed)
        {
            self.write(Does::Close, closed.event, out)?;
        }
        for level in same..end {
            self.open(level, end, at, rows, out)?;
        }
        Ok(())
    }

    /// Keeps the spans open, from the level `from` on, that the stack of now has as well: the first level that it has not.
    fn keep_open(&mut self, from: usize, end: usize, at: At, rows: &Rows) -> usize {
        let mut same = from.min(end).min(self.spans.len());
        while same < end
            && self
                .spans
                .get(same)
                .is_some_and(|span| self.row(same) == Some(span.row))
        {
            let span = &mut self.spans[same];
            let gap = span
                .closed
                .as_ref()
                .map(|closed| at.nanoseconds.saturating_sub(closed.nanoseconds));
            // the sums of what the leaves tell stay those of the file
            if gap.is_some_and(|gap| gap > self.join_gap || rows.role(span.row) == Role::ThreadTime)
            {
                break;
            }
            span.closed = None;
            same += 1;
        }
        same
    }

    /// Closes the open spans from a level on, innermost first. None of this is written so far: they may be joined.
    fn close(&mut self, same: usize, at: At, rows: &Rows) -> Result<(), Failed> {
        let open = self
            .spans
            .iter()
            .rposition(|span| span.closed.is_none())
            .map_or(0, |last| last + 1);
        for (number, level) in (same..open).rev().enumerate() {
            let row = self.spans[level].row;
            let event = self.spell(Some(number), Does::Close, row, at, rows)?;
            self.spans[level].closed = Some(Closed {
                nanoseconds: at.nanoseconds,
                event,
            });
        }
        Ok(())
    }

    fn open(
        &mut self,
        level: usize,
        end: usize,
        at: At,
        rows: &Rows,
        out: &mut Elements<'_>,
    ) -> Result<(), Failed> {
        let Some(row) = self.row(level) else {
            return Err(Failed::Changed);
        };
        let place = self.batch.events.len().checked_sub(end - level);
        let event = self.spell(place, Does::Open, row, at, rows)?;
        self.write(Does::Open, event, out)?;
        self.spans.push(Span { row, closed: None });
        Ok(())
    }

    /// The text of an event of now: as it stands at this place among those of the file, or else spelled like others.
    fn spell(
        &self,
        place: Option<usize>,
        does: Does,
        row: u32,
        at: At,
        rows: &Rows,
    ) -> Result<Spelled, Failed> {
        if let Some((known, at_place)) = self.batch.find(place, does, row) {
            return Ok(Spelled {
                text: known.into(),
                at: at.exact,
                at_place,
            });
        }
        let (Some(template), Some(spelling)) = (&self.template, rows.spelling(row)) else {
            return Err(Failed::Changed);
        };
        let phase = match does {
            Does::Open => self.phases.open,
            Does::Close => self.phases.close,
        };
        let (text, at_place) = template.spell(phase, &self.batch.at, spelling);
        Ok(Spelled {
            text,
            at: at.exact,
            at_place,
        })
    }
}
