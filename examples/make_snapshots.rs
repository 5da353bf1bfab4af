//! Writes the files in `snapshots/` that are not recordings: the real recording `js-ordered-consume.nettrace` as call-tree
//! JSON, and a dotTrace snapshot with the same tree (CPU time).
//!
//! Run `cargo run --example make_snapshots`. The snapshot comes from our own writer, not from dotTrace.

#[path = "../tests/common/dtp_writer.rs"]
mod dtp_writer;

use dotspot::testing::cli::{Target, open};
use dotspot::testing::exporters::call_tree_json;
use dotspot::testing::model::{MetricId, NodeId, View};
use dtp_writer::{Container, Function, Kind, Snapshot, Thread, Type};
use std::collections::HashMap;
use std::error::Error;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots");
    let recording = folder.join("js-ordered-consume.nettrace");
    let mut profile = open(
        &Target::File(recording),
        &Default::default(),
        Default::default(),
    )?;
    // no file may contain a folder of this machine
    Arc::make_mut(&mut profile.recording).source.name = "js-ordered-consume.nettrace".into();
    let json = File::create(folder.join("js-ordered-consume.calltree.json"))?;
    let mut json = BufWriter::new(json);
    call_tree_json::write(
        &profile,
        NodeId::ROOT,
        profile.recording.default_metric,
        &mut json,
    )?;
    json.flush()?;
    snapshot_of(&profile).save(&folder, "js-ordered-consume.dtp", Container::ManyFiles);
    Ok(())
}

/// A snapshot with the threads, methods and times of a profile. Nodes without time in the default metric are left out, and
/// siblings that differ only in type arguments, which snapshots don't record, are one.
fn snapshot_of(profile: &View) -> Snapshot {
    let mut snapshot = Snapshot::new(Kind::Sampling);
    snapshot.description.os = "Linux (written by dotspot's tests, not by dotTrace)".into();
    snapshot.description.machine = String::new();
    snapshot.description.user = String::new();
    snapshot.description.runtime = "10.0.12".into();
    snapshot.description.executable = "dotnet".into();
    snapshot.description.command_line = "OrderedConsume.dll --seconds 8 --seed 1".into();
    let metric = profile.recording.default_metric;
    for thread in profile.threads.iter() {
        let is_main = thread.name == "main";
        let number = thread.id.parse().unwrap_or(0);
        let name = if is_main { "" } else { thread.name.as_str() };
        let mut written = Thread::new(number, if is_main { 2 } else { 0 }, name);
        fill(&mut snapshot, &mut written, profile, thread.node, metric);
        snapshot.threads.push(written);
    }
    snapshot
}

fn fill(
    snapshot: &mut Snapshot,
    thread: &mut Thread,
    profile: &View,
    root: NodeId,
    metric: MetricId,
) {
    let tree = &profile.tree;
    let mut written: HashMap<NodeId, usize> = HashMap::from([(root, Thread::ROOT)]);
    let mut known: HashMap<(usize, Function), usize> = HashMap::new();
    // a node's count includes the samples below it
    let samples = |node: NodeId| {
        let below: u64 = tree
            .children(node)
            .filter_map(|child| tree.count(metric, child))
            .sum();
        tree.count(metric, node).unwrap_or(0) - below
    };
    for node in tree
        .range(root)
        .skip(1)
        .map(NodeId::at)
        .filter(|&node| tree.inclusive(metric, node) > 0)
    {
        let Some(&caller) = tree.parent(node).and_then(|parent| written.get(&parent)) else {
            continue;
        };
        let function = method(snapshot, profile.name(node));
        let (own, count) = (tree.exclusive(metric, node), samples(node) as u32);
        // dotTrace has samples exactly where there is own time
        let count = if own == 0 { 0 } else { count.max(1) };
        let number = *known
            .entry((caller, function))
            .or_insert_with(|| thread.add(caller, function, 0, 0));
        thread.nodes[number].own += own;
        thread.nodes[number].count += count;
        written.insert(node, number);
    }
    for number in (1..thread.nodes.len()).rev() {
        let (caller, count) = (thread.nodes[number].caller, thread.nodes[number].count);
        if caller != Thread::ROOT {
            thread.nodes[caller].count += count;
        }
    }
}

/// Parses a name as TraceEvent spells it, `Module!Namespace.Type.Method(args)`.
fn method(snapshot: &mut Snapshot, name: &str) -> Function {
    let (full, arguments) = name.split_once('(').unwrap_or((name, ")"));
    let arguments = arguments.strip_suffix(')').unwrap_or(arguments);
    let parameters: Vec<Type> = at_depth_0(arguments, ',')
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(parameter)
        .collect();
    snapshot.method_with(&without_type_arguments(full), 0, &parameters, &Type::Void)
}

/// A name without `[…]`.
fn without_type_arguments(name: &str) -> String {
    let mut depth = 0usize;
    let keep = |c: &char| {
        depth += usize::from(*c == '[');
        let is_kept = depth == 0;
        depth -= usize::from(*c == ']' && depth > 0);
        is_kept
    };
    name.chars().filter(keep).collect()
}

/// The parts of a text between separators outside brackets.
fn at_depth_0(text: &str, separator: char) -> Vec<&str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0i32);
    for (at, c) in text.char_indices() {
        match c {
            '<' | '[' | '(' => depth += 1,
            '>' | ']' | ')' => depth -= 1,
            c if c == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}

/// A parameter's type, as far as the recording has it.
fn parameter(text: &str) -> Type {
    let text = text.trim();
    if let Some(inner) = text.strip_suffix('&') {
        return Type::ByRef(Box::new(parameter(inner)));
    }
    if let Some(inner) = text.strip_suffix('*') {
        return Type::Pointer(Box::new(parameter(inner)));
    }
    if let Some(inner) = text.strip_suffix("[]") {
        return Type::Array(Box::new(parameter(inner)));
    }
    let index = |digits: &str| digits.parse().unwrap_or(0);
    match text {
        "void" => Type::Void,
        "bool" => Type::Bool,
        "wchar" => Type::Char,
        "int" | "int32" => Type::Int32,
        "int64" => Type::Int64,
        "float64" => Type::Float64,
        "class System.String" => Type::String,
        "class System.Object" => Type::Object,
        _ if text.starts_with("!!") => Type::MVar(index(&text[2..])),
        _ if text.starts_with('!') => Type::Var(index(&text[1..])),
        _ => match (
            text.strip_prefix("value class "),
            text.strip_prefix("class "),
        ) {
            (Some(name), _) => generic(name, Type::Value),
            (None, Some(name)) => generic(name, Type::Class),
            (None, None) => Type::Value(text.replace(' ', "_")),
        },
    }
}

fn generic(name: &str, make: fn(String) -> Type) -> Type {
    match name.split_once('<') {
        Some((outer, arguments)) => {
            let arguments = arguments.strip_suffix('>').unwrap_or(arguments);
            let arguments = at_depth_0(arguments, ',')
                .into_iter()
                .map(parameter)
                .collect();
            Type::Generic(Box::new(make(outer.into())), arguments)
        }
        None => make(name.into()),
    }
}
