//! The output of `dist/package.py`. Instead of real programs, it packages scripts that run the program under test.
#![cfg(unix)]

use crate::common::missing;
use crate::common::run::{SAMPLE, dotspot};
use crate::common::text::assert_contains;
use flate2::read::DeflateDecoder;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/dist/package.py");
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The targets, and the program's file name for each.
const TARGETS: [(&str, &str); 8] = [
    ("x86_64-unknown-linux-gnu", "dotspot"),
    ("aarch64-unknown-linux-gnu", "dotspot"),
    ("x86_64-unknown-linux-musl", "dotspot"),
    ("aarch64-unknown-linux-musl", "dotspot"),
    ("x86_64-apple-darwin", "dotspot"),
    ("aarch64-apple-darwin", "dotspot"),
    ("x86_64-pc-windows-msvc", "dotspot.exe"),
    ("aarch64-pc-windows-msvc", "dotspot.exe"),
];

/// Packages stand-ins in a folder below the build's, with `programs` and `out`. Returns the folder, whether the script
/// succeeded, and its output.
fn pack(name: &str, left_out: &str) -> Option<(PathBuf, bool, String)> {
    let has_toml = Command::new("python3")
        .args(["-c", "import tomllib"])
        .output();
    if !has_toml.is_ok_and(|output| output.status.success()) {
        missing("python3 3.11 or newer is not installed");
        return None;
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("dist")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    let runs = env!("CARGO_BIN_EXE_dotspot");
    for (triple, file) in TARGETS.iter().filter(|target| target.0 != left_out) {
        let program = folder.join("programs").join(triple).join(file);
        fs::create_dir_all(program.parent().unwrap()).unwrap();
        let script = format!("#!/bin/sh\n# {triple}\nexec '{runs}' \"$@\"\n");
        fs::write(&program, script).unwrap();
    }
    let output = Command::new("python3")
        .args([SCRIPT, "programs", "out", "--no-deb", "--run", runs])
        .args(["--repository", "https://example.org/some/dotspot.git"])
        .current_dir(&folder)
        .env_remove("SOURCE_DATE_EPOCH")
        .output()
        .unwrap();
    let text = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
    Some((folder, output.status.success(), text))
}

/// The folder with all packages, built once for all tests.
fn all() -> Option<&'static Path> {
    static ALL: OnceLock<Option<PathBuf>> = OnceLock::new();
    let packed = || {
        let (folder, success, text) = pack("all", "")?;
        assert!(success, "{text}");
        Some(folder)
    };
    ALL.get_or_init(packed).as_deref()
}

fn sum(path: &Path) -> String {
    let sum = Sha256::digest(fs::read(path).unwrap());
    sum.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The files of a zip: text and Unix mode by name.
fn unzip(path: &Path) -> BTreeMap<String, (String, u32)> {
    let mut zip = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut files = BTreeMap::new();
    for at in 0..zip.len() {
        let file = zip.by_index_raw(at).unwrap();
        let (name, mode) = (file.name().unwrap().to_string(), file.unix_mode().unwrap());
        let mut text = String::new();
        DeflateDecoder::new(file).read_to_string(&mut text).unwrap();
        files.insert(name, (text, mode));
    }
    files
}

fn untar(archive: &Path, into: &Path) {
    fs::create_dir_all(into).unwrap();
    let strip = "--strip-components=1";
    let run = Command::new("tar")
        .arg("-xzf")
        .arg(archive)
        .arg("-C")
        .arg(into)
        .arg(strip)
        .status();
    assert!(run.unwrap().success());
}

#[test]
fn archives_contain_program_pages_and_checksums() {
    let Some(folder) = all() else { return };
    let out = folder.join("out");
    assert_eq!(
        fs::read_to_string(out.join("SHA256SUMS"))
            .unwrap()
            .lines()
            .count(),
        TARGETS.len()
    );
    for (triple, program) in TARGETS {
        let end = if triple.contains("windows") {
            "zip"
        } else {
            "tar.gz"
        };
        let name = format!("dotspot-{VERSION}-{triple}");
        let archive = out.join(format!("{name}.{end}"));
        let line = format!("{}  {name}.{end}\n", sum(&archive));
        assert!(
            fs::read_to_string(out.join("SHA256SUMS"))
                .unwrap()
                .contains(&line),
            "{line}"
        );
        if end == "zip" {
            let files = unzip(&archive);
            assert!(files[&format!("{name}/{program}")].0.contains(triple));
            assert!(files.contains_key(&format!("{name}/completions/_dotspot.ps1")));
            continue;
        }
        let unpacked = tempfile::tempdir().unwrap();
        let unpacked = unpacked.path();
        untar(&archive, unpacked);
        for file in [
            "LICENSE-MIT",
            "LICENSE-APACHE",
            "README.md",
            "man/dotspot-hotspots.1",
            "completions/dotspot.bash",
        ] {
            assert!(unpacked.join(file).is_file(), "{file}");
        }
        let script = fs::read_to_string(unpacked.join("dotspot")).unwrap();
        assert!(script.contains(triple));
        // the file is executable
        let run = Command::new(unpacked.join("dotspot"))
            .arg("--version")
            .output();
        assert_eq!(
            run.unwrap().stdout,
            format!("dotspot {VERSION}\n").as_bytes()
        );
    }
}

#[test]
fn nothing_is_written_if_a_program_is_missing() {
    let (folder, success, text) = present!(pack("less", "aarch64-apple-darwin"));
    assert!(!success);
    assert_contains(&text, "aarch64-apple-darwin/dotspot is missing");
    assert!(!folder.join("out").exists());
}

/// cargo-binstall's template, filled in by hand, gives an archive's name and the path in it.
#[test]
fn binstall_finds_the_archives() {
    let Some(folder) = all() else { return };
    let manifest = include_str!("../../Cargo.toml");
    let value = |key: &str| {
        let line = manifest.lines().find(|line| line.starts_with(key));
        line.unwrap().split('"').nth(1).unwrap().to_string()
    };
    assert_eq!(value("pkg-fmt"), "tgz");
    for (triple, program) in TARGETS {
        let windows = triple.contains("windows");
        let zipped = format!("[package.metadata.binstall.overrides.{triple}]\npkg-fmt = \"zip\"\n");
        assert_eq!(manifest.contains(&zipped), windows, "{triple}");
        let fill = |key: &str| {
            let (suffix, exe) = if windows {
                (".zip", ".exe")
            } else {
                (".tar.gz", "")
            };
            let values = [
                ("{ repo }", "R"),
                ("{ version }", VERSION),
                ("{ name }", "dotspot"),
                ("{ target }", triple),
                ("{ archive-suffix }", suffix),
                ("{ bin }", "dotspot"),
                ("{ binary-ext }", exe),
            ];
            values
                .iter()
                .fold(value(key), |text, (name, value)| text.replace(name, value))
        };
        let url = fill("pkg-url");
        let file = url
            .strip_prefix(&format!("R/releases/download/v{VERSION}/"))
            .unwrap();
        assert!(folder.join("out").join(file).is_file(), "{file}");
        assert_eq!(
            fill("bin-dir"),
            format!("dotspot-{VERSION}-{triple}/{program}")
        );
    }
}

/// <https://learn.microsoft.com/dotnet/core/tools/rid-specific-tools>, and the SDK's `rid-specific-tool-packages` design: a
/// pointer of type `DotnetTool` without programs, and a package of type `DotnetToolRidPackage` for each system.
#[test]
fn nuget_packages_are_a_tool_of_dotnet_10() {
    let Some(folder) = all() else { return };
    let nuget = folder.join("out/nuget");
    let pointer = unzip(&nuget.join(format!("dotspot.{VERSION}.nupkg")));
    let settings = &pointer["tools/any/any/DotnetToolSettings.xml"].0;
    assert!(settings.contains(r#"<DotNetCliTool Version="2"><Commands><Command Name="dotspot" /></Commands><RuntimeIdentifierPackages>"#));
    assert!(
        pointer["dotspot.nuspec"]
            .0
            .contains(r#"<packageType name="DotnetTool" />"#)
    );
    assert!(
        pointer["_rels/.rels"]
            .0
            .contains(r#"Target="/dotspot.nuspec""#)
    );
    let systems = [
        "linux-x64",
        "linux-arm64",
        "linux-musl-x64",
        "linux-musl-arm64",
        "osx-x64",
        "osx-arm64",
        "win-x64",
        "win-arm64",
    ];
    assert_eq!(fs::read_dir(&nuget).unwrap().count(), 1 + systems.len());
    for system in systems {
        let listed = format!(
            r#"<RuntimeIdentifierPackage RuntimeIdentifier="{system}" Id="dotspot.{system}" />"#
        );
        assert!(settings.contains(&listed), "{listed}");
        let files = unzip(&nuget.join(format!("dotspot.{system}.{VERSION}.nupkg")));
        let program = if system.starts_with("win") {
            "dotspot.exe"
        } else {
            "dotspot"
        };
        let command =
            format!(r#"<Command Name="dotspot" EntryPoint="{program}" Runner="executable" />"#);
        assert!(
            files[&format!("tools/any/{system}/DotnetToolSettings.xml")]
                .0
                .contains(&command)
        );
        assert_eq!(files[&format!("tools/any/{system}/{program}")].1, 0o100_755);
        let nuspec = &files[&format!("dotspot.{system}.nuspec")].0;
        assert!(nuspec.contains(r#"<packageType name="DotnetToolRidPackage" />"#));
        assert!(nuspec.contains(&format!("<version>{VERSION}</version>")));
    }
}

#[test]
fn the_npm_package_runs_the_program_of_this_system() {
    let Some(folder) = all() else { return };
    let npm = folder.join("out/npm");
    let home = tempfile::tempdir().unwrap();
    let modules = home.path().join("node_modules");
    untar(
        &npm.join(format!("dotspot-{VERSION}.tgz")),
        &modules.join("dotspot"),
    );
    let about: Value =
        serde_json::from_slice(&fs::read(modules.join("dotspot/package.json")).unwrap()).unwrap();
    for (system, processor) in [
        ("linux", "x64"),
        ("linux", "arm64"),
        ("darwin", "x64"),
        ("darwin", "arm64"),
        ("win32", "x64"),
        ("win32", "arm64"),
    ] {
        let name = format!("@dotspot/{system}-{processor}");
        assert_eq!(about["optionalDependencies"][&name], VERSION);
        let package = modules.join(&name);
        untar(
            &npm.join(format!("dotspot-{system}-{processor}-{VERSION}.tgz")),
            &package,
        );
        let about: Value =
            serde_json::from_slice(&fs::read(package.join("package.json")).unwrap()).unwrap();
        assert_eq!(
            (&about["name"], &about["os"][0], &about["cpu"][0]),
            (&name.into(), &system.into(), &processor.into())
        );
    }
    if Command::new("node").arg("--version").output().is_err() {
        return missing("node is not installed");
    }
    let launcher = modules
        .join("dotspot")
        .join(about["bin"]["dotspot"].as_str().unwrap());
    let run = |arguments: &[&str]| {
        Command::new("node")
            .arg(&launcher)
            .args(arguments)
            .output()
            .unwrap()
    };
    let hotspots = run(&["hotspots", SAMPLE]);
    assert_eq!(
        String::from_utf8(hotspots.stdout).unwrap(),
        dotspot(&["hotspots", SAMPLE]).out
    );
    assert_eq!(
        run(&["hotspots", "--no-such-option"]).status.code(),
        Some(2)
    );
    fs::remove_dir_all(modules.join("@dotspot")).unwrap();
    let alone = run(&["--version"]);
    assert_eq!(alone.status.code(), Some(1));
    assert_contains(String::from_utf8(alone.stderr).unwrap(), "--omit=optional");
}

/// The keys that winget's schema 1.10 requires, Scoop's manifests, and a formula's blocks.
#[test]
fn manifests_contain_urls_and_checksums() {
    let Some(folder) = all() else { return };
    let out = folder.join("out");
    let text = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let archive = |triple: &str, end: &str| {
        let file = format!("dotspot-{VERSION}-{triple}.{end}");
        let url = format!("https://example.org/some/dotspot/releases/download/v{VERSION}/{file}");
        (url, sum(&out.join(file)))
    };
    let scoop: Value = serde_json::from_str(&text("scoop/dotspot.json")).unwrap();
    let installer = text("winget/dotspot.dotspot.installer.yaml");
    for (triple, scoops, wingets) in [
        ("x86_64-pc-windows-msvc", "64bit", "x64"),
        ("aarch64-pc-windows-msvc", "arm64", "arm64"),
    ] {
        let (url, hash) = archive(triple, "zip");
        let entry = &scoop["architecture"][scoops];
        assert_eq!(
            (&entry["url"], &entry["hash"]),
            (&url.as_str().into(), &hash.as_str().into())
        );
        let upper = hash.to_uppercase();
        let lines = format!(
            "- Architecture: {wingets}\n  InstallerUrl: {url}\n  InstallerSha256: {upper}\n"
        );
        assert!(installer.contains(&lines), "{installer}");
        assert!(installer.contains(&format!(
            "RelativeFilePath: dotspot-{VERSION}-{triple}\\dotspot.exe\n"
        )));
    }
    let common = [
        "PackageIdentifier",
        "PackageVersion",
        "ManifestType",
        "ManifestVersion",
    ];
    for (end, required) in [
        (".yaml", &["DefaultLocale"] as &[&str]),
        (".installer.yaml", &["Installers"]),
        (
            ".locale.en-US.yaml",
            &[
                "PackageLocale",
                "Publisher",
                "PackageName",
                "License",
                "ShortDescription",
            ],
        ),
    ] {
        let manifest = text(&format!("winget/dotspot.dotspot{end}"));
        for key in common.iter().chain(required) {
            assert!(manifest.contains(&format!("\n{key}:")), "{end}: {key}");
        }
    }
    let formula = text("homebrew/dotspot.rb");
    for triple in [
        "x86_64-unknown-linux-gnu",
        "aarch64-unknown-linux-gnu",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ] {
        let (url, hash) = archive(triple, "tar.gz");
        assert_contains(
            &formula,
            format!("url \"{url}\"\n      sha256 \"{hash}\"\n"),
        );
    }
}

#[test]
fn packaging_is_reproducible() {
    let (Some(first), Some((second, success, text))) = (all(), pack("again", "")) else {
        return;
    };
    assert!(success, "{text}");
    for folder in ["out", "out/npm", "out/nuget"] {
        for entry in fs::read_dir(first.join(folder)).unwrap() {
            let file = Path::new(folder).join(entry.unwrap().file_name());
            if first.join(&file).is_file() {
                assert_eq!(
                    sum(&first.join(&file)),
                    sum(&second.join(&file)),
                    "{file:?}"
                );
            }
        }
    }
}

/// Steps that install or build other people's code have no write permission. A job's permissions are in its first lines.
#[test]
fn only_a_job_that_runs_no_foreign_code_may_write() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/workflows/release.yml");
    let workflow = fs::read_to_string(path).unwrap();
    let (head, jobs) = workflow.split_once("\njobs:\n").unwrap();
    assert!(head.contains("permissions:\n  contents: read\n"), "{head}");
    let is_name = |line: &str| line.starts_with("  ") && !line[2..].starts_with([' ', '#']);
    let mut writers = Vec::new();
    let mut job = String::new();
    for line in jobs.lines().filter(|line| !line.is_empty()) {
        if is_name(line) {
            job = line.trim().into();
        }
        if line.ends_with(": write") {
            writers.push(job.clone());
        }
        let runs = ["cargo ", "pip ", "npm ", "rustup ", "dist/", "$PROGRAM"];
        let is_ours = job != "release:" || !runs.iter().any(|word| line.contains(word));
        assert!(is_ours, "{job} {line}");
        // tags can be moved, so actions must be pinned by commit
        if let Some((_, action)) = line.split_once("uses: ") {
            let commit = action.split(['@', ' ']).nth(1).unwrap();
            let is_commit = commit.len() == 40 && commit.chars().all(|c| c.is_ascii_hexdigit());
            assert!(is_commit && action.contains(" # v"), "{line}");
        }
    }
    assert_eq!(writers, ["release:"; 3]);
}
