//! Opening a profile from a file, standard input or the program itself.

use crate::analysis::check_stored_hotspots;
use crate::analysis::fold::whole;
use crate::decoders::{Settings, Surroundings, decode};
use crate::importers::{ReadOptions, Sums, detect, import_with, open_file};
use crate::input::{ImportError, Input, Progress};
use crate::model::{Profile, TreeForm};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A real recording, so that there is something to look at: 2.3 MB, see `snapshots/README.md`.
const SAMPLE: &[u8] = include_bytes!("../../snapshots/js-ordered-consume.nettrace");
/// The name of the sample.
pub const SAMPLE_NAME: &str = "js-ordered-consume.nettrace";

/// What to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A file.
    File(PathBuf),
    /// Standard input.
    Stdin,
    /// The bundled sample.
    Sample,
}

impl Target {
    /// What a command line's file means: `-` is standard input, nothing is the sample.
    pub fn new(file: Option<&Path>) -> Target {
        match file {
            None => Target::Sample,
            Some(file) if file.as_os_str() == "-" => Target::Stdin,
            Some(file) => Target::File(file.to_path_buf()),
        }
    }

    /// Its name for titles.
    pub fn name(&self) -> String {
        match self {
            Target::File(path) => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
            Target::Stdin => "standard input".into(),
            Target::Sample => format!("{SAMPLE_NAME} (bundled sample)"),
        }
    }

    /// Whether it is a regular file, which can be read again and never makes a reader wait.
    pub fn is_file_on_disk(&self) -> bool {
        matches!(self, Target::File(path) if path.is_file())
    }

    /// Opens it, in whatever container it is.
    ///
    /// # Errors
    /// It can't be read.
    pub fn input(&self, progress: Progress) -> Result<Input, ImportError> {
        let input = match self {
            Target::File(path) => open_file(path, progress)?,
            Target::Stdin => Input::stream("standard input", Box::new(std::io::stdin()), progress)?,
            Target::Sample => {
                progress.add_total_bytes(SAMPLE.len() as u64);
                Input::stream(SAMPLE_NAME, Box::new(Cursor::new(SAMPLE)), progress)?
            }
        };
        Ok(input)
    }
}

/// How a profile is read.
#[derive(Clone, Debug)]
pub struct How {
    /// Which profile of a container, and as which format.
    pub wanted: ReadOptions,
    /// How dotTrace snapshots are decoded.
    pub decoding: Settings,
    /// Whether truncated stacks are mended.
    pub repairs: bool,
}

impl Default for How {
    /// Whatever it is, with what this machine has.
    fn default() -> Self {
        How { wanted: ReadOptions::default(), decoding: Settings::new(Surroundings::here()), repairs: true }
    }
}

/// Reads a profile, and compares what it has stored about itself with what we count.
///
/// # Errors
/// Those of the importers and decoders.
pub fn open(target: &Target, how: &How, progress: Progress) -> Result<Profile, ImportError> {
    let input = target.input(progress)?;
    let mut recording = import_with(input, &how.wanted, |format, input| match format.is_dottrace_snapshot() {
        true => decode(input, &how.decoding),
        false => (format.read)(input, &how.wanted),
    })?;
    if !recording.stored_hotspots.is_empty() {
        let view = recording.into_view();
        let difference = check_stored_hotspots(&view);
        recording = view.into_recording();
        recording.warnings.extend(difference);
    }
    let form = if how.repairs { TreeForm::Repaired } else { TreeForm::Original };
    Ok(whole(&Arc::new(recording), form))
}

/// Reads the sums of the methods of a profile without its tree; `None` where only the tree has them. That is never tried with a
/// stream, which can't be read again.
///
/// # Errors
/// Those of the importers.
pub fn open_sums(target: &Target, wanted: &ReadOptions) -> Result<Option<Sums>, ImportError> {
    if !target.is_file_on_disk() {
        return Ok(None);
    }
    let input = target.input(Progress::default())?;
    match wanted.format.or_else(|| detect(&input.head())).and_then(|format| format.sums) {
        Some(read) => read(input),
        // containers among them
        None => Ok(None),
    }
}
