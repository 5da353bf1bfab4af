//! Loads a profile for the explorer, off the drawing thread.

use super::open::{OpenOptions, Target, open};
use super::options::{Range, refuse_unused};
use crate::analysis::ReadyView;
use crate::analysis::make::scoped;
use crate::app::{Keymap, OpenFailure, Preferences};
use crate::cli::messages;
use crate::input::{ImportError, Progress, Stage};
use crate::model::{Merging, MetricId, Scope, ThreadChoice, View};
use crate::query::{
    ComparedFile, ComparisonRequest, QueryError, StepRequest, ThreadRequest, comparison,
    metric_named, select_scope, stepped, thread_choice,
};
use crate::ui::Palette;
use anyhow::Result;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

/// Merging pool threads of larger trees would make users wait.
const MAX_MERGED: usize = 1_000_000;

pub(super) struct LoadedFile {
    pub whole: ReadyView,
    pub shown: Option<ReadyView>,
    pub metric: Option<MetricId>,
    pub waiting: Option<bool>,
}

/// What the command line asks to show first; by default everything, in the default metric.
#[derive(Clone, Debug, Default)]
pub(super) struct InitialView {
    pub range: Range,
    pub threads: ThreadRequest,
    /// Whether pool threads are not merged.
    pub splits_pool: bool,
    pub metric: Option<String>,
    pub waiting: Option<bool>,
    pub steps: Vec<StepRequest>,
    pub fold: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct ScreenSettings {
    pub palette: Option<Palette>,
    pub keymap: Arc<Keymap>,
    pub preferences: Preferences,
    pub problem: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Opening {
    pub how: OpenOptions,
    pub shown: InitialView,
    pub screen: ScreenSettings,
}

impl std::fmt::Debug for Keymap {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Keymap")
    }
}

impl InitialView {
    /// For a whole machine, the threads of the main process, unless others are requested.
    fn threads(&self) -> ThreadRequest {
        ThreadRequest {
            prefers_main: true,
            ..self.threads.clone()
        }
    }
}

/// Panics come back as errors. Truncated stacks are always repaired, so both forms are available.
pub(super) fn load(
    target: &Target,
    how: &OpenOptions,
    wanted: &InitialView,
    progress: Progress,
) -> Result<LoadedFile> {
    let work = || -> Result<LoadedFile> {
        if let Target::Comparison { before, after } = target {
            return compared([before, after], how, wanted, &progress);
        }
        let repairing = OpenOptions {
            repairs: true,
            ..how.clone()
        };
        let whole = open(target, &repairing, progress)?;
        refuse_unused(&how.decoding, &whole.recording)?;
        loaded(whole, how.repairs, wanted)
    };
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(Panic(panic_text(&*panic)).into()))
}

fn loaded(whole: View, repairs: bool, wanted: &InitialView) -> Result<LoadedFile> {
    let whole = ReadyView::of(whole);
    let metric = metric_named(&whole, wanted.metric.as_deref())?;
    let scope = requested_scope(&whole, repairs, wanted)?;
    let first = scoped(&whole.recording, &scope).map_err(QueryError::from)?;
    Ok(LoadedFile {
        metric: Some(metric).filter(|&metric| metric != whole.recording.default_metric),
        waiting: wanted.waiting,
        shown: changed_at_first(&whole, first, wanted)?,
        whole,
    })
}

pub fn first_view(whole: View) -> Result<(ReadyView, Option<ReadyView>)> {
    let LoadedFile { whole, shown, .. } = loaded(whole, true, &InitialView::default())?;
    Ok((whole, shown))
}

fn side(file: &Path, how: &OpenOptions, wanted: &InitialView, progress: &Progress) -> Result<View> {
    let view = open(&Target::File(file.into()), how, progress.clone())?;
    refuse_unused(&how.decoding, &view.recording)?;
    let range = wanted.range.within(&view.recording)?;
    Ok(select_scope(view, range, &wanted.threads())?.view)
}

/// Combines two files, each in the requested time range and threads.
fn compared(
    files: [&PathBuf; 2],
    how: &OpenOptions,
    wanted: &InitialView,
    progress: &Progress,
) -> Result<LoadedFile> {
    // one side may lack the metric
    let of_side = OpenOptions {
        metric: None,
        ..how.clone()
    };
    let side = |file| side(file, &of_side, wanted, progress);
    let [before, after] = thread::scope(|scope| {
        let before = scope.spawn(|| side(files[0]));
        let after = side(files[1]);
        let before = before.join().unwrap_or_else(|panic| resume_unwind(panic));
        [before, after]
    });
    let names = files.map(|file| file.display().to_string());
    let views = [before?, after?];
    let compared = |side: usize| {
        let (file, view) = (&names[side], &views[side]);
        [ComparedFile { file, view }]
    };
    let (before, after) = (compared(0), compared(1));
    let request = ComparisonRequest {
        metric: wanted.metric.as_deref(),
        leaves_out_waiting: wanted.waiting == Some(false),
        preferred_metric: how.metric.as_deref(),
        ..ComparisonRequest::new(&before, &after)
    };
    let whole = ReadyView::of(comparison(&request)?.judged());
    Ok(LoadedFile {
        metric: None,
        waiting: None,
        shown: changed_at_first(&whole, View::clone(&whole), wanted)?,
        whole,
    })
}

/// `None` if it is the whole recording.
fn changed_at_first(whole: &View, first: View, wanted: &InitialView) -> Result<Option<ReadyView>> {
    let collapsed = collapsed_at_first(whole, wanted);
    let shown = stepped(first, &[wanted.steps.clone(), collapsed].concat())?;
    Ok((shown.steps != whole.steps).then(|| ReadyView::of(shown)))
}

/// Unless the command line says otherwise: async infrastructure, which fills .NET stacks, or what is configured.
pub(super) fn collapsed_at_first(whole: &View, wanted: &InitialView) -> Vec<StepRequest> {
    let is_asked_for = wanted.steps.iter().any(StepRequest::is_display);
    let value = wanted.fold.as_deref().unwrap_or("plumbing");
    let mut frames = whole.frames.iter();
    let mut has_plumbing = || frames.any(|(id, frame)| frame.is_plumbing && whole.occurs(id));
    if is_asked_for || value == "none" || value == "plumbing" && !has_plumbing() {
        return Vec::new();
    }
    vec![StepRequest {
        option: "--fold".into(),
        word: "fold".into(),
        value: value.into(),
    }]
}

fn requested_scope(whole: &View, repairs: bool, wanted: &InitialView) -> Result<Scope> {
    let range = wanted.range.within(&whole.recording)?;
    let choice = thread_choice(whole, &wanted.threads())?;
    let all = || ThreadChoice::all(&whole.recording);
    let threads = choice.map_or_else(all, |(choice, _)| choice);
    let with_pool = ThreadChoice {
        merging: Merging::Pool,
        ..threads.clone()
    };
    let is_small = whole.tree.len() <= MAX_MERGED;
    let merges_pool = !wanted.splits_pool && is_small && with_pool.merges_any(&whole.recording);
    let threads = if merges_pool { with_pool } else { threads };
    Ok(Scope {
        range,
        threads,
        is_repaired: repairs || whole.recording.repaired.is_none(),
    })
}

#[derive(Debug)]
struct Panic(String);

impl fmt::Display for Panic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(messages::BUG_WHILE_READING)
    }
}

impl std::error::Error for Panic {}

/// The importer's error, or something requested that does not exist.
pub(super) fn describe(error: &anyhow::Error) -> OpenFailure {
    let (stage, detail) = match (error.downcast_ref(), error.downcast_ref()) {
        (Some(ImportError::Failed(parts)), _) => (parts.stage.map(Stage::name), detail_of(parts)),
        (_, Some(Panic(text))) => (None, vec![text.clone()]),
        _ => (None, vec![messages::NO_DETAIL.into()]),
    };
    OpenFailure {
        stage,
        sentence: error.to_string(),
        detail,
    }
}

/// The details of a failure; if there are none, the parts of its sentence, one per line.
fn detail_of(failure: &crate::input::Failure) -> Vec<String> {
    if !failure.detail.is_empty() {
        return failure.detail.clone();
    }
    let mut lines = vec![format!("file: {}", failure.file)];
    if !failure.place.is_empty() {
        lines.push(format!("part: {}", failure.place));
    }
    if let Some(offset) = failure.offset {
        lines.push(format!("offset: {offset} ({offset:#x})"));
    }
    lines.push(format!("problem: {}", failure.problem));
    let advice = failure.full_advice();
    if !advice.is_empty() {
        lines.push(messages::what_to_do(&advice));
    }
    lines
}

pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or(messages::PANIC_WITHOUT_MESSAGE).into()
}

#[cfg(test)]
mod tests;
