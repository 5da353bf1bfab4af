//! Format anomalies, counted.

use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};

/// Something countable that a well-formed file does not have, and that a user can act on; the rest is [`partly`](super::partly).
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Anomaly {
    /// Frames were closed while others were open inside.
    FramesCrossed,
    /// Ends of frames that were not open.
    EndsNotOpen,
    /// Frames that were open when the profile or their thread ended.
    FramesUnended,
    /// Values that are no numbers or out of range.
    ValuesClamped,
    /// Values above 0 that are too small for a tree.
    ValuesVanished,
    /// Samples without a stack.
    SamplesWithoutStack,
    /// Values below zero, as in differences of two profiles.
    ValuesNegative,
    /// Events that were dropped while recording.
    EventsDropped,
    /// Events that Windows dropped while tracing.
    TraceEventsLost,
    /// Buffers that Windows dropped while tracing.
    TraceBuffersLost,
    /// Events whose stack is not in the file.
    EventsWithoutStack,
    /// Samples that may name replaced methods.
    SamplesOutdated,
    /// Samples of places in the code that are not in the file.
    LocationsMissing,
    /// Samples of perf without a stack.
    PerfSamplesWithoutStack,
    /// Instances of a report with the call stack of another.
    InstancesMerged,
    /// Functions of a snapshot without a name.
    FunctionsUnresolved,
    /// Nodes of a snapshot whose samples contradict the tree.
    SamplesContradict,
}

/// All anomalies in the order of the enumeration: the code, what is counted, and the sentence with `{}` for both number and noun. Two may have one code: the same anomaly in formats that need other words.
#[rustfmt::skip]
const ROWS: [(Anomaly, &str, &str, &str); 17] = [
    (Anomaly::FramesCrossed, "frames-crossed", "frame", "{} ended while others were open inside; they last until those end or the next begins."),
    (Anomaly::EndsNotOpen, "ends-without-begin", "end", "{} of a frame that was not open: left out."),
    (Anomaly::FramesUnended, "frames-unended", "frame", "{} without an end: read as lasting until the end of the profile or the thread's last event."),
    (Anomaly::ValuesClamped, "values-clamped", "value", "{} out of range or not a number: read as 0 or as the nearest bound."),
    (Anomaly::ValuesVanished, "values-vanished", "value", "{} above 0 but below 1/1,000,000: read as 0."),
    (Anomaly::SamplesWithoutStack, "samples-without-stack", "sample", "{} without a stack."),
    (Anomaly::ValuesNegative, "values-negative", "value", "{} below zero count as zero: this looks like the difference of two profiles."),
    (Anomaly::EventsDropped, "events-dropped", "event", "{} got lost while recording, so samples or methods may be missing; a larger buffer (`dotspot record --buffer`, dotnet-trace collect --buffersize) can prevent that."),
    (Anomaly::TraceEventsLost, "events-dropped", "event", "{} got lost while recording, so samples, stacks or methods may be missing; larger buffers (PerfView /BufferSizeMB) can prevent that."),
    (Anomaly::TraceBuffersLost, "buffers-dropped", "buffer", "{} of events got lost while recording, so samples, stacks or methods may be missing; a faster disk or larger buffers (PerfView /BufferSizeMB) can prevent that."),
    (Anomaly::EventsWithoutStack, "events-without-stack", "event", "The file has no stack for {} (samples or allocations), so their values are shown as the thread's own."),
    (Anomaly::SamplesOutdated, "samples-outdated", "sample", "{} may name methods that had already been replaced: the code changed too often to look every stack up again in a file of this size."),
    (Anomaly::LocationsMissing, "locations-missing", "sample", "{} name places in the code that the file does not describe ([Location missing])."),
    (Anomaly::PerfSamplesWithoutStack, "samples-without-stack", "sample", "{} without a stack: the time is the thread's own; `perf record -g` records stacks"),
    (Anomaly::InstancesMerged, "instances-merged", "Instance", "added up: {} with the call stack of another, as overloads have; `Reporter.exe --save-signature` tells them apart"),
    (Anomaly::FunctionsUnresolved, "functions-unresolved", "function", "the snapshot has no name for {}, shown as `[Unresolved function 0x…]`"),
    (Anomaly::SamplesContradict, "samples-contradict", "node", "the samples of {} don't match their own time and their callees' samples"),
];

impl Anomaly {
    /// All of them.
    pub fn all() -> impl Iterator<Item = Anomaly> {
        ROWS.iter().map(|row| row.0)
    }

    /// Its code, see [`super::Diagnostic::code`].
    pub fn code(self) -> &'static str {
        // the table has the order of the enumeration, which a test checks
        ROWS[self as usize].1
    }

    /// What is said where it was met `count` times.
    pub fn sentence(self, count: u64) -> String {
        let (_, _, noun, sentence) = ROWS[self as usize];
        sentence.replacen("{}", &counted(count, noun), 1)
    }
}
