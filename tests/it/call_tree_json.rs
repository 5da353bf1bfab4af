//! Reads call-tree JSON, including damaged files.

use crate::common::call_tree::{SMALL, SMALL_TREE, TIME, document, dump, export, load, load_bytes};
use crate::common::profiles::names_behind;
use dotspot::testing::analysis::node_labeled;
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, UnknownUnit};
use dotspot::testing::importers::{FORMATS, import};
use dotspot::testing::input::{Head, ImportError, Input, Progress};
use dotspot::testing::model::{CountKind, Metric, MetricId, NodeId, NodeIds, ProfileKind, View};
use dotspot::testing::units::Unit;
use std::io::{Cursor, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The node, id and name of each thread.
fn threads(profile: &View) -> Vec<(u32, &str, &str)> {
    let threads = profile.threads.iter();
    threads.map(|it| (it.node.0, &*it.id, &*it.name)).collect()
}

#[test]
fn a_file_that_follows_the_contract() {
    let profile = load(SMALL);
    assert_eq!(dump(&profile), SMALL_TREE);
    let (recording, source) = (&profile.recording, &profile.recording.source);
    assert_eq!(source.name, "/home/ann/shop.dtp");
    assert_eq!(
        (&*source.format, source.kind),
        ("calltree", ProfileKind::Tracing)
    );
    assert_eq!(
        (&*source.decoder, &*source.decoder_version),
        ("helper", "1.2")
    );
    let kept = Diagnostic::kept("no signatures".into());
    assert_eq!(profile.warnings(), [kept]);
    let time = Metric::time("time", Some(CountKind::Calls));
    assert_eq!(recording.metrics, [time]);
    let offsets = NodeIds::Offsets(vec![0, 0x10, 0x20, 0x40, 0x30, 0x99]);
    assert_eq!(recording.node_ids, offsets);
    // sorted by node, regardless of the order in the file
    let expect = [(1, "", "Main thread"), (5, "12", "Thread 12")];
    assert_eq!(threads(&profile), expect);
}

#[test]
fn progress_is_reported_and_cancellation_is_heeded() {
    let read = |progress: &Progress| {
        let stream = Box::new(Cursor::new(SMALL.as_bytes().to_vec()));
        import(Input::stream("a.json", stream, progress.clone()).unwrap()).err()
    };
    let progress = Progress::default();
    assert_eq!(read(&progress), None);
    let (bytes, _, nodes) = progress.now();
    assert_eq!((bytes, nodes), (SMALL.len() as u64, 6));
    progress.cancel();
    assert_eq!(read(&progress), Some(ImportError::Cancelled));
}

#[test]
fn nodes_are_counted_while_reading_with_or_without_callees() {
    let nodes = vec![r#"{"name":"a","exclusive_time":1}"#; 20_000].join(",");
    let text = format!(r#"{{"call_tree":{{"name":"r","children":[{nodes}"#);
    let progress = Progress::default();
    /// The end of a stream. Records how many nodes have been counted when the reader reaches it.
    struct End(Progress, Arc<AtomicU64>);
    impl Read for End {
        fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
            self.1.store(self.0.now().2, Ordering::Relaxed);
            Ok(0)
        }
    }
    let seen = Arc::new(AtomicU64::new(0));
    let stream = Cursor::new(text.into_bytes()).chain(End(progress.clone(), Arc::clone(&seen)));
    import(Input::stream("a.json", Box::new(stream), progress).unwrap()).unwrap();
    let seen = seen.load(Ordering::Relaxed);
    assert!(seen > 15_000, "{seen}");
}

#[test]
fn payload_type_sets_the_kind_and_the_count_member_sets_its_meaning() {
    use CountKind::{Calls, Samples, Unknown};
    for (payload, member, kind, counts) in [
        ("sampling", "call_count", ProfileKind::Sampling, Samples),
        ("tracing", "call_count", ProfileKind::Tracing, Calls),
        ("line-by-line", "call_count", ProfileKind::LineByLine, Calls),
        ("timeline", "call_count", ProfileKind::Timeline, Unknown),
        ("unknown", "call_count", ProfileKind::Unknown, Unknown),
        ("what is this", "call_count", ProfileKind::Unknown, Unknown),
        ("unknown", "sample_count", ProfileKind::Unknown, Samples),
        ("tracing", "sample_count", ProfileKind::Tracing, Samples),
        ("sampling", "count", ProfileKind::Sampling, Unknown),
    ] {
        let text = SMALL
            .replace("tracing", payload)
            .replace("call_count", member);
        let profile = load(&text);
        let found = (
            profile.recording.source.kind,
            profile.recording.metrics[0].counts,
        );
        assert_eq!(found, (kind, Some(counts)), "{payload} {member}");
        assert_eq!(profile.tree.count(TIME, NodeId(1)), Some(1));
    }
}

#[test]
fn counts_need_not_be_declared() {
    let profile = load(
        r#"{"snapshot":{"payload_type":"tracing","metric":{"name":"time","unit":"ms"}},
            "call_tree":{"name":"r","kind":"root","exclusive_time":1,"call_count":7}}"#,
    );
    let counts = profile.recording.metrics[0].counts;
    assert_eq!(counts, Some(CountKind::Calls));
    assert_eq!(profile.tree.count(TIME, NodeId::ROOT), Some(7));
}

#[test]
fn members_may_come_in_any_order() {
    let tree = r#""call_tree":{"name":"r","kind":"root","inclusive_time":3,"exclusive_time":1,"other":[[2.5,1.5,4],[9,8,null]],"children":[{"name":"m","kind":"method","inclusive_time":2,"exclusive_time":2,"other":[[1,1,1],[1,1,null]],"children":[]}]}"#;
    let turned = r#""call_tree":{"children":[{"children":[],"other":[[1,1,1],[1,1,null]],"exclusive_time":2,"inclusive_time":2,"kind":"method","name":"m"}],"other":[[2.5,1.5,4],[9,8,null]],"exclusive_time":1,"inclusive_time":3,"kind":"root","name":"r"}"#;
    let snapshot = r#""snapshot":{"metric":{"name":"size","unit":"bytes","counts":null},"other_metrics":[{"name":"CPU","unit":"ms","counts":"samples"},{"name":"items","unit":"count","counts":null}],"time_unit":"bytes"}"#;
    let hotspots =
        r#""hotspots":{"inclusive":[{"exclusive_time":2,"name":"m","inclusive_time":2}]}"#;
    for members in [
        [tree, snapshot, hotspots],
        [snapshot, tree, hotspots],
        [hotspots, turned, snapshot],
        [turned, hotspots, snapshot],
    ] {
        let profile = load(&format!("{{{}}}", members.join(",")));
        assert_eq!(dump(&profile), ["0 r root 3 1 -", "1 m method 2 2 -"]);
        let metric = |name: &str, unit| Metric {
            name: name.into(),
            unit,
            counts: None,
        };
        let cpu = Metric::time("CPU", Some(CountKind::Samples));
        let expect = [
            metric("size", Unit::Bytes),
            cpu,
            metric("items", Unit::Count),
        ];
        assert_eq!(profile.recording.metrics, expect);
        let (root, tree) = (NodeId::ROOT, &profile.tree);
        let values = |metric| {
            (
                tree.inclusive(metric, root),
                tree.exclusive(metric, root),
                tree.count(metric, root),
            )
        };
        assert_eq!(values(MetricId(1)), (2_500_000, 1_500_000, Some(4)));
        assert_eq!(values(MetricId(2)), (9, 8, None));
    }
}

#[test]
fn the_last_of_repeated_members_counts() {
    let twice = |name: &str, first: &str, last: &str| {
        format!(
            r#"{{"snapshot":{{"other_metrics":[{{"name":"CPU","unit":"ms"}},{{"name":"Wait","unit":"ms"}}]}},"call_tree":{{"name":"r","kind":"root","exclusive_time":1,"{name}":{first},"{name}":{last}}}}}"#
        )
    };
    for (name, first, last) in [
        ("other", "[[2,2,1]]", "[[5,4,3]]"),
        ("other", "[[2,2,1],[7,6,5]]", "[[5,4,3]]"),
        ("other", "[[2,2,1],[7,6,5]]", "[[5],[4]]"),
        ("other", "[[2,2,1],[7,6,5]]", "[]"),
        ("inclusive_time", "4", "5"),
        ("call_count", "4", "5"),
    ] {
        let once = load(&twice(name, last, last));
        let both = load(&twice(name, first, last));
        let values = |profile: &View| {
            let metrics = (0..profile.recording.metrics.len()).map(MetricId::at);
            let tree = &profile.tree;
            let values = metrics.map(|metric| {
                let node = NodeId(0);
                let own = tree.exclusive(metric, node);
                (tree.inclusive(metric, node), own, tree.count(metric, node))
            });
            values.collect::<Vec<_>>()
        };
        assert_eq!(values(&both), values(&once), "{name}: {first}, {last}");
    }
}

#[test]
fn times_in_other_units_are_converted() {
    let with_unit = |unit: &str| {
        let tree = document(r#"{"name":"r","kind":"root","inclusive_time":1.5}"#);
        load(&tree.replace(r#""ms""#, &format!("{unit:?}")))
    };
    for (unit, expect) in [
        ("s", 1_500_000_000),
        ("ms", 1_500_000),
        ("us", 1500),
        ("µs", 1500),
        ("ns", 2),
    ] {
        let profile = with_unit(unit);
        assert_eq!(profile.tree.inclusive(TIME, NodeId::ROOT), expect, "{unit}");
        assert_eq!(profile.recording.metrics[0].unit, Unit::Milliseconds);
    }
    let unknown = Diagnostic::UnitUnknown {
        unit: "ticks".into(),
        values: UnknownUnit::ReadAsMilliseconds,
    };
    assert_eq!(with_unit("ticks").warnings(), [unknown]);
}

/// Checks the nodes and warnings of a document with this tree.
#[track_caller]
fn check(tree: &str, expect: &[&str], warnings: &[Diagnostic]) {
    let profile = load(&document(tree));
    assert_eq!(dump(&profile), expect);
    assert_eq!(profile.warnings(), warnings);
}

#[test]
fn missing_members_are_filled_in() {
    // without inclusive times: sums
    check(
        r#"{"name":"r","kind":"root","children":[{"name":"a","kind":"method","exclusive_time":2,"children":[{"name":"b","kind":"method","exclusive_time":3}]}]}"#,
        &[
            "0 r root 5000000 0 -",
            "1 a method 5000000 2000000 -",
            "2 b method 3000000 3000000 -",
        ],
        &[],
    );
    // without exclusive times: the remainder after the callees
    check(
        r#"{"name":"r","kind":"root","inclusive_time":9,"children":[{"name":"a","kind":"method","inclusive_time":4,"call_count":2,"children":null}]}"#,
        &["0 r root 9000000 5000000 0", "1 a method 4000000 4000000 2"],
        &[],
    );
    // the decoder's values are preserved even if they don't add up, but inclusive is never below exclusive
    check(
        r#"{"name":"r","kind":"root","inclusive_time":9,"exclusive_time":1,"children":[{"name":"a","kind":"method","inclusive_time":4,"exclusive_time":5,"call_count":2,"children":[]},{"name":"b","kind":"method","inclusive_time":40,"exclusive_time":5}]}"#,
        &[
            "0 r root 9000000 1000000 0",
            "1 b method 40000000 5000000 0",
            "1 a method 5000000 5000000 2",
        ],
        &[],
    );
    // null counts as missing; kinds default to root and method
    check(
        r#"{"id":null,"name":"r","kind":null,"inclusive_time":null,"exclusive_time":1,"call_count":null,"thread_name":null,"other":null,"signature":null,"children":[{"name":"a","exclusive_time":1}]}"#,
        &["0 r root 2000000 1000000 -", "1 a method 1000000 1000000 -"],
        &[],
    );
    check(
        r#"{"exclusive_time":1,"children":[{"exclusive_time":1},{"kind":"method"},{"name":"x","kind":"lambda"},{"name":"y","kind":"native"}]}"#,
        &[
            "0 All threads root 2000000 1000000 -",
            "1 [No name] special 1000000 1000000 -",
            "1 [No name] special 0 0 -",
            "1 x method 0 0 -",
            "1 y method 0 0 -",
        ],
        &[
            Diagnostic::NodesNameless { count: 2 },
            Diagnostic::NodeKindsUnknown {
                count: 2,
                first: "lambda".into(),
            },
        ],
    );
}

#[test]
fn numbers_out_of_range_are_clamped_with_one_warning() {
    check(
        r#"{"name":"r","kind":"root","inclusive_time":1e300,"exclusive_time":-1.5,"call_count":-2,"children":[{"name":"a","kind":"method","inclusive_time":18446744073709551616,"exclusive_time":0,"call_count":2.0}]}"#,
        &[
            "0 r root 18446744073709551615 0 0",
            "1 a method 18446744073709551615 0 2",
        ],
        &[Anomaly::ValuesClamped.with_count(4)],
    );
}

#[test]
fn the_original_variant_without_a_schema_is_read() {
    let profile = load(
        r#"{"snapshot":{"payload_type":"sampling","time_unit":"ms"},
        "call_tree":{"id":0,"name":"root","kind":"root","inclusive_time":4,"exclusive_time":0,"call_count":0,"children":[
        {"id":1,"name":"Thread","kind":"thread","inclusive_time":4,"exclusive_time":4,"call_count":2,"children":[]}]},
        "thread_roots":[{"id":1,"thread_id":77,"thread_name":"Worker"}]}"#,
    );
    let expect = [
        "0 root root 4000000 0 0",
        "1 Thread thread 4000000 4000000 2",
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(threads(&profile), [(1, "77", "Worker")]);
    assert_eq!(profile.recording.source.name, "a.json");
}

#[test]
fn escaped_and_plain_ids_are_equal() {
    for (row, node) in [
        ("a1", r"\u0061\u0031"),
        (r"\u00611", "a1"),
        (r"a\/1", "a/1"),
        (r"\ud800", r"\ud801"),
    ] {
        let profile = load(&format!(
            r#"{{"thread_roots":[{{"id":"{row}","thread_id":"77","thread_name":"Worker"}}],"call_tree":{{"name":"r","kind":"root","children":[{{"id":"{node}","name":"T","kind":"thread"}}]}}}}"#
        ));
        assert_eq!(threads(&profile), [(1, "77", "Worker")], "{row}");
    }
    // offsets are recognized despite escapes, too
    let tree = r#"{"id":"root","name":"r","kind":"root","children":[{"id":"t7\u003a0x2a","name":"T","kind":"thread"}]}"#;
    assert_eq!(load(&document(tree)).node_label(NodeId(1)), "t7:0x2a");
}

#[test]
fn threads_are_sorted_by_node_and_never_nested() {
    let thread = |id: u32, time: u32, inner: &str| {
        format!(
            r#"{{"id":"{id}","name":"T{id}","kind":"thread","inclusive_time":{time},"children":[{inner}]}}"#
        )
    };
    let inner = thread(4, 1, "");
    let nodes = [thread(1, 2, ""), thread(2, 9, &inner), thread(3, 5, "")].join(",");
    let profile = load(&format!(
        r#"{{"thread_roots":[{{"id":"1"}},{{"id":"4"}},{{"id":"3"}},{{"id":"2"}}],"call_tree":{{"name":"r","kind":"root","children":[{nodes}]}}}}"#
    ));
    let expect = [(1, "", "T2"), (3, "", "T3"), (4, "", "T1")];
    assert_eq!(threads(&profile), expect);
}

#[test]
fn unknown_members_are_skipped_at_any_depth() {
    let deep = "[{\"x\":".repeat(300) + "0" + &"}]".repeat(300);
    let tree = format!(
        r#"{{"new":{deep},"name":"r","k":"\ud800","kind":"root","exclusive_time":1,"tags":[[],{{}},null,true,-1.5e3],"children":[{{"u":{deep},"n\u0061me":"a","kind":"method","exclusive_time":2}}],"z":{deep}}}"#
    );
    check(
        &tree,
        &["0 r root 3000000 1000000 -", "1 a method 2000000 2000000 -"],
        &[],
    );
}

#[test]
fn names_are_preserved_exactly() {
    let tree = r#"{"name":"r","kind":"root","children":[{"name":"a\"\\\/\b\u0041\ud83d\ude00\ud83dx","kind":"method"},{"name":"größe 値","kind":"method"},{"name":"","kind":"method"}]}"#;
    let profile = load(&document(tree));
    let mut names = names_behind(&profile, 1);
    names.sort();
    assert_eq!(names, ["", "a\"\\/\u{8}A😀\u{fffd}x", "größe 値"]);
    // equal names with different escapes are one frame
    let tree = r#"{"name":"r","kind":"root","children":[{"name":"Ab","kind":"method"},{"name":"\u0041b","kind":"method"}]}"#;
    let profile = load(&document(tree));
    assert_eq!(profile.tree.frame(NodeId(1)), profile.tree.frame(NodeId(2)));
}

#[track_caller]
fn check_error(text: &str, expect: &str) {
    let error = load_bytes(text.into()).err().unwrap().to_string();
    assert_eq!(error, format!("a.json: call-tree JSON{expect}"));
}

#[test]
fn errors_are_one_sentence() {
    let missing = ": expected the member `call_tree`, found none in the whole file; write the file again, with the tree";
    let newer = |version: &str| {
        format!(
            ": expected the schema dotspot.call-tree/1, found \"dotspot.call-tree/{version}\"; try a newer dotspot"
        )
    };
    let damaged = "the file is damaged or not in this format";
    for (text, expect) in [
        (r#"{"schema":"dotspot.call-tree/2","call_tree":{"nodes":[1,2]}}"#, newer("2")),
        (r#"{"call_tree":{"name":"r"},"schema":"dotspot.call-tree/1.1"}"#, newer("1.1")),
        (r#"{"schema":"dotspot.call-tree/1","snapshot":{}}"#, missing.into()),
        (r#"{"schema":"dotspot.call-tree/1","call_tree":null}"#, missing.into()),
        (
            r#"{"schema":"dotspot.call-tree/1","call_tree":{"name":"r"}} x"#,
            format!(" at byte 58 (0x3a): expected the end of the file, found `x`; {damaged}"),
        ),
        (
            r#"{"schema":"dotspot.call-tree/1","snapshot":{"facts":{}}}"#,
            format!(", member `facts` at byte 52 (0x34): expected an array, found an object; {damaged}"),
        ),
        (
            r#"{"schema":"dotspot.call-tree/1","snap"#,
            " at byte 37 (0x25): the file ends unexpectedly here; the file is incomplete: copy or write it again".into(),
        ),
    ] {
        check_error(text, &expect);
    }
    for (tree, member, offset, found) in [
        ("[]", "call_tree", 13, "an object, found an array"),
        (r#"{"name":7}"#, "name", 21, "a string, found a number"),
        (
            r#"{"name":"r","kind":{}}"#,
            "kind",
            32,
            "a string, found an object",
        ),
        (
            r#"{"inclusive_time":"3"}"#,
            "inclusive_time",
            31,
            "a number, found a string",
        ),
        (
            r#"{"exclusive_time":true}"#,
            "exclusive_time",
            31,
            "a number, found a truth value",
        ),
        (
            r#"{"call_count":[]}"#,
            "call_count",
            27,
            "a number, found an array",
        ),
        (r#"{"id":[]}"#, "id", 19, "a string, found an array"),
        (
            r#"{"children":{}}"#,
            "children",
            25,
            "an array, found an object",
        ),
        (
            r#"{"children":[7]}"#,
            "children",
            26,
            "an object, found a number",
        ),
        (
            r#"{"inclusive_time":NaN}"#,
            "inclusive_time",
            31,
            "a number, found `N`",
        ),
        (
            r#"{"name":"a" "kind":"b"}"#,
            "call_tree",
            25,
            "`,` or `}`, found `\"`",
        ),
    ] {
        let expect = format!(
            ", member `{member}` at byte {offset} ({offset:#x}): expected {found}; {damaged}"
        );
        check_error(&format!(r#"{{"call_tree":{tree}}}"#), &expect);
    }
}

#[test]
fn a_truncated_file_opens_with_what_was_read() {
    let full = document(
        r#"{"name":"r","kind":"root","exclusive_time":1,"children":[{"name":"a","kind":"method","inclusive_time":8,"exclusive_time":2,"call_count":1,"children":[{"name":"b","kind":"method","inclusive_time":3,"exclusive_time":3,"call_count":1,"children":[]},{"name":"c","kind":"#,
    );
    let end = full.find(r#""name":"c","kind":"#).unwrap() + r#""name":"c","kind":"#.len();
    let profile = load(&full[..end]);
    // a's inclusive time was read; r's is the sum of its callees
    let expect = [
        "0 r root 9000000 1000000 0",
        "1 a method 8000000 2000000 1",
        "2 b method 3000000 3000000 1",
        "2 c method 0 0 0",
    ];
    assert_eq!(dump(&profile), expect);
    assert_eq!(profile.warnings(), [Diagnostic::file_ends_at(end as u64)]);

    let cut = full.find(r#"{"name":"c""#).unwrap() + 1;
    let profile = load(&full[..cut]);
    assert_eq!(dump(&profile)[3], "2 [Broken off] special 0 0 0");

    // a cut after the tree only affects the hotspots
    let small_cut = SMALL.find("node_count\":1}").unwrap();
    let profile = load(&SMALL[..small_cut]);
    assert_eq!(dump(&profile), SMALL_TREE);
    assert_eq!(profile.codes(), ["kept", "broken-off"]);
}

#[test]
fn files_are_recognized_by_their_outermost_members() {
    for (text, is_one) in [
        (r#"{"schema":"dotspot.call-tree/1""#, true),
        (r#"{"schema":"dotspot.call-tree/7","#, true),
        (
            "\u{feff} {\n \"snapshot\": {\"payload_type\": \"tracing\"",
            true,
        ),
        (r#"{"snapshot":{"source":"x"},"x"#, true),
        (r#"{"thread_roots":["#, true),
        (r#"{"call_tree":{"name":"#, true),
        (r#"{"hotspots":{},"call_tree":{}}"#, true),
        (
            r#"{"$schema":"https://www.speedscope.app/file-format-schema.json","call_tree":1"#,
            true,
        ),
        (
            r#"{"snapshot":{"meta":{"node_fields":["type"]},"node_count":3"#,
            false,
        ),
        (r#"{"schema":"other","call_tree":{}"#, false),
        (
            r#"{"names":["call_tree","snapshot"],"x":{"call_tree":1}}"#,
            false,
        ),
        (r#"[{"call_tree":{}}]"#, false),
        ("{", false),
        ("", false),
        ("call_tree", false),
    ] {
        let head = Head {
            bytes: text.as_bytes(),
            name: "x.json",
        };
        let format = FORMATS.iter().find(|format| format.name == "calltree");
        let found = (format.unwrap().sniff)(&head);
        assert_eq!(found.is_some(), is_one, "{text}");
    }
}

/// The label of each node.
fn labels(profile: &View) -> Vec<String> {
    let nodes = profile.tree.nodes();
    nodes.map(|node| profile.node_label(node)).collect()
}

#[test]
fn thread_ids_and_offsets_are_preserved() {
    let tree = r#"{"id":"root","name":"All","kind":"root","inclusive_time":5,"exclusive_time":0,"children":[
        {"id":"t7:0x2a","name":"Main","kind":"thread","inclusive_time":2,"exclusive_time":1,"thread_name":"","children":[
            {"id":"t7:0xff","name":"a","kind":"method","inclusive_time":1,"exclusive_time":1}]},
        {"id":"t3:0x2a","name":"Pool","kind":"thread","inclusive_time":3,"exclusive_time":3,"thread_name":"Pool","children":[]}]}"#;
    let profile = load(&document(tree));
    let expect = ["root", "t3:0x2a", "t7:0x2a", "t7:0xff"];
    assert_eq!(labels(&profile), expect);
    assert_eq!(node_labeled(&profile, "t7:0xff"), Some(NodeId(3)));
    assert_eq!(threads(&profile), [(1, "3", "Pool"), (2, "7", "")]);
    for other in [
        // another spelling, missing, another thread's, a duplicate thread number
        tree.replace("t7:0xff", "t7:0xFF"),
        tree.replace("t7:0xff", "t7:0x0ff"),
        tree.replace("t7:0xff", "t07:0xff"),
        tree.replace(r#""id":"t7:0xff","#, ""),
        tree.replace("t7:0xff", "t3:0xff"),
        tree.replace("t3:", "t7:"),
        tree.replace(r#""t3:0x2a""#, "12"),
        tree.replace(r#""kind":"thread""#, r#""kind":"method""#),
        tree.replace("t7:0xff", "t7:0x10000000000000000"),
    ] {
        let profile = load(&document(&other));
        assert_eq!(profile.recording.node_ids, NodeIds::Preorder, "{other}");
    }
}

#[test]
fn ids_that_are_offsets_are_preserved() {
    let profile = load(SMALL);
    let expect = ["0x0", "0x10", "0x20", "0x40", "0x30", "0x99"];
    assert_eq!(labels(&profile), expect);
    for (label, node) in [
        ("0x40", Some(3)),
        ("0x0040", Some(3)),
        ("0x99", Some(5)),
        ("0x1", None),
        ("n3", None),
        ("root", None),
    ] {
        assert_eq!(node_labeled(&profile, label), node.map(NodeId), "{label}");
    }
    // the root needs no id, and a subtree keeps the ids of the complete tree
    let profile = load(&SMALL.replace(r#""0x0""#, r#""all""#));
    assert_eq!(profile.node_label(NodeId::ROOT), "root");
    assert_eq!(node_labeled(&profile, "root"), Some(NodeId::ROOT));
    let copied = |root| labels(&load(&export(&profile, root, TIME)));
    assert_eq!(copied(NodeId::ROOT), labels(&profile));
    assert_eq!(copied(NodeId(2)), ["0x20", "0x40", "0x30"]);
    // names, numbers, missing ids and mixed forms are not offsets
    for (id, other) in [
        (r#""0x40""#, r#""x40""#),
        (r#""0x40""#, "64"),
        (r#""id":"0x40","#, ""),
        (r#""0x40""#, r#""t1:0x40""#),
    ] {
        let profile = load(&SMALL.replace(id, other));
        assert_eq!(profile.recording.node_ids, NodeIds::Preorder, "{other}");
        assert_eq!(profile.codes(), ["kept"], "{other}");
    }
    let twice = load(&SMALL.replace("0x40", "0x30"));
    assert_eq!(twice.recording.node_ids, NodeIds::Preorder);
    let repeated = Diagnostic::NodeIdsRepeated { ids: 1 };
    assert_eq!(twice.warnings()[1], repeated);
}

#[test]
fn a_deep_chain_survives_a_round_trip() {
    let head =
        r#"{"name":"Deep","kind":"method","exclusive_time":0.000001,"call_count":1,"children":["#;
    let text = format!(
        r#"{{"schema":"dotspot.call-tree/1","call_tree":{{"name":"all","kind":"root","children":[{}{}]}}}}"#,
        head.repeat(100_000),
        "]}".repeat(100_000)
    );
    let profile = load(&text);
    assert_eq!(profile.tree.len(), 100_001);
    assert_eq!(profile.tree.inclusive(TIME, NodeId::ROOT), 100_000);
    let again = load(&export(&profile, NodeId::ROOT, TIME));
    assert_eq!(again.tree, profile.tree);
    // truncated at the deepest node
    let cut = load(&text[..text.len() - 150_000]);
    assert_eq!(cut.tree.inclusive(TIME, NodeId::ROOT), 100_000);
    assert_eq!(cut.codes(), ["broken-off"]);
}
