use super::format::Format;
use super::{
    call_tree_json, collapsed, cpuprofile, dtp, etl, firefox, nettrace, perf_data, perf_script,
    perfview, pprof, report_xml, speedscope, trace_event,
};
use crate::importers::messages;
use crate::input::known_files::{KnownFile, known_by_name};
use crate::input::{Failure, Head, ImportError, Input, Stage, known_file};

/// With the name in the table.
const ALIASES: &[(&str, &str)] = &[
    ("chromium", "trace-event"),
    ("chrome", "trace-event"),
    ("folded", "collapsed"),
    ("perf", "perfscript"),
    ("dottrace", "dtp"),
    ("etw", "etl"),
    ("samply", "firefox"),
    ("gecko", "firefox"),
];

pub fn aliases(name: &str) -> impl Iterator<Item = &'static str> {
    let matching = ALIASES.iter().filter(move |(_, format)| *format == name);
    matching.map(|(alias, _)| *alias)
}

impl Format {
    /// Decoders other than ours can read these, too.
    pub fn is_dottrace_snapshot(&self) -> bool {
        self.name == dtp::FORMAT.name
    }
}

pub const FORMATS: &[Format] = &[
    dtp::FORMAT,
    nettrace::FORMAT,
    etl::FORMAT,
    speedscope::FORMAT,
    trace_event::FORMAT,
    cpuprofile::FORMAT,
    firefox::FORMAT,
    call_tree_json::FORMAT,
    report_xml::FORMAT,
    perfview::FORMAT,
    perf_data::FORMAT,
    perf_script::FORMAT,
    collapsed::FORMAT,
    pprof::FORMAT,
];

pub fn detect(head: &Head) -> Option<&'static Format> {
    FORMATS
        .iter()
        .filter_map(|format| (format.sniff)(head).map(|confidence| (confidence, format)))
        // `max_by_key` takes the last of equals, but the first should win
        .rev()
        .max_by_key(|(confidence, _)| *confidence)
        .map(|(_, format)| format)
}

/// Chooses by content and name. The error lists what was tried.
pub fn format_of(input: &Input) -> Result<&'static Format, ImportError> {
    detect(&input.head()).ok_or_else(|| not_recognized(input).into())
}

fn not_recognized(input: &Input) -> Failure {
    let head = input.head();
    let is_snapshot = dtp::is_named_like_snapshot(head.name.as_ref());
    let KnownFile { kind, advice } =
        known_by_name(head.name).unwrap_or_else(|| known_file(head.bytes));
    let problem = match head.bytes.is_empty() {
        true => messages::IS_EMPTY.to_string(),
        false => messages::not_a_profile(&kind),
    };
    let failure = Failure::new(&input.name, "", problem).advice(match advice {
        "" => messages::SEE_FORMATS,
        advice => advice,
    });
    match is_snapshot {
        true => failure.stage(Stage::Input),
        false => failure,
    }
}
