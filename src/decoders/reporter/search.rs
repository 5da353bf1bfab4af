//! Finds Reporter: at the user's path, else, on Windows, where dotTrace, its command-line tools and Rider install it.

use crate::decoders::environment::matching;
use crate::decoders::messages;
use crate::decoders::settings::DecoderSettings;
use crate::decoders::{Environment, System};
use crate::input::{Failure, Stage};
use crate::units::counted;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "Reporter.exe";
/// The environment variable that says where it is.
pub(super) const VARIABLE: &str = "DOTSPOT_REPORTER";

enum Base {
    /// The folder that an environment variable names.
    Variable(&'static str),
    /// Where NuGet unpacks packages for this user.
    NuGet,
}

/// Where on Windows a program of JetBrains' may lie: below what, which folders, and what that is. `helper/Places.cs` has a
/// list of its own, which a test compares with this one.
const INSTALLATIONS: &[(Base, &str, &str)] = &[
    (
        Base::Variable("LOCALAPPDATA"),
        "JetBrains/Installations/dotTrace*",
        "dotTrace",
    ),
    (
        Base::NuGet,
        "jetbrains.dottrace.commandlinetools*/*/tools",
        "NuGet package",
    ),
    (
        Base::Variable("ProgramFiles"),
        "JetBrains/*",
        "Rider or dotTrace",
    ),
    (
        Base::Variable("ProgramFiles(x86)"),
        "JetBrains/*",
        "Rider or dotTrace",
    ),
    (
        Base::Variable("LOCALAPPDATA"),
        "Programs/*",
        "Rider or dotTrace",
    ),
    (
        Base::Variable("LOCALAPPDATA"),
        "JetBrains/Toolbox/apps/*",
        "Toolbox",
    ),
    (
        Base::Variable("LOCALAPPDATA"),
        "JetBrains/Toolbox/apps/*/*/*",
        "Toolbox",
    ),
];

/// Where Rider and dotTrace have their profiler's programs, below their own folder.
const INSIDE: &[&str] = &[
    "",
    "plugins/dotTrace.dotMemory/DotFiles/",
    "plugins/dotTrace/DotFiles/",
    "plugins/dotCommon/DotFiles/",
    "tools/profiler/",
    "lib/ReSharperHost/",
];

/// A place where Reporter may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReporterPlace {
    /// The file; with `*` and `%NAME%` where no such folder is there.
    pub path: PathBuf,
    /// What led there: an option, a variable, or whose folder it is.
    pub what: &'static str,
    pub found: bool,
}

/// A Reporter that can be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporter {
    pub path: PathBuf,
    /// Its version, as the folders above it say; empty if they don't.
    pub version: String,
}

/// What came of looking for Reporter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReporterSearch {
    pub system: System,
    /// All places, in the order in which they count.
    pub places: Vec<ReporterPlace>,
    /// The newest one that is there, or the one the user named.
    pub chosen: Option<Reporter>,
}

/// Whether the user names a Reporter, be it there or not.
pub fn is_named(settings: &DecoderSettings) -> bool {
    settings.reporter.is_some() || settings.environment.variable(VARIABLE).is_some()
}

/// Looks for Reporter. What the user names is taken or missed; nothing else is looked at then.
pub fn look(settings: &DecoderSettings) -> ReporterSearch {
    let environment = &settings.environment;
    let system = environment.system;
    // a name alone would be searched for in PATH when it is run, and here it means the folder where the user stands
    let option = settings
        .reporter
        .as_deref()
        .map(|path| std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()));
    let named = option.map(|path| (path, "--reporter"));
    let named = named.or_else(|| {
        environment
            .variable(VARIABLE)
            .map(|value| (PathBuf::from(value), VARIABLE))
    });
    let places = match named {
        Some((path, what)) => {
            let path = if path.is_dir() {
                path.join(PROGRAM)
            } else {
                path
            };
            vec![ReporterPlace {
                found: path.is_absolute() && path.is_file(),
                path,
                what,
            }]
        }
        // elsewhere a program of that name is another one
        None if system == System::Windows => all_places(environment),
        None => Vec::new(),
    };
    let found = places.iter().filter(|place| place.found);
    // of equals the first is taken, which `min` does
    let newest = found.min_by_key(|place| Reverse(version_of(&place.path)));
    let chosen = newest.map(|place| Reporter {
        path: place.path.clone(),
        version: shown(&version_of(&place.path)),
    });
    ReporterSearch {
        system,
        places,
        chosen,
    }
}

impl ReporterSearch {
    /// Why there is no Reporter to run.
    pub fn failure(&self, file: &str) -> Failure {
        let (problem, advice) = match (self.places.as_slice(), self.system) {
            ([place], _) if place.what == "--reporter" || place.what == VARIABLE => {
                let why = if place.path.is_absolute() {
                    messages::WHERE_THERE_NO_FILE
                } else {
                    messages::NOT_ABSOLUTE_PATH
                };
                let problem = messages::bad_reporter_path(&place.what, &place.path.display(), &why);
                (problem, messages::NAME_REPORTER.to_string())
            }
            (_, System::Windows) => (
                {
                    let count = counted(self.places.len() as u64, "place");
                    messages::no_reporter_in_usual_places(&count)
                },
                messages::get_reporter(&VARIABLE),
            ),
            (_, other) => (
                messages::reporter_needs_windows(&other.name(), &VARIABLE),
                messages::NAME_REPORTER_SCRIPT.to_string(),
            ),
        };
        let looked_at = self
            .places
            .iter()
            .map(|place| format!("{}: {}", place.what, place.path.display()));
        let failure = Failure::new(file, "", problem)
            .advice(advice)
            .stage(Stage::Decoder)
            .detail(looked_at);
        // what the user has named wrongly is told in full
        if self.places.len() == 1 {
            failure
        } else {
            failure.short(messages::NO_REPORTER)
        }
    }
}

/// All places that are searched unasked, on Windows.
fn all_places(environment: &Environment) -> Vec<ReporterPlace> {
    let mut places = Vec::new();
    for (base, folders, what) in INSTALLATIONS {
        // packages are flat
        let inside = if matches!(base, Base::NuGet) {
            &INSIDE[..1]
        } else {
            INSIDE
        };
        for inside in inside {
            places.extend(places_below(
                environment,
                base,
                &format!("{folders}/{inside}{PROGRAM}"),
                what,
            ));
        }
    }
    let programs = environment
        .program_folders()
        .into_iter()
        .map(|folder| folder.join(PROGRAM));
    places.extend(programs.map(|path| ReporterPlace {
        found: path.is_file(),
        path,
        what: "PATH",
    }));
    places
}

/// What fits a pattern below a base; the pattern itself if nothing does.
fn places_below(
    environment: &Environment,
    base: &Base,
    pattern: &str,
    what: &'static str,
) -> Vec<ReporterPlace> {
    let (folder, name) = match base {
        Base::Variable(variable) => (environment.folder(variable), format!("%{variable}%")),
        Base::NuGet => {
            let usual = || {
                environment
                    .home()
                    .map(|home| home.join(".nuget").join("packages"))
            };
            (
                environment.folder("NUGET_PACKAGES").or_else(usual),
                "%NUGET_PACKAGES%".into(),
            )
        }
    };
    let found = folder
        .as_deref()
        .map_or(Vec::new(), |folder| matching(folder, pattern));
    if found.is_empty() {
        let mut path = folder.unwrap_or_else(|| PathBuf::from(name));
        path.extend(pattern.split('/'));
        return vec![ReporterPlace {
            path,
            what,
            found: false,
        }];
    }
    found
        .into_iter()
        .map(|path| ReporterPlace {
            path,
            what,
            found: true,
        })
        .collect()
}

/// The version that the innermost folder above a file names; empty if none does.
fn version_of(path: &Path) -> Vec<u32> {
    let folders = path
        .ancestors()
        .skip(1)
        .filter_map(|folder| folder.file_name()?.to_str());
    folders
        .map(version_in)
        .find(|version| !version.is_empty())
        .unwrap_or_default()
}

/// The version in the name of a folder: `2024.3.1`, `JetBrains Rider 2024.1.4`, `dotTrace243`. JetBrains counts by years, so
/// other numbers are none. What is given out early (`2025.1.0-eap02`) keeps two numbers, and so comes before what it becomes.
fn version_in(name: &str) -> Vec<u32> {
    let lower = name.to_ascii_lowercase();
    let digits = lower
        .strip_prefix("dottrace")
        .and_then(|rest| rest.get(..3))
        .filter(|_| !lower.contains('.'));
    if let Some(short @ 100..) = digits.and_then(|digits| digits.parse::<u32>().ok()) {
        return vec![2000 + short / 10, short % 10];
    }
    let runs = lower.split(|c: char| !c.is_ascii_digit() && c != '.');
    let mut versions = runs.map(|run| {
        run.split('.')
            .map_while(|part| part.parse().ok())
            .collect::<Vec<u32>>()
    });
    let is_version = |numbers: &Vec<u32>| numbers.len() > 1 && (2000..2100).contains(&numbers[0]);
    let mut version = versions.find(is_version).unwrap_or_default();
    if lower.contains("-eap") || lower.contains("-rc") {
        version.truncate(2);
    }
    version
}

fn shown(version: &[u32]) -> String {
    version
        .iter()
        .map(u32::to_string)
        .collect::<Vec<_>>()
        .join(".")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    #[test]
    fn versions_are_read_from_names_of_folders() {
        #[track_caller]
        fn check(path: &str, expect: &str) {
            assert_eq!(shown(&version_of(Path::new(path))), expect);
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

    /// A made-up machine with these files, and what is chosen on it.
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
            DecoderSettings::new(Environment::made_up(system, self.folder.path(), &variables))
        }

        /// The chosen file below the folder, with its version.
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
    fn the_newest_reporter_is_taken_on_windows() {
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

    #[test]
    fn what_the_user_names_counts_and_nothing_else() {
        let machine = Machine::with(&[
            "bin/Reporter.exe",
            "a/my-reporter",
            "b/Reporter.exe",
            "local/JetBrains/Installations/dotTrace242/Reporter.exe",
        ]);
        for system in [System::Windows, System::Linux] {
            let mut settings = machine.settings(system, &[("DOTSPOT_REPORTER", "a/my-reporter")]);
            assert_eq!(machine.chosen(&settings), "a/my-reporter ");
            // a folder means the program in it, and the option goes before the variable
            settings.reporter = Some(machine.folder.path().join("b"));
            assert_eq!(machine.chosen(&settings), "b/Reporter.exe ");
            settings.reporter = Some(PathBuf::from("/no/such/thing"));
            let search = look(&settings);
            assert_eq!((search.places.len(), &search.chosen), (1, &None));
            let failure = search.failure("a.dtp");
            assert_eq!(
                failure.to_string(),
                "a.dtp: stage decoder: --reporter says that Reporter is /no/such/thing, where there is no file; name \
                 Reporter.exe or its folder"
            );
        }
    }

    /// A program of that name on PATH may be anything elsewhere, and is not to be run on a snapshot.
    #[test]
    fn elsewhere_nothing_is_taken_unasked() {
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
    fn names_without_a_folder_are_those_of_the_folder_where_the_user_stands() {
        let machine = Machine::with(&["bin/Reporter.exe"]);
        let mut settings = machine.settings(System::Windows, &[]);
        settings.reporter = Some(PathBuf::from("Reporter.exe"));
        let search = look(&settings);
        assert_eq!(
            search.places[0].path,
            std::env::current_dir().unwrap().join("Reporter.exe")
        );
        assert_eq!(search.chosen, None);
        // a file that is there
        settings.reporter = Some(PathBuf::from("Cargo.toml"));
        assert!(look(&settings).chosen.unwrap().path.is_absolute());
        // variables outlive the folder in which they were set
        let variables = [("DOTSPOT_REPORTER", OsStr::new("Cargo.toml"))];
        for system in [System::Windows, System::Linux] {
            let settings = DecoderSettings::new(Environment::made_up(
                system,
                machine.folder.path(),
                &variables,
            ));
            let search = look(&settings);
            assert_eq!(search.chosen, None);
            assert_eq!(
                search.failure("a.dtp").problem,
                "DOTSPOT_REPORTER says that Reporter is Cargo.toml, which is not an absolute path"
            );
        }
    }

    /// What stands in quotes in a part of the helper's source.
    fn quoted(from: &str, to: &str) -> Vec<&'static str> {
        let source = include_str!("../../../helper/Places.cs");
        let part = source
            .split_once(from)
            .and_then(|(_, rest)| rest.split_once(to))
            .expect("the source has such a part")
            .0;
        part.split('"').skip(1).step_by(2).collect()
    }

    /// The helper has lists of its own, for it looks for other files and runs by itself. Where they differ is said here.
    #[test]
    fn the_helper_looks_in_the_same_installs() {
        // folders of macOS, where no Reporter is
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
        // ours are wider by Programs/* and have the two depths of the Toolbox, by the packages and by a second ProgramFiles
        assert_eq!(others, ["Programs/Rider", "JetBrains/Toolbox/apps/**"]);
        assert!(is_ours(&"Programs/*") && is_ours(&"JetBrains/Toolbox/apps/*"));
    }

    #[test]
    fn all_places_are_told_when_nothing_is_found() {
        let machine = Machine::with(&[]);
        let search = look(&machine.settings(System::Windows, &[]));
        // six kinds of installations with six folders each, the packages, and one folder of PATH
        assert_eq!(search.places.len(), 38);
        assert!(search.places.iter().all(|place| !place.found));
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
}
