//! Runtimes that wait at their own ports until they are resumed, as programs and their children do on Windows.

use super::called::{Called, resume};
use super::message::{identify, is_sdk};
use super::port::{PATIENCE, Port};
use super::port_error::PortError;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// The runtime that is to be recorded.
pub(super) enum Met {
    /// One that waits.
    Waiting(Called),
    /// One that runs already, because it can't wait.
    Running(u32),
}

/// Greets runtimes: the first that is not the SDK's is to be recorded, all others go on.
pub(super) struct Greeter {
    /// Those with which that is done, by number and start.
    greeted: HashSet<(u32, u64)>,
    /// Who takes the one to record, until there is one.
    taker: Option<Sender<Met>>,
    /// What the variable is without us.
    before: Option<String>,
}

impl Greeter {
    pub(super) fn new(taker: Option<Sender<Met>>, before: Option<String>) -> Greeter {
        Greeter {
            greeted: HashSet::new(),
            taker,
            before,
        }
    }

    /// Whether the runtime that is to be recorded was met, or none is.
    #[cfg(windows)]
    pub(super) fn has_met(&self) -> bool {
        self.taker.is_none()
    }

    /// Greets those of these processes that listen since the last look.
    pub(super) fn look(&mut self, living: &[(u32, u64)], port_of: impl Fn(u32) -> Arc<dyn Port>) {
        self.greeted.retain(|process| living.contains(process));
        for &process in living {
            if !self.greeted.contains(&process) && self.greet(process.0, port_of(process.0)) {
                self.greeted.insert(process);
            }
        }
    }

    /// Greets a process, and says whether that is done.
    fn greet(&mut self, pid: u32, port: Arc<dyn Port>) -> bool {
        let info = match identify(&*port, PATIENCE) {
            // it is no runtime, or not yet
            Err(PortError::Gone | PortError::HungUp | PortError::Silent) => return false,
            Err(_) => return true,
            Ok(info) => info,
        };
        let Some(info) = info else {
            self.meet(Met::Running(pid));
            return true;
        };
        // the program that the SDK starts is wanted, and shall wait
        if info.entry.as_deref().is_some_and(is_sdk) {
            return resume(&*port).is_ok();
        }
        let (pid, before) = (u64::from(pid), self.before.clone());
        let called = Called::new(pid, info.entry, info.runtime, port, before);
        self.meet(Met::Waiting(called));
        true
    }

    /// If nobody takes it, it goes on.
    fn meet(&mut self, met: Met) {
        if let Some(taker) = self.taker.take() {
            let _ = taker.send(met);
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

    /// A runtime that answers so many commands after it has said its name.
    fn runtime(name: &str, commands: usize) -> Arc<Played> {
        let good = (0..commands).map(|_| Play::Answers(vec![reply(true, &[])]));
        let first = Play::Answers(vec![info(name)]);
        Arc::new(Played::new(std::iter::once(first).chain(good).collect()))
    }

    /// Looks at these runtimes, which are the processes 0, 1 and so on.
    fn look(greeter: &mut Greeter, runtimes: &[Arc<Played>]) {
        let living: Vec<(u32, u64)> = (0..).map(|pid| (pid, 0)).take(runtimes.len()).collect();
        greeter.look(&living, |pid| runtimes[pid as usize].clone());
    }

    #[test]
    fn the_sdk_goes_on_and_its_program_is_recorded_and_what_that_starts_goes_on() {
        let (taker, met) = channel();
        let mut greeter = Greeter::new(Some(taker), Some("0".into()));
        let runtimes = [
            runtime("dotnet", 1),
            runtime("vstest.console", 1),
            runtime("Shop", 2),
            runtime("Tool", 2),
        ];
        for _ in 0..2 {
            look(&mut greeter, &runtimes);
        }
        let Ok(Met::Waiting(called)) = met.try_recv() else {
            panic!("a runtime waits");
        };
        assert_eq!((called.pid, called.entry.as_deref()), (2, Some("Shop")));
        assert_eq!(called.runtime.as_deref(), Some("8.0.1"));
        assert!(met.try_recv().is_err(), "only one is recorded");
        // what the SDK starts is to wait, so that it keeps the variable
        for sdk in &runtimes[..2] {
            assert_eq!(sdk.heard(), [INFO, RESUME]);
        }
        assert_eq!(runtimes[2].heard(), [INFO], "it waits for its recording");
        assert_eq!(runtimes[3].heard(), [INFO, SET_VARIABLE, RESUME]);
        drop(called);
        assert_eq!(runtimes[2].heard(), [INFO, SET_VARIABLE, RESUME]);
    }

    #[test]
    fn whoever_does_not_listen_yet_is_looked_at_again() {
        let (taker, met) = channel();
        let mut greeter = Greeter::new(Some(taker), None);
        let good = || Play::Answers(vec![reply(true, &[])]);
        let shop = Arc::new(Played::new(vec![
            Play::Refuses(std::io::ErrorKind::NotFound),
            Play::Answers(vec![info("Shop")[..30].to_vec()]),
            Play::Answers(vec![info("Shop")]),
            good(),
            good(),
        ]));
        for is_met in [false, false, true] {
            look(&mut greeter, std::slice::from_ref(&shop));
            assert_eq!(met.try_recv().is_ok(), is_met);
        }
    }

    #[test]
    fn a_runtime_that_cannot_wait_is_recorded_and_no_other() {
        let (taker, met) = channel();
        let mut greeter = Greeter::new(Some(taker), None);
        let too_old = || Play::Answers(vec![refusal(UNKNOWN_COMMAND)]);
        let old = Arc::new(Played::new(vec![too_old(), too_old()]));
        let new = runtime("Shop", 2);
        look(&mut greeter, &[old, new.clone()]);
        assert!(matches!(met.try_recv(), Ok(Met::Running(0))));
        assert!(met.try_recv().is_err());
        assert_eq!(new.heard(), [INFO, SET_VARIABLE, RESUME]);
    }
}
