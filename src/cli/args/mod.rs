//! The command line.

mod compare;
mod views;
mod written;

pub(super) use compare::{Compare, CompareTo};
pub(super) use views::{
    CallersArgs, HotspotsArgs, Info, ListArgs, MethodArgs, MethodsArgs, TimelineArgs, Tree,
    WaitsArgs,
};
pub(super) use written::{Convert, ExportArgs, Notes, ReportArgs};

use super::man::Man;
use super::options::{Decoding, Reading, RowOptions, Units};
use super::print::print_notice;
use super::record::options::{Ps, Record};
use super::{exit, failed, messages};
use crate::input::plain;
use crate::query::ReportForm;
use clap::builder::PossibleValuesParser;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::env::Shells;
use compare::{COMPARE_HELP, COMPARE_USAGE};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process;

/// Explore .NET profiles in the terminal
///
/// Opens dotTrace, dotnet-trace, PerfView, perf, speedscope, Chromium and pprof files.
#[derive(Debug, Parser)]
#[command(name = "dotspot", version, override_usage = USAGE, args_conflicts_with_subcommands = true, after_long_help = after_help(), max_term_width = 100)]
pub(super) struct CommandLine {
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// The profile to open; `-` is standard input [default: a bundled recording]
    ///
    /// Without it, piped input is opened, if there is any.
    pub file: Option<PathBuf>,
    /// Extra words, accepted only for a better error.
    #[arg(hide = true)]
    pub more: Vec<String>,
    /// Show what has changed in FILE since this profile
    #[arg(long, value_name = "BEFORE", requires = "file")]
    pub against: Option<PathBuf>,
    /// The metric to show first, such as CPU or wall
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Exclude waiting from percentages and sorting, as the key W does
    #[arg(long, conflicts_with = "waiting", hide_short_help = true)]
    pub no_waiting: bool,
    /// Include waiting in percentages and sorting
    #[arg(long, hide_short_help = true)]
    pub waiting: bool,
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub reading: Reading,
    /// The theme (see `dotspot themes`) [default: by the terminal's background]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub theme: Option<String>,
    /// Use only ASCII characters
    #[arg(long, global = true, hide_short_help = true)]
    pub ascii: bool,
    /// Print more details about errors
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
    #[arg(skip)]
    pub is_json: bool,
}

const USAGE: &str = "dotspot [OPTIONS] [FILE], or dotspot <COMMAND>";

/// Without a subcommand, the short help lists these rather than the options, which they all share.
pub(super) fn command() -> clap::Command {
    // on other systems than Windows, this is the name anyway
    let line = CommandLine::command().bin_name("dotspot");
    line.mut_args(|arg| {
        let is_shared = arg.get_help_heading().is_some();
        let is_hidden = is_shared || arg.is_hide_short_help_set();
        arg.hide_short_help(is_hidden)
    })
}

pub(super) fn parse() -> CommandLine {
    let matches = command().try_get_matches().unwrap_or_else(|mut error| {
        // no tip should lead anyone to overwrite a file
        let tip = error.get(ContextKind::SuggestedArg);
        if matches!(tip, Some(ContextValue::String(text)) if text == "--force") {
            error.remove(ContextKind::SuggestedArg);
        }
        let argument = error.get(ContextKind::InvalidArg);
        if matches!(argument, Some(ContextValue::String(text)) if text.starts_with("--format ")) {
            let tip = ContextValue::StyledStrs(vec![messages::FORMAT_IS_READ.into()]);
            error.insert(ContextKind::Suggested, tip);
        }
        if let Some((sentence, advice)) = unexpected(&error) {
            failed::print_usage(&sentence, &advice);
            process::exit(i32::from(exit::USAGE));
        }
        exit_with(&error)
    });
    let line = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| exit_with(&error));
    let has_json = |given: &clap::ArgMatches| matches!(given.try_get_one("json"), Ok(Some(true)));
    let command = matches.subcommand();
    let is_json = match &line.command {
        Some(CliCommand::Compare(args)) => args.form() == CompareTo::Json,
        Some(CliCommand::Report(args)) => args.form() == ReportForm::Json,
        _ => command.is_some_and(|(_, given)| has_json(given)),
    };
    CommandLine { is_json, ..line }
}

/// What to say about a second profile, a negative number, or an option that only other commands have.
fn unexpected(error: &clap::Error) -> Option<(String, String)> {
    let argument = match error.get(ContextKind::InvalidArg)? {
        ContextValue::String(text) if error.kind() == ErrorKind::UnknownArgument => text,
        _ => return None,
    };
    let Some(option) = argument.strip_prefix("--") else {
        let sentence = format!("unexpected argument {argument}: only one profile can be opened");
        return match argument.strip_prefix('-') {
            None => Some((sentence, "run the command for each".into())),
            // of `-0.5`, only the first digit
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                let sentence = "no option takes a negative number";
                Some((sentence.into(), "0 or more is expected".into()))
            }
            Some(_) => None,
        };
    };
    let mut command = command();
    command.build();
    let mut words = std::env::args().skip(1);
    if !words.any(|word| command.find_subcommand(word).is_some()) {
        return None;
    }
    let has_option = |command: &&clap::Command| {
        let mut arguments = command.get_arguments();
        arguments.any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set())
    };
    let commands = command.get_subcommands().filter(has_option);
    let names = commands.map(|command| format!("`{}`", command.get_name()));
    let names: Vec<String> = names.collect();
    let advice = match option {
        _ if names.is_empty() => format!("only the explorer does: `dotspot --{option} … FILE`"),
        "to" => "--until ends a time range; --to sets the output format of ".into(),
        _ => "it is an option of ".into(),
    };
    let is_known = !names.is_empty() || has_option(&&command);
    let sentence = format!("--{option}: this command does not take it");
    is_known.then(|| (sentence, advice + &names.join(", ")))
}

fn exit_with(error: &clap::Error) -> ! {
    failed::print_arguments(error);
    let printed = error.print().and_then(|()| io::stdout().flush());
    process::exit(match printed {
        Err(why) if !error.use_stderr() && why.kind() != io::ErrorKind::BrokenPipe => {
            print_notice(&messages::cant_write(&"standard output", &plain(&why)));
            i32::from(exit::FAILED)
        }
        _ => error.exit_code(),
    })
}

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Describe a profile: kind, metrics, threads, warnings
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.info/1, with --truncation dotspot.truncation/1)")))]
    Info(Info),
    /// List the methods where the time goes
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.hotspots/1)")))]
    Hotspots(HotspotsArgs),
    /// List the methods with times, calls, occurrences
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.methods/1)")))]
    Methods(MethodsArgs),
    /// Print the call tree
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.tree/1)")))]
    Tree(Tree),
    /// Print the callers of a method, over all its occurrences
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.callers/1)")))]
    Callers(CallersArgs),
    /// Print the callees of a method, over all its occurrences
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.callees/1)")))]
    Callees(MethodArgs),
    /// List waits: which user code waits, how long, in which call
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.waits/1)")))]
    Waits(WaitsArgs),
    /// Print a timeline of threads, processes or methods
    #[command(mut_arg("json", |arg| arg.help("Print JSON (schema dotspot.timeline/1)")))]
    Timeline(TimelineArgs),
    /// Compare profiles and tell real changes from chance
    #[command(visible_alias = "diff", override_usage = COMPARE_USAGE, after_long_help = COMPARE_HELP)]
    Compare(Box<Compare>),
    /// Summarize a profile within a token budget
    ///
    /// For a language model or a person. Covers the whole profile or a part of it.
    Report(ReportArgs),
    /// List your notes on methods, or write one
    ///
    /// Notes are stored in FILE.dotspot.json next to the profile.
    Notes(Notes),
    /// Write a subtree in one of the formats of `convert`
    Export(ExportArgs),
    /// Write the whole profile in another format
    Convert(Convert),
    /// Show or remove what is cached between runs
    ///
    /// The helper for dotTrace's assemblies, the trees that it decoded, and indexes of large profiles, up to 2 GB.
    Cache(CacheArgs),
    /// Check whether a dotTrace snapshot can be read, and why not
    Doctor(Doctor),
    /// Serve profiles to agents over standard streams (MCP)
    #[cfg(feature = "mcp")]
    Mcp(Mcp),
    /// Record a running .NET process, or start a program and record it
    ///
    /// Uses the .NET diagnostic port; needs no other tool.
    Record(Record),
    /// What a `record` leaves behind for programs that its COMMAND started
    #[command(hide = true)]
    Linger {
        /// Their process group
        #[cfg(unix)]
        group: u32,
        /// The folder of the port
        #[cfg(unix)]
        folder: PathBuf,
        /// Those that live
        #[cfg(windows)]
        processes: Vec<u32>,
    },
    /// List the .NET processes that can be recorded
    Ps(Ps),
    /// List the formats that can be opened
    Formats,
    /// List the explorer's keys
    Keys,
    /// Show themes of the explorer
    Themes {
        /// Only this one
        #[arg(value_name = "NAME")]
        theme: Option<String>,
    },
    /// Show, explain or check the configuration
    Config(ConfigArgs),
    /// Print a shell completion script
    #[command(after_long_help = COMPLETIONS_HELP)]
    Completions(Completions),
    /// Write a man page for each command into a folder
    Man(Man),
}

impl CliCommand {
    /// How the command reads profiles, and the unit of times that it prints.
    pub(super) fn settings(&mut self) -> (Vec<&mut Reading>, Option<&mut Units>) {
        let (source, units) = match self {
            CliCommand::Report(args) => (&mut args.source, None),
            CliCommand::Export(args) => (&mut args.source, None),
            CliCommand::Convert(args) => (&mut args.source, None),
            CliCommand::Notes(args) => (&mut args.source, Some(&mut args.units)),
            CliCommand::Compare(args) => {
                let readings = vec![&mut args.readings.before, &mut args.readings.after];
                return (readings, Some(&mut args.units));
            }
            command => {
                let answer = match command {
                    CliCommand::Info(args) => &mut args.answer,
                    CliCommand::Hotspots(args) => &mut args.list.answer,
                    CliCommand::Methods(args) => &mut args.list.answer,
                    CliCommand::Tree(args) => &mut args.answer,
                    CliCommand::Callers(args) => &mut args.of.answer,
                    CliCommand::Callees(args) => &mut args.answer,
                    CliCommand::Waits(args) => &mut args.answer,
                    CliCommand::Timeline(args) => &mut args.answer,
                    _ => return (Vec::new(), None),
                };
                (&mut answer.source, Some(&mut answer.output.units))
            }
        };
        (vec![&mut source.reading], units)
    }
}

#[derive(Args, Debug)]
#[group(multiple = false)]
pub(super) struct ConfigArgs {
    /// Print where your configuration is, or would be
    #[arg(long)]
    pub path: bool,
    /// Print a configuration with every entry and key, commented out
    #[arg(long)]
    pub default: bool,
    /// Report each invalid entry with its file, line, and the closest valid one
    ///
    /// Exit code 1 if there is any.
    #[arg(long)]
    pub check: bool,
    /// Print each entry with its value and where it comes from (the default)
    #[arg(long)]
    pub explain: bool,
}

const COMPLETIONS_HELP: &str = "bash:        source <(dotspot completions bash), in ~/.bashrc
zsh:         autoload -U compinit && compinit; source <(dotspot completions zsh), in ~/.zshrc
fish:        mkdir -p ~/.config/fish/completions
             dotspot completions fish > ~/.config/fish/completions/dotspot.fish
PowerShell:  dotspot completions powershell | Out-String | Invoke-Expression, in $PROFILE
nushell:     dotspot completions nushell | save dotspot.nu, then `use dotspot.nu *` in config.nu
elvish:      eval (dotspot completions elvish | slurp), in rc.elv

Metrics, threads, processes and methods are those of the profile on the command line, if it has an index or is small.";

#[derive(Args, Debug)]
pub(super) struct Completions {
    /// The shell
    #[arg(value_parser = PossibleValuesParser::new(shells()))]
    pub shell: String,
}

fn shells() -> Vec<&'static str> {
    Shells::builtins().names().chain(["nushell"]).collect()
}

#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// The snapshot, or a file next to it; without one, describe what this machine can read
    pub snapshot: Option<PathBuf>,
    #[command(flatten)]
    pub decoding: Decoding,
    /// Decode with every available decoder and compare what they read, node by node; exit code 1 if they differ
    #[arg(long, requires = "snapshot")]
    pub cross_check: bool,
    /// Print JSON (schema dotspot.doctor/1)
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub(super) struct CacheArgs {
    /// Remove all of it
    #[arg(long)]
    pub clear: bool,
    /// Print JSON (schema dotspot.cache/1)
    #[arg(long)]
    pub json: bool,
}

#[cfg(feature = "mcp")]
#[derive(Args, Debug)]
pub(super) struct Mcp {
    /// The folders below which profiles may be read; without one, the current folder
    pub folders: Vec<PathBuf>,
    /// Memory limit for open profiles, in MB; the least recently used are closed first
    #[arg(long, value_name = "MB", default_value_t = crate::mcp::MEMORY_MB, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
}

fn after_help() -> String {
    let rows = super::exit::table().into_iter();
    let rows = rows.map(|(code, meaning)| format!("  {code:>2}  {meaning}\n"));
    let rows = rows.collect::<String>();
    format!("Exit codes:\n{rows}`record -- COMMAND` ends with the exit code of the command\n")
}
