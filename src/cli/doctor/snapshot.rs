//! The state of a snapshot: its files and sections, what opens it, and what dotTrace's description says.

use crate::analysis::{check_stored_hotspots, compare_sums_beside};
use crate::cli::messages;
use crate::diagnostics::{Diagnostic, Severity};
use crate::importers::{
    Examination, Family, FamilyFile, Finding, MissingSection, SectionState, format_of,
};
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::View;
use crate::units::Unit;
use serde::{Serialize, Serializer};
use std::path::Path;

/// A snapshot as it was found.
#[derive(Debug, Serialize)]
pub(super) struct Snapshot {
    /// The file as the user named it.
    pub file: String,
    /// The index that it belongs to.
    pub index: String,
    pub family: &'static str,
    /// The format of a profile that is no snapshot.
    pub other_format: Option<&'static str>,
    pub files: Vec<SnapshotFileRow>,
    /// What is wrong with the table of sections.
    pub table_problem: Option<String>,
    pub sections: Vec<SectionRow>,
    pub missing: Vec<MissingRow>,
    /// What came of opening it, native first.
    pub attempts: Vec<Attempt>,
    /// The file with its tree that was decoded by decoder assemblies and is kept.
    pub kept_tree: Option<String>,
    /// What the first decoder that opens it says to be careful of.
    pub warnings: Vec<String>,
    /// How many sums of functions the snapshot has stored.
    pub stored_sums: usize,
    /// Whether they are those of the tree; a difference is among the warnings.
    pub stored_sums_agree: bool,
    pub beside: Option<WindowSums>,
    /// What the first decoder that opens it says, notes among them.
    #[serde(serialize_with = "as_records")]
    pub diagnostics: Vec<Diagnostic>,
}

fn as_records<S: Serializer>(diagnostics: &[Diagnostic], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(diagnostics.iter().map(Diagnostic::record))
}

#[derive(Debug, Serialize)]
pub(super) struct SnapshotFileRow {
    pub name: String,
    pub what: &'static str,
    pub need: &'static str,
    pub expected_bytes: Option<u64>,
    pub found_bytes: Option<u64>,
    pub whole: bool,
}

impl SnapshotFileRow {
    fn new(file: &FamilyFile) -> SnapshotFileRow {
        SnapshotFileRow {
            name: file.name.clone(),
            what: file.what,
            need: file.need.name(),
            expected_bytes: file.expected_bytes,
            found_bytes: file.found_bytes,
            whole: file.is_whole(),
        }
    }
}

/// A section; numbers of sections are hexadecimal everywhere, so they are text here.
#[derive(Debug, Serialize)]
pub(super) struct SectionRow {
    pub id: String,
    pub version: u16,
    pub what: Option<&'static str>,
    pub need: &'static str,
    pub file: String,
    pub start: u64,
    pub size_bytes: u64,
    pub state: &'static str,
    /// What it holds, or what is wrong.
    pub detail: String,
    pub remarks: Vec<String>,
}

impl SectionRow {
    fn new(finding: &Finding) -> SectionRow {
        let (state, detail) = match &finding.state {
            SectionState::Fine(what) => ("fine", what.clone()),
            SectionState::Unknown => ("unknown", String::new()),
            SectionState::UnknownVersion(known) => {
                let known: Vec<String> = known.iter().map(u16::to_string).collect();
                (
                    "unknown version",
                    messages::unknown_version(&finding.version, &known.join(" or ")),
                )
            }
            SectionState::NotThere => ("not there", messages::FILE_MISSING_TOO_SHORT.to_string()),
            SectionState::NotChecked(why) => ("not checked", why.to_string()),
            SectionState::Wrong(failure) => {
                let at = failure
                    .offset
                    .map_or(String::new(), |at| format!("at byte {at} ({at:#x}): "));
                ("wrong", format!("{at}{}", failure.problem))
            }
        };
        SectionRow {
            id: format!("{:#06x}", finding.id),
            version: finding.version,
            what: finding.what,
            need: finding.need.name(),
            file: finding.file.clone(),
            start: finding.start,
            size_bytes: finding.size_bytes,
            state,
            detail,
            remarks: finding.remarks.clone(),
        }
    }

    /// Whether there is more to say about it than where it is and what it holds.
    pub(super) fn is_trouble(&self) -> bool {
        matches!(self.state, "unknown version" | "not checked" | "wrong")
    }
}

#[derive(Debug, Serialize)]
pub(super) struct MissingRow {
    pub id: String,
    pub what: &'static str,
    pub need: &'static str,
}

impl MissingRow {
    fn new(missing: &MissingSection) -> MissingRow {
        MissingRow {
            id: format!("{:#06x}", missing.id),
            what: missing.what,
            need: missing.need.name(),
        }
    }
}

/// What came of opening a snapshot with one decoder.
#[derive(Debug, Serialize)]
pub(super) struct Attempt {
    pub decoder: &'static str,
    pub opened: bool,
    pub kind: Option<&'static str>,
    pub nodes: Option<usize>,
    pub threads: Option<usize>,
    pub stage: Option<&'static str>,
    pub problem: Option<String>,
    pub advice: Option<String>,
    /// More about the problem, a line each.
    pub detail: Vec<String>,
    /// The problem without the file and the stage.
    #[serde(skip)]
    pub finding: String,
    #[serde(skip)]
    pub failed_at: Option<Stage>,
}

impl Attempt {
    /// The attempt that gave this.
    pub(super) fn new(decoder: &'static str, result: &Result<View, ImportError>) -> Attempt {
        let attempt = Attempt {
            decoder,
            opened: result.is_ok(),
            kind: None,
            nodes: None,
            threads: None,
            stage: None,
            problem: None,
            advice: None,
            detail: Vec::new(),
            finding: String::new(),
            failed_at: None,
        };
        match result {
            Ok(view) => Attempt {
                kind: Some(view.recording.source.kind.name()),
                nodes: Some(view.node_count()),
                threads: Some(view.threads.len()),
                ..attempt
            },
            Err(ImportError::Failed(failure)) => Attempt {
                stage: failure.stage.map(|stage| stage.name()),
                problem: Some(problem_of(failure)),
                // the reader of this is already running doctor
                advice: Some(failure.advice.clone()),
                finding: failure.finding(),
                failed_at: failure.stage,
                detail: failure.detail.clone(),
                ..attempt
            },
            Err(ImportError::Cancelled) => Attempt {
                problem: Some("cancelled".into()),
                ..attempt
            },
        }
    }
}

/// What is wrong, with the file that it is about.
fn problem_of(failure: &Failure) -> String {
    if failure.file.is_empty() {
        failure.reason()
    } else {
        format!("{}: {}", failure.file, failure.reason())
    }
}

/// The settings that dotTrace's viewer stored next to the snapshot.
#[derive(Debug, Serialize)]
pub(super) struct WindowSums {
    /// How many sums of functions there are.
    pub sums: usize,
    /// How many of them are equal to ours, to the tick.
    pub equal: usize,
    /// How many more are equal but for the rounding of ticks to nanoseconds.
    pub rounded: usize,
    /// The others.
    pub differing: Vec<SumRow>,
}

/// A function whose stored times are not ours; milliseconds.
#[derive(Debug, Serialize)]
pub(super) struct SumRow {
    pub name: String,
    pub stored_inclusive: f64,
    pub stored_exclusive: f64,
    pub inclusive: Option<f64>,
    pub exclusive: Option<f64>,
}

impl WindowSums {
    fn new(view: &View) -> Option<WindowSums> {
        if view.recording.sums_beside.is_empty() {
            return None;
        }
        let ms = |stored| Unit::Milliseconds.to_unit(stored);
        let comparison = compare_sums_beside(view);
        let differing = comparison.differing.iter().map(|difference| {
            let stored = &view.recording.sums_beside[difference.row];
            SumRow {
                name: stored.name.to_string(),
                stored_inclusive: ms(stored.inclusive_each),
                stored_exclusive: ms(stored.exclusive),
                inclusive: difference.ours.map(|(inclusive, _)| ms(inclusive)),
                exclusive: difference.ours.map(|(_, exclusive)| ms(exclusive)),
            }
        });
        Some(WindowSums {
            sums: view.recording.sums_beside.len(),
            equal: comparison.equal,
            rounded: comparison.rounded,
            differing: differing.collect(),
        })
    }
}

impl Snapshot {
    /// What was found, before other decoders are tried.
    pub(super) fn new(file: &Path, found: &Examination) -> Snapshot {
        let mut snapshot = Snapshot {
            file: file.display().to_string(),
            index: found.index.display().to_string(),
            family: found.family.name(),
            other_format: other_format(file, found.family),
            files: found.files.iter().map(SnapshotFileRow::new).collect(),
            table_problem: found.table.as_ref().map(Failure::reason),
            sections: found.sections.iter().map(SectionRow::new).collect(),
            missing: found.missing.iter().map(MissingRow::new).collect(),
            attempts: vec![Attempt::new("native", &found.whole)],
            kept_tree: None,
            warnings: Vec::new(),
            stored_sums: 0,
            stored_sums_agree: true,
            beside: None,
            diagnostics: Vec::new(),
        };
        if let Ok(view) = &found.whole {
            snapshot.take_profile(view);
        }
        snapshot
    }

    /// Takes in what the decoder that opens it says.
    pub(super) fn take_profile(&mut self, view: &View) {
        let difference = check_stored_hotspots(view);
        self.stored_sums_agree = difference.is_none();
        self.warnings = view
            .diagnostics_of(Severity::Warning)
            .chain(&difference)
            .map(Diagnostic::to_string)
            .collect();
        self.diagnostics = view.all_diagnostics().chain(&difference).cloned().collect();
        self.stored_sums = view.recording.stored_hotspots.len();
        self.beside = WindowSums::new(view);
    }

    pub(super) fn opened(&self) -> Option<&Attempt> {
        self.attempts.iter().find(|attempt| attempt.opened)
    }
}

/// What a profile is that is no snapshot of dotTrace's.
fn other_format(file: &Path, family: Family) -> Option<&'static str> {
    if family != Family::None {
        return None;
    }
    let input = Input::open(file, Progress::default()).ok()?;
    format_of(&input)
        .ok()
        .filter(|format| !format.is_dottrace_snapshot())
        .map(|format| format.title)
}
