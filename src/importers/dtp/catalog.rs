//! The known sections, their need and supported versions.

use crate::importers::messages;
use crate::words::words;

use Need::{Derived, Optional, Required};

pub(super) const DESCRIPTION: u16 = 0x0000;
pub(super) const TAKEN: u16 = 0x0001;
pub(super) const METADATA: u16 = 0x0100;
pub(super) const MODULES: u16 = 0x0110;
pub(super) const INDIRECT: u16 = 0x0120;
/// Ticks per second.
pub(super) const RESOLUTION: u16 = 0x1000;
pub(super) const TREE: u16 = 0x1100;

words! {
    /// Least first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Need {
        Unknown = "unknown",
        /// Derived from other sections and not read; tests compare them.
        Derived = "derived",
        Optional = "extra",
        Required = "needed",
    }
}

#[derive(Debug)]
pub struct KnownSection {
    pub id: u16,
    pub what: &'static str,
    pub need: Need,
    /// Of its layout; empty if any will do.
    pub versions: &'static [u16],
}

impl KnownSection {
    pub(super) fn has(&self, version: u16) -> bool {
        self.versions.is_empty() || self.versions.contains(&version)
    }
}

const fn row(id: u16, need: Need, versions: &'static [u16], what: &'static str) -> KnownSection {
    KnownSection {
        id,
        what,
        need,
        versions,
    }
}

pub(super) static KNOWN: [KnownSection; 10] = [
    // a description of another version is searched for its XML
    row(DESCRIPTION, Optional, &[], messages::DESCRIPTION_RECORDING),
    row(TAKEN, Optional, &[0], messages::TIME_SNAPSHOT),
    row(METADATA, Required, &[2], messages::METADATA_MODULES),
    row(MODULES, Required, &[0], messages::PATHS_MODULES),
    row(INDIRECT, Required, &[0], messages::INDIRECT_FUNCTIONS),
    row(RESOLUTION, Required, &[0], "ticks per second"),
    row(TREE, Required, &[3], messages::CALL_TREE_THREAD),
    row(0x1101, Derived, &[3], messages::NODES_EACH_FUNCTION),
    row(0x1102, Derived, &[1], messages::DOTTRACES_SUMS_FUNCTIONS),
    row(0x1103, Derived, &[1], messages::FUNCTIONS_ONE_NODE),
];

pub(super) fn known(id: u16) -> Option<&'static KnownSection> {
    KNOWN.iter().find(|known| known.id == id)
}

pub(super) fn need(id: u16) -> Need {
    known(id).map_or(Need::Unknown, |known| known.need)
}
