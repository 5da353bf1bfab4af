//! `dotspot doctor`: which parts of a snapshot can be read, which decoders this machine has, and what to do next.

mod document;
mod machine;
mod next;
mod snapshot;
mod text;

use super::args::Doctor as Args;
use super::print::Printer;
use super::signals::Watch;
use super::{exit, steps};
use crate::analysis::compared::{Agreement, agreement};
use crate::cli::messages;
use crate::decoders::{Decoder, DecoderChoice, DecoderSettings, decode, order, stage_of};
use crate::importers::ReadOptions;
use crate::input::{Failure, ImportError, Input, Progress, Stage};
use crate::model::{Recording, TooLarge, View};
use crate::profile_cache::{CacheLookup, index_path};
use crate::query::messages::TREE_TOO_LARGE;
use anyhow::Result;
use machine::MachineInfo;
use snapshot::{DecoderResult, Snapshot, failed_stage};
use std::path::Path;

struct Diagnosis {
    snapshot: Option<Snapshot>,
    machine: MachineInfo,
    cross_check: Option<CrossCheck>,
    next: Vec<String>,
    exit_code: u8,
}

/// Returns the exit code: 0 only if the snapshot can be opened and, if decoders are compared, they agree.
pub(super) fn doctor(to: &mut Printer, args: &Args, is_verbose: bool) -> Result<u8> {
    let settings = args.decoding.settings(DecoderChoice::Auto);
    let progress = Progress::default();
    // running programs are ended together with dotspot
    let watch = Watch::start(&progress)?;
    let diagnosis = steps::watched(&progress, || diagnose(args, &settings, &progress));
    watch.pause();
    let diagnosis = diagnosis?;
    match args.json {
        true => to.json(&diagnosis.document())?,
        false => text::write(to, &diagnosis, is_verbose)?,
    }
    Ok(diagnosis.exit_code)
}

fn diagnose(
    args: &Args,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<Diagnosis, ImportError> {
    let mut diagnosis = Diagnosis {
        snapshot: None,
        machine: MachineInfo::detect(settings, progress)?,
        cross_check: None,
        next: Vec::new(),
        exit_code: exit::SUCCESS,
    };
    if let Some(file) = &args.snapshot {
        examine_snapshot(file, args.cross_check, &mut diagnosis, settings, progress)?;
    }
    diagnosis.next = next::advice(&diagnosis, args);
    Ok(diagnosis)
}

fn examine_snapshot(
    file: &Path,
    cross_check: bool,
    diagnosis: &mut Diagnosis,
    settings: &DecoderSettings,
    progress: &Progress,
) -> Result<(), ImportError> {
    progress.begin(messages::PHASE_EXAMINE_SNAPSHOT);
    let mut snapshot = Snapshot::examine(file, progress)?;
    let native = &snapshot.results[0].1;
    // other decoders may know an unknown layout; what is missing or unreadable is so for all
    if failed_stage(native) == Some(Stage::Layout) || (cross_check && native.is_ok()) {
        for decoder in diagnosis.machine.available() {
            let settings = DecoderSettings {
                choice: DecoderChoice::Only(decoder),
                ..settings.clone()
            };
            let input = Input::open(file, progress.clone());
            let result = input.and_then(|input| decode(input, &settings));
            if let Err(ImportError::Cancelled) = result {
                return Err(ImportError::Cancelled);
            }
            let result = result.map(Recording::into_view);
            snapshot.results.push((decoder, result));
            if !cross_check && snapshot.opened_by().is_some() {
                break;
            }
        }
    }
    if cross_check {
        let compared = CrossCheck::new(&snapshot.results, &diagnosis.machine);
        diagnosis.cross_check = compared.map_err(|TooLarge| {
            Failure::new(file.display().to_string(), "cross-check", TREE_TOO_LARGE)
        })?;
    }
    let lookup = CacheLookup {
        file,
        reading: &ReadOptions::default(),
        decoding: settings,
    };
    snapshot.kept_tree = index_path(&lookup).map(|path| path.display().to_string());
    diagnosis.exit_code = exit_code(&snapshot, diagnosis);
    diagnosis.snapshot = Some(snapshot);
    Ok(())
}

fn exit_code(snapshot: &Snapshot, diagnosis: &Diagnosis) -> u8 {
    if snapshot.opened_by().is_none() {
        let stage = stage_of(&stages(snapshot, &diagnosis.machine));
        return stage.map_or(exit::FAILED, Stage::exit_code);
    }
    match &diagnosis.cross_check {
        Some(cross_check) if !cross_check.agrees() => exit::FAILED,
        _ => exit::SUCCESS,
    }
}

fn stages(snapshot: &Snapshot, machine: &MachineInfo) -> Vec<Option<Stage>> {
    let stage = |decoder: &Decoder| {
        let mut results = snapshot.results.iter();
        match results.find(|(tried, _)| tried == decoder) {
            Some((_, result)) => failed_stage(result),
            None if *decoder == Decoder::Reporter => Some(Stage::Decoder),
            None => machine.why_unavailable(*decoder)?.stage,
        }
    };
    let native = stage(&Decoder::Native);
    if native != Some(Stage::Layout) {
        return vec![native];
    }
    let is_named = machine.is_reporter_named;
    let tried = order(DecoderChoice::Auto, machine.system, is_named);
    tried.iter().map(stage).collect()
}

struct CrossCheck {
    first: Decoder,
    nodes_of_first: usize,
    compared: Vec<(Decoder, usize, Agreement)>,
    failed: Vec<Decoder>,
    unavailable: Vec<(Decoder, String)>,
}

impl CrossCheck {
    /// Compares all decoders that opened the snapshot with the first of them; `None` if none did.
    fn new(
        results: &[DecoderResult],
        machine: &MachineInfo,
    ) -> Result<Option<CrossCheck>, TooLarge> {
        let results = results.iter();
        let mut views = results
            .clone()
            .filter_map(|(decoder, result)| Some((*decoder, result.as_ref().ok()?)));
        let Some((first, view)) = views.next() else {
            return Ok(None);
        };
        let compare = |(decoder, other): (Decoder, &View)| {
            Ok((decoder, other.node_count(), agreement(view, other)?))
        };
        let failed = results.filter(|(_, result)| result.is_err());
        let problem = |decoder| Some((decoder, machine.why_unavailable(decoder)?.problem.clone()));
        Ok(Some(CrossCheck {
            first,
            nodes_of_first: view.node_count(),
            compared: views.map(compare).collect::<Result<_, _>>()?,
            failed: failed.map(|(decoder, _)| *decoder).collect(),
            unavailable: Decoder::ALL.into_iter().filter_map(problem).collect(),
        }))
    }

    fn agrees(&self) -> bool {
        self.failed.is_empty() && !self.differs()
    }

    fn differs(&self) -> bool {
        self.compared.iter().any(|(.., found)| !found.is_equal())
    }
}
