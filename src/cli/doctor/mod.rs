//! `dotspot doctor`: what of a snapshot can be read, what this machine has to read it with, and what to do next.

mod cross;
mod machine;
mod next;
mod snapshot;
mod text;

use super::args::Doctor as Args;
use super::exit;
use super::report::write_json;
use super::signals::Watch;
use crate::decoders::{Choice, Decoder, Settings, decode};
use crate::importers::{Examination, ImportError, Input, Progress, Stage, examine};
use anyhow::Result;
use cross::{CrossCheck, Decoded};
use machine::Machine;
use serde::Serialize;
use snapshot::{Attempt, Snapshot};
use std::io::Write;
use std::path::Path;

/// The document `dotspot.doctor/1`.
#[derive(Debug, Serialize)]
struct Diagnosis {
    schema: &'static str,
    version: &'static str,
    snapshot: Option<Snapshot>,
    machine: Machine,
    cross_check: Option<CrossCheck>,
    /// What to do, a sentence each.
    next: Vec<String>,
    exit_code: u8,
}

/// Prints what is known about a snapshot, or about this machine. Gives the exit code: 0 only if the snapshot can be opened
/// and, where decoders are compared, if they agree.
pub fn doctor(out: &mut dyn Write, args: &Args, width: Option<usize>) -> Result<u8> {
    let settings = args.decoding.settings(Choice::Auto);
    let progress = Progress::default();
    // programs that are at work are ended with dotspot
    let watch = Watch::start(&progress)?;
    let diagnosis = diagnose(args, &settings, &progress);
    watch.end();
    let diagnosis = diagnosis?;
    if args.json {
        write_json(out, &diagnosis)?;
    } else {
        text::write(out, &diagnosis, width)?;
    }
    Ok(diagnosis.exit_code)
}

fn diagnose(args: &Args, settings: &Settings, progress: &Progress) -> Result<Diagnosis, ImportError> {
    let machine = Machine::look(settings, progress)?;
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
    settings: &Settings,
    progress: &Progress,
) -> Result<(), ImportError> {
    let found = examine(file, progress)?;
    let mut snapshot = Snapshot::new(file, &found);
    let leads_on = is_about_layout(&found);
    let mut decoded: Vec<Decoded> = vec![(Decoder::Native, found.whole)];
    // what is missing or unreadable is so for all decoders
    if leads_on || (cross_check && decoded[0].1.is_ok()) {
        for decoder in diagnosis.machine.at_hand() {
            let settings = Settings { choice: Choice::Only(decoder), ..settings.clone() };
            let result = Input::open(file, progress.clone()).and_then(|input| decode(input, &settings));
            if result.as_ref().is_err_and(|error| *error == ImportError::Cancelled) {
                return Err(ImportError::Cancelled);
            }
            snapshot.attempts.push(Attempt::new(decoder.name(), &result));
            if let (Ok(profile), true) = (&result, decoded.iter().all(|(_, result)| result.is_err())) {
                snapshot.take_profile(profile);
            }
            let is_enough = result.is_ok() && !cross_check;
            decoded.push((decoder, result));
            if is_enough {
                break;
            }
        }
    }
    if cross_check {
        diagnosis.cross_check = CrossCheck::new(&decoded, &diagnosis.machine);
    }
    diagnosis.exit_code = exit_code(&snapshot, diagnosis.cross_check.as_ref());
    diagnosis.snapshot = Some(snapshot);
    Ok(())
}

/// Whether native can't read it because of its layout, so that others may.
fn is_about_layout(found: &Examination) -> bool {
    matches!(&found.whole, Err(ImportError::Failed(failure)) if failure.stage == Some(Stage::Layout))
}

/// 0 if a decoder opens the snapshot and all that were asked agree; else that of the stage at which the last decoder failed.
fn exit_code(snapshot: &Snapshot, cross_check: Option<&CrossCheck>) -> u8 {
    match snapshot.opened() {
        Some(_) if cross_check.is_some_and(|cross_check| !cross_check.agrees()) => exit::FAILED,
        Some(_) => exit::FINE,
        None => snapshot.attempts.last().map_or(exit::FAILED, |attempt| attempt.exit_code),
    }
}
