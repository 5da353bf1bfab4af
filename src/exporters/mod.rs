//! Writers of profile formats, one file each, and their table.

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

/// The first one is the default.
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

/// By the longest known extension, also before `.gz`; the first format for a name without one, `None` for an unknown
/// one.
pub fn exporter_for(file_name: &str) -> Option<&'static Exporter> {
    let length =
        |exporter: &&Exporter| longest_extension(file_name, exporter.extensions).map(str::len);
    let best = EXPORTERS.iter().max_by_key(length);
    let best = best.filter(|best| length(best).is_some());
    best.or_else(|| extension(file_name).is_empty().then_some(&EXPORTERS[0]))
}

/// The last extension with its dot, also before `.gz`, or the empty string.
pub fn extension(file_name: &str) -> &str {
    let is_packed = file_name.len() > 3 && file_name.to_ascii_lowercase().ends_with(".gz");
    let name = &file_name[..file_name.len() - 3 * usize::from(is_packed)];
    match name.rfind('.') {
        // a hidden file
        None | Some(0) => "",
        Some(dot) => &name[dot..],
    }
}

/// The longest of these extensions that ends a file's name, also before `.gz`, ignoring case.
pub fn longest_extension(file_name: &str, extensions: &[&'static str]) -> Option<&'static str> {
    let lower = file_name.to_lowercase();
    let unpacked = lower.strip_suffix(".gz").unwrap_or_default();
    let is_end = |extension: &&&str| {
        let extension = extension.to_lowercase();
        lower.ends_with(&extension) || unpacked.ends_with(&extension)
    };
    let ends = extensions.iter().filter(is_end);
    ends.max_by_key(|extension| extension.len()).copied()
}

#[cfg(test)]
mod tests;
