//! PerfView's saved stacks: real files summed by another XML reader, small ones by hand, and damaged or odd ones.

use crate::common::packing::zip;
use crate::common::profiles::{
    assert_harmless, by_name, check_tree, dump, fact, metric_names, names_behind, process_names,
    read_bytes, read_file, thread_names,
};
use crate::common::random::{read_of_changed, survive};
use crate::common::shared;
use crate::common::text::{assert_contains, assert_starts_with};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, partly};
use dotspot::testing::model::{MetricId, NodeId, View};

const VALUE: MetricId = MetricId(0);

#[track_caller]
fn read(text: impl Into<Vec<u8>>) -> View {
    let profile =
        read_bytes("a.perfView.xml", text.into()).unwrap_or_else(|error| panic!("{error}"));
    check_tree(&profile);
    profile
}

/// A file with these frames, stacks and samples, in PerfView's order.
fn file(frames: &str, stacks: &str, samples: &str) -> String {
    format!(
        "\u{feff}<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n<StackWindow>\r\n <StackSource>\r\n  <Frames Count=\"9\">{frames}</Frames>\r\n  \
         <Stacks Count=\"9\">{stacks}</Stacks>\r\n  <Samples Count=\"9\">{samples}</Samples>\r\n </StackSource>\r\n \
         <StackWindowGuiState><Frame ID=\"0\">no frame</Frame><Sample StackID=\"0\"/></StackWindowGuiState>\r\n</StackWindow>"
    )
}

/// `<Frame ID="0">a</Frame>` and so on.
fn frames(names: &[&str]) -> String {
    let names = names.iter().enumerate();
    names
        .map(|(id, name)| format!("<Frame ID=\"{id}\">{name}</Frame>"))
        .collect()
}

/// `<Stack …/>` for number, caller and frame.
fn stacks(rows: &[(i64, i64, i64)]) -> String {
    let row = |&(id, caller, frame): &(i64, i64, i64)| {
        format!("<Stack ID=\"{id}\" CallerID=\"{caller}\" FrameID=\"{frame}\" />")
    };
    rows.iter().map(row).collect()
}

#[track_caller]
fn check(text: &str, expect: &[&str], warnings: &[Diagnostic]) -> View {
    let profile = read(text);
    assert_eq!(dump(&profile), expect, "{text}");
    assert_eq!(profile.warnings(), warnings, "{text}");
    profile
}

/// Counted with Python's xml.etree and decimal: samples, sum of `Metric`, rows of `Stacks` (all have samples below them, and no two
/// have the same path), names of their frames; then for a name the inclusive sum, the exclusive sum and the number of samples that
/// contain it.
#[test]
fn real_files_have_the_sums_of_another_reader() {
    let ls = &[
        ("Raw Syscalls", 7_901_000, 0, 50),
        ("Syscall: mmap", 4_926_000, 0, 27),
        ("Syscall: write", 104_000, 0, 1),
        ("Return Code: 3", 1_563_000, 1_563_000, 9),
    ];
    let poll = "Return Code: 1 ([{fd=7, revents=POLLIN}])";
    let perf = &[
        ("Raw Syscalls", 5_350_746_000, 0, 10),
        ("Syscall: write", 68_029_000, 0, 396),
        ("Path: <Unknown>", 68_029_000, 0, 396),
        (poll, 3_329_129_000, 3_329_129_000, 3),
    ];
    for (file, samples, total, nodes, names, sums) in [
        ("ls.strace", 102, 15_473_000, 260, 163, ls),
        ("perf.strace", 406, 5_418_775_000, 627, 409, perf),
    ] {
        let path = present!(shared(&format!("perfview-xml/{file}.perfview.xml")));
        let profile = read_file(&path);
        assert_eq!(profile.recording.source.format, "perfview");
        assert_eq!(metric_names(&profile), ["time"]);
        assert_eq!(profile.recording.metrics[0].unit.name(), "ms");
        let tree = &profile.tree;
        assert_eq!(tree.inclusive(VALUE, NodeId::ROOT), total);
        assert_eq!(tree.count(VALUE, NodeId::ROOT), Some(samples));
        assert_eq!(
            (profile.node_count(), profile.method_count()),
            (nodes, names)
        );
        assert_eq!(profile.threads.len(), 0);
        assert_eq!(profile.codes(), ["values-taken-for-times"]);
        let found = by_name(&profile, VALUE, NodeId::ROOT);
        for (name, inclusive, exclusive, count) in sums {
            assert_eq!(found[*name], (*exclusive, *inclusive), "{name}");
            let nodes = tree.nodes().filter(|&node| profile.name(node) == *name);
            let counts = nodes.map(|node| tree.count(VALUE, node).unwrap());
            assert_eq!(counts.sum::<u64>(), *count, "{name}");
        }
    }
}

/// Frames as in PerfView's tables, for one process with two threads. Times by hand: 3.125 + 1.5 + 0.25 ms.
#[test]
fn thread_time_becomes_the_recordings_tree() {
    let names = [
        "ROOT",
        "Process64 app (7) Args: run",
        "Thread (9) CPU=5ms (.NET ThreadPool)",
        r"C:\app\App!N.C.M(class System.String)",
        "CPU_TIME",
        "BLOCKED_TIME",
        "Thread (7)",
    ];
    let rows = [
        (0, -1, 1),
        (1, 0, 2),
        (2, 1, 3),
        (3, 2, 4),
        (4, 2, 5),
        (5, 0, 6),
        (6, 5, 4),
    ];
    let samples = r#"<Sample ID="0" Time="0.5" StackID="3" Metric="3.125" /><Sample ID="1" Time="4" StackID="4" Metric="1.5" /><Sample ID="2" Time="9" StackID="6" Metric="0.250" />"#;
    let profile = check(
        &file(&frames(&names), &stacks(&rows), samples),
        &[
            "1 thread Thread (9) .NET pool 3125000/0 4625000/0",
            r"2 C:\app\App!N.C.M(class System.String) 3125000/3125000 4625000/3125000",
            "3 special BLOCKED_TIME 0/0 1500000/1500000",
            "1 thread Thread (7) main 250000/250000 250000/250000",
        ],
        &[],
    );
    assert_eq!(metric_names(&profile), ["CPU", "wall"]);
    assert_eq!(profile.recording.default_metric, MetricId(0));
    let module = profile.frames.module(profile.tree.frame(NodeId(2)));
    assert_eq!((profile.display_name(NodeId(2)), module), ("C.M", "App"));
    assert_eq!(fact(&profile, "command line"), "app run");
    assert_eq!(profile.codes(), [""; 0]);
    // whole milliseconds are times, too
    let samples = r#"<Sample StackID="3" Metric="3" /><Sample StackID="6" />"#;
    let whole = read(file(&frames(&names), &stacks(&rows), samples));
    assert_eq!(whole.tree.inclusive(MetricId(1), NodeId::ROOT), 4_000_000);
}

/// CPU stacks of a Windows trace: a millisecond per sample, no CPU_TIME.
#[test]
fn threads_and_processes_are_found_without_thread_time() {
    let names = [
        "Process64 web (7) Args:",
        "Thread (9) CPU=3ms",
        "A!A.B.C()",
        "Process64 db (8)",
        "Thread (8)",
        "x!y",
    ];
    let rows = [
        (0, -1, 0),
        (1, 0, 1),
        (2, 1, 2),
        (3, -1, 3),
        (4, 3, 4),
        (5, 4, 5),
        (6, 3, 5),
    ];
    let sample = |stack: i64| format!("<Sample StackID=\"{stack}\" />");
    let samples: String = [2, 2, 1, 5, 6, 3].map(sample).concat();
    let profile = check(
        &file(&frames(&names), &stacks(&rows), &samples),
        &[
            "1 process Process (7) web 3/0",
            "2 thread Thread (9) 3/1",
            "3 A!A.B.C() 2/2",
            "1 process Process (8) db 3/1",
            "2 thread Thread (8) main 1/0",
            "3 x!y 1/1",
            "2 x!y 1/1",
        ],
        &[],
    );
    assert_eq!(profile.recording.metrics[0].name, "samples");
    assert_eq!(process_names(&profile), [(7, "web"), (8, "db")]);
    assert_eq!(thread_names(&profile), [("9", ""), ("8", "main")]);
    // a single process gets no node; thread time with methods next to threads keeps the threads
    let text = file(
        &frames(&[
            "Process64 web (7) Args:",
            "Thread (9)",
            "A!A.B.C()",
            "CPU_TIME",
        ]),
        &stacks(&[(0, -1, 0), (1, 0, 1), (2, 1, 2), (3, 2, 3), (4, 0, 2)]),
        r#"<Sample StackID="3" Metric="1.5"/><Sample StackID="4" Metric="2"/>"#,
    );
    let expect = [
        "1 A!A.B.C() 2000000/2000000 x1",
        "1 thread Thread (9) 1500000/0 x1",
        "2 A!A.B.C() 1500000/0 x1",
        "3 special CPU_TIME 1500000/1500000 x1",
    ];
    let profile = check(&text, &expect, &[]);
    assert_eq!(fact(&profile, "process"), "Process (7) web");
}

#[test]
fn samples_may_contain_their_stacks() {
    // innermost first, as read by PerfView
    let bodies = "<StackWindow><StackSource><Samples><Sample Time=\"1\" Metric=\"2\">\n  c\n\n b&lt;T&gt; \r\n  a\n</Sample><Sample>b&lt;T&gt;\na</Sample><Sample Count=\"3\" Metric=\"4\"><![CDATA[a]]></Sample>\
                  </Samples></StackSource></StackWindow>";
    let expect = ["1 a 7/4 x5", "2 b<T> 3/1 x2", "3 c 2/2 x1"];
    let profile = check(bodies, &expect, &[]);
    assert_eq!(metric_names(&profile), ["weight"]);
    assert_eq!(profile.codes(), ["values-without-unit"]);
    let json = r#"{"x":1,"StackSource":{"Samples":[{"Time":1,"Metric":2,"Stack":["c","b<T>","a"]},{"Stack":["b\u003cT\u003e","a"],"ScenarioID":1},{"Metric":"4","Count":3,"Stack":["a"],"more":[{}]}]}}"#;
    let packed = zip(&[
        ("notes.txt", b"hello"),
        ("x.perfView.json", json.as_bytes()),
    ]);
    for (name, bytes) in [("a.perfView.json", json.into()), ("a.zip", packed)] {
        let profile = read_bytes(name, bytes).unwrap();
        assert_eq!(dump(&profile), expect);
        assert_eq!(profile.recording.source.format, "perfview");
    }
    // both kinds of samples in one file share their nodes
    let mixed = file(
        &frames(&["a", "b"]),
        &stacks(&[(0, -1, 0), (1, 0, 1)]),
        "<Sample StackID=\"1\"/><Sample>b\na</Sample>",
    );
    check(&mixed, &["1 a 2/0", "2 b 2/2"], &[]);
}

#[test]
fn numbers_come_in_any_order_and_tables_too() {
    let rows = stacks(&[(4_000_000_000, 7, 1), (7, 2, 0), (2, -1, 1)]);
    let names =
        "<Frame ID=\"1\">b</Frame><Frame ID=\"0\" OptimizationTier=\"OptimizedTier1\">a</Frame>";
    let samples = "<Sample ID=\"5\" StackID=\"4000000000\" Metric=\"3\"/><Sample StackID=\"7\" Metric=\"1\" ScenarioID=\"2\"/>";
    let expect = ["1 b 4/0 x2", "2 a 4/1 x2", "3 b 3/3 x1"];
    check(&file(names, &rows, samples), &expect, &[]);
    let turned = format!(
        "<StackSource><Samples>{samples}</Samples><Stacks>{rows}</Stacks><Frames>{names}</Frames></StackSource>"
    );
    check(&turned, &expect, &[]);
    // of two with the same number the last counts; of two sources the first, as in PerfView
    let again = format!("{rows}{}", stacks(&[(7, -1, 0)]));
    check(
        &file(names, &again, samples),
        &["1 a 4/1 x2", "2 b 3/3 x1"],
        &[partly::NUMBERS_GIVEN_TWICE.with_count(1)],
    );
    let two = format!(
        "<StackWindow>{}{}</StackWindow>",
        turned, "<StackSource><Samples><Sample>z</Sample></Samples></StackSource>"
    );
    check(&two, &expect, &[]);
}

#[test]
fn odd_numbers_are_reported_and_lose_no_sample() {
    let names = frames(&["a", "b"]);
    let sample = |stack: &str| format!("<Sample StackID=\"{stack}\" />");
    // a calls b calls a calls b …: the two stacks in the cycle are kept, below one outside it
    let circle = stacks(&[(0, 1, 0), (1, 0, 1), (2, 0, 1), (3, 3, 0)]);
    check(
        &file(&names, &circle, &[sample("2"), sample("3")].concat()),
        &["1 a 1/1", "1 b 1/0", "2 a 1/0", "3 b 1/1"],
        &[partly::STACK_CYCLES.with_count(2)],
    );
    let lacking = format!(
        "{}<Stack CallerID=\"1\" FrameID=\"1\"/><Stack/>",
        stacks(&[(0, 77, 0), (1, -1, 66)])
    );
    let samples = ["0", "1", "55", "-1", "x", ""].map(sample).concat();
    let profile = check(
        &file(&names, &lacking, &samples),
        &["1 special [No name] 1/1", "1 a 1/1"],
        &[
            partly::ELEMENTS_WITHOUT_NUMBER.with_count(2),
            partly::STACKS_OF_UNKNOWN_CALLERS.with_count(1),
            partly::STACKS_OF_UNKNOWN_FRAMES.with_count(1),
            partly::SAMPLES_OF_UNKNOWN_STACKS.with_count(1),
            Anomaly::SamplesWithoutStack.with_count(3),
        ],
    );
    assert_eq!(profile.tree.inclusive(VALUE, NodeId::ROOT), 6);
    let metric = |metric: &str| format!("<Sample StackID=\"0\" Metric=\"{metric}\" />");
    let metrics = [
        "-1.5",
        "abc",
        "",
        "NaN",
        "1e999",
        "18446744073709551616",
        "+2",
    ];
    let metrics = metrics.map(metric).concat();
    let profile = read(file(&names, &stacks(&[(0, -1, 0)]), &metrics));
    assert_eq!(profile.tree.inclusive(VALUE, NodeId(1)), u64::MAX);
    assert_eq!(profile.tree.count(VALUE, NodeId(1)), Some(7));
    let expect = [
        Anomaly::ValuesNegative.with_count(1),
        Anomaly::ValuesClamped.with_count(5),
    ];
    assert_eq!(profile.warnings(), expect);
    let absurd = file(&names, &stacks(&[(0, -1, 0)]), &sample("0"))
        .replace("Count=\"9\"", "Count=\"99999999999999\"");
    check(&absurd, &["1 a 1/1"], &[]);
}

/// Each name as written in XML, and as read.
#[test]
fn names_are_read_verbatim_and_shown_safely() {
    let long = &*"x".repeat(100_000);
    let names = [
        (
            "A!A.&lt;&gt;c.&lt;Run&gt;b__0&lt;T&gt;(!!0&amp;)",
            "A!A.<>c.<Run>b__0<T>(!!0&)",
        ),
        ("<![CDATA[A!A.<Run>g__X|0_1()]]>", "A!A.<Run>g__X|0_1()"),
        ("a<!-- no -->b<x>not this</x>c", "abc"),
        ("Größe!&#x4c;änge.&#214;l", "Größe!Länge.Öl"),
        ("A!zero\u{200b}width\u{feff}", "A!zero\u{200b}width\u{feff}"),
        (
            "A!\u{202e}thgir.\u{5e9}\u{5dc}",
            "A!\u{202e}thgir.\u{5e9}\u{5dc}",
        ),
        // characters forbidden in XML, literally and as references
        (
            "esc\u{1b}[31m&#x1b;]0;x&#7;&#0;",
            "esc\u{1b}[31m\u{1b}]0;x\u{7}\0",
        ),
        (
            "&#xD800;&nbsp;&unknown; & &;",
            "&#xD800;&nbsp;&unknown; & &;",
        ),
        (long, long),
        ("", "[No name]"),
    ];
    let rows: Vec<(i64, i64, i64)> = (0..names.len() as i64).map(|id| (id, -1, id)).collect();
    let samples = (0..names.len()).map(|id| format!("<Sample StackID=\"{id}\"/>"));
    let frames = frames(&names.map(|(xml, _)| xml));
    let profile = read(file(&frames, &stacks(&rows), &samples.collect::<String>()));
    let (mut found, mut expect) = (names_behind(&profile, 1), names.map(|(_, name)| name));
    found.sort_unstable();
    expect.sort_unstable();
    assert_eq!(found, expect);
    assert_harmless(&profile);
}

#[test]
fn other_files_are_refused_with_a_message() {
    let utf16 = file("", "", "<Sample/>");
    let utf16 = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let none = "expected samples in the StackSource, found none";
    for (bytes, words) in [
        (file(&frames(&["a"]), "", "").into(), none),
        (
            b"<StackWindow><StackSource><Frames>".to_vec(),
            "at byte 34 (0x22): expected a sample, and the file ends unexpectedly",
        ),
        (br#"{"StackSource":{"Samples":[]}}"#.to_vec(), none),
        (
            br#"{"StackSource":[1]}"#.to_vec(),
            "member `StackSource` at byte 15 (0xf): expected an object, found an array",
        ),
        (utf16, "is in the encoding UTF-16LE, but UTF-8 was expected"),
    ] {
        let error = read_bytes("a.perfView.xml", bytes).unwrap_err().to_string();
        assert_contains(&error, words);
        assert_starts_with(&error, "a.perfView.xml: PerfView stacks");
    }
}

/// Neither the path to the outermost frame nor a cycle may recurse or be walked again for each stack on it.
#[test]
fn many_stacks_of_one_chain_are_read() {
    for outermost in [-1, 0] {
        // callers follow their callees, and the last one is the outermost, or calls the first
        let mut rows = String::new();
        let last = 99_999;
        for id in 0..=last {
            let caller = if id == last { outermost } else { id + 1 };
            rows += &format!("<Stack ID=\"{id}\" CallerID=\"{caller}\" FrameID=\"0\"/>");
        }
        let samples = (0..1000).map(|at| format!("<Sample StackID=\"{}\"/>", at * 100));
        let profile = read(file(&frames(&["a"]), &rows, &samples.collect::<String>()));
        assert_eq!(profile.node_count(), 100_000);
        assert_eq!(profile.tree.inclusive(VALUE, NodeId(1)), 1000);
    }
    let body =
        "<Sample>".to_string() + &"Acme!Acme.Deep.Level(int32)\n".repeat(100_000) + "</Sample>";
    assert_eq!(read(file("", "", &body)).node_count(), 100_000);
}

/// Small files that use everything the format supports.
fn small() -> [(&'static str, String); 2] {
    let names = frames(&[
        "Process64 app (7) Args: ",
        "Thread (9)",
        "App!N.C&lt;M&gt;(gr\u{f6}&#xdf;e)",
        "CPU_TIME",
        "x!y",
    ]);
    let rows = stacks(&[(0, -1, 0), (1, 0, 1), (2, 1, 2), (3, 2, 3), (4, 9, 4)]);
    let samples = r#"<Sample ID="0" Time="0.500" StackID="3" Metric="1.195" /><Sample ID="1" Time="2" StackID="2" Metric="4" Count="2" /><Sample>a&amp;b
        c</Sample><Sample StackID='4'/>"#;
    let json = r#"{"StackSource":{"Samples":[{"Time":1.5,"Metric":2,"Stack":["a\u0062","c"]},{"Metric":"0.5","Count":3,"Stack":["c"]}]},"x":[]}"#;
    [
        ("a.perfView.xml", file(&names, &rows, samples)),
        ("a.perfView.json", json.into()),
    ]
}

#[test]
fn every_truncation_keeps_the_samples_before_it() {
    for (name, text) in small() {
        let complete = read_bytes(name, text.clone().into()).unwrap();
        // a sample counts once its element is complete
        let first = match name {
            "a.perfView.xml" => {
                let start = text.find("<Sample ").unwrap();
                start + text[start..].find("/>").unwrap() + 2
            }
            _ => text.find('}').unwrap() + 1,
        };
        let mut nodes = 0;
        for end in 0..text.len() {
            let bytes = || text.as_bytes()[..end].to_vec();
            assert_eq!(survive(name, bytes()), end >= first, "{name} at {end}");
            if end >= first {
                let truncated = read_bytes(name, bytes()).unwrap();
                assert!(truncated.tree.len() >= nodes, "{name} at {end}");
                nodes = truncated.tree.len();
                let broken_off = Diagnostic::unreadable_from(end as u64, "it ends unexpectedly");
                assert_eq!(truncated.warnings()[0], broken_off);
            }
        }
        assert_eq!(nodes, complete.tree.len());
    }
}

#[test]
fn thousands_of_mutations_are_survived() {
    const TOKENS: &[u8] = b"<>/&;\"'={}[],:#x0-9. \n\x00\x1b\xc3\xff";
    for (name, text) in small() {
        let read = read_of_changed(name, text.as_bytes(), TOKENS, 600);
        assert!((1..600).contains(&read), "{name}: {read} of 600 were read");
    }
}

/// A thread above methods, and a frame elsewhere that looks like one.
#[test]
fn only_outermost_frames_are_threads() {
    let text = file(
        &frames(&["A!M()", "Thread (9)", "Threads"]),
        &stacks(&[(0, -1, 0), (1, 0, 1), (2, -1, 2), (3, 2, 1), (4, 3, 2)]),
        "<Sample StackID=\"1\"/><Sample StackID=\"4\"/>",
    );
    let thread = "1 thread Thread (9) 1/0";
    check(
        &text,
        &["1 A!M() 1/0", "2 Thread (9) 1/1", thread, "2 Threads 1/1"],
        &[],
    );
}
