//! Every sentence that `analysis` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const PATTERN_TOO_LARGE = "the pattern is too large";

    fn without_waiting(metric) = "{metric} without waiting";
}
