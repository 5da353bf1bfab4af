//! Toolchains that can build and run the helper: the .NET SDK, or Mono's compiler and runtime.

use super::environment::is_program;
use super::{Environment, System};
use crate::child;
use crate::decoders::messages;
use crate::input::{ImportError, Progress};
use crate::words::words;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const VERSION_LIMIT: Duration = Duration::from_secs(30);

words! {
    /// In the order they are tried: only the first can load assemblies of modern .NET.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum CompilerKind {
        Dotnet = "dotnet",
        /// Mono's compiler `mcs` and its runtime.
        Mono = "mono",
    }
}

impl CompilerKind {
    pub fn title(self) -> &'static str {
        match self {
            CompilerKind::Dotnet => ".NET SDK",
            CompilerKind::Mono => "Mono",
        }
    }

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
    pub compiler: PathBuf,
    pub runtime: PathBuf,
    pub version: String,
}

pub type FoundToolchain = Result<Toolchain, String>;

pub fn look(
    kind: CompilerKind,
    environment: &Environment,
    progress: &Progress,
) -> Result<FoundToolchain, ImportError> {
    let (names, question, folders) = match kind {
        CompilerKind::Dotnet => (["dotnet"; 2], "--list-sdks", dotnet_folders(environment)),
        CompilerKind::Mono => (["mcs", "mono"], "--version", environment.program_folders()),
    };
    let found = names.map(|name| find_program(name, &folders, environment.system));
    let [Some(compiler), Some(runtime)] = &found else {
        let missing = names.iter().zip(&found).filter(|(_, path)| path.is_none());
        let mut missing: Vec<&str> = missing.map(|(name, _)| *name).collect();
        missing.dedup();
        let missing = missing.join(" and no ");
        return Ok(Err(messages::no_program(&missing, &list_of(&folders))));
    };
    let output = ask(compiler, question, environment, progress)?;
    Ok(output.and_then(|lines| {
        // of several SDKs, the newest comes last
        let mut words = lines.iter().rev().flat_map(|line| line.split_whitespace());
        let version = words.find(|word| is_version(word)).ok_or_else(|| {
            let shown = compiler.display();
            match kind {
                CompilerKind::Dotnet => messages::only_runtimes(&shown),
                CompilerKind::Mono => messages::no_compiler_version(&shown),
            }
        });
        Ok(Toolchain {
            kind,
            version: version?.to_string(),
            compiler: compiler.clone(),
            runtime: runtime.clone(),
        })
    }))
}

pub fn look_for_all(
    environment: &Environment,
    progress: &Progress,
) -> Result<Vec<(CompilerKind, FoundToolchain)>, ImportError> {
    CompilerKind::ALL
        .into_iter()
        .map(|kind| Ok((kind, look(kind, environment, progress)?)))
        .collect()
}

/// The per-user installer doesn't change the search path.
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
    let names = folders.iter().map(|folder| folder.display().to_string());
    match names.collect::<Vec<_>>().join(", ") {
        names if names.is_empty() => messages::SEARCH_PATH_EMPTY.into(),
        names => names,
    }
}

fn find_program(name: &str, folders: &[PathBuf], system: System) -> Option<PathBuf> {
    let endings: &[&str] = match system == System::Windows {
        true => &[".exe", ".bat", ".cmd"],
        false => &[""],
    };
    let files = |folder: &PathBuf| {
        endings
            .iter()
            .map(|ending| folder.join(format!("{name}{ending}")))
            .collect::<Vec<_>>()
    };
    folders.iter().flat_map(files).find(|path| is_program(path))
}

fn ask(
    program: &Path,
    question: &str,
    environment: &Environment,
    progress: &Progress,
) -> Result<Result<Vec<String>, String>, ImportError> {
    let mut command = clean_command(program, environment);
    command.arg(question);
    let failure = match child::run(command, VERSION_LIMIT, progress) {
        Ok(ended) if ended.status.success() => return Ok(Ok(ended.stdout.lines())),
        Ok(ended) => ended.failure("", program),
        Err(stopped) => stopped.into_error("", program, VERSION_LIMIT).failure()?,
    };
    let (program, problem) = (program.display(), failure.problem);
    Ok(Err(format!("{program}, asked with {question}: {problem}")))
}

fn is_version(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.')
}

/// Passed to a compiler. All others are withheld, because MSBuild treats every variable as a property.
const PASSED_ON: &str = "PATH HOME TMPDIR TEMP TMP LD_LIBRARY_PATH DYLD_FALLBACK_LIBRARY_PATH NIX_LD \
    NIX_LD_LIBRARY_PATH DOTNET_ROOT SystemRoot SystemDrive windir ComSpec PATHEXT \
    ProgramFiles ProgramFiles(x86) ProgramW6432 ProgramData CommonProgramFiles USERPROFILE \
    APPDATA LOCALAPPDATA NUMBER_OF_PROCESSORS PROCESSOR_ARCHITECTURE OS";

/// Few of the user's environment variables, and English messages.
pub(super) fn clean_command(program: &Path, environment: &Environment) -> Command {
    let mut command = Command::new(program);
    command.env_clear();
    for name in PASSED_ON.split_whitespace() {
        if let Some(value) = environment.variable(name) {
            command.env(name, value);
        }
    }
    command
        .env("LC_ALL", "C.UTF-8")
        .env("DOTNET_CLI_UI_LANGUAGE", "en");
    command
}

pub fn what_to_install(system: System) -> &'static str {
    match system {
        System::Windows => messages::INSTALL_SDK_ON_WINDOWS,
        System::MacOs => messages::INSTALL_SDK_ON_MACOS,
        System::Linux => messages::INSTALL_SDK_ON_LINUX,
    }
}

#[cfg(all(test, unix))]
mod tests;
