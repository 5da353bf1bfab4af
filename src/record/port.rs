//! Where runtimes listen, and connections to them.

use super::port_error::PortError;
use std::io::{self, Read, Write};
use std::time::Duration;

/// How long a runtime may take to answer: a single thread serves its port.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) trait Channel: Read + Write + Send {
    /// How long a read may wait from now on; by default forever.
    fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()>;
}

pub(crate) trait Port: Send + Sync {
    fn connect(&self) -> Result<Box<dyn Channel>, PortError>;
}

#[cfg(windows)]
pub(crate) use pipe_errors::MISSING_ATTEMPTS;
#[cfg(unix)]
pub(crate) use unix::Socket;
#[cfg(windows)]
pub(crate) use windows::Pipe;

#[cfg(any(windows, test))]
mod pipe_errors;
#[cfg(windows)]
mod windows;
#[cfg(all(windows, test))]
pub(in crate::record) use windows::tests;

#[cfg(unix)]
mod unix {
    use super::{CONNECT_TIMEOUT, Channel, Port, PortError};
    use std::io;
    use std::os::unix::net::UnixStream;
    use std::path::PathBuf;
    use std::sync::mpsc::channel;
    use std::time::Duration;

    impl Channel for UnixStream {
        fn set_timeout(&mut self, timeout: Option<Duration>) -> io::Result<()> {
            self.set_read_timeout(timeout)?;
            // a peer that does not read would block us, too
            self.set_write_timeout(Some(CONNECT_TIMEOUT))
        }
    }

    #[derive(Clone, Debug, PartialEq, Eq)]
    pub(crate) struct Socket {
        pub path: PathBuf,
        /// Who may listen there besides root, since anybody can create a file with any name. Empty if unknown.
        pub users: Vec<u32>,
    }

    impl Socket {
        /// Anybody may listen here, so only for folders of our own.
        pub(crate) fn at(path: PathBuf) -> Socket {
            Socket {
                path,
                users: Vec::new(),
            }
        }

        fn is_other_user(&self, listener: Option<u32>) -> bool {
            listener.is_some_and(|user| {
                user != 0 && !self.users.is_empty() && !self.users.contains(&user)
            })
        }
    }

    #[cfg(target_os = "linux")]
    fn listener(stream: &UnixStream) -> Option<u32> {
        rustix::net::sockopt::socket_peercred(stream)
            .ok()
            .map(|peer| peer.uid.as_raw())
    }

    #[cfg(not(target_os = "linux"))]
    fn listener(_stream: &UnixStream) -> Option<u32> {
        None
    }

    impl Port for Socket {
        /// A hanging runtime accepts connections until its queue is full, and connecting has no timeout: so a thread
        /// connects, and is abandoned if necessary.
        fn connect(&self) -> Result<Box<dyn Channel>, PortError> {
            let (path, (connected, connection)) = (self.path.clone(), channel());
            let thread = std::thread::Builder::new().name("connect".into());
            let spawned = thread.spawn(move || connected.send(UnixStream::connect(path)));
            spawned.map_err(PortError::from_io)?;
            let stream = connection
                .recv_timeout(CONNECT_TIMEOUT)
                .map_err(|_| PortError::Silent)?;
            let stream = stream.map_err(PortError::from_io)?;
            if self.is_other_user(listener(&stream)) {
                Err(PortError::WrongListener)
            } else {
                Ok(Box::new(stream))
            }
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;
        use std::os::unix::net::UnixListener;

        #[test]
        fn only_the_owner_of_a_process_and_root_may_listen_for_it() {
            let socket = |users: &[u32]| Socket {
                path: "s".into(),
                users: users.to_vec(),
            };
            for (users, listener, expect) in [
                (&[1000][..], Some(1000), false),
                (&[1000, 1001], Some(1001), false),
                (&[1000], Some(0), false),
                (&[1000], Some(1002), true),
                (&[0], Some(1002), true),
                (&[1000], None, false),
                (&[], Some(1002), false),
            ] {
                assert_eq!(
                    socket(users).is_other_user(listener),
                    expect,
                    "{users:?} {listener:?}"
                );
            }
        }

        #[test]
        #[cfg(target_os = "linux")]
        fn the_listening_user_is_known() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("s");
            let _listener = UnixListener::bind(&path).unwrap();
            let stream = UnixStream::connect(&path).unwrap();
            assert_eq!(listener(&stream), Some(rustix::process::geteuid().as_raw()));
        }
    }
}
