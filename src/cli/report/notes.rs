//! `dotspot notes`.

use super::value_head;
use crate::cli::args::Notes;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable};
use crate::model::{NodeId, View};
use crate::query::{self, PartRequest};
use crate::text::quoted_text;
use anyhow::Result;

pub(crate) fn notes(to: &mut Printer, view: &View, args: &Notes) -> Result<()> {
    let part = PartRequest {
        within: NodeId::ROOT,
        ..args.metric_options.part(view, &args.source)
    };
    let noted = query::method_notes(view, &part, args.method.as_deref())?;
    if args.json {
        return to.json(&noted.document(view));
    }
    if noted.rows.is_empty() {
        return to.line(match &args.method {
            Some(_) => messages::NO_NOTE_ON_METHOD,
            None => messages::NO_NOTES_YET,
        });
    }
    let metric = view.recording.metric(noted.measure.metric);
    let scale = args.units.scale(metric.unit, noted.rows[0].sums.inclusive);
    let [inclusive, exclusive] = ["incl", "excl"].map(|what| value_head(what, scale));
    let mut table = TextTable::new([&inclusive, &exclusive, "method and note"]);
    for row in &noted.rows {
        let number = |value| row.frame.map_or("none".into(), |_| scale.number(value));
        let name = row.frame.map(|frame| view.frames.list_name(frame));
        let name = name.unwrap_or_else(|| (&*row.key.name).into());
        let note = match row.is_in_file {
            true => messages::note_of_author(&name, &quoted_text(row.note)),
            false => format!("{name}: {}", row.note),
        };
        let [inclusive, exclusive] = [row.sums.inclusive, row.sums.exclusive].map(number);
        table.push(vec![inclusive, exclusive, note]);
    }
    to.table(&table)
}
