//! speedscope JSON, <https://www.speedscope.app/file-format-schema.json>.
//!
//! Each thread is a profile of type `evented`, in time order if the samples have times, see [`super::timeline`]. Otherwise
//! a frame opens, its callees open and close one after the other in tree order, then comes its own time, then it
//! closes. `sampled` profiles were not chosen for three reasons: their size is the
//! sum of the depths of all stacks, which is quadratic for a deep chain, while there are only two events per node; the number of samples
//! would be invented; and nodes without a value would have to be samples.
//!
//! Values are integers: nanoseconds, bytes or counts, so they round-trip. JavaScript represents integers up to 2^53,
//! which is 104 days in nanoseconds; speedscope.app rounds larger ones.
//!
//! `warnings` and `notes` are extra members of the file, which the schema allows and speedscope.app ignores.

use super::exporter::{Exporter, Output};
use super::json_text::JsonText;
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::timeline::{SampleTimes, TrackLayout};
use super::tracks::{has_processes, title_of, tracks};
use crate::object::{if_any, if_rows, object};
use crate::units::Unit;
use std::io::{self, Write};

/// The format's row in the table.
pub(super) const EXPORTER: Exporter = Exporter {
    name: "speedscope",
    extensions: &[".speedscope.json"],
    output: Output::Json,
    refusal: |_| None,
    write,
};

fn write(part: &Part, mut out: &mut dyn Write) -> io::Result<()> {
    let tracks = tracks(part, &[part.metric]);
    let rows = Rows::new(part, &tracks, FrameIdentity::Name);
    let mut text = JsonText::new(&mut out);
    text.json(br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","#);
    text.members(&object! {
        exporter: PROGRAM,
        name: part.source_name(),
        warnings: if_rows(sentences::warnings(part.view)),
        notes: if_rows(sentences::notes(part.view)),
    });
    text.json(br#","activeProfileIndex":0,"shared":{"frames":["#);
    let mut is_first = true;
    for row in &rows.rows {
        text.comma(&mut is_first);
        text.serialized(&object! {
            name: row.name,
            file: if_any(row.file),
            line: if_any(row.line),
        });
        text.pass_on()?;
    }
    text.json(br#"]},"profiles":["#);
    let (mut is_first, has_processes) = (true, has_processes(&tracks));
    let timeline = SampleTimes::new(part);
    for track in &tracks {
        let layout = timeline.layout(track);
        text.comma(&mut is_first);
        text.json(br#"{"type":"evented","name":"#);
        text.string(&title_of(part, track, has_processes));
        text.json(br#","unit":""#);
        text.json(match part.about_metric().unit {
            Unit::Milliseconds => b"nanoseconds",
            Unit::Bytes => b"bytes",
            Unit::Count => b"none",
        });
        text.json(br#"","startValue":0,"endValue":"#);
        text.number(layout.end);
        text.json(br#","events":["#);
        events(part, &layout, &rows, &mut text)?;
        text.json(b"]}");
    }
    text.json(b"]}");
    text.finish()
}

fn events<W: Write>(
    part: &Part,
    layout: &TrackLayout,
    rows: &Rows,
    text: &mut JsonText<W>,
) -> io::Result<()> {
    let mut is_first = true;
    layout.each(|event, at| {
        text.comma(&mut is_first);
        text.json(if event.opens() {
            br#"{"type":"O","frame":"#
        } else {
            br#"{"type":"C","frame":"#
        });
        text.number(u64::from(rows.of_event(part, event)));
        text.json(br#","at":"#);
        text.number(at);
        text.json(b"}");
        text.pass_on()
    })
}
