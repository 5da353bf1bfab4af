//! Windows: the ids of processes that listen on named pipes. Untested.

use super::obstacle::Obstacle;
use super::port::{Pipe, Port};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// Where all pipes are.
const PIPES: &str = r"\\.\pipe\";
const PREFIX: &str = "dotnet-diagnostic-";

/// What is known of a process before it is asked: nothing.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts {
    /// The program with its arguments.
    pub arguments: Vec<String>,
    /// Whose it is.
    pub user: Option<String>,
    /// For how long it has run.
    pub uptime: Option<Duration>,
    /// The version of its runtime.
    pub runtime: Option<String>,
    /// What it does.
    pub state: String,
}

impl Facts {
    /// Those of a process, if it listens.
    pub(crate) fn of(pid: u32) -> Option<Facts> {
        pids().any(|known| known == pid).then(|| Facts {
            state: "running".into(),
            ..Facts::default()
        })
    }

    /// Those of all processes that listen.
    pub(crate) fn of_all() -> Vec<(u32, Facts)> {
        pids()
            .filter_map(|pid| Some((pid, Facts::of(pid)?)))
            .collect()
    }
}

/// The processes that listen.
fn pids() -> impl Iterator<Item = u32> {
    let pipes = fs::read_dir(PIPES).into_iter().flatten().flatten();
    pipes.filter_map(|pipe| {
        pipe.file_name()
            .to_str()?
            .strip_prefix(PREFIX)?
            .parse()
            .ok()
    })
}

/// Where a process listens.
///
/// # Errors
/// None: it was seen there.
pub(crate) fn port_of(
    pid: u32,
    _facts: &Facts,
    _folder: Option<&Path>,
) -> Result<Arc<dyn Port>, Obstacle> {
    Ok(Arc::new(Pipe(PathBuf::from(format!(
        "{PIPES}{PREFIX}{pid}"
    )))))
}

/// Whether a process listens as a runtime does.
pub(crate) fn listens(_pid: u32, _facts: &Facts) -> bool {
    true
}

/// Whether a program was compiled ahead of time, which is not known.
pub(crate) fn is_compiled_ahead(_pid: u32) -> bool {
    false
}
