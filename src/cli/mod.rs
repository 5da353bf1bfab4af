//! The command line, the terminal loop, worker threads and files.
use std::process::ExitCode;

/// Runs dotspot.
pub fn main() -> ExitCode {
    ExitCode::SUCCESS
}
