use super::distortions::{self, Distorted, distortions, unequal_samples};
use super::equal_work::recorded_ns;
use super::{ComparedFile, ComparisonRequest, Per};
use crate::diagnostics::Remark;
use crate::model::{CountKind, Metric, MetricId, NodeId, View};
use crate::query::messages;
use crate::units::{seconds_rounded, thousands};

/// The ratio from which durations or numbers of calls clearly differ.
const CLEAR_RATIO: f64 = 1.2;

/// Facts that should be the same on both sides, with their names in warnings.
const FACTS: [(&str, &str); 6] = [
    ("runtime", "runtime"),
    ("operating system", "operating system"),
    ("architecture", "architecture"),
    ("machine", "machine"),
    ("processor", "processor"),
    ("processors", "number of processors"),
];

pub(super) fn sides<'a>(
    request: &ComparisonRequest<'a>,
    metrics: &[MetricId],
) -> Option<[Distorted<'a>; 2]> {
    let (before, after) = (request.before.first()?, request.after.first()?);
    let metrics = [metrics[0], metrics[request.before.len()]];
    let views = [before.view, after.view];
    Some([0, 1].map(|side| Distorted {
        view: views[side],
        metric: metrics[side],
    }))
}

/// About the first profile of each side.
pub(super) fn warnings(request: &ComparisonRequest, metrics: &[MetricId]) -> Vec<String> {
    let (Some(before), Some(after)) = (request.before.first(), request.after.first()) else {
        return Vec::new();
    };
    let Some(sides) = sides(request, metrics) else {
        return Vec::new();
    };
    let mut found = Vec::new();
    found.extend(other_metric(
        before.view.recording.metric(sides[0].metric),
        after.view.recording.metric(sides[1].metric),
    ));
    found.extend(other_kind(before.view, after.view));
    let waits = || distortions::waiting(sides);
    found.extend((!request.leaves_out_waiting).then(waits).flatten());
    let is_scaled = *request.per != Per::Nothing;
    found.extend(other_duration(before, after).filter(|_| !is_scaled));
    found.extend(other_work(sides).filter(|_| !is_scaled));
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
    found.extend(distortions(sides));
    found.extend(unequal_samples(sides).filter(|_| !is_scaled));
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

fn other_work(sides: [Distorted; 2]) -> Option<String> {
    let calls = |Distorted { view, metric }| {
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
    let [before, after] = sides.map(calls);
    let (before, after) = (before?, after?);
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
    // some sources prefix the product name
    let plain = |text: &str| text.trim_start_matches(".NET ").to_string();
    (plain(before) != plain(after)).then(|| messages::fact_differs(&title, &before, &after))
}
