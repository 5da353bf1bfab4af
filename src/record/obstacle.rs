//! Why a process can't be recorded, in sentences.

use crate::record::messages;
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
            Obstacle::NoProcess => messages::there_no_process(&pid),
            Obstacle::NotDotnet => messages::not_net_program_perf_records(&process),
            Obstacle::AheadOfTime => messages::compiled_ahead_time_net_no(&process),
            Obstacle::SwitchedOff(variable) => {
                messages::runs_net_but_diagnostics_port(&process, &variable)
            }
            Obstacle::NoSocket(folder) => {
                messages::net_but_diagnostics_socket_not(&process, &folder.display())
            }
            Obstacle::OtherUser(user) => messages::belongs_user_run_sudo(&process, &user),
            Obstacle::Container => messages::runs_container_run_root_host(&process),
            Obstacle::Ended => format!("{process} has ended"),
            Obstacle::Silent(state) => messages::does_not_answer_state_another(&process, &state),
            Obstacle::TooOld => messages::runs_net_too_old_needs(&process),
            Obstacle::TooMany => messages::too_many_recordings_running(&process),
            Obstacle::Other(problem) => messages::cant_recorded(&process, &problem),
        }
    }
}
