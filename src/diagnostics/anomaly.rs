//! Format anomalies, counted.

use super::define::rows;
use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};
use serde::Serialize;

rows! {
    /// Something countable that a well-formed file does not contain, and that users can act on; the rest is in
    /// [`partly`](super::partly). Its code, what is counted, and the sentence with `{}` for both. Two may share a code.
    pub enum Anomaly: (&'static str, &'static str, &'static str) {
        /// Frames were closed while others were open inside.
        FramesCrossed = "frames-crossed", "frame",
            "{} ended while nested frames were open; they last until those end or the next begins.";
        /// Ends of frames that did not begin.
        EndsNotOpen = "ends-without-begin", "end event",
            "{} without a begin: left out.";
        /// Frames still open when the profile or their thread ended.
        FramesUnended = "frames-unended", "frame",
            "{} without an end event: read as lasting until the end of the profile or the thread's last event.";
        /// Values that are not numbers or out of range.
        ValuesClamped = "values-clamped", "value",
            "{} out of range or not a number: read as 0 or as the nearest bound.";
        /// Values above 0 that are too small for a tree.
        ValuesVanished = "values-vanished", "value",
            "{} above 0 but below 1/1,000,000: read as 0.";
        /// Samples without a stack.
        SamplesWithoutStack = "samples-without-stack", "sample",
            "{} without a stack.";
        /// Values below zero, as in differences between two profiles.
        ValuesNegative = "values-negative", "value",
            "{} below zero count as zero: this looks like the difference of two profiles.";
        /// Events that were dropped while recording.
        EventsDropped = "events-dropped", "event",
            "{} were lost during recording, so samples or methods may be missing; a larger buffer (`dotspot record --buffer`, dotnet-trace collect --buffersize) can prevent that.";
        /// Events that Windows dropped while tracing.
        TraceEventsLost = "events-dropped", "event",
            "{} were lost during recording, so samples, stacks or methods may be missing; larger buffers (PerfView /BufferSizeMB) can prevent that.";
        /// Buffers that Windows dropped while tracing.
        TraceBuffersLost = "buffers-dropped", "buffer",
            "{} of events were lost during recording, so samples, stacks or methods may be missing; a faster disk or larger buffers (PerfView /BufferSizeMB) can prevent that.";
        /// Events whose stack is not in the file.
        EventsWithoutStack = "events-without-stack", "event",
            "The file has no stack for {} (samples or allocations), so their values are shown as the thread's own.";
        /// Samples that may name replaced methods.
        SamplesOutdated = "samples-outdated", "sample",
            "{} may name methods that had already been replaced: the code changed too often to look every stack up again in a file of this size.";
        /// Samples at code locations that are not in the file.
        LocationsMissing = "locations-missing", "sample",
            "{} refer to code locations missing from the file ([Location missing]).";
        /// Samples of perf without a stack.
        PerfSamplesWithoutStack = "samples-without-stack", "sample",
            "{} without a stack: the time is the thread's own; `perf record -g` records stacks";
        /// Events that perf dropped while recording.
        PerfEventsLost = "events-dropped", "event",
            "{} were lost during recording, so samples or threads may be missing; a larger buffer (`perf record -m`) or fewer samples (`-F`) can prevent that.";
        /// Instances of a report with the call stack of another.
        InstancesMerged = "instances-merged", "Instance",
            "added up: {} with the same call stack as another, as overloads have; `Reporter.exe --save-signature` tells them apart";
        /// Functions of a snapshot without a name.
        FunctionsUnresolved = "functions-unresolved", "function",
            "the snapshot has no name for {}, shown as `[Unresolved function 0x…]`";
        /// Nodes of a snapshot whose samples contradict the tree.
        SamplesContradict = "samples-contradict", "node",
            "the samples of {} don't match their own time and their callees' samples";
    }
}

impl Anomaly {
    pub fn code(self) -> &'static str {
        self.row().0
    }

    pub fn sentence(self, count: u64) -> String {
        let (_, noun, sentence) = self.row();
        sentence.replacen("{}", &counted(count, noun), 1)
    }
}
