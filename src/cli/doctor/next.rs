//! What to do next, in sentences.

use super::Diagnosis;
use super::machine::MachineInfo;
use super::snapshot::Snapshot;
use crate::cli::args::Doctor as Args;
use crate::cli::messages;
use crate::decoders::{Decoder, System, quoted};
use crate::importers::{Family, FamilyFile, NATIVE_READS, Need};
use crate::input::Stage;
use crate::query::with_prefix;
use crate::units::{counted, thousands};

pub(super) fn advice(diagnosis: &Diagnosis, args: &Args) -> Vec<String> {
    let (Some(file), Some(snapshot)) = (&args.snapshot, &diagnosis.snapshot) else {
        return advice_without_snapshot(&diagnosis.machine);
    };
    let mut steps = Vec::new();
    if let Some((decoder, _)) = snapshot.opened_by() {
        let file = quoted(file, diagnosis.machine.system);
        steps.push(match decoder {
            Decoder::Native => format!("`dotspot {file}` opens it"),
            _ => messages::decoder_opens_it(&file, &decoder.name()),
        });
        if let Some(cross_check) = &diagnosis.cross_check {
            for (decoder, failure) in snapshot.failures() {
                let (who, advice) = (decoder.name(), with_prefix("; ", &failure.advice));
                steps.push(messages::could_not_read(&who, &failure.finding(), &advice));
            }
            if cross_check.differs() {
                steps.push(messages::DECODERS_DISAGREE.into());
            }
        }
    } else if let Some(format) = snapshot.other_format {
        let (name, file) = (file.display(), quoted(file, diagnosis.machine.system));
        steps.push(messages::not_a_snapshot(&name, &format, &file));
    } else {
        // if the table breaks off, the rest is unknown
        if snapshot.table_failure.is_none() && snapshot.family != Family::Timeline {
            let files = snapshot.files.iter().filter(|file| !file.is_complete());
            let needed = files.filter(|file| file.need == Need::Needed || snapshot.is_unknown());
            steps.extend(needed.filter_map(copy_advice));
        }
        if steps.is_empty() || snapshot.is_unknown() {
            steps.extend(advice_for_layout(&diagnosis.machine, snapshot));
        }
    }
    steps
}

fn advice_without_snapshot(machine: &MachineInfo) -> Vec<String> {
    let mut steps = vec![messages::native_opens_snapshot(&NATIVE_READS)];
    let ready = |decoder: Decoder| messages::decoder_ready_for_unknown_layouts(&decoder.name());
    steps.extend(machine.available().map(ready));
    if steps.len() == 1 {
        steps.extend(install_advice(machine));
    }
    steps
}

fn advice_for_layout(machine: &MachineInfo, snapshot: &Snapshot) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let is_timeline = snapshot.family == Family::Timeline;
    for (decoder, failure) in snapshot.failures() {
        let is_native = decoder == Decoder::Native;
        // for other layouts than timelines, native has no advice of its own; for a timeline, only native's works
        if is_native && failure.stage == Some(Stage::Layout) && !is_timeline {
            steps.extend(install_advice(machine));
        } else if (is_native || !is_timeline) && !failure.advice.is_empty() {
            steps.push(failure.advice.clone());
        }
    }
    if steps.is_empty() {
        steps.push(messages::OPEN_IN_DOTTRACE_AND_REPORT.into());
    }
    steps
}

fn install_advice(machine: &MachineInfo) -> Vec<String> {
    // on other systems, those who have Reporter know it
    let decoders: &[Decoder] = match machine.system {
        System::Windows => &[Decoder::Assemblies, Decoder::Reporter],
        _ => &[Decoder::Assemblies],
    };
    let step = |&decoder: &Decoder| {
        let advice = &machine.why_unavailable(decoder)?.advice;
        let step = messages::for_unknown_layouts(&decoder.name(), advice);
        (!advice.is_empty()).then_some(step)
    };
    decoders.iter().filter_map(step).collect()
}

fn copy_advice(file: &FamilyFile) -> Option<String> {
    let Some(found) = file.found_bytes else {
        return Some(messages::copy_missing_part(&file.name));
    };
    let (found, expected) = (counted(found, "byte"), thousands(file.expected_bytes?));
    Some(messages::copy_part_again(&file.name, &found, &expected))
}
