//! Opens a profile from a file, from standard input, or the bundled recording.

use super::notes;
use crate::analysis::make::whole;
use crate::decoders::{DecoderSettings, Environment, decode};
use crate::diagnostics::Diagnostic;
use crate::importers::{ReadOptions, import_with, open_file};
use crate::input::{ImportError, Input, Progress, name_of};
use crate::model::{Recording, TreeForm, View};
use crate::names::UserCode;
use crate::profile_cache::{CacheLookup, ProfileCache};
use crate::text::{differing, quoted};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    File(PathBuf),
    Stdin,
    Sample,
    Comparison { before: PathBuf, after: PathBuf },
}

impl Target {
    /// The meaning of a file argument: `-` is standard input, none is the bundled recording.
    pub fn new(file: Option<&Path>) -> Target {
        match file {
            None => Target::Sample,
            Some(file) if file.as_os_str() == "-" => Target::Stdin,
            Some(file) => Target::File(file.to_path_buf()),
        }
    }

    pub fn name(&self) -> String {
        match self {
            Target::File(path) => name_of(path),
            Target::Comparison { before, after } => {
                let [before, after] = [before, after].map(|file| file.display().to_string());
                differing(&before, &after).join(" → ")
            }
            Target::Stdin => "standard input".into(),
            Target::Sample => format!("{} (bundled recording)", dotspot_sample::NAME),
        }
    }

    pub fn file(&self) -> Option<&Path> {
        match self {
            Target::File(path) => Some(path),
            Target::Stdin | Target::Sample | Target::Comparison { .. } => None,
        }
    }

    /// Regular files can be read again and never block.
    pub fn is_file_on_disk(&self) -> bool {
        match self {
            Target::File(path) => path.is_file(),
            Target::Comparison { before, after } => before.is_file() && after.is_file(),
            Target::Stdin | Target::Sample => false,
        }
    }

    /// How a command line refers to it; `None` for the bundled recording. For a comparison, both files, quoted for a
    /// shell.
    pub(super) fn argument(&self) -> Option<String> {
        match self {
            Target::File(path) => Some(path.display().to_string()),
            Target::Stdin => Some("-".into()),
            Target::Sample => None,
            Target::Comparison { before, after } => {
                let files = [before, after].map(|path| quoted(&path.display().to_string()));
                Some(files.join(" "))
            }
        }
    }

    pub(super) fn notes_file(&self) -> Option<PathBuf> {
        notes::file_of(self.file()?)
    }

    pub fn input(&self, progress: Progress) -> Result<Input, ImportError> {
        match self {
            Target::File(path) => open_file(path, progress),
            Target::Stdin => Input::stream("standard input", Box::new(std::io::stdin()), progress),
            Target::Comparison { before, .. } => open_file(before, progress),
            Target::Sample => {
                progress.add_total_bytes(dotspot_sample::RECORDING.len() as u64);
                let bytes = Box::new(Cursor::new(dotspot_sample::RECORDING));
                Input::stream(dotspot_sample::NAME, bytes, progress)
            }
        }
    }
}

#[derive(Clone, Debug)]
pub struct OpenOptions {
    pub reading: ReadOptions,
    pub decoding: DecoderSettings,
    pub repairs: bool,
    pub user_code: UserCode,
    /// Configured prefixes need not match in every profile.
    pub configured_user_code: Vec<String>,
    pub metric: Option<String>,
    pub index_cache: ProfileCache,
}

impl Default for OpenOptions {
    fn default() -> Self {
        let decoding = DecoderSettings::new(Environment::here());
        OpenOptions {
            reading: ReadOptions::default(),
            decoding,
            repairs: true,
            user_code: UserCode::default(),
            configured_user_code: Vec::new(),
            metric: None,
            index_cache: ProfileCache::default(),
        }
    }
}

pub fn open(
    target: &Target,
    options: &OpenOptions,
    progress: Progress,
) -> Result<View, ImportError> {
    let recording = cached_or_read(target, options, &progress)?;
    Ok(finished(target, recording, options))
}

fn cached_or_read(
    target: &Target,
    options: &OpenOptions,
    progress: &Progress,
) -> Result<Recording, ImportError> {
    let Some(file) = target.file().filter(|_| target.is_file_on_disk()) else {
        return read_recording(target.input(progress.clone())?, options);
    };
    let lookup = CacheLookup {
        file,
        reading: &options.reading,
        decoding: &options.decoding,
    };
    let unread = match options.index_cache.find(&lookup, progress) {
        Ok(recording) => return Ok(recording),
        Err(unread) => unread,
    };
    let input = target.input(progress.clone())?;
    let probed_files = input.probed_files();
    let recording = read_recording(input, options)?;
    if let Some(unread) = unread {
        let (index_cache, neighbors) = (&options.index_cache, probed_files.states());
        index_cache.keep(&lookup, unread, &recording, neighbors);
    }
    Ok(recording)
}

fn read_recording(input: Input, options: &OpenOptions) -> Result<Recording, ImportError> {
    import_with(input, &options.reading, |format, input| {
        match format.is_dottrace_snapshot() {
            true => decode(input, &options.decoding),
            false => (format.read)(input, &options.reading),
        }
    })
}

pub(super) fn open_input(
    target: &Target,
    input: Input,
    options: &OpenOptions,
) -> Result<View, ImportError> {
    Ok(finished(target, read_recording(input, options)?, options))
}

fn finished(target: &Target, mut recording: Recording, options: &OpenOptions) -> View {
    if let Some(file) = target.notes_file() {
        match notes::read(&file) {
            Ok(notes) => recording.method_notes.extend(&notes),
            Err(reason) => {
                let file = name_of(&file);
                let unread = Diagnostic::NotesUnread { file, reason };
                recording.diagnostics.push(unread);
            }
        }
    }
    let user_code = &options.user_code;
    if !user_code.is_empty() {
        let mut unmatched = recording.frames.unmatched_user_code(user_code);
        unmatched.retain(|prefix| !options.configured_user_code.contains(prefix));
        let warning = |prefix| Diagnostic::UserCodeUnmatched { prefix };
        let warnings = unmatched.into_iter().map(warning);
        recording.diagnostics.extend(warnings);
        Arc::make_mut(&mut recording.frames).correct_user_code(user_code);
    }
    let metric = options.metric.as_deref();
    let metric = metric.and_then(|name| recording.metric_named(name));
    recording.default_metric = metric.unwrap_or(recording.default_metric);
    let form = match options.repairs {
        true => TreeForm::Repaired,
        false => TreeForm::Original,
    };
    whole(&Arc::new(recording), form)
}
