//! Random profiles.
use dotspot::testing::diagnostics::Diagnostic;
use dotspot::testing::model::{
    CountKind, Frames, Metric, MetricId, NodeIds, ProfileKind, RawNode, Recording, Source, Thread,
    TreeBuilder, View,
};
use dotspot::testing::names::FrameKind;
use dotspot::testing::units::Unit;
use proptest::prelude::*;

pub const NAMES: &[&str] = &[
    "Acme.dll!Acme.Program.Main",
    "System.Linq.Enumerable.ToList`1",
    "<RunAsync>d__12.MoveNext",
    "a\"b\\c/d",
    "\u{1b}[2J\u{7}\u{0}\r\n\t",
    "\u{7f}\u{80}\u{9b}31m\u{9f}",
    "abc\u{202e}cba\u{2066}\u{2028}\u{2029}\u{200b}\u{feff}",
    "Größe 値 😀 \u{e0041}",
    "",
    "]}],\"children\":[{",
    "a;b;c",
    "foo 12",
    "#foo",
    " \u{3000}foo\u{a0}",
    "Thread (7) main",
];

/// How to make a node: the index of its parent among the nodes before it, its frame, the values of three metrics.
pub type NodePlan = (
    prop::sample::Index,
    usize,
    usize,
    usize,
    [(u64, u64); 3],
    [u64; 3],
);

/// The ids of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Ids {
    Preorder,
    InThreads,
    Offsets,
}

#[derive(Debug, Clone)]
pub struct Plan {
    nodes: Vec<NodePlan>,
    metrics: Vec<Metric>,
    default: usize,
    gives_inclusive: bool,
    ids: Ids,
    kind: ProfileKind,
    /// The maximum of exclusive values.
    pub most: u64,
}

pub fn plans() -> impl Strategy<Value = Plan> {
    // mostly small values, for ties and zeros; sometimes any value
    let value = || prop_oneof![4 => 0u64..4, 2 => 0u64..5_000_000_000, 1 => 0u64..1 << 53, 1 => any::<u64>()];
    let pair = || (value(), value());
    let kinds = prop_oneof![8 => Just(0usize), 1 => Just(1), 1 => Just(2)];
    let node = (
        any::<prop::sample::Index>(),
        0..NAMES.len(),
        0usize..3,
        kinds,
        [pair(), pair(), pair()],
        [value(), value(), value()],
    );
    use CountKind::{Calls, Samples, Unknown};
    let units = [
        Unit::Milliseconds,
        Unit::Milliseconds,
        Unit::Count,
        Unit::Bytes,
    ];
    let counts = [None, Some(Calls), Some(Samples), Some(Unknown)];
    let metric = (
        prop::sample::select(units.to_vec()),
        prop::sample::select(counts.to_vec()),
    );
    let payloads = ["sampling", "tracing", "line-by-line", "timeline", "unknown"];
    let ids = [Ids::Preorder, Ids::InThreads, Ids::Offsets];
    let parts = (
        prop::collection::vec(node, 0..40),
        prop::collection::vec(metric, 1..4),
        any::<prop::sample::Index>(),
        (any::<bool>(), prop::sample::select(ids.to_vec())),
        prop::sample::select(payloads.to_vec()),
    );
    let metric = |((unit, counts), name): ((Unit, Option<CountKind>), &str)| Metric {
        name: name.into(),
        unit,
        counts,
    };
    parts.prop_map(
        move |(nodes, metrics, default, (gives_inclusive, ids), payload)| Plan {
            nodes,
            default: default.index(metrics.len()),
            metrics: metrics
                .into_iter()
                .zip(["CPU", "wall \"\u{9b}", "Ereignisse"])
                .map(metric)
                .collect(),
            gives_inclusive,
            ids,
            kind: ProfileKind::named(payload).unwrap_or(ProfileKind::Unknown),
            most: u64::MAX,
        },
    )
}

pub fn build(plan: &Plan) -> View {
    let mut frames = Frames::default();
    let root = frames.intern(FrameKind::Root, "All \u{1b} threads", "");
    let mut builder = TreeBuilder::new(root, &plan.metrics);
    let mut raw = vec![TreeBuilder::ROOT];
    let mut threads: Vec<RawNode> = Vec::new();
    for (number, (parent, name, signature, kind, values, counts)) in plan.nodes.iter().enumerate() {
        let parent = raw[parent.index(raw.len())];
        // all nodes below the root are threads if ids are per thread; otherwise some are
        let is_thread = parent == TreeBuilder::ROOT && (plan.ids == Ids::InThreads || *kind == 1);
        let kind = match kind {
            _ if is_thread => FrameKind::Thread,
            2 => FrameKind::Special,
            _ => FrameKind::Method,
        };
        let signatures = ["", "(int)", "(\u{9b}string)"];
        let signature = if is_thread {
            ""
        } else {
            signatures[*signature]
        };
        let frame = frames.intern(kind, NAMES[*name], signature);
        if !is_thread && *name % 2 == 1 {
            frames.set_location(frame, &format!("/src/{signature}.cs"), *name as u64 / 2);
        }
        let node = builder.add(parent, frame).unwrap();
        if is_thread {
            threads.push(node);
        }
        let metrics = (0..plan.metrics.len()).map(MetricId::at);
        for (metric, ((exclusive, more), &count)) in metrics.zip(values.iter().zip(counts)) {
            let exclusive = *exclusive.min(&plan.most);
            if plan.gives_inclusive {
                let inclusive = exclusive.saturating_add(*more);
                builder.add_values(metric, node, inclusive, exclusive, count);
            } else {
                builder.add_exclusive(metric, node, exclusive);
                builder.add_count(metric, node, count);
            }
        }
        if plan.ids != Ids::Preorder {
            builder.set_source_offset(node, number as u64 * 21);
        }
        raw.push(node);
    }
    let default = MetricId(plan.default as u32);
    let built = builder.finish(&frames, default);
    let thread = |(number, &raw): (usize, &RawNode)| Thread {
        node: built.node(raw),
        id: match plan.ids == Ids::InThreads || number % 2 == 0 {
            true => (number * 10).to_string(),
            false => String::new(),
        },
        name: NAMES[number % NAMES.len()].to_string(),
    };
    let mut threads: Vec<_> = threads.iter().enumerate().map(thread).collect();
    threads.sort_by_key(|thread| thread.node);
    let node_ids = match built.source_offsets.clone() {
        Some(mut offsets) if plan.ids == Ids::Offsets => {
            offsets[0] = NodeIds::NO_OFFSET;
            NodeIds::Offsets(offsets)
        }
        Some(offsets) if !threads.is_empty() => NodeIds::ThreadOffsets(offsets),
        _ => NodeIds::Preorder,
    };
    let source = Source {
        name: "C:\\Users\\ann\\a\u{1b}.nettrace".into(),
        format: "nettrace".into(),
        kind: plan.kind,
        decoder: "dec\"oder".into(),
        decoder_version: "1.\u{85}".into(),
        facts: vec![("machine".into(), "ANNS-PC".into())],
    };
    let recording = Recording::new(source, frames, built.tree, plan.metrics.clone(), default)
        .with_threads(threads);
    let mut recording = Recording {
        node_ids,
        diagnostics: vec![Diagnostic::kept("one \u{2028}warning".into())],
        ..recording
    };
    recording.warn_of_saturated_sums();
    recording.into_view()
}
