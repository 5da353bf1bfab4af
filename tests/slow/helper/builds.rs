//! The two compilers.

use crate::common::dottrace::{build_helper, helper_folder, mono, run, sources};
use crate::common::skipped;
use std::fs;
use std::process::Command;

#[test]
fn mono_builds_it_without_a_warning() {
    if mono().is_none() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    build_helper(&folder.path().join("dotspot-dtp.exe"));
}

/// Skipped without an SDK even in CI, which installs Mono only.
#[test]
fn a_plain_dotnet_build() {
    let sdks = Command::new("dotnet").arg("--list-sdks").output();
    if !sdks.is_ok_and(|output| output.status.success() && !output.stdout.is_empty()) {
        skipped("no .NET SDK is installed");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("helper");
    fs::create_dir(&source).unwrap();
    let project = [
        "dotspot-dtp.csproj",
        "Directory.Build.props",
        "Directory.Build.targets",
        "Directory.Packages.props",
    ];
    let rest = ["Directory.Build.rsp", "global.json", "nuget.config"];
    for name in project.iter().chain(&rest) {
        fs::copy(helper_folder().join(name), source.join(name)).unwrap();
    }
    for file in sources(&helper_folder()) {
        fs::copy(&file, source.join(file.file_name().unwrap())).unwrap();
    }
    let out = folder.path().join("out");
    // as `decoders::helper` builds it, but that a warning is an error
    let mut build = Command::new("dotnet");
    build.current_dir(&source).args([
        "build",
        "dotspot-dtp.csproj",
        "-c",
        "Release",
        "--nologo",
        "-v",
        "q",
        "-o",
    ]);
    build.arg(&out).args([
        "-p:UseSharedCompilation=false",
        "-p:TreatWarningsAsErrors=true",
    ]);
    build.arg(format!(
        "-p:RestoreConfigFile={}",
        source.join("nuget.config").display()
    ));
    build.envs([
        ("DOTNET_NOLOGO", "1"),
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"),
        ("DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "true"),
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
        ("MSBUILDDISABLENODEREUSE", "1"),
    ]);
    build.env("DOTNET_CLI_HOME", folder.path());
    let outcome = run(&mut build);
    assert_eq!(
        outcome.code,
        Some(0),
        "{}{}",
        String::from_utf8_lossy(&outcome.stdout),
        outcome.stderr
    );
    let help = run(Command::new("dotnet")
        .arg(out.join("dotspot-dtp.dll"))
        .arg("--help"));
    assert_eq!(help.code, Some(0), "{}", help.stderr);
    assert!(help.stdout.starts_with(b"dotspot-dtp: "));
}
