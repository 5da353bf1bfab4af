//! A time range on the command line.

use crate::model::{Recording, TimeRange};
use crate::query::{Border, QueryError, RangeRequest, border};
use clap::Args;

pub(super) const SCOPE: &str = "Threads and time";

#[derive(Args, Clone, Copy, Debug, Default)]
pub(super) struct Range {
    /// Only from this time on: 2s, 1500ms or 25%
    ///
    /// Since the start of the recording; also 250us or 1.5m.
    #[arg(long, value_name = "TIME", help_heading = SCOPE, value_parser = border)]
    pub from: Option<Border>,
    /// Only up to this time
    #[arg(long, value_name = "TIME", help_heading = SCOPE, value_parser = border)]
    pub until: Option<Border>,
}

impl Range {
    /// `None` if it is the whole recording.
    pub(super) fn within(&self, recording: &Recording) -> Result<Option<TimeRange>, QueryError> {
        let Range { from, until } = *self;
        RangeRequest { from, until }.within(recording)
    }
}
