//! Every sentence that `child` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const FIND_OUT_KILLED_SYSTEMS_DO = "find out what killed it: systems do that when memory runs out";
    const UNKNOWN_EXIT_CODE = "an unknown exit code";
    const CHECK_THERE_NEEDS_RUN = "check that it is there, and what it needs to run";
    const CHECK_MAY_EXECUTED = "check that it may be executed";
    const RUN_HAND_SEE_LACKS = "run it by hand to see what it lacks";
    const DECODER_TIMEOUT_SECONDS_GIVES_MORE = "--decoder-timeout SECONDS gives it more time";

    fn bytes_left_out(left_out_bytes) = "\n({left_out_bytes} bytes left out)\n";
    fn killed(program, how) = "{program} was killed by {how}";
    fn cant_started(name, error) = "{name} can't be started: {error}";
    fn stopped_because_took_longer_than(name, limit) = "{name} was stopped because it took longer than {limit}";
}
