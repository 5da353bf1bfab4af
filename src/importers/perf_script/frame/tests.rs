use super::*;
use crate::importers::native::{is_not_module, map_pid};

#[track_caller]
fn check(line: &str, kind: FrameKind, name: &str) {
    let (address, text) = split_address(line.as_bytes());
    let found = FrameLine::parse(address, std::str::from_utf8(text).unwrap()).name();
    assert_eq!((found.0, found.1.as_ref()), (kind, name), "{line}");
}

#[test]
fn names_have_their_module() {
    use FrameKind::{Method, Special};
    check(
        "\t    7f567a06e252 int32 [Workload] Demo.Deep::Level(int32,int32)[OptimizedTier1]+0x12 (/tmp/perf-12596.map)",
        Method,
        "int32 [Workload] Demo.Deep::Level(int32,int32)",
    );
    check(
        "\t7f00 instance !0 [Acme] Acme.A`1[System.__Canon]::Get(!0)[PreJIT] (/tmp/jitted-12-3.so)",
        Method,
        "instance !0 [Acme] Acme.A`1[System.__Canon]::Get(!0)",
    );
    check(
        "\t24e2df CallDescrWorkerInternal+0x7c (/usr/share/libcoreclr.so)",
        Method,
        "libcoreclr.so!CallDescrWorkerInternal",
    );
    check(
        "\t482 CorUnix::CPalThread::ThreadEntry+0x208 (/a b/libcoreclr.so)",
        Method,
        "libcoreclr.so!CorUnix::CPalThread::ThreadEntry",
    );
    check(
        "\tffff do_futex+0x1 ([kernel.kallsyms])",
        Method,
        "[kernel.kallsyms]!do_futex",
    );
    check(
        "\t455d12 [unknown] (/opt/System.Private.CoreLib.dll)",
        Method,
        "System.Private.CoreLib!?",
    );
    check("\t455d12 [unknown] ([unknown])", Special, "?!?");
    check("\t455d12 [unknown] (//anon)", Special, "?!?");
    check(
        "\t455d12 [unknown] (/memfd:doublemapper (deleted))",
        Special,
        "?!?",
    );
    check("\t455d12 [unknown]", Special, "?!?");
    check("\t455d12", Special, "?!?");
    check(
        "\t7f stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>+0x3 (/tmp/perf-7.map)",
        Method,
        "stub<12> AllocateTemporaryEntryPoints<PRECODE_FIXUP>",
    );
    check(
        "\t7f main+0x5 (/home/x (old)/libfoo.so (deleted))",
        Method,
        "libfoo.so!main",
    );
    check("\t7f f(int) (/bin/a)", Method, "a!f(int)");
    check("\t7f f(int)", Method, "f(int)");
    check("\t7f f (inlined)", Method, "f");
    check("\t7f f (/bin/a+0x123)", Method, "a!f");
    check("\t7f operator+0x5 (/bin/a)", Method, "a!operator");
    // without addresses
    check("\tmain (/bin/a)", Method, "a!main");
    check("\tg ) (/bin/a)", Method, "a!g )");
    check("\tadd (/bin/a)", Method, "a!add");
    check("\t7f567a06e252 (/bin/a)", Method, "a!?");
}

#[test]
fn source_locations_have_a_file_and_a_line() {
    for (text, expect) in [
        ("  main.c:12", Some(("main.c", 12))),
        ("  /a b/main.c:7 (inlined)", Some(("/a b/main.c", 7))),
        ("  x.c:3 (discriminator 2)", Some(("x.c", 3))),
        ("  ??:0", None),
        ("  ??:12", None),
        ("  main.c:0", None),
        ("  libfoo.so[2f3a]", None),
        ("  A::B+341", None),
    ] {
        assert_eq!(source(text), expect, "{text}");
    }
}

#[test]
fn maps_resolve_addresses_outside_files() {
    let line = |text| FrameLine::parse(Some(1), text);
    assert!(
        line("[unknown] (/tmp/perf-12.map)").is_unnamed()
            && is_not_module(line("[unknown] (/tmp/perf-12.map)").dso)
    );
    assert_eq!(map_pid(line("[unknown] (/tmp/perf-12.map)").dso), Some(12));
    assert!(
        line("[unknown] ([unknown])").is_unnamed()
            && is_not_module(line("[unknown] ([unknown])").dso)
    );
    assert!(!is_not_module(line("[unknown] (/lib/libc.so.6)").dso));
    assert!(!line("f (/tmp/perf-12.map)").is_unnamed());
    assert_eq!(map_pid(line("f (/lib/libc.so.6)").dso), None);
}
