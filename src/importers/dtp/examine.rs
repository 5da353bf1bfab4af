//! Examines a snapshot file by file and section by section, and reports everything that is wrong with it.
//!
//! The reader stops at the first error; this continues, so that users see all of them. It uses the
//! reader's own functions for every section and does not know the layout itself.

use super::bytes::SectionBytes;
use super::catalog::{self, KnownSection, Need};
use super::clock::Clock;
use super::container::{
    DataFile, DataFiles, ONE_FILE_HEAD, RawRow, SectionsTable, entries, wanted,
};
use super::description::{self, Description};
use super::family::{
    Family, SnapshotFolder, behind_link, data_file, files_of, index_named_by, sibling,
};
use super::functions::Functions;
use super::hotlist;
use super::sections::OwnNumbers;
use super::tree::ThreadTree;
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, Stage, name_of};
use crate::model::{Recording, View};
use crate::units::{counted, thousands};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The maximum number of rows examined in a table. Real snapshots have four for each thread and six more.
const MAX_ROWS: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyFile {
    /// The name without folders.
    pub name: String,
    pub what: &'static str,
    /// The size according to the index; `None` for files that the index does not list.
    pub expected_bytes: Option<u64>,
    /// The actual size; `None` if the file is missing.
    pub found_bytes: Option<u64>,
    /// The need for its most needed section.
    pub need: Need,
}

impl FamilyFile {
    /// Whether it exists and has the size in the index.
    pub fn is_whole(&self) -> bool {
        self.found_bytes.is_some()
            && self
                .expected_bytes
                .is_none_or(|expected| Some(expected) == self.found_bytes)
    }
}

/// The result of reading a section by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SectionState {
    /// It was read; describes its content.
    Fine(String),
    /// The section id is unknown.
    Unknown,
    /// Its version is not one of these supported ones.
    UnknownVersion(&'static [u16]),
    /// Its file is missing or too short.
    NotThere,
    /// It was not checked, for this reason.
    NotChecked(&'static str),
    /// It contradicts its layout.
    Wrong(Box<Failure>),
}

/// What was found out about a section of a snapshot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The kind of section, see `sections.rs`.
    pub id: u16,
    pub version: u16,
    /// A description; `None` if the section is unknown.
    pub what: Option<&'static str>,
    pub need: Need,
    /// The file that contains it, without folders.
    pub file: String,
    /// Its offset in that file.
    pub start: u64,
    /// Its size according to the table.
    pub size_bytes: u64,
    pub state: SectionState,
    /// Oddities, one sentence each.
    pub remarks: Vec<String>,
}

/// A known section that the table does not list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingSection {
    pub id: u16,
    pub what: &'static str,
    pub need: Need,
}

/// What can be read of a snapshot.
#[derive(Debug)]
pub struct Examination {
    pub index: PathBuf,
    pub family: Family,
    /// The index, the files it names, and others next to it.
    pub files: Vec<FamilyFile>,
    /// What is wrong with the table of sections.
    pub table: Option<Failure>,
    /// The sections, in table order.
    pub sections: Vec<Finding>,
    /// Known sections that the table does not list.
    pub missing: Vec<MissingSection>,
    /// The result of opening the snapshot with this reader.
    pub whole: Result<View, ImportError>,
}

/// Examines a snapshot, given its index or a file next to it. Problems are reported in the result.
pub fn examine(path: &Path, progress: &Progress) -> Result<Examination, ImportError> {
    let index = index_named_by(path).map_or_else(
        || path.to_path_buf(),
        |index| SnapshotFolder::of(&index).found_ignoring_case(index),
    );
    let index = behind_link(index);
    // what is read twice must not be counted twice
    let apart = progress.apart();
    let mut found = SnapshotParts::new(&index, &apart)?;
    let sections = found.findings(&apart)?;
    // nor be in memory twice
    found.bytes.clear();
    let is_known = matches!(found.family, Family::ManyFiles | Family::OneFile);
    let is_listed = |known: &&KnownSection| found.rows.iter().any(|row| row.id == known.id);
    let missing = |known: &KnownSection| MissingSection {
        id: known.id,
        what: known.what,
        need: known.need,
    };
    let missing = catalog::all()
        .iter()
        .filter(|known| is_known && !is_listed(known))
        .map(missing)
        .collect();
    let SnapshotParts {
        family,
        files,
        table,
        ..
    } = found;
    let input = Input::open(path, progress.clone()).map_err(|error| error.stage(Stage::Input));
    let whole = input
        .and_then(|input| super::read(input, &super::ReadOptions::default()))
        .map(Recording::into_view);
    if whole
        .as_ref()
        .is_err_and(|error| *error == ImportError::Cancelled)
    {
        return Err(ImportError::Cancelled);
    }
    Ok(Examination {
        index,
        family,
        files,
        table,
        sections,
        missing,
        whole,
    })
}

/// A snapshot before its sections are read.
#[derive(Default)]
struct SnapshotParts {
    family: Family,
    files: Vec<FamilyFile>,
    table: Option<Failure>,
    rows: Vec<RawRow>,
    /// The file names by index, whether or not the files exist.
    names: BTreeMap<u16, String>,
    /// The files that exist and are useful.
    bytes: DataFiles,
}

impl SnapshotParts {
    fn new(index: &Path, progress: &Progress) -> Result<SnapshotParts, ImportError> {
        let Ok(mut input) = Input::open(index, progress.clone()) else {
            return Ok(SnapshotParts::default());
        };
        let mut found = SnapshotParts {
            family: Family::of(input.head().bytes),
            ..SnapshotParts::default()
        };
        let is_whole_of_use = found.family != Family::None;
        let length = index.metadata().ok().map(|meta| meta.len());
        found.files.push(FamilyFile {
            name: name_of(index),
            what: match found.family {
                Family::OneFile => "the whole snapshot",
                Family::None => "no snapshot",
                _ => "index",
            },
            expected_bytes: None,
            found_bytes: length,
            need: Need::Needed,
        });
        if !is_whole_of_use {
            return Ok(found);
        }
        let bytes = match input.read_all() {
            Ok(bytes) => bytes,
            Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
            Err(ImportError::Failed(failure)) => {
                found.table = Some(*failure);
                return Ok(found);
            }
        };
        let is_one_file = found.family == Family::OneFile;
        let name = index.display().to_string();
        let table = SectionsTable::read(&name, &bytes, is_one_file);
        found.table = table.problem.map(|failure| *failure);
        found.rows = table.rows;
        found.rows.truncate(MAX_ROWS);
        if is_one_file {
            found.names.insert(0, name_of(index));
            let first = ONE_FILE_HEAD;
            found.bytes.insert(0, DataFile { name, bytes, first });
        } else {
            found.add_many_files(index, progress)?;
        }
        found.add_others(index);
        Ok(found)
    }

    fn add_many_files(&mut self, index: &Path, progress: &Progress) -> Result<(), ImportError> {
        if self.table.is_some() && self.family != Family::ManyFiles {
            // it is unknown whether this family has such a table
            self.rows.clear();
            return Ok(());
        }
        let wanted = wanted(&self.rows, |id| self.need(id));
        let folder = SnapshotFolder::of(index);
        for (number, (size, need)) in wanted {
            let path = folder.found_ignoring_case(data_file(index, number));
            let found_bytes = path
                .metadata()
                .ok()
                .filter(std::fs::Metadata::is_file)
                .map(|meta| meta.len());
            let name = name_of(&path);
            self.names.insert(number, name.clone());
            // after a truncated table, nothing is known about the rest
            let expected_bytes = self.table.is_none().then_some(size);
            self.files.push(FamilyFile {
                name,
                what: "sections",
                expected_bytes,
                found_bytes,
                need,
            });
            if found_bytes.is_some() && need > Need::Unknown {
                self.load(number, &path, progress)?;
            }
        }
        Ok(())
    }

    fn load(&mut self, number: u16, path: &Path, progress: &Progress) -> Result<(), ImportError> {
        match Input::open(path, progress.clone()).and_then(|mut input| input.read_all()) {
            Ok(bytes) => {
                let name = path.display().to_string();
                let first = 0;
                self.bytes.insert(number, DataFile { name, bytes, first });
                Ok(())
            }
            Err(ImportError::Cancelled) => Err(ImportError::Cancelled),
            // sections of an unreadable file are reported as missing
            Err(ImportError::Failed(_)) => Ok(()),
        }
    }

    /// Adds the files next to the index that it does not list.
    fn add_others(&mut self, index: &Path) {
        let folder = SnapshotFolder::of(index);
        let others = [
            ("State", messages::DOTTRACES_WINDOW_NOT_NEEDED),
            ("States", messages::DOTTRACES_WINDOW_NOT_NEEDED),
            ("DotSettings", "dotTrace's own sums"),
        ];
        let others = others
            .map(|(extension, what)| (folder.found_ignoring_case(sibling(index, extension)), what));
        let numbered = files_of(index)
            .into_iter()
            .skip(1)
            .map(|path| (path, messages::NOT_NAMED_INDEX));
        for (path, what) in numbered.chain(others) {
            let name = name_of(&path);
            let found_bytes = path.metadata().ok().map(|meta| meta.len());
            if found_bytes.is_some() && self.files.iter().all(|file| file.name != name) {
                self.files.push(FamilyFile {
                    name,
                    what,
                    expected_bytes: None,
                    found_bytes,
                    need: Need::Unknown,
                });
            }
        }
    }

    fn need(&self, id: u16) -> Need {
        match self.family {
            Family::ManyFiles | Family::OneFile => catalog::need(id),
            // the ids of other families may mean something else
            _ => Need::Unknown,
        }
    }

    fn findings(&self, progress: &Progress) -> Result<Vec<Finding>, ImportError> {
        let mut findings = Vec::with_capacity(self.rows.len());
        let mut thread = ExaminedThread::default();
        for entry in entries(&self.rows, &self.bytes) {
            progress.check_cancelled()?;
            let (row, section) = (entry.row, entry.section);
            let known = catalog::known(row.id).filter(|_| self.need(row.id) > Need::Unknown);
            let mut finding = Finding {
                id: row.id,
                version: row.version,
                what: known.map(|known| known.what),
                need: self.need(row.id),
                file: self.names.get(&row.file).cloned().unwrap_or_default(),
                start: entry.start,
                size_bytes: row.size,
                state: SectionState::Unknown,
                remarks: Vec::new(),
            };
            let is_derived = finding.need == Need::Derived;
            if !is_derived {
                thread.finish(&mut findings);
            }
            finding.state = match (known, section) {
                (None, _) => SectionState::Unknown,
                (Some(known), _) if !known.has(row.version) => {
                    SectionState::UnknownVersion(known.versions)
                }
                (Some(_), None) => SectionState::NotThere,
                (Some(_), Some(section)) if is_derived => thread.add(section, findings.len()),
                (Some(_), Some(section)) => {
                    let mut warnings = Warnings::default();
                    let state = read_one(section, &mut thread, &mut warnings, progress)?;
                    finding.remarks = warnings
                        .into_vec()
                        .iter()
                        .map(Diagnostic::to_string)
                        .collect();
                    state
                }
            };
            findings.push(finding);
        }
        thread.finish(&mut findings);
        Ok(findings)
    }
}

/// Reads a section that does not depend on others.
fn read_one<'a>(
    section: SectionBytes<'a>,
    thread: &mut ExaminedThread<'a>,
    warnings: &mut Warnings,
    progress: &Progress,
) -> Result<SectionState, ImportError> {
    let read = match section.id {
        catalog::TREE => return thread.read_tree(section, progress),
        catalog::DESCRIPTION => {
            let kind = Description::read(Some(section), warnings).kind;
            Ok(kind.map_or("kind unknown".to_string(), |kind| kind.name().to_string()))
        }
        catalog::TAKEN => description::taken(section).map(Option::unwrap_or_default),
        catalog::RESOLUTION => Clock::read(section).map(|clock| thousands(clock.ticks_per_second)),
        _ => Functions::summary(section, warnings),
    };
    Ok(read.map_or_else(SectionState::Wrong, SectionState::Fine))
}

/// A call tree, and the sections with dotTrace's own numbers that follow it.
#[derive(Default)]
struct ExaminedThread<'a> {
    tree: Option<ThreadTree<'a>>,
    /// In the reader's order, with their indices into the findings.
    own: [Option<(SectionBytes<'a>, usize)>; 3],
}

impl<'a> ExaminedThread<'a> {
    fn read_tree(
        &mut self,
        section: SectionBytes<'a>,
        progress: &Progress,
    ) -> Result<SectionState, ImportError> {
        let tree = match ThreadTree::read(section) {
            Ok(tree) => tree,
            Err(failure) => return Ok(SectionState::Wrong(failure)),
        };
        match tree.walk(|_: Option<()>, _, _| Ok(progress.check_cancelled()?)) {
            Ok(_) => {}
            Err(ImportError::Failed(failure)) => return Ok(SectionState::Wrong(failure)),
            Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
        }
        let name = if tree.name().is_empty() {
            String::new()
        } else {
            format!(" ({})", tree.name())
        };
        let state = SectionState::Fine(format!(
            "thread {}{name}, {}",
            tree.number,
            counted(tree.len(), "node")
        ));
        self.tree = Some(tree);
        Ok(state)
    }

    /// Examines a section that follows the tree; `place` is the index of its finding.
    fn add(&mut self, section: SectionBytes<'a>, place: usize) -> SectionState {
        let slot = [catalog::PLACES, catalog::SUMS, catalog::SINGLES]
            .iter()
            .position(|&id| id == section.id);
        match slot.map(|slot| &mut self.own[slot]) {
            Some(free @ None) if self.tree.is_some() => {
                *free = Some((section, place));
                SectionState::NotChecked(messages::SECTIONS_INCOMPLETE)
            }
            _ => SectionState::NotChecked(messages::NO_TREE_BEFORE),
        }
    }

    /// Ends a thread: its own numbers can be checked now.
    fn finish(&mut self, findings: &mut [Finding]) {
        let ExaminedThread { tree, own } = std::mem::take(self);
        let (Some(tree), [Some(places), Some(sums), Some(singles)]) = (tree, own) else {
            return;
        };
        let all = [places, sums, singles];
        let checked = hotlist::read(
            &tree,
            OwnNumbers {
                places: places.0,
                sums: sums.0,
                singles: singles.0,
            },
        );
        let wrong = checked
            .as_ref()
            .err()
            .and_then(|failure| all.iter().position(|(each, _)| is_about(failure, each)));
        for (which, (_, place)) in all.into_iter().enumerate() {
            let Some(finding) = findings.get_mut(place) else {
                continue;
            };
            finding.state = match &checked {
                Ok(_) => SectionState::Fine("fits the tree".into()),
                Err(failure) if wrong == Some(which) => SectionState::Wrong(failure.clone()),
                Err(_) => SectionState::NotChecked(messages::RELATED_SECTION_WRONG),
            };
        }
    }
}

/// Whether a failure is about this section. Where two sections touch, the id in the failure decides.
fn is_about(failure: &Failure, section: &SectionBytes) -> bool {
    failure.file == section.file && section.damaged(0, "").place == failure.place
}

#[cfg(test)]
mod tests;
