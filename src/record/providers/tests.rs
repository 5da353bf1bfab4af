use super::*;

#[track_caller]
fn check(text: &str, expect: Result<&[(&str, u64, u32, &str)], &str>) {
    let provider =
        |&(name, keywords, level, arguments): &(&str, u64, u32, &str)| RecordedProvider {
            name: name.into(),
            keywords,
            level,
            arguments: arguments.into(),
        };
    let expect = expect
        .map(|all| all.iter().map(provider).collect::<Vec<_>>())
        .map_err(String::from);
    assert_eq!(parse(text), expect);
}

/// The examples in dotnet-trace's own documentation, and invalid ones.
#[test]
fn providers_use_dotnet_traces_syntax() {
    check("System.Runtime", Ok(&[("System.Runtime", u64::MAX, 5, "")]));
    check("A:0x1:4", Ok(&[("A", 1, 4, "")]));
    check(
        "A:FF:Informational,B::2",
        Ok(&[("A", 255, 4, ""), ("B", u64::MAX, 2, "")]),
    );
    check(
        r#"A:1:5:FilterAndPayloadSpecs="a,b:c";X=2,B"#,
        Ok(&[
            ("A", 1, 5, r#"FilterAndPayloadSpecs="a,b:c";X=2"#),
            ("B", u64::MAX, 5, ""),
        ]),
    );
    check("A,", Err("a provider needs a name; \"\" has none"));
    check(
        "A:xyz",
        Err("keywords are a hexadecimal number; xyz of A is not"),
    );
    check(
        "A:1:6",
        Err(
            "levels are 0 to 5, critical, error, warning, informational or verbose; 6 of A is not one",
        ),
    );
}

#[test]
fn providers_are_merged_and_ticks_requested_only_on_demand() {
    #[track_caller]
    fn check(profiles: &str, named: &str, keywords: u64, level: u32) {
        let chosen =
            |profile: &&RecordProfile| profiles.split(',').any(|name| name == profile.name);
        let profiles: Vec<_> = PROFILES.iter().filter(chosen).collect();
        let named = match named {
            "" => Vec::new(),
            spec => parse(&format!("microsoft-windows-dotnetruntime:{spec}")).unwrap(),
        };
        let all = providers(&profiles, &named);
        let find = |name: &str| {
            let mut found = all.iter().filter(|one| one.name.eq_ignore_ascii_case(name));
            let one = found.next().map(|one| (one.keywords, one.level));
            assert!(found.next().is_none(), "{name} is asked twice");
            one
        };
        assert_eq!(
            find(RUNTIME),
            Some((keywords, level)),
            "{profiles:?} {named:?}"
        );
        assert!(find(SAMPLER).is_none_or(|sampler| sampler == (0, 4)));
    }
    // level 5 with keyword 1 produces ticks
    check("cpu", "", 0x38, 5);
    check("gc", "", 0x39, 4);
    check("alloc", "", 0x39, 5);
    check("cpu,gc", "", 0x39, 4);
    check("gc,exceptions", "", 0x8039, 4);
    check("cpu,exceptions", "", 0x8038, 5);
    check("cpu,alloc", "", 0x39, 5);
    check("gc,alloc", "", 0x39, 5);
    check("alloc,exceptions", "", 0x8039, 5);
    // explicitly named providers keep their level
    check("cpu", "1:4", 0x39, 4);
    check("exceptions", "1:2", 0x8039, 4);
    check("gc", "8000:2:a=1", 0x8039, 4);
    check("gc", "10:5", 0x39, 5);
}
