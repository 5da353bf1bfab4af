//! Chromium trace-event JSON, for the viewers of Chromium and Perfetto:
//! <https://docs.google.com/document/d/1CvAClvFfyA5R-PhYUmn5OOQtYMH4h6I0nSsKchNAySU/preview>.
//!
//! Each frame is a pair of `B` and `E` events, in time order if the samples have times, see [`super::timeline`];
//! otherwise its callees come in tree order, then its own time. `X` events would not say which of two nodes without a
//! value calls the other, and readers compute their ends as sums of floats, which miss the next begin. Times are
//! microseconds with as many decimals as nanoseconds need, and a tick more if an end and a begin would share one (see
//! [`super::instants`]). Ids that are not numeric or not unique are replaced by free ones. Events have no arguments:
//! speedscope would add them to the name.

use super::exporter::{Exporter, Output};
use super::instants::Instants;
use super::json_text::JsonText;
use super::lanes::{LaneIds, lanes, processes_by_node};
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::timeline::{SampleTimes, TrackLayout};
use super::tracks::{ExportTrack, tracks};
use crate::object::{if_any, if_rows, object};
use std::collections::HashSet;
use std::io::{self, Write};

pub(super) const EXPORTER: Exporter = Exporter {
    name: "trace-event",
    extensions: &[".chromium.json"],
    output: Output::Json,
    refusal: |_| None,
    write,
};

fn write(part: &Part, mut out: &mut dyn Write) -> io::Result<()> {
    let tracks = tracks(part, &[part.metric]);
    let lanes = lanes(part, &tracks);
    let mut writer = TraceEventWriter {
        part,
        rows: Rows::new(part, &tracks, FrameIdentity::Name),
        text: JsonText::new(&mut out),
        is_first: true,
    };
    let sources = writer.rows.rows.iter().filter(|row| !row.file.is_empty());
    let sources =
        sources.map(|row| object! { name: row.name, url: row.file, line: if_any(row.line) });
    let about = object! {
        name: part.source_name(),
        exporter: PROGRAM,
        warnings: if_rows(sentences::warnings(part.view)),
        notes: if_rows(sentences::notes(part.view)),
        sources: if_rows(sources),
    };
    writer.text.json(br#"{"otherData":"#);
    writer.text.serialized(&about);
    let events = br#","displayTimeUnit":"ns","traceEvents":["#;
    writer.text.json(events);
    writer.names(&tracks, &lanes)?;
    let timeline = SampleTimes::new(part);
    for (track, lane) in tracks.iter().zip(&lanes) {
        writer.events(&timeline.layout(track), *lane)?;
    }
    writer.text.json(b"]}");
    writer.text.finish()
}

struct TraceEventWriter<'a, 'o, W> {
    part: &'a Part<'a>,
    rows: Rows<'a>,
    text: JsonText<'o, W>,
    is_first: bool,
}

impl<W: Write> TraceEventWriter<'_, '_, W> {
    fn names(&mut self, tracks: &[ExportTrack], lanes: &[LaneIds]) -> io::Result<()> {
        let (by_node, mut named) = (processes_by_node(self.part), HashSet::new());
        for (track, lane) in tracks.iter().zip(lanes) {
            let process = track.process.filter(|_| named.insert(lane.process));
            let process = process.map_or("", |node| match by_node.get(&node) {
                Some(process) => &process.name,
                None => self.part.view.name(node),
            });
            let thread = track.thread;
            let thread = thread.map_or(track.title, |(_, thread)| &thread.name);
            for (what, name) in [("process_name", process), ("thread_name", thread)] {
                if !name.is_empty() {
                    self.start(what, b"M", *lane);
                    self.text.json_and_string(br#","args":{"name":"#, name);
                    self.text.json(b"}}");
                    self.text.pass_on()?;
                }
            }
        }
        Ok(())
    }

    fn start(&mut self, name: &str, phase: &[u8], lane: LaneIds) {
        self.text.comma(&mut self.is_first);
        self.text.json_and_string(br#"{"name":"#, name);
        self.text.json(br#","ph":""#);
        self.text.json(phase);
        self.text.json(br#"","pid":"#);
        self.text.number(lane.process);
        self.text.json(br#","tid":"#);
        self.text.number(lane.thread);
    }

    fn events(&mut self, layout: &TrackLayout, lane: LaneIds) -> io::Result<()> {
        let mut instants = Instants::new(layout.end, layout.events / 2);
        layout.for_each(|frame, opens, at| {
            let row = self.rows.rows[self.rows.row_of(self.part, frame) as usize];
            self.start(row.name, if opens { b"B" } else { b"E" }, lane);
            self.text.json(br#","ts":"#);
            self.text
                .parts(instants.next(at, opens), instants.ticks_per_microsecond());
            self.text.json(b"}");
            self.text.pass_on()
        })
    }
}
