//! What can build the helper and run it: the .NET SDK, or Mono's compiler and runtime.

use super::child::{self, Stopped};
use super::{Surroundings, System};
use crate::importers::{ImportError, Progress};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a toolchain may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

/// A kind of toolchain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The .NET SDK.
    Dotnet,
    /// Mono's compiler `mcs` and its runtime.
    Mono,
}

impl Kind {
    /// All kinds, the one that is used first at the front: it alone loads assemblies of modern .NET.
    pub const ALL: [Kind; 2] = [Kind::Dotnet, Kind::Mono];

    /// Its name in the names of folders.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Dotnet => "dotnet",
            Kind::Mono => "mono",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            Kind::Dotnet => ".NET SDK",
            Kind::Mono => "Mono",
        }
    }

    /// The file that a build of the helper gives, and that is run.
    pub(super) fn program(self) -> &'static str {
        match self {
            Kind::Dotnet => "dotspot-dtp.dll",
            Kind::Mono => "dotspot-dtp.exe",
        }
    }
}

/// A toolchain of this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// Which.
    pub kind: Kind,
    /// The program that compiles: `dotnet` or `mcs`.
    pub compiler: PathBuf,
    /// The program that runs what was compiled: `dotnet` or `mono`.
    pub runtime: PathBuf,
    /// The version of the compiler or SDK, as it says.
    pub version: String,
}

/// A toolchain, or a sentence about what is missing.
pub type Found = Result<Toolchain, String>;

/// Looks for a toolchain of one kind.
///
/// # Errors
/// A wish to stop.
pub fn look(kind: Kind, surroundings: &Surroundings, progress: &Progress) -> Result<Found, ImportError> {
    match kind {
        Kind::Dotnet => look_for_dotnet(surroundings, progress),
        Kind::Mono => look_for_mono(surroundings, progress),
    }
}

/// Looks for all kinds of toolchains.
///
/// # Errors
/// A wish to stop.
pub fn look_for_all(surroundings: &Surroundings, progress: &Progress) -> Result<Vec<(Kind, Found)>, ImportError> {
    Kind::ALL.into_iter().map(|kind| Ok((kind, look(kind, surroundings, progress)?))).collect()
}

fn look_for_dotnet(surroundings: &Surroundings, progress: &Progress) -> Result<Found, ImportError> {
    let folders = dotnet_folders(surroundings);
    let Some(dotnet) = find_program("dotnet", &folders, surroundings.system) else {
        return Ok(Err(format!("no dotnet in {}", list_of(&folders))));
    };
    // prints nothing where only a runtime is installed
    let listed = ask(&dotnet, "--list-sdks", surroundings, progress)?;
    let sdks = match listed {
        Ok(lines) => lines,
        Err(problem) => return Ok(Err(problem)),
    };
    let version = sdks.iter().rev().filter_map(|line| line.split_whitespace().next()).find(|word| is_version(word));
    Ok(match version {
        Some(version) => Ok(Toolchain {
            kind: Kind::Dotnet,
            runtime: dotnet.clone(),
            version: version.to_string(),
            compiler: dotnet,
        }),
        None => Err(format!("{} lists no SDK, only runtimes are installed with it", dotnet.display())),
    })
}

fn look_for_mono(surroundings: &Surroundings, progress: &Progress) -> Result<Found, ImportError> {
    let folders = path_folders(surroundings);
    let (compiler, runtime) =
        (find_program("mcs", &folders, surroundings.system), find_program("mono", &folders, surroundings.system));
    let (Some(compiler), Some(runtime)) = (&compiler, &runtime) else {
        let programs = [("mcs", &compiler), ("mono", &runtime)];
        let missing: Vec<&str> = programs.iter().filter(|(_, path)| path.is_none()).map(|(name, _)| *name).collect();
        return Ok(Err(format!("no {} in {}", missing.join(" and no "), list_of(&folders))));
    };
    let said = ask(compiler, "--version", surroundings, progress)?;
    Ok(said.and_then(|lines| {
        let version = lines.iter().flat_map(|line| line.split_whitespace()).find(|word| is_version(word));
        let version = version.ok_or_else(|| format!("{} --version names no version", compiler.display()))?.to_string();
        Ok(Toolchain { kind: Kind::Mono, compiler: compiler.clone(), runtime: runtime.clone(), version })
    }))
}

/// Where `dotnet` may be: its installer for one user changes no search path.
fn dotnet_folders(surroundings: &Surroundings) -> Vec<PathBuf> {
    let mut folders = path_folders(surroundings);
    folders.extend(surroundings.folder("DOTNET_ROOT"));
    folders.extend(surroundings.home().map(|home| home.join(".dotnet")));
    folders.extend(match surroundings.system {
        System::Windows => surroundings.folder("ProgramFiles").map(|folder| folder.join("dotnet")),
        System::MacOs => Some(surroundings.fixed("/usr/local/share/dotnet")),
        System::Linux => None,
    });
    folders
}

/// The folders of the search path. Ones that are relative to where the user stands are passed over: a downloaded folder must
/// not bring its own compiler.
fn path_folders(surroundings: &Surroundings) -> Vec<PathBuf> {
    let path = surroundings.variable("PATH").unwrap_or_default();
    std::env::split_paths(path).filter(|folder| folder.is_absolute()).collect()
}

fn list_of(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders.iter().map(|folder| folder.display().to_string()).collect();
    if names.is_empty() { "the search path, which is empty".into() } else { names.join(", ") }
}

/// The first program of that name in the folders.
fn find_program(name: &str, folders: &[PathBuf], system: System) -> Option<PathBuf> {
    let endings: &[&str] = if system == System::Windows { &[".exe", ".bat", ".cmd"] } else { &[""] };
    let paths =
        folders.iter().flat_map(|folder| endings.iter().map(move |ending| folder.join(format!("{name}{ending}"))));
    paths.into_iter().find(|path| is_program(path))
}

fn is_program(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    meta.is_file() && may_run
}

/// The lines that a program prints when it is asked something, or a sentence about why it doesn't.
fn ask(
    program: &Path,
    question: &str,
    surroundings: &Surroundings,
    progress: &Progress,
) -> Result<Result<Vec<String>, String>, ImportError> {
    let mut command = clean_command(program, surroundings);
    command.arg(question);
    let problem = match child::run(command, VERSION_LIMIT, progress) {
        Ok(ended) if ended.status.success() => return Ok(Ok(ended.stdout.lines())),
        Ok(ended) => ended.failed("", program).problem,
        Err(Stopped::Cancelled) => return Err(ImportError::Cancelled),
        Err(stopped) => match stopped.into_error("", program, VERSION_LIMIT) {
            ImportError::Failed(failure) => failure.problem,
            ImportError::Cancelled => return Err(ImportError::Cancelled),
        },
    };
    Ok(Err(format!("{}, asked with {question}: {problem}", program.display())))
}

fn is_version(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
}

/// The variables that a compiler may see. Everything else stays away from it: for MSBuild any variable is a property.
const PASSED_ON: &[&str] = &[
    "PATH",
    "HOME",
    "TMPDIR",
    "TEMP",
    "TMP",
    "LD_LIBRARY_PATH",
    "DYLD_FALLBACK_LIBRARY_PATH",
    "NIX_LD",
    "NIX_LD_LIBRARY_PATH",
    "DOTNET_ROOT",
    "SystemRoot",
    "SystemDrive",
    "windir",
    "ComSpec",
    "PATHEXT",
    "ProgramFiles",
    "ProgramFiles(x86)",
    "ProgramW6432",
    "ProgramData",
    "CommonProgramFiles",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "NUMBER_OF_PROCESSORS",
    "PROCESSOR_ARCHITECTURE",
    "OS",
];

/// A command whose environment is a short list of the user's variables, and whose language is English.
pub(super) fn clean_command(program: &Path, surroundings: &Surroundings) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    for name in PASSED_ON {
        if let Some(value) = surroundings.variable(name) {
            command.env(name, value);
        }
    }
    command.env("LC_ALL", "C.UTF-8").env("DOTNET_CLI_UI_LANGUAGE", "en");
    command
}

/// What to install, on a system.
pub fn what_to_install(system: System) -> &'static str {
    match system {
        System::Windows => {
            "install the .NET SDK: `winget install Microsoft.DotNet.SDK.10`, or from https://dot.net/download"
        }
        System::MacOs => "install the .NET SDK: `brew install dotnet`, or from https://dot.net/download",
        System::Linux => {
            "install the .NET SDK: package dotnet-sdk-10.0 of your distribution, or from https://dot.net/download; for assemblies \
             of .NET Framework mono-mcs and mono-runtime will do"
        }
    }
}
