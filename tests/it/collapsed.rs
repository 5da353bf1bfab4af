//! Collapsed stacks: compared with speedscope's own tests and with sums computed by awk, and damaged files.

use crate::common::packing::{gzip, zip};
use crate::common::profiles::{assert_harmless, by_name, by_stack, read_as, read_bytes, read_file};
use crate::common::snap::snaps;
use crate::common::text::assert_contains_all;
use crate::common::{shared, shared_folder};
use dotspot::testing::diagnostics::{Anomaly, Diagnostic, LineFault};
use dotspot::testing::importers::detect;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::names::Category;
use proptest::prelude::*;
use std::collections::BTreeMap;

const VALUE: MetricId = MetricId(0);

fn read(bytes: &[u8]) -> Result<View, ImportError> {
    read_as("collapsed", "pipe", bytes.to_vec())
}

fn open(file: &str) -> Option<View> {
    let profile = read_file(&shared(&format!("collapsed/{file}"))?);
    assert_eq!(profile.recording.source.format, "collapsed");
    Some(profile)
}

/// The nonzero exclusive values by stack.
fn stacks(profile: &View) -> BTreeMap<String, u64> {
    let stacks = by_stack(profile, VALUE, NodeId::ROOT).into_iter();
    stacks.map(|(stack, sum)| (stack.join(";"), sum)).collect()
}

/// The exclusive and inclusive sums of a frame, with recursion counted once.
fn sums(profile: &View, name: &str) -> (u64, u64) {
    by_name(profile, VALUE, NodeId::ROOT)[name]
}

#[test]
fn values_agree_with_speedscope() {
    let path = present!(shared("collapsed/bg-flamegraph.test.ts.snap"));
    let text = std::fs::read_to_string(path).unwrap();
    for (test, file, left_out_lines) in [
        ("", "simple.txt", None),
        (" with CRLF", "simple-crlf.txt", None),
        (" with UTF-16, Big Endian", "simple-utf16-be.txt", None),
        (" with UTF-16, Little Endian", "simple-utf16-le.txt", None),
        (
            " with invalid lines",
            "simple-with-invalids.txt",
            Some((2, 2)),
        ),
    ] {
        let snap = &snaps(&text, &format!("importFromBGFlameGraph{test}"))[0];
        assert_eq!((snap.name.as_str(), snap.frames.len()), (file, 4));
        let profile = open(file).unwrap();
        assert_eq!(profile.method_count(), snap.frames.len(), "{file}");
        for (name, own, total) in &snap.frames {
            let found = sums(&profile, name);
            assert_eq!(found, (*own as u64, *total as u64), "{file}: {name}");
        }
        let expect = snap.by_stack().into_iter();
        let expect = expect.map(|(stack, sum)| (stack.join(";"), sum as u64));
        assert_eq!(stacks(&profile), expect.collect(), "{file}");
        let left_out = match &profile.diagnostics[..] {
            [
                Diagnostic::LinesLeftOut {
                    lines, first_line, ..
                },
                ..,
            ] => Some((*lines, *first_line)),
            _ => None,
        };
        assert_eq!(left_out, left_out_lines, "{file}");
    }
}

/// Expected numbers come from awk: weights are `$NF`, and `split($0, a, ";")` splits the rest into frames.
#[test]
fn sums_agree_with_awk() {
    let profile = present!(open("perf-vertx-stacks-01-collapsed-all.txt"));
    assert_eq!(profile.tree.inclusive(VALUE, NodeId::ROOT), 285);
    assert_eq!((profile.node_count(), profile.method_count()), (360, 229));
    assert_eq!(sums(&profile, "hypercall_page_[k]"), (23, 23));
    let slot = "org/mozilla/javascript/ScriptableObject:.getSlot_[j]";
    assert_eq!(sums(&profile, slot), (13, 33));
    let is_kernel = |node: &NodeId| {
        let category = profile.frames.get(profile.tree.frame(*node)).category;
        category == Category::Native && profile.name(*node).ends_with("_[k]")
    };
    let own = profile.tree.nodes().filter(is_kernel);
    let own = own.map(|node| profile.tree.exclusive(VALUE, node));
    assert_eq!(own.sum::<u64>(), 99);
    let recursion = open("recursion.txt").unwrap();
    let found = ["a", "b", "c"].map(|name| sums(&recursion, name));
    assert_eq!(found, [(1, 9), (5, 9), (4, 4)]);
    // `grep -c` counts 91 lines of each stack
    let alternating = open("alternating.txt").unwrap();
    let found = ["a", "b", "c", "d"].map(|name| sums(&alternating, name).1);
    assert_eq!(found, [91; 4]);
    let tall = open("tall.txt").unwrap();
    assert_eq!((tall.node_count(), sums(&tall, "z")), (26, (1, 1)));
    assert_eq!(tall.recording.metrics[0].name, "samples");
}

#[track_caller]
fn check(text: &str, expect: &[(&str, u64)]) -> View {
    let profile = read(text.as_bytes()).unwrap();
    let expect = expect
        .iter()
        .map(|(stack, value)| (stack.to_string(), *value));
    assert_eq!(stacks(&profile), expect.collect(), "{text}");
    profile
}

#[test]
fn stacks_share_only_equal_frames() {
    let lines = "a;b;c 1\na;b 2\na;bc 3\na;b;c;d 4\na 5\n";
    check(
        lines,
        &[
            ("a;b;c", 1),
            ("a;b", 2),
            ("a;bc", 3),
            ("a;b;c;d", 4),
            ("a", 5),
        ],
    );
    let lines = "a;b 1\na;b;c 1\nab;c 1\na;b 1";
    let profile = check(lines, &[("a;b", 2), ("a;b;c", 1), ("ab;c", 1)]);
    assert_eq!(profile.node_count(), 5);
    let stack = "void [Acme] Acme.Shop::Sell(int32, class A`1<!0>)[PreJIT]_[j];x y";
    check(&format!("{stack} 1"), &[(stack, 1)]);
    check(
        "a;;b 1\n; 2\n",
        &[("a;[No name];b", 1), ("[No name];[No name]", 2)],
    );
    check("a;b\t7\r\n", &[("a;b", 7)]);
    // without frames
    check("a;b 1\n 2\n", &[("a;b", 1), ("[No name]", 2)]);
    // a brace alone is not JSON
    let profile = read_bytes("pipe", "{closure};main 3\n{closure} 2\n".into()).unwrap();
    assert_eq!(profile.recording.source.format, "collapsed");
    assert_eq!(sums(&profile, "{closure}"), (2, 5));
}

#[test]
fn overflow_of_64_bits_is_reported() {
    for (weight, code) in [
        ("18446744073709551615", Some("sums-too-large")),
        ("18446744073709551616", Some("sums-too-large")),
        ("18446744073709551613", None),
    ] {
        let text = format!("a;b {weight}\na;c 1\n");
        let profile = read_bytes("pipe", text.into()).unwrap();
        assert_eq!(profile.codes(), Vec::from_iter(code), "{weight}");
        assert!(profile.tree.inclusive(VALUE, NodeId::ROOT) >= u64::MAX - 1);
    }
}

#[test]
fn decimal_weights_are_stored_in_smaller_units() {
    let parts = |parts| Some(Diagnostic::WeightsInParts { parts });
    for (text, expect, metric, warning) in [
        (
            "a;b 1\na;c 0.5\na;b 2.25\n",
            &[("a;b", 3250), ("a;c", 500)][..],
            "1/1000 samples",
            parts(1000),
        ),
        (
            "a;c 0.5\na;b 0.000001\na;d 2\n",
            &[("a;b", 1), ("a;c", 500_000), ("a;d", 2_000_000)],
            "1/1000000 samples",
            parts(1_000_000),
        ),
        // more digits than floats can represent
        (
            "a 9007199254740993.5\nb 1\n",
            &[("a", 9_007_199_254_740_993_500), ("b", 1000)],
            "1/1000 samples",
            parts(1000),
        ),
        (
            "a 1e-9\nb 3\n",
            &[("b", 3)],
            "samples",
            Some(Anomaly::ValuesVanished.with_count(1)),
        ),
        // decimals that are all zero don't count
        (
            "a;b 1.0\na;c 2.00\n",
            &[("a;b", 1), ("a;c", 2)],
            "samples",
            None,
        ),
    ] {
        let profile = check(text, expect);
        assert_eq!(profile.recording.metrics[0].name, metric, "{text}");
        assert_eq!(profile.warnings(), Vec::from_iter(warning), "{text}");
    }
}

#[test]
fn errors_are_explained() {
    for (text, words) in [
        (
            "a;b 1\n\na;c -3\n",
            ["collapsed stacks", "line 3", "negative"],
        ),
        ("", ["no line", "", ""]),
        ("# a\nhello\n", ["no line", "outermost;innermost 12", ""]),
    ] {
        assert_contains_all(read(text.as_bytes()).unwrap_err().to_string(), &words);
    }
    let profile = check("hello\na;b 1\nc;d inf\n", &[("a;b", 1)]);
    let left_out = Diagnostic::LinesLeftOut {
        lines: 2,
        fault: LineFault::NoStackAndWeight,
        first_line: 1,
        text: "hello".into(),
    };
    assert_eq!(profile.warnings(), [left_out]);
}

#[test]
fn every_prefix_and_mutation_gives_a_profile_or_an_error() {
    let text = "a;b;c 1\r\n# note\n;x 2.5\nÄrger;\u{202e}evil;\u{1b}[31m 3\nmain 4\n";
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    for whole in [text.as_bytes(), &utf16] {
        for length in 0..=whole.len() {
            let _ = read(&whole[..length]);
        }
        for at in 0..whole.len() {
            for value in [0, 0x0a, 0x20, 0x3b, 0x2d, 0xff, whole[at] ^ 0x80] {
                let mut changed = whole.to_vec();
                changed[at] = value;
                let _ = read(&changed);
            }
        }
    }
}

#[test]
fn malicious_names_are_harmless() {
    let long = "x".repeat(100_000);
    let text = format!("a;{long};\u{1b}]0;pwned\u{7};b\u{200b}c;d\u{202e}e 1\n");
    let profile = read(text.as_bytes()).unwrap();
    assert_harmless(&profile);
    assert_eq!(
        profile.frames.find(&long).len(),
        1,
        "the raw name is unchanged"
    );
}

#[test]
fn a_deep_stack_is_read() {
    let stack = vec!["Acme.Deep.Level"; 100_000].join(";");
    let profile = read(format!("{stack} 1\n{stack};leaf 2\n").as_bytes()).unwrap();
    assert_eq!(profile.node_count(), 100_001);
    assert_eq!(profile.tree.inclusive(VALUE, NodeId(100_001)), 2);
    assert_eq!(profile.frames.len(), 3);
}

#[test]
fn the_format_is_recognized_only_in_its_own_files() {
    let text = b"a;b;c 1\na;b 2\n";
    for packed in [
        text.to_vec(),
        gzip(text),
        zip(&[("notes.txt", b"see the stacks"), ("out", text)]),
    ] {
        let profile = read_bytes("pipe", packed).unwrap();
        assert_eq!(profile.tree.inclusive(VALUE, NodeId::ROOT), 3);
    }
    let mut folders = Vec::from_iter(shared_folder());
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let input = Input::open(&path, Progress::default()).unwrap();
            let format = detect(&input.head());
            let is_taken = format.is_some_and(|format| format.name == "collapsed");
            let is_text = path.extension().is_some_and(|extension| extension == "txt");
            let is_one = folder.ends_with("collapsed") && is_text;
            assert_eq!(is_taken, is_one, "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 100 || shared_folder().is_none(), "{count} files");
}

proptest! {
    /// Any names survive a round trip, with equal sums by stack and an equal total.
    #[test]
    fn sums_by_stack_survive_a_round_trip(rows in prop::collection::vec((prop::collection::vec("[a-cA-Z(<`\\[é]{1,3}", 1..6), 0u64..1000), 1..40)) {
        let text: String = rows.iter().map(|(stack, weight)| format!("{} {weight}\n", stack.join(";"))).collect();
        let mut expect: BTreeMap<String, u64> = BTreeMap::new();
        for (stack, weight) in rows.iter().filter(|(_, weight)| *weight > 0) {
            *expect.entry(stack.join(";")).or_default() += weight;
        }
        let profile = read(text.as_bytes()).unwrap();
        prop_assert_eq!(profile.tree.inclusive(VALUE, NodeId::ROOT), expect.values().sum::<u64>());
        prop_assert_eq!(stacks(&profile), expect);
    }
}
