//! gzip (RFC 1952): one file, in one part or several behind each other.

use super::inflate::{Inflate, Trouble};
use super::kind::GZIP_MAGIC;
use crate::input::packaging::Packaging;
use crate::input::{Failure, ImportError, Input, plain};
use crate::model::diagnostics::{ContainerDiagnostic, Stop};
use std::io::{self, BufRead, BufReader, Read};

/// The only method that there is.
const DEFLATE: u8 = 8;
/// The bits of the fourth byte that say what the header has.
const HAS_HEADER_CHECKSUM: u8 = 1 << 1;
const HAS_EXTRA: u8 = 1 << 2;
const HAS_NAME: u8 = 1 << 3;
const HAS_COMMENT: u8 = 1 << 4;
/// How much of a name in the header is kept. There is no limit for its length in the file.
const LONGEST_NAME: usize = 1000;

/// The file in a gzip file.
///
/// # Errors
/// A header that can't be read, or the system's reason.
pub(super) fn open(input: Input) -> Result<Input, ImportError> {
    let name = input.name.clone();
    let outer = input.head().name.to_string();
    let mut source = Source {
        reader: BufReader::with_capacity(1 << 16, input),
        position: 0,
    };
    let stored_name = match header(&mut source) {
        Ok(Some(stored_name)) => stored_name,
        Ok(None) => {
            let failure = Failure::new(&name, "gzip header", "breaks off within the first bytes");
            return Err(failure
                .at(source.position)
                .advice("copy it again: this copy is incomplete")
                .into());
        }
        Err(HeaderTrouble::Wrong(problem)) => {
            let failure = Failure::new(&name, "gzip header", problem);
            return Err(failure
                .at(source.position)
                .advice("the file is damaged: copy it again")
                .into());
        }
        Err(HeaderTrouble::Io(error)) => {
            return Err(
                Failure::new(&name, "", format!("can't be read: {}", plain(&error))).into(),
            );
        }
    };
    let outer_input = source.reader.get_ref();
    let packaging = outer_input.packaging.within("gzip".into());
    let (progress, siblings) = (outer_input.progress.clone(), outer_input.siblings.clone());
    let file_name = inner_name(&outer, &stored_name);
    let stream = Gunzip {
        file: name.clone(),
        source,
        packaging: packaging.clone(),
        unpacked: 0,
        state: State::Body(Inflate::new()),
    };
    Input::unpacked(
        format!("{name}, unpacked"),
        file_name,
        Box::new(stream),
        progress,
        siblings,
        packaging,
    )
}

/// What the file in `outer` is called: `x.json` in `x.json.gz`, else what the header says.
fn inner_name(outer: &str, stored: &str) -> String {
    let end = outer.len().saturating_sub(3);
    match outer.get(end..) {
        Some(extension) if extension.eq_ignore_ascii_case(".gz") && end > 0 => {
            outer[..end].to_string()
        }
        _ if stored.is_empty() => outer.to_string(),
        _ => stored
            .rsplit(['/', '\\'])
            .next()
            .unwrap_or_default()
            .to_string(),
    }
}

/// The packed bytes, which know where they are in the file.
struct Source {
    reader: BufReader<Input>,
    position: u64,
}

impl Read for Source {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.reader.read(out)?;
        self.position += count as u64;
        Ok(count)
    }
}

impl BufRead for Source {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        self.reader.fill_buf()
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        self.reader.consume(count);
    }
}

impl Source {
    /// The next `N` bytes; `None` if the file ends before.
    fn array<const N: usize>(&mut self) -> io::Result<Option<[u8; N]>> {
        let mut array = [0; N];
        match self.read_exact(&mut array) {
            Ok(()) => Ok(Some(array)),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Passes over `count` bytes; whether they were there.
    fn skip(&mut self, count: u64) -> io::Result<bool> {
        Ok(io::copy(&mut self.by_ref().take(count), &mut io::sink())? == count)
    }

    /// The text up to a zero, of which the first [`LONGEST_NAME`] characters are kept; `None` if the file ends before.
    fn text(&mut self) -> io::Result<Option<String>> {
        // bytes are Latin-1, which are the first characters of Unicode
        let mut text = String::new();
        loop {
            match self.array::<1>()? {
                None => return Ok(None),
                Some([0]) => return Ok(Some(text)),
                Some([byte]) if text.len() < LONGEST_NAME => text.push(char::from(byte)),
                Some(_) => {}
            }
        }
    }
}

enum HeaderTrouble {
    Wrong(String),
    Io(io::Error),
}

impl From<io::Error> for HeaderTrouble {
    fn from(error: io::Error) -> Self {
        HeaderTrouble::Io(error)
    }
}

/// Reads the header of a part: the name in it, which may be empty; `None` if the file ends before.
fn header(source: &mut Source) -> Result<Option<String>, HeaderTrouble> {
    let Some([a, b, method, flags, ..]) = source.array::<10>()? else {
        return Ok(None);
    };
    if [a, b] != GZIP_MAGIC {
        return Err(HeaderTrouble::Wrong(format!(
            "expected the bytes 1F 8B, found {a:02X} {b:02X}"
        )));
    }
    if method != DEFLATE {
        return Err(HeaderTrouble::Wrong(format!(
            "expected compression method 8 (deflate), found {method}"
        )));
    }
    if flags & HAS_EXTRA != 0 {
        let Some(length) = source.array::<2>()? else {
            return Ok(None);
        };
        if !source.skip(u16::from_le_bytes(length).into())? {
            return Ok(None);
        }
    }
    let name = match flags & HAS_NAME {
        0 => String::new(),
        _ => match source.text()? {
            Some(name) => name,
            None => return Ok(None),
        },
    };
    if flags & HAS_COMMENT != 0 && source.text()?.is_none() {
        return Ok(None);
    }
    if flags & HAS_HEADER_CHECKSUM != 0 && !source.skip(2)? {
        return Ok(None);
    }
    Ok(Some(name))
}

/// Where the reader is.
enum State {
    /// In the packed bytes of a part.
    Body(Inflate),
    /// Behind the last part, or where it can't be read on.
    End,
}

/// What is in the parts of a gzip file. Where it breaks off or is damaged it ends, and a note says so.
struct Gunzip {
    file: String,
    source: Source,
    packaging: Packaging,
    unpacked: u64,
    state: State,
}

impl Read for Gunzip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while let State::Body(inflate) = &mut self.state {
            match inflate.read(&mut self.source, out) {
                Ok(0) => {
                    let (sum, length) = (inflate.sum(), inflate.unpacked() as u32);
                    self.state = self.next_part(sum, length)?;
                }
                Ok(count) => {
                    self.unpacked += count as u64;
                    self.packaging
                        .check(&self.file, self.source.position, self.unpacked)?;
                    return Ok(count);
                }
                Err(Trouble::Io(error)) => return Err(error),
                Err(Trouble::Cut) => self.stop(Stop::BreaksOff),
                Err(Trouble::Damaged) => self.stop(Stop::IsDamaged),
            }
        }
        Ok(0)
    }
}

impl Gunzip {
    fn stop(&mut self, reason: Stop) {
        self.packaging.note(ContainerDiagnostic::GzipStopped {
            reason,
            offset_bytes: self.source.position,
        });
        self.state = State::End;
    }

    /// Goes on behind the packed bytes of a part: its checksum and length, and the next part if there is one.
    fn next_part(&mut self, sum: u32, length: u32) -> io::Result<State> {
        let Some([a, b, c, d, rest @ ..]) = self.source.array::<8>()? else {
            self.packaging
                .note(ContainerDiagnostic::GzipChecksumMissing {});
            return Ok(State::End);
        };
        if u32::from_le_bytes([a, b, c, d]) != sum || u32::from_le_bytes(rest) != length {
            self.packaging
                .note(ContainerDiagnostic::GzipChecksumWrong {});
        }
        let behind = self.source.position;
        let next = self.source.fill_buf()?.first().copied();
        // zeros fill blocks of tapes and of disks
        if matches!(next, None | Some(0)) {
            return Ok(State::End);
        }
        match header(&mut self.source) {
            Ok(Some(_)) => Ok(State::Body(Inflate::new())),
            Ok(None) | Err(HeaderTrouble::Wrong(_)) => {
                self.packaging.note(ContainerDiagnostic::GzipTrailingBytes {
                    offset_bytes: behind,
                });
                Ok(State::End)
            }
            Err(HeaderTrouble::Io(error)) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::inner_name;

    #[test]
    fn the_inner_name_is_the_outer_one_without_gz() {
        let check =
            |outer: &str, stored: &str, expect: &str| assert_eq!(inner_name(outer, stored), expect);
        check("x.speedscope.json.gz", "", "x.speedscope.json");
        check("x.json.GZ", "y.json", "x.json");
        check("profile", "a/b/y.json", "y.json");
        check("profile", r"c:\b\y.json", "y.json");
        check("profile.pb", "", "profile.pb");
        check("", "", "");
        check(".gz", "", ".gz");
        check("é", "", "é");
    }
}
