//! Every sentence that `exporters` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const WHEN_EACH_FRAME_OPEN_CALLEES = "when each frame was open (callees follow the order of the tree)";
    const METRICS_OTHER_THAN_CHOSEN_ONE = "metrics other than the chosen one (--metric chooses)";
    const VALUES_TIMES_NANOSECONDS = "what values are (times are nanoseconds)";
    const UNITS_OTHER_THAN_TIME_BECOMES = "units other than time (1 becomes 1 ns)";
    const CALLS_SAMPLES_OTHER_METRICS = "calls, and samples of other metrics";
    const HOW_PROFILE_TAKEN = "how the profile was taken";
    const HOW_PROFILE_TAKEN_READERS_ASSUME = "how the profile was taken (readers assume sampling)";
    const THREADS_PROCESSES_THEY_FIRST_FRAMES = "threads and processes (they are first frames)";
    const IDS_TITLES_THREADS_UNLESS_TITLE = "ids and titles of threads, unless the title is made of a number and the name";
    const PROCESSES_IF_THERE_SEVERAL_THREADS = "processes (if there are several, threads bear their names)";
    const PROCESS_ONLY_ONE = "a process that is the only one";
    const NODES_NO_THREAD_THEY_GET = "that nodes are in no thread (they get one)";
    const VALUES_THREADS_PROCESSES_ROOT = "values of threads, processes and the root themselves (they become frames)";
    const FRAMES_NOT_METHODS = "which frames are not methods";
    const NAMES_CONTROL_INVISIBLE_CHARACTERS_U = "names with `;`, control or invisible characters (`:` and `\\u{…}`)";
    const PARAMETERS_NOT_NAMES_CALLEES_SAME = "parameters that are not in names (callees of the same name become one)";
    const PARAMETERS_DO_NOT_START_CALLEES = "parameters that do not start with `(` (callees of the same name become one)";
    const ONLY_RANGE_TIME_RECORDING = "that it is only a range of time of the recording";

    fn stack_takes_line_dotspot_reads(size) = "a stack takes a line of {size}, and dotspot reads lines of up to 134 MB; speedscope and calltree hold such a tree";
    fn value_more_format_cant_hold(name) = "a value of {name} is 2^63 or more, which this format can't hold; calltree can";
    fn format_names_all_callers_each(stacks, bytes, most_bytes) = "this format names all callers of each of {stacks} anew, which would take {bytes} (the limit is {most_bytes}); speedscope and calltree hold such a tree in a small file";
    fn values_add_up_more_format(title) = "the values of {title} add up to 2^63 or more, which this format can't hold; calltree can";
}
