//! Every sentence that `model` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const THERE_NO_MEMORY_COLUMN = "there is no memory for a column";
    const FRAMES_OVER_THOSE_RECORDING_NOT = "frames over those of a recording are not written";
    const NAME_CUT_THERE_TWICE = "a name is cut, or is there twice";
    const ESTIMATED_TICK_PER_KB = "estimated from a tick per 100 kB";
    const TIMES_SAMPLES_NOT_READ = "the times of its samples were not read";
    const ONLY_SUMS_DOES_NOT_SAY = "it has only sums, and does not say when anything happened";
    const SOME_VALUES_NO_TIME = "some of its values have no time";
    const FRAMES_NAMED_BEHIND_EVENTS_ONLY = "its frames are named behind its events, and only sums were kept";
    const STACKS_SAMPLED_INTERVALS_TIMES_NUMBERS = "stacks were sampled at intervals: it has times and numbers of samples, but no call counts";
    const EVERY_CALL_MEASURED_CALLS_EXACT = "every call was measured: calls are exact, and times are inflated in proportion to calls, so a small method that is called often looks slower than it is";
    const EVERY_STATEMENT_MEASURED_TREE_HOTSPOTS = "every statement was measured: the tree, hotspots and calls of methods work, but times of single statements are not shown, and all times are inflated in proportion to statements";
    const EVENTS_RECORDED_OVER_TIME_THEIR = "events were recorded over time: their call tree and its hotspots work; when something happened is not shown";
    const SOURCE_DOES_NOT_SAY_HOW = "the source does not say how it was taken: the tree and hotspots work, and whether times are inflated is not known";
    const COLUMN_TREES_SHAPE_DOES_NOT = "a column of the tree's shape does not have a row per node";
    const ROOT_DOES_NOT_SPAN_TREE = "the root does not span the tree";

    fn only_time_recording(from, to, of) = "This is only the time from {from} to {to} of a recording of {of}.";
    fn column_metric_does_not_row(index) = "a column of metric {index} does not have a row per node";
    fn node_less_inclusive_than_exclusive(node, index) = "node {node} has less inclusive than exclusive in metric {index}";
    fn node_ends_before_starts(node) = "node {node} ends before it starts";
    fn node_not_within_parent(node, parent) = "node {node} is not within its parent {parent}";
    fn exclusive_values_metric_differ(metric) = "the exclusive values of metric {metric} differ";
    fn totals_metric_differ(metric) = "the totals of metric {metric} differ";
}
