use crate::diagnostics::ContainerStop;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};

/// The bytes unpacked at once: at damaged data, flate2 drops the output of the current piece.
const PIECE_BYTES: usize = 1024;

pub(super) struct FilePieces<R> {
    reader: BufReader<R>,
    pub position: u64,
}

impl<R: Read> FilePieces<R> {
    pub(super) fn new(reader: R) -> FilePieces<R> {
        FilePieces {
            reader: BufReader::with_capacity(1 << 16, reader),
            position: 0,
        }
    }

    pub(super) fn get_ref(&self) -> &R {
        self.reader.get_ref()
    }
}

impl<R: Read> Read for FilePieces<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

impl<R: Read> BufRead for FilePieces<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let buffer = self.reader.fill_buf()?;
        Ok(&buffer[..buffer.len().min(PIECE_BYTES)])
    }

    fn consume(&mut self, count: usize) {
        self.position += count as u64;
        self.reader.consume(count);
    }
}

pub(super) fn stop_reason(error: io::Error) -> io::Result<ContainerStop> {
    match error.kind() {
        ErrorKind::UnexpectedEof => Ok(ContainerStop::EndsEarly),
        ErrorKind::InvalidInput | ErrorKind::InvalidData => Ok(ContainerStop::IsDamaged),
        _ => Err(error),
    }
}
