//! Every sentence that `repair` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const OTHER_THREADS = " of the other threads";
    const EVENTS_STAND_SEVERAL_PLACES_FILE = "its events stand in several places of the file";
    const SPAN_ENDS_NOT_INNERMOST_ONE = "a span ends that is not the innermost one";
    const EVENTS_NOT_ORDER_TIME = "its events are not in order of time";
    const EVENT_LACKS_FRAME_TIME = "an event lacks its frame or its time";
    const EVENTS_MEMBERS_DOTNET_TRACE_DOES = "its events have members that dotnet-trace does not write";
    const EVENTS_OTHER_KINDS_THAN_BEGIN = "it has events of other kinds than the begin and the end of a span";
    const EVENT_SPACE_FRONT_LONGER_THAN = "an event, with the space in front of it, is longer than 1 MB";
    const TIMES_NO_UNIT_TIME_FRONT = "its times have no unit of time in front of them";
    const EXPECTED_SPANS_THREADS_DOTNET_TRACE = "expected spans of threads as dotnet-trace writes them, found none in the whole file";
    const REPAIR_DOTNET_TRACE_CONVERT_WRITES = "--repair is for what `dotnet-trace convert` writes; leave it out to write the call tree";
    const EXPECTED_THERE_MOMENT_AGO_FOUND = "expected what was there a moment ago, found something else";
    const WAIT_UNTIL_NOBODY_WRITES_FILE = "wait until nobody writes the file";
    const MEMBER_SHARED_FRONT_PROFILES_DOTNET = "the member `shared` in front of `profiles`, as dotnet-trace writes it";

    fn moved_less_than_ns_so(events) = "; {events} moved by less than 1 ns, so that ends and begins are told apart";
    fn no_stack_truncated_trace_written(of, but, apart) = "no stack{of} is truncated: the trace is written as it is{but}{apart}";
    fn within_recursion_uncertain_depth(many) = " ({many} within recursion, at an uncertain depth)";
    fn truncated_frames_repaired_left_they(stacks, limit, repaired, uncertain, repaired_2, spans, apart) = "{stacks} truncated at {limit} frames: {repaired} repaired{uncertain}, {repaired_2} left as they are; {spans} joined{apart}";
}
