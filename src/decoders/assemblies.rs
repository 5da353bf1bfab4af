//! dotTrace's own reading libraries, which the helper loads from the user's Rider or dotTrace. The helper writes
//! call-tree JSON, or fails with a line of JSON on standard error that names the stage.

use super::cache::Cache;
use super::environment::absolute;
use super::helper::{self, Helper, ReadyHelper};
use super::settings::DecoderSettings;
use crate::child;
use crate::decoders::messages;
use crate::importers::{kind_of_snapshot, read_whole_call_tree};
use crate::input::{Failure, ImportError, Input, Progress, Stage, plain};
use crate::model::{CountKind, ProfileKind, Recording, Source};
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

pub(super) fn decode(
    index: &Path,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<Recording, ImportError> {
    let name = index.display().to_string();
    let run = AssemblyRun {
        name: &name,
        settings,
        progress,
    };
    let decoded = run.decode(index);
    decoded.map_err(|error| {
        error.map(|failure| Failure {
            file: name.clone(),
            ..failure
        })
    })
}

#[derive(Clone, Debug)]
pub struct ProbeReport {
    pub helper: Helper,
    pub json: String,
    pub failure: Option<Failure>,
}

/// Reports which installation, assemblies, types and members the helper finds. Builds it if necessary.
pub fn probe(settings: &DecoderSettings, progress: &Progress) -> Result<ProbeReport, ImportError> {
    let run = AssemblyRun {
        name: "decoder assemblies",
        settings,
        progress,
    };
    let cache = Cache::open(&settings.environment)?;
    let ready = helper::prepare(settings, &cache, progress)?;
    progress.begin(messages::PHASE_FIND_ASSEMBLIES);
    let mut command = ready.helper.command(&settings.environment);
    command.arg("--probe");
    run.add_install(&mut command)?;
    let ended = run.run(command, &ready.helper)?;
    let failure = (!ended.status.success()).then(|| run.failure_of(&ended, &ready));
    match failure {
        Some(failure) if failure.stage == Some(Stage::Launch) => Err(failure.into()),
        failure => Ok(ProbeReport {
            json: ended.stdout.text(),
            helper: ready.helper,
            failure,
        }),
    }
}

struct AssemblyRun<'a> {
    name: &'a str,
    settings: &'a DecoderSettings,
    progress: &'a Progress,
}

impl AssemblyRun<'_> {
    fn decode(&self, index: &Path) -> Result<Recording, ImportError> {
        let (problem, advice) = (messages::PATH_NOT_UNICODE, messages::RENAME_IT);
        let index = self.argument(index, Stage::Input, problem, advice)?;
        let cache = Cache::open(&self.settings.environment)?;
        let ready = helper::prepare(self.settings, &cache, self.progress)?;
        let scratch = cache.scratch().map_err(|error| self.no_room(&error))?;
        let tree = scratch.path().join("tree.json");
        self.run_helper(&ready, &index, &tree)?;
        self.progress.begin(messages::PHASE_READ_TREE);
        let mut profile = self.import(&tree, &index)?;
        let remarks = ready.remarks().chain(cache.warning().cloned());
        profile.diagnostics.extend(remarks);
        Ok(profile)
    }

    /// An absolute path, because the helper runs in another working directory. It never looks like an option.
    fn argument(
        &self,
        path: &Path,
        stage: Stage,
        problem: &str,
        advice: &str,
    ) -> Result<PathBuf, ImportError> {
        let full = absolute(path);
        if full.to_str().is_none() {
            // Mono ends silently, and .NET looks for another file
            let failure = Failure::new(self.name, "", problem).stage(stage);
            return Err(failure.advice(advice).into());
        }
        Ok(full)
    }

    fn run_helper(
        &self,
        ready: &ReadyHelper,
        index: &Path,
        tree: &Path,
    ) -> Result<(), ImportError> {
        let mut command = ready.helper.command(&self.settings.environment);
        command.arg(index).arg("--output").arg(tree);
        command.args(["--max-nodes", &self.settings.max_nodes.to_string()]);
        self.add_install(&mut command)?;
        self.progress.begin(messages::PHASE_ASSEMBLIES_READ);
        let ended = self.run(command, &ready.helper)?;
        if !ended.status.success() {
            return Err(self.failure_of(&ended, ready).into());
        }
        if !tree.is_file() {
            let failure = Failure::new(self.name, "", messages::HELPER_WROTE_NOTHING);
            let failure = failure
                .detail(ended.lines())
                .advice(messages::TRY_AGAIN_OR_REPORT);
            return Err(failure.stage(Stage::Launch).into());
        }
        Ok(())
    }

    fn add_install(&self, command: &mut Command) -> Result<(), ImportError> {
        if let Some(folder) = &self.settings.dottrace_dir {
            let (problem, advice) = (messages::DOTTRACE_DIR_NOT_UNICODE, messages::USE_A_LINK);
            let folder = self.argument(folder, Stage::Decoder, problem, advice)?;
            command.arg("--dottrace-dir").arg(folder);
        }
        Ok(())
    }

    fn run(&self, command: Command, helper: &Helper) -> Result<child::Ended, ImportError> {
        let limit = self.settings.limit;
        let ended = child::run(command, limit, self.progress);
        ended.map_err(|stopped| stopped.into_error(self.name, &helper.program, limit))
    }

    /// The failure that the helper reported, or else one for a program that ended unexpectedly.
    fn failure_of(&self, ended: &child::Ended, ready: &ReadyHelper) -> Failure {
        // lines after the error are by a library or the runtime
        let lines = ended.stderr.lines();
        let mut failure = match lines.iter().rev().find_map(|line| error_in(line)) {
            None => ended.failure(self.name, &ready.helper.program),
            Some((stage, error)) => {
                // the advice comes last
                let message = error.message.as_str();
                let (problem, advice) = message.rsplit_once("; ").unwrap_or((message, ""));
                let failure = Failure::new(self.name, "", problem).advice(advice);
                let failure = failure
                    .stage(stage)
                    .detail(error.detail.lines().map(str::to_string));
                match stage {
                    Stage::Decoder => failure.short(messages::NO_DOTTRACE_FOUND),
                    _ => failure,
                }
            }
        };
        // Mono can't load everything that .NET can
        let remarks = ready.remarks().map(|remark| remark.to_string());
        failure.detail.extend(remarks);
        failure
    }

    fn import(&self, tree: &Path, index: &Path) -> Result<Recording, ImportError> {
        let input = Input::open(tree, self.progress.clone())?;
        let incomplete = |failure: Failure| {
            let problem = messages::helper_tree_incomplete(&failure.reason());
            let failure = Failure::new(self.name, "", problem).stage(Stage::Walk);
            failure.advice(messages::DECODE_AGAIN_OR_REPORT)
        };
        let mut profile = read_whole_call_tree(input).map_err(|error| error.map(incomplete))?;
        set_kind(&mut profile, index);
        profile.source.name = self.name.to_string();
        profile.source.format = Source::DTP.into();
        // these describe the helper's output file
        profile.source.facts.clear();
        Ok(profile)
    }

    fn no_room(&self, error: &std::io::Error) -> Failure {
        let problem = messages::no_room_for_tree(&plain(error));
        Failure::new(self.name, "", problem)
            .advice(messages::CHECK_FREE_SPACE)
            .stage(Stage::Output)
    }
}

/// dotTrace's libraries don't tell sampling from tracing, but the snapshot may.
fn set_kind(profile: &mut Recording, index: &Path) {
    if profile.source.kind == ProfileKind::Unknown
        && let Some(kind) = kind_of_snapshot(index)
    {
        profile.source.kind = kind;
        let counts = profile
            .metrics
            .iter_mut()
            .filter_map(|metric| metric.counts.as_mut());
        let unknown = counts.filter(|counts| **counts == CountKind::Unknown);
        unknown.for_each(|counts| *counts = kind.counts());
    }
}

/// The line in which a failed helper says why: the last one, except for what libraries print at exit.
#[derive(Deserialize)]
struct ErrorLine {
    error: HelperError,
}

#[derive(Deserialize)]
struct HelperError {
    stage: String,
    message: String,
    #[serde(default)]
    detail: String,
}

fn error_in(line: &str) -> Option<(Stage, HelperError)> {
    let error = serde_json::from_str::<ErrorLine>(line).ok()?.error;
    Some((Stage::named(&error.stage)?, error))
}

#[cfg(test)]
mod tests;
