use super::*;
use std::ffi::OsStr;

#[test]
fn versions_are_parsed_from_folder_names() {
    #[track_caller]
    fn check(path: &str, expect: &str) {
        assert_eq!(version_text(&version_of(Path::new(path))), expect);
    }
    check("JetBrains/Installations/dotTrace243/Reporter.exe", "2024.3");
    check(
        "JetBrains/Installations/dotTrace243_a1b2c3_000/Reporter.exe",
        "2024.3",
    );
    check("dotTrace2024.3.2/Reporter.exe", "2024.3.2");
    check(
        "jetbrains.dottrace.commandlinetools.windows-x64/2024.3.10/tools/Reporter.exe",
        "2024.3.10",
    );
    check(
        "jetbrains.dottrace.commandlinetools.windows-x64/2025.1.0-eap02/tools/Reporter.exe",
        "2025.1",
    );
    check(
        "JetBrains/JetBrains Rider 2024.1.4/plugins/dotTrace.dotMemory/DotFiles/Reporter.exe",
        "2024.1.4",
    );
    check("tools64/Reporter.exe", "");
    check("work/2024/Reporter.exe", "");
    check("1.2.3/Reporter.exe", "");
    check("Reporter.exe", "");
}

/// A fake machine with some files, to check which one is chosen.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn with(files: &[&str]) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, "").unwrap();
        }
        Machine { folder }
    }

    fn settings(&self, system: System, variables: &[(&str, &str)]) -> DecoderSettings {
        let folder = |path: &str| self.folder.path().join(path).into_os_string();
        let mut variables: Vec<_> = variables
            .iter()
            .map(|(name, path)| (*name, folder(path)))
            .collect();
        variables.push(("PATH", folder("bin")));
        if system == System::Windows {
            variables.extend([
                ("LocalAppData", folder("local")),
                ("USERPROFILE", folder("me")),
            ]);
            variables.push(("ProgramFiles", folder("programs")));
        }
        let variables: Vec<(&str, &OsStr)> = variables
            .iter()
            .map(|(name, path)| (*name, path.as_os_str()))
            .collect();
        DecoderSettings::new(Environment::synthetic(
            system,
            self.folder.path(),
            &variables,
        ))
    }

    /// The path of the chosen file within the folder, and its version.
    fn chosen(&self, settings: &DecoderSettings) -> String {
        look(settings).chosen.map_or("none".into(), |reporter| {
            let path = reporter
                .path
                .strip_prefix(self.folder.path())
                .unwrap()
                .to_string_lossy()
                .replace('\\', "/");
            format!("{path} {}", reporter.version)
        })
    }
}

#[test]
fn the_newest_reporter_is_chosen_on_windows() {
    const OLD: &str = "local/JetBrains/Installations/dotTrace233/Reporter.exe";
    const NEWER: &str = "local/JetBrains/Installations/dotTrace242/Reporter.exe";
    const PACKAGE: &str = "me/.nuget/packages/jetbrains.dottrace.commandlinetools.windows-x64/2024.2.1/tools/Reporter.exe";
    const RIDER: &str = "programs/JetBrains/JetBrains Rider 2023.1/plugins/dotTrace.dotMemory/DotFiles/Reporter.exe";
    const TOOLBOX: &str = "local/JetBrains/Toolbox/apps/dotTrace/ch-0/2025.1.1/Reporter.exe";
    #[track_caller]
    fn check(files: &[&str], expect: &str) {
        let machine = Machine::with(files);
        assert_eq!(
            machine.chosen(&machine.settings(System::Windows, &[])),
            expect
        );
    }
    check(&[], "none");
    check(&[OLD], &format!("{OLD} 2023.3"));
    check(&[OLD, NEWER], &format!("{NEWER} 2024.2"));
    check(&[OLD, NEWER, PACKAGE], &format!("{PACKAGE} 2024.2.1"));
    check(&[OLD, RIDER], &format!("{OLD} 2023.3"));
    check(&[RIDER, "bin/Reporter.exe"], &format!("{RIDER} 2023.1"));
    check(&[RIDER, TOOLBOX], &format!("{TOOLBOX} 2025.1.1"));
    check(&["bin/Reporter.exe"], "bin/Reporter.exe ");
    check(&["bin/Reporter"], "none");
}

// its paths are Unix paths
#[cfg(unix)]
#[test]
fn the_users_choice_is_final() {
    let machine = Machine::with(&[
        "bin/Reporter.exe",
        "a/my-reporter",
        "b/Reporter.exe",
        "local/JetBrains/Installations/dotTrace242/Reporter.exe",
    ]);
    for system in [System::Windows, System::Linux] {
        let mut settings = machine.settings(system, &[("DOTSPOT_REPORTER", "a/my-reporter")]);
        assert_eq!(machine.chosen(&settings), "a/my-reporter ");
        // a folder stands for the program in it, and the option takes precedence over the variable
        settings.reporter = Some(machine.folder.path().join("b"));
        assert_eq!(machine.chosen(&settings), "b/Reporter.exe ");
        settings.reporter = Some(PathBuf::from("/no/such/thing"));
        let search = look(&settings);
        assert_eq!((search.places.len(), &search.chosen), (1, &None));
        let failure = search.failure("a.dtp");
        assert_eq!(
            failure.to_string(),
            "a.dtp: stage decoder: --reporter sets Reporter to /no/such/thing, where there is no file; name \
                 Reporter.exe or its folder"
        );
    }
}

/// On other systems, a program with that name on PATH may be anything, and must not be run on a snapshot.
#[test]
fn nothing_is_chosen_automatically_outside_windows() {
    let machine = Machine::with(&[
        "bin/Reporter.exe",
        "bin/Reporter",
        "local/JetBrains/Installations/dotTrace242/Reporter.exe",
    ]);
    for system in [System::Linux, System::MacOs] {
        let search = look(&machine.settings(system, &[]));
        assert_eq!((search.places.len(), &search.chosen), (0, &None));
    }
}

#[test]
fn bare_names_are_relative_to_the_working_directory() {
    let machine = Machine::with(&["bin/Reporter.exe"]);
    let mut settings = machine.settings(System::Windows, &[]);
    settings.reporter = Some(PathBuf::from("Reporter.exe"));
    let search = look(&settings);
    assert_eq!(
        search.places[0].path,
        std::env::current_dir().unwrap().join("Reporter.exe")
    );
    assert_eq!(search.chosen, None);
    // an existing file
    settings.reporter = Some(PathBuf::from("Cargo.toml"));
    assert!(look(&settings).chosen.unwrap().path.is_absolute());
    // variables outlive the folder in which they were set
    let variables = [("DOTSPOT_REPORTER", OsStr::new("Cargo.toml"))];
    for system in [System::Windows, System::Linux] {
        let settings = DecoderSettings::new(Environment::synthetic(
            system,
            machine.folder.path(),
            &variables,
        ));
        let search = look(&settings);
        assert_eq!(search.chosen, None);
        assert_eq!(
            search.failure("a.dtp").problem,
            "DOTSPOT_REPORTER sets Reporter to Cargo.toml, which is not an absolute path"
        );
    }
}

/// The quoted strings in a part of the helper's source.
fn quoted(from: &str, to: &str) -> Vec<&'static str> {
    let source = include_str!("../../../../helper/Places.cs");
    let part = source
        .split_once(from)
        .and_then(|(_, rest)| rest.split_once(to))
        .expect("the source has such a part")
        .0;
    part.split('"').skip(1).step_by(2).collect()
}

/// The helper has its own lists, since it looks for other files and runs standalone. This test states how they differ.
#[test]
fn the_helper_searches_the_same_installations() {
    // macOS folders, where there is no Reporter
    const OF_MACOS: &[&str] = &["DotFiles", "MacOS"];
    let mut theirs = quoted("FoldersOfAnInstall =", "};");
    theirs.retain(|folder| !OF_MACOS.contains(folder));
    theirs.sort_unstable();
    let mut ours: Vec<&str> = INSIDE
        .iter()
        .map(|folder| folder.trim_end_matches('/'))
        .collect();
    ours.sort_unstable();
    assert_eq!(ours, theirs);

    let installs = quoted(
        "case OperatingSystemKind.Windows:",
        "case OperatingSystemKind.MacOs:",
    );
    let (variables, patterns): (Vec<&str>, Vec<&str>) =
        installs.into_iter().partition(|text| !text.contains('/'));
    assert_eq!(variables, ["ProgramFiles", "LOCALAPPDATA"]);
    let is_ours = |pattern: &&str| INSTALLATIONS.iter().any(|(_, ours, _)| ours == pattern);
    let (same, others): (Vec<&str>, Vec<&str>) = patterns.into_iter().partition(is_ours);
    assert_eq!(same, ["JetBrains/*", "JetBrains/Installations/dotTrace*"]);
    // ours add Programs/* with both depths of the Toolbox, the packages, and a second
    // ProgramFiles
    assert_eq!(others, ["Programs/Rider", "JetBrains/Toolbox/apps/**"]);
    assert!(is_ours(&"Programs/*") && is_ours(&"JetBrains/Toolbox/apps/*"));
}

#[test]
fn all_searched_places_are_listed_if_nothing_is_found() {
    let machine = Machine::with(&[]);
    let search = look(&machine.settings(System::Windows, &[]));
    // six kinds of installations with six folders each, the packages, and one folder of PATH
    assert_eq!(search.places.len(), 38);
    assert!(search.places.iter().all(|place| !place.exists));
    let failure = search.failure("a.dtp");
    assert!(
        failure
            .problem
            .starts_with("no Reporter.exe is in the 38 places where"),
        "{}",
        failure.problem
    );
    assert_eq!(
        (failure.detail.len(), failure.stage),
        (38, Some(Stage::Decoder))
    );
    let shown = |place: &str| {
        failure
            .detail
            .iter()
            .any(|line| line.replace('\\', "/").ends_with(place))
    };
    assert!(
        shown("/local/JetBrains/Installations/dotTrace*/Reporter.exe"),
        "{:?}",
        failure.detail
    );
    assert!(shown(
        "/me/.nuget/packages/jetbrains.dottrace.commandlinetools*/*/tools/Reporter.exe"
    ));
    assert!(shown("/bin/Reporter.exe"));
    assert!(
        shown("%ProgramFiles(x86)%/JetBrains/*/Reporter.exe"),
        "a variable that is not set is named"
    );

    let failure = look(&machine.settings(System::Linux, &[])).failure("a.dtp");
    assert_eq!(
        failure.problem,
        "Reporter runs on Windows and this is Linux, and neither --reporter nor DOTSPOT_REPORTER names a program that \
             runs it"
    );
}
