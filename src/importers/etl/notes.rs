//! The warnings and notes about a trace that users need before they trust the numbers.

use super::buffers::BufferEnding;
use super::headers::Guid;
use super::kernel::{RUNDOWN, RUNTIME};
use super::trace::{EtlTrace, Provider};
use super::tree::SampleTree;
use crate::diagnostics;
use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, NamelessCause, TraceDiagnostic, partly};

/// How many frames in a thousand without a name are worth a word.
const NAMELESS_PERMILLE: u64 = 50;
/// How many providers are named where there are no samples.
const NAMED_PROVIDERS: usize = 3;

/// What to know, the gravest first.
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
        BufferEnding::Cut { at } => Some(BrokenOff::at(*at, diagnostics::Ending::Plain {})),
        BufferEnding::Damaged { at, problem } => Some(BrokenOff::at(
            *at,
            diagnostics::Ending::Damaged {
                problem: problem.clone(),
            },
        )),
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
    let mut providers: Vec<(String, u64)> = trace
        .providers
        .iter()
        .map(|(provider, events)| (provider_name(*provider), *events))
        .collect();
    // stable: of equal ones, the first in the file comes first
    providers.sort_by_key(|(_, events)| std::cmp::Reverse(*events));
    let more_providers = providers.len().saturating_sub(NAMED_PROVIDERS);
    providers.truncate(NAMED_PROVIDERS);
    TraceDiagnostic::NoProcessorSamples {
        providers,
        more_providers,
    }
}

fn provider_name(provider: Provider) -> String {
    match provider {
        Provider::Kernel => "Windows Kernel".into(),
        Provider::Messages => "messages".into(),
        Provider::Guid(RUNTIME) => "Microsoft-Windows-DotNETRuntime".into(),
        Provider::Guid(RUNDOWN) => "Microsoft-Windows-DotNETRuntimeRundown".into(),
        Provider::Guid(guid) => spelled(guid),
    }
}

/// A GUID as people write it: three little-endian numbers, then bytes.
fn spelled(guid: Guid) -> String {
    let [a, b, c, d, e, f, g, h, rest @ ..] = guid;
    let [i, j, k, l, m, n, o, p] = rest;
    let first = u32::from_le_bytes([a, b, c, d]);
    let (second, third) = (u16::from_le_bytes([e, f]), u16::from_le_bytes([g, h]));
    format!(
        "{first:08x}-{second:04x}-{third:04x}-{i:02x}{j:02x}-{k:02x}{l:02x}{m:02x}{n:02x}{o:02x}{p:02x}"
    )
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guids_are_spelled_as_people_write_them() {
        assert_eq!(spelled(RUNTIME), "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4");
        assert_eq!(spelled(RUNDOWN), "a669021c-c450-4609-a035-5af59af4df18");
    }
}
