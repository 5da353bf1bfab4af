//! Every sentence that `exporters` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const NOTHING_TO_DRAW = "there is nothing in this metric to draw; --metric chooses another";
    const PICTURE_COLORS = "orange: user code, blue: libraries, gray: system, green: native";
    const PICTURE_ALONE = "frames below 0.025 % or deeper than 400 levels; dotspot can't open the picture";
    const LAYOUT = "when each frame was open, if the source has no times (callees follow the order of the tree)";
    const OTHER_METRICS = "metrics other than the chosen one (--metric chooses)";
    const MEANING = "what values are (times are nanoseconds)";
    const RUNNING_WAITS = "that it is CPU time (methods that wait are taken to wait, not to spin, which changes shares)";
    const OTHER_UNITS = "units other than time (1 becomes 1 ns)";
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
    const ODD_SIGNATURES = "parameters that do not start with `(` (callees of the same name are merged)";
    const RANGE = "that it is only a time range of the recording";

    fn line_too_long(size) = "a stack takes a line of {size}, and dotspot reads lines of up to 134 MB; write speedscope or calltree instead";
    fn value_too_large(name) = "a value of {name} is 2^63 or more, too large for this format; write calltree instead";
    fn stacks_too_large(stacks, bytes, most_bytes) = "this format repeats all callers for each of {stacks}, {bytes} in all (the limit is {most_bytes}); write speedscope or calltree instead";
    fn sum_too_large(title) = "the values of {title} add up to 2^63 or more, too large for this format; write calltree instead";
}
