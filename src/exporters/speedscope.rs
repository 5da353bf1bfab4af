//! speedscope JSON, <https://www.speedscope.app/file-format-schema.json>.
//!
//! Each thread is an `evented` profile, in time order if the samples have times, see [`super::timeline`]. Otherwise a
//! frame opens, its callees open and close in tree order, then comes its own time. `sampled` profiles would be
//! quadratic in size for a deep chain, with an invented number of samples.
//!
//! Values are integers, so they round-trip: nanoseconds, bytes or counts. speedscope.app rounds those above 2^53. It
//! ignores `warnings` and `notes`, which the schema allows.

use super::exporter::{Exporter, Output};
use super::json_text::JsonText;
use super::part::{PROGRAM, Part};
use super::rows::{FrameIdentity, Rows};
use super::sentences;
use super::timeline::SampleTimes;
use super::tracks::{has_processes, title_of, tracks};
use crate::object::{if_any, if_rows, object};
use crate::units::Unit;
use std::io::{self, Write};

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
        text.json(match part.chosen_metric().unit {
            Unit::Milliseconds => b"nanoseconds",
            Unit::Bytes => b"bytes",
            Unit::Count => b"none",
        });
        text.json(br#"","startValue":0,"endValue":"#);
        text.number(layout.end);
        text.json(br#","events":["#);
        let mut is_first = true;
        layout.for_each(|frame, opens, at| {
            text.comma(&mut is_first);
            text.json(match opens {
                true => br#"{"type":"O","frame":"#,
                false => br#"{"type":"C","frame":"#,
            });
            text.number(u64::from(rows.row_of(part, frame)));
            text.json(br#","at":"#);
            text.number(at);
            text.json(b"}");
            text.pass_on()
        })?;
        text.json(b"]}");
    }
    text.json(b"]}");
    text.finish()
}
