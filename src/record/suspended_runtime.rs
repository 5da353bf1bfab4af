use super::message::{PortCommand, ProcessInfo, ask};
use super::port::{CONNECT_TIMEOUT, Port};
use super::port_error::PortError;
use super::processes::RunningProcess;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[cfg(unix)]
pub(crate) const VARIABLE: &str = "DOTNET_DiagnosticPorts";
/// Makes a runtime wait at its own port until it is resumed. Source: .NET's documentation of diagnostic ports.
#[cfg(windows)]
pub(crate) const VARIABLE: &str = "DOTNET_DefaultDiagnosticPortSuspend";

/// The launched runtime to record. Dropping this resumes it.
pub(crate) struct SuspendedRuntime {
    pub pid: u64,
    /// Without the whole command line, which it does not know yet.
    pub info: Option<ProcessInfo>,
    pub port: Arc<dyn Port>,
    pub(super) before: Option<String>,
    pub(super) is_resumed: AtomicBool,
}

impl SuspendedRuntime {
    pub(crate) fn process(&self) -> RunningProcess {
        RunningProcess::running(u32::try_from(self.pid).unwrap_or(0), self.info.clone())
    }

    /// Otherwise, programs that it starts would be suspended, too.
    pub(crate) fn restore_environment(&self) -> Result<(), PortError> {
        restore(&*self.port, self.before.as_deref())
    }

    pub(crate) fn resume(&self) -> Result<(), PortError> {
        resume(&*self.port)?;
        self.is_resumed.store(true, Ordering::SeqCst);
        Ok(())
    }
}

impl Drop for SuspendedRuntime {
    fn drop(&mut self) {
        if !self.is_resumed.load(Ordering::SeqCst) {
            let _ = self.restore_environment();
            let _ = self.resume();
        }
    }
}

pub(super) fn restore(port: &dyn Port, value: Option<&str>) -> Result<(), PortError> {
    let name = VARIABLE;
    let command = PortCommand::SetEnvironment { name, value };
    ask(&mut *port.connect()?, &command, CONNECT_TIMEOUT).map(drop)
}

pub(super) fn resume(port: &dyn Port) -> Result<(), PortError> {
    ask(&mut *port.connect()?, &PortCommand::Resume, CONNECT_TIMEOUT).map(drop)
}
