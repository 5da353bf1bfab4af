//! `dotspot diagnostics --all`: every message of dotspot, for people who edit them.

use std::io::{self, Write};

/// The sentences of a room by name.
type Sentences = &'static [(&'static str, &'static str)];

/// The rooms with their sentences.
const ROOMS: &[(&str, Sentences)] = &[
    ("analysis", crate::analysis::messages::ALL),
    ("app", crate::app::messages::ALL),
    ("child", crate::child::messages::ALL),
    ("cli", crate::cli::messages::ALL),
    ("decoders", crate::decoders::messages::ALL),
    ("exporters", crate::exporters::messages::ALL),
    ("importers", crate::importers::messages::ALL),
    ("input", crate::input::messages::ALL),
    #[cfg(feature = "mcp")]
    ("mcp", crate::mcp::messages::ALL),
    ("model", crate::model::messages::ALL),
    ("profile_cache", crate::profile_cache::messages::ALL),
    ("query", crate::query::messages::ALL),
    ("record", crate::record::messages::ALL),
    ("settings", crate::settings::messages::ALL),
    ("ui", crate::ui::messages::ALL),
];

/// Prints a line for each diagnostic: its code, its severity, and the sentence with example data; then one for each other
/// sentence: its room, its name, and the sentence with `{placeholders}` for values.
pub(super) fn print(out: &mut dyn Write) -> io::Result<()> {
    for diagnostic in crate::diagnostics::samples() {
        let (code, severity) = (diagnostic.code(), diagnostic.severity().name());
        let sentence = diagnostic.to_string();
        writeln!(out, "{code}\t{severity}\t{}", sentence.replace('\n', "\\n"))?;
    }
    for (room, sentences) in ROOMS {
        for (name, sentence) in *sentences {
            writeln!(out, "{room}\t{name}\t{}", sentence.replace('\n', "\\n"))?;
        }
    }
    Ok(())
}
