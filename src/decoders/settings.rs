//! The list of decoders and their settings.

use super::Environment;
use crate::importers::{FORMATS, Format};
use crate::model::Source;
use std::path::PathBuf;
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
pub enum DecoderChoice {
    /// Native, and the others where the layout is none that it knows.
    #[default]
    Auto,
    /// This one only.
    Only(Decoder),
}

#[derive(Clone, Debug)]
pub struct DecoderSettings {
    pub choice: DecoderChoice,
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
    pub environment: Environment,
}

impl DecoderSettings {
    /// How long another program may take, unless the user says so.
    pub const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

    /// How many nodes a tree may have, unless a program says so: some 2.5 GB of JSON on the way, as about 130 bytes are a node
    /// of it, and 1 GB in memory. Snapshots have tens of thousands to some millions; a tree without end must not fill the disk.
    pub const DEFAULT_MAX_NODES: u64 = 20_000_000;

    pub fn new(environment: Environment) -> DecoderSettings {
        DecoderSettings {
            choice: DecoderChoice::Auto,
            dottrace_dir: None,
            reporter: None,
            limit: DecoderSettings::DEFAULT_LIMIT,
            max_nodes: DecoderSettings::DEFAULT_MAX_NODES,
            use_cache: true,
            environment,
        }
    }
}

/// The format that our own decoder reads.
pub(super) fn native() -> &'static Format {
    // the table has such a row, which a test checks
    FORMATS
        .iter()
        .find(|format| format.is_dottrace_snapshot())
        .unwrap_or(&FORMATS[0])
}
