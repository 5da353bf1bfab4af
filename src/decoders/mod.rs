//! The ways to read a dotTrace snapshot, and the choice between them. [`Decoder::Native`] is our own reader. The
//! others run dotTrace software that the user has installed, for layouts that ours can't read: [`assemblies`] through
//! our small .NET helper, [`reporter`] through `Reporter.exe`.

pub mod assemblies;
pub mod cache;
mod command_line;
mod environment;
pub mod helper;
pub(crate) mod messages;
pub mod reporter;
mod settings;
pub mod toolchain;

pub use command_line::quoted;
pub use environment::{Environment, System};
pub use settings::{Decoder, DecoderChoice, DecoderSettings};

use crate::child;
use crate::diagnostics::Diagnostic;
use crate::importers::{ReadOptions, SNAPSHOT, index_of, is_timeline_snapshot};
use crate::input::{Failure, ImportError, Input, Stage};
use crate::model::Recording;
use crate::text::shortened;
use std::borrow::Cow;
use std::path::Path;
use std::time::Duration;

/// How long a cancelled decoder may take to end its program and remove its temporary folder.
pub const CLEANUP_TIMEOUT: Duration = child::END_TIMEOUT.saturating_add(Duration::from_secs(1));

/// The decoders to try, in order. Outside Windows, Reporter only if the user names it.
pub fn order(choice: DecoderChoice, system: System, is_reporter_named: bool) -> &'static [Decoder] {
    use Decoder::{Assemblies, Native, Reporter};
    match (choice, system) {
        (DecoderChoice::Auto, system) if system == System::Windows || is_reporter_named => {
            &[Native, Reporter, Assemblies]
        }
        (DecoderChoice::Auto, _) => &[Native, Assemblies],
        (DecoderChoice::Only(Native), _) => &[Native],
        (DecoderChoice::Only(Assemblies), _) => &[Assemblies],
        (DecoderChoice::Only(Reporter), _) => &[Reporter],
    }
}

/// Other decoders are tried only if native fails at stage layout: what is missing or unreadable for native is so for
/// all.
pub fn decode(input: Input, settings: &DecoderSettings) -> Result<Recording, ImportError> {
    let (name, path) = (input.name.clone(), input.path.clone());
    let progress = input.progress.clone();
    let mut input = Some(input);
    let mut reasons: Vec<(Decoder, Failure)> = Vec::new();
    let (system, is_named) = (settings.environment.system, reporter::is_named(settings));
    for &decoder in order(settings.choice, system, is_named) {
        let index = || {
            let Some(path) = &path else {
                let problem = messages::reads_files_only(&decoder.name());
                let failure = Failure::new(&name, "", problem).advice(messages::SAVE_ALL_PARTS);
                return Err(failure.stage(Stage::Input).into());
            };
            Ok(index_of(path))
        };
        let result = match decoder {
            Decoder::Native => match input.take() {
                Some(input) => (SNAPSHOT.read)(input, &ReadOptions::default()),
                None => continue,
            },
            Decoder::Assemblies => {
                index().and_then(|index| assemblies::decode(&index, settings, &progress))
            }
            Decoder::Reporter => {
                index().and_then(|index| reporter::decode(&index, settings, &progress))
            }
        };
        match result {
            Ok(mut profile) => {
                let fallbacks = reasons.iter().map(|(before, reason)| Diagnostic::FellBack {
                    decoder: decoder.name().into(),
                    before: before.name().into(),
                    reason: reason.reason(),
                });
                profile.diagnostics.splice(0..0, fallbacks);
                return Ok(profile);
            }
            Err(error) => {
                let failure = error.failure()?;
                let may_try_next =
                    decoder != Decoder::Native || failure.stage == Some(Stage::Layout);
                reasons.push((decoder, failure));
                if !may_try_next {
                    break;
                }
            }
        }
    }
    advise(&mut reasons, path.as_deref(), settings);
    Err(combined(&name, reasons).into())
}

/// What a tree depends on besides the snapshot, as far as it is known before reading it.
pub(crate) fn identity(settings: &DecoderSettings) -> String {
    let paths = [&settings.dottrace_dir, &settings.reporter];
    let paths = paths.map(|path| path.as_deref().map(environment::absolute));
    let install = helper::install_of(&settings.environment);
    let reporter = settings.environment.variable(reporter::VARIABLE);
    format!("{:?} {paths:?} {install:?} {reporter:?}", settings.choice)
}

fn advise(reasons: &mut [(Decoder, Failure)], path: Option<&Path>, settings: &DecoderSettings) {
    if path.is_some_and(is_timeline_snapshot) {
        // the advice of the others would not help; the details have everything they said
        for (_, failure) in reasons.iter_mut().skip(1) {
            failure.advice.clear();
            failure.doctor_command = None;
            if failure.stage == Some(Stage::Input) {
                failure.short = "can't read it".into();
            }
        }
    }
    let quoted = path.map(|path| quoted(path, settings.environment.system));
    for (_, failure) in reasons {
        // doctor examines files, not streams
        let command = quoted
            .as_ref()
            .map(|file| format!("dotspot doctor {file}").into());
        failure.doctor_command = failure.doctor_command.take().and(command);
    }
}

/// The stage of the last decoder that says something about the snapshot's bytes. One that is not installed or does not
/// build does not, nor does one that misses files of a snapshot whose layout native does not know.
pub fn stage_of(stages: &[Option<Stage>]) -> Option<Stage> {
    use Stage::{Build, Decoder, Input};
    let last_without = |others: &[Stage]| {
        let mut stages = stages.iter().rev();
        stages.find(|stage| stage.is_none_or(|stage| !others.contains(&stage)))
    };
    let uninformative: [&[Stage]; 3] = [&[Decoder, Build, Input], &[Decoder, Build], &[]];
    let stage = uninformative.into_iter().find_map(last_without);
    stage.copied().flatten()
}

const MAX_REASON_CHARS: usize = 120;

/// The first reason, and the others in a few words.
fn combined(name: &str, mut reasons: Vec<(Decoder, Failure)>) -> Failure {
    if reasons.len() == 1 {
        return reasons.remove(0).1;
    }
    let stages: Vec<Option<Stage>> = reasons.iter().map(|(_, failure)| failure.stage).collect();
    let stage = stage_of(&stages);
    let mut parts: Vec<String> = Vec::new();
    let mut advice: Vec<Cow<str>> = Vec::new();
    for (decoder, failure) in &reasons {
        // a decoder may have failed on another file than the named one
        let file = Some(format!("{}: ", failure.file)).filter(|_| failure.file != name);
        let (file, decoder) = (file.unwrap_or_default(), decoder.name());
        parts.push(match parts.len() {
            0 if failure.stage == stage => format!("{file}{}", failure.finding()),
            // the stage at the start of the sentence is another decoder's
            0 => format!("decoder {decoder}: {file}{}", failure.reason()),
            _ => {
                let problem = match failure.short.is_empty() {
                    true => &failure.problem,
                    false => &failure.short,
                };
                let problem = shortened(problem, MAX_REASON_CHARS);
                format!("decoder {decoder}: {file}{problem}")
            }
        });
        let full_advice = failure.full_advice();
        if !full_advice.is_empty() && !advice.contains(&full_advice) {
            advice.push(full_advice);
        }
    }
    let mut failure = Failure::new(name, "", parts.join("; "));
    failure.advice = advice.join("; or ");
    failure.stage = stage;
    for (decoder, reason) in reasons {
        failure.detail.push(format!("{}: {reason}", decoder.name()));
        let lines = reason.detail.into_iter().map(|line| format!("  {line}"));
        failure.detail.extend(lines);
    }
    failure
}

#[cfg(test)]
mod tests;
