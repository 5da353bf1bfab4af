//! gzip (RFC 1952) in one or several consecutive members.

use super::pieces::{FilePieces, stop_reason};
use crate::diagnostics::{ContainerStop, Diagnostic};
use crate::input::packaging::Packaging;
use crate::input::{Failure, ImportError, Input, messages, plain};
use crate::text::file_name;
use flate2::bufread::GzDecoder;
use std::io::{self, BufRead, ErrorKind, Read};

pub(super) fn open(input: Input) -> Result<Input, ImportError> {
    let name = input.name.clone();
    let outer = input.head().name.to_string();
    let mut decoder = GzDecoder::new(FilePieces::new(input));
    let stored_name = match decoder.header() {
        Some(header) => String::from_utf8_lossy(header.filename().unwrap_or_default()).into_owned(),
        None => return Err(wrong_header(&name, &mut decoder).into()),
    };
    let outer_input = decoder.get_ref().get_ref();
    let packaging = outer_input.packaging.within("gzip".into());
    let (progress, siblings) = (outer_input.progress.clone(), outer_input.siblings.clone());
    let file_name = inner_name(&outer, &stored_name);
    let stream = Gunzip {
        file: name.clone(),
        decoder: Some(decoder),
        packaging: packaging.clone(),
        unpacked: 0,
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

fn wrong_header(name: &str, decoder: &mut GzDecoder<FilePieces<Input>>) -> Failure {
    let position = decoder.get_ref().position;
    let (problem, advice) = match header_problem(decoder) {
        Ok(ContainerStop::EndsEarly) => (messages::ENDS_AT_START, messages::COPY_INCOMPLETE),
        Ok(ContainerStop::IsDamaged) => (messages::NO_GZIP_HEADER, messages::DAMAGED_COPY_AGAIN),
        Err(error) => return Failure::new(name, "", messages::cant_read(&plain(&error))),
    };
    Failure::new(name, "gzip header", problem)
        .at(position)
        .advice(advice)
}

#[allow(
    clippy::unused_io_amount,
    reason = "only the error counts: without a header nothing is read"
)]
fn header_problem(decoder: &mut GzDecoder<FilePieces<Input>>) -> io::Result<ContainerStop> {
    match decoder.read(&mut [0]) {
        Ok(_) => Ok(ContainerStop::IsDamaged),
        Err(error) => stop_reason(error),
    }
}

/// `x.json` for `x.json.gz`, or else the name in the header.
fn inner_name(outer: &str, stored: &str) -> String {
    let end = outer.len().saturating_sub(3);
    match outer.get(end..) {
        Some(extension) if extension.eq_ignore_ascii_case(".gz") && end > 0 => {
            outer[..end].to_string()
        }
        _ if stored.is_empty() => outer.to_string(),
        _ => file_name(stored).to_string(),
    }
}

/// The content of a gzip file. A truncated or damaged one ends where the problem is, with a diagnostic.
struct Gunzip {
    file: String,
    /// of the current member; `None` after the last member or unreadable data
    decoder: Option<GzDecoder<FilePieces<Input>>>,
    packaging: Packaging,
    unpacked: u64,
}

impl Read for Gunzip {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        while let Some(decoder) = &mut self.decoder {
            let read = decoder.read(out);
            let position = decoder.get_ref().position;
            match read {
                Ok(0) => self.next_member()?,
                Ok(count) => {
                    self.unpacked += count as u64;
                    self.packaging.check(&self.file, position, self.unpacked)?;
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    let reason = stop_reason(error)?;
                    // after a checksum mismatch, the decoder is at the end of its member
                    if reason == ContainerStop::IsDamaged && matches!(decoder.read(&mut [0]), Ok(0))
                    {
                        self.packaging.note(Diagnostic::GzipChecksumWrong {});
                        continue;
                    }
                    self.packaging.note(Diagnostic::GzipStopped {
                        reason,
                        offset_bytes: position,
                    });
                    self.decoder = None;
                }
            }
        }
        Ok(0)
    }
}

impl Gunzip {
    fn next_member(&mut self) -> io::Result<()> {
        let Some(decoder) = self.decoder.take() else {
            return Ok(());
        };
        let mut source = decoder.into_inner();
        let offset_bytes = source.position;
        // zeros pad blocks on tapes and disks
        if matches!(source.fill_buf()?.first(), None | Some(0)) {
            return Ok(());
        }
        let mut next = GzDecoder::new(source);
        if next.header().is_some() {
            self.decoder = Some(next);
        } else {
            header_problem(&mut next)?;
            self.packaging
                .note(Diagnostic::GzipTrailingBytes { offset_bytes });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
