//! `dotspot compare`.

use crate::cli::messages;
use crate::cli::options::{Fitting, RowOptions, Units, named, one_of, percentage, refuse_if};
use crate::cli::sides::Readings;
use crate::query::{ComparisonOrder, INVERTED, QueryError};
use clap::Args;
use std::path::PathBuf;

pub(super) const COMPARE_USAGE: &str = "dotspot compare [OPTIONS] BEFORE AFTER\n       dotspot compare [OPTIONS] --before FILE… --after FILE…";
pub(super) const COMPARE_HELP: &str = "All options for reading a profile, from --format to --until, can also apply to one side only: \
                            --before-from, --after-thread …\nExit code 3: a condition of --fail-if holds.";

#[derive(Args, Debug)]
pub(in crate::cli) struct Compare {
    /// Profiles before and after the change
    #[arg(value_names = ["BEFORE", "AFTER"], num_args = 0..)]
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
    #[arg(skip)]
    pub preferred_metric: Option<String>,
    /// Order by this difference: exclusive, inclusive...
    ///
    /// Default: own-system of user code if there is any, else exclusive; exclusive with --json.
    #[arg(long, hide_possible_values = true, value_parser = one_of([
        named(&["exclusive", "own"], ComparisonOrder::Exclusive),
        named(&["own-system"], ComparisonOrder::OwnAndSystem),
        named(&["inclusive"], ComparisonOrder::Inclusive),
        named(&["calls"], ComparisonOrder::Calls),
        named(&["samples"], ComparisonOrder::Samples),
    ]))]
    pub by: Option<ComparisonOrder>,
    /// Compare equal work, such as calls or seconds
    ///
    /// total, calls, samples, seconds or method:NAME. Values are multiplied so that these are the same on both sides.
    #[arg(long, value_name = "WHAT")]
    pub per: Option<String>,
    /// Treat OLD in method names as NEW
    ///
    /// OLD is, for example, a namespace. Can be repeated.
    #[arg(long, value_name = "OLD=NEW")]
    pub rename: Vec<String>,
    /// Exit with code 3 if, for example, 'exclusive(METHOD) > +10%'
    ///
    /// Also inclusive(METHOD), calls(METHOD), total, any method or any user method, and > 20ms; conditions of one expression are
    /// joined by `and`. Only significant changes count. Can be repeated.
    #[arg(long, value_name = "EXPR")]
    pub fail_if: Vec<String>,
    /// With --fail-if: also count changes that may be chance
    #[arg(long, requires = "fail_if", hide_short_help = true)]
    pub even_by_chance: bool,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: all that are significant and five others, or as many as fit the budget; 20 with --json.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    /// List only user code
    #[arg(long)]
    pub only_user_code: bool,
    #[command(flatten)]
    pub units: Units,
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
    /// With --tree: leave out changes below this percentage of the larger total
    #[arg(long, value_name = "P", requires = "tree", default_value_t = 1.0, value_parser = percentage, hide_short_help = true)]
    pub min_percent: f64,
    /// text, markdown or json
    ///
    /// Markdown is for pull requests, and is the default with --budget.
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
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub readings: Readings,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::cli) enum CompareTo {
    Text,
    Markdown,
    Json,
}

impl Compare {
    pub(in crate::cli) fn form(&self) -> CompareTo {
        match self.to {
            Some(to) => to,
            None if self.json => CompareTo::Json,
            None if self.fitting.budget.is_some() && !self.tree => CompareTo::Markdown,
            None => CompareTo::Text,
        }
    }

    pub(in crate::cli) fn refuse_unused(&self) -> anyhow::Result<()> {
        let (form, budget) = (self.form(), self.fitting.budget);
        let is_json = form == CompareTo::Json;
        refuse_if(is_json && self.units.unit.is_some(), messages::UNIT_IN_JSON)?;
        let sides = [&self.readings.before, &self.readings.after];
        let merges_threads = sides.iter().any(|it| it.threads.merge_threads.is_some());
        refuse_if(merges_threads, messages::MERGE_THREADS)?;
        let is_short_text = form == CompareTo::Markdown || budget.is_some() && !is_json;
        refuse_if(self.tree && is_short_text, messages::TREE_AS_SHORT_TEXT)?;
        let is_plain_tree = self.tree && self.callers.is_none() && !self.inverted;
        self.row_options.refuse(
            |step| step.word == INVERTED || step.is_display() && !is_plain_tree,
            messages::FOLD_NEEDS_PLAIN_TREE,
        )
    }

    pub(in crate::cli) fn files(&self) -> Result<[Vec<PathBuf>; 2], QueryError> {
        let all = self.files.iter().chain(&self.before).chain(&self.after);
        if all.filter(|file| file.as_os_str() == "-").count() > 1 {
            return Err(QueryError::usage(messages::ONE_STANDARD_INPUT));
        }
        match self.files.as_slice() {
            [before, after] => Ok([vec![before.clone()], vec![after.clone()]]),
            [] if !self.before.is_empty() => Ok([self.before.clone(), self.after.clone()]),
            _ => {
                let usage = QueryError::usage(messages::COMPARE_NEEDS_TWO_SIDES);
                Err(usage.advice(messages::SEVERAL_PROFILES_PER_SIDE))
            }
        }
    }
}
