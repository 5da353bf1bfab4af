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

use super::bytes::{SectionBytes, SectionResult, TITLE, number};
use super::catalog::{Need, need};
use super::family::{self, Family, SnapshotFolder};
use super::warnings::Warnings;
use crate::diagnostics::Diagnostic;
use crate::importers::messages;
use crate::input::{Failure, ImportError, Input, Progress, Stage, known_file};
use crate::text::file_name;
use crate::units::counted;
use std::collections::BTreeMap;
use std::path::Path;

/// Bytes before the table (many files) and before the first section (one file).
const MANY_FILES_HEAD: u64 = 10;
const ONE_FILE_HEAD: u64 = 18;
const MANY_FILES_ROW: u64 = 14;
const ONE_FILE_ROW: u64 = 12;
const TABLE_END: [u8; 2] = [0xFF, 0xFF];

pub(super) struct Container {
    /// Of the file with the table, for messages.
    pub name: String,
    /// The files with sections that were read, by number; 0 for a single file.
    files: BTreeMap<u16, (String, Vec<u8>)>,
    rows: Vec<RawRow>,
}

impl Container {
    pub(super) fn open(
        input: &mut Input,
        warnings: &mut Warnings,
    ) -> Result<Container, ImportError> {
        let failure = |problem: &str| Failure::new(&input.name, TITLE, problem);
        let family = Family::of(input.head().bytes);
        let is_timeline = || input.path.as_deref().is_some_and(family::is_timeline);
        match family {
            Family::OneFile => {
                let bytes = input.read_all().map_err(as_input_error)?;
                Ok(one_file(&input.name, bytes)?)
            }
            Family::ManyFiles => match input.path.clone() {
                Some(path) => {
                    let index = input.read_all().map_err(as_input_error)?;
                    many_files(input, &path, &index, warnings)
                }
                None => Err(index_without_path(input).into()),
            },
            _ if family == Family::Timeline || is_timeline() => {
                let failure = failure(messages::TIMELINE_SNAPSHOT).stage(Stage::Layout);
                Err(failure.advice(messages::RECORD_SAMPLING_OR_TRACING).into())
            }
            Family::Unknown => {
                let failure = failure(messages::UNKNOWN_FAMILY).suggest_doctor();
                Err(failure.stage(Stage::Layout).into())
            }
            _ => {
                let found = known_file(input.head().bytes).kind;
                let failure = failure(&messages::not_a_snapshot(&found)).stage(Stage::Input);
                Err(failure.advice(messages::OPEN_DTP_OF_DOTTRACE).into())
            }
        }
    }

    /// In table order, each with its section if that is there.
    pub(super) fn sections(&self) -> impl Iterator<Item = (&RawRow, Option<SectionBytes<'_>>)> {
        self.rows.iter().map(|row| {
            let section = self.files.get(&row.file).and_then(|(name, bytes)| {
                let end = row.start.checked_add(row.size)?;
                let range = usize::try_from(row.start).ok()?..usize::try_from(end).ok()?;
                Some(SectionBytes {
                    id: row.id,
                    version: row.version,
                    file: name,
                    start: row.start,
                    bytes: bytes.get(range)?,
                })
            });
            (row, section)
        })
    }
}

fn as_input_error(error: impl Into<ImportError>) -> ImportError {
    error.into().stage(Stage::Input)
}

fn cut_off(file: &str, problem: String) -> Box<Failure> {
    let failure = Failure::new(file, messages::TABLE_OF_SECTIONS, problem);
    Box::new(
        failure
            .advice(messages::COPY_INCOMPLETE)
            .stage(Stage::Input),
    )
}

fn contradiction(file: &str, at: u64, problem: String) -> Box<Failure> {
    let failure = Failure::new(file, messages::TABLE_OF_SECTIONS, problem).at(at);
    let failure = failure.advice(messages::COPY_OR_REPORT).suggest_doctor();
    Box::new(failure.stage(Stage::Layout))
}

fn index_without_path(input: &Input) -> Failure {
    let (place, advice) = match input.packaging.is_packed() {
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
    pub start: u64,
}

#[derive(Default)]
pub(super) struct SectionsTable {
    pub rows: Vec<RawRow>,
    /// In a single file, the sections end here.
    start: u64,
    pub problem: Option<Box<Failure>>,
}

impl SectionsTable {
    pub(super) fn read(name: &str, bytes: &[u8], is_one_file: bool) -> SectionsTable {
        let (head, row_bytes, start, first) = match is_one_file {
            true => (
                ONE_FILE_HEAD,
                ONE_FILE_ROW,
                number(bytes, 10, 8),
                ONE_FILE_HEAD,
            ),
            false => (MANY_FILES_HEAD, MANY_FILES_ROW, Some(MANY_FILES_HEAD), 0),
        };
        let (Some(count), Some(start)) = (number(bytes, 6, 4), start) else {
            let problem = messages::shorter_than_head(&bytes.len(), &head);
            return SectionsTable {
                problem: Some(cut_off(name, problem)),
                ..SectionsTable::default()
            };
        };
        // sections are consecutive in each file
        let mut ends: BTreeMap<u16, u64> = BTreeMap::new();
        let row = |row: u64| {
            let at = usize::try_from(start.checked_add(row * row_bytes)?).ok()?;
            let size = number(bytes, at + 4, 8)?;
            let file = match is_one_file {
                true => 0,
                false => number(bytes, at + 12, 2)? as u16,
            };
            let end = ends.entry(file).or_insert(first);
            let start = std::mem::replace(end, end.saturating_add(size));
            Some(RawRow {
                id: number(bytes, at, 2)? as u16,
                version: number(bytes, at + 2, 2)? as u16,
                size,
                file,
                start,
            })
        };
        SectionsTable {
            rows: (0..count).map_while(row).collect(),
            start,
            problem: check_table(name, bytes, start, count as u32, row_bytes).err(),
        }
    }
}

/// The table must fill `bytes` from `start` to its end.
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
        let [a, b] = bytes.last_chunk::<2>().copied().unwrap_or_default();
        let problem =
            messages::table_ends_wrong(&format_args!("{a:02X}"), &format_args!("{b:02X}"));
        let at = expected - TABLE_END.len() as u64;
        return Err(contradiction(name, at, problem));
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
    Ok(Container {
        name: name.to_string(),
        files: BTreeMap::from([(0, (name.to_string(), bytes))]),
        rows: table.rows,
    })
}

/// The files that the rows name, each with the total size of its sections and their highest need.
pub(super) fn files_by_number(
    rows: &[RawRow],
    need: impl Fn(u16) -> Need,
) -> BTreeMap<u16, (u64, Need)> {
    let mut files: BTreeMap<u16, (u64, Need)> = BTreeMap::new();
    for row in rows {
        let need = need(row.id);
        let (size, highest) = files.entry(row.file).or_insert((0, need));
        *size = size.saturating_add(row.size);
        *highest = need.max(*highest);
    }
    files
}

fn many_files(
    input: &Input,
    path: &Path,
    index: &[u8],
    warnings: &mut Warnings,
) -> Result<Container, ImportError> {
    let name = input.name.clone();
    let table = SectionsTable::read(&name, index, false);
    if let Some(problem) = table.problem {
        return Err(problem.into());
    }
    let folder = SnapshotFolder::of(path);
    let mut files = BTreeMap::new();
    for (number, (size, need)) in files_by_number(&table.rows, need) {
        if need <= Need::Derived {
            continue;
        }
        let path = folder.find_ignoring_case(family::data_file(path, number));
        match read_data_file(&path, size, &input.progress) {
            Ok(bytes) => drop(files.insert(number, (path.display().to_string(), bytes))),
            Err(ImportError::Failed(failure)) if need < Need::Required => {
                // exports include this warning: it names no folder
                warnings.add(Diagnostic::FileUnread {
                    file: file_name(&failure.file).to_string(),
                    problem: failure.problem,
                });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Container {
        name,
        files,
        rows: table.rows,
    })
}

fn read_data_file(path: &Path, expected: u64, progress: &Progress) -> Result<Vec<u8>, ImportError> {
    let failure = |problem: String| {
        Failure::new(path.display().to_string(), TITLE, problem).stage(Stage::Input)
    };
    let wrong_size = |found: u64| {
        let problem = messages::other_size_than_in_index(&found, &expected);
        failure(problem).advice(messages::COPY_WHOLE_SNAPSHOT)
    };
    match std::fs::metadata(path) {
        Ok(meta) if meta.len() != expected => return Err(wrong_size(meta.len()).into()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let failure = failure(messages::data_file_missing(&expected));
            return Err(failure.advice(messages::COPY_NUMBERED_FILES).into());
        }
        // opening it reports the reason
        _ => {}
    }
    let mut data = Input::open(path, progress.clone()).map_err(as_input_error)?;
    let bytes = data.read_all().map_err(as_input_error)?;
    if bytes.len() as u64 != expected {
        return Err(wrong_size(bytes.len() as u64).into());
    }
    Ok(bytes)
}
