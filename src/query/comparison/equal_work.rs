use super::super::QueryError;
use super::super::methods::frames_named;
use super::request::{ComparedFile, ComparisonRequest, Per};
use crate::analysis::{outermost_occurrences, sum};
use crate::model::{CountKind, Measure, NodeId, RecordingRange, View};
use crate::query::messages;
use crate::units::seconds_rounded;

/// The factors by which files are scaled, those before the change first; the first factor is always 1.
pub(super) fn factors(
    request: &ComparisonRequest,
    measures: &[Measure],
) -> Result<Vec<f64>, QueryError> {
    let files = request.before.iter().chain(request.after).zip(measures);
    let amounts = files.map(|(file, &measure)| amount(file, measure, request.per));
    let amounts = amounts.collect::<Result<Vec<u64>, QueryError>>()?;
    let factors = amounts
        .iter()
        .map(|&amount| amounts[0] as f64 / amount as f64);
    Ok(factors.collect())
}

fn amount(file: &ComparedFile, measure: Measure, per: &Per) -> Result<u64, QueryError> {
    let (view, metric) = (&file.view, measure.metric);
    let counted = |kind: CountKind| view.recording.metric(metric).counts == Some(kind);
    let found = match per {
        Per::Nothing => Some(1),
        Per::Total => Some(measure.inclusive(view, NodeId::ROOT)),
        Per::Calls => {
            let calls = view
                .tree
                .nodes()
                .filter_map(|node| view.tree.count(metric, node));
            counted(CountKind::Calls).then(|| sum(calls))
        }
        Per::Samples => {
            let samples = view.tree.count(metric, NodeId::ROOT);
            samples.filter(|_| counted(CountKind::Samples))
        }
        Per::Seconds => recorded_ns(view),
        Per::Method(name) => {
            let frames = frames_named(view, "--per", name)?;
            let nodes = outermost_occurrences(view, NodeId::ROOT, &frames);
            Some(sum(nodes.iter().map(|&node| measure.inclusive(view, node))))
        }
    };
    found.filter(|&amount| amount > 0).ok_or_else(|| {
        let lacks = match per {
            Per::Calls => messages::NO_CALLS,
            Per::Samples => messages::NO_SAMPLES,
            Per::Seconds => messages::NO_DURATION,
            _ => messages::NOTHING_IN_METRIC,
        };
        QueryError::usage(format!("--per {}: {}: {lacks}", per.argument(), file.file))
    })
}

impl ComparedFile {
    pub fn with_duration(&self, name: &str) -> String {
        match recorded_ns(&self.view) {
            Some(ns) => messages::file_recorded(&name, &seconds_rounded(ns)),
            None => name.into(),
        }
    }
}

/// `None` if the source does not state it, or has no samples.
pub(super) fn recorded_ns(view: &View) -> Option<u64> {
    let span_ns = view.recording.samples.as_ref().ok()?.span_ns;
    let length_ns = view.range().map_or(span_ns, RecordingRange::length_ns);
    (length_ns > 0).then_some(length_ns)
}
