use super::*;

#[test]
fn spinning_is_recognized_by_name() {
    for (name, expect) in [
        (
            "System.Private.CoreLib!System.Threading.LowLevelSpinWaiter.Wait(int32)",
            true,
        ),
        (
            "System.Private.CoreLib!System.Threading.SpinWait.SpinOnceCore(int32)",
            true,
        ),
        (
            "System.Private.CoreLib!System.Threading.SemaphoreSlim.WaitCore(int64)",
            true,
        ),
        (
            "System.Private.CoreLib!System.Threading.Thread.Sleep(int32)",
            true,
        ),
        (
            "System.Private.CoreLib!System.Threading.Thread.PollGC()",
            false,
        ),
        (
            "System.Private.CoreLib!System.Threading.Monitor.Enter(class System.Object)",
            false,
        ),
        ("Acme!Acme.Threading.Room.Wait()", false),
    ] {
        let found = waits_on_cpu(FrameKind::Method, &Spelling::of(name));
        assert_eq!(found, expect, "{name}");
    }
}

#[test]
fn waits_are_recognized_by_full_names() {
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
            "Tizen.Applications.UI!Tizen.Applications.CoreBackend.UICoreBackend.Run(class System.String[])",
            true,
        ),
        (
            FrameKind::Method,
            "WindowsBase!System.Windows.Threading.Dispatcher.GetMessage(value class MSG&,int,int32,int32)",
            true,
        ),
        (
            FrameKind::Method,
            "WindowsBase!System.Windows.Threading.Dispatcher.PushFrame(class DispatcherFrame)",
            false,
        ),
        (
            FrameKind::Method,
            "System.Private.CoreLib!System.Threading.Thread.SleepLonger()",
            false,
        ),
        (FrameKind::Special, NO_MANAGED_FRAMES, true),
        (FrameKind::Special, "[Native code]", false),
        (FrameKind::Special, "(idle)", true),
        (FrameKind::Method, "(idle)", false),
        (FrameKind::Method, NO_MANAGED_FRAMES, false),
    ] {
        assert_eq!(is_wait(kind, name, &Spelling::of(name)), expect, "{name}");
    }
}
