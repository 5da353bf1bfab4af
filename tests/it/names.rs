//! Shown names of real frames: what each must be was decided by hand, with the C# sources of the recorded programs
//! (`../shared/data/net10/src`, `nettrace/Workload.cs`) and .NET's documentation at hand.

use crate::common::dtp_writer;
use crate::common::pprof_writer;
use crate::common::profiles::{read_bytes, read_file};
use crate::common::shared;
use dotspot::testing::model::View;
use dotspot::testing::names::{Category, FrameKind, category_of, display_name};
use std::collections::{HashMap, HashSet};

/// File, raw name in it, display name.
fn real() -> impl Iterator<Item = [&'static str; 3]> {
    let rows = include_str!("names.tsv")
        .lines()
        .filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('\t');
        std::array::from_fn(|_| cells.next().expect("a row has three cells"))
    })
}

#[test]
fn real_names_read_like_their_source() {
    for [file, raw, shown] in real() {
        // what is in brackets is no method in the files that have it
        let kind = if raw.starts_with("Thread (") {
            FrameKind::Thread
        } else {
            FrameKind::Method
        };
        assert_eq!(display_name(kind, raw), shown, "{raw} in {file}");
    }
}

/// Each name is that of a frame of its file, as dotspot reads the file, and is shown so there.
#[test]
fn real_names_are_real() {
    let mut shown_of: HashMap<&str, HashMap<String, String>> = HashMap::new();
    for [file, raw, shown] in real() {
        let Some(path) = shared(file) else { continue };
        // a map is no profile, and has names that no sample of its recording has
        if file.ends_with(".map") {
            assert!(
                std::fs::read_to_string(&path).unwrap().contains(raw),
                "{file} does not hold {raw}"
            );
            continue;
        }
        let names = shown_of
            .entry(file)
            .or_insert_with(|| names(&read_file(&path)));
        assert_eq!(
            names.get(raw).map(String::as_str),
            Some(shown),
            "{raw} in {file}"
        );
    }
}

/// The raw names of a profile with their shown names, of which only some sources know what type parameters are called.
fn names(profile: &View) -> HashMap<String, String> {
    let name = |(id, _)| {
        (
            profile.frames.name(id).to_string(),
            profile.frames.plain_display_name(id).into_owned(),
        )
    };
    profile.frames.iter().map(name).collect()
}

/// How `OrderPipeline.HandleAsync` of data/net10/src/OrderedConsume.cs is called: its body is the `MoveNext` of a nested type.
const HANDLE_ASYNC: &str = "OrderPipeline.HandleAsync (async)";

/// Asserts that a profile has a frame that is called `raw`, and that it is shown as that method.
#[track_caller]
fn check_spelling(what: &str, profile: &View, raw: &str) {
    let names = names(profile);
    assert_eq!(
        names.get(raw).map(String::as_str),
        Some(HANDLE_ASYNC),
        "{what}: {names:?}"
    );
}

/// The same method in formats of which no file with it is at hand, in the spelling that is documented for each.
#[test]
fn one_method_is_shown_alike_in_all_formats() {
    let read = |name: &str, text: &str| {
        read_bytes(name, text.as_bytes().to_vec()).unwrap_or_else(|e| panic!("{e}"))
    };
    let raw = "OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()";
    // dotnet-trace writes `<` as an escape, and the module of Chromium's form apart
    let speedscope = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"OrderedConsume!Acme.Orders.OrderPipeline+\u003cHandleAsync\u003ed__12.MoveNext()"}]},"profiles":[{"type":"sampled","unit":"none","samples":[[0]],"weights":[1]}]}"#;
    check_spelling("speedscope", &read("a.speedscope.json", speedscope), raw);
    let method = r"Acme.Orders.OrderPipeline+\u003cHandleAsync\u003ed__12.MoveNext()";
    let event = |name: &str, does: &str, frame: u8| {
        format!(
            r#"{{"name":"{name}","cat":"sampleEvent","ph":"{does}","ts":{frame},"pid":0,"tid":9,"sf":{frame}}}"#
        )
    };
    let events = [
        event(method, "B", 0),
        event("CPU_TIME", "B", 1),
        event("CPU_TIME", "E", 1),
        event(method, "E", 0),
    ];
    let chromium = format!(
        r#"{{"traceEvents":[{}],"stackFrames":{{"0":{{"name":"{method}","category":"OrderedConsume"}},"1":{{"name":"CPU_TIME","category":""}}}}}}"#,
        events.join(",")
    );
    check_spelling("Chromium JSON", &read("a.chromium.json", &chromium), raw);
    // TraceEvent before 2026, with tiers shown
    let tiered =
        "OrderedConsume.il![OptimizedTier1]Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext()";
    check_spelling(
        "collapsed",
        &read("a.folded", &format!("all;{tiered} 1\nall;{raw}_[j] 2\n")),
        tiered,
    );
    // PerfView: whole paths, the tier as an attribute
    let perfview = r#"<StackWindow><StackSource><Frames><Frame ID="0" OptimizationTier="OptimizedTier1">C:\app\OrderedConsume!Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext()</Frame></Frames><Stacks><Stack ID="0" CallerID="-1" FrameID="0"/></Stacks><Samples><Sample StackID="0"/></Samples></StackSource></StackWindow>"#;
    check_spelling(
        "PerfView",
        &read("a.perfView.xml", perfview),
        &format!(r"C:\app\{raw}"),
    );
    // the runtime's perf map, in perf script and in collapsed stacks of it
    let map =
        "instance void [OrderedConsume] Acme.Orders.OrderPipeline+<HandleAsync>d__12::MoveNext()";
    let perf = format!(
        "dotnet 5/6 1.1: 7 cpu-clock:\n\t7f10 {map}[OptimizedTier1]+0x1f (/tmp/perf-5.map)\n\n"
    );
    check_spelling("perf script", &read("a.perf", &perf), map);
    let folded = format!("dotnet;{map}[PreJIT]_[j] 12\n");
    check_spelling(
        "collapsed perf",
        &read("a.folded", &folded),
        &format!("{map}[PreJIT]_[j]"),
    );
    // dotTrace: no arguments; its Reporter and the helper's contract have no module
    let bare = "Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext";
    let report = r#"<Report><Function FQN="Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext" TotalTime="1" OwnTime="1" Calls="1" Instances="1"><Instance CallStack="Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext" TotalTime="1" OwnTime="1" Calls="1"/></Function></Report>"#;
    check_spelling("report", &read("a.xml", report), bare);
    let helper = format!(
        r#"{{"schema":"dotspot.call-tree/1","snapshot":{{"source":"a.dtp","thread_count":1,"node_count":null,"payload_type":"unknown","time_unit":"ms","decoder":"helper","decoder_version":"1","warnings":[]}},"thread_roots":[],"call_tree":{{"id":"0x0","name":"{bare}","kind":"method","inclusive_time":1,"exclusive_time":1,"call_count":1,"children":[]}},"hotspots":{{"inclusive":[],"exclusive":[]}}}}"#
    );
    check_spelling("helper", &read("a.json", &helper), bare);
    check_spelling(
        "dotTrace snapshot",
        &dottrace_snapshot(),
        &format!("OrderedConsume!{bare}"),
    );
    check_spelling("pprof", &pprof(), &format!("OrderedConsume!{bare}"));
}

fn dottrace_snapshot() -> View {
    use dtp_writer::{Kind, Snapshot, Thread, one_file};
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let method =
        snapshot.method("OrderedConsume!Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext");
    let mut thread = Thread::new(1, 2, "");
    thread.add(Thread::ROOT, method, 5, 1);
    snapshot.threads.push(thread);
    read_bytes("a.dtp", one_file(&snapshot.sections())).unwrap()
}

/// A profiler that knows the file of the module, here one that was compiled ahead of time.
fn pprof() -> View {
    use pprof_writer::{Message, Writer};
    let mut file = Writer::default();
    file.sample_type("samples", "count");
    file.sample(&[1], &[2], &[]);
    let module = file.string("/app/OrderedConsume.ni.dll");
    file.add(3, Message::default().number(1, 1).number(5, module));
    file.location(1, 1, 0x10, &[1]);
    file.function(
        1,
        "Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext",
        "",
        0,
    );
    read_bytes("a.pprof", file.finish()).unwrap()
}

/// The frames of a speedscope file that dotnet-trace wrote.
fn speedscope_frames(file: &str) -> Option<Vec<String>> {
    #[derive(serde::Deserialize)]
    struct File {
        shared: Shared,
    }
    #[derive(serde::Deserialize)]
    struct Shared {
        frames: Vec<Named>,
    }
    #[derive(serde::Deserialize)]
    struct Named {
        name: String,
    }
    let text = std::fs::read_to_string(shared(file)?).unwrap();
    let file: File = serde_json::from_str(&text).unwrap();
    Some(
        file.shared
            .frames
            .into_iter()
            .map(|frame| frame.name)
            .collect(),
    )
}

/// `dotnet-trace report topN` shortens names as well. Where nothing in them is generic, nested or made by a compiler, both must agree.
#[test]
fn plain_names_are_as_short_as_those_of_dotnet_trace() {
    let frames = present!(speedscope_frames("net10/cpubound.speedscope.json"));
    let shown: HashSet<String> = frames
        .iter()
        .map(|frame| display_name(FrameKind::Method, frame))
        .collect();
    let mut compared = 0;
    for file in [
        "net10/cpubound.topN-inclusive.txt",
        "net10/cpubound.topN-exclusive.txt",
    ] {
        let text = std::fs::read_to_string(shared(file).unwrap()).unwrap();
        for line in text.lines().skip(1) {
            let Some((_, name)) = line.split_once(". ") else {
                continue;
            };
            let Some((name, _)) = name.trim_start().split_once('(') else {
                continue;
            };
            let is_plain = name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._".contains(&b))
                && !name.starts_with('.');
            // the report counts a method whose only sample is the last of its thread, the conversion leaves it out
            if is_plain
                && frames
                    .iter()
                    .any(|frame| frame.contains(&format!(".{name}(")))
            {
                assert!(shown.contains(name), "dotnet-trace calls a method {name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "only {compared} names could be compared");
}

/// Every frame of a recording belongs to the program, to .NET or to the native side, and the module says which.
#[test]
fn categories_follow_the_modules_of_a_recording() {
    let frames = present!(speedscope_frames("net10/cpubound.speedscope.json"));
    for frame in frames.iter().filter(|frame| frame.contains('!')) {
        let expect = match frame.split('!').next() {
            Some("CpuBound") => Category::User,
            Some("?") => Category::Native,
            _ => Category::System,
        };
        assert_eq!(category_of(FrameKind::Method, frame), expect, "{frame}");
    }
}
