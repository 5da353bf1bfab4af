//! `dotspot doctor`: which parts of a snapshot can be read, which decoders this machine has, and what to do next.

mod cross;
mod diagnosis;
mod machine;
mod next;
mod snapshot;
mod text;

use super::args::Doctor as Args;
use super::print::{Printer, write_json};
use super::signals::Watch;
use super::{exit, steps};
use crate::cli::messages;
use crate::decoders::assemblies::kept_tree;
use crate::decoders::{Decoder, DecoderChoice, DecoderSettings, decode, order, reporter, stage_of};
use crate::importers::{Examination, examine, index_of};
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::{Recording, TooLarge};
use crate::query::TOO_LARGE;
use anyhow::Result;
use cross::{CrossCheck, Decoded};
use diagnosis::Diagnosis;
use machine::{CacheState, MachineInfo};
use snapshot::{Attempt, Snapshot};
use std::path::Path;

/// Prints what is known about a snapshot, or about this machine. Gives the exit code: 0 only if the snapshot can be opened
/// and, where decoders are compared, if they agree.
pub(super) fn doctor(to: &mut Printer, args: &Args, is_verbose: bool) -> Result<u8> {
    let settings = args.decoding.settings(DecoderChoice::Auto);
    let progress = Progress::default();
    // programs that are at work are ended with dotspot
    let watch = Watch::start(&progress)?;
    let steps = steps::Watch::on_terminal(&progress);
    let diagnosis = diagnose(args, &settings, &progress);
    drop(steps);
    watch.end();
    let diagnosis = diagnosis?;
    if args.json {
        write_json(to.out, &diagnosis)?;
    } else {
        text::write(to, &diagnosis, is_verbose)?;
    }
    Ok(diagnosis.exit_code)
}

fn diagnose(
    args: &Args,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<Diagnosis, ImportError> {
    let machine = MachineInfo::look(settings, progress)?;
    let mut diagnosis = Diagnosis {
        schema: "dotspot.doctor/1",
        version: env!("CARGO_PKG_VERSION"),
        snapshot: None,
        machine,
        cross_check: None,
        next: Vec::new(),
        exit_code: exit::FINE,
    };
    if let Some(file) = &args.snapshot {
        look_at(file, args.cross_check, &mut diagnosis, settings, progress)?;
    }
    diagnosis.next = next::steps(&diagnosis, args);
    Ok(diagnosis)
}

/// Looks at a snapshot, and has it decoded by others than native where that is of use.
fn look_at(
    file: &Path,
    cross_check: bool,
    diagnosis: &mut Diagnosis,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<(), ImportError> {
    progress.begin(messages::PHASE_EXAMINE_SNAPSHOT);
    let found = examine(file, progress)?;
    let mut snapshot = Snapshot::new(file, &found);
    let leads_on = is_about_layout(&found);
    let mut decoded: Vec<Decoded> = vec![(Decoder::Native, found.whole)];
    // what is missing or unreadable is so for all decoders
    if leads_on || (cross_check && decoded[0].1.is_ok()) {
        for decoder in diagnosis.machine.at_hand() {
            let settings = DecoderSettings {
                choice: DecoderChoice::Only(decoder),
                ..settings.clone()
            };
            let result =
                Input::open(file, progress.clone()).and_then(|input| decode(input, &settings));
            let result = result.map(Recording::into_view);
            if result
                .as_ref()
                .is_err_and(|error| *error == ImportError::Cancelled)
            {
                return Err(ImportError::Cancelled);
            }
            snapshot
                .attempts
                .push(Attempt::new(decoder.name(), &result));
            if let (Ok(view), true) = (&result, decoded.iter().all(|(_, result)| result.is_err())) {
                snapshot.take_profile(view);
            }
            let is_enough = result.is_ok() && !cross_check;
            decoded.push((decoder, result));
            if is_enough {
                break;
            }
        }
    }
    if cross_check {
        diagnosis.cross_check =
            CrossCheck::new(&decoded, &diagnosis.machine).map_err(|TooLarge| {
                Failure::new(file.display().to_string(), "cross-check", TOO_LARGE)
            })?;
    }
    snapshot.kept_tree =
        kept_tree(&index_of(file), settings).map(|path| path.display().to_string());
    // decoders that were tried have left something there
    diagnosis.machine.cache = CacheState::look(settings);
    diagnosis.exit_code = exit_code(&snapshot, diagnosis, settings);
    diagnosis.snapshot = Some(snapshot);
    Ok(())
}

/// Whether native can't read it because of its layout, so that others may.
fn is_about_layout(found: &Examination) -> bool {
    matches!(&found.whole, Err(ImportError::Failed(failure)) if failure.stage == Some(Stage::Layout))
}

/// 0 if a decoder opens the snapshot and all that were asked agree; else that with which every other command fails.
fn exit_code(snapshot: &Snapshot, diagnosis: &Diagnosis, settings: &DecoderSettings) -> u8 {
    match snapshot.opened() {
        Some(_)
            if diagnosis
                .cross_check
                .as_ref()
                .is_some_and(|cross_check| !cross_check.agrees()) =>
        {
            exit::FAILED
        }
        Some(_) => exit::FINE,
        None => {
            let stage = stage_of(&stages(snapshot, &diagnosis.machine, settings));
            stage.map_or(exit::FAILED, Stage::exit_code)
        }
    }
}

/// The stages at which the decoders fail that other commands would try, in their order.
fn stages(
    snapshot: &Snapshot,
    machine: &MachineInfo,
    settings: &DecoderSettings,
) -> Vec<Option<Stage>> {
    let native = snapshot
        .attempts
        .first()
        .and_then(|attempt| attempt.failed_at);
    if native != Some(Stage::Layout) {
        return vec![native];
    }
    let tried = order(
        DecoderChoice::Auto,
        settings.environment.system,
        reporter::is_named(settings),
    );
    let stage = |decoder: &Decoder| {
        let attempt = snapshot
            .attempts
            .iter()
            .find(|attempt| attempt.decoder == decoder.name());
        attempt.map_or_else(|| machine.lacks_at(*decoder), |attempt| attempt.failed_at)
    };
    tried.iter().map(stage).collect()
}
