//! Facts, and the warnings and notes that users need before they trust the numbers.

use super::recording::NettraceRecording;
use super::tree::{Root, StackTreeBuilder};
use crate::diagnostics::{Anomaly, Diagnostic, NamelessCause, partly};
use crate::importers::frame_counts::{self, FrameCounts};
use crate::importers::runtime::busiest_providers;
use crate::importers::stream::Ending;
use crate::units::thousands;
use std::collections::HashSet;

/// Runtimes up to .NET 10 cut stacks here (`EP_MAX_STACK_DEPTH`); others may cut deeper.
const MIN_STACK_LIMIT: u32 = 100;

pub(super) fn facts(recording: &NettraceRecording) -> Vec<(&'static str, String)> {
    let (header, process) = (&recording.header, &recording.process);
    let duration = recording.last_ticks().map(|ticks| {
        let ticks = u128::from(ticks.saturating_sub(header.start_ticks));
        let milliseconds = ticks * 1000 / u128::from(header.ticks_per_second);
        format!("{}.{:03} s", milliseconds / 1000, milliseconds % 1000)
    });
    let spaces: Vec<_> = recording.spaces.iter().collect();
    let id = match &spaces[..] {
        [only] => Some(format!("{} {}", only.id, only.name).trim_end().into()),
        _ => header.process_id.map(|id| id.to_string()),
    };
    let processes = (spaces.len() > 1).then(|| thousands(spaces.len() as u64));
    let processors = header.processors.map(|number| number.to_string());
    vec![
        ("recorded", header.started.clone()),
        ("duration", duration.unwrap_or_default()),
        ("process", id.unwrap_or_default()),
        ("processes", processes.unwrap_or_default()),
        ("command line", process.command_line.clone()),
        ("runtime", process.runtime.clone()),
        ("operating system", process.operating_system.clone()),
        ("architecture", process.architecture.clone()),
        ("pointer size", format!("{} bytes", header.pointer_bytes)),
        ("processors", processors.unwrap_or_default()),
    ]
}

pub(super) fn diagnostics(
    ending: &Ending,
    tree: &StackTreeBuilder,
    is_truncated: bool,
) -> Vec<Diagnostic> {
    let (recording, counts) = (tree.recording, SampleCounts::new(tree));
    let thin_cpu = Diagnostic::ThinCpu {
        samples: tree.activities.managed,
        all_samples: tree.activities.managed + tree.activities.external,
    };
    // stacks without names look alike, so only addresses reveal them
    let cut_stacks = Diagnostic::NamelessStacksTruncated {
        truncated: counts.cut_samples,
        samples: counts.samples,
        limit_frames: counts.max_depth,
    };
    let has_cut = counts.cut_samples > 0 && !is_truncated;
    let all = [
        ending.diagnostic(),
        recording.damage.diagnostic(),
        partly::EVENTS_UNDESCRIBED.times(recording.metadata.undescribed),
        Anomaly::EventsDropped.times(recording.losses.lost),
        (!tree.has_content).then(|| no_samples(recording)),
        Anomaly::EventsWithoutStack.times(recording.without_stack),
        Anomaly::SamplesOutdated.times(tree.limits.outdated_samples),
        (tree.activities.is_cpu_thin()).then_some(thin_cpu),
        nameless(&counts, recording),
        has_cut.then_some(cut_stacks),
    ];
    all.into_iter().flatten().collect()
}

fn no_samples(recording: &NettraceRecording) -> Diagnostic {
    let (providers, more_providers) = busiest_providers(&recording.metadata.events());
    Diagnostic::NoSamples {
        more_providers,
        providers,
    }
}

fn nameless(counts: &SampleCounts, recording: &NettraceRecording) -> Option<Diagnostic> {
    let mut spaces = recording.spaces.iter();
    let has_rundown = spaces.any(|space| space.memory.methods.has_rundown());
    let cause = match (has_rundown, recording.spaces.mappings.is_empty()) {
        (false, true) => NamelessCause::NoRundown,
        (false, false) => NamelessCause::NoSymbols,
        (true, _) => NamelessCause::NativeCode,
    };
    // without a rundown, any share is worth reporting
    let permille = match cause {
        NamelessCause::NoRundown => counts.frames.any_permille(),
        _ => counts.frames.permille(),
    };
    Some(frame_counts::nameless(permille?, cause))
}

#[derive(Debug, Default, PartialEq, Eq)]
struct SampleCounts {
    samples: u64,
    frames: FrameCounts,
    max_depth: u32,
    /// Samples with the maximum depth that start with a nameless address with which no shallower sample starts.
    cut_samples: u64,
}

impl SampleCounts {
    fn new(tree: &StackTreeBuilder) -> SampleCounts {
        let leaves = || tree.leaves.iter().filter(|leaf| leaf.samples > 0);
        let max_depth = leaves().map(|leaf| leaf.depth()).max().unwrap_or(0);
        let mut counts = SampleCounts {
            max_depth,
            ..SampleCounts::default()
        };
        let shallower = leaves().filter(|leaf| leaf.depth() < max_depth);
        let other_roots: HashSet<Root> = shallower.map(|leaf| leaf.root).collect();
        for leaf in leaves() {
            counts.samples += leaf.samples;
            counts.frames.add_all(leaf.frames.times(leaf.samples));
            let is_nameless = matches!(leaf.root, Root::Address(_));
            let is_deepest = leaf.depth() == max_depth && max_depth >= MIN_STACK_LIMIT;
            if is_deepest && is_nameless && !other_roots.contains(&leaf.root) {
                counts.cut_samples += leaf.samples;
            }
        }
        counts
    }
}
