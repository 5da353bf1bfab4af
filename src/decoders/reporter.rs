//! Decoder reporter: dotTrace's own Reporter writes the call tree of a snapshot as XML, which is then read like any other
//! report.
//!
//! Reporter takes sampling, tracing and line-by-line snapshots and refuses timeline ones. It is documented by JetBrains; what
//! of it comes from programs that use it in public is marked [P].

mod search;

pub use search::{Place, Reporter, Search, look};

use super::Settings;
use super::child::{Ended, Stopped, run};
use crate::importers::{FORMATS, Failure, Format, ImportError, Input, Progress, Stage, is_timeline_snapshot};
use crate::model::Profile;
use crate::model::format::{counted, thousands};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

/// Asks for every method with all its call stacks, so that each node of the tree is an instance in the report [P].
const PATTERN: &str = "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n\
                       <Patterns><Pattern PrintCallstacks=\"Full\">.*</Pattern></Patterns>\n";
/// Options that an old Reporter may not know: the first one tells overloads apart, the second one keeps it off the network.
const EXTRAS: [&str; 2] = ["--save-signature", "--no-check-for-updates"];
/// How much of a report's end is looked at, to see whether it is whole.
const END_BYTES: u64 = 4096;

/// Reads a snapshot by way of Reporter.
///
/// # Errors
/// Stage decoder if there is no Reporter, layout for timeline snapshots, launch if Reporter fails, walk if its report is
/// missing, breaks off or can't be read, output if there is no place for it. Nothing is left behind.
pub(super) fn decode(snapshot: &Path, settings: &Settings, progress: &Progress) -> Result<Profile, ImportError> {
    let file = snapshot.display().to_string();
    if is_timeline_snapshot(snapshot) {
        return Err(refusal(&file).into());
    }
    let search = look(settings);
    let Some(reporter) = &search.chosen else { return Err(search.failure(&file).into()) };
    let folder = Folder::new(&settings.surroundings.temporary_folder()).map_err(|error| no_folder(&file, &error))?;
    let job = Job { file, snapshot, reporter, settings, progress, folder: &folder.0 };
    let (ended, no_extras) = job.run()?;
    let state = job.state_of_report();
    let warning = job.judge(&ended, &state)?;
    let mut profile = job.read_report(&ended, &state)?;
    profile.warnings.extend(no_extras.then(|| NO_SIGNATURES.to_string()));
    profile.warnings.extend(warning);
    Ok(profile)
}

/// The warning about a report that was made without the extras.
const NO_SIGNATURES: &str =
    "this Reporter does not know --save-signature, so overloads of a method can't be told apart";

/// What a report looks like from outside.
enum State {
    Missing,
    Empty,
    /// Without its last tag, this many bytes long.
    CutOff(u64),
    Whole,
}

/// One run of Reporter.
struct Job<'a> {
    file: String,
    snapshot: &'a Path,
    reporter: &'a Reporter,
    settings: &'a Settings,
    progress: &'a Progress,
    folder: &'a Path,
}

impl Job<'_> {
    fn report(&self) -> PathBuf {
        self.folder.join("report.xml")
    }

    /// Runs Reporter, and once more without the extras if it says something about them; then the flag is set.
    fn run(&self) -> Result<(Ended, bool), ImportError> {
        let pattern = self.folder.join("pattern.xml");
        std::fs::write(&pattern, PATTERN).map_err(|error| no_folder(&self.file, &error))?;
        let space = if self.reporter.version.is_empty() { "" } else { " " };
        self.progress.begin(format!("Reporter{space}{} is reading the snapshot", self.reporter.version));
        let limit = self.settings.limit;
        let since = Instant::now();
        let ended = self.start(self.command(&pattern, &EXTRAS), limit)?;
        let names_extras = |line: &String| EXTRAS.iter().any(|extra| line.contains(extra.trim_start_matches('-')));
        if ended.status.success() || !ended.lines().iter().any(names_extras) {
            return Ok((ended, false));
        }
        let left = limit.saturating_sub(since.elapsed());
        self.start(self.command(&pattern, &[]), left).map(|ended| (ended, true))
    }

    fn start(&self, command: Command, left: Duration) -> Result<Ended, ImportError> {
        run(command, left, self.progress).map_err(|stopped| {
            let cannot_run_it = matches!(&stopped, Stopped::NotStarted(_)) && self.is_for_windows();
            let error = stopped.into_error(&self.file, &self.reporter.path, self.settings.limit);
            match error {
                ImportError::Failed(failure) if cannot_run_it => {
                    failure.advice("this program needs Windows: name a script that runs it").into()
                }
                error => error,
            }
        })
    }

    /// Whether this is a program of Windows' elsewhere.
    fn is_for_windows(&self) -> bool {
        let is_exe = self.reporter.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("exe"));
        is_exe && !cfg!(windows)
    }

    fn command(&self, pattern: &Path, extras: &[&str]) -> Command {
        let option = |name: &str, path: &Path| {
            let mut option = std::ffi::OsString::from(name);
            option.push(path);
            option
        };
        let mut command = Command::new(&self.reporter.path);
        // an absolute path can't be taken for an option
        let snapshot = std::path::absolute(self.snapshot).unwrap_or_else(|_| self.snapshot.to_path_buf());
        command.arg("report").arg(snapshot);
        command.arg(option("--pattern=", pattern)).arg(option("--save-to=", &self.report()));
        command.arg("--overwrite").args(extras);
        // what it writes by the way goes with the folder
        command.envs(["TEMP", "TMP", "TMPDIR"].map(|name| (name, self.folder)));
        command
    }

    fn state_of_report(&self) -> State {
        match end_of(&self.report()) {
            Err(_) => State::Missing,
            Ok((0, _)) => State::Empty,
            Ok((_, end)) if closes_report(&end) => State::Whole,
            Ok((size_bytes, _)) => State::CutOff(size_bytes),
        }
    }

    /// Whether Reporter did its work. The report decides, for it ends with codes other than 0 after whole ones, too [P]; that
    /// gives a warning.
    fn judge(&self, ended: &Ended, state: &State) -> Result<Option<String>, ImportError> {
        let program = &self.reporter.path;
        if ended.status.success() {
            return Ok(None);
        }
        if let Some(failure) = ended.killed(&self.file, program) {
            return Err(failure.into());
        }
        let failure = ended.failed(&self.file, program);
        if let State::Whole = state {
            return Ok(Some(format!("{}, but its report is whole", failure.problem)));
        }
        match ended.complaint() {
            Some(line) if line.to_lowercase().contains("timeline") => {
                let refusal = Failure::new(&self.file, "", format!("Reporter refuses it, and said: {line}"));
                Err(refusal.advice(PERFORMANCE_ONLY).detail(failure.detail).stage(Stage::Layout).into())
            }
            _ => Err(failure.into()),
        }
    }

    fn read_report(&self, ended: &Ended, state: &State) -> Result<Profile, ImportError> {
        self.progress.begin("reading Reporter's report");
        let said = ended.complaint().map_or(String::new(), |line| format!(", and said: {line}"));
        let problem = match state {
            State::Missing => format!("Reporter ended well, but wrote no report{said}"),
            State::Empty => format!("Reporter ended well, but wrote an empty report{said}"),
            State::CutOff(size_bytes) => {
                let nodes = match self.import() {
                    Ok(profile) => format!(" and {}", counted(profile.tree.len().saturating_sub(1) as u64, "node")),
                    Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
                    Err(ImportError::Failed(_)) => String::new(),
                };
                format!(
                    "Reporter's report breaks off after {} bytes{nodes}, without its last tag{said}",
                    thousands(*size_bytes)
                )
            }
            State::Whole => {
                return self.import().map(|profile| self.finish(profile)).map_err(|error| self.unreadable(error));
            }
        };
        let failure =
            Failure::new(&self.file, "", problem).detail(ended.failed(&self.file, &self.reporter.path).detail);
        Err(failure.advice("try again; a full disk cuts reports off").stage(Stage::Walk).into())
    }

    fn import(&self) -> Result<Profile, ImportError> {
        let input = Input::open(&self.report(), self.progress.clone())?;
        (report_format().read)(input)
    }

    /// The profile is the snapshot's: its report is gone in a moment.
    fn finish(&self, mut profile: Profile) -> Profile {
        profile.source.name.clone_from(&self.file);
        profile.source.format = super::native().name;
        profile.source.decoder = "Reporter".into();
        profile.source.decoder_version.clone_from(&self.reporter.version);
        profile
    }

    /// The error of the report's reader, as one of the snapshot.
    fn unreadable(&self, error: ImportError) -> ImportError {
        let ImportError::Failed(mut failure) = error else { return error };
        failure.file.clone_from(&self.file);
        failure.place = "Reporter's report".into();
        failure.stage(Stage::Walk).into()
    }
}

/// The format of reports.
fn report_format() -> &'static Format {
    // the table has such a row, which a test checks
    FORMATS.iter().find(|format| format.name == "report").unwrap_or(&FORMATS[0])
}

/// What to do about a timeline snapshot.
const PERFORMANCE_ONLY: &str = "record with --profiling-type=Sampling or Tracing";

/// The refusal of a timeline snapshot, without asking Reporter.
fn refusal(file: &str) -> Failure {
    let problem = "is a timeline snapshot, which Reporter refuses: it reads sampling, tracing and line-by-line ones";
    Failure::new(file, "", problem).advice(PERFORMANCE_ONLY).stage(Stage::Layout)
}

fn no_folder(file: &str, error: &io::Error) -> ImportError {
    let problem = format!("Reporter needs a temporary folder, which can't be made: {}", crate::importers::plain(error));
    Failure::new(file, "", problem).advice("TMPDIR (TEMP on Windows) says where").stage(Stage::Output).into()
}

/// The size of a file, and its end.
fn end_of(path: &Path) -> io::Result<(u64, Vec<u8>)> {
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
    let Some(tag) = end.iter().rposition(|&byte| byte == b'<').map(|start| &end[start..]) else { return false };
    tag == b"</Report>" || (tag.starts_with(b"<Report") && tag.ends_with(b"/>"))
}

/// A private folder that is removed when this is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new(within: &Path) -> io::Result<Folder> {
        let mut builder = tempfile::Builder::new();
        builder.prefix("dotspot-");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
        builder.tempdir_in(within).map(|folder| Folder(folder.keep()))
    }
}

impl Drop for Folder {
    /// A program that was ended a moment ago may have its last file to write or, on Windows, to close: hence several tries.
    fn drop(&mut self) {
        for _ in 0..20 {
            match std::fs::remove_dir_all(&self.0) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => thread::sleep(Duration::from_millis(50)),
                _ => return,
            }
        }
    }
}
