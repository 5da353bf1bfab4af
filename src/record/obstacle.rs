//! Why a process can't be recorded, in sentences.

use std::path::PathBuf;

/// Why a process can't be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Obstacle {
    /// There is none of this number.
    NoProcess,
    /// It does not run .NET.
    NotDotnet,
    /// It is .NET, compiled ahead of time.
    AheadOfTime,
    /// It was started with this variable.
    SwitchedOff(String),
    /// Its socket is not where it should be.
    NoSocket(PathBuf),
    /// It belongs to this user.
    OtherUser(String),
    /// It runs in a container whose files can't be reached.
    Container,
    /// Its socket is left, and nobody listens.
    Ended,
    /// It does not answer: what its state is.
    Silent(String),
    /// Its runtime does not know the command.
    TooOld,
    /// It has as many recordings as it can have.
    TooMany,
    /// Something else.
    Other(String),
}

impl Obstacle {
    /// A sentence about a process, without its full stop.
    pub(crate) fn sentence(&self, pid: u32, name: &str) -> String {
        let process = if name.is_empty() {
            format!("process {pid}")
        } else {
            format!("process {pid} ({name})")
        };
        match self {
            Obstacle::NoProcess => format!("there is no process {pid}"),
            Obstacle::NotDotnet => format!("{process} is not a .NET program; perf records those"),
            Obstacle::AheadOfTime => {
                format!(
                    "{process} was compiled ahead of time, for which .NET has no sampler; perf records those"
                )
            }
            Obstacle::SwitchedOff(variable) => format!(
                "{process} runs .NET but has its diagnostics port switched off ({variable}); restart it without that"
            ),
            Obstacle::NoSocket(folder) => format!(
                "{process} is .NET, but its diagnostics socket is not in {}; if it was started with another TMPDIR, give it: --tmpdir",
                folder.display()
            ),
            Obstacle::OtherUser(user) => {
                format!("{process} belongs to user {user}; run this as {user} or with sudo")
            }
            Obstacle::Container => {
                format!(
                    "{process} runs in a container; run this as root on the host, or inside the container"
                )
            }
            Obstacle::Ended => format!("{process} has ended"),
            Obstacle::Silent(state) => format!(
                "{process} does not answer; its state is: {state}. Another diagnostics tool may be holding its port"
            ),
            Obstacle::TooOld => format!("{process} runs a .NET too old for this (needs 3.0)"),
            Obstacle::TooMany => format!("too many recordings are running in {process}"),
            Obstacle::Other(problem) => format!("{process} can't be recorded: {problem}"),
        }
    }
}
