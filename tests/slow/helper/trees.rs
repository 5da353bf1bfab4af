//! What is read: the JSON text, and the tree that dotspot makes of it.

use super::{Bench, small};
use crate::common::dottrace::Script;
use crate::common::text::has;
use dotspot::testing::importers::import;
use dotspot::testing::input::{Input, Progress};
use dotspot::testing::model::{MetricId, ProfileKind, Recording, View};

const TIME: MetricId = MetricId(0);

#[track_caller]
fn load(json: &str) -> View {
    let stream = Box::new(std::io::Cursor::new(json.as_bytes().to_vec()));
    let input = Input::stream("s.json", stream, Progress::default()).unwrap();
    let profile = import(input)
        .map(Recording::into_view)
        .unwrap_or_else(|error| panic!("{error}\n{json}"));
    profile.tree.check().unwrap();
    profile
}

/// A line per node: depth, name, kind, inclusive and exclusive in nanoseconds, calls.
fn dump(profile: &View) -> Vec<String> {
    let tree = &profile.tree;
    tree.nodes()
        .map(|node| {
            let depth = tree.ancestors(node).count();
            let kind = profile.frames.get(tree.frame(node)).kind.name();
            let (inclusive, exclusive) = (tree.inclusive(TIME, node), tree.exclusive(TIME, node));
            let calls = tree.count(TIME, node).unwrap();
            format!(
                "{depth} {} {kind} {inclusive} {exclusive} {calls}",
                profile.name(node)
            )
        })
        .collect()
}

/// The tree of a snapshot as [`dump`] shows it, without warnings.
#[track_caller]
fn check(script: &Script, expect: &[&str]) {
    let bench = present!(Bench::new());
    let profile = load(&bench.json(script));
    assert_eq!(dump(&profile), expect);
    assert_eq!(profile.codes(), [""; 0]);
    assert_eq!(
        dotspot::testing::analysis::check_stored_hotspots(&profile),
        None
    );
}

/// 8 ticks a millisecond. `Match` calls itself: 80 + 8 ticks in all, of which 40 are below another `Match`.
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
        r#""hotspots":{"inclusive":["#,
        r#"{"name":"Acme.Orders.Book.Match","kind":"method","inclusive_time":13,"exclusive_time":8,"call_count":13,"node_count":2},"#,
        r#"{"name":"[Garbage collection]","kind":"special","inclusive_time":5,"exclusive_time":5,"call_count":2,"node_count":1},"#,
        r#"{"name":"[Native or optimized code]","kind":"special","inclusive_time":1,"exclusive_time":1,"call_count":1,"node_count":1},"#,
        r#"{"name":"<Main>","kind":"method","inclusive_time":0.5,"exclusive_time":0.5,"call_count":1,"node_count":1}],"#,
        r#""exclusive":["#,
        r#"{"name":"Acme.Orders.Book.Match","kind":"method","inclusive_time":13,"exclusive_time":8,"call_count":13,"node_count":2},"#,
        r#"{"name":"[Garbage collection]","kind":"special","inclusive_time":5,"exclusive_time":5,"call_count":2,"node_count":1},"#,
        r#"{"name":"[Native or optimized code]","kind":"special","inclusive_time":1,"exclusive_time":1,"call_count":1,"node_count":1},"#,
        r#"{"name":"<Main>","kind":"method","inclusive_time":0.5,"exclusive_time":0.5,"call_count":1,"node_count":1}]}}"#,
    );
    assert_eq!(
        bench.json(&orders()),
        expect.replace("SNAPSHOT", path.to_str().unwrap())
    );
}

#[test]
fn dotspot_reads_what_the_helper_writes() {
    let bench = present!(Bench::new());
    let profile = load(&bench.json(&orders()));
    assert_eq!(
        dump(&profile),
        [
            "0 All threads root 15625000 0 0",
            "1 Main thread thread 15000000 1000000 1",
            "2 Acme.Orders.Book.Match method 13000000 2000000 4",
            "3 Acme.Orders.Book.Match method 6000000 6000000 9",
            "3 [Garbage collection] special 5000000 5000000 2",
            "2 [Native or optimized code] special 1000000 1000000 1",
            "1 Worker \"7\" thread 625000 125000 1",
            "2 <Main> method 500000 500000 1",
        ]
    );
    assert_eq!(profile.recording.source.kind, ProfileKind::Unknown);
    assert_eq!(profile.recording.source.decoder, "assemblies");
    let threads: Vec<_> = profile
        .threads
        .iter()
        .map(|thread| (thread.node.0, &*thread.name))
        .collect();
    assert_eq!(threads, [(1, "Main thread"), (6, "Worker \"7\"")]);
    assert_eq!(profile.recording.stored_hotspots.len(), 4);
    assert_eq!(
        dotspot::testing::analysis::check_stored_hotspots(&profile),
        None
    );
}

#[test]
fn names_come_from_the_signature_or_the_metadata() {
    let wide = 0xFEDC_BA98_7654_3210;
    let script = Script::new(1000)
        .thread("T", [9, 0, 1])
        .method(2, [9, 0, 1], "Acme.Feed+<ConsumeAsync>d__12", "MoveNext")
        .method(
            3,
            [9, 0, 1],
            "System.Collections.Generic.List`1[System.String]",
            "Add<T>",
        )
        // no signature: the metadata, by a number of 64 bits
        .function(4, [9, 0, 1], wide)
        // the metadata goes before the short name that dotTrace shows
        .labeled_function(5, [9, 0, 1], 0x1F00000004, "Run")
        // not in the metadata: what dotTrace shows, and if that says nothing, which function it is
        .labeled_function(6, [9, 0, 1], 2, "Garbage collection")
        .labeled_function(7, [9, 0, 1], 0x1F00000005, "130")
        .labeled_function(8, [9, 0, 1], 0x1F00000006, "0x1F00000006")
        .function(9, [9, 0, 1], 0x1F00000007)
        .special(10, [9, 0, 1], " ")
        .special(11, [9, 9, 1], "[Waiting]")
        .name(wide, "Acme.Wide", "Go")
        .name(0x1F00000004, "", "Main");
    check(
        &script,
        &[
            "0 All threads root 9000000 0 0",
            "1 T thread 9000000 0 1",
            "2 Acme.Feed+<ConsumeAsync>d__12.MoveNext method 9000000 0 1",
            "3 System.Collections.Generic.List`1[System.String].Add<T> method 9000000 0 1",
            "4 Acme.Wide.Go method 9000000 0 1",
            "5 Main method 9000000 0 1",
            "6 [Garbage collection] special 9000000 0 1",
            "7 [Unresolved function 0x1f00000005] special 9000000 0 1",
            "8 [Unresolved function 0x1f00000006] special 9000000 0 1",
            "9 [Unresolved function 0x1f00000007] special 9000000 0 1",
            "10 [Unnamed node] special 9000000 0 1",
            "11 [Waiting] special 9000000 9000000 1",
        ],
    );
}

#[test]
fn threads_without_a_telling_name() {
    check(
        &Script::new(1000)
            .thread("", [1, 1, 1])
            .thread("4711", [2, 2, 1])
            .thread("beef", [3, 3, 1]),
        &[
            "0 All threads root 6000000 0 0",
            "1 beef thread 3000000 3000000 1",
            "1 Thread 4711 thread 2000000 2000000 1",
            "1 [Unnamed thread] thread 1000000 1000000 1",
        ],
    );
}

#[test]
fn a_snapshot_without_threads() {
    check(&Script::new(1000), &["0 All threads root 0 0 0"]);
}

#[test]
fn any_text_is_valid_json() {
    let name = "a\"b\\c\u{1}\u{7f}\u{85}é\u{202e}漢🦀{}";
    check(
        &Script::new(1000)
            .thread("T", [1, 0, 1])
            .method(2, [1, 1, 1], "Ns.Type", name),
        &[
            "0 All threads root 1000000 0 0",
            "1 T thread 1000000 0 1",
            &format!("2 Ns.Type.{name} method 1000000 1000000 1"),
        ],
    );
}

/// Times are exact where the clock allows it, and rounded to a trillionth of a second where not.
#[test]
fn times_in_milliseconds() {
    let bench = present!(Bench::new());
    for (resolution, ticks, expect) in [
        (1000, 1, "1"),
        (10_000_000, 1, "0.0001"),
        (1_000_000_000, 1, "0.000001"),
        (10_000_000, 123_456_789, "12345.6789"),
        (3, 1, "333.333333333"),
        (3, 2, "666.666666667"),
        // 2^63 - 1 ticks of a nanosecond: a double would lose the last digits
        (1_000_000_000, i64::MAX, "9223372036854.775807"),
        (1, i64::MAX, "9223372036854775807000"),
        (i64::MAX, i64::MAX, "1000"),
    ] {
        let json = bench.json(&Script::new(resolution).thread("T", [ticks, 0, 1]));
        assert!(
            json.contains(&format!(r#""inclusive_time":{expect},"exclusive_time":0,"#)),
            "{ticks}/{resolution}: {json}"
        );
    }
}

/// Sums are not those of 64 bits: two threads of the largest time.
#[test]
fn sums_do_not_overflow() {
    let bench = present!(Bench::new());
    let most = [i64::MAX, i64::MAX, i64::MAX];
    let script = Script::new(1000)
        .thread("A", most)
        .method(2, most, "T", "M")
        .thread("B", most)
        .method(2, most, "T", "M");
    let json = bench.json(&script);
    assert!(
        json.contains(r#""id":"root","name":"All threads","kind":"root","inclusive_time":18446744073709551614,"#),
        "{json}"
    );
    let hotspot = r#"{"name":"T.M","kind":"method","inclusive_time":18446744073709551614,"exclusive_time":18446744073709551614,"call_count":18446744073709551614,"node_count":2}"#;
    assert!(json.contains(hotspot), "{json}");
}

/// A calls B calls A: the time of the inner A is in the outer one, that of the A beside is not.
#[test]
fn recursion_counts_once() {
    let bench = present!(Bench::new());
    let script = Script::new(1000)
        .thread("T", [100, 0, 1])
        .method(2, [60, 10, 1], "X", "A")
        .method(3, [50, 20, 2], "X", "B")
        .method(4, [30, 30, 3], "X", "A")
        .method(2, [40, 40, 4], "X", "A");
    let json = bench.json(&script);
    assert!(json.contains(r#""hotspots":{"inclusive":[{"name":"X.A","kind":"method","inclusive_time":100,"exclusive_time":80,"call_count":8,"node_count":3},{"name":"X.B","kind":"method","inclusive_time":50,"exclusive_time":20,"call_count":2,"node_count":1}]"#), "{json}");
}

/// No stack grows with the depth. The text is not read back here, since that is shown elsewhere.
#[test]
fn a_chain_of_200_000() {
    let bench = present!(Bench::new());
    let script = Script::new(1_000_000_000)
        .thread("T", [200_000, 0, 1])
        .chain(2, [200_000, 1, 1], "X", "Down", 200_000);
    let json = bench.json(&script);
    assert!(json.contains(
        r#"{"id":"t1:n200000","name":"X.Down","kind":"method","inclusive_time":0.000001,"#
    ));
    assert!(json.ends_with(
        r#""inclusive_time":0.2,"exclusive_time":0.2,"call_count":200000,"node_count":200000}]}}"#
    ));
}

#[test]
fn the_payload_is_what_the_index_says() {
    let bench = present!(Bench::new());
    for (magic, payload) in [("MFDTPF", "unknown"), ("MFDTEM", "timeline")] {
        let index = small().save(bench.folder.path(), "s.dtp");
        let text = std::fs::read_to_string(&index).unwrap();
        std::fs::write(&index, text.replace("MFDTPF", magic)).unwrap();
        let outcome = super::run(&mut bench.command(&index));
        has(
            String::from_utf8(outcome.stdout).unwrap(),
            format!(r#""payload_type":"{payload}""#),
        );
    }
}
