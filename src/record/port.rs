//! Ports: where a runtime listens, and connections to it.

use super::trouble::Trouble;
use std::io::{self, Read, Write};
use std::time::Duration;

/// How long a runtime may take to answer what it answers at once. One thread serves its port.
pub(crate) const PATIENCE: Duration = Duration::from_secs(5);

/// A connection to a runtime.
pub(crate) trait Channel: Read + Write + Send {
    /// How long a read may wait from now on; for ever if that is not said.
    ///
    /// # Errors
    /// If the system does not let us.
    fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()>;
}

/// A place where a runtime takes connections, each for one command.
pub(crate) trait Port: Send + Sync {
    /// Connects.
    ///
    /// # Errors
    /// Nobody listens there, or not to us.
    fn connect(&self) -> Result<Box<dyn Channel>, Trouble>;
}

#[cfg(unix)]
pub(crate) use unix::Socket;

#[cfg(unix)]
mod unix {
    use super::{Channel, PATIENCE, Port, Trouble};
    use std::io;
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    impl Channel for UnixStream {
        fn set_timeout(&self, timeout: Option<Duration>) -> io::Result<()> {
            self.set_read_timeout(timeout)?;
            // whoever does not read lets us wait, too
            self.set_write_timeout(Some(PATIENCE))
        }
    }

    /// A socket in the file system.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Socket(pub PathBuf);

    impl Port for Socket {
        /// A runtime that hangs takes connections until its queue is full, and the system has no limit of time for that. So a
        /// thread of its own connects, and is left behind if it must be.
        fn connect(&self) -> Result<Box<dyn Channel>, Trouble> {
            let (path, (connected, connection)) = (self.0.clone(), channel());
            let thread = std::thread::Builder::new().name("connect".into());
            let spawned = thread.spawn(move || connected.send(UnixStream::connect(path)));
            spawned.map_err(Trouble::of_io)?;
            let stream = connection.recv_timeout(PATIENCE).map_err(|_| Trouble::Silent)?;
            Ok(Box::new(stream.map_err(Trouble::of_io)?))
        }
    }
}
