//! The parameters of a comparison.

use super::super::{QueryError, StepRequest};
use crate::analysis::compared::Rename;
use crate::model::View;
use crate::query::messages;

/// What is made equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// Nothing: values are as recorded.
    #[default]
    Nothing,
    /// The total of the metric, which compares shares.
    Total,
    /// The number of calls of all methods.
    Calls,
    Samples,
    /// The recorded time.
    Seconds,
    /// The inclusive value of a method.
    Method(String),
}

impl Per {
    /// Parses its command-line form.
    ///
    /// # Errors
    /// If there is none with this name.
    pub fn parse(text: &str) -> Result<Per, QueryError> {
        match text {
            "total" => Ok(Per::Total),
            "calls" => Ok(Per::Calls),
            "samples" => Ok(Per::Samples),
            "seconds" => Ok(Per::Seconds),
            _ => match text.strip_prefix("method:").filter(|name| !name.is_empty()) {
                Some(name) => Ok(Per::Method(name.into())),
                None => Err(QueryError::usage(messages::unknown_per(&text))),
            },
        }
    }

    /// Its word on the command line.
    pub(super) fn word(&self) -> String {
        match self {
            Per::Nothing => String::new(),
            Per::Total => "total".into(),
            Per::Calls => "calls".into(),
            Per::Samples => "samples".into(),
            Per::Seconds => "seconds".into(),
            Per::Method(name) => format!("method:{name}"),
        }
    }

    /// What is made equal, in words; empty for nothing.
    pub fn words(&self) -> String {
        match self {
            Per::Nothing => String::new(),
            Per::Total => "equal totals".into(),
            Per::Calls => messages::EQUAL_NUMBERS_CALLS.into(),
            Per::Samples => messages::EQUAL_NUMBERS_SAMPLES.into(),
            Per::Seconds => "equal recorded time".into(),
            Per::Method(name) => messages::equal_values_of(&name),
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ComparedFile<'a> {
    pub file: &'a str,
    pub view: &'a View,
}

/// The sort order of differences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOrder {
    /// Exclusive values.
    Exclusive,
    /// Inclusive values.
    Inclusive,
    /// Own + system values; for code other than user code, exclusive values.
    OwnAndSystem,
    Counts,
}

impl ComparisonOrder {
    /// Its name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOrder::Exclusive => "exclusive",
            ComparisonOrder::Inclusive => "inclusive",
            ComparisonOrder::OwnAndSystem => "own-system",
            ComparisonOrder::Counts => "calls",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct ComparisonRequest<'a> {
    /// The profiles before the change, at least one.
    pub before: &'a [ComparedFile<'a>],
    /// The profiles after the change, at least one.
    pub after: &'a [ComparedFile<'a>],
    /// The name of the metric; `None` for the default one of the first profile.
    pub metric: Option<&'a str>,
    /// Whether waiting is excluded.
    pub leaves_out_waiting: bool,
    /// The name of the metric to use by default, if all profiles have it.
    pub preferred_metric: Option<&'a str>,
    /// What is made equal.
    pub per: &'a Per,
    /// The renames.
    pub renames: &'a [Rename],
    /// The changes to the merged tree.
    pub steps: &'a [StepRequest],
    /// The sort order. By default, only user code is listed if there is any, including the system code that it calls.
    pub order: Option<ComparisonOrder>,
    /// Whether only user code is listed, whatever the order.
    pub is_user_code: bool,
    pub most: MostRows,
}

/// The maximum number of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MostRows {
    All,
    Rows(usize),
    /// All significant rows, and a few that may be chance.
    Usual,
}

impl MostRows {
    /// This many rows; 0 for all.
    pub fn of(rows: usize) -> MostRows {
        match rows {
            0 => MostRows::All,
            rows => MostRows::Rows(rows),
        }
    }
}

impl<'a> ComparisonRequest<'a> {
    /// A request for the usual list of all changed methods, with nothing made equal, renamed or changed in the tree.
    pub fn new(
        before: &'a [ComparedFile<'a>],
        after: &'a [ComparedFile<'a>],
    ) -> ComparisonRequest<'a> {
        ComparisonRequest {
            before,
            after,
            metric: None,
            leaves_out_waiting: false,
            preferred_metric: None,
            per: &Per::Nothing,
            renames: &[],
            steps: &[],
            order: None,
            is_user_code: false,
            most: MostRows::All,
        }
    }
}
