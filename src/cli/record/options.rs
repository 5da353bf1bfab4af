//! The arguments of `dotspot record` and `dotspot ps`.

use crate::cli::load::Opening;
use crate::cli::messages;
use crate::query::QueryError;
use crate::record::message::RecordingRequest;
use crate::record::providers::{PROFILES, parse, providers};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

/// `dotspot record`.
#[derive(Args, Debug)]
#[command(after_help = after_help(false), after_long_help = after_help(true))]
pub(in crate::cli) struct Record {
    #[arg(skip)]
    pub opening: Opening,
    /// The process with this id
    #[arg(long, value_name = "PID", conflicts_with_all = ["name", "command"])]
    pub pid: Option<u32>,
    /// The process with this name
    ///
    /// Of its assembly, or else of its program or a .dll in its command line.
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    pub name: Option<String>,
    /// Stop after this long: 10s, 500ms or 2m
    ///
    /// Without it, ctrl-c or the end of the process stops it.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub duration: Option<Duration>,
    /// The file, else NAME-PID-TIME.nettrace here
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
    /// What is recorded, see below
    ///
    /// Several with commas; cpu unless --providers is given.
    #[arg(long, value_name = "PROFILE", value_delimiter = ',', value_parser = PossibleValuesParser::new(PROFILES.iter().map(|profile| profile.name)), hide_possible_values = true)]
    pub profile: Vec<String>,
    /// Providers of events, as for dotnet-trace
    ///
    /// NAME:KEYWORDS:LEVEL:KEY=VALUE, several with commas.
    #[arg(long, value_name = "LIST")]
    pub providers: Option<String>,
    /// The buffer in the process
    #[arg(long, value_name = "MB", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub buffer: u32,
    /// What TMPDIR was when the process started
    ///
    /// Its diagnostic socket may be there.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub tmpdir: Option<PathBuf>,
    /// Record CPU samples of all code, including native, with Windows' own tracing
    ///
    /// It needs an elevated terminal and records the whole machine; the explorer shows the named process.
    #[arg(long, conflicts_with_all = ["command", "profile", "providers", "tmpdir", "live"])]
    pub etw: bool,
    /// Open the explorer at once; every second shows more
    #[arg(long)]
    pub live: bool,
    /// Don't open the explorer afterwards
    #[arg(long)]
    pub no_open: bool,
    /// The program to start, with its arguments, and to record from the beginning
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}

/// `dotspot ps`.
#[derive(Args, Debug)]
pub(in crate::cli) struct Ps {
    /// Another folder that may contain diagnostic sockets: what TMPDIR was when the processes started
    #[arg(long, value_name = "DIR")]
    pub tmpdir: Option<PathBuf>,
    /// Print JSON (schema dotspot.processes/1)
    #[arg(long)]
    pub json: bool,
}

impl Record {
    pub(super) fn request(&self) -> Result<RecordingRequest, QueryError> {
        let usage = |sentence| QueryError::usage(format!("--providers: {sentence}"));
        let named = self.providers.as_deref().map(parse).transpose();
        let named = named.map_err(usage)?;
        let is_default = self.profile.is_empty() && named.is_none();
        let is_chosen = |name: &str| match is_default {
            true => name == "cpu",
            false => self.profile.iter().any(|chosen| chosen == name),
        };
        let profiles = PROFILES.iter().filter(|profile| is_chosen(profile.name));
        Ok(RecordingRequest {
            providers: providers(&profiles.collect::<Vec<_>>(), &named.unwrap_or_default()),
            buffer_mb: self.buffer,
        })
    }
}

fn after_help(is_long: bool) -> String {
    let mut text = String::from("Profiles:\n");
    for profile in PROFILES {
        text.push_str(&format!("  {:<11}{}", profile.name, profile.shows));
        if is_long {
            text.push_str(&format!("; costs {}", profile.costs));
        }
        text.push('\n');
    }
    text.push_str(messages::EXIT_CODES_OF_RECORD);
    text
}

fn duration(text: &str) -> Result<Duration, String> {
    let number_end = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (number, unit) = text.split_at(number_end.unwrap_or(text.len()));
    let seconds = match unit.trim() {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(messages::TIME_EXPECTED.into()),
    };
    let number: f64 = number.parse().map_err(|_| messages::TIME_EXPECTED)?;
    let duration = Duration::try_from_secs_f64(number * seconds).map_err(|_| messages::TOO_LONG)?;
    match duration.is_zero() {
        true => Err(messages::RECORDING_TOO_SHORT.into()),
        false => Ok(duration),
    }
}

#[cfg(test)]
mod tests;
