//! `dotspot formats`, and the names of formats on the command line.

use super::print::Printer;
use crate::cli::messages;
use crate::exporters::EXPORTERS;
use crate::importers::{FORMATS, aliases};
use crate::query::with_prefix;
use crate::text::wrap;
use clap::builder::PossibleValue;
use std::io::{self, Write};

const MAX_CELLS: usize = 100;
const INDENT: usize = 13;

pub(super) fn value(name: &'static str) -> PossibleValue {
    PossibleValue::new(name).aliases(aliases(name))
}

pub(super) fn names_in_help(formats: impl Iterator<Item = &'static str>) -> String {
    let named = |name: &str| match aliases(name).collect::<Vec<_>>().join(", ") {
        others if others.is_empty() => name.to_string(),
        others => format!("{name} ({others})"),
    };
    formats.map(named).collect::<Vec<_>>().join(", ")
}

pub(super) fn formats(to: &mut Printer) -> io::Result<()> {
    let (out, width) = (&mut *to.out, to.width);
    let width = width.unwrap_or(MAX_CELLS).min(MAX_CELLS);
    let room = width.saturating_sub(INDENT).max(20);
    for format in FORMATS {
        let others = aliases(format.name).collect::<Vec<_>>().join(", ");
        let others = with_prefix("; also called ", &others);
        let title = format!("{}: {}{others}", format.title, format.extensions.join(" "));
        let metrics = format!("metrics: {}", format.metrics);
        let left_out = with_prefix("left out: ", format.limitations);
        paragraph(out, format.name, &[title, metrics, left_out], room)?;
    }
    let sentence = |text: &str, out: &mut dyn Write| {
        let lines = wrap(text, width.max(20));
        lines.iter().try_for_each(|line| writeln!(out, "{line}"))
    };
    sentence(messages::ALSO_IN_ARCHIVES, out)?;
    writeln!(out, "{}", messages::TITLE_WRITTEN_FORMATS)?;
    for exporter in EXPORTERS {
        let lost = format!("can't hold: {}", exporter.limitations(None).join("; "));
        let texts = [exporter.extensions.join(" "), lost];
        paragraph(out, exporter.name, &texts, room)?;
    }
    sentence(messages::LIMITATIONS_ARE_REPORTED, out)
}

fn paragraph(out: &mut dyn Write, name: &str, texts: &[String], room: usize) -> io::Result<()> {
    let mut name = name;
    let texts = texts.iter().filter(|text| !text.is_empty());
    for line in texts.flat_map(|text| wrap(text, room)) {
        writeln!(out, "{:<INDENT$}{line}", std::mem::take(&mut name))?;
    }
    writeln!(out)
}
