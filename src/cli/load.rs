//! Loads a profile for the explorer, off the drawing thread.

use super::open::{OpenOptions, Target, open};
use super::options::refuse_unused;
use super::range::Range;
use crate::analysis::ReadyView;
use crate::analysis::make::scoped;
use crate::app::OpenFailure;
use crate::cli::messages;
use crate::input::{ImportError, Progress, Stage};
use crate::model::{MetricId, Scope, ThreadChoice, View};
use crate::query::{
    ComparedFile, ComparisonRequest, QueryError, StepRequest, TOO_LARGE, ThreadRequest, choice,
    chosen, comparison, metric_named, stepped,
};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::thread;

/// A recording, and the view of it that the command line asks for.
pub(super) struct LoadedFile {
    /// All of it.
    pub whole: ReadyView,
    /// The view, if it is not all of it.
    pub shown: Option<ReadyView>,
    /// The metric, if it is not the default one.
    pub metric: Option<MetricId>,
}

/// What the command line asks to be shown at first.
pub(super) struct InitialView {
    pub range: Range,
    pub threads: ThreadRequest,
    pub metric: Option<String>,
    /// What is changed in its tree.
    pub steps: Vec<StepRequest>,
}

impl InitialView {
    /// All of it, in its default metric.
    pub(super) fn all() -> InitialView {
        InitialView {
            range: Range::default(),
            threads: ThreadRequest::default(),
            metric: None,
            steps: Vec::new(),
        }
    }
}

/// Reads a profile; what goes wrong comes back as a message, panics too. Truncated stacks are repaired however it is to be shown at first, so
/// that both can be shown.
pub(super) fn load(
    target: &Target,
    how: &OpenOptions,
    wanted: &InitialView,
    progress: Progress,
) -> Result<LoadedFile, LoadError> {
    let work = || -> Result<LoadedFile, LoadError> {
        if let Target::Comparison { before, after } = target {
            return compared([before, after], how, wanted, &progress);
        }
        let repairing = OpenOptions {
            repairs: true,
            ..how.clone()
        };
        let whole = ReadyView::of(open(target, &repairing, progress)?);
        refuse_unused(&how.decoding, &whole.recording)?;
        let metric = metric_named(&whole, wanted.metric.as_deref())?;
        let scope = asked_for(&whole, how.repairs, wanted)?;
        let first = scoped(&whole.recording, &scope);
        let first = first.map_err(|_| QueryError::too_large(TOO_LARGE))?;
        Ok(LoadedFile {
            metric: Some(metric).filter(|&metric| metric != whole.recording.default_metric),
            shown: changed_at_first(&whole, first, wanted)?,
            whole,
        })
    };
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|panic| Err(LoadError::Panic(panic_text(&*panic))))
}

/// A side of a comparison.
fn side(
    file: &Path,
    how: &OpenOptions,
    wanted: &InitialView,
    progress: &Progress,
) -> Result<View, LoadError> {
    let view = open(&Target::File(file.into()), how, progress.clone())?;
    refuse_unused(&how.decoding, &view.recording)?;
    let range = wanted.range.within(&view.recording)?;
    Ok(chosen(view, range, &wanted.threads)?.view)
}

/// Reads two files, one before a change and one after it, each in the range of time and the threads that are asked for, and makes them one.
fn compared(
    files: [&PathBuf; 2],
    how: &OpenOptions,
    wanted: &InitialView,
    progress: &Progress,
) -> Result<LoadedFile, LoadError> {
    let side = |file| side(file, how, wanted, progress);
    let [before, after] = thread::scope(|scope| {
        let before = scope.spawn(|| side(files[0]));
        let after = side(files[1]);
        [
            before.join().unwrap_or_else(|panic| resume_unwind(panic)),
            after,
        ]
    });
    let names = files.map(|file| file.display().to_string());
    let views = [before?, after?];
    let [before, after] = [0, 1].map(|side| {
        [ComparedFile {
            file: &names[side],
            view: &views[side],
        }]
    });
    let request = ComparisonRequest {
        metric: wanted.metric.as_deref(),
        ..ComparisonRequest::new(&before, &after)
    };
    let whole = ReadyView::of(comparison(&request)?.judged());
    Ok(LoadedFile {
        metric: None,
        shown: changed_at_first(&whole, View::clone(&whole), wanted)?,
        whole,
    })
}

/// What the command line and [`collapsed_at_first`] make of the first view, if that is not all of the recording.
fn changed_at_first(
    whole: &View,
    first: View,
    wanted: &InitialView,
) -> Result<Option<ReadyView>, LoadError> {
    let collapsed = collapsed_at_first(whole, &wanted.steps);
    let shown = stepped(first, &[wanted.steps.clone(), collapsed].concat())?;
    Ok((shown.steps != whole.steps).then(|| ReadyView::of(shown)))
}

/// What is folded at first unless the command line says otherwise: plumbing, of which stacks of .NET are full.
pub(super) fn collapsed_at_first(whole: &View, asked_for: &[StepRequest]) -> Vec<StepRequest> {
    let is_asked_for = asked_for
        .iter()
        .any(|request| request.word == "fold" || request.word == "group");
    let has_plumbing = || {
        whole
            .frames
            .iter()
            .any(|(id, frame)| frame.is_plumbing && whole.occurs(id))
    };
    let request = || StepRequest {
        option: "--fold".into(),
        word: "fold".into(),
        value: "plumbing".into(),
    };
    (!is_asked_for && has_plumbing())
        .then(request)
        .into_iter()
        .collect()
}

/// The first step that the command line asks for.
fn asked_for(whole: &View, repairs: bool, wanted: &InitialView) -> Result<Scope, LoadError> {
    let range = wanted.range.within(&whole.recording)?;
    let choice = choice(whole, &wanted.threads)?;
    let threads = choice.map_or_else(|| ThreadChoice::all(&whole.recording), |(choice, _)| choice);
    Ok(Scope {
        range,
        threads,
        is_repaired: repairs || whole.recording.repaired.is_none(),
    })
}

/// Why a profile is not there.
#[derive(Clone, Debug)]
pub(super) enum LoadError {
    /// The importer said so.
    Import(ImportError),
    /// What the command line asks for is not there, or can't be made.
    Query(QueryError),
    /// A fault of ours, with its text.
    Panic(String),
}

impl From<ImportError> for LoadError {
    fn from(error: ImportError) -> LoadError {
        LoadError::Import(error)
    }
}

impl From<QueryError> for LoadError {
    fn from(error: QueryError) -> LoadError {
        LoadError::Query(error)
    }
}

impl LoadError {
    /// The failure for the screen, and the exit code.
    pub(super) fn describe(&self) -> (OpenFailure, u8) {
        let failure = |stage, sentence, detail| OpenFailure {
            stage,
            sentence,
            detail,
        };
        let no_detail = || vec![messages::NO_DETAIL.into()];
        match self {
            LoadError::Import(error) => {
                let (stage, detail) = match error {
                    ImportError::Failed(parts) => (parts.stage.map(Stage::name), detail_of(parts)),
                    ImportError::Cancelled => (None, no_detail()),
                };
                (failure(stage, error.to_string(), detail), error.exit_code())
            }
            LoadError::Query(error) => {
                let code = super::exit::of_query(error);
                (failure(None, error.to_string(), no_detail()), code)
            }
            LoadError::Panic(text) => {
                let sentence = messages::BUG_WHILE_READING.to_string();
                let code = super::exit::FAILED;
                (failure(None, sentence, vec![text.clone()]), code)
            }
        }
    }
}

/// What a failure has to say besides its sentence; without that, the parts of the sentence, one a line.
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
    let advice = failure.what_to_do();
    if !advice.is_empty() {
        lines.push(messages::what_to_do(&advice));
    }
    lines
}

pub(super) fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| text.to_string());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| messages::PANIC_WITHOUT_MESSAGE.into())
}

#[cfg(test)]
mod tests;
