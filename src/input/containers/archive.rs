//! Chooses and unpacks the profile in a zip archive. Members are read here, so that damaged ones yield what is left of
//! them.

use super::gzip;
use super::pieces::{FilePieces, stop_reason};
use super::{ContainerKind, Ranking};
use crate::diagnostics::{ContainerStop, Diagnostic};
use crate::input::known_files::{known_archive, known_by_name};
use crate::input::packaging::Packaging;
use crate::input::source::SiblingFiles;
use crate::input::{
    Confidence, Failure, ImportError, Input, Progress, known_file, limits, messages, plain,
};
use crate::text::file_name;
use crate::units::{counted, size};
use ::zip::result::ZipError;
use ::zip::{CompressionMethod, ZipArchive};
use flate2::Crc;
use flate2::bufread::DeflateDecoder;
use parking_lot::Mutex;
use std::io::{self, Read, Seek, SeekFrom, Take};
use std::sync::Arc;

const MAX_LISTED: usize = 8;
/// Where macOS stores metadata of the other members.
const MACOS_FOLDER: &str = "__MACOSX/";

/// Adds the member's name to `chosen`, the names chosen in the enclosing archives.
pub(super) fn open(
    input: Input,
    member_name: Option<&String>,
    chosen: &mut Vec<String>,
    ranking: &Ranking<'_>,
) -> Result<Input, ImportError> {
    let archive = Arc::new(Archive::open(input)?);
    let member = match member_name {
        Some(name) => archive.member_named(name)?,
        None => archive.best_member(chosen, ranking)?,
    };
    chosen.push(archive.entries[member].name.clone());
    archive.read(member, Purpose::Profile)
}

trait ReadSeek: Read + Seek + Send {}
impl<T: Read + Seek + Send> ReadSeek for T {}

type Bytes = Arc<Mutex<dyn ReadSeek>>;

struct Cursor {
    bytes: Bytes,
    length: u64,
    at: u64,
    counted: Option<Packaging>,
    watched: Option<Progress>,
}

impl Read for Cursor {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut bytes = self.bytes.lock();
        bytes.seek(SeekFrom::Start(self.at))?;
        let count = bytes.read(out)?;
        drop(bytes);
        self.at += count as u64;
        if let Some(packaging) = &self.counted {
            packaging.add_read(count as u64);
        }
        if let Some(progress) = &self.watched {
            progress.add_bytes(count as u64);
        }
        Ok(count)
    }
}

impl Seek for Cursor {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let to = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::End(distance) => self.length.checked_add_signed(distance),
            SeekFrom::Current(distance) => self.at.checked_add_signed(distance),
        };
        self.at = to.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

struct Entry {
    name: String,
    is_file: bool,
    is_encrypted: bool,
    method: CompressionMethod,
    packed_bytes: u64,
    unpacked_bytes: u64,
    crc32: u32,
}

impl Entry {
    fn file_name(&self) -> &str {
        file_name(&self.name)
    }

    /// With the trailing separator; may be empty.
    fn folder(&self) -> &str {
        &self.name[..self.name.len() - self.file_name().len()]
    }

    fn obstacle(&self) -> Option<String> {
        let method = match self.method {
            _ if self.is_encrypted => return Some("encrypted".into()),
            CompressionMethod::STORE | CompressionMethod::DEFLATE => return None,
            CompressionMethod::DEFLATE64 => "Deflate64",
            CompressionMethod::BZIP2 => "bzip2",
            CompressionMethod::LZMA => "LZMA",
            CompressionMethod::ZSTD => "Zstandard",
            CompressionMethod::XZ => "xz",
            CompressionMethod::PPMD => "PPMd",
            _ => "an unsupported method",
        };
        Some(format!("compressed with {method}"))
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Profile,
    Sibling,
    Sniffing,
}

struct Archive {
    name: String,
    bytes: Bytes,
    is_on_disk: bool,
    length: u64,
    directory: Mutex<ZipArchive<Cursor>>,
    entries: Vec<Entry>,
    progress: Progress,
    packaging: Packaging,
}

impl Archive {
    fn open(mut input: Input) -> Result<Archive, ImportError> {
        let (bytes, is_on_disk, length) = bytes_of(&mut input)?;
        let cursor = Cursor {
            bytes: bytes.clone(),
            length,
            at: 0,
            counted: None,
            watched: None,
        };
        let directory = ZipArchive::new(cursor).map_err(|error| unreadable(&input.name, &error))?;
        let entries = (0..directory.len())
            .filter_map(|index| entry(&directory, index))
            .collect();
        Ok(Archive {
            name: input.name,
            bytes,
            is_on_disk,
            length,
            directory: Mutex::new(directory),
            entries,
            progress: input.progress,
            packaging: input.packaging,
        })
    }

    fn error(&self, problem: impl Into<String>, advice: impl Into<String>) -> ImportError {
        let failure = Failure::new(&self.name, "zip archive", problem);
        failure.advice(advice).into()
    }

    fn files(&self) -> impl Iterator<Item = (usize, &Entry)> {
        let entries = self.entries.iter().enumerate();
        entries.filter(|(_, entry)| entry.is_file && !entry.name.starts_with(MACOS_FOLDER))
    }

    fn member_named(&self, requested: &str) -> Result<usize, ImportError> {
        if let Some((index, _)) = self.files().find(|(_, entry)| entry.name == requested) {
            return Ok(index);
        }
        let ends_with_wanted = |name: &str| {
            let folder = name.strip_suffix(requested);
            folder.is_some_and(|folder| folder.ends_with(['/', '\\']))
        };
        let mut found: Vec<(usize, &Entry)> = self.files().collect();
        found.retain(|(_, entry)| ends_with_wanted(&entry.name));
        let problem = match found.as_slice() {
            [(index, _)] => return Ok(*index),
            [] => {
                found = self.files().collect();
                messages::no_member(&requested)
            }
            several => {
                let members = counted(several.len() as u64, "member");
                messages::several_members(&members, &requested)
            }
        };
        let all = self.list(found.iter().map(|(_, entry)| entry.name.clone()));
        Err(self.error(problem, messages::members_are(&all)))
    }

    fn best_member(
        self: &Arc<Self>,
        chosen: &[String],
        ranking: &Ranking<'_>,
    ) -> Result<usize, ImportError> {
        let files: Vec<usize> = self.files().map(|(index, _)| index).collect();
        match files.as_slice() {
            [] => return Err(self.error("has no files", messages::OPEN_A_PROFILE)),
            // format detection describes a single member better, whatever it is
            [only] => return Ok(*only),
            _ => {}
        }
        let examined = files.iter().take(limits::MAX_MEMBERS_SNIFFED);
        let mut ranks: Vec<(usize, Confidence)> = examined
            .filter_map(|&index| Some((index, self.rank(index, ranking)?)))
            .collect();
        let highest = ranks.iter().map(|(_, rank)| *rank).max();
        ranks.retain(|(_, rank)| Some(*rank) == highest);
        match ranks.as_slice() {
            [(index, _)] => Ok(*index),
            [] => Err(self.no_profile(&files, ranking)),
            several => Err(self.undecided(several, chosen).into()),
        }
    }

    /// The advice has one --member per enclosing archive, outermost first.
    fn undecided(&self, members: &[(usize, Confidence)], chosen: &[String]) -> Failure {
        let entries = members.iter().map(|&(index, _)| &self.entries[index]);
        let names = self.list(entries.map(|entry| entry.name.clone()));
        let outer = chosen
            .iter()
            .map(|name| format!("--member {} ", quoted(name)));
        let outer: String = outer.collect();
        let problem = messages::several_profiles(&counted(members.len() as u64, "member"));
        let failure = Failure::new(&self.name, "zip archive", problem);
        failure.option_advice(messages::choose_member(&outer, &names))
    }

    fn rank(self: &Arc<Self>, index: usize, ranking: &Ranking<'_>) -> Option<Confidence> {
        let mut input = self.read(index, Purpose::Sniffing).ok()?;
        for _ in 0..limits::MAX_LEVELS {
            match ContainerKind::of(input.head().bytes) {
                Some(ContainerKind::Gzip) => input = gzip::open(input).ok()?,
                // it may contain one, but a profile itself is better
                Some(ContainerKind::Zip) => return Some(Confidence::Name),
                None => break,
            }
        }
        (ranking.rank)(&input.head())
    }

    fn no_profile(self: &Arc<Self>, files: &[usize], ranking: &Ranking<'_>) -> ImportError {
        let names = files.iter().map(|&index| &*self.entries[index].name);
        let known = known_by_name(&self.name).or_else(|| known_archive(names));
        let mut advice = known.map(|known| format!("it is {}: {}", known.kind, known.advice));
        let describe = |&index: &usize| {
            let entry = &self.entries[index];
            let description = match (entry.obstacle(), self.read(index, Purpose::Sniffing)) {
                (Some(obstacle), _) => obstacle,
                (None, Ok(input)) => {
                    let file = known_file(input.head().bytes);
                    if advice.is_none() && !file.advice.is_empty() {
                        advice = Some(format!("unpack {}: {}", entry.name, file.advice));
                    }
                    file.kind.to_string()
                }
                (None, Err(_)) => "damaged".into(),
            };
            format!("{} is {description}", entry.name)
        };
        let contents = self.list(files.iter().map(describe));
        let formats = &ranking.formats;
        let mut problem = messages::no_profile(&formats, &contents);
        if files.len() > limits::MAX_MEMBERS_SNIFFED {
            problem += &messages::only_first_examined(&limits::MAX_MEMBERS_SNIFFED);
        }
        let advice = advice.unwrap_or_else(|| messages::SEE_FORMATS.into());
        self.error(problem, advice)
    }

    fn list(&self, items: impl Iterator<Item = String>) -> String {
        let items: Vec<String> = items.collect();
        match items.len().saturating_sub(MAX_LISTED) {
            0 => items.join(", "),
            more => format!("{} and {more} more", items[..MAX_LISTED].join(", ")),
        }
    }

    fn start_of(&self, index: usize) -> Result<u64, ImportError> {
        let mut directory = self.directory.lock();
        let member = directory.by_index_raw(index);
        let member = member.map_err(|error| unreadable(&self.name, &error))?;
        let problem = || messages::member_without_position(&self.entries[index].name);
        member.data_start().ok_or_else(|| self.error(problem(), ""))
    }

    fn read(self: &Arc<Self>, index: usize, purpose: Purpose) -> Result<Input, ImportError> {
        let entry = &self.entries[index];
        if let Some(obstacle) = entry.obstacle() {
            let problem = messages::member_unreadable(&entry.name, &obstacle);
            return Err(self.error(problem, messages::UNPACK_ELSEWHERE));
        }
        let start = self.start_of(index)?;
        let packaging = match purpose {
            Purpose::Profile => self
                .packaging
                .within(messages::zip_archive_member(&entry.name)),
            Purpose::Sibling => self.packaging.within(String::new()),
            Purpose::Sniffing => self.packaging.within(String::new()).detached(),
        };
        let watched =
            (self.is_on_disk && purpose == Purpose::Profile).then(|| self.progress.clone());
        if let Some(progress) = &watched {
            // skipped bytes count as read, or progress would never reach its end
            progress.add_bytes(self.length.saturating_sub(entry.packed_bytes));
        }
        let cursor = Cursor {
            bytes: self.bytes.clone(),
            length: self.length,
            at: start,
            counted: self.is_on_disk.then(|| packaging.clone()),
            watched,
        };
        let bytes = FilePieces::new(cursor.take(entry.packed_bytes));
        let stream = ArchiveMember {
            archive: self.name.clone(),
            name: entry.name.clone(),
            packed: match entry.method {
                CompressionMethod::DEFLATE => {
                    Packed::Deflated(Box::new(DeflateDecoder::new(bytes)))
                }
                _ => Packed::Stored(bytes),
            },
            crc: Crc::new(),
            unpacked: 0,
            expected: (entry.crc32, entry.unpacked_bytes),
            packaging: packaging.clone(),
            is_done: false,
        };
        let siblings = SiblingFiles::Archive(ArchiveFolder {
            archive: Arc::clone(self),
            prefix: entry.folder().to_string(),
        });
        let name = format!("{}, member {}", self.name, entry.name);
        Input::unpacked(
            name,
            entry.file_name().into(),
            Box::new(stream),
            self.progress.clone(),
            siblings,
            packaging,
        )
    }
}

/// Quoted as shells of all systems understand it.
fn quoted(name: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "._-/+=@%,".contains(c);
    match name.chars().all(is_plain) {
        true => name.into(),
        false => format!("\"{name}\""),
    }
}

/// The bytes, whether they are on disk because the input is a seekable file, and their number.
fn bytes_of(input: &mut Input) -> Result<(Bytes, bool, u64), ImportError> {
    if let Some((file, metadata)) = input.reopen() {
        return Ok((Arc::new(Mutex::new(file)), true, metadata.len()));
    }
    let Some(bytes) = input.read_at_most(limits::MAX_ARCHIVE_IN_MEMORY)? else {
        let problem = messages::archive_too_large(&size(limits::MAX_ARCHIVE_IN_MEMORY));
        let failure = Failure::new(&input.name, "zip archive", problem);
        return Err(failure.advice(messages::SAVE_AND_OPEN).into());
    };
    let length = bytes.len() as u64;
    Ok((Arc::new(Mutex::new(io::Cursor::new(bytes))), false, length))
}

fn entry(directory: &ZipArchive<Cursor>, index: usize) -> Option<Entry> {
    let entry = directory.by_index_data(index).ok()?;
    let name = entry.name().map_or_else(
        |_| String::from_utf8_lossy(entry.name_raw()).into_owned(),
        Into::into,
    );
    Some(Entry {
        is_file: entry.is_file(),
        is_encrypted: entry.encrypted(),
        method: entry.compression(),
        packed_bytes: entry.compressed_size(),
        unpacked_bytes: entry.size(),
        crc32: entry.crc32(),
        name,
    })
}

fn unreadable(name: &str, error: &ZipError) -> Failure {
    match error {
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            Failure::new(name, "zip archive", messages::cant_read(&plain(error)))
        }
        other => {
            let problem = messages::no_directory(&other);
            Failure::new(name, "zip archive", problem).advice(messages::COPY_INCOMPLETE_OR_DAMAGED)
        }
    }
}

#[derive(Clone)]
pub(crate) struct ArchiveFolder {
    archive: Arc<Archive>,
    prefix: String,
}

impl ArchiveFolder {
    fn members(&self) -> impl Iterator<Item = (usize, &str)> {
        let files = self.archive.files();
        files.filter_map(|(index, entry)| Some((index, entry.name.strip_prefix(&self.prefix)?)))
    }

    pub(crate) fn find(&self, name: &str) -> Result<Option<Input>, ImportError> {
        let found = self.members().find(|(_, path)| *path == name);
        found
            .map(|(index, _)| self.archive.read(index, Purpose::Sibling))
            .transpose()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        let names = self.members().map(|(_, path)| path);
        names
            .filter(|path| !path.contains(['/', '\\']))
            .map(str::to_string)
            .collect()
    }

    pub(crate) fn has_folder(&self, name: &str) -> bool {
        self.members().any(|(_, path)| {
            let rest = path.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(['/', '\\']))
        })
    }
}

enum Packed {
    Stored(FilePieces<Take<Cursor>>),
    Deflated(Box<DeflateDecoder<FilePieces<Take<Cursor>>>>),
}

/// The content of a member. A truncated or damaged one ends there, with a diagnostic.
struct ArchiveMember {
    archive: String,
    name: String,
    packed: Packed,
    crc: Crc,
    unpacked: u64,
    expected: (u32, u64),
    packaging: Packaging,
    is_done: bool,
}

impl ArchiveMember {
    fn stop(&mut self, reason: ContainerStop) {
        self.is_done = true;
        self.packaging.note(Diagnostic::ZipStopped {
            reason,
            member: self.name.clone(),
            unpacked_bytes: self.unpacked,
        });
    }

    fn check_complete(&mut self) {
        self.is_done = true;
        if matches!(self.packed, Packed::Stored(_)) && self.unpacked < self.expected.1 {
            self.stop(ContainerStop::EndsEarly);
        } else if (self.crc.sum(), self.unpacked) != self.expected {
            self.packaging.note(Diagnostic::ZipChecksumWrong {
                member: self.name.clone(),
            });
        }
    }
}

impl Read for ArchiveMember {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.is_done || out.is_empty() {
            return Ok(0);
        }
        let (read, packed) = match &mut self.packed {
            Packed::Stored(bytes) => (bytes.read(out)?, None),
            Packed::Deflated(decoder) => match decoder.read(out) {
                Ok(count) => (count, Some(decoder.total_in())),
                Err(error) => {
                    let reason = stop_reason(error)?;
                    self.stop(reason);
                    return Ok(0);
                }
            },
        };
        if read == 0 {
            self.check_complete();
            return Ok(0);
        }
        self.unpacked += read as u64;
        self.crc.update(&out[..read]);
        if let Some(packed) = packed {
            self.packaging.check(&self.archive, packed, self.unpacked)?;
        }
        Ok(read)
    }
}
