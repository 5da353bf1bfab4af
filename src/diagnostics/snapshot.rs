//! Diagnostics about dotTrace snapshots.

use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;
use std::fmt;

/// What is missed where a file of a snapshot can't be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(rename_all = "kebab-case")]
pub enum UnreadSection {
    /// dotTrace's own sums.
    Sums,
    /// A part of the description.
    Description,
}

/// What is odd about a snapshot. Files are named without their folders, which are private.
#[derive(Clone, Debug, PartialEq, Serialize, BorshSerialize, BorshDeserialize)]
#[serde(untagged)]
pub enum SnapshotDiagnostic {
    /// A module has metadata twice.
    MetadataTwice { module: u32 },
    /// The metadata of a module can't be read.
    MetadataUnreadable {
        module: u32,
        name: String,
        /// Why.
        reason: String,
    },
    /// A number that is the same in all known snapshots is another one.
    UnknownNumber {
        section: u16,
        /// Which number.
        what: String,
        found: u64,
        /// What it is in all known snapshots.
        expected: u64,
    },
    /// A file that is not needed can't be read.
    FileUnread {
        file: String,
        /// Why.
        problem: String,
        missing: UnreadSection,
    },
    /// The description is not as expected.
    DescriptionUnexpected {
        /// What is wrong.
        problem: String,
        /// Whether at least its settings were read.
        has_settings: bool,
    },
    /// The measure type, which tells the kind of the profile, is not known.
    MeasureTypeUnknown { measure_type: String },
    /// Two threads have one number.
    ThreadNumberTwice {
        /// The number.
        thread: u32,
    },
    /// dotTrace's own sums of a thread don't fit its tree.
    SumsMisfit {
        thread: u32,
        /// Where that was found.
        place: String,
        /// At which byte of it.
        offset_bytes: u64,
        /// What is wrong.
        problem: String,
    },
    /// The time of the snapshot can't be read.
    TimeUnreadable {
        /// Why.
        problem: String,
    },
    /// A section is not known.
    SectionUnknown { section: u16, version: u16 },
    /// A section that is not needed has an unknown version.
    SectionVersionUnknown {
        section: u16,
        version: u16,
        /// The versions that are known, in words.
        known: String,
    },
    /// There are fewer sections with sums than expected.
    SumsMissing {
        /// How many there are.
        sections: usize,
        expected: usize,
    },
    /// A section follows no call tree of its own.
    SectionMisplaced {
        section: u16,
        /// Where it starts.
        offset_bytes: u64,
        file: String,
    },
    /// What dotTrace keeps beside the snapshot can't be read to its end.
    SettingsUnreadable {
        file: String,
        /// Why.
        problem: String,
    },
    /// Sums that dotTrace keeps beside the snapshot can't be read.
    SumsUnreadable {
        file: String,
        /// How many.
        sums: u64,
    },
    /// There are more diagnostics of the snapshot than are kept.
    MoreDiagnostics {
        /// How many.
        left_out: usize,
    },
}

impl SnapshotDiagnostic {
    pub(super) fn code(&self) -> &'static str {
        match self {
            SnapshotDiagnostic::MetadataTwice { .. } => "metadata-twice",
            SnapshotDiagnostic::MetadataUnreadable { .. } => "metadata-unreadable",
            SnapshotDiagnostic::UnknownNumber { .. } => "unknown-number",
            SnapshotDiagnostic::FileUnread { .. } => "file-unread",
            SnapshotDiagnostic::DescriptionUnexpected { .. } => "description-unexpected",
            SnapshotDiagnostic::MeasureTypeUnknown { .. } => "measure-type-unknown",
            SnapshotDiagnostic::ThreadNumberTwice { .. } => "thread-number-twice",
            SnapshotDiagnostic::SumsMisfit { .. } => "sums-misfit",
            SnapshotDiagnostic::TimeUnreadable { .. } => "time-unreadable",
            SnapshotDiagnostic::SectionUnknown { .. } => "section-unknown",
            SnapshotDiagnostic::SectionVersionUnknown { .. } => "section-version-unknown",
            SnapshotDiagnostic::SumsMissing { .. } => "sums-missing",
            SnapshotDiagnostic::SectionMisplaced { .. } => "section-misplaced",
            SnapshotDiagnostic::SettingsUnreadable { .. } => "settings-unreadable",
            SnapshotDiagnostic::SumsUnreadable { .. } => "sums-unreadable",
            SnapshotDiagnostic::MoreDiagnostics { .. } => "more-diagnostics",
        }
    }
}

impl fmt::Display for SnapshotDiagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SnapshotDiagnostic as Is;
        match self {
            Is::MetadataTwice { module } => {
                write!(f, "module {module:#x} has metadata twice; the last is used")
            }
            Is::MetadataUnreadable {
                module,
                name,
                reason,
            } => {
                write!(
                    f,
                    "the metadata of module {module:#x} {name:?} can't be read, because {reason}"
                )
            }
            Is::UnknownNumber {
                section,
                what,
                found,
                expected,
            } => write!(
                f,
                "section {section:#06x}: {what} is {found}, and {expected} in all known snapshots; what that means is unknown"
            ),
            Is::FileUnread {
                file,
                problem,
                missing: UnreadSection::Sums,
            } => {
                write!(
                    f,
                    "{file}: {problem}: dotTrace's own sums can't be compared with the tree"
                )
            }
            Is::FileUnread {
                file,
                problem,
                missing: UnreadSection::Description,
            } => {
                write!(
                    f,
                    "{file}: {problem}: a part of the description is left out"
                )
            }
            other => other.write_more(f),
        }
    }
}

impl SnapshotDiagnostic {
    /// Sentences about what the snapshot is of.
    fn write_more(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SnapshotDiagnostic as Is;
        match self {
            Is::DescriptionUnexpected {
                problem,
                has_settings,
            } => {
                let read = if *has_settings {
                    "only its settings were read"
                } else {
                    "nothing in it was read"
                };
                write!(
                    f,
                    "the description (section 0x0000) is not as expected: {problem}; {read}"
                )
            }
            Is::MeasureTypeUnknown { measure_type } => {
                write!(
                    f,
                    "the measure type {measure_type:?} is unknown, and with it the kind of the profile"
                )
            }
            Is::ThreadNumberTwice { thread } => {
                write!(
                    f,
                    "two threads have number {thread}, so node ids `t{thread}:…` can mean either"
                )
            }
            Is::SumsMisfit {
                thread,
                place,
                offset_bytes: at,
                problem,
            } => write!(
                f,
                "dotTrace's own sums of thread {thread} and its tree contradict each other, so the file is damaged: {place} at \
                 byte {at} ({at:#x}): {problem}"
            ),
            Is::TimeUnreadable { problem } => {
                write!(
                    f,
                    "the time of the snapshot (section 0x0001) can't be read: {problem}"
                )
            }
            other => other.write_rest(f),
        }
    }
}

impl SnapshotDiagnostic {
    /// Sentences about sections and about the files beside the snapshot.
    fn write_rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use SnapshotDiagnostic as Is;
        match self {
            Is::SectionUnknown { section, version } => {
                write!(
                    f,
                    "section {section:#06x} version {version} is not known, and was left out"
                )
            }
            Is::SectionVersionUnknown {
                section,
                version,
                known,
            } => {
                write!(
                    f,
                    "section {section:#06x} has version {version}, and only {known} is known: it was left out"
                )
            }
            Is::SumsMissing { sections, expected } => write!(
                f,
                "the table lists {sections} sections with dotTrace's own sums where {expected} were expected: not all can be \
                 compared"
            ),
            Is::SectionMisplaced {
                section,
                offset_bytes,
                file,
            } => write!(
                f,
                "section {section:#06x} at byte {offset_bytes} of {file} follows no call tree of its own, and was left out"
            ),
            Is::SettingsUnreadable { file, problem } => {
                write!(
                    f,
                    "{file}: {problem}: dotTrace's sums in it are left out from here on"
                )
            }
            Is::SumsUnreadable { file, sums } => {
                write!(
                    f,
                    "{file}: {} of dotTrace can't be read, and can't be compared",
                    counted(*sums, "sum")
                )
            }
            Is::MoreDiagnostics { left_out } => {
                write!(
                    f,
                    "{left_out} more warnings about this snapshot are left out"
                )
            }
            _ => Ok(()),
        }
    }
}
