use crate::messages::messages;

messages! {
    const ESTIMATED_FROM_TICKS = "estimated from a tick per 100 kB";
    const COMPARISON_HAS_NO_TIMES = "a comparison has no time of its own; open one of its files";
    const ONLY_SUMS = "the profile has only sums, and does not say when anything happened";
    const SOME_VALUES_WITHOUT_TIME = "some of its values have no time";
    const FRAMES_NAMED_TOO_LATE = "the file names frames only after its events, so only sums were read";
    const ABOUT_SAMPLING = "stacks were sampled at intervals: times and sample counts, but no call counts";
    const ABOUT_TRACING = "every call was measured: calls are exact, and times are inflated in proportion to calls, so a small method that is called often looks slower than it is";
    const ABOUT_LINE_BY_LINE = "every statement was measured: the tree, hotspots and calls of methods work, but times of individual statements are not shown, and all times are inflated in proportion to statements";
    const ABOUT_TIMELINE = "events were recorded over time: their call tree and its hotspots work; when something happened is not shown";
    const ABOUT_UNKNOWN_KIND = "the source does not say how it was taken: the tree and hotspots work, and whether times are inflated is not known";
    const TITLE_COLLECTIONS = "garbage collections";
    const TITLE_PAUSES = "GC pauses";
    const TITLE_SUSPENSIONS = "other suspensions";
    const TITLE_EXCEPTIONS = "exceptions";
    const TITLE_CONTENTION = "lock contention";
    const TITLE_COMPILATIONS = "compilations";
    const TITLE_THREAD_POOL = "thread pool";
    const TITLE_ALLOCATIONS = "allocation ticks";
    const COLLECTION_REASONS = "small object heap, induced, low memory, empty, large object heap, out of space for small objects, out of space for large objects, induced but not forced, stress, induced for low memory";
    const COLLECTION_TYPES = "blocking, background, foreground";
    const SUSPENSION_REASONS = "other, collection, shutdown of an application domain, code pitching, shutdown, debugger, preparation of a collection, debugger sweep";
    const POOL_EVENTS = "started, stopped, measured, adjusted";
    const POOL_REASONS = "warmup, initializing, random move, climbing move, change point, stabilizing, starvation, thread timed out";
    const LOCKS = "managed, native";
    const HEAPS = "small, large, pinned";

    fn only_time_recording(from, to, total) = "This is only the time from {from} to {to} of a recording of {total}.";
}
