//! `dotspot hotspots`.

use super::{MetricName, Selection, Table, Value, count_if, metric_words, value_head, write_json, write_line};
use crate::analysis::{self, Hotspot, HotspotOrder, sort_hotspots};
use crate::cli::args::{Choosing, Hotspots, Part};
use crate::cli::threads;
use crate::importers::{MethodSum, Sums};
use crate::model::format::{Scale, percent, thousands};
use crate::model::{CountKind, NodeId, Profile};
use crate::ui::text::fit_end;
use anyhow::Result;
use serde::Serialize;
use std::io::Write;

/// The document `dotspot.hotspots/1`.
#[derive(Debug, Serialize)]
struct Document<'a> {
    schema: &'static str,
    kind: &'static str,
    metric: MetricName<'a>,
    total: Value,
    scope: &'a str,
    rows: Vec<Row<'a>>,
}

#[derive(Debug, Serialize)]
struct Row<'a> {
    name: &'a str,
    display: &'a str,
    module: &'a str,
    #[serde(skip_serializing_if = "str::is_empty")]
    signature: &'a str,
    inclusive: Value,
    exclusive: Value,
    calls: Option<u64>,
    samples: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    counts: Option<u64>,
    node_count: u32,
    heaviest_node: String,
}

/// Prints the methods in which the time goes.
pub fn hotspots(out: &mut dyn Write, profile: &Profile, args: &Hotspots, width: Option<usize>) -> Result<()> {
    let selection = Selection::new(profile, threads::root(profile, &args.source.reading.threads), &args.part)?;
    let rows = analysis::hotspots(profile, &selection.roots, selection.metric);
    list(out, profile, &selection, rows, args, width)
}

/// Whether the sums of methods are all that is asked for: parts are parts of the tree, and JSON names nodes of it.
pub fn needs_no_tree(args: &Hotspots) -> bool {
    let Part { metric, under } = &args.part;
    let Choosing { process, thread, merge_threads } = &args.source.reading.threads;
    let has_all = process.is_empty() && thread.is_empty() && !merge_threads;
    !args.json && metric.is_none() && under.is_none() && has_all
}

/// Prints the same from sums that were read without the tree, see [`needs_no_tree`].
pub fn hotspots_of_sums(out: &mut dyn Write, sums: &Sums, args: &Hotspots, width: Option<usize>) -> Result<()> {
    let selection = Selection::new(&sums.profile, NodeId::ROOT, &args.part)?;
    let row = |sum: &MethodSum| Hotspot {
        frame: sum.frame,
        inclusive: sum.inclusive,
        exclusive: sum.exclusive,
        count: sum.count,
        count_of_nodes: sum.count_of_nodes,
        count_of_outermost: sum.count_of_outermost,
        node_count: sum.node_count,
        // there are no others, and text does not name it
        heaviest_node: NodeId::ROOT,
    };
    list(out, &sums.profile, &selection, sums.methods.iter().map(row).collect(), args, width)
}

fn list(
    out: &mut dyn Write,
    profile: &Profile,
    selection: &Selection,
    mut rows: Vec<Hotspot>,
    args: &Hotspots,
    width: Option<usize>,
) -> Result<()> {
    let order = HotspotOrder::from(args.by);
    sort_hotspots(profile, &mut rows, order);
    let all = rows.len();
    if args.top > 0 {
        rows.truncate(args.top);
    }
    if args.json {
        return json(out, profile, selection, &rows);
    }
    text(out, profile, selection, &rows, order, width)?;
    if rows.len() < all {
        write_line(out, &format!("({} more methods: --top 0 lists all)", thousands((all - rows.len()) as u64)))?;
    }
    Ok(())
}

fn json(out: &mut dyn Write, profile: &Profile, selection: &Selection, rows: &[Hotspot]) -> Result<()> {
    let metric = profile.metric(selection.metric);
    let counted = |kind, count| count_if(profile, selection.metric, kind, count);
    let rows = rows.iter().map(|row| Row {
        name: profile.frames.name(row.frame),
        display: profile.frames.shown(row.frame),
        module: profile.frames.module(row.frame),
        signature: profile.frames.signature(row.frame),
        inclusive: Value::new(metric.unit, row.inclusive),
        exclusive: Value::new(metric.unit, row.exclusive),
        calls: counted(CountKind::Calls, row.count),
        samples: counted(CountKind::Samples, row.count),
        counts: counted(CountKind::Unknown, row.count),
        node_count: row.node_count,
        heaviest_node: profile.node_label(row.heaviest_node),
    });
    let document = Document {
        schema: "dotspot.hotspots/1",
        kind: profile.source.kind.name(),
        metric: MetricName::new(profile, selection.metric),
        total: Value::new(metric.unit, selection.total(profile)),
        scope: &selection.words,
        rows: rows.collect(),
    };
    write_json(out, &document)
}

fn text(
    out: &mut dyn Write,
    profile: &Profile,
    selection: &Selection,
    rows: &[Hotspot],
    order: HotspotOrder,
    width: Option<usize>,
) -> Result<()> {
    let metric = profile.metric(selection.metric);
    let whole = selection.total(profile);
    let scale = Scale::for_values(metric.unit, whole);
    let words = metric_words(profile, selection.metric, scale, whole);
    let head = format!("{}: {words}, by {} value", selection.words, order.name());
    write_line(out, &fit_end(&head, width.unwrap_or(usize::MAX)))?;
    let (exclusive, inclusive) = (value_head("excl", scale), value_head("incl", scale));
    let mut heads = vec![exclusive.as_str(), "%", inclusive.as_str(), "%"];
    heads.extend(metric.counts.map(CountKind::name));
    // what tracing is read by; a sample is no call, and has no average
    let averages = (metric.counts == Some(CountKind::Calls)).then(|| Scale::for_averages(metric.unit));
    let per_call = averages.map(|scale| match order {
        HotspotOrder::Exclusive => value_head("excl", scale) + "/call",
        HotspotOrder::Inclusive => value_head("incl", scale) + "/call",
    });
    heads.extend(per_call.as_deref());
    heads.push("method");
    let mut table = Table::new(&heads);
    for row in rows {
        let mut cells = vec![
            scale.number(row.exclusive),
            format!("{:.1}", percent(row.exclusive, whole)),
            scale.number(row.inclusive),
            format!("{:.1}", percent(row.inclusive, whole)),
        ];
        cells.extend(metric.counts.map(|_| thousands(row.count.unwrap_or(0))));
        cells.extend(averages.map(|scale| row.per_call(order).map_or(String::new(), |value| scale.number(value))));
        cells.push(profile.frames.shown(row.frame).to_string());
        table.push(cells);
    }
    table.write(out, width)
}
