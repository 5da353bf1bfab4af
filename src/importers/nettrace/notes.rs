//! The warnings and notes that users need before they trust a recording's numbers.

use super::framing::StreamEnding;
use super::recording::{Activities, NettraceRecording};
use super::tree::{Root, SampleTree};
use crate::diagnostics::{Anomaly, BrokenOff, Diagnostic, NamelessCause, TraceDiagnostic, partly};
use crate::importers::runtime::busiest_providers;
use std::collections::HashSet;

/// The depth at which runtimes up to .NET 10 cut stacks (`EP_MAX_STACK_DEPTH`). Others may cut deeper, but none
/// earlier.
const MIN_STACK_LIMIT: u32 = 100;
/// The permille worth reporting: up to 3 % of the frames in good recordings are in stubs without a name.
const NAMELESS_PERMILLE: u64 = 50;

/// The diagnostics, most severe first. About truncated stacks, only what the profile does not report itself after
/// finding them in the tree.
pub(super) fn diagnostics(
    recording: &NettraceRecording,
    ending: &StreamEnding,
    tree: &SampleTree,
    is_truncated: bool,
) -> Vec<Diagnostic> {
    let counts = SampleCounts::new(tree);
    let all = [
        broken_off(ending),
        damage(recording).map(Diagnostic::Trace),
        partly::EVENTS_UNDESCRIBED.times(recording.metadata.undescribed),
        Anomaly::EventsDropped.times(recording.losses.lost),
        (!tree.has_content).then(|| Diagnostic::Trace(no_samples(recording))),
        Anomaly::EventsWithoutStack.times(recording.without_stack),
        Anomaly::SamplesOutdated.times(tree.outdated),
        thin_cpu(tree.activities).map(Diagnostic::Trace),
        nameless(&counts, recording).map(Diagnostic::Trace),
        cut_stacks(&counts)
            .filter(|_| !is_truncated)
            .map(Diagnostic::Trace),
    ];
    all.into_iter().flatten().collect()
}

fn thin_cpu(activities: Activities) -> Option<TraceDiagnostic> {
    let Activities { managed, external } = activities;
    let thin = TraceDiagnostic::ThinCpu {
        samples: managed,
        all_samples: managed + external,
    };
    activities.is_cpu_thin().then_some(thin)
}

fn broken_off(ending: &StreamEnding) -> Option<Diagnostic> {
    match ending {
        StreamEnding::Complete => None,
        StreamEnding::Cut { at } => Some(BrokenOff::at(*at)),
        StreamEnding::Damaged(failure) => Some(BrokenOff::damaged(
            failure.offset.unwrap_or(0),
            &failure.problem,
        )),
    }
}

fn damage(recording: &NettraceRecording) -> Option<TraceDiagnostic> {
    let damage = recording.damage.as_ref()?;
    Some(TraceDiagnostic::BlocksDamaged {
        blocks: damage.blocks,
        first_block: damage.first_block.to_string(),
        first_offset_bytes: damage.first_offset,
    })
}

fn no_samples(recording: &NettraceRecording) -> TraceDiagnostic {
    let (providers, more_providers) = busiest_providers(&recording.metadata.events());
    TraceDiagnostic::NoSamples {
        more_providers,
        providers,
    }
}

fn nameless(counts: &SampleCounts, recording: &NettraceRecording) -> Option<TraceDiagnostic> {
    let permille = (counts.nameless_frames * 1000).checked_div(counts.frames)?;
    let has_rundown = recording
        .spaces
        .iter()
        .any(|space| space.code.has_rundown());
    let cause = match (has_rundown, recording.spaces.has_mappings()) {
        _ if counts.nameless_frames == 0 => return None,
        (true, _) | (false, true) if permille < NAMELESS_PERMILLE => return None,
        (false, true) => NamelessCause::NoSymbols,
        (true, _) => NamelessCause::NativeCode,
        (false, false) => NamelessCause::NoRundown,
    };
    Some(TraceDiagnostic::NamelessFrames {
        permille,
        cause,
        nameless: None,
        frames: None,
    })
}

/// Stacks without names all look alike, so they can't be marked or repaired in the tree; only addresses reveal them.
fn cut_stacks(counts: &SampleCounts) -> Option<TraceDiagnostic> {
    let SampleCounts {
        samples,
        cut_samples: truncated,
        max_depth: limit_frames,
        ..
    } = *counts;
    (truncated > 0).then_some(TraceDiagnostic::NamelessStacksTruncated {
        truncated,
        samples,
        limit_frames,
    })
}

/// Sums over all samples.
#[derive(Debug, Default, PartialEq, Eq)]
struct SampleCounts {
    samples: u64,
    frames: u64,
    nameless_frames: u64,
    max_depth: u32,
    /// Samples with the maximum depth that start with a nameless address with which no shallower sample starts.
    cut_samples: u64,
}

impl SampleCounts {
    fn new(tree: &SampleTree) -> SampleCounts {
        let places = || tree.places.iter().filter(|place| place.samples > 0);
        let max_depth = places().map(|place| place.depth).max().unwrap_or(0);
        let mut counts = SampleCounts {
            max_depth,
            ..SampleCounts::default()
        };
        let whole: HashSet<Root> = places()
            .filter(|place| place.depth < max_depth)
            .map(|place| place.root)
            .collect();
        for place in places() {
            counts.samples += place.samples;
            counts.frames += place.samples * u64::from(place.depth);
            counts.nameless_frames += place.samples * u64::from(place.unresolved);
            let is_nameless = matches!(place.root, Root::Address(_));
            let is_deepest = place.depth == max_depth && max_depth >= MIN_STACK_LIMIT;
            if is_deepest && is_nameless && !whole.contains(&place.root) {
                counts.cut_samples += place.samples;
            }
        }
        counts
    }
}
