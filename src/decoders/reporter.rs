//! Decoder reporter: dotTrace's own Reporter writes the call tree of a snapshot as XML, which is then read like any other
//! report.
//!
//! Reporter reads sampling, tracing and line-by-line snapshots, no timeline ones. JetBrains documents it;
//! facts taken from public programs that use it are marked [P].

mod search;

pub use search::{Reporter, ReporterSearch, is_named, look};

use super::settings::{DecoderSettings, native};
use crate::child::{Ended, Stopped, run};
use crate::decoders::messages;
use crate::diagnostics::Diagnostic;
use crate::diagnostics::{DecodingDiagnostic, Remark};
use crate::importers::{FORMATS, Format, ReadOptions, is_timeline_snapshot};
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::Recording;
use crate::units::{counted, thousands};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Asks for every method with all its call stacks, so that each node of the tree is an instance in the report [P].
const PATTERN: &str = messages::REPORTER_PATTERNS;
/// Options that an old Reporter may not know, and the warning about a report that was made without them.
const EXTRAS: [(&str, Remark); 2] = [
    ("--save-signature", Remark::ReporterWithoutSignatures),
    ("--no-check-for-updates", Remark::ReporterLooksForUpdates),
];
/// In what words programs reject an option.
const REJECTIONS: &[&str] = &[
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "unsupported",
    "undefined",
    "invalid",
    "illegal",
    "not recognized",
    "not recognised",
    "not known",
    "not supported",
    "not valid",
    "not a valid",
    "not defined",
    "no such",
];
/// How much of a report's end is looked at, to see whether it is whole.
const END_BYTES: u64 = 4096;

/// Reads a snapshot by way of Reporter.
///
/// # Errors
/// Stage decoder if there is no Reporter, layout for timeline snapshots, launch if Reporter fails, walk if its report is
/// missing, breaks off or can't be read, output if there is no place for it. Nothing is left behind.
pub(super) fn decode(
    snapshot: &Path,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<Recording, ImportError> {
    let file = snapshot.display().to_string();
    if is_timeline_snapshot(snapshot) {
        return Err(refusal(&file).into());
    }
    let search = look(settings);
    let Some(reporter) = &search.chosen else {
        return Err(search.failure(&file).into());
    };
    let folder = ReportFolder::new(&settings.environment.temporary_folder())
        .map_err(|error| no_folder(&file, &error))?;
    let job = ReporterJob {
        file,
        snapshot,
        reporter,
        settings,
        progress,
        folder: &folder.0,
    };
    let mut rejected = Rejected::default();
    let profile = job.profile(&mut rejected);
    profile.map_err(|error| rejected.told_with(error))
}

/// The options that Reporter does not know.
#[derive(Default)]
struct Rejected {
    /// Their rows in [`EXTRAS`].
    extras: Vec<usize>,
    lines: Vec<String>,
}

impl Rejected {
    /// Takes in the options that a line of these rejects. Whether there are any.
    fn take(&mut self, lines: &[String]) -> bool {
        let before = self.extras.len();
        for (row, (option, _)) in EXTRAS
            .iter()
            .enumerate()
            .filter(|(row, _)| !self.extras.contains(row))
            .collect::<Vec<_>>()
        {
            if let Some(line) = lines.iter().find(|line| rejects(line, option)) {
                self.extras.push(row);
                self.lines
                    .push(messages::reporter_restarted(&option, &line));
            }
        }
        self.extras.len() > before
    }

    fn left(&self) -> impl Iterator<Item = &'static str> {
        EXTRAS
            .iter()
            .enumerate()
            .filter(|(row, _)| !self.extras.contains(row))
            .map(|(_, (option, _))| *option)
    }

    fn diagnostics(&self) -> impl Iterator<Item = Diagnostic> {
        self.extras
            .iter()
            .map(|&row| Diagnostic::plain(EXTRAS[row].1))
    }

    /// A failure with what was said before.
    fn told_with(self, error: ImportError) -> ImportError {
        match error {
            ImportError::Failed(failure) => failure.detail(self.lines).into(),
            cancelled @ ImportError::Cancelled => cancelled,
        }
    }
}

/// Whether a line says that `option` is none: it has a word for that, and the option is the first one that it names. Lines of a
/// usage name many, and have no such word.
fn rejects(line: &str, option: &str) -> bool {
    let line = line.to_lowercase();
    let Some((before, _)) = line.split_once(option.trim_start_matches('-')) else {
        return false;
    };
    let is_first = !before.trim_end_matches('-').contains("--");
    is_first && REJECTIONS.iter().any(|words| line.contains(words))
}

/// What a report looks like from outside.
enum ReporterState {
    Missing,
    Empty,
    /// Without its last tag, this many bytes long.
    CutOff(u64),
    Whole,
}

struct ReporterJob<'a> {
    file: String,
    snapshot: &'a Path,
    reporter: &'a Reporter,
    settings: &'a DecoderSettings,
    progress: &'a Progress,
    folder: &'a Path,
}

impl ReporterJob<'_> {
    fn report(&self) -> PathBuf {
        self.folder.join("report.xml")
    }

    fn profile(&self, rejected: &mut Rejected) -> Result<Recording, ImportError> {
        let ended = self.run(rejected)?;
        let state = self.state_of_report();
        let warning = self.judge(&ended, &state)?;
        let mut profile = self.read_report(&ended, &state)?;
        profile
            .diagnostics
            .extend(rejected.diagnostics().chain(warning));
        Ok(profile)
    }

    /// Runs Reporter, and again without those of the extras that it rejects. The limit is that of all runs.
    fn run(&self, rejected: &mut Rejected) -> Result<Ended, ImportError> {
        let pattern = self.folder.join("pattern.xml");
        std::fs::write(&pattern, PATTERN).map_err(|error| no_folder(&self.file, &error))?;
        let space = if self.reporter.version.is_empty() {
            ""
        } else {
            " "
        };
        self.progress.begin(messages::phase_reporter_reads(
            &space,
            &self.reporter.version,
        ));
        let limit = self.settings.limit;
        let since = Instant::now();
        loop {
            let left = limit.saturating_sub(since.elapsed());
            let ended = self.start(self.command(&pattern, rejected.left()), left)?;
            // each time there is an option less
            if ended.status.success() || !rejected.take(&ended.lines()) {
                return Ok(ended);
            }
        }
    }

    fn start(&self, command: Command, left: Duration) -> Result<Ended, ImportError> {
        run(command, left, self.progress).map_err(|stopped| {
            let cannot_run_it = matches!(&stopped, Stopped::NotStarted(_)) && self.is_for_windows();
            let error = stopped.into_error(&self.file, &self.reporter.path, self.settings.limit);
            match error {
                ImportError::Failed(failure) if cannot_run_it => {
                    failure.advice(messages::PROGRAM_NEEDS_WINDOWS).into()
                }
                error => error,
            }
        })
    }

    /// Whether this is a program of Windows' elsewhere.
    fn is_for_windows(&self) -> bool {
        let is_exe = self
            .reporter
            .path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
        is_exe && !cfg!(windows)
    }

    fn command(&self, pattern: &Path, extras: impl Iterator<Item = &'static str>) -> Command {
        let option = |name: &str, path: &Path| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let mut command = Command::new(&self.reporter.path);
        // where it stands no libraries lie that it could take for its own
        command.current_dir(self.folder);
        command.arg("report").arg(self.full_snapshot());
        command
            .arg(option("--pattern=", pattern))
            .arg(option("--save-to=", &self.report()));
        command.arg("--overwrite").args(extras);
        // what it writes by the way goes with the folder
        command.envs(["TEMP", "TMP", "TMPDIR"].map(|name| (name, self.folder)));
        command
    }

    /// The full path of the snapshot, which can't be taken for an option.
    fn full_snapshot(&self) -> PathBuf {
        std::path::absolute(self.snapshot).unwrap_or_else(|_| self.snapshot.to_path_buf())
    }

    /// Whether a line is about timelines, and not only about a file or folder of that name.
    fn is_about_timelines(&self, line: &str) -> bool {
        let snapshot = self.full_snapshot();
        let name = snapshot.file_name().map(Path::new);
        let paths = [
            Some(snapshot.as_path()),
            Some(self.snapshot),
            name,
            snapshot.parent(),
        ];
        let paths = paths
            .into_iter()
            .flatten()
            .chain([self.folder, self.reporter.path.as_path()]);
        let line = paths.fold(line.to_string(), |line, path| {
            line.replace(&path.display().to_string(), " ")
        });
        line.to_lowercase().contains("timeline")
    }

    fn state_of_report(&self) -> ReporterState {
        match end_of(&self.report()) {
            Err(_) => ReporterState::Missing,
            Ok((0, _)) => ReporterState::Empty,
            Ok((_, end)) if closes_report(&end) => ReporterState::Whole,
            Ok((size_bytes, _)) => ReporterState::CutOff(size_bytes),
        }
    }

    /// Whether Reporter did its work. The report decides, for it ends with codes other than 0 after whole ones, too [P]; that
    /// gives a warning.
    fn judge(
        &self,
        ended: &Ended,
        state: &ReporterState,
    ) -> Result<Option<Diagnostic>, ImportError> {
        let program = &self.reporter.path;
        if ended.status.success() {
            return Ok(None);
        }
        if let Some(failure) = ended.killed(&self.file, program) {
            return Err(failure.into());
        }
        let failure = ended.failed(&self.file, program);
        if let ReporterState::Whole = state {
            let failed = DecodingDiagnostic::ReporterFailed {
                problem: failure.problem,
            };
            return Ok(Some(Diagnostic::Decoding(failed)));
        }
        let complaint = ended.complaint();
        // the whole line, for a path that is cut off would not be known
        let start = complaint
            .as_deref()
            .map_or("", |line| line.trim_end_matches('…'));
        let whole = ended
            .lines()
            .into_iter()
            .find(|line| line.trim().starts_with(start));
        match complaint {
            Some(line) if whole.is_some_and(|whole| self.is_about_timelines(&whole)) => {
                let refusal = Failure::new(&self.file, "", messages::reporter_refuses(&line));
                Err(refusal
                    .advice(PERFORMANCE_ONLY)
                    .detail(failure.detail)
                    .stage(Stage::Layout)
                    .into())
            }
            _ => Err(failure.into()),
        }
    }

    fn read_report(&self, ended: &Ended, state: &ReporterState) -> Result<Recording, ImportError> {
        self.progress.begin("reading Reporter's report");
        let said = ended
            .complaint()
            .map_or(String::new(), |line| format!(", and said: {line}"));
        let problem = match state {
            ReporterState::Missing => messages::reporter_wrote_nothing(&said),
            ReporterState::Empty => messages::reporter_wrote_empty_report(&said),
            ReporterState::CutOff(size_bytes) => {
                let nodes = match self.import() {
                    Ok(profile) => {
                        format!(
                            " and {}",
                            counted(profile.original.tree.len().saturating_sub(1) as u64, "node")
                        )
                    }
                    Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
                    Err(ImportError::Failed(_)) => String::new(),
                };
                messages::reporter_report_truncated(&thousands(*size_bytes), &nodes, &said)
            }
            ReporterState::Whole => {
                return self
                    .import()
                    .map(|profile| self.finish(profile))
                    .map_err(|error| self.unreadable(error));
            }
        };
        let failure = Failure::new(&self.file, "", problem)
            .detail(ended.failed(&self.file, &self.reporter.path).detail);
        Err(failure
            .advice(messages::DISK_MAY_BE_FULL)
            .stage(Stage::Walk)
            .into())
    }

    fn import(&self) -> Result<Recording, ImportError> {
        let input = Input::open(&self.report(), self.progress.clone())?;
        (report_format().read)(input, &ReadOptions::default())
    }

    /// The profile is the snapshot's: its report is gone in a moment.
    fn finish(&self, mut profile: Recording) -> Recording {
        profile.source.name.clone_from(&self.file);
        profile.source.format = native().name.into();
        profile.source.decoder = "Reporter".into();
        profile
            .source
            .decoder_version
            .clone_from(&self.reporter.version);
        profile
    }

    /// The error of the report's reader, as one of the snapshot.
    fn unreadable(&self, error: ImportError) -> ImportError {
        let ImportError::Failed(mut failure) = error else {
            return error;
        };
        failure.file.clone_from(&self.file);
        failure.place = "Reporter's report".into();
        failure.stage(Stage::Walk).into()
    }
}

fn report_format() -> &'static Format {
    // the table has such a row, which a test checks
    FORMATS
        .iter()
        .find(|format| format.name == "report")
        .unwrap_or(&FORMATS[0])
}

/// What to do about a timeline snapshot.
const PERFORMANCE_ONLY: &str = messages::RECORD_SAMPLING_OR_TRACING;

/// The refusal of a timeline snapshot, without asking Reporter.
fn refusal(file: &str) -> Failure {
    let problem = messages::REPORTER_REFUSES_TIMELINE;
    Failure::new(file, "", problem)
        .advice(PERFORMANCE_ONLY)
        .stage(Stage::Layout)
}

fn no_folder(file: &str, error: &io::Error) -> ImportError {
    let problem = messages::no_folder_for_reporter(&crate::input::plain(error));
    Failure::new(file, "", problem)
        .advice(messages::TMPDIR_SAYS_WHERE)
        .stage(Stage::Output)
        .into()
}

/// The size of a file, and its end.
fn end_of(path: &Path) -> io::Result<(u64, Vec<u8>)> {
    // opening a pipe would wait for its writer, and reading a device may have no end
    if !path.symlink_metadata()?.is_file() {
        return Err(io::Error::other("is no file"));
    }
    let mut file = File::open(path)?;
    let size_bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(size_bytes.saturating_sub(END_BYTES)))?;
    let mut end = Vec::new();
    file.take(END_BYTES).read_to_end(&mut end)?;
    Ok((size_bytes, end))
}

/// Whether a report ends with its last tag: `</Report>`, or `<Report/>` if nothing is in it.
fn closes_report(end: &[u8]) -> bool {
    let end = end.trim_ascii_end();
    let Some(tag) = end
        .iter()
        .rposition(|&byte| byte == b'<')
        .map(|start| &end[start..])
    else {
        return false;
    };
    tag == b"</Report>" || (tag.starts_with(b"<Report") && tag.ends_with(b"/>"))
}

/// How often it is tried to remove the folder.
const REMOVALS: u32 = 20;
/// How long is waited between two tries.
const REMOVE_AGAIN: Duration = Duration::from_millis(50);
/// How long removing the folder may take, besides the work itself.
pub(super) const REMOVE_TIMEOUT: Duration = REMOVE_AGAIN.saturating_mul(REMOVALS);

/// A private folder that is removed when this is dropped.
struct ReportFolder(PathBuf);

impl ReportFolder {
    fn new(within: &Path) -> io::Result<ReportFolder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("dotspot-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        builder
            .tempdir_in(std::path::absolute(within)?)
            .map(|folder| ReportFolder(folder.keep()))
    }
}

impl Drop for ReportFolder {
    /// A program that was ended a moment ago may have its last file to write or, on Windows, to close: hence several tries.
    fn drop(&mut self) {
        for _ in 0..REMOVALS {
            match std::fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    thread::sleep(REMOVE_AGAIN)
                }
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests;
