//! Errors for files that are not readable snapshots.

use super::family::{self, Family};
use super::name::TITLE;
use crate::importers::messages;
use crate::input::{Failure, Input, Stage, looks_like};

pub(super) fn timeline(name: &str) -> Failure {
    let problem = messages::TIMELINE_SNAPSHOT;
    let advice = messages::RECORD_SAMPLING_OR_TRACING;
    Failure::new(name, TITLE, problem)
        .advice(advice)
        .stage(Stage::Layout)
}

pub(super) fn not_a_snapshot(input: &Input) -> Failure {
    if input.path.as_deref().is_some_and(family::is_timeline) {
        return timeline(&input.name);
    }
    if Family::of(input.head().bytes) == Family::Unknown {
        let problem = messages::UNKNOWN_FAMILY;
        let failure = Failure::new(&input.name, TITLE, problem);
        return failure.ask_doctor().stage(Stage::Layout);
    }
    let found = looks_like(input.head().bytes).what;
    let problem = messages::not_a_snapshot(&found);
    let failure = Failure::new(&input.name, TITLE, problem);
    failure
        .advice(messages::OPEN_DTP_OF_DOTTRACE)
        .stage(Stage::Input)
}
