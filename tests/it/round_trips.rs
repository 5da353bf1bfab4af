//! What is written in any format, and read again, is the same profile, but for what the table of formats says it can't hold.

use crate::common::plans::{build, plans};
use crate::common::profiles;
use crate::common::projection::{Model, read_model};
use dotspot::exporters::{EXPORTERS, Exporter, Limitation, Part};
use dotspot::importers::{FORMATS, Format, ReadOptions, import_with};
use dotspot::input::{Input, Progress};
use dotspot::model::{
    Diagnostic, FrameKind, Frames, Metric, MetricId, NodeId, ProfileKind, Recording, Severity,
    Source, Thread, TreeBuilder, View,
};
use proptest::prelude::*;
use std::io::Cursor;

/// The importer of the format that an exporter writes.
fn format_of(exporter: &Exporter) -> &'static Format {
    FORMATS
        .iter()
        .find(|format| format.name == exporter.name)
        .expect("every format that is written is read")
}

fn written(exporter: &Exporter, part: &Part) -> Vec<u8> {
    let mut bytes = Vec::new();
    (exporter.write)(part, &mut bytes).unwrap();
    bytes
}

fn read(exporter: &Exporter, bytes: Vec<u8>) -> Result<View, String> {
    let name = format!("a{}", exporter.extensions[0]);
    let input = Input::stream(&name, Box::new(Cursor::new(bytes)), Progress::default())
        .map_err(|e| e.to_string())?;
    let wanted = ReadOptions {
        format: Some(format_of(exporter)),
        ..ReadOptions::default()
    };
    import_with(input, &wanted, |format, input| {
        (format.read)(input, &wanted)
    })
    .map(Recording::into_view)
    .map_err(|error| error.to_string())
}

/// Writes a part, reads that, and says what is not as the table of formats says.
fn difference(exporter: &Exporter, part: &Part) -> Option<String> {
    let copy = match read(exporter, written(exporter, part)) {
        Ok(copy) => copy,
        Err(error) => return Some(error),
    };
    // what is not said to be lost must be there
    let said: Vec<Limitation> = exporter
        .limitations_of(part)
        .into_iter()
        .map(|(limitation, _)| limitation)
        .collect();
    let mut found = read_model(&copy);
    found.forget(exporter, &said);
    let of_file: Vec<String> = part
        .view
        .diagnostics_of(Severity::Warning)
        .map(Diagnostic::written)
        .collect();
    let of_copy = copy
        .warnings()
        .into_iter()
        .map(|warning| warning.to_string());
    let new: Vec<String> = of_copy
        .filter(|warning| !of_file.contains(warning))
        .collect();
    if exporter.name != "calltree" && !new.is_empty() && part.view.tree.size(part.root) > 1 {
        return Some(format!("the reader warns: {new:?}"));
    }
    let expect = Model::of(part).held_by(exporter, &said, part);
    // siblings are ordered by the first metric of the file
    let is_ordered = exporter.name == "calltree" && part.metric == part.view.default_metric;
    expect
        .difference(&found, is_ordered)
        .map(|difference| format!("said {said:?}: {difference}"))
}

#[track_caller]
fn check(exporter: &Exporter, part: &Part, what: &str) {
    if let Some(reason) = (exporter.refusal)(part) {
        panic!("{what}, {}: refused, {reason}", exporter.name);
    }
    if let Some(difference) = difference(exporter, part) {
        panic!("{what}, {}: {difference}", exporter.name);
    }
}

/// In all formats, all metrics.
#[track_caller]
fn check_all(profile: &View, what: &str) {
    for exporter in EXPORTERS {
        for metric in (0..profile.metrics.len()).map(MetricId::at) {
            check(
                exporter,
                &Part::whole(profile, metric),
                &format!("{what}, metric {}", metric.index()),
            );
        }
    }
}

#[test]
fn each_format_that_is_written_is_read() {
    for exporter in EXPORTERS {
        let format = format_of(exporter);
        for extension in exporter.extensions {
            assert!(
                format.extensions.contains(extension),
                "{}: {extension}",
                exporter.name
            );
        }
        let mut clauses: Vec<&str> = exporter
            .limitations
            .iter()
            .map(|limitation| limitation.clause())
            .collect();
        clauses.sort_unstable();
        clauses.dedup();
        assert_eq!(
            clauses.len(),
            exporter.limitations.len(),
            "{} says each thing once",
            exporter.name
        );
    }
}

#[test]
fn real_profiles_come_back() {
    for file in [
        "dtp/profile.dtp",
        "dtp/profile_multi.dtp",
        "dtp/baseline.dtp",
        "net10/orderedconsume.nettrace",
        "net10/cpubound.speedscope.json",
        "net10/deepstacks-mutual.chromium.json.gz",
        "speedscope/0.6.0/two-sampled.speedscope.json",
        "collapsed/recursion.txt",
        "collapsed/perf-vertx-stacks-01-collapsed-all.txt",
        "perf-script/dotnet31.perf-script.txt.gz",
        "trace-event/multi-thread-with-samples.json",
        "trace-event/simple-object.json",
    ] {
        let Some(path) = crate::common::shared(file) else {
            continue;
        };
        check_all(&profiles::read_file(&path), file);
    }
    let sample = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots/two-threads.pb");
    check_all(&profiles::read_file(&sample), "two-threads.pb");
}

/// Two processes with threads of the same number, one without a name, and a thread without one.
const PROCESSES: &str = r#"[
    {"ph":"M","name":"process_name","pid":7,"tid":1,"args":{"name":"shop"}},
    {"ph":"M","name":"thread_name","pid":7,"tid":1,"args":{"name":"main"}},
    {"ph":"X","name":"Acme.Shop.Run","pid":7,"tid":1,"ts":0,"dur":10.5},
    {"ph":"X","name":"Acme.Shop.Sell","pid":7,"tid":1,"ts":1,"dur":3.25},
    {"ph":"X","name":"Acme.Shop.Sell","pid":7,"tid":1,"ts":2,"dur":0},
    {"ph":"X","name":"Acme.Shop.Run","pid":8,"tid":1,"ts":0,"dur":0.001},
    {"ph":"X","name":"Acme.Shop.Wait","pid":8,"tid":2,"ts":0,"dur":1}]"#;

#[test]
fn processes_come_back_or_stand_in_names() {
    let profile = profiles::read_text(PROCESSES);
    assert_eq!(profile.processes.len(), 2);
    check_all(&profile, "two processes");
    for node in profile.tree.nodes() {
        for exporter in EXPORTERS {
            let part = Part::new(&profile, node, MetricId(0));
            check(
                exporter,
                &part,
                &format!("the subtree of {}", profile.name(node)),
            );
        }
    }
}

/// Word for word what is written, so that a change of the reader and the writer together is seen.
#[test]
fn small_profiles_are_written_as_the_formats_have_them() {
    let profile = profiles::read_text(PROCESSES);
    let part = Part::new(&profile, profile.threads[0].node, MetricId(0));
    let text = |name: &str| {
        let exporter = EXPORTERS
            .iter()
            .find(|exporter| exporter.name == name)
            .unwrap();
        String::from_utf8(written(exporter, &part)).unwrap()
    };
    let version = env!("CARGO_PKG_VERSION");
    // Run has 10.5 us, of which 3.25 are Sell's, whose inner call takes none
    let events = concat!(
        r#"{"type":"O","frame":0,"at":0},{"type":"O","frame":1,"at":0},{"type":"O","frame":1,"at":0},"#,
        r#"{"type":"C","frame":1,"at":0},{"type":"C","frame":1,"at":3250},{"type":"C","frame":0,"at":10500}"#
    );
    assert_eq!(
        text("speedscope"),
        format!(
            r#"{{"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"dotspot {version}","name":"a.json","activeProfileIndex":0,"shared":{{"frames":[{{"name":"Acme.Shop.Run"}},{{"name":"Acme.Shop.Sell"}}]}},"profiles":[{{"type":"evented","name":"Thread (1) main","unit":"nanoseconds","startValue":0,"endValue":10500,"events":[{events}]}}]}}"#
        )
    );
    let event = |phase: &str, name: &str, ts: &str| {
        format!(r#",{{"name":"Acme.Shop.{name}","ph":"{phase}","pid":7,"tid":1,"ts":{ts}}}"#)
    };
    let events = [
        event("B", "Run", "0"),
        event("B", "Sell", "0"),
        event("B", "Sell", "0"),
        // a tick behind its begin: a ten thousandth of a nanosecond in a thread of so few nodes
        event("E", "Sell", "0.0000001"),
        event("E", "Sell", "3.25"),
        event("E", "Run", "10.5"),
    ];
    assert_eq!(
        text("trace-event"),
        format!(
            r#"{{"otherData":{{"name":"a.json","exporter":"dotspot {version}"}},"displayTimeUnit":"ns","traceEvents":[{{"name":"process_name","ph":"M","pid":7,"tid":1,"args":{{"name":"shop"}}}},{{"name":"thread_name","ph":"M","pid":7,"tid":1,"args":{{"name":"main"}}}}{}]}}"#,
            events.concat()
        )
    );
    let stack = "Process (7) shop;Thread (1) main;Acme.Shop.Run";
    assert_eq!(
        text("collapsed"),
        format!(
            "{stack} 7250\n{stack};Acme.Shop.Sell 3250\n{stack};Acme.Shop.Sell;Acme.Shop.Sell 0\n"
        )
    );
}

/// A profile of one thread with these frames, each called by the one before; the time of each is `time`, or that of the
/// innermost if it is the last.
fn chain(names: &[String], count: usize, time: impl Fn(usize) -> u64) -> View {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let metric = Metric::time("time", None);
    let mut builder = TreeBuilder::new(root, std::slice::from_ref(&metric));
    let thread = frames.intern(FrameKind::Thread, "Thread (7) main", "");
    let thread = builder.add(TreeBuilder::ROOT, thread).unwrap();
    // what TraceEvent calls code that it does not know is no method
    let kind = |name: &str| {
        if name == "?!?" {
            FrameKind::Special
        } else {
            FrameKind::Method
        }
    };
    let ids: Vec<_> = names
        .iter()
        .map(|name| frames.intern(kind(name), name, ""))
        .collect();
    let mut node = thread;
    for depth in 0..count {
        node = builder.add(node, ids[depth % ids.len()]).unwrap();
        builder.add_exclusive(MetricId(0), node, time(depth));
    }
    let built = builder.finish(&frames, MetricId(0));
    let thread = Thread {
        node: built.node(thread),
        id: "7".into(),
        name: "main".into(),
    };
    let source = Source::read_here("a".into(), "speedscope", ProfileKind::Unknown, Vec::new());
    Recording::new(source, frames, built.tree, vec![metric], MetricId(0))
        .with_threads(vec![thread])
        .into_view()
}

#[test]
fn a_million_frames_deep_in_every_format() {
    let names: Vec<String> = (0..50)
        .map(|number| format!("Acme.Deep.Level{number}"))
        .collect();
    let profile = chain(
        &names,
        1_000_000,
        |depth| if depth == 999_999 { 5 } else { 0 },
    );
    let part = Part::whole(&profile, MetricId(0));
    for exporter in EXPORTERS {
        assert_eq!((exporter.refusal)(&part), None, "{}", exporter.name);
        let copy = read(exporter, written(exporter, &part)).unwrap();
        // call-tree JSON and the others put one root above the thread; collapsed stacks have the thread as a frame
        assert_eq!(copy.tree.len(), 1_000_002, "{}", exporter.name);
        let innermost = NodeId(1_000_001);
        let metric = copy.default_metric;
        assert_eq!(
            copy.tree.exclusive(metric, innermost),
            5,
            "{}",
            exporter.name
        );
        assert_eq!(
            copy.name(innermost),
            "Acme.Deep.Level49",
            "{}",
            exporter.name
        );
    }
}

/// Each of a million stacks would be written with all its callers: 10^12 / 2 of them.
#[test]
fn what_would_take_terabytes_is_refused_at_once() {
    let names: Vec<String> = (0..50)
        .map(|number| format!("Acme.Deep.Level{number:02}"))
        .collect();
    let profile = chain(&names, 1_000_000, |_| 1);
    let part = Part::whole(&profile, MetricId(0));
    for exporter in EXPORTERS {
        let refusal = (exporter.refusal)(&part);
        match exporter.name {
            "collapsed" | "pprof" => {
                let reason = refusal.expect("it is refused");
                // 18 bytes a frame in collapsed stacks, one in pprof
                let size = if exporter.name == "collapsed" {
                    "9.0 TB"
                } else {
                    "500.0 GB"
                };
                assert!(
                    reason.contains(size) && reason.contains("1,000,000 stacks"),
                    "{}: {reason}",
                    exporter.name
                );
                assert!(reason.contains("speedscope"), "{reason}");
            }
            _ => {
                assert_eq!(refusal, None);
                let copy = read(exporter, written(exporter, &part)).unwrap();
                assert_eq!(copy.tree.len(), 1_000_002, "{}", exporter.name);
                assert_eq!(
                    copy.tree.inclusive(copy.default_metric, NodeId::ROOT),
                    1_000_000,
                    "{}",
                    exporter.name
                );
            }
        }
    }
}

#[test]
fn values_beyond_what_a_format_counts_are_refused() {
    let names = ["a".to_string()];
    for (values, refusing) in [
        (&[i64::MAX as u64 - 1][..], &[][..]),
        (&[i64::MAX as u64 - 1, 1], &["speedscope", "trace-event"]),
        (
            &[i64::MAX as u64 + 1],
            &["speedscope", "trace-event", "pprof"],
        ),
    ] {
        let profile = chain(&names, values.len(), |depth| values[depth]);
        let part = Part::whole(&profile, MetricId(0));
        for exporter in EXPORTERS {
            let refusal = (exporter.refusal)(&part);
            assert_eq!(
                refusal.is_some(),
                refusing.contains(&exporter.name),
                "{values:?}, {}",
                exporter.name
            );
            match refusal {
                Some(reason) => assert!(
                    reason.contains("2^63") && reason.contains("calltree"),
                    "{reason}"
                ),
                None => assert_eq!(difference(exporter, &part), None, "{values:?}"),
            }
        }
    }
}

#[test]
fn names_of_all_kinds_come_back() {
    let long = "x".repeat(100_000);
    let names = [
        "a;b",
        "line\nbreak\r\ttab",
        "\u{1b}]52;c;ZXZpbA==\u{7}",
        "zero\u{200b}width",
        "abc\u{202e}cba\u{2066}",
        "foo 12",
        "12",
        "",
        "?!?",
        "Process64 app (7) Args: ",
        "Thread (7) main",
        "שלום",
        "Größe 値 😀",
        "a\\b\"c",
        &long,
    ];
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    check_all(
        &chain(&names, names.len(), |depth| depth as u64 % 3),
        "names of all kinds",
    );
    for name in names {
        check_all(
            &chain(&[name.clone(), "b".into()], 3, |_| 1),
            &format!("{:.20?}", name),
        );
    }
}

/// Overloads of one name, one with a place of its source, and signatures that do not look like that.
#[test]
fn overloads_come_back_from_formats_that_hold_them() {
    let signatures = ["", "(int32)", "(string) : void", "int32", "(int32"];
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All threads", "");
    let metric = Metric::time("time", None);
    let mut builder = TreeBuilder::new(root, std::slice::from_ref(&metric));
    for (number, signature) in signatures.into_iter().enumerate() {
        let frame = frames.intern(FrameKind::Method, "Acme.dll!Acme.Shop.Sell", signature);
        frames.set_location(
            frame,
            if number % 2 == 1 { "/src/shop.cs" } else { "" },
            number as u64,
        );
        let node = builder.add(TreeBuilder::ROOT, frame).unwrap();
        builder.add_exclusive(MetricId(0), node, 10 + number as u64);
    }
    let built = builder.finish(&frames, MetricId(0));
    let source = Source::read_here("a".into(), "speedscope", ProfileKind::Unknown, Vec::new());
    let recording = Recording::new(source, frames, built.tree, vec![metric], MetricId(0));
    check_all(&recording.into_view(), "overloads");
}

/// What is to be known comes back from every format that does not say it is lost, a warning as a warning, a note as a note.
#[test]
fn warnings_and_notes_come_back() {
    let mut profile = chain(&["a".into(), "b".into()], 2, |_| 7);
    profile.diagnostics = vec![
        Diagnostic::kept("12 \u{1b}[2Jevents lost.".into()),
        Diagnostic::kept_note("measured on a warm machine".into()),
        Diagnostic::kept("the file breaks off".into()),
    ];
    check_all(&profile, "warnings and notes");
    let part = Part::whole(&profile, MetricId(0));
    for exporter in EXPORTERS {
        let said: Vec<String> = exporter
            .limitations_of(&part)
            .into_iter()
            .map(|(_, sentence)| sentence)
            .collect();
        let is_lost = said.contains(&"2 warnings and 1 note".to_string());
        assert_eq!(
            is_lost,
            exporter.name == "collapsed",
            "{}: {said:?}",
            exporter.name
        );
    }
}

/// A profile that has no more than formats hold loses nothing, and nobody is told otherwise.
#[test]
fn nothing_is_said_to_be_lost_that_is_not() {
    let profile = chain(&["a".into(), "b".into()], 2, |_| 7);
    let said = |name: &str, profile: &View| -> Vec<Limitation> {
        let exporter = EXPORTERS
            .iter()
            .find(|exporter| exporter.name == name)
            .unwrap();
        let losses = exporter.limitations_of(&Part::whole(profile, profile.default_metric));
        losses
            .into_iter()
            .map(|(limitation, _)| limitation)
            .collect()
    };
    assert_eq!(said("calltree", &profile), []);
    assert_eq!(said("speedscope", &profile), [Limitation::Layout]);
    assert_eq!(said("trace-event", &profile), [Limitation::Layout]);
    assert_eq!(
        said("collapsed", &profile),
        [
            Limitation::Meaning,
            Limitation::KindIsSampling,
            Limitation::Threads
        ]
    );
    assert_eq!(said("pprof", &profile), [Limitation::KindIsSampling]);
    let stacks = profiles::read_bytes("a.folded", b"a;b 3\na;c 0\n".to_vec()).unwrap();
    assert_eq!(said("collapsed", &stacks), []);
    assert_eq!(said("pprof", &stacks), []);
    assert_eq!(said("calltree", &stacks), []);
    assert_eq!(
        said("speedscope", &stacks),
        [
            Limitation::Layout,
            Limitation::MetricName,
            Limitation::Kind,
            Limitation::Outside
        ]
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_profiles_come_back(mut plan in plans()) {
        // so that the sum of forty is less than 2^63
        plan.most = 1 << 57;
        let profile = build(&plan);
        for exporter in EXPORTERS {
            let part = Part::whole(&profile, profile.default_metric);
            prop_assert_eq!((exporter.refusal)(&part), None);
            let difference = difference(exporter, &part);
            prop_assert!(difference.is_none(), "{}: {}", exporter.name, difference.unwrap_or_default());
        }
    }

    #[test]
    fn random_subtrees_come_back(mut plan in plans(), node in any::<prop::sample::Index>()) {
        plan.most = 1 << 57;
        let profile = build(&plan);
        let part = Part::new(&profile, NodeId::at(node.index(profile.tree.len())), MetricId(0));
        for exporter in EXPORTERS {
            let difference = difference(exporter, &part);
            prop_assert!(difference.is_none(), "{}: {}", exporter.name, difference.unwrap_or_default());
        }
    }
}
