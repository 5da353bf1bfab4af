//! All that is known about a snapshot and this machine.

use super::cross::CrossCheck;
use super::machine::MachineInfo;
use super::snapshot::Snapshot;
use serde::Serialize;

/// The document `dotspot.doctor/1`.
#[derive(Debug, Serialize)]
pub(super) struct Diagnosis {
    pub schema: &'static str,
    pub version: &'static str,
    pub snapshot: Option<Snapshot>,
    pub machine: MachineInfo,
    pub cross_check: Option<CrossCheck>,
    /// What to do, a sentence each.
    pub next: Vec<String>,
    pub exit_code: u8,
}
