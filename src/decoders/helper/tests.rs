use super::*;

/// Lines as `mcs` and `dotnet build` print them.
#[test]
fn the_first_compiler_error_is_found() {
    #[track_caller]
    fn check(lines: &[&str], expect: Option<&str>) {
        let lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        assert_eq!(
            first_error(&lines, Path::new("/tmp/room")).as_deref(),
            expect
        );
    }
    check(
        &[
            "Frames.cs(3,9): warning CS0169: unused",
            "Program.cs(7,2): error CS1002: ; expected",
            "Compilation failed: 1 error(s)",
        ],
        Some("Program.cs(7,2): error CS1002: ; expected"),
    );
    let sep = std::path::MAIN_SEPARATOR;
    check(
        &[&format!(
            "/tmp/room{sep}Program.cs(7,2): error CS1002: ; expected [/tmp/room{sep}dotspot-dtp.csproj]"
        )],
        Some("Program.cs(7,2): error CS1002: ; expected"),
    );
    check(
        &["error CS2001: Source file `x.cs' could not be found"],
        Some("error CS2001: Source file `x.cs' could not be found"),
    );
    check(
        &["MSBUILD : error MSB1003: no project."],
        Some("MSBUILD : error MSB1003: no project."),
    );
    check(&["Build succeeded.", "    0 Error(s)"], None);
    check(&[], None);
}

#[test]
fn builds_are_named_after_sources_and_toolchain() {
    let toolchain = |kind, version: &str| Toolchain {
        kind,
        compiler: "/x".into(),
        runtime: "/y".into(),
        version: version.into(),
    };
    let name = build_name(&toolchain(CompilerKind::Dotnet, "10.0.100-rc.1"));
    assert_eq!(name, format!("{}-dotnet-10.0.100_rc.1", hash()));
    assert_ne!(
        name,
        build_name(&toolchain(CompilerKind::Dotnet, "10.0.101"))
    );
    assert_ne!(
        name,
        build_name(&toolchain(CompilerKind::Mono, "10.0.100-rc.1"))
    );
}

/// Another process may be running the existing build.
#[test]
fn an_existing_build_is_reused() {
    let home = tempfile::tempdir().unwrap();
    let variables = [("XDG_CACHE_HOME", home.path().as_os_str())];
    let environment =
        Environment::synthetic(crate::decoders::System::Linux, Path::new("/"), &variables);
    let cache = Cache::open(&environment).unwrap();
    let toolchain = Toolchain {
        kind: CompilerKind::Mono,
        compiler: "/x".into(),
        runtime: "/y".into(),
        version: "6.8".into(),
    };
    let out = home.path().join("out");
    fs::create_dir(&out).unwrap();
    let target = cache.helpers().unwrap().join(build_name(&toolchain));
    let put = |text: &str| {
        fs::write(out.join("dotspot-dtp.exe"), text).unwrap();
        put_in_place(&out, &cache, &target, &toolchain).unwrap();
        fs::read_to_string(target.join("dotspot-dtp.exe")).unwrap()
    };
    assert_eq!(put("first"), "first");
    assert_eq!(put("second"), "first");
    fs::remove_file(target.join("dotspot-dtp.exe")).unwrap();
    assert_eq!(put("third"), "third", "an incomplete build does not count");
}

/// A new file in the folder is embedded only once this crate is compiled again.
#[test]
fn all_sources_are_embedded() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("helper");
    let files = fs::read_dir(folder).unwrap().flatten();
    let files = files.filter(|entry| entry.file_type().unwrap().is_file());
    let mut there: Vec<String> = files
        .map(|entry| entry.file_name().into_string().unwrap())
        .filter(|name| !name.ends_with(".md") && !name.starts_with('.'))
        .collect();
    there.sort();
    let embedded: Vec<&str> = sources().map(|(name, _)| name).collect();
    assert_eq!(embedded, there);
}
