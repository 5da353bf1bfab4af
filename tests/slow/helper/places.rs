//! Where installs are looked for, and which one is used.

use super::{Bench, assert_fails, small};
use crate::common::dottrace::{ALL, lay_out, mono, run};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

const MAIN: &str = "plugins/dotTrace.dotMemory/DotFiles";
const CENTRAL: &[&str] = &["JetBrains.dotTrace.SnapShotApi"];

/// Every folder of an install that may hold the libraries, below a root that the user names or that a variable names.
#[test]
fn the_folders_of_an_install() {
    for folder in [
        "plugins/dotTrace.dotMemory/DotFiles",
        "DotFiles",
        "MacOS",
        "tools/profiler",
        "lib/ReSharperHost",
        "lib/ReSharperHost/NetCore",
        "plugins/dotTrace/DotFiles",
        "plugins/dotTrace/DotFiles/NetCore",
        "plugins/dotCommon/DotFiles/NetCore",
        "NetCore",
        "",
        "Contents/plugins/dotTrace.dotMemory/DotFiles",
        "Contents/DotFiles",
        "Contents/MacOS",
    ] {
        let bench = present!(Bench::with(&[(&format!("rider/{folder}"), ALL)]));
        let json = bench.json(&small());
        assert!(json.contains("Acme.Orders.Book.Match"), "{folder}");
        if folder != "MacOS" {
            continue;
        }
        let mut by_variable = bench.mono.helper_command();
        by_variable
            .arg(bench.path("s.dtp"))
            .env("JETBRAINS_PROFILER_PATH", bench.path("rider"));
        assert_eq!(
            String::from_utf8(run(&mut by_variable).stdout).unwrap(),
            json
        );
    }
}

#[test]
fn libraries_in_several_folders_of_one_install() {
    let (low, high) = ALL.split_at(5);
    let folders = [
        (format!("rider/{MAIN}"), high),
        ("rider/lib/ReSharperHost".to_string(), low),
    ];
    let rows: Vec<(&str, &[&str])> = folders
        .iter()
        .map(|(folder, names)| (folder.as_str(), *names))
        .collect();
    let bench = present!(Bench::with(&rows));
    bench.json(&small());
    // whoever names one of the folders means the install
    let index = bench.path("s.dtp");
    for folder in [MAIN, "lib/ReSharperHost/"] {
        let mut inner = bench.mono.helper_command();
        inner
            .arg(&index)
            .arg("--dottrace-dir")
            .arg(bench.path(&format!("rider/{folder}")));
        let outcome = run(&mut inner);
        assert_eq!(outcome.code, Some(0), "{folder}: {}", outcome.stderr);
    }
}

/// What the libraries need themselves, and nobody lists, is found in the install's other folders too.
#[test]
fn a_dependency_in_another_folder() {
    let (dependency, libraries) = ALL.split_at(1);
    let main = format!("rider/{MAIN}");
    let bench = present!(Bench::with(&[
        (&main, libraries),
        ("rider/lib/ReSharperHost/NetCore", dependency),
    ]));
    bench.json(&small());
}

#[test]
fn the_case_of_names_does_not_matter() {
    let bench = present!(Bench::new());
    for name in ALL {
        let (from, to) = (
            format!("{name}.dll"),
            format!("{}.DLL", name.to_uppercase()),
        );
        fs::rename(bench.libraries().join(from), bench.libraries().join(to)).unwrap();
    }
    bench.json(&small());
}

#[test]
fn nothing_anywhere() {
    let bench = present!(Bench::with(&[("other", &["Dotspot.StandIn"])]));
    let index = small().save(bench.folder.path(), "s.dtp");
    let advice = "install Rider or dotTrace, or give its folder with --dottrace-dir or JETBRAINS_PROFILER_PATH";
    let missing = bench.path("rider");
    let words = [
        missing.to_str().unwrap(),
        "(no such folder)",
        "JetBrains.dotTrace.SnapShotApi.dll",
        advice,
    ];
    assert_fails(&run(&mut bench.command(&index)), "decoder", &words);
    let mut given = bench.mono.helper_command();
    given
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(bench.path("other"));
    assert_fails(
        &run(&mut given),
        "decoder",
        &[bench.path("other").to_str().unwrap(), advice],
    );
}

/// What the user names on the command line goes before the variable, and nothing else is looked at then.
#[test]
fn the_option_goes_first() {
    let bench = present!(Bench::new());
    let index = small().save(bench.folder.path(), "s.dtp");
    let mut command = bench.mono.helper_command();
    command
        .arg(&index)
        .arg("--dottrace-dir")
        .arg(bench.path("none"))
        .env("JETBRAINS_PROFILER_PATH", bench.path("rider"));
    let error = assert_fails(
        &run(&mut command),
        "decoder",
        &[bench.path("none").to_str().unwrap()],
    );
    assert!(
        !error
            .message
            .contains(bench.path("rider").to_str().unwrap()),
        "{}",
        error.message
    );
}

/// A machine of some system, made of folders, and the search for installs on it. `ListPlaces.cs` runs the helper's own
/// search, since no test can run on three systems.
struct Machine {
    folder: TempDir,
    program: PathBuf,
    libraries: PathBuf,
}

impl Machine {
    fn new() -> Option<Machine> {
        let mono = mono()?;
        let driver = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/slow/helper/ListPlaces.cs");
        let program = mono.build_tool(&driver, "Dotspot.Dtp.ListPlaces");
        Some(Machine {
            folder: tempfile::tempdir().unwrap(),
            program,
            libraries: mono.libraries(),
        })
    }

    fn install(&self, path: &str, names: &[&str]) {
        lay_out(&self.libraries, self.folder.path(), &[(path, names)]);
    }

    /// The places and installs that the search gives on Mono, without the path of the machine.
    fn search(&self, system: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let lines = self.lines(system, "mono", variables);
        lines
            .into_iter()
            .filter(|line| !line.starts_with("takes "))
            .collect()
    }

    /// The libraries that are taken from the first install on Linux, in the order of the helper's list.
    fn takes(&self, runtime: &str) -> Vec<String> {
        let lines = self.lines("Linux", runtime, &[]);
        lines
            .into_iter()
            .filter_map(|line| line.strip_prefix("takes ").map(str::to_string))
            .collect()
    }

    fn lines(&self, system: &str, runtime: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let root = self.folder.path().to_str().unwrap();
        let mut command = Command::new("mono");
        command
            .arg(&self.program)
            .arg(system)
            .arg(root)
            .arg(runtime);
        for (name, path) in variables {
            command.arg(format!("{name}={root}{path}"));
        }
        let outcome = run(&mut command);
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        let text = String::from_utf8(outcome.stdout).unwrap();
        text.lines().map(|line| line.replace(root, "")).collect()
    }
}

#[test]
fn the_usual_places() {
    let machine = present!(Machine::new());
    let windows = [("ProgramFiles", "/PF"), ("LOCALAPPDATA", "/local")];
    assert_eq!(
        machine.search("Windows", &windows),
        [
            "looked at /PF/JetBrains/*",
            "looked at /local/JetBrains/Installations/dotTrace*",
            "looked at /local/Programs/Rider",
            "looked at /local/JetBrains/Toolbox/apps/**",
        ]
    );
    let home = [("HOME", "/home/ann")];
    assert_eq!(
        machine.search("MacOs", &home),
        [
            "looked at /Applications/Rider.app/Contents",
            "looked at /Applications/dotTrace.app/Contents",
            "looked at /home/ann/Applications/Rider.app/Contents",
            "looked at /home/ann/Applications/dotTrace.app/Contents",
            "looked at /home/ann/Library/Application Support/JetBrains/Toolbox/apps/**",
        ]
    );
    let linux = [
        "looked at /opt/jetbrains/*",
        "looked at /usr/share/jetbrains/*",
        "looked at /opt/*rider*",
        "looked at /snap/rider/current",
        "looked at /home/ann/.local/share/JetBrains/Toolbox/apps/**",
    ];
    assert_eq!(machine.search("Linux", &home), linux);
    // without the variables there are no such folders, and none below the working folder is made of that
    assert_eq!(machine.search("Linux", &[]), linux[..4]);
    assert_eq!(machine.search("Windows", &[]), [""; 0]);
}

/// One install in one place at a time is found there.
#[test]
fn an_install_is_found() {
    let windows = [("ProgramFiles", "/PF"), ("LOCALAPPDATA", "/local")];
    let home = [("HOME", "/home/ann")];
    let table = "
        Windows | /PF/JetBrains/JetBrains Rider 2024.3 | tools/profiler
        Windows | /local/JetBrains/Installations/dotTrace243 | .
        Windows | /local/Programs/Rider | lib/ReSharperHost
        Windows | /local/JetBrains/Toolbox/apps/Rider/ch-0/243.1234 | lib/ReSharperHost/NetCore
        MacOs | /Applications/Rider.app/Contents | plugins/dotTrace.dotMemory/DotFiles
        MacOs | /Applications/dotTrace.app/Contents | DotFiles
        MacOs | /home/ann/Applications/dotTrace.app/Contents | MacOS
        MacOs | /home/ann/Library/Application Support/JetBrains/Toolbox/apps/Rider/ch-0/243.1/Rider.app | Contents/plugins/dotTrace.dotMemory/DotFiles
        Linux | /opt/jetbrains/rider-2024.3 | plugins/dotTrace.dotMemory/DotFiles
        Linux | /usr/share/jetbrains/rider | lib/ReSharperHost
        Linux | /opt/JetBrains-Rider-2024 | plugins/dotTrace.dotMemory/DotFiles
        Linux | /snap/rider/current | plugins/dotTrace.dotMemory/DotFiles
        Linux | /home/ann/.local/share/JetBrains/Toolbox/apps/rider | plugins/dotTrace.dotMemory/DotFiles";
    for row in table.trim().lines() {
        let [system, root, folder] = row.trim().split(" | ").collect::<Vec<_>>()[..] else {
            panic!("{row}");
        };
        let variables = if system == "Windows" {
            &windows[..]
        } else {
            &home
        };
        let machine = present!(Machine::new());
        let path = format!("{root}/{folder}");
        machine.install(path[1..].trim_end_matches("/."), CENTRAL);
        let found: Vec<String> = machine
            .search(system, variables)
            .into_iter()
            .filter(|line| line.starts_with("found"))
            .collect();
        assert_eq!(found, [format!("found {root}")], "{system}");
    }
}

/// The one that has most of the libraries, then the newest.
#[test]
fn the_best_of_several_installs() {
    let machine = present!(Machine::new());
    machine.install(&format!("opt/jetbrains/a/{MAIN}"), CENTRAL);
    machine.install(&format!("opt/jetbrains/b/{MAIN}"), ALL);
    machine.install(&format!("opt/jetbrains/c/{MAIN}"), ALL);
    machine.install(&format!("opt/rider/{MAIN}"), ALL);
    let newer = |text: &str| text.replace("2024.3.5.1", "2025.1.0.0");
    let folder = machine
        .folder
        .path()
        .join(format!("opt/jetbrains/c/{MAIN}"));
    mono()
        .unwrap()
        .build_changed("JetBrains.dotTrace.SnapShotApi", newer, &folder);
    let lines = machine.search("Linux", &[]);
    assert_eq!(
        lines[4..],
        [
            "found /opt/jetbrains/c",
            "found /opt/jetbrains/b",
            "found /opt/rider",
            "found /opt/jetbrains/a"
        ]
    );
}

#[test]
fn the_variable_goes_before_the_usual_places() {
    let machine = present!(Machine::new());
    machine.install(&format!("opt/jetbrains/rider/{MAIN}"), ALL);
    machine.install("mine", CENTRAL);
    let lines = machine.search("Linux", &[("JETBRAINS_PROFILER_PATH", "/mine")]);
    assert_eq!(lines, ["looked at /mine", "found /mine"]);
    // where it names nothing useful the search goes on, and the user is told
    let lines = machine.search("Linux", &[("JETBRAINS_PROFILER_PATH", "/nowhere")]);
    assert_eq!(lines[0], "looked at /nowhere");
    assert_eq!(
        lines[5..],
        [
            "found /opt/jetbrains/rider",
            "warning: JETBRAINS_PROFILER_PATH names /nowhere, which holds none of JetBrains' reading libraries: those in /opt/jetbrains/rider were used",
        ]
    );
}

/// Some libraries lie there twice, for two runtimes: each takes its own, and the other's where there is only one.
#[test]
fn libraries_for_two_runtimes() {
    let machine = present!(Machine::new());
    let rider = "opt/jetbrains/rider/plugins";
    machine.install(
        &format!("{rider}/dotTrace/DotFiles"),
        &["JetBrains.DotTrace.Dal", CENTRAL[0]],
    );
    machine.install(
        &format!("{rider}/dotTrace/DotFiles/NetCore"),
        &["JetBrains.DotTrace.Dal"],
    );
    machine.install(
        &format!("{rider}/dotCommon/DotFiles"),
        &["JetBrains.Lifetimes"],
    );
    machine.install(
        &format!("{rider}/dotCommon/DotFiles/NetCore"),
        &["JetBrains.Lifetimes", "JetBrains.Platform.Core"],
    );
    let check = |runtime: &str, expect: [&str; 4]| {
        let expect: Vec<String> = expect
            .iter()
            .map(|path| format!("/{rider}/{path}.dll"))
            .collect();
        assert_eq!(machine.takes(runtime), expect, "{runtime}");
    };
    let (core, central) = (
        "dotCommon/DotFiles/NetCore/JetBrains.Platform.Core",
        "dotTrace/DotFiles/JetBrains.dotTrace.SnapShotApi",
    );
    check(
        "mono",
        [
            "dotCommon/DotFiles/JetBrains.Lifetimes",
            core,
            "dotTrace/DotFiles/JetBrains.DotTrace.Dal",
            central,
        ],
    );
    check(
        "net",
        [
            "dotCommon/DotFiles/NetCore/JetBrains.Lifetimes",
            core,
            "dotTrace/DotFiles/NetCore/JetBrains.DotTrace.Dal",
            central,
        ],
    );
}
