//! Display names of real frames, decided by hand from the C# sources of the recorded programs (`../shared/data/net10/src`,
//! `nettrace/Workload.cs`) and .NET's documentation.

use crate::common::call_tree::document;
use crate::common::json::each;
use crate::common::profiles::{read_bytes, read_file};
use crate::common::text::assert_contains;
use crate::common::{dtp_writer, pprof_writer, shared};
use dotspot::testing::model::View;
use dotspot::testing::names::{Category, FrameKind, category_of, display_name};
use std::collections::{HashMap, HashSet};

/// File, raw name, and display name.
fn real_names() -> impl Iterator<Item = [&'static str; 3]> {
    let rows = include_str!("names.tsv")
        .lines()
        .filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let mut cells = row.split('\t');
        std::array::from_fn(|_| cells.next().expect("three columns"))
    })
}

#[test]
fn real_names_read_like_their_source() {
    for [file, raw, shown] in real_names() {
        // names in brackets are not methods in the files that contain them
        let kind = if raw.starts_with("Thread (") {
            FrameKind::Thread
        } else {
            FrameKind::Method
        };
        assert_eq!(display_name(kind, raw), shown, "{raw} in {file}");
    }
}

/// Each raw name occurs in its file and is shown as listed.
#[test]
fn listed_names_occur_in_their_files() {
    let mut shown_of: HashMap<&str, HashMap<String, String>> = HashMap::new();
    for [file, raw, shown] in real_names() {
        let Some(path) = shared(file) else { continue };
        // a map is not a profile, and has names that occur in no sample of its recording
        if file.ends_with(".map") {
            assert_contains(std::fs::read_to_string(&path).unwrap(), raw);
            continue;
        }
        let names = shown_of
            .entry(file)
            .or_insert_with(|| names(&read_file(&path)));
        assert_eq!(names[raw], shown, "{raw} in {file}");
    }
}

/// A profile's raw names with their display names; only some sources know the names of type parameters.
fn names(profile: &View) -> HashMap<String, String> {
    let ids = profile.frames.iter().map(|(id, _)| id);
    let shown = |id| profile.frames.plain_display_name(id).into_owned();
    ids.map(|id| (profile.frames.name(id).to_string(), shown(id)))
        .collect()
}

/// Asserts that a profile has a frame named `raw`, shown as `OrderPipeline.HandleAsync` from net10/src/OrderedConsume.cs, whose
/// body is the `MoveNext` of a nested type.
#[track_caller]
fn check_spelling(profile: &View, raw: &str) {
    let names = names(profile);
    let shown = names.get(raw).map(String::as_str);
    assert_eq!(
        shown,
        Some("OrderPipeline.HandleAsync (async)"),
        "{names:?}"
    );
}

/// The same method in formats without a real file, in the spelling documented for each.
#[test]
fn one_method_has_the_same_display_name_in_all_formats() {
    let method = "Acme.Orders.OrderPipeline+<HandleAsync>d__12.MoveNext";
    let escaped = r"Acme.Orders.OrderPipeline+\u003cHandleAsync\u003ed__12.MoveNext()";
    let in_xml = "Acme.Orders.OrderPipeline+&lt;HandleAsync&gt;d__12.MoveNext";
    let raw = &format!("OrderedConsume!{method}()");
    // dotnet-trace escapes `<`, and stores the module separately in Chromium's format
    let speedscope = format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"OrderedConsume!{escaped}"}}]}},"profiles":[{{"type":"sampled","unit":"none","samples":[[0]],"weights":[1]}}]}}"#
    );
    let event = |name: &str, does: &str, frame: u8| {
        format!(
            r#"{{"name":"{name}","cat":"sampleEvent","ph":"{does}","ts":{frame},"pid":0,"tid":9,"sf":{frame}}}"#
        )
    };
    let events = [
        event(escaped, "B", 0),
        event("CPU_TIME", "B", 1),
        event("CPU_TIME", "E", 1),
        event(escaped, "E", 0),
    ];
    let chromium = format!(
        r#"{{"traceEvents":[{}],"stackFrames":{{"0":{{"name":"{escaped}","category":"OrderedConsume"}},"1":{{"name":"CPU_TIME","category":""}}}}}}"#,
        events.join(",")
    );
    // TraceEvent before 2026, with tiers shown
    let tiered = &format!("OrderedConsume.il![OptimizedTier1]{method}()");
    let folded = format!("all;{tiered} 1\nall;{raw}_[j] 2\n");
    // PerfView: full paths, the tier as an attribute
    let perfview = format!(
        r#"<StackWindow><StackSource><Frames><Frame ID="0" OptimizationTier="OptimizedTier1">C:\app\OrderedConsume!{in_xml}()</Frame></Frames><Stacks><Stack ID="0" CallerID="-1" FrameID="0"/></Stacks><Samples><Sample StackID="0"/></Samples></StackSource></StackWindow>"#
    );
    // the runtime's perf map, in perf script output and in collapsed stacks made from it
    let map =
        "instance void [OrderedConsume] Acme.Orders.OrderPipeline+<HandleAsync>d__12::MoveNext()";
    let perf = format!(
        "dotnet 5/6 1.1: 7 cpu-clock:\n\t7f10 {map}[OptimizedTier1]+0x1f (/tmp/perf-5.map)\n\n"
    );
    let precompiled = &format!("{map}[PreJIT]_[j]");
    // dotTrace: no arguments; Reporter and the helper's contract have no module
    let report = format!(
        r#"<Report><Function FQN="{in_xml}" TotalTime="1" OwnTime="1" Calls="1" Instances="1"><Instance CallStack="{in_xml}" TotalTime="1" OwnTime="1" Calls="1"/></Function></Report>"#
    );
    let helper = document(&format!(
        r#"{{"id":"0x0","name":"{method}","kind":"method","inclusive_time":1,"exclusive_time":1,"call_count":1,"children":[]}}"#
    ));
    for (name, text, raw) in [
        ("a.speedscope.json", speedscope, &**raw),
        ("a.chromium.json", chromium, raw),
        ("a.folded", folded, tiered),
        ("a.perfView.xml", perfview, &format!(r"C:\app\{raw}")),
        ("a.perf", perf, map),
        (
            "a.folded",
            format!("dotnet;{precompiled} 12\n"),
            precompiled,
        ),
        ("a.xml", report, method),
        ("a.json", helper, method),
    ] {
        check_spelling(&read_bytes(name, text.into()).unwrap(), raw);
    }
    let with_module = format!("OrderedConsume!{method}");
    check_spelling(&dottrace_snapshot(&with_module), &with_module);
    check_spelling(&pprof(method), &with_module);
}

fn dottrace_snapshot(method: &str) -> View {
    use dtp_writer::{Kind, Snapshot, Thread, one_file};
    let mut snapshot = Snapshot::new(Kind::Sampling);
    let method = snapshot.method(method);
    let mut thread = Thread::new(1, 2, "");
    thread.add(Thread::ROOT, method, 5, 1);
    snapshot.threads.push(thread);
    read_bytes("a.dtp", one_file(&snapshot.sections())).unwrap()
}

/// A profiler that knows the module's file, here one compiled ahead of time.
fn pprof(method: &str) -> View {
    use pprof_writer::{Message, Writer};
    let mut file = Writer::default();
    file.sample_type("samples", "count");
    file.sample(&[1], &[2], &[]);
    let module = file.string("/app/OrderedConsume.ni.dll");
    file.add(3, Message::default().number(1, 1).number(5, module));
    file.location(1, 1, 0x10, &[1]);
    file.function(1, method, "", 0);
    read_bytes("a.pprof", file.finish()).unwrap()
}

/// The frames of a speedscope file written by dotnet-trace.
fn speedscope_frames(file: &str) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(shared(file)?).unwrap();
    let file: serde_json::Value = serde_json::from_str(&text).unwrap();
    let frames = each(&file["shared"]["frames"]);
    Some(
        frames
            .map(|frame| frame["name"].as_str().unwrap().into())
            .collect(),
    )
}

/// `dotnet-trace report topN` shortens names as well. Names that are not generic, nested or compiler-generated must agree.
#[test]
fn plain_names_equal_those_of_dotnet_trace_report() {
    let frames = present!(speedscope_frames("net10/cpubound.speedscope.json"));
    let shown = frames
        .iter()
        .map(|frame| display_name(FrameKind::Method, frame));
    let shown: HashSet<String> = shown.collect();
    let mut compared = 0;
    for list in ["inclusive", "exclusive"] {
        let text = shared(&format!("net10/cpubound.topN-{list}.txt")).unwrap();
        let text = std::fs::read_to_string(text).unwrap();
        let names = text.lines().skip(1).filter_map(|line| {
            let (_, name) = line.split_once(". ")?;
            Some(name.trim_start().split_once('(')?.0)
        });
        let is_letter = |b: u8| b.is_ascii_alphanumeric() || b"._".contains(&b);
        for name in names.filter(|name| name.bytes().all(is_letter) && !name.starts_with('.')) {
            // the report counts a method whose only sample is the last of its thread, the conversion omits it
            let method = format!(".{name}(");
            if frames.iter().any(|frame| frame.contains(&method)) {
                assert!(shown.contains(name), "dotnet-trace lists a method {name}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "only {compared} names could be compared");
}

/// Every frame of a recording is user, .NET or native code, depending on its module.
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
