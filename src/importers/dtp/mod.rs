//! dotTrace snapshots (`.dtp`) of sampling and tracing in both containers, read without dotTrace software. The layout
//! is not published.

mod bytes;
mod catalog;
mod container;
mod description;
mod examine;
mod family;
mod forest;
mod functions;
mod metadata;
mod sections;
mod signature;
mod tree;
mod warnings;

pub use catalog::Need;
pub use examine::{Examination, ExaminedSection, FamilyFile, examine};

pub const NATIVE_READS: &str = messages::KNOWN_DOTTRACE_VERSIONS;

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::{Confidence, Failure, Head, ImportError, Input, Progress, Stage};
use crate::model::{ProfileKind, Recording, Source};
use bytes::TITLE;
use container::Container;
pub use family::{Family, files_of as snapshot_files};
use forest::Forest;
use functions::Functions;
use sections::Sections;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use warnings::Warnings;

pub(crate) const FORMAT: Format = Format {
    name: Source::DTP,
    title: TITLE,
    extensions: &[".dtp"],
    metrics: messages::METRICS_OF_SNAPSHOT,
    limitations: messages::STATEMENTS_AND_TIMELINES,
    sniff,
    read,
};

/// Or a part of one; it need not exist.
pub(crate) fn is_named_like_snapshot(path: &Path) -> bool {
    family::is_index(path) || family::index_named_by(path).is_some()
}

/// All files that a profile is read from, including a snapshot's sections.
pub(crate) fn profile_states(path: &Path) -> crate::input::FileStates {
    let index = index_of(path);
    let files = std::iter::once(path.to_path_buf()).chain(snapshot_files(&index));
    crate::input::FileStates::of(files)
}

pub fn index_of(path: &Path) -> PathBuf {
    let index = family::index_next_to(path).filter(|index| index.exists());
    family::resolve_link(index.unwrap_or_else(|| path.to_path_buf()))
}

/// By its first bytes or, if these are inconclusive, its name.
pub fn is_timeline_snapshot(index: &Path) -> bool {
    let mut head = Vec::new();
    // unreadable files are reported elsewhere
    let _ = File::open(index).and_then(|file| file.take(6).read_to_end(&mut head));
    match Family::of(&head) {
        Family::Unknown | Family::None => family::is_timeline(index),
        known => known == Family::Timeline,
    }
}

/// As far as its first bytes or its description reveal.
pub fn kind_of_snapshot(index: &Path) -> Option<ProfileKind> {
    if is_timeline_snapshot(index) {
        return Some(ProfileKind::Timeline);
    }
    let mut warnings = Warnings::default();
    let mut input = Input::open(index, Progress::default()).ok()?;
    let container = Container::open(&mut input, &mut warnings).ok()?;
    let mut sections = container.sections().filter_map(|(_, section)| section);
    let description = sections.find(|section| section.id == catalog::DESCRIPTION);
    description::Description::read(description, &mut warnings).kind
}

fn sniff(head: &Head) -> Option<Confidence> {
    let name = Path::new(head.name);
    if Family::of(head.bytes).is_known() {
        Some(Confidence::Certain)
    } else if family::index_named_by(name).is_some() {
        Some(Confidence::Likely)
    } else {
        family::is_index(name).then_some(Confidence::Name)
    }
}

/// Reads a snapshot, given its index or one of the files next to it. Errors are of stage input for files that are
/// missing, truncated or not dotTrace's, and of stage layout for unknown layouts and for bytes that contradict the
/// layout.
fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let mut input = index_for(input)?;
    input.path = input.path.map(family::resolve_link);
    let mut warnings = Warnings::default();
    let container = Container::open(&mut input, &mut warnings)?;
    let sections = Sections::sort(&container, &mut warnings)?;
    let description =
        description::Description::read(sections.get(catalog::DESCRIPTION), &mut warnings);
    let functions = Functions::read(&sections, &mut warnings)?;
    let forest = Forest::grow(&sections, functions, input.progress.clone(), warnings)?;
    forest.finish(input.name, description, sections.get(catalog::TAKEN))
}

fn index_for(input: Input) -> Result<Input, ImportError> {
    let index = input.path.as_deref().and_then(family::index_next_to);
    let (Some(index), false) = (index, Family::of(input.head().bytes).is_known()) else {
        return Ok(input);
    };
    if !index.exists() {
        let problem = messages::part_without_index(&index.display());
        let failure = Failure::new(&input.name, TITLE, problem);
        return Err(failure
            .advice(messages::COPY_AND_OPEN_INDEX)
            .stage(Stage::Input)
            .into());
    }
    // count this file as read, or the progress would never complete
    let passed_over = input
        .path
        .as_deref()
        .and_then(|path| path.metadata().ok())
        .map_or(0, |meta| meta.len());
    input.progress.add_bytes(passed_over);
    Input::open(&index, input.progress.clone()).map_err(|error| error.stage(Stage::Input))
}
