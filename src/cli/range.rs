//! A time range on the command line.

use crate::model::{Recording, TimeRange};
use crate::query::{Border, QueryError, RangeRequest, border};
use clap::Args;

/// The heading of options that choose threads and times.
pub(super) const SCOPE: &str = "Threads and time";

/// Which time range of a recording is wanted.
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
    /// The requested range of a recording; `None` if it is the whole recording.
    ///
    /// # Errors
    /// As [`RangeRequest::within`].
    pub(super) fn within(&self, recording: &Recording) -> Result<Option<TimeRange>, QueryError> {
        let Range { from, until } = *self;
        RangeRequest { from, until }.within(recording)
    }
}
