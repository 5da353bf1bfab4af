//! Examines a snapshot file by file and section by section, for `dotspot doctor`.

use super::catalog::{self, KnownSection, Need};
use super::container::{RawRow, SectionsTable, files_by_number};
use super::family::{
    Family, SnapshotFolder, data_file, files_of, index_next_to, resolve_link, sibling,
};
use super::sections::joined;
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, Stage, name_of};
use crate::model::{Recording, View};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Of a table. Real snapshots have four rows per thread and six more.
const MAX_ROWS: usize = 100_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FamilyFile {
    /// Without folders.
    pub name: String,
    pub what: &'static str,
    /// As the index says; `None` for files that it does not list.
    pub expected_bytes: Option<u64>,
    /// `None` if the file is missing.
    pub found_bytes: Option<u64>,
    pub need: Need,
}

impl FamilyFile {
    pub fn is_complete(&self) -> bool {
        let expected = self.expected_bytes.or(self.found_bytes);
        self.found_bytes.is_some() && expected == self.found_bytes
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExaminedSection {
    pub id: u16,
    pub version: u16,
    /// `None` if the section is unknown.
    pub what: Option<&'static str>,
    pub need: Need,
    /// Without folders.
    pub file: String,
    pub start: u64,
    pub size_bytes: u64,
    /// In a word or two.
    pub state: &'static str,
    /// What is wrong; may be empty.
    pub detail: String,
}

#[derive(Debug)]
pub struct Examination {
    pub index: PathBuf,
    pub family: Family,
    /// The index, the files it names, and others next to it.
    pub files: Vec<FamilyFile>,
    pub table_problem: Option<Failure>,
    pub sections: Vec<ExaminedSection>,
    /// Not in the table.
    pub missing: Vec<&'static KnownSection>,
}

/// Examines a snapshot, given its index or a file next to it. Only cancellation fails. Also returns the result of
/// reading all of it.
pub fn examine(
    path: &Path,
    progress: &Progress,
) -> Result<(Examination, Result<View, ImportError>), ImportError> {
    let index = resolve_link(index_next_to(path).unwrap_or_else(|| path.to_path_buf()));
    // bytes read twice must not be counted twice
    let (family, table) = table_of(&index, progress.detached())?;
    let input = Input::open(path, progress.clone()).map_err(|error| error.stage(Stage::Input));
    let whole = input.and_then(|input| super::read(input, &super::ReadOptions::default()));
    if let Err(ImportError::Cancelled) = whole {
        return Err(ImportError::Cancelled);
    }
    let is_known = matches!(family, Family::ManyFiles | Family::OneFile);
    let is_listed = |known: &KnownSection| table.rows.iter().any(|row| row.id == known.id);
    let missing = catalog::KNOWN.iter();
    let missing = missing.filter(|known| is_known && !is_listed(known));
    let (files, parts) = files(&index, family, &table);
    let found = Examination {
        family,
        sections: sections(&table, family, &parts, &whole),
        files,
        missing: missing.collect(),
        table_problem: table.problem.map(|failure| *failure),
        index,
    };
    Ok((found, whole.map(Recording::into_view)))
}

fn table_of(index: &Path, progress: Progress) -> Result<(Family, SectionsTable), ImportError> {
    let mut table = SectionsTable::default();
    let Ok(mut input) = Input::open(index, progress) else {
        return Ok((Family::None, table));
    };
    let family = Family::of(input.head().bytes);
    if family != Family::None {
        match input.read_all() {
            Ok(bytes) => {
                let name = index.display().to_string();
                table = SectionsTable::read(&name, &bytes, family == Family::OneFile);
            }
            Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
            Err(ImportError::Failed(failure)) => table.problem = Some(failure),
        }
    }
    table.rows.truncate(MAX_ROWS);
    if table.problem.is_some() && matches!(family, Family::Timeline | Family::Unknown) {
        // it is unknown whether this family has such a table
        table.rows.clear();
    }
    Ok((family, table))
}

/// Ids may mean something else in other families.
fn need_in(family: Family) -> impl Fn(u16) -> Need {
    move |id| match family {
        Family::ManyFiles | Family::OneFile => catalog::need(id),
        _ => Need::Unknown,
    }
}

/// By number, each with its name and the size of what can be read.
type Parts = BTreeMap<u16, (String, u64)>;

fn files(index: &Path, family: Family, table: &SectionsTable) -> (Vec<FamilyFile>, Parts) {
    let length = |path: &Path| {
        let meta = path.metadata().ok().filter(|meta| !meta.is_dir());
        meta.map(|meta| meta.len())
    };
    let mut files = Vec::new();
    let mut parts = Parts::new();
    let Some(found_bytes) = index.metadata().ok().map(|meta| meta.len()) else {
        return (files, parts);
    };
    files.push(FamilyFile {
        name: name_of(index),
        what: match family {
            Family::OneFile => "the whole snapshot",
            Family::None => "not a snapshot",
            _ => "index",
        },
        expected_bytes: None,
        found_bytes: Some(found_bytes),
        need: Need::Required,
    });
    if family == Family::None {
        return (files, parts);
    }
    let folder = SnapshotFolder::of(index);
    if family == Family::OneFile {
        parts.insert(0, (name_of(index), found_bytes));
    } else {
        for (number, (size, need)) in files_by_number(&table.rows, need_in(family)) {
            let path = folder.find_ignoring_case(data_file(index, number));
            let file = FamilyFile {
                name: name_of(&path),
                what: "sections",
                // after a truncated table, nothing is known about the rest
                expected_bytes: table.problem.is_none().then_some(size),
                found_bytes: length(&path),
                need,
            };
            let readable_bytes = file.found_bytes.filter(|_| file.is_complete());
            parts.insert(number, (file.name.clone(), readable_bytes.unwrap_or(0)));
            files.push(file);
        }
    }
    let others = ["State", "States", "DotSettings"].map(|extension| {
        let path = folder.find_ignoring_case(sibling(index, extension));
        (path, messages::DOTTRACES_WINDOW_NOT_NEEDED)
    });
    let numbered = files_of(index).into_iter().skip(1);
    let numbered = numbered.map(|path| (path, messages::NOT_NAMED_INDEX));
    for (path, what) in numbered.chain(others) {
        let (name, found_bytes) = (name_of(&path), length(&path));
        if found_bytes.is_some() && files.iter().all(|file| file.name != name) {
            files.push(FamilyFile {
                name,
                what,
                expected_bytes: None,
                found_bytes,
                need: Need::Unknown,
            });
        }
    }
    (files, parts)
}

/// Opening the snapshot shows which sections are wrong.
fn sections(
    table: &SectionsTable,
    family: Family,
    parts: &Parts,
    whole: &Result<Recording, ImportError>,
) -> Vec<ExaminedSection> {
    let failure = match whole {
        Err(ImportError::Failed(failure)) => Some(failure),
        _ => None,
    };
    let need = need_in(family);
    let section = |row: &RawRow| {
        let start = row.start;
        let need = need(row.id);
        let known = catalog::known(row.id).filter(|_| need > Need::Unknown);
        let (file, readable_bytes) = parts.get(&row.file).cloned().unwrap_or_default();
        let end = start.saturating_add(row.size);
        let place = messages::place_in_section(&format_args!("{:#06x}", row.id), &row.version);
        // where two sections touch, the place tells them apart
        let failure = failure.filter(|failure| {
            let offset = failure.offset.unwrap_or_default();
            failure.place == place && (start..=end).contains(&offset)
        });
        let (state, detail) = match (known, failure) {
            (None, _) => ("unknown", String::new()),
            (Some(known), _) if !known.has(row.version) => {
                let versions = joined(known.versions);
                let detail = messages::unsupported_version(&row.version, &versions);
                ("unknown version", detail)
            }
            _ if end > readable_bytes => ("not there", messages::FILE_MISSING_TOO_SHORT.into()),
            (_, Some(failure)) => {
                let at = failure.offset.unwrap_or_default();
                let detail = format!("at byte {at} ({at:#x}): {}", failure.problem);
                ("wrong", detail)
            }
            _ if whole.is_ok() && need != Need::Derived => ("fine", String::new()),
            // something else prevents the snapshot from opening
            _ => ("not checked", String::new()),
        };
        ExaminedSection {
            id: row.id,
            version: row.version,
            what: known.map(|known| known.what),
            need,
            file,
            start,
            size_bytes: row.size,
            state,
            detail,
        }
    };
    table.rows.iter().map(section).collect()
}
