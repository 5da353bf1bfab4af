//! What distorts the values of a side, and how that affects differences.

use super::markdown::change;
use crate::analysis::POLL_PERCENT;
use crate::analysis::compared::{Side, Sides};
use crate::diagnostics::{Diagnostic, Share};
use crate::model::{CountKind, Metric, NodeId};
use crate::query::messages;
use crate::units::{Scale, Unit, factors, percent};
use indexmap::IndexMap;

/// Waiting is mentioned if its change is at least the total change divided by this.
const MIN_WAITING_PART: u64 = 10;
/// Below this ratio, times per sample count as equal.
const MIN_SAMPLE_RATIO: f64 = 1.05;

pub(super) fn metric<'a>(side: Side<'a>) -> &'a Metric {
    side.view.recording.metric(side.measure.metric)
}

/// Sums that are too large are reported elsewhere.
fn alerts_of<'a>(side: Side<'a>) -> impl Iterator<Item = &'a Diagnostic> {
    side.view.alerts().filter(move |alert| {
        alert.concerns(&metric(side).name) && **alert != Diagnostic::SumsTooLarge {}
    })
}

fn total(side: Side) -> u64 {
    side.view.tree.inclusive(side.measure.metric, NodeId::ROOT)
}

type AlertPair<'a> = [Option<&'a Diagnostic>; 2];

/// A sentence for each alert that [`waiting`] does not cover.
pub(super) fn distortions(sides: [Side; 2]) -> Vec<String> {
    let pairs = alerts(sides, |alert| !is_waiting(alert)).into_values();
    pairs.flat_map(distortion).collect()
}

/// By code.
fn alerts<'a>(
    sides: [Side<'a>; 2],
    fits: fn(&Diagnostic) -> bool,
) -> IndexMap<&'a str, AlertPair<'a>> {
    let mut found: IndexMap<&str, AlertPair> = IndexMap::new();
    for (at, side) in sides.into_iter().enumerate() {
        for alert in alerts_of(side).filter(|alert| fits(alert)) {
            found.entry(alert.code()).or_default()[at].get_or_insert(alert);
        }
    }
    found
}

/// Whether [`waiting`] covers an alert.
fn is_waiting(alert: &Diagnostic) -> bool {
    use Diagnostic::{MessageLoop, ThreadsWait, WaitsOnCpu};
    matches!(
        alert,
        WaitsOnCpu { .. } | ThreadsWait { .. } | MessageLoop { .. }
    )
}

fn distortion(alerts: AlertPair) -> Vec<String> {
    match alerts {
        [Some(Diagnostic::GcPolls { .. }), _] | [_, Some(Diagnostic::GcPolls { .. })] => {
            let [before, after] = alerts.map(|alert| match alert.and_then(gc_polls) {
                Some(share) => format!("{:.1} %", share.percent()),
                None => messages::below(&POLL_PERCENT),
            });
            vec![messages::polls_differ(&before, &after)]
        }
        // two Debug builds are comparable
        [Some(Diagnostic::DebugBuild {}), Some(_)] => Vec::new(),
        _ => others(alerts),
    }
}

fn gc_polls(alert: &Diagnostic) -> Option<&Share> {
    match alert {
        Diagnostic::GcPolls { share } => Some(share),
        _ => None,
    }
}

/// The range of a method's ratio: from all time in GC polls belonging to the method before the change, to all of it
/// after. `None` if narrow.
pub(super) fn bounds_by_polls(sides: [Side; 2], method: &str, value: Sides) -> Option<String> {
    const MIN_RATIO: f64 = 1.1;
    let gc_polls = |side: Side| {
        alerts_of(side)
            .find_map(gc_polls)
            .map_or(0, |share| share.part)
    };
    let [before, after] = sides.map(|side| gc_polls(side) as f64);
    let ends = [
        value.after as f64 / (value.before as f64 + before),
        (value.after as f64 + after) / value.before as f64,
    ];
    // a small method would have any factor
    let is_large = value.before > 0 && before.max(after) <= value.after as f64;
    let is_much = is_large && ends[1] / ends[0] >= MIN_RATIO;
    is_much.then(|| messages::bounds_by_polls(&method, &factors(ends)))
}

fn others([before, after]: AlertPair) -> Vec<String> {
    let first = |alert: &Diagnostic| {
        let text = alert.to_string();
        let first = text.split(". ").next().unwrap_or_default();
        (first.trim_end_matches('.').to_string(), alert.code())
    };
    let (before, after) = (before.map(first), after.map(first));
    let sides = match before == after {
        true => vec![(messages::BEFORE_AND_AFTER, before)],
        false => vec![
            (messages::BEFORE_THE_CHANGE, before),
            (messages::AFTER_THE_CHANGE, after),
        ],
    };
    let sentence = |(side, alert): (&str, Option<(String, &str)>)| {
        let (sentence, code) = alert?;
        Some(messages::other_alert(&side, &sentence, &code))
    };
    sides.into_iter().filter_map(sentence).collect()
}

/// `None` if waiting contributes little to the difference and no alert is about it.
pub(super) fn waiting(sides: [Side; 2]) -> Option<String> {
    let [before, after] = sides.map(|side| side.view.waiting_total(side.measure.metric));
    let whole = sides.map(total);
    let codes: Vec<&str> = alerts(sides, is_waiting).into_keys().collect();
    let is_alert = !codes.is_empty();
    let codes = match is_alert {
        true => format!(" [{}]", codes.join(", ")),
        false => String::new(),
    };
    let is_part =
        before.abs_diff(after).saturating_mul(MIN_WAITING_PART) >= whole[0].abs_diff(whole[1]);
    let metric = metric(sides[1]);
    if before != after && is_part {
        let scale = Scale::for_values(metric.unit, whole[0].max(whole[1]));
        let work = Sides {
            before: whole[0].saturating_sub(before),
            after: whole[1].saturating_sub(after),
        };
        let [before, after] = [before, after].map(|value| scale.with_unit(value));
        let change = change(scale, work);
        return Some(messages::waiting_differs(&before, &after, &change, &codes));
    }
    let [before, after] = [percent(before, whole[0]), percent(after, whole[1])];
    let words = || messages::waiting_alike(&before, &after, &metric.name, &codes);
    is_alert.then(words)
}

pub(super) fn unequal_samples(sides: [Side; 2]) -> Option<String> {
    let per_sample = |side: Side| {
        let metric = metric(side);
        let is_time =
            metric.unit == Unit::Milliseconds && metric.counts == Some(CountKind::Samples);
        let samples = side.view.tree.count(side.measure.metric, NodeId::ROOT)?;
        (is_time && samples > 0).then(|| total(side) as f64 / samples as f64 / 1e6)
    };
    let [before, after] = sides.map(per_sample);
    let (before, after) = (before?, after?);
    let effect = match after / before {
        ratio if ratio > MIN_SAMPLE_RATIO => messages::LOWER,
        ratio if ratio < 1.0 / MIN_SAMPLE_RATIO => messages::HIGHER,
        _ => return None,
    };
    let [before, after] = [before, after].map(|ms| format!("{ms:.2} ms"));
    Some(messages::unequal_samples(&before, &after, &effect))
}

#[cfg(test)]
mod tests;
