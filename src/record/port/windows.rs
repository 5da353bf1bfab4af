use super::pipe_errors::{is_end, open_with_retries};
use super::{Channel, Port, PortError};
use interprocess::os::windows::named_pipe::{DuplexPipeStream, pipe_mode::Bytes};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::OwnedHandle;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

const RETRY_INTERVAL: Duration = Duration::from_millis(10);
const CHUNK_BYTES: usize = 64 << 10;
const CHUNKS_AHEAD: usize = 4;
/// Whoever serves the pipe may identify us, but not impersonate us.
const SECURITY_IDENTIFICATION: u32 = 0x0001_0000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pipe {
    pub path: PathBuf,
    pub server: u32,
    pub missing_attempts: u32,
}

impl Port for Pipe {
    fn connect(&self) -> Result<Box<dyn Channel>, PortError> {
        let mut options = File::options();
        options.read(true).write(true);
        options.security_qos_flags(SECURITY_IDENTIFICATION);
        let pause = || thread::sleep(RETRY_INTERVAL);
        let open = || options.open(&self.path);
        let file =
            open_with_retries(self.missing_attempts, open, pause).map_err(PortError::from_io)?;
        if server_pid(&file) != Some(self.server) {
            return Err(PortError::WrongListener);
        }
        Ok(Box::new(Connection {
            file,
            receiver: None,
            unread: Vec::new(),
            timeout: None,
        }))
    }
}

fn server_pid(file: &File) -> Option<u32> {
    let handle = OwnedHandle::from(file.try_clone().ok()?);
    let stream = DuplexPipeStream::<Bytes>::try_from(handle).ok()?;
    let pid = stream.server_process_id().ok();
    // dropping the stream itself would wait until all of it is read
    drop(OwnedHandle::try_from(stream));
    pid
}

/// A read from a pipe can't time out and, while pending, blocks writes. So a thread reads, once everything has been sent.
struct Connection {
    file: File,
    receiver: Option<Receiver<io::Result<Vec<u8>>>>,
    unread: Vec<u8>,
    timeout: Option<Duration>,
}

impl Connection {
    fn reader(&self) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
        let (sender, receiver) = sync_channel(CHUNKS_AHEAD);
        let mut file = self.file.try_clone()?;
        let read = move || {
            loop {
                let mut bytes = vec![0; CHUNK_BYTES];
                let read = file.read(&mut bytes).map(|count| {
                    bytes.truncate(count);
                    bytes
                });
                let is_over = read.as_ref().map_or(true, Vec::is_empty);
                if sender.send(read).is_err() || is_over {
                    return;
                }
            }
        };
        thread::Builder::new().name("pipe".into()).spawn(read)?;
        Ok(receiver)
    }

    /// Empty at the end.
    fn next(&mut self) -> io::Result<Vec<u8>> {
        if self.receiver.is_none() {
            self.receiver = Some(self.reader()?);
        }
        let Some(receiver) = &self.receiver else {
            return Ok(Vec::new());
        };
        let read = match self.timeout {
            None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
            Some(timeout) => receiver.recv_timeout(timeout),
        };
        match read {
            Ok(Err(error)) if is_end(&error) => Ok(Vec::new()),
            Ok(read) => read,
            Err(RecvTimeoutError::Timeout) => Err(io::ErrorKind::TimedOut.into()),
            Err(RecvTimeoutError::Disconnected) => Ok(Vec::new()),
        }
    }
}

impl Read for Connection {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.unread.is_empty() {
            self.unread = self.next()?;
        }
        let count = buffer.len().min(self.unread.len());
        buffer[..count].copy_from_slice(&self.unread[..count]);
        self.unread.drain(..count);
        Ok(count)
    }
}

impl Write for Connection {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file
            .write(bytes)
            .map_err(|error| match is_end(&error) {
                true => io::ErrorKind::BrokenPipe.into(),
                false => error,
            })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Channel for Connection {
    fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
        self.timeout = timeout;
        Ok(())
    }
}

#[cfg(test)]
pub(in crate::record) mod tests;
