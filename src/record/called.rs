//! A runtime that was launched and waits at its start.

use super::message::{PortCommand, ask};
use super::port::Port;
use super::port_error::PortError;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The variable that makes a runtime connect to a port of ours, and wait.
#[cfg(unix)]
pub(crate) const VARIABLE: &str = "DOTNET_DiagnosticPorts";
/// The variable that makes a runtime wait until somebody connects to its own port and resumes it. Source: .NET's documentation of diagnostic ports.
#[cfg(windows)]
pub(crate) const VARIABLE: &str = "DOTNET_DefaultDiagnosticPortSuspend";

/// A launched runtime that waits at startup and is the one to record. Dropping this resumes it, unless it was resumed
/// before.
pub(crate) struct Called {
    /// The number that it has where it lives.
    pub pid: u64,
    /// The name of the assembly with `Main`, if the runtime can say it.
    pub entry: Option<String>,
    /// The version of the runtime, if it can say that.
    pub runtime: Option<String>,
    /// Where it takes commands.
    pub port: Arc<dyn Port>,
    /// What its variable would be without us.
    before: Option<String>,
    is_resumed: AtomicBool,
}

impl Called {
    pub(super) fn new(
        pid: u64,
        entry: Option<String>,
        runtime: Option<String>,
        port: Arc<dyn Port>,
        before: Option<String>,
    ) -> Called {
        Called {
            pid,
            entry,
            runtime,
            port,
            before,
            is_resumed: AtomicBool::new(false),
        }
    }

    /// Gives the process the environment that it would have without us: programs that it starts would wait for us, too.
    ///
    /// # Errors
    /// As [`ask`].
    pub(crate) fn restore_environment(&self) -> Result<(), PortError> {
        restore(&*self.port, self.before.as_deref())
    }

    /// Resumes it.
    ///
    /// # Errors
    /// As [`ask`].
    pub(crate) fn resume(&self) -> Result<(), PortError> {
        resume(&*self.port)?;
        self.is_resumed.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Drop for Called {
    fn drop(&mut self) {
        if !self.is_resumed.load(Ordering::SeqCst) {
            // one that has ended does not mind
            let _ = self.restore_environment();
            let _ = self.resume();
        }
    }
}

pub(super) fn restore(port: &dyn Port, value: Option<&str>) -> Result<(), PortError> {
    let name = VARIABLE;
    ask(
        &mut *port.connect()?,
        &PortCommand::SetEnvironment { name, value },
    )
    .map(drop)
}

pub(super) fn resume(port: &dyn Port) -> Result<(), PortError> {
    ask(&mut *port.connect()?, &PortCommand::Resume).map(drop)
}
