//! Commands that print a view of one profile.

use crate::cli::options::{
    AnswerArgs, MetricOptions, PartArgs, RowOptions, TreeOptions, named, one_of, percentage,
};
use crate::model::GroupBy;
use crate::query::{MethodOrder, TimelineBy};
use clap::Args;
use clap::builder::{PossibleValue, TypedValueParser as _};

#[derive(Args, Debug)]
pub(in crate::cli) struct Info {
    /// Show how many stacks were truncated, how many of them were repaired, and what that changed
    #[arg(long, conflicts_with_all = ["no_repair", "from", "until", "budget", "unit"])]
    pub truncation: bool,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct HotspotsArgs {
    #[command(flatten)]
    pub part: PartArgs,
    /// Order by exclusive, inclusive or own-system time
    ///
    /// exclusive: without callees. inclusive: with callees. own-system: including the system code it calls. Lists of user code default to own-system, all others to exclusive.
    #[arg(long, hide_possible_values = true, value_parser = one_of(MethodOrder::OF_HOTSPOTS.map(|order| named(&[order.name()], order))))]
    pub by: Option<MethodOrder>,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    #[command(flatten)]
    pub list: ListArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct ListArgs {
    /// List only user code
    #[arg(long)]
    pub only_user_code: bool,
    /// A row for each module, namespace or type
    ///
    /// Instead of methods. Inclusive time includes what a group calls; calls within the group count once.
    #[arg(long, value_name = "GROUP", hide_possible_values = true, value_parser = one_of(GroupBy::ALL.map(|by| named(&[by.name()], by))))]
    pub group: Option<GroupBy>,
    #[command(flatten)]
    pub tree_options: TreeOptions,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct MethodsArgs {
    #[command(flatten)]
    pub part: PartArgs,
    /// Only methods whose names contain this, ignoring case
    #[arg(long, value_name = "TEXT")]
    pub filter: Option<String>,
    /// Order by this column [default: exclusive]
    ///
    /// exclusive, inclusive, own-system, calls, samples, per-call, occurrences or name; `own` is exclusive, and `total` inclusive.
    #[arg(long, value_name = "ORDER", hide_possible_values = true, value_parser = one_of(orders()))]
    pub sort: Option<MethodOrder>,
    #[arg(skip)]
    pub preferred_sort: Option<MethodOrder>,
    /// Maximum number of methods; 0 lists all
    ///
    /// Default: 50, or as many as fit the budget.
    #[arg(long, visible_alias = "top", value_name = "N")]
    pub limit: Option<usize>,
    #[command(flatten)]
    pub list: ListArgs,
}

fn orders() -> impl Iterator<Item = (PossibleValue, MethodOrder)> {
    MethodOrder::ALL.into_iter().map(|order| match order {
        MethodOrder::Exclusive => named(&[order.name(), "own"], order),
        MethodOrder::Inclusive => named(&[order.name(), "total"], order),
        _ => named(&[order.name()], order),
    })
}

#[derive(Args, Debug)]
pub(in crate::cli) struct Tree {
    #[command(flatten)]
    pub part: PartArgs,
    /// Only the subtree of this node, such as n12
    ///
    /// An id as shown by the explorer, `tree --json` and `hotspots --json`.
    #[arg(long, value_name = "ID", conflicts_with = "under")]
    pub node: Option<String>,
    /// Invert the tree: methods with their callers below
    ///
    /// By their exclusive time; 2 levels unless --depth is given.
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
    #[command(flatten)]
    pub row_options: RowOptions,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct MethodArgs {
    /// The method: its name or the end of it; Type.* is all methods of a type
    ///
    /// With or without module, namespace, type arguments and arguments.
    #[arg(index = 2)]
    pub method: String,
    #[command(flatten)]
    pub metric_options: MetricOptions,
    /// How many levels of callers or callees
    ///
    /// 6 unless there is a budget.
    #[arg(long, value_name = "N")]
    pub depth: Option<usize>,
    /// Combine rows below this percentage of the method
    ///
    /// 1 % unless there is a budget. Immediate callers and callees are always listed.
    #[arg(long, value_name = "P", value_parser = percentage)]
    pub min_percent: Option<f64>,
    #[command(flatten)]
    pub tree_options: TreeOptions,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct WaitsArgs {
    /// The metric [default: the one with the most waiting]
    #[arg(long, value_name = "NAME")]
    pub metric: Option<String>,
    /// Maximum number of rows; 0 lists all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    #[command(flatten)]
    pub tree_options: TreeOptions,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct TimelineArgs {
    /// A lane for each thread, process or method
    ///
    /// Methods are sorted by exclusive value.
    #[arg(long, default_value = "thread", hide_possible_values = true, value_parser = one_of(TimelineBy::ALL.map(|by| named(&[by.name()], by))))]
    pub by: TimelineBy,
    /// Number of equal time buckets
    ///
    /// As many as fit, or 100 in JSON.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000).map(usize::from))]
    pub buckets: Option<usize>,
    /// Split the recording where the mix of methods changes: a heuristic
    #[arg(long)]
    pub phases: bool,
    /// Only the subtree of this node, such as n12
    ///
    /// An id as shown by the explorer, `tree --json` and `hotspots --json`.
    #[arg(long, value_name = "ID")]
    pub node: Option<String>,
    #[command(flatten)]
    pub metric_options: MetricOptions,
    /// Maximum number of lanes; 0 lists all
    ///
    /// Default: 20, or as many as fit the budget.
    #[arg(long, value_name = "N")]
    pub top: Option<usize>,
    #[command(flatten)]
    pub tree_options: TreeOptions,
    #[command(flatten)]
    pub answer: AnswerArgs,
}

#[derive(Args, Debug)]
pub(in crate::cli) struct CallersArgs {
    /// Which user code is responsible: the nearest user code above the method, and its callers
    ///
    /// Code in between, from .NET, libraries and native modules, is skipped. The shares add up to 100 %.
    #[arg(long)]
    pub user: bool,
    #[command(flatten)]
    pub of: MethodArgs,
}
