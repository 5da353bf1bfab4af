use super::define::{diagnostics, rows};
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

rows! {
    #[derive(Serialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum UnreadSection: &'static str {
        Sums = "dotTrace's own sums can't be compared with the tree";
        Description = "a part of the description is left out";
    }
}

diagnostics! {
    /// Anomalies of a dotTrace snapshot. Files are named without their folders, which are private.
    pub enum SnapshotDiagnostic {
        /// A module has metadata twice.
        MetadataTwice { module: u32 } = "metadata-twice",
            "module {module:#x} has metadata twice; the last is used";
        /// The metadata of a module can't be read.
        MetadataUnreadable { module: u32, name: String, reason: String } = "metadata-unreadable",
            "the metadata of module {module:#x} {name:?} can't be read, because {reason}";
        /// A file that is not needed can't be read.
        FileUnread { file: String, problem: String, missing: UnreadSection } = "file-unread",
            "{file}: {problem}: {}", missing.row();
        /// The description is not as expected.
        DescriptionUnexpected {
            problem: String,
            has_settings: bool,
        } = "description-unexpected",
            "the description (section 0x0000) is not as expected: {problem}; {}",
            if *has_settings { "only its settings were read" } else { "nothing in it was read" };
        /// The measure type, which determines the kind of the profile, is unknown.
        MeasureTypeUnknown { measure_type: String } = "measure-type-unknown",
            "the measure type {measure_type:?} is unknown, and with it the kind of the profile";
        /// Two threads have the same number.
        ThreadNumberTwice { thread: u32 } = "thread-number-twice",
            "two threads have number {thread}, so node ids `t{thread}:…` can mean either";
        /// dotTrace's own sums of a thread don't match its tree.
        SumsMisfit {
            thread: u32,
            place: String,
            offset_bytes: u64,
            problem: String,
        } = "sums-misfit",
            "dotTrace's own sums of thread {thread} and its tree contradict each other, so the file is damaged: {place} at \
             byte {offset_bytes} ({offset_bytes:#x}): {problem}";
        /// The time of the snapshot can't be read.
        TimeUnreadable { problem: String } = "time-unreadable",
            "the time of the snapshot (section 0x0001) can't be read: {problem}";
        /// A section is unknown.
        SectionUnknown { section: u16, version: u16 } = "section-unknown",
            "section {section:#06x} version {version} is not known, and was left out";
        /// An optional section has an unknown version.
        SectionVersionUnknown {
            section: u16,
            version: u16,
            known: String,
        } = "section-version-unknown",
            "section {section:#06x} has version {version}, and only {known} is known: it was left out";
        /// A section has no call tree before it.
        SectionMisplaced {
            section: u16,
            offset_bytes: u64,
            file: String,
        } = "section-misplaced",
            "section {section:#06x} at byte {offset_bytes} of {file} has no call tree before it, and was left out";
        /// The snapshot has more diagnostics than are kept.
        MoreDiagnostics { left_out: usize } = "more-diagnostics",
            "{left_out} more warnings about this snapshot are left out";
    }
}
