use super::*;

#[track_caller]
fn check(name: &str, module: &str, path: &str, parameters: Option<&str>) {
    let mut frames = Frames::default();
    let id = frames.intern(FrameKind::Method, name, "");
    let key = Key::of(&frames, id, name);
    assert_eq!(
        (
            key.module.as_str(),
            key.path.as_str(),
            key.parameters.as_deref()
        ),
        (module, path, parameters)
    );
}

#[test]
fn compiler_counters_are_ignored() {
    check(
        "Acme!Acme.Orders.Book.Match(int32)",
        "Acme",
        "Acme.Orders.Book.Match",
        Some("(Int32)"),
    );
    check("Acme.Orders.Book.Match", "", "Acme.Orders.Book.Match", None);
    for name in [
        "Acme!Acme.Pipe+<>c__DisplayClass12_0.<Run>b__2()",
        "Acme!Acme.Pipe+<>c__DisplayClass3_1.<Run>b__0()",
        "Acme!Acme.Pipe+<>c.<Run>b__7_11()",
    ] {
        check(name, "Acme", "Acme.Pipe.Run.lambda ", Some("()"));
    }
    check(
        "Acme!Acme.Pipe+<Run>d__5.MoveNext()",
        "Acme",
        "Acme.Pipe.Run",
        Some("()"),
    );
    check(
        "instance void [Acme] Acme.Pipe+<Run>d__9::MoveNext()[OptimizedTier1]",
        "Acme",
        "Acme.Pipe.Run",
        Some("()"),
    );
    check(
        "Acme!Acme.Broker.<Publish>g__Write|16_0(int32)",
        "Acme",
        "Acme.Broker.Publish.Write",
        Some("(Int32)"),
    );
    check(
        "Acme!Acme.Broker.<Publish>g__Write|4_2(int32)",
        "Acme",
        "Acme.Broker.Publish.Write",
        Some("(Int32)"),
    );
}

#[test]
fn instances_of_a_generic_method_are_one() {
    for name in [
        "Acme!Acme.Cache`2[System.__Canon,System.Int32].Get(int32)",
        "Acme!Acme.Cache`2.Get(int32)",
        "Acme!Acme.Cache`2[System.Int32,System.Byte[]].Get(int32)",
    ] {
        check(name, "Acme", "Acme.Cache`2.Get", Some("(Int32)"));
    }
    check(
        "Acme!Acme.Cache`1.Get(int32)",
        "Acme",
        "Acme.Cache`1.Get",
        Some("(Int32)"),
    );
}

#[test]
fn frames_that_are_not_methods_are_keyed_by_name() {
    let mut frames = Frames::default();
    let id = frames.intern(FrameKind::Special, "[Native code]", "");
    assert_eq!(Key::of(&frames, id, "[Native code]").path, "[Native code]");
}
