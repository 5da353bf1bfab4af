//! The ways to read a dotTrace snapshot, and the choice between them.
//!
//! [`Decoder::Native`] is our own reader, an importer like any other. The others run software of dotTrace's that the user
//! has, for layouts that ours does not know: [`assemblies`] through a small .NET helper of ours, [`reporter`] through
//! `Reporter.exe`. What they need from the machine is asked of [`Surroundings`], so that tests can make one up.

pub mod assemblies;
pub mod cache;
mod child;
pub mod helper;
pub mod reporter;
mod surroundings;
pub mod toolchain;

pub use surroundings::{Surroundings, System};

use crate::importers::{FORMATS, Failure, Format, ImportError, Input, Stage, index_of};
use crate::model::{Profile, Source};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a cancelled decoder may take to end its program and to remove its temporary folder.
pub const MOST_CLEARING: Duration = child::MOST_ENDING.saturating_add(reporter::MOST_REMOVING);

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
            Decoder::Native => Source::NATIVE,
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
    /// How many nodes the tree of a snapshot may have that the helper reads.
    pub max_nodes: u64,
    /// Whether decoded trees are kept, and taken from where they were kept.
    pub use_cache: bool,
    /// The machine.
    pub surroundings: Surroundings,
}

impl Settings {
    /// How long another program may take, unless the user says so.
    pub const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

    /// How many nodes a tree may have, unless a program says so: some 2.5 GB of JSON on the way, as about 130 bytes are a node
    /// of it, and 1 GB in memory. Snapshots have tens of thousands to some millions; a tree without end must not fill the disk.
    pub const DEFAULT_MAX_NODES: u64 = 20_000_000;

    /// Automatic choice, on this machine.
    pub fn new(surroundings: Surroundings) -> Settings {
        Settings {
            choice: Choice::Auto,
            dottrace_dir: None,
            reporter: None,
            limit: Settings::DEFAULT_LIMIT,
            max_nodes: Settings::DEFAULT_MAX_NODES,
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
/// Only a failure of decoder native at stage layout leads on to the others: what is missing or unreadable for it is so for
/// all. Bytes that contradict the layout count as an unknown layout, for a reader can't tell one from the other. A profile
/// that another decoder read says in its warnings why those before it did not.
///
/// # Errors
/// The reason of every decoder that was tried, in their order.
pub fn decode(input: Input, settings: &Settings) -> Result<Profile, ImportError> {
    let (name, path, progress) = (input.name.clone(), input.path.clone(), input.progress.clone());
    let mut input = Some(input);
    let mut reasons: Vec<(Decoder, Failure)> = Vec::new();
    for &decoder in order(settings.choice, settings.surroundings.system) {
        let index = || index_for(decoder, &name, path.as_deref());
        let result = match decoder {
            // it comes once, and first
            Decoder::Native => match input.take() {
                Some(input) => (native().read)(input),
                None => continue,
            },
            Decoder::Assemblies => index().and_then(|index| assemblies::decode(&index, settings, &progress)),
            Decoder::Reporter => index().and_then(|index| reporter::decode(&index, settings, &progress)),
        };
        match result {
            Ok(mut profile) => {
                profile
                    .warnings
                    .splice(0..0, reasons.iter().map(|(before, reason)| fallback(decoder, *before, reason)));
                return Ok(profile);
            }
            Err(ImportError::Cancelled) => return Err(ImportError::Cancelled),
            Err(ImportError::Failed(failure)) => {
                let leads_on = decoder != Decoder::Native || failure.stage == Some(Stage::Layout);
                reasons.push((decoder, *failure));
                if !leads_on {
                    break;
                }
            }
        }
    }
    Err(all_of(&name, reasons).into())
}

/// The warning that one decoder had to read what another one could not.
fn fallback(decoder: Decoder, before: Decoder, reason: &Failure) -> String {
    format!("read by decoder {}, because decoder {} failed: {}", decoder.name(), before.name(), reason.reason())
}

/// The format that our own decoder reads.
fn native() -> &'static Format {
    // the table has such a row, which a test checks
    FORMATS.iter().find(|format| format.is_dottrace_snapshot()).unwrap_or(&FORMATS[0])
}

/// The snapshot's index, for a decoder that reads the files itself.
fn index_for(decoder: Decoder, name: &str, path: Option<&Path>) -> Result<PathBuf, ImportError> {
    let Some(path) = path else {
        let problem = format!("decoder {} reads files, and this is a stream", decoder.name());
        let failure = Failure::new(name, "", problem).advice("save it with the files beside it, and name the .dtp");
        return Err(failure.stage(Stage::Input).into());
    };
    Ok(index_of(path))
}

/// One failure of all reasons. Its stage is that of the last decoder that was at hand: what is not installed, or does not
/// build, says nothing about the snapshot.
fn all_of(name: &str, mut reasons: Vec<(Decoder, Failure)>) -> Failure {
    if reasons.len() == 1 {
        return reasons.remove(0).1;
    }
    let is_at_hand = |failure: &Failure| !matches!(failure.stage, Some(Stage::Decoder | Stage::Build));
    let at_hand = reasons.iter().rev().find(|(_, failure)| is_at_hand(failure));
    let stage = at_hand.or(reasons.last()).and_then(|(_, failure)| failure.stage);
    let sentences: Vec<String> = reasons
        .iter()
        .map(|(decoder, failure)| {
            // a decoder may have stumbled over another file than the one that was named
            let file = if failure.file == name { String::new() } else { format!("{}: ", failure.file) };
            format!("{}: {file}{}", decoder.name(), failure.reason())
        })
        .collect();
    let mut advice: Vec<&str> = Vec::new();
    for (_, failure) in &reasons {
        if !failure.advice.is_empty() && !advice.contains(&failure.advice.as_str()) {
            advice.push(&failure.advice);
        }
    }
    let mut failure = Failure::new(name, "", format!("no decoder reads it: {}", sentences.join("; ")));
    failure.advice = advice.join("; or ");
    failure.stage = stage;
    for (decoder, reason) in reasons {
        failure.detail.push(format!("{}: {reason}", decoder.name()));
        failure.detail.extend(reason.detail.into_iter().map(|line| format!("  {line}")));
    }
    failure
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decoders_are_tried_in_their_order() {
        use Decoder::{Assemblies, Native, Reporter};
        #[track_caller]
        fn check(choice: Choice, on_windows: &[Decoder], elsewhere: &[Decoder]) {
            assert_eq!(order(choice, System::Windows), on_windows);
            assert_eq!(order(choice, System::Linux), elsewhere);
            assert_eq!(order(choice, System::MacOs), elsewhere);
        }
        check(Choice::Auto, &[Native, Reporter, Assemblies], &[Native, Assemblies]);
        for decoder in Decoder::ALL {
            check(Choice::Only(decoder), &[decoder], &[decoder]);
        }
    }

    #[test]
    fn the_native_format_is_in_the_table() {
        assert!(native().is_dottrace_snapshot());
    }

    fn reason(decoder: Decoder, stage: Stage, file: &str, problem: &str, advice: &str) -> (Decoder, Failure) {
        let failure = Failure::new(file, "", problem).advice(advice).stage(stage);
        (decoder, failure.detail([format!("more on {problem}")]))
    }

    #[test]
    fn every_reason_is_told_in_order() {
        use Decoder::{Assemblies, Native, Reporter};
        #[track_caller]
        fn check(reasons: Vec<(Decoder, Failure)>, exit_code: u8, sentence: &str, detail: &[&str]) {
            let failure = all_of("a.dtp", reasons);
            assert_eq!(failure.to_string(), sentence);
            assert_eq!(failure.detail, detail);
            assert_eq!(ImportError::from(failure).exit_code(), exit_code);
        }
        let native = || reason(Native, Stage::Layout, "a.dtp", "unknown version 9", "report it");
        let no_assemblies = || reason(Assemblies, Stage::Decoder, "a.dtp", "no Rider", "install it");
        check(vec![native()], 11, "a.dtp: stage layout: unknown version 9; report it", &["more on unknown version 9"]);
        check(
            vec![native(), no_assemblies()],
            11,
            "a.dtp: stage layout: no decoder reads it: native: stage layout: unknown version 9; assemblies: stage decoder: \
             no Rider; report it; or install it",
            &[
                "native: a.dtp: stage layout: unknown version 9; report it",
                "  more on unknown version 9",
                "assemblies: a.dtp: stage decoder: no Rider; install it",
                "  more on no Rider",
            ],
        );
        check(
            vec![native(), reason(Assemblies, Stage::Build, "a.dtp", "no SDK", "install one")],
            11,
            "a.dtp: stage layout: no decoder reads it: native: stage layout: unknown version 9; assemblies: stage build: no \
             SDK; report it; or install one",
            &[
                "native: a.dtp: stage layout: unknown version 9; report it",
                "  more on unknown version 9",
                "assemblies: a.dtp: stage build: no SDK; install one",
                "  more on no SDK",
            ],
        );
        // the last one that was at hand gives the stage, and the same advice is given once
        check(
            vec![
                native(),
                reason(Reporter, Stage::Launch, "a.dtp.0001", "killed", "report it"),
                reason(Assemblies, Stage::Decoder, "a.dtp", "no Rider", ""),
            ],
            14,
            "a.dtp: stage launch: no decoder reads it: native: stage layout: unknown version 9; reporter: a.dtp.0001: stage \
             launch: killed; assemblies: stage decoder: no Rider; report it",
            &[
                "native: a.dtp: stage layout: unknown version 9; report it",
                "  more on unknown version 9",
                "reporter: a.dtp.0001: stage launch: killed; report it",
                "  more on killed",
                "assemblies: a.dtp: stage decoder: no Rider",
                "  more on no Rider",
            ],
        );
        check(
            vec![reason(Reporter, Stage::Decoder, "a.dtp", "none", ""), no_assemblies()],
            12,
            "a.dtp: stage decoder: no decoder reads it: reporter: stage decoder: none; assemblies: stage decoder: no Rider; \
             install it",
            &[
                "reporter: a.dtp: stage decoder: none",
                "  more on none",
                "assemblies: a.dtp: stage decoder: no Rider; install it",
                "  more on no Rider",
            ],
        );
    }
}
