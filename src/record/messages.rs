use crate::messages::messages;

messages! {
    const TOO_MANY_PROVIDERS = "the list of providers is too long";
    const MESSAGE = "a message of the diagnostic port";
    const REPLY = "a reply";
    const ERROR_CODE = "an error code";
    const PROCESS_INFO = "complete process information";
    const SESSION_ID = "a session id of 8 bytes";
    const NOBODY_LISTENS = "nothing listens on its diagnostic port";
    const PORT_OF_ANOTHER_USER = "its diagnostic port belongs to another user";
    const ANOTHER_USER_LISTENS = "another user listens on what looks like its diagnostic port";
    const PORT_DOES_NOT_ANSWER = "its diagnostic port does not answer";
    const PORT_HUNG_UP = "its diagnostic port closed the connection before the answer was complete";
    const RUNTIME_TOO_OLD = "its runtime is too old for this";
    const TOO_MANY_RECORDINGS = "its runtime can't start another recording";
    const ABOUT_CPU = "stacks of all threads, about every 1.25 ms: CPU and wall time";
    const COST_OF_CPU = "13 to 17 % less throughput with all processors busy; 11 bytes per sample";
    const ABOUT_GC = "as cpu, plus garbage collections and their pauses";
    const COST_OF_GC = "as cpu, plus next to nothing per collection";
    const ABOUT_ALLOC = "allocated bytes by stack, sampled every 100 kB, and garbage collections";
    const COST_OF_ALLOC = "an event per 100 kB allocated";
    const ABOUT_EXCEPTIONS = "as cpu, plus the number of exceptions of each type";
    const COST_OF_EXCEPTIONS = "as cpu, plus an event per exception";

    fn no_such_process(pid) = "there is no process {pid}";
    fn not_dotnet(process) = "{process} is not a .NET program, or is Native AOT, for which .NET has no sampler; perf records those";
    fn not_dotnet_on_windows(process) = "{process} is not a .NET program, or has its diagnostic port disabled; `dotspot record --etw` records any program";
    fn not_ours_on_windows(process) = "{process} belongs to another user or runs as administrator; run this in an elevated terminal";
    fn diagnostics_off(process, variable) = "{process} runs .NET but has its diagnostic port disabled ({variable}); restart it without that";
    fn socket_elsewhere(process, folder) = "{process} is .NET, but its diagnostic socket is not in {folder}; if it was started with another TMPDIR, pass that with --tmpdir";
    fn other_user(process, user) = "{process} belongs to user {user}; run this as {user} or with sudo";
    fn in_container(process) = "{process} runs in a container; run this as root on the host, or inside the container";
    fn does_not_answer(process, state) = "{process} does not answer; its state is: {state}. Another diagnostics tool may be holding its port";
    fn too_old(process) = "{process} runs a version of .NET that is too old (3.0 or newer is needed)";
    fn too_many_recordings(process) = "too many recordings are running in {process}";
    fn cant_record(process, problem) = "{process} can't be recorded: {problem}";
    fn invalid_answer(expected) = "its diagnostic port sent an invalid answer: expected {expected}";
    fn cant_use_port(error) = "its diagnostic port can't be used: {error}";
    fn bad_keywords(text, name) = "keywords are a hexadecimal number; {text} of {name} is not";
    fn bad_level(text, name) = "levels are 0 to 5, critical, error, warning, informational or verbose; {text} of {name} is not one";
    fn refused_with_code(code) = "its runtime refused with code {code}";
    fn provider_without_name(spec) = "a provider needs a name; {spec} has none";
}
