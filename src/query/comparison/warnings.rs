use super::distortions::{self, distortions, metric, unequal_samples};
use super::equal_work::recorded_ns;
use super::{ComparedFile, ComparisonRequest, Per};
use crate::analysis::compared::Side;
use crate::analysis::sum;
use crate::diagnostics::Diagnostic;
use crate::model::{CountKind, Metric, NodeId, View};
use crate::query::messages;
use crate::units::{seconds_rounded, thousands};

const CLEAR_RATIO: f64 = 1.2;

const FACTS: [&str; 6] = [
    "runtime",
    "operating system",
    "architecture",
    "machine",
    "processor",
    "processors",
];

/// Warnings about the first profile of each side.
pub(super) fn warnings(request: &ComparisonRequest, sides: [Side; 2]) -> Vec<String> {
    let views = sides.map(|side| side.view);
    let is_scaled = *request.per != Per::Nothing;
    let mut found = Vec::new();
    found.extend(other_metric(sides.map(metric)));
    found.extend(other_kind(views));
    if !request.leaves_out_waiting {
        found.extend(distortions::waiting(sides));
    }
    if !is_scaled {
        found.extend(other_duration(views));
        found.extend(other_work(sides));
    }
    found.extend(FACTS.iter().filter_map(|fact| other_fact(views, fact)));
    let has_too_large_sums = |file: &&&ComparedFile| {
        let mut alerts = file.view.alerts();
        alerts.any(|alert| *alert == Diagnostic::SumsTooLarge {})
    };
    let firsts = [request.before.first(), request.after.first()];
    if let Some(file) = firsts.iter().flatten().find(has_too_large_sums) {
        let sentence = Diagnostic::SumsTooLarge {};
        found.push(format!("{}: {sentence}", file.file));
    }
    found.extend(distortions(sides));
    found.extend(unequal_samples(sides).filter(|_| !is_scaled));
    if views[0].is_repaired() != views[1].is_repaired() {
        found.push(messages::REPAIRED_ON_ONE_SIDE.into());
    }
    found
}

fn other_metric([before, after]: [&Metric; 2]) -> Option<String> {
    let sentence = || messages::other_metric(&before.name, &after.name);
    (!before.name.eq_ignore_ascii_case(&after.name)).then(sentence)
}

fn other_kind(views: [&View; 2]) -> Option<String> {
    let [before, after] = views.map(|view| view.recording.source.kind);
    let sentence = || messages::other_kind(&before.title(), &after.title());
    (before != after).then(sentence)
}

fn clearly_different(values: [Option<u64>; 2]) -> Option<[u64; 2]> {
    let [before, after] = [values[0]?, values[1]?];
    let (smaller, larger) = (before.min(after) as f64, before.max(after) as f64);
    (larger > smaller * CLEAR_RATIO).then_some([before, after])
}

fn other_duration(views: [&View; 2]) -> Option<String> {
    let [before, after] = clearly_different(views.map(recorded_ns))?.map(seconds_rounded);
    Some(messages::durations_differ(&before, &after))
}

fn other_work(sides: [Side; 2]) -> Option<String> {
    let calls = |side: Side| {
        let (view, metric) = (side.view, side.measure.metric);
        let is_counted = view.recording.metric(metric).counts == Some(CountKind::Calls);
        let threads = view.tree.children(NodeId::ROOT);
        let top = threads.flat_map(|thread| view.tree.children(thread));
        is_counted.then(|| sum(top.filter_map(|node| view.tree.count(metric, node))))
    };
    let [before, after] = clearly_different(sides.map(calls))?.map(thousands);
    Some(messages::threads_differ(&before, &after))
}

fn other_fact(views: [&View; 2], fact: &str) -> Option<String> {
    let title = match fact {
        "processors" => "number of processors",
        fact => fact,
    };
    let [before, after] = views.map(|view| view.recording.source.fact(fact));
    let is_known = |text: &&str| !text.is_empty();
    let (before, after) = (before.filter(is_known)?, after.filter(is_known)?);
    // some sources prefix the product name
    let plain = |text: &str| text.trim_start_matches(".NET ").to_string();
    (plain(before) != plain(after)).then(|| messages::fact_differs(&title, &before, &after))
}
