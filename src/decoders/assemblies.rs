//! TODO

use super::Settings;
use crate::importers::{Failure, ImportError, Progress, Stage};
use crate::model::Profile;
use std::path::Path;

/// Reads a snapshot.
pub(super) fn decode(path: &Path, _settings: &Settings, _progress: &Progress) -> Result<Profile, ImportError> {
    let failure = Failure::new(path.display().to_string(), "", "decoder assemblies is not built yet");
    Err(failure.stage(Stage::Decoder).into())
}
