//! Decoder assemblies: dotTrace's own reading libraries, which the helper loads from the user's Rider or dotTrace.
//!
//! The helper writes call-tree JSON, or ends with a line of JSON on standard error that names the stage it failed at. A tree
//! is kept in the cache under the identity of the snapshot's files, and taken from there the next time.

use super::cache::{Cache, Kept, MAX_TREE_BYTES, TreeKey};
use super::helper::{self, Helper};
use super::{Settings, child, native};
use crate::importers::{Failure, ImportError, Input, Progress, Stage, plain, read_whole_call_tree};
use crate::model::Profile;
use crate::model::format::size;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The environment variable that names an install; the helper looks at it.
const INSTALL_VARIABLE: &str = "JETBRAINS_PROFILER_PATH";

/// Reads a snapshot, given its index.
///
/// # Errors
/// Every stage: those of the helper's own, build, and launch; a wish to stop.
pub(super) fn decode(index: &Path, settings: &Settings, progress: &Progress) -> Result<Profile, ImportError> {
    let name = index.display().to_string();
    let run = Run { name: &name, settings, progress };
    run.decode(index).map_err(|error| match error {
        ImportError::Failed(mut failure) => {
            failure.file.clone_from(&name);
            failure.into()
        }
        cancelled @ ImportError::Cancelled => cancelled,
    })
}

/// What the helper finds on this machine.
#[derive(Clone, Debug)]
pub struct ProbeReport {
    /// The helper that looked.
    pub helper: Helper,
    /// What it printed: JSON.
    pub json: String,
    /// Why no snapshot can be read, if that is so.
    pub failure: Option<Failure>,
}

/// Lets the helper, which is built if need be, say which install, assemblies, types and members it finds.
///
/// # Errors
/// Stages build and launch; a wish to stop.
pub fn probe(settings: &Settings, progress: &Progress) -> Result<ProbeReport, ImportError> {
    let run = Run { name: "decoder assemblies", settings, progress };
    let cache = Cache::open(&settings.surroundings, progress)?;
    let helper = helper::ready(settings, &cache, progress)?;
    let mut command = helper.command(&settings.surroundings);
    command.arg("--probe");
    run.add_install(&mut command)?;
    progress.begin("looking for dotTrace's assemblies");
    let ended = run.run(command, &helper)?;
    let failure = if ended.status.success() { None } else { Some(run.failure_of(&ended, &helper)) };
    match failure {
        Some(failure) if failure.stage == Some(Stage::Launch) => Err(failure.into()),
        failure => Ok(ProbeReport { json: ended.stdout.text(), helper, failure }),
    }
}

/// One use of the helper.
struct Run<'a> {
    /// What is read, for messages.
    name: &'a str,
    settings: &'a Settings,
    progress: &'a Progress,
}

impl Run<'_> {
    fn decode(&self, index: &Path) -> Result<Profile, ImportError> {
        let index = self.full(index)?;
        let cache = Cache::open(&self.settings.surroundings, self.progress)?;
        let key = self.key(&index).filter(|_| self.settings.use_cache);
        if let Some(tree) = key.as_ref().and_then(|key| cache.tree(key)) {
            self.progress.begin("reading the tree that was decoded before");
            match self.import(&tree) {
                Err(ImportError::Failed(_)) => Cache::forget(&tree),
                done => return done,
            }
        }
        let helper = helper::ready(self.settings, &cache, self.progress)?;
        let scratch = cache.scratch().map_err(|error| self.no_room(&error))?;
        let tree = scratch.path().join("tree.json");
        self.run_helper(&helper, &index, &tree)?;
        self.progress.begin("reading the decoded tree");
        let mut profile = self.import(&tree)?;
        profile.warnings.extend(cache.complaint().map(str::to_string));
        // files that changed meanwhile are another snapshot
        if let Some(key) = key.filter(|key| self.key(&index).as_ref() == Some(key)) {
            profile.warnings.extend(keep(&cache, &key, &tree));
        }
        Ok(profile)
    }

    /// The full path of the snapshot's index, which never begins like an option.
    fn full(&self, index: &Path) -> Result<PathBuf, ImportError> {
        let full = std::path::absolute(index).unwrap_or_else(|_| index.to_path_buf());
        if full.to_str().is_none() {
            // Mono ends without a word, and .NET looks for another file
            let problem = "its path is not valid Unicode, and no .NET program can be given such a path";
            let failure = Failure::new(self.name, "", problem).stage(Stage::Input);
            return Err(failure.advice("rename it, or the folder that it lies in").into());
        }
        Ok(full)
    }

    /// What the tree depends on besides the snapshot. Which version of dotTrace's libraries is installed does not belong to it:
    /// what they read from a snapshot is what is in it.
    fn key(&self, index: &Path) -> Option<TreeKey> {
        let hash = helper::hash();
        let given = self.install().unwrap_or_default();
        let variable = self.settings.surroundings.variable(INSTALL_VARIABLE).unwrap_or_default();
        TreeKey::of(index, &[hash.as_bytes(), given.as_os_str().as_encoded_bytes(), variable.as_encoded_bytes()])
    }

    /// Lets the helper write the tree of a snapshot to a file.
    fn run_helper(&self, helper: &Helper, index: &Path, tree: &Path) -> Result<(), ImportError> {
        let mut command = helper.command(&self.settings.surroundings);
        command.arg(index).arg("--output").arg(tree);
        self.add_install(&mut command)?;
        self.progress.begin("dotTrace's assemblies are reading the snapshot");
        let ended = self.run(command, helper)?;
        if !ended.status.success() {
            return Err(self.failure_of(&ended, helper).into());
        }
        if !tree.is_file() {
            let failure = Failure::new(self.name, "", "the helper ended as if all were well, and wrote no tree");
            return Err(failure
                .detail(ended.lines())
                .advice("--verbose shows what it said")
                .stage(Stage::Launch)
                .into());
        }
        Ok(())
    }

    /// The full path of the install that the user wants: the helper stands in another folder than the user.
    fn install(&self) -> Option<PathBuf> {
        let given = self.settings.dottrace_dir.as_deref()?;
        Some(std::path::absolute(given).unwrap_or_else(|_| given.to_path_buf()))
    }

    /// Hands on which install the user wants.
    fn add_install(&self, command: &mut Command) -> Result<(), ImportError> {
        if let Some(full) = self.install() {
            if full.to_str().is_none() {
                let problem = "--dottrace-dir is not valid Unicode, and no .NET program can be given such a path";
                let failure = Failure::new(self.name, "", problem).stage(Stage::Decoder);
                return Err(failure.advice("give it by a link with a plain name").into());
            }
            command.arg("--dottrace-dir").arg(full);
        }
        Ok(())
    }

    fn run(&self, command: Command, helper: &Helper) -> Result<child::Ended, ImportError> {
        let limit = self.settings.limit;
        let ended = child::run(command, limit, self.progress);
        ended.map_err(|stopped| stopped.into_error(self.name, &helper.program, limit))
    }

    /// What the helper says about its failure; that of a program that ended somehow, if it says nothing that we know.
    fn failure_of(&self, ended: &child::Ended, helper: &Helper) -> Failure {
        let lines = ended.stderr.lines();
        let told = lines.last().and_then(|line| told_in(line));
        let Some((stage, told)) = told else { return ended.failed(self.name, &helper.program) };
        let detail = told.detail.lines().map(str::to_string);
        Failure::new(self.name, "", told.message).stage(stage).detail(detail)
    }

    /// Reads what the helper wrote. One that breaks off is no tree.
    fn import(&self, tree: &Path) -> Result<Profile, ImportError> {
        let input = Input::open(tree, self.progress.clone())?;
        let mut profile = read_whole_call_tree(input).map_err(|error| match error {
            ImportError::Failed(failure) => {
                let problem = format!("what the helper wrote is no whole tree: {}", failure.reason());
                let failure = Failure::new(self.name, "", problem).stage(Stage::Walk);
                failure.advice("decode it again; if that is of no help, please report it").into()
            }
            cancelled @ ImportError::Cancelled => cancelled,
        })?;
        profile.source.name = self.name.to_string();
        profile.source.format = native().name;
        profile.source.facts = vec![
            ("decoder", profile.source.decoder.clone()),
            ("decoder version", profile.source.decoder_version.clone()),
        ];
        Ok(profile)
    }

    fn no_room(&self, error: &std::io::Error) -> Failure {
        let problem = format!("there is no room for the decoded tree: {}", plain(error));
        Failure::new(self.name, "", problem)
            .advice("check the free space; `dotspot cache` names the folder")
            .stage(Stage::Output)
    }
}

/// Keeps a tree for the next time. What that is hindered by is no failure: it is said.
fn keep(cache: &Cache, key: &TreeKey, tree: &Path) -> Option<String> {
    if !cache.is_lasting() {
        return None;
    }
    match cache.keep_tree(key, tree, MAX_TREE_BYTES) {
        Ok(Kept::Yes) => None,
        Ok(Kept::TooLarge) => {
            let most = size(MAX_TREE_BYTES);
            Some(format!("the decoded tree takes more than the {most} that are kept; the next time takes as long"))
        }
        Err(error) => {
            let why = plain(&error);
            Some(format!("the decoded tree can't be kept: {why}; the next time takes as long"))
        }
    }
}

/// The last line of a helper that failed.
#[derive(Deserialize)]
struct ErrorLine {
    error: Told,
}

#[derive(Deserialize)]
struct Told {
    stage: String,
    message: String,
    #[serde(default)]
    detail: String,
}

/// The failure that a line tells, if it names a stage that there is.
fn told_in(line: &str) -> Option<(Stage, Told)> {
    let told = serde_json::from_str::<ErrorLine>(line).ok()?.error;
    Some((Stage::from_name(&told.stage)?, told))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_line_of_the_contract_is_believed() {
        #[track_caller]
        fn check(line: &str, expect: Option<(Stage, &str, &str)>) {
            let told = told_in(line);
            let told = told.as_ref().map(|(stage, told)| (*stage, told.message.as_str(), told.detail.as_str()));
            assert_eq!(told, expect);
        }
        check(r#"{"error":{"stage":"bind","message":"no","detail":"a\nb"}}"#, Some((Stage::Bind, "no", "a\nb")));
        check(r#"{"error":{"stage":"walk","message":"no","more":1}}"#, Some((Stage::Walk, "no", "")));
        check(r#"{"error":{"stage":"lunch","message":"no","detail":""}}"#, None);
        check(r#"{"error":{"message":"no"}}"#, None);
        check(r#"{"error":{"stage":"walk","message":"no""#, None);
        check("Unhandled exception.", None);
        check("", None);
    }
}
