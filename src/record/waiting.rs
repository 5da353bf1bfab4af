//! Runtimes that are suspended at startup and wait at their own ports to be resumed, as on Windows.

use super::message::{identify, is_sdk};
use super::port::{PATIENCE, Port};
use super::port_error::PortError;
use super::suspended_runtime::{SuspendedRuntime, resume};
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The runtime that is to be recorded.
pub(super) enum FoundRuntime {
    /// It is suspended at startup.
    Waiting(SuspendedRuntime),
    /// It is already running, because its version can't be suspended.
    Running(u32),
}

/// Resumes suspended runtimes, except the first that is not the SDK's: that one is recorded.
pub(super) struct RuntimeResumer {
    /// The processes already handled, by id and start time.
    handled: HashSet<(u32, u64)>,
    /// Receives the runtime to record; `None` once it was found.
    recorder: Option<Sender<FoundRuntime>>,
    /// The variable's value before we changed it.
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

    /// Whether the runtime to record was found, or none is wanted.
    #[cfg(windows)]
    pub(super) fn has_found(&self) -> bool {
        self.recorder.is_none()
    }

    /// Handles the processes that have begun to listen since the last check.
    pub(super) fn check(&mut self, living: &[(u32, u64)], port_of: impl Fn(u32) -> Arc<dyn Port>) {
        self.handled.retain(|process| living.contains(process));
        for &process in living {
            if !self.handled.contains(&process) && self.handle(process.0, port_of(process.0)) {
                self.handled.insert(process);
            }
        }
    }

    /// Handles a process. Returns whether it need not be checked again.
    fn handle(&mut self, pid: u32, port: Arc<dyn Port>) -> bool {
        let info = match identify(&*port, PATIENCE) {
            // not a runtime, or not listening yet
            Err(PortError::Gone | PortError::HungUp | PortError::Silent) => return false,
            Err(_) => return true,
            Ok(info) => info,
        };
        let Some(info) = info else {
            self.report(FoundRuntime::Running(pid));
            return true;
        };
        // the SDK itself is resumed; the program that it starts is the one to record
        if info.entry.as_deref().is_some_and(is_sdk) {
            return resume(&*port).is_ok();
        }
        let (pid, before) = (u64::from(pid), self.before.clone());
        let called = SuspendedRuntime::new(pid, info.entry, info.runtime, port, before);
        self.report(FoundRuntime::Waiting(called));
        true
    }

    /// If nobody receives it, dropping it resumes the runtime.
    fn report(&mut self, found: FoundRuntime) {
        if let Some(recorder) = self.recorder.take() {
            let _ = recorder.send(found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::tests::info;
    use crate::record::tests::server::{Play, Played, refusal, reply};
    use std::sync::mpsc::channel;

    const UNKNOWN_COMMAND: u32 = 0x8013_1385;
    const INFO: (u8, u8) = (4, 4);
    const SET_VARIABLE: (u8, u8) = (4, 3);
    const RESUME: (u8, u8) = (4, 1);

    /// A runtime that gives its name and then answers this many commands.
    fn runtime(name: &str, commands: usize) -> Arc<Played> {
        let good = (0..commands).map(|_| Play::Answers(vec![reply(true, &[])]));
        let first = Play::Answers(vec![info(name)]);
        Arc::new(Played::new(std::iter::once(first).chain(good).collect()))
    }

    /// Checks these runtimes, which are the processes 0, 1 and so on.
    fn check(resumer: &mut RuntimeResumer, runtimes: &[Arc<Played>]) {
        let living: Vec<(u32, u64)> = (0..).map(|pid| (pid, 0)).take(runtimes.len()).collect();
        resumer.check(&living, |pid| runtimes[pid as usize].clone());
    }

    #[test]
    fn only_the_program_that_the_sdk_starts_is_recorded_and_all_others_are_resumed() {
        let (recorder, found) = channel();
        let mut resumer = RuntimeResumer::new(Some(recorder), Some("0".into()));
        let runtimes = [
            runtime("dotnet", 1),
            runtime("vstest.console", 1),
            runtime("Shop", 2),
            runtime("Tool", 2),
        ];
        for _ in 0..2 {
            check(&mut resumer, &runtimes);
        }
        let Ok(FoundRuntime::Waiting(called)) = found.try_recv() else {
            panic!("a runtime waits");
        };
        assert_eq!((called.pid, called.entry.as_deref()), (2, Some("Shop")));
        assert_eq!(called.runtime.as_deref(), Some("8.0.1"));
        assert!(found.try_recv().is_err(), "only one is recorded");
        // the SDK keeps the variable, so that what it starts is suspended
        for sdk in &runtimes[..2] {
            assert_eq!(sdk.heard(), [INFO, RESUME]);
        }
        assert_eq!(runtimes[2].heard(), [INFO], "it waits for its recording");
        assert_eq!(runtimes[3].heard(), [INFO, SET_VARIABLE, RESUME]);
        drop(called);
        assert_eq!(runtimes[2].heard(), [INFO, SET_VARIABLE, RESUME]);
    }

    #[test]
    fn a_process_that_does_not_listen_yet_is_checked_again() {
        let (recorder, found) = channel();
        let mut resumer = RuntimeResumer::new(Some(recorder), None);
        let good = || Play::Answers(vec![reply(true, &[])]);
        let shop = Arc::new(Played::new(vec![
            Play::Refuses(std::io::ErrorKind::NotFound),
            Play::Answers(vec![info("Shop")[..30].to_vec()]),
            Play::Answers(vec![info("Shop")]),
            good(),
            good(),
        ]));
        for is_found in [false, false, true] {
            check(&mut resumer, std::slice::from_ref(&shop));
            assert_eq!(found.try_recv().is_ok(), is_found);
        }
    }

    #[test]
    fn a_runtime_that_cannot_wait_is_recorded_and_no_other() {
        let (recorder, found) = channel();
        let mut resumer = RuntimeResumer::new(Some(recorder), None);
        let too_old = || Play::Answers(vec![refusal(UNKNOWN_COMMAND)]);
        let old = Arc::new(Played::new(vec![too_old(), too_old()]));
        let new = runtime("Shop", 2);
        check(&mut resumer, &[old, new.clone()]);
        assert!(matches!(found.try_recv(), Ok(FoundRuntime::Running(0))));
        assert!(found.try_recv().is_err());
        assert_eq!(new.heard(), [INFO, SET_VARIABLE, RESUME]);
    }
}
