//! Finds Reporter: at the user's path or, on Windows, where dotTrace, its command-line tools and Rider install it.

use crate::decoders::environment::{absolute, matching};
use crate::decoders::messages;
use crate::decoders::settings::DecoderSettings;
use crate::decoders::{Environment, System};
use crate::input::{Failure, Stage};
use crate::units::counted;
use std::cmp::Reverse;
use std::path::{Path, PathBuf};

const PROGRAM: &str = "Reporter.exe";
pub(in crate::decoders) const VARIABLE: &str = "DOTSPOT_REPORTER";

const NUGET_PACKAGES: &str = "NUGET_PACKAGES";

/// Where JetBrains programs may be on Windows: an environment variable, folders below its value, and a description. A
/// test compares this with `helper/Places.cs`.
const INSTALLATIONS: &[(&str, &str, &str)] = &[
    (
        "LOCALAPPDATA",
        "JetBrains/Installations/dotTrace*",
        "dotTrace",
    ),
    (
        NUGET_PACKAGES,
        "jetbrains.dottrace.commandlinetools*/*/tools",
        "NuGet package",
    ),
    ("ProgramFiles", "JetBrains/*", "Rider or dotTrace"),
    ("ProgramFiles(x86)", "JetBrains/*", "Rider or dotTrace"),
    ("LOCALAPPDATA", "Programs/*", "Rider or dotTrace"),
    ("LOCALAPPDATA", "JetBrains/Toolbox/apps/*", "Toolbox"),
    ("LOCALAPPDATA", "JetBrains/Toolbox/apps/*/*/*", "Toolbox"),
];

/// Where the profiler's programs are, within the folder of Rider or dotTrace.
const INSIDE: &[&str] = &[
    "",
    "plugins/dotTrace.dotMemory/DotFiles/",
    "plugins/dotTrace/DotFiles/",
    "plugins/dotCommon/DotFiles/",
    "tools/profiler/",
    "lib/ReSharperHost/",
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReporterPlace {
    pub path: PathBuf,
    pub what: &'static str,
    pub exists: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reporter {
    pub path: PathBuf,
    pub version: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReporterSearch {
    pub system: System,
    pub places: Vec<ReporterPlace>,
    pub chosen: Option<Reporter>,
}

pub fn is_named(settings: &DecoderSettings) -> bool {
    settings.reporter.is_some() || settings.environment.variable(VARIABLE).is_some()
}

pub fn look(settings: &DecoderSettings) -> ReporterSearch {
    let environment = &settings.environment;
    let system = environment.system;
    // a bare name would be looked up in PATH when run, but here it means a file in the user's working directory
    let option = settings
        .reporter
        .as_deref()
        .map(|path| (absolute(path), "--reporter"));
    let variable = environment.variable(VARIABLE);
    let named = option.or_else(|| Some((PathBuf::from(variable?), VARIABLE)));
    let places = match named {
        Some((mut path, what)) => {
            if path.is_dir() {
                path.push(PROGRAM);
            }
            let exists = path.is_absolute() && path.is_file();
            vec![ReporterPlace { path, what, exists }]
        }
        // on other systems, a program with that name is something else
        None if system == System::Windows => all_places(environment),
        None => Vec::new(),
    };
    let found = places.iter().filter(|place| place.exists);
    // of equals, `min` returns the first
    let newest = found.min_by_key(|place| Reverse(version_of(&place.path)));
    let chosen = newest.map(|place| Reporter {
        path: place.path.clone(),
        version: version_text(&version_of(&place.path)),
    });
    ReporterSearch {
        system,
        places,
        chosen,
    }
}

impl ReporterSearch {
    pub fn failure(&self, file: &str) -> Failure {
        let (problem, advice) = match (self.places.as_slice(), self.system) {
            ([place], _) if place.what == "--reporter" || place.what == VARIABLE => {
                let why = match place.path.is_absolute() {
                    true => messages::WHERE_THERE_NO_FILE,
                    false => messages::NOT_ABSOLUTE_PATH,
                };
                let problem = messages::bad_reporter_path(&place.what, &place.path.display(), &why);
                (problem, messages::NAME_REPORTER.to_string())
            }
            (_, System::Windows) => {
                let count = counted(self.places.len() as u64, "place");
                let problem = messages::no_reporter_in_usual_places(&count);
                (problem, messages::get_reporter(&VARIABLE))
            }
            (_, other) => (
                messages::reporter_needs_windows(&other.name(), &VARIABLE),
                messages::NAME_REPORTER_SCRIPT.to_string(),
            ),
        };
        let line = |place: &ReporterPlace| format!("{}: {}", place.what, place.path.display());
        let failure = Failure::new(file, "", problem)
            .advice(advice)
            .stage(Stage::Decoder);
        let failure = failure.detail(self.places.iter().map(line));
        match self.places.len() {
            // if the user named it, that is reported in full
            1 => failure,
            _ => failure.short(messages::NO_REPORTER),
        }
    }
}

fn all_places(environment: &Environment) -> Vec<ReporterPlace> {
    let mut places = Vec::new();
    for &(variable, folders, what) in INSTALLATIONS {
        // packages have no subfolders
        let inside = match variable {
            NUGET_PACKAGES => &INSIDE[..1],
            _ => INSIDE,
        };
        for inside in inside {
            let pattern = format!("{folders}/{inside}{PROGRAM}");
            places.extend(places_below(environment, variable, &pattern, what));
        }
    }
    let folders = environment.program_folders().into_iter();
    places.extend(folders.map(|folder| ReporterPlace {
        exists: folder.join(PROGRAM).is_file(),
        path: folder.join(PROGRAM),
        what: "PATH",
    }));
    places
}

/// The paths that match a pattern below the folder of a variable; the pattern itself if there are none.
fn places_below(
    environment: &Environment,
    variable: &str,
    pattern: &str,
    what: &'static str,
) -> Vec<ReporterPlace> {
    let folder = environment.folder(variable).or_else(|| {
        let home = environment.home().filter(|_| variable == NUGET_PACKAGES)?;
        Some(home.join(".nuget").join("packages"))
    });
    let place = |path, exists| ReporterPlace { path, what, exists };
    let found = folder.as_deref();
    let found = found.map_or(Vec::new(), |folder| matching(folder, pattern));
    if found.is_empty() {
        let mut path = folder.unwrap_or_else(|| PathBuf::from(format!("%{variable}%")));
        path.extend(pattern.split('/'));
        return vec![place(path, false)];
    }
    found.into_iter().map(|path| place(path, true)).collect()
}

/// In the name of the innermost folder above a file that has one; empty if none has.
fn version_of(path: &Path) -> Vec<u32> {
    let folders = path.ancestors().skip(1);
    let mut versions = folders.filter_map(|folder| Some(version_in(folder.file_name()?.to_str()?)));
    versions
        .find(|version| !version.is_empty())
        .unwrap_or_default()
}

/// The version in `2024.3.1`, `JetBrains Rider 2024.1.4`, `dotTrace243`. A prerelease (`2025.1.0-eap02`) keeps only two
/// numbers, to sort before its release.
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

fn version_text(version: &[u32]) -> String {
    let numbers: Vec<String> = version.iter().map(u32::to_string).collect();
    numbers.join(".")
}

#[cfg(test)]
mod tests;
