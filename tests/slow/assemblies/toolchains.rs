//! How compilers and runtimes are called. No .NET SDK is needed: `dotnet` is a shell script that records its arguments. That a
//! real SDK builds the helper with these arguments is not tested here.

use super::machine::{BUILDS, Machine, Run, WRITES_TREE};
use crate::common::text::{
    assert_contains, assert_contains_all, assert_ends_with, assert_lacks, assert_starts_with,
};
use std::fs;
use std::path::Path;

/// A `dotnet` with SDK 10 that builds an empty assembly and runs it like [`WRITES_TREE`].
const DOTNET: &str = r#"
case "$1" in
--list-sdks) echo '8.0.404 [/x/sdk]'; echo '10.0.100 [/x/sdk]' ;;
build)
    echo "$@" > "$HERE/build.args"; env > "$HERE/build.env"; ls -A > "$HERE/build.files"; pwd > "$HERE/build.folder"
    while test "$1" != -o; do shift; done
    : > "$2/dotspot-dtp.dll"; : > "$2/dotspot-dtp.runtimeconfig.json" ;;
*)
    echo "$@" > "$HERE/run.args"; pwd > "$HERE/run.folder"; env > "$HERE/run.env"; cat "$HERE/tree.json" > "$4" ;;
esac"#;

const PROFILING: (&str, &str) = ("CORECLR_ENABLE_PROFILING", "1");

#[test]
fn an_sdk_is_preferred_to_mono_and_shielded_from_user_settings() {
    let machine = Machine::with_mono(BUILDS, WRITES_TREE);
    machine.script("dotnet", DOTNET);
    let mut command = machine.command(&[
        "hotspots",
        "snap.dtp",
        "--decoder",
        "assemblies",
        "--dottrace-dir",
        "home",
    ]);
    let user_settings = [
        ("ImplicitUsings", "enable"),
        ("Version", "x"),
        ("MSBuildSDKsPath", "/x"),
        ("LANG", "de_DE"),
        PROFILING,
    ];
    // MSBuild ends a path at `;`, so the helper is built elsewhere and then cached there
    let cache = machine.path("ca;che $(x)");
    command.env("XDG_CACHE_HOME", cache);
    let run = Run::from(command.envs(user_settings).output().unwrap());
    assert_eq!(run.code, 0, "{}", run.err);
    assert!(machine.calls("mcs").is_empty() && machine.calls("mono").is_empty());
    let read = |name: &str| {
        fs::read_to_string(machine.path(name))
            .unwrap()
            .trim_end()
            .to_string()
    };

    let folder = read("build.folder");
    assert_lacks(&folder, ";");
    assert_eq!(
        read("build.args"),
        format!(
            "build dotspot-dtp.csproj -c Release --nologo -v q -o {folder}/out -p:UseSharedCompilation=false \
             -p:RestoreConfigFile={folder}/nuget.config -p:MSBuildUserExtensionsPath={folder}"
        )
    );
    let mut variables: Vec<String> = read("build.env")
        .lines()
        .map(|line| line.split('=').next().unwrap().into())
        .collect();
    // set by the shell
    variables.retain(|name| !["PWD", "SHLVL", "_", "OLDPWD"].contains(&name.as_str()));
    variables.sort();
    let expect = "APPDATA DOTNET_CLI_HOME DOTNET_CLI_TELEMETRY_OPTOUT DOTNET_CLI_UI_LANGUAGE DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE DOTNET_GENERATE_ASPNET_CERTIFICATE \
        DOTNET_NOLOGO DOTNET_SYSTEM_GLOBALIZATION_INVARIANT HOME LC_ALL LOCALAPPDATA \
        MSBUILDDISABLENODEREUSE NUGET_PACKAGES PATH TMPDIR USERPROFILE";
    assert_eq!(variables.join(" "), expect);
    // files that MSBuild, NuGet and the SDK would otherwise search for in parent folders
    let files = read("build.files");
    let shields = [
        ".editorconfig",
        "Directory.Build.props",
        "Directory.Build.rsp",
        "Directory.Build.targets",
        "Directory.Packages.props",
        "global.json",
        "nuget.config",
    ];
    assert_contains_all(&files, &shields);

    let run_folder = read("run.folder");
    assert_contains_all(&run_folder, &["ca;che $(x)", "-dotnet-10.0.100"]);
    let here = machine.folder.path().canonicalize().unwrap();
    let run = read("run.args").replace(
        &*machine.folder.path().to_string_lossy(),
        &here.to_string_lossy(),
    );
    let start = format!(
        "{run_folder}/dotspot-dtp.dll {}/snap.dtp --output ",
        here.display()
    );
    assert_starts_with(&run, start);
    assert_ends_with(
        &run,
        format!(
            "/tree.json --max-nodes 20000000 --dottrace-dir {}/home",
            here.display()
        ),
    );
    let environment = read("run.env");
    assert_contains(&environment, "LANG=de_DE");
    assert!(!environment.contains(PROFILING.0), "not profiled");
    assert_contains(read("build.env"), format!("HOME={folder}\n"));
    assert!(
        !Path::new(&folder).exists(),
        "the folder of the sources is deleted"
    );
}

/// The helper runs in a different working directory than the user.
#[test]
fn a_relative_install_path_is_resolved_in_the_users_folder() {
    let run = "printf '%s\\n' \"$JETBRAINS_PROFILER_PATH\" >> \"$HERE/installs\"";
    let machine = Machine::with_mono(BUILDS, &format!("{run}\n{WRITES_TREE}"));
    let decode = |folder: &str, install: &str| {
        let mut command = machine.command(&["hotspots"]);
        command
            .arg(machine.path("snap.dtp"))
            .args(["--decoder", "assemblies"]);
        command
            .current_dir(machine.path(folder))
            .env("JETBRAINS_PROFILER_PATH", install);
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.code, 0, "{}", run.err);
        machine.decodings()
    };
    assert_eq!(decode("home", "rider"), 1);
    let installs = fs::read_to_string(machine.path("installs")).unwrap();
    let here = machine.path("home").canonicalize().unwrap();
    let is_here = |install: &str| Path::new(install) == here.join("rider");
    assert!(installs.lines().all(is_here), "{installs}");
    // elsewhere the same relative path is another install
    assert_eq!(decode("tmp", "rider"), 2);
    assert_eq!(decode("tmp", here.join("rider").to_str().unwrap()), 2);
}
