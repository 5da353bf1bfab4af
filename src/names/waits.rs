//! Detects waiting frames by name, once per frame.

use crate::names::FrameKind;
use crate::names::display_name::Spelling;

/// Where threads wait: .NET methods of `System.Threading` that call only native code. (.NET Core 3.1 has `Monitor.Wait`
/// inlined into `ManualResetEventSlim.Wait`.)
const WAITS: &str = "LowLevelLifoSemaphore.WaitForSignal LowLevelLifoSemaphore.WaitNative LowLevelMonitor.Wait \
    LowLevelMonitor.WaitCore ManualResetEventSlim.Wait Monitor.ObjWait Monitor.Wait \
    SemaphoreSlim.WaitUntilCountOrTimeout Thread.Join Thread.JoinInternal Thread.Sleep Thread.SleepInternal \
    WaitHandle.WaitMultiple WaitHandle.WaitMultipleIgnoringSyncContext WaitHandle.WaitOneCore \
    WaitHandle.WaitOneNative WaitHandle.WaitOneNoCheck";

/// What dotTrace snapshots have below threads that ran no managed code (special function 5).
pub const NO_MANAGED_FRAMES: &str = "[Native code, no managed frames]";

/// Whether a frame with this kind, raw name and spelling waits: time that is its own is no work.
pub(crate) fn is_wait(kind: FrameKind, name: &str, spelling: &Spelling) -> bool {
    match kind {
        FrameKind::Method => {
            let method = spelling.full.strip_prefix("System.Threading.");
            let bare = method.and_then(|method| method.split('(').next());
            bare.is_some_and(|bare| WAITS.split(' ').any(|wait| wait == bare))
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
