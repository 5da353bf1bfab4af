use super::Environment;
use crate::words::words;
use std::path::PathBuf;
use std::time::Duration;

words! {
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Decoder {
        Native = "native",
        Assemblies = "assemblies",
        Reporter = "reporter",
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DecoderChoice {
    #[default]
    Auto,
    Only(Decoder),
}

#[derive(Clone, Debug)]
pub struct DecoderSettings {
    pub choice: DecoderChoice,
    pub dottrace_dir: Option<PathBuf>,
    pub reporter: Option<PathBuf>,
    pub limit: Duration,
    /// The maximum in a tree that the helper reads: an endless tree must not fill the disk. 20 million take 2.5 GB as
    /// JSON and 1 GB in memory; snapshots have a few million.
    pub max_nodes: u64,
    pub environment: Environment,
}

impl DecoderSettings {
    pub const DEFAULT_LIMIT: Duration = Duration::from_secs(600);

    pub fn new(environment: Environment) -> DecoderSettings {
        DecoderSettings {
            choice: DecoderChoice::Auto,
            dottrace_dir: None,
            reporter: None,
            limit: DecoderSettings::DEFAULT_LIMIT,
            max_nodes: 20_000_000,
            environment,
        }
    }
}
