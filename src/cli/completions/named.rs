//! The names in a profile that can be completed, from its index if it has one.

use super::super::open::{OpenOptions, Target, open};
use super::quoting::TypedWord;
use super::typed_words;
use crate::analysis::{ChargedValue, own_and_system};
use crate::input::Progress;
use crate::model::{FrameId, NodeId, Recording, TreeForm, View};
use crate::names::FrameKind;
use crate::profile_cache::{CacheLookup, CompletionNames, LARGE_BYTES, ProfileCache};
use crate::text::visible;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_METHODS: usize = 5_000;
/// How many nodes are examined before asking whether to continue.
const NODES_AT_ONCE: usize = 1 << 18;

pub(super) fn typed_file(shell: &str) -> Option<PathBuf> {
    let words = typed_words(std::env::args_os()).skip(1);
    // words that are not Unicode are ignored
    let words = words.filter_map(|word| word.into_string().ok());
    let files = words.map(|word| match shell {
        "powershell" => PathBuf::from(word),
        _ => in_home(TypedWord::new(&word, shell).word, &word),
    });
    files.into_iter().find(|file| file.is_file())
}

fn in_home(path: String, typed: &str) -> PathBuf {
    let rest = typed.starts_with("~/").then(|| path.strip_prefix("~/"));
    match (rest.flatten(), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// From its index or, if it is small enough, from the file itself.
pub(super) fn names_of_file(file: Option<PathBuf>) -> CompletionNames {
    file.and_then(|file| from_index_or_small_file(&file))
        .unwrap_or_default()
}

fn from_index_or_small_file(file: &Path) -> Option<CompletionNames> {
    let options = OpenOptions::default();
    let lookup = CacheLookup {
        file,
        reading: &options.reading,
        decoding: &options.decoding,
    };
    let index_cache = ProfileCache::new(&options.decoding.environment, named_in);
    if let Some(named) = index_cache.named(&lookup) {
        return Some(named);
    }
    let is_small = std::fs::metadata(file).is_ok_and(|file| file.len() <= LARGE_BYTES);
    let target = Target::File(file.into());
    let view = is_small.then(|| open(&target, &options, Progress::default()));
    named(&view?.ok()?, &|| true)
}

/// The names in a recording; `None` if it may not continue.
pub fn named_in(
    recording: &Arc<Recording>,
    may_continue: &dyn Fn() -> bool,
) -> Option<CompletionNames> {
    // without cautions, which nobody reads here
    may_continue().then(|| named(&View::whole(recording, TreeForm::Repaired), may_continue))?
}

fn named(view: &View, may_continue: &dyn Fn() -> bool) -> Option<CompletionNames> {
    let recording = &view.recording;
    let metrics = recording.metrics.iter().map(|metric| metric.name.clone());
    let threads = recording.threads.iter();
    let threads = threads.flat_map(|thread| [thread.name.to_string(), thread.id.to_string()]);
    let processes = recording
        .processes
        .iter()
        .map(|process| process.name.to_string());
    Some(CompletionNames {
        metrics: metrics.collect(),
        threads: threads.collect(),
        processes: processes.collect(),
        methods: methods(view, may_continue)?,
    })
}

/// The hottest methods by their list names: user code with the system code it calls, then all others.
fn methods(view: &View, may_continue: &dyn Fn() -> bool) -> Option<Vec<(String, String)>> {
    if !may_continue() {
        return None;
    }
    let frames = &view.frames;
    let measure = view.measure(view.recording.default_metric);
    let charged = own_and_system(view, &[NodeId::ROOT], measure);
    let mut own = vec![0u64; frames.len()];
    for index in 0..view.tree.len() {
        if index % NODES_AT_ONCE == 0 && !may_continue() {
            return None;
        }
        let node = NodeId::at(index);
        let sum = &mut own[view.tree.frame(node).index()];
        *sum = sum.saturating_add(measure.exclusive(view, node));
    }
    let rank = |frame: FrameId| {
        let first = view.occurrences.of(frame).first()?;
        let charged = charged.of(view, frame).map_or(0, ChargedValue::weight);
        Some((Reverse((charged, own[frame.index()])), *first, frame))
    };
    let all = frames.iter();
    let methods = all.filter(|(_, frame)| frame.kind == FrameKind::Method);
    let mut methods: Vec<_> = methods.filter_map(|(frame, _)| rank(frame)).collect();
    methods.sort_unstable();
    methods.truncate(MAX_METHODS);
    let named = |frame| {
        let full = visible(frames.name(frame)).into_owned();
        (frames.plain_display_name(frame).to_string(), full)
    };
    let methods = methods.iter().map(|&(.., frame)| named(frame));
    may_continue().then(|| methods.collect())
}
