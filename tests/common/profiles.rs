//! Reads and dumps profiles, for tests of several formats.
use super::sums::check_repair;
use dotspot::testing::importers::{FORMATS, ReadOptions, import};
use dotspot::testing::input::{ImportError, Input, Progress};
use dotspot::testing::model::{MetricId, NodeId, View};
use dotspot::testing::names::FrameKind;
use dotspot::testing::text::is_hostile;
use std::collections::{BTreeMap, HashMap};
use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};

/// A stream of these bytes.
pub fn stream(name: &str, bytes: Vec<u8>) -> Result<Input, ImportError> {
    Input::stream(name, Box::new(Cursor::new(bytes)), Progress::default())
}

/// Reads a profile from memory, under this file name.
pub fn read_bytes(name: &str, bytes: Vec<u8>) -> Result<View, ImportError> {
    stream(name, bytes).and_then(open)
}

/// Reads a profile from memory in this format, without recognizing it.
pub fn read_as(format: &str, name: &str, bytes: Vec<u8>) -> Result<View, ImportError> {
    let format = FORMATS.iter().find(|known| known.name == format).unwrap();
    let profile = (format.read)(stream(name, bytes)?, &ReadOptions::default())?.into_view();
    check_tree(&profile);
    Ok(profile)
}

/// Reads a profile, which may fail.
pub fn open_file(path: &Path) -> Result<View, ImportError> {
    Input::open(path, Progress::default()).and_then(open)
}

fn open(input: Input) -> Result<View, ImportError> {
    let profile = import(input)?.into_view();
    check_tree(&profile);
    check_repair(&profile);
    Ok(profile)
}

/// Reads a valid profile.
#[track_caller]
pub fn read_text(text: &str) -> View {
    let profile = read_bytes("a.json", text.into());
    profile.unwrap_or_else(|error| panic!("{error}"))
}

/// Reads a shared data file once for all tests of a program. No test may write to `path`.
#[track_caller]
pub fn read_file(path: &Path) -> View {
    static READ: Mutex<BTreeMap<PathBuf, Arc<OnceLock<View>>>> = Mutex::new(BTreeMap::new());
    let slot = Arc::clone(READ.lock().unwrap().entry(path.into()).or_default());
    let read = || open_file(path).unwrap_or_else(|error| panic!("{error}"));
    slot.get_or_init(read).clone()
}

/// Checks that each subtree lies within its caller's, and that no exclusive value exceeds the inclusive one.
#[track_caller]
pub fn check_tree(view: &View) {
    let tree = &view.tree;
    assert_eq!(tree.end(NodeId::ROOT).index(), tree.len());
    let mut open = vec![NodeId::ROOT];
    for node in tree.nodes().skip(1) {
        while open.pop_if(|open| tree.end(*open) <= node).is_some() {}
        let caller = *open.last().unwrap();
        assert_eq!(tree.parent(node), Some(caller), "{node:?}");
        assert!(
            (node.0 + 1..=tree.end(caller).0).contains(&tree.end(node).0),
            "{node:?}"
        );
        open.push(node);
    }
    for metric in view.recording.metric_ids() {
        let columns = tree.columns(metric);
        assert_eq!(
            [columns.inclusive.len(), columns.exclusive.len()],
            [tree.len(); 2]
        );
        let is_valid = |node| tree.exclusive(metric, node) <= tree.inclusive(metric, node);
        assert!(tree.nodes().all(is_valid), "{metric:?}");
        tree.nodes().for_each(|node| _ = tree.count(metric, node));
    }
}

/// A fact about the recording, or the empty string.
pub fn fact<'p>(profile: &'p View, what: &str) -> &'p str {
    let facts = &profile.recording.source.facts;
    let fact = facts.iter().find(|(name, _)| *name == what);
    fact.map_or("", |(_, text)| text)
}

pub fn metric_names(profile: &View) -> Vec<&str> {
    let metrics = profile.recording.metrics.iter();
    metrics.map(|metric| metric.name.as_str()).collect()
}

/// The name of the default metric.
pub fn default_metric(profile: &View) -> &str {
    let recording = &profile.recording;
    &recording.metric(recording.default_metric).name
}

/// The names from below the root to a node.
pub fn path(profile: &View, node: NodeId) -> Vec<&str> {
    let nodes = std::iter::once(node).chain(profile.tree.ancestors(node));
    let mut path: Vec<&str> = nodes.map(|at| profile.name(at)).collect();
    path.pop();
    path.reverse();
    path
}

/// The id and name of each thread.
pub fn thread_names(profile: &View) -> Vec<(&str, &str)> {
    let threads = profile.threads.iter();
    threads.map(|it| (&*it.id, &*it.name)).collect()
}

/// The id and name of each process.
pub fn process_names(profile: &View) -> Vec<(u64, &str)> {
    let processes = profile.processes.iter();
    processes.map(|it| (it.id, &*it.name)).collect()
}

/// The names of the nodes after the first ones, in preorder.
pub fn names_behind(profile: &View, first: usize) -> Vec<&str> {
    let nodes = profile.tree.nodes().skip(first);
    nodes.map(|node| profile.name(node)).collect()
}

/// Asserts that all names are safe for a screen.
#[track_caller]
pub fn assert_harmless(profile: &View) {
    for node in profile.tree.nodes() {
        let shown = profile.display_name(node);
        let is_short = shown.chars().count() <= 400;
        assert!(is_short && !shown.chars().any(is_hostile), "{shown:?}");
    }
}

/// A line per node except the root: depth, kind if not a method, name, then inclusive/exclusive values of each metric.
pub fn dump(profile: &View) -> Vec<String> {
    let tree = &profile.tree;
    let line = |node: NodeId| {
        let kind = match profile.frames.get(tree.frame(node)).kind {
            FrameKind::Method => String::new(),
            kind => format!("{} ", kind.name()),
        };
        let (depth, name) = (tree.ancestors(node).count(), profile.name(node));
        let mut line = format!("{depth} {kind}{name}");
        for metric in (0..profile.recording.metrics.len()).map(MetricId::at) {
            let values = [tree.inclusive(metric, node), tree.exclusive(metric, node)];
            line += &format!(" {}/{}", values[0], values[1]);
            if let Some(count) = tree.count(metric, node) {
                line += &format!(" x{count}");
            }
        }
        line
    };
    tree.nodes().skip(1).map(line).collect()
}

/// Exclusive and inclusive values of methods by name below a node, with recursion counted once.
pub fn by_name(profile: &View, metric: MetricId, top: NodeId) -> HashMap<String, (u64, u64)> {
    let tree = &profile.tree;
    let mut sums: HashMap<String, (u64, u64)> = HashMap::new();
    let mut open_until = HashMap::new();
    for node in tree.range(top).map(NodeId::at) {
        let frame = tree.frame(node);
        if !profile.frames.get(frame).kind.is_code() {
            continue;
        }
        let sum = sums.entry(profile.name(node).to_string()).or_default();
        sum.0 += tree.exclusive(metric, node);
        if open_until.get(&frame).is_none_or(|&until| node >= until) {
            sum.1 += tree.inclusive(metric, node);
            open_until.insert(frame, tree.end(node));
        }
    }
    sums
}

/// Exclusive values by stack below a node, outermost method first. Stacks without a value are left out.
pub fn by_stack(profile: &View, metric: MetricId, top: NodeId) -> BTreeMap<Vec<String>, u64> {
    let tree = &profile.tree;
    let mut sums = BTreeMap::new();
    let is_frame = |&node: &NodeId| profile.frames.get(tree.frame(node)).kind.is_code();
    let nodes = tree.range(top).map(NodeId::at);
    for node in nodes.filter(|&node| tree.exclusive(metric, node) > 0) {
        let path = std::iter::once(node)
            .chain(tree.ancestors(node))
            .take_while(is_frame);
        let mut stack: Vec<String> = path.map(|node| profile.name(node).to_string()).collect();
        stack.reverse();
        *sums.entry(stack).or_insert(0) += tree.exclusive(metric, node);
    }
    sums
}
