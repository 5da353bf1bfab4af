use crate::analysis::{own_value, sum};
use crate::diagnostics::{Diagnostic, DiagnosticRecord};
use crate::model::sampling_error::{THIN_SAMPLES, standard_error_percent};
use crate::model::{
    CountKind, FrameId, Measure, Metric, MetricId, NodeId, RecordingRange, TimeRange, View,
};
use crate::object::{IfAny, Members, if_any, object};
use crate::query::{messages, recording_total};
use crate::text::visible;
use crate::units::{Unit, percent};
use serde::Serialize;

/// A value of a metric in JSON: fractional milliseconds, or a whole number of anything else.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    Milliseconds(f64),
    Whole(u64),
}

impl Value {
    pub fn new(unit: Unit, stored: u64) -> Value {
        match unit {
            Unit::Milliseconds => Value::Milliseconds(unit.to_unit(stored)),
            Unit::Count | Unit::Bytes => Value::Whole(stored),
        }
    }
}

pub(super) fn diagnostic_records(view: &View) -> Vec<DiagnosticRecord<'_>> {
    view.all_diagnostics().map(Diagnostic::record).collect()
}

pub(super) fn metric_name(metric: &Metric) -> impl Serialize {
    object! { name: &metric.name, unit: metric.unit.name() }
}

pub(super) fn method_names(view: &View, frame: FrameId) -> impl Members {
    object! {
        name: view.frames.name(frame),
        display: view.frames.list_name(frame),
        module: view.frames.module(frame),
        category: view.frames.get(frame).category.name(),
        signature: if_any(view.frames.signature(frame)),
    }
}

/// A count under the name of what it counts, with `null` for the other kinds.
pub(super) fn counts(metric: &Metric, count: Option<u64>) -> impl Members + use<> {
    let count_of = |kind| count.filter(|_| metric.counts == Some(kind));
    object! {
        calls: count_of(CountKind::Calls),
        samples: count_of(CountKind::Samples),
        counts: IfAny(count_of(CountKind::Unknown)),
    }
}

/// The errors of an inclusive and an exclusive value with these numbers of samples; `None` if counts are not samples.
pub(super) fn standard_error(
    metric: &Metric,
    samples: [Option<u64>; 2],
) -> Option<impl Serialize + use<>> {
    let [inclusive_percent, exclusive_percent] =
        samples.map(|samples| samples.and_then(standard_error_percent));
    (metric.counts == Some(CountKind::Samples)).then_some(object! {
        inclusive_percent,
        exclusive_percent,
    })
}

/// A warning or caution, after the share of nameless frames if it is about them.
pub fn alert_words(view: &View, measure: Measure, alert: &Diagnostic) -> String {
    let mut text = visible(&alert.to_string()).into_owned();
    if alert.code() == "nameless-frames" {
        let frames = view.frames.iter().map(|(id, _)| id);
        let nameless = frames.filter(|&frame| view.frames.is_nameless(frame));
        let value = sum(nameless.map(|frame| own_value(view, measure, frame)));
        let share = percent(value, measure.inclusive(view, NodeId::ROOT));
        let metric = &view.recording.metric(measure.metric).name;
        text.insert_str(0, &messages::in_nameless_frames(&share, &visible(metric)));
    }
    text
}

pub fn thin_shares(samples: u64) -> Option<String> {
    let share = percent(THIN_SAMPLES, samples);
    (share >= 0.05).then(|| match share >= 100.0 {
        true => messages::too_few_samples(&samples),
        false => messages::thin_shares(&share, &THIN_SAMPLES),
    })
}

/// `, 2,429.1 ms of it in waits and spins` in metrics of running time, otherwise `, 66.534 s of it waiting`.
pub fn waiting_part(metric: &Metric, waiting: &str) -> String {
    match metric.is_running_time() {
        true => messages::part_in_waits(&waiting),
        false => messages::waiting_part(&waiting),
    }
}

/// `2,429.1 ms in waits and spins` in metrics of running time, otherwise `66.534 s of waiting`.
pub fn waiting_amount(metric: &Metric, waiting: &str) -> String {
    match metric.is_running_time() {
        true => messages::amount_in_waits(&waiting),
        false => messages::waiting_amount(&waiting),
    }
}

#[derive(Clone, Copy, Debug)]
pub struct PartTotal {
    pub measure: Measure,
    pub total: u64,
    pub waiting: u64,
    pub counts_waiting: bool,
}

impl PartTotal {
    pub(super) fn new(view: &View, measure: Measure, total: u64, waiting: u64) -> PartTotal {
        PartTotal {
            measure,
            total,
            waiting,
            counts_waiting: measure.left_out(view).is_none(),
        }
    }

    pub(super) fn of(view: &View, measure: Measure, root: NodeId) -> PartTotal {
        let total = view.tree.inclusive(measure.metric, root);
        let waiting = view.waiting(measure.metric).within(&view.tree, root);
        PartTotal::new(view, measure, total, waiting)
    }

    /// The basis of percentages.
    pub fn whole(&self) -> u64 {
        let left_out = if self.counts_waiting { 0 } else { self.waiting };
        self.total.saturating_sub(left_out)
    }

    pub fn leaves_out_waiting(&self) -> bool {
        !self.counts_waiting && self.waiting > 0
    }

    /// Whether waiting is excluded that counts by default, so the user does not want to see it.
    pub fn hides_waiting(&self, view: &View) -> bool {
        self.leaves_out_waiting() && view.measure(self.metric()).counts_waiting
    }

    pub fn metric(&self) -> MetricId {
        self.measure.metric
    }

    pub(super) fn head(self, schema: &'static str, view: &View) -> impl Members {
        let metric = view.recording.metric(self.metric());
        let steps = view.steps.transform_words(&view.recording);
        let of_total = view.base().tree.inclusive(self.metric(), NodeId::ROOT);
        let of_total = (!steps.is_empty()).then(|| Value::new(metric.unit, of_total));
        let recording_total = recording_total(view, self.metric().into());
        object! {
            schema,
            kind: view.recording.source.kind.name(),
            metric: metric_name(metric),
            range: IfAny(range_row(view)),
            steps: if_any(steps),
            of_total: IfAny(of_total),
            recording_total: IfAny(recording_total.map(|all| Value::new(metric.unit, all))),
            total: Value::new(metric.unit, self.total),
            waiting_total: Value::new(metric.unit, self.waiting),
            counts_waiting: self.counts_waiting,
        }
    }
}

pub(super) fn range_row(view: &View) -> Option<impl Serialize + use<>> {
    let ms = |ns: u64| Unit::Milliseconds.to_unit(ns);
    let RecordingRange {
        range: TimeRange { from_ns, to_ns },
        of_ns,
    } = view.range()?;
    Some(object! {
        from_ms: ms(from_ns),
        to_ms: ms(to_ns.min(of_ns)),
        of_ms: ms(of_ns),
    })
}
