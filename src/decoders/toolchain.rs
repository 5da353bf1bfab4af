//! Toolchains that can build and run the helper: the .NET SDK, or Mono's compiler and runtime.

use super::environment::is_program;
use super::{Environment, System};
use crate::child;
use crate::child::Stopped;
use crate::decoders::messages;
use crate::input::{ImportError, Progress};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long a toolchain may take to say its version.
const VERSION_LIMIT: Duration = Duration::from_secs(30);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerKind {
    Dotnet,
    /// Mono's compiler `mcs` and its runtime.
    Mono,
}

impl CompilerKind {
    /// All kinds, the one that is used first at the front: it alone loads assemblies of modern .NET.
    pub const ALL: [CompilerKind; 2] = [CompilerKind::Dotnet, CompilerKind::Mono];

    /// Its name in the names of folders.
    pub fn name(self) -> &'static str {
        match self {
            CompilerKind::Dotnet => "dotnet",
            CompilerKind::Mono => "mono",
        }
    }

    /// Its name for people.
    pub fn title(self) -> &'static str {
        match self {
            CompilerKind::Dotnet => ".NET SDK",
            CompilerKind::Mono => "Mono",
        }
    }

    /// The file that a build of the helper gives, and that is run.
    pub(super) fn program(self) -> &'static str {
        match self {
            CompilerKind::Dotnet => "dotspot-dtp.dll",
            CompilerKind::Mono => "dotspot-dtp.exe",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    pub kind: CompilerKind,
    /// The program that compiles: `dotnet` or `mcs`.
    pub compiler: PathBuf,
    /// The program that runs what was compiled: `dotnet` or `mono`.
    pub runtime: PathBuf,
    /// The version of the compiler or SDK, as it says.
    pub version: String,
}

/// A toolchain, or a sentence about what is missing.
pub type FoundToolchain = Result<Toolchain, String>;

/// Looks for a toolchain of one kind.
///
/// # Errors
/// A wish to stop.
pub fn look(
    kind: CompilerKind,
    environment: &Environment,
    progress: &Progress,
) -> Result<FoundToolchain, ImportError> {
    match kind {
        CompilerKind::Dotnet => look_for_dotnet(environment, progress),
        CompilerKind::Mono => look_for_mono(environment, progress),
    }
}

/// Looks for all kinds of toolchains.
///
/// # Errors
/// A wish to stop.
pub fn look_for_all(
    environment: &Environment,
    progress: &Progress,
) -> Result<Vec<(CompilerKind, FoundToolchain)>, ImportError> {
    CompilerKind::ALL
        .into_iter()
        .map(|kind| Ok((kind, look(kind, environment, progress)?)))
        .collect()
}

fn look_for_dotnet(
    environment: &Environment,
    progress: &Progress,
) -> Result<FoundToolchain, ImportError> {
    let folders = dotnet_folders(environment);
    let Some(dotnet) = find_program("dotnet", &folders, environment.system) else {
        return Ok(Err(messages::no_dotnet(&list_of(&folders))));
    };
    // prints nothing where only a runtime is installed
    let listed = ask(&dotnet, "--list-sdks", environment, progress)?;
    let sdks = match listed {
        Ok(lines) => lines,
        Err(problem) => return Ok(Err(problem)),
    };
    let version = sdks
        .iter()
        .rev()
        .filter_map(|line| line.split_whitespace().next())
        .find(|word| is_version(word));
    Ok(match version {
        Some(version) => Ok(Toolchain {
            kind: CompilerKind::Dotnet,
            runtime: dotnet.clone(),
            version: version.to_string(),
            compiler: dotnet,
        }),
        None => Err(messages::only_runtimes(&dotnet.display())),
    })
}

fn look_for_mono(
    environment: &Environment,
    progress: &Progress,
) -> Result<FoundToolchain, ImportError> {
    let folders = environment.program_folders();
    let (compiler, runtime) = (
        find_program("mcs", &folders, environment.system),
        find_program("mono", &folders, environment.system),
    );
    let (Some(compiler), Some(runtime)) = (&compiler, &runtime) else {
        let programs = [("mcs", &compiler), ("mono", &runtime)];
        let missing: Vec<&str> = programs
            .iter()
            .filter(|(_, path)| path.is_none())
            .map(|(name, _)| *name)
            .collect();
        return Ok(Err(format!(
            "no {} in {}",
            missing.join(" and no "),
            list_of(&folders)
        )));
    };
    let said = ask(compiler, "--version", environment, progress)?;
    Ok(said.and_then(|lines| {
        let version = lines
            .iter()
            .flat_map(|line| line.split_whitespace())
            .find(|word| is_version(word));
        let version = version
            .ok_or_else(|| messages::no_compiler_version(&compiler.display()))?
            .to_string();
        Ok(Toolchain {
            kind: CompilerKind::Mono,
            compiler: compiler.clone(),
            runtime: runtime.clone(),
            version,
        })
    }))
}

/// Where `dotnet` may be: its installer for one user changes no search path.
fn dotnet_folders(environment: &Environment) -> Vec<PathBuf> {
    let mut folders = environment.program_folders();
    folders.extend(environment.folder("DOTNET_ROOT"));
    folders.extend(environment.home().map(|home| home.join(".dotnet")));
    folders.extend(match environment.system {
        System::Windows => environment
            .folder("ProgramFiles")
            .map(|folder| folder.join("dotnet")),
        System::MacOs => Some(environment.fixed("/usr/local/share/dotnet")),
        System::Linux => None,
    });
    folders
}

fn list_of(folders: &[PathBuf]) -> String {
    let names: Vec<String> = folders
        .iter()
        .map(|folder| folder.display().to_string())
        .collect();
    if names.is_empty() {
        messages::SEARCH_PATH_EMPTY.into()
    } else {
        names.join(", ")
    }
}

/// The first program of that name in the folders.
fn find_program(name: &str, folders: &[PathBuf], system: System) -> Option<PathBuf> {
    let endings: &[&str] = if system == System::Windows {
        &[".exe", ".bat", ".cmd"]
    } else {
        &[""]
    };
    let paths = folders.iter().flat_map(|folder| {
        endings
            .iter()
            .map(move |ending| folder.join(format!("{name}{ending}")))
    });
    paths.into_iter().find(|path| is_program(path))
}

/// The lines that a program prints when it is asked something, or a sentence about why it doesn't.
fn ask(
    program: &Path,
    question: &str,
    environment: &Environment,
    progress: &Progress,
) -> Result<Result<Vec<String>, String>, ImportError> {
    let mut command = clean_command(program, environment);
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
    Ok(Err(format!(
        "{}, asked with {question}: {problem}",
        program.display()
    )))
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
pub(super) fn clean_command(program: &Path, environment: &Environment) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    for name in PASSED_ON {
        if let Some(value) = environment.variable(name) {
            command.env(name, value);
        }
    }
    command
        .env("LC_ALL", "C.UTF-8")
        .env("DOTNET_CLI_UI_LANGUAGE", "en");
    command
}

/// What to install, on a system.
pub fn what_to_install(system: System) -> &'static str {
    match system {
        System::Windows => messages::INSTALL_SDK_ON_WINDOWS,
        System::MacOs => messages::INSTALL_SDK_ON_MACOS,
        System::Linux => messages::INSTALL_SDK_ON_LINUX,
    }
}

#[cfg(all(test, unix))]
mod tests;
