//! Values and metrics as documents have them.

use crate::diagnostics::{Diagnostic, DiagnosticRecord};
use crate::model::sampling_error::standard_error_percent;
use crate::model::{CountKind, Measure, MetricId, NodeId, RangeOf, TimeRange, View};
use crate::units::Unit;
use serde::Serialize;

/// A value of a metric in JSON: milliseconds as they are, whole things as whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Of a metric of time.
    Milliseconds(f64),
    /// Bytes, or a number of something.
    Whole(u64),
}

impl Value {
    /// What is stored as this in a metric of the unit: nanoseconds, bytes or a number.
    pub fn new(unit: Unit, stored: u64) -> Value {
        match unit {
            Unit::Milliseconds => Value::Milliseconds(unit.to_unit(stored)),
            Unit::Count | Unit::Bytes => Value::Whole(stored),
        }
    }
}

#[derive(Debug, Serialize)]
pub struct MetricName<'a> {
    pub name: &'a str,
    pub unit: &'static str,
}

impl<'a> MetricName<'a> {
    pub(super) fn new(view: &'a View, id: MetricId) -> MetricName<'a> {
        let metric = view.recording.metric(id);
        MetricName {
            name: &metric.name,
            unit: metric.unit.name(),
        }
    }
}

/// The diagnostics of a profile as documents have them.
pub(super) fn diagnostic_records(view: &View) -> Vec<DiagnosticRecord<'_>> {
    view.all_diagnostics().map(Diagnostic::record).collect()
}

/// How much of a total is waiting, and whether it counts in percentages and in the order of rows.
#[derive(Debug, Serialize)]
pub(super) struct WaitingPart {
    waiting_total: Value,
    counts_waiting: bool,
}

impl WaitingPart {
    pub(super) fn new(view: &View, measure: Measure, waiting: u64) -> WaitingPart {
        let waiting_total = Value::new(view.recording.metric(measure.metric).unit, waiting);
        WaitingPart {
            waiting_total,
            counts_waiting: measure.left_out(view).is_none(),
        }
    }
}

/// The standard errors of a row's values.
#[derive(Debug, Serialize)]
pub(super) struct StandardError {
    inclusive_percent: Option<f64>,
    exclusive_percent: Option<f64>,
}

impl StandardError {
    /// Those of values that rest on so many samples; `None` where counts are no samples, as in tracing.
    pub(super) fn new(
        view: &View,
        metric: MetricId,
        samples: [Option<u64>; 2],
    ) -> Option<StandardError> {
        let [inclusive_percent, exclusive_percent] =
            samples.map(|samples| samples.and_then(standard_error_percent));
        let error = StandardError {
            inclusive_percent,
            exclusive_percent,
        };
        (view.recording.metric(metric).counts == Some(CountKind::Samples)).then_some(error)
    }
}

/// A count of a metric if it is of this kind.
pub(super) fn count_if(
    view: &View,
    metric: MetricId,
    kind: CountKind,
    count: Option<u64>,
) -> Option<u64> {
    count.filter(|_| view.recording.metric(metric).counts == Some(kind))
}

/// What steps have made of a tree.
#[derive(Debug, Serialize)]
pub(super) struct StepsPart {
    /// What each shows, in words
    steps: Vec<String>,
    /// the total without them
    of_total: Value,
}

impl StepsPart {
    /// That of a view in a metric, if there are steps.
    pub(super) fn of(view: &View, metric: MetricId) -> Option<StepsPart> {
        let steps = view.steps.words_of_then(&view.recording);
        let of_total = Value::new(
            view.recording.metric(metric).unit,
            view.base().tree.inclusive(metric, NodeId::ROOT),
        );
        (!steps.is_empty()).then_some(StepsPart { steps, of_total })
    }
}

/// How a document about the values of a part begins.
#[derive(Debug, Serialize)]
pub(super) struct DocumentHead<'a> {
    schema: &'static str,
    kind: &'static str,
    metric: MetricName<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<RangeRow>,
    #[serde(flatten)]
    steps: Option<StepsPart>,
    /// the value of the part, of which shares are
    total: Value,
    #[serde(flatten)]
    waiting: WaitingPart,
}

impl<'a> DocumentHead<'a> {
    /// That of a part of a view with this value, of which so much is waiting.
    pub(super) fn new(
        schema: &'static str,
        view: &'a View,
        measure: Measure,
        (total, waiting): (u64, u64),
    ) -> DocumentHead<'a> {
        DocumentHead {
            schema,
            kind: view.recording.source.kind.name(),
            metric: MetricName::new(view, measure.metric),
            range: RangeRow::of(view),
            steps: StepsPart::of(view, measure.metric),
            total: Value::new(view.recording.metric(measure.metric).unit, total),
            waiting: WaitingPart::new(view, measure, waiting),
        }
    }

    /// The same with what is told of waiting where another view is shown than was asked for.
    pub(super) fn with_waiting(self, waiting: WaitingPart) -> DocumentHead<'a> {
        DocumentHead { waiting, ..self }
    }
}

/// The range of time of which a profile is, in milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct RangeRow {
    from_ms: f64,
    to_ms: f64,
    of_ms: f64,
}

impl RangeRow {
    /// That of a profile, unless it is the whole recording.
    pub(super) fn of(view: &View) -> Option<RangeRow> {
        let ms = |ns: u64| Unit::Milliseconds.to_unit(ns);
        view.range().map(
            |RangeOf {
                 range: TimeRange { from_ns, to_ns },
                 of_ns,
             }| RangeRow {
                from_ms: ms(from_ns),
                to_ms: ms(to_ns.min(of_ns)),
                of_ms: ms(of_ns),
            },
        )
    }
}
