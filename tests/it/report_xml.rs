//! Reports of dotTrace's `Reporter.exe`: small ones by hand, and real snapshots compared with reports written from them.

use crate::common::profiles::{check_tree, read_as, read_bytes, read_file, thread_names};
use crate::common::report_writer::{full_name, report_of, reporter_name, reporter_parts};
use crate::common::shared;
use crate::common::text::{assert_contains, assert_contains_all, assert_starts_with};
use dotspot::testing::analysis::hotspots;
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, MissingReason, partly};
use dotspot::testing::input::ImportError;
use dotspot::testing::model::{MetricId, NodeId, ProfileKind, Thread, View};

const TIME: MetricId = MetricId(0);

fn read(bytes: impl Into<Vec<u8>>) -> Result<View, ImportError> {
    read_bytes("a.xml", bytes.into())
}

#[track_caller]
fn read_ok(text: &str) -> View {
    let profile = read(text).unwrap_or_else(|error| panic!("{error}"));
    check_tree(&profile);
    assert_eq!(profile.recording.source.format, "report");
    profile
}

/// A line per node: depth, name, signature, kind, inclusive and exclusive nanoseconds, count.
fn dump(profile: &View) -> Vec<String> {
    let (tree, frames) = (&profile.tree, &profile.frames);
    tree.nodes()
        .map(|node| {
            let (depth, frame) = (tree.ancestors(node).count(), tree.frame(node));
            let (name, signature) = (frames.name(frame), frames.signature(frame));
            let kind = frames.get(frame).kind.name();
            let (inclusive, exclusive) = (tree.inclusive(TIME, node), tree.exclusive(TIME, node));
            let count = tree.count(TIME, node);
            let count = count.map_or("-".to_string(), |count| count.to_string());
            format!("{depth} {name}{signature} {kind} {inclusive} {exclusive} {count}")
        })
        .collect()
}

/// Checks the contents of a `Report`: a line per node, and the warnings.
#[track_caller]
fn check(inside: &str, nodes: &[&str], warnings: &[Diagnostic]) -> View {
    let profile = read_ok(&format!(
        "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<Report>\n{inside}\n</Report>\n"
    ));
    assert_eq!(dump(&profile), nodes);
    assert_eq!(profile.warnings(), warnings);
    profile
}

/// Two callers of one method, `..ctor`, and a method of a nested type, as the format's documentation describes them.
const SMALL: &str = r#"  <Info Version="2025.1"><Function FQN="not one"><Instance CallStack="neither"/></Function></Info>
  <Function Id="0x1" FQN="Acme.Program.Main" TotalTime="340" OwnTime="6" Calls="1" Instances="1">
    <Instance CallStack="Acme.Program.Main" TotalTime="340" OwnTime="6" Calls="1"/>
  </Function>
  <Function Id="0x2" FQN="Acme.Orders.Book`1..ctor" TotalTime="334" OwnTime="10.5" Calls="18" Instances="2">
    <Instance CallStack="Acme.Program.Main/Acme.Orders.Book`1..ctor" TotalTime="300" OwnTime="4" Calls="10"/>
    <Instance CallStack="Acme.Program.Main/Acme.Orders.Book`1+&lt;&gt;c.&lt;Run&gt;b__0/Acme.Orders.Book`1..ctor" TotalTime="6.5" OwnTime="6.5" Calls="8"/>
  </Function>
  <Function Id="0x3" FQN="Acme.Orders.Book`1+&lt;&gt;c.&lt;Run&gt;b__0" TotalTime="330" OwnTime="323.5" Calls="7" Instances="2">
    <Instance CallStack="Acme.Program.Main/Acme.Orders.Book`1+&lt;&gt;c.&lt;Run&gt;b__0" TotalTime="34" OwnTime="27.5" Calls="4" />
    <Instance CallStack="Acme.Program.Main/Acme.Orders.Book`1..ctor/Acme.Orders.Book`1+&lt;&gt;c.&lt;Run&gt;b__0" TotalTime="296" OwnTime="296.000" Calls="3"></Instance>
  </Function>"#;

#[test]
fn the_tree_comes_from_the_call_stacks() {
    let profile = check(
        SMALL,
        &[
            "0 All threads root 340000000 0 0",
            "1 Acme.Program.Main method 340000000 6000000 1",
            "2 Acme.Orders.Book`1..ctor method 300000000 4000000 10",
            "3 Acme.Orders.Book`1+<>c.<Run>b__0 method 296000000 296000000 3",
            "2 Acme.Orders.Book`1+<>c.<Run>b__0 method 34000000 27500000 4",
            "3 Acme.Orders.Book`1..ctor method 6500000 6500000 8",
        ],
        &[],
    );
    assert_eq!(profile.recording.source.kind, ProfileKind::Tracing);
    assert_eq!(profile.threads.len(), 0);
    let shown = [1, 2, 3].map(|node| profile.display_name(NodeId(node)));
    let expect = ["Program.Main", "new Book<T>", "Book<T>.Run.lambda 0"];
    assert_eq!(shown, expect);
}

#[test]
fn other_spellings_of_the_same_xml() {
    let expect = dump(&read_ok(&format!("<Report>{SMALL}</Report>")));
    let report = format!("<Report>{SMALL}</Report>");
    for text in [
        format!("\u{feff}{report}"),
        format!(
            "<?xml version='1.0'?><!DOCTYPE Report SYSTEM \"http://example.com/report.dtd\" [<!ENTITY x \"y\">]>{report}"
        ),
        format!("<!-- a -- comment --><?xslt x?>{report}<!-- after -->\n"),
        report.replace('\n', "\r\n"),
        report.replace('"', "'"),
        report
            .replace("&lt;", "&#60;")
            .replace("&gt;", "&#x3E;")
            .replace("Acme", "&#65;cme"),
        report.replace("&gt;", ">"),
        report
            .replace(" TotalTime", "\n\t TotalTime ")
            .replace("CallStack=", "CallStack = "),
        // the first line as converted by iconv
        format!("<?xml version=\"1.0\" encoding=\"utf-16\"?>{report}"),
    ] {
        let profile = read_ok(&text);
        assert_eq!(dump(&profile), expect, "{text}");
        assert_eq!(profile.warnings(), [], "{text}");
    }
}

#[test]
fn samples_threads_labels_and_signatures() {
    let profile = check(
        r#"<Function FQN="Main thread" TotalTime="9" OwnTime="0" Samples="9"><Instance CallStack="Main thread" TotalTime="9" OwnTime="0" Samples="9"/></Function>
        <Function FQN="A.Run(String[])" TotalTime="9" OwnTime="2" Samples="9"><Instance CallStack="Main thread/A.Run(String[])" TotalTime="9" OwnTime="2" Samples="9"/>
        <Instance CallStack="Thread 12 (pool)/A.Run(String[])" TotalTime="3" OwnTime="3" Samples="3"/></Function>
        <Function FQN="A.Run(X/Y)" TotalTime="7" OwnTime="3" Samples="7"><Instance CallStack="Main thread/A.Run(String[])/A.Run(X/Y)" TotalTime="7" OwnTime="3" Samples="7"/></Function>
        <Function FQN="[Native code]" TotalTime="4" OwnTime="4" Samples="4"><Instance CallStack="Main thread/A.Run(String[])/A.Run(X/Y)/[Native code]" TotalTime="4" OwnTime="4" Samples="4"/></Function>"#,
        &[
            "0 All threads root 12000000 0 12",
            "1 Main thread thread 9000000 0 9",
            "2 A.Run(String[]) method 9000000 2000000 9",
            "3 A.Run(X/Y) method 7000000 3000000 7",
            "4 [Native code] special 4000000 4000000 4",
            "1 Thread 12 (pool) thread 3000000 0 3",
            "2 A.Run(String[]) method 3000000 3000000 3",
        ],
        &[],
    );
    assert_eq!(profile.recording.source.kind, ProfileKind::Sampling);
    let threads = [("", "Main thread"), ("12", "pool")];
    assert_eq!(thread_names(&profile), threads);
}

#[test]
fn callers_omitted_by_the_pattern_are_created() {
    let instances = r#"<Instance CallStack="A.Main/B.Run/C.Do" TotalTime="5" OwnTime="4" Calls="2"/>
        <Instance CallStack="A.Main/B.Run/C.Do/X.Y/C.Do" TotalTime="1" OwnTime="1" Calls="1"/>
        <Instance CallStack="A.Main/C.Do" TotalTime="2.5" OwnTime="2.5" Calls="3"/>"#;
    // calls are a node's own, samples include those below it
    for (word, counts) in [
        ("Calls", [0, 0, 0, 2, 0, 1, 3]),
        ("Samples", [5, 5, 2, 2, 1, 1, 3]),
    ] {
        let instances = instances.replace("Calls", word);
        let nodes = [
            "0 All threads root 7500000 0",
            "1 A.Main method 7500000 0",
            "2 B.Run method 5000000 0",
            "3 C.Do method 5000000 4000000",
            "4 X.Y method 1000000 0",
            "5 C.Do method 1000000 1000000",
            "2 C.Do method 2500000 2500000",
        ];
        let nodes: [_; 7] = std::array::from_fn(|at| format!("{} {}", nodes[at], counts[at]));
        check(
            &format!(
                r#"<Function FQN="C.Do" TotalTime="7.5" OwnTime="7.5">{instances}</Function>"#
            ),
            &nodes.each_ref().map(|node: &String| &**node),
            &[Diagnostic::NodesWithoutRow {
                nodes: 3,
                why_missing: MissingReason::Pattern,
            }],
        );
    }
}

#[test]
fn a_report_without_call_stacks_has_one_level() {
    let flat = Diagnostic::NoCallStacks {};
    let without_stack = partly::INSTANCES_WITHOUT_STACK.with_count(1);
    let without_instances = Diagnostic::FunctionsWithoutInstances {
        functions: 1,
        own_ms: 1.25,
    };
    for (inside, nodes, warnings) in [
        (
            r#"<Function FQN="A.Main" TotalTime="10" OwnTime="1.5" Calls="1" Instances="1"/>
            <Function FQN="B.Run" TotalTime="8.5" OwnTime="8.5" Calls="4" Instances="2"></Function>"#,
            &[
                "0 All threads root 10000000 0 0",
                "1 A.Main method 10000000 1500000 1",
                "1 B.Run method 8500000 8500000 4",
            ][..],
            &[flat.clone()][..],
        ),
        // where the pattern omits methods, the total is no less than its largest part
        (
            r#"<Function FQN="A.Main" TotalTime="10" OwnTime="1"/>"#,
            &[
                "0 All threads root 10000000 0 -",
                "1 A.Main method 10000000 1000000 -",
            ],
            std::slice::from_ref(&flat),
        ),
        (
            r#"<Function FQN="A" TotalTime="3" OwnTime="2"><Instance TotalTime="3" OwnTime="2"/></Function><Function FQN="B" OwnTime="1"/>"#,
            &[
                "0 All threads root 3000000 0 -",
                "1 A method 3000000 2000000 -",
                "1 B method 1000000 1000000 -",
            ],
            &[flat.clone(), without_stack],
        ),
        // overloads with the same spelling are two nodes
        (
            r#"<Function FQN="A.Do" TotalTime="5" OwnTime="2" Samples="5"/><Function FQN="A.Do" TotalTime="7" OwnTime="6" Samples="7"/>"#,
            &[
                "0 All threads root 8000000 0 0",
                "1 A.Do method 7000000 6000000 7",
                "1 A.Do method 5000000 2000000 5",
            ],
            std::slice::from_ref(&flat),
        ),
        (
            r#"<Function FQN="A" TotalTime="3" OwnTime="3" Calls="1"><Instance CallStack="A" TotalTime="3" OwnTime="3" Calls="1"/></Function>
            <Function FQN="B" TotalTime="2" OwnTime="1.25" Calls="1" Instances="4"/>"#,
            &[
                "0 All threads root 3000000 0 0",
                "1 A method 3000000 3000000 1",
            ],
            &[without_instances],
        ),
    ] {
        check(inside, nodes, warnings);
    }
}

#[test]
fn overloads_of_a_flat_report_are_added_up() {
    let profile = read_ok(
        r#"<Report><Function FQN="A.Main(X/Y)" TotalTime="10" OwnTime="1.5" Samples="9" Instances="3"/>
        <Function FQN="B.Run" TotalTime="8.5" OwnTime="8.5" Samples="8"/><Function FQN="B.Run" OwnTime="0.5" Samples="1"/></Report>"#,
    );
    assert_eq!(profile.tree.inclusive(TIME, NodeId::ROOT), 10_500_000);
    let rows = hotspots(&profile, &[NodeId::ROOT], TIME);
    let row = |name| {
        rows.iter()
            .find(|row| profile.frames.name(row.frame) == name)
            .unwrap()
    };
    let expect = [
        ("A.Main", 10_000_000, 1_500_000, 9),
        ("B.Run", 9_000_000, 9_000_000, 9),
    ];
    let found = ["A.Main", "B.Run"].map(row);
    let found = found.map(|hot| (hot.inclusive, hot.exclusive, hot.total_count));
    assert_eq!(found, expect.map(|(_, a, b, c)| (a, b, c)));
    assert_eq!(rows.len(), 2);
}

#[test]
fn overloads_with_the_same_spelling_are_added_up() {
    check(
        r#"<Function FQN="A.Do" TotalTime="5" OwnTime="2" Calls="1"><Instance CallStack="A.Do" TotalTime="5" OwnTime="2" Calls="1"/></Function>
        <Function FQN="A.Do" TotalTime="7" OwnTime="6" Calls="2"><Instance CallStack="A.Do" TotalTime="4" OwnTime="4" Calls="1"/><Instance CallStack="A.Do/A.Do" TotalTime="3" OwnTime="2" Calls="1"/></Function>"#,
        &[
            "0 All threads root 9000000 0 0",
            "1 A.Do method 9000000 6000000 2",
            "2 A.Do method 3000000 2000000 1",
        ],
        &[Anomaly::InstancesMerged.with_count(1)],
    );
}

#[test]
fn one_of_the_times_is_enough() {
    check(
        r#"<Function FQN="A" TotalTime="5" OwnTime="2"><Instance CallStack="A" TotalTime="5"/></Function>
        <Function FQN="B" TotalTime="3" OwnTime="3"><Instance CallStack="A/B" OwnTime="3"/></Function>"#,
        &[
            "0 All threads root 5000000 0 -",
            "1 A method 5000000 2000000 -",
            "2 B method 3000000 3000000 -",
        ],
        &[],
    );
}

#[test]
fn contradictory_times_are_preserved_and_reported() {
    let report = |total: &str, own: &str| {
        format!(
            r#"<Function FQN="A" TotalTime="{total}" OwnTime="{own}"><Instance CallStack="A" TotalTime="{total}" OwnTime="{own}"/></Function>
            <Function FQN="B" TotalTime="4" OwnTime="4"><Instance CallStack="A/B" TotalTime="4" OwnTime="4"/></Function>"#
        )
    };
    for (total, own, inclusive, exclusive, contradicts) in [
        // three values rounded to whole milliseconds
        ("13", "6", 13_000_000, 6_000_000, false),
        ("14", "6", 14_000_000, 6_000_000, true),
        ("13.0", "6.5", 13_000_000, 6_500_000, true),
        // less than its own time
        ("3", "9", 9_000_000, 9_000_000, true),
    ] {
        let root = format!("0 All threads root {inclusive} 0 -");
        let a = format!("1 A method {inclusive} {exclusive} -");
        let warning = Diagnostic::TimesContradict { nodes: 1 };
        let warnings = Vec::from_iter(contradicts.then_some(warning));
        let nodes = [&*root, &*a, "2 B method 4000000 4000000 -"];
        check(&report(total, own), &nodes, &warnings);
    }
}

#[test]
fn odd_rows_are_counted() {
    check(
        r#"<Function FQN="A" TotalTime="3" OwnTime="3" Calls="1"><Instance TotalTime="1"/><Instance CallStack="A" TotalTime="3" OwnTime="3" Calls="1" x/></Function>
        <Function FQN="B" TotalTimeA="3" OwnTimeB="3"/>"#,
        &[
            "0 All threads root 3000000 0 0",
            "1 A method 3000000 3000000 1",
        ],
        &[
            partly::ELEMENTS_DAMAGED.with_count(1),
            Diagnostic::FunctionsWithoutInstances {
                functions: 1,
                own_ms: 0.0,
            },
            partly::INSTANCES_WITHOUT_STACK.with_count(1),
        ],
    );
    check(
        r#"<Function FQN="A" TotalTime="3" OwnTime="3"><Instance CallStack="&evil;/A&#x1B;[2J&#10;" TotalTime="1,000" OwnTime="3"/></Function>"#,
        &[
            "0 All threads root 3000000 0 -",
            "1 &evil; method 3000000 0 -",
            "2 A\u{1b}[2J\n method 3000000 3000000 -",
        ],
        &[
            Diagnostic::NodesWithoutRow {
                nodes: 1,
                why_missing: MissingReason::Pattern,
            },
            Diagnostic::Counted {
                anomaly: Anomaly::ValuesClamped,
                count: 1,
            },
        ],
    );
}

#[test]
fn files_that_are_not_reports_are_refused_by_name() {
    let utf16 = "\u{feff}<?xml version=\"1.0\" encoding=\"utf-16\"?><Report></Report>";
    let utf16: Vec<u8> = utf16.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for (bytes, words) in [
        (
            &br#"<Report><Function FQN="A" TotalTime1="3" TotalTime2="4"/></Report>"#[..],
            [
                "dotTrace report",
                "found one without such numbers",
                "Reporter.exe compare",
            ],
        ),
        (
            br#"<Report><Function FQN="A" Diff="3"/></Report>"#,
            ["found one without such numbers", "compare", ""],
        ),
        (
            b"<Report></Report>",
            ["expected Functions in the Report", "found none", "`.*`"],
        ),
        (b"<Report><Section/></Report>", ["found none", "", ""]),
        (
            b"<Report><Info>",
            [
                "at byte 14 (0xe)",
                "ends unexpectedly before the first",
                "write or copy the report again",
            ],
        ),
        (
            b"<Report><Info></Inf></Report>",
            [
                "at byte 14",
                "expected `</Info>`, but `</Inf>` was found",
                "",
            ],
        ),
        (
            b"<html/>",
            [
                "looks like an XML or HTML file",
                "not a profile dotspot can read",
                "",
            ],
        ),
        (
            b"<?xml version=\"1.0\"?><a/>",
            [
                "is not a profile dotspot can read (it looks like an XML file)",
                "",
                "",
            ],
        ),
        (
            br#"<?xml version="1.0" encoding="windows-1252"?><Report/>"#,
            [
                "the encoding windows-1252",
                "UTF-8 was expected",
                "iconv -f windows-1252 -t UTF-8",
            ],
        ),
        (
            &utf16,
            [
                "the encoding UTF-16LE",
                "UTF-8 was expected",
                "iconv -f UTF-16LE -t UTF-8",
            ],
        ),
    ] {
        let sentence = read(bytes).expect_err("it is refused").to_string();
        assert_starts_with(&sentence, "a.xml: ");
        assert_contains_all(&sentence, &words);
    }
    let other = read_as("report", "a.xml", b"<Reports/>".to_vec())
        .err()
        .unwrap();
    assert_contains(
        other.to_string(),
        "expected the root element Report, found Reports",
    );
}

#[test]
fn nodes_before_the_damage_are_preserved() {
    let row = r#"<Function FQN="A" TotalTime="3" OwnTime="3"><Instance CallStack="A" TotalTime="3" OwnTime="3"/></Function>"#;
    assert_eq!(row.len(), 106);
    let broken_off =
        |offset, problem: &str| Diagnostic::unreadable_from(offset, format!("it {problem}"));
    for (text, offset_bytes, problem) in [
        (format!("<Report>{row}"), 114, "ends unexpectedly"),
        (format!("\u{feff}<Report>{row}"), 117, "ends unexpectedly"),
        (
            format!("<Report>{row}<Function FQN=\"B"),
            130,
            "ends unexpectedly",
        ),
        (
            format!("<Report>{row}</Rep>{row}"),
            114,
            "is not XML: ill-formed document: expected `</Report>`, but `</Rep>` was found",
        ),
        (
            format!("<Report>{row}<!x></Report>"),
            114,
            "is not XML: unknown `<!` declaration",
        ),
        (
            format!("<Report>{row}</Report><Report/>"),
            123,
            "continues after the end of its root element",
        ),
    ] {
        let profile = read_ok(&text);
        assert_eq!(dump(&profile)[1..], ["1 A method 3000000 3000000 -"]);
        let expect = [broken_off(offset_bytes, problem)];
        assert_eq!(profile.warnings(), expect, "{text}");
    }
    let mut bytes = format!("<Report>{row}<Function FQN=\"B").into_bytes();
    bytes.extend(b"\xFF\"/></Report>");
    let profile = read(bytes).unwrap();
    assert_eq!(profile.warnings()[0], broken_off(130, "is not UTF-8"));
}

/// Compares trees node by node. Siblings are matched by name and signature, since overloads with equal times are in file
/// order.
#[track_caller]
fn assert_same_tree(ours: &View, theirs: &View, name: impl Fn(&View, NodeId) -> (String, String)) {
    assert_eq!(ours.tree.len(), theirs.tree.len());
    let mut pending = vec![(NodeId::ROOT, NodeId::ROOT)];
    while let Some((a, b)) = pending.pop() {
        let values = |profile: &View, node| {
            let tree = &profile.tree;
            let kind = profile.frames.get(tree.frame(node)).kind;
            let times = (tree.inclusive(TIME, node), tree.exclusive(TIME, node));
            (kind, times, tree.count(TIME, node), tree.size(node))
        };
        let own_name = |node| name_and_signature(ours, node);
        assert_eq!(own_name(a), name(theirs, b));
        assert_eq!(values(ours, a), values(theirs, b), "{}", ours.name(a));
        let mut ours_below: Vec<NodeId> = ours.tree.children(a).collect();
        let mut theirs_below: Vec<NodeId> = theirs.tree.children(b).collect();
        ours_below.sort_by_cached_key(|&node| own_name(node));
        theirs_below.sort_by_cached_key(|&node| name(theirs, node));
        assert_eq!(ours_below.len(), theirs_below.len());
        pending.extend(ours_below.into_iter().zip(theirs_below));
    }
}

fn name_and_signature(profile: &View, node: NodeId) -> (String, String) {
    let signature = profile.frames.signature(profile.tree.frame(node));
    (profile.name(node).into(), signature.into())
}

/// With full names, and as Reporter writes them: without module and return type.
#[test]
fn a_snapshot_and_its_report_have_the_same_tree() {
    for name in ["Issue254", "profile", "baseline", "profile_multi"] {
        let snapshot = read_file(&present!(shared(&format!("dtp/{name}.dtp"))));
        let report = read_ok(&report_of(&snapshot, 6, full_name));
        assert_eq!(report.codes(), [""; 0], "{name}");
        let kind = |profile: &View| profile.recording.source.kind;
        assert_eq!(kind(&report), kind(&snapshot), "{name}");
        assert_same_tree(&report, &snapshot, name_and_signature);
        let threads =
            |profile: &View| -> Vec<Thread> { profile.threads.by_value().cloned().collect() };
        assert_eq!(threads(&report), threads(&snapshot), "{name}");
    }
    for name in ["Issue254", "profile"] {
        let snapshot = read_file(&present!(shared(&format!("dtp/{name}.dtp"))));
        let report = read_ok(&report_of(&snapshot, 6, reporter_name));
        assert_eq!(report.codes(), [""; 0], "{name}");
        assert_same_tree(&report, &snapshot, |profile, node| {
            reporter_parts(profile, profile.tree.frame(node))
        });
    }
}

/// Rounding is not reported as a contradiction: each time is the one in the report.
#[test]
fn rounded_reports_are_read_unchanged() {
    let snapshot = read_file(&present!(shared("dtp/Issue254.dtp")));
    for decimals in [0, 3] {
        let report = read_ok(&report_of(&snapshot, decimals, full_name));
        assert_eq!(report.codes(), [""; 0], "{decimals} decimals");
        assert_eq!(report.tree.len(), snapshot.tree.len());
        let own = |profile: &View| {
            let tree = profile.tree.clone();
            let nodes = 1..tree.len();
            nodes.map(move |node| tree.exclusive(TIME, NodeId::at(node)))
        };
        let step = 10u64.pow(6 - decimals);
        let rounded = own(&snapshot).map(|value| (value + step / 2) / step * step);
        assert_eq!(own(&report).sum::<u64>(), rounded.sum::<u64>());
    }
}
