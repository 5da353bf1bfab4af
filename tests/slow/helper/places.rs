//! Where installs are searched for, which is chosen, and what `--probe` reports about it.

use super::{Bench, assert_fails, small, stdout_of};
use crate::common::dottrace::{ALL, lay_out, mono, run};
use crate::common::json::{each, text};
use crate::common::text::{assert_contains, assert_lacks};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const MAIN: &str = "plugins/dotTrace.dotMemory/DotFiles";
const CENTRAL: &[&str] = &["JetBrains.dotTrace.SnapShotApi"];

/// Libraries and their dependencies may be spread over several folders of an install; file name case may differ.
#[test]
fn libraries_in_several_folders_of_one_install() {
    let (low, high) = ALL.split_at(5);
    let main = format!("rider/{MAIN}");
    let folders: [(&str, &[&str]); 2] = [(&main, high), ("rider/lib/ReSharperHost", low)];
    let bench = present!(Bench::with(&folders));
    for name in high {
        let folder = bench.path(&main);
        let upper = format!("{}.DLL", name.to_uppercase());
        fs::rename(folder.join(format!("{name}.dll")), folder.join(upper)).unwrap();
    }
    // a subfolder selects its install
    let index = bench.save(&small());
    for install in ["rider", &main, "rider/lib/ReSharperHost/"] {
        stdout_of(run(&mut bench.command(install, &index)));
    }
}

/// `--dottrace-dir` takes precedence over the variable, and nothing else is searched then.
#[test]
fn no_install_anywhere() {
    let bench = present!(Bench::new());
    let index = bench.save(&small());
    let mut command = bench.mono.helper_command();
    command.env("JETBRAINS_PROFILER_PATH", bench.path("rider"));
    stdout_of(run(command.arg(&index)));
    let missing = bench.path("none");
    let words = [
        missing.to_str().unwrap(),
        "(no such folder)",
        "JetBrains.dotTrace.SnapShotApi.dll",
        "install Rider or dotTrace, or give its folder with --dottrace-dir or JETBRAINS_PROFILER_PATH",
    ];
    let outcome = run(command.arg("--dottrace-dir").arg(&missing));
    let message = assert_fails(&outcome, "decoder", &words);
    assert_lacks(message, bench.path("rider").to_str().unwrap());
}

/// A synthetic machine of some operating system, as folders. `ListPlaces.cs` runs the helper's own search on it.
struct Machine {
    folder: TempDir,
    program: PathBuf,
    libraries: PathBuf,
}

impl Machine {
    fn new() -> Option<Machine> {
        let mono = mono()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slow/helper/ListPlaces.cs");
        Some(Machine {
            folder: tempfile::tempdir().unwrap(),
            program: mono.build_tool(&driver, "Dotspot.Dtp.ListPlaces"),
            libraries: mono.libraries(),
        })
    }

    fn install(&self, path: &str, names: &[&str]) {
        lay_out(&self.libraries, self.folder.path(), &[(path, names)]);
    }

    /// The lines that start with one of these words, without the machine's path.
    fn search(&self, words: &[&str], line: &str, variable: &str) -> Vec<String> {
        let root = self.folder.path().to_str().unwrap();
        let (system, runtime) = line.split_once(' ').unwrap();
        let mut command = Command::new("mono");
        command.arg(&self.program).args([system, root, runtime]);
        let variables = variable.split(' ').filter(|it| !it.is_empty());
        command.args(variables.map(|it| it.replacen('=', &format!("={root}"), 1)));
        let text = stdout_of(run(&mut command));
        let is_wanted = |line: &&str| words.iter().any(|word| line.starts_with(word));
        let lines = text.lines().filter(is_wanted);
        lines.map(|line| line.replace(root, "")).collect()
    }
}

const PLACES: [(&str, &str); 4] = [
    ("Windows", "ProgramFiles=/PF LOCALAPPDATA=/local"),
    ("MacOs", "HOME=/home/ann"),
    ("Linux", "HOME=/home/ann"),
    ("Linux", ""),
];

#[test]
fn the_usual_places_are_searched() {
    let machine = present!(Machine::new());
    let expect = [
        "/PF/JetBrains/* | /local/JetBrains/Installations/dotTrace* | /local/Programs/Rider | /local/JetBrains/Toolbox/apps/**",
        "/Applications/Rider.app/Contents | /Applications/dotTrace.app/Contents | /home/ann/Applications/Rider.app/Contents | /home/ann/Applications/dotTrace.app/Contents | /home/ann/Library/Application Support/JetBrains/Toolbox/apps/**",
        "/opt/jetbrains/* | /usr/share/jetbrains/* | /opt/*rider* | /snap/rider/current | /home/ann/.local/share/JetBrains/Toolbox/apps/**",
        "/opt/jetbrains/* | /usr/share/jetbrains/* | /opt/*rider* | /snap/rider/current",
    ];
    for ((system, variables), expect) in PLACES.into_iter().zip(expect) {
        let lines = machine.search(&["looked at"], &format!("{system} mono"), variables);
        assert_eq!(
            lines
                .join("\n")
                .replace("looked at ", "")
                .replace('\n', " | "),
            expect
        );
    }
}

/// In each place a single install is found.
#[test]
fn an_install_is_found_in_each_place() {
    let table = "
        0 | /PF/JetBrains/JetBrains Rider 2024.3 | tools/profiler
        0 | /local/JetBrains/Installations/dotTrace243 | .
        0 | /local/Programs/Rider | lib/ReSharperHost
        0 | /local/JetBrains/Toolbox/apps/Rider/ch-0/243.1234 | lib/ReSharperHost/NetCore
        1 | /Applications/Rider.app/Contents | plugins/dotTrace.dotMemory/DotFiles
        1 | /Applications/dotTrace.app/Contents | DotFiles
        1 | /home/ann/Applications/dotTrace.app/Contents | MacOS
        1 | /home/ann/Library/Application Support/JetBrains/Toolbox/apps/Rider/ch-0/243.1/Rider.app | Contents/plugins/dotTrace.dotMemory/DotFiles
        2 | /opt/jetbrains/rider-2024.3 | plugins/dotTrace.dotMemory/DotFiles
        2 | /usr/share/jetbrains/rider | lib/ReSharperHost
        2 | /opt/JetBrains-Rider-2024 | plugins/dotTrace/DotFiles/NetCore
        2 | /snap/rider/current | plugins/dotCommon/DotFiles/NetCore
        2 | /home/ann/.local/share/JetBrains/Toolbox/apps/rider | plugins/dotTrace/DotFiles";
    for row in table.trim().lines() {
        let [system, root, folder] = row.trim().split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let (system, variables) = PLACES[system.parse::<usize>().unwrap()];
        let machine = present!(Machine::new());
        let path = format!("{root}/{folder}");
        machine.install(path[1..].trim_end_matches("/."), CENTRAL);
        let found = machine.search(&["found"], &format!("{system} mono"), variables);
        assert_eq!(found, [format!("found {root}")], "{system}");
    }
}

/// The variable comes first, then the install with most of the libraries, then the newest.
#[test]
fn the_best_of_several_installs_is_used() {
    let machine = present!(Machine::new());
    machine.install(&format!("opt/jetbrains/a/{MAIN}"), CENTRAL);
    machine.install(&format!("opt/jetbrains/b/{MAIN}"), ALL);
    let newest = format!("opt/jetbrains/c/{MAIN}");
    machine.install(&newest, ALL);
    machine.install("mine", CENTRAL);
    let newer = |text: &str| text.replace("2024.3.5.1", "2025.1.0.0");
    let folder = machine.folder.path().join(&newest);
    mono().unwrap().build_changed(CENTRAL[0], newer, &folder);
    for (variable, expect) in [
        (
            "",
            &[
                "found /opt/jetbrains/c",
                "found /opt/jetbrains/b",
                "found /opt/jetbrains/a",
            ][..],
        ),
        ("JETBRAINS_PROFILER_PATH=/mine", &["found /mine"]),
        // if the variable names nothing useful, the search continues with a warning
        (
            "JETBRAINS_PROFILER_PATH=/nowhere",
            &[
                "found /opt/jetbrains/c",
                "found /opt/jetbrains/b",
                "found /opt/jetbrains/a",
                "warning: JETBRAINS_PROFILER_PATH names /nowhere, which holds none of JetBrains' reading libraries: those in /opt/jetbrains/c were used",
            ],
        ),
    ] {
        let lines = machine.search(&["found", "warning"], "Linux mono", variable);
        assert_eq!(lines, expect, "{variable}");
    }
}

/// Some libraries exist twice, for two runtimes: each uses its own, or the other's if there is only one.
#[test]
fn libraries_for_two_runtimes() {
    let machine = present!(Machine::new());
    let rider = "opt/jetbrains/rider/plugins";
    for (folder, names) in [
        (
            "dotTrace/DotFiles",
            &["JetBrains.DotTrace.Dal", CENTRAL[0]][..],
        ),
        ("dotTrace/DotFiles/NetCore", &["JetBrains.DotTrace.Dal"]),
        ("dotCommon/DotFiles", &["JetBrains.Lifetimes"]),
        (
            "dotCommon/DotFiles/NetCore",
            &["JetBrains.Lifetimes", "JetBrains.Platform.Core"],
        ),
    ] {
        machine.install(&format!("{rider}/{folder}"), names);
    }
    for (runtime, own) in [("mono", ""), ("net", "NetCore/")] {
        let expect = [
            format!("dotCommon/DotFiles/{own}JetBrains.Lifetimes"),
            "dotCommon/DotFiles/NetCore/JetBrains.Platform.Core".into(),
            format!("dotTrace/DotFiles/{own}JetBrains.DotTrace.Dal"),
            "dotTrace/DotFiles/JetBrains.dotTrace.SnapShotApi".into(),
        ];
        let expect = expect.map(|path| format!("takes /{rider}/{path}.dll"));
        assert_eq!(
            machine.search(&["takes"], &format!("Linux {runtime}"), ""),
            expect
        );
    }
}

/// Covers the documented contract completely, and what is missing.
#[test]
fn a_probe_reports_the_install_and_what_is_missing() {
    let bench = present!(Bench::new());
    let probe = || {
        let mut command = bench.mono.helper_command();
        let outcome = run(command
            .args(["--probe", "--dottrace-dir"])
            .arg(bench.path("rider")));
        let report: Value = serde_json::from_slice(&outcome.stdout).unwrap();
        (outcome, report)
    };
    let (outcome, report) = probe();
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    let (root, folder) = (bench.path("rider"), bench.path("rider/lib/ReSharperHost"));
    assert_eq!(report["looked_at"], json!([root]));
    let install = json!({"root": root, "origin": "--dottrace-dir", "used": true, "folders": [folder], "version": "2024.3.5.1"});
    assert_eq!(report["installs"], json!([install]));
    let found = each(&report["assemblies"]).filter(|each| !each["path"].is_null());
    for each in found.clone() {
        let versions = [&each["version"], &each["file_version"]].map(text);
        assert_eq!(versions, ["777.0.0.0", "2024.3.5.1"]);
    }
    assert!(found.count() == ALL.len() - 1 && report["error"].is_null());
    let members = |report: &Value, bound: bool| {
        let bound_members = each(&report["members"]).filter(|each| each["bound"] == bound);
        let name = |each: &Value| {
            let short = text(&each["type"]).rsplit('.').next().unwrap().to_string();
            each["member"]
                .as_str()
                .map_or(short.clone(), |member| format!("{short}: {member}"))
        };
        bound_members.map(name).collect::<Vec<_>>().join(" | ")
    };
    let expect = "FileSystemPath | IWriteableSnapshotStorage | OpenSnapshotWithRealtimeData | PerformanceSnapshotReader | \
        Lifetime | PerformanceInfo | PerformanceSnapshot | FileSystemPath: the conversion from System.String | \
        OpenSnapshotWithRealtimeData: OpenSnapshot(FileSystemPath) | PerformanceSnapshotReader: the constructor that takes IWriteableSnapshotStorage | Lifetime: Define(Lifetime, …) | LifetimeDefinition: Lifetime | \
        LifetimeDefinition: Terminate() | PerformanceInfo: a public constructor | PerformanceSnapshot: the constructor (Lifetime, FileSystemPath, PerformanceSnapshotReader, PerformanceInfo, String, String) | PerformanceSnapshot: TimeResolution | \
        PerformanceSnapshot: RootNodeAllThreads | CallTreeNode: GetChildren() | CallTreeNode: PresentableName | CallTreeNode: Info | \
        CallTreeNode: Signature | NodeInfo: Time | NodeInfo: OwnTime | NodeInfo: Calls | \
        FunctionSignature: FunctionName | FunctionSignature: OwnerFullyQualifiedName | FuidToMetadataIdConverter | IMetadataSection | \
        IMetadataSection: ExecuteWithMetadataAssemblyProvider(func, argument) | MetadataSectionHelpers | MetadataSectionHelpers: GetFunctionItemsLight(provider, id) | FunctionResult: FunctionName | \
        FunctionResult: OwnerFullyQualifiedName";
    assert_eq!(members(&report, true), expect);

    let rename = |text: &str| text.replace("PresentableName", "Renamed");
    bench.mono.build_changed(CENTRAL[0], rename, &folder);
    let (outcome, report) = probe();
    let words = ["PresentableName of JetBrains.dotTrace.SnapShotApi.Nodes.CallTreeNode is missing"];
    assert_fails(&outcome, "bind", &words);
    assert_eq!(report["error"]["stage"], "bind");
    assert_eq!(members(&report, false), "CallTreeNode: PresentableName");
    assert_contains(report["members"].to_string(), "\"problem\":\"");
}
