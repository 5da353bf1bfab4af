//! Commands that write something for others: reports, notes, profiles.

use crate::cli::options::{
    MetricOptions, OutputArgs, RowOptions, SourceArgs, Units, named, one_of, percentage,
};
use crate::query::ReportForm;
use clap::Args;
use std::path::{Path, PathBuf};

#[derive(Args, Debug)]
pub(in crate::cli) struct ReportArgs {
    #[command(flatten)]
    pub metric_options: MetricOptions,
    /// Maximum number of tokens [default: 2000]
    #[arg(long, value_name = "TOKENS")]
    pub budget: Option<usize>,
    /// All occurrences of this method as one
    #[arg(long, value_name = "NAME", conflicts_with = "node")]
    pub method: Option<String>,
    /// Only the subtree of this node
    ///
    /// An id as shown by reports, the explorer, `tree --json` and `hotspots --json`.
    #[arg(long, value_name = "ID")]
    pub node: Option<String>,
    /// Also show what changed since this profile
    ///
    /// It is read in the same way.
    #[arg(long, value_name = "BEFORE")]
    pub against: Option<PathBuf>,
    /// markdown or json
    ///
    /// By default from the extension of OUT, else markdown.
    #[arg(long, value_name = "FORMAT", hide_possible_values = true, value_parser = one_of([
        named(&["markdown", "md"], ReportForm::Markdown),
        named(&["json"], ReportForm::Json),
    ]))]
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
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub source: SourceArgs,
}

impl ReportArgs {
    pub(in crate::cli) fn tokens(&self) -> usize {
        self.budget.unwrap_or(2_000)
    }

    pub(in crate::cli) fn path(&self) -> Option<&Path> {
        self.output.as_deref().filter(|path| *path != "-")
    }

    pub(in crate::cli) fn form(&self) -> ReportForm {
        let extension = self.path().and_then(Path::extension);
        let is_json_file = extension.is_some_and(|name| name.eq_ignore_ascii_case("json"));
        self.to.unwrap_or(match self.json || is_json_file {
            true => ReportForm::Json,
            false => ReportForm::Markdown,
        })
    }
}

/// The options for a list of notes.
const LIST_OPTIONS: [&str; 5] = ["metric", "waiting", "no_waiting", "unit", "json"];

#[derive(Args, Debug)]
pub(in crate::cli) struct Notes {
    /// Only this method, named as for `callers`
    #[arg(index = 2)]
    pub method: Option<String>,
    /// The note to write, replacing any existing one
    #[arg(index = 3, requires = "method", conflicts_with_all = LIST_OPTIONS)]
    pub text: Option<String>,
    /// Remove the note on the method
    #[arg(long, requires = "method", conflicts_with = "text", conflicts_with_all = LIST_OPTIONS)]
    pub remove: bool,
    #[command(flatten)]
    pub metric_options: MetricOptions,
    #[command(flatten)]
    pub units: Units,
    /// Print JSON (schema dotspot.method-notes/1), times in milliseconds
    #[arg(long, conflicts_with = "unit")]
    pub json: bool,
    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ExportArgs {
    /// Only the subtree of this node
    ///
    /// An id as shown by the explorer, `tree --json` and `hotspots --json`.
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
    /// With --inverted: sum up rows below this percentage of the root
    #[arg(long, hide_short_help = true, value_name = "P", default_value_t = 0.1, requires = "inverted", value_parser = percentage)]
    pub min_percent: f64,
    /// The metric, or the first of several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    #[command(flatten)]
    pub out: OutputArgs,
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub source: SourceArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct Convert {
    /// The metric, or the first of several
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Rewrite a trace from dotnet-trace with its truncated stacks repaired
    ///
    /// In its own format, speedscope or Chromium: wall time, with the leaves that say when threads ran.
    #[arg(long, conflicts_with_all = ["metric", "no_repair"])]
    pub repair: bool,
    #[command(flatten)]
    pub out: OutputArgs,
    /// Write to standard output
    #[arg(long, conflicts_with = "output")]
    pub stdout: bool,
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub source: SourceArgs,
}
