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
fn package_code() {
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
fn users_can_override_categories() {
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
