//! Options shared by several commands.

use super::formats;
use super::names::names_of_recording;
use super::open::OpenOptions;
use crate::decoders::{Decoder, DecoderChoice, DecoderSettings, Environment};
use crate::exporters::{EXPORTERS, Exporter};
use crate::importers::{FORMATS, Format, ReadOptions};
use crate::model::{Merging, Recording, Source, TimeRange, View};
use crate::names::UserCode;
use crate::profile_cache::ProfileCache;
use crate::query::{
    self, INVERTED, PartRequest, QueryError, RangeEnd, RangeRequest, StepRequest, ThreadRequest,
    parse_range_end,
};
use crate::units::{Scale, Unit};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

const SCOPE: &str = "Threads and time";
const READING: &str = "Reading the profile";
const CHANGING: &str = "Another view of the tree";
const DOTTRACE: &str = "dotTrace snapshots";

#[derive(Args, Clone, Debug)]
pub(super) struct Reading {
    #[command(flatten)]
    pub threads: ThreadOptions,
    #[command(flatten)]
    pub range: Range,
    #[arg(long, value_name = "FORMAT", help = "Read as this format (see `dotspot formats`)", long_help = format_help(), hide_possible_values = true, help_heading = READING, value_parser = one_of(FORMATS.iter().map(|format| (formats::value(format.name), format))))]
    pub format: Option<&'static Format>,
    /// Read this file of a zip archive
    ///
    /// By its name with or without folders; once for each archive if they are nested.
    #[arg(long, value_name = "NAME", help_heading = READING, hide_short_help = true)]
    pub member: Vec<String>,
    /// Leave truncated stacks as they were recorded
    #[arg(long, help_heading = READING)]
    pub no_repair: bool,
    /// Count this namespace or module as user code
    ///
    /// Or all that begin with this; a prefix ends at a dot. Can be repeated; the longest prefix that matches wins.
    #[arg(long, value_name = "PREFIX", help_heading = READING)]
    pub user_code: Vec<String>,
    /// Don't count these as user code
    #[arg(long, value_name = "PREFIX", help_heading = READING, hide_short_help = true)]
    pub not_user_code: Vec<String>,
    #[command(flatten)]
    pub decoding: Decoding,
    /// How a dotTrace snapshot is decoded
    ///
    /// auto tries native first, and the others where it does not know the layout.
    #[arg(long, value_name = "DECODER", default_value = "auto", help_heading = DOTTRACE, hide_short_help = true, value_parser = one_of(decoders()))]
    pub decoder: DecoderChoice,
    #[arg(skip)]
    pub configured_user_code: Vec<String>,
    #[arg(skip)]
    pub preferred_metric: Option<String>,
    #[arg(skip)]
    pub index_cache: OnceLock<ProfileCache>,
}

#[derive(Args, Clone, Debug, Default)]
pub(super) struct ThreadOptions {
    /// Only the process with this id or name
    ///
    /// Also matches part of a name; can be repeated. For a whole-machine recording, the default is the process with the most time in .NET code; `all` selects every process.
    #[arg(long, value_name = "PID|NAME", help_heading = SCOPE, hide_short_help = true)]
    pub process: Vec<String>,
    /// Only the threads with this id or name
    ///
    /// Also matches part of a name; can be repeated.
    #[arg(long, value_name = "ID|NAME", help_heading = SCOPE)]
    pub thread: Vec<String>,
    /// Merge threads, for each process
    ///
    /// all (the default if no value is given); pool: only .NET thread pool threads, as the explorer does by default; none.
    #[arg(long, value_name = "WHICH", help_heading = SCOPE, num_args = 0..=1, require_equals = true, default_missing_value = "all", hide_possible_values = true, value_parser = one_of(Merging::ALL.map(|merging| named(&[merging.name()], merging))))]
    pub merge_threads: Option<Merging>,
}

impl ThreadOptions {
    pub(super) fn request(&self) -> ThreadRequest {
        ThreadRequest {
            processes: self.process.clone(),
            threads: self.thread.clone(),
            merging: self.merge_threads.unwrap_or_default(),
            prefers_main: false,
        }
    }
}

#[derive(Args, Clone, Debug, Default)]
pub(super) struct TreeOptions {
    /// Leave out the stacks through this method
    ///
    /// Named as for `callers`. All of these but the folds can be repeated. They apply in the order of this list, then --step
    /// in the order given; folding and grouping come last.
    #[arg(long, value_name = "METHOD", help_heading = CHANGING)]
    pub drop: Vec<String>,
    /// Leave out the subtree of this node
    #[arg(long, value_name = "ID", help_heading = CHANGING, hide_short_help = true)]
    pub drop_node: Vec<String>,
    /// Only stacks with a frame that matches this
    ///
    /// Its name or module. A regular expression for its name as lists show it, its full name, or its module, as in pprof; a capital letter makes it case-sensitive.
    #[arg(long, value_name = "RE", help_heading = CHANGING)]
    pub focus: Vec<String>,
    /// Only stacks without a frame that matches this
    #[arg(long, hide_short_help = true, value_name = "RE", help_heading = CHANGING)]
    pub ignore: Vec<String>,
    /// Remove frames that match this
    ///
    /// Their values go to their callers, or to the thread where there is none, which pprof drops.
    #[arg(long, value_name = "RE", help_heading = CHANGING, hide_short_help = true)]
    pub hide: Vec<String>,
    /// Show stacks only from the outermost frame that matches this
    #[arg(long, value_name = "RE", help_heading = CHANGING, hide_short_help = true)]
    pub show_from: Vec<String>,
    /// Merge recursive calls into the outermost one: direct recursion only, or all
    #[arg(long, value_name = "direct|all", help_heading = CHANGING, hide_short_help = true)]
    pub fold_recursion: Option<String>,
    /// Apply a step, such as drop:METHOD; can be repeated
    ///
    /// Where a tree is printed, also fold:plumbing, group:type and inverted, which act last.
    #[arg(long, value_name = "WORD:VALUE", help_heading = CHANGING, hide_short_help = true)]
    pub step: Vec<String>,
}

#[derive(Args, Clone, Debug, Default)]
pub(super) struct RowOptions {
    #[command(flatten)]
    pub tree_options: TreeOptions,
    /// Collapse runs of frames: plumbing, system or none
    ///
    /// `plumbing` is async infrastructure, `system` all system code.
    #[arg(long, value_name = "WHAT", help_heading = CHANGING)]
    pub fold: Option<String>,
    /// Show adjacent frames of one group as one row
    #[arg(long, hide_short_help = true, value_name = "module|namespace|type", help_heading = CHANGING)]
    pub group: Option<String>,
}

impl TreeOptions {
    /// In the order in which they act: those of the named options, `others`, those of `--step`.
    fn steps(&self, others: &[(&str, &[String])]) -> Result<Vec<StepRequest>, QueryError> {
        let named = [
            ("drop", &self.drop[..]),
            ("drop-node", &self.drop_node),
            ("focus", &self.focus),
            ("ignore", &self.ignore),
            ("hide", &self.hide),
            ("show-from", &self.show_from),
            ("fold-recursion", self.fold_recursion.as_slice()),
        ];
        let mut steps = Vec::new();
        for (word, values) in named.iter().chain(others) {
            steps.extend(values.iter().map(|value| StepRequest {
                option: format!("--{word}"),
                word: word.to_string(),
                value: value.clone(),
            }));
        }
        for step in &self.step {
            steps.push(StepRequest::parse(step)?);
        }
        Ok(steps)
    }

    /// For a command that prints methods; fails if a `--step` only changes how a tree is shown.
    pub(super) fn requests(&self) -> Result<Vec<StepRequest>> {
        let steps = self.steps(&[])?;
        let is_display = |step: &StepRequest| step.is_display() || step.word == INVERTED;
        refuse_steps(&steps, is_display, "`tree` and `export` take it")?;
        Ok(steps)
    }
}

impl RowOptions {
    /// That acts last, wherever the step is given.
    pub(super) fn is_inverted(&self) -> bool {
        self.tree_options.step.iter().any(|step| step == INVERTED)
    }

    pub(super) fn requests(&self) -> Result<Vec<StepRequest>, QueryError> {
        let display = [("fold", &self.fold), ("group", &self.group)];
        let display = display.map(|(word, value)| (word, value.as_slice()));
        self.tree_options.steps(&display)
    }

    /// Rejects steps that match, with what to do instead.
    pub(super) fn refuse(
        &self,
        is_unused: impl Fn(&StepRequest) -> bool,
        advice: &str,
    ) -> Result<()> {
        Ok(refuse_steps(&self.requests()?, is_unused, advice)?)
    }
}

fn refuse_steps(
    steps: &[StepRequest],
    is_unused: impl Fn(&StepRequest) -> bool,
    advice: &str,
) -> Result<(), QueryError> {
    let Some(step) = steps.iter().find(|step| is_unused(step)) else {
        return Ok(());
    };
    let sentence = format!("{}: it changes nothing here", step.option);
    Err(QueryError::usage(sentence).advice(advice))
}

#[derive(Args, Clone, Debug)]
pub(super) struct Decoding {
    /// Neither read nor write the cache; DOTSPOT_CACHE=off makes this permanent
    #[arg(long, help_heading = READING, hide_short_help = true)]
    pub no_cache: bool,
    /// Where dotTrace or Rider is installed, for decoder assemblies
    #[arg(long, value_name = "DIR", help_heading = DOTTRACE, hide_short_help = true)]
    pub dottrace_dir: Option<PathBuf>,
    /// Where Reporter is, for decoder reporter; also DOTSPOT_REPORTER
    #[arg(long, value_name = "PATH", help_heading = DOTTRACE, hide_short_help = true)]
    pub reporter: Option<PathBuf>,
    /// How many seconds a decoder's program may take
    #[arg(long, value_name = "SECONDS", default_value_t = DecoderSettings::DEFAULT_LIMIT.as_secs(), value_parser = clap::value_parser!(u64).range(1..), help_heading = DOTTRACE, hide_short_help = true)]
    pub decoder_timeout: u64,
}

pub(super) fn one_of<T: Clone + Send + Sync + 'static>(
    choices: impl IntoIterator<Item = (PossibleValue, T)>,
) -> impl TypedValueParser<Value = T> {
    let (names, values): (Vec<PossibleValue>, Vec<T>) = choices.into_iter().unzip();
    PossibleValuesParser::new(names.clone()).map(move |name| {
        // only these names are possible values
        let index = names.iter().position(|value| value.matches(&name, false));
        values[index.unwrap_or(0)].clone()
    })
}

pub(super) fn named<T>(names: &[&'static str], value: T) -> (PossibleValue, T) {
    let aliases = names[1..].iter().copied();
    (PossibleValue::new(names[0]).aliases(aliases), value)
}

fn decoders() -> impl Iterator<Item = (PossibleValue, DecoderChoice)> {
    let only = |decoder: Decoder| named(&[decoder.name()], DecoderChoice::Only(decoder));
    let each = Decoder::ALL.into_iter().map(only);
    std::iter::once(named(&["auto"], DecoderChoice::Auto)).chain(each)
}

impl Reading {
    pub(super) fn options(&self) -> OpenOptions {
        let decoding = self.decoding.settings(self.decoder);
        let new_cache = || ProfileCache::new(&decoding.environment, names_of_recording);
        OpenOptions {
            reading: ReadOptions {
                members: self.member.clone(),
                format: self.format,
                siblings_only: false,
            },
            repairs: !self.no_repair,
            user_code: UserCode {
                own: self.user_code.clone(),
                foreign: self.not_user_code.clone(),
            },
            configured_user_code: self.configured_user_code.clone(),
            metric: self.preferred_metric.clone(),
            index_cache: match self.decoding.no_cache {
                true => ProfileCache::default(),
                false => self.index_cache.get_or_init(new_cache).clone(),
            },
            decoding,
        }
    }
}

impl Decoding {
    pub(super) fn settings(&self, choice: DecoderChoice) -> DecoderSettings {
        let environment = Environment::here();
        DecoderSettings {
            choice,
            dottrace_dir: self.dottrace_dir.clone(),
            reporter: self.reporter.clone(),
            limit: Duration::from_secs(self.decoder_timeout),
            ..DecoderSettings::new(environment)
        }
    }
}

pub(super) fn refuse_if(is_refused: bool, sentence: &str) -> Result<(), QueryError> {
    match is_refused {
        true => Err(QueryError::usage(sentence)),
        false => Ok(()),
    }
}

/// Rejects options for dotTrace snapshots if the profile is not one, or no other program was started.
pub(super) fn refuse_unused(
    settings: &DecoderSettings,
    recording: &Recording,
) -> Result<(), QueryError> {
    let is_snapshot = recording.source.format == Source::DTP;
    let is_native = settings.choice == DecoderChoice::Only(Decoder::Native);
    let has_timeout = settings.limit != DecoderSettings::DEFAULT_LIMIT;
    let given = [
        ("--decoder", settings.choice != DecoderChoice::Auto),
        ("--dottrace-dir", settings.dottrace_dir.is_some()),
        ("--reporter", settings.reporter.is_some()),
        ("--decoder-timeout", has_timeout),
    ];
    // a decoder is always chosen for a snapshot
    let mut unused = given.iter().skip(usize::from(is_snapshot));
    match unused.find(|(_, is_given)| *is_given) {
        Some((option, _)) if !is_snapshot => {
            let sentence = format!("{option}: it is for dotTrace snapshots, and this is not one");
            Err(QueryError::usage(sentence).advice("leave it out"))
        }
        Some((option, _)) if is_native => {
            let sentence = format!("{option}: decoder native starts no other program");
            Err(QueryError::usage(sentence))
        }
        _ => Ok(()),
    }
}

fn format_help() -> String {
    let names = formats::names_in_help(FORMATS.iter().map(|format| format.name));
    format!("Read as this format instead of detecting it: {names}")
}

fn to_help() -> String {
    let names = formats::names_in_help(EXPORTERS.iter().map(|exporter| exporter.name));
    format!("The format to write: {names}; default: by the extension of OUT, else calltree")
}

#[derive(Args, Debug)]
pub(super) struct SourceArgs {
    /// The profile; `-` is standard input
    #[arg(index = 1)]
    pub file: PathBuf,
    #[command(flatten)]
    pub reading: Reading,
}

pub(super) fn percentage(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(number) if (0.0..=100.0).contains(&number) => Ok(number),
        _ => Err("a number from 0 to 100 is expected".into()),
    }
}

#[derive(Args, Debug)]
pub(super) struct PartArgs {
    #[command(flatten)]
    pub metric_options: MetricOptions,
    /// Only below this method: its name or the end of it
    ///
    /// With or without module, namespace, type arguments and arguments; Type.* is all methods of a type.
    #[arg(long, value_name = "METHOD")]
    pub under: Option<String>,
}

#[derive(Args, Debug)]
pub(super) struct MetricOptions {
    /// The metric, such as CPU or wall [default: the one that `dotspot info` marks]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Exclude waiting from percentages and sorting
    ///
    /// The default where some threads only wait and others work.
    #[arg(long, conflicts_with = "waiting")]
    pub no_waiting: bool,
    /// Include waiting in percentages and sorting
    #[arg(long, hide_short_help = true)]
    pub waiting: bool,
}

impl MetricOptions {
    /// The thread, if one was chosen, otherwise everything.
    pub(super) fn part(&self, view: &View, source: &SourceArgs) -> PartRequest<'_> {
        PartRequest {
            within: query::root(view, &source.reading.threads.request()),
            metric: self.metric.as_deref(),
            waiting: (self.waiting || self.no_waiting).then_some(self.waiting),
        }
    }
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Units {
    /// The unit of all times: s, ms or us; by default one that suits the largest
    ///
    /// JSON is always in milliseconds.
    #[arg(long, hide_short_help = true, value_name = "UNIT", hide_possible_values = true, value_parser = one_of([
        named(&["s"], Scale::SECONDS),
        named(&["ms"], Scale::MILLISECONDS),
        named(&["us", "µs"], Scale::MICROSECONDS),
    ]))]
    pub unit: Option<Scale>,
}

impl Units {
    /// `largest` is in stored units.
    pub(super) fn scale(self, unit: Unit, largest: u64) -> Scale {
        let requested = self.unit.filter(|_| unit == Unit::Milliseconds);
        requested.unwrap_or_else(|| Scale::for_values(unit, largest))
    }

    pub(super) fn scale_of_averages(self, unit: Unit) -> Scale {
        let requested = self.unit.filter(|_| unit == Unit::Milliseconds);
        requested.map_or_else(|| Scale::for_averages(unit), Scale::to_the_nanosecond)
    }
}

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct OutputOptions {
    #[command(flatten)]
    pub fitting: Fitting,
    #[command(flatten)]
    pub units: Units,
    /// Print JSON
    #[arg(long, conflicts_with = "unit")]
    pub json: bool,
}

#[derive(Args, Debug)]
pub(super) struct AnswerArgs {
    #[command(flatten)]
    pub output: OutputOptions,
    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Args, Clone, Copy, Debug)]
pub(super) struct Fitting {
    /// Print what fits in this many tokens
    ///
    /// For a prompt: the heaviest rows, and how many are left out.
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
}

impl Fitting {
    /// The requested value, or else a default; with a budget, one that leaves it enough to choose from.
    fn or<T>(self, requested: Option<T>, default: T, default_with_budget: T) -> T {
        requested.unwrap_or(self.budget.map_or(default, |_| default_with_budget))
    }

    /// The maximum number of rows; 0 is all.
    pub(super) fn max_rows(self, requested: Option<usize>, default: usize) -> usize {
        self.or(requested, default, 0)
    }

    pub(super) fn max_depth(self, requested: Option<usize>, default: usize) -> usize {
        self.or(requested, default, 20)
    }

    pub(super) fn min_percent(self, requested: Option<f64>) -> f64 {
        self.or(requested, 1.0, 0.1)
    }
}

#[derive(Args, Debug)]
pub(super) struct OutputArgs {
    #[arg(long, value_name = "FORMAT", help = "The output format, if OUT's extension does not determine it", long_help = to_help(), hide_possible_values = true, value_parser = one_of(EXPORTERS.iter().map(|exporter| (formats::value(exporter.name), exporter))))]
    pub to: Option<&'static Exporter>,
    /// The file to write [default: standard output]
    ///
    /// `-` is standard output, too. With gzip if its name ends with .gz.
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,
    /// Overwrite the file if it exists
    #[arg(long, requires = "output")]
    pub force: bool,
}

impl OutputArgs {
    pub(super) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }
}

#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Range {
    /// Only from this time on: 2s, 1500ms or 25%
    ///
    /// Since the start of the recording; also 250us or 1.5m.
    #[arg(long, value_name = "TIME", help_heading = SCOPE, value_parser = parse_range_end)]
    pub from: Option<RangeEnd>,
    /// Only up to this time
    #[arg(long, value_name = "TIME", help_heading = SCOPE, value_parser = parse_range_end)]
    pub until: Option<RangeEnd>,
}

impl Range {
    /// `None` if it is the whole recording.
    pub(super) fn within(&self, recording: &Recording) -> Result<Option<TimeRange>, QueryError> {
        let Range { from, until } = *self;
        RangeRequest { from, until }.within(recording)
    }
}
