//! What to do next, in sentences.

use super::cross::CrossCheck;
use super::diagnosis::Diagnosis;
use super::snapshot::{Attempt, Snapshot, SnapshotFileRow};
use crate::cli::args::Doctor as Args;
use crate::cli::messages;
use crate::decoders::{Decoder, DecoderChoice, System, order, quoted};
use crate::importers::{Family, NATIVE_READS, Need};
use crate::input::Stage;
use crate::units::{counted, thousands};
use std::path::Path;

/// What to do, the most useful first.
pub(super) fn steps(diagnosis: &Diagnosis, args: &Args) -> Vec<String> {
    let (Some(file), Some(snapshot)) = (&args.snapshot, &diagnosis.snapshot) else {
        return for_any(diagnosis);
    };
    let mut steps = Vec::new();
    if let Some(attempt) = snapshot.opened() {
        steps.push(format!(
            "`{}` opens it",
            command(attempt, args, file, diagnosis)
        ));
        let partial = snapshot
            .files
            .iter()
            .filter(|file| !file.whole && file.need == Need::Derived.name());
        let partial: Vec<&SnapshotFileRow> = partial.collect();
        steps.extend(copies(&partial).map(|step| messages::cant_compare_sums(&step)));
        if let Some(cross_check) = &diagnosis.cross_check {
            let failed = snapshot
                .attempts
                .iter()
                .filter(|attempt| cross_check.failed.contains(&attempt.decoder));
            steps.extend(failed.map(failure_of));
        }
        if diagnosis
            .cross_check
            .as_ref()
            .is_some_and(CrossCheck::differs)
        {
            steps.push(messages::DECODERS_DISAGREE.into());
        }
    } else if let Some(format) = snapshot.other_format {
        let (name, file) = (file.display(), quoted(file, diagnosis.machine.of()));
        steps.push(messages::not_a_snapshot(&name, &format, &file));
    } else {
        // what of an unknown family is needed is not known
        let is_needed = |need: &str| need == Need::Needed.name() || is_unknown(snapshot.family);
        let files: Vec<&SnapshotFileRow> = snapshot
            .files
            .iter()
            .filter(|file| !file.whole && is_needed(file.need))
            .collect();
        // of a table that breaks off the rest is not known
        if snapshot.table_problem.is_none() && snapshot.family != Family::Timeline.name() {
            steps.extend(copies(&files));
        }
        if steps.is_empty() || is_unknown(snapshot.family) {
            steps.extend(for_layout(diagnosis, snapshot));
        }
    }
    steps
}

/// That a decoder failed which is at hand, and what to do about it.
fn failure_of(attempt: &Attempt) -> String {
    let who = if attempt.decoder == Decoder::Reporter.name() {
        "Reporter"
    } else {
        attempt.decoder
    };
    let advice = attempt
        .advice
        .as_deref()
        .filter(|advice| !advice.is_empty());
    messages::could_not_read(
        &who,
        &attempt.finding,
        &advice.map_or(String::new(), |text| format!("; {text}")),
    )
}

/// What to do without a snapshot.
fn for_any(diagnosis: &Diagnosis) -> Vec<String> {
    let mut steps = vec![messages::native_opens_snapshot(&NATIVE_READS)];
    for decoder in diagnosis.machine.at_hand() {
        steps.push(messages::decoder_ready_for_unknown_layouts(&decoder.name()));
    }
    if steps.len() == 1 {
        steps.extend(installs(diagnosis, messages::FOR_UNKNOWN_LAYOUTS));
    }
    steps
}

/// Whether nothing is known about the sections of a family.
fn is_unknown(family: &str) -> bool {
    [Family::Timeline, Family::Unknown]
        .iter()
        .any(|unknown| unknown.name() == family)
}

/// What to do about a snapshot that nothing opens although its files are there.
fn for_layout(diagnosis: &Diagnosis, snapshot: &Snapshot) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    for attempt in &snapshot.attempts {
        let is_about_layout = attempt.stage == Some(Stage::Layout.name());
        let is_timeline = snapshot.family == Family::Timeline.name();
        let is_native = attempt.decoder == Decoder::Native.name();
        // for a timeline native's advice is all that works, and of other layouts native has none of its own
        let is_wanted = if is_timeline {
            is_native
        } else {
            !(is_native && is_about_layout)
        };
        if let Some(advice) = attempt
            .advice
            .as_ref()
            .filter(|advice| is_wanted && !advice.is_empty())
        {
            steps.push(advice.clone());
        }
        if is_native && is_about_layout && !is_timeline {
            steps.extend(installs(diagnosis, messages::UNKNOWN_LAYOUT));
        }
    }
    if steps.is_empty() {
        steps.push(messages::OPEN_IN_DOTTRACE_AND_REPORT.into());
    }
    steps
}

/// What can be installed so that more snapshots can be read.
fn installs(diagnosis: &Diagnosis, purpose: &str) -> Vec<String> {
    let machine = &diagnosis.machine;
    // elsewhere nobody has it who does not know that he has
    let decoders = [Decoder::Assemblies, Decoder::Reporter]
        .into_iter()
        .filter(|decoder| *decoder == Decoder::Assemblies || machine.of() == System::Windows);
    let lacking = decoders.filter_map(|decoder| Some((decoder, machine.lacks(decoder)?)));
    let lacking = lacking.filter(|(_, (_, advice))| !advice.is_empty());
    lacking
        .map(|(decoder, (_, advice))| format!("{purpose}: decoder {}: {advice}", decoder.name()))
        .collect()
}

/// The command that opens a snapshot as an attempt did.
fn command(attempt: &Attempt, args: &Args, file: &Path, diagnosis: &Diagnosis) -> String {
    let system = diagnosis.machine.of();
    let mut words = vec!["dotspot".to_string()];
    let is_native = attempt.decoder == Decoder::Native.name();
    let is_reporter_named = diagnosis.machine.is_reporter_named();
    if !order(DecoderChoice::Auto, system, is_reporter_named)
        .iter()
        .any(|decoder| decoder.name() == attempt.decoder)
    {
        words.extend(["--decoder".into(), attempt.decoder.into()]);
    }
    let paths = [
        ("--dottrace-dir", &args.decoding.dottrace_dir),
        ("--reporter", &args.decoding.reporter),
    ];
    for (option, path) in paths.into_iter().filter(|_| !is_native) {
        if let Some(path) = path {
            words.extend([option.to_string(), quoted(path, system)]);
        }
    }
    words.push(quoted(file, system));
    words.join(" ")
}

/// What to copy: files that are missing in one sentence, and one for each that has another length than it should.
fn copies<'a>(files: &'a [&'a SnapshotFileRow]) -> impl Iterator<Item = String> + 'a {
    let missing: Vec<&str> = files
        .iter()
        .filter(|file| file.found_bytes.is_none())
        .map(|file| file.name.as_str())
        .collect();
    let missing = (!missing.is_empty()).then(|| messages::copy_missing_part(&missing.join(", ")));
    let others = files.iter().filter_map(|file| {
        let (found, expected) = (
            counted(file.found_bytes?, "byte"),
            thousands(file.expected_bytes?),
        );
        Some(messages::copy_part_again(&file.name, &found, &expected))
    });
    missing.into_iter().chain(others)
}
