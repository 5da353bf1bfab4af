use crate::messages::messages;

messages! {
    const FIND_OUT_WHAT_KILLED_IT = "find out what killed it, often the out-of-memory killer";
    const UNKNOWN_EXIT_CODE = "an unknown exit code";
    const CHECK_PROGRAM_EXISTS = "check that it is there, and what it needs to run";
    const CHECK_EXECUTE_PERMISSION = "check that it is executable";
    const RUN_IT_BY_HAND = "run it by hand to see what is missing";
    const RAISE_DECODER_TIMEOUT = "--decoder-timeout SECONDS gives it more time";

    fn bytes_left_out(left_out_bytes) = "\n({left_out_bytes} bytes left out)\n";
    fn killed(program, how) = "{program} was killed by {how}";
    fn cant_start(name, error) = "{name} can't be started: {error}";
    fn timed_out(name, limit) = "{name} was stopped because it took longer than {limit} s";
}
