//! The .NET helper: built from the sources that this program carries, once per toolchain, and kept.

use super::Environment;
use super::cache::{self, Cache, fingerprint, hold, open_lock, plain_char, touch};
use super::environment::absolute;
use super::settings::DecoderSettings;
use super::toolchain::{self, CompilerKind, Toolchain, clean_command};
use crate::child::{self, Ended};
use crate::decoders::messages;
use crate::input::{Failure, ImportError, Progress, Stage, name_of, plain};
use include_dir::{Dir, include_dir};
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// What a failure to build is about, where no snapshot is read.
const SUBJECT: &str = "decoder assemblies";
/// The environment variable that names an install; the helper looks at it.
pub(super) const INSTALL_VARIABLE: &str = "JETBRAINS_PROFILER_PATH";
/// The folder that a compiler writes to, in the folder of the sources.
const OUT: &str = "out";
static FOLDER: Dir = include_dir!("$CARGO_MANIFEST_DIR/helper");

/// The files of the folder `helper/` that a build takes part in: the name and the text of each.
fn sources() -> impl Iterator<Item = (&'static str, &'static str)> {
    let files = FOLDER.files();
    files
        .filter_map(|file| Some((file.path().to_str()?, file.contents_utf8()?)))
        .filter(|(name, _)| !name.ends_with(".md") && !name.starts_with('.'))
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Helper {
    /// What built it, and runs it.
    pub toolchain: Toolchain,
    /// The file that is run: an assembly.
    pub program: PathBuf,
}

/// How variables start that change what a .NET program does: people who profile have some of them set. Sources: the pages on
/// profiling, startup hooks and garbage collection in .NET's documentation, and `man mono`.
const MEDDLING: [&str; 7] = [
    "CORECLR_",
    "COR_",
    "COMPLUS_",
    "DOTNET_STARTUP_HOOKS",
    "DOTNET_GC",
    "DOTNET_ADDITIONAL_DEPS",
    "MONO_",
];

impl Helper {
    /// A command that runs it with the user's environment, but for what would profile it, hook it or load other libraries
    /// into it. It stands in its own folder, where no libraries lie that it could take for its own, and so a path that is
    /// relative to where the user stands is made absolute.
    pub(super) fn command(&self, environment: &Environment) -> Command {
        let mut command = Command::new(&self.toolchain.runtime);
        let is_harmless = |name: &OsStr| {
            let name = name.to_string_lossy().to_ascii_uppercase();
            !MEDDLING.iter().any(|prefix| name.starts_with(prefix))
        };
        command.env_clear().envs(
            environment
                .variables()
                .filter(|(name, _)| is_harmless(name)),
        );
        if let Some(install) = install_of(environment) {
            command.env(INSTALL_VARIABLE, install);
        }
        command
            .current_dir(self.program.parent().unwrap_or(Path::new("/")))
            .arg(&self.program);
        command
    }
}

/// The full path of the install that the environment names.
pub(super) fn install_of(environment: &Environment) -> Option<PathBuf> {
    let given = Path::new(environment.variable(INSTALL_VARIABLE)?);
    Some(absolute(given))
}

pub fn hash() -> String {
    fingerprint(sources().flat_map(|(name, text)| [name.as_bytes(), text.as_bytes()]))
}

/// The name of a build of these sources with a toolchain, in the folder of helpers.
fn build_name(toolchain: &Toolchain) -> String {
    let version: String = toolchain.version.chars().map(plain_char).collect();
    format!("{}-{}-{version}", hash(), toolchain.kind.name())
}

/// The helper that a toolchain has built before, if this machine's user has it.
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

/// A helper that can be run.
pub(super) struct Ready {
    pub helper: Helper,
    /// Why toolchains that come before its own did not build it.
    pub passed_over: Vec<Failure>,
}

/// Takes the helper that was built before, or builds it, with the first toolchain of this machine that can. Of several processes
/// one builds, and the others wait for it.
///
/// # Errors
/// Stage build: there is no toolchain, or none builds; a wish to stop.
pub(super) fn ready(
    settings: &DecoderSettings,
    cache: &Cache,
    progress: &Progress,
) -> Result<Ready, ImportError> {
    let (mut missing, mut failures) = (Vec::new(), Vec::new());
    for kind in CompilerKind::ALL {
        let toolchain = match toolchain::look(kind, &settings.environment, progress)? {
            Ok(toolchain) => toolchain,
            Err(problem) => {
                missing.push(format!("{}: {problem}", kind.title()));
                continue;
            }
        };
        match ready_with(toolchain, settings, cache, progress) {
            Ok(helper) => {
                let passed_over = failures;
                return Ok(Ready {
                    helper,
                    passed_over,
                });
            }
            Err(error) => failures.push(error.failure()?),
        }
    }
    Err(none_builds(failures, missing, &settings.environment).into())
}

/// Takes or makes the build of one toolchain.
fn ready_with(
    toolchain: Toolchain,
    settings: &DecoderSettings,
    cache: &Cache,
    progress: &Progress,
) -> Result<Helper, ImportError> {
    let helpers = cache.helpers().map_err(|error| not_writable(&error))?;
    let target = helpers.join(build_name(&toolchain));
    let lock = open_lock(&sibling(&target, "lock")).map_err(|error| not_writable(&error))?;
    touch(&lock);
    if let Some(helper) = built_in(&target, &toolchain) {
        return Ok(helper);
    }
    if matches!(lock.try_lock(), Err(fs::TryLockError::WouldBlock)) {
        progress.begin(messages::PHASE_WAIT_FOR_HELPER);
        if !hold(|| lock.try_lock(), settings.limit, progress)? {
            let problem = messages::HELPER_BUILT_TOO_LONG;
            let failure = Failure::new(SUBJECT, "", problem).stage(Stage::Build);
            return Err(failure.advice(messages::STOP_OR_WAIT_LONGER).into());
        }
    }
    // the previous holder of the lock may have built it since the first look, however we got the lock
    if let Some(helper) = built_in(&target, &toolchain) {
        return Ok(helper);
    }
    progress.begin("building the helper");
    build(&toolchain, cache, &target, settings, progress)?;
    let program = target.join(toolchain.kind.program());
    Ok(Helper { toolchain, program })
}

/// The failure where no toolchain gives a helper: each one's own reason, in their order.
fn none_builds(
    mut failures: Vec<Failure>,
    missing: Vec<String>,
    environment: &Environment,
) -> Failure {
    let mut failure = match failures.len() {
        0 => {
            let problem = messages::NO_COMPILER;
            let failure = Failure::new(SUBJECT, "", problem).short(messages::NO_COMPILER_SHORT);
            failure.advice(toolchain::what_to_install(environment.system))
        }
        1 => failures.remove(0),
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

/// A file next to the folder of a build.
fn sibling(target: &Path, extension: &str) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".");
    name.push(extension);
    PathBuf::from(name)
}

/// Builds in a folder of its own, and puts what came of it at `target` when it is whole.
fn build(
    toolchain: &Toolchain,
    cache: &Cache,
    target: &Path,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<(), ImportError> {
    let room = build_room(cache, &settings.environment).map_err(|error| not_writable(&error))?;
    write_sources(room.path()).map_err(|error| not_writable(&error))?;
    let command = compile_command(toolchain, room.path(), &settings.environment);
    let (title, compiler) = (toolchain.kind.title(), toolchain.compiler.display());
    let head = format!("{title} {}, {compiler}\n{command:?}\n\n", toolchain.version);
    let keep_log = |text: &str| {
        write_log(
            &format!("{head}{text}"),
            cache,
            target,
            &settings.environment,
        )
    };
    // what a compiler that was ended had written by then is in the log
    let not_ended = |failure: Failure| {
        let log = keep_log(&format!(
            "{}\n{}\n",
            failure.detail.join("\n"),
            failure.problem
        ));
        let advice = format!("{}; {}", failure.advice, see_log(log.as_deref()));
        failure.advice(advice).stage(Stage::Build)
    };
    let ended = child::run(command, settings.limit, progress).map_err(|stopped| {
        let error = stopped.into_error(SUBJECT, &toolchain.compiler, settings.limit);
        error.map(not_ended)
    })?;
    let is_good = ended.status.success();
    let is_made = room
        .path()
        .join(OUT)
        .join(toolchain.kind.program())
        .is_file();
    // without a cache only what went wrong is kept
    let log = if is_good && is_made && !cache.is_lasting() {
        None
    } else {
        let (stdout, stderr) = (ended.stdout.text(), ended.stderr.text());
        keep_log(&messages::build_log(&stdout, &stderr, &ended.status))
    };
    if !is_good {
        return Err(does_not_build(toolchain, &ended, log.as_deref(), room.path()).into());
    }
    if !is_made {
        let compiler = name_of(&toolchain.compiler);
        let problem = messages::compiler_made_nothing(&compiler, &toolchain.kind.program());
        return Err(Failure::new(SUBJECT, "", problem)
            .advice(see_log(log.as_deref()))
            .stage(Stage::Build)
            .into());
    }
    put_in_place(&room.path().join(OUT), cache, target, toolchain)
        .map_err(|error| not_writable(&error).into())
}

/// An empty folder to build in. Compilers take some characters in paths for lists and variables.
fn build_room(cache: &Cache, environment: &Environment) -> io::Result<TempDir> {
    let room = cache.scratch()?;
    let is_plain = |path: &Path| {
        path.to_str().is_some_and(|path| {
            path.chars()
                .all(|c| c.is_alphanumeric() || "/\\:._-~ ".contains(c))
        })
    };
    if is_plain(room.path()) {
        return Ok(room);
    }
    tempfile::Builder::new()
        .prefix("dotspot-")
        .tempdir_in(environment.temporary_folder())
}

fn write_sources(room: &Path) -> io::Result<()> {
    for (name, text) in sources() {
        fs::write(room.join(name), text)?;
    }
    // one in a folder above would set rules for this code
    fs::write(room.join(".editorconfig"), "root = true\n")?;
    fs::create_dir(room.join(OUT))
}

/// The command that builds in `room`, into its folder `out`.
fn compile_command(toolchain: &Toolchain, room: &Path, environment: &Environment) -> Command {
    let mut command = clean_command(&toolchain.compiler, environment);
    command.current_dir(room);
    match toolchain.kind {
        CompilerKind::Dotnet => dotnet_build(&mut command, room),
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

/// The arguments and variables of `dotnet build` in `room`.
fn dotnet_build(command: &mut Command, room: &Path) {
    let mut config = std::ffi::OsString::from("-p:RestoreConfigFile=");
    config.push(room.join("nuget.config"));
    command
        .args([
            "build",
            "dotspot-dtp.csproj",
            "-c",
            "Release",
            "--nologo",
            "-v",
            "q",
            "-o",
        ])
        .arg(room.join(OUT));
    // a compiler that stays in the background would hold the folder
    command.arg("-p:UseSharedCompilation=false").arg(config);
    let mut extensions = std::ffi::OsString::from("-p:MSBuildUserExtensionsPath=");
    extensions.push(room);
    command.arg(extensions);
    command.envs([
        ("DOTNET_NOLOGO", "1"),
        ("DOTNET_CLI_TELEMETRY_OPTOUT", "1"),
        ("DOTNET_GENERATE_ASPNET_CERTIFICATE", "false"),
        // anything but this word makes it ask the network
        ("DOTNET_CLI_WORKLOAD_UPDATE_NOTIFY_DISABLE", "true"),
        // the SDK does not start on a machine without libicu otherwise
        ("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "1"),
        ("MSBUILDDISABLENODEREUSE", "1"),
    ]);
    // the SDK, NuGet and MSBuild write there and read settings there: the user's take no part, and a user without a
    // folder that can be written has one now
    let homes = [
        "DOTNET_CLI_HOME",
        "HOME",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
    ];
    command
        .envs(homes.map(|name| (name, room)))
        .env("NUGET_PACKAGES", room.join("packages"));
}

/// Writes a log where it stays, and says where that is: next to the helper, or among temporary files where nothing else is kept.
fn write_log(
    text: &str,
    cache: &Cache,
    target: &Path,
    environment: &Environment,
) -> Option<PathBuf> {
    if cache.is_lasting() {
        let path = sibling(target, "log");
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

fn see_log(log: Option<&Path>) -> String {
    log.map_or_else(
        || messages::LOG_NOT_WRITTEN.into(),
        |log| messages::log_is_in(&log.display()),
    )
}

/// The failure of a compiler that ran: its first error, and where all of them are.
fn does_not_build(
    toolchain: &Toolchain,
    ended: &Ended,
    log: Option<&Path>,
    room: &Path,
) -> Failure {
    let compiler = format!("{} {}", name_of(&toolchain.compiler), toolchain.version);
    let mut failure = ended
        .failed(SUBJECT, &toolchain.compiler)
        .stage(Stage::Build);
    if let Some(error) = first_error(&ended.lines(), room) {
        failure.problem = messages::helper_build_error(&compiler, &error);
    } else {
        failure.problem = messages::helper_build_problem(&compiler, &failure.problem);
    }
    failure.advice = see_log(log);
    failure
}

/// The first error among a compiler's lines: `Program.cs(1,2): error CS1002: ; expected`.
fn first_error(lines: &[String], room: &Path) -> Option<String> {
    let is_error = |line: &&String| {
        line.starts_with("error ") || line.contains(" error ") || line.contains(": error")
    };
    let line = lines.iter().find(is_error)?.trim();
    // the project stands after each error, and the folder is gone by now
    let line = line.split(" [").next().unwrap_or(line);
    let folder = format!("{}{}", room.display(), std::path::MAIN_SEPARATOR);
    Some(line.replace(&folder, ""))
}

/// The caller holds the lock, except on a file system without locks, where nobody does.
fn put_in_place(out: &Path, cache: &Cache, target: &Path, toolchain: &Toolchain) -> io::Result<()> {
    let is_good = || built_in(target, toolchain).is_some();
    if is_good() {
        return Ok(());
    }
    let scratch = cache.scratch()?;
    let whole = scratch.path().join("whole");
    fs::create_dir(&whole)?;
    for item in fs::read_dir(out)? {
        let item = item?;
        if item.file_type()?.is_file() {
            fs::copy(item.path(), whole.join(item.file_name()))?;
        }
    }
    match target.symlink_metadata() {
        Ok(meta) if meta.is_dir() => fs::remove_dir_all(target)?,
        Ok(_) => fs::remove_file(target)?,
        Err(_) => {}
    }
    // another process may have been faster
    fs::rename(&whole, target).or_else(|error| if is_good() { Ok(()) } else { Err(error) })
}

fn not_writable(error: &io::Error) -> Failure {
    let problem = messages::cant_write_helper_folder(&plain(error));
    Failure::new(SUBJECT, "", problem)
        .advice(messages::CHECK_FREE_SPACE)
        .stage(Stage::Build)
}

#[cfg(test)]
mod tests;
