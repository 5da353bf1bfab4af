//! Format anomalies, counted.

use super::define::rows;
use crate::units::counted;
use borsh::{BorshDeserialize, BorshSerialize};

rows! {
    /// Something countable that a well-formed file does not contain, and that users can act on; the rest is in
    /// [`partly`](super::partly). Its code, what is counted, and the sentence with `{}` for both. Two may share a code.
    pub enum Anomaly: (&'static str, &'static str, &'static str) {
        FramesCrossed = "frames-crossed", "frame",
            "{} ended while others were open inside; they last until those end or the next begins.";
        EndsNotOpen = "ends-without-begin", "end",
            "{} of a frame that was not open: left out.";
        FramesUnended = "frames-unended", "frame",
            "{} without an end: read as lasting until the end of the profile or the thread's last event.";
        ValuesClamped = "values-clamped", "value",
            "{} out of range or not a number: read as 0 or as the nearest bound.";
        ValuesVanished = "values-vanished", "value",
            "{} above 0 but below 1/1,000,000: read as 0.";
        SamplesWithoutStack = "samples-without-stack", "sample",
            "{} without a stack.";
        ValuesNegative = "values-negative", "value",
            "{} below zero count as zero: this looks like the difference of two profiles.";
        EventsDropped = "events-dropped", "event",
            "{} were lost during recording, so samples or methods may be missing; a larger buffer (`dotspot record --buffer`, dotnet-trace collect --buffersize) can prevent that.";
        TraceEventsLost = "events-dropped", "event",
            "{} were lost during recording, so samples, stacks or methods may be missing; larger buffers (PerfView /BufferSizeMB) can prevent that.";
        TraceBuffersLost = "buffers-dropped", "buffer",
            "{} of events were lost during recording, so samples, stacks or methods may be missing; a faster disk or larger buffers (PerfView /BufferSizeMB) can prevent that.";
        EventsWithoutStack = "events-without-stack", "event",
            "The file has no stack for {} (samples or allocations), so their values are shown as the thread's own.";
        SamplesOutdated = "samples-outdated", "sample",
            "{} may name methods that had already been replaced: the code changed too often to look every stack up again in a file of this size.";
        LocationsMissing = "locations-missing", "sample",
            "{} name places in the code that the file does not describe ([Location missing]).";
        PerfSamplesWithoutStack = "samples-without-stack", "sample",
            "{} without a stack: the time is the thread's own; `perf record -g` records stacks";
        PerfEventsLost = "events-dropped", "event",
            "{} were lost during recording, so samples or threads may be missing; a larger buffer (`perf record -m`) or fewer samples (`-F`) can prevent that.";
        InstancesMerged = "instances-merged", "Instance",
            "added up: {} with the call stack of another, as overloads have; `Reporter.exe --save-signature` tells them apart";
        FunctionsUnresolved = "functions-unresolved", "function",
            "the snapshot has no name for {}, shown as `[Unresolved function 0x…]`";
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
