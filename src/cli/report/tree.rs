//! `dotspot tree`.

use super::{
    MetricName, Table, Value, count_if, heaviest_place, metric_of, metric_words, value_head, write_json, write_line,
};
use crate::cli::args::Tree;
use crate::cli::threads;
use crate::model::format::{Scale, percent, thousands};
use crate::model::{CountKind, MetricId, NodeId, Profile};
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// The deepest level that text is indented to; deeper rows say their level.
const INDENT_LEVELS: usize = 40;

/// The document `dotspot.tree/1`: rows in preorder, each with its depth.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    metric: MetricName<'a>,
    total: Value,
    rows: Vec<Row<'a>>,
    left_out: usize,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    node: String,
    depth: usize,
    name: &'a str,
    display: &'a str,
    kind: &'static str,
    /// `file:line` or `file`, where the profile says it
    #[serde(skip_serializing_if = "str::is_empty")]
    location: &'a str,
    inclusive: Value,
    exclusive: Value,
    calls: Option<u64>,
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
}

/// Prints the call tree of the whole profile, a thread, or the heaviest place of a method.
pub fn tree(out: &mut dyn Write, profile: &Profile, args: &Tree, width: Option<usize>) -> Result<()> {
    let metric = metric_of(profile, args.part.metric.as_deref())?;
    let mut root = threads::root(profile, &args.source.reading.threads);
    if let Some(method) = &args.part.under {
        root = heaviest_place(profile, "--under", method, root, metric)?;
    }
    let excerpt = select(profile, root, metric, args);
    if args.json { json(out, profile, &excerpt) } else { text(out, profile, &excerpt, width) }
}

/// What is printed of a tree.
struct Excerpt {
    metric: MetricId,
    root: NodeId,
    /// nodes with their depths, in preorder
    rows: Vec<(NodeId, usize)>,
    left_out: usize,
}

/// The nodes to print, and how many are left out.
fn select(profile: &Profile, root: NodeId, metric: MetricId, args: &Tree) -> Excerpt {
    let tree = &profile.tree;
    let whole = tree.inclusive(metric, root) as f64;
    let least = whole * args.min_percent / 100.0;
    let (mut rows, mut ends, mut at) = (Vec::new(), Vec::<NodeId>::new(), root);
    let end = tree.end(root);
    while at < end {
        while ends.last().is_some_and(|&end| end <= at) {
            ends.pop();
        }
        let depth = ends.len();
        let is_shown = at == root || tree.inclusive(metric, at) as f64 >= least;
        if is_shown {
            rows.push((at, depth));
        }
        let goes_down = is_shown && args.depth.is_none_or(|most| depth < most);
        ends.push(tree.end(at));
        at = if goes_down { NodeId(at.0 + 1) } else { tree.end(at) };
    }
    let left_out = tree.size(root) - rows.len();
    Excerpt { metric, root, rows, left_out }
}

fn json(out: &mut dyn Write, profile: &Profile, excerpt: &Excerpt) -> Result<()> {
    let &Excerpt { metric: metric_id, root, ref rows, left_out } = excerpt;
    let (tree, metric) = (&profile.tree, profile.metric(metric_id));
    let counted = |kind, node| count_if(profile, metric_id, kind, tree.count(metric_id, node));
    let rows = rows.iter().map(|&(node, depth)| Row {
        node: profile.node_label(node),
        depth,
        name: profile.name(node),
        display: profile.shown(node),
        kind: profile.frames.get(tree.frame(node)).kind.name(),
        location: profile.frames.location(tree.frame(node)),
        inclusive: Value::new(metric.unit, tree.inclusive(metric_id, node)),
        exclusive: Value::new(metric.unit, tree.exclusive(metric_id, node)),
        calls: counted(CountKind::Calls, node),
        samples: counted(CountKind::Samples, node),
        counts: counted(CountKind::Unknown, node),
    });
    let document = Document {
        schema: "dotspot.tree/1",
        kind: profile.source.kind.name(),
        metric: MetricName::new(profile, metric_id),
        total: Value::new(metric.unit, tree.inclusive(metric_id, root)),
        rows: rows.collect(),
        left_out,
    };
    write_json(out, &document)
}

fn text(out: &mut dyn Write, profile: &Profile, excerpt: &Excerpt, width: Option<usize>) -> Result<()> {
    let &Excerpt { metric: metric_id, root, ref rows, left_out } = excerpt;
    let (tree, metric) = (&profile.tree, profile.metric(metric_id));
    let whole = tree.inclusive(metric_id, root);
    let scale = Scale::for_values(metric.unit, whole);
    write_line(out, &format!("{}: {}", profile.shown(root), metric_words(profile, metric_id, scale, whole)))?;
    let (inclusive, exclusive) = (value_head("incl", scale), value_head("excl", scale));
    let mut heads = vec![inclusive.as_str(), "%", exclusive.as_str()];
    heads.extend(metric.counts.map(CountKind::name));
    heads.push("method");
    let mut table = Table::new(&heads);
    for &(node, depth) in rows {
        let value = tree.inclusive(metric_id, node);
        let mut cells = vec![
            scale.number(value),
            format!("{:.1}", percent(value, whole)),
            scale.number(tree.exclusive(metric_id, node)),
        ];
        cells.extend(tree.count(metric_id, node).map(thousands));
        let indent = match depth {
            0..=INDENT_LEVELS => "  ".repeat(depth),
            deep => format!("{}[{deep}] ", "  ".repeat(INDENT_LEVELS)),
        };
        cells.push(format!("{indent}{}", profile.shown(node)));
        table.push(cells);
    }
    table.write(out, width)?;
    if left_out > 0 {
        write_line(out, &format!("({} more nodes: see --min-percent and --depth)", thousands(left_out as u64)))?;
    }
    Ok(())
}
