//! What distorts the values of a side, and how that affects differences.

use super::markdown::change;
use crate::analysis::compared::Sides;
use crate::diagnostics::{AnalysisDiagnostic, Diagnostic, Remark, Share};
use crate::model::{CountKind, MetricId, NodeId, View};
use crate::query::messages;
use crate::units::{Scale, Unit, factors, percent};

/// Waiting is mentioned if its difference is at least a tenth of the whole difference.
const WAITING_PART: u64 = 10;
/// The ratio from which times per sample count as different.
const SAMPLES_DIFFER: f64 = 1.05;
/// The difference in percentage points from which shares of GC polls count as different.
const POINTS: f64 = 1.0;

#[derive(Clone, Copy)]
pub(super) struct ComparedSide<'a> {
    pub view: &'a View,
    pub metric: MetricId,
}

impl<'a> ComparedSide<'a> {
    /// Sums that are too large are reported elsewhere.
    fn alerts(self) -> impl Iterator<Item = &'a Diagnostic> {
        let metric = &self.view.recording.metric(self.metric).name;
        self.view.alerts().filter(move |alert| {
            alert.concerns(metric) && alert.code() != Remark::SumsTooLarge.code()
        })
    }

    fn of_code(self, code: &str) -> Option<&'a Diagnostic> {
        self.alerts().find(|alert| alert.code() == code)
    }

    fn total(self) -> u64 {
        self.view.tree.inclusive(self.metric, NodeId::ROOT)
    }

    fn waiting(self) -> u64 {
        self.view.waiting_total(self.metric)
    }
}

/// Except waiting, in the order of the alerts.
pub(super) fn distortions(sides: [ComparedSide; 2]) -> Vec<String> {
    let of_code = |code: &str| distortion(sides.map(|side| side.of_code(code)));
    let codes = codes(sides, |alert| !is_waiting(alert));
    codes.into_iter().flat_map(of_code).collect()
}

/// Each once, in the order of the alerts.
fn codes<'a>(sides: [ComparedSide<'a>; 2], fits: fn(&Diagnostic) -> bool) -> Vec<&'a str> {
    let mut codes: Vec<&str> = Vec::new();
    for alert in sides.into_iter().flat_map(ComparedSide::alerts) {
        if fits(alert) && !codes.contains(&alert.code()) {
            codes.push(alert.code());
        }
    }
    codes
}

/// Whether [`waiting`] covers an alert.
fn is_waiting(alert: &Diagnostic) -> bool {
    matches!(
        alert,
        Diagnostic::Analysis(
            AnalysisDiagnostic::WaitsOnCpu { .. }
                | AnalysisDiagnostic::ThreadsWait { .. }
                | AnalysisDiagnostic::MessageLoop { .. }
        )
    )
}

fn distortion(alerts: [Option<&Diagnostic>; 2]) -> Vec<String> {
    let Some(first) = alerts.into_iter().flatten().next() else {
        return Vec::new();
    };
    let sides = match alerts {
        [Some(_), Some(_)] => messages::BEFORE_AND_AFTER,
        [Some(_), None] => messages::ONLY_BEFORE,
        _ => messages::ONLY_AFTER,
    };
    let Diagnostic::Analysis(analysis) = first else {
        return others(alerts);
    };
    match analysis {
        AnalysisDiagnostic::GcPolls { .. } => vec![polls(alerts)],
        // two Debug builds are comparable
        AnalysisDiagnostic::DebugBuild {} if sides == messages::BEFORE_AND_AFTER => Vec::new(),
        AnalysisDiagnostic::DebugBuild {} => vec![messages::debug_build(&sides)],
        AnalysisDiagnostic::CpuIncomplete {} => vec![messages::cpu_incomplete(&sides)],
        AnalysisDiagnostic::AllocationsEstimated {} => {
            vec![messages::allocations_estimated(&sides)]
        }
        _ => others(alerts),
    }
}

fn polled(alert: &Diagnostic) -> Option<&Share> {
    match alert {
        Diagnostic::Analysis(AnalysisDiagnostic::GcPolls { share }) => Some(share),
        _ => None,
    }
}

fn polls(alerts: [Option<&Diagnostic>; 2]) -> String {
    let share = |alert: Option<&Diagnostic>| Some(polled(alert?)?.percent());
    match alerts.map(share) {
        [Some(before), Some(after)] => {
            let so = match before - after {
                less if less >= POINTS => messages::POLLS_MAY_HIDE_WORK,
                less if less <= -POINTS => messages::POLLS_MAY_HAVE_TAKEN,
                _ => messages::POLLS_ALIKE,
            };
            messages::polls_on_both(&before, &after, &so)
        }
        [Some(before), None] => messages::polls_before(&before),
        [_, after] => messages::polls_after(&after.unwrap_or_default()),
    }
}

/// How far the factor of a method may be off because time is charged to GC polls: between all of it belonging to the method
/// before the change, and all of it after. `None` if that is little.
pub(super) fn bounds_by_polls(
    sides: [ComparedSide; 2],
    method: &str,
    value: Sides,
) -> Option<String> {
    const MUCH: f64 = 1.1;
    let polled = |side: ComparedSide| side.alerts().find_map(polled).map_or(0, |share| share.part);
    let [before, after] = sides.map(|side| polled(side) as f64);
    let ends = [
        value.after as f64 / (value.before as f64 + before),
        (value.after as f64 + after) / value.before as f64,
    ];
    // a small method would have any factor
    let is_large = value.before > 0 && before.max(after) <= value.after as f64;
    let is_much = is_large && ends[1] / ends[0] >= MUCH;
    is_much.then(|| messages::bounds_by_polls(&method, &factors(ends)))
}

fn others([before, after]: [Option<&Diagnostic>; 2]) -> Vec<String> {
    let first = |alert: &Diagnostic| {
        let text = alert.to_string();
        let first = text.split(". ").next().unwrap_or_default();
        (first.trim_end_matches('.').to_string(), alert.code())
    };
    let said =
        |side, (sentence, code): (String, &str)| messages::other_alert(&side, &sentence, &code);
    match (before.map(first), after.map(first)) {
        (Some(before), Some(after)) if before == after => {
            vec![said(messages::BEFORE_AND_AFTER, before)]
        }
        (before, after) => {
            let before = before.map(|found| said(messages::BEFORE_THE_CHANGE, found));
            let after = after.map(|found| said(messages::AFTER_THE_CHANGE, found));
            before.into_iter().chain(after).collect()
        }
    }
}

/// `None` if waiting doesn't contribute to the difference and no alert is about it.
pub(super) fn waiting(sides: [ComparedSide; 2]) -> Option<String> {
    let [before, after] = sides.map(ComparedSide::waiting);
    let whole = sides.map(ComparedSide::total);
    let codes = codes(sides, is_waiting);
    let is_told = !codes.is_empty();
    let codes = match is_told {
        true => format!(" [{}]", codes.join(", ")),
        false => String::new(),
    };
    let is_part =
        before.abs_diff(after).saturating_mul(WAITING_PART) >= whole[0].abs_diff(whole[1]);
    let metric = sides[1].view.recording.metric(sides[1].metric);
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
    is_told.then(words)
}

pub(super) fn unequal_samples(sides: [ComparedSide; 2]) -> Option<String> {
    let per_sample = |side: ComparedSide| {
        let metric = side.view.recording.metric(side.metric);
        let is_time =
            metric.unit == Unit::Milliseconds && metric.counts == Some(CountKind::Samples);
        let samples = side.view.tree.count(side.metric, NodeId::ROOT)?;
        (is_time && samples > 0).then(|| side.total() as f64 / samples as f64 / 1e6)
    };
    let [before, after] = sides.map(per_sample);
    let (before, after) = (before?, after?);
    let so = match after / before {
        more if more > SAMPLES_DIFFER => messages::LOWER,
        less if less < 1.0 / SAMPLES_DIFFER => messages::HIGHER,
        _ => return None,
    };
    let [before, after] = [before, after].map(|ms| format!("{ms:.2} ms"));
    Some(messages::unequal_samples(&before, &after, &so))
}
