use super::*;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;

/// A folder with scripts as programs.
fn programs(scripts: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in scripts {
        // written by another process: a file that this process has open for writing, while another test starts a
        // program, can't be run for a moment
        let write = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", write, "sh"])
            .arg(folder.path().join(name))
            .arg(text);
        assert!(shell.status().unwrap().success());
    }
    folder
}

fn look_in(path: &OsStr, kind: CompilerKind) -> FoundToolchain {
    let environment = Environment::synthetic(System::Linux, Path::new("/"), &[("PATH", path)]);
    look(kind, &environment, &Progress::default()).unwrap()
}

#[test]
fn an_sdk_must_be_listed_by_dotnet() {
    #[track_caller]
    fn check(script: &str, expect: Result<&str, &str>) {
        let folder = programs(&[("dotnet", script)]);
        let found = look_in(folder.path().as_os_str(), CompilerKind::Dotnet);
        match (&found, expect) {
            (Ok(toolchain), Ok(version)) => {
                assert_eq!(toolchain.version, version);
                assert_eq!(
                    (&toolchain.compiler, &toolchain.runtime),
                    (&folder.path().join("dotnet"), &toolchain.compiler)
                );
            }
            (Err(problem), Err(part)) => assert!(problem.contains(part), "{problem}"),
            _ => panic!("{found:?}"),
        }
    }
    check(
        "test $1 = --list-sdks && echo '8.0.404 [/usr/share/dotnet/sdk]' && echo '10.0.100 [/usr/share/dotnet/sdk]'",
        Ok("10.0.100"),
    );
    check("true", Err("has only runtimes, no SDK"));
    check(
        "echo broken >&2; exit 131",
        Err("dotnet ended with exit code 131: broken"),
    );
}

#[test]
fn mono_needs_compiler_and_runtime() {
    let says = "echo Mono C# compiler version 6.8.0.105";
    let both = programs(&[("mcs", says), ("mono", "true")]);
    let found = look_in(both.path().as_os_str(), CompilerKind::Mono).unwrap();
    assert_eq!(found.version, "6.8.0.105");
    assert_eq!(
        (found.compiler, found.runtime),
        (both.path().join("mcs"), both.path().join("mono"))
    );
    let runtime = programs(&[("mono", "true")]);
    let problem = look_in(runtime.path().as_os_str(), CompilerKind::Mono).unwrap_err();
    assert_eq!(problem, format!("no mcs in {}", runtime.path().display()));
    // the search path has several folders
    let compiler = programs(&[("mcs", says)]);
    let path = std::env::join_paths([runtime.path(), compiler.path()]).unwrap();
    assert_eq!(
        look_in(&path, CompilerKind::Mono).unwrap().compiler,
        compiler.path().join("mcs")
    );
}

#[test]
fn non_executables_are_skipped() {
    let folder = programs(&[("mcs", "true")]);
    fs::set_permissions(folder.path().join("mcs"), fs::Permissions::from_mode(0o644)).unwrap();
    fs::create_dir(folder.path().join("mono")).unwrap();
    let folders = [folder.path().to_path_buf()];
    assert_eq!(
        find_program("mcs", &folders, System::Linux),
        None,
        "it may not be executed"
    );
    assert_eq!(
        find_program("mono", &folders, System::Linux),
        None,
        "it is a folder"
    );
}

#[test]
fn dotnet_may_be_outside_the_search_path() {
    let variables: [(&str, &OsStr); 4] = [
        ("PATH", "/a".as_ref()),
        ("DOTNET_ROOT", "/d".as_ref()),
        ("HOME", "/h".as_ref()),
        ("USERPROFILE", "/u".as_ref()),
    ];
    #[track_caller]
    fn check(system: System, variables: &[(&str, &OsStr)], expect: &[&str]) {
        let environment = Environment::synthetic(system, Path::new("/"), variables);
        assert_eq!(
            dotnet_folders(&environment),
            expect.iter().map(PathBuf::from).collect::<Vec<_>>()
        );
    }
    check(System::Linux, &variables, &["/a", "/d", "/h/.dotnet"]);
    check(
        System::MacOs,
        &variables,
        &["/a", "/d", "/h/.dotnet", "/usr/local/share/dotnet"],
    );
    check(
        System::Windows,
        &[("ProgramFiles", "/p".as_ref())],
        &["/p/dotnet"],
    );
}

#[test]
fn compilers_see_few_variables() {
    let variables: [(&str, &OsStr); 4] = [
        ("PATH", "/bin".as_ref()),
        ("HOME", "/h".as_ref()),
        ("ImplicitUsings", "enable".as_ref()),
        ("MSBuildSDKsPath", "/x".as_ref()),
    ];
    let environment = Environment::synthetic(System::Linux, Path::new("/"), &variables);
    let command = clean_command(Path::new("/bin/dotnet"), &environment);
    let mut names: Vec<&OsStr> = command.get_envs().map(|(name, _)| name).collect();
    names.sort();
    assert_eq!(names, ["DOTNET_CLI_UI_LANGUAGE", "HOME", "LC_ALL", "PATH"]);
}
