use super::arguments::in_tool_terms;
use super::folders::Folders;
use crate::analysis::make::whole;
use crate::importers::{ReadOptions, import_with, profile_states};
use crate::input::{FileStates, ImportError, Input, Progress};
use crate::mcp::messages;
use crate::model::{RecordedTree, Recording, TreeForm, View};
use crate::names::UserCode;
use crate::query::with_prefix;
use crate::units::size;
use parking_lot::{Mutex, MutexGuard};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The approximate bytes per node while a tree is built.
const NODE_BYTES: u64 = 64;
/// The approximate bytes per frame, with its names.
const FRAME_BYTES: u64 = 400;
const CANCEL_INTERVAL: Duration = Duration::from_millis(100);

pub(super) struct OpenProfile {
    pub name: String,
    pub view: View,
    size_bytes: u64,
    file: PathBuf,
    options: ProfileOptions,
    pub unmatched: Vec<String>,
    file_states: FileStates,
    siblings: FileStates,
    /// Whether the file has changed since an earlier answer, and no answer has reported it yet.
    pub is_changed: AtomicBool,
}

impl OpenProfile {
    fn is(&self, file: &Path, options: &ProfileOptions) -> bool {
        self.file == file && self.options == *options
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct ProfileOptions {
    pub member: Vec<String>,
    pub user_code: UserCode,
}

pub(super) struct OpenProfiles {
    pub folders: Folders,
    limit_bytes: u64,
    /// Least recently used first.
    open: Mutex<Vec<Arc<OpenProfile>>>,
    /// Held while a profile is read: one at a time, so that only one needs memory for reading.
    reading: Mutex<()>,
}

impl OpenProfiles {
    pub(super) fn new(folders: Folders, limit_bytes: u64) -> OpenProfiles {
        OpenProfiles {
            folders,
            limit_bytes,
            open: Mutex::default(),
            reading: Mutex::default(),
        }
    }

    /// Reads the file unless it is open and has not changed. Waits while another one is read. The error is a sentence
    /// without a full stop.
    pub(super) fn open(
        &self,
        requested: &str,
        user_code: Vec<String>,
        progress: &Progress,
    ) -> Result<Arc<OpenProfile>, String> {
        let (file, member) = self.folders.file_and_member(requested)?;
        let user_code = UserCode {
            own: user_code,
            ..UserCode::default()
        };
        let options = &ProfileOptions { member, user_code };
        let is_known = self.open.lock().iter().any(|open| open.is(&file, options));
        if let Some(profile) = self.opened(&file, options) {
            return Ok(profile);
        }
        let _turn = self.wait_for_turn(progress).ok_or("cancelled")?;
        // another request may have read it in the meantime
        if let Some(profile) = self.opened(&file, options) {
            return Ok(profile);
        }
        let mut name = self.folders.name_of(&file);
        for member in &options.member {
            name = format!("{name}/{member}");
        }
        let mut profile = self.read(name, file, options, progress)?;
        profile.is_changed = is_known.into();
        let profile = Arc::new(profile);
        let mut open = self.open.lock();
        open.push(Arc::clone(&profile));
        let is_too_much = |open: &[Arc<OpenProfile>]| {
            open.iter().map(|open| open.size_bytes).sum::<u64>() > self.limit_bytes
        };
        while open.len() > 1 && is_too_much(&open) {
            open.remove(0);
        }
        Ok(profile)
    }

    fn wait_for_turn(&self, progress: &Progress) -> Option<MutexGuard<'_, ()>> {
        loop {
            progress.check_cancelled().ok()?;
            if let Some(turn) = self.reading.try_lock_for(CANCEL_INTERVAL) {
                return Some(turn);
            }
        }
    }

    /// The profile if it is open; closes it if the file has changed.
    fn opened(&self, file: &Path, options: &ProfileOptions) -> Option<Arc<OpenProfile>> {
        let mut open = self.open.lock();
        let at = open.iter().position(|open| open.is(file, options))?;
        let profile = open.remove(at);
        if profile.file_states != profile_states(file) || !profile.siblings.are_current() {
            return None;
        }
        open.push(Arc::clone(&profile));
        Some(profile)
    }

    fn read(
        &self,
        name: String,
        file: PathBuf,
        options: &ProfileOptions,
        progress: &Progress,
    ) -> Result<OpenProfile, String> {
        self.folders.check_parts(&file)?;
        let file_states = profile_states(&file);
        let read = read(&file, options, progress);
        let (recording, siblings) = read.map_err(|error| match error {
            ImportError::Cancelled if self.is_too_large(progress) => self.too_large(&name),
            error => sentence(&name, &error),
        })?;
        // a link may have replaced a part of the path in the meantime
        self.folders.check_parts(&file)?;
        let size_bytes = memory_of(&recording);
        if size_bytes > self.limit_bytes {
            return Err(self.too_large(&name));
        }
        let unmatched = recording.frames.unmatched_user_code(&options.user_code);
        let view = whole(&Arc::new(recording), TreeForm::Repaired);
        Ok(OpenProfile {
            unmatched,
            name,
            view,
            size_bytes,
            file,
            options: options.clone(),
            is_changed: AtomicBool::default(),
            file_states,
            siblings,
        })
    }

    pub(super) fn is_too_large(&self, progress: &Progress) -> bool {
        let (_, _, nodes) = progress.now();
        nodes.saturating_mul(NODE_BYTES) > self.limit_bytes
    }

    fn too_large(&self, name: &str) -> String {
        messages::too_much_memory(&name, &size(self.limit_bytes))
    }
}

/// Starts no other program. Also returns the files next to it that were looked up.
fn read(
    file: &Path,
    options: &ProfileOptions,
    progress: &Progress,
) -> Result<(Recording, FileStates), ImportError> {
    let read_options = ReadOptions {
        members: options.member.clone(),
        siblings_only: true,
        ..ReadOptions::default()
    };
    let input = Input::open_without_links(file, progress.clone())?;
    let probed_files = input.probed_files();
    let mut recording = import_with(input, &read_options, |format, input| {
        (format.read)(input, &read_options)
    })?;
    if !options.user_code.is_empty() {
        Arc::make_mut(&mut recording.frames).correct_user_code(&options.user_code);
    }
    Ok((recording, probed_files.states()))
}

/// Names no folders above those of the server.
fn sentence(name: &str, error: &ImportError) -> String {
    let ImportError::Failed(failure) = error else {
        return "cancelled".into();
    };
    let advice = match failure.doctor_command {
        Some(_) => messages::DOTTRACE_MAY_READ_IT,
        None if failure.advice.contains("--member ") => &in_tool_terms(&failure.advice),
        None if failure.advises_option => messages::UNPACK_FIRST,
        None => &failure.advice,
    };
    format!("{name}: {}{}", failure.reason(), with_prefix("; ", advice))
}

fn memory_of(recording: &Recording) -> u64 {
    let columns = 16 + 20 * recording.metrics.len() as u64;
    let tree = |tree: &RecordedTree| tree.tree.len() as u64 * columns;
    let frames = recording.frames.len() as u64 * FRAME_BYTES;
    tree(&recording.original) + recording.repaired.as_ref().map_or(0, tree) + frames
}

#[cfg(test)]
mod tests;
