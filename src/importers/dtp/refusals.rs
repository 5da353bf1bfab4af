//! What is said of files that are no snapshots which can be read.

use super::family;
use super::name::TITLE;
use crate::input::{Failure, Input, Stage, looks_like};

/// The refusal of a timeline snapshot.
pub(super) fn timeline(name: &str) -> Failure {
    let problem = "is a timeline snapshot; only sampling and tracing snapshots can be read";
    let advice = "record with --profiling-type=Sampling or Tracing, or open it in dotTrace";
    Failure::new(name, TITLE, problem)
        .advice(advice)
        .stage(Stage::Layout)
}

/// The refusal of a file that does not begin like a snapshot.
pub(super) fn not_a_snapshot(input: &Input) -> Failure {
    if input.path.as_deref().is_some_and(family::is_timeline) {
        return timeline(&input.name);
    }
    if family::begins_like_dottrace(input.head().bytes) {
        let problem = "looks like a dotTrace snapshot of an unknown family";
        let failure = Failure::new(&input.name, TITLE, problem);
        return failure.ask_doctor().stage(Stage::Layout);
    }
    let found = looks_like(input.head().bytes).what;
    let problem = format!("is {found}, and a snapshot starts with MFDTPF or EE 47 44 54 50 46");
    let failure = Failure::new(&input.name, TITLE, problem);
    failure
        .advice("name the .dtp file that dotTrace wrote")
        .stage(Stage::Input)
}
