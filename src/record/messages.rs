//! Every sentence that `record` says, in one place: to edit one, edit it here.

use crate::messages::messages;

messages! {
    const LIST_PROVIDERS_TOO_LONG = "the list of providers is too long";
    const EXPECTED_MESSAGE_DIAGNOSTICS_PORT = "expected a message of the diagnostics port and found another";
    const EXPECTED_CODE_ERROR_FOUND_NONE = "expected the code of an error and found none";
    const EXPECTED_PROCESS_FOUND_ONLY_PART = "expected what process it is and found only a part of that";
    const NOBODY_LISTENS_DIAGNOSTICS_PORT = "nobody listens at its diagnostics port";
    const DIAGNOSTICS_PORT_BELONGS_ANOTHER_USER = "its diagnostics port belongs to another user";
    const ANOTHER_USER_LISTENS_LOOKS_LIKE = "another user listens at what looks like its diagnostics port";
    const DIAGNOSTICS_PORT_DOES_NOT_ANSWER = "its diagnostics port does not answer";
    const DIAGNOSTICS_PORT_HUNG_UP_BEFORE = "its diagnostics port hung up before the answer was whole";
    const RUNTIME_TOO_OLD = "its runtime is too old for this";
    const RUNTIME_CANT_START_ANOTHER_RECORDING = "its runtime can't start another recording";
    const STACKS_ALL_THREADS_ABOUT_EVERY = "stacks of all threads, about every 1.25 ms: CPU and wall time";
    const SPEED_ALL_PROCESSORS_BUSY_BYTES = "13 to 17 % of the speed with all processors busy; 11 bytes a sample";
    const SAME_GARBAGE_COLLECTIONS_THEIR_PAUSES = "the same, and garbage collections with their pauses";
    const CPU_NEXT_NOTHING_EACH_COLLECTION = "as cpu, and next to nothing for each collection";
    const ALLOCATED_BYTES_STACK_SAMPLED_EVERY = "allocated bytes by stack, sampled every 100 kB, and garbage collections";
    const EVENT_EACH_KB_ALLOCATED = "an event for each 100 kB that are allocated";
    const CPU_HOW_MANY_EXCEPTIONS_TYPES = "as cpu, and how many exceptions of which types were thrown";
    const CPU_EVENT_EACH_EXCEPTION = "as cpu, and an event for each exception";

    fn expected_message_least_bytes_found(header_bytes, size) = "expected a message of at least {header_bytes} bytes and found one of {size}";
    fn expected_reply_found_message_set(command, set) = "expected a reply and found the message {command} of the set {set}";
    fn there_no_process(pid) = "there is no process {pid}";
    fn not_net_program_perf_records(process) = "{process} is not a .NET program; perf records those";
    fn compiled_ahead_time_net_no(process) = "{process} was compiled ahead of time, for which .NET has no sampler; perf records those";
    fn runs_net_but_diagnostics_port(process, variable) = "{process} runs .NET but has its diagnostics port switched off ({variable}); restart it without that";
    fn net_but_diagnostics_socket_not(process, folder) = "{process} is .NET, but its diagnostics socket is not in {folder}; if it was started with another TMPDIR, give it: --tmpdir";
    fn belongs_user_run_sudo(process, user) = "{process} belongs to user {user}; run this as {user} or with sudo";
    fn runs_container_run_root_host(process) = "{process} runs in a container; run this as root on the host, or inside the container";
    fn does_not_answer_state_another(process, state) = "{process} does not answer; its state is: {state}. Another diagnostics tool may be holding its port";
    fn runs_net_too_old_needs(process) = "{process} runs a .NET too old for this (needs 3.0)";
    fn too_many_recordings_running(process) = "too many recordings are running in {process}";
    fn cant_recorded(process, problem) = "{process} can't be recorded: {problem}";
    fn diagnostics_port_answered_nonsense(problem) = "its diagnostics port answered nonsense: {problem}";
    fn diagnostics_port_cant_used(error) = "its diagnostics port can't be used: {error}";
    fn keywords_hexadecimal_number_none(text, name) = "keywords are a hexadecimal number, and {text} of {name} is none";
    fn levels_critical_error_warning(text, name) = "levels are 0 to 5, critical, error, warning, informational or verbose, and {text} of {name} is none";
    fn expected_number_recording_bytes_found(reply) = "expected the number of a recording in 8 bytes and found {reply}";
    fn runtime_refused_code(code) = "its runtime refused with the code {code}";
    fn provider_name_none(spec) = "a provider has a name, and {spec} has none";
}
