use super::super::split_module;
use super::*;

#[track_caller]
fn check(name: &str, module: &str, full: &str) {
    assert_eq!(split_module(name), (module, full), "{name}");
}

#[test]
fn modules_are_named_after_their_files() {
    let check = |path, expect| assert_eq!(module_name(path), expect);
    check(
        "/usr/share/dotnet/System.Private.CoreLib.dll",
        "System.Private.CoreLib",
    );
    check(r"C:\Program Files\Acme\Acme.EXE", "Acme");
    check(
        "/proc/self/fd/32/bin/.native_image/Xamarin.Forms.Core.ni.dll",
        "Xamarin.Forms.Core",
    );
    check("System.Linq.il.dll", "System.Linq");
    check("Acme.Dynamic", "Acme.Dynamic");
    check("libcoreclr.so", "libcoreclr.so");
    check("Größe", "Größe");
    check("/x/.dll", ".dll");
    check("", "");
}

#[test]
fn the_module_is_split_off() {
    check(
        "Acme.Orders!Acme.Orders.Book.Match(int32)",
        "Acme.Orders",
        "Acme.Orders.Book.Match(int32)",
    );
    check(
        "Acme.Orders.Book.Match(!!0)",
        "",
        "Acme.Orders.Book.Match(!!0)",
    );
    check(
        "Acme.List`1[System.Int32].Add(!0)",
        "",
        "Acme.List`1[System.Int32].Add(!0)",
    );
    check("Acme!?", "Acme", "?");
    check("?!?", "", "?!?");
    check("/app/Acme.il.dll!?", "Acme", "?");
    check("Hello world! And more", "", "Hello world! And more");
    check("Stop!", "", "Stop!");
    check("My App!My.Program.Main()", "My App", "My.Program.Main()");
}

#[test]
fn operators_with_an_exclamation_mark_are_not_modules() {
    check(
        "Acme::Foo::operator!=(Acme::Foo const&)",
        "",
        "Acme::Foo::operator!=(Acme::Foo const&)",
    );
    check("Acme::Foo::operator!()", "", "Acme::Foo::operator!()");
    check("operator!=(int, int)", "", "operator!=(int, int)");
    check(
        "libacme.so!Acme::Foo::operator!=(int)",
        "libacme.so",
        "Acme::Foo::operator!=(int)",
    );
}

#[test]
fn a_module_has_neither_folder_nor_extension() {
    check(
        "System.Private.CoreLib.il!System.String.Concat(a)",
        "System.Private.CoreLib",
        "System.String.Concat(a)",
    );
    check(
        "mscorlib.ni!System.String.Concat",
        "mscorlib",
        "System.String.Concat",
    );
    check("Acme.ni.dll!A.B", "Acme", "A.B");
    check(
        r"C:\Program Files (x86)\Acme\Acme.Core.DLL!A.B",
        "Acme.Core",
        "A.B",
    );
    check(
        "/usr/lib/libc.so.6!start_thread",
        "libc.so.6",
        "start_thread",
    );
    check(
        "[kernel.kallsyms]!do_futex",
        "[kernel.kallsyms]",
        "do_futex",
    );
    check("é!A.B", "é", "A.B");
}

#[test]
fn tiers_and_offsets_are_dropped() {
    check(
        "Acme![OptimizedTier1]Acme.Book.Match()",
        "Acme",
        "Acme.Book.Match()",
    );
    check(
        "Acme!Acme.Book.Match[ReadyToRun]",
        "Acme",
        "Acme.Book.Match",
    );
    check("Acme!Acme.Book.Match()+0x1f", "Acme", "Acme.Book.Match()");
    check(
        "Acme!Acme.Book.Match[System.Int32]",
        "Acme",
        "Acme.Book.Match[System.Int32]",
    );
    check("+0x1f", "", "+0x1f");
}

#[test]
fn perf_maps_have_the_module_in_brackets() {
    let name = "instance class [System.Runtime]System.A`1<!!0> [System.Linq] System.Linq.B+C::Select(class [X]D)[PreJIT]+0x1";
    let spelling = Spelling::of(name);
    assert_eq!(spelling.module, "System.Linq");
    assert_eq!(spelling.full, "System.Linq.B+C::Select(class [X]D)[PreJIT]");
    assert_eq!(
        spelling.result,
        Some("class [System.Runtime]System.A`1<!!0>")
    );
    assert_eq!(Spelling::of("[unknown] (/lib/x.so)").result, None);
    assert_eq!(Spelling::of("do it [now] and here").result, None);
}

#[test]
fn lists_are_split_at_top_level_commas() {
    let list = |text| items(text).collect::<Vec<_>>();
    assert_eq!(list("a, b`2[c,d],e<f,g>"), ["a", "b`2[c,d]", "e<f,g>"]);
    assert_eq!(list(" "), [""; 0]);
    assert_eq!(list("a,"), ["a", ""]);
    assert_eq!(list("a],b"), ["a]", "b"]);
}
