//! Detects waiting frames by name, once per frame.

use crate::names::FrameKind;
use crate::names::display_name::Spelling;

/// The frames in which threads wait: .NET methods that call only native code.
const WAITS: [&str; 17] = [
    "System.Threading.LowLevelLifoSemaphore.WaitForSignal",
    "System.Threading.LowLevelLifoSemaphore.WaitNative",
    "System.Threading.LowLevelMonitor.Wait",
    "System.Threading.LowLevelMonitor.WaitCore",
    // .NET Core 3.1 has Monitor.Wait inlined into it
    "System.Threading.ManualResetEventSlim.Wait",
    "System.Threading.Monitor.ObjWait",
    "System.Threading.Monitor.Wait",
    "System.Threading.SemaphoreSlim.WaitUntilCountOrTimeout",
    "System.Threading.Thread.Join",
    "System.Threading.Thread.JoinInternal",
    "System.Threading.Thread.Sleep",
    "System.Threading.Thread.SleepInternal",
    "System.Threading.WaitHandle.WaitMultiple",
    "System.Threading.WaitHandle.WaitMultipleIgnoringSyncContext",
    "System.Threading.WaitHandle.WaitOneCore",
    "System.Threading.WaitHandle.WaitOneNative",
    "System.Threading.WaitHandle.WaitOneNoCheck",
];

/// What dotTrace snapshots have below threads that ran no managed code (special function 5).
pub const NO_MANAGED_FRAMES: &str = "[Native code, no managed frames]";

/// Whether a frame with this kind, raw name and spelling waits: time that is its own is no work.
pub(crate) fn is_wait(kind: FrameKind, name: &str, spelling: &Spelling) -> bool {
    match kind {
        FrameKind::Method => {
            let is_near = spelling.full.starts_with("System.Threading.");
            is_near
                && spelling
                    .full
                    .split('(')
                    .next()
                    .is_some_and(|bare| WAITS.contains(&bare))
        }
        FrameKind::Special => name == NO_MANAGED_FRAMES,
        FrameKind::Root | FrameKind::Process | FrameKind::Thread => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_told_by_their_full_names() {
        for (kind, name, expect) in [
            (
                FrameKind::Method,
                "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)",
                true,
            ),
            (
                FrameKind::Method,
                "mscorlib!System.Threading.Monitor.Wait(class System.Object)",
                true,
            ),
            (FrameKind::Method, "System.Threading.Thread.Join()", true),
            (
                FrameKind::Method,
                "Acme!Acme.Threading.Thread.Sleep()",
                false,
            ),
            (
                FrameKind::Method,
                "System.Private.CoreLib!System.Threading.Thread.SleepLonger()",
                false,
            ),
            (FrameKind::Special, NO_MANAGED_FRAMES, true),
            (FrameKind::Special, "[Native code]", false),
            (FrameKind::Method, NO_MANAGED_FRAMES, false),
        ] {
            assert_eq!(is_wait(kind, name, &Spelling::of(name)), expect, "{name}");
        }
    }
}
