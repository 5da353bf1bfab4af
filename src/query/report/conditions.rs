//! The conditions of a recording that decide what its numbers are worth: how busy the processors were, how the program was built, what
//! the garbage collector took.

use super::contents::Contents;
use crate::model::MarkerKind;
use crate::model::NodeId;
use crate::query::markers::marker_lines_of;
use crate::query::messages;
use crate::text::visible;
use crate::units::{Scale, Unit, percent, seconds_rounded};

/// Below this share of the processors, a program is not bound by them.
const BUSY_PERCENT: f64 = 70.0;

/// A line for each condition that is known.
pub(super) fn conditions(contents: &Contents) -> Vec<String> {
    let is_everything = contents.subject.roots[..] == [NodeId::ROOT];
    let lines = [
        processor_use(contents).filter(|_| is_everything),
        debug_build(contents),
        collections(contents).filter(|_| is_everything),
    ];
    lines.into_iter().flatten().collect()
}

fn fact<'a>(contents: &'a Contents, name: &str) -> Option<&'a str> {
    let facts = &contents.view.recording.source.facts;
    let fact = facts.iter().find(|(key, _)| key == name)?;
    Some(&fact.1)
}

/// `CPU use: 5.2 s on 2 processors in 8.1 s: 32 %, not CPU-bound`.
fn processor_use(contents: &Contents) -> Option<String> {
    let view = contents.view;
    let cpu = view.recording.metric_named("CPU")?;
    // where another metric is the default one, CPU time says little
    let is_time = view.recording.metric(cpu).unit == Unit::Milliseconds
        && view.recording.default_metric == cpu;
    let whole = view.recording.whole();
    let processors: u64 = fact(contents, "processors")?.parse().ok()?;
    let duration = fact(contents, "duration")?.strip_suffix(" s")?;
    let duration_ns = (duration.replace(',', "").parse::<f64>().ok()? * 1e9) as u64;
    if !is_time || processors == 0 || duration_ns == 0 || view.range().is_some() {
        return None;
    }
    let used = whole.tree.inclusive(cpu, crate::model::RecordedNode::ROOT);
    let share = percent(used, duration_ns.saturating_mul(processors));
    let bound = match share {
        share if share < BUSY_PERCENT => messages::NOT_CPU_BOUND,
        _ => messages::CPU_BOUND,
    };
    let used = Scale::SECONDS.with_unit(used);
    Some(messages::processor_use(
        &used,
        &processors,
        &seconds_rounded(duration_ns),
        &share,
        &bound,
    ))
}

/// What the garbage collector did, and for how long it stopped the program.
fn collections(contents: &Contents) -> Option<String> {
    let lines = marker_lines_of(contents.view, &[MarkerKind::Collection, MarkerKind::Pause]);
    let line = |(what, text)| format!("{what} {text}");
    let lines: Vec<String> = lines.into_iter().map(line).collect();
    (!lines.is_empty()).then(|| messages::collections(&lines.join("; ")))
}

/// Builds for debugging are known by their folders: `bin/Debug/net8.0`.
fn debug_build(contents: &Contents) -> Option<String> {
    let paths = ["executable", "command line"].into_iter();
    let paths = paths.filter_map(|name| fact(contents, name));
    let is_debug = |path: &str| {
        path.replace('\\', "/")
            .to_lowercase()
            .contains("/bin/debug/")
    };
    let mut paths = paths.filter(|path| is_debug(path));
    paths
        .next()
        .map(|_| visible(messages::DEBUG_BUILD).into_owned())
}
