//! Options that several commands have.

use super::formats;
use super::open::OpenOptions;
use super::range::{Border, Range, border};
use super::say::Usage;
use crate::decoders::{Choice, Decoder, Environment, Settings};
use crate::exporters::{EXPORTERS, Exporter};
use crate::importers::{FORMATS, Format, MaxThreads, ReadOptions};
use crate::kept::{self, Keeper};
use crate::model::Unit;
use crate::model::UserCode;
use crate::model::format::Scale;
use crate::query::{INVERTED, QueryError, ReportForm, StepRequest, ThreadRequest};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use std::ffi::OsStr;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

/// How a profile is read.
#[derive(Args, Clone, Debug)]
pub(super) struct Reading {
    /// The format of the file.
    #[arg(long, value_name = "FORMAT", help = format_help(), hide_possible_values = true, value_parser = formats::names(FORMATS.iter().map(|format| format.name)).map(format_named))]
    pub format: Option<&'static Format>,
    /// The file to read from a zip archive, by its name with or without folders; once for each archive if they are nested
    #[arg(long, value_name = "NAME")]
    pub member: Vec<String>,
    /// Read with at most N threads (never more than 2)
    #[arg(long = "threads", value_name = "N")]
    pub max_threads: Option<NonZeroUsize>,
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
    /// Keeps what is read; made when the first profile is.
    #[arg(skip)]
    pub keeper: OnceLock<Keeper>,
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
        let Choosing {
            process,
            thread,
            merge_threads,
        } = self.clone();
        ThreadRequest {
            processes: process,
            threads: thread,
            is_merged: merge_threads,
        }
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
    /// Only stacks with a frame whose name, as lists show it or in full, or module matches this regular expression, as in
    /// pprof; case matters
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
    /// Whether a `--step` turns the tree over. That acts last, wherever it stands.
    pub(super) fn is_inverted(&self) -> bool {
        self.step.iter().any(|step| step == INVERTED)
    }

    /// The words of the named options with their values, in the order in which they act.
    fn named(&self) -> impl Iterator<Item = (&'static str, &String)> {
        let Changing {
            drop,
            drop_node,
            focus,
            ignore,
            hide,
            show_from,
            fold_recursion,
            fold,
            group,
            step: _,
        } = self;
        let several = [
            ("drop", drop),
            ("drop-node", drop_node),
            ("focus", focus),
            ("ignore", ignore),
            ("hide", hide),
            ("show-from", show_from),
        ];
        let one = [
            ("fold-recursion", fold_recursion),
            ("fold", fold),
            ("group", group),
        ];
        let several = several
            .into_iter()
            .flat_map(|(word, values)| values.iter().map(move |value| (word, value)));
        several.chain(
            one.into_iter()
                .flat_map(|(word, value)| value.iter().map(move |value| (word, value))),
        )
    }

    /// The same as questions.
    ///
    /// # Errors
    /// A `--step` is not spelt as one.
    pub(super) fn requests(&self) -> Result<Vec<StepRequest>, QueryError> {
        let named = self.named().map(|(word, value)| {
            Ok(StepRequest {
                option: format!("--{word}"),
                word: word.into(),
                value: value.clone(),
            })
        });
        named
            .chain(self.step.iter().map(|step| StepRequest::parse(step)))
            .collect()
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
    /// Read again what was read before, and keep nothing for the next time; DOTSPOT_CACHE=off says so for good
    #[arg(long)]
    pub no_cache: bool,
}

/// The heading of the options for dotTrace snapshots.
const DOTTRACE: &str = "dotTrace snapshots";

fn decoder_names() -> impl Iterator<Item = &'static str> {
    ["auto"]
        .into_iter()
        .chain(Decoder::ALL.iter().map(|decoder| decoder.name()))
}

#[allow(
    clippy::needless_pass_by_value,
    reason = "clap hands over what it parsed"
)]
fn decoder_named(name: String) -> Choice {
    Decoder::ALL
        .into_iter()
        .find(|decoder| decoder.name() == name)
        .map_or(Choice::Auto, Choice::Only)
}

impl Reading {
    /// Whether `--user-code` was given without a prefix, see [`lists_user_code`].
    pub(super) fn lists_only_user_code(&self) -> bool {
        self.user_code.iter().any(String::is_empty)
    }

    /// How a profile is opened on this machine.
    pub(super) fn options(&self) -> OpenOptions {
        let reading = ReadOptions {
            members: self.member.clone(),
            format: self.format,
            wants_samples: self.range.is_any(),
            threads: self.max_threads.map(MaxThreads).unwrap_or_default(),
        };
        let decoding = self.decoding.settings(self.decoder);
        let prefixes = |given: &[String]| {
            given
                .iter()
                .filter(|prefix| !prefix.is_empty())
                .cloned()
                .collect()
        };
        let user_code = UserCode {
            own: prefixes(&self.user_code),
            foreign: prefixes(&self.not_user_code),
        };
        let keeper = match decoding.use_cache {
            false => Keeper::default(),
            true => self
                .keeper
                .get_or_init(|| Keeper::new(&decoding.environment))
                .clone(),
        };
        OpenOptions {
            reading,
            decoding,
            repairs: !self.no_repair,
            user_code,
            keeper,
        }
    }
}

impl Decoding {
    /// How snapshots are decoded on this machine.
    pub(super) fn settings(&self, choice: Choice) -> Settings {
        let environment = Environment::here();
        Settings {
            choice,
            dottrace_dir: self.dottrace_dir.clone(),
            reporter: self.reporter.clone(),
            limit: Duration::from_secs(self.decoder_timeout),
            use_cache: !self.no_cache && !kept::is_off(&environment),
            ..Settings::new(environment)
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

#[allow(
    clippy::needless_pass_by_value,
    reason = "clap hands over what it parsed"
)]
fn format_named(name: String) -> &'static Format {
    // only names of the table and their aliases are possible values
    FORMATS
        .iter()
        .find(|format| formats::is_called(format.name, &name))
        .unwrap_or(&FORMATS[0])
}

impl std::fmt::Debug for Exporter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

fn exporter_named(name: &str) -> &'static Exporter {
    // only names of the table and their aliases are possible values
    EXPORTERS
        .iter()
        .find(|exporter| formats::is_called(exporter.name, name))
        .unwrap_or(&EXPORTERS[0])
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

pub(super) fn percentage(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number| (0.0..=100.0).contains(number));
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
    /// How times are written in it.
    pub(super) fn scale(self) -> Scale {
        match self {
            TimeUnit::S => Scale::SECONDS,
            TimeUnit::Ms => Scale::MILLISECONDS,
            TimeUnit::Us => Scale::MICROSECONDS,
        }
    }
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ReportTo {
    /// Text for people and models
    #[value(alias = "md")]
    Markdown,
    /// JSON (schema dotspot.report/1), times in milliseconds
    Json,
}

impl From<ReportTo> for ReportForm {
    fn from(to: ReportTo) -> ReportForm {
        match to {
            ReportTo::Markdown => ReportForm::Markdown,
            ReportTo::Json => ReportForm::Json,
        }
    }
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

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<To, clap::Error> {
        if value
            .as_encoded_bytes()
            .first()
            .is_some_and(|first| first.is_ascii_digit() || *first == b'.')
        {
            return border.parse_ref(command, arg, value).map(To::End);
        }
        let names = formats::names(EXPORTERS.iter().map(|exporter| exporter.name));
        names
            .parse_ref(command, arg, value)
            .map(|name| To::Format(exporter_named(&name)))
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
        if self
            .to
            .iter()
            .filter(|to| matches!(to, To::Format(_)))
            .count()
            > 1
        {
            return Err(Usage::new(
                "--to: one format is expected; a time beside it, such as 4.5s, ends the range",
            ));
        }
        for to in &self.to {
            if let To::End(end) = *to
                && range.until.replace(end).is_some()
            {
                return Err(Usage::new(
                    "--to: one end of the range of time is expected, by --to or --until",
                ));
            }
        }
        Ok(())
    }

    /// The file to write, unless it is standard output.
    pub(super) fn path(&self) -> Option<&Path> {
        self.output
            .as_deref()
            .filter(|path| path.as_os_str() != "-")
    }
}
