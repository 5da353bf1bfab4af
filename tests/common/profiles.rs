//! Profiles read and written out, for tests of several formats.
use dotspot::testing::importers::import;
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{MetricId, NodeId, Recording, View};
use dotspot::testing::names::FrameKind;
use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::path::Path;

/// Reads a profile of this file name from memory.
pub fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<View, ImportError> {
    import(Input::stream(
        name,
        Box::new(Cursor::new(bytes)),
        Progress::default(),
    )?)
    .map(Recording::into_view)
}

/// Reads a profile that is in order.
#[track_caller]
pub fn read_text(text: &str) -> View {
    let profile =
        read_bytes("a.json", text.as_bytes().to_vec()).unwrap_or_else(|error| panic!("{error}"));
    profile.tree.check().unwrap();
    profile
}

/// Reads a file of the shared data.
#[track_caller]
pub fn read_file(path: &Path) -> View {
    let profile = Input::open(path, Progress::default())
        .and_then(import)
        .map(Recording::into_view)
        .unwrap_or_else(|error| panic!("{error}"));
    profile.tree.check().unwrap();
    profile
}

/// A line per node but the root: depth, kind where it is no method, name, then inclusive/exclusive of each metric.
pub fn dump(profile: &View) -> Vec<String> {
    let tree = &profile.tree;
    let line = |node: NodeId| {
        let kind = profile.frames.get(tree.frame(node)).kind;
        let kind = if kind == FrameKind::Method {
            String::new()
        } else {
            format!("{} ", kind.name())
        };
        let mut line = format!(
            "{} {kind}{}",
            tree.ancestors(node).count(),
            profile.name(node)
        );
        for metric in (0..profile.recording.metrics.len()).map(MetricId::at) {
            line += &format!(
                " {}/{}",
                tree.inclusive(metric, node),
                tree.exclusive(metric, node)
            );
            if let Some(count) = tree.count(metric, node) {
                line += &format!(" x{count}");
            }
        }
        line
    };
    tree.nodes().skip(1).map(line).collect()
}

/// Exclusive and inclusive values of methods by name below a node, recursion counted once.
pub fn by_name(profile: &View, metric: MetricId, top: NodeId) -> HashMap<String, (u64, u64)> {
    let tree = &profile.tree;
    let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
    let mut open_until = HashMap::new();
    for node in tree.range(top).map(NodeId::at) {
        let frame = tree.frame(node);
        if !profile.frames.get(frame).kind.is_hotspot() {
            continue;
        }
        let sum = sums
            .entry(profile.frames.name(frame).to_string())
            .or_default();
        sum.0 += tree.exclusive(metric, node);
        if open_until.get(&frame).is_none_or(|&until| node >= until) {
            sum.1 += tree.inclusive(metric, node);
            open_until.insert(frame, tree.end(node));
        }
    }
    sums
}

/// Exclusive values by stack below a node, outermost method first; stacks without a value are left out.
pub fn by_stack(profile: &View, metric: MetricId, top: NodeId) -> BTreeMap<Vec<String>, u64> {
    let tree = &profile.tree;
    let mut sums = BTreeMap::new();
    for node in tree
        .range(top)
        .map(NodeId::at)
        .filter(|&node| tree.exclusive(metric, node) > 0)
    {
        let mut stack: Vec<String> = std::iter::once(node)
            .chain(tree.ancestors(node))
            .take_while(|&above| profile.frames.get(tree.frame(above)).kind.is_hotspot())
            .map(|above| profile.name(above).to_string())
            .collect();
        stack.reverse();
        *sums.entry(stack).or_insert(0) += tree.exclusive(metric, node);
    }
    sums
}
