use super::*;
use crate::analysis::make::node_labeled;
use crate::analysis::{Hotspot, hotspots};
use crate::model::testing::{profile_of, recording_of};
use crate::model::{Counts, Merging, Metric, NodeIds, RecordedNode, Recording, Source};
use crate::units::Unit;
use proptest::prelude::*;

const TIME: MetricId = MetricId(0);

/// A profile of several processes from `process;thread;outermost;…;leaf weight_ms|…`, with a second metric `bytes` without
/// counts: ten for each millisecond.
fn processes_of(stacks: &str) -> View {
    let plain = profile_of(stacks);
    let (mut frames, tree) = (Frames::clone(&plain.recording.frames), &plain.tree);
    let metrics = vec![
        Metric::time("time", Some(CountKind::Samples)),
        Metric {
            name: "bytes".into(),
            unit: Unit::Bytes,
            counts: None,
        },
    ];
    let mut builder = TreeBuilder::new(tree.frame(NodeId::ROOT), &metrics);
    let mut raws = vec![TreeBuilder::ROOT];
    let (mut processes, mut threads) = (Vec::new(), Vec::new());
    for node in tree.nodes().skip(1) {
        let caller = tree.parent(node).unwrap();
        let (kind, name) = match tree.ancestors(node).count() {
            1 => (FrameKind::Process, plain.name(node).to_string()),
            2 => (FrameKind::Thread, plain.name(node).to_string()),
            _ => (FrameKind::Method, plain.name(node).to_string()),
        };
        let raw = builder
            .add(raws[caller.index()], frames.intern(kind, &name, ""))
            .unwrap();
        raws.push(raw);
        let weight = tree.exclusive(TIME, node);
        builder.add_exclusive(TIME, raw, weight);
        builder.add_exclusive(MetricId(1), raw, weight / 100_000);
        builder.add_count(
            TIME,
            raw,
            tree.count(TIME, node).unwrap()
                - tree
                    .children(node)
                    .map(|c| tree.count(TIME, c).unwrap())
                    .sum::<u64>(),
        );
        match kind {
            FrameKind::Process => processes.push((raw, name)),
            FrameKind::Thread => threads.push((raw, name)),
            _ => {}
        }
    }
    builder.sum_counts();
    let built = builder.finish(&frames, TIME);
    let processes = processes
        .into_iter()
        .zip(1..)
        .map(|((raw, name), id)| Process {
            node: built.node(raw),
            id,
            name,
        });
    let threads = threads.into_iter().map(|(raw, name)| Thread {
        node: built.node(raw),
        id: name.clone(),
        name,
    });
    let (processes, threads) = (processes.collect(), threads.collect::<Vec<_>>());
    let tree = built.tree.clone();
    let recording = Recording::new(plain.recording.source.clone(), frames, tree, metrics, TIME);
    recording
        .with_processes(processes)
        .with_threads(threads)
        .into_view()
}

/// `name inclusive exclusive samples id` of every node, indented, followed by the threads by name.
fn dump(view: &View) -> Vec<String> {
    assert_eq!(view.tree.check(), Ok(()));
    let tree = &view.tree;
    let row = |node| {
        let (inclusive, exclusive) = (
            tree.inclusive(TIME, node) / 1_000_000,
            tree.exclusive(TIME, node) / 1_000_000,
        );
        let (indent, name) = (".".repeat(tree.ancestors(node).count()), view.name(node));
        let count = tree.count(TIME, node).unwrap();
        let label = view.node_label(node);
        assert_eq!(node_labeled(view, &label), Some(node), "{label}");
        format!("{indent}{name} {inclusive} {exclusive} {count} {label}")
    };
    tree.nodes().map(row).collect()
}

fn merging(is_merged: bool) -> Merging {
    match is_merged {
        true => Merging::All,
        false => Merging::None,
    }
}

fn choice(view: &View, wanted: &[&str], is_merged: bool) -> ThreadChoice {
    let wanted = view
        .threads
        .iter()
        .map(|thread| wanted.contains(&thread.name.as_str()))
        .collect();
    ThreadChoice {
        chosen: wanted,
        merging: merging(is_merged),
    }
}

#[track_caller]
fn check(view: &View, wanted: &[&str], is_merged: bool, expect: &[&str]) -> View {
    let chosen = choose(view, &choice(view, wanted, is_merged)).unwrap();
    assert_eq!(dump(&chosen), expect);
    let names: Vec<&str> = chosen
        .threads
        .iter()
        .map(|thread| chosen.name(thread.node))
        .collect();
    let ids: Vec<&str> = chosen
        .threads
        .iter()
        .map(|thread| thread.name.as_str())
        .collect();
    assert_eq!(names, ids, "threads know their nodes");
    chosen
}

// n0 All ▸ n1 A 9 ▸ n2 a 9 ▸ n3 x 5; n4 B 6 ▸ n5 a 6 ▸ (n6 y 3, n7 x 2); n8 C 1 ▸ n9 z 1
const STACKS: &str = "A;a 4|A;a;x 5|B;a 1|B;a;x 2|B;a;y 3|C;z 1";

#[test]
fn chosen_threads_are_unchanged() {
    let view = profile_of(STACKS);
    check(
        &view,
        &["B", "C"],
        false,
        &[
            "2 of 3 threads 7 0 4 n0",
            ".B 6 0 3 n4",
            "..a 6 1 3 n5",
            "...y 3 3 1 n6",
            "...x 2 2 1 n7",
            ".C 1 0 1 n8",
            "..z 1 1 1 n9",
        ],
    );
    check(
        &view,
        &["C"],
        true,
        &["1 of 3 threads 1 0 1 n0", ".C 1 0 1 n8", "..z 1 1 1 n9"],
    );
    check(&view, &[], false, &["0 of 3 threads 0 0 0 n0"]);
    check(&view, &[], true, &["0 of 3 threads 0 0 0 n0"]);
    let same = check(
        &view,
        &["A", "B", "C"],
        false,
        &dump(&view).iter().map(String::as_str).collect::<Vec<_>>(),
    );
    assert_eq!(same.tree, view.tree);
}

#[test]
fn merged_threads_form_one_tree_sorted_by_value() {
    let view = profile_of(STACKS);
    check(
        &view,
        &["A", "B"],
        true,
        // a 4 + 1, x 5 + 2
        &[
            "2 of 3 threads 15 0 5 n0",
            ".2 threads merged 15 0 5 n1",
            "..a 15 5 5 n2",
            "...x 7 7 2 n3",
            "...y 3 3 1 n6",
        ],
    );
    let all = check(
        &view,
        &["A", "B", "C"],
        true,
        &[
            "All threads 16 0 6 n0",
            ".3 threads merged 16 0 6 n1",
            "..a 15 5 5 n2",
            "...x 7 7 2 n3",
            "...y 3 3 1 n6",
            "..z 1 1 1 n9",
        ],
    );
    assert!(all.has_merged_threads() && !view.has_merged_threads());
}

#[test]
fn pool_threads_are_merged_separately() {
    let view = profile_of("A;a 4|.NET pool;a 1|.NET TP Worker;a;x 2|.NET pool gate;y 2");
    let merging = Merging::Pool;
    let all = ThreadChoice::all(&view.recording);
    let pool = choose(&view, &ThreadChoice { merging, ..all }).unwrap();
    let expect = [
        "All threads 9 0 4 n0",
        ".A 4 0 1 n1",
        "..a 4 4 1 n2",
        ".2 .NET pool threads 3 0 2 n3",
        // 1 + 2
        "..a 3 1 2 n4",
        "...x 2 2 1 n5",
        "..NET pool gate 2 0 1 n6",
        "..y 2 2 1 n7",
    ];
    assert_eq!(dump(&pool), expect);
    // a single pool thread is not a merged thread
    let one = choice(&view, &["A", ".NET pool"], false);
    let one = choose(&view, &ThreadChoice { merging, ..one }).unwrap();
    assert!(!one.has_merged_threads());
}

#[test]
fn processes_stay_above_their_threads() {
    let view = processes_of("P;A;a 4|P;B;a;x 5|Q;C;a 8|Q;D;a 6");
    let kept = check(
        &view,
        &["B", "D", "A"],
        false,
        // Q is after P now
        &[
            "3 of 4 threads 15 0 3 n0",
            ".P 9 0 2 n6",
            "..B 5 0 1 n7",
            "...a 5 0 1 n8",
            "....x 5 5 1 n9",
            "..A 4 0 1 n10",
            "...a 4 4 1 n11",
            ".Q 6 0 1 n1",
            "..D 6 0 1 n4",
            "...a 6 6 1 n5",
        ],
    );
    let processes: Vec<&str> = kept
        .processes
        .iter()
        .map(|process| kept.name(process.node))
        .collect();
    assert_eq!(processes, ["Q", "P"], "in the order of the source");
    assert_eq!(
        kept.tree.inclusive(MetricId(1), NodeId::ROOT),
        150,
        "other metrics, too"
    );
    assert_eq!(processes_of_threads(&kept), [Some(0), Some(1), Some(1)]);
    let merged = check(
        &view,
        &["A", "B", "C", "D"],
        true,
        &[
            "All threads 23 0 4 n0",
            ".Q 14 0 2 n1",
            "..2 threads merged 14 0 2 n2",
            "...a 14 14 2 n3",
            ".P 9 0 2 n6",
            "..2 threads merged 9 0 2 n7",
            "...a 9 4 2 n8",
            "....x 5 5 1 n9",
        ],
    );
    assert_eq!(
        merged.tree.columns(MetricId(1)).inclusive,
        [230, 140, 140, 140, 90, 90, 90, 50]
    );
    check(
        &view,
        &["C", "D"],
        false,
        &[
            "1 of 2 processes 14 0 2 n0",
            ".Q 14 0 2 n1",
            "..C 8 0 1 n2",
            "...a 8 8 1 n3",
            "..D 6 0 1 n4",
            "...a 6 6 1 n5",
        ],
    );
}

#[test]
fn choices_are_described() {
    let (threads, processes) = (
        profile_of(STACKS),
        processes_of("P;A;a 4|P;B;a;x 5|Q;C;a 8|R;D;a 6"),
    );
    for (view, wanted, expect) in [
        (&threads, &["A", "B", "C"][..], "3 threads"),
        (&threads, &["A"], "1 of 3 threads"),
        (&processes, &["A"], "1 of 4 threads"),
        (&processes, &["A", "B"], "P, 1 of 3"),
        (&processes, &["C", "D"], "2 of 3 processes"),
        (&processes, &[], "0 of 3 processes"),
        (&processes, &["A", "B", "C", "D"], "4 threads"),
    ] {
        assert_eq!(choice(view, wanted, true).words(&view.recording), expect);
    }
}

#[test]
fn offsets_follow_their_nodes() {
    let node_ids = NodeIds::ThreadOffsets((0..10).map(|n| n * 16).collect());
    let view = Recording {
        node_ids,
        ..recording_of(STACKS)
    }
    .into_view();
    let chosen = choose(&view, &choice(&view, &["B"], false)).unwrap();
    let labels: Vec<String> = chosen
        .tree
        .nodes()
        .map(|node| chosen.node_label(node))
        .collect();
    assert_eq!(labels, ["root", "tB:0x40", "tB:0x50", "tB:0x60", "tB:0x70"]);
    let again = choose(
        &chosen,
        &ThreadChoice {
            chosen: vec![true],
            merging: Merging::All,
        },
    )
    .unwrap();
    let again: Vec<String> = again
        .tree
        .nodes()
        .map(|node| again.node_label(node))
        .collect();
    assert_eq!(again, labels, "a thread alone is not merged");
}

/// A profile in which only frames named `T…` are threads.
fn mixed(view: View) -> View {
    let threads = view.threads.iter();
    let threads = threads.filter(|thread| thread.name.starts_with('T'));
    let recorded = |thread: &Thread| Thread {
        node: view.to_recorded(thread.node),
        id: thread.id.clone(),
        name: thread.name.clone(),
    };
    let threads = threads.map(recorded).collect();
    view.into_recording().with_threads(threads).into_view()
}

#[test]
fn nodes_outside_threads_stay_if_all_threads_are_chosen() {
    let view = mixed(profile_of("T1;a 5|T2;a 3|T2;x 1|b;y 7| 2"));
    check(
        &view,
        &["T1", "T2"],
        true,
        // 5 + 3 + 1 in threads, 7 + 2 outside of them
        &[
            "All threads 18 0 5 n0",
            ".2 threads merged 9 0 3 n3",
            "..a 8 8 2 n4",
            "..x 1 1 1 n7",
            ".b 7 0 1 n1",
            "..y 7 7 1 n2",
            ". 2 2 1 n8",
        ],
    );
    check(
        &view,
        &["T2"],
        true,
        &[
            "1 of 2 threads 4 0 2 n0",
            ".T2 4 0 2 n5",
            "..a 3 3 1 n6",
            "..x 1 1 1 n7",
        ],
    );
    let one = mixed(profile_of("T1;a 5|b 7"));
    assert_eq!(dump(&one), check_dump(&one, true));
    let none = mixed(profile_of("a;b;c 5|a;b;d 4|a;b 5"));
    assert_eq!(dump(&none), check_dump(&none, true));
}

/// The dump of the view of all threads.
fn check_dump(view: &View, is_merged: bool) -> Vec<String> {
    let wanted = vec![true; view.threads.len()];
    dump(
        &choose(
            view,
            &ThreadChoice {
                chosen: wanted,
                merging: merging(is_merged),
            },
        )
        .unwrap(),
    )
}

#[test]
fn processes_keep_nodes_outside_their_threads() {
    let view = mixed(processes_of(
        "P;T1;a 4|P;T1 1|P;b 6|P 1|Q;c 3|R;T2;a 2|R;T3;a 1|R;c 1",
    ));
    assert_eq!(view.tree.inclusive(TIME, NodeId::ROOT), 19_000_000);
    let merged = check_dump(&view, true);
    assert_eq!(
        merged,
        [
            "All threads 19 0 8 n0",
            ".P 12 1 4 n1",
            "..b 6 6 1 n2",
            "..T1 5 1 2 n3",
            "...a 4 4 1 n4",
            ".R 4 0 3 n5",
            "..2 threads merged 3 0 2 n6",
            "...a 3 3 2 n7",
            "..c 1 1 1 n10",
            ".Q 3 0 1 n11",
            "..c 3 3 1 n12",
        ]
    );
    // a process with all of its threads chosen is complete
    check(
        &view,
        &["T1", "T2"],
        false,
        &[
            "2 of 3 threads 14 0 5 n0",
            ".P 12 1 4 n1",
            "..b 6 6 1 n2",
            "..T1 5 1 2 n3",
            "...a 4 4 1 n4",
            ".R 2 0 1 n5",
            "..T2 2 0 1 n6",
            "...a 2 2 1 n7",
        ],
    );
}

#[test]
fn explicit_values_and_calls_are_summed() {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "all", "");
    let metrics = vec![Metric::time("time", Some(CountKind::Calls))];
    let mut builder = TreeBuilder::new(root, &metrics);
    let mut threads = Vec::new();
    builder.add_values(TIME, TreeBuilder::ROOT, 100, 1, 7);
    for (name, given) in [("A", 30), ("B", 20)] {
        let thread = builder
            .add(
                TreeBuilder::ROOT,
                frames.intern(FrameKind::Thread, name, ""),
            )
            .unwrap();
        builder.add_values(TIME, thread, given, 2, 1);
        // twins below one caller
        for (inclusive, calls) in [(9, 3), (4, 5)] {
            let method = builder
                .add(thread, frames.intern(FrameKind::Method, "m", ""))
                .unwrap();
            builder.add_values(TIME, method, inclusive, 4, calls);
        }
        threads.push((name, thread));
    }
    let built = builder.finish(&frames, TIME);
    let thread = |(name, raw): (&str, RawNode)| Thread {
        node: built.node(raw),
        id: String::new(),
        name: name.into(),
    };
    let threads: Vec<Thread<RecordedNode>> = threads.into_iter().map(thread).collect();
    let source = Source::read_here(
        "x".into(),
        "test",
        crate::model::ProfileKind::Tracing,
        Vec::new(),
    );
    let view = Recording::new(source, frames, built.tree, metrics, TIME)
        .with_threads(threads)
        .into_view();
    let values = |view: &View| {
        let columns = view.tree.columns(TIME).clone();
        (
            columns.inclusive,
            columns.exclusive,
            columns.counts.unwrap(),
        )
    };
    let kept = choose(
        &view,
        &ThreadChoice {
            chosen: vec![false, true],
            merging: Merging::None,
        },
    )
    .unwrap();
    assert_eq!(
        values(&kept),
        (
            vec![20, 20, 9, 4],
            vec![0, 2, 4, 4],
            Counts::Narrow(vec![7, 1, 3, 5])
        )
    );
    let merged = choose(
        &view,
        &ThreadChoice {
            chosen: vec![true, true],
            merging: Merging::All,
        },
    )
    .unwrap();
    assert_eq!(
        values(&merged),
        // the root keeps its explicit value: 100, 1 of it exclusive
        (
            vec![100, 50, 26],
            vec![1, 4, 16],
            Counts::Narrow(vec![7, 2, 16])
        )
    );
}

#[test]
fn a_profile_of_one_thread_has_no_choice() {
    let view = profile_of("A;a 4");
    let root = Thread {
        node: RecordedNode::ROOT,
        id: "1".into(),
        name: "root".into(),
    };
    let view = view.into_recording().with_threads(vec![root]).into_view();
    for wanted in [true, false] {
        let same = choose(
            &view,
            &ThreadChoice {
                chosen: vec![wanted],
                merging: Merging::All,
            },
        )
        .unwrap();
        assert_eq!(same.tree, view.tree);
    }
}

#[test]
fn deep_chains_are_merged() {
    let two = profile_of("A;a 1|B;a 1");
    let mut builder = TreeBuilder::new(two.tree.frame(NodeId(0)), &two.recording.metrics);
    let mut threads = Vec::new();
    for thread in &*two.threads {
        let stack = [two.tree.frame(thread.node)]
            .into_iter()
            .chain(std::iter::repeat_n(two.tree.frame(NodeId(2)), 100_000));
        let leaf = builder.push_stack(TreeBuilder::ROOT, stack).unwrap();
        builder.add_exclusive(TIME, leaf, 3);
        threads.push((thread, RawNode(leaf.0 - 100_000)));
    }
    let built = builder.finish(&two.frames, TIME);
    let thread = |(thread, raw): (&Thread, RawNode)| Thread {
        node: built.node(raw),
        id: thread.id.clone(),
        name: thread.name.clone(),
    };
    let threads: Vec<Thread<RecordedNode>> = threads.into_iter().map(thread).collect();
    let view = Recording::new(
        two.recording.source.clone(),
        Frames::clone(&two.recording.frames),
        built.tree,
        two.recording.metrics.clone(),
        TIME,
    )
    .with_threads(threads)
    .into_view();
    let merged = choose(
        &view,
        &ThreadChoice {
            chosen: vec![true, true],
            merging: Merging::All,
        },
    )
    .unwrap();
    assert_eq!(
        (
            merged.tree.len(),
            merged.tree.inclusive(TIME, NodeId(100_001))
        ),
        (100_002, 6)
    );
    let kept = choose(
        &view,
        &ThreadChoice {
            chosen: vec![false, true],
            merging: Merging::None,
        },
    )
    .unwrap();
    assert_eq!(
        (kept.tree.len(), kept.tree.inclusive(TIME, NodeId(100_001))),
        (100_002, 3)
    );
}

/// Hotspots by name, without node ids and counts, which differ in a merged tree.
fn sums(view: &View, roots: &[NodeId]) -> Vec<(String, u64, u64, Option<u64>)> {
    let row = |row: &Hotspot| {
        (
            view.frames.name(row.frame).to_string(),
            row.inclusive,
            row.exclusive,
            row.count,
        )
    };
    let mut rows: Vec<_> = hotspots(view, roots, TIME).iter().map(row).collect();
    rows.sort();
    rows
}

proptest! {
    #[test]
    fn choices_have_the_same_sums_and_hotspots_as_their_threads(
        stacks in prop::collection::vec((0u8..4, prop::collection::vec(0u8..4, 0..6), 1u64..100), 1..40),
        wanted in prop::collection::vec(any::<bool>(), 4),
    ) {
        let text = |(thread, stack, weight): &(u8, Vec<u8>, u64)| {
            let methods: String = stack.iter().map(|method| format!(";m{method}")).collect();
            format!("T{thread}{methods} {weight}")
        };
        let view = profile_of(&stacks.iter().map(text).collect::<Vec<_>>().join("|"));
        let wanted: Vec<bool> = wanted.into_iter().take(view.threads.len()).collect();
        let roots: Vec<NodeId> =
            view.threads.iter().zip(&wanted).filter(|(_, wanted)| **wanted).map(|(thread, _)| thread.node).collect();
        let total: u64 = roots.iter().map(|&root| view.tree.inclusive(TIME, root)).sum();
        let count: u64 = roots.iter().map(|&root| view.tree.count(TIME, root).unwrap()).sum();
        for is_merged in [false, true] {
            let chosen = choose(&view, &ThreadChoice { chosen: wanted.clone(), merging: merging(is_merged) }).unwrap();
            prop_assert_eq!(chosen.tree.check(), Ok(()));
            prop_assert_eq!(chosen.tree.inclusive(TIME, NodeId::ROOT), total);
            prop_assert_eq!(chosen.tree.count(TIME, NodeId::ROOT), Some(count));
            prop_assert_eq!(sums(&chosen, &[NodeId::ROOT]), sums(&view, &roots));
            // siblings by time, each caller the sum of its callees and its own
            for node in chosen.tree.nodes() {
                let times: Vec<u64> = chosen.tree.children(node).map(|c| chosen.tree.inclusive(TIME, c)).collect();
                prop_assert!(times.is_sorted_by(|a, b| a >= b));
                prop_assert_eq!(times.iter().sum::<u64>() + chosen.tree.exclusive(TIME, node), chosen.tree.inclusive(TIME, node));
            }
        }
    }

    #[test]
    fn merging_all_threads_changes_no_total(
        stacks in prop::collection::vec((0u8..3, 0u8..4, prop::collection::vec(0u8..4, 0..4), 1u64..100), 1..40),
        threads in prop::collection::vec(any::<bool>(), 12),
    ) {
        // M is in no thread
        let text = |(process, thread, stack, weight): &(u8, u8, Vec<u8>, u64)| {
            let methods: String = stack.iter().map(|method| format!(";m{method}")).collect();
            let kind = if threads[usize::from(process * 4 + thread)] { 'T' } else { 'M' };
            format!("P{process};{kind}{thread}{methods} {weight}")
        };
        let view = mixed(processes_of(&stacks.iter().map(text).collect::<Vec<_>>().join("|")));
        let wanted = vec![true; view.threads.len()];
        let merged = choose(&view, &ThreadChoice { chosen: wanted, merging: Merging::All }).unwrap();
        prop_assert_eq!(merged.tree.check(), Ok(()));
        for metric in [TIME, MetricId(1)] {
            let total: u64 = stacks.iter().map(|(.., weight)| weight * if metric == TIME { 1_000_000 } else { 10 }).sum();
            prop_assert_eq!(merged.tree.inclusive(metric, NodeId::ROOT), total);
            let own = |view: &View| view.tree.nodes().map(|node| view.tree.exclusive(metric, node)).sum::<u64>();
            prop_assert_eq!(own(&merged), total);
        }
        prop_assert_eq!(merged.tree.count(TIME, NodeId::ROOT), Some(stacks.len() as u64));
        prop_assert_eq!(sums(&merged, &[NodeId::ROOT]), sums(&view, &[NodeId::ROOT]));
        prop_assert_eq!(merged.processes.len(), view.processes.len());
    }
}
