//! Whose code a frame is.

use super::spelling::{Spelling, is_marked_as_kernel};
use crate::model::{Category, FrameKind};

/// Modules that come with .NET. A name ends at a `.` or a `-`, so `System` stands for `System.Linq` too.
const SYSTEM_MODULES: [&str; 22] = [
    "System",
    "Microsoft",
    "mscorlib",
    "netstandard",
    "FSharp.Core",
    "WindowsBase",
    "PresentationCore",
    "PresentationFramework",
    "PresentationUI",
    "PresentationBuildTasks",
    "ReachFramework",
    "WindowsFormsIntegration",
    "UIAutomationClient",
    "UIAutomationClientsideProviders",
    "UIAutomationProvider",
    "UIAutomationTypes",
    "DirectWriteForwarder",
    "Accessibility",
    "CustomMarshalers",
    "SMDiagnostics",
    // code made at run time: stubs of the runtime and compiled expressions
    "dynamicClass",
    "Anonymously Hosted DynamicMethods Assembly",
];

/// Namespaces and types of .NET, for names without module.
const SYSTEM_NAMESPACES: [&str; 8] =
    ["System", "Microsoft", "FSharp", "Interop", "Internal.Runtime", "MS.Internal", "MS.Win32", "dynamicClass"];

/// Native modules without extension, as ETW and EventPipe name them. Those with `.so` or `.dylib` need no table.
const NATIVE_MODULES: [&str; 71] = [
    "advapi32",
    "afd",
    "apphost",
    "bcrypt",
    "bcryptprimitives",
    "clr",
    "clretwrc",
    "clrgc",
    "clrjit",
    "combase",
    "comctl32",
    "coreclr",
    "coremessaging",
    "crypt32",
    "d2d1",
    "d3d11",
    "d3d9",
    "dbghelp",
    "dnsapi",
    "dwmapi",
    "dwrite",
    "dxgi",
    "fltmgr",
    "gdi32",
    "gdi32full",
    "hal",
    "hostfxr",
    "hostpolicy",
    "http",
    "httpapi",
    "imm32",
    "iphlpapi",
    "kernel32",
    "kernelbase",
    "libclrjit",
    "libcoreclr",
    "libhostfxr",
    "libhostpolicy",
    "mscoree",
    "mscoreei",
    "mscorjit",
    "mscorsvr",
    "mscorwks",
    "msctf",
    "msvcrt",
    "mswsock",
    "ndis",
    "netio",
    "ntdll",
    "ntfs",
    "ntoskrnl",
    "ole32",
    "oleaut32",
    "psapi",
    "rpcrt4",
    "schannel",
    "sechost",
    "shell32",
    "shlwapi",
    "sspicli",
    "tcpip",
    "ucrtbase",
    "user32",
    "uxtheme",
    "vmlinux",
    "win32k",
    "win32kfull",
    "win32u",
    "winhttp",
    "wow64",
    "ws2_32",
];

/// Native modules whose names go on: `msvcp140`, `wpfgfx_cor3`.
const NATIVE_PREFIXES: [&str; 8] =
    ["msvcp", "vcruntime", "wpfgfx", "presentationnative", "d3dcompiler", "libsystem.", "system.native", "api-ms-win"];

/// Whose code a frame with this kind and raw name is.
///
/// The module decides where there is one, else the namespace. A method of `System` in another module is .NET's too: that is
/// how code of generic types looks that was compiled ahead of time into the module that uses them.
pub fn category_of(kind: FrameKind, name: &str) -> Category {
    match kind {
        FrameKind::Root | FrameKind::Process | FrameKind::Thread => Category::Pseudo,
        FrameKind::Special => Category::Native,
        FrameKind::Method => {
            let spelling = Spelling::of(name);
            if is_marked_as_kernel(name) || is_native(&spelling) {
                Category::Native
            } else if is_system(&spelling) {
                Category::System
            } else {
                Category::User
            }
        }
    }
}

fn is_system(spelling: &Spelling) -> bool {
    let Spelling { module, full, .. } = *spelling;
    if module.is_empty() {
        return SYSTEM_NAMESPACES.iter().any(|namespace| starts_with_part(full, namespace, &['.', '+']));
    }
    SYSTEM_MODULES.iter().any(|system| starts_with_part(module, system, &['.', '-']))
        || full.starts_with("System.")
        || full.starts_with("Internal.Runtime.")
}

fn is_native(spelling: &Spelling) -> bool {
    let Spelling { module, full, result } = *spelling;
    if module.is_empty() {
        let is_cpp = full.contains("::") && result.is_none() && !full[..full.find("::").unwrap_or(0)].contains('.');
        return full.starts_with(['[', '?']) || full.starts_with("stub<") || full.contains("@GLIBC") || is_cpp;
    }
    let is_file = [".so", ".dylib", ".sys"].iter().any(|end| module.ends_with(end)) || module.contains(".so.");
    is_file
        || module.starts_with('[')
        || NATIVE_MODULES.iter().any(|native| module.eq_ignore_ascii_case(native))
        || NATIVE_PREFIXES.iter().any(|prefix| starts_with(module, prefix))
}

/// Whether `text` is `part`, or goes on behind it with one of `ends`.
fn starts_with_part(text: &str, part: &str, ends: &[char]) -> bool {
    starts_with(text, part) && text.get(part.len()..).is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
}

/// Case does not matter: Windows has modules in lower case now and then.
fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(names: &[&str], expect: Category) {
        for name in names {
            assert_eq!(category_of(FrameKind::Method, name), expect, "{name}");
        }
    }

    #[test]
    fn own_code() {
        check(
            &[
                "OrderedConsume!Acme.Orders.PriceRules.Discount(class Acme.Orders.OrderEvent,value class System.Decimal)",
                "OrderedConsume!Acme.Orders.Program+<Main>d__0.MoveNext()",
                "Acme.Billing.Domain.<>c__DisplayClass12_0.<Map>b__3(Object, CancellationToken)",
                "void [Workload] Demo.Shallow::Run(int32)[Optimized]+0xfc",
                "Newtonsoft.Json!Newtonsoft.Json.JsonConvert.SerializeObject(object)",
                "sly!sly.parser.Parser`2.Parse",
                "Systematic!Systematic.Tests.Run()",
                "Systematic.Tests.Run()",
                "MicrosoftLike!Microsoft.Like.Run()",
                "NBodySimulation!Program.<Main>$",
                "library!Library.Loan.Renew()",
                "main",
            ],
            Category::User,
        );
    }

    #[test]
    fn system_code() {
        check(
            &[
                "System.Private.CoreLib!System.Threading.Thread.StartCallback()",
                "System.Private.CoreLib.il!System.String.Concat(string,string)",
                "system.linq!System.Linq.Enumerable.Where()",
                "mscorlib.ni!System.String.Concat(string,string)",
                "PresentationFramework.Aero2!Microsoft.Windows.Themes.ButtonChrome.OnRender()",
                "PresentationFramework-SystemXml!MS.Internal.Data.XmlDataCollection.Synchronize()",
                "WindowsBase!MS.Win32.HwndWrapper.WndProc()",
                "Microsoft.AspNetCore.Server.Kestrel.Core!Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.Http1Connection.Parse()",
                "FSharp.Core!Microsoft.FSharp.Collections.ListModule.Map()",
                "ManagedModule!System.ReadOnlySpan`1[System.UInt16]..ctor(!0&,int32)",
                "int32 [System.Private.CoreLib] System.Environment::get_CurrentManagedThreadId()[OptimizedTier1]",
                "ManagedModule!Internal.Runtime.CompilerServices.Unsafe.Read(void*)",
                "System.Collections.Generic.List`1.Add",
                "Interop+Sys.Read",
                "System.Private.CoreLib!?",
                "System.Private.CoreLib.dll!?",
                "void [System.Private.CoreLib] System.Threading.Thread::StartCallback()[PreJIT]_[j]",
                "dynamicClass!dynamicClass.IL_STUB_PInvoke(int32)",
            ],
            Category::System,
        );
    }

    #[test]
    fn native_code() {
        check(
            &[
                "?!?",
                "[Native code]",
                "[unknown]",
                "coreclr!?",
                "ntdll!RtlUserThreadStart",
                "KERNEL32!BaseThreadInitThunk",
                r"C:\Windows\System32\ntdll.dll!ZwWaitForSingleObject",
                "libcoreclr.so!ThreadNative::KickOffThread",
                "/usr/lib/x86_64-linux-gnu/libc.so.6!start_thread",
                "libSystem.Native.dylib!SystemNative_Read",
                "[kernel.kallsyms]!do_futex",
                "CorUnix::CPalThread::ThreadEntry+0x208",
                "clock_gettime@@GLIBC_2.17",
                "stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>",
                "msvcp140!std::_Throw",
                "check_events_[k]",
                "try_to_wake_up_[w]",
            ],
            Category::Native,
        );
    }

    #[test]
    fn kinds_decide_first() {
        assert_eq!(category_of(FrameKind::Thread, "System.Linq!System.Linq.Enumerable.Any"), Category::Pseudo);
        assert_eq!(category_of(FrameKind::Root, "All threads"), Category::Pseudo);
        assert_eq!(category_of(FrameKind::Special, "[Garbage collection]"), Category::Native);
    }
}
