//! What of a profile can be named on a command line, from its index if it has one.

use super::super::open::{OpenOptions, Target, open};
use super::quoting::Typed;
use crate::analysis::make::whole;
use crate::analysis::{Charged, HotspotOrder, hotspots, own_and_system};
use crate::input::Progress;
use crate::model::{NodeId, Recording, TreeForm, View};
use crate::names::FrameKind;
use crate::profile_cache::{LARGE_BYTES, Named, ProfileCache, Question};
use crate::text::visible;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The profile on the command line that is being typed.
pub(super) fn typed_file(shell: &str) -> Option<PathBuf> {
    let words = std::env::args().skip_while(|word| word != "--").skip(2);
    let files = words.map(|word| match shell {
        "powershell" => PathBuf::from(word),
        _ => in_home(Typed::new(&word, shell).word, &word),
    });
    files.into_iter().find(|file| file.is_file())
}

/// A path of which the shell has not replaced the home folder yet.
fn in_home(path: String, typed: &str) -> PathBuf {
    let rest = typed.starts_with("~/").then(|| path.strip_prefix("~/"));
    match (rest.flatten(), std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

/// What a file offers: by its index or, if it is small enough to be read meanwhile, by itself.
pub(super) fn of_file(file: Option<PathBuf>) -> Named {
    file.and_then(|file| of_index_or_small(&file))
        .unwrap_or_default()
}

fn of_index_or_small(file: &Path) -> Option<Named> {
    let options = OpenOptions::default();
    let question = Question {
        file,
        reading: &options.reading,
        decoding: &options.decoding,
    };
    let keeper = ProfileCache::new(&options.decoding.environment, named_in);
    if let Some(named) = keeper.named(&question) {
        return Some(named);
    }
    let is_small = std::fs::metadata(file).is_ok_and(|file| file.len() <= LARGE_BYTES);
    let target = Target::File(file.into());
    let view = is_small.then(|| open(&target, &options, Progress::default()));
    Some(named(&view?.ok()?))
}

/// What can be named of a recording.
pub fn named_in(recording: Recording) -> Named {
    named(&whole(&Arc::new(recording), TreeForm::Repaired))
}

fn named(view: &View) -> Named {
    let recording = &view.recording;
    let names = |name: &String| name.clone();
    Named {
        metrics: recording
            .metrics
            .iter()
            .map(|metric| names(&metric.name))
            .collect(),
        threads: recording
            .threads
            .iter()
            .flat_map(|thread| [thread.name.to_string(), thread.id.to_string()])
            .collect(),
        processes: recording
            .processes
            .iter()
            .map(|process| process.name.to_string())
            .collect(),
        methods: methods(view),
    }
}

/// The methods by their list names, hottest first: user code with the system code it calls, then all others.
fn methods(view: &View) -> Vec<(String, String)> {
    let (frames, measure) = (&view.frames, view.measure(view.recording.default_metric));
    let charged = own_and_system(view, &[NodeId::ROOT], measure);
    let mut methods = hotspots(view, &[NodeId::ROOT], measure);
    methods.retain(|method| frames.get(method.frame).kind == FrameKind::Method);
    methods.sort_by_cached_key(|method| {
        let charged = charged.of(view, method.frame).map_or(0, Charged::weight);
        Reverse((charged, method.weight(HotspotOrder::Exclusive)))
    });
    let named = |frame| {
        let full = visible(frames.name(frame)).into_owned();
        (frames.plain_display_name(frame).to_string(), full)
    };
    methods.iter().map(|method| named(method.frame)).collect()
}
