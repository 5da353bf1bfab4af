//! Detects waiting frames by name, once per frame.

use crate::names::FrameKind;
use crate::names::display_name::Spelling;

/// Methods of `System.Threading` that call only native code. (.NET Core 3.1 has `Monitor.Wait` inlined into
/// `ManualResetEventSlim.Wait`.)
const WAITS: &str = "LowLevelLifoSemaphore.WaitForSignal LowLevelLifoSemaphore.WaitNative LowLevelMonitor.Wait \
    LowLevelMonitor.WaitCore ManualResetEventSlim.Wait Monitor.ObjWait Monitor.Wait \
    SemaphoreSlim.WaitUntilCountOrTimeout Thread.Join Thread.JoinInternal Thread.Sleep Thread.SleepInternal \
    WaitHandle.WaitMultiple WaitHandle.WaitMultipleIgnoringSyncContext WaitHandle.WaitOneCore \
    WaitHandle.WaitOneNative WaitHandle.WaitOneNoCheck";

/// Wait for messages in native code, or in a loop there: Tizen, WPF, Windows Forms, GTK, Apple's, Android's, Avalonia.
const MESSAGE_LOOPS: [&str; 18] = [
    "Tizen.Applications.CoreBackend.UICoreBackend.Run",
    "ElmSharp.EcoreMainloop.Begin",
    "System.Windows.Threading.Dispatcher.GetMessage",
    "MS.Win32.UnsafeNativeMethods.GetMessageW",
    "MS.Win32.UnsafeNativeMethods.IntGetMessageW",
    "System.Windows.Forms.UnsafeNativeMethods.WaitMessage",
    "Interop+User32.WaitMessage",
    "Windows.Win32.PInvoke.WaitMessage",
    "Windows.Win32.PInvoke.GetMessage",
    "GLib.MainLoop.Run",
    "Gtk.Application.Run",
    "UIKit.UIApplication.UIApplicationMain",
    "UIKit.UIApplication.xamarin_UIApplicationMain",
    "AppKit.NSApplication.Main",
    "Android.OS.Looper.Loop",
    "Avalonia.Win32.Interop.UnmanagedMethods.GetMessage",
    "Avalonia.Win32.Win32Platform.RunLoop",
    "Avalonia.Win32.Win32DispatcherImpl.RunLoop",
];

pub const NO_MANAGED_FRAMES: &str = "[Native code, no managed frames]";

/// The frame below idle threads in V8 profiles.
const IDLE: &str = "(idle)";

pub(crate) fn is_wait(kind: FrameKind, name: &str, spelling: &Spelling) -> bool {
    match kind {
        FrameKind::Method => {
            let method = spelling.full.strip_prefix("System.Threading.");
            let bare = method.and_then(|method| method.split('(').next());
            bare.is_some_and(|bare| WAITS.split(' ').any(|wait| wait == bare))
                || is_message_loop(spelling.full)
        }
        FrameKind::Special => [NO_MANAGED_FRAMES, IDLE].contains(&name),
        FrameKind::Root | FrameKind::Process | FrameKind::Thread => false,
    }
}

/// Whether its own time is spent waiting for events or handling them is unknown.
pub fn is_message_loop(full: &str) -> bool {
    let bare = full.split('(').next();
    bare.is_some_and(|bare| MESSAGE_LOOPS.contains(&bare))
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    Sleeps,
    AwaitsTasks,
    JoinsThreads,
    EntersLock,
    AwaitsMessages,
}

pub fn wait_kind(full: &str) -> Option<WaitKind> {
    const KINDS: [(&str, WaitKind); 7] = [
        ("System.Threading.Thread.Sleep", WaitKind::Sleeps),
        ("System.Threading.Thread.Join", WaitKind::JoinsThreads),
        ("System.Threading.Tasks.Task", WaitKind::AwaitsTasks),
        (
            "System.Runtime.CompilerServices.TaskAwaiter",
            WaitKind::AwaitsTasks,
        ),
        (
            "System.Runtime.CompilerServices.ConfiguredTaskAwaitable",
            WaitKind::AwaitsTasks,
        ),
        ("System.Threading.Monitor.Enter", WaitKind::EntersLock),
        ("System.Threading.Lock.", WaitKind::EntersLock),
    ];
    if is_message_loop(full) {
        return Some(WaitKind::AwaitsMessages);
    }
    let kind = KINDS.iter().find(|(start, _)| full.starts_with(start));
    kind.map(|&(_, kind)| kind)
}

/// Whether a frame's own time on a processor is a wait: a .NET method that sleeps, or spins before it does.
pub(crate) fn waits_on_cpu(kind: FrameKind, spelling: &Spelling) -> bool {
    let method = spelling.full.strip_prefix("System.Threading.");
    let bare = method.and_then(|method| method.split(['(', '|']).next());
    let method = bare.and_then(|bare| bare.rsplit_once('.'));
    kind == FrameKind::Method
        && method.is_some_and(|(_, method)| {
            method.contains("Wait")
                || method.contains("Spin")
                || method.starts_with("Sleep")
                || method.starts_with("Join")
        })
}

#[cfg(test)]
mod tests;
