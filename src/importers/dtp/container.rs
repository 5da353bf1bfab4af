//! The two containers: a table of sections, in a separate file or after the sections.
//!
//! | | many files | one file |
//! |---|---|---|
//! | head | `MFDTPF`, u32 count | `EE 47 44 54 50 46`, u32 count, u64 offset of the table |
//! | table | count × row, `FF FF` | count × row, `FF FF` |
//! | row | u16 id, u16 version, u64 size, u16 file | u16 id, u16 version, u64 size |
//! | bytes | in file `n`, which is `NAME.dtp.000n`, from 0 on | from byte 18 on |
//!
//! Sections lie one after another, in the order of the table.

use super::bytes::{SectionBytes, SectionResult, number};
use super::catalogue::{Need, need};
use super::family::{self, Magic, SnapshotFolder};
use super::name::TITLE;
use super::refusals;
use super::warnings::{Warnings, file_name};
use crate::diagnostics::{SnapshotDiagnostic, UnreadSection};
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::units::counted;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::ops::Range;
use std::path::Path;

/// The bytes before the table (many files) and before the first section (one file).
pub(super) const MANY_FILES_HEAD: u64 = 10;
pub(super) const ONE_FILE_HEAD: u64 = 18;
/// The bytes of a row of the table.
pub(super) const MANY_FILES_ROW: u64 = 14;
pub(super) const ONE_FILE_ROW: u64 = 12;
/// The most bytes that are read for one section alone, or for its table. Descriptions have some thousand.
const MAX_ALONE_BYTES: u64 = 16 << 20;
const TABLE_END: [u8; 2] = [0xFF, 0xFF];

/// A snapshot's bytes and its table of sections.
pub(super) struct Container {
    /// The name of the file with the table, for messages.
    pub name: String,
    files: Vec<DataFile>,
    rows: Vec<SectionsTableRow>,
}

struct DataFile {
    name: String,
    bytes: Vec<u8>,
}

/// A row of the table of sections.
struct SectionsTableRow {
    id: u16,
    version: u16,
    /// The index of the file in `Container::files` and the bytes in it; `None` where the file was not read.
    place: Option<(usize, Range<usize>)>,
}

/// A row of the table, with the section's bytes if they are there.
pub(super) struct TableEntry<'a> {
    pub id: u16,
    pub version: u16,
    pub section: Option<SectionBytes<'a>>,
}

impl Container {
    /// Reads all files of a snapshot that are of use.
    ///
    /// # Errors
    /// Stage input for files that are missing, cut off or none of dotTrace's, stage layout for a timeline snapshot and
    /// for tables that contradict themselves.
    pub(super) fn open(
        input: &mut Input,
        warnings: &mut Warnings,
    ) -> Result<Container, ImportError> {
        match Magic::of(input.head().bytes) {
            Some(Magic::OneFile) => {
                let bytes = input.read_all().map_err(at_input)?;
                Ok(one_file(&input.name, bytes)?)
            }
            Some(Magic::ManyFiles) => match input.path.clone() {
                Some(path) => {
                    let index = input.read_all().map_err(at_input)?;
                    many_files(input, &path, &index, warnings)
                }
                None => Err(index_without_path(input).into()),
            },
            Some(Magic::Timeline) => Err(refusals::timeline(&input.name).into()),
            None => Err(refusals::not_a_snapshot(input).into()),
        }
    }

    /// The rows of the table in its order.
    pub(super) fn entries(&self) -> impl Iterator<Item = TableEntry<'_>> {
        self.rows.iter().map(|row| {
            let section = row.place.as_ref().and_then(|(file, range)| {
                let file = &self.files[*file];
                let bytes = file.bytes.get(range.clone())?;
                Some(SectionBytes {
                    id: row.id,
                    version: row.version,
                    file: &file.name,
                    start: range.start as u64,
                    bytes,
                })
            });
            TableEntry {
                id: row.id,
                version: row.version,
                section,
            }
        })
    }
}

fn at_input(error: impl Into<ImportError>) -> ImportError {
    error.into().stage(Stage::Input)
}

fn complaint(file: &str, problem: String) -> Failure {
    Failure::new(file, messages::TABLE_OF_SECTIONS, problem)
}

fn cut_off(file: &str, problem: String) -> Box<Failure> {
    Box::new(
        complaint(file, problem)
            .advice(messages::COPY_INCOMPLETE)
            .stage(Stage::Input),
    )
}

fn contradiction(file: &str, at: u64, problem: String) -> Box<Failure> {
    let advice = messages::COPY_OR_REPORT;
    Box::new(
        complaint(file, problem)
            .at(at)
            .advice(advice)
            .ask_doctor()
            .stage(Stage::Layout),
    )
}

fn index_without_path(input: &Input) -> Failure {
    let (place, advice) = match input.is_packed() {
        true => (messages::WITHIN_ARCHIVE, messages::UNPACK_WITH_NEIGHBOURS),
        false => ("from a stream", messages::OPEN_THE_DTP),
    };
    let problem = messages::numbered_files_missing(&place);
    Failure::new(&input.name, TITLE, problem)
        .advice(advice)
        .stage(Stage::Input)
}

/// A raw row of the table.
pub(super) struct RawRow {
    pub id: u16,
    pub version: u16,
    pub size: u64,
    pub file: u16,
}

/// The rows of a table, which is known to lie within `bytes`.
pub(super) fn table(
    bytes: &[u8],
    start: u64,
    count: u32,
    row_bytes: u64,
) -> impl Iterator<Item = RawRow> + '_ {
    (0..u64::from(count)).map_while(move |row| {
        let at = usize::try_from(start + row * row_bytes).ok()?;
        Some(RawRow {
            id: number(bytes, at, 2)? as u16,
            version: number(bytes, at + 2, 2)? as u16,
            size: number(bytes, at + 4, 8)?,
            file: if row_bytes == MANY_FILES_ROW {
                number(bytes, at + 12, 2)? as u16
            } else {
                0
            },
        })
    })
}

/// Checks that the table fills `bytes` from `start` to its end.
pub(super) fn check_table(
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
    let (Some(count), Some(table_start)) = (number(&bytes, 6, 4), number(&bytes, 10, 8)) else {
        return Err(cut_off(
            name,
            messages::shorter_than_head(&bytes.len(), &ONE_FILE_HEAD),
        ));
    };
    check_table(name, &bytes, table_start, count as u32, ONE_FILE_ROW)?;
    let mut rows = Vec::new();
    let mut end = ONE_FILE_HEAD;
    for row in table(&bytes, table_start, count as u32, ONE_FILE_ROW) {
        let start = end;
        end = end.saturating_add(row.size);
        // a row that lies beyond the file is caught by the sum below
        let range = start.min(bytes.len() as u64) as usize..end.min(bytes.len() as u64) as usize;
        rows.push(SectionsTableRow {
            id: row.id,
            version: row.version,
            place: Some((0, range)),
        });
    }
    if end != table_start {
        let problem = messages::sections_end_elsewhere(&table_start, &end);
        return Err(contradiction(name, 10, problem));
    }
    let file = DataFile {
        name: name.to_string(),
        bytes,
    };
    Ok(Container {
        name: name.to_string(),
        files: vec![file],
        rows,
    })
}

/// The version and bytes of the first section with this id, read on its own. `None` if there is no complete one.
pub(super) fn read_alone(index: &Path, id: u16) -> Option<(u16, Vec<u8>)> {
    let mut head = Vec::new();
    File::open(index)
        .ok()?
        .take(ONE_FILE_HEAD)
        .read_to_end(&mut head)
        .ok()?;
    let count = number(&head, 6, 4)? as u32;
    let (table_start, row_bytes, first) = match Magic::of(&head)? {
        Magic::ManyFiles => (MANY_FILES_HEAD, MANY_FILES_ROW, 0),
        Magic::OneFile => (number(&head, 10, 8)?, ONE_FILE_ROW, ONE_FILE_HEAD),
        Magic::Timeline => return None,
    };
    let rows = part_of(
        index,
        table_start,
        u64::from(count) * row_bytes + TABLE_END.len() as u64,
    )?;
    let mut ends: BTreeMap<u16, u64> = BTreeMap::new();
    for row in table(&rows, 0, count, row_bytes) {
        let end = ends.entry(row.file).or_insert(first);
        let start = *end;
        *end = start.checked_add(row.size)?;
        if row.id == id {
            let many_files = || {
                SnapshotFolder::of(index).found_ignoring_case(family::data_file(index, row.file))
            };
            let file = if row_bytes == ONE_FILE_ROW {
                index.to_path_buf()
            } else {
                many_files()
            };
            return Some((row.version, part_of(&file, start, row.size)?));
        }
    }
    None
}

/// So many bytes of a file, if it has them.
fn part_of(path: &Path, start: u64, size: u64) -> Option<Vec<u8>> {
    let mut file = File::open(path).ok().filter(|_| size <= MAX_ALONE_BYTES)?;
    file.seek(SeekFrom::Start(start)).ok()?;
    let mut bytes = Vec::new();
    file.take(size).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 == size).then_some(bytes)
}

/// The entry of the index for one of the numbered files.
struct Wanted {
    /// The sizes of its sections, added up.
    size: u64,
    /// What the most needed of its sections is.
    need: Need,
    /// Its index in `Container::files` once it is read.
    read: Option<usize>,
}

fn many_files(
    input: &Input,
    path: &Path,
    index: &[u8],
    warnings: &mut Warnings,
) -> Result<Container, ImportError> {
    let name = &input.name;
    let Some(count) = number(index, 6, 4) else {
        return Err(cut_off(
            name,
            messages::index_shorter_than_head(&index.len(), &MANY_FILES_HEAD),
        )
        .into());
    };
    check_table(name, index, MANY_FILES_HEAD, count as u32, MANY_FILES_ROW)?;
    let mut wanted: BTreeMap<u16, Wanted> = BTreeMap::new();
    for row in table(index, MANY_FILES_HEAD, count as u32, MANY_FILES_ROW) {
        let need = need(row.id);
        let file = wanted.entry(row.file).or_insert(Wanted {
            size: 0,
            need,
            read: None,
        });
        file.size = file.size.saturating_add(row.size);
        file.need = file.need.max(need);
    }
    let folder = SnapshotFolder::of(path);
    let read = |number: u16, size: u64| {
        let path = folder.found_ignoring_case(family::data_file(path, number));
        read_data_file(&path, size, &input.progress)
    };
    let mut files = Vec::new();
    for (&number, file) in &mut wanted {
        let read = match file.need {
            Need::Needed => Some(read(number, file.size)?),
            Need::Derived | Need::Extra => match read(number, file.size) {
                Ok(read) => Some(read),
                Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
                Err(ImportError::Failed(failure)) => {
                    warnings.add(left_out(&failure, file.need));
                    None
                }
            },
            Need::Unknown => None,
        };
        file.read = read.map(|read| {
            files.push(read);
            files.len() - 1
        });
    }
    let rows = placed(
        table(index, MANY_FILES_HEAD, count as u32, MANY_FILES_ROW),
        &wanted,
    );
    Ok(Container {
        name: name.clone(),
        files,
        rows,
    })
}

/// The rows with their places: a file's sections lie one after another.
fn placed(
    rows: impl Iterator<Item = RawRow>,
    wanted: &BTreeMap<u16, Wanted>,
) -> Vec<SectionsTableRow> {
    let mut ends: BTreeMap<u16, usize> = BTreeMap::new();
    rows.map(|row| {
        let place = wanted
            .get(&row.file)
            .and_then(|file| file.read)
            .map(|file| {
                let end = ends.entry(row.file).or_default();
                let start = *end;
                // the sizes add up to the length of a file that is in memory
                *end = start.saturating_add(row.size as usize);
                (file, start..*end)
            });
        SectionsTableRow {
            id: row.id,
            version: row.version,
            place,
        }
    })
    .collect()
}

/// The warning about a file that is not needed. It goes out with exports, so no folder is named.
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
    Ok(DataFile { name, bytes })
}
