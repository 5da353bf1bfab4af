//! Diagnostics about gzip data and zip archives.

use super::define::diagnostics;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

/// Why packed data is not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ContainerStop {
    /// The data ends too early.
    BreaksOff,
    /// The data can't be unpacked.
    IsDamaged,
}

impl ContainerStop {
    fn verb(self) -> &'static str {
        match self {
            ContainerStop::BreaksOff => "breaks off",
            ContainerStop::IsDamaged => "is damaged",
        }
    }
}

diagnostics! {
    /// What is wrong with gzip data or a zip archive around a recording.
    pub enum ContainerDiagnostic {
        /// gzip data is not read to its end.
        GzipStopped {
            reason: ContainerStop,
            /// Where in the packed file.
            offset_bytes: u64,
        } = "gzip-stopped",
            "the gzip data {} at byte {offset_bytes} ({offset_bytes:#x}) of the file; everything before it is read",
            reason.verb();
        /// gzip data is not what its checksum says.
        GzipChecksumWrong {} = "gzip-checksum-wrong",
            "the checksum of the gzip data does not match: some of what was read may be wrong";
        /// Something else follows the gzip data.
        GzipTrailingBytes { offset_bytes: u64 } = "gzip-trailing-bytes",
            "behind the gzip data, from byte {offset_bytes} ({offset_bytes:#x}) on, the file has others: they are left out";
        /// A member is not read to its end.
        ZipStopped {
            reason: ContainerStop,
            /// The member's name in the archive.
            member: String,
            /// How many unpacked bytes were read.
            unpacked_bytes: u64,
        } = "zip-stopped",
            "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything before that is read",
            reason.verb();
        /// A member is not what its checksum says.
        ZipChecksumWrong { member: String } = "zip-checksum-wrong",
            "the checksum of the member {member} of the zip archive does not match: some of what was read may be wrong";
    }
}
