use super::*;
use crate::importers::runtime::{CodeEvent, Lifecycle, RuntimeEvent};
use crate::importers::unpack;
use crate::input::Progress;
use headers::{EventId, Provider};
use kernel::{EventKind, RUNDOWN, RUNTIME, Sampled, read_sample};
use std::path::Path;

const fn kernel(group: u8, opcode: u8) -> EventId {
    EventId::of_kernel(group, opcode)
}

const fn runtime(event: u16) -> EventId {
    let provider = Provider::Guid(RUNTIME);
    EventId { provider, event }
}

const fn rundown(event: u16) -> EventId {
    let provider = Provider::Guid(RUNDOWN);
    EventId { provider, event }
}

/// TraceEvent's names, and what the events mean for the call tree.
const KINDS: &[(&str, EventId, Option<EventKind>)] = &[
    (
        "Windows Kernel/PerfInfo/Sample",
        kernel(0x0F, 46),
        Some(EventKind::Sample),
    ),
    (
        "Windows Kernel/PerfInfo/CollectionStart",
        kernel(0x0F, 73),
        Some(EventKind::Interval),
    ),
    (
        "Windows Kernel/Image/Load",
        kernel(3, 10),
        Some(EventKind::Image(Lifecycle::Begins)),
    ),
    (
        "Windows Kernel/Image/Unload",
        kernel(0x14, 2),
        Some(EventKind::Image(Lifecycle::Ends)),
    ),
    (
        "Windows Kernel/Image/DCStart",
        kernel(0x14, 3),
        Some(EventKind::Image(Lifecycle::Known)),
    ),
    (
        "Windows Kernel/Image/DCStop",
        kernel(0x14, 4),
        Some(EventKind::Image(Lifecycle::Known)),
    ),
    (
        "Windows Kernel/Process/Start",
        kernel(3, 1),
        Some(EventKind::Process(Lifecycle::Begins)),
    ),
    (
        "Windows Kernel/Process/Stop",
        kernel(3, 2),
        Some(EventKind::Process(Lifecycle::Ends)),
    ),
    (
        "Windows Kernel/Process/Defunct",
        kernel(3, 39),
        Some(EventKind::Process(Lifecycle::Ends)),
    ),
    (
        "Windows Kernel/Process/DCStart",
        kernel(3, 3),
        Some(EventKind::Process(Lifecycle::Known)),
    ),
    (
        "Windows Kernel/Process/DCStop",
        kernel(3, 4),
        Some(EventKind::Process(Lifecycle::Known)),
    ),
    (
        "Windows Kernel/Thread/Start",
        kernel(5, 1),
        Some(EventKind::Thread(Lifecycle::Begins)),
    ),
    (
        "Windows Kernel/Thread/Stop",
        kernel(5, 2),
        Some(EventKind::Thread(Lifecycle::Ends)),
    ),
    (
        "Microsoft-Windows-DotNETRuntime/Method/LoadVerbose",
        runtime(143),
        METHOD_BEGINS,
    ),
    (
        "Microsoft-Windows-DotNETRuntime/Method/UnloadVerbose",
        runtime(144),
        METHOD_ENDS,
    ),
    (
        "Microsoft-Windows-DotNETRuntime/Loader/ModuleLoad",
        runtime(152),
        MODULE,
    ),
    (
        "Microsoft-Windows-DotNETRuntime/Loader/ModuleUnload",
        runtime(153),
        MODULE,
    ),
    (
        "Microsoft-Windows-DotNETRuntime/GC/HeapStats",
        runtime(4),
        None,
    ),
    (
        "Microsoft-Windows-DotNETRuntimeRundown/Loader/ModuleDCStop",
        rundown(154),
        MODULE,
    ),
];
const METHOD_BEGINS: Option<EventKind> = code(CodeEvent::Method(Lifecycle::Begins));
const METHOD_ENDS: Option<EventKind> = code(CodeEvent::Method(Lifecycle::Ends));
const MODULE: Option<EventKind> = code(CodeEvent::Module);

const fn code(event: CodeEvent) -> Option<EventKind> {
    Some(EventKind::Runtime(RuntimeEvent::Code(event)))
}

/// How often each of [`KINDS`] occurs, without samples of idle processors.
fn counts(path: &Path) -> Vec<u64> {
    let mut counts = vec![0; KINDS.len()];
    let packed = Input::open(path, Progress::default()).unwrap();
    let mut buffers = Buffers::new(Stream::new(
        unpack(packed, &ReadOptions::default()).unwrap(),
        FORMAT.title,
    ));
    while let Some(buffer) = buffers.next().unwrap() {
        let mut events = Events::new(buffer.events);
        while let Some(event) = events.next().unwrap() {
            let Some(kind) = KINDS.iter().position(|(_, id, _)| *id == event.id) else {
                continue;
            };
            let what = EventKind::of(event.id).filter(|what| *what != EventKind::RuntimeOther);
            assert_eq!(what, KINDS[kind].2, "{}", KINDS[kind].0);
            let is_idle = what == Some(EventKind::Sample)
                && read_sample(event.payload, event.layout) == Some(Sampled::Idle);
            counts[kind] += u64::from(!is_idle);
        }
    }
    assert_eq!(buffers.ending, Some(Ending::Complete));
    counts
}

/// TraceEvent's counts are next to the trace. They lack rundown stacks and threads.
#[test]
fn event_counts_of_a_real_trace_match_traceevent() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data/etl");
    if !folder.is_dir() {
        let is_required = std::env::var_os("DOTSPOT_REQUIRE_DATA").is_some();
        assert!(!is_required, "the folder ../shared/data is not there");
        return;
    }
    let baseline = std::fs::read_to_string(folder.join("net.4.5.2.x64.baseline.txt")).unwrap();
    let counts = counts(&folder.join("net.4.5.2.x64.etl.zip"));
    for ((name, ..), found) in KINDS.iter().zip(counts) {
        let expected = baseline.lines().find_map(|line| {
            line.strip_prefix("COUNT ")?
                .strip_prefix(name)?
                .strip_prefix(':')
        });
        assert_eq!(Some(found.to_string().as_str()), expected, "{name}");
    }
}
