//! The ways to read a dotTrace snapshot, and the choice between them.
//!
//! [`Decoder::Native`] is our own reader, an importer like any other. The others run software of dotTrace's that the user
//! has, for layouts that ours does not know: [`assemblies`] through a small .NET helper of ours, [`reporter`] through
//! `Reporter.exe`. What they need from the machine is asked of [`Surroundings`], so that tests can make one up.

pub mod assemblies;
pub mod cache;
#[allow(dead_code, reason = "the decoders that use it are on their way")]
mod child;
pub mod helper;
mod reporter;
mod surroundings;
pub mod toolchain;

pub use surroundings::{Surroundings, System};

use crate::importers::{FORMATS, Failure, Format, ImportError, Input, Progress, Stage};
use crate::model::Profile;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A way to read a dotTrace snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decoder {
    /// Our own reader, which needs nothing.
    Native,
    /// dotTrace's reading libraries, through the helper.
    Assemblies,
    /// dotTrace's Reporter, which runs on Windows.
    Reporter,
}

impl Decoder {
    /// All decoders.
    pub const ALL: [Decoder; 3] = [Decoder::Native, Decoder::Assemblies, Decoder::Reporter];

    /// Its name on the command line and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Decoder::Native => "native",
            Decoder::Assemblies => "assemblies",
            Decoder::Reporter => "reporter",
        }
    }
}

/// Which decoder is to be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// Native, and the others where the layout is none that it knows.
    #[default]
    Auto,
    /// This one only.
    Only(Decoder),
}

/// How snapshots are decoded.
#[derive(Clone, Debug)]
pub struct Settings {
    /// By which decoder.
    pub choice: Choice,
    /// Where dotTrace's assemblies are, if the user says so.
    pub dottrace_dir: Option<PathBuf>,
    /// Where Reporter is, if the user says so.
    pub reporter: Option<PathBuf>,
    /// How long another program may take.
    pub limit: Duration,
    /// Whether decoded trees are kept, and taken from where they were kept.
    pub use_cache: bool,
    /// The machine.
    pub surroundings: Surroundings,
}

impl Settings {
    /// How long another program may take, unless the user says so.
    pub const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

    /// Automatic choice, on this machine.
    pub fn new(surroundings: Surroundings) -> Settings {
        Settings {
            choice: Choice::Auto,
            dottrace_dir: None,
            reporter: None,
            limit: Settings::DEFAULT_LIMIT,
            use_cache: true,
            surroundings,
        }
    }
}

/// The decoders that are tried in turn.
pub fn order(choice: Choice, system: System) -> &'static [Decoder] {
    use Decoder::{Assemblies, Native, Reporter};
    match (choice, system) {
        (Choice::Auto, System::Windows) => &[Native, Reporter, Assemblies],
        (Choice::Auto, _) => &[Native, Assemblies],
        (Choice::Only(Native), _) => &[Native],
        (Choice::Only(Assemblies), _) => &[Assemblies],
        (Choice::Only(Reporter), _) => &[Reporter],
    }
}

/// Reads a snapshot with the decoders that the settings name.
///
/// Only a failure at stage layout leads on to the next decoder: what is missing or unreadable for one is so for all. Bytes
/// that contradict the layout count as an unknown layout, for a reader can't tell one from the other.
///
/// # Errors
/// The reason of every decoder that was tried, in their order.
pub fn decode(input: Input, settings: &Settings) -> Result<Profile, ImportError> {
    let name = input.name.clone();
    let path = input.path.clone();
    let progress = input.progress.clone();
    let mut input = Some(input);
    let mut reasons: Vec<(Decoder, Failure)> = Vec::new();
    for &decoder in order(settings.choice, settings.surroundings.system) {
        let result = match (decoder, input.take()) {
            (Decoder::Native, Some(input)) => (native().read)(input),
            (Decoder::Native, None) => continue,
            (other, _) => with_path(other, &name, path.as_deref(), settings, &progress),
        };
        match result {
            Err(ImportError::Failed(failure)) => {
                let leads_on = failure.stage == Some(Stage::Layout) || decoder != Decoder::Native;
                reasons.push((decoder, *failure));
                if !leads_on {
                    break;
                }
            }
            done => return done,
        }
    }
    Err(all_of(&name, reasons).into())
}

/// The format that our own decoder reads.
fn native() -> &'static Format {
    // the table has such a row, which a test checks
    FORMATS.iter().find(|format| format.is_dottrace_snapshot()).unwrap_or(&FORMATS[0])
}

/// Runs a decoder that reads the files itself.
fn with_path(
    decoder: Decoder,
    name: &str,
    path: Option<&Path>,
    settings: &Settings,
    progress: &Progress,
) -> Result<Profile, ImportError> {
    let Some(path) = path else {
        let problem = format!("decoder {} reads files, and this is a stream", decoder.name());
        let failure = Failure::new(name, "", problem).advice("save it with the files beside it, and name the .dtp");
        return Err(failure.stage(Stage::Input).into());
    };
    match decoder {
        Decoder::Native => unreachable!("reads the input"),
        Decoder::Assemblies => assemblies::decode(path, settings, progress),
        Decoder::Reporter => reporter::decode(path, settings, progress),
    }
}

/// One failure of all reasons. Its stage is that of the last decoder that was at hand: what is not installed says nothing
/// about the snapshot.
fn all_of(name: &str, mut reasons: Vec<(Decoder, Failure)>) -> Failure {
    if reasons.len() == 1 {
        return reasons.remove(0).1;
    }
    let at_hand = reasons.iter().rev().find(|(_, failure)| failure.stage != Some(Stage::Decoder));
    let stage = at_hand.or(reasons.last()).and_then(|(_, failure)| failure.stage);
    let sentences: Vec<String> =
        reasons.iter().map(|(decoder, failure)| format!("{}: {}", decoder.name(), failure.reason())).collect();
    let mut failure = Failure::new(name, "", format!("no decoder reads it: {}", sentences.join("; ")));
    failure.stage = stage;
    if let Some((_, last)) = reasons.last() {
        failure.advice.clone_from(&last.advice);
    }
    for (decoder, reason) in reasons {
        failure.detail.push(format!("{}: {reason}", decoder.name()));
        failure.detail.extend(reason.detail.into_iter().map(|line| format!("  {line}")));
    }
    failure
}
