//! Runtimes that are suspended at startup and wait at their own ports to be resumed, as on Windows.

use super::message::identify;
use super::port::{CONNECT_TIMEOUT, Port};
use super::port_error::PortError;
use super::suspended_runtime::{SuspendedRuntime, resume};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::Sender;

pub(super) enum FoundRuntime {
    Waiting(SuspendedRuntime),
    Running(u32),
}

/// Resumes suspended runtimes, except the first that is not the SDK's: that one is recorded.
pub(super) struct RuntimeResumer {
    handled: HashSet<(u32, u64)>,
    recorder: Option<Sender<FoundRuntime>>,
    before: Option<String>,
}

impl RuntimeResumer {
    pub(super) fn new(
        recorder: Option<Sender<FoundRuntime>>,
        before: Option<String>,
    ) -> RuntimeResumer {
        RuntimeResumer {
            handled: HashSet::new(),
            recorder,
            before,
        }
    }

    /// Whether the runtime to record was found, or nothing is recorded.
    #[cfg(windows)]
    pub(super) fn has_found(&self) -> bool {
        self.recorder.is_none()
    }

    pub(super) fn check(&mut self, running: &[(u32, u64)], port_of: impl Fn(u32) -> Arc<dyn Port>) {
        self.handled.retain(|process| running.contains(process));
        for &process in running {
            if !self.handled.contains(&process) && self.handle(process.0, port_of(process.0)) {
                self.handled.insert(process);
            }
        }
    }

    /// Returns whether the process need not be checked again.
    fn handle(&mut self, pid: u32, port: Arc<dyn Port>) -> bool {
        let info = match identify(&*port, CONNECT_TIMEOUT) {
            // not a runtime, or not listening yet
            Err(PortError::Gone | PortError::HungUp | PortError::Silent) => return false,
            Err(_) => return true,
            Ok(info) => info,
        };
        let Some(info) = info else {
            self.report(FoundRuntime::Running(pid));
            return true;
        };
        // the program that the SDK starts is the one to record
        if info.is_sdk() {
            return resume(&*port).is_ok();
        }
        self.report(FoundRuntime::Waiting(SuspendedRuntime {
            pid: pid.into(),
            info: Some(info),
            port,
            before: self.before.clone(),
            is_resumed: AtomicBool::new(false),
        }));
        true
    }

    fn report(&mut self, found: FoundRuntime) {
        if let Some(recorder) = self.recorder.take() {
            let _ = recorder.send(found);
        }
    }
}

#[cfg(test)]
mod tests;
