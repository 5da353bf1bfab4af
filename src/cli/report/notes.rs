//! `dotspot notes`.

use super::value_head;
use crate::cli::args::Notes;
use crate::cli::messages;
use crate::cli::print::{Printer, TextTable, write_json};
use crate::model::View;
use crate::query::{self, NotesRequest};
use crate::text::quoted_text;
use anyhow::Result;

/// Lists a person's notes on methods.
pub(crate) fn notes(to: &mut Printer, view: &View, args: &Notes) -> Result<()> {
    let request = NotesRequest {
        method: args.method.as_deref(),
        metric: args.weighing.metric.as_deref(),
        waiting: args.weighing.counts_waiting(),
    };
    let noted = query::method_notes(view, &request)?;
    if args.json {
        return write_json(to.out, &noted.document(view));
    }
    if noted.rows.is_empty() {
        return to.line(match &args.method {
            Some(_) => messages::NO_NOTE_ON_METHOD,
            None => messages::NO_NOTES_YET,
        });
    }
    let metric = view.recording.metric(noted.measure.metric);
    let scale = args.units.scale(metric.unit, noted.rows[0].inclusive);
    let mut table = TextTable::new([
        &value_head("incl", scale),
        &value_head("excl", scale),
        "method and note",
    ]);
    for row in &noted.rows {
        let name = row.frame.map_or_else(
            || row.key.name.as_str().into(),
            |frame| view.frames.list_name(frame),
        );
        let values = match row.frame {
            Some(_) => [scale.number(row.inclusive), scale.number(row.exclusive)],
            None => ["none".into(), "none".into()],
        };
        let [inclusive, exclusive] = values;
        table.push(vec![
            inclusive,
            exclusive,
            if row.is_in_file {
                messages::note_of_author(&name, &quoted_text(row.note))
            } else {
                format!("{name}: {}", row.note)
            },
        ]);
    }
    to.table(&table)
}
