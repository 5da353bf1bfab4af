//! Makes the profile from what a reader collected.

use super::{CollectedTracks, dotnet, plain};
use crate::diagnostics::Diagnostic;
use crate::importers::Format;
use crate::input::ImportError;
use crate::input::error::too_large;
use crate::model::{ProfileKind, Recording, Source, TooLarge};

/// Makes the profile of a file from its tracks, facts and diagnostics.
pub(crate) fn profile(
    recorded: CollectedTracks,
    file: String,
    format: &Format,
    facts: Vec<(&'static str, String)>,
    diagnostics: Vec<Diagnostic>,
) -> Result<Recording, ImportError> {
    let is_dotnet = dotnet::is_written_by_traceevent(&recorded);
    let kind = [recorded.kind, ProfileKind::Sampling][usize::from(is_dotnet)];
    let source = Source::read_here(file.clone(), format.name, kind, facts);
    let profile = match is_dotnet {
        true => dotnet::profile(recorded, source, diagnostics),
        false => plain::profile(recorded, source, diagnostics),
    };
    profile.map_err(|TooLarge| too_large(&file, format.title).into())
}
