//! What people are told of a recording beside its tree: what to know before believing the numbers.

use super::framing::Ending;
use super::metrics::Metrics;
use super::recording::Recording;
use super::tree::{Root, SampleTree};
use crate::model::format::{counted, percent, thousands};
use std::collections::HashSet;

/// The depth at which runtimes up to .NET 10 cut stacks (`EP_MAX_STACK_DEPTH`); others may cut deeper, none does before.
const MIN_STACK_LIMIT: u32 = 100;
/// A few frames lie in stubs without a name in good recordings, too: up to 3 % of them. More is worth a word.
const NAMELESS_PERMILLE: u64 = 50;

/// What its numbers mean, where people may take them for something else.
pub(super) fn remarks(metrics: &Metrics) -> Option<String> {
    metrics.allocated.map(|_| {
        "Allocated bytes are estimates: the runtime tells of one object for about every 100 kB, whose stack and type stand for \
         all that was allocated since the one before; small numbers are guesses, and what is allocated rarely may be missing."
            .into()
    })
}

/// What to know, a sentence each, the gravest first. Of truncated stacks only what the profile does not say itself, because
/// they were found in the tree.
pub(super) fn warnings(recording: &Recording, ending: &Ending, tree: &SampleTree, is_truncated: bool) -> Vec<String> {
    let counts = Counts::new(tree);
    let mut warnings = Vec::new();
    warnings.extend(ending_warning(ending));
    warnings.extend(damage_warning(recording));
    warnings.extend(undescribed_warning(recording));
    warnings.extend(lost_warning(recording));
    if !tree.has_content {
        warnings.push(no_samples_warning(recording));
    }
    warnings.extend(without_stack_warning(recording));
    warnings.extend(outdated_warning(tree));
    warnings.extend(nameless_warning(&counts, recording));
    warnings.extend(cut_stacks_warning(&counts).filter(|_| !is_truncated));
    warnings
}

fn ending_warning(ending: &Ending) -> Option<String> {
    match ending {
        Ending::Complete => None,
        Ending::Cut { at, inside: Some(name) } => {
            let object = if name.is_empty() { "block".into() } else { format!("block ({name})") };
            let at = thousands(*at);
            Some(format!(
                "The file breaks off at byte {at}, in the middle of a {object}; what was read up to there is kept."
            ))
        }
        Ending::Cut { at, inside: None } => Some(format!(
            "The file breaks off at byte {}, behind a whole block but without the end mark; all that is there is kept.",
            thousands(*at)
        )),
        Ending::Damaged(failure) => Some(format!(
            "The file can't be read on from byte {}: {}; what was read up to there is kept.",
            thousands(failure.offset.unwrap_or(0)),
            failure.problem
        )),
    }
}

fn damage_warning(recording: &Recording) -> Option<String> {
    let damage = recording.damage.as_ref()?;
    Some(format!(
        "{} could not be read in full, the first ({}) from byte {} on; what could be read is kept.",
        counted(damage.blocks, "block"),
        damage.first_block,
        thousands(damage.first_offset)
    ))
}

fn undescribed_warning(recording: &Recording) -> Option<String> {
    let undescribed = recording.metadata.undescribed;
    (undescribed > 0).then(|| {
        format!("{} had to be left out, of a kind that the file does not describe.", counted(undescribed, "event"))
    })
}

fn lost_warning(recording: &Recording) -> Option<String> {
    let lost = recording.losses.count();
    (lost > 0).then(|| {
        format!(
            "{} got lost while recording, so that samples or methods may be missing; \
             a larger buffer (dotnet-trace collect --buffersize) can prevent that.",
            counted(lost, "event")
        )
    })
}

fn without_stack_warning(recording: &Recording) -> Option<String> {
    let events = recording.without_stack;
    (events > 0).then(|| {
        format!(
            "The file lacks the stack of {} (samples or allocations), so that what they tell is shown as the thread's own.",
            counted(events, "event")
        )
    })
}

fn outdated_warning(tree: &SampleTree) -> Option<String> {
    (tree.outdated > 0).then(|| {
        format!(
            "{} may show methods that were replaced before: the code changed too often to look up every stack anew in a \
             file of this size.",
            counted(tree.outdated, "sample")
        )
    })
}

fn no_samples_warning(recording: &Recording) -> String {
    let providers = recording.metadata.providers();
    let mut held: Vec<String> =
        providers.iter().take(3).map(|(name, events)| format!("{} of {name}", thousands(*events))).collect();
    match providers.len() {
        0 => held.push("no events at all".into()),
        1..=3 => {}
        more => held.push(format!("others of {} more providers", more - 3)),
    }
    format!(
        "The file has no samples, so that the tree is empty; its events: {}. To record samples, use the profile \
         dotnet-sampled-thread-time of dotnet-trace collect (cpu-sampling in versions before 2025).",
        held.join(", ")
    )
}

fn nameless_warning(counts: &Counts, recording: &Recording) -> Option<String> {
    let permille = (counts.nameless_frames * 1000).checked_div(counts.frames)?;
    let share = format!("{}.{} % of the frames in samples have no name", permille / 10, permille % 10);
    let has_rundown = recording.spaces.iter().any(|space| space.code.has_rundown());
    match (has_rundown, recording.spaces.has_mappings()) {
        (true, _) | (false, true) if permille < NAMELESS_PERMILLE => None,
        (false, true) => Some(format!(
            "{share} (?!? or module!?), because the file has no symbols for them; code that .NET compiles at run time has \
             names if the program was started with DOTNET_PerfMapEnabled=1."
        )),
        (true, _) => {
            Some(format!("{share} (?!?): they lie in native code, or the list of methods in the file is not complete."))
        }
        (false, false) => Some(format!(
            "The file has no rundown, the list of methods that the runtime writes when a recording is stopped in order, \
             so that {share} (?!?)."
        )),
    }
}

/// Stacks without names all start alike, so that they can be neither marked nor mended in the tree; addresses tell.
fn cut_stacks_warning(counts: &Counts) -> Option<String> {
    (counts.cut_samples > 0).then(|| {
        format!(
            "{} of {} samples ({:.1} %) truncated at {} frames, none of which has a name: their outermost callers are missing, \
             which can't be seen in the tree.",
            thousands(counts.cut_samples),
            thousands(counts.samples),
            percent(counts.cut_samples, counts.samples),
            thousands(u64::from(counts.max_depth))
        )
    })
}

/// Sums over all samples.
#[derive(Debug, Default, PartialEq, Eq)]
struct Counts {
    samples: u64,
    frames: u64,
    nameless_frames: u64,
    max_depth: u32,
    /// Samples of the largest depth that start with an address without a name with which no shallower sample starts.
    cut_samples: u64,
}

impl Counts {
    fn new(tree: &SampleTree) -> Counts {
        let places = || tree.places.iter().filter(|place| place.samples > 0);
        let max_depth = places().map(|place| place.depth).max().unwrap_or(0);
        let mut counts = Counts { max_depth, ..Counts::default() };
        let whole: HashSet<Root> = places().filter(|place| place.depth < max_depth).map(|place| place.root).collect();
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
