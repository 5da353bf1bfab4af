//! The .NET helper: built once per toolchain from sources bundled with dotspot.

use super::Environment;
use super::cache::{self, Cache, fingerprint, plain_char};
use super::environment::absolute;
use super::settings::DecoderSettings;
use super::toolchain::{self, CompilerKind, Toolchain, clean_command};
use crate::child::{self, Ended};
use crate::decoders::messages;
use crate::diagnostics::Diagnostic;
use crate::input::{Failure, ImportError, Progress, Stage, name_of, plain};
use include_dir::{Dir, include_dir};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

const SUBJECT: &str = "decoder assemblies";
const INSTALL_VARIABLE: &str = "JETBRAINS_PROFILER_PATH";
const OUT: &str = "out";
static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/helper");

fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = FOLDER.files();
    files
        .filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
        .filter(|(name, _)| !name.ends_with(".md") && !name.starts_with('.'))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    pub toolchain: Toolchain,
    pub program: PathBuf,
}

/// Prefixes of variables that change how a .NET program behaves. Sources: .NET's documentation of profiling, startup
/// hooks and garbage collection, and `man mono`.
const INTERFERING_PREFIXES: &str =
    "CORECLR_ COR_ COMPLUS_ DOTNET_STARTUP_HOOKS DOTNET_GC DOTNET_ADDITIONAL_DEPS MONO_";

impl Helper {
    /// Runs in its own folder, without variables that would profile it or inject libraries.
    pub(super) fn command(&self, environment: &Environment) -> Command {
        let mut command = Command::new(&self.toolchain.runtime);
        let is_harmless = |(name, _): &(&OsString, &OsString)| {
            let name = name.to_string_lossy().to_ascii_uppercase();
            let mut prefixes = INTERFERING_PREFIXES.split(' ');
            !prefixes.any(|prefix| name.starts_with(prefix))
        };
        let variables = environment.variables.iter().filter(is_harmless);
        command.env_clear().envs(variables);
        if let Some(install) = install_of(environment) {
            command.env(INSTALL_VARIABLE, install);
        }
        command
            .current_dir(self.program.parent().unwrap_or(Path::new("/")))
            .arg(&self.program);
        command
    }
}

pub(super) fn install_of(environment: &Environment) -> Option<PathBuf> {
    let path = Path::new(environment.variable(INSTALL_VARIABLE)?);
    Some(absolute(path))
}

pub fn hash() -> String {
    fingerprint(sources().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]))
}

fn build_name(toolchain: &Toolchain) -> String {
    let version: String = toolchain.version.chars().map(plain_char).collect();
    format!("{}-{}-{version}", hash(), toolchain.kind.name())
}

pub fn built(environment: &Environment, toolchain: &Toolchain) -> Option<Helper> {
    built_in(
        &cache::helper_folder(environment)?.join(build_name(toolchain)),
        toolchain,
    )
}

fn built_in(folder: &Path, toolchain: &Toolchain) -> Option<Helper> {
    let program = folder.join(toolchain.kind.program());
    program.is_file().then(|| Helper {
        toolchain: toolchain.clone(),
        program,
    })
}

pub(super) struct ReadyHelper {
    pub helper: Helper,
    pub passed_over: Vec<Failure>,
}

impl ReadyHelper {
    pub(super) fn remarks(&self) -> impl Iterator<Item = Diagnostic> {
        let toolchain = self.helper.toolchain.kind.title();
        let remark = move |failure: &Failure| Diagnostic::ToolchainPassedOver {
            toolchain: toolchain.into(),
            reason: failure.reason(),
        };
        self.passed_over.iter().map(remark)
    }
}

/// The cached helper, or one built with the first toolchain on this machine that can.
pub(super) fn prepare(
    settings: &DecoderSettings,
    cache: &Cache,
    progress: &Progress,
) -> Result<ReadyHelper, ImportError> {
    let (mut missing, mut failures) = (Vec::new(), Vec::new());
    for kind in CompilerKind::ALL {
        let toolchain = match toolchain::look(kind, &settings.environment, progress)? {
            Ok(toolchain) => toolchain,
            Err(problem) => {
                missing.push(format!("{}: {problem}", kind.title()));
                continue;
            }
        };
        match prepare_with(toolchain, settings, cache, progress) {
            Ok(helper) => {
                let passed_over = failures;
                return Ok(ReadyHelper {
                    helper,
                    passed_over,
                });
            }
            Err(error) => failures.push(error.failure()?),
        }
    }
    Err(no_toolchain_builds(failures, missing, &settings.environment).into())
}

fn prepare_with(
    toolchain: Toolchain,
    settings: &DecoderSettings,
    cache: &Cache,
    progress: &Progress,
) -> Result<Helper, ImportError> {
    let helpers = cache.helpers().map_err(not_writable)?;
    let target = helpers.join(build_name(&toolchain));
    if let Some(helper) = built_in(&target, &toolchain) {
        return Ok(helper);
    }
    progress.begin("building the helper");
    build(&toolchain, cache, &target, settings, progress)?;
    let program = target.join(toolchain.kind.program());
    Ok(Helper { toolchain, program })
}

fn no_toolchain_builds(
    failures: Vec<Failure>,
    missing: Vec<String>,
    environment: &Environment,
) -> Failure {
    let mut failure = match failures.len() {
        0 => {
            let problem = messages::NO_COMPILER;
            let failure = Failure::new(SUBJECT, "", problem).short(messages::NO_COMPILER_SHORT);
            failure.advice(toolchain::what_to_install(environment.system))
        }
        _ => {
            let joined = |part: fn(&Failure) -> &str| {
                failures.iter().map(part).collect::<Vec<_>>().join("; ")
            };
            let all = Failure::new(SUBJECT, "", joined(|failure| &failure.problem));
            let all = all.advice(joined(|failure| &failure.advice));
            all.detail(failures.into_iter().flat_map(|failure| failure.detail))
        }
    };
    failure.detail.extend(missing);
    failure.stage(Stage::Build)
}

fn build(
    toolchain: &Toolchain,
    cache: &Cache,
    target: &Path,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<(), ImportError> {
    let environment = &settings.environment;
    let folder = environment.scratch().map_err(not_writable)?;
    write_sources(folder.path()).map_err(not_writable)?;
    let command = compile_command(toolchain, folder.path(), environment);
    let (title, compiler) = (toolchain.kind.title(), toolchain.compiler.display());
    let head = format!("{title} {}, {compiler}\n{command:?}\n\n", toolchain.version);
    let save_log = |text: &str| {
        let log = write_log(&format!("{head}{text}"), cache, target, environment);
        log.map_or_else(
            || messages::LOG_NOT_WRITTEN.into(),
            |log| messages::log_is_in(&log.display()),
        )
    };
    let ended = child::run(command, settings.limit, progress).map_err(|stopped| {
        let error = stopped.into_error(SUBJECT, &toolchain.compiler, settings.limit);
        // if the compiler was killed, the log has its output up to that point
        error.map(|failure| {
            let (detail, problem) = (failure.detail.join("\n"), &failure.problem);
            let log = save_log(&format!("{detail}\n{problem}\n"));
            let advice = format!("{}; {log}", failure.advice);
            failure.advice(advice).stage(Stage::Build)
        })
    })?;
    let out = folder.path().join(OUT);
    let has_output = out.join(toolchain.kind.program()).is_file();
    let has_succeeded = ended.status.success();
    let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
    // without a cache, only the log of a failure is kept
    let log_note = match has_succeeded && has_output && !cache.is_lasting() {
        true => String::new(),
        false => save_log(&messages::build_log(&stdout, &stderr, &ended.status)),
    };
    let failure = match (has_succeeded, has_output) {
        (true, true) => {
            return Ok(put_in_place(&out, cache, target, toolchain).map_err(not_writable)?);
        }
        (true, false) => {
            let compiler = name_of(&toolchain.compiler);
            let problem = messages::compiler_produced_nothing(&compiler, &toolchain.kind.program());
            Failure::new(SUBJECT, "", problem)
        }
        (false, _) => build_failure(toolchain, &ended, folder.path()),
    };
    Err(failure.advice(log_note).stage(Stage::Build).into())
}

fn write_sources(folder: &Path) -> io::Result<()> {
    for (name, text) in sources() {
        fs::write(folder.join(name), text)?;
    }
    // otherwise, one in a parent folder would apply its rules to this code
    fs::write(folder.join(".editorconfig"), "root = true\n")?;
    fs::create_dir(folder.join(OUT))
}

fn compile_command(toolchain: &Toolchain, folder: &Path, environment: &Environment) -> Command {
    let mut command = clean_command(&toolchain.compiler, environment);
    command.current_dir(folder);
    match toolchain.kind {
        CompilerKind::Dotnet => dotnet_build(&mut command, folder),
        CompilerKind::Mono => {
            let out = Path::new(OUT).join(toolchain.kind.program());
            command
                .args(["-langversion:7", "-codepage:utf8", "-optimize+"])
                .arg(format!("-out:{}", out.display()));
            let names = sources().map(|(name, _)| name);
            command.args(names.filter(|name| name.ends_with(".cs")));
        }
    }
    command
}

fn dotnet_build(command: &mut Command, folder: &Path) {
    let mut config = OsString::from("-p:RestoreConfigFile=");
    config.push(folder.join("nuget.config"));
    command
        .args("build dotspot-dtp.csproj -c Release --nologo -v q -o".split(' '))
        .arg(folder.join(OUT));
    // a compiler server in the background would keep the folder in use
    command.arg("-p:UseSharedCompilation=false").arg(config);
    let mut extensions = OsString::from("-p:MSBuildUserExtensionsPath=");
    extensions.push(folder);
    command.arg(extensions);
    command.envs([
        ("DOTNET_NOLOGO", "1"),
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"),
        // with any other value, it would access the network
        ("DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "true"),
        // otherwise the SDK doesn't start on a machine without libicu
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
        ("MSBUILDDISABLENODEREUSE", "1"),
    ]);
    // where the SDK, NuGet and MSBuild keep settings and files
    let homes = "DOTNET_CLI_HOME HOME USERPROFILE APPDATA LOCALAPPDATA".split(' ');
    command
        .envs(homes.map(|name| (name, folder)))
        .env("NUGET_PACKAGES", folder.join("packages"));
}

/// Saves a log next to the helper, or in the temporary folder if there is no cache.
fn write_log(
    text: &str,
    cache: &Cache,
    target: &Path,
    environment: &Environment,
) -> Option<PathBuf> {
    if cache.is_lasting() {
        let path = target.with_file_name(format!("{}.log", name_of(target)));
        return fs::write(&path, text).is_ok().then_some(path);
    }
    let mut file = tempfile::Builder::new();
    file.prefix("dotspot-build-").suffix(".log");
    let (mut file, path) = file
        .tempfile_in(environment.temporary_folder())
        .ok()?
        .keep()
        .ok()?;
    io::Write::write_all(&mut file, text.as_bytes()).ok()?;
    Some(path)
}

fn build_failure(toolchain: &Toolchain, ended: &Ended, folder: &Path) -> Failure {
    let compiler = format!("{} {}", name_of(&toolchain.compiler), toolchain.version);
    let mut failure = ended.failure(SUBJECT, &toolchain.compiler);
    failure.problem = match first_error(&ended.lines(), folder) {
        Some(error) => messages::helper_build_error(&compiler, &error),
        None => messages::helper_build_problem(&compiler, &failure.problem),
    };
    failure
}

/// Such as `Program.cs(1,2): error CS1002: ; expected`.
fn first_error(lines: &[String], folder: &Path) -> Option<String> {
    let is_error = |line: &&String| {
        line.starts_with("error ") || line.contains(" error ") || line.contains(": error")
    };
    let line = lines.iter().find(is_error)?.trim();
    // each error is followed by the project file, whose folder no longer exists
    let line = line.split(" [").next().unwrap_or(line);
    let folder = format!("{}{}", folder.display(), std::path::MAIN_SEPARATOR);
    Some(line.replace(&folder, ""))
}

fn put_in_place(out: &Path, cache: &Cache, target: &Path, toolchain: &Toolchain) -> io::Result<()> {
    let is_in_place = || built_in(target, toolchain).is_some();
    if is_in_place() {
        return Ok(());
    }
    let scratch = cache.scratch()?;
    let staging = scratch.path().join("staging");
    fs::create_dir(&staging)?;
    for item in fs::read_dir(out)? {
        let item = item?;
        if item.file_type()?.is_file() {
            fs::copy(item.path(), staging.join(item.file_name()))?;
        }
    }
    match target.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(target)?,
        Ok(_) => fs::remove_file(target)?,
        Err(_) => {}
    }
    // another process may have been faster
    fs::rename(&staging, target).or_else(|error| if is_in_place() { Ok(()) } else { Err(error) })
}

fn not_writable(error: io::Error) -> Failure {
    let problem = messages::cant_write_helper_folder(&plain(&error));
    Failure::new(SUBJECT, "", problem)
        .advice(messages::CHECK_FREE_SPACE)
        .stage(Stage::Build)
}

#[cfg(test)]
mod tests;
