//! A snapshot as found: its files and sections, and the results of opening it.

use crate::cli::messages;
use crate::decoders::Decoder;
use crate::diagnostics::{Diagnostic, Severity};
use crate::importers::{Examination, ExaminedSection, Family, SectionState, examine, format_of};
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::View;
use crate::units::Unit;
use std::path::Path;

pub(super) type DecoderResult = (Decoder, Result<View, ImportError>);

pub(super) struct Snapshot {
    pub file: String,
    pub found: Examination,
    pub other_format: Option<&'static str>,
    pub results: Vec<DecoderResult>,
    pub kept_tree: Option<String>,
}

impl Snapshot {
    pub(super) fn examine(file: &Path, progress: &Progress) -> Result<Snapshot, ImportError> {
        let (found, whole) = examine(file, progress)?;
        Ok(Snapshot {
            file: file.display().to_string(),
            other_format: other_format(file, found.family),
            found,
            results: vec![(Decoder::Native, whole)],
            kept_tree: None,
        })
    }

    pub(super) fn opened_by(&self) -> Option<(Decoder, &View)> {
        let mut results = self.results.iter();
        results.find_map(|(decoder, result)| Some((*decoder, result.as_ref().ok()?)))
    }

    pub(super) fn warnings(&self) -> Vec<String> {
        let view = self.opened_by().map(|(_, view)| view);
        let warnings = view.into_iter();
        let warnings = warnings.flat_map(|view| view.diagnostics_of(Severity::Warning));
        warnings.map(Diagnostic::to_string).collect()
    }

    pub(super) fn failures(&self) -> impl Iterator<Item = (Decoder, &Failure)> {
        let results = self.results.iter();
        results.filter_map(|(decoder, result)| Some((*decoder, failure_of(result)?)))
    }

    pub(super) fn is_unknown(&self) -> bool {
        matches!(self.found.family, Family::Timeline | Family::Unknown)
    }
}

pub(super) fn failure_of(result: &Result<View, ImportError>) -> Option<&Failure> {
    match result {
        Err(ImportError::Failed(failure)) => Some(failure),
        _ => None,
    }
}

pub(super) fn failed_stage(result: &Result<View, ImportError>) -> Option<Stage> {
    failure_of(result).and_then(|failure| failure.stage)
}

pub(super) fn problem_of(error: &ImportError) -> String {
    match error {
        ImportError::Failed(failure) if failure.file.is_empty() => failure.reason(),
        ImportError::Failed(failure) => format!("{}: {}", failure.file, failure.reason()),
        ImportError::Cancelled => "cancelled".into(),
    }
}

/// The state of a section in a word or two, and its content or problem.
pub(super) fn state_of(section: &ExaminedSection) -> (&'static str, String) {
    match &section.state {
        SectionState::Fine => ("fine", String::new()),
        SectionState::Unknown => ("unknown", String::new()),
        SectionState::UnknownVersion(known) => {
            let known: Vec<String> = known.iter().map(u16::to_string).collect();
            let detail = messages::unknown_version(&section.version, &known.join(" or "));
            ("unknown version", detail)
        }
        SectionState::NotThere => ("not there", messages::FILE_MISSING_TOO_SHORT.to_string()),
        SectionState::NotChecked => ("not checked", String::new()),
        SectionState::Wrong(at, problem) => ("wrong", format!("at byte {at} ({at:#x}): {problem}")),
    }
}

pub(super) fn hex_id(id: u16) -> String {
    format!("{id:#06x}")
}

fn other_format(file: &Path, family: Family) -> Option<&'static str> {
    if family != Family::None {
        return None;
    }
    let input = Input::open(file, Progress::default()).ok()?;
    let format = format_of(&input).ok()?;
    (!format.is_dottrace_snapshot()).then_some(format.title)
}

pub(super) fn ms(stored: u64) -> f64 {
    Unit::Milliseconds.to_unit(stored)
}
