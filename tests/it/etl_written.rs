//! Windows event traces unlike any real file we have, with results computed by hand.

use crate::common::etl_writer::{Header, Life, Trace};
use crate::common::nettrace_writer::utf16z;
use crate::common::packing::zip;
use crate::common::profiles::{check_tree, path, process_names, read_bytes};
use crate::common::text::assert_contains_all;
use dotspot::testing::diagnostics::{Anomaly, Diagnostic};
use dotspot::testing::input::ImportError;
use dotspot::testing::model::{MetricId, NodeId, TreeForm, View};

use Life::{Begins, Ends, Known};

const CPU: MetricId = MetricId(0);
const SAMPLES: MetricId = MetricId(1);
/// A kernel address.
const KERNEL: u64 = 0xFFFF_F800_0000_0000;

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_bytes("a.etl", bytes.to_vec())
}

/// A line per node with exclusive samples: its path from the process or thread, and their number.
fn rows(view: &View) -> Vec<String> {
    let own = |node: &NodeId| view.tree.exclusive(SAMPLES, *node);
    let row = |node: NodeId| format!("{} {}", path(view, node).join(" > "), own(&node));
    let nodes = view.tree.nodes().filter(|node| own(node) > 0);
    let mut rows: Vec<String> = nodes.map(row).collect();
    rows.sort();
    rows
}

#[track_caller]
fn check(trace: &Trace, expect: &[&str]) -> View {
    let view = read(&trace.bytes).unwrap();
    check_tree(&view);
    assert_eq!(rows(&view), expect);
    view
}

#[track_caller]
fn assert_diagnostic(view: &View, expect: Diagnostic) {
    let all = &view.diagnostics;
    assert!(all.contains(&expect), "{expect:?} is not in {all:?}");
}

#[track_caller]
fn refused(trace: &Trace, words: &[&str]) {
    assert_contains_all(read(&trace.bytes).unwrap_err().to_string(), words);
}

/// A process with a thread and two files: `a` at 1,000, `b` at 2,000.
fn beginning(trace: &Trace) -> Vec<Vec<u8>> {
    let image = |start, name| trace.image(0, Known, 7, (start, 100), name);
    vec![
        trace.process(0, Known, 7, "shop.exe"),
        trace.thread(0, Known, 7, 9, ""),
        image(1000, r"\Device\HarddiskVolume2\app\a.dll"),
        image(2000, r"\Device\HarddiskVolume2\app\b.dll"),
    ]
}

/// Stack keys are reused once they are defined, and the buffers of two processors are not in time order.
#[test]
fn stack_keys_refer_to_the_next_definition() {
    let mut trace = Trace::new(Header {
        processors: 2,
        ..Header::default()
    });
    let mut first = beginning(&trace);
    first.extend([trace.sample(10, 9), trace.numbered(11, 10, (7, 9), 5)]);
    first.extend([trace.sample(20, 9), trace.numbered(21, 20, (7, 9), 5)]);
    first.extend([trace.sample(40, 9), trace.numbered(41, 40, (7, 9), 5)]);
    let second = [
        trace.explained(30, 5, &[2000, 1000]),
        trace.explained(50, 5, &[1000]),
    ];
    trace.buffer(1, &second).buffer(0, &first);
    let view = check(&trace, &["Thread (9) > a!? 1", "Thread (9) > a!? > b!? 2"]);
    assert_eq!(view.diagnostics.len(), 1, "names: {:?}", view.diagnostics);
}

#[test]
fn stacks_of_other_events_do_not_belong_to_samples() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    // another time, another thread
    events.extend([
        trace.sample(10, 9),
        trace.stack(12, 11, (7, 9), &[1000]),
        trace.stack(12, 10, (7, 8), &[1000]),
    ]);
    trace.buffer(0, &events);
    let view = check(&trace, &["Thread (9) 1"]);
    assert_diagnostic(&view, Anomaly::SamplesWithoutStack.with_count(1));
}

/// A runtime event has a kernel stack, or the next stack that the runtime sends on its thread. It is not a sample.
#[test]
fn runtime_events_have_stacks() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    let exception = |time| {
        let payload = [utf16z("System.A"), utf16z("no disk"), vec![0; 20]].concat();
        trace.runtime(time, (7, 9), 80, &payload)
    };
    // u16 runtime, 2 bytes, u32 number of addresses
    let walk = |time, addresses: &[u64]| {
        let addresses = addresses.iter().flat_map(|address| address.to_le_bytes());
        let addresses: Vec<u8> = addresses.collect();
        let count = (addresses.len() / 8) as u8;
        let head = [0, 0, 0, 0, count, 0, 0, 0];
        trace.runtime(time, (7, 9), 82, &[&head[..], &addresses].concat())
    };
    events.extend([
        trace.sample(10, 9),
        trace.stack(11, 10, (7, 9), &[1000]),
        exception(20),
        trace.stack(21, 20, (7, 9), &[2000]),
        exception(30),
        walk(31, &[2000, 1000]),
        exception(40),
        // the next stack belongs to a module load, which is ignored
        trace.runtime(41, (7, 9), 152, &[0; 8]),
        walk(42, &[1000]),
    ]);
    trace.buffer(0, &events);
    let view = check(&trace, &["Thread (9) > a!? 1"]);
    let tree = &view.recording.tree_of(TreeForm::Original).tree;
    let names = |node| {
        let above = std::iter::successors(Some(node), |&node| tree.parent(node));
        let names = above.map(|node| view.recording.frames.name(tree.frame(node)));
        names.collect::<Vec<_>>()
    };
    let markers = view.recording.markers.iter();
    let stacks = markers.map(|marker| marker.stack(TreeForm::Original).map(names));
    let root = ["Thread (9)", "All threads"];
    let expect = [
        Some([&["b!?"], &root[..]].concat()),
        Some([&["b!?", "a!?"], &root[..]].concat()),
        None,
    ];
    assert_eq!(stacks.collect::<Vec<_>>(), expect);
}

/// The kernel part is first or last, with a program that the kernel calls back in between. The 32-bit part of a stack is
/// separate.
#[test]
fn parts_of_a_stack_are_joined() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    let kernel = r"\SystemRoot\system32\ntoskrnl.exe";
    events.extend([
        trace.image(0, Known, 0, (KERNEL, 100), kernel),
        trace.sample(10, 9),
        trace.stack(11, 10, (7, 9), &[KERNEL + 1]),
        trace.stack(12, 10, (7, 9), &[2000, 1000]),
        trace.sample(20, 9),
        trace.stack(21, 20, (7, 9), &[2000, KERNEL, 1000]),
        trace.stack(22, 20, (7, 9), &[KERNEL]),
        trace.sample(30, 9),
        trace.stack(31, 30, (7, 9), &[KERNEL, 2000]),
        trace.stack(32, 30, (7, 9), &[1000]),
    ]);
    trace.buffer(0, &events);
    let expect = [
        "Thread (9) > a!? > b!? > ntoskrnl!? 2",
        "Thread (9) > a!? > ntoskrnl!? > b!? > ntoskrnl!? 1",
    ];
    check(&trace, &expect);
}

/// Ids of ended processes and threads are reused, and then their addresses mean other code.
#[test]
fn process_and_thread_ids_are_reused() {
    let mut trace = Trace::new(Header::default());
    let code = |time, process, name| trace.method(time, Begins, process, (5000, 50), name);
    let mut events = beginning(&trace);
    let file = r"\Device\HarddiskVolume2\app\c.dll";
    events.extend([
        trace.module(1, 7, r"C:\app\Shop.dll"),
        code(1, 7, "Sell"),
        trace.sample(10, 9),
        trace.stack(11, 10, (7, 9), &[5001, 1000]),
        trace.thread(20, Ends, 7, 9, ""),
        trace.process(20, Ends, 7, "shop.exe"),
        trace.process(30, Begins, 7, "bank.exe"),
        trace.thread(30, Begins, 7, 9, "teller"),
        trace.image(30, Begins, 7, (1000, 100), file),
        trace.module(31, 7, r"C:\app\Bank.dll"),
        code(31, 7, "Pay"),
        trace.sample(40, 9),
        trace.stack(41, 40, (7, 9), &[5001, 1000]),
    ]);
    trace.buffer(0, &events);
    let view = check(
        &trace,
        &[
            "Process (7) bank.exe > Thread (9) teller > c!? > Bank!Shop.Cart.Pay() 1",
            "Process (7) shop.exe > Thread (9) > a!? > Shop!Shop.Cart.Sell() 1",
        ],
    );
    assert_eq!(process_names(&view), [(7, "shop.exe"), (7, "bank.exe")]);
}

/// Samples may precede the events that describe their threads. Some threads only have a stack.
#[test]
fn late_descriptions_apply_from_the_start() {
    let mut trace = Trace::new(Header::default());
    let events = [
        trace.sample(0, 9),
        trace.sample(1, 11),
        trace.stack(2, 1, (8, 11), &[1000]),
        trace.sample(3, 12),
        trace.process(4, Known, 7, "shop.exe"),
        trace.thread(4, Known, 7, 9, ""),
        trace.method(9, Known, 8, (1000, 10), "Sell"),
    ];
    trace.buffer(0, &events);
    check(
        &trace,
        &[
            "Process (-1) > Thread (12) 1",
            "Process (7) shop.exe > Thread (9) 1",
            "Process (8) > Thread (11) > ManagedModule!Shop.Cart.Sell() 1",
        ],
    );
}

#[test]
fn pointers_of_32_bit_windows_have_four_bytes() {
    let mut trace = Trace::new(Header {
        pointer_bytes: 4,
        ..Header::default()
    });
    let mut events = beginning(&trace);
    let kernel = r"\SystemRoot\system32\ntkrnlpa.exe";
    events.extend([
        trace.image(0, Known, 0, (0x8000_0000, 100), kernel),
        trace.method(0, Begins, 7, (5000, 50), "Sell"),
        trace.sample(10, 9),
        trace.stack(11, 10, (7, 9), &[0x8000_0001]),
        trace.numbered(12, 10, (7, 9), 5),
        trace.explained(13, 5, &[5000, 1000]),
    ]);
    trace.buffer(0, &events);
    let expect = "Thread (9) > a!? > ManagedModule!Shop.Cart.Sell() > ntkrnlpa!? 1";
    check(&trace, &[expect]);
}

#[test]
fn idle_processors_have_no_samples_but_interrupts_do() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    events.extend([0, 1, 2].map(|flags| trace.flagged_sample(10 + u64::from(flags), 0, flags)));
    events.push(trace.sample(20, 9));
    trace.buffer(0, &events);
    check(
        &trace,
        &[
            "Process (0) Idle > Thread (0) 2",
            "Process (7) shop.exe > Thread (9) 1",
        ],
    );
}

/// The first interval applies from the start: 0.5 ms, then 0.25 ms.
#[test]
fn samples_are_weighted_by_the_interval_at_their_time() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    events.extend([
        trace.sample(10, 9),
        trace.interval(15, 5000),
        trace.sample(20, 9),
        trace.interval(25, 2500),
        trace.sample(30, 9),
    ]);
    trace.buffer(0, &events);
    let view = check(&trace, &["Thread (9) 3"]);
    assert_eq!(view.tree.inclusive(CPU, NodeId::ROOT), 1_250_000);
}

/// Symbols that PerfView packs with a trace are not read, which is reported.
#[test]
fn symbols_next_to_a_trace_are_reported() {
    let mut trace = Trace::new(Header::default());
    let events = [beginning(&trace), vec![trace.sample(10, 9)]].concat();
    trace.buffer(0, &events);
    for (folder, is_told) in [("NGENPDBS/", true), ("NGENPDBS", false), ("other/", false)] {
        let pdb = format!("{folder}mscorlib.ni.pdb");
        let pdb = (&*pdb, &b"Microsoft C/C++ MSF 7.00"[..]);
        let view = read(&zip(&[("PerfViewData.etl", &trace.bytes), pdb])).unwrap();
        let remark = Diagnostic::NgenPdbsLeftOut {};
        assert_eq!(view.diagnostics.contains(&remark), is_told, "{folder}");
    }
}

#[test]
fn losses_are_reported() {
    let mut trace = Trace::new(Header {
        lost_events: 3,
        lost_buffers: 2,
        ..Header::default()
    });
    let events = beginning(&trace);
    trace.buffer(0, &events);
    let view = check(&trace, &[]);
    assert_diagnostic(&view, Anomaly::TraceEventsLost.with_count(3));
    assert_diagnostic(&view, Anomaly::TraceBuffersLost.with_count(2));
}

/// 190 recursive calls and two more are 192 addresses, the limit of Windows, so their callers are missing.
#[test]
fn stacks_that_windows_truncated_are_repaired() {
    let mut trace = Trace::new(Header::default());
    let mut events = beginning(&trace);
    for (start, name) in [(3000, "Main"), (3100, "Walk"), (3200, "Leaf")] {
        events.push(trace.method(0, Begins, 7, (start, 50), name));
    }
    for (time, calls, is_whole) in [(10, 150, true), (20, 191, false), (30, 151, true)] {
        let mut stack = vec![3200];
        stack.extend(vec![3100; calls]);
        stack.extend(is_whole.then_some(3000));
        events.extend([
            trace.sample(time, 9),
            trace.stack(time + 1, time, (7, 9), &stack),
        ]);
    }
    trace.buffer(0, &events);
    let view = read(&trace.bytes).unwrap();
    assert_eq!(view.recording.truncation.as_ref().unwrap().limit, 192);
}

#[test]
fn unsupported_files_are_refused_by_name() {
    let header = Header::default();
    for clock in [2, 3] {
        let words = ["QPC", &format!("found clock {clock}")];
        refused(&Trace::new(Header { clock, ..header }), &words);
    }
    for compression in [2, 4, 9] {
        let mut trace = Trace::new(Header {
            compression,
            ..header
        });
        trace.compressed(0, &[0; 16], 100);
        let found = format!("found code {compression}");
        refused(&trace, &["compressed with XPRESS", &found, "PerfView"]);
    }
    // two buffers of a processor, the second of which is older
    let circular = |mode| {
        let mut trace = Trace::new(Header { mode, ..header });
        let [new, old] = [20, 10].map(|time| trace.sample(time, 9));
        trace.buffer(0, &[new]).buffer(0, &[old]);
        trace
    };
    let words = [
        "circular",
        "overwrote its beginning",
        "merge it with PerfView",
    ];
    refused(&circular(2), &words);
    check(&circular(1), &["Thread (9) 2"]);
}

#[test]
fn a_damaged_trace_opens_with_its_readable_part() {
    let mut trace = Trace::new(Header::default());
    let events = beginning(&trace);
    trace.buffer(0, &events);
    let start = trace.bytes.len() as u64;
    // an event without a size; the rest of the buffer is lost
    let damaged = [
        trace.sample(10, 9),
        vec![2, 0, 0x11, 0xC0, 0, 0, 46, 15],
        trace.sample(11, 9),
    ];
    let intact = [trace.sample(20, 9)];
    trace.buffer(0, &damaged).buffer(0, &intact);
    let view = check(&trace, &["Thread (9) 2"]);
    let expect = Diagnostic::BlocksDamaged {
        blocks: 1,
        first_block: "buffer".into(),
        first_offset_bytes: start,
    };
    assert_diagnostic(&view, expect);

    // truncated in a buffer; earlier events are preserved
    let at = trace.bytes.len() as u64;
    let last = [trace.sample(30, 9), trace.sample(31, 9)];
    trace.buffer(0, &last);
    trace.bytes.truncate(trace.bytes.len() - 8);
    let view = check(&trace, &["Thread (9) 3"]);
    assert_diagnostic(&view, Diagnostic::file_ends_at(trace.bytes.len() as u64));

    // no buffer is that small
    trace.bytes.truncate(at as usize);
    trace.bytes.extend([0; 100]);
    let view = check(&trace, &["Thread (9) 2"]);
    let problem = "expected a buffer of 72 to 16777216 bytes, found one of 0";
    assert_diagnostic(&view, Diagnostic::unreadable_from(at, problem));
}

/// The header must be complete.
#[test]
fn a_truncated_header_is_refused() {
    let trace = Trace::new(Header::default());
    for length in 76..trace.bytes.len() {
        // the last bytes are not needed
        match read(&trace.bytes[..length]) {
            Ok(view) => assert!(view.is_empty() && length >= trace.bytes.len() - 8),
            Err(error) => assert_contains_all(error.to_string(), &["expected"]),
        }
    }
}
