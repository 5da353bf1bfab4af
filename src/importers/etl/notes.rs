//! The warnings and notes that users need before they trust a trace's numbers.

use super::buffers::BufferEnding;
use super::trace::EtlTrace;
use super::tree::SampleTree;
use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, NamelessCause, TraceDiagnostic, partly};
use crate::importers::runtime::busiest_providers;

/// The permille of nameless frames worth reporting.
const NAMELESS_PERMILLE: u64 = 50;

/// The diagnostics, most severe first.
pub(super) fn diagnostics(
    trace: &EtlTrace,
    ending: &BufferEnding,
    tree: &SampleTree,
) -> Vec<Diagnostic> {
    let counts = &tree.counts;
    let all = [
        broken_off(ending),
        damage(trace).map(Diagnostic::Trace),
        partly::EVENTS_TOO_SHORT.times(trace.short_events),
        Anomaly::TraceEventsLost.times(trace.file.lost_events.into()),
        Anomaly::TraceBuffersLost.times(trace.file.lost_buffers.into()),
        tree.log
            .is_empty()
            .then(|| Diagnostic::Trace(no_samples(trace))),
        Anomaly::SamplesWithoutStack.times(counts.without_stack),
        Anomaly::SamplesOutdated.times(counts.outdated),
        nameless(tree).map(Diagnostic::Trace),
    ];
    all.into_iter().flatten().collect()
}

fn broken_off(ending: &BufferEnding) -> Option<Diagnostic> {
    match ending {
        BufferEnding::Complete => None,
        BufferEnding::Cut { at } => Some(BrokenOff::at(*at)),
        BufferEnding::Damaged { at, problem } => Some(BrokenOff::damaged(*at, problem)),
    }
}

fn damage(trace: &EtlTrace) -> Option<TraceDiagnostic> {
    let damage = trace.damage.as_ref()?;
    Some(TraceDiagnostic::BlocksDamaged {
        blocks: damage.buffers,
        first_block: "buffer".into(),
        first_offset_bytes: damage.first_offset,
    })
}

fn no_samples(trace: &EtlTrace) -> TraceDiagnostic {
    let (providers, more_providers) = busiest_providers(&trace.events());
    TraceDiagnostic::NoProcessorSamples {
        providers,
        more_providers,
    }
}

fn nameless(tree: &SampleTree) -> Option<TraceDiagnostic> {
    let permille = (tree.counts.nameless_frames * 1000).checked_div(tree.counts.frames)?;
    let cause = NamelessCause::NoPdbs;
    (permille >= NAMELESS_PERMILLE).then_some(TraceDiagnostic::NamelessFrames {
        permille,
        cause,
        nameless: None,
        frames: None,
    })
}
