//! Stacks saved by PerfView: `.perfView.xml`, `.perfView.json`, usually in a zip archive with one member. Source:
//! `XmlStackSource.cs` of microsoft/perfview.
//!
//! `docs/format-details.md` lists how each part is read.
//!
//! The files don't state the unit of their values. Files with the frames of TraceEvent's thread time (`CPU_TIME`)
//! contain times and become the profile of the recording, see [`super::tracks`]. In others, numbers with decimals are
//! taken for milliseconds, which they are in PerfView's own views, and integers are shown as they are.

mod elements;
mod json;
mod stacks;
mod threads;

use super::{Format, ReadOptions};
use crate::importers::messages;
use crate::input::error::too_large;
use crate::input::xml::{ascii, root_named, utf16, wrong_encoding};
use crate::input::{Confidence, Failure, Head, ImportError, Input};
use crate::model::{Recording, TooLarge};
use crate::units::thousands;
use elements::ROOTS;
use stacks::Stacks;

pub(super) const FORMAT: Format = Format {
    name: "perfview",
    title: "PerfView stacks",
    extensions: &[
        ".perfView.xml",
        ".perfView.xml.zip",
        ".perfView.json",
        ".perfView.json.zip",
    ],
    metrics: messages::METRICS_OF_PERFVIEW,
    limitations: messages::LIMITS_OF_PERFVIEW,
    sniff,
    read,
};

fn sniff(head: &Head) -> Option<Confidence> {
    if head.may_be_json() {
        return head.sniff_json(&[".perfView.json"], |member, _, found| {
            *found = (member == "StackSource").then_some(Confidence::Likely);
            found.is_none()
        });
    }
    let text = ascii(head.bytes);
    let root = ROOTS.iter().find_map(|name| root_named(&text, name))?;
    let has = |tag: &str| memchr::memmem::find(root, tag.as_bytes()).is_some();
    let is_sure = has("<Frames") || has("<Samples");
    Some(match is_sure {
        true => Confidence::Certain,
        false => Confidence::Likely,
    })
}

fn read(input: Input, _: &ReadOptions) -> Result<Recording, ImportError> {
    let (name, progress) = (input.name.clone(), input.progress.clone());
    let stacks = Stacks::new(progress);
    let mut stacks = stacks.map_err(|TooLarge| too_large(&name, FORMAT.title))?;
    let is_json = input.head().may_be_json();
    let damage = match (is_json, utf16(input.head().bytes)) {
        (true, _) => json::read(input, &mut stacks)?,
        (false, Some(code)) => return Err(wrong_encoding(&name, FORMAT.title, code).into()),
        (false, None) => elements::read(input, &mut stacks)?,
    };
    if stacks.samples == 0 {
        return Err(no_sample(&name, damage).into());
    }
    let facts = vec![("samples", thousands(stacks.samples))];
    let finished = stacks.finish(damage);
    let (collected, diagnostics) = finished.map_err(|error| error.for_file(&name, FORMAT.title))?;
    threads::profile(collected, name, &FORMAT, facts, diagnostics)
}

fn no_sample(name: &str, damage: Option<(u64, String)>) -> Failure {
    let Some((offset, problem)) = damage else {
        let failure = Failure::new(name, FORMAT.title, messages::NO_PERFVIEW_SAMPLES);
        return failure.advice(messages::SAVE_A_VIEW_WITH_STACKS);
    };
    let problem = messages::ends_before_first_sample(&problem);
    let failure = Failure::new(name, FORMAT.title, problem).at(offset);
    failure.advice(messages::SAVE_COPY_FILE_AGAIN)
}

#[cfg(test)]
mod tests;
