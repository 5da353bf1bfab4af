//! Writers of profile formats, one file per format, and the table of them.

pub mod call_tree_json;
mod collapsed;
mod collapsed_names;
mod exporter;
mod firefox;
mod flame;
mod instants;
mod json_text;
mod lanes;
mod limitations;
pub(crate) mod messages;
mod page;
mod part;
mod pprof;
mod protobuf;
mod rows;
mod sentences;
mod speedscope;
mod stack_sums;
mod svg;
mod timeline;
mod trace_event;
mod tracks;

pub use exporter::{Exporter, Output};
pub use part::Part;

/// All formats that are written. The first is the usual one.
pub const EXPORTERS: &[Exporter] = &[
    call_tree_json::EXPORTER,
    speedscope::EXPORTER,
    trace_event::EXPORTER,
    firefox::EXPORTER,
    collapsed::EXPORTER,
    pprof::EXPORTER,
    svg::EXPORTER,
    page::EXPORTER,
];

/// The format of a file of this name by its longest extension that is known, in front of `.gz`, too; the first format for a
/// name without an extension, and `None` for one that has another.
pub fn exporter_for(file_name: &str) -> Option<&'static Exporter> {
    let length =
        |exporter: &&Exporter| longest_extension(file_name, exporter.extensions).map(str::len);
    let best = EXPORTERS
        .iter()
        .max_by_key(length)
        .filter(|best| length(best).is_some());
    best.or_else(|| extension(file_name).is_empty().then_some(&EXPORTERS[0]))
}

/// The last extension of a file's name, with its dot, in front of `.gz`; empty if it has none.
pub fn extension(file_name: &str) -> &str {
    let is_packed = file_name.len() > 3 && file_name.to_ascii_lowercase().ends_with(".gz");
    let name = &file_name[..file_name.len() - 3 * usize::from(is_packed)];
    match name.rfind('.') {
        // a hidden file has none
        None | Some(0) => "",
        Some(dot) => &name[dot..],
    }
}

/// The longest of these extensions with which a file's name ends, in front of `.gz`, too, in lower case or not.
pub fn longest_extension(file_name: &str, extensions: &[&'static str]) -> Option<&'static str> {
    let lower = file_name.to_lowercase();
    let names = [
        lower.as_str(),
        lower.strip_suffix(".gz").unwrap_or_default(),
    ];
    let is_end = |extension: &&&str| {
        names
            .iter()
            .any(|name| name.ends_with(&extension.to_lowercase()))
    };
    let ends = extensions.iter().filter(is_end);
    ends.max_by_key(|extension| extension.len()).copied()
}

#[cfg(test)]
mod tests;
