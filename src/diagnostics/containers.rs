//! Diagnostics about gzip data and zip archives.

use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

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

/// What is wrong with gzip data or a zip archive around a recording.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum ContainerDiagnostic {
    /// gzip data is not read to its end.
    GzipStopped {
        /// Why.
        reason: ContainerStop,
        /// Where in the packed file.
        offset_bytes: u64,
    },
    /// gzip data is not what its checksum says.
    GzipChecksumWrong {},
    /// Something else follows the gzip data.
    GzipTrailingBytes { offset_bytes: u64 },
    /// A member is not read to its end.
    ZipStopped {
        /// Why.
        reason: ContainerStop,
        /// The member's name in the archive.
        member: String,
        /// How many unpacked bytes were read.
        unpacked_bytes: u64,
    },
    /// A member is not what its checksum says.
    ZipChecksumWrong {
        /// The member's name in the archive.
        member: String,
    },
}

impl ContainerDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            ContainerDiagnostic::GzipStopped { .. } => "gzip-stopped",
            ContainerDiagnostic::GzipChecksumWrong {} => "gzip-checksum-wrong",
            ContainerDiagnostic::GzipTrailingBytes { .. } => "gzip-trailing-bytes",
            ContainerDiagnostic::ZipStopped { .. } => "zip-stopped",
            ContainerDiagnostic::ZipChecksumWrong { .. } => "zip-checksum-wrong",
        }
    }
}

impl fmt::Display for ContainerDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContainerDiagnostic::GzipStopped {
                reason,
                offset_bytes: at,
            } => {
                write!(
                    f,
                    "the gzip data {} at byte {at} ({at:#x}) of the file; everything before it is read",
                    reason.verb()
                )
            }
            ContainerDiagnostic::GzipChecksumWrong {} => f.write_str(
                "the checksum of the gzip data does not match: some of what was read may be wrong",
            ),
            ContainerDiagnostic::GzipTrailingBytes { offset_bytes: at } => {
                write!(
                    f,
                    "behind the gzip data, from byte {at} ({at:#x}) on, the file has others: they are left out"
                )
            }
            ContainerDiagnostic::ZipStopped {
                reason,
                member,
                unpacked_bytes,
            } => write!(
                f,
                "the member {member} of the zip archive {} after {unpacked_bytes} unpacked bytes; everything before that is read",
                reason.verb()
            ),
            ContainerDiagnostic::ZipChecksumWrong { member } => write!(
                f,
                "the checksum of the member {member} of the zip archive does not match: some of what was read may be wrong"
            ),
        }
    }
}
