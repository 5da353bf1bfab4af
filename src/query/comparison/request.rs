//! What is asked of a comparison.

use super::super::StepRequest;
use super::Per;
use crate::analysis::compared::Rename;
use crate::model::View;

/// A profile that is compared.
#[derive(Clone, Copy, Debug)]
pub struct ComparedFile<'a> {
    /// What it is called.
    pub file: &'a str,
    /// What of it.
    pub view: &'a View,
}

/// By what the differences of methods are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ComparisonOrder {
    /// Values without callees.
    Exclusive,
    /// Values with callees.
    Inclusive,
    /// Calls or samples.
    Counts,
}

impl ComparisonOrder {
    /// Its name on the command line and in documents.
    pub fn name(self) -> &'static str {
        match self {
            ComparisonOrder::Exclusive => "own",
            ComparisonOrder::Inclusive => "inclusive",
            ComparisonOrder::Counts => "calls",
        }
    }
}

/// Which comparison is wanted.
#[derive(Clone, Copy, Debug)]
pub struct ComparisonRequest<'a> {
    /// The profiles before the change, at least one.
    pub before: &'a [ComparedFile<'a>],
    /// Those after it, at least one.
    pub after: &'a [ComparedFile<'a>],
    /// The name of the metric, unless it is the first choice of the first profile.
    pub metric: Option<&'a str>,
    /// What is made equal.
    pub per: &'a Per,
    /// What has moved.
    pub renames: &'a [Rename],
    /// What is changed in the merged tree.
    pub steps: &'a [StepRequest],
    /// What rows are ordered by.
    pub order: ComparisonOrder,
    /// Whether only user code is listed.
    pub is_user_code: bool,
    /// How many rows there are at most; 0 for all.
    pub most: usize,
}
