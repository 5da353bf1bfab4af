use super::tree::StackTreeBuilder;
use crate::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use crate::importers::frame_counts::nameless;
use crate::importers::runtime::busiest_providers;
use crate::importers::stream::Ending;

pub(super) fn diagnostics(ending: Option<&Ending>, tree: &StackTreeBuilder) -> Vec<Diagnostic> {
    let trace = tree.trace;
    let no_samples = || {
        let (providers, more_providers) = busiest_providers(&trace.events());
        Diagnostic::NoProcessorSamples {
            providers,
            more_providers,
        }
    };
    let without_stack = trace.samples().filter(|row| !row.has_stack()).count();
    let all = [
        ending.and_then(Ending::diagnostic),
        trace.damage.diagnostic(),
        partly::EVENTS_TOO_SHORT.times(trace.short_events),
        Anomaly::TraceEventsLost.times(trace.file.lost_events.into()),
        Anomaly::TraceBuffersLost.times(trace.file.lost_buffers.into()),
        tree.rows.is_empty().then(no_samples),
        Anomaly::SamplesWithoutStack.times(without_stack as u64),
        Anomaly::SamplesOutdated.times(tree.limits.outdated_samples),
        (tree.frame_counts.permille()).map(|share| nameless(share, NamelessCause::NoPdbs)),
    ];
    all.into_iter().flatten().collect()
}
