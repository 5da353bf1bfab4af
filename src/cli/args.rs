//! The command line.

use super::formats;
use super::open::OpenOptions;
use super::range::{Border, Range, border};
use super::say::{Usage, say};
use crate::analysis::HotspotOrder;
use crate::decoders::{Choice, Decoder, Environment, Settings};
use crate::exporters::{EXPORTERS, Exporter};
use crate::importers::{FORMATS, Format, ReadOptions};
use crate::input::plain;
use crate::model::Unit;
use crate::model::UserCode;
use crate::model::format::Scale;
use crate::query::{INVERTED, MethodOrder, QueryError, StepRequest, ThreadRequest};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use std::ffi::OsStr;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

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
    let command = has_no_format
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |command| command.mut_arg("until", also_to)));
    let command = ["hotspots", "methods"].into_iter().fold(command, |command, name| {
        command.mut_subcommand(name, |command| command.mut_arg("user_code", lists_user_code))
    });
    let matches = command.try_get_matches().unwrap_or_else(|error| refuse(&error));
    CommandLine::from_arg_matches(&matches).unwrap_or_else(|error| error.exit())
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
                say(&format!("standard output can't be written: {}", plain(&error)));
                super::exit::FAILED
            }
            _ => super::exit::FINE,
        }));
    }
    let argument = match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(text)) if error.kind() == ErrorKind::UnknownArgument => text,
        _ => error.exit(),
    };
    if argument.starts_with('-') {
        error.exit();
    }
    let is_prefix = std::env::args().any(|argument| argument == "--user-code");
    let advice = if is_prefix { "; a prefix is given by --user-code=PREFIX" } else { "; run the command for each" };
    say(&format!("one profile is read at a time, and {argument} is one too many{advice}"));
    std::process::exit(i32::from(super::exit::USAGE))
}

/// How a profile is read.
#[derive(Args, Clone, Debug)]
pub(super) struct Reading {
    /// The format of the file.
    #[arg(long, value_name = "FORMAT", help = format_help(), hide_possible_values = true, value_parser = formats::names(FORMATS.iter().map(|format| format.name)).map(format_named))]
    pub format: Option<&'static Format>,
    /// The file to read from a zip archive, by its name with or without folders; once for each archive if they are nested
    #[arg(long, value_name = "NAME")]
    pub member: Vec<String>,
    /// Leave truncated stacks as they were recorded, instead of repairing them
    #[arg(long)]
    pub no_repair: bool,
    /// Count modules and namespaces that begin with PREFIX, up to a dot, as user code; can be repeated, and the longest prefix
    /// that matches wins
    #[arg(long, value_name = "PREFIX")]
    pub user_code: Vec<String>,
    /// Don't count these as user code
    #[arg(long, value_name = "PREFIX")]
    pub not_user_code: Vec<String>,
    /// How a dotTrace snapshot is decoded; auto tries native first, and the others where it does not know the layout
    #[arg(long, value_name = "DECODER", default_value = "auto", help_heading = DOTTRACE, value_parser = PossibleValuesParser::new(decoder_names()).map(decoder_named))]
    pub decoder: Choice,
    /// What decoders need to know.
    #[command(flatten)]
    pub decoding: Decoding,
    /// Which threads of it are wanted.
    #[command(flatten)]
    pub threads: Choosing,
    /// Which range of time.
    #[command(flatten)]
    pub range: Range,
}

/// Which threads of a profile are wanted.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Choosing {
    /// Only the process with this number or name, or those with this in their names; can be repeated
    #[arg(long, value_name = "PID|NAME")]
    pub process: Vec<String>,
    /// Only the threads with this id or name, or those with this in their names; can be repeated
    #[arg(long, value_name = "ID|NAME")]
    pub thread: Vec<String>,
    /// Merge the threads, or those chosen, into one tree for each process
    #[arg(long)]
    pub merge_threads: bool,
}

impl Choosing {
    /// The same as a question.
    pub(super) fn request(&self) -> ThreadRequest {
        let Choosing { process, thread, merge_threads } = self.clone();
        ThreadRequest { processes: process, threads: thread, is_merged: merge_threads }
    }
}

/// What is changed in the tree before it is shown.
#[derive(Args, Clone, Debug, Default)]
pub(super) struct Changing {
    /// Leave out the stacks through this method, named as for --under. All of these but the folds can be repeated. They act in the
    /// order of this list, then --step in the order given; folds and groups act last
    #[arg(long, value_name = "METHOD", help_heading = CHANGING)]
    pub drop: Vec<String>,
    /// Leave out the subtree of this node
    #[arg(long, value_name = "ID", help_heading = CHANGING)]
    pub drop_node: Vec<String>,
    /// Only stacks with a frame whose display or full name matches this regular expression, as in pprof; case matters
    #[arg(long, value_name = "RE", help_heading = CHANGING)]
    pub focus: Vec<String>,
    /// Only stacks without such a frame
    #[arg(long, value_name = "RE", help_heading = CHANGING)]
    pub ignore: Vec<String>,
    /// Leave out such frames: their values go to their callers, or to the thread where there is none, which pprof drops
    #[arg(long, value_name = "RE", help_heading = CHANGING)]
    pub hide: Vec<String>,
    /// Only from the outermost such frame on
    #[arg(long, value_name = "RE", help_heading = CHANGING)]
    pub show_from: Vec<String>,
    /// Merge recursive calls into the call that they recur to: only those of a method by itself, or all
    #[arg(long, value_name = "direct|all", help_heading = CHANGING)]
    pub fold_recursion: Option<String>,
    /// Show each run of async plumbing or of system code as one row
    #[arg(long, value_name = "plumbing|system|none", help_heading = CHANGING)]
    pub fold: Option<String>,
    /// Show adjacent frames of one group as one row
    #[arg(long, value_name = "module|namespace|type", help_heading = CHANGING)]
    pub group: Option<String>,
    /// One of the above, such as drop:METHOD, or inverted, which acts last and changes no values of methods; can be repeated
    #[arg(long, value_name = "WORD:VALUE", help_heading = CHANGING)]
    pub step: Vec<String>,
}

/// The heading of the options that change the tree.
const CHANGING: &str = "Another view of the tree";

impl Changing {
    /// Whether nothing is changed.
    pub(super) fn is_nothing(&self) -> bool {
        self.named().next().is_none() && self.step.is_empty()
    }

    /// Whether a `--step` turns the tree over. That acts last, wherever it stands.
    pub(super) fn is_inverted(&self) -> bool {
        self.step.iter().any(|step| step == INVERTED)
    }

    /// The words of the named options with their values, in the order in which they act.
    fn named(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let Changing { drop, drop_node, focus, ignore, hide, show_from, fold_recursion, fold, group, step: _ } = self;
        let several = [
            ("drop", drop),
            ("drop-node", drop_node),
            ("focus", focus),
            ("ignore", ignore),
            ("hide", hide),
            ("show-from", show_from),
        ];
        let one = [("fold-recursion", fold_recursion), ("fold", fold), ("group", group)];
        let several = several.into_iter().flat_map(|(word, values)| values.iter().map(move |value| (word, value)));
        several.chain(one.into_iter().flat_map(|(word, value)| value.iter().map(move |value| (word, value))))
    }

    /// The same as questions.
    ///
    /// # Errors
    /// A `--step` is not spelt as one.
    pub(super) fn requests(&self) -> Result<Vec<StepRequest>, QueryError> {
        let named = self.named().map(|(word, value)| {
            Ok(StepRequest { option: format!("--{word}"), word: word.into(), value: value.clone() })
        });
        named.chain(self.step.iter().map(|step| StepRequest::parse(step))).collect()
    }
}

/// What decoders of dotTrace snapshots need to know.
#[derive(Args, Clone, Debug)]
pub(super) struct Decoding {
    /// Where dotTrace or Rider is installed, for decoder assemblies
    #[arg(long, value_name = "DIR", help_heading = DOTTRACE)]
    pub dottrace_dir: Option<PathBuf>,
    /// Where Reporter is, for decoder reporter; also DOTSPOT_REPORTER
    #[arg(long, value_name = "PATH", help_heading = DOTTRACE)]
    pub reporter: Option<PathBuf>,
    /// How many seconds a decoder's program may take
    #[arg(long, value_name = "SECONDS", default_value_t = Settings::DEFAULT_LIMIT.as_secs(), value_parser = clap::value_parser!(u64).range(1..), help_heading = DOTTRACE)]
    pub decoder_timeout: u64,
    /// Decode again, and keep nothing
    #[arg(long, help_heading = DOTTRACE)]
    pub no_cache: bool,
}

/// The heading of the options for dotTrace snapshots.
const DOTTRACE: &str = "dotTrace snapshots";

fn decoder_names() -> impl Iterator<Item = &'static str> {
    ["auto"].into_iter().chain(Decoder::ALL.iter().map(|decoder| decoder.name()))
}

#[allow(clippy::needless_pass_by_value, reason = "clap hands over what it parsed")]
fn decoder_named(name: String) -> Choice {
    Decoder::ALL.into_iter().find(|decoder| decoder.name() == name).map_or(Choice::Auto, Choice::Only)
}

impl Reading {
    /// Whether `--user-code` was given without a prefix, see [`lists_user_code`].
    pub(super) fn lists_only_user_code(&self) -> bool {
        self.user_code.iter().any(String::is_empty)
    }

    /// How a profile is opened on this machine.
    pub(super) fn options(&self) -> OpenOptions {
        let reading =
            ReadOptions { members: self.member.clone(), format: self.format, wants_samples: self.range.is_any() };
        let decoding = self.decoding.settings(self.decoder);
        let prefixes = |given: &[String]| given.iter().filter(|prefix| !prefix.is_empty()).cloned().collect();
        let user_code = UserCode { own: prefixes(&self.user_code), foreign: prefixes(&self.not_user_code) };
        OpenOptions { reading, decoding, repairs: !self.no_repair, user_code, are_sums_enough: false }
    }
}

impl Decoding {
    /// How snapshots are decoded on this machine.
    pub(super) fn settings(&self, choice: Choice) -> Settings {
        Settings {
            choice,
            dottrace_dir: self.dottrace_dir.clone(),
            reporter: self.reporter.clone(),
            limit: Duration::from_secs(self.decoder_timeout),
            use_cache: !self.no_cache,
            ..Settings::new(Environment::here())
        }
    }
}

fn format_help() -> String {
    let names = formats::names_in_help(FORMATS.iter().map(|format| format.name));
    format!("Read as this format instead of detecting it: {names}")
}

fn to_help() -> String {
    let names = formats::names_in_help(EXPORTERS.iter().map(|exporter| exporter.name));
    format!(
        "The format to write: {names}; without it the extension of OUT says it, else it is calltree. A time or a share, \
         such as 4.5s or 25%, is --until"
    )
}

impl std::fmt::Debug for Format {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

#[allow(clippy::needless_pass_by_value, reason = "clap hands over what it parsed")]
fn format_named(name: String) -> &'static Format {
    // only names of the table and their aliases are possible values
    FORMATS.iter().find(|format| formats::is_called(format.name, &name)).unwrap_or(&FORMATS[0])
}

impl std::fmt::Debug for Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn exporter_named(name: &str) -> &'static Exporter {
    // only names of the table and their aliases are possible values
    EXPORTERS.iter().find(|exporter| formats::is_called(exporter.name, name)).unwrap_or(&EXPORTERS[0])
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
    /// List the formats that can be opened
    Formats,
    /// List the explorer's keys
    Keys,
}

/// A profile to read.
#[derive(Args, Debug)]
pub(super) struct Source {
    /// The profile; `-` is standard input
    pub file: PathBuf,
    /// How it is read.
    #[command(flatten)]
    pub reading: Reading,
}

fn percentage(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number| (0.0..=100.0).contains(number));
    number.ok_or_else(|| "a number from 0 to 100 is expected".into())
}

/// Which part of a profile, in which metric.
#[derive(Args, Debug)]
pub(super) struct Part {
    /// How it is weighed.
    #[command(flatten)]
    pub weighing: Weighing,
    /// Only below this method: its name or the end of it, with or without module, namespace, type arguments and arguments;
    /// Type.* is all methods of a type
    #[arg(long, value_name = "METHOD")]
    pub under: Option<String>,
}

/// In which metric and unit values are, and what counts of them.
#[derive(Args, Debug)]
pub(super) struct Weighing {
    /// The metric, such as CPU or wall; by default the profile's first choice
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Leave waiting out of percentages and of the order of rows; the default where some threads only wait and others work
    #[arg(long, conflicts_with = "waiting")]
    pub no_waiting: bool,
    /// Count waiting like work
    #[arg(long)]
    pub waiting: bool,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
}

impl Weighing {
    /// Whether waiting counts, if that was said.
    pub(super) fn counts_waiting(&self) -> Option<bool> {
        (self.waiting || self.no_waiting).then_some(self.waiting)
    }
}

/// The unit of times in text.
#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Units {
    /// The unit of all times; by default one that suits the largest. JSON is always in milliseconds
    #[arg(long, value_name = "UNIT", value_enum)]
    pub unit: Option<TimeUnit>,
}

/// A unit of time.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(super) enum TimeUnit {
    /// Seconds.
    S,
    /// Milliseconds.
    Ms,
    /// Microseconds.
    #[value(alias = "µs")]
    Us,
}

impl Units {
    /// How values of a metric of this unit are written whose largest is `largest` stored steps.
    pub(super) fn scale(self, unit: Unit, largest: u64) -> Scale {
        match self.unit {
            Some(wanted) if unit == Unit::Milliseconds => wanted.scale(),
            _ => Scale::for_values(unit, largest),
        }
    }

    /// How averages are written, which are small.
    pub(super) fn scale_of_averages(self, unit: Unit) -> Scale {
        match self.unit {
            Some(wanted) if unit == Unit::Milliseconds => wanted.scale().to_the_nanosecond(),
            _ => Scale::for_averages(unit),
        }
    }
}

impl TimeUnit {
    fn scale(self) -> Scale {
        match self {
            TimeUnit::S => Scale::SECONDS,
            TimeUnit::Ms => Scale::MILLISECONDS,
            TimeUnit::Us => Scale::MICROSECONDS,
        }
    }
}

/// `dotspot info`.
#[derive(Args, Debug)]
pub(super) struct Info {
    /// The profile.
    #[command(flatten)]
    pub source: Source,
    /// Show how many stacks were truncated, how many of them were repaired, and what that changed
    #[arg(long, conflicts_with_all = ["no_repair", "from", "until"])]
    pub truncation: bool,
    /// The unit of times.
    #[command(flatten)]
    pub units: Units,
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
    /// How many methods; 0 is all
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
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
    /// How many methods; 0 is all
    #[arg(long, visible_alias = "top", value_name = "N", default_value_t = 50)]
    pub limit: usize,
    /// Print JSON (schema dotspot.methods/1), times in milliseconds
    #[arg(long)]
    pub json: bool,
}

fn orders() -> impl Iterator<Item = PossibleValue> {
    MethodOrder::ALL.into_iter().map(|order| PossibleValue::new(order.name()).aliases(aliases_of(order)))
}

/// What orders are called beside their names.
fn aliases_of(order: MethodOrder) -> &'static [&'static str] {
    match order {
        MethodOrder::Exclusive => &["own"],
        MethodOrder::Inclusive => &["total"],
        _ => &[],
    }
}

#[allow(clippy::needless_pass_by_value, reason = "clap hands over what it parsed")]
fn order_named(name: String) -> MethodOrder {
    let is_called = |order: &MethodOrder| order.name() == name || aliases_of(*order).contains(&name.as_str());
    // only these names are possible values
    MethodOrder::ALL.into_iter().find(is_called).unwrap_or(MethodOrder::Exclusive)
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
    /// Leave out what has less than this share of the root
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = percentage)]
    pub min_percent: f64,
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
    /// How many levels above or below the method
    #[arg(long, value_name = "N", default_value_t = 6)]
    pub depth: usize,
    /// Sum up what has less than this share of the method; immediate callers and callees are always there
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = percentage)]
    pub min_percent: f64,
    /// Print JSON (schema dotspot.callers/1 or dotspot.callees/1), rows in preorder, times in milliseconds
    #[arg(long)]
    pub json: bool,
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
    /// The metric of the file, or the first one of formats that hold several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Write the trace itself, not its call tree, with the missing callers of truncated stacks put back: for what dotnet-trace
    /// writes as speedscope or Chromium trace events
    #[arg(long, conflicts_with_all = ["no_repair", "metric", "thread", "process", "merge_threads", "from", "until"])]
    pub repair: bool,
    /// With --repair: join a span with the next one below the same callers if the gap is at most this long
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 50, requires = "repair", allow_negative_numbers = true)]
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

/// What `--to` says where a file is written.
#[derive(Clone, Copy, Debug)]
pub(super) enum To {
    /// The format of the file.
    Format(&'static Exporter),
    /// The end of the range of time.
    End(Border),
}

/// Reads what `--to` says: a time or a share, which begin with a digit, or a format, none of which does.
#[derive(Clone, Copy, Debug)]
struct ToParser;

impl TypedValueParser for ToParser {
    type Value = To;

    fn parse_ref(&self, command: &clap::Command, arg: Option<&clap::Arg>, value: &OsStr) -> Result<To, clap::Error> {
        if value.as_encoded_bytes().first().is_some_and(|first| first.is_ascii_digit() || *first == b'.') {
            return border.parse_ref(command, arg, value).map(To::End);
        }
        let names = formats::names(EXPORTERS.iter().map(|exporter| exporter.name));
        names.parse_ref(command, arg, value).map(|name| To::Format(exporter_named(&name)))
    }
}

/// Where output goes.
#[derive(Args, Debug)]
pub(super) struct Out {
    /// What `--to` says, each time.
    #[arg(long, value_name = "FORMAT|TIME", help = to_help(), value_parser = ToParser)]
    to: Vec<To>,
    /// The file to write, with gzip if its name ends with .gz; standard output if it is missing or `-`
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}

impl Out {
    /// The format to write, if one is asked for.
    pub(super) fn format(&self) -> Option<&'static Exporter> {
        self.to.iter().find_map(|to| match to {
            To::Format(exporter) => Some(*exporter),
            To::End(_) => None,
        })
    }

    /// Moves the end of the range of time, if `--to` says one, to where `--until` has it.
    ///
    /// # Errors
    /// There are two formats or two ends.
    pub(super) fn settle(&self, range: &mut Range) -> Result<(), Usage> {
        if self.to.iter().filter(|to| matches!(to, To::Format(_))).count() > 1 {
            return Err(Usage("--to: one format is expected; a time beside it, such as 4.5s, ends the range".into()));
        }
        for to in &self.to {
            if let To::End(end) = *to
                && range.until.replace(end).is_some()
            {
                return Err(Usage("--to: one end of the range of time is expected, by --to or --until".into()));
            }
        }
        Ok(())
    }

    /// The file to write, unless it is standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| path.as_os_str() != "-")
    }
}

fn after_help() -> String {
    let mut text = String::from("Exit codes:\n");
    for (code, meaning) in super::exit::table() {
        text.push_str(&format!("  {code:>2}  {meaning}\n"));
    }
    text
}
