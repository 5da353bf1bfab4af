//! Things that were met a number of times, and in a file as it should be are not met.

use crate::model::format::counted;
use borsh::{BorshDeserialize, BorshSerialize};

/// Something that is odd about parts of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub enum Oddity {
    /// Frames were closed while others were open inside.
    FramesCrossed,
    /// Closes (speedscope) of frames that were not open.
    ClosesNotOpen,
    /// Ends (trace events) of frames that were not open.
    EndsNotOpen,
    /// Frames that were open when the profile ended.
    FramesUnendedInProfile,
    /// Frames that were open when their thread ended.
    FramesUnendedInThread,
    /// Events before the time that was reached.
    EventsLate,
    /// Events without a known type or a time.
    EventsIncomplete,
    /// Events without a time or a frame.
    EventsTimeless,
    /// Events in a file of samples.
    EventsBesideSamples,
    /// Values that are no numbers or out of range.
    ValuesNotNumbers,
    /// Values that are out of range.
    ValuesClamped,
    /// Values that are neither whole nor in a unit.
    ValuesRounded,
    /// Nodes whose frame is not in the file's table.
    NodesWithoutFrame,
    SamplesWithoutWeight,
    WeightsWithoutSample,
    /// Profiles of a type that is not known.
    ProfilesOfUnknownType,
    /// Samples of nodes that are not in the file.
    SamplesOfUnknownNodes,
    /// Times that are out of range.
    TimesClamped,
    /// Samples that are earlier than the one before them.
    SamplesReordered,
    ElementsWithoutNumber,
    /// Numbers of frames or stacks that were given again.
    NumbersGivenTwice,
    SamplesWithoutStack,
    /// Samples of a stack that is not in the file.
    SamplesOfUnknownStacks,
    /// Stacks of a caller that is not in the file.
    StacksOfUnknownCallers,
    /// Circles of stacks that call each other.
    StackCircles,
    /// Stacks of a frame that is not in the file.
    StacksOfUnknownFrames,
    /// Samples with a metric below zero.
    SamplesNegative,
    /// Samples whose metric is no number.
    SamplesNotNumbers,
    /// Samples with a metric that is too large.
    SamplesClamped,
    /// Events of a kind that the file does not describe.
    EventsUndescribed,
    /// Events that were dropped while recording.
    EventsDropped,
    /// Events of a Windows trace that are too short.
    EventsTooShort,
    /// Events that Windows dropped while tracing.
    TraceEventsLost,
    /// Buffers that Windows dropped while tracing.
    TraceBuffersLost,
    /// Events whose stack is not in the file.
    EventsWithoutStack,
    /// Samples that may name replaced methods.
    SamplesOutdated,
    /// Values below zero, as in differences of two profiles.
    ValuesNegative,
    /// Samples of places in the code that are not in the file.
    LocationsMissing,
    /// Functions of which none has a number.
    FunctionsWithoutNumber,
    /// Samples of perf without a stack.
    PerfSamplesWithoutStack,
    /// Instances of a report without their call stack.
    InstancesWithoutStack,
    /// Functions of a report with strange names of times.
    FunctionsWithOtherTimes,
    /// Elements of a report that are damaged.
    ElementsDamaged,
    /// References to entities that are not known.
    EntitiesUnknown,
    /// Instances of a report with the call stack of another.
    InstancesMerged,
    /// Numbers of a report that are out of range.
    NumbersClamped,
    /// Threads of a snapshot with wide numbers.
    WideThreads,
    /// Nodes of a snapshot with unknown flags.
    UnknownFlags,
    /// Nodes of a snapshot whose flags contradict the tree.
    WrongFlags,
    /// Nodes of a snapshot of native code that are unlike others.
    WrongNativeNodes,
    /// Nodes of a snapshot with the function of a sibling.
    SameSiblings,
    /// Functions of a snapshot without a name.
    FunctionsUnresolved,
    /// Nodes of a snapshot whose samples contradict the tree.
    SamplesContradict,
}

/// A row of the table of oddities: the code, what is counted, and the sentence with `{}` where that stands with its number.
struct Row {
    oddity: Oddity,
    code: &'static str,
    noun: &'static str,
    sentence: &'static str,
}

const fn row(
    oddity: Oddity,
    code: &'static str,
    noun: &'static str,
    sentence: &'static str,
) -> Row {
    Row {
        oddity,
        code,
        noun,
        sentence,
    }
}

/// All oddities in the order of the enumeration. Two may have one code: the same oddity in formats that need other words.
#[rustfmt::skip]
const ROWS: [Row; 53] = [
    row(Oddity::FramesCrossed, "frames-crossed", "frame", "{} ended while others were open inside; they last until those end or the next begins."),
    row(Oddity::ClosesNotOpen, "ends-without-begin", "close", "{} of a frame that was not open: left out."),
    row(Oddity::EndsNotOpen, "ends-without-begin", "end", "{} of a frame that was not open: left out."),
    row(Oddity::FramesUnendedInProfile, "frames-unended", "frame", "{} without an end: read as lasting until the end of the profile."),
    row(Oddity::FramesUnendedInThread, "frames-unended", "frame", "{} without an end: read as lasting until the last event of the thread."),
    row(Oddity::EventsLate, "events-late", "event", "{} earlier than the one before: read as if at the same time."),
    row(Oddity::EventsIncomplete, "events-incomplete", "event", "{} without a known type or a time: left out."),
    row(Oddity::EventsTimeless, "events-incomplete", "event", "{} without a time or a frame: left out."),
    row(Oddity::EventsBesideSamples, "events-beside-samples", "event", "{} beside the samples of the file: left out."),
    row(Oddity::ValuesNotNumbers, "values-clamped", "value", "{} out of range or not a number: read as 0 or as the nearest bound."),
    row(Oddity::ValuesClamped, "values-clamped", "value", "{} out of range: read as 0 or as the nearest bound."),
    row(Oddity::ValuesRounded, "values-rounded", "value", "{} without a unit and with decimals: rounded so that sums stay the same."),
    row(Oddity::NodesWithoutFrame, "nodes-without-frame", "node", "{} without a frame in the file's table: shown as [No name]."),
    row(Oddity::SamplesWithoutWeight, "samples-without-weight", "sample", "{} without a weight: read as if it were 1."),
    row(Oddity::WeightsWithoutSample, "weights-without-sample", "weight", "{} without a sample: left out."),
    row(Oddity::ProfilesOfUnknownType, "profiles-of-unknown-type", "profile", "{} of an unknown type: read as far as events and samples are known."),
    row(Oddity::SamplesOfUnknownNodes, "samples-of-unknown-nodes", "sample", "{} of nodes that the file does not have: left out."),
    row(Oddity::TimesClamped, "times-clamped", "time", "{} out of range: read as 0 or as the largest."),
    row(Oddity::SamplesReordered, "samples-reordered", "sample", "{} earlier than the one before: put in order of time."),
    row(Oddity::ElementsWithoutNumber, "elements-without-number", "element", "{} without the number that it should have: left out."),
    row(Oddity::NumbersGivenTwice, "numbers-given-twice", "number", "{} of frames or stacks given twice: the last one counts."),
    row(Oddity::SamplesWithoutStack, "samples-without-stack", "sample", "{} without a stack."),
    row(Oddity::SamplesOfUnknownStacks, "samples-of-unknown-stacks", "sample", "{} of a stack that the file does not have: counted without one."),
    row(Oddity::StacksOfUnknownCallers, "stacks-of-unknown-callers", "stack", "{} of a caller that the file does not have: read as an outermost frame."),
    row(Oddity::StackCircles, "stack-circles", "circle", "{} of stacks that call each other: cut where it was entered."),
    row(Oddity::StacksOfUnknownFrames, "stacks-of-unknown-frames", "stack", "{} of a frame that the file does not have ([No name])."),
    row(Oddity::SamplesNegative, "samples-negative", "sample", "{} below zero: counted as zero. This looks like the difference of two profiles."),
    row(Oddity::SamplesNotNumbers, "samples-not-numbers", "sample", "{} whose metric is not a number: counted as zero."),
    row(Oddity::SamplesClamped, "samples-clamped", "sample", "{} with a metric out of range: read as the largest value."),
    row(Oddity::EventsUndescribed, "events-undescribed", "event", "{} of a kind that the file does not describe had to be left out."),
    row(Oddity::EventsDropped, "events-dropped", "event", "{} got lost while recording, so samples or methods may be missing; a larger buffer (`dotspot record --buffer`, dotnet-trace collect --buffersize) can prevent that."),
    row(Oddity::EventsTooShort, "events-incomplete", "event", "{} shorter than they must be: left out."),
    row(Oddity::TraceEventsLost, "events-dropped", "event", "{} got lost while recording, so samples, stacks or methods may be missing; larger buffers (PerfView /BufferSizeMB) can prevent that."),
    row(Oddity::TraceBuffersLost, "buffers-dropped", "buffer", "{} of events got lost while recording, so samples, stacks or methods may be missing; a faster disk or larger buffers (PerfView /BufferSizeMB) can prevent that."),
    row(Oddity::EventsWithoutStack, "events-without-stack", "event", "The file has no stack for {} (samples or allocations), so their values are shown as the thread's own."),
    row(Oddity::SamplesOutdated, "samples-outdated", "sample", "{} may name methods that had already been replaced: the code changed too often to look every stack up again in a file of this size."),
    row(Oddity::ValuesNegative, "values-negative", "value", "{} below zero count as zero: this looks like the difference of two profiles."),
    row(Oddity::LocationsMissing, "locations-missing", "sample", "{} name places in the code that the file does not describe ([Location missing])."),
    row(Oddity::FunctionsWithoutNumber, "functions-without-number", "function", "The file gives {} no number by which code locations could refer to them: their order in the file tells which one is meant."),
    row(Oddity::PerfSamplesWithoutStack, "samples-without-stack", "sample", "{} have no stack, so their time is the thread's own; `perf record -g` records stacks"),
    row(Oddity::InstancesWithoutStack, "instances-without-stack", "Instance", "left out: {} without CallStack"),
    row(Oddity::FunctionsWithOtherTimes, "functions-with-other-times", "Function", "left out: the times of {} other than TotalTime and OwnTime"),
    row(Oddity::ElementsDamaged, "elements-damaged", "element", "left out: whatever follows something that is not an attribute, in {}"),
    row(Oddity::EntitiesUnknown, "entities-unknown", "reference", "shown as written: {} to entities that are not known"),
    row(Oddity::InstancesMerged, "instances-merged", "Instance", "added up: {} with the call stack of another, as overloads have; `Reporter.exe --save-signature` tells them apart"),
    row(Oddity::NumbersClamped, "values-clamped", "value", "read as 0 or as the largest value: {} that should be smaller or not negative"),
    row(Oddity::WideThreads, "wide-threads", "thread", "offsets or times have more bytes than in any known snapshot: {}"),
    row(Oddity::UnknownFlags, "unknown-flags", "node", "unknown flags are set: {}"),
    row(Oddity::WrongFlags, "wrong-flags", "node", "the flags about recursion contradict the tree: {}"),
    row(Oddity::WrongNativeNodes, "wrong-native-nodes", "node", "native code has callees or exclusive time where it has none in any known snapshot, or no callees where it has some: {}"),
    row(Oddity::SameSiblings, "same-siblings", "node", "a sibling has the same function: {}"),
    row(Oddity::FunctionsUnresolved, "functions-unresolved", "function", "the snapshot has no name for {}, shown as `[Unresolved function 0x…]`"),
    row(Oddity::SamplesContradict, "samples-contradict", "node", "the samples of {} don't match their own time and their callees' samples"),
];

impl Oddity {
    pub fn all() -> impl Iterator<Item = Oddity> {
        ROWS.iter().map(|row| row.oddity)
    }

    fn row(self) -> &'static Row {
        // the table has the order of the enumeration, which a test checks
        &ROWS[self as usize]
    }

    /// Its code, see [`super::Diagnostic::code`].
    pub fn code(self) -> &'static str {
        self.row().code
    }

    /// What is said where it was met `count` times.
    pub fn sentence(self, count: u64) -> String {
        let Row { noun, sentence, .. } = self.row();
        sentence.replacen("{}", &counted(count, noun), 1)
    }
}
