//! What to do next, in sentences.

use super::Diagnosis;
use super::machine::MachineInfo;
use super::snapshot::Snapshot;
use crate::cli::args::Doctor as Args;
use crate::cli::messages;
use crate::decoders::{Decoder, DecoderChoice, System, order, quoted};
use crate::importers::{Family, FamilyFile, NATIVE_READS, Need};
use crate::input::Stage;
use crate::query::with_prefix;
use crate::units::{counted, thousands};
use std::path::Path;

pub(super) fn advice(diagnosis: &Diagnosis, args: &Args) -> Vec<String> {
    let (Some(file), Some(snapshot)) = (&args.snapshot, &diagnosis.snapshot) else {
        return advice_without_snapshot(&diagnosis.machine);
    };
    let broken = |is_needed: &dyn Fn(Need) -> bool| {
        let files = snapshot.found.files.iter();
        let broken = files.filter(|file| !file.is_complete() && is_needed(file.need));
        copy_advice(&broken.collect::<Vec<&FamilyFile>>())
    };
    let mut steps = Vec::new();
    if let Some((decoder, _)) = snapshot.opened_by() {
        let command = opening_command(decoder, args, file, &diagnosis.machine);
        steps.push(format!("`{command}` opens it"));
        if let Some(cross_check) = &diagnosis.cross_check {
            for (decoder, failure) in snapshot.failures() {
                let who = match decoder {
                    Decoder::Reporter => "Reporter",
                    _ => decoder.name(),
                };
                let advice = with_prefix("; ", &failure.advice);
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
        // if the table ends unexpectedly, the rest is unknown
        if snapshot.found.table_problem.is_none() && snapshot.found.family != Family::Timeline {
            steps.extend(broken(&|need| {
                need == Need::Required || snapshot.is_unknown()
            }));
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
        steps.extend(install_advice(machine, messages::FOR_UNKNOWN_LAYOUTS));
    }
    steps
}

fn advice_for_layout(machine: &MachineInfo, snapshot: &Snapshot) -> Vec<String> {
    let mut steps: Vec<String> = Vec::new();
    let is_timeline = snapshot.found.family == Family::Timeline;
    for (decoder, failure) in snapshot.failures() {
        let is_native = decoder == Decoder::Native;
        // for other layouts than timelines, native has no advice of its own; for a timeline, only native's works
        if is_native && failure.stage == Some(Stage::Layout) && !is_timeline {
            steps.extend(install_advice(machine, messages::UNKNOWN_LAYOUT));
        } else if (is_native || !is_timeline) && !failure.advice.is_empty() {
            steps.push(failure.advice.clone());
        }
    }
    if steps.is_empty() {
        steps.push(messages::OPEN_IN_DOTTRACE_AND_REPORT.into());
    }
    steps
}

fn install_advice(machine: &MachineInfo, purpose: &str) -> Vec<String> {
    // on other systems, those who have Reporter know it
    let decoders: &[Decoder] = match machine.system {
        System::Windows => &[Decoder::Assemblies, Decoder::Reporter],
        _ => &[Decoder::Assemblies],
    };
    let step = |&decoder: &Decoder| {
        let advice = &machine.why_unavailable(decoder)?.advice;
        let step = format!("{purpose}: decoder {}: {advice}", decoder.name());
        (!advice.is_empty()).then_some(step)
    };
    decoders.iter().filter_map(step).collect()
}

fn opening_command(decoder: Decoder, args: &Args, file: &Path, machine: &MachineInfo) -> String {
    let system = machine.system;
    let mut words = vec!["dotspot".to_string()];
    if !order(DecoderChoice::Auto, system, machine.is_reporter_named).contains(&decoder) {
        words.extend(["--decoder".into(), decoder.name().into()]);
    }
    let paths = [
        ("--dottrace-dir", &args.decoding.dottrace_dir),
        ("--reporter", &args.decoding.reporter),
    ];
    for (option, path) in paths {
        if let Some(path) = path.as_ref().filter(|_| decoder != Decoder::Native) {
            words.extend([option.to_string(), quoted(path, system)]);
        }
    }
    words.push(quoted(file, system));
    words.join(" ")
}

fn copy_advice(files: &[&FamilyFile]) -> Vec<String> {
    let missing = files.iter().filter(|file| file.found_bytes.is_none());
    let missing: Vec<&str> = missing.map(|file| file.name.as_str()).collect();
    let missing = (!missing.is_empty()).then(|| messages::copy_missing_part(&missing.join(", ")));
    let others = files.iter().filter_map(|file| {
        let found = counted(file.found_bytes?, "byte");
        let expected = thousands(file.expected_bytes?);
        Some(messages::copy_part_again(&file.name, &found, &expected))
    });
    missing.into_iter().chain(others).collect()
}
