use super::super::{QueryError, StepRequest};
use crate::analysis::compared::Rename;
use crate::model::View;
use crate::query::messages;
use crate::words::words;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Per {
    #[default]
    Nothing,
    Total,
    Calls,
    Samples,
    Seconds,
    Method(String),
}

impl Per {
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

    pub(super) fn argument(&self) -> String {
        match self {
            Per::Method(name) => format!("method:{name}"),
            Per::Nothing => String::new(),
            Per::Total => "total".into(),
            Per::Calls => "calls".into(),
            Per::Samples => "samples".into(),
            Per::Seconds => "seconds".into(),
        }
    }

    pub fn description(&self) -> String {
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

impl Default for &Per {
    fn default() -> Self {
        &Per::Nothing
    }
}

#[derive(Debug)]
pub struct ComparedFile {
    pub file: String,
    pub view: View,
}

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ComparisonOrder {
        Exclusive = "exclusive",
        Inclusive = "inclusive",
        OwnAndSystem = "own-system",
        Calls = "calls",
        Samples = "samples",
    }
}

#[derive(Clone, Copy, Debug, Default)]
pub struct ComparisonRequest<'a> {
    /// Neither side is empty.
    pub before: &'a [ComparedFile],
    pub after: &'a [ComparedFile],
    /// `None` for `preferred_metric` if all files have it, or else the first profile's default metric.
    pub metric: Option<&'a str>,
    pub leaves_out_waiting: bool,
    pub preferred_metric: Option<&'a str>,
    pub per: &'a Per,
    pub renames: &'a [Rename],
    pub steps: &'a [StepRequest],
    /// `None` for user code by own + system if there is user code and other code, or else all by exclusive value.
    pub order: Option<ComparisonOrder>,
    pub only_user_code: bool,
    /// 0 for no limit; by default, all significant rows and a few that may be chance.
    pub max_rows: Option<usize>,
}
