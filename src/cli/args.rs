//! The command line.

use super::completions::Completions;
use super::failed;
use super::man::Man;
use super::options::{
    Changing, Decoding, Fitting, Grouping, Out, PartArgs, Printing, Reading, Shaping, SourceArgs,
    Units, Weighing, named, one_of, percentage, report_forms,
};
use super::record::options::{Ps, Record};
use super::say::say;
use super::sides::Readings;
use crate::input::plain;
use crate::query::{ComparisonOrder, INVERTED, MethodOrder, QueryError, ReportForm, TimelineBy};
use clap::builder::{PossibleValue, TypedValueParser as _};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Explore .NET profiles in the terminal
///
/// Opens dotTrace, dotnet-trace, PerfView, perf, speedscope, Chromium and pprof files.
#[derive(Debug, Parser)]
#[command(name = "dotspot", version, override_usage = USAGE, args_conflicts_with_subcommands = true, after_long_help = after_help(), max_term_width = 100)]
pub(super) struct CommandLine {
    /// A command that works without a screen.
    #[command(subcommand)]
    pub command: Option<CliCommand>,
    /// The profile to open; `-` is standard input [default: a bundled recording]
    ///
    /// Without it, piped input is opened, if there is any.
    pub file: Option<PathBuf>,
    /// Extra words, accepted only for a better error.
    #[arg(hide = true)]
    pub more: Vec<String>,
    /// Show what has changed between FILE and this profile
    #[arg(long, value_name = "AFTER", requires = "file")]
    pub against: Option<PathBuf>,
    /// The metric to show first, such as CPU or wall
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Leave waiting out of percentages and order, as the key W does
    #[arg(long, conflicts_with = "waiting", hide_short_help = true)]
    pub no_waiting: bool,
    /// Count waiting like work
    #[arg(long, hide_short_help = true)]
    pub waiting: bool,
    /// What is changed in its tree at first.
    #[command(flatten)]
    pub shaping: Shaping,
    /// How the profile is read.
    #[command(flatten)]
    pub reading: Reading,
    /// The theme, see `dotspot themes` [default: by the terminal's background]
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    pub theme: Option<String>,
    /// Draw with ASCII alone
    #[arg(long, hide_short_help = true)]
    pub ascii: bool,
    /// Print more details about errors
    #[arg(short, long, global = true, hide_short_help = true)]
    pub verbose: bool,
    /// Whether the command prints JSON, and nothing else on standard output.
    #[arg(skip)]
    pub is_json: bool,
}

/// How dotspot is called.
const USAGE: &str = "dotspot [OPTIONS] [FILE], or dotspot <COMMAND>";

/// The command with all its subcommands. The short help without one lists these rather than options, which all of them have.
pub(super) fn command() -> clap::Command {
    // elsewhere than on Windows it is called so anyway
    let line = CommandLine::command().bin_name("dotspot");
    line.mut_args(|arg| {
        let is_shared = arg.get_help_heading().is_some();
        let is_hidden = is_shared || arg.is_hide_short_help_set();
        arg.hide_short_help(is_hidden)
    })
}

/// The command line of the process.
pub(super) fn parse() -> CommandLine {
    let matches = command().try_get_matches().unwrap_or_else(|mut error| {
        // nobody is led to overwrite a file by a tip
        let tip = error.get(ContextKind::SuggestedArg);
        if matches!(tip, Some(ContextValue::String(text)) if text == "--force") {
            error.remove(ContextKind::SuggestedArg);
        }
        refuse(&error)
    });
    let line = CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| exit_with(&error));
    let flag = matches
        .subcommand()
        .map(|(_, given)| given.try_get_one::<bool>("json"));
    let is_json = match &line.command {
        Some(CliCommand::Compare(args)) => args.form() == CompareTo::Json,
        Some(CliCommand::Report(args)) => args.form() == ReportForm::Json,
        _ => matches!(flag, Some(Ok(Some(true)))),
    };
    CommandLine { is_json, ..line }
}

/// Ends the process with what is wrong with its arguments, or with the help that was asked for. A second file and an option of
/// other commands have sentences of their own.
fn refuse(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| io::stdout().flush());
        std::process::exit(i32::from(match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                let why = plain(&error);
                say(&format!("standard output can't be written: {why}"));
                super::exit::FAILED
            }
            _ => super::exit::FINE,
        }));
    }
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) if error.kind() == ErrorKind::UnknownArgument => text,
        _ => exit_with(error),
    };
    let (sentence, advice) = match argument.strip_prefix("--") {
        Some(option) => match of_other_commands(option) {
            Some(usage) => usage,
            None => exit_with(error),
        },
        None if argument.starts_with('-') => exit_with(error),
        None => (
            format!("unexpected argument {argument}: only one profile can be opened"),
            "run the command for each".into(),
        ),
    };
    say(&format!("{sentence}; {advice}"));
    failed::print_usage(&sentence, &advice);
    std::process::exit(i32::from(super::exit::USAGE))
}

/// What to say of an option that the command does not take and others do.
fn of_other_commands(option: &str) -> Option<(String, String)> {
    let mut command = command();
    command.build();
    let is_command = |word: &String| command.find_subcommand(word).is_some();
    if !std::env::args().skip(1).any(|word| is_command(&word)) {
        return None;
    }
    let takes = |command: &&clap::Command| {
        let mut arguments = command.get_arguments();
        arguments.any(|arg| arg.get_long() == Some(option) && !arg.is_hide_set())
    };
    let commands = command.get_subcommands().filter(takes);
    let names: Vec<String> = commands
        .map(|command| format!("`{}`", command.get_name()))
        .collect();
    let advice = match option {
        "to" => "--until ends a range of time, and a format is taken by ",
        _ => "it is an option of ",
    };
    let sentence = format!("--{option}: this command does not take it");
    (!names.is_empty()).then(|| (sentence, format!("{advice}{}", names.join(", "))))
}

/// Ends the process with what clap says.
fn exit_with(error: &clap::Error) -> ! {
    failed::print_arguments(error);
    error.exit()
}

/// What works without a screen.
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
    /// Check whether a dotTrace snapshot can be read, or what to do
    Doctor(Doctor),
    /// Serve profiles to agents over standard streams (MCP)
    #[cfg(feature = "mcp")]
    Mcp(Mcp),
    /// Record a running .NET process, or start a program and record it
    ///
    /// Uses the .NET diagnostics port; needs no other tool.
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
        /// Draw with ASCII alone
        #[arg(long)]
        ascii: bool,
    },
    /// Show, explain or check the configuration
    Config(ConfigArgs),
    /// Print a script that completes command lines in a shell
    #[command(after_long_help = COMPLETIONS_HELP)]
    Completions(Completions),
    /// Write a man page for each command into a folder
    #[command(hide = true)]
    Man(Man),
    /// List all that dotspot can say, for those who edit it
    #[command(hide = true)]
    Diagnostics {
        /// Every sentence, with its room and its name
        #[arg(long, required = true)]
        all: bool,
    },
}

impl CliCommand {
    /// How it reads profiles.
    pub(super) fn readings(&mut self) -> Vec<&mut Reading> {
        let source = match self {
            CliCommand::Info(args) => &mut args.source,
            CliCommand::Hotspots(args) => &mut args.source,
            CliCommand::Methods(args) => &mut args.source,
            CliCommand::Tree(args) => &mut args.source,
            CliCommand::Callers(args) => &mut args.of.source,
            CliCommand::Callees(args) => &mut args.source,
            CliCommand::Waits(args) => &mut args.source,
            CliCommand::Timeline(args) => &mut args.source,
            CliCommand::Report(args) => &mut args.source,
            CliCommand::Notes(args) => &mut args.source,
            CliCommand::Export(args) => &mut args.source,
            CliCommand::Convert(args) => &mut args.source,
            CliCommand::Compare(args) => {
                return vec![&mut args.readings.before, &mut args.readings.after];
            }
            _ => return Vec::new(),
        };
        vec![&mut source.reading]
    }

    /// The unit of times that it prints.
    pub(super) fn units(&mut self) -> Option<&mut Units> {
        Some(match self {
            CliCommand::Info(args) => &mut args.printing.units,
            CliCommand::Hotspots(args) => &mut args.printing.units,
            CliCommand::Methods(args) => &mut args.printing.units,
            CliCommand::Tree(args) => &mut args.printing.units,
            CliCommand::Callers(args) => &mut args.of.printing.units,
            CliCommand::Callees(args) => &mut args.printing.units,
            CliCommand::Waits(args) => &mut args.printing.units,
            CliCommand::Timeline(args) => &mut args.printing.units,
            CliCommand::Compare(args) => &mut args.units,
            CliCommand::Notes(args) => &mut args.units,
            _ => return None,
        })
    }
}

/// `dotspot config`.
#[derive(Args, Debug)]
#[group(multiple = false)]
pub(super) struct ConfigArgs {
    /// Print where your configuration is, or would be
    #[arg(long)]
    pub path: bool,
    /// Print a configuration with every entry and key, commented out
    #[arg(long)]
    pub default: bool,
    /// Name each wrong entry with file, line, and the nearest right one
    ///
    /// Exit code 1 if there is any.
    #[arg(long)]
    pub check: bool,
    /// Print each entry with its value and where it comes from (the default)
    #[arg(long)]
    pub explain: bool,
}

/// `dotspot info`.
#[derive(Args, Debug)]
pub(super) struct Info {
    /// Show how many stacks were truncated, how many of them were repaired, and what that changed
    #[arg(long, conflicts_with_all = ["no_repair", "from", "until", "budget", "unit"])]
    pub truncation: bool,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot hotspots`.
#[derive(Args, Debug)]
pub(super) struct HotspotsArgs {
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs,
    /// Order by exclusive, inclusive or own-system time
    ///
    /// exclusive: without callees. inclusive: with callees. own-system: with the system code it calls. Lists of user code default to own-system, all others to exclusive.
    #[arg(long, hide_possible_values = true, value_parser = one_of([
        named(&["exclusive"], MethodOrder::Exclusive),
        named(&["inclusive"], MethodOrder::Inclusive),
        named(&["own-system"], MethodOrder::OwnAndSystem),
    ]))]
    pub by: Option<MethodOrder>,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// List only user code
    #[arg(long)]
    pub only_user_code: bool,
    /// What has a row.
    #[command(flatten)]
    pub grouping: Grouping,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot methods`.
#[derive(Args, Debug)]
pub(super) struct MethodsArgs {
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs,
    /// Only methods with this in their names, in any case
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Order by this column [default: exclusive]
    ///
    /// exclusive, inclusive, own-system, calls, samples, per-call, occurrences or name; `own` is exclusive, and `total` inclusive.
    #[arg(long, value_name = "ORDER", hide_possible_values = true, value_parser = one_of(orders()))]
    pub sort: Option<MethodOrder>,
    /// What is configured, where that is not given.
    #[arg(skip)]
    pub preferred_sort: Option<MethodOrder>,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: 50, or as many as fit the budget.
    #[arg(long, visible_alias = "top", value_name = "N")]
    pub limit: Option<usize>,
    /// List only user code
    #[arg(long)]
    pub only_user_code: bool,
    /// What has a row.
    #[command(flatten)]
    pub grouping: Grouping,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// The orders of methods, by their names and what they are called, too.
fn orders() -> impl Iterator<Item = (PossibleValue, MethodOrder)> {
    MethodOrder::ALL.into_iter().map(|order| match order {
        MethodOrder::Exclusive => named(&[order.name(), "own"], order),
        MethodOrder::Inclusive => named(&[order.name(), "total"], order),
        _ => named(&[order.name()], order),
    })
}

/// `dotspot tree`.
#[derive(Args, Debug)]
pub(super) struct Tree {
    /// Which part.
    #[command(flatten)]
    pub part: PartArgs,
    /// Only the subtree of this node, such as n12
    ///
    /// An id as the explorer, `tree --json` and `hotspots --json` show it.
    #[arg(long, value_name = "ID", conflicts_with = "under")]
    pub node: Option<String>,
    /// Invert the tree: methods with their callers below
    ///
    /// By their exclusive time; 2 levels unless --depth says more.
    #[arg(long)]
    pub inverted: bool,
    /// How many levels below the root
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Leave out rows below this percentage
    ///
    /// Of the root: 1 % unless there is a budget.
    #[arg(long, value_name = "P", value_parser = percentage)]
    pub min_percent: Option<f64>,
    /// Print names as they were recorded
    ///
    /// JSON has both.
    #[arg(long, conflicts_with = "json")]
    pub raw_names: bool,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub shaping: Shaping,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot callers` and `dotspot callees`.
#[derive(Args, Debug)]
pub(super) struct MethodArgs {
    /// The method: its name or the end of it; Type.* is all methods of a type
    ///
    /// With or without module, namespace, type arguments and arguments.
    #[arg(index = 2)]
    pub method: String,
    /// How it is weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// How many levels of callers or callees
    ///
    /// 6 unless there is a budget.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Combine rows below this percentage of the method
    ///
    /// 1 % unless there is a budget. Immediate callers and callees are there in any case.
    #[arg(long, value_name = "P", value_parser = percentage)]
    pub min_percent: Option<f64>,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot waits`.
#[derive(Args, Debug)]
pub(super) struct WaitsArgs {
    /// The metric [default: the one with the most waiting]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// How many rows; 0 is all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot timeline`.
#[derive(Args, Debug)]
pub(super) struct TimelineArgs {
    /// A lane for each thread, process or method
    ///
    /// Methods are sorted by exclusive value.
    #[arg(long, default_value = "thread", hide_possible_values = true, value_parser = one_of(TimelineBy::ALL.map(|by| named(&[by.name()], by))))]
    pub by: TimelineBy,
    /// Number of equal time buckets
    ///
    /// As many as there is room for, or 100 in JSON.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000).map(usize::from))]
    pub buckets: Option<usize>,
    /// Split it where the mix of methods changes: a heuristic
    #[arg(long)]
    pub phases: bool,
    /// Only the subtree of this node, such as n12
    ///
    /// An id as the explorer, `tree --json` and `hotspots --json` show it.
    #[arg(long, value_name = "ID")]
    pub node: Option<String>,
    /// What is measured.
    #[command(flatten)]
    pub weighing: Weighing,
    /// How many lanes; 0 is all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// How it is printed.
    #[command(flatten)]
    pub printing: Printing,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot callers`.
#[derive(Args, Debug)]
pub(super) struct CallersArgs {
    /// Which user code is responsible: the nearest user code above the method, and its callers
    ///
    /// What lies between, of .NET, libraries and native code, is skipped. The shares add up to 100 %.
    #[arg(long)]
    pub user: bool,
    #[command(flatten)]
    pub of: MethodArgs,
}

/// How `compare` is called.
const COMPARE_USAGE: &str = "dotspot compare [OPTIONS] BEFORE AFTER\n       dotspot compare [OPTIONS] --before FILE… --after FILE…";
/// What its options don't say.
const COMPARE_HELP: &str = "All options for reading a profile, from --format to --until, can also apply to one side only: \
                            --before-from, --after-thread …\nExit code 3: a condition of --fail-if holds.";

const COMPLETIONS_HELP: &str = "bash:        source <(dotspot completions bash), in ~/.bashrc
zsh:         source <(dotspot completions zsh), in ~/.zshrc behind compinit
fish:        dotspot completions fish > ~/.config/fish/completions/dotspot.fish
PowerShell:  dotspot completions powershell | Out-String | Invoke-Expression, in $PROFILE
nushell:     dotspot completions nushell | save dotspot.nu, then `use dotspot.nu *` in config.nu
elvish:      eval (dotspot completions elvish | slurp), in rc.elv

Metrics, threads, processes and methods are those of the profile on the command line, if it has an index or is small.";

/// `dotspot compare`.
#[derive(Args, Debug)]
pub(super) struct Compare {
    /// Profiles before and after the change
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 0..=2)]
    pub files: Vec<PathBuf>,
    /// Several profiles before the change
    ///
    /// They are compared by their medians and ranks.
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "after", conflicts_with = "files")]
    pub before: Vec<PathBuf>,
    /// Several profiles after the change
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "before")]
    pub after: Vec<PathBuf>,
    /// The metric, such as CPU or wall
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Leave waiting out on both sides
    #[arg(long, hide_short_help = true)]
    pub no_waiting: bool,
    /// The metric where that is not given, if all profiles have it.
    #[arg(skip)]
    pub preferred_metric: Option<String>,
    /// Order by this difference: own, inclusive...
    ///
    /// own, or own-system with --only-user-code.
    #[arg(long, hide_possible_values = true, value_parser = one_of([
        named(&["own", "exclusive"], ComparisonOrder::Exclusive),
        named(&["own-system"], ComparisonOrder::OwnAndSystem),
        named(&["inclusive"], ComparisonOrder::Inclusive),
        named(&["calls", "samples"], ComparisonOrder::Counts),
    ]))]
    pub by: Option<ComparisonOrder>,
    /// Compare equal work, such as calls or seconds
    ///
    /// total, calls, samples, seconds or method:NAME. Values are multiplied so that these are the same on both sides.
    #[arg(long, value_name = "WHAT")]
    pub per: Option<String>,
    /// Treat OLD in method names as NEW
    ///
    /// Such as a namespace. Can be repeated.
    #[arg(long, value_name = "OLD=NEW")]
    pub rename: Vec<String>,
    /// Exit with 3 if: 'own(METHOD) > +10%'
    ///
    /// Also inclusive(METHOD), calls(METHOD), total, any method or any user method, and > 20ms; conditions of one expression are
    /// joined by `and`. Only what is more than chance counts. Can be repeated.
    #[arg(long, value_name = "EXPR")]
    pub fail_if: Vec<String>,
    /// With --fail-if: also count differences that may be chance
    #[arg(long, requires = "fail_if", hide_short_help = true)]
    pub even_by_chance: bool,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// List only user code
    #[arg(long)]
    pub only_user_code: bool,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print the merged tree with differences
    #[arg(long, conflicts_with_all = ["by", "top", "only_user_code"])]
    pub tree: bool,
    /// With --tree: the callers of a method, upward, instead
    #[arg(long, value_name = "METHOD", requires = "tree", hide_short_help = true)]
    pub callers: Option<String>,
    /// With --tree: methods by exclusive value, with their callers below
    #[arg(
        long,
        requires = "tree",
        conflicts_with = "callers",
        hide_short_help = true
    )]
    pub inverted: bool,
    /// With --tree: how many levels below the root
    #[arg(long, value_name = "N", requires = "tree", hide_short_help = true)]
    pub depth: Option<usize>,
    /// With --tree: leave out what has changed by less than this share of the larger total
    #[arg(long, value_name = "P", requires = "tree", default_value_t = 1.0, value_parser = percentage, hide_short_help = true)]
    pub min_percent: f64,
    /// text, markdown or json
    ///
    /// Markdown is for a pull request, and the default with --budget.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, value_parser = one_of([
        named(&["text"], CompareTo::Text),
        named(&["markdown", "md"], CompareTo::Markdown),
        named(&["json"], CompareTo::Json),
    ]))]
    pub to: Option<CompareTo>,
    /// Print JSON (schema dotspot.compare/1)
    ///
    /// The same as --to json; times are in milliseconds.
    #[arg(long, conflicts_with = "to")]
    pub json: bool,
    /// What is changed in the merged tree.
    #[command(flatten)]
    pub shaping: Shaping,
    /// How they are read. All of these options are there for one side, too: --before-from, --after-thread …
    #[command(flatten)]
    pub readings: Readings,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompareTo {
    /// A table for people.
    Text,
    /// A table for pages.
    Markdown,
    /// For programs.
    Json,
}

impl Compare {
    /// How it is written.
    pub(super) fn form(&self) -> CompareTo {
        match self.to {
            Some(to) => to,
            None if self.json => CompareTo::Json,
            None if self.fitting.budget.is_some() && !self.tree => CompareTo::Markdown,
            None => CompareTo::Text,
        }
    }

    /// Refuses options that change nothing in what is printed.
    ///
    /// # Errors
    /// There is one.
    pub(super) fn refuse_unused(&self) -> anyhow::Result<()> {
        let refused = match (self.form(), self.tree) {
            (CompareTo::Json, _) if self.units.unit.is_some() => {
                "--unit: JSON is always in milliseconds"
            }
            _ if self.readings.merge_threads() => {
                "--merge-threads: the threads of a side are merged anyway"
            }
            (CompareTo::Markdown, true) => "--tree: it is written as text or JSON",
            (CompareTo::Text, true) if self.fitting.budget.is_some() => {
                "--budget: with --tree it is for JSON; --depth and --min-percent cut text"
            }
            _ => {
                let is_tree = self.tree && self.callers.is_none() && !self.inverted;
                return self.shaping.refuse(
                    |step| step.word == INVERTED || step.is_display() && !is_tree,
                    "only --tree alone shows rows for several frames, and --tree --inverted inverts it",
                );
            }
        };
        Err(QueryError::usage(refused).into())
    }

    /// The profiles before and after the change.
    ///
    /// # Errors
    /// There are not two of them, or none on a side.
    pub(super) fn files(&self) -> Result<[Vec<PathBuf>; 2], QueryError> {
        match self.files.as_slice() {
            [before, after] => Ok([vec![before.clone()], vec![after.clone()]]),
            [] if !self.before.is_empty() => Ok([self.before.clone(), self.after.clone()]),
            _ => {
                let usage = QueryError::usage("compare needs BEFORE and AFTER");
                Err(usage.advice("several per side: --before A B … --after C D …"))
            }
        }
    }
}

/// `dotspot report`.
#[derive(Args, Debug)]
pub(super) struct ReportArgs {
    /// How it is weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// Maximum number of tokens [default: 2000]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// All occurrences of this method as one
    #[arg(long, value_name = "NAME", conflicts_with = "node")]
    pub method: Option<String>,
    /// Only the subtree of this node
    ///
    /// An id as reports, the explorer, `tree --json` and `hotspots --json` show it.
    #[arg(long, value_name = "ID")]
    pub node: Option<String>,
    /// Also show what changed since this profile
    ///
    /// It is read in the same way.
    #[arg(long, value_name = "BEFORE")]
    pub against: Option<PathBuf>,
    /// markdown or json
    ///
    /// By default what the name of OUT says, else markdown.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, value_parser = report_forms())]
    pub to: Option<ReportForm>,
    /// Print JSON (schema dotspot.report/1)
    ///
    /// The same as --to json; times are in milliseconds.
    #[arg(long, conflicts_with = "to")]
    pub json: bool,
    /// End with a question
    ///
    /// find-bottleneck, explain, compare-with, or your own words.
    #[arg(long, value_name = "NAME|TEXT")]
    pub question: Option<String>,
    /// Write names as they were recorded
    ///
    /// With modules, namespaces and arguments.
    #[arg(long)]
    pub raw_names: bool,
    /// The file to write [default: standard output]
    ///
    /// `-` is standard output, too.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
    /// What is changed in its tree.
    #[command(flatten)]
    pub shaping: Shaping,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

impl ReportArgs {
    /// How many tokens it may have.
    pub(super) fn tokens(&self) -> usize {
        self.budget.unwrap_or(2_000)
    }

    /// The file to write [default: standard output].
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    /// How it is written.
    pub(super) fn form(&self) -> ReportForm {
        let extension = self.path().and_then(Path::extension);
        match self.to {
            Some(to) => to,
            None if self.json
                || extension.is_some_and(|name| name.eq_ignore_ascii_case("json")) =>
            {
                ReportForm::Json
            }
            None => ReportForm::Markdown,
        }
    }
}

/// Options that only affect the listing.
const WEIGHED: [&str; 5] = ["metric", "waiting", "no_waiting", "unit", "json"];

/// `dotspot notes`.
#[derive(Args, Debug)]
pub(super) struct Notes {
    /// Only this method, named as for `callers`
    #[arg(index = 2)]
    pub method: Option<String>,
    /// The note to write on it, in place of the one that is there
    #[arg(index = 3, requires = "method", conflicts_with_all = WEIGHED)]
    pub text: Option<String>,
    /// Remove the note on the method
    #[arg(long, requires = "method", conflicts_with = "text", conflicts_with_all = WEIGHED)]
    pub remove: bool,
    /// How the methods are weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
    /// Print JSON (schema dotspot.method-notes/1), times in milliseconds
    #[arg(long, conflicts_with = "unit")]
    pub json: bool,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot export`.
#[derive(Args, Debug)]
pub(super) struct ExportArgs {
    /// The subtree of this node alone
    ///
    /// An id as the explorer, `tree --json` and `hotspots --json` show it.
    #[arg(long, value_name = "ID", conflicts_with = "method")]
    pub node: Option<String>,
    /// All occurrences of this method as one tree
    ///
    /// Recursion is counted once.
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// With --method: only the heaviest occurrence
    #[arg(long, requires = "method", conflicts_with_all = ["all_occurrences", "node"])]
    pub heaviest_occurrence: bool,
    /// All occurrences as one tree
    ///
    /// The default with --method. With --node, those of that node's method.
    #[arg(long)]
    pub all_occurrences: bool,
    /// Invert the tree: methods with their callers below
    ///
    /// By their exclusive time. What is left out is summed up.
    #[arg(long)]
    pub inverted: bool,
    /// With --inverted: how many levels
    #[arg(long, value_name = "N", default_value_t = 10, requires = "inverted")]
    pub depth: usize,
    /// With --inverted: sum up what has less than this share of the root
    #[arg(long, hide_short_help = true, value_name = "P", default_value_t = 0.1, requires = "inverted", value_parser = percentage)]
    pub min_percent: f64,
    /// The metric, or the first of several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Where to and whether to overwrite.
    #[command(flatten)]
    pub out: Out,
    /// What is changed in its tree.
    #[command(flatten)]
    pub shaping: Shaping,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot convert`.
#[derive(Args, Debug)]
pub(super) struct Convert {
    /// The metric, or the first of several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Write a trace from dotnet-trace again, with its truncated stacks repaired
    ///
    /// In its own format, speedscope or Chromium: wall time, with the leaves that say when threads ran.
    #[arg(long, conflicts_with_all = ["metric", "no_repair"])]
    pub repair: bool,
    /// Where to and whether to overwrite.
    #[command(flatten)]
    pub out: Out,
    /// Write to standard output
    #[arg(long, conflicts_with = "output")]
    pub stdout: bool,
    /// What is changed in its tree.
    #[command(flatten)]
    pub shaping: Shaping,
    /// The profile.
    #[command(flatten)]
    pub source: SourceArgs,
}

/// `dotspot doctor`.
#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// The snapshot, or a file beside it; without one, say what this machine can read
    pub snapshot: Option<PathBuf>,
    /// What decoders need to know.
    #[command(flatten)]
    pub decoding: Decoding,
    /// Decode with every decoder at hand and compare what they read, node by node; exit code 1 if they differ
    #[arg(long, requires = "snapshot")]
    pub cross_check: bool,
    /// Print JSON (schema dotspot.doctor/1)
    #[arg(long)]
    pub json: bool,
}

/// `dotspot cache`.
#[derive(Args, Debug)]
pub(super) struct CacheArgs {
    /// Remove all of it
    #[arg(long)]
    pub clear: bool,
    /// Print JSON (schema dotspot.cache/1)
    #[arg(long)]
    pub json: bool,
}

/// `dotspot mcp`.
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
    let lines = rows.map(|(code, meaning)| format!("  {code:>2}  {meaning}\n"));
    std::iter::once("Exit codes:\n".into())
        .chain(lines)
        .collect()
}
