//! Whose code a frame is.

use crate::names::display_name::libraries::LIBRARIES;
use crate::names::display_name::spelling::{Spelling, is_marked_as_kernel};
use crate::names::{Category, FrameKind};
use std::sync::LazyLock;

/// Modules that come with .NET. A name ends at a `.` or a `-`, so `System` matches `System.Linq` too.
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
const SYSTEM_NAMESPACES: [&str; 8] = [
    "System",
    "Microsoft",
    "FSharp",
    "Interop",
    "Internal.Runtime",
    "MS.Internal",
    "MS.Win32",
    "dynamicClass",
];

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
const NATIVE_PREFIXES: [&str; 8] = [
    "msvcp",
    "vcruntime",
    "wpfgfx",
    "presentationnative",
    "d3dcompiler",
    "libsystem.",
    "system.native",
    "api-ms-win",
];

/// Rows of a table by their first letter in any case: every frame of a profile is looked up.
struct ByLetter([Vec<&'static str>; 256]);

impl ByLetter {
    fn new(rows: &[&'static str]) -> ByLetter {
        let mut by_letter = ByLetter([const { Vec::new() }; 256]);
        for row in rows {
            by_letter.0[Self::letter(row)].push(row);
        }
        by_letter
    }

    fn letter(text: &str) -> usize {
        text.bytes()
            .next()
            .map_or(0, |byte| usize::from(byte.to_ascii_lowercase()))
    }

    /// The rows with which a text may begin.
    fn of(&self, text: &str) -> &[&'static str] {
        &self.0[Self::letter(text)]
    }
}

struct Prefixes {
    system: ByLetter,
    native: ByLetter,
    libraries: ByLetter,
}

static PREFIXES: LazyLock<Prefixes> = LazyLock::new(|| Prefixes {
    system: ByLetter::new(&SYSTEM_MODULES),
    native: ByLetter::new(&NATIVE_MODULES),
    libraries: ByLetter::new(LIBRARIES),
});

/// Whose code a frame with this kind and raw name is.
///
/// The module decides where there is one, else the namespace. A method of `System` in another module is .NET's too: that is
/// how code of generic types looks that was compiled ahead of time into the module that uses them.
pub fn category_of(kind: FrameKind, name: &str) -> Category {
    category_as_spelled(kind, name, &Spelling::of(name))
}

/// The category of a name that was taken apart already.
pub(crate) fn category_as_spelled(kind: FrameKind, name: &str, spelling: &Spelling) -> Category {
    match kind {
        FrameKind::Root | FrameKind::Process | FrameKind::Thread => Category::Pseudo,
        FrameKind::Special => Category::Native,
        FrameKind::Method => {
            if is_marked_as_kernel(name) || is_native(spelling) {
                Category::Native
            } else if is_system(spelling) {
                Category::System
            } else if is_library(spelling) {
                Category::Library
            } else {
                Category::User
            }
        }
    }
}

fn is_system(spelling: &Spelling) -> bool {
    let Spelling { module, full, .. } = *spelling;
    if module.is_empty() {
        return SYSTEM_NAMESPACES
            .iter()
            .any(|namespace| starts_with_part(full, namespace, &['.', '+']));
    }
    full.starts_with("System.")
        || full.starts_with("Internal.Runtime.")
        || PREFIXES
            .system
            .of(module)
            .iter()
            .any(|system| starts_with_part(module, system, &['.', '-']))
}

fn is_library(spelling: &Spelling) -> bool {
    let Spelling { module, full, .. } = *spelling;
    let (text, ends) = if module.is_empty() {
        (full, ['.', '+'])
    } else {
        (module, ['.', '-'])
    };
    PREFIXES
        .libraries
        .of(text)
        .iter()
        .any(|library| starts_with_part(text, library, &ends))
}

/// Whose code is whose, where the user knows better. The longest prefix that fits counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserCode {
    /// Modules and namespaces, or the beginnings of their names up to a dot, that are the user's.
    pub own: Vec<String>,
    /// Modules and namespaces that are not the user's.
    pub foreign: Vec<String>,
}

impl UserCode {
    /// Whose code a frame is that was taken for another's. Only methods are corrected.
    pub fn corrected(&self, kind: FrameKind, name: &str, taken_for: Category) -> Category {
        if kind != FrameKind::Method {
            return taken_for;
        }
        let spelling = Spelling::of(name);
        let longest = |prefixes: &[String]| {
            prefixes
                .iter()
                .filter_map(|prefix| fits(prefix, &spelling))
                .max()
        };
        let (own, foreign) = (longest(&self.own), longest(&self.foreign));
        match taken_for {
            _ if own.is_some() && own >= foreign => Category::User,
            Category::User if foreign.is_some() => Category::Library,
            _ => taken_for,
        }
    }

    /// Whether there is nothing to correct.
    pub fn is_empty(&self) -> bool {
        self.own.is_empty() && self.foreign.is_empty()
    }
}

/// The length of a prefix, `Acme`, `Acme.` or `Acme.*`, if a method's module or namespace begins with it.
fn fits(prefix: &str, spelling: &Spelling) -> Option<usize> {
    let prefix = prefix.trim_end_matches(['.', '*']);
    let is_there = !prefix.is_empty()
        && (starts_with_part(spelling.module, prefix, &['.', '-'])
            || starts_with_part(spelling.full, prefix, &['.', '+', ':', '`', '(']));
    is_there.then_some(prefix.len())
}

fn is_native(spelling: &Spelling) -> bool {
    let Spelling {
        module,
        full,
        result,
    } = *spelling;
    if module.is_empty() {
        let is_cpp = full.contains("::")
            && result.is_none()
            && !full[..full.find("::").unwrap_or(0)].contains('.');
        return full.starts_with(['[', '?'])
            || full.starts_with("stub<")
            || full.contains("@GLIBC")
            || is_cpp;
    }
    let is_file = [".so", ".dylib", ".sys"]
        .iter()
        .any(|end| module.ends_with(end))
        || module.contains(".so.");
    is_file
        || module.starts_with('[')
        || PREFIXES
            .native
            .of(module)
            .iter()
            .any(|native| module.eq_ignore_ascii_case(native))
        || NATIVE_PREFIXES
            .iter()
            .any(|prefix| starts_with(module, prefix))
}

/// Whether `text` is `part`, or continues after it with one of `ends`.
fn starts_with_part(text: &str, part: &str, ends: &[char]) -> bool {
    starts_with(text, part)
        && text
            .get(part.len()..)
            .is_some_and(|rest| rest.is_empty() || rest.starts_with(ends))
}

/// Case does not matter: Windows has modules in lower case now and then.
fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(prefix))
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
                "sly!sly.parser.Parser`2.Parse",
                "Systematic!Systematic.Tests.Run()",
                "Systematic.Tests.Run()",
                "MicrosoftLike!Microsoft.Like.Run()",
                "NBodySimulation!Program.<Main>$",
                "library!Library.Loan.Renew()",
                "main",
                "Monolith!Monolith.Program.Main()",
                "Unity!Unity.Shop.Sell()",
                "Acme.Serilog!Acme.Serilog.Sink.Emit()",
            ],
            Category::User,
        );
    }

    #[test]
    fn code_of_packages() {
        check(
            &[
                "Newtonsoft.Json!Newtonsoft.Json.JsonConvert.SerializeObject(object)",
                "Newtonsoft.Json.JsonConvert.SerializeObject",
                "Serilog.Sinks.File!Serilog.Sinks.File.FileSink.Emit(class Serilog.Events.LogEvent)",
                "Npgsql.EntityFrameworkCore.PostgreSQL!Npgsql.EntityFrameworkCore.PostgreSQL.Storage.Run()",
                "xunit.execution.dotnet!Xunit.Sdk.TestInvoker`1.RunAsync()",
                "NUnit3.TestAdapter!NUnit.VisualStudio.TestAdapter.NUnit3TestExecutor.RunTests()",
                "testhost!Microsoft.VisualStudio.TestPlatform.TestHost.Program.Main(class System.String[])",
                "Mono.Android!Android.App.Activity.n_OnCreate(int,int,int)",
                "Xamarin.Forms.Core!Xamarin.Forms.BindableObject.SetValue()",
                "void [Dapper] Dapper.SqlMapper::Query(string)[OptimizedTier1]",
                "ElmSharp!ElmSharp.Widget..ctor(class ElmSharp.EvasObject)",
            ],
            Category::Library,
        );
        check(
            &[
                "Microsoft.EntityFrameworkCore.Relational!Microsoft.EntityFrameworkCore.DbContext.SaveChanges()",
                "Microsoft.Maui.Controls!Microsoft.Maui.Controls.BindableObject.SetValue()",
                "Microsoft.VisualStudio.TestPlatform.Common!Microsoft.VisualStudio.TestPlatform.Run()",
            ],
            Category::System,
        );
    }

    #[test]
    fn the_user_knows_better() {
        let rules = |own: &[&str], foreign: &[&str]| {
            let [own, foreign] =
                [own, foreign].map(|rules| rules.iter().map(|rule| rule.to_string()).collect());
            UserCode { own, foreign }
        };
        #[track_caller]
        fn check(rules: &UserCode, name: &str, expect: Category) {
            let taken_for = category_of(FrameKind::Method, name);
            assert_eq!(
                rules.corrected(FrameKind::Method, name, taken_for),
                expect,
                "{name}: {rules:?}"
            );
        }
        let serilog = "Serilog!Serilog.Core.Logger.Write()";
        for own in [
            "Serilog",
            "serilog.core",
            "Serilog.*",
            "Serilog.Core.Logger",
        ] {
            check(&rules(&[own], &[]), serilog, Category::User);
        }
        for own in ["Seri", "Serilog.Cor", "Core", "", "*"] {
            check(&rules(&[own], &[]), serilog, Category::Library);
        }
        let vendored = "Acme!Acme.Vendored.Zip.Pack()";
        check(&rules(&[], &["Acme.Vendored"]), vendored, Category::Library);
        check(
            &rules(&[], &["Acme"]),
            "Acme!Acme.Orders.Book.Match()",
            Category::Library,
        );
        check(
            &rules(&["Acme.Orders"], &["Acme"]),
            "Acme!Acme.Orders.Book.Match()",
            Category::User,
        );
        check(
            &rules(&["Acme"], &["Acme.Orders"]),
            "Acme!Acme.Orders.Book.Match()",
            Category::Library,
        );
        check(
            &rules(&["libshop.so"], &[]),
            "libshop.so!sell",
            Category::User,
        );
        check(
            &rules(&["System.Linq"], &["System"]),
            "System.Linq!System.Linq.Enumerable.Any()",
            Category::User,
        );
        check(
            &rules(&[], &["System"]),
            "System.Linq!System.Linq.Enumerable.Any()",
            Category::System,
        );
        let thread =
            rules(&["Thread"], &[]).corrected(FrameKind::Thread, "Thread (1)", Category::Pseudo);
        assert_eq!(thread, Category::Pseudo);
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
        assert_eq!(
            category_of(FrameKind::Thread, "System.Linq!System.Linq.Enumerable.Any"),
            Category::Pseudo
        );
        assert_eq!(
            category_of(FrameKind::Root, "All threads"),
            Category::Pseudo
        );
        assert_eq!(
            category_of(FrameKind::Special, "[Garbage collection]"),
            Category::Native
        );
    }
}
