use crate::record::messages;
use std::path::PathBuf;

#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    windows,
    expect(dead_code, reason = "sockets and containers are other systems'")
)]
pub(crate) enum Obstacle {
    NoProcess,
    /// Or compiled ahead of time.
    NotDotnet,
    /// The variable that it was started with.
    Disabled(String),
    /// The folder in which a socket was expected.
    NoSocket(PathBuf),
    OtherUser(String),
    /// Its files can't be reached.
    Container,
    Ended,
    Silent(String),
    TooOld,
    TooMany,
    Other(String),
}

impl Obstacle {
    /// Without a full stop.
    pub(crate) fn sentence(&self, pid: u32, name: &str) -> String {
        let process = match name.is_empty() {
            true => format!("process {pid}"),
            false => format!("process {pid} ({name})"),
        };
        match self {
            Obstacle::NoProcess => messages::no_such_process(&pid),
            Obstacle::NotDotnet if cfg!(windows) => messages::not_dotnet_on_windows(&process),
            Obstacle::NotDotnet => messages::not_dotnet(&process),
            Obstacle::Disabled(variable) => messages::diagnostics_off(&process, &variable),
            Obstacle::NoSocket(folder) => messages::socket_elsewhere(&process, &folder.display()),
            Obstacle::OtherUser(_) if cfg!(windows) => messages::not_ours_on_windows(&process),
            Obstacle::OtherUser(user) => messages::other_user(&process, &user),
            Obstacle::Container => messages::in_container(&process),
            Obstacle::Ended => format!("{process} has ended"),
            Obstacle::Silent(state) => messages::does_not_answer(&process, &state),
            Obstacle::TooOld => messages::too_old(&process),
            Obstacle::TooMany => messages::too_many_recordings(&process),
            Obstacle::Other(problem) => messages::cant_record(&process, &problem),
        }
    }
}
