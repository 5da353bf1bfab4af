//! All messages of `exporters` in one place.

use crate::messages::messages;

messages! {
    const NOTHING_TO_DRAW = "there is nothing in this metric to draw; --metric chooses another";
    const PICTURE_COLORS = "orange: user code, blue: libraries, gray: system, green: native";
    const PICTURE_OF_CHANGES = "width: after; red: slower, blue: faster";
    const PICTURE_ALONE = "frames below 0.025 % or deeper than 400 levels; dotspot can't open the picture";
    const PAGE_ALONE = "all but the largest frames, methods, callers and threads; dotspot can't open the page";
    const PAGE_SEARCH = "Find methods";
    const PAGE_SEARCH_LABEL = "Find methods by a part of their names";
    const PAGE_FOUND = "methods in the graph:";
    const PAGE_KIND = "How it was recorded";
    const PAGE_TIME = "When it ran";
    const PAGE_TIME_KEYS = "A click on a lane shows what the thread did at that moment.";
    const PAGE_ALL = "all";
    const PAGE_NO_STACK = "nothing was measured here";
    const PAGE_RUNS = "running";
    const PAGE_WAITS = "waiting";
    const PAGE_OF_SEVERAL = "no timeline: several subtrees are one in this tree";
    const PAGE_FLAME = "Flame graph";
    const PAGE_FLAME_KEYS = "Callers above callees, each as wide as its value. A click zooms in; a click on a frame above zooms out.";
    const PAGE_LEGEND = "user code, libraries, system, native, no method, waits";
    const PAGE_HOTSPOTS = "Hotspots";
    const PAGE_HOTSPOTS_ABOUT = "Methods by exclusive value and by inclusive value, recursion counted once.";
    const PAGE_EXCLUSIVE = "exclusive: the method itself";
    const PAGE_INCLUSIVE = "inclusive: with its callees";
    const PAGE_CALLERS = "Callers";
    const PAGE_CALLERS_ABOUT = "Who calls the methods with the most exclusive value, and how much comes through each caller.";
    const PAGE_CALLED_BY = "method, callers below";
    const LAYOUT = "when each frame was open, if the source has no times (callees follow the order of the tree)";
    const OTHER_THAN_WALL_AND_CPU = "metrics other than wall and CPU, or the chosen one (--metric chooses)";
    const OTHER_METRICS = "metrics other than the chosen one (--metric chooses)";
    const MEANING = "what values are (times are whole microseconds, remainders under 1 µs carry over to the next stack; the Firefox Profiler makes a sample of each)";
    const RUNNING_WAITS = "that it is CPU time (methods that wait are taken to wait, not to spin, which changes shares)";
    const OTHER_UNITS = "units other than time (1 becomes 1 ns)";
    const COUNTS_AS_TIME = "units other than time and bytes (1 becomes 1 ms, or 1 ns in sums from 9 * 10^12)";
    const MARKERS_OF_NO_THREAD = "that events belong to no thread (they are assigned to the first one)";
    const CALLS_AND_UNTIMED_SAMPLES = "calls, and numbers of samples without times";
    const COUNTS_OF_OTHER_METRICS = "calls, and samples of other metrics";
    const KIND = "how the profile was recorded";
    const KIND_IF_NOT_SAMPLING = "how the profile was recorded (readers assume sampling)";
    const THREADS = "threads and processes (they become outermost frames)";
    const THREAD_TITLES = "ids and titles of threads that are not a number and a name";
    const PROCESSES = "processes (several are named in the titles of threads)";
    const ONLY_PROCESS = "the process, if there is only one";
    const NODES_OUTSIDE_THREADS = "nodes outside any thread (they are given one)";
    const ROOT_SELF_VALUES = "self values of threads, processes and the root (they become frames)";
    const KINDS = "which frames are not methods";
    const NAMES = "names with `;`, control or invisible characters (`:` and `\\u{…}`)";
    const SIGNATURES = "parameters that are not in names (callees of the same name are merged)";
    const VALUE_TOO_LARGE = "a value is 2^63 or more, too large for pprof; write calltree instead";
    const RANGE = "that it is only a time range of the recording";

    fn page_more_threads(threads) = "{threads} more with less time are not shown.";
    fn stacks_too_large(stacks, bytes, max_bytes) = "this format repeats all callers for each of {stacks}, {bytes} in all (the limit is {max_bytes}); write speedscope or calltree instead";
}
