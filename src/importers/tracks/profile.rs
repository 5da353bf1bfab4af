//! The profile of what a reader collected.

use super::{About, CollectedTracks, dotnet, plain};
use crate::input::ImportError;
use crate::input::error::too_large;
use crate::model::{ProfileKind, Recording, Source, TooLarge};

/// Makes the profile.
///
/// # Errors
/// The tree is full.
pub(in crate::importers) fn profile(
    recorded: CollectedTracks,
    about: About,
) -> Result<Recording, ImportError> {
    let About {
        file,
        format: (format, title),
        facts,
        diagnostics,
    } = about;
    let is_dotnet = dotnet::is_written_by_traceevent(&recorded);
    let kind = if is_dotnet {
        ProfileKind::Sampling
    } else {
        recorded.kind
    };
    let source = Source::read_here(file.clone(), format, kind, facts);
    let profile = match is_dotnet {
        true => dotnet::profile(recorded, source, diagnostics),
        false => plain::profile(recorded, source, diagnostics),
    };
    profile.map_err(|TooLarge| too_large(&file, title).into())
}
