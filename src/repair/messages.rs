//! Every sentence that `repair` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const OTHER_THREADS = " of the other threads";
    const EVENTS_SCATTERED = "its events are in several places of the file";
    const SPANS_CROSS = "a span ends that is not the innermost";
    const OUT_OF_ORDER = "its events are not in order of time";
    const EVENT_INCOMPLETE = "an event lacks its frame or its time";
    const OTHER_MEMBERS = "its events have members that dotnet-trace does not write";
    const OTHER_KINDS = "it has events other than the begin and end of a span";
    const EVENT_TOO_LONG = "an event, with the space before it, is longer than 1 MB";
    const NO_UNIT = "no unit of time comes before its times";
    const NO_SPANS = "expected spans of threads as dotnet-trace writes them, found none in the whole file";
    const ONLY_FOR_CONVERTED = "--repair is for what `dotnet-trace convert` writes; leave it out to write the call tree";
    const FILE_CHANGED = "expected the file as it was read, found it changed";
    const WAIT_FOR_WRITER = "wait until no program writes to the file";
    const NO_SHARED_FIRST = "the member `shared` before `profiles`, as dotnet-trace writes it";

    fn events_moved(events) = "; {events} moved by less than 1 ns, to keep ends and begins apart";
    fn nothing_truncated(of, but, apart) = "no stack{of} is truncated: the trace is written unchanged{but}{apart}";
    fn of_uncertain_depth(many) = " ({many} within recursion, at an uncertain depth)";
    fn repair_summary(stacks, limit, repaired, uncertain, repaired_2, spans, apart) = "{stacks} truncated at {limit} frames: {repaired} repaired{uncertain}, {repaired_2} left unrepaired; {spans} joined{apart}";
}
