//! Warnings about the reliability of differences.

use super::equal_work::recorded_ns;
use super::markdown::change;
use super::{ComparedFile, ComparisonRequest, Per};
use crate::analysis::compared::Sides;
use crate::diagnostics::Remark;
use crate::model::{CountKind, Metric, MetricId, NodeId, View};
use crate::query::messages;
use crate::units::{Scale, seconds_rounded, thousands};

/// The ratio from which durations or numbers of calls clearly differ.
const CLEAR_RATIO: f64 = 1.2;

/// The code of the diagnostic about Debug builds.
const DEBUG_BUILD: &str = "debug-build";

/// Waiting is mentioned if it is at least this fraction (one in ten) of a difference.
const WAITING_PART: u64 = 10;

/// Facts that should be the same on both sides, with what to call them.
const FACTS: [(&str, &str); 6] = [
    ("runtime", "runtime"),
    ("operating system", "operating system"),
    ("architecture", "architecture"),
    ("machine", "machine"),
    ("processor", "processor"),
    ("processors", "number of processors"),
];

/// All warnings, about the first profile of each side and in their metrics.
pub(super) fn warnings(request: &ComparisonRequest, metrics: &[MetricId]) -> Vec<String> {
    let (Some(before), Some(after)) = (request.before.first(), request.after.first()) else {
        return Vec::new();
    };
    let metrics = (metrics[0], metrics[request.before.len()]);
    let mut found = Vec::new();
    found.extend(other_metric(
        before.view.recording.metric(metrics.0),
        after.view.recording.metric(metrics.1),
    ));
    found.extend(other_kind(before.view, after.view));
    let waits = || other_waiting((before.view, metrics.0), (after.view, metrics.1));
    found.extend((!request.leaves_out_waiting).then(waits).flatten());
    let is_scaled = *request.per != Per::Nothing;
    found.extend(other_duration(before, after).filter(|_| !is_scaled));
    found.extend(other_work(before.view, after.view, metrics).filter(|_| !is_scaled));
    found.extend(
        FACTS
            .iter()
            .filter_map(|(fact, title)| other_fact(before.view, after.view, fact, title)),
    );
    let has_largest = |file: &&ComparedFile| {
        let mut alerts = file.view.alerts();
        alerts.any(|alert| alert.code() == Remark::SumsTooLarge.code())
    };
    if let Some(file) = [before, after].into_iter().find(has_largest) {
        found.push(format!(
            "{}: {}",
            file.file,
            Remark::SumsTooLarge.sentence()
        ));
    }
    let codes = |file: &ComparedFile| {
        let alerts = file
            .view
            .alerts()
            .filter(|alert| alert.code() != Remark::SumsTooLarge.code());
        let mut codes: Vec<&str> = alerts.map(|alert| alert.code()).collect();
        codes.dedup();
        codes
    };
    let mut of_sides = [before, after].map(codes);
    // two Debug builds can be compared
    if of_sides.iter().all(|codes| codes.contains(&DEBUG_BUILD)) {
        of_sides
            .iter_mut()
            .for_each(|codes| codes.retain(|code| *code != DEBUG_BUILD));
    }
    let [of_before, of_after] = of_sides.map(|codes| codes.join(", "));
    match (of_before.is_empty(), of_after.is_empty()) {
        (true, true) => {}
        _ if of_before == of_after => found.push(messages::cautions_of_both(&of_before)),
        (_, true) => found.push(messages::cautions_of_one(&"before", &of_before)),
        (true, _) => found.push(messages::cautions_of_one(&"after", &of_after)),
        _ => found.push(messages::cautions_of_sides(&of_before, &of_after)),
    }
    let is_repaired = [before, after].map(|file| file.view.is_repaired());
    if is_repaired[0] != is_repaired[1] {
        found.push(messages::REPAIRED_ON_ONE_SIDE.into());
    }
    found
}

fn other_metric(before: &Metric, after: &Metric) -> Option<String> {
    let sentence = || messages::other_metric(&before.name, &after.name);
    (!before.name.eq_ignore_ascii_case(&after.name)).then(sentence)
}

fn other_kind(before: &View, after: &View) -> Option<String> {
    let [before, after] = [before, after].map(|view| view.recording.source.kind);
    let sentence = || messages::other_kind(&before.title(), &after.title());
    (before != after).then(sentence)
}

/// The waiting on both sides, if it makes up part of their difference.
fn other_waiting(before: (&View, MetricId), after: (&View, MetricId)) -> Option<String> {
    let sides = [before, after];
    let total = |(view, metric): (&View, MetricId)| view.tree.inclusive(metric, NodeId::ROOT);
    let [before, after] = sides.map(|(view, metric)| view.waiting_total(metric));
    let whole = sides.map(total);
    let scale = Scale::for_values(
        sides[1].0.recording.metric(sides[1].1).unit,
        whole[0].max(whole[1]),
    );
    let is_part =
        before.abs_diff(after).saturating_mul(WAITING_PART) >= whole[0].abs_diff(whole[1]);
    let sentence = || {
        let work = Sides {
            before: whole[0].saturating_sub(before),
            after: whole[1].saturating_sub(after),
        };
        let [before, after] = [before, after].map(|value| scale.with_unit(value));
        messages::waiting_differs(&before, &after, &change(scale, work))
    };
    (before != after && is_part).then(sentence)
}

fn clearly_differ(before: u64, after: u64) -> bool {
    let (less, more) = (before.min(after) as f64, before.max(after) as f64);
    more > less * CLEAR_RATIO
}

fn other_duration(before: &ComparedFile, after: &ComparedFile) -> Option<String> {
    let (before, after) = (recorded_ns(before.view)?, recorded_ns(after.view)?);
    let sentence = || {
        let [before, after] = [before, after].map(seconds_rounded);
        messages::durations_differ(&before, &after)
    };
    clearly_differ(before, after).then(sentence)
}

/// A warning that the number of calls differs, and with it the amount of work.
fn other_work(before: &View, after: &View, metrics: (MetricId, MetricId)) -> Option<String> {
    let calls = |view: &View, metric: MetricId| {
        let is_counted = view.recording.metric(metric).counts == Some(CountKind::Calls);
        let top = view
            .tree
            .children(NodeId::ROOT)
            .flat_map(|thread| view.tree.children(thread));
        is_counted.then(|| {
            top.filter_map(|node| view.tree.count(metric, node))
                .fold(0, u64::saturating_add)
        })
    };
    let (before, after) = (calls(before, metrics.0)?, calls(after, metrics.1)?);
    let sentence = || {
        let [before, after] = [before, after].map(thousands);
        messages::threads_differ(&before, &after)
    };
    clearly_differ(before, after).then(sentence)
}

fn other_fact(before: &View, after: &View, fact: &str, title: &str) -> Option<String> {
    let [before, after] = [before, after].map(|view| view.recording.source.fact(fact));
    let is_said = |text: &&str| !text.is_empty();
    let (before, after) = (before.filter(is_said)?, after.filter(is_said)?);
    // some sources put the product name in front
    let plain = |text: &str| text.trim_start_matches(".NET ").to_string();
    (plain(before) != plain(after)).then(|| messages::fact_differs(&title, &before, &after))
}
