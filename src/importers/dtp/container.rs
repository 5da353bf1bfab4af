//! The two containers: a table of sections, in a separate file or after the sections.
//!
//! | | many files | one file |
//! |---|---|---|
//! | header | `MFDTPF`, u32 count | `EE 47 44 54 50 46`, u32 count, u64 offset of the table |
//! | table | count × row, `FF FF` | count × row, `FF FF` |
//! | row | u16 id, u16 version, u64 size, u16 file | u16 id, u16 version, u64 size |
//! | bytes | in file `n`, which is `NAME.dtp.000n`, from 0 | from byte 18 |
//!
//! Sections are stored consecutively, in the order of the table.

use super::bytes::{SectionBytes, SectionResult, number};
use super::catalog::{Need, need};
use super::family::{self, Family, SnapshotFolder};
use super::name::TITLE;
use super::refusals;
use super::warnings::Warnings;
use crate::diagnostics::{SnapshotDiagnostic, UnreadSection};
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::text::file_name;
use crate::units::counted;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes before the table (many files) and before the first section (one file).
const MANY_FILES_HEAD: u64 = 10;
pub(super) const ONE_FILE_HEAD: u64 = 18;
const MANY_FILES_ROW: u64 = 14;
const ONE_FILE_ROW: u64 = 12;
const TABLE_END: [u8; 2] = [0xFF, 0xFF];

pub(super) struct Container {
    pub name: String,
    files: DataFiles,
    rows: Vec<RawRow>,
}

/// The files with sections that were read, by index; 0 for a single file.
pub(super) type DataFiles = BTreeMap<u16, DataFile>;

pub(super) struct DataFile {
    pub name: String,
    pub bytes: Vec<u8>,
    /// The offset of its first section.
    pub first: u64,
}

pub(super) struct TableEntry<'a> {
    pub row: &'a RawRow,
    pub start: u64,
    pub section: Option<SectionBytes<'a>>,
}

/// A file's sections are consecutive, in the order of the table.
pub(super) fn entries<'a>(
    rows: &'a [RawRow],
    files: &'a DataFiles,
) -> impl Iterator<Item = TableEntry<'a>> {
    let mut ends: BTreeMap<u16, u64> = BTreeMap::new();
    rows.iter().map(move |row| {
        let file = files.get(&row.file);
        let end = ends
            .entry(row.file)
            .or_insert(file.map_or(0, |file| file.first));
        let start = *end;
        *end = start.saturating_add(row.size);
        let section = file.and_then(|file| {
            let range = usize::try_from(start).ok()?..usize::try_from(*end).ok()?;
            Some(SectionBytes {
                id: row.id,
                version: row.version,
                file: &file.name,
                start,
                bytes: file.bytes.get(range)?,
            })
        });
        TableEntry {
            row,
            start,
            section,
        }
    })
}

impl Container {
    /// Reads all required files of a snapshot.
    pub(super) fn open(
        input: &mut Input,
        warnings: &mut Warnings,
    ) -> Result<Container, ImportError> {
        match Family::of(input.head().bytes) {
            Family::OneFile => {
                let bytes = input.read_all().map_err(at_input)?;
                Ok(one_file(&input.name, bytes)?)
            }
            Family::ManyFiles => match input.path.clone() {
                Some(path) => {
                    let index = input.read_all().map_err(at_input)?;
                    many_files(input, &path, &index, warnings)
                }
                None => Err(index_without_path(input).into()),
            },
            Family::Timeline => Err(refusals::timeline(&input.name).into()),
            Family::Unknown | Family::None => Err(refusals::not_a_snapshot(input).into()),
        }
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = TableEntry<'_>> {
        entries(&self.rows, &self.files)
    }
}

fn at_input(error: impl Into<ImportError>) -> ImportError {
    error.into().stage(Stage::Input)
}

fn complaint(file: &str, problem: String) -> Failure {
    Failure::new(file, messages::TABLE_OF_SECTIONS, problem)
}

fn cut_off(file: &str, problem: String) -> Box<Failure> {
    let failure = complaint(file, problem).advice(messages::COPY_INCOMPLETE);
    Box::new(failure.stage(Stage::Input))
}

fn contradiction(file: &str, at: u64, problem: String) -> Box<Failure> {
    let failure = complaint(file, problem).at(at);
    let failure = failure.advice(messages::COPY_OR_REPORT).ask_doctor();
    Box::new(failure.stage(Stage::Layout))
}

fn index_without_path(input: &Input) -> Failure {
    let (place, advice) = match input.is_packed() {
        true => (messages::WITHIN_ARCHIVE, messages::UNPACK_WITH_NEIGHBORS),
        false => ("from a stream", messages::OPEN_THE_DTP),
    };
    let problem = messages::numbered_files_missing(&place);
    Failure::new(&input.name, TITLE, problem)
        .advice(advice)
        .stage(Stage::Input)
}

pub(super) struct RawRow {
    pub id: u16,
    pub version: u16,
    pub size: u64,
    pub file: u16,
}

/// A table of sections, as far as it could be read.
pub(super) struct SectionsTable {
    pub rows: Vec<RawRow>,
    /// Its offset; in a single file, this is where the sections end.
    start: u64,
    pub problem: Option<Box<Failure>>,
}

impl SectionsTable {
    pub(super) fn read(name: &str, bytes: &[u8], is_one_file: bool) -> SectionsTable {
        let (head, row_bytes, start) = match is_one_file {
            true => (ONE_FILE_HEAD, ONE_FILE_ROW, number(bytes, 10, 8)),
            false => (MANY_FILES_HEAD, MANY_FILES_ROW, Some(MANY_FILES_HEAD)),
        };
        let (Some(count), Some(start)) = (number(bytes, 6, 4), start) else {
            let problem = messages::shorter_than_head(&bytes.len(), &head);
            return SectionsTable {
                rows: Vec::new(),
                start: 0,
                problem: Some(cut_off(name, problem)),
            };
        };
        let row = |row: u64| {
            let at = usize::try_from(start.checked_add(row * row_bytes)?).ok()?;
            Some(RawRow {
                id: number(bytes, at, 2)? as u16,
                version: number(bytes, at + 2, 2)? as u16,
                size: number(bytes, at + 4, 8)?,
                file: match is_one_file {
                    true => 0,
                    false => number(bytes, at + 12, 2)? as u16,
                },
            })
        };
        SectionsTable {
            rows: (0..count).map_while(row).collect(),
            start,
            problem: check_table(name, bytes, start, count as u32, row_bytes).err(),
        }
    }
}

/// Checks that the table fills `bytes` from `start` to its end.
fn check_table(
    name: &str,
    bytes: &[u8],
    start: u64,
    count: u32,
    row_bytes: u64,
) -> SectionResult<()> {
    let found = bytes.len() as u64;
    let expected = (u64::from(count) * row_bytes + TABLE_END.len() as u64).saturating_add(start);
    if found < expected {
        let problem = messages::too_short_for_table(&found, &count, &expected);
        return Err(cut_off(name, problem));
    }
    if found > expected {
        let extra = counted(found - expected, "byte");
        let problem = messages::bytes_behind_table(&count, &extra);
        return Err(contradiction(name, expected, problem));
    }
    if !bytes.ends_with(&TABLE_END) {
        let tail = bytes.last_chunk::<2>().copied().unwrap_or_default();
        let problem = messages::table_ends_wrong(
            &format_args!("{:02X}", tail[0]),
            &format_args!("{:02X}", tail[1]),
        );
        return Err(contradiction(
            name,
            expected - TABLE_END.len() as u64,
            problem,
        ));
    }
    Ok(())
}

fn one_file(name: &str, bytes: Vec<u8>) -> SectionResult<Container> {
    let table = SectionsTable::read(name, &bytes, true);
    if let Some(problem) = table.problem {
        return Err(problem);
    }
    let sizes = table.rows.iter().map(|row| row.size);
    let end = sizes.fold(ONE_FILE_HEAD, u64::saturating_add);
    if end != table.start {
        let problem = messages::sections_end_elsewhere(&table.start, &end);
        return Err(contradiction(name, 10, problem));
    }
    let file = DataFile {
        name: name.to_string(),
        bytes,
        first: ONE_FILE_HEAD,
    };
    Ok(Container {
        name: name.to_string(),
        files: DataFiles::from([(0, file)]),
        rows: table.rows,
    })
}

/// The numbered files named by the rows, each with the total size of its sections and their highest need.
pub(super) fn wanted(rows: &[RawRow], need: impl Fn(u16) -> Need) -> BTreeMap<u16, (u64, Need)> {
    let mut wanted: BTreeMap<u16, (u64, Need)> = BTreeMap::new();
    for row in rows {
        let need = need(row.id);
        let (size, most) = wanted.entry(row.file).or_insert((0, need));
        *size = size.saturating_add(row.size);
        *most = need.max(*most);
    }
    wanted
}

fn many_files(
    input: &Input,
    path: &Path,
    index: &[u8],
    warnings: &mut Warnings,
) -> Result<Container, ImportError> {
    let name = &input.name;
    let table = SectionsTable::read(name, index, false);
    if let Some(problem) = table.problem {
        return Err(problem.into());
    }
    let folder = SnapshotFolder::of(path);
    let mut files = DataFiles::new();
    for (number, (size, need)) in wanted(&table.rows, need) {
        if need == Need::Unknown {
            continue;
        }
        let path = folder.found_ignoring_case(family::data_file(path, number));
        match read_data_file(&path, size, &input.progress) {
            Ok(file) => drop(files.insert(number, file)),
            Err(ImportError::Failed(failure)) if need < Need::Needed => {
                warnings.add(left_out(&failure, need));
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Container {
        name: name.clone(),
        files,
        rows: table.rows,
    })
}

/// Exports include this warning, so it names no folder.
fn left_out(failure: &Failure, need: Need) -> SnapshotDiagnostic {
    SnapshotDiagnostic::FileUnread {
        file: file_name(&failure.file).to_string(),
        problem: failure.problem.clone(),
        missing: if need == Need::Derived {
            UnreadSection::Sums
        } else {
            UnreadSection::Description
        },
    }
}

fn read_data_file(
    path: &Path,
    expected: u64,
    progress: &Progress,
) -> Result<DataFile, ImportError> {
    let name = path.display().to_string();
    let failure = |problem: String| Failure::new(&name, TITLE, problem).stage(Stage::Input);
    let wrong_size = |found: u64| {
        let problem = messages::other_size_than_in_index(&found, &expected);
        failure(problem).advice(messages::COPY_WHOLE_SNAPSHOT)
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() != expected => return Err(wrong_size(meta.len()).into()),
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let problem = messages::data_file_missing(&expected);
            return Err(failure(problem)
                .advice(messages::COPY_NUMBERED_FILES)
                .into());
        }
        Err(_) => {} // opening it says why
    }
    let mut data = Input::open(path, progress.clone()).map_err(at_input)?;
    let bytes = data.read_all().map_err(at_input)?;
    if bytes.len() as u64 != expected {
        return Err(wrong_size(bytes.len() as u64).into());
    }
    Ok(DataFile {
        name,
        bytes,
        first: 0,
    })
}
