//! What Unix knows of a launched program's process group.

use super::port::Port;
use super::proc_fs::is_group_alive;
use super::processes::{RunningProcess, old_in_group};
use super::program::{EndedProcess, ProcessGroup};
use rustix::process::{Pid, Signal, kill_process_group};
use std::os::unix::process::ExitStatusExt as _;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// Examining the whole group takes longer, so only every this many checks do.
const FULL_CHECK_INTERVAL: u32 = 10;
const EXIT_GRACE: Duration = Duration::from_millis(100);

impl ProcessGroup {
    pub(crate) fn has_survivors(&self) -> bool {
        // processes that end with it may take a moment
        is_group_alive(self.id()) && {
            thread::sleep(EXIT_GRACE);
            is_group_alive(self.id())
        }
    }

    pub(crate) fn signal(&self, signal: i32) {
        let pid = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw);
        if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
            // fails if the group has ended
            let _ = kill_process_group(pid, signal);
        }
    }

    /// A process of the group that runs .NET and can't wait at startup.
    pub(crate) fn old_runtime(&mut self) -> Option<(RunningProcess, Arc<dyn Port>)> {
        self.checks += 1;
        let is_thorough = self.checks.is_multiple_of(FULL_CHECK_INTERVAL);
        old_in_group(self.child.id(), is_thorough)
    }
}

impl EndedProcess {
    pub(crate) fn exit_code(&self) -> u8 {
        let killed = || self.0.signal().map(|signal| 128 + signal);
        let code = self.0.code().or_else(killed);
        code.map_or(u8::MAX, |code| (code & 0xff) as u8)
    }
}
