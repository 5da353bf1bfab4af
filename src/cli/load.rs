//! Loads a profile for the explorer, off the drawing thread.

use super::open::{OpenOptions, Target, open};
use super::options::{Range, refuse_unused};
use crate::analysis::ReadyView;
use crate::analysis::make::scoped;
use crate::app::{Keymap, OpenFailure, Preferences};
use crate::cli::messages;
use crate::input::{Failure, ImportError, Progress};
use crate::model::{Merging, MetricId, Scope, ThreadChoice, View};
use crate::query::{
    ComparedFile, ComparisonRequest, QueryError, StepRequest, ThreadRequest, apply_steps,
    comparison, metric_named, select_scope, thread_choice,
};
use crate::ui::Palette;
use anyhow::Result;
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

#[derive(Clone, Debug, Default)]
pub(super) struct InitialView {
    pub range: Range,
    pub threads: ThreadRequest,
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
}

#[derive(Clone, Debug, Default)]
pub(super) struct Opening {
    pub how: OpenOptions,
    pub shown: InitialView,
    pub screen: ScreenSettings,
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

/// Returns panics as errors. Truncated stacks are always repaired, so both forms are available.
pub(super) fn load(
    target: &Target,
    options: &OpenOptions,
    initial: &InitialView,
    progress: Progress,
) -> Result<LoadedFile> {
    let work = || -> Result<LoadedFile> {
        if let Target::Comparison { before, after } = target {
            return compared([before, after], options, initial, &progress);
        }
        let repairing = OpenOptions {
            repairs: true,
            ..options.clone()
        };
        let whole = open(target, &repairing, progress)?;
        refuse_unused(&options.decoding, &whole.recording)?;
        loaded(whole, options.repairs, initial)
    };
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let failure = Failure::new(target.name(), "", messages::BUG_WHILE_READING);
        Err(ImportError::from(failure.detail([panic_text(&*panic)])).into())
    })
}

fn loaded(whole: View, repairs: bool, initial: &InitialView) -> Result<LoadedFile> {
    let whole = ReadyView::of(whole);
    let metric = metric_named(&whole, initial.metric.as_deref())?;
    let scope = requested_scope(&whole, repairs, initial)?;
    let first = scoped(&whole.recording, &scope).map_err(QueryError::from)?;
    Ok(LoadedFile {
        metric: Some(metric).filter(|&metric| metric != whole.recording.default_metric),
        waiting: initial.waiting,
        shown: first_shown(&whole, first, initial)?,
        whole,
    })
}

pub fn first_view(whole: View) -> Result<(ReadyView, Option<ReadyView>)> {
    let LoadedFile { whole, shown, .. } = loaded(whole, true, &InitialView::default())?;
    Ok((whole, shown))
}

fn side(
    file: &Path,
    options: &OpenOptions,
    initial: &InitialView,
    progress: &Progress,
) -> Result<ComparedFile> {
    let view = open(&Target::File(file.into()), options, progress.clone())?;
    refuse_unused(&options.decoding, &view.recording)?;
    let range = initial.range.within(&view.recording)?;
    Ok(ComparedFile {
        file: file.display().to_string(),
        view: select_scope(view, range, &initial.threads())?.0,
    })
}

fn compared(
    files: [&PathBuf; 2],
    options: &OpenOptions,
    initial: &InitialView,
    progress: &Progress,
) -> Result<LoadedFile> {
    // one side may lack the metric
    let without_metric = OpenOptions {
        metric: None,
        ..options.clone()
    };
    let side = |file| side(file, &without_metric, initial, progress);
    let [before, after] = thread::scope(|scope| {
        let before = scope.spawn(|| side(files[0]));
        let after = side(files[1]);
        let before = before.join().unwrap_or_else(|panic| resume_unwind(panic));
        [before, after]
    });
    let (before, after) = ([before?], [after?]);
    let request = ComparisonRequest {
        metric: initial.metric.as_deref(),
        leaves_out_waiting: initial.waiting == Some(false),
        preferred_metric: options.metric.as_deref(),
        max_rows: Some(0),
        before: &before,
        after: &after,
        ..ComparisonRequest::default()
    };
    let whole = ReadyView::of(comparison(&request)?.with_verdicts());
    Ok(LoadedFile {
        metric: None,
        waiting: None,
        shown: first_shown(&whole, View::clone(&whole), initial)?,
        whole,
    })
}

/// The first view with the requested steps; `None` if it is the whole recording.
fn first_shown(whole: &View, first: View, initial: &InitialView) -> Result<Option<ReadyView>> {
    let collapsed = match initial.steps.iter().any(StepRequest::is_display) {
        true => Vec::new(),
        false => initially_collapsed(whole, initial.fold.as_deref()),
    };
    let shown = apply_steps(first, &[initial.steps.clone(), collapsed].concat())?;
    Ok((shown.steps != whole.steps).then(|| ReadyView::of(shown)))
}

/// What is configured to be collapsed, or else async infrastructure, which fills .NET stacks.
pub(super) fn initially_collapsed(whole: &View, fold: Option<&str>) -> Vec<StepRequest> {
    let value = fold.unwrap_or("plumbing");
    let mut frames = whole.frames.iter();
    let mut has_plumbing = || frames.any(|(id, frame)| frame.is_plumbing && whole.occurs(id));
    if value == "none" || value == "plumbing" && !has_plumbing() {
        return Vec::new();
    }
    vec![StepRequest {
        option: "--fold".into(),
        word: "fold".into(),
        value: value.into(),
    }]
}

fn requested_scope(whole: &View, repairs: bool, initial: &InitialView) -> Result<Scope> {
    let range = initial.range.within(&whole.recording)?;
    let (threads, _) = thread_choice(whole, &initial.threads())?;
    let with_pool = ThreadChoice {
        merging: Merging::Pool,
        ..threads.clone()
    };
    let is_small = whole.tree.len() <= MAX_MERGED;
    let merges_pool = !initial.splits_pool && is_small && with_pool.merges_any(&whole.recording);
    let threads = if merges_pool { with_pool } else { threads };
    Ok(Scope {
        range,
        threads,
        is_repaired: repairs || whole.recording.repaired.is_none(),
    })
}

pub(super) fn describe(error: &anyhow::Error) -> OpenFailure {
    let failure = match error.downcast_ref() {
        Some(ImportError::Failed(failure)) => Some(failure),
        _ => None,
    };
    OpenFailure {
        stage: failure.and_then(|failure| Some(failure.stage?.name())),
        sentence: error.to_string(),
        detail: failure.map_or(Vec::new(), |failure| failure.detail.clone()),
    }
}

pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or(messages::PANIC_WITHOUT_MESSAGE).into()
}

#[cfg(test)]
mod tests;
