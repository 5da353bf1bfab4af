//! dotTrace's Reporter writes a snapshot's call tree as XML. It reads sampling, tracing and line-by-line snapshots,
//! but no timelines. Facts taken from public programs that use it are marked [P].

mod search;

pub(super) use search::VARIABLE;
pub use search::{Reporter, ReporterSearch, is_named, look};

use super::environment::absolute;
use super::settings::DecoderSettings;
use crate::child::{Ended, Stopped, run};
use crate::decoders::messages;
use crate::diagnostics::Diagnostic;
use crate::importers::{REPORT, ReadOptions, is_timeline_snapshot};
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::{Recording, Source};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// An option that not every Reporter knows, and the warning if one does not.
type Extra = (&'static str, Diagnostic);

/// Requests every method with all its call stacks, so that each node is an instance in the report [P].
const PATTERN: &str = messages::REPORTER_PATTERNS;
/// An old Reporter may not know these.
const EXTRAS: [Extra; 2] = [
    ("--save-signature", Diagnostic::ReporterWithoutSignatures {}),
    (
        "--no-check-for-updates",
        Diagnostic::ReporterLooksForUpdates {},
    ),
];
/// How much of a report's end shows whether it is complete.
const END_BYTES: u64 = 4096;

pub(super) fn decode(
    snapshot: &Path,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<Recording, ImportError> {
    let file = snapshot.display().to_string();
    if is_timeline_snapshot(snapshot) {
        let failure = Failure::new(&file, "", messages::REPORTER_REFUSES_TIMELINE);
        let failure = failure.advice(messages::RECORD_SAMPLING_OR_TRACING);
        return Err(failure.stage(Stage::Layout).into());
    }
    let search = look(settings);
    let Some(reporter) = &search.chosen else {
        return Err(search.failure(&file).into());
    };
    let folder = settings.environment.scratch();
    let folder = folder.map_err(|error| no_folder(&file, &error))?;
    let job = ReporterJob {
        file,
        snapshot,
        reporter,
        settings,
        progress,
        folder: folder.path(),
    };
    job.profile()
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

    fn profile(&self) -> Result<Recording, ImportError> {
        let (ended, extras) = self.run()?;
        let is_whole = closes_report(&end_of(&self.report()).unwrap_or_default());
        let program = &self.reporter.path;
        let mut warning = None;
        if !ended.status.success() {
            // the report decides, since Reporter may end with a nonzero code even after a complete one [P]
            let failure = ended.failure(&self.file, program);
            if !is_whole || ended.kill_failure(&self.file, program).is_some() {
                return Err(failure.into());
            }
            let problem = failure.problem;
            warning = Some(Diagnostic::ReporterFailed { problem });
        }
        let mut profile = self.read_report(&ended, is_whole)?;
        let rejected = EXTRAS.iter().filter(|extra| !extras.contains(extra));
        let rejected = rejected.map(|(_, warning)| warning.clone());
        profile.diagnostics.extend(rejected.chain(warning));
        Ok(profile)
    }

    /// If Reporter fails and names some of the extra options, runs it again without them. Returns the extras used
    /// last.
    fn run(&self) -> Result<(Ended, Vec<Extra>), ImportError> {
        let pattern = self.folder.join("pattern.xml");
        std::fs::write(&pattern, PATTERN).map_err(|error| no_folder(&self.file, &error))?;
        let reporter = format!("Reporter {}", self.reporter.version);
        self.progress
            .begin(messages::phase_reporter_reads(&reporter.trim_end()));
        let limit = self.settings.limit;
        let since = Instant::now();
        let mut extras = EXTRAS.to_vec();
        loop {
            let remaining = limit.saturating_sub(since.elapsed());
            let options = extras.iter().map(|(option, _)| *option);
            let ended = self.start(self.command(&pattern, options), remaining)?;
            let lines = ended.lines();
            let is_named = |(option, _): &Extra| {
                let name = option.trim_start_matches('-');
                lines.iter().any(|line| line.contains(name))
            };
            let names_others = EXTRAS
                .iter()
                .any(|extra| !extras.contains(extra) && is_named(extra));
            // if it names options that were not given, this is a usage text, which rejects none of them
            if ended.status.success() || names_others || !extras.iter().any(is_named) {
                return Ok((ended, extras));
            }
            extras.retain(|extra| !is_named(extra));
        }
    }

    fn start(&self, command: Command, limit: Duration) -> Result<Ended, ImportError> {
        run(command, limit, self.progress).map_err(|stopped| {
            let extension = self.reporter.path.extension();
            let is_exe = extension.is_some_and(|name| name.eq_ignore_ascii_case("exe"));
            let cannot_run_it =
                matches!(&stopped, Stopped::NotStarted(_)) && is_exe && !cfg!(windows);
            let error = stopped.into_error(&self.file, &self.reporter.path, self.settings.limit);
            error.map(|failure| match cannot_run_it {
                true => failure.advice(messages::PROGRAM_NEEDS_WINDOWS),
                false => failure,
            })
        })
    }

    fn command(&self, pattern: &Path, extras: impl Iterator<Item = &'static str>) -> Command {
        let option = |name: &str, path: &Path| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let mut command = Command::new(&self.reporter.path);
        // its working directory has no libraries that it could load by mistake
        command.current_dir(self.folder);
        command.arg("report").arg(absolute(self.snapshot));
        command.args([
            option("--pattern=", pattern),
            option("--save-to=", &self.report()),
        ]);
        command.arg("--overwrite").args(extras);
        // temporary files are removed with the folder
        command.envs(["TEMP", "TMP", "TMPDIR"].map(|name| (name, self.folder)));
        command
    }

    fn read_report(&self, ended: &Ended, is_whole: bool) -> Result<Recording, ImportError> {
        self.progress.begin("reading Reporter's report");
        if !is_whole {
            let said = ended.error_line().map(|line| format!(", and said: {line}"));
            let problem = messages::reporter_wrote_no_report(&said.unwrap_or_default());
            let failure = Failure::new(&self.file, "", problem).stage(Stage::Walk);
            let failure = failure.detail(ended.failure(&self.file, &self.reporter.path).detail);
            return Err(failure.advice(messages::DISK_MAY_BE_FULL).into());
        }
        let input = Input::open(&self.report(), self.progress.clone());
        let read = input.and_then(|input| (REPORT.read)(input, &ReadOptions::default()));
        // failures are about the snapshot: the report is about to be removed
        let unreadable = |failure| Failure {
            file: self.file.clone(),
            place: "Reporter's report".into(),
            stage: Some(Stage::Walk),
            ..failure
        };
        let mut profile = read.map_err(|error| error.map(unreadable))?;
        let source = &mut profile.source;
        source.name.clone_from(&self.file);
        source.format = Source::DTP.into();
        source.decoder = "Reporter".into();
        source.decoder_version.clone_from(&self.reporter.version);
        Ok(profile)
    }
}

fn no_folder(file: &str, error: &io::Error) -> ImportError {
    let problem = messages::no_folder_for_reporter(&crate::input::plain(error));
    Failure::new(file, "", problem)
        .advice(messages::TMPDIR_SAYS_WHERE)
        .stage(Stage::Output)
        .into()
}

fn end_of(path: &Path) -> io::Result<Vec<u8>> {
    // opening a pipe would wait for its writer, and a device may be endless
    if !path.symlink_metadata()?.is_file() {
        return Err(io::Error::other("is no file"));
    }
    let mut file = File::open(path)?;
    let size_bytes = file.metadata()?.len();
    file.seek(SeekFrom::Start(size_bytes.saturating_sub(END_BYTES)))?;
    let mut end = Vec::new();
    file.take(END_BYTES).read_to_end(&mut end)?;
    Ok(end)
}

/// The closing tag is `</Report>`, or `<Report/>` if the report is empty.
fn closes_report(end: &[u8]) -> bool {
    let end = end.trim_ascii_end();
    let start = end.iter().rposition(|&byte| byte == b'<');
    let tag = start.map_or(&b""[..], |start| &end[start..]);
    tag == b"</Report>" || (tag.starts_with(b"<Report") && tag.ends_with(b"/>"))
}
