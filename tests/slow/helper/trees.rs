//! The JSON written by the helper, and the tree that dotspot reads from it.

use super::{Bench, run, small};
use crate::common::dottrace::Script;
use crate::common::profiles::check_tree;
use crate::common::text::{assert_contains, assert_contains_all, assert_ends_with};
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{MetricId, Recording};

/// Checks the tree that dotspot reads, one line per node: depth, name, kind, inclusive and exclusive nanoseconds, calls.
#[track_caller]
fn check(script: &Script, expect: &[&str]) {
    const TIME: MetricId = MetricId(0);
    let json = present!(Bench::new()).json(script);
    let stream = Box::new(std::io::Cursor::new(json.clone().into_bytes()));
    let input = Input::stream("s.json", stream, Progress::default()).unwrap();
    let profile = import(input)
        .map(Recording::into_view)
        .unwrap_or_else(|error| panic!("{error}\n{json}"));
    let tree = &profile.tree;
    check_tree(&profile);
    let line = |node| {
        let (depth, name) = (tree.ancestors(node).count(), profile.name(node));
        let kind = profile.frames.get(tree.frame(node)).kind.name();
        let (inclusive, exclusive) = (tree.inclusive(TIME, node), tree.exclusive(TIME, node));
        let calls = tree.count(TIME, node).unwrap();
        format!("{depth} {name} {kind} {inclusive} {exclusive} {calls}")
    };
    let lines: Vec<String> = tree.nodes().map(line).collect();
    assert_eq!(lines, expect);
    assert_eq!(profile.codes(), [""; 0]);
}

/// 8 ticks per millisecond. `Match` calls itself: 80 + 8 ticks in total, 40 of them below another `Match`.
fn orders() -> Script {
    Script::new(8000)
        .thread("Main thread", [120, 8, 1])
        .method(2, [104, 16, 4], "Acme.Orders.Book", "Match")
        .method(3, [48, 48, 9], "Acme.Orders.Book", "Match")
        .special(3, [40, 40, 2], "[Garbage collection]")
        .special(2, [8, 8, 1], "Native or optimized code")
        .thread("Worker \"7\"", [5, 1, 1])
        .method(2, [4, 4, 1], "", "<Main>")
}

#[test]
fn the_text_of_a_small_tree() {
    let bench = present!(Bench::new());
    let path = bench.path("s.dtp");
    let hotspots = concat!(
        r#"{"name":"Acme.Orders.Book.Match","kind":"method","inclusive_time":13,"exclusive_time":8,"call_count":13,"node_count":2},"#,
        r#"{"name":"[Garbage collection]","kind":"special","inclusive_time":5,"exclusive_time":5,"call_count":2,"node_count":1},"#,
        r#"{"name":"[Native or optimized code]","kind":"special","inclusive_time":1,"exclusive_time":1,"call_count":1,"node_count":1},"#,
        r#"{"name":"<Main>","kind":"method","inclusive_time":0.5,"exclusive_time":0.5,"call_count":1,"node_count":1}]"#,
    );
    let expect = concat!(
        r#"{"schema":"dotspot.call-tree/1","snapshot":{"source":"SNAPSHOT","thread_count":2,"node_count":null,"#,
        r#""payload_type":"unknown","time_unit":"ms","decoder":"assemblies","#,
        r#""decoder_version":"dotspot-dtp "#,
        env!("CARGO_PKG_VERSION"),
        r#", JetBrains.dotTrace.SnapShotApi 2024.3.5.1","warnings":[]},"#,
        r#""thread_roots":[{"id":"t1","name":"Main thread","kind":"thread","thread_name":"Main thread","inclusive_time":15,"exclusive_time":1,"call_count":1},"#,
        r#"{"id":"t2","name":"Worker \"7\"","kind":"thread","thread_name":"Worker \"7\"","inclusive_time":0.625,"exclusive_time":0.125,"call_count":1}],"#,
        r#""call_tree":{"id":"root","name":"All threads","kind":"root","inclusive_time":15.625,"exclusive_time":0,"call_count":0,"children":["#,
        r#"{"id":"t1","name":"Main thread","kind":"thread","inclusive_time":15,"exclusive_time":1,"call_count":1,"thread_name":"Main thread","children":["#,
        r#"{"id":"t1:n1","name":"Acme.Orders.Book.Match","kind":"method","inclusive_time":13,"exclusive_time":2,"call_count":4,"children":["#,
        r#"{"id":"t1:n2","name":"Acme.Orders.Book.Match","kind":"method","inclusive_time":6,"exclusive_time":6,"call_count":9,"children":[]},"#,
        r#"{"id":"t1:n3","name":"[Garbage collection]","kind":"special","inclusive_time":5,"exclusive_time":5,"call_count":2,"children":[]}]},"#,
        r#"{"id":"t1:n4","name":"[Native or optimized code]","kind":"special","inclusive_time":1,"exclusive_time":1,"call_count":1,"children":[]}]},"#,
        r#"{"id":"t2","name":"Worker \"7\"","kind":"thread","inclusive_time":0.625,"exclusive_time":0.125,"call_count":1,"thread_name":"Worker \"7\"","children":["#,
        r#"{"id":"t2:n1","name":"<Main>","kind":"method","inclusive_time":0.5,"exclusive_time":0.5,"call_count":1,"children":[]}]}]},"#,
        r#""hotspots":{"inclusive":[HOTSPOTS,"exclusive":[HOTSPOTS}}"#,
    );
    let expect = expect.replace("SNAPSHOT", path.to_str().unwrap());
    let json = bench.json(&orders());
    assert_eq!(json, expect.replace("HOTSPOTS", hotspots));
    check(
        &orders(),
        &[
            "0 All threads root 15625000 0 0",
            "1 Main thread thread 15000000 1000000 1",
            "2 Acme.Orders.Book.Match method 13000000 2000000 4",
            "3 Acme.Orders.Book.Match method 6000000 6000000 9",
            "3 [Garbage collection] special 5000000 5000000 2",
            "2 [Native or optimized code] special 1000000 1000000 1",
            "1 Worker \"7\" thread 625000 125000 1",
            "2 <Main> method 500000 500000 1",
        ],
    );
    // the index identifies a timeline
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("MFDTPF", "MFDTEM")).unwrap();
    let json = super::stdout_of(run(&mut bench.command("rider", &path)));
    assert_contains(json, r#""payload_type":"timeline""#);
}

#[test]
fn names_come_from_the_signature_or_the_metadata() {
    let wide = 0xFEDC_BA98_7654_3210;
    let odd = "a\"b\\c\u{1}\u{7f}\u{85}é\u{202e}漢🦀{}";
    let list = "System.Collections.Generic.List`1[System.String]";
    let script = Script::new(1000)
        .thread("4711", [9, 0, 1])
        .method(2, [9, 0, 1], list, odd)
        // no signature: metadata, found by a 64-bit number
        .function(3, [9, 0, 1], wide)
        // metadata takes precedence over the short name shown by dotTrace
        .labeled_function(4, [9, 0, 1], 0x1F00000004, "Run")
        // not in the metadata: the name shown by dotTrace, or a label with the function's number
        .labeled_function(5, [9, 0, 1], 2, "Garbage collection")
        .labeled_function(6, [9, 0, 1], 0x1F00000005, "130")
        .function(7, [9, 0, 1], 0x1F00000007)
        .special(8, [9, 9, 1], " ")
        .thread("", [1, 1, 1])
        .name(wide, "Acme.Wide", "Go")
        .name(0x1F00000004, "", "Main");
    check(
        &script,
        &[
            "0 All threads root 10000000 0 0",
            "1 Thread 4711 thread 9000000 0 1",
            &format!("2 {list}.{odd} method 9000000 0 1"),
            "3 Acme.Wide.Go method 9000000 0 1",
            "4 Main method 9000000 0 1",
            "5 [Garbage collection] special 9000000 0 1",
            "6 [Unresolved function 0x1f00000005] special 9000000 0 1",
            "7 [Unresolved function 0x1f00000007] special 9000000 0 1",
            "8 [Unnamed node] special 9000000 9000000 1",
            "1 [Unnamed thread] thread 1000000 1000000 1",
        ],
    );
    check(&Script::new(1000), &["0 All threads root 0 0 0"]);
}

/// Times are exact where the clock permits, otherwise rounded to a trillionth of a second.
#[test]
fn times_in_milliseconds() {
    let bench = present!(Bench::new());
    for (resolution, ticks, expect) in [
        (1_000_000_000, 1, "0.000001"),
        (10_000_000, 123_456_789, "12345.6789"),
        (3, 2, "666.666666667"),
        // 2^63 - 1 ticks of a nanosecond: a double would lose the last digits
        (1_000_000_000, i64::MAX, "9223372036854.775807"),
        (i64::MAX, i64::MAX, "1000"),
    ] {
        let json = bench.json(&Script::new(resolution).thread("T", [ticks, 0, 1]));
        assert_contains(
            json,
            format!(r#""inclusive_time":{expect},"exclusive_time":0,"#),
        );
    }
    // sums exceed 64 bits: two threads with the maximum time
    let max = [i64::MAX, i64::MAX, i64::MAX];
    let thread = |script: Script, name| script.thread(name, max).method(2, max, "T", "M");
    let json = bench.json(&thread(thread(Script::new(1000), "A"), "B"));
    let hotspot = r#"{"name":"T.M","kind":"method","inclusive_time":18446744073709551614,"exclusive_time":18446744073709551614,"call_count":18446744073709551614,"node_count":2}"#;
    assert_contains(json, hotspot);
}

/// Deep trees do not overflow the stack, and recursion counts once.
#[test]
fn a_chain_of_200_000() {
    let bench = present!(Bench::new());
    let script = Script::new(1_000_000_000).thread("T", [200_000, 0, 1]);
    let json = bench.json(&script.chain(2, [200_000, 1, 1], "X", "Down", 200_000));
    assert_contains_all(
        &json,
        &[r#"{"id":"t1:n200000","name":"X.Down","kind":"method","inclusive_time":0.000001,"#],
    );
    assert_ends_with(
        json,
        r#""inclusive_time":0.2,"exclusive_time":0.2,"call_count":200000,"node_count":200000}]}}"#,
    );
    // exactly at the depth limit, thread included, and one more
    let deep = |length| {
        let thread = Script::new(1000).thread("T", [1, 1, 1]);
        bench.save(&thread.chain(2, [1, 0, 1], "X", "Down", length))
    };
    for (option, words) in [
        ("--max-nodes", "more than 1000 nodes"),
        ("--max-depth", "deeper than 1000 nodes"),
    ] {
        let limited = |length| {
            let mut command = bench.command("rider", &deep(length));
            run(command.args([option, "1000"]))
        };
        assert_eq!(limited(999).code, Some(0), "{option}");
        let words = [words, "1000 nodes were read", "please report it"];
        super::assert_fails(&limited(u64::MAX >> 1), "walk", &words);
    }
}

/// Snapshots may come from case-insensitive systems, and dotTrace's window saves everything in one file.
#[test]
fn every_kind_of_container_is_read() {
    let bench = present!(Bench::new());
    let index = bench.save(&small());
    let mut command = bench.command("rider", &index);
    std::fs::rename(bench.path("s.dtp.0000"), bench.path("S.DTP.0000")).unwrap();
    super::stdout_of(run(&mut command));
    std::fs::remove_file(bench.path("S.DTP.0000")).unwrap();
    let text = std::fs::read_to_string(&index).unwrap();
    let rest = text.strip_prefix("MFDTPF").unwrap();
    std::fs::write(&index, [b"\xEEGDTPF", rest.as_bytes()].concat()).unwrap();
    super::stdout_of(run(&mut command));
}
