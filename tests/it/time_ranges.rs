//! Time ranges in all formats with times: small files with numbers calculated by hand, and properties of any file.

use crate::common::call_patterns::{Pattern, Recording};
use crate::common::nettrace_writer::{Kind, Options, Writer, methods};
use crate::common::profiles::check_tree;
use crate::common::shared;
use dotspot::testing::analysis::hotspots;
use dotspot::testing::analysis::{make, scoped};
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{
    Merging, MetricId, NodeId, RecordedNode, Scope, Step, ThreadChoice, TimeRange, UntimedReason,
    View, ViewSpec,
};
use dotspot::testing::names::FrameKind;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Cursor;

const OPEN: u64 = TimeRange::OPEN;

fn read(input: Input) -> View {
    import(input).unwrap().into_view()
}

/// The same view of a time range.
fn in_range(view: &View, range: TimeRange) -> View {
    scoped(
        &view.recording,
        &Scope {
            range: Some(range),
            ..view.steps.scope.clone()
        },
    )
    .unwrap()
}

fn read_bytes(name: &str, bytes: &[u8]) -> View {
    read(
        Input::stream(
            name,
            Box::new(Cursor::new(bytes.to_vec())),
            Progress::default(),
        )
        .unwrap(),
    )
}

/// A line per node below the threads: depth, name, inclusive and exclusive value, and the count if there is one.
fn dump(profile: &View, metric: &str) -> Vec<String> {
    let (tree, metric) = (
        &profile.tree,
        profile.recording.metric_named(metric).unwrap(),
    );
    let line = |node: NodeId| {
        let depth = tree.ancestors(node).count();
        let (inclusive, exclusive) = (tree.inclusive(metric, node), tree.exclusive(metric, node));
        let count = tree
            .count(metric, node)
            .map(|count| format!(" x{count}"))
            .unwrap_or_default();
        format!(
            "{depth} {} {inclusive}/{exclusive}{count}",
            profile.name(node)
        )
    };
    tree.nodes()
        .filter(|&node| tree.ancestors(node).count() > 1)
        .map(line)
        .collect()
}

/// Checks time ranges in nanoseconds, one per row, each with the lines of `dump`, separated by ` | `.
#[track_caller]
fn check(profile: &View, metric: &str, ranges: &str) {
    for row in ranges.lines().map(str::trim).filter(|row| !row.is_empty()) {
        let mut cells = row.split(" | ");
        let (from, to) = cells.next().unwrap().split_once("..").unwrap();
        let ns = |text: &str| match text {
            "" => OPEN,
            number => number.replace('_', "").parse().unwrap(),
        };
        let (from_ns, to_ns) = (ns(from), ns(to));
        let part = in_range(profile, TimeRange { from_ns, to_ns });
        check_tree(&part);
        assert_eq!(
            dump(&part, metric),
            cells.collect::<Vec<_>>(),
            "{row} of {metric}"
        );
    }
}

#[test]
fn a_runtime_sample_lasts_until_its_threads_next() {
    for version in [3, 4] {
        let mut writer = Writer::new(Options {
            version,
            start_ticks: 1000,
            ..Options::default()
        });
        let stacks = [
            writer.stack(&[1000]),
            writer.stack(&[1000, 2000]),
            writer.stack(&[1000, 2000, 3000]),
        ];
        writer.sample(7, 2000, Kind::Managed, stacks[0]);
        writer.sample(7, 5000, Kind::Managed, stacks[1]);
        writer.sample(7, 9000, Kind::External, stacks[2]);
        writer.sample(7, 10_000, Kind::Managed, stacks[0]);
        writer.flush();
        methods(&mut writer);
        let profile = read_bytes("a.nettrace", &writer.finish());
        let table = profile.recording.samples.as_ref().unwrap();
        assert_eq!(
            (table.len(), table.span_ns),
            (4, 9000),
            "zero is the start of the session"
        );
        check(
            &profile,
            "wall",
            "
            2000..6000 | 2 M!T.a() 4000/2000 x1 | 3 M!T.b() 2000/2000 x1
            8500.. | 2 M!T.a() 500/0 x1 | 3 M!T.b() 500/0 x0 | 4 M!T.c() 500/500 x0
            0..1000",
        );
        let cpu = "4000.. | 2 M!T.a() 4000/0 x2 | 3 M!T.b() 4000/4000 x1 | 4 M!T.c() 0/0 x0";
        check(&profile, "CPU", cpu);
    }
}

#[test]
fn a_hardware_sample_belongs_to_its_instant() {
    let mut writer = Writer::new(Options {
        version: 6,
        process_id: 0,
        start_ticks: 1000,
        ..Options::default()
    });
    writer.thread(1, 50, 51, "worker");
    writer.existing_process(1, "shop");
    let shop = writer.mapping(1, 0, 1000, 2000, "/app/shop");
    writer.symbol(1, shop, 1000, 1099, "sell");
    let stack = writer.stack(&[1001]);
    // 1 ms each
    writer.cpu(1, 5000, 1, stack);
    writer.cpu(1, 7000, 1, stack);
    writer.switch(1, 7000, 100, stack);
    writer.flush();
    let profile = read_bytes("a.nettrace", &writer.finish());
    check(
        &profile,
        "CPU",
        "
        4000..6000 | 2 shop!sell 1000000/1000000 x1
        4001..6000
        0.. | 2 shop!sell 2000000/2000000 x2",
    );
    check(
        &profile,
        "off-CPU",
        "
        5000.. | 2 shop!sell 100/100",
    );
}

#[test]
fn speedscope_samples_last_as_long_as_their_weight() {
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},
        {"name":"b"}]},"profiles":[{"type":"sampled","name":"T","unit":"milliseconds","startValue":10,"endValue":20,
        "samples":[[0],[0,1],[0]],"weights":[5,3,2]}]}"#;
    let profile = read_bytes("a.json", text.as_bytes());
    check(
        &profile,
        "time",
        "
        4_000_000..6_000_000 | 2 a 2000000/1000000 x1 | 3 b 1000000/1000000 x1
        9_000_000.. | 2 a 1000000/1000000 x0",
    );
}

#[test]
fn a_speedscope_frame_is_present_while_it_is_open() {
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"},
        {"name":"b"}]},"profiles":[{"type":"evented","name":"T","unit":"nanoseconds","startValue":2,"endValue":12,"events":[
        {"type":"O","frame":0,"at":2},{"type":"O","frame":1,"at":4},{"type":"C","frame":1,"at":7},
        {"type":"C","frame":0,"at":9},{"type":"O","frame":0,"at":11},{"type":"C","frame":0,"at":12}]}]}"#;
    let profile = read_bytes("a.json", text.as_bytes());
    assert_eq!(
        profile.recording.samples.as_ref().unwrap().span_ns,
        10,
        "zero is the first event"
    );
    check(
        &profile,
        "time",
        "
        1..3 | 2 a 2/1 | 3 b 1/1
        6.. | 2 a 2/2
        7..9",
    );
}

#[test]
fn a_call_belongs_to_the_part_in_which_it_starts() {
    // b is called twice in a, the second time at the instant when the first call ends
    let text = r#"[{"ph":"B","name":"a","pid":1,"tid":7,"ts":0},{"ph":"B","name":"b","pid":1,"tid":7,"ts":0},
        {"ph":"E","name":"b","pid":1,"tid":7,"ts":2},{"ph":"B","name":"b","pid":1,"tid":7,"ts":2},
        {"ph":"E","name":"b","pid":1,"tid":7,"ts":3},{"ph":"E","name":"a","pid":1,"tid":7,"ts":5}]"#;
    let profile = read_bytes("a.json", text.as_bytes());
    let expect = "
        0..1000 | 2 a 1000/0 x1 | 3 b 1000/1000 x1
        1000..2500 | 2 a 1500/0 x0 | 3 b 1500/1500 x1
        2500.. | 2 a 2500/2000 x0 | 3 b 500/500 x0
        0.. | 2 a 5000/2000 x1 | 3 b 3000/3000 x2";
    check(&profile, "time", expect);
    let text = r#"[{"ph":"X","name":"b","pid":1,"tid":7,"ts":10,"dur":2},{"ph":"X","name":"b","pid":1,"tid":7,"ts":12,"dur":1},
        {"ph":"X","name":"a","pid":1,"tid":7,"ts":10,"dur":5}]"#;
    check(&read_bytes("a.json", text.as_bytes()), "time", expect);
}

#[test]
fn trace_event_samples_last_until_their_threads_next() {
    let text = r#"{"traceEvents":[],"stackFrames":{"1":{"name":"a"},"2":{"name":"b","parent":1}},"samples":[
        {"pid":1,"tid":1,"ts":100,"sf":1},{"pid":1,"tid":2,"ts":101,"sf":1},{"pid":1,"tid":1,"ts":104,"sf":2},
        {"pid":1,"tid":1,"ts":110,"sf":1}]}"#;
    let profile = read_bytes("a.json", text.as_bytes());
    check(
        &profile,
        "time",
        "
        3000..5000 | 2 a 2000/1000 x1 | 3 b 1000/1000 x1
        0.. | 2 a 10000/4000 x3 | 3 b 6000/6000 x1 | 2 a 0/0 x1",
    );
}

#[test]
fn v8_samples_last_until_the_next_or_the_end() {
    let text = r#"{"nodes":[{"id":1,"callFrame":{"functionName":"(root)"},"children":[2]},
        {"id":2,"callFrame":{"functionName":"a"},"children":[3]},{"id":3,"callFrame":{"functionName":"b"}}],
        "startTime":100,"endTime":110,"samples":[2,3,2],"timeDeltas":[0,5,3]}"#;
    let profile = read_bytes("a.cpuprofile", text.as_bytes());
    check(
        &profile,
        "time",
        "
        4000..6000 | 2 a 2000/1000 x1 | 3 b 1000/1000 x1
        9000.. | 2 a 1000/1000 x0",
    );
}

#[test]
fn perf_periods_belong_to_the_instant_of_their_sample() {
    let text = "app 5/5 10.000001: 30 cycles:\n\t 1 b (/bin/a)\n\t 2 a (/bin/a)\n\n\
                app 5/5 10.000003: 20 cycles:\n\t 2 a (/bin/a)\n\n";
    let profile = read_bytes("a.perf", text.as_bytes());
    check(
        &profile,
        "cycles",
        "
        0..2000 | 2 a!a 30/0 x1 | 3 a!b 30/30 x1
        2000.. | 2 a!a 20/20 x1
        1..2000",
    );
    let profile = read_bytes("a.perf", text.replace("10.000003: ", "").as_bytes());
    assert_eq!(
        profile.recording.samples.clone().err(),
        Some(UntimedReason::NotAll)
    );
}

#[test]
fn profiles_without_times_have_no_ranges() {
    let text = r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},
        "profiles":[{"type":"sampled","name":"T","unit":"bytes","startValue":0,"endValue":5,"samples":[[0]],"weights":[5]},
        {"type":"sampled","name":"U","unit":"milliseconds","startValue":0,"endValue":5,"samples":[[0]],"weights":[5]}]}"#;
    let reason = |name: &str, text: &str| {
        read_bytes(name, text.as_bytes())
            .recording
            .samples
            .clone()
            .err()
    };
    assert_eq!(reason("a.json", text), Some(UntimedReason::NotAll));
    assert_eq!(
        reason("a.folded", "a;b 5\na 1\n"),
        Some(UntimedReason::NoTimes)
    );
}

/// Values of the whole tree's nodes in consecutive ranges: exclusive value and count by metric and node.
fn sums(whole: &View, parts: &[&View]) -> Vec<Vec<(u64, u64)>> {
    let mut sums = vec![vec![(0, 0); whole.tree.len()]; whole.recording.metrics.len()];
    for part in parts {
        for node in part.tree.nodes() {
            for (metric, sums) in (0..).map(MetricId).zip(&mut sums) {
                let (value, count) = &mut sums[part.to_recorded(node).index()];
                *value += part.tree.exclusive(metric, node);
                *count += part.tree.count(metric, node).unwrap_or(0);
            }
        }
    }
    sums
}

#[test]
fn selecting_threads_commutes_with_selecting_a_range() {
    let text = r#"[{"ph":"X","name":"a","pid":1,"tid":7,"ts":0,"dur":10},{"ph":"X","name":"b","pid":1,"tid":7,"ts":2,"dur":3},
        {"ph":"X","name":"a","pid":1,"tid":8,"ts":1,"dur":5}]"#;
    let whole = read_bytes("a.json", text.as_bytes());
    let range = Some(TimeRange {
        from_ns: 4000,
        to_ns: 8000,
    });
    let part = |wanted: &[bool], is_merged| {
        let threads = ThreadChoice {
            chosen: wanted.to_vec(),
            merging: match is_merged {
                true => Merging::All,
                false => Merging::None,
            },
        };
        dump(
            &scoped(
                &whole.recording,
                &Scope {
                    range,
                    threads,
                    is_repaired: true,
                },
            )
            .unwrap(),
            "time",
        )
    };
    assert_eq!(
        part(&[true, false], false),
        ["2 a 4000/3000 x0", "3 b 1000/1000 x0"]
    );
    assert_eq!(part(&[false, true], false), ["2 a 2000/2000 x0"]);
    assert_eq!(
        part(&[true, true], true),
        ["2 a 6000/5000 x0", "3 b 1000/1000 x0"]
    );
}

/// Inclusive time by method; recursion counts once.
fn by_method(profile: &View, metric: MetricId) -> BTreeMap<String, u64> {
    let rows = hotspots(profile, &[NodeId::ROOT], metric).into_iter();
    let rows = rows.map(|row| (profile.frames.name(row.frame).to_string(), row.inclusive));
    rows.filter(|(_, value)| *value > 0).collect()
}

/// Asserts that a profile's parts between boundaries sum to the whole by node, method, metric and count, and so does the full range
/// alone.
#[track_caller]
fn check_parts(whole: &View, boundaries: &[u64]) {
    let Ok(table) = &whole.recording.samples else {
        panic!("{:?}", whole.recording.samples)
    };
    assert!(
        table.size_bytes() <= 24 * table.len(),
        "{} bytes, {} samples",
        table.size_bytes(),
        table.len()
    );
    let starts = std::iter::once(0).chain(boundaries.iter().copied());
    let ends = boundaries.iter().copied().chain([OPEN]);
    let ranges: Vec<(u64, u64)> = starts.zip(ends).collect();
    for form in [whole.clone(), whole.original()] {
        let part = |&(from_ns, to_ns): &(u64, u64)| in_range(&form, TimeRange { from_ns, to_ns });
        let parts: Vec<View> = ranges.iter().map(part).collect();
        check_sums(&form, &parts.iter().collect::<Vec<_>>());
    }
}

/// Exclusive values by recorded node.
fn own_values(view: &View, metric: MetricId) -> BTreeMap<RecordedNode, u64> {
    let own = |node: NodeId| (view.to_recorded(node), view.tree.exclusive(metric, node));
    view.tree
        .nodes()
        .map(own)
        .filter(|(_, value)| *value > 0)
        .collect()
}

/// Asserts for every method that dropping it commutes with selecting a range.
#[track_caller]
fn check_drops(whole: &View, range: TimeRange) {
    let part = in_range(whole, range);
    let methods = whole
        .frames
        .iter()
        .filter(|(id, frame)| frame.kind == FrameKind::Method && whole.occurs(*id));
    for (method, _) in methods {
        let drop = Step::Drop(vec![whole.frames.key(method)]);
        let dropped = |view: &View| {
            let steps = ViewSpec {
                scope: view.steps.scope.clone(),
                transforms: vec![drop.clone()],
            };
            make(&whole.recording, &steps).unwrap()
        };
        let (left, left_of_part) = (dropped(whole), dropped(&part));
        check_tree(&left_of_part);
        let stays: BTreeSet<RecordedNode> = left
            .tree
            .nodes()
            .map(|node| left.to_recorded(node))
            .collect();
        for metric in (0..whole.recording.metrics.len()).map(MetricId::at) {
            let mut expect = own_values(&part, metric);
            expect.retain(|node, _| stays.contains(node));
            assert_eq!(
                own_values(&left_of_part, metric),
                expect,
                "{range:?} without {}",
                whole.frames.name(method)
            );
            let total = left_of_part.tree.inclusive(metric, NodeId::ROOT);
            assert_eq!(
                total,
                expect.values().sum::<u64>(),
                "{range:?} without {}",
                whole.frames.name(method)
            );
        }
    }
}

#[track_caller]
fn check_sums(whole: &View, parts: &[&View]) {
    parts.iter().for_each(|part| check_tree(part));
    let sums = sums(whole, parts);
    for metric in (0..whole.recording.metrics.len()).map(MetricId::at) {
        for node in whole.tree.nodes() {
            let expect = (
                whole.tree.exclusive(metric, node),
                whole.tree.count(metric, node).unwrap_or(0),
            );
            assert_eq!(
                sums[metric.index()][node.index()],
                expect,
                "{node:?} {metric:?} {}",
                whole.name(node)
            );
        }
        let mut methods: BTreeMap<String, u64> = BTreeMap::new();
        for (name, value) in parts.iter().flat_map(|part| by_method(part, metric)) {
            *methods.entry(name).or_default() += value;
        }
        assert_eq!(methods, by_method(whole, metric), "{metric:?}");
    }
}

#[track_caller]
fn check_file(path: &str) {
    let file = present!(shared(path));
    let profile = read(Input::open(&file, Progress::default()).unwrap());
    let span_ns = profile.recording.samples.as_ref().unwrap().span_ns;
    check_parts(&profile, &[]);
    check_parts(&profile, &[span_ns / 7, span_ns / 3, span_ns / 2 + 1]);
}

#[test]
fn parts_of_real_recordings_sum_to_the_whole() {
    for path in [
        "net10/orderedconsume.nettrace",
        "net10/cpubound.nettrace",
        "net10/deepstacks-mutual.nettrace",
        "net10/orderedconsume.speedscope.json.gz",
        "net10/cpubound.chromium.json.gz",
        "perf-script/dotnet31.perf-script.txt.gz",
    ] {
        check_file(path);
    }
}

/// Events of one thread as a trace: at each step time passes, then a frame opens or the innermost closes.
fn trace(steps: &[(u64, u8)]) -> String {
    let (mut at, mut open, mut events) = (0, Vec::new(), Vec::new());
    for &(gap, what) in steps {
        at += gap;
        let (phase, name) = match what {
            0..5 => ("B", what),
            _ => match open.pop() {
                Some(name) => ("E", name),
                None => continue,
            },
        };
        if phase == "B" {
            open.push(name);
        }
        events.push(format!(
            r#"{{"ph":"{phase}","name":"m{name}","pid":1,"tid":7,"ts":{at}}}"#
        ));
    }
    format!("[{}]", events.join(","))
}

/// Samples of one thread in speedscope format: stacks of up to three frames with their weights.
fn speedscope(samples: &[(u64, Vec<u8>)]) -> String {
    let stacks: Vec<String> = samples
        .iter()
        .map(|(_, stack)| format!("{stack:?}"))
        .collect();
    let weights: Vec<String> = samples
        .iter()
        .map(|(weight, _)| weight.to_string())
        .collect();
    format!(
        r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{{"frames":[{{"name":"a"}},
        {{"name":"b"}},{{"name":"a"}},{{"name":"c"}}]}},"profiles":[{{"type":"sampled","name":"T","unit":"nanoseconds",
        "startValue":0,"endValue":9,"samples":[{}],"weights":[{}]}}]}}"#,
        stacks.join(","),
        weights.join(",")
    )
}

fn boundaries() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(0u64..400_000, 0..5).prop_map(|mut boundaries| {
        boundaries.sort_unstable();
        boundaries.dedup();
        boundaries.retain(|boundary| *boundary > 0);
        boundaries
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_of_traces_sum_to_the_whole(
        steps in prop::collection::vec((0u64..9, 0u8..9), 1..60),
        boundaries in boundaries(),
    ) {
        let text = trace(&steps);
        prop_assume!(text.len() > 2);
        check_parts(&read_bytes("a.json", text.as_bytes()), &boundaries);
    }

    #[test]
    fn parts_of_samples_sum_to_the_whole(
        samples in prop::collection::vec((0u64..20_000, prop::collection::vec(0u8..4, 0..4)), 1..40),
        boundaries in boundaries(),
    ) {
        check_parts(&read_bytes("a.json", speedscope(&samples).as_bytes()), &boundaries);
    }

    #[test]
    fn selecting_a_range_commutes_with_a_drop(
        steps in prop::collection::vec((0u64..9, 0u8..9), 1..40),
        samples in prop::collection::vec((0u64..20_000, prop::collection::vec(0u8..4, 0..4)), 1..20),
        (from_ns, of_ns) in (0u64..200_000, 0u64..200_000),
    ) {
        let range = TimeRange { from_ns, to_ns: from_ns + of_ns };
        check_drops(&read_bytes("a.json", speedscope(&samples).as_bytes()), range);
        let text = trace(&steps);
        prop_assume!(text.len() > 2);
        check_drops(&read_bytes("a.json", text.as_bytes()), range);
    }
}

#[test]
fn parts_of_repaired_recordings_sum_to_the_whole() {
    for (pattern, seed) in [
        (Pattern::Unambiguous, 1),
        (Pattern::Mutual, 2),
        (Pattern::Grammar, 3),
    ] {
        let recording = Recording::new(pattern, 20, 400, seed);
        let profile = read_bytes("a.nettrace", &recording.file(20));
        assert!(profile.is_repaired());
        let span_ns = profile.recording.samples.as_ref().unwrap().span_ns;
        for share in 1..8 {
            check_parts(
                &profile,
                &[span_ns * share / 9, span_ns * (share + 1) / 9 + share],
            );
        }
    }
}
