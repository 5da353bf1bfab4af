//! Small files crafted to exhaust memory. The real program reads each with its address space limited to what it needs to
//! start, plus 64 MB and 20 bytes for each byte of the file. What it needs to start is found by trying with a profile of one
//! sample; unoptimized builds need more.
//!
//! A small file may legitimately need the 64 MB: a trace of a thousand threads encodes its few stacks in few bytes, and each
//! thread gets nodes of its own. Such files are covered too.

#![cfg(target_os = "linux")]

use crate::common::etl_writer;
use crate::common::nettrace_writer;
use crate::common::nettrace_writer::{Kind, Options};
use crate::common::packing::gzip;
use crate::common::perf_data_writer;
use crate::common::perf_data_writer::USER;
use crate::common::pprof_writer;
use crate::common::pprof_writer::Message;
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

/// Memory allowed for any file, and in addition for each of its bytes.
const FREE_BYTES: u64 = 64 << 20;
const MEMORY_PER_BYTE: u64 = 20;

struct Crafted {
    name: &'static str,
    bytes: Vec<u8>,
    part_bytes: usize,
    free_bytes: u64,
}

impl Crafted {
    fn new(name: &'static str, bytes: Vec<u8>) -> Crafted {
        Crafted {
            name,
            part_bytes: bytes.len(),
            free_bytes: FREE_BYTES,
            bytes,
        }
    }

    /// Runs a command on the compressed file within its memory limit.
    fn run(&self, command: &[&str]) -> Output {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(self.name);
        std::fs::write(&path, gzip(&self.bytes)).unwrap();
        run_within(self.limit_kb(), command, &path)
    }

    fn limit_kb(&self) -> u64 {
        start_kb() + ((self.free_bytes + MEMORY_PER_BYTE * self.part_bytes as u64) >> 10)
    }

    /// Runs a command that must either succeed or report an error; returns the exit code.
    #[track_caller]
    fn read(&self, command: &[&str]) -> i32 {
        let output = self.run(command);
        let error = String::from_utf8_lossy(&output.stderr);
        let code = output.status.code();
        let is_handled = code == Some(0) || code == Some(1) && error.contains("expected");
        assert!(
            is_handled,
            "{}, {} bytes, {} kB: {command:?} ended with {code:?}: {error}",
            self.name,
            self.part_bytes,
            self.limit_kb()
        );
        code.unwrap()
    }
}

/// Runs a command with its address space limited.
fn run_within(limit_kb: u64, command: &[&str], path: &Path) -> Output {
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "ulimit -v $1 && shift && exec \"$@\"",
        "sh",
        &limit_kb.to_string(),
    ]);
    // a single heap: per-thread arenas reserve addresses that they never use
    shell
        .env("MALLOC_ARENA_MAX", "1")
        .env("DOTSPOT_CONFIG", "")
        .arg(env!("CARGO_BIN_EXE_dotspot"))
        .args(command)
        .arg(path);
    shell.stdin(Stdio::null()).output().unwrap()
}

/// The address space needed to start, and to read and show a one-sample profile.
fn start_kb() -> u64 {
    static START_KB: OnceLock<u64> = OnceLock::new();
    *START_KB.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("one.pb.gz");
        std::fs::write(&path, gzip(&pprof_of_one_stack(1, 1, 1, 1))).unwrap();
        let is_enough = |limit_kb: u64| {
            run_within(limit_kb, &["hotspots", "--json"], &path)
                .status
                .success()
        };
        let (mut too_few, mut enough) = (1 << 10, 1 << 20);
        assert!(is_enough(enough));
        while enough - too_few > 256 {
            let middle = too_few.midpoint(enough);
            *(if is_enough(middle) {
                &mut enough
            } else {
                &mut too_few
            }) = middle;
        }
        enough
    })
}

/// Reads files that repeat their stack increasingly often: the first opens, the last is refused for having too many nodes, and
/// none exceeds its memory limit.
#[track_caller]
fn check(files: [Crafted; 3]) {
    let codes = [0, 1, 2].map(|at| files[at].read(&["hotspots", "--json"]));
    assert!(matches!(codes, [0, 0 | 1, 1]), "{codes:?}");
    assert_eq!(files[2].read(&["info"]), 1);
}

/// The start of a pprof profile: its strings and `metrics` sample types.
fn pprof_start(strings: &[&str], metrics: u64) -> Message {
    let strings = ["", "cpu", "nanoseconds", "tid"].iter().chain(strings);
    let start = strings.fold(Message::default(), |all, text| {
        all.bytes(6, text.as_bytes())
    });
    (0..metrics).fold(start, |all, _| {
        all.message(1, Message::default().number(1, 1).number(2, 2))
    })
}

/// A pprof profile of `threads` samples, each of which repeats a location with `lines` inlined functions `times` times.
fn pprof_of_one_stack(metrics: u64, lines: u64, times: usize, threads: u64) -> Vec<u8> {
    let function = |id: u64| Message::default().number(1, id).number(2, 3 + id);
    let location = (0..lines).fold(Message::default().number(1, 1), |all, line| {
        all.message(4, Message::default().number(1, 1 + line % 2))
    });
    let start = pprof_start(&["one", "two"], metrics)
        .message(5, function(1))
        .message(5, function(2));
    let sample = |thread: u64| {
        let label = Message::default().number(1, 3).number(3, thread);
        Message::default()
            .packed(1, &vec![1; times])
            .packed(2, &vec![1; metrics as usize])
            .message(3, label)
    };
    (1..=threads)
        .fold(start.message(4, location), |all, thread| {
            all.message(2, sample(thread))
        })
        .0
}

/// Thread counts from well below every limit to well above.
const THREADS: [u32; 3] = [1, 400, 6000];

#[test]
fn pprof_samples_of_one_long_stack() {
    for (metrics, lines, times) in [(1, 10, 100), (1, 10_000, 1), (16, 1000, 1)] {
        let file = |threads: u32| {
            Crafted::new(
                "stack.pb.gz",
                pprof_of_one_stack(metrics, lines, times, u64::from(threads)),
            )
        };
        check(THREADS.map(file));
    }
}

/// A profile of `times` functions with one name, each with a module, source line and thread of its own.
fn pprof_with_one_name(times: u64) -> Vec<u8> {
    let name = "x".repeat(1 << 20);
    let mut all = pprof_start(&[&name], 1);
    for id in 1..=times {
        all = all
            .bytes(6, format!("m{id}").as_bytes())
            .message(3, Message::default().number(1, id).number(5, 4 + id))
            .message(
                5,
                Message::default()
                    .number(1, id)
                    .number(2, 4)
                    .number(4, 4)
                    .number(5, id),
            )
            .message(
                4,
                Message::default()
                    .number(1, id)
                    .number(2, id)
                    .message(4, Message::default().number(1, id)),
            );
        let labels = [Message::default().number(1, 3).number(2, 4 + id)];
        let sample = Message::default().packed(1, &[id]).packed(2, &[1]);
        all = all.message(
            2,
            labels
                .into_iter()
                .fold(sample, |sample, label| sample.message(3, label)),
        );
    }
    all.0
}

#[test]
fn pprof_names_stay_within_the_limit() {
    for times in [1, 20, 2000] {
        assert_eq!(
            Crafted::new("name.pb.gz", pprof_with_one_name(times)).read(&["info"]),
            0,
            "{times}"
        );
    }
}

/// A trace of `threads` threads with one sample each of the same stack of `depth` frames.
fn trace_of_one_stack(depth: u32, threads: u32) -> Vec<u8> {
    let mut text = String::from("{\"traceEvents\":[],\"stackFrames\":{\"0\":{\"name\":\"main\"}");
    for frame in 1..depth {
        write!(
            text,
            ",\"{frame}\":{{\"name\":\"f{}\",\"parent\":{}}}",
            frame % 7,
            frame - 1
        )
        .unwrap();
    }
    text.push_str("},\"samples\":[");
    for thread in 0..threads {
        let comma = if thread == 0 { "" } else { "," };
        write!(
            text,
            "{comma}{{\"tid\":{thread},\"ts\":{thread},\"sf\":{}}}",
            depth - 1
        )
        .unwrap();
    }
    text.push_str("]}");
    text.into_bytes()
}

#[test]
fn trace_event_samples_of_one_long_stack() {
    let file = |threads| Crafted::new("stack.trace.json.gz", trace_of_one_stack(10_000, threads));
    check(THREADS.map(file));
}

/// A recording of `threads` threads with one sample each of the same stack of `depth` frames.
fn nettrace_of_one_stack(version: u32, depth: u64, threads: u64) -> Vec<u8> {
    let mut writer = nettrace_writer::Writer::new(Options {
        version,
        ..Options::default()
    });
    let addresses: Vec<u64> = (0..depth).map(|at| 1000 + 8 * (at % 90)).collect();
    let stack = writer.stack(&addresses);
    nettrace_writer::methods(&mut writer);
    for thread in 0..threads {
        writer.sample(10 + thread, 2000 + thread, Kind::Managed, stack);
    }
    writer.finish()
}

#[test]
fn nettrace_samples_of_one_long_stack() {
    for (version, depth) in [(4, 10_000), (6, 1000)] {
        let file = |threads| nettrace_of_one_stack(version, depth, u64::from(threads));
        check(THREADS.map(|threads| Crafted::new("stack.nettrace.gz", file(threads))));
    }
}

/// Stacks truncated at the recorder's depth limit produce two trees: original and repaired.
#[test]
fn nettrace_truncated_stacks() {
    let file = |threads| nettrace_of_one_stack(4, 100, threads);
    check([1, 2_500, 20_000].map(|threads| Crafted::new("cut.nettrace.gz", file(threads))));
}

/// A trace of `threads` threads with one sample each of a stack of `depth` addresses, which is stored once.
fn etl_of_one_stack(depth: u64, threads: u32) -> Vec<u8> {
    let mut trace = etl_writer::Trace::new(etl_writer::Header::default());
    let addresses: Vec<u64> = (0..depth).map(|at| 1000 + 8 * (at % 90)).collect();
    let times = || (0..u64::from(threads)).zip(2000..);
    for rows in times().collect::<Vec<_>>().chunks(10_000) {
        let sample = |&(time, thread)| {
            [
                trace.sample(time, thread),
                trace.numbered(time, time, (7, thread), 5),
            ]
            .concat()
        };
        let events: Vec<Vec<u8>> = rows.iter().map(sample).collect();
        trace.buffer(0, &events);
    }
    let last = [trace.explained(u64::from(threads), 5, &addresses)];
    trace.buffer(0, &last);
    trace.bytes
}

#[test]
fn etl_samples_of_one_long_stack() {
    check(THREADS.map(|threads| Crafted::new("stack.etl.gz", etl_of_one_stack(8000, threads))));
}

/// Many buffers of eight bytes that each decompress to 16 MB.
#[test]
fn etl_decompression_bombs() {
    let files = [1, 2, 40].map(|buffers| {
        let mut trace = etl_writer::Trace::new(etl_writer::Header::default());
        let size = (16 << 20) - 72;
        let length = (size as u32 - 1 - 3).to_le_bytes();
        // a literal, then a match at distance 1 that repeats it
        let packed = [&[0, 0, 0, 0x40, 0, 7, 0, 15, 255, 0, 0][..], &length].concat();
        (0..buffers).for_each(|_| _ = trace.compressed(0, &packed, size));
        Crafted::new("bomb.etl.gz", trace.bytes)
    });
    check(files);
}

/// The stacks of every thread in a plausible profile. They share their outermost frames; frames are numbered.
struct Stacks {
    count: u64,
    depth: u64,
    shared: u64,
}

impl Stacks {
    fn frame_count(&self) -> u64 {
        self.shared + self.count * (self.depth - self.shared)
    }

    /// A stack, outermost first.
    fn frames(&self, stack: u64) -> Vec<u64> {
        let own = self.depth - self.shared;
        (0..self.shared)
            .chain((0..own).map(|at| self.shared + stack * own + at))
            .collect()
    }
}

/// With 1,000 threads that have all 20 stacks: 631,000 nodes.
const SERVER: Stacks = Stacks {
    count: 20,
    depth: 60,
    shared: 30,
};

#[test]
fn trace_event_of_many_threads() {
    let mut text = String::from("{\"traceEvents\":[],\"stackFrames\":{\"0\":{\"name\":\"main\"}");
    for stack in 0..SERVER.count {
        let frames = SERVER.frames(stack);
        let known = if stack == 0 {
            0
        } else {
            SERVER.shared as usize - 1
        };
        for pair in frames[known..].windows(2) {
            write!(
                text,
                ",\"{1}\":{{\"name\":\"Shop.Method{1}\",\"parent\":\"{0}\"}}",
                pair[0], pair[1]
            )
            .unwrap();
        }
    }
    text.push_str("},\"samples\":[");
    for sample in 0..20_000 {
        let (thread, leaf) = (sample % 1000, SERVER.frames(sample / 1000)[59]);
        let comma = if sample == 0 { "" } else { "," };
        write!(
            text,
            "{comma}{{\"cpu\":0,\"name\":\"cpu\",\"tid\":{thread},\"ts\":{sample}.5,\"sf\":\"{leaf}\",\"weight\":1}}"
        )
        .unwrap();
    }
    text.push_str("]}");
    check_read(
        &Crafted::new("threads.trace.json.gz", text.into_bytes()),
        631_000,
    );
}

/// 1,000 threads with 40 samples each: 1.02 million nodes, in half of the allowance.
#[test]
fn pprof_of_many_threads() {
    let stacks = Stacks {
        count: 40,
        depth: 40,
        shared: 15,
    };
    let mut writer = pprof_writer::Writer::default();
    writer.sample_type("samples", "count");
    writer.sample_type("cpu", "nanoseconds");
    let key = writer.string("thread_id");
    for id in 1..=stacks.frame_count() {
        writer.function(id, &format!("shop.method{id}"), "shop.go", id);
        writer.location(id, 0, id, &[id]);
    }
    let mut profile = writer.finish();
    for sample in 0..40_000 {
        let (thread, stack) = (1 + sample % 1000, stacks.frames(sample / 1000));
        let locations: Vec<u64> = stack.iter().rev().map(|frame| frame + 1).collect();
        let label = Message::default().number(1, key).number(3, thread);
        let sample = Message::default()
            .packed(1, &locations)
            .packed(2, &[1, 10_000_000])
            .message(3, label);
        profile.extend(Message::default().message(2, sample).0);
    }
    let file = Crafted::new("threads.pb.gz", profile);
    let free_bytes = FREE_BYTES / 2;
    check_read(&Crafted { free_bytes, ..file }, 1_016_000);
}

#[test]
fn etl_of_many_threads() {
    let mut trace = etl_writer::Trace::new(etl_writer::Header::default());
    let address = |frame: u64| 100_000 + 100 * frame;
    let methods = (0..SERVER.frame_count()).map(|frame| {
        trace.method(
            0,
            etl_writer::Life::Known,
            7,
            (address(frame), 100),
            &format!("Method{frame}"),
        )
    });
    let methods: Vec<Vec<u8>> = methods.collect();
    trace.buffer(0, &methods);
    for stack in 0..SERVER.count {
        let addresses: Vec<u64> = SERVER
            .frames(stack)
            .into_iter()
            .rev()
            .map(address)
            .collect();
        let times = 10_000 * stack..10_000 * stack + 1000;
        let sample = |(time, thread)| {
            [
                trace.sample(time, thread),
                trace.numbered(time, time, (7, thread), 5),
            ]
            .concat()
        };
        let mut events: Vec<Vec<u8>> = times.clone().zip(2000..).map(sample).collect();
        events.push(trace.explained(times.end, 5, &addresses));
        trace.buffer(0, &events);
    }
    check_read(&Crafted::new("threads.etl.gz", trace.bytes), 631_000);
}

#[test]
fn nettrace_of_many_threads() {
    let mut writer = nettrace_writer::Writer::new(Options {
        version: 6,
        ..Options::default()
    });
    let address = |frame: u64| 100_000 + 100 * frame;
    for frame in 0..SERVER.frame_count() {
        writer.rundown_method(address(frame), 100, ["Shop", &format!("Method{frame}")]);
    }
    writer.rundown_module(77, "/app/M.dll");
    for stack in 0..SERVER.count {
        let addresses: Vec<u64> = SERVER.frames(stack).into_iter().map(address).collect();
        let id = writer.stack(&addresses);
        for thread in 0..1000 {
            writer.sample(10 + thread, 2000 + 1000 * stack + thread, Kind::Managed, id);
        }
    }
    let file = Crafted::new("threads.nettrace.gz", writer.finish());
    check_read(&file, 631_000);
}

/// Call-tree JSON with `nodes` minimal nodes, either siblings or a chain.
fn call_tree_of_bare_nodes(nodes: usize, is_chain: bool) -> Vec<u8> {
    let tree = match is_chain {
        true => format!(
            "{}{{\"name\":\"a\"}}{}",
            "{\"name\":\"a\",\"children\":[".repeat(nodes),
            "]}".repeat(nodes)
        ),
        false => format!(
            "{{\"name\":\"a\",\"children\":[{}]}}",
            vec!["{\"name\":\"a\"}"; nodes].join(",")
        ),
    };
    let snapshot = "\"snapshot\":{\"name\":\"a\",\"kind\":\"sampling\"}";
    format!(
        "{{\"schema\":\"dotspot.call-tree/1\",{snapshot},\"thread_roots\":[],\"call_tree\":{tree}}}"
    )
    .into_bytes()
}

/// A V8 profile whose samples are all in one method.
fn cpuprofile_of_one_method(samples: usize) -> Vec<u8> {
    let nodes = r#"{"id":1,"callFrame":{"functionName":"a"},"hitCount":0}"#;
    let ones = vec!["1"; samples].join(",");
    format!("{{\"nodes\":[{nodes}],\"startTime\":0,\"endTime\":9,\"samples\":[{ones}],\"timeDeltas\":[{ones}]}}")
        .into_bytes()
}

/// `perf script` output with `samples` one-frame samples, each in its own thread.
fn perf_script_of_threads(samples: usize) -> Vec<u8> {
    let sample = |at: usize| format!("a {at} 1.{:06}: 1 c:\n\t1 b (x)\n\n", at % 1_000_000);
    (1..=samples).map(sample).collect::<String>().into_bytes()
}

/// A `perf.data` file with `samples` samples, each in its own thread.
fn perf_data_of_threads(samples: usize) -> Vec<u8> {
    let mut file = perf_data_writer::Writer::new();
    (1..=samples as u32).for_each(|at| file.sample(1, (1, at), (100, 1), &[USER, 1]));
    file.file()
}

/// A `perf.data` file with `count` mappings, and as many processes that inherit them all and add one of their own.
fn perf_data_of_processes(count: u64) -> Vec<u8> {
    let mut file = perf_data_writer::Writer::new();
    (1..=count).for_each(|at| file.mmap(1, 1, [at << 12, 1 << 12, 0], "/a"));
    for pid in 2..count as u32 {
        file.fork(2, [pid, 1, pid, 1]);
        file.mmap(2, pid, [1 << 40, 1 << 12, 0], "/b");
    }
    file.sample(3, (1, 1), (100, 1), &[USER, 1]);
    file.file()
}

/// A `perf.data` file with compressed records that expand 32,768-fold, written per `zstd_compression_format.md`: a frame header
/// followed by RLE blocks.
fn perf_data_bomb() -> Vec<u8> {
    const HEAD: [u8; 6] = [0x28, 0xB5, 0x2F, 0xFD, 0, 0x38];
    const BLOCK: [u8; 4] = [0b010, 0, 0x10, 7];
    let mut file = perf_data_writer::Writer::new();
    file.sample(1, (1, 1), (100, 1), &[USER, 1]);
    file.record(81, 0, &HEAD);
    (0..4).for_each(|_| file.record(81, 0, &BLOCK.repeat(15_000)));
    file.file()
}

/// PerfView XML with a chain of `stacks` stacks and one sample of the innermost.
fn perfview_of_one_stack(stacks: usize) -> Vec<u8> {
    let stack = |at: usize| {
        format!(
            "<Stack ID=\"{at}\" CallerID=\"{}\" FrameID=\"0\"/>",
            at as i64 - 1
        )
    };
    let stacks: String = (0..stacks).map(stack).collect();
    let last = stacks.matches("<Stack ").count() - 1;
    format!(
        "<StackWindow><StackSource><Frames><Frame ID=\"0\">a</Frame></Frames><Stacks>{stacks}</Stacks>\
         <Samples><Sample StackID=\"{last}\" Metric=\"1\"/></Samples></StackSource></StackWindow>"
    )
    .into_bytes()
}

/// Formats that spell out each node or sample can't contain more of them than they have bytes for.
#[test]
fn formats_that_spell_out_every_node() {
    const COUNT: usize = 100_000;
    for (name, bytes) in [
        ("wide.json.gz", call_tree_of_bare_nodes(COUNT, false)),
        ("deep.json.gz", call_tree_of_bare_nodes(COUNT, true)),
        ("samples.cpuprofile.gz", cpuprofile_of_one_method(2 * COUNT)),
        ("threads.perf.txt.gz", perf_script_of_threads(COUNT / 2)),
        ("stack.perfview.xml.gz", perfview_of_one_stack(COUNT)),
        ("threads.data.gz", perf_data_of_threads(COUNT / 2)),
        (
            "processes.data.gz",
            perf_data_of_processes(COUNT as u64 / 10),
        ),
    ] {
        // a sixth of the usual allowance is enough for this many nodes
        let free_bytes = FREE_BYTES / 6;
        let file = Crafted::new(name, bytes);
        Crafted { free_bytes, ..file }.read(&["hotspots", "--json"]);
    }
}

#[test]
fn a_perf_data_decompression_bomb_is_refused() {
    let output = Crafted::new("unpacks.data.gz", perf_data_bomb()).run(&["hotspots"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("unpacks to more than 16.0 MB"), "{error}");
}

#[track_caller]
fn check_read(file: &Crafted, nodes: u64) {
    let output = file.run(&["info", "--json"]);
    let text = String::from_utf8_lossy(&output.stdout);
    let error = String::from_utf8_lossy(&output.stderr);
    let info: serde_json::Value =
        serde_json::from_str(&text).unwrap_or_else(|_| panic!("{}: {error}", file.name));
    assert_eq!(info["nodes"], nodes, "{}: {text}", file.name);
}

/// However little memory there is, commands end with a result or with an error message and exit code, never by a signal.
#[test]
fn running_out_of_memory_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rows.folded");
    let rows = (0..20_000).map(|row| format!("a{};b{};c{row};d;e;f;g;h 1\n", row % 7, row % 999));
    std::fs::write(&path, rows.collect::<String>()).unwrap();
    for command in [
        &["hotspots", "--json"][..],
        &["convert", "--to", "speedscope"],
    ] {
        // with less than this the program itself does not start
        let codes = [2, 8, 14].map(|step: u64| {
            let output = run_within(start_kb() + (step << 11), command, &path);
            let (code, error) = (
                output.status.code(),
                String::from_utf8_lossy(&output.stderr).into_owned(),
            );
            assert!(
                code == Some(0) || code == Some(1) && error.contains("memory"),
                "{command:?} {step} {code:?}: {error}"
            );
            code
        });
        assert!(
            codes.contains(&Some(0)) && codes.contains(&Some(1)),
            "{command:?}: {codes:?}"
        );
    }
}
