//! The command line.

use super::failed;
use super::options::{
    Changing, Decoding, Out, Part, Reading, ReportTo, Source, Units, Weighing, percentage,
};
use super::record::options::{Ps, Record};
use super::say::{Usage, say};
use super::sides::Readings;
use crate::analysis::HotspotOrder;
use crate::input::plain;
use crate::query::{ComparisonOrder, MethodOrder};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Explore .NET call trees in the terminal: dotTrace snapshots and reports, dotnet-trace recordings, speedscope, Chromium, perf, pprof...
#[derive(Debug, Parser)]
#[command(name = "dotspot", version, args_conflicts_with_subcommands = true, after_help = after_help(), max_term_width = 100)]
pub(super) struct CommandLine {
    /// A command that works without a screen.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// The profile to explore, `-` for standard input; without it, the bundled sample.
    pub file: Option<PathBuf>,
    /// What stands behind it: taken in to say that it is too much, and that `hotspot` is no command.
    #[arg(hide = true)]
    pub more: Vec<String>,
    /// Show what has changed between the first profile and this one, which was taken after the change
    #[arg(long, value_name = "AFTER", requires = "file")]
    pub against: Option<PathBuf>,
    /// The metric that the explorer shows first, such as CPU or wall
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// How the profile is read.
    #[command(flatten)]
    pub reading: Reading,
    /// What is changed in its tree at first.
    #[command(flatten)]
    pub changing: Changing,
    /// Print more details about what goes wrong
    #[arg(short, long, global = true)]
    pub verbose: bool,
}

/// The command line of the process. `--until` is `--to`, too: by another name, but where that may say a format, see [`Out`].
pub(super) fn parse() -> CommandLine {
    let also_to = |arg: clap::Arg| arg.visible_alias("to");
    let command = CommandLine::command().mut_arg("until", also_to);
    let has_no_format = ["info", "hotspots", "methods", "tree", "callers", "callees"];
    let command = has_no_format.into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| command.mut_arg("until", also_to))
    });
    let command = ["hotspots", "methods", "compare"]
        .into_iter()
        .fold(command, |command, name| {
            command.mut_subcommand(name, |command| {
                command.mut_arg("user_code", lists_user_code)
            })
        });
    let matches = command
        .try_get_matches()
        .unwrap_or_else(|error| refuse(&error));
    CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| exit_with(&error))
}

/// `--user-code` alone lists only user code; a prefix stands behind `=`, so that the file is not taken for it.
fn lists_user_code(arg: clap::Arg) -> clap::Arg {
    arg.num_args(0..=1).require_equals(true).default_missing_value("").help(
        "List only user code. With =PREFIX, count modules and namespaces that begin with PREFIX, up to a dot, as user code; \
         can be repeated, and the longest prefix that matches wins",
    )
}

/// Ends the process with what is wrong with its arguments, or with the help that was asked for. A second file has a sentence of
/// its own.
fn refuse(error: &clap::Error) -> ! {
    if !error.use_stderr() {
        let printed = error.print().and_then(|()| io::stdout().flush());
        std::process::exit(i32::from(match printed {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                say(&format!(
                    "standard output can't be written: {}",
                    plain(&error)
                ));
                super::exit::FAILED
            }
            _ => super::exit::FINE,
        }));
    }
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) if error.kind() == ErrorKind::UnknownArgument => text,
        _ => exit_with(error),
    };
    if argument.starts_with('-') {
        exit_with(error);
    }
    let is_prefix = std::env::args().any(|argument| argument == "--user-code");
    let advice = if is_prefix {
        "a prefix is given by --user-code=PREFIX"
    } else {
        "run the command for each"
    };
    let sentence = format!("one profile is read at a time, and {argument} is one too many");
    say(&format!("{sentence}; {advice}"));
    failed::print_usage(&sentence, advice);
    std::process::exit(i32::from(super::exit::USAGE))
}

/// Ends the process with what clap says.
fn exit_with(error: &clap::Error) -> ! {
    failed::print_arguments(error);
    error.exit()
}

/// What works without a screen.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Describe a profile: kind, metrics, threads, warnings
    Info(Info),
    /// List the methods where the time goes
    Hotspots(Hotspots),
    /// List the methods with everything known about each: times, calls or samples, occurrences
    Methods(Methods),
    /// Print the call tree
    Tree(Tree),
    /// Print who calls a method, all its occurrences as one, and in which threads
    Callers(Method),
    /// Print what a method calls, all its occurrences as one, and in which threads
    Callees(Method),
    /// Compare profiles before and after a change: what got slower, where, and whether it is more than chance
    #[command(visible_alias = "diff", override_usage = COMPARE_USAGE, after_help = COMPARE_HELP)]
    Compare(Box<Compare>),
    /// Write what best explains a profile, or a part of it, within a budget of tokens, for a language model or a person
    Report(Report),
    /// List your notes on methods, or keep one on a method, in FILE.dotspot.json beside the profile
    Notes(Notes),
    /// Write a subtree in one of the formats of `convert`
    Export(Export),
    /// Write the whole profile as call-tree JSON, speedscope, Chromium trace events, collapsed stacks or pprof
    Convert(Convert),
    /// Show what is kept between runs: the helper for dotTrace's assemblies, and the trees it decoded, up to 2 GB
    Cache(Cache),
    /// Check what of a dotTrace snapshot can be read, what else could read it, and what to do next
    Doctor(Doctor),
    /// Serve profiles to agents: the Model Context Protocol over standard input and output
    #[cfg(feature = "mcp")]
    Mcp(Mcp),
    /// Record samples of a .NET process that runs or is started, over its diagnostics port, without another tool
    Record(Record),
    /// What a `record` leaves behind for programs that its COMMAND started
    #[command(hide = true)]
    Linger {
        /// Their process group
        group: u32,
        /// The folder of the port
        folder: PathBuf,
    },
    /// List the .NET processes that can be recorded
    Ps(Ps),
    /// List the formats that can be opened
    Formats,
    /// List the explorer's keys
    Keys,
}

impl Command {
    /// Whether it prints JSON, and nothing else on standard output.
    pub(super) fn is_json(&self) -> bool {
        match self {
            Command::Info(args) => args.json,
            Command::Hotspots(args) => args.json,
            Command::Methods(args) => args.json,
            Command::Tree(args) => args.json,
            Command::Callers(args) | Command::Callees(args) => args.json,
            Command::Compare(args) => args.form() == CompareTo::Json,
            Command::Report(args) => args.form() == ReportTo::Json,
            Command::Notes(args) => args.json,
            Command::Cache(args) => args.json,
            Command::Doctor(args) => args.json,
            Command::Export(_) | Command::Convert(_) | Command::Formats | Command::Keys => false,
            Command::Record(_) | Command::Linger { .. } => false,
            Command::Ps(args) => args.json,
            #[cfg(feature = "mcp")]
            Command::Mcp(_) => false,
        }
    }
}

/// How much is printed.
#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Fitting {
    /// Print as much as fits in this many tokens, for a prompt: the heaviest rows, and how many are left out
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
}

impl Fitting {
    /// How many rows there are at most if nobody said: these, or as many as fit the budget.
    pub(super) fn most(self, asked: Option<usize>, usual: usize) -> usize {
        asked.unwrap_or(if self.budget.is_some() { 0 } else { usual })
    }

    /// How many levels there are at most if nobody said: these, or enough for a budget to choose from.
    pub(super) fn levels(self, asked: Option<usize>, usual: usize) -> usize {
        asked.unwrap_or(if self.budget.is_some() { 20 } else { usual })
    }

    /// From which share on rows are there if nobody said, in percent. With a budget these are rows enough to choose from.
    pub(super) fn least_percent(self, asked: Option<f64>) -> f64 {
        asked.unwrap_or(if self.budget.is_some() { 0.1 } else { 1.0 })
    }
}

/// `dotspot info`.
#[derive(Args, Debug)]
pub(super) struct Info {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// Show how many stacks were truncated, how many of them were repaired, and what that changed
    #[arg(long, conflicts_with_all = ["no_repair", "from", "until", "budget"])]
    pub truncation: bool,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print JSON (schema dotspot.info/1, with --truncation dotspot.truncation/1)
    #[arg(long)]
    pub json: bool,
}

/// By which time hotspots are ordered.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum By {
    /// Time without callees.
    Exclusive,
    /// Time with callees.
    Inclusive,
}

impl From<By> for HotspotOrder {
    fn from(by: By) -> Self {
        match by {
            By::Exclusive => HotspotOrder::Exclusive,
            By::Inclusive => HotspotOrder::Inclusive,
        }
    }
}

/// `dotspot hotspots`.
#[derive(Args, Debug)]
pub(super) struct Hotspots {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// Which part.
    #[command(flatten)]
    pub part: Part,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// Order by time without or with callees
    #[arg(long, value_enum, default_value = "exclusive")]
    pub by: By,
    /// How many methods, 20 unless there is a budget; 0 is all
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print JSON (schema dotspot.hotspots/1), times in milliseconds
    #[arg(long)]
    pub json: bool,
}

/// `dotspot methods`.
#[derive(Args, Debug)]
pub(super) struct Methods {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// Which part.
    #[command(flatten)]
    pub part: Part,
    /// Only methods with this in their names, in any case
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Order by: exclusive (own), inclusive (total), own-system, calls, samples, per-call, occurrences or name
    #[arg(long, value_name = "ORDER", default_value = "exclusive", hide_possible_values = true, value_parser = PossibleValuesParser::new(orders()).map(order_named))]
    pub sort: MethodOrder,
    /// How many methods, 50 unless there is a budget; 0 is all
    #[arg(long, visible_alias = "top", value_name = "N")]
    pub limit: Option<usize>,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print JSON (schema dotspot.methods/1), times in milliseconds
    #[arg(long)]
    pub json: bool,
}

fn orders() -> impl Iterator<Item = PossibleValue> {
    MethodOrder::ALL
        .into_iter()
        .map(|order| PossibleValue::new(order.name()).aliases(aliases_of(order)))
}

/// What orders are called beside their names.
fn aliases_of(order: MethodOrder) -> &'static [&'static str] {
    match order {
        MethodOrder::Exclusive => &["own"],
        MethodOrder::Inclusive => &["total"],
        _ => &[],
    }
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "clap hands over what it parsed"
)]
fn order_named(name: String) -> MethodOrder {
    let is_called =
        |order: &MethodOrder| order.name() == name || aliases_of(*order).contains(&name.as_str());
    // only these names are possible values
    MethodOrder::ALL
        .into_iter()
        .find(is_called)
        .unwrap_or(MethodOrder::Exclusive)
}

/// `dotspot tree`.
#[derive(Args, Debug)]
pub(super) struct Tree {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// Which part.
    #[command(flatten)]
    pub part: Part,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// Only the subtree of this node: an id as the explorer, `tree --json` and `hotspots --json` show it
    #[arg(long, value_name = "ID", conflicts_with = "under")]
    pub node: Option<String>,
    /// Invert the tree: methods by their exclusive time, with their callers below, 2 levels unless --depth says more
    #[arg(long)]
    pub inverted: bool,
    /// How many levels below the root
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Leave out what has less than this share of the root, 1 % unless there is a budget
    #[arg(long, value_name = "P", value_parser = percentage)]
    pub min_percent: Option<f64>,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Write names as they were recorded, with modules, namespaces and arguments; JSON has both
    #[arg(long)]
    pub raw_names: bool,
    /// Print JSON (schema dotspot.tree/1), a row per node in preorder, times in milliseconds
    #[arg(long)]
    pub json: bool,
}

/// `dotspot callers` and `dotspot callees`.
#[derive(Args, Debug)]
pub(super) struct Method {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// The method: its name or the end of it, with or without module, namespace, type arguments and arguments; Type.* is all
    /// methods of a type
    pub method: String,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// How it is weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// How many levels above or below the method, 6 unless there is a budget
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Sum up what has less than this share of the method, 1 % unless there is a budget; immediate callers and callees are there in any case
    #[arg(long, value_name = "P", value_parser = percentage)]
    pub min_percent: Option<f64>,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print JSON (schema dotspot.callers/1 or dotspot.callees/1), rows in preorder, times in milliseconds
    #[arg(long)]
    pub json: bool,
}

/// By which difference methods are ordered.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum ByDelta {
    /// Time without callees.
    #[value(alias = "exclusive")]
    Own,
    /// Time with callees.
    Inclusive,
    /// Calls, or samples where there are no calls.
    #[value(alias = "samples")]
    Calls,
}

impl From<ByDelta> for ComparisonOrder {
    fn from(by: ByDelta) -> ComparisonOrder {
        match by {
            ByDelta::Own => ComparisonOrder::Exclusive,
            ByDelta::Inclusive => ComparisonOrder::Inclusive,
            ByDelta::Calls => ComparisonOrder::Counts,
        }
    }
}

/// How `compare` is called.
const COMPARE_USAGE: &str = "dotspot compare [OPTIONS] BEFORE AFTER\n       dotspot compare [OPTIONS] --before FILE… --after FILE…";
/// What its options don't say.
const COMPARE_HELP: &str = "All options that say how a profile is read, from --format to --until, are there for one side, too: \
                            --before-from, --after-thread …\nExit code 3: a condition of --fail-if holds.";

/// `dotspot compare`.
#[derive(Args, Debug)]
pub(super) struct Compare {
    /// The profile before the change, and the one after it; in any formats
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 0..=2)]
    pub files: Vec<PathBuf>,
    /// Several profiles before the change, compared by their medians and ranks
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "after", conflicts_with = "files")]
    pub before: Vec<PathBuf>,
    /// Several profiles after the change
    #[arg(long, value_name = "FILE", num_args = 1.., requires = "before")]
    pub after: Vec<PathBuf>,
    /// How they are read. All of these options are there for one side, too: --before-from, --after-thread …
    #[command(flatten)]
    pub readings: Readings,
    /// What is changed in the merged tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The metric, such as CPU or wall; by default the first choice of the first profile
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Order by the difference of this
    #[arg(long, value_enum, default_value = "own")]
    pub by: ByDelta,
    /// Compare equal work: multiply values so that these are the same on both sides: total, calls, samples, seconds or method:NAME
    #[arg(long, value_name = "WHAT")]
    pub per: Option<String>,
    /// A part of names, such as a namespace, that is called otherwise after the change; can be repeated
    #[arg(long, value_name = "OLD=NEW")]
    pub rename: Vec<String>,
    /// Exit with 3 if this holds, and say so: 'own(METHOD) > +10%', also inclusive(METHOD), calls(METHOD), total, any method or any user
    /// method, and > 20ms; conditions of one expression are joined by `and`. Only what is more than chance counts. Can be repeated
    #[arg(long, value_name = "EXPR")]
    pub fail_if: Vec<String>,
    /// With --fail-if: count what may be chance, too
    #[arg(long, requires = "fail_if")]
    pub even_by_chance: bool,
    /// How many methods, 20 unless there is a budget; 0 is all that have changed
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
    /// How much is printed.
    #[command(flatten)]
    pub fitting: Fitting,
    /// Print the merged tree: where it got slower and faster
    #[arg(long)]
    pub tree: bool,
    /// With --tree: the callers of a method, upward, instead
    #[arg(long, value_name = "METHOD", requires = "tree")]
    pub callers: Option<String>,
    /// With --tree: methods by what they have of their own, and below each its callers
    #[arg(long, requires = "tree", conflicts_with = "callers")]
    pub inverted: bool,
    /// With --tree: how many levels below the root
    #[arg(long, value_name = "N", requires = "tree")]
    pub depth: Option<usize>,
    /// With --tree: leave out what has changed by less than this share of the larger total
    #[arg(long, value_name = "P", requires = "tree", default_value_t = 1.0, value_parser = percentage)]
    pub min_percent: f64,
    /// Text, Markdown for the comment of a pull request (the default with --budget), or JSON
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<CompareTo>,
    /// The same as --to json: schema dotspot.compare/1, times in milliseconds
    #[arg(long, conflicts_with = "to")]
    pub json: bool,
}

/// How a comparison is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CompareTo {
    /// A table for people.
    Text,
    /// A table for pages.
    #[value(alias = "md")]
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

    /// The profiles before and after the change.
    ///
    /// # Errors
    /// There are not two of them, or none on a side.
    pub(super) fn files(&self) -> Result<[Vec<PathBuf>; 2], Usage> {
        match self.files.as_slice() {
            [before, after] => Ok([vec![before.clone()], vec![after.clone()]]),
            [] if !self.before.is_empty() => Ok([self.before.clone(), self.after.clone()]),
            _ => {
                let usage = Usage::new("compare: two profiles are expected, BEFORE and AFTER");
                Err(usage.advice("several of a side are given by --before A B … --after C D …"))
            }
        }
    }
}

/// `dotspot report`.
#[derive(Args, Debug)]
pub(super) struct Report {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// How it is weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// The most tokens that it may have
    #[arg(long, value_name = "TOKENS", default_value_t = 2_000)]
    pub budget: usize,
    /// All occurrences of this method as one: its name or the end of it
    #[arg(long, value_name = "NAME", conflicts_with = "node")]
    pub method: Option<String>,
    /// Only the subtree of this node: an id as reports, the explorer, `tree --json` and `hotspots --json` show it
    #[arg(long, value_name = "ID")]
    pub node: Option<String>,
    /// Say what has changed since this profile, too: it is read in the same way
    #[arg(long, value_name = "BEFORE")]
    pub against: Option<PathBuf>,
    /// Markdown or JSON; by default what the name of the file says, else Markdown
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<ReportTo>,
    /// The same as --to json: schema dotspot.report/1, times in milliseconds
    #[arg(long, conflicts_with = "to")]
    pub json: bool,
    /// End with a question: find-bottleneck, explain, compare-with, or your own words
    #[arg(long, value_name = "NAME|TEXT")]
    pub question: Option<String>,
    /// Write names as they were recorded, with modules, namespaces and arguments
    #[arg(long)]
    pub raw_names: bool,
    /// The file to write; standard output if it is missing or `-`
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}

impl Report {
    /// The file to write, unless it is standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        self.output
            .as_deref()
            .filter(|path| path.as_os_str() != "-")
    }

    /// How it is written.
    pub(super) fn form(&self) -> ReportTo {
        let is_json = |path: &Path| {
            path.extension()
                .is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
        };
        match self.to {
            Some(to) => to,
            None if self.json || self.path().is_some_and(is_json) => ReportTo::Json,
            None => ReportTo::Markdown,
        }
    }
}

/// `dotspot notes`.
#[derive(Args, Debug)]
pub(super) struct Notes {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// Only this method, named as for `callers`
    pub method: Option<String>,
    /// The note to keep on it, in place of the one that is there
    #[arg(requires = "method")]
    pub text: Option<String>,
    /// Remove the note on the method
    #[arg(long, requires = "method", conflicts_with = "text")]
    pub remove: bool,
    /// How the methods are weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// Print JSON (schema dotspot.method-notes/1), times in milliseconds
    #[arg(long)]
    pub json: bool,
}

/// `dotspot export`.
#[derive(Args, Debug)]
pub(super) struct Export {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The subtree of this node alone: an id as the explorer, `tree --json` and `hotspots --json` show it
    #[arg(long, value_name = "ID", conflicts_with = "method")]
    pub node: Option<String>,
    /// All occurrences of this method as one tree, recursion counted once
    #[arg(long, value_name = "NAME")]
    pub method: Option<String>,
    /// With --method: only the heaviest occurrence
    #[arg(long, requires = "method", conflicts_with_all = ["all_occurrences", "node"])]
    pub heaviest_occurrence: bool,
    /// All occurrences as one tree, the default with --method; with --node, those of that node's method
    #[arg(long)]
    pub all_occurrences: bool,
    /// Invert the tree: methods by their exclusive time, with their callers below; what is left out is summed up
    #[arg(long)]
    pub inverted: bool,
    /// With --inverted: how many levels
    #[arg(long, value_name = "N", default_value_t = 10, requires = "inverted")]
    pub depth: usize,
    /// With --inverted: sum up what has less than this share of the root
    #[arg(long, value_name = "P", default_value_t = 0.1, requires = "inverted", value_parser = percentage)]
    pub min_percent: f64,
    /// The metric of the file, or the first one of formats that hold several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Where to and whether to overwrite.
    #[command(flatten)]
    pub out: Out,
}

/// `dotspot convert`.
#[derive(Args, Debug)]
pub(super) struct Convert {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// What is changed in its tree.
    #[command(flatten)]
    pub changing: Changing,
    /// The metric of the file, or the first one of formats that hold several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Write the trace itself, not its call tree, with the missing callers of truncated stacks put back: for what dotnet-trace
    /// writes as speedscope or Chromium trace events
    #[arg(long, conflicts_with_all = ["no_repair", "metric", "thread", "process", "merge_threads", "from", "until"])]
    pub repair: bool,
    /// With --repair: join a span with the next one below the same callers if the gap is at most this long
    #[arg(
        long,
        value_name = "MICROSECONDS",
        default_value_t = 50,
        requires = "repair",
        allow_negative_numbers = true
    )]
    pub join_gap: u64,
    /// Where to and whether to overwrite.
    #[command(flatten)]
    pub out: Out,
    /// Write to standard output, the default without --output
    #[arg(long, conflicts_with = "output")]
    pub stdout: bool,
}

/// `dotspot doctor`.
#[derive(Args, Debug)]
pub(super) struct Doctor {
    /// The snapshot, or a file beside it; without one, describe what this machine can read,
    /// and exit with 0
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
pub(super) struct Cache {
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
    /// How many megabytes of profiles are kept open; those that were not asked for longest are closed first
    #[arg(long, value_name = "MB", default_value_t = crate::mcp::MEMORY_MB, value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: u64,
}

fn after_help() -> String {
    let mut text = String::from("Exit codes:\n");
    for (code, meaning) in super::exit::table() {
        text.push_str(&format!("  {code:>2}  {meaning}\n"));
    }
    text
}
