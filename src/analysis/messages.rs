use crate::messages::messages;

messages! {
    const PATTERN_TOO_LARGE = "the pattern is too large";

    fn without_waiting(metric) = "{metric} without waiting";
}
