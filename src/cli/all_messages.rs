//! `dotspot diagnostics --all`: every sentence that dotspot can say, for those who edit them.

use crate::{
    analysis, app, child, cli, decoders, exporters, importers, input, model, profile_cache, query,
    record, repair, ui,
};
use std::io::{self, Write};

/// The sentences of a room by their names.
type Sentences = &'static [(&'static str, &'static str)];

/// The rooms with what they say.
const ROOMS: &[(&str, Sentences)] = &[
    ("analysis", analysis::messages::ALL),
    ("app", app::messages::ALL),
    ("child", child::messages::ALL),
    ("cli", cli::messages::ALL),
    ("decoders", decoders::messages::ALL),
    ("exporters", exporters::messages::ALL),
    ("importers", importers::messages::ALL),
    ("input", input::messages::ALL),
    #[cfg(feature = "mcp")]
    ("mcp", crate::mcp::messages::ALL),
    ("model", model::messages::ALL),
    ("profile_cache", profile_cache::messages::ALL),
    ("query", query::messages::ALL),
    ("record", record::messages::ALL),
    ("repair", repair::messages::ALL),
    ("ui", ui::messages::ALL),
];

/// Prints a line for each sentence: its room, its name, and the sentence with `{placeholders}` for values.
pub(super) fn print(out: &mut dyn Write) -> io::Result<()> {
    for (room, sentences) in ROOMS {
        for (name, sentence) in *sentences {
            writeln!(out, "{room}\t{name}\t{}", sentence.escape_debug())?;
        }
    }
    Ok(())
}
